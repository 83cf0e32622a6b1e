// The output of the command `usage`, and what its parts share.

import type { ToldVersion } from '../explorer/changed-operations'
import { dateText, eventsOf } from '../explorer/page-words'
import { type CacheLog, readCacheLog } from '../usage/cache-log'
import type { Usage } from '../usage/usage-types'
import { countOf } from '../usage/words'
import { visible } from '../util/text'
import type { Asked } from './arguments'

/** The output of the command in both forms. */
export interface UsageOutcome {
  readonly code: 0 | 1 | 2
  readonly text: string
  readonly json: object
  readonly err: string
}

/** The number of consumers, operations and reasons that are printed. */
const PRINTED = 10

/** Shortens a long list. */
export function first(items: readonly string[]): string[] {
  const more = items.length - PRINTED
  return more > 0 ? [...items.slice(0, PRINTED), `and ${more} more`] : [...items]
}

/** Writes a time in whole seconds, as people read it. */
export function timeText(time: Date): string {
  return dateText(Math.floor(time.getTime() / 1000) * 1000)
}

/** Writes a version with its dates and its successor. */
export function planText(version: string, plan: ToldVersion | undefined): string {
  const notes =
    plan === undefined
      ? ['unknown to the module']
      : [
          ...eventsOf(plan).map(({ what, at }) => `${what} ${dateText(at)}`),
          ...(plan.successor === undefined ? [] : [`use ${plan.successor}`]),
        ]
  return visible([version, ...(notes.length === 0 ? [] : [notes.join(', ')])].join(': '))
}

/** Writes reasons to the standard error, below a sentence. */
export function reasonsText(said: string, reasons: readonly string[]): string {
  return `express-versioning: ${[said, ...first(reasons).map(visible)].join('\n  ')}\n`
}

/** Reads the log of the cache in front, if there is a cache. */
export async function cacheOf(usage: Usage, version: string, { isUncached, cacheLogs }: Asked): Promise<CacheLog> {
  if (isUncached) return { hits: 0, doubts: [] }
  if (cacheLogs.length === 0) return { hits: 0, doubts: [UNKNOWN_CACHES] }
  const until = (usage.until as Date).getTime()
  return readCacheLog(cacheLogs, version, until - usage.days * 86_400_000, until)
}

/** Reads what is known of caches in front, as doubts about requests of one consumer. */
export async function cacheDoubts(usage: Usage, version: string, asked: Asked): Promise<string[]> {
  const { hits, doubts } = await cacheOf(usage, version, asked)
  return [...doubts, ...(hits === 0 ? [] : [`The cache in front responded to ${countOf(hits, 'request')} of anybody.`])]
}

const UNKNOWN_CACHES =
  'Nothing is known of caches in front, which respond unseen. Say --no-cache-in-front, or give --cache-log <file>.'
