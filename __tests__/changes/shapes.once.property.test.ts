import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, type OperationChanges, shape, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { type OpenApiDocuments, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { property } from '../support/property'

// A world of shapes is data: types, and how each shape came to be what it is. From it come schemas and steps for the package, and
// values. The oracle converts a value by walking it, without a schema: each shape in it says in `is` which one it is, and how
// often it has changed.

const NAMES = ['A', 'B', 'C', 'D'] as const
const OTHERS = ['text', 'number', 'list'] as const
type Name = (typeof NAMES)[number]

type Type =
  | { readonly kind: 'text' | 'number' | 'any' }
  | { readonly kind: 'shape'; readonly name: Name; readonly isNullable: boolean }
  | { readonly kind: 'list' | 'map' | 'patterns' | 'envelope'; readonly of: Type }
  | { readonly kind: 'tuple'; readonly first: readonly Type[]; readonly rest: Type }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'union'; readonly keyword: 'anyOf' | 'oneOf'; readonly of: readonly Type[] }
interface Field {
  readonly name: string
  readonly type: Type
}
/** The way in which a change treats a shape. */
type Turn =
  | { readonly kind: 'added'; readonly field: Field }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'renamed' | 'listed'; readonly at: number; readonly name: string }
interface ChangeData {
  readonly shapes: ReadonlyMap<Name, Turn>
  /** True if the operation's own steps put its bodies into an envelope in the newer version. */
  readonly wraps: boolean
}
interface World {
  readonly oldest: ByName<readonly Field[]>
  readonly root: Type
  readonly changes: readonly ChangeData[]
  readonly releases: readonly number[]
}

const kinds = <Kind extends string>(...all: Kind[]) => fc.constantFrom(...all)
const shapeType = { kind: kinds('shape'), name: fc.constantFrom(...NAMES), isNullable: fc.boolean() }
const types = fc.letrec<{ type: Type; first: Type[]; fields: Field[] }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Type>({ kind: 'text' }, { kind: 'number' }, { kind: 'any' }),
    fc.record(shapeType),
    fc.record({ kind: kinds('list', 'map', 'patterns'), of: tie('type') }),
    fc.record({ kind: kinds('tuple'), first: tie('first'), rest: tie('type') }),
    fc.record({ kind: kinds('object'), fields: tie('fields') }),
    fc
      .tuple(kinds('anyOf', 'oneOf'), fc.subarray([...NAMES], { minLength: 1 }), fc.subarray([...OTHERS]), tie('type'))
      .map(([keyword, names, others, of]) => {
        const shapes = names.map((name): Type => ({ kind: 'shape', name, isNullable: false }))
        return { kind: 'union' as const, keyword, of: [...shapes, ...others.map((kind) => ({ kind, of }) as Type)] }
      }),
  ),
  first: fc.array(tie('type'), { minLength: 1, maxLength: 2 }),
  fields: fc.uniqueArray(fc.record({ name: kinds('a', 'b', 'constructor', 'to/string'), type: tie('type') }), {
    selector: ({ name }) => name,
    maxLength: 3,
  }),
}))

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.constant({ kind: 'dropped' as const }),
  fc.record({ kind: kinds('added'), field: fc.record({ name: kinds('x', 'y'), type: types.type }) }),
  fc.record({ kind: kinds('renamed', 'listed'), at: fc.nat(2), name: kinds('u', 'v') }),
)
const shapes = fc
  .tuple(fc.subarray([...NAMES]), fc.array(turn, { minLength: NAMES.length, maxLength: NAMES.length }))
  .map(([names, turns]) => new Map(names.map((name, index) => [name, turns[index] as Turn])))
const wraps = fc.nat(3).map((number) => number === 0)
const world: fc.Arbitrary<World> = fc.record({
  oldest: fc.record({ A: types.fields, B: types.fields, C: types.fields, D: types.fields }),
  root: types.type,
  changes: fc.array(fc.record({ shapes, wraps }), { minLength: 1, maxLength: 5 }),
  releases: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 5, maxLength: 5 }),
})

/** A field before and after a change; `undefined` where it is not there. */
type Pair = readonly [older: Field | undefined, newer: Field | undefined]

