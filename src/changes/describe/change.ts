// The changes that users describe, their checks, and `todo()` for parts that nobody has written yet.

import type { Request } from 'express'
import { isToken } from '../../http/fields'
import { ITEM_KINDS } from '../../http/framing'
import { isBodyless } from '../../http/representation'
import { peekState } from '../../request/state'
import { badResponse, isResponse, isSchema, SCHEMA_TAKES } from '../../schemas/check'
import { byStatus, itemSchemasOf, saidOf } from '../../schemas/responses'
import type { ResponseBody } from '../../types'
import { brand, isMade } from '../../util/brand'
import { ALL, parseOperation } from '../../util/operation'
import { badOption, checkKeys, shown } from '../../util/options'
import { type CompiledStep, type RunContext, STEP_KINDS, type StepKind } from '../convert/steps'
import type {
  Change,
  HeaderStep,
  KnownOperations,
  OfferedOperations,
  OlderBodies,
  OperationChanges,
  OperationHead,
  OperationOlder,
  OperationSteps,
  StepContext,
} from '../types/operations'
import type { CompiledFields } from './fields/fields'
import type { CompiledShape } from './shape'

/** One header field of a change. */
export interface HeaderChange {
  readonly name: string
  readonly step: HeaderStep | null
  /** The operation as the change names it. */
  readonly operation: string
  readonly description: string
}

/** The checked head changes of an operation. */
export interface CompiledHead {
  /** The older status by the newer one. */
  readonly status: ReadonlyMap<number, number>
  /** The header fields by name in lower case. */
  readonly headers: ReadonlyMap<string, HeaderChange>
}

/** The part of a change about one operation. */
export interface Entry {
  /** The mark; undefined for steps alone. */
  readonly mark: 'added' | 'removed' | undefined
  readonly steps: Partial<Readonly<Record<StepKind, CompiledStep>>>
  /** The changes of status and header fields, if there are any. */
  readonly head?: CompiledHead | undefined
  /** The bodies before the change. */
  readonly older?: OlderBodies | undefined
  /** The path before the change, if the operation was moved. */
  readonly path?: string | undefined
}

const OWNER = 'change()'
const TAKES =
  "'added', 'removed', or an object of steps such as { response: (user) => ... } (request, query, response, error, item, status, headers, path)"
const MARKS = ['added', 'removed'] as const

/** The keys of an operation for the heads of its responses. */
const HEAD_KEYS: readonly (keyof OperationHead)[] = ['status', 'headers']

/** A checked change, by operation. */
export class CompiledChange implements Change {
  readonly entries: ReadonlyMap<string, Entry>
  /** The shapes by name. */
  readonly shapes: ReadonlyMap<string, CompiledShape | CompiledFields>

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
      throw new TypeError(
        `${OWNER}: the change "${description}" says nothing: it takes one operation or shape at least.`,
      )
    }
    const shapes = new Map<string, CompiledShape | CompiledFields>()
    const entries = new Map<string, Entry>()
    for (const [key, value] of given) {
      const isShape = isMade('shape', value) && !key.includes(' ') && key !== ALL
      if (isShape) shapes.set(key, value as CompiledShape | CompiledFields)
      else entries.set(key, compileEntry(description, key, value))
    }
    this.shapes = shapes
    this.entries = entries
  }

  /** Lists what is still to do in its steps and values. */
  todos(): string[] {
    const written = Object.entries(this.operations).map(([key, value]) => {
      const shape = this.shapes.get(key)
      if (shape !== undefined) return shape.isData ? shape.changes : shape.steps
      const { older: _schemas, ...steps } = Object(value)
      return steps
    })
    return written.flatMap((one) => todosIn(one))
  }

  appliesTo(req: Request): boolean {
    const state = peekState(req)
    const version = state?.version ?? undefined
    const applies = version === undefined || (state?.changes?.has(this, version) ?? true)
    // The handler behaves in the older way, so the change meets the request.
    if (!applies) state?.exchange?.met?.add(this.description)
    return applies
  }
}

