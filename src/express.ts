import type { NamedRoutes } from './routes/named-routes'
import type { PathKwargs } from './routes/typing'
import type { BaseVersioning } from './schemes/base'
import type { LinkOptions, Register, ResolverMatch, Version } from './types'

/** The registered table's names and paths (see {@link Register}). */
type Routes = Register extends { routes: NamedRoutes<infer Registered> } ? Registered : Record<string, string>

/** A full name, and what remains of it as namespaces are left off: `v1:user-list` is also `user-list` to a v1 request. */
type Tails<Name extends string> = Name | (Name extends `${string}:${infer Tail}` ? Tails<Tail> : never)

/** A name that `req.reverse` takes: of the registered table, with or without its namespaces; any string without one. */
export type ViewName = Tails<keyof Routes & string>

type PathsOf<Name extends string> = {
  [Full in keyof Routes]: Name extends Tails<Full> ? Routes[Full] : never
}[keyof Routes]
type Keys<Kwargs> = Kwargs extends unknown ? keyof Kwargs : never
type ValueOf<Kwargs, Key extends PropertyKey> = Kwargs extends { [K in Key]?: infer Value } ? Value : never

/** The parameters of every route of that name; none is required, because a scheme may fill it in. */
type KwargsOf<Name extends string, Kwargs = PathKwargs<PathsOf<Name>>> = {
  [Key in Keys<Kwargs>]?: ValueOf<Kwargs, Key> | undefined
}

/** Options of `req.reverse` for a name; `kwargs` are those of the registered table's routes of that name. */
export type LinkOptionsOf<Name extends string> = Register extends { routes: unknown }
  ? Omit<LinkOptions, 'kwargs'> & { kwargs?: KwargsOf<Name> | undefined }
  : LinkOptions

// In a module, not a .d.ts: tsc emits no declaration file that it was given.
declare global {
  namespace Express {
    interface Request {
      /** The API version this request addresses; `null` for none; `undefined` without `versioning()`, or after a refusal. */
      version?: Version | null | undefined
      /** The scheme that decided. */
      versioningScheme?: BaseVersioning | undefined
      /** The named route that the path belongs to, `null` for none. */
      resolverMatch?: ResolverMatch | null | undefined
      /** A link to a named route, in this request's version. */
      reverse<Name extends ViewName>(viewname: Name, options?: LinkOptionsOf<Name>): string
    }
  }
}
