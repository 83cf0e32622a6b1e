// The use of a history for requests: when a request and its response meet their steps.
import type { Request, Response } from 'express'
import { NotFound } from '../errors'
import { CONDITIONS, hideFields, RANGES } from '../http/conditions'
import { isPreflight } from '../http/preflight'
import { matchOf } from '../request/place'
import {
  type Handed,
  openRouteOf,
  type PlannedOperation,
  peekState,
  type RequestState,
  showConditions,
} from '../request/state'
import type { RequestChanges, RequestChecks, RequestContract, RouteRegistry } from '../types'
import { ALL_METHODS, operationMethod } from '../util/operation'
import { shown } from '../util/options'
import { ChangeFailure } from './convert/steps'
import type { Change } from './describe/change'
import { DocumentedChanges } from './documents'
import { convertRequest } from './http/convert-request'
import { ExpressMethods } from './http/express-methods'
import { NodeMethods } from './http/node-methods'
import { OutgoingResponse } from './http/outgoing-response'
import { PlainRouters } from './http/plain-routers'
import { convertQuery, newerRequest, sent } from './http/request-parts'
import { hasBody, isOwed, unconverted } from './http/unconverted'
import type { BoundShapes } from './timeline/bound-shapes'
import type { Release } from './timeline/operation-changes'
import { type Composer, type Plan, UNCHANGED } from './timeline/plans'
import { PlannedResponse } from './timeline/response-plans'
import type { RouteNames } from './timeline/route-names'

/** The plan of a request, and the facts by which it was looked up. */
interface PlannedRequest extends PlannedOperation {
  readonly changes: object
  readonly version: string
  readonly plan: Plan
}

/** The use of a history for requests: it selects the steps of a request and of its response, and the moment for them. */
export class RequestConverter implements RequestChanges {
  readonly #composer: Composer
  readonly #versions: readonly string[]
  /** The index of each version. */
  readonly #positions: ReadonlyMap<string, number>
  /** The index of the version that each change is in. */
  readonly #changes: ReadonlyMap<Change<object>, number>
  readonly #newest: string
  /** `true` if an operation may be absent in the newest version, or is checked. Otherwise requests of that version need nothing. */
  readonly #touchesNewest: boolean
  readonly contract: RequestContract | undefined
  /** The index of the newest version that adds an operation. */
  readonly #lastAdded: number
  /** The names with an added or removed operation. */
  readonly #marked: ReadonlySet<string>
  /** The view names, and whether they are among those. Clients cannot add to it. */
  readonly #mayBeAbsent = new Map<string, boolean>()
  readonly #names: RouteNames
  readonly #routes: RouteRegistry
  readonly documents: DocumentedChanges
  /** The operations that are described, and that the table has no handler for. */
  readonly #unhandledOperations: ReadonlySet<string> | undefined
  /** The plans of operations, and whether their route has the handler {@link convertRequest}. */
  readonly #places = new WeakMap<Plan, boolean>()
  /** The plans whose route has a handler. */
  readonly #handled = new WeakSet<Plan>()
  readonly #plainRouters = new PlainRouters()
  #warned = false

