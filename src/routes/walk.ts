// Finds the route or mount that a path belongs to.
import type { Walk } from '../request/state'
import type { ResolverMatch } from '../types'
import { joined, NO_PARAMS, type Params, type PatternMatch } from './pattern'
import { type Entry, handles, includes, joinPaths, type Mount, type NamedPath, type Table } from './table'

/** One table's part of a walk: the entry that the path belongs to, and the match. */
export interface Step {
  readonly table: Table
  readonly path: string
  /** The entries that may match the path. `version` is the version of the table's index at that time. */
  readonly list: readonly Entry[]
  readonly version: number
  readonly entry: NamedPath | Mount
  readonly found: PatternMatch
  /** The step of the table that is mounted there. */
  readonly inner: Step | undefined
  readonly rank: Rank
}

/** The fit of a path: below a mount; the path of a route without this method; the path of a route with it. */
export enum Rank {
  below = 1,
  path = 2,
  route = 3,
}

/** The namespaces and parameters of the mounts on the way down to a table. */
export interface Way {
  readonly namespaces: readonly string[]
  readonly params: Params
}

// It is frozen because matches without namespaces share it.
export const START: Way = { namespaces: Object.freeze([]), params: NO_PARAMS }

/** The walk of a path from a table. Dispatch follows its steps without matching again. */
export class TableWalk implements Walk {
  #match: ResolverMatch | null | undefined

  constructor(readonly first: Step | undefined) {}

  get match(): ResolverMatch | null {
    this.#match ??= this.first === undefined ? null : matchFrom(START, this.first)
    return this.#match
  }
}

/**
 * Returns the walk of a path. The first route that matches the whole path wins, in the order of requests; a route with
 * the method goes before one without it. Without such a route, the first mount wins that the path is below, with the
 * deepest step in it.
 */
export function walk(table: Table, path: string, asking: Asking = {}): TableWalk {
  return new TableWalk(search(table, path, asking))
}

export function search(table: Table, path: string, asking: Asking): Step | undefined {
  let best: Step | undefined
  const asked: Asked = { table, path, list: table.index.find(path), version: table.index.version }
  for (const entry of asked.list) {
    if (entry.kind === 'middleware') continue
    const step = entry.kind === 'route' ? routeStep(asked, entry, asking) : mountStep(asked, entry, asking)
    if (step !== undefined && (best === undefined || step.rank > best.rank)) best = step
    if (best?.rank === Rank.route) return best
  }
  return best
}

/** The question that a look-up answers; without a method, for any method. */
export interface Asking {
  readonly method?: string | undefined
  /** The test by full name whether a route is skipped. */
  readonly isAhead?: ((viewName: string) => boolean) | undefined
}

/** The table and the path of a look-up, with the entries found. */
type Asked = Pick<Step, 'table' | 'path' | 'list' | 'version'>

function routeStep(asked: Asked, entry: NamedPath, { method, isAhead }: Asking): Step | undefined {
  const { table, path, list, version } = asked
  const found = entry.pattern.match(path)
  if (found === false) return undefined
  if (isAhead?.(entry.name)) return undefined
  const rank = method === undefined || handles(entry.route, method) ? Rank.route : Rank.path
  return { table, path, list, version, entry, found, inner: undefined, rank }
}

function mountStep(asked: Asked, entry: Mount, asking: Asking): Step | undefined {
  const step = enterMount(asked, entry, asking)
  // A mount at '/' without a namespace tells nothing about the path.
  const silent = step?.inner === undefined && step?.found.path === '' && entry.namespace === undefined
  return silent ? undefined : step
}

/**
 * Returns the step into a mount. The longest reading of its prefix wins that leads to a route of the mounted table;
 * else the shortest.
 */
export function enterMount(asked: Asked, entry: Mount, asking: Asking): Step | undefined {
  const { table, path, list, version } = asked
  let best: Step | undefined
  const within = askingWithin(asking, entry)
  for (const reading of entry.prefix.readings) {
    const found = reading(path)
    if (found === false) continue
    const inner = entry.table === undefined ? undefined : search(entry.table, below(path, found), within)
    const rank = inner?.rank ?? Rank.below
    const better = best === undefined || rank > best.rank || best.rank === Rank.below
    if (better) best = { table, path, list, version, entry, found, inner, rank }
    // The routes of other routers are unknown. As in Express, the longest reading wins.
    if (rank === Rank.route || entry.table === undefined) return best
  }
  return best
}

