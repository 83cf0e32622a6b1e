import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Application, RequestHandler } from 'express'
import * as library from 'express-versioning'
import { byVersion, HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type VersionMetricsOptions, versionMetrics } from 'express-versioning/metrics'
import client, { AggregatorRegistry, Registry } from 'prom-client'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { include, routed, type Table } from '../support/tables'

const answer: RequestHandler = ({ query }, res) => void res.status(Number(query.status ?? 200)).json({})
const tableOf = (): Table => {
  const routes = namedRoutes({ list: '/users', old: '/old', later: '/later' })
  routes.route('list').get(answer).post(answer)
  routes.route('old').get(byVersion({ v1: answer }))
  return routes
}
const optionsOf = (more: Partial<VersioningOptions> = {}): VersioningOptions => ({
  scheme: HeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  routes: tableOf(),
  ...more,
})

type Serving = (app: Application, options: VersioningOptions) => void
const plainly: Serving = (app, options) => app.use(versioning(options), options.routes as Table)

/** Serves an API that is measured by prom-client, and returns the lines of a metric without its prefix. */
async function measured(
  more: Partial<VersioningOptions> = {},
  given: Omit<VersionMetricsOptions, 'prometheus' | 'meter'> = {},
  build = plainly,
) {
  const register = new Registry()
  const options = optionsOf(more)
  const { onVersion } = versionMetrics(options, { prometheus: client, register, ...given })
  const server = await serve((app) => build(app, { ...options, onVersion }))
  const lines = async (name: string) => {
    // Answers are counted when they close, a moment after the client has them.
    await setTimeout(20)
    const text = await register.metrics()
    const start = `api_version_${name}{`
    return text
      .split('\n')
      .flatMap((line) => (line.startsWith(start) ? [line.slice(start.length).replace('} ', ' ')] : []))
  }
  const requests = async () => {
    const found = await lines('requests_total')
    return found.filter((line) => !line.endsWith(' 0')).map((line) => line.replaceAll(/\w+="(.*?)",?/g, '$1|'))
  }
  return { ...server, register, lines, requests }
}

const zero = (version: string, named: boolean, route: string, method: string) =>
  `version="${version}",named="${named}",route="${route}",method="${method}",status="2xx",code="" 0`

test('each operation of each version begins at 0, named, and for the default version also not named', async () => {
  const { lines } = await measured()
  expect((await lines('requests_total')).sort()).toEqual(
    [
      ...[true, false].flatMap((named) => [
        zero('v1', named, 'list', 'GET'),
        zero('v1', named, 'list', 'POST'),
        zero('v1', named, 'old', 'GET'),
      ]),
      zero('v2', true, 'list', 'GET'),
      zero('v2', true, 'list', 'POST'),
    ].sort(),
  )
  expect(await lines('last_request_timestamp_seconds')).toEqual([])
})

const { NamespaceVersioning, URLPathVersioning } = library
const inNamespaces = ['v1', 'v2'].reduce((outer, name) => include(`/${name}`, tableOf(), name, outer), namedRoutes({}))
const early = change('New.', { 'GET list': 'added', 'GET later': 'removed' })
test.each<[what: string, more: Partial<VersioningOptions>, ...series: string[]]>([
  [
    'a path in the table',
    { scheme: URLPathVersioning, routes: include('/:version', routed({ x: '/x' }, answer)) },
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [`v1 x ${method}`, `v2 x ${method}`]),
  ],
  [
    'a path in the mount',
    { scheme: URLPathVersioning },
    'v1 list GET',
    'v1 list POST',
    'v1 old GET',
    'v2 list GET',
    'v2 list POST',
  ],
  [
    'namespaces',
    { scheme: NamespaceVersioning, routes: inNamespaces },
    'v1 v1:list GET',
    'v1 v1:list POST',
    'v1 v1:old GET',
    'v2 v2:list GET',
    'v2 v2:list POST',
  ],
  [
    'a history',
    {
      changes: versionHistory('v1').version('v2', early),
      allowedVersions: undefined,
      routes: routed({ list: '/l', later: '/m' }, answer),
    },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [
      `v1 list ${method}`,
      `v2 list ${method}`,
      `v1 later ${method}`,
      `v2 later ${method}`,
    ]),
    'v2 list GET',
    'v1 later GET',
  ],
  ['neutral routes', { neutral: ['old'] }, 'v1 list GET', 'v1 list POST', 'v2 list GET', 'v2 list POST'],
])('the series of %s', async (_, more, ...expected) => {
  const { lines } = await measured(more)
  const found = (await lines('requests_total')).filter((line) => line.includes('named="true"'))
  const shown = found.map((line) =>
    line.replace(/version="(.*?)",named="true",route="(.*?)",method="(.*?)".*/, '$1 $2 $3'),
  )
  expect(shown.sort()).toEqual(expected.sort())
})

