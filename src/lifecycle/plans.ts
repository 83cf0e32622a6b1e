// The plans of versions: their checks, dates, pauses and header values.
import type { Request } from 'express'
import type { DateField } from '../request/state'
import type { BaseVersioning } from '../schemes/base'
import type { Version } from '../types'
import { isDate, type LifecycleDate } from '../util/dates'
import { badOption, checkKeys, shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { inspected } from '../util/text'
import { isThenable } from '../util/thenable'

/**
 * A duration: `30s`, `5m`, `1h` or `1d`. It is any string, because that is the type of `'1h'` in an object that is declared on its
 * own; others are a `TypeError` of `versioning()`.
 */
export type Duration = string

/** A rehearsal of the end of a version: a pause, or short pauses that repeat within a time. */
export interface Brownout {
  /** The start of the pause, or of the time with pauses. */
  from: LifecycleDate
  /** Its end. */
  to: LifecycleDate
  /** The time from the start of one pause to that of the next one, counted from `from`. */
  every?: Duration | undefined
  /** The duration of each of them. */
  for?: Duration | undefined
}

/** A checked brownout, in milliseconds. A single pause lasts from `from` to `to`. */
interface Window {
  readonly from: number
  readonly to: number
  readonly every: number
  readonly length: number
}

const MILLISECONDS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const BROWNOUT_KEYS = ['from', 'to', 'every', 'for']

/**
 * Checks the brownouts of a version.
 *
 * @param instant reads a date; it throws for an invalid one.
 * @returns a function of an instant: the end of the pause then, or `undefined`.
 * @throws {TypeError} for wrong dates and durations, brownouts that overlap, and one that reaches beyond the sunset.
 */
function compileBrownouts(
  owner: string,
  option: string,
  brownouts: unknown,
  sunset: number | undefined,
  instant: (option: string, value: LifecycleDate) => number | undefined,
): (now: number) => number | undefined {
  if (!Array.isArray(brownouts)) {
    throw badOption(owner, option, 'a list such as [{ from, to }], or [{ from, to, every, for }]', brownouts)
  }
  const windows = brownouts
    .map((brownout: Brownout, index) => windowOf(owner, `${option}.${index}`, brownout, sunset, instant))
    .sort((one, other) => one.from - other.from)
  const overlap = windows.findIndex(({ from }, index) => index > 0 && from < (windows[index - 1] as Window).to)
  if (overlap !== -1) {
    const date = new Date((windows[overlap] as Window).from).toISOString()
    throw new TypeError(`${owner}: option "${option}" has brownouts that overlap at ${date}.`)
  }
  return (now) => {
    const window = windows.find(({ from, to }) => now >= from && now < to)
    if (window === undefined) return undefined
    const { from, to, every, length } = window
    const start = from + Math.floor((now - from) / every) * every
    return now < start + length ? Math.min(start + length, to) : undefined
  }
}

function windowOf(
  owner: string,
  where: string,
  brownout: Brownout,
  sunset: number | undefined,
  instant: (option: string, value: LifecycleDate) => number | undefined,
): Window {
  checkKeys(`${owner}: option "${where}"`, brownout, BROWNOUT_KEYS)
  const date = (name: 'from' | 'to') => {
    const found = instant(`${where}.${name}`, brownout[name])
    if (found === undefined) throw new TypeError(`${owner}: option "${where}" needs "${name}", a date.`)
    return found
  }
  const [from, to] = [date('from'), date('to')]
  if (to <= from) throw new TypeError(`${owner}: option "${where}" ends before it begins.`)
  if (sunset !== undefined && to > sunset) throw new TypeError(`${owner}: option "${where}" reaches beyond the sunset.`)
  const { every, for: length } = brownout
  if (every === undefined && length === undefined) return { from, to, every: to - from, length: to - from }
  const [between, each] = [milliseconds(owner, `${where}.every`, every), milliseconds(owner, `${where}.for`, length)]
  if (each < between) return { from, to, every: between, length: each }
  throw new TypeError(`${owner}: option "${where}" has pauses ("for") that are not shorter than "every".`)
}

function milliseconds(owner: string, option: string, value: unknown): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(String(value)) ?? []
  if (unit === undefined || typeof value !== 'string') {
    throw badOption(owner, option, 'a duration such as 30s, 5m, 1h or 1d', value)
  }
  return Number(count) * (MILLISECONDS[unit] as number)
}

