// The shapes of a history in the bodies that a table describes, and all mistakes in them.

import { type Direction, definitionOf, isName, type SchemaReading } from '../../schemas/model'
import { schemaOf } from '../../schemas/reading'
import type { ListedChange, RouteRegistry, Schema, VersionSchema } from '../../types'
import { Problems, type Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import { Holding, type NamedSchemas } from '../convert/holding'
import { Definitions, type ShapeChange } from './definitions'
import { type DescribedBodies, Descriptions, readAll, readOrReport } from './descriptions'
import { LookAlikes } from './look-alikes'
import { checkErrors, MissingSteps } from './missing-steps'
import { saidResponses } from './older-bodies'
import { type BodyChange, OperationShapes, unknownShapes } from './operation-bodies'
import { type AppliedChange, type OperationChanges, presenceIn } from './operation-changes'
import { PlacesOption } from './places-option'
import type { BodyShapes } from './response-plans'
import { convertersOf, renamedIn } from './shape-converters'
import { ShapesByHand } from './shapes-by-hand'

const CONTRADICTS = 'describe() says what changes of shapes say, and could only contradict:'
const DIRECTIONS = ['input', 'output'] as const

/** The shapes of a history in the bodies that a table describes. */
export class BoundShapes {
  readonly definitions: Readonly<Record<Direction, Definitions>>
  /** The described operations without a handler in the table. */
  readonly unhandled: ReadonlySet<string>
  readonly #changes: readonly ShapeChange[]
  readonly #operations = new Map<string, Map<string, OperationShapes>>()
  /** The responses that all operations share. */
  readonly #common: OperationShapes
  /** The definitions of the newest version, from the descriptions. */
  readonly #described: Readonly<Record<Direction, NamedSchemas>>
  readonly #schemas = new Map<SchemaReading, Schema>()
  #byHand: ShapesByHand | undefined
  /** The definitions in the older bodies of operations, for each change. */
  readonly #inOlder: Readonly<Record<Direction, Map<string, SchemaReading>[]>>

  /**
   * Binds the shapes to a table.
   *
   * @param changes all changes of the history, oldest first.
   * @param problems collects the mistakes.
   * @throws {TypeError} listing all missing parts, contradictions and unknown names at once.
   */
  constructor(
    changes: readonly ShapeChange[],
    routes: RouteRegistry,
    isNeutral: (viewName: string) => boolean,
    operationChanges: OperationChanges,
    problems: Pick<Problems, 'report' | 'check'> = new Problems(takesPlaces(routes)),
  ) {
    const { report } = problems
    this.#changes = changes
    this.#inOlder = { input: changes.map(() => new Map()), output: changes.map(() => new Map()) }
    const descriptions = new Descriptions(routes, isNeutral, report)
    const { operations, common, tables, unhandled } = descriptions
    const told = new PlacesOption(routes.toldPlaces(), descriptions, report)
    this.unhandled = unhandled
    this.#described = tables
    const says = (described: DescribedBodies, appliedChanges: readonly AppliedChange[]) =>
      changes.map((_, index) => {
        const applied = appliedChanges.find((one) => one.index === index)
        return applied && this.#bodyChange(described.name, applied, report)
      })
    const histories = operations.map((operation) => {
      const applied = operationChanges.of(operation.method, operation.viewName)
      return { operation, applied, says: says(operation, applied) }
    })
    const ofAll = says(common, operationChanges.of('', undefined))
    const definitionsOf = (direction: Direction) =>
      new Definitions(changes, direction, tables, this.#inOlder[direction], report)
    this.definitions = { input: definitionsOf('input'), output: definitionsOf('output') }
    this.#checkNames(tables, report)
    const { input, output } = this.definitions
    const converters = {
      input: convertersOf(changes, input, report, told.branches),
      output: convertersOf(changes, output, report, told.branches),
    }
    const missingSteps = {
      input: new MissingSteps(changes, input, report),
      output: new MissingSteps(changes, output, report),
    }
    const lookAlikes = {
      input: new LookAlikes(changes, input, report, output, told.others),
      output: new LookAlikes(changes, output, report, input, told.others),
    }
    const check = (shapes: OperationShapes, meets: (index: number) => boolean) => {
      for (const part of ['body', 'query'] as const) {
        missingSteps.input.check(shapes.sent(part), meets)
        lookAlikes.input.check(shapes.sent(part), meets)
      }
      for (const status of shapes.statuses()) {
        missingSteps.output.check(shapes.received(status), meets)
        lookAlikes.output.check(shapes.received(status), meets)
      }
    }
    this.#common = new OperationShapes(common, ofAll, changes, converters)
    check(this.#common, () => true)
    const withErrors = [{ described: common, shapes: this.#common }]
    for (const { operation, applied, says } of histories) {
      const versions = changes.map(({ versionIndex }) => versionIndex)
      const isThere = Array.from(
        { length: Math.max(...versions) },
        (_, version) => presenceIn(applied, version).present,
      )
      const first = isThere.indexOf(true)
      const meets = (index: number) => first !== -1 && (versions[index] as number) > first
      // An operation that is absent before a change does not meet it.
      const met = <One>(all: readonly One[]) => all.map((one, index) => (meets(index) ? one : undefined))
      const shapes = new OperationShapes(operation, says, changes, {
        input: met(converters.input),
        output: met(converters.output),
      })
      const methods = this.#operations.get(operation.viewName) ?? new Map<string, OperationShapes>()
      this.#operations.set(operation.viewName, methods.set(operation.method, shapes))
      check(shapes, meets)
      if (changes.some((change, index) => change.shapes.size > 0 && meets(index)))
        withErrors.push({ described: operation, shapes })
      if (!changes.some((_, index) => shapes.meets(index))) continue
      for (const part of operation.ofVersions) report(CONTRADICTS, `"${part}" of ${shapes.name}`)
    }
    checkErrors(withErrors, missingSteps.output, report)
    problems.check('versioning()')
  }

  /**
   * Returns the schemas of names in a version, for all shapes that have ever changed. Schemas beside an inline one do not
   * count.
   *
   * @param versionIndex the index of the version.
   */
  definitionsIn(versionIndex: number): ReadonlyMap<string, VersionSchema> {
    const found = new Map<string, VersionSchema>()
    const behind = this.#changes.filter(({ versionIndex: since }) => since <= versionIndex).length
    const renamed = renamedIn(this.#changes, behind)
    for (const [index, { versionIndex: since, shapes }] of [...this.#changes.entries()].toReversed()) {
      for (const [name, { older, newer }] of shapes) {
        if (since > versionIndex) {
          const schema = older ?? this.#schemaOf(name, index)
          found.set(name, { schema, isOlder: true, isDerived: older === undefined, renamed: renamed(name) })
        } else if (!found.has(name)) {
          found.set(name, { schema: newer ?? this.#schemaOf(name, index + 1), isOlder: false })
        }
      }
    }
    return found
  }

  /** Returns the definition of a name as a schema. A side that no operation needs is that of the other one. */
  #schemaOf(name: string, behind: number): Schema {
    const [input, output] = DIRECTIONS.map((direction) => this.definitions[direction].tables[behind]?.get(name))
    const [one, other] = [input ?? output, output ?? input] as [SchemaReading, SchemaReading]
    // Documents compare schemas by identity.
    const schema = this.#schemas.get(one) ?? schemaOf({ input: one, output: other })
    this.#schemas.set(one, schema)
    return schema
  }

  /** Returns the conversions of its shapes by hand. */
  byHand(): ShapesByHand {
    this.#byHand ??= new ShapesByHand(this.#changes, this.#described, this.#inOlder.output)
    return this.#byHand
  }

  /** Lists the shapes of a change, each with the operations in which the change converts it. */
  placesOf(index: number): ListedChange['shapes'] {
    const all = [...this.#operations.values()].flatMap((methods) => [...methods.values()])
    const met = all.filter((operation) => operation.meets(index))
    return [...(this.#changes[index] as ShapeChange).shapes.keys()].map((name) => {
      const [input, output] = DIRECTIONS.map(
        (direction) => new Holding(this.definitions[direction].tables[index] as NamedSchemas, new Set([name])),
      ) as [Holding, Holding]
      const operations = met.filter((operation) => operation.contains(index, input, output))
      return { name, operations: operations.map(({ operation }) => operation) }
    })
  }

  /** Tells whether a change converts a shape in an operation. */
  converts(index: number, method: string, viewName: string): boolean {
    return this.#operations.get(viewName)?.get(method)?.converts(index) === true
  }

  /** Lists the operations, each with its bodies in all versions. */
  *operations(): Iterable<{ readonly method: string; readonly viewName: string; readonly shapes: OperationShapes }> {
    for (const [viewName, methods] of this.#operations) {
      for (const [method, shapes] of methods) yield { method, viewName, shapes }
    }
  }

  /** @param viewName undefined for an unknown page, which has only the responses that all operations share. */
  operation(method: string, viewName: string | undefined): BodyShapes {
    if (viewName === undefined) return this.#common
    const known = this.#operations.get(viewName)?.get(method)
    return known ?? unknownShapes(this.#changes, `${method} ${viewName}`, this.#common)
  }

  #bodyChange(operation: string, applied: AppliedChange, report: Report): BodyChange {
    const { index, change, entry } = applied
    const read = (part: string, direction: Direction) => (schema: Schema) => {
      const what = `the "older" "${part}" of "${operation}" in the change "${change.description}"`
      const reading = readOrReport(schema, direction, what, report)
      for (const name of reading.definitions.keys()) {
        if (isName(name)) this.#inOlder[direction][index]?.set(name, definitionOf(reading, name))
      }
      return reading
    }
    const { body, query } = entry?.older ?? {}
    return {
      applied,
      body: body === undefined || body === null ? body : read('body', 'input')(body),
      query: query === undefined ? undefined : read('query', 'input')(query),
      responses: readAll(saidResponses(applied), read('response', 'output')),
    }
  }

  #checkNames(described: Readonly<Record<Direction, NamedSchemas>>, report: Report): void {
    const unhandled = [...this.unhandled].map((operation) => `"${operation}"`)
    const known = new Set(
      DIRECTIONS.flatMap((direction) => [
        ...described[direction].keys(),
        ...this.#inOlder[direction].flatMap((table) => [...table.keys()]),
        ...this.definitions[direction].inOlder,
      ]),
    )
    for (const { description, shapes } of this.#changes) {
      for (const name of shapes.keys()) {
        if (known.has(name)) continue
        const early = `${unhandled.join(', ')} is described, but has no handler in the table: add handlers before versioning().`
        const hint = didYouMean(near(name, known)) || (unhandled.length === 0 ? '' : ` ${early}`)
        report(
          `the change "${description}" speaks of the shape "${name}", which no description and no "older" has.${hint}`,
        )
      }
    }
  }
}

/** Tells whether a table was made from a document that nobody may edit. */
function takesPlaces(routes: RouteRegistry): boolean {
  return (routes.elsewhere()?.documents.length ?? 0) > 0
}
