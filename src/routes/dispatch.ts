// Runs a request through a table, with the loop of `router` over a stack that belongs to the request.
import { tracingChannel } from 'node:diagnostics_channel'
import type { Request, Response } from 'express'
import Router from 'router'
import type { Mismatch } from '../request/judge'
import { stateOf } from '../request/members'
import { enter, pathnameOf } from '../request/place'
import type { RouteRegistry } from '../types'
import { isThenable } from '../util/thenable'
import { Candidate, type Layer, type Next, type Owner, type Runnable } from './candidate'
import { unfounded } from './declare'
import { type Descent, type Found, hasNames, Passage } from './passage'
import type { Mount, Table } from './table'
import { candidates, NO_PARAMS } from './walk'

/** The loop of `router`, over any stack. */
const { handle } = Router.prototype as { handle(this: object, req: Request, res: Response, done: Next): void }

/** The channel on which `router` reports each handler that it calls. */
const channel = tracingChannel('express.router.request')

/** Runs a request through a table. */
export function dispatch(table: Table, face: RouteRegistry, req: Request, res: Response, done: Next): void {
  const state = stateOf(req)
  const descent = state.at instanceof Candidate ? state.at.descentTo(table) : undefined
  new Dispatch(new Passage(table, state, req, descent ?? face), res, done).run()
}

/** One request in one table. The loop is that of `router`; the stack belongs to the request. */
class Dispatch {
  readonly stack: Layer[] = []
  /** The number of members of the stack that were asked. */
  asked = 0
  /** `true` if a handler ran. */
  handed = false
  /** `true` if mounted tables may run in the same loop. */
  readonly flattens: boolean
  readonly #level: Level
  readonly #leave: Next

  constructor(
    readonly passage: Passage,
    readonly res: Response,
    done: Next,
    last = -1,
  ) {
    const { state, req } = passage
    const { at, handling, open } = state
    this.#leave = (error) => {
      const absent = error || state.handling === handling ? undefined : passage.absent()
      state.at = at
      state.handling = handling
      state.open = open
      done(error || absent)
    }
    this.flattens = req.method !== 'OPTIONS' && !channel.hasSubscribers
    this.#level = new Level(this, passage, last, undefined, undefined)
  }

  /** @param error the error that is pending already. */
  run(error?: unknown): void {
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
      this.#leave(error)
      return
    }
    if (error) this.stack.push(new Failure(this, error))
    this.#level.find(path, this.stack)
    const mismatch = 'outer' in from ? undefined : passage.compareTable()
    if (mismatch !== undefined && isThenable(mismatch)) mismatch.then((later) => this.#admit(later), this.#leave)
    else this.#admit(mismatch)
  }

  /**
   * Runs the loop of the table. A table of another version is skipped, or refused if it has a route for the request.
   */
  #admit(mismatch: Mismatch | undefined): void {
    const { passage } = this
    if (mismatch?.other === true) this.#leave(passage.hasRoute() ? this.refused(mismatch) : undefined)
    else if (this.stack.length === 1) this.#leave()
    else {
      const { params } = passage.table.router
      const done: Next = (error) => {
        // Handlers that called `next` synchronously are still on the call stack, and many tables may follow.
        if (this.handed) setImmediate(this.#leave, error)
        else this.#leave(error)
      }
      const mergeParams = hasNames(passage.req.params)
      handle.call({ stack: this.stack, params, mergeParams }, passage.req, this.res, done)
    }
  }

  refused({ error }: Mismatch): unknown {
    const { state, req } = this.passage
    return state.config?.refused(req, this.res, state, error)
  }
}

/**
 * One table in the loop, with its entries that can match the path. A mounted table without callbacks or a version of
 * its own runs in the loop of the outer table, as if its entries stood there. This object itself follows the entries on
 * the stack: it is asked when all of them have passed the request on.
 */
class Level implements Layer, Owner {
  /** The path as the loop sees it. `#version` is the version of the index that the entries are from. */
  #path = ''
  #version = -1
  /** `true` if an entry of the table has run. */
  entered: boolean

  constructor(
    readonly dispatch: Dispatch,
    readonly passage: Passage,
    /** The order of the entry that was asked last. */
    private last: number,
    readonly outer: Level | undefined,
    /** The prefixes of this table in the path as the loop sees it. */
    readonly prefix: Found | undefined,
  ) {
    this.entered = outer === undefined
  }

  /** Puts the entries that may match a path and come after the last one on a stack, and this object behind them. */
  find(path: string, stack: Layer[]): void {
    const { passage, last, prefix } = this
    const { table } = passage
    this.#path = path
    this.#version = table.version
    passage.path = prefix === undefined ? path : path.slice(prefix.path.length) || '/'
    const step = passage.step()
    const list = step?.version === table.version ? step.list : candidates(table, passage.path)
    for (const entry of list) {
      if (entry.layer === undefined || entry.order <= last) continue
      const inner = entry.kind === 'mount' ? this.#flattened(entry, path) : undefined
      if (inner === undefined) stack.push(new Candidate(this, entry as Runnable))
      else inner.find(path, stack)
    }
    stack.push(this)
  }

