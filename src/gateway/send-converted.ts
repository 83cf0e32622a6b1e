// Sends converted bodies to the service behind a gateway.
import type { ClientRequest } from 'node:http'
import { stringify } from 'node:querystring'
import type { Request } from 'express'
import { decodableIn } from '../http/encoding'
import { isJsonType } from '../http/json'
import { peekState } from '../request/state'

/**
 * Writes the body that a parser has read, and `convertRequest.with()` converted, into the request for the service. It is for any proxy
 * that pipes the request afterwards, such as http-proxy-middleware. A body that nobody has read stays a stream, and the proxy pipes it.
 * Of a response that is converted, it asks for encodings that are decoded here only.
 *
 * @example createProxyMiddleware({ target, on: { proxyReq: sendConverted } })
 */
export function sendConverted(proxyReq: ClientRequest, req: Request): void {
  const { body, readableEnded, headers } = req as Omit<Request, 'body'> & { readonly body: unknown }
  if (proxyReq.headersSent) return
  const accepted = headers['accept-encoding']
  if (accepted !== undefined && peekState(req)?.exchange?.operation?.plan.responses.convert)
    proxyReq.setHeader('Accept-Encoding', decodableIn(String(accepted)) || 'identity')
  if (body === undefined || !readableEnded) return
  const type = headers['content-type']
  const text = bytesOf(body, type)
  if (text === undefined) return
  // The client's body may have been chunked, compressed or in UTF-16; this one is not.
  for (const name of ['Transfer-Encoding', 'Content-Encoding']) proxyReq.removeHeader(name)
  if (type !== undefined) proxyReq.setHeader('Content-Type', withoutCharset(type))
  proxyReq.setHeader('Content-Length', Buffer.byteLength(text))
  proxyReq.write(text)
}

function bytesOf(body: unknown, type: string | undefined): string | Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  if (isJsonType(type)) return JSON.stringify(body)
  if (typeof body === 'string') return body
  return /^\s*application\/x-www-form-urlencoded\b/i.test(String(type)) ? stringify(Object(body)) : undefined
}

function withoutCharset(type: string): string {
  return type
    .split(';')
    .filter((part) => !/^\s*charset=/i.test(part))
    .join(';')
}
