import type { OutgoingHttpHeader } from 'node:http'
import type { Request, Response } from 'express'
import type { NoReverseMatch, VersioningError } from '../errors'
import type {
  LinkFailure,
  LinkOptions,
  RequestChanges,
  ResolverMatch,
  RouteParams,
  RouteRegistry,
  VersionCarrier,
} from '../types'

/** A link, or why there is none: a value, because a fallback often follows and an error is costly. */
export type Linked = string | readonly LinkFailure[]

/** As {@link Linked}, or the error of a scheme of one's own, or of what is wrong with the link whatever its name. */
export type Attempt = Linked | NoReverseMatch

/** A version or a promise of one; `null` is no version. */
export type Determined = string | null | Promise<string | null>

/** A version that a request names, or a promise of it; `undefined` or `null` for none. */
export type MaybeNamed = string | null | undefined | Promise<string | null | undefined>

/** The positional arguments of every route: Express has none. */
export const NO_ARGS: readonly unknown[] = Object.freeze([])

/** What a scheme is to the rest of the package; `BaseVersioning` is one. An interface, so that schemes may import this file. */
export interface Scheme {
  /** Whether its links can be made for another version than the request's. */
  readonly linksVersion: boolean
  /** Where the version stands in a request; undefined: anywhere, the route included. */
  readonly carriedIn: VersionCarrier['in'] | undefined
  /** As `reverse`, for a link that may not be there. */
  attempt(viewname: string, options: LinkOptions, request: Request | undefined): Attempt
  /** Oldest first, the default version among them; empty: every version is accepted. */
  readonly acceptedVersions: readonly (string | null)[]
  determineVersion(
    req: Request,
    args: readonly unknown[],
    kwargs: RouteParams,
    match?: ResolverMatch | null,
  ): Determined
  /** The schemes, of which this is one or which it combines, that a route may name a version to. */
  readonly routeReaders: readonly Scheme[]
  /** The version that a request would name if it led to some route; it leaves the request as it is. */
  named(req: Request, kwargs: RouteParams, match: ResolverMatch): MaybeNamed
  invalidVersion(version?: string | null): VersioningError
  isAllowedVersion(version: string | null): boolean
}

/** Whether a scheme may read the route: its namespaces or parameters. */
export function readsRoute({ carriedIn }: Pick<Scheme, 'carriedIn'>): boolean {
  return carriedIn === undefined || carriedIn === 'path' || carriedIn === 'namespace'
}

/** What a request knows of the `versioning()` that decided. */
export interface Versioning {
  readonly scheme: Scheme
  readonly routes: RouteRegistry | undefined
  readonly origin: string | undefined
  readonly allowedHosts: ReadonlySet<string> | undefined
  /** What every link starts with, below its origin. */
  readonly publicPath: string | undefined
  readonly changes: RequestChanges | undefined
  /** Whether the scheme reads the route, so that the route which is dispatched must be compared with what was decided. */
  readonly readsRoute: boolean
  /** Whether a route has no version; `path` is that below the mount. */
  isNeutral(path: string, match: () => ResolverMatch | null): boolean
  /** Whether a version's sunset is reached, and it is not served after it. */
  isGone(version: string | null): boolean
  /** The `Accept` header as Express's own negotiation should read it. */
  negotiableAccept(accept: string): string
  /** Tells observers of a refusal at dispatch, takes back what the answer said of the version, and gives the error to hand on. */
  refused(req: Request, res: Response, state: RequestState, thrown: unknown): unknown
}

/** A header field that names an instant, in milliseconds since 1970. */
export interface DateField {
  readonly name: string
  readonly value: string
  readonly at: number
}

/** What an answer says of a version, or of a route, that is on its way out. */
export interface Announcement {
  readonly dates: readonly DateField[]
  /** Values for `Link`. */
  readonly links: readonly string[]
}

/** One header field that was written, and what stood there before. */
export interface WrittenField {
  readonly name: string
  readonly value: string
  /** The instant that it names. */
  readonly at: number | undefined
  readonly before: OutgoingHttpHeader | undefined
}

/** The header fields that a `versioning()`, and `deprecated()` behind it, wrote into an answer, so that they can be taken back. */
export class WrittenHeaders {
  /** Of all versions. */
  readonly report: WrittenField[] = []
  /** Of the version that was decided, and of the routes that the request came through. */
  readonly version: WrittenField[] = []
  /** Their parts of `Link`. */
  readonly links: string[] = []
  /** What those routes announced. */
  routes: readonly Announcement[] = []

  copy(): WrittenHeaders {
    const { report, version, links, routes } = this
    return Object.assign(new WrittenHeaders(), {
      report: [...report],
      version: [...version],
      links: [...links],
      routes,
    })
  }
}

/** What a path was found to be below a table. Tables know more of it. */
export type Walk = ReturnType<RouteRegistry['walk']>

/** A route table and where it stands: its mount, and the path below it that counts. */
export interface Root {
  readonly table: RouteRegistry
  readonly baseUrl: string
  /** `undefined` for a request target that has none. */
  readonly path: string | undefined
  readonly method: string
  /** Whether it was given to `versioning()`, so that it counts whatever table handles the request. */
  readonly given: boolean
  /** What `path` is, once it was asked for. */
  walk: Walk | undefined
  /** The routes that it passes by, as {@link RequestState.isAhead}. */
  isAhead: RequestState['isAhead']
  /** `baseUrl` as links start with it, once one was made: a list has many. */
  linkStart: string | undefined
}

