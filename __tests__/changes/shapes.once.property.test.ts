import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import express from 'express'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import {
  change,
  type OperationChange,
  type Shape,
  shape,
  type VersionHistory,
  versionHistory,
} from 'express-versioning/changes'
import { type OpenApiDocuments, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { property } from '../support/property'

// A world of shapes is data: types, and how each shape came to be what it is. From it come schemas and steps for the package, and
// values. The oracle converts a value by walking it, without a schema: each shape in it says in `is` which one it is, and how
// often it has changed.

const NAMES = ['A', 'B', 'C', 'D'] as const
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
  /** The fields of each shape in the oldest version. */
  readonly oldest: Readonly<Record<Name, readonly Field[]>>
  readonly root: Type
  readonly changes: readonly ChangeData[]
  /** How many changes each version has. */
  readonly releases: readonly number[]
}

const types = fc.letrec<{ type: Type; fields: Field[] }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Type>({ kind: 'text' }, { kind: 'number' }, { kind: 'any' }),
    fc.record({ kind: fc.constant('shape' as const), name: fc.constantFrom(...NAMES), isNullable: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('list' as const, 'map' as const, 'patterns' as const), of: tie('type') }),
    fc.record({
      kind: fc.constant('tuple' as const),
      first: fc.array(tie('type'), { minLength: 1, maxLength: 2 }),
      rest: tie('type'),
    }),
    fc.record({ kind: fc.constant('object' as const), fields: tie('fields') }),
    fc.record({
      kind: fc.constant('union' as const),
      keyword: fc.constantFrom('anyOf' as const, 'oneOf' as const),
      of: fc
        .tuple(
          fc.subarray([...NAMES], { minLength: 1 }),
          fc.subarray<'text' | 'number' | 'list'>(['text', 'number', 'list']),
          tie('type'),
        )
        .map(([names, others, of]) => [
          ...names.map((name): Type => ({ kind: 'shape', name, isNullable: false })),
          ...others.map((kind): Type => (kind === 'list' ? { kind, of } : { kind })),
        ]),
    }),
  ),
  fields: fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'constructor', 'to/string'), type: tie('type') }),
    {
      selector: ({ name }) => name,
      maxLength: 3,
    },
  ),
}))

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.constant({ kind: 'dropped' as const }),
  fc.record({
    kind: fc.constant('added' as const),
    field: fc.record({ name: fc.constantFrom('x', 'y'), type: types.type }),
  }),
  fc.record({
    kind: fc.constantFrom('renamed' as const, 'listed' as const),
    at: fc.nat(2),
    name: fc.constantFrom('u', 'v'),
  }),
)
const world: fc.Arbitrary<World> = fc.record({
  oldest: fc.record({ A: types.fields, B: types.fields, C: types.fields, D: types.fields }),
  root: types.type,
  changes: fc.array(
    fc.record({
      shapes: fc
        .tuple(fc.subarray([...NAMES], { minLength: 0 }), fc.tuple(turn, turn, turn, turn))
        .map(([names, turns]) => new Map(names.map((name, index) => [name, turns[index] as Turn]))),
      wraps: fc.nat(3).map((number) => number === 0),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  releases: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 5, maxLength: 5 }),
})

/** Returns the fields of a shape after a change, and their sources before it: `undefined` for new fields. */
function turned(fields: readonly Field[], turn: Turn): { fields: Field[]; from: (number | undefined)[] } {
  const kept = [...fields.keys()]
  if (turn.kind === 'added') {
    const others = fields.some(({ name }) => name === turn.field.name) ? [] : [turn.field]
    return { fields: [...fields, ...others], from: [...kept, ...others.map(() => undefined)] }
  }
  const at = turn.kind === 'dropped' ? fields.length - 1 : turn.at % Math.max(1, fields.length)
  const field = fields[at]
  if (field === undefined) return { fields: [...fields], from: kept }
  if (turn.kind === 'dropped') return { fields: fields.toSpliced(at, 1), from: kept.toSpliced(at, 1) }
  if (turn.kind === 'listed') {
    return { fields: fields.with(at, { ...field, type: { kind: 'list', of: field.type } }), from: kept }
  }
  const isTaken = fields.some(({ name }) => name === turn.name)
  return { fields: isTaken ? [...fields] : fields.with(at, { ...field, name: turn.name }), from: kept }
}

/** All that follows from a world: schemas and steps by the number of changes behind a version. */
class Made {
  readonly fields: Readonly<Record<Name, readonly Field[]>>[] = []
  readonly from: Readonly<Record<Name, readonly (number | undefined)[]>>[] = []
  readonly roots: Type[]

  constructor(readonly world: World) {
    this.fields.push(world.oldest)
    for (const { shapes } of world.changes) {
      const before = this.fields.at(-1) as Made['fields'][number]
      const each = NAMES.map((name) => {
        const own = shapes.get(name)
        return own === undefined
          ? { fields: [...before[name]], from: [...before[name].keys()] }
          : turned(before[name], own)
      })
      this.fields.push(Object.fromEntries(NAMES.map((name, index) => [name, each[index]?.fields])) as never)
      this.from.push(Object.fromEntries(NAMES.map((name, index) => [name, each[index]?.from])) as never)
    }
    this.roots = [world.root]
    for (const { wraps } of world.changes) {
      const before = this.roots.at(-1) as Type
      this.roots.push(wraps ? { kind: 'envelope', of: before } : before)
    }
  }

  tag(name: Name, behind: number): string {
    return `${name}${this.world.changes.slice(0, behind).filter(({ shapes }) => shapes.has(name)).length}`
  }

  /** @param inside true if the schema refers to shapes; false if it inlines them. */
  schema(type: Type): Record<string, unknown> {
    switch (type.kind) {
      case 'text':
        return { type: 'string' }
      case 'number':
        return { type: 'integer' }
      case 'any':
        return { enum: [true, false, 'some', null] }
      case 'shape':
        return type.isNullable
          ? { anyOf: [{ $ref: `#/$defs/${type.name}` }, { type: 'null' }] }
          : { $ref: `#/$defs/${type.name}` }
      case 'list':
        return { type: 'array', items: this.schema(type.of) }
      case 'map':
        return { type: 'object', additionalProperties: this.schema(type.of) }
      case 'patterns':
        return {
          type: 'object',
          patternProperties: { '^k': this.schema(type.of) },
          additionalProperties: { type: 'string' },
        }
      case 'envelope':
        return this.#object([], { data: this.schema(type.of) })
      case 'tuple':
        return { type: 'array', prefixItems: type.first.map((one) => this.schema(one)), items: this.schema(type.rest) }
      case 'object':
        return this.#object(type.fields)
      case 'union':
        return { [type.keyword]: type.of.map((one) => this.schema(one)) }
    }
  }

  #object(fields: readonly Field[], own: Record<string, unknown> = {}): Record<string, unknown> {
    const properties = Object.fromEntries([
      ...Object.entries(own),
      ...fields.map(({ name, type }) => [name, this.schema(type)]),
    ])
    return { type: 'object', properties, required: Object.keys(own), additionalProperties: false }
  }

  definition(name: Name, behind: number): Record<string, unknown> {
    const own = { is: { const: this.tag(name, behind) }, saw: { type: 'string' } }
    return this.#object((this.fields[behind] as Made['fields'][number])[name], own)
  }

  definitions(behind: number): Record<string, unknown> {
    return Object.fromEntries(NAMES.map((name) => [name, this.definition(name, behind)]))
  }

  /** The schema of the operation's bodies. */
  body(behind: number): Record<string, unknown> {
    return { ...this.schema(this.roots[behind] as Type), $defs: this.definitions(behind) }
  }

  /** Builds the step of a shape over a change, in one direction. The step records the values that it sees inside. */
  step(name: Name, index: number, to: 'older' | 'newer'): (value: unknown) => unknown {
    const [older, newer] = [this.fields[index], this.fields[index + 1]] as Made['fields']
    const from = (this.from[index] as Made['from'][number])[name]
    const fieldsOf = (side: Made['fields'][number] | undefined) => (side as Made['fields'][number])[name]
    return (value) => {
      const given = value as Record<string, unknown>
      const [before, after] = to === 'newer' ? [fieldsOf(older), fieldsOf(newer)] : [fieldsOf(newer), fieldsOf(older)]
      const entries = after.flatMap((field, at): [string, unknown][] => {
        const source = to === 'newer' ? from[at] : from.indexOf(at)
        const old = source === undefined ? undefined : before[source]
        if (old === undefined) {
          const made = this.fresh(field.type, index + 1, name)
          return made === undefined ? [] : [[field.name, made]]
        }
        if (!Object.hasOwn(given, old.name)) return []
        const kept = given[old.name]
        if (old.type === field.type) return [[field.name, kept]]
        if (to === 'newer') return [[field.name, [kept]]]
        const [first] = kept as unknown[]
        return first === undefined ? [] : [[field.name, first]]
      })
      const seen = tagsIn(Object.fromEntries(Object.entries(given).filter(([key]) => key !== 'is')))
      const own = { is: this.tag(name, to === 'newer' ? index + 1 : index), saw: seen.join() }
      return frozen(Object.fromEntries([...Object.entries(own), ...entries]))
    }
  }

  /**
   * A small value of a type, with shapes as they are where so many changes are behind: those alone that come after one, because
   * what a step makes is converted too, and would not end. `undefined` for none.
   */
  fresh(type: Type, behind: number, after: Name): unknown {
    switch (type.kind) {
      case 'number':
        return 7
      case 'shape':
        return type.name > after ? { is: this.tag(type.name, behind), saw: '' } : undefined
      case 'list':
        return [this.fresh(type.of, behind, after)].filter((one) => one !== undefined)
      case 'tuple':
        return []
      case 'union':
        return this.fresh(type.of.at(-1) as Type, behind, after)
      default:
        return type.kind === 'text' || type.kind === 'any' ? 'some' : {}
    }
  }

  /** Any value of a type, not too deep. */
  value(type: Type, behind: number, any: (below: number) => number, depth = 0): unknown {
    const inner = (one: Type) => this.value(one, behind, any, depth + 1)
    const many = <T>(make: () => T): T[] => (depth > 4 ? [] : Array.from({ length: any(3) }, make))
    const some = (fields: readonly Field[]) =>
      depth > 4 ? [] : fields.filter(() => any(4) > 0).map(({ name, type }): [string, unknown] => [name, inner(type)])
    switch (type.kind) {
      case 'text':
        return ['', 'A1', 'text'][any(3)]
      case 'number':
        return any(100)
      case 'any':
        return [true, false, 'some', null][any(4)]
      case 'shape': {
        if (type.isNullable && any(4) === 0) return null
        const fields = (this.fields[behind] as Made['fields'][number])[type.name]
        return Object.fromEntries([['is', this.tag(type.name, behind)], ['saw', ''], ...some(fields)])
      }
      case 'envelope':
        return { data: this.value(type.of, behind, any, depth) }
      case 'list':
        return many(() => inner(type.of))
      case 'map':
        return Object.fromEntries(many(() => [['k', 'is not', '__proto__'][any(3)], inner(type.of)]))
      case 'patterns':
        return {
          ...Object.fromEntries(many(() => [`k${any(3)}`, inner(type.of)])),
          ...(any(2) === 0 ? { other: 'A1' } : {}),
        }
      case 'tuple':
        return many(() => undefined).map((_, index) => inner(type.first[index] ?? type.rest))
      case 'object':
        return Object.fromEntries(some(type.fields))
      case 'union':
        return inner(type.of[any(type.of.length)] as Type)
    }
  }
}

