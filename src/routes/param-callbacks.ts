import type { Request, RequestParamHandler, Response } from 'express'
import { isThenable } from '../util/thenable'
import { isEmpty } from './as-router'
import type { Params } from './pattern'
import type { Table } from './table'

type Next = (error?: unknown) => void

/** What the callbacks of one parameter came to, so that they run once for each value on a request's way through a table. */
interface Call {
  readonly given: unknown
  /** What they made of it. */
  value: unknown
  error: unknown
}

/** The calls of one request, by parameter name. */
export type Calls = Map<string, Call>

/** Whether a table has a callback for any of these parameters. */
export function watches({ router }: Table, params: Params): boolean {
  const callbacks = router.params
  return !isEmpty(callbacks) && Object.keys(params).some((name) => Object.hasOwn(callbacks, name))
}

/** Runs the callbacks of `param()` for the parameters of a layer that matched, as `router` does, and then `done`. */
export function runCallbacks(
  callbacks: Readonly<Record<string, readonly RequestParamHandler[]>>,
  names: readonly string[],
  calls: Calls,
  req: Request,
  res: Response,
  done: Next,
): void {
  // Read anew each time: a callback may replace the whole of it.
  const params = () => req.params as Record<string, unknown>
  const from = (index: number): void => {
    const name = names[index]
    if (name === undefined) {
      done()
      return
    }
    const value = params()[name]
    const own = Object.hasOwn(callbacks, name) ? callbacks[name] : undefined
    if (own === undefined || value === undefined) {
      from(index + 1)
      return
    }
    const settled = (call: Call): void => {
      if (call.error) done(call.error)
      else from(index + 1)
    }
    const known = calls.get(name)
    if (known !== undefined && (known.given === value || (known.error && known.error !== 'route'))) {
      params()[name] = known.value
      settled(known)
      return
    }
    const call: Call = { given: value, value, error: undefined }
    calls.set(name, call)
    let at = 0
    const next: Next = (error) => {
      const callback = own[at++]
      call.value = params()[name]
      call.error = error
      if (error || callback === undefined) settled(call)
      else invoke(() => callback(req, res, next, value, name), next)
    }
    next()
  }
  from(0)
}

function invoke(call: () => unknown, next: Next): void {
  try {
    const result = call()
    if (isThenable(result)) result.then(undefined, (error) => next(error || new Error('Rejected promise')))
  } catch (error) {
    next(error)
  }
}
