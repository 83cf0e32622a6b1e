import type { Application, Request, RequestHandler, Response } from 'express'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { listen, serve } from '../support/serve'
import { inNamespaces, routed } from '../support/tables'

const { HeaderVersioning, NamespaceVersioning, namedRoutes, QueryParameterVersioning, versioning } = library

const byQuery = versioning({ scheme: QueryParameterVersioning })
const CANNOT = 'versioning() cannot set req.version: another middleware made one that cannot be replaced.'

test('the req.version of another middleware is replaced if it is configurable', async () => {
  const { get } = await serve((app) => {
    app.use((req, _res, next) => {
      next(void Object.defineProperty(req, 'version', { value: 'theirs', configurable: req.path === '/can' }))
    })
    app.use(byQuery, (req, res) => void res.json(req.version))
  })
  expect((await get('/can?version=1')).json).toBe('1')
  expect(await get('/cannot?version=1')).toMatchObject({ status: 500, json: { name: 'TypeError', error: CANNOT } })
})

test('the last of two copies of the package decides, also about a request of plain Node', async () => {
  let other = {} as Pick<typeof import('express-versioning'), 'versioning' | 'QueryParameterVersioning'>
  jest.isolateModules(() => {
    other = require('express-versioning')
  })
  expect(other.QueryParameterVersioning).not.toBe(QueryParameterVersioning)
  const second = other.versioning({ scheme: other.QueryParameterVersioning, versionParam: 'v' })
  const { get } = await listen(((req: Request, res: Response) => {
    byQuery(req, res, () => {
      const before = req.version
      second(req, res, () => res.end(JSON.stringify([before, req.version, typeof req.reverse])))
    })
  }) as Application)
  expect((await get('/?version=1&v=2')).json).toEqual(['1', '2', 'function'])
})

test.each([true, false])('requests made by Object.create() are decided each by itself: %p', async (anew) => {
  const told: RequestHandler = (req, res) => void setImmediate(() => res.json([req.version, req.reverse('item')]))
  const item = () => routed({ item: '/item' }, told)
  const table = inNamespaces(namedRoutes({ batch: '/batch' }), { v1: item(), v2: item() })
  const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', reportVersions: true, routes: table }
  const decide = versioning({ scheme: NamespaceVersioning, ...settings })
  const { get } = await serve((app) => {
    app.use(decide).get('/batch', async (req, res) => {
      const part = (url: string) =>
        new Promise((done) => {
          const inner = Object.create(req, { url: { value: url, writable: true }, method: { value: 'GET' } })
          const answer = Object.create(res, { json: { value: done }, setHeader: { value: () => answer } })
          const dispatch = () => table(inner, answer, (error) => done((error as unknown as { code: string }).code))
          if (anew) decide(inner, answer, dispatch)
          else dispatch()
        })
      res.json([...(await Promise.all(['/v1/item', '/v2/item', '/v1/item'].map(part))), req.version])
    })
  })
  const v2 = anew ? ['v2', '/v2/item'] : 'ERR_VERSION_NOT_FOUND'
  expect((await get('/batch')).json).toEqual([['v1', '/v1/item'], v2, ['v1', '/v1/item'], 'v1'])
})

test('a request that is made from another one changes no state of it', async () => {
  const changes = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added' }))
  const routes = namedRoutes({ me: '/users/me', user: '/users/:id' })
  routes.route('me').get((_req, res) => void res.json('me'))
  routes.route('user').get((req, res) => {
    const copy = Object.create(req)
    versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2' })(copy, res, () => {})
    res.json([req, copy].map(({ version, resolverMatch }) => `${version} ${resolverMatch?.viewName}`))
  })
  const decide = versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes })
  const { get } = await serve((app) => app.use(decide, routes))
  expect((await get('/users/me')).json).toEqual(['v1 user', 'v2 me'])
})
