// Compares the version that the next entry of a table names with the decided one, before anything of it runs.
import type { Request } from 'express'
import { matchOf, wayFrom } from '../request/place'
import type { RequestState, Root, Scheme, Versioning } from '../request/state'
import type { ResolverMatch, RouteParams } from '../types'
import { isThenable } from '../util/thenable'
import type { Params } from './pattern'
import type { Entry, Mount, NamedPath, Table } from './table'
import {
  type Asking,
  askingWithin,
  below,
  described,
  enterMount,
  handles,
  isMoreLiteral,
  isStart,
  isStray,
  match,
  matchFrom,
  nameBelow,
  type PatternMatch,
  Rank,
  START,
  search,
  type WalkStep,
  type Way,
  wayBelow,
} from './walk'

/** The part of the path that an entry matched, and the parameters in it. */
export type Found = Pick<PatternMatch, 'path' | 'params'>

/** The run of one request through one table, as comparisons see it. */
export interface TableRun {
  readonly table: Table
  readonly state: RequestState
  readonly req: Request
  /** The way in from an outer table; undefined for a table that the app mounts. */
  readonly descent: Descent | undefined
  /** The path of the table, below the app. */
  readonly baseUrl: string
  /** The path of the request, below the table. */
  readonly path: string
  /** Returns the step of the walk that decided, if it leads to an entry of the table. */
  stepTo(entry: Entry): WalkStep | undefined
}

/** The way into a table that is mounted in another one. */
export interface Descent {
  readonly outer: TableRun
  readonly mount: Mount
  readonly table: Table
  readonly found: Found
  /** The path below the mount. In rare cases `router` asks about another one, and the run follows. */
  readonly path: string
}

/** The reason why a request must not reach an entry. */
export interface EntryRejection {
  /** The rejection of the scheme. */
  readonly error: unknown
  /** `true` if there is a handler for the request. Otherwise the entry is skipped. */
  readonly serves: boolean
}

/** The result of a comparison. */
export type EntryComparison = EntryRejection | undefined | Promise<EntryRejection | undefined>

/** Returns the prefixes on the way to a table. For a table that the app mounts, the root describes them. */
function wayTo({ table: { registry }, descent, state: { root }, baseUrl }: TableRun): Way {
  if (descent !== undefined) return wayBelow(wayTo(descent.outer), descent.mount, descent.found)
  if (root === undefined || root.table === registry) return START
  return (wayFrom(root, registry, baseUrl) as Way | undefined | null) ?? START
}

/** Returns the full name of a route of the table. */
export function nameOf(run: TableRun, route: Pick<NamedPath, 'name'>): string {
  return nameBelow(wayTo(run), route)
}

/** Returns the method and the skipped routes to look for. */
function asking(run: TableRun): Asking {
  const { isSkipped, place: asked } = run.state
  return { method: run.req.method, isSkipped: isSkipped && ((name) => isSkipped(nameOf(run, { name }))), asked }
}

function searchBelow(run: TableRun, table: Table, mount: Mount, found: Found): WalkStep | undefined {
  return search(table, below(run.path, found), askingWithin(asking(run), mount))
}

/** Matches a route or the prefix of a mount. */
export function matchEntry(run: TableRun, entry: NamedPath | Mount): PatternMatch | false {
  const { table, path } = run
  if (entry.kind === 'route') return match(entry.pattern, path)
  const [reading, ...others] = entry.prefix.readings
  if (others.length === 0) return match(reading, path)
  const step = enterMount({ table, path, list: [], version: -1 }, entry, asking(run))
  return step === undefined || (isStray(step.rank) && !leadsTo(run, entry)) ? false : step.found
}

/** Tells whether the path leads to an entry, and not to another one of an outer table. */
function leadsTo(run: TableRun, entry: Entry): boolean {
  const { descent, table, path } = run
  if (search(table, path, asking(run))?.entry !== entry) return false
  return descent === undefined || leadsTo(descent.outer, descent.mount)
}

/** Tells whether a route is skipped because the request's version does not have its operation yet. */
export function isSkipped(run: TableRun, route: NamedPath): boolean {
  const { state } = run
  const viewName = nameOf(run, route)
  if (state.isSkipped?.(viewName) !== true) return false
  state.skippedName = viewName
  return true
}

/** Tells whether another path of the OpenAPI document has more literal text, so that the request is for that operation. */
export function isBeaten(run: TableRun, route: NamedPath): boolean {
  const best = search(run.table, run.path, asking(run))
  return best?.rank === Rank.route && isMoreLiteral(best, { entry: route })
}

/** Returns the error for a request that skipped such a route, if its version has no other route for it. */
export function absent({ state, req }: TableRun): Error | undefined {
  const { skippedName: passedBy } = state
  if (passedBy === undefined) return undefined
  state.skippedName = undefined
  const root = state.place as Root
  const viewName = matchOf(root)?.viewName
  const isServed = typeof viewName === 'string' && root.table.serves(viewName, req.method)
  return isServed ? undefined : state.changes?.absent(req, passedBy)
}

