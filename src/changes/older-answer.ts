import type { Request, Response } from 'express'
import { isBodyless } from '../http/representation'
import type { OlderAnswer, OlderHead } from '../types'
import { type CompiledHead, changeHeader, type HeaderChange } from './head'
import { type CompiledStep, Conversion, type RunContext } from './steps'

/** What one change says of the answers of an operation. */
export interface AnswerChange {
  readonly response: CompiledStep | undefined
  readonly error: CompiledStep | undefined
  readonly head: CompiledHead | undefined
}

/** What becomes of the answers of one status. */
export interface AnswerPlan {
  /** In the order in which a body passes them. */
  readonly steps: readonly CompiledStep[]
  /** That of the older version. */
  readonly status: number
  /** In the order in which they are made, each with the status of its older side. */
  readonly headers: readonly { readonly change: HeaderChange; readonly status: number }[]
}

/** What becomes of the answers of one operation in one version, by their status. */
export class AnswerPlans {
  readonly #changes: readonly AnswerChange[]
  readonly #byStatus = new Map<number, AnswerPlan | undefined>()
  /** Whether there is anything to do for answers of any status. */
  readonly convert: boolean

  /** @param changes the newest first. */
  constructor(changes: readonly AnswerChange[]) {
    this.#changes = changes.filter(({ response, error, head }) => (response ?? error ?? head) !== undefined)
    this.convert = this.#changes.length > 0
  }

  /** @returns `undefined` for answers that stay as they are. */
  of(status: number): AnswerPlan | undefined {
    if (!this.#byStatus.has(status)) this.#byStatus.set(status, this.#planOf(status))
    return this.#byStatus.get(status)
  }

  #planOf(newest: number): AnswerPlan | undefined {
    const steps: CompiledStep[] = []
    const headers: { change: HeaderChange; status: number }[] = []
    let status = newest
    for (const { response, error, head } of this.#changes) {
      // By the status of the newer side: that is what the step gets.
      const step = status >= 400 ? error : isSuccess(status) ? response : undefined
      if (step !== undefined) steps.push(step)
      status = head?.status.get(status) ?? status
      for (const change of head?.headers.values() ?? []) headers.push({ change, status })
    }
    return steps.length + headers.length === 0 && status === newest ? undefined : { steps, status, headers }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && !isBodyless(status)
}

/** Returns what is sure of the head of an answer, whatever the answer: a function may give any value, or none. */
export function olderHead(plan: AnswerPlan | undefined, newest: number): OlderHead {
  const dropped = new Set<string>()
  for (const { change } of plan?.headers ?? []) {
    const name = change.name.toLowerCase()
    if (change.step === null) dropped.add(name)
    // It may give the field a value again.
    else dropped.delete(name)
  }
  return { status: plan?.status ?? newest, dropped }
}

/** One answer of the newest version on its way to an older one. */
export class PlannedAnswer implements OlderAnswer {
  readonly conversion: Conversion | undefined
  readonly status: number
  readonly isBare: boolean
  readonly #headers: AnswerPlan['headers']
  readonly #context: RunContext & { readonly res: Response }

  constructor(
    { steps, status, headers }: AnswerPlan,
    newest: number,
    context: RunContext & { readonly req: Request; readonly res: Response },
    keepsBody: boolean,
  ) {
    this.conversion = steps.length === 0 || keepsBody ? undefined : new Conversion(steps, context)
    this.status = status
    this.isBare = status !== newest && (isBodyless(status) || isBodyless(newest))
    this.#headers = headers
    this.#context = context
  }

  writeHeaders(): void {
    for (const { change, status } of this.#headers) changeHeader(change, this.#context.res, status, this.#context)
  }
}
