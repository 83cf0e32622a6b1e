// Streams in documents: the items as each version has them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AcceptHeaderVersioning, HeaderVersioning, namedRoutes, type Schema, versioning } from 'express-versioning'
import { change, convertRequest, events, fields, versionHistory } from 'express-versioning/changes'
import { type OpenApiOptions, openapi, routesOf } from 'express-versioning/openapi'
import { parse } from 'yaml'
import { differencesOf, differenceText } from '../../src/openapi/document-differences'
import { documentOf as documentWith } from '../support/documents'
import { expectValid, type Json, json, named, object, ref, renaming, text } from '../support/parts'
import { serve } from '../support/serve'
import { respond } from '../support/tables'

const Order = { $id: 'Order', ...named('title') }
const gone = object({ id: text }, 'id')
const Gone = { $id: 'Gone', ...gone }
const SSE = 'text/event-stream'
const JSONL = 'application/jsonl'
const LINES = ['application/x-ndjson', JSONL, 'application/json-seq']
const feed = events({ created: Order, deleted: Gone })
const oldFeed = events({ new: Order, deleted: Gone })
/** A media type whose items have a schema. */
const of = (type: string, itemSchema: unknown) => ({ [type]: { itemSchema } })
const linesOf = (itemSchema: unknown) => Object.assign({}, ...LINES.map((type) => of(type, itemSchema)))
const renamed = renaming('Order', 'name', 'title')
const history = versionHistory('v1').version('v2', renamed)
const VERSIONS = [
  ['v1', 'name'],
  ['v2', 'title'],
] as const
const data = (schema: object) => ({ ...text, contentMediaType: 'application/json', contentSchema: schema })
const event = (name: string, schema: string) =>
  object({ event: { const: name }, data: data(ref(schema)) }, 'event', 'data')
const FEED = { oneOf: [event('created', 'Order'), event('deleted', 'Gone')] }
const OLD_FEED = { oneOf: [event('new', 'Order'), event('deleted', 'Gone')] }

interface Setup {
  response?: object
  changes?: object
  settings?: OpenApiOptions | undefined
  [option: string]: unknown
}
const V32: OpenApiOptions = { openapi: '3.2.0' }

const optionsOf = (routes: object, { settings: _, ...more }: Setup = {}) =>
  ({ scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes, ...more }) as never
const CONTENT = { ...of(SSE, feed), ...linesOf(Order) }
function documentsOf({ response = { 200: { content: CONTENT } }, operation, ...more }: Setup = {}) {
  const routes = namedRoutes({ feed: '/feed' }).describe('GET feed', { response, operation } as never)
  routes.route('feed').get(respond)
  return openapi(optionsOf(routes, more), more.settings)
}
const okIn = (documents: ReturnType<typeof openapi>, version: string) =>
  (documents.document(version) as Json).paths['/feed'].get.responses[200]

test('documents of OpenAPI 3.2 have `itemSchema`, with the shapes of their version', () => {
  const documents = documentsOf({ settings: V32 })
  for (const [version, name] of VERSIONS) {
    const { openapi, components } = documents.document(version) as Json
    expect([openapi, components.schemas]).toStrictEqual(['3.2.0', { Order: named(name), Gone: gone }])
    const content = { ...of(SSE, FEED), ...linesOf(ref('Order')) }
    expect(okIn(documents, version)).toStrictEqual({ description: 'OK', content })
  }
})

test.each<[string, OpenApiOptions | undefined]>([
  ['by default', undefined],
  ['if asked for', { openapi: '3.1.1' }],
])('documents of OpenAPI 3.1 say in words what items are, %s', (_, settings) => {
  const documents = documentsOf({ response: { 200: { content: of(SSE, feed) } }, settings })
  const { openapi, components } = documents.document('v1') as Json
  expect([openapi, components.schemas.Order]).toStrictEqual(['3.1.1', named('name')])
  const schema = `\`\`\`json\n${JSON.stringify(FEED, undefined, 2)}\n\`\`\``
  const description = `OK\n\nEach item of \`${SSE}\` has this schema:\n\n${schema}`
  expect(okIn(documents, 'v1')).toStrictEqual({ description, content: { [SSE]: {} } })
})

test('a description of the user stays in front of the words about items', () => {
  const { description } = okIn(documentsOf({ operation: { responses: { 200: { description: 'All orders.' } } } }), 'v2')
  expect(description).toMatch(/^All orders\.\n\nEach item of `text\/event-stream` has/)
  expect(description.match(/Each item of/g)).toHaveLength(4)
})

