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
