import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import * as library from 'express-versioning'
import { type Served, serve } from '../support/serve'
import { routed } from '../support/tables'
import { catchWarnings } from '../support/warnings'

const { byVersion, QueryParameterVersioning, servedVersion, versioning } = library

const NONE = '404 No handler for this version.'
const INHERIT = { fallback: 'inherit' } as const
const LOWER = { fallback: 'lower' } as const
const LIST = ['v1', 'v2', 'v3', 'v4']
type Handlers = Record<string, library.VersionHandler>

/** Records its name and the version served, and goes on. */
const pass =
  (name: string): RequestHandler =>
  (req, res, next) => {
    res.locals.trail = [...(res.locals.trail ?? []), `${name}:${servedVersion(req)}`]
    next()
  }
const response = (name: string): RequestHandler => {
  const last = pass(name)
  return (req, res) => last(req, res, () => res.json(res.locals.trail.join(' ')))
}
const go: RequestHandler = (_req, _res, next) => next()
const served: RequestHandler = (req, res) => void res.json(servedVersion(req))
const thrower = (error: unknown) => () => {
  throw error
}
const decide = (allowedVersions: (string | null)[] = LIST, defaultVersion?: string) =>
  versioning({ scheme: QueryParameterVersioning, allowedVersions, defaultVersion })

async function ask({ send }: Served, path: string, method = 'GET', headers = {}): Promise<unknown> {
  const { status, json } = await send(method, path, headers)
  return status === 200 ? json : `${status} ${(json as { error?: string })?.error}`
}
const at = (version: string | null) => (version === null ? '/' : `/?version=${version}`)
const warned = catchWarnings()

