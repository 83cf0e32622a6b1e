// The options of `fields()` about the values of enumerations.
import { isDeepStrictEqual } from 'node:util'
import { typeOf, typesOf } from '../../../schemas/alternatives'
import { chainOf, listedIn, resolveOwn, resolveUnnamed, targetOf } from '../../../schemas/graph'
import { besideReference, referenceIn, type Union, unionsIn, valuesOf } from '../../../schemas/keywords'
import type { JsonSchema, SchemaReading } from '../../../schemas/model'
import { badOption } from '../../../util/options'
import { didYouMean, near } from '../../../util/suggest'
import { type Draft, IF_GONE, type Property, swappedOrOld } from './draft'
import type { Choice, FieldStep } from './field-changes'
import { firstUnionOf } from './field-schemas'
import { called, entriesOf, type FieldOption, OWNER, propertyOption } from './option'

/** One enumeration on its way to the older version. */
interface Enumeration {
  readonly draft: Draft
  readonly property: Property
  /** Its values in the newer version. */
  readonly all: readonly unknown[]
  /** The beginning of a sentence about the option. */
  readonly says: string
}

/**
 * Makes an option of the check of one value, and of the way of one enumeration back to the older version.
 *
 * @param goBack makes each newer value the older ones that stand for it.
 */
function valueOption<Value extends Choice | FieldStep>(
  name: 'values' | 'renamedValues' | 'removedValues',
  check: (value: Value, option: string) => Value,
  goBack: (one: Enumeration, values: ReadonlyMap<string, Value>) => (value: unknown) => readonly unknown[],
): FieldOption {
  const checkAll = (given: object, option: string) =>
    entriesOf(option, given as { readonly [key: string]: Value }, check)
  return propertyOption(name, checkAll, (draft, property, values) => {
    const all = choicesOf(draft.readingOf(property))
    if (all === undefined) {
      const shape = referenceIn(property.schema)
      const hint = shape === undefined ? '' : ` Of the shape "${shape}", say shape(older, steps).`
      draft.settings.fault(
        `"${name}" takes properties with an "enum" or "const", and "${property.name}" has none.${hint}`,
      )
      return
    }
    const one = { draft, property, all, says: `"${name}" of "${property.name}"` }
    const olderOf = goBack(one, values ?? new Map())
    property.schema = mapChoices(draft.readingOf(property), olderOf)
  })
}

/** Values that the older version lacks. */
export const values = valueOption<Choice | FieldStep>(
  'values',
  (older) => older,
  ({ draft, property, all, says }, older) => {
    const { name } = property
    const known = all.map(String)
    const kept = all.filter((value) => !older.has(String(value)))
    for (const [from, to] of older) {
      if (!known.includes(from))
        draft.settings.fault(
          `${says} has ${JSON.stringify(from)}, which its newer definition lacks.${didYouMean(near(from, known))}`,
        )
      if (typeof to !== 'function' && !kept.includes(to))
        draft.settings.fault(
          `${says} gives ${JSON.stringify(to)}, which its older definition lacks.${didYouMean(near(String(to), kept.map(String)))}`,
        )
    }
    property.older.push((value, context, whole) => {
      if (typeof value === 'object' && value !== null) return value
      const mapped = older.get(String(value))
      if (typeof mapped === 'function') return called(mapped, whole, context, name)
      return mapped === undefined ? value : mapped
    })
    return (value) => (kept.includes(value) ? [value] : [])
  },
)

/** Values with another name in the older version. */
export const renamedValues = valueOption<Choice>('renamedValues', scalar, ({ draft, property, all, says }, values) => {
  const newer = new Map<unknown, unknown>()
  const older = new Map<unknown, unknown>()
  for (const [key, to] of values) {
    const from = olderValueOf(key, all)
    checkChoice(draft, says, to, all, from)
    if (older.has(to)) draft.settings.fault(`${says} has ${JSON.stringify(to)} twice.`)
    newer.set(from, to)
    older.set(to, from)
  }
  for (const from of newer.keys()) {
    if (all.includes(from) && !older.has(from))
      draft.settings.fault(`${says} has the older ${JSON.stringify(from)}, which its newer definition has already.`)
  }
  const renamed = (map: ReadonlyMap<unknown, unknown>) => (value: unknown) => (map.has(value) ? map.get(value) : value)
  const olderOf = renamed(older)
  property.older.push(olderOf)
  property.newer.push(renamed(newer))
  return (value) => [olderOf(value)]
})

