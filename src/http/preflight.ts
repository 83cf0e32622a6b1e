import type { IncomingMessage } from 'node:http'

/** Whether a request is a CORS preflight (Fetch standard, "CORS-preflight request"): the browser's question, not the client's. */
export function isPreflight(req: IncomingMessage): boolean {
  return (
    req.method === 'OPTIONS' &&
    req.headers.origin !== undefined &&
    req.headers['access-control-request-method'] !== undefined
  )
}