test('handlers that come later have series too', async () => {
  const routes = tableOf()
  const { lines } = await measured({ routes })
  expect(await lines('requests_total')).toHaveLength(8)
  routes.route('later').get(answer)
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
test.each<[string, Partial<VersioningOptions>, method: string, path: string, version: string, counted: string]>([
  ['named', {}, 'GET', '/users', 'v2', 'v2|true|list|GET|2xx|| 1'],
  ['the default', {}, 'POST', '/users', '', 'v1|false|list|POST|2xx|| 1'],
  ['HEAD', {}, 'HEAD', '/users', 'v2', 'v2|true|list|HEAD|2xx|| 1'],
  ['an unusual method', {}, 'PURGE', '/users', 'v2', 'v2|true|list|other|4xx|| 1'],
  ['a redirection', {}, 'GET', '/users?status=304', 'v2', 'v2|true|list|GET|3xx|| 1'],
  ['a failure', {}, 'GET', '/users?status=500', 'v2', 'v2|true|list|GET|5xx|| 1'],
  ['an odd status', {}, 'GET', '/users?status=600', 'v2', 'v2|true|list|GET|5xx|| 1'],
  ['a path without a route', {}, 'GET', '/wp-login.php', 'v1', 'v1|true|other|GET|4xx|| 1'],
  ['an unknown version', {}, 'GET', '/users', 'v9', 'none|true|list|GET|4xx|ERR_VERSION_NOT_ACCEPTABLE| 1'],
  ['no version', { defaultVersion: null }, 'GET', '/users', '', 'none|false|list|GET|4xx|ERR_VERSION_MISSING| 1'],
  ['null', { defaultVersion: null, allowedVersions: ['v1', null] }, 'GET', '/users', '', 'none|false|list|GET|2xx|| 1'],
  ['a gone version', { lifecycle: gone }, 'GET', '/users', 'v1', 'v1|true|list|GET|4xx|ERR_VERSION_GONE| 1'],
  ['no handler', {}, 'GET', '/old', 'v2', 'v2|true|old|GET|4xx|ERR_VERSION_UNHANDLED| 1'],
  ['an odd error', { scheme: Odd }, 'GET', '/users', 'v2', 'none|true|list|GET|5xx|| 1'],
  ['an error without a code', { neutral: ['later'] }, 'GET', '/users?status=1', 'v2', 'v2|true|list|GET|5xx|| 1'],
])('a request counts once: %s', async (_, more, method, path, version, counted) => {
  const { send, requests } = await measured(more)
  await send(method, path, version === '' ? {} : { 'X-API-Version': version })
  expect(await requests()).toEqual([counted])
})

test('preflights and neutral routes do not count', async () => {
  const { send, requests } = await measured({ neutral: ['list'] })
  await send('OPTIONS', '/old', { Origin: 'http://a.test', 'Access-Control-Request-Method': 'GET' })
  await send('GET', '/users')
  expect(await requests()).toEqual([])
})

test('a refusal at dispatch takes the version back; of several versioning() the last decides', async () => {
  const nested: Serving = (app, options) => {
    app.use(versioning(options), versioning({ ...options, defaultVersion: 'v2' }), options.routes as Table)
  }
  const twice = await measured({}, {}, nested)
  await twice.get('/users')
  expect(await twice.requests()).toEqual(['v2|false|list|GET|2xx|| 1'])

  const rewriting: Serving = (app, options) => {
    const rewrite: RequestHandler = (req, _res, next) =>
      next(void Object.assign(req, { url: req.url.replace('/v1', '/v2') }))
    app.use(versioning(options), rewrite, options.routes as Table)
  }
  const { get, requests, lines } = await measured({ scheme: NamespaceVersioning, routes: inNamespaces }, {}, rewriting)
  await get('/v1/users')
  expect(await requests()).toEqual([
    expect.stringMatching(/^none\|true\|v1:list\|GET\|4xx\|ERR_VERSION_NOT_FOUND\| 1$/),
  ])
  expect(await lines('last_request_timestamp_seconds')).toEqual([])
})

test('a request is aborted if its answer does not finish, also before its version is decided', async () => {
  let waiting = (): void => {}
  const begun = () => new Promise<void>((resolve) => (waiting = resolve))
  class Slow extends library.BaseVersioning {
    override readonly varyOn = []
    override async readVersion(): Promise<string> {
      waiting()
      await setTimeout(100)
      return 'v2'
    }
  }
  for (const [more, path] of [
    [{}, '/slow'],
    [{ scheme: Slow }, '/users'],
  ] as const) {
    const routes = tableOf().add('slow', '/slow')
    routes.route('slow').get(() => waiting())
    const { port, requests } = await measured({ ...more, routes: routes as Table })
    const started = begun()
    const asked = request({ host: '127.0.0.1', port, path, headers: { 'X-API-Version': 'v2' } }).end()
    const failed = once(asked, 'error')
    await started
    asked.destroy()
    await failed
    await setTimeout(200)
    const route = path === '/slow' ? 'slow' : 'list'
    expect(await requests()).toEqual([`v2|true|${route}|GET|aborted|| 1`])
  }
})

test.each(
  rows(`
  GET /users v2              | true  | a request
  GET /users                 | false | one without a version
  GET /old v2                | true  | a named route without a handler
  GET /users?status=404 v2   | true  | a 404 of a named route
  GET /nothing v2            |       | a 404 of no named route
  GET /users v0              | true  | a version that is gone
  GET /nothing v0            |       | a version that is gone, and no named route
  GET /middleware v2         | true  | no named route, but no 404
  GET /users v9              |       | an unknown version
`),
)('%s: the time of the last request is written: %s (%s)', async (asked = '', named) => {
  const middleware: Serving = (app, options) => {
    app.use(versioning(options)).get('/middleware', (_req, res) => void res.status(401).end())
    app.use(options.routes as Table)
  }
  const lifecycle = { v0: gone.v1 }
  const { send, lines } = await measured({ allowedVersions: ['v0', 'v1', 'v2'], lifecycle }, {}, middleware)
  const [method = '', path = '', version] = asked.split(' ')
  const before = Date.now()
  await send(method, path, version === undefined ? {} : { 'X-API-Version': version })
  const found = await lines('last_request_timestamp_seconds')
  expect(found.map((line) => line.replace(/ .*/, ''))).toEqual(
    named === '' ? [] : [`version="${version ?? 'v1'}",named="${named}"`],
  )
  for (const line of found) expect(Math.abs(Number(line.replace(/.* /, '')) * 1000 - before)).toBeLessThan(5000)
})

describe('a response that never closes', () => {
  // A stream, one that was never begun, and a plain route behind versioning().
  const stream: RequestHandler = (_req, res) => {
    res.locals.account = 'a'
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
  }
  const silent: RequestHandler = () => {}
  const account = {
    consumer: (_req: unknown, res: { locals: Record<string, unknown> }) => res.locals.account,
    consumers: ['a'],
  }
  async function opened(path: string, given: Pick<VersionMetricsOptions, 'consumer' | 'consumers'> = {}) {
    const routes = tableOf().add('stream', '/stream').add('silent', '/silent')
    let reached = (): void => {}
    const begun = new Promise<void>((resolve) => (reached = resolve))
    const notify: RequestHandler = (_req, _res, next) => next(void reached())
    routes.route('stream').get(notify, stream)
    routes.route('silent').get(notify, silent)
    const build: Serving = (app, options) => {
      app.use(versioning(options), options.routes as Table)
      app.get('/plain', notify, stream).get('/nothing', notify, (_req, res) => void res.status(404).write('x'))
      app.get('/waiting', notify, silent)
    }
    const measures = await measured({ routes: routes as Table }, given, build)
    const asked = request({ host: '127.0.0.1', port: measures.port, path, headers: { 'X-API-Version': 'v2' } }).end()
    const closed = new Promise((resolve) => asked.on('error', () => {}).on('close', resolve))
    await begun
    const close = async () => {
      asked.destroy()
      await closed
      await setTimeout(20)
    }
    return { ...measures, close }
  }
  const labelsOf = (lines: string[]) => lines.map((line) => line.replace(/ .*/, ''))

  test.each([
    ['/stream', {}, ['version="v2",named="true"']],
    ['/silent', {}, ['version="v2",named="true"']],
    ['/plain', {}, ['version="v2",named="true"']],
    ['/waiting', {}, []],
    ['/nothing', {}, []],
    ['/stream', account, ['version="v2",named="true",consumer="a"']],
    // Nobody knows yet who sent it.
    ['/silent', account, []],
  ])('%s with %j is seen: %j', async (path, given, expected) => {
    const { lines, requests, close } = await opened(path, given)
    expect(labelsOf(await lines('last_request_timestamp_seconds'))).toEqual(expected)
    expect(await requests()).toEqual([])
    await close()
    expect(await requests()).toHaveLength(1)
  })

  test('it is in use until it closes, also one that is silent for a minute', async () => {
    const { lines, close } = await opened('/silent', account)
    const later = Date.now() + 61_000
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later)
    const label = 'version="v2",named="true",consumer=""'
    expect(await lines('last_request_timestamp_seconds')).toEqual([`${label} ${later / 1000}`])
    clock.mockReturnValue(later + 3_600_000)
    expect(await lines('last_request_timestamp_seconds')).toEqual([`${label} ${later / 1000 + 3600}`])
    await close()
    clock.mockReturnValue(later + 7_200_000)
    expect(await lines('last_request_timestamp_seconds')).toEqual([`${label} ${later / 1000 + 3600}`])
    clock.mockRestore()
  })
})

test('the latest date that extended gave', async () => {
  const dates: Record<string, string> = { a: '2998-01-01', b: '2999-01-01', c: '2997-01-01' }
  const extended = ({ headers }: { headers: Record<string, unknown> }) => dates[String(headers['x-account'])]
  const { get, lines } = await measured({ lifecycle: { v1: { sunset: '2990-01-01', extended } } })
  for (const account of ['a', 'b', 'c', 'd']) await get('/users', { 'X-Account': account })
  await get('/users', { 'X-API-Version': 'v2', 'X-Account': 'b' })
  expect(await lines('date_timestamp_seconds')).toEqual(
    [
      ['sunset', '2990-01-01'],
      ['extended', '2999-01-01'],
    ].map(([date, at = '']) => `version="v1",date="${date}" ${Date.parse(at) / 1000}`),
  )
})

describe('consumers', () => {
  const consumer = ({ headers }: { headers: Record<string, unknown> }) => headers['x-account']
  const failing = () => {
    throw new Error('mine')
  }
  const warnings = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined)
  beforeEach(() => warnings.mockClear())

  test.each<
    [string, Pick<VersionMetricsOptions, 'consumer' | 'consumers'>, account: string, label: string, warns?: boolean]
  >([
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
    const { get, lines, requests } = await measured({}, given)
    for (let times = 0; times < 2; times++) await get('/users', account === '' ? {} : { 'X-Account': account })
    expect(await lines('consumer_requests_total')).toEqual([`version="v1",named="false",consumer="${label}" 2`])
    const [last = ''] = await lines('last_request_timestamp_seconds')
    expect(last).toMatch(`version="v1",named="false",consumer="${label}" `)
    expect(await requests()).toEqual(['v1|false|list|GET|2xx|| 2'])
    const own = warnings.mock.calls.filter(([, options]) => Object(options).code === 'EXPRESS_VERSIONING_LISTENER')
    expect(own).toHaveLength(warns ? 1 : 0)
  })

  test('the consumer is asked when the answer closes', async () => {
    const late: Serving = (app, options) => {
      app.use(
        versioning(options),
        (_req, res, next) => next(void Object.assign(res.locals, { account: 'a' })),
        options.routes as Table,
      )
    }
    const { get, lines } = await measured({}, { consumer: (_req, res) => res.locals.account, consumers: ['a'] }, late)
    await get('/users')
    expect(await lines('consumer_requests_total')).toEqual(['version="v1",named="false",consumer="a" 1'])
  })
})

