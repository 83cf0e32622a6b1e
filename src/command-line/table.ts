import { Overview } from '../explorer/overview'
import { joinPaths } from '../routes/table'
import type { RouteRegistry } from '../types'

/** The routes of a table that nobody gave versions: each method of each name, and names that have no handlers yet. */
export function tableOverview(table: RouteRegistry, mount: string, title = 'API'): Overview {
  const routes = table.facts().flatMap(({ viewName, pattern, methods }) =>
    (methods.length === 0 ? ['-'] : methods).map((method) => ({
      method,
      name: viewName,
      path: joinPaths(mount, pattern),
      group: '',
      cells: [],
    })),
  )
  return new Overview(title, [], routes)
}
