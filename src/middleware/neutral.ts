// The routes that have no version.
import { routePattern } from '../routes/pattern'
import type { ResolverMatch, RouteRegistry } from '../types'
import { partsOf } from '../util/operation'
import { badOption, listOption } from '../util/options'
import { didYouMean, near } from '../util/suggest'

const LOOSE = { caseSensitive: false, strict: false }
const OWNER = 'versioning(): option "neutral"'

/**
 * The routes without a version. An entry with a leading slash is a path below the mount (path-to-regexp, matched whole), one with
 * a trailing colon a namespace, any other a view name. A name of the table wins over a path.
 */
export class NeutralRoutes {
  readonly #paths: RegExp[] = []
  /** View names, and namespaces with their colons. */
  readonly #names: string[] = []
  /** The tables that have all of the names. */
  readonly #known = new WeakSet<RouteRegistry>()
  #warned = false

  /**
   * @param routes the table that was given to `versioning()`, if any.
   * @throws {TypeError} for any other option.
   */
  constructor(option: unknown, takes: string, routes?: RouteRegistry) {
    for (const entry of listOption('versioning()', 'neutral', option, takes)) {
      if (typeof entry !== 'string' || entry === '' || entry === ':')
        throw badOption('versioning()', 'neutral', takes, option)
      if (entry.startsWith('/') && routes?.has(entry) !== true)
        this.#paths.push(routePattern(OWNER, entry, LOOSE).regexp)
      else this.#names.push(entry)
    }
  }

  /** Tells whether a route is neutral, by its path below the mount or by the match of that path. */
  has(path: string, match: () => ResolverMatch | null): boolean {
    if (this.#paths.some((pattern) => pattern.test(path))) return true
    const found = this.#names.length > 0 ? match() : null
    return found !== null && this.#isNamed(found)
  }

  /** Tells whether a route is neutral, by its full name. */
  hasName(viewName: string): boolean {
    return this.#isNamed({ viewName, namespace: partsOf(viewName).slice(0, -1).join(':') })
  }

  #isNamed({ viewName, namespace }: Pick<ResolverMatch, 'viewName' | 'namespace'>): boolean {
    return this.#names.some((name) => name === viewName || (isNamespace(name) && `${namespace}:`.startsWith(name)))
  }

  /**
   * Checks the names against the table that was given to `versioning()`.
   *
   * @throws {TypeError} for a name that it does not have.
   */
  check(routes: RouteRegistry): void {
    const fault = this.#faultIn(routes, '"routes"')
    if (fault !== undefined) throw new TypeError(fault)
  }

  /** Does the same for the table of a request, or for none, with a process warning, once. */
  checkFound(table: RouteRegistry | undefined): void {
    if (this.#warned || this.#names.length === 0 || (table !== undefined && this.#known.has(table))) return
    const fault =
      table === undefined
        ? `${OWNER} has names, ${quoted(this.#names)}, but there is no route table in sight: give versioning() the option "routes".`
        : this.#faultIn(table, 'the route table')
    if (fault === undefined) {
      this.#known.add(table as RouteRegistry)
      return
    }
    this.#warned = true
    process.emitWarning(fault, { code: 'EXPRESS_VERSIONING_NEUTRAL' })
  }

  #faultIn(table: RouteRegistry, called: string): string | undefined {
    const unknown = this.#names.filter(
      (name) => !(table.has(name) || (isNamespace(name) && namespacesOf(table).includes(name))),
    )
    if (unknown.length === 0) return undefined
    const meant = new Set(
      unknown.flatMap((name) => (isNamespace(name) ? near(name, namespacesOf(table)) : table.near(name))),
    )
    return `${OWNER} names ${quoted(unknown)}, which ${called} does not have (names are written with their namespaces).${didYouMean([...meant])}`
  }
}

function isNamespace(name: string): boolean {
  return name.endsWith(':')
}

/** Lists names and namespaces as the option writes them. */
function namespacesOf(table: RouteRegistry): string[] {
  return table.namespaces().map((namespace) => `${namespace}:`)
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
