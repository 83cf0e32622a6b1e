// Operations that had other paths in older versions, as requests meet them.
import express, {
  type Application,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import {
  type BaseVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type NamedRoutesOptions,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, convertRequest, sent } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { explorer } from 'express-versioning/explorer'
import { openapi, routesOf } from 'express-versioning/openapi'
import { historyOf } from '../support/changes'
import { run } from '../support/dispatch'
import { withPaths } from '../support/documents'
import { major } from '../support/major'
import { serve } from '../support/serve'

const VERSIONS = ['v1', 'v2', 'v3']
const PLACES: Readonly<Record<string, string>> = { v1: 'people', v2: 'persons', v3: 'users' }

/** The history of a table in which users were people, then persons. */
const historyBelow = (prefix: string) =>
  historyOf(
    [change('Persons were people.', { 'GET user': { path: `${prefix}/people/:id` } })],
    [change('Users were persons.', { 'GET user': { path: `${prefix}/persons/:id` } })],
  )
const history = historyBelow('')

const show = (req: Request, res: Response) => {
  const { version, params, originalUrl, resolverMatch } = req
  const name = String(resolverMatch?.viewName)
  const { version: _, ...kwargs } = params
  res.json({ version, id: params.id, originalUrl, name, link: req.reverse(name, { kwargs } as object) })
}

/** Makes a table of one resource with its handlers. */
function usersTable(prefix = '') {
  const users = namedRoutes({ list: `${prefix}/users`, user: `${prefix}/users/:id` } as Record<string, string>)
  users.route('list').get(show)
  users.route('user').get(show)
  return users
}

type Table = ReturnType<typeof usersTable>
type Build = (app: Application, options: VersioningOptions) => VersioningOptions & { readonly mount?: string }

const mounted =
  (mount: string, routes = usersTable): Build =>
  (app, options) => {
    const own = { ...options, routes: routes() }
    app.use(mount, versioning(own), own.routes)
    return { ...own, mount }
  }
const including = (prefix: string) => () => namedRoutes({}).include(prefix, usersTable()) as Table
const inRoute: Build = (app, options) =>
  mounted('/', () => usersTable('/:version'))(app, { ...options, changes: historyBelow('/:version') })
const below = () => {
  const inner = namedRoutes({}).include('/{deep/}x', namedRoutes({}).include('/', usersTable()), { namespace: 'a' })
  return namedRoutes({}).include('/:tenant', inner, { namespace: 'o' }) as never
}
const inNamespaces = () => {
  const root = namedRoutes({})
  for (const version of VERSIONS) root.include(`/${version}`, usersTable(), { namespace: version })
  return root as Table
}

const DEFAULT = { defaultVersion: 'v3' }
const HEADER = { scheme: HeaderVersioning, ...DEFAULT }
const PATH = { scheme: URLPathVersioning, ...DEFAULT }
const combined = (...schemes: BaseVersioning[]) => ({
  scheme: new CombinedVersioning({ ...DEFAULT, schemes }),
})

/** Returns the path and the header fields of a request in a version. */
type Asking = (version: string, path: string) => [path: string, headers?: Record<string, string>]
const byHeader = (version: string) => ({ 'X-API-Version': version })
const inHeader =
  (prefix = ''): Asking =>
  (version, path) => [`${prefix}${path}`, byHeader(version)]
const inPath: Asking = (version, path) => [`/${version}${path}`]
const inQuery: Asking = (version, path) => [`${path}?version=${version}`]
const inHost: Asking = (version, path) => [path, { Host: `${version}.example.com` }]

const SCHEMES: [title: string, options: VersioningOptions, build: Build, asking: Asking][] = [
  ['a header', HEADER, mounted('/'), inHeader()],
  ['a header below a mount', HEADER, mounted('/api'), inHeader('/api')],
  ['a header below prefixes with parameters', HEADER, mounted('/', below), inHeader('/t%20t/deep/x')],
  ['the query', { scheme: QueryParameterVersioning, ...DEFAULT }, mounted('/'), inQuery],
  ['the host', { scheme: HostNameVersioning, ...DEFAULT }, mounted('/'), inHost],
  ['the path, as a prefix of a table', PATH, mounted('/', including('/:version')), inPath],
  ['the path, as an optional prefix', PATH, mounted('/', including('{/:version}')), inPath],
  ['the path, as a mount', PATH, mounted('/:version'), inPath],
  ['the path, in the route itself', PATH, inRoute, inPath],
  ['namespaces, one for each version', { scheme: NamespaceVersioning, ...DEFAULT }, mounted('/', inNamespaces), inPath],
  [
    'a combination, by the header',
    combined(new URLPathVersioning(), new HeaderVersioning()),
    mounted('/', including('{/:version}')),
    inHeader(),
  ],
  [
    'a combination, by the path',
    combined(new HeaderVersioning(), new URLPathVersioning()),
    mounted('/', including('{/:version}')),
    inPath,
  ],
]

describe.each(SCHEMES)('with the version in %s', (_, given, build, asking) => {
  test('an operation is found at the path of the version alone, and links lead there', async () => {
    const { get } = await serve((app) => void build(app, { ...given, changes: history }))
    for (const version of VERSIONS) {
      for (const place of Object.values(PLACES)) {
        const [path, headers] = asking(version, `/${place}/7`)
        const { status, json } = await get(path, headers)
        const name = expect.stringMatching(/(?:^|:)user$/)
        const shown = [200, { version, id: '7', originalUrl: path, name, link: path }]
        const found = status === 200 ? [status, json] : [status]
        expect([version, place, ...found]).toStrictEqual([
          version,
          place,
          ...(PLACES[version] === place ? shown : [404]),
        ])
      }
      // Operations that nobody moved stay.
      expect((await get(...asking(version, '/users'))).status).toBe(200)
    }
  })

  test('documents, pages and clients of a version say its path', async () => {
    const { mount = '/', ...options } = build(express(), { ...given, changes: history })
    const documents = openapi(options, { mount })
    const { get } = await serve((app) => void app.use(explorer(options, { mount })))
    const { json } = await get('/', { Accept: 'application/json' })
    const versions = VERSIONS.map((version) => {
      const own = expect.stringContaining(`/${PLACES[version]}/`)
      return { version, exists: true, curl: own, ...(version !== 'v3' && { path: own }) }
    })
    const row = { method: 'GET', name: expect.stringMatching(/user$/), path: expect.stringContaining('/users/:id') }
    const isListed = expect.arrayContaining(versions.map((one) => expect.objectContaining(one)))
    const isShown = expect.objectContaining({ ...row, versions: isListed })
    expect(json).toMatchObject({ routes: expect.arrayContaining([isShown]) })
    expect((await get('/', { Accept: 'text/plain' })).text).toMatch(/at \S*\/people\/:id/)
    const name = [...(options.routes as Table).names()].find((one) => one.endsWith('user')) as string
    for (const version of VERSIONS) {
      const own = `/${PLACES[version]}/`
      const { paths } = documents.document(version)
      const places = Object.keys(paths).flatMap((path) => /\/(?:people|persons|users)\//.exec(path) ?? [])
      expect([...new Set(places)]).toStrictEqual([own])
      const client = inVersion(version, options, { mount, host: 'example.com' } as object)
      const kwargs = { id: 7, ...(name.startsWith('o:') ? { tenant: 't t' } : {}) }
      expect(client.path(name.replace(/^v\d:/, ''), { kwargs } as object)).toContain(`${own}7`)
    }
  })
})

const v1 = byHeader('v1')
const people = historyOf([change('Users were people.', { 'GET user': { path: '/people/:id' } })])
const peopleTable = () => namedRoutes({ me: '/users/me', user: '/users/:id', rest: '/rest/*all' })
const saying =
  (what: string): RequestHandler =>
  (req, res) =>
    void res.json([what, req.params])
const UNHANDLED = { status: 404, json: { code: 'ERR_VERSION_UNHANDLED' } }

/** Serves a table behind a header, in which `GET user` was at `/people/:id` in v1. */
const servePeople = (
  fill: (routes: ReturnType<typeof peopleTable>, app: Application) => unknown = (routes) =>
    routes.route('user').get(saying('user')),
  changes = people,
) =>
  serve((app) => {
    const routes = peopleTable()
    fill(routes, app)
    const options = { scheme: HeaderVersioning, defaultVersion: changes.versions.at(-1) as string, changes, routes }
    app.use(versioning(options), express.json(), routes)
  })

/** Serves one route behind a header, which had another path in v1. */
const serveMoved = (today: string, older: string, settings: NamedRoutesOptions = {}, mount = '/') =>
  serve((app) => {
    const routes = namedRoutes({ it: today } as Record<string, string>, settings)
    routes.route('it').get((req, res) => void res.json([req.url, req.reverse('it', { kwargs: req.params } as object)]))
    const changes = historyOf([change('Moved.', { 'GET it': { path: older } })])
    app.use(mount, versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }), routes)
  })

