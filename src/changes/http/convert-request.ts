// The places where requests are converted: in a route, or in front of handlers that are elsewhere.
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { hideFields } from '../../http/conditions'
import { SentText } from '../../http/sent-text'
import { keepVary } from '../../http/vary'
import { openRouteOf, peekState } from '../../request/state'
import type { Middleware } from '../../types'
import { shown } from '../../util/options'
import { unfit } from '../convert/steps'

/** The place where requests are checked and converted. It is a request handler with members. */
export interface ConvertRequest extends Middleware {
  /**
   * Does the same at once, for interceptors of other frameworks.
   *
   * @param req a request of Express, behind `versioning()` and its parsers.
   * @throws {Error} the error that the middleware would pass on: 400 and 415 for a request that does not fit its version.
   * @example intercept(context, next) { convertRequest.now(context.switchToHttp().getRequest()); return next.handle() }
   */
  now(req: Request): void
  /**
   * Makes a middleware that runs a parser and converts, but only requests that have something to convert or check. All others pass
   * as they came, as a stream.
   *
   * @param parsers handlers that read the body, such as `express.json()`, in their order.
   * @throws {TypeError} for anything but functions.
   * @example app.use(versioning(options), convertRequest.with(express.json()), proxy)
   */
  with(...parsers: RequestHandler[]): Middleware
}

/**
 * Marks the place where requests are checked and converted to the newest version: in front of handlers that are elsewhere, behind
 * `versioning()` and the parsers; or in a named route, instead of its beginning, behind authentication or a parser there. It
 * converts a request once, and does nothing if nothing is to do.
 *
 * @example app.use(versioning(options), express.json(), convertRequest)
 * @example routes.route('user').put(required, convertRequest, handler)
 */
export const convertRequest: ConvertRequest = Object.assign(
  function convertRequest(req: Request, res: Response, next: NextFunction) {
    const error = convertedAt(req, res)
    if (error === undefined) next()
    else next(error)
  },
  {
    now(req: Request): void {
      const error = convertedAt(req, req.res as Response)
      if (error !== undefined) throw error
    },

    with(...parsers: RequestHandler[]): Middleware {
      const unfit = parsers.find((parser) => typeof parser !== 'function')
      if (parsers.length === 0 || unfit !== undefined) {
        throw new TypeError(
          `convertRequest.with() takes parsers, such as express.json(); got ${parsers.length === 0 ? 'none' : shown(unfit)}.`,
        )
      }
      return function convertRequestWith(req, res, next) {
        const state = peekState(req)
        if (state !== undefined) keepVary(res)
        let awaited: 'body' | 'query' | undefined
        try {
          awaited = state?.exchange?.awaits(req)
        } catch (error) {
          state?.config?.failed(req, res, state, error)
          return next(error)
        }
        if (awaited === undefined) return next()
        // A parser in front has read the text already.
        if (awaited === 'query' || req.readableEnded) return convertRequest(req, res, next)
        // Node has answered it, and who sends the body on would wait for another answer.
        hideFields(req, ['expect'])
        const text = new SentText(req)
        const leave = (error: unknown) => {
          text.stop()
          return next(error)
        }
        const run = (index: number): unknown => {
          const parser = parsers[index]
          if (parser !== undefined) {
            return parser(req, res, (error?: unknown) => (error ? leave(error) : run(index + 1)))
          }
          text.stop()
          if (text.holds(req.body, state?.config?.maxCollected as number)) return convertRequest(req, res, next)
          const error = otherNumber(req)
          state?.config?.failed(req, res, state, error)
          return next(error)
        }
        // Express 5 waits for promises of parsers.
        return run(0) as undefined
      }
    },
  },
)

/** Makes the error of a request whose body would be sent on with another number than its client sent. */
function otherNumber(req: Request): Error {
  const cause = new TypeError('There is a number that JavaScript would write as another one, or the body is no JSON.')
  return unfit({ kind: 'request' }, { version: req.version as string, req }, cause)
}

/** Converts a request that has come to the place, and returns the error. */
function convertedAt(req: Request, res: Response): unknown {
  const state = peekState(req)
  if (state === undefined) return undefined
  const open = openRouteOf(state, req)
  if (open === undefined && state.exchange === undefined) state.changes?.putExchange(state)
  const { exchange } = state
  const error = open === undefined ? exchange?.handlersReached(req, res) : exchange?.placeReached(open)
  if (error !== undefined) state.config?.failed(req, res, state, error)
  return error
}
