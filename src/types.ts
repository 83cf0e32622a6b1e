import type { Request, Response } from 'express'

/**
 * The open interface in which an application registers its route table and its versions, once, so that
 * links and versions are typed everywhere. Left empty, both take any string. `routes` may be a union of tables; `versionParam` is
 * the parameter that links need not name, where it is not `version`.
 *
 * @example
 * declare module 'express-versioning' {
 *   interface Register { routes: typeof api | typeof admin; versions: 'v1' | 'v2'; versionParam: 'v' }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications merge their own declarations into it
export interface Register {}

/** The versions an application registered (see {@link Register}), or any string. */
export type Version = Register extends { versions: infer V extends string } ? V : string

/** What one parameter of a route takes in a link. */
export type ParamValue = string | number | bigint | boolean

/** Parameters by name, as a scheme reads them from a request: strings, or lists of them for a wildcard. */
export type RouteParams = Readonly<Record<string, string | string[] | undefined>>

/** Arguments of a link by parameter name; a wildcard takes a list; `undefined` counts as not given. */
export type LinkKwargs = Readonly<Record<string, ParamValue | readonly ParamValue[] | undefined>>

/** Arguments of a link in the order of the route's parameters. */
export type LinkArgs = readonly (ParamValue | readonly ParamValue[])[]

/** One value of a link's query: written as Express's extended query parser reads it; `null` and `undefined` are left out. */
export type QueryValue =
  | ParamValue
  | Date
  | null
  | undefined
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue }

/** What {@link LinkOptions.query} takes. A list repeats its name, unless it has lists or objects in it. */
export type LinkQuery = URLSearchParams | { readonly [name: string]: QueryValue }

/** What a named route's own link takes (`table.reverse`). */
export interface RouteLinkOptions {
  /** Values for the route's parameters in their order, after `kwargs`. */
  args?: LinkArgs | undefined
  /** Values for the route's parameters by name. */
  kwargs?: LinkKwargs | undefined
  /** Shorthand for `kwargs.format`; wins over it. */
  format?: string | null | undefined
  /** Query parameters to append. */
  query?: LinkQuery | undefined
  /** Fragment, without `#`. */
  hash?: string | undefined
  /** What an absolute link starts with, such as `https://api.example.com`. */
  origin?: string | undefined
}

/** Options of `req.reverse`. */
export interface LinkOptions extends RouteLinkOptions {
  /** `true`: a link with scheme and host. Default: a path. */
  absolute?: boolean | undefined
  /** Another version than the request's; `null`: none. */
  version?: Version | null | undefined
}

/** What a scheme's `reverse` receives: the options of `req.reverse`, the request, and whatever else was passed. */
export interface SchemeLinkOptions extends LinkOptions {
  /** The request whose version the link keeps; without one it is a link without a version. */
  request?: Request | undefined
  [extra: string]: unknown
}

/** The named route a path belongs to, as Django's `ResolverMatch` describes one. */
export interface ResolverMatch {
  /** Full name, namespaces included (`v1:user-list`); `null` when only a prefix matched. */
  readonly viewName: string | null
  /** Namespaces from the outermost in (`['api', 'v1']`). */
  readonly namespaces: readonly string[]
  /** The namespaces joined with `:`; empty when there is none. */
  readonly namespace: string
  /** Decoded parameters, those of the prefixes included. */
  readonly params: RouteParams
}

/** Why a name could not be turned into a link; a value, because a fallback often follows and an error is costly. */
export interface LinkFailure {
  /** The name that was asked for. */
  readonly viewName: string
  /** A clause without the name, such as `needs "id"`. */
  readonly reason: string
  /** The route's full path pattern; undefined when there is no such route, or not in the version. */
  readonly pattern?: string | undefined
  /** Whether there is no route of that name (then near names are worth naming). */
  readonly unknown: boolean
  /** The arguments that did not fit, and of a list the item too. */
  readonly unfit?: readonly unknown[]
  /** The parameters that were not given and must be. */
  readonly missing?: readonly string[]
}

/** How a request names a version: a header field, a query or path parameter, a namespace, or the host's first label. */
export interface VersionCarrier {
  /** Where the version stands. */
  readonly in: 'header' | 'query' | 'path' | 'namespace' | 'host'
  /** Of the header field or parameter. */
  readonly name?: string
  /** What stands there: for `Accept` a whole media type, elsewhere the version. */
  readonly value: string
}

