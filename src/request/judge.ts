// Compares the route that a request is about to reach with the version that was decided.
import type { Request } from 'express'
import type { ResolverMatch, RouteParams } from '../types'
import { shown } from '../util/options'
import { isThenable } from '../util/thenable'
import type { RequestState, Scheme, Versioning } from './state'

/** The reason why a request must not reach a route. */
export interface Mismatch {
  /** The refusal of the scheme. */
  readonly error: unknown
  /** `true` if the route belongs to another version; `false` if the text in the version's place is not a version. */
  readonly other: boolean
}

export type Verdict = Mismatch | undefined | Promise<Mismatch | undefined>

/**
 * Compares the version that a match names with the version that was decided. It does not decide the version anew.
 *
 * @param path the current path of the request, below the app.
 * @returns `undefined` if the request may go on.
 */
export function judge(
  { config, baseUrl, params, decision }: RequestState,
  req: Request,
  match: ResolverMatch,
  path: string,
): Verdict {
  const versioning = config as Versioning
  if (versioning.isNeutral(pathBelow(baseUrl, path), () => match)) return undefined
  return compare(versioning.scheme, decision.version, req, { ...params, ...match.params }, match)
}

/** Asks each scheme that reads the route which version a match names: `version` or none may pass. */
export function compare(
  { routeReaders }: Scheme,
  version: string | null | undefined,
  req: Request,
  kwargs: RouteParams,
  match: ResolverMatch,
): Verdict {
  let verdict: Verdict
  for (const reader of routeReaders) {
    const ask = () => askOne(reader, version, req, kwargs, match)
    verdict = isThenable(verdict) ? verdict.then((found) => found ?? ask()) : (verdict ?? ask())
  }
  return verdict
}

function askOne(
  scheme: Scheme,
  version: string | null | undefined,
  req: Request,
  kwargs: RouteParams,
  match: ResolverMatch,
): Verdict {
  const verdict = (named: string | null | undefined): Mismatch | undefined =>
    named === undefined || named === null || named === version
      ? undefined
      : { error: scheme.invalidVersion(named), other: true }
  try {
    const named = scheme.named(req, kwargs, match)
    return isThenable(named) ? Promise.resolve(named).then(verdict, mismatchOf) : verdict(named)
  } catch (error) {
    return mismatchOf(error)
  }
}

function mismatchOf(error: unknown): Mismatch | undefined {
  const { code } = Object(error) as { code?: unknown }
  // A custom scheme that only has `determineVersion()` throws this error if the route names no version.
  if (code === 'ERR_VERSION_MISSING') return undefined
  return { error: asError(error), other: code !== 'ERR_VERSION_NOT_FOUND' }
}

/** Returns the part of a path below a mount; an empty string for a path outside the mount. */
function pathBelow(baseUrl: string, path: string): string {
  return path.startsWith(baseUrl) ? path.slice(baseUrl.length) || '/' : ''
}

/**
 * Returns the error to hand to `next()`. Express reads falsy values, 'route' and 'router' as "go on", which would let a
 * refused request through.
 */
export function asError(error: unknown): unknown {
  if (error && error !== 'route' && error !== 'router') return error
  return new Error(`determineVersion() failed with ${shown(error)}.`)
}
