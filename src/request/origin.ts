// Finds the origin of absolute links.
import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { normalizedOrigin, requestAuthority, trustsForwardedHost } from '../http/host'
import { appendVary } from '../http/vary'
import type { LinkOptions } from '../types'
import { peekState } from './state'

/**
 * Returns the origin of an absolute link: that of the call, else that of `versioning()`, else that of the request.
 *
 * @throws {NoReverseMatch} for an origin that is not http(s); with status 400 if the origin of the request is malformed
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
 * Returns the origin that a request was sent to, without the dot that ends an absolute name. With a trusted proxy,
 * `Vary` names the forwarding fields even if the request lacks them.
 *
 * @throws {NoReverseMatch} with status 400 if the protocol or host of the request is malformed, or the host is not in
 *   `allowedHosts`.
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
