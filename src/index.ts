// The exports of `express-versioning`.

export type { VersionChanges, VersionContract } from './bound-changes'
export type { NoReverseMatchOptions, RejectionOptions, VersioningErrorOptions } from './errors'
export { NoReverseMatch, NotAcceptable, NotFound, VersioningError } from './errors'
export type { LinkOptionsOf, ViewName } from './express'
export type { AfterSunset, Brownout, Duration, VersionLifecycle } from './lifecycle/plans'
export { exposedHeaders } from './lifecycle/written'
export type { ByVersionOptions, MiddlewareWith, VersionHandler } from './middleware/by-version'
export { byVersion, servedVersion } from './middleware/by-version'
export type { DeprecatedOptions } from './middleware/deprecated'
export { deprecated } from './middleware/deprecated'
export type { ProblemDetailsOptions } from './middleware/problem-details'
export { problemDetails } from './middleware/problem-details'
export type { VersionEvent, VersionFacts, VersionListener } from './middleware/version-events'
export { versioning } from './middleware/versioning'
export type { SchemeClass, VersioningOptions } from './middleware/versioning-options'
export type { RouteRegistry } from './registry'
export type { Determined } from './request/state'
export type { ReverseOptions } from './reverse'
export { reverse } from './reverse'
export type { NamedRoutes } from './routes/named-routes'
export { namedRoutes } from './routes/named-routes'
export type { ListedRoute } from './routes/table'
export type { NamedRoutesOptions, PlacesOption } from './routes/table-settings'
export type { NamedRoute, PathKwargs, PathParams } from './routes/typing'
export type { AcceptHeaderSettings } from './schemes/accept-header'
export { AcceptHeaderVersioning } from './schemes/accept-header'
export type { Named, RejectionClass } from './schemes/base'
export { BaseVersioning } from './schemes/base'
export type { CombinedSettings } from './schemes/combined'
export { CombinedVersioning } from './schemes/combined'
export type { HeaderSettings } from './schemes/header'
export { HeaderVersioning } from './schemes/header'
export type { HostNameSettings } from './schemes/host-name'
export { HostNameVersioning } from './schemes/host-name'
export type { MediaTypeSettings } from './schemes/media-type'
export { MediaTypeVersioning } from './schemes/media-type'
export type { NamespaceSettings } from './schemes/namespace'
export { NamespaceVersioning } from './schemes/namespace'
export { QueryParameterVersioning } from './schemes/query-parameter'
export { URLPathVersioning } from './schemes/url-path'
export type {
  CommonDescription,
  Content,
  ErrorMiddleware,
  ItemContent,
  JsonSchemaSource,
  LinkArgs,
  LinkFailure,
  LinkKwargs,
  LinkOptions,
  LinkQuery,
  Middleware,
  OlderDescription,
  OperationDescription,
  ParamValue,
  ParseVersion,
  PlaceMeaning,
  QueryValue,
  Register,
  ResolverMatch,
  ResponseBody,
  Responses,
  RouteLinkOptions,
  RouteParams,
  Schema,
  SchemeLinkOptions,
  ShapeName,
  Version,
  VersionCarrier,
  VersionDescription,
  VersioningSettings,
} from './types'
export type { LifecycleDate } from './util/dates'
export { earlierDate } from './util/dates'