function turned(fields: readonly Field[], turn: Turn | undefined): readonly Pair[] {
  const pairs = fields.map((field): Pair => [field, field])
  const hasField = (named: string) => fields.some(({ name }) => name === named)
  if (turn?.kind === 'added') return hasField(turn.field.name) ? pairs : [...pairs, [undefined, turn.field]]
  const at = turn === undefined || turn.kind === 'dropped' ? fields.length - 1 : turn.at % Math.max(1, fields.length)
  const field = fields[at]
  if (turn === undefined || field === undefined) return pairs
  if (turn.kind === 'dropped') return pairs.with(at, [field, undefined])
  if (turn.kind === 'listed') return pairs.with(at, [field, { ...field, type: { kind: 'list', of: field.type } }])
  return hasField(turn.name) ? pairs : pairs.with(at, [field, { ...field, name: turn.name }])
}

type Json = Record<string, unknown>
type ByKind<Made> = { readonly [Kind in Type['kind']]: (type: Type & { readonly kind: Kind }) => Made }
const byKind = <Made>(all: ByKind<Made>, type: Type) => (all[type.kind] as (type: Type) => Made)(type)

const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const schema = (type: Type): Json => byKind(SCHEMAS, type)
const SCHEMAS: ByKind<Json> = {
  text: () => ({ type: 'string' }),
  number: () => ({ type: 'integer' }),
  any: () => ({ enum: [true, false, 'some', null] }),
  shape: ({ name, isNullable }) => (isNullable ? { anyOf: [ref(name), { type: 'null' }] } : ref(name)),
  list: ({ of }) => ({ type: 'array', items: schema(of) }),
  map: ({ of }) => ({ type: 'object', additionalProperties: schema(of) }),
  patterns: ({ of }) => ({ ...SCHEMAS.map({ kind: 'map', of: TEXT }), patternProperties: { '^k': schema(of) } }),
  envelope: ({ of }) => objectOf([], { data: schema(of) }),
  tuple: ({ first, rest }) => ({ type: 'array', prefixItems: first.map(schema), items: schema(rest) }),
  object: ({ fields }) => objectOf(fields),
  union: ({ keyword, of }) => ({ [keyword]: of.map(schema) }),
}
const TEXT: Type = { kind: 'text' }

function objectOf(fields: readonly Field[], own: Json = {}): Json {
  const properties = { ...own, ...Object.fromEntries(fields.map(({ name, type }) => [name, schema(type)])) }
  return { type: 'object', properties, required: Object.keys(own), additionalProperties: false }
}

type ByName<Value> = Readonly<Record<Name, Value>>
const byName = <Value>(make: (name: Name) => Value) =>
  Object.fromEntries(NAMES.map((name) => [name, make(name)])) as ByName<Value>

/** All that follows from a world: schemas and steps by the number of changes behind a version. */
class Made {
  readonly fields: ByName<readonly Field[]>[]
  readonly pairs: ByName<readonly Pair[]>[] = []
  readonly roots: Type[]

  constructor(readonly world: World) {
    this.fields = [world.oldest]
    this.roots = [world.root]
    for (const { shapes, wraps } of world.changes) {
      const [before, root] = [this.fields.at(-1) as World['oldest'], this.roots.at(-1) as Type]
      const pairs = byName((name) => turned(before[name], shapes.get(name)))
      this.pairs.push(pairs)
      this.fields.push(byName((name) => pairs[name].flatMap(([, newer]) => newer ?? [])))
      this.roots.push(wraps ? { kind: 'envelope', of: root } : root)
    }
  }

  tag(name: Name, behind: number): string {
    return `${name}${this.world.changes.slice(0, behind).filter(({ shapes }) => shapes.has(name)).length}`
  }

  definition(name: Name, behind: number): Json {
    const own = { is: { const: this.tag(name, behind) }, saw: { type: 'string' } }
    return objectOf(this.fields[behind]?.[name] as Field[], own)
  }

  /** A schema with the definitions of the shapes; by default that of the operation's bodies. */
  body(behind: number, root = schema(this.roots[behind] as Type), own: Json = {}): Json {
    return { ...root, $defs: { ...byName((name) => this.definition(name, behind)), ...own } }
  }

