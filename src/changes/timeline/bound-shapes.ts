// The shapes of a history in the bodies that a table describes, and all mistakes in them.

import type { VersionSchema } from '../../bound-changes'
import { ITEM_KINDS } from '../../http/framing'
import { framingOf } from '../../http/framings'
import { isSuccess } from '../../http/representation'
import type { RouteRegistry } from '../../registry'
import { parsedEvents } from '../../schemas/events'
import { referenceTo, requiredIn } from '../../schemas/keywords'
import { locationOf } from '../../schemas/location'
import {
  byDirection,
  DIRECTIONS,
  type Direction,
  definitionOf,
  isName,
  OTHER_DIRECTION,
  type SchemaReading,
} from '../../schemas/model'
import type { NamedSchemas } from '../../schemas/reach'
import { schemaOf } from '../../schemas/reading'
import type { Schema } from '../../types'
import { shown } from '../../util/options'
import { type PlacesLine, PlacesLines, Problems, type Report } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import { quoted } from '../../util/text'
import { linesOf, warnOnce } from '../../util/warn'
import type { ShapeConversion } from '../convert/steps'
import { objectPartOf } from '../describe/fields/field-schemas'
import { type Definitions, definitionsOf, renamedIn } from './definition-table'
import {
  type DescribedBodies,
  describedIn,
  keyOfOlder,
  meaningsIn,
  type OlderSchemas,
  type PlaceMeanings,
  placesIn,
  readAll,
  readOrReport,
} from './descriptions'
import type { AppliedChange, OperationChanges, ReleasedChange } from './operation-changes'
import { type BodyShapes, lateShapes, type OperationShapes, operationShapes, type ReadChange } from './operation-shapes'
import { type ShapeChecks, type Suspected, shapeChecks } from './shape-checks'
import { namesOf, ShapeCopy } from './shape-copies'

const CONTRADICTS = 'describe() says what changes of shapes say, and could only contradict:'
const MIXED =
  'streams of events and of other items have items of their own, which one "older" "item" cannot describe, of'
const STREAMS = 'events (text/event-stream), lines (application/x-ndjson) or a sequence (application/json-seq)'
const ENVELOPE =
  'the data of events is parsed, so no change can name an event as a whole. Write an "item" step of the operation instead of a change of'

/** A shape of a change, and the places in which the change converts it. */
export interface ShapePlaces {
  readonly name: string
  readonly operations: readonly string[]
  /** `true` if bodies of requests hold it. */
  readonly isSent: boolean
  /** `true` if responses hold it. */
  readonly isReceived: boolean
}

/** The shapes of a history in the bodies that a table describes. */
export type BoundShapes = ReturnType<typeof boundShapes>

/**
 * Binds the shapes of a history to a table.
 *
 * @param changes the changes of the history by operation.
 * @param problems collects the mistakes.
 * @throws {TypeError} listing all missing parts, contradictions and unknown names at once.
 */
