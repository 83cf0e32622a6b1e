// Alarms about handlers elsewhere: who responds to older requests unconverted, for another operation, or for none.
import { request } from 'node:http'
import { Readable } from 'node:stream'
import express, { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { byVersion, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest, type OperationChanges, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { ask } from '../../support/changes'
import {
  ADA,
  both,
  CHANGED,
  OLD_ADA,
  parser,
  serveUsers,
  status,
  UNHANDLED,
  USERS,
  users,
  usersOptions,
  warningsOfTests,
} from '../../support/elsewhere'
import { major } from '../../support/major'
import { serve } from '../../support/serve'

const warnings = warningsOfTests()
const post = { method: 'POST', body: OLD_ADA }
const send =
  (code: number): RequestHandler =>
  (_req, res) =>
    void res.status(code).json(ADA)

test.each([
  ['an undescribed success', 200, CHANGED],
  ['the described one', 204, { status: 204 }],
  ['an error', 409, { status: 409, json: ADA }],
])('an operation without shapes responds with %s', async (_title, code, expected) => {
  const app = await serveUsers((app) => both(app).delete('/users/:id', send(code)))
  expect(await ask(app, 'v1', '/users/7', { method: 'DELETE' })).toMatchObject(expected)
  expect((await ask(app, 'v2', '/users/7', { method: 'DELETE' })).status).toBe(code)
})

// (1) Nobody succeeds unconverted -------------------------------------------------------------------------------------

const piped: RequestHandler = (_req, res) => void Readable.from([JSON.stringify(ADA)]).pipe(res.type('json'))
test.each([
  ['POST', '/users', OLD_ADA],
  ['PUT', '/users/7', OLD_ADA],
  ['GET', '/users?name=x', undefined],
  ['HEAD', '/users', undefined],
  ['DELETE', '/users/7', {}],
])('without convertRequest, no success: %s %s', async (method, path, body) => {
  for (const respond of [send(200), piped, send(304)]) {
    const server = await serveUsers((app) => app.use(parser(), respond))
    const { status, text } = await ask(server, 'v1', path, { method, body })
    expect([status, text.includes('given')]).toStrictEqual([500, false])
    expect((await ask(server, 'v2', path, { method, body })).status).toBeLessThan(400)
  }
})

const pass: RequestHandler = (_req, _res, next) => next()
const misfit: RequestHandler = (_req, _res, next) => next(Object.assign(new Error('no'), { status: 422 }))
test.each<
  [title: string, handlers: Record<string, RequestHandler | RequestHandler[]>, options: object, warned: number]
>([
  ['in front of the conversion, for its own version', { v1: send(422) }, { otherwise: pass }, 0],
  ['that passes an error on', { v1: [pass, misfit] }, { otherwise: pass }, 0],
  ['that passes, in front of a handler that got the request unconverted', { v1: pass }, { otherwise: pass }, 1],
  ['that leaves its route', { v1: (_req, _res, next) => next('route') }, { otherwise: pass }, 1],
  ['for all other versions', { v2: pass }, { otherwise: send(422) }, 1],
])('a validator %s', async (_title, handlers, options, warned) => {
  const server = await serveUsers((app) => app.post('/users', parser(), byVersion(handlers, options)).use(send(422)))
  expect((await ask(server, 'v1', '/users', post)).status).toBe(422)
  expect(warnings).toHaveLength(warned)
})

test.each<[title: string, fill: (app: Application) => unknown]>([
  ['in front of it', (app) => app.use(parser(), send(200), convertRequest)],
  ['in front of versioning()', (app) => app.use(parser(), send(200))],
  ['an error handler', (app) => app.use(parser(), failing, recovering, convertRequest)],
  ['an error handler, for an error of the parser', (app) => app.use(failing, parser(), convertRequest, recovering)],
  ['behind an error of the conversion', (app) => app.use(convertRequest, recovering)],
  ['a router without it', (app) => app.use(parser()).use('/users', users()).use('/api', convertRequest)],
])('a handler that responds with success to a request unconverted: %s', async (_title, fill) => {
  const server = await serveUsers(fill)
  expect(await ask(server, 'v1', '/users', post)).toMatchObject(CHANGED)
})
const failing: RequestHandler = (_req, _res, next) => next(new Error('failed'))
const recovering: ErrorRequestHandler = (_error, _req, res, _next) => void res.json(ADA)

const REMEDY =
  'Put convertRequest of express-versioning/changes in front of the handlers, behind versioning() and the parsers.'
test('success without the conversion is an error with the remedy; 4xx is warned of once', async () => {
  const created = await serveUsers((app) => app.use(parser(), send(201)))
  expect(Object((await ask(created, 'v1', '/users', post)).json).error).toContain(REMEDY)
  const server = await serveUsers((app) => app.use(parser(), send(422)))
  for (let count = 0; count < 3; count++) expect((await ask(server, 'v1', '/users', post)).status).toBe(422)
  expect(warnings).toStrictEqual([
    `EXPRESS_VERSIONING_UNCONVERTED: "POST /users" in version "v1" got the response 422 from a handler that had the request unconverted. ${REMEDY}`,
  ])
})

test.each<[title: string, fill: (app: Application) => unknown, asked?: object]>([
  ['401 in front of it', (app) => app.use(parser(), send(401))],
  ['403 in front of it', (app) => app.use(parser(), send(403))],
  ['429 in front of it', (app) => app.use(parser(), send(429))],
  ['an error of the parser', (app) => both(app), { method: 'POST', body: '{' }],
  ['an error of the parser of with()', (app) => app.use(convertRequest.with(parser())), { method: 'POST', body: '{' }],
  ['a request that does not fit', (app) => both(app), { method: 'POST', body: {} }],
  ['4xx behind it', (app) => both(app).use(send(409))],
  ['nothing to convert', (app) => app.use(parser(), send(404)), { method: 'DELETE' }],
  ['5xx', (app) => app.use(parser(), send(503))],
])('nobody is warned of %s', async (_title, fill, asked = post) => {
  const server = await serveUsers(fill)
  const path = 'body' in asked ? '/users' : '/users/7'
  expect((await ask(server, 'v1', path, asked)).status).toBeGreaterThanOrEqual(400)
  expect(warnings).toStrictEqual([])
})

test('a body that no parser has read is 415, with a warning, once', async () => {
  const server = await serveUsers((app) => app.use(convertRequest).use('/users', users()))
  for (let count = 0; count < 2; count++) expect((await ask(server, 'v1', '/users', post)).status).toBe(415)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('Put express.json() in front of convertRequest')
})

// (2) The route that responds is that of the path ---------------------------------------------------------------------

const respond = send(200)
/** Serves one handler for all requests. */
const serveAll = (options = {}) => serveUsers((app) => both(app).use(respond), options)
const inner = Router().get('/me', respond)
const go: RequestHandler = (_req, _res, next) => next()
type Fill = (app: Application) => unknown
const moved =
  (url: string): RequestHandler =>
  (req, _res, next) =>
    next(void Object.assign(req, { url }))

test.each<[title: string, path: string, fill: Fill]>([
  ['a more general one, which is an operation', '/users/me', (app) => app.get('/users/:id', respond)],
  ['the same in a router', '/users/me', (app) => app.use('/users', Router().get('/:id', respond))],
  ['the same, asked with HEAD', 'HEAD /users/me', (app) => app.use('/users', Router().get('/:id', respond))],
  ['a more special one', '/users/7', (app) => app.get('/users/7', respond)],
  ['a more special one in a router', '/users/7', (app) => app.use('/users', Router().get('/7', respond))],
  ['one of several paths', '/users/me', (app) => app.get(['/users/:id', '/people/:id'], respond)],
  ['one with an expression', '/users/me', (app) => app.get(expression('/users/:id', '\\w+'), respond)],
  ['one of an optional part', '/users/me', (app) => app.get(optional('/users', 'id'), respond)],
  ['one of a rewritten url', '/users/me', (app) => app.use(moved('/users/7')).get('/users/:id', respond)],
  ['one that nobody described, of a rewritten url', '/users/me', (app) => app.use(moved('/a/b')).get('/a/b', respond)],
  ['of a path without changes', '/status', (app) => app.use(moved('/users/7')).use('/users', users())],
  ['one of several as a regular expression', '/users/me', (app) => app.get(['/users/:id', /nothing/], respond)],
  ['a mount with a parameter', '/users/me', (app) => app.use('/users/:id', respond)],
  ['a router that does not merge it', '/users/me', (app) => app.use('/users/:id', Router().get('/', respond))],
  ['a router that merges it', '/users/me', (app) => app.use('/users/:id', Router({ mergeParams: true }).use(respond))],
  ['an app inside', '/users/me', (app) => app.use('/users/:id', express().use('/', respond))],
  ['a router in a router', '/users/me', (app) => app.use('/users', Router().use('/:id', Router().use(respond)))],
  ['one that is called', '/users/me', (app) => app.use('/users/:id', (...all) => Router().use(respond)(...all))],
  ['a mount, of a rewritten url', '/users/me', (app) => app.use(moved('/users/7')).use('/users', respond)],
  ['middleware, of a rewritten url', '/users/7', (app) => app.use(moved('/users/me?a=1')).use(respond)],
  ['a router, later', '/users/me', (app) => app.use('/users/:id', Router().use(piped))],
  [
    'one behind a router that was left',
    '/users/me',
    (app) => app.use('/:a', Router().use('/:b', go)).use('/users/:id', respond),
  ],
  ['one with a stream, later', '/users/me', (app) => app.get('/users/:id', piped)],
])('another route responds: %s', async (_title, asked, fill) => {
  const server = await serveUsers((app) => fill(both(app)))
  const [path, method = 'GET'] = asked.split(' ').toReversed() as [string, string?]
  const { status, json, text } = await ask(server, 'v1', path, { method })
  expect([status, text.includes('given')]).toStrictEqual([500, false])
  if (method === 'GET') expect(json).toMatchObject(CHANGED.json)
  expect((await ask(server, 'v2', path, { method })).status).toBeLessThan(400)
})

const numbered: RequestHandler = (req, _res, next) =>
  next(void Object.assign(req.params, { id: Number(req.params.id) }))
/** Hands on a request that inherits all of it. */
const copied =
  (handler: RequestHandler): RequestHandler =>
  (req, res, next) =>
    void handler(Object.create(req), res, next)

const four = major === 4
/** Paths that both majors write differently. */
const expression = (path: string, text: string) => (four ? path.replace(/:\w+/, `$&(${text})`) : path)
const optional = (path: string, name: string) => (four ? `${path}/:${name}?` : `${path}{/:${name}}`)

test.each<[title: string, path: string, fill: Fill]>([
  ['with another name of its parameter', '/users/7', (app) => app.get('/users/:userId', respond)],
  ['in another letter case', '/users/7', (app) => app.get('/Users/:id/', respond)],
  ['with an expression', '/users/7', (app) => app.get(expression('/users/:id', '\\d+'), respond)],
  ['with an optional part', '/users/7', (app) => app.get(optional('/users', 'id'), respond)],
  ['with several paths', '/users/7', (app) => app.get(['/people/:id', '/users/:id'], respond)],
  ['as a regular expression', '/users/me', (app) => app.get(/^\/users\/(.*)$/, respond)],
  ['as a wildcard', '/users/me', (app) => app.get(four ? '/users/*' : '/users/*rest', respond)],
  ['of all methods', '/users/7', (app) => app.all('/users/:id', respond)],
  ['more general, of no operation', '/users/7', (app) => app.get('/:kind/:id', respond)],
  ['in routers in routers', '/users/7', (app) => app.use(Router().use('/users', Router().get('/:id', respond)))],
  ['in a router below', '/users/7', (app) => app.use('/users/:id', Router({ mergeParams: true }).get('/', respond))],
  ['in an app inside', '/users/7', (app) => app.use('/users', express().get('/:id', respond))],
  ['behind a route for all that was left', '/users/7', (app) => app.all(four ? '*' : '/*rest', go).use(respond)],
  ['behind another route that was left', '/users/me', (app) => app.get('/users/:id', go).get('/users/me', respond)],
  ['middleware behind a route that was left', '/users/me', (app) => app.get('/users/:id', go).use(respond)],
  ['behind a router that was left', '/users/me', (app) => app.use('/users', Router().get('/:id', go)).use(respond)],
  ['middleware', '/users/me', (app) => app.use('/users', respond)],
  ['as a mount', '/users/7', (app) => app.use('/users/:id', respond)],
  ['as a mount whose value is that of a literal', '/users/users', (app) => app.use('/users/:id', respond)],
  ['as a mount in front of a parameter', '/users/users', (app) => app.use('/users', Router().use('/:id', respond))],
  ['as a mount with a number for its parameter', '/users/7', (app) => app.use('/users/:id', numbered, respond)],
  ['as a mount with an encoded value', '/users/a%20b', (app) => app.use('/users/:id', respond)],
  ['as a mount with a malformed escape', '/users/7', (app) => app.use(moved('/users/%zz')).use('/:kind', respond)],
  ['as a mount with a wildcard', '/users/me', (app) => app.use(four ? '/users/*' : '/users/*rest', respond)],
  ['behind a mount that was left', '/users/me', (app) => app.use('/users/:id', go).use('/users/me', respond)],
  ['behind a router with a parameter', '/users/me', (app) => app.use('/:kind', Router().use('/:id', go)).use(respond)],
  ['of a url that nobody described', '/users/me', (app) => app.use(moved('/internal/users/me')).use(respond)],
  ['of another value', '/users/7', (app) => app.use(moved('/users/8')).use('/users', respond)],
  ['in a request that was made from it', '/users/me', (app) => app.use('/users', copied(Router().get('/me', respond)))],
  ['in a function that calls a router', '/users/me', (app) => app.use('/users', (...all) => inner(...all))],
])('the route of the operation may be written %s', async (_title, path, fill) => {
  const server = await serveUsers((app) => fill(both(app)))
  expect((await ask(server, 'v1', path)).json).toStrictEqual(OLD_ADA)
})

test('two versioning() of one table follow a request once', async () => {
  const second = versioning(usersOptions())
  const server = await serveUsers((app) => both(app.use(second)).get('/users/me', respond).use('/users/:id', respond))
  expect((await ask(server, 'v1', '/users/me')).json).toStrictEqual(OLD_ADA)
  expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 200, json: OLD_ADA })
})

