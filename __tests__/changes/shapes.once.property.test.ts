import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, type OperationChanges, shape, versionHistory } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { judgeOf } from '../support/ajv'
import { property } from '../support/property'

// A world of shapes is types, and how each shape came to be what it is. From it come schemas and steps for the package, and
// values. The oracle converts a value by walking it, without a schema: each shape in it says in `is` which one it is, and how
// often it has changed.

const NAMES = ['A', 'B', 'C', 'D'] as const
type Name = (typeof NAMES)[number]
type Json = Record<string, unknown>
type Any = (below: number) => number
type Field = readonly [name: string, type: Type]
interface Type {
  schema: Json
  value: (make: Values) => unknown
}
type Values = ReturnType<Made['values']>

const type = (schema: Json, value: Type['value']): Type => ({ schema, value })
const one = (schema: Json, ...values: unknown[]) => type(schema, (make) => make.one(values))
const [TEXT, NUMBER] = [one({ type: 'string' }, '', 'A1', 'text'), one({ type: 'integer' }, 0, 7, 99)]
const [ANY, NULL] = [one({ enum: [true, false, 'some', null] }, true, 'some', null), one({ type: 'null' }, null)]
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const schemaOf = ({ schema }: Type) => schema
const shapeOf = (name: Name) => type(ref(name), (make) => make.shape(name))
const unionOf = (keyword: string, of: Type[]) =>
  type({ [keyword]: of.map(schemaOf) }, (make) => make.inner(make.one(of)))
const nullable = (name: Name) => unionOf('anyOf', [shapeOf(name), NULL])
const listOf = (of: Type) => type({ type: 'array', items: of.schema }, (make) => make.many(() => make.inner(of)))
const tupleOf = (first: Type[], rest: Type) =>
  type({ type: 'array', prefixItems: first.map(schemaOf), items: rest.schema }, (make) =>
    make.many((index) => make.inner(first[index] ?? rest)),
  )
const mapOf = (of: Type) =>
  type({ type: 'object', additionalProperties: of.schema }, (make) =>
    make.properties(make.many(() => [make.one(['k', 'is not', '__proto__']), of])),
  )
const patternsOf = (of: Type) =>
  type({ ...mapOf(TEXT).schema, patternProperties: { '^k': of.schema } }, (make) =>
    make.properties([...make.many((index): Field => [`k${index}`, of]), ['other', TEXT]]),
  )
const objectSchema = (fields: Field[], own: Json = {}) => {
  const properties = { ...own, ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])) }
  return { type: 'object', properties, required: Object.keys(own), additionalProperties: false }
}
const objectOf = (fields: Field[]) => type(objectSchema(fields), (make) => make.some(fields))
// What tools write around a reference, and objects in parts.
const describedOf = (of: Type) => type({ description: 'Some.', allOf: [of.schema] }, (make) => make.inner(of))
const openSchema = (fields: Field[], required: string[] = []) => ({
  ...objectSchema(fields),
  required,
  additionalProperties: undefined,
})
const partsOf = (fields: Field[]) =>
  type({ allOf: [openSchema(fields.slice(1)), { allOf: [openSchema(fields.slice(0, 1))] }] }, (make) =>
    make.some(fields),
  )
const requiredOf = (keyword: string, of: Type[]) => {
  const branches = of.map((one, index): Field => [`only${index}`, one])
  return type({ [keyword]: branches.map((field) => openSchema([field], [field[0]])) }, (make) => {
    const properties = make.properties([make.one(branches)])
    return Object.keys(properties).length === 0 ? undefined : properties
  })
}
const envelopeOf = (of: Type) => type(objectSchema([], { data: of.schema }), (make) => ({ data: make.inner(of, 0) }))

const { array, constantFrom, record, subarray, tuple } = fc
const name = constantFrom(...NAMES)
const types = fc.letrec<{ type: Type; fields: Field[] }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    constantFrom(TEXT, NUMBER, ANY),
    tuple(constantFrom(shapeOf, nullable), name).map(([make, of]) => make(of)),
    tuple(constantFrom(listOf, mapOf, patternsOf), tie('type')).map(([make, of]) => make(of)),
    tuple(array(tie('type'), { minLength: 1, maxLength: 2 }), tie('type')).map((of) => tupleOf(...of)),
    tuple(constantFrom(objectOf, partsOf), tie('fields')).map(([make, of]) => make(of)),
    tie('type').map(describedOf),
    tuple(constantFrom('anyOf', 'oneOf'), array(tie('type'), { minLength: 2, maxLength: 3 })).map((of) =>
      requiredOf(...of),
    ),
    tuple(constantFrom('anyOf', 'oneOf'), subarray([...NAMES], { minLength: 1 }), subarray([0, 1, 2]), tie('type')).map(
      ([keyword, names, others, type]) => {
        const more = [TEXT, NUMBER, listOf(type)]
        return unionOf(keyword, [...names.map(shapeOf), ...others.map((index) => more[index] as Type)])
      },
    ),
  ),
  fields: fc.uniqueArray(tuple(constantFrom('a', 'b', 'constructor', 'to/string'), tie('type')), {
    selector: ([name]) => name,
    maxLength: 3,
  }),
}))

