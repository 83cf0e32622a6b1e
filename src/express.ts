// The properties of `Express.Request`, and the types of registered routes and versions.
import type { NamedRoutes } from './routes/named-routes'
import type { Flat, IsUnion, PathKwargs } from './routes/typing'
import type { BaseVersioning } from './schemes/base'
import type { LinkArgs, LinkOptions, Register, ResolverMatch, Version } from './types'

type RoutesOf<Table> = Table extends NamedRoutes<infer Routes> ? Routes : never

/** Names and paths of the registered table; a union for several tables (see {@link Register}). */
type Routes = Register extends { routes: infer Tables } ? RoutesOf<Tables> : Record<string, string>

type NamesOf<Table> = Table extends unknown ? keyof Table & string : never

/** A full name and its ends without the outer namespaces: a v1 request may call `v1:user-list` `user-list`. */
type Tails<Name extends string> = Name | (Name extends `${string}:${infer Tail}` ? Tails<Tail> : never)

/** A name that `req.reverse` takes: a name of the registered table, with or without its namespaces; else any string. */
export type ViewName = Tails<NamesOf<Routes>>

type PathsOf<Name extends string, Table = Routes> = Table extends unknown
  ? { [Full in keyof Table & string]: Name extends Tails<Full> ? Table[Full] & string : never }[keyof Table & string]
  : never
type Keys<Kwargs> = Kwargs extends unknown ? keyof Kwargs : never
type ValueOf<Kwargs, Key extends PropertyKey> = Kwargs extends { [K in Key]?: infer Value } ? Value : never

/** The parameter that the request's own version fills in. */
type VersionParam = Register extends { versionParam: infer Name extends string } ? Name : 'version'

/** The parameters that every route of a name requires, without the version. `keyof` a union gives the common keys. */
type RequiredKeys<Kwargs, Key = keyof Kwargs> = Key extends keyof Kwargs
  ? undefined extends Kwargs[Key]
    ? never
    : Exclude<Key, VersionParam>
  : never

type OptionalKwargs<Kwargs, Key extends PropertyKey> = { [K in Key]?: ValueOf<Kwargs, K> | undefined }
type RequiredKwargs<Kwargs, Key extends PropertyKey> = { [K in Key]: ValueOf<Kwargs, K> }
type AllKwargs<Kwargs> = Flat<
  RequiredKwargs<Kwargs, RequiredKeys<Kwargs>> & OptionalKwargs<Kwargs, Exclude<Keys<Kwargs>, RequiredKeys<Kwargs>>>
>

type Arguments<Kwargs> = [RequiredKeys<Kwargs>] extends [never]
  ? { args?: LinkArgs | undefined; kwargs?: AllKwargs<Kwargs> | undefined }
  :
      | { args?: undefined; kwargs: AllKwargs<Kwargs> }
      | { args: LinkArgs; kwargs?: OptionalKwargs<Kwargs, Keys<Kwargs>> | undefined }

/** The paths of a name; any path for many names, because parsing all of them takes the compiler seconds. */
export type LinkedPath<Name extends string> = IsUnion<Name> extends true ? string : PathsOf<Name>

/** Options of a link to one of some paths. It needs the parameters that all of them require. */
export type LinkOptionsTo<Path extends string> = Register extends { routes: unknown }
  ? string extends Path
    ? LinkOptions
    : Omit<LinkOptions, 'args' | 'kwargs'> & Arguments<PathKwargs<Path>>
  : LinkOptions

/** Options of `req.reverse` for a name; `kwargs` are those of the registered table's routes of that name. */
export type LinkOptionsOf<Name extends string> = LinkOptionsTo<LinkedPath<Name>>

/** The arguments of `req.reverse` behind the name. */
type LinkArguments<Path extends string> =
  object extends LinkOptionsTo<Path> ? [options?: LinkOptionsTo<Path>] : [options: LinkOptionsTo<Path>]

// Not in a .d.ts file, because tsc does not emit those.
declare global {
  namespace Express {
    interface Request {
      /** The API version this request addresses; `null` for none; `undefined` without `versioning()`, or after a rejection. */
      version?: Version | null | undefined
      /** The scheme that decided the version. */
      versioningScheme?: BaseVersioning | undefined
      /** The named route that the path belongs to, `null` for none. */
      resolverMatch?: ResolverMatch | null | undefined
      /** Returns a link to a named route, in this request's version. */
      // `Path` is a type parameter, as in `table.reverse`, so that the compiler does not parse the paths of all names.
      reverse<Name extends ViewName & string, Path extends string = LinkedPath<Name>>(
        viewname: Name,
        ...options: LinkArguments<Path>
      ): string
    }
  }
}
