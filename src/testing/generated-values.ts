// Random values of schemas, made by fast-check.
import type * as FastCheck from 'fast-check'
import { type ClosedSchema, openedSchema } from '../schemas/closed'
import { resolveOwn, wholeOf } from '../schemas/graph'
import {
  besideReference,
  contentsIn,
  valuesOf as listedIn,
  propertiesIn,
  requiredIn,
  unionsIn,
} from '../schemas/keywords'
import type { JsonSchema } from '../schemas/model'

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
export function valuesOf(fc: typeof FastCheck, root: ClosedSchema): Values {
  const { schema: start, definitions } = openedSchema(root)
  /** Joins the schemas that all hold for a value. */
  const joined = (schema: JsonSchema): JsonSchema =>
    wholeOf({ schema, definitions }, resolveOwn)
      .map(({ schema: { allOf: _parts, ...own } }) => besideReference(own))
      .reduceRight(both)

  const make = (given: JsonSchema, depth: number): Values => {
    const schema = joined(given)
    const listed = listedIn(schema)
    if (listed !== undefined) return fc.constantFrom(...listed)
    for (const [keyword, branches] of unionsIn(schema).toReversed()) {
      const { [keyword]: _union, ...base } = schema
      const all = branches.map((branch) => both(base, joined(branch)))
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

  const lists = (schema: JsonSchema, depth: number): Values => {
    const { items, minItems, maxItems, uniqueItems } = schema
    const contents = contentsIn(schema)
    const first = contents.first.map((item) => make(item.schema, depth))
    const least = Math.max(0, numberOr(minItems, 0) - first.length)
    const most = depth > DEPTH ? least : Math.max(least, Math.min(numberOr(maxItems, 3) - first.length, least + 3))
    if (items === false || most === 0) return fc.tuple(...first)
    const size = { minLength: least, maxLength: most }
    const item = contents.rest ? make(contents.rest.schema, depth) : fc.jsonValue({ maxDepth: 0 })
    const selector = (value: unknown) => JSON.stringify(value)
    const rest = uniqueItems === true ? fc.uniqueArray(item, { ...size, selector }) : fc.array(item, size)
    return fc.tuple(fc.tuple(...first), rest).map(([start, others]) => [...start, ...others])
  }

  const objects = (schema: JsonSchema, depth: number): Values => {
    const needed = requiredIn(schema)
    const { named, others: rest } = contentsIn(schema)
    const made = named.filter(({ key }) => depth <= DEPTH || needed.includes(key))
    const missing = needed.filter((name) => !named.some(({ key }) => key === name))
    const other = rest ? make(rest.schema, depth) : fc.jsonValue({ maxDepth: 0 })
    const valuesByName = new Map<string, Values>([
      ...made.map(({ key, schema: inner }) => [key, make(inner, depth)] as const),
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
    if (rest === undefined || depth > DEPTH) return own
    const others = fc.dictionary(fc.string({ maxLength: 5 }), make(rest.schema, depth), { maxKeys: 2 })
    return fc.tuple(others, own).map(([more, all]) => ({ ...more, ...all }))
  }

  return make(start, 0)
}

/** A property that is left out. */
const GONE = Symbol('gone')

/** Joins two schemas of one value, as far as values are made of them. */
function both(one: JsonSchema, other: JsonSchema): JsonSchema {
  const properties = { ...propertiesIn(one), ...propertiesIn(other) }
  const required = [...requiredIn(one), ...requiredIn(other)]
  const joined = { ...one, ...other, required }
  return Object.keys(properties).length === 0 ? joined : { ...joined, properties }
}

/** Tells whether a schema's values have no parts. */
function isSimple({ type, const: only, enum: all }: JsonSchema): boolean {
  if (only !== undefined || all !== undefined) return true
  return type !== undefined && ![type].flat().some((one) => one === 'object' || one === 'array')
}

function impliedBy(schema: JsonSchema): string[] {
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword))
  if (has('properties', 'required', 'additionalProperties')) return ['object']
  const { first, rest } = contentsIn(schema)
  if (first.length > 0 || rest !== undefined || has('minItems', 'maxItems')) return ['array']
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
