// Operations that had other paths in older versions, as requests meet them.
import express, {
  type Application,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import {
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
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
const history = historyOf(
  [change('Persons were people.', { 'GET user': { path: '/people/:id' } })],
  [change('Users were persons.', { 'GET user': { path: '/persons/:id' } })],
)

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

const DEFAULT = { defaultVersion: 'v3' }

interface Row {
  readonly scheme: () => VersioningOptions['scheme']
  readonly build: (app: Application, options: VersioningOptions) => VersioningOptions & { readonly mount?: string }
  readonly pathOf?: (version: string, path: string) => string
  readonly headersOf?: (version: string) => Record<string, string>
}

const inFirstSegment = (version: string, path: string) => `/${version}${path}`
const mounted = (path: string) => (app: Application, options: VersioningOptions) => {
  const routes = usersTable()
  app.use(path, versioning({ ...options, routes }), routes)
  return { ...options, routes, mount: path }
}
const rooted = (tableOf: () => Table) => (app: Application, options: VersioningOptions) => {
  const routes = tableOf()
  app.use(versioning({ ...options, routes }), routes)
  return { ...options, routes }
}
const byHeader = (version: string) => ({ 'X-API-Version': version })
const including = (prefix: string) => () => namedRoutes({}).include(prefix, usersTable()) as Table

const ROWS: Record<string, Row> = {
  'a header': { scheme: () => new HeaderVersioning(DEFAULT), build: mounted('/'), headersOf: byHeader },
  'a header below a mount': {
    scheme: () => new HeaderVersioning(DEFAULT),
    build: mounted('/api'),
    headersOf: byHeader,
    pathOf: (_, path) => `/api${path}`,
  },
  'a header below prefixes with parameters': {
    scheme: () => new HeaderVersioning(DEFAULT),
    build: rooted(() => {
      const inner = namedRoutes({}).include('/{deep/}x', namedRoutes({}).include('/', usersTable()), { namespace: 'a' })
      return namedRoutes({}).include('/:tenant', inner, { namespace: 'o' }) as never
    }),
    headersOf: byHeader,
    pathOf: (_, path) => `/t%20t/deep/x${path}`,
  },
  'the query': {
    scheme: () => new QueryParameterVersioning(DEFAULT),
    build: mounted('/'),
    pathOf: (version, path) => `${path}?version=${version}`,
  },
  'the host': {
    scheme: () => new HostNameVersioning(DEFAULT),
    build: mounted('/'),
    headersOf: (version) => ({ Host: `${version}.example.com` }),
  },
  'the path, as a prefix of a table': {
    scheme: () => new URLPathVersioning(DEFAULT),
    build: rooted(including('/:version')),
    pathOf: inFirstSegment,
  },
  'the path, as an optional prefix': {
    scheme: () => new URLPathVersioning(DEFAULT),
    build: rooted(including('{/:version}')),
    pathOf: inFirstSegment,
  },
  'the path, as a mount': {
    scheme: () => new URLPathVersioning(DEFAULT),
    build: mounted('/:version'),
    pathOf: inFirstSegment,
  },
  'the path, in the route itself': {
    scheme: () => new URLPathVersioning(DEFAULT),
    build(app, options) {
      const routes = usersTable('/:version')
      const changes = historyOf(
        [change('Persons were people.', { 'GET user': { path: '/:version/people/:id' } })],
        [change('Users were persons.', { 'GET user': { path: '/:version/persons/:id' } })],
      )
      app.use(versioning({ ...options, changes, routes }), routes)
      return { ...options, changes, routes }
    },
    pathOf: inFirstSegment,
  },
  'namespaces, one for each version': {
    scheme: () => new NamespaceVersioning(DEFAULT),
    build: rooted(() => {
      const root = namedRoutes({})
      for (const version of VERSIONS) root.include(`/${version}`, usersTable(), { namespace: version })
      return root as Table
    }),
    pathOf: inFirstSegment,
  },
  'a combination, by the header': {
    scheme: () => new CombinedVersioning({ ...DEFAULT, schemes: [new URLPathVersioning(), new HeaderVersioning()] }),
    build: rooted(including('{/:version}')),
    headersOf: byHeader,
  },
  'a combination, by the path': {
    scheme: () => new CombinedVersioning({ ...DEFAULT, schemes: [new HeaderVersioning(), new URLPathVersioning()] }),
    build: rooted(including('{/:version}')),
    pathOf: inFirstSegment,
  },
}

/** The public part of a page. */
interface Shown {
  readonly routes: readonly {
    readonly method: string
    readonly name: string
    readonly path: string
    readonly versions: readonly { readonly version: string; readonly path?: string }[]
  }[]
}

describe.each(Object.entries(ROWS))('with the version in %s', (_, row) => {
  const { scheme, build, pathOf = (_version, path) => path, headersOf = () => ({}) } = row

  test('an operation is found at the path of the version alone, and links lead there', async () => {
    const { get } = await serve((app) => void build(app, { scheme: scheme(), changes: history }))
    for (const version of VERSIONS) {
      for (const place of Object.values(PLACES)) {
        const asked = pathOf(version, `/${place}/7`)
        const { status, json } = await get(asked, headersOf(version))
        const seen = [version, place, status]
        if (PLACES[version] !== place) {
          expect(seen).toStrictEqual([version, place, 404])
          continue
        }
        expect(seen).toStrictEqual([version, place, 200])
        const { link: made, ...others } = json as { link: string }
        expect(others).toMatchObject({
          version,
          id: '7',
          originalUrl: asked,
          name: expect.stringMatching(/(?:^|:)user$/),
        })
        expect(made).toBe(asked)
      }
      // Operations that nobody moved stay.
      expect((await get(pathOf(version, '/users'), headersOf(version))).status).toBe(200)
    }
  })

  test('documents, pages and clients of a version say its path', async () => {
    const { mount = '/', ...options } = build(express(), { scheme: scheme(), changes: history })
    const documents = openapi(options, { mount })
    const { get } = await serve((app) => void app.use(explorer(options, { mount })))
    const { routes } = (await get('/', { Accept: 'application/json' })).json as Shown
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
      const row = routes.find((one) => one.method === 'GET' && one.name.endsWith('user'))
      const cell = row?.versions.find((one) => one.version === version)
      expect(cell).toMatchObject({ exists: true, curl: expect.stringContaining(own) })
      expect(row?.path).toContain('/users/:id')
      expect(cell?.path ?? row?.path).toContain(own)
    }
  })
})

const v1 = byHeader('v1')
const people = historyOf([change('Users were people.', { 'GET user': { path: '/people/:id' } })])

/** Serves a table behind a header, in which `GET user` was at `/people/:id` in v1. */
function servePeople(
  fill: (routes: ReturnType<typeof peopleTable>, app: Application) => unknown,
  { changes = people, ...more }: Partial<VersioningOptions> = {},
) {
  return serve((app) => {
    const routes = peopleTable()
    const options = {
      scheme: HeaderVersioning,
      defaultVersion: changes.versions.at(-1) as string,
      changes,
      routes,
      ...more,
    }
    fill(routes, app)
    app.use(versioning(options), express.json(), routes)
  })
}

const peopleTable = () => namedRoutes({ me: '/users/me', user: '/users/:id', rest: '/rest/*all' })
const saying =
  (what: string): RequestHandler =>
  (req, res) =>
    void res.json([what, req.params])
const UNHANDLED = { status: 404, json: { code: 'ERR_VERSION_UNHANDLED' } }

describe('beside other routes', () => {
  test("a sibling that has today's path for these parameters alone is not taken for it", async () => {
    const { get } = await servePeople((routes) => {
      routes.route('me').get(saying('me'))
      routes.route('user').get(saying('user'))
    })
    expect((await get('/people/me', v1)).text).toBe('["user",{"id":"me"}]')
    expect((await get('/users/me', v1)).text).toBe('["me",{}]')
    expect((await get('/users/me')).text).toBe('["me",{}]')
  })

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
    const { send, get } = await servePeople(
      (routes) => {
        const link: RequestHandler = (req, res) =>
          void res.json([req.method, req.reverse('user', { kwargs: { id: 7 } })])
        routes.route('user').get(link).put(link).delete(link)
      },
      { changes },
    )
    const seen = async (request: string, headers = v1) => {
      const [method, path] = request.split(' ') as [string, string]
      const { status, text, headers: fields } = await send(method, path, headers)
      return method === 'OPTIONS' ? String(fields.allow).split(', ').sort().join(', ') : status === 200 ? text : status
    }
    expect(await seen('GET /people/7')).toBe('["GET","/people/7"]')
    expect(await seen('PUT /persons/7')).toBe('["PUT","/people/7"]')
    expect(await seen('DELETE /users/7')).toBe('["DELETE","/people/7"]')
    for (const gone of [
      'GET /persons/7',
      'GET /users/7',
      'PUT /people/7',
      'PUT /users/7',
      'DELETE /people/7',
      'HEAD /users/7',
    ])
      expect([gone, await seen(gone)]).toStrictEqual([gone, 404])
    expect((await send('HEAD', '/people/7', v1)).status).toBe(200)
    const allowed = ['people', 'persons', 'users'].map((place) => seen(`OPTIONS /${place}/7`))
    expect(await Promise.all(allowed)).toStrictEqual(['GET, HEAD', 'PUT', 'DELETE'])
    expect(await seen('OPTIONS /users/7', byHeader('v2'))).toBe('DELETE, GET, HEAD, PUT')
    expect((await get('/users/7')).text).toBe('["GET","/users/7"]')
  })

  test('an older path may be that of a newer operation, and two may change places', async () => {
    const changes = historyOf([
      change('Users were people.', { 'GET user': { path: '/people/:id' }, 'GET person': 'added' }),
      change('Left is right.', { 'GET left': { path: '/right' }, 'GET right': { path: '/left' } }),
    ])
    const { get } = await servePeople(
      (routes, app) => {
        const table = routes.add('person', '/people/:id').add('left', '/left').add('right', '/right')
        for (const name of ['person', 'user', 'left', 'right'] as const) table.route(name).get(saying(name))
        app.use((_req, _res, next) => next())
      },
      { changes },
    )
    const named = async (path: string, version: string) => ((await get(path, byHeader(version))).json as string[])[0]
    expect(await named('/people/7', 'v1')).toBe('user')
    expect(await named('/people/7', 'v2')).toBe('person')
    expect(await named('/left', 'v1')).toBe('right')
    expect(await named('/right', 'v1')).toBe('left')
    expect(await named('/left', 'v2')).toBe('left')
  })
})

