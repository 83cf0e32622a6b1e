// The comparison of schemas of two documents, in which a name means the schema of that name in each.
import { isDeepStrictEqual } from 'node:util'
import { orderedSet, SETS, UNIONS, WORDS } from '../../openapi/meaning/schemas'
import { mapSchemas } from '../../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'

type Definitions = ReadonlyMap<string, JsonSchema>

/** A schema in another one. */
class Inner {
  constructor(readonly schema: unknown) {}
}

/** The comparison of schemas of two documents. */
export class Sameness {
  /** The pairs of schemas that are assumed to be the same while they are compared: schemas may be recursive. */
  readonly #assumed: (readonly [JsonSchema, JsonSchema])[] = []
  readonly #told = new WeakMap<JsonSchema, JsonSchema>()

  /** @param isShared tells whether both documents have a named schema. What is in it does not count. */
  constructor(private readonly isShared: (name: string) => boolean) {}

  /** Tells whether two schemas mean the same, but for the schemas that both documents have by name. */
  same(one: SchemaReading, other: SchemaReading): boolean {
    this.#assumed.length = 0
    return this.#schemas(one.schema, one.definitions, other.schema, other.definitions)
  }

  #schemas(one: unknown, from: Definitions, other: unknown, to: Definitions): boolean {
    if (isReference(one) && isReference(other) && this.#isSharedName(one.$ref, other.$ref)) return true
    const [a, b] = [resolved(one, from), resolved(other, to)]
    // Draft 7 has lists of names among `dependencies`.
    if (!isObject(a) || !isObject(b)) return isDeepStrictEqual(a, b)
    if (this.#assumed.some(([left, right]) => left === a && right === b)) return true
    const before = this.#assumed.length
    this.#assumed.push([a, b])
    const [x, y] = [this.#toldOf(a), this.#toldOf(b)]
    const keys = new Set([...Object.keys(x), ...Object.keys(y)])
    const isSame = [...keys].every((key) => this.#values(key, x[key], from, y[key], to))
    // What was shown with this assumption does not hold without it.
    if (!isSame) this.#assumed.length = before
    return isSame
  }

  #values(key: string, one: unknown, from: Definitions, other: unknown, to: Definitions): boolean {
    if (one instanceof Inner && other instanceof Inner) return this.#schemas(one.schema, from, other.schema, to)
    if (key === '$ref' && typeof one === 'string' && typeof other === 'string') {
      return this.#isSharedName(one, other) || this.#schemas({ $ref: one }, from, { $ref: other }, to)
    }
    if (SETS.has(key)) return orderedSet(one).join() === orderedSet(other).join()
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false
      if (!UNIONS.has(key)) return one.every((item, index) => this.#values('', item, from, other[index], to))
      const left = [...other]
      return one.every((item) => {
        const at = left.findIndex((rival) => this.#values('', item, from, rival, to))
        if (at !== -1) left.splice(at, 1)
        return at !== -1
      })
    }
    if (!isObject(one) || !isObject(other) || one instanceof Inner || other instanceof Inner)
      return Object.is(one, other)
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...names].every((name) => this.#values('', own(one, name), from, own(other, name), to))
  }

  /** Returns the keywords with a meaning, with inner schemas marked. */
  #toldOf(schema: JsonSchema): JsonSchema {
    let told = this.#told.get(schema)
    if (told === undefined) {
      const entries = Object.entries(mapSchemas(schema, (inner) => new Inner(inner)))
      told = Object.fromEntries(entries.filter(([key]) => !WORDS.has(key)))
      this.#told.set(schema, told)
    }
    return told
  }

  #isSharedName(one: string, other: string): boolean {
    return one === other && isName(one) && this.isShared(one)
  }
}

function own(object: JsonSchema, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Tells whether a schema is a reference, and nothing else. */
export function isReference(schema: unknown): schema is { readonly $ref: string } {
  if (!isObject(schema) || typeof schema.$ref !== 'string') return false
  return Object.keys(schema).every((key) => key === '$ref' || WORDS.has(key))
}

/** Follows references. */
export function resolved(schema: unknown, definitions: Definitions): unknown {
  const seen = new Set<string>()
  let found = schema
  while (isReference(found) && !seen.has(found.$ref) && definitions.has(found.$ref)) {
    seen.add(found.$ref)
    found = definitions.get(found.$ref)
  }
  return found
}
