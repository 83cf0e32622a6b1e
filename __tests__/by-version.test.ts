import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  byVersion,
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  servedVersion,
  type VersionHandler,
  versioning,
} from 'express-versioning'
import { serve } from './support/serve'

const V = ['v1', 'v2', 'v3', 'v4']
const query = (settings: object = { allowedVersions: V }) =>
  versioning({ scheme: QueryParameterVersioning, ...settings })
const says =
  (text: string): RequestHandler =>
  (req, res) =>
    void res.json({ by: text, version: req.version, served: servedVersion(req) })

const UNHANDLED = { error: 'No handler for this version.', code: 'ERR_VERSION_UNHANDLED', name: 'NotFound' }

describe('which handler serves', () => {
  const own = { v2: says('two'), v4: says('four') }
  test.each<[string, object, string, number, object]>([
    ['its own', {}, 'v2', 200, { by: 'two', version: 'v2', served: 'v2' }],
    ['none', {}, 'v3', 404, UNHANDLED],
    ['a lower one', { fallback: 'lower' }, 'v3', 200, { by: 'two', version: 'v3', served: 'v2' }],
    ['its own before a lower one', { fallback: 'lower' }, 'v4', 200, { by: 'four', version: 'v4', served: 'v4' }],
    ['never a higher one', { fallback: 'lower' }, 'v1', 404, UNHANDLED],
    ['otherwise', { otherwise: says('rest') }, 'v1', 200, { by: 'rest', version: 'v1', served: null }],
    [
      'otherwise where no lower one is',
      { fallback: 'lower', otherwise: says('rest') },
      'v1',
      200,
      { by: 'rest', version: 'v1', served: null },
    ],
    [
      'a lower one before otherwise',
      { fallback: 'lower', otherwise: says('rest') },
      'v3',
      200,
      { by: 'two', version: 'v3', served: 'v2' },
    ],
    ['a refusal stays one', { otherwise: says('rest') }, 'v9', 404, { error: 'Invalid version in query parameter.' }],
  ])('%s: %j %s', async (_what, options, version, status, expected) => {
    const server = await serve((app) => app.get('/', query(), byVersion(own, options)))
    const answer = await server.get(`/?version=${version}`)
    expect([answer.status, answer.json]).toEqual([
      status,
      status === 200 ? expected : expect.objectContaining(expected),
    ])
  })

  test.each([
    [{}, 404],
    [{ fallback: 'lower' as const }, 404],
    [{ otherwise: says('rest') }, 200],
  ])('no version: %j', async (options, status) => {
    const server = await serve((app) =>
      app.get('/', query({ allowedVersions: [...V, null] }), byVersion({ v1: says('one') }, options)),
    )
    expect((await server.get('/')).status).toBe(status)
  })

  test('the default version, though it is not listed', async () => {
    const handlers = byVersion({ v1: says('one'), v0: says('zero') }, { fallback: 'lower' })
    const server = await serve((app) => app.get('/', query({ allowedVersions: V, defaultVersion: 'v0' }), handlers))
    expect((await server.get('/')).json).toMatchObject({ by: 'zero' })
    expect((await server.get('/?version=v2')).json).toMatchObject({ by: 'one' })
  })

  test('names of an object’s machinery are versions like any other', async () => {
    const handlers = byVersion(JSON.parse('{"x": 1}') && { constructor: says('c') })
    const server = await serve((app) => app.get('/', query({}), handlers))
    expect((await server.get('/?version=constructor')).json).toMatchObject({ by: 'c' })
    for (const version of ['toString', '__proto__', 'hasOwnProperty']) {
      expect((await server.get(`/?version=${version}`)).json).toEqual(UNHANDLED)
    }
  })

  test('a version whose handler is undefined has none', async () => {
    const server = await serve((app) => app.get('/', query(), byVersion({ v1: undefined, v2: says('two') })))
    expect((await server.get('/?version=v1')).json).toEqual(UNHANDLED)
  })

  test('behind two schemes, each with its own versions', async () => {
    const handlers = byVersion({ v1: says('one') }, { fallback: 'lower' })
    const server = await serve((app) => {
      app.get('/a', query({ allowedVersions: ['v1', 'v2'] }), handlers)
      app.get('/b', query({ allowedVersions: ['v1', 'v3'] }), handlers)
    })
    for (const _ of [1, 2]) {
      expect((await server.get('/a?version=v2')).json).toMatchObject({ by: 'one', version: 'v2' })
      expect((await server.get('/b?version=v3')).json).toMatchObject({ by: 'one', version: 'v3' })
      expect((await server.get('/b?version=v2')).status).toBe(404)
    }
  })

  test('servedVersion() is undefined before any did', async () => {
    const server = await serve((app) =>
      app.get('/', query(), (req, res) => void res.json([servedVersion(req) ?? 'none'])),
    )
    expect((await server.get('/?version=v1')).json).toEqual(['none'])
    expect(servedVersion({} as express.Request)).toBeUndefined()
  })
})