test('a route of another mount is not compared', async () => {
  const elsewhere: RequestHandler = (req, _res, next) => next(void Object.assign(req, { baseUrl: '/other' }))
  const routes = namedRoutes({}).include('/', routesOf(USERS))
  const server = await serveUsers((app) => both(app).use(elsewhere).get('/users/me', respond), { routes })
  expect((await ask(server, 'v1', '/users/me')).status).toBeLessThan(501)
})

// (3) Paths that two routers may read as two operations ---------------------------------------------------------------

test.each([
  ...['/users/ME', '/users/m%65', '/users/%6d%65', '/users/me;a=1', '/users/7/../me', '/users/7/%2e%2e/me'],
  ...['/users/./me', '/users//me', '//users/me', '/users%2Fme', '/users/7%2Fphoto', '/Users;a/ME/', '/users\\me'],
])('%s is 404 in older versions, also where others pass', async (path) => {
  for (const undocumented of ['reject', 'pass'] as const) {
    const method = path.endsWith('photo') ? 'PUT' : 'GET'
    const server = await serveAll({ table: { undocumented } })
    expect(await ask(server, 'v1', path, { method })).toMatchObject(UNHANDLED)
    expect((await ask(server, 'v2', path, { method })).status).toBe(200)
  }
})

test.each([
  ...['/users/Ab', '/USERS/7', '/users/me/', '/users/a;b', '/users/a%2Fb', '/users/%41', '/users/.a', '/users/%C3%A9'],
])('%s is one operation, however it is read', async (path) => {
  const server = await serveAll()
  expect((await ask(server, 'v1', path)).json).toStrictEqual(OLD_ADA)
})

