// The walks of bodies back through the changes of their operation, which plans, documents, checks and conversions by hand read.
import { isBodyless, isSuccess } from '../../http/representation'
import { isContent, isItemContent } from '../../schemas/check'
import { type ByStatus, describedResponses, saidOf, statusNumber } from '../../schemas/responses'
import { unknownSchema } from '../../schemas/unknown'
import type { Content, OlderDescription, ResponseBody, Responses, Schema, VersionDescription } from '../../types'
import type { CompiledStep } from '../convert/steps'
import type { AppliedChange } from './operation-changes'

type Applied = AppliedChange<unknown, unknown>

/** The kind of step for each part of a request. */
export const STEP_OF = { body: 'request', query: 'query' } as const

/** A body on the older side of one change. */
export interface Stage<Body> {
  readonly applied: Applied
  /** The step that converts or makes it in this change. */
  readonly step: CompiledStep | undefined
  /** The described body; `null` for none, and undefined if nobody described it. */
  readonly body: Body | null | undefined
  /** The change whose step made the body another one than `body`, without describing it. */
  readonly unknownSince: Applied | undefined
}

/** A response on the older side of one change. */
interface ResponseStage<Body> extends Stage<Body> {
  readonly status: number
  /** `true` if the step makes its body, because the newer side has none. */
  readonly makes: boolean
  /** The source of its body: the handler or a step; undefined for no body, because a status on the way has none. */
  readonly source: 'handler' | 'step' | undefined
}

/**
 * Lists the stages of the body or the query of requests, from the newest version back to older ones.
 *
 * @param changes the changes of its operation, the newest first.
 * @param described the described body in the newest version.
 */
export function requestTrail<Body>(
  part: 'body' | 'query',
  changes: readonly AppliedChange<Body, unknown>[],
  described: Body | null | undefined,
): Stage<Body>[] {
  let body = described
  let unknownSince: Applied | undefined
  return changes.map((applied) => {
    const step = applied.entry?.steps[STEP_OF[part]]
    const said = applied.older[part]
    if (said !== undefined) [body, unknownSince] = [said, undefined]
    else if (step !== undefined) unknownSince = applied
    return { applied, step, body, unknownSince }
  })
}

/**
 * Lists the stages of a response on its way to older versions.
 *
 * @param newest the status in the newest version; a range of statuses has a number of its own.
 * @param changes the changes of its operation, the newest first.
 * @param described the described body in the newest version.
 */
export function responseTrail<Body>(
  newest: number,
  changes: readonly AppliedChange<unknown, Body>[],
  described?: Body | null,
): ResponseStage<Body>[] {
  let status = newest
  let source: ResponseStage<Body>['source'] = isBodyless(newest) ? undefined : 'handler'
  let body = described
  let unknownSince: Applied | undefined
  return changes.map((applied) => {
    const older = applied.head?.status.get(status) ?? status
    const step = stepBetween(applied, status, older, source !== undefined)
    const makes = step !== undefined && source === undefined
    if (isBodyless(older)) source = undefined
    else if (makes) source = 'step'
    status = older
    const said = source && saidOf(applied.older.responses, older)
    if (source === undefined) [body, unknownSince] = [null, undefined]
    else if (said !== undefined) [body, unknownSince] = [said, undefined]
    else if (step !== undefined && (body !== null || source === 'step')) unknownSince = applied
    return { applied, status, step, makes, source, body, unknownSince }
  })
}

/**
 * Lists the stages of the items of a response's stream on their way to older versions.
 *
 * @param newest the status in the newest version; a range of statuses has a number of its own.
 * @param changes the changes of its operation, the newest first.
 * @param described the described items in the newest version.
 */
export function itemTrail<Body>(
  newest: number,
  changes: readonly AppliedChange<Body, unknown>[],
  described?: Body | null,
): Stage<Body>[] {
  let status = newest
  let body = described
  let unknownSince: Applied | undefined
  return changes.map((applied) => {
    const step = isSuccess(status) ? applied.entry?.steps.item : undefined
    status = applied.head?.status.get(status) ?? status
    const said = isSuccess(status) ? applied.older.item : undefined
    if (isBodyless(status) || body === null) [body, unknownSince] = [null, undefined]
    else if (said !== undefined) [body, unknownSince] = [said, undefined]
    else if (step !== undefined) unknownSince = applied
    return { applied, step, body, unknownSince }
  })
}

