// The conversion of bodies and queries of requests, and taking it back.
import type { Request, Response } from 'express'
import type { PartCheck, RequestChecks } from '../../bound-changes'
import { isJsonType, jsonCopy } from '../../http/json'
import { withQuery, withQueryOf } from '../../http/query'
import { type ConvertedExchange, peekState } from '../../request/state'
import { isObject } from '../../schemas/model'
import { type BodyStep, bodyError, Conversion, type RunContext, type StepFacts, unfit } from '../convert/steps'
import type { Plan } from '../timeline/operation-plans'
import { type Carriers, RequestQuery, withCarriers } from './request-query'

/** The body and query of a request, in the version of its client. */
export interface Sent {
  /** The body, as the body parser made it. */
  readonly body: unknown
  /** The query, as the app's query parser made it. */
  readonly query: Request['query']
}

/**
 * Returns the body and query of a request as its client sent them, for links to the next page, and logs. In handlers,
 * `req.body` and `req.query` are those of the newest version, and a request that does not fit its version has none.
 *
 * @example req.reverse('user-list', { query: { ...sent(req).query, page: 2 } })
 */
export function sent(req: Request): Sent {
  const { body, query } = { body: req.body, query: req.query, ...peekState(req)?.exchange?.sent }
  return { body, query }
}

/** A request that was checked and converted, or one that failed and has nothing unchecked. */
export interface ConvertedRequest {
  /** The plan by which it was converted; undefined for one that failed. */
  readonly plan: Plan | undefined
  /** The reason why it failed. */
  readonly error: Error | undefined
  /** The original values of the parts that changed. */
  readonly sent: NonNullable<ConvertedExchange['sent']>
  takeBack(): void
}

/** Parts of a request for its handlers. A part that is not there stays as it is. */
type Parts = NonNullable<ConvertedExchange['sent']>

/**
 * Checks the body and query of a request, and converts them to the newest version.
 *
 * @param checks the contract of the request's version; undefined for none.
 * @param warn gets the name of the operation whose body no parser has read.
 * @returns the newer values of what changed. The request stays as it is.
 * @throws {Error} if a check or a step fails, and 415 for a body that no parser has read.
 */
export function newerParts(
  { query: querySteps, request: bodySteps }: Plan,
  checks: RequestChecks | undefined,
  context: RequestContext,
  rules: ReadingRules,
): Parts {
  const { req } = context
  const newer: { -readonly [Part in keyof Parts]: Parts[Part] } = {}
  // Tell all issues together, and convert both before changing the request.
  const issues: object[] = []
  const needsQuery = querySteps.length > 0 || checks?.query !== undefined
  const sentQuery = needsQuery ? queryOf(req, context) : undefined
  const query = sentQuery && checkedPart('query', querySteps, checks?.query, sentQuery.value, true, context, issues)
  const body = checkedBody(bodySteps, checks, context, issues, rules)
  if (checks !== undefined && issues.length > 0) throw checks.rejection(issues, req)
  if (sentQuery !== undefined && query !== undefined) {
    const made = newerPart(query, context)
    if (made !== undefined) {
      newer.url = urlWith(sentQuery, made.value, context, rules.carriers)
      newer.query = withCarriers(made.value as Request['query'], sentQuery.value, rules.carriers)
    } else if (!sentQuery.isShown) newer.query = sentQuery.value as Request['query']
  }
  const newerBody = body && newerPart(body, context)
  if (newerBody !== undefined) newer.body = newerBody.value
  return newer
}

/** The facts of a table and its history by which requests are read. */
export interface ReadingRules {
  /** The query parameters that carry the version. */
  readonly carriers: Carriers
  /** `true` if a description says of JSON in the body. */
  readonly describesBody: boolean
  /** Warns that no parser has read the body of an operation. */
  warnOfUnread(operation: string): void
}
/**
 * Shows parts to the handlers of a request.
 *
 * @returns the original parts, and a function that restores them.
 */
