import Ajv2020 from 'ajv/dist/2020'
import Ajv04 from 'ajv-draft-04'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { differencesOf } from '../../src/openapi/document-differences'
import { documentOf as documentWith } from '../support/documents'
import { expectValid, json, list, object, ok, ref, text } from '../support/parts'
import { property } from '../support/property'

type Json = Record<string, unknown>

const texts = fc.constantFrom('', 'a', 'abc')
const tag = fc.record({ label: texts })
const choice = { ...text, enum: ['x', 'y'] }

/** The schema of a kind of properties, in the words of OpenAPI 3.1 and, if they differ, of 3.0. */
const SCHEMAS = {
  text: [{ ...text, description: 'Text.' }],
  maybe: [{ type: ['string', 'null'] }, { ...text, nullable: true }],
  above: [
    { type: 'number', exclusiveMinimum: 0 },
    { type: 'number', minimum: 0, exclusiveMinimum: true },
  ],
  choice: [choice],
  fixed: [{ const: 'z' }, { ...text, enum: ['z'] }],
  tag: [ref('Tag')],
  tags: [list(ref('Tag'))],
  maybeTag: [
    { anyOf: [ref('Tag'), { type: 'null' }] },
    { anyOf: [ref('Tag'), { type: 'object', nullable: true, enum: [null] }] },
  ],
} satisfies Record<string, [young: object, old?: object]>
type Kind = keyof typeof SCHEMAS
const schemaOf = (kind: Kind, isOld: boolean) => SCHEMAS[kind][isOld ? SCHEMAS[kind].length - 1 : 0]

const VALUES: Record<Kind, fc.Arbitrary<unknown>> = {
  text: texts,
  maybe: fc.option(texts),
  above: fc.integer({ min: 1 }),
  choice: fc.constantFrom('x', 'y'),
  fixed: fc.constant('z'),
  tag,
  tags: fc.array(tag, { maxLength: 2 }),
  maybeTag: fc.option(tag),
}

interface Field {
  readonly name: string
  /** `narrow` and `other` are in older versions alone. */
  readonly kind: Kind | 'narrow' | 'other'
  readonly isRequired: boolean
}

/** A value of each kind, for bodies that lack it. */
const SAMPLES: Record<Field['kind'], unknown> = {
  ...{ text: '', maybe: null, above: 1, choice: 'x', fixed: 'z' },
  ...{ tag: { label: '' }, tags: [], maybeTag: null, narrow: 'x', other: null },
}

const DEPENDENT = { type: 'object', dependentRequired: { a: ['b'] }, not: { required: ['c'] } }
/** The words of older schemas: what OpenAPI 3.0 has not. */
const OLDER: readonly [schema: Json, value: unknown][] = [
  [{ type: ['string', 'null'], const: null }, null],
  [{ type: ['integer', 'string'], minimum: 3 }, 4],
  [{ const: { a: [1] } }, { a: [1] }],
  [{ prefixItems: [text, { exclusiveMinimum: 1 }], items: false }, ['a', 2]],
  [{ type: 'null' }, null],
  [{ enum: ['a', null] }, 'a'],
  [{ type: 'object', patternProperties: { '^a': text }, additionalProperties: false }, { ab: '' }],
  [DEPENDENT, { a: 1, b: 2 }],
  [{ anyOf: [{ ...text, maxLength: 2 }, { type: 'null' }], examples: ['a'] }, 'ab'],
  [{ not: { contains: text }, type: 'array' }, [1]],
  [{ if: { type: 'number' }, else: { minLength: 1 } }, 'a'],
  [{ $ref: 'Tag', description: 'A tag.' }, { label: 'a' }],
  [{ type: ['number', 'null'], exclusiveMaximum: 5, maximum: 9 }, 4.5],
]

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
    const sample = { [name]: SAMPLES[chosen.kind] }
    const others = now.filter((one) => one !== chosen)
    if (kind === 'renamed') {
      now = [...others, { ...chosen, name: `${name}${index}` }]
      return [{ renamed: { [`${name}${index}`]: name } }]
    }
    if (kind === 'added') {
      now = others
      return [{ added: sample }]
    }
    if (kind === 'values') {
      now = [...others, { ...chosen, kind: 'narrow' }]
      return [{ values: { [name]: { y: 'x' } } }]
    }
    if (!chosen.isRequired) return []
    now = [...others, { ...chosen, isRequired: false }]
    return [{ required: sample }]
  })
}

