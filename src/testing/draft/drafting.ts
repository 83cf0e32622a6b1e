// `draftHistory()`: a first history from the documents of an API: its changes, and what it could not read or say.
import { oddKeyword } from '../../changes/describe/fields/field-schemas'
import { type CompiledFields, fields } from '../../changes/describe/fields/fields'
import { shape } from '../../changes/describe/shape'
import { closedSchema } from '../../schemas/closed'
import { SchemaComparison } from '../../schemas/differences'
import { resolveOwn, withinReach } from '../../schemas/graph'
import { isKeyword } from '../../schemas/keywords'
import { DIRECTIONS, definitionOf, isName, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { isOfOther } from '../../schemas/one-sided'
import { below } from '../../schemas/pointers'
import { shown } from '../../util/options'
import { quietly } from '../../util/warn'
import {
  call,
  type Draft,
  type DraftChange,
  type Literal,
  madeOf,
  moduleOf,
  namesOf,
  todo,
  todosIn,
} from './draft-text'
import { operationChange, withMoved } from './operation-drafts'
import { proofOf } from './proof'
import { GUESSES, proposed, sideOf, type Use } from './proposals'
import { type DocumentView, isSharedBy, type OperationView, responsesIn, type SchemaSettings, viewOf } from './view'

const OWNER = 'draftHistory()'

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

/**
 * Writes a schema of an older version as one of its own: with the definitions that later versions do not have.
 *
 * @param isKnown tells whether a later version has a named schema: it is then referred to by its name.
 */
function writtenSchema(reading: SchemaReading, isKnown: (name: string) => boolean): JsonSchema {
  const { $defs, ...root } = closedSchema(
    reading,
    (reference, from) => (isName(reference) && isKnown(reference) ? undefined : resolveOwn(reference, from)),
    // Names of this form are those of tools: such a schema stays without a name.
    (reference, index) => (isName(reference) ? reference : `__schema${index}`),
    (reference) => below('#/components/schemas', reference),
  )
  return Object.keys($defs).length === 0 ? root : { ...root, $defs }
}

/** The changes from a document to the next one, by what they are about. */
export interface DraftStep {
  readonly shapes: ReadonlyMap<string, Literal>
  readonly operations: ReadonlyMap<string, Literal>
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** The differences that no change can say. */
  readonly unsaid: readonly string[]
}

/**
 * Finds the changes from a document to the next one.
 *
 * @param table the operations of all documents by key, each as the last document that has it writes it.
 */
function draftStep(
  older: DocumentView,
  newer: DocumentView,
  table: ReadonlyMap<string, OperationView>,
  settings: SchemaSettings,
): DraftStep {
  const shapes = new Map<string, Literal>()
  for (const [name, use] of usedIn(older, newer)) {
    if (!isName(name) || !isSharedBy(older, newer)(name)) continue
    const [before, after] = [older, newer].map(({ definitions }) =>
      definitionOf({ schema: {}, definitions }, name),
    ) as [SchemaReading, SchemaReading]
    if (!settings.same(before, after)) shapes.set(name, shapeChange(name, before, after, use, settings))
  }
  const operations = new Map<string, Literal>()
  const [added, removed, unsaid]: [string[], string[], string[]] = [[], [], []]
  for (const [key, { method, path }] of table) {
    const name = `${method} ${path}`
    const [before, after] = [older.operations.get(key), newer.operations.get(key)]
    if (before !== undefined && after !== undefined) {
      const made = operationChange(name, before, after, settings)
      unsaid.push(...made.unsaid)
      if (Object.keys(made.change).length > 0) operations.set(name, made.change)
    } else if (after !== undefined) added.push(name)
    else if (before !== undefined) removed.push(name)
  }
  return { shapes, operations, added, removed, unsaid }
}

/** Makes the change of a shape: as data where `fields()` leads to the older definition, else by steps that somebody has to write. */
function shapeChange(
  name: string,
  older: SchemaReading,
  newer: SchemaReading,
  use: Use,
  settings: SchemaSettings,
): Literal {
  if (oddKeyword(older.schema) === undefined && oddKeyword(newer.schema) === undefined) {
    const [before, after] = [sideOf(older), sideOf(newer)]
    for (const without of GUESSES) {
      const literal = call('fields', fields, proposed(name, before, after, use, settings, without))
      if (leadsTo(older, newer, literal, settings)) return literal
    }
  }
  const steps = {
    ...(use.inResponses ? { response: todo(`${name}: make the older shape of the newer one`) } : {}),
    ...(use.inBodies ? { request: todo(`${name}: make the newer shape of the older one`) } : {}),
  }
  return call('shape', shape as (...args: never[]) => unknown, settings.written(older), steps)
}

/** Tells whether `fields()` makes the older definition of the newer one. */
function leadsTo(older: SchemaReading, newer: SchemaReading, literal: Literal, { same }: SchemaSettings): boolean {
  const faults: string[] = []
  try {
    const compiled = madeOf(literal) as CompiledFields
    return DIRECTIONS.every((direction) => {
      const fault = (problem: string) => void faults.push(problem)
      const isServed = (property: SchemaReading) => isOfOther(property, resolveOwn, direction)
      const { own } = compiled.olderSide(newer, { direction, resolve: resolveOwn, isPreset: true, isServed, fault })
      return faults.length === 0 && own !== undefined && same(older, own)
    })
  } catch {
    // The options say nothing, or something that fields() does not take.
    return false
  }
}

/** Finds the named schemas that operations of the table hold at this point, and where. */
function usedIn(older: DocumentView, newer: DocumentView): ReadonlyMap<string, Use> {
  const kept = [...older.operations].filter(([key]) => !newer.operations.has(key)).map(([, operation]) => operation)
  const all = [...newer.operations.values(), ...kept]
  const sides = [
    all.flatMap(({ body, query }) => [body, query].filter((one) => one !== null && one !== undefined)),
    all.flatMap(responsesIn),
  ]
  const [bodies, responses] = sides.map((readings) => namesIn(readings, newer)) as [Set<string>, Set<string>]
  return new Map(
    [...newer.definitions.keys()]
      .filter((name) => bodies.has(name) || responses.has(name))
      .map((name) => [name, { inBodies: bodies.has(name), inResponses: responses.has(name) }]),
  )
}

/** Finds the named schemas in some schemas, at any depth, as a document has them. */
function namesIn(readings: readonly SchemaReading[], { definitions }: DocumentView): Set<string> {
  const found = new Set<string>()
  withinReach(readings, (reference, from) => {
    if (isName(reference)) found.add(reference)
    return resolveOwn(reference, isName(reference) && definitions.has(reference) ? { ...from, definitions } : from)
  })
  return found
}
