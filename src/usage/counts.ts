// The responses of Prometheus as values: the counts of a time are, of each life, the last value without the one at its beginning.
import type { Asker, Sample } from './client'
import type { Life, Lives } from './lives'
import { keyOf } from './present'
import { type Queries, type Target, targetOf } from './queries'

/** The responses about requests. */
export interface RequestResponses {
  /** The versions that each process knows now. */
  readonly info: readonly Sample[]
  /** The counts of the days, of the last week, and of the week before. */
  readonly counts: Values
  readonly lastWeek: Values
  readonly weekBefore: Values
  /** The last requests. */
  readonly gauges: Values
  readonly countedChanges: readonly Sample[]
}

/** Adds up counts, and rounds them. */
export function sumOf(samples: readonly Sample[]): number {
  return Math.round(samples.reduce((sum, { value }) => sum + value, 0))
}

/** Makes a date of seconds since 1970. */
export function timeOf(seconds: number): Date {
  return new Date(Math.round(seconds * 1000))
}

/** Adds up requests. */
export function totalOf(all: readonly { readonly requests: number }[]): number {
  return all.reduce((sum, { requests }) => sum + requests, 0)
}

/** The values of metrics, by their names without the prefix and a unit. */
export interface Values {
  (name: string): readonly Sample[]
  /** `true` if counts may have requests from before the time: its beginning is in a hole of the record. */
  readonly isVague: boolean
}

/** A time at which the values of some processes are read; of all that are there, without targets. */
interface Reading {
  readonly time: number
  readonly targets: readonly Target[] | undefined
  /** 1 for the end of lives, -1 for the beginning of the time. */
  readonly sign: 1 | -1
}

/** The most processes that one question names. */
const MANY = 20

/** Returns what counters have counted between two times. */
export async function countedBetween(
  { all, window }: Lives,
  ask: Asker,
  queries: Queries,
  from: number,
  to: number,
): Promise<Values> {
  const [before, after] = await Promise.all([from, to].map((time) => seenAt(ask, queries, time)))
  const readings: Reading[] = [
    { time: from, targets: undefined, sign: -1 },
    { time: to, targets: undefined, sign: 1 },
  ]
  const named = new Map<string, Reading & { targets: Target[] }>()
  const read = (time: number, target: Target, sign: 1 | -1) => {
    const key = `${time} ${sign}`
    const reading = named.get(key) ?? { time, targets: [], sign }
    named.set(key, reading)
    reading.targets.push(target)
  }
  let isVague = false
  const isSeen = (seen: ReadonlyMap<string, number> | undefined, { target, since }: Life) =>
    seen?.get(keyOf(target)) === since
  for (const life of all) {
    const { target, first, last, since } = life
    const isBefore = isSeen(before, life)
    // The counters of other labels go on with these.
    if (!isSeen(after, life) && (last > from || isBefore) && first <= to && !life.goesOn)
      read(Math.min(last, to), target, 1)
    if (isBefore) {
      // Somewhat more than one scrape lies around the beginning.
      const next = life.times.find((time) => time > from) ?? from
      isVague ||= next - lastBefore(life, from) > 0.6 * window
      continue
    }
    const isOver = last <= from || first > to
    if (!isOver && since <= from) isVague = true
    if (!isOver && first <= from) read(lastBefore(life, from), target, -1)
    // It counted before the record has it. The gauge tells of a request since.
    else if (!isOver && since <= from && !all.some((other) => other.goesOn && other.since === since))
      read(first, target, -1)
  }
  for (const reading of named.values())
    for (let at = 0; at < reading.targets.length; at += MANY)
      readings.push({ ...reading, targets: reading.targets.slice(at, at + MANY) })
  return summed(
    await Promise.all(
      readings.map(async ({ time, targets, sign }) =>
        (await ask.samples(queries.counters(targets), time)).map((sample) => ({
          ...sample,
          value: sign * sample.value,
        })),
      ),
    ),
    queries,
    (sum, value) => sum + value,
    isVague,
  )
}

/** Returns the last requests of all lives up to a time. */
export async function lastUntil({ all }: Lives, ask: Asker, queries: Queries, to: number): Promise<Values> {
  const seen = await seenAt(ask, queries, to)
  const ended = all.filter((life) => seen.get(keyOf(life.target)) !== life.since && !life.goesOn)
  return summed(
    await Promise.all([
      ask.samples(queries.gauges(undefined), to),
      ...ended.map(({ target, last }) => ask.samples(queries.gauges([target]), last)),
    ]),
    queries,
    Math.max,
    false,
  )
}

/** Returns the processes that are there at a time, with the time since when they count. */
async function seenAt(ask: Asker, queries: Queries, time: number): Promise<Map<string, number>> {
  const samples = await ask.samples(queries.since, time)
  return new Map(samples.map(({ labels, value }) => [keyOf(targetOf(labels)), value]))
}

/** Returns the time of the last sample of a life before a time. */
function lastBefore({ times }: Life, time: number): number {
  return times.findLast((one) => one <= time) as number
}

/** Puts the values of series together. */
function summed(
  all: readonly (readonly Sample[])[],
  queries: Queries,
  add: (sum: number, value: number) => number,
  isVague: boolean,
): Values {
  const metrics = new Map<string, Map<string, Sample>>()
  for (const { labels, value } of all.flat()) {
    const { __name__, ...own } = labels
    const name = (__name__ as string).slice(queries.name('').length).replace(/_seconds$/, '')
    const series = metrics.get(name) ?? new Map<string, Sample>()
    metrics.set(name, series)
    const key = JSON.stringify(Object.entries(own).sort())
    const before = series.get(key)
    series.set(key, { labels: own, value: before === undefined ? value : add(before.value, value) })
  }
  return Object.assign((name: string) => [...(metrics.get(name)?.values() ?? [])], { isVague })
}
