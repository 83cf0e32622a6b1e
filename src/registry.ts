// A table of routes, as the other parts see it.

import type { Request } from 'express'
import type {
  LinkArgs,
  LinkFailure,
  LinkKwargs,
  OperationDescription,
  PlaceMeaning,
  ResolverMatch,
  Responses,
  RouteParams,
  Schema,
} from './types'

/** A part of a path: literal text, percent-encoded, or a parameter. */
export type PathPart =
  | string
  | {
      /** The parameter's name. */
      readonly name: string
      /** `true` if it takes several segments. */
      readonly wildcard: boolean
    }

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
  /** The pointers of the schemas of parameters that stay as they are sent, in every version. */
  readonly asSent: ReadonlySet<string>
  /** The patterns that do not compile in Unicode mode. */
  readonly oddPatterns: ReadonlySet<string>
}

/** An OpenAPI document that a table was made from. */
export interface GivenDocument {
  /** Tells which given schema each read one was. */
  readonly schemas: GivenSchemas
  /** The document, with operations of older ones. Nobody may change it. */
  readonly document: Readonly<Record<string, unknown>>
  /** `true` if Nest makes the table: nobody can describe operations beside the document. */
  readonly isOfNest: boolean
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
  /** The path in the index of its table. */
  readonly entry: OlderEntry
  /** Returns a link, as {@link RouteRegistry.link} does. */
  link(args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure
}

/** An older path of a route in the index of its table. */
export interface OlderEntry {
  readonly isOlder: boolean
}

/** A path that leads to an older path of a route. */
export interface OlderMatch {
  readonly entry: OlderEntry
  /** The match of that path. */
  readonly match: ResolverMatch
  /** Today's path of the route with the same parameters; undefined if it would be read otherwise. */
  readonly today: string | undefined
  /** Today's path with other values of the route's own parameters. */
  readonly sample: string
}

/** A path that leads to a moved route. */
export interface MovedMatch extends OlderMatch {
  /** The route at that path. */
  readonly route: MovedRoute
}

/** The result of a look-up of a path. Tables know more of it. */
export interface Walk {
  /** The result of `resolve`. */
  readonly match: ResolverMatch | null
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
  /** Returns the older path to which a walk of a path leads; undefined for today's, and for no route. */
  olderIn(path: string, walk: Walk): OlderMatch | undefined
  /** Lists all ways in which a path leads to an older path, whatever else has the path. */
  readings(path: string): readonly OlderMatch[]
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
   * @param isSkipped tells whether the operation of a view name comes only in a later version: its route is skipped.
   * @param asked the request, and the test of its optional prefixes.
   * @param hasOlder tells whether a view name has an older path in the version of the request. Without it, none has.
   */
  walk(
    pathname: string,
    method: string,
    isSkipped?: (viewName: string) => boolean,
    asked?: PrefixQuestion,
    hasOlder?: (viewName: string, entry: OlderEntry) => boolean,
  ): Walk
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
