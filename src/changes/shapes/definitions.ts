// The definitions of shapes in each version.
import { differenceOf } from '../../schemas/differences'
import { mapSchemas } from '../../schemas/keywords'
import { type Direction, isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { readSchema } from '../../schemas/reading'
import type { Schema } from '../../types'
import { shown } from '../../util/options'
import type { Table } from './places'
import type { Report } from './problems'
import type { CompiledShape } from './shape'

/** The shapes of a change. */
export interface ShapeChange {
  /** The index of its version. */
  readonly at: number
  readonly version: string
  readonly description: string
  readonly shapes: ReadonlyMap<string, CompiledShape>
}

interface Sides {
  readonly older: Side
  readonly newer: Side
}

/** The definitions of all versions in one direction. */
export class Definitions {
  /** The definitions by the number of changes that a version includes. */
  readonly tables: readonly Table[]
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
    described: Table,
    inOlder: readonly Table[],
    report: Report,
  ) {
    const unreadable = changes.map(() => new Map<string, string>())
    this.unreadable = unreadable
    const sides = changes.map(({ shapes }, index) => {
      const problems = unreadable[index] as Map<string, string>
      return new Map([...shapes].map(([name, shape]) => [name, sidesOf(name, shape, direction, problems)]))
    })
    this.inOlder = new Set(sides.flatMap((own) => [...own.values()].flatMap(({ older }) => [...older.inside.keys()])))
    // A shape that the newest version lacks keeps its last definition.
    const last = sides.flatMap((own) => [...own].map(([name, { newer }]) => [name, newer.own] as const))
    let table: Table = new Map([...last, ...described])
    const tables: Table[] = []
    const since = new Map<string, string>()
    for (const [index, own] of [...sides.entries()].toReversed()) {
      const { version, description } = changes[index] as ShapeChange
      table = withMissing(
        table,
        [...own.values()].map(({ newer }) => newer.inside),
      )
      tables.unshift(table)
      for (const [name, { newer }] of own) {
        const later = since.get(name)
        since.set(name, version)
        if (unreadable[index]?.has(name)) continue
        const path = differenceOf(newer.own, table.get(name) as SchemaReading, isRule)
        if (path === undefined) continue
        const other = later === undefined ? 'what the descriptions say' : `its "older" in version ${shown(later)}`
        report(
          `the "newer" of the shape "${name}" in version ${shown(version)} ("${description}") is not ${other}: they differ at "${path}".`,
        )
      }
      const older = [...own].map(([name, side]) => [name, side.older.own] as const)
      if (older.length > 0) table = new Map([...table, ...older])
      table = withMissing(table, [inOlder[index] as Table, ...[...own.values()].map((side) => side.older.inside)])
    }
    this.tables = [table, ...tables]
    for (const [index, own] of sides.entries()) {
      const { version } = changes[index] as ShapeChange
      const others = [...(inOlder[index] as Table), ...[...own.values()].flatMap(({ older }) => [...older.inside])]
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

function sidesOf(name: string, shape: CompiledShape, direction: Direction, problems: Map<string, string>): Sides {
  const side = (which: 'older' | 'newer'): Side => {
    try {
      return sideOf(name, shape[which], direction)
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
