import type { Request } from 'express'
import type { Layer } from 'router'
import { parsedUrl, wayFrom, withoutSlash } from '../request/place'
import type { RequestState, Walk } from '../request/state'
import type { RouteRegistry } from '../types'
import { authorityOf } from './as-router'
import { NO_PARAMS, type PatternMatch } from './pattern'
import type { Entry, Mount, Table } from './table'
import { below, enterMount, START, type Step, TableWalk, type Way, wayBelow } from './walk'

/** An entry that has something to run. */
export type Runnable = Entry & { readonly layer: Layer }

/** How much of the path an entry matched, and the parameters in it. */
export type Found = Pick<PatternMatch, 'path' | 'params'>

/** The way into a table that is mounted in another one. */
export interface Descent {
  readonly outer: Position
  readonly mount: Mount
  readonly found: Found
  /** Whether the outer path was what the url said, to the letter, before the mount was taken off. */
  readonly literal: boolean
}

const EVERYTHING: Found = { path: '', params: NO_PARAMS }

/** The url of a request before it was looked at. */
const NOWHERE = Symbol('nowhere')

/** Where a request is in one table: the path that counts there, what may match it, and the step of the walk that decided. */
export class Position {
  readonly baseUrl: string
  /** Scheme and authority of a target in absolute form. */
  readonly #authority: string

  /** The path of the url that was looked at last; what may match it, as of a version of the table's index. */
  path = ''
  list: readonly Entry[] = []
  version = -1
  #url: unknown = NOWHERE
  /** Whether that url is its path and query, and no more. */
  #plain = false
  /** How far the list was tried, and to which place in the table's order. */
  #at = 0
  #last = -1

  // What the current mount took off the url.
  #removed = ''
  #slashAdded = false

  // The walk that was looked at last, for which path, and its step in this table.
  #walk: Walk | undefined
  #walkPath = ''
  #step: Step | undefined

  constructor(
    readonly table: Table,
    readonly state: RequestState,
    readonly req: Request,
    /** The table as users know it, or the mount by which it was entered. */
    readonly from: RouteRegistry | Descent,
  ) {
    this.baseUrl = req.baseUrl ?? ''
    this.#authority = authorityOf(req.url)
    if ('outer' in from && from.literal) {
      // What `router` would read from what the mount left of the url.
      this.#url = req.url
      this.path = below(from.outer.path, from.found)
      this.#plain = true
    }
  }

  /** Whether the url is the path here and a query, to the letter; callbacks of `param()` may have moved the request. */
  isLiteral(): boolean {
    return this.#plain && this.req.url === this.#url
  }

  /** Looks up what may match the path, from where the request stands in the table's order. False for a url without a path. */
  locate(): boolean {
    const { req } = this
    const { index } = this.table
    if (req.url !== this.#url) {
      this.#url = req.url
      this.version = -1
      const parsed = parsedUrl(req)
      if (typeof parsed?.pathname !== 'string') {
        this.#url = NOWHERE
        return false
      }
      this.path = parsed.pathname
      this.#plain = parsed.path === req.url
    }
    if (index.version === this.version) return true
    this.version = index.version
    const step = this.step()
    this.list = step?.version === index.version ? step.list : index.find(this.path)
    this.#at = this.#last === -1 ? 0 : this.list.findIndex(({ order }) => order > this.#last)
    if (this.#at === -1) this.#at = this.list.length
    return true
  }

  /** Goes on to the next entry that may match; `undefined` behind the last. */
  advance(): Runnable | undefined {
    while (this.#at < this.list.length) {
      const entry = this.list[this.#at++] as Entry
      if (entry.layer === undefined) continue
      this.#last = entry.order
      return entry as Runnable
    }
    return undefined
  }

  /** @throws {Error} the 400 of `router` for a malformed escape in a parameter. */
  match(entry: Runnable): Found | false {
    const { layer } = entry
    if (entry.kind === 'middleware') return layer.slash ? EVERYTHING : (layer.match(this.path) as Found | false)
    const found = this.stepAt(entry)?.found ?? this.#read(entry)
    return found !== false && found.malformed ? (layer.match(this.path) as Found | false) : found
  }

  #read(entry: Exclude<Runnable, { kind: 'middleware' }>): PatternMatch | false {
    if (entry.kind === 'route') return entry.pattern.match(this.path)
    if (entry.prefix.readings.length === 1) return entry.prefix.match(this.path)
    return enterMount(this, entry, this.req.method)?.found ?? false
  }

  /** The step of the walk that decided, where it leads to this entry, and the path is still the same. */
  stepAt(entry: Entry): Step | undefined {
    const step = this.step()
    return step?.entry === entry ? step : undefined
  }

  /** The step of that walk in this table. */
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

  /** The prefixes on the way to this table; to one that the app mounts itself, as the root describes it. */
  way(): Way {
    const { from } = this
    if ('outer' in from) return wayBelow(from.outer.way(), from.mount, from.found)
    const { root } = this.state
    if (root === undefined || root.table === from) return START
    return (wayFrom(root, from, this.baseUrl) as Way | undefined | null) ?? START
  }

  /** Takes what a mount matched off the url. False if that is not the beginning of the path: a RegExp may match anything. */
  takeOff(path: string): boolean {
    if (path === '') return true
    const { req } = this
    const behind = this.path.charAt(path.length)
    if (!this.path.startsWith(path) || (behind !== '' && behind !== '/')) return false
    this.#removed = path
    req.url = this.#authority + req.url.slice(this.#authority.length + path.length)
    if (this.#authority === '' && !req.url.startsWith('/')) {
      req.url = `/${req.url}`
      this.#slashAdded = true
    }
    req.baseUrl = this.baseUrl + withoutSlash(path)
    return true
  }

  /** Puts back what a mount took off; middleware may have moved the request to another path meanwhile. */
  putBack(): void {
    const { req } = this
    if (this.#slashAdded) {
      const bare = req.url === '/' || req.url.startsWith('/?')
      if (bare || (this.#removed.endsWith('/') && req.url.startsWith('/'))) req.url = req.url.slice(1)
      this.#slashAdded = false
    }
    if (this.#removed === '') return
    req.baseUrl = this.baseUrl
    req.url = this.#authority + this.#removed + req.url.slice(this.#authority.length)
    this.#removed = ''
  }
}
