// The schemas of properties, as the options of `fields()` read them.
import { isDeepStrictEqual } from 'node:util'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../../schemas/model'
import { type Resolve, schemasIn, typeOf, typesOf, valuesOf } from '../../shapes/telling'
import type { Draft, Property } from './draft'

/** The keywords that speak of an object's members beside `properties`, or of the object as a whole. */
const OTHERS =
  '$ref allOf anyOf oneOf not if then else const enum dependentSchemas dependencies propertyNames minProperties maxProperties unevaluatedProperties'.split(
    ' ',
  )

/** Returns the keyword because of which a definition is no plain object; undefined for a plain object. */
export function oddKeyword(schema: JsonSchema): string | undefined {
  const keyword = OTHERS.find((one) => Object.hasOwn(schema, one))
  return keyword ?? (isObject(schema.properties) ? undefined : 'type')
}

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

/** Returns the values of a property; undefined, with a fault, if its schema does not list them. */
export function choicesIn(option: string, draft: Draft, property: Property): readonly unknown[] | undefined {
  const found = choicesOf(draft.readingOf(property))
  if (found === undefined) {
    const { $ref } = property.schema
    const hint = typeof $ref === 'string' ? ` Of the shape "${$ref}", say shape(older, steps).` : ''
    draft.settings.fault(`"${option}" takes members with an "enum" or "const", and "${property.name}" has none.${hint}`)
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

/** Returns an enumeration with some of its values. */
export function withChoices(reading: SchemaReading, isKept: (value: unknown) => boolean): JsonSchema {
  const { default: _preset, example: _one, examples: _all, $ref, ...schema }: JsonSchema = reading.schema
  if ($ref !== undefined) {
    const target = reading.definitions.get($ref as string) as JsonSchema
    return { ...withChoices({ ...reading, schema: target }, isKept), ...schema }
  }
  if (Array.isArray(schema.enum)) return { ...schema, enum: schema.enum.filter(isKept) }
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const branches = schemasIn(schema[keyword], reading).filter((branch) => choicesOf(branch)?.some(isKept))
  return branches.length === 0
    ? schema
    : { ...schema, [keyword]: branches.map((branch) => withChoices(branch, isKept)) }
}

/** Tells whether a schema accepts a value, as far as types and listed values tell. */
export function accepts(reading: SchemaReading, value: unknown, resolve: Resolve): boolean {
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
