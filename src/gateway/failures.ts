// The failures of a gateway, and their responses.
import { STATUS_CODES } from 'node:http'
import type { Application, Response } from 'express'
import { dropRepresentation, setReason } from '../http/representation'
import { type Layer, layersOf } from '../http/stack'
import { problemDetails } from '../middleware/problem-details'
import type { ErrorMiddleware } from '../types'

const MESSAGES = {
  502: ['ERR_GATEWAY_UNREACHABLE', 'The service cannot be reached.'],
  504: ['ERR_GATEWAY_TIMEOUT', 'The service does not respond in time.'],
} as const

/** The error of a service that cannot be reached, or that does not respond in time. It does not say where the service is. */
export class GatewayError extends Error {
  /** `ERR_GATEWAY_UNREACHABLE`, or `ERR_GATEWAY_TIMEOUT`. */
  readonly code: string
  /** The same as `status`, as the errors of `http-errors` have it. */
  readonly statusCode: number
  /** `true`: clients may read the message. */
  readonly expose: boolean = true

  /** Makes the error of a status. */
  constructor(
    /** The status of the response: 502 or 504. */
    readonly status: 502 | 504,
  ) {
    const [code, message] = MESSAGES[status]
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.statusCode = status
  }
}

/** Lists the layers behind a handler, in its router and in those around it; undefined if it is in none of them. */
function behind(handler: object, stack: readonly Layer[]): readonly Layer[] | undefined {
  for (const [at, { handle }] of stack.entries()) {
    const inner = handle === handler ? [] : handle.stack && behind(handler, handle.stack)
    if (inner !== undefined) return [...inner, ...stack.slice(at + 1)]
  }
  return undefined
}

/** Tells whether an app has an error handler for the errors of a handler, as Express tells them: by four parameters. */
function hasErrorHandler(app: Application, handler: object): boolean {
  const { parent } = app as Application & { readonly parent?: Application }
  const stack = layersOf(app)
  if ((behind(handler, stack) ?? stack).some(({ handle }) => handle.length === 4)) return true
  return parent !== undefined && hasErrorHandler(parent, handler)
}

const respondToRejection = problemDetails()

/**
 * Makes the error handler of a gateway. It sends failures as problem details, unless the app has an error handler: that gets them.
 *
 * @param handler the gateway, as the app has it.
 */
export function failuresOf(handler: object): ErrorMiddleware {
  return function gatewayFailure(error, req, res, next) {
    if (res.headersSent || hasErrorHandler(req.app, handler)) next(error)
    else respondToRejection(error, req, res, (other) => sendProblem(other, res))
  }
}

/** Sends an error as `application/problem+json`, without its message. Those of the program are logged, as Express does. */
function sendProblem(error: unknown, res: Response): void {
  const given = Number(Object(error).status)
  const status = given >= 400 && given < 600 ? given : 500
  const title = STATUS_CODES[status]
  if (status === 500 && res.app.get('env') !== 'test') console.error(error)
  dropRepresentation(res)
  setReason(res, '')
  const told = error instanceof GatewayError ? { detail: error.message, code: error.code } : {}
  const body = Buffer.from(JSON.stringify({ type: 'about:blank', title, status, ...told }))
  res.status(status).setHeader('Content-Type', 'application/problem+json')
  res.send(body)
}
