// Finds out which route table counts for a request, and where in the table the request is.
import type { Request } from 'express'
import parseUrl from 'parseurl'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import { withQueryOf } from '../http/query'
import type { RouteRegistry, Walk } from '../registry'
import type { ResolverMatch } from '../types'
import {
  Decision,
  type KeptChanges,
  type Move,
  type OpenEntry,
  openRouteOf,
  type RequestState,
  type Root,
  type Versioning,
} from './state'

/**
 * Returns the parts of a request's url as `router` reads them (RFC 9112, section 3.2); `undefined` if it cannot parse
 * the url.
 */
function parsedUrl(
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

/** Returns the path of a request as `router` reads it. */
export function pathnameOf(req: Request): string | undefined {
  return parsedUrl(req)?.pathname ?? undefined
}

/** Returns the path of the target as the client sent it, before any mount or rewrite. */
export function originalPathOf(req: Request): string {
  return parsedUrl(req, parseUrl.original)?.pathname ?? '/'
}

/**
 * Notes the table whose names count for a request: the table given to `versioning()`, else the table that handles the
 * request.
 */
function settle(state: RequestState): void {
  const { root, handling } = state
  state.place = root?.given || handling === undefined || handling.table === root?.table ? root : handling
}

/** Returns the route that the path of a root belongs to. It is looked up once; `undefined` without a table. */
export function matchOf(root: Root | undefined): ResolverMatch | null | undefined {
  if (root === undefined) return undefined
  root.walk ??= root.path === undefined ? NOWHERE : root.table.walk(root.path, root.method, root.isSkipped, root)
  return root.walk.match
}

const NOWHERE: Walk = Object.freeze({ match: null })

/** Makes a request skip the routes whose operations exist only in later versions. */
export function skipRoutes(state: RequestState, isSkipped: RequestState['isSkipped']): void {
  const before = state.isSkipped
  state.isSkipped = isSkipped
  for (const root of [state.root, state.handling]) {
    if (root === undefined || (before === isSkipped && root.isSkipped === isSkipped)) continue
    root.isSkipped = isSkipped
    const viewName = root.walk?.match?.viewName
    if (before === undefined && (typeof viewName !== 'string' || isSkipped?.(viewName) !== true)) continue
    root.walk = undefined
    // The dispatched walk differs from the walk that decided the version.
    state.decision.fromWalk = false
  }
}

/**
 * Begins the work of a `versioning()`. It decides which table counts, and where that table is mounted: the table given
 * to it; without one, the table that handles the request, or an outer root that contains that table. The decision of an
 * outer `versioning()` is forgotten: the last one that runs wins.
 *
 * @returns the error of a misplaced table.
 */
export function begin(state: RequestState, req: Request, config: Versioning): Error | undefined {
  state.kept = config.changes === undefined ? keptIn(state) : undefined
  const isLeft = state.kept === undefined && state.moved !== undefined && openRouteOf(state, req) === undefined
  if (isLeft) takeBack(state, req, state.moved as Move)
  const handling = inForce(state.handling, req)
  const failed = anchor(state, req, config.routes, handling)
  readPrefixes(state, config)
  if (handling !== undefined && state.at !== undefined) followTo(state, req, state.at)
  settle(state)
  if (failed !== undefined) return blamed(state, req, failed)
  if (state.config !== undefined) state.outer = [...state.outer, state.config]
  state.config = config
  state.baseUrl = req.baseUrl ?? ''
  state.params = req.params
  if (config.publicPath !== undefined) state.publicPath = config.publicPath
  state.version = undefined
  state.decision = new Decision()
  if (state.kept === undefined) {
    state.exchange?.restart()
    skipRoutes(state, undefined)
  } else keepChanges(state, state.kept)
  return undefined
}

/** Returns the changes of the outer `versioning()` that stay in force, if an inner one brings none. */
function keptIn({ kept, config, version, place, isSkipped }: RequestState): RequestState['kept'] {
  const isFirst = kept === undefined && config?.changes !== undefined
  // Changes come with a table.
  return isFirst ? { config, version, place: place as Root, isSkipped, namespace: '' } : kept
}

/** Notes which of the names in a history are those of the table that counts now. */
function keepChanges(state: RequestState, kept: KeptChanges): void {
  const { place, isSkipped } = kept
  const { root = place } = state
  const way = root.table === place.table ? [] : wayFrom(place, root.table, root.baseUrl)?.namespaces
  const namespace = way?.map((name) => `${name}:`).join('')
  state.kept = { ...kept, namespace }
  const isLater = isSkipped && namespace !== undefined ? (name: string) => isSkipped(namespace + name) : undefined
  skipRoutes(state, isLater)
}

/** Takes back the move of an outer `versioning()`, unless a router has removed more than the common prefix. */
function takeBack(state: RequestState, req: Request, { from, to }: Move): void {
  state.moved = undefined
  const { baseUrl } = req
  const path = String(pathnameOf(req))
  if (baseUrl + path !== to || !isBelow(from, baseUrl)) return
  if (sendTo(req, path, from.slice(baseUrl.length) || '/') && state.handling !== undefined) goTo(state.handling, from)
}

/** Gives a root another path of the request below the app. */
export function goTo(root: Root, path: string): void {
  root.path = path.slice(root.baseUrl.length) || '/'
  root.walk = undefined
}

/**
 * Replaces the path in `req.url`. Its origin and its query stay.
 *
 * @param before the path as `router` reads it.
 * @returns `false` if a router would remove the first slash of the new path.
 */
export function sendTo(req: Request, before: string, path: string): boolean {
  const { url } = req
  const origin = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = origin === -1 ? 0 : url.indexOf('/', origin + 3)
  // For a mount without a slash behind it, routers add one, and remove it later.
  const isAdded = before === '/' && req.baseUrl !== '' && !originalPathOf(req).endsWith('/')
  if (isAdded || start === -1) return false
  req.url = withQueryOf(url.slice(0, start) + path, url)
  return true
}

/** Notes which strings in optional prefixes are versions. A scheme that does not read them leaves that to an outer one. */
function readPrefixes(state: RequestState, { isStray }: Versioning): void {
  if (isStray !== undefined) state.isStray = isStray
  readBy(state.root, state.isStray)
  readBy(state.handling, state.isStray)
}

function readBy(root: Root | undefined, isStray: RequestState['isStray']): void {
  if (root === undefined || root.isStray === isStray) return
  root.isStray = isStray
  root.walk = undefined
}

/** Takes over the match of the route that handles the request. The path alone may also belong to another route. */
function followTo(state: RequestState, req: Request, at: OpenEntry): void {
  const here = `${req.baseUrl}${pathnameOf(req)}`
  const found = withoutSlash(here) === withoutSlash(at.path) ? at.seen() : undefined
  if (found === undefined || state.root === undefined) return
  state.root = { ...state.root, walk: { match: found } }
}

/** Returns a path as `req.baseUrl` has it: without the last slash. */
export function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function anchor(
  state: RequestState,
  req: Request,
  routes: RouteRegistry | undefined,
  handling: Root | undefined,
): TypeError | undefined {
  const outer = state.root?.given ? state.root : undefined
  if (handling === undefined) {
    state.root = routes === undefined ? undefined : rootAt(routes, req, true)
  } else if (routes === undefined) {
    const known = outer !== undefined && outer.table.wayTo(handling.table, '') !== null
    state.root = known ? outer : rootAt(handling.table, req, false, handling.baseUrl)
  } else if (routes === handling.table) {
    state.root = rootAt(routes, req, true, handling.baseUrl)
  } else if (outer?.table !== routes) {
    if (routes.wayTo(handling.table, handling.baseUrl) === null) state.root = rootAt(routes, req, true)
    else {
      // Here a table of the root handles the request, and nothing says where the root is mounted. The root must
      // describe the whole app.
      state.root = rootAt(routes, req, true, '')
      return misplacement(state.root, handling.table, handling.baseUrl)
    }
  }
  return undefined
}

/**
 * Returns a table at its mount, with the request's current path in the table.
 *
 * @param baseUrl the mount. Default: the request is at it.
 */
function rootAt(table: RouteRegistry, req: Request, given: boolean, baseUrl = req.baseUrl ?? ''): Root {
  const below = pathnameOf(req)
  const path = below === undefined ? undefined : (req.baseUrl ?? '').slice(baseUrl.length) + below
  const { method } = req
  return {
    req,
    table,
    baseUrl,
    path,
    method,
    given,
    walk: undefined,
    isSkipped: undefined,
    isStray: undefined,
    linkStart: undefined,
  }
}

/**
 * Returns the table that handles a request, unless the request has left it. A request that is dispatched again keeps
 * its state.
 */
function inForce(handling: Root | undefined, req: Request): Root | undefined {
  return handling !== undefined && isBelow(req.baseUrl, handling.baseUrl) ? handling : undefined
}

/** Tells whether a path is a mount path or continues it at a segment boundary: `/api2` is not below `/api`. */
export function isBelow(path: string, mount: string): boolean {
  const behind = path.charAt(mount.length)
  return path.startsWith(mount) && (behind === '' || behind === '/')
}

/**
 * Notes that a table handles the request, unless another table does already.
 *
 * @returns the error of a table that is not mounted where the root given to `versioning()` describes it. Links and
 *   versions follow the root, so both would be silently wrong.
 */
export function enter(state: RequestState, req: Request, table: RouteRegistry): Error | undefined {
  const { baseUrl } = req
  const { root } = state
  const same = root?.given && root.table === table && root.baseUrl === baseUrl
  if (inForce(state.handling, req) === undefined) {
    const entered = same ? root : rootAt(table, req, false)
    entered.isSkipped = state.isSkipped
    entered.isStray = state.isStray
    handleBy(state, entered)
  }
  return root?.given && !same ? blamed(state, req, misplacement(root, table, baseUrl)) : undefined
}

/** Notes which table handles the request. */
export function handleBy(state: RequestState, handling: Root | undefined): void {
  state.handling = handling
  settle(state)
}

/**
 * Returns the error of a misplaced table, unless the client caused it. `router` percent-encodes some targets
 * (`http://a/v{1/users`), and the mounts then cut off the wrong part. Such a request is rejected.
 */
function blamed(state: RequestState, req: Request, error: TypeError | undefined): Error | undefined {
  if (error === undefined || isPlainRequest(req)) return error
  return isPreflight(req) ? undefined : (state.config?.scheme.invalidVersion() ?? new NotFound())
}

/** Tells whether the target contains the path literally as `router` reads it. */
function isPlainRequest(req: Request): boolean {
  return req.originalUrl.includes(originalPathOf(req))
}

function misplacement(root: Root, table: RouteRegistry, baseUrl: string): TypeError | undefined {
  return wayFrom(root, table, baseUrl) === undefined ? misplaced(root, table, baseUrl) : undefined
}

/**
 * Returns the way from the root to a table that was entered; `undefined` if the root describes the table elsewhere;
 * `null` if it does not contain the table.
 */
export function wayFrom(root: Root, table: RouteRegistry, baseUrl: string): ResolverMatch | undefined | null {
  const way = root.table.wayTo(table, baseUrl.slice(root.baseUrl.length))
  return way && !baseUrl.startsWith(root.baseUrl) ? undefined : way
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
