// The log of a cache in front, in the documented format: the responses that no process sees.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The log of a cache about one version. */
export interface CacheLog {
  /** The number of responses of the cache in the version, or to requests that asked for it by the header of the format. */
  readonly hits: number
  /** The sentences that say why the log does not tell whether there were none. */
  readonly doubts: readonly string[]
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Matches a line of the documented format. nginx writes a quote in a value as `\x22`. */
const LINE = /^(\S+) (\d{3}) (\S+) \S* "[^"]*" "([^"]*)" "[^"]*" (.*)$/

/** The states in which nginx responds without asking a process. */
const UNSEEN = new Set(['HIT', 'STALE', 'UPDATING'])

/** The times of a file, or of several files that follow each other: the log of one cache. */
interface Log {
  readonly hours: Set<number>
  first: number
  last: number
}

/** The longest time for which two files of one cache overlap, in milliseconds. */
const OVERLAP = 60_000

/**
 * Reads the logs of caches, each of which may be in several files.
 *
 * @param from the beginning of the days, in milliseconds since 1970.
 * @param until their end.
 */
export async function readCacheLog(
  files: readonly string[],
  version: string,
  from: number,
  until: number,
): Promise<CacheLog> {
  const logs: Log[] = []
  const doubts: string[] = []
  let [hits, unknown, told] = [0, 0, 0]
  for (const file of files) {
    const log: Log = { hours: new Set(), first: Number.POSITIVE_INFINITY, last: 0 }
    logs.push(log)
    try {
      let at = 0
      for await (const line of createInterface({
        input: createReadStream(file),
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        at++
        const [, date = '', status, state = '', asked, served = ''] = LINE.exec(line) ?? []
        const time = Date.parse(date)
        if (Number.isNaN(time)) {
          doubts.push(`Line ${at} of ${file} does not have the documented format.`)
          break
        }
        log.hours.add(Math.floor(time / HOUR))
        log.first = Math.min(log.first, time)
        log.last = Math.max(log.last, time)
        if (served !== '-') told++
        if (time < from || time > until || !UNSEEN.has(state)) continue
        if (served === version || asked === version) hits++
        else if (served === '-' && Number(status) < 400) unknown++
      }
    } catch (error) {
      doubts.push(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
    }
  }
  if (doubts.length > 0) return { hits, doubts }
  if (unknown > 0 || told === 0) {
    const count = told === 0 ? 'No line' : 'Not every response of the cache'
    return {
      hits,
      doubts: [`${count} in the log has a version: set reportVersions, so that API-Version is in the log.`],
    }
  }
  return { hits, doubts: cachesIn(logs).flatMap(({ hours }) => holesIn(hours, from, until)) }
}

/** Puts files that follow each other together. Files of the same time are those of several caches, each of which must cover the days. */
function cachesIn(logs: readonly Log[]): Log[] {
  const caches: Log[] = []
  for (const log of logs.filter(({ hours }) => hours.size > 0).sort((one, other) => one.first - other.first)) {
    const cache = caches.find(({ last }) => last <= log.first + OVERLAP)
    if (cache === undefined) caches.push(log)
    else {
      for (const hour of log.hours) cache.hours.add(hour)
      cache.last = Math.max(cache.last, log.last)
    }
  }
  return caches
}

/** Says where the log has nothing for more than a day: a file that was rotated away, or a log that ended. */
function holesIn(hours: ReadonlySet<number>, from: number, until: number): string[] {
  const times = [...hours].map((hour) => hour * HOUR).sort((one, other) => one - other)
  const begun = times[0] as number
  // A line may be up to an hour younger than the hour that is noted.
  if (begun > from) return [`The log begins at ${textOf(begun)}, and not before ${textOf(from)}.`]
  const within = [...times.filter((time) => time > from && time < until), until]
  let last = from
  for (const time of within) {
    if (time - last > DAY + HOUR) return [`The log has nothing between ${textOf(last)} and ${textOf(time)}.`]
    last = time
  }
  return []
}

function textOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`
}
