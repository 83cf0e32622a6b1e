// Dates as versions: their check, and a `parseVersion` for them.

/** A point in time: a `Date`, an ISO 8601 date and time with an offset (`2026-01-31T12:00:00Z`), or a date (its start in UTC). */
export type LifecycleDate = Date | string

/** Tells whether a value is an ISO 8601 date that exists: `2024-02-29`, but not `2024-02-31`, which `Date` reads as March. */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  return new Date(value).toJSON()?.startsWith(value) ?? false
}

/**
 * Finds the latest allowed date that is not after the client's date. Use it as `parseVersion` for versions that are dates. A
 * text that is not a date means the allowed version of the same text.
 *
 * @returns `undefined` for a date before the first version, and for other texts.
 * @example earlierDate('2024-05-03', ['2024-01-01', '2024-06-01']) // '2024-01-01'
 */
export function earlierDate(text: string, allowedVersions: readonly (string | null)[]): string | undefined {
  if (!isDate(text)) return allowedVersions.includes(text) ? text : undefined
  let latest: string | undefined
  for (const version of allowedVersions) {
    if (isDate(version) && version <= text && (latest === undefined || version > latest)) latest = version
  }
  return latest
}
