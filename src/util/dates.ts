// The check of dates.

/** Tells whether a value is an ISO 8601 date that exists: `2024-02-29`, but not `2024-02-31`, which `Date` reads as March. */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  return new Date(value).toJSON()?.startsWith(value) ?? false
}