const kind = fc.constantFrom(...(Object.keys(SCHEMAS) as Kind[]))
const kinds = fc.uniqueArray(fc.record({ kind, isRequired: fc.boolean() }), {
  ...{ selector: ({ kind }) => kind, minLength: 1 },
})
const model = fc.record({
  openapi: fc.constantFrom('3.0.3', '3.1.0', '3.2.0'),
  kinds,
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  place: fc.constantFrom('itself', 'list', 'inner', 'all'),
})

function documentOf(openapi: string, kinds: readonly { kind: Kind; isRequired: boolean }[], place: string): Json {
  const required = kinds.filter(({ isRequired }) => isRequired).map(({ kind }) => kind)
  const properties = kinds.map(({ kind }) => [kind, schemaOf(kind, openapi.startsWith('3.0'))])
  const U = ref('User')
  const schema = { itself: U, list: list(U), inner: ref('Box'), all: { allOf: [U] } }[place]
  const get = { operationId: 'users', responses: { 200: ok(schema) } }
  const put = { operationId: 'put', requestBody: { content: json(schema) }, responses: { 204: { description: '' } } }
  const User = object(Object.fromEntries(properties), ...required)
  const schemas = { User, Box: object({ user: U }), Tag: object({ label: text }, 'label') }
  return documentWith({ '/users': { get, put } }, { schemas }, openapi)
}

const ajvOptions = { strict: false, validateSchema: false, discriminator: false, code: { optimize: false } } as const
/** The validators of both dialects. They are kept, because making one takes as long as compiling a document. */
const VALIDATORS = { old: new Ajv04(ajvOptions), young: new Ajv2020(ajvOptions) }

/** Validates a value against the response of a document. Returns its faults, or `null`. */
function faultsOf(value: unknown, document: Json): unknown {
  const ajv = VALIDATORS[String(document.openapi).startsWith('3.0') ? 'old' : 'young']
  ajv.addSchema(document, 'document:')
  const $ref = 'document:#/paths/~1users/get/responses/200/content/application~1json/schema'
  const judge = ajv.compile({ $ref })
  ajv.removeSchema()
  return judge(value) ? null : judge.errors
}

const made: object[] = []

property(
  'each converted response fits the document of its version',
  fc.property(model, fc.gen(), ({ openapi: version, kinds, moves, place }, gen) => {
    const newest = kinds.map(({ kind, isRequired }) => ({ name: kind, kind, isRequired }))
    const history = changesOf(newest, moves)
      .toReversed()
      .reduce<VersionHistory>((history, one, index) => {
        const next = change('A change.', { User: fields(one as never) })
        return history.version(String(index + 1), next) as VersionHistory
      }, versionHistory('0'))
    const routes = routesOf(documentOf(version, kinds, place))
    const options = { scheme: HeaderVersioning, defaultVersion: history.versions.at(-1), changes: history, routes }
    const docs = openapi(options)
    const byHand = history.for(options)
    const present = kinds.filter(({ isRequired }) => isRequired || gen(fc.boolean))
    const user = Object.fromEntries(present.map(({ kind }) => [kind, gen(() => VALUES[kind])]))
    const value = { itself: user, list: [user], inner: { user }, all: user }[place]
    for (const name of history.versions) {
      const older = docs.document(name) as unknown as Json
      made.push(older)
      const faults = faultsOf(byHand.response('GET /users', value, name), older)
      expect({ name, faults }).toStrictEqual({ name, faults: null })
    }
  }),
)

test('these documents are valid', () => expectValid(...made.slice(0, 400)))

/** A scheme that adds nothing to documents, because it does not say how clients name versions. */
class Silent extends HeaderVersioning {
  override carry(): undefined {
    return undefined
  }
}

