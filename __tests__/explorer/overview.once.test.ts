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
import { overviewOf } from '../../src/explorer/overview'
import { Surveyor } from '../../src/survey/survey'

const answer = () => {}
const allowedVersions = ['v1', 'v2', 'v3']

/** Builds a table of routes that all answer GET. */
const table = (names: Record<string, string>) => {
  const routes = namedRoutes(names)
  for (const name of Object.keys(names)) routes.route(name).get(answer)
  return routes
}

/** Returns each route in a line: method, path, name, and the versions that have it. */
const rows = (options: VersioningOptions) =>
  overviewOf(new Surveyor('test', options)).routes.map(({ method, path, name, cells }) => {
    const there = cells.filter(({ exists }) => exists).map(({ version }) => version)
    return `${method} ${path} ${name} ${there.join(',')}`
  })

describe('one row', () => {
  const namespaced = (paths: Record<string, string>, prefixes: Record<string, string>) => {
    const routes = namedRoutes({})
    for (const [version, path] of Object.entries(paths)) {
      routes.include(prefixes[version] ?? `/${version}`, table({ x: path }), { namespace: version })
    }
    return { scheme: NamespaceVersioning, allowedVersions, routes }
  }

  test.each<[string, paths: Record<string, string>, path: string, prefixes?: Record<string, string>]>([
    ['a place for the version, where only that differs', { v1: '/a', v2: '/a' }, '/:version/a'],
    ['the path of the newest, where more differs', { v1: '/a', v2: '/b' }, '/v2/b'],
    ['and where it has another length', { v1: '/a', v2: '/a/b' }, '/v2/a/b'],
    ['and an older one has a longer one', { v1: '/a/b', v2: '/a' }, '/v2/a'],
    ['and where the difference is not the version', { v1: '/a', v2: '/a' }, '/new/a', { v1: '/old', v2: '/new' }],
    ['whatever came first', { v2: '/b', v1: '/a' }, '/v2/b'],
  ])('has %s', (_, paths, path, prefixes = {}) => {
    expect(rows(namespaced(paths, prefixes))).toEqual([`GET ${path} x v1,v2`])
  })

  test('is not that of operations that one version has twice', () => {
    const in1 = (path: string) => namedRoutes({}).include('/a', table({ x: path }), { namespace: 'a' })
    const routes = namedRoutes({})
      .include('/v1', in1('/1'), { namespace: 'v1' })
      .include('/a', namedRoutes({}).include('/v1', table({ x: '/2' }), { namespace: 'v1' }), { namespace: 'a' })
      .include('/v2', in1('/1'), { namespace: 'v2' })
    const lines = ['GET /:version/a/1 a:x v1,v2', 'GET /a/v1/2 a:x v1']
    expect(rows({ scheme: NamespaceVersioning, allowedVersions, routes })).toEqual(lines)
  })

  test('has the methods of one all(), as ALL, unless they are not served alike', () => {
    const names = ['all', 'put', 'head', 'gone', 'said', 'own']
    const routes = namedRoutes(Object.fromEntries(names.map((name) => [name, `/${name}`])))
    for (const name of ['all', 'put', 'gone', 'said', 'own']) routes.route(name).all(answer)
    routes.route('put').put(answer)
    routes.route('head').head(answer).options(answer)
    routes.describe('GET said', { deprecated: true })
    routes.describe('GET own', { versions: { v2: { deprecated: true } } })
    const changes = versionHistory('v1').version('v2', change('No deleting.', { 'DELETE gone': 'removed' }))
    const five = (name: string, deleted = 'v1,v2') =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(
        (method) => `${method} /${name} ${name} ${method === 'DELETE' ? deleted : 'v1,v2'}`,
      )
    expect(rows({ scheme: HeaderVersioning, changes, routes })).toEqual([
      'ALL /all all v1,v2',
      'PUT /put put v1,v2',
      'HEAD /head head v1,v2',
      'OPTIONS /head head v1,v2',
      ...five('gone', 'v1'),
      ...five('said'),
      ...five('own'),
    ])
  })
})

