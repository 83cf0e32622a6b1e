// Writes values as text of links: path segments, queries and fragments.
import { types } from 'node:util'
import { stringify } from 'qs'
import { NoReverseMatch } from '../errors'
import type { LinkKwargs, LinkQuery, RouteLinkOptions } from '../types'
import { kindOf } from '../util/options'

const CONTROL = /\p{Cc}/u

/** The encoded characters up to U+00FF; undefined for control characters. */
const ENCODED = Array.from({ length: 0x100 }, (_, code) => {
  const character = String.fromCharCode(code)
  return CONTROL.test(character) ? undefined : encodeURIComponent(character)
})

/** Returns a flag for each ASCII character: 1 if it needs no encoding and is not one of some others. */
export function plainBut(others: readonly string[]): Uint8Array {
  return Uint8Array.from(ENCODED.slice(0, 0x80), (text = '') => (text.length === 1 && !others.includes(text) ? 1 : 0))
}

const PLAIN = plainBut([])

/** Tells whether a string is a segment without encoding. For short strings this loop is many times faster than a RegExp. */
export function isPlain(text: string, plain: Uint8Array): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // A read past the end of an array costs more than this check.
    if (code >= plain.length || plain[code] === 0) return false
  }
  return text.length > 2 || (text !== '' && text !== '.' && text !== '..')
}

/**
 * Encodes a value as one path segment. It returns `undefined` for a value that no segment can carry without moving the
 * link: anything but strings, finite numbers, bigints and booleans; the empty string, dot segments, control characters,
 * lone surrogates.
 */
export function encodeSegment(value: unknown): string | undefined {
  if (!isScalar(value)) return undefined
  const text = String(value)
  return isPlain(text, PLAIN) ? text : encodeOther(text)
}

/** The length up to which encoding by character is faster than a call of `encodeURIComponent`. */
const SHORT = 12

function encodeOther(text: string): string | undefined {
  if (text === '' || text === '.' || text === '..') return undefined
  let encoded = ''
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= ENCODED.length || index === SHORT) return encodeLong(text)
    const character = ENCODED[code]
    if (character === undefined) return undefined
    encoded += character
  }
  return encoded
}

function encodeLong(text: string): string | undefined {
  return CONTROL.test(text) || !isWellFormed(text) ? undefined : encodeURIComponent(text)
}

/** Tells whether a string has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** Returns the kwargs of a link, with its `format`. */
export function withFormat(kwargs: LinkKwargs | undefined, { format }: RouteLinkOptions): LinkKwargs | undefined {
  return isAbsent(format) ? kwargs : { ...kwargs, format }
}

/** Encodes the value of a parameter as {@link encodeSegment} does, or the items of a wildcard's list. */
export function encodeValue(value: unknown, wildcard: boolean): string | undefined {
  return wildcard ? encodeList(value) : encodeSegment(value)
}

function encodeList(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  let path = ''
  for (let index = 0; index < value.length; index++) {
    const segment = encodeSegment(value[index])
    if (segment === undefined) return undefined
    path += index === 0 ? segment : `/${segment}`
  }
  return path
}

/** Returns the reason, as a clause, why a value has no encoding, and the values at fault; `undefined` if it has one. */
export function explainUnfit(value: unknown, wildcard: boolean): { reason: string; values: unknown[] } | undefined {
  if (!wildcard) return encodeSegment(value) === undefined ? { reason: reasonOf(value), values: [value] } : undefined
  if (!Array.isArray(value) || value.length === 0) return { reason: 'it takes a non-empty list', values: [value] }
  const at = value.findIndex((item) => encodeSegment(item) === undefined)
  return at === -1 ? undefined : { reason: reasonOf(value[at]), values: [value, value[at]] }
}

function reasonOf(value: unknown): string {
  if (typeof value !== 'string') return 'it takes a string, a finite number, a bigint or a boolean'
  if (value === '') return 'an empty segment would change the path'
  if (value === '.' || value === '..') return 'a dot segment would change the path'
  return CONTROL.test(value) ? 'it has a control character' : 'it has a lone surrogate'
}

