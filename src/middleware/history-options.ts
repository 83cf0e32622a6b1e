// The options `changes` and `contract` of `versioning()`: their checks, and a history tied to its scheme and table.

import type { RequestChanges, VersionChanges, VersionContract } from '../bound-changes'
import type { PathPart, RouteRegistry } from '../registry'
import { type BaseVersioning, rulesOf } from '../schemes/base'
import { carriedParts, pathParameterOf } from '../schemes/carriers'
import { isMade } from '../util/brand'
import { operationMethods } from '../util/operation'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import type { NeutralRoutes } from './neutral'

export function asHistory(value: unknown): VersionChanges | undefined {
  return isMade('history', value) ? (value as VersionChanges) : undefined
}

export function asContract(value: unknown): VersionContract | undefined {
  return isMade('contract', value) ? (value as VersionContract) : undefined
}

/** Ties a history to the scheme, whose versions it must know, and to the table, which must have its operations. */
export function bindHistory(
  history: VersionChanges,
  scheme: BaseVersioning,
  routes: RouteRegistry | undefined,
  neutral: NeutralRoutes | undefined,
  contract: VersionContract | undefined,
): RequestChanges {
  if (routes === undefined) {
    throw new TypeError(
      `versioning(): option "changes" needs "routes", the table that has the names of its operations.`,
    )
  }
  const lend = rulesOf(scheme).takeVersions(history)
  const { versions } = history
  for (const version of [scheme.defaultVersion, ...scheme.acceptedVersions]) {
    if (version === null || version === undefined || versions.includes(version)) continue
    throw new TypeError(
      `versioning(): option "changes" has no version ${shown(version)}, which the scheme accepts.${didYouMean(near(version, versions))}`,
    )
  }
  const isNeutral = (viewName: string, method: string) => neutral?.hasName(viewName, method) === true
  const contractFor = contract && ((changes: RequestChanges) => contract.bind(routes, changes, { versions, isNeutral }))
  const changes = history.bind(routes, isNeutral, contractFor, () => queryCarriersOf(scheme, versions))
  const inPath = pathParameterOf(versions.flatMap((version) => scheme.carriers(version)))
  const samples: Samples = (path, values) => samplesOf(path, (name) => (name === inPath ? versions : values))
  const isHidden = (path: readonly PathPart[], viewName: string) =>
    routes
      .methodsOf(viewName)
      .some((method) => neutral?.patternOf(samples(path, ['1'])[0] as string, method) !== undefined)
  const hidden = changes.moves?.routes().find(({ viewName, paths }) => paths.every((path) => isHidden(path, viewName)))
  if (hidden !== undefined) {
    throw new TypeError(
      `versioning(): a change says that the path of "${hidden.viewName}" was ${JSON.stringify(hidden.path)}, but option "neutral" lists that path.`,
    )
  }
  if (neutral !== undefined && routes.elsewhere() !== undefined) checkNeutral(neutral, changes, routes, samples)
  // Last, so that a history that does not fit leaves the scheme as it is.
  lend()
  return changes
}

/**
 * Checks the paths without a version where handlers are elsewhere. Who wrote a handler into a table knows its path.
 *
 * @throws {TypeError} for paths that take operations which changes name or convert.
 */
function checkNeutral(neutral: NeutralRoutes, changes: RequestChanges, routes: RouteRegistry, samples: Samples): void {
  const lines: string[] = []
  let described = ''
  for (const facts of routes.facts()) {
    const { viewName, paths } = facts
    for (const method of operationMethods(facts)) {
      const change = changes.changeOf(method, viewName)
      if (change === undefined) continue
      const isOwn = (path: string) => routes.walk(path, method).match?.viewName === viewName
      const entry = neutral.takerOf(method, (words) =>
        paths.flatMap((path) => samples(path, [...SAMPLES, ...words])).filter(isOwn),
      )
      if (entry === undefined) continue
      lines.push(`- "${entry.written}" takes "${method} ${viewName}", of the change "${change}"`)
      if (described === '' && !entry.name.match(/[:*{\\]/))
        described = ` Describe a path that is another operation: routesOf({ ...document, paths: { ...document.paths, '${entry.name}': { ${method.toLowerCase()}: {} } } }).`
    }
  }
  if (lines.length === 0) return
  throw new TypeError(
    `versioning(): requests that option "neutral" lists have no version, so nothing converts them, but it has operations that change:\n${lines.join('\n')}\nList the others alone, by paths that take less, or with a method: neutral: ['GET /health'].${described}`,
  )
}

/** Values of parameters. */
const SAMPLES = ['1', 'another-one', 'file.name']

/** Returns a path with each of some values in the places of its parameters, but for that of the version, which has the versions. */
type Samples = (path: readonly PathPart[], values: readonly string[]) => string[]

/** Returns a path with each value of its parameters. */
function samplesOf(path: readonly PathPart[], valuesOf: (name: string) => readonly string[]): string[] {
  const all = path.reduce<string[]>(
    (before, part) =>
      before.flatMap((text) => (typeof part === 'string' ? [part] : valuesOf(part.name)).map((one) => text + one)),
    [''],
  )
  return all.map((text) => text || '/')
}

/** Returns the query parameters that carry versions. */
function queryCarriersOf(scheme: BaseVersioning, versions: readonly string[]): ReadonlySet<string> {
  const carriers = versions.flatMap((version) => scheme.carriers(version))
  return new Set(carriers.flatMap((carrier) => Object.keys(carriedParts(carrier).query ?? {})))
}
