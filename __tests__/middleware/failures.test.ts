import { channel } from 'node:diagnostics_channel'
import express, { type Application, type RequestHandler } from 'express'
import {
  byVersion,
  NotFound,
  namedRoutes,
  type VersionEvent,
  type VersioningError,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type Change, type ChangeFacts, change, shape, versionHistory } from 'express-versioning/changes'
import { rows } from '../support/rows'
import { combined, header, namespace, query } from '../support/schemes'
import { serve } from '../support/serve'
import { routed } from '../support/tables'

// Observers are told again, with the error, if a request fails after the decision: once for each request.

const fail = (thrown: unknown = new Error('a step')): never => {
  throw thrown
}
const own = Object.assign(new Error('own'), { status: 422 })
const odd = Object.defineProperty({ status: 422 }, 'code', { get: () => fail() })
const steps = {
  'GET late': 'added',
  'GET removed': 'removed',
  'POST body': { request: () => fail() },
  'GET page': { query: () => fail() },
  'GET item': { response: () => fail() },
  'GET field': { headers: { 'X-Field': () => fail() } },
  'POST twice': { request: () => fail(), error: () => fail() },
  'GET own': { query: () => fail(own) },
  'GET odd': { query: () => fail(odd) },
} as const
const changes = versionHistory('v1').version('v2', change('Many.', steps))
const NAMES = ['late', 'removed', 'body', 'page', 'item', 'field', 'twice', 'own', 'odd', 'plain']
const answer: RequestHandler = ({ query: { by } }, res) => {
  if (by === 'fault') fail()
  res.type('json').set('X-Field', 'x')
  if (by === 'end') res.end('{}')
  else if (by === 'later') setImmediate(() => res.json({}))
  else res.json({})
}
const known = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const parts = [combined([header()]), query({ versionParam: 'v' }), namespace()]
const tableOf = () => {
  const routes = routed(Object.fromEntries(NAMES.map((name) => [name, `/${name}`])), answer)
  routes
    .add('handled', '/handled')
    .route('handled')
    .get(byVersion({ v2: answer }))
  return routes
}

/** Serves an API, and returns the status of an answer with all that observers were told: scheme, version and code. */
async function observed(build: (app: Application, decides: (options: object) => RequestHandler) => void) {
  const told: string[] = []
  const onVersion = ({ phase, scheme, named, version, error }: VersionEvent) => {
    const { code = error === undefined ? '' : 'other' } = Object(error) as { code?: string }
    told.push(
      `${phase === 'failed' ? 'failed: ' : ''}${scheme.constructor.name.replace('Versioning', '')} ${named ? '' : 'default '}${version} ${code}`.trim(),
    )
  }
  const { send } = await serve((app) => build(app, (more) => versioning({ onVersion, ...more } as VersioningOptions)))
  return async (method: string, path: string, version?: string, type = 'application/json') => {
    told.length = 0
    const headers = { ...(version && { 'X-API-Version': version }), ...(method === 'POST' && { 'Content-Type': type }) }
    const { status } = await send(method, path, headers, method === 'POST' ? '{"a":1}' : '')
    return [status, ...told].join(', ')
  }
}

const FAILED = rows(`
  // the request, and what is told
  GET /plain v1      | 200, Header v1
  GET /plain?v=v2    | 200, QueryParameter v2
  GET /plain         | 200, Combined default v1
  GET /plain v9      | 406, Combined undefined ERR_VERSION_NOT_ACCEPTABLE
  GET /plain?v=v2 v1 | 400, Combined undefined ERR_VERSION_CONFLICT
  GET /plain?by=fault v1 | 500, Header v1
  GET /none v1       | 404, Header v1
  GET /handled v1    | 404, Header v1, failed: Header v1 ERR_VERSION_UNHANDLED
  GET /late v1       | 404, Header v1, failed: Header v1 ERR_VERSION_UNHANDLED
  GET /removed v2    | 404, Header v2, failed: Header v2 ERR_VERSION_UNHANDLED
  POST /body v1      | 400, Header v1, failed: Header v1 ERR_VERSION_BODY
  POST /body v1 text/x | 415, Header v1, failed: Header v1 ERR_VERSION_BODY
  POST /body?v=v1    | 400, QueryParameter v1, failed: QueryParameter v1 ERR_VERSION_BODY
  POST /body         | 400, Combined default v1, failed: Combined default v1 ERR_VERSION_BODY
  GET /page v1       | 400, Header v1, failed: Header v1 ERR_VERSION_BODY
  GET /item v1       | 500, Header v1, failed: Header v1 ERR_VERSION_CHANGE
  GET /item?by=end v1 | 500, Header v1, failed: Header v1 ERR_VERSION_CHANGE
  GET /item?by=later v1 | 500, Header v1, failed: Header v1 ERR_VERSION_CHANGE
  GET /field v1      | 500, Header v1, failed: Header v1 ERR_VERSION_CHANGE
  // The answer about the first failure fails too.
  POST /twice v1     | 500, Header v1, failed: Header v1 ERR_VERSION_BODY
  // A step's own refusal of the client is not one of this package.
  GET /own v1        | 422, Header v1
  GET /odd v1        | 422, Header v1`)

