// The answers of an operation in an older version: steps, status and header fields.
import type { Request, Response } from 'express'
import { isBodyless } from '../http/representation'
import { type CompiledHead, changeHeader, type HeaderChange } from './head'
import { joined } from './shapes/passes'
import { answerStep, type BodyStep, type CompiledStep, Conversion, type RunContext, type ShapePass } from './steps'

/** The changed shapes in the bodies of one operation. Changes are named by their index. */
export interface BodyShapes {
  /** The described statuses of its answers with success; 200 if there are none. */
  readonly successes: readonly [number, ...number[]]
  /** Tells whether a change converts any shape in its bodies. */
  meets(index: number): boolean
  /** Tells whether a change converts any shape in its answers. */
  meetsAnswers(index: number): boolean
  /** Returns the conversion of a change for the shapes in its body. */
  request(index: number): ShapePass | undefined
  /** Returns the conversion of a change for the shapes in its query. */
  query(index: number): ShapePass | undefined
  /** Returns the conversion of a change for the shapes in its answers of a status of the newest version, or a refusal of that status. */
  response(index: number, newest: number): ShapePass | undefined
}

/** The part of a change about the answers of an operation. */
export interface AnswerChange {
  /** The place of the change among all of the history. */
  readonly index: number
  readonly response: CompiledStep | undefined
  readonly error: CompiledStep | undefined
  readonly head: CompiledHead | undefined
}

/** The conversion of the answers of one status. */
export interface AnswerPlan {
  /** The steps in the order in which a body passes them. */
  readonly steps: readonly BodyStep[]
  /** The status in the older version. */
  readonly status: number
  /** The changes of header fields in their order, each with the status on its older side. */
  readonly headers: readonly { readonly change: HeaderChange; readonly status: number }[]
  /** `true` if the first step makes the body, because a newer status has none. */
  readonly isMade: boolean
  /** `true` for the answer to a condition on converted bytes. */
  readonly namesNothing: boolean
}

/** The conversions of the answers of one operation in one version, by their status. */
export class AnswerPlans {
  readonly #changes: readonly AnswerChange[]
  readonly #shapes: BodyShapes | undefined
  readonly #byStatus = new Map<number, AnswerPlan | undefined>()
  #convertSuccess: boolean | undefined
  /** `true` if answers of any status change. */
  readonly convert: boolean

  /** @param changes the changes, the newest first. */
  constructor(changes: readonly AnswerChange[], shapes?: BodyShapes) {
    this.#changes = changes.filter(
      ({ index, response, error, head }) => (response ?? error ?? head) !== undefined || shapes?.meetsAnswers(index),
    )
    this.#shapes = shapes
    this.convert = this.#changes.length > 0
  }

  /** `true` if answers with success are converted. */
  get convertSuccess(): boolean {
    this.#convertSuccess ??= (this.#shapes?.successes ?? [200]).some((status) => this.#stepsOf(status).length > 0)
    return this.#convertSuccess
  }

  /** Returns the conversion of answers of a status; `undefined` if they stay as they are. */
  of(status: number): AnswerPlan | undefined {
    if (!this.#byStatus.has(status)) this.#byStatus.set(status, this.#planOf(status))
    return this.#byStatus.get(status)
  }

  /** Returns the steps of an answer with success. Without shapes, a body that is converted by hand has no status. */
  get ofSuccess(): readonly BodyStep[] {
    if (this.#shapes !== undefined) return this.#stepsOf(this.#shapes.successes[0])
    return joined(this.#changes.flatMap(({ response }) => response ?? []))
  }

  #stepsOf(status: number): readonly BodyStep[] {
    return this.of(status)?.steps ?? []
  }

  #planOf(newest: number): AnswerPlan | undefined {
    let found: BodyStep[] = []
    const headers: { change: HeaderChange; status: number }[] = []
    let status = newest
    let isMade = false
    for (const { index, response, error, head } of this.#changes) {
      const older = head?.status.get(status) ?? status
      // The status of the newer side selects the step, because the step gets that side.
      const kind = answerStep(status, older)
      const step = kind === 'error' ? error : kind && response
      if (step !== undefined) found.push(step)
      isMade ||= kind === 'made' && step !== undefined
      const pass = isBodyless(status) && !isMade ? undefined : this.#shapes?.response(index, newest)
      if (pass !== undefined) found.push(pass)
      status = older
      if (isBodyless(status)) [found, isMade] = [[], false]
      for (const change of head?.headers.values() ?? []) headers.push({ change, status })
    }
    const steps = joined(found)
    const namesNothing = (newest === 304 || newest === 412) && this.convertSuccess
    if (steps.length + headers.length === 0 && status === newest && !namesNothing) return undefined
    return { steps, status, headers, isMade, namesNothing }
  }
}

/** One answer of the newest version on its way to an older one. */
export class PlannedAnswer {
  /** The conversion of a JSON body; `undefined` if it stays. */
  readonly conversion: Conversion | undefined
  /** The steps that make its JSON body, whatever the newer one. */
  readonly made: Conversion | undefined
  /** The older status. */
  readonly status: number
  /** `true` if it has no body, because one of the two statuses has none. */
  readonly isBare: boolean
  /** `true` if the handler decided it by the bytes of the newest version: it must not name them. */
  readonly namesNothing: boolean
  /** `true` if header fields change. */
  readonly hasHeaders: boolean
  readonly #headers: AnswerPlan['headers']
  readonly #context: RunContext & { readonly res: Response }

  constructor(
    { steps, status, headers, isMade, namesNothing }: AnswerPlan,
    newest: number,
    context: RunContext & { readonly req: Request; readonly res: Response },
    keepsBody: boolean,
  ) {
    const conversion = steps.length === 0 || keepsBody ? undefined : new Conversion(steps, context)
    this.conversion = isMade ? undefined : conversion
    this.made = isMade ? conversion : undefined
    this.status = status
    this.isBare = status !== newest && !isMade && (isBodyless(status) || isBodyless(newest))
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
