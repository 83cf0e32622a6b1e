// The plan of a request: what becomes of its body and query by that plan, and the handlers in the table that get them.
import type { Request } from 'express'
import type { RequestChanges, RequestChecks, RequestContract } from '../../bound-changes'
import type { RouteRegistry } from '../../registry'
import type { PlannedOperation, RequestState } from '../../request/state'
import { operationMethod } from '../../util/operation'
import { type BodyStep, ChangeFailure } from '../convert/steps'
import type { Plan } from '../timeline/operation-plans'
import { convertRequest } from './convert-request'
import type { HandlersElsewhere } from './elsewhere-alarms'
import {
  areOtherBytes,
  type ConvertedRequest,
  hasBody,
  hasJson,
  newerParts,
  noParts,
  type ReadingRules,
  type RequestContext,
  showParts,
  strayBody,
} from './request-parts'

/** The handlers of one operation. */
interface Handling {
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
  /** `true` if its requests have a body of JSON by its description. */
  readonly describesBody: boolean
}

/**
 * Makes a function that finds the handlers of an operation in one table, by its plan in a version.
 *
 * @param unhandled the operations that are described, and that the table has no handler for; undefined for a history without
 *   shapes.
 */
export function operationHandlers(routes: RouteRegistry, unhandled: ReadonlySet<string> | undefined) {
  const known = new WeakMap<Plan, Handling>()
  const isGiven = unhandled !== undefined && routes.elsewhere() !== undefined
  /** The operations without a body by the OpenAPI document of the table. */
  const bodiless = new Set(
    (isGiven ? routes.facts() : []).flatMap((facts) => {
      const isBodiless = (method: string) => facts.isBodiless(method) && !facts.describedAs(method)?.body
      return facts.methods.filter(isBodiless).map((method) => `${method} ${facts.viewName}`)
    }),
  )

  function describesBody({ request }: Plan, method: string, viewName: string): boolean {
    if (request.length === 0) return false
    if (request.some((step) => 'convert' in step && step.rejects !== true)) return true
    const facts = routes.facts().find((one) => one.viewName === viewName)
    return Boolean(facts?.describedAs(method)?.body)
  }

  function isNobodys({ request, query }: Plan, method: string, viewName: string): boolean {
    const isUnknown = request.length > 0 && query.length === 0 && request.every((step) => 'rejects' in step)
    if (!isUnknown) return false
    const own = routes.methodsOf(viewName)
    if (own.length === 0 || own.includes(method)) return false
    return unhandled?.has(`${method} ${viewName}`) !== true
  }

  return (plan: Plan, method: string, viewName: string): Handling => {
    const before = known.get(plan)
    if (before !== undefined) return before
    const handlers = routes.handlersOf(viewName, method)
    const operation = operationMethod(method)
    const handling = {
      isHandled: handlers.length > 0,
      hasPlace: handlers.includes(convertRequest),
      isNobodys: isNobodys(plan, operation, viewName),
      takesNoBody: bodiless.has(`${operation} ${viewName}`),
      describesBody: describesBody(plan, operation, viewName),
    }
    if (routes.serves(viewName, method)) known.set(plan, handling)
    return handling
  }
}

/** A plan, and the facts by which it was looked up. */
export interface Planned extends PlannedOperation {
  readonly history: ExchangeHistory
  readonly version: string
  readonly plan: Plan
  /** `true` if the version has the operation at the path of the request. */
  readonly isThere: boolean
  /** The handlers of the operation; undefined without a named route. */
  readonly handling: Handling | undefined
  /** The look-out for handlers elsewhere; undefined if all are in the table, and in the newest version. */
  readonly elsewhere: HandlersElsewhere | undefined
}

/** A history as an exchange sees it. */
export interface ExchangeHistory
  extends Pick<RequestChanges, 'absent' | 'carriers'>,
    Pick<ReadingRules, 'warnOfUnread'> {
  readonly contract: RequestContract | undefined
  /** `true` if handlers may be outside of the table. */
  readonly hasElsewhere: boolean
  /** Returns the named route of a request's path. */
  viewNameOf(req: Request, state: RequestState): string | undefined
  /**
   * Looks up the plan of a request; returns `undefined` without a version.
   *
   * @param begun the named route whose handlers began last. Default: that of the path.
   * @throws {TypeError} for an unknown version.
   */
  planned(req: Request, state: RequestState, begun?: string): Planned | undefined
  /** Warns that a stream was cut off, because no error handler can tell of it. */
  warnOfCut(failure: unknown): void
}

