// The handlers of operations in the table, as far as the conversion of their requests depends on them.
import type { RequestHandler } from 'express'
import { openRouteOf, peekState } from '../../request/state'
import type { RouteRegistry } from '../../types'
import { operationMethod } from '../../util/operation'
import type { Plan } from '../timeline/plans'

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

/** The handlers of one operation. */
export interface Handling {
  /** `true` if the table has any. Otherwise nothing tells when to convert its requests. */
  readonly isHandled: boolean
  /** `true` if {@link convertRequest} is among them: its requests are converted there. */
  readonly hasPlace: boolean
  /**
   * `true` if it has neither a handler of its own nor a description, beside others that have. Clients ask for any method, and
   * `all()` is usually middleware of the others.
   */
  readonly isNobodys: boolean
}

/** The handlers of one table. */
export class OperationHandlers {
  /** The operations with handlers, by their plan in a version. */
  readonly #handled = new WeakMap<Plan, Handling>()

  /** @param unhandled the operations that are described, and that the table has no handler for. */
  constructor(
    private readonly routes: RouteRegistry,
    private readonly unhandled: ReadonlySet<string> | undefined,
  ) {}

  of(plan: Plan, method: string, viewName: string): Handling {
    const known = this.#handled.get(plan)
    if (known !== undefined) return known
    const handlers = this.routes.handlersOf(viewName, method)
    const isHandled = handlers.length > 0
    const hasPlace = handlers.includes(convertRequest)
    const handling = { isHandled, hasPlace, isNobodys: this.#isNobodys(plan, operationMethod(method), viewName) }
    if (isHandled) this.#handled.set(plan, handling)
    return handling
  }

  #isNobodys({ request, query }: Plan, method: string, viewName: string): boolean {
    const isUnknown = request.length > 0 && query.length === 0 && request.every((step) => 'rejects' in step)
    if (!isUnknown) return false
    const own = this.routes.methodsOf(viewName)
    if (own.length === 0 || own.includes(method)) return false
    return this.unhandled?.has(`${method} ${viewName}`) !== true
  }
}