describe('beside other routes', () => {
  test('routes and middleware in front, for all parameters, run as today', async () => {
    const { get } = await servePeople((routes) => {
      const table = routes.add('guard', '/users{/*any}').add('other', '/:any/:id')
      const trace: RequestHandler = (req, res, next) => {
        res.append('X-Trace', `${req.path} ${req.resolverMatch?.viewName}`)
        next()
      }
      table.use('/users', trace)
      table.use('/people', trace)
      table.route('guard').all(trace)
      table.param('id', (_req, res, next, id) => {
        res.append('X-Param', id)
        next()
      })
      table.route('user').get((_req, _res, next) => next())
      table.route('other').get(saying('other'))
    })
    const { text, headers } = await get('/people/7', v1)
    expect(text).toBe('["other",{"any":"users","id":"7"}]')
    expect(headers['x-trace']).toBe('/7 guard, /users/7 guard')
    expect(headers['x-param']).toBe('7')
  })

  test('methods of one route may move apart: links follow GET', async () => {
    const changes = historyOf([
      change('Users were people.', {
        'GET user': { path: '/people/:id' },
        'PUT user': { path: '/persons/:id' },
      }),
    ])
    const { send } = await servePeople((routes) => {
      const link: RequestHandler = (req, res) => void res.json([req.method, req.reverse('user', { kwargs: { id: 7 } })])
      routes.route('user').get(link).put(link).delete(link)
    }, changes)
    const seen = async (method: string, version: string) => {
      const found = ['people', 'persons', 'users'].map(async (place) => {
        const { status, text, headers } = await send(method, `/${place}/7`, byHeader(version))
        return method === 'OPTIONS' ? String(headers.allow).split(', ').sort().join() : status === 200 ? text : status
      })
      return Promise.all(found)
    }
    expect(await seen('GET', 'v1')).toStrictEqual(['["GET","/people/7"]', 404, 404])
    expect(await seen('PUT', 'v1')).toStrictEqual([404, '["PUT","/people/7"]', 404])
    expect(await seen('DELETE', 'v1')).toStrictEqual([404, 404, '["DELETE","/people/7"]'])
    expect(await seen('HEAD', 'v1')).toStrictEqual(['', 404, 404])
    expect(await seen('OPTIONS', 'v1')).toStrictEqual(['GET,HEAD', 'PUT', 'DELETE'])
    expect((await seen('OPTIONS', 'v2'))[2]).toBe('DELETE,GET,HEAD,PUT')
    expect((await seen('GET', 'v2'))[2]).toBe('["GET","/users/7"]')
  })

  test('an older path may be that of a newer operation, and two may change places', async () => {
    const changes = historyOf([
      change('Users were people.', { 'GET user': { path: '/people/:id' }, 'GET person': 'added' }),
      change('Left is right.', { 'GET left': { path: '/right' }, 'GET right': { path: '/left' } }),
    ])
    const { get } = await servePeople((routes, app) => {
      const table = routes.add('person', '/people/:id').add('left', '/left').add('right', '/right')
      for (const name of ['person', 'user', 'left', 'right'] as const) table.route(name).get(saying(name))
      app.use((_req, _res, next) => next())
    }, changes)
    const named = async (path: string, version: string) => ((await get(path, byHeader(version))).json as string[])[0]
    expect([await named('/people/7', 'v1'), await named('/people/7', 'v2')]).toStrictEqual(['user', 'person'])
    expect([await named('/left', 'v1'), await named('/right', 'v1')]).toStrictEqual(['right', 'left'])
    expect(await named('/left', 'v2')).toBe('left')
  })
})

