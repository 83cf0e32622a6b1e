import { HeaderVersioning, type NamedRoutes, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { type Change, change, events, fields, shape, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { z } from 'zod'
import { readSchema } from '../../src/schemas/reading'
import { serve } from '../support/serve'

// Items: their descriptions, their conversion by hand, and the mistakes that versioning() finds.

type Json = Record<string, unknown>
const Order = {
  $id: 'Order',
  type: 'object',
  properties: { id: { type: 'string' }, title: { type: 'string' } },
  required: ['id', 'title'],
}
const Ref = { $id: 'Ref', type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const renamed = fields({ renamed: { name: 'title' } })
const RENAMED = change('Orders have `title` in place of `name`.', { Order: renamed })
const SSE = 'text/event-stream'
const LINES = 'application/x-ndjson'
const json = (contentSchema: unknown, more: Json = {}) => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema,
  ...more,
})

function optionsOf(
  content: Json,
  changes: Parameters<ReturnType<typeof versionHistory>['version']>[1][],
  more: Json = {},
): VersioningOptions {
  const api = namedRoutes({ feed: '/feed', other: '/other' })
  api.describe('GET feed', { response: { 200: { content } }, ...more } as never)
  api.describe('GET other', { response: null })
  api.describe('*', { response: { '4XX': null, '5XX': null } })
  for (const name of ['feed', 'other'] as const) api.route(name).get((_req, res) => void res.end())
  return {
    scheme: HeaderVersioning,
    defaultVersion: 'v2',
    routes: api,
    changes: versionHistory('v1').version('v2', ...changes),
  }
}

const byHand = (content: Json, ...changes: Parameters<typeof optionsOf>[1]) => {
  const options = optionsOf(content, changes)
  return (options.changes as ReturnType<typeof versionHistory>).for(options)
}

const item = { id: '1', title: 'a' }
const older = { id: '1', name: 'a' }

it.each<[title: string, itemSchema: unknown]>([
  ['events()', events({ created: Order, deleted: Ref })],
  [
    'one event',
    { type: 'object', properties: { event: { const: 'created' }, data: json(Order) }, required: ['event', 'data'] },
  ],
  ['any event', { properties: { data: json(Order) } }],
  [
    'a union below common properties',
    {
      type: 'object',
      required: ['data'],
      properties: { data: { type: 'string' }, event: { type: 'string' } },
      oneOf: [
        { properties: { event: { const: 'created' }, data: json(Order) } },
        { properties: { event: { enum: ['deleted'] }, data: json(Ref) } },
        { properties: { event: { const: 'ping' }, data: { type: 'string' } } },
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
    'an event with a name, and more',
    {
      $ref: '#/$defs/Created',
      description: 'One.',
      allOf: [{ required: ['data'] }],
      $defs: { Created: { properties: { event: { const: 'created' }, data: { allOf: [json(Order)] } } } },
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
    'a reference with words beside it',
    {
      $ref: '#/$defs/Created',
      description: 'One.',
      $defs: {
        Created: { properties: { event: { enum: ['created', 'new'] }, data: json(Order) }, required: ['event'] },
      },
    },
  ],
  [
    'events without names of people',
    { oneOf: [{ $ref: '#/$defs/__schema0' }], $defs: { __schema0: { properties: { data: json(Order) } } } },
  ],
  [
    'an event with no other fields',
    { $ref: '#/$defs/Created', $defs: { Created: { properties: { data: json(Order) }, required: ['data'] } } },
  ],
])('finds the shapes in the data of %s', (_title, itemSchema) => {
  const { item: convert } = {
    item: (value: unknown) => byHand({ [SSE]: { itemSchema } }, RENAMED).item('GET feed', value, 'v1'),
  }
  expect(convert({ event: 'created', data: item, id: '7' })).toEqual({ event: 'created', data: older, id: '7' })
  expect(convert({ event: 'created', data: '[DONE]' })).toEqual({ event: 'created', data: '[DONE]' })
})

it('takes events without a name for those named message', () => {
  const feed = byHand({ [SSE]: { itemSchema: events({ message: Order, deleted: Ref }) } }, RENAMED)
  expect(feed.item('GET feed', { data: item }, 'v1')).toEqual({ data: older })
  expect(feed.item('GET feed', { event: 'message', data: item }, 'v1')).toEqual({ event: 'message', data: older })
  expect(() => feed.item('GET feed', { event: 'created', data: item }, 'v1')).toThrow(
    'got an item that fits no described branch.',
  )
  const own = byHand(
    {
      [SSE]: {
        itemSchema: {
          type: 'object',
          required: ['event', 'data'],
          properties: { event: { const: 'message' }, data: json(Order) },
        },
      },
    },
    RENAMED,
  )
  expect(own.item('GET feed', { data: item }, 'v1')).toEqual({ data: older })
})

it('converts lines by hand, and tells events from them', () => {
  const content = {
    [LINES]: { itemSchema: Order },
    [SSE]: { itemSchema: events({ created: Order }) },
    'application/jsonl': { itemSchema: { type: 'number' } },
  }
  const feed = byHand(content, RENAMED)
  expect(feed.item('GET feed', item, 'v1')).toEqual(older)
  expect(feed.item('GET feed', { event: 'created', data: item }, 'v1')).toEqual({ event: 'created', data: older })
  expect(feed.item('GET feed', 7, 'v1')).toBe(7)
  expect(feed.item('GET feed', item, 'v2')).toBe(item)
})

it('runs own steps by hand, with a table and without', () => {
  const step = change('Odd.', {
    'GET feed': { item: (event: { event: string }) => (event.event === 'gone' ? null : { ...event, event: 'new' }) },
  })
  const history = versionHistory('v1').version('v2', step)
  for (const hand of [history, byHand({ [SSE]: { itemSchema: events({ created: Ref, gone: Ref }) } }, step)]) {
    expect(hand.item('GET feed', { event: 'created', data: { id: '1' } }, 'v1')).toEqual({
      event: 'new',
      data: { id: '1' },
    })
    expect(hand.item('GET feed', { event: 'gone', data: { id: '1' } }, 'v1')).toBeNull()
    expect(hand.item('GET feed', { event: 'gone', data: { id: '1' } }, 'v2')).toEqual({
      event: 'gone',
      data: { id: '1' },
    })
  }
  expect(() => history.item('GET feed', {}, 'v9')).toThrow("item(): the history has no version 'v9'.")
  expect(() => versionHistory('v1').version('v2', RENAMED).item('GET feed', {}, 'v1')).toThrow(
    'Use history.for(options).item(...)',
  )
  expect(() => byHand({ [LINES]: { itemSchema: Order } }, RENAMED).item('GET other', {}, 'v1')).toThrow(
    'item(): describe() says no { itemSchema } of "GET other": it has no items.',
  )
  expect(history.item('GET unknown', item, 'v1')).toBe(item)
})

it('takes other values for items of the only stream, and those of neutral routes as they are', () => {
  const hand = byHand({ [SSE]: { itemSchema: events({ created: Order }) } }, RENAMED)
  expect(() => hand.item('GET feed', 7, 'v1')).toThrow('found a number')
  const options = optionsOf({ [LINES]: { itemSchema: Order } }, [RENAMED])
  const neutral = { ...options, neutral: ['feed'], changes: versionHistory('v1').version('v2') }
  expect(neutral.changes.for(neutral).item('GET feed', item, 'v1')).toBe(item)
})

it('drops null by a step alone', () => {
  const feed = byHand(
    { [LINES]: { itemSchema: { anyOf: [{ $ref: '#/$defs/Order' }, { type: 'null' }], $defs: { Order } } } },
    RENAMED,
  )
  expect(feed.item('GET feed', null, 'v1')).toBeNull()
})

it('converts the items of other statuses', () => {
  const changes = versionHistory('v1').version(
    'v2',
    change('Odd.', { Order: renamed, 'GET feed': { status: { 201: 200 } } }),
  )
  const response = { 201: { content: { [LINES]: { itemSchema: Order } } } }
  const options = { ...optionsOf({}, [], { response }), changes }
  expect(changes.for(options).item('GET feed', item, 'v1')).toEqual(older)
})

// Mistakes ------------------------------------------------------------------------------------------------------------

const feed = { [SSE]: { itemSchema: events({ created: Order }) } }
it.each<[message: string, make: () => unknown]>([
  ['events() takes the schemas of events by their names, such as { created: Order }; got {}.', () => events({})],
  [
    'events() takes the schemas of events by their names, such as { created: Order }; got null',
    () => events(null as never),
  ],
  ["events() takes names of events; got ''.", () => events({ '': Order })],
  ["events() takes names of events; got 'a\\nb'.", () => events({ 'a\nb': Order })],
  ['events(): option "created" takes JSON Schema 2020-12', () => events({ created: 7 as never })],
  ['describe(): "GET feed": option "response" takes', () => optionsOf({ 'text/plain': { itemSchema: Order } }, [])],
  ['describe(): "GET feed": option "response" takes', () => optionsOf({ [SSE]: { itemSchema: 7 } }, [])],
  [
    'describe(): "GET feed": option "response" takes',
    () => optionsOf({ [SSE]: { itemSchema: Order, schema: Order } }, []),
  ],
  [
    `versioning(): the change "Odd." speaks of "GET other", but it is no stream by describe(), so it has no "item": { response: { 200: { content: { 'text/event-stream': { itemSchema } } } } }.`,
    () => versioning(optionsOf(feed, [change('Odd.', { 'GET other': { item: (value) => value } })])),
  ],
  [
    'it is no stream by describe()',
    () => versioning(optionsOf(feed, [change('Odd.', { 'GET other': { older: { item: Order } } })])),
  ],
  ['unknown option "item"', () => change('Odd.', { '*': { item: (value: unknown) => value } as never })],
  [
    '"GET feed": option "older.item" takes JSON Schema',
    () => change('Odd.', { 'GET feed': { item: (value) => value, older: { item: null as never } } }),
  ],
  [
    '"older.response" takes no { itemSchema }: write { older: { item: ... } }.',
    () => change('Odd.', { 'GET feed': { older: { response: { content: { [SSE]: { itemSchema: Order } } } } } }),
  ],
  [
    'two different schemas in it have the name "Order"',
    () =>
      versioning(
        optionsOf({ [SSE]: { itemSchema: events({ created: Order, deleted: { ...Ref, $id: 'Order' } }) } }, [RENAMED]),
      ),
  ],
  [
    'the change "Both." of version \'v2\' has an own "item", but no { older: { item } } that says where changed shapes ("Order") stand before, for the items of the response 200 of "GET feed".',
    () => versioning(optionsOf(feed, [change('Both.', { Order: renamed, 'GET feed': { item: (value) => value } })])),
  ],
  [
    'streams of events and of other items have items of their own, which one "older" "item" cannot describe, of "GET feed" in the change "Both.".',
    () =>
      versioning(
        optionsOf({ ...feed, [LINES]: { itemSchema: Order } }, [
          change('Both.', { Order: renamed, 'GET feed': { item: (value) => value, older: { item: Order } } }),
        ]),
      ),
  ],
  [
    'the data of events is parsed, so no change can name an event as a whole. Write an "item" step of the operation instead of a change of the shape "Created", in "GET feed".',
    () =>
      versioning(
        optionsOf(
          {
            [SSE]: {
              itemSchema: {
                $id: 'Created',
                type: 'object',
                properties: { event: { const: 'created' }, data: json(Order) },
              },
            },
          },
          [change('Odd.', { Created: shape({ type: 'object' }, { response: (value) => value }) })],
        ),
      ),
  ],
  [
    'its branch cannot be told from another one',
    () =>
      versioning(
        optionsOf(
          {
            [SSE]: {
              itemSchema: { oneOf: [{ properties: { data: json(Order) } }, { properties: { data: json(Ref) } }] },
            },
          },
          [RENAMED],
        ),
      ),
  ],
  [
    'the shape "Order" of the change "Odd." has no "response", but stands in the items of the response 200 of "GET feed".',
    () =>
      versioning(
        optionsOf(feed, [
          change('Odd.', {
            Order: shape({ type: 'object', properties: { id: {}, name: {} } }, { request: (value) => value }),
          }),
        ]),
      ),
  ],
  [
    'Order',
    () =>
      versioning(
        optionsOf(
          {
            [SSE]: { itemSchema: events({ created: { type: 'object', properties: Order.properties }, listed: Order }) },
          },
          [RENAMED],
        ),
      ),
  ],
])('%s', (message, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

// Schemas -------------------------------------------------------------------------------------------------------------

it('writes events as OpenAPI 3.2 does', () => {
  const Named = z.object({ id: z.string() }).meta({ id: 'Named' })
  const { schema, definitions } = readSchema(events({ created: Named, message: { type: 'number' } }), 'output')
  expect(schema).toEqual({
    oneOf: [
      {
        type: 'object',
        properties: { event: { const: 'created' }, data: json({ $ref: 'Named' }) },
        required: ['event', 'data'],
      },
      {
        type: 'object',
        properties: { event: { const: 'message' }, data: json({ type: 'number' }) },
        required: ['data'],
      },
    ],
  })
  expect([...definitions.keys()]).toEqual(['Named'])
  const { schema: one } = readSchema(events({ created: { type: 'number' } }), 'output')
  expect(one.oneOf).toHaveLength(1)
})

it('does not follow an event that contains itself', () => {
  const itemSchema = {
    $ref: '#/$defs/A',
    $defs: {
      A: { anyOf: [{ $ref: '#/$defs/A' }, { properties: { data: { $ref: '#/$defs/B' } } }] },
      B: { $ref: '#/$defs/B' },
    },
  }
  expect(
    byHand({ [SSE]: { itemSchema }, [LINES]: { itemSchema: Order } }, RENAMED).item('GET feed', { data: 7 }, 'v1'),
  ).toEqual({ data: 7 })
})

it('follows the definitions of other operations', () => {
  const itemSchema = {
    allOf: [{ $ref: 'Ref' }],
    properties: { data: json(Order), event: { const: 'message' } },
    required: ['event', 'data'],
  }
  const hand = byHand({ [SSE]: { itemSchema }, [LINES]: { itemSchema: Ref } }, RENAMED)
  expect(hand.item('GET feed', { data: item, id: '7' }, 'v1')).toEqual({ data: older, id: '7' })
})

it('tells a branch of items by the option "places"', () => {
  const itemSchema = { oneOf: [{ properties: { data: json(Order) } }, { properties: { data: json(Ref) } }] }
  const placed = (place: string) => {
    const api = namedRoutes(
      { feed: '/feed' },
      { places: { [place]: (value) => ('title' in (value as { data: object }).data ? 0 : 1) } },
    )
    api.describe('GET feed', { response: { 200: { content: { [SSE]: { itemSchema } } } } })
    api.describe('*', { response: { '4XX': null, '5XX': null } })
    api.route('feed').get((_req, res) => void res.end())
    return {
      scheme: HeaderVersioning,
      defaultVersion: 'v2',
      routes: api,
      changes: versionHistory('v1').version('v2', RENAMED),
    }
  }
  const options = placed('GET feed 200 item')
  expect(options.changes.for(options).item('GET feed', { data: item }, 'v1')).toEqual({ data: older })
  expect(options.changes.for(options).item('GET feed', { data: { id: '1' } }, 'v1')).toEqual({ data: { id: '1' } })
  expect(() => versioning(placed('GET feed 201 item'))).toThrow('option "places" has "GET feed 201 item", but')
})

it('rejects the items of operations that nobody had described', async () => {
  const options = optionsOf({ [SSE]: { itemSchema: events({ created: Order }) } }, [RENAMED])
  const server = await serve((app) => {
    app.use(versioning(options))
    const routes = options.routes as unknown as NamedRoutes
    routes
      .add('late', '/late')
      .route('late')
      .get((_req, res) => void res.type(SSE).end(`data: ${JSON.stringify(item)}\n\n`))
    app.use(routes as never)
  })
  expect((await server.get('/late', { 'X-API-Version': 'v1' })).status).toBe(500)
})

it('takes any item', () => {
  expect(
    byHand({ [SSE]: { itemSchema: true }, [LINES]: { itemSchema: Order } }, RENAMED).item(
      'GET feed',
      { data: 7 },
      'v1',
    ),
  ).toEqual({ data: 7 })
})

// Steps for whole responses, which no stream has ----------------------------------------------------------------------

const whole = (more: object = {}) => change('Whole.', { 'GET feed': { response: (body: unknown) => body, ...more } })
const lines = { content: { [LINES]: { itemSchema: Order } } }
const onlyStreams = (operation: string, by: string) =>
  `versioning(): the change "Whole." speaks of "${operation}", but it only streams by ${by}, and no "response" gets a stream, so older versions would get the newest items. Write "item" instead, which gets one item at a time; or, if the operation sends JSON too, describe that beside the stream.`

/** Binds a history to a table whose `GET feed` has these responses. */
function bindWhole(description: object, ...changes: Change[]) {
  const history = versionHistory('v1').version('v2', ...(changes as [])) as ReturnType<typeof versionHistory>
  const options = { ...optionsOf({}, [], description as Json), changes: history }
  for (const bind of [() => versioning(options), () => history.for(options)]) bind()
}

it.each<[title: string, response: object]>([
  ['events', { 200: { content: feed } }],
  ['lines alone', lines],
  [
    'all kinds of streams',
    { 200: { content: { ...feed, [LINES]: { itemSchema: Order }, 'application/json-seq': true } } },
  ],
  ['a stream without items', { 200: { content: { [SSE]: { type: 'string' } } } }],
  ['a stream and errors', { 200: lines, 404: Order, default: Order }],
  ['a stream and no content', { 200: lines, 204: null }],
  ['two statuses', { 200: lines, '2XX': { content: feed } }],
  ['`default` alone', { default: lines }],
])('a step "response" of an operation that only streams is a mistake: %s', (_title, response) => {
  expect(() => bindWhole({ response }, whole() as Change)).toThrow(new TypeError(onlyStreams('GET feed', 'describe()')))
})

const step = (change: object) => change as Change
it.each<[title: string, description: object, ...changes: Change[]]>([
  ['JSON beside a stream', { response: { 200: { content: { ...feed, 'application/json': Order } } } }, step(whole())],
  ['JSON of another status', { response: { 200: lines, 201: Order } }, step(whole())],
  [
    'another type beside a stream',
    { response: { 200: { content: { ...feed, 'text/csv': { type: 'string' } } } } },
    step(whole()),
  ],
  ['a success without JSON', { response: { 200: null } }, step(whole())],
  ['no success', { response: { 404: Order } }, step(whole())],
  ['no description', { response: undefined }, step(whole())],
  ['no media type', { response: { content: {} } }, step(whole())],
  ['an item too', { response: lines }, step(whole({ item: (item: unknown) => item }))],
  [
    'no step',
    { response: lines },
    step(change('Heads.', { 'GET feed': { headers: { Age: null }, status: { 200: 201 } } })),
  ],
  ['errors', { response: lines }, step(change('Errors.', { 'GET feed': { error: (body: unknown) => body } }))],
  ['a body that the step makes', { response: { 200: lines, 204: null } }, step(whole({ status: { 204: 200 } }))],
  ['another status of the handler', { response: { 200: lines } }, step(whole({ status: { 201: 200 } }))],
  ['a description of one version', { response: lines, versions: { v1: { response: Order } } }, step(whole())],
  [
    'JSON that older versions have',
    { response: lines },
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
      .include('/v2', tableOf(lines), { namespace: 'v2' })
    versioning({
      scheme: HeaderVersioning,
      defaultVersion: 'v2',
      routes,
      changes: versionHistory('v1').version('v2', whole()),
    })
  }
  expect(bound(Order)).not.toThrow()
  expect(bound(lines)).toThrow(onlyStreams('GET feed', 'describe()'))
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
    { 200: { content: { 'text/plain': { itemSchema: Order } } } },
    'At "response.200.content.text/plain" is { itemSchema: [Object] }: only streams have items.',
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
