import { isThenable } from '../util/thenable'

/** No answer is so deep: what is deeper has a loop in it, and `JSON` says so. */
const DEPTH = 64

/**
 * The copy of a value that `JSON.parse(JSON.stringify(value))` makes, in a third of the time: plain data is copied as it
 * stands, and all else (dates, classes, whatever has a `toJSON`) by `JSON` itself.
 *
 * @param lost gets what {@link lostIn} finds in the value.
 * @returns `undefined` for what JSON leaves out.
 * @throws {TypeError} for a loop and for a bigint, as `JSON.stringify`; and whatever a getter or `toJSON` throws.
 */
export function jsonCopy(value: unknown, lost?: unknown[]): unknown {
  return copyOf(value, '', 0, lost)
}

/** Adds what is in a value that JSON writes as `null` or as an object without members, though it is neither. */
export function lostIn(result: unknown, lost: unknown[]): void {
  // Not by recursion, which ends sooner than that of `JSON.stringify`.
  const open = [result]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) lost.push(value)
    } else if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
      if (isThenable(value) || value instanceof Map || value instanceof Set) lost.push(value)
      else for (const member of Object.values(value)) open.push(member)
    }
  }
}

/** @param key what a `toJSON` is told: where the value stands. */
function copyOf(value: unknown, key: string | number, depth: number, lost: unknown[] | undefined): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) return value
  // JSON has no -0.
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value + 0
    lost?.push(value)
    return null
  }
  if (typeof value === 'object' && depth < DEPTH && typeof (value as { toJSON?: unknown }).toJSON !== 'function') {
    if (Array.isArray(value)) return copyOfList(value, depth + 1, lost)
    if (isRecord(value)) return copyOfRecord(value, depth + 1, lost)
  }
  if (lost !== undefined) lostIn(value, lost)
  const made: Record<string, unknown> = JSON.parse(JSON.stringify({ [key]: value }))
  return Object.hasOwn(made, key) ? made[key] : undefined
}

function copyOfList(list: readonly unknown[], depth: number, lost: unknown[] | undefined): unknown[] {
  const copy: unknown[] = []
  // Not by an iterator or `map`, which pass what is not there differently than JSON.
  for (let index = 0, { length } = list; index < length; index++)
    copy.push(copyOf(list[index], index, depth, lost) ?? null)
  return copy
}

function copyOfRecord(record: Readonly<Record<string, unknown>>, depth: number, lost: unknown[] | undefined): object {
  if (lost !== undefined && isThenable(record)) lost.push(record)
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(record)) {
    const made = copyOf(record[name], name, depth, lost)
    if (made !== undefined) copy[name] = made
  }
  return copy
}

/** An own `__proto__` is none: assigned to the copy, it would be the copy's prototype. */
function isRecord(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, '__proto__')
}
