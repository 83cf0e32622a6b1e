// Random values of schemas, made by fast-check.
import type * as FastCheck from 'fast-check'
import { isObject, type JsonSchema } from '../schemas/model'
import type { ClosedSchema } from './closed'

type Values = FastCheck.Arbitrary<unknown>

/** The depth behind which only the required parts of values are made. */
const DEPTH = 3

/** The ways to make a string of a format (JSON Schema Validation 2020-12, section 7.3). */
const FORMATS: Readonly<Record<string, (fc: typeof FastCheck) => Values>> = {
  'date-time': (fc) => dates(fc).map((date) => date.toISOString()),
  date: (fc) => dates(fc).map((date) => date.toISOString().slice(0, 10)),
  time: (fc) => dates(fc).map((date) => date.toISOString().slice(11)),
  email: (fc) => fc.emailAddress(),
  hostname: (fc) => fc.domain(),
  ipv4: (fc) => fc.ipV4(),
  ipv6: (fc) => fc.ipV6(),
  uri: (fc) => fc.webUrl(),
  'uri-reference': (fc) => fc.webPath(),
  uuid: (fc) => fc.uuid(),
}

function dates(fc: typeof FastCheck) {
  return fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
}

/** Makes values that mostly fit a schema. A validator judges them: keywords such as `not` are not followed. */
export function valuesOf(fc: typeof FastCheck, { $defs, ...root }: ClosedSchema): Values {
  const resolved = (schema: JsonSchema): JsonSchema => {
    const { $ref, ...rest } = schema
    const target = typeof $ref === 'string' ? $defs[$ref.slice('#/$defs/'.length)] : undefined
    return target === undefined ? rest : both(resolved(target), rest)
  }

  const make = (given: JsonSchema, depth: number): Values => {
    const { allOf, ...schema } = resolved(given)
    if (Array.isArray(allOf)) return make(allOf.filter(isObject).map(resolved).reduce(both, schema), depth)
    if (Object.hasOwn(schema, 'const')) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    for (const keyword of ['oneOf', 'anyOf']) {
      const { [keyword]: branches, ...base } = schema
      if (!Array.isArray(branches)) continue
      const all = branches.filter(isObject).map((branch) => both(base, resolved(branch)))
      // Behind the depth, one branch is enough: one that ends, if there is any.
      const chosen = depth > DEPTH ? [all.find(isSimple) ?? (all[0] as JsonSchema)] : all
      return fc.oneof(...chosen.map((branch) => make(branch, depth)))
    }
    // Nothing fits a schema that contains itself in any case. The validator rejects this value.
    if (depth > DEPTH * 4) return fc.constant(null)
    const types = schema.type === undefined ? impliedBy(schema) : [schema.type].flat()
    return fc.oneof(...types.map((type) => ofType(String(type), schema, depth)))
  }

  const ofType = (type: string, schema: JsonSchema, depth: number): Values => {
    if (type === 'string') return texts(fc, schema)
    if (type === 'number' || type === 'integer') return numbers(fc, type, schema)
    if (type === 'boolean') return fc.boolean()
    if (type === 'array') return lists(schema, depth + 1)
    if (type === 'object') return objects(schema, depth + 1)
    return fc.constant(null)
  }

  const lists = ({ prefixItems, items, minItems, maxItems, uniqueItems }: JsonSchema, depth: number): Values => {
    const first = Array.isArray(prefixItems) ? prefixItems.filter(isObject).map((item) => make(item, depth)) : []
    const least = Math.max(0, numberOr(minItems, 0) - first.length)
    const most = depth > DEPTH ? least : Math.max(least, Math.min(numberOr(maxItems, 3) - first.length, least + 3))
    if (items === false || most === 0) return fc.tuple(...first)
    const size = { minLength: least, maxLength: most }
    const item = isObject(items) ? make(items, depth) : fc.jsonValue({ maxDepth: 0 })
    const selector = (value: unknown) => JSON.stringify(value)
    const rest = uniqueItems === true ? fc.uniqueArray(item, { ...size, selector }) : fc.array(item, size)
    return fc.tuple(fc.tuple(...first), rest).map(([start, others]) => [...start, ...others])
  }

  const objects = ({ properties, required, additionalProperties }: JsonSchema, depth: number): Values => {
    const needed = Array.isArray(required) ? required : []
    const listed = Object.entries(isObject(properties) ? (properties as Record<string, JsonSchema>) : {})
    const made = listed.filter(([name]) => depth <= DEPTH || needed.includes(name))
    const missing = needed.filter((name) => !listed.some(([other]) => other === name))
    const other = isObject(additionalProperties) ? make(additionalProperties, depth) : fc.jsonValue({ maxDepth: 0 })
    const valuesByName = new Map<string, Values>([
      ...made.map(([name, schema]) => [name, make(schema, depth)] as const),
      ...missing.map((name) => [name, other] as const),
    ])
    const own = fc
      .tuple(
        ...[...valuesByName].map(([name, values]) =>
          needed.includes(name) ? values : fc.option(values, { nil: GONE }),
        ),
      )
      .map((all) =>
        Object.fromEntries(
          [...valuesByName.keys()].map((name, at) => [name, all[at]]).filter(([, value]) => value !== GONE),
        ),
      )
    if (!isObject(additionalProperties) || depth > DEPTH) return own
    const others = fc.dictionary(fc.string({ maxLength: 5 }), make(additionalProperties, depth), { maxKeys: 2 })
    return fc.tuple(others, own).map(([more, all]) => ({ ...more, ...all }))
  }

  return make(root, 0)
}

