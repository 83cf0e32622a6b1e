// Random values of the schemas of an OpenAPI 3.0 document. They mostly fit; a validator must judge them.
import { Random } from '../../support/attack/grammar'

export type Json = Record<string, unknown>

/** Beyond this depth, objects have only what they require, and lists are short. */
const DEEP = 5

/** Returns a function that makes a value for a schema of a document. The same seed gives the same values in the same order. */
export function randomValues(document: Json, seed: number): (schema: unknown) => unknown {
  const random = new Random(seed)
  const upTo = (most: number) => random.below(most + 1)

  /** Follows references, merges `allOf`, and chooses the branches of unions. */
  function chosen(schema: unknown): Json {
    const { allOf = [], oneOf, anyOf, ...own } = resolved(document, schema)
    const parts = [own, ...(allOf as unknown[]).map(chosen)]
    for (const union of [oneOf, anyOf] as unknown[][]) if (union?.length) parts.push(chosen(random.of(union)))
    const list = (key: string) => parts.flatMap((part) => (part[key] ?? []) as string[])
    const properties = Object.assign({}, ...parts.map((part) => part.properties))
    return { ...Object.assign({}, ...parts), properties, required: [...new Set(list('required'))] }
  }

  function value(schema: unknown, depth: number): unknown {
    const one = chosen(schema)
    if (((schema as Json).nullable || one.nullable) && random.chance(10)) return null
    if (Array.isArray(one.enum)) return random.of(one.enum)
    const { minimum = 0, maximum = Number(minimum) + 99, minItems = 0, maxItems = 2 } = one as Record<string, number>
    switch (typeOf(one)) {
      case 'object':
        return object(one, depth)
      case 'array': {
        const size = Math.max(minItems, upTo(depth > DEEP ? 0 : Math.min(2, maxItems)))
        return Array.from({ length: size }, () => value(one.items, depth + 1))
      }
      case 'integer':
        return minimum + upTo(maximum - minimum)
      case 'number':
        return minimum + upTo(2 * (maximum - minimum)) / 2
      case 'boolean':
        return random.chance(50)
      default:
        return text(one)
    }
  }

  function object({ properties, required, additionalProperties }: Json, depth: number): Json {
    const made: Json = {}
    for (const [name, schema] of Object.entries(properties as Json)) {
      const isKept = (required as string[]).includes(name) || random.chance(depth > DEEP ? 0 : 60)
      if (isKept) made[name] = value(schema, depth + 1)
    }
    if (typeof additionalProperties === 'object' && depth <= DEEP) made.other = value(additionalProperties, depth + 1)
    return made
  }

  function text({ minLength = 0, maxLength = 9 }: Json): string {
    const size = Math.max(Number(minLength), upTo(Math.min(9, Number(maxLength))))
    return Array.from({ length: size }, () => random.of([...'abcXYZ 019é"'])).join('')
  }

  return (schema) => value(schema, 0)
}

/** Returns what a reference leads to, or the object itself. */
export function resolved(document: Json, value: unknown): Json {
  const { $ref } = value as Json
  if (typeof $ref !== 'string') return value as Json
  return resolved(document, at(document, $ref.slice(1)))
}

/** Returns the part of a document at a JSON pointer. */
export function at(document: Json, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((part, step) => (part as Json)[unescaped(step)], document)
}

const unescaped = (step: string) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')

function typeOf({ type, items, properties }: Json): unknown {
  return type ?? (items ? 'array' : Object.keys(properties as Json).length > 0 ? 'object' : 'string')
}
