import type { ErrorRequestHandler, RequestHandler } from 'express'
import {
  CombinedVersioning,
  earlierDate,
  HeaderVersioning,
  NotAcceptable,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  type VersionLifecycle,
  versioning,
} from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { rows } from '../support/rows'
import { jsonErrors, type Served, serve } from '../support/serve'

const show: RequestHandler = (req, res) => void res.json({ version: req.version })
type Options = Partial<VersioningOptions>
const options = (own: Options) => ({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], ...own })
const api = (own: Options, ...front: RequestHandler[]): Promise<Served> =>
  serve((app) => void app.use(...front, versioning(options(own)), show))

const at = (instant: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(instant))
afterEach(() => jest.restoreAllMocks())

const PAUSES: VersionLifecycle = {
  sunset: '2030-02-01',
  brownouts: [
    { from: '2030-01-10T00:00:00Z', to: '2030-01-10T01:00:00Z' },
    { from: '2030-01-20T00:00:00Z', to: '2030-01-20T02:02:00Z', every: '1h', for: '5m' },
    { from: '2030-01-20T02:02:00Z', to: '2030-01-21T00:00:00Z', every: '1d', for: '30s' },
  ],
}
const SUNSET = 'Fri, 01 Feb 2030 00:00:00 GMT'
const CLOCK = rows(`
  2030-01-09T23:59:59.999Z | 200
  2030-01-10T00:00:00.000Z | 410 3600
  2030-01-10T00:59:59.001Z | 410 1
  2030-01-10T01:00:00.000Z | 200
  2030-01-20T00:04:59.500Z | 410 1
  2030-01-20T00:05:00.000Z | 200
  2030-01-20T01:00:00.000Z | 410 300
  // a pause is cut at the end
  2030-01-20T02:00:30.000Z | 410 90
  2030-01-20T02:02:00.000Z | 410 30
  2030-01-20T02:02:30.000Z | 200
`)
test.each(CLOCK)('brownouts: at %s, %s', async (instant = '', expected = '') => {
  at(instant)
  const app = await api({ lifecycle: { v1: PAUSES } })
  const { status, headers, json } = await app.get('/', { 'X-API-Version': 'v1' })
  const [code, after] = expected.split(' ')
  expect([status, headers['retry-after'], headers.sunset]).toEqual([Number(code), after, SUNSET])
  if (status === 410) {
    expect([headers['cache-control'], json]).toEqual([
      'no-store',
      { error: 'This version is paused.', code: 'ERR_VERSION_BROWNOUT', name: 'VersioningError' },
    ])
  }
  expect((await app.get('/', { 'X-API-Version': 'v2' })).status).toBe(200)
})

test('a pause forbids storing whatever the app said, rejects no preflight, and is taken back by an inner decision', async () => {
  at('2030-01-10T00:30:00Z')
  const lifecycle = { v1: PAUSES }
  const cached: RequestHandler = (_req, res, next) => void next(res.set('Cache-Control', 'max-age=60') && undefined)
  const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET', 'X-API-Version': 'v1' }
  const app = await api({ lifecycle }, cached)
  expect((await app.get('/', { 'X-API-Version': 'v1' })).headers['cache-control']).toBe('no-store')
  const { headers } = await app.send('OPTIONS', '/', preflight)
  expect([headers['retry-after'], headers['cache-control']]).toEqual([undefined, 'max-age=60'])
  const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
  const inner = await serve((app) => {
    app.use(versioning(options({ lifecycle })), goOn)
    app.use(versioning(options({})), show)
  })
  const { headers: own } = await inner.get('/', { 'X-API-Version': 'v1' })
  expect([own['retry-after'], own['cache-control'], own.sunset]).toEqual([undefined, undefined, undefined])
  expect((await inner.get('/', { 'X-API-Version': 'v2' })).status).toBe(200)
})

// Each rejection, and the value of Cache-Control where the app sets `max-age=60` in front.
const sunk = { v1: { sunset: '2020-01-01', afterSunset: 'gone' as const } }
const Rejections: [string, number, Options, Record<string, string>, string][] = [
  ['gone', 410, { lifecycle: sunk }, { 'X-API-Version': 'v1' }, '/'],
  ['unknown in a header', 406, {}, { 'X-API-Version': 'v9' }, '/'],
  ['unknown in a query', 404, { scheme: QueryParameterVersioning }, {}, '/?version=v9'],
  ['missing', 406, { scheme: HeaderVersioning }, {}, '/'],
  [
    'contradictory',
    400,
    {
      scheme: new CombinedVersioning({
        schemes: [new HeaderVersioning(), new QueryParameterVersioning()],
        allowedVersions: ['v1', 'v2'],
      }),
      allowedVersions: undefined,
    },
    { 'X-API-Version': 'v1' },
    '/?version=v2',
  ],
]
test.each(Rejections)('a rejection is not stored: %s', async (_what, status, own, headers, path) => {
  const cached: RequestHandler = (_req, res, next) => void next(res.set('Cache-Control', 'max-age=60') && undefined)
  const [plain, said] = [await api(own), await api(own, cached)]
  const responses = [await plain.get(path, headers), await said.get(path, headers)]
  expect(responses.map((response) => [response.status, response.headers['cache-control']])).toEqual([
    [status, 'no-store'],
    [status, 'max-age=60'],
  ])
})

