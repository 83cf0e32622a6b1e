import type { Request } from 'express'

/**
 * The hostname that a request addresses, by Express's rules: `X-Forwarded-Host` counts only where `trust proxy` says so.
 * Reads the raw header when there is nothing to decide, and where there is no Express to ask. May still carry a port.
 */
export function requestHost(req: Request): string | undefined {
  const forwarded = req.headers['x-forwarded-host'] === undefined ? undefined : (req.hostname as string | undefined)
  return forwarded ?? req.headers.host ?? http2Authority(req)
}

/** The name in a host: without a port, and without the dot that ends an absolute name (`v1.example.com.`, RFC 1034, section 3.1). */
export function hostnameOf(host: string): string {
  const colon = host.indexOf(':')
  const hostname = colon === -1 ? host : host.slice(0, colon)
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

/** Whether `X-Forwarded-Host` counts for this connection, be it there or not. */
export function trustsForwardedHost(req: Request): boolean {
  // Behind `router` alone there is no app.
  const trusts = (req.app as Request['app'] | undefined)?.get('trust proxy fn')
  return trusts?.(req.socket.remoteAddress, 0) === true
}

/** Field of HTTP/2 that takes the place of `Host` (RFC 9113, section 8.3.1). */
function http2Authority(req: Request): string | undefined {
  return req.headers[':authority'] as string | undefined
}

/**
 * Whether a request names one host and no other: a second `Host` line, which Node drops, or an absolute target or an
 * `:authority` of another host leave open which of them a proxy in front went by (RFC 9112, section 3.2; RFC 9113, section 8.3.1).
 */
export function namesOneHost(req: Request): boolean {
  if (repeatsHost(req.rawHeaders)) return false
  const { host } = req.headers
  const authority = http2Authority(req)
  if (authority !== undefined && host !== undefined && !isSameHost(authority, host, String(req.headers[':scheme'])))
    return false
  const target = req.originalUrl ?? req.url
  if (target.startsWith('/')) return true
  const [, scheme, named] = ABSOLUTE.exec(target) ?? []
  return scheme === undefined || isSameHost(named as string, host ?? authority, scheme)
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i

/** `rawHeaders` are names and values in turn; a request that was made by hand may have none. */
function repeatsHost(rawHeaders: readonly string[] = []): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

const DEFAULT_PORT: Readonly<Record<string, RegExp>> = { http: /:(?:80)?$/, https: /:(?:443)?$/ }

function isSameHost(one: string, other: string | undefined, scheme: string): boolean {
  const port = DEFAULT_PORT[scheme.toLowerCase()] ?? /:$/
  const bare = (host: string) => host.toLowerCase().replace(port, '')
  return other !== undefined && bare(one) === bare(other)
}

/**
 * An origin in its serialized form (RFC 6454, section 6.2), or `undefined` for anything that is more or less than an http(s) one.
 *
 * @example normalizedOrigin('https://API.example.com:443/') // 'https://api.example.com'
 */
export function normalizedOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  // What `new URL` repairs silently (credentials, paths, backslashes, tabs, stray characters) must not have been there.
  const bare = text.toLowerCase().replace(/\/$/, '')
  const withPort = url.port === '' ? `${url.origin}:${url.protocol === 'https:' ? 443 : 80}` : url.origin
  return bare === url.origin || bare === withPort ? url.origin : undefined
}

/** The host and port a request was sent to; as `req.host` of Express 5, which Express 4 gives without the port. */
export function requestAuthority(req: Request): string | undefined {
  const forwarded = req.headers['x-forwarded-host']
  if (typeof forwarded !== 'string' || forwarded === '') return req.headers.host
  return trustsForwardedHost(req) ? (forwarded.split(',', 1)[0] as string).trim() : req.headers.host
}
