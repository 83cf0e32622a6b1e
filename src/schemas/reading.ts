// The reading of users' schemas as plain JSON Schema, with their definitions apart.
import type { JsonSchemaSource, Schema } from '../types'
import { sharedByLoads } from '../util/brand'
import { kindOf, shown } from '../util/options'
import { ADDRESSES, Addresses, PARTS, REFERENCES } from './addresses'
import { differenceOf } from './differences'
import { mapSchemas } from './keywords'
import { type Direction, isObject, type JsonSchema, type SchemaReading } from './model'

const READ = sharedByLoads('readings', () => ({
  input: new WeakMap<object, SchemaReading>(),
  output: new WeakMap<object, SchemaReading>(),
  plain: new WeakMap<object, SchemaReading>(),
}))

/**
 * Reads a user's schema, once. Later calls return the same object; for plain JSON Schema, both directions do.
 *
 * @throws {TypeError} for a reference to a part that does not exist, and for two different schemas with one name.
 * @throws {Error} from the schema's own library, for a schema that JSON Schema cannot express.
 */
export function readSchema(schema: Schema, direction: Direction): SchemaReading {
  if (typeof schema === 'boolean') return readingOf(asObject(schema), undefined)
  const readings = READ[isStandard(schema) ? direction : 'plain']
  let reading = readings.get(schema)
  if (reading === undefined) {
    reading =
      MADE.get(schema)?.(direction) ??
      (isStandard(schema)
        ? readingOf(jsonOf(schema, direction), schema['~standard'].vendor)
        : readingOf(schema, undefined))
    readings.set(schema, reading)
  }
  return reading
}

type Read = (direction: Direction) => SchemaReading

/** The readings of schemas that are made of others. */
const MADE = sharedByLoads('made schemas', () => new WeakMap<object, Read>())

/**
 * Makes a schema of others. It refers to definitions by their names.
 *
 * @param read returns its reading. It is called once for each direction in which the schema is read.
 */
export function schemaFrom(read: Read): Schema {
  const schema: JsonSchemaSource = {
    '~standard': { jsonSchema: { input: () => read('input').schema, output: () => read('output').schema } },
  }
  MADE.set(schema, read)
  return schema
}

/** Makes a schema whose readings are known. */
export function schemaOf(readings: Readonly<Record<Direction, SchemaReading>>): Schema {
  return schemaFrom((direction) => readings[direction])
}

/** Tells whether a schema is a Standard Schema. Schemas of arktype are functions. */
function isStandard(schema: object): schema is JsonSchemaSource {
  return '~standard' in schema
}

function jsonOf(schema: JsonSchemaSource, direction: Direction): JsonSchema {
  const json: unknown = schema['~standard'].jsonSchema[direction]({ target: 'draft-2020-12' })
  if (!isObject(json)) throw new TypeError(`"~standard.jsonSchema" returned ${kindOf(json)}`)
  return json
}

/** Returns a boolean schema as an object, which validators and generators expect. */
function asObject(schema: boolean): JsonSchema {
  return schema ? {} : { not: {} }
}

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** @throws {TypeError} for a type that JSON Schema does not have, such as TypeBox's `Date`, or one that is no text. */
function checkType({ type }: JsonSchema): void {
  const other = type === undefined ? undefined : [type].flat().find((name) => !TYPES.includes(name as string))
  if (other !== undefined) throw new TypeError(`it has the "type" ${shown(other)}, which JSON Schema does not have`)
}

/** The words of OpenAPI 3.0 that JSON Schema does not have, and those of OpenAPI 3.1. */
const OLD_WORDS = {
  nullable: [[true], `{ type: ['string', 'null'] }, or { anyOf: [{ ... }, { type: 'null' }] }`],
  exclusiveMinimum: [[true, false], '{ exclusiveMinimum: 0 } instead of { minimum: 0, exclusiveMinimum: true }'],
  exclusiveMaximum: [[true, false], '{ exclusiveMaximum: 9 } instead of { maximum: 9, exclusiveMaximum: true }'],
} as const

/** @throws {TypeError} for words of OpenAPI 3.0, which mean nothing in JSON Schema. */
function checkWords(schema: JsonSchema, pointer: string): void {
  for (const [keyword, [values, remedy]] of Object.entries(OLD_WORDS)) {
    const value = schema[keyword]
    if (!(values as readonly unknown[]).includes(value)) continue
    const place = pointer === '' ? '' : ` at "${pointer}"`
    throw new TypeError(`it has "${keyword}: ${value}"${place}, as OpenAPI 3.0 has it; OpenAPI 3.1 says ${remedy}`)
  }
}

/** Returns a tuple of draft 7 as one of JSON Schema 2020-12. TypeBox still writes them. */
function inNewTerms(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...others } = schema
  if (!Array.isArray(items)) return schema
  return { ...others, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

function readingOf(root: JsonSchema, vendor: string | undefined): SchemaReading {
  const addresses = new Addresses(root, vendor)
  const outside = new Map<string, string>()
  const definitions = new Map<string, JsonSchema>()
  const places = new Map<string, string>()
  const doubles = new Map<string, JsonSchema>()

  /** Makes the schema at a pointer a definition, and returns its key. */
  function define(pointer: string): string {
    const key = addresses.keyOf(pointer)
    const first = places.get(key) ?? pointer
    if (!places.has(key)) {
      places.set(key, pointer)
      // Reserve the place in the order before its parts are defined.
      definitions.set(key, {})
      definitions.set(key, copyOf(addresses.at(pointer), pointer) as JsonSchema)
    } else if (first !== pointer && !doubles.has(pointer) && addresses.at(first) !== addresses.at(pointer)) {
      doubles.set(pointer, {})
      doubles.set(pointer, copyOf(addresses.at(pointer), pointer) as JsonSchema)
    }
    return key
  }

  function copyOf(schema: unknown, pointer: string): unknown {
    if (typeof schema === 'boolean') return asObject(schema)
    if (!isObject(schema)) return schema
    checkType(schema)
    checkWords(schema, pointer)
    const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (ADDRESSES.has(key) || PARTS.has(key)) return []
      if (!REFERENCES.has(key) || typeof value !== 'string') return [[key, value]]
      const target = addresses.resolve(value, pointer)
      if (key === '$dynamicRef') addresses.checkDynamic(value)
      return [['$ref', target === undefined ? named(value, pointer) : define(target)]]
    })
    return inNewTerms(mapSchemas(Object.fromEntries(kept), (inner, path) => placed(inner, pointer + path)))
  }

  /** Returns the name of a reference out of the schema, if it has one. */
  function named(reference: string, pointer: string): string {
    const name = addresses.nameOutside(reference, pointer)
    if (name === undefined) return reference
    const known = addresses.withName(name)
    if (known !== undefined) return define(known)
    outside.set(name, reference)
    return name
  }

  function placed(schema: unknown, pointer: string): unknown {
    return addresses.isDefinition(pointer) ? { $ref: define(pointer) } : copyOf(schema, pointer)
  }

  const reading = { schema: placed(root, '') as JsonSchema, definitions, outside }
  for (const [pointer, schema] of doubles) {
    const name = addresses.keyOf(pointer)
    if (differenceOf({ schema: definitions.get(name) as JsonSchema, definitions }, { schema, definitions })) {
      throw new TypeError(`two different schemas in it have the name "${name}"`)
    }
  }
  return reading
}
