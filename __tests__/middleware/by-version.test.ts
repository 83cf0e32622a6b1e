import express, { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  type ByVersionOptions,
  byVersion,
  namedRoutes,
  QueryParameterVersioning,
  servedVersion,
  type VersionHandler,
  versioning,
} from 'express-versioning'
import { servedBy } from '../../src/middleware/by-version'
import { major } from '../support/major'
import { type Served, serve } from '../support/serve'

const CODE = { code: 'EXPRESS_VERSIONING_UNREACHABLE' }
const NONE = '404 No handler for this version.'
const LIST = ['v1', 'v2', 'v3', 'v4']
const INHERIT: ByVersionOptions = { fallback: 'inherit' }
const LOWER: ByVersionOptions = { fallback: 'lower' }

type Handlers = Record<string, VersionHandler | undefined>
type Versions = readonly (string | null)[]

/** Records its name and the version served, and goes on. */
const pass =
  (name: string): RequestHandler =>
  (req, res, next) => {
    res.locals.trail = [...(res.locals.trail ?? []), `${name}:${servedVersion(req)}`]
    next()
  }
const answer = (name: string): RequestHandler => {
  const last = pass(name)
  return (req, res) => last(req, res, () => res.json(res.locals.trail))
}
const go: RequestHandler = (_req, _res, next) => next()
const served: RequestHandler = (req, res) => void res.json(servedVersion(req))
const later = () => new Promise((done) => setTimeout(done, 2))
const at = (version: string | null | undefined) => (version ? `/?version=${version}` : '/')

const decide = (allowedVersions: Versions | undefined = LIST, defaultVersion?: string) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions, defaultVersion })

async function outcome(server: Served, version?: string | null): Promise<unknown> {
  const { status, json } = await server.get(at(version))
  return status === 200 ? json : `${status} ${(json as { error?: string })?.error}`
}

let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})
afterEach(() => jest.restoreAllMocks())

describe('the version that serves', () => {
  const rest: ByVersionOptions = { otherwise: served }
  const and = [...LIST, null]
  const three = ['v1', 'v2', 'v3']
  type Row = [options: ByVersionOptions, keys: string[], by: Record<string, unknown>, list?: Versions, first?: string]
  test.each<Row>([
    [{}, ['v1', 'v3'], { v1: 'v1', v2: NONE, v3: 'v3', v4: NONE, '': NONE }, and],
    [LOWER, ['v1', 'v3'], { v1: 'v1', v2: 'v1', v3: 'v3', v4: 'v3', '': NONE }, and],
    [INHERIT, ['v1', 'v3'], { v1: 'v1', v2: 'v1', v3: 'v3', v4: 'v3', '': NONE }, and],
    [rest, ['v1', 'v3'], { v1: 'v1', v2: null, v3: 'v3', v4: null, '': null }, and],
    [{ ...rest, ...LOWER }, ['v2'], { v1: null, v2: 'v2', v3: 'v2', '': null }, and],
    [{ otherwise: undefined, fallback: undefined }, ['v1'], { v1: 'v1', v2: NONE }],
    [{}, ['v1', 'any'], { v1: 'v1', any: 'any', none: NONE }, []],
    // The order is that of the list, neither of the names nor of the handlers.
    [LOWER, ['10'], { 9: NONE, 10: '10', 2: '10' }, ['9', '10', '2']],
    [LOWER, ['v3', 'v1'], { v1: 'v1', v2: 'v1', v3: 'v3' }],
    // A default that is not listed is the newest.
    [LOWER, ['v0', 'v2'], { v0: 'v0', v1: NONE, v2: 'v2', v3: 'v2', '': 'v0' }, three, 'v0'],
    [LOWER, ['v2'], { v0: 'v2', v1: NONE, v2: 'v2', v3: 'v2', '': 'v2' }, three, 'v0'],
    [LOWER, ['v0'], { v0: 'v0', v1: NONE, v2: NONE, v3: NONE, '': 'v0' }, three, 'v0'],
    [LOWER, ['v2'], { v1: NONE, v3: 'v2', '': NONE }, three, 'v1'],
  ])('with %j and handlers of %j: %j', async (options, keys, expected, list = LIST, defaultVersion = undefined) => {
    const handlers: Handlers = { ...Object.fromEntries(keys.map((key) => [key, [go, [go, [served]]]])), v9: undefined }
    const server = await serve((app) => app.use(decide(list, defaultVersion), byVersion(handlers as never, options)))
    // The second request uses the chains that the first compiled.
    for (const [version, by] of [...Object.entries(expected), ...Object.entries(expected)]) {
      expect([version, await outcome(server, version)]).toEqual([version, by])
    }
    expect(warned).not.toHaveBeenCalled()
  })

  test('is told to servedVersion() while its handlers run, by the last byVersion(), even if that refused', async () => {
    expect(servedVersion({} as express.Request)).toBeUndefined()
    const failed: ErrorRequestHandler = (_error, req, res, _next) => void res.json(`refused ${servedVersion(req)}`)
    const inner = byVersion({ v1: pass('inner one'), v2: pass('inner two') }, INHERIT)
    const nested = byVersion({ v1: [inner, pass('one')], v2: pass('two'), v3: [pass('a'), inner, pass('b')] }, INHERIT)
    const server = await serve((app) =>
      app
        .use(decide(), pass('before'))
        .use('/nested', nested, answer('after'))
        .use(byVersion({ v1: pass('a'), v2: pass('b') }, { otherwise: go }), byVersion({ v2: pass('c') }))
        .use(answer('reached'), failed),
    )
    const around = ['before:undefined', 'a:v3', 'inner two:v2', 'inner one:v1', 'b:v3', 'two:v2', 'inner two:v2']
    const ends = ['inner one:v1', 'one:v1', 'after:v1']
    expect((await server.get('/nested?version=v3')).json).toEqual([...around, ...ends])
    expect(await outcome(server, 'v2')).toEqual(['before:undefined', 'b:v2', 'c:v2', 'reached:v2'])
    expect([await outcome(server, 'v1'), await outcome(server, 'v3')]).toEqual(Array(2).fill('refused undefined'))
  })
})

