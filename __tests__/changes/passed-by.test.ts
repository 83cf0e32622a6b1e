import type { RequestHandler } from 'express'
import {
  type BaseVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { type Served, serve } from '../support/serve'

// Older versions pass by an operation that a later version adds, as if it were not declared. They refuse a removed operation.

const tell: RequestHandler = (req, res) =>
  void res.json([req.version, req.resolverMatch?.viewName, req.params.id ?? null])

/** `/users/me` came in v2, in front of `/users/:id`; `/users/export` left with v3. */
function users() {
  const table = namedRoutes({ me: '/users/me', gone: '/users/export', user: '/users/:id', new: '/new', tail: '/*rest' })
  table.route('me').get(tell).put(tell)
  table.route('gone').get(tell)
  table.route('user').get(tell)
  table.route('new').get(tell).post(tell)
  table.route('tail').delete(tell)
  return table
}

const history = () =>
  versionHistory('v1')
    .version('v2', change('Me and new.', { 'GET me': 'added', 'GET new': 'added', 'POST new': 'added' }))
    .version('v3', change('No export.', { 'GET gone': 'removed' }))

interface Way {
  routes: ReturnType<typeof users>
  scheme: BaseVersioning
  at(version: string, path: string): [path: string, headers?: Record<string, string>]
  name(version: string, name: string): string
}

const plain = (_version: string, name: string) => name
const ways: Record<string, () => Way> = {
  header: () => ({
    routes: users(),
    scheme: new HeaderVersioning(),
    at: (version, path) => [path, { 'X-API-Version': version }],
    name: plain,
  }),
  query: () => ({
    routes: namedRoutes({}).include('/', users()) as never,
    scheme: new QueryParameterVersioning(),
    at: (version, path) => [`${path}?version=${version}`],
    name: plain,
  }),
  path: () => ({
    routes: namedRoutes({}).include('/:version', users()) as never,
    scheme: new URLPathVersioning(),
    at: (version, path) => [`/${version}${path}`],
    name: plain,
  }),
  namespace: () => {
    const table = namedRoutes({})
    for (const version of ['v1', 'v2', 'v3']) table.include(`/${version}`, users(), { namespace: version })
    return {
      routes: table as never,
      scheme: new NamespaceVersioning(),
      at: (version, path) => [`/${version}${path}`],
      name: (version, name) => `${version}:${name}`,
    }
  },
}

describe.each(Object.keys(ways))('behind the %s scheme', (key) => {
  const serving = async (): Promise<Way & Served> => {
    const way = (ways[key] as () => Way)()
    const options = { scheme: way.scheme, changes: history(), routes: way.routes }
    const served = await serve((app) => {
      app.use(versioning(options), way.routes)
      app.use((req, res) => void res.status(404).json([req.version, 'nothing']))
    })
    return { ...way, ...served }
  }
  const UNHANDLED = { status: 404, json: { code: 'ERR_VERSION_UNHANDLED' } }

  test('a route is passed by for one that serves the request', async () => {
    const { get, send, at, name } = await serving()
    expect((await get(...at('v1', '/users/me'))).json).toEqual(['v1', name('v1', 'user'), 'me'])
    expect((await send('HEAD', ...at('v1', '/users/me'))).status).toBe(200)
    expect((await get(...at('v2', '/users/me'))).json).toEqual(['v2', name('v2', 'me'), null])
    expect((await get(...at('v3', '/users/me'))).json).toEqual(['v3', name('v3', 'me'), null])
    expect((await send('PUT', ...at('v1', '/users/me'))).json).toEqual(['v1', name('v1', 'me'), null])
    expect((await send('DELETE', ...at('v1', '/new'))).json).toEqual(['v1', name('v1', 'tail'), null])
  })

  test('it is refused where no other does, and a removed one always', async () => {
    const { get, send, at, name } = await serving()
    expect(await get(...at('v1', '/new'))).toMatchObject(UNHANDLED)
    expect(await send('POST', ...at('v1', '/new'))).toMatchObject(UNHANDLED)
    expect((await get(...at('v2', '/new'))).json).toEqual(['v2', name('v2', 'new'), null])
    expect((await get(...at('v2', '/users/export'))).json).toEqual(['v2', name('v2', 'gone'), null])
    expect(await get(...at('v3', '/users/export'))).toMatchObject(UNHANDLED)
    expect((await get(...at('v1', '/nothing'))).json).toEqual(['v1', 'nothing'])
  })

  test('OPTIONS lists the methods that the version has', async () => {
    const { send, at } = await serving()
    const allow = async (version: string, path: string) => (await send('OPTIONS', ...at(version, path))).headers.allow
    expect(await allow('v1', '/users/me')).toBe('DELETE, GET, HEAD, PUT')
    expect(await allow('v1', '/new')).toBe('DELETE')
    expect(await allow('v2', '/new')).toBe('DELETE, GET, HEAD, POST')
    expect(await allow('v3', '/users/export')).toBe('DELETE, GET, HEAD')
  })
})

test('what is passed by may hide another route of the same path, for requests and for the explorer', async () => {
  const routes = namedRoutes({ newer: '/items', older: '/items' })
  for (const name of ['newer', 'older'] as const) routes.route(name).get(tell)
  const changes = versionHistory('v1').version('v2', change('Newer.', { 'GET newer': 'added' }))
  const options = { scheme: HeaderVersioning, changes, routes }
  const { get } = await serve((app) => {
    app.use('/explorer', explorer(options))
    app.use(versioning(options), routes)
  })
  const item = async (version: string) => (await get('/items', { 'X-API-Version': version })).json
  expect([await item('v1'), await item('v2')]).toEqual([
    ['v1', 'older', null],
    ['v2', 'newer', null],
  ])
  const { json } = await get('/explorer', { Accept: 'application/json' })
  const shown = (json as { routes: { name: string; versions: { version: string; exists: boolean }[] }[] }).routes
  const existing = shown.map(({ name, versions }) => [
    name,
    versions.filter(({ exists }) => exists).map((v) => v.version),
  ])
  expect(existing).toEqual([
    ['newer', ['v2']],
    ['older', ['v1']],
  ])
})
