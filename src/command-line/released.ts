// The documents of versions as files of a folder: `--out` writes them, `--check` compares them.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsedJson } from '../http/json'
import type { OpenApiDocument, OpenApiDocuments } from '../openapi'
import { type DocumentDifference, differencesOf, differenceText } from '../openapi/document-differences'
import { documentFileOf } from '../survey/versions'
import { CommandError } from './arguments'

/** The findings, one a line. */
export interface Found {
  readonly isGood: boolean
  /** `true` if released versions only got more operations. */
  readonly isMore?: boolean
  readonly lines: readonly string[]
}

/**
 * Writes the document of each version into a folder, and creates the folder if it is missing. A file that means the same stays
 * as it is.
 *
 * @throws {CommandError} if the system rejects.
 */
export function writeDocuments(documents: OpenApiDocuments, folder: string): Found {
  const files = filesOf(documents)
  const written: string[] = []
  try {
    mkdirSync(folder, { recursive: true })
    for (const [file, document] of files) {
      const path = join(folder, file)
      const text = textOf(path)
      const committed = text === undefined ? undefined : parsedJson(text)?.value
      if (committed !== undefined && differencesOf(committed, document).length === 0) continue
      writeFileSync(path, `${JSON.stringify(document, undefined, 2)}\n`)
      written.push(file)
    }
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
  return { isGood: true, lines: [...written.map((file) => `${file} is written.`), ...extraFiles(files, folder)] }
}

/**
 * Compares the document of each version with its file. The newest version and previews may change: their differences are only listed.
 *
 * @throws {CommandError} for a file that is not JSON.
 */
export function checkDocuments(documents: OpenApiDocuments, folder: string): Found {
  const files = filesOf(documents)
  const isPreview = (document: object) => 'x-preview' in document
  const newest = [...files].findLast(([, document]) => !isPreview(document))?.[0]
  const lines: string[] = []
  let isGood = true
  let isMore = true
  for (const [file, document] of files) {
    const committed = readDocument(join(folder, file))
    const found = committed === undefined ? undefined : differencesOf(committed, document)
    const free = file === newest ? ' (the newest)' : isPreview(document) ? ' (a preview)' : ''
    if (free === '' && found?.length !== 0) {
      isGood = false
      isMore &&= found?.every(isAddition) === true
    }
    const texts = found?.map(differenceText) ?? ['the file is missing']
    lines.push(...texts.map((text) => `${file}${free}: ${text}.`))
  }
  const extra = extraFiles(files, folder)
  return {
    isGood: isGood && extra.length === 0,
    isMore: !isGood && isMore && extra.length === 0,
    lines: [...lines, ...extra],
  }
}

/** Tells whether a difference is an operation that a released version did not have. */
function isAddition({ kind, isOperation }: DocumentDifference): boolean {
  return kind === 'new' && isOperation
}

/** Lists the documents by file name, oldest first. Paths, webhooks and components are sorted by name. */
function filesOf(documents: OpenApiDocuments): Map<string, OpenApiDocument> {
  return new Map(
    documents.versions.map((version) => {
      const { paths, webhooks, components, ...rest } = documents.document(version)
      const kinds = Object.entries(components ?? {}).map(([kind, named]) => [kind, sorted(named as object)])
      return [
        documentFileOf(version),
        {
          ...rest,
          paths: sorted(paths),
          ...(webhooks === undefined ? {} : { webhooks: sorted(webhooks) }),
          ...(components === undefined ? {} : { components: Object.fromEntries(kinds) }),
        } as OpenApiDocument,
      ]
    }),
  )
}

function sorted(named: object): object {
  const all = named as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((name) => [name, all[name]]),
  )
}

function readDocument(path: string): unknown {
  const text = textOf(path)
  if (text === undefined) return undefined
  const document = parsedJson(text)?.value
  if (document === undefined) throw new CommandError(`${path} is not JSON.`)
  return document
}

/** Returns the text of a file; `undefined` if it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function extraFiles(files: ReadonlyMap<string, unknown>, folder: string): string[] {
  let there: string[]
  try {
    there = readdirSync(folder)
  } catch {
    return []
  }
  const extra = there.filter((file) => file.endsWith('.json') && !files.has(file)).sort()
  return extra.map((file) => `${file}: there is no such version. Delete the file if the version was dropped.`)
}
