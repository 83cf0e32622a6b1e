// The place of a request in a table, and the comparison of the next entry with the decided version.
import type { Request } from 'express'
import { isPreflight } from '../http/preflight'
import { matchOf, rootOf, wayFrom, withoutSlash } from '../request/place'
import type { RequestState, Scheme, Versioning, Walk } from '../request/state'
import type { ResolverMatch, RouteParams, RouteRegistry } from '../types'
import { isThenable } from '../util/thenable'
import type { Params, PatternMatch } from './pattern'
import { type Entry, handles, type Mount, type NamedPath, type Table } from './table'
import {
  type Asking,
  askingWithin,
  below,
  described,
  enterMount,
  matchFrom,
  nameBelow,
  Rank,
  START,
  type Step,
  search,
  TableWalk,
  type Way,
  wayBelow,
} from './walk'

/** The part of the path that an entry matched, and the parameters in it. */
export type Found = Pick<PatternMatch, 'path' | 'params'>

/** The way into a table that is mounted in another one. */
export interface Descent {
  readonly outer: Passage
  readonly mount: Mount
  readonly found: Found
}

/** The reason why a request must not reach an entry. */
export interface Mismatch {
  /** The refusal of the scheme. */
  readonly error: unknown
  /** `true` if the entry belongs to another version; `false` if the text in the version's place is not a version. */
  readonly other: boolean
}

export type Verdict = Mismatch | undefined | Promise<Mismatch | undefined>

/** The place of one request in one table. */
export class Passage {
  /** The path below this table, as of the last look. */
  path = ''

