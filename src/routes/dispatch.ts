// Runs a request through a table, with the loop of `router` over the few entries that can match the path.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import Router from 'router'
import { isPreflight } from '../http/preflight'
import { enter, handleBy, pathnameOf, withoutSlash } from '../request/place'
import { stateOf } from '../request/prepare'
import type { Handed, RequestState } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import { unfounded } from './declare'
import {
  absent,
  type Bar,
  compareEntry,
  compareTable,
  type Descent,
  type Found,
  isAhead,
  matchAt,
  matchEntry,
  nameOf,
  type Place,
  type Verdict,
  watched,
} from './guard'
import type { Entry, Mount, NamedPath, RouterRoute, Table } from './table'
import { candidates, handles, joined, Rank, type Step, TableWalk } from './walk'

type Next = (error?: unknown) => void

/** The part of a layer that `router` uses. A layer that never matches needs only `match`. */
type Layer = Pick<Router.Layer, 'match'> & Partial<Pick<Router.Layer, 'handleRequest' | 'handleError'>>

/** The loop of `router`, over any stack. */
const { handle } = Router.prototype as { handle(this: object, req: Request, res: Response, done: Next): void }

/** The channel on which `router` reports each handler that it calls. */
const channel = tracingChannel('express.router.request')

/** Runs a request through a table. */
export function dispatch(table: Table, face: RouteRegistry, req: Request, res: Response, done: Next): void {
  const state = stateOf(req)
  const { at } = state
  const descent = at instanceof Candidate ? at.descentTo(table) : undefined
  new Run(table, state, req, res, descent ?? face, req.baseUrl ?? '').start(done)
}

/**
 * The run of one request through one table. The loop is that of `router`; the stack belongs to the request. On the
 * stack, this object follows the entries of its table. A mounted table shares the loop of the outer table, if it can.
 */
