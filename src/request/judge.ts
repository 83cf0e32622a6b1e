import type { Request, Response } from 'express'
import { isPreflight } from '../http/preflight'
import type { ResolverMatch } from '../types'
import { isThenable } from '../util/thenable'
import { Decision, type Determined, type RequestState, type Root, readsRoute, type Versioning } from './state'

const NO_ARGS: readonly unknown[] = Object.freeze([])

/** Whether what a request is dispatched to must be compared with what was decided about it. */
export function mustJudge(state: RequestState, req: Request): boolean {
  return state.config?.readsRoute === true && !isPreflight(req)
}

/**
 * Compares what the request is about to reach with what was decided: the version that the match at dispatch names must be
 * that one. A match that names none passes. The version itself is not decided anew.
 *
 * @param path where the request is now, below the app.
 * @param onTheWay whether a table follows, whose routes are judged themselves: a namespace that is no version may be followed
 *   by one that is.
 * @returns the refusal, which observers were told; `undefined` if all is well.
 */
export function judge(
  state: RequestState,
  req: Request,
  res: Response,
  match: ResolverMatch,
  path: string,
  onTheWay = false,
): unknown | Promise<unknown> {
  const config = state.config as Versioning
  if (config.isNeutral(path.slice(state.baseUrl.length) || '/', () => match)) return undefined
  const { root, decision } = state
  const trial = new Decision()
  state.decision = trial
  // A scheme that reads `req.resolverMatch` finds the match in question there.
  state.root = { ...((root ?? state.handling) as Root), given: true, walk: { match } }
  const restore = () => {
    state.root = root
    state.decision = decision
  }
  const verdict = (version: string | null | undefined): unknown => {
    restore()
    return version === decision.version || namesNone(trial, version)
      ? undefined
      : refused(state, req, res, (trial.by ?? config.scheme).invalidVersion(version))
  }
  const failure = (error: unknown): unknown => {
    restore()
    const code = (error as { code?: unknown } | null | undefined)?.code
    const none = code === 'ERR_VERSION_MISSING' || (onTheWay && code === 'ERR_VERSION_NOT_FOUND')
    return none ? undefined : refused(state, req, res, error)
  }
  let version: Determined
  try {
    version = config.scheme.determineVersion(req, NO_ARGS, { ...state.params, ...match.params })
  } catch (error) {
    return failure(error)
  }
  return isThenable(version) ? Promise.resolve(version).then(verdict, failure) : verdict(version)
}

/** Whether it was not the match that named the version: nothing did, or another part of the request, which decided as well. */
function namesNone(trial: Decision, version: string | null | undefined): boolean {
  return (
    trial.named === false ||
    version === null ||
    version === undefined ||
    (trial.by !== undefined && !readsRoute(trial.by))
  )
}

function refused(state: RequestState, req: Request, res: Response, error: unknown): unknown {
  state.config?.refused(req, res, state, error)
  return error
}
