// The header fields that describe a body, and the statuses that have one.
import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'

/** The header fields that identify the bytes of a body (RFC 9110, section 8.8; RFC 9530; the unencoded digest draft; RFC 1864). */
const NAMES_OF_BYTES = [
  'ETag',
  'Last-Modified',
  'Content-Digest',
  'Repr-Digest',
  'Unencoded-Digest',
  'Content-MD5',
  'Digest',
]

/** The header fields that describe a body, except its type (RFC 9110, section 8; RFC 9111, section 5). */
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
  'Transfer-Encoding',
]

/** Removes the header fields of a body that another one replaces, except its type. */
export function dropRepresentation(res: ServerResponse): void {
  for (const name of REPRESENTATION) res.removeHeader(name)
  // The other body was to be cached, not this one. A ban on caching still holds.
  if (!/no-store|no-cache|private/i.test(String(res.getHeader('Cache-Control')))) res.removeHeader('Cache-Control')
}

/** Sets the reason phrase of a response, which HTTP/2 does not have (RFC 9113, section 8.3.1). */
export function setReason(res: ServerResponse, reason: string): void {
  if (res.req.httpVersionMajor < 2) res.statusMessage = reason
}

/** Returns the status that Node sends for a value: `'200'` and `200.7` are 200. */
export function toStatus(value: unknown): number {
  return (value as number) | 0
}

/** Returns the status of a response as Node sends it. */
export function statusIn({ statusCode }: Pick<ServerResponse, 'statusCode'>): number {
  return toStatus(statusCode)
}

/** Tells whether responses of a status have no body (RFC 9110, sections 15.2, 15.3.5, 15.3.6 and 15.4.5). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304
}

/** Tells whether responses of a status are a success with a body. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && !isBodyless(status)
}

/** Tells whether a status is that of an error. Node sends 600 and more too, which HTTP does not know: nothing may pass with it. */
export function isError(status: number): boolean {
  return status >= 400 && status < 600
}

/** Removes the header fields that identify the bytes of another body. */
export function dropNamesOfBytes(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) if (NAMED.has(name)) res.removeHeader(name)
}

const NAMED = new Set(NAMES_OF_BYTES.map((name) => name.toLowerCase()))

/** Returns trailers, from an object or a list of pairs, without those that identify the bytes of the body. */
export function withoutNamesOfBytes(trailers: object): [name: string, value: string][] {
  const fields: [string, string][] = Array.isArray(trailers) ? trailers : Object.entries(trailers)
  return fields.filter(([name]) => !NAMED.has(name.toLowerCase()))
}

/**
 * The fields that stay in an error in the place of another response: a ban on caching, those of the connection and the clock, and the
 * pseudo-field of HTTP/2.
 */
const OF_NO_RESPONSE = new Set(['cache-control', 'connection', 'keep-alive', 'date', ':status'])

/** The header fields of a response: names in lower case, and their values. */
export type Fields = ReadonlyMap<string, OutgoingHttpHeader | undefined>

/** Copies the header fields of a response. */
export function fieldsOf(res: ServerResponse): Fields {
  // `res.getHeaders()` makes an object without a prototype, which takes twice as long as this map.
  const fields = new Map<string, OutgoingHttpHeader | undefined>()
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name)
    // Node adds to lists in place.
    fields.set(name, Array.isArray(value) ? [...value] : value)
  }
  return fields
}

/**
 * Takes a response back, so that an error can be sent in its place: its status, its body, and the header fields that were set for it.
 *
 * @param fields the header fields in front of its handler.
 */
export function takeBackResponse(res: ServerResponse, fields: Fields): void {
  for (const name of new Set([...res.getHeaderNames(), ...fields.keys()])) {
    const value = fields.get(name)
    if (OF_NO_RESPONSE.has(name) || isDeepStrictEqual(res.getHeader(name), value)) continue
    if (value === undefined) res.removeHeader(name)
    else res.setHeader(name, value)
  }
  dropRepresentation(res)
  res.removeHeader('Content-Type')
  res.statusCode = 500
  setReason(res, '')
}