describe('chains behave as Express’s do', () => {
  const log: string[] = []
  beforeEach(() => {
    log.length = 0
  })
  const notes =
    (name: string): RequestHandler =>
    (_req, _res, next) => {
      log.push(name)
      next()
    }
  const boom = () => new Error('boom')
  const caught: ErrorRequestHandler = (err, _req, res, _next) => {
    log.push(`error ${err.message}`)
    res.status(500).json({ caught: err.message })
  }
  const asynchronous = (act: () => void): RequestHandler =>
    (async () => {
      await Promise.resolve()
      act()
    }) as RequestHandler

  const cases: [string, VersionHandler, string[]][] = [
    ['in order', [notes('a'), notes('b')], ['a', 'b', 'after', 'end']],
    ['nested arrays', [notes('a'), [notes('b'), [notes('c')]]], ['a', 'b', 'c', 'after', 'end']],
    ['next(err)', [(_q, _s, next) => next(boom()), notes('never')], ['error boom']],
    [
      'a throw',
      [
        () => {
          throw boom()
        },
        notes('never'),
      ],
      ['error boom'],
    ],
    [
      'a throw of nothing',
      [
        () => {
          throw undefined
        },
        notes('never'),
      ],
      ['error Thrown without an error'],
    ],
    [
      'a rejection',
      [
        asynchronous(() => {
          throw boom()
        }),
        notes('never'),
      ],
      ['error boom'],
    ],
    [
      'a rejection of the last',
      [
        notes('a'),
        asynchronous(() => {
          throw boom()
        }),
      ],
      ['a', 'error boom'],
    ],
    [
      'a rejection with nothing',
      [(() => Promise.reject()) as RequestHandler, notes('never')],
      ['error Rejected promise'],
    ],
    [
      'a rejection of a thenable',
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library
      [(() => ({ then: (_: unknown, no: (e: Error) => void) => void no(boom()) })) as RequestHandler],
      ['error boom'],
    ],
    ["next('route')", [(_q, _s, next) => next('route'), notes('never')], ['second route', 'end']],
    ["next('router')", [(_q, _s, next) => next('router'), notes('never')], ['end']],
    ['an asynchronous next', [(_q, _s, next) => void setImmediate(next), notes('b')], ['b', 'after', 'end']],
  ]
  test.each(cases)('%s', async (_what, chain, expected) => {
    const server = await serve((app) => {
      const router = Router()
      router.get('/', query(), byVersion({ v1: chain }), notes('after'))
      if (_what === "next('route')") router.get('/', notes('second route'))
      app.use(router)
      app.use(notes('end'), (_req, res) => void res.end())
      app.use(caught)
    })
    await server.get('/?version=v1')
    expect(log).toEqual(expected)
  })

  test('as plain Express runs the same chain', async () => {
    // What byVersion gives is compared with the route that Express makes of the same handlers.
    for (const [what, chain] of cases) {
      if (what.includes('nothing') || what.includes('rejection')) continue // Express 4 ignores promises; both ignore what is falsy
      const runs: string[][] = []
      for (const handler of [byVersion({ v1: chain }), chain as RequestHandler]) {
        log.length = 0
        const server = await serve((app) => {
          app.get('/', query(), handler, notes('after'))
          app.get('/', notes('second route'))
          app.use(notes('end'), (_req, res) => void res.end())
          app.use(caught)
        })
        await server.get('/?version=v1')
        runs.push([...log])
      }
      expect({ what, run: runs[0] }).toEqual({ what, run: runs[1] })
    }
  })

  test('routers, below a path', async () => {
    const router = (name: string) =>
      Router().get('/:id', (req, res) => void res.json([name, req.params.id, req.baseUrl]))
    const server = await serve((app) => {
      app.use('/users', query(), byVersion({ v1: router('one'), v2: [notes('auth'), router('two')] }))
      app.use((_req, res) => void res.status(404).json('fell through'))
    })
    expect((await server.get('/users/7?version=v1')).json).toEqual(['one', '7', '/users'])
    expect((await server.get('/users/7?version=v2')).json).toEqual(['two', '7', '/users'])
    expect(log).toEqual(['auth'])
    expect((await server.get('/users?version=v2')).json).toBe('fell through')
  })

  test('a named-route table per version', async () => {
    const table = namedRoutes({ item: '/:id' })
    table.route('item').get((req, res) => void res.json(req.reverse('item', { kwargs: { id: 1 } })))
    const server = await serve((app) => app.use('/items', query(), byVersion({ v1: table })))
    expect((await server.get('/items/7?version=v1')).json).toBe('/items/1?version=v1')
  })
})

