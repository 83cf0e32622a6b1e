// The handler `byVersion()`: which handlers serve a version, and how they run.
import type { Application, NextFunction, Request, RequestHandler, Response } from 'express'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import { peekState, type RequestState, type Scheme } from '../request/state'
import type { Middleware, Version } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { isThenable } from '../util/thenable'
import { describe, descriptionOf } from './described-versions'

/**
 * Returns the version whose handlers a route's last {@link byVersion} runs for a version, under a scheme.
 *
 * @returns `null` for `otherwise`, `undefined` without a `byVersion()`, `false` if one of them has no handler.
 */
export function servedBy(
  handlers: readonly object[],
  { acceptedVersions }: Pick<Scheme, 'acceptedVersions'>,
  version: string | null,
): string | null | undefined | false {
  let by: string | null | undefined
  for (const handler of handlers) {
    const { versions, fallback, otherwise } = (descriptionOf(handler) ?? {}) as Partial<Dispatched>
    if (versions === undefined) continue
    const lower = fallback === undefined ? [] : acceptedVersions.slice(0, acceptedVersions.indexOf(version))
    // `null` may be listed as accepted, but has no lower versions.
    const eligible = version === null ? [] : [...lower, version]
    const own = eligible.findLast((candidate) => candidate !== null && versions.includes(candidate))
    if (own === undefined && otherwise !== true) return false
    by = own ?? null
  }
  return by
}

/** The handlers of one version: a handler, a router, an app, or an array of them, called in order as by Express. */
export type VersionHandler<Params = Request['params']> = Nested<RequestHandler<Params>>
type Nested<Handler> = Handler | readonly Nested<Handler>[]
type HandlersByVersion<Handler> = Readonly<Partial<Record<Version, Handler>>>

/** The parameters that the handlers read: the intersection of all of theirs. */
type ParamsOf<Handler> = (Handler extends RequestHandler<infer Params> ? (params: Params) => void : never) extends (
  params: infer Params,
) => void
  ? Params
  : never

/** A request handler of this package that reads some parameters. */
export type MiddlewareWith<Params> = (req: Request<Params>, res: Response, next: NextFunction) => void

/** The result for handlers of any route has a name without type arguments, which Express's packages alone could name. */
type Dispatcher<Params> = Request['params'] extends Params ? Middleware : MiddlewareWith<Params>

/** The rule for versions without a handler, or whose handlers pass on. */
type Fallback = 'lower' | 'inherit'

/** Options of {@link byVersion}. */
export interface ByVersionOptions<Params = Request['params']> {
  /**
   * The source of missing handlers. `'lower'`: the closest lower version serves a version without a handler, in the order of
   * `allowedVersions`; an unlisted default is the newest. `'inherit'`: as `'lower'`; and `next()` of a version's last handler
   * leads to the closest lower version, so that each version holds only its changes.
   */
  fallback?: Fallback | undefined
  /** The handler of all other requests, those without a version included. */
  otherwise?: VersionHandler<Params> | undefined
}

/** A chain of handlers and its version; `null` for `otherwise`. */
interface Chain {
  readonly version: string | null
  readonly handlers: readonly RequestHandler[]
  /** The chain that goes on after the last handler, with `'inherit'`. */
  readonly lower?: Chain | undefined
}

/** The chains by version, under one scheme. */
type Chains = ReadonlyMap<string, Chain>

const OWNER = 'byVersion()'

/**
 * Makes a handler that dispatches by `req.version`.
 *
 * @param handlers the handlers by version.
 * @returns a handler for `app.get`, `app.use` or a route. It hands on `NotFound` `No handler for this version.` (code
 *   `ERR_VERSION_UNHANDLED`) where nothing serves the version, and a `TypeError` for errors that only a request shows: a
 *   `fallback` without `allowedVersions`, no `versioning()` in front. One process warning (code
 *   `EXPRESS_VERSIONING_UNREACHABLE`) names the keys that the scheme does not accept; the others are served.
 * @throws {TypeError} for invalid options and handlers.
 * @example app.get('/users', byVersion({ v1: listV1, v2: [auth, listV2] }, { fallback: 'lower' }))
 */
