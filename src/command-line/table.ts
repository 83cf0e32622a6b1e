// The overview of a table without versions.
import { Overview } from '../explorer/overview'
import { joinPaths } from '../routes/table'
import type { RouteRegistry } from '../types'

/** Makes the overview of a table without versions: each method of each name, and the names without handlers. */
export function tableOverview(table: RouteRegistry, mount: string, title = 'API'): Overview {
  const routes = table.facts().flatMap(({ viewName, pattern, methods }) =>
    (methods.length === 0 ? ['-'] : methods).map((method) => ({
      method,
      name: viewName,
      path: joinPaths(mount, pattern),
      group: '',
      operations: [],
      cells: [],
    })),
  )
  return new Overview(title, [], routes)
}
