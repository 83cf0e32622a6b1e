import { VersioningError } from '../errors'
import { jsonCopy, lostIn } from '../http/json-copy'
import type { AnswerConversion } from '../types'
import { kindOf } from '../util/options'
import { isThenable } from '../util/thenable'
import type { OperationSteps, StepContext } from './typing'

/** What steps are told, with a version that is registered or not: only users' own steps see which are. */
export type RunContext = Omit<StepContext, 'version'> & { readonly version: string }

/** What a step converts. */
export type StepKind = Exclude<keyof OperationSteps, 'added' | 'removed'>

/** The kinds of steps: keys of an operation in a change. */
export const STEP_KINDS: readonly StepKind[] = ['request', 'query', 'response', 'error']

/** One step of a change, with what a message about it needs. */
export interface CompiledStep {
  readonly kind: StepKind
  /** As the change names it. */
  readonly operation: string
  readonly description: string
  run(value: unknown, context: RunContext): unknown
}

/** What a message about a step needs. */
export type Named = Pick<CompiledStep, 'operation' | 'description'> & { readonly kind: string }

/** The shapes of one change in a body: takes a copy, and gives one, but for what its steps give where it is the last. */
export interface ShapePass extends Named {
  convert(value: unknown, context: RunContext, isLast: boolean): unknown
  /** The pass that does what this one and the next do, at once; undefined where their shapes stand at different places. */
  joined?(next: ShapePass): ShapePass | undefined
}

/** What a body passes on its way to another version. */
export type BodyStep = CompiledStep | ShapePass

/** A step failed: a programmer's error, whose message repeats no value. */
export class ChangeFailure extends Error {
  readonly code = 'ERR_VERSION_CHANGE'
  readonly status = 500
  readonly statusCode = 500
  readonly expose = false

  constructor({ kind, operation, description }: Named, failed: string, options?: ErrorOptions) {
    super(`The change "${description}" failed: its "${kind}" of "${operation}" ${failed}.`, options)
  }
}

/** Some steps, in the order in which values pass them, for one request; at least one. */
export class Conversion implements AnswerConversion {
  readonly #steps: readonly BodyStep[]
  readonly #context: RunContext
  #result: unknown

  constructor(steps: readonly BodyStep[], context: RunContext) {
    this.#steps = steps
    this.#context = context
  }

  /**
   * Takes a value through the steps. Each gets a copy, as JSON gives it, of what the one before gave: as on the wire, when that
   * one was the last, and what a step keeps for itself is never changed by another one.
   *
   * @throws {ChangeFailure} for a step that gives no JSON, and for one that throws on the way out.
   * @throws {VersioningError} 400 `ERR_VERSION_BODY` where a step throws on the way in, unless what it throws has a 4xx status.
   */
  run(value: unknown): unknown {
    let current = value
    let before: CompiledStep | undefined
    for (const step of this.#steps) {
      if (before !== undefined) current = copyOf(before, current)
      if ('convert' in step) {
        before = undefined
        current = step.convert(current, this.#context, step === this.#steps.at(-1))
      } else {
        before = step
        current = resultOf(step, current, this.#context)
      }
    }
    this.#result = current
    return current
  }

  /**
   * As {@link run}, with the result as JSON.
   *
   * @throws {ChangeFailure} for a result that JSON cannot say, too.
   */
  runToJson(value: unknown, spaces?: string | number): string {
    const result = this.run(value)
    let json: string | undefined
    try {
      json = JSON.stringify(result, undefined, spaces)
    } catch (cause) {
      throw this.unsayable(cause)
    }
    if (json === undefined) throw this.unsayable()
    this.verify(json)
    return json
  }

  verify(json: string): void {
    // JSON has these for what it cannot say, and few answers have them.
    if (!json.includes('{}') && !json.includes('null')) return
    const lost: unknown[] = []
    lostIn(this.#result, lost)
    refuseLost(this.#steps.at(-1) as BodyStep, lost)
  }

  unsayable(cause?: unknown): Error {
    return unsayable(this.#steps.at(-1) as BodyStep, cause)
  }

  unreadable(cause: unknown): Error {
    return new ChangeFailure(this.#steps[0] as BodyStep, 'got what is no JSON, though its type says so', { cause })
  }
}

/**
 * What a step gives.
 *
 * @throws {ChangeFailure} for what JSON cannot say as a whole, and for promises.
 */
export function resultOf(step: CompiledStep, value: unknown, context: RunContext): unknown {
  const result = runStep(step, value, context)
  if (Array.isArray(result)) refusePromises(step, result)
  else if (typeof result === 'object' && result !== null && 'then' in result) refusePromises(step, [result])
  if (!isSayable(result)) throw new ChangeFailure(step, `gave ${kindOf(result)}, which JSON cannot say`)
  return result
}

function unsayable(step: Named, cause?: unknown): ChangeFailure {
  return new ChangeFailure(step, 'gave what JSON cannot say', cause === undefined ? undefined : { cause })
}

/** @throws {ChangeFailure} for promises among values. */
function refusePromises(step: Named, values: readonly unknown[]): void {
  let promises: PromiseLike<unknown>[]
  try {
    promises = values.filter(isThenable)
  } catch (cause) {
    throw unsayable(step, cause)
  }
  if (promises.length === 0) return
  // Nobody else will hear of their rejections, which would end the process.
  for (const promise of promises) Promise.resolve(promise).catch(() => {})
  throw new ChangeFailure(step, 'gave a promise, and steps are synchronous')
}

/** A copy of what a step gave, for the next one. */
export function copyOf(step: Named, value: unknown): unknown {
  const lost: unknown[] = []
  let copy: unknown
  try {
    copy = jsonCopy(value, lost)
  } catch (cause) {
    throw unsayable(step, cause)
  }
  if (copy === undefined) throw unsayable(step)
  refuseLost(step, lost)
  return copy
}

/** @throws {ChangeFailure} for a result that JSON says otherwise. */
function refuseLost(step: Named, lost: readonly unknown[]): void {
  if (lost.length === 0) return
  refusePromises(step, lost)
  throw unsayable(step)
}

function runStep(step: CompiledStep, value: unknown, context: RunContext): unknown {
  try {
    return step.run(value, context)
  } catch (cause) {
    if (step.kind === 'response' || step.kind === 'error') throw new ChangeFailure(step, 'threw', { cause })
    throw isClientError(cause) ? cause : unfit(context, cause)
  }
}

/** The refusal of a request that cannot be brought forward. */
export function unfit({ version }: RunContext, cause: unknown): VersioningError {
  const code = 'ERR_VERSION_BODY'
  return new VersioningError('The request does not fit its version.', { status: 400, code, version, cause })
}

function isClientError(error: unknown): boolean {
  try {
    const { status, statusCode } = Object(error) as { status?: unknown; statusCode?: unknown }
    const code = status ?? statusCode
    return typeof code === 'number' && code >= 400 && code < 500
  } catch {
    // Anything may be thrown, an object with a failing getter as well.
    return false
  }
}

/** Whether a value as a whole is something to JSON. */
function isSayable(value: unknown): boolean {
  const kind = typeof value
  if (kind === 'number') return Number.isFinite(value)
  return kind !== 'undefined' && kind !== 'function' && kind !== 'symbol' && kind !== 'bigint'
}