  // The step of the walk that decided, in this table. It is valid for one walk and one path.
  #walk: Walk | undefined
  #step: Step | undefined

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    /** The mount by which the request entered; for a table that the app mounts, the table as users know it. */
    readonly from: Descent | RouteRegistry,
    readonly baseUrl: string,
  ) {}

  /** Notes the path of the request below this table. */
  moveTo(path: string): void {
    this.path = path
    this.#walk = undefined
    this.#step = undefined
  }

  /** Returns the step of the walk that decided, in this table, if the path is still the same. */
  step(): Step | undefined {
    const walk = this.state.root?.walk
    if (walk !== this.#walk) {
      this.#walk = walk
      const step = walk instanceof TableWalk ? this.#stepOf(walk) : undefined
      this.#step = step?.path === this.path ? step : undefined
    }
    return this.#step
  }

  #stepOf(walk: TableWalk): Step | undefined {
    const { from } = this
    if ('outer' in from) return from.outer.stepTo(from.mount)?.inner
    let baseUrl = this.state.root?.baseUrl
    let step = walk.first
    while (step !== undefined && (step.table !== this.table || baseUrl !== this.baseUrl)) {
      baseUrl += withoutSlash(step.found.path)
      step = step.inner
    }
    return step
  }

  /** Returns that step, if it leads to an entry. */
  stepTo(entry: Entry): Step | undefined {
    const step = this.step()
    return step?.entry === entry ? step : undefined
  }

  /** Returns the prefixes on the way to this table. For a table that the app mounts, the root describes them. */
  way(): Way {
    const { from } = this
    if ('outer' in from) return wayBelow(from.outer.way(), from.mount, from.found)
    const { root } = this.state
    if (root === undefined || root.table === from) return START
    return (wayFrom(root, from, this.baseUrl) as Way | undefined | null) ?? START
  }

  /**
   * The method and the skipped routes to look for. The method may be missing if middleware or a program calls the
   * table.
   */
  get #asking(): Asking {
    const { state, req } = this
    const { isAhead } = state
    const prefix = isAhead === undefined ? '' : nameBelow(this.way(), { name: '' })
    return { method: req.method ?? '', isAhead: isAhead && ((viewName) => isAhead(prefix + viewName)) }
  }

  /** Matches a route or the prefix of a mount. */
  matchOf(entry: NamedPath | Mount): PatternMatch | false {
    const { table, path } = this
    if (entry.kind === 'route') return entry.pattern.match(path)
    if (entry.prefix.readings.length === 1) return entry.prefix.match(path)
    return enterMount({ table, path, list: [], version: -1 }, entry, this.#asking)?.found ?? false
  }

  /** Tells whether a route is skipped because the request's version does not have its operation yet. */
  isAhead(route: NamedPath): boolean {
    const { state } = this
    if (state.isAhead === undefined) return false
    const viewName = nameBelow(this.way(), route)
    if (!state.isAhead(viewName)) return false
    state.passedBy = viewName
    return true
  }

  /** Returns the error for a request that skipped such a route, if its version has no other route for it. */
  absent(): Error | undefined {
    const { state, req } = this
    const { passedBy, config } = state
    if (passedBy === undefined) return undefined
    state.passedBy = undefined
    const root = rootOf(state)
    const { viewName = null } = matchOf(root) ?? {}
    const isServed = viewName !== null && (root?.table.handlersOf(viewName, req.method).length ?? 0) > 0
    return isServed ? undefined : config?.changes?.absent(req, passedBy)
  }

  /** Tells whether the table has callbacks for parameters. */
  hasCallbacks(): boolean {
    return hasNames(this.table.router.params)
  }

  /** Returns the parameters that the table has callbacks for. */
  watched(params: Params): string[] {
    if (!this.hasCallbacks()) return []
    return Object.keys(params).filter((name) => Object.hasOwn(this.table.router.params, name))
  }

  /**
   * Tells whether an entry needs no comparison: the version was decided by the walk's step to it, or does not depend on
   * the route. A preflight request of a browser does not name a version as the real request does.
   */
  trusts(step: Step | undefined): boolean {
    const { config, decision } = this.state
    if (config?.readsRoute !== true) return true
    return (step !== undefined && decision.fromWalk && decision.version !== undefined) || isPreflight(this.req)
  }

  /** Compares the mount of this table in the app. */
  compareTable(): Verdict {
    if (this.state.root?.table === this.from || this.trusts(this.step())) return undefined
    const way = this.way()
    return way === START ? undefined : this.#judge(matchBelow(way, this.#search()))
  }

  /** Compares an entry. */
  compare(entry: Entry, found: Found): Verdict {
    const match = this.matchAt(entry, found)
    const verdict = match && this.#judge(match)
    // Text that is not a version may be anything. Deeper entries that name a version are compared themselves.
    const lenient =
      entry.kind === 'middleware' ||
      (entry.kind === 'mount' && entry.table !== undefined && this.watched(found.params).length === 0)
    const barring = (mismatch: Mismatch | undefined) => (lenient && mismatch?.other === false ? undefined : mismatch)
    return isThenable(verdict) ? verdict.then(barring) : barring(verdict)
  }

  #judge(match: ResolverMatch): Verdict {
    const { req, state, baseUrl, path } = this
    const { config, params, decision } = state
    const { scheme } = config as Versioning
    const full = baseUrl + path
    // A neutral path is one below the mount of `versioning()`.
    const inside = full.startsWith(state.baseUrl) ? full.slice(state.baseUrl.length) || '/' : ''
    if (config?.isNeutral(inside, () => match)) return undefined
    return compare(scheme, decision.version, req, { ...params, ...match.params }, match)
  }

  /** Returns the match of an entry; `undefined` for an entry that adds nothing that could name a version. */
  matchAt(entry: Entry, found: Found): ResolverMatch | undefined {
    const way = this.way()
    if (entry.kind === 'route') return described(way, entry, found.params)
    if (entry.kind === 'middleware') return hasNames(found.params) ? described(way, null, found.params) : undefined
    const beyond = wayBelow(way, entry, found)
    if (entry.table === undefined) return beyond === START ? undefined : described(beyond, null)
    return beyond === way ? undefined : matchBelow(beyond, this.#searchIn(entry.table, entry, found))
  }

  /** Tells whether an entry has a handler for the request. Routers that are not tables are assumed to have one. */
  serves(entry: Entry, found: Found): boolean {
    if (entry.kind === 'route') return handles(entry.route, this.req.method)
    if (entry.kind === 'middleware' || entry.table === undefined) return true
    return this.#searchIn(entry.table, entry, found)?.rank === Rank.route
  }

  /** Tells whether the table, or a table in it, has a route for the request. */
  hasRoute(): boolean {
    return this.#search()?.rank === Rank.route
  }

  #search(): Step | undefined {
    return search(this.table, this.path, this.#asking)
  }

  #searchIn(table: Table, mount: Mount, found: Found): Step | undefined {
    return search(table, below(this.path, found), askingWithin(this.#asking, mount))
  }
}

function matchBelow(way: Way, step: Step | undefined): ResolverMatch {
  return step === undefined ? described(way, null) : matchFrom(way, step)
}

/** Tells whether an object has any members. */
export function hasNames(object: object | undefined): boolean {
  for (const _ in object) return true
  return false
}

/**
 * Asks each scheme that reads the route which version a match names. It may name the decided version or none. The
 * version is not decided anew.
 *
 * @returns `undefined` if the request may go on.
 */
export function compare(
  { routeReaders }: Scheme,
  version: string | null | undefined,
  req: Request,
  kwargs: RouteParams,
  match: ResolverMatch,
): Verdict {
  let verdict: Verdict
  for (const reader of routeReaders) {
    const ask = () => askOne(reader, version, req, kwargs, match)
    verdict = isThenable(verdict) ? verdict.then((found) => found ?? ask()) : (verdict ?? ask())
  }
  return verdict
}

function askOne(
  scheme: Scheme,
  version: string | null | undefined,
  req: Request,
  kwargs: RouteParams,
  match: ResolverMatch,
): Verdict {
  const verdict = (named: string | null | undefined): Mismatch | undefined =>
    named === undefined || named === null || named === version
      ? undefined
      : { error: scheme.invalidVersion(named), other: true }
  try {
    const named = scheme.named(req, kwargs, match)
    return isThenable(named) ? Promise.resolve(named).then(verdict, mismatchOf) : verdict(named)
  } catch (error) {
    return mismatchOf(error)
  }
}

function mismatchOf(error: unknown): Mismatch | undefined {
  const { code } = Object(error) as { code?: unknown }
  // A custom scheme that only has `determineVersion()` throws this error if the route names no version.
  return code === 'ERR_VERSION_MISSING' ? undefined : { error, other: code !== 'ERR_VERSION_NOT_FOUND' }
}
