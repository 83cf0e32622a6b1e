// The items of event streams: `events()` makes their schema in OpenAPI 3.2; and the same schema with the data parsed.
import { DEFAULT_EVENT } from '../http/event-stream'
import type { ItemKind, StreamEvent } from '../http/framing'
import { isJsonType } from '../http/json'
import type { ResponseBody, Schema } from '../types'
import { sharedByLoads } from '../util/brand'
import { badOption, shown } from '../util/options'
import { type Alternative, alternativesOf, hasMarks, STRING, typesAllowed, typesOf } from './alternatives'
import { isSchema, SCHEMA_TAKES } from './check'
import { differenceOf } from './differences'
import { resolveOwn, withinReach } from './graph'
import { valuesOf } from './keywords'
import { definitionOf, isName, isObject, type JsonSchema, type SchemaReading } from './model'
import { readSchema, schemaFrom } from './reading'
import { anyOf, itemSchemasOf } from './responses'

const OWNER = 'events()'

/**
 * Makes the schema of the items of an event stream, as OpenAPI 3.2 has it: the name of an event tells the schema of its data, which
 * is JSON in a string.
 *
 * @param data the schemas of the data by the name of the event. `message` is the name of events without one.
 * @throws {TypeError} for no events, for a name that no event can have, and for what is no schema.
 * @example
 * api.describe('GET order-feed', {
 *   response: { 200: { content: { 'text/event-stream': { itemSchema: events({ created: Order, deleted: OrderRef }) } } } },
 * })
 */
export function events(data: { readonly [event: string]: Schema }): Schema {
  const given = typeof data === 'object' && data !== null ? Object.entries(data) : []
  if (given.length === 0) {
    throw new TypeError(
      `${OWNER} takes the schemas of events by their names, such as { created: Order }; got ${shown(data)}.`,
    )
  }
  for (const [name, schema] of given) {
    if (name === '' || /[\r\n\0]/.test(name)) throw new TypeError(`${OWNER} takes names of events; got ${shown(name)}.`)
    if (!isSchema(schema)) throw badOption(OWNER, name, SCHEMA_TAKES, schema)
  }
  return schemaFrom((direction) => {
    const read = given.map(([name, schema]) => eventReading(name, readSchema(schema, direction)))
    checkNames(read)
    const { schema, definitions } = anyOf(read) as SchemaReading
    return { schema: { oneOf: read.length === 1 ? [schema] : schema.anyOf }, definitions }
  })
}

function eventReading(name: string, { schema, ...others }: SchemaReading): SchemaReading {
  const properties = {
    event: { const: name },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: schema },
  }
  // That is the name of events without one.
  const required = name === DEFAULT_EVENT ? ['data'] : ['event', 'data']
  return { ...others, schema: { type: 'object', properties, required } }
}

/** @throws {TypeError} for two different definitions of one name. */
function checkNames(readings: readonly SchemaReading[]): void {
  const known = new Map<string, SchemaReading>()
  for (const reading of readings) {
    for (const name of reading.definitions.keys()) {
      const own = definitionOf(reading, name)
      const other = known.get(name) ?? own
      if (isName(name) && differenceOf(other, own))
        throw new TypeError(`two different schemas in it have the name "${name}"`)
      known.set(name, own)
    }
  }
}

const PARSED = sharedByLoads('parsed events', () => new WeakMap<object, Schema>())

/** Returns the schema of an event stream's items with their data parsed, as steps get them. */
export function parsedEvents(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  let parsed = PARSED.get(schema)
  if (parsed === undefined) {
    parsed = schemaFrom((direction) => {
      const reading = readSchema(schema, direction)
      return { ...reading, schema: new Envelopes(reading.definitions).parsed(reading.schema) }
    })
    PARSED.set(schema, parsed)
  }
  return parsed
}

/** Lists the schemas of a response's items as steps get them: the data of events is parsed. */
export function stepItemsOf(body: ResponseBody, kind: ItemKind): Schema[] {
  const schemas = itemSchemasOf(body, kind)
  return kind === 'events' ? schemas.map(parsedEvents) : schemas
}

/**
 * Makes the test whether the data of an event is text: all branches for such an event say so.
 *
 * @param readings those of the items of a stream.
 */
