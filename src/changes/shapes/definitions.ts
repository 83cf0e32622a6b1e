// The definitions of shapes in each version.
import { differenceOf } from '../../schemas/differences'
import { mapSchemas } from '../../schemas/keywords'
import { type Direction, isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import type { Schema } from '../../types'
import { shown } from '../../util/options'
import type { StepContext } from '../typing'
import type { ShapeStep } from './field-steps'
import { CompiledFields } from './fields'
import { olderFields } from './older-fields'
import { resolveIn, type Table } from './places'
import type { Report } from './problems'
import type { CompiledShape } from './shape'

/** The shapes of a change. */
export interface ShapeChange {
  /** The index of its version. */
  readonly at: number
  readonly version: string
  readonly description: string
  readonly shapes: ReadonlyMap<string, CompiledShape | CompiledFields>
}

/** The written sides of a shape; undefined for those that follow from the next version. */
interface Sides {
  readonly older: Side | undefined
  readonly newer: Side | undefined
}

const KINDS = { input: 'request', output: 'response' } as const
const UNKNOWN =
  'its newer side is whatever the next version has, and only a table tells that: use history.for(options) with the options of versioning()'

/** The definitions of all versions in one direction, and the steps between them. */
export class Definitions {
  /** The definitions by the number of changes that a version includes. */
  readonly tables: readonly Table[]
  /** The steps of shapes by name, for each change. */
  readonly steps: readonly ReadonlyMap<string, ShapeStep>[]
  /** The things that a shape lacks where it stands in a body, by its name, for each change. */
  readonly lacks: readonly ReadonlyMap<string, readonly string[]>[]
  /** The reason why a shape cannot be expressed, by its name, for each change. */
  readonly unreadable: readonly ReadonlyMap<string, string>[]
  /** The names of the definitions in the older sides of shapes. */
  readonly inOlder: ReadonlySet<string>

  /**
   * @param described the definitions of the newest version, from the descriptions.
   * @param inOlder the definitions in the older bodies of operations, for each change.
   * @param report gets the sides that differ from those of the next change.
   */
  constructor(
    changes: readonly ShapeChange[],
    readonly direction: Direction,
    described: Readonly<Record<Direction, Table>>,
    inOlder: readonly Table[],
    report: Report,
  ) {
    const unreadable = changes.map(() => new Map<string, string>())
    this.unreadable = unreadable
    const steps = changes.map(() => new Map<string, ShapeStep>())
    this.steps = steps
    const lacks = changes.map(() => new Map<string, readonly string[]>())
    this.lacks = lacks
    const sides = changes.map(({ shapes }, index) => {
      const problems = unreadable[index] as Map<string, string>
      return new Map([...shapes].map(([name, shape]) => [name, sidesOf(name, shape, direction, problems)]))
    })
    let table: Table = new Map([...lastOf(sides), ...described[direction]])
    const tables: Table[] = []
    const since = new Map<string, string>()
    const insides: Table[][] = []
    for (const [index, own] of [...sides.entries()].toReversed()) {
      const { version, description, shapes } = changes[index] as ShapeChange
      table = withMissing(
        table,
        [...own].flatMap(([name, { newer }]) =>
          newer === undefined ? [] : [newer.inside, new Map([[name, newer.own]])],
        ),
      )
      tables.unshift(table)
      const older = new Map<string, Side>()
      for (const [name, { newer, older: written }] of own) {
        const later = since.get(name)
        since.set(name, version)
        const shape = shapes.get(name) as CompiledShape | CompiledFields
        const known = table.get(name)
        const fault = (problem: string) =>
          report(`of the shape "${name}" in version ${shown(version)} ("${description}"), ${problem}`)
        if (known === undefined) unreadable[index]?.set(name, UNKNOWN)
        else if (shape instanceof CompiledFields) {
          const isPreset = direction === 'input' || !described.input.has(name)
          const made = olderFields(shape, known, { direction, resolve: resolveIn(table), isPreset, fault })
          steps[index]?.set(name, made.step)
          const inVersion = made.lacks.map((lack) => `in version ${shown(version)} ${lack}`)
          lacks[index]?.set(name, inVersion)
          if (made.unreadable !== undefined) unreadable[index]?.set(name, made.unreadable)
          older.set(name, made)
        } else if (newer !== undefined && unreadable[index]?.has(name) !== true) {
          const path = differenceOf(newer.own, known, isRule)
          const other = later === undefined ? 'what the descriptions say' : `its "older" in version ${shown(later)}`
          if (path !== undefined)
            report(
              `the "newer" of the shape "${name}" in version ${shown(version)} ("${description}") is not ${other}: they differ at "${path}".`,
            )
        }
        if (shape instanceof CompiledFields) continue
        older.set(name, written as Side)
        const kind = KINDS[direction]
        const step = shape.steps[kind]
        if (step === undefined) lacks[index]?.set(name, [`has no "${kind}"`])
        else steps[index]?.set(name, (value, context) => step(value, context as StepContext))
      }
      insides.unshift([...older.values()].map(({ inside }) => inside))
      if (older.size > 0) table = new Map([...table, ...[...older].map(([name, { own }]) => [name, own] as const)])
      table = withMissing(table, [inOlder[index] as Table, ...(insides[0] as Table[])])
    }
    this.tables = [table, ...tables]
    this.inOlder = new Set(insides.flatMap((own) => own.flatMap((inside) => [...inside.keys()])))
    for (const [index, own] of insides.entries()) {
      const { version } = changes[index] as ShapeChange
      const others = [inOlder[index] as Table, ...own].flatMap((inside) => [...inside])
      for (const [name, reading] of others) this.#checkName(name, reading, version, report)
    }
  }

  /** Reports a schema inside an older one that no version has under its name. */
  #checkName(name: string, reading: SchemaReading, version: string, report: Report): void {
    const known = this.tables.flatMap((table) => table.get(name) ?? [])
    const differences = known.map((one) => differenceOf(reading, one, isRule))
    if (differences.includes(undefined)) return
    report(
      `an older schema of version ${shown(version)} has a schema "${name}" in it that no version has: it differs at "${differences[0]}". Say its change by a shape of that name, or give it another name.`,
    )
  }
}

