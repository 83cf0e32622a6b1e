// The conversion of bodies and queries of requests, and taking it back.
import type { Request } from 'express'
import { VersioningError } from '../errors'
import { isPlainJsonType } from '../http/json'
import { jsonCopy } from '../http/json-copy'
import { type ConvertedRequest, peekState } from '../request/state'
import type { Plan } from './composing'
import { type BodyStep, Conversion, type RunContext, unfit } from './steps'

/** The body and query of a request, in the version of its client. */
export interface Sent {
  /** The body, as the body parser made it. */
  readonly body: unknown
  /** The query, as the app's query parser made it. */
  readonly query: Request['query']
}

/**
 * Returns the body and query of a request as its client sent them, for links to the next page, and logs. In handlers,
 * `req.body` and `req.query` are those of the newest version.
 *
 * @example req.reverse('user-list', { query: { ...sent(req).query, page: 2 } })
 */
export function sent(req: Request): Sent {
  const { body, query } = req
  return { body, query, ...peekState(req)?.open?.converted?.sent }
}

/**
 * Converts the body and query of a request to the newest version.
 *
 * @param warn gets the step that needs a body which no parser has read.
 * @returns the original values, and a function that restores them; `undefined` if nothing was converted.
 * @throws {Error} if a step fails, and 415 for a body that no parser has read.
 */
export function convertRequest(
  plan: Plan,
  context: RunContext & { readonly req: Request },
  warn: (step: BodyStep) => void,
): ConvertedRequest | undefined {
  const { query, request } = plan
  const { req } = context
  const sent: { query?: Request['query']; body?: unknown } = {}
  const newer: typeof sent = {}
  // Convert both before changing the request.
  if (query.length > 0) {
    sent.query = req.query
    newer.query = convertQuery(query, sent.query, context) as Request['query']
  }
  if (request.length > 0 && isBodyRead(context, request, warn)) {
    sent.body = req.body
    newer.body = converted(request, sent.body, context)
  }
  const names = Object.keys(newer) as (keyof typeof newer)[]
  if (names.length === 0) return undefined
  const descriptors = names.map((name) => ({ name, descriptor: Object.getOwnPropertyDescriptor(req, name) }))
  // Define them, because the query of Express 5 is a getter of the prototype, which cannot be assigned.
  for (const { name, descriptor } of descriptors) {
    const value = newer[name]
    // Middleware in front may have made it an own property that can only be assigned (express-openapi-validator does).
    const isFixed = descriptor?.configurable === false
    Object.defineProperty(
      req,
      name,
      isFixed ? { value } : { value, writable: true, configurable: true, enumerable: true },
    )
  }
  const takeBack = () => {
    for (const { name, descriptor } of descriptors) {
      if (descriptor === undefined) Reflect.deleteProperty(req, name)
      else Object.defineProperty(req, name, descriptor)
    }
  }
  return { plan, sent, takeBack }
}

/** Converts a query. */
export function convertQuery(steps: readonly BodyStep[], query: Request['query'], context: RunContext): unknown {
  return converted(steps, query, context)
}

/** Runs steps on a copy: the original is restored when the route is left. */
function converted(steps: readonly BodyStep[], value: unknown, context: RunContext): unknown {
  try {
    const lost: unknown[] = []
    const copy = jsonCopy(value, lost)
    // A number such as 1e400, which the parser made infinite.
    if (lost.some((part) => typeof part === 'number')) {
      throw unfit(context, new TypeError('There is a number that JSON cannot express.'))
    }
    return JSON.parse(new Conversion(steps, context).runToJson(copy))
  } catch (error) {
    const { cause } = Object(error) as { cause?: unknown }
    // The value is nested deeper than the stack allows. Only an attacker sends that.
    if (error instanceof RangeError || cause instanceof RangeError) throw unfit(context, error)
    throw error
  }
}

/**
 * Tells whether there is a body that a parser has read.
 *
 * @throws {VersioningError} 415 for a body that no parser has read: a handler would get it in the shape of the client's
 *   version.
 */
function isBodyRead(
  { req, version }: RunContext & { readonly req: Request },
  [step]: readonly BodyStep[],
  warn: (step: BodyStep) => void,
): boolean {
  const { body, headers, readableEnded } = req as Omit<Request, 'body'> & { body: unknown }
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) return false
  const isBytes = ArrayBuffer.isView(body)
  // The handlers want these bytes as they are.
  if (isBytes && !isPlainJsonType(headers['content-type'])) return false
  if (body !== undefined && !isBytes && (readableEnded || !isBlank(body))) return true
  if (Number(length) === 0) return false
  warn(step as BodyStep)
  const code = 'ERR_VERSION_BODY'
  throw new VersioningError('No parser takes the type or encoding of this body.', { status: 415, code, version })
}

/** Tells whether a body is the empty object that Express 4 leaves without a parser. */
function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}