/** A property that is left out. */
const GONE = Symbol('gone')

/** Joins two schemas of one value, as far as values are made of them. */
function both(one: JsonSchema, other: JsonSchema): JsonSchema {
  const [properties, others] = [one.properties, other.properties].map((own) => (isObject(own) ? own : {}))
  const required = [one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : []))
  const allOf = [one.allOf, other.allOf].flatMap((schemas) => (Array.isArray(schemas) ? schemas : []))
  const joined = { ...one, ...other, properties: { ...properties, ...others }, required }
  const { properties: all, ...rest } = joined
  const listed = Object.keys(all).length === 0 ? rest : joined
  return allOf.length === 0 ? listed : { ...listed, allOf }
}

/** Tells whether a schema's values have no parts. */
function isSimple({ type, const: only, enum: all }: JsonSchema): boolean {
  if (only !== undefined || all !== undefined) return true
  return type !== undefined && ![type].flat().some((one) => one === 'object' || one === 'array')
}

function impliedBy(schema: JsonSchema): string[] {
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword))
  if (has('properties', 'required', 'additionalProperties')) return ['object']
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return ['array']
  if (has('pattern', 'minLength', 'maxLength', 'format')) return ['string']
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return ['number']
  return ['string', 'integer', 'boolean', 'null']
}

function texts(fc: typeof FastCheck, { format, pattern, minLength, maxLength }: JsonSchema): Values {
  if (typeof pattern === 'string') {
    try {
      return fc.stringMatching(new RegExp(pattern))
    } catch {
      // fast-check does not know all of the syntax. The validator picks the strings that fit.
    }
  }
  const made = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (made !== undefined) return made(fc)
  const least = numberOr(minLength, 0)
  return fc.string({ minLength: least, maxLength: Math.min(numberOr(maxLength, least + 10), least + 10) })
}

function numbers(fc: typeof FastCheck, type: 'number' | 'integer', schema: JsonSchema): Values {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const min = numberOr(exclusiveMinimum, numberOr(minimum, -1000))
  const max = numberOr(exclusiveMaximum, numberOr(maximum, Math.max(min, 0) + 1000))
  const step = numberOr(multipleOf, 1)
  const [first, last] = [Math.ceil(min / step), Math.floor(max / step)]
  const whole = fc.integer({ min: first, max: Math.max(first, last) }).map((count) => count * step)
  if (type === 'integer' || multipleOf !== undefined) return whole
  // The validator rejects a limit that does not belong to the values.
  return fc.oneof(fc.double({ min, max, noNaN: true }), whole)
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other
}