test('a table that minds the letter case knows that others do not', async () => {
  const server = await serveAll({ table: { caseSensitive: true, strict: true } })
  expect(await ask(server, 'v1', '/users/ME')).toMatchObject(UNHANDLED)
  expect((await ask(server, 'v1', '/users/7')).json).toStrictEqual(OLD_ADA)
})

test('a neutral path that another router may read as an operation is not neutral', async () => {
  const neutral = ['/health', '/docs{/*rest}']
  const server = await serveAll({ neutral })
  for (const path of ['/docs/../users/7', '/docs/%2e%2e/users/7', '/docs/a%2F..%2F..%2Fusers', '/docs/..\\users']) {
    expect(await ask(server, 'v1', path)).toMatchObject(UNHANDLED)
    expect((await ask(server, 'v2', path)).json).toStrictEqual(ADA)
  }
  for (const path of ['/docs/Index.html', '/docs/a%20b', '/docs/a/../b', '/docs//', '/Health', '/health/']) {
    expect((await ask(server, 'v1', path)).json).toStrictEqual(ADA)
  }
  const named = await serveAll({ neutral: ['/status'] })
  expect((await ask(named, 'v1', '/Status/')).json).toStrictEqual(ADA)
})

// (4) Operations that nobody described --------------------------------------------------------------------------------

