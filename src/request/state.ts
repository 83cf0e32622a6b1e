// The state that this package keeps for a request.
import type { OutgoingHttpHeader } from 'node:http'
import type { Request, Response } from 'express'
import type { RequestChanges } from '../bound-changes'
import type { NoReverseMatch, VersioningError } from '../errors'
import type { MovedRoute, PrefixQuestion, RouteRegistry, Walk } from '../registry'
import type { LinkFailure, LinkKwargs, LinkOptions, ResolverMatch, RouteParams, VersionCarrier } from '../types'

/** A failure, with its error if that has nothing to do with a name. */
export interface FailedLink extends LinkFailure {
  readonly error?: NoReverseMatch
}

/** A link, or its failures. They are values because a fallback often follows and errors are costly. */
export type Linked = string | readonly FailedLink[]

/** A call for a link, as schemes see it. */
export interface LinkCall {
  readonly request: Request | undefined
  readonly options: LinkOptions
  readonly state: RequestState | undefined
  /** The version of the link: the `version` option, or the version of the request; `null` for no version. */
  readonly version: string | null
  /**
   * Makes the link without a version.
   *
   * @param kwargs replace the kwargs of the options.
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  plain(viewname: string, kwargs?: LinkKwargs): Linked
  /**
   * Returns the origin of an absolute link.
   *
   * @throws {NoReverseMatch} for an origin or a host that no link can have.
   */
  origin(): string
}

/** A version or a promise of one; `null` is no version. */
export type Determined = string | null | Promise<string | null>

/** A version that a request names, or a promise of it; `undefined` and `null` stand for no version. */
export type MaybeNamed = string | null | undefined | Promise<string | null | undefined>

/** The positional arguments of every route: Express has none. */
export const NO_ARGS: readonly unknown[] = Object.freeze([])

/**
 * The interface of a scheme for the rest of the package; `BaseVersioning` implements it. It is an interface so that
 * schemes may import this file.
 */
export interface Scheme {
  /** `true` if its links can name another version than the request's. */
  readonly linksVersion: boolean
  /** The part of a request that carries the version; undefined: any part, the route included. */
  readonly carriedIn: VersionCarrier['in'] | undefined
  /** Returns the link, or its failures as values. */
  attempt(viewname: string, call: LinkCall): Linked
  /** The accepted versions, oldest first, with the default version; empty: every version is accepted. */
  readonly acceptedVersions: readonly (string | null)[]
  determineVersion(
    req: Request,
    args: readonly unknown[],
    kwargs: RouteParams,
    match?: ResolverMatch | null,
  ): Determined
  /** The schemes that read the route: this one, or some of those that it combines. */
  readonly routeReaders: readonly Scheme[]
  /** Returns the version that a request would name if it led to a route. It leaves the request as it is. */
  named(req: Request, kwargs: RouteParams, match: ResolverMatch): MaybeNamed
  /** Returns the places of a version in requests. */
  carriers(version: string): readonly VersionCarrier[]
  invalidVersion(version?: string | null): VersioningError
  isAllowedVersion(version: string | null): boolean
}

/** Tells whether a scheme may read the namespaces or parameters of the route. */
export function readsRoute({ carriedIn }: Pick<Scheme, 'carriedIn'>): boolean {
  return carriedIn === undefined || carriedIn === 'path' || carriedIn === 'namespace'
}