/** The plan of one version. */
export interface VersionLifecycle {
  /** The start of its deprecation, past or future (RFC 9745). */
  deprecated?: LifecycleDate | undefined
  /** The end of its service (RFC 8594). Not before `deprecated`. */
  sunset?: LifecycleDate | undefined
  /** The URL of a page about it, for people. */
  info?: string | URL | undefined
  /** The version that replaces it. */
  successor?: Version | undefined
  /** The behaviour after the sunset, instead of `afterSunset` of `versioning()`. */
  afterSunset?: AfterSunset | undefined
  /** The rehearsals of the end: in these times, requests are rejected as after the end. They lie before the sunset. */
  brownouts?: readonly Brownout[] | undefined
  /**
   * Returns a later sunset for one client; `undefined` for none. It is synchronous, and asked once for each request in this version.
   * Authentication must stand in front of `versioning()`. Needs `sunset`.
   */
  extended?: ((req: Request) => LifecycleDate | undefined) | undefined
  /** `true` for a version that is accepted where a client names it, and announced nowhere. */
  preview?: boolean | undefined
}

/** The plans by version. */
export type Plans = { readonly [Name in Version]?: VersionLifecycle | undefined }

/** The behaviour after the sunset: go on serving, or respond with 410. */
export type AfterSunset = 'serve' | 'gone'

/** One version's plan, checked, with its header fields. Instants are in milliseconds since 1970, `Infinity` for never. */
export type Lifecycle = ReturnType<typeof compilePlan>

const OWNER = 'versioning()'
const KEYS = ['deprecated', 'sunset', 'info', 'successor', 'afterSunset', 'brownouts', 'extended', 'preview']
const ISO =
  /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

/**
 * Checks the `lifecycle` option and compiles it.
 *
 * @throws {TypeError} for versions that the scheme does not accept, invalid dates, a sunset before the deprecation.
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
  checkPreviews(compiled, scheme)
  return compiled
}

/** Rejects a preview as the default or as a successor: nothing leads to it. */
function checkPreviews(plans: ReadonlyMap<string, Lifecycle>, scheme: BaseVersioning): void {
  const isPreview = (version: unknown) => plans.get(version as string)?.isPreview === true
  if (isPreview(scheme.defaultVersion)) {
    throw new TypeError(`${OWNER}: the default version ${shown(scheme.defaultVersion)} cannot be a preview.`)
  }
  for (const [version, { successor }] of plans) {
    if (!isPreview(successor)) continue
    throw new TypeError(
      `${OWNER}: option "lifecycle.${version}.successor" names ${shown(successor)}, which is a preview.`,
    )
  }
}

function checkVersion(option: string, version: unknown, scheme: BaseVersioning): void {
  if (typeof version === 'string' && scheme.isAllowedVersion(version)) return
  const known = scheme.acceptedVersions.filter((accepted) => accepted !== null)
  const hint = typeof version === 'string' ? didYouMean(near(version, known)) : ''
  throw new TypeError(`${OWNER}: option "${option}" names ${shown(version)}, which is not an accepted version.${hint}`)
}

/** Returns `'serve'` or `'gone'`; `undefined` for other values. */
export function asAfterSunset(value: unknown): AfterSunset | undefined {
  return value === 'serve' || value === 'gone' ? value : undefined
}

function compilePlan(where: string, version: string, plan: VersionLifecycle, afterSunset: AfterSunset) {
  const { deprecated, sunset, info, dates, links } = compileEnd(OWNER, plan, (key) => `${where}.${key}`)
  if (plan.successor === version) {
    throw badOption(OWNER, `${where}.successor`, 'another version', plan.successor)
  }
  const after = plan.afterSunset === undefined ? afterSunset : asAfterSunset(plan.afterSunset)
  if (after === undefined) throw badOption(OWNER, `${where}.afterSunset`, "'serve' or 'gone'", plan.afterSunset)
  const { brownouts = [], extended, preview = false } = plan
  if (typeof preview !== 'boolean') throw badOption(OWNER, `${where}.preview`, 'true or false', preview)
  if (extended !== undefined && typeof extended !== 'function') {
    throw badOption(OWNER, `${where}.extended`, 'a function of a request, which returns a date or undefined', extended)
  }
  if (extended !== undefined && sunset === undefined) {
    throw new TypeError(`${OWNER}: option "${where}.extended" needs "sunset", the date that it extends.`)
  }
  const dateOf = (option: string, value: LifecycleDate) => instant(OWNER, option, value)
  return {
    isPreview: preview,
    pausedUntil: compileBrownouts(OWNER, `${where}.brownouts`, brownouts, sunset, dateOf),
    extendedFor: extended && extension(version, extended, sunset as number),
    deprecatedFrom: deprecated ?? Number.POSITIVE_INFINITY,
    goneFrom: after === 'gone' && sunset !== undefined ? sunset : Number.POSITIVE_INFINITY,
    sunset,
    info,
    dates,
    links,
    successor: plan.successor,
  }
}

