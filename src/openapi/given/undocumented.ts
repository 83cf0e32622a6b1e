// The parts of a document that say too little: what is missing, in Nest and in YAML.

import { isObject } from '../../schemas/model'
import { below, stepsOf } from '../../schemas/pointers'
import type { OpenPart } from '../../types'
import { plain } from './findings'
import type { Contents, GivenMedia } from './operations'

/** Tells whether a schema says nothing of values. */
export function isUnsaid(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0)
}

/** The keywords that only annotate an object. */
const ANNOTATIONS = new Set([
  'type',
  'title',
  'description',
  'nullable',
  'default',
  'example',
  'examples',
  'deprecated',
])

/** Tells whether a schema is an object of which nothing is known. */
export function isBare(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'object' && Object.keys(schema).every((key) => ANNOTATIONS.has(key))
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

  /** Adds an object of which nothing is known. */
  addBare(pointer: string): void {
    const place = below(pointer, 'properties')
    const remedy = `In Nest: @ApiProperty({ type: ... }) or @ApiOkResponse({ type: ... }). In YAML: "properties" at "${plain(place)}".`
    this.#add(pointer, `an object has no properties. ${remedy}`)
  }

  #add(pointer: string, message: string): void {
    if (this.#found.has(pointer)) return
    this.#found.set(pointer, { operation: operationAt(pointer), message: `at "${plain(pointer)}", ${message}` })
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
  const decorator = own === undefined ? `@ApiResponse({ status: '${status}', type: ... })` : `@${own}({ type: ... })`
  return `In Nest: ${decorator}. In YAML: "schema" at "${plain(place)}".`
}
