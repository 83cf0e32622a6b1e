const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether a value is a token (RFC 9110, section 5.6.2): a header field name, a parameter name, half of a media type. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}
