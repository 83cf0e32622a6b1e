import type { Request } from 'express'
import { peekState } from '../request/state'
import { ALL, parseOperation } from '../util/operation'
import { checkKeys, shown } from '../util/options'
import { checkOlder } from './shapes/older'
import { CompiledShape } from './shapes/shape'
import { type CompiledStep, type RunContext, STEP_KINDS, type StepKind } from './steps'
import type {
  KnownOperations,
  OlderBodies,
  OperationChanges,
  OperationOlder,
  OperationSteps,
  StepContext,
} from './typing'

/** One described change of an API, which {@link change} makes and a version of a history lists. */
export interface Change<Operations extends object = OperationChanges> {
  /** What changed, for people. */
  readonly description: string
  /** The object that it was made from. */
  readonly operations: Operations
  /**
   * Whether a request's version has this change, for behaviour that no step expresses; `true` for a request without a version.
   *
   * @throws {TypeError} for a request without a `versioning()` in front whose history has the change.
   * @example if (splitName.appliesTo(req)) await notifyByMail(user)
   */
  appliesTo(req: Request): boolean
}

/** What a change says of one operation. */
export interface Entry {
  /** Undefined for steps. */
  readonly mark: 'added' | 'removed' | undefined
  readonly steps: Partial<Readonly<Record<StepKind, CompiledStep>>>
  /** What bodies are before it. */
  readonly older?: OlderBodies | undefined
}

const OWNER = 'change()'
const TAKES =
  "'added', 'removed', or an object of steps such as { response: (user) => ... } (request, query, response, error)"

/** A change, checked, and by operation. */
export class CompiledChange implements Change {
  readonly entries: ReadonlyMap<string, Entry>
  /** By name. */
  readonly shapes: ReadonlyMap<string, CompiledShape>

  constructor(
    readonly description: string,
    readonly operations: OperationChanges,
  ) {
    if (typeof description !== 'string' || description.trim() === '') {
      throw new TypeError(`${OWNER} takes a description of what changed, for people; got ${shown(description)}.`)
    }
    if (typeof operations !== 'object' || operations === null || Array.isArray(operations)) {
      throw new TypeError(`${OWNER} takes an object of operations; got ${shown(operations)}.`)
    }
    const given = Object.entries(operations).filter(([, value]) => value !== undefined)
    if (given.length === 0) {
      throw new TypeError(`${OWNER}: the change "${description}" says nothing: it takes one operation at least.`)
    }
    const shapes = new Map<string, CompiledShape>()
    const entries = new Map<string, Entry>()
    for (const [key, value] of given) {
      if (value instanceof CompiledShape && !key.includes(' ') && key !== ALL) shapes.set(key, value)
      else entries.set(key, compileEntry(description, key, value))
    }
    this.shapes = shapes
    this.entries = entries
  }

  appliesTo(req: Request): boolean {
    const changes = peekState(req)?.config?.changes
    const { version } = req
    const has = version === undefined || version === null ? undefined : changes?.has(this, version)
    if (version === null || has !== undefined) return has ?? true
    throw new TypeError(
      `appliesTo() needs a versioning() in front of it that decided the version, and whose "changes" have the change "${this.description}".`,
    )
  }
}

/**
 * Writes down what changed in a version: for people, and for each operation as steps between the newer and the older shape.
 *
 * @param description what changed, in a sentence.
 * @param operations by `'<METHOD> <view name>'`: `'added'`, `'removed'`, or steps; `'*'` takes an `error` for all operations.
 * @throws {TypeError} for a change that says nothing, and for operations and steps that are none.
 * @example
 * const renamed = change('Users have `id` in place of `uid`.', {
 *   'GET user-detail': { response: ({ id, ...user }: User) => ({ uid: id, ...user }) },
 * })
 */
export function change<const Operations extends OperationChanges>(
  description: string,
  operations: Operations & KnownOperations<Operations>,
): Change<Operations>
export function change(description: string, operations: OperationChanges): Change {
  return new CompiledChange(description, operations)
}

function compileEntry(description: string, key: string, value: unknown): Entry {
  const owner = `${OWNER}: the change "${description}"`
  if (key !== ALL) parseOperation(owner, key)
  else if (value === 'added' || value === 'removed') throw new TypeError(`${owner}: "*" takes { error } alone.`)
  if (value === 'added' || value === 'removed') return { mark: value, steps: {} }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${owner}: "${key}" takes ${TAKES}; got ${shown(value)}.`)
  }
  checkKeys(`${owner}: "${key}"`, value, key === ALL ? ['error'] : [...STEP_KINDS, 'older'])
  const steps = compileSteps(owner, key, description, value)
  const older = checkOlder(`${owner}: "${key}"`, (value as OperationOlder).older)
  if (Object.keys(steps).length === 0 && older === undefined)
    throw new TypeError(`${owner} says nothing of "${key}": it takes ${TAKES}.`)
  return { mark: undefined, steps, older }
}

function compileSteps(owner: string, operation: string, description: string, given: OperationSteps): Entry['steps'] {
  const steps: Partial<Record<StepKind, CompiledStep>> = {}
  for (const kind of STEP_KINDS) {
    const step = given[kind]
    if (step === undefined) continue
    if (typeof step !== 'function') {
      throw new TypeError(`${owner}: "${kind}" of "${operation}" takes a function; got ${shown(step)}.`)
    }
    const run = (value: unknown, context: RunContext): unknown =>
      Reflect.apply(step, given, [value, context as StepContext])
    steps[kind] = { kind, operation, description, run }
  }
  return steps
}
