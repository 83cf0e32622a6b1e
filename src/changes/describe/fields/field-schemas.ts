// The schemas of properties, as the options of `fields()` read them.
import { isDeepStrictEqual } from 'node:util'
import { typeOf, typesOf } from '../../../schemas/alternatives'
import { linkedTo, type Resolve, targetOf } from '../../../schemas/graph'
import { isRule, partsIn, referenceIn, requiredIn, unionsIn, valuesOf, wholeIn } from '../../../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../../../schemas/model'

/** Returns the keyword because of which a definition is no plain object; undefined for a plain object. */
export function oddKeyword(schema: JsonSchema): string | undefined {
  return wholeIn(schema) ?? (isObject(schema.properties) ? undefined : 'type')
}

/** The rules of lists that a list of one item keeps. */
const LIMITS = new Set(['maxItems', 'uniqueItems'])

/** A schema that may be behind references, and `null` beside it. */
interface Found {
  readonly reading: SchemaReading
  readonly isNullable: boolean
}

/** Returns the schema of an object, which may be `null` and behind references. */
export function objectIn(reading: SchemaReading, resolve: Resolve): Found | undefined {
  return schemaIn(reading, resolve, (schema) => oddKeyword(schema) === undefined)
}

function schemaIn(reading: SchemaReading, resolve: Resolve, fits: (schema: JsonSchema) => boolean): Found | undefined {
  const chain = linkedTo(reading, (one) => targetOf(one, resolve) ?? loneBranchOf(one))
  const at = chain.findIndex(({ schema }) => fits(schema))
  const found = chain[at]
  if (found === undefined) return undefined
  const isNullable = chain
    .slice(0, at)
    .some((one) => targetOf(one, resolve) === undefined && firstUnionOf(one).length > 1)
  return { reading: found, isNullable: isNullable || [found.schema.type].flat().includes('null') }
}

/** Lists the branches of the first union of a schema. */
export function firstUnionOf(reading: SchemaReading): SchemaReading[] {
  const [union] = unionsIn(reading.schema)
  return union === undefined ? [] : union[1].map((schema) => ({ ...reading, schema }))
}

/** Returns the only branch beside `null`. */
function loneBranchOf(reading: SchemaReading): SchemaReading | undefined {
  const [first, ...others] = firstUnionOf(reading).filter(({ schema: { type } }) => type !== 'null')
  return others.length > 0 ? undefined : first
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

/** Tells whether a schema accepts a value, as far as types and listed values tell. */
export function accepts(reading: SchemaReading, value: unknown, resolve: Resolve): boolean {
  const { schema } = reading
  const { type } = schema
  const fits = (one: JsonSchema) => accepts({ ...reading, schema: one }, value, resolve)
  const target = targetOf(reading, resolve)
  return (
    (typesOf(schema) & typeOf(value)) !== 0 &&
    (type !== 'integer' || Number.isInteger(value)) &&
    (valuesOf(schema)?.some((one) => isDeepStrictEqual(one, value)) ?? true) &&
    (target === undefined || accepts(target, value, resolve)) &&
    partsIn(schema).every(fits) &&
    unionsIn(schema).every(([, branches]) => branches.some(fits))
  )
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
    if (partsIn(schema).some((part) => referenceIn(part) === undefined)) return whole
    const put = (part: SchemaReading) => ({ ...part, schema: { ...part.schema, allOf } })
    return { reading: { schema: own, definitions }, put }
  }
  const inline = partsIn(schema).filter((part) => isObject(part.properties))
  const [part] = inline
  if (part === undefined || inline.length > 1) return whole
  const isOwn = (name: unknown) => Object.hasOwn(part.properties as object, name as string)
  const [required, inner] = [requiredIn(own), requiredIn(part)]
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
