/** Read in place of a value that is there but cannot be trusted: it is refused, never taken for absent. */
export const UNUSABLE: unique symbol = Symbol('unusable')

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether a value is a token (RFC 9110, section 5.6.2): a header field name, a parameter name, half of a media type. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/**
 * A text without the optional whitespace around it, which is SP and HTAB alone (RFC 9110, section 5.6.3): `trim()` would also
 * take a no-break space, which is a character of the value.
 */
export function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Whether a header field can hold a text: visible ASCII, latin1, spaces and tabs (RFC 9110, section 5.5; Node sends no more). */
export function isFieldValue(text: string): boolean {
  return /^[\t -~\x80-\xff]*$/.test(text)
}

/** Whether a header field that is a list can name a text: visible ASCII characters, and no comma. */
export function isListItem(text: string): boolean {
  return /^[!-+\--~]+$/.test(text)
}

/** A text as a quoted string (RFC 9110, section 5.6.4). */
export function quotedString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
