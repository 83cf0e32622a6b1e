import type { Request } from 'express'
import type { ResolverMatch, RouteParams } from '../types'
import { shown } from '../util/options'
import { isThenable } from '../util/thenable'
import type { RequestState, Scheme, Versioning } from './state'

/** Why a request must not reach a route. */
export interface Mismatch {
  /** The refusal of the scheme. */
  readonly error: unknown
  /** Whether the route is another version's; else what stands in a version's place is no version. */
  readonly other: boolean
}

export type Verdict = Mismatch | undefined | Promise<Mismatch | undefined>

/**
 * Compares what the request is about to reach with the version that was decided. The version itself is not decided anew.
 *
 * @param path where the request is now, below the app.
 * @returns `undefined` if all is well.
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

/** Asks each scheme that reads the route what a match names: that must be `version`, or none. */
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
  // A scheme of one's own that decides all by itself tells so that nothing is named.
  if (code === 'ERR_VERSION_MISSING') return undefined
  return { error: asError(error), other: code !== 'ERR_VERSION_NOT_FOUND' }
}

/** What of a path is below a mount; nothing of one that is elsewhere. */
function pathBelow(baseUrl: string, path: string): string {
  return path.startsWith(baseUrl) ? path.slice(baseUrl.length) || '/' : ''
}

/** Express takes these for "go on" rather than for an error, which would let a refused request through. */
export function asError(error: unknown): unknown {
  if (error && error !== 'route' && error !== 'router') return error
  return new Error(`determineVersion() failed with ${shown(error)}.`)
}