describe('a cell', () => {
  const names = ['fell', 'own', 'any', 'health', 'soon', 'said']
  const paths = Object.fromEntries(names.map((name) => [name, `/${name}`]))
  const routes = namedRoutes({ ...paths, off: '/off{.:format}' } as Record<string, string>)
  routes.route('fell').get(byVersion({ v1: answer }, { fallback: 'lower' }))
  routes.route('own').get(byVersion({ v2: answer }))
  routes.route('any').get(byVersion({ v2: answer }, { otherwise: answer }))
  routes.route('off').get(deprecated({ since: '2020-01-01', sunset: '2099-01-01' }), answer)
  routes.route('soon').get(deprecated({ since: '2099-01-01' }), answer)
  for (const name of ['health', 'said']) routes.route(name).get(answer)
  routes.describe('GET said', { deprecated: true, versions: { v1: { deprecated: false } } })
  const lifecycle = { v3: { sunset: '2020-01-01', afterSunset: 'gone' } } as const
  const options = { scheme: HeaderVersioning, allowedVersions, routes, neutral: ['health'], lifecycle }
  const overview = overviewOf(new Surveyor('test', options))
  const each = (cell: object) => [cell, cell, cell]
  const curl = (version: string, path: string) => `curl -H 'X-API-Version: ${version}' http://localhost:3000${path}`
  const absent = { exists: false, curl: undefined }

  test.each<[name: string, cells: object[]]>([
    ['fell', each({ exists: true, servedBy: 'v1', anyVersion: false })],
    [
      'own',
      [
        { ...absent, removed: false },
        { exists: true, servedBy: 'v2' },
        { ...absent, removed: true },
      ],
    ],
    ['any', [{ servedBy: null, anyVersion: true }, { servedBy: 'v2', anyVersion: false }, { servedBy: null }]],
    ['health', each({ exists: true, servedBy: undefined, anyVersion: true, unnamed: false })],
    ['health', [{ curl: 'curl http://localhost:3000/health' }, {}, {}]],
    ['off', each({ deprecated: true, sunset: Date.UTC(2099, 0, 1), unnamed: false })],
    ['off', [{ curl: curl('v1', '/off') }, { curl: curl('v2', '/off') }, { exists: true, curl: undefined }]],
    ['soon', each({ deprecated: false, sunset: undefined })],
    ['said', [{ deprecated: false }, { deprecated: true }, { deprecated: true }]],
  ])('of %s has %j', (name, expected) => {
    expect(overview.routes.find((route) => route.name === name)?.cells).toMatchObject(expected)
  })

  test('is not removed where a route without a version goes with the default', () => {
    const routes = table({ home: '/' }).include('/:version', table({ x: '/x' }))
    const options = { scheme: URLPathVersioning, allowedVersions, defaultVersion: 'v2', routes }
    const [home, x] = overviewOf(new Surveyor('test', options)).routes
    expect(home?.cells).toMatchObject([
      { exists: false, removed: false },
      { exists: true, unnamed: true, curl: 'curl http://localhost:3000/' },
      { exists: false, removed: false },
    ])
    expect(x?.cells.map(({ unnamed }) => unnamed)).toEqual([false, false, false])
  })

  test.each([
    ['http://v1.example.com:8080', 'curl http://v2.example.com:8080/x'],
    ['https://WWW.Example.com', 'curl https://v2.Example.com/x'],
    ['http://shop.test:80', `curl -H 'Host: v2.shop.test' http://shop.test:80/x`],
    ['http://localhost:3000', `curl -H 'Host: v2.example.com' http://localhost:3000/x`],
    ['http://127.0.0.1:3000', `curl -H 'Host: v2.example.com' http://127.0.0.1:3000/x`],
    ['http://[::1]:3000', `curl -H 'Host: v2.example.com' 'http://[::1]:3000/x'`],
  ])('of a version in hosts, from %s, has %s', (origin, command) => {
    const options = { scheme: HostNameVersioning, allowedVersions, routes: table({ y: '/y', x: '/x' }), neutral: ['y'] }
    const { routes } = overviewOf(new Surveyor('test', options), { origin })
    const neutral = origin.includes('[') ? `curl '${origin}/y'` : `curl ${origin}/y`
    expect(routes.map(({ cells }) => cells[1]?.curl)).toEqual([neutral, command])
  })
})