/**
 * Returns the checks of a request; undefined for none.
 *
 * @throws {Error} for an operation that was added later and cannot be checked.
 */
function checksOf({ history: { contract }, method, viewName, version }: Planned): RequestChecks | undefined {
  if (contract === undefined || viewName === undefined) return undefined
  return contract.checksOf(operationMethod(method), viewName, version)
}

/** Tells whether requests for an operation may have something to convert or check. */
export function mayConvert(planned: Planned): boolean {
  const { plan, handling } = planned
  return (
    plan.request.length + plan.query.length > 0 || handling?.takesNoBody === true || checksOf(planned) !== undefined
  )
}

/** Tells whether a request has a body for an operation that nobody has. */
export function isNobodys({ handling }: Planned, req: Request): boolean {
  return handling?.isNobodys === true && hasBody(req)
}

/** Tells whether a request has JSON that its operation does not take by the OpenAPI document. A contract may take it away. */
function isForNobody({ handling }: Planned, req: Request, checks: RequestChecks | undefined): boolean {
  return handling?.takesNoBody === true && hasJson(req) && checks?.body === undefined
}

/** Tells whether a request needs checks or a conversion. It does if nobody knows the checks: the conversion then fails. */
export function needsConversion(planned: Planned, req: Request): boolean {
  const { query, request } = planned.plan
  const checks = knownChecks(planned)
  if (checks === null || isForNobody(planned, req, checks)) return true
  if (query.length > 0 || checks?.query !== undefined) return true
  if (!hasBody(req)) return checks !== undefined && checks.withoutBody.length > 0
  return (
    checks?.body !== undefined || (request.length > 0 && !areOtherBytes(req, planned.handling?.describesBody === true))
  )
}

/** Tells whether the conversion of a request reads its body. */
export function readsBody(planned: Planned): boolean {
  return planned.plan.request.length > 0 || knownChecks(planned)?.body !== undefined
}

/** Returns the checks of a request; `null` for an operation that was added later and cannot be checked. */
function knownChecks(planned: Planned): RequestChecks | undefined | null {
  try {
    return checksOf(planned)
  } catch {
    return null
  }
}

/** Checks and converts a request. One that does not fit its version, or that nobody takes, has neither body nor query any more. */
export function converted(planned: Planned, context: RequestContext): ConvertedRequest {
  const { req } = context
  const { history, plan, handling } = planned
  try {
    const checks = checksOf(planned)
    if (isForNobody(planned, req, checks)) throw strayBody(context)
    const describesBody = handling?.describesBody === true
    const rules = {
      carriers: history.carriers(),
      describesBody,
      warnOfUnread: (operation: string) => history.warnOfUnread(operation),
    }
    const parts = newerParts(plan, checks, context, rules)
    return { plan, error: undefined, ...showParts(req, parts) }
  } catch (error) {
    return { plan: undefined, error: error as Error, ...showParts(req, noParts(context)) }
  }
}

/** Makes the error of a request that an inner `versioning()` has decided on another version than that of the changes. */
export function torn({ plan, version, viewName, method }: Planned, req: Request): ChangeFailure {
  const operation = `${operationMethod(method)} ${viewName}`
  const [{ kind }] = [...plan.request, ...plan.query, { kind: 'response' }] as [Pick<BodyStep, 'kind'>]
  return new ChangeFailure(
    { kind, operation },
    `"${operation}" has changes for version "${version}", on which an outer versioning() has decided, but an inner one without "changes" has decided on another version. Give the inner one the changes too, or let both read the version in one place`,
    { version, req },
  )
}

/** Makes the error of a response with success to a request that was neither checked nor converted. */
export function unconverted(
  { plan, version, viewName, method, elsewhere }: Planned,
  status: number,
  req: Request,
): ChangeFailure {
  const operation = `${operationMethod(method)} ${viewName}`
  const remedy =
    elsewhere === undefined
      ? 'Send the response in the route, behind convertRequest if the route has it'
      : 'Put convertRequest of express-versioning/changes in front of the handlers, behind versioning() and the parsers'
  const [step = { kind: 'request' }]: readonly Partial<BodyStep>[] = [...plan.request, ...plan.query]
  return new ChangeFailure(
    { kind: step.kind as BodyStep['kind'], operation },
    `"${operation}" in version "${version}" got the response ${status} from a handler that had the request unconverted: after next() in its route, in front of convertRequest, or outside of the route. Such a handler may only send 4xx or 5xx. ${remedy}`,
    { version, req },
  )
}
