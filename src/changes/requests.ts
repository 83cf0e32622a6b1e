import type { NextFunction, Request, Response } from 'express'
import { NotFound } from '../errors'
import { isPreflight } from '../http/preflight'
import { rootOf, walkOf } from '../request/place'
import { peekState, type RequestState } from '../request/state'
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

  decided(req: Request, res: Response): void {
    const state = peekState(req) as RequestState
    if (state.version !== this.#newest) this.#prepare(req, res, state, this.#planOf(req, state))
  }

  begin(req: Request, res: Response, viewName: () => string, next: NextFunction): NextFunction | undefined {
    const state = peekState(req) as RequestState
    const { version } = state
    if (version === null || version === undefined || (version === this.#newest && !this.#removes)) return next
    state.begun = viewName()
    let plan: Plan
    try {
      plan = this.#planOf(req, state)
    } catch (error) {
      next(error)
      return undefined
    }
    if (!plan.present && !isPreflight(req)) {
      next(this.#absent(req, state))
      return undefined
    }
    this.#prepare(req, res, state, plan)
    return convertRequest(plan, { version, req, res }, next)
  }

  /** Puts nothing on an answer that stays as it is. */
  #prepare(req: Request, res: Response, state: RequestState, { response, error }: Plan): void {
    if (response.length > 0 || error.length > 0) convertAnswers(req, res, state)
  }

  conversion(req: Request, res: Response, status: number): Conversion | undefined {
    const state = peekState(req) as RequestState
    const { response, error } = this.#planOf(req, state)
    const steps = status >= 400 ? error : response
    return steps.length === 0 ? undefined : new Conversion(steps, { version: state.version as string, req, res })
  }

  /** Of the named route that began last; before any did, of the one that the path belongs to. */
  #planOf(req: Request, state: RequestState): Plan {
    const { version } = state
    if (version === null || version === undefined) return UNCHANGED
    const viewName = state.begun ?? walkOf(rootOf(state))?.viewName ?? undefined
    const at = this.#positions.get(version)
    if (at !== undefined) return this.#composer.planOf(operationMethod(req.method), viewName, at)
    throw new TypeError(`req.version is ${shown(version)}, which the history of changes does not have.`)
  }

  /** As `byVersion()` refuses what it has no handler for. */
  #absent({ method }: Request, { version, begun, config }: RequestState): NotFound {
    const isThere = (at: number) => this.#composer.planOf(operationMethod(method), begun, at).present
    const allowedVersions = this.#versions.filter((name, at) => config?.scheme.isAllowedVersion(name) && isThere(at))
    return new NotFound('No handler for this version.', { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions })
  }
}

const UNCHANGED: Plan = { present: true, request: [], query: [], response: [], error: [] }