export function textEventsOf(readings: readonly SchemaReading[]): (event: StreamEvent) => boolean {
  const branches = readings
    .flatMap((reading) => alternativesOf(reading, resolveOwn))
    .map((one) => ({ ...one, isText: isText(one) }))
  if (!branches.some((one) => one.isText)) return () => false
  return (event) => {
    const own = branches.filter((one) => hasMarks({ event: DEFAULT_EVENT, ...event }, one))
    return own.length > 0 && own.every((one) => one.isText)
  }
}

function isText({ declared }: Alternative): boolean {
  const data = declared.get('data') ?? []
  return data.some((one) => typesAllowed(one, resolveOwn) === STRING) && !data.some((one) => mayHoldJson(one))
}

/** Tells whether strings of a schema may be JSON. */
function mayHoldJson(reading: SchemaReading): boolean {
  return withinReach([reading], resolveOwn).some(
    ({ schema: { contentSchema, contentMediaType } }) => contentSchema !== undefined || isJsonType(contentMediaType),
  )
}

/** Lists the names of the schemas that are events as a whole. Their data is parsed, so no change can name them. */
export function envelopesIn(schema: Schema): ReadonlySet<string> {
  const { schema: root, definitions } = readSchema(schema, 'output')
  const envelopes = new Envelopes(definitions)
  envelopes.parsed(root)
  return envelopes.names
}

/** The schemas that hold for an event as a whole. */
class Envelopes {
  readonly names = new Set<string>()

  constructor(private readonly definitions: SchemaReading['definitions']) {}

  /** @param outer the schemas around it. */
  parsed(schema: JsonSchema, outer: readonly JsonSchema[] = []): JsonSchema {
    if (outer.includes(schema)) return {}
    const of = (inner: JsonSchema) => this.parsed(inner, [...outer, schema])
    // The name of an event tells its branch.
    const { $ref, discriminator: _, ...own } = schema
    const target = typeof $ref === 'string' ? this.definitions.get($ref) : undefined
    const made: Record<string, unknown> = { ...own, ...this.#fields(own) }
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const list = own[keyword]
      if (Array.isArray(list)) made[keyword] = list.map(of)
    }
    const event = { type: 'object', ...made }
    if (target === undefined) return $ref === undefined ? event : { ...event, $ref }
    if (isName($ref as string)) this.names.add($ref as string)
    if (Object.keys(made).length === 0) return of(target)
    return { ...event, allOf: [...((made.allOf as unknown[] | undefined) ?? []), of(target)] }
  }

  /** Returns the fields of an event. Events without a name have that of the default. */
  #fields({ properties, required }: JsonSchema): JsonSchema {
    if (!isObject(properties)) return {}
    const { data, ...others } = properties
    const parsed = this.#data(data)
    const [name, ...more] = (isObject(others.event) && valuesOf(others.event)) || []
    const needed = Array.isArray(required) ? required.filter((one) => one !== 'event' || name !== DEFAULT_EVENT) : []
    const isNamed = name !== undefined && name !== DEFAULT_EVENT && more.length === 0
    return {
      properties: parsed === undefined ? others : { ...others, data: parsed },
      ...(isNamed || Array.isArray(required)
        ? { required: [...new Set([...needed, ...(isNamed ? ['event'] : [])])] }
        : {}),
    }
  }

  /** Returns the schema of an event's JSON; undefined for text. */
  #data(schema: unknown, outer: readonly unknown[] = []): JsonSchema | undefined {
    if (!isObject(schema) || outer.includes(schema)) return undefined
    const { $ref, allOf, contentSchema, contentMediaType = 'application/json' } = schema
    if (isObject(contentSchema) && isJsonType(contentMediaType)) return contentSchema
    const parts = [
      ...(typeof $ref === 'string' ? [this.definitions.get($ref)] : []),
      ...(Array.isArray(allOf) ? allOf : []),
    ]
    const found = parts.map((part) => this.#data(part, [...outer, schema])).find((part) => part !== undefined)
    if (found !== undefined) return found === this.definitions.get(String($ref)) ? schema : found
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = Array.isArray(schema[keyword]) ? schema[keyword] : []
      const read = branches.map((one) => this.#data(one, [...outer, schema]))
      if (read.every((one) => one === undefined)) continue
      const { type: _, ...union } = schema
      const own = typesOf(schema) === STRING ? union : schema
      return { ...own, [keyword]: read.map((one, index) => one ?? branches[index]) }
    }
    return typesOf(schema) === STRING || parts.length > 0 ? undefined : schema
  }
}