/** Makes a function that returns a client's own sunset. A failure counts as none, with a process warning, once. */
function extension(version: string, extended: (req: Request) => unknown, sunset: number) {
  let isWarned = false
  return (req: Request): number | undefined => {
    try {
      const date = extended(req) as LifecycleDate | undefined
      if (isThenable(date)) Promise.resolve(date).catch(() => {})
      const found = instant(OWNER, `lifecycle.${version}.extended`, date)
      if (found === undefined || found >= sunset) return found
      throw new TypeError(`The date ${new Date(found).toISOString()} lies before the sunset.`)
    } catch (error) {
      if (!isWarned) {
        isWarned = true
        const told = `The option "lifecycle.${version}.extended" of versioning() failed; the sunset of the version counts.`
        process.emitWarning(told, { code: 'EXPRESS_VERSIONING_EXTENDED', detail: inspected(error) })
      }
      return undefined
    }
  }
}

/** The options about the end of a version or a route. */
export type End = Pick<VersionLifecycle, 'deprecated' | 'sunset' | 'info'>

/**
 * Checks the options about the end of a version or a route, and writes its header fields.
 *
 * @param optionOf returns the name of a part for errors.
 * @throws {TypeError} for invalid dates, a sunset before the deprecation, a page that is not an http(s) URL.
 */
export function compileEnd(owner: string, end: End, optionOf: (key: keyof End) => string) {
  const deprecated = instant(owner, optionOf('deprecated'), end.deprecated)
  const sunset = instant(owner, optionOf('sunset'), end.sunset)
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated) {
    throw new TypeError(
      `${owner}: option "${optionOf('sunset')}" (${shown(end.sunset)}) lies before "${optionOf('deprecated')}" (${shown(end.deprecated)}).`,
    )
  }
  const dates: DateField[] = []
  const links: string[] = []
  const info = end.info === undefined ? undefined : page(owner, optionOf('info'), end.info)
  if (deprecated !== undefined) {
    dates.push({ name: 'Deprecation', value: `@${Math.floor(deprecated / 1000)}`, at: deprecated })
    if (info !== undefined) links.push(`<${info}>; rel="deprecation"; type="text/html"`)
  }
  if (sunset !== undefined) {
    dates.push({ name: 'Sunset', value: new Date(sunset).toUTCString(), at: sunset })
    if (info !== undefined) links.push(`<${info}>; rel="sunset"`)
  }
  return { deprecated, sunset, info, dates, links }
}

/** The values that a date option takes, for messages. */
export const DATES = 'a Date, an ISO 8601 date and time with an offset, or a date such as 2026-01-31'

/** Returns the milliseconds since 1970 of a date that exists. Years have four digits, because HTTP writes no others. */
function instant(owner: string, option: string, value: LifecycleDate | undefined): number | undefined {
  if (value === undefined) return undefined
  const date = value instanceof Date ? value : parsed(value)
  // `toJSON` returns null for an invalid date, and puts a sign before a longer year.
  if (date === undefined || !/^\d{4}-/.test(String(date.toJSON()))) throw badOption(owner, option, DATES, value)
  return date.getTime()
}

function parsed(text: unknown): Date | undefined {
  return typeof text === 'string' && ISO.test(text) && isDate(text.slice(0, 10)) ? new Date(text) : undefined
}

function page(owner: string, option: string, value: unknown): string {
  const text = value instanceof URL ? value.href : value
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw badOption(owner, option, "an http(s) URL such as 'https://api.example.com/deprecations'", value)
}
