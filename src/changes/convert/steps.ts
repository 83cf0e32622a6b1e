// The steps of changes: how they run, and how they fail.
import { hide, notValidIn, VersioningError } from '../../errors'
import { jsonCopy, lostIn } from '../../http/json'
import { peekState } from '../../request/state'
import { operationMethod } from '../../util/operation'
import { kindOf, shown } from '../../util/options'
import { isThenable } from '../../util/thenable'
import type { OperationSteps, StepContext } from '../types/operations'

/** The context of steps, with any version: only users' own steps see the registered ones. */
export type RunContext = Omit<StepContext, 'version'> & {
  readonly version: string
  /** Gets the descriptions of the changes whose steps run; undefined if nobody asks for them. */
  readonly met?: Set<string> | undefined
}

/** The kind of a step: the part that it converts. */
export type StepKind = Exclude<keyof OperationSteps, 'added' | 'removed' | 'path'>

/** The kinds of steps: keys of an operation in a change. */
export const STEP_KINDS: readonly StepKind[] = ['request', 'query', 'response', 'error', 'item']

/** A step of a change, with the facts for messages. */
export interface CompiledStep {
  readonly kind: StepKind
  /** The operation as the change names it. */
  readonly operation: string
  readonly description: string
  run(value: unknown, context: RunContext): unknown
}

/** The facts for messages about a step. */
export type StepFacts = Pick<CompiledStep, 'operation' | 'description'> & { readonly kind: string }

/** The conversion of one change's shapes in a body. It takes a copy and returns one, except for the results of the last steps. */
export interface ShapeConversion extends StepFacts {
  /** `true` if it only rejects: nobody said what the body is. */
  readonly rejects?: boolean
  /** `true` if a function of a shape makes the whole body, or all of it in some of its kinds. */
  readonly isMade?: boolean
  convert(value: unknown, context: RunContext, isLast: boolean): unknown
  /** Fuses this conversion with the next one; undefined if their shapes are in different places. */
  fusedWith?(next: ShapeConversion): ShapeConversion | undefined
}

/** One stage of a body's way to another version. */
export type BodyStep = CompiledStep | ShapeConversion

/** The error of a failed step, or of what no step got: a programmer's mistake. Its message repeats no value. */
export class ChangeFailure extends Error {
  readonly code = 'ERR_VERSION_CHANGE'
  /** It has no `statusCode`, because Nest sends clients the message of errors that have one. */
  readonly status = 500
  readonly expose = false

  /** @param failed the end of a sentence about a step; without a description, the whole sentence. */
  constructor(named: Partial<StepFacts>, failed: string, context: RunContext, options?: ErrorOptions) {
    const { kind, operation, description } = named
    const step = description === undefined ? '' : `The change "${description}" failed: its "${kind}" of "${operation}" `
    super(`${step}${failed}.`, options)
    tell(this, named, context)
  }
}

/** The facts of errors with the codes `ERR_VERSION_CHANGE` and `ERR_VERSION_BODY`. The properties are not enumerable. */
export interface ChangeFacts {
  /** The description of the change; `undefined` if the body fits no step. */
  readonly change: string | undefined
  /** The operation of the request, such as `GET user`. */
  readonly operation: string
  /** The kind of the step: `request`, `query`, `response`, `error`, or `headers: X-Name`. */
  readonly step: string
  /** The client's version. */
  readonly version: string
}

/** Hides the facts of a failure in its error: observers read them, and serializers do not publish them. */
function tell<Failure extends Error>(error: Failure, named: Partial<StepFacts>, { version, req }: RunContext): Failure {
  const { kind, operation, description } = named
  const planned = req && peekState(req)?.exchange?.operation
  const facts = {
    change: description,
    operation: planned?.viewName === undefined ? operation : `${operationMethod(planned.method)} ${planned.viewName}`,
    step: kind,
    version,
  } satisfies { [Name in keyof ChangeFacts]: ChangeFacts[Name] | undefined }
  for (const [name, value] of Object.entries(facts)) hide(error, name, value)
  return error
}

/** The steps for a value of one request, in the order in which it passes them; at least one. */
export class Conversion {
  #result: unknown
  /** `true` if a step of the last value was that of an item, and has dropped it. */
  hasDropped = false

