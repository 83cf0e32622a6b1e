// Streams in documents: the items as each version has them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AcceptHeaderVersioning, HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, events, fields, versionHistory } from 'express-versioning/changes'
import { type OpenApiOptions, openapi, routesOf } from 'express-versioning/openapi'
import { parse } from 'yaml'
import { differencesOf } from '../../src/openapi/meaning/documents'
import { documentOf as documentWith } from '../support/documents'
import { faultyOf } from '../support/lint-openapi'
import { serve } from '../support/serve'
import { respond } from '../support/tables'

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into documents.
type Json = Record<string, any>

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const named = (name: string) => ({
  type: 'object',
  properties: { id: text, [name]: text },
  required: ['id', name],
})
const Order = { $id: 'Order', ...named('title') }
const Gone = { $id: 'Gone', type: 'object', properties: { id: text }, required: ['id'] }
const SSE = 'text/event-stream'
const LINES = ['application/x-ndjson', 'application/jsonl', 'application/json-seq']
const TYPES = [SSE, ...LINES]
const feed = events({ created: Order, deleted: Gone })
const content = Object.fromEntries(TYPES.map((type) => [type, { itemSchema: type === SSE ? feed : Order }]))
const renamed = change('Orders have `title`.', { Order: fields({ renamed: { name: 'title' } }) })
const history = versionHistory('v1').version('v2', renamed)
const event = (name: string, schema: string) => ({
  type: 'object',
  properties: {
    event: { const: name },
    data: { ...text, contentMediaType: 'application/json', contentSchema: ref(schema) },
  },
  required: ['event', 'data'],
})
const FEED = { oneOf: [event('created', 'Order'), event('deleted', 'Gone')] }

interface Setup {
  response?: object
  changes?: object
  more?: object
  settings?: OpenApiOptions | undefined
}

function documentsOf({ response = { 200: { content } }, changes = history, more, settings }: Setup = {}) {
  const routes = namedRoutes({ feed: '/feed' }).describe('GET feed', { response } as never)
  routes.route('feed').get(respond)
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes, ...more }
  return openapi(options as never, settings)
}
const V32: OpenApiOptions = { openapi: '3.2.0' }
const responseIn = (setup: Setup, version: string, status = '200'): Json =>
  (documentsOf(setup).document(version) as Json).paths['/feed'].get.responses[status]

test('documents of OpenAPI 3.2 have `itemSchema`, with the shapes of their version', () => {
  const { document } = documentsOf({ settings: V32 })
  for (const [version, name] of [
    ['v1', 'name'],
    ['v2', 'title'],
  ] as const) {
    const made = document(version) as Json
    expect(made.openapi).toBe('3.2.0')
    expect(made.components.schemas).toStrictEqual({
      Order: named(name),
      Gone: { type: 'object', properties: { id: text }, required: ['id'] },
    })
    const { 200: ok } = made.paths['/feed'].get.responses
    expect(ok).toStrictEqual({
      description: 'OK',
      content: {
        [SSE]: { itemSchema: FEED },
        ...Object.fromEntries(LINES.map((type) => [type, { itemSchema: ref('Order') }])),
      },
    })
  }
})

test.each<[string, OpenApiOptions | undefined]>([
  ['by default', undefined],
  ['if asked for', { openapi: '3.1.1' }],
])('documents of OpenAPI 3.1 say in words what items are, %s', (_, settings) => {
  const made = documentsOf({ response: { 200: { content: { [SSE]: { itemSchema: feed } } } }, settings }).document(
    'v1',
  ) as Json
  expect(made.openapi).toBe('3.1.1')
  expect(made.components.schemas.Order).toStrictEqual(named('name'))
  expect(made.paths['/feed'].get.responses[200]).toStrictEqual({
    description: `OK\n\nEach item of \`${SSE}\` has this schema:\n\n\`\`\`json\n${JSON.stringify(FEED, undefined, 2)}\n\`\`\``,
    content: { [SSE]: {} },
  })
})

test('a description of the user stays in front of the words about items', () => {
  const operation = { responses: { 200: { description: 'All orders.' } } }
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content } }, operation } as never)
  routes.route('feed').get(respond)
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes } as never
  const { description } = (openapi(options).document('v2') as Json).paths['/feed'].get.responses[200]
  expect(description).toMatch(/^All orders\.\n\nEach item of `text\/event-stream` has/)
  expect(description.match(/Each item of/g)).toHaveLength(4)
})

