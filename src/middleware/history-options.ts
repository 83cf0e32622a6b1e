// The options `changes` and `contract` of `versioning()`: their checks, and a history tied to its scheme and table.

import { type BaseVersioning, insideOf } from '../schemes/base'
import { carriedParts } from '../schemes/carriers'
import type { PathPart, RequestChanges, RouteRegistry, VersionChanges, VersionContract } from '../types'
import { isMade } from '../util/brand'
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
  const lend = insideOf(scheme).takeVersions(history)
  const { versions } = history
  for (const version of [scheme.defaultVersion, ...scheme.acceptedVersions]) {
    if (version === null || version === undefined || versions.includes(version)) continue
    throw new TypeError(
      `versioning(): option "changes" has no version ${shown(version)}, which the scheme accepts.${didYouMean(near(version, versions))}`,
    )
  }
  const isNeutral = (viewName: string) => neutral?.hasName(viewName) === true
  const contractFor = contract && ((changes: RequestChanges) => contract.bind(routes, changes, { versions, isNeutral }))
  const changes = history.bind(routes, isNeutral, contractFor, () => queryCarriersOf(scheme, versions))
  const hidden = changes.moves
    ?.routes()
    .find(({ paths }) => paths.every((path) => neutral?.has(sampleOf(path), NO_MATCH)))
  if (hidden !== undefined) {
    throw new TypeError(
      `versioning(): a change says that the path of "${hidden.viewName}" was ${JSON.stringify(hidden.path)}, but option "neutral" lists that path.`,
    )
  }
  // Last, so that a history that does not fit leaves the scheme as it is.
  lend()
  return changes
}

const NO_MATCH = () => null

/** Returns a path with some values of its parameters. */
function sampleOf(path: readonly PathPart[]): string {
  return path.map((part) => (typeof part === 'string' ? part : '1')).join('') || '/'
}

/** Returns the query parameters that carry versions. */
function queryCarriersOf(scheme: BaseVersioning, versions: readonly string[]): ReadonlySet<string> {
  const carriers = versions.flatMap((version) => scheme.carriers(version))
  return new Set(carriers.flatMap((carrier) => Object.keys(carriedParts(carrier).query ?? {})))
}
