// Values in groups, and under names that clients choose.

/** Groups values by their keys, in the order in which they came. */
export function grouped<Key, Value>(entries: Iterable<readonly [Key, Value]>): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const [key, value] of entries) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** Sets an own property. A plain assignment of `__proto__` would set the prototype. */
export function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
