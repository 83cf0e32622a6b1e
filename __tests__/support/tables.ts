import { namedRoutes } from 'express-versioning'

export const answer = () => {}

/** Builds a table of routes that all answer GET. */
export function table(paths: Record<string, string>) {
  const routes = namedRoutes(paths)
  for (const name of Object.keys(paths)) routes.route(name).get(answer)
  return routes
}
