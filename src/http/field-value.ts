/** Whether a header field can hold a text: visible ASCII, latin1, spaces and tabs (RFC 9110, section 5.5; Node sends no more). */
export function isFieldValue(text: string): boolean {
  return /^[\t -~\x80-\xff]*$/.test(text)
}

/** A text as a quoted string (RFC 9110, section 5.6.4). */
export function quotedString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
