import type { ErrorRequestHandler, RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import Router from 'router'
import { serve } from '../support/serve'

// What a table does at the edges of a dispatch: answers to OPTIONS, urls that are none, odd methods. As `router` does.

const end: RequestHandler = (req, res) => void res.json(req.url)
const pass: RequestHandler = (_req, _res, next) => next()

describe('OPTIONS', () => {
  const table = () => {
    const made = namedRoutes({ x: '/x', y: '/y' })
    made.route('x').get(end).post(end)
    return made
  }

  test('is answered with the methods of the routes that match, in order', async () => {
    const { send } = await serve((app) => app.use(table()))
    expect(await send('OPTIONS', '/x')).toMatchObject({
      status: 200,
      text: 'GET, HEAD, POST',
      headers: {
        allow: 'GET, HEAD, POST',
        'content-type': 'text/plain',
        'content-length': '15',
        'x-content-type-options': 'nosniff',
      },
    })
    expect((await send('OPTIONS', '/y')).status).toBe(404)
  })

  test('is answered with HEAD only where there is GET', async () => {
    const made = namedRoutes({ x: '/x' })
    made.route('x').post(end)
    const { send } = await serve((app) => app.use(made))
    expect((await send('OPTIONS', '/x')).headers.allow).toBe('POST')
  })

  test('is not answered for a request that middleware makes another one', async () => {
    const made = namedRoutes({ x: '/x' }).use((req, _res, next) => {
      req.method = 'DELETE'
      next()
    })
    made.route('x').get(end)
    const { send } = await serve((app) => app.use(made))
    const { status, headers } = await send('OPTIONS', '/x')
    expect([status, headers.allow]).toEqual([404, undefined])
  })

  test('is not answered in place of an error', async () => {
    const failing = table().use((_req, _res, next) => next(new Error('late')))
    const { send } = await serve((app) => app.use(failing))
    expect(await send('OPTIONS', '/x')).toMatchObject({ status: 500, json: { error: 'late' } })
  })

  test('that cannot be answered any more is an error, for a request that stands where it came in', async () => {
    const seen: unknown[] = []
    const begun = namedRoutes({ x: '/x' }).use((_req, res, next) => {
      res.write('begun')
      next()
    })
    begun.route('x').get(end)
    const onError: ErrorRequestHandler = (error, req, res, _next) => {
      seen.push((error as { code: unknown }).code, req.baseUrl, req.url)
      res.end()
    }
    const { send } = await serve((app) => app.use('/api', begun).use(onError))
    expect((await send('OPTIONS', '/api/x')).text).toBe('begun')
    expect(seen).toEqual(['ERR_HTTP_HEADERS_SENT', '', '/api/x'])
  })
})

describe('a url that middleware of a table makes one without a path', () => {
  test.each([['http://\u00ad/x'], ['?x'], [undefined]])('%j: what follows in the table is passed by', async (url) => {
    const reached: unknown[] = []
    const table = namedRoutes({ any: '/*rest' }).use((req, _res, next) => {
      req.url = url as string
      next()
    })
    table.use((_req, _res, next) => {
      reached.push('middleware')
      next()
    })
    table.route('any').all(end)
    const { get } = await serve((app) => {
      app.get('/x', (req, res, next) => table(req, res, (error?: unknown) => (error ? next(error) : res.json('left'))))
    })
    expect((await get('/x')).json).toBe('left')
    expect(reached).toEqual([])
  })
})

describe('methods', () => {
  const at = (method: string) => {
    const table = namedRoutes({ x: '/x', all: '/all' }).use((req, _res, next) => {
      req.method = method
      next()
    })
    table.route('x').get(end)
    table.route('all').all(end)
    return serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes: table }), table))
  }

  test.each([
    ['get', 200, 200],
    ['Head', 200, 200],
    ['brew', 404, 200],
    ['BREW', 404, 200],
    ['post', 404, 200],
    // The answer to OPTIONS is for requests that came as such.
    ['OPTIONS', 404, 200],
  ])('middleware may make it %s', async (method, named, all) => {
    const { get } = await at(method)
    expect([(await get('/x')).status, (await get('/all')).status]).toEqual([named, all])
  })
})

test.each([
  ['/a/b', /\/b/],
  ['/ab', /^\/a/],
])(
  '%s: what %s matches is not the beginning of the path, segment by segment, and is passed by',
  async (path, regexp) => {
    const table = namedRoutes({ any: '/*rest' }).use(regexp, (_req, res) => void res.json('entered'))
    table.route('any').get(end)
    const { get } = await serve((app) => app.use(table))
    expect((await get(path)).json).toBe(path)
  },
)

test('a route is entered for HEAD whatever it has, and does nothing there', async () => {
  const asked: string[] = []
  const table = namedRoutes({ x: '/:id' })
  table.param('id', (req, _res, next, value) => {
    asked.push(`${req.method} ${value}`)
    next()
  })
  table.route('x').post(end)
  const { send } = await serve((app) => app.use(table))
  expect([(await send('HEAD', '/a')).status, (await send('GET', '/b')).status, asked]).toEqual([404, 404, ['HEAD a']])
})