/** Steps beside an older path. */
const withSteps = (path: string) => ({
  path,
  query: ({ n }: { n: string }) => ({ limit: n }),
  request: ({ name }: { name: string }) => ({ title: name }),
  response: ({ title, ...rest }: { title: string }) => ({ name: title, ...rest }),
})
const JSON_TYPE = { ...v1, 'Content-Type': 'application/json' }

test("steps beside the path convert, and the client's own bytes are kept", async () => {
  const { send: ask } = await servePeople(
    (routes) => {
      routes
        .route('user')
        .post((req, res) => void res.json({ ...req.body, query: req.query, sent: sent(req), url: req.originalUrl }))
    },
    historyOf([change('Users were people with names.', { 'POST user': withSteps('/people/:id') })]),
  )
  expect((await ask('POST', '/people/a%2Fb%20c?n=1', JSON_TYPE, '{"name":"x"}')).json).toStrictEqual({
    name: 'x',
    query: { limit: '1' },
    sent: { body: { name: 'x' }, query: { n: '1' } },
    url: '/people/a%2Fb%20c?n=1',
  })
})

test('an operation is moved, removed and added again', async () => {
  const changes = historyOf(
    [change('Users were people.', { 'GET user': { path: '/people/:id' } })],
    [change('No users.', { 'GET user': 'removed' })],
    [change('Users again. They were folk.', { 'GET user': { added: true, path: '/folk/:id' } })],
  )
  const { get } = await servePeople(undefined, changes)
  const paths = ['/people/7', '/folk/7', '/users/7']
  const rows = changes.versions.map(async (version) => {
    const found = paths.map(async (path) => (await get(path, byHeader(version))).status === 200)
    return paths[(await Promise.all(found)).indexOf(true)]
  })
  expect(await Promise.all(rows)).toStrictEqual(['/people/7', '/folk/7', undefined, '/users/7'])
  expect(await get('/folk/7', byHeader('v3'))).toMatchObject(UNHANDLED)
})

