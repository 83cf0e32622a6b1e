import express, { type RequestHandler } from 'express'
import {
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { change, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { ask, historyOf, PATHS, serveChanges, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const say = (text: string) => ({ response: (path: string[]) => [...path, text] })
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
const list = (text: string) => historyOf([change(text, { 'GET user-list': say(text) })])
const history = list('old')

/** Users whose list answers in the newest shape. */
function usersOf() {
  const users = tableOf()
  users.route('user-list').get(newest)
  return users
}

describe('an operation is found', () => {
  test.each<[title: string, paths: string[], build: () => express.RequestHandler[]]>([
    [
      'below namespaces, of which one is the version',
      ['/v1/users'],
      () => {
        const routes = namedRoutes({})
        for (const version of ['v1', 'v2']) {
          routes.include(`/${version}`, usersOf(), { namespace: version })
        }
        return [versioning({ scheme: NamespaceVersioning, changes: history, routes }), routes]
      },
    ],
    [
      'below several tables',
      ['/api/users'],
      () => {
        const api = namedRoutes({}).include('/', usersOf())
        const routes = namedRoutes({}).include('/api', api, { namespace: 'api' })
        return [versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }), routes]
      },
    ],
    [
      'below a prefix with the version, which may be absent',
      ['/v1/users', '/users'],
      () => {
        const routes = namedRoutes({}).include('{/:version}', usersOf())
        return [versioning({ scheme: URLPathVersioning, defaultVersion: 'v1', changes: history, routes }), routes]
      },
    ],
    [
      'where the app mounts the table itself, as the root describes it',
      ['/api/users'],
      () => {
        const users = usersOf()
        const routes = namedRoutes({}).include('/api', users, { namespace: 'api' })
        const mounted = express.Router().use('/api', users)
        return [versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }), mounted]
      },
    ],
    [
      'in a sub-app',
      ['/sub/users'],
      () => {
        const routes = usersOf()
        const sub = express().use(
          versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }),
          routes,
        )
        return [express.Router().use('/sub', sub)]
      },
    ],
    [
      'in a sub-app with the table, behind a versioning() of the app',
      ['/users'],
      () => {
        const routes = usersOf()
        const sub = express().set('json spaces', 1).use(routes)
        return [versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }), sub]
      },
    ],
    [
      'where middleware has rewritten the path',
      ['/anything', '/other'],
      () => {
        const routes = usersOf()
        const rewrite: RequestHandler = (req, _res, next) => {
          req.url = '/users'
          next()
        }
        return [
          versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes }),
          rewrite,
          routes,
        ]
      },
    ],
    [
      'by a combination, whichever scheme decides',
      ['/v1/users', '/users?version=v1', '/users'],
      () => {
        const routes = namedRoutes({}).include('{/:version}', usersOf())
        const schemes = [new URLPathVersioning(), new QueryParameterVersioning()]
        const scheme = new CombinedVersioning({ schemes, defaultVersion: 'v1' })
        return [versioning({ scheme, changes: history, routes }), routes]
      },
    ],
    [
      'where an outer versioning() named the root, and an inner one the versions',
      ['/v1/users'],
      () => {
        const users = tableOf()
        const routes = namedRoutes({}).include('/:version', users, { namespace: 'in' })
        users.use(versioning({ scheme: URLPathVersioning, changes: history, routes }))
        users.route('user-list').get(newest)
        return [versioning({ scheme: URLPathVersioning, routes, allowedVersions: ['v1'] }), routes]
      },
    ],
  ])('%s', async (_title, paths, build) => {
    const server = await serve((app) => app.use(...build()))
    for (const path of paths) {
      expect([path, (await server.get(path)).json]).toEqual([path, ['newest', 'old']])
      const head = await server.send('HEAD', path)
      expect([path, head.headers['content-length']]).toEqual([path, (await server.get(path)).headers['content-length']])
    }
  })
})