export function showParts(req: Request, { url, ...parts }: Parts): Pick<ConvertedRequest, 'sent' | 'takeBack'> {
  const sentUrl = req.url
  const sent: Record<string, unknown> = url === undefined ? {} : { url: sentUrl }
  const replaced: { readonly name: string; readonly descriptor: PropertyDescriptor | undefined }[] = []
  // Define them, because the query of Express 5 is a getter of the prototype, which cannot be assigned.
  for (const [name, value] of Object.entries(parts)) {
    sent[name] = req[name as 'body' | 'query']
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
  if (url !== undefined) req.url = url
  const takeBack = () => {
    // Routers have changed the path meanwhile.
    if (url !== undefined) req.url = withQueryOf(req.url, sentUrl)
    for (const { name, descriptor } of replaced) {
      if (descriptor === undefined) Reflect.deleteProperty(req, name)
      else Object.defineProperty(req, name, descriptor)
    }
  }
  return { sent, takeBack }
}

/** Returns the parts of a request that does not fit its version: nothing unchecked. */
export function noParts({ req, res }: RequestContext): Parts {
  return { body: noBody(res), query: {}, url: withQuery(req.url, '') }
}

/** Returns the body of a request without one: Express 4 has an empty object. */
function noBody(res: Response): unknown {
  return 'sendfile' in res ? {} : undefined
}

/**
 * Reads the query of a request.
 *
 * @throws {VersioningError} 400 for one that the app's parser rejects.
 */
function queryOf(req: Request, context: RunContext): RequestQuery {
  try {
    return new RequestQuery(req)
  } catch (error) {
    throw unfit({ kind: 'query' }, context, error)
  }
}

/**
 * Returns the url of a request with another query.
 *
 * @throws {VersioningError} 400 for a query that no url can carry.
 */
function urlWith(query: RequestQuery, after: unknown, context: RunContext, carriers: Carriers): string {
  try {
    if (!isObject(after)) throw new TypeError('A query is an object.')
    return query.urlWith(after, carriers)
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

/** Returns the url of a request with its query converted. */
export function urlInSuccessor(
  req: Request,
  steps: readonly BodyStep[],
  context: RunContext,
  carriers: Carriers,
): string {
  const query = queryOf(req, context)
  const { value } = query
  const made = newerPart(checkedPart('query', steps, undefined, value, true, context, []), context)
  return urlWith(query, made?.value, context, carriers)
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
  { describesBody, warnOfUnread }: ReadingRules,
): CheckedPart | undefined {
  const { req, res } = context
  const check = checks?.body
  if (check === null) {
    if (!hasJson(req)) return undefined
    issues.push(...(checks as RequestChecks).withBody)
    return { kind: 'request', steps: [], copy: noBody(res), isChanged: true }
  }
  if (check === undefined && steps.length === 0) return undefined
  const operation = checks?.operation ?? (steps[0] as BodyStep).operation
  if (isBodyRead(context, steps[0], check !== undefined || describesBody, () => warnOfUnread(operation))) {
    return checkedPart('request', steps, check, req.body, isForm(req), context, issues)
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
  if (!hasBody(req)) return false
  if (isJsonType(req.headers['content-type'])) return true
  return typeof body === 'object' && !isBlank(body) && !ArrayBuffer.isView(body) && !isForm(req)
}

/** Tells whether a body is a form: its type says so, and all of its values are strings. A parser of all types reads JSON, whatever its type. */
function isForm({ body, headers }: Request): boolean {
  const type = String(headers['content-type'])
  if (!/^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type) || Array.isArray(body))
    return false
  // A loop, because a client's value may be nested deeper than the stack allows.
  const open: unknown[] = [body]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner)
    else if (typeof value !== 'string') return false
  }
  return true
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
  const { body, readableEnded } = req as Omit<Request, 'body'> & { body: unknown }
  if (!hasBody(req) || areOtherBytes(req, isDescribed)) return false
  if (body !== undefined && !isUnread(req, isDescribed) && (readableEnded || !isBlank(body))) return true
  warn()
  const named: Partial<StepFacts> = { ...step, kind: 'request' }
  throw bodyError(named, context, 'No parser takes the type or encoding of this body.', { status: 415 })
}

/** Tells whether a body is the empty object that Express 4 leaves without a parser. */
export function isBlank(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

/** Tells whether a request has a body that is not empty. In HTTP/2, only its stream tells. */
export function hasBody(req: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers
  const { stream } = req as { stream?: { readonly endAfterHeaders?: boolean } }
  return coding !== undefined || (length === undefined ? stream?.endAfterHeaders === false : Number(length) > 0)
}

/** Tells whether a body is bytes that handlers want as they are. */
export function areOtherBytes(req: Request, isDescribed: boolean): boolean {
  return ArrayBuffer.isView(req.body) && !isUnread(req, isDescribed)
}

/** Tells whether a body is JSON that no parser has made a value of: it is still bytes or text. */
function isUnread({ body, headers }: Request, isDescribed: boolean): boolean {
  const isBytes = ArrayBuffer.isView(body)
  if (!isBytes && typeof body !== 'string') return false
  // A parser that takes more than objects and lists makes a string of a JSON string.
  return isJsonType(headers['content-type']) ? isBytes || /^\s*[[{]/.test(body) : isDescribed
}
