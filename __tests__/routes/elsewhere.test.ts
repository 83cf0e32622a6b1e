import express, { type Application, type ErrorRequestHandler, type Request, type Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi, routesOf } from 'express-versioning/openapi'
import { withPaths } from '../support/documents'
import { path } from '../support/schemes'
import { serve } from '../support/serve'
import { include, type Table } from '../support/tables'

const ELSEWHERE = { handlers: 'elsewhere' } as const
const saying = (what: string) => (_req: Request, res: Response) => void res.json(`by ${what}`)
const facts = ({ version, resolverMatch }: Request, res: Response) =>
  void res.json([version, resolverMatch?.viewName, ...Object.entries(resolverMatch?.params ?? {})].join(' '))
const historyOf = (operation: string, changed: unknown) =>
  versionHistory('1').version('2', change('Changed.', { [operation]: changed } as never)) as VersionHistory
const history = historyOf('GET user', { response: (by: string) => `was ${by}` })
const header = { scheme: HeaderVersioning, defaultVersion: '2', changes: history }
const newest = { ...header, changes: versionHistory('2') as VersionHistory }

/** A table by hand, whose operations are described. */
function byHand(...operations: string[]) {
  const table = namedRoutes({ users: '/users', user: '/users/:id', export: '/export' }, ELSEWHERE)
  for (const operation of operations) table.describe(operation as 'GET users', { response: null })
  return table
}
/** A table of a document. */
const given = (paths: Record<string, string>) => routesOf(withPaths(paths))

/** Serves an app, and returns the bodies of responses to requests: a method, a path and perhaps a version. */
async function responsesTo(requests: string[], build: (app: Application) => unknown): Promise<unknown[]> {
  const { send } = await serve((app) => void build(app))
  const responses = requests.map((request) => {
    const [method = '', path = '', version] = request.split(' ')
    return send(method, path, version === undefined ? {} : { 'X-API-Version': version })
  })
  return (await Promise.all(responses)).map(({ json, headers }) => json ?? Number(headers['content-length']))
}

test('responses of handlers elsewhere are converted; the table is not mounted', async () => {
  const asked = ['/users/7 1', '/users/7', '/export 1', '/export'].map((path) => `GET /api${path}`)
  const found = await responsesTo([...asked, 'HEAD /api/users/7 1'], (app) => {
    app.use('/api', versioning({ ...header, routes: byHand('GET user') }))
    app.use('/api/users', express.Router().get('/:id', saying('router'))).use('/api', saying('others'))
  })
  const unhandled = { code: 'ERR_VERSION_UNHANDLED' }
  expect(found).toMatchObject(['was by router', 'by router', unhandled, 'by others', '"was by router"'.length])
})

test('operations elsewhere are told from those that nobody described', () => {
  const table = byHand('GET user', 'POST users')
  table.route('users').get(facts)
  table.route('export').all(facts)
  const listed = table.list().map(({ name, methods }) => `${name} ${methods}`)
  expect(listed).toEqual(['users GET,POST', 'user GET', 'export ALL'])
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
  const changes = history.version('3', change('Gone.', { 'POST users': 'removed' }))
  const options = {
    ...header,
    routes: byHand('GET user', 'POST users'),
    neutral: ['export'],
    changes,
    defaultVersion: '3',
  }
  const documents = ['2', '3'].map((version) => Object.keys(openapi(options).document(version).paths))
  expect(documents).toStrictEqual([['/users', '/users/{id}'], ['/users/{id}']])
  expect(explorer(options)).toBeInstanceOf(Function)
  expect(inVersion('1', options).path('user', { kwargs: { id: 7 } })).toBe('/users/7')
})

test('a request for an operation elsewhere falls through the table, which has handlers of its own', async () => {
  const routes = byHand('POST users', 'GET user')
  routes.route('users').get(saying('table'))
  routes.route('user').put(saying('table'))
  const asked = ['GET /users', 'HEAD /users', 'POST /users', 'GET /users/1', 'PUT /users/1', 'DELETE /users/1']
  const found = await responsesTo(asked, (app) => app.use(versioning({ ...header, routes }), routes, saying('behind')))
  expect(found).toStrictEqual(['by table', 10, 'by behind', 'by behind', 'by table', 'by behind'])
})

test('tables of both kinds include each other', async () => {
  const inner = byHand('GET user')
  const outer = namedRoutes({ home: '/' }, ELSEWHERE).include('/v:version', inner, { namespace: 'api' })
  outer.describe('GET home', { response: null }).describe('PUT api:user', { response: null, body: null })
  const child = namedRoutes({ plain: '/plain' }, { ...ELSEWHERE, undocumented: 'pass' })
  inner.include('/more', child)
  outer.include('/docs', given({ '/{id}': 'get' }), { namespace: 'docs' })
  expect(outer.list().map(({ name, path, methods }) => `${name} ${path} ${methods}`)).toStrictEqual([
    'home / GET',
    'api:users /v:version/users ',
    'api:user /v:version/users/:id GET,PUT',
    'api:export /v:version/export ',
    'api:plain /v:version/more/plain ',
    'docs:/{id} /docs/:id GET',
  ])
  expect([outer, child].map((table) => table.elsewhere()?.undocumented)).toStrictEqual(['reject', 'pass'])
  expect(outer.elsewhere()?.documents).toMatchObject([{ prefix: '/docs', namespaces: ['docs'] }])
  const scheme = path({ allowedVersions: ['1'], defaultVersion: '1' })
  const decides = versioning({ scheme, routes: outer })
  const found = await responsesTo(['GET /v1/users/7', 'GET /docs/7'], (app) => app.use(decides, facts))
  expect(found).toStrictEqual(['1 api:user version,1 id,7', '1 docs:/{id} id,7'])
})

