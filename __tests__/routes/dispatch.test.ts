import { tracingChannel } from 'node:diagnostics_channel'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { versionHistory } from 'express-versioning/changes'
import Router from 'router'
import { change } from '../../src/changes/change'
import type { RouteRegistry } from '../../src/types'
import { type Served, serve } from '../support/serve'

// Each case is built with `router` and with a table, and both must answer as written.

const tell: RequestHandler = (req, res) =>
  void res.send([req.baseUrl, req.url, req.route?.path, JSON.stringify(req.params)].join(' '))
const pass: RequestHandler = (_req, _res, next) => next()
const signal =
  (value: unknown, url?: string): RequestHandler =>
  (req, _res, next) => {
    req.url = url ?? req.url
    next(value as string)
  }
const fail = signal(new Error('failed'))
const caught: ErrorRequestHandler = (error, req, res, _next) => void res.send(`caught ${error.message} at ${req.url}`)

interface Made {
  use(...args: unknown[]): unknown
  param(name: string, handler: (...args: never[]) => unknown): unknown
  /** Returns the route of a path. */
  at(path: string): Record<'get' | 'post' | 'all', (...handlers: RequestHandler[]) => unknown>
  include(prefix: string, child: unknown): unknown
}

let names = 0
const made: Record<'router' | 'table', () => Made> = {
  router() {
    const router = new Router({ mergeParams: true })
    const include = (prefix: string, child: never) => router.use(prefix, child)
    return Object.assign(router as object, { at: (path: string) => router.route(path), include }) as never
  },
  table() {
    const table = namedRoutes({} as Record<string, string>)
    const at = (path: string) => table.add(`r${++names}`, path).route(`r${names}`)
    return Object.assign(table as object, { at }) as never
  },
}

async function outcomes(server: Served, requests: readonly string[]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const { status, text, json, headers } = await server.send(method, path)
    const told = (json as { error?: string })?.error ?? (text.startsWith('<') ? '' : text)
    seen[request] = `${status} ${told}${headers.allow === undefined ? '' : ` Allow: ${headers.allow}`}`.trim()
  }
  return seen
}

const log: string[] = []
const noting =
  (name: string): RequestHandler =>
  (_req, _res, next) => {
    log.push(name)
    next()
  }
/** Notes each call of a callback of `param()`, then does what it is told. */
const asked =
  (then: (req: express.Request, next: (error?: unknown) => void, value: string) => unknown = (_req, next) => next()) =>
  (req: express.Request, _res: unknown, next: () => void, value: string, name: string) => {
    log.push(`${name}=${value}`)
    return then(req, next, value)
  }
const twoOfThree =
  (then?: Parameters<typeof asked>[0], first: RequestHandler = pass) =>
  (make: () => Made) => {
    const table = make()
    table.param('id', asked(then) as never)
    table.at('/:id/:other').get(first)
    table.at('/:id/x').get(first)
    table.at('/:other/x').get(tell)
    return table
  }

/** The answers to requests, and the notes of all of them. */
type Case = [what: string, build: (make: () => Made) => unknown, answers: Record<string, string>, notes?: string[]]