test("steps beside the path convert, and the client's own bytes are kept", async () => {
  const changes = historyOf([
    change('Users were people with names.', {
      'POST user': {
        path: '/people/:id',
        query: ({ n }: { n: string }) => ({ limit: n }),
        request: ({ name }: { name: string }) => ({ title: name }),
        response: ({ title }: { title: string }) => ({ name: title }),
      },
    }),
  ])
  const { send } = await servePeople(
    (routes) => {
      routes
        .route('user')
        .post((req, res) => void res.json({ title: [req.body, req.query, sent(req), req.originalUrl] }))
    },
    { changes },
  )
  const { json } = await send(
    'POST',
    '/people/a%2Fb%20c?n=1',
    { ...v1, 'Content-Type': 'application/json' },
    '{"name":"x"}',
  )
  expect(json).toStrictEqual({
    name: [{ title: 'x' }, { limit: '1' }, { body: { name: 'x' }, query: { n: '1' } }, '/people/a%2Fb%20c?n=1'],
  })
})

test('an operation is moved, removed and added again', async () => {
  const changes = historyOf(
    [change('Users were people.', { 'GET user': { path: '/people/:id' } })],
    [change('No users.', { 'GET user': 'removed' })],
    [change('Users again. They were folk.', { 'GET user': { added: true, path: '/folk/:id' } })],
  )
  const { get } = await servePeople((routes) => routes.route('user').get(saying('user')), { changes })
  const paths = ['/people/7', '/folk/7', '/users/7']
  const rows = VERSIONS.concat('v4').map(async (version) => {
    const found = paths.map(async (path) => (await get(path, byHeader(version))).status === 200)
    return [version, paths[(await Promise.all(found)).indexOf(true)]]
  })
  expect(await Promise.all(rows)).toStrictEqual([
    ['v1', '/people/7'],
    ['v2', '/folk/7'],
    ['v3', undefined],
    ['v4', '/users/7'],
  ])
  expect(await get('/folk/7', byHeader('v3'))).toMatchObject(UNHANDLED)
})

