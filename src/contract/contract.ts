// The public API of contracts: `contract()`, its options, and what it binds to a history.
import type { Request, Response } from 'express'
import type { RequestChanges, RequestChecks, RequestContract, VersionContract } from '../bound-changes'
import type { RouteRegistry } from '../registry'
import type { RequestState } from '../request/state'
import { warnOfPatterns } from '../schemas/patterns'
import { brand } from '../util/brand'
import { operationMethods } from '../util/operation'
import { badOption, checkKeys } from '../util/options'
import { Problems } from '../util/problems'
import { type CheckSettings, checksOf, type Refuse, type UnknownRule } from './checks'
import { ContractFailure } from './failure'
import { type ResponsesRule, ResponseWatch } from './response-checks'
import { type CompileSchema, Validators } from './validators'
import { type Judges, type OperationSchemas, VersionSchemas } from './version-schemas'

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
  return brand('contract', { bind: (routes, changes, facts) => new BoundContract(own, routes, changes, facts) })
}

/** Tells whether a value is a function that can be called: a class, such as an own error, needs `new`. */
function isFunction(value: unknown): boolean {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false
}

type Facts = Parameters<VersionContract['bind']>[2]

/** A contract that is tied to a table and a history. */
class BoundContract implements RequestContract {
  readonly touchesNewest: boolean
  readonly #routes: RouteRegistry
  readonly #changes: RequestChanges
  readonly #facts: Facts
  readonly #judges: Judges
  readonly #requests: 'older' | 'all' | false
  readonly #settings: CheckSettings
  readonly #watch: ResponseWatch | undefined
  /** The schemas by version. */
  readonly #schemas = new Map<string, KnownSchemas>()
  readonly #oddPatterns = new Map<string, string>()
  readonly #checks = new Map<OperationSchemas, RequestChecks | undefined>()

  constructor(
    { compile, standard = false, requests = 'older', unknown = 'strip', refuse, responses = false }: ContractOptions,
    routes: RouteRegistry,
    changes: RequestChanges,
    facts: Facts,
  ) {
    this.#routes = routes
    this.#changes = changes
    this.#facts = facts
    this.#requests = requests
    this.#judges = { standard, compiled: compile !== undefined }
    const validators = new Validators(compile)
    this.#settings = { validators, unknown, refuse, carriers: () => changes.carriers }
    this.#watch = responses === false ? undefined : new ResponseWatch(responses, validators, this.#schemasOf.bind(this))
    this.touchesNewest = requests === 'all' || responses !== false
    const isDescribed = routes
      .facts()
      .some((route) => operationMethods(route).some((method) => route.describedAs(method)))
    if (!isDescribed) throw new TypeError('versioning(): option "contract" needs descriptions: routes.describe(...).')
    const problems = new Problems()
    for (const version of facts.versions)
      if (responses !== false || this.#checksVersion(version)) this.#read(version, problems)
    problems.check('versioning()', 'the option "contract"')
    this.#warnOfPatterns()
  }

  /** Warns once of patterns that `compile` will not take. Documents were told of when they were read. */
  #warnOfPatterns(): void {
    if (!this.#judges.compiled) return
    const documents = this.#routes.elsewhere()?.documents ?? []
    const isTold = (source: string) => documents.some(({ schemas }) => schemas.oddPatterns.has(source))
    warnOfPatterns(this.#routes, new Map([...this.#oddPatterns].filter(([, source]) => !isTold(source))))
  }

  #checksVersion(version: string): boolean {
    return this.#requests === 'all' || (this.#requests === 'older' && version !== this.#facts.versions.at(-1))
  }

  #read(version: string, problems: Problems): ReturnType<VersionSchemas['all']> {
    const schemas = new VersionSchemas(this.#routes, this.#changes, version, this.#judges)
    const all = schemas.all(this.#facts.isNeutral, problems.report)
    for (const [place, source] of schemas.oddPatterns) this.#oddPatterns.set(place, source)
    this.#schemas.set(version, { revision: this.#routes.revision(), all, fault: undefined })
    return all
  }

  /** Returns the schemas of an operation. Routes that were added since are read anew. */
  #schemasOf(method: string, viewName: string, version: string): OperationSchemas | undefined {
    // Those of each version that is checked were read at start.
    const known = this.#schemas.get(version) as KnownSchemas
    const found = known.all.get(viewName)?.get(method)
    if (found !== undefined) return found
    const revision = this.#routes.revision()
    if (known.revision === revision) {
      if (known.fault !== undefined && this.#routes.serves(viewName, method)) throw lateFailure(known.fault)
      return undefined
    }
    const problems = new Problems()
    const all = this.#read(version, problems)
    try {
      problems.check('versioning()', 'the option "contract"')
    } catch (fault) {
      // No later request is checked by the half of a description.
      this.#schemas.set(version, { revision, all: known.all, fault: fault as Error })
      throw lateFailure(fault as Error)
    }
    return all.get(viewName)?.get(method)
  }

  checksOf(method: string, viewName: string, version: string): RequestChecks | undefined {
    if (!this.#checksVersion(version)) return undefined
    const schemas = this.#schemasOf(method, viewName, version)
    if (schemas === undefined) return undefined
    if (!this.#checks.has(schemas)) {
      this.#checks.set(schemas, checksOf(`${method} ${viewName}`, version, schemas, this.#settings))
    }
    return this.#checks.get(schemas)
  }

  watch(req: Request, res: Response, state: object): void {
    this.#watch?.begin(req, res, state as RequestState)
  }
}

/** The schemas of one version, as of a revision of the table. */
interface KnownSchemas {
  readonly revision: number
  readonly all: ReturnType<VersionSchemas['all']>
  /** The fault of the routes that were added since. */
  readonly fault: Error | undefined
}

function lateFailure(cause: Error): ContractFailure {
  return new ContractFailure('The contract failed: it does not hold for routes that were added later.', { cause })
}
