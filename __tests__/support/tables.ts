// Builds the route tables of tests.
import type { RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'

type Paths = Record<string, string>
export type Table = ReturnType<typeof namedRoutes<Paths>>

/** Makes a table whose routes run handlers for every method. */
export function routed(paths: Paths, ...handlers: RequestHandler[]): Table {
  const table = namedRoutes(paths)
  for (const name of Object.keys(paths)) table.route(name).all(...handlers)
  return table
}

export const respond = () => {}

/** Makes a table whose routes have a handler for GET, which tests of documents do not run. */
export function table(paths: Paths): Table {
  const routes = namedRoutes(paths)
  for (const name of Object.keys(paths)) routes.route(name).get(respond)
  return routes
}

/** Includes a child at a prefix, in a new table if none is given. */
export const include = (prefix: string, child: object, namespace?: string, outer: object = namedRoutes({})): Table =>
  (outer as Table).include(prefix, child as Table, namespace === undefined ? {} : { namespace }) as Table

/** Includes children in the namespaces of their names, at `/<namespace>`. */
export function inNamespaces(outer: object, children: Record<string, object>): Table {
  for (const [namespace, child] of Object.entries(children)) include(`/${namespace}`, child, namespace, outer)
  return outer as Table
}
