// `namedRoutes()`: a table of named routes that is also their router.
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, RequestParamHandler, Response } from 'express'
import Router from 'router'
import { NoReverseMatch } from '../errors'
import type { RouteRegistry } from '../registry'
import { checkedOrigin } from '../request/link'
import { describeUnversioned } from '../request/link-errors'
import { appendQueryAndHash, withFormat } from '../request/link-text'
import type {
  CommonDescription,
  LinkArgs,
  LinkFailure,
  LinkKwargs,
  OperationDescription,
  ResolverMatch,
  RouteLinkOptions,
} from '../types'
import { brand, isMade, sharedByLoads } from '../util/brand'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { addMiddleware, addMount, addName, checkedPaths, type IncludeOptions, routeOf, standBelow } from './declare'
import { addDescription, factsOf, revisionOf } from './description'
import { dispatch } from './dispatch'
import { factsElsewhere, toldPlaces } from './elsewhere'
import { movableIn } from './moved-paths'
import {
  handlersOf,
  isElsewhere,
  type ListedRoute,
  listed,
  methodsOf,
  namespacesIn,
  placesOf,
  Table,
  type TableSettings,
} from './table'
import { checkedSettings, type NamedRoutesOptions } from './table-settings'
import { linkTo, quoted, takes } from './template'
import type { FullName, FullPath, NamedRoute, OperationOf, PathParams, ReverseArguments, RouteMap } from './typing'
import { type Asking, walk, wayTo } from './walk'

/** The path types of `table.use()`, as in `express.Router().use`. */
type MiddlewarePath = string | RegExp | readonly (string | RegExp)[]
type Middleware = RequestHandler | ErrorRequestHandler

const LINK_OPTIONS = {
  args: true,
  kwargs: true,
  format: true,
  query: true,
  hash: true,
  origin: true,
} satisfies Record<keyof RouteLinkOptions, true>

function rejectUnknown(option: string, options: object): void {
  if (options[option as never] === undefined) return
  const takes = quoted(Object.keys(LINK_OPTIONS))
  throw new NoReverseMatch(`reverse(): unknown option "${option}": parameters go into "kwargs". It takes ${takes}.`)
}

/**
 * A table of named routes that is also their router: a request handler for `app.use` of Express 4 and 5. `Routes` are all
 * names seen from it, with their full paths. `Own` are the names that it declares itself. `Above` is the prefix given
 * to `below()`.
 *
 * @example
 * const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' })
 * users.route('user-detail').get((req, res) => res.json({ id: req.params.id }))
 * app.use(namedRoutes({ home: '/' }).include('/v1', users, { namespace: 'v1' }))
 */
export interface NamedRoutes<
  Routes extends RouteMap = RouteMap,
  // Not inferred from, so that `NamedRoutes<infer Routes>` gives all names.
  Own extends RouteMap = NoInfer<Routes>,
  Above extends string = '/',
