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
import { ADA, OLD_ADA, parser, serveUsers, status, USERS, users, usersOptions } from '../support/elsewhere'
import { type Served, serve } from '../support/serve'

const MISFIT = { error: 'The request does not fit its version.', code: 'ERR_VERSION_BODY' }

const byNow: RequestHandler = (req, _res, next) => {
  try {
    convertRequest.now(req)
    next()
  } catch (error) {
    next(error)
  }
}
const mounted = (app: Pick<Router, 'use'>, router: RequestHandler = users()): RequestHandler =>
  app.use('/users', router).use(status()) as RequestHandler

/** The ways to place it, and to name the version. */
const PLACES: [title: string, start: () => Promise<Served>, path?: (version: string, path: string) => string][] = [
  ['in an app', () => serveUsers((app) => mounted(app.use(parser(), convertRequest)))],
  ['in a router', () => serveUsers((app) => mounted(app, users(Router().use(parser(), convertRequest))))],
  ['on each route', () => serveUsers((app) => mounted(app.use(parser()), users(Router(), convertRequest)))],
  [
    'twice',
    () =>
      serveUsers((app) =>
        mounted(app.use(parser(), convertRequest, convertRequest), users(Router().use(convertRequest))),
      ),
  ],
  [
    'in an app inside',
    () => serveUsers((app) => app.use(mounted(express().use(parser(), convertRequest) as Application) as Application)),
  ],
  [
    'in front of an app inside',
    () => serveUsers((app) => mounted(app.use(parser(), convertRequest), express().use(users()) as never)),
  ],
  ['by now()', () => serveUsers((app) => mounted(app.use(parser(), byNow)))],
  ['by with()', () => serveUsers((app) => mounted(app.use(convertRequest.with(parser()), parser())))],
  [
    'by with(), behind the parser',
    () => serveUsers((app) => mounted(app.use(parser(), convertRequest.with(parser())))),
  ],
  [
    'below a prefix',
    () => serve((app) => app.use('/api', versioning(usersOptions()), parser(), convertRequest, mounted(Router()))),
    (_version, path) => `/api${path}`,
  ],
  [
    'in an included table',
    () =>
      serveUsers((app) => app.use(parser(), convertRequest).use('/api', mounted(Router())), {
        routes: namedRoutes({}).include('/api', routesOf(USERS)),
      }),
    (_version, path) => `/api${path}`,
  ],
  [
    'below the version in the path',
    () =>
      serve((app) =>
        app.use(
          '/:version',
          versioning(usersOptions({ scheme: URLPathVersioning })),
          parser(),
          convertRequest,
          mounted(Router()),
        ),
      ),
    (version, path) => `/${version}${path}`,
  ],
  [
    'with the version in the query',
    () => serveUsers((app) => mounted(app.use(parser(), convertRequest)), { scheme: QueryParameterVersioning }),
    (version, path) => `${path}${path.includes('?') ? '&' : '?'}version=${version}`,
  ],
]

type Case = [asked: string, body: object | undefined, response: object | number, saw?: object]
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
    ['GET /status', undefined, 'fine' as never],
    ['POST /users', { id: '7' }, MISFIT],
    ['DELETE /users/7', {}, MISFIT],
  ],
  v2: [
    ['GET /users?name=Bob', undefined, [ADA], [{ name: 'Bob' }, null]],
    ['POST /users', ADA, ADA, [{}, ADA]],
    ['POST /users', { odd: 1 }, { odd: 1 }, [{}, { odd: 1 }]],
    ['GET /users/8', undefined, { ...ADA, id: '8' }],
    ['DELETE /users/7', { odd: 1 }, 204],
    ['GET /status', undefined, 'fine' as never],
  ],
}

describe.each(PLACES)('%s', (_title, start, pathOf = (_version, path) => path) => {
  test.each(
    Object.entries(CASES).flatMap(([version, cases]) =>
      cases.map(([asked, body, response, saw]) => [version, asked, body, response, saw] as const),
    ),
  )('in %s, %s with %j', async (version, asked, body, response, saw) => {
    const [method, path] = asked.split(' ') as [string, string]
    const answer = await ask(await start(), version, pathOf(version, path), { method, body })
    if (typeof response === 'number') expect(answer.status).toBe(response)
    else if (Object.hasOwn(response, 'code')) expect(answer).toMatchObject({ status: 400, json: response })
    else expect(answer.json).toStrictEqual(response)
    if (saw !== undefined) {
      const [query, body] = JSON.parse(String(answer.headers['x-saw']))
      const { version: _, ...others } = query
      // Express 4 has an empty body where there is none.
      expect([others, Object.keys(Object(body)).length === 0 ? null : body]).toStrictEqual(saw)
    }
  })
})

// Its details --------------------------------------------------------------------------------------------------------

const both = (app: Application) => app.use(parser(), convertRequest)

test('the newer query is in req.url too, and nothing else of it changes; sent() has what the client sent', async () => {
  const server = await serveUsers((app) => {
    both(app).use('/users', (req, res) => {
      res.json([
        { id: req.url, given: req.originalUrl, family: JSON.stringify([req.query, sent(req).query, req.path]) },
      ])
    })
  })
  const { json } = await ask(server, 'v1', '/users?page=1%202&name=%26%C3%A9&tag=a&tag=b')
  const query = { page: '1 2', tag: ['a', 'b'] }
  expect(json).toStrictEqual([
    {
      id: '/?page=1%202&tag=a&tag=b&given=%26%C3%A9',
      name: `/users?page=1%202&name=%26%C3%A9&tag=a&tag=b ${JSON.stringify([
        { ...query, given: '&é' },
        { page: '1 2', name: '&é', tag: ['a', 'b'] },
        '/',
      ])}`,
    },
  ])
})