test('a route on its own or beside others, with callbacks of param() or without, is the same', async () => {
  const detail = historyOf([
    ...['plain', 'busy'].map((at) =>
      change('Detail.', {
        [`GET ${at}:user-detail`]: say('old'),
        [`GET ${at}:other`]: 'added',
        [`POST ${at}:user-detail`]: 'removed',
      }),
    ),
  ])
  const plain = tableOf()
  const busy = tableOf()
  busy.param('id', (_req, _res, next) => next())
  busy.use((_req, _res, next) => next())
  for (const table of [plain, busy]) {
    table.route('user-detail').get(newest).post(newest)
    table.route('other').get(newest)
  }
  const routes = namedRoutes({})
    .include('/plain', plain, { namespace: 'plain' })
    .include('/busy', busy, { namespace: 'busy' })
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: detail, routes }), routes)
  })
  for (const at of ['/plain', '/busy']) {
    expect((await ask(server, 'v1', `${at}/users/7`)).json).toEqual(['newest', 'old'])
    expect((await ask(server, 'v1', `${at}/users/7`, { method: 'POST' })).json).toEqual(['newest'])
    expect((await ask(server, 'v2', `${at}/users/7`, { method: 'POST' })).status).toBe(404)
    expect((await ask(server, 'v1', `${at}/other`)).status).toBe(404)
    expect((await ask(server, 'v2', `${at}/other`)).json).toEqual(['newest'])
  }
})

test("'router' of a route that was converted leaves the mounted table, and no more", async () => {
  const converted = change('Query.', { 'GET user-list': { query: (query: object) => ({ ...query, newer: 1 }) } })
  const users = tableOf()
  users.route('user-list').get((_req, _res, next) => next('router'))
  const routes = namedRoutes({ behind: '/users' }).include('/', users)
  const seen: unknown[] = []
  routes.route('behind').get((req, res) => {
    seen.push(req.query)
    res.json('behind')
  })
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: historyOf([converted]), routes }), routes)
  })
  expect((await ask(server, 'v1', '/users?q=1')).json).toBe('behind')
  expect(seen).toEqual([{ q: '1' }])
})

describe('an inner versioning()', () => {
  const mounted = (outer: VersionHistory, inner: VersionHistory | undefined) =>
    serve((app) => {
      const users = usersOf()
      const routes = namedRoutes(PATHS).include('/in', users, { namespace: 'v1' })
      routes.route('user-list').get(newest)
      const own =
        inner === undefined
          ? versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v1' })
          : versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v1', changes: inner, routes })
      const table = namedRoutes({}).include('/', routes)
      app.use('/plain', versioning({ scheme: HeaderVersioning, changes: outer, routes: table }), table)
      const twice = namedRoutes({}).include('/', usersOf())
      app.use('/twice', versioning({ scheme: HeaderVersioning, changes: outer, routes: twice }), own, twice)
    })

  test('decides with its own history, or with none', async () => {
    const server = await mounted(list('outer'), undefined)
    expect((await ask(server, 'v1', '/plain/users')).json).toEqual(['newest', 'outer'])
    expect((await ask(server, 'v1', '/plain/in/users')).json).toEqual(['newest', 'outer'])
    // The last that ran has no changes.
    expect((await ask(server, 'v1', '/twice/users')).json).toEqual(['newest'])
  })

  test('of the same table converts once', async () => {
    const routes = usersOf()
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, changes: list('outer'), routes }))
      app.use(
        versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2', changes: list('inner'), routes }),
        routes,
      )
    })
    expect((await ask(server, 'v1', '/users?version=v1')).json).toEqual(['newest', 'inner'])
    expect((await ask(server, 'v1', '/users')).json).toEqual(['newest'])
    expect((await ask(server, 'v2', '/users?version=v1')).json).toEqual(['newest', 'inner'])
  })

  test('that is neutral converts nothing', async () => {
    const routes = usersOf()
    const server = await serve((app) => {
      app.use(versioning({ scheme: HeaderVersioning, changes: list('outer'), routes }))
      app.use(versioning({ scheme: HeaderVersioning, changes: list('inner'), routes, neutral: ['/users'] }), routes)
    })
    expect((await ask(server, 'v1', '/users')).json).toEqual(['newest'])
  })

  test('behind a route that was left starts anew: the operation is that of the path', async () => {
    const routes = tableOf()
    routes.route('other').get((req, _res, next) => {
      req.url = '/users'
      next('router')
    })
    const server = await serve((app) => {
      const again = versioning({ scheme: HeaderVersioning, changes: list('again'), routes })
      app.use(versioning({ scheme: HeaderVersioning, changes: list('first'), routes }), routes, again, newest)
    })
    expect((await ask(server, 'v1', '/other')).json).toEqual(['newest', 'again'])
  })
})

