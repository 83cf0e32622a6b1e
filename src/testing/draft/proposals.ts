// What `fields()` can say of two definitions of a shape: each option is found by one function.

import { propertiesOf } from '../../changes/describe/fields/draft'
import type { FieldChanges } from '../../changes/describe/fields/field-changes'
import { listIn, objectIn } from '../../changes/describe/fields/field-schemas'
import type { JsonSchema, SchemaReading } from '../../schemas/model'
import { isOfOther } from '../../schemas/one-sided'
import { put } from '../../util/collections'
import { type Literal, Noted, step, textOf, todo } from './literal'
import { saidBy } from './written-schemas'

/** The sides on which a shape is used. */
export interface Use {
  readonly inBodies: boolean
  readonly inResponses: boolean
}

/** A definition as properties. */
export interface Side {
  readonly properties: ReadonlyMap<string, SchemaReading>
  readonly required: ReadonlySet<string>
}

/** Two definitions of a shape on the way of the search: what an option says, the next ones need not say. */
export interface Pair {
  readonly name: string
  readonly older: Side
  readonly newer: Side
  /** The names that no option has said yet: those of the older definition alone, and those of the newer one alone. */
  readonly gone: Set<string>
  readonly brought: Set<string>
  /** The older names by the newer ones, for properties that both have. */
  readonly kept: Map<string, string>
  /** The kept properties whose schemas differ, by their newer names. */
  readonly different: Set<string>
  readonly use: Use
  same(older: SchemaReading, newer: SchemaReading): boolean
  written(older: SchemaReading): JsonSchema
  /** Resolves references. */
  resolve(reference: string, from: SchemaReading): SchemaReading | undefined
}

type Entries = Record<string, Literal>

/** The values that nobody asks for: no request, or no response, has the shape. */
const UNUSED = step('() => undefined')

export function sideOf({ schema, definitions }: SchemaReading): Side {
  const { described, undescribed } = propertiesOf(schema)
  const required = [...described, ...undescribed].filter(({ isRequired }) => isRequired)
  return {
    properties: new Map(described.map(({ name, schema: own }) => [name, { schema: own, definitions }])),
    required: new Set(required.map(({ name }) => name)),
  }
}

/** Finds properties that went into an object. */
function nested(pair: Pair): Entries {
  const found: Entries = {}
  for (const name of pair.brought) {
    const object = objectIn(newerOf(pair, name), pair.resolve)
    if (object === undefined) continue
    const { reading } = object
    const inner = [...sideOf(reading).properties]
    const isMoved = ([one, schema]: [string, SchemaReading]) =>
      pair.gone.has(one) && pair.same(olderOf(pair, one), schema)
    if (inner.length === 0 || !inner.every(isMoved)) continue
    const names = inner.map(([one]) => one)
    put(found, name, new Noted(`A guess: the properties of "${name}" were beside it.`, names))
    pair.brought.delete(name)
    for (const [one] of inner) pair.gone.delete(one)
  }
  return found
}

/** Finds properties that have another name: a pair of equal schemas, of which no other one has the like. */
function renamed(pair: Pair): Entries {
  return matched(pair, (older, newer) => pair.same(older, newer))
}

/** Finds properties that became a list. */
function listed(pair: Pair): Entries {
  const isItem = (older: SchemaReading, newer: SchemaReading) => {
    const list = listIn(newer, pair.resolve)
    return list !== undefined && pair.same(older, list.item)
  }
  const found = matched(pair, isItem)
  for (const name of pair.different) {
    if (!isItem(olderOf(pair, pair.kept.get(name) as string), newerOf(pair, name))) continue
    put(found, name, name)
    pair.different.delete(name)
  }
  return found
}

function matched(pair: Pair, fits: (older: SchemaReading, newer: SchemaReading) => boolean): Entries {
  const found: Entries = {}
  const partners = (older: string) =>
    [...pair.brought].filter((newer) => fits(olderOf(pair, older), newerOf(pair, newer)))
  const candidates = [...pair.gone].map((older) => [older, partners(older)] as const)
  for (const [older, [newer, ...others]] of candidates) {
    if (newer === undefined || others.length > 0) continue
    if (candidates.some(([other, names]) => other !== older && names.includes(newer))) continue
    put(found, older, new Noted(`A guess: "${older}" and "${newer}" are the only ones of their kind.`, newer))
    pair.gone.delete(older)
    pair.brought.delete(newer)
    pair.kept.set(newer, older)
  }
  return found
}

