// Builders of OpenAPI documents: schemas, operations, and a small API with one shape.
import type { Document } from '../support/drafts'

export type Json = Record<string, unknown>

export const text = { type: 'string' }
export const integer = { type: 'integer' }
export const number = { type: 'number' }
export const boolean = { type: 'boolean' }
export const enumOf = (...values: string[]) => ({ type: 'string', enum: values })
export const list = (items: Json) => ({ type: 'array', items })
export const object = (properties: Json, required: string[] = []): Json => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const money = object({ amount: integer }, ['amount'])
export const User = object({ id: text }, ['id'])

export const inPath = (name: string, schema: Json = text) => ({ name, in: 'path', required: true, schema })
export const inQuery = (name: string, schema: Json) => ({ name, in: 'query', required: false, schema })
export const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
export const response = (schema?: Json) => ({ description: '', ...(schema && json(schema)) })

/** Makes an operation, whose body is required and JSON if only its schema is given. */
export const operation = ({
  parameters = [],
  body,
  ...own
}: {
  parameters?: Json[]
  body?: Json
  [key: string]: unknown
}) => ({
  parameters,
  ...(body && { requestBody: { required: true, ...json(body) } }),
  ...own,
})

/** Makes a document of an API with one shape, `User` in a body and in a response, and with more operations and shapes. */
export function documentOf(
  version: string,
  {
    user = User,
    paths = {},
    schemas = {},
    ...rest
  }: { user?: Json; paths?: Json; schemas?: Json; [key: string]: unknown } = {},
): Document {
  const postUsers = operation({ body: ref('User'), responses: { 201: response(ref('User')) } })
  return {
    ...{ openapi: '3.1.0', info: { title: 'Shop', version } },
    ...{ paths: { '/users': { post: postUsers }, ...paths }, components: { schemas: { User: user, ...schemas } } },
    ...rest,
  } as Document
}
