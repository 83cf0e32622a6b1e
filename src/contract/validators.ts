// The validators that the user's own library compiles, and their issues.
import { isObject, type JsonSchema } from '../schemas/model'
import { kindOf } from '../util/options'
import { isThenable } from '../util/thenable'
import { ContractFailure, type ContractIssue, MOST_ISSUES } from './failure'

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

/** The members of `params` that name the member at fault. */
const MEMBERS = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']

/** Judges a value, which it may change. It returns the issues; none for a value that fits. */
export type Judge = (value: unknown, part: ContractIssue['in']) => ContractIssue[]

/** The error of a validator that returned something else. */
export class OddResult extends Error {}

/** The validators of a contract. Equal schemas of one part share one. */
export class Validators {
  readonly #known = new Map<string, Validator>()

  /** @param compile undefined if every part has a judge of its own. */
  constructor(private readonly compile: CompileSchema | undefined) {}

  /** @param name the name in errors, such as `the body of "POST user-list" in version "v1"`. */
  of(schema: JsonSchema, part: ContractPart, name: string): Validator {
    const key = `${part} ${JSON.stringify(schema)}`
    const known = this.#known.get(key) ?? new Validator(() => compiledJudge(this.compile?.(schema, part)), name)
    this.#known.set(key, known)
    return known
  }
}

/** The validator of one schema. It is compiled when it is first needed, and never asked again after a failure. */
export class Validator {
  #judge: Judge | undefined
  #failure: ContractFailure | undefined

  constructor(
    private readonly compile: () => Judge,
    private readonly name: string,
  ) {}

  /**
   * Judges a value.
   *
   * @param value may be changed: validators set defaults and coerce.
   * @returns the issues; empty for a value that fits.
   * @throws {ContractFailure} if the validator fails, or has failed before.
   */
  issuesOf(value: unknown, part: ContractIssue['in']): ContractIssue[] {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#judge ??= this.compile()
    } catch (cause) {
      throw this.#failed(cause, 'could not be compiled')
    }
    try {
      return this.#judge(value, part)
    } catch (cause) {
      // The value is nested deeper than the stack allows: the next one may fit.
      if (cause instanceof RangeError && cause.message.includes('call stack')) throw cause
      throw this.#failed(cause, 'threw')
    }
  }

  #failed(cause: unknown, how: string): ContractFailure {
    const [told, options] = cause instanceof OddResult ? [cause.message, {}] : [how, { cause }]
    this.#failure = new ContractFailure(`The contract failed: the validator of ${this.name} ${told}.`, options)
    return this.#failure
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
export function settledKind(value: unknown): string {
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
  const member = isObject(params) ? MEMBERS.map((name) => params[name]).find(isString) : undefined
  const more = member === undefined ? [] : [member]
  return {
    in: part,
    path: isString(instancePath) ? [...pointerSteps(instancePath), ...more] : [],
    message: isString(message) ? message : 'does not fit its schema',
    keyword: isString(keyword) ? keyword : '',
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns the names in a JSON Pointer (RFC 6901, section 4). */
function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
