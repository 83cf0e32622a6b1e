// JSON media types, and JSON text in responses.
import { trimWhitespace } from './fields'
import { mediaTypesIn } from './media-types'

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