const turn = record({
  kind: constantFrom('added', 'dropped', 'renamed', 'listed'),
  at: fc.nat(2),
  name: constantFrom('u', 'v', 'x', 'y'),
  type: types.type,
})
const world = record({
  oldest: record({ A: types.fields, B: types.fields, C: types.fields, D: types.fields }),
  root: types.type,
  // With `wraps`, the operation's own steps put its bodies into an envelope in the newer version.
  changes: array(record({ shapes: fc.dictionary(name, turn), wraps: fc.nat(3).map((number) => number === 0) }), {
    minLength: 1,
    maxLength: 5,
  }),
  // A version ends behind each of so many changes.
  ends: subarray([1, 2, 3, 4]),
})
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never

/** A field before and after a change; `undefined` where it is not there. */
type Pair = readonly [older: Field | undefined, newer: Field | undefined]

function turned(fields: readonly Field[], turn: Turn | undefined): Pair[] {
  const pairs = fields.map((field): Pair => [field, field])
  if (turn === undefined || fields.some(([name]) => name === turn.name)) return pairs
  if (turn.kind === 'added') return [...pairs, [undefined, [turn.name, turn.type]]]
  const at = turn.at % Math.max(1, fields.length)
  const [name, type] = fields[at] ?? []
  if (name === undefined || type === undefined) return pairs
  const newer = { dropped: undefined, renamed: [turn.name, type], listed: [name, listOf(type)] } as const
  return pairs.with(at, [[name, type], newer[turn.kind]])
}

const byName = <Value>(make: (name: Name) => Value) =>
  Object.fromEntries(NAMES.map((name) => [name, make(name)])) as Record<Name, Value>

/** All that follows from a world: schemas and steps by the number of changes behind a version. */
class Made {
  readonly fields: Record<Name, Field[]>[]
  readonly pairs: Record<Name, Pair[]>[] = []
  readonly roots: Type[]

  constructor(readonly world: World) {
    this.fields = [world.oldest]
    this.roots = [world.root]
    for (const { shapes, wraps } of world.changes) {
      const [before, root] = [this.fields.at(-1) as World['oldest'], this.roots.at(-1) as Type]
      const pairs = byName((name) => turned(before[name], shapes[name]))
      this.pairs.push(pairs)
      this.fields.push(byName((name) => pairs[name].flatMap(([, newer]) => (newer === undefined ? [] : [newer]))))
      this.roots.push(wraps ? envelopeOf(root) : root)
    }
  }

  tag(name: Name, behind: number): string {
    return `${name}${this.world.changes.slice(0, behind).filter(({ shapes }) => shapes[name]).length}`
  }

  definition(name: Name, behind: number): Json {
    const own = { is: { const: this.tag(name, behind) }, saw: { type: 'string' } }
    return objectSchema(this.fields[behind]?.[name] as Field[], own)
  }

  /** A schema with the definitions of the shapes; by default that of the operation's bodies. */
  body(behind: number, root = (this.roots[behind] as Type).schema, own: Json = {}): Json {
    return { ...root, $defs: { ...byName((name) => this.definition(name, behind)), ...own } }
  }

  /** Builds the step of a shape over a change, in one direction. The step records the values that it sees inside. */
  step(name: Name, index: number, to: 'older' | 'newer'): (value: unknown) => unknown {
    const isNewer = to === 'newer'
    const added = this.values(index + 1, (below) => below - 1, 2, name)
    return (value) => {
      const { is: _, ...given } = value as Json
      const made: Json = {}
      for (const pair of this.pairs[index]?.[name] ?? []) {
        const [from, into] = isNewer ? pair : pair.toReversed()
        if (into === undefined) continue
        const kept = from && given[from[0]]
        if (from === undefined) made[into[0]] = added.inner(into[1])
        else if (!Object.hasOwn(given, from[0])) continue
        else if (from[1] === into[1]) made[into[0]] = kept
        else made[into[0]] = isNewer ? [kept] : (kept as unknown[])[0]
        if (made[into[0]] === undefined) delete made[into[0]]
      }
      return frozen({ is: this.tag(name, isNewer ? index + 1 : index), saw: tagsIn(given).join(), ...made })
    }
  }

  /**
   * Makes values of a version. What a step adds (`after`) lacks the shapes up to its own: it is converted too, and would not end.
   */
  values(behind: number, any: Any, depth = 0, after?: Name) {
    const inner = (of: Type, deeper = 1): unknown => of.value(this.values(behind, any, depth + deeper, after))
    const one = <One>(all: One[]) => all[any(all.length)] as One
    const many = <One>(make: (index: number) => One) => {
      const all = Array.from({ length: depth > 4 ? 0 : any(3) }, (_, index) => make(index))
      return all.some((one) => one === undefined) ? [] : all
    }
    const properties = (fields: Field[]) =>
      Object.fromEntries(fields.map(([name, of]) => [name, inner(of)]).filter(([, value]) => value !== undefined))
    const some = (fields: Field[] = []) => properties(depth > 4 ? [] : fields.filter(() => any(4) > 0))
    const shape = (name: Name) =>
      after !== undefined && name <= after
        ? undefined
        : { is: this.tag(name, behind), saw: '', ...some(this.fields[behind]?.[name]) }
    return { inner, one, many, properties, some, shape }
  }
}