  /** Builds the step of a shape over a change, in one direction. The step records the values that it sees inside. */
  step(name: Name, index: number, to: 'older' | 'newer'): (value: unknown) => unknown {
    const isNewer = to === 'newer'
    return (value) => {
      const { is: _, ...given } = value as Json
      const members = this.pairs[index]?.[name].flatMap((pair) => {
        const [from, into] = isNewer ? pair : pair.toReversed()
        if (into === undefined) return []
        if (from === undefined) return [[into.name, this.fresh(into.type, index + 1, name)]]
        if (!Object.hasOwn(given, from.name)) return []
        const kept = given[from.name]
        if (from.type === into.type) return [[into.name, kept]]
        return [[into.name, isNewer ? [kept] : (kept as unknown[])[0]]]
      })
      const made = Object.fromEntries((members ?? []).filter(([, member]) => member !== undefined))
      return frozen({ is: this.tag(name, isNewer ? index + 1 : index), saw: tagsIn(given).join(), ...made })
    }
  }

  // Without the shapes up to `after`: what a step makes is converted too, and would not end.
  fresh(type: Type, behind: number, after: Name): unknown {
    const inner = (one: Type) => this.fresh(one, behind, after)
    const [text, object] = [() => 'some', () => ({})]
    const made: ByKind<unknown> = {
      ...{ text, any: text, map: object, patterns: object, envelope: object, object, number: () => 7, tuple: () => [] },
      shape: ({ name }) => (name > after ? { is: this.tag(name, behind), saw: '' } : undefined),
      list: ({ of }) => [inner(of)].filter((one) => one !== undefined),
      union: ({ of }) => inner(of.at(-1) as Type),
    }
    return byKind(made, type)
  }

  value(type: Type, behind: number, any: (below: number) => number, depth = 0): unknown {
    const inner = (one: Type) => this.value(one, behind, any, depth + 1)
    const many = <T>(make: () => T): T[] => (depth > 4 ? [] : Array.from({ length: any(3) }, make))
    const some = (fields: readonly Field[], own = {}) => {
      const kept = depth > 4 ? [] : fields.filter(() => any(4) > 0)
      return { ...own, ...Object.fromEntries(kept.map(({ name, type }) => [name, inner(type)])) }
    }
    const made: ByKind<unknown> = {
      text: () => ['', 'A1', 'text'][any(3)],
      number: () => any(100),
      any: () => [true, false, 'some', null][any(4)],
      shape({ name, isNullable }) {
        if (isNullable && any(4) === 0) return null
        return some(fields[name], { is: tag(name), saw: '' })
      },
      envelope: ({ of }) => ({ data: this.value(of, behind, any, depth) }),
      list: ({ of }) => many(() => inner(of)),
      map: ({ of }) => Object.fromEntries(many(() => [['k', 'is not', '__proto__'][any(3)], inner(of)])),
      patterns: ({ of }) => ({
        ...Object.fromEntries(many(() => [`k${any(3)}`, inner(of)])),
        ...(any(2) === 0 && { other: 'A1' }),
      }),
      tuple: ({ first, rest }) => many(() => undefined).map((_, index) => inner(first[index] ?? rest)),
      object: ({ fields }) => some(fields),
      union: ({ of }) => inner(of[any(of.length)] as Type),
    }
    const fields = this.fields[behind] as World['oldest']
    const tag = (name: Name) => this.tag(name, behind)
    return byKind(made, type)
  }
}

/** Freezes the result of a step. A step may keep its result, and nobody else may change it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(Object.freeze(value))) frozen(one)
  return value
}

const TAG = /^[A-D]\d+$/

function tagOf(value: object): string | undefined {
  const { is } = value as { is?: unknown }
  return !Array.isArray(value) && typeof is === 'string' && TAG.test(is) ? is : undefined
}

function tagsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return [tagOf(value) ?? [], ...Object.values(value).map(tagsIn)].flat()
}

/** The oracle: a value over one change, by its tags alone. */
function walked(made: Made, value: unknown, index: number, to: 'older' | 'newer'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => walked(made, one, index, to))
  const members = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([key, one]) => [key, walked(made, one, index, to)]))
  const name = tagOf(value)?.[0] as Name | undefined
  if (name === undefined || !made.world.changes[index]?.shapes.has(name)) return members(value)
  const step = made.step(name, index, to)
  return to === 'older' ? members(step(value) as object) : step(members(value))
}