brand('change', CompiledChange.prototype)

/**
 * Describes a change of an API: for people, and for each operation as steps between its newer and its older shape.
 *
 * @param description the change in a sentence.
 * @param operations the changes by `'<METHOD> <view name>'`: `'added'`, `'removed'`, or steps, `status`, `headers` and the older
 *   `path`, with `added: true` or `removed: true` beside them. `'*'` takes `error`, `status` and `headers` for all operations.
 * @throws {TypeError} for an empty change, and for invalid operations and steps.
 * @example
 * const renamed = change('Users have `id` instead of `uid`.', {
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
    throw new TypeError(`${owner}: "*" takes { error, status, headers, older } alone.`)
  if (value === 'added' || value === 'removed') return { mark: value, steps: {} }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${owner}: "${key}" takes ${TAKES}; got ${shown(value)}.`)
  }
  checkKeys(
    `${owner}: "${key}"`,
    value,
    key === ALL ? ['error', ...HEAD_KEYS, 'older'] : [...STEP_KINDS, ...HEAD_KEYS, ...MARKS, 'older', 'path'],
  )
  const steps = compileSteps(owner, key, description, value)
  const head = compileHead(owner, key, description, value as OperationHead)
  const mark = compileMark(`${owner}: "${key}"`, value)
  const older = checkOlder(`${owner}: "${key}"`, (value as OperationOlder).older, key === ALL ? ['error'] : OLDER_PARTS)
  checkMade(`${owner}: "${key}"`, steps, head, older)
  const { path } = value as OperationSteps
  if (path !== undefined && typeof path !== 'string') {
    throw badOption(`${owner}: "${key}"`, 'path', "the older path, such as '/people/:id'", path)
  }
  if ([mark, head, older, path].every((part) => part === undefined) && Object.keys(steps).length === 0) {
    throw new TypeError(`${owner} says nothing of "${key}": it takes ${TAKES}.`)
  }
  return { mark, steps, head, older, path }
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

/**
 * Checks the head changes of an operation.
 *
 * @returns `undefined` if there are no such changes.
 * @throws {TypeError} for invalid statuses, names and values.
 */
function compileHead(
  owner: string,
  operation: string,
  description: string,
  { status, headers }: OperationHead,
): CompiledHead | undefined {
  const compiled = {
    status: new Map(entriesOf(owner, operation, 'status', status).map(([key, to]) => [Number(key), to as number])),
    headers: new Map<string, HeaderChange>(),
  }
  for (const [from, to] of compiled.status) {
    for (const each of [from, to]) {
      if (Number.isInteger(each) && each >= 100 && each <= 599) continue
      throw new TypeError(
        `${owner}: "status" of "${operation}" takes statuses from 100 to 599, such as { 201: 200 }; got ${shown(each)}.`,
      )
    }
  }
  for (const [name, step] of entriesOf(owner, operation, 'headers', headers)) {
    if (!isToken(name)) {
      throw new TypeError(`${owner}: "headers" of "${operation}" takes names of header fields; got ${shown(name)}.`)
    }
    if (step !== null && typeof step !== 'function') {
      throw new TypeError(
        `${owner}: "headers" of "${operation}" takes a function or null for "${name}"; got ${shown(step)}.`,
      )
    }
    compiled.headers.set(name.toLowerCase(), { name, step: step as HeaderStep | null, operation, description })
  }
  return compiled.status.size + compiled.headers.size === 0 ? undefined : compiled
}

function entriesOf(owner: string, operation: string, key: string, given: unknown): [string, unknown][] {
  if (given === undefined) return []
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return Object.entries(given).filter(([, value]) => value !== undefined)
  }
  throw new TypeError(`${owner}: "${key}" of "${operation}" takes an object; got ${shown(given)}.`)
}

