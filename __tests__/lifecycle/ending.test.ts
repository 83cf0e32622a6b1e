import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import * as library from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { rows } from '../support/rows'
import { combined, header, query } from '../support/schemes'
import { jsonErrors, serve } from '../support/serve'
import { include, routed } from '../support/tables'
import { catchWarnings } from '../support/warnings'

const { earlierDate, HeaderVersioning, problemDetails, QueryParameterVersioning, URLPathVersioning, versioning } =
  library

const show: RequestHandler = (req, res) => void res.json(req.version)
const cached: RequestHandler = (_req, res, next) => next(void res.set('Cache-Control', 'max-age=60'))
const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
type Options = Partial<library.VersioningOptions>
type Fields = Record<string, string>
const options = (own: Options) => ({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'], ...own })
const api = async (own: Options, ...front: RequestHandler[]) => {
  const { send } = await serve((app) => void app.use(...front, versioning(options(own)), show))
  return (fields: Fields, path = '/', method = 'GET') => send(method, path, fields)
}
const inVersion = (version: string): Fields => ({ 'X-API-Version': version })
const [V1, V2] = [inVersion('v1'), inVersion('v2')]

const at = (instant: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(instant))
const warned = catchWarnings()

const PAUSES: library.VersionLifecycle = {
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
  const ask = await api({ lifecycle: { v1: PAUSES } })
  const { status, headers, json } = await ask(V1)
  const [code, after] = expected.split(' ')
  expect([status, headers['retry-after'], headers.sunset]).toEqual([Number(code), after, SUNSET])
  const paused = { error: 'This version is paused.', code: 'ERR_VERSION_BROWNOUT', name: 'VersioningError' }
  expect([headers['cache-control'], json]).toEqual(status === 410 ? ['no-store', paused] : [undefined, 'v1'])
  expect((await ask(V2)).status).toBe(200)
})

test('a pause forbids storing whatever the app said, rejects no preflight, and is taken back by an inner decision', async () => {
  at('2030-01-10T00:30:00Z')
  const lifecycle = { v1: PAUSES }
  const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET', ...V1 }
  const ask = await api({ lifecycle }, cached)
  const inner = await api({}, versioning(options({ lifecycle })), goOn as never)
  const responses = await Promise.all([ask(V1), ask(preflight, '/', 'OPTIONS'), inner(V1), inner(V2)])
  const told = responses.map(({ status, headers }) => [status, headers['retry-after'], headers['cache-control']])
  const served = [200, undefined, undefined]
  expect(told).toEqual([[410, '1800', 'no-store'], [200, undefined, 'max-age=60'], served, served])
  expect(responses[2]?.headers.sunset).toBeUndefined()
})

// Each rejection, and the value of Cache-Control where the app sets `max-age=60` in front.
const gone = { sunset: '2020-01-01', afterSunset: 'gone' } as const
const both = combined([header(), query()], { allowedVersions: ['v1', 'v2'] })
test.each<[what: string, status: number, own: Options, Fields, path?: string]>([
  ['gone', 410, { lifecycle: { v1: gone } }, V1],
  ['unknown in a header', 406, {}, inVersion('v9')],
  ['unknown in a query', 404, { scheme: QueryParameterVersioning }, {}, '/?version=v9'],
  ['missing', 406, {}, {}],
  ['contradictory', 400, { scheme: both, allowedVersions: undefined }, V1, '/?version=v2'],
])('a rejection is not stored: %s', async (_what, status, own, fields, path = '/') => {
  const asks = [await api(own), await api(own, cached)]
  const responses = await Promise.all(asks.map((ask) => ask(fields, path)))
  const told = responses.map(({ status, headers }) => [status, headers['cache-control']])
  expect(told).toEqual([
    [status, 'no-store'],
    [status, 'max-age=60'],
  ])
})

test('a rejection at dispatch is not stored, an error of the app is not concerned', async () => {
  const move: RequestHandler = (req, _res, next) => next(void Object.assign(req, { url: req.query.to ?? req.url }))
  const root = include('/:version', routed({ item: '/item' }, show))
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: root }), move, root)
    app.use('/v1/broken', (_req, _res, next) => next(new Error('broken')))
    app.use(problemDetails(), jsonErrors)
  })
  const responses = await Promise.all(['/v1/item', '/v1/item?to=/v2/item', '/v1/broken'].map((path) => get(path)))
  const told = responses.map(({ status, headers }) => `${status} ${headers['cache-control']}`)
  expect(told).toEqual(['200 undefined', '404 no-store', '500 undefined'])
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
  const extended = jest.fn(typeof date === 'function' ? (date as () => never) : () => date as string)
  const ask = await api({ lifecycle: { v1: { sunset: '2030-02-01', extended } }, afterSunset: 'gone' })
  for (const _ of [1, 2]) expect(await ask(V1)).toMatchObject({ status, headers: { sunset } })
  await ask(V2)
  const told = 'The option "lifecycle.v1.extended" of versioning() failed; the sunset of the version counts.'
  const warning = [told, { code: 'EXPRESS_VERSIONING_EXTENDED', detail: expect.any(String) }]
  expect([extended.mock.calls.length, warned]).toEqual([2, isWarned ? [warning] : []])
})

