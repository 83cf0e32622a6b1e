// The checks of one operation's requests in one version.
import { types } from 'node:util'
import type { Request } from 'express'
import type { PartCheck, RequestChecks } from '../bound-changes'
import { jsonCopy } from '../http/json'
import type { JsonSchema } from '../schemas/model'
import { isThenable } from '../util/thenable'
import { type ContractIssue, MOST_ISSUES, misfit } from './failure'
import { type StandardSchema, standardJudge } from './standard'
import { UnknownProperties, type UnknownProperty } from './unknown-properties'
import { Validator, type Validators } from './validators'
import type { OperationSchemas } from './version-schemas'

/** The fate of properties that a version does not have. */
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
  /** Returns the query parameters that carry the version. They are nobody's properties. */
  carriers(): ReadonlySet<string>
}

/** Compiles the checks of an operation; `undefined` for one whose requests nobody described. */
export function checksOf(
  operation: string,
  version: string,
  { body, needsBody, query, written }: OperationSchemas,
  settings: CheckSettings,
): RequestChecks | undefined {
  const { unknown } = settings
  // JSON that nobody described is like a property that nobody described.
  const checksBody = body !== undefined && !(body === null && unknown === 'keep')
  if (!checksBody && query === undefined) return undefined
  const check = (schema: JsonSchema, part: ContractIssue['in']) =>
    partCheck(schema, part, written[part], `the ${part} of "${operation}" in version "${version}"`, settings)
  return {
    operation,
    body: checksBody ? body && check(body, 'body') : undefined,
    query: query && check(query, 'query'),
    withoutBody: body && needsBody ? [MISSING] : [],
    withBody: unknown === 'refuse' ? [UNKNOWN] : [],
    rejection(found, req) {
      const issues = found as ContractIssue[]
      const own = settings.refuse?.(issues, { req, version, operation })
      // Nobody else handles this promise, and an unhandled rejection ends the process.
      if (isThenable(own)) Promise.resolve(own).catch(() => {})
      return types.isNativeError(own) ? own : misfit(version, issues)
    },
  }
}

const MISSING: ContractIssue = { in: 'body', path: [], message: 'must be there', keyword: 'required' }
const UNKNOWN: ContractIssue = { in: 'body', path: [], message: 'must not be there', keyword: 'properties' }

function partCheck(
  schema: JsonSchema,
  part: ContractIssue['in'],
  written: StandardSchema | undefined,
  name: string,
  { validators, unknown, carriers }: CheckSettings,
): PartCheck {
  const carrying = carriers()
  const properties = unknown === 'keep' ? undefined : new UnknownProperties(schema)
  const isCarrier = ({ isOutermost, name }: UnknownProperty) => part === 'query' && isOutermost && carrying.has(name)
  const byKind = new Map<boolean, Validator>()
  const standard = written && new Validator(() => standardJudge(written), name)
  const validatorOf = (isText: boolean) => {
    if (standard !== undefined) return standard
    const known = byKind.get(isText) ?? validators.of(schema, isText ? 'query' : 'body', name)
    byKind.set(isText, known)
    return known
  }
  return (value, isText, isKept, issues) => {
    const found = (properties?.of(value, isText) ?? []).filter((property) => !isCarrier(property))
    if (unknown === 'strip') for (const property of found) property.remove()
    else for (const { path } of found.slice(0, MOST_ISSUES)) issues.push({ ...UNKNOWN, in: part, path })
    const isChanged = unknown === 'strip' && found.length > 0
    // The validator may set defaults, and coerce.
    let judged = isKept || isChanged ? jsonCopy(value) : value
    if (part === 'query' && carrying.size > 0) judged = without(judged as object, carrying)
    issues.push(...validatorOf(isText).issuesOf(judged, part))
    return isChanged
  }
}

function without(query: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
}