describe('sub-apps', () => {
  test('inherit the app’s settings and the version', async () => {
    const sub = express()
    sub.get(
      '/',
      (req, res) => void res.json({ version: req.version, ip: req.ip, link: typeof req.reverse, parent: sub.path() }),
    )
    const server = await serve((app) => {
      app.set('trust proxy', true)
      app.use('/sub', query(), byVersion({ v1: sub }))
    })
    const answer = await server.get('/sub?version=v1', { 'X-Forwarded-For': '203.0.113.7' })
    expect(answer.json).toEqual({ version: 'v1', ip: '203.0.113.7', link: 'function', parent: '/' })
  })

  test('leave req.app and the prototypes as they found them', async () => {
    const sub = express()
    sub.use((req, res, next) => {
      if (req.app !== sub || res.app !== sub) throw new Error('not in the sub-app')
      next(req.query.fail ? new Error('failed') : undefined)
    })
    const seen: unknown[] = []
    const note = (req: express.Request, res: express.Response) => [
      req.app,
      res.app,
      Object.getPrototypeOf(req),
      Object.getPrototypeOf(res),
    ]
    const server = await serve((app) => {
      app.use((req, res, next) => {
        seen.push(note(req, res))
        next()
      })
      app.use(query(), byVersion({ v1: sub }), (req, res) => {
        seen.push(note(req, res))
        res.json(req.version)
      })
      const failed: ErrorRequestHandler = (_err, req, res, _next) => {
        seen.push(note(req, res))
        res.status(500).json(req.version)
      }
      app.use(failed)
    })
    for (const path of ['/?version=v1', '/?version=v1&fail=1', '/?version=v1']) {
      seen.length = 0
      expect((await server.get(path)).json).toBe('v1')
      expect(seen).toHaveLength(2)
      for (const [index, part] of (seen[0] as unknown[]).entries()) expect((seen[1] as unknown[])[index]).toBe(part)
    }
  })

  test('that were mounted already keep their parent', async () => {
    const sub = express().get('/', says('sub'))
    const server = await serve((app) => {
      app.use('/own', query(), sub)
      app.use('/by', query(), byVersion({ v1: sub }))
    })
    expect(sub.path()).toBe('/own')
    expect((await server.get('/by?version=v1')).json).toMatchObject({ by: 'sub' })
    expect(sub.path()).toBe('/own')
  })
})

