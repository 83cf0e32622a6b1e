import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import {
  type BaseVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, type OperationChanges, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { ask, historyOf, serveChanges, type Table, tableOf } from '../support/changes'
import { type Served, serve } from '../support/serve'

const say = (text: string) => ({ response: (path: string[]): string[] => [...path, text] })
const newest: RequestHandler = (_req, res) => void res.json(['newest'])
const releases = (...all: OperationChanges[]) =>
  historyOf(...all.map((operations, index) => [change(`Change ${index + 2}.`, operations)]))
const added = { 'GET other': 'added' } as const
const removed = { 'GET other': 'removed' } as const

/** Builds orders and users below the namespaces of two versions. */
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
  const [v1, v2] = [part(), part()]
  return namedRoutes({})
    .include('/v1', v1, { namespace: 'v1' })
    .include('/v2', v2, { namespace: 'v2' })
    .include('/', health)
}

const bind = (options: Partial<VersioningOptions>, ...all: OperationChanges[]) =>
  versioning({ scheme: NamespaceVersioning, routes: shop(), changes: releases(...all), ...options })

const userAdded = { 'GET user': 'added' } as const
const userRemoved = { 'GET user': 'removed' } as const
const SEVERAL = '"v1:orders:detail", "v1:users:detail", "v2:orders:detail", "v2:users:detail"'

test.each<[key: string, but: string, neutral: string[]]>([
  ['GET detail', `its name fits several routes: ${SEVERAL}. Write it with more of its namespaces.`, []],
  ['GET v1:detail', '"routes" has no name "v1:detail". Did you mean "detail"?', []],
  ['GET health', '"health" is neutral: it has no version.', ['health']],
  ['GET user', '"v2:users:user" is neutral: it has no version.', ['v2:users:']],
  ['PUT user', 'its route has no handler for PUT. Did you mean "GET user" or "PATCH user"?', []],
])('versioning() refuses a change of "%s", because %s', (key, but, neutral) => {
  const message = `versioning(): the change "Change 2." speaks of "${key}", but ${but}`
  expect(() => bind({ neutral }, { [key]: say('x') })).toThrow(new TypeError(message))
})

const REMOVED_LATER = 'Steps of the version that removes it go beside the mark: { removed: true, response: ... }.'
test.each<[last: OperationChanges, before: OperationChanges[], says: string]>([
  [
    { 'GET v2:users:user': 'added' },
    [userAdded],
    'says of "GET v2:users:user" that it is added, as version "v2" says already.',
  ],
  [
    { 'GET users:user': { removed: true, ...say('x') } },
    [userAdded, userRemoved],
    'says of "GET v1:users:user" that it is removed, as version "v3" says already.',
  ],
  [
    { 'GET user': say('x') },
    [userRemoved],
    `has steps for "GET v1:users:user", which version "v2" removed. ${REMOVED_LATER}`,
  ],
])('versioning() refuses %j after %j', (last, before, says) => {
  const at = before.length + 2
  const message = `versioning(): the change "Change ${at}." of version "v${at}" ${says}`
  expect(() => bind({}, ...before, last)).toThrow(new TypeError(message))
})

test.each<[title: string, all: OperationChanges[]]>([
  ['the version alone apart', [{ 'GET orders:detail': say('x'), 'GET user': say('x') }]],
  ['a route without handlers yet', [{ 'PUT late': say('x') }]],
  ['.all()', [{ 'PURGE any': say('x') }]],
  ['HEAD, which GET covers', [{ 'GET head': say('x') }]],
  ['an operation that returns', [userRemoved, { 'GET user': { added: true, ...say('x') } }, { 'GET user': say('x') }]],
  ['last steps of a removed one', [{ 'GET user': say('x') }, { 'GET user': { removed: true, ...say('x') } }]],
  ['errors of all after a removal', [userRemoved, { '*': { error: (error: unknown) => error } }]],
])('versioning() takes %s', (_title, all) => {
  expect(() => bind({}, ...all)).not.toThrow()
})