export function byVersion<Params = Request['params']>(
  handlers: HandlersByVersion<VersionHandler<NoInfer<Params>>>,
  options?: ByVersionOptions<NoInfer<Params>>,
): Dispatcher<Params>
export function byVersion<Handler extends RequestHandler<never>>(
  handlers: HandlersByVersion<Nested<Handler>>,
  options?: ByVersionOptions<ParamsOf<Handler>>,
): Dispatcher<ParamsOf<Handler>>
export function byVersion(handlers: HandlersByVersion<VersionHandler>, options: ByVersionOptions = {}): Middleware {
  checkKeys(OWNER, options, ['fallback', 'otherwise'])
  const { fallback, otherwise } = options
  if (fallback !== undefined && fallback !== 'lower' && fallback !== 'inherit') {
    throw badOption(OWNER, 'fallback', "'lower' or 'inherit'", fallback)
  }
  if (typeof handlers !== 'object' || handlers === null || Array.isArray(handlers)) {
    throw new TypeError(`${OWNER} takes an object of handlers by version; got ${shown(handlers)}.`)
  }
  const own = new Map<string, Chain>()
  for (const [version, given] of Object.entries(handlers)) {
    if (given !== undefined) own.set(version, { version, handlers: flattened(`"${version}"`, given) })
  }
  if (own.size === 0) throw new TypeError(`${OWNER} takes a handler for one version at least; got ${shown(handlers)}.`)
  const rest = otherwise === undefined ? undefined : { version: null, handlers: flattened('"otherwise"', otherwise) }
  // The key is the scheme, because one handler may serve several.
  const dispatches = new WeakMap<Scheme, Chains>()
  let warned = false

  const byVersionHandler: Middleware = (req, res, next) => {
    const state = peekState(req)
    const scheme = state?.config?.scheme
    if (state === undefined || scheme === undefined || req.version === undefined) {
      next(new TypeError(`${OWNER} needs a versioning() in front of it, which decides the version of the request.`))
      return
    }
    state.served = undefined
    let chains = dispatches.get(scheme)
    if (chains === undefined) {
      try {
        chains = chainsFor(scheme, own, fallback)
        if (!warned) warned = warnOfUnreachable(scheme, [...own.keys()])
      } catch (error) {
        next(error)
        return
      }
      dispatches.set(scheme, chains)
    }
    const chain = chains.get(req.version as string) ?? rest
    if (chain !== undefined) {
      run(chain, 0, state, req, res, next)
    } else if (isPreflight(req)) {
      // Browsers send preflights without the version of the real request.
      next()
    } else {
      const { version } = req
      const allowedVersions = [...chains.keys()].filter((served) => scheme.isAllowedVersion(served))
      const options = { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions }
      const error = new NotFound('No handler for this version.', options)
      state.config?.failed(req, res, state, error)
      next(error)
    }
  }
  const described: Dispatched = { versions: [...own.keys()], fallback, otherwise: rest !== undefined }
  return describe(byVersionHandler, described)
}

/**
 * Returns the version whose handlers {@link byVersion} runs, or ran last: with a `fallback` maybe a lower one than
 * `req.version`; `null` for `otherwise`, `undefined` before any ran. The last `byVersion()` counts, even if it rejected.
 */
export function servedVersion(req: Request): string | null | undefined {
  return peekState(req)?.served
}

/** The description that {@link byVersion} leaves on its handler. */
export interface Dispatched {
  readonly versions: readonly string[]
  readonly fallback: Fallback | undefined
  readonly otherwise: boolean
}

/** Calls a chain's handlers from `index` on, as an Express route does, then those of the chain below. */
function run(chain: Chain, index: number, state: RequestState, req: Request, res: Response, next: NextFunction): void {
  const handler = chain.handlers[index]
  if (handler === undefined) {
    if (chain.lower !== undefined) {
      run(chain.lower, 0, state, req, res, next)
      return
    }
    state.isServed = false
    next()
    return
  }
  const proceed = (error?: unknown): void => {
    // 'route' and 'router' leave the chain as errors do. The caller decides what else they leave.
    if (error) {
      state.isServed &&= typeof error !== 'string'
      next(error)
    } else run(chain, index + 1, state, req, res, next)
  }
  // Set each time, because a handler may be another byVersion().
  state.served = chain.version
  state.isServed = chain.version !== null
  try {
    const result: unknown = handler(req, res, proceed)
    // Express 4 ignores the promises of handlers.
    if (isThenable(result)) result.then(undefined, (error) => proceed(error || new Error('Rejected promise')))
  } catch (error) {
    proceed(error || new Error('Thrown without an error'))
  }
}