class Run implements Place, Layer {
  readonly stack: Layer[]
  path = ''
  /** The order of the entry that was asked last. */
  last = -1
  /** `true` if a handler of the table ran. */
  handed = false
  // The entries on the stack are those of this path, as the loop sees it, and of this version of the index.
  #path = ''
  #version = -1

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    readonly res: Response,
    readonly from: Descent | RouteRegistry,
    readonly baseUrl: string,
    /** The run whose loop this one shares, and the prefix of this table in the path of that loop. */
    readonly outer?: Run,
    readonly prefix?: Found,
  ) {
    this.stack = outer?.stack ?? []
  }

  /** @param error the error that is pending already. */
  start(done: Next, error?: unknown): void {
    const { table, state, req, from } = this
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
    if (!('outer' in from)) {
      req.originalUrl = req.originalUrl || req.url
      req.baseUrl = this.baseUrl
      misplaced = enter(state, req, from) ?? (table.above && unfounded(table.above, req))
    }
    const path = pathnameOf(req)
    if (misplaced !== undefined || path === undefined) {
      leave(misplaced ?? error)
      return
    }
    if (error) this.stack.push(failing(error))
    const step = this.#find(path, this.stack)
    const known = 'outer' in from || this.trusts(step)
    const verdict = known ? undefined : compareTable(this)
    if (verdict instanceof Promise) verdict.then((bar) => this.#loop(leave, bar), leave)
    else this.#loop(leave, verdict)
  }

  /** Runs the loop, unless the table belongs to another version. */
  #loop(leave: Next, bar: Bar | undefined): void {
    if (bar !== undefined) {
      leave(this.refused(bar))
      return
    }
    const { table, req, res, stack } = this
    const router = { stack, params: table.router.params, mergeParams: hasNames(req.params) }
    handle.call(router, req, res, (error) => {
      // Handlers that called `next` synchronously are still on the call stack, and many tables may follow.
      if (this.handed) setImmediate(leave, error)
      else leave(error)
    })
  }

  /** Returns the error for a request that has reached what belongs to another version; nothing if it is only skipped. */
  refused({ error, serves }: Bar): unknown {
    const { state, req, res } = this
    return serves ? state.config?.refused(req, res, state, error) : undefined
  }

  /**
   * Puts the entries on a stack that may match a path and come after the last one, and this object behind them. If the
   * walk leads into a mounted table first, that table's entries take the place of the mount.
   *
   * @returns the step of the walk that decided, in this table.
   */
  #find(path: string, stack: Layer[]): Step | undefined {
    const { table, prefix, last } = this
    this.#path = path
    this.#version = table.version
    this.path = prefix === undefined ? path : path.slice(prefix.path.length) || '/'
    const step = this.step()
    const list = step?.version === table.version ? step.list : candidates(table, this.path)
    let isFirst = true
    for (const entry of list) {
      if (entry.layer === undefined || entry.order <= last) continue
      const leads = isFirst && entry === step?.entry && entry.kind === 'mount' && this.trusts(step)
      const inner = leads ? this.#below(entry, step.found) : undefined
      if (inner === undefined) stack.push(new Candidate(this, entry as Runnable))
      else {
        this.last = entry.order
        inner.#find(path, stack)
      }
      isFirst = false
    }
    stack.push(this)
    return step
  }

  /** Returns the step of the walk that decided, in this table, if the path is still the same. */
  step(): Step | undefined {
    const { from } = this
    const step = 'outer' in from ? from.outer.stepTo(from.mount)?.inner : this.#stepBelowRoot()
    return step?.path === this.path ? step : undefined
  }

  #stepBelowRoot(): Step | undefined {
    const { root } = this.state
    if (!(root?.walk instanceof TableWalk)) return undefined
    let { baseUrl } = root
    let step = root.walk.first
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

  /**
   * Tells whether a match needs no comparison: the version was decided by the walk's step to it, or does not depend on
   * the route. A preflight request of a browser does not name a version as the real request does.
   */
  trusts(step: Step | undefined): boolean {
    const { config, decision } = this.state
    if (config?.readsRoute !== true) return true
    return (step !== undefined && decision.fromWalk && decision.version !== undefined) || isPreflight(this.req)
  }

  /**
   * Notes that `router` asks a member of the stack about a path.
   *
   * @returns `false` if the entries on the stack no longer count: the request was moved, or more was declared.
   */
  asks(path: string): boolean {
    this.state.at = undefined
    return path === this.#path && this.#version === this.table.version
  }

  /**
   * Puts the entries of a mounted table on the stack, behind its mount.
   *
   * @returns `false` if the table needs a loop of its own.
   */
  unfolds(mount: Mount, found: Found, candidate: Layer): boolean {
    const { stack } = this
    const members: Layer[] = []
    const inner = this.#below(mount, found)
    if (inner === undefined) return false
    inner.#find(this.#path, members)
    stack.splice(stack.lastIndexOf(candidate) + 1, 0, ...members)
    return true
  }

  /** Returns the run through a mounted table that shares the loop; `undefined` if the table needs one of its own. */
  #below(mount: Mount, found: Found): Run | undefined {
    const { state, req, res, baseUrl } = this
    const { table } = mount
    // Callbacks for parameters belong to one router.
    if (table === undefined || hasNames(this.table.router.params) || hasNames(table.router.params)) return undefined
    if (found.path.endsWith('/') || channel.hasSubscribers || !isPlain(req, this.#path)) return undefined
    const { prefix: above } = this
    const prefix =
      above === undefined ? found : { path: above.path + found.path, params: joined(above.params, found.params) }
    return new Run(table, state, req, res, { outer: this, mount, found }, baseUrl + found.path, this, prefix)
  }

  /** Notes that an entry runs. */
  hands(): void {
    this.handed = true
    this.outer?.hands()
  }

  /** Removes the rest of this table from the stack. */
  leave(candidate: Layer): void {
    const { stack } = this
    const next = stack.lastIndexOf(candidate) + 1
    stack.splice(next, stack.indexOf(this, next) - next + 1)
  }

  /** Follows a request that was moved. A table that shares a loop goes on in one of its own, as a mount does. */
  match(path: string): Router.LayerMatch | false {
    const { prefix } = this
    if (this.asks(path)) return false
    if (prefix !== undefined) return { path: prefix.path, params: { ...prefix.params }, keys: [], pattern: prefix.path }
    this.#find(path, this.stack)
    return false
  }

  handleRequest(req: unknown, res: unknown, next: Next): void {
    this.handleError(undefined, req, res, next)
  }

  handleError(error: unknown, _req: unknown, _res: unknown, next: Next): void {
    const { table, state, req, res, from } = this
    const run = new Run(table, state, req, res, from, req.baseUrl)
    run.last = this.last
    run.start(next, error)
  }
}

