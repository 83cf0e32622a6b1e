import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { isPreflight } from '../http/preflight'
import { appendVary } from '../http/vary'
import { retract } from '../lifecycle/headers'
import { rootOf } from '../request/link'
import { matchOf, stateOf, unshadowVersion } from '../request/members'
import { placeOf } from '../request/place'
import type { RequestState } from '../request/state'
import { type Determined, varyNames } from '../schemes/base'
import type { RouteParams } from '../types'
import { shown } from '../util/options'
import { emitVersion, isObserved } from './events'
import { type CompleteOptions, completeOptions, type VersioningOptions } from './options'

const NO_ARGS: readonly unknown[] = Object.freeze([])

/** One request on its way through one `versioning()`. */
interface Passage {
  readonly config: CompleteOptions
  readonly state: RequestState
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * Middleware that decides which API version a request addresses: it sets `req.version` before handlers run, or hands a
 * `NotFound` or `NotAcceptable` to Express's error handler.
 *
 * @returns an ordinary Express request handler, for `app.use`, a mount path, a router or a single route.
 * @throws {TypeError} for options that are unknown or have wrong values.
 * @example app.use(versioning({ scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }))
 */
export function versioning(options: VersioningOptions): RequestHandler {
  const config = completeOptions(options)
  const { scheme, routes, neutral, headers } = config
  const { readsRoute } = scheme
  // Joined once, where it can be: that takes longer than all else that is done to Vary.
  const fixed = typeof scheme.varyOn === 'function' ? undefined : scheme.varyOn.join(', ')

  return function versioningMiddleware(req, res, next) {
    const state = stateOf(req)
    unshadowVersion(req)
    const place = placeOf(req, state, routes)
    if (place instanceof TypeError) {
      next(place)
      return
    }
    state.begin(config, place.base, place.settled)
    retract(res, state)
    if (neutral?.(req.url, state)) {
      state.version = null
      next()
      return
    }
    // Before anything is decided, so that refusals carry them too.
    const varyOn = fixed ?? varyNames(scheme, req).join(', ')
    if (varyOn !== '') appendVary(res, varyOn)
    headers?.report(res, state)

    const passage: Passage = { config, state, req, res, next }
    let version: Determined
    try {
      version = scheme.determineVersion(req, NO_ARGS, readsRoute ? routeParams(req, state) : req.params)
    } catch (error) {
      refuse(passage, error)
      return
    }
    if (isVersion(version)) accept(passage, version)
    else settle(passage, version)
  }
}

/** The parameters of the route table's match, under Express's own. */
function routeParams(req: Request, state: RequestState): RouteParams {
  const params = matchOf(rootOf(state))?.params
  if (params === undefined) return req.params ?? {}
  // Express 4 writes undefined for an optional parameter that is not there; the table may still have it.
  const own = Object.entries(req.params ?? {}).filter(([, value]) => value !== undefined)
  return { ...params, ...Object.fromEntries(own) }
}

function isVersion(version: unknown): version is string | null | undefined {
  return typeof version === 'string' || version === null || version === undefined
}

/** Waits for a promised version. Both outcomes are callbacks of one `then`, so that a throw of `next` cannot call it again. */
function settle(passage: Passage, promised: unknown): void {
  Promise.resolve(promised).then(
    (version) => {
      if (isVersion(version)) accept(passage, version)
      else {
        const takes = 'determineVersion() gives a string or null, or a promise of one'
        refuse(passage, new TypeError(`${takes}; got ${shown(version)}.`))
      }
    },
    (error) => refuse(passage, error),
  )
}

function accept(passage: Passage, version: string | null | undefined): void {
  const { config, state, req, res, next } = passage
  state.version = version ?? null
  const gone = config.headers?.announce(req, res, state)
  if (gone !== undefined && !isPreflight(req)) {
    observe(passage, gone)
    next(gone)
    return
  }
  observe(passage)
  next()
}

/** Hands a refusal on, once. A CORS preflight is never refused: the browser asks it without the headers of the real request. */
function refuse(passage: Passage, thrown: unknown): void {
  if (isClientError(thrown) && isPreflight(passage.req)) {
    accept(passage, null)
    return
  }
  const error = asError(thrown)
  observe(passage, error)
  passage.next(error)
}

function isClientError(error: unknown): boolean {
  const status = (error as { status?: unknown } | null | undefined)?.status
  return typeof status === 'number' && status >= 400 && status < 500
}

/** Express takes these for "go on" rather than for an error, which would let a refused request through. */
function asError(error: unknown): unknown {
  if (error && error !== 'route' && error !== 'router') return error
  return new Error(`determineVersion() failed with ${shown(error)}.`)
}

/** Tells those who listen, if any do. */
function observe({ config, state, req, res }: Passage, error?: unknown): void {
  if (!isObserved(config.onVersion)) return
  const { version, defaulted } = state
  const facts = {
    request: req,
    response: res,
    version,
    named: !defaulted && version !== null,
    scheme: config.scheme,
    deprecated: config.headers?.isDeprecated(version) ?? false,
    error,
  }
  emitVersion(config.onVersion, facts, rootOf(state))
}
