export type { Change } from './change'
export { change } from './change'
export type { Demand } from './fitting'
export type { ListedVersion, VersionHistory } from './history'
export { versionHistory } from './history'
export { type Sent, sent } from './sent'
export type {
  HeaderContext,
  HeaderStep,
  OperationChange,
  OperationChanges,
  OperationHead,
  OperationName,
  OperationSteps,
  StepContext,
} from './typing'
