// Requests for operations that had other paths in older versions.
import type { Request } from 'express'
import type { MovedOperations, RequestChanges } from '../bound-changes'
import { isPreflight } from '../http/preflight'
import type { MovedMatch } from '../registry'
import type { ResolverMatch, RouteParams } from '../types'
import { isThenable } from '../util/thenable'
import { goTo, isBelow, matchOf, pathnameOf, sendTo, skipRoutes } from './place'
import type { RequestState, Root, Scheme } from './state'

/** A history that moves operations. */
export type MovingChanges = RequestChanges & { readonly moves: MovedOperations }

/**
 * Returns the match of a path that leads to an operation in the version that it names itself; `undefined` if the path names no
 * version, or one that does not have the operation there. It is for schemes that read the route.
 *
 * @param given parameters of the request that replace those of the match.
 */
export function matchInNamedVersion(
  changes: MovingChanges,
  scheme: Scheme,
  root: Pick<Root, 'req' | 'path' | 'method' | 'isStray'>,
  given: RouteParams,
): ResolverMatch | undefined {
  const { req, path, method } = root
  if (path === undefined) return undefined
  for (const { route, match } of changes.moves.readings(path, method)) {
    const version = namedBy(scheme, req, { ...match.params, ...given }, match)
    if (version === undefined || !changes.moves.isAt(method, route.viewName, version, route.entry)) continue
    if (inVersion(changes, root, version)?.route === route) return match
  }
  return undefined
}

/** Returns the version that a match names; `undefined` if it names none that is accepted. */
function namedBy({ routeReaders }: Scheme, req: Request, kwargs: RouteParams, match: ResolverMatch) {
  for (const reader of routeReaders) {
    try {
      const named = reader.named(req, kwargs, match)
      if (typeof named === 'string') return named
      // Nobody else handles this promise, and an unhandled rejection ends the process.
      if (isThenable(named)) named.then(undefined, () => {})
    } catch {
      // The path names no version. If no other match does, the scheme rejects it.
    }
  }
  return undefined
}

/** Returns the match of a path in a version, if it leads to a moved operation. */
export function inVersion(
  changes: MovingChanges,
  root: Pick<Root, 'req' | 'path' | 'method' | 'isStray'>,
  version: string,
): MovedMatch | undefined {
  const { path, method } = root
  const isLater = (viewName: string) => changes.operation(method, viewName, version).ahead
  return changes.moves.resolve(path as string, method, version, isLater, root)
}

/**
 * Makes a request skip the routes that its version does not have, or has at another path than the sent one. Where the sent path
 * is an older one of an operation, the request goes on with today's path.
 *
 * @returns the error of a request that must not go on.
 */
export function followMoves(
  state: RequestState,
  req: Request,
  changes: MovingChanges,
  version: string,
): Error | undefined {
  const root = state.place as Root
  const found = root.path === undefined ? undefined : inVersion(changes, root, version)
  const sent = matchOf(root)?.viewName
  const isMoved = found !== undefined && goToday(state, req, root, found)
  skipRoutes(state, (viewName) => isSkipped(req.method, changes, version, viewName, isMoved ? found : undefined))
  if (found === undefined) {
    const isGone = typeof sent === 'string' && !changes.moves.isAt(req.method, sent, version, undefined)
    if (isGone) state.skippedName = sent
    return undefined
  }
  return isMoved || isPreflight(req) ? undefined : changes.absent(req, found.route.viewName)
}

/** Makes a request go on with today's path of a moved operation, and tells whether that is possible. */
function goToday(state: RequestState, req: Request, root: Root, { route, today }: MovedMatch): boolean {
  const { baseUrl } = state
  const path = pathnameOf(req)
  if (today === undefined || path === undefined) return false
  const [from, to] = [root.baseUrl + root.path, root.baseUrl + today]
  if (!isBelow(to, baseUrl) || !sendTo(req, path, to.slice(baseUrl.length) || '/')) return false
  state.moved = { route, from, to }
  // The path that decided is another one than the path that is dispatched.
  state.decision.fromWalk = false
  goTo(root, to)
  if (state.handling !== undefined) goTo(state.handling, to)
  return true
}

/** Tells whether a request skips a route. */
function isSkipped(
  method: string,
  changes: MovingChanges,
  version: string,
  viewName: string,
  found: MovedMatch | undefined,
): boolean {
  const { moves } = changes
  const isOwn = viewName === found?.route.viewName
  if (changes.operation(method, viewName, version).ahead) return true
  if (!moves.isAt(method, viewName, version, isOwn ? found?.entry : undefined)) return true
  // Today's path may be that of another route, for these parameters only. Routes for all parameters are usually middleware.
  return found !== undefined && !isOwn && !moves.leadsTo(viewName, found.sample)
}
