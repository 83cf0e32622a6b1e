import type { Request } from 'express'
import parseUrl from 'parseurl'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import type { ResolverMatch, RouteRegistry } from '../types'
import type { Handed, RequestState, Root, Walk } from './state'

/** What `router` reads of a request's url (RFC 9112, section 3.2); `undefined` where it can read nothing. */
export function parsedUrl(
  req: Request,
  parse: (req: Request) => ReturnType<typeof parseUrl> = parseUrl,
): ReturnType<typeof parseUrl> {
  try {
    return parse(req)
  } catch {
    // `url.parse` rejects some ports
    return undefined
  }
}

/** The path of a request as `router` reads it. */
export function pathnameOf(req: Request): string | undefined {
  return parsedUrl(req)?.pathname ?? undefined
}

/** The path of the target as the client sent it, before any mount or rewrite. */
export function originalPathOf(req: Request): string {
  return parsedUrl(req, parseUrl.original)?.pathname ?? '/'
}

/** The table whose names count for a request: the one given to `versioning()`, else the one that is handling it. */
export function rootOf(state: RequestState | undefined): Root | undefined {
  if (state === undefined) return undefined
  const { root, handling } = state
  return root?.given || handling === undefined || handling.table === root?.table ? root : handling
}

/** Where a table's path leads, found when first asked for; `undefined` with no table in sight. */
function walkOf(root: Root | undefined): Walk | undefined {
  if (root === undefined) return undefined
  root.walk ??= root.path === undefined ? NOWHERE : root.table.walk(root.path, root.method, root.isAhead)
  return root.walk
}

/** Has a request pass by the routes whose operations come only in later versions than its own. */
export function passBy(state: RequestState, isAhead: RequestState['isAhead']): void {
  const before = state.isAhead
  if (before === isAhead) return
  state.isAhead = isAhead
  for (const root of [state.root, state.handling]) {
    if (root === undefined) continue
    root.isAhead = isAhead
    const viewName = root.walk?.match?.viewName
    if (before === undefined && (typeof viewName !== 'string' || isAhead?.(viewName) !== true)) continue
    root.walk = undefined
    // The walk that was followed to decide is not the one that is dispatched.
    state.decision.fromWalk = false
  }
}

/** The route that a table's path belongs to; `undefined` with no table in sight. */
export function matchOf(root: Root | undefined): ResolverMatch | null | undefined {
  return walkOf(root)?.match
}

const NOWHERE: Walk = Object.freeze({ match: null })

/**
 * Decides which table a `versioning()` that runs now works on, and where that one is mounted.
 *
 * @param routes the root table it was given; without one, the table that handles the request counts, or an outer root that
 *   contains that table.
 * @returns the error of a misplaced table.
 */
export function anchor(state: RequestState, req: Request, routes: RouteRegistry | undefined): Error | undefined {
  const handling = inForce(state.handling, req)
  const failed = anchorRoot(state, req, routes, handling)
  if (handling !== undefined && state.at !== undefined) followTo(state, req, state.at)
  return blamed(state, req, failed)
}

/** In a route that no walk led to, the route is known already; the path alone may also be another one's. */
function followTo(state: RequestState, req: Request, at: Handed): void {
  const here = `${req.baseUrl}${pathnameOf(req)}`
  const found = withoutSlash(here) === withoutSlash(at.path) ? at.seen() : undefined
  if (found === undefined || state.root === undefined) return
  state.root = { ...state.root, walk: { match: found } }
}

/** A path as it stands in `req.baseUrl`. */
export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function anchorRoot(
  state: RequestState,
  req: Request,
  routes: RouteRegistry | undefined,
  handling: Root | undefined,
): TypeError | undefined {
  const outer = state.root?.given ? state.root : undefined
  const here = (table: RouteRegistry): Root => rootAt(table, req.baseUrl ?? '', pathnameOf(req), req, true)
  if (handling === undefined) {
    state.root = routes === undefined ? undefined : here(routes)
  } else if (routes === undefined) {
    const known = outer !== undefined && outer.table.wayTo(handling.table, '') !== null
    state.root = known ? outer : current(handling, req, false)
  } else if (routes === handling.table) {
    state.root = current(handling, req, true)
  } else if (outer?.table !== routes) {
    if (routes.wayTo(handling.table, handling.baseUrl) === null) state.root = here(routes)
    else {
      // Inside one of the root's tables, with nobody to say where the root is mounted: it must describe the app.
      const path = pathnameOf(req)
      state.root = rootAt(routes, '', path === undefined ? undefined : req.baseUrl + path, req, true)
      return misplacement(state.root, handling.table, handling.baseUrl)
    }
  }
  return undefined
}

