import express, { type Application, type Request, type RequestHandler, type Router } from 'express'
import {
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning as Header,
  HostNameVersioning as Host,
  type NamedRoutesOptions,
  NamespaceVersioning as Namespace,
  NotFound,
  namedRoutes,
  URLPathVersioning as Path,
  QueryParameterVersioning as Query,
  type RouteParams,
  type SchemeClass,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { rows } from '../rows'
import { include, type Table } from '../tables'
import { asked, inPath, is, type Knows, nothing, type Places } from './places'

/** A request and its expected outcome: the place that answers with its `req.version`, or a status. */
export type Plain = readonly [request: string, placeOrStatus: string | number, version?: string | null]

const STRICT = { caseSensitive: true, strict: true }
type Build = (app: Application, places: Places) => unknown

/** One way to build an app whose handlers stand in versions. */
export interface Shape {
  readonly name: string
  readonly build: Build
  /** Well-formed requests, `<METHOD> <path>` with header fields on lines of their own, from which the attacks are made too. */
  readonly plain: readonly Plain[]
}

/** `v7` and `admin` are places in many shapes, but no versions that are served. */
const ALLOWED = ['v1', 'v2', 'v9']
const PLACES = [...ALLOWED, 'v7']
const settings = { defaultVersion: 'v1', allowedVersions: ALLOWED }
const byNamespace = { scheme: Namespace, ...settings }
const byPath = { scheme: Path, ...settings }
const ignoring = new Namespace({ ...settings, ignore: ['admin'] })
const combined = (onConflict: 'reject' | 'first', ...schemes: SchemeClass[]) => ({
  scheme: new CombinedVersioning({ schemes: schemes.map((Scheme) => new Scheme()), onConflict, ...settings }),
})

type Routes = Record<string, string>
type Methods = Record<string, (...handlers: RequestHandler[]) => unknown>

const decide = (options: object, routes?: object) => versioning({ ...options, routes } as VersioningOptions)

/**
 * Adds routes to a table or a plain router, `<methods> <path>` by name. Handlers have the name of their route, behind a
 * label.
 */
function routed<T = Table>(places: Places, routes: Routes, knows: Knows = nothing, label = '', to?: T): T {
  const made = (to ?? namedRoutes({})) as Table
  for (const [name, text] of Object.entries(routes)) {
    const [methods = '', path = ''] = text.split(' ')
    if (path === '') continue
    const route = ('add' in made ? made.add(name, path).route(name) : (made as Router).route(path)) as object as Methods
    const place = label + name.replace('-', ' ')
    // Of two handlers, the first may pass on.
    const second = methods.endsWith('+') ? [places.route(`${place}, second`, knows)] : []
    const handler = places.route(place, knows)
    for (const method of methods.replace('+', '').split(',')) route[method]?.(handler, ...second)
  }
  return made as object as T
}

const USERS = { list: 'get,post /users', detail: 'get+ /users/:id', any: 'all /any', home: 'get /' }

/** A table of users in one version, whose every handler knows it; or the same as a plain router. */
function users<T extends object = Table>(places: Places, label: string, knows: Knows, to?: T, paths = USERS): T {
  const table = (to ?? namedRoutes({})) as Table
  if (places.crowded) {
    table.use(places.middleware(`${label} use`, knows))
    if ('add' in table) table.use('/users', places.middleware(`${label} use /users`, knows))
    table.param('id', places.param(`${label} param`, knows))
  }
  return routed(places, paths, knows, `${label} `, table) as object as T
}
const usersOf = (places: Places, version: string) => users(places, version, is(version))
const plainUsers = (places: Places, version: string, label = version) =>
  users(places, label, is(version), express.Router())

/** Includes users of some versions, each in its namespace. */
function inNamespaces(outer: object, versions: readonly string[], childOf: (version: string) => object): Table {
  for (const version of versions) include(`/${version}`, childOf(version), version, outer)
  return outer as Table
}

/** Versions as namespaces, one of them not allowed, and a route without a version. */
function site(places: Places, options?: NamedRoutesOptions): Table {
  const table = namedRoutes({} as Routes, options)
  if (places.crowded) table.use(places.middleware('site use', nothing))
  routed(places, { about: 'all /about' }, nothing, '', table)
  inNamespaces(table, PLACES, (version) => users(places, version, is(version), namedRoutes({}, options)))
  return routed(places, { jump: 'all /jump' }, nothing, '', table)
}
const withAdmin = (places: Places, knows: Knows) =>
  include('/admin', users(places, 'admin', knows), 'admin', site(places))
/** The same with other children. */
const siteOf = (childOf: (places: Places, version: string) => object) => (places: Places) => {
  const table = routed(places, { about: 'all /about', jump: 'all /jump' })
  return inNamespaces(table, PLACES, (version) => childOf(places, version))
}

/** `/:version/...` in one table. */
function flat(places: Places, options?: NamedRoutesOptions): Table {
  const table = namedRoutes({} as Routes, options)
  if (places.crowded) {
    table.use(places.middleware('site use', nothing))
    table.param('version', places.param('version param', asked))
    table.param('id', places.param('id param', inPath))
  }
  const paths = { list: 'get,post /:version/users', detail: 'get+ /:version/users/:id', any: 'all /:version/any' }
  return routed(places, { about: 'get /about' }, nothing, '', routed(places, paths, inPath, '', table))
}

/** Children below prefixes, beside a route without a version. */
const beside =
  (prefix: string, childOf: (places: Places) => object, watched = true) =>
  (places: Places) => {
    const table = routed(places, { about: 'get /about' })
    if (watched && places.crowded) table.param('version', places.param('version param', asked))
    return include(prefix, childOf(places), undefined, table)
  }

/** Custom schemes that read the route's keywords. */
class OwnVersioning extends BaseVersioning {
  override determineVersion(_req: Request, _args: readonly unknown[], { version = 'v1' }: RouteParams): string {
    if (typeof version === 'string' && this.isAllowedVersion(version)) return version
    throw new NotFound('Invalid version.')
  }
}
const reading = (given: (version: unknown) => unknown) =>
  class extends BaseVersioning {
    override readVersion(_req: Request, { version }: RouteParams) {
      return given(version) as string
    }
  }

/** `versioning()` and its table at one mount. */
const at =
  (mount: string, options: object, tableOf: (places: Places) => object): Build =>
  (app, places) => {
    const table = tableOf(places) as Table
    app.use(mount, decide(options, table), table)
  }
const onPath = (tableOf: (places: Places) => object) => at('/p', byPath, tableOf)
const onSpaces = (tableOf: (places: Places) => object) => at('/api', byNamespace, tableOf)
/** `versioning()` in front of the app, with a root that describes the mount; the table in the app, or in an app in it. */
const described =
  (mount: string, outer = '', options?: NamedRoutesOptions): Build =>
  (app, places) => {
    const table = site(places)
    app.use(decide(byNamespace, include(outer + mount, table, undefined, namedRoutes({}, options))))
    if (mount === '/api') app.use(places.middleware('between', nothing))
    if (outer === '') app.use(mount, table)
    else app.use(outer, express().use(mount, table))
  }

const usersIn = (places: Places, paths = USERS) => users(places, 'users', inPath, namedRoutes({}) as Table, paths)
const plainIn = (places: Places) => users(places, 'users', inPath, express.Router({ mergeParams: true }))

const builds: Record<string, Build> = {
  flat: onPath(flat),
  'own scheme': at('/p', { ...byPath, scheme: OwnVersioning }, flat),
  'own reading': at('/p', { ...byPath, scheme: reading((version) => version) }, flat),
  'own slow reading': at('/p', { ...byPath, scheme: reading(async (version) => version) }, flat),
  'flat, case-sensitive and strict': onPath((places) => flat(places, STRICT)),
  'flat, every version': at('/p', { scheme: Path }, flat),
  'flat, at the root of the app'(app, places) {
    const table = flat(places)
    app.use(decide(byPath, table)).all('/jump', places.route('jump', nothing))
    // The handler passes the request to the table itself, with another path than the decided one.
    app.use('/enter', (req, res, next) => table(Object.assign(req, { baseUrl: '' }), res, next))
    app.use(places.middleware('between', nothing), table)
  },
  'formats, wildcards and text beside parameters': onPath((places) => {
    const [file, detail] = ['all /:version/files/*path', 'all /:version/users/:id{.:format}']
    return routed(places, { file, detail, page: 'all /page-:version.html', part: 'all /part{-:version}/x' }, inPath)
  }),
  'versions below a prefix parameter': onPath(beside('/:version', usersIn)),
  'plain router below a prefix parameter': onPath(beside('/:version', plainIn, false)),
  // Without a route for `/`, for which `/users` would be the version `users`: the longer reading comes first.
  'optional prefix': onPath(beside('{/:version}', (places) => usersIn(places, { ...USERS, home: '' }))),
  'optional prefixes of two tables': onPath((places) => {
    const first = routed(places, { 'first-list': 'get /users', 'first-only': 'get /only' }, inPath)
    return include('/:tenant{/:version}', usersIn(places), undefined, include('{/:version}', first))
  }),
  'tenants, then versions in the path': onPath((places) =>
    include('/:tenant/:version', usersIn(places), undefined, routed(places, { about: 'get /:tenant/about' })),
  ),
  'two readings of a path': onPath((places) =>
    routed(places, { first: 'get /:version/:id', second: 'get,post /:tenant/:version' }, inPath),
  ),
  'version in the mount': at('/:version', byPath, usersIn),
  'version in the mount of a plain router'(app, places) {
    app.use('/p/:version', decide(byPath), plainIn(places)).all('/jump', places.route('jump', nothing))
  },
  namespaces: onSpaces(site),
  'namespaces, case-sensitive and strict': onSpaces((places) => site(places, STRICT)),
  'namespaces, every version': at('/api', { scheme: Namespace }, site),
  'described mount': described('/api'),
  'described mount, case-sensitive and strict root': described('/api', '', STRICT),
  'described mount below a tenant': described('/t/:tenant'),
  'nested namespaces': at('/', byNamespace, (places) =>
    include('/api', site(places), 'api', routed(places, { top: 'all /top' })),
  ),
  'versions within versions': onSpaces((places) => {
    const table = routed(places, { about: 'get /about' })
    // The first nested namespace that is a version counts.
    return inNamespaces(table, ['v1', 'v9', 'v7'], (outer) => {
      const own = routed(places, { own: 'get /own' }, is(outer), `${outer} `)
      return inNamespaces(own, ['v2', 'v9'], (inner) =>
        users(places, `${outer}:${inner}`, is(outer === 'v7' ? inner : outer)),
      )
    })
  }),
  'tenants, then namespaces': onSpaces((places) => {
    const tenant = inNamespaces(routed(places, { info: 'get /info' }), ['v1', 'v9'], (one) => usersOf(places, one))
    return include('/:tenant', tenant, undefined, include('/v2', usersOf(places, 'v2'), 'v2'))
  }),
  'namespaces that are no versions': onSpaces((places) => withAdmin(places, is('admin'))),
  'namespaces that are ignored': at('/api', { scheme: ignoring }, (places) => withAdmin(places, nothing)),
  'two versions at one prefix': at('/', byNamespace, (places) => {
    const old = { list: 'get /users', detail: 'get /users/:id', any: 'get /any' }
    const current = { list: 'post /users', detail: 'all /users/:id', any: 'all /any' }
    const latest = include('/latest', routed(places, old, is('v2'), 'old '), 'v2')
    include('/latest', routed(places, current, is('v9'), 'current '), 'v9', latest)
    return include('/alias', latest, 'alias', include('/api', site(places)))
  }),
  'plain routers in namespaces': onSpaces(siteOf(plainUsers)),
  'plain routers in tables in namespaces': onSpaces((places) => {
    const tools = inNamespaces(namedRoutes({}), ['v2', 'v9'], (version) => {
      const extra = plainUsers(places, version, `${version} extra`)
      return include('/extra', extra, undefined, usersOf(places, version))
    })
    return include('/tools', tools, 'tools', site(places))
  }),
  'apps in namespaces': onSpaces(siteOf((...place) => express().use(plainUsers(...place)))),
  'table in an app in the app'(app, places) {
    const table = site(places)
    app.use('/sub/api', express().use(decide(byNamespace, table), table))
  },
  'described mount in an app in the app': described('/api', '/sub'),
  'use(versioning) in the table'(app, places) {
    const table = namedRoutes({}).use(decide(byNamespace)).use(places.middleware('behind', nothing))
    app.use('/t', include('/api', site(places), undefined, table))
  },
  'use(versioning) in children'(app, places) {
    const paths = include('/', flat(places), undefined, namedRoutes({}).use(decide(byPath)))
    const spaces = include('/', site(places), undefined, namedRoutes({}).use(decide(byNamespace)))
    app.use(
      '/t',
      include('/space', spaces, 'space', include('/path', paths, 'path', routed(places, { top: 'get /top' }))),
    )
  },
  'use(versioning) in the app and in the table'(app, places) {
    app.use(decide({ scheme: Header, ...settings }))
    app.use(include('/api', site(places), undefined, namedRoutes({}).use(decide(byNamespace))))
  },
  'tables that the root does not contain'(app, places) {
    const table = site(places)
    const other = routed(places, { other: 'get /list' })
    inNamespaces(other, ['v1', 'v9'], (version) => users(places, `other ${version}`, is(version)))
    app
      .use(decide(byNamespace, include('/api', table)))
      .use('/api', table)
      .use('/other', other)
  },
  'moved before it is decided'(app, places) {
    const table = site(places)
    app.use(places.moved('x-before')).use('/api', decide(byNamespace, table), places.moved('x-between'), table)
  },
  'neutral routes': at('/api', { ...byNamespace, neutral: ['/health', 'jump', 'v9:status', 'docs:'] }, (places) => {
    const table = routed(places, { jump: 'all /jump', about: 'all /about', health: 'all /health' })
    const status = routed(places, { status: 'all /status' }, nothing, 'v9 ')
    const v9 = routed(places, { top: 'all /' }, is('v9'), 'v9 ', status)
    include('/x', users(places, 'v9 x', is('v9')), undefined, v9)
    include('/v1', usersOf(places, 'v1'), 'v1', table)
    return include('/docs', routed(places, { docs: 'all /' }), 'docs', include('/v9', v9, 'v9', table))
  }),
  'namespace or header': at('/api', combined('reject', Namespace, Header), site),
  'namespace before header': at('/api', combined('first', Namespace, Header), site),
  'header before namespace': at('/api', combined('first', Header, Namespace), site),
  'namespace or host': at('/api', combined('reject', Namespace, Host), site),
  'path or query': at('/p', combined('reject', Query, Path), beside('/:version', usersIn, false)),
  'query before path': at('/p', combined('first', Query, Path), beside('/:version', usersIn, false)),
}

/** The plain requests that tables of many shapes answer, by the mount. */
const SETS: Record<string, string> = {
  site: `
    GET MOUNT/about | about | v1
    GET MOUNT/v1/users | v1 list | v1
    GET MOUNT/v2/users/7 | v2 detail | v2
    GET MOUNT/v9/users/7 | v9 detail | v9
    HEAD MOUNT/v9/users & POST MOUNT/v9/users | v9 list | v9
    POST MOUNT/v2/users?version=v9 | v2 list | v2
    PUT MOUNT/v9/any & OPTIONS MOUNT/v9/any | v9 any | v9
    GET MOUNT/v9 | v9 home | v9
    GET MOUNT/v9/users/7; X-Act: next | v9 detail, second | v9
    GET MOUNT/v7/users & GET MOUNT/v9/none & GET MOUNT/none | 404
  `,
  flat: `
    GET MOUNT/v1/users | list | v1
    GET MOUNT/v9/users & POST MOUNT/v9/users | list | v9
    GET MOUNT/v2/users/7 | detail | v2
    GET MOUNT/v9/users/7?version=v1 | detail | v9
    PATCH MOUNT/v9/any | any | v9
    GET MOUNT/about | about | v1
    GET MOUNT/v7/users & GET MOUNT/v9/none | 404
  `,
  users: `
    GET MOUNT/v1/users | users list | v1
    GET MOUNT/v9/users/7 | users detail | v9
    POST MOUNT/v9/any | users any | v9
    GET MOUNT/v7/users | 404
  `,
}

// Shapes, with sets at a mount; then requests of their own, each in place of the same request of a set. ` & ` is between
// requests with the same outcome.
const PLAIN = `
  == flat & own scheme & own reading & own slow reading @flat /p
  == flat, case-sensitive and strict @flat /p
  GET /p/v9/users/ & GET /p/v9/Users | 404
  GET /P/v9/users | list | v9
  == flat, every version @flat /p
  GET /p/v7/users | list | v7
  GET /p/v%209/users/7 | detail | v 9
  GET /p/%C3%A9/users | list | é
  GET /p/about | about | null
  == flat, at the root of the app @flat
  GET /jump; X-To: /v9/users; X-Act: again | list | v9
  GET /enter/v1/users | list | v1
  == formats, wildcards and text beside parameters
  GET /p/v9/files/a/b | file | v9
  POST /p/v2/users/7.json | detail | v2
  GET /p/page-v9.html | page | v9
  GET /p/part-v9/x | part | v9
  GET /p/part/x | part | v1
  GET /p/page-v7.html | 404
  == versions below a prefix parameter & plain router below a prefix parameter @users /p
  POST /p/v9/users | users list | v9
  GET /p/v9/ | users home | v9
  GET /p/v9/none | 404
  GET /p/about | about | v1
  == optional prefix @users /p
  GET /p/users | users list | v1
  GET /p/users/7 | users detail | v1
  GET /p/about | about | v1
  == optional prefixes of two tables
  GET /p/v9/users | first list | v9
  GET /p/users | first list | v1
  GET /p/v9/only | first only | v9
  GET /p/acme/v9/users | users list | v9
  GET /p/acme/users/7 | users detail | v1
  POST /p/acme/v2/users | users list | v2
  == tenants, then versions in the path @users /p/acme
  GET /p/v1/v9/users/7 | users detail | v9
  POST /p/v9/v2/any | users any | v2
  GET /p/v9/about | about | v1
  == two readings of a path
  GET /p/v1/v9 | first | v1
  GET /p/v9/v1 | first | v9
  POST /p/v1/v9 & GET /p/v9/v9; X-Act: next | second | v9
  == version in the mount @users
  == version in the mount of a plain router @users /p
  GET /jump; X-To: /p/v9/users; X-Act: again-later | users list | v9
  == namespaces @site /api
  GET /API/v9/users & GET /api/V9/users & GET /api/jump; X-To: /api/v9/users; X-Act: again | v9 list | v9
  GET /api/v9/users; X-To: /api/v2/users; X-Act: again | v2 list | v2
  == namespaces, case-sensitive and strict @site /api
  GET /api/V9/users | 404
  == namespaces, every version @site /api
  GET /api/about | about | null
  GET /api/v7/users | v7 list | v7
  == described mount @site /api
  GET /api/jump; X-To: /api/v9/users; X-Act: again-later | v9 list | v9
  == described mount, case-sensitive and strict root & plain routers in namespaces & apps in namespaces @site /api
  == described mount below a tenant @site /t/acme
  GET /t/v2/v9/users | v9 list | v9
  == nested namespaces @site /api
  GET /top | top | v1
  GET /api/about | 404
  == versions within versions
  GET /api/v1/v9/users | v1:v9 list | v1
  GET /api/v9/v2/users/7 | v9:v2 detail | v9
  POST /api/v7/v2/any | v7:v2 any | v2
  GET /api/v9/own | v9 own | v9
  GET /api/v7/own | 404
  GET /api/about | about | v1
  == tenants, then namespaces
  GET /api/acme/v9/users & GET /api/v2/v9/users | v9 list | v9
  GET /api/v9/v1/users/7 | v1 detail | v1
  GET /api/v2/users | v2 list | v2
  GET /api/acme/info & GET /api/v9/info | info | v1
  == namespaces that are no versions @site /api
  GET /api/admin/users | 404
  == namespaces that are ignored @site /api
  GET /api/admin/users | admin list | v1
  == two versions at one prefix @site /api
  GET /alias/latest/users | old list | v2
  POST /alias/latest/users | current list | v9
  GET /alias/latest/any | old any | v2
  PUT /alias/latest/any | current any | v9
  DELETE /alias/latest/users/7 | current detail | v9
  == plain routers in tables in namespaces @site /api
  GET /api/tools/v9/extra/users | v9 extra list | v9
  POST /api/tools/v2/extra/any | v2 extra any | v2
  GET /api/tools/v9/users | v9 list | v9
  == table in an app in the app & described mount in an app in the app @site /sub/api
  == use(versioning) in the table @site /t/api
  == use(versioning) in children @flat /t/path @site /t/space
  GET /t/space/about | 404
  GET /t/top | top | null
  == use(versioning) in the app and in the table @site /api
  GET /api/v9/users; X-API-Version: v2 | v9 list | v9
  == tables that the root does not contain @site /api
  GET /other/v1/users | other v1 list | v1
  GET /other/list | other | v1
  == moved before it is decided @site /api
  GET /somewhere; X-Before: /api/v9/users | v9 list | v9
  GET /api/v9/users; X-Before: /api/v2/users/7 | v2 detail | v2
  GET /api/v9/users; X-Between: /v9/users/7 | v9 detail | v9
  == neutral routes
  GET /api/health | health | null
  POST /api/jump | jump | null
  GET /api/v9/status | v9 status | null
  GET /api/docs | docs | null
  GET /api/about | about | v1
  GET /api/v9 | v9 top | v9
  GET /api/v1/users | v1 list | v1
  GET /api/v9/x/users & GET /api/jump; X-To: /api/v9/x/users; X-Act: again | v9 x list | v9
  == namespace or header @site /api
  GET /api/v9/users; X-API-Version: v9 | v9 list | v9
  GET /api/v9/users; X-API-Version: v2 | 400
  GET /api/about; X-API-Version: v9 | about | v9
  == namespace before header @site /api
  GET /api/v9/users; X-API-Version: v2 | v9 list | v9
  GET /api/about; X-API-Version: v9 | about | v9
  == header before namespace @site /api
  GET /api/v9/users; X-API-Version: v2 | 404
  GET /api/about; X-API-Version: v9 | about | v9
  == namespace or host @site /api
  GET /api/v9/users; Host: v9.example.com | v9 list | v9
  GET /api/v9/users; Host: v2.example.com | 400
  GET /api/about; Host: v9.example.com:8080 | about | v9
  == path or query @users /p
  GET /p/v9/users?version=v9 | users list | v9
  GET /p/v9/users?version=v2 | 400
  GET /p/about?version=v9 | about | v9
  == query before path @users /p
  GET /p/v9/users?version=v2 | 404
  GET /p/about?version=v9 | about | v9
`

const plain = new Map<string, Plain[]>()
for (const section of PLAIN.split('== ').slice(1)) {
  const [head = '', ...lines] = section.split('\n')
  const [names = '', ...sets] = head.split(' @').map((part) => part.split(' /'))
  const shared = sets.map(([set = '', mount]) => SETS[set]?.replaceAll('MOUNT', mount === undefined ? '' : `/${mount}`))
  const own = new Map<string, Plain>()
  for (const [requests = '', place = '', version] of rows([...shared, ...lines].join('\n'))) {
    for (const request of requests.replaceAll('; ', '\n').split(' & ')) {
      own.set(
        request,
        version === undefined ? [request, +place] : [request, place, version === 'null' ? null : version],
      )
    }
  }
  for (const name of String(names).split(' & ')) plain.set(name, [...own.values()])
}

export const shapes: readonly Shape[] = Object.entries(builds).map(([name, build]) => ({
  name,
  build,
  plain: plain.get(name) ?? [],
}))
