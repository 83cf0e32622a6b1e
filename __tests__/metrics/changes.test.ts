import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, convertRequest, fields, shape, versionHistory } from 'express-versioning/changes'
import { versionMetrics } from 'express-versioning/metrics'
import { routesOf } from 'express-versioning/openapi'
import client, { Registry } from 'prom-client'
import { HISTORY, OLD_ADA, USERS, users } from '../support/elsewhere'
import type { Table } from '../support/tables'
import { type Build, byAccount, type Consumers, measured as measure } from './measured'

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
  health: '/ok',
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

const measured = (more: Partial<VersioningOptions> = {}, given: Consumers = {}, build?: Build) =>
  measure(
    { scheme: HeaderVersioning, defaultVersion: 'v3', changes: operations, routes: tableOf(), ...more },
    given,
    build,
  )
const MET = 'change_requests_total'
const BY_CONSUMER = 'change_consumer_requests_total'
const LAST = 'change_last_request_timestamp_seconds'

test('each version has a series at 0 for each change after it, and for no other', async () => {
  const { lines, counted } = await measured()
  const found = await lines(MET)
  const [, v2 = [], v3 = []] = operations.list().map(({ changes }) => changes.map(({ description }) => description))
  const series = (version: string, changes: string[]) => changes.map((description) => `${version}|${description} 0`)
  expect(found).toEqual([...series('v1', [...v2, ...v3]), ...series('v2', v3)].sort())
  expect([await lines(BY_CONSUMER), await counted(LAST)]).toEqual([[], []])
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
  ['a neutral route', 'v1 GET /ok', []],
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
  const { send, counted } = await measured({ neutral: ['health'], ...sent?.options }, byAccount)
  const [version = '', method = '', path = ''] = asked.split(' ')
  const headers = { 'X-API-Version': version, 'X-Account': 'a', 'Content-Type': 'application/json' }
  await send(method, path, headers, sent?.body === undefined ? '' : JSON.stringify(sent.body))
  expect(await counted(MET)).toEqual(expected.map((description) => `${version}|${description} 1`).sort())
  const consumed = expected.map((description) => `${version}|${description}|a`).sort()
  expect(await counted(BY_CONSUMER)).toEqual(consumed.map((labels) => `${labels} 1`))
  const last = await counted(LAST)
  expect(last.map((line) => line.replace(/ \S+$/, ''))).toEqual(consumed)
  for (const line of last) expect(Math.abs(Number(line.split(' ').at(-1)) - Date.now() / 1000)).toBeLessThan(60)
})

const v1 = { 'X-API-Version': 'v1' }

test('changes with one description count as one, with a warning at start', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const changes = versionHistory('v1')
    .version('v2', change(NAME, { 'GET user': { response: same } }), change(QUERY, { 'GET user': { query: same } }))
    .version('v3', change(NAME, { 'GET users': { response: same } }))
  const { lines } = await measured({ changes })
  // Those of v2 are counted apart.
  await measured({ changes, allowedVersions: ['v2', 'v3'] })
  const calls = warn.mock.calls.map(([message, options]) => [message, options])
  warn.mockRestore()
  expect(calls).toEqual([
    [
      `versionMetrics(): several changes have the same description, so they are counted as one: ${JSON.stringify(NAME)}. Give each its own description.`,
      { code: 'EXPRESS_VERSIONING_METRICS' },
    ],
  ])
  expect(await lines(MET)).toHaveLength(3)
})

test('only accepted versions have series', async () => {
  const { lines } = await measured({ allowedVersions: ['v2', 'v3'] })
  expect((await lines(MET)).map((line) => line.slice(0, 3))).toEqual(['v2|', 'v2|'])
})

test('the conversion notes nothing unless metrics ask for it', async () => {
  const contexts: unknown[] = []
  const response = (value: unknown, context: unknown) => {
    contexts.push(context)
    return value
  }
  const changes = versionHistory('v1').version('v3', change(NAME, { 'GET user': { response } }))
  const { get } = await measured({ changes })
  await get('/users/7', v1)
  const plain = await measured({ changes }, {}, (app, options) =>
    app.use(versioning({ ...options, onVersion: () => {} }), options.routes as Table),
  )
  await plain.get('/users/7', v1)
  expect(contexts).toMatchObject([{ met: new Set([NAME]) }, { met: undefined }])
})

