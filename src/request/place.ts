import type { Request } from 'express'
import type { RouteRegistry } from '../types'
import { pathOf } from './members'
import type { RequestState, TableEntry } from './state'

/**
 * Where a `versioning()` runs, in terms of the route tables: which table it works on, and where that one is mounted.
 *
 * @param routes the root table it was given; without one, the table that handles the request counts, or an outer root that
 *   contains that table.
 * @returns its place, whether that is settled (or another table's names may count later), or the error of a misplaced table.
 */
export function placeOf(
  req: Request,
  state: RequestState,
  routes: RouteRegistry | undefined,
): { base: TableEntry | undefined; settled: boolean } | TypeError {
  const { entry, base, settled } = state
  const outer = settled ? base : undefined
  if (entry === undefined) {
    if (routes === undefined) return { base: undefined, settled: false }
    return { base: { table: routes, baseUrl: req.baseUrl ?? '', url: req.url }, settled: true }
  }
  if (routes === undefined) {
    if (outer !== undefined && contains(outer.table, entry.table)) return { base: outer, settled: true }
    return { base: current(entry, req), settled: false }
  }
  if (routes === entry.table) return { base: current(entry, req), settled: true }
  if (outer?.table === routes) return { base: outer, settled: true }
  if (!contains(routes, entry.table))
    return { base: { table: routes, baseUrl: req.baseUrl, url: req.url }, settled: true }
  // Inside one of the root's tables, with no outer versioning() to say where the root is mounted: it must describe the app.
  const whole = { table: routes, baseUrl: '', url: entry.baseUrl + pathOf(entry.url) }
  if (routes.reaches(entry.table, entry.baseUrl) === true) return { base: whole, settled: true }
  return misplaced(whole, entry.table, entry.baseUrl)
}

function contains(root: RouteRegistry, table: RouteRegistry): boolean {
  return root.reaches(table, '') !== null
}

/** The table that handles the request, with the path as it is now: middleware may have rewritten `req.url` since it was entered. */
function current(entry: TableEntry, req: Request): TableEntry {
  const url = req.baseUrl.slice(entry.baseUrl.length) + pathOf(req.url)
  return url === pathOf(entry.url) ? entry : { table: entry.table, baseUrl: entry.baseUrl, url }
}

/**
 * Checks that a table is entered where the root table given to `versioning()` says that it stands: links and versions are
 * read from what the root says, so elsewhere both would be silently wrong.
 *
 * @returns the error for the request, or `undefined` if all is well.
 */
export function misplacement(state: RequestState, table: RouteRegistry, baseUrl: string): TypeError | undefined {
  const { base, settled } = state
  if (!settled || base === undefined || (base.table === table && base.baseUrl === baseUrl)) return undefined
  const reached = base.table.reaches(table, baseUrl.slice(base.baseUrl.length))
  if (reached === null || (reached && baseUrl.startsWith(base.baseUrl))) return undefined
  return misplaced(base, table, baseUrl)
}

function misplaced(root: TableEntry, table: RouteRegistry, baseUrl: string): TypeError {
  const mount = root.baseUrl
  const places = root.table.placesOf(table).map((place) => (place === '/' ? mount || '/' : mount + place))
  return new TypeError(
    `A route table was entered at "${baseUrl || '/'}", but the root table given to versioning({ routes }) says that it stands at ${places.map((place) => `"${place}"`).join(' or ')}. ` +
      "Give versioning() the mount too: app.use('/api', versioning({ ..., routes: api }), api); " +
      "or describe it: routes: namedRoutes({}).include('/api', api), beside app.use('/api', api).",
  )
}