/** Maps the versions of a scheme to chains; with a `fallback`, versions without handlers of their own too. */
function chainsFor(scheme: Scheme, own: ReadonlyMap<string, Chain>, fallback: Fallback | undefined): Chains {
  if (fallback === undefined) return own
  const listed = scheme.acceptedVersions
  if (listed.length === 0) {
    throw new TypeError(
      `${OWNER}: fallback '${fallback}' needs allowedVersions, whose order (oldest first) tells what is lower.`,
    )
  }
  const chains = new Map<string, Chain>()
  let closest: Chain | undefined
  for (const version of listed) {
    if (version === null) continue
    const chain = own.get(version)
    if (chain !== undefined) closest = fallback === 'inherit' ? { ...chain, lower: closest } : chain
    if (closest !== undefined) chains.set(version, closest)
  }
  // Your own scheme may decide on an unlisted version, which has no place in the order.
  for (const [version, chain] of own) if (!chains.has(version)) chains.set(version, chain)
  return chains
}

/** Warns of keys that the scheme does not accept, which are often mistakes. Tells whether there are any. */
function warnOfUnreachable(scheme: Scheme, own: readonly string[]): boolean {
  const unreachable = own.filter((version) => !scheme.isAllowedVersion(version))
  if (unreachable.length === 0) return false
  const names = unreachable.map((version) => `"${version}"`).join(', ')
  // Versions with handlers are no suggestions.
  const open = scheme.acceptedVersions.filter((version) => version !== null).filter((version) => !own.includes(version))
  const meant = new Set(unreachable.flatMap((version) => near(version, open)))
  const asOption = unreachable.includes('otherwise') ? ' "otherwise" is an option: the second argument.' : ''
  process.emitWarning(
    `${OWNER}: no request reaches the handlers of ${names}, which the scheme in force, ${scheme.constructor.name}, does not accept.${asOption}${didYouMean([...meant])}`,
    { code: 'EXPRESS_VERSIONING_UNREACHABLE' },
  )
  return true
}

function flattened(key: string, given: unknown): readonly RequestHandler[] {
  const rejected = (takes: string) => new TypeError(`${OWNER}: ${key} takes ${takes}.`)
  const handlers: readonly unknown[] = [given].flat(Number.POSITIVE_INFINITY)
  if (handlers.length === 0) throw rejected('a handler or an array of them; got an empty one')
  return handlers.map((handler) => {
    if (typeof handler !== 'function') throw rejected(`a handler or an array of them; got ${shown(handler)}`)
    if (isApp(handler)) return mounted(handler)
    if (handler.length !== 4) return handler as RequestHandler
    throw rejected('request handlers; got an error handler (four arguments), which belongs behind the route')
  })
}

type SubApp = Application & { parent?: Application }

function isApp(handler: unknown): handler is SubApp {
  const app = handler as { handle?: unknown; set?: unknown }
  return typeof app.handle === 'function' && typeof app.set === 'function'
}

/** Mounts a sub-app as `app.use` does: it inherits the app's settings, and restores the prototypes when it falls through. */
function mounted(app: SubApp): RequestHandler {
  return function mountedApp(req, res, next) {
    const outer = req.app
    if (app.parent === undefined) {
      app.mountpath = '/'
      app.parent = outer
      app.emit('mount', outer)
    }
    const request = Object.getPrototypeOf(req)
    const response = Object.getPrototypeOf(res)
    app(req, res, (error?: unknown) => {
      Object.setPrototypeOf(req, request)
      Object.setPrototypeOf(res, response)
      next(error)
    })
  }
}