> extends RouteRegistry {
  (req: Request, res: Response, next: NextFunction): void

  /**
   * Returns the Express route of one of the table's own names. The first call puts it at this point of the order of
   * routes and middleware; later calls return the same route.
   *
   * @throws {TypeError} for a name that the table does not have.
   * @example users.route('user-list').get(listUsers).post(createUser)
   */
  route<Name extends keyof Own & string>(name: Name): NamedRoute<PathParams<FullPath<Above, Own[Name]>>>

  /**
   * Adds a name, for routes that are known late. Tables that include this one get it too.
   *
   * @returns this table, with the wider type.
   * @throws {TypeError} for a bad path, or a name or parameter that is taken in a table that sees it.
   */
  add<const Name extends string, const Path extends string>(
    name: Name,
    path: Path,
  ): NamedRoutes<Routes & { [Key in Name]: Path }, Own & { [Key in Name]: Path }, Above>

  /**
   * Declares the prefixes that this table is included below, so that its handlers know their parameters. The path holds
   * all prefixes from the root on. Wherever the table is included, the mount, or the including table's own `below()`,
   * must have these parameters; the literal text may differ. Parameters in braces are optional.
   *
   * @returns this table, with the wider type.
   * @throws {TypeError} for a bad path, a parameter of the table's own, a place where a parameter is missing, or a second call.
   * @example
   * const orders = namedRoutes({ order: '/orders/:id' }).below('/:version/tenants/:tenant')
   * orders.route('order').get((req, res) => res.json([req.params.tenant, req.params.id]))
   */
  below<const Prefix extends string>(prefix: Prefix): NamedRoutes<Routes, Own, Prefix>

  /**
   * Describes an operation for documents (`express-versioning/openapi`). The description goes wherever the table is
   * included. The outermost description wins.
   *
   * @param operation a method in capitals and a name as seen from this table.
   * @returns this table.
   * @throws {TypeError} for a name that the table does not have, and for an invalid description.
   * @example users.describe('GET user-detail', { summary: 'One user', response: User, versions: { v1: { response: UserV1 } } })
   */
  describe(operation: OperationOf<keyof Routes & string>, description: OperationDescription): this
  /**
   * Describes the responses that all operations of the table share, such as errors. An operation that says a status itself keeps
   * its own.
   *
   * @example api.describe('*', { response: { '4XX': Problem, '5XX': { content: { 'application/problem+json': Problem } } } })
   */
  describe(operation: '*', description: CommonDescription): this

  /**
   * Adds plain middleware at this point of the order, as `express.Router().use` does. Paths are patterns of
   * path-to-regexp 8.
   *
   * @throws {TypeError} for invalid handlers.
   */
  use(...handlers: (RequestHandler | RequestHandler[])[]): this
  /** Adds middleware and error handlers. */
  use(...handlers: (Middleware | Middleware[])[]): this
  /**
   * Adds middleware for requests below a path.
   *
   * @throws {TypeError} for an invalid path or invalid handlers.
   * @example users.use('/users', express.json())
   */
  use(path: MiddlewarePath, ...handlers: (RequestHandler | RequestHandler[])[]): this
  /** Adds middleware and error handlers for requests below a path. */
  use(path: MiddlewarePath, ...handlers: (Middleware | Middleware[])[]): this

  /**
   * Adds a callback for a parameter of this table's own paths and prefixes, as `express.Router().param` does.
   *
   * @throws {TypeError} for an invalid callback.
   */
  param(name: string, handler: RequestParamHandler): this

  /**
   * Adds another table, or any router or middleware, below a prefix, at this point of the order. Handlers below see the
   * prefix's parameters.
   *
   * @returns this table, with the names of the other: `<namespace>:<name>`, or `<name>` without a namespace.
   * @throws {TypeError} for a name, namespace or parameter that is taken, a prefix with a wildcard, or a table in itself.
   * @example namedRoutes({ home: '/' }).include('/v1', users, { namespace: 'v1' })
   */
  include<
    const Prefix extends string,
    Child extends RouteMap,
    ChildOwn extends RouteMap,
    ChildAbove extends string,
    const Namespace extends string | undefined = '',
  >(
    prefix: Prefix,
    child: NamedRoutes<Child, ChildOwn, ChildAbove>,
    options?: IncludeOptions<Namespace>,
  ): NamedRoutes<
    Routes & { [Name in keyof Child & string as FullName<Namespace, Name>]: FullPath<Prefix, Child[Name]> },
    Own,
    Above
  >
  /**
   * Adds middleware, or a router that is not a table, below a prefix.
   *
   * @throws {TypeError} for a namespace or parameter that is taken, and a prefix with a wildcard.
   * @example api.include('/files', express.static('files'), { namespace: 'files' })
   */
  include(prefix: string, child: RequestHandler, options?: IncludeOptions): this

  /**
   * Returns the path of a named route below this table's own mount; with `origin`, a URL.
   *
   * @throws {NoReverseMatch} for an unknown name or option, and for missing, unknown or unfit arguments.
   * @example users.reverse('user-detail', { kwargs: { id: 7 }, query: { tab: 'posts' } }) // '/users/7?tab=posts'
   */
  reverse<Name extends keyof Routes & string, Path extends string = Routes[Name]>(
    name: Name,
    ...options: ReverseArguments<Path>
  ): string

  /** Returns all names seen from this table, in the order of their declaration. */
  list(): ListedRoute[]

  /**
   * Returns the named route that a path belongs to, whatever the method. `viewName` is `null` if the path is only below
   * a mount; the result is `null` if the path is not in this table.
   *
   * @throws {TypeError} for anything but a string.
   * @example api.resolve('/v1/users/7') // { viewName: 'v1:user-detail', namespaces: ['v1'], namespace: 'v1', params: { id: '7' } }
   */
  resolve(pathname: string): ResolverMatch | null
}

/** The data behind each table that users hold. */
const tables = sharedByLoads('tables', () => new WeakMap<object, Table>())

/**
 * Returns the data behind a table; undefined for any other handler.
 *
 * @throws {TypeError} for a table of another version of the package.
 */
function tableOf(handler: object): Table | undefined {
  return isMade('table', handler) ? tables.get(handler) : undefined
}

/**
 * Makes a table of named routes that is also their router.
 *
 * @param routes names and paths, in the syntax of path-to-regexp 8 on every version of Express.
 * @throws {TypeError} for invalid names, paths or options.
 * @example const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' }, { strict: true })
 */
export function namedRoutes<const Routes extends RouteMap>(
  routes: Routes,
  options?: NamedRoutesOptions,
): NamedRoutes<{ -readonly [Name in keyof Routes]: Routes[Name] }>
export function namedRoutes(routes: object, options?: NamedRoutesOptions): object {
  return tableWith(checkedSettings('namedRoutes()', options), (table) => {
    for (const [name, path] of checkedPaths(routes)) addName(table, name, path)
  })
}

/** Makes a table with settings and names. */
export function tableWith(settings: TableSettings, fill: (table: Table) => void): NamedRoutes {
  function routeTable(req: Request, res: Response, next: NextFunction): void {
    if (typeof next !== 'function') throw new TypeError('A route table takes (req, res, next); next is missing.')
    dispatch(table, req, res, next)
  }
  const registry = routeTable as object as NamedRoutes
  const table = new Table(settings, new Router(settings), registry)
  fill(table)
  tables.set(brand('table', registry), table)
  return Object.assign(registry, propertiesOf(table, registry))
}

