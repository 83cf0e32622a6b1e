import { once } from 'node:events'
import { request } from 'node:http'
import { DataPointType, MeterProvider } from '@opentelemetry/sdk-metrics'
import type { RequestHandler, Response } from 'express'
import * as library from 'express-versioning'
import { byVersion, HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type VersionMetricsOptions, versionMetrics } from 'express-versioning/metrics'
import client, { AggregatorRegistry, Registry } from 'prom-client'
import { rows } from '../support/rows'
import { include, inNamespaces, routed, type Table } from '../support/tables'
import { type Build, byAccount, type Consumers, measured as measure, observed } from './measured'

const response: RequestHandler = ({ query }, res) => void res.status(Number(query.status ?? 200)).json({})
const tableOf = (): Table => {
  const routes = namedRoutes({ list: '/users', old: '/old', later: '/later' })
  routes.route('list').get(response).post(response)
  routes.route('old').get(byVersion({ v1: response }))
  return routes
}
const optionsOf = (more: Partial<VersioningOptions> = {}): VersioningOptions => ({
  scheme: HeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  routes: tableOf(),
  ...more,
})
const measured = (more: Partial<VersioningOptions> = {}, given: Consumers = {}, build?: Build) =>
  measure(optionsOf(more), given, build)
const V2 = { 'X-API-Version': 'v2' }
const LAST = 'last_request_timestamp_seconds'
const labelsOf = (lines: string[]) => lines.map((line) => line.replace(/ \S+$/, ''))

const { NamespaceVersioning, URLPathVersioning } = library
const separate = () => inNamespaces(namedRoutes({}), { v1: tableOf(), v2: tableOf() })
const early = versionHistory('v1').version('v2', change('New.', { 'GET list': 'added', 'GET later': 'removed' }))
const two = { list: '/l', later: '/m' }
const TABLES: Record<string, Partial<VersioningOptions>> = {
  'a table': {},
  'a path in the table': { scheme: URLPathVersioning, routes: include('/:version', routed({ x: '/x' }, response)) },
  'a path in the mount': { scheme: URLPathVersioning },
  namespaces: { scheme: NamespaceVersioning, routes: separate() },
  'a history': { changes: early, allowedVersions: undefined, routes: routed(two, response) },
  'neutral routes': { neutral: ['old'] },
}
const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const NOT_GET = ALL.slice(1)
test.each<{ table: string; operations: [version: string, route: string, methods: string[]][] }>([
  {
    table: 'a table',
    operations: [
      ['v1', 'list', ['GET', 'POST']],
      ['v1', 'old', ['GET']],
      ['v2', 'list', ['GET', 'POST']],
    ],
  },
  {
    table: 'a path in the table',
    operations: [
      ['v1', 'x', ALL],
      ['v2', 'x', ALL],
    ],
  },
  {
    table: 'a path in the mount',
    operations: [
      ['v1', 'list', ['GET', 'POST']],
      ['v1', 'old', ['GET']],
      ['v2', 'list', ['GET', 'POST']],
    ],
  },
  {
    table: 'namespaces',
    operations: [
      ['v1', 'v1:list', ['GET', 'POST']],
      ['v1', 'v1:old', ['GET']],
      ['v2', 'v2:list', ['GET', 'POST']],
    ],
  },
  {
    table: 'a history',
    operations: [
      ['v1', 'list', NOT_GET],
      ['v1', 'later', ALL],
      ['v2', 'list', ALL],
      ['v2', 'later', NOT_GET],
    ],
  },
  {
    table: 'neutral routes',
    operations: [
      ['v1', 'list', ['GET', 'POST']],
      ['v2', 'list', ['GET', 'POST']],
    ],
  },
])(
  'of $table, each operation begins at 0, named, and for the default version also not',
  async ({ table, operations }) => {
    const { lines, counted } = await measured(TABLES[table])
    const series = operations.flatMap(([version, route, methods]) => {
      const named = version === 'v1' ? ['true', 'false'] : ['true']
      return named.flatMap((named) => methods.map((method) => `${version}|${named}|${route}|${method}|2xx| 0`))
    })
    expect(await lines('requests_total')).toEqual(series.sort())
    expect(await counted(LAST)).toEqual([])
  },
)

test('handlers that come later have series too', async () => {
  const routes = tableOf()
  const { lines } = await measured({ routes })
  expect(await lines('requests_total')).toHaveLength(8)
  routes.route('later').get(response)
  expect(await lines('requests_total')).toHaveLength(11)
})