const cases: Case[] = [
  [
    'routes and mounts',
    (make) => {
      const users = make()
      users.at('/users').get(tell)
      users.at('/users/:id{.:format}').get(tell)
      users.at('/files/*path').all(tell)
      const plain = express.Router({ mergeParams: true }).get('/x', tell)
      const api = make()
      api.include('/:tenant/v1', users)
      api.include('/plain/:p', plain)
      api.at('/').get(tell)
      api.at('/caf%C3%A9').get(tell)
      api.at('/any/:x').get(tell)
      api.at('/silent')
      return api
    },
    {
      'GET /api': '200 /api / / {}',
      'GET /api/?a': '200 /api /?a / {}',
      'GET /api/caf%C3%A9': '200 /api /caf%C3%A9 /caf%C3%A9 {}',
      'GET /api/acme/v1/users?q=1': '200 /api/acme/v1 /users?q=1 /users {"tenant":"acme"}',
      'GET /API/acme/V1/USERS/': '200 /API/acme/V1 /USERS/ /users {"tenant":"acme"}',
      'GET /api/a%20b/v1/users/7.json':
        '200 /api/a%20b/v1 /users/7.json /users/:id{.:format} {"tenant":"a b","id":"7","format":"json"}',
      'PURGE /api/acme/v1/files/a/b%2Fc':
        '200 /api/acme/v1 /files/a/b%2Fc /files/*path {"tenant":"acme","path":["a","b/c"]}',
      'GET /api/plain/1/x': '200 /api/plain/1 /x /x {"p":"1"}',
      'HEAD /api/acme/v1/users': '200',
      'OPTIONS /api/acme/v1/users': '200 GET, HEAD Allow: GET, HEAD',
      'DELETE /api/acme/v1/users': '404',
      'GET /api/silent': '404',
      'GET /api/acme/v1/nope': '404',
      'GET /api/any/%zz': "400 Failed to decode param '%zz'",
      'GET /api/%zz/v1/users': "400 Failed to decode param '%zz'",
    },
  ],
  [
    'middleware, routes and mounts in the order of their declaration',
    (make) => {
      const [child, table] = [make(), make()]
      child.use(noting('child'))
      child.at('/leaf').get(noting('leaf'))
      table.use(noting('first'))
      table.use('/a', noting('a'), [noting('a2')])
      table.use('/b', noting('b'))
      table.use('/', noting('root'))
      table.use('leaf', noting('unrooted'))
      table.use(['/a', '/c'], noting('list'))
      table.use(/^\/a/, noting('regexp'))
      table.param('x', asked() as never)
      table.at('/:x/leaf').get(noting('early'))
      table.include('/a', child)
      table.use('/:any/*rest', noting('wild'))
      table.at('/a/leaf').get(noting('late'), fail)
      table.use('/b', caught)
      table.use('/a', caught)
      return table
    },
    { 'GET /api/a/leaf': '200 caught failed at /leaf' },
    ['first', 'a', 'a2', 'root', 'list', 'regexp', 'x=a', 'early', 'child', 'leaf', 'wild', 'late'],
  ],
  [
    'OPTIONS, and HEAD, for which a route is entered whatever it has',
    (make) => {
      const table = make()
      table.at('/x').get(tell)
      table.at('/x').post(tell)
      table.at('/y')
      table.at('/z').post(tell)
      table.param('id', asked() as never)
      table.at('/h/:id').post(tell)
      return table
    },
    {
      'OPTIONS /api/x': '200 GET, HEAD, POST Allow: GET, HEAD, POST',
      'OPTIONS /api/y': '404',
      'OPTIONS /api/z': '200 POST Allow: POST',
      'HEAD /api/h/a': '404',
      'GET /api/h/b': '404',
    },
    ['id=a'],
  ],
  [
    'middleware that moves the request: only what comes after it is found',
    (make) => {
      const table = make()
      table.at('/new').get(signal('router'))
      table.use(((req, _res, next) => {
        req.url = req.url.replace('/old', '/new')
        next()
      }) as RequestHandler)
      table.at('/old').get(tell)
      table.at('/new').get(tell)
      table.at('/end').get(signal(undefined, '/nowhere'))
      return table
    },
    { 'GET /api/old': '200 /api /new /new {}', 'GET /api/new': '404', 'GET /api/end': '404' },
  ],
  [
    'a mounted table that moves the request, or leaves',
    (make) => {
      const child = make()
      child.at('/leave').get(signal('router', '/y?b'))
      child.at('/skip').get(signal('router'))
      child.at('/on').get(signal(undefined, '/items/7'))
      child.at('/route').get(signal('route', '/items/8'))
      child.at('/error').get(signal(new Error('late'), '/caught'))
      child
        .at('/late')
        .get((req, _res, next) => void setImmediate(() => signal(undefined, '/items/9')(req, _res, next)))
      child.at('/items/:id').get(tell)
      child.use('/caught', caught)
      child.use('/skip', tell)
      child.at('/fail').get(fail)
      const table = make()
      table.use(pass)
      table.include('/c/:p', child)
      table.use('/c', tell)
      return table
    },
    {
      'GET /api/c/1/leave?a': '200 /api/c /1/y?b /leave {}',
      'GET /api/c/1/skip': '200 /api/c /1/skip /skip {}',
      'GET /api/c/1/on': '200 /api/c/1 /items/7 /items/:id {"p":"1","id":"7"}',
      'GET /api/c/1/route': '200 /api/c/1 /items/8 /items/:id {"p":"1","id":"8"}',
      'GET /api/c/1/late': '200 /api/c/1 /items/9 /items/:id {"p":"1","id":"9"}',
      'GET /api/c/1/error': '200 caught late at /',
      'GET /api/c/1/fail': '500 failed',
    },
  ],
  ['param(): once for a value', twoOfThree(), { 'GET /api/7/x': '200 /api /7/x /:other/x {"other":"7"}' }, ['id=7']],
  [
    'param(): a callback that declines',
    twoOfThree((_req, next) => next('route'), tell),
    { 'GET /api/7/x': '200 /api /7/x /:other/x {"other":"7"}' },
    ['id=7'],
  ],
  [
    'param(): one that throws',
    twoOfThree(() => thrown(new Error('failed'))),
    { 'GET /api/7/x': '500 failed' },
    ['id=7'],
  ],
  [
    'param(): one that rejects',
    twoOfThree(() => Promise.reject(new Error('rejected'))),
    { 'GET /api/7/x': '500 rejected' },
    ['id=7'],
  ],
  [
    'param(): one that rejects with nothing',
    twoOfThree(() => Promise.reject(undefined)),
    { 'GET /api/7/x': '500 Rejected promise' },
    ['id=7'],
  ],
  [
    'param(): one that replaces its value does so for all routes',
    twoOfThree(
      (req, next, value) => {
        req.params.id = `${value}!`
        next()
      },
      (req, _res, next) => noting(String(req.params.id))(req, _res, next),
    ),
    { 'GET /api/7/x': '200 /api /7/x /:other/x {"other":"7"}' },
    ['id=7', '7!', '7!'],
  ],
  [
    'param(): one that moves the request below a mount, and one that replaces all parameters',
    (make) => {
      const [child, table] = [make(), make()]
      child.at('/a').get(tell)
      child.at('/b').get(tell)
      table.param(
        'p',
        asked((req, next) => {
          req.url = req.url.replace('/a', '/b')
          req.params = { q: 'new' }
          next()
        }) as never,
      )
      table.include('/:p', child)
      return table
    },
    { 'GET /api/x/a': '200 /api/x /b /b {"q":"new"}' },
    ['p=x'],
  ],
]

