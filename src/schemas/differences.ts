// The comparison of schemas by their meaning.
import { aloneChainOf, type Follow, resolveUnnamed, type SchemaNode } from './graph'
import { isKeyword, loneReferenceIn, mapSchemas, referenceTo } from './keywords'
import { isObject, type JsonSchema, type SchemaReading } from './model'

/** The parts of schemas that a comparison counts. */
export interface Comparing<Node extends SchemaNode> {
  /** Returns the target of a reference whose name does not count; undefined if the reference itself is compared. */
  readonly follow: Follow<Node>
  /** Tells whether a keyword counts. */
  counts(keyword: string, value: unknown): boolean
  /** Tells whether two references are equal by their names. Default: what they lead to is compared. */
  isSameName?(one: string, other: string): boolean
  /** A comparison that tells first which schemas are equal, so that names count only where they differ. */
  readonly whole?: SchemaComparison<Node>
}

/** A schema in another one. */
class Inner {
  constructor(readonly schema: unknown) {}
}

/**
 * The comparison of schemas of two sides. Lists are sets where their order has no meaning, and a reference means what it leads to.
 * Two schemas are equal as long as nothing shows a difference, because schemas may be recursive.
 */
export class SchemaComparison<Node extends SchemaNode> {
  /** The pairs that are equal, or assumed to be while they are compared. */
  readonly #equal = new Map<JsonSchema, Set<JsonSchema>>()
  readonly #assumed: (readonly [JsonSchema, JsonSchema])[] = []
  /** The differences of pairs. */
  readonly #different = new Map<JsonSchema, Map<JsonSchema, string>>()
  /** The keywords of schemas that count, with inner schemas marked. */
  readonly #told = new WeakMap<JsonSchema, JsonSchema>()

  constructor(private readonly comparing: Comparing<Node>) {}