/** What a schema says of itself as JSON Schema (Standard JSON Schema, version 1). */
export interface JsonSchemaSource {
  /** Where Standard Schemas keep what is theirs. */
  readonly '~standard': {
    /** The schema of each of its two sides. */
    readonly jsonSchema: {
      /** Of what it takes: queries and bodies. */
      input(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>
      /** Of what it gives: answers. */
      output(options: { readonly target: 'draft-2020-12' }): Readonly<Record<string, unknown>>
    }
  }
}

/** JSON Schema 2020-12, or a Standard Schema with `~standard.jsonSchema` (zod 4, arktype, Joi 18). */
export type Schema = JsonSchemaSource | Readonly<Record<string, unknown>> | boolean

/** The parts of a description that may differ from version to version. */
export interface VersionDescription {
  /** What it does, in a line. */
  summary?: string | undefined
  /** The same at length; CommonMark. */
  description?: string | undefined
  /** Default: the namespaces other than the version. */
  tags?: readonly string[] | undefined
  /** Whether it is deprecated, beside what `deprecated()` and `lifecycle` say. */
  deprecated?: boolean | undefined
  /** What its query takes, as the schema of an object. */
  query?: Schema | undefined
  /** What its body takes; `null`: it has none. */
  body?: Schema | null | undefined
  /**
   * A schema, which is that of 200, or schemas by status, `null` for an answer without a body. Beside a status, there may be ranges
   * (`'4XX'`) and `default`. `null` alone: no success has a body.
   */
  response?: Schema | null | { readonly [status: number]: Schema | null } | undefined
  /**
   * What else OpenAPI's Operation Object has, in its own words: `security`, headers, media types and examples of answers. It is merged
   * into the rest at last.
   */
  operation?: Readonly<Record<string, unknown>> | undefined
}

/** What `table.describe()` says of an operation, for documents. */
export interface OperationDescription extends VersionDescription {
  /** What differs in a version. */
  versions?: { readonly [Name in Version]?: VersionDescription | undefined } | undefined
}

/** A part of a path: literal text, percent-encoded, or a parameter. */
export type PathPart =
  | string
  | {
      /** Of the parameter. */
      readonly name: string
      /** Whether it takes several segments. */
      readonly wildcard: boolean
    }

/** What a table knows of one of its named routes. */
export interface RouteFacts {
  /** With namespaces. */
  readonly viewName: string
  /** The full pattern, prefixes included. */
  readonly pattern: string
  /** The methods that have handlers, in capitals; `ALL` for those of `.all()`. */
  readonly methods: readonly string[]
  /** The path, once for each choice of its optional parts, those with most parts first. */
  readonly paths: readonly (readonly PathPart[])[]
  /** What was said of an operation: by the outermost table that says anything. */
  describedAs(method: string): OperationDescription | undefined
}

/** What schemes and requests know of a `namedRoutes()` table: the interface that keeps the two apart. */
export interface RouteRegistry {
  /** Path of a named route below the table's mount, starting with one `/`; or why there is none. */
  link(viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure
  /** Whether the table has a name, seen from it. */
  has(viewName: string): boolean
  /** All full names, in the order of their declaration. */
  names(): Iterable<string>
  /** Whether a name is there whose path has that parameter. */
  takes(viewName: string, parameter: string): boolean
  /** Names close to a mistyped one, nearest first. */
  near(viewName: string): readonly string[]
  /** All namespaces that names and routers are in, in full (`['api', 'api:v1']`). */
  namespaces(): readonly string[]
  /** The methods of a named route that have handlers, in capitals; `ALL` for those of `.all()`. */
  methodsOf(viewName: string): readonly string[]
  /** The handlers of a named route that a request of a method runs, in their order. */
  handlersOf(viewName: string, method: string): readonly object[]
  /** What is known of all names, in the order of their declaration. */
  facts(): readonly RouteFacts[]
  /** A number that grows with each name, handler and description: what was made of the facts holds until then. */
  revision(): number
  /**
   * The named route that a path belongs to, whatever the method.
   *
   * @throws {TypeError} for anything but a string.
   */
  resolve(pathname: string): ResolverMatch | null
  /** As `resolve`, for a request with a method: of the routes that match, the first that has it; with what dispatch needs. */
  walk(
    pathname: string,
    method: string,
  ): {
    /** What `resolve` would give. */
    readonly match: ResolverMatch | null
    /** Of the match, before it is made. */
    readonly viewName: string | null
    /** Of the match, from the outermost in. */
    readonly namespaces: readonly string[]
    /** Of the match, decoded. */
    readonly params: RouteParams
  }
  /**
   * What the prefixes on the way to `table` say, when `path` follows this table's own mount; `undefined` when `table` stands
   * elsewhere, `null` when it is not part of this table.
   */
  wayTo(table: RouteRegistry, path: string): ResolverMatch | undefined | null
  /** Where `table` stands below this table, as patterns, for an error message. */
  placesOf(table: RouteRegistry): readonly string[]
}

/**
 * Says which accepted version a client's text means.
 *
 * @param text what the request has in a version's place.
 * @param allowedVersions the accepted versions, oldest first, without `null`; empty: every version is accepted.
 * @returns the version; `undefined` for none, and the request is refused.
 */
export type ParseVersion = (text: string, allowedVersions: readonly string[]) => string | undefined

/**
 * What `versioning()` knows of a history of changes, which `versionHistory()` of `express-versioning/changes` makes: the
 * interface that keeps the two apart, so that who has no history loads nothing of it.
 */
export interface VersionChanges {
  /** Oldest first. */
  readonly versions: readonly string[]
  /** All versions with their changes, oldest first. */
  list(): readonly {
    /** Its name. */
    readonly version: string
    /** What changed in it, oldest first. */
    readonly changes: readonly {
      /** What changed, for people. */
      readonly description: string
      /** What was said of each operation: the object that was given. */
      readonly operations: object
    }[]
  }[]
  /**
   * Ties the history to a table.
   *
   * @param isNeutral whether a route is named as one without a version.
   * @throws {TypeError} for a change of an operation that the table does not have or that is neutral, and for changes that
   *   contradict each other.
   */
  bind(routes: RouteRegistry, isNeutral?: (viewName: string) => boolean): RequestChanges
}

/** The status of an answer in an older version, and the header fields that it does not have there, in lower case. */
export interface OlderHead {
  readonly status: number
  readonly dropped: ReadonlySet<string>
}

/** What a history does with the requests of one `versioning()`. */
export interface RequestChanges {
  /** Whether the history has a version, or none is needed. */
  knows(version: string | null | undefined): boolean
  /** Whether an operation is there in a version. */
  hasOperation(method: string, viewName: string, version: string): boolean
  /** Whether any operation of a route is there in a version, or in the one that its name has. */
  hasRoute(viewName: string, version: string): boolean
  /**
   * The query of a request, as a successor of its version has it.
   *
   * @returns `undefined` for one that is the same there, `null` for an operation that is absent there.
   * @throws {Error} what a step that fails comes to.
   */
  queryIn(req: Request, viewName: string, successor: string): object | null | undefined
  /** Whether requests for an operation in a version are converted, which refuses those that do not fit. */
  convertsRequests(method: string, viewName: string, version: string): boolean
  /** What documents tell of the head that an answer of the newest version has in a version. */
  olderHead(method: string, viewName: string, version: string, status: number): OlderHead
  /** Whether a version has a change; `undefined` for a version or a change that is not in the history. */
  has(change: object, version: string): boolean | undefined
  /**
   * The version of a request was decided: sees to it that its answer will be converted, and converts the request if the own
   * handlers of a named route run already.
   *
   * @returns the error of a request that they must not get; `undefined` for none.
   * @throws {TypeError} for a version that the history does not have.
   */
  decided(req: Request, res: Response): unknown
  /**
   * The own handlers of a named route are about to begin: converts the request until the route is left.
   *
   * @returns the error of a request that they must not get; `undefined` for none.
   */
  begin(req: Request, res: Response, viewName: () => string): unknown
  /**
   * What becomes of an answer of a status in the request's version; `undefined` for one that stays as it is.
   *
   * @throws {TypeError} for a version that the history does not have.
   */
  answer(req: Request, res: Response, status: number): OlderAnswer | undefined
  /**
   * Sees to it that the answer of a request will be converted.
   *
   * @returns whether its body will be, if it is JSON of that status.
   * @throws {TypeError} for a version that the history does not have.
   */
  convertsAnswer(req: Request, res: Response, status: number): boolean
}

/** What an answer of the newest version is in an older one. */
export interface OlderAnswer {
  /** How a body of JSON takes the older shape; `undefined` for one that stays. */
  readonly conversion: AnswerConversion | undefined
  /** The older status. */
  readonly status: number
  /** Whether it has no body, because answers of one of the two statuses have none. */
  readonly isBare: boolean
  /**
   * Gives the header fields of the answer their older values.
   *
   * @throws {Error} what a function that fails comes to (`ERR_VERSION_CHANGE`).
   */
  writeHeaders(): void
}

/** How one answer takes the shape of an older version. */
export interface AnswerConversion {
  /**
   * @param value a copy, which steps may change.
   * @returns what the steps make of it.
   * @throws {Error} what a step that fails comes to (`ERR_VERSION_CHANGE`, or what a client's body comes to).
   */
  run(value: unknown): unknown
  /**
   * As `run`, with the result as JSON.
   *
   * @throws {Error} what a step that fails comes to, and {@link unsayable} for a result that JSON cannot say.
   */
  runToJson(value: unknown, spaces: string | number | undefined): string
  /**
   * Checks that the JSON of a result says all of it.
   *
   * @throws {Error} {@link unsayable} for a result of which the JSON has lost something, such as a promise.
   */
  verify(json: string): void
  /** The failure of steps whose result JSON cannot say. */
  unsayable(cause?: unknown): Error
  /** The failure of a body that is no JSON, though its type says so. */
  unreadable(cause: unknown): Error
}

/** Settings that every scheme shares, as DRF's `REST_FRAMEWORK` settings of these names. */
export interface VersioningSettings {
  /** Version of a request that names none. Default `null`. */
  defaultVersion?: Version | null | undefined
  /** Accepted versions; empty or unset: every version is accepted. */
  allowedVersions?: (Iterable<Version | null> & object) | undefined
  /** Media-type parameter, route keyword or query parameter that carries the version. Default `'version'`. */
  versionParam?: string | undefined
  /** Says which accepted version a client's text means (`1` is `1.0`). Default: the version of exactly that text. */
  parseVersion?: ParseVersion | undefined
}