/** Returns a first member of a stack that passes an error on. */
function failing(error: unknown): Layer {
  const match = () => ({ path: '', params: {}, keys: [], pattern: '' })
  return { match, handleRequest: (_req, _res, next) => next(error as Error) }
}

/**
 * Tells whether a mounted table may share the loop. Malformed escapes, targets that `router` percent-encodes, and the
 * list of methods for OPTIONS need the mount.
 */
function isPlain({ url, method }: Request, path: string): boolean {
  const behind = url.charAt(path.length)
  return method !== 'OPTIONS' && !path.includes('%') && url.startsWith(path) && (behind === '' || behind === '?')
}

/** Tells whether an object has any members. */
function hasNames(object: object | undefined): boolean {
  for (const _ in object) return true
  return false
}

/** An entry with a layer to run. */
type Runnable = Entry & { readonly layer: Router.Layer }

/** An entry on the stack of one request. */
class Candidate implements Layer, Handed {
  leave: Next | undefined = undefined
  converted: Handed['converted'] = undefined
  pending: Handed['pending'] = undefined
  /**
   * The route as `router` knows it. Below a prefix it is undefined: `router` takes the entry for middleware and removes
   * the prefix.
   */
  readonly route: RouterRoute | undefined
  #found: Found | undefined
  /** The reason why it must not run; `null`: not compared yet. */
  #verdict: Verdict | null = null

  constructor(
    private readonly run: Run,
    readonly entry: Runnable,
  ) {
    this.route = entry.kind === 'route' && run.prefix === undefined ? routeFor(run, entry) : undefined
  }

  /** Returns the match for `router`. An entry of another version triggers no callbacks of `param()`. */
  match(path: string): Router.LayerMatch | false {
    const { entry, run } = this
    const { prefix, state, req } = run
    if (!run.asks(path)) return false
    run.last = entry.order
    const step = run.stepTo(entry)
    const found = this.#read(step)
    if (found === false) return false
    this.#found = found
    if (entry.kind === 'route') {
      // `router` enters a route for HEAD whatever it has, and reads its methods for OPTIONS.
      const walked = step?.rank === Rank.route && req.method === state.root?.method
      const taken = walked || req.method === 'HEAD' || handles(entry.route, req.method)
      if (taken ? state.isAhead !== undefined && isAhead(run, entry) : req.method !== 'OPTIONS') return false
      if (!taken) this.#verdict = undefined
    }
    if (this.#verdict === null) this.#verdict = run.trusts(step) ? undefined : compareEntry(run, entry, found)
    if (entry.kind === 'mount' && this.#verdict === undefined && run.unfolds(entry, found, this)) return false
    const { params } = found
    return {
      params: prefix === undefined ? { ...params } : { ...prefix.params, ...params },
      path: prefix === undefined ? found.path : this.#takenOff(path, prefix.path, found.path),
      keys: this.#verdict === undefined && hasNames(run.table.router.params) ? watched(run, params) : [],
      pattern: found.pattern ?? (entry.layer.rawPath as string),
    }
  }

  /**
   * Matches the entry as `router` would.
   *
   * @throws {Error} the 400 of `router` for a malformed escape in a parameter.
   */
  #read(step: Step | undefined): (Found & { pattern?: string }) | false {
    const { entry, run } = this
    const found = entry.kind === 'middleware' ? undefined : (step?.found ?? matchEntry(run, entry))
    if (found === false || found?.malformed === false) return found
    return entry.layer.match(run.path) as (Found & { pattern: string }) | false
  }

  /**
   * Returns the part of the path that `router` removes for an entry below a prefix. For a route that is only the
   * prefix.
   */
  #takenOff(path: string, prefix: string, own: string): string {
    // If the path is only the prefix, a RegExp may have matched a slash that the path does not have.
    return this.entry.kind === 'route' ? prefix : (prefix + own).slice(0, path.length)
  }

