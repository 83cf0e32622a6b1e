import type { NextFunction, Request, RequestHandler } from 'express'
import { isPreflight } from './http/preflight'
import { appendVary } from './http/vary'
import { completeOptions, type VersioningOptions } from './options'
import { matchOf, stateOf, unshadowVersion } from './request'
import type { RequestState } from './request-state'
import type { Determined } from './schemes/base'
import type { RouteParams } from './types'
import { shown } from './validate'

const NO_ARGS: readonly unknown[] = Object.freeze([])

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
  const { scheme, routes } = config
  const { varyOn, readsRoute } = scheme

  return function versioningMiddleware(req, res, next) {
    // Before anything is decided, so that refusals carry it too.
    if (varyOn.length > 0) appendVary(res, varyOn)
    const state = stateOf(req)
    unshadowVersion(req)
    state.config = config
    state.version = undefined
    state.defaulted = false
    state.base = routes === undefined ? state.entry : { table: routes, baseUrl: req.baseUrl, url: req.url }

    let version: Determined
    try {
      version = scheme.determineVersion(req, NO_ARGS, readsRoute ? routeParams(req, state) : req.params)
    } catch (error) {
      refuse(error, req, state, next)
      return
    }
    if (typeof version === 'string' || version === null || version === undefined) accept(version, state, next)
    else settle(version, req, state, next)
  }
}

/** The parameters of the route table's match, under Express's own. */
function routeParams(req: Request, state: RequestState): RouteParams {
  const params = matchOf(state)?.params
  if (params === undefined) return req.params
  // Express 4 writes undefined for an optional parameter that is not there; the table may still have it.
  const own = Object.entries(req.params ?? {}).filter(([, value]) => value !== undefined)
  return { ...params, ...Object.fromEntries(own) }
}

function accept(version: string | null | undefined, state: RequestState, next: NextFunction): void {
  state.version = version ?? null
  next()
}

/** Waits for a promised version. Both outcomes are callbacks of one `then`, so that a throw of `next` cannot call it again. */
function settle(promised: unknown, req: Request, state: RequestState, next: NextFunction): void {
  Promise.resolve(promised).then(
    (version) => {
      if (typeof version === 'string' || version === null || version === undefined) accept(version, state, next)
      else
        refuse(
          new TypeError(`determineVersion() gives a string or null, or a promise of one; got ${shown(version)}.`),
          req,
          state,
          next,
        )
    },
    (error) => refuse(error, req, state, next),
  )
}

/** Hands a refusal on, once. A CORS preflight is never refused: the browser asks it without the headers of the real request. */
function refuse(error: unknown, req: Request, state: RequestState, next: NextFunction): void {
  if (isClientError(error) && isPreflight(req)) {
    accept(null, state, next)
    return
  }
  req.version = undefined
  next(asError(error))
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
