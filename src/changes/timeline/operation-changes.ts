// The parts of changes about an operation.
import { type ByStatus, byStatus } from '../../schemas/responses'
import type { ResponseBody, Schema } from '../../types'
import { ALL, tails } from '../../util/operation'
import type { CompiledStep } from '../convert/steps'
import type { CompiledChange, CompiledHead, Entry } from '../describe/change'
import type { OlderBodies } from '../types/operations'

/** A version of a history, and its changes. */
export interface Release {
  readonly version: string
  readonly changes: readonly CompiledChange[]
}

/** A change, and its version. */
export interface ReleasedChange extends Pick<CompiledChange, 'description' | 'shapes' | 'entries'> {
  readonly change: CompiledChange
  /** The index of its version. */
  readonly versionIndex: number
  readonly version: string
}

/** The part of a change about an operation, and its place. */
export interface AppliedChange<Body = Schema, Response = ResponseBody> {
  /** The index of its version. */
  readonly versionIndex: number
  /** The place of the change among all of the history. */
  readonly index: number
  readonly description: string
  /** The entry of that operation; undefined if the change has only an entry for all operations. */
  readonly entry: Entry | undefined
  /** Its `error` step, or that of all operations. */
  readonly error: CompiledStep | undefined
  /** The changes of its heads, merged over those of all operations. */
  readonly head: CompiledHead | undefined
  /** The bodies in the older version, as far as the change describes them. */
  readonly older: {
    readonly body: Body | null | undefined
    readonly query: Body | undefined
    /** The items of its streams. */
    readonly item: Body | undefined
    /** Its responses by their older status. */
    readonly responses: ByStatus<Response | null>
  }
}

/** Lists all changes of a history, oldest first. */
export function changesOf(releases: readonly Release[]): ReleasedChange[] {
  return releases.flatMap(({ version, changes }, versionIndex) =>
    changes.map((change) => {
      const { description, shapes, entries } = change
      return { change, versionIndex, version, description, shapes, entries }
    }),
  )
}

/** The changes of a history by operation: what each of them says of one. */
export class OperationChanges {
  /**
   * @param all all changes of the history, oldest first.
   * @param keysOf returns the names by which changes may name a route, the longest first: the first that fits wins.
   */
  constructor(
    readonly all: readonly ReleasedChange[],
    private readonly keysOf: (viewName: string) => readonly string[] = tails,
  ) {}

  /**
   * Lists the parts of changes about an operation, oldest first.
   *
   * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
   * @param meets tells whether a change converts shapes of the operation, by its index.
   */
  of(method: string, viewName: string | undefined, meets: (index: number) => boolean = () => false): AppliedChange[] {
    const keys = viewName === undefined ? [] : this.keysOf(viewName).map((name) => `${method} ${name}`)
    return this.all.flatMap(({ versionIndex, description, entries }, index) => {
      const entry = entries.get(keys.find((key) => entries.has(key)) ?? '')
      const common = entries.get(ALL)
      if (entry === undefined && common === undefined && !meets(index)) return []
      const own = entry?.steps.error
      const olderError = entry?.older?.error ?? (own === undefined ? common?.older?.error : undefined)
      const { body, query, item, response } = { ...entry?.older }
      return {
        versionIndex,
        index,
        description,
        entry,
        error: own ?? common?.steps.error,
        head: mergedHead(entry?.head, common?.head),
        older: { body, query, item, responses: olderResponses(response, olderError) },
      }
    })
  }
}

/** Merges the head changes of an operation over those of all operations. */
function mergedHead(own: CompiledHead | undefined, all: CompiledHead | undefined): CompiledHead | undefined {
  if (own === undefined || all === undefined) return own ?? all
  return {
    status: new Map([...all.status, ...own.status]),
    headers: new Map([...all.headers, ...own.headers]),
  }
}

/** Returns the older responses that a change describes, by their older status. */
function olderResponses(response: OlderBodies['response'], error: OlderBodies['error']): ByStatus {
  const { default: others, ...errors } = Object.fromEntries(byStatus(error, 'default'))
  const ofErrors = others === undefined ? errors : { '4XX': others, '5XX': others, ...errors }
  return new Map([...Object.entries(ofErrors), ...byStatus(response, '2XX')])
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
export function presenceIn(
  changes: readonly Pick<AppliedChange, 'versionIndex' | 'entry'>[],
  version: number,
): Presence {
  const marked = changes.filter(({ entry }) => entry?.mark !== undefined)
  const last = marked.findLast(({ versionIndex }) => versionIndex <= version)?.entry?.mark
  const ahead = last === undefined && marked[0]?.entry?.mark === 'added'
  return { present: !ahead && last !== 'removed', ahead }
}
