import type Router from 'router'
import { declareMount, declareRoute } from './names'
import { middlewarePath, prefixPattern, routePattern } from './pattern'
import { EVERYWHERE, type Places } from './segments'
import type { Mount, NamedPath, RouterRoute, Table } from './table'

/** Where the names without handlers stand: behind all that has a layer. */
const UNREGISTERED = 2 ** 29

/** Adds a name; it has no place in the order of requests until it has a route. */
export function addName(table: Table, name: string, path: unknown): void {
  const pattern = routePattern(`namedRoutes: route "${name}"`, path, table.settings)
  const order = UNREGISTERED + table.routes.size
  const entry: NamedPath = { kind: 'route', name, pattern, order, layer: undefined, route: undefined }
  declareRoute(table, entry)
  table.index.add(entry, pattern.places)
}

/** The route of a name; the first call puts it at this point of the order. */
export function routeOf(table: Table, router: Router.Router, entry: NamedPath): RouterRoute {
  if (entry.route !== undefined) return entry.route
  entry.order = router.stack.length
  entry.route = router.route(entry.pattern.path)
  entry.layer = router.stack[entry.order]
  table.index.reordered()
  return entry.route
}

/** Adds a table or another router below a prefix, at this point of the order. */
export function addMount(
  table: Table,
  router: Router.Router,
  prefix: unknown,
  child: { handler: Router.RequestHandler; table: Table | undefined },
  namespace: string | undefined,
): void {
  const pattern = prefixPattern('include(): the prefix', prefix, table.settings)
  const order = router.stack.length
  const mount: Mount = { kind: 'mount', prefix: pattern, namespace, table: child.table, order, layer: undefined }
  declareMount(table, mount)
  router.use(pattern.path, child.handler)
  mount.layer = router.stack[order]
  table.index.add(mount, pattern.places)
}

/** Adds plain middleware, at this point of the order; the arguments are those of `router.use`. */
export function addMiddleware(table: Table, router: Router.Router, args: readonly unknown[]): void {
  const first = router.stack.length
  const [path, ...handlers] = args
  if (typeof path === 'string') {
    const encoded = middlewarePath('use(): the path', path)
    use(router, [encoded.path, ...handlers])
    addLayers(table, router, first, encoded.places())
  } else {
    use(router, args)
    addLayers(table, router, first, EVERYWHERE)
  }
}

function use(router: Router.Router, args: readonly unknown[]): void {
  Reflect.apply(router.use, router, args)
}

function addLayers(table: Table, { stack }: Router.Router, first: number, places: Places): void {
  for (const [offset, layer] of stack.slice(first).entries()) {
    table.index.add({ kind: 'middleware', order: first + offset, layer }, places)
  }
}
