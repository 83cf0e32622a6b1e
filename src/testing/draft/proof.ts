// The proof of a draft: the documents that it gives, compared with the given ones.
import { change } from '../../changes/describe/change'
import { type VersionHistory, versionHistory } from '../../changes/history'
import type { OperationChanges } from '../../changes/types/operations'
import { routesOf } from '../../openapi/given/routes-of'
import { differencesOf } from '../../openapi/meaning/documents'
import { openapi } from '../../openapi/openapi'
import { HeaderVersioning } from '../../schemes/header'
import { madeOf } from './literal'
import type { Draft } from './model'
import { withParts } from './removed'
import type { DocumentView } from './view'

/** The result of a proof. */
interface Proof {
  /** `false` if the draft needs more before it gives documents. */
  readonly isMade: boolean
  /** The differences of the documents, or what the draft needs. */
  readonly differences: readonly string[]
}

/** Compares the documents that a draft gives for older versions with the given ones. */
export function proofOf(draft: Omit<Draft, 'unread'>, views: readonly DocumentView[]): Proof {
  const { document, version: newest } = views.at(-1) as DocumentView
  try {
    const routes = routesOf(withParts(document, draft.removed))
    const made = openapi({ scheme: HeaderVersioning, defaultVersion: newest, changes: historyOf(draft), routes })
    const differences = views.slice(0, -1).flatMap(({ version, routes }) => {
      const settings = { allowedVersions: [version], defaultVersion: version }
      const given = openapi({ scheme: HeaderVersioning, ...settings, routes }).document(version)
      const found = differencesOf(given, made.document(version))
      return found.map((one) => `the document of ${version} that the draft gives is another one: ${one}`)
    })
    return { isMade: true, differences }
  } catch (error) {
    const { message } = error as Error
    return { isMade: false, differences: [`the draft needs more before it can be used: ${message}`] }
  }
}

/** Makes the history. Parts that somebody has to write fail when they are used. */
function historyOf({ oldest, versions }: Pick<Draft, 'oldest' | 'versions'>): VersionHistory {
  // Its type grows with each version.
  let history = versionHistory(oldest) as VersionHistory
  for (const { version, changes } of versions) {
    const made = changes.map(({ description, operations }) =>
      change(description, madeOf(operations) as OperationChanges),
    )
    history = history.version(version, ...made) as VersionHistory
  }
  return history
}