test('2,000 random versions, paths, methods and consumers add no series without end', async () => {
  const given = {
    consumer: ({ headers }: { headers: Record<string, unknown> }) => headers['x-account'],
    consumers: ['a'],
  }
  const { send, lines, requests } = await measured({}, given)
  const random = () => Math.random().toString(36).slice(2)
  const methods = ['GET', 'PURGE', 'LOCK', 'TRACE', 'REPORT', 'MKCOL', 'SEARCH', 'UNBIND']
  for (let batch = 0; batch < 40; batch++) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send(methods[index % methods.length] as string, index % 3 === 0 ? '/users' : `/${random()}`, {
          ...(index % 5 === 0 && { 'X-API-Version': random() }),
          'X-Account': random(),
        }),
      ),
    )
  }
  const labels = (await requests()).map((line) => line.replace(/ \d+$/, ''))
  expect(await lines('requests_total')).toHaveLength(8 - 1 + labels.length)
  expect(labels.sort()).toEqual(
    ['GET', 'other']
      .flatMap((method) =>
        ['list', 'other'].flatMap((route) => [
          `none|true|${route}|${method}|4xx|ERR_VERSION_NOT_ACCEPTABLE|`,
          `v1|false|${route}|${method}|${route === 'list' && method === 'GET' ? '2xx' : '4xx'}||`,
        ]),
      )
      .sort(),
  )
  expect((await lines('consumer_requests_total')).map((line) => line.replace(/ \d+$/, ''))).toEqual(
    expect.arrayContaining([
      'version="none",named="true",consumer="other"',
      'version="v1",named="false",consumer="other"',
    ]),
  )
  expect(await lines('consumer_requests_total')).toHaveLength(2)
})