describe('programmer errors', () => {
  const loosely = (handlers: unknown, options?: unknown) => byVersion(handlers as never, options as never)
  const errors: ErrorRequestHandler = (_err, _req, _res, _next) => undefined
  test.each<[string, unknown, unknown, string]>([
    ['no handlers', undefined, undefined, 'byVersion() takes an object of handlers by version; got undefined.'],
    ['null', null, undefined, 'byVersion() takes an object of handlers by version; got null.'],
    [
      'a list',
      [says('x')],
      undefined,
      'byVersion() takes an object of handlers by version; got [ [Function (anonymous)] ].',
    ],
    [
      'a handler that is none',
      { v1: 'listV1' },
      undefined,
      `byVersion(): "v1" takes a handler or an array of them; got 'listV1'.`,
    ],
    [
      'one of several that is none',
      { v1: [says('x'), null] },
      undefined,
      'byVersion(): "v1" takes a handler or an array of them; got null.',
    ],
    [
      'an empty array',
      { v1: [] },
      undefined,
      'byVersion(): "v1" takes a handler or an array of them; got an empty one.',
    ],
    [
      'an error handler',
      { v1: [says('x'), errors] },
      undefined,
      'byVersion(): "v1" takes request handlers; got an error handler (four arguments), which belongs behind the route.',
    ],
    [
      'an error handler as otherwise',
      {},
      { otherwise: errors },
      'byVersion(): "otherwise" takes request handlers; got an error handler (four arguments), which belongs behind the route.',
    ],
    ['an unknown fallback', {}, { fallback: 'higher' }, `byVersion(): option "fallback" takes 'lower'; got 'higher'.`],
    ['an unknown option', {}, { fallbak: 'lower' }, 'byVersion(): unknown option "fallbak". Did you mean "fallback"?'],
  ])('at construction: %s', (_what, handlers, options, message) => {
    expect(() => loosely(handlers, options)).toThrow(TypeError)
    expect(() => loosely(handlers, options)).toThrow(message)
  })

  test.each<[string, RequestHandler[], string]>([
    [
      'no versioning()',
      [byVersion({ v1: says('x') })],
      'byVersion() needs a versioning() in front of it, which decides the version of the request.',
    ],
    [
      'a version that another middleware set',
      [
        (req, _res, next) => {
          req.version = 'v1'
          next()
        },
        byVersion({ v1: says('x') }),
      ],
      'byVersion() needs a versioning() in front of it, which decides the version of the request.',
    ],
    [
      'a key that is not accepted',
      [query(), byVersion({ v1: says('x'), V2: says('y') })],
      'byVersion(): the scheme in force, QueryParameterVersioning, does not accept version "V2". Did you mean "v2" or "v1" or "v3"?',
    ],
    [
      'an own key that is not accepted, beside no near one',
      [query(), byVersion({ 'twenty-one': says('x') })],
      'byVersion(): the scheme in force, QueryParameterVersioning, does not accept version "twenty-one".',
    ],
    [
      "'lower' without allowedVersions",
      [versioning({ scheme: new HeaderVersioning() }), byVersion({ v1: says('x') }, { fallback: 'lower' })],
      "byVersion(): fallback 'lower' needs allowedVersions, whose order (oldest first) tells what is lower.",
    ],
  ])('at a request: %s', async (_what, handlers, message) => {
    const server = await serve((app) => app.get('/', ...handlers))
    for (const _ of [1, 2]) {
      const answer = await server.get('/?version=v1', { 'X-API-Version': 'v1' })
      expect([answer.status, answer.json]).toEqual([500, { error: message, name: 'TypeError' }])
    }
  })
})
