import type { SurveyedVersion } from '../survey/versions'
import type { OverviewCell, OverviewRoute } from './overview'

/** A date of a version, and what happens then. */
export interface Event {
  readonly what: string
  readonly at: number
  /** Whether the version ends then. */
  readonly ends: boolean
}

/** What a version is called that is not what it was; `undefined` for any other. */
export function stateOf({ isGone, isDeprecated }: SurveyedVersion): 'gone' | 'deprecated' | undefined {
  return isGone ? 'gone' : isDeprecated ? 'deprecated' : undefined
}

/** The dates of a version in their order. The word `deprecated` is for a version that is so already. */
export function eventsOf({ deprecated, sunset, isDeprecated, isGone }: SurveyedVersion): Event[] {
  const events: Event[] = []
  if (deprecated !== undefined)
    events.push({ what: isDeprecated ? 'deprecated since' : 'retiring from', at: deprecated, ends: false })
  if (sunset !== undefined) {
    // After its sunset a version may still be served.
    const passed = Date.now() >= sunset ? 'was to end' : 'ends'
    events.push({ what: isGone ? 'gone since' : passed, at: sunset, ends: true })
  }
  return events
}

/** `2026-01-31`; with the time in UTC, `2026-01-31 12:00Z`, where that is not midnight. */
export function dateText(instant: number): string {
  const text = new Date(instant).toISOString()
  const [day, time] = text.split('T') as [string, string]
  return time === '00:00:00.000Z' ? day : `${day} ${time.replace(/(?::00)?\.000Z$/, 'Z')}`
}

/** What differs in a version that has a route: who serves it, and that it alone is deprecated. */
export function differences(cell: OverviewCell, version: SurveyedVersion): string[] {
  const found: string[] = []
  if (cell.anyVersion) found.push('any version')
  else if (typeof cell.servedBy === 'string' && cell.servedBy !== cell.version) found.push(`served by ${cell.servedBy}`)
  if (cell.unnamed) found.push('if no version is named')
  if (cell.deprecated && !version.isDeprecated) found.push('deprecated')
  if (cell.sunset !== undefined) found.push(`ends ${dateText(cell.sunset)}`)
  return found
}

/** What a route is called within its group. */
export function shortName({ name, group }: Pick<OverviewRoute, 'name' | 'group'>): string {
  return group === '' ? name : name.slice(group.length + 1)
}
