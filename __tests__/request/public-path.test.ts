import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

const VERSIONS = { allowedVersions: ['v1', 'v2'] }

/** Answers with the links that the query asks for: `?name=user&absolute=true`. */
const link: RequestHandler = (req, res) => {
  const { name = 'user', kwargs, absolute, version, origin } = JSON.parse(String(req.query.ask ?? '{}'))
  const options: LinkOptions = { kwargs, absolute, version, origin }
  res.json([req.reverse(name, options), reverse(name, { request: req, ...options })])
}

const ask = (options: object) => `ask=${encodeURIComponent(JSON.stringify(options))}`

function tables() {
  const users = namedRoutes({ user: '/users' })
  users.route('user').get(link)
  return users
}

describe('what is no path', () => {
  test.each([
    '',
    '/',
    'shop',
    'shop/',
    '/shop/',
    '//shop',
    '/shop//eu',
    '/.',
    '/shop/..',
    '/../shop',
    '/%2e',
    '/shop?x',
  ])('%p', (publicPath) => {
    const options = { scheme: HeaderVersioning, publicPath } as VersioningOptions
    expect(() => versioning(options)).toThrow(TypeError)
    expect(() => versioning(options)).toThrow(/option "publicPath" takes a path such as '\/shop', .*; got /)
  })
})

describe('in every scheme', () => {
  const byPath = namedRoutes({ home: '/' }).include('/:version', tables())
  const byName = namedRoutes({ home: '/' })
    .include('/v1', tables(), { namespace: 'v1' })
    .include('/v2', tables(), { namespace: 'v2' })
  const query = { scheme: QueryParameterVersioning, ...VERSIONS }

  test.each<[string, VersioningOptions, string, object, string]>([
    ['path', { scheme: URLPathVersioning, ...VERSIONS, routes: byPath }, '/v1/users', {}, '/shop/api/v1/users'],
    [
      'path, falling back',
      { scheme: URLPathVersioning, ...VERSIONS, routes: byPath },
      '/v1/users',
      { name: 'home' },
      '/shop/api/',
    ],
    ['namespace', { scheme: NamespaceVersioning, ...VERSIONS, routes: byName }, '/v2/users', {}, '/shop/api/v2/users'],
    ['query', { ...query, routes: tables() }, '/users?version=v1', {}, '/shop/api/users?version=v1'],
    ['Accept', { scheme: AcceptHeaderVersioning, routes: tables() }, '/users', {}, '/shop/api/users'],
  ])('%s', async (_title, options, path, asked, expected) => {
    const server = await serve((app) =>
      app.use('/api', versioning({ ...options, publicPath: '/shop' }), options.routes as unknown as RequestHandler),
    )
    const url = `/api${path}${path.includes('?') ? '&' : '?'}${ask(asked)}`
    expect((await server.get(url, { Host: 'v1.example.com' })).json).toEqual([expected, expected])
  })

  test('the host of the request', async () => {
    const api = tables()
    const server = await serve((app) =>
      app.use(versioning({ scheme: HostNameVersioning, publicPath: '/shop', routes: api }), api),
    )
    const answer = await server.get(`/users?${ask({ absolute: true })}`, { Host: 'v1.example.com' })
    expect(answer.json).toEqual(['http://v1.example.com/shop/users', 'http://v1.example.com/shop/users'])
  })

  test('the link to a successor version', async () => {
    const api = tables()
    const lifecycle = { v1: { successor: 'v2' } }
    const server = await serve((app) => app.use(versioning({ ...query, publicPath: '/shop', lifecycle, routes: api })))
    const { headers } = await server.get('/users?version=v1')
    expect(headers.link).toBe('</shop/users?version=v2>; rel="successor-version"')
  })

  test('on a neutral route', async () => {
    const api = tables()
    const server = await serve((app) =>
      app.use(versioning({ ...query, publicPath: '/shop', neutral: ['user'], routes: api }), api),
    )
    expect((await server.get('/users')).json).toEqual(['/shop/users', '/shop/users'])
  })
})

test("a link of the table's own knows no versioning()", async () => {
  const api = tables()
  const own: RequestHandler = (_req, res) => res.json(api.reverse('user'))
  const server = await serve((app) =>
    app.use(versioning({ scheme: HeaderVersioning, publicPath: '/shop', routes: api }), own),
  )
  expect((await server.get('/')).json).toBe('/users')
})

describe('an inner versioning()', () => {
  test.each<[string, Partial<VersioningOptions>, string]>([
    ['without one keeps the outer one', {}, '/shop/users'],
    ['with one brings its own', { publicPath: '/cart' }, '/cart/users'],
    ['with undefined keeps the outer one', { publicPath: undefined }, '/shop/users'],
  ])('%s', async (_title, options, expected) => {
    const users = namedRoutes({ user: '/users' })
    users.use(versioning({ scheme: HeaderVersioning, ...options }))
    users.route('user').get(link)
    const api = namedRoutes({}).include('/', users)
    const outer = versioning({ scheme: AcceptHeaderVersioning, publicPath: '/shop', routes: api })
    const server = await serve((app) => app.use(outer, api))
    expect((await server.get('/users')).json).toEqual([expected, expected])
  })

  test('behind an outer one without a path', async () => {
    const api = tables()
    const inner = versioning({ scheme: HeaderVersioning, publicPath: '/shop', routes: api })
    const server = await serve((app) => app.use(versioning({ scheme: AcceptHeaderVersioning }), inner, api))
    expect((await server.get('/users')).json).toEqual(['/shop/users', '/shop/users'])
  })

  test("is another request's no more", async () => {
    const api = tables()
    const seen: string[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(req.reverse('user'))
      next()
    }
    const some = versioning({ scheme: HeaderVersioning, publicPath: '/shop', routes: api })
    const none = versioning({ scheme: HeaderVersioning, routes: api })
    const server = await serve((app) => {
      app.use((req, res, next) => (req.headers.accept === 'shop' ? some : none)(req, res, next))
      app.use(note, api)
    })
    await server.get('/users', { Accept: 'shop' })
    await server.get('/users')
    expect(seen).toEqual(['/shop/users', '/users'])
  })
})