const RESPONSES: readonly [string, (value: unknown) => boolean] = [
  `${SCHEMA_TAKES}, { content } with such by media type, null for none, or such by status, such as { 200: User, 204: null }`,
  isResponse,
]

/** The values that each part of `older` takes, and their check. */
const OLDER: Readonly<Record<keyof OlderBodies, readonly [string, (value: unknown) => boolean]>> = {
  body: [`${SCHEMA_TAKES}, or null for none`, (value) => value === null || isSchema(value)],
  query: [SCHEMA_TAKES, isSchema],
  item: [SCHEMA_TAKES, isSchema],
  response: RESPONSES,
  error: RESPONSES,
}
/** The place of the schema of a stream's items. */
const OLDER_ITEM = '{ older: { item: ... } }'
const OLDER_PARTS = Object.keys(OLDER)

/**
 * Checks the older bodies of an operation in a change.
 *
 * @throws {TypeError} for a value that is not a schema.
 */
function checkOlder(owner: string, older: OlderBodies | undefined, parts: readonly string[]): OlderBodies | undefined {
  if (older === undefined) return undefined
  checkKeys(`${owner}: "older"`, older, parts)
  for (const [part, [takes, fits]] of Object.entries(OLDER)) {
    const value = older[part as keyof OlderBodies]
    if (value === undefined || fits(value)) continue
    const option = `older.${part}`
    throw fits === isResponse
      ? badResponse(owner, option, takes, value, OLDER_ITEM)
      : badOption(owner, option, takes, value)
  }
  for (const part of ['response', 'error'] as const) {
    const bodies = [...byStatus<ResponseBody>(older[part], 'default').values()]
    if (!bodies.some((body) => ITEM_KINDS.some((kind) => itemSchemasOf(body, kind).length > 0))) continue
    throw new TypeError(`${owner}: "older.${part}" takes no { itemSchema }: write ${OLDER_ITEM}.`)
  }
  return older
}

/**
 * Checks the responses that have a body only in the older version: a step makes it.
 *
 * @throws {TypeError} for such a body without a step.
 */
function checkMade(owner: string, steps: Entry['steps'], head: CompiledHead | undefined, older: Entry['older']): void {
  if (steps.response !== undefined || older?.response === undefined) return
  for (const [newer, status] of head?.status ?? []) {
    if (!isBodyless(newer) || (saidOf(byStatus(older.response, '2XX'), status) ?? null) === null) continue
    throw new TypeError(
      `${owner}: "older" describes a body of ${status}, but ${newer} has none. A "response" step must make it: { response: () => ({}) }.`,
    )
  }
}

// Symbol.for, because a process may have several copies of the package.
const WHAT = Symbol.for('express-versioning.todo')

/** The levels of a change in which its steps and values are. Schemas are below. */
const LEVELS = 3

/**
 * Stands for a step or a value of a change that is still to be written. It can be imported: `versioning()` then lists all that is
 * to do, and documents of the versions can be made already.
 *
 * @param what the task, for people.
 * @returns a function that throws.
 * @throws {TypeError} for anything but a string.
 * @example
 * change('Users have a country.', { User: fields({ added: { country: todo('the country of users of older clients') } }) })
 */
export function todo(what: string): () => never {
  if (typeof what !== 'string' || what === '') throw badOption('todo()', 'what', 'the task as a string', what)
  const fail = (): never => {
    throw new Error(`To do: ${what}`)
  }
  // A step may return it by mistake: JSON then fails, too.
  return Object.assign(() => fail(), { [WHAT]: what, toJSON: fail })
}

/** Lists what is to do in the steps and values of a change. */
function todosIn(value: unknown, levels = LEVELS): string[] {
  if (typeof value === 'function') return [(value as { [WHAT]?: string })[WHAT] ?? []].flat()
  if (typeof value !== 'object' || value === null || levels === 0) return []
  return Object.values(value).flatMap((inner) => todosIn(inner, levels - 1))
}
