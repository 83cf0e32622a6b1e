import { inspect } from 'node:util'
import { didYouMean, near } from './suggest'

/** A short rendering of what a programmer passed, for error messages only. */
export function shown(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80, maxArrayLength: 5 })
}

/** What kind of value it is, for messages that must not repeat it: a client may have chosen it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * The error for an option with a wrong value: who reads it, its name, what it takes and what it got.
 *
 * @example throw badOption('versioning()', 'versionParam', 'a non-empty string', '')
 */
export function badOption(owner: string, option: string, takes: string, got: unknown): TypeError {
  return new TypeError(`${owner}: option "${option}" takes ${takes}; got ${shown(got)}.`)
}

/** Refuses anything but a plain options object with known keys; `undefined` values count as omitted. */
export function checkKeys(owner: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`${owner} takes an object of options; got ${shown(options)}.`)
  }
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || known.includes(key)) continue
    throw new TypeError(
      `${owner}: unknown option "${key}".${didYouMean(near(key, known))} It takes ${known.map((name) => `"${name}"`).join(', ')}.`,
    )
  }
}

/** What one-shot iterators gave: options are shared, and to the second reader an exhausted one would be an empty list. */
const exhausted = new WeakMap<object, unknown[]>()

/** The members of an iterable option, read once; a string is refused, because its letters are not what was meant. */
export function listOption(owner: string, option: string, value: unknown, takes: string): unknown[] {
  const iterable = typeof value === 'object' && value !== null && Symbol.iterator in value
  if (!iterable) throw badOption(owner, option, takes, value)
  const known = exhausted.get(value)
  if (known !== undefined) return known
  const list = [...(value as Iterable<unknown>)]
  if (((value as Iterable<unknown>)[Symbol.iterator]() as unknown) === value) exhausted.set(value, list)
  return list
}
