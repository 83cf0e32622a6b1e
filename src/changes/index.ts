// The exports of `express-versioning/changes`.
export type { HistoryByHand, ListedVersion } from './by-hand'
export type { Change } from './change'
export { change } from './change'
export { convertRequest } from './convert-request'
export type { ConvertedField } from './describe/fields/converted'
export { type FieldChanges, fields } from './describe/fields/fields'
export type { FieldStep, FieldValue } from './describe/fields/option'
export type { RemovedField } from './describe/fields/removed'
export type { Demand } from './fitting'
export type { VersionHistory } from './history'
export { versionHistory } from './history'
export { type Sent, sent } from './sent'
export { type ShapeSteps, shape } from './shapes/shape'
export type { ShapeIn, SomeShape } from './shapes/typing'
export type { ChangeFacts } from './steps'
export type {
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
} from './typing'
