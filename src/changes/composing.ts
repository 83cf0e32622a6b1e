import { ALL, type Operation, tails } from '../util/operation'
import type { CompiledChange, Entry } from './change'
import { type CompiledHead, mergedHead } from './head'
import { AnswerPlans } from './older-answer'
import type { BodyShapes } from './shapes/body-shapes'
import { joined } from './shapes/passes'
import type { BodyStep, CompiledStep } from './steps'

/** What lies between one version and the newest, for one operation; steps in the order in which values pass them. */
export interface Plan {
  readonly request: readonly BodyStep[]
  readonly query: readonly CompiledStep[]
  /** Of an answer with success. */
  readonly response: readonly BodyStep[]
  /** Whether the operation is there in that version. */
  readonly present: boolean
  /** Whether it is not there yet; else it was removed. */
  readonly ahead: boolean
  /** What becomes of its answers, by their status. */
  readonly answers: AnswerPlans
}

/** One version of a history, and what changed in it. */
export interface Release {
  readonly version: string
  readonly changes: readonly CompiledChange[]
}

/** What one change says of an operation, and where it stands. */
export interface Passage {
  /** The index of its version. */
  readonly at: number
  /** The place of the change among all of the history. */
  readonly index: number
  readonly change: CompiledChange
  /** What it says of that operation alone; undefined where it speaks of all. */
  readonly entry: Entry | undefined
  /** Its `error`, or that of all operations. */
  readonly error: CompiledStep | undefined
  /** What it says of heads, over what it says of those of all operations. */
  readonly head: CompiledHead | undefined
}

/** The plans of one operation: as many as there are versions that changed it, whatever the number of others. */
class OperationPlans {
  /** By the number of passages that a version has behind it. */
  readonly #composed: (Plan | undefined)[] = []
  /** By the index of the version. */
  readonly #plans: (Plan | undefined)[] = []

  constructor(
    readonly passages: readonly Passage[],
    private readonly shapes: BodyShapes | undefined,
  ) {}

  planOf(at: number): Plan {
    let plan = this.#plans[at]
    if (plan === undefined) {
      const ahead = this.passages.findIndex((passage) => passage.at > at)
      const behind = ahead === -1 ? this.passages.length : ahead
      plan = this.#composed[behind] ?? compose(this.passages, behind, this.shapes)
      this.#composed[behind] = plan
      this.#plans[at] = plan
    }
    return plan
  }
}

function compose(passages: readonly Passage[], behind: number, shapes: BodyShapes | undefined): Plan {
  const newer = passages.slice(behind)
  const stepsOf = (kind: 'request' | 'query' | 'response') => newer.flatMap(({ entry }) => entry?.steps[kind] ?? [])
  const answers = new AnswerPlans(
    newer.map(({ index, entry, error, head }) => ({ index, response: entry?.steps.response, error, head })).reverse(),
    shapes?.answers(newer.map(({ index }) => index)),
  )
  return {
    ...presence(passages, behind),
    request: joined(
      newer.flatMap(({ index, entry }) => [shapes?.request(index) ?? [], entry?.steps.request ?? []].flat()),
    ),
    query: stepsOf('query'),
    response: shapes === undefined ? stepsOf('response').reverse() : (answers.of(shapes.success)?.steps ?? []),
    answers,
  }
}

/** The last mark behind a version decides; with none, the first one, which is ahead: what is removed then is still there. */
function presence(passages: readonly Passage[], behind: number): Pick<Plan, 'present' | 'ahead'> {
  const marks = (some: readonly Passage[]) => some.flatMap(({ entry }) => entry?.mark ?? [])
  const last = marks(passages.slice(0, behind)).at(-1)
  const ahead = last === undefined && marks(passages)[0] === 'added'
  return { present: !ahead && last !== 'removed', ahead }
}

/** Composes the steps of a history: each pair of operation and version once, when it is first asked for. */
export class Composer {
  readonly #changes: readonly { readonly at: number; readonly change: CompiledChange }[]
  readonly #keysOf: (viewName: string) => readonly string[]
  /** By view name and method: a key made of both would be hashed anew for each request. */
  readonly #operations = new Map<string | undefined, Map<string, OperationPlans>>()

  /** @param keysOf the names by which changes may speak of a route, the longest first. */
  constructor(
    releases: readonly Release[],
    keysOf: (viewName: string) => readonly string[] = tails,
    private readonly shapesOf: (method: string, viewName: string) => BodyShapes | undefined = () => undefined,
  ) {
    this.#keysOf = keysOf
    this.#changes = releases.flatMap(({ changes }, at) => changes.map((change) => ({ at, change })))
  }

  /** @param viewName with its namespaces; undefined for what no named route answers, of which `'*'` alone speaks. */
  planOf(method: string, viewName: string | undefined, at: number): Plan {
    return this.#plansOf(method, viewName).planOf(at)
  }

  /** What the changes say of an operation, oldest first. */
  passagesOf(method: string, viewName: string): readonly Passage[] {
    return this.#plansOf(method, viewName).passages
  }

  #plansOf(method: string, viewName: string | undefined): OperationPlans {
    let methods = this.#operations.get(viewName)
    if (methods === undefined) {
      methods = new Map()
      this.#operations.set(viewName, methods)
    }
    let plans = methods.get(method)
    if (plans === undefined) {
      const shapes = viewName === undefined ? undefined : this.shapesOf(method, viewName)
      plans = new OperationPlans(
        this.#passages(viewName === undefined ? undefined : { method, viewName }, shapes),
        shapes,
      )
      methods.set(method, plans)
    }
    return plans
  }

  #passages(operation: Operation | undefined, shapes: BodyShapes | undefined): Passage[] {
    const names = operation === undefined ? [] : this.#keysOf(operation.viewName)
    const keys = names.map((name) => `${operation?.method} ${name}`)
    return this.#changes.flatMap(({ at, change }, index) => {
      const { entries } = change
      // The longest name that fits wins.
      const entry = entries.get(keys.find((key) => entries.has(key)) ?? '')
      const all = entries.get(ALL)
      if (entry === undefined && all === undefined && shapes?.meets(index) !== true) return []
      const error = entry?.steps.error ?? all?.steps.error
      return [{ at, index, change, entry, error, head: mergedHead(entry?.head, all?.head) }]
    })
  }
}