test.each(['3.1.1', '3.2.0'] as const)('documents of OpenAPI %s are valid', async (version) => {
  const webhooks = { 'order-created': { body: Order }, 'a b/c': { body: true } }
  const settings: OpenApiOptions = { openapi: version, webhooks, problemDetails: true }
  const made = documentsOf({ settings })
  const accepting = documentsOf({ settings, more: { scheme: AcceptHeaderVersioning } })
  const all = [made, accepting].flatMap(({ document, versions }) => versions.map((one) => document(one)))
  expect(all.map(({ openapi }) => openapi)).toStrictEqual(Array(4).fill(version))
  expect(await faultyOf(all)).toStrictEqual([])
})

test.each<unknown>(['3.2', '3.1.0', '3.0.3', 3.2, null])('the option `openapi` is no %p', (value) => {
  expect(() => documentsOf({ settings: { openapi: value } as never })).toThrow(
    new TypeError(
      `openapi(): option "openapi" takes '3.1.1' or '3.2.0'; got ${typeof value === 'string' ? `'${value}'` : value}.`,
    ),
  )
})

// Steps of operations -------------------------------------------------------------------------------------------------

const asNew = (one: Json) => one
const told = change('Orders were told as `new`.', { 'GET feed': { item: asNew } })
const oldFeed = events({ new: Order, deleted: Gone })
const said = change('Orders were told as `new`.', { 'GET feed': { item: asNew, older: { item: oldFeed } } })
const only = (type: string, itemSchema: unknown) => ({ 200: { content: { [type]: { itemSchema } } } })
const order = { type: 'object', properties: { order: Order } }

test.each<[string, Json, object, object]>([
  [
    'a step that says no older item',
    only(SSE, feed),
    told,
    { description: 'Orders were told as `new`.', content: { [SSE]: {} } },
  ],
  [
    'such a step, beside JSON',
    { 200: { content: { ...only(SSE, feed)[200].content, 'application/json': text } } },
    told,
    { description: 'Orders were told as `new`.', content: { 'application/json': { schema: text }, [SSE]: {} } },
  ],
  [
    'steps that say neither older items nor older JSON',
    { 200: { content: { ...only(SSE, feed)[200].content, 'application/json': text } } },
    change('All is other.', { 'GET feed': { item: asNew, response: (one: string) => one } }),
    { description: 'All is other.', content: { 'application/json': {}, [SSE]: {} } },
  ],
  [
    'a step that says the older item',
    only(SSE, feed),
    said,
    {
      description: 'OK',
      content: { [SSE]: { itemSchema: { oneOf: [event('new', 'Order'), event('deleted', 'Gone')] } } },
    },
  ],
  [
    'a step of responses, beside a stream',
    { 200: { content: { 'application/jsonl': { itemSchema: order }, 'application/json': text } } },
    change('JSON is a number.', {
      'GET feed': { response: (one: string) => Number(one), older: { response: { type: 'number' } } },
    }),
    {
      description: 'OK',
      content: {
        'application/json': { schema: { type: 'number' } },
        'application/jsonl': { itemSchema: { type: 'object', properties: { order: ref('Order') } } },
      },
    },
  ],
])('%s', (_, response, one, expected) => {
  const changes = versionHistory('v1').version('v2', one as never)
  expect(responseIn({ response, changes, settings: V32 }, 'v1')).toStrictEqual(expected)
  expect(responseIn({ response, changes, settings: V32 }, 'v2').description).toBe('OK')
})

test('two responses that are one in an older version have the items of both', () => {
  const response = { ...only('application/jsonl', Order), 202: only('application/jsonl', Gone)[200] }
  const changes = versionHistory('v1').version('v2', change('202 was 200.', { 'GET feed': { status: { 202: 200 } } }))
  const { content } = responseIn({ response, changes, settings: V32 }, 'v1')
  expect(content['application/jsonl']).toStrictEqual({ itemSchema: { anyOf: [ref('Order'), ref('Gone')] } })
})

// Given documents -----------------------------------------------------------------------------------------------------

