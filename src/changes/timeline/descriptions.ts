// The described bodies of a table's operations, and what the option `places` tells of their schemas.

import type { ItemKind } from '../../http/framing'
import type { OtherMedia, RouteRegistry } from '../../registry'
import { isSameSchema } from '../../schemas/differences'
import { envelopesIn, stepItemsOf } from '../../schemas/events'
import { chainOf, linkedTo, resolveOwn, targetOf } from '../../schemas/graph'
import { eachSchema, partsIn, propertiesIn, referenceIn } from '../../schemas/keywords'
import type { SchemaLocation } from '../../schemas/location'
import {
  byDirection,
  DIRECTIONS,
  type Direction,
  definitionOf,
  isName,
  isObject,
  type JsonSchema,
  OTHER_DIRECTION,
  type SchemaReading,
} from '../../schemas/model'
import { stepsOf } from '../../schemas/pointers'
import { type NamedSchemas, resolveIn } from '../../schemas/reach'
import { readSchema } from '../../schemas/reading'
import {
  anyOf,
  type ByStatus,
  describedResponses,
  itemSchemasOf,
  jsonSchemasOf,
  otherMediaOf,
  statusNumber,
  successesOf,
} from '../../schemas/responses'
import type { OperationDescription, ResponseBody, Responses, Schema, VersionDescription } from '../../types'
import { ALL, METHODS_WITH_BODY, OPERATION_METHODS, operationMethods } from '../../util/operation'
import type { Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import type { BranchSelector } from '../convert/visits'

/** The described bodies of one operation, and the responses that it shares with others. */
export interface DescribedBodies {
  /** `GET user-list`, or `'*'` for what all operations share. */
  readonly name: string
  readonly body: SchemaReading | null
  readonly query: SchemaReading | null
  readonly responses: ByStatus<SchemaReading | null>
  /** The items of its streams, by status; `null` for a response without such items. */
  readonly items: Readonly<Record<ItemKind, ByStatus<SchemaReading | null>>>
  /** The media types of its successes that nobody converts, by status. */
  readonly others: ByStatus<readonly OtherBody[]>
  /** The names of schemas that are events as a whole. */
  readonly envelopes: ReadonlySet<string>
  /** The parts of the description for a single version, such as `versions.v1.response`. */
  readonly ofVersions: readonly string[]
}

/** A success of a media type that nobody converts. */
export interface OtherBody extends Omit<OtherMedia, 'schema'> {
  readonly status: string
  readonly reading: SchemaReading
  /** `true` if JSON stands beside it. */
  readonly hasJson: boolean
}

/** One operation with its described bodies. */
interface DescribedOperation extends DescribedBodies {
  readonly method: string
  readonly viewName: string
}

/** A definition, and the description that has it. */
interface Source {
  readonly schema: Schema
  readonly reading: SchemaReading
  readonly operation: string
  readonly part: string
}

const SILENT = {
  response: 'describe() says no "response" (null where the handler sends no JSON) of',
  body: 'describe() says no "body" (null where requests have none) of',
}

/** The described bodies of a table, and all definitions in them. */
export type Descriptions = ReturnType<typeof describedIn>

/**
 * Reads the described bodies of a table.
 *
 * @param report gets the operations without the needed descriptions.
 */
export function describedIn(
  routes: RouteRegistry,
  isNeutral: (viewName: string, method: string) => boolean,
  report: Report,
) {
  const sources = byDirection(() => new Map<string, Source>())
  /** The definitions that were read. The schemas of an OpenAPI document share theirs. */
  const known = byDirection(() => new Set<object>())
  /** The names that references lead to. */
  const wanted = byDirection(() => new Set<string>())

  function read(schema: Schema, direction: Direction, operation: string, part: string): SchemaReading {
    const reading = readOrReport(schema, direction, `the "${part}" of ${operation}`, report)
    for (const name of reading.outside?.keys() ?? []) wanted[direction].add(name)
    if (known[direction].has(reading.definitions)) return reading
    known[direction].add(reading.definitions)
    for (const name of reading.definitions.keys()) {
      if (!isName(name)) continue
      const own = definitionOf(reading, name)
      const before = sources[direction].get(name)
      if (before === undefined) sources[direction].set(name, { schema, reading: own, operation, part })
      else if (!isSameSchema(before.reading, own)) {
        report(`the schema "${name}" of ${before.operation} differs from that of ${operation}.`)
      }
    }
    return reading
  }

  /** Adds the definitions that references of one direction lead to, and that only the other direction has. */
  function addWanted(direction: Direction): void {
    // Added definitions may refer to more, and the loop visits these too.
    for (const name of wanted[direction]) {
      const other = sources[direction].has(name) ? undefined : sources[OTHER_DIRECTION[direction]].get(name)
      if (other !== undefined) read(other.schema, direction, other.operation, other.part)
    }
  }

  function bodiesIn(
    name: string,
    { body, query, response, versions }: OperationDescription,
    common: Responses,
    given: ByStatus<readonly OtherMedia[]> = new Map(),
  ): DescribedBodies {
    const readPart = (part: string, direction: Direction) => (schema: Schema) =>
      read(schema, direction, `"${name}"`, part)
    const readResponse = readPart('response', 'output')
    const responses = describedResponses(response, common)
    const itemsOf = (kind: ItemKind) => readAll(responses, readResponse, (body) => stepItemsOf(body, kind))
    const others = [...successesOf(responses)].map(([status, body]) => {
      const hasJson = jsonSchemasOf(body).length > 0
      const media = [...otherMediaOf(body), ...(given.get(status) ?? [])].map(({ schema, ...one }) => {
        return { ...one, status, hasJson, reading: readResponse(schema) }
      })
      return [status, media] as const
    })
    const events = [...responses.values()].flatMap((body) => itemSchemasOf(body, 'events'))
    return {
      name,
      body: body === undefined || body === null ? null : readPart('body', 'input')(body),
      query: query === undefined ? null : readPart('query', 'input')(query),
      responses: readAll(responses, readResponse),
      items: { events: itemsOf('events'), lines: itemsOf('lines') },
      others: new Map(others),
      envelopes: new Set(events.flatMap((schema) => [...envelopesIn(schema)])),
      ofVersions: bodiesOf(versions),
    }
  }

  const all = routes.facts()
  const operations = all.flatMap((facts): DescribedOperation[] => {
    const { viewName, common } = facts
    const methods = operationMethods(facts).filter((method) => !isNeutral(viewName, method))
    return methods.map((method) => {
      const name = `${method} ${viewName}`
      const described = facts.describedAs(method) ?? {}
      if (described.response === undefined) report(SILENT.response, `"${name}"`)
      if (described.body === undefined && METHODS_WITH_BODY.has(method)) report(SILENT.body, `"${name}"`)
      const isGiven = facts.givenFor(method)?.response === described.response
      const others = isGiven ? facts.othersFor(method) : undefined
      return { method, viewName, ...bodiesIn(name, described, common, others) }
    })
  })
  const unhandled = all.flatMap((facts) => {
    const handled = operationMethods(facts)
    const isUnhandled = (method: string) => !handled.includes(method) && facts.describedAs(method) !== undefined
    return OPERATION_METHODS.filter(isUnhandled).map((method) => `${method} ${facts.viewName}`)
  })
  const common = bodiesIn(ALL, {}, routes.common())
  for (const { schemas } of routes.elsewhere()?.documents ?? []) {
    for (const direction of DIRECTIONS) read(schemas.components, direction, 'the document', 'components')
  }
  for (const direction of DIRECTIONS) addWanted(direction)
  return {
    operations,
    /** The described operations without a handler in the table. */
    unhandled: new Set(unhandled) as ReadonlySet<string>,
    /** The responses that all operations share. */
    common,
    tables: byDirection(
      (direction): NamedSchemas => new Map([...sources[direction]].map(([name, { reading }]) => [name, reading])),
    ),
  }
}

function bodiesOf(versions: OperationDescription['versions'] = {}): string[] {
  return Object.entries(versions as Readonly<Record<string, VersionDescription | undefined>>).flatMap(
    ([version, said]) =>
      (['body', 'query', 'response'] as const)
        .filter((part) => said?.[part] !== undefined)
        .map((part) => `versions.${version}.${part}`),
  )
}

/** Reads a schema. Reports one that JSON Schema cannot express, and returns one that allows everything. */
export function readOrReport(schema: Schema, direction: Direction, what: string, report: Report): SchemaReading {
  try {
    return readSchema(schema, direction)
  } catch (error) {
    report(`${what} cannot be expressed in JSON Schema: ${(error as Error).message}`)
    return { schema: {}, definitions: new Map() }
  }
}

/**
 * Reads the schemas of responses by status; `null` for responses without any.
 *
 * @param schemasOf lists those of one response. Default: those of its JSON.
 */
export function readAll(
  responses: ByStatus,
  read: (schema: Schema) => SchemaReading,
  schemasOf: (body: ResponseBody) => readonly Schema[] = jsonSchemasOf,
): ByStatus<SchemaReading | null> {
  return new Map([...responses].map(([status, body]) => [status, anyOf(schemasOf(body).map(read))]))
}

/** The meanings of places, by the schemas there. */
export interface PlaceMeanings {
  /** The schemas that are other things than the shapes that they look like. */
  readonly others: ReadonlySet<object>
  /** The functions that tell the branches of unions. */
  readonly branches: ReadonlyMap<object, BranchSelector>
}

/**
 * Returns the key of the option `places` for a schema.
 *
 * @param olderVersion the version that has the schema, if the newest one may lack it.
 */
export type PlaceKey = (schema: JsonSchema, place: SchemaLocation, olderVersion?: string) => string

/** Returns the key of a schema that no description has. */
export const keyOfOlder: PlaceKey = (_schema, { place, path }, olderVersion) =>
  `${olderVersion === undefined ? '' : `${olderVersion} `}${place}${path === '' ? '' : `#${path}`}`

/** The schemas of an older version that changes have written themselves. */
export interface OlderSchemas {
  readonly version: string
  /** The definitions, in each direction and after each change. */
  readonly tables: readonly NamedSchemas[]
  /** The bodies of operations. */
  readonly bodies: readonly DescribedBodies[]
}

/** Returns the function that names the places of a table: pointers of the document as given, or of the description; else of an older version. */
export function placesIn(routes: RouteRegistry, descriptions: Descriptions): PlaceKey {
  let keys: ReadonlyMap<object, string> | undefined
  return (schema, place, olderVersion) => {
    for (const { schemas } of routes.elsewhere()?.documents ?? []) {
      const key = schemas.placeOf(schema)
      if (key !== undefined) return key
    }
    keys ??= keysIn(descriptions)
    return keys.get(schema) ?? keyOfOlder(schema, place, olderVersion)
  }
}

/**
 * Reads the option `places`.
 *
 * @param changed the names of the shapes that change.
 * @param report gets the places that do not exist, and those of changed shapes that are said to be another thing.
 */
export function meaningsIn(
  routes: RouteRegistry,
  descriptions: Descriptions,
  older: readonly OlderSchemas[],
  changed: ReadonlySet<string>,
  report: Report,
): PlaceMeanings {
  const others = new Set<object>()
  const branches = new Map<object, BranchSelector>()
  for (const { place, meaning, schemas } of routes.toldPlaces()) {
    const found = schemas?.length ? schemas : schemasAt(place, descriptions, older)
    if (typeof found === 'string') report(`option "places" has "${place}", but ${found}`)
    else if (schemas === undefined && typeof meaning === 'string')
      report(`option "places" has "${place}": give the schema its name in describe(), "$id": "${meaning}".`)
    else
      for (const schema of found) {
        const name = meaning === null ? changedAt(schema as JsonSchema, descriptions, changed) : undefined
        if (name !== undefined)
          report(
            `option "places" has null at "${place}", but the schema there is "${name}" itself, or a list of it, which changes. Leave the line out; or, if it is another thing, give it a schema of its own.`,
          )
        if (meaning === null) others.add(schema)
        if (typeof meaning === 'function') branches.set(schema, meaning)
      }
  }
  return { others, branches }
}

/** Returns the changed shape that a schema without own properties leads to: by a reference, as a list of it, or both. */
function changedAt(schema: JsonSchema, { tables }: Descriptions, changed: ReadonlySet<string>): string | undefined {
  for (const direction of DIRECTIONS) {
    const follow = resolveIn(tables[direction])
    const chain = linkedTo<SchemaReading>({ schema, definitions: new Map() }, (one) => {
      const [only, ...others] = [...partsIn(one.schema), one.schema.items].filter(isObject)
      const isBare = others.length === 0 && Object.keys(propertiesIn(one.schema)).length === 0
      return isBare ? (targetOf(one, follow) ?? (only && { ...one, schema: only })) : undefined
    })
    const name = chain.map((one) => referenceIn(one.schema)).find((one) => one !== undefined && changed.has(one))
    if (name !== undefined) return name
  }
  return undefined
}

/** Returns the schemas at a place; a sentence if there are none. */
function schemasAt(
  place: string,
  { operations, tables }: Descriptions,
  older: readonly OlderSchemas[],
): readonly object[] | string {
  const hash = `${place}#`.indexOf('#')
  const [name, pointer] = [place.slice(0, hash), place.slice(hash + 1)]
  const described = rootsOf(name, operations, [tables.input, tables.output])
  const version = older.find((one) => name.startsWith(`${one.version} `))
  const inVersion = version && rootsOf(name.slice(version.version.length + 1), version.bodies, version.tables)
  const roots = described.length > 0 ? described : (inVersion ?? [])
  if (roots.length === 0) {
    const known = [...tables.output.keys(), ...tables.input.keys(), ...operations.map((one) => one.name)]
    return `no description has it.${didYouMean(near(name, new Set(known)))} A place is the name of a schema, or an operation with a status, "body" or "query"; for a schema that a change has written, with the version in front.`
  }
  const found = roots.flatMap((root) => inside(root, stepsOf(pointer)) ?? [])
  return found.length > 0 ? [...new Set(found)] : `there is no schema at "${pointer}".`
}

type Root = SchemaReading | null

function rootsOf(name: string, bodies: readonly DescribedBodies[], tables: readonly NamedSchemas[]): Root[] {
  return [...bodies.flatMap((one) => partOf(one, name)), ...tables.flatMap((table) => table.get(name) ?? [])]
}

/** Returns the body, the query, the response or the items (`200 item`) that a place names. */
function partOf({ name, body, query, responses, items }: DescribedBodies, place: string): Root[] {
  if (!place.startsWith(`${name} `)) return []
  const part = place.slice(name.length + 1)
  if (part === 'body') return [body]
  if (part === 'query') return [query]
  const [, status = '', isItem] = /^(\S*)( item)?$/.exec(part) ?? []
  const bodies = isItem === undefined ? [...responses] : [...items.events, ...items.lines]
  return bodies.flatMap(([key, reading]) => (statusNumber(key) === statusNumber(status) ? [reading] : []))
}

function inside(root: Root, steps: readonly string[]): object | undefined {
  if (root === null) return undefined
  let found: unknown = root.schema
  for (const step of steps) {
    const chain = isObject(found) ? chainOf({ ...root, schema: found }, resolveOwn) : []
    found = chain.find(({ schema }) => Object.hasOwn(schema, step))?.schema ?? found
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return isObject(found) ? found : undefined
}

/** Lists the keys of all schemas in descriptions. The first place of a schema counts. */
function keysIn({ operations, tables }: Descriptions): ReadonlyMap<object, string> {
  const keys = new Map<object, string>()
  const add = (schema: unknown, place: SchemaLocation): void => {
    if (!isObject(schema) || keys.has(schema)) return
    keys.set(schema, keyOfOlder(schema, place))
    eachSchema(schema, (inner, path) => add(inner, { ...place, path: place.path + path }))
  }
  const root = (reading: Root | undefined, place: string) => add(reading?.schema, { root: '', place, path: '' })
  for (const { name, body, query, responses, items } of operations) {
    root(body, `${name} body`)
    root(query, `${name} query`)
    for (const [status, reading] of responses) root(reading, `${name} ${status}`)
    for (const all of [items.events, items.lines]) {
      for (const [status, reading] of all) root(reading, `${name} ${status} item`)
    }
  }
  for (const table of [tables.input, tables.output]) for (const [name, reading] of table) root(reading, name)
  return keys
}
