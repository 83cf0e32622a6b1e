// The judges of values: validators of the user's own library, and the Standard Schemas that people wrote; their issues and failures.
import { notValidIn, VersioningError } from '../errors'
import { openedSchema } from '../schemas/closed'
import type { Definitions } from '../schemas/definitions'
import { isSameSchema } from '../schemas/differences'
import { resolveOwn, targetOf } from '../schemas/graph'
import { loneReferenceIn } from '../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../schemas/model'
import { plainStepsOf } from '../schemas/pointers'
import { readSchema } from '../schemas/reading'
import type { Schema } from '../types'
import { kindOf } from '../util/options'
import { isThenable } from '../util/thenable'

/** One part of a request that does not fit its version. It never holds a value of the client. */
export interface ContractIssue {
  /** The part of the request; `body` for a response too. */
  readonly in: 'body' | 'query'
  /** The way to the value, in the names of the client's version. For a missing or forbidden property, it ends in that property. */
  readonly path: readonly string[]
  /** The reason, as the validator words it. */
  readonly message: string
  /** The keyword of JSON Schema that does not hold. */
  readonly keyword: string
}

const CODE = 'ERR_VERSION_CONTRACT'

/** The highest number of issues of a kind in one rejection. A client may make thousands of them, each with a long path. */
export const MOST_ISSUES = 100

/** Adds issues to an error, hidden from serializers and loggers: keys of a map are the client's. */
function withIssues<E extends Error>(
  error: E,
  issues: readonly ContractIssue[],
): E & { readonly issues: typeof issues } {
  return Object.defineProperty(error, 'issues', { value: issues, configurable: true }) as never
}

/** Makes the rejection of a request that does not fit its version: 400 `ERR_VERSION_CONTRACT`. */
export function misfit(version: string, issues: readonly ContractIssue[]): VersioningError {
  const error = new VersioningError(notValidIn(version), { status: 400, code: CODE, version })
  return withIssues(error, issues)
}

/** The error of a contract that cannot be checked, or of a response that does not fit it. It is a programmer's mistake. */
export class ContractFailure extends Error {
  readonly code = CODE
  /** It has no `statusCode`, because Nest sends clients the message of errors that have one. */
  readonly status = 500
  readonly expose = false

  constructor(message: string, { issues, ...options }: ErrorOptions & { issues?: readonly ContractIssue[] }) {
    super(message, options)
    if (issues !== undefined) withIssues(this, issues)
  }
}

/** The part of a message that a schema describes. `query` is for values that are strings: queries and forms. */
export type ContractPart = 'body' | 'query' | 'response'

/** One error of a validator, as Ajv gives it. */
export interface ValidatorError {
  /** The JSON Pointer of the value (RFC 6901). */
  readonly instancePath?: string | undefined
  /** The keyword that does not hold. */
  readonly keyword?: string | undefined
  /** The details by keyword, such as `missingProperty`. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
  /** The reason. It must not repeat the value. */
  readonly message?: string | undefined
}

/** A function that judges a value; Ajv's compiled schemas are such functions. */
export interface ContractValidator {
  (value: unknown): unknown
  /** The errors of the last call. */
  errors?: readonly ValidatorError[] | null | undefined
}

/** A function that compiles a schema. Each schema has all of its definitions in `$defs`. */
export type CompileSchema = (schema: Record<string, unknown>, part: ContractPart) => ContractValidator

/** The properties of `params` that name the property at fault. */
const MEMBERS = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']

/** Judges a value, which it may change. It returns the issues; none for a value that fits. */
export type Judge = (value: unknown, part: ContractIssue['in']) => ContractIssue[]

/** The error of a validator that returned something else. */
class OddResult extends Error {}

/** The validator of one schema: judges a value as a {@link Judge} does, and throws a {@link ContractFailure} if that fails. */
export type Validator = Judge

/** Finds the validator of a schema, whose name is that in errors, such as `the body of "POST user-list" in version "v1"`. */
export type Validators = (schema: JsonSchema, part: ContractPart, name: string) => Validator

/**
 * Makes the validators of a contract. Equal schemas of one part share one.
 *
 * @param compile undefined if every part has a judge of its own.
 */
export function validatorsBy(compile: CompileSchema | undefined): Validators {
  const known = new Map<string, Validator>()
  return (schema, part, name) => {
    const key = `${part} ${JSON.stringify(schema)}`
    const found = known.get(key) ?? validatorOf(() => compiledJudge(compile?.(schema, part)), name)
    known.set(key, found)
    return found
  }
}

/** Makes a validator. It is compiled when it is first needed, and never asked again after a failure. */
export function validatorOf(compile: () => Judge, name: string): Validator {
  let judge: Judge | undefined
  let failure: ContractFailure | undefined
  const failed = (cause: unknown, how: string): ContractFailure => {
    const [told, options] = cause instanceof OddResult ? [cause.message, {}] : [how, { cause }]
    failure = new ContractFailure(`The contract failed: the validator of ${name} ${told}.`, options)
    return failure
  }
  return (value, part) => {
    if (failure !== undefined) throw failure
    try {
      judge ??= compile()
    } catch (cause) {
      throw failed(cause, 'could not be compiled')
    }
    try {
      return judge(value, part)
    } catch (cause) {
      // The value is nested deeper than the stack allows: the next one may fit.
      if (cause instanceof RangeError && cause.message.includes('call stack')) throw cause
      throw failed(cause, 'threw')
    }
  }
}

