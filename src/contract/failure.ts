// The errors of contracts, their issues, and the limit of these.
import { notValidIn, VersioningError } from '../errors'

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
