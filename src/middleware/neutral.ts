import { routePattern } from '../routes/pattern'
import type { ResolverMatch, RouteRegistry } from '../types'
import { badOption, listOption } from '../util/options'
import { didYouMean, near } from '../util/suggest'

const LOOSE = { caseSensitive: false, strict: false }
const TAKES = "a list of paths ('/health'), view names ('docs:index') and namespaces ('docs:')"
const OWNER = 'versioning(): option "neutral"'

/**
 * The routes that have no version: with a leading slash a path below the mount (path-to-regexp, matched whole), with a trailing
 * colon a namespace, else a view name.
 */
export class NeutralRoutes {
  readonly #paths: ((path: string) => unknown)[] = []
  readonly #names = new Set<string>()
  /** With their colons. */
  readonly #namespaces: string[] = []
  /** The tables that were found to have all of the names. */
  readonly #known = new WeakSet<RouteRegistry>()
  #settled = false

  /** @throws {TypeError} for an option that is no such list. */
  constructor(option: unknown) {
    for (const entry of listOption('versioning()', 'neutral', option, TAKES)) {
      if (typeof entry !== 'string' || entry === '' || entry === ':')
        throw badOption('versioning()', 'neutral', TAKES, option)
      if (entry.startsWith('/')) this.#paths.push(routePattern(OWNER, entry, LOOSE).match)
      else if (entry.endsWith(':')) this.#namespaces.push(entry)
      else this.#names.add(entry)
    }
  }

  /** Whether a route is one of them, by its path below the mount or by what that path belongs to. */
  has(path: string, match: () => ResolverMatch | null): boolean {
    if (this.#paths.some((matches) => matches(path) !== false)) return true
    const found = this.#named ? match() : null
    if (found === null) return false
    return (
      (found.viewName !== null && this.#names.has(found.viewName)) ||
      this.#namespaces.some((namespace) => `${found.namespace}:`.startsWith(namespace))
    )
  }

  /**
   * Checks the names against the table that was given to `versioning()`.
   *
   * @throws {TypeError} for a name that it does not have.
   */
  check(routes: RouteRegistry): void {
    const fault = this.#faultIn(routes, '"routes"')
    if (fault !== undefined) throw new TypeError(fault)
    this.#settled = true
  }

  /** The same for the table that a request is found to be in, or for none: a process warning, once. */
  checkFound(table: RouteRegistry | undefined): void {
    if (this.#settled || !this.#named || (table !== undefined && this.#known.has(table))) return
    const fault =
      table === undefined
        ? `${OWNER} has names, ${quoted(this.#entries)}, but there is no route table in sight: give versioning() the option "routes".`
        : this.#faultIn(table, 'the route table')
    if (fault === undefined) {
      this.#known.add(table as RouteRegistry)
      return
    }
    this.#settled = true
    process.emitWarning(fault, { code: 'EXPRESS_VERSIONING_NEUTRAL' })
  }

  get #named(): boolean {
    return this.#names.size > 0 || this.#namespaces.length > 0
  }

  get #entries(): string[] {
    return [...this.#names, ...this.#namespaces]
  }

  #faultIn(table: RouteRegistry, called: string): string | undefined {
    const namespaces = table.namespaces().map((namespace) => `${namespace}:`)
    const unknown = this.#entries.filter((entry) => !(table.has(entry) || namespaces.includes(entry)))
    if (unknown.length === 0) return undefined
    const meant = new Set(
      unknown.flatMap((entry) => (entry.endsWith(':') ? near(entry, namespaces) : table.near(entry))),
    )
    return `${OWNER} names ${quoted(unknown)}, which ${called} does not have (names are written with their namespaces).${didYouMean([...meant])}`
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
