import { type Application, Router } from 'express'
import { byVersion, HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { serve } from '../support/serve'

// `Allow` lists the methods that the version of the request has.

const send = (_req: unknown, res: { json(body: string): unknown }) => void res.json('here')
const ORIGIN = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }

async function allowed(build: (app: Application) => unknown, version: string, path: string, headers = {}) {
  const { send } = await serve((app) => void build(app))
  const response = await send('OPTIONS', path, { 'X-API-Version': version, ...headers })
  return response.status === 200 ? response.headers.allow?.split(/, */).sort().join() : response.status
}

const users = namedRoutes({ user: '/users/:id', list: '/users' })
users
  .route('user')
  .get(byVersion({ v1: send, v2: [send, send] }))
  .put(send, byVersion({ v2: send }))
  .patch(byVersion({ v1: send }, { fallback: 'lower' }))
  .delete(byVersion({ v1: send }), byVersion({ v2: send }))
  .post(byVersion({ v1: send }, { otherwise: send }))
users.route('list').put(byVersion({ v2: send }))
const listed = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }

test.each([
  ['v1', '/users/7', 'GET,HEAD,PATCH,POST'],
  ['v2', '/users/7', 'GET,HEAD,PATCH,POST,PUT'],
  ['v2', '/users', 'PUT'],
  ['v1', '/users', 404],
])('byVersion(), %s: %s has %s', async (version, path, expected) => {
  const build = (app: Application) => app.use(versioning({ ...listed, routes: users }), users)
  expect(await allowed(build, version, path)).toBe(expected)
  expect(await allowed((app) => app.use(users), version, path)).toMatch(/PUT/)
  // Browsers do not send the version of the real request.
  expect(await allowed(build, version, path, ORIGIN)).toMatch(/PUT/)
})

const changes = versionHistory('v1')
  .version('v2', change('Users were people.', { 'GET user': { path: '/people/:id' } }))
  .version('v3', change('Users can be removed.', { 'DELETE user': 'added' }))
const methods = ['GET', 'PUT', 'DELETE'] as const
const rows: [version: string, path: string, expected: string | number][] = [
  ['v1', '/users/7', 'PUT'],
  ['v1', '/people/7', 'GET,HEAD'],
  ['v2', '/users/7', 'GET,HEAD,PUT'],
  ['v2', '/people/7', 404],
  ['v3', '/users/7', 'DELETE,GET,HEAD,PUT'],
]

test.each(rows)('a moved operation, %s: %s has %s', async (version, path, expected) => {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get(send).put(send).delete(send)
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
  expect(await allowed((app) => app.use(versioning(options), routes), version, path)).toBe(expected)
})

test.each(rows)('a moved operation with handlers elsewhere, %s: %s has %s', async (version, path, expected) => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const routes = namedRoutes({ user: '/users/:id' }, { handlers: 'elsewhere' })
  for (const method of methods) routes.describe(`${method} user`, { response: null })
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
  const plain = Router().get('/users/:id', send).put('/users/:id', send).delete('/users/:id', send)
  const build = (app: Application) => app.use(versioning(options), plain)
  expect(await allowed(build, version, path)).toBe(expected)
  if (expected !== 404) expect(await allowed(build, version, path, ORIGIN)).toBe('DELETE,GET,HEAD,PUT')
  jest.restoreAllMocks()
})

test('an Allow that handlers elsewhere write lists what nobody described where such requests pass', async () => {
  const routes = namedRoutes({ user: '/users/:id' }, { handlers: 'elsewhere', undocumented: 'pass' } as never)
  for (const method of methods) routes.describe(`${method} user`, { response: null })
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
  const build = (app: Application) => {
    app.use(versioning(options), (_req, res) => void res.set('Allow', 'GET, PURGE, DELETE, OPTIONS').json('x'))
  }
  expect(await allowed(build, 'v1', '/users/7')).toBe('OPTIONS,PURGE')
})