test('extended: such a client is not paused; an error counts as none', async () => {
  at('2030-01-10T00:30:00Z')
  const extended = ({ headers: { client } }: Request) => {
    if (client === 'broken') throw new Error('broken')
    return client === 'late' ? new Date('2031-01-01') : undefined
  }
  const ask = await api({ lifecycle: { v1: { ...PAUSES, deprecated: '2020-01-01', extended } } })
  const responses = await Promise.all(['late', 'other', 'broken'].map((client) => ask({ ...V1, client })))
  expect(responses.map(({ status }) => status)).toEqual([200, 410, 410])
})

test('preview: accepted by its name alone, and announced nowhere', async () => {
  const all = {
    scheme: HeaderVersioning,
    allowedVersions: ['2025-01-01', '2024-01-01', '2024-06-01'],
    lifecycle: { '2025-01-01': { preview: true }, '2024-01-01': gone },
    parseVersion: earlierDate,
    reportVersions: true,
    routes: routed({ item: '/item' }, show),
  }
  const { get } = await serve((app) => {
    app.use('/openapi', openapi(all)).use('/docs', explorer(all))
    app.use(versioning(all), all.routes, problemDetails())
  })
  const ask = (version: string) => get('/item', inVersion(version))
  const read = { '2025-01-01': '2025-01-01', '2025-05-05': '2024-06-01', '2024-07-01': '2024-06-01' }
  for (const [version, json] of Object.entries(read))
    expect([version, (await ask(version)).json]).toEqual([version, json])
  expect((await ask('2025-01-01')).headers['api-supported-versions']).toBe('2024-06-01')
  for (const version of ['1999-01-01', '2024-02-02'])
    expect((await ask(version)).json).toMatchObject({ supportedVersions: ['2024-06-01'] })
  const documents = ['2024-01-01', '2024-06-01', '2025-01-01'].map((version) => ({ version }))
  expect((await get('/openapi/')).json).toMatchObject({ documents })
  expect((await get('/openapi/2025-01-01.json')).json).toMatchObject({ 'x-preview': true })
  expect((await get('/openapi/2024-06-01.json')).text).not.toContain('x-preview')
  const versions = [{ version: '2025-01-01', preview: true }, { gone: true }, { version: '2024-06-01' }]
  expect((await get('/docs/', { Accept: 'application/json' })).json).toMatchObject({ versions })
  for (const Accept of ['text/html', 'text/plain']) expect((await get('/docs/', { Accept })).text).toContain('preview')
})

test('preview: in a combination; a parser that means one is not heard', async () => {
  const parseVersion = (_text: string, versions: readonly string[]) => versions.at(-1)
  const scheme = combined([header(), query()], { allowedVersions: ['v1', 'v3'], parseVersion })
  const lifecycle = { v3: { preview: true } }
  const ask = await api({ scheme, allowedVersions: undefined, lifecycle })
  expect([(await ask({}, '/?version=v3')).json, (await ask({}, '/?version=latest')).json]).toEqual(['v3', 'v1'])
  const leading = await api({ parseVersion: () => 'v3', lifecycle })
  expect((await leading(inVersion('x'))).status).toBe(406)
})
