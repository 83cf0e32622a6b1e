import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  type ByVersionOptions,
  byVersion,
  namedRoutes,
  QueryParameterVersioning,
  servedVersion,
  URLPathVersioning,
  type VersionHandler,
  versioning,
} from 'express-versioning'
import { type Served, serve } from '../support/serve'

// `fallback: 'inherit'`: what a version passes on goes to the closest lower one that has handlers.

const LIST = ['v1', 'v2', 'v3', 'v4']
const INHERIT: ByVersionOptions = { fallback: 'inherit' }
const UNHANDLED = 'No handler for this version.'

/** Notes that it ran, whose handler it counts as, and goes on. */
const pass =
  (name: string): RequestHandler =>
  (req, res, next) => {
    res.locals.trail = [...(res.locals.trail ?? []), `${name}:${servedVersion(req)}`]
    next()
  }
const answer =
  (name: string): RequestHandler =>
  (req, res) =>
    void res.json([...(res.locals.trail ?? []), `${name}:${servedVersion(req)}`])
const later = () => new Promise((done) => setTimeout(done, 2))

const decide = (allowedVersions: (string | null)[] = LIST, defaultVersion?: string) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions, defaultVersion })

/** What an app answers that is left by a `byVersion()`, or gets an error of it. */
function leaving(handlers: Record<string, VersionHandler>, options = INHERIT, list: (string | null)[] = LIST) {
  return serve((app) => {
    const ended = (where: string): RequestHandler => answer(where)
    const failed: ErrorRequestHandler = (error, req, res, _next) =>
      void res.json([...(res.locals.trail ?? []), `${error?.message ?? error}:${servedVersion(req)}`])
    const router = Router().get('/', decide(list), byVersion(handlers, options), ended('same route'))
    app.use(router.use(ended('next layer')), ended('next router'), failed)
  })
}

const trail = async (server: Served, version: string | undefined) =>
  (await server.get(version === undefined ? '/' : `/?version=${version}`)).json

