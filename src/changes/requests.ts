// The use of a history for requests: what each version has, and the plan of a request.
import type { Request, Response } from 'express'
import type { RequestChanges, RequestContract } from '../bound-changes'
import { NotFound } from '../errors'
import { framingOf } from '../http/framings'
import { isJsonType } from '../http/json'
import { isPreflight } from '../http/preflight'
import { matchOf } from '../request/place'
import { type ConvertedExchange, openRouteOf, peekState, type RequestState, type Root } from '../request/state'
import { NO_DEFINITIONS } from '../schemas/definitions'
import { ALL_METHODS } from '../util/operation'
import { shown } from '../util/options'
import { inspected, visible } from '../util/text'
import { type ChangeFacts, ChangeFailure, converted } from './convert/steps'
import { handlersElsewhere } from './http/elsewhere-alarms'
import { Exchange } from './http/exchange'
import { type ExchangeHistory, operationHandlers, type Planned } from './http/planned'
import { hasBody, urlInSuccessor } from './http/request-parts'
import type { BoundHistory } from './timeline/bound-history'
import type { BoundShapes } from './timeline/bound-shapes'
import type { Plan } from './timeline/operation-plans'
import { toldChanges } from './told'

/** The use of a history for requests: it selects the steps of a request and of its response, and the moment for them. */
export interface RequestConverter extends RequestChanges, ExchangeHistory {
  readonly contract: RequestContract | undefined
  readonly history: BoundHistory
}

/**
 * Makes the use of a history for requests.
 *
 * @param contractFor ties the contract to this history.
 * @param queryCarriers returns the query parameters that carry the version. A scheme of your own says them; requests ask it once.
 */
