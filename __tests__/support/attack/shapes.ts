import express, { type Application, type Request, type RouterOptions } from 'express'
import {
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type NamedRoutesOptions,
  NamespaceVersioning,
  NotFound,
  namedRoutes,
  QueryParameterVersioning,
  type RouteParams,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { asked, inPath, is, type Knows, nothing, type Places } from './places'

/** A request and its expected outcome: the place that answers with its `req.version`, or a status. */
export type Plain =
  | readonly [request: string, place: string, version: string | null]
  | readonly [request: string, status: number]

/** One way to build an app whose handlers stand in versions. */
export interface Shape {
  readonly name: string
  build(app: Application, places: Places): void
  /** Well-formed requests, `<METHOD> <path>` with header fields on lines of their own, from which the attacks are made too. */
  readonly plain: readonly Plain[]
}

/** `v7` and `admin` are places in many shapes, but no versions that are served. */
const ALLOWED = ['v1', 'v2', 'v9']
const settings = { defaultVersion: 'v1', allowedVersions: ALLOWED }
const byNamespace = { scheme: NamespaceVersioning, ...settings }
const byPath = { scheme: URLPathVersioning, ...settings }
const combined = (onConflict: 'reject' | 'first', ...schemes: BaseVersioning[]) => ({
  scheme: new CombinedVersioning({ schemes, onConflict, ...settings }),
  // An instance brings its own.
  defaultVersion: undefined,
  allowedVersions: undefined,
})

/** A table of users in one version, whose every handler knows it. */
function users(places: Places, label: string, knows: Knows, options?: NamedRoutesOptions) {
  const table = namedRoutes({ home: '/', list: '/users', detail: '/users/:id', any: '/any' }, options)
  if (places.crowded) {
    table.use(places.middleware(`${label} use`, knows))
    table.use('/users', places.middleware(`${label} use /users`, knows))
    table.param('id', places.param(`${label} param`, knows))
  }
  const list = places.route(`${label} list`, knows)
  table.route('list').get(list).post(list)
  // Two handlers, of which the first may pass on.
  table.route('detail').get(places.route(`${label} detail`, knows), places.route(`${label} detail, second`, knows))
  table.route('any').all(places.route(`${label} any`, knows))
  table.route('home').get(places.route(`${label} home`, knows))
  return table
}

/** The same as a plain router of Express. */
function plainUsers(places: Places, label: string, knows: Knows, options?: RouterOptions) {
  const router = express.Router(options)
  if (places.crowded) {
    router.use(places.middleware(`${label} use`, knows))
    router.param('id', places.param(`${label} param`, knows))
  }
  const list = places.route(`${label} list`, knows)
  router.get('/users', list)
  router.post('/users', list)
  router.get('/users/:id', places.route(`${label} detail`, knows), places.route(`${label} detail, second`, knows))
  router.all('/any', places.route(`${label} any`, knows))
  router.get('/', places.route(`${label} home`, knows))
  return router
}

/** Versions as namespaces, one of them not allowed, and a route without a version. */
function site(places: Places, of: (version: string) => Knows = is, options?: NamedRoutesOptions) {
  const table = namedRoutes({ about: '/about', jump: '/jump' }, options)
  if (places.crowded) table.use(places.middleware('site use', nothing))
  table.route('about').all(places.route('about', nothing))
  for (const version of [...ALLOWED, 'v7']) {
    table.include(`/${version}`, users(places, version, of(version), options), { namespace: version })
  }
  table.route('jump').all(places.route('jump', nothing))
  return table
}

/** Returns the plain requests that every app of {@link site} must answer. */
function sitePlain(mount: string): Plain[] {
  return [
    [`GET ${mount}/about`, 'about', 'v1'],
    [`GET ${mount}/v1/users`, 'v1 list', 'v1'],
    [`GET ${mount}/v2/users/7`, 'v2 detail', 'v2'],
    [`GET ${mount}/v9/users/7`, 'v9 detail', 'v9'],
    [`HEAD ${mount}/v9/users`, 'v9 list', 'v9'],
    [`POST ${mount}/v9/users`, 'v9 list', 'v9'],
    [`POST ${mount}/v2/users?version=v9`, 'v2 list', 'v2'],
    [`PUT ${mount}/v9/any`, 'v9 any', 'v9'],
    [`OPTIONS ${mount}/v9/any`, 'v9 any', 'v9'],
    [`GET ${mount}/v9`, 'v9 home', 'v9'],
    [`GET ${mount}/v9/users/7\nX-Act: next`, 'v9 detail, second', 'v9'],
    [`GET ${mount}/v7/users`, 404],
    [`GET ${mount}/v9/none`, 404],
    [`GET ${mount}/none`, 404],
  ]
}

const V2 = 'X-API-Version: v2'
const V9 = 'X-API-Version: v9'

/** `/:version/...` in one table. */
function flat(places: Places, options?: NamedRoutesOptions) {
  const table = namedRoutes(
    { list: '/:version/users', detail: '/:version/users/:id', any: '/:version/any', about: '/about' },
    options,
  )
  if (places.crowded) {
    table.use(places.middleware('site use', nothing))
    table.param('version', places.param('version param', asked))
    table.param('id', places.param('id param', inPath))
  }
  const list = places.route('list', inPath)
  table.route('list').get(list).post(list)
  table.route('detail').get(places.route('detail', inPath), places.route('detail, second', inPath))
  table.route('any').all(places.route('any', inPath))
  table.route('about').get(places.route('about', nothing))
  return table
}

function flatPlain(mount: string): Plain[] {
  return [
    [`GET ${mount}/v1/users`, 'list', 'v1'],
    [`GET ${mount}/v9/users`, 'list', 'v9'],
    [`POST ${mount}/v9/users`, 'list', 'v9'],
    [`GET ${mount}/v2/users/7`, 'detail', 'v2'],
    [`GET ${mount}/v9/users/7?version=v1`, 'detail', 'v9'],
    [`PATCH ${mount}/v9/any`, 'any', 'v9'],
    [`GET ${mount}/about`, 'about', 'v1'],
    [`GET ${mount}/v7/users`, 404],
    [`GET ${mount}/v9/none`, 404],
  ]
}

/** A custom scheme that reads the route's keywords. */
class OwnVersioning extends BaseVersioning {
  override determineVersion(_req: Request, _args: readonly unknown[], { version = 'v1' }: RouteParams): string {
    if (typeof version === 'string' && this.isAllowedVersion(version)) return version
    throw new NotFound('Invalid version.')
  }
}
class OwnReading extends BaseVersioning {
  override readVersion(_req: Request, { version }: RouteParams) {
    return version as string | undefined
  }
}
class OwnSlowReading extends BaseVersioning {
  override async readVersion(_req: Request, { version }: RouteParams) {
    return version as string | undefined
  }
}

const flatShape = (name: string, options: object): Shape => ({
  name,
  build(app, places) {
    const table = flat(places)
    app.use('/p', versioning({ ...byPath, ...options, routes: table }), table)
  },
  plain: flatPlain('/p'),
})

const siteShape = (name: string, options: object, of: (version: string) => Knows, more: readonly Plain[]): Shape => ({
  name,
  build(app, places) {
    const table = site(places, of)
    app.use('/api', versioning({ ...byNamespace, ...options, routes: table }), table)
  },
  plain: [...sitePlain('/api'), ...more],
})

const inUrlPath: readonly Shape[] = [
  flatShape('flat', {}),
  flatShape('own scheme', { scheme: OwnVersioning }),
  flatShape('own reading', { scheme: OwnReading }),
  flatShape('own slow reading', { scheme: OwnSlowReading }),
  {
    name: 'flat, case-sensitive and strict',
    build(app, places) {
      const table = flat(places, { caseSensitive: true, strict: true })
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [...flatPlain('/p'), ['GET /p/v9/users/', 404], ['GET /p/v9/Users', 404], ['GET /P/v9/users', 'list', 'v9']],
  },
  {
    name: 'flat, every version',
    build(app, places) {
      const table = flat(places)
      app.use('/p', versioning({ scheme: URLPathVersioning, routes: table }), table)
    },
    plain: [
      ['GET /p/v9/users', 'list', 'v9'],
      ['GET /p/v%209/users/7', 'detail', 'v 9'],
      ['GET /p/%C3%A9/users', 'list', '\u00e9'],
      ['GET /p/about', 'about', null],
    ],
  },
  {
    name: 'flat, at the root of the app',
    build(app, places) {
      const table = flat(places)
      app.use(versioning({ ...byPath, routes: table }))
      app.all('/jump', places.route('jump', nothing))
      // The handler passes the request to the table itself, with another path than the decided one.
      app.use('/enter', (req, res, next) => {
        req.baseUrl = ''
        table(req, res, next)
      })
      app.use(places.middleware('between', nothing), table)
    },
    plain: [
      ...flatPlain(''),
      ['GET /jump\nX-To: /v9/users\nX-Act: again', 'list', 'v9'],
      ['GET /enter/v1/users', 'list', 'v1'],
    ],
  },
  {
    name: 'formats, wildcards and text beside parameters',
    build(app, places) {
      const table = namedRoutes({
        file: '/:version/files/*path',
        detail: '/:version/users/:id{.:format}',
        page: '/page-:version.html',
        part: '/part{-:version}/x',
      })
      for (const name of ['file', 'detail', 'page', 'part'] as const) {
        table.route(name).all(places.route(name, inPath))
      }
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/v9/files/a/b', 'file', 'v9'],
      ['POST /p/v2/users/7.json', 'detail', 'v2'],
      ['GET /p/page-v9.html', 'page', 'v9'],
      ['GET /p/part-v9/x', 'part', 'v9'],
      ['GET /p/part/x', 'part', 'v1'],
      ['GET /p/page-v7.html', 404],
    ],
  },
  {
    name: 'versions below a prefix parameter',
    build(app, places) {
      const table = namedRoutes({ about: '/about' })
      table.route('about').get(places.route('about', nothing))
      if (places.crowded) table.param('version', places.param('version param', asked))
      table.include('/:version', users(places, 'users', inPath))
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/v1/users', 'users list', 'v1'],
      ['GET /p/v9/users/7', 'users detail', 'v9'],
      ['POST /p/v9/users', 'users list', 'v9'],
      ['DELETE /p/v9/any', 'users any', 'v9'],
      ['GET /p/v9/', 'users home', 'v9'],
      ['GET /p/v7/users', 404],
      ['GET /p/about', 'about', 'v1'],
    ],
  },
  {
    name: 'plain router below a prefix parameter',
    build(app, places) {
      const table = namedRoutes({ about: '/about' })
      table.route('about').get(places.route('about', nothing))
      table.include('/:version', plainUsers(places, 'users', inPath, { mergeParams: true }))
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/v1/users', 'users list', 'v1'],
      ['GET /p/v9/users/7', 'users detail', 'v9'],
      ['POST /p/v9/users', 'users list', 'v9'],
      ['GET /p/v7/users', 404],
      ['GET /p/v9/none', 404],
      ['GET /p/about', 'about', 'v1'],
    ],
  },
  {
    name: 'optional prefix',
    build(app, places) {
      const table = namedRoutes({ about: '/about' })
      table.route('about').get(places.route('about', nothing))
      if (places.crowded) table.param('version', places.param('version param', asked))
      // Without a route for `/`, for which `/users` would be the version `users`: the longer reading comes first.
      const child = namedRoutes({ list: '/users', detail: '/users/:id', any: '/any' })
      if (places.crowded)
        child.use(places.middleware('users use', inPath)).param('id', places.param('users param', inPath))
      child.route('list').all(places.route('users list', inPath))
      child.route('detail').get(places.route('users detail', inPath))
      child.route('any').all(places.route('users any', inPath))
      table.include('{/:version}', child)
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/users', 'users list', 'v1'],
      ['GET /p/users/7', 'users detail', 'v1'],
      ['GET /p/v1/users', 'users list', 'v1'],
      ['GET /p/v9/users', 'users list', 'v9'],
      ['GET /p/v9/users/7', 'users detail', 'v9'],
      ['PUT /p/v9/any', 'users any', 'v9'],
      ['GET /p/v7/users', 404],
      ['GET /p/about', 'about', 'v1'],
    ],
  },
  {
    name: 'optional prefixes of two tables',
    build(app, places) {
      const first = namedRoutes({ 'first-list': '/users', 'first-only': '/only' })
      first.route('first-list').get(places.route('first list', inPath))
      first.route('first-only').get(places.route('first only', inPath))
      const table = namedRoutes({}).include('{/:version}', first)
      table.include('/:tenant{/:version}', users(places, 'users', inPath))
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/v9/users', 'first list', 'v9'],
      ['GET /p/users', 'first list', 'v1'],
      ['GET /p/v9/only', 'first only', 'v9'],
      ['GET /p/acme/v9/users', 'users list', 'v9'],
      ['GET /p/acme/users/7', 'users detail', 'v1'],
      ['POST /p/acme/v2/users', 'users list', 'v2'],
    ],
  },
  {
    name: 'tenants, then versions in the path',
    build(app, places) {
      const table = namedRoutes({ tenant: '/:tenant/about' })
      table.route('tenant').get(places.route('about', nothing))
      table.include('/:tenant/:version', users(places, 'users', inPath))
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/acme/v9/users', 'users list', 'v9'],
      ['GET /p/v1/v9/users/7', 'users detail', 'v9'],
      ['POST /p/v9/v2/any', 'users any', 'v2'],
      ['GET /p/v9/about', 'about', 'v1'],
      ['GET /p/v9/v7/users', 404],
    ],
  },
  {
    name: 'two readings of a path',
    build(app, places) {
      const table = namedRoutes({ first: '/:version/:id', second: '/:tenant/:version' })
      table.route('first').get(places.route('first', inPath))
      const second = places.route('second', inPath)
      table.route('second').get(second).post(second)
      app.use('/p', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /p/v1/v9', 'first', 'v1'],
      ['GET /p/v9/v1', 'first', 'v9'],
      ['POST /p/v1/v9', 'second', 'v9'],
      ['GET /p/v9/v9\nX-Act: next', 'second', 'v9'],
    ],
  },
  {
    name: 'version in the mount',
    build(app, places) {
      const table = users(places, 'users', inPath)
      app.use('/:version', versioning({ ...byPath, routes: table }), table)
    },
    plain: [
      ['GET /v1/users', 'users list', 'v1'],
      ['GET /v9/users/7', 'users detail', 'v9'],
      ['POST /v2/any', 'users any', 'v2'],
      ['GET /v7/users', 404],
    ],
  },
  {
    name: 'version in the mount of a plain router',
    build(app, places) {
      app.use('/p/:version', versioning(byPath), plainUsers(places, 'users', inPath, { mergeParams: true }))
      app.all('/jump', places.route('jump', nothing))
    },
    plain: [
      ['GET /p/v1/users', 'users list', 'v1'],
      ['GET /p/v9/users/7', 'users detail', 'v9'],
      ['POST /p/v2/any', 'users any', 'v2'],
      ['GET /p/v7/users', 404],
      ['GET /jump\nX-To: /p/v9/users\nX-Act: again-later', 'users list', 'v9'],
    ],
  },
]

const inNamespaces: readonly Shape[] = [
  siteShape('namespaces', {}, is, [
    ['GET /API/v9/users', 'v9 list', 'v9'],
    ['GET /api/V9/users', 'v9 list', 'v9'],
    ['GET /api/jump\nX-To: /api/v9/users\nX-Act: again', 'v9 list', 'v9'],
    ['GET /api/jump\nX-To: /api/v2/users\nX-Act: again-later', 'v2 list', 'v2'],
    ['GET /api/v9/users\nX-To: /api/v2/users\nX-Act: again', 'v2 list', 'v2'],
  ]),
  {
    name: 'namespaces, case-sensitive and strict',
    build(app, places) {
      const table = site(places, is, { caseSensitive: true, strict: true })
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [...sitePlain('/api').filter(([request]) => !request.endsWith('/v9')), ['GET /api/V9/users', 404]],
  },
  {
    name: 'namespaces, every version',
    build(app, places) {
      const table = site(places, is)
      app.use('/api', versioning({ scheme: NamespaceVersioning, routes: table }), table)
    },
    plain: [
      ['GET /api/about', 'about', null],
      ['GET /api/v7/users', 'v7 list', 'v7'],
      ['POST /api/v9/any', 'v9 any', 'v9'],
      ['GET /api/v9/none', 404],
    ],
  },
  {
    name: 'described mount',
    build(app, places) {
      const table = site(places)
      app.use(versioning({ ...byNamespace, routes: namedRoutes({}).include('/api', table) }))
      app.use(places.middleware('between', nothing))
      app.use('/api', table)
    },
    plain: [...sitePlain('/api'), ['GET /api/jump\nX-To: /api/v9/users\nX-Act: again-later', 'v9 list', 'v9']],
  },
  {
    name: 'described mount, case-sensitive and strict root',
    build(app, places) {
      const table = site(places)
      const root = namedRoutes({}, { caseSensitive: true, strict: true }).include('/api', table)
      app.use(versioning({ ...byNamespace, routes: root }))
      app.use('/api', table)
    },
    plain: sitePlain('/api'),
  },
  {
    name: 'described mount below a tenant',
    build(app, places) {
      const table = site(places)
      app.use(versioning({ ...byNamespace, routes: namedRoutes({}).include('/t/:tenant', table) }))
      app.use('/t/:tenant', table)
    },
    plain: [...sitePlain('/t/acme'), ['GET /t/v2/v9/users', 'v9 list', 'v9']],
  },
  {
    name: 'nested namespaces',
    build(app, places) {
      const table = namedRoutes({ top: '/top' }).include('/api', site(places), { namespace: 'api' })
      table.route('top').all(places.route('top', nothing))
      app.use(versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [
      ...sitePlain('/api').filter(([request]) => !request.endsWith('/about')),
      ['GET /top', 'top', 'v1'],
      // No part of the namespace `api` is a version.
      ['GET /api/about', 404],
      ['GET /api/v2/users\nX-To: /api/v9/users\nX-Act: again', 'v9 list', 'v9'],
    ],
  },
  {
    name: 'versions within versions',
    build(app, places) {
      const table = namedRoutes({ about: '/about' })
      table.route('about').get(places.route('about', nothing))
      // The first nested namespace that is a version counts.
      for (const outer of ['v1', 'v9', 'v7']) {
        const child = namedRoutes({ own: '/own' })
        child.route('own').get(places.route(`${outer} own`, is(outer)))
        for (const inner of ['v2', 'v9']) {
          child.include(`/${inner}`, users(places, `${outer}:${inner}`, is(outer === 'v7' ? inner : outer)), {
            namespace: inner,
          })
        }
        table.include(`/${outer}`, child, { namespace: outer })
      }
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [
      ['GET /api/v1/v9/users', 'v1:v9 list', 'v1'],
      ['GET /api/v9/v2/users/7', 'v9:v2 detail', 'v9'],
      ['POST /api/v7/v2/any', 'v7:v2 any', 'v2'],
      ['GET /api/v9/own', 'v9 own', 'v9'],
      ['GET /api/v7/own', 404],
      ['GET /api/about', 'about', 'v1'],
    ],
  },
  {
    name: 'tenants, then namespaces',
    build(app, places) {
      const tenant = namedRoutes({ info: '/info' })
      tenant.route('info').get(places.route('info', nothing))
      for (const version of ['v1', 'v9']) {
        tenant.include(`/${version}`, users(places, version, is(version)), { namespace: version })
      }
      const table = namedRoutes({})
        .include('/v2', users(places, 'v2', is('v2')), { namespace: 'v2' })
        .include('/:tenant', tenant)
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [
      ['GET /api/acme/v9/users', 'v9 list', 'v9'],
      ['GET /api/v9/v1/users/7', 'v1 detail', 'v1'],
      ['GET /api/v2/users', 'v2 list', 'v2'],
      ['GET /api/v2/v9/users', 'v9 list', 'v9'],
      ['GET /api/acme/info', 'info', 'v1'],
      ['GET /api/v9/info', 'info', 'v1'],
    ],
  },
  {
    name: 'namespaces that are no versions',
    build(app, places) {
      const table = site(places).include('/admin', users(places, 'admin', is('admin')), { namespace: 'admin' })
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [...sitePlain('/api'), ['GET /api/admin/users', 404]],
  },
  {
    name: 'namespaces that are ignored',
    build(app, places) {
      const table = site(places).include('/admin', users(places, 'admin', nothing), { namespace: 'admin' })
      const scheme = new NamespaceVersioning({ ...settings, ignore: ['admin'] })
      app.use('/api', versioning({ scheme, routes: table }), table)
    },
    plain: [...sitePlain('/api'), ['GET /api/admin/users', 'admin list', 'v1']],
  },
  {
    name: 'two versions at one prefix',
    build(app, places) {
      const table = site(places)
      const old = namedRoutes({ list: '/users', detail: '/users/:id', any: '/any' })
      const current = namedRoutes({ list: '/users', detail: '/users/:id', any: '/any' })
      old.route('list').get(places.route('old list', is('v2')))
      old.route('detail').get(places.route('old detail', is('v2')))
      old.route('any').get(places.route('old any', is('v2')))
      current.route('list').post(places.route('current list', is('v9')))
      current.route('detail').all(places.route('current detail', is('v9')))
      current.route('any').all(places.route('current any', is('v9')))
      const latest = namedRoutes({})
        .include('/latest', old, { namespace: 'v2' })
        .include('/latest', current, { namespace: 'v9' })
      const root = namedRoutes({}).include('/api', table).include('/alias', latest, { namespace: 'alias' })
      app.use(versioning({ ...byNamespace, routes: root }), root)
    },
    plain: [
      ...sitePlain('/api'),
      ['GET /alias/latest/users', 'old list', 'v2'],
      ['HEAD /alias/latest/users', 'old list', 'v2'],
      ['POST /alias/latest/users', 'current list', 'v9'],
      ['GET /alias/latest/any', 'old any', 'v2'],
      ['PUT /alias/latest/any', 'current any', 'v9'],
      ['DELETE /alias/latest/users/7', 'current detail', 'v9'],
    ],
  },
  {
    name: 'plain routers in namespaces',
    build(app, places) {
      const table = namedRoutes({ about: '/about', jump: '/jump' })
      table.route('about').all(places.route('about', nothing))
      table.route('jump').all(places.route('jump', nothing))
      for (const version of [...ALLOWED, 'v7']) {
        table.include(`/${version}`, plainUsers(places, version, is(version)), { namespace: version })
      }
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: sitePlain('/api'),
  },
  {
    name: 'plain routers in tables in namespaces',
    build(app, places) {
      const table = site(places)
      const tools = namedRoutes({})
      for (const version of ['v2', 'v9']) {
        const child = users(places, version, is(version)).include(
          '/extra',
          plainUsers(places, `${version} extra`, is(version)),
        )
        tools.include(`/${version}`, child, { namespace: version })
      }
      table.include('/tools', tools, { namespace: 'tools' })
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: [
      ...sitePlain('/api'),
      ['GET /api/tools/v9/extra/users', 'v9 extra list', 'v9'],
      ['POST /api/tools/v2/extra/any', 'v2 extra any', 'v2'],
      ['GET /api/tools/v9/users', 'v9 list', 'v9'],
    ],
  },
  {
    name: 'apps in namespaces',
    build(app, places) {
      const table = namedRoutes({ about: '/about', jump: '/jump' })
      table.route('about').all(places.route('about', nothing))
      table.route('jump').all(places.route('jump', nothing))
      for (const version of [...ALLOWED, 'v7']) {
        const sub = express().use(plainUsers(places, version, is(version)))
        table.include(`/${version}`, sub, { namespace: version })
      }
      app.use('/api', versioning({ ...byNamespace, routes: table }), table)
    },
    plain: sitePlain('/api'),
  },
  {
    name: 'table in an app in the app',
    build(app, places) {
      const table = site(places)
      const sub = express()
      sub.use(versioning({ ...byNamespace, routes: table }), table)
      app.use('/sub/api', sub)
    },
    plain: sitePlain('/sub/api'),
  },
  {
    name: 'described mount in an app in the app',
    build(app, places) {
      const table = site(places)
      app.use(versioning({ ...byNamespace, routes: namedRoutes({}).include('/sub/api', table) }))
      app.use('/sub', express().use('/api', table))
    },
    plain: sitePlain('/sub/api'),
  },
  {
    name: 'use(versioning) in the table',
    build(app, places) {
      const table = namedRoutes({}).use(versioning(byNamespace))
      table.use(places.middleware('behind', nothing))
      table.include('/api', site(places))
      app.use('/t', table)
    },
    plain: sitePlain('/t/api'),
  },
  {
    name: 'use(versioning) in children',
    build(app, places) {
      const paths = namedRoutes({}).use(versioning(byPath)).include('/', flat(places))
      const spaces = namedRoutes({}).use(versioning(byNamespace)).include('/', site(places))
      const table = namedRoutes({ top: '/top' })
        .include('/path', paths, { namespace: 'path' })
        .include('/space', spaces, { namespace: 'space' })
      table.route('top').get(places.route('top', nothing))
      app.use('/t', table)
    },
    plain: [
      ...flatPlain('/t/path'),
      ...sitePlain('/t/space').filter(([request]) => !request.endsWith('/about')),
      ['GET /t/top', 'top', null],
    ],
  },
  {
    name: 'use(versioning) in the app and in the table',
    build(app, places) {
      const table = namedRoutes({}).use(versioning(byNamespace)).include('/api', site(places))
      app.use(versioning({ scheme: HeaderVersioning, ...settings }))
      app.use(table)
    },
    plain: [...sitePlain('/api'), [`GET /api/v9/users\n${V2}`, 'v9 list', 'v9']],
  },
  {
    name: 'tables that the root does not contain',
    build(app, places) {
      const table = site(places)
      const other = namedRoutes({ list: '/list' })
      other.route('list').get(places.route('other', nothing))
      for (const version of ['v1', 'v9']) {
        other.include(`/${version}`, users(places, `other ${version}`, is(version)), { namespace: version })
      }
      app.use(versioning({ ...byNamespace, routes: namedRoutes({}).include('/api', table) }))
      app.use('/api', table)
      app.use('/other', other)
    },
    plain: [...sitePlain('/api'), ['GET /other/v1/users', 'other v1 list', 'v1'], ['GET /other/list', 'other', 'v1']],
  },
  {
    name: 'moved before it is decided',
    build(app, places) {
      app.use(places.moved('x-before'))
      const table = site(places)
      app.use('/api', versioning({ ...byNamespace, routes: table }), places.moved('x-between'), table)
    },
    plain: [
      ...sitePlain('/api'),
      ['GET /somewhere\nX-Before: /api/v9/users', 'v9 list', 'v9'],
      ['GET /api/v9/users\nX-Before: /api/v2/users/7', 'v2 detail', 'v2'],
      ['GET /api/v9/users\nX-Between: /v9/users/7', 'v9 detail', 'v9'],
    ],
  },
  {
    name: 'neutral routes',
    build(app, places) {
      const neutral = { neutral: ['/health', 'jump', 'v9:status', 'docs:'] }
      const v9 = namedRoutes({ status: '/status', top: '/' }).include('/x', users(places, 'v9 x', is('v9')))
      v9.route('status').all(places.route('v9 status', nothing))
      v9.route('top').all(places.route('v9 top', is('v9')))
      const docs = namedRoutes({ index: '/' })
      docs.route('index').all(places.route('docs', nothing))
      const table = namedRoutes({ jump: '/jump', about: '/about', health: '/health' })
        .include('/v1', users(places, 'v1', is('v1')), { namespace: 'v1' })
        .include('/v9', v9, { namespace: 'v9' })
        .include('/docs', docs, { namespace: 'docs' })
      for (const name of ['jump', 'about', 'health'] as const) table.route(name).all(places.route(name, nothing))
      app.use('/api', versioning({ ...byNamespace, ...neutral, routes: table }), table)
    },
    plain: [
      ['GET /api/health', 'health', null],
      ['POST /api/jump', 'jump', null],
      ['GET /api/v9/status', 'v9 status', null],
      ['GET /api/docs', 'docs', null],
      ['GET /api/about', 'about', 'v1'],
      ['GET /api/v9', 'v9 top', 'v9'],
      ['GET /api/v1/users', 'v1 list', 'v1'],
      ['GET /api/v9/x/users', 'v9 x list', 'v9'],
      ['GET /api/jump\nX-To: /api/v9/x/users\nX-Act: again', 'v9 x list', 'v9'],
    ],
  },
]

const inCombinations: readonly Shape[] = [
  siteShape('namespace or header', combined('reject', new NamespaceVersioning(), new HeaderVersioning()), is, [
    [`GET /api/v9/users\n${V9}`, 'v9 list', 'v9'],
    [`GET /api/v9/users\n${V2}`, 400],
    [`GET /api/about\n${V9}`, 'about', 'v9'],
  ]),
  siteShape('namespace before header', combined('first', new NamespaceVersioning(), new HeaderVersioning()), is, [
    [`GET /api/v9/users\n${V2}`, 'v9 list', 'v9'],
    [`GET /api/about\n${V9}`, 'about', 'v9'],
  ]),
  siteShape('header before namespace', combined('first', new HeaderVersioning(), new NamespaceVersioning()), is, [
    [`GET /api/v9/users\n${V2}`, 404],
    [`GET /api/about\n${V9}`, 'about', 'v9'],
  ]),
  siteShape('namespace or host', combined('reject', new NamespaceVersioning(), new HostNameVersioning()), is, [
    ['GET /api/v9/users\nHost: v9.example.com', 'v9 list', 'v9'],
    ['GET /api/v9/users\nHost: v2.example.com', 400],
    ['GET /api/about\nHost: v9.example.com:8080', 'about', 'v9'],
  ]),
  flatCombination('path or query', 'reject', inPath, [
    ['GET /p/v9/users?version=v9', 'users list', 'v9'],
    ['GET /p/v9/users?version=v2', 400],
    ['GET /p/about?version=v9', 'about', 'v9'],
  ]),
  flatCombination('query before path', 'first', inPath, [
    ['GET /p/v9/users?version=v2', 404],
    ['GET /p/about?version=v9', 'about', 'v9'],
  ]),
]

/** Path and query, below a prefix parameter. */
function flatCombination(name: string, onConflict: 'reject' | 'first', knows: Knows, more: readonly Plain[]): Shape {
  return {
    name,
    build(app, places) {
      const table = namedRoutes({ about: '/about' })
      table.route('about').get(places.route('about', nothing))
      table.include('/:version', users(places, 'users', knows))
      const options = combined(onConflict, new QueryParameterVersioning(), new URLPathVersioning())
      app.use('/p', versioning({ ...options, routes: table }), table)
    },
    plain: [
      ['GET /p/v1/users', 'users list', 'v1'],
      ['GET /p/v9/users/7', 'users detail', 'v9'],
      ['POST /p/v9/any', 'users any', 'v9'],
      ['GET /p/about', 'about', 'v1'],
      ['GET /p/v7/users', 404],
      ...more,
    ],
  }
}

export const shapes: readonly Shape[] = [...inUrlPath, ...inNamespaces, ...inCombinations]