describe('who serves', () => {
  const two = { v1: answer('one'), v3: [pass('a'), pass('b')] }

  test.each<[title: string, handlers: Record<string, VersionHandler>, served: Record<string, string[]>]>([
    [
      "the closest lower version, as by 'lower', where a version has no handlers",
      two,
      { v1: ['one:v1'], v2: ['one:v1'], v3: ['a:v3', 'b:v3', 'one:v1'], v4: ['a:v3', 'b:v3', 'one:v1'] },
    ],
    [
      'each lower version in turn, and the next handler where the lowest passes on',
      { v1: pass('one'), v2: pass('two'), v4: pass('four') },
      {
        v1: ['one:v1', 'same route:v1'],
        v2: ['two:v2', 'one:v1', 'same route:v1'],
        v3: ['two:v2', 'one:v1', 'same route:v1'],
        v4: ['four:v4', 'two:v2', 'one:v1', 'same route:v1'],
      },
    ],
    [
      'never a higher one, and nobody below the lowest',
      { v4: answer('four'), v2: pass('two') },
      { v1: [`${UNHANDLED}:undefined`], v2: ['two:v2', 'same route:v2'], v4: ['four:v4'] },
    ],
    ['nobody more where a version answers', { v1: answer('one'), v2: answer('two') }, { v2: ['two:v2'] }],
  ])('%s', async (_title, handlers, served) => {
    const server = await leaving(handlers)
    for (const [version, expected] of Object.entries(served)) {
      // Twice: the second finds what the first compiled.
      expect([version, await trail(server, version)]).toEqual([version, expected])
      expect([version, await trail(server, version)]).toEqual([version, expected])
    }
  })

  test('in the order of the list, in which a default that is not listed is the newest', async () => {
    const handlers = { 9: answer('nine'), 10: pass('ten'), 2: pass('two'), 0: pass('zero') }
    const server = await serve((app) => app.use(decide(['9', '10', '2'], '0'), byVersion(handlers, INHERIT)))
    expect(await trail(server, undefined)).toEqual(['zero:0', 'two:2', 'ten:10', 'nine:9'])
    expect(await trail(server, '10')).toEqual(['ten:10', 'nine:9'])
  })

  test('`otherwise` serves what no version does, and not what the lowest passes on', async () => {
    const options: ByVersionOptions = { ...INHERIT, otherwise: [pass('rest'), answer('otherwise')] }
    const server = await leaving({ v2: pass('two'), v3: pass('three') }, options, [...LIST, null])
    expect(await trail(server, undefined)).toEqual(['rest:null', 'otherwise:null'])
    expect(await trail(server, 'v1')).toEqual(['rest:null', 'otherwise:null'])
    expect(await trail(server, 'v4')).toEqual(['three:v3', 'two:v2', 'same route:v2'])
  })

  test('other fallbacks pass on to nobody', async () => {
    for (const options of [{}, { fallback: 'lower' }] as const) {
      const server = await leaving({ v1: answer('one'), v2: pass('two') }, options)
      expect(await trail(server, 'v2')).toEqual(['two:v2', 'same route:v2'])
    }
  })

  test('one byVersion() behind two schemes inherits in the order of each', async () => {
    const both = byVersion({ v1: pass('one'), v2: pass('two') }, INHERIT)
    const server = await serve((app) =>
      app
        .use('/up', decide(['v1', 'v2']), both)
        .use('/down', decide(['v2', 'v1']), both)
        .use(answer('end')),
    )
    for (let turn = 0; turn < 2; turn++) {
      expect((await server.get('/up?version=v2')).json).toEqual(['two:v2', 'one:v1', 'end:v1'])
      expect((await server.get('/down?version=v2')).json).toEqual(['two:v2', 'end:v2'])
      expect((await server.get('/down?version=v1')).json).toEqual(['one:v1', 'two:v2', 'end:v2'])
    }
  })

  test('a version that is not accepted has no part in it', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const server = await leaving({ v0: answer('zero'), v2: pass('two'), v9: answer('nine') })
    expect(await trail(server, 'v4')).toEqual(['two:v2', 'same route:v2'])
    expect(await trail(server, 'v1')).toEqual([`${UNHANDLED}:undefined`])
    expect(warned).toHaveBeenCalledTimes(1)
    warned.mockRestore()
  })

  test('a thousand versions that all pass on', async () => {
    const list = Array.from({ length: 1000 }, (_, index) => `v${index}`)
    const handlers = Object.fromEntries(list.map((version) => [version, go]))
    const server = await serve((app) => app.use(decide(list), byVersion(handlers, INHERIT), answer('end')))
    expect(await trail(server, 'v999')).toEqual(['end:v0'])
  })

  test('a CORS preflight takes the same way, and goes on where it names no version', async () => {
    const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
    const server = await serve((app) =>
      app.use(decide(), byVersion({ v1: answer('one'), v2: pass('two') }, INHERIT), answer('end')),
    )
    expect((await server.send('OPTIONS', '/?version=v2', preflight)).json).toEqual(['two:v2', 'one:v1'])
    expect((await server.send('OPTIONS', '/', preflight)).json).toEqual(['end:undefined'])
  })
})

const go: RequestHandler = (_req, _res, next) => next()

