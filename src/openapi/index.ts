// The exports of `express-versioning/openapi`.

export type { Middleware } from '../types'
export type { RoutesOfOptions } from './given/routes-of'
export { routesOf } from './given/routes-of'
export type { DocumentRoutes } from './given/typing'
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
export type { OpenApiWebhook } from './webhooks'
