// The use of a history for requests: what each version has, and the plan of a request.
import type { Request, Response } from 'express'
import type { ListedChange, MovedOperations, RequestChanges, RequestContract, VersionSchema } from '../bound-changes'
import { NotFound } from '../errors'
import { framingOf } from '../http/framings'
import { isJsonType } from '../http/json'
import { isPreflight } from '../http/preflight'
import { matchOf } from '../request/place'
import { type ConvertedExchange, openRouteOf, peekState, type RequestState, type Root } from '../request/state'
import { NO_DEFINITIONS } from '../schemas/definitions'
import type { Direction } from '../schemas/model'
import { ALL_METHODS } from '../util/operation'
import { shown } from '../util/options'
import { inspected, visible } from '../util/text'
import { type ChangeFacts, ChangeFailure, converted } from './convert/steps'
import { HandlersElsewhere } from './http/elsewhere-alarms'
import { Exchange } from './http/exchange'
import { type ExchangeHistory, OperationHandlers, type Planned } from './http/planned'
import { hasBody, urlInSuccessor } from './http/request-parts'
import type { BoundHistory } from './timeline/bound-history'
import type { BoundShapes } from './timeline/bound-shapes'
import type { Presence } from './timeline/operation-changes'
import type { Plan } from './timeline/operation-plans'
import { toldChanges } from './told'
import type { Change } from './types/operations'

/** The use of a history for requests: it selects the steps of a request and of its response, and the moment for them. */
export class RequestConverter implements RequestChanges, ExchangeHistory {
  /** The index of the version that each change is in. */
  readonly #changes: ReadonlyMap<Change<object>, number>
  readonly newest: string
  /** `true` if an operation may be absent in the newest version, or is checked. Otherwise requests of that version need nothing. */
  readonly #touchesNewest: boolean
  readonly contract: RequestContract | undefined
  readonly moves: MovedOperations | undefined
  /** The index of the newest version that adds an operation. */
  readonly #lastAdded: number
  /** The names with an added or removed operation. */
  readonly #marked: ReadonlySet<string>
  /** The view names, and whether they are among those. Clients cannot add to it. */
  readonly #mayBeAbsent = new Map<string, boolean>()
  readonly #handlers: OperationHandlers
  readonly #plainRouters = new PlainRouters()
  /** The look-out for handlers elsewhere; undefined if all are in the table. */
  readonly #elsewhere: HandlersElsewhere | undefined
  #hasWarned = false
  /** The operations of which a stream was cut off. */
  readonly #cut = new Set<string>()

  #carriers: ReadonlySet<string> | undefined

  /**
   * @param contractFor ties the contract to this history.
   * @param queryCarriers returns the query parameters that carry the version. A scheme of your own says them; requests ask it once.
   */
  constructor(
    readonly history: BoundHistory,
    contractFor?: (changes: RequestChanges) => RequestContract,
    private readonly queryCarriers = (): ReadonlySet<string> => new Set(),
  ) {
    const { changes, moves, routes, shapes, versions } = history
    this.moves = moves
    this.#handlers = new OperationHandlers(routes, shapes?.unhandled)
    const elsewhere = routes.elsewhere()
    this.#elsewhere =
      elsewhere &&
      new HandlersElsewhere(routes, elsewhere.undocumented === 'pass', (req, viewName) => this.absent(req, viewName))
    this.#changes = new Map(changes.all.map(({ change, versionIndex }) => [change, versionIndex]))
    this.newest = versions.at(-1) as string
    const marks = changes.all.flatMap(({ entries, versionIndex }) =>
      [...entries].flatMap(([key, { mark }]) => (mark === undefined ? [] : { key, mark, versionIndex })),
    )
    this.#lastAdded = marks.findLast(({ mark }) => mark === 'added')?.versionIndex ?? -1
    this.#marked = new Set(marks.map(({ key }) => key.slice(key.indexOf(' ') + 1)))
    this.contract = contractFor?.(this)
    this.#touchesNewest = marks.some(({ mark }) => mark === 'removed') || this.contract?.touchesNewest === true
  }

  get carriers(): ReadonlySet<string> {
    this.#carriers ??= this.queryCarriers()
    return this.#carriers
  }

  knows(version: string | null | undefined): boolean {
    return version === null || version === undefined || this.history.positions.has(version)
  }

  operation(method: string, viewName: string, version: string): Plan {
    return this.history.planIn(method, viewName, version)
  }

  readsRequests(method: string, viewName: string, version: string): boolean {
    const { request, query } = this.operation(method, viewName, version)
    if (request.length > 0 || query.length > 0) return true
    return this.contract?.checksOf(method, viewName, version) !== undefined
  }

  changesIn(version: string, before: string | undefined): readonly ListedChange[] {
    return toldChanges(this.history, version, before)
  }

  definitionsIn(version: string): ReadonlyMap<string, VersionSchema> {
    const { positions, shapes, versions } = this.history
    return shapes?.definitionsIn(positions.get(version) ?? versions.length) ?? NO_DEFINITIONS
  }

