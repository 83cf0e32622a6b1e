// The checks of one operation's requests in one version.
import { types } from 'node:util'
import type { Request } from 'express'
import { jsonCopy } from '../http/json-copy'
import type { JsonSchema } from '../schemas/model'
import type { PartCheck, RequestChecks } from '../types'
import { isThenable } from '../util/thenable'
import { type ContractIssue, MOST_ISSUES, misfit } from './failure'
import type { OperationSchemas } from './schemas'
import { type UnknownMember, UnknownMembers } from './unknown'
import type { Validator, Validators } from './validators'

/** The fate of members that a version does not have. */
export type UnknownRule = 'strip' | 'keep' | 'refuse'

/** Makes the error of a request that does not fit. */
export type Refuse = (
  issues: readonly ContractIssue[],
  context: { readonly req: Request; readonly version: string; readonly operation: string },
) => unknown

/** The parts of a contract that all checks share. */
export interface CheckSettings {
  readonly validators: Validators
  readonly unknown: UnknownRule
  readonly refuse: Refuse | undefined
  /** Returns the query parameters that carry the version. They are nobody's members. */
  carriers(): ReadonlySet<string>
}

/** Compiles the checks of an operation; `undefined` for one whose requests nobody described. */
export function checksOf(
  operation: string,
  version: string,
  { body, needsBody, query }: OperationSchemas,
  settings: CheckSettings,
): RequestChecks | undefined {
  if (body === undefined && query === undefined) return undefined
  // By hand, there is no request.
  const refuse = (issues: readonly ContractIssue[], req: Request | undefined): unknown => {
    const own = req && settings.refuse?.(issues, { req, version, operation })
    // Nobody else handles this promise, and an unhandled rejection ends the process.
    if (isThenable(own)) Promise.resolve(own).catch(() => {})
    return types.isNativeError(own) ? own : misfit(version, issues)
  }
  const check = (schema: JsonSchema, part: ContractIssue['in']) =>
    partCheck(schema, part, `the ${part} of "${operation}" in version "${version}"`, settings, refuse)
  return {
    operation,
    body: body && check(body, 'body'),
    query: query && check(query, 'query'),
    missingBody: needsBody
      ? (req) => refuse([{ in: 'body', path: [], message: 'must be there', keyword: 'required' }], req)
      : undefined,
  }
}

function partCheck(
  schema: JsonSchema,
  part: ContractIssue['in'],
  name: string,
  settings: CheckSettings,
  refuse: (issues: readonly ContractIssue[], req: Request | undefined) => unknown,
): PartCheck {
  const { validators, unknown } = settings
  const carriers = settings.carriers()
  const members = unknown === 'keep' ? undefined : new UnknownMembers(schema)
  const isCarrier = ({ isOutermost, name }: UnknownMember) => part === 'query' && isOutermost && carriers.has(name)
  const byKind = new Map<boolean, Validator>()
  const validatorOf = (isText: boolean) => {
    const known = byKind.get(isText) ?? validators.of(schema, isText ? 'query' : 'body', name)
    byKind.set(isText, known)
    return known
  }
  return (value, isText, isKept, req) => {
    const found = (members?.of(value, isText) ?? []).filter((member) => !isCarrier(member))
    const issues: ContractIssue[] = []
    if (unknown === 'strip') for (const member of found) member.remove()
    else
      for (const { path } of found.slice(0, MOST_ISSUES))
        issues.push({ in: part, path, message: 'must not be there', keyword: 'properties' })
    const isChanged = unknown === 'strip' && found.length > 0
    // The validator may set defaults, and coerce.
    let judged = isKept || isChanged ? jsonCopy(value) : value
    if (part === 'query' && carriers.size > 0) judged = without(judged as object, carriers)
    issues.push(...validatorOf(isText).issuesOf(judged, part))
    if (issues.length > 0) throw refuse(issues, req)
    return isChanged
  }
}

function without(query: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
}
