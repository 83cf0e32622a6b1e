import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { normalizedOrigin, requestAuthority, trustsForwardedHost } from '../http/host'
import { appendVary } from '../http/vary'
import type { LinkOptions } from '../types'
import { peekState } from './state'

/**
 * The origin of an absolute link: the call's, else that of `versioning()`, else the request's own.
 *
 * @throws {NoReverseMatch} when the one that decides is no http(s) origin; with status 400 when the request's own is malformed
 *   or its host is not allowed.
 */
export function linkOrigin({ origin }: LinkOptions, request: Request): string {
  if (origin !== undefined) return checkedOrigin(origin)
  const config = peekState(request)?.config
  return config?.origin ?? requestOrigin(request, config?.allowedHosts)
}

/** @throws {NoReverseMatch} for anything but an http(s) origin. */
export function checkedOrigin(origin: unknown): string {
  const normalized = normalizedOrigin(String(origin))
  if (normalized !== undefined) return normalized
  throw new NoReverseMatch(`"origin" takes an origin such as 'https://api.example.com'.`, { unfit: [origin] })
}

/**
 * The origin a request was sent to, without the dot that ends an absolute name. Where a trusted proxy says it, `Vary` names the
 * fields, be they there or not.
 *
 * @throws {NoReverseMatch} with status 400 when the request's own protocol or host is malformed or not one of `allowedHosts`.
 */
export function requestOrigin(req: Request, allowedHosts: ReadonlySet<string> | undefined): string {
  if (req.res !== undefined && trustsForwardedHost(req)) appendVary(req.res, 'X-Forwarded-Host, X-Forwarded-Proto')
  const authority = requestAuthority(req)?.replace(/\.(?=:|$)/, '')
  const origin = authority === undefined ? undefined : normalizedOrigin(`${req.protocol}://${authority}`)
  if (origin === undefined) {
    throw new NoReverseMatch('The host of this request cannot start a link.', { status: 400 })
  }
  if (allowedHosts !== undefined && !allowedHosts.has(new URL(origin).host)) {
    throw new NoReverseMatch('The host of this request is not one of the allowed hosts.', { status: 400 })
  }
  return origin
}