test('a rejection names the versions that have the operation at that path', async () => {
  const { send } = await serve((app) => {
    const routes = peopleTable()
    routes.route('user').get(saying('user'))
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v3', changes: history, routes }), routes)
    app.use(((error, _req, res, _next) => res.status(error.status).json(error.allowedVersions)) as ErrorRequestHandler)
  })
  expect((await send('GET', '/users/7', v1)).json).toStrictEqual(['v3'])
})

test.each([
  ['escapes stay', '/people/a%2Fb', '["user",{"id":"a/b"}]'],
  ['letter case and a slash at the end do not count', '/PEOPLE/A/', '["user",{"id":"A"}]'],
  ['a malformed escape is the 400 of Express', '/people/%zz', 400],
  ['an empty parameter is none', '/people//', 404],
  ['slashes are not merged', '//people/7', 404],
  ['dots are a value', '/people/..', '["user",{"id":".."}]'],
  ['the end of a path is not cut off', '/people/7/8', 404],
  ['an absolute target', 'http://any/people/7?a=/people/8', '["user",{"id":"7"}]'],
])('of the bytes of a path, %s', async (_, path, expected) => {
  const { get } = await servePeople((routes) => routes.route('user').get(saying('user')))
  const { status, text } = await get(path, v1)
  expect(status === 200 ? text : status).toBe(expected)
})

