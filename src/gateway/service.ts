// The service behind a gateway, and requests for it.
import { type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { Request } from 'express'
import { withQueryOf } from '../http/query'
import { matchOf, pathnameOf } from '../request/place'
import { peekState, type Versioning } from '../request/state'
import { withoutTrailingSlashes } from '../routes/pattern'
import { pathParameterOf } from '../schemes/carriers'

/** A service behind a gateway. */
export interface Service {
  readonly target: URL
  /** The number of milliseconds that it has for the head of a response. */
  readonly timeout: number
}

/** Returns the path and query of a request at the service, which has no versions in its paths. */
export function addressOf({ target }: Service, req: Request): string {
  const path = withoutVersion(req, pathnameOf(req) as string)
  return withoutTrailingSlashes(target.pathname) + withQueryOf(path, req.url)
}

/** Takes the version out of a path where the table has it, such as `{/:version}`. A mount has taken its own. */
function withoutVersion(req: Request, path: string): string {
  const state = peekState(req)
  if (typeof state?.version !== 'string') return path
  const parameter = String(pathParameterOf((state.config as Versioning).scheme.carriers(state.version)))
  const value = matchOf(state.place)?.params[parameter]
  if (typeof value !== 'string' || parameter in req.params) return path
  const segments = path.split('/')
  const at = segments.findIndex((segment) => segment === value || segment === encodeURIComponent(value))
  return segments.filter((_, index) => index !== at).join('/')
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