class Odd extends library.BaseVersioning {
  override readonly varyOn = []
  override readVersion(): never {
    throw Object.defineProperty({}, 'code', {
      get: () => {
        throw new Error('mine')
      },
    })
  }
}
const gone = { v1: { deprecated: '2024-01-01', sunset: '2025-01-01', afterSunset: 'gone' } } as const
const SETTINGS: Record<string, Partial<VersioningOptions>> = {
  'no default': { defaultVersion: null },
  null: { defaultVersion: null, allowedVersions: ['v1', null] },
  gone: { lifecycle: gone },
  odd: { scheme: Odd },
  neutral: { neutral: ['later'] },
}
test.each(
  rows(`
  plain | GET /users v2 | v2|true|list|GET|2xx| | v2|true
  plain | POST /users | v1|false|list|POST|2xx| | v1|false
  plain | HEAD /users v2 | v2|true|list|HEAD|2xx| | v2|true
  plain | PURGE /users v2 | v2|true|list|other|4xx| | v2|true
  plain | GET /users?status=304 v2 | v2|true|list|GET|3xx| | v2|true
  plain | GET /users?status=404 v2 | v2|true|list|GET|4xx| | v2|true
  plain | GET /users?status=500 v2 | v2|true|list|GET|5xx| | v2|true
  plain | GET /users?status=600 v2 | v2|true|list|GET|5xx| | v2|true
  plain | GET /users v9 | none|true|list|GET|4xx|ERR_VERSION_NOT_ACCEPTABLE | -
  // a named route without a handler
  plain | GET /old v2 | v2|true|old|GET|4xx|ERR_VERSION_UNHANDLED | v2|true
  // no named route, with a 404 and without
  plain | GET /nothing v1 | v1|true|other|GET|4xx| | -
  plain | GET /middleware v2 | v2|true|other|GET|4xx| | v2|true
  no default | GET /users | none|false|list|GET|4xx|ERR_VERSION_MISSING | -
  null | GET /users | none|false|list|GET|2xx| | -
  gone | GET /users v1 | v1|true|list|GET|4xx|ERR_VERSION_GONE | v1|true
  gone | GET /nothing v1 | v1|true|other|GET|4xx|ERR_VERSION_GONE | -
  odd | GET /users v2 | none|true|list|GET|5xx| | -
  // an error without a code
  neutral | GET /users?status=1 v2 | v2|true|list|GET|5xx| | v2|true
`),
)('%s: %s counts once, as %s, and is the last request of %s', async (setting = '', asked = '', expected, last = '') => {
  const { send, counted } = await measured(SETTINGS[setting], {}, (app, options) => {
    app.use(versioning(options)).get('/middleware', (_req, res) => void res.status(401).end())
    app.use(options.routes as Table)
  })
  const [method = '', path = '', version] = asked.split(' ')
  await send(method, path, version === undefined ? {} : { 'X-API-Version': version })
  expect(await counted()).toEqual([`${expected} 1`])
  const found = await counted(LAST)
  expect(labelsOf(found)).toEqual(last === '-' ? [] : [last])
  for (const line of found) expect(Math.abs(Number(line.split(' ')[1]) - Date.now() / 1000)).toBeLessThan(5)
})

test('preflights and neutral routes do not count', async () => {
  const { send, counted } = await measured({ neutral: ['list'] })
  await send('OPTIONS', '/old', { Origin: 'http://a.test', 'Access-Control-Request-Method': 'GET' })
  await send('GET', '/users')
  expect(await counted()).toEqual([])
})

test('of several versioning() the last decides', async () => {
  const { get, counted } = await measured({}, {}, (app, options) =>
    app.use(versioning(options), versioning({ ...options, defaultVersion: 'v2' }), options.routes as Table),
  )
  await get('/users')
  expect(await counted()).toEqual(['v2|false|list|GET|2xx| 1'])
})

test('a rejection at dispatch takes the version back', async () => {
  const rewrite: RequestHandler = (req, _res, next) =>
    next(void Object.assign(req, { url: req.url.replace('/v1', '/v2') }))
  const options = { scheme: NamespaceVersioning, routes: separate() }
  const { get, counted } = await measured(options, {}, (app, options) =>
    app.use(versioning(options), rewrite, options.routes as Table),
  )
  await get('/v1/users')
  expect(await counted()).toEqual(['none|true|v1:list|GET|4xx|ERR_VERSION_NOT_FOUND 1'])
  expect(await counted(LAST)).toEqual([])
})