test('a rejection names the versions that have the operation at that path', async () => {
  const { send } = await serve((app) => {
    const routes = usersTable()
    app.use(versioning({ ...HEADER, changes: history, routes }), routes)
    app.use(((error, _req, res, _next) => res.status(error.status).json(error.allowedVersions)) as ErrorRequestHandler)
  })
  expect((await send('GET', '/users/7', v1)).json).toStrictEqual(['v3'])
})

// The property of bytes compares older paths with those of today.
test.each([
  [{}, [200, 200, 200, 404]],
  [{ caseSensitive: true, strict: true }, [200, 404, 404, 404]],
])('the settings of the table hold for older paths: %j', async (settings, expected) => {
  const { get } = await serveMoved('/users/:id/', '/People/:id/', settings)
  const paths = ['/People/7/', '/People/7', '/people/7/', '//People/7/']
  const found = paths.map(async (path) => (await get(path, v1)).status)
  expect(await Promise.all(found)).toStrictEqual(expected)
})

test.each([
  ['/people/:id{.:format}', '/users{.:format}/:id', '/people/7.json', '/users.json/7'],
  ['/people/:id{.:format}', '/users{.:format}/:id', '/people/7', '/users/7'],
  ['/users', '', '/users', '/'],
  // Today's path would have another parameter.
  ['/p/:a{/:b}', '/:a{-:b}', '/p/1-2', 404],
  ['/all/*rest/of/:id', '/:id/*rest', '/all/a%20/b/of/7', '/7/a%20/b'],
  ['/:a-:b', '/:b/:a', '/1-2', '/2/1'],
  ['/:a/:b', '/:a-:b', '/1/2', '/1-2'],
  // Today's path would be read otherwise.
  ['/:a/:b', '/:a-:b', '/1/-2', 404],
  ['', '/users', '/', '/users'],
  ['/', '/users', '/', '/users'],
  ['/users', '/', '/users', '/'],
])('%s was the path of %s: the request %s goes to %s', async (older, today, asked, expected) => {
  const { get } = await serveMoved(today, older)
  const { status, json } = await get(asked, v1)
  expect(status === 200 ? json : status).toStrictEqual(expected === 404 ? 404 : [expected, asked])
})

