// The middleware itself: what `versioning()` does with a request.
import type { NextFunction, Request, Response } from 'express'
import { isPreflight } from '../http/preflight'
import { appendVary } from '../http/vary'
import { forbidStoring, retract, retractVersion } from '../lifecycle/written'
import { followMoves, type MovingChanges, matchInNamedVersion } from '../request/moved-request'
import { begin, matchOf, pathnameOf, skipRoutes } from '../request/place'
import { stateOf, unshadowVersion } from '../request/prepare'
import { type Determined, NO_ARGS, openRouteOf, type RequestState, readsRoute, type Versioning } from '../request/state'
import { strayTest } from '../request/stray'
import type { BaseVersioning } from '../schemes/base'
import { negotiableTo } from '../schemes/combined'
import type { Middleware, ResolverMatch, RouteParams } from '../types'
import { shown } from '../util/options'
import { servedBy } from './by-version'
import { describe } from './described-versions'
import { type PathWatch, pathWatch, warnOfAnyVersion } from './setup'
import { emitVersion, events, type VersionEvent } from './version-events'
import { type CompiledOptions, compileOptions, type VersioningOptions } from './versioning-options'

/**
 * Makes a middleware that decides which API version a request addresses. It sets `req.version` before handlers run, or passes a
 * `NotFound` or `NotAcceptable` to Express's error handler.
 *
 * @returns an ordinary Express request handler, for `app.use`, a mount path, a router or a single route.
 * @throws {TypeError} for options that are unknown or have wrong values.
 * @example app.use(versioning({ scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }))
 */
export function versioning(options: VersioningOptions): Middleware {
  return decidingMiddleware(compileOptions(options, true))
}

/**
 * Makes the middleware of compiled options.
 *
 * @param shownPath gives the paths of links, if clients have other ones than the table.
 */
export function decidingMiddleware(compiled: CompiledOptions, shownPath?: Versioning['shownPath']): Middleware {
  warnOfAnyVersion(compiled)
  const decider = new Decider(compiled, shownPath)
  return describe(function versioningMiddleware(req, res, next) {
    decider.handle(req, res, next)
  }, compiled)
}

/** One request on its way through one `versioning()`. */
interface RequestContext {
  readonly state: RequestState
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/** The handler of requests of one `versioning()`. Its options are compiled once, and every request reads them. */
class Decider implements Versioning {
  readonly scheme
  readonly routes
  readonly origin
  readonly allowedHosts
  readonly publicPath
  readonly changes
  readonly changesReport
  readonly maxCollected
  readonly readsRoute: boolean
  readonly isStray
  readonly #options: CompiledOptions
  readonly #readsParams: boolean
  /** The history, if it moves operations. */
  readonly #moving: MovingChanges | undefined
  #pathWatch: PathWatch | undefined
  readonly #vary: string | ((req: Request) => readonly string[])

  constructor(
    options: CompiledOptions,
    readonly shownPath: Versioning['shownPath'],
  ) {
    this.#options = options
    this.scheme = options.scheme
    this.routes = options.routes
    this.origin = options.origin
    this.allowedHosts = options.allowedHosts
    this.publicPath = options.publicPath
    this.changes = options.changes
    this.changesReport = options.changesReport
    this.maxCollected = options.maxCollected
    this.readsRoute = readsRoute(options.scheme)
    this.isStray = strayTest(options.scheme)
    this.#readsParams = this.readsRoute && options.scheme.carriedIn !== 'namespace'
    this.#moving = options.changes?.moves === undefined ? undefined : (options.changes as MovingChanges)
    this.#pathWatch = this.#readsParams ? pathWatch(options) : undefined
    const { varyOn } = options.scheme
    // Join the names once, because joining is the slowest part of writing `Vary`.
    this.#vary = typeof varyOn === 'function' ? varyOn : varyOn.join(', ')
  }

