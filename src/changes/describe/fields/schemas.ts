// The schemas of properties, as the options of `fields()` read them.
import { isDeepStrictEqual } from 'node:util'
import { type Resolve, schemasIn, typeOf, typesOf, valuesOf } from '../../../schemas/alternatives'
import { isRule } from '../../../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../../schemas/model'
import { didYouMean, near } from '../../../util/suggest'
import { type Draft, type Property, swappedOrOld } from './draft'

/** The keywords that speak of an object's properties beside `properties`, or of the object as a whole. */
const OTHERS =
  '$ref allOf anyOf oneOf not if then else const enum dependentSchemas dependencies propertyNames minProperties maxProperties unevaluatedProperties'.split(
    ' ',
  )

/** Returns the keyword because of which a definition is no plain object; undefined for a plain object. */
export function oddKeyword(schema: JsonSchema): string | undefined {
  const keyword = OTHERS.find((one) => Object.hasOwn(schema, one))
  return keyword ?? (isObject(schema.properties) ? undefined : 'type')
}

/** The rules of lists that a list of one item keeps. */
const LIMITS = new Set(['maxItems', 'uniqueItems'])

/** A value of an enumeration. */
export type Choice = string | number | boolean | null

/** A schema that may be behind references, and `null` beside it. */
interface Found {
  readonly reading: SchemaReading
  readonly isNullable: boolean
}

/** Returns the schema of an object, which may be `null` and behind references. */
export function objectIn(reading: SchemaReading, resolve: Resolve): Found | undefined {
  return schemaIn(reading, resolve, (schema) => oddKeyword(schema) === undefined)
}

function schemaIn(
  reading: SchemaReading,
  resolve: Resolve,
  fits: (schema: JsonSchema) => boolean,
  isNullable = false,
): Found | undefined {
  const { schema } = reading
  if (fits(schema)) return { reading, isNullable: isNullable || [schema.type].flat().includes('null') }
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref, reading) : undefined
  if (target !== undefined) return schemaIn(target, resolve, fits, isNullable)
  const branches = schemasIn(schema.anyOf ?? schema.oneOf, reading)
  const [first, ...others] = branches.filter(({ schema: { type } }) => type !== 'null')
  if (first === undefined || others.length > 0) return undefined
  return schemaIn(first, resolve, fits, isNullable || branches.length > 1)
}

/** Returns the item of a list, which may be `null` and behind references. */
export function listIn(reading: SchemaReading, resolve: Resolve) {
  const found = schemaIn(reading, resolve, isPlainList)
  if (found === undefined) return undefined
  const { items, minItems = 0 } = found.reading.schema
  const item = { ...found.reading, schema: isObject(items) ? items : {} }
  return { item, isNullable: found.isNullable, isNeverEmpty: minItems !== 0 }
}

/** Tells whether a schema is a list, of which `items` says all, and which may have one item. */
function isPlainList({ type, items, minItems = 0, ...rest }: JsonSchema): boolean {
  const isAlone = Object.keys(rest).every((keyword) => !isRule(keyword) || LIMITS.has(keyword))
  return isAlone && [type].flat().includes('array') && items !== false && (minItems as number) <= 1
}

/** Returns the values of a property; undefined, with a fault, if its schema does not list them. */
export function choicesIn(option: string, draft: Draft, property: Property): readonly unknown[] | undefined {
  const found = choicesOf(draft.readingOf(property))
  if (found === undefined) {
    const { $ref } = property.schema
    const hint = typeof $ref === 'string' ? ` Of the shape "${$ref}", say shape(older, steps).` : ''
    draft.settings.fault(
      `"${option}" takes properties with an "enum" or "const", and "${property.name}" has none.${hint}`,
    )
  }
  return found
}

function choicesOf(reading: SchemaReading): readonly unknown[] | undefined {
  const { schema, definitions } = reading
  const values = valuesOf(schema)
  if (values !== undefined) return values
  const target = typeof schema.$ref === 'string' && !isName(schema.$ref) ? definitions.get(schema.$ref) : undefined
  if (target !== undefined) return choicesOf({ schema: target, definitions })
  if (schema.type === 'null') return [null]
  const branches = schemasIn(schema.anyOf ?? schema.oneOf, reading).map(choicesOf)
  return branches.length > 0 && branches.every((one) => one !== undefined) ? branches.flat() : undefined
}

