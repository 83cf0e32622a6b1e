import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import {
  change,
  events,
  type FieldChanges,
  fields,
  type OperationChange,
  shape,
  versionHistory,
} from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { checkHistory, type HistoryProblem } from 'express-versioning/testing'
import fc from 'fast-check'
import { valuesOf } from '../../src/testing/values'
import { Ajv } from '../support/ajv'
import { historyOf, tableOf } from '../support/changes'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
})
const Article = { $id: 'Article', ...object({ id: { type: 'integer' }, title: text, language: text }) }
const Patch = { ...Article, $id: 'ArticlePatch', required: [] }
const end = () => {}

function optionsOf(changes: VersioningOptions['changes'], own: object = {}): VersioningOptions {
  const routes = tableOf()
  routes
    .describe('GET user-list', { response: { type: 'array', items: Article } })
    .describe('PUT user-detail', { body: Article, response: Article })
    .describe('PATCH user-detail', { body: Patch, response: { 204: null } })
    .describe('POST user-list', { body: null, response: null })
    .describe('GET other', {
      query: { type: 'object', properties: { page: { type: 'integer' } } },
      response: { 200: object({ a: { type: 'integer' } }), 409: object({ code: text }) },
      ...own,
    })
    .describe('DELETE other', { response: { 204: null } })
    .describe('PUT other', { body: object({ a: { type: 'integer' } }), response: null })
  routes.route('user-list').get(end).post(end)
  routes.route('user-detail').put(end).patch(end)
  routes.route('other').get(end).delete(end).put(end)
  return { scheme: HeaderVersioning, changes, routes }
}
const check = (...changes: ReturnType<typeof change>[]) => checkHistory(optionsOf(historyOf(changes)), { runs: 50 })
const brief = ({ kind, shape, operation, direction, path, value, got }: HistoryProblem) =>
  [kind, shape ?? operation, direction, path.join('/'), JSON.stringify(value), JSON.stringify(got)].join(' ')

const titled = fields({ renamed: { name: 'title' } })
const spoken = fields({ added: { language: 'en' } })

test('the steps of items are tried, and may drop items', async () => {
  const itemSchema = events({ created: Article, deleted: object({ id: { type: 'integer' } }) })
  const content = { 'text/event-stream': { itemSchema } }
  type Event = { event: string; data: { id: number; title?: string } }
  const trying = (item: (event: Event) => unknown) =>
    checkHistory(
      optionsOf(historyOf([change('Events.', { 'GET other': { item, older: { item: events({ new: Article }) } } })]), {
        response: { 200: { content } },
      }),
      { runs: 50 },
    )
  expect(await trying((event) => (event.event === 'created' ? { ...event, event: 'new' } : null))).toEqual([])
  const [problem, ...others] = await trying((event) => ({ ...event, event: 'new' }))
  expect(others).toEqual([])
  expect(problem).toMatchObject({
    kind: 'misfit',
    operation: 'GET other',
    direction: 'response',
    value: { event: 'deleted', data: { id: 0 } },
  })
})

test('a history without mistakes has no problems', async () => {
  const clean = change('Titles.', { Article: titled, ArticlePatch: titled })
  const older = { query: object({ p: { type: 'integer' } }), response: object({ b: { type: 'integer' } }) }
  const operation = change('Names.', {
    'GET other': {
      query: ({ p }: { p: string }) => ({ page: p }),
      response: ({ a }: { a: number }) => ({ b: a }),
      older,
    },
    'DELETE other': {
      status: { 204: 200 },
      response: (nothing) => ({ is: String(nothing) }),
      older: { response: object({ is: { const: 'undefined' } }) },
    },
    'POST user-list': { headers: { 'X-Y': null } },
  })
  expect(await check(clean, operation)).toEqual([])
  expect(await checkHistory(optionsOf(versionHistory('v1')))).toEqual([])
})

