// Implements `req.reverse()`: the fallback to unversioned names, and the errors that explain a failed link.
import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import type { LinkFailure, LinkOptions } from '../types'
import { kindOf } from '../util/options'
import { didYouMean } from '../util/suggest'
import { attempted, failuresOf, isFailed, plainLink } from './link'
import { rootOf } from './place'
import { type Attempt, peekState, type Scheme } from './state'

const NO_OPTIONS: LinkOptions = Object.freeze({})

/**
 * Returns a link to a named route, in the version of the request if the scheme keeps versions in URLs. As in DRF's
 * `reverse`, the unversioned name or keyword is tried if the versioned one does not fit, unless `version` asks for one.
 *
 * @throws {NoReverseMatch} with the name that was asked for, the arguments that the route takes, and near names.
 */
export function reverseFor(request: Request, viewname: string, options: LinkOptions = NO_OPTIONS): string {
  const made = attemptFor(request, viewname, options)
  if (!isFailed(made)) return made
  throw explained(made, request, viewname, options)
}

/** Returns the link as {@link reverseFor} does, or its failure as a value. */
export function attemptFor(request: Request, viewname: string, options: LinkOptions): Attempt {
  return attempted(() => linked(request, viewname, options))
}

function linked(request: Request, viewname: string, options: LinkOptions): Attempt {
  if (typeof viewname !== 'string') throw new NoReverseMatch(`reverse() takes a view name; got ${kindOf(viewname)}.`)
  if (typeof options !== 'object' || options === null) {
    throw new NoReverseMatch(`reverse() takes an object of options; got ${kindOf(options)}.`)
  }
  const scheme = peekState(request)?.config?.scheme
  const { version } = options
  if (version !== undefined) checkVersion(version, scheme)
  if (scheme === undefined) return plainLink(viewname, options, request)
  const made = scheme.attempt(viewname, options, request)
  if (!isFailed(made) || version !== undefined) return made
  const plain = attempted(() => plainLink(viewname, options, request))
  if (!isFailed(plain)) return plain
  // An error with its own reason says more than a list of names that failed; the scheme's comes first.
  if (failuresOf(made).length === 0) return made
  return failuresOf(plain).length === 0 ? plain : [...failuresOf(made), ...failuresOf(plain)]
}

/** A lone surrogate, which no URL can carry. */
const SURROGATE = /\p{Surrogate}/u

/** @throws {NoReverseMatch} for a version that no link can have. */
function checkVersion(version: unknown, scheme: Scheme | undefined): void {
  const unfit = [version]
  if (version !== null && (typeof version !== 'string' || SURROGATE.test(version))) {
    throw new NoReverseMatch(`"version" takes a well-formed string or null; got ${kindOf(version)}.`, { unfit })
  }
  if (scheme === undefined) {
    throw new NoReverseMatch('"version" needs a versioning() in front of the handler that makes the link.')
  }
  if (version === null) return
  if (!scheme.linksVersion) {
    throw new NoReverseMatch(`${scheme.constructor.name} keeps no version in URLs, so "version" cannot choose one.`)
  }
  if (!scheme.isAllowedVersion(version)) {
    const allowed = scheme.acceptedVersions.map((one) => JSON.stringify(one)).join(', ')
    throw new NoReverseMatch(`"version" takes one of the allowed versions: ${allowed}.`, { unfit })
  }
}

const OPTIONS = {
  args: true,
  kwargs: true,
  format: true,
  query: true,
  hash: true,
  absolute: true,
  version: true,
  origin: true,
  request: true,
} satisfies Record<keyof LinkOptions | 'request', true>

/**
 * Returns the error for the programmer. It tells of each name once, with the arguments that the name takes and the
 * names near it.
 */
function explained(
  made: readonly LinkFailure[] | NoReverseMatch,
  request: Request,
  viewname: string,
  options: LinkOptions,
): NoReverseMatch {
  const own = made instanceof NoReverseMatch ? made : undefined
  const failures = distinct(failuresOf(made))
  const named = failures.every(({ unknown }) => unknown) && isOwn(request, viewname)
  const unfit = [...(own?.unfit ?? []), ...failures.flatMap(({ unfit }) => unfit ?? [])]
  const status = own?.status === 400 || named || unfit.some((value) => isOwn(request, value)) ? 400 : 500
  const extras = Object.keys(options).filter((key) => !(key in OPTIONS) && options[key as never] !== undefined)
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
  const table = rootOf(state)?.table
  const listed = state?.config?.scheme.acceptedVersions.includes(request.version ?? null)
  // If one name is right and its arguments are wrong, names near the other name would mislead.
  const mistyped = failures.every(({ unknown }) => unknown)
  return failures.map((failure) => {
    const near = mistyped ? (table?.near(failure.viewName) ?? []) : []
    if (state?.config === undefined) return describeUnversioned(failure, near, NO_VERSIONING)
    if (!failure.unknown || listed) return describeFailure(failure, near)
    // A version outside the list is text from the client.
    const parts = failure.viewName.split(':').map((part) => (part === request.version ? '<version>' : part))
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