test('the settings of the table hold for older paths', async () => {
  const { get } = await serve((app) => {
    const routes = namedRoutes({ user: '/users/:id/' }, { caseSensitive: true, strict: true })
    routes.route('user').get(saying('user'))
    const changes = historyOf([change('Users were people.', { 'GET user': { path: '/People/:id/' } })])
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }), routes)
  })
  const found = ['/People/7/', '/People/7', '/people/7/'].map(async (path) => (await get(path, v1)).status)
  expect(await Promise.all(found)).toStrictEqual([200, 404, 404])
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
  const { get } = await serve((app) => {
    const routes = namedRoutes({ it: today } as Record<string, string>)
    routes.route('it').get((req, res) => void res.json([req.url, req.reverse('it', { kwargs: req.params } as object)]))
    const changes = historyOf([change('Moved.', { 'GET it': { path: older } })])
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }), routes)
  })
  const { status, json } = await get(asked, v1)
  expect(status === 200 ? json : status).toStrictEqual(expected === 404 ? 404 : [expected, asked])
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

  test('one in a child table moves a request below the prefix; one on the route has no other path to offer', async () => {
    const { get } = await serve((app) => {
      const users = namedRoutes({ user: '/users/:id' })
      const routes = namedRoutes({}).include('/api', users)
      users.use(versioning({ ...options, routes }))
      users.route('user').get(saying('user'))
      const late = namedRoutes({ user: '/users/:id' })
      late.route('user').get(versioning({ ...options, routes: late }), saying('late'))
      app.use(routes, late)
    })
    expect((await get('/api/people/7', v1)).text).toBe('["user",{"id":"7"}]')
    expect((await get('/api/users/7', v1)).status).toBe(404)
    expect(await get('/users/7', v1)).toMatchObject(UNHANDLED)
    expect((await get('/users/7')).text).toBe('["late",{"id":"7"}]')
  })

  test.each([
    ['/list', '/all', '/users/all', 200],
    // The path that the router made of nothing cannot be another one again.
    ['/list', '', '/users', 404],
    ['', '/list', '/users/list', 404],
  ])('the path %s was %j: two of them respond to %s with %i', async (today, older, path, expected) => {
    const { get } = await serve((app) => {
      const users = namedRoutes({ list: today } as Record<string, string>)
      const routes = namedRoutes({}).include('/users', users)
      const changes = historyOf([change('Moved.', { 'GET list': { path: older } })])
      const twice = versioning({ ...options, changes, routes })
      users.use(twice)
      users.route('list').get(saying('list'))
      app.use(twice, routes)
    })
    expect((await get(path, v1)).status).toBe(expected)
    expect((await get(`/users${today}`)).status).toBe(200)
  })

  test('one in a table that the app mounts, which the root describes, moves to its prefix', async () => {
    const { get } = await serve((app) => {
      const users = namedRoutes({ list: '' })
      const routes = namedRoutes({}).include('/users', users)
      const changes = historyOf([change('Moved.', { 'GET list': { path: '/all' } })])
      users.use(versioning({ ...options, changes, routes }))
      users.route('list').get(saying('list'))
      app.use('/users', users)
    })
    expect((await get('/users/all', v1)).text).toBe('["list",{}]')
    expect((await get('/users', v1)).status).toBe(404)
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
  const passing = () => {
    const routes = routesOf(withPaths({ '/users/{id}': 'get put', '/users/me': 'get' }), { undocumented: 'pass' })
    return { ...ofDocument(), routes }
  }
  const ofDocument = () => {
    const routes = routesOf(withPaths({ '/users/{id}': 'get put', '/users/me': 'get' }))
    const changes = historyOf([change('Users were people.', { 'GET /users/{id}': { path: '/people/{id}' } })])
    return { routes, changes }
  }
  const seen: RequestHandler = (req, res) => void res.json([req.method, req.url, req.baseUrl, req.originalUrl])

  test.each<[string, () => object]>([
    ['a table by hand', byHand],
    ['a document', ofDocument],
    ['a document, where others pass', passing],
  ])("%s: the request goes on with today's path", async (_, tableOf) => {
    const { get, send } = await serve((app) => {
      const options = { scheme: HeaderVersioning, defaultVersion: 'v2', ...tableOf() } as VersioningOptions
      app.use('/api', versioning(options), express.json(), convertRequest)
      app.use('/api/users', express.Router().get('/:id', seen).put('/:id', seen))
      app.use('/api', seen)
    })
    expect((await get('/api/people/a%2Fb?q=1', v1)).text).toBe(
      '["GET","/a%2Fb?q=1","/api/users","/api/people/a%2Fb?q=1"]',
    )
    expect((await get('/api/users/7')).text).toBe('["GET","/7","/api/users","/api/users/7"]')
    expect((await send('PUT', '/api/users/7', v1)).text).toBe('["PUT","/7","/api/users","/api/users/7"]')
    expect((await get('/api/users/me', v1)).text).toBe('["GET","/me","/api/users","/api/users/me"]')
    expect(await get('/api/users/7', v1)).toMatchObject(UNHANDLED)
    const others = tableOf === passing ? { status: 200 } : UNHANDLED
    expect(await send('PUT', '/api/people/7', v1)).toMatchObject(others)
    // Routers would take today's path for another operation.
    expect(await get('/api/people/me', v1)).toMatchObject(UNHANDLED)
    // In the newest version, the older path is like any other.
    expect((await get('/api/people/7')).text).toBe('["GET","/people/7","/api","/api/people/7"]')
  })

  test('the version in the path', async () => {
    const { get } = await serve((app) => {
      const options = { scheme: URLPathVersioning, ...ofDocument() } as VersioningOptions
      app.use('/:version', versioning(options), seen)
    })
    expect((await get('/v1/people/7')).text).toBe('["GET","/users/7","/v1","/v1/people/7"]')
    expect((await get('/v2/users/7')).text).toBe('["GET","/users/7","/v2","/v2/users/7"]')
    expect((await get('/v1/users/7')).status).toBe(404)
  })

  test('steps beside the path convert in front of the handlers', async () => {
    const { send } = await serve((app) => {
      const moved = change('Users were people with names.', {
        'PUT /users/{id}': {
          path: '/people/{id}',
          query: ({ n }: { n: string }) => ({ limit: n }),
          request: ({ name }: { name: string }) => ({ title: name }),
          response: ({ title, ...rest }: { title: string }) => ({ name: title, ...rest }),
        },
      })
      const options = { scheme: HeaderVersioning, defaultVersion: 'v2', ...ofDocument(), changes: historyOf([moved]) }
      app.use(versioning(options as VersioningOptions), express.json(), convertRequest)
      const users = express.Router().put('/:id', (req, res) => {
        res.json({ ...req.body, query: req.query, url: req.originalUrl, at: req.baseUrl + req.url })
      })
      app.use('/users', users)
    })
    const { json } = await send('PUT', '/people/7?n=1', { ...v1, 'Content-Type': 'application/json' }, '{"name":"x"}')
    expect(json).toStrictEqual({ name: 'x', query: { limit: '1' }, url: '/people/7?n=1', at: '/users/7?limit=1' })
  })

  test('more literal text goes first, among the paths of the version', async () => {
    const { get } = await serve((app) => {
      const routes = routesOf(withPaths({ '/b/{id}': 'get', '/c/x': 'get', '/a/z': 'get', '/a/{id}/y': 'get' })).add(
        'own',
        '/own',
      )
      routes.route('own').get(saying('own'))
      const changes = historyOf([
        change('Moved.', {
          'GET /b/{id}': { path: '/a/{id}' },
          'GET /c/x': { path: '/a/x' },
          'GET own': { path: '/a/w' },
        }),
      ])
      const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes } as VersioningOptions
      app.use(versioning(options), (req, res) => void res.json([req.url, req.resolverMatch?.viewName]))
    })
    const paths = ['/a/1', '/a/x', '/a/z', '/a/x/y', '/a/w']
    const found = paths.map(async (path) => [path, (await get(path, v1)).json])
    expect(await Promise.all(found)).toStrictEqual([
      ['/a/1', ['/b/1', '/b/{id}']],
      ['/a/x', ['/c/x', '/c/x']],
      ['/a/z', ['/a/z', '/a/z']],
      ['/a/x/y', ['/a/x/y', '/a/{id}/y']],
      ['/a/w', ['/own', 'own']],
    ])
  })
})