const releases = (operations: OperationChanges) => versionHistory('v1').version('v2', change('Odd.', operations))

test('operations that the document does not have are rejected in older versions, with a warning for each', async () => {
  const server = await serveAll({ neutral: ['/health', '/docs{/*rest}'] })
  for (const [method, path] of [
    ['GET', '/a'],
    ['GET', '/b/c'],
    ['POST', '/a'],
    ['PATCH', '/users/7'],
    ['PATCH', '/users/8'],
    ['GET', '/users/7/secret'],
    ['OPTIONS', '/a'],
    ['OPTIONS', '*'],
  ] as const) {
    expect(await ask(server, 'v1', path, { method })).toMatchObject(UNHANDLED)
    expect((await ask(server, 'v2', path, { method })).status).toBe(200)
  }
  const said = warnings.map((warning) => /request (.*) in an older/.exec(warning)?.[1])
  const user = ['PATCH below "/users/:id"', 'GET below "/users/:id"']
  expect(said).toStrictEqual(['GET below "/"', 'POST below "/"', ...user, 'OPTIONS below "/"'])
  expect(warnings[0]).toBe(
    `EXPRESS_VERSIONING_UNHANDLED: A request GET below "/" in an older version was rejected with 404: "routes" does not have its operation, or only in a later version, so nobody knows what to convert. Describe the operation in the document; or list it in "neutral", as health checks and pages: neutral: ['/health', '/docs{/*rest}']; or let all of them pass unconverted: undocumented: 'pass'.`,
  )
  for (const path of ['/health', '/docs', '/docs/a/b']) expect((await ask(server, 'v1', path)).json).toStrictEqual(ADA)
})

