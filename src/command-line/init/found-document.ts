// The OpenAPI document that `init` finds in an app.
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parsedJson } from '../../http/json'
import { routesOf } from '../../openapi'
import { shown } from '../../util/options'
import { CommandError, withCommandErrors } from '../arguments'
import { readDocument } from '../documents'
import { load } from '../module'
import type { App } from './app'
import { madeIn, type OpenApiLike } from './made-documents'

/** A document, and how a module gets it. */
export interface FoundDocument {
  /** Its file, below the folder of the app. */
  readonly file: string
  readonly document: OpenApiLike
  /** The name that a module exports it by; `default` for the whole of a module, undefined for a file of JSON or YAML. */
  readonly exportName: string | undefined
  /** `true` if the export is a function that makes it. */
  readonly isCalled: boolean
  /** The variable of the app that has it, where no other module gets it. */
  readonly variable: string | undefined
  /** The package that reads it, and its function, if it is YAML. */
  readonly yaml: { readonly name: string; readonly method: string } | undefined
  /** `true` if it begins with a byte order mark. Parsers of YAML take that. */
  readonly hasMark: boolean
}

/** Matches the name of a module that exports a document. Others are not loaded. */
const MODULE = /^(?:openapi|swagger|api-docs)(?:[._-]\w+)?\.[cm]?js$/i

const NAMES = ['openapi', 'swagger', 'api-docs']
const EXTENSIONS = ['.json', '.yaml', '.yml']

function isNamed(file: string): boolean {
  const name = posix.basename(file).toLowerCase()
  return EXTENSIONS.includes(posix.extname(name)) && NAMES.some((part) => name.includes(part))
}

/**
 * Finds the OpenAPI document of an app: a file of JSON or YAML, else a module that exports it. Those near the root come first.
 *
 * @throws {CommandError} if there is none, and for one that `routesOf()` does not take.
 */
export async function documentIn(directory: string, app: App): Promise<FoundDocument> {
  const found = inFiles(directory, app) ?? (await inModules(directory, app))
  if (found !== undefined) withCommandErrors(() => routesOf(found.document))
  const made = found ?? inSources(app)
  if (made !== undefined) return made
  throw new CommandError(
    'there is no OpenAPI document of version 3 here: no file such as openapi.json or openapi.yaml, no module such as openapi.js that exports one, and neither swagger-jsdoc nor zod-to-openapi. Write the document next to package.json.',
  )
}

const NONE = { exportName: undefined, isCalled: false, variable: undefined, yaml: undefined, hasMark: false }

function inFiles(directory: string, app: App): FoundDocument | undefined {
  for (const file of [...writtenByTsoa(directory, app), ...app.files.filter(isNamed)]) {
    const { value: document, yaml, hasMark } = readDocument(file, directory)
    if (!isDocument(document)) continue
    if (yaml !== undefined && !app.packages.has(yaml.name)) {
      const option = app.tools.has(yaml.name) ? '--save-prod ' : ''
      throw new CommandError(
        `${shown(file)} is YAML, which the app reads when it starts, so the package is needed in production: npm install ${option}${yaml.name}`,
      )
    }
    return { ...NONE, file, document, yaml, hasMark }
  }
  return undefined
}

/** Returns the file that tsoa writes, which is among what a build makes. */
function writtenByTsoa(directory: string, { files, read }: App): string[] {
  if (!files.includes('tsoa.json')) return []
  const {
    outputDirectory,
    specFileBaseName = 'swagger',
    yaml = false,
  } = Object(Object(parsedJson(read('tsoa.json'))?.value).spec) as {
    outputDirectory?: unknown
    specFileBaseName?: unknown
    yaml?: unknown
  }
  if (typeof outputDirectory !== 'string') return []
  const file = posix.join(outputDirectory, `${specFileBaseName}.${yaml === true ? 'yaml' : 'json'}`)
  if (existsSync(join(directory, file))) return [file]
  throw new CommandError(`tsoa has not written ${shown(file)} yet: npx tsoa spec, and then this command.`)
}

async function inModules(directory: string, { files }: App): Promise<FoundDocument | undefined> {
  for (const file of files.filter((one) => MODULE.test(posix.basename(one)))) {
    const loaded = await load(file, directory)
    const { default: whole } = loaded as { readonly default?: unknown }
    const named: Record<string, unknown> = { ...loaded, default: isDocument(loaded) ? loaded : whole }
    const exportName = Object.keys(named).find((key) => isDocument(named[key]))
    if (exportName !== undefined) return { ...NONE, file, document: named[exportName] as OpenApiLike, exportName }
  }
  return undefined
}

/** Looks for a document that the app makes when it starts: in its own file, or in one that exports it. */
function inSources({ main, sources, read }: App): FoundDocument | undefined {
  let hidden: string | undefined
  for (const file of new Set(main === undefined ? sources : [main, ...sources])) {
    const made = madeIn(read(file), () => sources.map(read))
    if (made === undefined) continue
    const { variable, exportName, isCalled, document } = made
    if (file === main && variable !== undefined)
      return { ...NONE, file, document, variable: isCalled ? `${variable}()` : variable }
    if (file !== main && exportName !== undefined) return { ...NONE, file, document, exportName, isCalled }
    hidden ??= file
  }
  if (hidden === undefined) return undefined
  throw new CommandError(
    `${shown(hidden)} makes an OpenAPI document that no other file can have. Export it from a file of its own: export const document = ..., or exports.document = ...`,
  )
}

/** Tells whether a value is an OpenAPI document. One of version 2 counts, so that the error is about it. */
function isDocument(value: unknown): value is OpenApiLike {
  const { openapi, swagger } = Object(value) as { openapi?: unknown; swagger?: unknown }
  return typeof openapi === 'string' || typeof swagger === 'string'
}
