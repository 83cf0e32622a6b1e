import type { BaseVersioning } from '../schemes/base'
import type { Version } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'

/** A point in time: a `Date`, an ISO 8601 date and time with an offset (`2026-01-31T12:00:00Z`), or a date (its start in UTC). */
export type LifecycleDate = Date | string

/** What is planned for one version. */
export interface VersionLifecycle {
  /** Since when, or from when, the version is deprecated (RFC 9745). */
  deprecated?: LifecycleDate | undefined
  /** From when it is no longer served (RFC 8594). Not before `deprecated`. */
  sunset?: LifecycleDate | undefined
  /** A page about it, for people. */
  info?: string | URL | undefined
  /** The version to use instead. */
  successor?: Version | undefined
  /** Overrides `afterSunset` of `versioning()` for this version. */
  afterSunset?: AfterSunset | undefined
}

/** What is planned, by version. */
export type Plans = { readonly [Name in Version]?: VersionLifecycle | undefined }

/** Once the sunset is reached: go on serving, or answer 410. */
export type AfterSunset = 'serve' | 'gone'

/** One version's plan, checked, as its header fields are written. */
export interface Lifecycle {
  /** Milliseconds since 1970; `Infinity` for never. */
  readonly deprecatedFrom: number
  readonly goneFrom: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Values for `Link`. */
  readonly links: readonly string[]
  readonly successor: Version | undefined
}

const OWNER = 'versioning()'
const KEYS = ['deprecated', 'sunset', 'info', 'successor', 'afterSunset']
const ISO =
  /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

/**
 * Checks the `lifecycle` option and compiles it.
 *
 * @throws {TypeError} for versions that the scheme does not accept, dates that are none, a sunset before the deprecation.
 */
export function compileLifecycle(
  option: Plans,
  afterSunset: AfterSunset,
  scheme: BaseVersioning,
): ReadonlyMap<string, Lifecycle> {
  const compiled = new Map<string, Lifecycle>()
  for (const [version, plan] of Object.entries(option)) {
    if (plan === undefined) continue
    const where = `lifecycle.${version}`
    checkVersion(where, version, scheme)
    checkKeys(`${OWNER}: option "${where}"`, plan, KEYS)
    if (plan.successor !== undefined) checkVersion(`${where}.successor`, plan.successor, scheme)
    compiled.set(version, compilePlan(where, version, plan, afterSunset))
  }
  return compiled
}

function checkVersion(option: string, version: unknown, scheme: BaseVersioning): void {
  if (typeof version === 'string' && scheme.isAllowedVersion(version)) return
  const known = scheme.acceptedVersions.filter((accepted) => accepted !== null)
  const hint = typeof version === 'string' ? didYouMean(near(version, known)) : ''
  throw new TypeError(`${OWNER}: option "${option}" names ${shown(version)}, which is no accepted version.${hint}`)
}

/** `'serve'` or `'gone'`. */
export function checkAfterSunset(option: string, value: unknown): AfterSunset {
  if (value === 'serve' || value === 'gone') return value
  throw badOption(OWNER, option, "'serve' or 'gone'", value)
}

function compilePlan(where: string, version: string, plan: VersionLifecycle, afterSunset: AfterSunset): Lifecycle {
  const deprecated = instant(`${where}.deprecated`, plan.deprecated)
  const sunset = instant(`${where}.sunset`, plan.sunset)
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated) {
    throw new TypeError(
      `${OWNER}: option "${where}.sunset" (${shown(plan.sunset)}) lies before "${where}.deprecated" (${shown(plan.deprecated)}).`,
    )
  }
  if (plan.successor === version) throw badOption(OWNER, `${where}.successor`, 'another version', plan.successor)
  const headers: [string, string][] = []
  const links: string[] = []
  const info = plan.info === undefined ? undefined : page(`${where}.info`, plan.info)
  if (deprecated !== undefined) {
    headers.push(['Deprecation', `@${Math.floor(deprecated / 1000)}`])
    if (info !== undefined) links.push(`<${info}>; rel="deprecation"; type="text/html"`)
  }
  if (sunset !== undefined) {
    headers.push(['Sunset', new Date(sunset).toUTCString()])
    if (info !== undefined) links.push(`<${info}>; rel="sunset"`)
  }
  const after =
    plan.afterSunset === undefined ? afterSunset : checkAfterSunset(`${where}.afterSunset`, plan.afterSunset)
  return {
    deprecatedFrom: deprecated ?? Number.POSITIVE_INFINITY,
    goneFrom: after === 'gone' && sunset !== undefined ? sunset : Number.POSITIVE_INFINITY,
    headers,
    links,
    successor: plan.successor,
  }
}

const DATES = 'a Date, an ISO 8601 date and time with an offset, or a date such as 2026-01-31'

/** Milliseconds since 1970 of a date that exists, in a year of four digits: HTTP writes no others. */
function instant(option: string, value: LifecycleDate | undefined): number | undefined {
  if (value === undefined) return undefined
  const date = value instanceof Date ? value : parsed(value)
  // `toJSON` gives null for an invalid date, and a sign before a longer year.
  if (date === undefined || !/^\d{4}-/.test(String(date.toJSON()))) throw badOption(OWNER, option, DATES, value)
  return date.getTime()
}

function parsed(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !ISO.test(text)) return undefined
  // `Date` takes 2026-02-31 for March.
  const day = text.slice(0, 10)
  return new Date(day).toJSON()?.startsWith(day) ? new Date(text) : undefined
}

function page(option: string, value: unknown): string {
  const text = value instanceof URL ? value.href : value
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw badOption(OWNER, option, "an http(s) URL such as 'https://api.example.com/deprecations'", value)
}