test('what a full PUT erases, and what is known to be lost', async () => {
  const options = optionsOf(
    historyOf([change('Languages.', { Article: spoken, ArticlePatch: fields({ added: ['language'] }) })]),
  )
  const [problem, ...others] = await checkHistory(options)
  expect([others, problem]).toEqual([
    [],
    {
      kind: 'lost',
      change: 'Languages.',
      version: 'v1',
      shape: 'Article',
      direction: 'response',
      path: ['language'],
      value: { id: 0, title: '', language: '' },
      got: 'en',
      message: 'loses "language" when a client sends back as a whole what it got',
    },
  ])
  expect(await checkHistory(options)).toEqual([problem])
  expect(await checkHistory(options, { lossy: { Article: ['language'] } })).toEqual([])
})

const list = { type: 'array', items: { enum: ['a', 'b'] } }
const never = { ...list, minItems: 1 }
const contact = { ...object({ mail: text, fax: text }), required: ['mail', 'fax'] }
test.each<[given: FieldChanges, newer: object, problems: string[]]>([
  [{ required: { phone: 'none' } }, object({ phone: text }), []],
  [{ optional: { email: '' } }, { ...object({ id: text, email: text }), required: ['id'] }, []],
  [{ optional: { email: () => 7 } }, { ...object({ id: text, email: text }), required: ['id'] }, ['misfit email']],
  [{ renamedValues: { tier: { c: 'a' } } }, object({ tier: { enum: ['a', 'b'] } }), []],
  [{ removedValues: { tier: { c: 'a' } } }, object({ tier: { enum: ['a', 'b'] } }), []],
  [{ removedValues: { tier: { c: () => 'd' } } }, object({ tier: { enum: ['a', 'b'] } }), ['misfit tier']],
  [{ listed: { tag: 'tags' } }, object({ tags: never }), ['lost tags']],
  [{ listed: { tag: 'tags' } }, object({ tags: list }), ['throws ', 'lost tags']],
  [{ nested: { contact: ['mail', 'fax'] } }, { ...object({ contact }), required: [] }, []],
])('check knows what fields() says: %j of %j', async (given, newer, problems) => {
  const routes = tableOf()
  const Thing = { $id: 'Thing', ...newer }
  routes.describe('PUT other', { body: Thing, response: Thing } as never)
  routes.route('other').put(end)
  const changes = historyOf([change('X.', { Thing: fields(given) })])
  const found = await checkHistory({ scheme: HeaderVersioning, changes, routes })
  expect(found.map(({ kind, path }) => `${kind} ${path.join('/')}`)).toEqual(problems)
})

const failing = (error: unknown) => () => {
  throw error
}
const older = { response: object({ b: { type: 'integer' } }) }
const toB = (made: (a: number) => unknown) => ({ response: ({ a }: { a: number }) => ({ b: made(a) }), older })
const threw = 'throws GET other response  {"a":0} '
const query: OperationChange = {
  query: ({ p }: { p: unknown }) => ({ page: p === '0' ? 'x' : '1' }),
  older: { query: object({ p: { const: 0 } }) },
}
const STEPS: [string, OperationChange, string][] = [
  ['throws', { response: failing(new Error('no')), older }, threw],
  ['gives no JSON', { response: () => undefined as never, older }, threw],
  ['gives a promise', { response: async () => ({}), older }, threw],
  ['throws text', { response: failing('no'), older }, threw],
  ['does not fit', toB(() => 'x'), 'misfit GET other response b {"a":0} "x"'],
  ['is not the same twice', toB(() => counter++), 'unstable GET other response  {"a":0} {"b":N}'],
  ['has no older schema', { query: (query) => query }, 'untried GET other request   '],
  ['has no newer schema', { response: () => ({}) }, 'untried PUT other response   '],
  ['is of queries', query, 'misfit GET other request page {"p":"0"} "x"'],
  [
    'is of errors',
    { error: () => 7, older: { error: { 409: object({}) } } },
    'misfit GET other response  {"code":""} 7',
  ],
  ['fails for other values', toB((a) => (a > 5 ? 'x' : a)), 'misfit GET other response b {"a":6} "x"'],
]
let counter = 0
test.each(STEPS)('a step that %s', async (what, step, expected) => {
  const operation = what === 'has no newer schema' ? 'PUT other' : 'GET other'
  const found = (await check(change('C.', { [operation]: step }))).map(brief)
  expect(found.map((problem) => problem.replace(/"b":\d+/, '"b":N'))).toEqual([expected])
})

