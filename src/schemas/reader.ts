// The reader of schemas: it copies them as plain JSON Schema 2020-12, with those that references lead to apart.
import type { Addresses, Place } from './addresses'
import { isKeyword, mapSchemas, referenceTo } from './keywords'
import { isObject, type JsonSchema } from './model'
import { below } from './pointers'

/** The types of JSON Schema. */
export const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** A reference of a schema. */
export interface Reference {
  readonly keyword: string
  readonly reference: string
  /** The pointer of the schema that has it. */
  readonly pointer: string
}

/** A part that does not fit: no schema, no type of JSON Schema, or a dynamic reference with several targets. */
export interface Fault {
  readonly kind: 'schema' | 'type' | 'dynamic'
  readonly value: unknown
  readonly pointer: string
}

/** The reading of one kind of schemas: those of users, or those of a given document. */
export interface ReadingPolicy {
  /** Tells whether a schema is read as a definition, with a reference in its place. */
  isDefinition(pointer: string): boolean
  /** Returns the key of the definition at a pointer. */
  keyOf(pointer: string): string
  /** Returns the schema that is read instead of the one at a pointer; undefined for that one itself. */
  instead?(value: unknown, pointer: string): JsonSchema | undefined
  /** Returns the keywords of a schema that count, or rejects it. */
  checked(schema: JsonSchema, pointer: string): JsonSchema
  /** Returns the key of a reference that leads to no schema in the root, or rejects it. */
  keyOutside(reference: Reference, place: Place, define: (pointer: string) => string): string
  /** Rejects what does not fit, or returns the schema that is read instead. */
  fault(fault: Fault): JsonSchema
  /** Returns a read schema in the words of JSON Schema 2020-12. */
  made?(read: JsonSchema, given: JsonSchema, pointer: string): JsonSchema
}

/** The reader of the schemas in one root. */
export class SchemaReader {
  /** The schemas that references lead to, by key. */
  readonly definitions = new Map<string, JsonSchema>()
  /** The definitions whose key another one had before, by pointer. */
  readonly doubles = new Map<string, string>()
  /** The places of definitions, by key. */
  readonly #places = new Map<string, string>()
  /** The definitions that are not read yet. A chain of references may be long, so it is no recursion. */
  readonly #waiting: string[] = []

  constructor(
    readonly addresses: Addresses,
    private readonly policy: ReadingPolicy,
  ) {}

  /** Reads the schema at a pointer. It is complete when {@link finish} was called. */
  read(value: unknown, pointer: string): JsonSchema {
    if (this.policy.isDefinition(pointer)) return referenceTo(this.define(pointer))
    return this.#copyOf(value, pointer)
  }

  /** Makes the schema at a pointer a definition, and returns its key. */
  define(pointer: string): string {
    const key = this.policy.keyOf(pointer)
    const place = this.#places.get(key)
    if (place === undefined) {
      this.#places.set(key, pointer)
      // Reserve the place in the order before its parts are defined.
      this.definitions.set(key, {})
      this.#waiting.push(key)
    } else if (this.addresses.at(place) !== this.addresses.at(pointer)) this.doubles.set(pointer, key)
    return key
  }

  /** Reads the definitions that are not read yet. */
  finish(): void {
    // The loop also visits the definitions that it adds.
    for (const key of this.#waiting) {
      const pointer = this.#places.get(key) as string
      this.definitions.set(key, this.again(pointer))
    }
    this.#waiting.length = 0
  }

  /** Reads the schema at a pointer as it stands there, also that of a definition. */
  again(pointer: string): JsonSchema {
    return this.#copyOf(this.addresses.at(pointer), pointer)
  }

  #copyOf(value: unknown, pointer: string): JsonSchema {
    const other = this.policy.instead?.(value, pointer)
    if (other !== undefined) return other
    // Validators and generators expect objects.
    if (typeof value === 'boolean') return value ? {} : { not: {} }
    if (!isObject(value)) return this.policy.fault({ kind: 'schema', value, pointer })
    const kept: [string, unknown][] = []
    for (const [key, part] of Object.entries(this.policy.checked(value, pointer))) {
      if (isKeyword(key, 'address', 'part')) continue
      if (key === 'type' && !this.#isType(part, pointer)) continue
      if (!isKeyword(key, 'reference') || typeof part !== 'string') kept.push([key, part])
      else kept.push(['$ref', this.#keyOf({ keyword: key, reference: part, pointer })])
    }
    const copy = mapSchemas(Object.fromEntries(kept), (inner, path) => this.read(inner, pointer + path))
    const read = withTuples(copy)
    return this.policy.made?.(read, value, pointer) ?? read
  }

  #isType(type: unknown, pointer: string): boolean {
    const other = [type].flat().find((name) => !TYPES.includes(name as string))
    if (other === undefined) return true
    this.policy.fault({ kind: 'type', value: other, pointer: below(pointer, 'type') })
    return false
  }

  /** Returns the key of the definition that a reference leads to. */
  #keyOf(reference: Reference): string {
    const { keyword, reference: value, pointer } = reference
    const place = this.addresses.resolve(value, pointer)
    const isDynamic = keyword === '$dynamicRef' && this.addresses.isAmbiguous(value)
    if (isDynamic) this.policy.fault({ kind: 'dynamic', value, pointer })
    const isThere = typeof place === 'object' && isSchema(this.addresses.at(place.pointer))
    return isThere
      ? this.define(place.pointer)
      : this.policy.keyOutside(reference, place, (pointer) => this.define(pointer))
  }
}

/** Tells whether a value of a schema's root is a schema. */
export function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean'
}

/** Returns a tuple of draft 7 as one of JSON Schema 2020-12. TypeBox still writes them. */
function withTuples(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...others } = schema
  if (!Array.isArray(items)) return schema
  return { ...others, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}
