// The described bodies of a table's operations.
import { type ByStatus, byStatus } from '../../schemas/answers'
import { differenceOf } from '../../schemas/differences'
import { type Direction, definitionOf, isName, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import type { OperationDescription, RouteRegistry, Schema, VersionDescription } from '../../types'
import { ALL_METHODS } from '../../util/operation'
import { isRule } from './definitions'
import type { Table } from './places'
import type { Report } from './problems'

/** The described bodies of one operation. */
export interface DescribedOperation {
  readonly method: string
  readonly viewName: string
  readonly body: SchemaReading | null
  readonly answers: ByStatus<SchemaReading>
  /** The parts of the description for a single version, such as `versions.v1.response`. */
  readonly ofVersions: readonly string[]
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])
const SILENT = {
  response: 'describe() says no "response" (null for none) of',
  body: 'describe() says no "body" (null for none) of',
}

/** Lists the methods of a route that are operations. Beside others, handlers of `.all()` are usually middleware. */
export function operationMethods(methods: readonly string[]): readonly string[] {
  const own = methods.filter((method) => method !== 'ALL' && method !== 'HEAD')
  return own.length === 0 && methods.includes('ALL') ? ALL_METHODS : own
}

/** The described bodies of a table, and all definitions in them. */
export class Descriptions {
  readonly operations: readonly DescribedOperation[]
  readonly tables: Readonly<Record<Direction, Table>>
  readonly #sources: Record<Direction, Map<string, { reading: SchemaReading; operation: string }>> = {
    input: new Map(),
    output: new Map(),
  }

  /** @param report gets the operations without the needed descriptions. */
  constructor(routes: RouteRegistry, isNeutral: (viewName: string) => boolean, report: Report) {
    this.operations = routes.facts().flatMap(({ viewName, methods, describedAs }) =>
      isNeutral(viewName)
        ? []
        : operationMethods(methods).map((method) => {
            const name = `"${method} ${viewName}"`
            const { response, body, versions } = describedAs(method) ?? {}
            if (response === undefined) report(SILENT.response, name)
            if (body === undefined && WITH_BODY.has(method)) report(SILENT.body, name)
            const read = (part: string, direction: Direction) => (schema: Schema) =>
              this.#read(schema, direction, name, part, report)
            return {
              method,
              viewName,
              body: body === undefined || body === null ? null : read('body', 'input')(body),
              ofVersions: bodiesOf(versions),
              answers: readAll(byStatus(response, '200'), read('response', 'output')),
            }
          }),
    )
    const tableOf = (direction: Direction) =>
      new Map([...this.#sources[direction]].map(([name, { reading }]) => [name, reading]))
    this.tables = { input: tableOf('input'), output: tableOf('output') }
  }

  #read(schema: Schema, direction: Direction, operation: string, part: string, report: Report): SchemaReading {
    const reading = readOrReport(schema, direction, `the "${part}" of ${operation}`, report)
    const sources = this.#sources[direction]
    for (const name of reading.definitions.keys()) {
      if (!isName(name)) continue
      const own = definitionOf(reading, name)
      const known = sources.get(name)
      if (known === undefined) sources.set(name, { reading: own, operation })
      else if (differenceOf(known.reading, own, isRule) !== undefined) {
        report(`the schema "${name}" of ${known.operation} differs from that of ${operation}.`)
      }
    }
    return reading
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

/** Reads schemas by status. */
export function readAll(answers: ByStatus, read: (schema: Schema) => SchemaReading): ByStatus<SchemaReading> {
  return new Map([...answers].map(([status, schema]) => [status, schema === null ? null : read(schema)]))
}