  constructor(
    private readonly steps: readonly BodyStep[],
    private readonly context: RunContext,
  ) {}

  /**
   * Runs the steps on a value. Each gets a JSON copy of the previous result, as if that had been sent. So no step changes a
   * value that another one keeps.
   *
   * @throws {ChangeFailure} if a step returns a value that is not JSON, or fails on a response.
   * @throws {VersioningError} 400 `ERR_VERSION_BODY` if a step throws on a request, unless its error has a 4xx status.
   */
  run(value: unknown): unknown {
    let current = value
    let before: CompiledStep | undefined
    this.hasDropped = false
    for (const step of this.steps) {
      if (before !== undefined) current = copyOf(before, current, this.context)
      if ('convert' in step) {
        before = undefined
        current = this.#shapes(step, current)
      } else {
        before = step
        this.context.met?.add(step.description)
        current = resultOf(step, current, this.context)
        this.hasDropped = step.kind === 'item' && current === null
        if (this.hasDropped) break
      }
    }
    this.#result = current
    return current
  }

  #shapes(conversion: ShapeConversion, value: unknown): unknown {
    try {
      return conversion.convert(value, this.context, conversion === this.steps.at(-1))
    } catch (error) {
      // A value that is nested deeper than the stack allows.
      throw error instanceof RangeError ? failureOf(conversion, 'threw', this.context, { cause: error }) : error
    }
  }

  /**
   * Runs the steps, and returns the result as JSON.
   *
   * @throws {ChangeFailure} also for a result that JSON cannot express.
   */
  runToJson(value: unknown, spaces?: string | number): string {
    return this.toJson(this.run(value), spaces)
  }

  /**
   * Returns the last result, or a part of it, as JSON.
   *
   * @throws {ChangeFailure} for a result that JSON cannot express.
   */
  toJson(result: unknown, spaces?: string | number): string {
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

  /** @throws {ChangeFailure} if JSON lost parts of the last result, such as a promise. */
  verify(json: string): void {
    // JSON replaces values that it cannot express with these, and few responses contain them.
    if (!json.includes('{}') && !json.includes('null')) return
    const lost: unknown[] = []
    lostIn(this.#result, lost)
    rejectLost(this.steps.at(-1) as BodyStep, lost, this.context)
  }

  /**
   * Makes the error for a result that cannot be sent.
   *
   * @param how the end of a sentence about the last step.
   */
  failed(how: string): Error {
    return new ChangeFailure(this.steps.at(-1) as BodyStep, how, this.context)
  }

  /** Makes the error for a result that JSON cannot express. */
  unsayable(cause?: unknown): Error {
    return unsayable(this.steps.at(-1) as BodyStep, this.context, cause)
  }

  /**
   * Makes the error for a body that no step can get.
   *
   * @param got what the body is or has, such as `a number that JavaScript cannot hold`.
   */
  unusable(got: string, cause?: unknown): Error {
    const options = cause === undefined ? undefined : { cause }
    return new ChangeFailure(this.steps[0] as BodyStep, `got ${got}`, this.context, options)
  }
}

/**
 * Runs a step, and checks its result.
 *
 * @throws {ChangeFailure} for a result that JSON cannot express, and for promises.
 */
export function resultOf(step: CompiledStep, value: unknown, context: RunContext): unknown {
  const result = runStep(step, value, context)
  if (Array.isArray(result)) rejectPromises(step, result, context)
  else if (typeof result === 'object' && result !== null && 'then' in result) rejectPromises(step, [result], context)
  if (isSayable(result)) return result
  throw failureOf(step, `returned ${kindOf(result)}, which JSON cannot express`, context)
}

function unsayable(step: StepFacts, context: RunContext, cause?: unknown): Error {
  const options = cause === undefined ? undefined : { cause }
  return failureOf(step, 'returned a value that JSON cannot express', context, options)
}

/** Makes the error of a step. It is the client's error if the step had a request: such a step gets values of the client. */
function failureOf(step: StepFacts, failed: string, context: RunContext, options?: ErrorOptions): Error {
  const failure = new ChangeFailure(step, failed, context, options)
  return isOfRequest(step.kind) ? unfit(step, context, failure) : failure
}

function isOfRequest(kind: string): boolean {
  return kind === 'request' || kind === 'query'
}

/**
 * Rejects promises among values.
 *
 * @throws {ChangeFailure} if there are any.
 */
function rejectPromises(step: StepFacts, values: readonly unknown[], context: RunContext): void {
  let promises: PromiseLike<unknown>[]
  try {
    promises = values.filter(isThenable)
  } catch (cause) {
    throw unsayable(step, context, cause)
  }
  if (promises.length === 0) return
  // Nobody else handles these promises, and an unhandled rejection would end the process.
  for (const promise of promises) Promise.resolve(promise).catch(() => {})
  throw new ChangeFailure(step, 'returned a promise, but steps are synchronous', context)
}

/**
 * Copies the result of a step for the next one.
 *
 * @param kept parts of the result that are copies already. They are taken as they are, once.
 */
export function copyOf(step: StepFacts, value: unknown, context: RunContext, kept?: Set<object>): unknown {
  const lost: unknown[] = []
  let copy: unknown
  try {
    copy = jsonCopy(value, lost, kept)
  } catch (cause) {
    throw unsayable(step, context, cause)
  }
  if (copy === undefined) throw unsayable(step, context)
  rejectLost(step, lost, context)
  return copy
}

/**
 * Rejects a result of which JSON would lose a part.
 *
 * @throws {ChangeFailure} if there is such a part.
 */
function rejectLost(step: StepFacts, lost: readonly unknown[], context: RunContext): void {
  if (lost.length === 0) return
  rejectPromises(step, lost, context)
  throw unsayable(step, context)
}

function runStep(step: CompiledStep, value: unknown, context: RunContext): unknown {
  try {
    return step.run(value, context)
  } catch (cause) {
    if (!isOfRequest(step.kind)) throw new ChangeFailure(step, 'threw', context, { cause })
    throw isClientError(cause) ? cause : unfit(step, context, cause)
  }
}

/** Returns the rejection of a request that does not fit its version. */
export function unfit(step: Partial<StepFacts>, context: RunContext, cause: unknown): VersioningError {
  return bodyError(step, context, notValidIn(context.version), { status: 400, cause })
}

/** Makes the rejection of a body or a query. */
export function bodyError(
  step: Partial<StepFacts>,
  context: RunContext,
  message: string,
  options: { readonly status: 400 | 415; readonly cause?: unknown },
): VersioningError {
  const { version } = context
  return tell(new VersioningError(message, { ...options, code: 'ERR_VERSION_BODY', version }), step, context)
}

function isClientError(error: unknown): boolean {
  try {
    const { status, statusCode } = Object(error) as { status?: unknown; statusCode?: unknown }
    const code = status ?? statusCode
    return typeof code === 'number' && code >= 400 && code < 500
  } catch {
    // Programs can throw anything, also an object with a failing getter.
    return false
  }
}

/** Tells whether JSON can express a value as a whole. */
function isSayable(value: unknown): boolean {
  const kind = typeof value
  if (kind === 'number') return Number.isFinite(value)
  return kind !== 'undefined' && kind !== 'function' && kind !== 'symbol' && kind !== 'bigint'
}

/**
 * Runs steps on a copy, which they may change.
 *
 * @param met gets the descriptions of the changes whose steps run.
 * @throws {TypeError} for a body that JSON cannot express.
 */
export function converted(
  owner: string,
  steps: readonly BodyStep[],
  body: unknown,
  version: string,
  met?: Set<string>,
): unknown {
  if (steps.length === 0) return body
  return JSON.parse(new Conversion(steps, { version, met }).runToJson(copied(owner, body)))
}

/**
 * Copies a value as JSON has it.
 *
 * @throws {TypeError} for one that JSON cannot express.
 */
export function copied(owner: string, body: unknown): unknown {
  let copy: unknown
  const lost: unknown[] = []
  try {
    copy = jsonCopy(body, lost)
  } catch (cause) {
    throw new TypeError(`${owner} takes a body that JSON can express.`, { cause })
  }
  if (lost.some(isThenable)) throw new TypeError(`${owner} takes a body that JSON can express; it has a promise.`)
  if (copy === undefined) throw new TypeError(`${owner} takes a body that JSON can express; got ${shown(body)}.`)
  return copy
}
