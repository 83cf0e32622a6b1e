// The parts of a document that say too little: what is missing, in Nest and in YAML.

import type { OpenPart } from '../../registry'
import { eachSchema, isKeyword, isRule, patternsIn, propertiesIn, valuesOf } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { below, stepsOf } from '../../schemas/pointers'
import type { Contents, GivenMedia } from './document-operations'
import { plain } from './findings'

/** Tells whether a schema says nothing of values. */
export function isUnsaid(schema: unknown): boolean {
  return schema === true || (isObject(schema) && !Object.keys(schema).some(isRule))
}

/** The kinds of values in which anything may be, each with the keyword that would tell what is there, and the decorator of Nest. */
const OPEN = {
  object: ['an object has no properties', 'properties', 'ApiProperty({ type: ... }) or @ApiOkResponse({ type: ... })'],
  list: ['a list has no items', 'items', 'ApiProperty({ type: [...] }) or @ApiOkResponse({ type: [...] })'],
  others: ['other properties may hold anything', 'additionalProperties', 'ApiProperty({ additionalProperties: ... })'],
  value: ['a value has no type', 'type', 'ApiProperty({ type: ... })'],
} as const

/** A place in which anything may be. */
export interface OpenPlace {
  readonly kind: keyof typeof OPEN
  readonly pointer: string
}

/** Lists the places in a schema in which anything may be, without those in its inner schemas. */
export function openIn(schema: JsonSchema, pointer: string): OpenPlace[] {
  const { type, additionalProperties, items } = schema
  const has = (name: string) => (type === undefined ? undefined : [type].flat().includes(name))
  const isOpen = (value: unknown) => value === undefined || isUnsaid(value)
  const isSaid =
    valuesOf(schema) !== undefined || Object.keys(schema).some((key) => isKeyword(key, 'same', 'reference'))
  const isObjects = has('object') ?? (schema.properties ?? additionalProperties) !== undefined
  const isNamed = Object.keys(propertiesIn(schema)).length + patternsIn(schema).length > 0
  const isBare = isObjects && !isSaid && !isNamed && isOpen(additionalProperties)
  const isList = (has('array') ?? items !== undefined) && !isSaid && schema.prefixItems === undefined && isOpen(items)
  const hasOthers = !isBare && additionalProperties !== undefined && isUnsaid(additionalProperties)
  const found: OpenPlace[] = [
    ...(isBare ? [{ kind: 'object', pointer } as const] : []),
    ...(hasOthers ? [{ kind: 'others', pointer: below(pointer, 'additionalProperties') } as const] : []),
    ...(isList ? [{ kind: 'list', pointer } as const] : []),
  ]
  eachSchema(schema, (inner, path) => {
    const [keyword] = stepsOf(path) as [string]
    const isOwn = isKeyword(keyword, 'shown') && !['additionalProperties', 'items', 'allOf'].includes(keyword)
    if (isOwn && isUnsaid(inner)) found.push({ kind: 'value', pointer: pointer + path })
  })
  return found
}

const NEST: Readonly<Record<string, string>> = {
  '200': 'ApiOkResponse',
  '201': 'ApiCreatedResponse',
  '202': 'ApiAcceptedResponse',
}

/** The collection of a document's parts that say too little. Bodies there may hold anything, so they are not converted. */
export class Undocumented {
  readonly #found = new Map<string, OpenPart>()

  /** The parts in the order of the document. */
  get parts(): readonly OpenPart[] {
    return [...this.#found.values()]
  }

  addBody({ pointer }: Contents, type: string): void {
    const place = below(pointer, 'content', type, 'schema')
    this.#add(
      place,
      `the body has no schema. In Nest: @ApiBody({ type: ... }). In YAML: "schema" at "${plain(place)}".`,
    )
  }

  addResponse(status: string, { pointer }: Contents, { type, isItem }: GivenMedia): void {
    const place = below(pointer, 'content', type, isItem ? 'itemSchema' : 'schema')
    const what = `the response ${status} has no schema${isItem ? ' of its items' : ''}.`
    const remedy = isItem ? `In YAML: "itemSchema" at "${plain(place)}".` : remedyFor(status, place)
    this.#add(place, `${what} ${remedy}`)
  }

  /** Adds a response without content that a generator wrote: nobody said whether it has any. */
  addBlank(status: string, { pointer, isBlank }: Contents): void {
    if (!isBlank || !['200', '201', '202', '2XX'].includes(status)) return
    const place = below(pointer, 'content', 'application/json', 'schema')
    this.#add(pointer, `the response ${status} has no content. ${remedyFor(status, place)}`)
  }

  addSilent(pointer: string): void {
    const place = below(pointer, 'responses', '200', 'content', 'application/json', 'schema')
    this.#add(pointer, `it has no "responses". ${remedyFor('200', place)}`)
  }

  /** Adds a place in which anything may be. */
  addOpen({ kind, pointer }: OpenPlace): void {
    const [what, keyword, decorator] = OPEN[kind]
    const place = kind === 'others' ? pointer : below(pointer, keyword)
    this.#add(pointer, `${what}. In Nest: @${decorator}. In YAML: "${keyword}" at "${plain(place)}".`, true)
  }

  #add(pointer: string, message: string, isInside = false): void {
    if (this.#found.has(pointer)) return
    this.#found.set(pointer, {
      operation: operationAt(pointer),
      message: `at "${plain(pointer)}", ${message}`,
      isInside,
    })
  }
}

/** Returns the operation that a place is in; undefined for a place that several may share. */
function operationAt(pointer: string): OpenPart['operation'] {
  const [, path, method, other] = pointer.startsWith('/paths/') ? stepsOf(pointer) : []
  if (path === undefined || method === undefined || method === 'parameters') return undefined
  return { method: method === 'additionalOperations' ? String(other) : method.toUpperCase(), viewName: path }
}

function remedyFor(status: string, place: string): string {
  const own = NEST[status]
  const value = /^\d+$/.test(status) ? status : `'${status}'`
  const decorator = own === undefined ? `@ApiResponse({ status: ${value}, type: ... })` : `@${own}({ type: ... })`
  return `In Nest: ${decorator}. In YAML: "schema" at "${plain(place)}".`
}