export function boundShapes(
  changes: OperationChanges,
  routes: RouteRegistry,
  isNeutral: (viewName: string, method: string) => boolean,
  problems: Pick<Problems, 'report' | 'check'> = new Problems(takesPlaces(routes)),
) {
  const { report } = problems
  const hasComponents = takesPlaces(routes)
  const isElsewhere = routes.elsewhere() !== undefined
  const { all } = changes
  const inOlder = byDirection(() => all.map(() => new Map<string, SchemaReading>()))
  const descriptions = describedIn(routes, isNeutral, report)
  const { tables, unhandled } = descriptions
  const read = (described: DescribedBodies, applied: readonly AppliedChange[]) => ({
    described,
    applied: applied.map((one) => readChange(one, described, inOlder, report)),
  })
  const described = descriptions.operations.map((one) => read(one, changes.of(one.method, one.viewName)))
  const withCommon = [read(descriptions.common, changes.of('', undefined)), ...described]
  const definitions = byDirection((direction) =>
    definitionsOf(all, direction, tables, inOlder[direction], report, hasComponents),
  )
  const keyOf = placesIn(routes, descriptions)
  const changed = new Set(all.flatMap(({ shapes }) => [...shapes.keys()]))
  const told = meaningsIn(routes, descriptions, olderSchemas(withCommon, all, definitions), changed, report)
  const known = DIRECTIONS.flatMap((direction) => [
    ...[tables[direction], ...inOlder[direction]].flatMap((table) => [...table.keys()]),
    ...definitions[direction].inOlder,
  ])
  checkNames(all, new Set(known), unhandled, report)
  const converters = byDirection((direction) => definitions[direction].converters(report, keyOf, told.branches))
  const suspected: Suspected = new Map()
  const checks = byDirection((direction) => {
    const others = definitions[OTHER_DIRECTION[direction]]
    return shapeChecks(definitions[direction], report, others, keyOf, suspected, told.others, hasComponents)
  })
  const bound = withCommon.map(({ described, applied }) => {
    const { changedIn } = definitions.output
    const shapes = operationShapes(described, applied, all, converters, isElsewhere, changedIn)
    for (const direction of DIRECTIONS) {
      for (const body of shapes.bodies[direction]) checks[direction].check(body, shapes.isThereBefore)
    }
    for (const one of shapes.unconverted) reportUnconverted(one, described.name, report)
    for (const name of described.envelopes) {
      if (all.some(({ shapes }) => shapes.has(name))) report(ENVELOPE, `the shape "${name}", in "${described.name}"`)
    }
    const isMet = all.some((_, index) => shapes.meets(index))
    for (const part of isMet ? described.ofVersions : []) report(CONTRADICTS, `"${part}" of "${described.name}"`)
    return shapes
  })
  checkWrites(bound, checks, suspected)
  checks.output.checkErrors(
    bound.filter((shapes) => all.some((one, index) => one.shapes.size > 0 && shapes.isThereBefore(index))),
    routes.elsewhere()?.documents.some((one) => one.isOfNest) === true,
  )
  warnOfLookalikes(
    routes,
    DIRECTIONS.flatMap((direction) => checks[direction].lookalikes),
  )
  warnOfEmptied(routes, [...checks.output.emptied])
  problems.check('versioning()')

  const byName = new Map(bound.map((shapes) => [shapes.name, shapes]))
  const [common, ...operations] = bound as [OperationShapes, ...OperationShapes[]]
  const schemas = new Map<SchemaReading, Schema>()
  const byHand = new Map<Direction | 'any', ShapesByHand>()

  /** Returns the definition of a name as a schema. A side that no operation needs is that of the other one. */
  function schemaFor(name: string, behind: number): Schema {
    const [input, output] = DIRECTIONS.map((direction) => definitions[direction].tables[behind]?.get(name))
    const [one, other] = [input ?? output, output ?? input] as [SchemaReading, SchemaReading]
    // Documents compare schemas by identity.
    const schema = schemas.get(one) ?? schemaOf({ input: one, output: other })
    schemas.set(one, schema)
    return schema
  }

  /** Returns the definitions of responses, with those beside them that only bodies hold. */
  function withBodies(): Definitions {
    const found = new Problems()
    const both = { ...tables, output: new Map([...tables.input, ...tables.output]) }
    const made = definitionsOf(all, 'output', both, inOlder.output, found.report, hasComponents)
    found.check('shape()')
    return made
  }

  return {
    definitions,
    /** The operations of the table. */
    operations,
    /** The described operations without a handler in the table. */
    unhandled,

    /**
     * Returns the schemas of names in a version, for all shapes that have ever changed. Schemas beside an inline one do not
     * count.
     *
     * @param versionIndex the index of the version.
     */
    definitionsIn(versionIndex: number): ReadonlyMap<string, VersionSchema> {
      const found = new Map<string, VersionSchema>()
      const behind = all.filter(({ versionIndex: since }) => since <= versionIndex).length
      const renamed = renamedIn(all, behind)
      for (const [index, { versionIndex: since, shapes }] of [...all.entries()].toReversed()) {
        for (const [name, { older, newer }] of shapes) {
          if (since > versionIndex) {
            const schema = older ?? schemaFor(name, index)
            found.set(name, { schema, isOlder: true, isDerived: older === undefined, renamed: renamed(name) })
          } else if (!found.has(name)) {
            found.set(name, { schema: newer ?? schemaFor(name, index + 1), isOlder: false })
          }
        }
      }
      return found
    },

    /** Lists the shapes of a change, each with the operations in which the change converts it. */
    placesOf(index: number): ShapePlaces[] {
      const met = operations.filter((operation) => operation.meets(index))
      const { shapes } = all[index] as ReleasedChange
      const own = [...shapes].filter(([, shape]) => !(shape instanceof ShapeCopy))
      return own.map(([name]) => {
        const names = namesOf(shapes, name)
        const holding = (direction: Direction) =>
          met.filter(({ bodies }) =>
            bodies[direction].some(({ schemas }) =>
              names.some((copy) => definitions[direction].holds(schemas, index, copy)),
            ),
          )
        const [sent, received] = [new Set(holding('input')), new Set(holding('output'))]
        const held = met.filter((one) => sent.has(one) || received.has(one)).map((operation) => operation.name)
        return { name, operations: held, isSent: sent.size > 0, isReceived: received.size > 0 }
      })
    },

    /**
     * Returns the conversions of single shapes.
     *
     * @param direction tells whose shapes: those of bodies, of responses, or of responses with those beside them that only bodies hold.
     * @throws {TypeError} for a shape of bodies that responses could not hold.
     */
    byHand(direction: Direction | 'any'): ShapesByHand {
      let found = byHand.get(direction)
      if (found === undefined) {
        found = shapesByHand(all, direction === 'any' ? withBodies() : definitions[direction], told)
        byHand.set(direction, found)
      }
      return found
    },

    /** Tells whether bodies with a shape must have a property behind a change. */
    requires(name: string, property: string, index: number): boolean {
      const reading = definitions.input.tables[index + 1]?.get(name)
      return reading !== undefined && requiredIn(objectPartOf(reading).reading.schema).includes(property)
    },

    /** Tells whether a change converts a shape in an operation. */
    converts: (index: number, operation: string): boolean => byName.get(operation)?.converts(index) === true,

    /** @param viewName undefined for an unknown page, which has only the responses that all operations share. */
    of(method: string, viewName: string | undefined): BodyShapes {
      const operation = `${method} ${viewName}`
      if (viewName === undefined) return common
      return byName.get(operation) ?? lateShapes(all, operation, common)
    },
  }
}

