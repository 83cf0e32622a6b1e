// The types of schemas as this package reads them.

/** A JSON Schema that is an object. In a reading, `true` and `false` are objects too. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The side of a schema: requests have its input, responses its output. They differ in defaults and transforms. */
export type Direction = 'input' | 'output'

export const DIRECTIONS: readonly Direction[] = ['input', 'output']

export const OTHER_DIRECTION = { input: 'output', output: 'input' } as const

/** Makes a value for each direction. */
export function byDirection<Value>(make: (direction: Direction) => Value): Readonly<Record<Direction, Value>> {
  return { input: make('input'), output: make('output') }
}

/**
 * A user's schema as plain JSON Schema 2020-12, with its definitions apart.
 *
 * In `schema` and in each definition:
 * - `{ $ref: key }` refers to `definitions.get(key)`. A `$ref` that is not a key leads elsewhere: it is the name in the
 *   reference (`User` for `User.json`), or as written.
 * - A schema that has a name or is referred to is only in `definitions`. So a named root is `{ $ref: 'User' }`.
 * - `$id`, anchors, `$schema`, `$defs` and `definitions` are removed. `$dynamicRef` becomes `$ref`.
 * - Tuples of draft 7 (`items: [...]`) have `prefixItems`.
 * - `true` becomes `{}`, and `false` becomes `{ not: {} }`, except in rules (`additionalProperties: false`).
 */
export interface SchemaReading {
  readonly schema: JsonSchema
  /** The definitions by name, such as `User`. A schema without a name has a key with `#` in front: `#/$defs/__schema0`. */
  readonly definitions: ReadonlyMap<string, JsonSchema>
  /** The references that lead elsewhere as written, by their name. */
  readonly outside?: ReadonlyMap<string, string>
}

/** Tells whether the key of a definition is a name given by a person. */
export function isName(key: string): boolean {
  return !key.startsWith('#')
}

/** Returns one definition of a reading as a reading of its own. */
export function definitionOf({ definitions }: SchemaReading, key: string): SchemaReading {
  return { schema: definitions.get(key) as JsonSchema, definitions }
}
