// The verdict: whether a version can go.

import { totalOf } from './counts'
import type { ConsumerOfChange, ConsumerUsage, OperationUsage, Usage, VersionUsage } from './usage-types'
import { countOf } from './words'

const DAY = 86_400_000

type Counted = { readonly requests: number }

/** Returns the last request of a version before these days, in days ago, if it was shortly before them. */
export function justBefore(
  { days, until }: Usage,
  use: Pick<VersionUsage, 'lastRequest'> | undefined,
): number | undefined {
  if (use === undefined || use.lastRequest === null) return undefined
  const ago = ((until ?? new Date()).getTime() - use.lastRequest.getTime()) / DAY
  return ago < 2 * days ? ago : undefined
}

/** Tells whether a version was used: by requests, or by conversions by hand, which count for changes alone. */
export function isUsed({
  requests,
  changes = [],
}: Counted & { readonly changes?: readonly Counted[] | undefined }): boolean {
  return requests > 0 || changes.some((change) => change.requests > 0)
}

/** Lists the reasons why nobody can say that a version is not used. */
export function doubtsAbout({ missing, complete }: Usage, version: string, use: VersionUsage | undefined): string[] {
  const known = missing ?? []
  return [
    ...known,
    ...(complete || known.length > 0 ? [] : ['The record is not complete.']),
    ...(use === undefined ? [`No process has a series of version ${version}.`] : []),
    ...(use?.unknownTo ?? []).map((process) => `${process} does not know version ${version}.`),
  ]
}

/** Lists the reasons why requests of a version may be of any consumer. */
export function doubtsAboutConsumers({ isLimited }: Usage, version: string, use: VersionUsage | undefined): string[] {
  const own = use?.consumers.filter(({ consumer }) => consumer === '' || consumer === 'other') ?? []
  const requests = totalOf(own)
  return [
    ...(requests === 0 ? [] : [`${countOf(requests, 'request')} in ${version} may be of any consumer.`]),
    ...(isLimited === true ? ['There were more consumers than "maxConsumers" tells apart.'] : []),
  ]
}

/** Returns the use of a version without that of some consumers. */
export function useWithout(use: VersionUsage, names: ReadonlySet<string>): VersionUsage {
  const [own, consumers] = [true, false].map((isOwn) =>
    use.consumers.filter(({ consumer }) => names.has(consumer) === isOwn),
  ) as [ConsumerUsage[], ConsumerUsage[]]
  // Of each name, the operations stand at each of its entries.
  const asked = [
    ...new Map(own.map((one) => [one.consumer, one.operations as readonly OperationUsage[]])).values(),
  ].flat()
  const operations = use.operations.map((operation) => {
    const { route, method, requests } = operation
    const ofThem = totalOf(asked.filter((one) => one.route === route && one.method === method))
    return { ...operation, requests: Math.max(0, requests - ofThem) }
  })
  // Without the operations of a consumer, all of its requests are taken for used ones.
  const isWhole = totalOf(asked) >= totalOf(own)
  const count = (isNamed: boolean) => totalOf(consumers.filter(({ named }) => named === isNamed))
  const left = isWhole ? totalOf(operations) : use.requests - totalOf(own)
  const [named, defaulted] = [count(true), count(false)]
  const requests = Math.max(left, named + defaulted)
  const latest = consumers.reduce((latest, { lastRequest }) => Math.max(latest, lastRequest.getTime()), 0)
  return {
    ...{ ...use, consumers, requests, defaulted, named: requests - defaulted },
    lastRequest: latest === 0 ? null : new Date(latest),
    operations: operations.filter(({ requests }) => requests > 0),
    changes: use.changes?.map((change) => {
      const [ofThem, others] = [true, false].map((isOwn) =>
        change.consumers.filter(({ consumer }) => names.has(consumer) === isOwn),
      ) as [ConsumerOfChange[], ConsumerOfChange[]]
      return { ...change, requests: Math.max(totalOf(others), change.requests - totalOf(ofThem)), consumers: others }
    }),
  }
}

/** The caches in front, which respond without asking a process. */
export const CACHES = 'Caches in front respond to requests that no process sees. Count those in their logs; for nginx:'

/** The format of a log that has the version asked for and served, hits of the cache included. */
export const LOG_FORMAT = `log_format versions '$time_iso8601 $status $upstream_cache_status $host "$request" "$http_x_api_version" "$http_accept" $sent_http_api_version';`