test.each([
  ['a target', '/', 'http://any/?a', 'http://any?a'],
  ['a mount', '/api', '/api/', '/api'],
])('%s without a slash behind it cannot get another path', async (_, mount, path, odd) => {
  const { get } = await serveMoved('/users', '/', {}, mount)
  expect((await get(path, v1)).status).toBe(200)
  expect(await get(odd, v1)).toMatchObject(UNHANDLED)
})

describe('more than one versioning()', () => {
  const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: people }
  const other = { scheme: new HeaderVersioning({ header: 'X-Other', defaultVersion: 'v2' }), changes: people }

  test('the last one decides by the sent path', async () => {
    const { get } = await serve((app) => {
      const routes = peopleTable()
      routes.route('user').get((req, res) => void res.json([req.version, req.url, req.originalUrl]))
      app.use(versioning({ ...options, routes }), versioning({ ...other, routes }), routes)
    })
    expect((await get('/people/7', { ...v1, 'X-Other': 'v1' })).text).toBe('["v1","/users/7","/people/7"]')
    expect((await get('/users/7', { ...v1, 'X-Other': 'v2' })).text).toBe('["v2","/users/7","/users/7"]')
    expect((await get('/people/7', { ...v1, 'X-Other': 'v2' })).status).toBe(404)
    expect((await get('/users/7', { 'X-API-Version': 'v2', 'X-Other': 'v1' })).status).toBe(404)
  })

  test('one of the same options may stand in the table, in a child or on the route itself', async () => {
    const { get } = await serve((app) => {
      const users = namedRoutes({ user: '/users/:id' })
      const routes = namedRoutes({}).include('/api', users)
      const again = versioning({ ...options, routes })
      users.use(again)
      users.route('user').get(again, (req, res) => void res.json([req.version, req.url, req.baseUrl, req.originalUrl]))
      app.use(versioning({ ...options, routes }), again, routes)
    })
    expect((await get('/api/people/7', v1)).text).toBe('["v1","/users/7","/api","/api/people/7"]')
    expect((await get('/api/users/7', v1)).status).toBe(404)
    expect((await get('/api/users/7')).status).toBe(200)
  })

  test('one on the route itself has no other path to offer', async () => {
    const { get } = await serve((app) => {
      const routes = peopleTable()
      routes.route('user').get(versioning({ ...options, routes }), saying('late'))
      app.use(routes)
    })
    const error = 'This operation has another path in version v1.'
    expect(await get('/users/7', v1)).toMatchObject({ status: 404, json: { ...UNHANDLED.json, error } })
    expect((await get('/users/7')).text).toBe('["late",{"id":"7"}]')
  })

  type Use = (app: Application, root: RequestHandler, users: RequestHandler, moving: RequestHandler) => unknown
  const inRoot: Use = (app, root) => app.use(root)
  const alone: Use = (app, _root, users) => app.use('/users', users)
  const twice: Use = (app, root, _users, moving) => app.use(moving, root)
  test.each<[title: string, use: Use, today: string, older: string, path: string, status: number]>([
    ['one in a child', inRoot, '', '/all', '/users/all', 200],
    ['one in a table that the app mounts, and the root describes', alone, '', '/all', '/users/all', 200],
    ['two', twice, '/list', '/all', '/users/all', 200],
    // The path that the router made of nothing cannot be another one again.
    ['two', twice, '/list', '', '/users', 404],
    ['two', twice, '', '/list', '/users/list', 404],
  ])('%s: operations of a route move together, below the prefix: %#', async (_, use, today, older, path, status) => {
    const { send } = await serve((app) => {
      const users = namedRoutes({ list: today } as Record<string, string>)
      const routes = namedRoutes({}).include('/users', users)
      const changes = historyOf([change('Moved.', { 'GET list': { path: older }, 'PUT list': { path: older } })])
      const moving = versioning({ ...options, changes, routes })
      users.use(moving)
      users.route('list').get(saying('list')).put(saying('list'))
      use(app, routes, users, moving)
    })
    for (const method of ['GET', 'PUT']) {
      expect((await send(method, path, v1)).status).toBe(status)
      expect((await send(method, `/users${today}`, v1)).status).toBe(404)
      expect((await send(method, `/users${today}`)).status).toBe(200)
    }
  })

  test('a router between them keeps what it has removed of the path', async () => {
    const { get } = await serve((app) => {
      const routes = peopleTable()
      routes.route('user').get(saying('user'))
      app.use(versioning({ ...options, routes }))
      // It has removed a part of today's path that the sent one does not have.
      app.use('/users', versioning({ scheme: HeaderVersioning }), (req, res) => void res.json([req.url, req.baseUrl]))
    })
    expect((await get('/people/7', v1)).text).toBe('["/7","/users"]')
  })
})

