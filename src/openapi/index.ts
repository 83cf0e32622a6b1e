// The exports of `express-versioning/openapi`.

export type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiSchema,
} from './model'
export type { OpenApiDocuments, OpenApiInfo, OpenApiOptions } from './openapi'
export { openapi } from './openapi'