test('dates and states are those of lifecycle, as of now', async () => {
  const lifecycle: NonNullable<VersioningOptions['lifecycle']> = {
    v1: gone.v1,
    v2: { deprecated: '2024-06-01', sunset: '2999-01-01' },
    v3: { deprecated: '2999-01-01' },
    v4: {},
  }
  const more = { allowedVersions: ['v1', 'v2', 'v3', 'v4', 'v5'], defaultVersion: 'v5', lifecycle }
  const { lines } = await measured(more)
  // Written as an option of later versions is: it is read as it is.
  Object.assign(lifecycle.v4 as object, { preview: true })
  expect(await lines('info')).toEqual(
    ['v1|gone', 'v2|deprecated', 'v3|served', 'v4|preview', 'v5|served'].map((text) => {
      const [version, state] = text.split('|')
      return `version="${version}",state="${state}" 1`
    }),
  )
  const at = (date: string) => Date.parse(date) / 1000
  expect(await lines('date_timestamp_seconds')).toEqual([
    `version="v1",date="deprecated" ${at('2024-01-01')}`,
    `version="v1",date="sunset" ${at('2025-01-01')}`,
    `version="v2",date="deprecated" ${at('2024-06-01')}`,
    `version="v2",date="sunset" ${at('2999-01-01')}`,
    `version="v3",date="deprecated" ${at('2999-01-01')}`,
  ])
})