/** Reports the shapes of changes that nothing describes. */
function checkNames(
  changes: readonly ReleasedChange[],
  known: ReadonlySet<string>,
  unhandled: ReadonlySet<string>,
  report: Report,
): void {
  const early = `${quoted([...unhandled])} is described, but has no handler in the table: add handlers before versioning().`
  for (const { description, shapes } of changes) {
    for (const name of shapes.keys()) {
      if (known.has(name)) continue
      const hint = didYouMean(near(name, known)) || (unhandled.size === 0 ? '' : ` ${early}`)
      report(
        `the change "${description}" speaks of the shape "${name}", which no description and no "older" has.${hint}`,
      )
    }
  }
}

/** The conversions of single shapes, by hand. */
export type ShapesByHand = ReturnType<typeof shapesByHand>

/**
 * Makes a function that returns the conversions of a shape between two versions, by hand: to the older one for responses, to the
 * newer one for bodies.
 *
 * @param definitions those of a table. Without one, the own schemas of shapes describe their contents.
 * @param told the meanings of places in the table.
 */
export function shapesByHand(changes: readonly ReleasedChange[], definitions?: Definitions, told?: PlaceMeanings) {
  const found = new Problems()
  const described = byDirection(() => new Map())
  const inOlder = changes.map(() => new Map())
  const own = definitions ?? definitionsOf(changes, 'output', described, inOlder, found.report)
  const converters = own.converters(found.report, keyOfOlder, told?.branches)

  /**
   * @param one the index of a version.
   * @param other that of another one, before or behind it. Default: the newest version.
   * @throws {TypeError} for an unknown shape, and for shapes that cannot be converted.
   */
  return (name: string, one: number, other = Number.POSITIVE_INFINITY): readonly ShapeConversion[] => {
    const { tables } = own
    const newest = tables.at(-1) as NamedSchemas
    if (!newest.has(name) && !changes.some(({ shapes }) => shapes.has(name))) {
      const hint = didYouMean(near(String(name), newest.keys()))
      throw new TypeError(`shape(): the history has no shape ${shown(name)}.${hint}`)
    }
    const schema: SchemaReading = { schema: referenceTo(name), definitions: new Map() }
    const location = locationOf(name)
    const [from, to] = [Math.min(one, other), Math.max(one, other)]
    const isBetween = (index: number) => {
      const { versionIndex } = changes[index] as ReleasedChange
      return versionIndex > from && versionIndex <= to
    }
    const problems = new Problems()
    const body = { location, isQuery: false, schemas: tables.map(() => schema), unsaid: new Map() }
    shapeChecks(own, problems.report, own, keyOfOlder, new Map(), told?.others).check(body, isBetween)
    problems.check('shape()')
    const steps = [...converters.entries()].flatMap(
      ([index, converter]) => (isBetween(index) && converter?.conversionOf(schema, location)) || [],
    )
    found.check('shape()')
    return own.direction === 'input' ? steps : steps.toReversed()
  }
}

/** Checks the bodies of operations. A suspect is taken as the shape: one message asks for all. */
function checkWrites(
  bound: readonly OperationShapes[],
  checks: Readonly<Record<Direction, ShapeChecks>>,
  suspected: Suspected,
): void {
  for (let known = -1; known < suspected.size; ) {
    known = suspected.size
    for (const shapes of bound) {
      const successes = [...shapes.received].flatMap(([status, body]) => (isSuccess(status) ? body : []))
      const responded = (index: number) => new Set(successes.flatMap((body) => checks.output.shapesOf(body, index)))
      checks.input.checkWrites(shapes.sent.body, shapes.isThereBefore, responded)
    }
  }
}

