// The middleware `deprecated()`, which announces that one route is deprecated.
import type { Request } from 'express'
import type { ViewName } from '../express'
import { QueryAsSent } from '../http/query'
import { compileEnd, DATES } from '../lifecycle/plans'
import { announceRoute } from '../lifecycle/written'
import { attemptFor } from '../request/link'
import { matchOf } from '../request/place'
import { stateOf } from '../request/prepare'
import type { Root } from '../request/state'
import type { LinkFailure, LinkKwargs, Middleware } from '../types'
import type { LifecycleDate } from '../util/dates'
import { badOption, checkKeys } from '../util/options'
import { describe, descriptionOf } from './described-versions'

/** Options of {@link deprecated}. */
export interface DeprecatedOptions {
  /** The start of its deprecation, past or future (RFC 9745). */
  since: LifecycleDate
  /** The end of its service (RFC 8594). Not before `since`. */
  sunset?: LifecycleDate | undefined
  /** The URL of a page about it, for people. */
  info?: string | URL | undefined
  /** The view name of the route that replaces it. */
  successor?: (ViewName & string) | undefined
}

/** The description that {@link deprecated} leaves on its handler; instants are in milliseconds since 1970. */
export interface RouteDeprecation {
  readonly since: number
  readonly sunset: number | undefined
  readonly info: string | undefined
  readonly successor: string | undefined
}

const OWNER = 'deprecated()'

/**
 * Makes a middleware that announces, on every response of one route, that the route is deprecated. It sends `Deprecation`, `Sunset`
 * and `Link`, as `lifecycle` does for a version. The earlier date of route and version wins; both links are sent.
 *
 * @param options `successor` is a view name. Its link takes the request's parameters and query; if no link can be made, it is
 *   left out.
 * @throws {TypeError} for unknown options, invalid dates, a sunset before `since`.
 * @example users.route('export').get(deprecated({ since: '2026-01-01', successor: 'report' }), sendExport)
 */
export function deprecated(options: DeprecatedOptions): Middleware {
  checkKeys(OWNER, options, ['since', 'sunset', 'info', 'successor'])
  const { since, sunset, info } = options
  if (since === undefined) throw badOption(OWNER, 'since', DATES, since)
  const successor = checkedName(options.successor)
  const end = compileEnd(OWNER, { deprecated: since, sunset, info }, (key) => (key === 'deprecated' ? 'since' : key))
  const deprecation = { since: end.deprecated as number, sunset: end.sunset, info: end.info, successor }
  return describe(
    function deprecatedMiddleware(req, res, next) {
      const link = successor === undefined ? undefined : linkTo(req, successor)
      const links = link === undefined ? end.links : [...end.links, `<${link}>; rel="successor-version"`]
      announceRoute(res, stateOf(req), { dates: end.dates, links })
      next()
    },
    { deprecation },
  )
}

function checkedName(successor: unknown): string | undefined {
  if (successor === undefined || (typeof successor === 'string' && successor !== '')) return successor
  throw badOption(OWNER, 'successor', 'a view name', successor)
}

/** Returns the link to a route with the request's parameters; with only the needed ones, if the route does not take all. */
function linkTo(req: Request, viewName: string): string | undefined {
  const query = new QueryAsSent(stateOf(req).exchange?.sent?.url ?? req.url)
  const own: LinkKwargs = { ...req.resolverMatch?.params, ...req.params }
  const kwargsToTry = [
    () => own,
    () => ({}),
    (failed: readonly LinkFailure[]) =>
      Object.fromEntries(failed.flatMap(({ missing = [] }) => missing.map((name) => [name, own[name]]))),
  ]
  let failed: readonly LinkFailure[] = []
  try {
    for (const kwargs of kwargsToTry) {
      const made = attemptFor(req, viewName, { kwargs: kwargs(failed), query })
      if (typeof made === 'string') return made
      failed = made
    }
  } catch {
    // The link is a hint: if your own scheme fails here, it is left out.
  }
  return undefined
}

/** Returns the description of a handler made by {@link deprecated}; `undefined` for any other handler. */
export function deprecationOf(handler: object): RouteDeprecation | undefined {
  return (descriptionOf(handler) as { deprecation?: RouteDeprecation } | undefined)?.deprecation
}

/** Tells whether the named route of a path is deprecated now. */
export function isRouteDeprecated(root: Root | undefined): boolean {
  const viewName = matchOf(root)?.viewName
  if (root === undefined || viewName === undefined || viewName === null) return false
  return root.table.handlersOf(viewName, root.method).some((handler) => {
    const deprecation = deprecationOf(handler)
    return deprecation !== undefined && Date.now() >= deprecation.since
  })
}
