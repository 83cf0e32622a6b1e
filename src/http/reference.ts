const UNFIT = /^\.{0,2}$|\p{Cc}|\p{Surrogate}/u

/** Whether a text can be a segment of a path, percent-encoded: not the empty one, no dot segment, no controls, no half characters. */
export function isPathSegment(text: string): boolean {
  return !UNFIT.test(text)
}

/** Whether a text is the beginning of an absolute path: `/` and segments, none of which is empty or a dot segment, however written. */
export function isPathPrefix(text: string): boolean {
  const [before, ...segments] = text.split('/')
  // `%2e` is a dot to browsers (WHATWG URL, section 4.3).
  const fit = segments.every((segment) => isPathSegment(segment.replace(/%2e/gi, '.')))
  return before === '' && segments.length > 0 && fit && !/[?#\\]/.test(text)
}

/**
 * Bytes that a client chose as part of a URL reference: what is no URL code point, the backslash (a slash to browsers) and
 * controls (which they take out) included, is percent-encoded (WHATWG URL, section 4.3); everything else stays as it is.
 *
 * @example encodeReference('/a%20b"\\') // '/a%20b%22%5C'
 */
export function encodeReference(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^!-~]|[\\"<>^`{|}]/gu, encodeURIComponent)
}

/** A path as a reference to the host that it is read on: one that begins with two slashes would name a host (RFC 3986, section 4.2). */
export function pathReference(path: string): string {
  const encoded = encodeReference(path)
  if (!encoded.startsWith('/')) return `/${encoded}`
  return encoded.startsWith('//') ? `/.${encoded}` : encoded
}
