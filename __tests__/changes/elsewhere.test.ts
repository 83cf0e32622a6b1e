// Requests are checked and converted in front of handlers that are elsewhere.
import express, { type Application, type RequestHandler, Router } from 'express'
import {
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionEvent,
  versioning,
} from 'express-versioning'
import { change, convertRequest, sent, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { Ajv } from '../support/ajv'
import { ask } from '../support/changes'
import {
  ADA,
  both,
  HISTORY,
  OLD_ADA,
  parser,
  serveUsers,
  status,
  USERS,
  users,
  usersOptions,
} from '../support/elsewhere'
import { type HttpResponse, jsonErrors, listen, serve } from '../support/serve'

const MISFIT = { error: 'The request is not valid in version v1.', code: 'ERR_VERSION_BODY' }

const byNow: RequestHandler = (req, _res, next) => {
  try {
    convertRequest.now(req)
    next()
  } catch (error) {
    next(error)
  }
}
const sawIn = ({ headers }: HttpResponse) => JSON.parse(String(headers['x-saw']))
const mounted = (app: Pick<Router, 'use'>, router: RequestHandler = users()) => app.use('/users', router).use(status())

/** The ways to place it, and to name the version. */
interface Place {
  at?: string
  options?: Parameters<typeof usersOptions>[0]
  path?(version: string, path: string): string
}
const unchanged = (_version: string, path: string) => path
const inApi = (_version: string, path: string) => `/api${path}`
const PLACES: [title: string, fill: (app: Application) => unknown, place?: Place][] = [
  ['in an app', (app) => mounted(both(app))],
  ['in a router', (app) => mounted(app, users(Router().use(parser(), convertRequest)))],
  ['on each route', (app) => mounted(app.use(parser()), users(Router(), convertRequest))],
  ['twice', (app) => mounted(both(app).use(convertRequest), users(Router().use(convertRequest)))],
  ['in an app inside', (app) => app.use(mounted(both(express())) as Application)],
  ['in front of an app inside', (app) => mounted(both(app), express().use(users()) as never)],
  ['by now()', (app) => mounted(app.use(parser(), byNow))],
  ['by with()', (app) => mounted(app.use(convertRequest.with(parser()), parser()))],
  ['by with(), behind the parser', (app) => mounted(app.use(parser(), convertRequest.with(parser())))],
  [
    'below a prefix',
    (app) => app.use('/api', parser(), convertRequest, mounted(Router()) as Router),
    { at: '/api', path: inApi },
  ],
  [
    'in an included table',
    (app) => both(app).use('/api', mounted(Router()) as Router),
    { options: { routes: namedRoutes({}).include('/api', routesOf(USERS)) }, path: inApi },
  ],
  [
    'below the version in the path',
    (app) => app.use('/:version', parser(), convertRequest, mounted(Router()) as Router),
    { at: '/:version', options: { scheme: URLPathVersioning }, path: (version, path) => `/${version}${path}` },
  ],
  [
    'with the version in the query',
    (app) => mounted(both(app)),
    {
      options: { scheme: QueryParameterVersioning },
      path: (version, path) => `${path}${path.includes('?') ? '&' : '?'}version=${version}`,
    },
  ],
]

type Case = [asked: string, body: object | undefined, response: unknown, saw?: object]
const CASES: Record<'v1' | 'v2', Case[]> = {
  v1: [
    ['GET /users', undefined, [OLD_ADA], [{}, null]],
    ['GET /users?name=Bob&page=2', undefined, [OLD_ADA], [{ page: '2', given: 'Bob' }, null]],
    ['POST /users', OLD_ADA, OLD_ADA, [{}, ADA]],
    ['GET /users/me', undefined, { ...OLD_ADA, id: 'me' }],
    ['GET /users/8', undefined, { ...OLD_ADA, id: '8' }],
    ['GET /users/Ab%20c;d', undefined, { ...OLD_ADA, id: 'Ab c;d' }],
    ['HEAD /users/8', undefined, 200],
    ['PUT /users/7', OLD_ADA, OLD_ADA, [{}, ADA]],
    ['DELETE /users/7', undefined, 204],
    ['OPTIONS /users/7', undefined, 200],
    ['GET /status', undefined, 'fine'],
    ['POST /users', { id: '7' }, MISFIT],
    ['DELETE /users/7', {}, MISFIT],
  ],
  v2: [
    ['GET /users?name=Bob', undefined, [ADA], [{ name: 'Bob' }, null]],
    ['POST /users', ADA, ADA, [{}, ADA]],
    ['POST /users', { odd: 1 }, { odd: 1 }, [{}, { odd: 1 }]],
    ['GET /users/8', undefined, { ...ADA, id: '8' }],
    ['DELETE /users/7', { odd: 1 }, 204],
    ['GET /status', undefined, 'fine'],
  ],
}
const EVERY = Object.entries(CASES).flatMap(([version, cases]) =>
  cases.map((one): [version: string, ...Case] => [version, ...one]),
)

describe.each(PLACES)('%s', (_title, fill, { at = '/', options = {}, path: pathOf = unchanged } = {}) => {
  // One app for all cases: to read its document takes longer than a request.
  const app = express().use(at, versioning(usersOptions(options)))
  fill(app)
  app.use(jsonErrors)

  test.each(EVERY)('in %s, %s with %j', async (version, asked, body, response, ...[saw]) => {
    const [method, path] = asked.split(' ') as [string, string]
    const got = await ask(await listen(app), version, pathOf(version, path), { method, body })
    if (typeof response === 'number') expect(got.status).toBe(response)
    else if (response === MISFIT) expect(got).toMatchObject({ status: 400, json: MISFIT })
    else expect(got.json).toStrictEqual(response)
    if (saw === undefined) return
    const [{ version: _, ...query }, given] = sawIn(got)
    // Express 4 has an empty body where there is none.
    expect([query, Object.keys(Object(given)).length === 0 ? null : given]).toStrictEqual(saw)
  })
})

// Its details --------------------------------------------------------------------------------------------------------

test('the newer query is in req.url too, and nothing else of it changes; sent() has what the client sent', async () => {
  let saw: unknown
  const show: RequestHandler = (req, res) => {
    saw = [req.url, req.path, req.originalUrl, { ...req.query }, { ...sent(req).query }]
    res.json([])
  }
  const url = '/users?page=1%202&name=%26%C3%A9&tag=a&tag=b'
  await ask(await serveUsers((app) => both(app).use('/users', show)), 'v1', url)
  const query = { page: '1 2', tag: ['a', 'b'] }
  const newer = '/?page=1%202&tag=a&tag=b&given=%26%C3%A9'
  expect(saw).toStrictEqual([newer, '/', url, { ...query, given: '&é' }, { ...query, name: '&é' }])
})

test('a query that no url can carry is 400', async () => {
  const lone = change('Odd.', { 'GET /status': { query: () => ({ q: '\ud800' }) } })
  const changes = versionHistory('v1').version('v2', lone)
  const server = await serveUsers((app) => both(app).use(status()), { changes } as never)
  expect(await ask(server, 'v1', '/status')).toMatchObject({ status: 400, json: MISFIT })
})

test("a contract checks and strips in front of handlers elsewhere, in the client's version", async () => {
  const ajv = new Ajv()
  const compile = (schema: object) => ajv.compile(schema)
  const serving = (options: object = {}) =>
    serveUsers((app) => both(app).use('/users', users()), { contract: contract({ compile, ...options }) })
  const server = await serving()
  const issues = await ask(server, 'v1', '/users', { method: 'POST', body: { id: 7 } })
  expect(issues).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_CONTRACT' } })
  expect((await ask(server, 'v1', '/users', { method: 'POST' })).status).toBe(400)
  const stripped = await ask(server, 'v1', '/users?name=A&odd=1', {})
  expect(sawIn(stripped)[0]).toStrictEqual({ given: 'A' })
  const deleted = await ask(server, 'v1', '/users/7', { method: 'DELETE', body: { odd: 1 } })
  expect([deleted.status, Object.keys(sawIn(deleted)[1] ?? {})]).toStrictEqual([204, []])
  const strict = await serving({ requests: 'all' })
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: { id: '7' } })).status).toBe(400)
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: ADA })).status).toBe(201)
})

