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

/**
 * The meaning of a place that schemas leave open: the name of a shape (the inline copy there is that shape), `null` (it is another
 * thing), or a function that tells the branch of a value in a `oneOf` or `anyOf`: the name of a component, or the index of the
 * branch; `undefined` for none.
 */
export type PlaceMeaning = string | null | ((value: unknown) => string | number | undefined)

/**
 * Returns the accepted version that a client's text means.
 *
 * @param text the text in the version's place.
 * @param allowedVersions the accepted versions, oldest first, without `null`; empty: every version is accepted.
 * @returns the version; `undefined` rejects the request.
 */
export type ParseVersion = (text: string, allowedVersions: readonly string[]) => string | undefined

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