/** The changes of the operations of the table below, beside those of `User`. */
const OPERATIONS: readonly Json[] = [
  { 'PUT /users': { status: { 200: 201 } } },
  { 'GET /users': { headers: { 'X-Total': null } } },
  { 'GET /users': { query: (query: object) => query, older: { query: object({ first: text }) } } },
  { 'GET /users': { query: (query: object) => query } },
  { 'PUT /users': { request: (body: object) => body, older: { body: object({ a: text }, 'a') } } },
  { 'PUT /users': { response: (body: object) => body, older: { response: list(text) } } },
  { 'PUT /users': { response: () => 1 } },
  { 'GET /late': 'added' },
  { 'GET /gone': 'removed' },
  { 'GET /users': { path: '/people' } },
]

const tables = fc.record({
  openapi: fc.constantFrom('3.1.1' as const, '3.2.0' as const),
  // Older schemas refer to the tag.
  kinds: kinds.map((all) => [...all.filter(({ kind }) => kind !== 'tag'), { kind: 'tag' as const, isRequired: true }]),
  moves: fc.array(move, { maxLength: 3 }),
  operations: fc.uniqueArray(fc.nat(OPERATIONS.length - 1), { maxLength: 3 }),
  place: fc.constantFrom('itself', 'list', 'inner', 'all'),
  problemDetails: fc.boolean(),
})

/** A table that describes the operations of the document of the first property, and more. */
function tableWith(kinds: Parameters<typeof documentOf>[1], place: string) {
  const { components } = documentOf('3.1.1', kinds, place) as { components: { schemas: Record<string, object> } }
  const { schemas } = JSON.parse(JSON.stringify(components).replaceAll('#/components/schemas/', '#/$defs/'))
  const U = { $ref: '#/$defs/User' }
  const own = { itself: U, list: list(U), inner: { $ref: '#/$defs/Box' }, all: { allOf: [U] } }[place]
  const schema = { ...own, $defs: schemas }
  const headers = { 'X-Total': { schema: text }, 'X-Left': { schema: text } }
  return namedRoutes({ '/users': '/users', '/late': '/late', '/gone': '/gone' }, { handlers: 'elsewhere' })
    .describe('GET /users', {
      ...{ summary: 'Users.', description: 'All.', tags: ['a', 'b'], query: object({ limit: text }, 'limit') },
      ...{ response: { 200: schema, 404: text }, operation: { responses: { 200: { headers } }, 'x-own': 1 } },
    })
    .describe('PUT /users', { deprecated: true, body: schema, response: schema })
    .describe('GET /late', { response: { 202: null } })
    .describe('GET /gone', {
      response: { '4XX': text, 200: { content: { 'text/csv': text, 'application/json': schema } } },
    })
}

property(
  'a table has the older documents that its newest one has as a given one',
  fc.property(tables, ({ openapi: version, kinds, moves, operations, place, problemDetails }) => {
    const newest = kinds.map(({ kind, isRequired }) => ({ name: kind, kind, isRequired }))
    const shapes = changesOf(newest, moves).map((one) => ({ User: fields(one as never) }))
    const changes = [...shapes, ...operations.map((index) => OPERATIONS[index])]
    const history = changes.toReversed().reduce<VersionHistory>((history, one, index) => {
      return history.version(String(index + 1), change('A change.', one as never)) as VersionHistory
    }, versionHistory('0'))
    const options = { defaultVersion: history.versions.at(-1), changes: history }
    const routes = tableWith(kinds, place)
    const settings = { openapi: version, problemDetails }
    const [today, oldest] = [Silent, HeaderVersioning].map((scheme) => {
      const docs = openapi({ ...options, scheme, routes } as never, { openapi: version })
      return docs.document(scheme === Silent ? String(history.versions.at(-1)) : '0')
    }) as [object, object]
    const given = routesOf(today, { removed: [oldest] })
    const [made, grafted] = [routes, given].map((routes) => {
      return openapi({ ...options, scheme: HeaderVersioning, routes } as never, settings)
    })
    for (const name of history.versions) {
      const [one, other] = [made?.document(name), grafted?.document(name)]
      expect({ name, differences: differencesOf(one, other) }).toStrictEqual({ name, differences: [] })
    }
  }),
)
