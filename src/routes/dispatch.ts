// Runs a request through a table, with the loop of `router` over the few entries that can match the path.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import Router from 'router'
import { stateOf } from '../request/members'
import { enter, pathnameOf } from '../request/place'
import type { Handed, RequestState } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import { isThenable } from '../util/thenable'
import { unfounded } from './declare'
import { type Descent, type Found, hasNames, type Mismatch, Passage, type Verdict } from './passage'
import type { PatternMatch } from './pattern'
import { type Entry, handles, type Mount, type NamedPath, type RouterRoute, type Table } from './table'
import { nameBelow } from './walk'

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
  new Run(new Loop(state, req, res), table, descent ?? face, req.baseUrl ?? '').start(done)
}

/** One loop of `router`. The stack belongs to the request. */
class Loop {
  readonly stack: Layer[] = []
  /** `true` if a handler ran. */
  handed = false
  /** `true` if mounted tables may run in this loop, as if their entries stood in the table around. */
  flattens = false

  constructor(
    readonly state: RequestState,
    readonly req: Request,
    readonly res: Response,
  ) {}

  /** Starts the loop with an error that is pending already. */
  fail(error: unknown): void {
    const match = () => ({ path: '', params: {}, keys: [], pattern: '' })
    this.stack.push({ match, handleRequest: (_req, _res, next) => next(error as Error) })
  }

  /** Looks whether mounted tables may run in this loop. */
  prepare(path: string): void {
    const { url, method } = this.req
    const behind = url.charAt(path.length)
    // Malformed escapes, and targets that `router` percent-encodes, need a loop of their own.
    const literal = !path.includes('%') && url.startsWith(path) && (behind === '' || behind === '?')
    this.flattens = literal && method !== 'OPTIONS' && !channel.hasSubscribers
  }
}

/**
 * The run of one request through one table. A mounted table without callbacks or a version of its own runs in the loop
 * of the outer table. On the stack, this object follows the entries of its table.
 */
class Run extends Passage implements Layer {
  /** The order of the entry that was asked last. */
  last = -1
  /** `true` if an entry of the table has run. */
  entered: boolean
  // The entries on the stack are those of this path, as the loop sees it, and of this version of the index.
  #found = ''
  #version = -1
  /** `true` if those entries no longer count: the request was moved, or other entries may be next now. */
  #moved = false

  constructor(
    readonly loop: Loop,
    table: Table,
    from: Descent | RouteRegistry,
    baseUrl: string,
    /** The run whose loop this one shares, and the prefix of this table in the path of that loop. */
    readonly outer?: Run,
    readonly prefix?: Found,
  ) {
    super(table, loop.state, loop.req, from, baseUrl)
    this.entered = outer === undefined
  }

  /** @param error the error that is pending already. */
  start(done: Next, error?: unknown): void {
    const { table, state, req, from } = this
    const { at, handling, open } = state
    const leave: Next = (error) => {
      const absent = error || state.handling === handling ? undefined : this.absent()
      state.at = at
      state.handling = handling
      state.open = open
      done(error || absent)
    }
    if (!('outer' in from)) {
      req.originalUrl = req.originalUrl || req.url
      req.baseUrl = this.baseUrl
      const misplaced = enter(state, req, from) ?? unfounded(table, req)
      if (misplaced !== undefined) {
        leave(misplaced)
        return
      }
    }
    const path = pathnameOf(req)
    if (path === undefined) {
      leave(error)
      return
    }
    if (error) this.loop.fail(error)
    this.#find(path)
    const verdict = 'outer' in from ? undefined : this.compareTable()
    if (isThenable(verdict)) verdict.then((mismatch) => this.#admit(mismatch, leave), leave)
    else this.#admit(verdict, leave)
  }

  /** Runs the loop. A table of another version is skipped, or refused if it has a route for the request. */
  #admit(mismatch: Mismatch | undefined, leave: Next): void {
    const { table, req, loop } = this
    if (mismatch?.other === true) leave(this.hasRoute() ? this.refused(mismatch) : undefined)
    else {
      const done: Next = (error) => {
        // Handlers that called `next` synchronously are still on the call stack, and many tables may follow.
        if (loop.handed) setImmediate(leave, error)
        else leave(error)
      }
      const router = { stack: loop.stack, params: table.router.params, mergeParams: hasNames(req.params) }
      handle.call(router, req, loop.res, done)
    }
  }

  /** Returns the error for a request that has reached an entry of another version. */
  refused({ error }: Mismatch): unknown {
    const { state, req, loop } = this
    return state.config?.refused(req, loop.res, state, error)
  }

