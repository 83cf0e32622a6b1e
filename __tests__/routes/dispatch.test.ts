import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { versioning } from '../../src/middleware/versioning'
import { namedRoutes } from '../../src/routes/named-routes'
import { QueryParameterVersioning } from '../../src/schemes/query-parameter'
import type { RouteRegistry } from '../../src/types'
import { serve } from '../support/serve'

/** Answers with its view of the request. */
const seen: RequestHandler = (req, res) => {
  res.json({
    params: req.params,
    baseUrl: req.baseUrl,
    url: req.url,
    route: (req.route as { path: string } | undefined)?.path,
  })
}
const next: RequestHandler = (_req, _res, next) => next()

describe('a table in an app', () => {
  const users = namedRoutes({
    list: '/users',
    detail: '/users/:id{.:format}',
    files: '/files/*path',
    broken: '/broken',
  })
  users.route('list').get(seen).post([next, seen])
  users.route('detail').get(seen)
  users.route('files').all(seen)
  users.route('broken').get(async () => {
    throw new Error('broken')
  })
  const plain = express.Router({ mergeParams: true })
  plain.get('/x', seen)
  const api = namedRoutes({ home: '/', cafe: '/café', any: '/any/:x', silent: '/silent' })
    .include('/:tenant/v1', users, { namespace: 'v1' })
    .include('/plain/:p', plain)
  api.route('home').get(seen)
  api.route('cafe').get(seen)
  api.route('any').get(seen)
  const app = () => serve((app) => void app.use('/api', api))

  const cases: [request: string, answer: object][] = [
    ['GET /api', { json: { params: {}, baseUrl: '/api', url: '/', route: '/' } }],
    ['GET /api/', { json: { params: {}, baseUrl: '/api', url: '/', route: '/' } }],
    ['GET /api/caf%C3%A9', { json: { params: {}, baseUrl: '/api', url: '/caf%C3%A9', route: '/caf%C3%A9' } }],
    [
      'GET /api/acme/v1/users?q=1',
      { json: { params: { tenant: 'acme' }, baseUrl: '/api/acme/v1', url: '/users?q=1', route: '/users' } },
    ],
    ['POST /api/acme/v1/users', { status: 200 }],
    ['GET /API/acme/V1/USERS/', { status: 200 }],
    [
      'GET /api/a%20b/v1/users/7.json',
      { json: expect.objectContaining({ params: { tenant: 'a b', id: '7', format: 'json' } }) },
    ],
    [
      'PURGE /api/acme/v1/files/a/b%2Fc',
      { json: expect.objectContaining({ params: { tenant: 'acme', path: ['a', 'b/c'] } }) },
    ],
    ['GET /api/plain/1/x', { json: expect.objectContaining({ params: { p: '1' }, baseUrl: '/api/plain/1' }) }],
    ['HEAD /api/acme/v1/users', { status: 200, text: '' }],
    ['OPTIONS /api/acme/v1/users', { status: 200, headers: expect.objectContaining({ allow: 'GET, HEAD, POST' }) }],
    ['DELETE /api/acme/v1/users', { status: 404 }],
    ['GET /api/silent', { status: 404 }],
    ['GET /api/acme/v1/nope', { status: 404 }],
    ['GET /api/any/%zz', { status: 400 }],
    ['GET /api/%zz/v1/users', { status: 400 }],
    ['GET /api/acme/v1/broken', { status: 500, json: expect.objectContaining({ error: 'broken' }) }],
  ]
  test.each(cases)('%s', async (request, answer) => {
    const [method, path] = request.split(' ') as [string, string]
    expect(await (await app()).send(method, path)).toMatchObject(answer)
  })

  test('runs middleware, routes and includes in the order of their declaration', async () => {
    const order: string[] = []
    const step =
      (name: string): RequestHandler =>
      (_req, _res, next) => {
        order.push(name)
        next()
      }
    const child = namedRoutes({ leaf: '/leaf' })
    child.use(step('child'))
    child.route('leaf').get(step('leaf'))
    const table = namedRoutes({ late: '/a/leaf', early: '/:x/leaf' })
    table
      .use(step('first'))
      .use('/a', step('a'), [step('a2')])
      .use('/b', step('b'))
      .use('/', step('root'))
      .use('leaf', step('unrooted'))
      .use(['/a', '/c'], step('list'))
      .use(/^\/a/, step('regexp'))
    table.param('x', (_req, _res, next, value) => {
      order.push(`x=${value}`)
      next()
    })
    table.route('early').get(step('early'))
    table.include('/a', child, { namespace: 'c' })
    table.use('/:any/*rest', step('wild'))
    table.route('late').get(step('late'), (_req, _res, next) => next(new Error('last')))
    const handle: ErrorRequestHandler = (error, _req, res, _next) => void res.json({ order, error: error.message })
    table.use('/b', handle).use('/a', handle)
    const { get } = await serve((app) => void app.use(table))
    expect((await get('/a/leaf')).json).toEqual({
      order: ['first', 'a', 'a2', 'root', 'list', 'regexp', 'x=a', 'early', 'child', 'leaf', 'wild', 'late'],
      error: 'last',
    })
  })

  test('finds what middleware moves the request to, and only what comes after it', async () => {
    const table = namedRoutes({ before: '/new', moved: '/old', after: '/new' as string })
    table.route('before').get((_req, res) => void res.json('before'))
    table.use((req, _res, next) => {
      if (req.url === '/old') req.url = '/new'
      next()
    })
    table.route('moved').get((_req, res) => void res.json('moved'))
    table.route('after').get((_req, res) => void res.json('after'))
    const { get } = await serve((app) => void app.use(table))
    expect([(await get('/old')).json, (await get('/new')).json]).toEqual(['after', 'before'])
    const end = namedRoutes({ x: '/x' })
    end.route('x').get((req, _res, next) => {
      req.url = '/nowhere'
      next()
    })
    expect((await (await serve((app) => void app.use(end))).get('/x')).status).toBe(404)
  })

  test('finds what is declared after requests', async () => {
    const child = namedRoutes({ x: '/x' })
    const table = namedRoutes({ a: '/a' }).include('/c', child, { namespace: 'c' })
    const { get } = await serve((app) => void app.use(table))
    const status = async (path: string) => (await get(path)).status
    expect([await status('/a'), await status('/c/x'), await status('/late')]).toEqual([404, 404, 404])
    table.route('a').get(seen)
    child.route('x').get(seen)
    table.add('late', '/late').route('late').get(seen)
    table.include('/l', child, { namespace: 'l' })
    expect([await status('/a'), await status('/c/x'), await status('/late'), await status('/l/x')]).toEqual([
      200, 200, 200, 200,
    ])
  })

  test('needs no Express', async () => {
    const { port, close } = await new Promise<{ port: number; close: () => void }>((ready) => {
      const table = namedRoutes({ x: '/x' })
      table.route('x').get((req, res) => void res.end(req.baseUrl + req.url))
      const server = createServer((req, res) => {
        table(req as express.Request, res as express.Response, () => void res.end('nothing'))
      }).listen(0, () => ready({ port: (server.address() as AddressInfo).port, close: () => server.close() }))
    })
    const text = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text()
    expect([await text('/x'), await text('/y')]).toEqual(['/x', 'nothing'])
    close()
  })

  test('needs next', () => {
    expect(() => (users as (...args: unknown[]) => void)({}, {})).toThrow('next is missing')
  })
})