  /**
   * @param shapes the bound shapes; undefined for a history without any.
   * @param contractFor ties the contract to this history.
   */
  constructor(
    releases: readonly Release[],
    composer: Composer,
    names: RouteNames,
    routes: RouteRegistry,
    shapes: BoundShapes | undefined,
    contractFor?: (changes: RequestChanges) => RequestContract,
  ) {
    this.documents = new DocumentedChanges(releases, composer, shapes, () => this.contract)
    this.#unhandledOperations = shapes?.unhandled
    this.#composer = composer
    this.#names = names
    this.#routes = routes
    this.#versions = releases.map(({ version }) => version)
    this.#positions = new Map(this.#versions.map((version, at) => [version, at]))
    this.#changes = new Map(releases.flatMap(({ changes }, at) => changes.map((change) => [change, at] as const)))
    this.#newest = this.#versions.at(-1) as string
    const entries = releases.flatMap(({ changes }) => changes.flatMap((change) => [...change.entries]))
    this.#lastAdded = releases.findLastIndex(({ changes }) =>
      changes.some(({ entries }) => [...entries.values()].some(({ mark }) => mark === 'added')),
    )
    const removes = entries.some(([, { mark }]) => mark === 'removed')
    const marked = entries.filter(([, { mark }]) => mark !== undefined)
    this.#marked = new Set(marked.map(([key]) => key.slice(key.indexOf(' ') + 1)))
    this.contract = contractFor?.(this)
    this.#touchesNewest = removes || this.contract?.touchesNewest === true
  }

  knows(version: string | null | undefined): boolean {
    return version === null || version === undefined || this.#positions.has(version)
  }

  hasOperation(method: string, viewName: string, version: string): boolean {
    return this.#composer.planIn(method, viewName, this.#positions.get(version)).present
  }

  addsBehind(version: string | null): boolean {
    const at = this.#positions.get(version as string)
    return at !== undefined && at < this.#lastAdded
  }

  isAhead(method: string, viewName: string, version: string): boolean {
    return this.#composer.planIn(method, viewName, this.#positions.get(version)).ahead
  }

  hasRoute(viewName: string, version: string): boolean {
    let mayBeAbsent = this.#mayBeAbsent.get(viewName)
    if (mayBeAbsent === undefined) {
      mayBeAbsent = this.#names.keysOf(viewName).some((name) => this.#marked.has(name))
      this.#mayBeAbsent.set(viewName, mayBeAbsent)
    }
    if (!mayBeAbsent) return true
    const own = this.#routes.methodsOf(viewName)
    const methods = own.length === 1 && own[0] === 'ALL' ? ALL_METHODS : own.filter((method) => method !== 'ALL')
    const named = this.#names.versionIn(viewName) ?? version
    return methods.length === 0 || methods.some((method) => this.hasOperation(method, viewName, named))
  }

  queryIn(req: Request, viewName: string, successor: string): object | null | undefined {
    const { method } = req
    if (!this.hasOperation(method, this.#names.inVersion(viewName, successor), successor)) return null
    const version = req.version as string
    const [from, to] = [version, successor].map((name) => this.#positions.get(name)) as [number, number]
    const steps = this.#composer.queryBetween(method, viewName, from, to)
    return steps.length === 0 ? undefined : (convertQuery(steps, sent(req).query, { version, req }) as object)
  }

  has(change: object, version: string): boolean | undefined {
    const at = this.#positions.get(version)
    const since = this.#changes.get(change as Change<object>)
    return at === undefined || since === undefined ? undefined : at >= since
  }

  decided(req: Request, res: Response, state: RequestState): unknown {
    this.contract?.watch(req, res, state)
    const open = state.open && openRouteOf(state, req)
    if (open !== undefined) return this.#open(req, res, state, open)
    if (state.version === this.#newest && this.contract?.touchesNewest !== true) return undefined
    try {
      const plan = this.#planOf(req, state)
      this.#prepare(req, res, state, plan)
      if (state.version !== this.#newest) this.#plainRouters.watch(req, res, state, viewNameOf)
      return this.#handled.has(plan) ? undefined : this.#unhandled(req, state, plan)
    } catch (error) {
      return error
    }
  }

  /**
   * Returns the error for a request with steps that only a handler outside of the table can get: nothing tells when to
   * convert it.
   */
  #unhandled(req: Request, state: RequestState, plan: Plan): Error | undefined {
    const step = plan.query[0] ?? plan.request[0]
    if (step === undefined || isPreflight(req)) return undefined
    const viewName = viewNameOf(state) as string
    if (this.#routes.handlersOf(viewName, req.method).length > 0) {
      this.#handled.add(plan)
      return undefined
    }
    if (plan.query.length === 0 && !hasBody(req)) return undefined
    if (this.#isNobodys(plan, req.method, viewName)) return this.absent(req, viewName)
    return new ChangeFailure(step, 'needs a handler of that route in the table', {
      version: state.version as string,
      req,
    })
  }

  /**
   * Tells whether an operation has neither a handler of its own nor a description, beside others that have. Clients ask for
   * any method, and `all()` is usually middleware of the others.
   */
  #isNobodys({ request, query }: Plan, method: string, viewName: string): boolean {
    const isUnknown = request.length > 0 && query.length === 0 && request.every((step) => 'rejects' in step)
    if (!isUnknown) return false
    const own = this.#routes.methodsOf(viewName)
    const operation = operationMethod(method)
    if (own.length === 0 || own.includes(operation)) return false
    return this.#unhandledOperations?.has(`${operation} ${viewName}`) !== true
  }

  begin(req: Request, res: Response, state: RequestState, viewName: () => string): unknown {
    const { version } = state
    if (version === null || version === undefined || (version === this.#newest && !this.#touchesNewest))
      return undefined
    state.begun = viewName()
    return this.#open(req, res, state, state.open as Handed)
  }

  /** Converts the request for the handlers of a route, and prepares the conversion of its response. */
  #open(req: Request, res: Response, state: RequestState, open: Handed): unknown {
    try {
      const before = state.plan
      const plan = this.#planOf(req, state)
      if (state.plan !== before || state.converting !== res) this.#prepare(req, res, state, plan)
      if (!plan.present && !isPreflight(req)) return this.absent(req, viewNameOf(state) as string)
      if (open.converted?.plan === plan) return undefined
      // An outer versioning() may have converted it: the last one that runs wins.
      open.converted?.takeBack()
      open.converted = undefined
      open.pending = undefined
      const viewName = viewNameOf(state) as string
      const version = state.version as string
      const checks = this.#checksOf(req, state)
      if (checks === undefined && plan.request.length + plan.query.length === 0) return undefined
      if (this.#isNobodys(plan, req.method, viewName) && hasBody(req)) return this.absent(req, viewName)
      const convert = () => {
        open.pending = undefined
        open.converted = newerRequest(plan, checks, { version, req, res }, this.#warnOfUnread)
      }
      let hasPlace = this.#places.get(plan)
      if (hasPlace === undefined) {
        hasPlace = this.#routes.handlersOf(viewName, req.method).includes(convertRequest)
        this.#places.set(plan, hasPlace)
      }
      if (hasPlace) open.pending = () => caught(convert)
      else convert()
      return undefined
    } catch (error) {
      return error
    }
  }

  /** Warns once. It is only a warning, because the client may be wrong: it chose the type and the encoding. */
  readonly #warnOfUnread = (operation: string): void => {
    if (this.#warned) return
    this.#warned = true
    process.emitWarning(
      `The changes of "${operation}" need the body of a request, which no parser has read; it was rejected with 415. Put express.json() in front of the routes, and let it take the types that your clients send.`,
      { code: 'EXPRESS_VERSIONING_BODY' },
    )
  }

  #checksOf({ method }: Request, state: RequestState): RequestChecks | undefined {
    const viewName = viewNameOf(state)
    if (this.contract === undefined || viewName === undefined || typeof state.version !== 'string') return undefined
    return this.contract.checksOf(operationMethod(method), viewName, state.version)
  }

  /**
   * Tells whether a request needs checks or a conversion, and who has it now did not get them: a handler in front of
   * {@link convertRequest} or outside of the route, or an error handler.
   *
   * @throws {Error} for an operation that was added later and cannot be checked.
   */
  #isUnconverted(req: Request, state: RequestState, plan: Plan): boolean {
    if (state.open?.converted?.plan === plan || isPreflight(req)) return false
    return isOwed(plan, this.#checksOf(req, state), req)
  }

  /** Prepares the response of a request, unless it stays as it is, whoever sends it. */
  #prepare(req: Request, res: Response, state: RequestState, plan: Plan): void {
    const { responses } = plan
    if (state.showConditions !== undefined) showConditions(state)
    if (!responses.convert && !this.#isUnconverted(req, state, plan)) return
    // However the response is sent, methods of its response convert it. They are put there once, and read the plan when it is sent.
    if (state.converting !== res) {
      const response = new OutgoingResponse(req, res, state)
      response.install(new ExpressMethods(response), new NodeMethods(response))
      state.converting = res
    }
    // Files and proxies would compare the conditions with the newest bytes, and cut ranges out of them. Other methods keep their
    // conditions, which protect against lost updates.
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (responses.convert)
      state.showConditions = hideFields(req, isRead && responses.convertSuccess ? CONDITIONS : RANGES)
  }

  response(req: Request, res: Response, state: RequestState, status: number): PlannedResponse | undefined {
    const plan = this.#planOf(req, state)
    const context = { version: state.version as string, req, res }
    // An old body that is obeyed is a lost write.
    if (status < 400 && this.#isUnconverted(req, state, plan))
      throw unconverted(plan, status, context, viewNameOf(state) as string)
    const response = plan.responses.of(status)
    return response && new PlannedResponse(response, status, context, state.keepsBody)
  }

  convertsResponse(req: Request, res: Response, status: number): boolean {
    const state = peekState(req) as RequestState
    const plan = this.#planOf(req, state)
    this.#prepare(req, res, state, plan)
    return (plan.responses.of(status)?.steps.length ?? 0) > 0
  }

  /** Returns the plan of a request. It is looked up once for each version, named route and method that the request has. */
  #planOf({ method }: Request, state: RequestState): Plan {
    const { version } = state
    if (version === null || version === undefined) return UNCHANGED
    const viewName = viewNameOf(state)
    const known = state.plan as PlannedRequest | undefined
    const isKnown = known?.changes === this && known.version === version
    if (isKnown && known.viewName === viewName && known.method === method) return known.plan
    const at = this.#positions.get(version)
    if (at === undefined)
      throw new TypeError(`req.version is ${shown(version)}, which the history of changes does not have.`)
    const plan = this.#composer.planOf(method, viewName, at)
    const planned: PlannedRequest = { changes: this, method, viewName, version, plan }
    state.plan = planned
    return plan
  }

  /** Makes the rejection, which is the same as that of `byVersion()` without a handler. */
  absent(req: Request, viewName: string): NotFound {
    const { method } = req
    const { version, config } = peekState(req) as RequestState
    const isThere = (at: number) => this.#composer.planOf(method, viewName, at).present
    const allowedVersions = this.#versions.filter((name, at) => config?.scheme.isAllowedVersion(name) && isThere(at))
    return new NotFound('No handler for this version.', { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions })
  }
}

/** Runs a conversion, and returns its error. */
function caught(convert: () => void): unknown {
  try {
    convert()
    return undefined
  } catch (error) {
    return error
  }
}

/** Returns the named route that began last; before any did, that of the path. */
function viewNameOf(state: RequestState): string | undefined {
  return state.begun ?? matchOf(state.place)?.viewName ?? undefined
}
