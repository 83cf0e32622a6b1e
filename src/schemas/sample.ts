// The sample body for a schema, for examples.
import type { Schema } from '../types'
import { type Definitions, DescribedNames, type Source } from './definitions'
import { targetOf } from './graph'
import { partsIn, propertiesIn, requiredIn, unionsIn } from './keywords'
import { type Direction, isObject, type JsonSchema } from './model'
import { readSchema } from './reading'

/** The limit of nested schemas. */
const DEPTH = 16

/**
 * Makes a body that a schema accepts, where that is easy: its example, else the required properties of an object.
 *
 * @param definitions the definitions of the request's version.
 * @returns `{}` for a schema without rules.
 * @throws {Error} from {@link readSchema}.
 */
export function sampleOf(schema: Schema, definitions: Definitions): unknown {
  return sampleFor(schema, definitions, 'input', requiredOf) ?? {}
}

/**
 * Makes an example of a body: the schema's own, else one with all properties, and lists of one item.
 *
 * @param direction that of a response is `output`.
 * @returns undefined for a schema without rules.
 * @throws {Error} from {@link readSchema}.
 */
export function exampleOf(schema: Schema, definitions: Definitions, direction: Direction): unknown {
  const oneSided = direction === 'input' ? 'readOnly' : 'writeOnly'
  let depth = 0
  let left = OBJECTS
  const whole: Part = (schema, inner) => {
    // The schemas of large documents lead to each other, by ways without number.
    if (left <= 0) return {}
    left--
    const needed = requiredIn(schema)
    const all = Object.entries(propertiesIn(schema)).filter(
      ([name, one]) => Object(one)[oneSided] !== true && (depth < WHOLE || needed.includes(name)),
    )
    depth++
    const made = all.map(([name, one]) => [name, inner(one)] as const)
    depth--
    return Object.fromEntries(made.filter(([, value]) => value !== undefined))
  }
  return sampleFor(schema, definitions, direction, whole)
}

/** The depth behind which the objects of examples have their required properties alone. */
const WHOLE = 3
/** The most objects in an example. Those behind them are empty. */
const OBJECTS = 200

/** Makes the sample of an object. */
type Part = (schema: JsonSchema, inner: (schema: unknown) => unknown) => object

function sampleFor(schema: Schema, definitions: Definitions, direction: Direction, part: Part): unknown {
  const reading = readSchema(schema, direction)
  const context = { reading, direction, definitions, hint: '' } as const
  return sampleIn({ schema: reading.schema, context }, new DescribedNames(), [], part)
}

/**
 * Makes the sample of an inner schema.
 *
 * @returns `undefined` for a schema without rules, and for one that contains itself.
 */
function sampleIn(source: Source, names: DescribedNames, around: readonly JsonSchema[], part: Part): unknown {
  const { context } = source
  if (around.includes(source.schema) || around.length > DEPTH) return undefined
  const schema = names.inVersion(source)
  const given = givenBy(schema)
  if (given !== undefined) return given
  const inside = [...around, source.schema]
  const inner = (one: unknown) => (isObject(one) ? sampleIn({ schema: one, context }, names, inside, part) : undefined)
  const target = targetOf<Source>({ schema, context }, (reference, from) => names.targetOf(reference, from.context))
  if (target !== undefined) return sampleIn(target, names, inside, part)
  const [union] = unionsIn(schema)
  if (union !== undefined) return union[1].map(inner).find((sample) => sample !== undefined && sample !== null) ?? null
  const all = [ofType(schema, inner, part), ...partsIn(schema).map(inner)]
  const parts = all.length === 1 ? all : all.filter((part) => part !== undefined)
  return parts.every(isObject) ? Object.assign({}, ...parts) : parts[0]
}

function givenBy({ example, examples, const: only, enum: choices, default: preset }: JsonSchema): unknown {
  const [first, choice] = [examples, choices].map((list) => (Array.isArray(list) ? list[0] : undefined))
  return [example, first, only, preset, choice].find((value) => value !== undefined)
}

/** The sample strings of common formats. */
const TEXTS: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'a@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
}

function ofType(schema: JsonSchema, inner: (schema: unknown) => unknown, part: Part): unknown {
  const { type, format, minLength, minimum, exclusiveMinimum, items, minItems } = schema
  const types = Array.isArray(type) ? type : [type ?? (isObject(schema.properties) ? 'object' : undefined)]
  switch (types.find((one) => one !== 'null') ?? types[0]) {
    case 'object':
      return part(schema, inner)
    case 'array': {
      const item = Number(minItems) > 0 || part !== requiredOf ? inner(items) : undefined
      return item === undefined ? [] : [item]
    }
    case 'string':
      return TEXTS[String(format)] ?? 'text'.padEnd(Math.min(Number(minLength) || 0, 100), '.')
    case 'number':
    case 'integer':
      return typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return undefined
  }
}

function requiredOf(schema: JsonSchema, inner: (schema: unknown) => unknown): object {
  const all = propertiesIn(schema)
  const names = requiredIn(schema).filter((name) => Object.hasOwn(all, name))
  return Object.fromEntries(names.map((name) => [name, inner(all[name])]))
}
