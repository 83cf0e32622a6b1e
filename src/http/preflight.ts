// The check for CORS preflights.
import type { IncomingMessage } from 'node:http'

/** Tells whether a request is a CORS preflight (Fetch standard, "CORS-preflight request"). */
export function isPreflight(req: IncomingMessage): boolean {
  return (
    req.method === 'OPTIONS' &&
    req.headers.origin !== undefined &&
    req.headers['access-control-request-method'] !== undefined
  )
}
