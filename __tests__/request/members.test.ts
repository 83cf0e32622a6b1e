import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

test('a req.version that another middleware made for good is an error, and not the version decided', async () => {
  const { get } = await serve((app) => {
    app.use((req, _res, next) => {
      Object.defineProperty(req, 'version', { value: 'theirs' })
      next()
    })
    app.use(versioning({ scheme: QueryParameterVersioning }), (req, res) => void res.json(req.version))
  })
  expect(await get('/?version=1')).toMatchObject({
    status: 500,
    json: {
      name: 'TypeError',
      error: 'versioning() cannot set req.version: another middleware made one that cannot be replaced.',
    },
  })
})

test('one that can be replaced is, also a read-only one', async () => {
  const { get } = await serve((app) => {
    app.use((req, _res, next) => {
      Object.defineProperty(req, 'version', { value: 'theirs', configurable: true })
      next()
    })
    app.use(versioning({ scheme: QueryParameterVersioning }), (req, res) => void res.json(req.version))
  })
  expect((await get('/?version=1')).json).toBe('1')
})

test('a handler may assign another version, and links are made for that one', async () => {
  const routes = namedRoutes({ list: '/list' })
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: QueryParameterVersioning, routes }), (req, res) => {
      req.version = '2'
      res.json([req.version, req.reverse('list')])
    })
  })
  expect((await get('/?version=1')).json).toEqual(['2', '/list?version=2'])
})
