// The exports of `express-versioning/contract`.

export type { VersionContract } from '../types'
export type { Refuse, UnknownRule } from './checks'
export { type ContractOptions, contract } from './contract'
export type { ContractIssue } from './failure'
export type { ResponsesRule } from './responses'
export type { CompileSchema, ContractPart, ContractValidator, ValidatorError } from './validators'
