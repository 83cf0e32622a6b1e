// Adds names, mounts and middleware to a table, and checks them.
import type { Request } from 'express'
import type { RequestHandler } from 'router'
import { checkKeys, shown } from '../util/options'
import {
  type MatchSettings,
  middlewarePattern,
  type Pattern,
  prefixPattern,
  type RoutePattern,
  routePattern,
  withoutTrailingSlashes,
} from './pattern'
import {
  addToIndex,
  fullPath,
  type GivenRoute,
  includes,
  joinPaths,
  type Mount,
  type MountedRoute,
  type NamedPath,
  type RouterRoute,
  type Table,
} from './table'

const OWNER = 'namedRoutes()'

/** Returns the names and paths of a table. The paths are not checked yet. */
export function checkedPaths(routes: unknown): [string, unknown][] {
  if (typeof routes !== 'object' || routes === null || Array.isArray(routes)) {
    throw new TypeError(
      `${OWNER} takes an object of names and paths, such as { 'user-list': '/users' }; got ${shown(routes)}.`,
    )
  }
  return Object.entries(routes)
}

/** Options of `table.include()`. */
export interface IncludeOptions<Namespace extends string | undefined = string | undefined> {
  /** The prefix of the included table's names, followed by a colon. Without it they become names of this table. */
  namespace?: Namespace | undefined
}

/** Returns a valid name. Only namespaces use the colon. */
function checkedName(what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !value.includes(':')) return value
  throw new TypeError(`namedRoutes: ${what} is a non-empty string without ":"; got ${shown(value)}.`)
}

/** Returns a valid namespace. Names that are paths begin with a slash, so namespaces do not. */
function checkedNamespace(value: unknown): string {
  const namespace = checkedName('a namespace', value)
  if (!namespace.startsWith('/')) return namespace
  throw new TypeError(`namedRoutes: a namespace does not begin with "/"; got ${shown(value)}.`)
}

/** The first order of names without handlers: they come after everything that has a layer. */
const UNREGISTERED = 2 ** 29

/** Adds a name. It has no place in the order of requests until it has a route. */
export function addName(table: Table, given: unknown, path: unknown): void {
  const name = checkedName('a route name', given)
  addRoute(table, name, path, undefined)
}

/** Adds a path of an OpenAPI document. Its name is the path as the document has it. */
export function addRoute(table: Table, name: string, path: unknown, given: GivenRoute | undefined): void {
  const pattern = patternOf(`namedRoutes: route "${name}"`, path, table.settings)
  const order = UNREGISTERED + (given?.rank ?? table.routes.size)
  const elsewhere = table.settings.elsewhere && new Set(given?.operations.keys())
  const open = { layer: undefined, route: undefined, isOlder: false, older: undefined }
  const entry: NamedPath = { kind: 'route', name, pattern, elsewhere, given, order, ...open }
  declareRoute(table, entry)
  addToIndex(table, entry, pattern.tokens, true)
}

/** Adds an operation of an OpenAPI document, with its path if the table lacks it. */
export function addOperation(table: Table, name: string, path: string, given: GivenRoute, method: string): void {
  const known = table.routes.get(name)
  if (known === undefined) addRoute(table, name, path, given)
  else known.elsewhere?.add(method)
  table.version++
}

/** Compiles the pattern of a name. The path `''` is matched as `'/'` is, which is all that `router` tells of a prefix itself. */
export function patternOf(where: string, path: unknown, settings: MatchSettings): RoutePattern {
  if (path !== '') return routePattern(where, path, settings)
  return { ...routePattern(where, '/', settings), source: '', tokens: [] }
}

/** Returns the route of a name. The first call puts it at this point of the order. */
export function routeOf(table: Table, entry: NamedPath): RouterRoute {
  if (entry.route !== undefined) return entry.route
  const { router } = table
  entry.order = router.stack.length
  entry.route = router.route(entry.pattern.path) as RouterRoute
  entry.layer = router.stack[entry.order]
  table.version++
  return entry.route
}

