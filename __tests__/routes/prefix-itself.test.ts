import * as library from 'express-versioning'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { serve } from '../support/serve'
import { inNamespaces } from '../support/tables'

const { AcceptHeaderVersioning, HeaderVersioning, NamespaceVersioning, namedRoutes } = library
const { URLPathVersioning, versioning } = library

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
test.each<[prefix: string | undefined, path: string, settings: Settings, listed: string, link: string]>([
  ['/users', '', {}, '/users', '/users'],
  ['/users', '', STRICT, '/users', '/users'],
  ['/users/', '', {}, '/users', '/users'],
  ['/users', '/', {}, '/users/', '/users/'],
  ['/', '', {}, '/', '/'],
  [undefined, '', {}, '/', '/'],
  ['{/:tenant}', '', {}, '{/:tenant}', '/'],
  ['{/:tenant}', '/', {}, '{/:tenant}/', '/'],
  ['/a{/:tenant}', '', STRICT, '/a{/:tenant}', '/a'],
])('list() and links: %j + %j, %j', (prefix, path, settings, listed, link) => {
  const table = below(prefix, path, settings)
  expect(table.list()[0]).toMatchObject({ name: 'list', path: listed })
  expect(table.reverse('list' as never, {} as never)).toBe(link)
  const whole = table.reverse('list' as never, { query: { a: 1 }, origin: 'https://h.example' } as never)
  expect(whole).toBe(`https://h.example${link}?a=1`)
  expect(table.resolve(link)).toMatchObject({ viewName: 'list' })
})

const by = (prefix?: string, settings: Settings = {}, more: Partial<library.VersioningOptions> = {}) => {
  const routes = below(prefix, '', settings)
  return { scheme: HeaderVersioning, allowedVersions: ['v1', null], routes, ...more }
}
const known = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }
const byPath = by('{/:version}', {}, { scheme: URLPathVersioning, ...known })
const spaces = inNamespaces(namedRoutes({}), { v1: below(undefined, ''), v2: below(undefined, '') })
const byNamespace = { scheme: NamespaceVersioning, ...known, routes: spaces }
const neutral = by(undefined, {}, { allowedVersions: ['v1'], neutral: ['/'] })
test.each<[mount: string, asked: string, response: object | undefined, options: library.VersioningOptions]>([
  ['/', '/users', { list: null, self: '/users' }, by('/users')],
  ['/', '/USERS?a=/b', { list: null, self: '/users' }, by('/users')],
  ['/', '/users/7', { item: '7', list: '/users' }, by('/users')],
  ['/', '/', undefined, by('/users')],
  ['/', '/USERS', undefined, by('/users', { caseSensitive: true })],
  // As in Express, the mount takes the slash.
  ['/', '/users/', { list: null, self: '/users' }, by('/users', STRICT)],
  ['/', '/', { list: null, self: '/' }, by(undefined, STRICT)],
  ['/api', '/api', { list: null, self: '/api' }, by(undefined, STRICT)],
  ['/api', '/api/7', { item: '7', list: '/api' }, by()],
  // An optional prefix is read in both ways, and links have the version.
  ['/api', '/api/v1', { list: 'v1', self: '/api/v1' }, byPath],
  ['/api', '/api/v1/7', { item: '7', list: '/api/v1' }, byPath],
  ['/api', '/api', { list: 'v2', self: '/api/v2' }, byPath],
  ['/', '/v2', { list: 'v2', self: '/v2' }, byNamespace],
  ['/api', '/api', { list: null, self: '/api' }, neutral],
])('requests: at %s, GET %s: %j', async (mount, asked, response, options) => {
  const { get } = await serve((app) => app.use(mount, versioning(options), options.routes as never))
  expect((await get(asked)).json).toEqual(response)
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
