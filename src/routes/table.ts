// The data of a table: its names, mounts and middleware.
import type { Layer, Route, Router } from 'router'
import type { LinkArgs, LinkFailure, LinkKwargs, OperationDescription } from '../types'
import { type Indexed, PathIndex } from './path-index'
import type { MatchSettings, Pattern, PrefixPattern } from './pattern'
import { withoutTrailingSlashes } from './segments'

/** A route of `router`, with the members that users of Express see. */
export type RouterRoute = Route & {
  readonly methods: Readonly<Record<string, boolean | undefined>>
  /** Returns the methods for the answer to OPTIONS. */
  _methods(): string[]
}

/** A name of a table and its path. Without a layer it has no handlers yet, and requests skip it. */
export interface NamedPath extends Indexed {
  readonly kind: 'route'
  readonly name: string
  readonly pattern: Pattern
  order: number
  layer: Layer | undefined
  route: RouterRoute | undefined
}

/** A table or another router, included under a prefix. */
export interface Mount extends Indexed {
  readonly kind: 'mount'
  readonly prefix: PrefixPattern
  readonly namespace: string | undefined
  /** The mounted table; undefined for another router. */
  readonly table: Table | undefined
  layer: Layer | undefined
}

/** Plain middleware. Requests run it, but no path resolves to it. */
export interface Middleware extends Indexed {
  readonly kind: 'middleware'
  readonly layer: Layer
}

export type Entry = NamedPath | Mount | Middleware

/** The template of the links to a place. */
export interface LinkTemplate {
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  /** Returns the path for some arguments, or the failure. */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure
}

/** A name as a table sees it: the route, and the mounts on the way to it. */
export interface Place {
  /** The full name, with namespaces. */
  readonly name: string
  /** The mounts on the way, the outermost first. */
  readonly mounts: readonly Mount[]
  readonly route: NamedPath
  /** It is compiled for the first link. */
  template: LinkTemplate | undefined
}

/** The data of one `namedRoutes()` table. */
export class Table {
  /** The table's own names. */
  readonly routes = new Map<string, NamedPath>()
  readonly mounts: Mount[] = []
  /** The prefix that the table declares with `below()`. */
  above: Pattern | undefined
  /** The mounts that include it. */
  readonly parents: { readonly table: Table; readonly mount: Mount }[] = []
  /** All names seen from here, by full name, in the order of their declaration. */
  readonly places = new Map<string, Place>()
  readonly index: PathIndex<Entry>
  /** The descriptions of operations, by method and name as seen from here (`GET v1:user-list`). */
  readonly descriptions = new Map<string, OperationDescription>()
  descriptionsMade = 0

  constructor(
    readonly settings: MatchSettings,
    /** The router that makes the layers and keeps the callbacks of `param()`. */
    readonly router: Router,
  ) {
    this.index = new PathIndex(settings.caseSensitive)
  }
}

/** Tells whether `inner` is `table` or anywhere below it. */
export function includes(table: Table, inner: Table): boolean {
  return table === inner || table.mounts.some((mount) => mount.table !== undefined && includes(mount.table, inner))
}

/** Tells whether a route has handlers for a method. Handlers for GET answer HEAD too. */
export function handles(route: RouterRoute | undefined, method: string | undefined): boolean {
  if (route === undefined) return false
  const { methods } = route
  const name = method?.toLowerCase() ?? ''
  return methods._all === true || methods[name] === true || (name === 'head' && methods.get === true)
}

/** Returns the handlers of a route for a method, error handlers included. */
export function handlersOf(route: RouterRoute | undefined, method: string): readonly object[] {
  if (route === undefined) return []
  const name = method.toLowerCase()
  const asked = name === 'head' && route.methods.head !== true ? 'get' : name
  return route.stack.filter((layer) => (layer.method ?? asked) === asked).map(({ handle }) => handle)
}

/** Joins a prefix and the path below it into one pattern. */
export function joinPaths(prefix: string, path: string): string {
  return withoutTrailingSlashes(prefix) + path
}

/** Returns the full path pattern of a place, as declared. */
export function fullPath({ mounts, route }: Place): string {
  return mounts.reduceRight((path, { prefix }) => joinPaths(prefix.source, path), route.pattern.source)
}

/** One named route, as `table.list()` describes it. */
export interface ListedRoute {
  /** The full name, with namespaces. */
  name: string
  /** The full pattern, prefixes included. */
  path: string
  /** The names of the parameters, those of the prefixes first. */
  params: string[]
  /** The methods that have handlers, in upper case; `ALL` for those of `.all()`. */
  methods: string[]
}

/** Returns all names of a table, in the order of their declaration. */
export function listed(table: Table): ListedRoute[] {
  return [...table.places.values()].map((place) => ({
    name: place.name,
    path: fullPath(place),
    params: [...place.mounts.flatMap(({ prefix }) => prefix.params), ...place.route.pattern.params],
    methods: methodsOf(place.route.route),
  }))
}

/** Returns all full namespaces seen from a table. */
export function namespacesIn({ mounts }: Table): string[] {
  return mounts.flatMap(({ namespace, table }) => {
    const inner = table === undefined ? [] : namespacesIn(table)
    return namespace === undefined ? inner : [namespace, ...inner.map((name) => `${namespace}:${name}`)]
  })
}

/** Returns the methods of a route, as lists show them. */
export function methodsOf(route: RouterRoute | undefined): string[] {
  const layers = route?.stack ?? []
  return [...new Set(layers.map(({ method }) => (method ?? 'all').toUpperCase()))]
}