/** Returns the step of a change that gets or makes the body of a response. */
function stepBetween(
  { entry, error }: Applied,
  newer: number,
  older: number,
  hasBody: boolean,
): CompiledStep | undefined {
  if (isBodyless(older)) return undefined
  // Only a success can be made of a response without a body.
  if (isBodyless(newer)) return isSuccess(older) ? entry?.steps.response : undefined
  if (!hasBody) return undefined
  // The newer status selects the step, because the step gets the newer body.
  if (newer >= 400) return error
  return isSuccess(newer) ? entry?.steps.response : undefined
}

/**
 * Returns the described bodies of an operation with what newer changes replace.
 *
 * @param newer the changes of the operation since the version, oldest first.
 */
export function olderBodies(
  newer: readonly AppliedChange[],
  { body, query, response }: Pick<VersionDescription, 'body' | 'query' | 'response'>,
  common: Responses,
): OlderDescription {
  const newestFirst = newer.toReversed()
  const described = response ?? newer.map(({ entry }) => entry?.older?.response).find((said) => said !== undefined)
  return {
    body: lastOf(requestTrail('body', newestFirst, body), body),
    query: lastOf(requestTrail('query', newestFirst, query), query) as Schema | string | undefined,
    responses: olderResponses(newestFirst, describedResponses(described, common)),
  }
}

function olderResponses(newestFirst: readonly AppliedChange[], described: ByStatus): OlderDescription['responses'] {
  const responses = new Map<string, ResponseBody | string>()
  const older = (newest: number, body: ResponseBody) =>
    withItems(
      newest,
      body,
      lastOf(responseTrail(newest, newestFirst, body), body) as ResponseBody | string,
      newestFirst,
    )
  for (const [key, body] of described) {
    // Steps tell success and errors apart: of those that `default` describes, redirections have none.
    const rest = older(statusNumber(key === 'default' ? '3XX' : key), body)
    responses.set(key, rest)
    for (const range of key === 'default' ? ['2XX', '4XX', '5XX'] : []) {
      const own = older(statusNumber(range), body)
      if (own !== rest && !described.has(range)) responses.set(range, own)
    }
  }
  return responses
}

/** Adds the older items of a response's streams to its older body. */
function withItems(
  newest: number,
  described: ResponseBody,
  older: ResponseBody | string,
  newestFirst: readonly AppliedChange[],
): ResponseBody | string {
  const media = isContent(described) ? Object.entries(described.content) : []
  const streams = media.flatMap(([type, one]) => (isItemContent(one) ? [[type, one.itemSchema] as const] : []))
  if (streams.length === 0 || older === null) return older
  const items = streams.map(([type, schema]) => {
    const last = lastOf(itemTrail(newest, newestFirst, schema), schema) as Schema | string
    return [type, typeof last === 'string' ? unknownSchema(last) : last] as const
  })
  if (older === described && items.every(([, item], index) => item === streams[index]?.[1])) return described
  const json = streams.length === media.length ? {} : jsonContent(older)
  return { content: { ...json, ...Object.fromEntries(items.map(([type, itemSchema]) => [type, { itemSchema }])) } }
}

function jsonContent(older: ResponseBody | string): Content['content'] {
  if (!isContent(older)) {
    return { 'application/json': typeof older === 'string' ? unknownSchema(older) : (older as Schema) }
  }
  return Object.fromEntries(Object.entries(older.content).filter(([, media]) => !isItemContent(media)))
}

/** Returns the body at the end of its trail; a string for an unknown one. */
function lastOf<Body>(trail: readonly Stage<Body>[], described: Body | undefined): Body | null | string | undefined {
  const last = trail.at(-1)
  return last === undefined ? described : (last.unknownSince?.description ?? last.body)
}
