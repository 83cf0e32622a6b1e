// The bodies of responses by status.
import type { ItemKind } from '../http/framing'
import { framingOf } from '../http/framings'
import { isJsonType } from '../http/json'
import { isBodyless } from '../http/representation'
import type { OtherMedia } from '../registry'
import type { ResponseBody, Responses, Schema, VersionDescription } from '../types'
import { isByStatus, isContent, isItemContent, schemaIn } from './check'
import { distinct } from './differences'
import { isRule, mapReferences, unionsIn } from './keywords'
import { isName, type JsonSchema, type SchemaReading } from './model'

/** The bodies of responses by status, by a range of statuses, or `default`. `null` means no body. */
export type ByStatus<Said = ResponseBody> = ReadonlyMap<string, Said>

/**
 * Sorts the bodies of responses by status.
 *
 * @param plain the status of a body that is given alone.
 */
export function byStatus<Said = ResponseBody>(said: unknown, plain: '200' | '2XX' | 'default'): ByStatus<Said> {
  if (said === undefined) return new Map()
  if (said === null) return new Map([[plain === 'default' ? plain : '2XX', null as Said]])
  if (!isByStatus(said)) return new Map([[plain, said as Said]])
  return new Map(Object.entries(said).filter((entry): entry is [string, Said & {}] => entry[1] !== undefined))
}

/** Returns the body of the responses of a status; undefined if nothing describes it. */
export function saidOf<Said>(responses: ByStatus<Said>, status: number): Said | undefined {
  const keys = [String(status), `${String(status)[0]}XX`, 'default']
  const key = keys.find((name) => responses.has(name))
  return key === undefined ? undefined : responses.get(key)
}

/** Returns a status as a number. A range has a number that is no status. */
export function statusNumber(key: string): number {
  return Number(key.replace('XX', '50.5'))
}

/** Returns the number of the range of a status. */
export function rangeOf(status: number): number {
  return statusNumber(`${String(status)[0]}XX`)
}

/** Returns the bodies of successes. `default` is one where no other success with a body is described; else it is for errors. */
export function successesOf<Said>(responses: ByStatus<Said>): ByStatus<Said> {
  const own = [...responses].filter(([key]) => key.startsWith('2') && !isBodyless(statusNumber(key)))
  return new Map(own.length > 0 ? own : [...responses].filter(([key]) => key === 'default'))
}

/** Tells whether responses have a status, or a range of statuses. */
export function says(responses: ByStatus<unknown>, key: string): boolean {
  return key === 'default' ? responses.has(key) : saidOf(responses, statusNumber(key)) !== undefined
}

/** Adds the responses that operations share, for statuses that an operation does not have itself. */
function withCommon<Said>(own: ByStatus<Said>, common: ByStatus<Said>): ByStatus<Said> {
  return new Map([...own, ...[...common].filter(([key]) => !says(own, key))])
}

/** Returns the described responses of an operation, with those that it shares. */
export function describedResponses(response: VersionDescription['response'], common: Responses): ByStatus {
  return withCommon(byStatus(response, '200'), new Map(Object.entries(common)))
}

/** Returns the shared responses of several tables. The first ones win. */
export function joinedResponses(all: readonly Responses[]): Responses {
  const joined = all.map((one): ByStatus => new Map(Object.entries(one))).reduce(withCommon)
  return Object.fromEntries(joined) as Responses
}

/** Tells whether responses of a media type, or of a range of them (RFC 9110, section 12.5.1), may be JSON. */
export function mayBeJson(type: string): boolean {
  return isJsonType(type) || /^(?:\*|application)\/\*$/i.test(type)
}

/** Lists the schemas of a response's JSON, which may have several media types. */
export function jsonSchemasOf(body: ResponseBody): Schema[] {
  if (body === null) return []
  if (!isContent(body)) return [body as Schema]
  const schemas = Object.entries(body.content).flatMap(([type, media]) =>
    mayBeJson(type) && !isItemContent(media) ? [media] : [],
  )
  return [...new Set(schemas)]
}

/** Lists the schemas of the items of a response's streams. */
export function itemSchemasOf(body: ResponseBody, kind: ItemKind): Schema[] {
  const all = Object.entries(isContent(body) ? body.content : {}).flatMap(([type, media]) =>
    isItemContent(media) && framingOf(type)?.items === kind ? [media.itemSchema] : [],
  )
  return [...new Set(all)]
}

/** Lists the media types of a response that nobody converts. A range may be JSON, and others. */
export function otherMediaOf(body: ResponseBody): OtherMedia[] {
  return Object.entries(isContent(body) ? body.content : {}).flatMap(([type, media]) => {
    const isItem = isItemContent(media)
    const isConverted = isItem ? framingOf(type) !== undefined : isJsonType(type)
    return isConverted ? [] : [{ type, schema: schemaIn(media), isItem }]
  })
}

/** Lists the branches of a schema that is nothing but a union; of another one, the schema itself. Their union has one place. */
function branchesOf(reading: SchemaReading): SchemaReading[] {
  const [union, ...others] = Object.keys(reading.schema).filter(isRule)
  const branches =
    others.length === 0 ? unionsIn(reading.schema).find(([keyword]) => keyword === union)?.[1] : undefined
  return branches?.map((schema) => ({ ...reading, schema })) ?? [reading]
}

/** Returns a reading that allows what any of several readings allows; `null` for none. */
export function anyOf(all: readonly SchemaReading[]): SchemaReading | null {
  const several = distinct(all)
  const readings = several.length < 2 ? several : distinct(several.flatMap(branchesOf))
  const [first, ...others] = readings
  if (first === undefined || others.length === 0) return first ?? null
  // The schemas of an OpenAPI document share their definitions.
  if (others.every((other) => other.definitions === first.definitions)) {
    return { ...first, schema: { anyOf: readings.map(({ schema }) => schema) } }
  }
  const definitions = new Map<string, JsonSchema>()
  const branches = readings.map((reading, index) => {
    // Generated names mean something only in their own schema.
    const keyOf = (key: string) => (isName(key) ? key : `#${index}${key}`)
    const renamed = (schema: JsonSchema) =>
      mapReferences(schema, (key) => (reading.definitions.has(key) ? keyOf(key) : key))
    for (const [key, schema] of reading.definitions) definitions.set(keyOf(key), renamed(schema))
    return renamed(reading.schema)
  })
  return { schema: { anyOf: branches }, definitions }
}
