// The shapes of a history in the bodies that a table describes, and all mistakes in them.
import { type Direction, definitionOf, isName, type SchemaReading } from '../../schemas/model'
import { schemaOf } from '../../schemas/reading'
import type { ListedChange, RouteRegistry, Schema, VersionSchema } from '../../types'
import { Problems, type Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import { Holding, type Table } from '../convert/holding'
import { passesOf } from '../convert/shape-passes'
import { Definitions, renamedIn, type ShapeChange } from './definitions'
import { type DescribedBodies, Descriptions, readAll, readOrReport } from './descriptions'
import { Overlooked } from './look-alikes'
import { checkErrors, Forgotten } from './missing-steps'
import { saidResponses } from './older-bodies'
import { type BodyChange, OperationShapes, unknownShapes } from './operation-bodies'
import type { Passage } from './operation-changes'
import type { Composer } from './plans'
import type { BodyShapes } from './response-plans'
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
  readonly #described: Readonly<Record<Direction, Table>>
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
    composer: Composer,
    problems: Pick<Problems, 'report' | 'check'> = new Problems(),
  ) {
    const { report } = problems
    this.#changes = changes
    this.#inOlder = { input: changes.map(() => new Map()), output: changes.map(() => new Map()) }
    const { operations, common, tables, unhandled } = new Descriptions(routes, isNeutral, report)
    this.unhandled = unhandled
    this.#described = tables
    const says = (described: DescribedBodies, passages: readonly Passage[]) =>
      changes.map((_, index) => {
        const passage = passages.find((one) => one.index === index)
        return passage && this.#bodyChange(described.name, passage, report)
      })
    const histories = operations.map((operation) => ({
      operation,
      says: says(operation, composer.passagesOf(operation.method, operation.viewName)),
    }))
    const ofAll = says(common, composer.passagesOf('', undefined))
    const definitionsOf = (direction: Direction) =>
      new Definitions(changes, direction, tables, this.#inOlder[direction], report)
    this.definitions = { input: definitionsOf('input'), output: definitionsOf('output') }
    this.#checkNames(tables, report)
    const { input, output } = this.definitions
    const passes = { input: passesOf(changes, input, report), output: passesOf(changes, output, report) }
    const forgotten = { input: new Forgotten(changes, input, report), output: new Forgotten(changes, output, report) }
    const overlooked = {
      input: new Overlooked(changes, input, report, output),
      output: new Overlooked(changes, output, report, input),
    }
    const check = (shapes: OperationShapes, meets: (index: number) => boolean) => {
      for (const part of ['body', 'query'] as const) {
        forgotten.input.check(shapes.sent(part), meets)
        overlooked.input.check(shapes.sent(part), meets)
      }
      for (const status of shapes.statuses()) {
        forgotten.output.check(shapes.received(status), meets)
        overlooked.output.check(shapes.received(status), meets)
      }
    }
    this.#common = new OperationShapes(common, ofAll, changes, passes)
    check(this.#common, () => true)
    const withErrors = [{ described: common, shapes: this.#common }]
    for (const { operation, says } of histories) {
      const { method, viewName } = operation
      const versions = changes.map(({ at }) => at)
      const isThere = Array.from(
        { length: Math.max(...versions) },
        (_, at) => composer.planOf(method, viewName, at).present,
      )
      const first = isThere.indexOf(true)
      const meets = (index: number) => first !== -1 && (versions[index] as number) > first
      // An operation that is absent before a change does not meet it.
      const met = <Pass>(all: readonly Pass[]) => all.map((one, index) => (meets(index) ? one : undefined))
      const shapes = new OperationShapes(operation, says, changes, {
        input: met(passes.input),
        output: met(passes.output),
      })
      const methods = this.#operations.get(operation.viewName) ?? new Map<string, OperationShapes>()
      this.#operations.set(operation.viewName, methods.set(operation.method, shapes))
      check(shapes, meets)
      if (changes.some((change, index) => change.shapes.size > 0 && meets(index)))
        withErrors.push({ described: operation, shapes })
      if (!changes.some((_, index) => shapes.meets(index))) continue
      for (const part of operation.ofVersions) report(CONTRADICTS, `"${part}" of ${shapes.name}`)
    }
    checkErrors(withErrors, forgotten.output, report)
    problems.check('versioning()')
  }

  /**
   * Returns the schemas of names in a version, for all shapes that have ever changed. Schemas beside an inline one do not
   * count.
   *
   * @param at the index of the version.
   */
  definitionsIn(at: number): ReadonlyMap<string, VersionSchema> {
    const found = new Map<string, VersionSchema>()
    const behind = this.#changes.filter(({ at: since }) => since <= at).length
    const renamed = renamedIn(this.#changes, behind)
    for (const [index, { at: since, shapes }] of [...this.#changes.entries()].toReversed()) {
      for (const [name, { older, newer }] of shapes) {
        if (since > at) {
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
        (direction) => new Holding(this.definitions[direction].tables[index] as Table, new Set([name])),
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

  #bodyChange(operation: string, passage: Passage, report: Report): BodyChange {
    const { index, change, entry } = passage
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
      passage,
      body: body === undefined || body === null ? body : read('body', 'input')(body),
      query: query === undefined ? undefined : read('query', 'input')(query),
      responses: readAll(saidResponses(passage), read('response', 'output')),
    }
  }

  #checkNames(described: Readonly<Record<Direction, Table>>, report: Report): void {
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