test('a rejection at dispatch is not stored, an error of the app is not concerned', async () => {
  const app = await serve((app) => {
    const routes = namedRoutes({ item: '/item' })
    routes.route('item').get(show)
    const move: RequestHandler = (req, _res, next) => {
      if (req.query.to !== undefined) req.url = String(req.query.to)
      next()
    }
    const root = namedRoutes({}).include('/:version', routes)
    app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: root }), move, root)
    app.use('/v1/broken', () => {
      throw new Error('broken')
    })
    app.use(problemDetails(), jsonErrors)
  })
  const stored = async (path: string) => {
    const { status, headers } = await app.get(path)
    return [status, headers['cache-control']]
  }
  expect([await stored('/v1/item'), await stored('/v1/item?to=/v2/item'), await stored('/v1/broken')]).toEqual([
    [200, undefined],
    [404, 'no-store'],
    [500, undefined],
  ])
})

const EXTENSIONS: [string, unknown, number, string, boolean][] = [
  ['2030-03-01', '2030-03-01', 200, 'Fri, 01 Mar 2030 00:00:00 GMT', false],
  ['a passed date', '2030-02-01T00:00:00Z', 410, SUNSET, false],
  ['none', undefined, 410, SUNSET, false],
  ['a date before the sunset', '2029-01-01', 410, SUNSET, true],
  ['no date', 'soon', 410, SUNSET, true],
  ['a promise', () => Promise.reject(new Error('late')), 410, SUNSET, true],
]
test.each(EXTENSIONS)('extended: %s', async (_what, date, status, sunset, isWarned) => {
  at('2030-02-02T00:00:00Z')
  const warned = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const extended = jest.fn(typeof date === 'function' ? (date as () => never) : () => date as string)
  const app = await api({ lifecycle: { v1: { sunset: '2030-02-01', extended } }, afterSunset: 'gone' })
  for (const _ of [1, 2]) {
    const response = await app.get('/', { 'X-API-Version': 'v1' })
    expect([response.status, response.headers.sunset]).toEqual([status, sunset])
  }
  await app.get('/', { 'X-API-Version': 'v2' })
  const told = 'The option "lifecycle.v1.extended" of versioning() failed; the sunset of the version counts.'
  const warning = [told, { code: 'EXPRESS_VERSIONING_EXTENDED', detail: expect.any(String) }]
  expect([extended.mock.calls.length, warned.mock.calls]).toEqual([2, isWarned ? [warning] : []])
})

test('extended: such a client is not paused; an error counts as none', async () => {
  at('2030-01-10T00:30:00Z')
  jest.spyOn(process, 'emitWarning').mockReturnValue()
  const extended = (req: { headers: Record<string, unknown> }) => {
    if (req.headers.client === 'broken') throw new Error('broken')
    return req.headers.client === 'late' ? new Date('2031-01-01') : undefined
  }
  const app = await api({ lifecycle: { v1: { ...PAUSES, deprecated: '2020-01-01', extended } } })
  const codes = ['late', 'other', 'broken'].map(
    async (client) => (await app.get('/', { 'X-API-Version': 'v1', client })).status,
  )
  expect(await Promise.all(codes)).toEqual([200, 410, 410])
})