const INVALID = '404 Invalid version in query parameter.'
test.each<{
  handlers: string[]
  options: object
  allowed: (string | null)[]
  defaultVersion: string | undefined
  /** The version of each request, and what it gets. */
  outcomes: [version: string | null, outcome: string][]
  unreachable?: string
  hint?: string
}>([
  {
    handlers: ['v1', 'v3'],
    options: {},
    allowed: ['v1', 'v2', 'v3', 'v4', null],
    defaultVersion: undefined,
    outcomes: [
      ['v1', 'v1'],
      ['v2', NONE],
      ['v3', 'v3'],
      ['v4', NONE],
      [null, NONE],
    ],
  },
  {
    handlers: ['v1', 'v3'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3', 'v4', null],
    defaultVersion: undefined,
    outcomes: [
      ['v1', 'v1'],
      ['v2', 'v1'],
      ['v3', 'v3'],
      ['v4', 'v3'],
      [null, NONE],
    ],
  },
  {
    handlers: ['v2'],
    options: { ...LOWER, otherwise: served },
    allowed: ['v1', 'v2', 'v3', 'v4', null],
    defaultVersion: undefined,
    outcomes: [
      ['v1', 'null'],
      ['v2', 'v2'],
      ['v3', 'v2'],
      [null, 'null'],
    ],
  },
  {
    handlers: ['v1', 'any'],
    options: {},
    allowed: [],
    defaultVersion: undefined,
    outcomes: [
      ['v1', 'v1'],
      ['any', 'any'],
      ['none', NONE],
    ],
  },
  // The order is that of the list, neither of the names nor of the handlers.
  {
    handlers: ['10'],
    options: LOWER,
    allowed: ['9', '10', '2'],
    defaultVersion: undefined,
    outcomes: [
      ['9', NONE],
      ['10', '10'],
      ['2', '10'],
    ],
  },
  // A default that is not listed is the newest.
  {
    handlers: ['v0', 'v2'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3'],
    defaultVersion: 'v0',
    outcomes: [
      ['v0', 'v0'],
      ['v1', NONE],
      ['v2', 'v2'],
      ['v3', 'v2'],
      [null, 'v0'],
    ],
  },
  {
    handlers: ['v2'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3'],
    defaultVersion: 'v0',
    outcomes: [
      ['v0', 'v2'],
      ['v1', NONE],
      ['v2', 'v2'],
      ['v3', 'v2'],
      [null, 'v2'],
    ],
  },
  {
    handlers: ['v0'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3'],
    defaultVersion: 'v0',
    outcomes: [
      ['v0', 'v0'],
      ['v1', NONE],
      ['v3', NONE],
      [null, 'v0'],
    ],
  },
  {
    handlers: ['v2'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3'],
    defaultVersion: 'v1',
    outcomes: [
      ['v1', NONE],
      ['v3', 'v2'],
      [null, NONE],
    ],
  },
  // Handlers that no request reaches have no part in a fallback. The hint leaves out versions that have handlers.
  {
    handlers: ['v0', 'v2', 'v9'],
    options: LOWER,
    allowed: ['v1', 'v2', 'v3'],
    defaultVersion: undefined,
    outcomes: [
      ['v0', INVALID],
      ['v1', NONE],
      ['v2', 'v2'],
      ['v3', 'v2'],
      ['v9', INVALID],
    ],
    unreachable: '"v0", "v9"',
    hint: 'Did you mean "v1" or "v3"?',
  },
  {
    handlers: ['v1', 'v3'],
    options: {},
    allowed: ['v1', 'v2'],
    defaultVersion: undefined,
    outcomes: [
      ['v1', 'v1'],
      ['v2', NONE],
      ['v3', INVALID],
    ],
    unreachable: '"v3"',
    hint: 'Did you mean "v2"?',
  },
  {
    handlers: ['null'],
    options: {},
    allowed: [null, 'v1'],
    defaultVersion: undefined,
    outcomes: [
      [null, NONE],
      ['v1', NONE],
      ['null', INVALID],
    ],
    unreachable: '"null"',
  },
  {
    handlers: ['v1', 'otherwise'],
    options: {},
    allowed: ['v1'],
    defaultVersion: undefined,
    outcomes: [['v1', 'v1']],
    unreachable: '"otherwise"',
    hint: '"otherwise" is an option: the second argument.',
  },
])('handlers of $handlers with $options, for $allowed, default $defaultVersion', async (row) => {
  const handlers = Object.fromEntries(row.handlers.map((key) => [key, [go, [go, [served]]]]))
  const decides = () => decide(row.allowed, row.defaultVersion)
  const handler = byVersion({ ...handlers, v8: undefined as never }, row.options)
  const server = await serve((app) => app.use('/again', decides(), handler).use(decides(), handler))
  expect(warned).toEqual([])
  // The second round uses the chains that the first compiled, and the third those of another scheme.
  for (const mount of ['', '', '/again']) {
    for (const [version, outcome] of row.outcomes) {
      const found = String(await ask(server, mount + at(version)))
      expect([version, found]).toEqual([version, outcome])
    }
  }
  const text = `byVersion(): no request reaches the handlers of ${row.unreachable}, which the scheme in force, QueryParameterVersioning, does not accept.`
  const warning = [row.hint === undefined ? text : `${text} ${row.hint}`, { code: 'EXPRESS_VERSIONING_UNREACHABLE' }]
  expect(warned).toEqual(row.unreachable === undefined ? [] : [warning])
})

test('servedVersion() tells the version while its handlers run, by the last byVersion(), even if that rejected', async () => {
  expect(servedVersion({} as Request)).toBeUndefined()
  const failed: ErrorRequestHandler = (_error, req, res, _next) => void res.json(`rejected ${servedVersion(req)}`)
  const inner = byVersion({ v1: pass('inner one'), v2: pass('inner two') }, INHERIT)
  const nested = byVersion({ v1: pass('one'), v3: [pass('a'), inner, pass('b')] }, INHERIT)
  const server = await serve((app) => {
    app.use(decide(), pass('before')).use('/nested', nested, response('after'))
    app.use(byVersion({ v2: pass('b') }, { otherwise: go }), byVersion({ v2: pass('c') }), response('reached'), failed)
  })
  const around = 'before:undefined a:v3 inner two:v2 inner one:v1 b:v3 one:v1 after:v1'
  expect(await ask(server, '/nested?version=v3')).toBe(around)
  expect(await ask(server, at('v2'))).toBe('before:undefined b:v2 c:v2 reached:v2')
  expect(await ask(server, at('v3'))).toBe('rejected undefined')
})

test('the rejection tells what would have been served; preflights go on', async () => {
  const collect: ErrorRequestHandler = ({ name, status, code, version, allowedVersions, message }, req, res, _next) =>
    void res.json([name, status, code, message, version, allowedVersions, servedVersion(req)])
  const handlers = { v3: served, v2: served }
  const server = await serve((app) => {
    app.use(decide(['v1', 'v2', 'v3', 'zq9'])).use('/lower', byVersion(handlers, LOWER))
    app.use(byVersion(handlers), response('on'), collect)
  })
  const rejection = ['NotFound', 404, 'ERR_VERSION_UNHANDLED', 'No handler for this version.']
  const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
  expect(await ask(server, '/lower?version=v1')).toEqual([...rejection, 'v1', ['v2', 'v3', 'zq9'], null])
  expect(await ask(server, at('v1'), 'OPTIONS', preflight)).toBe('on:undefined')
  expect(await ask(server, at('v2'), 'OPTIONS', preflight)).toBe('v2')
  expect(await ask(server, at('v1'), 'OPTIONS')).toEqual([...rejection, 'v1', ['v3', 'v2'], null])
})

const later = () => new Promise((done) => setTimeout(done, 2))
/** It stands for the promises that libraries make. */
const failing = (_: unknown, failed: (error: Error) => void) => failed(new Error('theirs'))
const theirs = Object.assign(() => {}, Object.fromEntries([['then', failing]]))
const [a, z, one] = [pass('a'), response('z'), response('one')]
type Case = [title: string, make: (link: RequestHandler) => Handlers, before: string, on: string, left: string]
const chains: Case[] = [
  ['nested', (link) => ({ v3: [[Router().use(a)], [[link, [go]], z]] }), 'a:v3 ', 'z:v3', 'v3'],
  ['above', (link) => ({ v1: one, v3: [a, link] }), 'a:v3 ', 'one:v1', 'v3'],
  ['lowest', (link) => ({ v1: [a, link], v3: pass('b') }), 'b:v3 a:v1 ', 'same route:v1', 'v1'],
]
// The third column is where the request goes; '' is the next handler.
const links: [title: string, link: RequestHandler, end: string][] = [
  ['next()', go, ''],
  ["next('route')", (_req, _res, next) => next('route'), 'next layer'],
  ["next('router')", (_req, _res, next) => next('router'), 'next router'],
  ["next('text')", (_req, _res, next) => next('text'), 'text'],
  ['next(0)', (_req, _res, next) => next(0), ''],
  ['throw', thrower(new Error('thrown')), 'thrown'],
  ['throw undefined', thrower(undefined), 'Thrown without an error'],
  ['a late next()', async (_req, _res, next) => later().then(() => next()), ''],
  ['a rejection', async () => later().then(thrower(new Error('rejected'))), 'rejected'],
  ['a rejection with nothing', () => Promise.reject(), 'Rejected promise'],
  ["a library's rejected promise", () => theirs as unknown as undefined, 'theirs'],
]
const both = chains.flatMap((chain) => links.map((link) => [`${chain[0]}, ${link[0]}`, chain, link] as const))
test.each(both)('a chain behaves as in Express: %s', async (_title, [, make, before, on, left], [, link, end]) => {
  const failed: ErrorRequestHandler = (error, req, res, _next) =>
    void res.json([...(res.locals.trail ?? []), `${error?.message ?? error}:${servedVersion(req)}`].join(' '))
  const router = Router().get('/', decide(), byVersion(make(link), INHERIT), response('same route'))
  const server = await serve((app) => app.use(router.use(response('next layer'))).use(response('next router'), failed))
  expect(await ask(server, at('v3'))).toBe(before + (end === '' ? on : `${end}:${left}`))
})

test('a router or a table holds only what changed, and passes on the rest', async () => {
  const seen = (name: string) => (req: Request, res: Response) =>
    void res.json([name, servedVersion(req), req.baseUrl, req.url, req.params.id].join(' '))
  const v1 = Router().get('/', seen('list 1')).get('/:id', seen('user 1'))
  const [router, table] = [Router().get('/:id', seen('user 3')), routed({ user: '/:id' }, seen('user 3'))]
  const server = await serve((app) => {
    app.use(decide()).use('/0/users', byVersion({ v1, v3: router }, INHERIT))
    app.use('/1/users', byVersion({ v1, v3: table }, INHERIT)).use(seen('fell'))
  })
  for (const mount of ['/0', '/1']) {
    expect(await ask(server, `${mount}/users/7?version=v2`)).toBe(`user 1 v1 ${mount}/users /7?version=v2 7`)
    expect(await ask(server, `${mount}/users/7?version=v4`)).toBe(`user 3 v3 ${mount}/users /7?version=v4 7`)
    expect(await ask(server, `${mount}/users?version=v4`)).toBe(`list 1 v1 ${mount}/users /?version=v4 `)
    expect(await ask(server, `${mount}/users/7/x?version=v1`)).toBe(`fell v1  ${mount}/users/7/x?version=v1 `)
  }
})

test('an app is mounted once, has its own settings and those it inherits, and leaves all as it was', async () => {
  const view = ({ app, version, reverse }: Request) =>
    `${app.get('name')} ${version} ${typeof reverse} ${app.get('trust proxy')}`
  const mounts: string[] = []
  const sub = (name: string, last: RequestHandler) => {
    const app = express().set('name', name)
    app.on('mount', (outer) => mounts.push(`${name} on ${outer.get('name')} at ${app.mountpath}`))
    return app.use((req, res, next) => next(void res.locals.seen.push(view(req))), last)
  }
  const stateOf = (req: Request) => [req, req.res].flatMap((it) => [it?.app, Object.getPrototypeOf(it)])
  const before: RequestHandler = (req, res, next) =>
    next(void Object.assign(res.locals, { before: stateOf(req), seen: [] }))
  const server = await serve((app) => {
    app.set('name', 'outer').set('trust proxy', 'loopback').use(decide(), before)
    const v1 = [sub('first', go), sub('second', go)]
    app.use('/api', byVersion({ v1, v2: sub('only', thrower(new Error('denied'))) }))
    app.use((req, res) => {
      const same = stateOf(req).every((state, index) => state === res.locals.before[index])
      res.json([...res.locals.seen, view(req), same])
    })
  })
  const views = ['first', 'second', 'outer'].map((name) => `${name} v1 function loopback`)
  for (const _ of [1, 2]) {
    expect(await ask(server, '/api?version=v1')).toEqual([...views, true])
    expect(await ask(server, '/api?version=v2')).toBe('500 denied')
  }
  expect(mounts).toEqual(['first on outer at /', 'second on outer at /', 'only on outer at /'])
})

const fourArguments: ErrorRequestHandler = (_error, _req, _res, _next) => undefined
const errors = 'request handlers; got an error handler (four arguments), which belongs behind the route.'
test.each<[message: string, handlers: unknown, options?: object]>([
  [' takes an object of handlers by version; got null.', null],
  [' takes an object of handlers by version; got [ [Function: go] ].', [go]],
  [' takes a handler for one version at least; got { v1: undefined }.', { v1: undefined }],
  [': "v1" takes a handler or an array of them; got an empty one.', { v1: [] }],
  [': "v1" takes a handler or an array of them; got undefined.', { v1: [go, undefined] }],
  [`: "otherwise" takes ${errors}`, { v1: go }, { otherwise: fourArguments }],
  [`: option "fallback" takes 'lower' or 'inherit'; got 'higher'.`, { v1: go }, { fallback: 'higher' }],
  [': unknown option "fall". It takes "fallback", "otherwise".', { v1: go }, { fall: 1 }],
])('the mistake: byVersion()%s', (message, handlers, options = {}) => {
  expect(() => byVersion(handlers as Handlers, options)).toThrow(new TypeError(`byVersion()${message}`))
})

const behind = 'byVersion() needs a versioning() in front of it, which decides the version of the request.'
const needed = 'needs allowedVersions, whose order (oldest first) tells what is lower.'
const swallow: ErrorRequestHandler = (_error, _req, _res, next) => next()
const any = versioning({ scheme: QueryParameterVersioning })
test.each<[message: string, handlers: (RequestHandler | ErrorRequestHandler)[]]>([
  [`byVersion(): fallback 'inherit' ${needed}`, [any, byVersion({ v1: go }, INHERIT)]],
  [behind, [byVersion({ v1: go }, { otherwise: go })]],
  [behind, [decide(), swallow, byVersion({ v1: go }, { otherwise: go })]],
])('a mistake that only requests show, each time: %s', async (message, handlers) => {
  const server = await serve((app) => app.use(handlers))
  for (const _ of [1, 2]) expect(await ask(server, at('v9'))).toBe(`500 ${message}`)
})

test('two copies of the package, as a workspace of pnpm has them, share what was decided; the last one decides', async () => {
  let other = library
  jest.isolateModules(() => {
    other = require('express-versioning')
  })
  const second = other.versioning({ scheme: other.QueryParameterVersioning, versionParam: 'v' })
  expect(other.byVersion).not.toBe(byVersion)
  const { get } = await serve((app) => {
    app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'] }))
    app.use(other.byVersion({ v1: (req, res) => void res.json(req.version) }), other.problemDetails())
  })
  expect(await get('/?version=v1')).toMatchObject({ status: 200, json: 'v1' })
  // A request that is not Express's.
  const plain = { url: '/?version=v1&v=2', headers: {} } as Request
  for (const decides of [versioning({ scheme: QueryParameterVersioning }), second])
    decides(plain, { setHeader() {}, getHeader() {} } as never, () => {})
  expect([plain.version, typeof plain.reverse]).toEqual(['2', 'function'])
  const problem = { 'content-type': 'application/problem+json' }
  for (const [version, code, ...supportedVersions] of [
    ['v2', 'ERR_VERSION_UNHANDLED', 'v1'],
    ['v9', 'ERR_VERSION_NOT_FOUND', 'v1', 'v2'],
  ]) {
    const json = { code, supportedVersions }
    expect(await get(`/?version=${version}`)).toMatchObject({ status: 404, headers: problem, json })
  }
})
