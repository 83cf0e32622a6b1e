import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, RequestParamHandler, Response } from 'express'
import Router from 'router'
import { NoReverseMatch } from '../errors'
import { stateOf } from '../request/members'
import { checkedOrigin } from '../request/origin'
import { misplacement } from '../request/place'
import { appendQueryAndHash } from '../request/query'
import { describeFailure } from '../request/reverse'
import type { LinkArgs, LinkFailure, LinkKwargs, ResolverMatch, RouteLinkOptions, RouteRegistry } from '../types'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { Callable, HANDLE, type Handling } from './callable'
import {
  checkedName,
  checkedNamespace,
  checkedPaths,
  checkedSettings,
  type IncludeOptions,
  type NamedRoutesOptions,
} from './declaration'
import { Dispatch } from './dispatch'
import { linkTo } from './linking'
import { type ListedRoute, listed } from './listing'
import type { NamedRoute } from './named-route'
import { addMiddleware, addMount, addName, routeOf } from './registration'
import { placesOf, reaches, resolve } from './resolve'
import { Table } from './table'
import { quoted } from './template'
import type { FullName, FullPath, OwnName, PathOf, PathParams, ReverseArguments, RouteMap } from './typing'

/** What `table.use()` takes for a path: as `express.Router().use`. */
export type MiddlewarePath = string | RegExp | readonly (string | RegExp)[]
type Middleware = RequestHandler | ErrorRequestHandler

const LINK_OPTIONS = {
  args: true,
  kwargs: true,
  format: true,
  query: true,
  hash: true,
  origin: true,
} satisfies Record<keyof RouteLinkOptions, true>

function refuseUnknown(option: string, options: object): void {
  if (options[option as never] === undefined) return
  const takes = quoted(Object.keys(LINK_OPTIONS))
  throw new NoReverseMatch(`reverse(): unknown option "${option}": parameters go into "kwargs". It takes ${takes}.`)
}

/** A table is a request handler, for `app.use` of Express 4 and 5 alike. */
// biome-ignore lint/correctness/noUnusedVariables: both declarations must name the same type parameters
export interface NamedRoutes<Routes extends RouteMap = RouteMap> extends Handling {}

