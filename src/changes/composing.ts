import { ALL, type Operation, tails } from '../util/operation'
import type { CompiledChange, Entry } from './change'
import { AnswerShapes } from './shapes/answers'
import type { BoundShapes, OperationHistory } from './shapes/bound'
import type { OperationShapes } from './shapes/operations'
import type { CompiledStep, ShapePass, StepKind } from './steps'

/** What lies between one version and the newest, for one operation; steps in the order in which values pass them. */
export interface Plan extends Readonly<Record<StepKind, readonly (CompiledStep | ShapePass)[]>> {
  /** Whether the operation is there in that version. */
  readonly present: boolean
  /** The steps of answers of a status, shapes among them. */
  answers(status: number): readonly (CompiledStep | ShapePass)[]
  /** Whether there are steps for answers of any status. */
  readonly convertsAnswers: boolean
}

/** One version of a history, and what changed in it. */
export interface Release {
  readonly version: string
  readonly changes: readonly CompiledChange[]
}

/** What one change says of an operation, and where it stands. */
interface Passage {
  /** The index of its version. */
  readonly at: number
  /** The index of the change. */
  readonly index: number
  /** Undefined where it speaks of shapes in the operation alone. */
  readonly entry: Entry | undefined
  /** Its `error`, or that of all operations. */
  readonly error: CompiledStep | undefined
}

/** The plans of one operation: as many as there are versions that changed it, whatever the number of others. */
class OperationPlans {
  readonly #passages: readonly Passage[]
  /** By the number of passages that a version has behind it. */
  readonly #composed: (Plan | undefined)[] = []
  /** By the index of the version. */
  readonly #plans: (Plan | undefined)[] = []

  constructor(
    passages: readonly Passage[],
    private readonly shapes: OperationShapes | undefined,
  ) {
    this.#passages = passages
  }

  planOf(at: number): Plan {
    let plan = this.#plans[at]
    if (plan === undefined) {
      const ahead = this.#passages.findIndex((passage) => passage.at > at)
      const behind = ahead === -1 ? this.#passages.length : ahead
      plan = this.#composed[behind] ?? compose(this.#passages, behind, this.shapes)
      this.#composed[behind] = plan
      this.#plans[at] = plan
    }
    return plan
  }
}

function compose(passages: readonly Passage[], behind: number, shapes: OperationShapes | undefined): Plan {
  const newer = passages.slice(behind)
  const stepsOf = (kind: 'request' | 'query' | 'response') => newer.flatMap(({ entry }) => entry?.steps[kind] ?? [])
  const response = stepsOf('response').reverse()
  const error = newer.flatMap(({ error }) => error ?? []).reverse()
  return {
    present: isPresent(passages, behind),
    request: newer.flatMap(({ index, entry }) => [shapes?.request(index) ?? [], entry?.steps.request ?? []].flat()),
    query: stepsOf('query'),
    response,
    error,
    ...answersOf(newer, shapes),
  }
}

function answersOf(
  newer: readonly Passage[],
  shapes: OperationShapes | undefined,
): Pick<Plan, 'answers' | 'convertsAnswers'> {
  const passes =
    shapes &&
    new AnswerShapes(
      shapes,
      newer.map(({ index }) => index),
    )
  const answers = (status: number) =>
    newer.toReversed().flatMap(({ index, entry, error }) => {
      const own = status >= 400 ? error : entry?.steps.response
      return [own ?? [], passes?.of(index, status) ?? []].flat()
    })
  return {
    answers: (status) => passes?.refusal(status) ?? answers(status),
    convertsAnswers: (passes?.convert ?? false) || answers(200).length > 0 || answers(400).length > 0,
  }
}

/** The last mark behind a version decides; with none, the first one, which is ahead: what is removed then is still there. */
function isPresent(passages: readonly Passage[], behind: number): boolean {
  const isMarked = ({ entry }: Passage) => entry?.mark !== undefined
  const last = passages.slice(0, behind).findLast(isMarked)
  if (last !== undefined) return last.entry?.mark === 'added'
  return passages.find(isMarked)?.entry?.mark !== 'added'
}

/** Composes the steps of a history: each pair of operation and version once, when it is first asked for. */
export class Composer {
  readonly #changes: readonly { readonly at: number; readonly change: CompiledChange }[]
  /** By view name and method: a key made of both would be hashed anew for each request. */
  readonly #operations = new Map<string | undefined, Map<string, OperationPlans>>()

  constructor(
    releases: readonly Release[],
    private readonly shapes?: BoundShapes,
  ) {
    this.#changes = releases.flatMap(({ changes }, at) => changes.map((change) => ({ at, change })))
  }

  /** @param viewName with its namespaces; undefined for what no named route answers, of which `'*'` alone speaks. */
  planOf(method: string, viewName: string | undefined, at: number): Plan {
    let methods = this.#operations.get(viewName)
    if (methods === undefined) {
      methods = new Map()
      this.#operations.set(viewName, methods)
    }
    let plans = methods.get(method)
    if (plans === undefined) {
      const shapes = viewName === undefined ? undefined : this.shapes?.operation(method, viewName)
      plans = new OperationPlans(
        this.#passages(viewName === undefined ? undefined : { method, viewName }, shapes),
        shapes,
      )
      methods.set(method, plans)
    }
    return plans.planOf(at)
  }

  #passages(operation: Operation | undefined, shapes: OperationShapes | undefined): Passage[] {
    const keys = operation === undefined ? [] : tails(operation.viewName).map((name) => `${operation.method} ${name}`)
    return this.#changes.flatMap(({ at, change }, index) => {
      // The longest name that fits wins.
      const key = keys.find((name) => change.entries.has(name))
      const entry = change.entries.get(key ?? ALL)
      if (entry === undefined && shapes?.meets(index) !== true) return []
      return [{ at, index, entry, error: entry?.steps.error ?? change.entries.get(ALL)?.steps.error }]
    })
  }

  /** What the history says of an operation, shapes aside. */
  historyOf(method: string, viewName: string): OperationHistory {
    const passages = new Map(this.#passages({ method, viewName }, undefined).map((passage) => [passage.index, passage]))
    return {
      saying: (index) => {
        const { entry, error } = passages.get(index) ?? {}
        if (entry === undefined && error === undefined) return undefined
        const { request, response } = entry?.steps ?? {}
        return {
          has: { request: request !== undefined, response: response !== undefined, error: error !== undefined },
          older: entry?.older,
          olderStatus: (status) => status,
        }
      },
      isThereBefore: (index) =>
        Array.from({ length: this.#changes[index]?.at ?? 0 }, (_, at) => at).some(
          (at) => this.planOf(method, viewName, at).present,
        ),
    }
  }
}