  /** Returns the level of a mounted table, if it can run in this loop. */
  #flattened(mount: Mount, path: string): Level | undefined {
    const { passage, dispatch } = this
    const { table } = mount
    if (!dispatch.flattens || table === undefined || passage.hasCallbacks()) return undefined
    // Malformed escapes, and targets that `router` percent-encodes, need a loop of their own.
    if (path.includes('%') || !isLiteral(passage.req.url, path)) return undefined
    const found = passage.isComparedAt(mount) ? undefined : passage.prefixOf(mount)
    if (!found || found.path.endsWith('/')) return undefined
    const inner = passage.below(table, mount, found)
    if (inner.hasCallbacks()) return undefined
    const { path: before, params } = this.prefix ?? NOTHING
    const prefix = { path: before + found.path, params: { ...params, ...found.params } }
    return new Level(dispatch, inner, -1, this, prefix)
  }

  /**
   * Notes that `router` asks a member about a path.
   *
   * @returns `false` if the request was moved, more was declared, or the version was decided anew. Other entries may be
   *   next then.
   */
  asks(path: string, order = this.last): boolean {
    const { dispatch, passage } = this
    dispatch.asked++
    passage.state.at = undefined
    if (path === this.#path && this.#version === passage.table.version && this.#isStill()) {
      this.last = order
      return true
    }
    this.#turn(path)
    return false
  }

  /** Tells whether the request would still enter a mounted table in this loop. */
  #isStill(): boolean {
    const { outer, passage, entered } = this
    return outer === undefined || entered || !outer.passage.isComparedAt((passage.from as Descent).mount)
  }

  #turn(path: string): void {
    const { outer, entered, passage } = this
    if (!entered) (outer as Level).#turn(path)
    else {
      const members: Layer[] = []
      if (outer === undefined) this.find(path, members)
      else members.push(new Resumed(this.dispatch, passage, this.prefix as Found, this.last))
      this.#replace(members)
    }
  }

  #replace(members: readonly Layer[]): void {
    const { stack, asked } = this.dispatch
    stack.splice(asked, stack.indexOf(this, asked) - asked + 1, ...members)
  }

  enter(): void {
    const { outer, passage, dispatch } = this
    dispatch.handed = true
    if (this.entered || outer === undefined) return
    this.entered = true
    outer.last = (passage.from as Descent).mount.order
    outer.enter()
  }

  leave(): void {
    this.#replace([])
  }

  repeat(candidate: Layer): void {
    const { stack, asked } = this.dispatch
    stack.splice(asked, 0, candidate)
  }

  refused(mismatch: Mismatch): unknown {
    return this.dispatch.refused(mismatch)
  }

  begin(viewName: () => string): unknown {
    const { state, req } = this.passage
    return state.config?.changes?.begin(req, this.dispatch.res, viewName)
  }

  match(path: string): false {
    this.asks(path)
    return false
  }
}

/** A table that ran in the loop of an outer one until a handler moved the request. It goes on in a loop of its own. */
class Resumed implements Layer {
  constructor(
    private readonly dispatch: Dispatch,
    private readonly passage: Passage,
    private readonly prefix: Found,
    private readonly last: number,
  ) {}

  match(): Router.LayerMatch {
    const { path, params } = this.prefix
    this.dispatch.asked++
    return { path, params: { ...params }, keys: [], pattern: path }
  }

  handleRequest(_req: unknown, _res: unknown, next: Next): void {
    this.handleError(undefined, _req, _res, next)
  }

  handleError(error: unknown, _req: unknown, _res: unknown, next: Next): void {
    const { table, state, req, from } = this.passage
    new Dispatch(new Passage(table, state, req, from), this.dispatch.res, next, this.last).run(error)
  }
}

/** The error that was pending when a loop began. */
class Failure implements Layer {
  constructor(
    private readonly dispatch: Dispatch,
    private readonly error: unknown,
  ) {}

  match(): Router.LayerMatch {
    this.dispatch.asked++
    return { path: '', params: {}, keys: [], pattern: '' }
  }

  handleRequest(_req: unknown, _res: unknown, next: Next): void {
    next(this.error)
  }
}

/** Tells whether a url is literally its path, with or without a query. */
function isLiteral(url: string, path: string): boolean {
  const behind = url.charAt(path.length)
  return url.startsWith(path) && (behind === '' || behind === '?')
}

const NOTHING: Found = { path: '', params: NO_PARAMS }
