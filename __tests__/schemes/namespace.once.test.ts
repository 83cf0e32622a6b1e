import express, { type RequestHandler } from 'express'
import {
  HostNameVersioning,
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  type VersioningOptions,
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

/** Builds tables and plain routers below one root. The app answers all other requests. */
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
    // the namespace is not a version
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

describe('ignore', () => {
  type Ignoring = VersioningSettings & { ignore?: Iterable<string> | undefined }
  const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
  const OWN = { defaultVersion: 'standard', allowedVersions: ['v1', 'v2'] }

  async function decided(options: VersioningOptions, path: string, headers: Record<string, string> = {}) {
    const server = await serve((app) => app.use(versioning(options), tell))
    const { status, json } = await server.get(path, headers)
    return status === 200 ? (json as { version: unknown }).version : status
  }

  describe('HostNameVersioning', () => {
    const hosts = (settings: Ignoring) => new HostNameVersioning({ ...OWN, ...settings })

    test.each<[host: string, without: unknown, ignoring: unknown]>([
      ['v1.example.com', 'v1', 'v1'],
      ['www.example.com', 404, 'standard'],
      ['WWW.example.com:8080', 404, 'standard'],
      ['Admin.example.com', 404, 'standard'],
      ['wwww.example.com', 404, 404],
      ['www.api.example.com', 'standard', 'standard'],
    ])('%s: %p, ignoring www and ADMIN %p', async (Host, without, ignoring) => {
      expect(await decided({ scheme: hosts({}) }, '/', { Host })).toBe(without)
      expect(await decided({ scheme: hosts({ ignore: ['www', 'ADMIN'] }) }, '/', { Host })).toBe(ignoring)
      expect(await decided({ scheme: hosts({ ignore: new Set(['www', 'ADMIN']).values() }) }, '/', { Host })).toBe(
        ignoring,
      )
      class Own extends HostNameVersioning {
        override ignore = ['www', 'ADMIN']
      }
      expect(await decided({ scheme: Own, ...OWN }, '/', { Host })).toBe(ignoring)
    })

    test('what the pattern captures is ignored, not the label', async () => {
      const scheme = () => hosts({ ignore: ['www'], hostnamePattern: /^api-(\w+)\./ } as Ignoring)
      expect(await decided({ scheme: scheme() }, '/', { Host: 'api-www.example.com' })).toBe('standard')
      expect(await decided({ scheme: scheme() }, '/', { Host: 'www.example.com' })).toBe('standard')
      expect(await decided({ scheme: scheme() }, '/', { Host: 'api-web.example.com' })).toBe(404)
    })

    test('an ignored label is the place of a version in a link, and none that a link can name', async () => {
      const routes = namedRoutes({ home: '/' })
      const links: RequestHandler = (req, res) => {
        const link = (version: string | null) => {
          try {
            return req.reverse('home', { version, absolute: true })
          } catch (error) {
            return (error as Error).name
          }
        }
        res.json(['v2', null, 'www'].map(link))
      }
      const scheme = new HostNameVersioning({ ignore: ['www'] })
      const server = await serve((app) => app.use(versioning({ scheme, routes }), links))
      expect((await server.get('/', { Host: 'www.example.com' })).json).toEqual([
        'http://v2.example.com/',
        'http://www.example.com/',
        'NoReverseMatch',
      ])
      expect((await server.get('/', { Host: 'v1.example.com' })).json).toEqual([
        'http://v2.example.com/',
        'http://example.com/',
        'NoReverseMatch',
      ])
    })
  })

  describe('NamespaceVersioning', () => {
    const users = () => namedRoutes({ users: '/users' })
    const inner = namedRoutes({})
      .include('/v1', users(), { namespace: 'v1' })
      .include('/v9', users(), { namespace: 'v9' })
    const routes = namedRoutes({ home: '/' })
      .include('/v1', users(), { namespace: 'v1' })
      .include('/v9', users(), { namespace: 'v9' })
      .include('/admin', users(), { namespace: 'admin' })
      .include('/api', inner, { namespace: 'api' })

    test.each<[path: string, without: unknown, ignoring: unknown, free: unknown]>([
      ['/', 'standard', 'standard', null],
      ['/v1/users', 'v1', 'v1', 'v1'],
      ['/v9/users', 404, 404, 'v9'],
      ['/admin/users', 404, 'standard', null],
      ['/api/v1/users', 'v1', 'v1', 'v1'],
      ['/api/v9/users', 404, 404, 'v9'],
      // a namespace without a version in it
      ['/api/nothing', 404, 'standard', null],
    ])('%s: %p, ignoring admin and api %p, and with no list %p', async (path, without, ignoring, free) => {
      const ignore = ['admin', 'api', 'V1']
      const scheme = (settings: Ignoring) => new NamespaceVersioning(settings)
      expect(await decided({ scheme: scheme(OWN), routes }, path)).toBe(without)
      expect(await decided({ scheme: scheme({ ...OWN, ignore }), routes }, path)).toBe(ignoring)
      expect(await decided({ scheme: scheme({ ignore: ignore.values() }), routes }, path)).toBe(free)
      class Own extends NamespaceVersioning {
        override ignore = ignore
      }
      expect(await decided({ scheme: Own, routes, ...OWN }, path)).toBe(ignoring)
    })

    test('namespaces are compared exactly', async () => {
      const scheme = new NamespaceVersioning({ ...OWN, ignore: ['Admin', 'ADMIN'] })
      expect(await decided({ scheme, routes }, '/admin/users')).toBe(404)
    })
  })

  describe.each([HostNameVersioning, NamespaceVersioning])('ignore of %p', (Given) => {
    const Scheme = Given as typeof HostNameVersioning
    test.each<[ignore: unknown, got: string]>([
      ['www', "'www'"],
      [null, 'null'],
      [7, '7'],
      [{}, '{}'],
      [[7], '[ 7 ]'],
      [['www', null], "[ 'www', null ]"],
      [new Set([undefined]), 'Set(1) { undefined }'],
    ])('%p is a construction error, as an option and as a class field', (ignore, got) => {
      const message = (owner: string) =>
        new TypeError(
          `${owner}: option "ignore" takes an iterable of strings, such as ['www'] (a single string would be taken letter by letter); got ${got}.`,
        )
      expect(() => new Scheme({ ignore } as Ignoring)).toThrow(message(Scheme.name))
      class Own extends Scheme {
        override ignore = ignore as string[]
      }
      expect(() => versioning({ scheme: Own })).toThrow(message('Own'))
    })
  })
})