/** Returns the parameters that the table has callbacks for. */
export function watched({ table: { router } }: TableRun, params: Params): string[] {
  return Object.keys(params).filter((name) => Object.hasOwn(router.params, name))
}

/** Compares the mount of a table in the app. */
export function compareTable(run: TableRun): EntryComparison {
  const way = wayTo(run)
  if (isStart(way)) return undefined
  const step = search(run.table, run.path, asking(run))
  return judge(run, matchBelow(way, step), true, () => step?.rank === Rank.route)
}

/** Compares an entry. */
export function compareEntry(run: TableRun, entry: Entry, found: Found): EntryComparison {
  const match = matchAt(run, entry, found)
  if (match === undefined) return undefined
  const lenient =
    entry.kind === 'middleware' ||
    (entry.kind === 'mount' && entry.table !== undefined && watched(run, found.params).length === 0)
  return judge(run, match, lenient, () => serves(run, entry, found))
}

/**
 * Compares a match.
 *
 * @param lenient `true` lets text pass that is not a version. Deeper entries that name a version are compared
 *   themselves.
 */
function judge(run: TableRun, match: ResolverMatch, lenient: boolean, serves: () => boolean): EntryComparison {
  const { req, state, baseUrl, path } = run
  const { config, params, decision } = state
  const { scheme } = config as Versioning
  const whole = baseUrl + path
  // The neutral paths are those below the mount of `versioning()`.
  const inside = whole.startsWith(state.baseUrl) ? whole.slice(state.baseUrl.length) || '/' : ''
  if (config?.isNeutral(inside, req.method, () => match)) return undefined
  const bar = (mismatch: Mismatch | undefined): EntryRejection | undefined =>
    mismatch === undefined || (lenient && !mismatch.other) ? undefined : { error: mismatch.error, serves: serves() }
  const compared = compare(scheme, decision.version, req, { ...params, ...match.params }, match)
  return compared instanceof Promise ? compared.then(bar) : bar(compared)
}

/** Returns the match of an entry; `undefined` for an entry that adds nothing that could name a version. */
export function matchAt(run: TableRun, entry: Entry, found: Found): ResolverMatch | undefined {
  const { params } = found
  if (entry.kind === 'middleware' && Object.keys(params).length === 0) return undefined
  const way = wayTo(run)
  if (entry.kind === 'route') return described(way, entry, params)
  if (entry.kind === 'middleware') return described(way, null, params)
  const beyond = wayBelow(way, entry, found)
  if (entry.table === undefined) return isStart(beyond) ? undefined : described(beyond, null)
  return beyond === way ? undefined : matchBelow(beyond, searchBelow(run, entry.table, entry, found))
}

/** Tells whether an entry has a handler for the request. Routers that are not tables are assumed to have one. */
function serves(run: TableRun, entry: Entry, found: Found): boolean {
  if (entry.kind === 'route') return handles(entry.route, run.req.method)
  if (entry.kind === 'middleware' || entry.table === undefined) return true
  return searchBelow(run, entry.table, entry, found)?.rank === Rank.route
}

function matchBelow(way: Way, step: WalkStep | undefined): ResolverMatch {
  return step === undefined ? described(way, null) : matchFrom(way, step)
}

/** The difference between the version that a match names and the version that was decided. */
interface Mismatch {
  /** The rejection of the scheme. */
  readonly error: unknown
  /** `true` if the match names another version; `false` if the text in the version's place is not a version. */
  readonly other: boolean
}

type Compared = Mismatch | undefined | Promise<Mismatch | undefined>

/**
 * Asks each scheme that reads the route which version a match names. It may name the decided version or none. The
 * version is not decided anew.
 */
export function compare(
  { routeReaders }: Scheme,
  version: string | null | undefined,
  req: Request,
  kwargs: RouteParams,
  match: ResolverMatch,
): Compared {
  let compared: Compared
  for (const scheme of routeReaders) {
    const mismatch = (named: string | null | undefined) =>
      (named ?? version) === version ? undefined : { error: scheme.invalidVersion(named), other: true }
    const ask = () => {
      try {
        const named = scheme.named(req, kwargs, match)
        return isThenable(named) ? Promise.resolve(named).then(mismatch).catch(mismatchOf) : mismatch(named)
      } catch (error) {
        return mismatchOf(error)
      }
    }
    compared = compared instanceof Promise ? compared.then((found) => found ?? ask()) : (compared ?? ask())
  }
  return compared
}

function mismatchOf(error: unknown): Mismatch | undefined {
  const { code } = Object(error) as { code?: unknown }
  // A custom scheme that only has `determineVersion()` throws this error if the route names no version.
  return code === 'ERR_VERSION_MISSING' ? undefined : { error, other: code !== 'ERR_VERSION_NOT_FOUND' }
}