/** A promise, and the function that resolves it. */
function signal() {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

test('a request is aborted if its response does not finish, also before its version is decided', async () => {
  const [begun, decided] = [signal(), signal()]
  class Slow extends library.BaseVersioning {
    override readonly varyOn = []
    override async readVersion(): Promise<string> {
      begun.resolve()
      await decided.promise
      return 'v2'
    }
  }
  const { port, counted, closed } = await measured({ scheme: Slow })
  const asked = request({ host: '127.0.0.1', port, path: '/users', headers: V2 }).end()
  const failed = once(asked, 'error')
  await begun.promise
  asked.destroy()
  await Promise.all([failed, closed()])
  decided.resolve()
  await new Promise(setImmediate)
  expect(await counted()).toEqual(['v2|true|list|GET|aborted| 1'])
})

describe('a response that never closes', () => {
  // A stream, one that was never begun, and a plain route behind versioning().
  const stream: RequestHandler = (_req, res) => {
    res.locals.account = 'a'
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
  }
  const silent: RequestHandler = () => {}
  const account: Consumers = { consumer: (_req, res: Response) => res.locals.account, consumers: ['a'] }
  async function opened(path: string, given: Consumers) {
    const begun = signal()
    const notify: RequestHandler = (_req, _res, next) => next(begun.resolve())
    const routes = tableOf().add('stream', '/stream').add('silent', '/silent')
    routes.route('stream').get(notify, stream)
    routes.route('silent').get(notify, silent)
    const api = await measured({ routes: routes as Table }, given, (app, options) => {
      app.use(versioning(options), options.routes as Table)
      app.get('/plain', notify, stream).get('/nothing', notify, (_req, res) => void res.status(404).write('x'))
      app.get('/waiting', notify, silent)
    })
    const asked = request({ host: '127.0.0.1', port: api.port, path, headers: V2 }).end()
    asked.on('error', () => {})
    await begun.promise
    const close = () => {
      asked.destroy()
      return api.closed()
    }
    return { ...api, close }
  }

  test.each([
    ['/stream', {}, ['v2|true'], 'v2|true|stream|GET|aborted| 1'],
    ['/silent', {}, ['v2|true'], 'v2|true|silent|GET|aborted| 1'],
    ['/plain', {}, ['v2|true'], 'v2|true|other|GET|aborted| 1'],
    ['/waiting', {}, [], 'v2|true|other|GET|aborted| 1'],
    ['/nothing', {}, [], 'v2|true|other|GET|aborted| 1'],
    ['/stream', account, ['v2|true|a'], 'v2|true|stream|GET|aborted| 1'],
    // Nobody knows yet who sent it.
    ['/silent', account, [], 'v2|true|silent|GET|aborted| 1'],
  ])('%s with %j is seen: %j, and counts when it closes: %s', async (path, given, expected, closed) => {
    const { counted, close } = await opened(path, given)
    expect(labelsOf(await counted(LAST))).toEqual(expected)
    expect(await counted()).toEqual([])
    await close()
    expect(await counted()).toEqual([closed])
  })

  test('it is in use until it closes, also one that is silent for a minute', async () => {
    const { counted, close } = await opened('/silent', account)
    const later = Date.now() + 61_000
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later)
    expect(await counted(LAST)).toEqual([`v2|true| ${later / 1000}`])
    clock.mockReturnValue(later + 3_600_000)
    expect(await counted(LAST)).toEqual([`v2|true| ${later / 1000 + 3600}`])
    await close()
    clock.mockReturnValue(later + 7_200_000)
    expect(await counted(LAST)).toEqual([`v2|true| ${later / 1000 + 3600}`])
    clock.mockRestore()
  })
})

const seconds = (date: string) => Date.parse(date) / 1000

test('the latest date that extended gave', async () => {
  const dates: Record<string, string> = { a: '2998-01-01', b: '2999-01-01', c: '2997-01-01' }
  const extended = ({ headers }: { headers: Record<string, unknown> }) => dates[String(headers['x-account'])]
  const { get, lines } = await measured({ lifecycle: { v1: { sunset: '2990-01-01', extended } } })
  for (const account of ['a', 'b', 'c', 'd']) await get('/users', { 'X-Account': account })
  await get('/users', { ...V2, 'X-Account': 'b' })
  expect(await lines('date_timestamp_seconds')).toEqual([
    `v1|extended ${seconds('2999-01-01')}`,
    `v1|sunset ${seconds('2990-01-01')}`,
  ])
})