test.each(['3.1.1', '3.2.0'] as const)('documents of OpenAPI %s are valid', async (version) => {
  const webhooks = { 'order-created': { body: Order }, 'a b/c': { body: true } }
  const settings: OpenApiOptions = { openapi: version, webhooks, problemDetails: true }
  const made = [documentsOf({ settings }), documentsOf({ settings, scheme: AcceptHeaderVersioning })]
  const all = made.flatMap(({ document, versions }) => versions.map((one) => document(one)))
  expect(all.map(({ openapi }) => openapi)).toStrictEqual(Array(4).fill(version))
  await expectValid(...all)
})

test.each([`'3.2'`, `'3.1.0'`, `'3.0.3'`, '3.2', 'null'])('the option `openapi` is not %s', (value) => {
  const openapi = JSON.parse(value.replaceAll("'", '"'))
  const message = `openapi(): option "openapi" takes '3.1.1' or '3.2.0'; got ${value}.`
  expect(() => documentsOf({ settings: { openapi } })).toThrow(new TypeError(message))
})

// Steps of operations -------------------------------------------------------------------------------------------------

const same = (one: unknown) => one
const TOLD = 'Orders were told as `new`.'
const EVENTS = of(SSE, feed)
const BOTH = { ...EVENTS, 'application/json': text }
const LINES_TOO = { ...of(JSONL, object({ order: Order })), 'application/json': text }
const number = { response: Number, older: { response: { type: 'number' } } }
const NUMBERS = { ...json({ type: 'number' }), ...of(JSONL, object({ order: ref('Order') })) }

test.each<[string, content: Json, steps: object, description: string, expected: object]>([
  ['a step that says no older item', EVENTS, { item: same }, TOLD, { [SSE]: {} }],
  ['such a step, beside JSON', BOTH, { item: same }, TOLD, { ...json(text), [SSE]: {} }],
  ['steps that say no older body', BOTH, { item: same, response: same }, TOLD, { 'application/json': {}, [SSE]: {} }],
  ['a step that says the older item', EVENTS, { item: same, older: { item: oldFeed } }, 'OK', of(SSE, OLD_FEED)],
  ['a step of responses, beside a stream', LINES_TOO, number, 'OK', NUMBERS],
])('%s', (_, content, steps, description, expected) => {
  const changes = versionHistory('v1').version('v2', change(TOLD, { 'GET feed': steps } as never))
  const documents = documentsOf({ response: { 200: { content } }, changes, settings: V32 })
  expect(okIn(documents, 'v1')).toStrictEqual({ description, content: expected })
  expect(okIn(documents, 'v2').description).toBe('OK')
})

test('two responses that are one in an older version have the items of both', () => {
  const response = { 200: { content: of(JSONL, Order) }, 202: { content: of(JSONL, Gone) } }
  const changes = versionHistory('v1').version('v2', change('202 was 200.', { 'GET feed': { status: { 202: 200 } } }))
  const { content } = okIn(documentsOf({ response, changes, settings: V32 }), 'v1')
  expect(content).toStrictEqual(of(JSONL, { anyOf: [ref('Order'), ref('Gone')] }))
})

// Given documents -----------------------------------------------------------------------------------------------------

const given = (media: Json, openapi = '3.2.0', more: Json = {}): Json => {
  const getting = (description: string, content: Json) => ({ get: { responses: { 200: { description, content } } } })
  const paths = { '/feed': getting('All.', media), '/order': getting('One.', json(ref('Order'))) }
  return documentWith(paths, { schemas: { Order: named('title'), Gone: gone }, ...more }, openapi)
}
const ofGiven = (document: Json, setup: Setup = {}, places: object = {}) =>
  openapi(optionsOf(routesOf(document, { places } as never), setup), setup.settings)
const bodyIn = (document: Json) => {
  const [{ describedAs }] = routesOf(document).facts() as unknown as [{ describedAs(method: string): Json }]
  return describedAs('GET').response
}
const byReference = {
  content: { [JSONL]: { $ref: '#/components/mediaTypes/Orders' } },
  components: { mediaTypes: { Orders: { itemSchema: ref('Order') } } },
}

test('`itemSchema` of a given document has the shapes of its version', async () => {
  const plain = object({ order: ref('Order') }, 'order')
  const media = (schema: object, more: object) => ({
    ...of(SSE, FEED),
    'application/x-ndjson': { itemSchema: ref('Order'), ...more },
    ...of(JSONL, schema),
  })
  const newest = media({ ...plain, default: { order: {} } }, { example: {} })
  const documents = ofGiven(given(newest))
  const [older, now] = VERSIONS.map(([version]) => documents.document(version) as Json) as [Json, Json]
  expect(now.openapi).toBe('3.2.0')
  expect(okIn(documents, 'v2').content).toStrictEqual(newest)
  expect(okIn(documents, 'v1').content).toStrictEqual(media(plain, {}))
  expect(older.components.schemas.Order).toStrictEqual(named('name'))
  await expectValid(older, now)
})

