// Tables with descriptions, and what `versioning()` says of them.
import type { RequestHandler } from 'express'
import { HeaderVersioning } from 'express-versioning'
import type { Change } from 'express-versioning/changes'
import type { OpenApiDocument } from 'express-versioning/openapi'
import { Ajv } from './ajv'
import { historyOf, type Table, tableOf } from './changes'

/** Describes operations of a table by their names, and gives each a handler. */
export function describing(
  operations: Record<string, unknown>,
  handler: RequestHandler = (_req, res) => void res.end(),
  table: Table = tableOf(),
): Table {
  for (const [operation, description] of Object.entries(operations)) {
    table.describe(operation as 'GET other', description as object)
    const [method = '', name] = operation.split(' ')
    if (name !== undefined) table.route(name as 'other')[method.toLowerCase() as 'get'](handler)
  }
  return table
}

/** Returns the options of `versioning()` for a table whose history has a version for each change. */
export const released = <Routes extends object>(routes: Routes, ...changes: readonly Change[]) => ({
  scheme: HeaderVersioning,
  changes: historyOf(...changes.map((one) => [one])),
  routes,
})

/** Returns the message of the TypeError that a call throws; an empty string if it throws nothing. */
export function told(call: () => unknown): string {
  try {
    call()
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as Error).message
  }
}

type Described = { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> } | undefined

/** Tells what is wrong with a value by a body or response of a document; an empty string if nothing is. Ajv judges. */
export function misfit(
  { components }: OpenApiDocument,
  body: unknown,
  value: unknown,
  type = 'application/json',
): string {
  const media = (body as Described)?.content?.[type]
  if (media === undefined) return `it has no ${type}`
  const ajv = new Ajv()
  return ajv.validate({ ...(media.schema as object), components }, value) ? '' : ajv.errorsText()
}