describe('consumers', () => {
  const consumer = (_req: unknown, res: Response) => res.locals.account
  const failing = () => {
    throw new Error('mine')
  }
  const warnings = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  beforeEach(() => warnings.mockClear())

  // The account is known behind versioning(), so the consumer is asked when the response closes.
  test.each<[string, Consumers, account: string, label: string, warns?: boolean]>([
    ['of a list', { consumer, consumers: ['a', 'b'] }, 'b', 'b'],
    ['of a list of numbers', { consumer: () => 7, consumers: [7] as never }, '', '7'],
    ['known by a function', { consumer, consumers: (name) => name === 'c' }, 'c', 'c'],
    ['unknown', { consumer, consumers: new Set(['a']) }, 'c', 'other'],
    ['unknown to a function', { consumer, consumers: (name) => name === 'c' }, 'd', 'other'],
    ['nobody', { consumer, consumers: ['a'] }, '', ''],
    ['null', { consumer: () => null, consumers: ['a'] }, '', ''],
    ['failing', { consumer: failing, consumers: ['a'] }, 'a', 'other', true],
    ['failing to know', { consumer, consumers: failing }, 'a', 'other', true],
    ['promised', { consumer: async () => 'a', consumers: ['a'] }, 'a', 'other', true],
    ['rejected', { consumer: async () => failing(), consumers: ['a'] }, 'a', 'other', true],
    ['known by a promise', { consumer, consumers: (async () => true) as never }, 'a', 'other', true],
  ])('%s', async (_, given, account, label, warns = false) => {
    const known: RequestHandler = (_req, res, next) => next(void Object.assign(res.locals, { account }))
    const { get, counted } = await measured({}, given, (app, options) =>
      app.use(versioning(options), known, options.routes as Table),
    )
    for (let times = 0; times < 2; times++) await get('/users')
    expect(await counted('consumer_requests_total')).toEqual([`v1|false|${label} 2`])
    expect(labelsOf(await counted(LAST))).toEqual([`v1|false|${label}`])
    expect(await counted()).toEqual(['v1|false|list|GET|2xx| 2'])
    const own = warnings.mock.calls.filter(([, options]) => Object(options).code === 'EXPRESS_VERSIONING_LISTENER')
    expect(own).toHaveLength(warns ? 1 : 0)
  })
})

const REMOVING = {
  changes: versionHistory('v1').version('v2', change('C', { 'GET list': 'removed' })),
  allowedVersions: undefined,
}

test('2,000 random versions, paths, methods and consumers add no series without end', async () => {
  const { raw, lines, counted } = await measured(REMOVING, byAccount)
  const random = () => Math.random().toString(36).slice(2)
  const methods = ['GET', 'PURGE', 'LOCK', 'TRACE', 'REPORT', 'MKCOL', 'SEARCH', 'UNBIND']
  const requestOf = (index: number) => {
    const version = index % 5 === 0 ? `X-API-Version: ${random()}\r\n` : ''
    const path = index % 3 === 0 ? 'users' : random()
    return `${methods[index % 8]} /${path} HTTP/1.1\r\nHost: a\r\n${version}X-Account: ${random()}\r\n`
  }
  for (let batch = 0; batch < 40; batch++) {
    const all = Array.from({ length: 50 }, (_, index) => requestOf(index)).join('\r\n')
    expect((await raw(`${all}Connection: close\r\n\r\n`)).match(/HTTP\/1\.1 \d+ /g)).toHaveLength(50)
  }
  const labels = labelsOf(await counted())
  expect(await lines('requests_total')).toHaveLength(7 - 1 + labels.length)
  expect(labels).toEqual([
    'none|true|list|GET|4xx|ERR_VERSION_NOT_ACCEPTABLE',
    'none|true|list|other|4xx|ERR_VERSION_NOT_ACCEPTABLE',
    'none|true|other|GET|4xx|ERR_VERSION_NOT_ACCEPTABLE',
    'none|true|other|other|4xx|ERR_VERSION_NOT_ACCEPTABLE',
    'v1|false|list|GET|2xx|',
    'v1|false|list|other|4xx|',
    'v1|false|other|GET|4xx|',
    'v1|false|other|other|4xx|',
  ])
  expect(labelsOf(await counted('consumer_requests_total'))).toEqual(['none|true|other', 'v1|false|other'])
  expect(labelsOf(await lines('change_requests_total'))).toEqual(['v1|C'])
  expect(labelsOf(await lines('change_consumer_requests_total'))).toEqual(['v1|C|other'])
})