test.each<[title: string, handlers: RequestHandler[], by: Record<string, unknown>, none: unknown]>([
  ['no byVersion()', [go], { v1: undefined }, undefined],
  ['one', [go, byVersion({ v1: go })], { v1: 'v1', v2: false }, false],
  ['one with otherwise', [byVersion({ v1: go }, { otherwise: go })], { v1: 'v1', v2: null }, null],
  ['a fallback', [byVersion({ v2: go }, LOWER)], { v1: false, v2: 'v2', v3: 'v2' }, false],
  ['the last of two', [byVersion({ v1: go, v2: go }), byVersion({ v1: go }, INHERIT)], { v2: 'v1', v1: 'v1' }, false],
  [
    'two, where one refuses',
    [byVersion({ v1: go }), byVersion({ v2: go }, { otherwise: go })],
    { v1: null, v2: false },
    false,
  ],
])('servedBy() foresees who serves: %s', (_title, handlers, by, none) => {
  const scheme = { acceptedVersions: [null, 'v1', 'v2', 'v3'] }
  for (const version in by) expect([version, servedBy(handlers, scheme, version)]).toEqual([version, by[version]])
  expect(servedBy(handlers, scheme, null)).toBe(none)
})

test('the refusal tells what would have been served, and echoes nothing; preflights go on', async () => {
  const collect: ErrorRequestHandler = ({ name, status, code, version, allowedVersions, message }, req, res, _next) =>
    void res.json([name, status, code, message, version, allowedVersions, servedVersion(req)])
  const list = ['v1', 'v2', 'v3', 'zq9']
  const server = await serve((app) =>
    app
      .use(decide(list))
      .use('/lower', byVersion({ v3: served, v2: served }, LOWER))
      .use(byVersion({ v3: served, v2: served }), answer('on'), collect),
  )
  const refusal = ['NotFound', 404, 'ERR_VERSION_UNHANDLED', 'No handler for this version.']
  expect(await outcome(server, 'zq9')).toEqual([...refusal, 'zq9', ['v3', 'v2'], null])
  expect((await server.get('/lower?version=v1')).json).toEqual([...refusal, 'v1', ['v2', 'v3', 'zq9'], null])
  const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
  expect((await server.send('OPTIONS', '/?version=v1', preflight)).json).toEqual(['on:undefined'])
  expect((await server.send('OPTIONS', '/?version=v2', preflight)).json).toBe('v2')
  expect((await server.send('OPTIONS', '/?version=v1')).json).toEqual([...refusal, 'v1', ['v3', 'v2'], null])
})