function thrown(error: unknown): never {
  throw error
}

test.each(cases)('%s', async (_what, build, answers, notes = []) => {
  for (const make of [made.router, made.table]) {
    const table = build(make) as RequestHandler
    const routes = table as never as RouteRegistry
    // Behind a scheme that reads the route, dispatch follows the walk that decided.
    const walked = { scheme: URLPathVersioning, versionParam: 'nobody', routes }
    const fronts: RequestHandler[] = [pass]
    if (make === made.table) fronts.push(versioning(walked), versioning({ scheme: HeaderVersioning, routes }))
    for (const front of fronts) {
      log.length = 0
      const server = await serve((app) => app.use('/api', front, table))
      expect(await outcomes(server, Object.keys(answers))).toEqual(answers)
      expect(log).toEqual(notes)
    }
  }
})

test('what is declared after requests is found', async () => {
  const child = namedRoutes({ x: '/x' })
  const table = namedRoutes({ a: '/a' }).include('/c', child, { namespace: 'c' })
  const server = await serve((app) => app.use(table))
  const asked = ['GET /a', 'GET /c/x', 'GET /late', 'GET /l/x']
  expect(Object.values(await outcomes(server, asked))).toEqual(['404', '404', '404', '404'])
  table.route('a').get(tell)
  child.route('x').get(tell)
  table.add('late', '/late').route('late').get(tell)
  table.include('/l', child, { namespace: 'l' })
  const found = [' /a /a {}', '/c /x /x {}', ' /late /late {}', '/l /x /x {}']
  expect(Object.values(await outcomes(server, asked))).toEqual(found.map((text) => `200 ${text}`))
})

test('what a handler of a mounted table declares is found by the same request', async () => {
  const child = namedRoutes({} as Record<string, string>).use((_req, _res, next) => {
    child.add('late', '/late').route('late').get(tell)
    next()
  })
  const server = await serve((app) => app.use(namedRoutes({}).include('/c/:p', child)))
  expect(await outcomes(server, ['GET /c/1/late'])).toEqual({ 'GET /c/1/late': '200 /c/1 /late /late {"p":"1"}' })
})

test('an absolute target keeps its protocol and host', async () => {
  const child = namedRoutes({ x: '/x' })
  child.route('x').get(tell)
  const { raw } = await serve((app) => app.use('/api', namedRoutes({}).include('/c/:p', child)))
  expect(await raw('GET http://h/api/c/1/x?a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')).toContain(
    '/api/c/1 http://h/x?a /x {"p":"1"}',
  )
})

test('a request without Express, and without a method, finds what router finds', async () => {
  const seen: unknown[] = []
  const note = (req: { params: object }, _res: unknown, next: () => void) => {
    seen.push({ ...req.params })
    next()
  }
  for (const make of [made.router, made.table]) {
    const table = make()
    table.at('/a/:id').get(note as never)
    table.at('/:any/7').all(note as never)
    ;(table as never as (...args: unknown[]) => void)({ url: '/a/7' }, {}, (error: unknown) =>
      seen.push(error ?? 'done'),
    )
    await new Promise(setImmediate)
  }
  expect(seen).toEqual([{ any: 'a' }, 'done', { any: 'a' }, 'done'])
  expect(() => (namedRoutes({}) as (...args: unknown[]) => void)({}, {})).toThrow(
    new TypeError('A route table takes (req, res, next); next is missing.'),
  )
})