const inError = ({ error }: { error?: unknown }) => ({ error })
const PROBLEM = '{"type":"","title":"","status":0,"detail":"","code":""}'
const Fault = { $id: 'Fault', type: 'object', properties: { code: text, more: text } }
test.each<[what: string, operation: string, step: OperationChange, ...expected: string[]]>([
  ['of a described one', 'GET other', { error: inError }, 'empty GET other response  {"code":""} {}'],
  ['of a named one', 'DELETE other', { error: inError }, 'empty DELETE other response  {"code":"","more":""} {}'],
  ['of one that nobody described', 'PUT other', { error: inError }, `empty PUT other response  ${PROBLEM} {}`],
  [
    'not when properties that may be missing are',
    'DELETE other',
    { error: ({ code }: { code?: string }) => ({ code }) },
  ],
  ['not when it throws', 'PUT other', { error: ({ error }: { error: { code: string } }) => ({ code: error.code }) }],
  ['not when it keeps some', 'PUT other', { error: ({ title }: { title: string }) => ({ error: title }) }],
  ['not when it makes a string', 'PUT other', { error: () => 'x' }],
])('an error step that makes an empty object of an error: %s', async (_, operation, step, ...expected) => {
  const options = optionsOf(historyOf([change('C.', { [operation]: step })]))
  ;(options.routes as ReturnType<typeof tableOf>).describe('DELETE other', { response: { 204: null, 409: Fault } })
  expect((await checkHistory(options, { runs: 50 })).map(brief)).toEqual(expected)
})

test('a step for all errors is tried once for each pair of schemas', async () => {
  const all = change('Errors.', { '*': { error: () => 'x', older: { error: object({}) } } })
  const problems = await check(all)
  expect(problems.map(brief)).toEqual(['misfit * response  {"code":""} "x"'])
})

test('a shape of a document that is in no body is tried in responses alone', async () => {
  const content = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Shop', version: '2' } },
    paths: {
      '/orders': {
        post: { requestBody: content('NewOrder'), responses: { 200: { description: '', ...content('Order') } } },
      },
    },
    components: { schemas: { Order: object({ total: text }), NewOrder: object({ item: text }) } },
  }
  const total = { schema: { type: 'integer' }, response: Number }
  const changes = historyOf([change('Totals.', { Order: fields({ converted: { total } }) })])
  const problems = await checkHistory({ scheme: HeaderVersioning, changes, routes: routesOf(document) }, { runs: 20 })
  expect(problems.map(({ direction }) => direction)).not.toContain('request')
})

test('a partial body gets no properties that nobody sent', async () => {
  const request = (article: object) => ({ language: 'en', ...article })
  const older = { ...Patch, properties: { id: { type: 'integer' }, title: text } }
  const history = historyOf([
    change('C.', { ArticlePatch: shape<object, object>(older as never, Patch as never, { request }) }),
    change('D.', {
      'PATCH user-detail': {
        request: (body: object) => ({ ...body, title: 't' }),
        older: { body: { type: 'object' } },
      },
    }),
  ])
  const problems = await checkHistory(optionsOf(history), { runs: 20 })
  expect(problems.map(brief)).toEqual([
    'partial ArticlePatch request language {} "en"',
    'partial PATCH user-detail request title {} "t"',
  ])
})