/** Adds a table or another router below a prefix, at this point of the order. */
export function addMount(
  table: Table,
  prefix: unknown,
  child: { handler: RequestHandler; table: Table | undefined },
  options: IncludeOptions = {},
): void {
  checkKeys('include()', options, ['namespace'])
  const namespace = options.namespace === undefined ? undefined : checkedNamespace(options.namespace)
  const pattern = prefixPattern('include(): the prefix', prefix, table.settings)
  const { router } = table
  const order = router.stack.length
  const mount: Mount = { kind: 'mount', prefix: pattern, namespace, table: child.table, order, layer: undefined }
  declareMount(table, mount)
  router.use(pattern.path, child.handler)
  mount.layer = router.stack[order]
  addToIndex(table, mount, pattern.tokens, false)
}

/** Notes the prefix that a table says it is mounted below. */
export function standBelow(table: Table, prefix: unknown): void {
  const above = prefixPattern('below(): the prefix', prefix, table.settings)
  if (table.above !== undefined) {
    throw new TypeError(`below(): this table says already that it stands below "${table.above.source}".`)
  }
  rejectClash(above, parametersBelow(table))
  for (const parent of table.parents) checkPlace(above, parent.table, parent.mount)
  table.above = above
}

/**
 * Checks that a mount has the parameters that the table in it declares with `below()`. The mount may have only the end
 * of that prefix; then the including table must be mounted below the rest.
 *
 * @throws {TypeError} for a mount that lacks one of them.
 */
function checkPlace(above: Pattern, table: Table, { prefix }: Mount): void {
  const given = [prefix, table.above].flatMap((pattern) => pattern?.required ?? [])
  const missing = above.required.find((name) => !given.includes(name))
  if (missing === undefined) return
  const end = joinPaths(prefix.source, '')
  if (table.above === undefined && end !== '' && above.source.endsWith(end)) {
    standBelow(table, above.source.slice(0, -end.length))
    return
  }
  const found = prefix.params.includes(missing) ? 'is optional' : 'is missing'
  throw new TypeError(
    `namedRoutes: a table that says that it stands below "${above.source}" is included at "${prefix.source}", where "${missing}" ${found}. ` +
      'If a prefix further out gives it, say so before: .below() of the table that includes this one.',
  )
}

/** Returns the error of a table that a request enters without a parameter that the table declares with `below()`. */
export function unfounded(
  above: NonNullable<Table['above']>,
  { params, baseUrl }: Pick<Request, 'params' | 'baseUrl'>,
): TypeError | undefined {
  const missing = above.required.find((name) => !Object.hasOwn(params ?? {}, name) || params[name] === undefined)
  if (missing === undefined) return undefined
  return new TypeError(
    `A route table that says that it stands below "${above.source}" was entered at "${baseUrl || '/'}", without a parameter "${missing}". ` +
      'Mount it at such a path, in routers with mergeParams: true; or include() it in a table.',
  )
}

/** Adds plain middleware at this point of the order. The arguments are those of `router.use`. */
export function addMiddleware(table: Table, [path, ...handlers]: readonly unknown[]): void {
  const { router } = table
  const first = router.stack.length
  const pattern = typeof path === 'string' ? middlewarePattern('use(): the path', path) : { path, tokens: [] }
  Reflect.apply(router.use, router, [pattern.path, ...handlers])
  for (const [offset, layer] of router.stack.slice(first).entries()) {
    addToIndex(table, { kind: 'middleware', order: first + offset, layer }, pattern.tokens, false)
  }
}

/** The places that a declaration adds, by table. Nothing changes until all tables that see it agree. */
type Plan = Map<Table, Map<string, MountedRoute>>

/**
 * Adds a name to a table and to all tables that include it.
 *
 * @throws {TypeError} for a name that one of them has, or a parameter that a prefix on the way has. Nothing changes
 *   then.
 */
function declareRoute(table: Table, route: NamedPath): void {
  const plan: Plan = new Map()
  spread(plan, table, [{ name: route.name, mounts: [], route, template: undefined }], parametersOf([route.pattern]))
  table.routes.set(route.name, route)
  commit(plan)
}

/**
 * Adds a mount to a table, and the names below it to all tables that include the table.
 *
 * @throws {TypeError} for a duplicate namespace, name or parameter, or a table that would include itself. Nothing
 *   changes then.
 */