test('the processes of a cluster add their counts, and keep the latest time', async () => {
  const processes = await Promise.all([1, 2].map(() => measured()))
  for (const { get } of processes) await get('/users')
  const [one, two] = processes as [Measured, Measured]
  await two.get('/users')
  await one.lines('info')
  const [late = ''] = await two.lines('last_request_timestamp_seconds')
  const all = await Promise.all(processes.map(({ register }) => register.getMetricsAsJSON()))
  const text = await AggregatorRegistry.aggregate(all as object[]).metrics()
  expect(text).toContain(
    'api_version_requests_total{version="v1",named="false",route="list",method="GET",status="2xx",code=""} 3\n',
  )
  expect(text).toContain('api_version_info{version="v2",state="served"} 1\n')
  expect(text).toContain(`api_version_last_request_timestamp_seconds{${late.replace(' ', '} ')}\n`)
})
type Measured = Awaited<ReturnType<typeof measured>>

test('OpenTelemetry has the same metrics, with units', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const options = optionsOf({ lifecycle: { v1: { deprecated: '2024-01-01' } } })
  const { onVersion } = versionMetrics(options, { meter, consumer: () => 'a', consumers: ['a'] })
  const { get } = await serve((app) => plainly(app, { ...options, onVersion }))
  await get('/users')
  await setTimeout(20)
  await reader.forceFlush()
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const shown = metrics.map(({ descriptor: { name, unit }, dataPoints, dataPointType }) => [
    name,
    unit,
    dataPointType,
    dataPoints.length,
  ])
  expect(shown).toEqual([
    ['api_version_requests', '{request}', DataPointType.SUM, 8],
    ['api_version_consumer_requests', '{request}', DataPointType.SUM, 1],
    ['api_version_last_request_timestamp', 's', DataPointType.GAUGE, 1],
    ['api_version_date_timestamp', 's', DataPointType.GAUGE, 1],
    ['api_version_info', '', DataPointType.GAUGE, 2],
  ])
  const [requests, consumers] = metrics
  expect(requests?.dataPoints.filter(({ value }) => value !== 0)).toMatchObject([
    { value: 1, attributes: { version: 'v1', named: 'false', route: 'list', method: 'GET', status: '2xx', code: '' } },
  ])
  expect(consumers?.dataPoints).toMatchObject([
    { value: 1, attributes: { version: 'v1', named: 'false', consumer: 'a' } },
  ])
  await reader.shutdown()
})

