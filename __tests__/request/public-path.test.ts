import type { Application, RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  HostNameVersioning,
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
const QUERY = { scheme: QueryParameterVersioning, ...VERSIONS }

/** Answers with the link that the headers ask for, made in both ways. */
const link: RequestHandler = (req, res) => {
  const name = req.get('X-Name') ?? 'user'
  const options = { absolute: req.get('X-Absolute') !== undefined }
  const made = req.reverse(name, options)
  res.json(reverse(name, { request: req, ...options }) === made ? made : 'two links')
}
const tables = () => {
  const users = namedRoutes({ user: '/users' })
  users.route('user').get(link)
  return users
}
const byPath = namedRoutes({ home: '/' }).include('/:version', tables())
const byName = namedRoutes({})
  .include('/v1', tables(), { namespace: 'v1' })
  .include('/v2', tables(), { namespace: 'v2' })
const at = (options: VersioningOptions, mount = '/') => {
  const routes = (options.routes ?? tables()) as ReturnType<typeof tables>
  return (app: Application) => app.use(mount, versioning({ publicPath: '/shop', ...options, routes }), routes)
}
/** Two `versioning()`, the inner one in the table or behind the outer one. */
const nested = (outer: object, inner: object) => (app: Application) => {
  const users = namedRoutes({ user: '/users' }).use(versioning({ scheme: HeaderVersioning, ...inner }))
  users.route('user').get(link)
  const api = namedRoutes({}).include('/', users)
  app.use(versioning({ scheme: AcceptHeaderVersioning, routes: api, ...outer }), api)
}
const own = tables()
const ownLink: RequestHandler = (_req, res) => void res.json(own.reverse('user'))

test.each<[what: string, build: (app: Application) => unknown, path: string, expected: string, headers?: object]>([
  [
    'path',
    at({ scheme: URLPathVersioning, ...VERSIONS, routes: byPath }, '/api'),
    '/api/v1/users',
    '/shop/api/v1/users',
  ],
  [
    'fallback',
    at({ scheme: URLPathVersioning, ...VERSIONS, routes: byPath }, '/api'),
    '/api/v1/users',
    '/shop/api/',
    { 'X-Name': 'home' },
  ],
  [
    'namespace',
    at({ scheme: NamespaceVersioning, ...VERSIONS, routes: byName }, '/api'),
    '/api/v2/users',
    '/shop/api/v2/users',
  ],
  ['query', at(QUERY, '/api'), '/api/users?version=v1', '/shop/api/users?version=v1'],
  ['Accept', at({ scheme: AcceptHeaderVersioning }, '/api'), '/api/users', '/shop/api/users'],
  ['host', at({ scheme: HostNameVersioning }), '/users', 'http://v1.example.com/shop/users', { 'X-Absolute': '1' }],
  ['neutral route', at({ ...QUERY, neutral: ['user'] }), '/users', '/shop/users'],
  [
    "table's own link",
    (app) => app.use(versioning({ scheme: HeaderVersioning, publicPath: '/shop', routes: own }), ownLink),
    '/',
    '/users',
  ],
  ['outer one', nested({ publicPath: '/shop' }, {}), '/users', '/shop/users'],
  ['inner one', nested({ publicPath: '/shop' }, { publicPath: '/cart' }), '/users', '/cart/users'],
  ['outer one, not undefined', nested({ publicPath: '/shop' }, { publicPath: undefined }), '/users', '/shop/users'],
  ['inner one alone', nested({}, { publicPath: '/shop' }), '/users', '/shop/users'],
])('links start with it: %s', async (_what, build, path, expected, headers = {}) => {
  const server = await serve((app) => void build(app))
  expect((await server.get(path, { Host: 'v1.example.com', ...headers })).json).toBe(expected)
})

test('the link to a successor version starts with it', async () => {
  const { get } = await serve((app) => void at({ ...QUERY, lifecycle: { v1: { successor: 'v2' } } })(app))
  expect((await get('/users?version=v1')).headers.link).toBe('</shop/users?version=v2>; rel="successor-version"')
})

test('it belongs to one request', async () => {
  const routes = tables()
  const some = versioning({ scheme: HeaderVersioning, publicPath: '/shop', routes })
  const none = versioning({ scheme: HeaderVersioning, routes })
  const server = await serve((app) => {
    app.use((req, res, next) => (req.headers.accept === 'shop' ? some : none)(req, res, next), routes)
  })
  expect((await server.get('/users', { Accept: 'shop' })).json).toBe('/shop/users')
  expect((await server.get('/users')).json).toBe('/users')
})

test.each(['', '/', 'shop', 'shop/', '/shop/', '//shop', '/shop//eu', '/.', '/shop/..', '/../shop', '/%2e', '/shop?x'])(
  '%p is no public path',
  (publicPath) => {
    const options = { scheme: HeaderVersioning, publicPath } as VersioningOptions
    expect(() => versioning(options)).toThrow(TypeError)
    expect(() => versioning(options)).toThrow(/option "publicPath" takes a path such as '\/shop', .*; got /)
  },
)
