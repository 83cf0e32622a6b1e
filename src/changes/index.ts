// The exports of `express-versioning/changes`.
export { events } from '../schemas/events'
export type { Middleware, Schema } from '../types'
export type { ConversionMetrics, HistoryByHand, ListedVersion, Recipient } from './by-hand'
export type { ChangeFacts } from './convert/steps'
export { change, todo } from './describe/change'
export type { ConvertedField, FieldChanges, FieldStep, FieldValue, RemovedField } from './describe/fields/field-changes'
export { fields } from './describe/fields/fields'
export { type ShapeIn, type ShapeSteps, type SomeShape, shape } from './describe/shape'
export type { OptionsByHand, VersionHistory } from './history'
export { versionHistory } from './history'
export { type ConvertRequest, convertRequest } from './http/convert-request'
export { type Sent, sent } from './http/request-parts'
export type { Demand } from './types/fitting'
export type {
  Change,
  HeaderContext,
  HeaderStep,
  HeaderValue,
  OlderBodies,
  OperationChange,
  OperationChanges,
  OperationHead,
  OperationName,
  OperationOlder,
  OperationSteps,
  Shape,
  StepContext,
} from './types/operations'
