// The public face of changes as data: `fields()` and its options.
import { jsonCopy } from '../../http/json-copy'
import { isSchema, SCHEMA_TAKES } from '../../schemas/check'
import type { Schema } from '../../types'
import { badOption, checkKeys, shown } from '../../util/options'
import type { Shape, StepContext } from '../typing'

/** A function that converts the value of a member, or makes one of the newer shape. It is synchronous. */
// A method's parameters are compared both ways, so each function can declare its own.
export type FieldStep = { step(value: unknown, context: StepContext): unknown }['step']

/** A value that JSON can express. */
export type FieldValue = string | number | boolean | null | readonly unknown[] | { readonly [name: string]: unknown }

/** A member that only the older version has. */
export interface RemovedField {
  /** The schema of the member in the older version. */
  readonly schema: Schema
  /** The value of the member in answers, or a function that makes it of the newer shape. */
  readonly value?: FieldValue | FieldStep | undefined
  /** `true` if the older shape may lack the member. */
  readonly optional?: boolean | undefined
}

/** A member with another schema in the older version. */
export interface ConvertedField {
  /** The schema of the member in the older version. */
  readonly schema: Schema
  /** Converts the newer value to the older one, in answers. */
  readonly response?: FieldStep | undefined
  /** Converts the older value to the newer one, in bodies. */
  readonly request?: FieldStep | undefined
}

/** The options of {@link fields}. Bodies pass them in this order, answers in reverse. */
export interface FieldChanges {
  /** The members that the newer version lacks. */
  readonly removed?: { readonly [member: string]: RemovedField } | undefined
  /** The newer names of members, by their older names. */
  readonly renamed?: { readonly [older: string]: string } | undefined
  /**
   * The members that the older version lacks; or these with the values that older bodies get if the newer definition requires
   * the member.
   */
  readonly added?: { readonly [member: string]: FieldValue | undefined } | readonly string[] | undefined
  /** The older value of each newer value that the older version lacks, by member. */
  readonly values?:
    | { readonly [member: string]: { readonly [newer: string]: string | number | boolean | null } }
    | undefined
  /** The members with another schema in the older version. */
  readonly converted?: { readonly [member: string]: ConvertedField } | undefined
  /** The members of an object that the older version has beside it, by the name of the object. */
  readonly nested?: { readonly [object: string]: readonly string[] } | undefined
}

/** A checked {@link RemovedField}. */
interface Removed {
  readonly schema: Schema
  readonly make: FieldStep | undefined
  readonly isOptional: boolean
}

const OWNER = 'fields()'
const OPTIONS = ['removed', 'renamed', 'added', 'values', 'converted', 'nested'] as const
const NAMES = 'a list of names'
const JSON_VALUE = 'a value that JSON can express'

