// The `Location` of a service: the path that the client's version has.
import type { Request } from 'express'
import { hostnameOf, isSameHost, requestAuthority } from '../http/host'
import { attemptFor } from '../request/link'
import { isBelow, withoutSlash } from '../request/place'
import { peekState, type RequestState, type Root } from '../request/state'
import { withoutTrailingSlashes } from '../routes/pattern'

/**
 * Returns the `Location` of a response for the client of a request. An address of the service becomes one of the gateway: at its mount,
 * in the client's version, at the path that the operation has there. Addresses of others stay.
 *
 * @param target the address of the service.
 */
export function locationFor(req: Request, location: string, target: URL, path: string): string {
  const base = target.origin + path
  if (!URL.canParse(location, base)) return location
  const url = new URL(location, base)
  const isAbsolute = /^[a-z][a-z\d+.-]*:|^[/\\]{2}/i.test(location)
  const hosts = [req.headers.host, requestAuthority(req)].map(String)
  const isOwn = hosts.some((host) => isSameHost(url.host, host, url.protocol.slice(0, -1)))
  // A service may write the name that the client asked for, with its own port.
  const isNamed = url.port === target.port && hosts.some((host) => hostnameOf(host).toLowerCase() === url.hostname)
  const isInternal = !isOwn && (url.host === target.host || isNamed)
  if (!isOwn && !isInternal) return location
  const mount = withoutTrailingSlashes(target.pathname)
  if (!isBelow(url.pathname, mount)) return isInternal && isAbsolute ? behindOrigin(url) : location
  const own = linkTo(req, url.pathname.slice(mount.length) || '/')
  if (own === url.pathname && !(isAbsolute && isInternal)) return location
  const origin = isAbsolute && !isInternal ? url.origin : ''
  return origin + own + url.search + url.hash
}

function behindOrigin({ pathname, search, hash }: URL): string {
  return pathname + search + hash
}

/** Returns the link to a path of the service in the version of a request. */
function linkTo(req: Request, path: string): string {
  const state = peekState(req) as RequestState
  const plain = withoutSlash(state.publicPath + state.baseUrl) + path
  const link = state.place && linkIn(state, state.place, req, path)
  return link === undefined || isSame(link, plain) ? plain : link
}

function linkIn(
  { decision, changes, version }: RequestState,
  place: Root,
  req: Request,
  path: string,
): string | undefined {
  // GET first: clients follow most locations with it.
  for (const method of ['GET', req.method]) {
    const { viewName, params } = { ...place.table.walk(path, method, undefined, place).match }
    if (typeof viewName !== 'string' || !place.table.serves(viewName, method)) continue
    // A client that named no version goes on without one.
    if (decision.named === false && changes?.moves?.linkedIn(viewName, version as string | null) === undefined)
      return undefined
    const link = attemptFor(req, viewName, { kwargs: params })
    if (typeof link === 'string') return link
  }
  return undefined
}

/** Tells whether two paths are the same, whatever their escapes. */
function isSame(one: string, other: string): boolean {
  try {
    return decodeURI(one) === decodeURI(other)
  } catch {
    return false
  }
}
