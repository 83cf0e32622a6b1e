// The public API of contracts: `contract()`, its options, and what it binds to a history: the checks of requests.
import { types } from 'node:util'
import type { Request } from 'express'
import type { PartCheck, RequestChanges, RequestChecks, RequestContract, VersionContract } from '../bound-changes'
import { jsonCopy } from '../http/json'
import type { RouteRegistry } from '../registry'
import type { RequestState } from '../request/state'
import type { JsonSchema } from '../schemas/model'
import { warnOfPatterns } from '../schemas/patterns'
import { brand } from '../util/brand'
import { operationMethods } from '../util/operation'
import { badOption, checkKeys } from '../util/options'
import { Problems } from '../util/problems'
import { isThenable } from '../util/thenable'
import { type ResponsesRule, responseWatch } from './response-checks'
import { type UnknownProperty, unknownProperties } from './unknown-properties'
import {
  type CompileSchema,
  ContractFailure,
  type ContractIssue,
  MOST_ISSUES,
  misfit,
  type StandardSchema,
  standardJudge,
  type Validator,
  type Validators,
  validatorOf,
  validatorsBy,
} from './validators'
import { type OperationSchemas, type VersionSchemas, versionSchemas } from './version-schemas'

/** The fate of properties that a version does not have. */
export type UnknownRule = 'strip' | 'keep' | 'refuse'

/** Makes the error of a request that does not fit. */
export type Refuse = (
  issues: readonly ContractIssue[],
  context: { readonly req: Request; readonly version: string; readonly operation: string },
) => unknown

/** The parts of a contract that all checks share. */
interface CheckSettings {
  readonly validators: Validators
  readonly unknown: UnknownRule
  readonly refuse: Refuse | undefined
  /** Returns the query parameters that carry the version. They are nobody's properties. */
  carriers(): ReadonlySet<string>
}

/** Options of {@link contract}. `compile` may be left out with `standard: true` alone. */
export type ContractOptions = ContractRules & (Compiled | Standard)

/** The options of contracts beside their validators. */
interface ContractRules {
  /** The versions whose requests are checked: all older ones (default), all, or none. */
  requests?: 'older' | 'all' | false | undefined
  /** The fate of properties that the version's schema does not have, where it says nothing of others. Default `'strip'`. */
  unknown?: UnknownRule | undefined
  /** Makes another error of a request that does not fit. If it returns no error object, the own error of the package is sent. */
  refuse?: Refuse | undefined
  /** The check of responses, in every version, for development and tests: a process warning, a 500, or none (default). */
  responses?: ResponsesRule | undefined
}

/** Validators that the app compiles. */
interface Compiled {
  /**
   * Compiles a schema to a function `(value) => boolean` with `errors`, as Ajv's own `compile` does. `part` is `'body'`, `'query'`
   * (for queries and forms, whose values are strings) or `'response'`. It may be left out if `standard` is `true`, and every checked
   * body and query has a Standard Schema.
   */
  compile: CompileSchema
  /**
   * `true`: where somebody wrote a Standard Schema (zod, arktype) for the body or query of a version, its own `validate` judges
   * instead of `compile`, so old clients read the messages that they know. Default `false`.
   */
  standard?: boolean | undefined
}

/** Validators of Standard Schemas, which need no compiler. */
interface Standard {
  compile?: CompileSchema | undefined
  standard: true
}

const OWNER = 'contract()'
const TAKES: { readonly [Name in keyof ContractOptions]: readonly [takes: string, fits: (value: unknown) => boolean] } =
  {
    compile: ['a function (schema, part) => validator, such as (schema) => ajv.compile(schema)', isFunction],
    standard: ['true or false', (value) => typeof value === 'boolean'],
    requests: ["'older', 'all' or false", (value) => value === 'older' || value === 'all' || value === false],
    unknown: ["'strip', 'keep' or 'refuse'", (value) => value === 'strip' || value === 'keep' || value === 'refuse'],
    refuse: ['a function (issues, { req, version, operation }) => error', isFunction],
    responses: ["'warn', 'throw' or false", (value) => value === 'warn' || value === 'throw' || value === false],
  }

/**
 * Makes the contract of all versions, for the option `contract` of `versioning()`: requests are checked in the words of their own
 * version before they are converted, and responses against the documents.
 *
 * @throws {TypeError} for unknown options and wrong values.
 * @example
 * const ajv = new Ajv2020({ allErrors: true, strict: false })
 * app.use(versioning({ ...options, contract: contract({ compile: (schema) => ajv.compile(schema) }) }))
 */
export function contract(options: ContractOptions): VersionContract {
  checkKeys(OWNER, options, Object.keys(TAKES))
  for (const [name, [takes, fits]] of Object.entries(TAKES)) {
    const value = options[name as keyof ContractOptions]
    const isNeeded = name === 'compile' && options.standard !== true
    if (!(value === undefined ? !isNeeded : fits(value))) throw badOption(OWNER, name, takes, value)
  }
  if (options.compile === undefined && (options.responses ?? false) !== false) {
    throw new TypeError(`${OWNER}: option "responses" needs "compile": Standard Schemas judge requests only.`)
  }
  const own = { ...options }
  return brand('contract', { bind: (routes, changes, facts) => boundContract(own, routes, changes, facts) })
}