function removed(pair: Pair): Entries {
  const entries = [...pair.gone].map((name): [string, Literal] => {
    const older = olderOf(pair, name)
    const isOptional = !pair.older.required.has(name)
    const schema = pair.written(older)
    if (!pair.use.inResponses) return [name, { schema, ...(isOptional ? { optional: true } : {}) }]
    if (isOptional) return [name, { schema, optional: true, value: UNUSED }]
    return valued(pair, name, older, `the value of "${name}" in responses`, (value) => ({ schema, value }))
  })
  return Object.fromEntries(entries)
}

/** Finds properties that only the newer version has. */
function added(pair: Pair): Entries | readonly string[] {
  const { newer, use } = pair
  const isNeeded = (name: string) =>
    use.inBodies && newer.required.has(name) && !isOfOther(newerOf(pair, name), pair.resolve, 'input')
  if (![...pair.brought].some(isNeeded)) return [...pair.brought]
  const entries = [...pair.brought].map((name): [string, Literal] => {
    if (!isNeeded(name)) return [name, undefined]
    const reading = newerOf(pair, name)
    return valued(pair, name, reading, `the value of "${name}" for bodies of older clients`, (value) => value)
  })
  return Object.fromEntries(entries)
}

/** The values of a property whose schemas differ by them alone. */
interface Choices {
  readonly older: readonly unknown[]
  readonly newer: readonly unknown[]
  readonly gone: readonly unknown[]
  readonly brought: readonly unknown[]
  /** `true` if a schema has a default, which options of values leave out. */
  readonly hasDefault: boolean
}

function choicesOf(pair: Pair, name: string): Choices | undefined {
  const [older, newer] = [olderOf(pair, pair.kept.get(name) as string), newerOf(pair, name)]
  const [a, b] = [older.schema.enum, newer.schema.enum]
  if (!Array.isArray(a) || !Array.isArray(b) || ![...a, ...b].every(isScalar)) return undefined
  if (!pair.same(without(older, isAside), without(newer, isAside))) return undefined
  const [gone, brought] = [a.filter((one) => !b.includes(one)), b.filter((one) => !a.includes(one))]
  const hasDefault = [older, newer].some(({ schema }) => schema.default !== undefined)
  return { older: a, newer: b, gone, brought, hasDefault }
}

/** Finds the values of the properties for options of values. */
function plainChoices(pair: Pair): [name: string, choices: Choices][] {
  return [...pair.different].flatMap((name): [string, Choices][] => {
    const choices = choicesOf(pair, name)
    return choices === undefined || choices.hasDefault ? [] : [[name, choices]]
  })
}

function isAside(keyword: string): boolean {
  return keyword === 'enum' || isAnnotation(keyword)
}

/** Tells whether a keyword says nothing of values. */
function isAnnotation(keyword: string): boolean {
  return /^(?:default|readOnly|writeOnly|externalDocs|xml|x-.*)$/.test(keyword)
}

function without({ schema, definitions }: SchemaReading, isOut: (keyword: string) => boolean): SchemaReading {
  return { schema: Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isOut(keyword))), definitions }
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Finds a value with another name: the only one that is gone, and the only new one. */
function renamedValues(pair: Pair): Entries {
  const found: Entries = {}
  for (const [name, { gone, brought }] of plainChoices(pair)) {
    if (gone.length !== 1 || brought.length !== 1) continue
    const guess = new Noted('A guess: one value is gone, and one is new.', brought[0])
    put(found, name, Object.fromEntries([[String(gone[0]), guess]]))
    pair.different.delete(name)
  }
  return found
}

function values(pair: Pair): Entries {
  const found: Entries = {}
  for (const [name, { older, gone, brought }] of plainChoices(pair)) {
    const kept = older.filter((one) => !gone.includes(one))
    if (kept.length === 0 || brought.length === 0) continue
    const isKnown = kept.length === 1 || !pair.use.inResponses
    const entries = brought.map((value) => {
      const what = `the "${name}" that older clients get instead of ${JSON.stringify(value)}`
      return [String(value), isKnown ? kept[0] : todo(`${pair.name}: ${what}`)]
    })
    put(found, name, Object.fromEntries(entries))
    if (gone.length === 0) pair.different.delete(name)
  }
  return found
}

function removedValues(pair: Pair): Entries {
  const found: Entries = {}
  for (const [name, { newer, gone }] of plainChoices(pair)) {
    if (gone.length === 0) continue
    const valueFor = (value: unknown) => {
      if (newer.length === 1) return newer[0]
      const what = `${pair.name}: the "${name}" instead of ${JSON.stringify(value)} in bodies`
      return pair.use.inBodies ? todo(what) : UNUSED
    }
    put(found, name, Object.fromEntries(gone.map((value) => [String(value), valueFor(value)])))
    pair.different.delete(name)
  }
  return found
}