test('by hand: an operation that no table of the history has is a TypeError, once there is a table', () => {
  const history = releases({ 'GET users:user': say('x') })
  expect(history.response('GET typo', [], 'v1')).toEqual([])
  versioning({ scheme: NamespaceVersioning, routes: shop(), changes: history })
  expect(history.response('GET user', [], 'v1')).toEqual(['x'])
  expect(history.response('GET v2:users:user', [], 'v1')).toEqual(['x'])
  expect(history.request('PUT late', [], 'v1')).toEqual([])
  const usr = 'response(): "GET users:usr" is no operation: "routes" has no name "users:usr".'
  expect(() => history.response('GET users:usr', [], 'v1')).toThrow(
    new TypeError(`${usr} Did you mean "users:user" or "users:any"?`),
  )
  expect(() => history.request('PUT user', [], 'v1')).toThrow('its route has no handler for PUT')
  expect(() => history.response('GET detail', [], 'v1')).toThrow('fits several routes')
  const users = namedRoutes({ user: '/', more: '/more' })
  const routes = namedRoutes({}).include('/', users, { namespace: 'users' })
  versioning({ scheme: HeaderVersioning, routes, changes: history })
  expect(history.response('GET more', 1, 'v1')).toBe(1)
  // A table that grew is read anew.
  users.add('late', '/late')
  versioning({ scheme: HeaderVersioning, routes, changes: history })
  expect(history.response('GET late', 1, 'v1')).toBe(1)
})

test('a full name is its own route, and those that end in it are others', async () => {
  const users = namedRoutes({ detail: '/:id' })
  users.route('detail').get(newest)
  const routes = namedRoutes({ detail: '/detail' }).include('/users', users, { namespace: 'users' })
  routes.route('detail').get(newest)
  const changes = releases({ 'GET detail': say('own') })
  const server = await serve((app) => app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes))
  // A table that is included later does not get these changes.
  const late = namedRoutes({ detail: '/late' })
  late.route('detail').get(newest)
  routes.include('/late', late, { namespace: 'late' })
  for (const [path, json] of [
    ['/detail', ['newest', 'own']],
    ['/users/7', ['newest']],
    ['/late/late', ['newest']],
  ] as const) {
    expect((await ask(server, 'v1', path)).json).toEqual(json)
  }
  expect(changes.response('GET users:detail', [], 'v1')).toEqual([])
})

test.each<[title: string, operations: OperationChanges, json: unknown]>([
  ['the bare name', { 'GET list': say('bare') }, ['newest', 'bare']],
  ['the full name', { 'GET v1:list': say('full') }, ['newest', 'full']],
  ['both', { 'GET list': say('bare'), 'GET v1:list': say('full') }, ['newest', 'full']],
  ['the full name first', { 'GET v1:list': say('full'), 'GET list': say('bare') }, ['newest', 'full']],
  ["another's full name", { 'GET v2:list': say('other') }, ['newest']],
])('the longest name that fits wins, within a change: %s', async (_title, operations, json) => {
  const users = namedRoutes({ list: '/users' })
  users.route('list').get(newest)
  const routes = namedRoutes({}).include('/v1', users, { namespace: 'v1' }).include('/v2', users, { namespace: 'v2' })
  const changes = releases(operations)
  const server = await serve((app) => app.use(versioning({ scheme: NamespaceVersioning, changes, routes }), routes))
  expect((await server.get('/v1/users')).json).toEqual(json)
  expect((await server.get('/v2/users')).json).toEqual(['newest'])
})

const UNHANDLED = { error: 'No handler for this version.', code: 'ERR_VERSION_UNHANDLED', name: 'NotFound' }
const [ADDED, REMOVED] = [change('New.', added), change('Gone.', removed)]
// `changes.property.test.ts` shows which versions have an operation.
test('the refusal names the allowed versions that have the operation', async () => {
  const errors: unknown[] = []
  const note: ErrorRequestHandler = ({ status, version, allowedVersions }, _req, res, _next) => {
    errors.push([status, version, allowedVersions])
    res.status(status).end()
  }
  const fill = (routes: Table, app: express.Application) => {
    routes.route('other').get(newest)
    app.use(routes, note)
  }
  const options = { allowedVersions: ['v1', 'v3', 'v5'], defaultVersion: 'v1' }
  const server = await serveChanges(historyOf([], [ADDED], [], [REMOVED]), fill, options)
  const answers = await Promise.all(['v1', 'v3', 'v5'].map((version) => ask(server, version, '/other')))
  expect(answers.map(({ status }) => status)).toEqual([404, 200, 404])
  expect(errors.sort()).toEqual([
    [404, 'v1', ['v3']],
    [404, 'v5', ['v3']],
  ])
})

