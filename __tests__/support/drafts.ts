// The modules that `draftHistory()` writes, and the documents that they give.
import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import * as changes from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/document-differences'

export type Document = { readonly info: { readonly version: string } }

interface Drafted {
  readonly history: VersioningOptions['changes']
  readonly places?: object
  /** Makes the table as the draft prints it. */
  tableOf(documents: readonly Document[]): NonNullable<VersioningOptions['routes']>
  /** Describes the errors of a table as the draft prints it. */
  describe(routes: object): NonNullable<VersioningOptions['routes']>
}

/** Runs the text of a draft. */
export function drafted(text: string): Drafted {
  const body = text
    .replace(/^import \{(.*)\} from 'express-versioning\/changes'$/m, 'const {$1} = changes')
    .replace(/^export const (\w+) =/gm, 'exports.$1 =')
  const exports = {}
  new Function('changes', 'exports', `'use strict';${body}`)(changes, exports)
  const module = exports as Drafted
  const [, table = '', errors = ''] = /routes: (routesOf\(.*?\))((?:\.describe\(.*\))?) \}\)$/m.exec(text) ?? []
  const older = new Map([...text.matchAll(/(older\d*) that of (\S+?)(?=,|\.$)/gm)].map(([, name, of]) => [name, of]))
  const describe = (routes: object) => new Function('routes', `return routes${errors}`)(routes)
  const tableOf = (documents: readonly Document[]) => {
    const found = [...older.values()].map((of) => documents.find(({ info }) => info.version === of))
    const names = ['routesOf', 'places', 'document', ...older.keys()] as string[]
    const values = [routesOf, module.places, documents.at(-1), ...found]
    return describe(new Function(...names, `return ${table}`)(...values))
  }
  return { ...module, describe, tableOf }
}

/** Returns the document of a version that a draft of some documents gives. */
export function givenBy({ history, tableOf }: Drafted, documents: readonly Document[], version: string): object {
  const newest = documents.at(-1) as Document
  const routes = tableOf(documents)
  const { version: defaultVersion } = newest.info
  return openapi({ scheme: HeaderVersioning, defaultVersion, changes: history, routes }).document(version)
}

/** Returns a document as `openapi()` writes it without changes. */
export function alone(document: Document, { describe }: Pick<Drafted, 'describe'>): object {
  const { version } = document.info
  return openapi({
    scheme: HeaderVersioning,
    allowedVersions: [version],
    defaultVersion: version,
    routes: describe(routesOf(document)),
  }).document(version)
}

export const isComplete = (text: string): boolean => text.includes('// The draft is complete')

/** Drafts the history of two documents, of which the older one must be what the draft gives. */
export function complete(older: Document, newer: Document): string {
  const written = draftHistory([older, newer])
  expect(written).toContain('The draft is complete')
  expectOlder(written, older, newer)
  return written
}

/** Expects that a draft gives the older one of two documents. */
export function expectOlder(draft: string, older: Document, newer: Document) {
  const module = drafted(draft)
  expect(differencesOf(alone(older, module), givenBy(module, [older, newer], older.info.version))).toEqual([])
}

/** Expects code in a draft, whatever its line breaks and last commas. `…` is any text without braces. */
export function expectIn(draft: string, code: string) {
  const pattern = code.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^{}]*')
  expect(draft.replace(/\s+/g, ' ').replace(/,(?= [}\])])/g, '')).toMatch(new RegExp(pattern))
}
