// The OpenAPI document that `init` finds in an app.
import { posix } from 'node:path'
import { routesOf } from '../../openapi'
import { shown } from '../../util/options'
import { CommandError, withCommandErrors } from '../arguments'
import { readDocument } from '../documents'
import { load } from '../module'
import type { App } from './app'

/** A document, and how a module gets it. */
export interface FoundDocument {
  /** Its file, below the folder of the app. */
  readonly file: string
  readonly document: OpenApiLike
  /** The name that a module exports it by; undefined for a file of JSON or YAML. */
  readonly exportName: string | undefined
  /** The package that reads it, and its function, if it is YAML. */
  readonly yaml: { readonly name: string; readonly method: string } | undefined
  /** `true` if it begins with a byte order mark. Parsers of YAML take that. */
  readonly hasMark: boolean
}

/** The parts of a document that `init` reads. */
export interface OpenApiLike {
  readonly openapi: string
  readonly info?: { readonly version?: unknown } | undefined
  readonly servers?: readonly { readonly url?: unknown }[] | undefined
  readonly paths?: object | undefined
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
  if (found === undefined) {
    throw new CommandError(
      'there is no OpenAPI document of version 3 here: no file such as openapi.json or openapi.yaml, and no module such as openapi.js that exports one. Write the document next to package.json; with swagger-jsdoc, export what it makes from a file openapi.js.',
    )
  }
  withCommandErrors(() => routesOf(found.document))
  return found
}

function inFiles(directory: string, app: App): FoundDocument | undefined {
  for (const file of app.files.filter(isNamed)) {
    const { value: document, yaml, hasMark } = readDocument(file, directory)
    if (!isDocument(document)) continue
    if (yaml !== undefined && !app.packages.has(yaml.name)) {
      const option = app.tools.has(yaml.name) ? '--save-prod ' : ''
      throw new CommandError(
        `${shown(file)} is YAML, which the app reads when it starts, so the package is needed in production: npm install ${option}${yaml.name}`,
      )
    }
    return { file, document, exportName: undefined, yaml, hasMark }
  }
  return undefined
}

async function inModules(directory: string, { files }: App): Promise<FoundDocument | undefined> {
  for (const file of files.filter((one) => MODULE.test(posix.basename(one)))) {
    const exported: Record<string, unknown> = { ...(await load(file, directory)) }
    const name = Object.keys(exported).find((key) => isDocument(exported[key]))
    if (name === undefined) continue
    const document = exported[name] as OpenApiLike
    return { file, document, exportName: name, yaml: undefined, hasMark: false }
  }
  return undefined
}

/** Tells whether a value is an OpenAPI document. One of version 2 counts, so that the error is about it. */
function isDocument(value: unknown): value is OpenApiLike {
  const { openapi, swagger } = Object(value) as { openapi?: unknown; swagger?: unknown }
  return typeof openapi === 'string' || typeof swagger === 'string'
}
