// An entry of a table on the stack of one request.
import type Router from 'router'
import type { Mismatch, Verdict } from '../request/judge'
import type { Handed, OpenRoute } from '../request/state'
import type { ResolverMatch } from '../types'
import { isThenable } from '../util/thenable'
import type { Descent, Found, Passage } from './passage'
import type { Entry, RouterRoute, Table } from './table'
import { nameBelow } from './walk'

export type Next = (error?: unknown) => void

/** The part of a layer that `router` uses. A layer that never matches needs only `match`. */
export type Layer = Pick<Router.Layer, 'match'> & Partial<Pick<Router.Layer, 'handleRequest' | 'handleError'>>

/** An entry with a layer to run. */
export type Runnable = Entry & { readonly layer: Router.Layer }

/** The level of the loop that a candidate belongs to. */
export interface Owner {
  readonly passage: Passage
  /** The prefix in front of a table that runs in the loop of an outer table. */
  readonly prefix: Found | undefined
  /** `true` if an entry of the table has run. */
  readonly entered: boolean
  asks(path: string, order: number): boolean
  enter(): void
  leave(): void
  /** Puts a candidate on the stack again, as the next member. */
  repeat(candidate: Layer): void
  /** Returns the error for a request that has reached an entry of another version. */
  refused(mismatch: Mismatch): unknown
  /** Runs the changes between versions for a route that begins. */
  begin(viewName: () => string): unknown
}

/** An entry on the stack of one request. */
export class Candidate implements Layer, Handed, OpenRoute {
  leave: Next | undefined = undefined
  converted: OpenRoute['converted'] = undefined
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
    private readonly owner: Owner,
    readonly entry: Runnable,
  ) {
    this.route = entry.kind === 'route' && owner.prefix === undefined ? owner.passage.routeOf(entry) : undefined
  }

  get name(): string {
    return this.entry.layer.name
  }

  /** Returns the match for `router`. An entry of another version triggers no callbacks of `param()`. */
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

  /**
   * Returns the part of the path that `router` removes for an entry below a prefix. For a route that is only the
   * prefix.
   */
  #takenOff(path: string, prefix: string, own: string): string {
    // If the path is only the prefix, a RegExp may have matched a slash that the path does not have.
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

  /** Runs error handlers for errors of all versions, but no callbacks of `param()` for another version. */
  handleError(error: unknown, req: Router.Request, res: Router.Response, next: Next): void {
    const { owner, entry } = this
    const verdict = this.#verdict
    if (isThenable(verdict)) this.#wait(verdict, next, error)
    else if (verdict && owner.passage.watched((this.#found as Found).params).length > 0) next(error)
    // An error does not enter a mounted table.
    else if (entry.kind === 'route' || !owner.entered) next(error)
    else entry.layer.handleError(error, req, res, owner.prefix === undefined ? next : this.#within(next))
  }

  /** Returns a `next` for which the signal 'router' leaves this table, but not the outer one whose loop it uses. */
  #within(next: Next): Next {
    return (error) => {
      if (error !== 'router') next(error)
      else {
        this.owner.leave()
        next()
      }
    }
  }

  /** Waits for a scheme, then asks this candidate again. Callbacks of `param()` run before a handler does. */
  #wait(verdict: PromiseLike<Mismatch | undefined>, next: Next, error: unknown): void {
    verdict.then((later) => {
      this.#settle(later)
      this.owner.repeat(this)
      next(error)
    }, next)
  }

  /** Runs the handlers of a route. The request has the shape of the newest version until it leaves them. */
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

  /** Returns the way into a mounted table, if the request is on it. */
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
