export type { ExplorerOptions } from './explorer'
export { explorer } from './explorer'