describe('with handlers elsewhere', () => {
  const byHand = () => {
    const routes = namedRoutes({ me: '/users/me', user: '/users/:id' }, { handlers: 'elsewhere' })
    for (const name of ['GET me', 'GET user', 'PUT user'] as const)
      routes.describe(name, { response: null, body: null })
    return { routes, changes: people }
  }
  const ofDocument = (given: Parameters<typeof routesOf>[1] = {}) => {
    const routes = routesOf(withPaths({ '/users/{id}': 'get put', '/users/me': 'get' }), given)
    const changes = historyOf([change('Users were people.', { 'GET /users/{id}': { path: '/people/{id}' } })])
    return { routes, changes }
  }
  const passing = () => ofDocument({ undocumented: 'pass' })
  const seen: RequestHandler = (req, res) => void res.json([req.method, req.url, req.baseUrl, req.originalUrl])
  const optionsOf = (table: object) =>
    ({ scheme: HeaderVersioning, defaultVersion: 'v2', ...table }) as VersioningOptions

  test.each<[string, () => object]>([
    ['a table by hand', byHand],
    ['a document', ofDocument],
    ['a document, where others pass', passing],
  ])("%s: the request goes on with today's path", async (_, tableOf) => {
    const { send } = await serve((app) => {
      app.use('/api', versioning(optionsOf(tableOf())), express.json(), convertRequest)
      app.use('/api/users', express.Router().get('/:id', seen).put('/:id', seen))
      app.use('/api', seen)
    })
    const sentTo = async (method: string, path: string, version = 'v1') => {
      const { status, json } = await send(method, `/api${path}`, byHeader(version))
      return status === 200 ? json : [status, Object(json).code]
    }
    const unhandled = [404, 'ERR_VERSION_UNHANDLED']
    expect(await sentTo('GET', '/people/7%2F?q=1')).toEqual(['GET', '/7%2F?q=1', '/api/users', '/api/people/7%2F?q=1'])
    expect(await sentTo('GET', '/users/7', 'v2')).toEqual(['GET', '/7', '/api/users', '/api/users/7'])
    expect(await sentTo('PUT', '/users/7')).toEqual(['PUT', '/7', '/api/users', '/api/users/7'])
    expect(await sentTo('GET', '/users/me')).toEqual(['GET', '/me', '/api/users', '/api/users/me'])
    expect(await sentTo('GET', '/users/7')).toEqual(unhandled)
    const others = ['PUT', '/people/7', '/api', '/api/people/7']
    expect(await sentTo('PUT', '/people/7')).toEqual(tableOf === passing ? others : unhandled)
    // Routers would take today's path for another operation.
    expect(await sentTo('GET', '/people/me')).toEqual(unhandled)
    // In the newest version, the older path is like any other.
    expect(await sentTo('GET', '/people/7', 'v2')).toEqual(['GET', '/people/7', '/api', '/api/people/7'])
  })

  test('the version in the path', async () => {
    const { get } = await serve((app) => {
      app.use('/:version', versioning({ ...optionsOf(ofDocument()), scheme: URLPathVersioning }), seen)
    })
    expect((await get('/v1/people/7')).text).toBe('["GET","/users/7","/v1","/v1/people/7"]')
    expect((await get('/v2/users/7')).text).toBe('["GET","/users/7","/v2","/v2/users/7"]')
    expect((await get('/v1/users/7')).status).toBe(404)
  })

  test('steps beside the path convert in front of the handlers', async () => {
    const { send } = await serve((app) => {
      const changes = historyOf([change('People with names.', { 'PUT /users/{id}': withSteps('/people/{id}') })])
      app.use(versioning(optionsOf({ ...ofDocument(), changes })), express.json(), convertRequest)
      const users = express.Router().put('/:id', (req, res) => {
        res.json({ ...req.body, query: req.query, url: req.originalUrl, at: req.baseUrl + req.url })
      })
      app.use('/users', users)
    })
    const { json } = await send('PUT', '/people/7?n=1', JSON_TYPE, '{"name":"x"}')
    expect(json).toStrictEqual({ name: 'x', query: { limit: '1' }, url: '/people/7?n=1', at: '/users/7?limit=1' })
  })

  test('a route by hand goes after those of the document, among the paths of the version', async () => {
    const { get } = await serve((app) => {
      const routes = routesOf(withPaths({ '/b/{id}': 'get', '/c/x': 'get' })).add('own', '/own')
      routes.route('own').get(saying('own'))
      const moved = { 'GET /b/{id}': { path: '/a/{id}' }, 'GET /c/x': { path: '/a/x' }, 'GET own': { path: '/a/w' } }
      const options = optionsOf({ routes, changes: historyOf([change('Moved.', moved)]) })
      app.use(versioning(options), (req, res) => void res.json([req.url, req.resolverMatch?.viewName]))
    })
    const found = ['/a/1', '/a/x', '/a/w'].map(async (path) => (await get(path, v1)).text)
    expect(await Promise.all(found)).toStrictEqual(['["/b/1","/b/{id}"]', '["/c/x","/c/x"]', '["/own","own"]'])
  })
})

