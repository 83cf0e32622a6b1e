import { tails } from '../util/operation'

/**
 * Which routes of a table the names in changes mean: a name has as many of its namespaces as it takes, and those of versions
 * never tell routes apart. What a name means was fixed when the table was given to `versioning()`.
 */
export class RouteNames {
  readonly #full: ReadonlySet<string>
  /** The full names that end in a name. */
  readonly #ending = new Map<string, string[]>()
  readonly #versions: ReadonlySet<string>

  constructor(names: Iterable<string>, versions: readonly string[]) {
    this.#full = new Set(names)
    this.#versions = new Set(versions)
    for (const name of this.#full) {
      for (const tail of tails(name)) this.#ending.set(tail, [...(this.#ending.get(tail) ?? []), name])
    }
  }

  /** How many full names there are. */
  get size(): number {
    return this.#full.size
  }

  /** All names that there are, with and without their namespaces. */
  get all(): Iterable<string> {
    return this.#ending.keys()
  }

  /** The full names that a name fits. A full name is always its own route, whatever else ends in it. */
  routesOf(name: string): readonly string[] {
    const routes = this.#ending.get(name) ?? []
    if (!this.#full.has(name)) return routes
    const own = this.#withoutVersion(name)
    return routes.filter((route) => this.#withoutVersion(route) === own)
  }

  /** The full name that one means in a version: of several that differ by the version's namespace, that of the version. */
  routeIn(name: string, version: string): string {
    const routes = this.routesOf(name)
    const own = this.#full.has(name) ? name : routes.find((route) => this.versionIn(route) === version)
    return own ?? routes[0] ?? name
  }

  /** Whether the routes that a name fits differ by more than the version's namespace. */
  isAmbiguous(name: string): boolean {
    return new Set(this.routesOf(name).map((route) => this.#withoutVersion(route))).size > 1
  }

  /** The names by which changes may speak of a route, the longest first. */
  keysOf(viewName: string): string[] {
    const meant = this.#meaningOf(viewName)
    return tails(viewName).filter((tail) => this.#meaningOf(tail) === meant)
  }

  /** The version that a full name has among its namespaces. */
  versionIn(viewName: string): string | undefined {
    return viewName.split(':').slice(0, -1)[this.#versionAt(viewName)]
  }

  /** A full name in another version, where the table has that. */
  inVersion(viewName: string, version: string): string {
    const at = this.#versionAt(viewName)
    const name = at === -1 ? viewName : viewName.split(':').with(at, version).join(':')
    return this.#full.has(name) ? name : viewName
  }

  /** Names that were added later mean themselves. */
  #meaningOf(name: string): string {
    return this.#withoutVersion(this.routesOf(name)[0] ?? name)
  }

  #withoutVersion(name: string): string {
    const at = this.#versionAt(name)
    return at === -1 ? name : name.split(':').toSpliced(at, 1).join(':')
  }

  #versionAt(name: string): number {
    // The last part is the route's own.
    return name
      .split(':')
      .slice(0, -1)
      .findIndex((part) => this.#versions.has(part))
  }
}
