import { isToken, trimWhitespace } from './fields'

/** Whether a `Content-Type` is JSON: `application/json`, or any type with the suffix `+json` (RFC 6839, section 3.1). */
export function isJsonType(value: unknown): boolean {
  // Node sends a line for each.
  if (Array.isArray(value)) return value.some(isJsonType)
  if (typeof value !== 'string') return false
  const [type] = value.split(';', 1) as [string]
  const name = trimWhitespace(type).toLowerCase()
  return name.endsWith('/json') || name.endsWith('+json')
}

/** Whether every parser of JSON takes a body of that type: `application/json`, with or without a charset. */
export function isPlainJsonType(value: unknown): boolean {
  const [type, charset, ...others] = String(value).split(';') as [string, ...string[]]
  if (trimWhitespace(type).toLowerCase() !== 'application/json' || others.length > 0) return false
  if (charset === undefined) return true
  const [name, text] = trimWhitespace(charset).split('=') as [string, ...string[]]
  return name.toLowerCase() === 'charset' && isToken(text)
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** JSON in which no HTML parser finds markup, as Express writes it where `json escape` is set. */
export function escapeMarkup(json: string): string {
  return json.replace(/[<>&]/g, (character) => ESCAPES[character] as string)
}

/** The start of what `res.jsonp` sends to a client that named a callback, up to the callback's name. */
const JSONP = '/**/ typeof '

/** What stands around the JSON of an answer: nothing, or the call of a JSONP callback, whose name has no parenthesis in it. */
export function unwrapJson(text: string): { readonly json: string; wrap(json: string): string } {
  if (!text.startsWith(JSONP)) return { json: text, wrap: (json) => json }
  const start = text.indexOf('(') + 1
  const end = text.lastIndexOf(')')
  return {
    json: text.slice(start, end),
    // Line separators of JSON that a script could not have (ECMAScript before 2019), as Express writes them.
    wrap: (json) =>
      text.slice(0, start) + json.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029') + text.slice(end),
  }
}
