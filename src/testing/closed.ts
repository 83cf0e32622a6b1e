// Schemas with all of their definitions, for validators and for making values.
import { mapSchemas } from '../schemas/keywords'
import { isName, type JsonSchema, type SchemaReading } from '../schemas/model'
import type { NamedSchemas } from '../schemas/reach'

/** A schema, with its definitions in `$defs`. */
export interface ClosedSchema extends JsonSchema {
  readonly $defs: Readonly<Record<string, JsonSchema>>
}

/** Returns a schema with its definitions under `$defs`: those of a table by name, and its own. */
export function closedSchema({ schema, definitions }: SchemaReading, table: NamedSchemas): ClosedSchema {
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
    const { $ref, ...rest } = mapSchemas(schema, (inner) => closed(inner as JsonSchema, definitions))
    if (typeof $ref !== 'string') return rest
    const target = isName($ref) ? table.get($ref) : { schema: definitions.get($ref) as JsonSchema, definitions }
    if (target === undefined) return rest
    return { ...rest, $ref: `#/$defs/${define(isName($ref) ? $ref : target.schema, target)}` }
  }
  const root = closed(schema, definitions)
  return { ...root, $defs }
}
