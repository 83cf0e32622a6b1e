// `draftHistory()`: a first history from the documents of an API.

import { moduleOf } from './draft/draft-text'
import { draftOf } from './draft/drafting'

/**
 * Drafts the history of an API from its OpenAPI documents, as the text of a module: what `fields()` can say, operations that came
 * and went, statuses; and the rest with `todo('what to do')`, which throws. Guesses have a comment. The text says what the draft
 * could not read. The documents of a complete draft, one without `todo()` in which everything was read, mean the same as the given
 * ones.
 *
 * @param documents two documents or more, as parsed objects, oldest first. Each names its version as `info.version`.
 * @throws {TypeError} for documents that `routesOf()` rejects, and for two of one version.
 * @example
 * writeFileSync('history.mjs', draftHistory([v1, v2]))
 */
export function draftHistory(documents: readonly object[]): string {
  return moduleOf(draftOf(documents))
}
