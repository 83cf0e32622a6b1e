import type { JsonSchemaSource, Schema } from '../types'
import { kindOf } from '../util/options'
import { ADDRESSES, Addresses, PARTS, REFERENCES } from './addresses'
import { differenceOf } from './differences'
import { mapSchemas } from './keywords'
import { type Direction, isObject, type JsonSchema, type SchemaReading } from './model'

const READ = {
  input: new WeakMap<object, SchemaReading>(),
  output: new WeakMap<object, SchemaReading>(),
  plain: new WeakMap<object, SchemaReading>(),
}

/**
 * Reads a schema of a user, once: later calls give the same object, and for plain JSON Schema in both directions.
 *
 * @throws {TypeError} for a reference to a part that is not there, and for two different schemas of one name.
 * @throws {Error} what the schema's own library throws for a schema that JSON Schema cannot say.
 */
export function readSchema(schema: Schema, direction: Direction): SchemaReading {
  if (typeof schema === 'boolean') return readingOf(asObject(schema))
  const readings = READ[isStandard(schema) ? direction : 'plain']
  let reading = readings.get(schema)
  if (reading === undefined) {
    reading = readingOf(isStandard(schema) ? jsonOf(schema, direction) : schema)
    readings.set(schema, reading)
  }
  return reading
}

/** A schema of arktype is a function. */
function isStandard(schema: object): schema is JsonSchemaSource {
  return '~standard' in schema
}

function jsonOf(schema: JsonSchemaSource, direction: Direction): JsonSchema {
  const json: unknown = schema['~standard'].jsonSchema[direction]({ target: 'draft-2020-12' })
  if (!isObject(json)) throw new TypeError(`"~standard.jsonSchema" gives ${kindOf(json)}`)
  return json
}

/** The same as an object, which is what validators and generators expect. */
function asObject(schema: boolean): JsonSchema {
  return schema ? {} : { not: {} }
}

function readingOf(root: JsonSchema): SchemaReading {
  const addresses = new Addresses(root)
  const definitions = new Map<string, JsonSchema>()
  const places = new Map<string, string>()
  const doubles = new Map<string, JsonSchema>()

  /** The key of the schema at a pointer, which is a definition then. */
  function define(pointer: string): string {
    const key = addresses.keyOf(pointer)
    const first = places.get(key) ?? pointer
    if (!places.has(key)) {
      places.set(key, pointer)
      // Keeps its place in the order while what is in it is defined.
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
    const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (ADDRESSES.has(key) || PARTS.has(key)) return []
      if (!REFERENCES.has(key) || typeof value !== 'string') return [[key, value]]
      const target = addresses.resolve(value, pointer)
      return [['$ref', target === undefined ? value : define(target)]]
    })
    return mapSchemas(Object.fromEntries(kept), (inner, path) => placed(inner, pointer + path))
  }

  function placed(schema: unknown, pointer: string): unknown {
    return addresses.isDefinition(pointer) ? { $ref: define(pointer) } : copyOf(schema, pointer)
  }

  const reading = { schema: placed(root, '') as JsonSchema, definitions }
  for (const [pointer, schema] of doubles) {
    const name = addresses.keyOf(pointer)
    if (differenceOf({ schema: definitions.get(name) as JsonSchema, definitions }, { schema, definitions })) {
      throw new TypeError(`two different schemas in it have the name "${name}"`)
    }
  }
  return reading
}
