// The keywords of JSON Schema that hold schemas.
import { isObject, type JsonSchema } from './model'

// These keywords of JSON Schema 2020-12 and its drafts hold schemas. Elsewhere, `$ref` is data.
const SCHEMA = new Set(
  'items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else contentSchema'.split(
    ' ',
  ),
)
const SCHEMAS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
const SCHEMAS_BY_NAME = new Set(
  'properties patternProperties dependentSchemas dependencies $defs definitions'.split(' '),
)

/** The other keywords of JSON Schema and its drafts that judge values or refer to schemas. */
const OTHER_RULES = new Set(
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired format nullable $ref $dynamicRef $recursiveRef'.split(
    ' ',
  ),
)
/** The keywords, also of OpenAPI 3.1, that only describe. Some hold values, in which nothing is a schema. */
const ANNOTATIONS = new Set(
  'title description default deprecated readOnly writeOnly example examples contentEncoding contentMediaType discriminator xml externalDocs id $id $schema $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment'.split(
    ' ',
  ),
)

/** Tells whether a keyword judges values, or holds schemas. */
export function isRule(keyword: string): boolean {
  return OTHER_RULES.has(keyword) || SCHEMA.has(keyword) || SCHEMAS.has(keyword) || SCHEMAS_BY_NAME.has(keyword)
}

/** Lists the properties of a schema that no dialect knows, and that are objects or lists: schemas may be in them. */
export function strangersIn(schema: object): [keyword: string, value: object][] {
  return Object.entries(schema).filter(([keyword, value]) => {
    const isKnown = isRule(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-')
    return !isKnown && typeof value === 'object' && value !== null
  })
}

/** The keywords whose boolean values stay booleans. */
const RULES = new Set(['items', 'additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'])

/**
 * Copies a schema, with its inner schemas mapped.
 *
 * @param map gets each direct inner schema, and the JSON pointer from the outer schema to it.
 */
export function mapSchemas(schema: JsonSchema, map: (inner: unknown, path: string) => unknown): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (SCHEMAS.has(key) && Array.isArray(value)) {
      return [key, value.map((inner, index) => map(inner, `/${key}/${index}`))]
    }
    if (SCHEMA.has(key) && !(typeof value === 'boolean' && RULES.has(key))) return [key, map(value, `/${key}`)]
    if (!SCHEMAS_BY_NAME.has(key) || typeof value !== 'object' || value === null) return [key, value]
    const inner = Object.entries(value).map(([name, one]) => [name, map(one, `/${key}/${escaped(name)}`)])
    return [key, Object.fromEntries(inner)]
  })
  return Object.fromEntries(entries)
}

/** Visits the direct inner schemas of a schema. */
export function eachSchema(schema: JsonSchema, visit: (inner: unknown, path: string) => void): void {
  mapSchemas(schema, visit)
}

/** Lists the direct inner schemas of a schema that are objects. It makes no paths, which take most of the time. */
export function innerSchemas(schema: JsonSchema): JsonSchema[] {
  const found: JsonSchema[] = []
  for (const key of Object.keys(schema)) {
    const value = schema[key]
    if (typeof value !== 'object' || value === null) continue
    if (SCHEMAS_BY_NAME.has(key)) found.push(...Object.values(value).filter(isObject))
    else if (Array.isArray(value)) found.push(...(SCHEMAS.has(key) ? value.filter(isObject) : []))
    else if (SCHEMA.has(key)) found.push(value as JsonSchema)
  }
  return found
}

/** Returns the values that a schema lists; undefined if it lists none. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}

/** Writes a name as a step of a JSON pointer in a URI fragment (RFC 6901, sections 3 and 6). */
export function escaped(name: string): string {
  // Most names have no other characters, and documents have many names.
  if (/^[\w.-]*$/.test(name)) return name
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$')
}

/** Returns the names in the steps of a JSON pointer in a URI fragment. */
export function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescaped)
}

function unescaped(step: string): string {
  if (!/[%~]/.test(step)) return step
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