/** Returns the last definitions of shapes that the newest version may lack. */
function lastOf(sides: readonly ReadonlyMap<string, Sides>[]): Table {
  const last = new Map<string, SchemaReading>()
  for (const [name, { newer }] of sides.flatMap((own) => [...own])) {
    if (newer === undefined) last.delete(name)
    else last.set(name, newer.own)
  }
  return last
}

function sidesOf(
  name: string,
  shape: CompiledShape | CompiledFields,
  direction: Direction,
  problems: Map<string, string>,
): Sides {
  const side = (which: 'older' | 'newer'): Side | undefined => {
    const schema = shape[which]
    if (schema === undefined) return undefined
    try {
      return sideOf(name, schema, direction)
    } catch (error) {
      problems.set(name, `its "${which}" cannot be expressed in JSON Schema: ${(error as Error).message}`)
      return { own: { schema: {}, definitions: new Map() }, inside: new Map() }
    }
  }
  return { older: side('older'), newer: side('newer') }
}

/** Adds missing definitions to a table. */
function withMissing(table: Table, others: readonly Table[]): Table {
  const missing = others.flatMap((other) => [...other].filter(([name]) => !table.has(name)))
  return missing.length === 0 ? table : new Map([...missing, ...table])
}

/** One side of a shape as a definition, with the definitions of its contents by name. */
interface Side {
  readonly own: SchemaReading
  readonly inside: ReadonlyMap<string, SchemaReading>
}

/** The keywords that allow and forbid nothing. */
const ANNOTATIONS = new Set('$comment default deprecated description examples readOnly title writeOnly'.split(' '))

/** Tells whether an entry of a schema is a rule for values, or a property named like an annotation. */
export function isRule(keyword: string, value: unknown): boolean {
  return isObject(value) || !ANNOTATIONS.has(keyword)
}

/**
 * Reads one side of a shape. Its root is the shape itself, whatever its name: references to the root are references to the
 * shape.
 *
 * @throws {Error} for a schema that JSON Schema cannot express.
 */
function sideOf(name: string, schema: Schema, direction: Direction): Side {
  const reading = readSchema(schema, direction)
  const roots = new Set<unknown>()
  let root = reading.schema
  for (;;) {
    const { $ref, ...said } = root
    const target = typeof $ref === 'string' && !roots.has($ref) ? reading.definitions.get($ref) : undefined
    if (target === undefined || !Object.keys(said).every((key) => ANNOTATIONS.has(key))) break
    roots.add($ref)
    root = { ...target, ...said }
  }
  const renamed = (inner: JsonSchema): JsonSchema => {
    const called = roots.has(inner.$ref) ? { ...inner, $ref: name } : inner
    return mapSchemas(called, (one) => (isObject(one) ? renamed(one) : one))
  }
  const definitions = new Map([...reading.definitions].map(([key, inner]) => [key, renamed(inner)]))
  const inside = [...definitions].filter(([key]) => isName(key) && !roots.has(key) && key !== name)
  return {
    own: { schema: renamed(root), definitions },
    inside: new Map(inside.map(([key, inner]) => [key, { schema: inner, definitions }])),
  }
}