  /** Puts the entries on the stack that may match a path and come after the last one, and this object behind them. */
  #find(path: string): void {
    const { table, loop, prefix, last } = this
    const { index } = table
    if (prefix === undefined) loop.prepare(path)
    this.#found = path
    this.#version = index.version
    this.#moved = false
    this.moveTo(prefix === undefined ? path : path.slice(prefix.path.length) || '/')
    const step = this.step()
    const list = step?.version === index.version ? step.list : index.find(this.path)
    for (const entry of list) {
      if (entry.layer === undefined || entry.order <= last) continue
      const inner = entry.kind === 'mount' && loop.flattens ? this.#flattened(entry) : undefined
      if (inner === undefined) loop.stack.push(new Candidate(this, entry as Runnable))
      else inner.#find(path)
    }
    loop.stack.push(this)
  }

  /** Returns the run through a mounted table, if it can share this loop. */
  #flattened(mount: Mount): Run | undefined {
    const { table } = mount
    if (table === undefined || this.hasCallbacks() || hasNames(table.router.params)) return undefined
    const step = this.stepTo(mount)
    const found = this.trusts(step) && (step?.found ?? this.matchOf(mount))
    if (!found || found.path.endsWith('/')) return undefined
    const { path = '', params } = this.prefix ?? {}
    const prefix = { path: path + found.path, params: { ...params, ...found.params } }
    const from = { outer: this, mount, found }
    return new Run(this.loop, table, from, this.baseUrl + found.path, this, prefix)
  }

  /**
   * Notes that `router` asks a member of the stack about a path.
   *
   * @returns `false` if the entries on the stack no longer count: the request was moved, more was declared, or the
   *   version was decided anew.
   */
  asks(path: string): boolean {
    this.state.at = undefined
    if (this.#moved) return false
    if (path === this.#found && this.#version === this.table.index.version && this.#isStill()) return true
    this.move()
    return false
  }

  /** Tells whether the request would still enter this table in this loop. */
  #isStill(): boolean {
    const { outer, entered, from } = this
    return entered || outer === undefined || outer.trusts(outer.stepTo((from as Descent).mount))
  }

  /** Notes that the entries on the stack no longer count. The outer table looks again for a table that was not entered. */
  move(): void {
    this.#moved = true
    if (!this.entered) this.outer?.move()
  }

  /** Notes that an entry runs. */
  enter(): void {
    const { outer, from, loop } = this
    loop.handed = true
    if (this.entered || outer === undefined) return
    this.entered = true
    outer.last = (from as Descent).mount.order
    outer.enter()
  }

  /** Removes the rest of this table from the stack. */
  leave(candidate: Layer): void {
    const { stack } = this.loop
    const next = stack.indexOf(candidate) + 1
    stack.splice(next, stack.indexOf(this, next) - next + 1)
  }

  /**
   * Follows a request that was moved. A table that shares a loop goes on in a loop of its own, as a mount does. If it
   * was not entered, the outer table looks again.
   */
  match(path: string): Router.LayerMatch | false {
    const { prefix } = this
    if (this.asks(path) || !this.entered) return false
    if (prefix !== undefined) return { path: prefix.path, params: { ...prefix.params }, keys: [], pattern: prefix.path }
    this.#find(path)
    return false
  }

  handleRequest(req: unknown, res: unknown, next: Next): void {
    this.handleError(undefined, req, res, next)
  }

  handleError(error: unknown, _req: unknown, _res: unknown, next: Next): void {
    const { table, state, req, from, loop } = this
    const run = new Run(new Loop(state, req, loop.res), table, from, req.baseUrl)
    run.last = this.last
    run.start(next, error)
  }
}

/** An entry with a layer to run. */
type Runnable = Entry & { readonly layer: Router.Layer }

/** An entry on the stack of one request. */
class Candidate implements Layer, Handed {
  leave: Next | undefined = undefined
  converted: Handed['converted'] = undefined
  /**
   * The route as `router` knows it. Below a prefix it is undefined: `router` takes the entry for middleware and removes
   * the prefix.
   */
  readonly route: RouterRoute | undefined
  #found: Found | undefined
  /** The reason why it must not run; `null`: not compared yet. */
  #verdict: Verdict | null = null
  /** `true` if the walk that decided leads to this entry. */
  #led = false

  constructor(
    private readonly run: Run,
    readonly entry: Runnable,
  ) {
    this.route = entry.kind === 'route' && run.prefix === undefined ? routeFor(run, entry) : undefined
  }

  get name(): string {
    return this.entry.layer.name
  }

