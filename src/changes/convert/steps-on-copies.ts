// Steps on copies of values, by hand.
import { jsonCopy } from '../../http/json'
import { shown } from '../../util/options'
import { isThenable } from '../../util/thenable'
import { type BodyStep, Conversion } from './steps'

/**
 * Runs steps on a copy, which they may change.
 *
 * @param met gets the descriptions of the changes whose steps run.
 * @throws {TypeError} for a body that JSON cannot express.
 */
export function converted(
  owner: string,
  steps: readonly BodyStep[],
  body: unknown,
  version: string,
  met?: Set<string>,
): unknown {
  if (steps.length === 0) return body
  return JSON.parse(new Conversion(steps, { version, met }).runToJson(copied(owner, body)))
}

/**
 * Copies a value as JSON has it.
 *
 * @throws {TypeError} for one that JSON cannot express.
 */
export function copied(owner: string, body: unknown): unknown {
  let copy: unknown
  const lost: unknown[] = []
  try {
    copy = jsonCopy(body, lost)
  } catch (cause) {
    throw new TypeError(`${owner} takes a body that JSON can express.`, { cause })
  }
  if (lost.some(isThenable)) throw new TypeError(`${owner} takes a body that JSON can express; it has a promise.`)
  if (copy === undefined) throw new TypeError(`${owner} takes a body that JSON can express; got ${shown(body)}.`)
  return copy
}
