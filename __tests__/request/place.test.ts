import express, { type Application, type Request, type RequestHandler, Router } from 'express'
import {
  AcceptHeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { originalPathOf, pathnameOf } from '../../src/request/place'
import type { RouteRegistry } from '../../src/types'
import { serve } from '../support/serve'

// `versioning()` may stand in several places relative to its tables.

const linkOf = (req: Request) => {
  try {
    return req.reverse('list')
  } catch {
    return 'no link'
  }
}
const viewOf = ({ resolverMatch: match }: Request) => (match ? (match.viewName ?? 'mount') : match)
/** Answers with the version, the view name and a link. */
const tell: RequestHandler = (req, res) => void res.json(`${req.version} ${viewOf(req)} ${linkOf(req)}`)
const pass: RequestHandler = (_req, _res, next) => next()
const put =
  (properties: object): RequestHandler =>
  (req, _res, next) => {
    Object.assign(req, properties)
    next()
  }

const NOT_A_VERSION = '404 Invalid version in URL path. Does not match any version namespace.'
const BOTH = { allowedVersions: ['v1', 'v9'], defaultVersion: 'v1' }
const byQuery = (routes?: RouteRegistry) => versioning({ scheme: QueryParameterVersioning, routes })
const byAccept = (routes?: RouteRegistry) => versioning({ scheme: AcceptHeaderVersioning, routes })
const byNamespace = (routes?: RouteRegistry, more = {}) =>
  versioning({ scheme: NamespaceVersioning, ...BOTH, ...more, routes })
/** A table with one name, which answers every request. */
const answering = (path = '/list', ...before: RequestHandler[]) => namedRoutes({ list: path }).use(...before, tell)
/** A table with one route. */
const routed = (...handlers: RequestHandler[]) => {
  const table = namedRoutes({ list: '/list' })
  table.route('list').all(...handlers)
  return table
}

async function check(build: (app: Application) => unknown, answers: Record<string, unknown>): Promise<void> {
  const server = await serve((app) => void build(app))
  const seen: Record<string, unknown> = {}
  for (const path of Object.keys(answers)) {
    const { status, json } = await server.get(path)
    seen[path] = status === 200 ? json : `${status} ${(json as { error: string }).error}`
  }
  expect(seen).toEqual(answers)
}

/** Settings that name the root, used inside its tables as well. */
const shared = (outside: boolean) => (app: Application) => {
  const api = namedRoutes({ status: '/status' })
  const inner = () => byNamespace(api, { allowedVersions: ['v1'] })
  const users = namedRoutes({ list: '/users' }).use(inner(), tell)
  api.include('/v1', users, { namespace: 'v1' })
  api.include('/v9', namedRoutes({}).include('/', users), { namespace: 'v9' })
  api.include('/plain', Router().use(inner(), tell) as never)
  if (outside) app.use('/api', inner())
  app.use('/api', api)
}
const SHARED = {
  '/api/v1/users': 'v1 v1:list /api/v1/users',
  '/api/v9/users': NOT_A_VERSION,
  '/api/plain/x': 'v1 mount /api/v1/users',
}

const unreadable = 'http://\u00ad/x'
const both = namedRoutes({}).include('/x', namedRoutes({ list: '/a' }), { namespace: 'x' })

/** One table that is included twice, one that stands alone, and the versioning() that names the root. */
const child = routed(tell)
const root = namedRoutes({ home: '/' })
  .include('/v1', child, { namespace: 'v1' })
  .include('/:old/v0', child, { namespace: 'v0' })
root.route('home').get(tell)
const toldOnce = (places: string) =>
  expect.stringMatching(
    new RegExp(
      `^500 A route table was ${places}\\..*app\\.use\\('/api', versioning\\(.*or describe it: routes: namedRoutes\\(\\{\\}\\)\\.include\\('/api', api\\)`,
    ),
  )
const saying = (entered: string, places: string) =>
  toldOnce(
    `entered at "${entered}", but the root table given to versioning\\({ routes }\\) says that it stands at ${places}`,
  )

const places: [what: string, build: (app: Application) => unknown, answers: Record<string, unknown>][] = [
  ['the root is named on the mount and in its tables', shared(true), SHARED],
  ['the root is named only in its tables', shared(false), SHARED],
  [
    'a root without the table that handles is mounted where versioning() runs',
    (app) => app.use('/api', namedRoutes({}).use('/deep', byQuery(namedRoutes({ list: '/other' })), tell)),
    { '/api/deep/y?version=1': '1 null /api/deep/other?version=1' },
  ],
  [
    'an inner versioning() without routes keeps an outer root that has the table that handles',
    (app) => {
      const link: RequestHandler = (req, res) => void res.json(req.reverse('x:list'))
      const table = namedRoutes({ list: '/a' }).use(byQuery(), link)
      app.use(byAccept(namedRoutes({}).include('/x', table, { namespace: 'x' }))).use('/x', table)
    },
    { '/x/z?version=1': '/x/a?version=1' },
  ],
  [
    'but not an outer root without that table',
    (app) => app.use(byAccept(both), answering('/mine', byQuery())),
    { '/z?version=1': '1 null /mine?version=1' },
  ],
  [
    'an inner root that handles wins over an outer one',
    (app) => {
      const table = namedRoutes({ list: '/mine' })
      app.use(byAccept(both), table.use(byQuery(table), tell))
    },
    { '/z?version=1': '1 null /mine?version=1' },
  ],
  [
    'a root given in its own table counts behind it',
    (app) => {
      const first = namedRoutes({ list: '/first' })
      app.use('/api', first.use(byQuery(first)), answering('/second'))
    },
    { '/api/x?version=1': '1 null /api/first?version=1' },
  ],
  [
    'without a root, the table that handles now counts',
    (app) => app.use('/api', namedRoutes({ list: '/first' }).use(byQuery()), answering('/second')),
    { '/api/x?version=1': '1 null /api/second?version=1' },
  ],
  [
    'the outermost table counts, also with a plain router between',
    (app) => app.use(byQuery(), namedRoutes({ list: '/list' }).include('/r', Router().use(answering('/o')) as never)),
    { '/r/x?version=1': '1 mount /list?version=1' },
  ],
  [
    'another table counts once the request is dispatched to it',
    (app) => {
      const again: RequestHandler = (req, res, next) => {
        Object.assign(req, { url: '/b/x?version=1', baseUrl: '' })
        app(req, res, next)
      }
      app.use(byQuery())
      app.use('/a', namedRoutes({ list: '/first' }).use(again)).use('/b', answering('/second'))
    },
    { '/a/x': '1 null /b/second?version=1' },
  ],
  [
    'settings that name a root of the whole app, in a table of it',
    (app) => {
      const api = namedRoutes({ list: '/list' })
      const whole = namedRoutes({}).include('/api', api)
      app.use('/mount', byQuery(whole)).use('/mount/api', api.use(byQuery(whole), tell))
    },
    { '/mount/api/x?version=1': '1 mount /mount/api/list?version=1' },
  ],
  [
    'a url rewritten in the table, before versioning(), is the path that counts',
    (app) => {
      const rewrite: RequestHandler = (req, _res, next) => {
        req.url = req.url.replace('/old', '/v9')
        next()
      }
      const api = namedRoutes({}).use(rewrite, byNamespace())
      api.include('/v1', answering(), { namespace: 'v1' }).include('/v9', answering(), { namespace: 'v9' })
      app.use('/api', api)
    },
    { '/api/old/list?x': 'v9 v9:list /api/v9/list', '/api/v1/list': 'v1 v1:list /api/v1/list' },
  ],
  [
    'a second Express gets the members of requests as soon as this package meets it',
    (app) => {
      const Other = require(express.request === require('express4').request ? 'express' : 'express4') as typeof express
      const table = answering()
      app.use(byQuery(), Router().use(Other().use(byQuery(table), table)))
    },
    { '/x?version=1': '1 null /list?version=1' },
  ],
  [
    'without a table there is no match; before versioning() nothing is known',
    (app) => app.get('/none', versioning({ scheme: URLPathVersioning }), tell).use(tell),
    { '/none': 'null null no link', '/before': 'undefined undefined no link' },
  ],
  [
    'nested schemes: Express’s negotiation ignores the version of each',
    (app) => {
      const accept = put({ headers: { accept: 'application/json;version=1;v=2' } })
      const inner = versioning({ scheme: AcceptHeaderVersioning, versionParam: 'v' })
      app.use(accept, byAccept(), inner, byQuery(), (_req, res) => res.format({ json: () => res.json('ok') }))
    },
    { '/': 'ok' },
  ],
  [
    'in a route of its own, behind a route of another version',
    (app) => {
      const one = namedRoutes({ list: '/list', plain: '/plain' })
      one.route('list').get(pass)
      one.route('plain').get(pass)
      const nine = routed(byNamespace(), tell).include('/plain', Router().use(byNamespace(), tell))
      app.use('/api', namedRoutes({}).include('/', one, { namespace: 'v1' }).include('/', nine, { namespace: 'v9' }))
    },
    {
      '/api/list': 'v9 v9:list /api/list',
      '/api/plain': 'v9 mount /api/list',
      '/api/plain/': 'v9 mount /api/list',
    },
  ],
  [
    'in a plain router: the path counts once it is rewritten',
    (app) => {
      const move: RequestHandler = (req, _res, next) => {
        if (req.url === '/moved') Object.assign(req, { baseUrl: '/api/v1', url: '/list' })
        next()
      }
      const table = namedRoutes({}).include('/v1', routed(tell), { namespace: 'v1' })
      app.use('/api', table.include('/v9', Router().use(move, byNamespace(), tell), { namespace: 'v9' }))
    },
    { '/api/v9/moved': 'v1 v1:list /api/v1/list', '/api/v9/list': 'v9 mount no link' },
  ],
  [
    'in a plain router: the table given to versioning() counts once the request is dispatched again',
    (app) => {
      const routes = namedRoutes({}).include('/api/v9', routed(tell), { namespace: 'v1' })
      const other = express().use(byNamespace(routes), tell)
      const again: RequestHandler = (req, res, next) => {
        Object.assign(req, { baseUrl: '', url: req.originalUrl })
        other(req, res, next)
      }
      app.use('/api', namedRoutes({}).include('/v9', Router().use(again), { namespace: 'v9' }))
    },
    { '/api/v9/list': 'v1 v1:list /api/v9/list' },
  ],
  ['the root beside versioning()', (app) => app.use(byQuery(root), root), { '/': 'null home no link' }],
  [
    'the root and its tables at the mount of versioning()',
    (app) => app.use('/api', byQuery(root), root),
    { '/api/': 'null home no link', '/api/v1/list': 'null v1:list no link' },
  ],
  [
    'tables where the root says, and one that it does not know',
    (app) => app.use(byQuery(root)).use('/v1', child).use('/2019/v0', child).use('/other', routed(tell)),
    { '/v1/list': 'null v1:list no link', '/2019/v0/list': 'null v0:list no link', '/other/list': 'null null no link' },
  ],
  [
    'a table that the root does not know, outside its mount',
    (app) => {
      const table = namedRoutes({ list: '/api/list' })
      table.route('list').get(tell)
      app.use('/api', byQuery(root)).use(table)
    },
    { '/api/list': 'null null no link' },
  ],
  [
    'any table without a root',
    (app) => app.use(byQuery()).use('/other', child),
    { '/other/list': 'null list /other/list' },
  ],
  [
    'the root below the mount is an error that names both places and both remedies',
    (app) => app.use(byQuery(root)).use('/api', root),
    { '/api': saying('/api', '"/"') },
  ],
  ['the root beside the mount', (app) => app.use('/a', byQuery(root), pass).use(root), { '/a': saying('/', '"/a"') }],
  [
    'a table elsewhere',
    (app) => app.use('/api', byQuery(root)).use('/api/v2', child).use(child),
    {
      '/api/v2/list': saying('/api/v2', '"/api/v1" or "/api/:old/v0"'),
      '/api/list': saying('/', '"/api/v1" or "/api/:old/v0"'),
    },
  ],
]
test.each(places)('%s', (_what, build, answers) => check(build, answers))

test.each<[mount: string, included: `/${string}`, path: string, isThere: boolean]>([
  ['/api', '/api', '/api/list', true],
  ['/%61pi', '/api', '/%61pi/list', true],
  ['/%61-p_i.~', '/a-p_i.~', '/%61-p_i.~/list', true],
  ['/caf%C3%A9', '/café', '/caf%C3%A9/list', true],
  ['/caf%C3%A9', '/café', '/caf%c3%a9/list', true],
  ['/a%2fb', '/a/b', '/a%2fb/list', false],
  ['/%61pi', '/apis', '/%61pi/list', false],
])('the mount %s for the prefix %s: %s is there: %p', (mount, included, path, isThere) => {
  const table = routed(tell)
  const routes = namedRoutes({}).include(included, table, { namespace: 'v1' })
  const answer = isThere
    ? expect.stringMatching(/^v1 (v1:list|null) /)
    : expect.stringMatching(/^500 A route table was entered/)
  return check((app) => app.use(byNamespace(routes)).use(mount, table), { [path]: answer })
})

test('a request without baseUrl, of another framework, counts as unmounted', () => {
  const req = { url: '/x?version=1', headers: {}, method: 'GET' } as Request
  const routes = namedRoutes({ list: '/list' })
  byQuery(routes)(req, {} as express.Response, () => undefined)
  expect(req.reverse('list')).toBe('/list?version=1')
  versioning({ scheme: URLPathVersioning, routes })(req, {} as express.Response, () => undefined)
  expect([req.version, req.reverse('list')]).toEqual([null, '/list'])
})

describe('a request target without a path', () => {
  test.each([[unreadable], [undefined], [''], ['?a']])('%j', (url) => {
    expect(pathnameOf({ url } as Request)).toBeUndefined()
  })

  test('has the root as its original path', () => {
    const of = (originalUrl: string | undefined) => originalPathOf({ originalUrl, url: originalUrl } as Request)
    expect([unreadable, undefined, '', '?a', '/a?b', '*'].map(of)).toEqual(['/', '/', '/', '/', '/a', '*'])
  })

  test.each([[unreadable], [undefined], ['?a']])(
    'belongs to no route and no table, and is not neutral: %j',
    async (url) => {
      const reached: string[] = []
      const note =
        (name: string): RequestHandler =>
        (_req, _res, next) => {
          reached.push(name)
          next()
        }
      const routes = namedRoutes({ x: '/x', home: '/' }).include('/v1', namedRoutes({ y: '/y' }), { namespace: 'v1' })
      const neutral = ['/', '/v1/y', '/undefined', 'x', 'home', 'v1:']
      const settings = { scheme: AcceptHeaderVersioning, allowedVersions: ['1'], defaultVersion: '1', routes, neutral }
      await check(
        (app) => {
          const table = namedRoutes({ a: '/a', any: '/*rest' })
          table.route('a').get(put({ url }), byNamespace(), note('within'))
          table.route('any').all(note('any'))
          table.use(note('middleware'))
          app.get('/y', put({ url }), byNamespace(routes, { defaultVersion: null }), tell)
          const inner = namedRoutes({ a: '/inner' })
          inner.route('a').get(put({ url }), byNamespace(namedRoutes({}).include('/', inner)), tell)
          app.use(inner)
          app.get('/neutral', put({ url }), versioning(settings), tell)
          app.get('/twice', put({ url: '/a' }), (req, res, next) => {
            table(req, res, () => table(req, res, () => tell(req, res, next)))
          })
        },
        {
          '/y': 'null null no link',
          '/inner': 'v1 null no link',
          '/neutral': '1 null no link',
          '/twice': 'v1 null no link',
        },
      )
      expect(reached).toEqual(['within'])
    },
  )
})

describe('a target that Express cuts wrongly, because it cuts the length of the escaped path off the raw one', () => {
  const ask = (method: string, path: string, more = '') =>
    `${method} http://a${path} HTTP/1.1\r\nHost: a\r\n${more}Connection: close\r\n\r\n`
  const preflight = 'Origin: http://b\r\nAccess-Control-Request-Method: GET\r\n'

  test.each<[what: string, bytes: string, status: number, text: string]>([
    ['is refused', ask('GET', '/v{1/list'), 404, 'Invalid version in URL path.'],
    ['is never refused as a preflight', ask('OPTIONS', '/v{1/list', preflight), 404, ''],
    ['is served if nothing is cut wrongly', ask('GET', '/v1/list'), 200, 'v1 list '],
  ])('%s', async (_what, bytes, status, text) => {
    for (const allowedVersions of [['v1'], []]) {
      const routes = routed(tell)
      const decide = versioning({ scheme: URLPathVersioning, allowedVersions, routes })
      const { raw } = await serve((app) => app.use('/:version', decide, routes))
      const answer = await raw(bytes)
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer).toContain(text)
    }
  })

  test('is the client’s fault, and not that of a misplaced table', async () => {
    const table = namedRoutes({})
    table.use(versioning({ scheme: URLPathVersioning, routes: namedRoutes({}).include('/elsewhere', table) }), tell)
    const { raw } = await serve((app) => app.use('/api', table))
    expect(await raw(ask('GET', '/api/users'))).toContain('it stands at')
    expect(await raw(ask('GET', '/api/us{ers'))).toMatch(/^HTTP\/1.1 404 [\s\S]*Not found\./)
  })
})
