import { setTimeout } from 'node:timers/promises'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import express, { type Application, type Request, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, convertRequest, fields, shape, versionHistory } from 'express-versioning/changes'
import { type VersionMetricsOptions, versionMetrics } from 'express-versioning/metrics'
import { routesOf } from 'express-versioning/openapi'
import client, { Registry } from 'prom-client'
import { HISTORY, OLD_ADA, USERS, users } from '../support/elsewhere'
import { serve } from '../support/serve'

// The changes that meet requests, counted by version and consumer.

const same = (value: unknown) => value
const NAME = 'Users have a name.'
const QUERY = 'The filter has another name.'
const BODY = 'Bodies have a name.'
const ERROR = 'Errors have a reason.'
const AGE = 'Users have an age.'
const OLD = 'A header field is gone.'
const STATUS = 'Creations are 201.'
const LATER = 'Search is new.'
const REMOVED = 'Export is gone.'
const LONG = 'Names are longer.'
const operations = versionHistory('v1')
  .version(
    'v2',
    change(NAME, { 'GET user': { response: same } }),
    change(QUERY, { 'GET user': { query: same } }),
    change(BODY, { 'POST users': { request: same } }),
    change(ERROR, { '*': { error: same } }),
    change(AGE, { 'GET head': { headers: { 'X-Age': (age) => age ?? '0' } } }),
    change(OLD, { 'GET head': { headers: { 'X-Old': null } } }),
    change(STATUS, { 'POST users': { status: { 201: 200 } } }),
    change(LATER, { 'GET search': 'added', 'PUT user': 'added' }),
  )
  .version('v3', change(REMOVED, { 'GET export': 'removed' }), change(LONG, { 'GET user': { response: same } }))

const PATHS = {
  user: '/users/:id',
  users: '/users',
  head: '/head',
  search: '/search',
  export: '/export',
  health: '/health',
}
const echo: RequestHandler = ({ query }, res) =>
  void res.status(Number(query.status ?? 200)).json(JSON.parse(String(query.say ?? '{"name":"Ada"}')))

function tableOf() {
  const routes = namedRoutes(PATHS)
  for (const name of ['user', 'users', 'search', 'export', 'health'] as const) routes.route(name).get(echo)
  routes.route('users').post(convertRequest, echo)
  routes.route('user').put(echo)
  routes.route('head').get(({ query }, res) => void res.set(query.old === undefined ? {} : { 'X-Old': '1' }).json({}))
  return routes
}

const ITEM = 'Items have a sum.'
const NODE = 'Nodes have a label.'
const shapes = versionHistory('v1').version(
  'v2',
  change(ITEM, { Item: shape({ type: 'object' }, { response: same, request: same }) }),
  change(NODE, { Node: fields({ renamed: { title: 'label' } }) }),
)
function described() {
  const routes = namedRoutes({ list: '/list', tree: '/tree' })
  routes.route('list').get(echo).post(echo)
  routes.route('tree').get(echo)
  const item = { type: 'object', $id: 'Item' }
  const children = { type: 'array', items: { $ref: 'Node' } }
  const node = { type: 'object', $id: 'Node', properties: { label: { type: 'string' }, children } }
  routes.describe('GET list', { response: { type: 'array', items: { anyOf: [item, { type: 'null' }] } } })
  routes.describe('POST list', { body: { type: 'object', properties: { item } }, response: null })
  routes.describe('GET tree', { response: { type: 'object', properties: { node } } })
  return routes
}
const SHAPES = { changes: shapes, defaultVersion: 'v2', routes: described(), neutral: [] }

type Table = ReturnType<typeof namedRoutes>
type Build = (app: Application, options: VersioningOptions) => void
const plainly: Build = (app, options) => app.use(express.json(), versioning(options), options.routes as Table)

async function measured(
  more: Partial<VersioningOptions> = {},
  given: Omit<VersionMetricsOptions, 'prometheus'> = {},
  build = plainly,
) {
  const register = new Registry()
  const options = { scheme: HeaderVersioning, defaultVersion: 'v3', changes: operations, routes: tableOf(), ...more }
  const { onVersion } = versionMetrics(options as VersioningOptions, { prometheus: client, register, ...given })
  const server = await serve((app) => build(app, { ...options, onVersion } as VersioningOptions))
  const lines = async (name: string) => {
    await setTimeout(20)
    const start = `api_version_${name}{`
    const all = (await register.metrics()).split('\n')
    return all.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []))
  }
  /** The series above 0, as `version change count`. */
  const met = async (name = 'change_requests_total') =>
    (await lines(name))
      .filter((line) => !line.endsWith(' 0'))
      .map((line) =>
        line.replace(/version="(.*?)",change="(.*?)"(?:,consumer="(.*?)")?\}/, (_, ...labels) =>
          labels.slice(0, 3).filter(Boolean).join(' '),
        ),
      )
  return { ...server, lines, met }
}

