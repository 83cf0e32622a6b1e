// The header fields of a request for the service behind a gateway, and of its response for the client.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import { requestAuthority, trustsForwardedHost } from '../http/host'

/** The fields about one connection (RFC 9110, section 7.6.1). Node has answered `Expect`. */
const OF_CONNECTIONS: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
]

/** Returns the fields of a message that are about the message, not about its connection. */
export function endToEnd(fields: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = String(fields.connection)
    .toLowerCase()
    .split(/[\s,]+/)
  const dropped = new Set([...OF_CONNECTIONS, ...named])
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.has(name) && !name.startsWith(':')))
}

/** Returns the fields of a request for the service, with `X-Forwarded-*` as the app's `trust proxy` says. */
export function fieldsFor(req: Request): OutgoingHttpHeaders {
  const remoteAddress = String(req.socket.remoteAddress)
  const fields = endToEnd(req.headers)
  // Node would not frame the body of other methods than POST and its like.
  if (req.headers['transfer-encoding'] !== undefined) fields['transfer-encoding'] = 'chunked'
  const isTrusted = trustsForwardedHost(req)
  // A client that is no proxy of ours could say anything.
  if (!isTrusted)
    for (const name of Object.keys(fields)) if (/^(?:x-forwarded-.*|forwarded)$/.test(name)) delete fields[name]
  const before = fields['x-forwarded-for']
  fields['x-forwarded-for'] = before === undefined ? remoteAddress : `${before}, ${remoteAddress}`
  fields['x-forwarded-proto'] = req.protocol
  const host = requestAuthority(req)
  if (host !== undefined) fields['x-forwarded-host'] = host
  return fields
}