test('media types by reference are read, and go where an older version has another one', () => {
  const { content, components } = byReference
  const document = given({ ...content, 'text/csv': {} }, '3.2.0', components)
  expect(bodyIn(document)[200].content[JSONL]).toHaveProperty('itemSchema')
  expect(okIn(ofGiven(document), 'v1').content).toStrictEqual({ ...content, 'text/csv': {} })
  const headers = { 'Content-Type': () => 'application/x-ndjson' }
  const typed = change('Lines have another type.', { 'GET /feed': { headers } })
  const older = okIn(ofGiven(document, { changes: versionHistory('v1').version('v2', renamed, typed) }), 'v1')
  expect(older.content).toStrictEqual({ 'text/csv': {}, ...of('application/x-ndjson', ref('Order')) })
})

test.each<[string, object, Json]>([
  ['without its older items', {}, { description: TOLD, content: { [SSE]: {} } }],
  ['with its older items', { older: { item: oldFeed } }, { description: 'All.', content: of(SSE, OLD_FEED) }],
])('a step of items of a given document, %s', (_, older, expected) => {
  const media = { [SSE]: { itemSchema: FEED, example: {} } }
  const step = change(TOLD, { 'GET /feed': { item: same, ...older } } as never)
  const documents = ofGiven(given(media), { changes: versionHistory('v1').version('v2', step) })
  expect(okIn(documents, 'v1')).toStrictEqual(expected)
  expect(okIn(documents, 'v2').content).toStrictEqual(media)
})

test.each(['3.0.3', '3.1.0', '3.2.0'])('a stream without `itemSchema` in OpenAPI %s stays as it is', (version) => {
  const document = given({ [SSE]: { schema: text, example: 'data: 1\n\n' } }, version)
  expect(okIn(ofGiven(document), 'v1')).toStrictEqual(document.paths['/feed'].get.responses[200])
  expect(bodyIn(document)).toStrictEqual({ 200: null })
})

const inEvent = (order: object) => object({ data: { ...text, contentSchema: object({ order }) } })
test.each<[string, string, (schema: object) => Json]>([
  [JSONL, '/properties/order', (order) => object({ order })],
  [SSE, '/properties/data/properties/order', inEvent],
  [SSE, '/properties/data/contentSchema/properties/order', inEvent],
])('an inline copy in the items of %s is told by `places` at %s', (type, place, itemWith) => {
  const copy = { ...named('title'), description: 'A copy.' }
  const document = given(of(type, itemWith(copy)))
  const whole = `GET /feed 200 item#${place}`
  // Messages have the pointers of the document; the data of events may be read as parsed too.
  if (type === JSONL || place.includes('contentSchema')) {
    expect(() => ofGiven(document)).toThrow(`${JSON.stringify(whole)}: "Order"`)
  }
  for (const [meaning, expected] of [
    ['Order', ref('Order')],
    [null, copy],
  ] as const) {
    const { content } = okIn(ofGiven(document, {}, { [whole]: meaning }), 'v1')
    expect(content).toStrictEqual(of(type, itemWith(expected)))
  }
})

test('places of items that are not there are told', () => {
  const reading = (place: string) => () => routesOf(given(of(JSONL, ref('Order'))), { places: { [place]: 'Order' } })
  expect(reading('GET /feed 200 items')).toThrow(/Did you mean "GET \/feed 200 item"\?/)
  expect(reading('GET /feed 200 item#/x')).toThrow(/there is a reference to/)
})

test('items of which the document says nothing are told', () => {
  const table = routesOf(given({ ...of(SSE, {}), ...json(ref('Order')) }))
  const place = '"/paths/~1feed/get/responses/200/content/text~1event-stream/itemSchema"'
  expect(table.elsewhere()?.open.map(({ message }) => message)).toStrictEqual([
    `at ${place}, the response 200 has no schema of its items. In YAML: "itemSchema" at ${place}.`,
  ])
})

test('the streams of handlers elsewhere are converted as the document says', async () => {
  const routes = routesOf(given({ ...of(SSE, FEED), ...of(JSONL, ref('Order')) }))
  const server = await serve((app) => {
    app.use(versioning(optionsOf(routes)), convertRequest as never)
    app.get('/feed', (req, res) => {
      const one = '{"id":"1","title":"a"}'
      res.type(String(req.query.type)).end(req.query.type === SSE ? `event: created\ndata: ${one}\n\n` : `${one}\n`)
    })
  })
  const get = (type: string) => server.get(`/feed?type=${encodeURIComponent(type)}`, { 'X-API-Version': 'v1' })
  expect((await get(SSE)).text).toBe('event: created\ndata: {"id":"1","name":"a"}\n\n')
  expect((await get(JSONL)).text).toBe('{"id":"1","name":"a"}\n')
})

