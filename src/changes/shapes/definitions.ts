import { differenceOf } from '../../schemas/differences'
import type { Direction, SchemaReading } from '../../schemas/model'
import { shown } from '../../util/options'
import type { Table } from './places'
import type { Report } from './problems'
import type { CompiledShape } from './shape'
import { isRule, type Side, sideOf } from './sides'

/** What one change says of shapes. */
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

/** The definitions of all versions, in one direction. */
export class Definitions {
  /** By the number of changes that are behind a version. */
  readonly tables: readonly Table[]
  /** Why a shape cannot be said, by its name: by the index of the change. */
  readonly unreadable: readonly ReadonlyMap<string, string>[]
  /** The names of what stands in the older sides of shapes. */
  readonly inOlder: ReadonlySet<string>

  /**
   * @param described what the descriptions say, which is the newest version's.
   * @param inOlder the definitions that operations say of their older bodies, by the index of the change.
   * @param report is told of sides that are not those of the next change.
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
    // A shape that the newest version does not have is as it was last.
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
        const where = path === '' ? 'as a whole' : `at "${path}"`
        report(
          `the "newer" of the shape "${name}" in version ${shown(version)} ("${description}") is not ${other}: they differ ${where}.`,
        )
      }
      const older = [...own].map(([name, side]) => [name, side.older.own] as const)
      if (older.length > 0) table = new Map([...table, ...older])
      table = withMissing(table, [inOlder[index] as Table, ...[...own.values()].map((side) => side.older.inside)])
    }
    this.tables = [table, ...tables]
  }
}

function sidesOf(name: string, shape: CompiledShape, direction: Direction, problems: Map<string, string>): Sides {
  const side = (which: 'older' | 'newer'): Side => {
    try {
      return sideOf(name, shape[which], direction)
    } catch (error) {
      problems.set(name, `its "${which}" cannot be said in JSON Schema: ${(error as Error).message}`)
      return { own: { schema: {}, definitions: new Map() }, inside: new Map() }
    }
  }
  return { older: side('older'), newer: side('newer') }
}

/** A table with definitions that it does not have yet. */
function withMissing(table: Table, others: readonly Table[]): Table {
  const missing = others.flatMap((other) => [...other].filter(([name]) => !table.has(name)))
  return missing.length === 0 ? table : new Map([...missing, ...table])
}
