import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { serve } from '../support/serve'

// The path '' is the prefix itself in lists, links, documents and pages. Requests reach it as they reach '/'.

type Settings = { strict?: boolean; caseSensitive?: boolean }

/** Makes a table with a list at '' and an item, below a prefix. */
function below(prefix: string | undefined, path: string, settings: Settings = {}) {
  const items = namedRoutes({ list: path, item: '/:id' }, settings)
  items.route('list').get((req, res) => void res.json({ list: req.version, self: req.reverse('list') }))
  items.route('item').get((req, res) => void res.json({ item: req.params.id, list: req.reverse('list') }))
  return prefix === undefined ? items : namedRoutes({}, settings).include(prefix, items)
}

const STRICT = { strict: true }
const CASE = { caseSensitive: true }
test.each<[prefix: string | undefined, path: string, settings: Settings, listed: string, link: string]>([
  ['/users', '', {}, '/users', '/users'],
  ['/users', '', STRICT, '/users', '/users'],
  ['/users', '', CASE, '/users', '/users'],
  ['/users/', '', {}, '/users', '/users'],
  ['/users', '/', {}, '/users/', '/users/'],
  ['/users', '/', STRICT, '/users/', '/users/'],
  ['/', '', {}, '/', '/'],
  ['/', '/', {}, '/', '/'],
  [undefined, '', {}, '/', '/'],
  [undefined, '/', {}, '/', '/'],
  ['{/:tenant}', '', {}, '{/:tenant}', '/'],
  ['{/:tenant}', '/', {}, '{/:tenant}/', '/'],
  ['/a{/:tenant}', '', STRICT, '/a{/:tenant}', '/a'],
])('list() and links: %j + %j, %j', (prefix, path, settings, listed, link) => {
  const table = below(prefix, path, settings)
  expect(table.list()[0]).toMatchObject({ name: 'list', path: listed })
  expect(table.reverse('list' as never, {} as never)).toBe(link)
  expect(table.reverse('list' as never, { query: { a: 1 }, origin: 'https://h.example' } as never)).toBe(
    `https://h.example${link}?a=1`,
  )
  expect(table.resolve(link)).toMatchObject({ viewName: 'list' })
})

test.each<[mount: string, prefix: string | undefined, settings: Settings, asked: string, response: object | undefined]>(
  [
    ['/', '/users', {}, '/users', { list: null, self: '/users' }],
    ['/', '/users', {}, '/users/', { list: null, self: '/users' }],
    ['/', '/users', {}, '/USERS', { list: null, self: '/users' }],
    ['/', '/users', {}, '/users?a=/b', { list: null, self: '/users' }],
    ['/', '/users', {}, '/users/7', { item: '7', list: '/users' }],
    ['/', '/users', {}, '/', undefined],
    ['/', '/users', CASE, '/USERS', undefined],
    ['/', '/users', CASE, '/users', { list: null, self: '/users' }],
    ['/', '/users', STRICT, '/users', { list: null, self: '/users' }],
    // As in Express, the mount takes the slash.
    ['/', '/users', STRICT, '/users/', { list: null, self: '/users' }],
    ['/', undefined, {}, '/', { list: null, self: '/' }],
    ['/', undefined, STRICT, '/', { list: null, self: '/' }],
    ['/api', undefined, {}, '/api', { list: null, self: '/api' }],
    ['/api', undefined, STRICT, '/api', { list: null, self: '/api' }],
    ['/api', undefined, {}, '/api/7', { item: '7', list: '/api' }],
    ['/api', '/users', {}, '/api/users', { list: null, self: '/api/users' }],
  ],
)('requests: %j + %j, %j: GET %s', async (mount, prefix, settings, asked, response) => {
  const routes = below(prefix, '', settings)
  const { get } = await serve((app) =>
    app.use(mount, versioning({ scheme: HeaderVersioning, allowedVersions: ['v1', null], routes }), routes),
  )
  expect((await get(asked)).json).toEqual(response)
})

test('an optional prefix is read in both ways, and links have the version', async () => {
  const routes = below('{/:version}', '')
  const options = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v2', routes }
  const { get } = await serve((app) => app.use('/api', versioning(options), routes))
  expect((await get('/api/v1')).json).toEqual({ list: 'v1', self: '/api/v1' })
  expect((await get('/api/v1/7')).json).toEqual({ item: '7', list: '/api/v1' })
  expect((await get('/api')).json).toEqual({ list: 'v2', self: '/api/v2' })
})

test('namespaces', async () => {
  const [one, two] = [below(undefined, ''), below(undefined, '')]
  const routes = namedRoutes({}).include('/v1', one, { namespace: 'v1' }).include('/v2', two, { namespace: 'v2' })
  const { get } = await serve((app) =>
    app.use(versioning({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes }), routes),
  )
  expect((await get('/v2')).json).toEqual({ list: 'v2', self: '/v2' })
})

test.each<[mount: string, prefix: string | undefined, server: string, path: string, whole: string]>([
  ['/', '/users', '/', '/users', '/users'],
  ['/api', '/users', '/api', '/users', '/api/users'],
  ['/api', undefined, '/api', '/', '/api'],
  ['/', undefined, '/', '/', '/'],
])('documents, pages and clients: %j + %j', async (mount, prefix, server, path, whole) => {
  const routes = below(prefix, '')
  const options = { scheme: AcceptHeaderVersioning, allowedVersions: ['v1'], defaultVersion: 'v1', routes }
  const document = openapi(options, { info: { title: 'T' }, mount }).document('v1')
  expect([document.servers?.[0]?.url, Object.keys(document.paths)[0]]).toEqual([server, path])
  expect(inVersion('v1', options, { mount }).path('list')).toBe(whole)
  const { get } = await serve((app) => app.use('/docs', explorer(options, { mount })))
  const { json } = await get('/docs', { Accept: 'application/json' })
  const [row] = (json as { routes: { path: string; versions: { curl: string }[] }[] }).routes
  expect(row?.path).toBe(whole)
  expect(row?.versions[0]?.curl).toMatch(new RegExp(`:\\d+${whole}'?( |$)`))
})

test('neutral', async () => {
  const routes = below(undefined, '')
  const options = { scheme: HeaderVersioning, allowedVersions: ['v1'], neutral: ['/'], routes }
  const { get } = await serve((app) => app.use('/api', versioning(options), routes))
  expect((await get('/api', { 'X-API-Version': 'v9' })).json).toEqual({ list: null, self: '/api' })
})
