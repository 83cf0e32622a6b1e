// The exports of `express-versioning/testing`.

export { type CheckOptions, checkHistory, type HistoryProblem } from './check-history'
export { draftHistory } from './draft/drafting'
