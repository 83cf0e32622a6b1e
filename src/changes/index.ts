export type { Change } from './change'
export { change } from './change'
export type { Demand } from './fitting'
export type { ListedVersion, VersionHistory } from './history'
export { versionHistory } from './history'
export { type ShapeSteps, shape } from './shapes/shape'
export type {
  OlderBodies,
  OperationChange,
  OperationChanges,
  OperationOlder,
  OperationSteps,
  Shape,
  StepContext,
} from './typing'