const BELOW = `EXPRESS_VERSIONING_UNHANDLED: A request GET below "/" in an older version was rejected with 404: "routes" does not have its operation, or only in a later version, so nobody knows what to convert.`
const lacking = (what: string, mount: string) =>
  `${BELOW} The document has that path without ${what}: if your routers are there, mount versioning() there too, such as app.use('${mount}', versioning(options)), or write the prefix into the document's paths. Describe the operation`
const servers = (...urls: unknown[]) => ({ document: { ...USERS, servers: urls.map((url) => ({ url })) } })
const SERVED = '"/api/v7" of its "servers"'

test.each<[title: string, path: string, warning: string, settings?: object]>([
  ['a prefix', '/secret/users/me', lacking('a prefix', '/api')],
  ['several segments', '/a/b/secret/users', lacking('a prefix', '/api')],
  ['an unknown server', '/secret/users', lacking('a prefix', '/api'), servers('/api', '{base}/secret', undefined)],
  ['a server', '/api/v7/users', lacking(SERVED, '/api/v7'), servers('https://a.test/api/v7/')],
  ['a server without a host', '/api/v7/users', lacking(SERVED, '/api/v7'), servers('https://a.test', '/api/v7')],
  ['too long a prefix', '/a/b/c/d/users', `${BELOW} Describe the operation`],
])(
  'the warning has the remedies for paths that the document has without %s',
  async (...[, path, warning, settings]) => {
    const server = await serveUsers((app) => both(app).use(respond), settings)
    expect(await ask(server, 'v1', path)).toMatchObject(UNHANDLED)
    expect(await ask(server, 'v1', '/other/users')).toMatchObject(UNHANDLED)
    expect(warnings[0]).toContain(warning)
    expect(warnings.join()).not.toContain('secret')
    expect(warnings).toHaveLength(warnings[0]?.includes('a prefix') ? 1 : 2)
  },
)

