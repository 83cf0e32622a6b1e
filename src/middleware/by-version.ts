import type { Application, NextFunction, Request, RequestHandler, Response } from 'express'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import { peekState, type Scheme } from '../request/state'
import type { Version } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { isThenable } from '../util/thenable'
import { describe } from './description'

/** What serves one version: a handler, a router or an app, or an array of them, called in order as Express calls them. */
export type VersionHandler<Params = Request['params']> = Nested<RequestHandler<Params>>
type Nested<Handler> = Handler | readonly Nested<Handler>[]

type HandlersByVersion<Handler> = Readonly<Partial<Record<Version, Handler>>>

/** The parameters that handlers read, of several those of all: what functions take is intersected. */
type ParamsOf<Handler> = (Handler extends RequestHandler<infer Params> ? (params: Params) => void : never) extends (
  params: infer Params,
) => void
  ? Params
  : never

/** Options of {@link byVersion}. */
export interface ByVersionOptions<Params = Request['params']> {
  /** `'lower'`: a version without a handler of its own is served by the closest lower one, in the order of `allowedVersions`. */
  fallback?: 'lower' | undefined
  /** Serves every request that no version's handler serves, those without a version included. */
  otherwise?: VersionHandler<Params> | undefined
}

/** A chain of handlers, and the version it is for; `null` for `otherwise`. */
interface Chain {
  readonly version: string | null
  readonly handlers: readonly RequestHandler[]
}

/** Which chain serves which version, under one scheme. */
type Chains = ReadonlyMap<string, Chain>

const OWNER = 'byVersion()'

/**
 * A handler that dispatches by `req.version`.
 *
 * @param handlers what serves each version.
 * @returns a handler for `app.get`, `app.use` or a route. It hands on `NotFound` `No handler for this version.` (code
 *   `ERR_VERSION_UNHANDLED`) where nothing serves the version, and a `TypeError` for what only a request can show: a key that
 *   the scheme does not accept, `'lower'` without `allowedVersions`, no `versioning()` in front.
 * @throws {TypeError} for options and handlers that are none.
 * @example app.get('/users', byVersion({ v1: listV1, v2: [auth, listV2] }, { fallback: 'lower' }))
 */
export function byVersion<Params = Request['params']>(
  handlers: HandlersByVersion<VersionHandler<NoInfer<Params>>>,
  options?: ByVersionOptions<NoInfer<Params>>,
): RequestHandler<Params>
export function byVersion<Handler extends RequestHandler<never>>(
  handlers: HandlersByVersion<Nested<Handler>>,
  options?: ByVersionOptions<ParamsOf<Handler>>,
): RequestHandler<ParamsOf<Handler>>
export function byVersion(handlers: HandlersByVersion<VersionHandler>, options: ByVersionOptions = {}): RequestHandler {
  checkKeys(OWNER, options, ['fallback', 'otherwise'])
  const { fallback, otherwise } = options
  if (fallback !== undefined && fallback !== 'lower') throw badOption(OWNER, 'fallback', "'lower'", fallback)
  if (typeof handlers !== 'object' || handlers === null || Array.isArray(handlers)) {
    throw new TypeError(`${OWNER} takes an object of handlers by version; got ${shown(handlers)}.`)
  }
  const own = new Map<string, Chain>()
  for (const [version, given] of Object.entries(handlers)) {
    if (given !== undefined) own.set(version, { version, handlers: flattened(`"${version}"`, given) })
  }
  if (own.size === 0) throw new TypeError(`${OWNER} takes a handler for one version at least; got ${shown(handlers)}.`)
  const rest = otherwise === undefined ? undefined : { version: null, handlers: flattened('"otherwise"', otherwise) }
  // Keyed by scheme: one handler may stand behind several.
  const dispatches = new WeakMap<Scheme, Chains>()

  const byVersionHandler: RequestHandler = (req, res, next) => {
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
      } catch (error) {
        next(error)
        return
      }
      dispatches.set(scheme, chains)
    }
    const chain = chains.get(req.version as string) ?? rest
    if (chain !== undefined) {
      state.served = chain.version
      run(chain.handlers, 0, req, res, next)
    } else if (isPreflight(req)) {
      // A browser asks it without the version of the real request.
      next()
    } else {
      next(unhandled(req.version, chains))
    }
  }
  return describe(byVersionHandler, { versions: [...own.keys()], fallback, otherwise: rest !== undefined })
}