describe('a chain behaves as in Express', () => {
  // biome-ignore lint/suspicious/noThenProperty: it stands for the promises that libraries make
  const theirs = { then: (_done: unknown, failed: (error: Error) => void) => failed(new Error('theirs')) }
  const thrower = (error: unknown) => () => {
    throw error
  }
  // The third column is where the request goes; '' is the next handler.
  const links: [title: string, link: RequestHandler, end: string][] = [
    ['next()', go, ''],
    ["next('route')", (_req, _res, next) => next('route'), 'next layer'],
    ["next('router')", (_req, _res, next) => next('router'), 'next router'],
    ['next(error)', (_req, _res, next) => next(new Error('no')), 'no'],
    ["next('text')", (_req, _res, next) => next('text'), 'text'],
    ['next(0)', (_req, _res, next) => next(0), ''],
    ['throw', thrower(new Error('thrown')), 'thrown'],
    ['throw undefined', thrower(undefined), 'Thrown without an error'],
    ['a late next()', async (_req, _res, next) => later().then(() => next()), ''],
    ['a late next(error)', async (_req, _res, next) => later().then(() => next(new Error('late'))), 'late'],
    ["a late next('route')", async (_req, _res, next) => later().then(() => next('route')), 'next layer'],
    ['a rejection', async () => later().then(thrower(new Error('rejected'))), 'rejected'],
    ['a rejection with nothing', () => Promise.reject(), 'Rejected promise'],
    ["a library's rejected promise", () => theirs as unknown as undefined, 'theirs'],
  ]
  const [a, z, one] = [pass('a'), answer('z'), answer('one')]
  type Case = [(link: RequestHandler) => Handlers, version: string, before: string[], on: string, left: string]
  const chains: Record<string, Case> = {
    flat: [(link) => ({ v1: [a, link, z] }), 'v1', ['a:v1'], 'z:v1', 'v1'],
    nested: [(link) => ({ v1: [[a], [[link, [go]], z]] }), 'v1', ['a:v1'], 'z:v1', 'v1'],
    'behind a router': [(link) => ({ v1: [Router().use(a), link, z] }), 'v1', ['a:v1'], 'z:v1', 'v1'],
    'alone, above a lower version': [(link) => ({ v1: one, v2: link }), 'v2', [], 'one:v1', 'v2'],
    'first, above a lower version': [(link) => ({ v1: one, v2: [a, link] }), 'v4', ['a:v2'], 'one:v1', 'v2'],
    'in a lower version': [(link) => ({ v1: one, v2: link, v3: a }), 'v3', ['a:v3'], 'one:v1', 'v2'],
    'in the lowest': [(link) => ({ v1: [pass('b'), link], v2: a }), 'v2', ['a:v2', 'b:v1'], 'same route:v1', 'v1'],
  }

  /** Serves handlers on a route of a router. The answer shows how far the request came. */
  function around(handlers: RequestHandler | RequestHandler[]): Promise<Served> {
    const failed: ErrorRequestHandler = (error, req, res, _next) =>
      void res.json([...(res.locals.trail ?? []), `${error?.message ?? error}:${servedVersion(req)}`])
    return serve((app) => {
      const router = Router().get('/', decide(), handlers, answer('same route'))
      app.use(router.use(answer('next layer')), answer('next router'), failed)
    })
  }

  describe.each(Object.entries(chains))('%s', (title, [chain, version, before, on, left]) => {
    test.each(links)('%s', async (name, link, end) => {
      const handlers = chain(link)
      const server = await around(byVersion(handlers as Record<string, VersionHandler>, INHERIT))
      expect(await outcome(server, version)).toEqual([...before, end === '' ? on : `${end}:${left}`])
      // Express 4 lets rejections hang, and Express ignores falsy errors.
      if (
        !title.includes('version') &&
        title !== 'in the lowest' &&
        !/undefined|library/.test(name) &&
        (major === 5 || !/reject/.test(name))
      ) {
        const plain = ([handlers.v1] as unknown[]).flat(Number.POSITIVE_INFINITY) as RequestHandler[]
        const expected = [...before, end === '' ? on : `${end}:${left}`].map((text) => text.replace('v1', 'undefined'))
        expect(await outcome(await around(plain), version)).toEqual(expected)
      }
    })
  })
})

