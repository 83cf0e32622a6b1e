// The place of a request in a table, and the comparison of the next entry with the decided version.
import type { Request } from 'express'
import type { Layer } from 'router'
import { isPreflight } from '../http/preflight'
import { judge, type Mismatch, type Verdict } from '../request/judge'
import { matchOf, rootOf, wayFrom, withoutSlash } from '../request/place'
import type { RequestState, Walk } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import type { Params } from './pattern'
import type { Entry, Mount, NamedPath, RouterRoute, Table } from './table'
import {
  type Asking,
  askingWithin,
  below,
  described,
  enterMount,
  handles,
  match,
  matchFrom,
  NO_PARAMS,
  nameBelow,
  type PatternMatch,
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

const EVERYTHING: Found = { path: '', params: NO_PARAMS }

/** Tells whether an object has any members. */
export function hasNames(object: object | undefined): boolean {
  for (const _ in object) return true
  return false
}

/** The place of one request in one table. It compares the next entry with the request's version. */
export class Passage {
  /** The path below this table, as of the last look. */
  path = ''

  // The step of the walk that decided, in this table. It is valid for one walk and one path.
  #walk: Walk | undefined
  #walkPath = ''
  #step: Step | undefined

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    /** The mount by which the request entered; for a table that the app mounts, the table as users know it. */
    readonly from: Descent | RouteRegistry,
    readonly baseUrl = req.baseUrl ?? '',
  ) {}

  /** Returns the place of the request in a table mounted in this one. */
  below(table: Table, mount: Mount, found: Found): Passage {
    const { state, req, baseUrl } = this
    return new Passage(table, state, req, { outer: this, mount, found }, baseUrl + withoutSlash(found.path))
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

  /** Returns the prefixes on the way to this table. For a table that the app mounts, the root describes them. */
  way(): Way {
    const { from } = this
    if ('outer' in from) return wayBelow(from.outer.way(), from.mount, from.found)
    const { root } = this.state
    if (root === undefined || root.table === from) return START
    return (wayFrom(root, from, this.baseUrl) as Way | undefined | null) ?? START
  }

  /** Returns the step of the walk that decided, in this table, if the path is still the same. */
  step(): Step | undefined {
    const walk = this.state.root?.walk
    if (walk !== this.#walk || this.path !== this.#walkPath) {
      this.#walk = walk
      this.#walkPath = this.path
      const step = walk instanceof TableWalk ? this.#stepOf(walk) : undefined
      this.#step = step?.path === this.path ? step : undefined
    }
    return this.#step
  }

  #stepOf(walk: TableWalk): Step | undefined {
    const { from } = this
    if ('outer' in from) return from.outer.stepAt(from.mount)?.inner
    let baseUrl = this.state.root?.baseUrl
    let step = walk.first
    while (step !== undefined && (step.table !== this.table || baseUrl !== this.baseUrl)) {
      baseUrl += withoutSlash(step.found.path)
      step = step.inner
    }
    return step
  }

  /** Returns that step, if it leads to an entry. */
  stepAt(entry: Entry): Step | undefined {
    const step = this.step()
    return step?.entry === entry ? step : undefined
  }

  /**
   * Matches an entry as `router` would.
   *
   * @throws {Error} the 400 of `router` for a malformed escape in a parameter.
   */
  read(entry: Entry): Found | false {
    const { path } = this
    if (entry.kind === 'middleware') return entry.layer.slash ? EVERYTHING : (entry.layer.match(path) as Found | false)
    const found = this.stepAt(entry)?.found ?? this.#match(entry)
    return found !== false && found.malformed ? ((entry.layer as Layer).match(path) as Found | false) : found
  }

  /** Returns the match of a mount's prefix. */
  prefixOf(mount: Mount): Found | false {
    return this.stepAt(mount)?.found ?? this.#match(mount)
  }

  #match(entry: Exclude<Entry, { kind: 'middleware' }>): PatternMatch | false {
    if (entry.kind === 'route') return match(entry.pattern, this.path)
    const [reading, ...others] = entry.prefix.readings
    if (others.length === 0) return match(reading, this.path)
    return (
      enterMount({ table: this.table, path: this.path, list: [], version: -1 }, entry, this.#asking)?.found ?? false
    )
  }

  /** Tells whether `router` would enter a route. For HEAD it enters a route with any methods. */
  takes(route: NamedPath): boolean {
    const { method } = this.req
    const step = method === this.state.root?.method ? this.stepAt(route) : undefined
    return step?.rank === Rank.route || method === 'HEAD' || handles(route.route, method)
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

  /** Returns a route as `router` uses it. For OPTIONS, the route has only the methods of the request's version. */
  routeOf(entry: NamedPath): RouterRoute | undefined {
    const { req, state } = this
    const { config, version } = state
    const { route } = entry
    const changes = config?.changes
    if (req.method !== 'OPTIONS' || changes === undefined || typeof version !== 'string') return route
    const viewName = nameBelow(this.way(), entry)
    const methods = () => route?._methods().filter((method) => changes.hasOperation(method, viewName, version))
    return Object.create(route as RouterRoute, { _methods: { value: methods } }) as RouterRoute
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

  /** Compares the mount of this table in the app with the decided version. */
  compareTable(): Verdict {
    const { state, req, table, path } = this
    if (state.config?.readsRoute !== true || state.root?.table === this.from) return undefined
    if (this.#isDecided() && this.step() !== undefined) return undefined
    const way = this.way()
    if (way === START || isPreflight(req)) return undefined
    const step = search(table, path, this.#asking)
    return this.#judge(step === undefined ? described(way, null) : matchFrom(way, step))
  }

  /** Compares the next entry with the decided version, unless the version was decided by this entry. */
  compare(entry: Entry, found: Found): Verdict {
    const { req } = this
    if (!this.isComparedAt(entry)) return undefined
    // A preflight request of a browser does not name a version as the real request does.
    if (isPreflight(req)) return undefined
    const match = this.matchAt(entry, found)
    return match === undefined ? undefined : this.#judge(match)
  }

  /** Tells whether an entry must be compared. The entry of the walk that decided need not be. */
  isComparedAt(entry: Entry): boolean {
    if (this.state.config?.readsRoute !== true) return false
    return !this.#isDecided() || this.stepAt(entry) === undefined
  }

  #judge(match: ResolverMatch): Verdict {
    return judge(this.state, this.req, match, this.baseUrl + this.path)
  }

  /** Tells whether the version was decided from the walk alone. */
  #isDecided(): boolean {
    const { fromWalk, version } = this.state.decision
    return fromWalk && version !== undefined
  }

  /** Tells whether the request may enter an entry despite a mismatch. */
  mayEnter(entry: Entry, { params }: Found, mismatch: Mismatch): boolean {
    if (mismatch.other) return false
    // Text that is not a version may be anything. Deeper entries that name a version are compared themselves.
    return (
      entry.kind === 'middleware' ||
      (entry.kind === 'mount' && entry.table !== undefined && this.watched(params).length === 0)
    )
  }

  /** Returns the match of an entry; `undefined` for an entry that adds nothing that could name a version. */
  matchAt(entry: Entry, found: Found): ResolverMatch | undefined {
    const way = this.way()
    if (entry.kind === 'route') return described(way, entry, found.params)
    if (entry.kind === 'middleware')
      return Object.keys(found.params).length === 0 ? undefined : described(way, null, found.params)
    const beyond = wayBelow(way, entry, found)
    if (entry.table === undefined) return beyond === START ? undefined : described(beyond, null)
    if (beyond === way) return undefined
    const step = search(entry.table, below(this.path, found), askingWithin(this.#asking, entry))
    return step === undefined ? described(beyond, null) : matchFrom(beyond, step)
  }

  /** Tells whether an entry has a handler for the request. Routers that are not tables are assumed to have one. */
  serves(entry: Entry, found: Found): boolean {
    const { path, req } = this
    if (entry.kind === 'route') return handles(entry.route, req.method)
    if (entry.kind === 'middleware' || entry.table === undefined) return true
    return search(entry.table, below(path, found), askingWithin(this.#asking, entry))?.rank === Rank.route
  }

  /** Tells whether the table, or a table in it, has a route for the request. */
  hasRoute(): boolean {
    return search(this.table, this.path, this.#asking)?.rank === Rank.route
  }
}
