// The words of the page for dates, differences and usage.
import { countOf, daysText, shareOf } from '../usage/words'
import type { OverviewCell, OverviewRoute, OverviewVersion } from './overview'
import type { ShownTouch, ShownUsage, ShownUse } from './shown-usage'

/** A date of a version, and the event on it. */
interface Event {
  readonly what: string
  readonly at: number
  /** `true` if the version ends then. */
  readonly ends: boolean
}

/** Returns the state of a version that is deprecated, gone or a preview; `undefined` for any other. */
export function stateOf({
  isGone,
  isDeprecated,
  isPreview,
}: Omit<OverviewVersion, 'changes' | 'use'>): 'gone' | 'deprecated' | 'preview' | undefined {
  return isGone ? 'gone' : isDeprecated ? 'deprecated' : isPreview ? 'preview' : undefined
}

/** Lists the dates of a version in their order. The word `deprecated` is only for versions that are deprecated already. */
export function eventsOf({
  deprecated,
  sunset,
  isDeprecated,
  isGone,
}: Omit<OverviewVersion, 'changes' | 'use'>): Event[] {
  const events: Event[] = []
  if (deprecated !== undefined)
    events.push({ what: isDeprecated ? 'deprecated since' : 'retiring from', at: deprecated, ends: false })
  if (sunset !== undefined) {
    // A version may be served after its sunset.
    const passed = Date.now() >= sunset ? 'was to end' : 'ends'
    events.push({ what: isGone ? 'gone since' : passed, at: sunset, ends: true })
  }
  return events
}

/** Writes an instant as a date; with the time in UTC (`2026-01-31 12:00Z`), unless it is midnight. */
export function dateText(instant: number): string {
  const text = new Date(instant).toISOString()
  const [day, time] = text.split('T') as [string, string]
  return time === '00:00:00.000Z' ? day : `${day} ${time.replace(/(?::00)?\.000Z$/, 'Z')}`
}

/** Lists how a route differs in a version: it has another path, another version serves it, or the route alone is deprecated. */
export function differences(cell: OverviewCell, version: OverviewVersion): string[] {
  const found: string[] = []
  if (cell.path !== undefined) found.push(`at ${cell.path}`)
  if (cell.anyVersion) found.push('any version')
  else if (typeof cell.servedBy === 'string' && cell.servedBy !== cell.version) found.push(`same as ${cell.servedBy}`)
  if (cell.unnamed) found.push('if no version is named')
  if (cell.deprecated && !version.isDeprecated) found.push('deprecated')
  if (cell.sunset !== undefined) found.push(`ends ${dateText(cell.sunset)}`)
  return found
}

/** Returns the name of a route within its group. */
export function shortName({ name, group }: Pick<OverviewRoute, 'name' | 'group'>): string {
  return group === '' ? name : name.slice(group.length + 1)
}

/** Writes what the usage is about. */
export function usageText({ error, days, since, complete }: ShownUsage): string {
  if (error !== undefined) return error
  const begins = since === undefined ? 'not recorded' : `recorded since ${dateText(since)}`
  const doubt = complete ? '' : ' The record is not complete, so a version without requests may be in use.'
  return `Usage is that of ${daysText(days)}, ${begins}.${doubt}`
}

/** Writes the use of a version in one line. */
export function useText({ requests, share, lastRequest, consumers }: ShownUse): string {
  return [
    `${countOf(requests, 'request')} (${shareOf(share)})`,
    ...(lastRequest === undefined ? [] : [`last request ${dateText(lastRequest)}`]),
    ...(consumers === 0 ? [] : [countOf(consumers, 'consumer')]),
  ].join(', ')
}

/** Writes whom a change touches. */
export function touchText({ requests, consumers, isWhole }: ShownTouch): string {
  if (consumers > 0) return `touches ${countOf(consumers, 'consumer')}`
  if (requests > 0) return `touches ${countOf(requests, 'request')} of unknown consumers`
  return isWhole ? 'touches no consumer' : 'touches no consumer that is known'
}

/** Tells whether a version that is announced to end has no user left. */
export function isFreeToGo({ isDeprecated, isGone, use }: OverviewVersion): boolean {
  return (isDeprecated || isGone) && use?.isFree === true
}
