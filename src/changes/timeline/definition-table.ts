// The definitions of shapes in each version.
import { differenceOf, isCompared } from '../../schemas/differences'
import { aloneChainOf, resolveOwn } from '../../schemas/graph'
import { besideReference, mapReferences, referenceIn } from '../../schemas/keywords'
import { type Direction, isName, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { isOfOther } from '../../schemas/one-sided'
import { holding, type NamedSchemas, resolveIn } from '../../schemas/reach'
import { readSchema } from '../../schemas/reading'
import type { Schema } from '../../types'
import { shown } from '../../util/options'
import type { Report } from '../../util/problems'
import { type ShapeConverter, shapeConverter } from '../convert/shape-converter'
import type { BranchSelector } from '../convert/visits'
import type { CompiledFields } from '../describe/fields/fields'
import type { CompiledShape, OlderSide, StepFunction } from '../describe/shape'
import type { PlaceKey } from './descriptions'
import type { ReleasedChange } from './operation-changes'
import { isPlainObject, olderCopy, propertyNames, ShapeCopy } from './shape-copies'

const KINDS = { input: 'request', output: 'response' } as const
const UNKNOWN =
  'its newer side is whatever the next version has, and only a table tells that: use history.for(options) with the options of versioning()'

/** The definitions of all versions in one direction, and the steps between them. */
export type Definitions = ReturnType<typeof definitionsOf>

/**
 * Makes the definitions of all versions in one direction, from the newest back.
 *
 * @param described the definitions of the newest version, from the descriptions.
 * @param inOlder the definitions in the older bodies of operations, for each change.
 * @param report gets the sides that differ from those of the next change.
 * @param hasComponents `true` if definitions are components of a document.
 */
export function definitionsOf(
  changes: readonly ReleasedChange[],
  direction: Direction,
  described: Readonly<Record<Direction, NamedSchemas>>,
  inOlder: readonly NamedSchemas[],
  report: Report,
  hasComponents = false,
) {
  const kind = KINDS[direction]
  /** The shapes whose newer side nothing tells. */
  const unknown = new Set<string>()

  /** Makes the older side of a change as data. */
  function made(
    name: string,
    fields: CompiledFields,
    { version, description }: ReleasedChange,
    table: NamedSchemas,
  ): OlderSide {
    const newer = table.get(name)
    if (newer === undefined) {
      unknown.add(name)
      return { own: undefined, inside: new Map(), step: undefined, lacks: [], unreadable: UNKNOWN }
    }
    const resolve = resolveIn(table)
    const side = fields.olderSide(newer, {
      direction,
      resolve,
      isServed: (property) => hasComponents && isOfOther(property, resolve, direction),
      isPreset: direction === 'input' || !described.input.has(name),
      fault: (problem) => report(`of the shape "${name}" in version ${shown(version)} ("${description}"), ${problem}`),
    })
    return { ...side, lacks: side.lacks.map((lack) => `in version ${shown(version)} ${lack}`) }
  }

  /** Makes the older side of a copy of a shape. What the copy has beside the shape stays. */
  function copied(name: string, copy: ShapeCopy, change: ReleasedChange, table: NamedSchemas): OlderSide {
    const own = table.get(name)
    const newer = table.get(copy.of)
    const stays = { own, inside: new Map(), step: (value: unknown) => value, lacks: [], unreadable: undefined }
    if (own === undefined || newer === undefined) return stays
    const names = new Set(propertyNames(own))
    const missing = propertyNames(newer).filter((property) => !names.has(property))
    if (copy.change.isData) {
      const part = copy.change.partFor(own, missing.length === 0)
      return part === undefined ? stays : made(name, part, change, table)
    }
    const { own: older, inside, problem: unreadable } = sideOf(copy.of, 'older', copy.change.older, direction)
    const inShape = new Set(propertyNames(newer))
    const more = isPlainObject(older) ? undefined : [...names].find((property) => !inShape.has(property))
    const [lost] = missing
    const problem =
      lost !== undefined
        ? `the steps of the change "${change.description}" convert the whole shape, and "${lost}" is not there`
        : more &&
          `before the change "${change.description}", it was no object with properties, where "${more}" had a place`
    if (problem !== undefined) {
      report(
        `option "places" says that "${name}" is "${copy.of}", but ${problem}. Write null, and name what is there in a change of its own.`,
      )
      return stays
    }
    const step = copy.change.steps[kind] as StepFunction | undefined
    const side = isPlainObject(older) ? olderCopy({ older, newer, copy: own, step }, direction) : { own: older, step }
    return { ...side, inside, lacks: lacksOf(step), unreadable }
  }

  /** Returns the older side of a shape as it is written, and compares its newer side with that of the next version. */
  function written(
    name: string,
    shape: CompiledShape,
    { version, description }: ReleasedChange,
    newer: ReadSide | undefined,
    table: NamedSchemas,
    later: string | undefined,
  ): OlderSide {
    const { own, inside, problem } = sideOf(name, 'older', shape.older, direction)
    const step = shape.steps[kind] as StepFunction | undefined
    const known = table.get(name)
    const unread = newer?.problem ?? problem
    if (known === undefined && unread === undefined) unknown.add(name)
    if (newer !== undefined && known !== undefined && unread === undefined) {
      const path = differenceOf(newer.own, known, isCompared)
      const other = later === undefined ? 'what the descriptions say' : `its "older" in version ${shown(later)}`
      if (path !== undefined) {
        report(
          `the "newer" of the shape "${name}" in version ${shown(version)} ("${description}") is not ${other}: they differ at "${path}".`,
        )
      }
    }
    const unreadable = unread ?? (known === undefined ? UNKNOWN : undefined)
    return { own, inside, step, lacks: lacksOf(step), unreadable }
  }

  function lacksOf(step: StepFunction | undefined): string[] {
    return step === undefined ? [`has no "${kind}"`] : []
  }

  /** The newer sides of shapes, for each change; undefined for those that the next version decides. */
  const newer = changes.map(
    ({ shapes }) =>
      new Map(
        [...shapes].map(
          ([name, { newer }]) =>
            [name, newer === undefined ? undefined : sideOf(name, 'newer', newer, direction)] as const,
        ),
      ),
  )
  // The newest version may lack the last definitions of shapes.
  const last = definedIn(new Map(newer.flatMap((sides) => [...sides])))
  let table: NamedSchemas = new Map([...last, ...described[direction]])
  const tables: NamedSchemas[] = []
  const older: ReadonlyMap<string, OlderSide>[] = []
  /** The version of the next change of each shape. */
  const later = new Map<string, string>()
  for (const [index, change] of [...changes.entries()].toReversed()) {
    const sides = newer[index] as (typeof newer)[number]
    const insideOf = (all: Iterable<ReadSide | OlderSide | undefined>) => [...all].flatMap((one) => one?.inside ?? [])
    table = withMissing(table, [...insideOf(sides.values()), new Map(definedIn(sides))])
    tables.unshift(table)
    const own = new Map<string, OlderSide>()
    for (const [name, shape] of change.shapes) {
      own.set(
        name,
        shape instanceof ShapeCopy
          ? copied(name, shape, change, table)
          : shape.isData
            ? made(name, shape, change, table)
            : written(name, shape, change, sides.get(name), table, later.get(name)),
      )
      later.set(name, change.version)
    }
    older.unshift(own)
    const known = definedIn(own)
    if (known.length > 0) table = new Map([...table, ...known])
    table = withMissing(table, [inOlder[index] as NamedSchemas, ...insideOf(own.values())])
  }
  tables.unshift(table)
  const tableAt = (behind: number) => tables[behind] as NamedSchemas

  const insides = older.map((own) => [...own.values()].flatMap(({ inside }) => [...inside]))
  for (const [index, { version }] of changes.entries()) {
    for (const [name, reading] of [...(inOlder[index] as NamedSchemas), ...(insides[index] ?? [])]) {
      // Where no body of this direction has the name, its newest definition is unknown.
      if (unknown.has(name)) continue
      const differences = tables
        .flatMap((one) => one.get(name) ?? [])
        .map((one) => differenceOf(reading, one, isCompared))
      if (differences.includes(undefined)) continue
      report(
        `an older schema of version ${shown(version)} has a schema "${name}" in it that no version has: it differs at "${differences[0]}". Say its change by a shape of that name, or give it another name.`,
      )
    }
  }

  return {
    changes,
    direction,
    /** The definitions by the number of changes that a version includes. */
    tables: tables as readonly NamedSchemas[],
    /** The older sides of the shapes of each change, by name. */
    older: older as readonly ReadonlyMap<string, OlderSide>[],
    /** The names of the definitions in the older sides of shapes. */
    inOlder: new Set(insides.flat().map(([name]) => name)),

    /** Compiles for each change the conversions of its shapes; undefined for a change without shapes. */
    converters(
      report: Report,
      keyOf: PlaceKey,
      branches: ReadonlyMap<object, BranchSelector> = new Map(),
    ): (ShapeConverter | undefined)[] {
      return changes.map((change, index) =>
        change.shapes.size === 0
          ? undefined
          : shapeConverter(
              change,
              direction,
              older[index] as ReadonlyMap<string, OlderSide>,
              tableAt(index),
              tableAt(index + 1),
              renamedIn(changes, direction === 'input' ? index : index + 1),
              branches,
              (schema, place, isNewer) => keyOf(schema, place, (isNewer ? changes[index + 1] : change)?.olderVersion),
              report,
            ),
      )
    },

    /**
     * Tells whether a body holds a shape, or refers to one that does.
     *
     * @param schemas those of the body by the number of changes that a version includes.
     * @param behind that number.
     */
    holds(schemas: readonly (SchemaReading | null)[], behind: number, name: string): boolean {
      const schema = schemas[behind] ?? null
      return schema !== null && holding(tableAt(behind), [name])(schema)
    },

    /** Returns the name of a shape that a change converts and that a schema holds, in front of the change or behind it; undefined for none. */
    changedIn(reading: SchemaReading, index: number): string | undefined {
      const names = [...(changes[index] as ReleasedChange).shapes.keys()]
      const sides = [tableAt(index), tableAt(index + 1)]
      return names.find((name) => sides.some((one) => holding(one, [name])(reading)))
    },
  }
}

/** Lists the sides of shapes that are known. */
function definedIn(sides: ReadonlyMap<string, Pick<OlderSide, 'own'> | undefined>) {
  return [...sides].flatMap(([name, side]) => (side?.own === undefined ? [] : [[name, side.own] as const]))
}

/** Adds missing definitions to a table. */
function withMissing(table: NamedSchemas, others: readonly NamedSchemas[]): NamedSchemas {
  const missing = others.flatMap((other) => [...other].filter(([name]) => !table.has(name)))
  return missing.length === 0 ? table : new Map([...missing, ...table])
}

/** One side of a shape as a definition, with the definitions of its contents by name. */
interface ReadSide {
  readonly own: SchemaReading
  readonly inside: ReadonlyMap<string, SchemaReading>
  /** The reason why JSON Schema cannot express it, if it cannot. */
  readonly problem: string | undefined
}

/**
 * Reads one side of a shape. Its root is the shape itself, whatever its name: references to the root are references to the
 * shape.
 */
function sideOf(name: string, which: 'older' | 'newer', schema: Schema, direction: Direction): ReadSide {
  let reading: SchemaReading
  try {
    reading = readSchema(schema, direction)
  } catch (error) {
    const problem = `its "${which}" cannot be expressed in JSON Schema: ${(error as Error).message}`
    return { own: { schema: {}, definitions: new Map() }, inside: new Map(), problem }
  }
  const chain = aloneChainOf(reading, resolveOwn, isCompared)
  const roots = new Set(chain.slice(0, -1).map((one) => referenceIn(one.schema) as string))
  const [last, ...before] = chain.map((one) => one.schema).toReversed()
  const root: JsonSchema = Object.assign({}, last, ...before.map(besideReference))
  const renamed = (inner: JsonSchema) => mapReferences(inner, (key) => (roots.has(key) ? name : key))
  const definitions = new Map([...reading.definitions].map(([key, inner]) => [key, renamed(inner)]))
  const inside = [...definitions].filter(([key]) => isName(key) && !roots.has(key) && key !== name)
  return {
    own: { schema: renamed(root), definitions },
    inside: new Map(inside.map(([key, inner]) => [key, { schema: inner, definitions }])),
    problem: undefined,
  }
}

/**
 * Makes a function that returns the names that the properties of a shape have in a version, by their names of today, where
 * changes as data say so.
 *
 * @param behind the number of changes that the version includes.
 */
export function renamedIn(
  changes: readonly ReleasedChange[],
  behind: number,
): (name: string) => ReadonlyMap<string, string> {
  const found = new Map<string, Map<string, string>>()
  for (const { shapes } of changes.slice(behind).toReversed()) {
    for (const [name, shape] of shapes) {
      if (!('renamed' in shape)) continue
      const own = found.get(name) ?? new Map<string, string>()
      const newest = new Map([...own].map(([today, name]) => [name, today]))
      for (const [older, newer] of shape.renamed) own.set(newest.get(newer) ?? newer, older)
      found.set(name, own)
    }
  }
  return (name) => found.get(name) ?? NOTHING
}

const NOTHING: ReadonlyMap<string, string> = new Map()
