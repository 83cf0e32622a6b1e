// The story of a request that changes convert, from the decision about its version until its route is left.
import type { Request, Response } from 'express'
import { CONDITIONS, RANGES } from '../../http/conditions'
import { isPreflight } from '../../http/preflight'
import { type Fields, fieldsOf, isError, takeBackResponse } from '../../http/representation'
import { writeAgain } from '../../lifecycle/written'
import { type ConvertedExchange, type OpenEntry, openRouteOf, type RequestState } from '../../request/state'
import { OlderResponse } from './older-response'
import { OutgoingResponse } from './outgoing-response'
import {
  converted,
  type ExchangeHistory,
  isNobodys,
  mayConvert,
  needsConversion,
  type Planned,
  readsBody,
  torn,
  unconverted,
} from './planned'
import { type ConvertedRequest, hasBody } from './request-parts'
import { RESPONSE_METHODS } from './response-methods'

/** A route that has the request, and the conversion for it. */
interface Visit {
  readonly route: OpenEntry
  /** Converts the request at a place in the route; undefined if nothing waits. */
  waiting: (() => ConvertedRequest) | undefined
  /** The converted request, until the route is left. */
  converted: ConvertedRequest | undefined
}

const NO_VISITS: readonly Visit[] = []
const NO_FIELDS: Fields = new Map()

/** One request and its response, in the order of its methods. */
export class Exchange implements ConvertedExchange {
  begun: string | undefined = undefined
  keepsBody = false
  isConverted = false
  met: Set<string> | undefined = undefined
  #planned: Planned | undefined
  /** The response whose methods convert what they send. */
  #response: OutgoingResponse | undefined
  /** The header fields of the response in front of the handlers that began last. */
  #fields: Fields = NO_FIELDS
  /** The number of those fields about versions. */
  #written = 0
  /** The routes that have the request now and convert it, the outermost first. */
  #visits = NO_VISITS
  /** The request, converted in front of handlers elsewhere. No route is left that would take it back. */
  #lasting: ConvertedRequest | undefined
  /** `true` if the request has come to a place that converts it: the beginning of a route, or `convertRequest`. */
  #isReached = false
  /** `true` if the request was rejected because two versions were decided. */
  #isTornTold = false

  constructor(private readonly state: RequestState) {}

  restart(): void {
    this.begun = undefined
    this.met = undefined
    this.#isReached = false
    this.#response?.showConditions()
  }

  decided(req: Request, res: Response, planned: Planned): void {
    this.#planned = planned
    this.#prepare(req, res, planned)
  }