const given = (media: Json, openapi = '3.2.0', more: Json = {}): Json => ({
  ...documentWith(
    {
      '/feed': { get: { responses: { 200: { description: 'All.', content: media } } } },
      '/order': {
        get: { responses: { 200: { description: 'One.', content: { 'application/json': { schema: ref('Order') } } } } },
      },
    },
    {
      schemas: { Order: named('title'), Gone: { type: 'object', properties: { id: text }, required: ['id'] } },
      ...more,
    },
    openapi,
  ),
})
const ofGiven = (document: Json, { changes = history, settings }: Setup = {}) =>
  openapi({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: routesOf(document) } as never, settings)
const mediaIn = (document: Json, version: string, setup: Setup = {}) =>
  (ofGiven(document, setup).document(version) as Json).paths['/feed'].get.responses[200]

test('`itemSchema` of a given document has the shapes of its version', async () => {
  const inline = {
    type: 'object',
    properties: { order: ref('Order') },
    required: ['order'],
    default: { order: {} },
  }
  const media = (jsonl: object) => ({
    [SSE]: { itemSchema: FEED },
    'application/x-ndjson': { itemSchema: ref('Order'), example: {} },
    'application/jsonl': { itemSchema: jsonl },
  })
  const document = given(media(inline))
  const { document: made } = ofGiven(document)
  expect(made('v2').openapi).toBe('3.2.0')
  expect((made('v2').paths as Json)['/feed'].get.responses[200].content).toStrictEqual(media(inline))
  const older = made('v1') as Json
  const { default: _, ...plain } = inline
  const { 'application/x-ndjson': lines, ...rest } = older.paths['/feed'].get.responses[200].content
  expect(rest).toStrictEqual({ [SSE]: { itemSchema: FEED }, 'application/jsonl': { itemSchema: plain } })
  expect(lines).toStrictEqual({ itemSchema: ref('Order') })
  expect(older.components.schemas.Order).toStrictEqual(named('name'))
  expect(await faultyOf([older, made('v2')])).toStrictEqual([])
})

test('media types by reference are read', () => {
  const document = given({ 'application/jsonl': { $ref: '#/components/mediaTypes/Orders' } }, '3.2.0', {
    mediaTypes: { Orders: { itemSchema: ref('Order') } },
  })
  const [{ describedAs }] = routesOf(document).facts() as unknown as [{ describedAs(method: string): Json }]
  expect(describedAs('GET').response[200].content['application/jsonl']).toHaveProperty('itemSchema')
  expect(mediaIn(document, 'v1').content).toStrictEqual({
    'application/jsonl': { $ref: '#/components/mediaTypes/Orders' },
  })
})

test.each<[string, object, Json]>([
  ['without its older items', told, { content: { [SSE]: {} }, description: 'Orders were told as `new`.' }],
  [
    'with its older items',
    said,
    {
      description: 'All.',
      content: { [SSE]: { itemSchema: { oneOf: [event('new', 'Order'), event('deleted', 'Gone')] } } },
    },
  ],
])('a step of items of a given document, %s', (_, one, expected) => {
  const document = given({ [SSE]: { itemSchema: FEED, example: {} } })
  const changes = versionHistory('v1').version(
    'v2',
    change('Orders were told as `new`.', {
      'GET /feed': { item: asNew, ...(one === told ? {} : { older: { item: oldFeed } }) },
    } as never),
  )
  expect(mediaIn(document, 'v1', { changes })).toStrictEqual(expected)
  expect(mediaIn(document, 'v2', { changes }).content).toStrictEqual({ [SSE]: { itemSchema: FEED, example: {} } })
})

test.each(['3.0.3', '3.1.0', '3.2.0'])('a stream without `itemSchema` in OpenAPI %s stays as it is', (version) => {
  const media = { [SSE]: { schema: text, example: 'data: 1\n\n' } }
  const document = given(media, version)
  expect(mediaIn(document, 'v1')).toStrictEqual({ description: 'All.', content: media })
  const [{ describedAs }] = routesOf(document).facts() as unknown as [{ describedAs(method: string): Json }]
  expect(describedAs('GET').response).toStrictEqual({ 200: null })
})

const copy = { ...named('title'), description: 'A copy.' }
const inEvent = (schema: object) => ({
  type: 'object',
  properties: { data: { ...text, contentSchema: { type: 'object', properties: { order: schema } } } },
})

