import {
  byVersion,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type OverviewOptions, overviewOf } from '../../src/explorer/overview'
import { Surveyor } from '../../src/survey/survey'

const answer = () => {}
const allowedVersions = ['v1', 'v2', 'v3']

interface Json {
  title: string
  versions: object[]
  routes: {
    method: string
    name: string
    path: string
    group: string
    versions: { version: string; exists: boolean; servedBy?: string | null; curl?: string }[]
  }[]
}

/** The public JSON. */
function json(options: VersioningOptions, mount?: string, given?: OverviewOptions): Json {
  return JSON.parse(JSON.stringify(overviewOf(new Surveyor('test', options, mount), given)))
}

/** Each route in a line: method, path, name, and the versions that have it. */
function rows(options: VersioningOptions, mount?: string): string[] {
  return json(options, mount).routes.map(({ method, path, name, versions }) => {
    const there = versions.filter(({ exists }) => exists).map(({ version }) => version)
    return `${method} ${path} ${name} ${there.join(',')}`.trimEnd()
  })
}

const table = (names: Record<string, string>) => {
  const routes = namedRoutes(names)
  for (const name of Object.keys(names)) routes.route(name).get(answer)
  return routes
}

test('the JSON has what is public, and nothing else', () => {
  const routes = namedRoutes({}).include('/users', table({ 'user-list': '/', 'user-detail': '/:id' }), {
    namespace: 'users',
  })
  const options: VersioningOptions = {
    scheme: HeaderVersioning,
    allowedVersions,
    routes,
    lifecycle: {
      v1: { deprecated: '2020-01-01', sunset: '2020-06-01T12:30:00+02:00', afterSunset: 'gone', successor: 'v2' },
      v2: { deprecated: '2021-01-01', info: 'https://api.example.com/end' },
    },
  }
  const cells = (path: string) => [
    { version: 'v1', exists: true },
    { version: 'v2', exists: true, curl: `curl -H 'X-API-Version: v2' http://localhost:3000/api/users/${path}` },
    { version: 'v3', exists: true, curl: `curl -H 'X-API-Version: v3' http://localhost:3000/api/users/${path}` },
  ]
  expect(json(options, '/api', { title: 'Shop' })).toEqual({
    title: 'Shop',
    versions: [
      {
        version: 'v1',
        deprecated: '2020-01-01T00:00:00.000Z',
        sunset: '2020-06-01T10:30:00.000Z',
        successor: 'v2',
        gone: true,
      },
      { version: 'v2', deprecated: '2021-01-01T00:00:00.000Z', info: 'https://api.example.com/end' },
      { version: 'v3' },
    ],
    routes: [
      { method: 'GET', name: 'users:user-list', path: '/api/users/', group: 'users', versions: cells('') },
      { method: 'GET', name: 'users:user-detail', path: '/api/users/:id', group: 'users', versions: cells('1') },
    ],
  })
})

describe('what is one row', () => {
  const namespaced = (one: Record<string, Record<string, string>>, prefixes: Record<string, string> = {}) => {
    const routes = namedRoutes({})
    for (const [version, names] of Object.entries(one)) {
      routes.include(prefixes[version] ?? `/${version}`, table(names), { namespace: version })
    }
    return { scheme: NamespaceVersioning, allowedVersions, routes }
  }

  test.each<[string, Parameters<typeof namespaced>, path: string]>([
    ['the path of the newest, where more differs', [{ v1: { x: '/a' }, v2: { x: '/b' } }], '/v2/b'],
    ['and where it has another length', [{ v1: { x: '/a' }, v2: { x: '/a/b' } }], '/v2/a/b'],
    ['and an older one has a longer one', [{ v1: { x: '/a/b' }, v2: { x: '/a' } }], '/v2/a'],
    [
      'and where what differs is not the version',
      [
        { v1: { x: '/a' }, v2: { x: '/a' } },
        { v1: '/old', v2: '/new' },
      ],
      '/new/a',
    ],
    ['whatever came first', [{ v2: { x: '/b' }, v1: { x: '/a' } }], '/v2/b'],
  ])('has %s', (_, one, path) => {
    expect(rows(namespaced(...one))).toEqual([`GET ${path} x v1,v2`])
  })

  test('what is there in the same version twice are two', () => {
    const routes = namedRoutes({})
      .include('/v1', namedRoutes({}).include('/a', table({ x: '/1' }), { namespace: 'a' }), { namespace: 'v1' })
      .include('/a', namedRoutes({}).include('/v1', table({ x: '/2' }), { namespace: 'v1' }), { namespace: 'a' })
      .include('/v2', namedRoutes({}).include('/a', table({ x: '/1' }), { namespace: 'a' }), { namespace: 'v2' })
    expect(rows({ scheme: NamespaceVersioning, allowedVersions, routes })).toEqual([
      'GET /:version/a/1 a:x v1,v2',
      'GET /a/v1/2 a:x v1',
    ])
  })

  test('the methods of one all(), as ALL', () => {
    const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
    routes.route('x').all(answer)
    routes.route('y').all(answer).put(answer)
    routes.route('z').head(answer).options(answer)
    expect(rows({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes })).toEqual([
      'ALL /x x v1',
      'PUT /y y v1',
      'HEAD /z z v1',
      'OPTIONS /z z v1',
    ])
  })

  test('but each by itself where they are not served alike', () => {
    const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
    for (const name of ['x', 'y', 'z'] as const) routes.route(name).all(answer)
    const changes = versionHistory('v1').version('v2', change('No deleting.', { 'DELETE x': 'removed' }))
    routes.describe('GET y', { deprecated: true })
    routes.describe('GET z', { versions: { v2: { deprecated: true } } })
    const methods = (name: string, there = 'v1,v2') =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
        (method) => `${method} /${name} ${name} ${method === 'DELETE' ? there : 'v1,v2'}`,
      )
    expect(rows({ scheme: HeaderVersioning, changes, routes })).toEqual([
      ...methods('x', 'v1'),
      ...methods('y'),
      ...methods('z'),
    ])
  })
})

