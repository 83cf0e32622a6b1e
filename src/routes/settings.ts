import { badOption, checkKeys, shown } from '../util/options'
import type { MatchSettings } from './pattern'

/** Options of `namedRoutes()`: how its paths match. As those of `express.Router`, both are off by default. */
export interface NamedRoutesOptions {
  /** `/Users` is not `/users`. */
  caseSensitive?: boolean | undefined
  /** `/users/` is not `/users`. */
  strict?: boolean | undefined
}

const OWNER = 'namedRoutes()'
const SETTINGS = ['caseSensitive', 'strict'] as const

/** The options of a table, complete. */
export function checkedSettings(options: NamedRoutesOptions = {}): MatchSettings {
  checkKeys(OWNER, options, SETTINGS)
  for (const key of SETTINGS) {
    const value = options[key]
    if (value !== undefined && typeof value !== 'boolean') throw badOption(OWNER, key, 'a boolean', value)
  }
  return { caseSensitive: options.caseSensitive ?? false, strict: options.strict ?? false }
}

/** The names and paths of a table, paths not yet looked at. */
export function checkedPaths(routes: unknown): [string, unknown][] {
  if (typeof routes !== 'object' || routes === null || Array.isArray(routes)) {
    throw new TypeError(
      `${OWNER} takes an object of names and paths, such as { 'user-list': '/users' }; got ${shown(routes)}.`,
    )
  }
  return Object.entries(routes)
}

/** A name for a route, which must leave the colon to namespaces. */
export function checkedName(name: unknown): string {
  return checked('a route name', name)
}

const INCLUDE = 'include()'

/** Options of `table.include()`. */
export interface IncludeOptions<Namespace extends string | undefined = string | undefined> {
  /** What the names of the included table are prefixed with, and a colon. Without it they are names of this table. */
  namespace?: Namespace | undefined
}

/** The namespace that `include()` was given, if any. */
export function checkedNamespace(options: IncludeOptions = {}): string | undefined {
  checkKeys(INCLUDE, options, ['namespace'])
  return options.namespace === undefined ? undefined : checked('a namespace', options.namespace)
}

function checked(what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !value.includes(':')) return value
  throw new TypeError(`namedRoutes: ${what} is a non-empty string without ":"; got ${shown(value)}.`)
}