describe('what leaves', () => {
  const links: [title: string, link: RequestHandler, end: string][] = [
    ["next('route')", (_req, _res, next) => next('route'), 'next layer'],
    ["next('router')", (_req, _res, next) => next('router'), 'next router'],
    ['next(error)', (_req, _res, next) => next(new Error('no')), 'no'],
    ["next('text')", (_req, _res, next) => next('text'), 'text'],
    [
      'a throw',
      () => {
        throw new Error('thrown')
      },
      'thrown',
    ],
    [
      'a rejection',
      async () => {
        await later()
        throw new Error('rejected')
      },
      'rejected',
    ],
    ['a late next(error)', async (_req, _res, next) => later().then(() => next(new Error('late'))), 'late'],
    ["a late next('route')", async (_req, _res, next) => later().then(() => next('route')), 'next layer'],
  ]

  test.each(links)('%s, of the first version, of a lower one, and of the lowest', async (_title, link, end) => {
    const one = answer('never')
    expect(await trail(await leaving({ v1: one, v2: link }), 'v2')).toEqual([`${end}:v2`])
    expect(await trail(await leaving({ v1: one, v2: [pass('two'), link, one] }), 'v4')).toEqual(['two:v2', `${end}:v2`])
    expect(await trail(await leaving({ v1: one, v2: link, v3: pass('three') }), 'v3')).toEqual([
      'three:v3',
      `${end}:v2`,
    ])
    expect(await trail(await leaving({ v1: [pass('one'), link], v2: pass('two') }), 'v2')).toEqual([
      'two:v2',
      'one:v1',
      `${end}:v1`,
    ])
  })

  test.each<[title: string, link: RequestHandler]>([
    ['next()', (_req, _res, next) => next()],
    ['next(null)', (_req, _res, next) => next(null)],
    ['a late next()', (_req, _res, next) => void setTimeout(next, 2)],
    ['an async handler that calls next()', async (_req, _res, next) => later().then(() => next())],
  ])('not %s', async (_title, link) => {
    const server = await leaving({ v1: answer('one'), v3: [link, pass('three'), link] })
    expect(await trail(server, 'v4')).toEqual(['three:v3', 'one:v1'])
  })
})

test('servedVersion() is that whose handlers run now, through other byVersion() too', async () => {
  const inner = byVersion({ v1: pass('inner one'), v2: pass('inner two') }, INHERIT)
  const server = await leaving({ v1: [inner, pass('one')], v2: pass('two'), v3: [pass('a'), inner, pass('b')] })
  expect(await trail(server, 'v3')).toEqual([
    'a:v3',
    'inner two:v2',
    'inner one:v1',
    'b:v3',
    'two:v2',
    'inner two:v2',
    'inner one:v1',
    'one:v1',
    'same route:v1',
  ])
})

