// The responses about requests.
import type { Sample } from './client'
import type { Values } from './counts'

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