  /**
   * Finds the first difference of two schemas.
   *
   * @returns a JSON pointer without escapes, `''` for the root; `undefined` for equal schemas.
   */
  differenceOf(one: Node, other: Node): string | undefined {
    const { follow, isSameName, whole } = this.comparing
    if (whole?.isSame(one, other)) return undefined
    const [from, to] = [one, other].map((node) => isObject(node.schema) && loneReferenceIn(node.schema, this.#counts))
    if (typeof from === 'string' && typeof to === 'string' && isSameName?.(from, to) === true) return undefined
    const [a, b] = [one, other].map((node) => aloneChainOf(node, follow, this.#counts).at(-1)) as [Node, Node]
    if (!isObject(a.schema) || !isObject(b.schema)) return this.#between(a.schema, b.schema, a, b)
    const equal = this.#equal.get(a.schema) ?? new Set()
    if (equal.has(b.schema)) return undefined
    const known = this.#different.get(a.schema) ?? new Map<JsonSchema, string>()
    if (known.has(b.schema)) return known.get(b.schema)
    const before = this.#assumed.length
    this.#assumed.push([a.schema, b.schema])
    this.#equal.set(a.schema, equal.add(b.schema))
    const [x, y] = [this.#toldIn(a.schema), this.#toldIn(b.schema)]
    const found = first(keysOf(x, y), (key) => at(key, this.#keywords(key, ownOf(x, key), ownOf(y, key), a, b)))
    if (found === undefined) return undefined
    // What was shown with this assumption does not hold without it.
    for (const [left, right] of this.#assumed.splice(before)) this.#equal.get(left)?.delete(right)
    this.#different.set(a.schema, known.set(b.schema, found))
    return found
  }

  /** Tells whether two schemas are equal. */
  isSame(one: Node, other: Node): boolean {
    return this.differenceOf(one, other) === undefined
  }

  readonly #counts = (keyword: string, value?: unknown): boolean => this.comparing.counts(keyword, value)

  #toldIn(schema: JsonSchema): JsonSchema {
    let told = this.#told.get(schema)
    if (told === undefined) {
      const marked = Object.entries(mapSchemas(schema, (inner) => new Inner(inner)))
      told = Object.fromEntries(marked.filter(([key]) => this.#counts(key, schema[key])))
      this.#told.set(schema, told)
    }
    return told
  }

  #keywords(key: string, one: unknown, other: unknown, from: Node, to: Node): string | undefined {
    if (isKeyword(key, 'set')) return orderedSet(one).join() === orderedSet(other).join() ? undefined : ''
    if (key === '$ref' && typeof one === 'string' && typeof other === 'string') {
      const isFollowed = [this.comparing.follow(one, from), this.comparing.follow(other, to)].every(Boolean)
      if (!isFollowed) return one === other ? undefined : ''
      return this.differenceOf({ ...from, schema: referenceTo(one) }, { ...to, schema: referenceTo(other) })
    }
    if (!isKeyword(key, 'list') || !Array.isArray(one) || !Array.isArray(other)) {
      return this.#between(one, other, from, to)
    }
    const isUnion = isKeyword(key, 'union')
    if (!isUnion && one.length !== other.length) return ''
    const judge = this.comparing.whole ?? this
    const fits = (index: number, rival: number) => judge.#between(one[index], other[rival], from, to) === undefined
    if (isUnion && arePairs(one, other, fits)) return undefined
    return first(keysOf(one, other), (key) => at(key, this.#between(one[Number(key)], other[Number(key)], from, to)))
  }

  #between(one: unknown, other: unknown, from: Node, to: Node): string | undefined {
    if (one instanceof Inner && other instanceof Inner) {
      const [a, b] = [one.schema, other.schema] as [JsonSchema, JsonSchema]
      return this.differenceOf({ ...from, schema: a }, { ...to, schema: b })
    }
    const isOther = one instanceof Inner || other instanceof Inner || Array.isArray(one) !== Array.isArray(other)
    if (isOther || !isHolder(one) || !isHolder(other)) return Object.is(one, other) ? undefined : ''
    return first(keysOf(one, other), (key) => at(key, this.#between(ownOf(one, key), ownOf(other, key), from, to)))
  }
}

/**
 * Finds the first difference of two schemas. Schemas with names are equal if their names are.
 *
 * @param counts tells whether a keyword counts. Default: all do.
 * @returns a JSON pointer without escapes, `''` for the root; `undefined` for equal schemas.
 */
export function differenceOf(
  one: SchemaReading,
  other: SchemaReading,
  counts: (keyword: string, value: unknown) => boolean = () => true,
): string | undefined {
  // Operations of one document share their definitions.
  if (one.schema === other.schema && one.definitions === other.definitions) return undefined
  return new SchemaComparison<SchemaReading>({ follow: resolveUnnamed, counts }).differenceOf(one, other)
}

/** Tells whether a keyword is a rule for values. */
export function isCompared(keyword: string): boolean {
  return !isKeyword(keyword, 'text', 'use')
}

/** Tells whether two schemas allow the same values, as far as their words tell. */
export function isSameSchema(one: SchemaReading, other: SchemaReading): boolean {
  return differenceOf(one, other, isCompared) === undefined
}

/** Lists the schemas that differ from those before them. Generators write the same one under several media types. */
export function distinct(readings: readonly SchemaReading[]): SchemaReading[] {
  const found: SchemaReading[] = []
  for (const reading of readings) if (!found.some((known) => isSameSchema(known, reading))) found.push(reading)
  return found
}

/** Returns the first difference of some parts; `undefined` if they are equal. */
export function first<T>(all: Iterable<T>, differenceAt: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = differenceAt(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Writes a list whose order has no meaning. A missing list is empty, and a single value is a list of itself. */
export function orderedSet(value: unknown): readonly string[] {
  return [value ?? []]
    .flat()
    .map((item) => JSON.stringify(item))
    .sort()
}

/** Tells whether each item of a list can have one of another list for itself. */
function arePairs(
  one: readonly unknown[],
  other: readonly unknown[],
  fits: (index: number, rival: number) => boolean,
): boolean {
  const holders = new Map<number, number>()
  const place = (index: number, tried: Set<number>): boolean =>
    // Mostly, the order is the same.
    [index, ...other.keys()].some((rival) => {
      if (tried.has(rival) || !fits(index, rival)) return false
      tried.add(rival)
      const holder = holders.get(rival)
      if (holder !== undefined && !place(holder, tried)) return false
      holders.set(rival, index)
      return true
    })
  return one.length === other.length && [...one.keys()].every((index) => place(index, new Set()))
}

function at(key: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : `/${key}${path}`
}

function keysOf(one: object, other: object): Set<string> {
  return new Set([...Object.keys(one), ...Object.keys(other)])
}

function ownOf(holder: object, key: string): unknown {
  return Object.hasOwn(holder, key) ? (holder as JsonSchema)[key] : undefined
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
