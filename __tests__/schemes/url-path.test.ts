import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { major } from '../support/major'
import { tableOf } from '../support/schemes'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const REFUSED = Symbol('refused')

async function outcome(server: Served, target: string, code = 'ERR_VERSION_NOT_FOUND') {
  const { status, json } = await server.get(target)
  if (status === 200) return (json as { version: string | null }).version
  expect([status, json]).toEqual([404, { error: 'Invalid version in URL path.', code, name: 'NotFound' }])
  return REFUSED
}

const v = (settings = {}) => versioning({ scheme: URLPathVersioning, ...settings })

describe('the parameter of', () => {
  const places: [place: string, build: (middleware: RequestHandler) => RequestHandler][] = [
    ['a mount', (middleware) => express().use('/:version', middleware, tell)],
    ['a mounted sub-app', (middleware) => express().use('/:version', middleware, express().use(tell))],
    ['a route', (middleware) => express().get('/:version/items', middleware, tell)],
    ['a route of a router', (middleware) => express().use(express.Router().get('/:version/items', middleware, tell))],
    [
      'a mount of a router, merged',
      (middleware) => express().use('/:version', express.Router({ mergeParams: true }).use(middleware, tell)),
    ],
    [
      'a router.route()',
      (middleware) => {
        const app = express()
        app.route('/:version/items').all(middleware).get(tell)
        return app
      },
    ],
  ]

  describe.each(places)('%s', (_place, build) => {
    test.each<[target: string, version: string | typeof REFUSED]>([
      ['/v1/items', 'v1'],
      ['/v2/items', 'v2'],
      ['/v3/items', REFUSED],
      ['/V1/items', REFUSED],
      ['/%76%31/items', 'v1'],
      ['/v1%20/items', REFUSED],
      ['/v1%2f/items', REFUSED],
      ['/v1%2Fitems/items', REFUSED],
      ['/v1%00/items', REFUSED],
      ['/v1%0d%0aSet-Cookie:a=b/items', REFUSED],
    ])('%s: %p', async (target, version) => {
      const server = await serve((app) => app.use(build(v({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))))
      expect(await outcome(server, target)).toBe(version)
    })

    test.each<[target: string, version: string]>([
      ['/v1%2f/items', 'v1/'],
      ['/%00/items', '\0'],
      ['/a%0d%0ab/items', 'a\r\nb'],
      ['/%E2%82%AC/items', '€'],
    ])('without a list, %s is %j', async (target, version) => {
      const server = await serve((app) => app.use(build(v())))
      expect(await outcome(server, target)).toBe(version)
    })

    test.each(['/%E0%A4%A/items', '/%/items', '/%zz/items', '/%ff/items'])(
      'a malformed escape, %s, is 400 by Express',
      async (target) => {
        const server = await serve((app) => app.use(build(v({ defaultVersion: 'v1' }))))
        expect((await server.get(target)).status).toBe(400)
      },
    )
  })
})

describe('a parameter that is not there', () => {
  test.each<[title: string, build: (middleware: RequestHandler) => RequestHandler]>([
    ['app-level', (middleware) => express().use(middleware, tell)],
    ['a mount without it', (middleware) => express().use('/items', middleware, tell)],
    ['a mount with another', (middleware) => express().use('/:shop', middleware, tell)],
    [
      'a child router without mergeParams',
      (middleware) => express().use('/:version', express.Router().use(middleware, tell)),
    ],
    ['a RegExp route', (middleware) => express().get(/^\/(items)$/, middleware, tell)],
    [
      'an optional one',
      (middleware) => express().get(major === 5 ? '{/:version}/items' : '/:version?/items', middleware, tell),
    ],
  ])('%s: the default', async (_title, build) => {
    const server = await serve((app) => app.use(build(v({ defaultVersion: 'v1', allowedVersions: ['v1'] }))))
    expect(await outcome(server, '/items')).toBe('v1')
  })
})

describe('something else than a string', () => {
  const wildcard: RequestHandler = (req, _res, next) => {
    // Express 4 has no wildcards by name.
    if (major === 4) req.params = { version: req.path.slice(1).split('/') } as never
    next()
  }
  const path = major === 5 ? '/*version' : '/*'

  test.each(['/v1', '/v1/v2', '/v1/', '/v1,v2'])(
    "a wildcard's list, %s, is refused, whatever the default",
    async (target) => {
      for (const settings of [{}, { defaultVersion: 'v1' }, { allowedVersions: ['v1', null] }]) {
        const server = await serve((app) => app.get(path, wildcard, v(settings), tell))
        expect(await outcome(server, target)).toBe(REFUSED)
      }
    },
  )
})

describe('with a route table', () => {
  const routes = tableOf((version) => ({ params: { version } }))

  test.each<[target: string, version: string | null | typeof REFUSED]>([
    ['/v1/items', 'v1'],
    ['/v1/items?x=1', 'v1'],
    ['/v1/items#x', 'v1'],
    ['/v3/items', REFUSED],
    ['/items', 'v1'],
    ['/v1/nothing', 'v1'],
    ['http://example.com/v2/items', 'v2'],
  ])('app-level, %s: %p', async (target, version) => {
    const server = await serve((app) =>
      app.use(v({ routes, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }), tell),
    )
    expect(await outcome(server, target)).toBe(version)
  })

  test("Express's own parameter goes before the table's", async () => {
    const server = await serve((app) => app.use('/:version', v({ routes }), tell))
    expect(await outcome(server, '/own/v2/items')).toBe('own')
  })
})

test('in a plain server, which has no req.params, the table alone says what the version is', async () => {
  const middleware = versioning({ scheme: URLPathVersioning, routes: namedRoutes({ x: '/:version/x' }) })
  const plain = createServer((req, res) =>
    middleware(req as Request, res as Response, () => res.end((req as Request).version)),
  )
  await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done))
  const answer = await fetch(`http://127.0.0.1:${(plain.address() as AddressInfo).port}/v7/x`)
  expect(await answer.text()).toBe('v7')
  await new Promise((done) => plain.close(done))
})
