// The pauses of a version before its end: their check, and whether one is now.
import type { LifecycleDate } from '../util/dates'
import { badOption, checkKeys } from '../util/options'

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
const KEYS = ['from', 'to', 'every', 'for']

/**
 * Checks the brownouts of a version.
 *
 * @param instant reads a date; it throws for an invalid one.
 * @returns a function of an instant: the end of the pause then, or `undefined`.
 * @throws {TypeError} for wrong dates and durations, brownouts that overlap, and one that reaches beyond the sunset.
 */
export function compileBrownouts(
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
  checkKeys(`${owner}: option "${where}"`, brownout, KEYS)
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
