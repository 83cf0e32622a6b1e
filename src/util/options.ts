// The checks of options, and the errors for wrong ones.
import { inspect } from 'node:util'
import { sharedByLoads } from './brand'
import { didYouMean, near } from './suggest'

/** Renders a programmer's value for an error message. */
export function shown(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80, maxArrayLength: 5 })
}

/** Names the kind of a value, for messages that must not repeat it because a client may have chosen it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Makes the error for a wrong option: it names the owner, the option, what it takes and what it got.
 *
 * @example throw badOption('versioning()', 'versionParam', 'a non-empty string', '')
 */
export function badOption(owner: string, option: string, takes: string, got: unknown): TypeError {
  return new TypeError(`${owner}: option "${option}" takes ${takes}; got ${shown(got)}.`)
}

/** Rejects anything but a plain options object with known keys; `undefined` values count as omitted. */
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

/** The items of one-shot iterators. Options are shared, and a second reader would find the iterator empty. */
const exhausted = sharedByLoads('iterators', () => new WeakMap<Iterable<unknown>, readonly unknown[]>())

/** Reads the items of an iterable option, once. Rejects strings, whose items are letters. */
export function listOption(owner: string, option: string, value: unknown, takes: string): readonly unknown[] {
  const listed = typeof value === 'object' && value !== null && Symbol.iterator in value
  if (!listed) throw badOption(owner, option, takes, value)
  const iterable = value as Iterable<unknown>
  const known = exhausted.get(iterable)
  if (known !== undefined) return known
  const properties = [...iterable]
  if ((iterable[Symbol.iterator]() as unknown) === iterable) exhausted.set(iterable, properties)
  return properties
}