/** Reports a media type that nobody converts, though it holds a shape that changes. */
function reportUnconverted(
  { type, status, isItem, hasJson, changed }: OperationShapes['unconverted'][number],
  operation: string,
  report: Report,
): void {
  const [name] = changed.values()
  const place = `the response ${status} of "${operation}"`
  if (isItem) {
    report(
      `the shape "${name}" changes, but the items of "${type}" are not converted: describe them as ${STREAMS}, or without that shape, in`,
      place,
    )
  } else if (!hasJson && framingOf(type) === undefined) {
    report(
      `the shape "${name}" changes, but "${type}" is not converted: describe JSON beside it, and older versions get 500 for "${type}" alone; or describe it without that shape, in`,
      place,
    )
  }
}

/** Lists the schemas that changes have written for older versions, by these versions. */
function olderSchemas(
  operations: readonly { readonly described: DescribedBodies; readonly applied: readonly ReadChange[] }[],
  all: readonly ReleasedChange[],
  definitions: Readonly<Record<Direction, Definitions>>,
): OlderSchemas[] {
  const versions = new Map(all.map(({ versionIndex, olderVersion }) => [versionIndex, olderVersion]))
  return [...versions].flatMap(([versionIndex, version]) => {
    const behind = [...all.keys()].filter((index) => all[index]?.versionIndex === versionIndex)
    const tables = DIRECTIONS.flatMap((direction) =>
      behind.map((index) => definitions[direction].tables[index] as NamedSchemas),
    )
    const bodies = operations.flatMap(({ described, applied }) =>
      applied.filter((one) => one.versionIndex >= versionIndex).map(({ older }) => olderBodies(described, older)),
    )
    return { version, tables, bodies }
  })
}

function olderBodies(described: DescribedBodies, older: ReadChange['older']): DescribedBodies {
  const items = new Map([...described.responses.keys()].map((status) => [status, older.item ?? null]))
  return {
    ...described,
    body: older.body ?? null,
    query: older.query ?? null,
    responses: older.responses,
    items: { events: items, lines: new Map() },
  }
}

/** Tells whether a table was made from a document that nobody may edit. */
function takesPlaces(routes: RouteRegistry): boolean {
  return (routes.elsewhere()?.documents.length ?? 0) > 0
}

/**
 * Reads the older schemas of a change.
 *
 * @param inOlder gets the definitions in them, for each change.
 */
function readChange(
  applied: AppliedChange,
  { name: operation, items }: DescribedBodies,
  inOlder: Readonly<Record<Direction, readonly Map<string, SchemaReading>[]>>,
  report: Report,
): ReadChange {
  const { index, description } = applied
  const { body, query, item, responses } = applied.older
  const kinds = ITEM_KINDS.filter((kind) => [...items[kind].values()].some((reading) => reading !== null))
  if (item !== undefined && kinds.length > 1) report(MIXED, `"${operation}" in the change "${description}"`)
  const read = (part: string, direction: Direction) => (schema: Schema) => {
    const what = `the "older" "${part}" of "${operation}" in the change "${description}"`
    const reading = readOrReport(schema, direction, what, report)
    for (const name of reading.definitions.keys()) {
      if (isName(name)) inOlder[direction][index]?.set(name, definitionOf(reading, name))
    }
    return reading
  }
  return {
    ...applied,
    older: {
      body: body === undefined || body === null ? body : read('body', 'input')(body),
      query: query === undefined ? undefined : read('query', 'input')(query),
      item:
        item === undefined ? undefined : read('item', 'output')(kinds.includes('events') ? parsedEvents(item) : item),
      responses: readAll(responses, read('response', 'output')),
    },
  }
}

/** Warns once of schemas that look a little like changed shapes. They are not converted. */
function warnOfLookalikes(routes: RouteRegistry, found: readonly PlacesLine[]): void {
  if (found.length === 0) return
  const lines = new PlacesLines()
  for (const line of found) lines.add(line)
  const what =
    'These schemas of the document have the properties that a change brought, and few others of the changed component. They are not converted, so clients of older versions send and get them as they are now. Tell what they are, in the options of the table:'
  warnOnce(routes, 'EXPRESS_VERSIONING_LOOKALIKE', `${what}\n${lines.text}`)
}

/** Warns once of lists that are `listed` and may be empty, where older versions require an item. */
function warnOfEmptied(routes: RouteRegistry, lines: readonly string[]): void {
  if (lines.length === 0) return
  const what =
    'These properties are a list now, which may be empty, and older versions require them, so a response with an empty list is 500 there. Write { minItems: 1 } in the schema of the list, or give the value of older versions in the same fields(), such as { optional: { author: "none" } }:'
  warnOnce(routes, 'EXPRESS_VERSIONING_EMPTY_LIST', what + linesOf(lines, '.'))
}
