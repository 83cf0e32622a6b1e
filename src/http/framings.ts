// The framings by media type.
import { EVENT_STREAM } from './event-stream'
import { trimWhitespace } from './fields'
import type { Framing } from './framing'
import { JSON_LINES } from './json-lines'
import { JSON_SEQUENCE } from './json-sequence'

const FRAMINGS: ReadonlyMap<string, Framing> = new Map([
  ['text/event-stream', EVENT_STREAM],
  ['application/x-ndjson', JSON_LINES],
  ['application/jsonl', JSON_LINES],
  ['application/json-seq', JSON_SEQUENCE],
])

/** Returns the framing of a `Content-Type`; undefined for a type that is no stream of items. */
export function framingOf(type: unknown): Framing | undefined {
  // Node sends one line for each element of a list, and proxies join lines by commas.
  for (const one of String(type).split(',')) {
    const [name] = one.split(';', 1) as [string]
    const framing = FRAMINGS.get(trimWhitespace(name).toLowerCase())
    if (framing !== undefined) return framing
  }
  return undefined
}

/** Tells whether there are media types, and all of them are streams. */
export function areStreams(types: readonly string[]): boolean {
  return types.length > 0 && types.every((type) => framingOf(type) !== undefined)
}

/** Tells whether the text of a `Content-Type` is UTF-8, which is the default of JSON. */
export function isUtf8Type(type: unknown): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^"\s;,]+)/i.exec(String(type)) ?? []
  return /^(?:utf-?8|us-ascii)$/i.test(charset)
}
