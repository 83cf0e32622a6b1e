// Writing of properties whose names clients choose.

/** Sets an own property. A plain assignment of `__proto__` would set the prototype. */
export function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
