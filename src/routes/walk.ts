// Finds the route or mount that a path belongs to.

import type { OlderEntry, PrefixQuestion, Walk } from '../registry'
import type { ResolverMatch } from '../types'
import { type Matcher, type Params, withoutTrailingSlashes } from './pattern'
import {
  type Entry,
  goesBefore,
  type IndexNode,
  includes,
  isElsewhere,
  type Mount,
  type NamedPath,
  type RouterRoute,
  type Table,
} from './table'

/**
 * An object without inherited names, like `Object.create(null)`, but one that the engine does not make a dictionary.
 */
class BareObject {
  [name: string]: string | string[]
}
Object.setPrototypeOf(BareObject.prototype, null)
Reflect.deleteProperty(BareObject.prototype, 'constructor')

/** The parameters of a path without any. */
const NO_PARAMS: Params = Object.freeze(new BareObject())

/** Joins the parameters of a prefix and of the path below it. */
export function mergedParams(outer: Params, inner: Params): Params {
  if (outer === NO_PARAMS) return inner
  if (inner === NO_PARAMS) return outer
  const both: Params = new BareObject()
  for (const name in outer) both[name] = outer[name] as string
  for (const name in inner) both[name] = inner[name] as string
  return both
}

/** The part of a path that a pattern matched, and the parameters in it. */
export interface PatternMatch {
  readonly path: string
  readonly params: Params
  /** `true` if a parameter has a malformed escape. `router` responds to it with 400. */
  readonly malformed: boolean
}

/**
 * Matches a path as `router` does, but keeps parameters with malformed escapes unchanged. It reads parameters in a
 * third of the time that path-to-regexp's own `match` takes.
 */
export function match({ regexp, keys }: Matcher, path: string): PatternMatch | false {
  const found = regexp.exec(path)
  if (found === null) return false
  if (keys.length === 0) return { path: found[0], params: NO_PARAMS, malformed: false }
  const params: Params = new BareObject()
  let malformed = false
  for (let index = 0; index < keys.length; index++) {
    const value = found[index + 1]
    if (value === undefined) continue
    const { type, name } = keys[index] as Matcher['keys'][number]
    try {
      params[name] = type === 'param' ? decoded(value) : value.split('/').map(decoded)
    } catch {
      // One `catch` serves the whole parameter, whatever the number of its malformed segments.
      malformed = true
      params[name] = type === 'param' ? value : value.split('/')
    }
  }
  return { path: found[0], params, malformed }
}

function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text
}

/** Returns the entries that may match a path, in the order of requests. All that match are among them. */
export function candidates({ index, settings }: Table, path: string): readonly Entry[] {
  const found: Entry[] = []
  const known = settings.caseSensitive ? path : path.toLowerCase()
  // The index knows no slashes at the end.
  collect(index, known.endsWith('/') ? withoutTrailingSlashes(known) : known, 1, found)
  for (let at = 1; at < found.length; at++) {
    if ((found[at - 1] as Entry).order >= (found[at] as Entry).order) return inOrder(found)
  }
  return found
}

/** Collects the entries below a point of the index that the path may lead to. The next segment begins at `start`. */
function collect(from: IndexNode, path: string, start: number, found: Entry[]): void {
  let node = from
  for (let at = start; at < path.length; ) {
    for (const entry of node.open) found.push(entry)
    const slash = path.indexOf('/', at)
    const end = slash === -1 ? path.length : slash
    const named = node.named.size > 0 ? node.named.get(path.slice(at, end)) : undefined
    const { any } = node
    at = end + 1
    if (named !== undefined && any !== undefined) collect(named, path, at, found)
    const next = any ?? named
    if (next === undefined) return
    node = next
  }
  for (const entry of node.open) found.push(entry)
  for (const entry of node.ending) found.push(entry)
}

/** Sorts entries, and leaves each once. */
function inOrder(entries: Entry[]): Entry[] {
  entries.sort((a, b) => a.order - b.order)
  // A path may lead to an entry in several ways.
  return entries.filter((entry, at) => entry !== entries[at - 1])
}

/** One table's part of a walk: the entry that the path belongs to, and the match. */
export interface WalkStep {
  readonly table: Table
  readonly path: string
  /** The entries that may match the path. `version` is the version of the table's index at that time. */
  readonly list: readonly Entry[]
  readonly version: number
  readonly entry: NamedPath | Mount
  readonly found: PatternMatch
  /** The step of the table that is mounted there. */
  readonly inner: WalkStep | undefined
  readonly rank: Rank
}