/** Returns a handler to include, and its data if it is a table. */
function includable(child: RequestHandler): { handler: Router.RequestHandler; table: Table | undefined } {
  if (typeof child === 'function') return { handler: child as object as Router.RequestHandler, table: tableOf(child) }
  throw new TypeError(
    `include() takes a namedRoutes() table or another router as its second argument; got ${shown(child)}.`,
  )
}

/** Returns the properties of a table for users. */
function propertiesOf(table: Table, registry: NamedRoutes) {
  /** Makes a property that returns the table. */
  const chained =
    <Args extends unknown[]>(change: (...args: Args) => unknown) =>
    (...args: Args) => {
      change(...args)
      return registry
    }
  return {
    route(name: string) {
      const entry = table.routes.get(name)
      if (entry !== undefined) return routeOf(table, entry) as object as NamedRoute<object>
      throw new TypeError(
        `route(): this table has no name ${shown(name)} of its own.${didYouMean(near(String(name), table.routes.keys()))}`,
      )
    },

    add: chained((name: string, path: string) => addName(table, name, path)),
    below: chained((prefix: string) => standBelow(table, prefix)),
    describe: chained((operation: string, description: OperationDescription | CommonDescription) =>
      addDescription(table, operation, description),
    ),
    use: chained((...args: unknown[]) => addMiddleware(table, args)),
    param: chained((name: string, handler: RequestParamHandler) =>
      table.router.param(name, handler as object as Router.RequestParamHandler),
    ),
    include: chained((prefix: string, child: RequestHandler, options?: IncludeOptions) =>
      addMount(table, prefix, includable(child), options),
    ),

    reverse(name: string, options?: RouteLinkOptions | null) {
      if (options === undefined || options === null) return pathOf(table, name, undefined, undefined)
      for (const option in options) {
        if (!(option in LINK_OPTIONS)) rejectUnknown(option, options)
      }
      const { args, kwargs, origin } = options
      const link = appendQueryAndHash(pathOf(table, name, args, withFormat(kwargs, options)), options)
      return origin === undefined ? link : checkedOrigin(origin) + link
    },

    list: () => listed(table),

    resolve(pathname: string) {
      if (typeof pathname !== 'string') throw new TypeError(`resolve() takes a path; got ${shown(pathname)}.`)
      return walk(table, pathname).match
    },

    link: (viewName: string, args?: LinkArgs, kwargs?: LinkKwargs) => linkTo(table, viewName, args, kwargs),
    has: (viewName: string) => table.places.has(viewName),
    names: () => table.places.keys(),
    takes: (viewName: string, parameter: string) => takes(table, viewName, parameter),
    near: (viewName: string) => namesNear(table, viewName),
    namespaces: () => namespacesIn(table),
    methodsOf: (viewName: string) => methodsOf(table.places.get(viewName)?.route),
    handlersOf: (viewName: string, method: string) => handlersOf(table.places.get(viewName)?.route.route, method),
    serves(viewName: string, method: string) {
      const route = table.places.get(viewName)?.route
      return route !== undefined && (isElsewhere(route, method) || handlersOf(route.route, method).length > 0)
    },
    elsewhere: () => factsElsewhere(table),
    toldPlaces: () => toldPlaces(table),
    movable: () => movableIn(table),
    facts: () => factsOf(table),
    common: () => table.common,
    revision: () => revisionOf(table),
    walk: (
      pathname: string,
      method: string,
      isSkipped?: Asking['isSkipped'],
      asked?: Asking['asked'],
      hasOlder?: Asking['hasOlder'],
    ) => walk(table, pathname, { method, isSkipped, asked, hasOlder }),

    wayTo(target: RouteRegistry, path: string) {
      const inner = tableOf(target)
      return inner === undefined ? null : wayTo(table, inner, path)
    },

    placesOf(target: RouteRegistry) {
      const inner = tableOf(target)
      return inner === undefined ? [] : placesOf(table, inner)
    },
  }
}

function pathOf(table: Table, name: string, args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string {
  const path = linkTo(table, name, args, kwargs)
  if (typeof path === 'string') return path || '/'
  throw noLink(table, path)
}

function noLink(table: Table, failure: LinkFailure): NoReverseMatch {
  const names = failure.unknown ? namesNear(table, failure.viewName) : []
  return new NoReverseMatch(describeUnversioned(failure, names, NO_REQUEST), { failures: [failure] })
}

const NO_REQUEST =
  "a table's own reverse() knows no request, so name it, or make the link by req.reverse() behind a versioning()"

/** Returns the names that may have been meant: the same name in a namespace, or a similar one. */
function namesNear(table: Table, name: string): readonly string[] {
  const asked = String(name)
  const names = [...table.places.keys()]
  const within = names.filter((other) => other.endsWith(`:${asked}`))
  return [...new Set([...within, ...near(asked, names)])].slice(0, 3)
}
