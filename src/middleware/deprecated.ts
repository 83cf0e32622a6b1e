import type { Request, RequestHandler } from 'express'
import type { ViewName } from '../express'
import { QueryAsSent } from '../http/query'
import { announceRoute } from '../lifecycle/headers'
import { compileEnd, DATES, type LifecycleDate } from '../lifecycle/plans'
import { failuresOf, isFailed } from '../request/link'
import { stateOf } from '../request/members'
import { matchOf } from '../request/place'
import { attemptFor } from '../request/reverse'
import type { Root } from '../request/state'
import type { LinkFailure, LinkKwargs } from '../types'
import { badOption, checkKeys } from '../util/options'
import { describe, descriptionOf } from './description'

/** Options of {@link deprecated}. */
export interface DeprecatedOptions {
  /** Since when, or from when, the route is deprecated (RFC 9745). */
  since: LifecycleDate
  /** From when it may no longer be there (RFC 8594). Not before `since`. */
  sunset?: LifecycleDate | undefined
  /** A page about it, for people. */
  info?: string | URL | undefined
  /** The name of the route to use instead. */
  successor?: (ViewName & string) | undefined
}

/** What {@link deprecated} leaves behind: instants in milliseconds since 1970. */
export interface RouteDeprecation {
  readonly since: number
  readonly sunset: number | undefined
  readonly info: string | undefined
  readonly successor: string | undefined
}

const OWNER = 'deprecated()'

/**
 * Middleware that says, on every answer of one route, that the route is deprecated: by `Deprecation`, `Sunset` and `Link`, as
 * `lifecycle` says it of a version. Of the route's date and the version's the earlier stands; links of both do.
 *
 * @param options `successor` is a view name; the link to it takes its parameters from the request's, and keeps the query. Where that
 *   makes no link, it is left out.
 * @throws {TypeError} for options that are unknown, dates that are none, a sunset before `since`.
 * @example users.route('export').get(deprecated({ since: '2026-01-01', successor: 'report' }), sendExport)
 */
export function deprecated(options: DeprecatedOptions): RequestHandler {
  checkKeys(OWNER, options, ['since', 'sunset', 'info', 'successor'])
  const { since, sunset, info } = options
  if (since === undefined) throw badOption(OWNER, 'since', DATES, since)
  const successor = checkedName(options.successor)
  const end = compileEnd(OWNER, { deprecated: since, sunset, info }, (key) => (key === 'deprecated' ? 'since' : key))
  const deprecation: RouteDeprecation = {
    since: end.deprecated as number,
    sunset: end.sunset,
    info: end.info,
    successor,
  }
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

/** The link to a route, with the request's own parameters; with those alone that it needs, where it does not take all. */
function linkTo(req: Request, viewName: string): string | undefined {
  const query = new QueryAsSent(req.url)
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
      if (!isFailed(made)) return made
      failed = failuresOf(made)
    }
  } catch {
    // As that to a successor version it is a hint: a scheme of one's own that fails leaves it out.
  }
  return undefined
}

/** What {@link deprecated} says of the route that a handler stands in; `undefined` for any other handler. */
export function deprecationOf(handler: object): RouteDeprecation | undefined {
  return (descriptionOf(handler) as { deprecation?: RouteDeprecation } | undefined)?.deprecation
}

/** Whether the named route that a path belongs to is deprecated as of now. */
export function isRouteDeprecated(root: Root | undefined): boolean {
  const viewName = matchOf(root)?.viewName
  if (root === undefined || viewName === undefined || viewName === null) return false
  return root.table.handlersOf(viewName, root.method).some((handler) => {
    const deprecation = deprecationOf(handler)
    return deprecation !== undefined && Date.now() >= deprecation.since
  })
}