/**
 * The fit of a path: below a mount; the path of a route without this method; the path of a route with it. A route is
 * stray if it is reached only by text in the version's place that is no version.
 */
export enum Rank {
  below = 1,
  strayPath = 2,
  strayRoute = 3,
  path = 4,
  route = 5,
}

/** Tells whether a rank is that of a stray route. */
export function isStray(rank: Rank): boolean {
  return rank === Rank.strayPath || rank === Rank.strayRoute
}

/** The walk of a path from a table. Dispatch follows its steps without matching again. */
export class TableWalk implements Walk {
  #match: ResolverMatch | null | undefined

  constructor(readonly first: WalkStep | undefined) {}

  get match(): ResolverMatch | null {
    this.#match ??= this.first === undefined ? null : matchFrom(START, this.first)
    return this.#match
  }
}

/** The request that a look-up is about; without a method, for any method. */
export interface Asking {
  readonly method?: string | undefined
  /** The test by full name whether a route is skipped. */
  readonly isSkipped?: ((viewName: string) => boolean) | undefined
  /** The request, and the test of its optional prefixes. */
  readonly asked?: PrefixQuestion | undefined
  /** The test whether a route has an older path in the version. */
  readonly hasOlder?: ((viewName: string, entry: OlderEntry) => boolean) | undefined
}

/**
 * Returns the walk of a path. The first route that matches the whole path wins, in the order of requests; a route with
 * the method goes before one without it. Without such a route, the first mount wins that the path is below, with the
 * deepest step in it.
 */
export function walk(table: Table, path: string, asking: Asking = {}): TableWalk {
  return new TableWalk(search(table, path, asking))
}

export function search(table: Table, path: string, asking: Asking): WalkStep | undefined {
  let best: WalkStep | undefined
  const asked: Asked = { table, path, list: candidates(table, path), version: table.version }
  for (const entry of asked.list) {
    if (entry.kind === 'middleware') continue
    const step = entry.kind === 'route' ? routeStep(asked, entry, asking) : mountStep(asked, entry, asking)
    if (step === undefined) continue
    if (best === undefined || step.rank > best.rank || (step.rank === best.rank && isMoreLiteral(step, best)))
      best = step
    // In an OpenAPI document, a later path may have more literal text.
    if (best.rank === Rank.route && (best.entry.kind !== 'route' || best.entry.given === undefined)) return best
  }
  return best
}

/** Tells whether a step leads to a route of an OpenAPI document that goes before that of another step. */
export function isMoreLiteral(
  { entry: one }: Pick<WalkStep, 'entry'>,
  { entry: other }: Pick<WalkStep, 'entry'>,
): boolean {
  return one.kind === 'route' && other.kind === 'route' && goesBefore(one, other)
}

/** The table and the path of a look-up, with the entries found. */
type Asked = Pick<WalkStep, 'table' | 'path' | 'list' | 'version'>

function routeStep(asked: Asked, entry: NamedPath, { method, isSkipped, hasOlder }: Asking): WalkStep | undefined {
  const { table, path, list, version } = asked
  if (entry.isOlder && hasOlder === undefined) return undefined
  const found = match(entry.pattern, path)
  if (found === false) return undefined
  if (entry.isOlder ? hasOlder?.(entry.name, entry) === false : isSkipped?.(entry.name)) return undefined
  const isThere = method === undefined || handles(entry.route, method) || isElsewhere(entry, method)
  const rank = isThere ? Rank.route : Rank.path
  return { table, path, list, version, entry, found, inner: undefined, rank }
}

/** Tells whether a route has handlers for a method. Handlers for GET serve HEAD too. */
export function handles(route: RouterRoute | undefined, method: string | undefined): boolean {
  return route?._handlesMethod(method) === true
}

function mountStep(asked: Asked, entry: Mount, asking: Asking): WalkStep | undefined {
  const step = enterMount(asked, entry, asking)
  // A mount at '/' without a namespace tells nothing about the path.
  const silent = step?.inner === undefined && step?.found.path === '' && entry.namespace === undefined
  return silent ? undefined : step
}

/**
 * Returns the step into a mount. The longest reading of its prefix wins that leads to a route of the mounted table;
 * else the shortest. A stray route comes behind every other one.
 */
