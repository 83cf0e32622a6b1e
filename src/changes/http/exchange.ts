// The story of a request that changes convert, from the decision about its version until its route is left.
import type { Request, Response } from 'express'
import { CONDITIONS, RANGES } from '../../http/conditions'
import { isPreflight } from '../../http/preflight'
import { matchOf } from '../../request/place'
import type { ConvertedExchange, Handed, PlannedOperation, RequestState } from '../../request/state'
import type { RequestChanges, RequestChecks, RequestContract } from '../../types'
import { operationMethod } from '../../util/operation'
import { type BodyStep, ChangeFailure } from '../convert/steps'
import type { Plan } from '../timeline/plans'
import { EXPRESS_METHODS } from './express-methods'
import type { Handling } from './handlers'
import { NODE_METHODS } from './node-methods'
import { OutgoingResponse } from './outgoing-response'
import { areOtherBytes, type ConvertedRequest, hasBody, newerRequest } from './request-parts'
import { PlannedResponse } from './response-phase'

/** A plan, and the facts by which it was looked up. */
export interface Planned extends PlannedOperation {
  readonly history: ExchangeHistory
  readonly version: string
  readonly plan: Plan
  /** The handlers of the operation; undefined without a named route. */
  readonly handling: Handling | undefined
}

/** A history as an exchange sees it. */
export interface ExchangeHistory extends Pick<RequestChanges, 'absent'> {
  readonly contract: RequestContract | undefined
  /**
   * Looks up the plan of a request; returns `undefined` without a version.
   *
   * @param begun the named route whose handlers began last. Default: that of the path.
   * @throws {TypeError} for an unknown version.
   */
  planned(req: Request, state: RequestState, begun: string | undefined): Planned | undefined
  /** Warns that no parser has read the body of an operation. */
  warnOfUnread(operation: string): void
}

/** A route that has the request, and the conversion for it. */
class Visit {
  /** The converted request, until the route is left. */
  converted: ConvertedRequest | undefined = undefined
  #waiting: (() => ConvertedRequest) | undefined

  constructor(
    readonly route: Handed,
    convert: () => ConvertedRequest,
  ) {
    this.#waiting = convert
  }

  /** Converts the request, once. */
  convert(): void {
    const convert = this.#waiting
    this.#waiting = undefined
    if (convert !== undefined) this.converted = convert()
  }
}

const NO_VISITS: readonly Visit[] = []

/** One request and its response, in the order of its methods. */
export class Exchange implements ConvertedExchange {
  begun: string | undefined = undefined
  keepsBody = false
  isConverted = false
  #planned: Planned | undefined
  /** The response whose methods convert what they send. */
  #response: OutgoingResponse | undefined
  /** The routes that have the request now and convert it, the outermost first. */
  #visits = NO_VISITS

  constructor(private readonly state: RequestState) {}

  restart(): void {
    this.begun = undefined
    this.#response?.showConditions()
  }

  decided(req: Request, res: Response, planned: Planned): void {
    this.#planned = planned
    this.#prepare(req, res, planned)
  }

