// The kinds of values that schemas allow, which tell the branches of a union apart.
import { listedIn, type Resolve, targetOf } from './graph'
import { partsIn, patternsIn, propertiesIn, requiredIn, unionsIn, valuesOf } from './keywords'
import { isObject, type JsonSchema, type SchemaReading } from './model'

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

/** One kind of value that a schema allows: values of these types, and objects with these properties. */
export interface Alternative {
  readonly types: number
  /** The properties with a single value. */
  readonly marks: ReadonlyMap<string, unknown>
  /** The properties that objects may have or must have, with their schemas. */
  readonly declared: ReadonlyMap<string, readonly SchemaReading[]>
  readonly required: ReadonlySet<string>
  /** `true` if objects may have properties that the schema says without their names. */
  readonly isMap: boolean
}

/** Lists the kinds of values that a schema allows, as far as types and properties with a single value distinguish them. */
export function alternativesOf(reading: SchemaReading, resolve: Resolve, outer: readonly object[] = []): Alternative[] {
  const { schema } = reading
  // A union that contains itself allows nothing more.
  if (outer.includes(schema)) return []
  const within = [...outer, schema]
  const of = (inner: JsonSchema) => alternativesOf({ ...reading, schema: inner }, resolve, within)
  const target = targetOf(reading, resolve)
  const conditions = [
    ...(target === undefined ? [] : [alternativesOf(target, resolve, within)]),
    ...partsIn(schema).map(of),
    ...unionsIn(schema).map(([, branches]) => branches.flatMap(of)),
  ]
  return conditions.reduce(
    (found, others) => found.flatMap((one) => others.map((other) => both(one, other))),
    [{ types: typesOf(schema), marks: marksOf(reading, resolve), ...namesIn(reading) }],
  )
}

/** Returns the types that a schema allows, itself and through references. */
export function typesAllowed(reading: SchemaReading, resolve: Resolve): number {
  return alternativesOf(reading, resolve).reduce((bits, { types }) => bits | types, 0)
}

/** Returns the types that a schema names, or those of its values; all types if it names none. */
export function typesOf(schema: JsonSchema): number {
  const { type } = schema
  const values = valuesOf(schema)
  const named =
    type === undefined ? ANY : [type].flat().reduce((bits: number, name) => bits | (BITS[String(name)] as number), 0)
  return values === undefined ? named : named & values.reduce((bits: number, value) => bits | typeOf(value), 0)
}

function namesIn(reading: SchemaReading): Pick<Alternative, 'declared' | 'required' | 'isMap'> {
  const { schema } = reading
  const { additionalProperties: others } = schema
  const required = new Set(requiredIn(schema))
  const declared = new Map<string, SchemaReading[]>([...required].map((name) => [name, []]))
  for (const [name, inner] of Object.entries(propertiesIn(schema))) declared.set(name, [{ ...reading, schema: inner }])
  const isMap = isObject(others) && Object.keys(others).length > 0
  return { declared, required, isMap: isMap || patternsIn(schema).length > 0 }
}

function marksOf(reading: SchemaReading, resolve: Resolve): Map<string, unknown> {
  const marks = new Map<string, unknown>()
  for (const [name, schema] of Object.entries(propertiesIn(reading.schema))) {
    const values = listedIn({ ...reading, schema }, resolve)
    if (values?.length === 1 && !isComposed(values[0])) marks.set(name, values[0])
  }
  return marks
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
  return [...one.marks].some(([name, value]) => {
    const isOther = other.marks.has(name) && other.marks.get(name) !== value
    return isOther && (one.required.has(name) || other.required.has(name))
  })
}

/** Lists the properties that an alternative requires, and that none of others declares. */
export function ownOf({ required }: Alternative, others: readonly Alternative[]): string[] {
  if (others.some(({ isMap }) => isMap)) return []
  return [...required].filter((name) => !others.some(({ declared }) => declared.has(name)))
}

/**
 * Tells whether an object has the properties of an alternative.
 *
 * @param isText `true` if all of its values are strings.
 */
export function hasMarks(value: object, { marks, required }: Alternative, isText = false): boolean {
  return [...marks].every(([name, wanted]) => {
    if (!Object.hasOwn(value, name)) return !required.has(name)
    const own = (value as Record<string, unknown>)[name]
    return own === wanted || (isText && own === String(wanted))
  })
}
