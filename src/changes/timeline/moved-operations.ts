// The operations of a history that had other paths in older versions.

import type { MovedOperations } from '../../bound-changes'
import type {
  MovableRoutes,
  MovedMatch,
  MovedRoute,
  OlderEntry,
  OlderMatch,
  PrefixQuestion,
  RouteRegistry,
} from '../../registry'
import { ALL_METHODS, operationMethod, parseOperation } from '../../util/operation'
import { type AppliedChange, type OperationChanges, presenceIn, type RouteNames } from './operation-changes'

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
  routes: RouteRegistry,
  versions: readonly string[],
  positions: ReadonlyMap<string, number>,
): Moves | undefined {
  const keys = changes.all.flatMap(({ entries }) =>
    [...entries].flatMap(([key, { path }]) => (path === undefined ? [] : key)),
  )
  return keys.length === 0 ? undefined : new Moves([...new Set(keys)], changes, names, routes, versions, positions)
}

/** The moved operations of a history in a table. */
export class Moves implements MovedOperations {
  readonly #movable: MovableRoutes
  /** The older paths by view name and method, oldest first. */
  readonly #stays = new Map<string, Map<string, readonly OlderPath[]>>()
  readonly #methods = new Set<string>()
  /** The index of the last version that moves an operation. */
  readonly #last: number

