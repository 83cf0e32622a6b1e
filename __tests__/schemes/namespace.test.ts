import express, { type RequestHandler } from 'express'
import {
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { tableOf } from '../support/schemes'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version, match: req.resolverMatch?.viewName })
const REFUSED = Symbol('refused')

async function outcome(server: Served, target: string) {
  const { status, json } = await server.get(target)
  if (status === 200) return (json as { version: string | null }).version
  expect([status, json]).toEqual([
    404,
    {
      error: 'Invalid version in URL path. Does not match any version namespace.',
      code: 'ERR_VERSION_NOT_FOUND',
      name: 'NotFound',
    },
  ])
  return REFUSED
}

const v = (settings: VersioningSettings, routes?: NamedRoutes) =>
  versioning({ scheme: NamespaceVersioning, ...settings, routes: routes as never })

/** Tables and plain routers, below one root; all that is not answered is told by the app. */
function api() {
  const users = () => namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
  const inner = namedRoutes({})
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v2', users(), { namespace: 'v2' })
  return namedRoutes({ home: '/', about: '/about' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v2', users(), { namespace: 'v2' })
    .include('/v3', users(), { namespace: 'v3' })
    .include('/shop', inner, { namespace: 'shop' })
    .include('/old', express.Router(), { namespace: 'v0' })
    .include('/:tenant/users', users(), { namespace: 'tenant' })
    .include('/plain', namedRoutes({ plain: '/page' }))
}

describe('the namespaces of the match', () => {
  test.each<[target: string, version: string | null | typeof REFUSED]>([
    ['/v1/users', 'v1'],
    ['/v1/users?version=v2', 'v1'],
    ['/v1/users/7', 'v1'],
    ['/v2/users', 'v2'],
    ['/V1/users', 'v1'],
    ['/v1/users/', 'v1'],
    // a namespace that is no version
    ['/v3/users', REFUSED],
    ['/x/users/users', REFUSED],
    // nested: the first accepted, from the left
    ['/shop/v1/users', 'v1'],
    ['/shop/v2/users/7', 'v2'],
    ['/shop', REFUSED],
    ['/shop/nothing', REFUSED],
    // under a prefix an unknown path has its namespaces
    ['/v1', 'v1'],
    ['/v1/', 'v1'],
    ['/v1/nothing', 'v1'],
    ['/v3/nothing', REFUSED],
    ['/old', 'v0'],
    ['/old/anything/at/all', 'v0'],
  ])('%s: %p', async (target, version) => {
    const routes = api()
    const settings = { allowedVersions: ['v0', 'v1', 'v2'], defaultVersion: 'standard' }
    const server = await serve((app) => app.use(v(settings, routes), tell))
    expect(await outcome(server, target)).toBe(version)
    const mounted = await serve((app) => app.use('/api', v(settings, routes), tell))
    if (!target.includes('//')) expect(await outcome(mounted, `/api${target}`)).toBe(version)
  })

  test('no default: null, although a list excludes it', async () => {
    const server = await serve((app) => app.use(v({ allowedVersions: ['v1'] }, api()), tell))
    expect(await outcome(server, '/about')).toBeNull()
  })

  test('without a list the outermost namespace is the version', async () => {
    const server = await serve((app) => app.use(v({}, api()), tell))
    expect(await outcome(server, '/shop/v1/users')).toBe('shop')
  })
})

describe('inside a table', () => {
  test('versioning() of the table itself, without routes', async () => {
    const routes = api()
    const build = () =>
      namedRoutes({})
        .use(v({ allowedVersions: ['v1', 'v2'] }))
        .include('/', routes)
        .use(tell)
    const server = await serve((app) => app.use('/api', build()))
    expect(await outcome(server, '/api/v1/users')).toBe('v1')
    expect(await outcome(server, '/api/about')).toBeNull()
    expect(await outcome(server, '/api/v3/users')).toBe(REFUSED)
  })
})

test.each<[namespace: string, version: string | typeof REFUSED]>([
  ['v1', 'v1'],
  ['api:v1', 'v1'],
  ['v2:v1', 'v2'],
  ['api:v1:v2', 'v1'],
  ['api', REFUSED],
  ['V1', REFUSED],
  ['api:', REFUSED],
  [':v1', 'v1'],
  ['toString', REFUSED],
])('namespace %j: %p', async (namespace, version) => {
  const routes = tableOf(() => ({ namespace, namespaces: namespace.split(':') }))
  const scheme = new NamespaceVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion: 'standard' })
  expect(await outcome(await serve((app) => app.use(versioning({ scheme, routes }), tell)), '/items')).toBe(version)
})

describe('links', () => {
  test.each<[version: string | undefined]>([['v1'], [undefined]])(
    'by hand, version %p, without a request',
    (version) => {
      expect(() => new NamespaceVersioning().reverse('users', { version })).toThrow('No route table in sight')
    },
  )
})