  routeBegins(req: Request, res: Response, route: OpenEntry, viewName: string | undefined): unknown {
    this.begun = viewName
    try {
      const before = this.#planned
      const planned = this.#plan(req)
      if (planned === undefined) {
        this.routeLeft(route)
        return undefined
      }
      if (planned !== before || this.#response?.res !== res) this.#prepare(req, res, planned)
      this.#noteFields(planned, res)
      return this.#convertFor(route, planned, req, res)
    } catch (error) {
      return error
    }
  }

  #convertFor(route: OpenEntry, planned: Planned, req: Request, res: Response): Error | undefined {
    const { history, version, viewName, isThere, handling } = planned
    if (this.state.isTorn) return this.#tornFailure(planned, req)
    if (!isThere && !isPreflight(req)) return history.absent(req, viewName as string)
    if (this.#isConvertedBy(planned, route)) return undefined
    // An outer versioning() may have converted it: the last one that runs wins.
    this.routeLeft(route)
    this.#takeBackLasting()
    if (!mayConvert(planned) || isPreflight(req)) return undefined
    if (isNobodys(planned, req)) return history.absent(req, viewName as string)
    const visit: Visit = { route, waiting: undefined, converted: undefined }
    this.#visits = [...this.#visits, visit]
    const convert = () => converted(planned, { version, req, res, met: this.met })
    if (handling?.hasPlace) visit.waiting = convert
    else {
      this.#isReached = true
      visit.converted = convert()
    }
    return visit.converted?.error
  }

  placeReached(route: OpenEntry): unknown {
    this.#isReached = true
    const visit = this.#visitOf(route)
    const convert = visit?.waiting
    if (visit === undefined || convert === undefined) return undefined
    visit.waiting = undefined
    if (this.#response !== undefined) this.#noteFields(this.#planned as Planned, this.#response.res)
    visit.converted = convert()
    return visit.converted.error
  }

  handlersReached(req: Request, res: Response): unknown {
    try {
      const planned = this.#atHandlers(req)
      if (planned === undefined) return undefined
      this.#noteFields(planned, res)
      this.#isReached = true
      if (this.#isConvertedBy(planned, this.state.open)) return undefined
      if (isNobodys(planned, req)) return planned.history.absent(req, planned.viewName as string)
      this.#takeBackLasting()
      const { version } = planned
      if (mayConvert(planned)) this.#lasting = converted(planned, { version, req, res, met: this.met })
      return this.#lasting?.error
    } catch (error) {
      return error
    }
  }

  awaits(req: Request): ReturnType<ConvertedExchange['awaits']> {
    const planned = this.#atHandlers(req)
    if (planned === undefined || !this.#isUnconverted(req, planned)) return undefined
    this.#isReached = true
    return hasBody(req) && readsBody(planned) ? 'body' : 'query'
  }

  /**
   * Returns the plan of a request in front of handlers elsewhere. Where all handlers are in the table, its routes convert.
   *
   * @throws {Error} for a method that somebody has changed.
   */
  #atHandlers(req: Request): Planned | undefined {
    const planned = isPreflight(req) ? undefined : this.#plan(req)
    planned?.elsewhere?.checkMethod(req, this.#view, planned)
    return planned?.history.hasElsewhere ? planned : undefined
  }

  get sent(): ConvertedRequest['sent'] | undefined {
    return (this.#visitOf(this.state.open)?.converted ?? this.#lasting)?.sent
  }

  #takeBackLasting(): void {
    this.#lasting?.takeBack()
    this.#lasting = undefined
  }

  /** Tells whether a request was converted for its operation, where it is now. */
  #isConvertedBy({ plan }: Planned, route: OpenEntry | undefined): boolean {
    return (this.#visitOf(route)?.converted ?? this.#lasting)?.plan === plan
  }

  /** Prepares the response, unless it stays as it is, whoever sends it. */
  #prepare(req: Request, res: Response, planned: Planned): void {
    this.note(planned.plan)
    this.#response?.showConditions()
    const { responses } = planned.plan
    const isOpen = responses.convert || planned.elsewhere !== undefined || this.#isReported
    if (!isOpen && !this.#isUnconverted(req, planned)) return
    // However the response is sent, methods of its response convert it. They are put there once, and read the plan when it is sent.
    if (this.#response?.res !== res) {
      this.#response = new OutgoingResponse(req, res, this.state)
      this.#response.install(RESPONSE_METHODS)
      this.#noteFields(planned, res)
    }
    // Files and proxies would compare the conditions with the newest bytes, and cut ranges out of them. Other methods keep their
    // conditions, which protect against lost updates.
    if (!responses.convertsSuccess()) return
    this.#response.hideConditions(req.method === 'GET' || req.method === 'HEAD' ? CONDITIONS : RANGES)
  }

  /** `true` if the response tells how many changes met the request. */
  get #isReported(): boolean {
    return this.met !== undefined && this.state.changesReport !== undefined
  }

  /** Notes the header fields of a response that may fail, because other handlers begin. */
  #noteFields({ history }: Planned, res: Response): void {
    if (this.#response?.res !== res && history.contract?.touchesNewest !== true) return
    this.#fields = fieldsOf(res)
    this.#written = this.state.written?.fields.length ?? 0
  }

  takeBackResponse(res: Response): void {
    takeBackResponse(res, this.#fields)
    writeAgain(res, this.state, this.#written)
  }

  /** @throws {TypeError} for an unknown version. */
  prepareResponse(req: Request, res: Response): void {
    const planned = this.#plan(req)
    if (planned !== undefined) this.#prepare(req, res, planned)
  }

  torn(req: Request): Error | undefined {
    const planned = this.#plan(req)
    return planned && this.#tornFailure(planned, req)
  }

  /** Returns the error of a request whose version is another one than that of the changes, if they would have done anything. */
  #tornFailure(planned: Planned, req: Request): Error | undefined {
    if (isPreflight(req)) return undefined
    const { isThere, plan } = planned
    const isMet = !isThere || plan.responses.convertsSuccess() || needsConversion(planned, req)
    return isMet ? this.#torn(planned, req) : undefined
  }

  #torn(planned: Planned, req: Request): Error {
    this.#isTornTold = true
    return torn(planned, req)
  }

  response(req: Request, res: Response, status: number): OlderResponse | undefined {
    const planned = this.#plan(req)
    if (planned === undefined) return undefined
    const { version, plan, elsewhere } = planned
    const { state } = this
    elsewhere?.limitAllow(req, res, this.#view)
    if (state.isTorn) {
      // The rejection of the inner one stays, and the response to the failure.
      if (isError(status) && (this.#isTornTold || state.decision.version === undefined)) return undefined
      if (plan.responses.of(status) || (!isError(status) && this.#isUnconverted(req, planned)))
        throw this.#torn(planned, req)
      return undefined
    }
    if (!isError(status)) {
      // An old body that is obeyed is a lost write.
      if (this.#isUnconverted(req, planned)) throw unconverted(planned, status, req)
      if (elsewhere !== undefined && openRouteOf(state, req) === undefined) {
        elsewhere.checkMethod(req, this.#view, planned)
        elsewhere.checkPlace(req, this.#view, planned)
      }
    } else if (elsewhere !== undefined && !this.#isReached && !state.isServed && this.#isUnconverted(req, planned)) {
      // Handlers of byVersion() know the version of the request.
      elsewhere.warnOfUnconverted(req, planned, status)
    }
    const response = plan.responses.of(status)
    return response && new OlderResponse(response, status, { version, req, res, met: this.met }, this.keepsBody)
  }

  /**
   * Tells whether a request needs checks or a conversion, and who has it now did not get them: a handler in front of
   * `convertRequest` or outside of the route, or an error handler.
   */
  #isUnconverted(req: Request, planned: Planned): boolean {
    if (this.#isConvertedBy(planned, this.state.open) || isPreflight(req)) return false
    return needsConversion(planned, req)
  }

  /** Notes the changes that meet each request with a plan, if an observer asks for them. */
  note({ met }: Planned['plan']): void {
    if (this.met !== undefined) for (const description of met) this.met.add(description)
  }

  routeLeft(route: OpenEntry): void {
    if (this.#visits === NO_VISITS) return
    this.#visitOf(route)?.converted?.takeBack()
    this.#visits = this.#visits.filter((visit) => visit.route !== route)
  }

  copyFor(state: RequestState): Exchange {
    const copy = new Exchange(state)
    copy.begun = this.begun
    copy.keepsBody = this.keepsBody
    copy.isConverted = this.isConverted
    copy.met = this.met
    copy.#planned = this.#planned
    copy.#response = this.#response
    copy.#fields = this.#fields
    copy.#written = this.#written
    copy.#lasting = this.#lasting
    copy.#isReached = this.#isReached
    return copy
  }

  get operation(): Planned | undefined {
    return this.#planned
  }

  /** Returns the plan of a request. It is looked up once for each version, named route and method that the request has. */
  #plan(req: Request): Planned | undefined {
    const view = this.#view
    const known = this.#planned
    const history = view.changes as ExchangeHistory | undefined
    if (history === undefined || view.version === null || view.version === undefined) return undefined
    const isKnown = known?.history === history && known.version === view.version && known.method === req.method
    const namespace = this.state.kept === undefined ? '' : this.state.kept.namespace
    const { begun } = this
    const isNamed = begun !== undefined && namespace !== undefined
    const viewName = isNamed ? namespace + begun : history.viewNameOf(req, view)
    if (!isKnown || known.viewName !== viewName) this.#planned = history.planned(req, view, viewName)
    return this.#planned
  }

  /** The state of the request as the changes in force see it. */
  get #view(): RequestState {
    const { state } = this
    const { kept, isTorn, version } = state
    if (kept === undefined) return state
    return Object.assign(Object.create(state), { place: kept.place, version: isTorn ? kept.version : version })
  }

  #visitOf(route: OpenEntry | undefined): Visit | undefined {
    return this.#visits.find((visit) => visit.route === route)
  }
}
