// Schemas with all of their definitions, for validators, for making values, and as text.
import type { Resolve } from './graph'
import { mapReferences } from './keywords'
import { isObject, type JsonSchema, type SchemaReading } from './model'
import { escaped } from './pointers'

const PLACE = '#/$defs/'

/** A schema, with its definitions in `$defs`. */
export interface ClosedSchema extends JsonSchema {
  readonly $defs: Readonly<Record<string, JsonSchema>>
}

/**
 * Returns a schema with the definitions that it refers to under `$defs`.
 *
 * @param nameOf names a definition by the reference to it, and the number of those before.
 * @param outside returns the reference instead of one without a target; undefined for none.
 */
export function closedSchema(
  root: SchemaReading,
  follow: Resolve,
  nameOf: (reference: string, index: number) => string,
  outside: (reference: string) => string | undefined,
): ClosedSchema {
  const $defs: Record<string, JsonSchema> = {}
  const names = new Map<JsonSchema, string>()
  const nameFor = (reference: string, target: SchemaReading): string => {
    const known = names.get(target.schema)
    if (known !== undefined) return known
    const name = nameOf(reference, names.size)
    names.set(target.schema, name)
    // Reserve the place in the order before its parts are defined.
    $defs[name] = {}
    $defs[name] = closed(target)
    return name
  }
  const closed = (reading: SchemaReading) =>
    mapReferences(reading.schema, (reference) => {
      const target = follow(reference, reading)
      return target === undefined ? outside(reference) : PLACE + escaped(nameFor(reference, target))
    })
  return { ...closed(root), $defs }
}

/** Reads a schema with its definitions under `$defs`. None of them counts by its name. */
export function openedSchema({ $defs, ...schema }: JsonSchema): SchemaReading {
  const own = Object.entries(isObject($defs) ? $defs : {})
  return { schema, definitions: new Map(own.map(([name, inner]) => [PLACE + escaped(name), inner as JsonSchema])) }
}
