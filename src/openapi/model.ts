/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type OpenApiSchema = boolean | { [keyword: string]: unknown }

/** What a body of one media type is; without a schema, nobody says. */
export interface OpenApiMediaType {
  /** What it takes or gives. */
  schema?: OpenApiSchema
  [field: string]: unknown
}

/** One parameter of an operation. */
export interface OpenApiParameter {
  /** Of the parameter; as the path has it in braces, where it stands there. */
  name: string
  /** Where it stands. */
  in: 'path' | 'query' | 'header' | 'cookie'
  /** Whether requests must have it; in a path they always must. */
  required?: boolean
  /** What it is for; CommonMark. */
  description?: string
  /** What it takes. */
  schema?: OpenApiSchema
  [field: string]: unknown
}

/** What is answered with a status. */
export interface OpenApiResponse {
  /** When it is answered; CommonMark. */
  description: string
  /** Its body by media type; none: it has no body, or nobody says. */
  content?: { [mediaType: string]: OpenApiMediaType }
  [field: string]: unknown
}

/** A method of a path. */
export interface OpenApiOperation {
  /** Unique in the document: made of view name and method. */
  operationId: string
  /** The groups that it is in. */
  tags?: string[]
  /** What it does, in a line. */
  summary?: string
  /** The same at length; CommonMark. */
  description?: string
  /** Whether it is deprecated, as of now. */
  deprecated?: boolean
  /** Those of its path, its query and the version. */
  parameters?: OpenApiParameter[]
  /** The body that it takes. */
  requestBody?: {
    /** Whether requests must have one. */
    required?: boolean
    /** The body by media type. */
    content: { [mediaType: string]: OpenApiMediaType }
    [field: string]: unknown
  }
  /** What it answers, by status, or by a range of them such as `2XX`. */
  responses: { [status: string]: OpenApiResponse }
  [field: string]: unknown
}

/** The methods that a document can tell of. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The operations of a path, by method. */
export type OpenApiPathItem = { [Method in (typeof METHODS)[number]]?: OpenApiOperation }

/** An OpenAPI document, version 3.1.1: the parts that are made here; `extend` may add what else there is. */
export interface OpenApiDocument {
  /** The version of the specification. */
  openapi: '3.1.1'
  /** What is said of the API as a whole. */
  info: {
    /** Its name. */
    title: string
    /** The version that the document is of. */
    version: string
    /** What it is for, and what changed in this version; CommonMark. */
    description?: string
    [field: string]: unknown
  }
  /** What the paths stand behind. */
  servers: {
    /** A URL, or a path of the host that the document comes from. */
    url: string
    [field: string]: unknown
  }[]
  /** The operations by path, whose parameters stand in braces. */
  paths: { [path: string]: OpenApiPathItem }
  /** What the rest refers to. */
  components?: {
    /** Schemas by name. */
    schemas?: { [name: string]: OpenApiSchema }
    [kind: string]: unknown
  }
  [field: string]: unknown
}
