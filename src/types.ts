// The contracts between the parts of the package. This file imports none of them.
import type { NextFunction, Request, Response } from 'express'

/**
 * The interface in which an application registers its route table and its versions, once, to type links and versions
 * everywhere. While it is empty, both take any string. `routes` may be a union of tables. `versionParam` names the parameter
 * that links may leave out, if it is not `version`. `versions` may be the type of a history of changes, which names them
 * already. `shapes` lists the names of shapes for changes, if there are any.
 *
 * @example
 * declare module 'express-versioning' {
 *   interface Register { routes: typeof api | typeof admin; versions: 'v1' | 'v2'; versionParam: 'v' }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications merge their own declarations into it
export interface Register {}

/** A request handler of this package, for `app.use`, a router or a route. */
// The compiler can name it in the declarations of users, whose package manager may hide the types that Express's own are made of.
export type Middleware = (req: Request, res: Response, next: NextFunction) => void

/** An error handler of this package. */
export type ErrorMiddleware = (error: unknown, req: Request, res: Response, next: NextFunction) => void

/** The versions an application registered (see {@link Register}), or any string. */
export type Version = Register extends { versions: infer Registered } ? NamesIn<Registered> : string

/** The names of versions, or those that a history lists. */
// It compares `list` alone, because the other properties of a history speak of `Version` themselves.
type NamesIn<Registered> = Registered extends string
  ? Registered
  : Registered extends { list(): readonly { readonly version: infer Name extends string }[] }
    ? Name
    : string

/** The shapes an application registered (see {@link Register}), or any string. */
export type ShapeName = Register extends { shapes: infer Name extends string } ? Name : string

/** The value of one parameter of a link. */
export type ParamValue = string | number | bigint | boolean

/** Parameters of a request by name: strings, or lists of strings for a wildcard. */
export type RouteParams = Readonly<Record<string, string | string[] | undefined>>

/** Arguments of a link by parameter name. A wildcard takes a list; `undefined` is ignored. */
export type LinkKwargs = Readonly<Record<string, ParamValue | readonly ParamValue[] | undefined>>

/** Arguments of a link in the order of the route's parameters. */
export type LinkArgs = readonly (ParamValue | readonly ParamValue[])[]

/** One value of a link's query, written as Express's extended parser reads it. `null` and `undefined` are left out. */
export type QueryValue =
  | ParamValue
  | Date
  | null
  | undefined
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue }

/** The query of a link. A list repeats its name, unless it holds lists or objects. */
export type LinkQuery = URLSearchParams | { readonly [name: string]: QueryValue }

/** Options of `table.reverse`. */
export interface RouteLinkOptions {
  /** Values for the route's parameters in their order, after `kwargs`. */
  args?: LinkArgs | undefined
  /** Values for the route's parameters by name. */
  kwargs?: LinkKwargs | undefined
  /** Shorthand for `kwargs.format`, which it replaces. */
  format?: string | null | undefined
  /** Query parameters to append. */
  query?: LinkQuery | undefined
  /** Fragment, without `#`. */
  hash?: string | undefined
  /** The start of an absolute link, such as `https://api.example.com`. */
  origin?: string | undefined
}

/** Options of `req.reverse`. */
export interface LinkOptions extends RouteLinkOptions {
  /** `true`: a link with scheme and host. Default: a path. */
  absolute?: boolean | undefined
  /** Another version than the request's; `null`: none. */
  version?: Version | null | undefined
}

/** Options of a scheme's `reverse`: those of `req.reverse`, the request, and any extras. */
export interface SchemeLinkOptions extends LinkOptions {
  /** The request whose version the link keeps. Without one, the link has no version. */
  request?: Request | undefined
  [extra: string]: unknown
}

/** The named route of a path, as Django's `ResolverMatch`. */
export interface ResolverMatch {
  /** Full name with its namespaces (`v1:user-list`); `null` if only a prefix matched. */
  readonly viewName: string | null
  /** Namespaces, the outermost first (`['api', 'v1']`). */
  readonly namespaces: readonly string[]
  /** The namespaces joined with `:`; `''` without any. */
  readonly namespace: string
  /** Decoded parameters, with those of the prefixes. */
  readonly params: RouteParams
}

