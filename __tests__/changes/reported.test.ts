import express, { type Application, type RequestHandler, Router } from 'express'
import {
  BaseVersioning,
  HeaderVersioning,
  HostNameVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { versionMetrics } from 'express-versioning/metrics'
import client, { Registry } from 'prom-client'
import { serve } from '../support/serve'

// `reportChanges`: responses of older versions say how many changes met their request, and where to read about them.

const changes = versionHistory('v1')
  .version(
    'v2',
    change('Users have a name.', { 'GET user': { response: (user) => user } }),
    change('Filters have another name.', { 'GET user': { query: (query) => query } }),
    change('Bodies have a name.', { 'POST user': { request: (body) => body } }),
  )
  .version(
    'v3',
    change('Errors have a reason.', { '*': { error: (error) => error } }),
    change('Export is gone.', { 'GET export': 'removed' }),
    change('A field is gone.', { 'GET head': { headers: { 'X-Old': null } } }),
    change('Search is new.', { 'GET search': 'added' }),
    change('Feeds have items.', { 'GET feed': { response: (list) => list } }),
  )
const INFO = 'https://api.example.com/v1-ends#top'
const lifecycle = { v1: { info: INFO } }
const page = 'https://api.example.com/v1-ends'

const send: RequestHandler = ({ query }, res) => void res.status(Number(query.status ?? 200)).json({ name: 'Ada' })
function tableOf(more: (routes: ReturnType<typeof namedRoutes>) => void = () => {}) {
  const paths = { user: '/user', export: '/export', head: '/head', search: '/search', feed: '/feed', health: '/health' }
  const routes = namedRoutes({ ...paths, other: '/other' })
  for (const name of ['user', 'export', 'search', 'health', 'other'] as const) routes.route(name).get(send)
  routes.route('user').post(send)
  routes.route('head').get((_req, res) => void res.setHeader('X-Old', '1').end())
  routes.route('feed').get((_req, res) => {
    res.type('json').write('[{}')
    res.end(']')
  })
  more(routes as never)
  return routes
}
const optionsOf = (more: Partial<VersioningOptions> = {}): VersioningOptions => ({
  ...{ scheme: HeaderVersioning, defaultVersion: 'v3', changes, lifecycle, neutral: ['health'], routes: tableOf() },
  ...{ reportChanges: true, ...more },
})
const plainly = (app: Application, options: VersioningOptions) =>
  void app.use(express.json(), versioning(options), options.routes as never)

async function told(
  asked: string,
  more: Partial<VersioningOptions> = {},
  headers: Record<string, string> = {},
  build = plainly,
) {
  const { send } = await serve((app) => build(app, optionsOf(more)))
  const [version = '', method = '', path = ''] = asked.split(' ')
  const body = method === 'POST' ? '{}' : ''
  const sent = { 'X-API-Version': version, 'Content-Type': 'application/json', ...headers }
  const { status, headers: fields } = await send(method, path, sent, body)
  return [status, fields['api-changes-met'], fields.link]
}
const link = (number: number, address = page) => `<${address}#change-${number}>; rel="deprecation"`

test.each<[asked: string, status: number, met: string | undefined, number: number]>([
  ['v1 GET /user', 200, '2', 1],
  ['v2 GET /user', 200, '0', 0],
  ['v3 GET /user', 200, undefined, 0],
  ['v9 GET /user', 406, undefined, 0],
  ['v1 POST /user', 200, '1', 3],
  ['v1 GET /user?status=404', 404, '2', 2],
  ['v1 GET /export', 200, '1', 5],
  ['v1 GET /head', 200, '1', 6],
  ['v1 HEAD /user', 200, '2', 1],
  ['v1 GET /search', 404, '2', 4],
  ['v1 GET /feed', 200, '1', 8],
  ['v1 GET /other', 200, '0', 0],
  ['v1 GET /nothing', 404, '0', 0],
  ['v1 GET /health', 200, undefined, 0],
  ['v1 OPTIONS /user', 200, '0', 0],
])('%s is %s, and met %s', async (asked, status, met, number) => {
  expect(await told(asked)).toEqual([status, met, number === 0 ? undefined : link(number)])
})

test.each<[what: string, more: Partial<VersioningOptions>, path: string, link: string | undefined]>([
  [
    'the address of a changelog',
    { reportChanges: 'https://a.test/changes' },
    '/user',
    link(1, 'https://a.test/changes'),
  ],
  ['a path of the app', { reportChanges: '/explorer/changes' }, '/user', link(1, '/explorer/changes')],
  [
    'a path behind a proxy',
    { reportChanges: '/explorer/changes', publicPath: '/shop' },
    '/user',
    link(1, '/shop/explorer/changes'),
  ],
  ['no page', { lifecycle: {} }, '/user', undefined],
  ['no page of this version', { lifecycle: { v1: {} } }, '/user', undefined],
  [
    'the page of a deprecation',
    { lifecycle: { v1: { deprecated: '2020-01-01', info: page } } },
    '/user',
    `<${page}>; rel="deprecation"; type="text/html", ${link(1)}`,
  ],
])('the link to %s', async (_what, more, path, expected) => {
  expect(await told(`v1 GET ${path}`, more)).toEqual([200, '2', expected])
})

class Session extends BaseVersioning {
  override readVersion() {
    return 'v1'
  }
}
class Varied extends Session {
  override readonly varyOn = ['Cookie']
}
const varying: typeof plainly = (app, options) => {
  app.use(versioning(options), (_req, res, next) => next(void res.set('Vary', 'Accept')), options.routes as never)
}
const byPath = namedRoutes({ user: '/:version/user' })
byPath.route('user').get(send)
const inPath = versionHistory('v1').version('v2', change('A name.', { 'GET user': { response: (user) => user } }))
test.each<
  [what: string, more: Partial<VersioningOptions>, path: string, met: string | undefined, build?: typeof plainly]
>([
  ['a header field', {}, '/user', '2', plainly],
  ['a header field that a handler leaves out of Vary', {}, '/user', undefined, varying],
  ['the query', { scheme: QueryParameterVersioning }, '/user?version=v1', '2', plainly],
  [
    'the path',
    { scheme: URLPathVersioning, routes: byPath, changes: inPath, defaultVersion: 'v2', neutral: [] },
    '/v1/user',
    '1',
    plainly,
  ],
  ['the host', { scheme: HostNameVersioning }, '/user', '2', plainly],
  ['nobody knows where', { scheme: Session }, '/user', undefined, plainly],
  ['a cookie', { scheme: Varied }, '/user', '2', plainly],
])('caches keep the versions apart by %s', async (_what, more, path, met, build) => {
  const headers = { Host: 'v1.example.com' }
  expect(await told(`v1 GET ${path}`, more, headers, build)).toEqual([200, met, met && expect.any(String)])
})

test('a 304 leaves the fields of the stored response', async () => {
  const { send } = await serve((app) => plainly(app, optionsOf()))
  const { headers } = await send('GET', '/user', { 'X-API-Version': 'v1' })
  const again = await send('GET', '/user', { 'X-API-Version': 'v1', 'If-None-Match': String(headers.etag) })
  expect([again.status, again.headers['api-changes-met'], again.headers.link]).toEqual([304, undefined, undefined])
})

test('a preflight request has no report', async () => {
  const preflight = { Origin: 'https://a.test', 'Access-Control-Request-Method': 'GET' }
  expect(await told('v1 OPTIONS /user', {}, preflight)).toEqual([200, undefined, undefined])
})

test('a step that fails, and an inner versioning() without changes', async () => {
  const failing = versionHistory('v1').version(
    'v3',
    change('It fails.', {
      'GET user': {
        response: () => {
          throw new Error('mine')
        },
      },
    }),
  )
  expect(await told('v1 GET /user', { changes: failing })).toEqual([500, '1', link(1)])
  const inner: typeof plainly = (app, { changes: _, reportChanges: __, ...options }) => {
    const own = versioning({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2', 'v3'] })
    app.use(versioning(optionsOf({ routes: options.routes })), Router().use(own), options.routes as never)
  }
  expect(await told('v1 GET /user', {}, {}, inner)).toEqual([200, '2', link(1)])
  const other: typeof plainly = (app, options) => {
    const own = versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v3' })
    app.use(versioning(options), own, options.routes as never)
  }
  expect(await told('v1 GET /user', {}, {}, other)).toEqual([500, undefined, undefined])
})

test('with metrics, and without a report', async () => {
  const register = new Registry()
  const { onVersion } = versionMetrics(optionsOf(), { prometheus: client, register })
  expect(await told('v1 GET /user', { onVersion })).toEqual([200, '2', link(1)])
  expect(await told('v1 GET /user', { onVersion, reportChanges: false })).toEqual([200, undefined, undefined])
  const metric = (await register.metrics()).match(/^api_version_change_requests_total\{version="v1".*\} 2$/gm)
  expect(metric).toHaveLength(2)
})
