// The `Location` of a service: the path that the client's version has.
import type { Request } from 'express'
import { attemptFor } from '../request/link'
import { isBelow, withoutSlash } from '../request/place'
import { peekState, type RequestState } from '../request/state'
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
  const isInternal = url.host === target.host
  if (!isInternal && url.host !== req.headers.host?.toLowerCase()) return location
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
  const { place, baseUrl } = state
  const plain = withoutSlash(state.publicPath + baseUrl) + path
  // GET first: clients follow most locations with it.
  for (const method of ['GET', req.method]) {
    const match = place?.table.walk(path, method, undefined, place).match
    if (typeof match?.viewName !== 'string' || !place?.table.serves(match.viewName, method)) continue
    const link = attemptFor(req, match.viewName, { kwargs: match.params })
    if (typeof link === 'string') return decodeURI(link) === decodeURI(plain) ? plain : link
  }
  return plain
}