/** The reason why a link failed. It is a value, because a fallback often follows and errors are costly. */
export interface LinkFailure {
  /** The requested name. */
  readonly viewName: string
  /** A clause without the name, such as `needs "id"`. */
  readonly reason: string
  /** The route's full path pattern; undefined when there is no such route, or not in the version. */
  readonly pattern?: string | undefined
  /** `true` if there is no route of that name: messages then list near names. */
  readonly unknown: boolean
  /** The arguments that did not fit; for a list, its item too. */
  readonly unfit?: readonly unknown[]
  /** The required parameters that are missing. */
  readonly missing?: readonly string[]
}

/** The place of a version in a request: a header field, a cookie, a query or path parameter, a namespace, or the host's first label. */
export interface VersionCarrier {
  /** The kind of place. */
  readonly in: 'header' | 'query' | 'cookie' | 'path' | 'namespace' | 'host'
  /** The name of the header field, cookie or parameter. */
  readonly name?: string
  /** The text there: a whole media type in `Accept`, elsewhere the version. */
  readonly value: string
}

/** A schema that can describe itself as JSON Schema (Standard JSON Schema, version 1). */
export interface JsonSchemaSource {
  /** The properties of Standard Schemas. */
  readonly '~standard': {
    /** The library. It tells which names of definitions are generated. */
    readonly vendor?: string
    /** The JSON Schema of each side. */
    readonly jsonSchema: {
      /** Returns the schema of its input: queries and bodies. */
      input(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>
      /** Returns the schema of its output: responses. */
      output(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>
    }
  }
}

/** JSON Schema 2020-12, or a Standard Schema with `~standard.jsonSchema` (zod 4, arktype, Joi 18). */
export type Schema = JsonSchemaSource | Readonly<Record<string, unknown>> | boolean

/** A body by media type, as OpenAPI's `content`. */
export interface Content {
  /** The schemas by media type, such as `application/problem+json`; of a stream, that of its items. */
  readonly content: { readonly [mediaType: string]: Schema | ItemContent }
}

/** A stream of items, as a media type of OpenAPI 3.2: `text/event-stream`, `application/x-ndjson`, `application/json-seq` and the like. */
export interface ItemContent {
  /** The schema of one item. `events()` writes that of an event stream. */
  readonly itemSchema: Schema
}

/** The body of a response: its schema, or schemas by media type; `null` without a body. */
export type ResponseBody = Schema | Content | null

/** The bodies of responses by status (`201`, `'4XX'`, `default`). */
export interface Responses {
  readonly [status: number | `${number}XX`]: ResponseBody
  /** The body of all other responses. */
  readonly default?: ResponseBody
}

/** The description that all operations of a table share. */
export interface CommonDescription {
  /** The bodies of responses by status, for operations that do not say that status themselves. */
  response: Responses
}

/** The parts of a description that may differ from version to version. */
export interface VersionDescription {
  /** A summary in one line. */
  summary?: string | undefined
  /** A description in CommonMark. */
  description?: string | undefined
  /** The tags. Default: the namespaces other than the version. */
  tags?: readonly string[] | undefined
  /** `true` marks it as deprecated, as `deprecated()` and `lifecycle` do. */
  deprecated?: boolean | undefined
  /** The schema of its query, an object. */
  query?: Schema | undefined
  /** The schema of its body; `null`: no body. */
  body?: Schema | null | undefined
  /**
   * The body of 200: a schema, or `{ content }` with schemas by media type. Or bodies by status (`201`, `'4XX'`, `default`),
   * `null` for a response without a body. `null` alone: no success has a body.
   */
  response?: ResponseBody | Responses | undefined
  /**
   * Other fields of OpenAPI's Operation Object: `security`, headers, media types and examples of responses. They are merged last.
   */
  operation?: Readonly<Record<string, unknown>> | undefined
}

/** The description of an operation by `table.describe()`, for documents. */
export interface OperationDescription extends VersionDescription {
  /** The differences by version. */
  versions?: { readonly [Name in Version]?: VersionDescription | undefined } | undefined
}

/** The bodies of an operation in an older version. A string stands for a body without a known schema, and tells what changed it. */
export interface OlderDescription {
  /** Its body; `null` for none. */
  readonly body?: Schema | null | string | undefined
  /** Its query. */
  readonly query?: Schema | string | undefined
  /** The bodies of responses by their status of the newest version. */
  readonly responses: ReadonlyMap<string, ResponseBody | string>
}

/** A part of a path: literal text, percent-encoded, or a parameter. */
export type PathPart =
  | string
  | {
      /** The parameter's name. */
      readonly name: string
      /** `true` if it takes several segments. */
      readonly wildcard: boolean
    }

/**
 * The meaning of a place that schemas leave open: the name of a shape (the inline copy there is that shape), `null` (it is another
 * thing), or a function that tells the branch of a value in a `oneOf` or `anyOf`: the name of a component, or the index of the
 * branch; `undefined` for none.
 */
export type PlaceMeaning = string | null | ((value: unknown) => string | number | undefined)

/** A place that schemas leave open, with its meaning. */
export interface ToldPlace {
  /** The name of a component; or `GET user 200` with `body`, `query` or a status. A JSON pointer may follow behind `#`. */
  readonly place: string
  /** The meaning that the user gives to it. */
  readonly meaning: PlaceMeaning
  /** The schemas there as this package reads them, if the table was made from an OpenAPI document; else the place tells them. */
  readonly schemas?: readonly object[]
}

/** The schemas of an OpenAPI document: how they were given, and how this package reads them. */
export interface GivenSchemas {
  /** Returns the schema that another one was read from; undefined if that was not read from the document as a whole. */
  originOf(read: object): { readonly value: object; readonly pointer: string } | undefined
  /** Returns what was read of a schema; undefined if nobody read it. */
  readingOf(given: object): object | undefined
  /** A schema with all components as its definitions, also those that no operation has: webhooks may have them. */
  readonly components: Schema
  /** Returns the place that a schema was read from, as a key of the option `places`; undefined if it was not read from the document. */
  placeOf(read: object): string | undefined
  /** The components that schemas are copies of, by the name under which each copy was read. */
  readonly copies: ReadonlyMap<string, string>
  /** The names of the copies that are written in the document, by their pointers. */
  readonly copiedAt: ReadonlyMap<string, string>
  /** The patterns that do not compile in Unicode mode. */
  readonly oddPatterns: ReadonlySet<string>
}

/** An OpenAPI document that a table was made from. */
export interface GivenDocument {
  /** Tells which given schema each read one was. */
  readonly schemas: GivenSchemas
  /** The document, with operations of older ones. Nobody may change it. */
  readonly document: Readonly<Record<string, unknown>>
  /** The same document as it was given. */
  readonly today: Readonly<Record<string, unknown>>
  /** The operations of older documents, such as `GET /users`, each with a function that adds it to the table. */
  readonly removable: ReadonlyMap<string, () => void>
  /** The prefix that its table is included below, as a pattern; `''` for none. */
  readonly prefix: string
  /** The namespaces of its names, the outermost first. */
  readonly namespaces: readonly string[]
}

/** A part of an OpenAPI document that says too little. */
export interface OpenPart {
  /** The operation, such as `GET /users`; undefined for a component. */
  readonly operation?: { readonly method: string; readonly viewName: string } | undefined
  /** The place, what is missing there, and the remedy. */
  readonly message: string
  /** `true` for a place in a schema, such as a property that may be anything. */
  readonly isInside: boolean
}

/** The facts of a table whose handlers may be elsewhere, with those of the tables that it includes. */
export interface ElsewhereFacts {
  /** The treatment of requests in older versions for operations that no table has. */
  readonly undocumented: 'reject' | 'pass'
  /** The documents that tables were made from. */
  readonly documents: readonly GivenDocument[]
  /** The parts of the documents that say too little. */
  readonly open: readonly OpenPart[]
}

/** A media type of a response that nobody converts: it is neither JSON nor a stream with described items. */
export interface OtherMedia {
  /** The media type, or a range of them. */
  readonly type: string
  /** The schema of the whole, or of items. */
  readonly schema: Schema
  /** `true` if that is the schema of items. */
  readonly isItem: boolean
}

/** The facts of a named route. */
export interface RouteFacts {
  /** The full name, with namespaces. */
  readonly viewName: string
  /** The full pattern, prefixes included. */
  readonly pattern: string
  /** The methods that have handlers, here or elsewhere, in capitals; `ALL` for those of `.all()`. */
  readonly methods: readonly string[]
  /** The paths, one for each choice of optional parts, the longest first. */
  readonly paths: readonly (readonly PathPart[])[]
  /** Returns the description of an operation. The outermost table's wins. */
  describedAs(method: string): OperationDescription | undefined
  /** The described responses that all operations of its tables share. The outermost table's win. */
  readonly common: Responses
  /** The path in the OpenAPI document that its table was made from. */
  readonly givenAs?: string | undefined
  /** Returns what that document says of an operation; undefined if the document does not have it. */
  givenFor(method: string): OperationDescription | undefined
  /** Tells whether that document has an operation without a request body. */
  isBodiless(method: string): boolean
  /** Tells whether that document has an operation whose successes are streams alone, with or without the schema of their items. */
  isStreaming(method: string): boolean
  /** Returns the media types of an operation's successes, by status, that the document has and that nobody converts. */
  othersFor(method: string): ReadonlyMap<string, readonly OtherMedia[]> | undefined
}

/** A route at a path that it had in older versions. */
export interface MovedRoute {
  /** The full name. */
  readonly viewName: string
  /** The older path as the change has it, below the prefixes of the route's table. */
  readonly path: string
  /** The full pattern, prefixes included. */
  readonly pattern: string
  /** The paths, as those of {@link RouteFacts}. */
  readonly paths: RouteFacts['paths']
  /** The paths as requests see them, without the names of parameters. */
  readonly shapes: readonly string[]
  /** Returns a link, as {@link RouteRegistry.link} does. */
  link(args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure
}

/** A path that leads to a moved route. */
export interface MovedMatch {
  /** The route at that path. */
  readonly route: MovedRoute
  /** The match of that path. */
  readonly match: ResolverMatch
  /** Today's path of the route with the same parameters; undefined if it would be read otherwise. */
  readonly today: string | undefined
  /** Today's path with other values of the route's own parameters. */
  readonly sample: string
}

/** Some routes of a table at paths that they had in older versions. */
export interface MovedRoutes {
  /** Resolves a path as if the routes were there and not at today's paths; undefined unless it leads to one of them. */
  resolve(path: string, question: MovedQuestion): MovedMatch | undefined
  /** Lists all ways in which a path leads to one of them, whatever else has the path. */
  readings(path: string): readonly MovedMatch[]
}

/** A question for the route of a path, as for `walk()` of a table. */
export interface MovedQuestion {
  /** The method of the request. */
  readonly method: string
  /** Tells whether the operation of a view name comes only in a later version. */
  readonly isAhead?: ((viewName: string) => boolean) | undefined
  /** The request, and the test of its optional prefixes. */
  readonly asked?: PrefixQuestion | undefined
}

/** The routes of a table, for a history that moves some of them. */
export interface MovableRoutes {
  /**
   * Puts a route at another path.
   *
   * @param path in the grammar of its table: that of OpenAPI documents where the table was made from one.
   * @throws {TypeError} for an invalid path, other parameters than today's, and today's path; the message is the end of a sentence.
   */
  at(viewName: string, path: string): MovedRoute
  /** Returns the paths of a route as requests see them today, without the names of parameters. */
  shapesOf(viewName: string): readonly string[]
  /** Makes the look-up of some of these routes. */
  lookUp(routes: readonly MovedRoute[]): MovedRoutes
  /** Tells whether a path may lead to a route. */
  leadsTo(viewName: string, path: string): boolean
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
   * Tells whether requests of a version reach an operation by a path: that of a moved route, or today's.
   *
   * @param method of the request. For `OPTIONS`, any operation of the route counts.
   */
  isAt(method: string, viewName: string, version: string, route: MovedRoute | undefined): boolean
  /** Resolves a path in a version; undefined unless it leads to a moved operation. */
  resolve(path: string, version: string, question: MovedQuestion): MovedMatch | undefined
  /** Lists all ways in which a path leads to an operation that had it in any version. */
  readings(path: string, method: string): readonly MovedMatch[]
  /** Tells whether a path may lead to a route. */
  leadsTo(viewName: string, path: string): boolean
}

/** A request, and the test whether parameters of an optional prefix have text in the version's place that is no accepted version. */
export interface PrefixQuestion {
  /** The request. */
  readonly req: Request
  /** The test. Such parameters count only if the path leads to no other route. Without a test, any text counts. */
  readonly isStray: ((params: RouteParams, req: Request) => boolean) | undefined
}

/** The interface of a `namedRoutes()` table for schemes and requests, which keeps the two apart. */
export interface RouteRegistry {
  /**
   * Returns the path of a named route below the table's mount, starting with one `/`, or `''` for the mount itself; or the reason
   * why it failed.
   */
  link(viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure
  /** Tells whether the table has a name. */
  has(viewName: string): boolean
  /** Lists all full names, in the order of their declaration. */
  names(): Iterable<string>
  /** Tells whether the table has a name whose path has that parameter. */
  takes(viewName: string, parameter: string): boolean
  /** Lists the names near a mistyped one, nearest first. */
  near(viewName: string): readonly string[]
  /** Lists the full namespaces of names and routers (`['api', 'api:v1']`). */
  namespaces(): readonly string[]
  /** Lists the methods of a named route that have handlers, here or elsewhere, in capitals; `ALL` for those of `.all()`. */
  methodsOf(viewName: string): readonly string[]
  /** Lists the handlers that a request of a method runs, in their order. */
  handlersOf(viewName: string, method: string): readonly object[]
  /** Tells whether a named route has a handler for a method of a request, in the table or described elsewhere. */
  serves(viewName: string, method: string): boolean
  /** Returns the facts of tables whose handlers may be elsewhere; undefined if all handlers are in tables. */
  elsewhere(): ElsewhereFacts | undefined
  /** Lists the meanings of places that schemas leave open, those of included tables too. */
  toldPlaces(): readonly ToldPlace[]
  /** Lists the facts of all names, in the order of their declaration. */
  facts(): readonly RouteFacts[]
  /** Returns the described responses that all operations of the table share. */
  common(): Responses
  /** Returns a number that grows with each name, handler and description. Results made from the facts hold until then. */
  revision(): number
  /**
   * Returns the named route of a path, for any method.
   *
   * @throws {TypeError} for anything but a string.
   */
  resolve(pathname: string): ResolverMatch | null
  /**
   * Resolves a path for a method: the first matching route that has it. Keeps what dispatch needs.
   *
   * @param isAhead tells whether the operation of a view name comes only in a later version: its route is skipped.
   * @param asked the request, and the test of its optional prefixes.
   */
  walk(
    pathname: string,
    method: string,
    isAhead?: (viewName: string) => boolean,
    asked?: PrefixQuestion,
  ): {
    /** The result of `resolve`. */
    readonly match: ResolverMatch | null
  }
  /**
   * Returns the match of the prefixes on the way to `table`, if `path` follows this table's own mount; `undefined` if `table`
   * is elsewhere, `null` if it is not part of this table.
   */
  wayTo(table: RouteRegistry, path: string): ResolverMatch | undefined | null
  /** Returns what a history needs to move routes. */
  movable(): MovableRoutes
  /** Lists the places of `table` below this table, as patterns, for an error message. */
  placesOf(table: RouteRegistry): readonly string[]
}

/**
 * Returns the accepted version that a client's text means.
 *
 * @param text the text in the version's place.
 * @param allowedVersions the accepted versions, oldest first, without `null`; empty: every version is accepted.
 * @returns the version; `undefined` rejects the request.
 */
export type ParseVersion = (text: string, allowedVersions: readonly string[]) => string | undefined

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

/** One part of an operation that a change says something of. */
export interface ListedPart {
  readonly part: 'query' | 'body' | 'response' | 'error' | 'item' | 'headers' | 'status'
  /** The changes there, for the people who call the API. */
  readonly sentences: readonly string[]
  /** The two statuses of the part `status`. */
  readonly statuses?: { readonly older: number; readonly newer: number }
}

/** An operation that a change names. */
export interface ListedOperation {
  /** Its method; `*` for all operations. */
  readonly method: string
  /** The full names of its routes; none for all operations. */
  readonly viewNames: readonly string[]
  readonly kind: 'added' | 'removed' | 'moved' | 'changed'
  /** The path before the change, as the change has it, of an operation that was moved. */
  readonly olderPath: string | undefined
  readonly parts: readonly ListedPart[]
}

/** A shape that a change names. */
export interface ListedShape {
  readonly name: string
  /** The operations that contain it, such as `GET user-list`. */
  readonly operations: readonly string[]
  /** `true` if responses contain it. */
  readonly isReceived: boolean
  /** The changes in it, for the people who call the API. */
  readonly sentences: readonly string[]
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

/** Examples of bodies, converted by a history as requests and responses are. */
export interface ConvertedExamples {
  /**
   * Converts a response of the newest version, or an item of its stream, to a version.
   *
   * @param status that of the newest version.
   * @returns undefined if the response has no body there.
   * @throws {Error} if a step fails.
   */
  older(
    part: 'body' | 'events' | 'lines',
    method: string,
    viewName: string,
    status: number,
    value: unknown,
    version: string,
  ): unknown
  /**
   * Converts a body or a query of a version to a later one.
   *
   * @throws {Error} if a step fails.
   */
  newer(part: 'body' | 'query', method: string, viewName: string, value: unknown, from: string, to: string): unknown
  /**
   * Converts a shape of bodies (`input`) to a later version, or one of responses (`output`) to an older one.
   *
   * @throws {Error} if a step fails.
   */
  shape(name: string, direction: 'input' | 'output', value: unknown, from: string, to: string): unknown
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

/** The operations of a history in each version, for documents and pages. */
export interface ChangesInDocuments {
  /** `true` if a contract checks requests or responses. */
  readonly hasContract: boolean
  /** Tells whether requests for an operation in a version are converted or checked. Those that do not fit are rejected. */
  readsRequests(method: string, viewName: string, version: string): boolean
  /** Converts the status of a response to a version, and lists the header fields that the response lacks there; for documents. */
  olderHead(
    method: string,
    viewName: string,
    version: string,
    status: number,
  ): {
    readonly status: number
    /** The names of these fields, in lower case. */
    readonly without: ReadonlySet<string>
  }
  /** Returns the media type in a version of a body that has another one in the newest version. */
  olderType(method: string, viewName: string, version: string, status: number, type: string): string
  /**
   * Lists the changes of a version, oldest first, for documents and pages; also those of versions that are not accepted.
   *
   * @param before the accepted version before; undefined for none.
   */
  changesIn(version: string, before: string | undefined): readonly ListedChange[]
  /** The newest version of the history. */
  readonly newest: string
  /** The conversions of examples. */
  readonly examples: ConvertedExamples
  /** Lists the descriptions of a version's changes that may meet a request for an operation, or its response. */
  changesMeeting(method: string, viewName: string, version: string): readonly string[]
  /** Returns the schemas of names in a version, where they differ from the descriptions, for documents. */
  definitionsIn(version: string): ReadonlyMap<string, VersionSchema>
  /** Returns the parts of a description that changes replace in a version, for documents. */
  bodiesIn(
    method: string,
    viewName: string,
    version: string,
    described: Pick<VersionDescription, 'body' | 'query' | 'response'>,
    common: Responses,
  ): OlderDescription
}

/** A history that is tied to one `versioning()` and its table. */
export interface RequestChanges {
  /** Tells whether the history has a version, or needs none. */
  knows(version: string | null | undefined): boolean
  /** Tells whether a version has an operation. */
  hasOperation(method: string, viewName: string, version: string): boolean
  /** Tells, by the state of a request, whether its version has an operation at the path by which it came. */
  isThere(state: object, method: string, viewName: string): boolean
  /** The operations that had other paths in older versions; undefined if none had. */
  readonly moves: MovedOperations | undefined
  /** Returns the description of a change that names an operation or converts its shapes; undefined if there is none. */
  changeOf(method: string, viewName: string): string | undefined
  /** Tells whether a version lacks operations that come later, or has some at other paths: only then ask for them. */
  addsBehind(version: string | null): boolean
  /** Tells whether an operation comes later than a version: its route is skipped. A removed one is rejected instead. */
  isAhead(method: string, viewName: string, version: string): boolean
  /** Makes the error for a request whose operation is absent in its version. */
  absent(req: Request, viewName: string): Error
  /** Tells, by the state of a request for a neutral path, whether handlers elsewhere may read that path as an operation. */
  readsOther(state: object): boolean
  /** Tells whether a version, or the version in the route's name, has any operation of the route. */
  hasRoute(viewName: string, version: string): boolean
  /** The query parameters that carry the version. */
  readonly carriers: ReadonlySet<string>
  /**
   * Returns the url of a request with its query in a successor of its version.
   *
   * @returns `null` if the successor lacks the operation.
   * @throws {Error} if a step fails.
   */
  urlIn(req: Request, viewName: string, successor: string): string | null
  /** The facts about versions for documents and pages. */
  readonly documents: ChangesInDocuments
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

/** Settings that all schemes share, as DRF's `REST_FRAMEWORK` settings of these names. */
export interface VersioningSettings {
  /** The version of a request that names none. Default `null`. */
  defaultVersion?: Version | null | undefined
  /** The accepted versions; empty or unset accepts every version. */
  allowedVersions?: (Iterable<Version | null> & object) | undefined
  /** The media-type parameter, route keyword or query parameter of the version. Default `'version'`. */
  versionParam?: string | undefined
  /** Returns the accepted version that a client's text means (`1` is `1.0`). Default: the version of exactly that text. */
  parseVersion?: ParseVersion | undefined
}
