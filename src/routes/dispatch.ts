import type { Request, Response } from 'express'
import Router from 'router'
import type { Mismatch, Verdict } from '../request/judge'
import { stateOf } from '../request/members'
import { enter, pathnameOf } from '../request/place'
import type { Handed, OpenRoute } from '../request/state'
import type { ResolverMatch, RouteRegistry } from '../types'
import { isThenable } from '../util/thenable'
import { unfounded } from './declare'
import { type Descent, type Found, Passage } from './passage'
import { type Entry, handles, type NamedPath, type RouterRoute, type Table } from './table'
import { nameBelow } from './walk'

type Next = (error?: unknown) => void

/** What `router` asks of a member of its stack. */
type Layer = Pick<Router.Layer, 'match' | 'handleRequest' | 'handleError'>

/** What `router` makes its answer to OPTIONS from. */
type MethodLister = RouterRoute & { _methods(): readonly string[] }

/** `router`'s own loop, over any stack. */
const { handle } = Router.prototype as { handle(this: object, req: Request, res: Response, done: Next): void }

/** Takes a request through a table. */
export function dispatch(table: Table, face: RouteRegistry, req: Request, res: Response, done: Next): void {
  const state = stateOf(req)
  const descent = state.at instanceof Candidate ? state.at.descentTo(table) : undefined
  new Dispatch(new Passage(table, state, req, descent ?? face), res, done).run()
}

/**
 * One request on its way through one table. The loop is `router`'s; the stack is of this request, with the few entries that can
 * match its path. Behind them stands this object itself, which is asked when all of them have passed the request on.
 */
class Dispatch implements Layer {
  readonly #stack: Layer[] = []
  /** How many of them were asked, and the place in the table's order of the last one. */
  #asked = 0
  #last = -1
  /** The version of the table's index that they are from. */
  #version = -1
  readonly #leave: Next
  /** Whether anything ran. */
  handed = false

