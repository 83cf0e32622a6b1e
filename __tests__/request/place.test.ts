import express, { type Application, type Request, type RequestHandler, Router } from 'express'
import * as library from 'express-versioning'
import { originalPathOf } from '../../src/request/place'
import { type Asked, act, type Build, check, checkEach, NO_NAMESPACE } from '../support/moved'
import { serve } from '../support/serve'
import { include, routed, type Table } from '../support/tables'

const { AcceptHeaderVersioning, NamespaceVersioning, namedRoutes, QueryParameterVersioning } = library
const { URLPathVersioning, versioning } = library

// `versioning()` may stand in several places relative to its tables.

const linkOf = (req: Request) => {
  try {
    return req.reverse('list')
  } catch {
    return 'no link'
  }
}
const viewOf = ({ resolverMatch: match }: Request) => (match ? (match.viewName ?? 'mount') : match)
/** Responses with the version, the view name and a link. */
const tell: RequestHandler = (req, res) => void res.json(`${req.version} ${viewOf(req)} ${linkOf(req)}`)
const put = (change: (req: Request) => object) => act((req) => Object.assign(req, change(req)))
const again =
  (handler: RequestHandler, change: (req: Request) => object): RequestHandler =>
  (req, res, next) =>
    handler(Object.assign(req, { baseUrl: '' }, change(req)), res, next)

const byQuery = (routes?: object) => versioning({ scheme: QueryParameterVersioning, routes: routes as Table })
const byAccept = (routes?: object) => versioning({ scheme: AcceptHeaderVersioning, routes: routes as Table })
const BOTH = { allowedVersions: ['v1', 'v9'], defaultVersion: 'v1' }
const byNamespace = (routes?: object, more = {}) =>
  versioning({ scheme: NamespaceVersioning, ...BOTH, ...more, routes: routes as Table })
/** A table with one name, which responds with every request. */
const responding = (path = '/list', ...before: RequestHandler[]) => namedRoutes({ list: path }).use(...before, tell)
const listed = (...handlers: RequestHandler[]) => routed({ list: '/list' }, ...handlers)

/** Settings that name the root, used inside its tables as well. */
const shared = (outside: boolean) => (app: Application) => {
  const api = namedRoutes({ status: '/status' })
  const inner = () => byNamespace(api, { allowedVersions: ['v1'] })
  const users = namedRoutes({ list: '/users' }).use(inner(), tell)
  include('/v9', include('/', users), 'v9', include('/v1', users, 'v1', api))
  include('/plain', Router().use(inner(), tell), undefined, api)
  if (outside) app.use('/api', inner())
  app.use('/api', api)
}
const known = include('/x', namedRoutes({ list: '/a' }), 'x')
/** One table that is included twice. */
const child = listed(tell)
const root = include('/:old/v0', child, 'v0', include('/v1', child, 'v1', namedRoutes({ home: '/' })))
root.route('home').get(tell)

