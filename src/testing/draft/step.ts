// One step of the draft: the changes from a document to the next one.

import { oddKeyword } from '../../changes/describe/fields/field-schemas'
import { type CompiledFields, fields } from '../../changes/describe/fields/fields'
import { shape } from '../../changes/describe/shape'
import { withinReach } from '../../schemas/graph'
import { DIRECTIONS, isName, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { isOfOther } from '../../schemas/one-sided'
import { Call, type Literal, madeOf, todo } from './literal'
import { operationChange } from './operation-drafts'
import { GUESSES, proposed, sideOf, type Use } from './proposals'
import { type DocumentView, isSharedBy, type OperationView, responsesIn, type SchemaSettings } from './view'

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
export function draftStep(
  older: DocumentView,
  newer: DocumentView,
  table: ReadonlyMap<string, OperationView>,
  settings: SchemaSettings,
): DraftStep {
  const shapes = new Map<string, Literal>()
  for (const [name, use] of usedIn(older, newer)) {
    if (!isName(name) || !isSharedBy(older, newer)(name)) continue
    const [before, after] = [older, newer].map((view) => definitionIn(view, name)) as [SchemaReading, SchemaReading]
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
  const resolve = (reference: string, { definitions }: SchemaReading) => {
    const schema = definitions.get(reference)
    return schema && { schema, definitions }
  }
  if (oddKeyword(older.schema) === undefined && oddKeyword(newer.schema) === undefined) {
    const given = { name, use, ...settings, resolve, older: sideOf(older), newer: sideOf(newer) }
    for (const without of GUESSES) {
      const literal = new Call('fields', fields, [proposed(given, without)])
      if (leadsTo(older, newer, literal, resolve, settings)) return literal
    }
  }
  const steps = {
    ...(use.inResponses ? { response: todo(`${name}: make the older shape of the newer one`) } : {}),
    ...(use.inBodies ? { request: todo(`${name}: make the newer shape of the older one`) } : {}),
  }
  return new Call('shape', shape as (...args: never[]) => unknown, [settings.written(older), steps])
}

/** Tells whether `fields()` makes the older definition of the newer one. */
function leadsTo(
  older: SchemaReading,
  newer: SchemaReading,
  literal: Literal,
  resolve: (reference: string, from: SchemaReading) => SchemaReading | undefined,
  { same }: SchemaSettings,
): boolean {
  const faults: string[] = []
  try {
    const compiled = madeOf(literal) as CompiledFields
    return DIRECTIONS.every((direction) => {
      const fault = (problem: string) => void faults.push(problem)
      const isServed = (property: SchemaReading) => isOfOther(property, resolve, direction)
      const { own } = compiled.olderSide(newer, { direction, resolve, isPreset: true, isServed, fault })
      return faults.length === 0 && own !== undefined && same(older, own)
    })
  } catch {
    // The options say nothing, or something that fields() does not take.
    return false
  }
}

function definitionIn({ definitions }: DocumentView, name: string): SchemaReading {
  return { schema: definitions.get(name) as JsonSchema, definitions }
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
    const own = isName(reference) && definitions.has(reference) ? definitions : from.definitions
    const schema = own.get(reference)
    return schema && { schema, definitions: own }
  })
  return found
}
