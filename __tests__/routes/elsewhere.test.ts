import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import {
  HeaderVersioning,
  type NamedRoutesOptions,
  namedRoutes,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { change, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi, routesOf } from 'express-versioning/openapi'
import { withPaths } from '../support/documents'
import { serve } from '../support/serve'

const ELSEWHERE = { handlers: 'elsewhere' } as const
const saying = (what: string) => (_req: Request, res: Response) => void res.json({ by: what })
const facts = (req: Request, res: Response) => void res.json([req.resolverMatch?.viewName, req.resolverMatch?.params])
const older = change('It was `by`.', { 'GET user': { response: ({ by }: { by: string }) => ({ was: by }) } })
const history = versionHistory('1').version('2', older) as VersionHistory
const header = { scheme: HeaderVersioning, defaultVersion: '2', changes: history }
const v1 = { 'X-API-Version': '1' }

/** A table by hand, whose operations are described. */
function byHand(...operations: string[]) {
  const table = namedRoutes({ users: '/users', user: '/users/:id', export: '/export' }, ELSEWHERE)
  for (const operation of operations) table.describe(operation as 'GET users', { response: null })
  return table
}

test('responses of handlers elsewhere are converted; the table is not mounted', async () => {
  const { get, send } = await serve((app) => {
    app.use('/api', versioning({ ...header, routes: byHand('GET user') }))
    app.use('/api/users', express.Router().get('/:id', saying('router')))
    app.use('/api', saying('others'))
  })
  expect((await get('/api/users/7', v1)).text).toBe('{"was":"router"}')
  expect((await get('/api/users/7')).text).toBe('{"by":"router"}')
  expect((await get('/api/export', v1)).json).toMatchObject({ code: 'ERR_VERSION_UNHANDLED' })
  expect((await get('/api/export')).text).toBe('{"by":"others"}')
  expect((await send('HEAD', '/api/users/7', v1)).headers['content-length']).toBe('16')
})

test('operations elsewhere are told from those that nobody described', () => {
  const table = byHand('GET user', 'POST users')
  table.route('users').get(facts)
  table.route('export').all(facts)
  expect(table.list().map(({ name, methods }) => [name, methods])).toStrictEqual([
    ['users', ['GET', 'POST']],
    ['user', ['GET']],
    ['export', ['ALL']],
  ])
  const asked = ['GET users', 'HEAD users', 'POST users', 'PUT users', 'HEAD user', 'PATCH export', 'GET nothing']
  const served = asked.filter((operation) => table.serves(...(operation.split(' ').toReversed() as [string, string])))
  expect(served).toStrictEqual(['GET users', 'HEAD users', 'POST users', 'HEAD user', 'PATCH export'])
  expect(table.elsewhere()).toStrictEqual({ undocumented: 'reject', documents: [], open: [] })
  expect(namedRoutes({}).elsewhere()).toBeUndefined()
})

test('in other tables, a description makes no operation', () => {
  const table = namedRoutes({ user: '/users/:id' }).describe('GET user', { response: null })
  expect(table.list()).toMatchObject([{ methods: [] }])
  expect(table.serves('user', 'GET')).toBe(false)
  table.route('user').post(facts)
  const options = { ...header, routes: table }
  expect(() => versioning(options)).toThrow('its route has no handler for GET. Did you mean "POST user"?')
  expect(() => versioning({ ...options, routes: byHand('POST user') })).toThrow('its route has no handler for GET.')
})

test('changes, documents, pages, links and neutral know operations elsewhere', () => {
  const routes = byHand('GET user', 'POST users')
  const options = {
    ...header,
    routes,
    neutral: ['export'],
    changes: history.version('3', change('Gone.', { 'POST users': 'removed' })),
  }
  const own = { ...options, defaultVersion: '3' }
  const document = openapi(own).document('2')
  expect(Object.keys(document.paths)).toStrictEqual(['/users', '/users/{id}'])
  expect(Object.keys(openapi(own).document('3').paths)).toStrictEqual(['/users/{id}'])
  expect(explorer(own)).toBeInstanceOf(Function)
  expect(inVersion('1', own).path('user', { kwargs: { id: 7 } })).toBe('/users/7')
})

test('a request for an operation elsewhere falls through the table, which has handlers of its own', async () => {
  const routes = byHand('POST users', 'GET user')
  routes.route('users').get(saying('table'))
  routes.route('user').put(saying('table'))
  const { send } = await serve((app) => {
    app.use(versioning({ ...header, routes }), routes)
    app.use(saying('behind'))
  })
  const asked = ['GET /users', 'HEAD /users', 'POST /users', 'GET /users/1', 'PUT /users/1', 'DELETE /users/1'] as const
  const by = asked.map(async (request) => {
    const [method, path] = request.split(' ') as [string, string]
    const { text, headers } = await send(method, path)
    return text || headers['content-length']
  })
  expect(await Promise.all(by)).toStrictEqual(
    ['table', '14', 'behind', 'behind', 'table', 'behind'].map((one) => (one === '14' ? one : `{"by":"${one}"}`)),
  )
})

test('tables of both kinds include each other', async () => {
  const inner = byHand('GET user')
  const outer = namedRoutes({ home: '/' }, ELSEWHERE).include('/v:version', inner, { namespace: 'api' })
  outer.describe('GET home', { response: null }).describe('PUT api:user', { response: null, body: null })
  const child = namedRoutes({ plain: '/plain' }, { ...ELSEWHERE, undocumented: 'pass' })
  inner.include('/more', child)
  outer.include('/docs', routesOf(withPaths({ '/{id}': 'get' })), { namespace: 'docs' })
  expect(outer.list().map(({ name, path, methods }) => [name, path, methods])).toStrictEqual([
    ['home', '/', ['GET']],
    ['api:users', '/v:version/users', []],
    ['api:user', '/v:version/users/:id', ['GET', 'PUT']],
    ['api:export', '/v:version/export', []],
    ['api:plain', '/v:version/more/plain', []],
    ['docs:/{id}', '/docs/:id', ['GET']],
  ])
  expect([outer, child].map((table) => table.elsewhere()?.undocumented)).toStrictEqual(['reject', 'pass'])
  expect(outer.elsewhere()?.documents).toMatchObject([{ prefix: '/docs', namespaces: ['docs'] }])
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['1'], defaultVersion: '1', routes: outer }))
    app.use((req, res) => void res.json([req.version, req.resolverMatch?.viewName]))
  })
  expect((await get('/v1/users/7')).json).toStrictEqual(['1', 'api:user'])
  expect((await get('/docs/7')).json).toStrictEqual(['1', 'docs:/{id}'])
})

