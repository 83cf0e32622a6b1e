// The check of the option `older`.
import { isResponse, isSchema, SCHEMA_TAKES } from '../../schemas/check'
import { badOption, checkKeys } from '../../util/options'
import type { OlderBodies } from '../typing'

/** The values that each part takes, and their check. */
const PARTS: Readonly<Record<keyof OlderBodies, readonly [string, (value: unknown) => boolean]>> = {
  body: [`${SCHEMA_TAKES}, or null for none`, (value) => value === null || isSchema(value)],
  query: [SCHEMA_TAKES, isSchema],
  response: [
    `${SCHEMA_TAKES}, null for none, or such by status, such as { 200: User, 204: null }`,
    (value) => value === null || isResponse(value),
  ],
}

/**
 * Checks the older bodies of an operation in a change.
 *
 * @throws {TypeError} for a value that is not a schema.
 */
export function checkOlder(owner: string, older: OlderBodies | undefined): OlderBodies | undefined {
  if (older === undefined) return undefined
  checkKeys(`${owner}: "older"`, older, Object.keys(PARTS))
  for (const [part, [takes, fits]] of Object.entries(PARTS)) {
    const value = older[part as keyof OlderBodies]
    if (value !== undefined && !fits(value)) throw badOption(owner, `older.${part}`, takes, value)
  }
  return older
}
