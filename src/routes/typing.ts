// The types of path patterns: their parameters, links and full names; and of routes and their handlers.
import type { ErrorRequestHandler, IRoute, RequestHandler } from 'express'
import type { LinkArgs, ParamValue, RouteLinkOptions } from '../types'

/** The names and full paths of a table. */
export type RouteMap = Record<string, string>

/**
 * A type as one object instead of an intersection. It infers `T`, because errors would otherwise show the alias and its
 * arguments.
 */
export type Flat<T> = T extends infer All ? { [Key in keyof All]: All[Key] } : never

// Path grammar (path-to-regexp 8) ------------------------------------------------------------------------------------

/** The characters that end a parameter's name: the ASCII characters that identifiers cannot have. */
type NameEnd = CharacterOf<'/-.:*{}\\"\'`,;@&=~%#|^<> ()[]+?!'>
type CharacterOf<Text extends string> = Text extends `${infer First}${infer Rest}` ? First | CharacterOf<Rest> : never

type TakeName<Text extends string, Name extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends NameEnd
    ? [Name, Text]
    : TakeName<Rest, `${Name}${First}`>
  : [Name, '']

type TakeQuoted<Text extends string, Name extends string = ''> = Text extends `\\${infer Escaped}${infer Rest}`
  ? TakeQuoted<Rest, `${Name}${Escaped}`>
  : Text extends `"${infer Rest}`
    ? [Name, Rest]
    : Text extends `${infer First}${infer Rest}`
      ? TakeQuoted<Rest, `${Name}${First}`>
      : [Name, '']

type Take<Text extends string> = Text extends `"${infer Quoted}` ? TakeQuoted<Quoted> : TakeName<Text>

type Parameter<Name extends string, Kind, Depth extends unknown[]> = Depth extends []
  ? { [N in Name]: Kind }
  : { [N in Name]?: Kind }

/** The parameters of a path. `Text` and `Items` are the types of the values of parameters and wildcards. */
type Parse<Path extends string, Text, Items, Depth extends unknown[] = [], Found = unknown> = Path extends `\\${string}`
  ? Path extends `\\${infer _}${infer Rest}`
    ? Parse<Rest, Text, Items, Depth, Found>
    : Found
  : Path extends `{${infer Rest}`
    ? Parse<Rest, Text, Items, [...Depth, 0], Found>
    : Path extends `}${infer Rest}`
      ? Parse<Rest, Text, Items, Depth extends [0, ...infer Outer] ? Outer : [], Found>
      : Path extends `:${infer Rest}`
        ? Take<Rest> extends [infer Name extends string, infer After extends string]
          ? Parse<After, Text, Items, Depth, Found & Parameter<Name, Text, Depth>>
          : never
        : Path extends `*${infer Rest}`
          ? Take<Rest> extends [infer Name extends string, infer After extends string]
            ? Parse<After, Text, Items, Depth, Found & Parameter<Name, Items, Depth>>
            : never
          : Path extends `${infer _}${infer Rest}`
            ? Parse<Rest, Text, Items, Depth, Found>
            : Found

/** The type of `req.params` for paths that the compiler does not know. */
type LooseParams = Record<string, string | string[]>

/**
 * The `req.params` of a path pattern: `:id` is a string, `*rest` a list; parameters in braces are optional.
 *
 * @example PathParams<'/users/:id{.:format}'> // { id: string; format?: string }
 */
export type PathParams<Path extends string> = string extends Path ? LooseParams : Flat<Parse<Path, string, string[]>>

// Links --------------------------------------------------------------------------------------------------------------

/** The `kwargs` of a link to a path: the parameters of {@link PathParams}, in the types that a link takes. */
export type PathKwargs<Path extends string> = Flat<
  Parse<Path, ParamValue, readonly [ParamValue, ...ParamValue[]] | readonly ParamValue[]>
>

type Optional<T> = { [Key in keyof T]?: T[Key] | undefined }
type OptionalKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? Key : never }[keyof T]
/** An object whose optional keys may be `undefined`, which counts as absent. */
type Accepting<T> = Flat<Omit<T, OptionalKeys<T>> & Optional<Pick<T, OptionalKeys<T>>>>

type Extras<Kwargs> = Pick<RouteLinkOptions, 'query' | 'hash' | 'origin'> &
  ('format' extends keyof Kwargs ? Pick<RouteLinkOptions, 'format'> : object)

type KwargsOption<Kwargs> = object extends Kwargs
  ? { kwargs?: Accepting<Kwargs> | undefined }
  : { kwargs: Accepting<Kwargs> }