/** Freezes the result of a step. A step may keep its result, and nobody else may change it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(Object.freeze(value))) frozen(one)
  return value
}

const TAG = /^[A-D]\d+$/

/** The shapes in a value, as they are tagged. */
function tagsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { is } = value as { is?: unknown }
  const own = !Array.isArray(value) && typeof is === 'string' && TAG.test(is) ? [is] : []
  return [...own, ...Object.values(value).flatMap(tagsIn)]
}

/** The oracle: a value over one change, by its tags alone. */
function walked(made: Made, value: unknown, index: number, to: 'older' | 'newer'): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => walked(made, one, index, to))
  const members = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([key, one]) => [key, walked(made, one, index, to)]))
  const { is } = value as { is?: unknown }
  const name = typeof is === 'string' && TAG.test(is) ? (is[0] as Name) : undefined
  if (name === undefined || !made.world.changes[index]?.shapes.has(name)) return members(value)
  const step = made.step(name, index, to)
  return to === 'older' ? members(step(value) as object) : step(members(value))
}

const unwrapped = (value: unknown) => (value as { data: unknown }).data

function expected(made: Made, value: unknown, to: 'older' | 'newer', behind: number): unknown {
  const indexes = [...made.world.changes.keys()].slice(behind)
  let current = value
  for (const index of to === 'older' ? indexes.toReversed() : indexes) {
    const { wraps } = made.world.changes[index] as ChangeData
    if (wraps && to === 'older') current = unwrapped(current)
    current = walked(made, current, index, to)
    if (wraps && to === 'newer') current = { data: current }
  }
  return current
}

