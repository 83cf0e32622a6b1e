// The usage on the page: asked for when the page is, and kept for a minute.

import { totalOf } from '../usage/counts'
import type { Usage, UsageSource, VersionUsage } from '../usage/usage-types'
import { doubtsAbout, isUsed, justBefore } from '../usage/verdict'

/** The use of one version, as the page shows it. Instants are in milliseconds since 1970. */
export interface ShownUse {
  readonly requests: number
  readonly share: number
  readonly named: number
  readonly defaulted: number
  readonly lastRequest: number | undefined
  readonly consumers: number
  /** `true` if the record is complete, and has no request of the version. */
  readonly isFree: boolean
  readonly operations: readonly { readonly route: string; readonly method: string; readonly requests: number }[]
}

/** The requests that a change met in all versions before it, as the page shows them. */
export interface ShownTouch {
  readonly requests: number
  readonly consumers: number
  /** `true` if the record is complete, and the change was counted all the time. */
  readonly isWhole: boolean
}

/** The usage, as the page shows it. */
export interface ShownUsage {
  /** The sentence that says that usage is not known. It gives no reason, because anybody may see the page. */
  readonly error: string | undefined
  readonly days: number
  readonly complete: boolean
  readonly since: number | undefined
  readonly versions: ReadonlyMap<string, ShownUse>
  /** The requests that changes met, by their descriptions. */
  readonly changes: ReadonlyMap<string, ShownTouch>
}

const MINUTE = 60_000

/** The longest time for a source that does not name one, in milliseconds. */
const TIMEOUT = 5000

/**
 * Returns a function that asks a source of usage once a minute, for the usage or the sentence that says that it is not known. Failures
 * are kept too, so that a slow source does not slow each page.
 */
export function keptUsage(source: UsageSource): () => Promise<ShownUsage> {
  let kept: Promise<ShownUsage> | undefined
  /** The instants between which the response is kept. */
  let from = 0
  let until = 0
  return () => {
    const now = Date.now()
    if (kept === undefined || now < from || now >= until) {
      from = now
      until = Number.POSITIVE_INFINITY
      kept = asked(source).finally(() => {
        until = Date.now() + MINUTE
      })
    }
    return kept
  }
}

async function asked(source: UsageSource): Promise<ShownUsage> {
  try {
    return shown(await inTime(source))
  } catch {
    const error = 'Usage is not known: its source gave no whole response in time.'
    return { error, days: 0, complete: false, since: undefined, versions: new Map(), changes: new Map() }
  }
}

/** Asks a source, and gives up after its timeout. */
async function inTime(source: UsageSource): Promise<Usage> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), source.timeout ?? TIMEOUT)
  })
  try {
    return await Promise.race([source(), late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(usage: Usage): ShownUsage {
  const { days, complete } = usage
  const versions = new Map(usage.versions.map((use) => [use.version, shownUse(usage, use)]))
  return { error: undefined, days, complete, since: instantOf(usage.since), versions, changes: touchesOf(usage) }
}

function touchesOf({ versions, complete }: Usage): Map<string, ShownTouch> {
  const all = versions.flatMap(({ changes = [], partlyCounted = [] }) =>
    changes.map((change) => ({ ...change, isPart: partlyCounted.includes(change.change) })),
  )
  const names = new Set(all.map(({ change }) => change))
  return new Map(
    [...names].map((name) => {
      const own = all.filter(({ change }) => change === name)
      const consumers = own.flatMap(({ consumers }) => consumers.map(({ consumer }) => consumer))
      const touch = {
        requests: totalOf(own),
        consumers: new Set(consumers.filter((consumer) => consumer !== '')).size,
        isWhole: complete && own.every(({ isPart }) => !isPart),
      }
      return [name, touch]
    }),
  )
}

function shownUse(usage: Usage, use: VersionUsage): ShownUse {
  const { version, requests, share, named, defaulted, operations } = use
  const consumers = new Set(use.consumers.map(({ consumer }) => consumer).filter((consumer) => consumer !== ''))
  return {
    ...{ requests, share, named, defaulted, operations },
    lastRequest: instantOf(use.lastRequest),
    consumers: consumers.size,
    // A source may know a last request that it did not count.
    isFree: !isUsed(use) && justBefore(usage, use) === undefined && doubtsAbout(usage, version, use).length === 0,
  }
}

/** Returns the instant of a time, in whole seconds. */
function instantOf(time: Date | null): number | undefined {
  return time === null ? undefined : Math.floor(new Date(time).getTime() / 1000) * 1000
}
