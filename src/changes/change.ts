import type { Request } from 'express'
import { peekState } from '../request/state'
import { ALL, parseOperation } from '../util/operation'
import { badOption, checkKeys, shown } from '../util/options'
import { type CompiledHead, compileHead, HEAD_KEYS } from './head'
import { checkOlder } from './shapes/older'
import { CompiledShape } from './shapes/shape'
import { type CompiledStep, type RunContext, STEP_KINDS, type StepKind } from './steps'
import type {
  KnownOperations,
  OfferedOperations,
  OlderBodies,
  OperationChanges,
  OperationHead,
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
   * Whether a request's version has this change, for behaviour that no step expresses. It never throws: `true` where no version was
   * decided, as for the newest one, and where the history of the request does not have the change.
   *
   * @example if (splitName.appliesTo(req)) await notifyByMail(user)
   */
  appliesTo(req: Request): boolean
}

/** What a change says of one operation. */
export interface Entry {
  /** Undefined for steps alone. */
  readonly mark: 'added' | 'removed' | undefined
  readonly steps: Partial<Readonly<Record<StepKind, CompiledStep>>>
  /** Undefined where it says nothing of statuses and header fields. */
  readonly head?: CompiledHead | undefined
  /** What bodies are before it. */
  readonly older?: OlderBodies | undefined
}

const OWNER = 'change()'
const TAKES =
  "'added', 'removed', or an object of steps such as { response: (user) => ... } (request, query, response, error, status, headers)"
const MARKS = ['added', 'removed'] as const

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
    const state = peekState(req)
    const version = state?.version ?? undefined
    return version === undefined || (state?.config?.changes?.has(this, version) ?? true)
  }
}

/**
 * Writes down what changed in a version: for people, and for each operation as steps between the newer and the older shape.
 *
 * @param description what changed, in a sentence.
 * @param operations by `'<METHOD> <view name>'`: `'added'`, `'removed'`, or steps, `status` and `headers`, with `added: true` or
 *   `removed: true` beside them; `'*'` takes `error`, `status` and `headers` for all operations.
 * @throws {TypeError} for a change that says nothing, and for operations and steps that are none.
 * @example
 * const renamed = change('Users have `id` in place of `uid`.', {
 *   'GET user-detail': { response: ({ id, ...user }: User) => ({ uid: id, ...user }) },
 * })
 */
export function change<const Operations extends OperationChanges & OfferedOperations>(
  description: string,
  operations: Operations & KnownOperations<Operations>,
): Change<Operations>
export function change(description: string, operations: OperationChanges): Change {
  return new CompiledChange(description, operations)
}

function compileEntry(description: string, key: string, value: unknown): Entry {
  const owner = `${OWNER}: the change "${description}"`
  if (key !== ALL) parseOperation(owner, key)
  else if (value === 'added' || value === 'removed')
    throw new TypeError(`${owner}: "*" takes { error, status, headers } alone.`)
  if (value === 'added' || value === 'removed') return { mark: value, steps: {} }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${owner}: "${key}" takes ${TAKES}; got ${shown(value)}.`)
  }
  checkKeys(
    `${owner}: "${key}"`,
    value,
    key === ALL ? ['error', ...HEAD_KEYS] : [...STEP_KINDS, ...HEAD_KEYS, ...MARKS, 'older'],
  )
  const steps = compileSteps(owner, key, description, value)
  const head = compileHead(owner, key, description, value as OperationHead)
  const mark = compileMark(`${owner}: "${key}"`, value)
  const older = checkOlder(`${owner}: "${key}"`, (value as OperationOlder).older)
  if (mark === undefined && head === undefined && older === undefined && Object.keys(steps).length === 0) {
    throw new TypeError(`${owner} says nothing of "${key}": it takes ${TAKES}.`)
  }
  return { mark, steps, head, older }
}

function compileMark(owner: string, given: OperationSteps): Entry['mark'] {
  const marks = MARKS.filter((mark) => given[mark] !== undefined)
  const odd = marks.find((mark) => given[mark] !== true)
  if (odd !== undefined) throw badOption(owner, odd, 'true, or is left out', given[odd])
  if (marks.length > 1) throw new TypeError(`${owner} cannot be added and removed at once.`)
  return marks[0]
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