/** Tells whether a value is a function that can be called: a class, such as an own error, needs `new`. */
function isFunction(value: unknown): boolean {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false
}

type Facts = Parameters<VersionContract['bind']>[2]

/** Ties a contract to a table and a history. */
function boundContract(
  { compile, standard = false, requests = 'older', unknown = 'strip', refuse, responses = false }: ContractOptions,
  routes: RouteRegistry,
  changes: RequestChanges,
  { versions, isNeutral }: Facts,
): RequestContract {
  const judges = { standard, compiled: compile !== undefined }
  const validators = validatorsBy(compile)
  const settings: CheckSettings = { validators, unknown, refuse, carriers: changes.carriers }
  /** The schemas by version. */
  const known = new Map<string, KnownSchemas>()
  const oddPatterns = new Map<string, string>()
  const checks = new Map<OperationSchemas, RequestChecks | undefined>()
  const checksVersion = (version: string) => requests === 'all' || (requests === 'older' && version !== versions.at(-1))

  function read(version: string, problems: Problems): VersionSchemas['all'] {
    const { all, odd } = versionSchemas(routes, changes, version, judges, isNeutral, problems.report)
    for (const [place, source] of odd) oddPatterns.set(place, source)
    known.set(version, { revision: routes.revision(), all, fault: undefined })
    return all
  }

  /** Returns the schemas of an operation. Routes that were added since are read anew. */
  function schemasOf(method: string, viewName: string, version: string): OperationSchemas | undefined {
    // Those of each version that is checked were read at start.
    const before = known.get(version) as KnownSchemas
    const found = before.all.get(viewName)?.get(method)
    if (found !== undefined) return found
    const revision = routes.revision()
    if (before.revision === revision) {
      if (before.fault !== undefined && routes.serves(viewName, method)) throw lateFailure(before.fault)
      return undefined
    }
    const problems = new Problems()
    const all = read(version, problems)
    try {
      problems.check('versioning()', 'the option "contract"')
    } catch (fault) {
      // No later request is checked by the half of a description.
      known.set(version, { revision, all: before.all, fault: fault as Error })
      throw lateFailure(fault as Error)
    }
    return all.get(viewName)?.get(method)
  }

  const isDescribed = routes
    .facts()
    .some((route) => operationMethods(route).some((method) => route.describedAs(method)))
  if (!isDescribed) throw new TypeError('versioning(): option "contract" needs descriptions: routes.describe(...).')
  const problems = new Problems()
  for (const version of versions) if (responses !== false || checksVersion(version)) read(version, problems)
  problems.check('versioning()', 'the option "contract"')
  if (judges.compiled) {
    // Documents were told of when they were read.
    const documents = routes.elsewhere()?.documents ?? []
    const isTold = (source: string) => documents.some(({ schemas }) => schemas.oddPatterns.has(source))
    warnOfPatterns(routes, new Map([...oddPatterns].filter(([, source]) => !isTold(source))))
  }
  const watch = responses === false ? undefined : responseWatch(responses, validators, schemasOf)
  return {
    touchesNewest: requests === 'all' || responses !== false,

    checksOf(method, viewName, version) {
      const schemas = checksVersion(version) ? schemasOf(method, viewName, version) : undefined
      if (schemas === undefined) return undefined
      if (!checks.has(schemas)) checks.set(schemas, checksFor(`${method} ${viewName}`, version, schemas, settings))
      return checks.get(schemas)
    },

    watch: (req, res, state) => watch?.(req, res, state as RequestState),
  }
}

/** The schemas of one version, as of a revision of the table. */
interface KnownSchemas {
  readonly revision: number
  readonly all: VersionSchemas['all']
  /** The fault of the routes that were added since. */
  readonly fault: Error | undefined
}

function lateFailure(cause: Error): ContractFailure {
  return new ContractFailure('The contract failed: it does not hold for routes that were added later.', { cause })
}

/** Compiles the checks of an operation; `undefined` for one whose requests nobody described. */
function checksFor(
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
  const properties = unknown === 'keep' ? undefined : unknownProperties(schema)
  const isCarrier = ({ isOutermost, name }: UnknownProperty) => part === 'query' && isOutermost && carrying.has(name)
  const byKind = new Map<boolean, Validator>()
  const standard = written && validatorOf(() => standardJudge(written), name)
  const judgeOf = (isText: boolean) => {
    if (standard !== undefined) return standard
    const known = byKind.get(isText) ?? validators(schema, isText ? 'query' : 'body', name)
    byKind.set(isText, known)
    return known
  }
  return (value, isText, isKept, issues) => {
    const found = (properties?.(value, isText) ?? []).filter((property) => !isCarrier(property))
    if (unknown === 'strip') for (const property of found) property.remove()
    else for (const { path } of found.slice(0, MOST_ISSUES)) issues.push({ ...UNKNOWN, in: part, path })
    const isChanged = unknown === 'strip' && found.length > 0
    // The validator may set defaults, and coerce.
    let judged = isKept || isChanged ? jsonCopy(value) : value
    if (part === 'query' && carrying.size > 0) judged = without(judged as object, carrying)
    issues.push(...judgeOf(isText)(judged, part))
    return isChanged
  }
}

function without(query: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
}
