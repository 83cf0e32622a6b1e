import type { Request } from 'express'

/**
 * The hostname that a request addresses, by Express's rules: `X-Forwarded-Host` counts only where `trust proxy` says so.
 * Reads the raw header when there is nothing to decide. May still carry a port.
 */
export function requestHost(req: Request): string | undefined {
  return req.headers['x-forwarded-host'] === undefined ? req.headers.host : (req.hostname as string | undefined)
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
  const trusts = req.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean
  return trusts(req.socket.remoteAddress, 0) ? (forwarded.split(',', 1)[0] as string).trim() : req.headers.host
}
