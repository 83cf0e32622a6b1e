// The described bodies of a table's operations, and what the option `places` tells of their schemas.

import type { ItemKind } from '../../http/framing'
import type { OtherMedia, RouteRegistry } from '../../registry'
import { differenceOf, isCompared } from '../../schemas/differences'
import { envelopesIn, stepItemsOf } from '../../schemas/events'
import { byDirection, DIRECTIONS, type Direction, definitionOf, isName, type SchemaReading } from '../../schemas/model'
import type { NamedSchemas } from '../../schemas/reach'
import { readSchema } from '../../schemas/reading'
import {
  anyOf,
  type ByStatus,
  describedResponses,
  itemSchemasOf,
  jsonSchemasOf,
  otherMediaOf,
  successesOf,
} from '../../schemas/responses'
import type { OperationDescription, ResponseBody, Responses, Schema, VersionDescription } from '../../types'
import { ALL, METHODS_WITH_BODY, OPERATION_METHODS, operationMethods } from '../../util/operation'
import type { Report } from '../../util/problems'

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
export class Descriptions {
  readonly operations: readonly DescribedOperation[]
  /** The described operations without a handler in the table. */
  readonly unhandled: ReadonlySet<string>
  /** The responses that all operations share. */
  readonly common: DescribedBodies
  readonly tables: Readonly<Record<Direction, NamedSchemas>>
  readonly #sources = byDirection(() => new Map<string, Source>())
  /** The definitions that were read. The schemas of an OpenAPI document share theirs. */
  readonly #known = byDirection(() => new Set<object>())
  /** The names that references lead to. */
  readonly #wanted = byDirection(() => new Set<string>())

  /** @param report gets the operations without the needed descriptions. */
  constructor(routes: RouteRegistry, isNeutral: (viewName: string, method: string) => boolean, report: Report) {
    this.operations = routes.facts().flatMap((facts) => {
      const { viewName, common } = facts
      return operationMethods(facts)
        .filter((method) => !isNeutral(viewName, method))
        .map((method) => {
          const name = `${method} ${viewName}`
          const described = facts.describedAs(method) ?? {}
          if (described.response === undefined) report(SILENT.response, `"${name}"`)
          if (described.body === undefined && METHODS_WITH_BODY.has(method)) report(SILENT.body, `"${name}"`)
          const isGiven = facts.givenFor(method)?.response === described.response
          const others = isGiven ? facts.othersFor(method) : undefined
          return { method, viewName, ...this.#bodies(name, described, common, report, others) }
        })
    })
    const unhandled = routes.facts().flatMap((facts) => {
      const handled = operationMethods(facts)
      const isUnhandled = (method: string) => !handled.includes(method) && facts.describedAs(method) !== undefined
      return OPERATION_METHODS.filter(isUnhandled).map((method) => `${method} ${facts.viewName}`)
    })
    this.unhandled = new Set(unhandled)
    this.common = this.#bodies(ALL, {}, routes.common(), report)
    for (const { schemas } of routes.elsewhere()?.documents ?? []) {
      for (const direction of DIRECTIONS)
        this.#read(schemas.components, direction, 'the document', 'components', report)
    }
    this.#addWanted('input', this.#sources.output, report)
    this.#addWanted('output', this.#sources.input, report)
    this.tables = byDirection(
      (direction) => new Map([...this.#sources[direction]].map(([name, { reading }]) => [name, reading])),
    )
  }

  #bodies(
    name: string,
    described: OperationDescription,
    common: Responses,
    report: Report,
    given: ByStatus<readonly OtherMedia[]> = new Map(),
  ): DescribedBodies {
    const { body, query, response, versions } = described
    const read = (part: string, direction: Direction) => (schema: Schema) =>
      this.#read(schema, direction, `"${name}"`, part, report)
    const responses = describedResponses(response, common)
    const itemsOf = (kind: ItemKind) =>
      readAll(responses, read('response', 'output'), (body) => stepItemsOf(body, kind))
    const others = [...successesOf(responses)].map(([status, body]) => {
      const hasJson = jsonSchemasOf(body).length > 0
      const media = [...otherMediaOf(body), ...(given.get(status) ?? [])].map(({ schema, ...one }) => {
        return { ...one, status, hasJson, reading: read('response', 'output')(schema) }
      })
      return [status, media] as const
    })
    const events = [...responses.values()].flatMap((body) => itemSchemasOf(body, 'events'))
    return {
      name,
      body: body === undefined || body === null ? null : read('body', 'input')(body),
      query: query === undefined ? null : read('query', 'input')(query),
      responses: readAll(responses, read('response', 'output')),
      items: { events: itemsOf('events'), lines: itemsOf('lines') },
      others: new Map(others),
      envelopes: new Set(events.flatMap((schema) => [...envelopesIn(schema)])),
      ofVersions: bodiesOf(versions),
    }
  }

  #read(schema: Schema, direction: Direction, operation: string, part: string, report: Report): SchemaReading {
    const reading = readOrReport(schema, direction, `the "${part}" of ${operation}`, report)
    const sources = this.#sources[direction]
    for (const name of reading.outside?.keys() ?? []) this.#wanted[direction].add(name)
    if (this.#known[direction].has(reading.definitions)) return reading
    this.#known[direction].add(reading.definitions)
    for (const name of reading.definitions.keys()) {
      if (!isName(name)) continue
      const own = definitionOf(reading, name)
      const known = sources.get(name)
      if (known === undefined) sources.set(name, { schema, reading: own, operation, part })
      else if (differenceOf(known.reading, own, isCompared) !== undefined) {
        report(`the schema "${name}" of ${known.operation} differs from that of ${operation}.`)
      }
    }
    return reading
  }

  /** Adds the definitions that references of one direction lead to, and that only the other direction has. */
  #addWanted(direction: Direction, others: ReadonlyMap<string, Source>, report: Report): void {
    // Added definitions may refer to more, and the loop visits these too.
    for (const name of this.#wanted[direction]) {
      const other = this.#sources[direction].has(name) ? undefined : others.get(name)
      if (other !== undefined) this.#read(other.schema, direction, other.operation, other.part, report)
    }
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
