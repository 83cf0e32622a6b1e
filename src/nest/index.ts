// The exports of `express-versioning/nest`.
export type { OpenApiDocuments } from '../openapi/openapi'
export { ConvertRequest } from './interceptors'
export { type NestVersioning, type NestVersioningOptions, VersioningModule } from './module'
export type { HttpContext, NestApp, SwaggerSetup } from './nest'