test('a query that no url can carry is 400', async () => {
  const lone = change('Odd.', { 'GET /status': { query: () => ({ q: '\ud800' }) } })
  const changes = versionHistory('v1').version('v2', lone)
  const server = await serveUsers((app) => both(app).use(status()), { changes } as never)
  expect(await ask(server, 'v1', '/status')).toMatchObject({ status: 400, json: MISFIT })
})

test("a contract checks and strips in front of handlers elsewhere, in the client's version", async () => {
  const ajv = new Ajv()
  const checked = contract({ compile: (schema) => ajv.compile(schema) })
  const server = await serveUsers((app) => both(app).use('/users', users()), { contract: checked })
  const issues = await ask(server, 'v1', '/users', { method: 'POST', body: { id: 7 } })
  expect(issues).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_CONTRACT' } })
  expect((await ask(server, 'v1', '/users', { method: 'POST' })).status).toBe(400)
  const stripped = await ask(server, 'v1', '/users?name=A&odd=1', {})
  expect(JSON.parse(String(stripped.headers['x-saw']))[0]).toStrictEqual({ given: 'A' })
  const deleted = await ask(server, 'v1', '/users/7', { method: 'DELETE', body: { odd: 1 } })
  expect([deleted.status, Object.keys(JSON.parse(String(deleted.headers['x-saw']))[1] ?? {})]).toStrictEqual([204, []])
  const all = contract({ requests: 'all', compile: (schema) => ajv.compile(schema) })
  const strict = await serveUsers((app) => both(app).use('/users', users()), { contract: all })
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: { id: '7' } })).status).toBe(400)
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: ADA })).status).toBe(201)
})

test('observers are told of a request that did not fit, once, by the middleware and by now()', async () => {
  const events: unknown[][] = []
  const onVersion = ({ phase, version, error }: VersionEvent) => events.push([phase, version, Object(error).code])
  const expected = [
    ['decided', 'v1', undefined],
    ['failed', 'v1', 'ERR_VERSION_BODY'],
  ]
  for (const handler of [convertRequest, byNow, convertRequest.with(parser())]) {
    const server = await serveUsers((app) => app.use(parser(), handler).use('/users', users()), { onVersion })
    await ask(server, 'v1', '/users', { method: 'POST', body: { id: '7' } })
    expect(events.splice(0)).toStrictEqual(expected)
  }
})

test('without a versioning() in front, and for neutral routes, nothing happens', async () => {
  const server = await serve((app) => {
    app.use(convertRequest, convertRequest.with(parser()), byNow)
    app.use(versioning(usersOptions({ neutral: ['/status'] })), parser(), convertRequest, status())
  })
  expect((await ask(server, 'v1', '/status')).json).toBe('fine')
})

test('a table has handlers of its own behind it: they get the request converted once, and so do those behind next()', async () => {
  const routes = namedRoutes({ photos: '/photos' }, { handlers: 'elsewhere' }).include('/', routesOf(USERS))
  routes.describe('POST photos', { response: null, body: null })
  const inner = routesOf(USERS)
  const outer = namedRoutes({}).include('/api', inner)
  const seen: unknown[] = []
  const see: RequestHandler = (req, _res, next) => {
    seen.push([req.body, sent(req).body])
    next()
  }
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
  const server = await serveUsers(
    (app) =>
      app.use(
        parser(),
        convertRequest,
        convertRequest.with(parser()),
        (req, _res, next) => {
          before.push(req.body)
          next()
        },
        routes,
      ),
    { routes, changes } as never,
  )
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA })).json).toStrictEqual(ADA)
  expect(before).toStrictEqual([OLD_ADA])
})

test('another route of the table that begins later gets what was sent, converted for its own operation', async () => {
  const routes = routesOf(USERS)
  routes.route('/users/{id}').put((req, res) => void res.json(req.body))
  routes.route('/status').post((req, res) => void res.json(req.body))
  const server = await serveUsers(
    (app) =>
      both(app).use((req, _res, next) => {
        req.url = String(req.headers['x-url'])
        req.method = 'PUT'
        next()
      }, routes),
    { routes },
  )
  const asked = { method: 'POST', body: OLD_ADA, headers: { 'X-Url': '/users/7?a=1' } }
  expect((await ask(server, 'v1', '/users?name=x', asked)).json).toStrictEqual(OLD_ADA)
})

test('an inner versioning() with its own history converts anew what was sent', async () => {
  const inner = usersOptions()
  const server = await serveUsers((app) => both(app).use(versioning(inner), convertRequest).use('/users', users()))
  const { json, headers } = await ask(server, 'v1', '/users?name=Bob', { method: 'POST', body: OLD_ADA })
  expect([json, headers['x-saw']]).toStrictEqual([OLD_ADA, JSON.stringify([{ name: 'Bob' }, ADA])])
  const listed = await ask(server, 'v1', '/users?name=Bob')
  expect(JSON.parse(String(listed.headers['x-saw']))[0]).toStrictEqual({ given: 'Bob' })
})

test('now() is for requests of Express, and with() takes parsers', () => {
  expect(() => convertRequest.with()).toThrow('convertRequest.with() takes parsers, such as express.json(); got none.')
  expect(() => convertRequest.with(parser(), 7 as never)).toThrow('got 7.')
  expect(() => convertRequest.now({} as never)).not.toThrow()
})
