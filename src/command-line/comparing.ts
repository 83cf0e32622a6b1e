// The comparison of two documents of a version.
import { isObject, type JsonSchema } from '../schemas/model'

/**
 * Lists the operations, schemas and other parts in which two documents of a version differ.
 *
 * A date that is reached is not a difference: neither `deprecated` of operations, nor the document of a version that is gone.
 */
export function differencesOf(before: unknown, now: unknown): string[] {
  const [old, young] = [partsOf(before), partsOf(now)]
  if ([...young.values()].some(isGone)) return []
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((part) => {
    if (!young.has(part)) return `${part} was removed`
    if (!old.has(part)) return `${part} is new`
    const at = firstDifference(old.get(part), young.get(part), '')
    return at === undefined ? [] : `${part} has changed${at === '' ? '' : ` at ${at}`}`
  })
}

/** Splits a document into the parts to compare: operations as `GET /users`, components as `schemas User`, and the other members. */
function partsOf(document: unknown): Map<string, unknown> {
  const { paths, components, ...rest } = isObject(document) ? document : {}
  const operations = membersOf(paths).flatMap(([path, item]) =>
    membersOf(item).map(([method, operation]): [string, unknown] => {
      const told = isObject(operation) ? { ...operation, deprecated: undefined } : operation
      return [`${method.toUpperCase()} ${path}`, told]
    }),
  )
  const named = membersOf(components).flatMap(([kind, all]) =>
    membersOf(all).map(([name, one]): [string, unknown] => [kind === 'schemas' ? name : `${kind} ${name}`, one]),
  )
  return new Map([...operations, ...named, ...Object.entries(rest)])
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** Tells whether an operation belongs to a version that is gone. */
function isGone(operation: unknown): boolean {
  const { responses } = isObject(operation) ? operation : ({} as JsonSchema)
  return isObject(responses) && Object.keys(responses).join() === '410'
}

/** Returns the first difference as a JSON pointer without escapes; `undefined` for equal values. */
function firstDifference(one: unknown, other: unknown, path: string): string | undefined {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other ? undefined : path
  }
  if (Array.isArray(one) !== Array.isArray(other)) return path
  const [a, b] = [one as JsonSchema, other as JsonSchema]
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(a[key], b[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