const apps: Record<string, Build> = {
  'root named twice': shared(true),
  'root named inside': shared(false),
  'root without the table': (app) =>
    app.use('/api', namedRoutes({}).use('/deep', byQuery(namedRoutes({ list: '/other' })), tell)),
  'outer root with the table': (app) => {
    const link: RequestHandler = (req, res) => void res.json(req.reverse('x:list'))
    const table = namedRoutes({ list: '/a' }).use(byQuery(), link)
    app.use(byAccept(include('/x', table, 'x'))).use('/x', table)
  },
  'outer root without the table': (app) => app.use(byAccept(known), responding('/mine', byQuery())),
  'inner root': (app) => {
    const table = namedRoutes({ list: '/mine' })
    app.use(byAccept(known), table.use(byQuery(table), tell))
  },
  'root given in its own table': (app) => {
    const first = namedRoutes({ list: '/first' })
    app.use('/api', first.use(byQuery(first)), responding('/second'))
  },
  'outermost table': (app) =>
    app.use(byQuery(), include('/r', Router().use(responding('/o')), undefined, namedRoutes({ list: '/list' }))),
  'dispatched to another table': (app) => {
    const first = namedRoutes({ list: '/first' }).use(again(app, () => ({ url: '/ab/x?version=1' })))
    app.use(byQuery()).use('/a', first).use('/ab', responding('/second'))
  },
  'root of the whole app': (app) => {
    const api = namedRoutes({ list: '/list' })
    const whole = include('/api', api)
    app.use('/mount', byQuery(whole)).use('/mount/api', api.use(byQuery(whole), tell))
  },
  'rewritten in the table': (app) => {
    const rewrite = put(({ url }) => ({ url: url.replace('/old', '/v9') }))
    const api = namedRoutes({}).use(rewrite, byNamespace())
    app.use('/api', include('/v9', responding(), 'v9', include('/v1', responding(), 'v1', api)))
  },
  'second Express': (app) => {
    const Other = require(express.request === require('express4').request ? 'express' : 'express4') as typeof express
    const table = responding()
    app.use(byQuery(), Router().use(Other().use(byQuery(table), table)))
  },
  'no table': (app) => app.get('/none', versioning({ scheme: URLPathVersioning }), tell).use(tell),
  'route of its own': (app) => {
    const one = namedRoutes({ list: '/list', plain: '/plain' })
    for (const name of ['list', 'plain'] as const) one.route(name).get((_req, _res, next) => next())
    const nine = include('/plain', Router().use(byNamespace(), tell), undefined, listed(byNamespace(), tell))
    app.use('/api', include('/', nine, 'v9', include('/', one, 'v1')))
  },
  'rewritten in a plain router': (app) => {
    const move = put(({ url, baseUrl }) => (url === '/moved' ? { baseUrl: '/api/v1', url: '/list' } : { url, baseUrl }))
    const plain = Router().use(move, byNamespace(), tell)
    app.use('/api', include('/v9', plain, 'v9', include('/v1', listed(tell), 'v1')))
  },
  'dispatched in a plain router': (app) => {
    const other = express().use(byNamespace(include('/api/v9', listed(tell), 'v1')), tell)
    app.use('/api', include('/v9', Router().use(again(other, ({ originalUrl: url }) => ({ url }))), 'v9'))
  },
  'root at the mount': (app) => app.use('/api', byQuery(root), root),
  'tables in their places': (app) =>
    app.use(byQuery(root)).use('/v1', child).use('/2019/v0', child).use('/other', listed(tell)),
  'unknown table outside': (app) => app.use('/api', byQuery(root)).use(responding()),
  'table without a root': (app) => app.use(byQuery()).use('/other', child),
  'root below the mount': (app) => app.use(byQuery(root)).use('/api', root),
  'root beside the mount': (app) => app.use('/a', byQuery(root), (_req, _res, next) => next()).use(root),
  'table elsewhere': (app) => app.use('/api', byQuery(root)).use('/api/v2', child).use(child),
}
// Literals and escapes of the mount, and of the prefix that the root describes.
const mounted = (mount: string, included: string) => {
  apps[`${mount} for ${included}`] = (app) => {
    const table = listed(tell)
    app.use(byNamespace(include(included, table, 'v1'))).use(mount, table)
  }
}
mounted('/%61pi', '/api')
mounted('/caf%C3%A9', '/café')
mounted('/a%2fb', '/a/b')
mounted('/%61pi', '/apis')
mounted('/a//b', '/a/b')

/** The error of a table that is entered elsewhere than the root table says. */
const misplaced = (at: string, places: string) =>
  `500 A route table was entered at "${at}", but the root table given to versioning({ routes }) says that it stands at ${places}. ` +
  "Give versioning() the mount too: app.use('/api', versioning({ ..., routes: api }), api); " +
  "or describe it: routes: namedRoutes({}).include('/api', api), beside app.use('/api', api)."