  /** Returns the match for `router`. An entry of another version triggers no callbacks of `param()`. */
  match(path: string): Router.LayerMatch | false {
    const { entry, run } = this
    const { prefix, req } = run
    if (!run.asks(path)) return false
    run.last = entry.order
    const step = run.stepTo(entry)
    const found = matchOf(run, entry, step?.found)
    if (found === false) return false
    this.#found = found
    this.#led = step !== undefined
    if (entry.kind === 'route') {
      // `router` enters a route for HEAD whatever it has, and reads its methods for OPTIONS.
      const taken = req.method === 'HEAD' || handles(entry.route, req.method)
      if (taken ? run.isAhead(entry) : req.method !== 'OPTIONS') return false
      if (!taken) this.#verdict = undefined
    }
    if (this.#verdict === null) this.#verdict = run.trusts(step) ? undefined : run.compare(entry, found)
    const { params } = found
    return {
      params: prefix === undefined ? { ...params } : { ...prefix.params, ...params },
      path: prefix === undefined ? found.path : this.#takenOff(path, prefix.path, found.path),
      keys: this.#verdict === undefined ? run.watched(params) : [],
      pattern: 'pattern' in found ? found.pattern : (entry.layer.rawPath as string),
    }
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
    run.enter()
    if (!verdict) {
      run.state.at = this
      if (entry.kind === 'route') this.#begin(entry, req, res, next)
      else entry.layer.handleRequest(req, res, this.#within(next))
    } else if (isThenable(verdict)) this.#wait(verdict, next, undefined)
    else next(run.serves(entry, this.#found as Found) ? run.refused(verdict) : undefined)
  }

  /** Runs error handlers for errors of all versions, but no callbacks of `param()` for another version. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, run } = this
    const verdict = this.#verdict
    if (isThenable(verdict)) this.#wait(verdict, next, error)
    else if (verdict && run.watched((this.#found as Found).params).length > 0) next(error)
    // An error does not enter a mounted table.
    else if (entry.kind === 'route' || !run.entered) next(error)
    else entry.layer.handleError(error, req, res, this.#within(next))
  }

  /** Returns a `next` for which the signal 'router' leaves this table, but not the outer one whose loop it shares. */
  #within(next: Next): Next {
    if (this.run.prefix === undefined) return next
    return (error) => {
      if (error !== 'router') next(error)
      else {
        this.run.leave(this)
        next()
      }
    }
  }

  /** Waits for a scheme, then asks this candidate again. Callbacks of `param()` run before a handler does. */
  #wait(verdict: PromiseLike<Mismatch | undefined>, next: Next, error: unknown): void {
    verdict.then((mismatch) => {
      const { stack } = this.run.loop
      this.#verdict = mismatch
      stack.splice(stack.indexOf(this), 0, this)
      next(error)
    }, next)
  }

  /** Runs the handlers of a route. The request has the shape of the newest version until it leaves them. */
  #begin(entry: Runnable & NamedPath, req: Router.Request, res: Router.Response, next: Next): void {
    const { run } = this
    const { state, loop } = run
    const go = this.#within(next)
    const leave: Next = (error) => {
      this.leave = undefined
      this.converted?.takeBack()
      this.converted = undefined
      req.next = next
      go(error)
    }
    this.leave = leave
    state.open = this
    req.next = leave
    req.route = entry.route as Router.Route
    const error = state.config?.changes?.begin(run.req, loop.res, () => nameBelow(run.way(), entry))
    if (error === undefined) entry.layer.handleRequest(req, res, leave)
    else leave(error)
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
    return this.#led || entry.kind === 'middleware' ? undefined : run.matchAt(entry, this.#found as Found)
  }
}

/**
 * Matches an entry as `router` would.
 *
 * @throws {Error} the 400 of `router` for a malformed escape in a parameter.
 */
function matchOf(run: Run, entry: Runnable, known: PatternMatch | undefined): Router.LayerMatch | PatternMatch | false {
  const found = entry.kind === 'middleware' ? undefined : (known ?? run.matchOf(entry))
  return found === undefined || (found !== false && found.malformed) ? entry.layer.match(run.path) : found
}

/** Returns a route as `router` uses it. For OPTIONS, the route has only the methods of the request's version. */
function routeFor(run: Run, entry: NamedPath): RouterRoute | undefined {
  const { req, state } = run
  const { config, version } = state
  const { route } = entry
  const changes = config?.changes
  if (req.method !== 'OPTIONS' || changes === undefined || typeof version !== 'string') return route
  const viewName = nameBelow(run.way(), entry)
  const methods = () => route?._methods().filter((method) => changes.hasOperation(method, viewName, version))
  return Object.create(route as RouterRoute, { _methods: { value: methods } }) as RouterRoute
}
