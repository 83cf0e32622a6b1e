// What `fields()` can say of two definitions of a shape: each option is found by one function.
import { propertiesOf } from '../../changes/describe/fields/draft'
import type { FieldChanges } from '../../changes/describe/fields/field-changes'
import { listIn, objectIn } from '../../changes/describe/fields/field-schemas'
import { chainOf, resolveOwn } from '../../schemas/graph'
import type { SchemaReading } from '../../schemas/model'
import { isOfOther } from '../../schemas/one-sided'
import { grouped, put } from '../../util/collections'
import { type Literal, noted, step, textOf, todo } from './draft-text'
import type { SchemaSettings } from './view'

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

/** The options that guess. They are left out, in turn, where they do not lead to the older definition. */
export const GUESSES: readonly ReadonlySet<string>[] = [
  [],
  ['nested'],
  ['nested', 'renamed', 'listed', 'renamedValues'],
].map((names) => new Set(names))

/** The values of a property whose schemas differ by them alone. */
interface Choices {
  readonly older: readonly unknown[]
  readonly newer: readonly unknown[]
  readonly gone: readonly unknown[]
  readonly brought: readonly unknown[]
}

/**
 * Proposes the options of `fields()` for two definitions. What one option says, the next ones need not say.
 *
 * @param shape the name, for tasks.
 * @param without the options that are not looked for.
 */
export function proposed(
  shape: string,
  older: Side,
  newer: Side,
  { inBodies, inResponses }: Use,
  { same, written }: SchemaSettings,
  without: ReadonlySet<string>,
): Entries {
  const before = (name: string) => older.properties.get(name) as SchemaReading
  const after = (name: string) => newer.properties.get(name) as SchemaReading
  const names = [...newer.properties.keys()]
  const both = names.filter((name) => older.properties.has(name))
  /** The names that no option has said yet: those of the older definition alone, and those of the newer one alone. */
  const gone = new Set([...older.properties.keys()].filter((name) => !newer.properties.has(name)))
  const brought = new Set(names.filter((name) => !older.properties.has(name)))
  /** The older names by the newer ones, for properties that both have. */
  const kept = new Map(both.map((name) => [name, name]))
  /** The kept properties whose schemas differ, by their newer names. */
  const different = new Set(both.filter((name) => !same(before(name), after(name))))
  const sidesOf = (name: string) => [before(kept.get(name) as string), after(name)] as const

  /** Finds properties with another name: pairs of which no other one has the like. */
  function matched(fits: (older: SchemaReading, newer: SchemaReading) => boolean): Entries {
    const found: Entries = {}
    for (const { from, to } of pairsOf(gone, brought, (one, other) => fits(before(one), after(other)))) {
      put(found, from, noted(`A guess: "${from}" and "${to}" are the only ones of their kind.`, to))
      gone.delete(from)
      brought.delete(to)
      kept.set(to, from)
    }
    return found
  }

  function choicesOf(name: string): Choices | undefined {
    const [was, is] = sidesOf(name)
    const [a, b] = [was.schema.enum, is.schema.enum]
    if (!Array.isArray(a) || !Array.isArray(b) || ![...a, ...b].every(isScalar)) return undefined
    if (!same(bare(was, isAside), bare(is, isAside))) return undefined
    return {
      older: a,
      newer: b,
      gone: a.filter((one) => !b.includes(one)),
      brought: b.filter((one) => !a.includes(one)),
    }
  }

  /**
   * Finds the values of properties for an option of values. A default in a schema is left out by these options.
   *
   * @param said returns what the option says of a property; undefined for nothing.
   */
  function ofChoices(said: (choices: Choices, name: string) => Entries | undefined): Entries {
    const found: Entries = {}
    for (const name of [...different]) {
      const choices = choicesOf(name)
      if (choices === undefined || sidesOf(name).some(({ schema }) => schema.default !== undefined)) continue
      const entries = said(choices, name)
      if (entries !== undefined) put(found, name, entries)
    }
    return found
  }

  /** Returns the value that a schema says, else one that somebody has to write. */
  function valueFor(reading: SchemaReading, what: string): Literal {
    const said = saidBy(reading)
    return said === undefined ? todo(`${shape}: ${what}`) : said
  }

  function removedField(name: string): Literal {
    const schema = written(before(name))
    const isOptional = older.required.has(name) ? {} : { optional: true }
    if (!inResponses) return { schema, ...isOptional }
    if (!older.required.has(name)) return { schema, optional: true, value: UNUSED }
    return { schema, value: valueFor(before(name), `the value of "${name}" in responses`) }
  }

  function convertedField(name: string): Literal {
    const [was, is] = sidesOf(name)
    const isSame = same(bare(was, isAnnotation), bare(is, isAnnotation))
    const { gone = [], brought = [] } = { ...choicesOf(name) }
    const isChoice = gone.length + brought.length > 0
    const stepFor = (what: string, others: readonly unknown[], { schema: { default: preset } }: SchemaReading) => {
      if (isSame || (isChoice && others.length === 0)) return step('(value) => value')
      if (!isChoice || preset === undefined) return todo(`${shape}: make the ${what}`)
      // The default of the side that lacks the values.
      const list = `[${others.map((one) => textOf(one)).join(', ')}]`
      return step(`(value) => (${list}.includes(value) ? ${textOf(preset)} : value)`)
    }
    const response = stepFor(`older "${name}" of the newer one`, brought, was)
    const request = stepFor(`newer "${name}" of the older one`, gone, is)
    return { schema: written(was), ...(inResponses ? { response } : {}), ...(inBodies ? { request } : {}) }
  }

  const isItem = (was: SchemaReading, is: SchemaReading) => {
    const list = listIn(is, resolveOwn)
    return list !== undefined && same(was, list.item)
  }

  /** Finds what each option says, in the order in which they are looked for: the narrower ones first. */
  const finders: { readonly [Option in keyof FieldChanges]-?: () => Entries | readonly string[] } = {
    nested() {
      const found: Entries = {}
      for (const name of brought) {
        const object = objectIn(after(name), resolveOwn)
        const inner = object === undefined ? [] : [...sideOf(object.reading).properties]
        const isMoved = ([one, schema]: [string, SchemaReading]) => gone.has(one) && same(before(one), schema)
        if (inner.length === 0 || !inner.every(isMoved)) continue
        const all = inner.map(([one]) => one)
        put(found, name, noted(`A guess: the properties of "${name}" were beside it.`, all))
        brought.delete(name)
        for (const one of all) gone.delete(one)
      }
      return found
    },
    renamed: () => matched(same),
    listed() {
      const found = matched(isItem)
      for (const name of different) {
        if (!isItem(...sidesOf(name))) continue
        put(found, name, name)
        different.delete(name)
      }
      return found
    },
    removed: () => made(gone, removedField),
    added() {
      const isNeeded = (name: string) =>
        inBodies && newer.required.has(name) && !isOfOther(after(name), resolveOwn, 'input')
      if (![...brought].some(isNeeded)) return [...brought]
      return made(brought, (name) =>
        isNeeded(name) ? valueFor(after(name), `the value of "${name}" for bodies of older clients`) : undefined,
      )
    },
    renamedValues: () =>
      // A value with another name is the only one that is gone, and the only new one.
      ofChoices(({ gone, brought }, name) => {
        if (gone.length !== 1 || brought.length !== 1) return undefined
        different.delete(name)
        return made(gone, () => noted('A guess: one value is gone, and one is new.', brought[0]))
      }),
    values: () =>
      ofChoices(({ older, gone, brought }, name) => {
        const kept = older.filter((one) => !gone.includes(one))
        if (kept.length === 0 || brought.length === 0) return undefined
        if (gone.length === 0) different.delete(name)
        const isKnown = kept.length === 1 || !inResponses
        return made(brought, (value) => {
          const what = `the "${name}" that older clients get instead of ${JSON.stringify(value)}`
          return isKnown ? kept[0] : todo(`${shape}: ${what}`)
        })
      }),
    removedValues: () =>
      ofChoices(({ newer, gone }, name) => {
        if (gone.length === 0) return undefined
        different.delete(name)
        return made(gone, (value) => {
          if (newer.length === 1) return newer[0]
          return inBodies ? todo(`${shape}: the "${name}" instead of ${JSON.stringify(value)} in bodies`) : UNUSED
        })
      }),
    converted: () => made(different, convertedField),
    required() {
      const found = [...kept].filter(([is, was]) => newer.required.has(is) && !older.required.has(was))
      return made(new Map(found).keys(), (name) =>
        inBodies ? valueFor(after(name), `the value of "${name}" for bodies without one`) : UNUSED,
      )
    },
    optional() {
      const found = new Map([...kept].filter(([is, was]) => !newer.required.has(is) && older.required.has(was)))
      return made(found.keys(), (name) =>
        inResponses
          ? valueFor(before(found.get(name) as string), `the value of "${name}" in responses without one`)
          : UNUSED,
      )
    },
  }
  const said = Object.entries(finders).flatMap(([option, find]) =>
    without.has(option) ? [] : [[option, find()] as const],
  )
  return Object.fromEntries(said.filter(([, entries]) => Object.keys(entries).length > 0))
}

