// The exports of `express-versioning/contract`.

export type { VersionContract } from '../bound-changes'
export { type ContractOptions, contract, type Refuse, type UnknownRule } from './contract'
export type { ResponsesRule } from './response-checks'
export type { CompileSchema, ContractIssue, ContractPart, ContractValidator, ValidatorError } from './validators'
