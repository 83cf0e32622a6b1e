// The schemas of bodies in older versions, for documents.
import { byStatus, saidOf } from '../schemas/answers'
import type { Schema, VersionDescription } from '../types'
import type { Passage } from './composing'
import type { OlderBodies } from './typing'

/** The parts of a description that changes can replace. */
export type DescribedBodies = Pick<VersionDescription, 'body' | 'query' | 'response'>

/**
 * Returns the schemas that the changes of an operation give its bodies in a version.
 *
 * @param newer the parts of changes that the version does not have, oldest first.
 * @param described the description of the newest version.
 * @returns the parts that the changes replace.
 */
export function olderBodies(newer: readonly Passage[], described: DescribedBodies): DescribedBodies {
  const said = <Part extends keyof OlderBodies>(part: Part): OlderBodies[Part] =>
    newer.map(({ entry }) => entry?.older?.[part]).find((value) => value !== undefined)
  const [body, query, response] = [said('body'), said('query'), said('response')]
  return {
    ...(body === undefined ? {} : { body }),
    ...(query === undefined ? {} : { query }),
    ...(response === undefined ? {} : { response: olderAnswers(newer, described.response) ?? response }),
  }
}

/** Returns the older answers by their status of the newest version; undefined if there are no descriptions. */
function olderAnswers(
  newer: readonly Passage[],
  described: VersionDescription['response'],
): Readonly<Record<string, Schema | null>> | undefined {
  if (described === undefined) return undefined
  const answers = [...byStatus(described, '200')].map(([newest, schema]) => {
    let [status, older] = [newest, schema]
    for (const { entry, head } of newer.toReversed()) {
      status = String(head?.status.get(Number(status)) ?? status)
      const said = saidOf(byStatus(entry?.older?.response, '2XX'), Number(status.replace('XX', '99')))
      if (said !== undefined) older = said
    }
    return [newest, older]
  })
  return Object.fromEntries(answers)
}
