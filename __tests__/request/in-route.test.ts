import express, { type RequestHandler, Router } from 'express'
import { NamespaceVersioning, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// versioning() in a route's own chain, where another route of another version was passed: the route it stands in counts.

const settings = { allowedVersions: ['v1', 'v9'], defaultVersion: 'v1' }
const tell: RequestHandler = (req, res) => void res.json([req.version, req.resolverMatch?.viewName])
const decline: RequestHandler = (_req, _res, next) => next()

test.each<[string, string, unknown]>([
  ['of a named route', '/list', ['v9', 'v9:list']],
  ['of a plain router', '/plain', ['v9', null]],
  ['of a plain router, at its root', '/plain/', ['v9', null]],
])('the version is that %s', async (_what, path, seen) => {
  const one = namedRoutes({ list: '/list', plain: '/plain' })
  const nine = namedRoutes({ list: '/list' })
  one.route('list').get(decline)
  one.route('plain').get(decline)
  nine.route('list').get(versioning({ scheme: NamespaceVersioning, ...settings }), tell)
  nine.include('/plain', Router().use(versioning({ scheme: NamespaceVersioning, ...settings }), tell))
  const table = namedRoutes({}).include('/', one, { namespace: 'v1' }).include('/', nine, { namespace: 'v9' })
  const server = await serve((app) => app.use('/api', table))
  expect((await server.get(`/api${path}`)).json).toEqual(seen)
})

test('a version of the path is the one that the route has read', async () => {
  const table = namedRoutes({ first: '/:version/:id', second: '/:id/:version' })
  table.route('first').get(decline)
  table.route('second').get(versioning({ scheme: URLPathVersioning, ...settings }), tell)
  const server = await serve((app) => app.use(express.Router().use('/api', table)))
  expect((await server.get('/api/v1/v9')).json).toEqual(['v9', 'second'])
})
