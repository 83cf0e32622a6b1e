// Items: their descriptions, their conversion by hand, and the mistakes that versioning() finds.
import {
  HeaderVersioning,
  type NamedRoutes,
  type NamedRoutesOptions,
  namedRoutes,
  versioning,
} from 'express-versioning'
import { type Change, change, events, fields, shape } from 'express-versioning/changes'
import { z } from 'zod'
import { readSchema } from '../../src/schemas/reading'
import { historyOf } from '../support/changes'
import { serve } from '../support/serve'

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
