// OpenAPI documents for tests, and what a table has read of them.
import type { ResponseBody, Schema } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'
import { readSchema } from '../../src/schemas/reading'

type Json = Record<string, unknown>

/** A document of some paths and components. */
export const documentOf = (paths: Json, components: Json = {}, openapi = '3.1.0'): Json => ({
  openapi,
  info: { title: 'Shop', version: '2' },
  paths,
  components,
})

const ok = (schema: unknown, type = 'application/json') => ({ description: 'OK', content: { [type]: { schema } } })

/** A document with one operation, `GET /`, that responds with 200 with a schema. */
export const responding = (schema: unknown, schemas: Json = {}, openapi = '3.1.0'): Json =>
  documentOf({ '/': { get: { responses: { 200: ok(schema) } } } }, { schemas }, openapi)

/** A document whose paths have some methods. */
export const withPaths = (paths: Record<string, string>): Json =>
  documentOf(
    Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(methods.split(' ').map((method) => [method, { responses: { 204: { description: '' } } }])),
      ]),
    ),
  )

/** The parts of an operation as a table describes it. Schemas are JSON Schema, with references by name. */
export function described(table: ReturnType<typeof routesOf>, operation: string) {
  const [method, ...name] = operation.split(' ') as [string, ...string[]]
  const facts = table.facts().find(({ viewName }) => viewName === name.join(' '))
  const { body, query, response, ...others } = facts?.describedAs(method) ?? {}
  return {
    ...others,
    ...(body === undefined ? {} : { body: plain(body) }),
    ...(query === undefined ? {} : { query: plain(query) }),
    response: Object.fromEntries(Object.entries(response ?? {}).map(([status, said]) => [status, plain(said)])),
  }
}

/** Returns what a table reads of `GET /`. */
export const read = (document: object, options?: object) => described(routesOf(document, options) as never, 'GET /')

function plain(said: ResponseBody | Schema): unknown {
  if (said === null) return null
  const { content } = said as { content?: Record<string, Schema> }
  if (content === undefined) return readSchema(said as Schema, 'output').schema
  return { content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, plain(schema)])) }
}

/** Returns the definitions that the schemas of a table share. */
export function definitionsOf(document: object, options?: object): Json {
  const table = routesOf(document, options)
  const [facts] = table.facts()
  const { response } = facts?.describedAs('GET') ?? {}
  const schema = (response as Record<string, Schema>)[200] as Schema
  return Object.fromEntries(readSchema(schema, 'output').definitions)
}
