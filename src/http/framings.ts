// The framings by media type.
import { EVENT_STREAM } from './event-stream'
import type { Framing } from './framing'
import { mediaTypesIn } from './json'
import { JSON_LINES, JSON_SEQUENCE } from './json-texts'

const LINES = 'x-ndjson ndjson jsonl x-jsonlines jsonlines x-json-stream stream+json'
  .split(' ')
  .map((name) => `application/${name}`)

const FRAMINGS: ReadonlyMap<string, Framing> = new Map([
  ['text/event-stream', EVENT_STREAM],
  ...LINES.map((type) => [type, JSON_LINES] as const),
  ['application/json-seq', JSON_SEQUENCE],
])

/** Returns the framing of a `Content-Type`; undefined for a type that is no stream of items. */
export function framingOf(type: unknown): Framing | undefined {
  for (const name of mediaTypesIn(type)) {
    const framing = name.endsWith('+json-seq') ? JSON_SEQUENCE : FRAMINGS.get(name)
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