describe('a cell', () => {
  const routes = namedRoutes({
    fell: '/fell',
    own: '/own',
    any: '/any',
    health: '/health',
    off: '/off{.:format}',
    soon: '/soon',
    said: '/said',
  })
  routes.route('fell').get(byVersion({ v1: answer }, { fallback: 'lower' }))
  routes.route('own').get(byVersion({ v2: answer }))
  routes.route('any').get(byVersion({ v2: answer }, { otherwise: answer }))
  routes.route('health').get(answer)
  routes.route('off').get(deprecated({ since: '2020-01-01', sunset: '2099-01-01' }), answer)
  routes.route('soon').get(deprecated({ since: '2099-01-01' }), answer)
  routes.route('said').get(answer)
  routes.describe('GET said', { deprecated: true, versions: { v1: { deprecated: false } } })
  const options = { scheme: HeaderVersioning, allowedVersions, routes, neutral: ['health'] }
  const overview = overviewOf(new Surveyor('test', options))
  const cells = (name: string) => overview.routes.find((route) => route.name === name)?.cells

  test.each<[name: string, cells: object[]]>([
    ['fell', ['v1', 'v2', 'v3'].map((version) => ({ version, exists: true, servedBy: 'v1', anyVersion: false }))],
    ['health', ['v1', 'v2', 'v3'].map((version) => ({ version, exists: true, servedBy: undefined, anyVersion: true }))],
    ['off', allowedVersions.map(() => ({ deprecated: true, sunset: Date.UTC(2099, 0, 1), unnamed: false }))],
    ['soon', allowedVersions.map(() => ({ deprecated: false, sunset: undefined }))],
    ['said', [{ deprecated: false }, { deprecated: true }, { deprecated: true }]],
  ])('of %s', (name, expected) => {
    expect(cells(name)).toMatchObject(expected)
  })

  test('has the command without what may be left out', () => {
    expect(cells('off')?.[0]?.curl).toBe(`curl -H 'X-API-Version: v1' http://localhost:3000/off`)
    expect(cells('health')?.[0]?.curl).toBe('curl http://localhost:3000/health')
  })

  test('is not removed where a route without a version goes with the default', () => {
    const routes = namedRoutes({ home: '/' }).include('/:version', table({ x: '/x' }))
    routes.route('home').get(answer)
    const options = { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2', routes }
    const [home, x] = overviewOf(new Surveyor('test', options)).routes
    expect(home?.cells).toMatchObject([
      { exists: false, removed: false },
      { exists: true, unnamed: true, curl: 'curl http://localhost:3000/' },
      { exists: false, removed: false },
    ])
    expect(x?.cells.map(({ unnamed }) => unnamed)).toEqual([false, false, false])
  })

  test('of a version that is gone has no command', () => {
    const lifecycle = { v1: { sunset: '2020-01-01', afterSunset: 'gone' } } as const
    const [first] = json({ ...options, lifecycle }).routes
    expect(first?.versions[0]).toEqual({ version: 'v1', exists: true, servedBy: 'v1' })
  })
})

describe('hosts', () => {
  const routes = table({ x: '/x' })
  const options = { scheme: HostNameVersioning, allowedVersions, routes, neutral: ['y'] }
  const curls = (origin: string, more: object = {}) => {
    const all = namedRoutes({ y: '/y' }).include('/', routes)
    all.route('y').get(answer)
    return json({ ...options, routes: all, ...more }, '/', { origin }).routes.map(({ versions }) => versions[1]?.curl)
  }
  test.each([
    ['http://v1.example.com:8080', 'curl http://v2.example.com:8080/x'],
    ['https://WWW.Example.com', 'curl https://v2.Example.com/x'],
    ['http://shop.test:80', `curl -H 'Host: v2.shop.test' http://shop.test:80/x`],
    ['http://localhost:3000', `curl -H 'Host: v2.example.com' http://localhost:3000/x`],
    ['http://127.0.0.1:3000', `curl -H 'Host: v2.example.com' http://127.0.0.1:3000/x`],
    ['http://[::1]:3000', `curl -H 'Host: v2.example.com' 'http://[::1]:3000/x'`],
  ])('%s: %s', (origin, command) => {
    expect(curls(origin)).toEqual([`curl ${origin.includes('[') ? `'${origin}/y'` : `${origin}/y`}`, command])
  })
})
