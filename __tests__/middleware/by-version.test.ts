import express, { type Application, type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import {
  type ByVersionOptions,
  byVersion,
  namedRoutes,
  QueryParameterVersioning,
  servedVersion,
  type VersionHandler,
  versioning,
} from 'express-versioning'
import { major } from '../support/major'
import { type Served, serve } from '../support/serve'

const say =
  (text: string): RequestHandler =>
  (req, res) =>
    void res.json(`${text} ${req.version} ${servedVersion(req)}`)
const go: RequestHandler = (_req, _res, next) => next()

const versions = (allowedVersions?: (string | null)[], defaultVersion?: string) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions, defaultVersion })

const at = (version: string | undefined, path = '/') => (version === undefined ? path : `${path}?version=${version}`)

async function outcome(server: Served, version?: string, path = '/'): Promise<unknown> {
  const answer = await server.get(at(version, path))
  return answer.status === 200 ? answer.json : `${answer.status} ${(answer.json as { error?: string })?.error}`
}

const UNHANDLED = '404 No handler for this version.'

describe('dispatches by req.version', () => {
  const handlers = { v1: say('one'), v3: [go, [go, [say('three')]]], v4: undefined }
  const rest = { otherwise: say('rest') }
  const list = ['v1', 'v2', 'v3', 'v4', null]

  test.each<[options: ByVersionOptions, outcomes: Record<string, string>]>([
    [{}, { v1: 'one v1 v1', v2: UNHANDLED, v3: 'three v3 v3', v4: UNHANDLED, none: UNHANDLED }],
    [
      { fallback: 'lower' },
      { v1: 'one v1 v1', v2: 'one v2 v1', v3: 'three v3 v3', v4: 'three v4 v3', none: UNHANDLED },
    ],
    [rest, { v1: 'one v1 v1', v2: 'rest v2 null', v3: 'three v3 v3', v4: 'rest v4 null', none: 'rest null null' }],
    [
      { ...rest, fallback: 'lower' },
      { v1: 'one v1 v1', v2: 'one v2 v1', v3: 'three v3 v3', v4: 'three v4 v3', none: 'rest null null' },
    ],
    [
      { otherwise: undefined, fallback: undefined },
      { v1: 'one v1 v1', v2: UNHANDLED, none: UNHANDLED },
    ],
  ])('%j: %j', async (options, outcomes) => {
    const server = await serve((app) => app.use(versions(list), byVersion(handlers, options)))
    for (const [version, expected] of Object.entries(outcomes)) {
      expect([version, await outcome(server, version === 'none' ? undefined : version)]).toEqual([version, expected])
    }
  })

  test.each<[title: string, list: string[], own: string[], served: Record<string, string | typeof UNHANDLED>]>([
    ['never a higher one', ['v1', 'v2', 'v3'], ['v2'], { v1: UNHANDLED, v2: 'v2', v3: 'v2' }],
    ['in the order of the list, not of the names', ['9', '10', '2'], ['10'], { 9: UNHANDLED, 10: '10', 2: '10' }],
    ['nor of the handlers', ['v1', 'v2', 'v3'], ['v3', 'v1'], { v1: 'v1', v2: 'v1', v3: 'v3' }],
  ])("'lower': %s", async (_title, allowed, own, served) => {
    const handlers = Object.fromEntries(own.map((version) => [version, say('by')]))
    const server = await serve((app) => app.use(versions(allowed), byVersion(handlers, { fallback: 'lower' })))
    for (const [version, by] of Object.entries(served)) {
      const expected = by === UNHANDLED ? UNHANDLED : `by ${version} ${by}`
      expect([version, await outcome(server, version)]).toEqual([version, expected])
    }
  })

  test.each<[own: string[], served: Record<string, string>]>([
    [['v0', 'v2'], { v0: 'v0', v1: UNHANDLED, v2: 'v2', v3: 'v2' }],
    [['v2'], { v0: 'v2', v1: UNHANDLED, v2: 'v2', v3: 'v2' }],
    [['v0'], { v0: 'v0', v1: UNHANDLED, v2: UNHANDLED, v3: UNHANDLED }],
  ])("'lower': a default that is not listed is the newest: handlers of %j", async (own, served) => {
    const handlers = Object.fromEntries(own.map((version) => [version, say('by')]))
    const server = await serve((app) =>
      app.use(versions(['v1', 'v2', 'v3'], 'v0'), byVersion(handlers, { fallback: 'lower' })),
    )
    for (const [version, by] of Object.entries(served)) {
      const expected = by === UNHANDLED ? UNHANDLED : `by ${version} ${by}`
      expect([version, await outcome(server, version)]).toEqual([version, expected])
    }
  })

  test("'lower': a default that is listed keeps its place", async () => {
    const server = await serve((app) =>
      app.use(versions(['v1', 'v2', 'v3'], 'v1'), byVersion({ v2: say('two') }, { fallback: 'lower' })),
    )
    expect([await outcome(server), await outcome(server, 'v3')]).toEqual([UNHANDLED, 'two v3 v2'])
  })

  test('the error tells what would have been served, and echoes nothing', async () => {
    const errors: unknown[] = []
    const collect: ErrorRequestHandler = (error, req, _res, next) => {
      errors.push([error.name, error.status, error.code, error.version, error.allowedVersions, servedVersion(req)])
      next(error)
    }
    const app = (options?: ByVersionOptions) =>
      serve((app) => app.use(versions(['v1', 'v2', 'v3', 'zq9']), byVersion({ v3: go, v2: go }, options), collect))
    const answer = await (await app()).get(at('zq9'))
    expect([answer.status, answer.json]).toEqual([
      404,
      { error: 'No handler for this version.', code: 'ERR_VERSION_UNHANDLED', name: 'NotFound' },
    ])
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain('zq9')
    await (await app({ fallback: 'lower' })).get(at('v1'))
    expect(errors).toEqual([
      ['NotFound', 404, 'ERR_VERSION_UNHANDLED', 'zq9', ['v3', 'v2'], undefined],
      ['NotFound', 404, 'ERR_VERSION_UNHANDLED', 'v1', ['v2', 'v3', 'zq9'], undefined],
    ])
  })

  test('a CORS preflight, which cannot name a version, goes on', async () => {
    const server = await serve((app) =>
      app.use(versions(['v1']), byVersion({ v1: say('one') }), (_req, res) => void res.json('on')),
    )
    const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
    expect((await server.send('OPTIONS', '/', preflight)).json).toBe('on')
    expect((await server.send('OPTIONS', '/?version=v1', preflight)).json).toBe('one v1 v1')
    expect((await server.send('OPTIONS', '/')).status).toBe(404)
  })

  test('servedVersion() is undefined before anything was served', async () => {
    expect(servedVersion({} as Request)).toBeUndefined()
    const server = await serve((app) =>
      app.use(versions(), (req, res) => void res.json([servedVersion(req) === undefined])),
    )
    expect((await server.get('/')).json).toEqual([true])
  })
})

