import type { RequestHandler } from 'express'
import {
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  type VersioningOptions,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

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