test('a step sees the shapes inside as the newer version has them; a schema without values is not tried', async () => {
  const Author = { $id: 'Author', ...object({ given: text }) }
  const Post = { $id: 'Post', ...object({ author: Author, posts: { type: 'array', items: { $ref: '#' } } }) }
  const AuthorV1 = object({ name: text })
  const PostV1 = object({ by: { $ref: 'Author' }, posts: { type: 'array', items: { $ref: 'Post' } } })
  const routes = tableOf()
  routes.describe('GET other', { response: Post }).describe('GET user-list', { response: { not: {} } })
  routes.route('other').get(end)
  routes.route('user-list').get(end)
  const author = shape<object, { given: string }>(AuthorV1 as never, Author as never, {
    response: ({ given }) => ({ name: given }),
  })
  const post = shape<object, { author: { given: string }; posts: object[] }>(PostV1 as never, Post as never, {
    response: ({ author, posts }) => ({
      by: { given: author.given.slice(0) },
      posts: posts.map((one) => ({ ...one })),
    }),
  })
  const impossible = { 'GET user-list': { response: () => ({}), older: { response: {} } } }
  const history = historyOf([change('C.', { Author: author, Post: post }), change('D.', impossible)])
  const problems = await checkHistory({ scheme: HeaderVersioning, changes: history, routes })
  expect(problems.map(brief)).toEqual(['untried GET user-list response   '])
})

test('schemas may contain themselves, and refer to nobody', async () => {
  const list = {
    type: 'object',
    properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, who: { $ref: 'Nobody' } },
  }
  const endless = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  const older = { response: { type: 'object' } }
  const step = change('C.', { 'GET other': { response: (value) => value, older } })
  const checked = (response: object) => checkHistory(optionsOf(historyOf([step]), { response }), { runs: 9 })
  expect([await checked(list), (await checked(endless)).map(brief)]).toEqual([[], ['untried GET other response   ']])
})

test('only properties of bodies that an old client can send back are looked for', async () => {
  const older = object({ title: { type: 'string', minLength: 1 } })
  const response = ({ title }: { title: string }) => {
    if (title === '') throw new Error('empty')
    return title.length > 3 ? 'long' : title === 'a' ? { title: '' } : { title, more: 1 }
  }
  const request = ({ title }: { title: string }) => {
    if (title.length > 2) throw new Error('long')
    return { id: 1, title, language: 'en' }
  }
  const odd = shape<object | string, { title: string }>(
    older as never,
    Article as never,
    { response, request } as never,
  )
  const kinds = (await check(change('C.', { Article: odd }))).map(({ kind, path }) => [kind, ...path].join(' '))
  expect(new Set(kinds)).toEqual(new Set(['throws', 'misfit', 'lost id', 'lost language']))
})

test('a side that lists no properties, and a response without an older schema', async () => {
  const Mapped = { $id: 'Article', type: 'object', additionalProperties: text }
  const mapped = shape<object, object>(
    Mapped as never,
    Article as never,
    {
      response: ({ id, ...article }: { id?: number }) => article,
      request: (article: object) => ({ id: 1, title: 't', language: 'en', ...article }),
    } as never,
  )
  const zero = '{"id":0,"title":"","language":""}'
  const kinds = (await check(change('C.', { Article: mapped, 'GET other': { response: (value) => value } }))).map(brief)
  const lost = ['id ZERO 1', 'title ZERO "t"', 'language ZERO "en"']
  expect(kinds).toEqual(lost.map((text) => `lost Article response ${text.replace('ZERO', zero)}`))
})

test('lists in queries are strings too', async () => {
  const older = { query: object({ ids: { type: 'array', items: { type: 'integer' }, minItems: 1 } }) }
  const query = ({ ids }: { ids: unknown[] }) => ({ page: ids.every((id) => typeof id === 'string') ? 1 : 'x' })
  expect(await check(change('C.', { 'GET other': { query, older } }))).toEqual([])
})

