// Schemas with all of their definitions, for validators and for making values.
import type { Table } from '../changes/shapes/places'
import { mapSchemas } from '../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../schemas/model'

/** A schema, with its definitions in `$defs`. */
export interface ClosedSchema extends JsonSchema {
  readonly $defs: Readonly<Record<string, JsonSchema>>
}

/** Returns a schema with its definitions under `$defs`: those of a table by name, and its own. */
export function closedSchema({ schema, definitions }: SchemaReading, table: Table): ClosedSchema {
  const $defs: Record<string, JsonSchema> = {}
  const names = new Map<unknown, string>()
  const define = (key: unknown, target: SchemaReading): string => {
    const known = names.get(key)
    if (known !== undefined) return known
    const name = `s${names.size}`
    names.set(key, name)
    $defs[name] = closed(target.schema, target.definitions)
    return name
  }
  const closed = (schema: JsonSchema, definitions: SchemaReading['definitions']): JsonSchema => {
    const { $ref, ...rest } = mapSchemas(schema, (inner) => (isObject(inner) ? closed(inner, definitions) : inner))
    if (typeof $ref !== 'string') return rest
    const own = definitions.get($ref)
    const target = isName($ref) ? table.get($ref) : own && { schema: own, definitions }
    if (target === undefined) return rest
    return { ...rest, $ref: `#/$defs/${define(isName($ref) ? $ref : target.schema, target)}` }
  }
  const root = closed(schema, definitions)
  return { ...root, $defs }
}