/** Checked changes of fields. */
export class CompiledFields implements Shape<undefined, undefined> {
  readonly older = undefined
  readonly newer = undefined
  readonly removed: ReadonlyMap<string, Removed>
  /** The newer names by the older ones. */
  readonly renamed: ReadonlyMap<string, string>
  /** The makers of the values for bodies; undefined for a member without a value. */
  readonly added: ReadonlyMap<string, (() => unknown) | undefined>
  /** The older values by the newer ones as texts. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, unknown>>
  readonly converted: ReadonlyMap<string, ConvertedField>
  readonly nested: ReadonlyMap<string, readonly string[]>

  constructor(changes: FieldChanges) {
    checkKeys(OWNER, changes, OPTIONS)
    const of = <Value, Result>(
      option: Exclude<(typeof OPTIONS)[number], 'added'>,
      given: { readonly [member: string]: Value } | undefined,
      compile: (value: Value, name: string) => Result,
    ) => new Map(entriesOf(option, given).map(([name, value]) => [name, compile(value, `${option}.${name}`)]))
    this.removed = of('removed', changes.removed, removedField)
    this.renamed = of('renamed', changes.renamed, (name, option) => {
      if (typeof name !== 'string' || name === '') throw badOption(OWNER, option, 'the newer name', name)
      return name
    })
    this.added = addedFields(changes.added)
    this.values = of('values', changes.values, (given, option) => new Map(entriesOf(option, given)))
    this.converted = of('converted', changes.converted, convertedField)
    this.nested = of('nested', changes.nested, namesOf)
    const said = { values: this.values.keys(), converted: this.converted.keys(), renamed: this.renamed.values() }
    for (const [option, names] of Object.entries(said)) {
      const both = [...names].find((name) => this.added.has(name))
      if (both !== undefined) {
        throw new TypeError(
          `${OWNER}: "added" and "${option}" both say "${both}", but the older version lacks what is added.`,
        )
      }
    }
    if (OPTIONS.every((option) => this[option].size === 0)) {
      throw new TypeError(`${OWNER} says nothing: it takes ${OPTIONS.map((option) => `"${option}"`).join(', ')}.`)
    }
  }
}

/**
 * Describes the change of a shape as data: the older definition and the steps are made of the newer definition, which is whatever
 * the next version has. Several shapes may share it. `versioning()` checks the names against the definitions.
 *
 * @throws {TypeError} for unknown options and wrong values.
 * @example
 * const titled = change('Articles have `title` in place of `name`, and a `language`.', {
 *   Article: fields({ renamed: { name: 'title' }, added: { language: 'en' } }),
 * })
 */
export function fields(changes: FieldChanges): Shape {
  return new CompiledFields(changes)
}

function entriesOf<Value>(option: string, given: { readonly [name: string]: Value } | undefined): [string, Value][] {
  if (given === undefined) return []
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return Object.entries(given)
  throw badOption(OWNER, option, 'an object by member', given)
}

function removedField(given: RemovedField, option: string): Removed {
  const owner = `${OWNER}: "${option}"`
  checkKeys(owner, given, ['schema', 'value', 'optional'])
  const { schema, value, optional = false } = given
  if (!isSchema(schema)) throw badOption(owner, 'schema', SCHEMA_TAKES, schema)
  if (typeof optional !== 'boolean') throw badOption(owner, 'optional', 'true or false', optional)
  const make = typeof value === 'function' ? (value as FieldStep) : makerOf(owner, 'value', value)
  return { schema, make, isOptional: optional }
}

function convertedField(given: ConvertedField, option: string): ConvertedField {
  const owner = `${OWNER}: "${option}"`
  checkKeys(owner, given, ['schema', 'response', 'request'])
  if (!isSchema(given.schema)) throw badOption(owner, 'schema', SCHEMA_TAKES, given.schema)
  for (const kind of ['response', 'request'] as const) {
    if (given[kind] !== undefined && typeof given[kind] !== 'function')
      throw badOption(owner, kind, 'a function', given[kind])
  }
  return given
}

function addedFields(given: FieldChanges['added']): CompiledFields['added'] {
  if (Array.isArray(given)) return new Map(namesOf(given, 'added').map((name) => [name, undefined]))
  const entries = entriesOf('added', given as Exclude<FieldChanges['added'], readonly string[]>)
  return new Map(entries.map(([name, value]) => [name, makerOf(OWNER, `added.${name}`, value)]))
}

function namesOf(given: readonly string[], option: string): readonly string[] {
  const isList = Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string')
  if (!isList) throw badOption(OWNER, option, NAMES, given)
  return [...given]
}

/** Returns a function that gives a value anew each time, because handlers may change it. */
function makerOf(owner: string, option: string, value: unknown): (() => unknown) | undefined {
  if (value === undefined) return undefined
  const lost: unknown[] = []
  let kept: unknown
  try {
    kept = jsonCopy(value, lost)
  } catch (cause) {
    throw new TypeError(`${owner}: option "${option}" takes ${JSON_VALUE}; got ${shown(value)}.`, { cause })
  }
  if (kept === undefined || lost.length > 0) throw badOption(owner, option, JSON_VALUE, value)
  return () => jsonCopy(kept)
}
