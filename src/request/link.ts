import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import { normalizedOrigin, requestOrigin } from '../http/host'
import type { LinkFailure, SchemeLinkOptions } from '../types'
import { shown } from '../util/options'
import { rootOf } from './place'
import { appendQueryAndHash } from './query-and-hash'
import { peekState } from './state'

const NO_TABLE =
  'No route table in sight: give versioning() the root namedRoutes() table as `routes`, or make the link inside a table that handles the request.'

/** The version a link is for: the one asked for, else the request's own; `null` for none. */
export function linkedVersion(options: SchemeLinkOptions): string | null {
  return options.version === undefined ? (options.request?.version ?? null) : options.version
}

// What a mount path of ordinary segments never has: another start than a slash, `//`, a slash at its end (a wildcard's mount
// has, for `GET //`), dot segments (percent-encoded ones count, WHATWG URL 4.3), a backslash (a slash to browsers), or
// characters that are no URL code points.
const SUSPECT = /^[^/]|\/\/|\/$|\\|\/(?:\.|%2e)|[^!-~]|["<>^`{|}]/i

/** The mount path as a link may start with it: the client chose its bytes, so it is made safe, or refused. */
function safeMount(baseUrl: string): string {
  if (!SUSPECT.test(baseUrl)) return baseUrl
  const dots = baseUrl.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (dots || !baseUrl.startsWith('/') || baseUrl.startsWith('//') || baseUrl.endsWith('/')) {
    throw new NoReverseMatch('The path that this request was mounted at cannot start a link.', { status: 400 })
  }
  return baseUrl.replace(/[^!-~]|[\\"<>^`{|}]/gu, encodeURIComponent)
}

/**
 * The origin of an absolute link: the call's, else that of `versioning()`, else the request's own.
 *
 * @throws {NoReverseMatch} when the one that decides is no http(s) origin, or the request's host is not allowed.
 */
export function linkOrigin(options: SchemeLinkOptions): string {
  const config = peekState(options.request)?.config
  if (options.origin !== undefined) {
    const origin = normalizedOrigin(String(options.origin))
    if (origin !== undefined) return origin
    throw new NoReverseMatch(
      `"origin" takes an origin such as 'https://api.example.com'; got ${shown(options.origin)}.`,
    )
  }
  return config?.origin ?? requestOrigin(options.request as Request, config?.allowedHosts)
}

/**
 * The standard reversal, which knows nothing of versions: the named route's path below its mount, with query and fragment,
 * and with an origin when `absolute`.
 *
 * @throws {NoReverseMatch} when there is no table, no such name, or the arguments do not fit.
 */
export function buildLink(viewname: string, options: SchemeLinkOptions): string {
  const root = rootOf(peekState(options.request))
  if (root === undefined) throw new NoReverseMatch(NO_TABLE)
  const { args, format } = options
  const kwargs = format === undefined || format === null ? options.kwargs : { ...options.kwargs, format }
  const path = root.table.link(viewname, args, kwargs)
  if (typeof path !== 'string') throw unreversed(path)
  const link = appendQueryAndHash(safeMount(root.baseUrl) + path, options)
  return options.absolute === true ? linkOrigin(options) + link : link
}

/** An error for a name that gave no link. It is often caught (a fallback follows), so near names are left to who gives up. */
function unreversed(failure: LinkFailure): NoReverseMatch {
  return new NoReverseMatch(`No link: "${failure.viewName}" ${failure.reason}.`, { failures: [failure] })
}

/** Whether a request's table has a route of that name. */
export function hasView(request: Request | undefined, viewname: string): boolean {
  return rootOf(peekState(request))?.table.has(viewname) ?? false
}
