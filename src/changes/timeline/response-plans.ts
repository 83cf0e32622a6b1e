// The responses of an operation in an older version: steps, status and header fields.
import type { Request, Response } from 'express'
import { isBodyless } from '../../http/representation'
import { fused } from '../convert/shape-converter'
import { type BodyStep, Conversion, type RunContext, type ShapeConversion } from '../convert/steps'
import { changeHeader, type HeaderChange } from '../describe/response-head'
import type { AppliedChange } from './operation-changes'
import { responseTrail } from './response-trail'

/** The changed shapes in the bodies of one operation. Changes are named by their index. */
export interface BodyShapes {
  /** The described statuses of its responses with success; 200 if there are none. */
  readonly successes: readonly [number, ...number[]]
  /** Tells whether a change converts any shape in its bodies. */
  meets(index: number): boolean
  /** Tells whether a change converts any shape in its responses. */
  meetsResponses(index: number): boolean
  /** Returns the conversion of a change for the shapes in its body. */
  request(index: number): ShapeConversion | undefined
  /** Returns the conversion of a change for the shapes in its query. */
  query(index: number): ShapeConversion | undefined
  /**
   * Returns the conversion of a change for the shapes in its responses of a status of the newest version, or a rejection of that
   * status.
   *
   * @param source the handler, or a step that made the body.
   */
  response(index: number, newest: number, source: 'handler' | 'step'): ShapeConversion | undefined
}

/** The conversion of the responses of one status. */
interface ResponsePlan {
  /** The steps in the order in which a body passes them. */
  readonly steps: readonly BodyStep[]
  /** The status in the older version. */
  readonly status: number
  /** The changes of header fields in their order, each with the status on its older side. */
  readonly headers: readonly { readonly change: HeaderChange; readonly status: number }[]
  /** The source of the older body: the handler or a step; undefined for no body, because a status on the way has none. */
  readonly source: 'handler' | 'step' | undefined
  /** `true` for the response to a condition on converted bytes. */
  readonly namesNothing: boolean
}

/** The conversions of the responses of one operation in one version, by their status. */
export class ResponsePlans {
  readonly #changes: readonly AppliedChange[]
  readonly #shapes: BodyShapes | undefined
  readonly #byStatus = new Map<number, ResponsePlan | undefined>()
  #convertSuccess: boolean | undefined
  /** `true` if responses of any status change. */
  readonly convert: boolean

  /** @param changes the changes, the newest first. */
  constructor(changes: readonly AppliedChange[], shapes?: BodyShapes) {
    this.#changes = changes.filter(
      ({ index, entry, error, head }) =>
        (entry?.steps.response ?? error ?? head) !== undefined || shapes?.meetsResponses(index),
    )
    this.#shapes = shapes
    this.convert = this.#changes.length > 0
  }

  /** `true` if responses with success are converted. */
  get convertSuccess(): boolean {
    this.#convertSuccess ??= (this.#shapes?.successes ?? [200]).some((status) => this.#stepsOf(status).length > 0)
    return this.#convertSuccess
  }

  /** Returns the conversion of responses of a status; `undefined` if they stay as they are. */
  of(status: number): ResponsePlan | undefined {
    if (!this.#byStatus.has(status)) this.#byStatus.set(status, this.#planOf(status))
    return this.#byStatus.get(status)
  }

  /**
   * Returns the conversion of a response without a status: that of the first success with a body, or without one; else of 200.
   *
   * @param described the described statuses of success.
   */
  ofBody(hasBody: boolean, described: readonly number[]): ResponsePlan | undefined {
    const changed = this.#changes.flatMap(({ head }) => [...(head?.status.keys() ?? [])])
    const known = [...described, ...(hasBody ? [] : changed)].find(
      (status) => status >= 200 && status < 300 && isBodyless(status) !== hasBody,
    )
    return this.of(known ?? 200)
  }

  #stepsOf(status: number): readonly BodyStep[] {
    return this.of(status)?.steps ?? []
  }

  #planOf(newest: number): ResponsePlan | undefined {
    let found: BodyStep[] = []
    const headers: { change: HeaderChange; status: number }[] = []
    const trail = responseTrail(newest, this.#changes)
    for (const { applied, status, step, source } of trail) {
      if (step !== undefined) found.push(step)
      const conversion = source && this.#shapes?.response(applied.index, newest, source)
      if (conversion !== undefined) found.push(conversion)
      if (source === undefined) found = []
      for (const change of applied.head?.headers.values() ?? []) headers.push({ change, status })
    }
    const { status, source } = trail.at(-1) ?? { status: newest, source: 'handler' }
    const steps = fused(found)
    const namesNothing = (newest === 304 || newest === 412) && this.convertSuccess
    const isBare = source === undefined && !isBodyless(newest)
    if (steps.length + headers.length === 0 && status === newest && !isBare && !namesNothing) return undefined
    return { steps, status, headers, source, namesNothing }
  }
}

/** One response of the newest version on its way to an older one. */
export class PlannedResponse {
  /** The conversion of a JSON body; `undefined` if it stays. */
  readonly conversion: Conversion | undefined
  /** The steps that make its JSON body, whatever the newer one. */
  readonly made: Conversion | undefined
  /** The older status. */
  readonly status: number
  /** `true` if it has no body, because a status on the way has none. */
  readonly isBare: boolean
  /** `true` if the handler decided it by the bytes of the newest version: it must not name them. */
  readonly namesNothing: boolean
  /** `true` if header fields change. */
  readonly hasHeaders: boolean
  readonly #headers: ResponsePlan['headers']
  readonly #context: RunContext & { readonly res: Response }

  constructor(
    { steps, status, headers, source, namesNothing }: ResponsePlan,
    newest: number,
    context: RunContext & { readonly req: Request; readonly res: Response },
    keepsBody: boolean,
  ) {
    const conversion = steps.length === 0 || keepsBody ? undefined : new Conversion(steps, context)
    this.conversion = source === 'handler' ? conversion : undefined
    this.made = source === 'step' ? conversion : undefined
    this.status = status
    this.isBare = source === undefined && (status !== newest || !isBodyless(newest))
    this.namesNothing = namesNothing
    this.hasHeaders = headers.length > 0
    this.#headers = headers
    this.#context = context
  }

  /**
   * Writes the older values of the header fields.
   *
   * @throws {ChangeFailure} if a function fails.
   */
  writeHeaders(): void {
    for (const { change, status } of this.#headers) changeHeader(change, this.#context.res, status, this.#context)
  }
}
