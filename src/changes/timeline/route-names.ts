// The routes of a table that the names in changes mean.
import { partsOf, tails } from '../../util/operation'

/**
 * The routes that names in changes mean. A name has as many namespaces as needed. Namespaces of versions never distinguish
 * routes. The meanings are those at the time when `versioning()` gets the table.
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

  /** Returns all names, with and without their namespaces. */
  get all(): Iterable<string> {
    return this.#ending.keys()
  }

  /** Lists the full names that a name fits. A full name always means its own route, whatever other names end in it. */
  routesOf(name: string): readonly string[] {
    const routes = this.#ending.get(name) ?? []
    if (!this.#full.has(name)) return routes
    const own = this.#withoutVersion(name)
    return routes.filter((route) => this.#withoutVersion(route) === own)
  }

  /** Returns the full name that a known name means in a version. If several differ by the version's namespace, the version's own counts. */
  routeIn(name: string, version: string): string {
    const routes = this.routesOf(name)
    const own = this.#full.has(name) ? name : routes.find((route) => this.versionIn(route) === version)
    return own ?? (routes[0] as string)
  }

  /** Tells whether the routes of a name differ by more than the version's namespace. */
  isAmbiguous(name: string): boolean {
    return new Set(this.routesOf(name).map((route) => this.#withoutVersion(route))).size > 1
  }

  /** Lists the names by which changes may name a route, the longest first. */
  keysOf(viewName: string): string[] {
    const meant = this.#meaningOf(viewName)
    return tails(viewName).filter((tail) => this.#meaningOf(tail) === meant)
  }

  /** Returns the version among the namespaces of a full name. */
  versionIn(viewName: string): string | undefined {
    return partsOf(viewName).slice(0, -1)[this.#versionAt(viewName)]
  }

  /** Returns a full name in another version, if the table has it. */
  inVersion(viewName: string, version: string): string {
    const at = this.#versionAt(viewName)
    const name = at === -1 ? viewName : partsOf(viewName).with(at, version).join(':')
    return this.#full.has(name) ? name : viewName
  }

  /** Returns the meaning of a name. Names that were added later mean themselves. */
  #meaningOf(name: string): string {
    return this.#withoutVersion(this.routesOf(name)[0] ?? name)
  }

  #withoutVersion(name: string): string {
    const at = this.#versionAt(name)
    return at === -1 ? name : partsOf(name).toSpliced(at, 1).join(':')
  }

  #versionAt(name: string): number {
    // The last part is the route's own.
    return partsOf(name)
      .slice(0, -1)
      .findIndex((part) => this.#versions.has(part))
  }
}
