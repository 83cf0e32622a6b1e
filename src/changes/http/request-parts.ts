// The conversion of bodies and queries of requests, and taking it back.
import type { Request, Response } from 'express'
import { isJsonType, isPlainJsonType } from '../../http/json'
import { jsonCopy } from '../../http/json-copy'
import { withQueryOf } from '../../http/query'
import { appendQueryAndHash } from '../../request/link-text'
import { type ConvertedExchange, peekState } from '../../request/state'
import type { LinkQuery, PartCheck, RequestChecks } from '../../types'
import { type BodyStep, bodyError, Conversion, type RunContext, type StepFacts, unfit } from '../convert/steps'
import type { Plan } from '../timeline/plans'

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
  return { body, query, ...peekState(req)?.exchange?.sent }
}

/** A request that was checked and converted. */
export interface ConvertedRequest {
  /** The plan by which it was converted. */
  readonly plan: Plan
  /** The original values of the parts that changed. */
  readonly sent: NonNullable<ConvertedExchange['sent']>
  takeBack(): void
}

/**
 * Checks the body and query of a request, and converts them to the newest version.
 *
 * @param checks the contract of the request's version; undefined for none.
 * @param warn gets the name of the operation whose body no parser has read.
 * @param isInUrl `true` to put the newer query into `req.url` too, which proxies read.
 * @returns the original values of what changed, and a function that restores them.
 * @throws {Error} if a check or a step fails, and 415 for a body that no parser has read.
 */
export function newerRequest(
  plan: Plan,
  checks: RequestChecks | undefined,
  context: RequestContext,
  warn: (operation: string) => void,
  isInUrl: boolean,
): ConvertedRequest {
  const { req } = context
  const sent: { query?: Request['query']; body?: unknown } = {}
  const newer: typeof sent = {}
  // Tell all issues together, and convert both before changing the request.
  const issues: object[] = []
  const needsQuery = plan.query.length > 0 || checks?.query !== undefined
  const query = needsQuery
    ? checkedPart('query', plan.query, checks?.query, req.query, true, context, issues)
    : undefined
  const body = checkedBody(plan.request, checks, context, issues, warn)
  if (checks !== undefined && issues.length > 0) throw checks.rejection(issues, req)
  const newerQuery = query && newerPart(query, context)
  if (newerQuery !== undefined) {
    sent.query = req.query
    newer.query = newerQuery.value as Request['query']
  }
  const newerBody = body && newerPart(body, context)
  if (newerBody !== undefined) {
    sent.body = req.body
    newer.body = newerBody.value
  }
  const newerUrl = isInUrl && newerQuery !== undefined ? urlWith(newerQuery.value as LinkQuery, context) : undefined
  const sentUrl = req.url
  if (newerUrl !== undefined) req.url = newerUrl
  const replaced: { readonly name: string; readonly descriptor: PropertyDescriptor | undefined }[] = []
  // Define them, because the query of Express 5 is a getter of the prototype, which cannot be assigned.
  for (const [name, value] of Object.entries(newer)) {
    const descriptor = Object.getOwnPropertyDescriptor(req, name)
    replaced.push({ name, descriptor })
    // Middleware in front may have made it an own property that can only be assigned (express-openapi-validator does).
    const isFixed = descriptor?.configurable === false
    Object.defineProperty(
      req,
      name,
      isFixed ? { value } : { value, writable: true, configurable: true, enumerable: true },
    )
  }
  const takeBack = () => {
    // Routers have changed the path meanwhile.
    if (newerUrl !== undefined) req.url = withQueryOf(req.url, sentUrl)
    for (const { name, descriptor } of replaced) {
      if (descriptor === undefined) Reflect.deleteProperty(req, name)
      else Object.defineProperty(req, name, descriptor)
    }
  }
  return { plan, sent, takeBack }
}

/**
 * Returns the url of a request with another query.
 *
 * @throws {VersioningError} 400 for a query that no url can carry.
 */
function urlWith(query: LinkQuery, context: RequestContext): string {
  try {
    return withQueryOf(context.req.url, appendQueryAndHash('', { query }))
  } catch (error) {
    throw unfit({ kind: 'query' }, context, error)
  }
}

