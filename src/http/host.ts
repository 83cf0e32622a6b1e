// The host that a request addresses, and origins.
import type { Request } from 'express'

/**
 * Returns the hostname that a request addresses, by Express's rules: `X-Forwarded-Host` counts only under `trust proxy`.
 * Reads the raw header where no proxy is trusted or no app is there. The result may carry a port.
 */
export function requestHost(req: Request): string | undefined {
  const forwarded = req.headers['x-forwarded-host'] === undefined ? undefined : (req.hostname as string | undefined)
  return forwarded ?? sentAuthority(req)
}

/** Returns the name in a host: what is in front of the first colon. */
export function hostnameOf(host: string): string {
  const colon = host.indexOf(':')
  return colon === -1 ? host : host.slice(0, colon)
}

/** Tells whether `X-Forwarded-Host` would count for this connection. */
export function trustsForwardedHost(req: Request): boolean {
  // Behind `router` alone there is no app.
  const trusts = (req.app as Request['app'] | undefined)?.get('trust proxy fn')
  return trusts?.(req.socket.remoteAddress, 0) === true
}

/** Returns the HTTP/2 field that replaces `Host` (RFC 9113, section 8.3.1). */
function http2Authority(req: Request): string | undefined {
  return req.headers[':authority'] as string | undefined
}

/** Returns the host and port that the client sent: `Host`, as Express reads it; HTTP/2 may have `:authority` alone. */
function sentAuthority(req: Request): string | undefined {
  return req.headers.host ?? http2Authority(req)
}

/**
 * Tells whether a request names exactly one host. With a second `Host` line, which Node drops, or with another host in the
 * target or in `:authority`, a proxy in front may have read the other one (RFC 9112, section 3.2; RFC 9113, section 8.3.1).
 */
export function namesOneHost(req: Request): boolean {
  if (repeatsHost(req.rawHeaders)) return false
  const { host } = req.headers
  const authority = http2Authority(req)
  if (authority !== undefined && host !== undefined && !isSameHost(authority, host, String(req.headers[':scheme'])))
    return false
  const absolute = ABSOLUTE.exec(req.originalUrl ?? req.url)
  return absolute === null || isSameHost(absolute[2] as string, host ?? authority, absolute[1] as string)
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i

/** Tells whether a request has several `Host` lines. `rawHeaders` alternates names and values; requests made by hand may lack it. */
function repeatsHost(rawHeaders: readonly string[] = []): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

const DEFAULT_PORT: Readonly<Record<string, RegExp>> = { http: /:(?:80)?$/, https: /:(?:443)?$/ }

/** Tells whether two hosts are the same, with or without the port of the scheme. */
export function isSameHost(one: string, other: string | undefined, scheme: string): boolean {
  const port = DEFAULT_PORT[scheme.toLowerCase()] ?? /:$/
  const bare = (host: string) => host.toLowerCase().replace(port, '')
  return other !== undefined && bare(one) === bare(other)
}

/**
 * Returns an http(s) origin in its serialized form (RFC 6454, section 6.2); `undefined` for anything else.
 *
 * @example normalizedOrigin('https://API.example.com:443/') // 'https://api.example.com'
 */
export function normalizedOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  // `new URL` silently repairs credentials, paths, backslashes, tabs and stray characters: reject strings that needed it.
  const bare = text.toLowerCase().replace(/\/$/, '')
  const withPort = url.port === '' ? `${url.origin}:${url.protocol === 'https:' ? 443 : 80}` : url.origin
  return bare === url.origin || bare === withPort ? url.origin : undefined
}

/** Returns the host and port of a request, as `req.host` of Express 5. Express 4 omits the port. */
export function requestAuthority(req: Request): string | undefined {
  const forwarded = req.headers['x-forwarded-host']
  if (typeof forwarded !== 'string' || forwarded === '' || !trustsForwardedHost(req)) return sentAuthority(req)
  return (forwarded.split(',', 1)[0] as string).trim()
}