describe('schemes that read the path', () => {
  test('find the version in a part of a segment, and pass by paths of other methods', async () => {
    const { get, send } = await serve((app) => {
      const users = namedRoutes({ user: '/u.:id', list: '/list' } as Record<string, string>)
      users.route('user').get(saying('user'))
      users.route('list').post(saying('list'))
      const routes = namedRoutes({})
        .include('/x-:version', users, { namespace: 'a' })
        .include('/y', users, { namespace: 'b' })
      const changes = historyOf([
        change('Moved.', { 'GET a:user': { path: '/p.:id' }, 'POST a:list': { path: '/all' } }),
      ])
      app.use(versioning({ scheme: URLPathVersioning, defaultVersion: 'v2', changes, routes }), routes)
    })
    expect((await get('/x-v1/p.7')).text).toBe('["user",{"version":"v1","id":"7"}]')
    expect((await get('/y/u.7')).text).toBe('["user",{"id":"7"}]')
    expect((await send('POST', '/x-v1/all')).text).toBe('["list",{"version":"v1"}]')
    for (const path of ['/x-v2/p.7', '/x-v1/u.7', '/x-v1/q', '/x-v9/p.7', '/v1/p.7', '/y/p.7', '/x-v1/all'])
      expect([path, (await get(path)).status]).toStrictEqual([path, 404])
  })

  test('of their own that wait are not asked about older paths', async () => {
    class Waiting extends URLPathVersioning {
      override readVersion(req: Request, kwargs: Request['params']): never {
        const read = super.readVersion(req, kwargs)
        return (read === 'odd' ? Promise.reject(new Error('odd')) : Promise.resolve(read)) as never
      }
    }
    const { get } = await serve((app) => {
      const routes = including('/:version')()
      app.use(versioning({ scheme: Waiting, ...DEFAULT, changes: history, routes }), routes)
    })
    expect((await get('/v1/people/7')).json).toMatchObject({ version: 'v1', link: '/v1/people/7' })
    expect((await get('/odd/people/7')).status).toBe(500)
  })

  test.each([PATH, HEADER])('see no path where there is none: %#', (given) => {
    const handler = versioning({ ...given, changes: history, routes: including('{/:version}')() })
    // Such a target has no path.
    expect(run(handler, { url: '?a', headers: { 'x-api-version': 'v1' } })).toMatchObject({ served: 1, errors: [] })
  })
})

