// Operations that stream: the descriptions of their items, conversion by hand, and the mistakes that versioning() finds.

import {
  HeaderVersioning,
  type NamedRoutes,
  type NamedRoutesOptions,
  namedRoutes,
  versioning,
} from 'express-versioning'
import { type Change, change, events, fields, shape, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { z } from 'zod'
import { readSchema } from '../../../src/schemas/reading'
import { historyOf } from '../../support/changes'
import { serve } from '../../support/serve'

type Json = Record<string, unknown>
const text = { type: 'string' }
const object = (properties: Json, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const Order = { $id: 'Order', ...object({ id: text, title: text }) }
const Ref = { $id: 'Ref', ...object({ id: text }) }
const renamed = fields({ renamed: { name: 'title' } })
const RENAMED = change('Orders have `title` in place of `name`.', { Order: renamed })
const SSE = 'text/event-stream'
const json = (contentSchema: unknown) => ({ type: 'string', contentMediaType: 'application/json', contentSchema })
const sse = (itemSchema: unknown) => ({ [SSE]: { itemSchema } })
const lines = (itemSchema: unknown) => ({ 'application/x-ndjson': { itemSchema } })

type Settings = NamedRoutesOptions & { response?: Json }

/** Describes the responses of `GET /feed`. */
function optionsOf(content: Json, changes: Change[], { response = { 200: { content } }, ...settings }: Settings = {}) {
  const routes = namedRoutes({ feed: '/feed', other: '/other' }, settings)
  routes.describe('GET feed', { response } as never).describe('GET other', { response: null })
  routes.describe('*', { response: { '4XX': null, '5XX': null } })
  for (const name of ['feed', 'other'] as const) routes.route(name).get((_req, res) => void res.end())
  return { scheme: HeaderVersioning, defaultVersion: 'v2', routes, changes: historyOf(changes) }
}

const starting =
  (content: Json, ...changes: Change[]) =>
  () =>
    versioning(optionsOf(content, changes))
const byHand = (...given: Parameters<typeof optionsOf>) => {
  const options = optionsOf(...given)
  return options.changes.for(options)
}

const item = { id: '1', title: 'a' }
const older = { id: '1', name: 'a' }

it.each<[title: string, itemSchema: unknown]>([
  ['events()', events({ created: Order, deleted: Ref })],
  ['one event', object({ event: { const: 'created' }, data: json(Order) })],
  ['any event', { properties: { data: json(Order) } }],
  [
    'a union below common properties',
    {
      ...object({ data: text, event: text }, ['data']),
      oneOf: [
        { properties: { event: { const: 'created' }, data: json(Order) } },
        { properties: { event: { enum: ['deleted'] }, data: json(Ref) } },
        { properties: { event: { const: 'ping' }, data: text } },
      ],
    },
  ],
  [
    'events with names',
    {
      anyOf: [{ $ref: '#/$defs/Created' }, { $ref: '#/$defs/Deleted' }],
      $defs: {
        Created: { properties: { event: { const: 'created' }, data: { $ref: '#/$defs/Data' } } },
        Data: json({ $ref: 'Order' }),
        Deleted: { properties: { event: { const: 'deleted' } } },
        Order,
      },
    },
  ],
  [
    'an event with a name and words beside it, and more',
    {
      $ref: '#/$defs/Created',
      description: 'One.',
      allOf: [{ required: ['data'] }],
      $defs: { Created: object({ event: { enum: ['created', 'new'] }, data: { allOf: [json(Order)] } }, ['event']) },
    },
  ],
  [
    'data without a string',
    { properties: { event: { const: 'created' }, data: { $ref: '#/$defs/Order' } }, $defs: { Order } },
  ],
  [
    'a media type of its own',
    { properties: { data: { contentMediaType: 'application/vnd.shop+json', contentSchema: Order } } },
  ],
  [
    'events without names of people, with words beside them',
    {
      oneOf: [{ $ref: '#/$defs/__schema0', description: 'One.' }],
      $defs: { __schema0: { properties: { data: json(Order) } } },
    },
  ],
])('finds the shapes in the data of %s', (_title, itemSchema) => {
  const feed = byHand(sse(itemSchema), [RENAMED])
  const converted = (data: unknown) => feed.item('GET feed', { event: 'created', data, id: '7' }, 'v1')
  expect(converted(item)).toEqual({ event: 'created', data: older, id: '7' })
  expect(converted('[DONE]')).toEqual({ event: 'created', data: '[DONE]', id: '7' })
})

const both = {
  ...lines(Order),
  ...sse(events({ created: Order })),
  'application/jsonl': { itemSchema: { type: 'number' } },
}
const messages = sse(events({ message: Order, deleted: Ref }))
const ofRef = { allOf: [{ $ref: 'Ref' }], ...object({ data: json(Order), event: { const: 'message' } }) }
const loop = { $ref: '#/$defs/B' }
const looped = { anyOf: [{ $ref: '#/$defs/A' }, { properties: { data: loop } }] }

it.each<[title: string, content: Json, newest: unknown, older: unknown]>([
  ['a line', both, item, older],
  ['an event beside lines', both, { event: 'created', data: item }, { event: 'created', data: older }],
  ['a number beside lines', both, 7, 7],
  ['null', lines({ anyOf: [{ $ref: '#/$defs/Order' }, { type: 'null' }], $defs: { Order } }), null, null],
  ['an event without a name', messages, { data: item }, { data: older }],
  ['an event named message', messages, { event: 'message', data: item }, { event: 'message', data: older }],
  ['any item', { ...sse(true), ...lines(Order) }, { data: 7 }, { data: 7 }],
  [
    'an event without its required name, and a definition elsewhere',
    { ...sse(ofRef), ...lines(Ref) },
    { data: item, id: '7' },
    { data: older, id: '7' },
  ],
  [
    'an event that contains itself',
    { ...sse({ $ref: '#/$defs/A', $defs: { A: looped, B: loop } }), ...lines(Order) },
    { data: 7 },
    { data: 7 },
  ],
])('converts by hand: %s', (_title, content, newest, older) => {
  const feed = byHand(content, [RENAMED])
  expect(feed.item('GET feed', newest, 'v1')).toEqual(older)
  expect(feed.item('GET feed', newest, 'v2')).toBe(newest)
})

it('runs own steps by hand, with a table and without', () => {
  const step = change('Odd.', {
    'GET feed': { item: (event: { event: string }) => (event.event === 'gone' ? null : { ...event, event: 'new' }) },
  })
  const history = historyOf([step])
  for (const hand of [history, byHand(sse(events({ created: Ref, gone: Ref })), [step])]) {
    const converted = (event: string, version: string) => hand.item('GET feed', { event, data: { id: '1' } }, version)
    expect(converted('created', 'v1')).toEqual({ event: 'new', data: { id: '1' } })
    expect(converted('gone', 'v1')).toBeNull()
    expect(converted('gone', 'v2')).toEqual({ event: 'gone', data: { id: '1' } })
  }
  expect(history.item('GET unknown', item, 'v1')).toBe(item)
})

it('takes the items of neutral routes as they are', () => {
  const options = { ...optionsOf(lines(Order), [RENAMED]), neutral: ['feed'], changes: historyOf([]) }
  expect(options.changes.for(options).item('GET feed', item, 'v1')).toBe(item)
})

it('converts the items of other statuses', () => {
  const odd = change('Odd.', { Order: renamed, 'GET feed': { status: { 201: 200 } } })
  const feed = byHand({}, [odd], { response: { 201: { content: lines(Order) } } })
  expect(feed.item('GET feed', item, 'v1')).toEqual(older)
})

// Mistakes ------------------------------------------------------------------------------------------------------------

it.each<[message: string, call: () => unknown]>([
  [
    'got an item that fits no described branch.',
    () => byHand(messages, [RENAMED]).item('GET feed', { event: 'created', data: item }, 'v1'),
  ],
  ['found a number', () => byHand(sse(events({ created: Order })), [RENAMED]).item('GET feed', 7, 'v1')],
  ["item(): the history has no version 'v9'.", () => historyOf([RENAMED]).item('GET feed', {}, 'v9')],
  ['Use history.for(options).item(...)', () => historyOf([RENAMED]).item('GET feed', {}, 'v1')],
  [
    'item(): describe() says no { itemSchema } of "GET other": it has no items.',
    () => byHand(lines(Order), [RENAMED]).item('GET other', {}, 'v1'),
  ],
])('item() throws: %s', (message, call) => {
  expect(call).toThrow(message)
})

const feed = sse(events({ created: Order }))
const odd = (operations: Parameters<typeof change>[1]) => change('Odd.', operations) as Change
const asIs = (value: unknown) => value
const untold = { oneOf: [{ properties: { data: json(Order) } }, { properties: { data: json(Ref) } }] }
const Created = { $id: 'Created', type: 'object', properties: { event: { const: 'created' }, data: json(Order) } }

it.each<[message: string, make: () => unknown]>([
  ['events() takes the schemas of events by their names, such as { created: Order }; got {}.', () => events({})],
  [
    'events() takes the schemas of events by their names, such as { created: Order }; got null',
    () => events(null as never),
  ],
  ["events() takes names of events; got ''.", () => events({ '': Order })],
  ["events() takes names of events; got 'a\\nb'.", () => events({ 'a\nb': Order })],
  ['events(): option "created" takes JSON Schema 2020-12', () => events({ created: 7 as never })],
  ['describe(): "GET feed": option "response" takes', () => optionsOf(sse(7), [])],
  [
    'describe(): "GET feed": option "response" takes',
    () => optionsOf({ [SSE]: { itemSchema: Order, schema: Order } }, []),
  ],
  [
    `versioning(): the change "Odd." speaks of "GET other", but it is no stream by describe(), so it has no "item": { response: { 200: { content: { 'text/event-stream': { itemSchema } } } } }.`,
    starting(feed, odd({ 'GET other': { item: asIs } })),
  ],
  ['it is no stream by describe()', starting(feed, odd({ 'GET other': { older: { item: Order } } }))],
  ['unknown option "item"', () => odd({ '*': { item: asIs } as never })],
  [
    '"GET feed": option "older.item" takes JSON Schema',
    () => odd({ 'GET feed': { item: asIs, older: { item: null as never } } }),
  ],
  [
    '"older.response" takes no { itemSchema }: write { older: { item: ... } }.',
    () => odd({ 'GET feed': { older: { response: { content: sse(Order) as never } } } }),
  ],
  [
    'At "older.response.200.content.text/event-stream" is { schema: [Object] }: write { older: { item: ... } } for the items of a stream.',
    () => odd({ 'GET feed': { older: { response: { 200: { content: { [SSE]: { schema: Order } } } } as never } } }),
  ],
  [
    'At "older.error.409" is { schema: [Object] }: write the schema itself; that of the items of a stream as { older: { item: ... } }.',
    () => odd({ 'GET feed': { older: { error: { 409: { schema: Order } } as never } } }),
  ],
  [
    'At "older.response.201" is 7.',
    () => odd({ 'GET feed': { older: { response: { 200: Order, 201: 7 } as never } } }),
  ],
  [
    'two different schemas in it have the name "Order"',
    starting(sse(events({ created: Order, deleted: { ...Ref, $id: 'Order' } })), RENAMED),
  ],
  [
    'the change "Odd." of version \'v2\' has an own "item", but no { older: { item } } that says where changed shapes ("Order") were before, for the items of the response 200 of "GET feed".',
    starting(feed, odd({ Order: renamed, 'GET feed': { item: asIs } })),
  ],
  [
    'streams of events and of other items have items of their own, which one "older" "item" cannot describe, of "GET feed" in the change "Odd.".',
    starting({ ...feed, ...lines(Order) }, odd({ Order: renamed, 'GET feed': { item: asIs, older: { item: Order } } })),
  ],
  [
    'the data of events is parsed, so no change can name an event as a whole. Write an "item" step of the operation instead of a change of the shape "Created", in "GET feed".',
    starting(sse(Created), odd({ Created: shape({ type: 'object' }, { response: asIs }) })),
  ],
  ['its branch cannot be told from another one', starting(sse(untold), RENAMED)],
  [
    'the shape "Order" of the change "Odd." has no "response", but is in the items of the response 200 of "GET feed".',
    starting(feed, odd({ Order: shape(object({ id: {}, name: {} }, []), { request: asIs }) })),
  ],
  [
    'an object without a name looks like the shape "Order"',
    starting(sse(events({ created: { type: 'object', properties: Order.properties }, listed: Order })), RENAMED),
  ],
])('%s', (message, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

// Schemas -------------------------------------------------------------------------------------------------------------

it('writes events as OpenAPI 3.2 does', () => {
  const Named = z.object({ id: z.string() }).meta({ id: 'Named' })
  const { schema, definitions } = readSchema(events({ created: Named, message: { type: 'number' } }), 'output')
  const created = object({ event: { const: 'created' }, data: json({ $ref: 'Named' }) })
  const message = object({ event: { const: 'message' }, data: json({ type: 'number' }) }, ['data'])
  expect([schema, [...definitions.keys()]]).toEqual([{ oneOf: [created, message] }, ['Named']])
  const { schema: one } = readSchema(events({ created: Named }), 'output')
  expect(one).toEqual({ oneOf: [created] })
})

it('tells a branch of items by the option "places"', () => {
  const tell = (value: unknown) => ('title' in (value as { data: object }).data ? 0 : 1)
  const placed = (place: string) => optionsOf(sse(untold), [RENAMED], { places: { [place]: tell } })
  const options = placed('GET feed 200 item')
  const hand = options.changes.for(options)
  expect(hand.item('GET feed', { data: item }, 'v1')).toEqual({ data: older })
  expect(hand.item('GET feed', { data: { id: '1' } }, 'v1')).toEqual({ data: { id: '1' } })
  expect(() => versioning(placed('GET feed 201 item'))).toThrow('option "places" has "GET feed 201 item", but')
})

it('rejects the items of operations that nobody had described, but of described errors', async () => {
  const { routes, ...options } = optionsOf(feed, [RENAMED])
  routes.describe('*', { response: { '4XX': { content: lines(Order) as never }, '5XX': null } })
  const server = await serve((app) => {
    app.use(versioning({ ...options, routes }))
    ;(routes as unknown as NamedRoutes)
      .add('late', '/late')
      .route('late')
      .get((req, res) => {
        if (req.query.error)
          res
            .status(404)
            .type('application/x-ndjson')
            .end(`${JSON.stringify(item)}\n`)
        else res.type(SSE).end(`data: ${JSON.stringify(item)}\n\n`)
      })
    app.use(routes)
  })
  expect((await server.get('/late', { 'X-API-Version': 'v1' })).status).toBe(500)
  const { status, json } = await server.get('/late?error=1', { 'X-API-Version': 'v1' })
  expect([status, json]).toEqual([404, older])
})

// Steps for whole responses -------------------------------------------------------------------------------------------

const LINES = 'application/x-ndjson'

const whole = (more: object = {}) => change('Whole.', { 'GET feed': { response: (body: unknown) => body, ...more } })
const inLines = { content: { [LINES]: { itemSchema: Order } } }
const onlyStreams = (operation: string, by: string) =>
  `versioning(): the change "Whole." speaks of "${operation}", but it only streams by ${by}, and no "response" gets a stream, so older versions would get the newest items. Write "item" instead, which gets one item at a time; or, if the operation sends JSON too, describe that beside the stream.`

/** Binds a history to a table whose `GET feed` has this description. */
function bindWhole(description: object, ...changes: Change[]) {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', description as never).describe('*', { response: { '4XX': null, '5XX': null } })
  routes.route('feed').get((_req, res) => void res.end())
  const history = historyOf(changes)
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', routes, changes: history }
  versioning(options)
  history.for(options)
}

it.each<[title: string, response: object]>([
  ['events', { 200: { content: feed } }],
  ['lines alone', inLines],
  [
    'all kinds of streams',
    { 200: { content: { ...feed, [LINES]: { itemSchema: Order }, 'application/json-seq': true } } },
  ],
  ['a stream without items', { 200: { content: { [SSE]: { type: 'string' } } } }],
  ['a stream and errors', { 200: inLines, 404: Order, default: Order }],
  ['a stream and no content', { 200: inLines, 204: null }],
  ['two statuses', { 200: inLines, '2XX': { content: feed } }],
  ['`default` alone', { default: inLines }],
])('a step "response" of an operation that only streams is a mistake: %s', (_title, response) => {
  expect(() => bindWhole({ response }, whole() as Change)).toThrow(new TypeError(onlyStreams('GET feed', 'describe()')))
})

const step = (change: object) => change as Change
it.each<[title: string, description: object, ...changes: Change[]]>([
  ['JSON beside a stream', { response: { 200: { content: { ...feed, 'application/json': Order } } } }, step(whole())],
  ['JSON of another status', { response: { 200: inLines, 201: Order } }, step(whole())],
  [
    'another type beside a stream',
    { response: { 200: { content: { ...feed, 'text/csv': { type: 'string' } } } } },
    step(whole()),
  ],
  ['a success without JSON', { response: { 200: null } }, step(whole())],
  ['no success', { response: { 404: Order } }, step(whole())],
  ['no description', { response: undefined }, step(whole())],
  ['no media type', { response: { content: {} } }, step(whole())],
  ['an item too', { response: inLines }, step(whole({ item: (item: unknown) => item }))],
  [
    'no step',
    { response: inLines },
    step(change('Heads.', { 'GET feed': { headers: { Age: null }, status: { 200: 201 } } })),
  ],
  ['errors', { response: inLines }, step(change('Errors.', { 'GET feed': { error: (body: unknown) => body } }))],
  ['a body that the step makes', { response: { 200: inLines, 204: null } }, step(whole({ status: { 204: 200 } }))],
  ['another status of the handler', { response: { 200: inLines } }, step(whole({ status: { 201: 200 } }))],
  ['a description of one version', { response: inLines, versions: { v1: { response: Order } } }, step(whole())],
  [
    'JSON that older versions have',
    { response: inLines },
    step(whole()),
    step(change('It streams.', { 'GET feed': { older: { response: Order } } })),
  ],
])('a step "response" may stand beside %s', (_title, description, ...changes) => {
  expect(() => bindWhole(description, ...changes)).not.toThrow()
})

it('a step "response" may be that of one version alone, of those that its name fits', () => {
  const tableOf = (response: object) => {
    const table = namedRoutes({ feed: '/feed' })
    table
      .describe('GET feed', { response: response as never })
      .route('feed')
      .get(() => {})
    return table
  }
  const bound = (older: object) => () => {
    const routes = namedRoutes({})
      .include('/v1', tableOf(older), { namespace: 'v1' })
      .include('/v2', tableOf(inLines), { namespace: 'v2' })
    versioning({
      scheme: HeaderVersioning,
      defaultVersion: 'v2',
      routes,
      changes: versionHistory('v1').version('v2', whole()),
    })
  }
  expect(bound(Order)).not.toThrow()
  expect(bound(inLines)).toThrow(onlyStreams('GET feed', 'describe()'))
})

// Documents -----------------------------------------------------------------------------------------------------------

const given = (media: object) =>
  routesOf({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/feed': { get: { responses: { 200: { description: 'A feed', content: { [SSE]: media } } } } } },
  })
const inDocument = (media: object, more: Change) => ({
  scheme: HeaderVersioning,
  routes: given(media),
  changes: versionHistory('v1').version('v2', more as never) as ReturnType<typeof versionHistory>,
})
const IN_DOCUMENT = { 'GET /feed': { item: (item: unknown) => item } }

it('messages are about the document of the table', () => {
  const unsaid = { schema: { type: 'string' } }
  expect(() => versioning(inDocument(unsaid, step(change('Odd.', IN_DOCUMENT))))).toThrow(
    new TypeError(
      'versioning(): the change "Odd." speaks of "GET /feed", but it is no stream by the document, so it has no "item". Write "itemSchema" there, whatever its version of OpenAPI: "content": { "text/event-stream": { "itemSchema": ... } }.',
    ),
  )
  const options = inDocument(unsaid, step(change('Odd.', { 'GET /feed': { error: (body: unknown) => body } })))
  expect(() => options.changes.for(options).item('GET /feed', {}, 'v1')).toThrow(
    'item(): the document says no { itemSchema } of "GET /feed": it has no items.',
  )
  const said = { itemSchema: { type: 'object' } }
  expect(() => versioning(inDocument(said, step(change('Odd.', IN_DOCUMENT))))).not.toThrow()
  const response = { 'GET /feed': { response: (body: unknown) => body } }
  expect(() => versioning(inDocument(said, step(change('Whole.', response))))).toThrow(
    onlyStreams('GET /feed', 'the document'),
  )
})

it.each<[title: string, isMistake: boolean, responses: object, response?: object]>([
  ['a stream without items', true, { 200: { content: { [SSE]: { schema: { type: 'string' } } } } }],
  ['streams in a range, and no content', true, { '2XX': { content: { [SSE]: {}, [LINES]: {} } }, 204: {} }],
  ['a stream for all other statuses', true, { 404: {}, default: { content: { [SSE]: {} } } }],
  ['a stream beside errors', true, { 200: { content: { [SSE]: {} } }, default: { content: { 'text/plain': {} } } }],
  ['another type', false, { 200: { content: { [SSE]: {}, 'text/csv': {} } } }],
  ['another status', false, { 200: { content: { [SSE]: {} } }, 202: { content: { 'text/plain': {} } } }],
  ['no content', false, { 200: {} }],
  ['no success', false, { 404: {} }],
  ['a description that replaces it', false, { 200: { content: { [SSE]: {} } } }, { response: Order }],
])('documents say what a step "response" gets: %s', (...[, isMistake, responses, described]) => {
  const routes = routesOf({ openapi: '3.0.3', paths: { '/feed': { get: { responses } } } })
  if (described !== undefined) routes.describe('GET /feed', described)
  const changes = versionHistory('v1').version(
    'v2',
    change('Whole.', { 'GET /feed': { response: (body: unknown) => body } }) as never,
  ) as ReturnType<typeof versionHistory>
  const bound = expect(() => versioning({ scheme: HeaderVersioning, routes, changes }))
  if (isMistake) bound.toThrow(onlyStreams('GET /feed', 'the document'))
  else bound.not.toThrow()
})

const stream = { content: { [SSE]: {} } }
type Statuses = Readonly<Record<number, number>>
it.each<[title: string, isMistake: boolean, responses: object, status: Statuses, common?: object]>([
  ['a stream', true, { 200: stream }, { 200: 201 }],
  ['a stream of a range', true, { '2XX': stream }, { 202: 200 }],
  ['a stream for all other statuses', true, { 404: {}, default: stream }, { 200: 201 }],
  ['one of two streams', true, { 200: stream, 201: { content: { [LINES]: { itemSchema: Order } } } }, { 201: 200 }],
  ['an error', true, { 200: stream, default: { content: { 'text/plain': {} } } }, { 409: 400 }],
  [
    'a status that only `default` describes',
    false,
    { 200: stream, default: { content: { 'text/plain': {} } } },
    { 201: 200 },
  ],
  ['a status that nothing describes', false, { 200: stream }, { 201: 200 }],
  ['a redirection', false, { 200: stream, 302: {} }, { 302: 200 }],
  ['no content', false, { '2XX': stream }, { 204: 200 }],
  ['a status that all operations share', false, { 200: stream }, { 201: 200 }, { 201: Order }],
])(
  'a document says whether the changed status has a step "response": %s',
  (...[, isMistake, responses, status, common]) => {
    const routes = routesOf({ openapi: '3.0.3', paths: { '/feed': { get: { responses } } } })
    if (common !== undefined) routes.describe('*', { response: common as never })
    const changes = versionHistory('v1').version(
      'v2',
      change('Whole.', { 'GET /feed': { response: (body: unknown) => body, status } }) as never,
    ) as ReturnType<typeof versionHistory>
    const bound = expect(() => versioning({ scheme: HeaderVersioning, routes, changes }))
    if (isMistake) bound.toThrow(onlyStreams('GET /feed', 'the document'))
    else bound.not.toThrow()
  },
)

it.each<[response: object, message: string]>([
  [
    { 200: { content: { [SSE]: { schema: events({ created: Order }) } } } },
    'At "response.200.content.text/event-stream" is { schema: [Object] }: write { itemSchema: ... } for the items of a stream.',
  ],
  [
    { content: { [LINES]: Order, 'application/json': { schema: events({ created: Order }) } } },
    'At "response.content.application/json" is { schema: [Object] }: write the schema itself.',
  ],
  [
    { 200: Order, 201: { schema: events({ created: Order }) } },
    'At "response.201" is { schema: [Object] }: write the schema itself; that of a stream by its media type, { content: { \'text/event-stream\': { itemSchema: ... } } }.',
  ],
  [
    { itemSchema: events({ created: Order }) },
    'At "response" is { itemSchema: [Object] }: write the schema itself; that of a stream by its media type, { content: { \'text/event-stream\': { itemSchema: ... } } }.',
  ],
  [
    { 200: { content: { 'text/plain': { itemSchema: 7 } } } },
    'At "response.200.content.text/plain" is { itemSchema: 7 }.',
  ],
  [
    { 200: { content: { [SSE]: { itemSchema: 7 } } } },
    'At "response.200.content.text/event-stream" is { itemSchema: 7 }.',
  ],
  [{ 200: { content: { [SSE]: 7 } } }, 'At "response.200.content.text/event-stream" is 7.'],
  [{ 200: 7 }, 'At "response.200" is 7.'],
])('tells which part of a description is no schema: %#', (response, message) => {
  const routes = namedRoutes({ feed: '/feed' })
  const describing = () => routes.describe('GET feed', { response: response as never })
  expect(describing).toThrow('describe(): "GET feed": option "response" takes JSON Schema 2020-12')
  expect(describing).toThrow(message)
})
