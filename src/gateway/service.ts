// The service behind a gateway, and requests for it.
import { type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { Request } from 'express'
import { withQueryOf } from '../http/query'
import { pathnameOf } from '../request/place'
import { withoutTrailingSlashes } from '../routes/pattern'

/** A service behind a gateway. */
export interface Service {
  readonly target: URL
  /** The number of milliseconds that it has for the head of a response. */
  readonly timeout: number
}

/** Returns the path and query of a request at the service. */
export function addressOf({ target }: Service, req: Request): string {
  return withoutTrailingSlashes(target.pathname) + withQueryOf(pathnameOf(req) ?? '/', req.url)
}

/** Makes a request for a service. Each has a connection of its own: a kept one may be closed by the service at any time. */
export function ask(
  { target }: Service,
  { method, path, headers }: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders },
): ClientRequest {
  const { protocol, port } = target
  const host = target.hostname.replace(/^\[(.*)\]$/, '$1')
  const options = {
    host,
    port,
    method,
    path,
    headers: { host: target.host, ...headers },
    agent: false as const,
    setHost: false,
  }
  return protocol === 'https:' ? requestByTls({ ...options, servername: host }) : request(options)
}