  handle(req: Request, res: Response, next: NextFunction): void {
    const state = stateOf(req)
    const failed = (Object.hasOwn(req, 'version') ? unshadowVersion(req) : undefined) ?? begin(state, req, this)
    if (failed !== undefined) {
      next(failed)
      return
    }
    if (state.written !== undefined) retract(res, state)
    const { neutral, headers } = this.#options
    neutral?.checkFound(state.place?.table)
    const isNeutral = neutral?.has(pathnameOf(req) ?? '', req.method, () => matchOf(state.place) ?? null)
    if (isNeutral && this.changes?.readsOther(state) !== true) {
      state.version = null
      state.decision.version = null
      next()
      return
    }
    // Write these before the decision, so that rejections carry them too.
    const vary = typeof this.#vary === 'string' ? this.#vary : this.#vary(req).join(', ')
    if (vary !== '') appendVary(res, vary)
    headers?.report(res, state)
    const context = { state, req, res, next }
    let version: Determined
    try {
      const moving = this.#moving
      const older = this.readsRoute && moving !== undefined ? this.#olderMatch(moving, req, state) : undefined
      const match = this.readsRoute ? (older ?? matchOf(state.place) ?? null) : null
      const kwargs = this.#readsParams && match !== null ? keywords(req, state, match) : (req.params ?? {})
      if (this.#pathWatch?.sees(req, kwargs, match)) this.#pathWatch = undefined
      version = this.scheme.determineVersion(req, NO_ARGS, kwargs, match)
    } catch (error) {
      this.#reject(context, error)
      return
    }
    if (isVersion(version)) this.#accept(context, version)
    else this.#settle(context, version)
  }

  /** Returns the route that has an older path, by which the scheme reads the version. */
  #olderMatch(
    changes: MovingChanges,
    { params }: Request,
    { place, decision }: RequestState,
  ): ResolverMatch | undefined {
    const found = place && matchInNamedVersion(changes, this.scheme, place, definedIn(params))
    // Another path is dispatched.
    if (found !== undefined) decision.fromWalk = false
    return found
  }

  /** Waits for a promised version. One `then` has both callbacks, so that an error thrown by `next` cannot call it again. */
  #settle(context: RequestContext, promised: unknown): void {
    Promise.resolve(promised).then(
      (version) => {
        if (isVersion(version)) this.#accept(context, version)
        else {
          const takes = 'determineVersion() must return a string or null, or a promise of one'
          this.#reject(context, new TypeError(`${takes}; got ${shown(version)}.`))
        }
      },
      (error) => this.#reject(context, error),
    )
  }

  #accept(context: RequestContext, version: string | null | undefined): void {
    const { state, req, res, next } = context
    // A custom scheme may decide on a version that is not accepted.
    if (this.changes?.knows(version) === false) {
      this.#reject(context, this.scheme.invalidVersion(version))
      return
    }
    state.version = version ?? null
    state.decision.version = state.version
    // Operations that only later versions have are skipped, except the one whose handlers already run.
    let absent: unknown
    if (state.isTorn) skipRoutes(state, undefined)
    if (version && this.changes?.addsBehind(version) && openRouteOf(state, req) === undefined) {
      if (this.#moving === undefined) {
        skipRoutes(state, (viewName) => this.changes?.operation(req.method, viewName, version).ahead === true)
      } else absent = followMoves(state, req, this.#moving, version)
    }
    const { headers, onVersion } = this.#options
    const gone = headers?.announce(req, res, state)
    // Observers come first: they may ask the conversion to note the changes that meet the request.
    if (onVersion !== undefined || events.hasSubscribers) this.#observe('decided', req, res, state, gone)
    if (state.changesReport !== undefined) state.changes?.noteMet(state)
    const unfit = state.isTorn ? state.exchange?.torn(req) : this.changes?.decided(req, res, state)
    const error = gone ?? absent ?? unfit
    if (error === undefined) {
      next()
      return
    }
    if (isClientError(error)) forbidStoring(res, state)
    if (gone === undefined) this.failed(req, res, state, error)
    next(error)
  }

