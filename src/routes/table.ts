import type Router from 'router'
import type { Dispatched } from './dispatch'
import { PathIndex } from './path-index'
import type { MatchSettings, Params, Pattern, PrefixPattern } from './pattern'
import { withoutTrailingSlashes } from './segments'
import type { Template } from './template'

/** What `router` says of a route of its own, and what Express's users see of it. */
export type RouterRoute = Router.Route

/** A name of a table and its path. */
export interface NamedPath extends Dispatched {
  readonly kind: 'route'
  readonly name: string
  readonly pattern: Pattern
  order: number
  layer: Router.Layer | undefined
  route: RouterRoute | undefined
}

/** A table or another router, included under a prefix. */
export interface Mount extends Dispatched {
  readonly kind: 'mount'
  readonly prefix: PrefixPattern
  readonly namespace: string | undefined
  /** Undefined for a router that is no table. */
  readonly table: Table | undefined
  layer: Router.Layer | undefined
}

/** Plain middleware: found by requests, but nothing that a path resolves to. */
export interface Middleware extends Dispatched {
  readonly kind: 'middleware'
}

export type Entry = NamedPath | Mount | Middleware

/** A name as one table sees it: the route, and the mounts on the way to it. */
export interface Place {
  /** With namespaces. */
  readonly name: string
  /** Outermost first. */
  readonly mounts: readonly Mount[]
  readonly route: NamedPath
  /** Made when the first link is. */
  template: Template | undefined
}

/** The data of one `namedRoutes()` table. */
export class Table {
  /** Its own names. */
  readonly routes = new Map<string, NamedPath>()
  readonly mounts: Mount[] = []
  /** The mounts that include it. */
  readonly parents: { readonly table: Table; readonly mount: Mount }[] = []
  /** All names seen from here, by full name, in the order of their declaration. */
  readonly places = new Map<string, Place>()
  readonly index: PathIndex<Entry>

  constructor(readonly settings: MatchSettings) {
    this.index = new PathIndex(settings.caseSensitive)
  }
}

/** A prefix and what follows it as one pattern. */
export function joinPaths(prefix: string, path: string): string {
  return withoutTrailingSlashes(prefix) + path
}

/** The full path pattern of a place, as declared. */
export function fullPath({ mounts, route }: Place): string {
  return mounts.reduceRight((path, { prefix }) => joinPaths(prefix.source, path), route.pattern.source)
}

/** What remains of a path below a mount, and the mount's parameters; `undefined` when the path is not below it. */
export function enter(mount: Mount, path: string): { readonly rest: string; readonly params: Params } | undefined {
  const found = mount.prefix.match(path)
  if (found === false) return undefined
  const rest = path.slice(found.path.length)
  return { rest: rest.startsWith('/') ? rest : `/${rest}`, params: found.params }
}
