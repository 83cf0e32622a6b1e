// Explains failed links to the programmer, or to the client whose own values made them fail.
import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import type { LinkFailure, LinkOptions } from '../types'
import { partsOf } from '../util/operation'
import { didYouMean } from '../util/suggest'
import { type FailedLink, peekState } from './state'

const OPTIONS = ['args', 'kwargs', 'format', 'query', 'hash', 'absolute', 'version', 'origin', 'request']

/** Returns the error that explains a failure; `undefined` if names or their arguments are at fault. */
export function errorOf(failures: readonly FailedLink[]): NoReverseMatch | undefined {
  return failures.find(({ error }) => error !== undefined)?.error
}

/**
 * Returns the error for the programmer. It tells of each name once, with the arguments that the name takes and the
 * names near it.
 */
export function explained(
  made: readonly FailedLink[],
  request: Request,
  viewname: string,
  options: LinkOptions,
): NoReverseMatch {
  // An error with its own reason says more than a list of names that failed; the scheme's comes first.
  const own = errorOf(made)
  const failures = own === undefined ? distinct(made) : []
  const named = failures.every(({ unknown }) => unknown) && isOwn(request, viewname)
  const unfit = [...(own?.unfit ?? []), ...failures.flatMap(({ unfit }) => unfit ?? [])]
  const status = own?.status === 400 || named || unfit.some((value) => isOwn(request, value)) ? 400 : 500
  const extras = Object.keys(options).filter((key) => !OPTIONS.includes(key) && options[key as never] !== undefined)
  if (own !== undefined && failures.length === 0 && extras.length === 0 && own.status === status) return own
  const lines = failures.length === 0 ? [own?.message] : described(failures, request, status === 400 && named)
  for (const extra of extras)
    lines.push(`The link was given the unknown option "${extra}": parameters go into "kwargs".`)
  return new NoReverseMatch(lines.join(' '), { failures, unfit, status, cause: own?.cause })
}

function distinct(failures: readonly LinkFailure[]): readonly LinkFailure[] {
  return [...new Map(failures.map((failure) => [`${failure.viewName} ${failure.reason}`, failure])).values()]
}

function described(failures: readonly LinkFailure[], request: Request, named: boolean): (string | undefined)[] {
  if (named) return ['No route has the name that this request asks for.']
  const state = peekState(request)
  const table = state?.place?.table
  const listed = state?.config?.scheme.acceptedVersions.includes(request.version ?? null)
  // If one name is right and its arguments are wrong, names near the other name would mislead.
  const mistyped = failures.every(({ unknown }) => unknown)
  return failures.map((failure) => {
    const near = mistyped ? (table?.near(failure.viewName) ?? []) : []
    if (state?.config === undefined) return describeUnversioned(failure, near, NO_VERSIONING)
    if (!failure.unknown || listed) return describeFailure(failure, near)
    // A version outside the list is text from the client.
    const parts = partsOf(failure.viewName).map((part) => (part === request.version ? '<version>' : part))
    return describeFailure({ ...failure, viewName: parts.join(':') }, near)
  })
}

/**
 * Returns the sentence for a name that gave no link. `near` are the names close to it.
 *
 * @example describeFailure(failure, []) // '"user-detail" (/users/:id) needs "id".'
 */
export function describeFailure(failure: LinkFailure, near: readonly string[]): string {
  if (failure.unknown) return `No route named "${failure.viewName}".${didYouMean(near)}`
  const pattern = failure.pattern === undefined ? '' : ` (${failure.pattern})`
  return `"${failure.viewName}"${pattern} ${failure.reason}.`
}

const NO_VERSIONING = 'no versioning() runs in front of the handler that makes the link'

/**
 * Returns the sentence as {@link describeFailure} does, for a request without a decided version. A name that lacks a
 * version says so, and why.
 *
 * @example describeUnversioned(failure, [], 'no versioning() ran') // '"user" (/:version/users) needs a version: no versioning() ran.'
 */
export function describeUnversioned(failure: LinkFailure, near: readonly string[], why: string): string {
  const { viewName, pattern, missing = [] } = failure
  if (missing.includes('version')) {
    const others = missing.filter((name) => name !== 'version').map((name) => ` and "${name}"`)
    return `"${viewName}" (${pattern}) needs a version${others.join('')}: ${why}.`
  }
  const told = describeFailure(failure, near)
  const versions = near.some((name) => name.endsWith(`:${viewName}`))
  return versions ? `${told} Its namespace is not filled in: ${why}.` : told
}

/** Tells whether a value came with the request: its version, a path parameter or a query value. */
function isOwn(request: Request, value: unknown): boolean {
  if (value === undefined || value === null || isEmptyObject(value)) return false
  if (value === request.version) return true
  const { params, query } = request
  if (holds([params, request.resolverMatch?.params, query], value)) return true
  // Express 4 has the wildcard of a path as one string; the caller has split it.
  return Array.isArray(value) && value.every((item) => typeof item === 'string') && isOwn(request, value.join('/'))
}

/** Tells whether a value is an empty object. All of them are equal, so none can be traced to the request. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Tells whether an object contains a value at any depth, compared by content. */
function holds(within: unknown, value: unknown): boolean {
  if (typeof within !== 'object' || within === null) return false
  return Object.values(within).some((item) => isDeepStrictEqual(item, value) || holds(item, value))
}
