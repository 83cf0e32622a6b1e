// The exports of `express-versioning/explorer`.
export type { ExplorerOptions } from './explorer'
export { explorer } from './explorer'
