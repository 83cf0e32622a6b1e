// The header fields by which a client asks for a response under a condition, or for a part of it.
import type { IncomingMessage } from 'node:http'

/** The fields that select a part of the response (RFC 9110, sections 13.1.5 and 14.2). Servers may ignore them. */
export const RANGES: readonly string[] = ['range', 'if-range']

/** The fields that select a part of the response, or none (RFC 9110, section 13.1). */
export const CONDITIONS: readonly string[] = [
  ...RANGES,
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]

/**
 * Hides header fields of a request from everything that reads them later.
 *
 * @param names in lower case.
 * @returns a function that shows them again; `undefined` if the request has none of them.
 */
export function hideFields(req: IncomingMessage, names: readonly string[]): (() => void) | undefined {
  const { headers, rawHeaders } = req
  const hidden = names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]] as const)
  if (hidden.length === 0) return undefined
  for (const [name] of hidden) Reflect.deleteProperty(headers, name)
  // Names and values alternate.
  req.rawHeaders = rawHeaders.filter((_, at) => !names.includes((rawHeaders[at - (at % 2)] as string).toLowerCase()))
  return () => {
    Object.assign(req.headers, Object.fromEntries(hidden))
    req.rawHeaders = rawHeaders
  }
}
