// The routes that have no version.
import { METHODS } from 'node:http'
import type { RouteRegistry } from '../registry'
import { alternativesOf, routePattern } from '../routes/pattern'
import type { ResolverMatch } from '../types'
import { operationMethod, parseOperation, partsOf } from '../util/operation'
import { badOption, listOption } from '../util/options'
import { didYouMean, near } from '../util/suggest'

const LOOSE = { caseSensitive: false, strict: false }
const OWNER = 'versioning(): option "neutral"'

/** An entry of the option: a path, or a name; for one method, or for all. */
interface NeutralEntry {
  readonly written: string
  readonly method: string | undefined
  /** The pattern of a path. */
  readonly pattern: RegExp | undefined
  /** The words in the path: values of parameters that it may be about. */
  readonly words: readonly string[]
  /** A view name, or a namespace with its colon; a path. */
  readonly name: string
}

/**
 * The routes without a version. An entry with a leading slash is a path below the mount (path-to-regexp, matched whole), one with
 * a trailing colon a namespace, any other a view name. A name of the table wins over a path. A method and a space may be in front.
 */
export class NeutralRoutes {
  readonly #entries: readonly NeutralEntry[]
  /** View names, and namespaces with their colons. */
  readonly #names: readonly string[]
  /** The tables that have all of the names. */
  readonly #known = new WeakSet<RouteRegistry>()
  #warned = false

  /**
   * @param routes the table that was given to `versioning()`, if any.
   * @throws {TypeError} for any other option.
   */
  constructor(option: unknown, takes: string, routes?: RouteRegistry) {
    this.#entries = listOption('versioning()', 'neutral', option, takes).map((entry) => {
      if (typeof entry !== 'string' || entry === '' || entry === ':')
        throw badOption('versioning()', 'neutral', takes, option)
      const hasMethod = METHODS.includes(entry.split(' ', 1)[0] as string) && entry.includes(' ') && !routes?.has(entry)
      const { method, viewName: name } = hasMethod
        ? parseOperation(OWNER, entry)
        : { method: undefined, viewName: entry }
      const isPath = name.startsWith('/') && routes?.has(name) !== true
      const pattern = isPath ? routePattern(OWNER, name, LOOSE) : undefined
      const texts = pattern === undefined ? [] : alternativesOf(pattern.tokens).flat()
      const segments = texts.flatMap((token) => (token.type === 'text' ? token.value.split('/') : []))
      const words = [...segments, ...segments.flatMap((segment) => segment.split(/[^\w%]/))].filter(
        (word) => word !== '',
      )
      return { written: entry, method, name, pattern: pattern?.regexp, words: [...new Set(words)] }
    })
    this.#names = this.#entries.flatMap(({ pattern, name }) => (pattern === undefined ? name : []))
  }

  /**
   * Tells whether a route is neutral, by its path below the mount or by the match of that path.
   *
   * @param method of the request: HEAD is that of GET.
   */
  has(path: string, method: string, match: () => ResolverMatch | null): boolean {
    if (this.patternOf(path, method) !== undefined) return true
    const found = this.#names.length > 0 ? match() : null
    return found !== null && this.#isNamed(found, method)
  }

  /** Returns the entry that takes a path below the mount; undefined for none. */
  patternOf(path: string, method: string): string | undefined {
    return this.#entries.find((entry) => isFor(entry, method) && entry.pattern?.test(path))?.written
  }

  /**
   * Returns the entry that takes some path of a route.
   *
   * @param pathsWith returns paths of the route, with values of its parameters.
   */
  takerOf(method: string, pathsWith: (words: readonly string[]) => readonly string[]): NeutralEntry | undefined {
    return this.#entries.find(
      (entry) =>
        entry.pattern !== undefined &&
        isFor(entry, method) &&
        pathsWith(entry.words).some((path) => entry.pattern?.test(path)),
    )
  }

  /** Tells whether a route is neutral for a method, by its full name. */
  hasName(viewName: string, method: string): boolean {
    return this.#isNamed({ viewName, namespace: partsOf(viewName).slice(0, -1).join(':') }, method)
  }

  #isNamed({ viewName, namespace }: Pick<ResolverMatch, 'viewName' | 'namespace'>, method: string): boolean {
    return this.#entries.some((entry) => {
      const { name, pattern } = entry
      if (pattern !== undefined || !isFor(entry, method)) return false
      return name === viewName || (isNamespace(name) && `${namespace}:`.startsWith(name))
    })
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

function isFor({ method }: NeutralEntry, asked: string): boolean {
  return method === undefined || method === operationMethod(asked)
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
