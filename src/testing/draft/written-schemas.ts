// Schemas of older versions as plain JSON Schema, and the values that schemas say.

import { mapSchemas } from '../../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { escaped } from '../../schemas/pointers'
import { resolved } from './sameness'

/**
 * Writes a schema of an older version as one of its own: with the definitions that later versions do not have.
 *
 * @param isKnown tells whether a later version has a named schema: it is then referred to by its name.
 */
export function writtenSchema({ schema, definitions }: SchemaReading, isKnown: (name: string) => boolean): JsonSchema {
  const keys = new Map<string, string>()
  const own = new Map<string, JsonSchema>()
  const keyOf = (reference: string): string => {
    // Names of this form are those of tools: such a schema stays without a name.
    const key = keys.get(reference) ?? (isName(reference) ? reference : `__schema${keys.size}`)
    if (keys.has(reference)) return key
    keys.set(reference, key)
    own.set(key, {})
    own.set(key, written(definitions.get(reference) as JsonSchema))
    return key
  }
  const written = (one: JsonSchema): JsonSchema => {
    const { $ref } = one
    const copy = mapSchemas(one, (inner) => (isObject(inner) ? written(inner) : inner))
    if (typeof $ref !== 'string') return copy
    const isOutside = (isName($ref) && isKnown($ref)) || !definitions.has($ref)
    return { ...copy, $ref: isOutside ? `#/components/schemas/${escaped($ref)}` : `#/$defs/${escaped(keyOf($ref))}` }
  }
  const root = written(schema)
  return own.size === 0 ? root : { ...root, $defs: Object.fromEntries(own) }
}

/** Returns the value that a schema says: its default, or its only value. An example is nobody's value. */
export function saidBy({ schema, definitions }: SchemaReading): unknown {
  const { default: preset = schema.default, const: only, enum: values } = resolved(schema, definitions) as JsonSchema
  const [single, ...others] = Array.isArray(values) ? values : [undefined, undefined]
  return [preset, only, others.length === 0 ? single : undefined].find((value) => value !== undefined)
}