test('observers are told of a request that did not fit, once, by the middleware and by now()', async () => {
  const events: string[] = []
  const onVersion = ({ phase, version, error }: VersionEvent) =>
    events.push(`${phase} ${version} ${Object(error).code}`)
  for (const handler of [convertRequest, byNow, convertRequest.with(parser())]) {
    const server = await serveUsers((app) => app.use(parser(), handler).use('/users', users()), { onVersion })
    await ask(server, 'v1', '/users', { method: 'POST', body: { id: '7' } })
    expect(events.splice(0)).toStrictEqual(['decided v1 undefined', 'failed v1 ERR_VERSION_BODY'])
  }
})

test.each<[neutral: string[], taken: string]>([
  [['/users/:any'], 'DELETE /users/{id}'],
  [['/status', 'GET /users/*rest'], 'GET /users/me'],
  [['PUT /users/:id'], 'PUT /users/{id}'],
  [['/users/7'], 'GET /users/{id}'],
  [['DELETE /users/{:id}.png'], 'DELETE /users/{id}'],
  [['/:things/you'], 'GET /users/{id}'],
  [['/users/me/photo', 'POST /users/:id', '/user'], 'none'],
])('of the paths of %j, none may take an operation that changes: %s', (neutral, taken) => {
  const changes = HISTORY.version('v3', change('Users stay.', { 'DELETE /users/{id}': 'removed' })) as never
  const start = () => versioning(usersOptions({ changes, defaultVersion: 'v3', neutral }))
  const told = `- "${neutral.at(-1)}" takes "${taken}", of the change "`
  if (taken === 'none') expect(start).not.toThrow()
  else expect(start).toThrow(told)
})

