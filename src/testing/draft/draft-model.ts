// The parts of a draft.
import type { Literal } from './literal'
import type { DocumentView } from './view'

/** A change of the draft. */
export interface DraftChange {
  readonly description: string
  readonly operations: Readonly<Record<string, Literal>>
}

/** A version of the draft, with its changes. */
export interface DraftVersion {
  readonly version: string
  readonly changes: readonly DraftChange[]
}

/** The needs of a draft's table beside the documents. */
export interface DraftTable {
  /** The schemas that look like changed ones, and the unions that nothing tells, by the keys of the option `places`. */
  readonly places: Map<string, null | ((value: unknown) => undefined)>
  /** The schema of errors that no operation describes: a name, or `null` for none; undefined if it is not needed. */
  errors: string | null | undefined
}

/** A draft of a history. */
export interface Draft {
  readonly title: string
  readonly oldest: string
  readonly versions: readonly DraftVersion[]
  /** The documents that have operations which all later ones lack, oldest first. */
  readonly removed: readonly DocumentView[]
  /** The needs of the table beside the documents. */
  readonly table: DraftTable
  /** The number of parts that somebody has to write. */
  readonly todos: number
  /** The parts of the documents that the draft could not read or say, as sentences. */
  readonly unread: readonly string[]
}
