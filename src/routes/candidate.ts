import type Router from 'router'
import type { Mismatch, Verdict } from '../request/judge'
import type { Handed, OpenRoute } from '../request/state'
import type { ResolverMatch } from '../types'
import { isThenable } from '../util/thenable'
import type { Descent, Found, Passage } from './passage'
import type { Entry, RouterRoute, Table } from './table'
import { nameBelow } from './walk'

export type Next = (error?: unknown) => void

/** What `router` asks of a member of its stack. */
export type Layer = Pick<Router.Layer, 'match' | 'handleRequest' | 'handleError'>

/** An entry that has something to run. */
export type Runnable = Entry & { readonly layer: Router.Layer }

/** What a candidate needs of the loop, and of its table in it. */
export interface Owner {
  readonly passage: Passage
  /** What is taken off the path in front of a table that goes through the loop of an outer one. */
  readonly prefix: Found | undefined
  /** Whether anything of the table has run. */
  readonly entered: boolean
  asks(path: string, order: number): boolean
  enter(): void
  leave(): void
  /** Has a candidate asked again, next. */
  repeat(candidate: Layer): void
  /** The error for a request that has reached another version's. */
  refused(mismatch: Mismatch): unknown
  /** Runs changes between versions for a route that begins. */
  begin(viewName: () => string): unknown
}

/** An entry on the stack of one request. */
export class Candidate implements Layer, Handed, OpenRoute {
  leave: Next | undefined = undefined
  converted: OpenRoute['converted'] = undefined
  /** As `router` knows it; below a prefix it takes a route for middleware, and takes off the prefix. */
  readonly route: RouterRoute | undefined
  #found: Found | undefined
  /** Why it must not run, once that was asked. */
  #verdict: Verdict | null = null
  /** Whether the walk that decided leads here. */
  #led = false

  constructor(
    private readonly owner: Owner,
    readonly entry: Runnable,
  ) {
    this.route = entry.kind === 'route' && owner.prefix === undefined ? owner.passage.routeOf(entry) : undefined
  }

  get name(): string {
    return this.entry.layer.name
  }

  /** What `router` needs to hand the request on. Where another version is behind it, no callback of `param()` is due. */
  match(path: string): Router.LayerMatch | false {
    const { entry, owner } = this
    const { passage, prefix } = owner
    if (!owner.asks(path, entry.order)) return false
    const found = passage.read(entry)
    if (found === false) return false
    this.#found = found
    if (entry.kind === 'route') {
      const taken = passage.takes(entry)
      if (taken ? passage.isAhead(entry) : prefix !== undefined) return false
      if (!taken) this.#verdict = undefined
    }
    if (this.#verdict === null) this.#settle(passage.compare(entry, found))
    const { params } = found
    return {
      params: prefix === undefined ? { ...params } : { ...prefix.params, ...params },
      path: prefix === undefined ? found.path : this.#takenOff(path, prefix.path, found.path),
      keys: this.#verdict === undefined ? passage.watched(params) : [],
      pattern: 'pattern' in found ? (found.pattern as string) : (entry.layer.rawPath as string),
    }
  }

  /** The part of the path that `router` takes off for an entry below a prefix; a route takes off no more than that. */
  #takenOff(path: string, prefix: string, own: string): string {
    // Behind the prefix alone, a RegExp may have matched a slash that is not there.
    return this.entry.kind === 'route' ? prefix : (prefix + own).slice(0, path.length)
  }

  #settle(verdict: Verdict): void {
    const { owner, entry } = this
    const settled = verdict !== undefined && !isThenable(verdict)
    const passes = settled && owner.passage.mayEnter(entry, this.#found as Found, verdict)
    this.#verdict = passes ? undefined : verdict
  }

  handleRequest(req: Router.Request, res: Router.Response, next: Next): void {
    const { entry, owner } = this
    const { passage } = owner
    const verdict = this.#verdict
    owner.enter()
    if (!verdict) {
      this.#led = passage.stepAt(entry) !== undefined
      passage.state.at = this
      if (entry.kind === 'route') this.#begin(entry, req, res, next)
      else entry.layer.handleRequest(req, res, owner.prefix === undefined ? next : this.#within(next))
    } else if (isThenable(verdict)) this.#wait(verdict, next, undefined)
    else next(passage.serves(entry, this.#found as Found) ? owner.refused(verdict) : undefined)
  }

  /** Error handlers are open to errors of all versions; callbacks of `param()` are not. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const { owner, entry } = this
    const verdict = this.#verdict
    if (isThenable(verdict)) this.#wait(verdict, next, error)
    else if (verdict && owner.passage.watched((this.#found as Found).params).length > 0) next(error)
    // A table that is mounted is not entered with an error.
    else if (entry.kind === 'route' || !owner.entered) next(error)
    else entry.layer.handleError(error, req, res, owner.prefix === undefined ? next : this.#within(next))
  }

  /** The signal 'router' leaves the table, and not the outer one whose loop this is. */
  #within(next: Next): Next {
    return (error) => {
      if (error !== 'router') next(error)
      else {
        this.owner.leave()
        next()
      }
    }
  }

  /** Waits for a scheme, and is asked again then: callbacks of `param()` run before a handler does. */
  #wait(verdict: PromiseLike<Mismatch | undefined>, next: Next, error: unknown): void {
    verdict.then((later) => {
      this.#settle(later)
      this.owner.repeat(this)
      next(error)
    }, next)
  }

  /** Runs the route's own handlers: here a request takes the shape of the newest version, until it leaves them. */
  #begin(entry: Runnable & { kind: 'route' }, req: Router.Request, res: Router.Response, next: Next): void {
    const { owner } = this
    const { passage, prefix } = owner
    const go = prefix === undefined ? next : this.#within(next)
    const leave: Next = (error) => {
      this.leave = undefined
      this.converted?.takeBack()
      this.converted = undefined
      req.next = next
      go(error)
    }
    this.leave = leave
    passage.state.open = this
    req.next = leave
    req.route = entry.route as Router.Route
    const error = owner.begin(() => nameBelow(passage.way(), entry))
    if (error === undefined) entry.layer.handleRequest(req, res, leave)
    else leave(error)
  }

  /** The way into a table, if the request is on it. */
  descentTo(table: Table): Descent | undefined {
    const { entry, owner } = this
    const inside = entry.kind === 'mount' && entry.table === table
    return inside ? { outer: owner.passage, mount: entry, found: this.#found as Found } : undefined
  }

  get path(): string {
    const { baseUrl, path } = this.owner.passage
    return baseUrl + path
  }

  seen(): ResolverMatch | undefined {
    const { entry, owner } = this
    return this.#led || entry.kind === 'middleware' ? undefined : owner.passage.matchAt(entry, this.#found as Found)
  }
}
