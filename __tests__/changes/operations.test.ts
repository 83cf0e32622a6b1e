import express, { type RequestHandler } from 'express'
import {
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, type OperationChanges, sent, versionHistory } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'
import { serve } from '../support/serve'

// Changes describe operations of a table.

const say = (text: string) => ({ response: (path: string[]): string[] => [...path, text] })
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
const releases = (...all: OperationChanges[]) =>
  historyOf(...all.map((operations, index) => [change(`Change ${index + 2}.`, operations)]))

/** Builds orders and users below the namespaces of two versions. Users have GET and PATCH; `late` has no handlers yet. */
function shop() {
  const part = () => {
    const detail = namedRoutes({ detail: '/:id' })
    detail.route('detail').get(newest)
    const users = namedRoutes({ detail: '/:id', user: '/self', late: '/late', any: '/any', head: '/head' })
    users.route('detail').get(newest)
    users.route('user').get(newest).patch(newest)
    users.route('any').all(newest)
    users.route('head').head(newest)
    return namedRoutes({})
      .include('/orders', detail, { namespace: 'orders' })
      .include('/users', users, { namespace: 'users' })
  }
  const health = namedRoutes({ health: '/health' })
  health.route('health').get(newest)
  return namedRoutes({})
    .include('/v1', part(), { namespace: 'v1' })
    .include('/v2', part(), { namespace: 'v2' })
    .include('/', health)
}

const bind = (options: Partial<VersioningOptions>, ...all: OperationChanges[]) =>
  versioning({ scheme: NamespaceVersioning, routes: shop(), changes: releases(...all), ...options })

