// The check of schemas: which values may be a schema, or schemas by status.
import { framingOf } from '../http/framings'
import type { Content, ItemContent, ResponseBody, Responses, Schema } from '../types'
import { badOption, shown } from '../util/options'
import { isRule, strangersIn } from './keywords'

/** The values that {@link isSchema} accepts, for errors. */
export const SCHEMA_TAKES =
  'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'

/** Tells whether a value is a schema: plain JSON, or a library's object that can write its JSON Schema. */
export function isSchema(value: unknown): value is Schema {
  if (typeof value === 'boolean') return true
  const { '~standard': standard } = (value ?? {}) as { '~standard'?: { jsonSchema?: Record<string, unknown> } }
  if (standard === undefined) return isJsonObject(value) && isInformative(value)
  return typeof standard.jsonSchema?.input === 'function' && typeof standard.jsonSchema.output === 'function'
}

/** Tells whether an object says anything of values, or nothing at all. Others are something else, such as a response of OpenAPI. */
function isInformative(value: object): boolean {
  return strangersIn(value).length === 0 || Object.keys(value).some(isRule)
}

/** Tells whether a value is an object that JSON can hold. */
export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value, [])
}

/** Tells whether JSON can hold a value: it has no functions, no objects of a class, and no loop. */
function isJson(value: unknown, around: readonly unknown[]): boolean {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || around.includes(value)) return false
  if (!Array.isArray(value) && !isPlainObject(value)) return false
  const inside = [...around, value]
  return Object.values(value).every((inner) => isJson(inner, inside))
}

/** Tells whether an object is plain, also one of another realm. */
function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Tells whether schemas are given by status. `default` is the only such key that JSON Schema also uses: it counts alone. */
export function isByStatus(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || '~standard' in value) return false
  const keys = Object.keys(value)
  return keys.some(isStatus) || (keys.length === 1 && keys[0] === 'default')
}

/** Tells whether a key is a status, or a range as in OpenAPI (3.1.1, section 4.8.16.1). */
function isStatus(key: string): boolean {
  return /^[1-5](?:\d\d|XX)$/.test(key)
}

/** Tells whether a value is `{ content }`, schemas by media type. */
export function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null || '~standard' in value) return false
  const { content, ...others } = value as { readonly content?: unknown }
  if (typeof content !== 'object' || content === null || Object.keys(others).length > 0) return false
  return Object.entries(content).every(([type, media]) => {
    const isStream = typeof media === 'object' && media !== null && 'itemSchema' in media
    return type.includes('/') && (isStream ? isItemContent(media) : isSchema(media))
  })
}

/** Tells whether a value is `{ itemSchema }`, the items of a stream. */
export function isItemContent(value: unknown): value is ItemContent {
  if (typeof value !== 'object' || value === null || !('itemSchema' in value)) return false
  return Object.keys(value).length === 1 && isSchema(value.itemSchema)
}

/** Returns the schema of a media type: that of its whole, or of its items. */
export function schemaIn(media: Schema | ItemContent): Schema {
  return isItemContent(media) ? media.itemSchema : media
}

/** Tells whether a value is the body of a response. */
function isResponseBody(value: unknown): value is ResponseBody {
  return value === null || isContent(value) || isSchema(value)
}

/** Tells whether a value is the body of a response, or such bodies by status. */
export function isResponse(value: unknown): boolean {
  return isByStatus(value) ? isResponses(value) : isResponseBody(value)
}

/** Tells whether a value is the bodies of responses by status. */
export function isResponses(value: unknown): value is Responses {
  if (!isByStatus(value)) return false
  return Object.entries(value).every(
    ([key, body]) => (isStatus(key) || key === 'default') && (body === undefined || isResponseBody(body)),
  )
}

/** A part of the bodies of responses, as somebody wrote it: a body, or one media type of it. */
interface ResponsePart {
  readonly place: string
  readonly value: unknown
  /** The media type; undefined for a body. */
  readonly type?: string
  readonly fits: boolean
}

/**
 * Makes the error for an invalid response, or for such by status: it also names the first part that is no schema, with the remedy.
 *
 * @param items the place of the schema of items, such as `{ older: { item: ... } }`, if it is not in the response.
 */
export function badResponse(owner: string, option: string, takes: string, got: unknown, items?: string): TypeError {
  const { message } = badOption(owner, option, takes, got)
  return new TypeError(message + oddPartOf(option, got, items))
}

/** Returns a sentence about the first part of a response that is no schema; empty if all parts fit. */
function oddPartOf(option: string, response: unknown, items: string | undefined): string {
  const bodies = isByStatus(response)
    ? Object.entries(response).map(([status, body]) => [`${option}.${status}`, body] as const)
    : [[option, response] as const]
  const odd = bodies.flatMap(([place, body]) => partsOf(place, body)).find(({ fits }) => !fits)
  const remedy = odd === undefined ? '' : remedyFor(odd, items)
  // The whole is in the message.
  if (odd === undefined || (odd.value === response && remedy === '')) return ''
  return ` At "${odd.place}" is ${shown(odd.value)}${remedy}.`
}

function partsOf(place: string, value: unknown): ResponsePart[] {
  const { content } = Object(value) as { readonly content?: unknown }
  if (typeof content !== 'object' || content === null) {
    return [{ place, value, fits: value === undefined || isResponseBody(value) }]
  }
  return Object.entries(content).map(([type, media]) => ({
    place: `${place}.content.${type}`,
    value: media,
    type,
    fits: isContent({ content: { [type]: media } }),
  }))
}

function remedyFor({ value, type }: ResponsePart, items: string | undefined): string {
  const keys = Object.keys(Object(value))
  const has = (key: string) => keys.includes(key)
  if (!has('schema') && !has('itemSchema')) return ''
  if (type === undefined) {
    const stream =
      items === undefined
        ? "a stream by its media type, { content: { 'text/event-stream': { itemSchema: ... } } }"
        : `the items of a stream as ${items}`
    return `: write the schema itself; that of ${stream}`
  }
  if (framingOf(type) === undefined) return has('schema') ? ': write the schema itself' : ''
  return has('schema') ? `: write ${items ?? '{ itemSchema: ... }'} for the items of a stream` : ''
}