// The response has the version, the view and a link.
const ASKED: readonly Asked[] = [
  { apps: ['root named twice', 'root named inside'], paths: ['/api/v1/users'], response: 'v1 v1:list /api/v1/users' },
  { apps: ['root named twice', 'root named inside'], paths: ['/api/v9/users'], response: NO_NAMESPACE },
  { apps: ['root named twice', 'root named inside'], paths: ['/api/plain/x'], response: 'v1 mount /api/v1/users' },
  { apps: ['root without the table'], paths: ['/api/deep/y?version=1'], response: '1 null /api/deep/other?version=1' },
  { apps: ['outer root with the table'], paths: ['/x/z?version=1'], response: '/x/a?version=1' },
  { apps: ['outer root without the table', 'inner root'], paths: ['/z?version=1'], response: '1 null /mine?version=1' },
  { apps: ['root given in its own table'], paths: ['/api/x?version=1'], response: '1 null /api/first?version=1' },
  { apps: ['outermost table'], paths: ['/r/x?version=1'], response: '1 mount /list?version=1' },
  // `/ab` is not below `/a`.
  { apps: ['dispatched to another table'], paths: ['/a/x'], response: '1 null /ab/second?version=1' },
  { apps: ['root of the whole app'], paths: ['/mount/api/x?version=1'], response: '1 mount /mount/api/list?version=1' },
  { apps: ['rewritten in the table'], paths: ['/api/old/list?x'], response: 'v9 v9:list /api/v9/list' },
  { apps: ['second Express'], paths: ['/x?version=1'], response: '1 null /list?version=1' },
  { apps: ['no table'], paths: ['/none'], response: 'null null no link' },
  { apps: ['no table'], paths: ['/before'], response: 'undefined undefined no link' },
  { apps: ['route of its own'], paths: ['/api/list'], response: 'v9 v9:list /api/list' },
  { apps: ['route of its own'], paths: ['/api/plain/'], response: 'v9 mount /api/list' },
  { apps: ['rewritten in a plain router'], paths: ['/api/v9/moved'], response: 'v1 v1:list /api/v1/list' },
  { apps: ['rewritten in a plain router'], paths: ['/api/v9/list'], response: 'v9 mount no link' },
  { apps: ['dispatched in a plain router'], paths: ['/api/v9/list'], response: 'v1 v1:list /api/v9/list' },
  { apps: ['root at the mount'], paths: ['/api/'], response: 'null home no link' },
  { apps: ['root at the mount'], paths: ['/api/v1/list'], response: 'null v1:list no link' },
  { apps: ['tables in their places'], paths: ['/2019/v0/list'], response: 'null v0:list no link' },
  { apps: ['tables in their places'], paths: ['/other/list'], response: 'null null no link' },
  { apps: ['unknown table outside'], paths: ['/api/list'], response: 'null null no link' },
  { apps: ['table without a root'], paths: ['/other/list'], response: 'null list /other/list' },
  { apps: ['root below the mount'], paths: ['/api'], response: misplaced('/api', '"/"') },
  { apps: ['root beside the mount'], paths: ['/a'], response: misplaced('/', '"/a"') },
  { apps: ['table elsewhere'], paths: ['/api/v2/list'], response: misplaced('/api/v2', '"/api/v1" or "/api/:old/v0"') },
  { apps: ['table elsewhere'], paths: ['/api/list'], response: misplaced('/', '"/api/v1" or "/api/:old/v0"') },
  { apps: ['/%61pi for /api'], paths: ['/%61pi/list'], response: 'v1 null /api/list' },
  { apps: ['/caf%C3%A9 for /café'], paths: ['/caf%C3%A9/list'], response: 'v1 v1:list /caf%C3%A9/list' },
  { apps: ['/a%2fb for /a/b'], paths: ['/a%2fb/list'], response: misplaced('/a%2fb', '"/a/b"') },
  { apps: ['/a//b for /a/b'], paths: ['/a//b/list'], response: 'v1 null /a/b/list' },
  { apps: ['/%61pi for /apis'], paths: ['/%61pi/list'], response: misplaced('/%61pi', '"/apis"') },
]
checkEach(apps, ASKED)

