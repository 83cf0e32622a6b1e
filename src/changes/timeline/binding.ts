// The meaning of a history in a table.
import type { RouteRegistry } from '../../types'
import { BoundShapes } from './bound-shapes'
import type { ShapeChange } from './definitions'
import { type Moves, movesOf } from './moved-operations'
import { OperationChanges, type Release } from './operation-changes'
import { checkOperations } from './operation-checks'
import { Composer } from './plans'
import { RouteNames } from './route-names'
import { warnOfUndocumented } from './undocumented'

/** The meaning of a history in a table: its operations, and the places of its shapes. */
export interface Binding {
  readonly names: RouteNames
  readonly composer: Composer
  /** The shapes; undefined if the history has none. */
  readonly shapes: BoundShapes | undefined
  /** The operations with other paths in older versions; undefined if there are none. */
  readonly moves: Moves | undefined
}

/**
 * Finds the operations and the shapes of a history in a table.
 *
 * @param isNeutral tells whether a route has no version.
 * @throws {TypeError} for operations and shapes that do not fit the table, and for contradictions.
 */
export function bindingOf(
  releases: readonly Release[],
  routes: RouteRegistry,
  isNeutral: (viewName: string) => boolean,
): Binding {
  const versions = releases.map(({ version }) => version)
  const names = new RouteNames(routes.names(), versions)
  const operations = new OperationChanges(releases, (viewName) => names.keysOf(viewName))
  checkOperations(releases, operations, names, routes, isNeutral)
  const moves = movesOf(releases, operations, names, routes)
  const changes = shapeChanges(releases)
  if (!hasShapes(changes)) return { names, composer: new Composer(operations), shapes: undefined, moves }
  const shapes = new BoundShapes(changes, routes, isNeutral, operations)
  warnOfUndocumented(routes, isNeutral)
  const composer = new Composer(operations, (method, viewName) => shapes.operation(method, viewName))
  return { names, composer, shapes, moves }
}

/** Lists the shapes of all changes, oldest first. */
export function shapeChanges(releases: readonly Release[]): ShapeChange[] {
  return releases.flatMap(({ version, changes }, versionIndex) =>
    changes.map(({ description, shapes }) => ({ versionIndex, version, description, shapes })),
  )
}

export function hasShapes(changes: readonly ShapeChange[]): boolean {
  return changes.some(({ shapes }) => shapes.size > 0)
}