const inRoute: Build = (app, { onVersion, ...options }) => {
  const own = versioning({ ...options, onVersion: (event) => onVersion?.(event) })
  ;(options.routes as ReturnType<typeof tableOf>).route('users').post(own, echo)
  app.use(express.json(), options.routes as Table)
}
const withoutHistory: Build = (app, options) => {
  const allowedVersions = ['v1', 'v2', 'v3']
  app.use(versioning({ ...options, changes: undefined, allowedVersions }), options.routes as Table)
}
const twice: Build = (app, { onVersion, ...options }) => {
  const changes = versionHistory('v1').version('v3', change('Of another history.', { 'GET user': { response: same } }))
  const other = versionMetrics({ ...options, changes }, { prometheus: client, register: new Registry() })
  app.use(versioning({ ...options, onVersion }), versioning({ ...options, changes, onVersion: other.onVersion }))
  app.use(options.routes as Table)
}
const historyOf = (changed: Parameters<typeof change>[1]) => versionHistory('v1').version('v3', change(NAME, changed))
const failing = () => {
  throw new Error('mine')
}
const one = [`v1|${NAME} 1`]
const late = namedRoutes(PATHS)
const noHistory = { changes: undefined, allowedVersions: ['v1', 'v3'] }
test.each<[what: string, more: Partial<VersioningOptions>, asked: string, met: string[], build?: Build]>([
  ['a step that fails', { changes: historyOf({ 'GET user': { response: failing } }) }, 'GET /users/7 500', one],
  ['another path', { changes: historyOf({ 'GET user': { path: '/men/:id' } }) }, 'GET /men/7 200', one],
  // It converts at once, and a listener of your own calls that of the metrics.
  [
    'a route',
    { changes: historyOf({ 'POST users': { request: same } }), routes: late },
    'POST /users 200',
    one,
    inRoute,
  ],
  ['no history of the metrics', noHistory, 'GET /users/7 200', []],
  ['no history of versioning()', {}, 'GET /users/7 200', [], withoutHistory],
  // The last one converts, and the metrics count the changes of their own history.
  ['several versioning()', {}, 'GET /users/7 200', [], twice],
])('the changes of %s', async (_what, more, asked, met, build = undefined) => {
  const { send, counted } = await measured(more, {}, build)
  const [method = '', path = '', expected] = asked.split(' ')
  const headers = { ...v1, 'Content-Type': 'application/json' }
  const { status } = await send(method, path, headers, method === 'POST' ? '{}' : '')
  expect([String(status), await counted(MET)]).toEqual([expected, met])
})

test('requests for handlers elsewhere', async () => {
  const options = { routes: routesOf(USERS), changes: HISTORY, defaultVersion: 'v2' }
  const { send, counted } = await measured(options, {}, (app, options) =>
    app.use(express.json(), versioning(options), convertRequest).use('/users', users()),
  )
  await send('PUT', '/users/7', { ...v1, 'Content-Type': 'application/json' }, JSON.stringify(OLD_ADA))
  await send('GET', '/users?name=Ada', v1)
  expect(await counted(MET)).toEqual([
    'v1|The parameter `name` is `given`. 1',
    'v1|Users have `given` and `family` instead of `name`. 2',
  ])
})

test('a stream that is open meets its changes now, and counts when it closes; its items too', async () => {
  const routes = namedRoutes({ stream: '/stream', feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content: { 'application/x-ndjson': { itemSchema: {} } } } } })
  routes.route('stream').get((_req, res) => void res.writeHead(200).write(':'))
  routes.route('feed').get(({ query }, res) => {
    res.type('application/x-ndjson').write(query.empty === undefined ? '{"a":1}\n' : '\n')
  })
  const streamed = [change(REMOVED, { 'GET stream': 'removed' }), change(ITEM, { 'GET feed': { item: same } })] as const
  const changes = versionHistory('v1').version('v3', ...streamed)
  const { origin, counted, lines, closed } = await measured({ routes, changes }, byAccount)
  const abort = new AbortController()
  const headers = { ...v1, 'X-Account': 'a' }
  const seen: unknown[] = []
  for (const path of ['/stream', '/feed?empty', '/feed']) {
    await fetch(`${origin}${path}`, { headers, signal: abort.signal })
    seen.push((await counted(LAST)).map((line) => line.replace(/\|a \S+$/, '')))
  }
  expect(seen).toEqual([[`v1|${REMOVED}`], [`v1|${REMOVED}`], [`v1|${REMOVED}`, `v1|${ITEM}`]])
  const series = [`v1|${REMOVED}|a`, `v1|${ITEM}|a`]
  expect([await counted(MET), await lines(BY_CONSUMER)]).toEqual([[], series.map((labels) => `${labels} 0`)])
  abort.abort()
  await closed()
  expect(await counted(BY_CONSUMER)).toEqual(series.map((labels) => `${labels} 1`))
})