/** Freezes the result of a step. A step may keep its result, and nobody else may change it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(Object.freeze(value))) frozen(one)
  return value
}

function tagOf(value: object): string | undefined {
  const { is } = value as { is?: unknown }
  return !Array.isArray(value) && typeof is === 'string' && /^[A-D]\d+$/.test(is) ? is : undefined
}

function tagsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return [tagOf(value) ?? [], ...Object.values(value).map(tagsIn)].flat()
}

/** The oracle: a value over one change, by its tags alone. */
function walked(made: Made, value: unknown, index: number, to: 'older' | 'newer'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => walked(made, one, index, to))
  const properties = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([key, one]) => [key, walked(made, one, index, to)]))
  const name = tagOf(value)?.[0] as Name | undefined
  if (name === undefined || !made.world.changes[index]?.shapes[name]) return properties(value)
  const step = made.step(name, index, to)
  return to === 'older' ? properties(step(value) as object) : step(properties(value))
}

const wrapped = (data: unknown) => ({ data })
const unwrapped = (value: unknown) => (value as { data: unknown }).data

function expected(made: Made, value: unknown, to: 'older' | 'newer', behind: number): unknown {
  const later = [...made.world.changes.entries()].slice(behind)
  return (to === 'older' ? later.toReversed() : later).reduce((current, [index, { wraps }]) => {
    if (to === 'older') return walked(made, wraps ? unwrapped(current) : current, index, to)
    const newer = walked(made, current, index, to)
    return wraps ? wrapped(newer) : newer
  }, value)
}

/** The history of a world by hand in its table, and the number of changes behind each version. */
function historyOf(made: Made) {
  const { changes, ends } = made.world
  const given = changes.map(({ shapes, wraps }, index) => {
    // Under names of their own: their roots are the shape, whatever these are.
    const side = (name: Name, behind: number) => made.body(behind, ref('Own'), { Own: made.definition(name, behind) })
    const said = (Object.keys(shapes) as Name[]).map((name): [string, OperationChanges[string]] => {
      const steps = { response: made.step(name, index, 'older'), request: made.step(name, index, 'newer') }
      return [name, shape<unknown, unknown>(side(name, index), side(name, index + 1), steps)]
    })
    const older = { body: made.body(index), response: made.body(index) }
    if (wraps) said.push(['POST thing', { request: wrapped, response: unwrapped, older }])
    return change('Some.', Object.fromEntries(said.length === 0 ? [['GET other', { query: (q) => q }]] : said))
  })
  const behind = [0, ...ends.filter((end) => end < given.length), given.length]
  const history = behind.slice(1).reduce((history, end, index) => {
    return history.version(String(index + 1), ...given.slice(behind[index], end))
  }, versionHistory('0'))
  const newest = made.body(changes.length)
  const routes = namedRoutes({ thing: '/things', other: '/other' })
  routes.describe('POST thing', { body: newest, response: newest })
  // Each shape is there, wherever else it stands.
  routes.describe('GET other', { response: { prefixItems: NAMES.map(ref), $defs: newest.$defs } })
  routes.route('thing').post(() => {})
  routes.route('other').get(() => {})
  return {
    history: history.for({ routes }),
    behind,
    documents: openapi({ scheme: HeaderVersioning, changes: history, routes }),
  }
}

const place = (part: string) => `~1things/post/${part}/content/application~1json/schema`

property(
  'shapes are converted as an oracle does that walks the value, and fit their version',
  fc.property(world, fc.infiniteStream(fc.nat()), (data, entropy) => {
    const made = new Made(data)
    const { history, behind, documents } = historyOf(made)
    const any = (below: number) => (entropy.next().value as number) % below
    const newest = data.changes.length
    // Only two versions are judged because compiling takes most of the time.
    const versions = [any(behind.length), behind.length - 1]
    const judges = new Map(versions.map((version) => [version, judgeOf(documents.document(String(version)))]))
    for (const [version, count] of behind.entries()) {
      const response = made.values(newest, any).inner(made.roots[newest] as Type, 0)
      const older = history.response('POST thing', response, String(version))
      expect(older).toEqual(expected(made, response, 'older', count))
      judges.get(version)?.(place('responses/200'), older)
      const body = made.values(count, any).inner(made.roots[count] as Type, 0)
      const newer = history.request('POST thing', body, String(version))
      expect(newer).toEqual(expected(made, body, 'newer', count))
      judges.get(version)?.(place('requestBody'), body)
      judges.get(behind.length - 1)?.(place('requestBody'), newer)
    }
  }),
)
