// The exports of `express-versioning/openapi`.

export type { Middleware } from '../types'
export type { DocumentRoutes, RoutesOfOptions } from './given/routes-of'
export { routesOf } from './given/routes-of'
export type { OpenApiDocuments, OpenApiInfo, OpenApiOptions } from './openapi'
export { openapi } from './openapi'
export type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiResponse,
  OpenApiSchema,
} from './openapi-types'
export type { OpenApiWebhook } from './webhooks'
