import { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import {
  type Asked,
  act,
  at,
  type Build,
  check,
  checkEach,
  decide,
  INVALID_IN_PATH,
  move,
  NO_NAMESPACE,
  NO_ROUTE,
} from '../support/moved'
import { combined, header, path, namespace as space } from '../support/schemes'
import { serve } from '../support/serve'
import { include, inNamespaces, routed, type Table } from '../support/tables'

// A table compares the version in the match with the decided version before anything of the match runs. `equivalence` compares
// its loop with that of `router`.

type Read = library.URLPathVersioning['readVersion']

const { BaseVersioning, HeaderVersioning, NamespaceVersioning, NotFound, namedRoutes } = library
const { URLPathVersioning, versioning } = library
const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULT = { ...LISTED, defaultVersion: 'v1' }
const V9 = { defaultVersion: 'v1', allowedVersions: ['v1', 'v9'] }
const tell: RequestHandler = (req, res) => void res.json(`${req.version} at ${req.baseUrl + req.url}`)
/** Responses with the request's place in routers. */
const where: RequestHandler = ({ baseUrl, url, route, params }, res) =>
  void res.json(`${baseUrl || '/'} ${url} ${route?.path} ${JSON.stringify(params)}`)
const pass: RequestHandler = (_req, _res, next) => next()
const put = (more: object) => act((req) => Object.assign(req, more))
const note = act((_req, res) => res.set('X-Noted', 'noted:'))
/** Puts another version into the request, after the decision. */
const other = act((req) => Object.assign(req.headers, { 'x-api-version': 'v2' }))
const replacing = (from: string | RegExp, to: string) =>
  act((req) => Object.assign(req, { url: req.url.replace(from, to) }))

const table = (paths: Record<string, string>) => routed(paths, tell)
const users = () => table({ users: '/users' })
const paths = () => table({ users: '/:version/users', about: '/about', tenant: '/t/:tenant' })
const spaces = () => inNamespaces(table({ about: '/about' }), { v1: users(), v2: users(), docs: table({ index: '/' }) })
const others = () => spaces().include('/at/:version', table({ other: '/other' }))
const plain = () => Router({ mergeParams: true }).get('/x', tell) as never

/** A table behind `versioning()`, perhaps with middleware between, and the move. */
const moved =
  (scheme: unknown, routes: object, between: RequestHandler[] = [], more: object = {}): Build =>
  (app) => {
    const settings = { ...(scheme instanceof BaseVersioning ? {} : LISTED), ...more, routes }
    app.use(decide(scheme, settings), ...between, move, routes as Table)
  }
const first = (...schemes: library.BaseVersioning[]) => combined(schemes, { onConflict: 'first', ...LISTED })
const beforeTwo = (...two: library.BaseVersioning[]) => moved(first(header(), ...two), others(), [other])

const thrown = (error: unknown = new Error('down')): never => {
  throw error
}
const slow = (Scheme: typeof library.URLPathVersioning) =>
  class extends Scheme {
    override readVersion(...asked: Parameters<Read>) {
      return Promise.resolve(super.readVersion(...asked)) as never
    }
  }
class Failing extends URLPathVersioning {
  override readVersion(...asked: Parameters<Read>) {
    const version = super.readVersion(...asked)
    return version === 'down' ? thrown() : version
  }
}
const SlowPath = slow(Failing)
const SlowNamespace = slow(NamespaceVersioning as never)
class Either extends URLPathVersioning {
  override readVersion(...[req, kwargs]: Parameters<Read>) {
    return req.get('X-API-Version') ?? super.readVersion(req, kwargs)
  }
}
/** A scheme that only decides. */
const deciding = (determine: (version: string | undefined) => unknown, Scheme = URLPathVersioning) =>
  class extends Scheme {
    override determineVersion(_req: unknown, _args: unknown, { version }: { version?: string }) {
      return determine(version) as never
    }
  }
const missing = () => thrown(new NotFound('None.', { code: 'ERR_VERSION_MISSING' }))
const Demanding = deciding((version) => version ?? missing(), BaseVersioning as never)

/** Two versions with middleware, in front of a route for anything. */
const noted = () => {
  const version = () => namedRoutes({}).use(note).include('/', users())
  const routes = inNamespaces(namedRoutes({ any: '/*rest' }), { v1: version(), v2: version() })
  routes.route('any').get(tell)
  return routes
}
/** A table that the app mounts itself, below a version of the root. */
const apart =
  (scheme: library.BaseVersioning): Build =>
  (app) => {
    const child = table({ list: '/list' }).use('/middleware', tell)
    const routes = inNamespaces(namedRoutes({}, { caseSensitive: true }), { v9: child, v1: namedRoutes({}) })
    app.use(versioning({ scheme, routes }), replacing(/^\/v1\/moved/, '/v9')).use('/v9', child as Table)
    app.use(tell)
  }
const neutralBelow = (neutral: string) => (app: Application) => {
  const routes = table({ version: '/:version', users: '/:version/users' })
  app.use('/api/v1', decide(URLPathVersioning, { ...LISTED, defaultVersion: 'v2', neutral: [neutral] }))
  app.use('/api', routes)
}
const neutralOutside: Build = (app) => {
  const routes = paths()
  app.use('/aa', decide(URLPathVersioning, { ...DEFAULT, neutral: ['/users', '/'] }), (req, res, next) => {
    routes(Object.assign(req, { baseUrl: '', url: '/v2/users' }), res, next)
  })
}
const failing = (routes: Table): Table => {
  const handle: ErrorRequestHandler = (error, _req, res, _next) => void res.json(`handled ${error.message}`)
  return routes.use(act(() => thrown(new Error('early')))).use('/:version/end', handle as never)
}
/** A table with mounts and middleware of any version. */
const mixed = () => {
  const within = table({ within: '/:version/within' })
  return paths()
    .use('/:version/note', note)
    .use('/:version/end', tell)
    .include('{/:version}', table({ list: '/list' }))
    .include('/plain', plain())
    .include('/:version/plain', plain())
    .include('/table/:version', namedRoutes({}).include('/plain', plain()), { namespace: 'table' })
    .include('/:version', namedRoutes({}).use('/last', tell))
    .include('/in', namedRoutes({}).use(replacing('/v2', '/v1')).include('/', within))
}
const twice: RequestHandler = (_req, _res, next) => next(void next())
/** A table that declares a route while it handles a request. */
const growing: Build = (app) => {
  const child: Table = namedRoutes({})
  child.use(act(() => child.add('late', '/late').route('late').get(where)))
  app.use(include('/c/:p', child))
}
/** A route that only a later version has, below a prefix. */
const later: Build = (app) => {
  const changes = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added', 'GET late': 'added' }))
  const routes = include('/:version', routed({ me: '/users/me', user: '/users/:id', late: '/late' }, where))
  app.use(versioning({ scheme: URLPathVersioning, changes, routes }), routes)
}
/** Tables of another version, which an asynchronous scheme judges. */
const judged: Build = (app) => {
  const routes = namedRoutes({})
  for (let count = 0; count < 250; count++) routes.include('/:version', namedRoutes({}), { namespace: `n${count}` })
  app.use(decide(SlowPath, { ...LISTED, routes }), put({ url: '/v2/x' }), routes, where)
}
/** Tables whose handlers each call `next` at once. A table ends in the middle of such calls. */
const many =
  (tables: number, entries: number): Build =>
  (app) => {
    for (let count = 0; count < tables; count++) {
      const table = namedRoutes({} as Record<string, string>)
      for (let nth = 0; nth < entries; nth++) table.use(pass).add(`r${nth}`, '/:id').route(`r${nth}`).get(pass)
      app.use(table)
    }
    app.use(where)
  }

const apps: Record<string, Build[]> = {
  path: [moved(new Failing(LISTED), mixed()), moved(SlowPath, mixed())],
  'deciding path': [deciding((one) => one), deciding(async (one) => one ?? null)].map((one) => moved(one, mixed())),
  demanding: [moved(Demanding, paths())],
  defaulted: [moved(new URLPathVersioning({ ...LISTED, defaultVersion: 'v2' }), paths())],
  'neutral path': [moved(URLPathVersioning, paths(), [], { neutral: ['/v2/users', 'tenant'] })],
  'neutral / below': [neutralBelow('/')],
  'neutral /users below': [neutralBelow('/users')],
  'neutral outside': [neutralOutside],
  namespace: [moved(NamespaceVersioning, spaces())],
  'noted namespace': [moved(NamespaceVersioning, noted())],
  'unseen path table': [(app) => app.use(decide(URLPathVersioning, DEFAULT), paths())],
  'unseen namespace table': [
    (app) => app.use(decide(NamespaceVersioning, DEFAULT)).use('/api', spaces()),
    (app) => app.use(decide(NamespaceVersioning, { ...DEFAULT, routes: paths() })).use('/api', spaces()),
  ],
  'error handler': [URLPathVersioning, SlowPath].map((scheme) => moved(scheme, failing(paths()))),
  'error handler and param()': [moved(URLPathVersioning, failing(paths().param('version', note as never)))],
  'table of the app': [space(V9), new SlowNamespace(V9), combined([header(), space()], V9)].map(apart),
  'header before path': [path(), combined([path()])].map((one) => moved(first(header(), one), paths(), [other])),
  'header before two': [beforeTwo(path(), space()), beforeTwo(new SlowPath(), new SlowNamespace())],
  both: [new Either(LISTED), combined([new Either()], LISTED)].map((scheme) => moved(scheme, mixed(), [other])),
  'both, nowhere': [(app) => app.use(decide(new Either(DEFAULT), {}), other, namedRoutes({}).use('/note', tell))],
  // The properties of a table belong to users. These were once taken for the way from an outer table.
  'own properties': [moved(URLPathVersioning, Object.assign(include('/:version', users()), { outer: 1, mount: 2 }))],
  overridden: [moved(URLPathVersioning, paths(), [put({ method: 'GET' })])],
  'next() twice, in front of a handler that throws': [(app) => app.use(namedRoutes({}).use(twice, () => thrown()))],
  growing: [growing],
  later: [later],
  judged: [judged],
  many: [many(1, 5_000), many(90, 45)],
}

const ASKED: readonly Asked[] = [
  {
    apps: ['path', 'deciding path'],
    paths: ['/v1/users?a'],
    movedTo: ['/v1/users?b', '/about', '/list', '/v1/list', '/plain/x', '/v1/plain/x', '/table/v1/plain/x'],
    response: at('v1'),
  },
  {
    apps: ['path', 'deciding path'],
    paths: ['/v1/users'],
    movedTo: ['/v2/users', '/v2/end', '/v2/list', '/v2/plain/x', '/in/v9/within'],
    response: INVALID_IN_PATH,
  },
  {
    apps: ['path', 'deciding path'],
    paths: ['/v1/users'],
    movedTo: ['/v2/last', '/table/v2/plain/x'],
    response: NO_ROUTE,
  },
  {
    apps: ['path', 'deciding path'],
    paths: ['/v1/users'],
    movedTo: ['/in/v2/within'],
    response: 'v1 at /in/v1/within',
  },
  { apps: ['path', 'deciding path'], paths: ['/v1/users'], movedTo: ['/v1/end'], response: at('v1', '/') },
  {
    apps: ['path', 'deciding path'],
    preflight: true,
    paths: ['/v1/users'],
    movedTo: ['/v2/users'],
    response: at('v1'),
  },
  { apps: ['path'], paths: ['/v1/users'], movedTo: ['/v9/plain/x', '/table/v9/plain/x'], response: INVALID_IN_PATH },
  { apps: ['path'], paths: ['/v1/users'], movedTo: ['/any/end', '/any/last'], response: at('v1', '/') },
  { apps: ['path'], paths: ['/v1/users'], movedTo: ['/any/note'], response: 'noted:404 undefined' },
  { apps: ['path'], paths: ['/v1/users'], movedTo: ['/down/end'], response: '500 down' },
  { apps: ['demanding'], paths: ['/v1/users'], movedTo: ['/about'], response: at('v1') },
  { apps: ['defaulted'], paths: ['/v1/users'], movedTo: ['/about'], response: at('v1') },
  { apps: ['defaulted'], paths: ['/about'], movedTo: ['/v1/users'], response: INVALID_IN_PATH },
  { apps: ['neutral path'], paths: ['/v1/users'], movedTo: ['/v2/users'], response: at('v1') },
  { apps: ['namespace'], paths: ['/v1/users'], movedTo: ['/docs', '/v2/users'], response: NO_NAMESPACE },
  { apps: ['noted namespace'], paths: ['/v1/users'], movedTo: ['/v2/users'], response: NO_NAMESPACE },
  { apps: ['noted namespace'], paths: ['/v1/users'], movedTo: ['/v1/users/'], response: 'noted:v1 at /v1/users/' },
  { apps: ['noted namespace'], paths: ['/v1/users'], movedTo: ['/v2/nothing'], response: at('v1') },
  { apps: ['neutral / below'], paths: ['/api/v1'], response: at('null') },
  { apps: ['neutral /users below'], paths: ['/api/v1'], response: INVALID_IN_PATH },
  { apps: ['neutral /users below'], paths: ['/api/v1/users'], response: at('null') },
  { apps: ['neutral outside'], paths: ['/aa/x'], response: INVALID_IN_PATH },
  { apps: ['unseen path table'], paths: ['/v1/users', '/about'], response: at('v1') },
  { apps: ['unseen path table'], paths: ['/v2/users'], response: INVALID_IN_PATH },
  { apps: ['unseen namespace table'], paths: ['/api/v1/users', '/api/about'], response: at('v1') },
  { apps: ['unseen namespace table'], paths: ['/api/v2/users'], response: NO_NAMESPACE },
  { apps: ['error handler'], paths: ['/v1/users'], movedTo: ['/v1/end', '/v2/end'], response: 'handled early' },
  { apps: ['error handler and param()'], paths: ['/v1/users'], movedTo: ['/v1/end'], response: 'noted:handled early' },
  { apps: ['error handler and param()'], paths: ['/v1/users'], movedTo: ['/v2/end'], response: '500 early' },
  { apps: ['table of the app'], paths: ['/v9/list'], response: at('v9') },
  { apps: ['table of the app'], paths: ['/v9/middleware'], response: at('v9', '/') },
  { apps: ['table of the app'], paths: ['/V9/middleware'], response: at('v1') },
  { apps: ['table of the app'], paths: ['/V9/list', '/v1/moved/list'], response: NO_NAMESPACE },
  { apps: ['table of the app'], paths: ['/v1/moved/middleware'], response: 'v1 at /v9/middleware' },
  { apps: ['table of the app'], preflight: true, paths: ['/V9/list'], response: at('v1') },
  { apps: ['header before path'], paths: ['/v1/users', '/t/7'], version: 'v1', response: at('v1') },
  { apps: ['header before path'], paths: ['/v2/users'], version: 'v1', response: INVALID_IN_PATH },
  { apps: ['header before path'], paths: ['/v1/users'], movedTo: ['/about', '/t/7'], response: at('v1') },
  { apps: ['header before path'], paths: ['/v1/users'], movedTo: ['/v2/users'], response: INVALID_IN_PATH },
  { apps: ['header before two'], paths: ['/v1/users'], version: 'v1', response: at('v1') },
  { apps: ['header before two'], paths: ['/v2/users'], version: 'v1', response: NO_NAMESPACE },
  { apps: ['header before two'], paths: ['/at/v2/other'], version: 'v1', response: INVALID_IN_PATH },
  { apps: ['both'], paths: ['/v1/users'], movedTo: ['/about'], response: INVALID_IN_PATH },
  { apps: ['both'], paths: ['/v1/users'], movedTo: ['/plain/x'], response: at('v1') },
  { apps: ['both, nowhere'], paths: ['/note'], response: at('v1', '/') },
  { apps: ['own properties'], paths: ['/v1/users'], response: at('v1') },
  { apps: ['own properties'], paths: ['/v1/users'], movedTo: ['/v2/users'], response: INVALID_IN_PATH },
  { apps: ['overridden'], preflight: true, paths: ['/v7/users'], response: INVALID_IN_PATH },
  { apps: ['overridden'], preflight: true, paths: ['/v2/users'], response: at('v2') },
  { apps: ['next() twice, in front of a handler that throws'], paths: ['/x'], response: '500 down' },
  { apps: ['growing'], paths: ['/c/1/late'], response: '/c/1 /late /late {"p":"1"}' },
  { apps: ['later'], paths: ['/v1/users/me'], response: '/v1 /users/me /users/:id {"version":"v1","id":"me"}' },
  { apps: ['later'], paths: ['/v2/users/me'], response: '/v2 /users/me /users/me {"version":"v2"}' },
  {
    apps: ['later'],
    paths: ['/v1/late'],
    response: '404 ERR_VERSION_UNHANDLED This operation was added in version v2.',
  },
  { apps: ['judged'], paths: ['/v1/x'], response: '/ /v2/x undefined {}' },
  { apps: ['many'], paths: ['/7'], response: '/ /7 /:id {}' },
]

checkEach(apps, ASKED)

test('a table of the app is not compared by a scheme that does not read the route', async () => {
  const read = jest.spyOn(HeaderVersioning.prototype, 'readVersion')
  await check(apart(new HeaderVersioning(V9)), [{ paths: ['/v9/list'], response: at('v1') }])
  expect(read).toHaveBeenCalledTimes(1)
})

test('a scheme gets no positional arguments, and the parameters of the match over those of versioning()', async () => {
  const asked: unknown[] = []
  class Own extends URLPathVersioning {
    override determineVersion(...[, args, kwargs]: Parameters<library.BaseVersioning['determineVersion']>) {
      asked.push([args, { ...kwargs }])
      return kwargs.version as string
    }
  }
  const routes = paths()
  const given = put({ params: { version: 'v1', tenant: 'a' } })
  const chain = [given, decide(Own, { ...LISTED, routes }), put({ params: {} }), move, routes]
  await check(
    (app) => app.get('/v1/users', ...chain),
    [
      { paths: ['/v1/users'], response: at('v1') },
      { paths: ['/v1/users'], movedTo: ['/v2/users'], response: INVALID_IN_PATH },
    ],
  )
  expect(asked).toEqual(['v1', 'v1', 'v2'].map((version) => [[], { version, tenant: 'a' }]))
})

test.each<[what: string, fail: () => unknown, error: string]>([
  ['throws', thrown, '500 down'],
  ['throws nothing', () => thrown(null), '500 determineVersion() failed with null.'],
  // Express would take these for "go on".
  ['rejects with nothing', () => Promise.reject(undefined), '500 determineVersion() failed with undefined.'],
])('a scheme that %s when it is asked again fails the request, and observers are told', async (_what, fail, error) => {
  const events: unknown[] = []
  const onVersion = ({ phase, version }: Record<string, unknown>) => void events.push(`${phase} ${version}`)
  const scheme = deciding((version) => (version === 'v2' ? fail() : version))
  await check(moved(scheme, paths(), [], { onVersion }), [
    { paths: ['/v1/users'], movedTo: ['/v2/users'], response: error },
  ])
  expect(events).toEqual(['decided v1', 'failed undefined'])
})

test.each([[URLPathVersioning], [SlowPath]])('the callbacks of param() are guarded: %p', async (scheme) => {
  const seen: string[] = []
  const see = (made: Table, name: string): Table =>
    made.param(name, (req, _res, next, value) => next(void seen.push(`${value} ${req.version}`)))
  const routes = see(table({ own: '/own/:version/:id' }), 'version')
  routes.include('/:version', see(table({ item: '/items/:id' }), 'id')).use('/used/:version', tell)
  const asked = (version: string, response: Asked['response']): Asked[] => [
    {
      paths: ['/v1/items/6'],
      movedTo: [`/${version}/items/7`, `/own/${version}/7`, `/used/${version}/`],
      response,
    },
  ]
  await check(moved(scheme, routes), asked('v2', INVALID_IN_PATH))
  expect(seen).toEqual([])
  await check(moved(scheme, routes), asked('v1', at('v1')))
  expect(seen).toEqual(['v1 v1', '7 v1', 'v1 v1', 'v1 v1'])
})

test('a request without Express and without a method finds what router finds', async () => {
  const reached = jest.fn(pass)
  const table = routed({ item: '/:id' }, reached) as never as (...args: unknown[]) => void
  const error = await new Promise((done) => table({ url: '/7' }, {}, done))
  expect([error, reached.mock.calls.length]).toEqual([undefined, 1])
  expect(() => table({}, {})).toThrow(new TypeError('A route table takes (req, res, next); next is missing.'))
  // A table that ran no handler goes on at once.
  const next = jest.fn()
  table({ url: '/' }, {}, next)
  expect(next.mock.calls).toEqual([[undefined]])
})

test('only one of many malformed escapes in a wildcard is tried in each reading', async () => {
  const routes = include('/:version', table({ file: '/*path' }))
  const { get } = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes }), routes))
  const decode = jest.spyOn(globalThis, 'decodeURIComponent')
  const { status } = await get(`/v1${'/%zz'.repeat(3000)}`)
  const calls = decode.mock.calls.length
  decode.mockRestore()
  expect([status, calls < 10]).toEqual([400, true])
  expect(routes.resolve('/v1/a%20b/%zz')?.params).toEqual({ version: 'v1', path: ['a%20b', '%zz'] })
})