describe('a chain behaves as Express has it', () => {
  const trail =
    (name: string): RequestHandler =>
    (_req, res, next) => {
      res.locals.trail = `${res.locals.trail ?? ''}${name}`
      next()
    }
  const finish: RequestHandler = (_req, res) => void res.json(`${res.locals.trail}z`)
  const fault: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.json(`${res.locals.trail} failed with ${error?.message ?? error}`)
  const later = () => new Promise((done) => setTimeout(done, 2))

  // biome-ignore lint/suspicious/noThenProperty: it stands for the promises that libraries make
  const theirs = { then: (_done: unknown, failed: (error: Error) => void) => failed(new Error('theirs')) }
  const links: [title: string, link: RequestHandler, outcome: string][] = [
    ['next()', (_req, _res, next) => next(), 'abz'],
    ["next('route')", (_req, _res, next) => next('route'), 'a-route'],
    ["next('router')", (_req, _res, next) => next('router'), 'a-router'],
    ['next(error)', (_req, _res, next) => next(new Error('no')), 'a failed with no'],
    ["next('text')", (_req, _res, next) => next('text'), 'a failed with text'],
    ['next(0)', (_req, _res, next) => next(0), 'abz'],
    ['next(null)', (_req, _res, next) => next(null), 'abz'],
    [
      'throw',
      () => {
        throw new Error('thrown')
      },
      'a failed with thrown',
    ],
    [
      'throw undefined',
      () => {
        throw undefined
      },
      'a failed with Thrown without an error',
    ],
    ['an async next()', async (_req, _res, next) => later().then(() => next()), 'abz'],
    [
      'an async next(error)',
      async (_req, _res, next) => later().then(() => next(new Error('late'))),
      'a failed with late',
    ],
    [
      'a rejection',
      async () => {
        throw new Error('rejected')
      },
      'a failed with rejected',
    ],
    [
      'a rejection later',
      async () => {
        await later()
        throw new Error('rejected')
      },
      'a failed with rejected',
    ],
    ['a rejection with nothing', () => Promise.reject(), 'a failed with Rejected promise'],
    ["a library's rejected promise", () => theirs as unknown as undefined, 'a failed with theirs'],
  ]

  const chains: [title: string, chain: (link: RequestHandler) => VersionHandler][] = [
    ['flat', (link) => [trail('a'), link, trail('b'), finish]],
    ['nested', (link) => [[trail('a')], [[link, [trail('b')]], finish]]],
    ['through a router', (link) => [express.Router().use(trail('a')), link, trail('b'), finish]],
  ]

  describe.each(chains)('%s', (_title, chain) => {
    test.each(links)('%s', async (title, link, expected) => {
      const handlers = flat(chain(link))
      expect(await outcome(await around(byVersion({ v1: chain(link) })), 'v1')).toBe(expected)
      // Express 4 lets rejections hang, and Express ignores falsy errors.
      if (!/undefined|library/.test(title) && (major === 5 || !/promise|rejection/.test(title))) {
        expect(await outcome(await around(handlers), 'v1')).toBe(expected)
      }
    })
  })

  const flat = (chain: VersionHandler) => ([chain] as unknown[]).flat(Number.POSITIVE_INFINITY) as RequestHandler[]

  /** Serves handlers on a route of a router. The answer shows how far the request came. */
  function around(handlers: RequestHandler | RequestHandler[]): Promise<Served> {
    const ended: RequestHandler = (_req, res) => void res.json(`${res.locals.trail}-${res.locals.where}`)
    const where =
      (name: string): RequestHandler =>
      (_req, res, next) => {
        res.locals.where = name
        next()
      }
    return serve((app) => {
      const router = express.Router()
      router.get('/', versions(['v1']), handlers).use(where('route'), ended)
      app.use(router).use(where('router'), ended).use(fault)
    })
  }
})