/** Lists the pairs of older and newer names that fit, and of which no other one has either side. */
export function pairsOf(
  gone: Iterable<string>,
  brought: Iterable<string>,
  fits: (from: string, to: string) => boolean,
) {
  const news = [...brought]
  return lonePairs([...gone].flatMap((from) => news.filter((to) => fits(from, to)).map((to) => ({ from, to }))))
}

/** Lists the pairs of which no other one has either side. */
export function lonePairs<Pair extends { readonly from: string; readonly to: string }>(all: readonly Pair[]): Pair[] {
  const [older, newer] = [grouped(all.map((one) => [one.from, one])), grouped(all.map((one) => [one.to, one]))]
  return all.filter(({ from, to }) => older.get(from)?.length === 1 && newer.get(to)?.length === 1)
}

/** Makes the entries of an option. */
function made<Key>(keys: Iterable<Key>, valueFor: (key: Key) => Literal): Entries {
  return Object.fromEntries([...keys].map((key) => [String(key), valueFor(key)]))
}

function isAside(keyword: string): boolean {
  return keyword === 'enum' || isAnnotation(keyword)
}

/** Tells whether a keyword says nothing of values. */
function isAnnotation(keyword: string): boolean {
  return /^(?:default|readOnly|writeOnly|externalDocs|xml|x-.*)$/.test(keyword)
}

/** Returns a schema without some of its keywords. */
export function bare({ schema, definitions }: SchemaReading, isOut: (keyword: string) => boolean): SchemaReading {
  return { schema: Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isOut(keyword))), definitions }
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Returns the value that a schema says: its default, or its only value. An example is nobody's value. */
function saidBy(reading: SchemaReading): unknown {
  const found = (chainOf(reading, resolveOwn).at(-1) as SchemaReading).schema
  const { default: preset = reading.schema.default, const: only, enum: values } = found
  const [single, ...others] = Array.isArray(values) ? values : [undefined, undefined]
  return [preset, only, others.length === 0 ? single : undefined].find((value) => value !== undefined)
}