describe('versioning() refuses', () => {
  const removed = { 'GET user': 'removed' } as const
  const added = { 'GET user': 'added' } as const

  test.each<[title: string, all: OperationChanges[], message: string]>([
    [
      'a name that fits several routes',
      [{ 'GET detail': say('x') }],
      'the change "Change 2." speaks of "GET detail", but its name fits several routes: "v1:orders:detail", "v1:users:detail", "v2:orders:detail", "v2:users:detail".',
    ],
    ['one of a version that does', [{ 'GET v1:detail': 'added' }], 'has no name "v1:detail"'],
    ['a neutral route', [{ 'GET health': say('x') }], 'speaks of "GET health", but "health" is neutral'],
    [
      'a method that the route has no handler for',
      [{ 'PUT user': say('x') }],
      'speaks of "PUT user", but its route has no handler for PUT. Did you mean "GET user" or "PATCH user"?',
    ],
    ["'added' twice", [added, added], 'version "v3" says of "GET v1:users:user"'],
    ["'added' twice, under two names", [added, { 'GET v2:users:user': 'added' }], 'it is added, as version "v2" says'],
    [
      "'removed' twice",
      [added, removed, { 'GET users:user': { removed: true, ...say('x') } }],
      'it is removed, as version',
    ],
    [
      'steps on what was removed',
      [removed, { 'GET user': say('x') }],
      'the change "Change 3." of version "v3" has steps for "GET v1:users:user", which version "v2" removed.',
    ],
  ])('%s', (_title, all, message) => {
    const make = () => bind({ neutral: ['health'] }, ...all)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('a route of a neutral namespace', () => {
    expect(() => bind({ neutral: ['v2:users:'] }, { 'GET user': say('x') })).toThrow('"v2:users:user" is neutral')
  })
})

test.each<[title: string, all: OperationChanges[]]>([
  ['the version alone apart', [{ 'GET orders:detail': say('x'), 'GET user': say('x') }]],
  ['a route without handlers yet', [{ 'PUT late': say('x') }]],
  ['.all()', [{ 'PURGE any': say('x') }]],
  ['HEAD, which GET covers', [{ 'GET head': say('x') }]],
  [
    'there, gone, there again',
    [{ 'GET user': 'removed' }, { 'GET user': { added: true, ...say('x') } }, { 'GET user': say('x') }],
  ],
  ['gone with its last steps', [{ 'GET user': say('x') }, { 'GET user': { removed: true, ...say('x') } }]],
  [
    'the errors of all, also of what is gone',
    [{ 'GET user': 'removed' }, { '*': { error: (error: unknown) => error } }],
  ],
])('versioning() takes %s', (_title, all) => {
  expect(() => bind({}, ...all)).not.toThrow()
})

test.each([{ added: false }, { removed: 1 }, { added: true, removed: true }])(
  'change() refuses the marks %j',
  (marks) => {
    expect(() => change('X', { 'GET user': marks as never })).toThrow(TypeError)
  },
)

test('a full name is its own route, and those that end in it are others', async () => {
  const users = namedRoutes({ detail: '/:id' })
  users.route('detail').get(newest)
  const routes = namedRoutes({ detail: '/detail' }).include('/users', users, { namespace: 'users' })
  routes.route('detail').get(newest)
  const changes = releases({ 'GET detail': say('own') })
  const server = await serve((app) => app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes))
  expect((await ask(server, 'v1', '/detail')).json).toEqual(['newest', 'own'])
  expect((await ask(server, 'v1', '/users/7')).json).toEqual(['newest'])
  // A table that the app includes later does not get these changes.
  const late = namedRoutes({ detail: '/late' })
  late.route('detail').get(newest)
  routes.include('/late', late, { namespace: 'late' })
  expect((await ask(server, 'v1', '/late/late')).json).toEqual(['newest'])
  expect(changes.response('GET users:detail', [], 'v1')).toEqual([])
})

test('marks with steps: what is removed keeps its steps, what is added again has them', async () => {
  const history = releases(
    { 'GET other': { removed: true, ...say('2') } },
    { 'GET other': { added: true, ...say('3') } },
  )
  const server = await serveChanges(history, (routes) => routes.route('other').get(newest))
  const answers = []
  for (const version of history.versions) answers.push((await ask(server, version, '/other')).json)
  expect(answers).toMatchObject([['newest', '3', '2'], { code: 'ERR_VERSION_UNHANDLED' }, ['newest']])
})

test('by hand: an operation that the table does not have is a TypeError, once there is a table', () => {
  const history = releases({ 'GET users:user': say('x') })
  expect(history.response('GET typo', [], 'v1')).toEqual([])
  versioning({ scheme: NamespaceVersioning, routes: shop(), changes: history })
  expect(history.response('GET user', [], 'v1')).toEqual(['x'])
  expect(history.response('GET v2:users:user', [], 'v1')).toEqual(['x'])
  expect(history.request('PUT late', [], 'v1')).toEqual([])
  expect(() => history.response('GET users:usr', [], 'v1')).toThrow(
    new TypeError(
      'response(): "GET users:usr" is no operation: "routes" has no name "users:usr". Did you mean "users:user" or "users:any"?',
    ),
  )
  expect(() => history.request('PUT user', [], 'v1')).toThrow('its route has no handler for PUT')
  expect(() => history.response('GET detail', [], 'v1')).toThrow('fits several routes')
  // Any of its tables will do.
  const other = namedRoutes({ user: '/', more: '/more' })
  versioning({
    scheme: HeaderVersioning,
    routes: namedRoutes({}).include('/', other, { namespace: 'users' }),
    changes: history,
  })
  expect(history.response('GET more', 1, 'v1')).toBe(1)
})

test('history.has() tells whether a version has a change', () => {
  const [one, two, foreign] = ['1', '2', '3'].map((text) => change(text, { 'GET a': say(text) }))
  const history = historyOf([one as never], [two as never])
  const told = history.versions.map((version) => [
    history.has(one as never, version),
    history.has(two as never, version),
  ])
  expect(told).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ])
  for (const [wrong, message] of [
    [() => history.has(foreign as never, 'v1'), 'it lacks the change "3"'],
    [() => history.has({} as never, 'v1'), 'it lacks {}'],
    [() => history.has(one as never, 'v9'), "has(): the history has no version 'v9'. Did you mean"],
  ] as const) {
    expect(wrong).toThrow(TypeError)
    expect(wrong).toThrow(message)
  }
})

test('sent() gives body and query as the client sent them, whatever they were made', async () => {
  const both = { request: () => ({ newer: true }), query: ({ max }: { max?: string }) => ({ limit: max }) }
  const server = await serveChanges(releases({ 'POST other': both }), (routes, app) => {
    routes
      .route('user-list')
      .get(
        (req, res) => void res.json([sent(req), req.reverse('user-list', { query: { ...sent(req).query, page: 2 } })]),
      )
    routes.route('other').post((req, res, next) => {
      if (req.query.leave === undefined && sent(req).query.leave !== undefined) next()
      else res.json([sent(req), { body: req.body, query: req.query }])
    })
    app.use(routes, (req, res) => void res.json(sent(req)))
  })
  const post = (version: string, path = '/other?max=3') =>
    ask(server, version, path, { method: 'POST', body: { old: 1 } })
  const client = { body: { old: 1 }, query: { max: '3' } }
  expect((await post('v1')).json).toEqual([client, { body: { newer: true }, query: { limit: '3' } }])
  expect((await post('v2')).json).toEqual([client, client])
  expect((await post('v1', '/other?leave=1')).json).toEqual({ body: { old: 1 }, query: { leave: '1' } })
  expect((await ask(server, 'v1', '/users?a=1')).json).toMatchObject([{ query: { a: '1' } }, '/users?a=1&page=2'])
})