// Tables of documents --------------------------------------------------------------------------------------------------

const activated = historyOf('POST /users/{id}:activate', { response: () => 'was' })

test('names are paths; their colons are data', async () => {
  const routes = given({ '/users/{id}': 'get', '/users/{id}:activate': 'post', '/{from}-{to}.json': 'get' })
  const neutral = ['/users/{id}', '/health']
  const asked = ['GET /users/7', 'GET /health', 'GET /1-2.json', 'POST /users/7:activate 1', 'GET /links']
  const found = await responsesTo(asked, (app) => {
    app.use(versioning({ ...header, changes: activated, routes, neutral }))
    app.get('/links', (req, res) => {
      res.json(['/users/{id}', '/users/{id}:activate'].map((name) => req.reverse(name, { kwargs: { id: 7 } })))
    })
    app.use(facts)
  })
  const seen = [' /users/{id} id,7', ' ', '2 /{from}-{to}.json from,1 to,2']
  expect(found).toStrictEqual([...seen, 'was', ['/users/7', '/users/7:activate']])
})

test('names of included documents keep their colons', () => {
  const document = () => given({ '/users/{id}:activate': 'post' })
  const routes = include('/v2', document(), '2', include('/v1', document(), '1'))
  const options = { ...header, changes: activated, routes: routes as never }
  const client = inVersion('1', options)
  const named = client.path('1:/users/{id}:activate' as never, { kwargs: { id: 7 } } as never)
  expect([named, client.path('/users/7:activate')]).toEqual(['/v1/users/7:activate', '/users/7:activate'])
  expect(() => versioning({ ...options, neutral: ['1:', '2:'] })).toThrow('"1:/users/{id}:activate" is neutral')
})

test('a client takes names that are paths before paths', () => {
  const client = inVersion('2', { ...newest, routes: given({ '/users/{id}': 'get' }) })
  expect(client.path('/users/{id}', { kwargs: { id: 7 } })).toBe('/users/7')
  expect(client.path('/users/7')).toBe('/users/7')
})

test('templates that differ in names are one route, with the names of each method', async () => {
  const routes = given({ '/a/{x}': 'get', '/a/{y}': 'post', '/a/b': 'put' })
  const asked = ['GET /a/1', 'POST /a/1', 'GET /a/b', 'POST /a/b', 'PUT /a/b', 'DELETE /a/b', 'DELETE /a/1']
  const found = await responsesTo(asked, (app) => app.use(versioning({ ...newest, routes }), facts))
  const seen = ['/a/{x} x,1', '/a/{y} y,1', '/a/{x} x,b', '/a/{y} y,b', '/a/b', '/a/b', '/a/{x} x,1']
  expect(found).toStrictEqual(seen.map((one) => `2 ${one}`))
})

test('more literal text wins at dispatch too, whatever the order of handlers', async () => {
  const routes = given({ '/users/{id}': 'get put', '/users/me': 'get', '/users/{id}.json': 'get' }) as Table
  routes.route('/users/{id}').get(saying('id')).put(saying('id'))
  routes.use('/users/me', (req, _res, next) => next(void Object.assign(req.headers, { passed: 'yes' })))
  routes.route('/users/me').get((req, res) => void res.json(req.headers.passed))
  const asked = ['GET /users/7', 'GET /users/me', 'PUT /users/me', 'GET /users/7.json', 'POST /users/me']
  const found = await responsesTo(asked, (app) => app.use(versioning({ ...newest, routes }), routes, saying('behind')))
  expect(found).toStrictEqual(['by id', 'yes', 'by id', 'by behind', 'by behind'])
})

test('an operation that comes later is passed by, but nobody can make other routers do so', async () => {
  const routes = given({ '/users/{id}': 'get', '/users/me': 'get' })
  const changes = historyOf('GET /users/me', 'added')
  const failed: ErrorRequestHandler = ({ code }, { resolverMatch }, res, _next) =>
    void res.json([code, resolverMatch?.viewName, resolverMatch?.params])
  const found = await responsesTo(['GET /users/me 1', 'GET /users/me'], (app) =>
    app.use(versioning({ ...header, changes, routes }), facts, failed),
  )
  expect(found).toStrictEqual([['ERR_VERSION_UNHANDLED', '/users/{id}', { id: 'me' }], '2 /users/me'])
})

test('describe() overrides what the document says, part by part', () => {
  const table = given({ '/a': 'get' }).describe('GET /a', { summary: 's', response: undefined })
  const outer = namedRoutes({}).include('/x', table, { namespace: 'x' })
  const described = (one: object) => (one as Table).facts()[0]?.describedAs('GET')
  expect(described(table)).toStrictEqual({ summary: 's', body: null, response: { 204: null } })
  outer.describe('GET x:/a', { body: {} })
  expect(described(outer)).toStrictEqual({ body: {}, response: { 204: null } })
  const missing = 'describe(): this table has no name \'/b\'. Did you mean "/a"?'
  expect(() => table.describe('GET /b' as never, {})).toThrow(missing)
})
