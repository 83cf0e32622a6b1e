// The steps of `fields()`: how members move between the newer shape and the older one.
import { put } from '../../util/put'
import type { RunContext } from '../steps'
import type { StepContext } from '../typing'
import type { CompiledFields, FieldStep } from './fields'

/** The step of a shape. */
export type ShapeStep = (value: unknown, context: RunContext) => unknown

/** A member that the newer definition requires, and that older bodies lack. */
export interface Preset {
  readonly name: string
  readonly make: () => unknown
  /** The nested object that the member belongs to. */
  readonly object: string | undefined
  /** `true` if the member must be there in any case; else only if its object is there. */
  readonly isAlways: boolean
}

/** The fate of a member. */
interface Move {
  /** The new name; undefined for a member that goes. */
  readonly to: string | undefined
  readonly convert?: ((value: unknown, context: RunContext) => unknown) | undefined
  /** The object that the member goes into. */
  readonly object?: string | undefined
  /** `true` if removed members stand in this place. */
  readonly isPlace?: boolean
  /** The moves of the members of a nested object, which takes their place. */
  readonly inner?: Moves
}

type Moves = ReadonlyMap<string, Move>
type Members = Record<string, unknown>

const GONE: Move = { to: undefined }

/** Makes the step for answers: the older shape of the newer one. */
export function olderStep(fields: CompiledFields): ShapeStep {
  const { removed, renamed, added, values, converted, nested } = fields
  const older = new Map([...renamed].map(([from, to]) => [to, from]))
  const move = (name: string): Move => {
    const step = converted.get(name)?.response
    const mapped = values.get(name)
    const convert =
      step === undefined && mapped === undefined
        ? undefined
        : (value: unknown, context: RunContext) => {
            const result = step === undefined ? value : called(step, value, context, name)
            const isValue = result === null || typeof result !== 'object'
            return isValue && mapped?.has(String(result)) ? mapped.get(String(result)) : result
          }
    return added.has(name) ? { to: undefined, isPlace: true } : { to: older.get(name) ?? name, convert }
  }
  const inner = [...nested.values()].flat()
  const changed = [...converted.keys(), ...values.keys(), ...added.keys(), ...older.keys()]
  const moves = new Map<string, Move>([
    // Members that nobody described must not stand for these.
    ...[...renamed.keys(), ...removed.keys()].map((name) => [name, GONE] as const),
    ...changed.map((name) => [name, move(name)] as const),
    ...inner.map((name) => [name, GONE] as const),
    ...[...nested].map(([name, members]): [string, Move] => [
      name,
      { to: undefined, inner: new Map(members.map((member) => [member, move(member)])) },
    ]),
  ])
  return (value, context) => {
    if (!isMembers(value)) return value
    const result: Members = {}
    let isPlaced = removed.size === 0
    const place = () => {
      isPlaced = true
      for (const [name, { make, isOptional }] of removed) {
        const made = (make as FieldStep)(value, context as StepContext)
        if (made !== undefined) put(result, name, made)
        else if (!isOptional) throw new TypeError(`The value of "${name}" is undefined.`)
      }
    }
    const pass = (name: string, member: unknown, { to, convert, isPlace, inner }: Move) => {
      if (to !== undefined) put(result, to, convert === undefined ? member : convert(member, context))
      if (isPlace === true && !isPlaced) place()
      if (inner === undefined || member === null) return
      if (!isMembers(member)) throw new TypeError(`"${name}" is no object.`)
      for (const [key, own] of Object.entries(member)) {
        const innerMove = inner.get(key)
        if (innerMove !== undefined) pass(key, own, innerMove)
      }
    }
    for (const name of Object.keys(value)) {
      const found = moves.get(name)
      if (found === undefined) put(result, name, value[name])
      else pass(name, value[name], found)
    }
    if (!isPlaced) place()
    return result
  }
}

/** Makes the step for bodies: the newer shape of the older one. */
export function newerStep(fields: CompiledFields, presets: readonly Preset[]): ShapeStep {
  const { removed, renamed, added, converted, nested } = fields
  const older = new Map([...renamed].map(([from, to]) => [to, from]))
  const objects = new Map([...nested].flatMap(([object, names]) => names.map((name) => [name, object] as const)))
  const move = (name: string): Move => {
    const step = converted.get(name)?.request
    const convert = step && ((value: unknown, context: RunContext) => called(step, value, context, name))
    return { to: name, convert, object: objects.get(name) }
  }
  const moves = new Map<string, Move>([
    // The older version has no such names.
    ...[...renamed.values(), ...nested.keys()].map((name) => [name, GONE] as const),
    ...[...converted.keys(), ...objects.keys()].map((name) => [older.get(name) ?? name, move(name)] as const),
    ...[...added.keys()].map((name) => [name, GONE] as const),
    ...[...renamed].map(([from, to]) => [from, move(to)] as const),
    ...[...removed.keys()].map((name) => [name, GONE] as const),
  ])
  return (value, context) => {
    if (!isMembers(value)) return value
    const result: Members = {}
    for (const name of Object.keys(value)) {
      const { to, convert, object } = moves.get(name) ?? { to: name }
      if (to === undefined) continue
      const target = object === undefined ? result : objectIn(result, object)
      put(target, to, convert === undefined ? value[name] : convert(value[name], context))
    }
    for (const { name, make, object, isAlways } of presets) {
      if (object === undefined) {
        if (!Object.hasOwn(result, name)) put(result, name, make())
      } else if (isAlways || Object.hasOwn(result, object)) put(objectIn(result, object), name, make())
    }
    return result
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the nested object of a result, and makes it where it is missing. */
function objectIn(result: Members, name: string): Members {
  if (!Object.hasOwn(result, name)) put(result, name, {})
  return result[name] as Members
}

function called(step: FieldStep, value: unknown, context: RunContext, name: string): unknown {
  const result = step(value, context as StepContext)
  if (result === undefined) throw new TypeError(`The value of "${name}" is undefined.`)
  return result
}
