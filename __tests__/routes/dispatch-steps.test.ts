import type { Application, RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// What a request looks like on its way through tables, step by step, and behind them.

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