test('a request without baseUrl, of another framework, counts as unmounted', () => {
  const req = { url: '/x?version=1', headers: {}, method: 'GET' } as Request
  const routes = namedRoutes({ list: '/list' })
  byQuery(routes)(req, {} as express.Response, () => undefined)
  expect(req.reverse('list')).toBe('/list?version=1')
  versioning({ scheme: URLPathVersioning, routes })(req, {} as express.Response, () => undefined)
  expect([req.version, req.reverse('list')]).toEqual([null, '/list'])
  // A target without a path has the root as its original path.
  expect(originalPathOf({ originalUrl: '?a', url: '?a' } as Request)).toBe('/')
})

const UNREADABLE = 'http://\u00ad/x'
test.each([[UNREADABLE], [undefined], ['?a']])('such a target belongs to no route and no table: %j', async (url) => {
  const without = put(() => ({ url }))
  const reached: string[] = []
  const note = (name: string) => put(() => ({ noted: reached.push(name) }))
  const table = namedRoutes({ a: '/a', any: '/*rest' })
  table.route('a').get(without, byNamespace(), note('within'))
  table.route('any').all(note('any'))
  table.use(note('middleware'))
  const twice: RequestHandler = (req, res, next) => table(req, res, () => table(req, res, () => tell(req, res, next)))
  const inner = namedRoutes({ a: '/a' })
  inner.route('a').get(without, byNamespace(include('/', inner)), tell)
  const routes = include('/v1', namedRoutes({ y: '/y' }), 'v1', namedRoutes({ x: '/x', home: '/' }))
  const neutral = byNamespace(routes, { neutral: ['/', '/v1/y', '/undefined', 'x', 'home', 'v1:'] })
  const builds: Build[] = [
    (app) => app.get('/a', without, byNamespace(routes), tell),
    (app) => app.get('/a', without, neutral, tell),
    (app) => app.use(inner),
    (app) => app.get('/a', twice),
  ]
  for (const build of builds) await check(build, [{ paths: ['/a'], response: 'v1 null no link' }])
  expect(reached).toEqual(['within'])
})

// Express cuts the length of the escaped path off the raw one.
test('a target that Express cuts wrongly is rejected as the fault of the client, but never as a preflight', async () => {
  const misplaced = namedRoutes({})
  misplaced.use(versioning({ scheme: URLPathVersioning, routes: include('/elsewhere', misplaced) }), tell)
  const { raw } = await serve((app) => {
    for (const allowedVersions of [['v1'], []]) {
      const routes = listed(tell)
      const decide = versioning({ scheme: URLPathVersioning, allowedVersions, routes })
      app.use(`/${allowedVersions.length}/:version`, decide, routes)
    }
    app.use('/api', misplaced)
  })
  const ask = (method: string, path: string, more = '') =>
    raw(`${method} http://a${path} HTTP/1.1\r\nHost: a\r\n${more}Connection: close\r\n\r\n`)
  const preflight = 'Origin: http://b\r\nAccess-Control-Request-Method: GET\r\n'
  for (const mount of ['/1', '/0']) {
    expect(await ask('GET', `${mount}/v{1/list`)).toMatch(/^HTTP\/1.1 404 [\s\S]*Invalid version in URL path\./)
    expect(await ask('OPTIONS', `${mount}/v{1/list`, preflight)).toMatch(/^HTTP\/1.1 404 (?![\s\S]*Invalid version)/)
    expect(await ask('GET', `${mount}/v1/list`)).toMatch(/^HTTP\/1.1 200 [\s\S]*v1 list /)
  }
  expect(await ask('GET', '/api/users')).toContain('it stands at')
  expect(await ask('GET', '/api/us{ers')).toMatch(/^HTTP\/1.1 404 [\s\S]*Not found\./)
})