describe('links to routes of which no operation is there in the version', () => {
  const history = releases({ 'GET other': 'added' }, { 'GET user-list': 'removed', 'GET user-detail': 'removed' })
  const linking = (options: Partial<VersioningOptions> = {}) =>
    serveChanges(
      history,
      (routes, app) => {
        routes.route('other').get(newest)
        routes.route('user-list').get(newest).post(newest)
        routes.route('user-detail').all(newest)
        app.use((req, res) => {
          const links = (['other', 'user-list', 'user-detail'] as const).map((name) => {
            try {
              return req.reverse(name, { kwargs: name === 'user-detail' ? { id: 1 } : {} })
            } catch (error) {
              return `${(error as Error).name} ${(error as { status?: number }).status} ${(error as Error).message}`
            }
          })
          res.json(links)
        })
      },
      options,
    )
  const absent = 'NoReverseMatch 500 "other" is not there in the version of the link.'

  test.each([
    ['v1', [absent, '/users', '/users/1']],
    ['v2', ['/other', '/users', '/users/1']],
    // POST and the other methods of `.all()` remain.
    ['v3', ['/other', '/users', '/users/1']],
  ])('%s: %j', async (version, links) => {
    expect((await ask(await linking(), version, '/none')).json).toEqual(links)
  })

  test('of another version, of none, of a neutral path, in a namespace', async () => {
    const scheme = QueryParameterVersioning
    const routes = tableOf()
    routes.route('other').get(newest)
    routes.route('user-list').get((req, res) => {
      const made = [undefined, 'v2', 'v1', null].map((version) => {
        try {
          return req.reverse('other', { version })
        } catch {
          return 'none'
        }
      })
      res.json(made)
    })
    const changes = releases({ 'GET other': 'added' })
    const server = await serve((app) => app.use(versioning({ scheme, changes, routes }), routes))
    expect((await server.get('/users?version=v1')).json).toEqual(['none', '/other?version=v2', 'none', '/other'])
    const neutral = await serve((app) => {
      app.use(versioning({ scheme, changes, routes, neutral: ['/other'] }), routes)
    })
    expect((await neutral.get('/users?version=v1')).json).toEqual([
      '/other?version=v1',
      '/other?version=v2',
      '/other?version=v1',
      '/other',
    ])
    const inner = namedRoutes({ list: '/list', more: '/more' })
    inner.route('more').get(newest)
    inner
      .route('list')
      .get(
        (req, res) =>
          void res.json([req.reverse('list'), req.reverse('v2:more'), req.reverse('more', { version: 'v2' })]),
      )
    const spaced = namedRoutes({}).include('/v1', inner, { namespace: 'v1' }).include('/v2', inner, { namespace: 'v2' })
    const more = releases({ 'GET more': 'added' })
    const byNamespace = await serve((app) => {
      app.use(versioning({ scheme: NamespaceVersioning, changes: more, routes: spaced }), spaced)
    })
    expect((await byNamespace.get('/v1/list')).json).toEqual(['/v1/list', '/v2/more', '/v2/more'])
  })
})

test.each<[title: string, path: string, link: string | undefined]>([
  ['the query steps towards it', '/v1/users?max=3&q=%20', '</v2/users?limit=3&q=%20>; rel="successor-version"'],
  ['byte for byte without steps', '/v1/users/7?a[]=1&b=%20+c', '</v2/users/7?a[]=1&b=%20+c>; rel="successor-version"'],
  [
    'byte for byte, but for what no URL has',
    '/v1/users/7?a=>;b=<"',
    '</v2/users/7?a=%3E;b=%3C%22>; rel="successor-version"',
  ],
  ['none where the operation is gone', '/v1/other', undefined],
  ['none where a step fails', '/v1/users?fail=1', undefined],
])('a successor link: %s', async (_title, path, link) => {
  const users = tableOf()
  users.route('user-list').get(newest)
  users.route('user-detail').get(newest)
  users.route('other').get(newest).post(newest)
  const routes = namedRoutes({}).include('/:version', users)
  const query = ({ max, fail, ...rest }: { max?: string; fail?: string }) => {
    if (fail) throw new Error(fail)
    return max === undefined ? rest : { limit: max, ...rest }
  }
  const changes = versionHistory('v1')
    .version('v2', change('Two.', { 'GET user-list': { query }, 'GET other': 'removed' }))
    .version('v3', change('Three.', { 'GET user-list': { query: (q: object) => ({ ...q, three: 3 }) } }))
  const server = await serve((app) => {
    const lifecycle = { v1: { deprecated: '2026-01-01', successor: 'v2' } }
    app.use(versioning({ scheme: URLPathVersioning, changes, routes, lifecycle }), express.json(), routes)
  })
  expect((await server.get(path)).headers.link).toBe(link)
})