test('observers are told of failures after the decision', async () => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const routes = tableOf()
  const asks = await observed((app, decides) => {
    app.use(decides({ scheme: combined(parts, known), changes, routes }), express.json(), routes)
  })
  for (const [asked = '', expected] of FAILED) {
    expect([asked, await asks(...(asked.split(' ') as [string, string]))]).toEqual([asked, expected])
  }
  jest.restoreAllMocks()
})

test('a versioning() on a route tells the decision, and then a failure', async () => {
  const routes = namedRoutes({ twice: '/twice' })
  const history = versionHistory('v1').version('v2', change('Many.', { 'POST twice': steps['POST twice'] }))
  const asks = await observed((app, decides) => {
    routes.route('twice').post(express.json(), decides({ scheme: header(known), changes: history, routes }) as never)
    app.use(routes)
  })
  expect(await asks('POST', '/twice', 'v1')).toBe('500, Header v1, failed: Header v1 ERR_VERSION_BODY')
})

test.each([
  ['gone', { sunset: '2020-01-01', afterSunset: 'gone' }, 'ERR_VERSION_GONE'],
  ['paused', { brownouts: [{ from: '2020-01-01', to: '2999-01-01' }] }, 'ERR_VERSION_BROWNOUT'],
] as const)('a version that is %s is decided, also where its operation is absent', async (_what, v1, code) => {
  const asks = await observed((app, decides) => {
    const routes = tableOf()
    app.use(decides({ scheme: header(known), changes, routes, lifecycle: { v1 } }), routes)
  })
  for (const path of ['/plain', '/late']) expect(await asks('GET', path, 'v1')).toBe(`410, Header v1 ${code}`)
})

test('the channel is told too', async () => {
  const heard: unknown[] = []
  const listener = (event: unknown) => void heard.push((event as VersionEvent).error)
  const events = channel('express-versioning:version')
  events.subscribe(listener)
  const asks = await observed((app, decides) => {
    const routes = tableOf()
    app.use(decides({ scheme: header(known), changes, routes }), routes)
  })
  await asks('GET', '/item', 'v1')
  events.unsubscribe(listener)
  expect(heard).toEqual([undefined, expect.objectContaining({ code: 'ERR_VERSION_CHANGE' })])
})

test('errors of a change tell the change, the operation, the step and the version, and hide them from serializers', async () => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const Price = { $id: 'Price', type: 'object', properties: { amount: { type: 'number' } } }
  const prices = namedRoutes({ price: '/prices' })
  prices.route('price').get(answer).post(answer)
  prices.describe('GET price', { response: Price }).describe('POST price', { body: Price, response: Price })
  const older = { ...Price, properties: { amount: { type: 'string' } } }
  const shaped = shape(older, Price, { request: () => fail(), response: () => fail() })
  const many = change('Many.', { ...steps, 'POST plain': { request: (body: unknown) => body } })
  const told: unknown[] = []
  const onVersion = ({ error }: VersionEvent) => {
    if (error === undefined) return
    const { change, operation, step, version } = error as ChangeFacts
    told.push([(error as VersioningError).code.slice(12), change, operation, step, version])
    expect(Object.keys(error as object).filter((name) => /change|operation|step|version/.test(name))).toEqual([])
  }
  const { send } = await serve((app) => {
    app.use(express.json())
    for (const [routes, one] of [
      [prices, change('Prices.', { Price: shaped })],
      [tableOf(), many],
    ] as const) {
      const options = { changes: versionHistory('v1').version('v2', one as Change<object>), routes, onVersion }
      app.use(versioning({ scheme: header(known), ...options }), routes)
    }
  })
  const post = { 'Content-Type': 'application/json' }
  const asked: [method: string, path: string, body?: string, headers?: Record<string, string>][] = [
    ['HEAD', '/item'],
    ['GET', '/field'],
    ['GET', '/page?a=1'],
    ['POST', '/body', '{}', post],
    ['POST', '/prices', '{}', post],
    ['GET', '/prices'],
    ['POST', '/plain', '{"a":1e400}', post],
    ['POST', '/plain', 'a', { 'Content-Type': 'text/x' }],
  ]
  for (const [method, path, body, headers] of asked)
    await send(method, path, { ...headers, 'X-API-Version': 'v1' }, body)
  expect(told).toEqual([
    ['CHANGE', 'Many.', 'GET item', 'response', 'v1'],
    ['CHANGE', 'Many.', 'GET field', 'headers: X-Field', 'v1'],
    ['BODY', 'Many.', 'GET page', 'query', 'v1'],
    ['BODY', 'Many.', 'POST body', 'request', 'v1'],
    ['BODY', 'Prices.', 'POST price', 'request', 'v1'],
    ['CHANGE', 'Prices.', 'GET price', 'response', 'v1'],
    ['BODY', 'Many.', 'POST plain', 'request', 'v1'],
    ['BODY', 'Many.', 'POST plain', 'request', 'v1'],
  ])
  jest.restoreAllMocks()
})

test('the version of an error has no control characters, and can be logged', () => {
  const escaped = (version: unknown) => new NotFound('Not found.', { version }).version
  expect(escaped('v\x1b[2J\n1')).toBe('v\\u{1b}[2J\\u{a}1')
  expect([escaped(null), escaped(undefined), escaped('v1')]).toEqual([null, undefined, 'v1'])
})