/** Returns the same question for a mounted table, which has shorter names. */
export function askingWithin(asking: Asking, { namespace }: Mount): Asking {
  const { method, isAhead } = asking
  if (namespace === undefined || isAhead === undefined) return asking
  return { method, isAhead: (viewName) => isAhead(`${namespace}:${viewName}`) }
}

/** Returns the part of a path below a mount. */
export function below(path: string, found: Pick<PatternMatch, 'path'>): string {
  if (found.path === '') return path
  const rest = path.slice(found.path.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Returns the way continued below a mount. */
export function wayBelow(way: Way, { namespace }: Mount, { params }: Pick<PatternMatch, 'params'>): Way {
  if (namespace === undefined && params === NO_PARAMS) return way
  return {
    namespaces: namespace === undefined ? way.namespaces : [...way.namespaces, namespace],
    params: joined(way.params, params),
  }
}

/** Returns the way of a step and its inner steps, with the parameters of the route. */
function wayOf(start: Way, first: Step): Way {
  let way = start
  for (let step: Step | undefined = first; step !== undefined; step = step.inner) {
    if (step.entry.kind === 'mount') way = wayBelow(way, step.entry, step.found)
    else if (step.found.params !== NO_PARAMS) {
      way = { namespaces: way.namespaces, params: joined(way.params, step.found.params) }
    }
  }
  return way
}

/** Returns the match of a step at the end of a way. */
export function matchFrom(start: Way, first: Step): ResolverMatch {
  const { entry } = lastOf(first)
  return described(wayOf(start, first), entry.kind === 'route' ? entry : null)
}

function lastOf(first: Step): Step {
  let last = first
  while (last.inner !== undefined) last = last.inner
  return last
}

/** Returns a match as users see it; without a route, that of a mere prefix. */
export function described(way: Way, route: NamedPath | null, own: Params = NO_PARAMS): ResolverMatch {
  const { namespaces } = way
  const namespace = namespaceOf(way)
  const viewName = route === null ? null : nameBelow(way, route)
  // This copy has a prototype, as users expect of params. `__proto__` is an ordinary name in it.
  return { viewName, namespaces, namespace, params: { ...joined(way.params, own) } }
}

function namespaceOf({ namespaces }: Way): string {
  return namespaces.length === 1 ? (namespaces[0] as string) : namespaces.join(':')
}

/** Returns the full name of a route at the end of a way. */
export function nameBelow(way: Way, { name }: Pick<NamedPath, 'name'>): string {
  const namespace = namespaceOf(way)
  return namespace === '' ? name : `${namespace}:${name}`
}

/**
 * Returns the way to `target` if `path` follows the mount of `table`; `undefined` if `target` is elsewhere; `null` if
 * `table` does not contain it.
 */
export function wayTo(table: Table, target: Table, path: string): ResolverMatch | undefined | null {
  if (!includes(table, target)) return null
  const way = find(table, target, path, START) ?? find(table, target, plain(path), START)
  return way === undefined ? undefined : described(way, null)
}

function find(table: Table, target: Table, path: string, way: Way): Way | undefined {
  if (table === target && (path === '' || path === '/')) return way
  for (const mount of table.mounts) {
    if (mount.table === undefined || !includes(mount.table, target)) continue
    for (const reading of mount.prefix.reach) {
      const found = reading(path)
      const inner = found && find(mount.table, target, path.slice(found.path.length), wayBelow(way, mount, found))
      if (inner) return inner
    }
  }
  return undefined
}

/** Returns a path without repeated slashes and needless escapes, which the writer of the path chose. */
function plain(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : triplet
  })
}

/** Returns the places of `target` below `table`, as patterns. */
export function placesOf(table: Table, target: Table): string[] {
  if (table === target) return ['/']
  return table.mounts.flatMap(({ prefix, table: child }) => {
    if (child === undefined) return []
    return placesOf(child, target).map((place) => (place === '/' ? prefix.source : joinPaths(prefix.source, place)))
  })
}
