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

/**
 * Reads the log of a cache, which may be in several files.
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
  const hours = new Set<number>()
  const doubts: string[] = []
  let [hits, unknown, told] = [0, 0, 0]
  for (const file of files) {
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
        hours.add(Math.floor(time / HOUR))
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
  return { hits, doubts: holesIn(hours, from, until) }
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