test('names begin with the prefix, in the global registry if no other is given', async () => {
  versionMetrics(optionsOf(), { prometheus: client, prefix: 'shop' })
  expect(await client.register.metrics()).toContain('\nshop_requests_total{version="v1"')
  client.register.clear()
})

const meter = new MeterProvider().getMeter('test')
const BOTH = 'versionMetrics() takes either "prometheus", the module prom-client, or "meter", a meter of OpenTelemetry.'
test.each<[wrong: object, message: string, more?: Partial<VersioningOptions>]>([
  [{}, BOTH],
  [{ prometheus: client, meter }, BOTH],
  [{ prometheus: {} }, 'versionMetrics(): option "prometheus" takes the module prom-client; got {}.'],
  [{ meter: client }, 'option "meter" takes a meter of OpenTelemetry; got '],
  [{ meter: null }, 'option "meter" takes a meter of OpenTelemetry; got null.'],
  [{ meter, register: new Registry() }, 'option "register" takes a registry of prom-client, beside "prometheus"; got '],
  [
    { prometheus: client, register: 1 },
    'option "register" takes a registry of prom-client, beside "prometheus"; got 1.',
  ],
  [
    { prometheus: client, prefix: 'a-b' },
    `option "prefix" takes the start of a metric's name, such as 'api_version'; got 'a-b'.`,
  ],
  [{ prometheus: client, prefix: 1 }, 'option "prefix" takes '],
  [{ prometheus: client, consumer: () => '' }, 'options "consumer" and "consumers" need each other'],
  [{ prometheus: client, consumers: [] }, 'options "consumer" and "consumers" need each other'],
  [
    { prometheus: client, consumer: 1, consumers: [] },
    'option "consumer" takes a function of request and response; got 1.',
  ],
  [
    { prometheus: client, consumer: () => '', consumers: 'a' },
    'option "consumers" takes a list of consumers, or a function ',
  ],
  [{ prometheus: client, prefixes: '' }, 'unknown option "prefixes". Did you mean "prefix"?'],
  [
    { prometheus: client },
    'versionMetrics() needs the option "routes" of versioning(), the table.',
    { routes: undefined },
  ],
  [
    { prometheus: client },
    'versionMetrics() needs the option "allowedVersions" of versioning()',
    { allowedVersions: undefined, defaultVersion: undefined },
  ],
])('wrong options %#', (wrong, message, more = {}) => {
  const make = () => versionMetrics(optionsOf(more), wrong as VersionMetricsOptions)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})
