// The documents of versions as files of a folder: `--out` writes them, `--check` compares them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiDocument, OpenApiDocuments } from '../openapi'
import { isObject, type JsonSchema } from '../schemas/model'
import { documentFileOf } from '../survey/versions'
import { CommandError } from './arguments'

/** The findings, one a line. */
export interface Found {
  readonly isGood: boolean
  readonly lines: readonly string[]
}

/**
 * Writes the document of each version into a folder, and creates the folder if it is missing.
 *
 * @throws {CommandError} if the system refuses.
 */
export function writeDocuments(documents: OpenApiDocuments, folder: string): Found {
  const files = filesOf(documents)
  try {
    mkdirSync(folder, { recursive: true })
    for (const [file, document] of files) {
      writeFileSync(join(folder, file), `${JSON.stringify(document, undefined, 2)}\n`)
    }
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
  return {
    isGood: true,
    lines: [...[...files.keys()].map((file) => `${file} is written.`), ...extraFiles(files, folder)],
  }
}

/**
 * Compares the document of each version with its file. The newest version may change: its differences are only listed.
 *
 * @throws {CommandError} for a file that is not JSON.
 */
export function checkDocuments(documents: OpenApiDocuments, folder: string): Found {
  const files = filesOf(documents)
  const newest = [...files.keys()].at(-1)
  const lines: string[] = []
  let isGood = true
  for (const [file, document] of files) {
    const committed = readDocument(join(folder, file))
    const found = committed === undefined ? ['the file is missing'] : differencesOf(committed, document)
    if (found.length > 0 && file !== newest) isGood = false
    lines.push(...found.map((difference) => `${file}${file === newest ? ' (the newest)' : ''}: ${difference}.`))
  }
  const extra = extraFiles(files, folder)
  return { isGood: isGood && extra.length === 0, lines: [...lines, ...extra] }
}

/** Lists the documents by file name, oldest first. Paths and components are sorted by name. */
function filesOf(documents: OpenApiDocuments): Map<string, OpenApiDocument> {
  return new Map(
    documents.versions.map((version) => {
      const { paths, components, ...rest } = documents.document(version)
      const kinds = Object.entries(components ?? {}).map(([kind, named]) => [kind, sorted(named as object)])
      return [
        documentFileOf(version),
        {
          ...rest,
          paths: sorted(paths),
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
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${path} is not JSON.`)
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

/**
 * Lists the operations, schemas and other parts in which two documents of a version differ.
 *
 * A date that is reached is not a difference: neither `deprecated` of operations, nor the document of a version that is gone.
 */
function differencesOf(before: unknown, now: unknown): string[] {
  const [old, young] = [partsOf(before), partsOf(now)]
  if ([...young.values()].some(isGone)) return []
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((part) => {
    if (!young.has(part)) return `${part} was removed`
    if (!old.has(part)) return `${part} is new`
    const at = firstDifference(old.get(part), young.get(part), '')
    return at === undefined ? [] : `${part} has changed${at === '' ? '' : ` at ${at}`}`
  })
}

/** Splits a document into the parts to compare: operations as `GET /users`, components as `schemas User`, and the other members. */
function partsOf(document: unknown): Map<string, unknown> {
  const { paths, components, ...rest } = isObject(document) ? document : {}
  const operations = membersOf(paths).flatMap(([path, item]) =>
    membersOf(item).map(([method, operation]): [string, unknown] => {
      const told = isObject(operation) ? { ...operation, deprecated: undefined } : operation
      return [`${method.toUpperCase()} ${path}`, told]
    }),
  )
  const named = membersOf(components).flatMap(([kind, all]) =>
    membersOf(all).map(([name, one]): [string, unknown] => [kind === 'schemas' ? name : `${kind} ${name}`, one]),
  )
  return new Map([...operations, ...named, ...Object.entries(rest)])
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** Tells whether an operation belongs to a version that is gone. */
function isGone(operation: unknown): boolean {
  const { responses } = isObject(operation) ? operation : ({} as JsonSchema)
  return isObject(responses) && Object.keys(responses).join() === '410'
}

/** Returns the first difference as a JSON pointer without escapes; `undefined` for equal values. */
function firstDifference(one: unknown, other: unknown, path: string): string | undefined {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other ? undefined : path
  }
  if (Array.isArray(one) !== Array.isArray(other)) return path
  const [a, b] = [one as JsonSchema, other as JsonSchema]
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[key], b[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
