import { type Application, type Request, type RequestHandler, Router } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

// What a request looks like on its way through tables, step by step, and behind them.

const tell: RequestHandler = (req, res) =>
  void res.json({ url: req.url, baseUrl: req.baseUrl, params: req.params, path: req.route?.path })
const pass: RequestHandler = (_req, _res, next) => next()
const leave: RequestHandler = (_req, _res, next) => next('router')

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

    test('is left by next("router"), and no more than that', async () => {
      const { get } = await serving(leave)
      expect((await get('/api/c/1/x')).json).toBe('after')
    })

    test('leaves the request as it came, also to a wildcard behind it', async () => {
      const seen: unknown[] = []
      const note: RequestHandler = (req, _res, next) => {
        seen.push(req.url, req.baseUrl, { ...req.params }, typeof req.next)
        next()
      }
      const { get } = await serving((_req, _res, next) => next('router'), [note])
      expect((await get('/api/c/1/x?a')).json).toBe('after')
      expect((await get('/api/c/1?a')).json).toBe('after')
      expect(seen).toEqual(['/c/1/x?a', '/api', {}, 'function', '/c/1?a', '/api', {}, 'function'])
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

    test('below an optional prefix is entered by the reading that leads to a route', async () => {
      const { get } = await serving(tell, [], '{/:p}')
      expect((await get('/api/x')).json).toMatchObject({ baseUrl: '/api/x', params: { p: 'x' }, path: '/' })
      expect((await get('/api/1/x')).json).toMatchObject({ baseUrl: '/api/1', params: { p: '1' }, path: '/x' })
      expect((await get('/api/1/2/x')).json).toBe('after')
      expect((await get('/api')).json).toMatchObject({ baseUrl: '/api', path: '/' })
    })
  })
})

describe('behind a table', () => {
  test('the request is as it was in front of it', async () => {
    const before: unknown[] = []
    const table = namedRoutes({ x: '/:id' }).use('/:any', (req, _res, next) => {
      req.params.any += '!'
      next()
    })
    table.route('x').get(pass)
    const { get } = await serve((app) => {
      const router = Router({ mergeParams: true })
      router.use((req, res, next) => {
        before.push(req.params, req.baseUrl, req.next)
        table(req, res, (error?: unknown) => {
          before.push(req.params, req.baseUrl, req.next)
          next(error)
        })
      })
      app.use('/api/:tenant', router, tell)
    })
    expect((await get('/api/a/1')).json).toMatchObject({ url: '/1', baseUrl: '/api/a' })
    const [params, baseUrl, next, ...after] = before
    expect(after).toEqual([params, baseUrl, next])
    expect(after[0]).toBe(params)
    expect(after[2]).toBe(next)
  })

  test('next("router") leaves the table, and "route" the route', async () => {
    const reached: string[] = []
    const note =
      (name: string, signal?: string): RequestHandler =>
      (_req, _res, next) => {
        reached.push(name)
        next(signal)
      }
    const table = namedRoutes({ a: '/x', b: '/:x', c: '/*x' })
    table.route('a').get(note('a', 'route'), note('a2'))
    table.route('b').get(note('b', 'router'), note('b2'))
    table.route('c').get(note('c'))
    const { get } = await serve((app) => app.use(table, tell))
    expect((await get('/x')).status).toBe(200)
    expect(reached).toEqual(['a', 'b'])
  })

  test('req.originalUrl is there, also without Express', async () => {
    const table = namedRoutes({ x: '/x' })
    const seen: unknown[] = []
    table.use((req, _res, next) => {
      seen.push(req.originalUrl, req.baseUrl)
      next()
    })
    const req = { url: '/x', method: 'GET', headers: {} } as Request
    await new Promise<void>((done) => table(req, {} as never, () => done()))
    expect(seen).toEqual(['/x', ''])
  })
})