test('the warning has no remedies for the mount where the document has a beginning of the path', async () => {
  const server = await serveUsers((app) => both(app).use(respond))
  expect(await ask(server, 'v1', '/users/7/status')).toMatchObject(UNHANDLED)
  expect(warnings).toStrictEqual([expect.stringContaining('nobody knows what to convert. Describe the operation')])
  expect(warnings[0]).toContain('below "/users/:id"')
})

test('the warning has the remedies for paths that the document has with the mount of versioning()', async () => {
  const paths = Object.fromEntries(Object.entries(USERS.paths).map(([path, item]) => [`/api${path}`, item]))
  const changes = versionHistory('v1').version('v2', change('Odd.', { 'GET /api/status': { response: () => 'odd' } }))
  const options = usersOptions({ document: { ...USERS, paths }, changes } as never)
  const server = await serve((app) => app.use('/api', versioning(options)).use('/:any', versioning(options)))
  for (const path of ['/api/users', '/api/status', '/api/none', '/secret/users'])
    expect(await ask(server, 'v1', path)).toMatchObject(UNHANDLED)
  expect(warnings.map((warning) => warning.replace(/ Describe the operation.*$/, ''))).toStrictEqual([
    `${BELOW} The document has that path with "/api" in front, where versioning() is mounted: mount it without that, app.use(versioning(options)), or leave "/api" out of the document's paths.`,
    // Those without a hint: one of each versioning().
    BELOW,
    BELOW,
  ])
})

test('they pass where the table says so, unless Express serves them by a described route', async () => {
  const server = await serveUsers((app) => both(app).use(moving).use('/users', users()).use(respond), {
    table: { undocumented: 'pass' },
  })
  expect((await ask(server, 'v1', '/a')).json).toStrictEqual(ADA)
  expect((await ask(server, 'v1', '/users/7', { method: 'PATCH', body: OLD_ADA })).json).toStrictEqual(ADA)
  const headers = { 'X-Url': '/users/7' }
  expect(await ask(server, 'v1', '/a', { headers })).toMatchObject(CHANGED)
  expect((await ask(server, 'v2', '/a', { headers })).status).toBe(200)
  expect(warnings).toStrictEqual([])
})
const moving: RequestHandler = (req, res, next) => moved(String(req.headers['x-url'] ?? req.url))(req, res, next)

test('preflights pass', async () => {
  const server = await serveUsers((app) => both(app).use(send(204)))
  const headers = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }
  expect((await ask(server, 'v1', '/nothing', { method: 'OPTIONS', headers })).status).toBe(204)
})

test('operations that come later, and removed ones, are rejected; removed ones in the newest version too', async () => {
  const changes = releases({ 'DELETE /users/{id}': 'removed', 'GET /users/me': 'added' })
  const longer = changes.version('v3', change('Later.', { 'GET /users': { response: () => [] } }))
  const third = await serveUsers((app) => both(app).use('/users', users()), { changes: longer } as never)
  const removed = {
    status: 404,
    json: { code: 'ERR_VERSION_UNHANDLED', error: 'This operation was removed in version v2.' },
  }
  expect(await ask(third, 'v2', '/users/7', { method: 'DELETE' })).toMatchObject(removed)
  const server = await serveUsers((app) => both(app).use('/users', users()), { changes } as never)
  expect((await ask(server, 'v1', '/users/7', { method: 'DELETE' })).status).toBe(204)
  expect(await ask(server, 'v2', '/users/7', { method: 'DELETE' })).toMatchObject(removed)
  const added = { ...UNHANDLED.json, error: 'This operation was added in version v2.' }
  expect(await ask(server, 'v1', '/users/me')).toMatchObject({ status: 404, json: added })
  expect((await ask(server, 'v1', '/users/7')).status).toBe(200)
  expect((await ask(server, 'v2', '/users/me')).status).toBe(200)
  expect(warnings).toHaveLength(1)
})

