// The checks of a history against a table, and for contradictions.
import type { RouteRegistry } from '../../types'
import { ALL, type Operation, operationMethod, parseOperation } from '../../util/operation'
import { didYouMean, near } from '../../util/suggest'
import type { AppliedChange, OperationChanges, Release } from './operation-changes'
import type { RouteNames } from './route-names'

/**
 * Checks that a table has the operations of a history's changes.
 *
 * @param isNeutral tells whether a route has no version.
 * @throws {TypeError} for a name that the table lacks or that fits several routes, for a neutral route, a method without a
 *   handler, and a contradiction to older changes.
 */
export function checkOperations(
  releases: readonly Release[],
  changes: OperationChanges,
  names: RouteNames,
  routes: RouteRegistry,
  isNeutral: (viewName: string) => boolean,
): void {
  const operations = new Map<string, Operation>()
  for (const { description, entries } of releases.flatMap((release) => release.changes)) {
    for (const key of entries.keys()) {
      if (key === ALL) continue
      const speaks = `versioning(): the change "${description}" speaks of "${key}", but`
      const operation = parseOperation('changes', key)
      const fault = faultOf(operation, names, routes)
      if (fault !== undefined) throw new TypeError(`${speaks} ${fault}`)
      for (const viewName of names.routesOf(operation.viewName)) {
        if (isNeutral(viewName)) throw new TypeError(`${speaks} "${viewName}" is neutral: it has no version.`)
        operations.set(`${operation.method} ${viewName}`, { method: operation.method, viewName })
      }
    }
  }
  for (const [name, { method, viewName }] of operations) checkMarks(name, changes.of(method, viewName), releases)
}

/** Returns the end of a sentence that tells why a table lacks an operation; undefined if it has the operation. */
export function faultOf({ method, viewName }: Operation, names: RouteNames, routes: RouteRegistry): string | undefined {
  const meant = names.routesOf(viewName)
  if (meant.length === 0) return `"routes" has no name "${viewName}".${didYouMean(near(viewName, names.all))}`
  if (names.isAmbiguous(viewName)) {
    return `its name fits several routes: ${quoted(meant)}. Write it with more of its namespaces.`
  }
  // Handlers may be added later.
  if (meant.some((name) => routes.methodsOf(name).length === 0)) return undefined
  if (meant.some((name) => routes.serves(name, method))) return undefined
  const methods = meant.flatMap((name) => routes.methodsOf(name))
  if (method === 'GET' && methods.includes('HEAD')) return undefined
  const own = methods.map((other) => `${operationMethod(other)} ${viewName}`)
  return `its route has no handler for ${method}.${didYouMean([...new Set(own)])}`
}

/**
 * Checks the marks of an operation.
 *
 * @throws {TypeError} for an operation that is added or removed twice, and for steps of a removed one.
 */
function checkMarks(operation: string, appliedChanges: readonly AppliedChange[], releases: readonly Release[]): void {
  let last: { readonly mark: string; readonly version: string | undefined } | undefined
  for (const { versionIndex, change, entry } of appliedChanges) {
    if (entry === undefined) continue
    const { mark } = entry
    const version = releases[versionIndex]?.version
    const says = `versioning(): the change "${change.description}" of version "${version}"`
    if (mark !== undefined && mark === last?.mark) {
      throw new TypeError(
        `${says} says of "${operation}" that it is ${mark}, as version "${last.version}" says already.`,
      )
    }
    if (mark === undefined && last?.mark === 'removed') {
      throw new TypeError(
        `${says} has steps for "${operation}", which version "${last.version}" removed. Steps of the version that removes it go beside the mark: { removed: true, response: ... }.`,
      )
    }
    if (mark !== undefined) last = { mark, version }
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
