import type { LinkArgs, ParamValue, RouteLinkOptions } from '../types'

/** The names and full paths of a table. */
export type RouteMap = Record<string, string>

/** A type as one object, in place of an intersection. Inferred, because errors would show the alias and what it was made from. */
export type Flat<T> = T extends infer All ? { [Key in keyof All]: All[Key] } : never

// Path grammar (path-to-regexp 8) ------------------------------------------------------------------------------------

/** What ends a parameter's name: the ASCII characters that no identifier has. */
type NameEnd =
  | '/'
  | '-'
  | '.'
  | ':'
  | '*'
  | '{'
  | '}'
  | '\\'
  | '"'
  | "'"
  | '`'
  | ','
  | ';'
  | '@'
  | '&'
  | '='
  | '~'
  | '%'
  | '#'
  | '|'
  | '^'
  | '<'
  | '>'
  | ' '
  | '('
  | ')'
  | '['
  | ']'
  | '+'
  | '?'
  | '!'

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

type Named<Name extends string, Kind, Depth extends unknown[]> = Depth extends []
  ? { [N in Name]: Kind }
  : { [N in Name]?: Kind }

/** Parameters of a path; `Text` and `Items` are the types of a parameter's and of a wildcard's value. */
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
          ? Parse<After, Text, Items, Depth, Found & Named<Name, Text, Depth>>
          : never
        : Path extends `*${infer Rest}`
          ? Take<Rest> extends [infer Name extends string, infer After extends string]
            ? Parse<After, Text, Items, Depth, Found & Named<Name, Items, Depth>>
            : never
          : Path extends `${infer _}${infer Rest}`
            ? Parse<Rest, Text, Items, Depth, Found>
            : Found

/** A type of `req.params` for paths that are not known to the compiler. */
export type LooseParams = Record<string, string | string[]>

/**
 * `req.params` of a path pattern, from its text: `:id` is a string, `*rest` a list, what is in braces optional.
 *
 * @example PathParams<'/users/:id{.:format}'> // { id: string; format?: string }
 */
export type PathParams<Path extends string> = string extends Path ? LooseParams : Flat<Parse<Path, string, string[]>>

// Links --------------------------------------------------------------------------------------------------------------

/** `kwargs` of a link to a path: what {@link PathParams} reads, in the types that a link takes. */
export type PathKwargs<Path extends string> = Flat<
  Parse<Path, ParamValue, readonly [ParamValue, ...ParamValue[]] | readonly ParamValue[]>
>

type Optional<T> = { [Key in keyof T]?: T[Key] | undefined }
type OptionalKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? Key : never }[keyof T]
/** Optional keys take an explicit `undefined` too, which counts as not given. */
type Accepting<T> = Flat<Omit<T, OptionalKeys<T>> & Optional<Pick<T, OptionalKeys<T>>>>

type Extras<Kwargs> = Pick<RouteLinkOptions, 'query' | 'hash' | 'origin'> &
  ('format' extends keyof Kwargs ? Pick<RouteLinkOptions, 'format'> : object)

type KwargsOption<Kwargs> = object extends Kwargs
  ? { kwargs?: Accepting<Kwargs> | undefined }
  : { kwargs: Accepting<Kwargs> }

type TypedLinkOptions<Kwargs> = Extras<Kwargs> &
  (({ args?: undefined } & KwargsOption<Kwargs>) | { args: LinkArgs; kwargs?: Optional<Kwargs> | undefined })

/** Whether a type is several. */
export type IsUnion<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never

/**
 * What follows the name in `table.reverse(name, options)`; nothing needs to, for a path without required parameters. For many
 * paths (a mistyped name stands for all) it is not told, because parsing them all takes the compiler seconds.
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

/** A name below a namespace, if there is one: `undefined` is no type of its own in projects that are not strict. */
export type FullName<Namespace extends string | undefined, Name extends string> = Namespace extends '' | undefined
  ? Name
  : `${Namespace}:${Name}`