test('a handler that calls next() twice, in front of one that throws', async () => {
  const twice: RequestHandler = (_req, _res, next) => {
    next()
    next()
  }
  for (const make of [made.router, made.table]) {
    const table = make()
    table.use(twice)
    table.at('/x').get(() => thrown(new Error('thrown')))
    const server = await serve((app) => app.use(table as never))
    expect(await outcomes(server, ['GET /x'])).toEqual({ 'GET /x': '500 thrown' })
  }
})

test('only one of many malformed escapes in a wildcard is tried in each reading', async () => {
  const files = namedRoutes({ file: '/*path' })
  files.route('file').get(tell)
  const routes = namedRoutes({}).include('/:version', files)
  const { get } = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes }), routes))
  const decode = jest.spyOn(globalThis, 'decodeURIComponent')
  const { status } = await get(`/v1${'/%zz'.repeat(3000)}`)
  const calls = decode.mock.calls.length
  decode.mockRestore()
  expect([status, calls < 10]).toEqual([400, true])
  expect(routes.resolve('/v1/a%20b/%zz')?.params).toEqual({ version: 'v1', path: ['a%20b', '%zz'] })
})

describe('the loop takes any number of steps', () => {
  test('tables of another version, which an asynchronous scheme judges', async () => {
    class Slow extends URLPathVersioning {
      override readVersion(...args: Parameters<URLPathVersioning['readVersion']>) {
        return Promise.resolve(super.readVersion(...args)) as never
      }
    }
    const routes = namedRoutes({})
    for (let count = 0; count < 250; count++) routes.include('/:version', namedRoutes({}), { namespace: `n${count}` })
    const decide = versioning({ scheme: Slow, allowedVersions: ['v1', 'v2'], routes })
    const { get } = await serve((app) => app.use(decide, signal(undefined, '/v2/x'), routes, tell))
    expect((await get('/v1/x')).text).toBe(' /v2/x  {}')
  })

  test('20,000 middlewares and routes', async () => {
    const table = namedRoutes({} as Record<string, string>)
    for (let count = 0; count < 20_000; count++) table.use(pass).add(`r${count}`, '/:id').route(`r${count}`).get(pass)
    const { get } = await serve((app) => app.use(table, tell))
    expect((await get('/7')).text).toBe(' /7 /:id {}')
  }, 60_000)
})

test.each([['/api/v1/users/7'], ['/api/v1/none'], ['/api/b']])(
  'tracers of %s are told the same by both',
  async (path) => {
    const show: RequestHandler = (_req, res) => void res.end()
    const told: unknown[][] = []
    for (const make of [made.router, made.table]) {
      const [child, table] = [make(), make()]
      child.use(pass)
      child.at('/users/:id').get(pass, show)
      table.use(pass)
      table.use(['/a', '/b'], pass)
      table.include('/:v', child)
      const { get } = await serve((app) => app.use('/api', pass, table as never, pass))
      const seen: unknown[] = []
      const start = ({ handler, route }: { handler: { name: string }; route: unknown }) =>
        void seen.push([/^(router|routeTable|handle)$/.test(handler.name) ? 'a router' : handler.name, route])
      const channel = tracingChannel('express.router.request')
      channel.subscribe({ start } as never)
      await get(path)
      channel.unsubscribe({ start } as never)
      told.push(seen)
    }
    expect(told[0]?.length).toBeGreaterThan(2)
    expect(told[1]).toEqual(told[0])
  },
)

test('operations that only later versions have are skipped, or refused if nothing else serves them', async () => {
  const users = namedRoutes({ me: '/users/me', user: '/users/:id', late: '/late' })
  users.route('me').get((_req, res) => void res.send('me'))
  users.route('user').get(tell).post(tell)
  users.route('late').get(tell).post(tell)
  const operations = { 'GET me': 'added', 'GET late': 'added', 'POST user': 'removed' } as const
  const changes = versionHistory('v1').version('v2', change('Me.', operations))
  const routes = namedRoutes({}).include('/:version', users)
  const server = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, changes, routes }), routes))
  const answers = {
    'GET /v1/users/me': '200 /v1 /users/me /users/:id {"version":"v1","id":"me"}',
    'GET /v2/users/me': '200 me',
    'GET /v1/late': '404 No handler for this version.',
    'GET /v2/late': '200 /v2 /late /late {"version":"v2"}',
    'POST /v1/users/7': '200 /v1 /users/7 /users/:id {"version":"v1","id":"7"}',
    'POST /v2/users/7': '404 No handler for this version.',
    'OPTIONS /v1/late': '200 POST Allow: POST',
    'OPTIONS /v2/users/7': '200 GET, HEAD Allow: GET, HEAD',
  }
  expect(await outcomes(server, Object.keys(answers))).toEqual(answers)
})
