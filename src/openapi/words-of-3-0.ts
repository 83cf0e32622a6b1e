// The words of OpenAPI 3.0 as JSON Schema 2020-12 has them, and back.

import { isRule, referenceIn } from '../schemas/keywords'
import { isObject, type JsonSchema } from '../schemas/model'

export const NULL: JsonSchema = { type: 'null' }

/**
 * Allows `null` beside what a schema allows. Many documents say `nullable` beside `allOf` or a reference, where OpenAPI 3.0.3 gives it
 * no meaning; they mean it.
 */
export function orNull(schema: JsonSchema): JsonSchema {
  if (isWrapped({ ...schema, nullable: true })) return { anyOf: [schema, NULL] }
  const { type, enum: values, const: only, anyOf, ...others } = schema
  const listed = only === undefined ? values : [only]
  return {
    ...others,
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, NULL] } : {}),
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(listed) ? { enum: [...new Set([...listed, null])] } : {}),
  }
}

/** Tells whether the schema that is read for a given one is a union of it and `null`, at `/anyOf/0`. */
export function isWrapped(given: unknown): boolean {
  if (!isObject(given) || given.nullable !== true || given.anyOf !== undefined) return false
  return [referenceIn(given), given.allOf, given.oneOf].some((part) => part !== undefined)
}

/** Tells whether a given schema says itself that it allows `null`. */
export function allowsNull(given: unknown): boolean {
  return isObject(given) && (given.nullable === true || (Array.isArray(given.type) && given.type.includes('null')))
}

/** Tells whether a branch of a union says nothing but `nullable`: generators write `null` so. */
export function isNullAlone(given: unknown): boolean {
  return (
    isObject(given) && given.nullable === true && Object.keys(given).every((key) => key === 'nullable' || !isRule(key))
  )
}

/** Returns exclusive bounds as JSON Schema has them: in OpenAPI 3.0, they are `true` beside the bound. */
export function withBounds(schema: JsonSchema): JsonSchema {
  const found: Record<string, unknown> = { ...schema }
  for (const [bound, open] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[open] !== 'boolean') continue
    const isOpen = schema[open] && typeof schema[bound] === 'number'
    if (isOpen) found[open] = schema[bound]
    else delete found[open]
    if (isOpen) delete found[bound]
  }
  return found
}

type Mutable = Record<string, unknown>

/** The schema of `null`. OpenAPI 3.0 has no such type. */
export const NULL_OF_3_0: JsonSchema = { type: 'object', nullable: true, enum: [null] }

/** The keywords that OpenAPI 3.0 has as JSON Schema has them. */
const KEPT = new Set(
  'title description default format multipleOf maximum minimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum discriminator readOnly writeOnly xml externalDocs example deprecated'.split(
    ' ',
  ),
)

/** The keywords that only loosen a schema if they are left out, but tighten the `not` around it. */
const LOST = new Set(
  'contains minContains maxContains propertyNames if then else dependentSchemas dependencies unevaluatedItems unevaluatedProperties prefixItems patternProperties'.split(
    ' ',
  ),
)

/** Writes a schema of JSON Schema 2020-12 in the words of OpenAPI 3.0. Parts that `isWritten` are in these words already. */
export function inOldWords(schema: unknown, isWritten: (schema: object) => boolean): unknown {
  if (!isObject(schema) || isWritten(schema)) return schema
  const inner = (one: unknown) => inOldWords(one, isWritten)
  const list = (all: unknown) => (Array.isArray(all) ? all.map(inner) : [])
  const { $ref, ...others } = schema
  if (typeof $ref === 'string') {
    const beside = inOldWords(others, isWritten) as Mutable
    // Nothing counts beside a reference.
    if (Object.keys(beside).length === 0) return { $ref }
    const { allOf = [], ...rest } = beside
    return { ...rest, allOf: [{ $ref }, ...(allOf as unknown[])] }
  }
  const made: Mutable = {}
  const all: unknown[] = list(schema.allOf)
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword) || keyword.startsWith('x-')) made[keyword] = value
  }
  if (isObject(schema.properties)) {
    made.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, inner(one)]))
  }
  for (const keyword of ['anyOf', 'oneOf']) if (Array.isArray(schema[keyword])) made[keyword] = list(schema[keyword])
  if (schema.not !== undefined && !isLost(schema.not)) made.not = inner(schema.not)
  if (Array.isArray(schema.examples) && made.example === undefined && schema.examples.length > 0) {
    made.example = schema.examples[0]
  }
  addBounds(schema, made)
  addItems(schema, made, inner, list)
  if (schema.additionalProperties !== undefined && schema.patternProperties === undefined) {
    const { additionalProperties: other } = schema
    made.additionalProperties = typeof other === 'boolean' ? other : inner(other)
  }
  all.push(...needsOf(schema))
  addType(schema, made, all)
  if (all.length > 0) made.allOf = all
  return made
}