/** The configuration of the `versioning()` that decided, as a request sees it. */
export interface Versioning {
  readonly scheme: Scheme
  readonly routes: RouteRegistry | undefined
  readonly origin: string | undefined
  readonly allowedHosts: ReadonlySet<string> | undefined
  /** The path that every link starts with, after its origin. */
  readonly publicPath: string | undefined
  readonly changes: RequestChanges | undefined
  /** The report of these changes in responses, if there is one. */
  readonly changesReport: ChangesReport | undefined
  /** The highest number of bytes of a response that is converted as a whole. */
  readonly maxCollected: number
  /** `true` if the scheme reads the route. The dispatched route must then be compared with the decision. */
  readonly readsRoute: boolean
  /** The test of optional prefixes, if the scheme reads them and knows its versions. */
  readonly isStray: PrefixQuestion['isStray']
  /** Returns the path that clients have for a path of the table, in a version; undefined if the version has none. */
  readonly shownPath: ((path: string, viewName: string, version: string | null) => string | undefined) | undefined
  /** Tells whether a route has no version. `path` is the path below the mount. */
  isNeutral(path: string, method: string, match: () => ResolverMatch | null): boolean
  /** Tells whether handlers serve a version, as far as `byVersion()` is among them. */
  serves(handlers: readonly object[], version: string | null): boolean
  /** Tells whether responses may name a version: it is still served, and no preview. */
  isAnnounced(version: string | null): boolean
  /** Returns the `Accept` header as Express's own negotiation should read it. */
  negotiableAccept(accept: string): string
  /**
   * Reports a rejection at dispatch to observers, removes the version's header fields, and returns the error to hand on.
   */
  rejected(req: Request, res: Response, state: RequestState, thrown: unknown): unknown
  /** Tells observers, once for each request, that it failed after the decision, if the error is one of this package. */
  failed(req: Request, res: Response, state: RequestState, error: unknown): void
}

/** The report of the changes that met a request. */
interface ChangesReport {
  /** Writes the fields of a response whose head is about to be sent. */
  write(req: Request, res: Response, state: RequestState): void
}

/** A header field that names an instant, in milliseconds since 1970. */
export interface DateField {
  readonly name: string
  readonly value: string
  readonly at: number
}

/** The header fields that announce the end of a version or a route. */
export interface Announcement {
  readonly dates: readonly DateField[]
  /** The values for `Link`. */
  readonly links: readonly string[]
}

/** A header field that was written, and its value before. For `Link`, the value is the part that was appended. */
export interface WrittenField {
  readonly name: string
  readonly value: string
  /** The instant that it names. */
  readonly at?: number | undefined
  readonly before?: OutgoingHttpHeader | undefined
  /** `true` if it reports all versions. */
  readonly isReport?: boolean
}

/** The header fields that `versioning()` and `deprecated()` wrote into a response. They can be removed again. */
export interface WrittenHeaders {
  readonly fields: readonly WrittenField[]
  /** The announcements of the routes that the request came through. */
  readonly routes: readonly Announcement[]
}

/** A route table, its mount, and the path below the mount. */
export interface Root extends PrefixQuestion {
  readonly table: RouteRegistry
  readonly baseUrl: string
  /** The path below the mount; `undefined` for a request target without a path. A moved operation has today's path. */
  path: string | undefined
  readonly method: string
  /** `true` if the table was given to `versioning()`. It then counts whatever table handles the request. */
  readonly given: boolean
  /** The result of the look-up of `path`, once it was made. */
  walk: Walk | undefined
  /** The routes that a look-up skips; see {@link RequestState.isSkipped}. */
  isSkipped: RequestState['isSkipped']
  isStray: PrefixQuestion['isStray']
  /** The mount as links start with it. It is kept because a list has many links. */
  linkStart: string | undefined
}

/** The entry that a table has handed a request to. */
export interface OpenEntry {
  /** The path of the request at that entry, below the app. */
  readonly path: string
  /** The `next` of the request in a route. Express replaces it when the request is handed on to something else. */
  readonly leave: ((error?: unknown) => void) | undefined
  /** Returns the match at that entry; `undefined` for middleware. */
  seen(): ResolverMatch | undefined
}

/** The move of a request: its version has the operation at another path than today. Both paths are those below the app. */
export interface Move {
  readonly route: MovedRoute
  /** The path as the client sent it. */
  readonly from: string
  /** Today's path, which `req.url` has since the decision. */
  readonly to: string
}

/** The decision about a request. */
export class Decision {
  /** The decided version; undefined before the decision and after a rejection. */
  version: string | null | undefined = undefined
  /** `true` if the request named the version; undefined if a custom scheme overrides `determineVersion()`. */
  named: boolean | undefined = undefined
  /** The combined scheme that read the version. */
  by: Scheme | undefined = undefined
  /** The later sunset that `extended` gave this client, in milliseconds since 1970. */
  extended: number | undefined = undefined
  /** `true` if the version came from the route alone. The same match needs no comparison when it is dispatched. */
  fromWalk = true
}