/**
 * The version whose handler {@link byVersion} chose for a request: with `fallback: 'lower'` perhaps a lower one than
 * `req.version`; `null` when `otherwise` served it, `undefined` before any did. Of several the last counts, also when it refused.
 */
export function servedVersion(req: Request): string | null | undefined {
  return peekState(req)?.served
}

function unhandled(version: string | null, chains: Chains): NotFound {
  const allowedVersions = [...chains.keys()]
  return new NotFound('No handler for this version.', { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions })
}

/** Calls the handlers from the one at `index` on, as an Express route does. */
function run(
  handlers: readonly RequestHandler[],
  index: number,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  const handler = handlers[index]
  if (handler === undefined) {
    next()
    return
  }
  const proceed = (error?: unknown): void => {
    // 'route' and 'router' leave the chain as errors do; what they leave further is the caller's to say.
    if (error) next(error)
    else run(handlers, index + 1, req, res, next)
  }
  try {
    const result: unknown = handler(req, res, proceed)
    // Express 4 ignores the promises of handlers.
    if (isThenable(result)) result.then(undefined, (error) => proceed(error || new Error('Rejected promise')))
  } catch (error) {
    proceed(error || new Error('Thrown without an error'))
  }
}

/** The chains by version, for a scheme: those it accepts, and with `'lower'` what serves the versions without one of their own. */
function chainsFor(scheme: Scheme, own: ReadonlyMap<string, Chain>, fallback: 'lower' | undefined): Chains {
  const listed = scheme.acceptedVersions
  const known = listed.filter((version) => version !== null)
  for (const version of own.keys()) {
    if (scheme.isAllowedVersion(version)) continue
    throw new TypeError(
      `${OWNER}: the scheme in force, ${scheme.constructor.name}, does not accept version "${version}".${didYouMean(near(version, known))}`,
    )
  }
  if (fallback === undefined) return own
  if (listed.length === 0) {
    throw new TypeError(
      `${OWNER}: fallback 'lower' needs allowedVersions, whose order (oldest first) tells what is lower.`,
    )
  }
  const chains = new Map<string, Chain>()
  let lower: Chain | undefined
  for (const version of known) {
    lower = own.get(version) ?? lower
    if (lower !== undefined) chains.set(version, lower)
  }
  // A default version that is not listed has no place in the order.
  for (const [version, chain] of own) chains.set(version, chain)
  return chains
}

function flattened(key: string, given: unknown): readonly RequestHandler[] {
  const handlers: readonly unknown[] = [given].flat(Number.POSITIVE_INFINITY)
  if (handlers.length === 0)
    throw new TypeError(`${OWNER}: ${key} takes a handler or an array of them; got an empty one.`)
  return handlers.map((handler) => {
    if (typeof handler !== 'function') {
      throw new TypeError(`${OWNER}: ${key} takes a handler or an array of them; got ${shown(handler)}.`)
    }
    if (handler.length === 4 && !isApp(handler)) {
      throw new TypeError(
        `${OWNER}: ${key} takes request handlers; got an error handler (four arguments), which belongs behind the route.`,
      )
    }
    return isApp(handler) ? mounted(handler) : (handler as RequestHandler)
  })
}

type SubApp = Application & { parent?: Application }

function isApp(handler: unknown): handler is SubApp {
  const app = handler as { handle?: unknown; set?: unknown }
  return typeof app.handle === 'function' && typeof app.set === 'function'
}

/** A sub-app as `app.use` mounts one: it inherits the app's settings, and gives back the prototypes when it falls through. */
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
