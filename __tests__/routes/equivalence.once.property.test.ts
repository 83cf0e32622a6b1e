import { tracingChannel } from 'node:diagnostics_channel'
import type express from 'express'
import { URLPathVersioning, versioning } from 'express-versioning'
import fc from 'fast-check'
import type { NamedRoutes } from '../../src/routes/named-routes'
import { property } from '../support/property'
import {
  build,
  type Deed,
  errorHandler,
  type Item,
  include,
  param,
  type RouterLike,
  requestPath,
  route,
  type Spec,
  specs,
  tableOf,
  use,
} from '../support/route-specs'

type Next = (signal?: unknown) => void
type Request = Partial<express.Request>

/** Puts a `versioning()` that resolves the path and finds no version in front of the table, so the dispatch follows its walk. */
function decided(router: RouterLike): RouterLike {
  const routes = router as object as NamedRoutes
  const middleware = versioning({ scheme: URLPathVersioning, versionParam: 'nobody', routes })
  const run = (req: object, res: object, next: Next) =>
    middleware(req as never, res as never, (error?: unknown) => (error ? next(error) : router(req, res, next)))
  return Object.assign(run, { use: router.use, param: router.param })
}

/** Everything that handlers could see, and how the request ended. */
let trace: unknown[] = []
let finish: () => void = () => {}

const handler: Parameters<typeof build>[2] = (place, action, onError) => {
  const run = (req: Request, next: Next, extra: unknown): unknown => {
    trace.push([place, { ...req.params }, req.baseUrl, req.url, req.route?.path, said(extra)])
    if (typeof action === 'string') return deeds[action](req, next)
    if ('param' in action) Object.assign(req.params as object, { [action.param]: 'new' })
    else Object.assign(req, structuredClone(action))
    return next()
  }
  // a param callback is called with five arguments, an error handler is known by having four
  if (onError) return (error: unknown, req: Request, _res: unknown, next: Next) => run(req, next, error)
  return (req: Request, _res: unknown, next: Next, ...value) => run(req, next, value)
}

/** Returns the outcome as text, without the name of the missing string method. */
const said = (extra: unknown) => String(extra).replace(/\(reading '\w+'\)/, '')

const deeds: Record<Deed, (req: Request, next: Next) => unknown> = {
  end: () => finish(),
  next: (_req, next) => next(),
  route: (_req, next) => next('route'),
  router: (_req, next) => next('router'),
  error: (_req, next) => next(new Error('passed')),
  throw: () => {
    throw new Error('thrown')
  },
  reject: () => Promise.reject(new Error('rejected')),
  'reject with nothing': () => Promise.reject(undefined),
  late: (_req, next) => void setImmediate(next),
  // Below a mount both fail on the way back, where nobody catches the error.
  'remove the URL': (req, next) =>
    next(void (req.url === req.originalUrl && req.url !== '/' && Object.assign(req, { url: undefined }))),
}

function traced(router: RouterLike, method: string, url: string): Promise<unknown[]> {
  return new Promise((resolve) => {
    const own: unknown[] = []
    const end = (...last: unknown[]) => {
      own.push(last)
      resolve(own)
    }
    trace = own
    finish = () => end('ended')
    const req = { method, url, headers: {}, baseUrl: '', params: { outer: '1', 0: 'x', 1: 'y' } }
    const res = { setHeader: (...field: unknown[]) => own.push(field), end: (body: string) => end('responded', body) }
    try {
      router(req, res, (error) => end('fell through', said(error ?? ''), req.baseUrl, req.url, { ...req.params }))
    } catch (error) {
      end('thrown out of the table', said(error))
    }
  })
}

/** The two routers for one spec. A property skips those that the table rejects (the same name or parameter twice, say). */
function pair(spec: Spec) {
  try {
    const rejected = build(spec, 'table', handler)
    while (rejected.step());
  } catch (error) {
    fc.pre(!(error instanceof TypeError))
    throw error
  }
  return { table: build(spec, 'table', handler), plain: build(spec, 'router', handler) }
}

/** The same, with all that they declare. */
function declared(spec: Spec) {
  const { table, plain } = pair(spec)
  while (table.step()) plain.step()
  return { table: table.router as object as NamedRoutes, plain: plain.router }
}

/** Expects a table to do with requests what `router` does. Some declarations are made after the first requests. */
async function compare(spec: Spec, requests: (readonly [method: string, url: string])[], early: number): Promise<void> {
  const { table, plain } = pair(spec)
  for (const [index, [method, url]] of requests.entries()) {
    for (let count = index === 0 ? early : 2; count > 0; count--) expect(table.step()).toBe(plain.step())
    const expected = { method, url, trace: await traced(plain.router, method, url) }
    expect({ method, url, trace: await traced(table.router, method, url) }).toEqual(expected)
    expect({ method, url, trace: await traced(decided(table.router), method, url) }).toEqual(expected)
  }
}

const some = { minLength: 4, maxLength: 12 }
const requests = fc.array(fc.tuple(fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'OPTIONS'), requestPath), some)

property(
  'a table does with requests what router does with the same declarations',
  fc.asyncProperty(specs({ plain: false }), requests, fc.nat(6), compare),
)

