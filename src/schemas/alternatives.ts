// The kinds of values that schemas allow, which tell the branches of a union apart.
import { valuesOf } from './keywords'
import { isObject, type JsonSchema, type SchemaReading } from './model'

export { valuesOf } from './keywords'

// The JSON types as bits.
export const STRING = 1
const NUMBER = 2
const BOOLEAN = 4
const LIST = 8
export const OBJECT = 16
export const NULL = 32
const ANY = 63
const BITS: Readonly<Record<string, number>> = {
  string: STRING,
  number: NUMBER,
  integer: NUMBER,
  boolean: BOOLEAN,
  array: LIST,
  object: OBJECT,
  null: NULL,
}
/** The types whose branches the value tells apart. */
export const TYPES: readonly number[] = [STRING, NUMBER, BOOLEAN, LIST, OBJECT]

/** Returns the JSON type of a value. */
export function typeOf(value: unknown): number {
  if (typeof value === 'object') return value === null ? NULL : Array.isArray(value) ? LIST : OBJECT
  return BITS[typeof value] as number
}

/** A function that resolves a `$ref`; undefined for an unknown target. */
export type Resolve = (reference: string, from: SchemaReading) => SchemaReading | undefined

/** One kind of value that a schema allows: values of these types, and objects with these properties. */
export interface Alternative {
  readonly types: number
  readonly marks: ReadonlyMap<string, Mark>
  /** The properties that objects may have or must have, with their schemas. */
  readonly declared: ReadonlyMap<string, readonly SchemaReading[]>
  readonly required: ReadonlySet<string>
  /** `true` if objects may have properties that the schema says without their names. */
  readonly isMap: boolean
}

interface Mark {
  readonly value: unknown
  readonly isRequired: boolean
}

/** Lists the kinds of values that a schema allows, as far as types and properties with a single value distinguish them. */
export function alternativesOf(reading: SchemaReading, resolve: Resolve, outer: readonly object[] = []): Alternative[] {
  const { schema } = reading
  // A union that contains itself allows nothing more.
  if (outer.includes(schema)) return []
  const within = [...outer, schema]
  const of = (inner: SchemaReading) => alternativesOf(inner, resolve, within)
  const { $ref, allOf, anyOf, oneOf } = schema
  const target = typeof $ref === 'string' ? resolve($ref, reading) : undefined
  const conditions = [
    ...(target === undefined ? [] : [of(target)]),
    ...schemasIn(allOf, reading).map(of),
    ...[anyOf, oneOf].filter(Array.isArray).map((branches) => schemasIn(branches, reading).flatMap(of)),
  ]
  return conditions.reduce(
    (found, others) => found.flatMap((one) => others.map((other) => both(one, other))),
    [{ types: typesOf(schema), marks: marksOf(reading, resolve), ...propertiesOf(reading) }],
  )
}

/** Returns the types that a schema allows, itself and through references. */
export function typesAllowed(reading: SchemaReading, resolve: Resolve): number {
  return alternativesOf(reading, resolve).reduce((bits, { types }) => bits | types, 0)
}

/** Returns the schemas of a list as readings. */
export function schemasIn(list: unknown, { definitions }: SchemaReading): SchemaReading[] {
  return Array.isArray(list) ? list.filter(isObject).map((schema) => ({ schema, definitions })) : []
}

/** Returns the types that a schema names, or those of its values; all types if it names none. */
export function typesOf(schema: JsonSchema): number {
  const { type } = schema
  const values = valuesOf(schema)
  const named =
    type === undefined ? ANY : [type].flat().reduce((bits: number, name) => bits | (BITS[String(name)] as number), 0)
  return values === undefined ? named : named & values.reduce((bits: number, value) => bits | typeOf(value), 0)
}

function propertiesOf({ schema, definitions }: SchemaReading): Pick<Alternative, 'declared' | 'required' | 'isMap'> {
  const { properties, patternProperties, additionalProperties } = schema
  const required = new Set<string>(Array.isArray(schema.required) ? schema.required : [])
  const own = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, value]) => [name, schemasIn([value], { schema, definitions })] as const,
  )
  const needed = [...required].map((name) => [name, [] as SchemaReading[]] as const)
  const declared = new Map([...needed, ...own])
  const isMap = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  return { declared, required, isMap: isMap || isObject(patternProperties) }
}

function marksOf(reading: SchemaReading, resolve: Resolve): Map<string, Mark> {
  const { properties, required } = reading.schema
  const names = Array.isArray(required) ? required : []
  const marks = new Map<string, Mark>()
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    const values = isObject(schema) ? onlyValues({ ...reading, schema }, resolve) : undefined
    if (values?.length === 1 && !isComposed(values[0])) {
      marks.set(name, { value: values[0], isRequired: names.includes(name) })
    }
  }
  return marks
}

/** Returns the values that a schema lists, itself or through references. */
function onlyValues(reading: SchemaReading, resolve: Resolve): readonly unknown[] | undefined {
  const seen = new Set<object>()
  let current: SchemaReading | undefined = reading
  while (current !== undefined && !seen.has(current.schema)) {
    seen.add(current.schema)
    const values = valuesOf(current.schema)
    if (values !== undefined) return values
    const { $ref }: JsonSchema = current.schema
    current = typeof $ref === 'string' ? resolve($ref, current) : undefined
  }
  return undefined
}

function isComposed(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function both(one: Alternative, other: Alternative): Alternative {
  return {
    types: one.types & other.types,
    marks: new Map([...one.marks, ...other.marks]),
    declared: new Map([
      ...one.declared,
      ...[...other.declared].map(([name, all]) => [name, [...(one.declared.get(name) ?? []), ...all]] as const),
    ]),
    required: new Set([...one.required, ...other.required]),
    isMap: one.isMap || other.isMap,
  }
}

/** Tells whether no object fits both. */
export function areApart(one: Alternative, other: Alternative): boolean {
  return [...one.marks].some(([name, { value, isRequired }]) => {
    const mark = other.marks.get(name)
    return mark !== undefined && mark.value !== value && (isRequired || mark.isRequired)
  })
}

/** Lists the properties that an alternative requires, and that none of others declares. */
export function ownOf({ required }: Alternative, others: readonly Alternative[]): string[] {
  if (others.some(({ isMap }) => isMap)) return []
  return [...required].filter((name) => !others.some(({ declared }) => declared.has(name)))
}

/** Tells whether an object has the properties of an alternative. */
export function hasMarks(value: object, { marks }: Alternative): boolean {
  for (const [name, { value: wanted, isRequired }] of marks) {
    if (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] !== wanted : isRequired) return false
  }
  return true
}
