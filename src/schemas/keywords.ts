// The keywords of JSON Schema 2020-12, of its drafts and of OpenAPI: one list, and what is derived from it.
import { isObject, type JsonSchema } from './model'
import { below, escaped } from './pointers'

/** The keywords by their roles. Some have several. */
const ROLES = {
  /** They hold a schema. Elsewhere, `$ref` is data. */
  schema:
    'items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else contentSchema',
  /** They hold a list of schemas. */
  list: 'allOf anyOf oneOf prefixItems items',
  /** They hold schemas by name. */
  map: 'properties patternProperties dependentSchemas dependencies $defs definitions',
  /** They hold schemas only for references. */
  part: '$defs definitions',
  /** Their boolean values stay booleans. */
  flag: 'items additionalItems additionalProperties unevaluatedItems unevaluatedProperties',
  /** The order of their lists has no meaning. */
  set: 'type enum required',
  union: 'allOf anyOf oneOf',
  /** They lead to other schemas. */
  reference: '$ref $dynamicRef $recursiveRef',
  /** They judge values. */
  rule: 'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired format nullable',
  /** They give a schema an address. */
  address: '$schema $id $anchor $dynamicAnchor $recursiveAnchor',
  /** They are for people. Some hold values, in which nothing is a schema. */
  text: 'title description summary example examples deprecated x-sunset $comment',
  /** They tell how values are used. */
  use: 'default readOnly writeOnly',
  /** They only describe. */
  other: 'contentEncoding contentMediaType discriminator xml externalDocs id $vocabulary',
  /** They say something of the value as a whole, or of an object's properties beside those that it lists. */
  whole:
    '$ref allOf anyOf oneOf not if then else const enum dependentSchemas dependencies propertyNames minProperties maxProperties unevaluatedProperties',
  /** They lead to schemas of the same value. */
  same: '$ref allOf anyOf oneOf',
  /** The schemas in them are those of values that are there, for sure. */
  shown: '$ref properties patternProperties additionalProperties items prefixItems allOf anyOf oneOf',
} as const

type Role = keyof typeof ROLES

const KEYWORDS = Object.fromEntries(
  Object.entries(ROLES).map(([role, keywords]) => [role, new Set(keywords.split(' '))]),
) as unknown as Readonly<Record<Role, ReadonlySet<string>>>

/** Tells whether a keyword has one of some roles. */
export function isKeyword(keyword: string, ...roles: readonly Role[]): boolean {
  return roles.some((role) => KEYWORDS[role].has(keyword))
}

/** Tells whether a keyword judges values, or holds schemas. */
export function isRule(keyword: string): boolean {
  return isKeyword(keyword, 'rule', 'reference', 'schema', 'list', 'map')
}

/** Returns the first keyword because of which a schema says more than its properties; undefined if there is none. */
export function wholeIn(schema: JsonSchema): string | undefined {
  return [...KEYWORDS.whole].find((keyword) => Object.hasOwn(schema, keyword))
}

/** Lists the properties of a schema that no dialect knows, and that are objects or lists: schemas may be in them. */
export function strangersIn(schema: object): [keyword: string, value: object][] {
  return Object.entries(schema).filter(([keyword, value]) => {
    const isKnown = isRule(keyword) || isKeyword(keyword, 'address', 'text', 'use', 'other') || keyword.startsWith('x-')
    return !isKnown && typeof value === 'object' && value !== null
  })
}

/**
 * Copies a schema, with its inner schemas mapped.
 *
 * @param map gets each direct inner schema, and the JSON pointer from the outer schema to it.
 */
export function mapSchemas(schema: JsonSchema, map: (inner: unknown, path: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapped(key, value, map)]))
}

function mapped(key: string, value: unknown, map: (inner: unknown, path: string) => unknown): unknown {
  if (value === undefined) return value
  if (Array.isArray(value) && KEYWORDS.list.has(key)) {
    return value.map((inner, index) => map(inner, `/${key}/${index}`))
  }
  if (KEYWORDS.schema.has(key) && !(typeof value === 'boolean' && KEYWORDS.flag.has(key))) return map(value, `/${key}`)
  if (!KEYWORDS.map.has(key) || typeof value !== 'object' || value === null) return value
  // JSON has nothing that is undefined.
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  const inner = entries.map(([name, one]) => {
    // Draft 7 has lists of names among `dependencies`.
    const isList = Array.isArray(one) && key === 'dependencies'
    return [name, isList ? one : map(one, `/${key}/${escaped(name)}`)]
  })
  return Object.fromEntries(inner)
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
    if (KEYWORDS.map.has(key)) found.push(...Object.values(value).filter(isObject))
    else if (Array.isArray(value)) found.push(...(KEYWORDS.list.has(key) ? value.filter(isObject) : []))
    else if (KEYWORDS.schema.has(key)) found.push(value as JsonSchema)
  }
  return found
}

