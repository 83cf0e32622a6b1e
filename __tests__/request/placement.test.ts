import express, { type Application, Router } from 'express'
import {
  AcceptHeaderVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// `versioning()` may stand in several places relative to its tables. These tests show its view of a request in each.

const tell = (req: express.Request, res: express.Response) => {
  let link: string
  try {
    link = req.reverse('list')
  } catch (error) {
    link = (error as Error).message
  }
  res.json({ version: req.version, view: req.resolverMatch?.viewName, link })
}

const NOT_A_VERSION = 'Invalid version in URL path. Does not match any version namespace.'

describe('shared settings that name the root, used inside its tables', () => {
  const build =
    (inside: boolean, outside: boolean, mount = '/api') =>
    (app: Application) => {
      const users = namedRoutes({ list: '/users' })
      const api = namedRoutes({ status: '/status' })
      const shared = { allowedVersions: ['v1'], defaultVersion: 'v1', routes: api, scheme: NamespaceVersioning }
      if (inside) users.use(versioning(shared))
      users.use(tell)
      api.include('/v1', users, { namespace: 'v1' })
      api.include('/v9', namedRoutes({}).include('/', users), { namespace: 'v9' })
      api.include('/plain', Router().use(versioning(shared), tell) as never)
      if (outside) app.use(mount, versioning(shared))
      app.use(mount, api)
    }

  test.each<[string, boolean, boolean, string]>([
    ['behind one on the mount', true, true, '/api'],
    ['without one on the mount, in the root', false, true, '/api'],
  ])('%s', async (_what, inside, outside, mount) => {
    const server = await serve(build(inside, outside, mount))
    expect((await server.get('/api/v1/users')).json).toEqual({ version: 'v1', view: 'v1:list', link: '/api/v1/users' })
    expect((await server.get('/api/v9/users')).json).toMatchObject({ error: NOT_A_VERSION })
    expect((await server.get('/api/plain/x')).json).toEqual({ version: 'v1', view: null, link: '/api/v1/users' })
  })

  test('a root that does not have the table that handles is mounted where versioning() runs', async () => {
    const other = namedRoutes({ list: '/other-list' })
    const api = namedRoutes({ x: '/x' })
    api.use('/deep', versioning({ scheme: QueryParameterVersioning, routes: other }), tell)
    const server = await serve((app) => app.use('/api', api))
    expect((await server.get('/api/deep/y?version=1')).json).toMatchObject({ link: '/api/deep/other-list?version=1' })
  })
})

test('an inner versioning() without routes keeps an outer root that has the table that handles', async () => {
  const a = namedRoutes({ list: '/a' })
  const root = namedRoutes({})
    .include('/x', a, { namespace: 'x' })
    .include('/y', namedRoutes({ list: '/b' }), { namespace: 'y' })
  a.use(
    versioning({ scheme: QueryParameterVersioning }),
    (req, res) => void res.json([req.reverse('x:list'), req.reverse('y:list')]),
  )
  const server = await serve((app) => {
    app.use(versioning({ scheme: AcceptHeaderVersioning, routes: root }))
    app.use('/x', a)
  })
  expect((await server.get('/x/z?version=1')).json).toEqual(['/x/a?version=1', '/y/b?version=1'])
})

test('but not an outer root that knows nothing of it', async () => {
  const table = namedRoutes({ list: '/mine' })
  table.use(versioning({ scheme: QueryParameterVersioning }), tell)
  const server = await serve((app) => {
    app.use(versioning({ scheme: AcceptHeaderVersioning, routes: namedRoutes({ list: '/root' }) }), table)
  })
  expect((await server.get('/z?version=1')).json).toEqual({ version: '1', link: '/mine?version=1' })
})

test('an inner versioning() whose root is the table that handles wins over an outer root', async () => {
  const table = namedRoutes({ list: '/mine' })
  table.use(versioning({ scheme: QueryParameterVersioning, routes: table }), tell)
  const server = await serve((app) => {
    app.use(versioning({ scheme: AcceptHeaderVersioning, routes: namedRoutes({ list: '/root' }) }), table)
  })
  expect((await server.get('/z?version=1')).json).toEqual({ version: '1', link: '/mine?version=1' })
})

describe('which table handles a request', () => {
  test('does not matter behind a versioning() that was given its root, in that very table', async () => {
    const first = namedRoutes({ list: '/first' })
    first.use(versioning({ scheme: QueryParameterVersioning, routes: first }))
    const second = namedRoutes({ list: '/second' }).use(tell)
    const server = await serve((app) => app.use('/api', first, second))
    expect((await server.get('/api/x?version=1')).json).toMatchObject({ version: '1', link: '/api/first?version=1' })
  })

  test('is the one that the request is in now, whatever versioning() ran in another one before', async () => {
    const first = namedRoutes({ list: '/first' }).use(versioning({ scheme: QueryParameterVersioning }))
    const second = namedRoutes({ list: '/second' }).use(tell)
    const server = await serve((app) => app.use('/api', first, second))
    expect((await server.get('/api/x?version=1')).json).toMatchObject({ version: '1', link: '/api/second?version=1' })
  })

  test('is the outermost, also where a plain router stands between', async () => {
    const inner = namedRoutes({ other: '/other' }).use(tell)
    const outer = namedRoutes({ list: '/list' }).include('/r', Router().use(inner) as never)
    const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning }), outer))
    expect((await server.get('/r/x?version=1')).json).toMatchObject({ version: '1', link: '/list?version=1' })
  })

  test('is another one once the request was dispatched to that', async () => {
    const server = await serve((app) => {
      const first = namedRoutes({ list: '/first' }).use((req, res, next) => {
        Object.assign(req, { url: '/b/x?version=1', baseUrl: '' })
        app(req, res, next)
      })
      app.use(versioning({ scheme: QueryParameterVersioning }))
      app.use('/a', first).use('/b', namedRoutes({ list: '/second' }).use(tell))
    })
    expect((await server.get('/a/x')).json).toEqual({ version: '1', link: '/b/second?version=1' })
  })
})