  shape(name: string, direction: Direction, value: unknown, from: string, to: string): unknown {
    const { positions, shapes } = this.history
    const [one, other] = [from, to].map((version) => positions.get(version)) as [number, number]
    const steps = (shapes as BoundShapes).byHand(direction)(name, one, other)
    return converted('changesOf()', steps, value, direction === 'input' ? from : to)
  }

  isThere(state: RequestState, method: string, viewName: string): boolean {
    const version = state.version as string
    return this.operation(method, viewName, version).present && this.#isAt(state, method, viewName, version)
  }

  changeOf(method: string, viewName: string): string | undefined {
    const { shapes } = this.history
    const own = `${method} ${viewName}`
    return this.history
      .of(method, viewName)
      .changes.find(({ entry, index }) => entry !== undefined || shapes?.converts(index, own))?.description
  }

  addsBehind(version: string | null): boolean {
    const at = this.history.positions.get(version as string)
    return at !== undefined && (at < this.#lastAdded || this.moves?.isIn(version as string) === true)
  }

  hasRoute(viewName: string, version: string): boolean {
    let mayBeAbsent = this.#mayBeAbsent.get(viewName)
    if (mayBeAbsent === undefined) {
      mayBeAbsent = this.history.names.keysOf(viewName).some((name) => this.#marked.has(name))
      this.#mayBeAbsent.set(viewName, mayBeAbsent)
    }
    if (!mayBeAbsent) return true
    const own = this.history.routes.methodsOf(viewName)
    const methods = own.length === 1 && own[0] === 'ALL' ? ALL_METHODS : own.filter((method) => method !== 'ALL')
    const named = this.history.names.versionIn(viewName) ?? version
    return methods.length === 0 || methods.some((method) => this.operation(method, viewName, named).present)
  }

  urlIn(req: Request, viewName: string, successor: string): string | null {
    const { method } = req
    if (!this.operation(method, this.history.names.inVersion(viewName, successor), successor).present) return null
    const version = req.version as string
    const [from, to] = [version, successor].map((name) => this.history.positions.get(name)) as [number, number]
    const steps = this.history.of(method, viewName).between('query', from, to)
    return steps.length === 0 ? req.url : urlInSuccessor(req, steps, { version, req }, this.carriers)
  }

  has(change: object, version: string): boolean | undefined {
    const at = this.history.positions.get(version)
    const since = this.#changes.get(change as Change<object>)
    return at === undefined || since === undefined ? undefined : at >= since
  }

  putExchange(state: RequestState): void {
    const { version } = state
    if (version === null || version === undefined || (version === this.newest && !this.#touchesNewest)) return
    state.exchange ??= new Exchange(state)
  }

  noteMet(state: RequestState): void {
    if (state.version !== this.newest) this.putExchange(state)
    if (state.exchange !== undefined) state.exchange.met ??= new Set()
  }

  decided(req: Request, res: Response, state: RequestState): unknown {
    this.contract?.watch(req, res, state)
    const open = state.open && openRouteOf(state, req)
    const isNewest = state.version === this.newest
    if (open === undefined && isNewest && this.contract?.touchesNewest !== true) return this.#removed(req, state)
    if (open !== undefined) {
      state.exchange ??= new Exchange(state)
      return state.exchange.routeBegins(req, res, open, undefined)
    }
    const planned = this.planned(req, state)
    if (planned === undefined) return undefined
    const exchange = (state.exchange as Exchange | undefined) ?? new Exchange(state)
    state.exchange = exchange
    exchange.decided(req, res, planned)
    if (isNewest && this.#elsewhere !== undefined) return this.#removed(req, state)
    if (this.#elsewhere !== undefined) return this.#elsewhere.rejection(req, state, planned)
    if (planned.viewName === undefined && !isNewest) this.#plainRouters.watch(req, res, state)
    return planned.handling?.isHandled ? undefined : this.#unhandled(req, planned)
  }

  /** Returns the error for a request of the newest version whose operation is gone, though handlers elsewhere may be there. */
  #removed(req: Request, state: RequestState): Error | undefined {
    if (this.#elsewhere === undefined || !this.#touchesNewest || isPreflight(req)) return undefined
    const viewName = this.viewNameOf(req, state)
    if (viewName === undefined || this.operation(req.method, viewName, this.newest).present) return undefined
    return this.absent(req, viewName)
  }

  /** Returns the error for a request with steps that only a handler outside of the table can get. */
  #unhandled(req: Request, { plan, version, viewName, handling }: Planned): Error | undefined {
    const step = plan.query[0] ?? plan.request[0]
    if (step === undefined || isPreflight(req)) return undefined
    if (plan.query.length === 0 && !hasBody(req)) return undefined
    if (handling?.isNobodys) return this.absent(req, viewName as string)
    return new ChangeFailure(step, 'needs a handler of that route in the table', { version, req })
  }

  readsOther({ place }: RequestState): boolean {
    return this.#elsewhere?.readsOther(place as Root) === true
  }

  get hasElsewhere(): boolean {
    return this.#elsewhere !== undefined
  }

  viewNameOf({ method }: Request, { place }: RequestState): string | undefined {
    const viewName = matchOf(place)?.viewName ?? undefined
    if (this.#elsewhere === undefined || viewName === undefined) return viewName
    // Express itself responds to OPTIONS, where nobody described it.
    return method === 'OPTIONS' || this.history.routes.serves(viewName, method) ? viewName : undefined
  }

  planned(req: Request, state: RequestState, begun?: string): Planned | undefined {
    const { method } = req
    const { version } = state
    if (version === null || version === undefined) return undefined
    const at = this.history.positions.get(version)
    if (at === undefined)
      throw new TypeError(`req.version is ${shown(version)}, which the history of changes does not have.`)
    const viewName = begun ?? this.viewNameOf(req, state)
    const plan = this.history.of(method, viewName).planOf(at)
    const handling = viewName === undefined ? undefined : this.#handlers.of(plan, method, viewName)
    const elsewhere = version === this.newest ? undefined : this.#elsewhere
    const isMoved = viewName !== undefined && this.moves !== undefined && !this.#isAt(state, method, viewName, version)
    const isThere = plan.present && !isMoved
    return { history: this, method, viewName, version, plan, isThere, handling, elsewhere }
  }

  /** Tells whether a version has an operation at the path by which a request came. */
  #isAt({ moved }: RequestState, method: string, viewName: string, version: string): boolean {
    const older = moved?.route.viewName === viewName ? moved.route.entry : undefined
    return this.moves?.isAt(method, viewName, version, older) !== false
  }

  warnOfUnread(operation: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    process.emitWarning(
      `The changes of "${operation}" need the body of a request, which no parser has read; it was rejected with 415. Put express.json() in front of ${this.hasElsewhere ? 'convertRequest' : 'the routes'}, and let it take the types that your clients send.`,
      { code: 'EXPRESS_VERSIONING_BODY' },
    )
  }

  warnOfCut(failure: unknown): void {
    const { operation, version, message, cause } = failure as ChangeFailure & ChangeFacts
    if (this.#cut.has(operation)) return
    this.#cut.add(operation)
    process.emitWarning(
      `A stream of "${operation}" in version ${JSON.stringify(version)} was cut off, because its conversion failed after its first bytes had been sent, where no error handler can respond. ${message}`,
      { code: 'EXPRESS_VERSIONING_STREAM', ...(cause === undefined ? {} : { detail: inspected(cause) }) },
    )
  }

  /** Makes the rejection. It tells which version removed the operation, or adds it; else it is that of `byVersion()`. */
  absent(req: Request, viewName: string): NotFound {
    const { method } = req
    const state = peekState(req) as RequestState
    const { version, config } = state
    const isThere = (name: string, at: number) =>
      this.history.of(method, viewName).planOf(at).present && this.#isAt(state, method, viewName, name)
    const allowedVersions = this.history.versions.filter(
      (name, at) => config?.scheme.isAllowedVersion(name) && isThere(name, at),
    )
    const exchange = peekState(req)?.exchange as Exchange | undefined
    const plan = this.history.planIn(method, viewName, version as string)
    exchange?.note(plan)
    const code = 'ERR_VERSION_UNHANDLED'
    return new NotFound(this.#absence(plan, state, method, viewName), { code, version, allowedVersions })
  }

  /** Says why a version lacks an operation. Versions are the server's own words; nothing of the client's is repeated. */
  #absence({ present, ahead, since }: Presence, state: RequestState, method: string, viewName: string): string {
    const version = state.version as string
    if (!present) {
      const told = ahead ? 'This operation was added in version' : 'This operation was removed in version'
      return `${told} ${visible(this.history.versions[since as number] as string)}.`
    }
    if (!this.#isAt(state, method, viewName, version))
      return `This operation has another path in version ${visible(version)}.`
    return 'No handler for this version.'
  }
}

/** The look-out for JSON that plain routers send to older versions: no named route tells how to convert it. It warns once. */
class PlainRouters {
  #hasWarned = false

  /** Looks at the response of a request in an older version whose path no named route has. */
  watch(req: Request, res: Response, state: RequestState): void {
    if (this.#hasWarned) return
    const { version, config } = state
    res.once('finish', () => {
      // A later versioning() or byVersion() knows better.
      const isOthers = state.config !== config || state.version !== version || state.served !== undefined
      const { begun, keepsBody } = state.exchange as ConvertedExchange
      const isNamed = (begun ?? matchOf(state.place)?.viewName ?? undefined) !== undefined
      const { statusCode } = res
      if (this.#hasWarned || isOthers || keepsBody || isNamed || statusCode < 200 || statusCode > 299) return
      const type = res.getHeader('Content-Type')
      if (!isJsonType(type) && framingOf(type) === undefined) return
      this.#hasWarned = true
      // The path of the request is text of the client.
      const { path } = Object(req.route) as { readonly path?: unknown }
      const sender = path === undefined ? '' : ` The route ${JSON.stringify(String(path))} of Express sent it.`
      process.emitWarning(
        `JSON was sent to version ${JSON.stringify(version)} as the newest version has it, because no named route has the path of the request.${sender} Give it a name in the table, or list the path in "neutral".`,
        { code: 'EXPRESS_VERSIONING_UNCONVERTED' },
      )
    })
  }
}
