import Ajv2020 from 'ajv/dist/2020'
import Ajv04 from 'ajv-draft-04'
import { HeaderVersioning } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { faultyOf } from '../support/lint-openapi'
import { property } from '../support/property'

type Json = Record<string, unknown>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = fc.constantFrom('', 'a', 'abc')
const tag = fc.record({ label: text })

/** The kinds of properties: their schemas in the words of OpenAPI 3.0 or later, and their values. */
const KINDS = {
  text: { schema: () => ({ type: 'string', description: 'Text.' }), values: text },
  maybe: {
    schema: (isOld: boolean) => (isOld ? { type: 'string', nullable: true } : { type: ['string', 'null'] }),
    values: fc.option(text),
  },
  above: {
    schema: (isOld: boolean) => ({
      type: 'number',
      ...(isOld ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: 0 }),
    }),
    values: fc.integer({ min: 1 }),
  },
  choice: { schema: () => ({ type: 'string', enum: ['x', 'y'] }), values: fc.constantFrom('x', 'y') },
  fixed: {
    schema: (isOld: boolean) => (isOld ? { type: 'string', enum: ['z'] } : { const: 'z' }),
    values: fc.constant('z'),
  },
  tag: { schema: () => ref('Tag'), values: tag },
  tags: { schema: () => ({ type: 'array', items: ref('Tag') }), values: fc.array(tag, { maxLength: 2 }) },
  maybeTag: {
    schema: (isOld: boolean) => ({
      anyOf: [ref('Tag'), isOld ? { type: 'object', nullable: true, enum: [null] } : { type: 'null' }],
    }),
    values: fc.option(tag),
  },
} as const
type Kind = keyof typeof KINDS

interface Field {
  readonly name: string
  readonly kind: Kind | 'narrow' | 'other'
  readonly isRequired: boolean
}

/** The words of older schemas: what OpenAPI 3.0 has not. */
const OLDER: readonly [schema: Json, value: unknown][] = [
  [{ type: ['string', 'null'], const: null }, null],
  [{ type: ['integer', 'string'], minimum: 3 }, 4],
  [{ const: { a: [1] } }, { a: [1] }],
  [{ prefixItems: [{ type: 'string' }, { exclusiveMinimum: 1 }], items: false }, ['a', 2]],
  [{ type: 'null' }, null],
  [{ enum: ['a', null] }, 'a'],
  [{ type: 'object', patternProperties: { '^a': { type: 'string' } }, additionalProperties: false }, { ab: '' }],
  [
    { type: 'object', dependentRequired: { a: ['b'] }, not: { required: ['c'] } },
    { a: 1, b: 2 },
  ],
  [{ anyOf: [{ type: 'string', maxLength: 2 }, { type: 'null' }], examples: ['a'] }, 'ab'],
  [{ not: { contains: { type: 'string' } }, type: 'array' }, [1]],
  [{ if: { type: 'number' }, else: { minLength: 1 } }, 'a'],
  [{ $ref: 'Tag', description: 'A tag.' }, { label: 'a' }],
  [{ type: ['number', 'null'], exclusiveMaximum: 5, maximum: 9 }, 4.5],
]

/** A value of each kind, for bodies that lack it. */
const SAMPLES = {
  text: '',
  maybe: null,
  above: 1,
  choice: 'x',
  fixed: 'z',
  tag: { label: '' },
  tags: [],
  maybeTag: null,
  narrow: 'x',
  other: null,
} as const

const MOVES = ['renamed', 'added', 'removed', 'required', 'values'] as const
const move = fc.record({ kind: fc.constantFrom(...MOVES), pick: fc.nat() })

/** Goes from the newest fields back to the oldest, and returns the changes, the newest first. */
function changesOf(newest: readonly Field[], moves: readonly { kind: (typeof MOVES)[number]; pick: number }[]): Json[] {
  let now = newest
  return moves.flatMap(({ kind, pick }, index): Json[] => {
    const gone = `gone${index}`
    if (kind === 'removed') {
      const [schema, value] = OLDER[pick % OLDER.length] as (typeof OLDER)[number]
      now = [...now, { name: gone, kind: 'other', isRequired: true }]
      return [{ removed: { [gone]: { schema, value } } }]
    }
    const fitting = now.filter((one) => kind !== 'values' || one.kind === 'choice')
    const chosen = fitting[pick % fitting.length]
    if (chosen === undefined || (chosen.kind === 'other' && kind !== 'renamed')) return []
    const { name } = chosen
    const others = now.filter((one) => one !== chosen)
    if (kind === 'renamed') {
      now = [...others, { ...chosen, name: `${name}${index}` }]
      return [{ renamed: { [`${name}${index}`]: name } }]
    }
    if (kind === 'added') {
      now = others
      return [{ added: { [name]: SAMPLES[chosen.kind] } }]
    }
    if (kind === 'values') {
      now = [...others, { ...chosen, kind: 'narrow' }]
      return [{ values: { [name]: { y: 'x' } } }]
    }
    if (!chosen.isRequired) return []
    now = [...others, { ...chosen, isRequired: false }]
    return [{ required: { [name]: SAMPLES[chosen.kind] } }]
  })
}

