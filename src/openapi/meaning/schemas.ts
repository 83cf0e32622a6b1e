// The comparison of schemas by their meaning, across two documents.

import { first } from '../../schemas/differences'
import { mapSchemas } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { stepsOf } from '../../schemas/pointers'

/** The side of a schema. In responses, `additionalProperties: false` has no meaning, because libraries add it there. */
export type Side = 'request' | 'response'

/** The properties for people, and those of dates. They have no meaning. */
export const WORDS: ReadonlySet<string> = new Set(
  'title description summary example examples externalDocs deprecated x-sunset $comment'.split(' '),
)

/** The lists whose order has no meaning: those of values, and those of schemas. */
export const SETS: ReadonlySet<string> = new Set(['enum', 'required', 'type', 'tags'])
/** The lists of schemas whose order has no meaning. */
export const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

/** A schema at a place of a document. */
export class DocumentPlace {
  /** The schema behind its references. */
  readonly schema: unknown
  /** The name of the component that it refers to. */
  readonly name: string | undefined

  constructor(
    schema: unknown,
    readonly document: JsonSchema,
  ) {
    this.schema = resolved(schema, document)
    const steps = isReference(schema) ? stepsOf(schema.$ref) : []
    this.name = steps.length === 3 && steps[0] === 'components' && steps[1] === 'schemas' ? steps[2] : undefined
  }
}

/** Follows references within a document. */
export function resolved(value: unknown, document: JsonSchema): unknown {
  const seen = new Set()
  let found = value
  while (isReference(found) && !seen.has(found)) {
    seen.add(found)
    const target = found.$ref.startsWith('#/') ? stepsOf(found.$ref).reduce<unknown>(propertyOf, document) : undefined
    if (target === undefined) return found
    found = target
  }
  return found
}

/** Returns an own property of an object or a list. */
export function propertyOf(holder: unknown, name: string): unknown {
  return isHolder(holder) && Object.hasOwn(holder, name) ? (holder as JsonSchema)[name] : undefined
}

/** Tells whether a value is a reference, and nothing else. */
function isReference(value: unknown): value is { readonly $ref: string } {
  if (!isObject(value) || typeof value.$ref !== 'string') return false
  return Object.keys(value).every((key) => key === '$ref' || WORDS.has(key))
}

/**
 * The schemas of two documents on one side, in classes: schemas of one class mean the same. All begin in one class. They are divided
 * by their keywords and the classes of their inner schemas until no class divides any more, because schemas may be recursive.
 */
export class SchemaClasses {
  readonly #side: Side
  /** The keywords of each schema, with places for its inner schemas. */
  readonly #told = new Map<JsonSchema, JsonSchema>()
  #classes: ReadonlyMap<unknown, number> = new Map()

