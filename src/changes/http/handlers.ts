// The handlers of operations in the table, as far as the conversion of their requests depends on them.
import type { RouteRegistry } from '../../types'
import { operationMethod } from '../../util/operation'
import type { Plan } from '../timeline/plans'
import { convertRequest } from './convert-request'

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
  /** `true` if the OpenAPI document of the table says of no body in its requests. */
  readonly takesNoBody: boolean
}

/** The handlers of one table. */
export class OperationHandlers {
  /** The operations with handlers, by their plan in a version. */
  readonly #handled = new WeakMap<Plan, Handling>()
  /** The operations without a body by the OpenAPI document of the table. */
  readonly #bodiless: ReadonlySet<string>

  /**
   * @param unhandled the operations that are described, and that the table has no handler for; undefined for a history without
   *   shapes.
   */
  constructor(
    private readonly routes: RouteRegistry,
    private readonly unhandled: ReadonlySet<string> | undefined,
  ) {
    const hasShapes = unhandled !== undefined
    const bodiless = (hasShapes && routes.elsewhere() !== undefined ? routes.facts() : []).flatMap((facts) => {
      const { viewName, methods } = facts
      const isBodiless = (method: string) => facts.isBodiless(method) && !facts.describedAs(method)?.body
      return methods.filter(isBodiless).map((method) => `${method} ${viewName}`)
    })
    this.#bodiless = new Set(bodiless)
  }

  of(plan: Plan, method: string, viewName: string): Handling {
    const known = this.#handled.get(plan)
    if (known !== undefined) return known
    const handlers = this.routes.handlersOf(viewName, method)
    const isHandled = handlers.length > 0
    const hasPlace = handlers.includes(convertRequest)
    const operation = operationMethod(method)
    const isNobodys = this.#isNobodys(plan, operation, viewName)
    const handling = { isHandled, hasPlace, isNobodys, takesNoBody: this.#bodiless.has(`${operation} ${viewName}`) }
    if (this.routes.serves(viewName, method)) this.#handled.set(plan, handling)
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
