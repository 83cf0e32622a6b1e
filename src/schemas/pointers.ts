// JSON pointers in URI fragments (RFC 6901).

/** Writes a name as a step of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
export function escaped(name: string): string {
  // Most names have no other characters, and documents have many names.
  if (/^[\w.-]*$/.test(name)) return name
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}

/** Returns the pointer of a part. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  return pointer + steps.map((step) => `/${escaped(String(step))}`).join('')
}

/** Returns the names in a JSON pointer that is not in a URI (RFC 6901, section 4). */
export function plainStepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the names in the steps of a JSON pointer in a URI fragment. */
export function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescaped)
}

function unescaped(step: string): string {
  if (!/[%~]/.test(step)) return step
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the value at a pointer; undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const step of stepsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}
