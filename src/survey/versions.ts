import type { CompiledOptions } from '../middleware/options'
import type { VersionChanges } from '../types'

/** One version, and what is planned for it; instants in milliseconds since 1970. */
export interface SurveyedVersion {
  readonly version: string
  /** What a request addresses that names none. */
  readonly isDefault: boolean
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly info: string | undefined
  readonly successor: string | undefined
  /** Whether the date of its deprecation is reached. */
  readonly isDeprecated: boolean
  /** Whether it is no longer served. */
  readonly isGone: boolean
  readonly changes: readonly { readonly description: string; readonly operations: object }[]
}

/** All versions, oldest first: the accepted ones without `null`. */
export function surveyVersions(
  { scheme, lifecycles }: CompiledOptions,
  history: VersionChanges | undefined,
  now: number,
): readonly SurveyedVersion[] {
  const releases = new Map(history?.list().map(({ version, changes }) => [version, changes]))
  return scheme.acceptedVersions
    .filter((version) => version !== null)
    .map((version) => {
      const plan = lifecycles.get(version)
      const deprecated =
        plan === undefined || plan.deprecatedFrom === Number.POSITIVE_INFINITY ? undefined : plan.deprecatedFrom
      return {
        version,
        isDefault: version === scheme.defaultVersion,
        deprecated,
        sunset: plan?.sunset,
        info: plan?.info,
        successor: plan?.successor,
        isDeprecated: deprecated !== undefined && now >= deprecated,
        isGone: plan !== undefined && now >= plan.goneFrom,
        changes: releases.get(version) ?? [],
      }
    })
}

/** Returns the name of the file of a version's document; half a character has none, and is replaced. */
export function documentFileOf(version: string): string {
  return `${encodeURIComponent(version.replace(/\p{Surrogate}/gu, '\ufffd'))}.json`
}
