// The bodies of an operation in older versions: what its changes say of them, for conversions and documents.
import { type ByStatus, byStatus, describedAnswers, statusOf } from '../schemas/answers'
import type { AnswerBody, Answers, OlderDescription, VersionDescription } from '../types'
import type { Passage } from './passages'
import { responseTrail } from './response-trail'

/** The part of a description that its older bodies depend on. */
export type DescribedBodies = Pick<VersionDescription, 'response'>

/** Returns the older answers that a change says, by their older status. */
export function saidAnswers({ entry, olderError }: Passage): ByStatus {
  const { default: others, ...errors } = Object.fromEntries(byStatus(olderError, 'default'))
  const ofErrors = others === undefined ? errors : { '4XX': others, '5XX': others, ...errors }
  return new Map([...Object.entries(ofErrors), ...byStatus(entry?.older?.response, '2XX')])
}

/**
 * Returns what the changes of an operation make of its bodies in a version.
 *
 * @param newer the parts of changes that the version does not have, oldest first.
 * @param described the description of the newest version.
 * @param common the answers that the operation shares with others.
 * @returns the parts that the changes replace.
 */
export function olderBodies(newer: readonly Passage[], described: DescribedBodies, common: Answers): OlderDescription {
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
  return { ...older, answers: olderAnswers(newer, describedAnswers(response, common)) }
}

function olderAnswers(newer: readonly Passage[], described: ByStatus): OlderDescription['answers'] {
  const answers = new Map<string, AnswerBody | string>()
  for (const [key, body] of described) {
    // Steps tell success and errors apart: of those that `default` describes, redirections have none.
    const rest = olderAnswer(newer, statusOf(key === 'default' ? '3XX' : key), body)
    answers.set(key, rest)
    for (const range of key === 'default' ? ['2XX', '4XX', '5XX'] : []) {
      const own = olderAnswer(newer, statusOf(range), body)
      if (own !== rest && !described.has(range)) answers.set(range, own)
    }
  }
  return answers
}

/** Returns the older body of the answers of a status, or of a range of statuses; a text for an unknown one. */
function olderAnswer(newer: readonly Passage[], newest: number, described: AnswerBody): AnswerBody | string {
  const last = responseTrail<AnswerBody>(newest, newer.toReversed(), described, saidAnswers).at(-1)
  return last === undefined ? described : (last.unknownSince?.change.description ?? last.body ?? null)
}
