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

/** A draft of a history. */
export interface Draft {
  readonly title: string
  readonly oldest: string
  readonly versions: readonly DraftVersion[]
  /** The documents that have operations which all later ones lack, oldest first. */
  readonly removed: readonly DocumentView[]
  /** The number of parts that somebody has to write. */
  readonly todos: number
  /** The parts of the documents that the draft could not read or say, as sentences. */
  readonly unread: readonly string[]
}
