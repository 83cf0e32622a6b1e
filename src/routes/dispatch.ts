import type { Request, Response } from 'express'
import type Router from 'router'
import type { Mismatch } from '../request/judge'
import { enter } from '../request/place'
import type { OpenRoute, Root } from '../request/state'
import { isThenable } from '../util/thenable'
import { answerOptions, isEmpty, merged } from './as-router'
import { unfounded } from './declare'
import { compareEntry, compareTable, hasRoute, isDecided, matchAt, mayEnter, serves } from './guard'
import { type Calls, runCallbacks, watches } from './param-callbacks'
import { type Found, Position, type Runnable } from './position'
import { handles, type NamedPath, type RouterRoute, type Table } from './table'
import { isTraced, tracedLayer, tracedPattern, tracePattern } from './tracing'
import { nameBelow, Rank, type Step, wayBelow } from './walk'

type Next = (error?: unknown) => void

/** What trying an entry comes to when the request is on its way to it; else it is the error that is pending, if any. */
const HANDED_ON = Symbol('handed on')

/**
 * One request on its way through one table: what `router`'s own loop does with the same layers, with three differences. Only
 * the layers that can match the path are asked; where the path is the one that decided the version, its walk is followed, and
 * nothing is matched again; and where it is another, what it leads to is compared with what was decided before anything runs.
 */
export class Dispatch implements OpenRoute {
  // The request as it came, to be restored on leaving.
  readonly #handling: Root | undefined
  readonly #open: OpenRoute | undefined
  readonly #params: Request['params']
  readonly #next: Request['next']

  leave: Next | undefined = undefined
  converted: OpenRoute['converted'] = undefined

  #synchronous = 0
  #calls: Calls | undefined
  /** The methods of the routes that match, for the answer to OPTIONS. */
  readonly #methods: Set<string> | undefined
  /** Of the table's own place, where somebody listens to the tracing channel. */
  readonly #pattern: { readonly outer: unknown } | undefined

  /** @param done called when the request leaves the table without an answer. */
  constructor(
    private readonly position: Position,
    private readonly res: Response,
    private readonly done: Next,
  ) {
    const { state, req } = position
    this.#handling = state.handling
    this.#open = state.open
    this.#params = req.params
    this.#next = req.next
    this.#methods = req.method === 'OPTIONS' ? new Set() : undefined
    this.#pattern = isTraced() ? { outer: tracedPattern(req) } : undefined
  }

  run(): void {
    const { table, state, req, from, baseUrl } = this.position
    req.next = this.next
    req.baseUrl = baseUrl
    req.originalUrl = req.originalUrl || req.url
    if ('outer' in from) {
      this.next()
      return
    }
    const misplaced = enter(state, req, from) ?? unfounded(table, req)
    if (misplaced !== undefined) {
      this.#leave(misplaced)
      return
    }
    const mismatch = compareTable(this.position)
    if (isThenable(mismatch))
      mismatch.then(
        (later) => this.#admit(later),
        (error) => this.#leave(error),
      )
    else this.#admit(mismatch)
  }

