import type { JsonSchema } from './model'

// Where JSON Schema 2020-12, and what is still used of its drafts, has schemas; elsewhere, `$ref` is data.
const SCHEMA = new Set(
  'items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else contentSchema'.split(
    ' ',
  ),
)
const SCHEMAS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
const SCHEMAS_BY_NAME = new Set('properties patternProperties dependentSchemas $defs definitions'.split(' '))

/** Where a boolean is said as a rule. */
const RULES = new Set(['items', 'additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'])

/**
 * A copy of a schema with other schemas in it.
 *
 * @param map gets each schema that stands in it directly, and the JSON pointer that leads there from it.
 */
export function mapSchemas(schema: JsonSchema, map: (inner: unknown, path: string) => unknown): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    const path = `/${escaped(key)}`
    if (SCHEMAS.has(key) && Array.isArray(value)) {
      return [key, value.map((inner, index) => map(inner, `${path}/${index}`))]
    }
    if (SCHEMA.has(key) && !(typeof value === 'boolean' && RULES.has(key))) return [key, map(value, path)]
    if (!SCHEMAS_BY_NAME.has(key) || typeof value !== 'object' || value === null) return [key, value]
    const inner = Object.entries(value).map(([name, one]) => [name, map(one, `${path}/${escaped(name)}`)])
    return [key, Object.fromEntries(inner)]
  })
  return Object.fromEntries(entries)
}

/** Visits the schemas that stand in a schema directly. */
export function eachSchema(schema: JsonSchema, visit: (inner: unknown, path: string) => void): void {
  mapSchemas(schema, visit)
}

/** A name as a step of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
export function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}

/** The names that the steps of a JSON pointer in a URI fragment stand for. */
export function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescaped)
}

function unescaped(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
