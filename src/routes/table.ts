// The data of a table: its names, mounts and middleware, and the index that finds them by path.
import type { Token } from 'path-to-regexp'
import type { Layer, Route, Router } from 'router'
import type { GivenDocument, OpenPart, OtherMedia, RouteRegistry } from '../registry'
import type { LinkArgs, LinkFailure, LinkKwargs, OperationDescription, PlaceMeaning, Responses } from '../types'
import { operationMethod } from '../util/operation'
import {
  alternativesOf,
  type MatchSettings,
  type Pattern,
  type PrefixPattern,
  type RoutePattern,
  withoutTrailingSlashes,
} from './pattern'

/** A route of `router`, with the properties that users of Express see. */
export type RouterRoute = Route & {
  readonly methods: Readonly<Record<string, boolean | undefined>>
  /** Tells whether it has handlers for a method. */
  _handlesMethod(method: string | undefined): boolean
  /** Returns the methods for the response to OPTIONS. */
  _methods(): string[]
}

/** A name of a table and its path. Without a layer it has no handlers here, and requests skip it. */
export interface NamedPath {
  readonly kind: 'route'
  readonly name: string
  readonly pattern: RoutePattern
  /** The methods of the operations whose handlers may be elsewhere; undefined in a table that has all handlers. */
  readonly elsewhere: Set<string> | undefined
  /** The route in the OpenAPI document that the table was made from. */
  readonly given: GivenRoute | undefined
  order: number
  layer: Layer | undefined
  route: RouterRoute | undefined
  /** `true` for a path that the route had in older versions. It has no layer, because requests go on with today's path. */
  readonly isOlder: boolean
  /** These paths by their text in changes, in the entry of today's path. */
  older: Map<string, NamedPath> | undefined
}

/** A path of an OpenAPI document. */
export interface GivenRoute {
  /** Its place among the paths of the document, those with more literal text first. */
  readonly rank: number
  /** The key by which these paths and older ones sort. */
  readonly sortKey: string
  /** The descriptions of its operations by method. */
  readonly operations: ReadonlyMap<string, OperationDescription>
  /** The methods of those without a request body. */
  readonly bodiless: ReadonlySet<string>
  /** The methods of those whose successes are streams alone. */
  readonly streaming: ReadonlySet<string>
  /** The media types of their successes that nobody converts, by method and status. */
  readonly others: ReadonlyMap<string, ReadonlyMap<string, readonly OtherMedia[]>>
}

/** A table or another router, included under a prefix. */
export interface Mount {
  readonly kind: 'mount'
  readonly prefix: PrefixPattern
  readonly namespace: string | undefined
  /** The mounted table; undefined for another router. */
  readonly table: Table | undefined
  readonly order: number
  layer: Layer | undefined
}

/** Plain middleware. Requests run it, but no path resolves to it. */
interface Middleware {
  readonly kind: 'middleware'
  readonly order: number
  readonly layer: Layer
}

/** An entry of a table. Each `order` is unique in its table. */
export type Entry = NamedPath | Mount | Middleware

/** The template of the links to a place. */
export interface LinkTemplate {
  /** The parameters in the order of the path. */
  readonly names: readonly string[]
  /** Returns the path for some arguments, or the failure. */
  link(args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string | LinkFailure
}

/** A name as a table sees it: the route, and the mounts on the way to it. */
export interface MountedRoute {
  /** The full name, with namespaces. */
  readonly name: string
  /** The mounts on the way, the outermost first. */
  readonly mounts: readonly Mount[]
  readonly route: NamedPath
  /** It is compiled for the first link. */
  template: LinkTemplate | undefined
}

/** A point of the index, reached by the segments of a path. */
export class IndexNode {
  /** The points below, by literal segment. */
  readonly named = new Map<string, IndexNode>()
  /** The point below for a segment with a parameter. */
  any: IndexNode | undefined
  /** The entries for paths that end here. */
  readonly ending: Entry[] = []
  /** The entries for paths that end here or go on below. */
  readonly open: Entry[] = []
}

/** An OpenAPI document as a table keeps it. */
interface ReadDocument extends Pick<GivenDocument, 'document' | 'isOfNest' | 'today' | 'removable' | 'schemas'> {
  /** The parts that say too little. */
  readonly open: readonly OpenPart[]
  /** Returns the schemas at a place of the option `places`, as this package reads them. */
  schemasAt(place: string): readonly object[]
  /**
   * Returns a path of a document in the syntax of path-to-regexp, and its key among the others.
   *
   * @throws {TypeError} with a sentence, for a path that no router can tell.
   */
  templateOf(path: string): { readonly pattern: string; readonly sortKey: string }
}

/** The settings of a table. */
export interface TableSettings extends MatchSettings {
  /** The treatment of requests in older versions for operations that nobody described; undefined if all handlers are in the table. */
  readonly elsewhere: 'reject' | 'pass' | undefined
  /** The meanings of the places that schemas leave open. */
  readonly places: ReadonlyMap<string, PlaceMeaning>
  /** The OpenAPI document that the table was made from. */
  readonly document?: ReadDocument
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
  readonly places = new Map<string, MountedRoute>()
  /** The entries by path: a trie of segments. `candidates()` of `walk.ts` searches it. */
  readonly index = new IndexNode()
  /** The number of changes of the entries, their order and the descriptions. */
  version = 0
  /** The descriptions of operations, by method and name as seen from here (`GET v1:user-list`). */
  readonly descriptions = new Map<string, OperationDescription>()
  /** The described responses that all its operations share. */
  common: Responses = {}

