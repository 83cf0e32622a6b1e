/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type OpenApiSchema = boolean | { [keyword: string]: unknown }

/** What a body of one media type is; without a schema, nobody says. */
export interface OpenApiMediaType {
  schema?: OpenApiSchema
  [field: string]: unknown
}

/** One parameter of an operation. */
export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema?: OpenApiSchema
  [field: string]: unknown
}

/** What is answered with a status. */
export interface OpenApiResponse {
  description: string
  content?: { [mediaType: string]: OpenApiMediaType }
  [field: string]: unknown
}

/** A method of a path. */
export interface OpenApiOperation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: OpenApiParameter[]
  requestBody?: { required?: boolean; content: { [mediaType: string]: OpenApiMediaType }; [field: string]: unknown }
  responses: { [status: string]: OpenApiResponse }
  [field: string]: unknown
}

/** The methods that a document can tell of. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The operations of a path, by method. */
export type OpenApiPathItem = { [Method in (typeof METHODS)[number]]?: OpenApiOperation }

/** An OpenAPI document, version 3.1.1: the parts that are made here; `extend` may add what else there is. */
export interface OpenApiDocument {
  openapi: '3.1.1'
  info: { title: string; version: string; description?: string; [field: string]: unknown }
  servers: { url: string; [field: string]: unknown }[]
  paths: { [path: string]: OpenApiPathItem }
  components?: { schemas?: { [name: string]: OpenApiSchema }; [kind: string]: unknown }
  [field: string]: unknown
}
