// The verdict: whether a version can go.
import type { Usage, VersionUsage } from './model'

const DAY = 86_400_000

/** Returns the last request of a version before these days, in days ago, if it was shortly before them. */
export function justBefore(
  { days, until }: Usage,
  use: Pick<VersionUsage, 'lastRequest'> | undefined,
): number | undefined {
  if (use === undefined || use.lastRequest === null) return undefined
  const ago = ((until ?? new Date()).getTime() - use.lastRequest.getTime()) / DAY
  return ago < 2 * days ? ago : undefined
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

/** The caches in front, which respond without asking a process. */
export const CACHES = 'Caches in front respond to requests that no process sees. Count those in their logs; for nginx:'

/** The format of a log that has the version asked for and served, hits of the cache included. */
export const LOG_FORMAT = `log_format versions '$time_iso8601 $status $upstream_cache_status $host "$request" "$http_x_api_version" "$http_accept" $sent_http_api_version';`