  constructor(
    readonly settings: TableSettings,
    /** The router that makes the layers and keeps the callbacks of `param()`. */
    readonly router: Router,
    /** The table as users know it. */
    readonly registry: RouteRegistry,
  ) {}
}

/**
 * Adds an entry to the index of its table, at each point that its pattern may match. It may stand at more points, never
 * at fewer.
 *
 * @param end `true` for a pattern that matches whole paths (a route), `false` for one that also matches longer paths.
 */
export function addToIndex(table: Table, entry: Entry, tokens: readonly Token[], end: boolean): void {
  // The shortest alternative comes first.
  for (const alternative of alternativesOf(tokens).toReversed()) {
    // Literal text has no braces, because they are percent-encoded.
    const path = alternative.map((token) => (token.type === 'text' ? token.value : `{${token.type}}`)).join('')
    const [first, ...segments] = withoutTrailingSlashes(path).split('/')
    // Paths below an empty segment are not told apart.
    const wild = first === '' ? segments.findIndex((text) => text === '' || text.includes('{wildcard}')) : 0
    let node = table.index
    for (const segment of wild === -1 ? segments : segments.slice(0, wild)) {
      // Open entries are found for all longer paths already.
      if (node.open.at(-1) === entry) break
      node = nodeBelow(node, segment, table.settings)
    }
    const list = end && wild === -1 ? node.ending : node.open
    if (list.at(-1) !== entry) list.push(entry)
  }
  table.version++
}

function nodeBelow(above: IndexNode, segment: string, { caseSensitive }: MatchSettings): IndexNode {
  if (segment.includes('{param}')) {
    above.any ??= new IndexNode()
    return above.any
  }
  const key = caseSensitive ? segment : segment.toLowerCase()
  const known = above.named.get(key) ?? new IndexNode()
  above.named.set(key, known)
  return known
}

/** Tells whether `inner` is `table` or anywhere below it. */
export function includes(table: Table, inner: Table): boolean {
  return table === inner || table.mounts.some((mount) => mount.table !== undefined && includes(mount.table, inner))
}

/** Returns the places of `target` below `table`, as patterns. */
export function placesOf(table: Table, target: Table): string[] {
  if (table === target) return ['/']
  return table.mounts.flatMap(({ prefix, table: child }) => {
    if (child === undefined) return []
    return placesOf(child, target).map((place) => (place === '/' ? prefix.source : joinPaths(prefix.source, place)))
  })
}

/** Joins a prefix and the path below it into one pattern. */
export function joinPaths(prefix: string, path: string): string {
  return withoutTrailingSlashes(prefix) + path
}

/** Returns the patterns of a place, from the outermost prefix to the route. */
export function patternsOf({ mounts, route }: Pick<MountedRoute, 'mounts' | 'route'>): Pattern[] {
  return [...mounts.map(({ prefix }) => prefix), route.pattern]
}

/** Returns the full path pattern of a place, as declared. It is `''` for the place of the table itself. */
export function fullPath(place: MountedRoute): string {
  return patternsOf(place).reduce((path, { source }) => joinPaths(path, source), '')
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
    path: fullPath(place) || '/',
    params: patternsOf(place).flatMap(({ params }) => params),
    methods: methodsOf(place.route),
  }))
}

/** Returns all full namespaces seen from a table. */
export function namespacesIn({ mounts }: Table): string[] {
  return mounts.flatMap(({ namespace, table }) => {
    const inner = table === undefined ? [] : namespacesIn(table)
    return namespace === undefined ? inner : [namespace, ...inner.map((name) => `${namespace}:${name}`)]
  })
}

/** Returns the methods of a route, as lists show them: those of its handlers, here and elsewhere. */
export function methodsOf(entry: NamedPath | undefined): string[] {
  const layers = entry?.route?.stack ?? []
  return [...new Set([...layers.map(({ method }) => (method ?? 'all').toUpperCase()), ...(entry?.elsewhere ?? [])])]
}

/** Tells whether a route has an operation whose handlers may be elsewhere, for a method of a request. */
export function isElsewhere({ elsewhere }: NamedPath, method: string): boolean {
  return elsewhere?.has(operationMethod(method)) === true
}

/** Tells whether a route of an OpenAPI document goes before another one: it has more literal text. */
export function goesBefore({ given: one }: NamedPath, { given: other }: NamedPath): boolean {
  return one !== undefined && other !== undefined && one.sortKey < other.sortKey
}

/** Returns the handlers of a route for a method, error handlers included. */
export function handlersOf(route: RouterRoute | undefined, method: string): readonly object[] {
  if (route === undefined) return []
  const name = method.toLowerCase()
  const asked = name === 'head' && route.methods.head !== true ? 'get' : name
  return route.stack.filter((layer) => (layer.method ?? asked) === asked).map(({ handle }) => handle)
}
