// The operations of a document: where their bodies, responses and query parameters are.

import { METHODS } from 'node:http'
import { areStreams, framingOf } from '../../http/framings'
import type { Located } from '../../schemas/addresses'
import { isObject } from '../../schemas/model'
import { below } from '../../schemas/pointers'
import { mayBeJson, successesOf } from '../../schemas/responses'
import { methodFieldsIn } from '../../util/operation'
import { kindOf } from '../../util/options'
import { withoutSame } from '../document-paths'
import type { JsonObject, References } from './document-copy'
import type { Findings } from './findings'

/** A media type, with its schema; undefined for one without. */
export interface GivenMedia {
  readonly type: string
  readonly schema: Located<unknown> | undefined
  /** `true` if that is the schema of items. */
  readonly isItem: boolean
}

/** A media type with a schema that nobody reads. */
interface UnreadMedia extends GivenMedia {
  readonly schema: Located<unknown>
}

/** The contents of a body: its JSON by media type; without any, its form. */
export interface Contents {
  /** The pointer of the body or response. */
  readonly pointer: string
  /** The media types with their schemas. */
  readonly schemas: readonly GivenMedia[]
  /** The media types with a schema that nobody converts. */
  readonly others: readonly UnreadMedia[]
  /** `true` if requests must have it. */
  readonly isRequired: boolean
  /** `true` if it has any content. */
  readonly hasContent: boolean
  /** `true` if all its media types are streams. */
  readonly isStream: boolean
  /** `true` if its description is empty: generators leave it so where nobody wrote one. */
  readonly isBlank: boolean
}

/** One operation of a document. */
export interface GivenOperation extends Located {
  readonly method: string
  readonly body: Contents | undefined
  /** The responses by status, by a range such as `2XX`, or `default`. */
  readonly responses: ReadonlyMap<string, Contents>
  readonly query: readonly Located[]
}

/**
 * Lists the operations of a path item.
 *
 * @param readsUploads `true` if bodies of the type `multipart/form-data` are read as other forms.
 */
export function operationsOf(
  item: Located,
  references: References,
  findings: Findings,
  readsUploads: boolean,
): GivenOperation[] {
  const isRead = readsUploads ? isBodyOrUpload : isBody
  const shared = parametersOf(item, references, findings)
  return methodsIn(item, references, findings).map(({ method, operation }) => {
    const own = parametersOf(operation, references, findings)
    const parameters = [...withoutSame(shared, own.map(parameterIn), parameterIn), ...own]
    const { value, pointer } = operation
    const body =
      value.requestBody === undefined ? undefined : references.object(value.requestBody, below(pointer, 'requestBody'))
    return {
      ...operation,
      method,
      body: body && contentsOf(body, isRead, references, findings),
      responses: responsesOf(operation, references, findings),
      query: parameters.filter((parameter) => parameter.value.in === 'query'),
    }
  })
}

function parameterIn({ value }: Located): JsonObject {
  return value
}

/** Tells whether the successes of an operation are streams alone. */
export function succeedsByStreams({ responses }: GivenOperation): boolean {
  const successes = [...successesOf(responses).values()]
  return successes.length > 0 && successes.every(({ isStream }) => isStream)
}

function methodsIn(item: Located, { document }: References, findings: Findings) {
  const others = isObject(item.value.additionalOperations) ? Object.keys(item.value.additionalOperations) : []
  // HEAD is that of GET.
  const fields = methodFieldsIn(String(document.openapi)).filter((field) => field !== 'head')
  const all = [
    ...fields
      .filter((field) => item.value[field] !== undefined)
      .map((field) => ({
        method: field.toUpperCase(),
        given: item.value[field],
        pointer: below(item.pointer, field),
      })),
    ...others.map((method) => ({
      method,
      given: (item.value.additionalOperations as JsonObject)[method],
      pointer: below(item.pointer, 'additionalOperations', method),
    })),
  ]
  // This Node.js rejects requests of other methods.
  const known = all.filter(({ method }) => METHODS.includes(method))
  return known.flatMap(({ method, given, pointer }) => {
    if (isObject(given)) return [{ method, operation: { value: given, pointer } }]
    findings.add(pointer, `an operation is expected here, got ${kindOf(given)}.`)
    return []
  })
}

