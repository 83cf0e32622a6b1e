// JSON: its media types, its texts in responses, and copies of values as it would make them.

import { put } from '../util/collections'
import { isThenable } from '../util/thenable'
import { trimWhitespace } from './fields'

/** The limit of nesting. Deeper values contain a loop, and `JSON` reports it. */
const DEPTH = 64

/**
 * Copies a value like `JSON.parse(JSON.stringify(value))`, in a third of the time. Plain data is copied directly; `JSON` copies
 * everything else: dates, classes, objects with a `toJSON`.
 *
 * @param lost gets the values that {@link lostIn} finds.
 * @param kept parts of the value that are such copies already. They are taken as they are, once.
 * @returns `undefined` for values that JSON omits.
 * @throws {TypeError} for a loop and for a bigint, as `JSON.stringify`; and any error of a getter or `toJSON`.
 */
export function jsonCopy(value: unknown, lost?: unknown[], kept?: Set<object>): unknown {
  return copyOf(value, '', 0, lost, kept)
}

/** Adds the parts of a value that JSON loses: it writes them as `null` or as an empty object. */
export function lostIn(result: unknown, lost: unknown[]): void {
  // A loop, because recursion would end sooner than that of `JSON.stringify`.
  const open = [result]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) lost.push(value)
    } else if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
      if (isThenable(value) || value instanceof Map || value instanceof Set) lost.push(value)
      else {
        if (Array.isArray(value) && value.some(isDropped)) lost.push(value)
        for (const property of Object.values(value)) open.push(property)
      }
    }
  }
}

/** Tells whether JSON leaves a property out of an object, and writes `null` for it in a list. */
function isDropped(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

/**
 * Copies a value at a depth.
 *
 * @param key the argument for `toJSON`: the place of the value.
 */
function copyOf(
  value: unknown,
  key: string | number,
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value === 'number') {
    // Make -0 into 0, because JSON has no -0.
    if (Number.isFinite(value)) return value + 0
    lost?.push(value)
    return null
  }
  if (kept?.delete(value) === true) return value
  if (typeof value === 'object' && depth < DEPTH && typeof (value as { toJSON?: unknown }).toJSON !== 'function') {
    if (Array.isArray(value)) return copyOfList(value, depth + 1, lost, kept)
    if (isRecord(value)) return copyOfRecord(value, depth + 1, lost, kept)
  }
  const made: Record<string, unknown> = JSON.parse(JSON.stringify({ [key]: value }))
  // After `JSON`, which throws for loops: a search for losses would never end in one.
  if (lost !== undefined) lostIn(value, lost)
  return Object.hasOwn(made, key) ? made[key] : undefined
}

function copyOfList(
  list: readonly unknown[],
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): unknown[] {
  const copy: unknown[] = []
  // Use indexes, because iterators and `map` treat holes differently than JSON.
  for (let index = 0, { length } = list; index < length; index++) {
    const made = copyOf(list[index], index, depth, lost, kept)
    if (made === undefined) lost?.push(list)
    copy.push(made ?? null)
  }
  return copy
}

function copyOfRecord(
  record: Readonly<Record<string, unknown>>,
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): object {
  if (lost !== undefined && typeof record.then === 'function') lost.push(record)
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(record)) {
    const made = copyOf(record[name], name, depth, lost, kept)
    if (made === undefined) continue
    // Only that name needs `put`: a call for each property costs more than the rest.
    if (name === '__proto__') put(copy, name, made)
    else copy[name] = made
  }
  return copy
}

/** Tells whether a value is a plain object. */
function isRecord(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Lists the media types of a `Content-Type`, in lower case and without parameters. */
export function mediaTypesIn(value: unknown): string[] {
  // Node sends one line for each element of a list, and proxies join lines by commas.
  return String(value)
    .toLowerCase()
    .split(',')
    .map((one) => trimWhitespace(one).split(/[;\s]/, 1)[0] as string)
}

/** Tells whether a media type is one of others, of which some may be ranges: any type, or `text/*` (RFC 9110, section 12.5.1). */
export function isAmong(type: string, ranges: readonly string[]): boolean {
  const [kind] = type.split('/', 1)
  return [type, `${kind}/*`, '*/*'].some((one) => ranges.includes(one))
}

// `application/stream+json` is JSON by its suffix, but has one text a line.
const JSON_TYPE = /(?:\/(?:x-)?|(?<!^application\/stream)\+)json$/

/**
 * Tells whether a `Content-Type` is JSON: `application/json`, `text/x-json` and the like, or any type with the suffix `+json`
 * (RFC 6839, section 3.1). One of several types is enough.
 */
export function isJsonType(value: unknown): boolean {
  return mediaTypesIn(value).some((type) => JSON_TYPE.test(type))
}

/** Parses a JSON text; returns undefined for any other text. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** Escapes the characters of HTML markup in JSON, as Express does with `json escape`. */
export function escapeMarkup(json: string): string {
  return json.replace(/[<>&]/g, (character) => ESCAPES[character] as string)
}

/** The start of a JSONP response of `res.jsonp`, up to the callback's name. */
const JSONP = '/**/ typeof '

/**
 * Splits a response into its JSON and a function that wraps JSON like it: in the call of a JSONP callback, or in nothing. The
 * callback's name has no parentheses.
 */
export function unwrapJson(text: string): { readonly json: string; wrap(json: string): string } {
  if (!text.startsWith(JSONP)) return { json: text, wrap: (json) => json }
  const start = text.indexOf('(') + 1
  const end = text.lastIndexOf(')')
  return {
    json: text.slice(start, end),
    // Escape line separators as Express does: scripts before ECMAScript 2019 could not contain them.
    wrap: (json) =>
      text.slice(0, start) + json.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029') + text.slice(end),
  }
}

/**
 * Returns the media type of a converted error.
 *
 * @param said the JSON types that its older definition says. Without any, it is no problem of RFC 9457 any more.
 */
export function olderTypeOf(type: string, said: readonly string[]): string {
  const [first] = said
  if (first === undefined) return type.replace(/^application\/problem\+json(?=\s*(?:;|$))/i, 'application/json')
  return said.some((one) => essenceOf(one) === essenceOf(type)) ? type : first
}

/** Returns a media type without its parameters. */
function essenceOf(type: string): string {
  return trimWhitespace(type.split(';', 1)[0] as string).toLowerCase()
}