function declareMount(table: Table, mount: Mount): void {
  const { namespace, prefix, table: child } = mount
  const other = namespace === undefined ? undefined : table.mounts.find((mount) => mount.namespace === namespace)
  if (other !== undefined) {
    throw new TypeError(
      `namedRoutes: namespace "${namespace}" is taken in this table, by what is included at "${other.prefix.source}".`,
    )
  }
  if (child !== undefined && includes(child, table)) {
    throw new TypeError(`namedRoutes: a table cannot include itself (at "${prefix.source}").`)
  }
  const plan: Plan = new Map()
  const places = [...(child?.places.values() ?? [])].map((place) => lifted(place, mount))
  spread(plan, table, places, withPrefix(prefix, child === undefined ? new Map() : parametersBelow(child)))
  if (child?.above !== undefined) checkPlace(child.above, table, mount)
  table.mounts.push(mount)
  child?.parents.push({ table, mount })
  commit(plan)
}

function lifted({ name, mounts, route }: MountedRoute, mount: Mount): MountedRoute {
  const full = mount.namespace === undefined ? name : `${mount.namespace}:${name}`
  return { name: full, mounts: [mount, ...mounts], route, template: undefined }
}

function spread(plan: Plan, table: Table, places: readonly MountedRoute[], parameters: Parameters): void {
  const planned = plan.get(table) ?? new Map<string, MountedRoute>()
  plan.set(table, planned)
  for (const place of places) {
    const other = table.places.get(place.name) ?? planned.get(place.name)
    if (other !== undefined) {
      throw new TypeError(
        `namedRoutes: the name "${place.name}" is taken: "${fullPath(other)}" has it, and "${fullPath(place)}" would.${remedy(other, place)}`,
      )
    }
    planned.set(place.name, place)
  }
  if (table.above !== undefined) rejectClash(table.above, parameters)
  for (const { table: parent, mount } of table.parents) {
    const raised = places.map((place) => lifted(place, mount))
    spread(plan, parent, raised, withPrefix(mount.prefix, parameters))
  }
}

/** Returns what to do instead, if two places are of one table that is included twice. */
function remedy(one: MountedRoute, other: MountedRoute): string {
  if (one.route !== other.route) return ''
  const [short, long] = [one, other].map(prefixOf).sort((a, b) => a.length - b.length) as [string, string]
  const rest = long.startsWith(short) ? long.slice(short.length) : ''
  if (rest.startsWith('/'))
    return ` Include the table once, at an optional prefix: include('${short}{${rest}}', table).`
  return ' To include a table twice, give each a name: include(prefix, table, { namespace }).'
}

function prefixOf({ mounts }: MountedRoute): string {
  return mounts.reduce((path, { prefix }) => joinPaths(path, withoutTrailingSlashes(prefix.source)), '')
}

function commit(plan: Plan): void {
  for (const [table, places] of plan) for (const [name, place] of places) table.places.set(name, place)
}

/** Parameter names, each with its path. */
type Parameters = ReadonlyMap<string, string>

function parametersOf(patterns: readonly Pattern[]): Map<string, string> {
  return new Map(patterns.flatMap(({ params, source }) => params.map((name) => [name, source])))
}

function parametersBelow({ routes, mounts }: Table): Parameters {
  const found = parametersOf([...routes.values()].map(({ pattern }) => pattern))
  for (const { prefix, table } of mounts) {
    for (const [name, path] of parametersOf([prefix])) found.set(name, path)
    if (table === undefined) continue
    for (const [name, path] of parametersBelow(table)) found.set(name, joinPaths(prefix.source, path))
  }
  return found
}

function withPrefix(prefix: Pattern, parameters: Parameters): Parameters {
  rejectClash(prefix, parameters)
  return new Map([...parameters, ...parametersOf([prefix])])
}

function rejectClash(prefix: Pattern, parameters: Parameters): void {
  const clash = prefix.params.find((name) => parameters.has(name))
  if (clash !== undefined) {
    throw new TypeError(
      `namedRoutes: parameter "${clash}" is in the prefix "${prefix.source}" and again below it, in "${parameters.get(clash)}".`,
    )
  }
}