describe('a router', () => {
  const router = (text: string) =>
    express
      .Router()
      .get('/:id', (req, res) => void res.json([text, req.baseUrl, req.url, req.params]))
      .get('/', (req, res) => void res.json([text, req.baseUrl]))

  test('serves below the mount, keeps its parameters and falls through', async () => {
    const server = await serve((app) =>
      app
        .use(versions(['v1', 'v2']))
        .use('/shops/:shop/users', byVersion({ v1: router('one'), v2: [go, router('two')] }))
        .use((req, res) => void res.json(['fell', req.baseUrl, req.url])),
    )
    const get = async (path: string) => (await server.get(path)).json
    expect(await get('/shops/7/users/3?version=v1')).toEqual(['one', '/shops/7/users', '/3?version=v1', { id: '3' }])
    expect(await get('/shops/7/users?version=v2')).toEqual(['two', '/shops/7/users'])
    expect(await get('/shops/7/users/3/x?version=v2')).toEqual(['fell', '', '/shops/7/users/3/x?version=v2'])
  })

  test('or a namedRoutes() table, whose links stay in the version', async () => {
    const table = (text: string) => {
      const routes = namedRoutes({ user: '/:id' })
      routes.route('user').get((req, res) => void res.json([text, req.params.id, req.reverse('user', { args: [8] })]))
      return routes
    }
    const server = await serve((app) =>
      app.use('/users', versions(['v1', 'v2']), byVersion({ v1: table('one'), v2: table('two') })),
    )
    expect((await server.get('/users/7?version=v2')).json).toEqual(['two', '7', '/users/8?version=v2'])
  })
})