test('each version has a series at 0 for each change after it, and for no other', async () => {
  const { lines } = await measured()
  const found = (await lines('change_requests_total')).sort()
  const changes = operations.list().map(({ changes }) => changes.map(({ description }) => description))
  const [, v2 = [], v3 = []] = changes
  const series = (version: string, descriptions: string[]) =>
    descriptions.map((description) => `version="${version}",change="${description}"} 0`)
  expect(found).toEqual([...series('v1', [...v2, ...v3]), ...series('v2', v3)].sort())
  expect(await lines('change_consumer_requests_total')).toEqual([])
  expect(await lines('change_last_request_timestamp_seconds')).toEqual([])
})

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
type Case = [what: string, asked: string, met: string[], sent?: { body?: unknown; options?: object }]
const body = { name: 'Ada' }
const CASES: Case[] = [
  ['a response and a query', 'v1 GET /users/7', [NAME, QUERY, LONG]],
  ['a response of a newer version', 'v2 GET /users/7', [LONG]],
  ['a response of the newest version', 'v3 GET /users/7', []],
  ['an unknown version', 'v9 GET /users/7', []],
  ['a body', 'v1 POST /users', [BODY], { body }],
  ['no body', 'v1 POST /users', []],
  ['an error with JSON', 'v1 GET /users?status=404', [ERROR]],
  ['an error without a change', 'v2 GET /users?status=404', []],
  ['a status', 'v1 POST /users?status=201', [BODY, STATUS], { body }],
  ['another status', 'v1 POST /users?status=202', [BODY], { body }],
  ['a header field', 'v1 GET /head', [AGE]],
  ['a header field that was there', 'v1 GET /head?old', [AGE, OLD]],
  ['an operation that came later', 'v1 GET /search', [LATER, ERROR]],
  ['a method that came later', 'v1 PUT /users/7', [LATER, ERROR]],
  ['an operation that is there', 'v2 GET /search', []],
  ['an operation that is removed later', 'v1 GET /export', [REMOVED]],
  ['an operation that is removed in the next version', 'v2 GET /export', [REMOVED]],
  ['an operation that was removed', 'v3 GET /export', []],
  ['a route without changes', 'v1 GET /users', []],
  ['a neutral route', 'v1 GET /health', []],
  ['an error of a path without a route', 'v1 GET /wp-login.php', []],
  ['a shape', `v1 GET /list?say=${json([{}, {}])}`, [ITEM], { options: SHAPES }],
  ['no place of a shape', `v1 GET /list?say=${json([])}`, [], { options: SHAPES }],
  ['null in the place of a shape', `v1 GET /list?say=${json([null])}`, [], { options: SHAPES }],
  ['a shape in a body', 'v1 POST /list?status=204', [ITEM], { options: SHAPES, body: { item: {} } }],
  ['a body without its place', 'v1 POST /list?status=204', [], { options: SHAPES, body: {} }],
  ['shapes in a shape', `v1 GET /tree?say=${json({ node: { children: [{}, {}] } })}`, [NODE], { options: SHAPES }],
  ['no shape', `v1 GET /tree?say=${json({})}`, [], { options: SHAPES }],
]
test.each(CASES)('a request counts once for each change that met it: %s', async (...[, asked, expected, sent]) => {
  const given = { consumer: (req: Request) => req.get('X-Account'), consumers: ['acme'] }
  const { send, met, lines } = await measured({ neutral: ['health'], ...sent?.options }, given)
  const [version = '', method = '', path = ''] = asked.split(' ')
  const headers = { 'X-API-Version': version, 'X-Account': 'acme', 'Content-Type': 'application/json' }
  await send(method, path, headers, sent?.body === undefined ? '' : JSON.stringify(sent.body))
  expect((await met()).sort()).toEqual(expected.map((description) => `${version} ${description} 1`).sort())
  const byConsumer = expected.map((description) => `${version} ${description} acme 1`)
  expect((await met('change_consumer_requests_total')).sort()).toEqual(byConsumer.sort())
  const last = (await lines('change_last_request_timestamp_seconds')).map((line) => Number(line.split(' ').at(-1)))
  expect(last).toHaveLength(expected.length)
  for (const time of last) expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(60)
})

