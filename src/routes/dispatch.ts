import type { Request, Response } from 'express'
import type Router from 'router'
import { isPreflight } from '../http/preflight'
import { judge, type Mismatch } from '../request/judge'
import { parsedUrl, wayFrom, withoutSlash } from '../request/place'
import type { RequestState, Walk } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import { isThenable } from '../util/thenable'
import { answerOptions, authorityOf, isEmpty, merged } from './as-router'
import { type Calls, runCallbacks } from './param-callbacks'
import { NO_PARAMS, type PatternMatch } from './pattern'
import { type Entry, handles, type Mount, type NamedPath, type RouterRoute, type Table } from './table'
import { isTraced, tracedLayer, tracedPattern, tracePattern } from './tracing'
import {
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

type Next = (error?: unknown) => void
type Found = Pick<PatternMatch, 'path' | 'params'>

const EVERYTHING: Found = { path: '', params: NO_PARAMS }

/** The url of a request before it was looked at. */
const NOWHERE = Symbol('nowhere')

/** What trying an entry comes to when the request is on its way to it; else it is the error that is pending, if any. */
const HANDED_ON = Symbol('handed on')

/**
 * One request on its way through one table: what `router`'s own loop does with the same layers, with three differences. Only
 * the layers that can match the path are asked; where the path is the one that decided the version, its walk is followed, and
 * nothing is matched again; and where it is another, what it leads to is compared with what was decided before anything runs.
 */
export class Dispatch {
  // The request as it came, to be restored on leaving.
  readonly #baseUrl: string
  readonly #params: Request['params']
  readonly #next: Request['next']
  /** Scheme and authority of a target in absolute form. */
  readonly #authority: string

  // Where the request is: the path of its url, what may match that, and how far it was tried.
  #url: unknown = NOWHERE
  #path = ''
  /** Whether the url is its path and query, and no more. */
  #plain = false
  #version = -1
  #found: readonly Entry[] = []
  #at = 0
  #last = -1

  // What the current mount took off the url.
  #removed = ''
  #slashAdded = false

  // The walk that was looked at last, for which path, and its step in this table.
  #walk: Walk | undefined
  #walkPath = ''
  #step: Step | undefined

  #synchronous = 0
  #calls: Calls | undefined
  /** The methods of the routes that match, for the answer to OPTIONS. */
  readonly #methods: Set<string> | undefined
  /** Of the table's own place, where somebody listens to the tracing channel. */
  readonly #pattern: { readonly outer: unknown } | undefined

  constructor(
    private readonly table: Table,
    private readonly state: RequestState,
    private readonly req: Request,
    private readonly res: Response,
    private readonly done: Next,
    /** The table as users know it, or the dispatch of the one that it is mounted in, and where. */
    private readonly from: RouteRegistry | { readonly outer: Dispatch; readonly mount: Mount; readonly found: Found },
    /** The request's url before the mount. */
    url: unknown = undefined,
  ) {
    this.#baseUrl = req.baseUrl ?? ''
    this.#params = req.params
    this.#next = req.next
    this.#authority = authorityOf(req.url)
    this.#methods = req.method === 'OPTIONS' ? new Set() : undefined
    this.#pattern = isTraced() ? { outer: tracedPattern(req) } : undefined
    if ('outer' in from) {
      const { outer, found } = from
      // Callbacks of `param()` may have moved the request.
      if (outer.#plain && url === outer.#url) {
        // What `router` would read from what the mount left of the url.
        this.#url = req.url
        this.#path = below(outer.#path, found)
        this.#plain = true
      }
    }
  }

  run(): void {
    const { req } = this
    req.next = this.next
    req.baseUrl = this.#baseUrl
    req.originalUrl = req.originalUrl || req.url
    const mismatch = 'outer' in this.from ? undefined : this.#entered()
    if (isThenable(mismatch)) mismatch.then((later) => this.#admit(later), this.done)
    else this.#admit(mismatch)
  }

  /** Compares where the app has mounted a table with what was decided, as it is done for the mounts of tables. */
  #entered(): ReturnType<typeof judge> {
    const { state, req } = this
    if (state.config?.readsRoute !== true || state.root?.table === this.from || !this.#locate()) return undefined
    if (this.#isDecided() && this.#currentStep() !== undefined) return undefined
    const way = this.#way()
    if (way === START || isPreflight(req)) return undefined
    const step = search(this.table, this.#path, req.method)
    const match = step === undefined ? described(way, null) : matchFrom(way, step)
    return judge(state, req, match, this.#baseUrl + this.#path)
  }

  /** Goes through the table; but one of another version is passed by, or refused where it has a route for the request. */
  #admit(mismatch: Mismatch | undefined): void {
    const { state, req, res } = this
    if (mismatch?.other !== true) this.next()
    else if (search(this.table, this.#path, req.method)?.rank === Rank.route) {
      state.config?.refused(req, res, state, mismatch.error)
      this.#leave(mismatch.error)
    } else this.#leave(undefined)
  }

  readonly next: Next = (error) => {
    this.state.at = undefined
    this.#comeBack()
    if (error === 'router') {
      setImmediate(() => this.#leave(undefined))
      return
    }
    if (++this.#synchronous > 100) {
      setImmediate(() => {
        this.#synchronous = 0
        this.next(error)
      })
      return
    }
    let pending = error === 'route' ? undefined : error
    if (this.#locate()) {
      while (this.#at < this.#found.length) {
        const entry = this.#found[this.#at++] as Entry
        if (entry.layer === undefined) continue
        this.#last = entry.order
        const outcome = this.#try(entry, entry.layer, pending)
        if (outcome === HANDED_ON) return
        pending = outcome
      }
    }
    // What called back without waiting is on the stack still, and tables may follow on tables.
    if (this.#synchronous > 1) setImmediate(() => this.#leave(pending))
    else this.#leave(pending)
  }

  /** Undoes what a mount did to the request, which middleware may have moved to another path meanwhile. */
  #comeBack(): void {
    const { req } = this
    if (this.#slashAdded) {
      const bare = req.url === '/' || req.url.startsWith('/?')
      if (bare || (this.#removed.endsWith('/') && req.url.startsWith('/'))) req.url = req.url.slice(1)
      this.#slashAdded = false
    }
    if (this.#removed === '') return
    req.baseUrl = this.#baseUrl
    req.url = this.#authority + this.#removed + req.url.slice(this.#authority.length)
    this.#removed = ''
  }

  #leave(error: unknown): void {
    const { req, res } = this
    if (!error && this.#methods !== undefined && this.#methods.size > 0) {
      try {
        answerOptions(res, this.#methods)
        return
      } catch (failed) {
        this.#leaveWith(req, failed)
        return
      }
    }
    this.#leaveWith(req, error)
  }

  #leaveWith(req: Request, error: unknown): void {
    req.baseUrl = this.#baseUrl
    req.next = this.#next
    req.params = this.#params
    if (this.#pattern !== undefined) tracePattern(req, this.#pattern.outer)
    this.done(error)
  }

  /** Looks up what may match the path, from where the request stands in the table's order. False for a url without a path. */
  #locate(): boolean {
    const { req } = this
    const { index } = this.table
    if (req.url !== this.#url) {
      this.#url = req.url
      this.#version = -1
      const parsed = parsedUrl(req)
      if (typeof parsed?.pathname !== 'string') {
        this.#url = NOWHERE
        return false
      }
      this.#path = parsed.pathname
      this.#plain = parsed.path === req.url
    }
    if (index.version === this.#version) return true
    this.#version = index.version
    const step = this.#currentStep()
    this.#found = step?.version === index.version ? step.list : index.find(this.#path)
    this.#at = this.#last === -1 ? 0 : this.#found.findIndex(({ order }) => order > this.#last)
    if (this.#at === -1) this.#at = this.#found.length
    return true
  }

  /** Hands the request on to an entry, if that matches and may run; else gives the error that is pending now. */
  #try(entry: Entry, layer: Router.Layer, pending: unknown): unknown {
    if (entry.kind === 'route' && pending) return pending
    let found: Found | false
    try {
      found = this.#match(entry, layer)
    } catch (error) {
      return pending || error
    }
    if (found === false) return pending
    if (entry.kind === 'route' && !this.#mayTake(entry)) {
      this.#offer(entry)
      return pending
    }
    // To an error that is pending, only the callbacks of `param()` are open.
    const mismatch = pending && !this.#watches(found) ? undefined : this.#compared(entry, found)
    if (!isThenable(mismatch)) return this.#follow(entry, layer, found, pending, mismatch)
    const matched = found
    mismatch.then((later) => {
      const outcome = this.#follow(entry, layer, matched, pending, later)
      if (outcome !== HANDED_ON) this.next(outcome)
    }, this.next)
    return HANDED_ON
  }

  /** Hands on, passes by, or refuses, by what a comparison came to. */
  #follow(entry: Entry, layer: Router.Layer, found: Found, pending: unknown, mismatch: Mismatch | undefined): unknown {
    const { state, req, res } = this
    // What is no version may be anything; what names one in there, or by a longer path, is compared itself.
    const open =
      entry.kind === 'middleware' || (entry.kind === 'mount' && entry.table !== undefined && !this.#watches(found))
    if (mismatch === undefined || (open && !mismatch.other)) {
      this.#handOn(entry, layer, found, pending)
      return HANDED_ON
    }
    // What has no handler for the request is passed by: neither its middleware nor its callbacks are the request's.
    if (pending || !this.#serves(entry, found)) return pending
    return state.config?.refused(req, res, state, mismatch.error)
  }

  /** Whether a route has the method. `router` enters one for HEAD all the same; it does nothing there. */
  #mayTake({ route }: NamedPath): boolean {
    const { method } = this.req
    return handles(route, method) || method === 'HEAD'
  }

  #offer({ route }: NamedPath): void {
    if (this.#methods === undefined || this.req.method !== 'OPTIONS') return
    for (const method of Object.keys((route as RouterRoute).methods)) {
      this.#methods.add(method.toUpperCase())
      if (method === 'get') this.#methods.add('HEAD')
    }
  }

  /** @throws the 400 of `router` for a malformed escape in a parameter. */
  #match(entry: Entry, layer: Router.Layer): Found | false {
    if (entry.kind === 'middleware') return layer.slash ? EVERYTHING : (layer.match(this.#path) as Found | false)
    const step = this.#stepAt(entry)
    const found = step === undefined ? this.#read(entry) : step.found
    return found !== false && found.malformed ? (layer.match(this.#path) as Found | false) : found
  }

  #read(entry: NamedPath | Mount): PatternMatch | false {
    if (entry.kind === 'route') return entry.pattern.match(this.#path)
    const { readings } = entry.prefix
    if (readings.length === 1) return entry.prefix.match(this.#path)
    const asked = { table: this.table, path: this.#path, list: this.#found, version: this.#version }
    return enterMount(asked, entry, this.req.method)?.found ?? false
  }

  /** The step of the walk that decided, where it leads to this entry, and the path is still the same. */
  #stepAt(entry: Entry): Step | undefined {
    const step = this.#currentStep()
    return step?.entry === entry ? step : undefined
  }

  #currentStep(): Step | undefined {
    const walk = this.state.root?.walk
    if (walk !== this.#walk || this.#path !== this.#walkPath) {
      this.#walk = walk
      this.#walkPath = this.#path
      const step = walk instanceof TableWalk ? this.#stepOf(walk) : undefined
      this.#step = step?.path === this.#path ? step : undefined
    }
    return this.#step
  }

  #stepOf(walk: TableWalk): Step | undefined {
    if ('outer' in this.from) {
      const outer = this.from.outer.#stepAt(this.from.mount)
      return outer?.inner
    }
    let baseUrl = this.state.root?.baseUrl
    let step = walk.first
    while (step !== undefined && (step.table !== this.table || baseUrl !== this.#baseUrl)) {
      baseUrl += withoutSlash(step.found.path)
      step = step.inner
    }
    return step
  }

  /** Compares what is about to run with what was decided, unless this is what decided. */
  #compared(entry: Entry, found: Found): ReturnType<typeof judge> {
    const { state, req } = this
    if (state.config?.readsRoute !== true) return undefined
    if (this.#isDecided() && this.#stepAt(entry) !== undefined) return undefined
    // The browser asks it without what the real request names.
    if (isPreflight(req)) return undefined
    const match = this.#matchFor(entry, found)
    return match === undefined ? undefined : judge(state, req, match, this.#baseUrl + this.#path)
  }

  /** Whether the walk, and it alone, says of the request what was decided, or the route has no say in it. */
  #isDecided(): boolean {
    const { config, decision } = this.state
    return config?.readsRoute !== true || (decision.fromWalk && decision.version !== undefined)
  }

  /** What a request finds at an entry, as a match; `undefined` for an entry that adds nothing that could name a version. */
  #matchFor(entry: Entry, found: Found): ResolverMatch | undefined {
    const way = this.#way()
    if (entry.kind === 'route') return described(way, entry, found.params)
    if (entry.kind === 'middleware') return isEmpty(found.params) ? undefined : described(way, null, found.params)
    const beyond = wayBelow(way, entry, found)
    if (entry.table === undefined) return beyond === START ? undefined : described(beyond, null)
    if (beyond === way) return undefined
    const step = search(entry.table, below(this.#path, found), this.req.method)
    return step === undefined ? described(beyond, null) : matchFrom(beyond, step)
  }

  /** Whether an entry has a handler for the request; of a router that is no table nobody knows. */
  #serves(entry: Entry, found: Found): boolean {
    if (entry.kind === 'route') return handles(entry.route, this.req.method)
    if (entry.kind !== 'mount' || entry.table === undefined) return true
    return search(entry.table, below(this.#path, found), this.req.method)?.rank === Rank.route
  }

  /** Whether `param()` has a callback for what was matched. */
  #watches({ params }: Found): boolean {
    const callbacks = this.table.router.params
    return Object.keys(params).some((name) => Object.hasOwn(callbacks, name))
  }

  /** The prefixes on the way to this table; to one that the app mounts itself, as the root describes it. */
  #way(): Way {
    if ('outer' in this.from) return wayBelow(this.from.outer.#way(), this.from.mount, this.from.found)
    const { root } = this.state
    if (root === undefined || root.table === this.from) return START
    return (wayFrom(root, this.from, this.#baseUrl) as Way | undefined | null) ?? START
  }

  #handOn(entry: Entry, layer: Router.Layer, found: Found, pending: unknown): void {
    const { req, res } = this
    if (entry.kind === 'route') req.route = entry.route
    if (this.#pattern !== undefined) tracePattern(req, 'pattern' in found ? found.pattern : layer.rawPath)
    req.params = merged(this.#params, found.params)
    const { params } = this.table.router
    if (isEmpty(params) || !this.#watches(found)) this.#go(entry, layer, found, pending)
    else {
      this.#calls ??= new Map()
      runCallbacks(params, Object.keys(found.params), this.#calls, req, res, (error) => {
        if (error) this.next(pending || error)
        else this.#go(entry, layer, found, pending)
      })
    }
  }

  #go(entry: Entry, layer: Router.Layer, found: Found, pending: unknown): void {
    const { req, res } = this
    const request = req as object as Router.Request
    const { url } = req
    if (entry.kind === 'route') {
      this.#note(entry, found)
      this.#begin(entry, () => this.#way(), this.next)
    } else if (!this.#takeOff(found.path)) this.next(pending)
    else if (pending) layer.handleError(pending, request, res, this.next)
    else if (entry.kind === 'mount' && entry.table !== undefined) {
      const step = url === this.#url ? this.#straightTo(entry) : undefined
      if (step === undefined) this.#descend(entry, entry.table, layer, found, url)
      else this.#goStraight(step, () => wayBelow(this.#way(), entry, found))
    } else {
      this.#note(entry, found)
      layer.handleRequest(request, res, this.next)
    }
    this.#synchronous = 0
  }

  #descend(mount: Mount, table: Table, layer: Router.Layer, found: Found, url: unknown): void {
    const { state, req, res } = this
    const from = { outer: this, mount, found }
    const enter = (next: Next) => new Dispatch(table, state, req, res, next, from, url).run()
    if (this.#pattern === undefined) enter(this.next)
    else tracedLayer(layer, enter).handleRequest(req as object as Router.Request, res, this.next)
  }

  /** Notes what the request was handed to, for a `versioning()` in there; the walk says it where it leads there. */
  #note(entry: Entry, found: Found): void {
    if (entry.kind === 'middleware' || this.#stepAt(entry) !== undefined) return
    const match = () => this.#matchFor(entry, found)
    this.state.at = { path: this.#baseUrl + this.#path, match }
  }

  /** The route of a mounted table that the walk leads to, where nothing else of that table has a say. */
  #straightTo(mount: Mount): Step | undefined {
    const step = this.#stepAt(mount)?.inner
    if (step?.entry.kind !== 'route' || step.list.length > 1 || step.found.malformed) return undefined
    const { table, version, rank } = step
    const current = version === table.index.version && this.#plain
    const general = this.#methods !== undefined || this.#pattern !== undefined
    const sole = current && !general && rank === Rank.route && isEmpty(table.router.params)
    return sole && this.#isDecided() ? step : undefined
  }

  #goStraight({ entry, found }: Step, way: () => Way): void {
    const { req } = this
    const route = entry as NamedPath
    req.params = merged(req.params, found.params)
    req.route = route.route
    // 'router' leaves the mounted table, and no more.
    req.next = (error?: unknown) => {
      req.next = this.next
      this.next(error === 'router' ? undefined : error)
    }
    this.#begin(route, way, req.next)
  }

  /** Runs a route's own handlers: here a request takes the shape of the newest version. */
  #begin(entry: NamedPath, way: () => Way, next: Next): void {
    const { req, res } = this
    const changes = this.state.config?.changes
    const leave = changes === undefined ? next : changes.begin(req, res, () => nameBelow(way(), entry), next)
    if (leave !== undefined) (entry.route as RouterRoute).dispatch(req as object as Router.Request, res, leave)
  }

  /** Takes what a mount matched off the url. False if that is not the beginning of the path: a RegExp may match anything. */
  #takeOff(path: string): boolean {
    if (path === '') return true
    const { req } = this
    const behind = this.#path.charAt(path.length)
    if (!this.#path.startsWith(path) || (behind !== '' && behind !== '/')) return false
    this.#removed = path
    req.url = this.#authority + req.url.slice(this.#authority.length + path.length)
    if (this.#authority === '' && !req.url.startsWith('/')) {
      req.url = `/${req.url}`
      this.#slashAdded = true
    }
    req.baseUrl = this.#baseUrl + withoutSlash(path)
    return true
  }
}