/** The table that handles the request, with the path as it is now: middleware may have rewritten `req.url` since it was entered. */
function current({ table, baseUrl }: Root, req: Request, given: boolean): Root {
  const path = pathnameOf(req)
  return rootAt(table, baseUrl, path === undefined ? undefined : req.baseUrl.slice(baseUrl.length) + path, req, given)
}

function rootAt(
  table: RouteRegistry,
  baseUrl: string,
  path: string | undefined,
  { method = '' }: Request,
  given: boolean,
): Root {
  return { table, baseUrl, path, method, given, walk: undefined, isAhead: undefined, linkStart: undefined }
}

/** The table that handles a request, unless the request has left it since: one that is dispatched again keeps its state. */
function inForce(handling: Root | undefined, req: Request): Root | undefined {
  return handling !== undefined && isBelow(req.baseUrl, handling.baseUrl) ? handling : undefined
}

/** Whether one mount path is another, or goes on behind it: `/api2` is not below `/api`. */
function isBelow(path: string, mount: string): boolean {
  const behind = path.charAt(mount.length)
  return path.startsWith(mount) && (behind === '' || behind === '/')
}

/**
 * Notes that a table handles the request, unless one does already.
 *
 * @returns the error of a table that is entered elsewhere than the root given to `versioning()` says: links and versions are
 *   read from what the root says, so both would be silently wrong.
 */
export function enter(state: RequestState, req: Request, table: RouteRegistry): Error | undefined {
  const { baseUrl } = req
  const { root } = state
  const same = root?.given && root.table === table && root.baseUrl === baseUrl
  if (inForce(state.handling, req) === undefined) {
    state.handling = same ? root : { ...rootAt(table, baseUrl, pathnameOf(req), req, false), isAhead: state.isAhead }
  }
  return root?.given && !same ? blamed(state, req, misplacement(root, table, baseUrl)) : undefined
}

/**
 * The error of a misplaced table, unless the client is to blame: of a target that `router` reads in other characters than it has
 * (`http://a/v{1/users`), mounts cut off the wrong part, and what comes after is somewhere else. Such a request is refused.
 */
function blamed(state: RequestState, req: Request, error: TypeError | undefined): Error | undefined {
  if (error === undefined || isPlain(req)) return error
  return isPreflight(req) ? undefined : (state.config?.scheme.invalidVersion() ?? new NotFound())
}

/** Whether the path that `router` reads of a target is in it to the letter. */
function isPlain(req: Request): boolean {
  return req.originalUrl.includes(originalPathOf(req))
}

function misplacement(root: Root, table: RouteRegistry, baseUrl: string): TypeError | undefined {
  return wayFrom(root, table, baseUrl) === undefined ? misplaced(root, table, baseUrl) : undefined
}

/** What the root says of the way to a table that was entered; `undefined`: it says that the table stands elsewhere. */
export function wayFrom(root: Root, table: RouteRegistry, baseUrl: string): ResolverMatch | undefined | null {
  if (!baseUrl.startsWith(root.baseUrl)) return root.table.wayTo(table, '') === null ? null : undefined
  return root.table.wayTo(table, baseUrl.slice(root.baseUrl.length))
}

function misplaced(root: Root, table: RouteRegistry, baseUrl: string): TypeError {
  const mount = root.baseUrl
  const places = root.table.placesOf(table).map((place) => (place === '/' ? mount || '/' : mount + place))
  return new TypeError(
    `A route table was entered at "${baseUrl || '/'}", but the root table given to versioning({ routes }) says that it stands at ${places.map((place) => `"${place}"`).join(' or ')}. ` +
      "Give versioning() the mount too: app.use('/api', versioning({ ..., routes: api }), api); " +
      "or describe it: routes: namedRoutes({}).include('/api', api), beside app.use('/api', api).",
  )
}