test('marks with steps: a removed operation keeps its steps, and a returning one has them', async () => {
  const history = releases(
    { 'GET other': { removed: true, ...say('2') } },
    { 'GET other': { added: true, ...say('3') } },
  )
  const server = await serveChanges(history, (routes) => routes.route('other').get(newest))
  const answers = []
  for (const version of history.versions) answers.push((await ask(server, version, '/other')).json)
  expect(answers).toMatchObject([['newest', '3', '2'], { code: 'ERR_VERSION_UNHANDLED' }, ['newest']])
})

const preflight = { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
test.each<[version: string, method: string, headers: Record<string, string>, status: number]>([
  ['v1', 'HEAD', {}, 404],
  ['v1', 'GET', {}, 404],
  ['v1', 'POST', {}, 200],
  ['v1', 'OPTIONS', {}, 200],
  ['v3', 'OPTIONS', {}, 404],
  ['v3', 'OPTIONS', preflight, 200],
])('in %s, %s %j is %d if GET is new in v2 and OPTIONS gone in v3', async (version, method, headers, status) => {
  const history = releases(added, { 'OPTIONS other': 'removed' })
  const server = await serveChanges(history, (routes) => routes.route('other').all(newest))
  expect((await ask(server, version, '/other', { method, headers })).status).toBe(status)
})

test('neutral routes, and requests without a version, have every operation', async () => {
  const options = { allowedVersions: ['v1', null], defaultVersion: null }
  const fill = (routes: Table) => {
    routes.route('other').get((req, res) => void res.json([req.version, REMOVED.appliesTo(req)]))
  }
  const server = await serveChanges(historyOf([ADDED], [REMOVED]), fill, options)
  expect((await server.get('/other')).json).toEqual([null, true])
  expect((await ask(server, 'v1', '/other')).status).toBe(404)
  const neutral = await serveChanges(historyOf([ADDED], [REMOVED]), fill, { ...options, neutral: ['/other'] })
  expect((await ask(neutral, 'v1', '/other')).json).toEqual([null, true])
})

// `/users/me` came in v2, in front of `/users/:id`; `/users/export` left with v3.
const tell: RequestHandler = (req, res) =>
  void res.json([req.version, req.resolverMatch?.viewName, req.params.id ?? null]) // biome-ignore format: a row
function users() {
  const table = namedRoutes({ me: '/users/me', gone: '/users/export', user: '/users/:id', new: '/new', tail: '/*rest' })
  table.route('me').get(tell).put(tell)
  table.route('gone').get(tell)
  table.route('user').get(tell)
  table.route('new').get(tell).post(tell)
  table.route('tail').delete(tell)
  return table
}
const spaces = () =>
  ['v1', 'v2', 'v3'].reduce((table, version) => table.include(`/${version}`, users(), { namespace: version }), namedRoutes({})) // biome-ignore format: a row
const inPath = (version: string, path: string) => [`/${version}${path}`] as const

type Way = [BaseVersioning, () => unknown, (version: string, path: string) => readonly [string, object?]]
const WAYS: Way[] = [
  [new HeaderVersioning(), users, (version, path) => [path, { 'X-API-Version': version }]],
  [
    new QueryParameterVersioning(),
    () => namedRoutes({}).include('/', users()),
    (version, path) => [`${path}?version=${version}`],
  ],
  [new URLPathVersioning(), () => namedRoutes({}).include('/:version', users()), inPath],
  [new NamespaceVersioning(), spaces, inPath],
]
test.each(WAYS)(
  '%s: a later operation is passed by if another route serves the request, and a removed one is refused',
  async (scheme, table, at) => {
    const changes = versionHistory('v1')
      .version('v2', change('Me and new.', { 'GET me': 'added', 'GET new': 'added', 'POST new': 'added' }))
      .version('v3', change('No export.', { 'GET gone': 'removed' }))
    const routes = table() as ReturnType<typeof users>
    const { send }: Served = await serve((app) => {
      app.use(versioning({ scheme, changes, routes }), routes)
      app.use((req, res) => void res.status(404).json([req.version, 'nothing']))
    })
    const asked = (method: string, version: string, path: string) =>
      send(method, ...(at(version, path) as [string, Record<string, string>]))
    const prefix = (version: string) => (scheme instanceof NamespaceVersioning ? `${version}:` : '')
    for (const [method, version, path, name, id = null] of [
      ['GET', 'v1', '/users/me', 'user', 'me'],
      ['GET', 'v2', '/users/me', 'me'],
      ['GET', 'v3', '/users/me', 'me'],
      ['PUT', 'v1', '/users/me', 'me'],
      ['DELETE', 'v1', '/new', 'tail'],
      ['GET', 'v1', '/new', undefined],
      ['POST', 'v1', '/new', undefined],
      ['GET', 'v2', '/new', 'new'],
      ['GET', 'v2', '/users/export', 'gone'],
      ['GET', 'v3', '/users/export', undefined],
    ] as const) {
      const json = name === undefined ? UNHANDLED : [version, prefix(version) + name, id]
      expect([method, path, (await asked(method, version, path)).json]).toEqual([method, path, json])
    }
    expect((await asked('HEAD', 'v1', '/users/me')).status).toBe(200)
    expect((await asked('GET', 'v1', '/nothing')).json).toEqual(['v1', 'nothing'])
    for (const [version, path, allow] of [
      ['v1', '/users/me', 'DELETE, GET, HEAD, PUT'],
      ['v1', '/new', 'DELETE'],
      ['v2', '/new', 'DELETE, GET, HEAD, POST'],
      ['v3', '/users/export', 'DELETE, GET, HEAD'],
    ] as const) {
      expect((await asked('OPTIONS', version, path)).headers.allow).toBe(allow)
    }
  },
)

test('a route that is passed by may hide another one of the same path, for the explorer too', async () => {
  const routes = namedRoutes({ newer: '/items', older: '/items' })
  const leave: RequestHandler = (req, _res, next) => next(req.headers['x-leave'])
  for (const name of ['newer', 'older'] as const) routes.route(name).get(leave, tell)
  const options = { scheme: HeaderVersioning, changes: releases({ 'GET newer': 'added' }), routes }
  const server = await serve((app) => {
    app.use('/explorer', explorer(options))
    app.use(versioning(options), routes)
  })
  expect((await ask(server, 'v1', '/items')).json).toEqual(['v1', 'older', null])
  const left = await server.get('/items', { 'X-API-Version': 'v1', 'X-Leave': 'route' })
  expect([left.status, left.text]).toEqual([404, expect.stringContaining('Cannot GET /items')])
  expect((await ask(server, 'v2', '/items')).json).toEqual(['v2', 'newer', null])
  const { json } = await server.get('/explorer', { Accept: 'application/json' })
  const shown = (json as { routes: { name: string; versions: { exists: boolean }[] }[] }).routes
  expect(shown.map(({ name, versions }) => [name, versions.map(({ exists }) => exists)])).toEqual([
    ['newer', [false, true]],
    ['older', [true, false]],
  ])
})

/** Handles a request by its links: their paths, or the reasons why there are none. */
const linking =
  (...links: [name: string, options?: object][]): RequestHandler =>
  (req, res) => {
    const made = links.map(([name, options]) => {
      try {
        return req.reverse(name, options)
      } catch (error) {
        return `${(error as Error).name}: ${(error as Error).message}`
      }
    })
    res.json(made)
  }
const ABSENT = 'NoReverseMatch: "other" is not there in the version of the link.'

test.each([
  ['v1', [ABSENT, '/users', '/users/1']],
  ['v2', ['/other', '/users', '/users/1']],
  // POST and the other methods of `.all()` remain.
  ['v3', ['/other', '/users', '/users/1']],
])('links to routes without any operation in %s: %j', async (version, links) => {
  const all = { ...removed, 'GET user-list': 'removed', 'GET user-detail': 'removed', 'GET other': undefined } as const
  const server = await serveChanges(releases(added, all), (routes, app) => {
    routes.route('other').get(newest)
    routes.route('user-list').get(newest).post(newest)
    routes.route('user-detail').all(newest)
    app.use(linking(['other'], ['user-list'], ['user-detail', { kwargs: { id: 1 } }]))
  })
  expect((await ask(server, version, '/none')).json).toEqual(links)
})

test.each([
  [[], [ABSENT, '/other?version=v2', ABSENT, '/other']],
  [['/other'], ['/other?version=v1', '/other?version=v2', '/other?version=v1', '/other']],
])('links of another version or of none, with the neutral paths %j', async (neutral, links) => {
  const routes = tableOf()
  routes.route('other').get(newest)
  const versions = [undefined, 'v2', 'v1', null]
  routes.route('user-list').get(linking(...versions.map((version): [string, object] => ['other', { version }])))
  const options = { scheme: QueryParameterVersioning, changes: releases(added), routes, neutral }
  const server = await serve((app) => app.use(versioning(options), routes))
  expect((await server.get('/users?version=v1')).json).toEqual(links)
})

test('links to namespaces of other versions, where the operation is there', async () => {
  const inner = namedRoutes({ list: '/list', more: '/more' })
  inner.route('more').get(newest)
  inner.route('list').get(linking(['list'], ['v2:more'], ['more', { version: 'v2' }]))
  const routes = namedRoutes({}).include('/v1', inner, { namespace: 'v1' }).include('/v2', inner, { namespace: 'v2' })
  const options = { scheme: NamespaceVersioning, changes: releases({ 'GET more': 'added' }), routes }
  const server = await serve((app) => app.use(versioning(options), routes))
  expect((await server.get('/v1/list')).json).toEqual(['/v1/list', '/v2/more', '/v2/more'])
})

const link = (path: string) => `<${path}>; rel="successor-version"`
test.each<[title: string, path: string, link: string | undefined]>([
  ['passes the query steps towards it', '/v1/users?max=3&q=%20', link('/v2/users?limit=3&q=%20')],
  ['is byte for byte without steps', '/v1/users/7?a[]=1&b=%20+c', link('/v2/users/7?a[]=1&b=%20+c')],
  ['escapes what no URL has', '/v1/users/7?a=>;b=<"', link('/v2/users/7?a=%3E;b=%3C%22')],
  ['is left out if the operation is gone', '/v1/other', undefined],
  ['is left out if a step fails', '/v1/users?fail=1', undefined],
])('a successor link %s', async (_title, path, expected) => {
  const query = ({ max, fail, ...rest }: { max?: string; fail?: string }) => {
    if (fail) throw new Error(fail)
    return max === undefined ? rest : { limit: max, ...rest }
  }
  const changes = releases(
    { 'GET user-list': { query }, 'GET other': 'removed', '*': { error: String } },
    { 'GET user-list': { query: (all: object) => ({ ...all, three: 3 }) } },
  )
  const lifecycle = { v1: { deprecated: '2026-01-01', successor: 'v2' } }
  const fill = (table: Table) => {
    for (const name of ['user-list', 'user-detail', 'other'] as const) table.route(name).get(newest)
    table.route('other').post(newest)
    return table
  }
  const only = namedRoutes({ only: '/only' })
  only.route('only').get(newest)
  const one = fill(tableOf()).include('/', only)
  const spaced = namedRoutes({}).include('/v1', one, { namespace: 'v1' })
  spaced.include('/v2', fill(tableOf()), { namespace: 'v2' })
  for (const [scheme, routes] of [
    [URLPathVersioning, namedRoutes({}).include('/:version', fill(tableOf()))],
    [NamespaceVersioning, spaced],
  ] as const) {
    const server = await serve((app) => {
      app.use(versioning({ scheme, changes, routes, lifecycle }), express.json(), routes)
    })
    expect((await server.get(path)).headers.link).toBe(expected)
    expect((await server.get('/v1/only')).headers.link).toBe(undefined)
  }
})