export function enterMount(asked: Asked, entry: Mount, asking: Asking): WalkStep | undefined {
  const { table, path, list, version } = asked
  let best: WalkStep | undefined
  const within = askingWithin(asking, entry)
  for (const reading of entry.prefix.readings) {
    const found = match(reading, path)
    if (found === false) continue
    const inner = entry.table === undefined ? undefined : search(entry.table, below(path, found), within)
    const rank = rankOf(inner, entry, found, asking)
    const better = best === undefined || rank > best.rank || best.rank === Rank.below
    if (better) best = { table, path, list, version, entry, found, inner, rank }
    // The routes of other routers are unknown. As in Express, the longest reading wins.
    if (rank === Rank.route || entry.table === undefined) return best
  }
  return best
}

/** Returns the rank of a mount whose prefix was read in one of several ways. */
function rankOf(inner: WalkStep | undefined, { prefix }: Mount, { params }: PatternMatch, { asked }: Asking): Rank {
  const rank = inner?.rank ?? Rank.below
  const { required } = prefix
  if (asked?.isStray === undefined || rank < Rank.path || required.length === prefix.params.length) return rank
  const fixed = () => Object.fromEntries(required.map((name) => [name, params[name]]))
  if (!asked.isStray(params, asked.req) || asked.isStray(fixed(), asked.req)) return rank
  return rank === Rank.route ? Rank.strayRoute : Rank.strayPath
}

/** Returns the same question for a mounted table, which has shorter names. */
export function askingWithin(asking: Asking, { namespace }: Mount): Asking {
  const { isSkipped, hasOlder } = asking
  if (namespace === undefined || (isSkipped === undefined && hasOlder === undefined)) return asking
  const full = (name: string) => `${namespace}:${name}`
  return {
    ...asking,
    isSkipped: isSkipped && ((name) => isSkipped(full(name))),
    hasOlder: hasOlder && ((name, entry) => hasOlder(full(name), entry)),
  }
}

/** Returns the part of a path below a mount. */
export function below(path: string, found: Pick<PatternMatch, 'path'>): string {
  if (found.path === '') return path
  const rest = path.slice(found.path.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The namespaces and parameters of the mounts on the way down to a table. */
export interface Way extends Pick<ResolverMatch, 'namespaces' | 'namespace'> {
  readonly params: Params
}

// It is frozen because matches without namespaces share it.
export const START: Way = { namespaces: Object.freeze([]), namespace: '', params: NO_PARAMS }

/** Tells whether a way has gone below no namespace and no parameter. */
export function isStart({ namespace, params }: Way): boolean {
  for (const _ in params) return false
  return namespace === ''
}

/** Returns the way continued below a mount. */
export function wayBelow(way: Way, { namespace }: Mount, { params }: Pick<PatternMatch, 'params'>): Way {
  if (namespace === undefined) return params === NO_PARAMS ? way : { ...way, params: mergedParams(way.params, params) }
  return {
    namespaces: [...way.namespaces, namespace],
    namespace: nameBelow(way, { name: namespace }),
    params: mergedParams(way.params, params),
  }
}

/** Returns the match of a step at the end of a way. */
export function matchFrom(start: Way, first: WalkStep): ResolverMatch {
  let way = start
  for (let step: WalkStep | undefined = first; step !== undefined; step = step.inner) {
    const { entry, found } = step
    if (entry.kind === 'route') return described(way, entry, found.params)
    way = wayBelow(way, entry, found)
  }
  return described(way, null)
}

/** Returns a match as users see it; without a route, that of a mere prefix. */
export function described(way: Way, route: NamedPath | null, own: Params = NO_PARAMS): ResolverMatch {
  const { namespaces, namespace } = way
  const viewName = route === null ? null : nameBelow(way, route)
  // This copy has a prototype, as users expect of params. `__proto__` is an ordinary name in it.
  return { viewName, namespaces, namespace, params: { ...mergedParams(way.params, own) } }
}

/** Returns the full name of a route at the end of a way. */
export function nameBelow({ namespace }: Pick<Way, 'namespace'>, { name }: Pick<NamedPath, 'name'>): string {
  return namespace === '' ? name : `${namespace}:${name}`
}

/**
 * Returns the way to `target` if `path` follows the mount of `table`; `undefined` if `target` is elsewhere; `null` if
 * `table` does not contain it.
 */
export function wayTo(table: Table, target: Table, path: string): ResolverMatch | undefined | null {
  if (!includes(table, target)) return null
  const way = find(table, target, path, START) ?? find(table, target, plain(path), START)
  return way && described(way, null)
}

function find(table: Table, target: Table, path: string, way: Way): Way | undefined {
  if (table === target && (path === '' || path === '/')) return way
  for (const mount of table.mounts) {
    if (mount.table === undefined) continue
    for (const reading of mount.prefix.reach) {
      const found = match(reading, path)
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
