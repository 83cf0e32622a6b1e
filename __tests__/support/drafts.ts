// The modules that `draftHistory()` writes, and the documents that they give.
import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import * as changes from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/meaning/document-differences'

export type Document = { readonly info: { readonly version: string } }

interface Drafted {
  readonly history: VersioningOptions['changes']
}

/** Runs the text of a draft. */
export function drafted(text: string): Drafted {
  const body = text
    .replace(/^import \{(.*)\} from 'express-versioning\/changes'$/m, 'const {$1} = changes')
    .replace(/^export const (\w+) =/gm, 'exports.$1 =')
  const exports = {}
  new Function('changes', 'exports', `'use strict';${body}`)(changes, exports)
  return exports as Drafted
}

/** Returns the document of a version that a draft of some documents gives. */
export function givenBy({ history }: Drafted, documents: readonly Document[], version: string): object {
  const newest = documents.at(-1) as Document
  const routes = routesOf(newest, { removed: documents.slice(0, -1) })
  const { version: defaultVersion } = newest.info
  return openapi({ scheme: HeaderVersioning, defaultVersion, changes: history, routes }).document(version)
}

/** Returns a document as `openapi()` writes it without changes. */
export function alone(document: Document): object {
  const { version } = document.info
  return openapi({
    scheme: HeaderVersioning,
    allowedVersions: [version],
    defaultVersion: version,
    routes: routesOf(document),
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
  expect(differencesOf(alone(older), givenBy(drafted(draft), [older, newer], older.info.version))).toEqual([])
}

/** Expects code in a draft, whatever its line breaks and last commas. `…` is any text without braces. */
export function expectIn(draft: string, code: string) {
  const pattern = code.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^{}]*')
  expect(draft.replace(/\s+/g, ' ').replace(/,(?= [}\])])/g, '')).toMatch(new RegExp(pattern))
}