/** The key of the one own property that this package puts on a request; the same in every copy of the package. */
export const STATE: unique symbol = Symbol.for('express-versioning.state') as never

const NO_VERSIONING: readonly Versioning[] = []

/** The operation of a request that changes convert. */
export interface PlannedOperation {
  readonly method: string
  readonly viewName: string | undefined
  readonly plan: { readonly responses: { readonly convert: boolean } }
}

/**
 * A request and its response, converted between versions; `changes/http/exchange.ts` implements it. Its methods are in the
 * order in which they run. It reads the history of the last `versioning()`.
 */
export interface ConvertedExchange {
  /** The operation whose changes convert them; undefined before the decision. */
  readonly operation: PlannedOperation | undefined
  /** The named route whose handlers began last. */
  readonly begun: string | undefined
  /** The original values of the parts of the request that were converted. */
  readonly sent: { readonly body?: unknown; readonly query?: Request['query']; readonly url?: string } | undefined
  /** `true` if the next body of the response is sent unchanged. */
  keepsBody: boolean
  /** `true` if a conversion made the body of the response. It is JSON then, whatever its type. */
  isConverted: boolean
  /** The descriptions of the changes that met the request or its response; undefined unless an observer asks for them. */
  met: Set<string> | undefined
  /**
   * Returns the error of a request that an inner `versioning()` has decided on another version, if the changes in force would have
   * converted it or its response.
   */
  torn(req: Request): Error | undefined
  /** Forgets what belongs to the decision of an outer `versioning()`. */
  restart(): void
  /**
   * Converts the request for the handlers of a named route, which begin or run already, until the route is left.
   *
   * @returns the error of a request that must not go on; `undefined` for none.
   */
  routeBegins(req: Request, res: Response, route: OpenEntry, viewName: string | undefined): unknown
  /** Converts the request where its route says so, and returns the error; does nothing if nothing waits. */
  placeReached(route: OpenEntry): unknown
  /** Converts the request in front of handlers elsewhere, once, and returns the error. */
  handlersReached(req: Request, res: Response): unknown
  /**
   * Tells which part of the request must be read before it can be converted for handlers elsewhere: its body or only its query;
   * `undefined` if nothing is to do.
   *
   * @throws {Error} for a method that was changed since the decision.
   */
  awaits(req: Request): 'body' | 'query' | undefined
  /**
   * Prepares the conversion of the response.
   *
   * @throws {TypeError} for an unknown version.
   */
  prepareResponse(req: Request, res: Response): void
  /** Takes a response back that fails: its status, its body, and the header fields that were set since its handler began. */
  takeBackResponse(res: Response): void
  /** Returns how a response with a status changes; `undefined` if it stays. Only histories read it. */
  response(req: Request, res: Response, status: number): object | undefined
  /** Takes back the conversion of the request for a route. */
  routeLeft(route: OpenEntry): void
  /** Returns a copy for a request that was made from this one. */
  copyFor(state: RequestState): ConvertedExchange
}

/** The changes of an outer `versioning()` that stay in force, because the inner ones bring none. */
export interface KeptChanges {
  readonly config: Versioning
  /** The version for which they are in force. */
  readonly version: string | null | undefined
  /** The table that has the names of their operations. */
  readonly place: Root
  readonly isSkipped: RequestState['isSkipped']
  /** The namespaces, with a `:` each, of the table whose names count now; undefined for one that the first does not contain. */
  readonly namespace: string | undefined
}

/**
 * The state of a request. It is one object under one symbol, because on Node 20 and 22 each own property added to a
 * request costs more than all other work together. The public properties are accessors on the app's request prototype.
 */