type TypedLinkOptions<Kwargs> = Extras<Kwargs> &
  (({ args?: undefined } & KwargsOption<Kwargs>) | { args: LinkArgs; kwargs?: Optional<Kwargs> | undefined })

/** `true` for a union type. */
export type IsUnion<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never

/**
 * The arguments of `table.reverse(name, options)` after the name. They are optional for a path without required
 * parameters. They are not typed by path for a union of many paths (as for a mistyped name), because parsing all of
 * them would take the compiler seconds.
 */
export type ReverseArguments<Path extends string> = true extends (string extends Path ? true : IsUnion<Path>)
  ? [options?: RouteLinkOptions]
  : object extends PathKwargs<Path>
    ? [options?: TypedLinkOptions<PathKwargs<Path>>]
    : [options: TypedLinkOptions<PathKwargs<Path>>]

// Tables -------------------------------------------------------------------------------------------------------------

type TrimSlash<Prefix extends string> = Prefix extends `${infer Rest}/` ? TrimSlash<Rest> : Prefix

/** A path below a prefix. */
export type FullPath<Prefix extends string, Path extends string> = `${TrimSlash<Prefix>}${Path}`

/** A name below a namespace, if there is one. Projects without strict mode do not distinguish `undefined`. */
export type FullName<Namespace extends string | undefined, Name extends string> = Namespace extends '' | undefined
  ? Name
  : `${Namespace}:${Name}`

// Routes -------------------------------------------------------------------------------------------------------------

/** The methods of an Express route: one for each HTTP method, and `all`. `query` needs Node.js 20.19.3, 22.2 or later. */
type RouteMethod = Exclude<keyof IRoute, 'path' | 'stack'> | 'query'

/** A method of an operation: `HEAD` is part of `GET`. */
export type OperationMethod = Uppercase<Exclude<RouteMethod, 'all' | 'head'>>
/**
 * The methods that editors offer. With all methods, a table of some thousand names would be too much for the compiler.
 */
export type UsualMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation of some names. */
export type OperationOf<Name extends string> = string extends Name
  ? `${string} ${string}`
  : `${UsualMethod} ${Name}` | `${Exclude<OperationMethod, UsualMethod>} ${string}`

// The default type arguments of Express's handlers, in each version of its types.
type Defaults =
  RequestHandler extends RequestHandler<infer _, infer ResBody, infer ReqBody, infer Query, infer Locals>
    ? { resBody: ResBody; reqBody: ReqBody; query: Query; locals: Locals }
    : never
type AnyResBody = Defaults['resBody']
type AnyReqBody = Defaults['reqBody']
type AnyQuery = Defaults['query']
type Locals = Defaults['locals']

type OrList<T> = T | T[]

type Handler<P, ResBody, ReqBody, ReqQuery, LocalsObj extends Locals> =
  | RequestHandler<P, ResBody, ReqBody, ReqQuery, LocalsObj>
  | ErrorRequestHandler<P, ResBody, ReqBody, ReqQuery, LocalsObj>

/** A method of a route as in Express, with the parameters of the route's path. */
interface RouteHandlers<Params, Self> {
  // This overload is first and not generic. A generic one would infer the parameters from middleware or from a handler
  // factory such as `byVersion()`.
  (...handlers: OrList<RequestHandler<Params>>[]): Self
  <P = Params, ResBody = AnyResBody, ReqBody = AnyReqBody, ReqQuery = AnyQuery, LocalsObj extends Locals = Locals>(
    ...handlers: OrList<RequestHandler<P, ResBody, ReqBody, ReqQuery, LocalsObj>>[]
  ): Self
  <P = Params, ResBody = AnyResBody, ReqBody = AnyReqBody, ReqQuery = AnyQuery, LocalsObj extends Locals = Locals>(
    ...handlers: OrList<Handler<P, ResBody, ReqBody, ReqQuery, LocalsObj>>[]
  ): Self
}

/**
 * An Express route whose handlers know the parameters of its path. It is a separate interface because the parameter
 * types of Express's routes differ between `@types/express` 4 and 5.
 */
export interface NamedRoute<Params> extends Record<RouteMethod, RouteHandlers<Params, NamedRoute<Params>>> {
  /** The route's own path in the table, as `router` has it: without prefixes, literal text percent-encoded. */
  readonly path: string
  /** The handlers, as in an Express route. */
  readonly stack: IRoute['stack']
}
