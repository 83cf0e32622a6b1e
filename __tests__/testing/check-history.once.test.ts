import { HeaderVersioning, namedRoutes, type VersioningOptions } from 'express-versioning'
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
import { valuesOf } from '../../src/testing/generated-values'
import { Ajv } from '../support/ajv'
import { historyOf, tableOf } from '../support/changes'
import { documentOf } from '../support/documents'

const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
})
const Article = { $id: 'Article', ...object({ id: integer, title: text, language: text }) }
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
      query: { type: 'object', properties: { page: integer } },
      response: { 200: object({ a: integer }), 409: object({ code: text }) },
      ...own,
    })
    .describe('DELETE other', { response: { 204: null } })
    .describe('PUT other', { body: object({ a: integer }), response: null })
  routes.route('user-list').get(end).post(end)
  routes.route('user-detail').put(end).patch(end)
  routes.route('other').get(end).delete(end).put(end)
  return { scheme: HeaderVersioning, changes, routes }
}
const check = (...changes: ReturnType<typeof change>[]) => checkHistory(optionsOf(historyOf(changes)), { runs: 50 })
const brief = ({ kind, shape, operation, direction, path, value, got }: HistoryProblem) =>
  [kind, shape ?? operation, direction, path.join('/'), JSON.stringify(value), JSON.stringify(got)].join(' ')

/** A shape, of which TypeScript asks nothing. */
const shapeOf = shape as unknown as (older: object, newer: object, steps: object) => never
const titled = fields({ renamed: { name: 'title' } })
const spoken = fields({ added: { language: 'en' } })

test('the steps of items are tried, and may drop items', async () => {
  const itemSchema = events({ created: Article, deleted: object({ id: integer }) })
  const content = { 'text/event-stream': { itemSchema } }
  type Event = { event: string; data: { id: number; title?: string } }
  const trying = (item: (event: Event) => unknown) => {
    const changed = change('Events.', { 'GET other': { item, older: { item: events({ new: Article }) } } })
    return checkHistory(optionsOf(historyOf([changed]), { response: { 200: { content } } }), { runs: 50 })
  }
  expect(await trying((event) => (event.event === 'created' ? { ...event, event: 'new' } : null))).toEqual([])
  const [problem, ...others] = await trying((event) => ({ ...event, event: 'new' }))
  expect(others).toEqual([])
  expect(brief(problem as HistoryProblem)).toMatch(
    /^misfit GET other response .*\{"event":"deleted","data":\{"id":0\}\}/,
  )
})