/** Returns the reference of a schema; undefined for none. */
export function referenceIn({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' ? $ref : undefined
}

/** Makes a schema that is a reference. */
export function referenceTo($ref: string): JsonSchema {
  return { $ref }
}

/** Returns a schema without its reference. */
export function besideReference({ $ref: _to, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/**
 * Returns the reference of a schema that is nothing else; undefined for another schema.
 *
 * @param counts tells whether a keyword beside it counts. Default: all do.
 */
export function loneReferenceIn(schema: JsonSchema, counts = (_keyword: string) => true): string | undefined {
  const isAlone = Object.keys(schema).every((key) => key === '$ref' || !counts(key))
  return isAlone ? referenceIn(schema) : undefined
}

/**
 * Copies a schema with the references at all depths mapped.
 *
 * @param map returns the reference instead of another one; undefined for none.
 */
export function mapReferences(schema: JsonSchema, map: (reference: string) => string | undefined): JsonSchema {
  const copy = mapSchemas(schema, (inner) => (isObject(inner) ? mapReferences(inner, map) : inner))
  const reference = referenceIn(copy)
  if (reference === undefined) return copy
  const $ref = map(reference)
  return $ref === undefined ? besideReference(copy) : { ...copy, $ref }
}

/** Returns the schemas of an object's properties by name. */
export function propertiesIn({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return isObject(properties) ? (properties as Record<string, JsonSchema>) : {}
}

/** Lists the schemas of properties by patterns of their names. */
export function patternsIn({ patternProperties }: JsonSchema): [source: string, schema: JsonSchema][] {
  return isObject(patternProperties) ? (Object.entries(patternProperties) as [string, JsonSchema][]) : []
}

/** Lists the properties that a schema requires. */
export function requiredIn({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required : []
}

/** Lists the schemas that the value must fit too: those of `allOf`. */
export function partsIn({ allOf }: JsonSchema): JsonSchema[] {
  return schemasIn(allOf)
}

/** Lists the schemas of the first items of a list. */
export function firstItemsIn({ prefixItems }: JsonSchema): JsonSchema[] {
  return schemasIn(prefixItems)
}

/** A keyword whose schemas are branches: the value fits one of them. */
export type Union = 'anyOf' | 'oneOf'

/** Lists the unions of a schema, each with its branches. */
export function unionsIn(schema: JsonSchema): (readonly [keyword: Union, branches: JsonSchema[]])[] {
  const keywords = (['anyOf', 'oneOf'] as const).filter((keyword) => Array.isArray(schema[keyword]))
  return keywords.map((keyword) => [keyword, branchesIn(schema, keyword)])
}

/** Lists the branches of one union of a schema. */
export function branchesIn(schema: JsonSchema, keyword: Union): JsonSchema[] {
  return schemasIn(schema[keyword])
}

/** The schema of a part of a value: its key in the value, or a pattern of keys; and the pointer of the schema. */
interface Content {
  readonly key: string
  readonly schema: JsonSchema
  readonly path: string
}

/** The schemas of the parts of a value: of properties, of properties by patterns, and of items. */
export interface Contents {
  readonly named: readonly Content[]
  readonly matched: readonly Content[]
  /** The schema of the properties that have no other. */
  readonly others: Content | undefined
  readonly first: readonly Content[]
  /** The schema of the items behind the first ones. */
  readonly rest: Content | undefined
}

/** Returns the schemas of the parts of a value. */
export function contentsIn(schema: JsonSchema): Contents {
  const { additionalProperties, items } = schema
  const content = (keyword: string, inner: unknown, ...key: string[]): Content[] =>
    isObject(inner) ? [{ key: key.join(''), schema: inner, path: below('', keyword, ...key) }] : []
  return {
    named: Object.entries(propertiesIn(schema)).flatMap(([name, one]) => content('properties', one, name)),
    matched: patternsIn(schema).flatMap(([source, one]) => content('patternProperties', one, source)),
    others: content('additionalProperties', additionalProperties)[0],
    first: firstItemsIn(schema).flatMap((one, index) => content('prefixItems', one, String(index))),
    rest: content('items', items)[0],
  }
}

function schemasIn(list: unknown): JsonSchema[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Returns the values that a schema lists; undefined if it lists none. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}
