import { routePattern } from '../routes/pattern'
import type { ResolverMatch } from '../types'
import { badOption, listOption } from '../util/options'

/** Tells whether a route has no version, by its path below the mount or by what that path belongs to. */
export type NeutralTest = (path: string, match: () => ResolverMatch | null) => boolean

const LOOSE = { caseSensitive: false, strict: false }
const TAKES = "a list of paths ('/health'), view names ('docs:index') and namespaces ('docs:')"

/**
 * Compiles the `neutral` option: with a leading slash a path below the mount (path-to-regexp, matched whole), with a trailing
 * colon a namespace, else a view name.
 *
 * @throws {TypeError} for what is none of these.
 */
export function compileNeutral(option: unknown): NeutralTest {
  const entries = listOption('versioning()', 'neutral', option, TAKES)
  const paths: ((path: string) => unknown)[] = []
  const names = new Set<string>()
  const namespaces: string[] = []
  for (const entry of entries) {
    if (typeof entry !== 'string' || entry === '' || entry === ':')
      throw badOption('versioning()', 'neutral', TAKES, option)
    if (entry.startsWith('/')) paths.push(routePattern('versioning(): option "neutral"', entry, LOOSE).match)
    else if (entry.endsWith(':')) namespaces.push(entry)
    else names.add(entry)
  }
  const routed = names.size > 0 || namespaces.length > 0
  return (path, match) => {
    if (paths.some((matches) => matches(path) !== false)) return true
    const found = routed ? match() : null
    if (found === null) return false
    return (
      (found.viewName !== null && names.has(found.viewName)) ||
      namespaces.some((namespace) => `${found.namespace}:`.startsWith(namespace))
    )
  }
}