/**
 * A table of named routes that is also their router. Made by {@link namedRoutes}.
 *
 * @example
 * const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' })
 * users.route('user-detail').get((req, res) => res.json({ id: req.params.id }))
 * app.use(namedRoutes({ home: '/' }).include('/v1', users, { namespace: 'v1' }))
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the call signature is Callable's, which a class cannot declare
export class NamedRoutes<Routes extends RouteMap = RouteMap> extends Callable implements RouteRegistry {
  readonly #table: Table
  readonly #router: Router.Router

  constructor(routes: Routes, options?: NamedRoutesOptions) {
    super()
    const settings = checkedSettings(options)
    this.#table = new Table(settings)
    this.#router = new Router({ ...settings, mergeParams: true })
    for (const [name, path] of checkedPaths(routes)) addName(this.#table, checkedName(name), path)
  }

  /**
   * The Express route of one of the table's own names. The first call puts it at this point of the order of routes and
   * middleware; later calls give the same route.
   *
   * @throws {TypeError} for a name that the table does not have.
   * @example users.route('user-list').get(listUsers).post(createUser)
   */
  route<Name extends OwnName<Routes>>(name: Name): NamedRoute<PathParams<PathOf<Routes, Name>>> {
    const entry = this.#table.routes.get(name)
    if (entry === undefined) {
      throw new TypeError(
        `route(): this table has no name ${shown(name)} of its own.${didYouMean(near(String(name), this.#table.routes.keys()))}`,
      )
    }
    return routeOf(this.#table, this.#router, entry) as object as NamedRoute<PathParams<PathOf<Routes, Name>>>
  }

  /**
   * Adds a name; for routes that are known late. Tables that include this one have it too.
   *
   * @returns this table, with the wider type.
   * @throws {TypeError} for a bad path, or a name or parameter that is taken anywhere the table is seen from.
   */
  add<const Name extends string, const Path extends string>(
    name: Name,
    path: Path,
  ): NamedRoutes<Routes & { [Key in Name]: Path }>
  add(name: string, path: string): object {
    addName(this.#table, checkedName(name), path)
    return this
  }

  /** Adds plain middleware at this point of the order; as `express.Router().use`, with patterns of path-to-regexp 8. */
  use(...handlers: (RequestHandler | RequestHandler[])[]): this
  use(...handlers: (Middleware | Middleware[])[]): this
  use(path: MiddlewarePath, ...handlers: (RequestHandler | RequestHandler[])[]): this
  use(path: MiddlewarePath, ...handlers: (Middleware | Middleware[])[]): this
  use(...args: unknown[]): this {
    addMiddleware(this.#table, this.#router, args)
    return this
  }

  /** Adds a callback for a parameter of this table's own paths and prefixes; as `express.Router().param`. */
  param(name: string, handler: RequestParamHandler): this {
    this.#router.param(name, handler as object as Router.RequestParamHandler)
    return this
  }

  /**
   * Adds another table, or any router or middleware, below a prefix, at this point of the order. Handlers below see the
   * prefix's parameters.
   *
   * @returns this table, with the names of the other: `<namespace>:<name>`, or `<name>` without a namespace.
   * @throws {TypeError} for a name, namespace or parameter that is taken, a prefix with a wildcard, or a table in itself.
   * @example namedRoutes({ home: '/' }).include('/v1', users, { namespace: 'v1' })
   */
  include<const Prefix extends string, Child extends RouteMap, const Namespace extends string | undefined = undefined>(
    prefix: Prefix,
    child: NamedRoutes<Child>,
    options?: IncludeOptions<Namespace>,
  ): NamedRoutes<
    Routes & { [Name in keyof Child & string as FullName<Namespace, Name>]: FullPath<Prefix, Child[Name]> }
  >
  include(prefix: string, child: RequestHandler, options?: IncludeOptions): this
  include(prefix: string, child: RequestHandler, options?: IncludeOptions): object {
    if (typeof child !== 'function') {
      throw new TypeError(
        `include() takes a namedRoutes() table or another router as its second argument; got ${shown(child)}.`,
      )
    }
    const table = child instanceof NamedRoutes ? child.#table : undefined
    const handler = child as object as Router.RequestHandler
    addMount(this.#table, this.#router, prefix, { handler, table }, checkedNamespace(options))
    return this
  }

  /**
   * The path of a named route below this table's own mount; with `origin`, a URL.
   *
   * @throws {NoReverseMatch} for an unknown name or option, and for missing, unknown or unfit arguments.
   * @example users.reverse('user-detail', { kwargs: { id: 7 }, query: { tab: 'posts' } }) // '/users/7?tab=posts'
   */
  reverse<Name extends keyof Routes & string, Path extends string = Routes[Name]>(
    name: Name,
    ...options: ReverseArguments<Path>
  ): string
  reverse(name: string, ...rest: unknown[]): string {
    const options = rest[0] as RouteLinkOptions | null | undefined
    if (options === undefined || options === null) return this.#path(name, undefined, undefined)
    for (const option in options) {
      if (option !== 'kwargs' && !(option in LINK_OPTIONS)) refuseUnknown(option, options)
    }
    const { args, kwargs, format, query, hash, origin } = options
    const path = this.#path(name, args, format === undefined || format === null ? kwargs : { ...kwargs, format })
    const link = query === undefined && hash === undefined ? path : appendQueryAndHash(path, options)
    return origin === undefined ? link : checkedOrigin(origin) + link
  }

  /** All names seen from this table, in the order of their declaration. */
  list(): ListedRoute[] {
    return listed(this.#table)
  }

  /**
   * The named route that a path belongs to, whatever the method; with `viewName: null` when it is only below something that
   * was included; `null` when it is nothing of this table.
   *
   * @example api.resolve('/v1/users/7') // { viewName: 'v1:user-detail', namespaces: ['v1'], namespace: 'v1', params: { id: '7' } }
   */
  resolve(pathname: string): ResolverMatch | null {
    if (typeof pathname !== 'string') throw new TypeError(`resolve() takes a path; got ${shown(pathname)}.`)
    return resolve(this.#table, pathname)
  }

  link(viewName: string, args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
    return linkTo(this.#table, viewName, args, kwargs)
  }

  has(viewName: string): boolean {
    return this.#table.places.has(viewName)
  }

  near(viewName: string): readonly string[] {
    return near(String(viewName), this.#table.places.keys())
  }

  reaches(table: RouteRegistry, path: string): boolean | null {
    return table instanceof NamedRoutes ? reaches(this.#table, table.#table, path) : null
  }

  placesOf(table: RouteRegistry): readonly string[] {
    return table instanceof NamedRoutes ? placesOf(this.#table, table.#table) : []
  }

  /** Handles a request; the outermost table of a request is what names and links are read from while it does. */
  [HANDLE](req: Request, res: Response, next: NextFunction): void {
    if (typeof next !== 'function') throw new TypeError('A route table takes (req, res, next); next is missing.')
    const state = stateOf(req)
    if (state.entry !== undefined) {
      this.#dispatch(req, res, next)
      return
    }
    const baseUrl = req.baseUrl ?? ''
    const error = misplacement(state, this, baseUrl)
    if (error !== undefined) {
      next(error)
      return
    }
    state.entry = { table: this, baseUrl, url: req.url }
    this.#dispatch(req, res, (error?: unknown) => {
      state.entry = undefined
      next(error)
    })
  }

  #dispatch(req: Request, res: Response, next: NextFunction): void {
    const { handle, params } = this.#router
    handle.call(new Dispatch(this.#table.index, params) as object as Router.Router, req, res, next)
  }

  #path(name: string, args: LinkArgs | undefined, kwargs: LinkKwargs | undefined): string {
    const path = linkTo(this.#table, name, args, kwargs)
    if (typeof path === 'string') return path
    throw new NoReverseMatch(describeFailure(path, path.unknown ? this.near(name) : []), { failures: [path] })
  }
}

/**
 * Makes a table of named routes that is also their router.
 *
 * @param routes names and paths, in the syntax of path-to-regexp 8 on every version of Express.
 * @throws {TypeError} for names, paths or options that are not what they should be.
 * @example const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' }, { strict: true })
 */
export function namedRoutes<const Routes extends RouteMap>(
  routes: Routes,
  options?: NamedRoutesOptions,
): NamedRoutes<{ -readonly [Name in keyof Routes]: Routes[Name] }> {
  return new NamedRoutes<{ -readonly [Name in keyof Routes]: Routes[Name] }>(routes, options)
}