describe('routers hold only what changed', () => {
  const seen =
    (name: string): RequestHandler =>
    (req, res) =>
      void res.json([name, servedVersion(req), req.baseUrl, req.url, req.params])
  const v1 = Router().get('/', seen('list 1')).get('/:id', seen('user 1')).delete('/:id', seen('delete 1'))
  const v3 = Router().get('/:id', seen('user 3'))
  const nested = Router().use('/deep', Router().get('/:other/x', go))

  const start = (routers: Record<string, VersionHandler>) =>
    serve((app) => app.use(decide()).use('/shops/:shop/users', byVersion(routers, INHERIT)).use(seen('fell')))

  test.each<[method: string, path: string, expected: unknown[]]>([
    ['GET', '/7?version=v1', ['user 1', 'v1', '/7?version=v1', { id: '7' }]],
    ['GET', '/7?version=v2', ['user 1', 'v1', '/7?version=v2', { id: '7' }]],
    ['GET', '/7?version=v3', ['user 3', 'v3', '/7?version=v3', { id: '7' }]],
    ['GET', '/7?version=v4', ['user 3', 'v3', '/7?version=v4', { id: '7' }]],
    ['GET', '?version=v4', ['list 1', 'v1', '/?version=v4', {}]],
    ['DELETE', '/7?version=v3', ['delete 1', 'v1', '/7?version=v3', { id: '7' }]],
  ])('%s %s', async (method, path, [name, version, url, params]) => {
    for (const newest of [v3, [go, v3], [nested, v3], [v3, nested]]) {
      const server = await start({ v1, v3: newest })
      const { json } = await server.send(method, `/shops/9/users${path}`)
      expect(json).toEqual([name, version, '/shops/9/users', url, params])
    }
  })

  test('url, mount and parameters are as they came where all have passed on', async () => {
    const server = await start({ v1, v2: [nested, go], v3 })
    expect((await server.get('/shops/9/users/deep/a/x?version=v3')).json).toEqual([
      'fell',
      'v1',
      '',
      '/shops/9/users/deep/a/x?version=v3',
      {},
    ])
  })

  test('a router that is left, or whose own error handler goes on, has passed on', async () => {
    const left = Router().use((_req, _res, next) => next('router'))
    const caught: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const failing = Router()
      .use((_req, _res, next) => next(new Error('caught')))
      .use(caught)
    for (const newest of [left, failing]) {
      expect((await (await start({ v1, v2: newest })).get('/shops/9/users/7?version=v2')).json).toContain('user 1')
    }
  })

  test("a router's error goes to the error handlers, and to no lower version", async () => {
    const throwing: RequestHandler = () => {
      throw new Error('denied')
    }
    const table = namedRoutes({ user: '/:id' })
    table.route('user').get(async () => Promise.reject(new Error('denied')))
    for (const router of [Router().get('/:id', throwing), express().use(throwing), table]) {
      const answered = await (await start({ v1, v2: router })).get('/shops/9/users/7?version=v2')
      expect([answered.status, answered.json]).toEqual([500, expect.objectContaining({ error: 'denied' })])
    }
  })

  test("tables too, whose links stay in the version and whose names are each table's own", async () => {
    const tableOf = (name: string, paths: Record<string, string>) => {
      const table = namedRoutes(paths)
      for (const route of Object.keys(paths)) {
        table
          .route(route)
          .get((req, res) => void res.json([name, route, req.params, req.reverse(route, { args: [8] })]))
      }
      return table
    }
    const server = await serve((app) =>
      app.use(
        '/users',
        decide(),
        byVersion(
          { v1: tableOf('one', { user: '/:id', old: '/old/:id' }), v2: tableOf('two', { user: '/:id' }) },
          INHERIT,
        ),
      ),
    )
    const get = async (path: string) => (await server.get(path)).json
    expect(await get('/users/7?version=v2')).toEqual(['two', 'user', { id: '7' }, '/users/8?version=v2'])
    expect(await get('/users/old/7?version=v2')).toEqual(['one', 'old', { id: '7' }, '/users/old/8?version=v2'])
  })

  test('apps too, which leave the request as it was', async () => {
    const app2 = express()
      .set('name', 'two')
      .get('/changed', (req, res) => void res.json(req.app.get('name')))
    const app1 = express()
      .set('name', 'one')
      .get('/kept', (req, res) => void res.json([req.app.get('name'), req.version, servedVersion(req), req.baseUrl]))
    const server = await serve((app) => {
      app.set('name', 'outer').use('/api', decide(), byVersion({ v1: app1, v2: app2 }, INHERIT))
      app.use((req, res) => void res.json([req.app.get('name'), req.app === app]))
    })
    expect((await server.get('/api/changed?version=v2')).json).toBe('two')
    expect((await server.get('/api/kept?version=v2')).json).toEqual(['one', 'v2', 'v1', '/api'])
    expect((await server.get('/api/none?version=v2')).json).toEqual(['outer', true])
  })

  test('below a mount whose parameter is the version', async () => {
    const routers = { v1: Router({ mergeParams: true }).get('/kept', seen('kept')), v2: Router() }
    const server = await serve((app) =>
      app.use(
        '/:version',
        versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }),
        byVersion(routers, INHERIT),
      ),
    )
    expect((await server.get('/v2/kept')).json).toEqual(['kept', 'v1', '/v2', '/kept', { version: 'v2' }])
    expect((await server.get('/v9/kept')).status).toBe(404)
  })
})
