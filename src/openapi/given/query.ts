// The query parameters of an operation as one object.

import type { Located } from '../../schemas/addresses'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import type { References } from './references'
import type { Schemas } from './schemas'

const TEXT: JsonSchema = { type: 'string' }

/**
 * Returns the schema of an operation's query, as parsers give it: lists repeat their name, an exploded object is several parameters,
 * and a style that no parser of Express reads is a string.
 *
 * @param place the query, as the option `places` names it.
 */
export function queryOf(
  parameters: readonly Located[],
  place: string,
  references: References,
  schemas: Schemas,
): JsonSchema | undefined {
  if (parameters.length === 0) return undefined
  const properties = new Map<string, JsonSchema>()
  const required = new Set<string>()
  for (const { value, pointer } of parameters) {
    const { name, style = 'form', explode = style === 'form', schema } = value
    if (typeof name !== 'string') continue
    const isRequired = value.required === true
    const schemaPointer = below(pointer, 'schema')
    const { value: behind, pointer: there } = references.follow(schema, schemaPointer)
    const target = isObject(behind) ? { value: behind, pointer: there } : undefined
    const exploded = style === 'form' && explode === true && target !== undefined ? propertiesOf(target) : undefined
    if (exploded !== undefined && target !== undefined) {
      for (const [inner, one] of Object.entries(exploded)) {
        properties.set(inner, schemas.read(one, below(target.pointer, 'properties', inner)))
      }
      const own = target.value.required
      if (isRequired && Array.isArray(own)) for (const inner of own) required.add(String(inner))
      continue
    }
    const isRead = style === 'deepObject' || (explode === true ? style === 'form' : !isComposed(target))
    properties.set(
      name,
      schema !== undefined && isRead ? schemas.read(schema, schemaPointer) : schema === undefined ? {} : TEXT,
    )
    if (value.content !== undefined) properties.set(name, TEXT)
    if (isRequired) required.add(name)
  }
  const query = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
  return schemas.named(query, place)
}

function propertiesOf({ value: { type, properties } }: Located): object | undefined {
  const isOne = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isOne && isObject(properties) ? properties : undefined
}

/** Tells whether the values of a schema are lists or objects, which a style without explosion writes as one string. */
function isComposed(target: Located | undefined): boolean {
  const types = [target?.value.type].flat()
  return types.includes('array') || types.includes('object')
}