describe('a table at another place than the root says', () => {
  const child = namedRoutes({ x: '/x' })
  child.route('x').get(seen)
  const root = namedRoutes({ home: '/' })
    .include('/v1', child, { namespace: 'v1' })
    .include('/:old/v0', child, { namespace: 'v0' })
  root.route('home').get(seen)
  const stranger = namedRoutes({ x: '/x' })
  stranger.route('x').get(seen)

  const versioned = (routes: RouteRegistry | undefined): RequestHandler =>
    versioning({ scheme: QueryParameterVersioning, routes })

  const fine: [what: string, mount: (app: express.Application) => void, path: string][] = [
    ['the root beside versioning()', (app) => app.use(versioned(root), root), '/'],
    ['the root at the mount of versioning()', (app) => app.use('/api', versioned(root), root), '/api/'],
    ['a child of the root', (app) => app.use('/api', versioned(root), root), '/api/v1/x'],
    ['a child where the root says', (app) => app.use('/api', versioned(root)).use('/api/v1', child), '/api/v1/x'],
    ['a child at the other place', (app) => app.use(versioned(root)).use('/2019/v0', child), '/2019/v0/x'],
    ['a table that the root does not know', (app) => app.use(versioned(root)).use('/other', stranger), '/other/x'],
    ['any table without a root', (app) => app.use(versioned(undefined)).use('/other', child), '/other/x'],
  ]
  test.each(fine)('%s is fine', async (_what, mount, path) => {
    expect((await (await serve(mount)).get(path)).status).toBe(200)
  })

  const misplaced: [what: string, mount: (app: express.Application) => void, path: string, message: string][] = [
    [
      'the root below the mount',
      (app) => app.use(versioned(root)).use('/api', root),
      '/api',
      'entered at "/api", but the root table given to versioning({ routes }) says that it stands at "/".',
    ],
    [
      'the root beside the mount',
      (app) => app.use('/a', versioned(root), next).use(root),
      '/a',
      'entered at "/", but the root table given to versioning({ routes }) says that it stands at "/a".',
    ],
    [
      'a child elsewhere',
      (app) => app.use('/api', versioned(root)).use('/api/v2', child),
      '/api/v2/x',
      'entered at "/api/v2", but the root table given to versioning({ routes }) says that it stands at "/api/v1" or "/api/:old/v0".',
    ],
    ['a child above', (app) => app.use('/api', versioned(root)).use(child), '/api/x', 'entered at "/", but'],
  ]
  test.each(misplaced)(
    '%s is an error that names both places and both remedies',
    async (_what, mount, path, message) => {
      const { status, json } = await (await serve(mount)).get(path)
      expect({ status, json }).toMatchObject({
        status: 500,
        json: { name: 'TypeError', error: expect.stringContaining(message) },
      })
      expect(json).toMatchObject({
        error: expect.stringMatching(
          /app\.use\('\/api', versioning\(.*or describe it: routes: namedRoutes\(\{\}\)\.include\('\/api', api\)/,
        ),
      })
    },
  )
})