test('a history without mistakes has no problems', async () => {
  const clean = change('Titles.', { Article: titled, ArticlePatch: titled })
  const older = { query: object({ p: integer }), response: object({ b: integer }) }
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
  const patched = fields({ added: ['language'] })
  const options = optionsOf(historyOf([change('Languages.', { Article: spoken, ArticlePatch: patched })]))
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
let counter = 0
const older = { response: object({ b: integer }) }
const toB = (made: (a: number) => unknown) => ({ response: ({ a }: { a: number }) => ({ b: made(a) }), older })
const threw = 'throws GET other response  {"a":0} '
const paged = (query: (value: never) => object, p: object): OperationChange => ({
  query: query as never,
  older: { query: object({ p }) },
})
const page = paged(({ p }: { p: unknown }) => ({ page: p === '0' ? 'x' : '1' }), { const: 0 })
const areTexts = ({ p }: { p: unknown[] }) => ({ page: p.every((one) => typeof one === 'string') ? 1 : 'x' })
const numbers = { type: 'array', items: integer, minItems: 1 }
const errors = (made: unknown, older = {}): OperationChange => ({ error: () => made as never, ...older })
const toX = errors('x', { older: { error: object({}) } })
const to7 = errors(7, { older: { error: { 409: object({}) } } })
const inError = { error: ({ error }: { error?: unknown }) => ({ error }) }
const toCode = { error: ({ code }: { code?: string }) => ({ code }) }
const toInner = { error: ({ error }: { error: { code: string } }) => ({ code: error.code }) }
const toTitle = { error: ({ title }: { title: string }) => ({ error: title }) }
const PROBLEM = '{"type":"","title":"","status":0,"detail":"","code":""}'
const Fault = { $id: 'Fault', type: 'object', properties: { code: text, more: text } }
test('a shape that is in bodies alone has no mistakes in responses', async () => {
  const Raft = { $id: 'Raft', type: 'object', properties: { logs: integer }, required: ['logs'] }
  const older = { type: 'object', properties: { stems: integer }, required: ['stems'] }
  const changes = versionHistory('v1').version(
    'v2',
    change('Logs.', {
      Raft: shape<{ stems: number }, { logs: number }>(older, Raft, {
        request: ({ stems }) => ({ logs: stems }),
        response: failing(new Error('no')) as never,
      }),
    }),
  )
  const routes = namedRoutes({ rafts: '/rafts' }).describe('POST rafts', { body: Raft, response: { 204: null } })
  routes.route('rafts').post((_req, res) => void res.end())
  expect(await checkHistory({ scheme: HeaderVersioning, changes, routes })).toEqual([])
  routes.route('rafts').get((_req, res) => void res.end())
  routes.describe('GET rafts', { response: Raft })
  expect(await checkHistory({ scheme: HeaderVersioning, changes, routes })).toMatchObject([{ kind: 'throws' }])
})

test.each<[what: string, operation: string, step: OperationChange, ...expected: string[]]>([
  ['throws', 'GET other', { response: failing(new Error('no')), older }, threw],
  ['gives no JSON', 'GET other', { response: () => undefined as never, older }, threw],
  ['gives a promise', 'GET other', { response: async () => ({}), older }, threw],
  ['throws text', 'GET other', { response: failing('no'), older }, threw],
  ['does not fit', 'GET other', toB(() => 'x'), 'misfit GET other response b {"a":0} "x"'],
  ['is not the same twice', 'GET other', toB(() => counter++), 'unstable GET other response  {"a":0} {"b":N}'],
  ['has no older schema', 'GET other', { query: (query) => query }, 'untried GET other request   '],
  ['has no newer schema', 'PUT other', { response: () => ({}) }, 'untried PUT other response   '],
  ['is of queries', 'GET other', page, 'misfit GET other request page {"p":"0"} "x"'],
  ['is of queries, whose lists are strings too', 'GET other', paged(areTexts, numbers)],
  ['is of errors', 'GET other', to7, 'misfit GET other response  {"code":""} 7'],
  ['is of all errors, once for each pair of schemas', '*', toX, 'misfit * response  {"code":""} "x"'],
  ['fails for other values', 'GET other', toB((a) => (a > 5 ? 'x' : a)), 'misfit GET other response b {"a":6} "x"'],
  ['empties a described error', 'GET other', inError, 'empty GET other response  {"code":""} {}'],
  ['empties a named error', 'DELETE other', inError, 'empty DELETE other response  {"code":"","more":""} {}'],
  ['empties an error that nobody described', 'PUT other', inError, `empty PUT other response  ${PROBLEM} {}`],
  ['empties an error whose properties may be missing', 'DELETE other', toCode],
  ['throws where there is no inner error', 'PUT other', toInner],
  ['keeps some of an error', 'PUT other', toTitle],
  ['makes a string of an error', 'PUT other', errors('x')],
])('a step that %s', async (_what, operation, step, ...expected) => {
  const options = optionsOf(historyOf([change('C.', { [operation]: step })]))
  const routes = options.routes as ReturnType<typeof tableOf>
  if (operation === 'DELETE other') routes.describe('DELETE other', { response: { 204: null, 409: Fault } })
  const found = (await checkHistory(options, { runs: 50 })).map(brief)
  expect(found.map((problem) => problem.replace(/"b":\d+/, '"b":N'))).toEqual(expected)
})

test('a shape of a document that is in no body is tried in responses alone', async () => {
  const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
  const responses = { 200: { description: '', content: json('Order') } }
  const document = documentOf(
    { '/orders': { post: { requestBody: { content: json('NewOrder') }, responses } } },
    { schemas: { Order: object({ total: text }), NewOrder: object({ item: text }) } },
  )
  const total = { schema: integer, response: Number }
  const changes = historyOf([change('Totals.', { Order: fields({ converted: { total } }) })])
  const problems = await checkHistory({ scheme: HeaderVersioning, changes, routes: routesOf(document) }, { runs: 20 })
  expect(problems.map(({ direction }) => direction)).not.toContain('request')
})

test('a partial body gets no properties that nobody sent', async () => {
  const request = (article: object) => ({ language: 'en', ...article })
  const toTitled = (body: object) => ({ ...body, title: 't' })
  const older = { ...Patch, properties: { id: integer, title: text } }
  const history = historyOf([
    change('C.', { ArticlePatch: shapeOf(older, Patch, { request }) }),
    change('D.', { 'PATCH user-detail': { request: toTitled, older: { body: { type: 'object' } } } }),
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
  const author = shapeOf(AuthorV1, Author, { response: ({ given }: { given: string }) => ({ name: given }) })
  const post = shapeOf(PostV1, Post, {
    response: ({ author, posts }: { author: { given: string }; posts: object[] }) => ({
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
  const odd = shapeOf(older, Article, { response, request })
  const kinds = (await check(change('C.', { Article: odd }))).map(({ kind, path }) => [kind, ...path].join(' '))
  expect(new Set(kinds)).toEqual(new Set(['throws', 'misfit', 'lost id', 'lost language']))
})

test('a side that lists no properties, and a response without an older schema', async () => {
  const Mapped = { $id: 'Article', type: 'object', additionalProperties: text }
  const mapped = shapeOf(Mapped, Article, {
    response: ({ id, ...article }: { id?: number }) => article,
    request: (article: object) => ({ id: 1, title: 't', language: 'en', ...article }),
  })
  const zero = '{"id":0,"title":"","language":""}'
  const kinds = (await check(change('C.', { Article: mapped, 'GET other': { response: (value) => value } }))).map(brief)
  const lost = ['id ZERO 1', 'title ZERO "t"', 'language ZERO "en"']
  expect(kinds).toEqual(lost.map((text) => `lost Article response ${text.replace('ZERO', zero)}`))
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

test.each<[what: string, mock: () => object, message: string]>([
  [
    'missing',
    () => {
      throw new Error('Cannot find module')
    },
    'checkHistory() needs two packages beside this one: npm install --save-dev fast-check ajv. It takes fast-check 4 and Ajv 8.',
  ],
  [
    'of another major',
    () => ({ __version: '3.23.2' }),
    'checkHistory() takes fast-check 4 and Ajv 8; got fast-check 3.23.2.',
  ],
])('a package that is %s is named', async (_, mock, message) => {
  jest.resetModules()
  jest.doMock('fast-check', mock)
  const fresh: typeof import('express-versioning/testing') = require('express-versioning/testing')
  const options = { scheme: HeaderVersioning, routes: namedRoutes({ a: '/a' }), changes: versionHistory('v1') }
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
  { items: integer, minItems: 1, uniqueItems: true },
  { prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false },
  { prefixItems: [{ type: 'string' }], maxItems: 2 },
  { type: 'object', required: ['any'], additionalProperties: integer },
  { properties: { a: { type: 'string' }, b: { $ref: '#/$defs/S' } }, required: ['a'] },
  { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }] },
  { anyOf: [{ type: 'string' }, { allOf: [integer, { minimum: 1 }] }] },
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
