// The hosts and URLs of clients.

import { NoReverseMatch } from '../errors'
import { normalizedOrigin } from '../http/host'
import { encodeReference, isPathPrefix } from '../http/reference'
import { isHost } from '../schemes/carriers'
import { versionPlace } from '../survey/versions'
import type { VersionCarrier } from '../types'
import { badOption } from '../util/options'

const TAKES =
  "a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'"

/** Returns the `Host` field of a version below a host. */
export function hostHeader(owner: string, version: string, host: unknown): string {
  const origin = typeof host === 'string' && !host.endsWith('/') ? normalizedOrigin(`http://v.${host}`) : undefined
  if (origin === undefined || !versionPlace(origin)?.isTaken) throw badOption(owner, 'host', TAKES, host)
  return `${version}.${host}`
}

/**
 * Returns the start of URLs: the origin, and the path that a proxy removes.
 *
 * @throws {NoReverseMatch} for another base, and for a host whose first label cannot be that version.
 */
export function urlStart(base: string | URL | undefined, carrier: VersionCarrier): string {
  const text = String(base)
  const slash = text.indexOf('/', text.indexOf('://') + 3)
  const origin = normalizedOrigin(slash === -1 ? text : text.slice(0, slash))
  // URLs are often written with a slash at the end; the path behind it starts with its own.
  const prefix = slash === -1 ? '' : text.slice(slash, text.endsWith('/') ? -1 : undefined)
  if (origin === undefined || !(prefix === '' || isPathPrefix(prefix))) {
    throw new NoReverseMatch(`url() takes a base such as 'http://127.0.0.1:3000' or 'https://example.com/shop'.`, {
      unfit: [base],
    })
  }
  return (isHost(carrier) ? switched(origin, carrier.value) : origin) + encodeReference(prefix)
}

/** Puts the version into the host of an origin that has a place for it. */
function switched(origin: string, version: string): string {
  const place = versionPlace(origin)
  if (!place?.isTaken) return origin
  const result = place.filled(version)
  // A URL's host is lower case.
  if (normalizedOrigin(result) === result) return result
  throw new NoReverseMatch('The host of a URL cannot carry that version: send "headers.Host" to the server itself.', {
    unfit: [version],
  })
}
