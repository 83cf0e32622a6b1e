// The properties of one direction: requests need not have what is `readOnly`, nor responses what is `writeOnly` (OpenAPI 3.0.4, 4.7.24.2).
import { openedSchema } from './closed'
import { chainOf, type Follow, propertiesOf, resolveOwn, type SchemaNode } from './graph'
import { mapSchemas, requiredIn } from './keywords'
import type { Direction, JsonSchema, SchemaReading } from './model'

const OF_OTHER = { input: 'readOnly', output: 'writeOnly' } as const

/** Tells whether a direction need not have a property, because its values are those of the other one. */
export function isOfOther<Node extends SchemaNode>(
  property: Node,
  follow: Follow<Node>,
  direction: Direction,
): boolean {
  return chainOf(property, follow).some(({ schema }) => schema[OF_OTHER[direction]] === true)
}

/**
 * Returns a schema that does not require the properties of the other direction.
 *
 * @param schema a schema with all of its definitions in `$defs`.
 */
export function withoutOfOther(schema: JsonSchema, direction: Direction): JsonSchema {
  const { definitions } = openedSchema(schema)
  return needed({ schema, definitions }, direction, new Map())
}

/** @param around the properties of the object that the schema is a part of. */
function needed(reading: SchemaReading, direction: Direction, around: ReadonlyMap<string, SchemaReading>): JsonSchema {
  const { schema } = reading
  const properties = new Map([...around, ...propertiesOf(reading, resolveOwn)])
  const copy = mapSchemas(schema, (inner, path) =>
    needed({ ...reading, schema: inner as JsonSchema }, direction, path.startsWith('/allOf/') ? properties : new Map()),
  )
  const required = requiredIn(schema).filter((name) => {
    const property = properties.get(name)
    return property === undefined || !isOfOther(property, resolveOwn, direction)
  })
  return required.length === requiredIn(schema).length ? copy : { ...copy, required }
}
