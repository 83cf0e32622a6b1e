// The descriptions of a document's operations, as `describe()` takes them.

import type { OtherMedia } from '../../registry'
import type { Located } from '../../schemas/addresses'
import { propertiesIn, requiredIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import { readSchema, schemaOf } from '../../schemas/reading'
import { anyOf, successesOf } from '../../schemas/responses'
import type { OperationDescription, ResponseBody, Responses, Schema } from '../../types'
import type { References } from './document-copy'
import { type Contents, type GivenMedia, type GivenOperation, isUpload, isUrlencoded } from './document-operations'
import type { Schemas } from './document-schemas'
import { isUnsaid, type Undocumented } from './undocumented'

const OPTIONAL_BODY = { requestBody: { required: false } }

/** Returns the description of an operation. */
export function descriptionOf(
  operation: GivenOperation,
  path: string,
  references: References,
  schemas: Schemas,
  undocumented: Undocumented,
): OperationDescription {
  const { value } = operation
  const { summary, description, tags, deprecated } = value
  const query = queryOf(operation.query, `${operation.method} ${path} query`, references, schemas)
  return {
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(tags) ? { tags: tags.filter((tag) => typeof tag === 'string') } : {}),
    ...(deprecated === true ? { deprecated } : {}),
    ...(query === undefined ? {} : { query: schemas.describing(query) }),
    body: bodyOf(operation, schemas, undocumented),
    // Contracts ask for a described body, unless this says that it may be left out.
    ...(operation.body === undefined || operation.body.isRequired ? {} : { operation: OPTIONAL_BODY }),
    response: responseOf(operation, schemas, undocumented),
  }
}

function bodyOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Schema | null {
  const { body } = operation
  if (body === undefined) return null
  const known = knownIn(body, schemas, ({ type }) => {
    if (!isUrlencoded(type) && !isUpload(type)) undocumented.addBody(body, type)
  })
  const [first = null, ...others] = [...new Set(known.values())]
  return first === null || others.length === 0 ? first : anyOfThese([first, ...others])
}

/** Returns the schemas of a body that say something, by media type. */
function knownIn(
  { schemas: given }: Contents,
  schemas: Schemas,
  report: (media: GivenMedia) => void,
): Map<GivenMedia, Schema> {
  const known = new Map<GivenMedia, Schema>()
  for (const media of given) {
    const { schema } = media
    if (schema === undefined || isUnsaid(schema.value)) report(media)
    else known.set(media, schemas.use(schema.value, schema.pointer))
  }
  return known
}

function anyOfThese(all: readonly Schema[]): Schema {
  const reading = anyOf(all.map((schema) => readSchema(schema, 'input')))
  const made = reading as NonNullable<typeof reading>
  return schemaOf({ input: made, output: made })
}

/** Returns the media types of an operation's successes that nobody converts, by status. */
export function othersOf({ responses }: GivenOperation, schemas: Schemas): ReadonlyMap<string, readonly OtherMedia[]> {
  const others = [...successesOf(responses)].map(([status, response]) => {
    const media = response.others.map(({ type, schema, isItem }) => {
      return { type, schema: schemas.use(schema.value, schema.pointer), isItem }
    })
    return [status, media] as const
  })
  return new Map(others)
}

function responseOf(operation: GivenOperation, schemas: Schemas, undocumented: Undocumented): Responses {
  const found: Record<string, ResponseBody> = {}
  for (const [status, response] of operation.responses) {
    const isError = /^[45]|default/.test(status)
    // Documents rarely write the contents of errors.
    if (isError && !response.hasContent) continue
    const known = [...knownIn(response, schemas, (media) => undocumented.addResponse(status, response, media))]
    const [[first, schema] = [undefined, null], ...others] = known
    const isPlain = others.length === 0 && /^application\/json$/i.test(String(first?.type))
    const content = known.map(([{ type, isItem }, one]) => [type, isItem ? { itemSchema: one } : one])
    found[status] = schema === null ? null : isPlain ? schema : { content: Object.fromEntries(content) }
    if (!response.hasContent) undocumented.addBlank(status, response)
  }
  const says = Object.keys(found)
  if (!says.some((status) => /^2|default/.test(status))) {
    found['2XX'] = null
    if (operation.responses.size === 0) undocumented.addSilent(operation.pointer)
  }
  return found as Responses
}

/**
 * Returns the schema of an operation's query, as parsers give it: lists repeat their name, an exploded object is several parameters,
 * and a style that no parser of Express reads is a string.
 *
 * @param place the query, as the option `places` names it.
 */
function queryOf(
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