  handleRequest(req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const verdict = this.#verdict
    run.hands()
    if (!verdict) {
      run.state.at = this
      if (entry.kind === 'route') this.#begin(entry, req, res, next)
      else entry.layer.handleRequest(req, res, this.#within(next))
    } else if (verdict instanceof Promise) this.#wait(verdict, next, undefined)
    else next(run.refused(verdict))
  }

  /** Runs error handlers for errors of all versions, but no callbacks of `param()` for another version. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const verdict = this.#verdict
    // An error does not enter a mounted table.
    const enters = run.outer === undefined || run.handed
    if (verdict instanceof Promise) this.#wait(verdict, next, error)
    else if (!enters) next(error)
    else if (verdict && watched(run, (this.#found as Found).params).length > 0) next(error)
    else entry.layer.handleError(error, req, res, this.#within(next))
  }

  /** Returns a `next` for which the signal 'router' leaves this table, but not the outer one whose loop it shares. */
  #within(next: Next): Next {
    const { run } = this
    if (run.outer === undefined) return next
    return (error) => {
      if (error !== 'router') next(error)
      else {
        run.leave(this)
        next()
      }
    }
  }

  /** Waits for a scheme, then asks this candidate again. Callbacks of `param()` run before a handler does. */
  #wait(verdict: Promise<Bar | undefined>, next: Next, error: unknown): void {
    const { stack } = this.run
    verdict.then((bar) => {
      this.#verdict = bar
      stack.splice(stack.lastIndexOf(this), 0, this)
      next(error)
    }, next)
  }

  /** Runs the handlers of a route. The request has the shape of the newest version until it leaves them. */
  #begin(entry: Runnable & NamedPath, req: Router.Request, res: Router.Response, next: Next): void {
    const { run } = this
    const { state } = run
    const go = this.#within(next)
    const leave: Next = (error) => {
      this.leave = undefined
      this.converted?.takeBack()
      this.converted = undefined
      this.pending = undefined
      req.next = next
      go(error)
    }
    this.leave = leave
    state.open = this
    req.next = leave
    req.route = entry.route as Router.Route
    const error = state.config?.changes?.begin(run.req, run.res, state, () => nameOf(run, entry))
    if (error === undefined) entry.layer.handleRequest(req, res, leave)
    else {
      state.config?.failed(run.req, run.res, state, error)
      leave(error)
    }
  }

  /** Returns the way into a mounted table, if the request is on it. */
  descentTo(table: Table): Descent | undefined {
    const { entry, run } = this
    const inside = entry.kind === 'mount' && entry.table === table
    return inside ? { outer: run, mount: entry, found: this.#found as Found } : undefined
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
  const { config, version } = state
  const { route } = entry
  const changes = config?.changes
  if (req.method !== 'OPTIONS' || changes === undefined || typeof version !== 'string') return route
  const viewName = nameOf(run, entry)
  const methods = () => route?._methods().filter((method) => changes.hasOperation(method, viewName, version))
  return Object.create(route as RouterRoute, { _methods: { value: methods } }) as RouterRoute
}