describe('a router', () => {
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
    ['GET', '/7?version=v4', ['user 3', 'v3', '/7?version=v4', { id: '7' }]],
    ['GET', '?version=v4', ['list 1', 'v1', '/?version=v4', {}]],
    ['DELETE', '/7?version=v3', ['delete 1', 'v1', '/7?version=v3', { id: '7' }]],
  ])('holds only what changed: %s %s', async (method, path, [name, version, url, params]) => {
    for (const newest of [v3, [go, v3], [nested, v3], [v3, nested]]) {
      const { json } = await (await start({ v1, v3: newest })).send(method, `/shops/9/users${path}`)
      expect(json).toEqual([name, version, '/shops/9/users', url, params])
    }
  })

  test('passes on what it does not have; its errors go to no lower version', async () => {
    const path = '/shops/9/users/7/x?version=v1'
    expect((await (await start({ v1 })).get(path)).json).toEqual(['fell', 'v1', '', path, {}])
    const throwing: RequestHandler = () => {
      throw new Error('denied')
    }
    const table = namedRoutes({ user: '/:id' })
    table.route('user').get(async () => Promise.reject(new Error('denied')))
    for (const router of [Router().get('/:id', throwing), express().use(throwing), table]) {
      const { status, json } = await (await start({ v1, v2: router })).get('/shops/9/users/7?version=v2')
      expect([status, json]).toEqual([500, expect.objectContaining({ error: 'denied' })])
    }
  })

  test('may be a table, whose links stay in the version', async () => {
    const routes = namedRoutes({ user: '/:id' })
    routes.route('user').get((req, res) => void res.json([req.params.id, req.reverse('user', { args: [8] })]))
    const server = await serve((app) => app.use('/users', decide(), byVersion({ v2: routes })))
    expect((await server.get('/users/7?version=v2')).json).toEqual(['7', '/users/8?version=v2'])
  })

  test('may be an app, with its own settings and those it inherits; falling through, it leaves all as it was', async () => {
    const view = ({ app, version, reverse, baseUrl }: express.Request) =>
      [app.get('name'), version, typeof reverse, baseUrl, app.get('trust proxy')].join()
    const subApp = (name: string, ends: boolean): Application => {
      const app = express().set('name', name)
      return app.use((req, res, next) => {
        res.locals[name] = view(req)
        if (ends) res.json(res.locals)
        else next()
      })
    }
    const prototypes = new WeakMap<object, object[]>()
    const server = await serve((app) => {
      app.set('name', 'outer').set('trust proxy', 'loopback')
      app.use(decide(), (req, res, next) => {
        prototypes.set(req, [Object.getPrototypeOf(req), Object.getPrototypeOf(res)])
        next()
      })
      app.use('/api', byVersion({ v1: [subApp('first', false), subApp('second', false)], v2: subApp('only', true) }))
      app.use((req, res) => {
        const [request, response] = prototypes.get(req) ?? []
        const same = Object.getPrototypeOf(req) === request && Object.getPrototypeOf(res) === response
        res.json({ ...res.locals, outer: view(req), same: same && req.app === app && res.app === app })
      })
    })
    // The second request must not mount the app again.
    for (let turn = 0; turn < 2; turn++) {
      expect((await server.get('/api?version=v1')).json).toEqual({
        first: 'first,v1,function,/api,loopback',
        second: 'second,v1,function,/api,loopback',
        outer: 'outer,v1,function,,loopback',
        same: true,
      })
      expect((await server.get('/api?version=v2')).json).toEqual({ only: 'only,v2,function,/api,loopback' })
    }
  })

  test('that is an app is mounted once, on the app of the request', async () => {
    const sub = express()
    const mounts: unknown[] = []
    sub.on('mount', (outer) => mounts.push([outer.get('name'), sub.mountpath]))
    const server = await serve((app) => app.set('name', 'outer').use(decide(), byVersion({ v1: sub }), answer('end')))
    expect([await outcome(server, 'v1'), await outcome(server, 'v1')]).toEqual([['end:v1'], ['end:v1']])
    expect(mounts).toEqual([['outer', '/']])
  })
})

