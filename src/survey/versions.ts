// The facts about versions that documents and pages show.
import type { ListedChange } from '../bound-changes'
import type { CompiledOptions } from '../middleware/versioning-options'

/** An origin of two or three labels, of letters and digits. A version is the first of three. */
interface VersionPlace {
  /** `true` if the host has three labels already. */
  readonly isTaken: boolean
  /** The last two labels. */
  readonly domain: string
  /** Returns the origin with a version in its place. */
  filled(version: string): string
}

const ORIGIN = /^(https?:\/\/)([a-z\d]+\.|)([a-z\d]+\.[a-z\d]+)(:\d+|)$/i

/** Finds the place of a version in an origin; `undefined` if it has none. */
export function versionPlace(origin: string): VersionPlace | undefined {
  const found = ORIGIN.exec(origin)
  if (found === null) return undefined
  const [, protocol, label, domain, port] = found as string[] as [string, string, string, string, string]
  return { isTaken: label !== '', domain, filled: (version) => `${protocol}${version}.${domain}${port}` }
}

/** A version and its plan. Instants are in milliseconds since 1970. */
export interface SurveyedVersion {
  readonly version: string
  /** `true` if requests that name no version get this one. */
  readonly isDefault: boolean
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly info: string | undefined
  readonly successor: string | undefined
  /** `true` if the date of its deprecation is reached. */
  readonly isDeprecated: boolean
  /** `true` if the version is no longer served. */
  readonly isGone: boolean
  /** `true` if the version is announced nowhere else. */
  readonly isPreview: boolean
  /** The changes of the version, oldest first. */
  readonly changes: readonly ListedChange[]
}

/** Lists all versions, oldest first: the accepted ones without `null`. */
export function surveyVersions({ scheme, lifecycles, changes }: CompiledOptions, now: number): SurveyedVersion[] {
  return scheme.acceptedVersions
    .filter((version) => version !== null)
    .map((version, index, all) => {
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
        isPreview: plan?.isPreview === true,
        isGone: plan !== undefined && now >= plan.goneFrom,
        changes: changes?.changesIn(version, all[index - 1]) ?? [],
      }
    })
}

/** Returns the file name of a version's document. A lone half of a surrogate pair is replaced. */
export function documentFileOf(version: string): string {
  return `${encodeURIComponent(version.replace(/\p{Surrogate}/gu, '\ufffd'))}.json`
}