const EARLY = 20
// Tables that cases seldom have, and requests.
test.each<{ name: string; items: Item[]; asked: (readonly [method: string, url: string])[] }>([
  {
    name: 'the methods and errors of mounted tables, and an error that does not enter one',
    items: [
      include('/:v', [
        route('get', '/users', 'end'),
        route('post', '/users', 'end'),
        route('get', '/fail', 'error'),
        include('/in', [route('get', '/fail', 'error')]),
        errorHandler(undefined, 'end'),
      ]),
      use('/e', 'error'),
      include('/e', [errorHandler(undefined, 'end')]),
      errorHandler(undefined, 'late'),
    ],
    asked: [
      ['OPTIONS', '/a/users'],
      ['HEAD', '/a/users'],
      ['GET', '/a/fail'],
      ['GET', '/a/in/fail'],
      ['GET', '/e'],
    ],
  },
  {
    name: 'a path that leads to one entry in several ways',
    items: [route('get', '/:x/b', 'next'), route('get', '{/:p}{/a}/b', 'next'), route('get', '/a/:y', 'next')],
    asked: [['GET', '/a/b']],
  },
  {
    name: 'middleware that moves the request: only later entries are found',
    items: [
      route('get', '/new', 'router'),
      route('get', '/end', { url: '/nowhere' }),
      use(undefined, { url: '/new' }),
      route('get', '/old', 'end'),
      route('get', '/new', 'end'),
    ],
    asked: [
      ['GET', '/old'],
      ['GET', '/new'],
      ['GET', '/end'],
    ],
  },
  {
    name: 'a mounted table that moves the request, or leaves',
    items: [
      use(undefined, 'next'),
      include('/c/:p', [
        route('get', '/leave', { url: '/y?b' }, 'router'),
        route('get', '/skip', 'router'),
        route('get', '/route', { url: '/items/8' }, 'route'),
        route('get', '/error', { url: '/caught' }, 'error'),
        route('get', '/late', 'late', { url: '/items/9' }),
        route('get', '/items/:id', 'end'),
        errorHandler('/caught', 'end'),
        use('/skip', 'end'),
        route('get', '/fail', 'error'),
        route('get', '/fail', 'end'),
      ]),
      use('/c', 'end'),
    ],
    asked: [
      ['GET', '/c/1/leave?a'],
      ['GET', '/c/1/skip'],
      ['GET', '/c/1/route'],
      ['GET', '/c/1/late'],
      ['GET', '/c/1/error'],
      ['GET', '/c/1/fail'],
    ],
  },
  {
    name: 'param() of two of three routes, which replaces the value, and one that rejects with nothing',
    items: [
      param('id', { param: 'id' }),
      param('no', 'reject with nothing'),
      route('get', '/:id/:other', 'next'),
      route('get', '/:id/x', 'next'),
      route('get', '/:other/x', 'end'),
      route('get', '/no/:no/x', 'end'),
    ],
    asked: [
      ['GET', '/7/x'],
      ['GET', '/no/8/x'],
    ],
  },
  {
    name: 'param() below a mount, which moves the request and replaces all parameters',
    items: [
      param('p', { params: { fresh: '1' }, url: '/x/b' }),
      include('/:p', [route('get', '/a', 'end'), route('get', '/b', 'end')]),
    ],
    asked: [['GET', '/x/a']],
  },
  {
    name: 'a mounted table, and a target with a fragment',
    items: [include('/', [route('get', '/', { url: '/a#/b' }), include('/a', [])])],
    asked: [['GET', '/']],
  },
])('for example: $name', async ({ items, asked }) => {
  await compare(tableOf(items), asked, EARLY)
})

test.each(['/v1/users/7', '/v1/none', '/b'])('tracers of %s are told the same by both', async (url) => {
  const channel = tracingChannel('express.router.request')
  const { table, plain } = declared(
    tableOf([
      use(undefined, 'next'),
      use(['/a', '/b'], 'next'),
      include('/:v', [use(undefined, 'next'), route('get', '/users/:id', 'next', 'end')]),
    ]),
  )
  const toldBy = async (router: object) => {
    const told: unknown[] = []
    const start = ({ handler, route }: { handler: { name: string }; route: unknown }) =>
      void told.push([handler.name.replace(/^(router|routeTable|handle)$/, 'a router'), route])
    channel.subscribe({ start } as never)
    await traced(router as RouterLike, 'GET', url)
    channel.unsubscribe({ start } as never)
    return told
  }
  const told = await toldBy(plain)
  expect(told.length).toBeGreaterThan(1)
  expect(await toldBy(table)).toEqual(told)
})

property(
  'a path resolves to the route that responds to it',
  fc.asyncProperty(specs({ plain: true }), fc.array(requestPath, some), async (spec, urls) => {
    const { table, plain } = declared(spec)
    for (const url of urls) {
      const path = url.split('?', 1)[0] as string
      if (!path.startsWith('/') || /[# ]|%zz|%E0%A4%A/.test(path)) continue
      const [[place, seen]] = (await traced(plain, 'GET', url)) as [[string, object]]
      const match = table.resolve(path)
      const { outer: _, 0: _0, 1: _1, ...params } = { outer: '', 0: '', 1: '', ...seen }
      const view = place === 'fell through' ? null : place.split('.', 1)[0]
      expect({ url, view: match?.viewName ?? null }).toEqual({ url, view })
      if (view !== null) expect({ ...match?.params }).toEqual(params)
    }
  }),
)