function parametersOf({ value, pointer }: Located, references: References, findings: Findings): Located[] {
  const { parameters } = value
  if (parameters === undefined) return []
  if (!Array.isArray(parameters)) {
    findings.add(below(pointer, 'parameters'), `a list is expected here, got ${kindOf(parameters)}.`)
    return []
  }
  return parameters.flatMap((one, index) => references.object(one, below(pointer, 'parameters', index)) ?? [])
}

function responsesOf({ value, pointer }: Located, references: References, findings: Findings): Map<string, Contents> {
  const found = new Map<string, Contents>()
  const { responses = {} } = value
  if (!isObject(responses)) {
    findings.add(below(pointer, 'responses'), `an object is expected here, got ${kindOf(responses)}.`)
    return found
  }
  for (const [key, given] of Object.entries(responses)) {
    if (key.startsWith('x-')) continue
    const status = key === 'default' ? key : key.toUpperCase()
    const place = below(pointer, 'responses', key)
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/.test(status)) {
      findings.add(place, `"${key}" is no status. Statuses are such as "200", "2XX" and "default".`)
      continue
    }
    const response = references.object(given, place)
    if (response !== undefined) found.set(status, contentsOf(response, isResponse, references, findings))
  }
  return found
}

const isBody = ({ type, isItem }: GivenMedia) => !isItem && (mayBeJson(type) || isUrlencoded(type))
const isBodyOrUpload = (media: GivenMedia) => isBody(media) || (!media.isItem && isUpload(media.type))
const isResponse = ({ type, isItem }: GivenMedia) => framingOf(type) !== undefined || (!isItem && mayBeJson(type))

/** Tells whether a media type is that of a form whose body a parser makes an object. */
export function isUrlencoded(type: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type)
}

/** Tells whether a media type is that of a form with files. */
export function isUpload(type: string): boolean {
  return /^multipart\/form-data\b/i.test(type)
}

function contentsOf(
  { value, pointer }: Located,
  isRead: (media: GivenMedia) => boolean,
  references: References,
  findings: Findings,
): Contents {
  const { content = {}, description, required } = value
  const place = below(pointer, 'content')
  if (!isObject(content)) findings.add(place, `an object of media types is expected here, got ${kindOf(content)}.`)
  const all = Object.keys(isObject(content) ? content : {})
  const media = all.map((type) => mediaOf(type, (content as JsonObject)[type], below(place, type), references))
  const read = media.filter(isRead)
  const hasJson = read.some(({ type }) => mayBeJson(type))
  const schemas = read.filter(({ type, isItem }) => isItem || !hasJson || mayBeJson(type))
  const others = media.flatMap((one) => {
    const { schema } = one
    return schema === undefined || isRead(one) ? [] : [{ ...one, schema }]
  })
  const hasContent = all.length > 0
  const isStream = areStreams(all)
  return { pointer, schemas, others, isRequired: required === true, hasContent, isStream, isBlank: description === '' }
}

/** Tells whether a media type has the items of a stream. */
export function hasItems(type: string, { itemSchema }: JsonObject): boolean {
  return itemSchema !== undefined && framingOf(type) !== undefined
}

/** Reads a media type. OpenAPI 3.2 also has references to one. */
function mediaOf(type: string, given: unknown, place: string, references: References): GivenMedia {
  const { value, pointer } = (isObject(given) ? references.object(given, place) : undefined) ?? {
    value: {},
    pointer: place,
  }
  const isItem = framingOf(type) !== undefined || value.itemSchema !== undefined
  const field = isItem ? 'itemSchema' : 'schema'
  // YAML writes null for a field without a value.
  const schema = value[field] ?? undefined
  return { type, isItem, schema: schema === undefined ? undefined : { value: schema, pointer: below(pointer, field) } }
}
