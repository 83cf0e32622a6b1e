// Runs a request through a table, with the loop of `router` over the few entries that can match the path.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import Router from 'router'
import { isPreflight } from '../http/preflight'
import { enter, handleBy, pathnameOf, withoutSlash } from '../request/place'
import { stateOf } from '../request/prepare'
import type { OpenEntry, RequestState } from '../request/state'
import type { ResolverMatch } from '../types'
import { unfounded } from './declare'
import {
  absent,
  compareEntry,
  compareTable,
  type Descent,
  type EntryComparison,
  type EntryRejection,
  type Found,
  isBeaten,
  isSkipped,
  matchAt,
  matchEntry,
  nameOf,
  type TableRun,
  watched,
} from './guard'
import { type Entry, handlersOf, type NamedPath, type RouterRoute, type Table } from './table'
import { candidates, handles, Rank, type TableWalk, type WalkStep } from './walk'

type Next = (error?: unknown) => void

/** The part of a layer that `router` uses. A layer that never matches needs only `match`. */
type Layer = Pick<Router.Layer, 'match'> & Partial<Pick<Router.Layer, 'handleRequest' | 'handleError'>>

/** The loop of `router`, over any stack. */
const { handle } = Router.prototype as { handle(this: object, req: Request, res: Response, done: Next): void }

/** The channels on which `router` reports each handler that a layer calls: its own, and that of Sentry, which rewrites it. */
const [traced, rewritten] = [tracingChannel('express.router.request'), tracingChannel('orchestrion:router:handle')]

/** Runs a request through a table. */
export function dispatch(table: Table, req: Request, res: Response, done: Next): void {
  const state = stateOf(req)
  const { at } = state
  const descent = (at as Candidate | undefined)?.descent()
  new Run(table, state, req, res, descent?.table === table ? descent : undefined).start(done)
}

/**
 * The run of one request through one table. The loop is that of `router`; the stack belongs to the request. On the
 * stack, this object follows the entries of its table.
 */
class Run implements TableRun, Layer {
  readonly baseUrl: string
  // `router` reads these three.
  readonly stack: Layer[] = []
  readonly params: object
  mergeParams = false
  /** The parameters of outer routers, unless `router` merges them. */
  outerParams: Request['params'] | undefined = undefined
  path = ''
  /** The order of the entry that was asked last. */
  last = -1
  /** `true` if a handler of the table ran. */
  handed = false
  // The entries on the stack are those of the path, and of this version of the index.
  #version = -1

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    readonly res: Response,
    readonly descent: Descent | undefined,
  ) {
    this.baseUrl = req.baseUrl ?? ''
    this.params = table.router.params
  }

  start(done: Next): void {
    const { table, state, req, descent } = this
    const { at, handling, open } = state
    const leave: Next = (error) => {
      const missing = error || state.handling === handling ? undefined : absent(this)
      if (missing !== undefined) state.config?.failed(req, this.res, state, missing)
      state.at = at
      handleBy(state, handling)
      state.open = open
      done(error || missing)
    }
    let misplaced: Error | undefined
    if (descent === undefined) {
      req.originalUrl = req.originalUrl || req.url
      req.baseUrl = this.baseUrl
      misplaced = enter(state, req, table.registry) ?? (table.above && unfounded(table.above, req))
    }
    const path = descent?.path ?? pathnameOf(req)
    if (misplaced !== undefined || path === undefined) {
      leave(misplaced)
      return
    }
    const step = this.#find(path)
    const known = descent !== undefined || this.trusts(step)
    const judgement = known ? undefined : compareTable(this)
    if (judgement instanceof Promise) judgement.then((bar) => this.#loop(leave, bar), leave)
    else this.#loop(leave, judgement)
  }

  /** Runs the loop, unless the table belongs to another version. */
  #loop(leave: Next, bar: EntryRejection | undefined): void {
    if (bar !== undefined) {
      leave(this.rejected(bar))
      return
    }
    const { req, res } = this
    // Numbered parameters are merged by `router`. Candidates merge others in less time.
    this.mergeParams = 0 in Object(req.params)
    if (!this.mergeParams) this.outerParams = req.params
    handle.call(this, req, res, (error) => {
      // Handlers that called `next` synchronously are still on the call stack, and many tables may follow.
      if (this.handed) setImmediate(leave, error)
      else leave(error)
    })
  }

  /** Returns the error for a request that has reached what belongs to another version; nothing if it is only skipped. */
  rejected({ error, serves }: EntryRejection): unknown {
    const { state, req, res } = this
    return serves ? state.config?.rejected(req, res, state, error) : undefined
  }

  /**
   * Puts the entries on the stack that may match a path and come after the last one, and this object behind them.
   *
   * @returns the step of the walk that decided, in this table.
   */
  #find(path: string): WalkStep | undefined {
    const { table, stack, last } = this
    this.path = path
    this.#version = table.version
    const step = this.step()
    const list = step?.version === table.version ? step.list : candidates(table, path)
    for (const entry of list) {
      if (entry.layer !== undefined && entry.order > last) stack.push(new Candidate(this, entry as Runnable))
    }
    stack.push(this)
    return step
  }

  /** Returns the step of the walk that decided, in this table, if the path is still the same. */
  step(): WalkStep | undefined {
    const { descent } = this
    const step = descent === undefined ? this.#stepBelowRoot() : descent.outer.stepTo(descent.mount)?.inner
    return step?.path === this.path ? step : undefined
  }

  #stepBelowRoot(): WalkStep | undefined {
    const { root } = this.state
    // Only a path that no table has leads nowhere.
    let step = (root?.walk as Partial<TableWalk> | undefined)?.first
    let baseUrl = root?.baseUrl
    while (step !== undefined && (step.table !== this.table || baseUrl !== this.baseUrl)) {
      baseUrl += withoutSlash(step.found.path)
      step = step.inner
    }
    return step
  }

  /** Returns that step, if it leads to an entry. */
  stepTo(entry: Entry): WalkStep | undefined {
    const step = this.step()
    return step?.entry === entry ? step : undefined
  }

  /**
   * Tells whether a match needs no comparison: the version was decided by the walk's step to it, or does not depend on
   * the route. A preflight request of a browser does not name a version as the real request does.
   */
  trusts(step: WalkStep | undefined): boolean {
    const { config, decision } = this.state
    if (config?.readsRoute !== true) return true
    return (step !== undefined && decision.fromWalk && decision.version !== undefined) || isPreflight(this.req)
  }

  /**
   * Notes that `router` asks an element of the stack about a path.
   *
   * @returns `false` if the entries on the stack no longer count: the request was moved, or more was declared.
   */
  asks(path: string): boolean {
    this.state.at = undefined
    return path === this.path && this.#version === this.table.version
  }

  /** Follows a request that was moved. */
  match(path: string): false {
    if (!this.asks(path)) this.#find(path)
    return false
  }
}