  constructor(side: Side, documents: readonly JsonSchema[]) {
    this.#side = side
    for (const document of documents) this.#collectIn(document, document)
    for (let count = -1; count !== new Set(this.#classes.values()).size; ) {
      count = new Set(this.#classes.values()).size
      this.#divide()
    }
  }

  /** Tells whether the schemas at two places mean the same. */
  isSame(one: DocumentPlace, other: DocumentPlace): boolean {
    return this.#classOf(one) === this.#classOf(other)
  }

  /**
   * Finds a difference of two places.
   *
   * @param onName is called for a name of both documents whose schemas differ. That is no difference of places that refer to it.
   * @returns a JSON pointer without escapes; `undefined` if only such names differ.
   */
  differenceOf(one: DocumentPlace, other: DocumentPlace, onName: (name: string) => void): string | undefined {
    const seen = new Map<unknown, Set<unknown>>()
    const between = (a: unknown, b: unknown, path: string): string | undefined => {
      if (a instanceof DocumentPlace && b instanceof DocumentPlace) {
        if (this.isSame(a, b)) return undefined
        if (a.name === undefined || a.name !== b.name) return behind(a.schema, b.schema, path)
        onName(a.name)
        return undefined
      }
      if (!isHolder(a) || !isHolder(b) || Array.isArray(a) !== Array.isArray(b))
        return Object.is(a, b) ? undefined : path
      const [x, y] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
      return first(new Set([...x.keys(), ...y.keys()]), (key) => between(x.get(key), y.get(key), `${path}/${key}`))
    }
    const behind = (a: unknown, b: unknown, path: string): string | undefined => {
      const known = seen.get(a) ?? new Set()
      if (known.has(b)) return undefined
      seen.set(a, known.add(b))
      const [x, y] = [this.#told.get(a as JsonSchema), this.#told.get(b as JsonSchema)]
      if (x === undefined || y === undefined) return path
      return first(new Set([...Object.keys(x), ...Object.keys(y)]), (key) => {
        if (JSON.stringify(this.#ordered(x[key], key)) === JSON.stringify(this.#ordered(y[key], key))) return undefined
        return SETS.has(key) ? `${path}/${key}` : between(x[key], y[key], `${path}/${key}`)
      })
    }
    return behind(one.schema, other.schema, '')
  }

  /** Collects the schemas of an OpenAPI object. */
  #collectIn(value: unknown, document: JsonSchema): void {
    if (!isHolder(value)) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'schema' || key === 'itemSchema') this.#collect(new DocumentPlace(inner, document))
      // People may call a header or a parameter `schema` too. It does no harm to take such an object for a schema.
      this.#collectIn(inner, document)
    }
  }

  #collect({ schema, document }: DocumentPlace): void {
    if (!isObject(schema) || this.#told.has(schema)) return
    const places: DocumentPlace[] = []
    const placed = (inner: unknown) => {
      const place = new DocumentPlace(inner, document)
      places.push(place)
      return place
    }
    const told = Object.entries(mapSchemas(schema, placed))
      .filter(([key, value]) => !WORDS.has(key) && !(this.#side === 'response' && isClosed(key, value)))
      .map(([key, value]) => [key, key === '$ref' && !isReference(schema) ? placed({ $ref: value }) : value])
    this.#told.set(schema, Object.fromEntries(told))
    for (const place of places) this.#collect(place)
  }

  #divide(): void {
    const ids = new Map<string, number>()
    const divided = [...this.#told].map(([schema, told]): [JsonSchema, number] => {
      const keywords = Object.keys(told)
        .sort()
        .map((key) => [key, this.#ordered(told[key], key)])
      const meaning = JSON.stringify([this.#classes.get(schema), keywords])
      const id = ids.get(meaning) ?? ids.size
      ids.set(meaning, id)
      return [schema, id]
    })
    this.#classes = new Map(divided)
  }

  /** Writes the value of a keyword with classes for schemas. Lists are sorted where their order has no meaning. */
  #ordered(value: unknown, key: string): unknown {
    if (SETS.has(key)) return orderedSet(value)
    const told = this.#classed(value)
    return UNIONS.has(key) ? orderedSet(told) : told
  }

  #classed(value: unknown): unknown {
    if (value instanceof DocumentPlace) return { class: this.#classOf(value) }
    if (Array.isArray(value)) return value.map((item) => this.#classed(item))
    if (!isObject(value)) return value
    const names = Object.keys(value).sort()
    return { properties: names.map((name) => [name, this.#classed(value[name])]) }
  }

  #classOf({ schema }: DocumentPlace): unknown {
    return isObject(schema) ? this.#classes.get(schema) : schema
  }
}

/** Writes a list whose order has no meaning. A missing list is empty, and a single value is a list of itself. */
export function orderedSet(value: unknown): readonly string[] {
  return [value ?? []]
    .flat()
    .map((item) => JSON.stringify(item))
    .sort()
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isClosed(key: string, value: unknown): boolean {
  return key === 'additionalProperties' && value === false
}
