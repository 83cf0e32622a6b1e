// The strings that header fields can hold.

/** Stands for a value that is there but cannot be trusted. Schemes reject it; they never take it for absent. */
export const UNUSABLE: unique symbol = Symbol('unusable')

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Tells whether a value is a token (RFC 9110, section 5.6.2): a field name, a parameter name, half of a media type. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/**
 * Removes the optional whitespace around a string: SP and HTAB (RFC 9110, section 5.6.3). `trim()` would also remove a no-break
 * space, which belongs to the value.
 */
export function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Tells whether a header field can hold a string: visible ASCII, latin1, spaces and tabs (RFC 9110, section 5.5). */
export function isFieldValue(text: string): boolean {
  return /^[\t -~\x80-\xff]*$/.test(text)
}

/** Tells whether a list in a header field can hold a string: visible ASCII without commas. */
export function isListItem(text: string): boolean {
  return /^[!-+\--~]+$/.test(text)
}

/** Writes a string as a quoted string (RFC 9110, section 5.6.4). */
export function quotedString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
