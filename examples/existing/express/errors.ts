// Errors as they were: problem details.
import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'

export interface Problem {
  title: string
  status: number
  detail: string
}

/** Returns an error for the client. */
export function failure(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, expose: true })
}

/** Rejects strangers. */
export const authenticated: RequestHandler = (req, _res, next) => {
  next(req.get('Authorization') === 'Bearer token' ? undefined : failure(401, 'Send a token.'))
}

export const noPage: RequestHandler = (_req, _res, next) => next(failure(404, 'No such page.'))

export const errors: ErrorRequestHandler = (err, _req, res, _next) => {
  const { status = 500, expose, message, code } = err
  const title = STATUS_CODES[status] as string
  const detail = code === 'ERR_VERSION_UNHANDLED' ? 'No such page.' : expose ? message : title
  const problem: Problem = { title, status, detail }
  res.status(status).type('application/problem+json').json(problem)
}