/** Finds properties with another schema. */
function converted(pair: Pair): Entries {
  const entries = [...pair.different].map((name): [string, Literal] => {
    const [older, newer] = [olderOf(pair, pair.kept.get(name) as string), newerOf(pair, name)]
    const isSame = pair.same(without(older, isAnnotation), without(newer, isAnnotation))
    const { gone = [], brought = [] } = choicesOf(pair, name) ?? {}
    const isChoice = gone.length + brought.length > 0
    const stepFor = (what: string, others: readonly unknown[], { schema }: SchemaReading) => {
      if (isSame || (isChoice && others.length === 0)) return step('(value) => value')
      const { default: preset } = schema
      if (!isChoice || preset === undefined) return todo(`${pair.name}: make the ${what}`)
      // The default of the side that lacks the values.
      const list = `[${others.map((one) => textOf(one)).join(', ')}]`
      return step(`(value) => (${list}.includes(value) ? ${textOf(preset)} : value)`)
    }
    const response = stepFor(`older "${name}" of the newer one`, brought, older)
    const request = stepFor(`newer "${name}" of the older one`, gone, newer)
    const { inBodies, inResponses } = pair.use
    const schema = pair.written(older)
    return [name, { schema, ...(inResponses ? { response } : {}), ...(inBodies ? { request } : {}) }]
  })
  return Object.fromEntries(entries)
}

function required(pair: Pair): Entries {
  const found = [...pair.kept].filter(
    ([newer, older]) => pair.newer.required.has(newer) && !pair.older.required.has(older),
  )
  const entries = found.map(([name]): [string, Literal] => {
    if (!pair.use.inBodies) return [name, UNUSED]
    return valued(pair, name, newerOf(pair, name), `the value of "${name}" for bodies without one`, (value) => value)
  })
  return Object.fromEntries(entries)
}

function optional(pair: Pair): Entries {
  const found = [...pair.kept].filter(
    ([newer, older]) => !pair.newer.required.has(newer) && pair.older.required.has(older),
  )
  const entries = found.map(([name, older]): [string, Literal] => {
    if (!pair.use.inResponses) return [name, UNUSED]
    return valued(pair, name, olderOf(pair, older), `the value of "${name}" in responses without one`, (value) => value)
  })
  return Object.fromEntries(entries)
}

/** Returns an entry with the value that a schema says, else with one that somebody has to write. */
function valued(
  pair: Pair,
  name: string,
  reading: SchemaReading,
  what: string,
  entryOf: (value: Literal) => Literal,
): [string, Literal] {
  const said = saidBy(reading)
  return [name, entryOf(said === undefined ? todo(`${pair.name}: ${what}`) : said)]
}

type Finder = (pair: Pair) => Entries | readonly string[]

/** The options in the order in which they are looked for: the narrower ones first. */
const FINDERS: readonly (readonly [keyof FieldChanges, Finder])[] = [
  ['nested', nested],
  ['renamed', renamed],
  ['listed', listed],
  ['removed', removed],
  ['added', added],
  ['renamedValues', renamedValues],
  ['values', values],
  ['removedValues', removedValues],
  ['converted', converted],
  ['required', required],
  ['optional', optional],
]

/** The options that guess. They are left out, in turn, where they do not lead to the older definition. */
export const GUESSES: readonly ReadonlySet<string>[] = [
  [],
  ['nested'],
  ['nested', 'renamed', 'listed', 'renamedValues'],
].map((names) => new Set(names))

/**
 * Proposes the options of `fields()` for two definitions.
 *
 * @param without the options that are not looked for.
 */
export function proposed(
  given: Pick<Pair, 'name' | 'older' | 'newer' | 'use' | 'same' | 'written' | 'resolve'>,
  without: ReadonlySet<string>,
): Entries {
  const { older, newer } = given
  const [before, after] = [[...older.properties.keys()], [...newer.properties.keys()]]
  const both = after.filter((name) => older.properties.has(name))
  const pair: Pair = {
    ...given,
    gone: new Set(before.filter((name) => !newer.properties.has(name))),
    brought: new Set(after.filter((name) => !older.properties.has(name))),
    kept: new Map(both.map((name) => [name, name])),
    different: new Set(
      both.filter(
        (name) => !given.same(older.properties.get(name) as SchemaReading, newer.properties.get(name) as SchemaReading),
      ),
    ),
  }
  const found = FINDERS.filter(([option]) => !without.has(option)).map(
    ([option, find]) => [option, find(pair)] as const,
  )
  return Object.fromEntries(found.filter(([, said]) => Object.keys(said).length > 0))
}

function olderOf(pair: Pair, name: string): SchemaReading {
  return pair.older.properties.get(name) as SchemaReading
}

function newerOf(pair: Pair, name: string): SchemaReading {
  return pair.newer.properties.get(name) as SchemaReading
}
