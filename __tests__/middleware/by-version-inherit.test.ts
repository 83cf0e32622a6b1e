import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  type ByVersionOptions,
  byVersion,
  namedRoutes,
  QueryParameterVersioning,
  servedVersion,
  type VersionHandler,
  versioning,
} from 'express-versioning'
import { type Served, serve } from '../support/serve'

// With `fallback: 'inherit'`, requests that a version passes on go to the closest lower version with handlers.

const LIST = ['v1', 'v2', 'v3', 'v4']
const INHERIT: ByVersionOptions = { fallback: 'inherit' }
const UNHANDLED = 'No handler for this version.'

/** Records that it ran and the version it serves, and goes on. */
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

/** Serves an app that says where a request goes after `byVersion()` passes it on or fails. */
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
    ['nobody more where a version answers', { v1: answer('one'), v2: answer('two') }, { v2: ['two:v2'] }],
  ])('%s', async (_title, handlers, served) => {
    const server = await leaving(handlers)
    for (const [version, expected] of Object.entries(served)) {
      // The second request uses the chain that the first compiled.
      expect([version, await trail(server, version)]).toEqual([version, expected])
      expect([version, await trail(server, version)]).toEqual([version, expected])
    }
  })

  test('`otherwise` serves what no version does, and not what the lowest passes on', async () => {
    const options: ByVersionOptions = { ...INHERIT, otherwise: [pass('rest'), answer('otherwise')] }
    const server = await leaving({ v2: pass('two'), v3: pass('three') }, options, [...LIST, null])
    expect(await trail(server, undefined)).toEqual(['rest:null', 'otherwise:null'])
    expect(await trail(server, 'v1')).toEqual(['rest:null', 'otherwise:null'])
    expect(await trail(server, 'v4')).toEqual(['three:v3', 'two:v2', 'same route:v2'])
  })

  test('a version that is not accepted has no part in it', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const server = await leaving({ v0: answer('zero'), v2: pass('two'), v9: answer('nine') })
    expect(await trail(server, 'v4')).toEqual(['two:v2', 'same route:v2'])
    expect(await trail(server, 'v1')).toEqual([`${UNHANDLED}:undefined`])
    expect(warned).toHaveBeenCalledTimes(1)
    warned.mockRestore()
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
})