test('a request that is dispatched again is converted once more, by what is decided then', async () => {
  const routes = usersOf()
  const server = await serve((app) => {
    app.use(versioning({ scheme: QueryParameterVersioning, changes: history, routes }))
    app.get('/again', (req, res) => {
      req.url = '/users?version=v1'
      app(req, res)
    })
    app.use(routes)
  })
  expect((await server.get('/again?version=v2')).json).toEqual(['newest', 'old'])
})

test('what byVersion() answers counts as the newest shape', async () => {
  const routes = tableOf()
  routes
    .route('user-list')
    .get(byVersion({ v1: newest, v2: (_req, res) => void res.json(['two']) }, { fallback: 'lower' }))
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
  })
  expect((await ask(server, 'v1', '/users')).json).toEqual(['newest', 'old'])
  expect((await ask(server, 'v2', '/users')).json).toEqual(['two'])
})

test('a table that the root does not contain is judged by its own names', async () => {
  const server = await serveChanges(history, (_routes, app) => {
    app.use('/apart', usersOf())
  })
  expect((await ask(server, 'v1', '/apart/users')).json).toEqual(['newest', 'old'])
})

test('one history may serve several tables, and one table several histories', async () => {
  const [first, second] = [usersOf(), usersOf()]
  const server = await serve((app) => {
    for (const [path, changes, routes] of [
      ['/a', history, first],
      ['/b', history, second],
      ['/c', list('other'), first],
    ] as const) {
      app.use(path, versioning({ scheme: HeaderVersioning, changes, routes }), routes)
    }
  })
  const texts = []
  for (const path of ['/a', '/b', '/c']) texts.push((await ask(server, 'v1', `${path}/users`)).json)
  expect(texts).toEqual([
    ['newest', 'old'],
    ['newest', 'old'],
    ['newest', 'other'],
  ])
})

test('a thousand versions, of which one changed the operation', async () => {
  let long = versionHistory('0')
  for (let index = 1; index < 1000; index++) {
    const changed = index === 500 || index === 501
    long = long.version(String(index), ...(changed ? [change(`${index}`, { 'GET user-list': say(`${index}`) })] : []))
  }
  const routes = usersOf()
  const server = await serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, changes: long, routes }), routes)
  })
  for (const [version, expected] of [
    ['0', ['newest', '501', '500']],
    ['499', ['newest', '501', '500']],
    ['500', ['newest', '501']],
    ['501', ['newest']],
    ['999', ['newest']],
  ] as const) {
    expect((await ask(server, version, '/users')).json).toEqual(expected)
  }
})

test('200 mixed requests at once are never mixed up', async () => {
  const versions = ['v1', 'v2', 'v3', 'v4']
  const one = (text: string) => change(text, { 'GET user-detail': say(text) })
  const server = await serveChanges(historyOf([one('2')], [one('3')], [one('4')]), (users) => {
    users
      .route('user-detail')
      .get((req, res) => void setTimeout(() => res.json([req.params.id]), Number(req.params.id) % 7))
  })
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, id) => ask(server, versions[id % 4] as string, `/users/${id}`)),
  )
  const passed = [['4', '3', '2'], ['4', '3'], ['4'], []]
  expect(answers.map(({ json }) => json)).toEqual(answers.map((_, id) => [String(id), ...(passed[id % 4] as string[])]))
})
