import express, { type Application, type RequestHandler } from 'express'
import { CombinedVersioning, HeaderVersioning, NamespaceVersioning, namedRoutes, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// An app may mount tables itself below a version. The guard treats them like included tables.

const tell: RequestHandler = (req, res) => void res.json(req.version)
const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v9'] }

class Slow extends NamespaceVersioning {
  override readVersion(...args: Parameters<NamespaceVersioning['readVersion']>) {
    return Promise.resolve(super.readVersion(...args)) as never
  }
}

/** A table with a plain router, a route, and middleware that answers. */
function users() {
  const table = namedRoutes({ list: '/list' })
  table.use(express.Router().get('/plain', tell)).use('/middleware', tell)
  table.route('list').get(tell)
  return table
}

const moved: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(/^\/v1\/moved/, '/v9')
  next()
}

function described(scheme: typeof NamespaceVersioning | NamespaceVersioning, prefix = '/v9') {
  return (app: Application) => {
    const child = users()
    const root = namedRoutes({}, { caseSensitive: true }).include(prefix, child, { namespace: 'v9' })
    root.include('/v1', namedRoutes({}), { namespace: 'v1' })
    app.use(versioning({ ...(typeof scheme === 'function' ? settings : {}), scheme, routes: root }), moved)
    app.use('/v9', child)
  }
}

describe.each([
  ['at once', NamespaceVersioning],
  ['later', new Slow(settings)],
  [
    'in a combination',
    new CombinedVersioning({ schemes: [new HeaderVersioning(), new NamespaceVersioning()], ...settings }),
  ],
])('%s', (_when, scheme) => {
  test.each([
    ['/v9/plain', 200],
    ['/v9/middleware', 200],
    ['/v9/list', 200],
    ['/V9/plain', 404],
    ['/V9/middleware', 404],
    ['/V9/list', 404],
    ['/V9/none', 404],
    ['/v1/moved/plain', 404],
    ['/v1/moved/middleware', 404],
    ['/v1/moved/list', 404],
  ])('GET %s: %d', async (path, status) => {
    const answer = await (await serve(described(scheme as never))).get(path)
    expect([answer.status, status === 200 ? answer.json : 'v9']).toEqual([status, 'v9'])
  })
})

test('one of another version is passed by where it has no route for the request', async () => {
  const { get } = await serve((app) => {
    described(NamespaceVersioning)(app)
    app.use(tell)
  })
  expect([(await get('/v1/moved/none')).json, (await get('/v1/moved/plain')).json]).toEqual(['v1', 'v1'])
  expect((await get('/v1/moved/list')).status).toBe(404)
})

test('a preflight is let in anywhere', async () => {
  const { send } = await serve(described(NamespaceVersioning))
  const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }
  expect(await send('OPTIONS', '/V9/list', preflight)).toMatchObject({ status: 200, headers: { allow: 'GET, HEAD' } })
})

test('a scheme that does not read the route is asked once', async () => {
  let asked = 0
  class Counting extends HeaderVersioning {
    override readVersion(...[req]: Parameters<HeaderVersioning['readVersion']>) {
      asked++
      return super.readVersion(req)
    }
  }
  const { get } = await serve(described(new Counting(settings) as never))
  expect((await get('/v9/list')).json).toBe('v1')
  expect(asked).toBe(1)
})