  constructor(
    readonly passage: Passage,
    readonly res: Response,
    done: Next,
  ) {
    const { state } = passage
    const { at, handling, open } = state
    this.#leave = (error) => {
      const outermost = state.handling !== handling
      const absent = error || !outermost ? undefined : passage.absent()
      state.at = at
      state.handling = handling
      state.open = open
      done(error || absent)
    }
  }

  run(): void {
    const { passage } = this
    const { table, state, req, from } = passage
    if (!('outer' in from)) {
      req.originalUrl = req.originalUrl || req.url
      req.baseUrl = passage.baseUrl
      const misplaced = enter(state, req, from) ?? unfounded(table, req)
      if (misplaced !== undefined) {
        this.#leave(misplaced)
        return
      }
    }
    const path = pathnameOf(req)
    if (path === undefined) {
      this.#leave()
      return
    }
    this.#find(path)
    const mismatch = 'outer' in from ? undefined : passage.compareTable()
    if (isThenable(mismatch)) mismatch.then((later) => this.#admit(later), this.#leave)
    else this.#admit(mismatch)
  }

  /** Goes through the table; but one of another version is passed by, or refused where it has a route for the request. */
  #admit(mismatch: Mismatch | undefined): void {
    const { passage } = this
    if (mismatch?.other === true) this.#leave(passage.hasRoute() ? this.refused(mismatch) : undefined)
    else if (this.#stack.length === 1) this.#leave()
    else {
      const { params } = passage.table.router
      const done: Next = (error) => {
        // What called back without waiting is on the call stack still, and tables may follow on tables.
        if (this.handed) setImmediate(this.#leave, error)
        else this.#leave(error)
      }
      handle.call({ stack: this.#stack, params, mergeParams: true }, passage.req, this.res, done)
    }
  }

  refused({ error }: Mismatch): unknown {
    const { state, req } = this.passage
    return state.config?.refused(req, this.res, state, error)
  }

  /**
   * Notes that `router` asks an entry about a path.
   *
   * @returns false where handlers have moved the request, or added routes: then others may be next.
   */
  asks({ order }: Entry, path: string): boolean {
    this.#asked++
    this.passage.state.at = undefined
    if (this.#isMoved(path)) {
      this.#find(path)
      return false
    }
    this.#last = order
    return true
  }

  /** Has an entry asked again. */
  repeat(candidate: Candidate): void {
    this.#stack.splice(this.#asked, 0, candidate)
  }

  /** A route as `router` asks it; for OPTIONS, with those of its methods alone that the version of the request has. */
  routeOf(entry: NamedPath): RouterRoute | undefined {
    const { passage } = this
    const { route } = entry
    if (route === undefined || passage.req.method !== 'OPTIONS' || passage.state.config?.changes === undefined)
      return route
    const methods = () => passage.methodsOf(entry, (route as MethodLister)._methods())
    return Object.create(route, { _methods: { value: methods } }) as RouterRoute
  }

  #isMoved(path: string): boolean {
    return path !== this.passage.path || this.#version !== this.passage.table.index.version
  }

  /** Puts what may match a path on the stack, from where the request stands in the table's order. */
  #find(path: string): void {
    const { passage } = this
    const { index } = passage.table
    passage.path = path
    this.#version = index.version
    const step = passage.step()
    const list = step?.version === index.version ? step.list : index.find(path)
    this.#stack.length = this.#asked
    for (const entry of list) {
      if (entry.layer !== undefined && entry.order > this.#last)
        this.#stack.push(new Candidate(this, entry as Runnable))
    }
    this.#stack.push(this)
  }

  match(path: string): false {
    this.#asked++
    this.passage.state.at = undefined
    if (this.#isMoved(path)) this.#find(path)
    return false
  }

  handleRequest(): void {}

  handleError(): void {}
}

/** An entry that has something to run. */
type Runnable = Entry & { readonly layer: Router.Layer }

/** An entry on the stack of one request. */
class Candidate implements Layer, Handed, OpenRoute {
  leave: Next | undefined = undefined
  converted: OpenRoute['converted'] = undefined
  readonly route: RouterRoute | undefined = undefined
  #found: Found | undefined
  /** Why it must not run, once that was asked. */
  #verdict: Verdict | null = null
  /** Whether the walk that decided leads here. */
  #led = false

  constructor(
    private readonly dispatch: Dispatch,
    readonly entry: Runnable,
  ) {
    if (entry.kind === 'route') this.route = dispatch.routeOf(entry)
  }

  get name(): string {
    return this.entry.layer.name
  }

  /** What `router` needs to hand the request on. Where another version is behind it, no callback of `param()` is due. */
  match(path: string): Router.LayerMatch | false {
    const { entry, dispatch } = this
    const { passage } = dispatch
    if (!dispatch.asks(entry, path)) return false
    const found = passage.read(entry)
    if (found === false) return false
    this.#found = found
    const taken = this.#isTaken()
    if (taken && entry.kind === 'route' && passage.isAhead(entry)) return false
    if (this.#verdict === null) this.#settle(taken ? passage.compare(entry, found) : undefined)
    return {
      params: { ...found.params },
      path: found.path,
      keys: this.#verdict === undefined ? passage.watched(found.params) : [],
      pattern: 'pattern' in found ? (found.pattern as string) : (entry.layer.rawPath as string),
    }
  }

  /** Whether `router` may hand the request on: it enters a route for HEAD, whatever methods that has. */
  #isTaken(): boolean {
    const { method } = this.dispatch.passage.req
    return this.entry.kind !== 'route' || method === 'HEAD' || handles(this.route, method)
  }

  #settle(verdict: Verdict): void {
    const passes =
      verdict !== undefined &&
      !isThenable(verdict) &&
      this.dispatch.passage.mayEnter(this.entry, this.#found as Found, verdict)
    this.#verdict = passes ? undefined : verdict
  }

  handleRequest(req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, dispatch } = this
    const { passage } = dispatch
    const verdict = this.#verdict
    dispatch.handed = true
    if (isThenable(verdict)) this.#wait(verdict, next, undefined)
    else if (verdict) next(passage.serves(entry, this.#found as Found) ? dispatch.refused(verdict) : undefined)
    else {
      this.#led = passage.stepAt(entry) !== undefined
      passage.state.at = this
      if (entry.kind === 'route') this.#begin(entry, req, res, next)
      else entry.layer.handleRequest(req, res, next)
    }
  }

  /** Error handlers are open to errors of all versions; callbacks of `param()` are not. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const verdict = this.#verdict
    if (isThenable(verdict)) this.#wait(verdict, next, error)
    else if (verdict && this.dispatch.passage.watched((this.#found as Found).params).length > 0) next(error)
    else this.entry.layer.handleError(error, req, res, next)
  }

  /** Waits for a scheme, and is asked again then: callbacks of `param()` run before a handler does. */
  #wait(verdict: PromiseLike<Mismatch | undefined>, next: Next, error: unknown): void {
    verdict.then((later) => {
      this.#settle(later)
      this.dispatch.repeat(this)
      next(error)
    }, next)
  }

  /** Runs the route's own handlers: here a request takes the shape of the newest version, until it leaves them. */
  #begin(entry: Runnable & { kind: 'route' }, req: Router.Request, res: Router.Response, next: Next): void {
    const { passage } = this.dispatch
    const { state } = passage
    const leave: Next = (error) => {
      this.leave = undefined
      this.converted?.takeBack()
      this.converted = undefined
      req.next = next
      next(error)
    }
    this.leave = leave
    state.open = this
    req.next = leave
    const error = state.config?.changes?.begin(passage.req, this.dispatch.res, () => nameBelow(passage.way(), entry))
    if (error === undefined) entry.layer.handleRequest(req, res, leave)
    else leave(error)
  }

  /** The way into a table, if the request is on it. */
  descentTo(table: Table): Descent | undefined {
    const { entry, dispatch } = this
    const inside = entry.kind === 'mount' && entry.table === table
    return inside ? { outer: dispatch.passage, mount: entry, found: this.#found as Found } : undefined
  }

  get path(): string {
    const { baseUrl, path } = this.dispatch.passage
    return baseUrl + path
  }

  seen(): ResolverMatch | undefined {
    const { entry, dispatch } = this
    return this.#led || entry.kind === 'middleware' ? undefined : dispatch.passage.matchAt(entry, this.#found as Found)
  }
}