// Tables of documents --------------------------------------------------------------------------------------------------

test('names are paths; their colons are data', async () => {
  const routes = routesOf(
    withPaths({ '/users/{id}': 'get', '/users/{id}:activate': 'post', '/{from}-{to}.json': 'get' }),
  )
  const activated = change('It was `by`.', { 'POST /users/{id}:activate': { response: () => ({ was: 1 }) } })
  const changes = versionHistory('1').version('2', activated) as VersionHistory
  const { get, send } = await serve((app) => {
    app.use(versioning({ ...header, changes, routes, neutral: ['/users/{id}', '/health'] }))
    app.get('/links', (req, res) => {
      res.json(['/users/{id}', '/users/{id}:activate'].map((name) => req.reverse(name, { kwargs: { id: 7 } })))
    })
    app.use((req, res) => void res.json([req.version, req.resolverMatch?.viewName, req.resolverMatch?.params]))
  })
  expect((await get('/users/7')).json).toStrictEqual([null, '/users/{id}', { id: '7' }])
  expect((await get('/health')).json).toStrictEqual([null, null, null])
  expect((await get('/1-2.json')).json).toStrictEqual(['2', '/{from}-{to}.json', { from: '1', to: '2' }])
  expect((await send('POST', '/users/7:activate', v1)).json).toStrictEqual({ was: 1 })
  expect((await get('/links')).json).toStrictEqual(['/users/7', '/users/7:activate'])
})

test('names of included documents keep their colons', () => {
  const document = withPaths({ '/users/{id}:activate': 'post' })
  const include = (prefix: string, namespace: string, table = namedRoutes({})) =>
    table.include(prefix, routesOf(document), { namespace })
  const routes = include('/v2', '2', include('/v1', '1') as never) as never
  const activated = change('x', { 'POST /users/{id}:activate': { response: () => ({}) } })
  const options = { ...header, changes: versionHistory('1').version('2', activated) as VersionHistory, routes }
  expect(() => versioning(options)).not.toThrow()
  const kwargs = { id: 7 }
  const client = inVersion('1', options)
  expect(client.path('1:/users/{id}:activate' as never, { kwargs } as never)).toBe('/v1/users/7:activate')
  expect(client.path('/users/7:activate')).toBe('/users/7:activate')
  expect(() => versioning({ ...options, neutral: ['1:', '2:'] })).toThrow('"1:/users/{id}:activate" is neutral')
})

test('a client takes names that are paths before paths', () => {
  const client = inVersion('2', {
    ...header,
    routes: routesOf(withPaths({ '/users/{id}': 'get' })),
    changes: versionHistory('2') as VersionHistory,
  })
  expect(client.path('/users/{id}', { kwargs: { id: 7 } })).toBe('/users/7')
  expect(client.path('/users/7')).toBe('/users/7')
})

const twins = { '/a/{x}': 'get', '/a/{y}': 'post', '/a/b': 'put' }