/** Tells whether a schema loses a rule, at any depth: its negation must not be written. */
function isLost(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(isLost)
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([keyword, value]) => LOST.has(keyword) || isLost(value))
}

/** Writes bounds: an exclusive one is `true` beside the bound. */
function addBounds(schema: JsonSchema, made: Mutable): void {
  for (const [bound, open, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [closed, limit] = [schema[bound], schema[open]]
    if (typeof limit !== 'number') continue
    // The narrower bound counts.
    if (typeof closed === 'number' && closed * sign > limit * sign) continue
    made[bound] = limit
    made[open] = true
  }
}

/** Writes the items of lists. Those of a tuple may be in any order. */
function addItems(
  { type, items, prefixItems }: JsonSchema,
  made: Mutable,
  inner: (one: unknown) => unknown,
  list: (all: unknown) => unknown[],
): void {
  const first = list(prefixItems)
  if (first.length === 0) {
    if (items === false) made.maxItems = 0
    // Every schema of a list has it.
    if (items !== undefined || [type].flat().includes('array')) {
      made.items = typeof items === 'boolean' || items === undefined ? {} : inner(items)
    }
    return
  }
  if (items === false) made.maxItems = Math.min(first.length, ...[made.maxItems ?? first.length].map(Number))
  const others = items === false ? [] : [items === undefined || items === true ? {} : inner(items)]
  const every = [...first, ...others]
  made.items = every.length === 1 ? every[0] : { anyOf: every }
}

/** Writes that properties need others. */
function needsOf({ dependentRequired }: JsonSchema): unknown[] {
  return Object.entries(isObject(dependentRequired) ? dependentRequired : {}).map(([name, needed]) => ({
    anyOf: [{ not: { required: [name] } }, { required: [name, ...[needed].flat()] }],
  }))
}

/** Writes the types and the values. There is one type, and `null` is beside it. */
function addType(schema: JsonSchema, made: Mutable, all: unknown[]): void {
  if (Object.hasOwn(schema, 'const')) made.enum = [schema.const]
  const types = [schema.type].flat().filter((type) => type !== undefined)
  const values = made.enum as readonly unknown[] | undefined
  const others = types.filter((type) => type !== 'null')
  const isNullable = others.length < types.length
  if (types.length === 0) {
    // A value of `null` needs a type beside `nullable`.
    if (values?.includes(null)) allowNull(made, all, values)
    return
  }
  if (others.length === 0) Object.assign(made, NULL_OF_3_0)
  else if (others.length === 1) {
    made.type = others[0]
    if (isNullable) made.nullable = true
  } else {
    const [first, ...rest] = others.map((type) => (type === 'array' ? { type, items: {} } : { type }))
    all.push({ anyOf: [isNullable ? { ...first, nullable: true } : first, ...rest] })
  }
}

/** Writes values of which one is `null`, without a type. */
function allowNull(made: Mutable, all: unknown[], values: readonly unknown[]): void {
  const others = values.filter((value) => value !== null)
  delete made.enum
  all.push(others.length === 0 ? NULL_OF_3_0 : { anyOf: [{ enum: others }, NULL_OF_3_0] })
}