describe('a sub-app', () => {
  const view = (req: Request) => [
    req.app.get('name'),
    req.version,
    typeof req.reverse,
    req.baseUrl,
    req.app.get('trust proxy'),
  ]
  const subApp = (name: string, answer: boolean): Application => {
    const app = express().set('name', name)
    return app.use((req, res, next) => {
      res.locals[name] = view(req)
      if (answer) res.json(res.locals)
      else next()
    })
  }

  test('has the version, its own settings and those it inherits; falling through, it leaves all as it was', async () => {
    const server = await serve((app) => {
      app.set('name', 'outer').set('trust proxy', 'loopback')
      app.use(versions(['v1', 'v2']), (req, res, next) => {
        res.locals.prototypes = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
        next()
      })
      app.use('/api', byVersion({ v1: [subApp('first', false), subApp('second', false)], v2: subApp('only', true) }))
      app.use((req, res) => {
        const [request, response] = res.locals.prototypes
        delete res.locals.prototypes
        const same = Object.getPrototypeOf(req) === request && Object.getPrototypeOf(res) === response
        res.json({ ...res.locals, outer: view(req), same, app: req.app === app, own: res.app === app })
      })
    })
    const inner = (name: string, version: string) => [name, version, 'function', '/api', 'loopback']
    // The second request must not mount the app again.
    for (let turn = 0; turn < 2; turn++) {
      expect((await server.get('/api?version=v1')).json).toEqual({
        first: inner('first', 'v1'),
        second: inner('second', 'v1'),
        outer: ['outer', 'v1', 'function', '', 'loopback'],
        same: true,
        app: true,
        own: true,
      })
      expect((await server.get('/api?version=v2')).json).toMatchObject({ only: inner('only', 'v2') })
    }
  })
})

describe('programmer errors', () => {
  const loosely = byVersion as (handlers?: unknown, options?: unknown) => RequestHandler
  const message = async (server: Served, version?: string) => {
    const answer = await server.get(at(version))
    expect([answer.status, (answer.json as { name: string }).name]).toEqual([500, 'TypeError'])
    return (answer.json as { error: string }).error
  }

  const fourArguments: ErrorRequestHandler = (_error, _req, _res, _next) => undefined
  test.each<[handlers: unknown, options: unknown, message: string]>([
    [undefined, {}, 'byVersion() takes an object of handlers by version; got undefined.'],
    [null, {}, 'byVersion() takes an object of handlers by version; got null.'],
    [[go], {}, 'byVersion() takes an object of handlers by version; got [ [Function: go] ].'],
    [{}, {}, 'byVersion() takes a handler for one version at least; got {}.'],
    [{ v1: undefined }, {}, 'byVersion() takes a handler for one version at least; got { v1: undefined }.'],
    [{ v1: [] }, {}, 'byVersion(): "v1" takes a handler or an array of them; got an empty one.'],
    [{ v1: [go, undefined] }, {}, 'byVersion(): "v1" takes a handler or an array of them; got undefined.'],
    [
      { v1: go },
      { otherwise: fourArguments },
      'byVersion(): "otherwise" takes request handlers; got an error handler (four arguments), which belongs behind the route.',
    ],
    [{ v1: go }, { fallback: 'higher' }, `byVersion(): option "fallback" takes 'lower' or 'inherit'; got 'higher'.`],
  ])('%#: told at construction', (handlers, options, expected) => {
    expect(() => loosely(handlers, options)).toThrow(new TypeError(expected))
  })

  test.each(['lower', 'inherit'] as const)('%p without allowedVersions', async (fallback) => {
    const server = await serve((app) => app.use(versions(undefined, 'v1'), byVersion({ v1: go }, { fallback })))
    for (const version of ['v1', undefined]) {
      expect(await message(server, version)).toBe(
        `byVersion(): fallback '${fallback}' needs allowedVersions, whose order (oldest first) tells what is lower.`,
      )
    }
  })

  test('no versioning() in front', async () => {
    const told = 'byVersion() needs a versioning() in front of it, which decides the version of the request.'
    const dispatch = byVersion({ v1: say('one') }, { otherwise: say('rest') })
    const server = await serve((app) => app.use('/behind', versions(['v1']), dispatch).use(dispatch))
    expect(await message(server)).toBe(told)
    // The same holds after another request passed one.
    expect(await outcome(server, 'v1', '/behind')).toBe('one v1 v1')
    expect(await message(server)).toBe(told)
  })

  test('behind a refusal that somebody swallowed', async () => {
    const swallow: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const server = await serve((app) =>
      app.use(versions(['v1']), swallow, byVersion({ v1: say('one') }, { otherwise: say('rest') })),
    )
    expect(await message(server, 'v9')).toContain('needs a versioning() in front of it')
  })
})