test('dates and states are those of lifecycle, as of now', async () => {
  const lifecycle: NonNullable<VersioningOptions['lifecycle']> = {
    v1: gone.v1,
    v2: { deprecated: '2024-06-01', sunset: '2999-01-01' },
    v3: { deprecated: '2999-01-01' },
    v4: {},
  }
  const allowedVersions = ['v1', 'v2', 'v3', 'v4', 'v5']
  const { lines } = await measured({ allowedVersions, defaultVersion: 'v5', lifecycle })
  // Written as an option of later versions is: it is read as it is.
  Object.assign(lifecycle.v4 as object, { preview: true })
  const states = ['v1|gone', 'v2|deprecated', 'v3|served', 'v4|preview', 'v5|served']
  expect(await lines('info')).toEqual(states.map((state) => `${state} 1`))
  expect(await lines('date_timestamp_seconds')).toEqual([
    `v1|deprecated ${seconds('2024-01-01')}`,
    `v1|sunset ${seconds('2025-01-01')}`,
    `v2|deprecated ${seconds('2024-06-01')}`,
    `v2|sunset ${seconds('2999-01-01')}`,
    `v3|deprecated ${seconds('2999-01-01')}`,
  ])
})

test('the processes of a cluster add their counts, and keep the latest time', async () => {
  const [one, other] = [await measured(), await measured()]
  for (const { get } of [one, other, other]) await get('/users')
  await one.lines('info')
  const [late = ''] = await other.lines(LAST)
  const all = await Promise.all([one, other].map(({ register }) => register.getMetricsAsJSON()))
  const text = await AggregatorRegistry.aggregate(all as object[]).metrics()
  const labels = 'version="v1",named="false"'
  expect(text).toContain(`api_version_requests_total{${labels},route="list",method="GET",status="2xx",code=""} 3\n`)
  expect(text).toContain('api_version_info{version="v2",state="served"} 1\n')
  expect(text).toContain(`api_version_${LAST}{${labels}} ${late.split(' ')[1]}\n`)
})

test('OpenTelemetry has the same metrics, with units', async () => {
  const options = optionsOf({ ...REMOVING, lifecycle: { v1: { deprecated: '2024-01-01' } } })
  const metrics = await observed(options, { consumer: () => 'a', consumers: ['a'] }, '/users')
  const shown = metrics.map(({ descriptor: { name, unit }, dataPointType, dataPoints }) => {
    const [point] = dataPoints.filter(({ value }) => value !== 0)
    return [name.replace('api_version_', ''), unit, dataPointType, dataPoints.length, point?.attributes]
  })
  const { SUM, GAUGE } = DataPointType
  const [named, met] = [
    { version: 'v1', named: 'false' },
    { version: 'v1', change: 'C' },
  ]
  const user = { route: 'list', method: 'GET', status: '2xx', code: '' }
  const consumer = 'a'
  expect(shown).toEqual([
    ['requests', '{request}', SUM, 7, { ...named, ...user }],
    ['consumer_requests', '{request}', SUM, 3, { ...named, consumer }],
    ['consumer_operation_requests', '{request}', SUM, 1, { version: 'v1', consumer, route: 'list', method: 'GET' }],
    ['last_request_timestamp', 's', GAUGE, 6, { ...named, consumer }],
    ['change_requests', '{request}', SUM, 1, met],
    ['change_consumer_requests', '{request}', SUM, 1, { ...met, consumer }],
    ['change_last_request_timestamp', 's', GAUGE, 1, { ...met, consumer }],
    ['counting_since_timestamp', 's', GAUGE, 1, {}],
    ['consumers_info', '', GAUGE, 1, { source: 'list', limited: 'false' }],
    ['date_timestamp', 's', GAUGE, 1, { version: 'v1', date: 'deprecated' }],
    ['info', '', GAUGE, 2, { version: 'v1', state: 'deprecated' }],
  ])
})

test('names begin with the prefix, in the global registry if no other is given', async () => {
  versionMetrics(optionsOf(), { prometheus: client, prefix: 'shop' })
  expect(await client.register.metrics()).toContain('\nshop_requests_total{version="v1"')
  client.register.clear()
})

