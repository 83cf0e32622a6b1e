// The operations of a history that had other paths in older versions.

import type { MovedOperations } from '../../bound-changes'
import type { MovedMatch, MovedRoute, OlderEntry, OlderMatch, RouteRegistry } from '../../registry'
import { grouped } from '../../util/collections'
import { ALL_METHODS, operationMethod, parseOperation } from '../../util/operation'
import { type OperationChanges, presenceIn, type RouteNames } from './operation-changes'

/** A path of an operation, and the version that moved it away from there. */
interface OlderPath {
  readonly route: MovedRoute
  /** The index of the first version in which it is elsewhere. */
  readonly until: number
  /** The description of the change that says so. */
  readonly description: string
}

/**
 * Finds the operations that a history moves.
 *
 * @param positions the index of each version.
 * @returns undefined if there are none.
 * @throws {TypeError} for a path that an operation cannot have had, and for one that another operation of the version has.
 */
export function movesOf(
  changes: OperationChanges,
  names: RouteNames,
  table: RouteRegistry,
  versions: readonly string[],
  positions: ReadonlyMap<string, number>,
): MovedOperations | undefined {
  const keys = changes.all.flatMap(({ entries }) =>
    [...entries].flatMap(([key, { path }]) => (path === undefined ? [] : key)),
  )
  if (keys.length === 0) return undefined
  const movable = table.movable()
  /** The older paths by view name and method, oldest first. */
  const byName = new Map<string, Map<string, readonly OlderPath[]>>()
  const methods = new Set<string>()
  const olderPathsOf = (viewName: string) => [...(byName.get(viewName)?.values() ?? [])].flat()

  function put(method: string, viewName: string): void {
    const paths: OlderPath[] = []
    const applied = changes.of(method, viewName)
    for (const { entry, versionIndex: until, description } of applied) {
      const path = entry?.path
      if (path === undefined) continue
      const says = `versioning(): the change "${description}" says that the path of "${method} ${viewName}" was ${JSON.stringify(path)}, but`
      const since = paths.at(-1)?.until ?? 0
      // A second change of the same version says the path between both.
      const wasThere =
        since === until || versions.slice(since, until).some((_, at) => presenceIn(applied, since + at).present)
      if (!wasThere) throw new TypeError(`${says} no version before "${versions[until]}" has the operation there.`)
      paths.push({ route: placed(viewName, path, says), until, description })
    }
    byName.set(viewName, (byName.get(viewName) ?? new Map<string, readonly OlderPath[]>()).set(method, paths))
    // An operation cannot have been where it was.
    for (const [index, { route, until, description }] of paths.entries()) {
      const next = paths[index + 1]?.route.shapes ?? movable.shapesOf(viewName)
      if (next.join() !== route.shapes.join()) continue
      throw new TypeError(
        `versioning(): the change "${description}" says that the path of "${method} ${viewName}" was ${JSON.stringify(route.path)}, which is its path in version "${versions[until]}" too.`,
      )
    }
  }

  function placed(viewName: string, path: string, says: string): MovedRoute {
    const known = olderPathsOf(viewName).find(({ route }) => route.path === path)
    if (known !== undefined) return known.route
    try {
      return movable.at(viewName, path)
    } catch (cause) {
      throw new TypeError(`${says} ${(cause as Error).message}`, { cause })
    }
  }

  /** Tells whether a route has a method. Routes may get their handlers later. */
  const isServed = (method: string, viewName: string) =>
    (table.methodsOf(viewName).length === 0 && table.elsewhere() === undefined) || table.serves(viewName, method)

  /** Tells whether a version has an operation. A route in the namespace of another version is not there. */
  function isThere(method: string, viewName: string, at: number): boolean {
    const own = names.versionIn(viewName)
    return (own === undefined || own === versions[at]) && presenceIn(changes.of(method, viewName), at).present
  }

  /** Returns the route of an operation at its path in a version; undefined if that is today's. */
  function routeAt(method: string, viewName: string, at: number | undefined): MovedRoute | undefined {
    const paths = at === undefined ? undefined : byName.get(viewName)?.get(operationMethod(method))
    return paths?.find(({ until }) => until > (at as number))?.route
  }

  /** Lists the methods of a route; those of the history for one that gets its handlers later. */
  function methodsOf(viewName: string): readonly string[] {
    const own = table.methodsOf(viewName)
    const named = own.includes('ALL') || own.length === 0 ? [...own, ...ALL_METHODS, ...methods] : own
    return named.filter((method) => method !== 'ALL')
  }

  /** Returns the route that had an older path for a method in some version. Other histories move routes of the table too. */
  function movedAt(found: OlderMatch, method: string): MovedMatch | undefined {
    const operation = operationMethod(method)
    for (const [one, paths] of byName.get(found.match.viewName as string) ?? []) {
      const older = paths.find(({ route }) => route.entry === found.entry)
      if (older !== undefined && (operation === 'OPTIONS' || operation === one)) return { ...found, route: older.route }
    }
    return undefined
  }

  /**
   * @param holders the routes of the version by the shapes of their paths.
   * @throws {TypeError} for an operation at a path that another one of the version has.
   */
  function checkPlace(method: string, viewName: string, at: number, holders: ReadonlyMap<string, string[]>): void {
    const route = routeAt(method, viewName, at)
    if (route === undefined || !isThere(method, viewName, at)) return
    const rival = route.shapes
      .flatMap((shape) => holders.get(shape) as string[])
      .find((other) => other !== viewName && isServed(method, other) && isThere(method, other, at))
    if (rival === undefined) return
    throw new TypeError(
      `versioning(): in version "${versions[at]}", the path of "${method} ${viewName}" was ${JSON.stringify(route.path)}, but "${method} ${rival}" has that path in this version.`,
    )
  }

  for (const key of new Set(keys)) {
    const { method, viewName } = parseOperation('changes', key)
    methods.add(method)
    for (const full of names.routesOf(viewName)) put(method, full)
  }
  const moved = [...byName.keys()].flatMap(olderPathsOf)
  /** The index of the last version that moves an operation. */
  const last = Math.max(...moved.map(({ until }) => until))
  const today = [...table.names()].map((name) => [name, movable.shapesOf(name)] as const)
  for (const at of versions.slice(0, last).keys()) {
    for (const method of methods) {
      const shapes = today.flatMap(([viewName, own]) =>
        (routeAt(method, viewName, at)?.shapes ?? own).map((shape) => [shape, viewName] as const),
      )
      const holders = grouped(shapes)
      for (const viewName of byName.keys()) checkPlace(method, viewName, at, holders)
    }
  }

  const moves: MovedOperations = {
    routes: () => moved.map(({ route }) => route),

    isIn(version) {
      const at = positions.get(version)
      return at !== undefined && at < last
    },

    routeIn: (method, viewName, version) => routeAt(method, viewName, positions.get(version)),

    linkedIn(viewName, version) {
      const named = names.versionIn(viewName) ?? version
      const at = named === null || !byName.has(viewName) ? undefined : positions.get(named)
      if (at === undefined) return undefined
      const served = ['GET', ...methodsOf(viewName)].filter((method) => isServed(method, viewName))
      const method = served.find((one) => isThere(one, viewName, at))
      return method === undefined ? undefined : routeAt(method, viewName, at)
    },

    isAt(method, viewName, version, older) {
      const all = method === 'OPTIONS' ? [method, ...methodsOf(viewName)] : [method]
      return all.some((one) => moves.routeIn(one, viewName, version)?.entry === older)
    },

    resolve(path, method, version, isLater, asked) {
      const isThere = (viewName: string, older?: OlderEntry) =>
        !isLater(viewName) && moves.isAt(method, viewName, version, older)
      const walk = table.walk(path, method, (viewName) => !isThere(viewName), asked, isThere)
      const found = movable.olderIn(path, walk)
      return found && movedAt(found, method)
    },

    readings: (path, method) => movable.readings(path).flatMap((found) => movedAt(found, method) ?? []),
    leadsTo: movable.leadsTo,
  }
  return moves
}
