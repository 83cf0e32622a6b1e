import type { ServerResponse } from 'node:http'

/** By these an answer names its bytes (RFC 9110, section 8.8.3; RFC 9530; the unencoded digest draft; RFC 1864). */
const NAMES_OF_BYTES = ['ETag', 'Content-Digest', 'Repr-Digest', 'Unencoded-Digest', 'Content-MD5', 'Digest']

/** What may be said of a body, other than its type (RFC 9110, section 8; RFC 9111, section 5). */
const REPRESENTATION = [
  ...NAMES_OF_BYTES,
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'Expires',
  'Last-Modified',
  'Transfer-Encoding',
]

/** Takes back what was said of a body that another one replaces, its type aside. */
export function dropRepresentation(res: ServerResponse): void {
  for (const name of REPRESENTATION) res.removeHeader(name)
  // What was meant to be cached was the other body; a refusal to cache holds for this one too.
  if (!/no-store|no-cache|private/i.test(String(res.getHeader('Cache-Control')))) res.removeHeader('Cache-Control')
}

/** Whether answers of a status have no body (RFC 9110, sections 15.2, 15.3.5, 15.3.6 and 15.4.5). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304
}

/** Takes back what named the bytes of another body than the one that is sent. */
export function dropNamesOfBytes(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) if (NAMED.has(name)) res.removeHeader(name)
}

const NAMED = new Set(NAMES_OF_BYTES.map((name) => name.toLowerCase()))

/** Trailers, as an object or a list of pairs, without those that name the bytes of the body. */
export function withoutNamesOfBytes(trailers: object): [name: string, value: string][] {
  const fields: [string, string][] = Array.isArray(trailers) ? trailers : Object.entries(trailers)
  return fields.filter(([name]) => !NAMED.has(name.toLowerCase()))
}