const meter = new MeterProvider().getMeter('test')
const prometheus = client
const register = new Registry()
const BOTH = 'versionMetrics() takes either "prometheus", the module prom-client, or "meter", a meter of OpenTelemetry.'
const REGISTRY = 'option "register" takes a registry of prom-client, beside "prometheus"; got '
const noVersions = { allowedVersions: undefined, defaultVersion: undefined }
test.each<[wrong: object, message: string, more?: Partial<VersioningOptions>]>([
  [{}, BOTH],
  [{ prometheus, meter }, BOTH],
  [{ prometheus: {} }, 'versionMetrics(): option "prometheus" takes the module prom-client; got {}.'],
  [{ meter: client }, 'option "meter" takes a meter of OpenTelemetry; got '],
  [{ meter: null }, 'option "meter" takes a meter of OpenTelemetry; got null.'],
  [{ meter, register }, REGISTRY],
  [{ prometheus, register: 1 }, `${REGISTRY}1.`],
  [{ prometheus, prefix: 'a-b' }, `"prefix" takes the start of a metric's name, such as 'api_version'; got 'a-b'.`],
  [{ prometheus, prefix: 1 }, 'option "prefix" takes '],
  [{ prometheus, consumer: () => '' }, 'options "consumer" and "consumers" need each other'],
  [{ prometheus, consumers: [] }, 'options "consumer" and "consumers" need each other'],
  [{ prometheus, consumer: 1, consumers: [] }, '"consumer" takes a function of request and response; got 1.'],
  [{ prometheus, ...byAccount, maxConsumers: 0 }, '"maxConsumers" takes a whole number from 1; got 0.'],
  [{ prometheus, consumer: () => '', consumers: 'a' }, '"consumers" takes a list of consumers, or a function '],
  [{ prometheus, prefixes: '' }, 'unknown option "prefixes". Did you mean "prefix"?'],
  [{ prometheus }, 'versionMetrics() needs the option "routes" of versioning(), the table.', { routes: undefined }],
  [{ prometheus }, 'versionMetrics() needs the option "allowedVersions" of versioning()', noVersions],
])('wrong options %#', (wrong, message, more = {}) => {
  const make = () => versionMetrics(optionsOf(more), wrong as VersionMetricsOptions)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

test('since when a process counts, and each listed consumer from the start', async () => {
  const before = Date.now() / 1000
  const { lines, register } = await measured({}, byAccount)
  const since = /^api_version_counting_since_timestamp_seconds ([\d.]+)$/m.exec(await register.metrics())?.[1]
  expect(Number(since)).toBeGreaterThanOrEqual(before)
  expect(await lines('consumer_requests_total')).toEqual(['v1|false|a 0', 'v1|true|a 0', 'v2|true|a 0'])
  const zeros = ['v1|false', 'v1|true', 'v2|true'].flatMap((one) => [`${one}|a 0`, `${one}|other 0`])
  expect(await lines(LAST)).toEqual(zeros)
})

test('what a consumer asked for, and what it got as errors', async () => {
  const { get, counted } = await measured({}, byAccount)
  for (const path of ['/users', '/users?status=500', '/nothing']) await get(path, { ...V2, 'X-Account': 'a' })
  expect(await counted('consumer_operation_requests_total')).toEqual(['v2|a|list|GET 2', 'v2|a|other|GET 1'])
  expect(await counted('consumer_errors_total')).toEqual(['v2|a|4xx| 1', 'v2|a|5xx| 1'])
})

test('a function tells at most so many consumers apart', async () => {
  const consumers: Consumers = { ...byAccount, consumers: () => true }
  const { get, counted, lines } = await measured({}, { ...consumers, maxConsumers: 2 })
  const names = ['a', 'b', 'c', 'a']
  for (const name of names.slice(0, 2)) await get('/users', { ...V2, 'X-Account': name })
  expect(await lines('consumers_info')).toEqual(['function|false 1'])
  for (const name of names.slice(2)) await get('/users', { ...V2, 'X-Account': name })
  expect(await counted('consumer_requests_total')).toEqual(['v2|true|a 2', 'v2|true|b 1', 'v2|true|other 1'])
  expect(await lines('consumers_info')).toEqual(['function|true 1'])
})

test('a list with more consumers than that is a warning', () => {
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  const consumers = ['a', 'b', 'c']
  versionMetrics(optionsOf(), { prometheus, register: new Registry(), ...byAccount, consumers, maxConsumers: 2 })
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('"consumers" has 3 names'), {
    code: 'EXPRESS_VERSIONING_METRICS',
  })
  warn.mockRestore()
})