const v1 = { 'X-API-Version': 'v1' }

test('clients begin no series: unknown consumers are "other"', async () => {
  const given = { consumer: (req: Request) => req.get('X-Account'), consumers: ['acme'] }
  const { send, met, lines } = await measured({}, given)
  const before = (await lines('change_requests_total')).length
  for (let count = 0; count < 20; count++) {
    await send('GET', `/${Math.random()}`, { 'X-API-Version': String(Math.random()) })
    await send('GET', '/export', { ...v1, 'X-Account': String(Math.random()) })
  }
  expect(await lines('change_requests_total')).toHaveLength(before)
  expect(await met('change_consumer_requests_total')).toEqual([`v1 ${REMOVED} other 20`])
})

test('changes with one description count as one, with a warning at start', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const changes = versionHistory('v1')
    .version('v2', change(NAME, { 'GET user': { response: same } }), change(QUERY, { 'GET user': { query: same } }))
    .version('v3', change(NAME, { 'GET users': { response: same } }))
  const { lines } = await measured({ changes })
  const calls = warn.mock.calls.map(([message, options]) => [message, options])
  warn.mockRestore()
  expect(calls).toEqual([
    [
      `versionMetrics(): several changes have the same description, so they are counted as one: ${JSON.stringify(NAME)}. Give each its own description.`,
      { code: 'EXPRESS_VERSIONING_METRICS' },
    ],
  ])
  expect(await lines('change_requests_total')).toHaveLength(3)
})

test('only accepted versions have series', async () => {
  const { lines } = await measured({ allowedVersions: ['v2', 'v3'] })
  expect((await lines('change_requests_total')).map((line) => line.slice(0, 12))).toEqual(Array(2).fill('version="v2"'))
})

test('a versioning() without the history of the metrics meets no change', async () => {
  const without: Build = (app, options) =>
    plainly(app, { ...options, changes: undefined, allowedVersions: ['v1', 'v2', 'v3'] })
  const { get, met } = await measured({}, {}, without)
  expect((await get('/users/7', v1)).status).toBe(200)
  expect(await met()).toEqual([])
})

test('without a history there are no metrics of changes', async () => {
  const { get, lines } = await measured({ changes: undefined, allowedVersions: ['v1', 'v3'] })
  await get('/users', v1)
  expect(await lines('change_requests_total')).toEqual([])
})

test('the conversion notes nothing unless metrics ask for it', async () => {
  const contexts: unknown[] = []
  const response = (value: unknown, context: unknown) => {
    contexts.push(context)
    return value
  }
  const changes = versionHistory('v1').version('v3', change(NAME, { 'GET user': { response } }))
  const { get, met } = await measured({ changes })
  await get('/users/7', v1)
  expect(await met()).toEqual([`v1 ${NAME} 1`])
  const options: VersioningOptions = { scheme: HeaderVersioning, changes, routes: tableOf(), onVersion: () => {} }
  const plain = await serve((app) => plainly(app, options))
  await plain.get('/users/7', v1)
  expect(contexts).toMatchObject([{ met: new Set([NAME]) }, { met: undefined }])
})

test('a step that fails counts: its change met the request', async () => {
  const fail = () => {
    throw new Error('mine')
  }
  const changes = versionHistory('v1').version('v3', change(NAME, { 'GET user': { response: fail } }))
  const { get, met } = await measured({ changes })
  expect((await get('/users/7', v1)).status).toBe(500)
  expect(await met()).toEqual([`v1 ${NAME} 1`])
})

test('versioning() in a route, which converts at once, and a listener of your own around that of the metrics', async () => {
  const inRoute: Build = (app, { onVersion, ...options }) => {
    const routes = options.routes as Table
    routes.route('users').post(versioning({ ...options, onVersion: (event) => onVersion?.(event) }), echo)
    app.use(express.json(), routes)
  }
  const routes = namedRoutes(PATHS)
  const changes = versionHistory('v1').version('v3', change(BODY, { 'POST users': { request: same } }))
  const { send, met } = await measured({ routes, changes }, {}, inRoute)
  const headers = { ...v1, 'Content-Type': 'application/json' }
  expect((await send('POST', '/users', headers, '{}')).status).toBe(200)
  expect(await met()).toEqual([`v1 ${BODY} 1`])
})

