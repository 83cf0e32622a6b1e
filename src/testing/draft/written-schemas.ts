// Schemas of older versions as plain JSON Schema, and the values that schemas say.

import { closedSchema } from '../../schemas/closed'
import { chainOf, resolveOwn } from '../../schemas/graph'
import { isName, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { below } from '../../schemas/pointers'

/**
 * Writes a schema of an older version as one of its own: with the definitions that later versions do not have.
 *
 * @param isKnown tells whether a later version has a named schema: it is then referred to by its name.
 */
export function writtenSchema(reading: SchemaReading, isKnown: (name: string) => boolean): JsonSchema {
  const { $defs, ...root } = closedSchema(
    reading,
    (reference, from) => (isName(reference) && isKnown(reference) ? undefined : resolveOwn(reference, from)),
    // Names of this form are those of tools: such a schema stays without a name.
    (reference, index) => (isName(reference) ? reference : `__schema${index}`),
    (reference) => below('#/components/schemas', reference),
  )
  return Object.keys($defs).length === 0 ? root : { ...root, $defs }
}

/** Returns the value that a schema says: its default, or its only value. An example is nobody's value. */
export function saidBy(reading: SchemaReading): unknown {
  const found = (chainOf(reading, resolveOwn).at(-1) as SchemaReading).schema
  const { default: preset = reading.schema.default, const: only, enum: values } = found
  const [single, ...others] = Array.isArray(values) ? values : [undefined, undefined]
  return [preset, only, others.length === 0 ? single : undefined].find((value) => value !== undefined)
}
