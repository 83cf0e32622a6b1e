// The comparison of schemas.
import { isName, isObject, type SchemaReading } from './model'

/** The lists whose order does not matter. */
const SETS = new Set(['required', 'enum', 'type'])

/**
 * Finds the first difference of two schemas. Schemas with names are equal if their names are.
 *
 * @param isRule tells whether a keyword counts. Default: all do.
 * @returns a JSON pointer, `''` for the root; `undefined` for equal schemas.
 */
export function differenceOf(
  one: SchemaReading,
  other: SchemaReading,
  isRule: (keyword: string, value: unknown) => boolean = () => true,
): string | undefined {
  /** The pairs of references that are assumed to be equal while they are compared. */
  const assumed = new Set<string>()

  function between(a: unknown, b: unknown, path: string): string | undefined {
    if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
      return first(a.keys(), (index) => between(a[index], b[index], `${path}/${index}`))
    }
    if (!isObject(a) || !isObject(b)) return Object.is(a, b) ? undefined : path
    const entriesOf = (value: object) => Object.entries(value).filter(([key, inner]) => isRule(key, inner))
    const [left, right] = [new Map(entriesOf(a)), new Map(entriesOf(b))]
    return first(new Set([...left.keys(), ...right.keys()]), (key) => {
      const below = `${path}/${key}`
      const [x, y] = [left.get(key), right.get(key)]
      if (key === '$ref' && typeof x === 'string' && typeof y === 'string') return betweenReferences(x, y, below)
      return SETS.has(key) ? between(sorted(x), sorted(y), below) : between(x, y, below)
    })
  }

  function betweenReferences(a: string, b: string, path: string): string | undefined {
    const [x, y] = [one.definitions.get(a), other.definitions.get(b)]
    // The keys of unnamed schemas may be numbered differently.
    if (isName(a) || isName(b) || x === undefined || y === undefined) return a === b ? undefined : path
    const pair = JSON.stringify([a, b])
    if (assumed.has(pair)) return undefined
    assumed.add(pair)
    return between(x, y, path)
  }

  // Operations of one document share their definitions.
  if (one.schema === other.schema && one.definitions === other.definitions) return undefined
  return between(one.schema, other.schema, '')
}

/** Returns the first difference of some parts; `undefined` if they are equal. */
export function first<T>(all: Iterable<T>, differenceAt: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = differenceAt(one)
    if (found !== undefined) return found
  }
  return undefined
}

function sorted(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((one) => JSON.stringify(one)).sort()
}

/** The keywords that allow and forbid nothing. */
const ANNOTATIONS = new Set('$comment default deprecated description examples readOnly title writeOnly'.split(' '))

/** Tells whether an entry of a schema is a rule for values, or a property named like an annotation. */
export function isCompared(keyword: string, value: unknown): boolean {
  return isObject(value) || !ANNOTATIONS.has(keyword)
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