/** Returns an enumeration with older values for each of its values. */
export function mapChoices(reading: SchemaReading, olderOf: (value: unknown) => readonly unknown[]): JsonSchema {
  const { default: _preset, example: _one, examples: _all, $ref, ...schema }: JsonSchema = reading.schema
  if ($ref !== undefined) {
    const target = reading.definitions.get($ref as string) as JsonSchema
    return { ...mapChoices({ ...reading, schema: target }, olderOf), ...schema }
  }
  const values = valuesOf(schema) ?? (schema.type === 'null' ? [null] : undefined)
  if (values !== undefined) {
    const { type, const: _value, enum: _values, ...rest } = schema
    const older = values.flatMap(olderOf)
    if (isDeepStrictEqual(values, older)) return schema
    // The values tell their types.
    const isTyped = older.every((value) => (typesOf({ type }) & typeOf(value)) !== 0)
    return { ...(isTyped && type !== undefined ? { type } : {}), ...rest, enum: older }
  }
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const branches = schemasIn(schema[keyword], reading).filter((branch) =>
    choicesOf(branch)?.some((value) => olderOf(value).length > 0),
  )
  return { ...schema, [keyword]: branches.map((branch) => mapChoices(branch, olderOf)) }
}

/** Tells whether a schema accepts a value, as far as types and listed values tell. */
function accepts(reading: SchemaReading, value: unknown, resolve: Resolve): boolean {
  const { schema } = reading
  const { $ref, type, allOf, anyOf, oneOf } = schema
  const fits = (one: SchemaReading) => accepts(one, value, resolve)
  const target = typeof $ref === 'string' ? resolve($ref, reading) : undefined
  return (
    (typesOf(schema) & typeOf(value)) !== 0 &&
    (type !== 'integer' || Number.isInteger(value)) &&
    (valuesOf(schema)?.some((one) => isDeepStrictEqual(one, value)) ?? true) &&
    (target === undefined || fits(target)) &&
    schemasIn(allOf, reading).every(fits) &&
    [anyOf, oneOf].every((branches) => !Array.isArray(branches) || schemasIn(branches, reading).some(fits))
  )
}

/** Reports a value that the schema of a property does not accept. A function makes its value later. */
export function checkAccepted(option: string, draft: Draft, property: Property, value: unknown): void {
  const { fault, resolve } = draft.settings
  if (typeof value !== 'function' && !accepts(draft.readingOf(property), value, resolve))
    fault(`"${option}" gives "${property.name}" a value that its schema rejects.`)
}

/** Reports a newer value that an enumeration lacks. */
export function checkChoice(draft: Draft, says: string, to: Choice, all: readonly unknown[], from: Choice): void {
  if (all.includes(to)) return
  const hint = all.includes(from) ? swappedOrOld('the option', from, to) : didYouMean(near(String(to), all.map(String)))
  draft.settings.fault(`${says} gives ${JSON.stringify(to)}, which its newer definition lacks.${hint}`)
}

/** Reads a key as an older value: as a number or a boolean where all newer values are such. */
export function olderValueOf(key: string, all: readonly unknown[]): Choice {
  if (key === 'null') return null
  const areAll = (type: string) => all.every((value) => value === null || typeof value === type)
  if (areAll('number') && key.trim() !== '' && Number.isFinite(Number(key))) return Number(key)
  return areAll('boolean') && (key === 'true' || key === 'false') ? key === 'true' : key
}

/** The part of a definition that says its properties. */
interface ObjectPart {
  readonly reading: SchemaReading
  /** Returns the definition with another part in its place. */
  put(part: SchemaReading): SchemaReading
}

/** Finds the part of an object that has its own properties; the whole, if it has none or several. */
export function objectPartOf(reading: SchemaReading): ObjectPart {
  const { schema, definitions } = reading
  const { allOf, ...own } = schema
  const whole = { reading, put: (part: SchemaReading) => part }
  if (!Array.isArray(allOf)) return whole
  if (isObject(own.properties)) {
    // References stay where they are.
    if (allOf.some((part) => isObject(part) && part.$ref === undefined)) return whole
    const put = (part: SchemaReading) => ({ ...part, schema: { ...part.schema, allOf } })
    return { reading: { schema: own, definitions }, put }
  }
  const inline = allOf.filter((part) => isObject(part) && isObject(part.properties))
  const [part] = inline as JsonSchema[]
  if (part === undefined || inline.length > 1) return whole
  const isOwn = (name: unknown) => Object.hasOwn(part.properties as object, name as string)
  const [required, inner] = [listOf(own.required), listOf(part.required)]
  const rest = required.filter((name) => !isOwn(name))
  const all = [...new Set([...inner, ...required.filter(isOwn)])]
  const { required: _all, ...outer } = own
  return {
    reading: { schema: { ...part, ...(all.length === 0 ? {} : { required: all }) }, definitions },
    put: ({ schema, definitions }) => ({
      schema: {
        ...outer,
        ...(rest.length === 0 ? {} : { required: rest }),
        allOf: allOf.map((one) => (one === part ? schema : one)),
      },
      definitions,
    }),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
