// The paths and strings that URL references can hold.

const UNFIT = /^\.{0,2}$|\p{Cc}|\p{Surrogate}/u

/** Tells whether a string can become a path segment: it is not empty, no dot segment, and has no controls or lone surrogates. */
export function isPathSegment(text: string): boolean {
  return !UNFIT.test(text)
}

/** Tells whether a string is an absolute path without empty and dot segments, in any spelling. */
export function isPathPrefix(text: string): boolean {
  const [before, ...segments] = text.split('/')
  // `%2e` is a dot to browsers (WHATWG URL, section 4.3).
  const fit = segments.every((segment) => isPathSegment(segment.replace(/%2e/gi, '.')))
  return before === '' && segments.length > 0 && fit && !/[?#\\]/.test(text)
}

/**
 * Encodes text of a client for a URL reference: percent-encodes all but URL code points (WHATWG URL, section 4.3). Browsers
 * read a backslash as a slash and remove controls, so both are encoded too.
 *
 * @example encodeReference('/a%20b"\\') // '/a%20b%22%5C'
 */
export function encodeReference(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^!-~]|[\\"<>^`{|}]/gu, encodeURIComponent)
}

/** Makes a path a reference on the same host: two leading slashes would name another host (RFC 3986, section 4.2). */
export function pathReference(path: string): string {
  const encoded = encodeReference(path)
  if (!encoded.startsWith('/')) return `/${encoded}`
  return encoded.startsWith('//') ? `/.${encoded}` : encoded
}