  /** Goes through the table; but one of another version is passed by, or refused where it has a route for the request. */
  #admit(mismatch: Mismatch | undefined): void {
    const { table, path, req } = this.position
    if (mismatch?.other !== true) this.next()
    else this.#leave(hasRoute(table, path, req.method) ? this.#refused(mismatch) : undefined)
  }

  #refused({ error }: Mismatch): unknown {
    const { state, req } = this.position
    return state.config?.refused(req, this.res, state, error)
  }

  readonly next: Next = (error) => {
    const { position } = this
    position.state.at = undefined
    this.leave = undefined
    if (this.converted !== undefined) {
      this.converted.takeBack()
      this.converted = undefined
    }
    position.putBack()
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
    if (position.locate()) {
      for (let entry = position.advance(); entry !== undefined; entry = position.advance()) {
        const outcome = this.#try(entry, pending)
        if (outcome === HANDED_ON) return
        pending = outcome
      }
    }
    // What called back without waiting is on the stack still, and tables may follow on tables.
    if (this.#synchronous > 1) setImmediate(() => this.#leave(pending))
    else this.#leave(pending)
  }

  #leave(error: unknown): void {
    const { state, req, baseUrl } = this.position
    let pending = error
    if (!error && this.#methods !== undefined && this.#methods.size > 0) {
      try {
        answerOptions(this.res, this.#methods)
        return
      } catch (failed) {
        pending = failed
      }
    }
    state.handling = this.#handling
    state.open = this.#open
    req.baseUrl = baseUrl
    req.next = this.#next
    req.params = this.#params
    if (this.#pattern !== undefined) tracePattern(req, this.#pattern.outer)
    this.done(pending)
  }

  /** Hands the request on to an entry, if that matches and may run; else gives the error that is pending now. */
  #try(entry: Runnable, pending: unknown): unknown {
    if (entry.kind === 'route' && pending) return pending
    let found: Found | false
    try {
      found = this.position.match(entry)
    } catch (error) {
      return pending || error
    }
    if (found === false) return pending
    if (entry.kind === 'route' && !this.#mayTake(entry)) {
      this.#offer(entry)
      return pending
    }
    // To an error that is pending, only the callbacks of `param()` are open.
    const unheard = pending && !watches(this.position.table, found.params)
    const mismatch = unheard ? undefined : compareEntry(this.position, entry, found)
    if (!isThenable(mismatch)) return this.#follow(entry, found, pending, mismatch)
    const matched = found
    mismatch.then((later) => {
      const outcome = this.#follow(entry, matched, pending, later)
      if (outcome !== HANDED_ON) this.next(outcome)
    }, this.next)
    return HANDED_ON
  }

  /** Hands on, passes by, or refuses, by what a comparison came to. */
  #follow(entry: Runnable, found: Found, pending: unknown, mismatch: Mismatch | undefined): unknown {
    if (mismatch === undefined || mayEnter(this.position, entry, found, mismatch)) {
      this.#handOn(entry, found, pending)
      return HANDED_ON
    }
    // What has no handler for the request is passed by: neither its middleware nor its callbacks are the request's.
    return pending || !serves(this.position, entry, found) ? pending : this.#refused(mismatch)
  }

  /** Whether a route has the method. `router` enters one for HEAD all the same; it does nothing there. */
  #mayTake({ route }: NamedPath): boolean {
    const { method } = this.position.req
    return handles(route, method) || method === 'HEAD'
  }

  #offer({ route }: NamedPath): void {
    if (this.#methods === undefined || this.position.req.method !== 'OPTIONS') return
    for (const method of Object.keys((route as RouterRoute).methods)) {
      this.#methods.add(method.toUpperCase())
      if (method === 'get') this.#methods.add('HEAD')
    }
  }

  #handOn(entry: Runnable, found: Found, pending: unknown): void {
    const { req, table } = this.position
    if (entry.kind === 'route') req.route = entry.route
    if (this.#pattern !== undefined) tracePattern(req, 'pattern' in found ? found.pattern : entry.layer.rawPath)
    req.params = merged(this.#params, found.params)
    if (!watches(table, found.params)) {
      this.#go(entry, found, pending)
      return
    }
    this.#calls ??= new Map()
    runCallbacks(table.router.params, Object.keys(found.params), this.#calls, req, this.res, (error) => {
      if (error) this.next(pending || error)
      else this.#go(entry, found, pending)
    })
  }

  #go(entry: Runnable, found: Found, pending: unknown): void {
    const { position, res } = this
    const { layer } = entry
    const req = position.req as object as Router.Request
    const literal = position.isLiteral()
    if (entry.kind === 'route') {
      this.#note(entry, found)
      this.#begin(entry, this.next)
    } else if (!position.takeOff(found.path)) this.next(pending)
    else if (pending) layer.handleError(pending, req, res, this.next)
    else if (entry.kind === 'mount' && entry.table !== undefined) {
      const step = literal ? this.#straightTo(entry) : undefined
      if (step === undefined) this.#descend(entry, entry.table, found, literal)
      else this.#goStraight(step, entry, found)
    } else {
      this.#note(entry, found)
      layer.handleRequest(req, res, this.next)
    }
    this.#synchronous = 0
  }

  #descend(mount: Runnable & { kind: 'mount' }, table: Table, found: Found, literal: boolean): void {
    const { position, res } = this
    const { state, req } = position
    const inner = new Position(table, state, req, { outer: position, mount, found, literal })
    if (this.#pattern === undefined) new Dispatch(inner, res, this.next).run()
    else {
      const enterTable = (next: Next) => new Dispatch(inner, res, next).run()
      tracedLayer(mount.layer, enterTable).handleRequest(req as object as Router.Request, res, this.next)
    }
  }

  /** Notes what the request was handed to, for a `versioning()` in there; the walk says it where it leads there. */
  #note(entry: Runnable, found: Found): void {
    const { position } = this
    if (entry.kind === 'middleware' || position.stepAt(entry) !== undefined) return
    position.state.at = { path: position.baseUrl + position.path, match: () => matchAt(position, entry, found) }
  }

  /** The route of a mounted table that the walk leads to, where nothing else of that table has a say. */
  #straightTo(mount: Runnable): Step | undefined {
    const step = this.position.stepAt(mount)?.inner
    if (step?.entry.kind !== 'route' || step.list.length > 1 || step.found.malformed) return undefined
    const { table, version, rank } = step
    const general = this.#methods !== undefined || this.#pattern !== undefined
    const sole = version === table.index.version && !general && rank === Rank.route && isEmpty(table.router.params)
    return sole && isDecided(this.position.state) ? step : undefined
  }

  #goStraight({ entry, found }: Step, mount: Runnable, within: Found): void {
    const { req } = this.position
    const route = entry as NamedPath
    req.params = merged(req.params, found.params)
    req.route = route.route
    // 'router' leaves the mounted table, and no more.
    req.next = (error?: unknown) => {
      req.next = this.next
      this.next(error === 'router' ? undefined : error)
    }
    this.#begin(route, req.next, mount, within)
  }

  /** Runs a route's own handlers, in the table or behind a mount in it: here a request takes the shape of the newest version. */
  #begin(entry: NamedPath, next: Next, mount?: Runnable, within?: Found): void {
    const { position, res } = this
    const { state, req } = position
    const { changes } = state.config ?? {}
    this.leave = next
    state.open = this
    if (changes !== undefined) {
      const viewName = () => {
        const way = position.way()
        return nameBelow(mount?.kind === 'mount' ? wayBelow(way, mount, within as Found) : way, entry)
      }
      const error = changes.begin(req, res, viewName)
      if (error !== undefined) {
        next(error)
        return
      }
    }
    ;(entry.route as RouterRoute).dispatch(req as object as Router.Request, res, next)
  }
}