test.each<[string, string, (schema: object) => Json]>([
  ['application/jsonl', '/properties/order', (schema) => ({ type: 'object', properties: { order: schema } })],
  [SSE, '/properties/data/properties/order', inEvent],
  [SSE, '/properties/data/contentSchema/properties/order', inEvent],
])('an inline copy in the items of %s is told by `places` at %s', (type, place, itemWith) => {
  const document = given({ [type]: { itemSchema: itemWith(copy) } })
  const optionsWith = (places: object) => ({
    scheme: HeaderVersioning,
    defaultVersion: 'v2',
    changes: history,
    routes: routesOf(document, { places } as never),
  })
  const whole = `GET /feed 200 item#${place}`
  if (!place.includes('contentSchema'))
    expect(() => openapi(optionsWith({}))).toThrow(`${JSON.stringify(whole)}: "Order"`)
  const older = openapi(optionsWith({ [whole]: 'Order' })).document('v1') as Json
  expect(older.paths['/feed'].get.responses[200].content).toStrictEqual({
    [type]: { itemSchema: itemWith(ref('Order')) },
  })
  const other = openapi(optionsWith({ [whole]: null })).document('v1') as Json
  expect(other.paths['/feed'].get.responses[200].content).toStrictEqual({ [type]: { itemSchema: itemWith(copy) } })
})

test('places of items that are not there are told', () => {
  const document = given({ 'application/jsonl': { itemSchema: ref('Order') } })
  expect(() => routesOf(document, { places: { 'GET /feed 200 items': 'Order' } })).toThrow(
    /Did you mean "GET \/feed 200 item"\?/,
  )
  expect(() => routesOf(document, { places: { 'GET /feed 200 item#/x': 'Order' } })).toThrow(/there is a reference to/)
})

test('items of which the document says nothing are told', () => {
  const table = routesOf(given({ [SSE]: { itemSchema: {} }, 'application/json': { schema: ref('Order') } }))
  expect(table.elsewhere()?.open.map(({ message }) => message)).toStrictEqual([
    'at "/paths/~1feed/get/responses/200/content/text~1event-stream/itemSchema", the response 200 has no schema of its items. In YAML: "itemSchema" at "/paths/~1feed/get/responses/200/content/text~1event-stream/itemSchema".',
  ])
})

test('the streams of handlers elsewhere are converted as the document says', async () => {
  const document = given({ [SSE]: { itemSchema: FEED }, 'application/jsonl': { itemSchema: ref('Order') } })
  const server = await serve((app) => {
    app.use(
      versioning({
        scheme: HeaderVersioning,
        defaultVersion: 'v2',
        changes: history,
        routes: routesOf(document),
      }) as never,
      convertRequest as never,
    )
    app.get('/feed', (req, res) => {
      const one = '{"id":"1","title":"a"}'
      res.type(String(req.query.type)).end(req.query.type === SSE ? `event: created\ndata: ${one}\n\n` : `${one}\n`)
    })
  })
  const get = (type: string) => server.get(`/feed?type=${encodeURIComponent(type)}`, { 'X-API-Version': 'v1' })
  expect((await get(SSE)).text).toBe('event: created\ndata: {"id":"1","name":"a"}\n\n')
  expect((await get('application/jsonl')).text).toBe('{"id":"1","name":"a"}\n')
})

test('a media type by reference goes where an older version has another one', () => {
  const document = given({ 'application/jsonl': { $ref: '#/components/mediaTypes/Orders' }, 'text/csv': {} }, '3.2.0', {
    mediaTypes: { Orders: { itemSchema: ref('Order') } },
  })
  const headers = { 'Content-Type': () => 'application/x-ndjson' }
  const changes = versionHistory('v1').version(
    'v2',
    renamed,
    change('Lines have another type.', { 'GET /feed': { headers } }),
  )
  expect(mediaIn(document, 'v1', { changes }).content).toStrictEqual({
    'text/csv': {},
    'application/x-ndjson': { itemSchema: ref('Order') },
  })
})

