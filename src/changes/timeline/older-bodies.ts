// The bodies of an operation in older versions: what its changes say of them, for conversions and documents.
import { type ByStatus, byStatus, describedResponses, statusOf } from '../../schemas/responses'
import type { OlderDescription, ResponseBody, Responses, VersionDescription } from '../../types'
import type { AppliedChange } from './operation-changes'
import { responseTrail } from './response-trail'

/** The part of a description that its older bodies depend on. */
export type DescribedResponse = Pick<VersionDescription, 'response'>

/** Returns the older responses that a change describes, by their older status. */
export function saidResponses({ entry, olderError }: AppliedChange): ByStatus {
  const { default: others, ...errors } = Object.fromEntries(byStatus(olderError, 'default'))
  const ofErrors = others === undefined ? errors : { '4XX': others, '5XX': others, ...errors }
  return new Map([...Object.entries(ofErrors), ...byStatus(entry?.older?.response, '2XX')])
}

/**
 * Returns what the changes of an operation make of its bodies in a version.
 *
 * @param newer the parts of changes that the version does not have, oldest first.
 * @param described the description of the newest version.
 * @param common the responses that the operation shares with others.
 * @returns the parts that the changes replace.
 */
export function olderBodies(
  newer: readonly AppliedChange[],
  described: DescribedResponse,
  common: Responses,
): OlderDescription {
  const older: { -readonly [Part in 'body' | 'query']?: OlderDescription[Part] } = {}
  for (const { change, entry } of newer.toReversed()) {
    const { description } = change
    const { steps, older: said } = { ...entry }
    if (said?.body !== undefined) older.body = said.body
    else if (steps?.request !== undefined) older.body = description
    if (said?.query !== undefined) older.query = said.query
    else if (steps?.query !== undefined) older.query = description
  }
  const response =
    described.response ?? newer.map(({ entry }) => entry?.older?.response).find((said) => said !== undefined)
  return { ...older, responses: olderResponses(newer, describedResponses(response, common)) }
}

function olderResponses(newer: readonly AppliedChange[], described: ByStatus): OlderDescription['responses'] {
  const responses = new Map<string, ResponseBody | string>()
  for (const [key, body] of described) {
    // Steps tell success and errors apart: of those that `default` describes, redirections have none.
    const rest = olderResponse(newer, statusOf(key === 'default' ? '3XX' : key), body)
    responses.set(key, rest)
    for (const range of key === 'default' ? ['2XX', '4XX', '5XX'] : []) {
      const own = olderResponse(newer, statusOf(range), body)
      if (own !== rest && !described.has(range)) responses.set(range, own)
    }
  }
  return responses
}

/** Returns the older body of the responses of a status, or of a range of statuses; a string for an unknown one. */
function olderResponse(
  newer: readonly AppliedChange[],
  newest: number,
  described: ResponseBody,
): ResponseBody | string {
  const last = responseTrail<ResponseBody>(newest, newer.toReversed(), described, saidResponses).at(-1)
  return last === undefined ? described : (last.unknownSince?.change.description ?? last.body ?? null)
}
