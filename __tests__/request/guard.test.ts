import type { RequestHandler } from 'express'
import {
  CombinedVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// The guard compares a request again after middleware changed it.

const tell: RequestHandler = (req, res) => void res.json(req.version)
const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v9'] }

test('a preflight that becomes another request is compared', async () => {
  const table = namedRoutes({ x: '/:version/x' })
  table.route('x').get(tell)
  const override: RequestHandler = (req, _res, next) => {
    req.method = 'GET'
    next()
  }
  const { send } = await serve((app) => {
    app.use(versioning({ scheme: URLPathVersioning, ...settings, routes: table }), override, table)
  })
  const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }
  expect((await send('OPTIONS', '/v7/x', preflight)).status).toBe(404)
  expect((await send('OPTIONS', '/v9/x', preflight)).json).toBe('v9')
})

test('a version that came into the request behind the decision does not hide what the match names', async () => {
  const table = namedRoutes({ about: '/about', x: '/:version/x' })
  table.route('about').get(tell)
  table.route('x').get(tell)
  const schemes = [new QueryParameterVersioning(), new URLPathVersioning()]
  const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...settings })
  const move: RequestHandler = (req, _res, next) => {
    req.url = String(req.headers['x-to'] ?? req.url)
    next()
  }
  const { get } = await serve((app) => app.use(versioning({ scheme, routes: table }), move, table))
  const moved = (to: string) => get('/about', { 'X-To': to })
  expect((await moved('/v9/x?version=v9')).status).toBe(404)
  expect((await moved('/v9/x?version=v1')).status).toBe(404)
  expect((await moved('/v1/x?version=v9')).json).toBe('v1')
  expect((await moved('/about?version=v9')).json).toBe('v1')
})

test.each(['route', 'router', undefined])(
  'a scheme that throws %p at dispatch refuses all the same',
  async (thrown) => {
    class Odd extends URLPathVersioning {
      override readVersion(...[req, kwargs]: Parameters<URLPathVersioning['readVersion']>) {
        if (kwargs.version === 'odd') throw thrown
        return super.readVersion(req, kwargs)
      }
    }
    const table = namedRoutes({ x: '/:version/x' })
    table.route('x').get(tell)
    const move: RequestHandler = (req, _res, next) => {
      req.url = '/odd/x'
      next()
    }
    const { get } = await serve((app) => {
      app.use(versioning({ scheme: Odd, ...settings, routes: table }), move, table)
    })
    const error = expect.stringContaining('determineVersion() failed with')
    expect(await get('/v1/x')).toMatchObject({ status: 500, json: { error } })
  },
)
