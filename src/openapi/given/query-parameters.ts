// The query parameters of an operation as one object.

import type { Located } from '../../schemas/addresses'
import { propertiesIn, requiredIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import type { Schemas } from './document-schemas'
import type { References } from './references'

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
  const copies: JsonSchema[] = []
  for (const { value, pointer } of parameters) {
    const { name, style = 'form', explode = style === 'form', schema } = value
    if (typeof name !== 'string') continue
    const isRequired = value.required === true
    const schemaPointer = below(pointer, 'schema')
    const { value: behind, pointer: there } = references.follow(schema, schemaPointer)
    const target = isObject(behind) ? { value: behind, pointer: there } : undefined
    const parts = style === 'form' && explode === true ? schemas.partsAt(schema, schemaPointer).filter(isPlain) : []
    if (parts.some(isExploded)) {
      for (const part of parts) {
        const inside = Object.entries(propertiesIn(part.value)).map(([inner, one]) => {
          return [inner, schemas.read(one, below(part.pointer, 'properties', inner))] as const
        })
        const needed = isRequired ? requiredIn(part.value) : []
        const component = schemas.isTold(place) ? undefined : schemas.componentAt(part.pointer)
        if (component === undefined) {
          for (const [inner, one] of inside) properties.set(inner, one)
          for (const inner of needed) required.add(inner)
        } else copies.push(schemas.copied(objectOf(inside, needed), `${place}#/${name}/${component}`, component))
      }
      continue
    }
    const isRead = style === 'deepObject' || (explode === true ? style === 'form' : !isComposed(target))
    const content = contentOf({ value, pointer })
    if (content === undefined && isRead)
      properties.set(name, schema === undefined ? {} : schemas.read(schema, schemaPointer))
    else properties.set(name, schemas.asText(content ?? { value: schema, pointer: schemaPointer }))
    if (isRequired) required.add(name)
  }
  const own = objectOf(properties, required)
  return schemas.named(copies.length === 0 ? own : { ...own, allOf: copies }, place)
}

/** Returns the schema of a parameter that has a media type: its value is one string. */
export function contentOf({ value: { content }, pointer }: Located): Located<unknown> | undefined {
  if (!isObject(content)) return undefined
  const [type = '', media] = Object.entries(content)[0] ?? []
  return { value: Object(media).schema, pointer: below(pointer, 'content', type, 'schema') }
}

function objectOf(properties: Iterable<readonly [string, JsonSchema]>, required: Iterable<string>): JsonSchema {
  const needed = [...required]
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length === 0 ? {} : { required: needed }),
  }
}

function isPlain(part: Located<unknown>): part is Located {
  return isObject(part.value)
}

/** Tells whether a schema lists properties of an object. */
function isExploded({ value }: Located): boolean {
  const isOne = value.type === undefined || [value.type].flat().includes('object')
  return isOne && isObject(value.properties)
}

/** Tells whether the values of a schema are lists or objects, which a style without explosion writes as one string. */
function isComposed(target: Located | undefined): boolean {
  const types = [target?.value.type].flat()
  return types.includes('array') || types.includes('object')
}