describe('schemes that read the path', () => {
  const scheme = new URLPathVersioning({ defaultVersion: 'v2' })

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
      app.use(versioning({ scheme: Waiting, defaultVersion: 'v3', changes: history, routes }), routes)
    })
    expect((await get('/v1/people/7')).json).toMatchObject({ version: 'v1', link: '/v1/people/7' })
    expect((await get('/odd/people/7')).status).toBe(500)
  })

  test.each([scheme, new HeaderVersioning({ defaultVersion: 'v1' })])('see no path where there is none: %#', (own) => {
    const handler = versioning({ scheme: own, changes: people, routes: including('{/:version}')() })
    // Such a target has no path.
    expect(run(handler, { url: '?a' })).toMatchObject({ served: 1, errors: [] })
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

test('operations of one route may move together, and to the prefix of their table', async () => {
  const { send } = await serve((app) => {
    const users = namedRoutes({ list: '' })
    const routes = namedRoutes({}).include('/users', users)
    const changes = historyOf([change('Moved.', { 'GET list': { path: '/all' }, 'PUT list': { path: '/all' } })])
    users.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }))
    users.route('list').get(saying('list')).put(saying('list'))
    app.use(routes)
  })
  for (const method of ['GET', 'PUT']) {
    expect((await send(method, '/users/all', v1)).status).toBe(200)
    expect((await send(method, '/users', v1)).status).toBe(404)
  }
})

