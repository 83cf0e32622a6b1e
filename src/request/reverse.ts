import type { Request } from 'express'
import { NoReverseMatch } from '../errors'
import type { LinkFailure, SchemeLinkOptions } from '../types'
import { shown } from '../util/options'
import { buildLink } from './link'
import { describeFailure } from './link-failure'
import { rootOf } from './place'
import { peekState, type Root } from './state'

/** Options of {@link reverse}. */
export interface ReverseOptions extends SchemeLinkOptions {
  /** The request whose version the link keeps. */
  request: Request
}

/**
 * A link to a named route, in the version of `request` where its scheme keeps versions in URLs. As in DRF's `reverse`, when
 * the versioned name or keyword does not fit, the unversioned one is tried; not so when `version` asks for one.
 *
 * @returns a path, or with `absolute` a URL.
 * @throws {NoReverseMatch} with what was asked, what the route takes, and near names.
 * @example reverse('user-detail', { request: req, kwargs: { id: 7 } }) // '/v1/users/7'
 */
export function reverse(viewname: string, options: ReverseOptions): string {
  if (typeof options?.request !== 'object' || options.request === null) {
    throw new NoReverseMatch(
      `reverse() needs the request whose version the link keeps: reverse("${viewname}", { request: req }). Without one, call reverse() of the table itself.`,
    )
  }
  if (typeof viewname !== 'string') throw new NoReverseMatch(`reverse() takes a view name; got ${shown(viewname)}.`)
  const { request, version } = options
  if (version !== undefined && version !== null && (typeof version !== 'string' || SURROGATE.test(version))) {
    throw new NoReverseMatch(`"version" takes a well-formed string or null; got ${shown(version)}.`)
  }
  const scheme = peekState(request)?.config?.scheme
  try {
    if (scheme === undefined) {
      if (version === undefined) return buildLink(viewname, options)
      throw new NoReverseMatch('"version" needs a versioning() in front of the handler that makes the link.')
    }
    if (version === undefined) return withFallback(scheme, viewname, options)
    if (!scheme.linksVersion) {
      if (version === null) return scheme.reverse(viewname, options)
      throw new NoReverseMatch(`${scheme.constructor.name} keeps no version in URLs, so "version" cannot choose one.`)
    }
    if (version !== null && !scheme.isAllowedVersion(version)) {
      throw new NoReverseMatch(`"version" takes one of the allowed versions; got ${shown(version)}.`)
    }
    return scheme.reverse(viewname, options)
  } catch (error) {
    throw explained(error, request)
  }
}

/** Half of a character, which no URL can carry. */
const SURROGATE = /\p{Surrogate}/u

type Reverser = { reverse(viewname: string, options: SchemeLinkOptions): string }

function withFallback(scheme: Reverser, viewname: string, options: ReverseOptions): string {
  try {
    return scheme.reverse(viewname, options)
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    try {
      return buildLink(viewname, options)
    } catch (plain) {
      if (!(plain instanceof NoReverseMatch)) throw plain
      // A scheme's own error says more than that the plain link fails too.
      if (error.failures.length === 0) throw error
      throw new NoReverseMatch(error.message, { failures: [...error.failures, ...plain.failures] })
    }
  }
}

/** The error that the programmer reads: each name that was tried once, with what it takes and the names near it. */
function explained(error: unknown, request: Request): unknown {
  if (!(error instanceof NoReverseMatch) || error.failures.length === 0) return error
  // Only a table gives failures.
  const { table } = rootOf(peekState(request)) as Root
  const distinct = new Map<string, LinkFailure>()
  for (const failure of error.failures) distinct.set(`${failure.viewName} ${failure.reason}`, failure)
  const failures = [...distinct.values()]
  // Where one of the names is right and its arguments are not, names near the other one would mislead.
  const mistyped = failures.every(({ unknown }) => unknown)
  const lines = failures.map((failure) => describeFailure(failure, mistyped ? table.near(failure.viewName) : []))
  return new NoReverseMatch(lines.join(' '), { failures, status: error.status })
}