test('templates that differ in names are one route, with the names of each method', async () => {
  const { send } = await serve((app) => {
    app.use(
      versioning({ ...header, changes: versionHistory('2') as VersionHistory, routes: routesOf(withPaths(twins)) }),
      facts,
    )
  })
  const asked = ['GET /a/1', 'POST /a/1', 'GET /a/b', 'POST /a/b', 'PUT /a/b', 'DELETE /a/b', 'DELETE /a/1'] as const
  const found = await Promise.all(asked.map((one) => send(...(one.split(' ') as [string, string]))))
  expect(found.map(({ json }) => json)).toStrictEqual([
    ['/a/{x}', { x: '1' }],
    ['/a/{y}', { y: '1' }],
    ['/a/{x}', { x: 'b' }],
    ['/a/{y}', { y: 'b' }],
    ['/a/b', {}],
    ['/a/b', {}],
    ['/a/{x}', { x: '1' }],
  ])
})

test('more literal text wins at dispatch too, whatever the order of handlers', async () => {
  const routes = routesOf(withPaths({ '/users/{id}': 'get put', '/users/me': 'get', '/users/{id}.json': 'get' }))
  const passing = (req: Request, _res: Response, next: () => void) => {
    req.headers.passed = 'yes'
    next()
  }
  routes
    .route('/users/{id}' as never)
    .get(saying('id'))
    .put(saying('id'))
  routes.use('/users/me', passing)
  routes.route('/users/me' as never).get((req: Request, res: Response) => void res.json({ by: req.headers.passed }))
  const { send } = await serve((app) => {
    app.use(versioning({ ...header, changes: versionHistory('2') as VersionHistory, routes }), routes)
    app.use(saying('behind'))
  })
  const asked = ['GET /users/7', 'GET /users/me', 'PUT /users/me', 'GET /users/7.json', 'POST /users/me'] as const
  const found = await Promise.all(asked.map((one) => send(...(one.split(' ') as [string, string]))))
  expect(found.map(({ json }) => (json as { by: string }).by)).toStrictEqual(['id', 'yes', 'id', 'behind', 'behind'])
})

test('an operation that comes later is passed by, but nobody can make other routers do so', async () => {
  const routes = routesOf(withPaths({ '/users/{id}': 'get', '/users/me': 'get' }))
  const changes = versionHistory('1').version('2', change('New.', { 'GET /users/me': 'added' })) as VersionHistory
  const { get } = await serve((app) => {
    const failed: ErrorRequestHandler = (error, req, _res, next) => {
      error.message = JSON.stringify([req.resolverMatch?.viewName, req.resolverMatch?.params])
      next(error)
    }
    app.use(versioning({ ...header, changes, routes }), facts, failed)
  })
  const rejected = { error: '["/users/{id}",{"id":"me"}]', code: 'ERR_VERSION_UNHANDLED' }
  expect((await get('/users/me', v1)).json).toMatchObject(rejected)
  expect((await get('/users/me')).json).toStrictEqual(['/users/me', {}])
})

test('describe() overrides what the document says, part by part', () => {
  const document = withPaths({ '/a': 'get' })
  const table = routesOf(document).describe('GET /a', { summary: 's', response: undefined })
  const outer = namedRoutes({}).include('/x', table, { namespace: 'x' })
  const seen = (one: typeof outer, name: string) =>
    one
      .facts()
      .find(({ viewName }) => viewName === name)
      ?.describedAs('GET')
  expect(seen(table as never, '/a')).toStrictEqual({ summary: 's', body: null, response: { 204: null } })
  outer.describe('GET x:/a', { body: {} })
  expect(seen(outer as never, 'x:/a')).toStrictEqual({ body: {}, response: { 204: null } })
  expect(() => table.describe('GET /b' as never, {})).toThrow(
    'describe(): this table has no name \'/b\'. Did you mean "/a"?',
  )
})

// Mistakes -----------------------------------------------------------------------------------------------------------

test.each<[message: string, options: object]>([
  ['namedRoutes(): option "handlers" takes \'elsewhere\'; got true.', { handlers: true }],
  ["option \"undocumented\" takes 'reject' or 'pass'; got true.", { ...ELSEWHERE, undocumented: true }],
  ['option "undocumented" needs { handlers: \'elsewhere\' }', { undocumented: 'pass' }],
  ['option "places" takes an object of meanings by place, such as', { places: [] }],
  ["option \"places\" takes the name of a shape, null or a function at 'User'; got ''.", { places: { User: '' } }],
  ['option "places" takes the name of a shape, null or a function at \'User\'; got 7.', { places: { User: 7 } }],
])('rejects: %s', (message, options) => {
  expect(() => namedRoutes({}, options as NamedRoutesOptions)).toThrow(message)
})

test('a namespace does not look like a name that is a path', () => {
  const including = () => namedRoutes({}).include('/v1', namedRoutes({}), { namespace: '/v1' })
  expect(including).toThrow('namedRoutes: a namespace does not begin with "/"; got \'/v1\'.')
})
