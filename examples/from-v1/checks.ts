// Checks that both versions of the API share: nothing in here knows a version.
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { z } from 'zod'

/** Returns an error for the client. */
export function rejection(status: number, code: string, message: string): Error {
  return Object.assign(new Error(message), { status, code, expose: true })
}

/** Returns the value if it fits the schema, and names the wrong fields otherwise. */
export function valid<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const fields = error.issues.map(({ path }) => path.join('.') || 'body')
  throw rejection(400, 'INVALID', `Not valid: ${fields.join(', ')}.`)
}

const tokens = new Map([
  ['token-of-ada', 'ada'],
  ['token-of-grace', 'grace'],
])

/** Returns the token of a user. A real API checks a password here. */
export function tokenOf(user: string): string {
  const token = [...tokens].find(([, name]) => name === user)?.[0]
  if (token === undefined) throw rejection(401, 'WHO', 'Unknown user.')
  return token
}

/** Reads who sends the request, and rejects strangers. */
export const authenticated: RequestHandler = (req, res, next) => {
  res.locals.user = tokens.get(req.get('Authorization')?.replace(/^Bearer /, '') ?? '')
  next(res.locals.user === undefined ? rejection(401, 'WHO', 'Send a token.') : undefined)
}

/** Rejects an address after so many requests. A real API uses express-rate-limit. */
export function limiter(most: number): RequestHandler {
  const seen = new Map<string | undefined, number>()
  return (req, _res, next) => {
    const count = (seen.get(req.ip) ?? 0) + 1
    seen.set(req.ip, count)
    next(count > most ? rejection(429, 'SLOW', 'Too many requests.') : undefined)
  }
}

/** Responses unknown pages. */
export const noPage: RequestHandler = (_req, _res, next) => next(rejection(404, 'NOT_FOUND', 'Not found.'))

/** Describes an error for clients. */
export function described(err: Parameters<ErrorRequestHandler>[0]): { status: number; code: string; message: string } {
  const { status = 500, code = 'FAILED' } = err
  return { status, code, message: err.expose ? err.message : 'Internal Server Error' }
}