  routeBegins(req: Request, res: Response, route: Handed, viewName: string | undefined): unknown {
    this.begun = viewName
    try {
      const before = this.#planned
      const planned = this.#plan(req)
      if (planned === undefined) {
        this.routeLeft(route)
        return undefined
      }
      if (planned !== before || this.#response?.res !== res) this.#prepare(req, res, planned)
      return this.#convertFor(route, planned, req, res)
    } catch (error) {
      return error
    }
  }

  #convertFor(route: Handed, planned: Planned, req: Request, res: Response): Error | undefined {
    const { history, version, viewName, plan, handling } = planned
    if (!plan.present && !isPreflight(req)) return history.absent(req, viewName as string)
    if (this.#visitOf(route)?.converted?.plan === plan) return undefined
    // An outer versioning() may have converted it: the last one that runs wins.
    this.routeLeft(route)
    const checks = checksOf(planned)
    if (checks === undefined && plan.request.length + plan.query.length === 0) return undefined
    if (handling?.isNobodys && hasBody(req)) return history.absent(req, viewName as string)
    const warn = (operation: string) => history.warnOfUnread(operation)
    const visit = new Visit(route, () => newerRequest(plan, checks, { version, req, res }, warn))
    this.#visits = [...this.#visits, visit]
    if (!handling?.hasPlace) visit.convert()
    return undefined
  }

  placeReached(route: Handed): unknown {
    try {
      this.#visitOf(route)?.convert()
      return undefined
    } catch (error) {
      return error
    }
  }

  get sent(): ConvertedRequest['sent'] | undefined {
    return this.#visitOf(this.state.open)?.converted?.sent
  }

  /** Prepares the response, unless it stays as it is, whoever sends it. */
  #prepare(req: Request, res: Response, planned: Planned): void {
    this.#response?.showConditions()
    const { responses } = planned.plan
    if (!responses.convert && !this.#isUnconverted(req, planned)) return
    // However the response is sent, methods of its response convert it. They are put there once, and read the plan when it is sent.
    if (this.#response?.res !== res) {
      this.#response = new OutgoingResponse(req, res, this.state)
      this.#response.install(EXPRESS_METHODS, NODE_METHODS)
    }
    if (!responses.convert) return
    // Files and proxies would compare the conditions with the newest bytes, and cut ranges out of them. Other methods keep their
    // conditions, which protect against lost updates.
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    this.#response.hideConditions(isRead && responses.convertSuccess ? CONDITIONS : RANGES)
  }

  /**
   * Tells whether a JSON body of a status will be converted.
   *
   * @throws {TypeError} for an unknown version.
   */
  convertsResponse(req: Request, res: Response, status: number): boolean {
    const planned = this.#plan(req)
    if (planned === undefined) return false
    this.#prepare(req, res, planned)
    return (planned.plan.responses.of(status)?.steps.length ?? 0) > 0
  }

  response(req: Request, res: Response, status: number): PlannedResponse | undefined {
    const planned = this.#plan(req)
    if (planned === undefined) return undefined
    const { version, plan } = planned
    // An old body that is obeyed is a lost write.
    if (status < 400 && this.#isUnconverted(req, planned)) throw unconverted(planned, status, req)
    const response = plan.responses.of(status)
    return response && new PlannedResponse(response, status, { version, req, res }, this.keepsBody)
  }

  /**
   * Tells whether a request needs checks or a conversion, and who has it now did not get them: a handler in front of
   * `convertRequest` or outside of the route, or an error handler.
   *
   * @throws {Error} for an operation that was added later and cannot be checked.
   */
  #isUnconverted(req: Request, planned: Planned): boolean {
    if (this.#visitOf(this.state.open)?.converted?.plan === planned.plan || isPreflight(req)) return false
    const { query, request } = planned.plan
    const checks = checksOf(planned)
    if (query.length > 0 || checks?.query !== undefined) return true
    if (!hasBody(req)) return checks !== undefined && checks.withoutBody.length > 0
    return checks?.body !== undefined || (request.length > 0 && !areOtherBytes(req))
  }

  routeLeft(route: Handed): void {
    if (this.#visits === NO_VISITS) return
    this.#visitOf(route)?.converted?.takeBack()
    this.#visits = this.#visits.filter((visit) => visit.route !== route)
  }

  copyFor(state: RequestState): Exchange {
    const copy = new Exchange(state)
    copy.begun = this.begun
    copy.keepsBody = this.keepsBody
    copy.isConverted = this.isConverted
    copy.#planned = this.#planned
    copy.#response = this.#response
    return copy
  }

  get operation(): Planned | undefined {
    return this.#planned
  }

  /** Returns the plan of a request. It is looked up once for each version, named route and method that the request has. */
  #plan(req: Request): Planned | undefined {
    const { state, begun } = this
    const known = this.#planned
    const history = state.config?.changes as ExchangeHistory | undefined
    if (history === undefined || state.version === null || state.version === undefined) return undefined
    const isKnown = known?.history === history && known.version === state.version && known.method === req.method
    const viewName = begun ?? matchOf(state.place)?.viewName ?? undefined
    if (!isKnown || known.viewName !== viewName) this.#planned = history.planned(req, state, begun)
    return this.#planned
  }

  #visitOf(route: Handed | undefined): Visit | undefined {
    return this.#visits.find((visit) => visit.route === route)
  }
}

function checksOf({ history: { contract }, method, viewName, version }: Planned): RequestChecks | undefined {
  if (contract === undefined || viewName === undefined) return undefined
  return contract.checksOf(operationMethod(method), viewName, version)
}

/** Makes the error of a response with success to a request that was neither checked nor converted. */
function unconverted({ plan, version, viewName, method }: Planned, status: number, req: Request): ChangeFailure {
  const operation = `${operationMethod(method)} ${viewName}`
  const [step = { kind: 'request' }]: readonly Partial<BodyStep>[] = [...plan.request, ...plan.query]
  return new ChangeFailure(
    { kind: step.kind as BodyStep['kind'], operation },
    `"${operation}" in version "${version}" got the response ${status} from a handler that had the request unconverted: after next() in its route, in front of convertRequest, or outside of the route. Such a handler may only send 4xx or 5xx. Send the response in the route, behind convertRequest if the route has it`,
    { version, req },
  )
}
