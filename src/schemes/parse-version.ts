import { inspect } from 'node:util'
import type { ParseVersion } from '../types'
import { isDate } from '../util/dates'
import { shown } from '../util/options'
import { isThenable } from '../util/thenable'

/**
 * Asks a `parseVersion` which accepted version a client's text means.
 *
 * @returns `undefined` for none. That is also what a mistake comes to, told once by a process warning: what throws at some text, or
 *   gives no string for it, must not become another version, and no client may cause a 500 by that text.
 */
export function parsed(parse: ParseVersion, text: string, versions: readonly string[]): string | undefined {
  let version: unknown
  try {
    version = parse(text, versions)
  } catch (error) {
    warnOnce(parse, inspect(error))
    return undefined
  }
  if (version === undefined || typeof version === 'string') return version
  // Nobody else waits for it, and a rejection without a handler ends the process.
  if (isThenable(version)) version.then(undefined, () => {})
  warnOnce(parse, `It takes a string or undefined to be returned; got ${shown(version)}.`)
  return undefined
}

const warned = new WeakSet<ParseVersion>()

function warnOnce(parse: ParseVersion, detail: string): void {
  if (warned.has(parse)) return
  warned.add(parse)
  process.emitWarning('A parseVersion of express-versioning failed; the request was refused.', {
    code: 'EXPRESS_VERSIONING_PARSER',
    detail,
  })
}

/**
 * A `parseVersion` for versions that are dates: the latest allowed one that is not after the date which the client names. What is no
 * date means the allowed version of that text.
 *
 * @returns `undefined` for a date before the first version, and for other texts.
 * @example earlierDate('2024-05-03', ['2024-01-01', '2024-06-01']) // '2024-01-01'
 */
export function earlierDate(text: string, allowedVersions: readonly (string | null)[]): string | undefined {
  if (!isDate(text)) return allowedVersions.includes(text) ? text : undefined
  let latest: string | undefined
  for (const version of allowedVersions) {
    if (isDate(version) && version <= text && (latest === undefined || version > latest)) latest = version
  }
  return latest
}