test('a target without any slash cannot get another path', async () => {
  const { get } = await serve((app) => {
    const routes = namedRoutes({ it: '/users' })
    routes.route('it').get(saying('it'))
    const changes = historyOf([change('Moved.', { 'GET it': { path: '/' } })])
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }), routes)
  })
  expect((await get('http://any/?a', v1)).text).toBe('["it",{}]')
  expect(await get('http://any?a', v1)).toMatchObject(UNHANDLED)
})

test('a mount without a slash behind it cannot be another path', async () => {
  const { get } = await serve((app) => {
    const routes = namedRoutes({ it: '/users' })
    routes.route('it').get(saying('it'))
    const changes = historyOf([change('Moved.', { 'GET it': { path: '/' } })])
    const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes }
    app.use('/api', versioning(options), routes)
  })
  expect((await get('/api/', v1)).text).toBe('["it",{}]')
  expect(await get('/api', v1)).toMatchObject(UNHANDLED)
})

test('links to other versions, from any, and the link to the successor lead to the paths of those', async () => {
  const { get } = await serve((app) => {
    const routes = including('{/:version}')().add('home', '/home')
    const link: RequestHandler = (req, res) => {
      const to = (version: string | null) => req.reverse('user', { kwargs: { id: 7 }, version } as object)
      res.json([...VERSIONS, null].map(to))
    }
    routes.route('home').get(link)
    const options = {
      scheme: URLPathVersioning,
      defaultVersion: 'v3',
      changes: history,
      routes,
      neutral: ['home'],
      lifecycle: { v1: { deprecated: '2020-01-01', successor: 'v2' } },
    }
    app.use(versioning(options as VersioningOptions), routes)
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
