import type { OutgoingHttpHeader } from 'node:http'
import type { Request } from 'express'
import type { NoReverseMatch } from '../errors'
import type { LinkFailure, LinkOptions, ResolverMatch, RouteRegistry } from '../types'

/** A link, or why there is none: a value, because a fallback often follows and an error is costly. */
export type Linked = string | readonly LinkFailure[]

/** As {@link Linked}, or the error of a scheme of one's own, or of what is wrong with the link whatever its name. */
export type Attempt = Linked | NoReverseMatch

/** What the request's side needs of a scheme; `BaseVersioning` is one. An interface, so that schemes may import this file. */
export interface RequestScheme {
  /** Whether its links can be made for another version than the request's. */
  readonly linksVersion: boolean
  /** As `reverse`, for a link that may not be there. */
  attempt(viewname: string, options: LinkOptions, request: Request | undefined): Attempt
  isAllowedVersion(version: string | null): boolean
  /** As listed, oldest first. */
  readonly acceptedVersions: readonly (string | null)[]
  /** The Accept header as Express's own negotiation should read it. */
  negotiableAccept(accept: string): string
}

/** Header fields that one `versioning()` wrote into an answer, so that an inner one can take them back. */
export interface WrittenHeaders {
  readonly fields: { readonly name: string; readonly value: string; readonly before: OutgoingHttpHeader | undefined }[]
  /** Its part of `Link`. */
  links: string
}

/** What one `versioning()` was given, complete and checked: built once, read by every request. */
export interface VersioningConfig {
  readonly scheme: RequestScheme
  readonly routes: RouteRegistry | undefined
  readonly origin: string | undefined
  readonly allowedHosts: ReadonlySet<string> | undefined
  /** Knows which versions are past their sunset; undefined when none ever is. */
  readonly headers: { isGone(version: string | null): boolean } | undefined
}

/** The outermost route table that is handling a request, and where it was entered. */
export interface TableEntry {
  readonly table: RouteRegistry
  readonly baseUrl: string
  /** `req.url` on entry, below `baseUrl`. */
  readonly url: string
  /** The route that `url` belongs to, once it was asked for. */
  match?: ResolverMatch | null
}

/** The key of the one own property that this package puts on a request. */
export const STATE: unique symbol = Symbol('express-versioning')

const NO_SCHEMES: readonly RequestScheme[] = []

/**
 * All that this package knows of a request. One object under one symbol, because on Node 20 and 22 each own property added
 * to a request costs more than the rest of the work together; the public names are accessors on the app's request prototype.
 */
export class RequestState {
  /** Undefined until decided, and after a refusal. */
  version: string | null | undefined = undefined
  /** Whether the version is the default, the request having named none. */
  defaulted = false
  /** The scheme of a combination that named the version. */
  namedBy: RequestScheme | undefined = undefined
  /** The version whose handler `byVersion()` chose; `null` for its `otherwise`. */
  served: string | null | undefined = undefined
  /** What the last `versioning()` wrote into the answer's headers. */
  written: WrittenHeaders | undefined = undefined
  /** What the last `versioning()` that ran was given. */
  config: VersioningConfig | undefined = undefined
  /** Where that `versioning()` ran: the table it works on, its mount and the path below. */
  base: TableEntry | undefined = undefined
  /** Whether `base` holds whatever table handles the request later: it was given to `versioning()`. */
  settled = false
  /** The schemes of outer `versioning()`s. */
  outer: readonly RequestScheme[] = NO_SCHEMES
  /** The table that is handling the request now. */
  entry: TableEntry | undefined = undefined

  /** Forgets what an outer `versioning()` decided: the last that runs wins, with what it was given. */
  begin(config: VersioningConfig, base: TableEntry | undefined, settled: boolean): void {
    if (this.config !== undefined) this.outer = [...this.outer, this.config.scheme]
    this.version = undefined
    this.defaulted = false
    this.namedBy = undefined
    this.config = config
    this.base = base
    this.settled = settled
  }
}

/** Notes that a request named no version and got the default. */
export function markDefaulted(req: object): void {
  const state = (req as { [STATE]?: RequestState })[STATE]
  // A scheme may also be asked by hand: then there is no state of this request to write to.
  if (state?.config !== undefined) state.defaulted = true
}

/** This package's state of a request, if it has one. */
export function peekState(request: Request | undefined): RequestState | undefined {
  return (request as { [STATE]?: RequestState } | undefined)?.[STATE]
}
