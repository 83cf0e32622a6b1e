// The conversion of bodies and queries of requests, and taking it back.
import type { Request, Response } from 'express'
import { isJsonType } from '../http/json'
import { jsonCopy } from '../http/json-copy'
import { type ConvertedRequest, peekState } from '../request/state'
import type { PartCheck, RequestChecks } from '../types'
import type { Plan } from './composing'
import { areOtherBytes } from './owed'
import { type BodyStep, bodyError, Conversion, type RunContext, type StepFacts, unfit } from './steps'

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
 * Checks the body and query of a request, and converts them to the newest version.
 *
 * @param checks the contract of the request's version; undefined for none.
 * @param warn gets the name of the operation whose body no parser has read.
 * @returns the original values of what changed, and a function that restores them.
 * @throws {Error} if a check or a step fails, and 415 for a body that no parser has read.
 */
export function newerRequest(
  plan: Plan,
  checks: RequestChecks | undefined,
  context: RequestContext,
  warn: (operation: string) => void,
): ConvertedRequest {
  const { query, request } = plan
  const { req } = context
  const sent: { query?: Request['query']; body?: unknown } = {}
  const newer: typeof sent = {}
  // Convert both before changing the request.
  if (query.length > 0 || checks?.query !== undefined) {
    const made = newerPart('query', query, checks?.query, req.query, true, context)
    if (made !== undefined) {
      sent.query = req.query
      newer.query = made.value as Request['query']
    }
  }
  const made = newerBody(request, checks, context, warn)
  if (made !== undefined) {
    sent.body = req.body
    newer.body = made.value
  }
  const names = Object.keys(newer) as (keyof typeof newer)[]
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
  return newerPart('query', steps, undefined, query, true, context)?.value
}

/** The context of a request's steps. */
type RequestContext = RunContext & { readonly req: Request; readonly res: Response }

/** Returns the newer body; `undefined` if it stays. */
function newerBody(
  steps: readonly BodyStep[],
  checks: RequestChecks | undefined,
  context: RequestContext,
  warn: (operation: string) => void,
): { readonly value: unknown } | undefined {
  const { req, res } = context
  const check = checks?.body
  const type = String(req.headers['content-type'])
  // Express 4 has an empty object for no body.
  if (check === null) return isValue(req.body, type) ? { value: 'sendfile' in res ? {} : undefined } : undefined
  if (check === undefined && steps.length === 0) return undefined
  const operation = checks?.operation ?? (steps[0] as BodyStep).operation
  if (isBodyRead(context, steps[0], check !== undefined, () => warn(operation))) {
    return newerPart('request', steps, check, req.body, isForm(type), context)
  }
  const missing = check && checks?.missingBody
  if (missing !== undefined) throw missing(req)
  return undefined
}

/** Checks a part of a request, and runs steps on a copy: the original is restored when the route is left. */
function newerPart(
  kind: 'query' | 'request',
  steps: readonly BodyStep[],
  check: PartCheck | undefined,
  value: unknown,
  isText: boolean,
  context: RunContext,
): { readonly value: unknown } | undefined {
  const named = (): Partial<StepFacts> => ({ ...steps[0], kind })
  try {
    const lost: unknown[] = []
    const copy = jsonCopy(value, lost)
    // A number such as 1e400, which the parser made infinite.
    if (lost.some((part) => typeof part === 'number')) {
      throw unfit(named(), context, new TypeError('There is a number that JSON cannot express.'))
    }
    const isChanged = check?.(copy, isText, steps.length > 0, context.req) === true
    if (steps.length > 0) return { value: JSON.parse(new Conversion(steps, context).runToJson(copy)) }
    return isChanged ? { value: copy } : undefined
  } catch (error) {
    const { cause } = Object(error) as { cause?: unknown }
    // The value is nested deeper than the stack allows. Only an attacker sends that.
    if (error instanceof RangeError || cause instanceof RangeError) throw unfit(named(), context, error)
    throw error
  }
}

/** Tells whether a body is a value that a parser made of something else than a form. */
function isValue(body: unknown, type: string): boolean {
  if (body === undefined || isBlank(body)) return false
  return isJsonType(type) || (typeof body === 'object' && !ArrayBuffer.isView(body) && !isForm(type))
}

function isForm(type: string): boolean {
  return /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)
}

/**
 * Tells whether there is a body that a parser has read.
 *
 * @param step the first step that the body would pass.
 * @param isDescribed `true` if the body must be read: bytes are none of the described values.
 * @throws {VersioningError} 415 for a body that no parser has read: a handler would get it in the shape of the client's
 *   version.
 */
function isBodyRead(
  context: RequestContext,
  step: BodyStep | undefined,
  isDescribed: boolean,
  warn: () => void,
): boolean {
  const { req } = context
  const { body, headers, readableEnded } = req as Omit<Request, 'body'> & { body: unknown }
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) return false
  if (!isDescribed && areOtherBytes(req)) return false
  const isBytes = ArrayBuffer.isView(body)
  if (body !== undefined && !isBytes && (readableEnded || !isBlank(body))) return true
  if (Number(length) === 0) return false
  warn()
  const named: Partial<StepFacts> = { ...step, kind: 'request' }
  throw bodyError(named, context, 'No parser takes the type or encoding of this body.', { status: 415 })
}

/** Tells whether a body is the empty object that Express 4 leaves without a parser. */
function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}