/** Makes the error of a request with JSON for an operation without a body. */
export function strayBody(context: RequestContext): Error {
  return unfit(
    { kind: 'request' },
    context,
    new TypeError('The document says of no body in requests for this operation.'),
  )
}

/** Converts a query. */
export function convertQuery(steps: readonly BodyStep[], query: Request['query'], context: RunContext): unknown {
  return newerPart(checkedPart('query', steps, undefined, query, true, context, []), context)?.value
}

/** The context of a request's steps. */
export type RequestContext = RunContext & { readonly req: Request; readonly res: Response }

/** A checked part of a request, and the steps that convert it. */
interface CheckedPart {
  readonly kind: 'query' | 'request'
  readonly steps: readonly BodyStep[]
  /** A copy: the original is restored when the route is left. */
  readonly copy: unknown
  /** `true` if the check has taken something out of the copy. */
  readonly isChanged: boolean
}

/** Checks the body; returns `undefined` if it stays. */
function checkedBody(
  steps: readonly BodyStep[],
  checks: RequestChecks | undefined,
  context: RequestContext,
  issues: object[],
  warn: (operation: string) => void,
): CheckedPart | undefined {
  const { req, res } = context
  const check = checks?.body
  const type = String(req.headers['content-type'])
  if (check === null) {
    if (!hasJson(req)) return undefined
    issues.push(...(checks as RequestChecks).withBody)
    // Express 4 has an empty object for no body.
    return { kind: 'request', steps: [], copy: 'sendfile' in res ? {} : undefined, isChanged: true }
  }
  if (check === undefined && steps.length === 0) return undefined
  const operation = checks?.operation ?? (steps[0] as BodyStep).operation
  if (isBodyRead(context, steps[0], check !== undefined, () => warn(operation))) {
    return checkedPart('request', steps, check, req.body, isForm(type), context, issues)
  }
  if (checks !== undefined) issues.push(...checks.withoutBody)
  return undefined
}

/** Checks a copy of a part of a request. */
function checkedPart(
  kind: CheckedPart['kind'],
  steps: readonly BodyStep[],
  check: PartCheck | undefined,
  value: unknown,
  isText: boolean,
  context: RunContext,
  issues: object[],
): CheckedPart {
  try {
    const lost: unknown[] = []
    const copy = jsonCopy(value, lost)
    // A number such as 1e400, which the parser made infinite.
    if (lost.some((part) => typeof part === 'number')) {
      throw unfit({ ...steps[0], kind }, context, new TypeError('There is a number that JSON cannot express.'))
    }
    const isChanged = check?.(copy, isText, steps.length > 0, issues) === true
    return { kind, steps, copy, isChanged }
  } catch (error) {
    throw tooDeep(error) ? unfit({ ...steps[0], kind }, context, error) : error
  }
}

/** Runs the steps of a part; returns `undefined` if it stays. */
function newerPart(
  { kind, steps, copy, isChanged }: CheckedPart,
  context: RunContext,
): { readonly value: unknown } | undefined {
  if (steps.length === 0) return isChanged ? { value: copy } : undefined
  try {
    return { value: JSON.parse(new Conversion(steps, context).runToJson(copy)) }
  } catch (error) {
    throw tooDeep(error) || tooDeep(Object(error).cause) ? unfit({ ...steps[0], kind }, context, error) : error
  }
}

/** Tells whether a value is nested deeper than the stack allows. Only an attacker sends that. */
function tooDeep(error: unknown): boolean {
  return error instanceof RangeError
}

/** Tells whether JSON was sent, or something that a parser made a value of like JSON. */
export function hasJson(req: Request): boolean {
  const { body } = req as { body: unknown }
  const type = String(req.headers['content-type'])
  if (!hasBody(req)) return false
  return isJsonType(type) || (typeof body === 'object' && !isBlank(body) && !ArrayBuffer.isView(body) && !isForm(type))
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
export function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

/** Tells whether a request has a body that is not empty. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** Tells whether a body is bytes that handlers want as they are. */
export function areOtherBytes({ body, headers }: Request): boolean {
  return ArrayBuffer.isView(body) && !isPlainJsonType(headers['content-type'])
}
