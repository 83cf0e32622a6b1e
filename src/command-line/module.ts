// The module of the user: its loading, and which export holds the options, the table or the documents.
import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { VersioningOptions } from '../middleware/versioning-options'
import type { OpenApiDocuments } from '../openapi'
import { openapi } from '../openapi'
import type { RouteRegistry } from '../registry'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { type Asked, CommandError } from './arguments'

/** The limit of a module's loading time, in milliseconds. */
const LIMIT = 30_000

/**
 * Loads a module of any kind with `import()`. The process ends if that takes half a minute; commands themselves may take longer.
 *
 * @param file a path, absolute or below `directory`. The extension `.js` and the `index.js` of a folder are optional.
 * @returns its namespace.
 * @throws {CommandError} if there is no such file, and for TypeScript on a Node that cannot read it.
 * @throws the errors of the module.
 */
export async function load(file: string, directory: string): Promise<object> {
  const path = found(file, directory)
  const limit = setTimeout(() => process.exit(0), LIMIT).unref()
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CommandError(
      `Node ${process.versions.node} does not read ${extname(path)} files. For TypeScript, use Node 22.18 or later; or install tsx and set NODE_OPTIONS='--import tsx'; or give the compiled module.`,
    )
  } finally {
    clearTimeout(limit)
  }
}

function found(file: string, directory: string): string {
  try {
    return createRequire(join(directory, '/')).resolve(resolve(directory, file))
  } catch {
    throw new CommandError(`there is no module ${shown(file)} in ${shown(directory)}.`)
  }
}

/** The export of a module that has routes to show. */
type Exported =
  | { readonly options: VersioningOptions; readonly table?: undefined }
  | { readonly table: RouteRegistry; readonly options?: undefined }

/** The advice for a module without options. */
export const EXPORT_THEM =
  'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`, or `exports.options = ...`.'

/**
 * Finds the options of `versioning()` that a module exports: as `options`, as its default, or as the only ones. Without
 * options, finds its table.
 *
 * @param module its namespace, as from `import()`.
 * @param file the user's name for it, for errors.
 * @param name the export that the user chose.
 * @throws {CommandError} if the module has no such export, or several.
 */
export function exported(module: object, file: string, name: string | undefined): Exported {
  const properties = propertiesOf(module)
  if (name !== undefined) return named(properties, file, name)
  const found = [...properties].filter(([, value]) => isOptions(value))
  const complete = found.filter(([, value]) => (value as VersioningOptions).routes !== undefined)
  const options = only(complete.length > 0 ? complete : found, file, ['options', 'default'])
  if (options !== undefined) return { options: options as VersioningOptions }
  const tables = [...properties].filter(([, value]) => isTable(value))
  const table = only(tables, file, ['routes', 'default'])
  if (table !== undefined) return { table: table as RouteRegistry }
  throw new CommandError(`${shown(file)} exports ${whatElse([...properties.values()])}. ${EXPORT_THEM}`)
}

/**
 * Finds the documents of `openapi()` that a module exports: as `documents`, as `docs`, as its default, or as the only ones.
 * Without documents, makes those of its options.
 *
 * @throws {CommandError} if the module has no such export, or several.
 */
export function documentsIn(
  module: object,
  file: string,
  name: string | undefined,
  { mount, title, addresses }: Pick<Asked, 'mount' | 'title' | 'addresses'>,
): OpenApiDocuments {
  const properties = [...propertiesOf(module)].filter(
    ([other, value]) => isDocuments(value) && (name ?? other) === other,
  )
  const documents = only(properties, file, ['documents', 'docs', 'default'])
  if (documents === undefined) {
    const { options } = exported(module, file, name)
    if (options !== undefined) return openapi(options, { info: { title }, mount, addresses })
    throw new CommandError(`${shown(file)} exports a table without versions. ${EXPORT_THEM}`)
  }
  if ([mount, title, addresses].every((setting) => setting === undefined)) return documents as OpenApiDocuments
  throw new CommandError(
    `${shown(file)} exports the documents of openapi(), which have their own mount, title and addresses.`,
  )
}

function isDocuments(value: unknown): value is OpenApiDocuments {
  return typeof value === 'function' && 'document' in value && 'versions' in value
}

function named(properties: ReadonlyMap<string, unknown>, file: string, name: string): Exported {
  const value = properties.get(name)
  if (isOptions(value)) return { options: value }
  if (isTable(value)) return { table: value }
  if (properties.has(name))
    throw new CommandError(`${shown(file)}: ${shown(name)} is ${whatElse([value])}. ${EXPORT_THEM}`)
  throw new CommandError(`${shown(file)} has no export ${shown(name)}.${didYouMean(near(name, properties.keys()))}`)
}

/** Chooses the export with the first of the preferred names, else the only export. */
function only(found: readonly (readonly [string, unknown])[], file: string, first: readonly string[]): unknown {
  for (const name of first) {
    const preferred = found.find(([other]) => other === name)
    if (preferred !== undefined) return preferred[1]
  }
  const values = new Set(found.map(([, value]) => value))
  if (values.size > 1) {
    const names = found.map(([name]) => shown(name)).join(', ')
    throw new CommandError(`${shown(file)} exports several: ${names}. Choose one of them with --export.`)
  }
  return found[0]?.[1]
}

/** Returns an export of a module; `undefined` if there is none. */
export function propertyOf(module: object, name: string): unknown {
  return propertiesOf(module).get(name)
}

/** Lists the exports by name. The default of a CommonJS module also holds those that Node did not detect in its text. */
function propertiesOf(module: object): Map<string, unknown> {
  const { default: inner, ...others } = module as { default?: unknown }
  const nested = typeof inner === 'object' && inner !== null && !isOptions(inner) ? Object.entries(inner) : []
  const own = Object.entries(others).filter(([name]) => name !== 'module.exports' && name !== '__esModule')
  return new Map(
    [['default', inner] as [string, unknown], ...nested, ...own].filter(([, value]) => value !== undefined),
  )
}

function isOptions(value: unknown): value is VersioningOptions {
  if (typeof value !== 'object' || value === null) return false
  const { scheme } = value as { scheme?: unknown }
  return typeof scheme === 'function' || (typeof scheme === 'object' && scheme !== null)
}

function isTable(value: unknown): value is RouteRegistry {
  return typeof value === 'function' && 'facts' in value && 'resolve' in value
}

/** Describes the exports of a module without options. */
function whatElse(values: readonly unknown[]): string {
  const isApp = values.some((value) => typeof value === 'function' && 'listen' in value && 'use' in value)
  if (isApp) return 'an Express app, which does not tell its versions'
  return 'no options of versioning(), and no namedRoutes() table'
}