test.each(['3.1', '3.2'])('a given document of OpenAPI %s cannot be written as another one', (minor) => {
  const as = (openapi: OpenApiOptions['openapi']) => ofGiven(given({}, `${minor}.0`), { settings: { openapi } })
  const [same, other] = minor === '3.1' ? (['3.1.1', '3.2.0'] as const) : (['3.2.0', '3.1.1'] as const)
  const message = `openapi(): option "openapi" is '${other}', but the documents of routesOf() stay in their own version, ${minor}.0. Leave the option out, or convert the given document.`
  expect(() => as(other)).toThrow(new TypeError(message))
  expect(as(same).document('v2').openapi).toBe(`${minor}.0`)
})

test.each<[string, object, description: RegExp]>([
  ['3.0.3', {}, /^OK\n\nEach item/],
  ['3.1.0', {}, /^OK\n\nEach item/],
  ['3.2.0', { itemSchema: ref('Order') }, /^OK$/],
])('a stream that a table describes beside a document of %s is in its words', (version, media, description) => {
  const response = { 200: { content: of(JSONL, Order) } }
  const own = namedRoutes({ feed: '/own' }).describe('GET feed', { response } as never)
  own.route('feed').get(respond)
  const routes = namedRoutes({})
    .include('/', own)
    .include('/', routesOf(given({}, version)) as never)
  const { paths } = openapi(optionsOf(routes)).document('v1') as Json
  const { 200: found } = paths['/own'].get.responses
  expect(found).toStrictEqual({ description: expect.stringMatching(description), content: { [JSONL]: media } })
})

// Released documents --------------------------------------------------------------------------------------------------

const released = (settings: OpenApiOptions, order: Schema = Order, item = events({ created: order, deleted: Gone })) =>
  documentsOf({
    response: { 200: { content: { ...of(SSE, item), ...of(JSONL, order) } } },
    changes: versionHistory('v1').version('v2'),
    settings: { webhooks: { told: { body: order } }, ...settings },
  }).document('v1')
const itemsAt = (type: string) => `GET /feed has changed at /responses/200/content/${type}/itemSchema`

describe.each(['3.1.1', '3.2.0'] as const)('in OpenAPI %s', (openapi) => {
  const settings: OpenApiOptions = { openapi }
  const { webhooks: _, ...bare } = released(settings)
  test.each<[string, object, ...string[]]>([
    ['the same', released(settings)],
    ['another order of events', released(settings, Order, events({ deleted: Gone, created: Order }))],
    ['a shape of another name', released(settings, { ...Order, $id: 'Thing' })],
    ['a rule of bodies that clients send alone', released(settings, { ...Order, additionalProperties: false })],
    [
      'another event',
      released(settings, Order, events({ made: Order, deleted: Gone })),
      `${itemsAt(SSE)}/oneOf/0/properties/event/const`,
    ],
    [
      'another schema of items',
      released(settings, text, feed),
      `${itemsAt(JSONL)}/type`,
      'webhook POST told has changed at /requestBody/content/application/json/schema/type',
    ],
    ['another shape', released(settings, { ...Order, required: ['id'] }), 'Order has changed at /required'],
    ['no items', { ...released(settings), paths: {} }, 'GET /feed was removed'],
    ['no webhook', bare, 'webhook POST told was removed'],
    [
      'another webhook',
      released({ ...settings, webhooks: { told: { body: Order }, made: { body: true } } }),
      'webhook POST made is new',
    ],
  ])('%s is compared by its meaning', (_, other, ...expected) => {
    expect(differencesOf(released(settings), other).map(differenceText)).toStrictEqual(expected)
  })
})

test('words about items that nobody can read are no items', () => {
  const document = released({}) as Json
  const { 200: ok } = document.paths['/feed'].get.responses
  ok.description = ok.description.replace('"oneOf":', '')
  expect(differencesOf(released({}), document).map(differenceText)).toStrictEqual([itemsAt(SSE)])
})

test('the response in YAML of docs/converted-responses.md has a changed shape in its items', () => {
  const page = readFileSync(join(__dirname, '../../docs/converted-responses.md'), 'utf8')
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? []
  const { content } = parse(yaml)
  const document = documentWith(
    { '/chat': { get: { responses: { 200: { description: 'A chat', content } } } } },
    { schemas: { Message: named('text') } },
  )
  const history = versionHistory('v1').version(
    'v2',
    change('Messages have a `text`.', { Message: fields({ renamed: { body: 'text' } }) }),
  )
  const chat = history.for({ scheme: HeaderVersioning, routes: routesOf(document) })
  const convert = (item: object) => chat.item('GET /chat', item, 'v1')
  expect(convert({ data: { id: '1', text: 'a' } })).toEqual({ data: { id: '1', body: 'a' } })
  expect(convert({ event: 'typing', data: 'Ada' })).toEqual({ event: 'typing', data: 'Ada' })
})
