import {
  byVersion,
  CombinedVersioning,
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

test('title and origin', () => {
  const options = { scheme: HeaderVersioning, allowedVersions, routes: table({ x: '/x' }) }
  const origin = 'https://api.example.com'
  const started = (one: Json) => one.routes[0]?.versions[0]?.curl?.split(' ').at(-1)
  expect(json(options).title).toBe('API')
  expect(started(json(options))).toBe('http://localhost:3000/x')
  expect(started(json({ ...options, origin }))).toBe('https://api.example.com/x')
  expect(started(json({ ...options, origin, publicPath: '/shop' }))).toBe('https://api.example.com/shop/x')
  expect(started(json({ ...options, origin }, '/', { origin: 'http://127.0.0.1:8080' }))).toBe(
    'http://127.0.0.1:8080/x',
  )
})

describe('what is one row', () => {
  const namespaced = (one: Record<string, Record<string, string>>, prefixes: Record<string, string> = {}) => {
    const routes = namedRoutes({})
    for (const [version, names] of Object.entries(one)) {
      routes.include(prefixes[version] ?? `/${version}`, table(names), { namespace: version })
    }
    return { scheme: NamespaceVersioning, allowedVersions, routes }
  }

  test('a name in the namespaces of several versions', () => {
    const options = namespaced({
      v1: { list: '/users', old: '/old' },
      v2: { list: '/users', detail: '/users/:id' },
      v3: { list: '/users', detail: '/users/:id' },
    })
    expect(rows(options, '/api')).toEqual([
      'GET /api/:version/users list v1,v2,v3',
      'GET /api/v1/old old v1',
      'GET /api/:version/users/:id detail v2,v3',
    ])
  })

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
    [
      'the same path',
      [
        { v1: { x: '/a' }, v2: { x: '/b' } },
        { v1: '/', v2: '/' },
      ],
      '/b',
    ],
  ])('has %s', (_, one, path) => {
    expect(rows(namespaced(...one))).toEqual([`GET ${path} x v1,v2`])
  })

  test('namespaces around and below the version stay', () => {
    const inner = () => namedRoutes({}).include('/users', table({ list: '/' }), { namespace: 'users' })
    const versions = namedRoutes({})
      .include('/v1', inner(), { namespace: 'v1' })
      .include('/v2', inner(), { namespace: 'v2' })
    const routes = namedRoutes({}).include('/shop', versions, { namespace: 'shop' })
    const { routes: found } = json({ scheme: NamespaceVersioning, allowedVersions, routes })
    expect(found).toMatchObject([
      { name: 'shop:users:list', group: 'shop:users', path: '/shop/:version/users/', method: 'GET' },
    ])
    expect(found).toHaveLength(1)
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

  test('a name with and one without a version are two', () => {
    const routes = namedRoutes({ x: '/x' }).include('/v2', table({ x: '/x' }), { namespace: 'v2' })
    routes.route('x').get(answer)
    const options = { scheme: NamespaceVersioning, allowedVersions, routes, defaultVersion: 'v1' }
    expect(rows(options)).toEqual(['GET /x x v1', 'GET /v2/x x v2'])
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

  test('a method that all() stands for in one version, and that is there by itself in another', () => {
    const all = namedRoutes({ x: '/x' })
    all.route('x').all(answer)
    const routes = namedRoutes({})
      .include('/v1', all, { namespace: 'v1' })
      .include('/v2', table({ x: '/x' }), { namespace: 'v2' })
    expect(rows({ scheme: NamespaceVersioning, allowedVersions, routes })).toEqual([
      'GET /:version/x x v1,v2',
      'POST /v1/x x v1',
      'PUT /v1/x x v1',
      'PATCH /v1/x x v1',
      'DELETE /v1/x x v1',
    ])
  })
})

test('the rows of a group, and in it of a name, stand together', () => {
  const users = (more: string) => {
    const routes = namedRoutes({ list: '/', [more]: `/${more}` })
    routes.route('list').get(answer)
    if (more === 'b') routes.route('list').post(answer)
    routes.route(more).get(answer)
    return namedRoutes({ home: '/' }).include('/users', routes, { namespace: 'users' })
  }
  const routes = namedRoutes({})
    .include('/v1', users('a'), { namespace: 'v1' })
    .include('/v2', users('b'), { namespace: 'v2' })
    .include('/', table({ last: '/last' }))
  expect(rows({ scheme: NamespaceVersioning, allowedVersions, routes, defaultVersion: 'v2' })).toEqual([
    'GET /:version/users/ users:list v1,v2',
    'POST /v2/users/ users:list v2',
    'GET /v1/users/a users:a v1',
    'GET /v2/users/b users:b v2',
    'GET /last last v2',
  ])
})

test('the mount as it was given', () => {
  const routes = table({ x: '/x', home: '/' })
  expect(rows({ scheme: URLPathVersioning, allowedVersions: ['v1'], routes }, '/api{/:tenant}/:version/')).toEqual([
    'GET /api{/:tenant}/:version/x x v1',
    'GET /api{/:tenant}/:version/ home v1',
  ])
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
    [
      'own',
      [
        { exists: false, removed: false, curl: undefined },
        { exists: true, removed: false, servedBy: 'v2' },
        { exists: false, removed: true, curl: undefined },
      ],
    ],
    [
      'any',
      [
        { servedBy: null, anyVersion: true },
        { servedBy: 'v2', anyVersion: false },
        { servedBy: null, anyVersion: true },
      ],
    ],
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
    ['http://a.b.c.d', `curl -H 'Host: v2.example.com' http://a.b.c.d/x`],
    ['http://a-b.example.com', `curl -H 'Host: v2.example.com' http://a-b.example.com/x`],
  ])('%s: %s', (origin, command) => {
    expect(curls(origin)).toEqual([`curl ${origin.includes('[') ? `'${origin}/y'` : `${origin}/y`}`, command])
  })

  test('do not contradict a header', () => {
    const scheme = new CombinedVersioning({
      schemes: [new HeaderVersioning(), new HostNameVersioning()],
      allowedVersions,
    })
    const [, command] = json({ scheme, routes }, '/', { origin: 'http://v1.example.com' }).routes.flatMap(
      ({ versions }) => versions.map(({ curl }) => curl),
    )
    expect(command).toBe(`curl -H 'X-API-Version: v2' http://v2.example.com/x`)
  })
})
