// The requests that must be checked or converted before a handler may obey them.
import type { Request } from 'express'
import { isPlainJsonType } from '../../http/json'
import type { RequestChecks } from '../../types'
import { operationMethod } from '../../util/operation'
import { type BodyStep, ChangeFailure, type RunContext } from '../convert/steps'
import type { Plan } from '../timeline/plans'

/** Tells whether a request has something that its operation checks or converts. */
export function isOwed({ query, request }: Plan, checks: RequestChecks | undefined, req: Request): boolean {
  if (query.length > 0 || checks?.query !== undefined) return true
  if (!hasBody(req)) return checks !== undefined && checks.withoutBody.length > 0
  return checks?.body !== undefined || (request.length > 0 && !areOtherBytes(req))
}

/** Makes the error of a response with success to a request that was neither checked nor converted. */
export function unconverted(
  { query, request }: Plan,
  status: number,
  context: RunContext & { readonly req: Request },
  viewName: string,
): ChangeFailure {
  const operation = `${operationMethod(context.req.method)} ${viewName}`
  const [step = { kind: 'request' }]: readonly Partial<BodyStep>[] = [...request, ...query]
  return new ChangeFailure(
    { kind: step.kind as BodyStep['kind'], operation },
    `"${operation}" in version "${context.version}" got the response ${status} from a handler that had the request unconverted: after next() in its route, in front of convertRequest, or outside of the route. Such a handler may only send 4xx or 5xx. Send the response in the route, behind convertRequest if the route has it`,
    context,
  )
}

/** Tells whether a request has a body that is not empty. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** Tells whether a body is bytes that handlers want as they are. */
export function areOtherBytes({ body, headers }: Request): boolean {
  return ArrayBuffer.isView(body) && !isPlainJsonType(headers['content-type'])
}
