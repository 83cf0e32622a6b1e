// The merge of a user's own OpenAPI parts into generated ones.
import { isObject } from '../schemas/model'
import { put } from '../util/collections'

/**
 * Merges a user's own OpenAPI parts into generated ones. Objects are merged, and parameters by name and place. Everything else
 * is replaced, schemas and objects with a `$ref` too.
 *
 * @param own is not changed. Neither is `made`, whose schemas are filled in later.
 */
export function merged(made: unknown, own: unknown, key = ''): unknown {
  if (own === undefined) return made
  if (key === 'parameters' && Array.isArray(made) && Array.isArray(own)) return mergedParameters(made, own)
  if (!isObject(made) || !isObject(own) || key === 'schema' || '$ref' in own) return own
  const result: Record<string, unknown> = { ...made }
  for (const [name, value] of Object.entries(own)) {
    put(result, name, merged(Object.hasOwn(made, name) ? made[name] : undefined, value, name))
  }
  return result
}

interface Parameter {
  readonly name?: unknown
  readonly in?: unknown
}

function mergedParameters(made: readonly Parameter[], own: readonly Parameter[]): Parameter[] {
  const same = (one: Parameter, other: Parameter) => one.name === other.name && one.in === other.in
  const kept = made.map(
    (parameter) =>
      merged(
        parameter,
        own.find((other) => same(parameter, other)),
      ) as Parameter,
  )
  return [...kept, ...own.filter((parameter) => !made.some((other) => same(parameter, other)))]
}
