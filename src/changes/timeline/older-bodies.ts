// The described bodies of an operation in an older version.
import { isContent, isItemContent } from '../../schemas/check'
import { type ByStatus, describedResponses, statusNumber } from '../../schemas/responses'
import { unknownSchema } from '../../schemas/unknown'
import type { Content, OlderDescription, ResponseBody, Responses, Schema, VersionDescription } from '../../types'
import type { AppliedChange } from './operation-changes'
import { itemTrail, requestTrail, responseTrail, type Stage } from './trails'

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