test('shared settings that name a root of the whole app, inside a table of it', async () => {
  const api = namedRoutes({ list: '/list' })
  const root = namedRoutes({}).include('/api', api)
  const shared = { scheme: QueryParameterVersioning, routes: root }
  api.use(versioning(shared), tell)
  const server = await serve((app) => app.use('/mount', versioning(shared)).use('/mount/api', api))
  expect((await server.get('/mount/api/x?version=1')).json).toEqual({
    version: '1',
    view: null,
    link: '/mount/api/list?version=1',
  })
})

test('req.url rewritten inside the table, before versioning(), is the path that counts', async () => {
  const child = () => namedRoutes({ list: '/u' }).use(tell)
  const api = namedRoutes({})
    .use((req, _res, next) => {
      req.url = req.url.replace('/old', '/v2')
      next()
    })
    .use(versioning({ scheme: NamespaceVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }))
    .include('/v1', child(), { namespace: 'v1' })
    .include('/v2', child(), { namespace: 'v2' })
  const server = await serve((app) => app.use('/api', api))
  expect((await server.get('/api/old/u?x')).json).toEqual({ version: 'v2', view: 'v2:list', link: '/api/v2/u' })
  expect((await server.get('/api/v1/u')).json).toEqual({ version: 'v1', view: 'v1:list', link: '/api/v1/u' })
})

test('a second Express, reached through a router, has the names as soon as this package meets it', async () => {
  const Other = require(express.request === require('express4').request ? 'express' : 'express4') as typeof express
  const table = namedRoutes({ list: '/list' }).use(tell)
  const sub = Other().use(versioning({ scheme: QueryParameterVersioning, routes: table }), table)
  const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning }), Router().use(sub)))
  expect((await server.get('/x?version=1')).json).toEqual({ version: '1', link: '/list?version=1' })
})

test('req.resolverMatch is null with no table in sight, and its params are a plain object', async () => {
  const table = namedRoutes({ list: '/list/:id' })
  const server = await serve((app) => {
    app.get('/none', versioning({ scheme: URLPathVersioning }), (req, res) => void res.json(req.resolverMatch === null))
    app.use((req, res, next) => (req.url === '/before' ? res.json(String(req.resolverMatch)) : next()))
  })
  expect((await server.get('/none')).json).toBe(true)
  expect((await server.get('/before')).json).toBe('undefined')
  expect(table.resolve('/list/7')).toStrictEqual({
    viewName: 'list',
    namespaces: [],
    namespace: '',
    params: { id: '7' },
  })
  expect(() => table.resolve(undefined as never)).toThrow(new TypeError('resolve() takes a path; got undefined.'))
})

test('a req without baseUrl, of another framework, counts as unmounted', () => {
  const req = { url: '/x?version=1', headers: {}, method: 'GET' } as express.Request
  const routes = namedRoutes({ list: '/list' })
  versioning({ scheme: QueryParameterVersioning, routes })(req, {} as express.Response, () => undefined)
  expect(req.reverse('list')).toBe('/list?version=1')
  versioning({ scheme: URLPathVersioning, routes })(req, {} as express.Response, () => undefined)
  expect([req.version, req.reverse('list')]).toEqual([null, '/list'])
})

describe('nested schemes', () => {
  test('Express’s negotiation is blind to the version of each', async () => {
    const server = await serve((app) => {
      app.use(versioning({ scheme: AcceptHeaderVersioning }))
      app.use(versioning({ scheme: AcceptHeaderVersioning, versionParam: 'v' }))
      app.use(versioning({ scheme: QueryParameterVersioning }))
      app.get('/', (_req, res) => void res.format({ json: () => res.json('ok') }))
    })
    expect((await server.get('/', { Accept: 'application/json;version=1;v=2' })).json).toBe('ok')
  })
})

describe('what req.reverse takes', () => {
  const attempts: [string, (req: express.Request) => string, string][] = [
    ['no name', (req) => req.reverse(undefined as never), 'reverse() takes a view name; got undefined.'],
    [
      'half a character as version',
      (req) => req.reverse('list', { version: '\ud800' }),
      '"version" takes a well-formed string or null; got a string.',
    ],
    [
      'an object as version',
      (req) => req.reverse('list', { version: {} as never }),
      '"version" takes a well-formed string or null; got an object.',
    ],
    [
      'a Map as query',
      (req) => req.reverse('list', { query: new Map([['a', '1']]) as never }),
      '"query" takes an object or URLSearchParams; got',
    ],
  ]
  test.each(attempts)('not %s', async (_what, make, message) => {
    const fresh = namedRoutes({ list: '/list' }).use((req, res) => {
      try {
        res.json(make(req))
      } catch (error) {
        res.json({ known: error instanceof NoReverseMatch, message: (error as Error).message })
      }
    })
    const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning, routes: fresh }), fresh))
    expect((await server.get('/?version=1')).json).toEqual({ known: true, message: expect.stringContaining(message) })
  })
})
