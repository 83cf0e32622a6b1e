// The draft of a history: its changes, and what it could not read or say.
import { SchemaComparison } from '../../schemas/differences'
import { resolveOwn } from '../../schemas/graph'
import { isKeyword } from '../../schemas/keywords'
import { isName, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { shown } from '../../util/options'
import { quietly } from '../../util/warn'
import type { Draft, DraftChange } from './draft-model'
import { todosIn } from './literal'
import { namesOf } from './names'
import { withMoved } from './older-paths'
import { proofOf } from './proof'
import { type DraftStep, draftStep } from './step'
import { type DocumentView, isSharedBy, type SchemaSettings, viewOf } from './view'
import { writtenSchema } from './written-schemas'

const OWNER = 'draftHistory()'

/**
 * Drafts the history of documents.
 *
 * @param documents the documents, oldest first.
 * @throws {TypeError} for fewer than two documents, for those that `routesOf()` rejects, and for two of one version.
 */
export function draftOf(documents: readonly object[]): Draft {
  return quietly(() => draftedOf(documents))
}

function draftedOf(documents: readonly object[]): Draft {
  if (!Array.isArray(documents) || documents.length < 2) {
    throw new TypeError(
      `${OWNER} takes a list of two OpenAPI documents or more, oldest first; got ${shown(documents)}.`,
    )
  }
  const read = documents.map((document, index) => {
    try {
      return viewOf(document)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new TypeError(`${OWNER}, document ${index + 1} of ${documents.length}: ${error.message}`, { cause: error })
    }
  })
  const versions = read.map(({ version }) => version)
  const twice = versions.find((name, index) => versions.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new TypeError(`${OWNER}: two documents have the version ${shown(twice)}: give each its own "info.version".`)
  }
  const settingsOf = comparisonsOf(read)
  const views = withMoved(read, settingsOf)
  // Of each operation, the last document decides.
  const table = new Map(views.flatMap(({ operations }) => [...operations]))
  const pairs = views.slice(1).map((newer, index) => [views[index] as DocumentView, newer] as const)
  const steps = pairs.map(([older, newer]) => draftStep(older, newer, table, settingsOf(older, newer)))
  const drafted = pairs.map(([older, newer], index) => ({
    version: newer.version,
    changes: changesOf(steps[index] as DraftStep, older.version, newer.version),
  }))
  const draft = {
    title: String(((views.at(-1) as DocumentView).document.info as JsonSchema).title),
    oldest: versions[0] as string,
    versions: drafted,
    removed: olderWith(views),
    table: { places: new Map(), errors: undefined },
    todos: drafted.flatMap(({ changes }) => changes).reduce((count, { operations }) => count + todosIn(operations), 0),
  }
  const shapes = new Set(steps.flatMap((one) => [...one.shapes.keys()]))
  const unproved = proofOf(draft, views, shapes)
  return { ...draft, unread: [...openIn(views), ...unproved, ...untoldIn(draft)] }
}

/** Returns a function that compares and writes the schemas of two neighbours of some documents. */
function comparisonsOf(views: readonly DocumentView[]) {
  return (older: DocumentView, newer: DocumentView): SchemaSettings => {
    const isShared = isSharedBy(older, newer)
    const comparison = new SchemaComparison<SchemaReading>({
      follow: resolveOwn,
      counts: (keyword) => !isKeyword(keyword, 'text'),
      isSameName: (one, other) => one === other && isName(one) && isShared(one),
    })
    const after = views.slice(views.findIndex(({ version }) => version === older.version) + 1)
    const isKnown = (name: string) => isName(name) && after.some(({ definitions }) => definitions.has(name))
    return {
      same: (one: SchemaReading, other: SchemaReading) => comparison.isSame(one, other),
      written: (reading: SchemaReading) => writtenSchema(reading, isKnown),
    }
  }
}

/** Returns the documents that have operations which all later ones lack. */
function olderWith(views: readonly DocumentView[]): DocumentView[] {
  return views.slice(0, -1).filter(({ operations }, index) => {
    const later = views.slice(index + 1)
    return [...operations.keys()].some((key) => later.every((view) => !view.operations.has(key)))
  })
}

/** Lists the parts of documents that say too little. */
function openIn(views: readonly DocumentView[]): string[] {
  const messages = [...new Set(views.flatMap(({ open }) => open))]
  return messages.map((message) => {
    const versions = views.filter(({ open }) => open.includes(message)).map(({ version }) => version)
    return `in ${namesOf(versions)}: ${message}`
  })
}

/** Lists the unions whose branches nothing tells. */
function untoldIn({ table }: Pick<Draft, 'table'>): string[] {
  const untold = [...table.places].flatMap(([key, meaning]) => (meaning === null ? [] : key))
  return untold.map((key) => `nothing tells the branch of a value at "${key}": write the function in "places"`)
}

function changesOf({ shapes, operations, added, removed }: DraftStep, older: string, newer: string): DraftChange[] {
  const marked = (names: readonly string[], mark: string, description: string) =>
    names.length === 0 ? [] : [{ description, operations: Object.fromEntries(names.map((name) => [name, mark])) }]
  const said = new Map([...shapes, ...operations])
  return [
    ...(said.size === 0
      ? []
      : [
          {
            description: `${quotedNames([...said.keys()])} changed since ${older}.`,
            operations: Object.fromEntries(said),
          },
        ]),
    ...marked(added, 'added', `New in ${newer}: ${quotedNames(added)}.`),
    ...marked(removed, 'removed', `Gone in ${newer}: ${quotedNames(removed)}.`),
  ]
}

function quotedNames(names: readonly string[]): string {
  return namesOf(names.map((name) => `\`${name}\``))
}
