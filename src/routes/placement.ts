import type { RequestState } from '../request-state'
import type { RouteRegistry } from '../types'

/**
 * Checks that a table is entered where the root table given to `versioning()` says that it stands: links and versions are
 * read from what the root says, so elsewhere both would be silently wrong.
 *
 * @returns the error for the request, or `undefined` if all is well.
 */
export function misplacement(state: RequestState, table: RouteRegistry, baseUrl: string): TypeError | undefined {
  const root = state.config?.routes
  if (root === undefined) return undefined
  const mount = state.base?.baseUrl ?? ''
  if (root === table && baseUrl === mount) return undefined
  const inside = baseUrl.startsWith(mount)
  const reached = root.reaches(table, baseUrl.slice(mount.length))
  if (reached === null || (inside && reached)) return undefined
  const places = root.placesOf(table).map((place) => (place === '/' ? mount || '/' : mount + place))
  return new TypeError(
    `A route table was entered at "${baseUrl || '/'}", but the root table given to versioning({ routes }) says that it stands at ${places.map((place) => `"${place}"`).join(' or ')}. ` +
      "Give versioning() the mount too: app.use('/api', versioning({ ..., routes: api }), api); " +
      "or describe it: routes: namedRoutes({}).include('/api', api), beside app.use('/api', api).",
  )
}
