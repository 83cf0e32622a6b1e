import { NoReverseMatch } from '../errors'
import { normalizedOrigin } from '../http/host'
import { encodeReference, isPathPrefix } from '../http/reference'
import type { VersionCarrier } from '../types'
import { badOption } from '../util/options'

/** A host with a place for a version, which is its first label, and what stands behind that. */
const THREE_LABELS = /^[a-z0-9]+(\.[a-z0-9]+\.[a-z0-9]+)$/

const TAKES =
  "a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'"

/** The `Host` field of a version below a host. */
export function hostHeader(owner: string, version: string, host: unknown): string {
  const origin = typeof host === 'string' && !host.endsWith('/') ? normalizedOrigin(`http://v.${host}`) : undefined
  if (origin === undefined || !THREE_LABELS.test(new URL(origin).hostname)) throw badOption(owner, 'host', TAKES, host)
  return `${version}.${host}`
}

/**
 * What URLs start with: the origin, and what a proxy takes off the path.
 *
 * @throws {NoReverseMatch} for a base that is neither, and for a host that cannot carry a version for which it has a place.
 */
export function urlStart(base: string | URL | undefined, carrier: VersionCarrier): string {
  const text = String(base)
  const slash = text.indexOf('/', text.indexOf('://') + 3)
  const origin = normalizedOrigin(slash === -1 ? text : text.slice(0, slash))
  // One slash at the end is how a URL is written; what is put behind it starts with its own.
  const prefix = slash === -1 ? '' : text.slice(slash, text.endsWith('/') ? -1 : undefined)
  if (origin === undefined || !(prefix === '' || isPathPrefix(prefix))) {
    throw new NoReverseMatch(`url() takes a base such as 'http://127.0.0.1:3000' or 'https://example.com/shop'.`, {
      unfit: [base],
    })
  }
  return (carrier.in === 'host' ? switched(origin, carrier.value) : origin) + encodeReference(prefix)
}

/** An origin with the version in its host, if that has a place for one. */
function switched(origin: string, version: string): string {
  const { protocol, hostname, port } = new URL(origin)
  const rest = THREE_LABELS.exec(hostname)?.[1]
  if (rest === undefined) return origin
  const result = normalizedOrigin(`${protocol}//${version}${rest}${port === '' ? '' : `:${port}`}`)
  // A URL's host is lower case, whatever the version is.
  if (result !== undefined && new URL(result).hostname === version + rest) return result
  throw new NoReverseMatch('The host of a URL cannot carry that version: send "headers.Host" to the server itself.', {
    unfit: [version],
  })
}
