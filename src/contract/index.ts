// The exports of `express-versioning/contract`.

export type { VersionContract } from '../bound-changes'
export type { Refuse, UnknownRule } from './checks'
export { type ContractOptions, contract } from './contract'
export type { ContractIssue } from './failure'
export type { ResponsesRule } from './response-checks'
export type { CompileSchema, ContractPart, ContractValidator, ValidatorError } from './validators'
