// The parts that the options of `fields()` share: their types, and the checks of what users write.
import { jsonCopy } from '../../../http/json'
import { isSchema, SCHEMA_TAKES } from '../../../schemas/check'
import { badOption, shown } from '../../../util/options'
import type { RunContext } from '../../convert/steps'
import type { StepContext } from '../../types/operations'
import type { Convert, Draft, Property } from './draft'

/** A function that converts the value of a property, or makes one of the newer shape. It is synchronous. */
// A method's parameters are compared both ways, so each function can declare its own.
export type FieldStep = { step(value: unknown, context: StepContext): unknown }['step']

/** A value that JSON can express. */
export type FieldValue = string | number | boolean | null | readonly unknown[] | { readonly [name: string]: unknown }

/**
 * An option of `fields()`: checks what is given, and returns a function that takes a definition from the newer version to the
 * older one. It also adds the conversions of values, and reports mistakes. `undefined` if the option says nothing.
 */
export type FieldOption<Given> = (given: Given) => ((draft: Draft) => void) | undefined

export const OWNER = 'fields()'

/** Returns the checked entries of an option; undefined if it has none. */
export function entriesOf<Value, Result>(
  option: string,
  given: { readonly [name: string]: Value } | undefined,
  check: (value: Value, option: string) => Result,
): ReadonlyMap<string, Result> | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badOption(OWNER, option, 'an object by property', given)
  const entries = Object.entries(given).map(([name, value]) => [name, check(value, `${option}.${name}`)] as const)
  return entries.length === 0 ? undefined : new Map(entries)
}

export function newerName(name: string, option: string): string {
  if (typeof name !== 'string' || name === '') throw badOption(OWNER, option, 'the newer name', name)
  return name
}

export function namesOf(given: readonly string[], option: string): readonly string[] {
  const isList = Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string')
  if (!isList) throw badOption(OWNER, option, 'a list of names', given)
  return [...given]
}

export function checkSchema(owner: string, schema: unknown): void {
  if (!isSchema(schema)) throw badOption(owner, 'schema', SCHEMA_TAKES, schema)
}

/** Returns a function that gives a value anew each time, because handlers may change it. */
export function makerOf(owner: string, option: string, value: unknown): (() => unknown) | undefined {
  if (value === undefined) return undefined
  const takes = 'a value that JSON can express'
  const lost: unknown[] = []
  let kept: unknown
  try {
    kept = jsonCopy(value, lost)
  } catch (cause) {
    throw new TypeError(`${owner}: option "${option}" takes ${takes}; got ${shown(value)}.`, { cause })
  }
  if (kept === undefined || lost.length > 0) throw badOption(owner, option, takes, value)
  return () => jsonCopy(kept)
}

/** Returns the function of a value that must be there. */
export function neededStep(value: FieldValue | FieldStep, option: string): FieldStep {
  const step = stepOf(OWNER, option, value)
  if (step === undefined) throw badOption(OWNER, option, 'a value that JSON can express, or a function', value)
  return step
}

/** Checks a value of an enumeration. */
export function scalar<Value>(value: Value, option: string): Value {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value
  throw badOption(OWNER, option, 'a string, a number, a boolean or null', value)
}

/** Returns a function of the user, or one that gives a value anew each time. */
export function stepOf(
  owner: string,
  option: string,
  value: FieldValue | FieldStep | undefined,
): FieldStep | undefined {
  return typeof value === 'function' ? value : makerOf(owner, option, value)
}

/** Calls a function of the user, which must give a value. */
export function called(step: FieldStep, value: unknown, context: RunContext, name: string): unknown {
  const result = step(value, context as StepContext)
  if (result === undefined) throw new TypeError(`The value of "${name}" is undefined.`)
  return result
}

/** Adds a conversion that makes the value where there is none. */
export function filled(property: Property, conversions: Convert[], make: FieldStep): void {
  const { name } = property
  property.isFilled = true
  conversions.push((value, context, whole) => (value === undefined ? called(make, whole, context, name) : value))
}
