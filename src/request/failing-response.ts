// The failures of one response, in whose place the app sends another one.
import type { NextFunction, Request, Response } from 'express'
import { breakOff } from '../http/response-calls'
import type { ConvertedExchange, RequestState } from './state'

/** A response that may fail on its way. */
export class FailingResponse {
  /** `true` while the caller that sent a failed response may still write the rest of it. */
  isDropping = false
  /** `true` if a response failed while it was written in pieces: more of them may follow. */
  hasRest = false

  constructor(
    readonly req: Request,
    readonly res: Response,
    protected readonly state: RequestState,
  ) {}

  /** Tells whether a piece belongs to a response that failed before. The response in its place has a type, or no body. */
  get isRest(): boolean {
    return this.hasRest && (this.res.writableEnded || !this.res.hasHeader('Content-Type'))
  }

  /**
   * Passes on an error. It must not be thrown: a handler that sends from a callback would end the process.
   *
   * @returns `false` if all routers are left, so that nobody responds.
   */
  replace(error: unknown): boolean {
    const { req, res, state } = this
    state.config?.failed(req, res, state, error)
    // At once, so that a handler cannot end the response with success.
    ;(state.exchange as ConvertedExchange).takeBackResponse(res)
    const next = req.next as NextFunction | undefined
    if (next === undefined) return false
    // Either runs before an error handler that responds later.
    const resume = () => {
      this.isDropping = false
    }
    queueMicrotask(resume)
    process.nextTick(resume)
    next(error)
    this.isDropping = !res.headersSent
    return true
  }

  /**
   * Ends a response whose beginning was sent. The client must not take it for a whole one.
   *
   * @returns `false` if the client has left, and would not have got a whole one anyway.
   */
  cut(error: unknown): boolean {
    const { req, res, state } = this
    this.isDropping = true
    state.config?.failed(req, res, state, error)
    const isThere = !res.destroyed
    breakOff(res)
    return isThere
  }
}
