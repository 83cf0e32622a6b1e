import express, { type RequestHandler, Router } from 'express'
import { NamespaceVersioning, namedRoutes, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// `versioning()` stands in a route's own chain, behind a route of another version. Its own route counts.

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

describe('of a plain router, behind which the request is elsewhere', () => {
  const scheme = new NamespaceVersioning(settings)
  const list = () => {
    const table = namedRoutes({ list: '/list' })
    table.route('list').all(tell)
    return table
  }
  const serving = (handler: RequestHandler) => {
    const plain = Router().use(handler, versioning({ scheme }), tell)
    const table = namedRoutes({}).include('/v1', list(), { namespace: 'v1' })
    return serve((app) => app.use('/api', table.include('/v9', plain, { namespace: 'v9' })))
  }

  test('the version is that of the path, once that was rewritten', async () => {
    const move: RequestHandler = (req, _res, next) => {
      if (req.url === '/moved') Object.assign(req, { baseUrl: '/api/v1', url: '/list' })
      next()
    }
    const { get } = await serving(move)
    expect((await get('/api/v9/moved')).json).toEqual(['v1', 'v1:list'])
    expect((await get('/api/v9/list')).json).toEqual(['v9', null])
  })

  test('the version is that of the table given to versioning(), once it was dispatched again', async () => {
    const routes = namedRoutes({}).include('/api/v9', list(), { namespace: 'v1' })
    const other = express().use(versioning({ scheme, routes }), tell)
    const { get } = await serving((req, res, next) => {
      Object.assign(req, { baseUrl: '', url: req.originalUrl })
      other(req, res, next)
    })
    expect((await get('/api/v9/list')).json).toEqual(['v1', 'v1:list'])
  })
})
