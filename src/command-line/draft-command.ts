// The command `draft`: a first history from the documents of an API.
import { resolve } from 'node:path'
import { moduleOf, verdictOf } from '../testing/draft/draft-text'
import { draftOf } from '../testing/draft/drafting'
import { shown } from '../util/options'
import { visible } from '../util/visible'
import { withCommandErrors } from './arguments'
import { readDocument } from './documents'
import { writeNew } from './new-file'

/**
 * Drafts the history of documents.
 *
 * @param files the documents, oldest first.
 * @param out the new file of the history; `''` to print it.
 * @throws {CommandError} for files that cannot be read, documents that do not fit, and a file that is there already.
 */
export function draftFrom(
  files: readonly string[],
  out: string,
  directory: string,
): { readonly out: string; readonly err: string } {
  const documents = files.map((file) => readDocument(file, directory).value as object)
  const draft = withCommandErrors(() => draftOf(documents))
  const text = moduleOf(draft)
  const lines = [verdictOf(draft), ...draft.unread.flatMap((one) => `- ${one}`.split('\n'))]
  const report = lines.map((line) => `${visible(line)}\n`).join('')
  if (out === '') return { out: text, err: report }
  const reason = `${shown(out)} is there already, and may have been edited. Give the draft another name.`
  writeNew(resolve(directory, out), text, reason)
  return { out: `${visible(out)} is written.\n${report}`, err: '' }
}
