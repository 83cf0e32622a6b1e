import { channel } from 'node:diagnostics_channel'
import express, { type Application, type RequestHandler } from 'express'
import {
  byVersion,
  NotFound,
  namedRoutes,
  type VersionEvent,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type ChangeFacts, change, shape, versionHistory } from 'express-versioning/changes'
import { rows } from '../support/rows'
import { combined, header, namespace, query } from '../support/schemes'
import { serve } from '../support/serve'
import { routed } from '../support/tables'
import { catchWarnings } from '../support/warnings'

// Observers are told again, with the error, if a request fails after the decision: once for each request.

const fail = (thrown: unknown = new Error('a step')): never => {
  throw thrown
}
const own = Object.assign(new Error('own'), { status: 422 })
const odd = Object.defineProperty({ status: 422 }, 'code', { get: () => fail() })
const twice = { request: () => fail(), error: () => fail() }
const many = change('Many.', {
  'GET late': 'added',
  'GET removed': 'removed',
  'POST body': { request: () => fail() },
  'GET page': { query: () => fail() },
  'GET item': { response: () => fail() },
  'GET field': { headers: { 'X-Field': () => fail() } },
  'POST twice': twice,
  'GET own': { query: () => fail(own) },
  'GET odd': { query: () => fail(odd) },
  'POST plain': { request: (body: unknown) => body },
})
const Price = { $id: 'Price', type: 'object', properties: { amount: { type: 'number' } } }
const older = { ...Price, properties: { amount: { type: 'string' } } }
const prices = change('Prices.', { Price: shape(older, Price, { request: () => fail(), response: () => fail() }) })
const [changes, shapes] = [many, prices].map((one) => versionHistory('v1').version('v2', one as never))
const response: RequestHandler = ({ query: { by } }, res) => {
  if (by === 'fault') fail()
  res.type('json').set('X-Field', 'x')
  if (by === 'end') res.end('{}')
  else if (by === 'later') setImmediate(() => res.json({}))
  else res.json({})
}
const known = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const parts = [combined([header()]), query({ versionParam: 'v' }), namespace()]
const NAMES = ['late', 'removed', 'body', 'page', 'item', 'field', 'twice', 'own', 'odd', 'plain']
const tableOf = () => {
  const routes = routed(Object.fromEntries(NAMES.map((name) => [name, `/${name}`])), response)
  routes
    .add('handled', '/handled')
    .route('handled')
    .get(byVersion({ v2: response }))
  return routes
}

const FACTS = ['change', 'operation', 'step', 'version'] as const
/** The scheme, the version, and the code of an error, with the facts of its change, which serializers do not see. */
function wordsOf({ phase, scheme, named, version, error }: VersionEvent): string {
  const facts = Object(error) as ChangeFacts & { code?: string }
  const { code = error === undefined ? '' : 'other' } = facts
  const shown = Object.keys(facts).filter((key) => key === 'change' || key === 'version')
  const told = facts.operation === undefined ? shown : [...FACTS.map((name) => facts[name]), ...shown]
  const name = scheme.constructor.name.replace('Versioning', '')
  const words = [
    phase === 'failed' && 'failed:',
    name,
    !named && 'default',
    String(version),
    code.replace('ERR_VERSION_', ''),
    ...told,
  ]
  return words.filter((word) => word !== false && word !== '').join(' ')
}

const [told, heard]: [VersionEvent[], VersionEvent[]] = [[], []]
const onVersion = (event: VersionEvent) => void told.push(event)
const listener = (event: unknown) => void heard.push(event as VersionEvent)
const events = channel('express-versioning:version')
catchWarnings()
beforeEach(() => events.subscribe(listener))
afterEach(() => void events.unsubscribe(listener))

/** Serves an API. Returns the status of a response with all that observers were told, a listener and the channel alike. */
async function observed(build: (app: Application, decides: (options: object) => RequestHandler) => void) {
  const { send } = await serve((app) => build(app, (more) => versioning({ onVersion, ...more } as VersioningOptions)))
  return async (method: string, path: string, version = '-', type = 'application/json', body = '{"a":1}') => {
    const named: Record<string, string> = version === '-' ? {} : { 'X-API-Version': version }
    const sent = method === 'POST' ? { ...named, 'Content-Type': type } : named
    const { status } = await send(method, path, sent, method === 'POST' ? body : '')
    const events = told.splice(0)
    expect(heard.splice(0)).toEqual(events)
    return [status, ...events.map(wordsOf)].join(', ')
  }
}

