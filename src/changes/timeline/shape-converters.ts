// The conversions of all changes' shapes between the definitions of two versions.

import type { Report } from '../../util/problems'
import type { NamedSchemas } from '../convert/holding'
import type { OlderSide } from '../convert/older-side'
import { ShapeConverter } from '../convert/shape-converter'
import type { BranchSelector } from '../convert/visit-compiler'
import { CompiledFields } from '../describe/fields/fields'
import type { Definitions, ShapeChange } from './definitions'

/** Compiles for each change the conversions of its shapes in one direction; undefined for a change without shapes. */
export function convertersOf(
  changes: readonly ShapeChange[],
  { direction, tables, older }: Definitions,
  report: Report,
  branches: ReadonlyMap<object, BranchSelector> = new Map(),
): (ShapeConverter | undefined)[] {
  return changes.map((change, index) =>
    change.shapes.size === 0
      ? undefined
      : new ShapeConverter(
          change,
          direction,
          older[index] as ReadonlyMap<string, OlderSide>,
          tables[index] as NamedSchemas,
          tables[index + 1] as NamedSchemas,
          renamedIn(changes, direction === 'input' ? index : index + 1),
          branches,
          report,
        ),
  )
}

/**
 * Makes a function that returns the names that the properties of a shape have in a version, by their names of today, where
 * changes as data say so.
 *
 * @param behind the number of changes that the version includes.
 */
export function renamedIn(
  changes: readonly ShapeChange[],
  behind: number,
): (name: string) => ReadonlyMap<string, string> {
  const found = new Map<string, Map<string, string>>()
  for (const { shapes } of changes.slice(behind).toReversed()) {
    for (const [name, shape] of shapes) {
      if (!(shape instanceof CompiledFields)) continue
      const own = found.get(name) ?? new Map<string, string>()
      const newest = new Map([...own].map(([today, name]) => [name, today]))
      for (const [older, newer] of shape.renamed) own.set(newest.get(newer) ?? newer, older)
      found.set(name, own)
    }
  }
  return (name) => found.get(name) ?? NOTHING
}

const NOTHING: ReadonlyMap<string, string> = new Map()