describe('callbacks of param()', () => {
  const calls: unknown[] = []
  const serving = (
    callback: Parameters<ReturnType<typeof namedRoutes>['param']>[1],
    handlers: RequestHandler[] = [pass],
  ) => {
    calls.length = 0
    const table = namedRoutes({ first: '/:id/:other', second: '/:id/x', third: '/:other/x' })
    table.param('id', (req, res, next, value, name) => {
      calls.push([name, value])
      return callback(req, res, next, value, name)
    })
    table.route('first').get(...handlers)
    table.route('second').get(...handlers)
    table.route('third').get((req, res) => void res.json(req.params))
    return serve((app) => app.use(table))
  }

  test('run once for a value', async () => {
    const { get } = await serving((_req, _res, next) => next())
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect(calls).toEqual([['id', '7']])
  })

  test.each<[what: string, fail: () => unknown, message: string]>([
    [
      'throws',
      () => {
        throw new Error('thrown')
      },
      'thrown',
    ],
    ['rejects', () => Promise.reject(new Error('rejected')), 'rejected'],
    ['rejects with nothing', () => Promise.reject(undefined), 'Rejected promise'],
  ])('one that %s fails the request', async (_what, fail, error) => {
    const { get } = await serving(() => fail())
    expect(await get('/7/x')).toMatchObject({ status: 500, json: { error } })
    expect(calls).toEqual([['id', '7']])
  })

  test('one that declines is asked again for the next route, with the same value', async () => {
    const { get } = await serving((_req, _res, next) => next('route'), [end])
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect(calls).toEqual([['id', '7']])
  })

  test('one that puts another value in its place does so for all routes', async () => {
    const seen: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(req.params.id)
      next()
    }
    const { get } = await serving(
      (req, _res, next, value) => {
        req.params.id = `${value}!`
        next()
      },
      [note],
    )
    expect((await get('/7/x')).json).toEqual({ other: '7' })
    expect([seen, calls]).toEqual([['7!', '7!'], [['id', '7']]])
  })

  test('one that failed is not asked again, whatever the value: its error stands', async () => {
    const asked: string[] = []
    const table = namedRoutes({ x: '/:id/x' })
    table.param('id', (_req, _res, next, value) => {
      asked.push(value)
      next(new Error(`not ${value}`))
    })
    table.route('x').get(end)
    table.use('/7/:id', pass)
    const { get } = await serve((app) => app.use(table))
    expect((await get('/7/x')).json).toMatchObject({ error: 'not 7' })
    expect(asked).toEqual(['7'])
  })

  test.each<[what: string, signal: string | undefined]>([
    ['accepted', undefined],
    ['declined', 'route'],
  ])('another value is asked about again, after one that was %s; by each callback in turn', async (_what, signal) => {
    const asked: unknown[] = []
    const table = namedRoutes({ first: '/:id/b', second: '/a/:id' })
    for (const turn of [1, 2]) {
      table.param('id', (_req, _res, next, value) => {
        asked.push([turn, value])
        next(turn === 2 && value === 'a' ? signal : undefined)
      })
    }
    table.route('first').get(pass)
    table.route('second').get((req, res) => void res.json(req.params))
    const { get } = await serve((app) => app.use(table))
    expect((await get('/a/b')).json).toEqual({ id: 'b' })
    expect(asked).toEqual([
      [1, 'a'],
      [2, 'a'],
      [1, 'b'],
      [2, 'b'],
    ])
  })

  test('an optional parameter that is not there, or that a callback took away, has none', async () => {
    const asked: string[] = []
    const table = namedRoutes({ x: '/x{/:id}{/:other}', y: '/*rest' })
    table.param('id', (req, _res, next, _value, name) => {
      asked.push(name)
      delete (req.params as Record<string, unknown>).other
      next()
    })
    table.param('other', (_req, _res, next, _value, name) => {
      asked.push(name)
      next()
    })
    table.route('x').get((req, res) => void res.json(req.params))
    const { get } = await serve((app) => app.use(table))
    expect([(await get('/x')).json, (await get('/x/1/2')).json, asked]).toEqual([{}, { id: '1' }, ['id']])
  })
})

describe('middleware that was handed the whole path may move the request, which goes on as behind a router', () => {
  const sayUrl: RequestHandler = (req, res) => void res.json([req.baseUrl, req.url])
  const cases: [mount: RegExp, path: string, moved: string, seen: string][] = [
    [/^\/a/, '/a', '/other', '/a/other'],
    [/^\/a/, '/a', '/', '/a'],
    [/^\/a/, '/a', '/?x=1', '/a?x=1'],
    [/^\/a\//, '/a/', '/other', '/a/other'],
    [/^\/a\//, '/a/', 'other', '/a/other'],
  ]

  test.each(cases)('%s, %s, to %s', async (mount, path, moved, seen) => {
    const move: RequestHandler = (req, _res, next) => {
      req.url = moved
      next()
    }
    const { get } = await serve((app) => {
      app.use('/table', namedRoutes({}).use(mount, move).use(sayUrl))
      app.use(
        '/router',
        Router()
          .use(mount as never, move as never)
          .use(sayUrl as never) as never,
      )
    })
    expect((await get(`/table${path}`)).json).toEqual(['/table', seen])
    expect((await get(`/router${path}`)).json).toEqual(['/router', seen])
  })
})
