// The exports of `express-versioning/explorer`.

export type { Middleware } from '../types'
export type {
  ApiChanges,
  ChangedOperation,
  ChangedPart,
  ChangedShape,
  ChangedVersion,
  ChangeOfVersion,
  ChangesOptions,
} from './changed-operations'
export { changesOf } from './changed-operations'
export type { ExplorerOptions } from './explorer'
export { explorer } from './explorer'