test('a method of a path is neutral, and others are converted', async () => {
  const { send } = await serveUsers((app) => both(app).use('/users', users()), { neutral: ['DELETE /users/:id'] })
  const ask = (method: string) => send(method, '/users/7', { 'X-API-Version': 'v9' })
  expect(await ask('DELETE')).toMatchObject({ status: 204 })
  expect(await ask('GET')).toMatchObject({ status: 406 })
})

test('without a versioning() in front, and for neutral routes, nothing happens', async () => {
  const server = await serve((app) => {
    app.use(convertRequest, convertRequest.with(parser()), byNow)
    app.use(versioning(usersOptions({ neutral: ['/status'] })), parser(), convertRequest, status())
  })
  expect((await ask(server, 'v1', '/status')).json).toBe('fine')
})

test('a table has handlers of its own behind it: they get the request converted once, and so do those behind next()', async () => {
  const inner = routesOf(USERS)
  const outer = namedRoutes({}).include('/api', inner)
  const seen: unknown[] = []
  const see: RequestHandler = (req, _res, next) => next(void seen.push([req.body, sent(req).body]))
  inner.route('/users').post(see, convertRequest, see)
  const server = await serveUsers((app) => both(app).use(outer, see).use('/api/users', users()), { routes: outer })
  expect((await ask(server, 'v1', '/api/users', { method: 'POST', body: OLD_ADA })).json).toStrictEqual(OLD_ADA)
  expect(seen).toStrictEqual([1, 2, 3].map(() => [ADA, OLD_ADA]))
})

test('in a table that has all handlers, its routes convert, and the middleware does nothing', async () => {
  const changes = versionHistory('v1').version('v2', change('Split.', { 'POST users': { request: () => ADA } }))
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').post((req, res) => void res.json(req.body))
  const before: unknown[] = []
  const see: RequestHandler = (req, _res, next) => next(void before.push(req.body))
  const fill = (app: Application) => both(app).use(convertRequest.with(parser()), see, routes)
  const server = await serveUsers(fill, { routes, changes } as never)
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA })).json).toStrictEqual(ADA)
  expect(before).toStrictEqual([OLD_ADA])
})

test('another route of the table that begins later gets what was sent, converted for its own operation', async () => {
  const routes = routesOf(USERS)
  routes.route('/users/{id}').put((req, res) => void res.json(req.body))
  routes.route('/status').post((req, res) => void res.json(req.body))
  const moving: RequestHandler = (req, _res, next) =>
    next(void Object.assign(req, { url: '/users/7?a=1', method: 'PUT' }))
  const server = await serveUsers((app) => both(app).use(moving, routes), { routes })
  const { json } = await ask(server, 'v1', '/users?name=x', { method: 'POST', body: OLD_ADA })
  expect(json).toStrictEqual(OLD_ADA)
})

test('an inner versioning() with its own history converts anew what was sent', async () => {
  const inner = usersOptions()
  const server = await serveUsers((app) => both(app).use(versioning(inner), convertRequest).use('/users', users()))
  const posted = await ask(server, 'v1', '/users?name=Bob', { method: 'POST', body: OLD_ADA })
  expect([posted.json, sawIn(posted)]).toStrictEqual([OLD_ADA, [{ name: 'Bob' }, ADA]])
  expect(sawIn(await ask(server, 'v1', '/users?name=Bob'))[0]).toStrictEqual({ given: 'Bob' })
})

test('now() is for requests of Express, and with() takes parsers', () => {
  expect(() => convertRequest.with()).toThrow('convertRequest.with() takes parsers, such as express.json(); got none.')
  expect(() => convertRequest.with(parser(), 7 as never)).toThrow('got 7.')
  expect(() => convertRequest.now({} as never)).not.toThrow()
})