const OPENAPI = ['3.0.3', '3.1.0', '3.2.0']
const model = fc.record({
  openapi: fc.constantFrom(...OPENAPI),
  kinds: fc.uniqueArray(
    fc.record({ kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])), isRequired: fc.boolean() }),
    { selector: ({ kind }) => kind, minLength: 1 },
  ),
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  place: fc.constantFrom('itself', 'list', 'inner', 'all'),
})

function documentOf(openapi: string, kinds: readonly { kind: Kind; isRequired: boolean }[], place: string): Json {
  const isOld = openapi.startsWith('3.0')
  const required = kinds.filter(({ isRequired }) => isRequired).map(({ kind }) => kind)
  const user = {
    type: 'object',
    properties: Object.fromEntries(kinds.map(({ kind }) => [kind, KINDS[kind].schema(isOld)])),
    ...(required.length === 0 ? {} : { required }),
  }
  const schema = {
    itself: ref('User'),
    list: { type: 'array', items: ref('User') },
    inner: ref('Box'),
    all: { allOf: [ref('User')] },
  }[place]
  const content = { 'application/json': { schema } }
  return {
    openapi,
    info: { title: 'A', version: '1' },
    paths: {
      '/users': {
        get: { operationId: 'users', responses: { 200: { description: '', content } } },
        put: { operationId: 'put', requestBody: { content }, responses: { 204: { description: '' } } },
      },
    },
    components: {
      schemas: {
        User: user,
        Box: { type: 'object', properties: { user: ref('User') } },
        Tag: { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] },
      },
    },
  }
}

/** Returns a test of values against the response of a document, by a validator of its dialect. */
function judgeOf(document: Json): (value: unknown) => unknown {
  const options = { strict: false, validateSchema: false, allErrors: true, discriminator: false } as const
  const ajv = String(document.openapi).startsWith('3.0') ? new Ajv04(options) : new Ajv2020(options)
  ajv.addSchema(document, 'document:')
  const $ref = 'document:#/paths/~1users/get/responses/200/content/application~1json/schema'
  const judge = ajv.compile({ $ref })
  return (value) => (judge(value) ? null : judge.errors)
}

const made: object[] = []

property(
  'each converted response fits the document of its version',
  fc.property(model, fc.gen(), ({ openapi: version, kinds, moves, place }, gen) => {
    const document = documentOf(version, kinds, place)
    const changes = changesOf(
      kinds.map(({ kind, isRequired }) => ({ name: kind, kind, isRequired })),
      moves,
    )
    let history = versionHistory('0') as VersionHistory
    for (const [index, one] of changes.toReversed().entries()) {
      history = history.version(
        String(index + 1),
        change('A change.', { User: fields(one as never) }),
      ) as VersionHistory
    }
    const options = {
      scheme: HeaderVersioning,
      defaultVersion: history.versions.at(-1),
      changes: history,
      routes: routesOf(document),
    }
    const docs = openapi(options)
    const byHand = history.for(options)
    const user: Json = {}
    for (const { kind, isRequired } of kinds)
      if (isRequired || gen(fc.boolean)) user[kind] = gen(() => KINDS[kind].values as fc.Arbitrary<unknown>)
    const value = { itself: user, list: [user], inner: { user }, all: user }[place]
    for (const name of history.versions) {
      const older = docs.document(name) as unknown as Json
      made.push(older)
      expect({ name, faults: judgeOf(older)(byHand.response('GET /users', value, name)) }).toStrictEqual({
        name,
        faults: null,
      })
    }
  }),
)

test('these documents are valid', async () => {
  expect((await faultyOf(made.slice(0, 400))).map(({ faults }) => faults)).toStrictEqual([])
})