  /** Passes on a rejection, once. It never rejects a CORS preflight, which browsers send without the headers of the real request. */
  #reject(context: RequestContext, thrown: unknown): void {
    const { state, req, res, next } = context
    if (isClientError(thrown) && isPreflight(req)) {
      // Middleware may change the request, and the route has not named this version.
      state.decision.fromWalk = false
      this.#accept(context, null)
      return
    }
    const error = asError(thrown)
    if (isClientError(error)) forbidStoring(res, state)
    this.#observe('decided', req, res, state, error)
    next(error)
  }

  isNeutral(path: string, method: string, match: () => ResolverMatch | null): boolean {
    return this.#options.neutral?.has(path, method, match) ?? false
  }

  serves(handlers: readonly object[], version: string | null): boolean {
    return servedBy(handlers, this.scheme, version) !== false
  }

  isAnnounced(version: string | null): boolean {
    return this.#options.headers?.isAnnounced(version) ?? true
  }

  negotiableAccept(accept: string): string {
    return negotiableTo(accept, this.scheme)
  }

  rejected(req: Request, res: Response, state: RequestState, thrown: unknown): unknown {
    state.version = undefined
    state.decision.version = undefined
    retractVersion(res, state)
    const error = asError(thrown)
    if (isClientError(error)) forbidStoring(res, state)
    this.#observe('failed', req, res, state, error)
    return error
  }

  failed(req: Request, res: Response, state: RequestState, error: unknown): void {
    if (!isOwn(error)) return
    if (isClientError(error)) forbidStoring(res, state)
    if (state.hasFailed) return
    state.hasFailed = true
    this.#observe('failed', req, res, state, error)
  }

  /** Tells the listeners, if there are any. */
  #observe(
    phase: VersionEvent['phase'],
    request: Request,
    response: Response,
    state: RequestState,
    error: unknown,
  ): void {
    const { onVersion, headers, scheme } = this.#options
    // Without listeners, no event is made.
    if (onVersion === undefined && !events.hasSubscribers) return
    const { version, decision } = state
    const deprecated = headers?.isDeprecated(version) ?? false
    // A custom `determineVersion` does not say whether the version was the default.
    const named = version !== null && (decision.named ?? version !== scheme.defaultVersion)
    // After a rejection, no scheme has read the version.
    const by = version === undefined ? undefined : (decision.by as BaseVersioning | undefined)
    const facts = { phase, request, response, version, named, scheme: by ?? scheme, deprecated, error }
    emitVersion(onVersion, facts, state.place)
  }
}

/** Returns the parameters that have a value. Express 4 writes undefined for a missing optional parameter. */
function definedIn(params: Request['params']): RouteParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}

/** Merges the parameters of the route table's match with Express's own, which win. */
function keywords({ params: own }: Request, state: RequestState, { params }: ResolverMatch): RouteParams {
  let merged: Record<string, string | string[] | undefined> | undefined
  for (const name of Object.keys(own ?? {})) {
    // Express 4 writes undefined for a missing optional parameter. The table may have it.
    if (own[name] === undefined) continue
    merged ??= { ...params }
    // The route's parameter differs from the decision, so the walk alone did not decide.
    if (Object.hasOwn(params, name) && params[name] !== own[name]) state.decision.fromWalk = false
    merged[name] = own[name]
  }
  return merged ?? params
}

function isVersion(version: unknown): version is string | null | undefined {
  return typeof version === 'string' || version === null || version === undefined
}

/** Tells whether an error is one of this package, as opposed to one that a step threw for the client. */
function isOwn(error: unknown): boolean {
  try {
    return String((error as { code?: unknown } | null | undefined)?.code).startsWith('ERR_VERSION_')
  } catch {
    // Steps may throw anything, also an object with a failing getter.
    return false
  }
}

function isClientError(error: unknown): boolean {
  const status = (error as { status?: unknown } | null | undefined)?.status
  return typeof status === 'number' && status >= 400 && status < 500
}

/**
 * Returns the error to hand to `next()`. Express reads falsy values, 'route' and 'router' as "go on", which would let a
 * rejected request through.
 */
function asError(error: unknown): unknown {
  if (error && error !== 'route' && error !== 'router') return error
  return new Error(`determineVersion() failed with ${shown(error)}.`)
}
