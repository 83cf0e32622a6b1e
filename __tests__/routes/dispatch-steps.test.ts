import type { Application, RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// Handlers see the right `url`, `baseUrl`, `params` and `route` inside tables and behind them.

const tell: RequestHandler = (req, res) =>
  void res.json({ url: req.url, baseUrl: req.baseUrl, params: req.params, path: req.route?.path })
const pass: RequestHandler = (_req, _res, next) => next()

/** A table with one route, alone or with middleware before it: only the first is gone straight to. */
const child = (handler: RequestHandler, crowded: boolean) => {
  const table = namedRoutes({ x: '/x', root: '/', late: '/late' })
  if (crowded) table.use(pass)
  table.route('x').get(handler)
  table.route('root').get(handler)
  if (crowded) table.use('/x', tell)
  return table
}

describe.each([[false], [true]])('a mounted table, crowded: %j', (crowded) => {
  describe.each([[false], [true]])('behind versioning(): %j', (versioned) => {
    const serving = (
      handler: RequestHandler,
      more: RequestHandler[] = [],
      prefix: `/${string}` | `{${string}` = '/c/:p',
    ) => {
      const inner = child(handler, crowded)
      const table = namedRoutes({ after: '/*rest' }).include(prefix, inner, { namespace: 'n' })
      for (const one of more) table.use(one)
      table.route('after').get((_req, res) => void res.json('after'))
      const scheme = () => versioning({ scheme: URLPathVersioning, versionParam: 'nobody', routes: table })
      return serve((app: Application) => {
        if (versioned) app.use('/api', scheme())
        app.use('/api', table, tell)
      })
    }

    test('sees the url below the mount, and the parameters of all', async () => {
      const { get, raw } = await serving(tell)
      expect((await get('/api/c/1/x?a')).json).toEqual({
        url: '/x?a',
        baseUrl: '/api/c/1',
        params: { p: '1' },
        path: '/x',
      })
      expect((await get('/api/c/1')).json).toMatchObject({ url: '/', baseUrl: '/api/c/1', path: '/' })
      expect((await get('/api/c/1/?a')).json).toMatchObject({ url: '/?a', baseUrl: '/api/c/1' })
      expect((await get('/api/c/1?a')).json).toMatchObject({ url: '/?a', baseUrl: '/api/c/1' })
      expect(await raw('GET http://h/api/c/1/x?a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')).toContain(
        '"url":"http://h/x?a","baseUrl":"/api/c/1"',
      )
    })

    test('is not asked again for what it moved the request to, which is looked up behind it', async () => {
      const { get } = await serving(
        (req, _res, next) => {
          req.url = '/y?b'
          next('router')
        },
        [tell],
      )
      expect((await get('/api/c/1/x?a')).json).toMatchObject({ url: '/c/1/y?b', baseUrl: '/api', params: {} })
    })

    test('hands errors on', async () => {
      const { get } = await serving((_req, _res, next) => next(new Error('from within')))
      expect((await get('/api/c/1/x')).json).toMatchObject({ error: 'from within' })
    })

    test('answers 400 to a malformed escape in its prefix, and runs nothing', async () => {
      const { get } = await serving(tell)
      expect((await get('/api/c/%zz/x')).status).toBe(400)
    })
  })
})