const unwrapped = (value: unknown) => (value as { data: unknown }).data

function expected(made: Made, value: unknown, to: 'older' | 'newer', behind: number): unknown {
  const indexes = [...made.world.changes.keys()].slice(behind)
  return (to === 'older' ? indexes.toReversed() : indexes).reduce((current, index) => {
    const { wraps } = made.world.changes[index] as ChangeData
    if (to === 'older') return walked(made, wraps ? unwrapped(current) : current, index, to)
    const newer = walked(made, current, index, to)
    return wraps ? { data: newer } : newer
  }, value)
}

/** The history of a world, given to `versioning()`, and the number of changes behind each version. */
function historyOf(made: Made): { history: VersionHistory; behind: number[]; documents: OpenApiDocuments } {
  const { changes, releases } = made.world
  const given = changes.map(({ shapes, wraps }, index) => {
    // Under names of their own: their roots are the shape, whatever these are.
    const side = (name: Name, behind: number) => made.body(behind, ref('Own'), { Own: made.definition(name, behind) })
    const said = [...shapes.keys()].map((name): [string, OperationChanges[string]] => {
      const steps = { response: made.step(name, index, 'older'), request: made.step(name, index, 'newer') }
      return [name, shape<unknown, unknown>(side(name, index), side(name, index + 1), steps)]
    })
    const body = made.body(index)
    const older = { body, response: body }
    if (wraps) said.push(['POST thing', { request: (data) => ({ data }), response: unwrapped, older }])
    return change('Some.', Object.fromEntries(said.length === 0 ? [['GET other', { query: (q) => q }]] : said))
  })
  let history = versionHistory('0')
  const behind = [0]
  for (const [release, count] of releases.entries()) {
    const at = behind.at(-1) as number
    history = history.version(String(release + 1), ...given.slice(at, at + count))
    behind.push(Math.min(at + count, given.length))
  }
  const newest = made.body(changes.length)
  const routes = namedRoutes({ thing: '/things', other: '/other' })
  routes.describe('POST thing', { body: newest, response: newest })
  // Each shape is there, wherever else it stands.
  routes.describe('GET other', { response: { prefixItems: NAMES.map(ref), $defs: newest.$defs } })
  routes.route('thing').post(() => {})
  routes.route('other').get(() => {})
  // As versioning() does, it compiles the options, and binds the history to the table.
  return { history, behind, documents: openapi({ scheme: HeaderVersioning, changes: history, routes }) }
}

/** One instance, which does not judge schemas: the linter of documents does. */
const ajv = new Ajv2020({ strict: false, ownProperties: true, inlineRefs: false, validateSchema: false, meta: false })
let judges = 0

function judgeOf(document: object) {
  const key = `document${++judges}`
  ajv.addSchema(document, key)
  return (part: string) =>
    ajv.getSchema(`${key}#/paths/~1things/post/${part}/content/application~1json/schema`) as ValidateFunction
}

property(
  'shapes are converted as an oracle does that walks the value, and fit their version',
  fc.property(world, fc.infiniteStream(fc.nat()), (data, entropy) => {
    const made = new Made(data)
    const { history, behind, documents } = historyOf(made)
    const any = (below: number) => (entropy.next().value as number) % below
    const newest = data.changes.length
    // Only two versions are judged because compiling takes most of the time.
    const judged = new Map(
      [any(behind.length), behind.length - 1].map((version) => [version, judgeOf(documents.document(String(version)))]),
    )
    const expectFit = (part: string, value: unknown, version: number) => {
      const validate = judged.get(version)?.(part)
      if (judged.has(version)) expect(validate?.(value) || validate?.errors).toBe(true)
    }
    for (const [version, count] of behind.entries()) {
      const answer = made.value(made.roots[newest] as Type, newest, any)
      const older = history.response('POST thing', answer, String(version))
      expect(older).toEqual(expected(made, answer, 'older', count))
      expectFit('responses/200', older, version)
      const body = made.value(made.roots[count] as Type, count, any)
      const newer = history.request('POST thing', body, String(version))
      expect(newer).toEqual(expected(made, body, 'newer', count))
      expectFit('requestBody', body, version)
      expectFit('requestBody', newer, behind.length - 1)
    }
  }),
)
