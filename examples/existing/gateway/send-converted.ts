// Sends converted bodies to the service behind a gateway.
import type { ClientRequest } from 'node:http'
import type { Request } from 'express'

/**
 * Writes the converted body into the request for the service. For any proxy that pipes `req` after it, such as
 * `createProxyMiddleware({ target, on: { proxyReq: sendConverted } })` of http-proxy-middleware.
 */
export function sendConverted(proxyReq: ClientRequest, req: Request): void {
  // Bodies that nobody parsed are still streams: the proxy pipes them. The type is that of the parser, `express.json()`.
  if (req.body === undefined || !req.is('application/json')) return
  const body = JSON.stringify(req.body)
  // The client's body may have been chunked, compressed or in UTF-16; this one is not.
  for (const name of ['Transfer-Encoding', 'Content-Encoding']) proxyReq.removeHeader(name)
  proxyReq.setHeader('Content-Type', 'application/json')
  proxyReq.setHeader('Content-Length', Buffer.byteLength(body))
  proxyReq.write(body)
}