/** Tells whether an object has any properties. */
function hasNames(object: object | undefined): boolean {
  for (const _ in object) return true
  return false
}

/** An entry with a layer to run. */
type Runnable = Entry & { readonly layer: Router.Layer }

/** An entry on the stack of one request. */
class Candidate implements Layer, OpenEntry {
  leave: Next | undefined = undefined
  /** The route as `router` knows it. */
  readonly route: RouterRoute | undefined
  #found: Found | undefined
  /** The reason why it must not run; `null`: not compared yet. */
  #judgement: EntryComparison | null = null

  constructor(
    private readonly run: Run,
    readonly entry: Runnable,
  ) {
    this.route = entry.kind === 'route' ? routeFor(run, entry) : undefined
  }

  /** Returns the match for `router`. An entry of another version triggers no callbacks of `param()`. */
  match(path: string): Router.LayerMatch | false {
    const { entry, run } = this
    const { state, req } = run
    if (!run.asks(path)) return false
    run.last = entry.order
    const step = run.stepTo(entry)
    const found = this.#read(step)
    if (found === false) return false
    this.#found = found
    if (entry.kind === 'route') {
      if (entry.given !== undefined && isBeaten(run, entry)) return false
      // `router` enters a route for HEAD whatever it has, and reads its methods for OPTIONS.
      const walked = step?.rank === Rank.route && req.method === state.root?.method
      const entered = entry.elsewhere === undefined && (walked || req.method === 'HEAD')
      const taken = entered || handles(entry.route, req.method)
      if (taken ? state.isSkipped !== undefined && isSkipped(run, entry) : req.method !== 'OPTIONS') return false
      if (!taken) this.#judgement = undefined
    }
    if (this.#judgement === null) this.#judgement = run.trusts(step) ? undefined : compareEntry(run, entry, found)
    const { params } = found
    return {
      params: { ...run.outerParams, ...params },
      path: found.path,
      keys: this.#judgement === undefined && hasNames(run.params) ? watched(run, params) : [],
      pattern: found.pattern ?? (entry.layer.rawPath as string),
    }
  }

  /**
   * Matches the entry as `router` would.
   *
   * @throws {Error} the 400 of `router` for a malformed escape in a parameter.
   */
  #read(step: WalkStep | undefined): (Found & { pattern?: string }) | false {
    const { entry, run } = this
    const found = entry.kind === 'middleware' ? undefined : (step?.found ?? matchEntry(run, entry))
    if (found === false || found?.malformed === false) return found
    return entry.layer.match(run.path) as (Found & { pattern: string }) | false
  }

