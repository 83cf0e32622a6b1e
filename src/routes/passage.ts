import type { Request } from 'express'
import { isPreflight } from '../http/preflight'
import { judge, type Mismatch, type Verdict } from '../request/judge'
import { matchOf, rootOf, wayFrom, withoutSlash } from '../request/place'
import type { RequestState, Walk } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import { NO_PARAMS, type Params, type PatternMatch } from './pattern'
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

/** How much of the path an entry matched, and the parameters in it. */
export type Found = Pick<PatternMatch, 'path' | 'params'>

/** The way into a table that is mounted in another one. */
export interface Descent {
  readonly outer: Passage
  readonly mount: Mount
  readonly found: Found
}

const EVERYTHING: Found = { path: '', params: NO_PARAMS }

/** Where one request is in one table, and whether what it is about to reach belongs to its version. */
export class Passage {
  readonly baseUrl: string
  /** The path that counts here, as of the last look. */
  path = ''

  // The step of the walk that decided, in this table: for which walk and path.
  #walk: Walk | undefined
  #walkPath = ''
  #step: Step | undefined

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    /** The mount by which the table was entered; the table as users know it, where the app mounts it. */
    readonly from: Descent | RouteRegistry,
  ) {
    this.baseUrl = req.baseUrl ?? ''
  }

  /** What the request asks this table for. Middleware, or a program that calls the table, may have left out the method. */
  get #asking(): Asking {
    const { state, req } = this
    const { isAhead } = state
    const prefix = isAhead === undefined ? '' : nameBelow(this.way(), { name: '' })
    return { method: req.method ?? '', isAhead: isAhead && ((viewName) => isAhead(prefix + viewName)) }
  }

  /** The prefixes on the way to this table; to one that the app mounts itself, as the root describes it. */
  way(): Way {
    const { from } = this
    if ('outer' in from) return wayBelow(from.outer.way(), from.mount, from.found)
    const { root } = this.state
    if (root === undefined || root.table === from) return START
    return (wayFrom(root, from, this.baseUrl) as Way | undefined | null) ?? START
  }

  /** The step of the walk that decided, in this table, while the path is still the same. */
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

  /** That step, where it leads to an entry. */
  stepAt(entry: Entry): Step | undefined {
    const step = this.step()
    return step?.entry === entry ? step : undefined
  }

  /**
   * Matches an entry, as `router` would.
   *
   * @throws {Error} the 400 of `router` for a malformed escape in a parameter.
   */
  read(entry: Entry): Found | false {
    const { path } = this
    if (entry.kind === 'middleware') return entry.layer.slash ? EVERYTHING : (entry.layer.match(path) as Found | false)
    const found = this.stepAt(entry)?.found ?? this.#match(entry)
    return found !== false && found.malformed ? ((entry.layer?.match(path) ?? false) as Found | false) : found
  }

  #match(entry: Exclude<Entry, { kind: 'middleware' }>): PatternMatch | false {
    if (entry.kind === 'route') return entry.pattern.match(this.path)
    if (entry.prefix.readings.length === 1) return entry.prefix.match(this.path)
    return (
      enterMount({ table: this.table, path: this.path, list: [], version: -1 }, entry, this.#asking)?.found ?? false
    )
  }

  /** Whether a route is passed by, because the version of the request does not have its operation yet. */
  isAhead(route: NamedPath): boolean {
    const { state } = this
    if (state.isAhead === undefined) return false
    const viewName = nameBelow(this.way(), route)
    if (!state.isAhead(viewName)) return false
    state.passedBy = viewName
    return true
  }

  /** The error for a request that came by such a route, and whose version has no other one for it. */
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

  /** The methods of a route whose operations are there in the version of the request. */
  methodsOf(entry: NamedPath, methods: readonly string[]): string[] {
    const { config, version } = this.state
    const viewName = nameBelow(this.way(), entry)
    return methods.filter(
      (method) => typeof version !== 'string' || config?.changes?.hasOperation(method, viewName, version) !== false,
    )
  }

  /** The parameters that the table has callbacks for. */
  watched(params: Params): string[] {
    const callbacks = this.table.router.params
    for (const _ in callbacks) return Object.keys(params).filter((name) => Object.hasOwn(callbacks, name))
    return NO_NAMES
  }

  /** Compares where the app has mounted the table with what was decided. */
  compareTable(): Verdict {
    const { state, req, table, path } = this
    if (state.config?.readsRoute !== true || state.root?.table === this.from) return undefined
    if (this.#isDecided() && this.step() !== undefined) return undefined
    const way = this.way()
    if (way === START || isPreflight(req)) return undefined
    const step = search(table, path, this.#asking)
    return this.#judge(step === undefined ? described(way, null) : matchFrom(way, step))
  }

  /** Compares the entry that the request is about to reach with what was decided, unless this is what decided. */
  compare(entry: Entry, found: Found): Verdict {
    const { state, req } = this
    if (state.config?.readsRoute !== true) return undefined
    if (this.#isDecided() && this.stepAt(entry) !== undefined) return undefined
    // The browser asks it without what the real request names.
    if (isPreflight(req)) return undefined
    const match = this.matchAt(entry, found)
    return match === undefined ? undefined : this.#judge(match)
  }

  #judge(match: ResolverMatch): Verdict {
    return judge(this.state, this.req, match, this.baseUrl + this.path)
  }

  /** Whether the walk, and it alone, says of the request what was decided. */
  #isDecided(): boolean {
    const { fromWalk, version } = this.state.decision
    return fromWalk && version !== undefined
  }

  /** Whether the request may go on to an entry all the same. */
  mayEnter(entry: Entry, { params }: Found, mismatch: Mismatch): boolean {
    if (mismatch.other) return false
    // Text that is no version may be anything; what names a version in there, or by a longer path, is compared itself.
    return (
      entry.kind === 'middleware' ||
      (entry.kind === 'mount' && entry.table !== undefined && this.watched(params).length === 0)
    )
  }

  /** What the request finds at an entry, as a match; `undefined` for an entry that adds nothing that could name a version. */
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

  /** Whether an entry has a handler for the request; of a router that is no table nobody knows. */
  serves(entry: Entry, found: Found): boolean {
    const { path, req } = this
    if (entry.kind === 'route') return handles(entry.route, req.method)
    if (entry.kind === 'middleware' || entry.table === undefined) return true
    return search(entry.table, below(path, found), askingWithin(this.#asking, entry))?.rank === Rank.route
  }

  /** Whether the table has a route for the request, itself or in what it includes. */
  hasRoute(): boolean {
    return search(this.table, this.path, this.#asking)?.rank === Rank.route
  }
}

const NO_NAMES: string[] = []