describe('a mistake', () => {
  const fourArguments: ErrorRequestHandler = (_error, _req, _res, _next) => undefined
  test.each<[handlers: unknown, options: unknown, message: string]>([
    [undefined, {}, ' takes an object of handlers by version; got undefined.'],
    [null, {}, ' takes an object of handlers by version; got null.'],
    [[go], {}, ' takes an object of handlers by version; got [ [Function: go] ].'],
    [{}, {}, ' takes a handler for one version at least; got {}.'],
    [{ v1: undefined }, {}, ' takes a handler for one version at least; got { v1: undefined }.'],
    [{ v1: [] }, {}, ': "v1" takes a handler or an array of them; got an empty one.'],
    [{ v1: [go, undefined] }, {}, ': "v1" takes a handler or an array of them; got undefined.'],
    [
      { v1: go },
      { otherwise: fourArguments },
      ': "otherwise" takes request handlers; got an error handler (four arguments), which belongs behind the route.',
    ],
    [{ v1: go }, { fallback: 'higher' }, `: option "fallback" takes 'lower' or 'inherit'; got 'higher'.`],
    [{ v1: go }, { fall: 1 }, ': unknown option "fall". It takes "fallback", "otherwise".'],
  ])('%#: told at construction', (handlers, options, message) => {
    expect(() => byVersion(handlers as Record<string, VersionHandler>, options as object)).toThrow(
      new TypeError(`byVersion()${message}`),
    )
  })

  const needed = 'needs allowedVersions, whose order (oldest first) tells what is lower.'
  const behind = 'byVersion() needs a versioning() in front of it, which decides the version of the request.'
  const swallow: ErrorRequestHandler = (_error, _req, _res, next) => next()
  const broken = class extends QueryParameterVersioning {
    override isAllowedVersion(): boolean {
      throw new Error('no answer')
    }
  }
  test.each<[message: string, handlers: (RequestHandler | ErrorRequestHandler)[], version?: string]>([
    [
      `byVersion(): fallback 'lower' ${needed}`,
      [versioning({ scheme: QueryParameterVersioning }), byVersion({ v1: go }, LOWER)],
    ],
    [
      `byVersion(): fallback 'inherit' ${needed}`,
      [versioning({ scheme: QueryParameterVersioning }), byVersion({ v1: go }, INHERIT)],
      'v1',
    ],
    [behind, [byVersion({ v1: go }, { otherwise: go })]],
    [behind, [decide(), swallow, byVersion({ v1: go }, { otherwise: go })], 'v9'],
    ['no answer', [versioning({ scheme: broken }), byVersion({ v1: go })]],
  ])('that only requests show, each time: %s', async (message, handlers, version = '') => {
    const server = await serve((app) => app.use('/ok', decide(), byVersion({ v1: served })).use(handlers))
    expect(await outcome(server, version)).toBe(`500 ${message}`)
    expect((await server.get('/ok?version=v1')).json).toBe('v1')
    expect(await outcome(server, version)).toBe(`500 ${message}`)
  })

  test.each<[keys: string[], list: Versions, names: string, hint?: string]>([
    // The hint leaves out versions that already have handlers.
    [['v1', 'v3'], ['v1', 'v2'], '"v3"', ' Did you mean "v2"?'],
    [['v0', 'v1', 'v2'], ['v1', 'v2'], '"v0"'],
    [['v3', 'v1', 'v4'], ['v1', 'v2', 'v5'], '"v3", "v4"', ' Did you mean "v2" or "v5"?'],
    [['beta', 'V1'], ['v1', 'beta'], '"V1"', ' Did you mean "v1"?'],
    [['2024-6-01', '2024-01-01'], ['2024-01-01', '2024-06-01'], '"2024-6-01"', ' Did you mean "2024-06-01"?'],
    [['null'], [null, 'v1'], '"null"'],
    [['v8', 'v9'], ['v1', null], '"v8", "v9"', ' Did you mean "v1"?'],
  ])('handlers of %j, allowed %j: one warning, and the others are served', async (keys, list, names, hint = '') => {
    const handlers = Object.fromEntries(keys.map((key) => [key, served]))
    const handler = byVersion(handlers)
    const server = await serve((app) => app.use('/again', decide(list), handler).use(decide(list), handler))
    expect(warned).not.toHaveBeenCalled()
    for (const version of [...list, ...list, ...keys]) {
      const serves = version !== null && list.includes(version) && keys.includes(version)
      expect([version, (await server.get(at(version))).json]).toEqual([version, serves ? version : expect.any(Object)])
    }
    await server.get(`/again${at(keys[0])}`)
    const told = `byVersion(): no request reaches the handlers of ${names}, which the scheme in force, QueryParameterVersioning, does not accept.`
    expect(warned.mock.calls).toEqual([[told + hint, CODE]])
  })

  test('keys that are not accepted have no part in a fallback', async () => {
    const handlers = { v0: answer('zero'), v2: pass('two'), v9: answer('nine') }
    const server = await serve((app) => app.use(decide(), byVersion(handlers, INHERIT), answer('end')))
    expect([await outcome(server, 'v4'), await outcome(server, 'v1')]).toEqual([['two:v2', 'end:v2'], NONE])
  })
})
