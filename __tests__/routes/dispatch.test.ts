import type { Application, RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { include, routed, type Table } from '../support/tables'

// `equivalence` compares the loop with that of `router`.

const tell: RequestHandler = (req, res) =>
  void res.send([req.baseUrl, req.url, req.route?.path, JSON.stringify(req.params)].join(' '))
const pass: RequestHandler = (_req, _res, next) => next()
const moved: RequestHandler = (req, _res, next) => next(void Object.assign(req, { url: '/v2/x' }))

/** Expects rows of requests and their answers. */
async function check(fill: (app: Application) => unknown, asked: string[][]): Promise<void> {
  const { send } = await serve((app) => void fill(app))
  const seen: string[][] = []
  for (const [request = ''] of asked) {
    const [method = '', path = ''] = request.split(' ')
    const { status, text, json, headers } = await send(method, path)
    seen.push([request, [status, Object(json).error ?? text, headers.allow].join(' ').trim()])
  }
  expect(seen).toEqual(asked)
}

test('a table is mounted, and answers, as a router of Express', async () => {
  const optional = include('/q{-:part}', routed({ q: '/q' }, tell))
  const table = include('/:tenant/v1', routed({ users: '/users', files: '/files/*path' }, tell), undefined, optional)
  const asked = rows(`
    GET /api/a%20b/V1/USERS/?a | 200 /api/a%20b/V1 /USERS/?a /users {"tenant":"a b"}
    PURGE /API/acme/v1/files/a/b%2Fc | 200 /API/acme/v1 /files/a/b%2Fc /files/*path {"tenant":"acme","path":["a","b/c"]}
    GET /api/q-1/q | 200 /api/q-1 /q /q {"part":"1"}
    GET /api/%zz/v1/users | 400 Failed to decode param '%zz'
  `)
  await check((app) => app.use('/api', table), asked)
})

test('next() twice, in front of a handler that throws', async () => {
  const table = namedRoutes({} as Record<string, string>).use((_req, _res, next) => next(void next()))
  const thrown = () => {
    throw new Error('thrown')
  }
  await check((app) => app.use(table.use(thrown)), [['GET /x', '500 thrown']])
})

test('what a handler of a mounted table declares is found by the same request', async () => {
  const child: Table = namedRoutes({})
  child.use((_req, _res, next) => next(void child.add('late', '/late').route('late').get(tell)))
  await check((app) => app.use(include('/c/:p', child)), [['GET /c/1/late', '200 /c/1 /late /late {"p":"1"}']])
})

test('a request without Express and without a method finds what router finds', async () => {
  const reached = jest.fn(pass)
  const table = routed({ item: '/:id' }, reached) as never as (...args: unknown[]) => void
  const error = await new Promise((done) => table({ url: '/7' }, {}, done))
  expect([error, reached.mock.calls.length]).toEqual([undefined, 1])
  expect(() => table({}, {})).toThrow(new TypeError('A route table takes (req, res, next); next is missing.'))
  // A table that ran no handler goes on at once.
  const next = jest.fn()
  table({ url: '/' }, {}, next)
  expect(next.mock.calls).toEqual([[undefined]])
})

test('only one of many malformed escapes in a wildcard is tried in each reading', async () => {
  const routes = include('/:version', routed({ file: '/*path' }, tell))
  const { get } = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes }), routes))
  const decode = jest.spyOn(globalThis, 'decodeURIComponent')
  const { status } = await get(`/v1${'/%zz'.repeat(3000)}`)
  const calls = decode.mock.calls.length
  decode.mockRestore()
  expect([status, calls < 10]).toEqual([400, true])
  expect(routes.resolve('/v1/a%20b/%zz')?.params).toEqual({ version: 'v1', path: ['a%20b', '%zz'] })
})

test('the loop takes any number of tables of another version, which an asynchronous scheme judges', async () => {
  class Slow extends URLPathVersioning {
    override readVersion(...args: Parameters<URLPathVersioning['readVersion']>) {
      return Promise.resolve(super.readVersion(...args)) as never
    }
  }
  const routes = namedRoutes({})
  for (let count = 0; count < 250; count++) routes.include('/:version', namedRoutes({}), { namespace: `n${count}` })
  const decide = versioning({ scheme: Slow, allowedVersions: ['v1', 'v2'], routes })
  await check((app) => app.use(decide, moved, routes, tell), [['GET /v1/x', '200  /v2/x  {}']])
})

// Each handler calls `next` at once, and a table ends in the middle of such calls.
test.each([
  [1, 20_000],
  [90, 45],
])(
  'the loop takes %i tables of %i middlewares and routes',
  async (tables, entries) => {
    const fill = (app: Application) => {
      for (let count = 0; count < tables; count++) {
        const table = namedRoutes({} as Record<string, string>)
        for (let nth = 0; nth < entries; nth++) table.use(pass).add(`r${nth}`, '/:id').route(`r${nth}`).get(pass)
        app.use(table)
      }
      app.use(tell)
    }
    await check(fill, [['GET /7', '200  /7 /:id {}']])
  },
  60_000,
)

test('a route that only a later version has is passed by below a prefix', async () => {
  const changes = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added', 'GET late': 'added' }))
  const routes = include('/:version', routed({ me: '/users/me', user: '/users/:id', late: '/late' }, tell))
  const asked = rows(`
    GET /v1/users/me | 200 /v1 /users/me /users/:id {"version":"v1","id":"me"}
    GET /v2/users/me | 200 /v2 /users/me /users/me {"version":"v2"}
    GET /v1/late | 404 No handler for this version.
  `)
  await check((app) => app.use(versioning({ scheme: URLPathVersioning, changes, routes }), routes), asked)
})