test('preview: accepted by its name alone, and announced nowhere', async () => {
  const lifecycle = {
    '2025-01-01': { preview: true },
    '2024-01-01': { sunset: '2020-01-01', afterSunset: 'gone' as const },
  }
  const allowedVersions = ['2025-01-01', '2024-01-01', '2024-06-01']
  const routes = namedRoutes({ item: '/item' })
  routes.route('item').get(show)
  const all = {
    scheme: HeaderVersioning,
    allowedVersions,
    lifecycle,
    parseVersion: earlierDate,
    reportVersions: true,
    routes,
  }
  const app = await serve((app) => {
    app.use('/openapi', openapi(all)).use('/docs', explorer(all))
    app.use(versioning(all), routes, problemDetails())
  })
  const ask = (version: string) => app.get('/item', { 'X-API-Version': version })
  const read = async (version: string) => ((await ask(version)).json as { version?: string }).version
  expect([await read('2025-01-01'), await read('2025-05-05'), await read('2024-07-01')]).toEqual([
    '2025-01-01',
    '2024-06-01',
    '2024-06-01',
  ])
  expect((await ask('2025-01-01')).headers['api-supported-versions']).toBe('2024-06-01')
  for (const version of ['1999-01-01', '2024-02-02']) {
    expect((await ask(version)).json).toMatchObject({ supportedVersions: ['2024-06-01'] })
  }
  const { documents } = (await app.get('/openapi/')).json as { documents: { version: string }[] }
  expect(documents.map(({ version }) => version)).toEqual(['2024-01-01', '2024-06-01', '2025-01-01'])
  expect((await app.get('/openapi/2025-01-01.json')).json).toMatchObject({ 'x-preview': true })
  expect((await app.get('/openapi/2024-06-01.json')).text).not.toContain('x-preview')
  const { versions } = (await app.get('/docs/', { Accept: 'application/json' })).json as { versions: object[] }
  expect(versions).toMatchObject([{ version: '2025-01-01', preview: true }, { gone: true }, { version: '2024-06-01' }])
  for (const Accept of ['text/html', 'text/plain'])
    expect((await app.get('/docs/', { Accept })).text).toContain('preview')
})

test('preview: in a combination', async () => {
  const lifecycle = { '2025-01-01': { preview: true } }
  const scheme = new CombinedVersioning({
    schemes: [new HeaderVersioning(), new QueryParameterVersioning()],
    allowedVersions: ['2024-01-01', '2025-01-01'],
    parseVersion: (_text, versions) => versions.at(-1) ?? '2025-01-01',
  })
  const app = await api({ scheme, allowedVersions: undefined, lifecycle })
  const read = async (version: string) => ((await app.get(`/?version=${version}`)).json as { version?: string }).version
  expect([await read('2025-01-01'), await read('latest')]).toEqual(['2025-01-01', '2024-01-01'])
  const leading = await api({ parseVersion: () => 'v3', lifecycle: { v3: { preview: true } } })
  expect((await leading.get('/', { 'X-API-Version': 'x' })).status).toBe(new NotAcceptable().status)
})

const OWN = 'versioning(): option "lifecycle.v1'
const pauses = (...brownouts: unknown[]) => ({ v1: { sunset: '2030-02-01', brownouts } })
const [from, to] = ['2030-01-10', '2030-01-11']
const WRONG: [string, unknown, string?][] = [
  [
    `${OWN}.brownouts" takes a list such as [{ from, to }], or [{ from, to, every, for }]; got {}.`,
    { v1: { brownouts: {} } },
  ],
  [`${OWN}.brownouts.0": unknown option "until". It takes "from", "to", "every", "for".`, pauses({ from, until: to })],
  [`${OWN}.brownouts.0" needs "to", a date.`, pauses({ from })],
  [`${OWN}.brownouts.0.from" takes a Date`, pauses({ from: 'x', to })],
  [`${OWN}.brownouts.0" ends before it begins.`, pauses({ from: to, to: from })],
  [`${OWN}.brownouts.0" reaches beyond the sunset.`, pauses({ from, to: '2030-02-02' })],
  [
    `${OWN}.brownouts" has brownouts that overlap at 2030-01-10T12:00:00.000Z.`,
    pauses({ from: '2030-01-10T12:00Z', to }, { from, to }),
  ],
  [
    `${OWN}.brownouts.0.for" takes a duration such as 30s, 5m, 1h or 1d; got undefined.`,
    pauses({ from, to, every: '1h' }),
  ],
  [
    `${OWN}.brownouts.0.every" takes a duration such as 30s, 5m, 1h or 1d; got '1w'.`,
    pauses({ from, to, every: '1w', for: '5m' }),
  ],
  [
    `${OWN}.brownouts.0" has pauses ("for") that are not shorter than "every".`,
    pauses({ from, to, every: '5m', for: '300s' }),
  ],
  [
    `${OWN}.extended" takes a function of a request, which returns a date or undefined; got '2030-01-01'.`,
    { v1: { extended: '2030-01-01' } },
  ],
  [`${OWN}.extended" needs "sunset", the date that it extends.`, { v1: { extended: () => undefined } }],
  [`${OWN}.preview" takes true or false; got 'yes'.`, { v1: { preview: 'yes' } }],
  [`${OWN}.successor" names 'v3', which is a preview.`, { v1: { successor: 'v3' }, v3: { preview: true } }],
  [`versioning(): the default version 'v3' cannot be a preview.`, { v3: { preview: true } }, 'v3'],
]
test.each(WRONG.map(([message, ...given]) => ({ message, given })))('$message', ({ message, given }) => {
  const [lifecycle, defaultVersion] = given
  expect(() => versioning(options({ lifecycle: lifecycle as never, defaultVersion }))).toThrow(message)
})
