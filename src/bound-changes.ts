// A history and a contract that are tied to a table, as the other parts see them.

import type { Request, Response } from 'express'
import type { ItemKind } from './http/framing'
import type { MovedMatch, MovedRoute, OlderEntry, PrefixQuestion, RouteRegistry } from './registry'
import type { Direction } from './schemas/model'
import type { ListedOperation, ListedShape, OlderDescription, Responses, Schema, VersionDescription } from './types'

/**
 * The interface of a history of changes, made by `versionHistory()` of `express-versioning/changes`. It keeps that code out of
 * the main entry.
 */
export interface VersionChanges<Name extends string = string> {
  /** The versions, oldest first. */
  readonly versions: readonly string[]
  /** Lists all versions with their changes, oldest first. */
  list(): readonly { readonly version: Name; readonly changes: readonly { readonly description: string }[] }[]
  /** @throws {TypeError} listing what is still to do in the changes, if there is anything. */
  checkDone(owner: string): void
  /**
   * Ties the history to a table.
   *
   * @param isNeutral tells whether an operation is listed as neutral.
   * @param contractFor ties a contract to the history.
   * @param queryCarriers returns the query parameters that carry the version. Default: none.
   * @throws {TypeError} for a change of an operation that is unknown or neutral, and for contradicting changes.
   */
  bind(
    routes: RouteRegistry,
    isNeutral?: (viewName: string, method: string) => boolean,
    contractFor?: (changes: RequestChanges) => RequestContract,
    queryCarriers?: () => ReadonlySet<string>,
  ): RequestChanges
}

/** The moved operations of a history that is tied to a table. */
export interface MovedOperations {
  /** Lists all routes at their older paths. */
  routes(): readonly MovedRoute[]
  /** Tells whether a version has operations at other paths than today's. */
  isIn(version: string): boolean
  /** Returns the route of an operation at its path in a version; undefined if that is today's. */
  routeIn(method: string, viewName: string, version: string): MovedRoute | undefined
  /** Returns the route that links to a name lead to in a version, if it is not at today's path. */
  linkedIn(viewName: string, version: string | null): MovedRoute | undefined
  /**
   * Tells whether requests of a version reach an operation by a path: an older one, or today's.
   *
   * @param method of the request. For `OPTIONS`, any operation of the route counts.
   */
  isAt(method: string, viewName: string, version: string, older: OlderEntry | undefined): boolean
  /**
   * Resolves a path in a version; undefined unless it leads to a moved operation.
   *
   * @param isLater tells whether the operation of a view name comes only in a later version.
   */
  resolve(
    path: string,
    method: string,
    version: string,
    isLater: (viewName: string) => boolean,
    asked: PrefixQuestion,
  ): MovedMatch | undefined
  /** Lists all ways in which a path leads to an operation that had it in any version. */
  readings(path: string, method: string): readonly MovedMatch[]
  /** Tells whether a path may lead to a route. */
  leadsTo(viewName: string, path: string): boolean
}

/** A change of a version, as documents and pages list it. */
export interface ListedChange {
  /** Its place among all changes of the history, from 1. */
  readonly number: number
  /** The version before. */
  readonly olderVersion: string
  /** The description of the change, for people. */
  readonly description: string
  readonly shapes: readonly ListedShape[]
  readonly operations: readonly ListedOperation[]
}

/** The schema that a name has in a version. */
export interface VersionSchema {
  /** The schema. */
  readonly schema: Schema
  /** `true` if a later version has another one. */
  readonly isOlder: boolean
  /** `true` if it is made of the newer one, with its examples. */
  readonly isDerived?: boolean
  /** The names of its properties in the version, by their names of today, where they differ. */
  readonly renamed?: ReadonlyMap<string, string>
}

/** An operation in one version, as the changes make it. Nothing of it needs a request. */
export interface OperationInVersion {
  /** `true` if the version has the operation. */
  readonly present: boolean
  /** `true` if a later version adds the operation; `false` if it was removed. */
  readonly ahead: boolean
  /** The descriptions of the version's own changes that may meet a request for it, or its response. */
  readonly changes: readonly string[]
  /** Returns the parts of its description with what changes replace. */
  bodies(
    described: Pick<VersionDescription, 'body' | 'query' | 'response'> | undefined,
    common: Responses,
  ): OlderDescription
  /** Converts a status of the newest version, and lists the header fields that the response lacks, in lower case. */
  head(status: number): { readonly status: number; readonly without: ReadonlySet<string> }
  /** Converts the media type of a body with a status of the newest version. */
  mediaType(status: number, type: string): string
  /**
   * Converts an example of a response of the newest version, or of an item of its stream, to the version.
   *
   * @param status that of the newest version.
   * @returns undefined if the response has no body there.
   * @throws {Error} if a step fails.
   */
  older(part: 'body' | ItemKind, status: number, value: unknown): unknown
  /**
   * Converts an example of a body or a query of the version to a later one.
   *
   * @throws {Error} if a step fails.
   */
  newer(part: 'body' | 'query', value: unknown, to: string): unknown
}