test('requests for handlers elsewhere', async () => {
  const routes = routesOf(USERS)
  const elsewhere: Build = (app, options) =>
    app.use(express.json(), versioning(options), convertRequest).use('/users', users())
  const { send, met } = await measured({ routes, changes: HISTORY, defaultVersion: 'v2' }, {}, elsewhere)
  await send('PUT', '/users/7', { ...v1, 'Content-Type': 'application/json' }, JSON.stringify(OLD_ADA))
  await send('GET', '/users?name=Ada', v1)
  expect((await met()).sort()).toEqual([
    'v1 The parameter `name` is `given`. 1',
    'v1 Users have `given` and `family` instead of `name`. 2',
  ])
})

test('of several versioning() the last one converts, and metrics count the changes of their own history', async () => {
  const other = versionHistory('v1').version('v3', change('Of another history.', { 'GET user': { response: same } }))
  const twice: Build = (app, options) => {
    const { onVersion: _, ...inner } = options
    const register = new Registry()
    const { onVersion } = versionMetrics({ ...inner, changes: other }, { prometheus: client, register })
    app.use(versioning(options), versioning({ ...inner, changes: other, onVersion }), options.routes as Table)
  }
  const { get, met } = await measured({}, {}, twice)
  expect((await get('/users/7', v1)).status).toBe(200)
  expect(await met()).toEqual([])
})

test('a stream that is open meets its changes now, and counts when it closes', async () => {
  const routes = namedRoutes({ stream: '/stream' })
  routes.route('stream').get((_req, res) => void res.writeHead(200).write(':'))
  const changes = versionHistory('v1').version('v3', change(REMOVED, { 'GET stream': 'removed' }))
  const given = { consumer: () => 'acme', consumers: ['acme'] }
  const { origin, met, lines } = await measured({ routes, changes }, given)
  const abort = new AbortController()
  await fetch(`${origin}/stream`, { headers: v1, signal: abort.signal })
  expect(await lines('change_last_request_timestamp_seconds')).toHaveLength(1)
  expect([await met(), await lines('change_consumer_requests_total')]).toEqual([
    [],
    [`version="v1",change="${REMOVED}",consumer="acme"} 0`],
  ])
  abort.abort()
  for (let tries = 0; tries < 50 && (await met()).length === 0; tries++);
  expect(await met()).toEqual([`v1 ${REMOVED} 1`])
})

test('an operation that has another path now', async () => {
  const changes = versionHistory('v1').version('v3', change(NAME, { 'GET user': { path: '/people/:id' } }))
  const { get, met } = await measured({ changes })
  expect((await get('/people/7', v1)).status).toBe(200)
  expect(await met()).toEqual([`v1 ${NAME} 1`])
})

test('OpenTelemetry has the same', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const changes = versionHistory('v1').version('v3', change(REMOVED, { 'GET export': 'removed' }))
  const options = { scheme: HeaderVersioning, changes, routes: tableOf() }
  const { onVersion } = versionMetrics(options, { meter, consumer: () => 'acme', consumers: ['acme'] })
  const { get } = await serve((app) => plainly(app, { ...options, onVersion }))
  await get('/export', v1)
  await setTimeout(20)
  await reader.forceFlush()
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const found = metrics.filter(({ descriptor }) => descriptor.name.startsWith('api_version_change_'))
  const labels = { version: 'v1', change: REMOVED }
  expect(found).toMatchObject([
    {
      descriptor: { name: 'api_version_change_requests', unit: '{request}' },
      dataPoints: [{ value: 1, attributes: labels }],
    },
    {
      descriptor: { name: 'api_version_change_consumer_requests', unit: '{request}' },
      dataPoints: [{ value: 1, attributes: { ...labels, consumer: 'acme' } }],
    },
    {
      descriptor: { name: 'api_version_change_last_request_timestamp', unit: 's' },
      dataPoints: [{ attributes: { ...labels, consumer: 'acme' } }],
    },
  ])
  await reader.shutdown()
})

test('an item of a stream, also while it is open', async () => {
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content: { 'application/x-ndjson': { itemSchema: {} } } } } })
  routes.route('feed').get(({ query }, res) => {
    res.type('application/x-ndjson').write(query.empty === undefined ? '{"a":1}\n' : '\n')
  })
  const changes = versionHistory('v1').version('v3', change(ITEM, { 'GET feed': { item: same } }))
  const { origin, lines } = await measured({ routes, changes })
  const abort = new AbortController()
  await fetch(`${origin}/feed?empty`, { headers: v1, signal: abort.signal })
  expect(await lines('change_last_request_timestamp_seconds')).toEqual([])
  await fetch(`${origin}/feed`, { headers: v1, signal: abort.signal })
  expect(await lines('change_last_request_timestamp_seconds')).toHaveLength(1)
  abort.abort()
})