export class RequestState {
  /** The value of `req.version`: the decision, unless a handler assigned another. */
  version: string | null | undefined = undefined
  decision = new Decision()
  /** The configuration of the last `versioning()` that ran. */
  config: Versioning | undefined = undefined
  /** The mount of that `versioning()`. `params` are Express's own parameters there. */
  baseUrl = ''
  params: RouteParams | undefined = undefined
  /**
   * The path prefix that a proxy removed, from the last `versioning()` that knew it. It is the same for all of them.
   */
  publicPath = ''
  /** The table that the last `versioning()` was given or found, with its mount. */
  root: Root | undefined = undefined
  /** The outermost table that is handling the request now. */
  handling: Root | undefined = undefined
  /** The one of these two whose names count. */
  place: Root | undefined = undefined
  /** The route, router or middleware to which a table has handed the request. */
  at: OpenEntry | undefined = undefined
  /** The configurations of the outer `versioning()` that ran before. */
  outer = NO_VERSIONING
  /** The changes of the last of them that has some, if the last `versioning()` has none. */
  kept: KeptChanges | undefined = undefined
  /** The test whether the operation of a route comes only in a later version; undefined: no operation does. */
  isSkipped: ((viewName: string) => boolean) | undefined = undefined
  /** The test of optional prefixes by the last `versioning()` that has one. */
  isStray: PrefixQuestion['isStray'] = undefined
  /** The route that was skipped for that reason. */
  skippedName: string | undefined = undefined
  /** The move of a request that came by an older path of its operation. */
  moved: Move | undefined = undefined
  /** The version whose handler `byVersion()` chose; `null` for its `otherwise`. */
  served: string | null | undefined = undefined
  /** `true` while handlers that `byVersion()` chose for the version have the request, also if they reject it. */
  isServed = false
  /** The route whose handlers began last: see {@link openRouteOf}. */
  open: OpenEntry | undefined = undefined
  /** `true` for the shared state of requests without an own one. */
  blank = false
  /** `true` if observers were told that the request failed after the decision. */
  hasFailed = false
  /** The conversion of the request and its response, if its version may need one. */
  exchange: ConvertedExchange | undefined = undefined
  /** The header fields that were written into the response. */
  written: WrittenHeaders | undefined = undefined

  /** The changes in force. */
  get changes(): RequestChanges | undefined {
    return (this.kept?.config ?? this.config)?.changes
  }

  /** The report of these changes in responses, if there is one. */
  get changesReport(): Versioning['changesReport'] {
    return (this.kept?.config ?? this.config)?.changesReport
  }

  /** `true` if an inner `versioning()` decided on another version than that for which the changes are in force. */
  get isTorn(): boolean {
    return this.kept !== undefined && this.kept.version !== this.decision.version
  }

  /** Returns a copy for a request that was made from this one. */
  copy(): RequestState {
    const copy = Object.assign(new RequestState(), this)
    copy.decision = Object.assign(new Decision(), this.decision)
    const roots = new Map([this.root, this.handling].map((root) => [root, root && { ...root }]))
    copy.root = roots.get(this.root)
    copy.handling = roots.get(this.handling)
    copy.place = roots.get(this.place)
    copy.open = undefined
    copy.exchange = this.exchange?.copyFor(copy)
    return copy
  }
}

/** Returns the state of a request, if it has one. */
export function peekState(request: Request | undefined): RequestState | undefined {
  return (request as { [STATE]?: RequestState } | undefined)?.[STATE]
}

/** Gives a request a state of its own: a copy of the state that it inherits, if `Object.create()` made it from another. */
export function newState(request: Request): RequestState {
  const inherited = peekState(request)
  const state = inherited === undefined || inherited.blank ? new RequestState() : inherited.copy()
  ;(request as { [STATE]?: RequestState })[STATE] = state
  return state
}

/** Returns the named route whose own handlers run, if the request is still in it. */
export function openRouteOf({ open }: RequestState, { next }: Request): OpenEntry | undefined {
  return open?.leave !== undefined && open.leave === next ? open : undefined
}

/** Returns the decision that is being made about a request; undefined if a scheme is called without `versioning()`. */
export function pendingDecision(request: Request): Decision | undefined {
  const state = peekState(request)
  return state?.config === undefined || state.decision.version !== undefined ? undefined : state.decision
}
