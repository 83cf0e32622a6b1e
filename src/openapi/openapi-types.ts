// The types of an OpenAPI document.
import type { MethodField } from '../util/operation'

/** A schema: JSON Schema 2020-12, as in OpenAPI 3.1. */
export type OpenApiSchema = boolean | { [keyword: string]: unknown }

/** The body of one media type. It may lack a schema. */
export interface OpenApiMediaType {
  /** The schema of the body. */
  schema?: OpenApiSchema
  /** The schema of the items of a stream, in OpenAPI 3.2. */
  itemSchema?: OpenApiSchema
  [field: string]: unknown
}

/** One parameter of an operation. */
export interface OpenApiParameter {
  /** The name of the parameter. A path parameter stands in braces in the path. */
  name: string
  /** The place of the parameter. */
  in: 'path' | 'query' | 'header' | 'cookie'
  /** `true` if requests must have it. Path parameters are always required. */
  required?: boolean
  /** The description, in CommonMark. */
  description?: string
  /** The schema of its value. */
  schema?: OpenApiSchema
  [field: string]: unknown
}

/** The response with a status. */
export interface OpenApiResponse {
  /** The description, in CommonMark. */
  description: string
  /** The body by media type. Missing if there is no body, or nothing is known about it. */
  content?: { [mediaType: string]: OpenApiMediaType }
  [field: string]: unknown
}

/** A method of a path. */
export interface OpenApiOperation {
  /** The name of the operation, made of view name and method. It is unique in the document. */
  operationId: string
  /** The groups of the operation. */
  tags?: string[]
  /** The summary, in one line. */
  summary?: string
  /** The description, in CommonMark. */
  description?: string
  /** `true` if the operation is deprecated now. */
  deprecated?: boolean
  /** The parameters of its path and query, and those that carry the version. */
  parameters?: OpenApiParameter[]
  /** The body of requests. */
  requestBody?: {
    /** `true` if requests must have a body. */
    required?: boolean
    /** The body by media type. */
    content: { [mediaType: string]: OpenApiMediaType }
    [field: string]: unknown
  }
  /** The responses by status, or by a range such as `2XX`. */
  responses: { [status: string]: OpenApiResponse }
  [field: string]: unknown
}

/** The operations of a path, by method; `query` from OpenAPI 3.2 on. */
export type OpenApiPathItem = { [Method in MethodField]?: OpenApiOperation }

/** An OpenAPI document with the generated parts: of version 3.1.1 or 3.2.0, or of that of a given document. `extend` may add others. */
export interface OpenApiDocument {
  /** The version of the specification. */
  openapi: string
  /** `true` if the version is a preview. */
  'x-preview'?: true
  /** `true` if the version is gone: all its operations but the neutral ones get 410. */
  'x-gone'?: true
  /** The description of the API as a whole. */
  info: {
    /** The title of the API. */
    title: string
    /** The version of the API that the document describes. */
    version: string
    /** The purpose of the API and the changes of this version, in CommonMark. */
    description?: string
    [field: string]: unknown
  }
  /** The servers of the API. Paths start behind their URLs. Missing if a given document has none. */
  servers?: {
    /** The URL, or a path on the host of the document. */
    url: string
    [field: string]: unknown
  }[]
  /** The operations by path. Parameters stand in braces. */
  paths: { [path: string]: OpenApiPathItem }
  /** The requests that the server sends to its clients, by name. */
  webhooks?: { [name: string]: OpenApiPathItem }
  /** The parts that references lead to. */
  components?: {
    /** The schemas by name. */
    schemas?: { [name: string]: OpenApiSchema }
    [kind: string]: unknown
  }
  [field: string]: unknown
}