  handleRequest(req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const judgement = this.#judgement
    run.handed = true
    if (!judgement) {
      run.state.at = this
      if (entry.kind === 'route') this.#begin(entry, req, res, next)
      else this.#pass(req, res, next)
    } else if (judgement instanceof Promise) this.#wait(judgement, next, undefined)
    else next(run.rejected(judgement))
  }

  /**
   * Hands the request to a mounted table at once, to others by the layer. The layer tells tracers, and monitors wrap its handler to
   * see which mounts a request goes through.
   */
  #pass(req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const isWatched =
      traced.hasSubscribers ||
      rewritten.hasSubscribers ||
      (entry.kind === 'mount' && (entry.layer.handle as object) !== entry.table?.registry)
    const descent = isWatched ? undefined : this.descent()
    if (descent === undefined) entry.layer.handleRequest(req, res, next)
    else new Run(descent.table, run.state, run.req, run.res, descent).start(next)
  }

  /** Runs error handlers for errors of all versions, but no callbacks of `param()` for another version. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const judgement = this.#judgement
    if (judgement instanceof Promise) this.#wait(judgement, next, error)
    else if (judgement && watched(run, (this.#found as Found).params).length > 0) next(error)
    else entry.layer.handleError(error, req, res, next)
  }

  /** Waits for a scheme, then asks this candidate again. Callbacks of `param()` run before a handler does. */
  #wait(judgement: Promise<EntryRejection | undefined>, next: Next, error: unknown): void {
    const { stack } = this.run
    judgement.then((bar) => {
      this.#judgement = bar
      stack.splice(stack.lastIndexOf(this), 0, this)
      next(error)
    }, next)
  }

  /** Runs the handlers of a route. The request has the shape of the newest version until it leaves them. */
  #begin(entry: Runnable & NamedPath, req: Router.Request, res: Router.Response, next: Next): void {
    const { run } = this
    const { state } = run
    const leave: Next = (error) => {
      this.leave = undefined
      state.exchange?.routeLeft(this)
      req.next = next
      next(error)
    }
    this.leave = leave
    state.open = this
    req.next = leave
    req.route = entry.route as Router.Route
    // A handler may have assigned an older version since the decision.
    if (state.exchange === undefined) state.changes?.putExchange(state)
    const error = state.exchange?.routeBegins(run.req, run.res, this, nameOf(run, entry))
    if (error === undefined) entry.layer.handleRequest(req, res, leave)
    else {
      state.config?.failed(run.req, run.res, state, error)
      leave(error)
    }
  }

  /** Returns the way into a mounted table; undefined for other entries. */
  descent(): Descent | undefined {
    const { entry, run } = this
    if (entry.kind !== 'mount' || entry.table === undefined) return undefined
    const found = this.#found as Found
    const path = run.path.slice(found.path.length) || '/'
    return { outer: run, mount: entry, table: entry.table, found, path }
  }

  get path(): string {
    return this.run.baseUrl + this.run.path
  }

  seen(): ResolverMatch | undefined {
    const { entry, run } = this
    return entry.kind === 'middleware' ? undefined : matchAt(run, entry, this.#found as Found)
  }
}

/** Returns a route as `router` uses it. For OPTIONS, the route has only the methods of the request's version. */
function routeFor(run: Run, entry: NamedPath): RouterRoute | undefined {
  const { req, state } = run
  const { config, changes, version } = state
  const { route } = entry
  if (req.method !== 'OPTIONS' || config === undefined || typeof version !== 'string') return route
  // Browsers send preflights without the version of the real request.
  if (isPreflight(req)) return route
  const viewName = nameOf(run, entry)
  const isThere = (method: string) =>
    changes?.isThere(state, method, viewName) !== false && config.serves(handlersOf(route, method), version)
  const methods = () => route?._methods().filter(isThere)
  return Object.create(route as RouterRoute, { _methods: { value: methods } }) as RouterRoute
}