  /** @param positions the index of each version. */
  constructor(
    keys: readonly string[],
    private readonly changes: OperationChanges,
    private readonly names: RouteNames,
    private readonly table: RouteRegistry,
    private readonly versions: readonly string[],
    private readonly positions: ReadonlyMap<string, number>,
  ) {
    this.#movable = table.movable()
    for (const key of keys) {
      const { method, viewName } = parseOperation('changes', key)
      this.#methods.add(method)
      for (const full of names.routesOf(viewName)) this.#put(method, full)
    }
    const stays = [...this.#stays.values()].flatMap((methods) => [...methods.values()].flat())
    this.#last = Math.max(...stays.map(({ until }) => until))
    this.#checkPlaces()
  }

  #put(method: string, viewName: string): void {
    const stays: OlderPath[] = []
    const applied = this.changes.of(method, viewName)
    for (const one of applied) {
      const path = one.entry?.path
      if (path === undefined) continue
      const says = `versioning(): the change "${one.description}" says that the path of "${method} ${viewName}" was ${JSON.stringify(path)}, but`
      if (!this.#wasThere(applied, one, stays.at(-1)?.until ?? 0)) {
        throw new TypeError(`${says} no version before "${this.versions[one.versionIndex]}" has the operation there.`)
      }
      const { versionIndex: until, description } = one
      stays.push({ route: this.#placed(viewName, path, says), until, description })
    }
    const methods = this.#stays.get(viewName) ?? new Map<string, readonly OlderPath[]>()
    this.#stays.set(viewName, methods.set(method, stays))
    this.#checkMoved(method, viewName, stays)
  }

  /** Tells whether an operation is there in any version in which it has the path that a change says. */
  #wasThere(applied: readonly AppliedChange[], { versionIndex }: AppliedChange, since: number): boolean {
    // A second change of the same version says the path between both.
    if (since === versionIndex) return true
    const versions = [...Array(versionIndex).keys()].slice(since)
    return versions.some((version) => presenceIn(applied, version).present)
  }

  #placed(viewName: string, path: string, says: string): MovedRoute {
    const known = [...(this.#stays.get(viewName)?.values() ?? [])].flat().find(({ route }) => route.path === path)
    if (known !== undefined) return known.route
    try {
      return this.#movable.at(viewName, path)
    } catch (cause) {
      throw new TypeError(`${says} ${(cause as Error).message}`, { cause })
    }
  }

  /** @throws {TypeError} for an operation that is where it was. */
  #checkMoved(method: string, viewName: string, stays: readonly OlderPath[]): void {
    for (const [index, { route, until, description }] of stays.entries()) {
      const next = stays[index + 1]?.route.shapes ?? this.#movable.shapesOf(viewName)
      if (next.join() !== route.shapes.join()) continue
      throw new TypeError(
        `versioning(): the change "${description}" says that the path of "${method} ${viewName}" was ${JSON.stringify(route.path)}, which is its path in version "${this.versions[until]}" too.`,
      )
    }
  }

  /** @throws {TypeError} for two operations of a version with one path. */
  #checkPlaces(): void {
    const today = new Map([...this.table.names()].map((name) => [name, this.#movable.shapesOf(name)]))
    for (const version of this.versions.slice(0, this.#last)) {
      for (const method of this.#methods) {
        const holders = new Map<string, string[]>()
        for (const [viewName, shapes] of today) {
          for (const shape of this.routeIn(method, viewName, version)?.shapes ?? shapes) {
            const others = holders.get(shape) ?? []
            others.push(viewName)
            holders.set(shape, others)
          }
        }
        for (const viewName of this.#stays.keys()) this.#checkPlace(method, viewName, version, holders)
      }
    }
  }

  /** @param holders the routes of the version by the shapes of their paths. */
  #checkPlace(
    method: string,
    viewName: string,
    version: string,
    holders: ReadonlyMap<string, readonly string[]>,
  ): void {
    const at = this.positions.get(version) as number
    const route = this.routeIn(method, viewName, version)
    if (route === undefined || !this.#isThere(method, viewName, at)) return
    const rival = route.shapes
      .flatMap((shape) => holders.get(shape) as readonly string[])
      .find((other) => other !== viewName && this.#isServed(method, other) && this.#isThere(method, other, at))
    if (rival === undefined) return
    throw new TypeError(
      `versioning(): in version "${version}", the path of "${method} ${viewName}" was ${JSON.stringify(route.path)}, but "${method} ${rival}" has that path in this version.`,
    )
  }

  /** Tells whether a route has a method. Routes may get their handlers later. */
  #isServed(method: string, viewName: string): boolean {
    const isOpen = this.table.methodsOf(viewName).length === 0 && this.table.elsewhere() === undefined
    return isOpen || this.table.serves(viewName, method)
  }

  /** Tells whether a version has an operation. A route in the namespace of another version is not there. */
  #isThere(method: string, viewName: string, at: number): boolean {
    const own = this.names.versionIn(viewName)
    if (own !== undefined && own !== this.versions[at]) return false
    return presenceIn(this.changes.of(method, viewName), at).present
  }

  routes(): readonly MovedRoute[] {
    return [...this.#stays.values()].flatMap((methods) => [...methods.values()].flat()).map(({ route }) => route)
  }

  isIn(version: string): boolean {
    const at = this.positions.get(version)
    return at !== undefined && at < this.#last
  }

  routeIn(method: string, viewName: string, version: string): MovedRoute | undefined {
    const stays = this.#stays.get(viewName)?.get(operationMethod(method))
    const at = this.positions.get(version)
    return at === undefined ? undefined : stays?.find(({ until }) => until > at)?.route
  }

  linkedIn(viewName: string, version: string | null): MovedRoute | undefined {
    const stays = this.#stays.get(viewName)
    const named = this.names.versionIn(viewName) ?? version
    const at = named === null ? undefined : this.positions.get(named)
    if (stays === undefined || at === undefined) return undefined
    const methods = ['GET', ...this.#methodsOf(viewName)].filter((method) => this.#isServed(method, viewName))
    const method = methods.find((one) => this.#isThere(one, viewName, at))
    return method === undefined ? undefined : this.routeIn(method, viewName, this.versions[at] as string)
  }

  /** Lists the methods of a route; those of the history for one that gets its handlers later. */
  #methodsOf(viewName: string): readonly string[] {
    const own = this.table.methodsOf(viewName)
    const named = own.includes('ALL') || own.length === 0 ? [...own, ...ALL_METHODS, ...this.#methods] : own
    return named.filter((method) => method !== 'ALL')
  }

  isAt(method: string, viewName: string, version: string, older: OlderEntry | undefined): boolean {
    const methods = method === 'OPTIONS' ? [method, ...this.#methodsOf(viewName)] : [method]
    return methods.some((one) => this.routeIn(one, viewName, version)?.entry === older)
  }

  resolve(
    path: string,
    method: string,
    version: string,
    isLater: (viewName: string) => boolean,
    asked: PrefixQuestion,
  ): MovedMatch | undefined {
    const isThere = (viewName: string, older?: OlderEntry) =>
      !isLater(viewName) && this.isAt(method, viewName, version, older)
    const walk = this.table.walk(path, method, (viewName) => !isThere(viewName), asked, isThere)
    const found = this.#movable.olderIn(path, walk)
    return found && this.#movedAt(found, method)
  }

  readings(path: string, method: string): readonly MovedMatch[] {
    return this.#movable.readings(path).flatMap((found) => this.#movedAt(found, method) ?? [])
  }

  /** Returns the route that had an older path for a method in some version. Other histories move routes of the table too. */
  #movedAt(found: OlderMatch, method: string): MovedMatch | undefined {
    const operation = operationMethod(method)
    for (const [one, stays] of this.#stays.get(found.match.viewName as string) ?? []) {
      const stay = stays.find(({ route }) => route.entry === found.entry)
      if (stay !== undefined && (operation === 'OPTIONS' || operation === one)) return { ...found, route: stay.route }
    }
    return undefined
  }

  leadsTo(viewName: string, path: string): boolean {
    return this.#movable.leadsTo(viewName, path)
  }
}
