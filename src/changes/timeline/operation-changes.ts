// The parts of changes about an operation.
import { ALL } from '../../util/operation'
import type { CompiledStep } from '../convert/steps'
import type { CompiledChange, Entry } from '../describe/change'
import { type CompiledHead, mergedHead } from '../describe/response-head'
import type { OlderBodies } from '../types/operations'

/** A version of a history, and its changes. */
export interface Release {
  readonly version: string
  readonly changes: readonly CompiledChange[]
}

/** The part of a change about an operation, and its place. */
export interface AppliedChange {
  /** The index of its version. */
  readonly versionIndex: number
  /** The place of the change among all of the history. */
  readonly index: number
  readonly change: CompiledChange
  /** The entry of that operation; undefined if the change has only an entry for all operations. */
  readonly entry: Entry | undefined
  /** Its `error` step, or that of all operations. */
  readonly error: CompiledStep | undefined
  /** The responses before that `error` step. */
  readonly olderError: OlderBodies['error']
  /** The changes of its heads, merged over those of all operations. */
  readonly head: CompiledHead | undefined
}

/** A change, and the index of its version. */
export interface PlacedChange {
  readonly versionIndex: number
  readonly change: CompiledChange
}

/** Lists the changes of all versions, oldest first. */
export function placedChanges(releases: readonly Release[]): PlacedChange[] {
  return releases.flatMap(({ changes }, versionIndex) => changes.map((change) => ({ versionIndex, change })))
}

/**
 * Lists the parts of changes about an operation, oldest first.
 *
 * @param keys the names of the operation in changes, the longest first: the first that fits wins.
 * @param meets tells whether a change converts shapes of the operation, by its index.
 */
export function changesApplied(
  changes: readonly PlacedChange[],
  keys: readonly string[],
  meets: (index: number) => boolean,
): AppliedChange[] {
  return changes.flatMap(({ versionIndex, change }, index) => {
    const { entries } = change
    const entry = entries.get(keys.find((key) => entries.has(key)) ?? '')
    const all = entries.get(ALL)
    if (entry === undefined && all === undefined && !meets(index)) return []
    const own = entry?.steps.error
    const error = own ?? all?.steps.error
    const olderError = entry?.older?.error ?? (own === undefined ? all?.older?.error : undefined)
    return [{ versionIndex, index, change, entry, error, olderError, head: mergedHead(entry?.head, all?.head) }]
  })
}