test('an assigned version that the history does not have has no older paths', async () => {
  const { send } = await serve((app) => {
    const routes = peopleTable()
    routes.route('user').get(saying('user'))
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes: people, routes }))
    app.use((req, _res, next) => {
      req.version = 'odd'
      next()
    }, routes)
  })
  expect((await send('OPTIONS', '/users/7')).headers.allow).toBe('GET, HEAD')
})

test('links to other versions, from any, and the link to the successor lead to the paths of those', async () => {
  const { get } = await serve((app) => {
    const routes = including('{/:version}')().add('home', '/home')
    routes.route('home').get((req, res) => {
      const to = (version: string | null) => req.reverse('user', { kwargs: { id: 7 }, version } as object)
      res.json([...VERSIONS, null].map(to))
    })
    const lifecycle = { v1: { deprecated: '2020-01-01', successor: 'v2' } }
    app.use(versioning({ ...PATH, changes: history, routes, neutral: ['home'], lifecycle }), routes)
  })
  expect((await get('/home')).json).toStrictEqual(['/v1/people/7', '/v2/persons/7', '/v3/users/7', '/users/7'])
  expect((await get('/v1/people/7?a=1')).headers.link).toContain('</v2/persons/7?a=1>; rel="successor-version"')
})

test('handlers by version know nothing of paths', async () => {
  const { get } = await servePeople((routes) => {
    routes.route('user').get(byVersion({ v1: saying('one'), v2: saying('two') }))
  })
  expect((await get('/people/7', v1)).text).toBe('["one",{"id":"7"}]')
  expect((await get('/users/7')).text).toBe('["two",{"id":"7"}]')
})

test('preflights pass', async () => {
  const { send } = await servePeople((routes, app) => {
    app.options('/{*any}'.replace(major === 4 ? /^.*$/ : /^$/, '*'), (req, res) => void res.json(req.url))
    routes.route('user').get(saying('user'))
  })
  const fields = { ...v1, Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }
  for (const path of ['/people/7', '/users/7']) expect((await send('OPTIONS', path, fields)).status).toBe(200)
})

test('two histories of one table each know their own older paths', async () => {
  const routes = including('{/:version}')()
  const others = historyOf([change('The list was all.', { 'GET list': { path: '/all' } })])
  const sharing = historyOf([change('Users were people.', { 'GET user': { path: '/people/:id' } })])
  const { get } = await serve((app) => {
    for (const [mount, changes] of Object.entries({ '/a': history, '/b': others, '/c': sharing })) {
      app.use(
        mount,
        versioning({ scheme: URLPathVersioning, defaultVersion: changes.versions.at(-1) as string, changes, routes }),
        routes,
      )
    }
  })
  const paths = ['/a/v1/people/7', '/a/v1/all', '/b/v1/people/7', '/b/v1/all', '/c/v1/people/7', '/c/v2/people/7']
  const found = await Promise.all(paths.map(async (path) => [path, (await get(path)).status]))
  expect(found).toStrictEqual(paths.map((path, at) => [path, [200, 404, 404, 200, 200, 404][at]]))
})