const FAILED = rows(`
  // the request, and what is told
  GET /plain v1        | 200, Header v1
  GET /plain?v=v2      | 200, QueryParameter v2
  GET /plain           | 200, Combined default v1
  GET /plain v9        | 406, Combined undefined NOT_ACCEPTABLE
  GET /plain?v=v2 v1   | 400, Combined undefined CONFLICT
  GET /plain?by=fault v1 | 500, Header v1
  GET /none v1         | 404, Header v1
  GET /handled v1      | 404, Header v1, failed: Header v1 UNHANDLED
  GET /late v1         | 404, Header v1, failed: Header v1 UNHANDLED
  GET /removed v2      | 404, Header v2, failed: Header v2 UNHANDLED
  POST /body v1        | 400, Header v1, failed: Header v1 BODY Many. POST body request v1
  POST /body v1 text/x | 415, Header v1, failed: Header v1 BODY Many. POST body request v1
  POST /body?v=v1      | 400, QueryParameter v1, failed: QueryParameter v1 BODY Many. POST body request v1
  POST /body           | 400, Combined default v1, failed: Combined default v1 BODY Many. POST body request v1
  POST /plain v1 application/json {"a":1e400} | 400, Header v1, failed: Header v1 BODY Many. POST plain request v1
  POST /shapes/price v1 | 400, Header v1, failed: Header v1 BODY Prices. POST price request v1
  GET /shapes/price v1 | 500, Header v1, failed: Header v1 CHANGE Prices. GET price response v1
  GET /page?a=1 v1     | 400, Header v1, failed: Header v1 BODY Many. GET page query v1
  GET /item v1         | 500, Header v1, failed: Header v1 CHANGE Many. GET item response v1
  HEAD /item v1        | 500, Header v1, failed: Header v1 CHANGE Many. GET item response v1
  GET /item?by=end v1  | 500, Header v1, failed: Header v1 CHANGE Many. GET item response v1
  GET /item?by=later v1 | 500, Header v1, failed: Header v1 CHANGE Many. GET item response v1
  GET /field v1        | 500, Header v1, failed: Header v1 CHANGE Many. GET field headers: X-Field v1
  // The response about the first failure fails too.
  POST /twice v1       | 500, Header v1, failed: Header v1 BODY Many. POST twice request v1
  // A step's own rejection of the client is not one of this package.
  GET /own v1          | 422, Header v1
  GET /odd v1          | 422, Header v1`)

test('observers are told of failures after the decision', async () => {
  const routes = tableOf()
  const priced = namedRoutes({ price: '/price' })
  priced.route('price').get(response).post(response)
  priced.describe('GET price', { response: Price }).describe('POST price', { body: Price, response: Price })
  const asks = await observed((app, decides) => {
    app.use('/shapes', express.json(), decides({ scheme: header(known), changes: shapes, routes: priced }), priced)
    app.use(decides({ scheme: combined(parts, known), changes, routes }), express.json(), routes)
  })
  for (const [asked = '', expected] of FAILED)
    expect([asked, await asks(...(asked.split(' ') as [string, string]))]).toEqual([asked, expected])
})

test('a versioning() on a route tells the decision, and then a failure', async () => {
  const routes = namedRoutes({ twice: '/twice' })
  const changes = versionHistory('v1').version('v2', change('Many.', { 'POST twice': twice }))
  const asks = await observed((app, decides) => {
    routes.route('twice').post(express.json(), decides({ scheme: header(known), changes, routes }) as never)
    app.use(routes)
  })
  expect(await asks('POST', '/twice', 'v1')).toMatch(/^500, Header v1, failed: Header v1 BODY /)
})

test.each([
  ['gone', { sunset: '2020-01-01', afterSunset: 'gone' }, 'GONE'],
  ['paused', { brownouts: [{ from: '2020-01-01', to: '2999-01-01' }] }, 'BROWNOUT'],
] as const)('a version that is %s is decided, also where its operation is absent', async (_what, v1, code) => {
  const asks = await observed((app, decides) => {
    const routes = tableOf()
    app.use(decides({ scheme: header(known), changes, routes, lifecycle: { v1 } }), routes)
  })
  for (const path of ['/plain', '/late']) expect(await asks('GET', path, 'v1')).toBe(`410, Header v1 ${code}`)
})

test('the version of an error has no control characters, and can be logged', () => {
  const escaped = (version: unknown) => new NotFound('Not found.', { version }).version
  expect(escaped('v\x1b[2J\n1\u202e\ud800 é')).toBe('v\\u{1b}[2J\\u{a}1\\u{202e}\\u{d800} é')
  expect([escaped(null), escaped(undefined), escaped('v1')]).toEqual([null, undefined, 'v1'])
})
