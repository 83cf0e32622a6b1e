// The parts of changes about an operation.
import { ALL, tails } from '../../util/operation'
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

/** The changes of a history by operation: what each of them says of one. */
export class OperationChanges {
  readonly #changes: readonly { readonly versionIndex: number; readonly change: CompiledChange }[]

  /** @param keysOf returns the names by which changes may name a route, the longest first: the first that fits wins. */
  constructor(
    releases: readonly Release[],
    private readonly keysOf: (viewName: string) => readonly string[] = tails,
  ) {
    this.#changes = releases.flatMap(({ changes }, versionIndex) => changes.map((change) => ({ versionIndex, change })))
  }

  /**
   * Lists the parts of changes about an operation, oldest first.
   *
   * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
   * @param meets tells whether a change converts shapes of the operation, by its index.
   */
  of(method: string, viewName: string | undefined, meets: (index: number) => boolean = () => false): AppliedChange[] {
    const keys = viewName === undefined ? [] : this.keysOf(viewName).map((name) => `${method} ${name}`)
    return this.#changes.flatMap(({ versionIndex, change }, index) => {
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
}

/** The presence of an operation in a version. */
export interface Presence {
  /** `true` if the version has the operation. */
  readonly present: boolean
  /** `true` if a later version adds the operation; `false` if it was removed. */
  readonly ahead: boolean
}

/**
 * Tells whether a version has an operation. The last mark up to the version decides. Without one, the first mark after it does:
 * an operation that is removed later exists.
 */
export function presenceIn(changes: readonly AppliedChange[], version: number): Presence {
  const marked = changes.filter(({ entry }) => entry?.mark !== undefined)
  const last = marked.findLast(({ versionIndex }) => versionIndex <= version)?.entry?.mark
  const ahead = last === undefined && marked[0]?.entry?.mark === 'added'
  return { present: !ahead && last !== 'removed', ahead }
}
