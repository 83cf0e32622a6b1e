// The parts that most OpenAPI documents of tests have, and their documents by version.
import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { faultyOf } from './lint-openapi'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
export type Json = Record<string, any>

export const text = { type: 'string' }
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const list = (items: unknown) => ({ type: 'array', items })
export const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
/** A schema of objects with an `id` and a property of this name. */
export const named = (name: string) => object({ id: text, [name]: text }, 'id', name)

export const json = (schema: unknown, more: object = {}) => ({ 'application/json': { schema, ...more } })
/** A response with JSON. `more` goes beside its schema, `others` are other media types. */
export const ok = (schema: unknown, more?: object, others?: object) => ({
  description: 'OK',
  content: { ...json(schema, more), ...others },
})
/** The responses of an operation that gives no content. */
export const NONE = { responses: { 204: { description: '' } } }

/** A change by which a property of a shape has another name. */
export const renaming = (shape: string, older: string, newer: string) =>
  change(`${shape}: \`${newer}\`.`, { [shape]: fields({ renamed: { [older]: newer } }) })
const history = versionHistory('1').version('2', renaming('User', 'name', 'fullName'))

/** Makes the document of a version. Without other options, users of version 1 have a `name` instead of `fullName`. */
export function made(routes: object, version: string, more: Json = {}, settings: object = {}): Json {
  const { changes = history } = more
  const options = { scheme: HeaderVersioning, defaultVersion: changes.versions.at(-1), changes, routes, ...more }
  return openapi(options as never, settings).document(version)
}

/** Lints documents by the rules of OpenAPI. */
export const expectValid = async (...documents: object[]) =>
  expect((await faultyOf(documents)).map(({ faults }) => faults)).toStrictEqual([])
