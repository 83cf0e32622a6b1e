import type { Request } from 'express'
import type { ResolverMatch } from '../types'
import { shown } from '../util/options'
import { isThenable } from '../util/thenable'
import { walkTo } from './place'
import { Decision, type Determined, NO_ARGS, type RequestState, type Root, readsRoute, type Versioning } from './state'

/** That a request is about to reach what is not its version's. */
export interface Mismatch {
  /** By which the scheme refuses. */
  readonly error: unknown
  /** Whether it is another version's; else what stands in a version's place is no version. */
  readonly other: boolean
}

/**
 * Compares what the request is about to reach with what was decided: the version that the match at dispatch names must be
 * that one. A match that names none passes. The version itself is not decided anew.
 *
 * @param path where the request is now, below the app.
 * @returns `undefined` if all is well.
 */
export function judge(
  state: RequestState,
  req: Request,
  match: ResolverMatch,
  path: string,
): Mismatch | undefined | Promise<Mismatch | undefined> {
  const config = state.config as Versioning
  if (config.isNeutral(pathBelow(state.baseUrl, path), () => match)) return undefined
  const { root, decision } = state
  const trial = new Decision()
  state.decision = trial
  // A scheme that reads `req.resolverMatch` finds the match in question there.
  state.root = {
    ...((root ?? state.handling) as Root),
    given: true,
    walk: walkTo(match),
  }
  const restore = () => {
    state.root = root
    state.decision = decision
  }
  const verdict = (version: string | null | undefined): Mismatch | undefined => {
    restore()
    if (version === decision.version || namesNone(trial, version, match)) return undefined
    return { error: (trial.by ?? config.scheme).invalidVersion(version), other: true }
  }
  const failure = (error: unknown): Mismatch | undefined => {
    restore()
    const { code } = Object(error) as { code?: unknown }
    return code === 'ERR_VERSION_MISSING'
      ? undefined
      : { error: asError(error), other: code !== 'ERR_VERSION_NOT_FOUND' }
  }
  let version: Determined
  try {
    version = config.scheme.determineVersion(req, NO_ARGS, { ...state.params, ...match.params })
  } catch (error) {
    return failure(error)
  }
  return isThenable(version) ? Promise.resolve(version).then(verdict, failure) : verdict(version)
}

/** What of a path is below a mount; nothing of one that is elsewhere. */
function pathBelow(baseUrl: string, path: string): string {
  return path.startsWith(baseUrl) ? path.slice(baseUrl.length) || '/' : ''
}

/** Whether the match names no version; of one that another part of the request hides, only an empty match says so for sure. */
function namesNone(trial: Decision, version: string | null | undefined, match: ResolverMatch): boolean {
  if (trial.named === false || version === null || version === undefined) return true
  const hidden = trial.by !== undefined && !readsRoute(trial.by)
  return hidden && match.namespaces.length === 0 && Object.keys(match.params).length === 0
}

/** Express takes these for "go on" rather than for an error, which would let a refused request through. */
export function asError(error: unknown): unknown {
  if (error && error !== 'route' && error !== 'router') return error
  return new Error(`determineVersion() failed with ${shown(error)}.`)
}
