// The checks of `parseVersion` results, and a `parseVersion` for dates.
import { inspect } from 'node:util'
import type { ParseVersion } from '../types'
import { isDate } from '../util/dates'
import { shown } from '../util/options'
import { isThenable } from '../util/thenable'

/**
 * Asks `parseVersion` which accepted version a client's text means. If it throws or returns anything but a string, the text
 * means no version, and one process warning reports the mistake. So a mistake never selects another version, and no client can
 * cause a 500 with such a text.
 *
 * @returns `undefined` if the text means no version.
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
  // Nobody else handles this promise, and an unhandled rejection ends the process.
  if (isThenable(version)) version.then(undefined, () => {})
  warnOnce(parse, `It must return a string or undefined; got ${shown(version)}.`)
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
 * Finds the latest allowed date that is not after the client's date. Use it as `parseVersion` for versions that are dates. A
 * text that is not a date means the allowed version of the same text.
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