/** A history that is tied to one `versioning()` and its table. */
export interface RequestChanges {
  /** Tells whether the history has a version, or needs none. */
  knows(version: string | null | undefined): boolean
  /** The newest version of the history. */
  readonly newest: string
  /** The contract that checks requests or responses; undefined for none. */
  readonly contract: RequestContract | undefined
  /** Returns an operation in a version. */
  operation(method: string, viewName: string, version: string): OperationInVersion
  /** Tells whether requests for an operation are converted or checked in a version. Those that do not fit are rejected. */
  readsRequests(method: string, viewName: string, version: string): boolean
  /**
   * Lists the changes of a version, oldest first; also those of versions that are not accepted.
   *
   * @param before the accepted version before; undefined for none.
   */
  changesIn(version: string, before: string | undefined): readonly ListedChange[]
  /** Returns the schemas of names in a version, where they differ from the descriptions. */
  definitionsIn(version: string): ReadonlyMap<string, VersionSchema>
  /**
   * Converts an example of a shape in bodies (`input`) to a later version, or of one in responses (`output`) to an older one.
   *
   * @throws {Error} if a step fails.
   */
  shape(name: string, direction: Direction, value: unknown, from: string, to: string): unknown
  /** Tells, by the state of a request, whether its version has an operation at the path by which it came. */
  isThere(state: object, method: string, viewName: string): boolean
  /** The operations that had other paths in older versions; undefined if none had. */
  readonly moves: MovedOperations | undefined
  /** Returns the description of a change that names an operation or converts its shapes; undefined if there is none. */
  changeOf(method: string, viewName: string): string | undefined
  /** Tells whether a version lacks operations that come later, or has some at other paths: only then ask for them. */
  addsBehind(version: string | null): boolean
  /** Makes the error for a request whose operation is absent in its version. */
  absent(req: Request, viewName: string): Error
  /** Tells, by the state of a request for a neutral path, whether handlers elsewhere may read that path as an operation. */
  readsOther(state: object): boolean
  /** Tells whether a version, or the version in the route's name, has any operation of the route. */
  hasRoute(viewName: string, version: string): boolean
  /** Returns the query parameters that carry the version. */
  carriers(): ReadonlySet<string>
  /**
   * Returns the url of a request with its query in a successor of its version.
   *
   * @returns `null` if the successor lacks the operation.
   * @throws {Error} if a step fails.
   */
  urlIn(req: Request, viewName: string, successor: string): string | null
  /** Tells whether a version has a change; `undefined` for an unknown version or change. */
  has(change: object, version: string): boolean | undefined
  /**
   * Prepares a request whose version was decided, with its state: its response will be converted; and the request is converted now, if handlers of a
   * named route run already.
   *
   * @returns the error of a request that must not go on; `undefined` for none.
   * @throws {TypeError} for an unknown version.
   */
  decided(req: Request, res: Response, state: object): unknown
  /** Puts the conversion of a request into its state, if its version may need one. */
  putExchange(state: object): void
  /** Lets the conversion of a request note the changes that meet it. */
  noteMet(state: object): void
}

/** The check of one part of a request. */
export type PartCheck = (
  /** A JSON copy of the value. Properties that the version does not have may be taken out of it. */
  value: unknown,
  /** `true` for a query or a form, whose numbers are texts. */
  isText: boolean,
  /** `true` if the copy is needed after the check. */
  isKept: boolean,
  /** Gets the issues of a value that does not fit. */
  issues: object[],
) => boolean

/** The checks of an operation's requests in one version. */
export interface RequestChecks {
  /** The operation, such as `POST user-list`. */
  readonly operation: string
  /**
   * Checks its body; `null` for an operation without a body, `undefined` if its bodies are not checked.
   *
   * @returns `true` if properties were taken out.
   * @throws {Error} `ERR_VERSION_CONTRACT` if the check fails itself.
   */
  readonly body: PartCheck | null | undefined
  /** Checks its query in the same way. */
  readonly query: PartCheck | undefined
  /** The issues of a request without the body; none if it may be left out. */
  readonly withoutBody: readonly object[]
  /** The issues of a request with JSON for an operation without a body; none if that is taken away. */
  readonly withBody: readonly object[]
  /** Makes the error of a request with issues. */
  rejection(issues: readonly object[], req: Request): unknown
}

/** A contract that is tied to a table and a history. */
export interface RequestContract {
  /** `true` if requests or responses of the newest version are checked too. */
  readonly touchesNewest: boolean
  /**
   * Returns the checks of an operation's requests in a version; `undefined` if they are not checked.
   *
   * @throws {Error} `ERR_VERSION_CONTRACT` for an operation that was added later and cannot be checked.
   */
  checksOf(method: string, viewName: string, version: string): RequestChecks | undefined
  /** Watches the response of a request, if responses are checked. */
  watch(req: Request, res: Response, state: object): void
}

/** The interface of a contract, made by `contract()` of `express-versioning/contract`. It keeps that code out of the main entry. */
export interface VersionContract {
  /**
   * Ties the contract to a table and a history.
   *
   * @throws {TypeError} listing what the descriptions and the changes do not say.
   */
  bind(
    routes: RouteRegistry,
    changes: RequestChanges,
    facts: {
      /** The versions of the history, oldest first. */
      readonly versions: readonly string[]
      /** Tells whether a route has no version. */
      isNeutral(viewName: string, method: string): boolean
    },
  ): RequestContract
}