/** The history of a world, given to `versioning()`, and the number of changes behind each version. */
function historyOf(made: Made): { history: VersionHistory; behind: number[]; documents: OpenApiDocuments } {
  const { changes, releases } = made.world
  const given = changes.map(({ shapes, wraps }, index) => {
    const said: Record<string, Shape | OperationChange> = {}
    for (const name of shapes.keys()) {
      // Under names of their own: their roots are the shape, whatever these are.
      const side = (behind: number) => ({
        $ref: '#/$defs/Own',
        $defs: { ...made.definitions(behind), Own: made.definition(name, behind) },
      })
      said[name] = shape<unknown, unknown>(side(index), side(index + 1), {
        response: made.step(name, index, 'older'),
        request: made.step(name, index, 'newer'),
      })
    }
    const body = made.body(index)
    if (wraps) {
      said['POST thing'] = {
        request: (data) => ({ data }),
        response: unwrapped,
        older: { body, response: body },
      }
    }
    return Object.keys(said).length === 0
      ? change('Nothing.', { 'GET other': { query: (q) => q } })
      : change('Some.', said)
  })
  let history = versionHistory('0')
  const behind = [0]
  let at = 0
  for (const [release, count] of releases.entries()) {
    history = history.version(String(release + 1), ...given.slice(at, at + count))
    at = Math.min(at + count, given.length)
    behind.push(at)
  }
  const newest = made.body(changes.length)
  const routes = namedRoutes({ thing: '/things', other: '/other' })
  routes.describe('POST thing', { body: newest, response: newest })
  // Each shape is there, wherever else it stands.
  const all = { prefixItems: NAMES.map((name) => ({ $ref: `#/$defs/${name}` })), $defs: newest.$defs }
  routes.describe('GET other', { response: all })
  routes.route('thing').post(express.json())
  routes.route('other').get(express.json())
  const options = { scheme: HeaderVersioning, changes: history, routes }
  // As versioning() does, it compiles the options, and binds the history to the table.
  return { history, behind, documents: openapi(options) }
}

/** One instance, which does not judge schemas: the linter of documents does. */
const ajv = new Ajv2020({ strict: false, ownProperties: true, inlineRefs: false, validateSchema: false, meta: false })
let judges = 0

/** Builds validators from the schemas of a document. */
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
