// The types of a named route and its handlers.
import type { ErrorRequestHandler, IRoute, RequestHandler } from 'express'

/** The methods of an Express route: one for each HTTP method, and `all`. */
export type RouteMethod =
  | 'all'
  | 'get'
  | 'post'
  | 'put'
  | 'delete'
  | 'patch'
  | 'options'
  | 'head'
  | 'checkout'
  | 'copy'
  | 'lock'
  | 'merge'
  | 'mkactivity'
  | 'mkcol'
  | 'move'
  | 'm-search'
  | 'notify'
  | 'purge'
  | 'report'
  | 'search'
  | 'subscribe'
  | 'trace'
  | 'unlock'
  | 'unsubscribe'

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
export interface RouteHandlers<Params, Self> {
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
