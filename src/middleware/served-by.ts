// The version whose handlers `byVersion()` runs, read from the descriptions that it leaves.
import type { Scheme } from '../request/state'
import type { Dispatched } from './by-version'
import { descriptionOf } from './described-versions'

/**
 * Returns the version whose handlers a route's last {@link byVersion} runs for a version, under a scheme.
 *
 * @returns `null` for `otherwise`, `undefined` without a `byVersion()`, `false` if one of them has no handler.
 */
export function servedBy(
  handlers: readonly object[],
  { acceptedVersions }: Pick<Scheme, 'acceptedVersions'>,
  version: string | null,
): string | null | undefined | false {
  let by: string | null | undefined
  for (const handler of handlers) {
    const { versions, fallback, otherwise } = (descriptionOf(handler) ?? {}) as Partial<Dispatched>
    if (versions === undefined) continue
    const lower = fallback === undefined ? [] : acceptedVersions.slice(0, acceptedVersions.indexOf(version))
    // `null` may be listed as accepted, but has no lower versions.
    const eligible = version === null ? [] : [...lower, version]
    const own = eligible.findLast((candidate) => candidate !== null && versions.includes(candidate))
    if (own === undefined && otherwise !== true) return false
    by = own ?? null
  }
  return by
}
