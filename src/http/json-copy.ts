// Copies of values as JSON would make them.
import { put } from '../util/put'
import { isThenable } from '../util/thenable'

/** The limit of nesting. Deeper values contain a loop, and `JSON` reports it. */
const DEPTH = 64

/**
 * Copies a value like `JSON.parse(JSON.stringify(value))`, in a third of the time. Plain data is copied directly; `JSON` copies
 * everything else: dates, classes, objects with a `toJSON`.
 *
 * @param lost gets the values that {@link lostIn} finds.
 * @param kept parts of the value that are such copies already. They are taken as they are, once.
 * @returns `undefined` for values that JSON omits.
 * @throws {TypeError} for a loop and for a bigint, as `JSON.stringify`; and any error of a getter or `toJSON`.
 */
export function jsonCopy(value: unknown, lost?: unknown[], kept?: Set<object>): unknown {
  return copyOf(value, '', 0, lost, kept)
}

/** Adds the parts of a value that JSON loses: it writes them as `null` or as an empty object. */
export function lostIn(result: unknown, lost: unknown[]): void {
  // A loop, because recursion would end sooner than that of `JSON.stringify`.
  const open = [result]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) lost.push(value)
    } else if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
      if (isThenable(value) || value instanceof Map || value instanceof Set) lost.push(value)
      else {
        if (Array.isArray(value) && value.some(isDropped)) lost.push(value)
        for (const property of Object.values(value)) open.push(property)
      }
    }
  }
}

/** Tells whether JSON leaves a property out of an object, and writes `null` for it in a list. */
function isDropped(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

/**
 * Copies a value at a depth.
 *
 * @param key the argument for `toJSON`: the place of the value.
 */
function copyOf(
  value: unknown,
  key: string | number,
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value === 'number') {
    // Make -0 into 0, because JSON has no -0.
    if (Number.isFinite(value)) return value + 0
    lost?.push(value)
    return null
  }
  if (kept?.delete(value) === true) return value
  if (typeof value === 'object' && depth < DEPTH && typeof (value as { toJSON?: unknown }).toJSON !== 'function') {
    if (Array.isArray(value)) return copyOfList(value, depth + 1, lost, kept)
    if (isRecord(value)) return copyOfRecord(value, depth + 1, lost, kept)
  }
  const made: Record<string, unknown> = JSON.parse(JSON.stringify({ [key]: value }))
  // After `JSON`, which throws for loops: a search for losses would never end in one.
  if (lost !== undefined) lostIn(value, lost)
  return Object.hasOwn(made, key) ? made[key] : undefined
}

function copyOfList(
  list: readonly unknown[],
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): unknown[] {
  const copy: unknown[] = []
  // Use indexes, because iterators and `map` treat holes differently than JSON.
  for (let index = 0, { length } = list; index < length; index++) {
    const made = copyOf(list[index], index, depth, lost, kept)
    if (made === undefined) lost?.push(list)
    copy.push(made ?? null)
  }
  return copy
}

function copyOfRecord(
  record: Readonly<Record<string, unknown>>,
  depth: number,
  lost: unknown[] | undefined,
  kept: Set<object> | undefined,
): object {
  if (lost !== undefined && typeof record.then === 'function') lost.push(record)
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(record)) {
    const made = copyOf(record[name], name, depth, lost, kept)
    if (made === undefined) continue
    // Only that name needs `put`: a call for each property costs more than the rest.
    if (name === '__proto__') put(copy, name, made)
    else copy[name] = made
  }
  return copy
}

/** Tells whether a value is a plain object. */
function isRecord(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
