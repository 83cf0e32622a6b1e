import type { Request, Response } from 'express'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import { rootOf, walkOf } from '../request/place'
import { type OpenRoute, peekState, type RequestState } from '../request/state'
import type { RequestChanges } from '../types'
import { operationMethod } from '../util/operation'
import { shown } from '../util/options'
import { convertAnswers } from './answer'
import type { Composer, Plan, Release } from './composing'
import { convertRequest } from './sent'
import { Conversion } from './steps'

/** What a history does with requests: which steps a request or an answer takes, and when. */
export class RequestConverter implements RequestChanges {
  readonly #composer: Composer
  readonly #versions: readonly string[]
  /** The index of each version. */
  readonly #positions: ReadonlyMap<string, number>
  /** The index of the version that each change is in. */
  readonly #changes: ReadonlyMap<object, number>
  readonly #newest: string
  /** Whether an operation may be absent in the newest version; else that one needs nothing. */
  readonly #removes: boolean

  constructor(releases: readonly Release[], composer: Composer) {
    this.#composer = composer
    this.#versions = releases.map(({ version }) => version)
    this.#positions = new Map(this.#versions.map((version, at) => [version, at]))
    this.#changes = new Map(releases.flatMap(({ changes }, at) => changes.map((change) => [change, at] as const)))
    this.#newest = this.#versions.at(-1) as string
    const entries = releases.flatMap(({ changes }) => changes.flatMap((change) => [...change.entries.values()]))
    this.#removes = entries.some(({ mark }) => mark === 'removed')
  }

  knows(version: string | null | undefined): boolean {
    return version === null || version === undefined || this.#positions.has(version)
  }

  hasOperation(method: string, viewName: string, version: string): boolean {
    const at = this.#positions.get(version)
    return at === undefined || this.#composer.planOf(operationMethod(method), viewName, at).present
  }

  convertsRequests(method: string, viewName: string, version: string): boolean {
    const at = this.#positions.get(version)
    if (at === undefined) return false
    const { request, query } = this.#composer.planOf(operationMethod(method), viewName, at)
    return request.length > 0 || query.length > 0
  }

  has(change: object, version: string): boolean | undefined {
    const at = this.#positions.get(version)
    const since = this.#changes.get(change)
    return at === undefined || since === undefined ? undefined : at >= since
  }

  decided(req: Request, res: Response): unknown {
    const state = peekState(req) as RequestState
    const { open } = state
    if (open?.leave !== undefined && open.leave === req.next) return this.#open(req, res, state, open)
    if (state.version !== this.#newest) this.#prepare(req, res, state, this.#planOf(req, state))
    return undefined
  }

  begin(req: Request, res: Response, viewName: () => string): unknown {
    const state = peekState(req) as RequestState
    const { version } = state
    if (version === null || version === undefined || (version === this.#newest && !this.#removes)) return undefined
    state.begun = viewName()
    return this.#open(req, res, state, state.open as OpenRoute)
  }

  /** Converts the request for the handlers of a route, and sees to it that its answer will be. */
  #open(req: Request, res: Response, state: RequestState, open: OpenRoute): unknown {
    try {
      const plan = this.#planOf(req, state)
      if (!plan.present && !isPreflight(req)) return this.#absent(req, state)
      this.#prepare(req, res, state, plan)
      if (open.converted?.plan === plan) return undefined
      // By an outer versioning(): the last that runs wins.
      open.converted?.takeBack()
      open.converted = undefined
      const takeBack = convertRequest(plan, { version: state.version as string, req, res })
      if (takeBack !== undefined) open.converted = { plan, takeBack }
      return undefined
    } catch (error) {
      return error
    }
  }

  /** Puts nothing on an answer that stays as it is. */
  #prepare(req: Request, res: Response, state: RequestState, { convertsAnswers }: Plan): void {
    if (convertsAnswers) convertAnswers(req, res, state)
  }

  conversion(req: Request, res: Response, status: number): Conversion | undefined {
    const state = peekState(req) as RequestState
    const steps = this.#planOf(req, state).answers(status)
    return steps.length === 0 ? undefined : new Conversion(steps, { version: state.version as string, req, res })
  }

  #planOf(req: Request, state: RequestState): Plan {
    const { version } = state
    if (version === null || version === undefined) return UNCHANGED
    const at = this.#positions.get(version)
    if (at !== undefined) return this.#composer.planOf(operationMethod(req.method), viewNameOf(state), at)
    throw new TypeError(`req.version is ${shown(version)}, which the history of changes does not have.`)
  }

  /** As `byVersion()` refuses what it has no handler for. */
  #absent({ method }: Request, state: RequestState): NotFound {
    const { version, config } = state
    const viewName = viewNameOf(state)
    const isThere = (at: number) => this.#composer.planOf(operationMethod(method), viewName, at).present
    const allowedVersions = this.#versions.filter((name, at) => config?.scheme.isAllowedVersion(name) && isThere(at))
    return new NotFound('No handler for this version.', { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions })
  }
}

/** The named route that began last; before any did, the one that the path belongs to. */
function viewNameOf(state: RequestState): string | undefined {
  return state.begun ?? walkOf(rootOf(state))?.viewName ?? undefined
}

const UNCHANGED: Plan = {
  present: true,
  request: [],
  query: [],
  response: [],
  error: [],
  answers: () => [],
  convertsAnswers: false,
}