/** Values that only the older version has. */
export const removedValues = valueOption<Choice | FieldStep>(
  'removedValues',
  (value, option) => (typeof value === 'function' ? value : scalar(value, option)),
  ({ draft, property, all, says }, values) => {
    const { name } = property
    const newer = new Map<unknown, Choice | FieldStep>()
    for (const [key, to] of values) {
      const from = olderValueOf(key, all)
      if (all.includes(from))
        draft.settings.fault(`${says} has ${JSON.stringify(from)}, which its newer definition still has. ${IF_GONE}`)
      if (typeof to !== 'function') checkChoice(draft, says, to, all, from)
      newer.set(from, to)
    }
    property.newer.push((value, context, whole) => {
      const to = newer.get(value)
      if (typeof to === 'function') return called(to, whole, context, name)
      return to === undefined ? value : to
    })
    // `null` often has a branch of its own.
    const last = all.findLast((value) => value !== null) ?? null
    return (value) => (value === last ? [value, ...newer.keys()] : [value])
  },
)

function scalar<Value>(value: Value, option: string): Value {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value
  throw badOption(OWNER, option, 'a string, a number, a boolean or null', value)
}

/** Returns the values that a schema lists; undefined for a schema that lists none. */
function choicesOf(reading: SchemaReading): readonly unknown[] | undefined {
  const values = listedIn(reading, resolveUnnamed)
  if (values !== undefined) return values
  const last = chainOf(reading, resolveUnnamed).at(-1) as SchemaReading
  if (last.schema.type === 'null') return [null]
  const branches = firstUnionOf(last).map(choicesOf)
  return branches.length > 0 && branches.every((one) => one !== undefined) ? branches.flat() : undefined
}

/** Returns an enumeration with older values for each of its values. */
function mapChoices(reading: SchemaReading, olderOf: (value: unknown) => readonly unknown[]): JsonSchema {
  const { default: _preset, example: _one, examples: _all, ...schema } = besideReference(reading.schema)
  const target = targetOf(reading, resolveOwn)
  if (target !== undefined) return { ...mapChoices(target, olderOf), ...schema }
  const values = valuesOf(schema) ?? (schema.type === 'null' ? [null] : undefined)
  if (values !== undefined) {
    const { type, const: _value, enum: _values, ...rest } = schema
    const older = values.flatMap(olderOf)
    if (isDeepStrictEqual(values, older)) return schema
    // The values tell their types.
    const isTyped = older.every((value) => (typesOf({ type }) & typeOf(value)) !== 0)
    return { ...(isTyped && type !== undefined ? { type } : {}), ...rest, enum: older }
  }
  // Without values of its own, it has a union of such schemas.
  const [[keyword]] = unionsIn(schema) as [[Union, unknown]]
  const branches = firstUnionOf(reading).filter((branch) =>
    choicesOf(branch)?.some((value) => olderOf(value).length > 0),
  )
  return { ...schema, [keyword]: branches.map((branch) => mapChoices(branch, olderOf)) }
}

/** Reports a newer value that an enumeration lacks. */
function checkChoice(draft: Draft, says: string, to: Choice, all: readonly unknown[], from: Choice): void {
  if (all.includes(to)) return
  const hint = all.includes(from) ? swappedOrOld('the option', from, to) : didYouMean(near(String(to), all.map(String)))
  draft.settings.fault(`${says} gives ${JSON.stringify(to)}, which its newer definition lacks.${hint}`)
}

/** Reads a key as an older value: as a number or a boolean where all newer values are such. */
function olderValueOf(key: string, all: readonly unknown[]): Choice {
  if (key === 'null') return null
  const areAll = (type: string) => all.every((value) => value === null || typeof value === type)
  if (areAll('number') && key.trim() !== '' && Number.isFinite(Number(key))) return Number(key)
  return areAll('boolean') && (key === 'true' || key === 'false') ? key === 'true' : key
}