test.each<[string, object, object]>([
  ['checkHistory(): option "runs" takes a whole number above 0; got 0.', {}, { runs: 0 }],
  ['checkHistory(): option "seed" takes a whole number; got 1.5.', {}, { seed: 1.5 }],
  ['checkHistory(): unknown option "run".', {}, { run: 1 }],
  ['checkHistory() needs the options "changes" and "routes" of versioning().', { changes: undefined }, {}],
  ['option "lossy" speaks of the shape "Articel", which no change has. Did you mean', {}, { lossy: { Articel: [] } }],
  [`option "lossy.Article" takes a list of properties; got 'language'.`, {}, { lossy: { Article: 'language' } }],
])('%s', async (message, own, settings) => {
  const options = { ...optionsOf(historyOf([change('C.', { Article: titled })])), ...own }
  await expect(checkHistory(options, settings)).rejects.toThrow(message)
})

test('a missing package is named', async () => {
  jest.resetModules()
  jest.doMock('fast-check', () => {
    throw new Error('Cannot find module')
  })
  const fresh: typeof import('express-versioning/testing') = require('express-versioning/testing')
  const own: typeof import('express-versioning/changes') = require('express-versioning/changes')
  const { HeaderVersioning: scheme, namedRoutes }: typeof import('express-versioning') = require('express-versioning')
  const options = { scheme, routes: namedRoutes({ a: '/a' }), changes: own.versionHistory('v1') }
  const message = 'checkHistory() needs two packages beside this one: npm install --save-dev fast-check ajv'
  await expect(fresh.checkHistory(options)).rejects.toThrow(message)
})

const SCHEMAS: object[] = [
  { const: [1] },
  { enum: ['a', 2, null] },
  { type: ['string', 'null'], minLength: 2, maxLength: 40 },
  { pattern: '^a+$' },
  ...['date-time', 'date', 'time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid', 'other'].map(
    (format) => ({ format }),
  ),
  { type: 'integer', minimum: 3, maximum: 5 },
  { type: 'number', exclusiveMinimum: 0.5, maximum: 1 },
  { multipleOf: 0.5 },
  { type: 'boolean' },
  { items: { type: 'integer' }, minItems: 1, uniqueItems: true },
  { prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false },
  { prefixItems: [{ type: 'string' }], maxItems: 2 },
  { type: 'object', required: ['any'], additionalProperties: { type: 'integer' } },
  { properties: { a: { type: 'string' }, b: { $ref: '#/$defs/S' } }, required: ['a'] },
  { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }] },
  { anyOf: [{ type: 'string' }, { allOf: [{ type: 'integer' }, { minimum: 1 }] }] },
  { $ref: '#/$defs/S', required: ['deep'] },
  { oneOf: [{ type: 'null' }, { $ref: '#/$defs/S' }] },
  { $ref: '#/$defs/Tree' },
  { $ref: '#/$defs/Deep' },
  {},
]
const $defs = {
  S: { type: 'object', properties: { deep: { type: 'array', items: { $ref: '#/$defs/S' } } } },
  Deep: {
    anyOf: [{ items: { $ref: '#/$defs/Deep' }, type: 'array' }, object({ a: { $ref: '#/$defs/Deep' } })],
  },
  Tree: { ...object({ next: { anyOf: [{ $ref: '#/$defs/Tree' }, { const: 'end' }] } }) },
}
test.each(SCHEMAS.map((schema) => [JSON.stringify(schema), schema]))('values of %s fit it', (_text, schema) => {
  const ajv = new Ajv({ validateFormats: false })
  const validate = ajv.compile({ ...(schema as object), $defs })
  const made = fc.sample(valuesOf(fc as never, { ...(schema as object), $defs }), { numRuns: 60, seed: 7 })
  const odd = made.filter((value) => !validate(JSON.parse(JSON.stringify(value))))
  expect(odd.length).toBeLessThan(made.length / 4)
})
