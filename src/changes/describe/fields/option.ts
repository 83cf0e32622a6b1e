// The parts that the options of `fields()` share: how one is made, and the checks of what users write.
import { jsonCopy } from '../../../http/json'
import { isSchema, SCHEMA_TAKES } from '../../../schemas/check'
import { badOption, shown } from '../../../util/options'
import type { RunContext } from '../../convert/steps'
import type { StepContext } from '../../types/operations'
import type { Draft, Property } from './draft'
import type { FieldChanges, FieldStep, FieldValue } from './field-changes'

export const OWNER = 'fields()'

/**
 * An option of `fields()`: checks what is given, and returns a function that takes a definition from the newer version to the
 * older one. It also adds the conversions of values, and reports mistakes. `undefined` if the option says nothing.
 */
export type FieldOption = (changes: FieldChanges) => ((draft: Draft) => void) | undefined

/** The value that an option takes for one property. */
type GivenFor<Name extends keyof FieldChanges> = Extract<
  FieldChanges[Name],
  { readonly [property: string]: unknown }
>[string]

/** Makes an option of the check of one value, and of the way back to the older version for all of them. */
export function option<Name extends keyof FieldChanges, Checked>(
  name: Name,
  check: (value: GivenFor<Name>, option: string) => Checked,
  goBack: (draft: Draft, entries: ReadonlyMap<string, Checked>) => void,
): FieldOption {
  return ({ [name]: given }) => {
    const entries = entriesOf(name, given as { readonly [property: string]: GivenFor<Name> } | undefined, check)
    return entries && ((draft) => goBack(draft, entries))
  }
}

/** Makes an option whose properties go back one by one. Unknown ones are reported. */
export function propertyOption<Name extends keyof FieldChanges, Checked>(
  name: Name,
  check: (value: GivenFor<Name>, option: string) => Checked,
  goBack: (draft: Draft, property: Property, given: Checked) => void,
): FieldOption {
  return option(name, check, (draft, entries) => {
    for (const [key, given] of entries) {
      const property = draft.find(name, key)
      if (property !== undefined) goBack(draft, property, given)
    }
  })
}

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

/** A value that must be there, and the function that makes it. */
interface Needed {
  readonly value: FieldValue | FieldStep
  readonly make: FieldStep
}

export function needed(value: FieldValue | FieldStep, option: string): Needed {
  const make = stepOf(OWNER, option, value)
  if (make === undefined) throw badOption(OWNER, option, 'a value that JSON can express, or a function', value)
  return { value, make }
}

/** Returns a function of the user, or one that gives a value anew each time, because handlers may change it. */
export function stepOf(
  owner: string,
  option: string,
  value: FieldValue | FieldStep | undefined,
): FieldStep | undefined {
  if (typeof value === 'function' || value === undefined) return value
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

/** Calls a function of the user, which must give a value. */
export function called(step: FieldStep, value: unknown, context: RunContext, name: string): unknown {
  const result = step(value, context as StepContext)
  if (result === undefined) throw new TypeError(`The value of "${name}" is undefined.`)
  return result
}
