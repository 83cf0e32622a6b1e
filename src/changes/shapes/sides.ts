// The two sides of a shape, as definitions.
import { mapSchemas } from '../../schemas/keywords'
import { type Direction, isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import type { Schema } from '../../types'

/** One side of a shape as a definition, with the definitions of its contents by name. */
export interface Side {
  readonly own: SchemaReading
  readonly inside: ReadonlyMap<string, SchemaReading>
}

/** The keywords that allow and forbid nothing. */
const ANNOTATIONS = new Set('$comment default deprecated description examples readOnly title writeOnly'.split(' '))

/** Tells whether an entry of a schema is a rule for values, or a property named like an annotation. */
export function isRule(keyword: string, value: unknown): boolean {
  return isObject(value) || !ANNOTATIONS.has(keyword)
}

/**
 * Reads one side of a shape. Its root is the shape itself, whatever its name: references to the root are references to the
 * shape.
 *
 * @throws {Error} for a schema that JSON Schema cannot express.
 */
export function sideOf(name: string, schema: Schema, direction: Direction): Side {
  const reading = readSchema(schema, direction)
  const roots = new Set<unknown>()
  let root = reading.schema
  for (;;) {
    const { $ref, ...said } = root
    const target = typeof $ref === 'string' && !roots.has($ref) ? reading.definitions.get($ref) : undefined
    if (target === undefined || !Object.keys(said).every((key) => ANNOTATIONS.has(key))) break
    roots.add($ref)
    root = { ...target, ...said }
  }
  const renamed = (inner: JsonSchema): JsonSchema => {
    const called = roots.has(inner.$ref) ? { ...inner, $ref: name } : inner
    return mapSchemas(called, (one) => (isObject(one) ? renamed(one) : one))
  }
  const definitions = new Map([...reading.definitions].map(([key, inner]) => [key, renamed(inner)]))
  const inside = [...definitions].filter(([key]) => isName(key) && !roots.has(key) && key !== name)
  return {
    own: { schema: renamed(root), definitions },
    inside: new Map(inside.map(([key, inner]) => [key, { schema: inner, definitions }])),
  }
}