export function requestConverter(
  history: BoundHistory,
  contractFor?: (changes: RequestChanges) => RequestContract,
  queryCarriers = (): ReadonlySet<string> => new Set(),
): RequestConverter {
  const { changes, moves, names, positions, routes, shapes, versions } = history
  const newest = versions.at(-1) as string
  const handlersOf = operationHandlers(routes, shapes?.unhandled)
  const facts = routes.elsewhere()
  /** The look-out for handlers elsewhere; undefined if all are in the table. */
  const elsewhere = facts && handlersElsewhere(routes, facts.undocumented === 'pass', absent)
  const watchPlainRouters = plainRouters()
  /** The index of the version that each change is in. */
  const since = new Map<object, number>(changes.all.map(({ change, versionIndex }) => [change, versionIndex]))
  const marks = changes.all.flatMap(({ entries, versionIndex }) =>
    [...entries].flatMap(([key, { mark }]) => (mark === undefined ? [] : { key, mark, versionIndex })),
  )
  /** The index of the newest version that adds an operation. */
  const lastAdded = marks.findLast(({ mark }) => mark === 'added')?.versionIndex ?? -1
  /** The names with an added or removed operation. */
  const marked = new Set(marks.map(({ key }) => key.slice(key.indexOf(' ') + 1)))
  /** The view names, and whether they are among those. Clients cannot add to it. */
  const mayBeAbsent = new Map<string, boolean>()
  /** The operations of which a stream was cut off. */
  const cut = new Set<string>()
  let hasWarned = false
  let known: ReadonlySet<string> | undefined

  function operation(method: string, viewName: string, version: string): Plan {
    return history.planIn(method, viewName, version)
  }

  function putExchange(state: RequestState): void {
    const { version } = state
    if (version === null || version === undefined || (version === newest && !touchesNewest)) return
    state.exchange ??= new Exchange(state)
  }

  /** Returns the error for a request of the newest version whose operation is gone, though handlers elsewhere may be there. */
  function removed(req: Request, state: RequestState): Error | undefined {
    if (elsewhere === undefined || !touchesNewest || isPreflight(req)) return undefined
    const viewName = viewNameOf(req, state)
    if (viewName === undefined || operation(req.method, viewName, newest).present) return undefined
    return absent(req, viewName)
  }

  /** Returns the error for a request with steps that only a handler outside of the table can get. */
  function unhandled(req: Request, { plan, version, viewName, handling }: Planned): Error | undefined {
    const step = plan.query[0] ?? plan.request[0]
    if (step === undefined || isPreflight(req)) return undefined
    if (plan.query.length === 0 && !hasBody(req)) return undefined
    if (handling?.isNobodys) return absent(req, viewName as string)
    return new ChangeFailure(step, 'needs a handler of that route in the table', { version, req })
  }

  function viewNameOf({ method }: Request, { place }: RequestState): string | undefined {
    const viewName = matchOf(place)?.viewName ?? undefined
    if (elsewhere === undefined || viewName === undefined) return viewName
    // Express itself responds to OPTIONS, where nobody described it.
    return method === 'OPTIONS' || routes.serves(viewName, method) ? viewName : undefined
  }

  function plannedFor(req: Request, state: RequestState, begun?: string): Planned | undefined {
    const { method } = req
    const { version } = state
    if (version === null || version === undefined) return undefined
    const at = positions.get(version)
    if (at === undefined)
      throw new TypeError(`req.version is ${shown(version)}, which the history of changes does not have.`)
    const viewName = begun ?? viewNameOf(req, state)
    const plan = history.of(method, viewName).planOf(at)
    const isMoved = viewName !== undefined && moves !== undefined && !isAt(state, method, viewName, version)
    return {
      history: own,
      method,
      viewName,
      version,
      plan,
      isThere: plan.present && !isMoved,
      handling: viewName === undefined ? undefined : handlersOf(plan, method, viewName),
      elsewhere: version === newest ? undefined : elsewhere,
    }
  }

  /** Tells whether a version has an operation at the path by which a request came. */
  function isAt({ moved }: RequestState, method: string, viewName: string, version: string): boolean {
    const older = moved?.route.viewName === viewName ? moved.route.entry : undefined
    return moves?.isAt(method, viewName, version, older) !== false
  }

  function isThereIn(state: RequestState, method: string, viewName: string, version: string): boolean {
    return operation(method, viewName, version).present && isAt(state, method, viewName, version)
  }

  /** Makes the rejection. It tells which version removed the operation, or adds it; else it is that of `byVersion()`. */
  function absent(req: Request, viewName: string): NotFound {
    const { method } = req
    const state = peekState(req) as RequestState
    const { config } = state
    const version = state.version as string
    const allowedVersions = versions.filter(
      (name) => config?.scheme.isAllowedVersion(name) && isThereIn(state, method, viewName, name),
    )
    const plan = operation(method, viewName, version)
    ;(state.exchange as Exchange | undefined)?.note(plan)
    // Versions are the server's own words; nothing of the client's is repeated.
    const told = !plan.present
      ? `This operation was ${plan.ahead ? 'added' : 'removed'} in version ${visible(versions[plan.since as number] as string)}.`
      : isAt(state, method, viewName, version)
        ? 'No handler for this version.'
        : `This operation has another path in version ${visible(version)}.`
    return new NotFound(told, { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions })
  }

  // Without accessors, with which engines make a slow object of a literal.
  const own: RequestConverter & { contract: RequestContract | undefined } = {
    history,
    newest,
    moves,
    operation,
    putExchange,
    viewNameOf,
    planned: plannedFor,
    absent,
    hasElsewhere: elsewhere !== undefined,

    contract: undefined as RequestContract | undefined,

    carriers() {
      known ??= queryCarriers()
      return known
    },

    knows: (version) => version === null || version === undefined || positions.has(version),

    readsRequests(method, viewName, version) {
      const { request, query } = operation(method, viewName, version)
      if (request.length > 0 || query.length > 0) return true
      return own.contract?.checksOf(method, viewName, version) !== undefined
    },

    changesIn: (version, before) => toldChanges(history, version, before),

    definitionsIn: (version) => shapes?.definitionsIn(positions.get(version) ?? versions.length) ?? NO_DEFINITIONS,

    shape(name, direction, value, from, to) {
      const [one, other] = [from, to].map((version) => positions.get(version)) as [number, number]
      const steps = (shapes as BoundShapes).byHand(direction)(name, one, other)
      return converted('changesOf()', steps, value, direction === 'input' ? from : to)
    },

    isThere: (state: RequestState, method, viewName) => isThereIn(state, method, viewName, state.version as string),

    changeOf(method, viewName) {
      const { changes: applied } = history.of(method, viewName)
      const named = `${method} ${viewName}`
      return applied.find(({ entry, index }) => entry !== undefined || shapes?.converts(index, named))?.description
    },

    addsBehind(version) {
      const at = positions.get(version as string)
      return at !== undefined && (at < lastAdded || moves?.isIn(version as string) === true)
    },

    hasRoute(viewName, version) {
      let mayLack = mayBeAbsent.get(viewName)
      if (mayLack === undefined) {
        mayLack = names.keysOf(viewName).some((name) => marked.has(name))
        mayBeAbsent.set(viewName, mayLack)
      }
      if (!mayLack) return true
      const served = routes.methodsOf(viewName)
      const methods = served.length === 1 && served[0] === 'ALL' ? ALL_METHODS : served.filter((one) => one !== 'ALL')
      const named = names.versionIn(viewName) ?? version
      return methods.length === 0 || methods.some((method) => operation(method, viewName, named).present)
    },

    urlIn(req, viewName, successor) {
      const { method } = req
      if (!operation(method, names.inVersion(viewName, successor), successor).present) return null
      const version = req.version as string
      const [from, to] = [version, successor].map((name) => positions.get(name)) as [number, number]
      const steps = history.of(method, viewName).between('query', from, to)
      return steps.length === 0 ? req.url : urlInSuccessor(req, steps, { version, req }, own.carriers())
    },

    has(change, version) {
      const at = positions.get(version)
      const first = since.get(change)
      return at === undefined || first === undefined ? undefined : at >= first
    },

    noteMet(state: RequestState) {
      if (state.version !== newest) putExchange(state)
      if (state.exchange !== undefined) state.exchange.met ??= new Set()
    },

    decided(req, res, state: RequestState) {
      const { contract } = own
      contract?.watch(req, res, state)
      const open = state.open && openRouteOf(state, req)
      const isNewest = state.version === newest
      if (open === undefined && isNewest && contract?.touchesNewest !== true) return removed(req, state)
      if (open !== undefined) {
        state.exchange ??= new Exchange(state)
        return state.exchange.routeBegins(req, res, open, undefined)
      }
      const planned = plannedFor(req, state)
      if (planned === undefined) return undefined
      const exchange = (state.exchange as Exchange | undefined) ?? new Exchange(state)
      state.exchange = exchange
      exchange.decided(req, res, planned)
      if (elsewhere !== undefined) return isNewest ? removed(req, state) : elsewhere.rejection(req, state, planned)
      if (planned.viewName === undefined && !isNewest) watchPlainRouters(req, res, state)
      return planned.handling?.isHandled ? undefined : unhandled(req, planned)
    },

    readsOther: ({ place }: RequestState) => elsewhere?.readsOther(place as Root) === true,

    warnOfUnread(operation) {
      if (hasWarned) return
      hasWarned = true
      process.emitWarning(
        `The changes of "${operation}" need the body of a request, which no parser has read; it was rejected with 415. Put express.json() in front of ${own.hasElsewhere ? 'convertRequest' : 'the routes'}, and let it take the types that your clients send.`,
        { code: 'EXPRESS_VERSIONING_BODY' },
      )
    },

    warnOfCut(failure) {
      const { operation, version, message, cause } = failure as ChangeFailure & ChangeFacts
      if (cut.has(operation)) return
      cut.add(operation)
      process.emitWarning(
        `A stream of "${operation}" in version ${JSON.stringify(version)} was cut off, because its conversion failed after its first bytes had been sent, where no error handler can respond. ${message}`,
        { code: 'EXPRESS_VERSIONING_STREAM', ...(cause === undefined ? {} : { detail: inspected(cause) }) },
      )
    },
  }
  own.contract = contractFor?.(own)
  /** `true` if an operation may be absent in the newest version, or is checked. Otherwise requests of that version need nothing. */
  const touchesNewest = marks.some(({ mark }) => mark === 'removed') || own.contract?.touchesNewest === true
  return own
}

/**
 * Makes the look-out for JSON that plain routers send to older versions: no named route tells how to convert it. It warns once. It looks at
 * the response of a request in an older version whose path no named route has.
 */
function plainRouters() {
  let hasWarned = false
  return (req: Request, res: Response, state: RequestState): void => {
    if (hasWarned) return
    const { version, config } = state
    res.once('finish', () => {
      // A later versioning() or byVersion() knows better.
      const isOthers = state.config !== config || state.version !== version || state.served !== undefined
      const { begun, keepsBody } = state.exchange as ConvertedExchange
      const isNamed = (begun ?? matchOf(state.place)?.viewName ?? undefined) !== undefined
      const { statusCode } = res
      if (hasWarned || isOthers || keepsBody || isNamed || statusCode < 200 || statusCode > 299) return
      const type = res.getHeader('Content-Type')
      if (!isJsonType(type) && framingOf(type) === undefined) return
      hasWarned = true
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
