// The schemas of answers by status.
import type { Schema } from '../types'
import { isByStatus } from './check'

/** The schemas of answers by status, by a range of statuses, or `default`. `null` means no body. */
export type ByStatus<Said = Schema> = ReadonlyMap<string, Said | null>

/**
 * Sorts the schemas of answers by status.
 *
 * @param plain the status of a schema that is given alone.
 */
export function byStatus(said: unknown, plain: '200' | '2XX'): ByStatus {
  if (said === undefined) return new Map()
  if (said === null) return new Map([['2XX', null]])
  if (!isByStatus(said)) return new Map([[plain, said as Schema]])
  const entries = Object.entries(said as Readonly<Record<string, Schema | null | undefined>>)
  return new Map(entries.filter((entry): entry is [string, Schema | null] => entry[1] !== undefined))
}

/** Returns the schema for the answers of a status; undefined if nothing describes it. */
export function saidOf<Said>(answers: ByStatus<Said>, status: number): Said | null | undefined {
  const keys = [String(status), `${String(status)[0]}XX`, 'default']
  const key = keys.find((name) => answers.has(name))
  return key === undefined ? undefined : answers.get(key)
}
