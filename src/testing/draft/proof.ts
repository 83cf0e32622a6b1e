// The proof of a draft: the documents that it gives, compared with the given ones.
import { change } from '../../changes/describe/change'
import { type VersionHistory, versionHistory } from '../../changes/history'
import type { OperationChanges } from '../../changes/types/operations'
import { type DocumentDifference, differencesOf, differenceText } from '../../openapi/document-differences'
import { routesOf } from '../../openapi/given/routes-of'
import { openapi } from '../../openapi/openapi'
import { referenceTo } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { HeaderVersioning } from '../../schemes/header'
import { type Answers, answersIn } from '../../util/problems'
import { type Draft, madeOf, namesOf } from './draft-text'
import { type DocumentView, isGeneratedId } from './view'

/** The words for one part and for several. */
const WORDS = {
  changed: ['has changed', 'have changed'],
  removed: ['was removed', 'were removed'],
  new: ['is new', 'are new'],
} as const

/** The levels of paths, of the operations in them, and of what operations say. */
const LEVELS = 3

/**
 * Compares the documents that a draft gives for older versions with the given ones.
 *
 * @param shapes the names of all shapes that change.
 * @returns the differences, and what the draft needs before it gives documents, as sentences.
 */
export function proofOf(
  draft: Omit<Draft, 'unread'>,
  views: readonly DocumentView[],
  shapes: ReadonlySet<string>,
): string[] {
  const { differences, needs } = attempted(draft, views)
  if (needs === undefined) return differences
  // Where shapes are asks for more than the rest. Without their changes, they are as they are today.
  return [...attempted(draft, views, shapes).differences, `the draft needs more before it can be used: ${needs}`]
}

function attempted(...[draft, views, without]: Parameters<typeof differencesIn>) {
  for (;;) {
    try {
      return { differences: differencesIn(draft, views, without), needs: undefined }
    } catch (error) {
      if (!isAnswered(answersIn(error as Error), draft.table))
        return { differences: [], needs: (error as Error).message }
    }
  }
}

/**
 * Gives a table what an error asks for. A schema that looks like a changed one is another thing: it did not change with it.
 *
 * @returns `false` if nothing answers the error.
 */
function isAnswered({ places, errors }: Answers, table: Draft['table']): boolean {
  const asked = [...places].filter(([key]) => !table.places.has(key))
  for (const [key, meaning] of asked) table.places.set(key, meaning.startsWith('(') ? () => undefined : null)
  if (errors === undefined || table.errors !== undefined) return asked.length > 0
  table.errors = errors
  return true
}

/** Returns the table of a draft. */
function tableOf({ table, removed }: Pick<Draft, 'table' | 'removed'>, document: JsonSchema) {
  const places = Object.fromEntries(table.places)
  const routes = routesOf(document, { removed: removed.map((older) => older.document), places })
  const format = typeof table.errors === 'string' ? referenceTo(table.errors) : null
  return table.errors === undefined ? routes : routes.describe('*', { response: { '4XX': format, '5XX': format } })
}

function differencesIn(draft: Omit<Draft, 'unread'>, views: readonly DocumentView[], without?: ReadonlySet<string>) {
  const { document, version: newest } = views.at(-1) as DocumentView
  const routes = tableOf(draft, document)
  const changes = historyOf(draft, without)
  const made = openapi({ scheme: HeaderVersioning, defaultVersion: newest, changes, routes })
  const generated = new Set(
    views.flatMap(({ operations }) => [...operations.values()].filter(isGeneratedId).map(({ id }) => id)),
  )
  const versions = new Map<string, DocumentDifference & { readonly versions: string[] }>()
  const { errors } = draft.table
  for (const { version, document } of views.slice(0, -1)) {
    const settings = { allowedVersions: [version], defaultVersion: version }
    const routes = tableOf({ removed: [], table: { places: new Map(), errors } }, document)
    const given = openapi({ scheme: HeaderVersioning, ...settings, routes }).document(version)
    const [before, after] = [given, made.document(version)].map((one) => comparable({ ...one }, generated))
    for (const one of differencesOf(before, after)) {
      if (one.kind === 'changed' && without?.has(one.part) === true) continue
      const text = differenceText(one)
      if (!versions.has(text)) versions.set(text, { ...one, versions: [] })
      versions.get(text)?.versions.push(version)
    }
  }
  // One sentence for all parts that differ in the same way, in the same documents.
  const groups = new Map<string, { kind: DocumentDifference['kind']; end: string; parts: string[] }>()
  for (const { part, kind, at, versions: all } of versions.values()) {
    const [document, show] = all.length === 1 ? ['document', 'shows'] : ['documents', 'show']
    const end = `${at === '' ? '' : ` at ${at}`}: the ${document} of ${namesOf(all)} ${show} what ${newest} has`
    const key = `${kind}${end}`
    if (!groups.has(key)) groups.set(key, { kind, end, parts: [] })
    groups.get(key)?.parts.push(part)
  }
  return [...groups.values()].map(({ kind, end, parts }) => {
    const [one, several] = WORDS[kind]
    return `no change can say that ${namesOf(parts)} ${parts.length === 1 ? one : several}${end}`
  })
}

/** Returns a document without the addresses of servers and the generated names of operations: each version has its own. */
function comparable({ servers: _servers, paths, ...rest }: JsonSchema, generated: ReadonlySet<unknown>): JsonSchema {
  const copyOf = (value: unknown, levels: number): unknown => {
    if (!isObject(value) || levels === 0) return value
    const kept = Object.entries(value).filter(
      ([key, inner]) => key !== 'servers' && !(key === 'operationId' && generated.has(inner)),
    )
    return Object.fromEntries(kept.map(([key, inner]) => [key, copyOf(inner, levels - 1)]))
  }
  return { ...rest, paths: copyOf(paths, LEVELS) }
}

/** Makes the history. Parts that somebody has to write fail when they are used. */
function historyOf(
  { oldest, versions }: Pick<Draft, 'oldest' | 'versions'>,
  without: ReadonlySet<string> = new Set(),
): VersionHistory {
  // Its type grows with each version.
  let history = versionHistory(oldest) as VersionHistory
  for (const { version, changes } of versions) {
    const made = changes.flatMap(({ description, operations }) => {
      const kept = Object.entries(operations).filter(([name]) => !without.has(name))
      return kept.length === 0 ? [] : change(description, madeOf(Object.fromEntries(kept)) as OperationChanges)
    })
    history = history.version(version, ...made) as VersionHistory
  }
  return history
}
