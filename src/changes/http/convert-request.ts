// The place in a route where its requests are converted.
import type { RequestHandler } from 'express'
import { openRouteOf, peekState } from '../../request/state'

/**
 * Marks the place in a named route where its requests are checked and converted, instead of the beginning: behind
 * authentication on the route, or behind a parser there. It does nothing if nothing is to do.
 *
 * @example routes.route('user').put(required, convertRequest, handler)
 */
export const convertRequest: RequestHandler = function convertRequest(req, res, next) {
  const state = peekState(req)
  const open = state && openRouteOf(state, req)
  const error = open && state?.exchange?.placeReached(open)
  if (error === undefined) next()
  else {
    state?.config?.failed(req, res, state, error)
    next(error)
  }
}