function compiledJudge(compiled: unknown): Judge {
  if (typeof compiled !== 'function') throw new OddResult(`is ${settledKind(compiled)} instead of a function`)
  const judge = compiled as ContractValidator
  return (value, part) => {
    const result = judge(value)
    if (result === true) return []
    if (result === false) return issuesIn(judge.errors, part)
    throw new OddResult(`returned ${settledKind(result)} instead of true or false`)
  }
}

/** Names the kind of a value. Nobody else handles a promise, and an unhandled rejection ends the process. */
function settledKind(value: unknown): string {
  if (!isThenable(value)) return kindOf(value)
  Promise.resolve(value).catch(() => {})
  return 'a promise'
}

/** Reads the errors of a validator. It said that the value does not fit, so there is at least one issue, however odd they are. */
function issuesIn(errors: unknown, part: ContractIssue['in']): ContractIssue[] {
  const list = Array.isArray(errors) ? errors.slice(0, MOST_ISSUES).filter(isObject) : []
  const placed = list.filter(({ instancePath }) => isString(instancePath))
  return (placed.length === 0 ? [list[0] ?? {}] : placed).map((error) => issueOf(error, part))
}

function issueOf({ instancePath, keyword, params, message }: JsonSchema, part: ContractIssue['in']): ContractIssue {
  const property = isObject(params) ? MEMBERS.map((name) => params[name]).find(isString) : undefined
  const more = property === undefined ? [] : [property]
  return {
    in: part,
    path: isString(instancePath) ? [...plainStepsOf(instancePath), ...more] : [],
    message: isString(message) ? message : 'does not fit its schema',
    keyword: isString(keyword) ? keyword : '',
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** A Standard Schema that validates. */
export interface StandardSchema {
  readonly '~standard': { validate(value: unknown): unknown }
}

/**
 * Returns the Standard Schema that somebody wrote for a part of a request in a version.
 *
 * @param schema the schema that the description or a change has.
 * @param json what the schema is in that version, with its definitions in `$defs`.
 * @param selfContained returns what a schema is by itself, in the same form.
 * @returns `undefined` if nobody wrote it, such as one that holds another version's shapes, or one that `fields()` makes.
 */
export function writtenFor(
  schema: Schema,
  json: JsonSchema,
  definitions: Definitions,
  selfContained: (schema: Schema) => JsonSchema,
): StandardSchema | undefined {
  const own = inVersion(schema, definitions)
  if (!isStandard(own)) return undefined
  const names = [...readSchema(own, 'input').definitions.keys()].filter(isName)
  if (!names.some((name) => definitions.get(name)?.isOlder === true)) return own
  // The author may have written what these names are in this version, or what they are today.
  return isSameSchema(rootOf(json), rootOf(selfContained(own))) ? own : undefined
}

/** Returns the schema that a version has instead of one with a name. */
function inVersion(schema: Schema, definitions: Definitions): Schema {
  const older = definitions.get(loneReferenceIn(readSchema(schema, 'input').schema) as string)
  return older?.isOlder === true ? older.schema : schema
}

function isStandard(schema: Schema): schema is Schema & StandardSchema {
  const { '~standard': standard } = Object(schema) as Partial<StandardSchema>
  return typeof standard?.validate === 'function'
}

/** Reads a schema with `$defs`, behind a reference to one of them. */
function rootOf(schema: JsonSchema): SchemaReading {
  const reading = openedSchema(schema)
  return targetOf(reading, resolveOwn) ?? reading
}

/** Returns a judge that asks a Standard Schema. */
export function standardJudge({ '~standard': standard }: StandardSchema): Judge {
  return (value, part) => {
    const result = standard.validate(value)
    // Issues may be a list with a property `issues`, as those of arktype are.
    const { issues } = Object(result) as { issues?: unknown }
    if (issues !== undefined && !isThenable(result)) return standardIssuesIn(issues, part)
    if (isObject(result) && 'value' in result && !isThenable(result)) return []
    throw new OddResult(`returned ${settledKind(result)} instead of a value or issues`)
  }
}

/** Reads the issues of a Standard Schema. There is at least one, however odd they are. */
function standardIssuesIn(issues: unknown, part: ContractIssue['in']): ContractIssue[] {
  const list = Array.isArray(issues) ? issues.slice(0, MOST_ISSUES).filter(isObject) : []
  return (list.length === 0 ? [{}] : list).map(({ path, message }: JsonSchema) => ({
    in: part,
    path: Array.isArray(path) ? path.map((step: unknown) => String(isObject(step) ? step.key : step)) : [],
    message: typeof message === 'string' ? message : 'does not fit its schema',
    keyword: '',
  }))
}
