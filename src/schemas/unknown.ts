// The schemas that nobody knows: a step changed the values, and its change does not say how they were.
import type { Schema } from '../types'
import { sharedByLoads } from '../util/brand'

const CHANGES = sharedByLoads('unknown schemas', () => new WeakMap<object, string>())

/**
 * Makes a schema that allows every value.
 *
 * @param change the description of the change whose step made the values other ones.
 */
export function unknownSchema(change: string): Schema {
  const schema = { description: change }
  CHANGES.set(schema, change)
  return schema
}

/** Returns the description of the change since which nobody knows a schema; undefined for any other schema. */
export function unknownSince(schema: Schema): string | undefined {
  return typeof schema === 'object' ? CHANGES.get(schema) : undefined
}
