// What streams and conversions meet rarely: heads that are flushed late, bytes that are no UTF-8, lines with an older schema.
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, events, fields, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { OutgoingResponse } from '../../src/changes/http/outgoing-response'
import type { RequestState } from '../../src/request/state'
import { Ajv } from '../support/ajv'
import { serve } from '../support/serve'

const Order = { $id: 'Order', type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] }
const V1 = { 'X-API-Version': 'v1' }
const content = {
  'application/json': Order,
  'text/event-stream': { itemSchema: events({ created: Order }) },
  'application/x-ndjson': { itemSchema: Order },
}
const changes = versionHistory('v1').version(
  'v2',
  change('Orders have a `total`.', { Order: fields({ renamed: { amount: 'total' } }) }),
)

/** Serves one route, whose responses may be orders, events or lines. */
function serving(send: (res: Response) => unknown, more: object = {}) {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content } } })
  const handler: RequestHandler = (_req, res) => void send(res)
  routes.route('feed').get(handler)
  return serve((app) => void app.use(versioning({ scheme: HeaderVersioning, changes, routes, ...more }), routes))
}

test('the head of a response that failed is not flushed', async () => {
  const { get } = await serving((res) => {
    res.json([{ other: 1 }])
    res.flushHeaders()
  })
  expect(await get('/feed', V1)).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
})

test('the head of a response that passes is flushed', async () => {
  const { get } = await serving((res) => {
    res.type('text').write('a')
    res.flushHeaders()
    res.end('b')
  })
  expect(await get('/feed', V1)).toMatchObject({ status: 200, text: 'ab' })
})

test('a line that is not UTF-8 keeps its bytes beside converted data', async () => {
  const { origin } = await serving((res) => {
    const parts = [Buffer.from('event: created\n: '), Buffer.from([0xff]), Buffer.from('\ndata: {"total":1}\n\n')]
    res.type('text/event-stream').end(Buffer.concat(parts))
  })
  const response = await fetch(`${origin}/feed`, { headers: V1 })
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  expect(text).toBe('event: created\n: \xff\ndata: {"amount":1}\n\n')
})

test('a response that another one replaced takes no more items', () => {
  const response = new OutgoingResponse({} as Request, {} as Response, {} as RequestState)
  expect(response.passItems({} as never, 'write', [])).toBe(false)
})

test('a step of lines has an older schema', async () => {
  const routes = namedRoutes({ lines: '/lines' })
  routes.describe('GET lines', { response: { 200: { content: { 'application/x-ndjson': { itemSchema: Order } } } } })
  routes.route('lines').get((_req, res) => void res.type('application/x-ndjson').end('{"total":1}\n'))
  const item = ({ amount }: { amount: number }) => amount
  const lines = change('Lines are orders instead of numbers.', {
    'GET lines': { item, older: { item: { type: 'integer' } } },
  })
  const totals = change('Orders have a `total`.', { Order: fields({ renamed: { amount: 'total' } }) })
  const history = versionHistory('v1')
    .version('v2', lines as never)
    .version('v3', totals)
  const { get } = await serve(
    (app) => void app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes),
  )
  expect(await get('/lines', V1)).toMatchObject({ status: 200, text: '1\n' })
})

test.each([true, false])('a judged stream, whose head is flushed: %s', async (isFlushed) => {
  const ajv = new Ajv()
  const judged = contract({ compile: (schema) => ajv.compile(schema), requests: false, responses: 'throw' })
  const { get } = await serving(
    (res) => {
      res.type('application/x-ndjson')
      if (isFlushed) res.flushHeaders()
      res.end('{"total":1}\n')
    },
    { contract: judged },
  )
  expect(await get('/feed', V1)).toMatchObject({ status: 200, text: '{"amount":1}\n' })
})

const judging = () => {
  const ajv = new Ajv()
  return contract({ compile: (schema) => ajv.compile(schema), requests: false, responses: 'throw' })
}
const V2 = { 'X-API-Version': 'v2' }

test('JSON whose head is flushed is judged all the same', async () => {
  const { get } = await serving(
    (res) => {
      res.type('json').flushHeaders()
      res.end('{"total":"one"}')
    },
    { contract: judging() },
  )
  expect(await get('/feed', V2)).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CONTRACT' } })
})

test('what is written behind an item that does not fit is dropped until the error was sent', async () => {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content } } })
  routes.route('feed').get((_req, res) => {
    res.type('application/x-ndjson').write('{"total":"one"}\n')
    res.end('{"total":1}\n')
    res.end()
  })
  const later: ErrorRequestHandler = (error, _req, _res, next) => void setImmediate(next, error)
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes, routes, contract: judging() }), routes, later)
  })
  expect(await get('/feed', V2)).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CONTRACT' } })
})

test('a writer that goes on after its stream failed ends the error without a body', async () => {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content } } })
  routes.route('feed').get((_req, res) => {
    res.type('application/x-ndjson').write('{"total":"one"}\n')
    setImmediate(() => res.end('{"total":1}\n'))
  })
  const silent: ErrorRequestHandler = (_error, _req, _res, _next) => {}
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes, routes, contract: judging() }), routes, silent)
  })
  expect(await get('/feed', V2)).toMatchObject({ status: 500, text: '' })
})

test('a response that a step changes without an older schema is not judged', async () => {
  const routes = namedRoutes({ order: '/order' })
  routes.describe('GET order', { response: Order })
  routes.route('order').get((_req, res) => void res.json({ total: 1 }))
  const step = change('Orders are lists.', { 'GET order': { response: (order) => [order] } })
  const history = versionHistory('v1').version('v2', step)
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes, contract: judging() }), routes)
  })
  expect(await get('/order', V1)).toMatchObject({ status: 200, json: [{ total: 1 }] })
})

test('who ends a stream within an item is called when the error was sent', async () => {
  let isCalled = false
  const { get } = await serving((res) => {
    res.type('application/x-ndjson').end('{"total":1}', () => {
      isCalled = true
    })
  })
  expect(await get('/feed', V1)).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
  expect(isCalled).toBe(true)
})

test('a place has no words behind it', () => {
  const routes = namedRoutes({ feed: '/feed' }, { places: { 'GET feed 200 odd': null } })
  routes
    .describe('GET feed', { response: Order })
    .route('feed')
    .get((_req, res) => void res.end())
  expect(() => versioning({ scheme: HeaderVersioning, changes, routes })).toThrow('"GET feed 200 odd"')
})