/** What a table has handed a request to. */
export interface Handed {
  /** Where that was, below the app. */
  readonly path: string
  /** The match there, where the walk that decided does not say it. */
  seen(): ResolverMatch | undefined
}

/** What the changes between versions have made of a request. */
export interface ConvertedRequest {
  /** By which it was converted. */
  readonly plan: object
  /** What its client sent, of what was converted. */
  readonly sent: { readonly body?: unknown; readonly query?: Request['query'] }
  takeBack(): void
}

/** Where a named route's own handlers run. */
export interface OpenRoute {
  /** The `next` of the request there: it has another one once it was handed on to something else. */
  readonly leave: ((error?: unknown) => void) | undefined
  /** What the changes between versions have made of the request, taken back when the route is left. */
  converted: ConvertedRequest | undefined
}

/** What was decided about a request, and how. */
export class Decision {
  /** Undefined until decided, and after a refusal. */
  version: string | null | undefined = undefined
  /** Whether the request named it; undefined where a scheme of one's own decides all by itself. */
  named: boolean | undefined = undefined
  /** The scheme of a combination that named it. */
  by: Scheme | undefined = undefined
  /** Whether it was read from the route alone, so that the same match need not be compared when it is dispatched. */
  fromWalk = true
}

/** The key of the one own property that this package puts on a request; the same in every copy of the package. */
export const STATE: unique symbol = Symbol.for('express-versioning.state') as never

const NO_VERSIONING: readonly Versioning[] = []

/**
 * All that this package knows of a request. One object under one symbol, because on Node 20 and 22 each own property added
 * to a request costs more than the rest of the work together; the public names are accessors on the app's request prototype.
 */
export class RequestState {
  /** What `req.version` says: the decision, unless a handler assigned another. */
  version: string | null | undefined = undefined
  decision = new Decision()
  /** What the last `versioning()` that ran was given. */
  config: Versioning | undefined = undefined
  /** Where that one ran: its mount, and Express's own parameters there. */
  baseUrl = ''
  params: RouteParams | undefined = undefined
  /** What a proxy took off the path: of the last `versioning()` that knew it, for it is the same in front of all of them. */
  publicPath = ''
  /** The table that counts for it: given or found, with its mount. */
  root: Root | undefined = undefined
  /** The outermost table that is handling the request now. */
  handling: Root | undefined = undefined
  /** The route, router or middleware to which a table has handed the request. */
  at: Handed | undefined = undefined
  /** The outer ones that ran before. */
  outer = NO_VERSIONING
  /** Whether the operation of a route comes only in a later version; undefined where none does. */
  isAhead: ((viewName: string) => boolean) | undefined = undefined
  /** A route that was passed by for that reason. */
  passedBy: string | undefined = undefined
  /** The version whose handler `byVersion()` chose; `null` for its `otherwise`. */
  served: string | null | undefined = undefined
  /** The named route whose handlers began last, where changes between versions ask for it. */
  begun: string | undefined = undefined
  /** The route whose handlers began last: see {@link openRouteOf}. */
  open: OpenRoute | undefined = undefined
  /** The answer whose methods convert what they send. */
  converting: Response | undefined = undefined
  /** Whether the body that is sent next stays as it is. */
  keepsBody = false
  /** What was written into the answer's headers. */
  written: WrittenHeaders | undefined = undefined

  /** @param blank stands for the state of requests that nothing was done to yet. */
  constructor(readonly blank = false) {}

  /** The same for a request that was made from this one. */
  copy(): RequestState {
    const { decision, written } = this
    const copy = Object.assign(new RequestState(), this)
    copy.decision = Object.assign(new Decision(), decision)
    copy.written = written?.copy()
    copy.open = undefined
    return copy
  }

  /** Forgets what an outer `versioning()` decided: the last that runs wins, with what it was given. */
  begin(config: Versioning, req: Request): void {
    if (this.config !== undefined) this.outer = [...this.outer, this.config]
    this.config = config
    this.baseUrl = req.baseUrl ?? ''
    this.params = req.params
    if (config.publicPath !== undefined) this.publicPath = config.publicPath
    this.version = undefined
    this.decision = new Decision()
    this.begun = undefined
  }
}

/** This package's state of a request, if it has one. */
export function peekState(request: Request | undefined): RequestState | undefined {
  return (request as { [STATE]?: RequestState } | undefined)?.[STATE]
}

/** The named route whose own handlers run, if the request is there still. */
export function openRouteOf({ open }: RequestState, { next }: Request): OpenRoute | undefined {
  return open?.leave !== undefined && open.leave === next ? open : undefined
}

/** The decision that is being made about a request; undefined where a scheme is asked by hand, without a `versioning()`. */
export function pendingDecision(request: Request): Decision | undefined {
  const state = peekState(request)
  return state?.config === undefined || state.decision.version !== undefined ? undefined : state.decision
}