/**
 * Appends the `query` and `hash` of a link to its path. `undefined` and `null` values are left out, except in lists.
 * Lists repeat the name. Nested objects, lists of lists and lists of objects are written as Express's extended parser
 * reads them.
 *
 * @throws {NoReverseMatch} for values that a query cannot carry (functions, symbols, `NaN`, maps, cycles, lone surrogates).
 * @example appendQueryAndHash('/users', { query: { page: 2, tag: ['a', 'b'] }, hash: 'top' }) // '/users?page=2&tag=a&tag=b#top'
 */
export function appendQueryAndHash(path: string, { query, hash }: RouteLinkOptions): string {
  const text = isAbsent(query) ? '' : queryOf(query)
  const link = text === '' ? path : `${path}?${text}`
  if (isAbsent(hash) || hash === '') return link
  if (!isScalar(hash)) throw new NoReverseMatch(`"hash" takes a string; got ${kindOf(hash)}.`, { unfit: [hash] })
  return `${link}#${encoded('hash', hash)}`
}

function queryOf(query: LinkQuery): string {
  if (query instanceof URLSearchParams) return query.toString()
  if (typeof query !== 'object' || Symbol.iterator in query || tagOf(query) !== 'Object') {
    throw new NoReverseMatch(`"query" takes an object or URLSearchParams; got ${kindOf(query)}.`, { unfit: [query] })
  }
  return flat(query) ?? nested(query)
}

/** Writes a query without objects and dates as `qs` would, in a tenth of the time; `undefined` for any other query. */
function flat(query: Readonly<Record<string, unknown>>): string | undefined {
  let text = ''
  for (const name of Object.keys(query)) {
    const value = query[name]
    if (isAbsent(value)) continue
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isScalar(item)) return undefined
      text += `${text === '' ? '' : '&'}${encoded('query', name)}=${encoded('query', item)}`
    }
  }
  return text
}

function nested(query: object): string {
  const plain = copied(query, [])
  return stringify(plain, { arrayFormat: 'repeat', encoder: (value: unknown) => encoded('query', value) })
}

// Express's own parser reads only 5 levels.
const DEEPEST = 64

/** Returns a copy of an object or a list for `qs`: an object without absent values, and with dates as text. */
function copied(value: object, around: readonly object[]): object {
  if (around.includes(value) || around.length > DEEPEST) {
    const takes = '"query" takes objects without cycles or deep nesting'
    throw new NoReverseMatch(`${takes}; got a cycle, or more than ${DEEPEST} levels.`, { unfit: [around[0]] })
  }
  const items = Object.entries(value).filter(([, item]) => Array.isArray(value) || !isAbsent(item))
  return Object.fromEntries(items.map(([name, item]) => [name, copiedItem(item, [...around, value])]))
}

function copiedItem(item: unknown, around: readonly object[]): unknown {
  if (isScalar(item)) return item
  if (types.isDate(item) && !Number.isNaN(item.getTime())) return item.toISOString()
  // Other lists would lose their structure by a repeated name.
  const repeats = Array.isArray(item) && item.every((one) => isScalar(one) || types.isDate(one))
  if (repeats && !Array.isArray(around.at(-1))) return item.map((one) => copiedItem(one, around))
  if (Array.isArray(item) || isClassless(item)) return copied(item, around)
  const takes = '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these'
  throw new NoReverseMatch(`${takes}; got ${kindOf(item)}.`, { unfit: [item] })
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function isScalar(value: unknown): value is string | number | bigint | boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint'
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** Tells whether a value is an object without a class: a literal, or one without a prototype, as query parsers make. */
function isClassless(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || tagOf(value) !== 'Object') return false
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Encodes one component of a link. */
function encoded(option: string, value: unknown): string {
  try {
    return encodeURIComponent(value as string)
  } catch (cause) {
    const message = `"${option}" takes well-formed strings; got one with a lone surrogate.`
    throw new NoReverseMatch(message, { cause, unfit: [value] })
  }
}
