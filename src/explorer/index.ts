// The exports of `express-versioning/explorer`.

export type { Middleware } from '../types'
export type { ExplorerOptions } from './explorer'
export { explorer } from './explorer'
