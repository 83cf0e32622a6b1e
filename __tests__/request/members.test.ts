import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { serve } from '../support/serve'

test.each<[what: string, property: PropertyDescriptor, status: number, json: unknown]>([
  [
    'cannot replace is an error',
    { value: 'theirs' },
    500,
    expect.objectContaining({
      name: 'TypeError',
      error: 'versioning() cannot set req.version: another middleware made one that cannot be replaced.',
    }),
  ],
  ['can replace is replaced', { value: 'theirs', configurable: true }, 200, '1'],
])('a req.version that versioning() %s', async (_what, property, status, json) => {
  const { get } = await serve((app) => {
    app.use((req, _res, next) => next(void Object.defineProperty(req, 'version', property)))
    app.use(versioning({ scheme: QueryParameterVersioning }), (req, res) => void res.json(req.version))
  })
  expect(await get('/?version=1')).toMatchObject({ status, json })
})

test('of two copies of the package the last decides, also about a request that is no Express’s', async () => {
  let other: { versioning: typeof versioning; QueryParameterVersioning: typeof QueryParameterVersioning } | undefined
  jest.isolateModules(() => {
    other = require('express-versioning')
  })
  const first = versioning({ scheme: QueryParameterVersioning })
  const Other = other?.QueryParameterVersioning as typeof QueryParameterVersioning
  const second = other?.versioning({ scheme: Other, versionParam: 'v' }) as typeof first
  expect(Other).not.toBe(QueryParameterVersioning)
  const server = createServer((message, res) => {
    const req = message as Request
    const seen: unknown[] = []
    first(req, res as Response, () => {
      seen.push(req.version)
      second(req, res as Response, () => res.end(JSON.stringify([...seen, req.version, typeof req.reverse])))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/?version=1&v=2`, { headers: { connection: 'close' } })
  expect(await answer.json()).toEqual(['1', '2', 'function'])
  server.close()
})

test.each(['the table', 'versioning() and the table'])(
  'requests that are made from one by Object.create() are decided each by itself: %s',
  async (what) => {
    const tell: RequestHandler = async (req, res) => {
      await new Promise(setImmediate)
      res.json([req.version, req.reverse('item')])
    }
    const item = () => {
      const made = namedRoutes({ item: '/item' })
      made.route('item').get(tell)
      return made
    }
    const table = namedRoutes({ batch: '/batch' }).include('/v1', item(), { namespace: 'v1' })
    table.include('/v2', item(), { namespace: 'v2' })
    const decide = versioning({
      scheme: NamespaceVersioning,
      allowedVersions: ['v1', 'v2'],
      defaultVersion: 'v1',
      reportVersions: true,
      routes: table,
    })
    const { get } = await serve((app) => {
      app.use(decide)
      app.get('/batch', async (req, res) => {
        const part = (url: string, method = 'GET') =>
          new Promise((done) => {
            const inner = Object.create(req, { url: { value: url, writable: true }, method: { value: method } })
            const answer = Object.create(res, { json: { value: done }, setHeader: { value: () => answer } })
            const leave = (error?: { code: string }) => done(error?.code ?? 'none')
            if (what === 'the table') table(inner, answer, leave as never)
            else
              decide(inner, answer, (error?: unknown) => (error ? done(error) : table(inner, answer, leave as never)))
          })
        const parts = await Promise.all(['/v1/item', '/v2/item', '/v1/item'].map((url) => part(url)))
        res.json([...parts, req.version])
      })
    })
    const decided = [['v1', '/v1/item'], ['v2', '/v2/item'], ['v1', '/v1/item'], 'v1']
    const compared = [['v1', '/v1/item'], 'ERR_VERSION_NOT_FOUND', ['v1', '/v1/item'], 'v1']
    expect((await get('/batch')).json).toEqual(what === 'the table' ? compared : decided)
  },
)

test('a request that is made from another one changes no state of it', async () => {
  const history = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added' }))
  const routes = namedRoutes({ me: '/users/me', user: '/users/:id' })
  routes.route('me').get((_req, res) => void res.json('me'))
  routes.route('user').get((req, res) => {
    const copy = Object.create(req)
    versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2' })(copy, res, () => {})
    res.json([req, copy].map(({ version, resolverMatch }) => [version, resolverMatch?.viewName]))
  })
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }), routes)
  })
  expect((await get('/users/me')).json).toEqual([
    ['v1', 'user'],
    ['v2', 'me'],
  ])
})

test('req.accepts ignores a version only behind a versioning()', async () => {
  const accepts: RequestHandler = (req, res) => void res.json(req.accepts('json'))
  const { get } = await serve((app) => {
    app.get('/before', accepts)
    app.use(versioning({ scheme: AcceptHeaderVersioning }), accepts)
  })
  const version = { Accept: 'application/json; version=1' }
  const asked = [get('/', version), get('/before', version), get('/'), get('/', { Accept: 'text/html' })]
  expect((await Promise.all(asked)).map(({ json }) => json)).toEqual(['json', false, 'json', false])
})