test.each<[string, OpenApiOptions['openapi'], string]>([
  ['3.1.0', '3.2.0', '3.1.0'],
  ['3.2.0', '3.1.1', '3.2.0'],
])('a given document of OpenAPI %s cannot be written as %s', (version, option, found) => {
  expect(() => ofGiven(given({}, version), { settings: { openapi: option } })).toThrow(
    new TypeError(
      `openapi(): option "openapi" is '${option}', but the documents of routesOf() stay in their own version, ${found}. Leave the option out, or convert the given document.`,
    ),
  )
  expect(
    ofGiven(given({}, version), { settings: { openapi: version.startsWith('3.1') ? '3.1.1' : '3.2.0' } }).document('v2')
      .openapi,
  ).toBe(version)
})

test('streams that a table describes beside a given document are in the words of that document', () => {
  const routes = namedRoutes({ feed: '/own' }).describe('GET feed', {
    response: only('application/jsonl', Order),
  } as never)
  routes.route('feed').get(respond)
  for (const [version, media] of [
    ['3.0.3', {}],
    ['3.1.0', {}],
    ['3.2.0', { itemSchema: ref('Order') }],
  ] as const) {
    const table = namedRoutes({})
      .include('/', routes)
      .include('/', routesOf(given({}, version)) as never)
    const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes: table }
    const older = openapi(options as never).document('v1') as Json
    const { content, description } = older.paths['/own'].get.responses[200]
    expect(content).toStrictEqual({ 'application/jsonl': media })
    expect(description).toMatch(version === '3.2.0' ? /^OK$/ : /^OK\n\nEach item/)
  }
})

// Released documents --------------------------------------------------------------------------------------------------

const released = (
  settings: OpenApiOptions,
  { Order: one = Order, item = feed }: { Order?: object; item?: unknown } = {},
) =>
  documentsOf({
    response: { 200: { content: { [SSE]: { itemSchema: item }, 'application/jsonl': { itemSchema: one } } } },
    changes: versionHistory('v1').version('v2'),
    settings: { webhooks: { told: { body: one as never } }, ...settings },
  }).document('v1')
const jsonl = '/responses/200/content/application/jsonl/itemSchema'

describe.each(['3.1.1', '3.2.0'] as const)('in OpenAPI %s', (version) => {
  const settings: OpenApiOptions = { openapi: version }
  test.each<[string, object, ...string[]]>([
    ['the same', released(settings)],
    ['another order of events', released(settings, { item: events({ deleted: Gone, created: Order }) })],
    [
      'a shape of another name',
      released(settings, {
        Order: { ...Order, $id: 'Thing' },
        item: events({ created: { ...Order, $id: 'Thing' }, deleted: Gone }),
      }),
    ],
    [
      'another event',
      released(settings, { item: events({ made: Order, deleted: Gone }) }),
      `GET /feed has changed at /responses/200/content/${SSE}/itemSchema/oneOf/0/properties/event/const`,
    ],
    [
      'another schema of items',
      released(settings, { Order: text }),
      `GET /feed has changed at ${jsonl}/type`,
      'webhook POST told has changed at /requestBody/content/application/json/schema/type',
    ],
    [
      'another shape',
      released(settings, {
        Order: { ...Order, required: ['id'] },
        item: events({ created: { ...Order, required: ['id'] }, deleted: Gone }),
      }),
      'Order has changed at /required',
    ],
    ['no items', { ...released(settings), paths: {} }, 'GET /feed was removed'],
    ['no webhook', { ...released(settings), webhooks: undefined }, 'webhook POST told was removed'],
    [
      'another webhook',
      released({ ...settings, webhooks: { told: { body: Order }, made: { body: true } } }),
      'webhook POST made is new',
    ],
    [
      'a rule of bodies that clients send alone',
      released(settings, {
        Order: { ...Order, additionalProperties: false },
        item: events({ created: { ...Order, additionalProperties: false }, deleted: Gone }),
      }),
    ],
  ])('%s is compared by its meaning', (_, other, ...expected) => {
    expect(differencesOf(released(settings), other)).toStrictEqual(expected)
  })
})

test('words about items that nobody can read are no items', () => {
  const document = released({}) as Json
  const { 200: ok } = document.paths['/feed'].get.responses
  ok.description = ok.description.replace('"oneOf":', '')
  expect(differencesOf(released({}), document)).toStrictEqual([
    `GET /feed has changed at /responses/200/content/${SSE}/itemSchema`,
  ])
})

test('the response in YAML of docs/streams.md has a changed shape in its items', () => {
  const page = readFileSync(join(__dirname, '../../docs/streams.md'), 'utf8')
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