test('a path that another router may read as an operation that comes later is rejected', async () => {
  const changes = releases({ 'GET /users/me': 'added' })
  const server = await serveAll({ changes })
  for (const path of ['/users/m%65', '/users/7/../me', '/users//me', '/users/ME;a']) {
    expect(await ask(server, 'v1', path)).toMatchObject(UNHANDLED)
    expect((await ask(server, 'v2', path)).status).toBe(200)
  }
  for (const path of ['/users/7', '/users/%41', '/Users/7;a']) expect((await ask(server, 'v1', path)).status).toBe(200)
})

test('an operation that comes later is passed by in a table that has its handlers', async () => {
  const routes = routesOf(USERS)
  routes.route('/users/me').get(() => {
    throw new Error('This handler must not run.')
  })
  routes.route('/users/{id}').get((req, res) => void res.json({ ...ADA, id: req.params.id as string }))
  const changes = releases({ 'GET /users/me': 'added' })
  const server = await serveUsers((app) => both(app).use(routes), { changes, routes } as never)
  for (const id of ['me', 'ME']) {
    expect((await ask(server, 'v1', `/users/${id}`)).json).toStrictEqual({ ...ADA, id })
  }
})

// Who else may respond ------------------------------------------------------------------------------------------------

test('errors of a parser in front, and of handlers, are those of the operation', async () => {
  const changes = releases({ '*': { error: ({ error }: { error: string }) => ({ old: error }) } })
  const server = await serveUsers((app) => both(app).use('/users', Router().get('/:id', failing)), { changes } as never)
  const unread = await ask(server, 'v1', '/users', { method: 'POST', body: '{' })
  expect(unread.json).toStrictEqual({ old: expect.stringContaining('JSON') })
  expect((await ask(server, 'v1', '/users/7')).json).toStrictEqual({ old: 'failed' })
  expect((await ask(server, 'v1', '/nothing')).json).toStrictEqual({ old: 'No handler for this version.' })
})

test('a proxy sends the converted request, and its response is converted', async () => {
  const seen: string[] = []
  const service = await serve((app) => {
    app.use(parser(), ({ method, url, body }, res) => {
      seen.push(`${method} ${url} ${JSON.stringify(body ?? {})}`)
      res.status(method === 'POST' ? 201 : 200).json(url.startsWith('/users?') ? [ADA] : ADA)
    })
  })
  const proxy: RequestHandler = ({ method, url: path, body, headers: { 'content-length': _, ...headers } }, res) => {
    request({ port: service.port, method, path, headers }, (response) => {
      response.pipe(res.writeHead(response.statusCode as number, response.headers))
    }).end(method === 'POST' ? JSON.stringify(body) : undefined)
  }
  const server = await serveUsers((app) => both(app).use(proxy))
  expect((await ask(server, 'v1', '/users', post)).json).toStrictEqual(OLD_ADA)
  expect((await ask(server, 'v1', '/users?name=Bob')).json).toStrictEqual([OLD_ADA])
  expect((await ask(server, 'v2', '/users?name=Bob')).json).toStrictEqual([ADA])
  expect(seen).toStrictEqual([
    `POST /users ${JSON.stringify(ADA)}`,
    'GET /users?given=Bob {}',
    'GET /users?name=Bob {}',
  ])
})

test('tables that include others pass only if all of them do', async () => {
  const routes = namedRoutes({}, { handlers: 'elsewhere' }).include('/api', routesOf(USERS, { undocumented: 'pass' }))
  const server = await serveUsers((app) => both(app).use(status(), respond), { routes: routes as never })
  expect(await ask(server, 'v1', '/api/nothing')).toMatchObject(UNHANDLED)
})

test('a path with optional parts is one operation', async () => {
  const routes = namedRoutes({ user: '/users{/:id}', file: '/files/*path' }, { handlers: 'elsewhere' })
  for (const name of ['user', 'file'] as const) routes.describe(`GET ${name}`, { response: null })
  const options = { routes, changes: releases({ 'GET user': { response: () => OLD_ADA } }) } as never
  const server = await serveUsers((app) => both(app).get('/files/a', respond).use(respond), options)
  for (const path of ['/users/Ab', '/Users']) expect((await ask(server, 'v1', path)).json).toStrictEqual(OLD_ADA)
  expect((await ask(server, 'v1', '/files/a')).json).toStrictEqual(ADA)
})
