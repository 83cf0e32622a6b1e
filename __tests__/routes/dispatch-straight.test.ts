import type { RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Behind versioning() a request goes straight to the one route of a mounted table that its path leads to. Whatever else has a
// say in that table is not left out for it.

const note =
  (name: string): RequestHandler =>
  (_req, res, next) => {
    res.append('X-Noted', name)
    next()
  }
const tell: RequestHandler = (req, res) =>
  void res.json({ url: req.url, params: req.params, route: (req.route as { path: string } | undefined)?.path })

type Table = ReturnType<typeof users>

function users() {
  const table = namedRoutes({ user: '/users/:id', late: '/late' })
  table.route('user').get(note('route'), tell)
  return table
}

const serving = (child: Table, prepare: (outer: { param: Table['param'] }) => void = () => {}) => {
  const outer = namedRoutes({}).include('/:version', child)
  prepare(outer)
  const scheme = new URLPathVersioning({ allowedVersions: ['v1'] })
  return serve((app) => app.use('/api', versioning({ scheme, routes: outer }), outer, tell))
}

test('nothing else', async () => {
  const answer = await (await serving(users())).get('/api/v1/users/7')
  expect(answer.json).toEqual({ url: '/users/7', params: { version: 'v1', id: '7' }, route: '/users/:id' })
  expect(answer.headers['x-noted']).toBe('route')
})

test('middleware in front of it', async () => {
  const table = namedRoutes({ user: '/users/:id', late: '/late' }).use(note('middleware'))
  table.route('user').get(note('route'), tell)
  const { get } = await serving(table)
  expect((await get('/api/v1/users/7')).headers['x-noted']).toBe('middleware, route')
})

test('callbacks of its parameters', async () => {
  const table = users()
  table.param('id', (_req, res, next, value) => {
    res.append('X-Noted', `id ${value}`)
    next()
  })
  expect((await (await serving(table)).get('/api/v1/users/7')).headers['x-noted']).toBe('id 7, route')
})

test('a callback of the mount’s parameters that moves the request', async () => {
  const table = users()
  table.route('late').get(note('late'), tell)
  const { get } = await serving(table, (outer) => {
    outer.param('version', (req, _res, next) => {
      req.url = '/v1/late'
      next()
    })
  })
  const answer = await get('/api/v1/users/7')
  expect([answer.headers['x-noted'], answer.json]).toEqual([
    'late',
    { url: '/late', params: { version: 'v1' }, route: '/late' },
  ])
})

test('middleware that was added behind it while the request was on its way', async () => {
  const table = namedRoutes({ user: '/users/:id', late: '/late' })
  table.route('user').get((_req, _res, next) => next())
  const { get } = await serving(table, (outer) => {
    outer.param('version', (_req, _res, next) => {
      table.use(note('added'))
      next()
    })
  })
  expect((await get('/api/v1/users/7')).headers['x-noted']).toBe('added')
})

test('a method that the route does not have: it is not the request’s route', async () => {
  const answer = await (await serving(users())).send('POST', '/api/v1/users/7')
  expect(answer.json).toEqual({ url: '/v1/users/7', params: {} })
})
