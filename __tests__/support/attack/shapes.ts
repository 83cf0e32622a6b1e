import express, { type Application, type Request, type RequestHandler, type Router } from 'express'
import * as library from 'express-versioning'
import { BaseVersioning, NotFound, namedRoutes, versioning } from 'express-versioning'
import { rows } from '../rows'
import { include, type Table } from '../tables'
import { asked, inPath, is, type Knows, nothing, type Places } from './places'

const { HeaderVersioning: Header, HostNameVersioning: Host, NamespaceVersioning: Namespace } = library
const { CombinedVersioning, QueryParameterVersioning: Query, URLPathVersioning: Path } = library

type Build = (app: Application, places: Places) => unknown

/** A request and its expected outcome: the place that responds with its `req.version`, or a status. */
export type Plain = readonly [request: string, placeOrStatus: string | number, version?: string | null]

/**
 * One way to build an app whose handlers stand in versions, and well-formed requests, from which the attacks are made too:
 * `<METHOD> <path>`, with header fields on lines of their own.
 */
export type Shape = { readonly name: string; readonly build: Build; readonly plain: readonly Plain[] }
export const shapes: Shape[] = []

/** `v7` and `admin` are places in many shapes, but no versions that are served. */
const ALLOWED = ['v1', 'v2', 'v9']
const PLACES = [...ALLOWED, 'v7']
const STRICT = { caseSensitive: true, strict: true }
const settings = { defaultVersion: 'v1', allowedVersions: ALLOWED }
const byNamespace = { scheme: Namespace, ...settings }
const byPath = { scheme: Path, ...settings }
const ignoring = new Namespace({ ...settings, ignore: ['admin'] })
const combined = (onConflict: 'reject' | 'first', ...schemes: library.SchemeClass[]) => ({
  scheme: new CombinedVersioning({ schemes: schemes.map((Scheme) => new Scheme()), onConflict, ...settings }),
})
const decide = (options: object, routes?: object) => versioning({ ...options, routes } as library.VersioningOptions)

type Routes = Record<string, string>
type Methods = Record<string, (...handlers: RequestHandler[]) => unknown>

/**
 * Adds routes to a table or a plain router, `<methods> <path>` by name. Handlers have the name of their route, behind a
 * label.
 */
function routed(places: Places, routes: Routes, knows = nothing, label = '', to: object = namedRoutes({})): Table {
  for (const [name, text] of Object.entries(routes)) {
    const [methods = '', path = ''] = text.split(' ')
    if (path === '') continue
    const table = to as Table
    const route = ('add' in to ? table.add(name, path).route(name) : (to as Router).route(path)) as object as Methods
    const place = label + name.replace('-', ' ')
    // Of two handlers, the first may pass on.
    const second = methods.endsWith('+') ? [places.route(`${place}, second`, knows)] : []
    const handler = places.route(place, knows)
    for (const method of methods.replace('+', '').split(',')) route[method]?.(handler, ...second)
  }
  return to as Table
}

const USERS = { list: 'get,post /users', detail: 'get+ /users/:id', any: 'all /any', home: 'get /' }

/** A table of users in one version, whose every handler knows it; or the same as a plain router. */
function users(places: Places, label: string, knows: Knows, to: object = namedRoutes({}), paths = USERS): Table {
  const table = to as Table
  if (places.crowded) {
    table.use(places.middleware(`${label} use`, knows))
    if ('add' in table) table.use('/users', places.middleware(`${label} use /users`, knows))
    table.param('id', places.param(`${label} param`, knows))
  }
  return routed(places, paths, knows, `${label} `, table)
}
const usersOf = (places: Places, version: string) => users(places, version, is(version))
const plainUsers = (places: Places, version: string, label = version) =>
  users(places, label, is(version), express.Router())
const usersIn = (places: Places, paths = USERS) => users(places, 'users', inPath, namedRoutes({}), paths)
const plainIn = (places: Places) => users(places, 'users', inPath, express.Router({ mergeParams: true }))

/** Includes users of some versions, each in its namespace. */
function inNamespaces(outer: object, versions: readonly string[], childOf: (version: string) => object): Table {
  for (const version of versions) include(`/${version}`, childOf(version), version, outer)
  return outer as Table
}

/** Versions as namespaces, one of them not allowed, and routes without a version. */
function site(places: Places, options = {}, childOf?: (version: string) => object): Table {
  const table = namedRoutes({} as Routes, options)
  if (places.crowded) table.use(places.middleware('site use', nothing))
  routed(places, { about: 'all /about' }, nothing, '', table)
  const usersOf = (version: string) => users(places, version, is(version), namedRoutes({}, options))
  inNamespaces(table, PLACES, childOf ?? usersOf)
  return routed(places, { jump: 'all /jump' }, nothing, '', table)
}
const withAdmin = (places: Places, knows: Knows) =>
  include('/admin', users(places, 'admin', knows), 'admin', site(places))

/** `/:version/...` in one table. */
function flat(places: Places, options?: library.NamedRoutesOptions): Table {
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
  override determineVersion(_req: Request, _args: readonly unknown[], { version = 'v1' }: library.RouteParams): string {
    if (typeof version === 'string' && this.isAllowedVersion(version)) return version
    throw new NotFound('Invalid version.')
  }
}
class Reading extends BaseVersioning {
  override readVersion = (_req: Request, { version }: library.RouteParams) => version as string
}
class SlowReading extends BaseVersioning {
  override readVersion = async (_req: Request, { version }: library.RouteParams) => version as string
}

/** The requests that tables of many shapes response, below the mount. */
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
    GET MOUNT/v7/users & GET MOUNT/v9/none & GET MOUNT/none | 404`,
  flat: `
    GET MOUNT/v1/users | list | v1
    GET MOUNT/v9/users & POST MOUNT/v9/users | list | v9
    GET MOUNT/v2/users/7 | detail | v2
    GET MOUNT/v9/users/7?version=v1 | detail | v9
    PATCH MOUNT/v9/any | any | v9
    GET MOUNT/about | about | v1
    GET MOUNT/v7/users & GET MOUNT/v9/none | 404`,
  users: `
    GET MOUNT/v1/users | users list | v1
    GET MOUNT/v9/users/7 | users detail | v9
    POST MOUNT/v9/any | users any | v9
    GET MOUNT/v7/users | 404`,
}

type TableOf = (places: Places) => object
/**
 * Returns a tag that adds a shape. Its text begins with the name, and with sets of requests that it responses, each at a mount. A
 * line for each outcome of its own follows, with ` & ` between requests and `; ` in front of header fields. It replaces the same
 * request of a set.
 */
const inApp =
  (build: Build) =>
  ([text = '']: TemplateStringsArray): void => {
    const [head = '', ...own] = text.split('\n')
    const [name = '', ...sets] = head.split(' @')
    const shared = sets.map((set) => {
      const [requests = '', mount = ''] = set.split(' ')
      return SETS[requests]?.replaceAll('MOUNT', mount)
    })
    const plain = new Map<string, Plain>()
    for (const [requests = '', place = '', version] of rows([...shared, ...own].join('\n'))) {
      const outcome: [string | number, (string | null)?] =
        version === undefined ? [+place] : [place, version === 'null' ? null : version]
      for (const request of requests.replaceAll('; ', '\n').split(' & ')) plain.set(request, [request, ...outcome])
    }
    shapes.push({ name, build, plain: [...plain.values()] })
  }
/** `versioning()` and its table at one mount. */
const at = (mount: string, options: object, tableOf: TableOf) =>
  inApp((app, places) => {
    const table = tableOf(places) as Table
    app.use(mount, decide(options, table), table)
  })
const onPath = (tableOf: TableOf) => at('/p', byPath, tableOf)
const onSpaces = (tableOf: TableOf) => at('/api', byNamespace, tableOf)
/** `versioning()` in front of the app, with a root that describes the mount; the table in the app, or in an app in it. */
const described = (mount: string, outer = '', options?: library.NamedRoutesOptions) =>
  inApp((app, places) => {
    const table = site(places)
    app.use(decide(byNamespace, include(outer + mount, table, undefined, namedRoutes({}, options))))
    if (mount === '/api') app.use(places.middleware('between', nothing))
    if (outer === '') app.use(mount, table)
    else app.use(outer, express().use(mount, table))
  })

onPath(flat)`flat @flat /p`
at('/p', { ...byPath, scheme: OwnVersioning }, flat)`own scheme @flat /p`
at('/p', { ...byPath, scheme: Reading }, flat)`own reading @flat /p`
at('/p', { ...byPath, scheme: SlowReading }, flat)`own slow reading @flat /p`
onPath((places) => flat(places, STRICT))`flat, case-sensitive and strict @flat /p
  GET /p/v9/users/ & GET /p/v9/Users | 404
  GET /P/v9/users | list | v9`
at('/p', { scheme: Path }, flat)`flat, every version @flat /p
  GET /p/v7/users | list | v7
  GET /p/v%209/users/7 | detail | v 9
  GET /p/%C3%A9/users | list | é
  GET /p/about | about | null`
inApp((app, places) => {
  const table = flat(places)
  app.use(decide(byPath, table)).all('/jump', places.route('jump', nothing))
  // The handler passes the request to the table itself, with another path than the decided one.
  app.use('/enter', (req, res, next) => table(Object.assign(req, { baseUrl: '' }), res, next))
  app.use(places.middleware('between', nothing), table)
})`flat, at the root of the app @flat
  GET /jump; X-To: /v9/users; X-Act: again | list | v9
  GET /enter/v1/users | list | v1`
onPath((places) => {
  const [file, detail] = ['all /:version/files/*path', 'all /:version/users/:id{.:format}']
  return routed(places, { file, detail, page: 'all /page-:version.html', part: 'all /part{-:version}/x' }, inPath)
})`formats, wildcards and text beside parameters
  GET /p/v9/files/a/b | file | v9
  POST /p/v2/users/7.json | detail | v2
  GET /p/page-v9.html | page | v9
  GET /p/part-v9/x | part | v9
  GET /p/part/x | part | v1
  GET /p/page-v7.html | 404`
onPath(beside('/:version', usersIn))`versions below a prefix parameter @users /p
  POST /p/v9/users | users list | v9
  GET /p/v9/ | users home | v9
  GET /p/v9/none | 404
  GET /p/about | about | v1`
onPath(beside('/:version', plainIn, false))`plain router below a prefix parameter @users /p
  POST /p/v9/users | users list | v9
  GET /p/v9/ | users home | v9
  GET /p/v9/none | 404
  GET /p/about | about | v1`
onPath(beside('{/:version}', usersIn))`optional prefix @users /p
  GET /p/users | users list | v1
  GET /p/v9/ | users home | v9
  GET /p/users/7 | users detail | v1
  GET /p/about | about | v1`
onPath((places) => {
  const first = routed(places, { 'first-list': 'get /users', 'first-only': 'get /only' }, inPath)
  return include('/:tenant{/:version}', usersIn(places), undefined, include('{/:version}', first))
})`optional prefixes of two tables
  GET /p/v9/users | first list | v9
  GET /p/users | first list | v1
  GET /p/v9/only | first only | v9
  GET /p/acme/v9/users | users list | v9
  GET /p/acme/users/7 | users detail | v1
  POST /p/acme/v2/users | users list | v2`
onPath((places) =>
  include('/:tenant/:version', usersIn(places), undefined, routed(places, { about: 'get /:tenant/about' })),
)`tenants, then versions in the path @users /p/acme
  GET /p/v1/v9/users/7 | users detail | v9
  POST /p/v9/v2/any | users any | v2
  GET /p/v9/about | about | v1`
onPath((places) =>
  routed(places, { first: 'get /:version/:id', second: 'get,post /:tenant/:version' }, inPath),
)`two readings of a path
  GET /p/v1/v9 | first | v1
  GET /p/v9/v1 | first | v9
  POST /p/v1/v9 & GET /p/v9/v9; X-Act: next | second | v9`
at('/:version', byPath, usersIn)`version in the mount @users`
inApp((app, places) => {
  app.use('/p/:version', decide(byPath), plainIn(places)).all('/jump', places.route('jump', nothing))
})`version in the mount of a plain router @users /p
  GET /jump; X-To: /p/v9/users; X-Act: again-later | users list | v9`
onSpaces(site)`namespaces @site /api
  GET /API/v9/users & GET /api/V9/users & GET /api/jump; X-To: /api/v9/users; X-Act: again | v9 list | v9
  GET /api/v9/users; X-To: /api/v2/users; X-Act: again | v2 list | v2`
onSpaces((places) => site(places, STRICT))`namespaces, case-sensitive and strict @site /api
  GET /api/V9/users | 404`
at('/api', { scheme: Namespace }, site)`namespaces, every version @site /api
  GET /api/about | about | null
  GET /api/v7/users | v7 list | v7`
described('/api')`described mount @site /api
  GET /api/jump; X-To: /api/v9/users; X-Act: again-later | v9 list | v9`
described('/api', '', STRICT)`described mount, case-sensitive and strict root @site /api`
described('/t/:tenant')`described mount below a tenant @site /t/acme
  GET /t/v2/v9/users | v9 list | v9`
at('/', byNamespace, (places) =>
  include('/api', site(places), 'api', routed(places, { top: 'all /top' })),
)`nested namespaces @site /api
  GET /top | top | v1
  GET /api/about | 404`
onSpaces((places) => {
  const table = routed(places, { about: 'get /about' })
  // The first nested namespace that is a version counts.
  return inNamespaces(table, ['v1', 'v9', 'v7'], (outer) => {
    const own = routed(places, { own: 'get /own' }, is(outer), `${outer} `)
    return inNamespaces(own, ['v2', 'v9'], (inner) =>
      users(places, `${outer}:${inner}`, is(outer === 'v7' ? inner : outer)),
    )
  })
})`versions within versions
  GET /api/v1/v9/users | v1:v9 list | v1
  GET /api/v9/v2/users/7 | v9:v2 detail | v9
  POST /api/v7/v2/any | v7:v2 any | v2
  GET /api/v9/own | v9 own | v9
  GET /api/v7/own | 404
  GET /api/about | about | v1`
onSpaces((places) => {
  const tenant = inNamespaces(routed(places, { info: 'get /info' }), ['v1', 'v9'], (one) => usersOf(places, one))
  return include('/:tenant', tenant, undefined, include('/v2', usersOf(places, 'v2'), 'v2'))
})`tenants, then namespaces
  GET /api/acme/v9/users & GET /api/v2/v9/users | v9 list | v9
  GET /api/v9/v1/users/7 | v1 detail | v1
  GET /api/v2/users | v2 list | v2
  GET /api/acme/info & GET /api/v9/info | info | v1`
onSpaces((places) => withAdmin(places, is('admin')))`namespaces that are no versions @site /api
  GET /api/admin/users | 404`
at('/api', { scheme: ignoring }, (places) => withAdmin(places, nothing))`namespaces that are ignored @site /api
  GET /api/admin/users | admin list | v1`
at('/', byNamespace, (places) => {
  const old = { list: 'get /users', detail: 'get /users/:id', any: 'get /any' }
  const current = { list: 'post /users', detail: 'all /users/:id', any: 'all /any' }
  const latest = include('/latest', routed(places, old, is('v2'), 'old '), 'v2')
  include('/latest', routed(places, current, is('v9'), 'current '), 'v9', latest)
  return include('/alias', latest, 'alias', include('/api', site(places)))
})`two versions at one prefix @site /api
  GET /alias/latest/users | old list | v2
  POST /alias/latest/users | current list | v9
  GET /alias/latest/any | old any | v2
  PUT /alias/latest/any | current any | v9
  DELETE /alias/latest/users/7 | current detail | v9`
onSpaces((places) => site(places, {}, (version) => plainUsers(places, version)))`plain routers in namespaces @site /api`
onSpaces((places) => {
  const tools = inNamespaces(namedRoutes({}), ['v2', 'v9'], (version) => {
    const extra = plainUsers(places, version, `${version} extra`)
    return include('/extra', extra, undefined, usersOf(places, version))
  })
  return include('/tools', tools, 'tools', site(places))
})`plain routers in tables in namespaces @site /api
  GET /api/tools/v9/extra/users | v9 extra list | v9
  POST /api/tools/v2/extra/any | v2 extra any | v2
  GET /api/tools/v9/users | v9 list | v9`
onSpaces((places) =>
  site(places, {}, (version) => express().use(plainUsers(places, version))),
)`apps in namespaces @site /api`
inApp((app, places) => {
  const table = site(places)
  app.use('/sub/api', express().use(decide(byNamespace, table), table))
})`table in an app in the app @site /sub/api`
described('/api', '/sub')`described mount in an app in the app @site /sub/api`
inApp((app, places) => {
  const table = namedRoutes({}).use(decide(byNamespace)).use(places.middleware('behind', nothing))
  app.use('/t', include('/api', site(places), undefined, table))
})`use(versioning) in the table @site /t/api`
inApp((app, places) => {
  const paths = include('/', flat(places), undefined, namedRoutes({}).use(decide(byPath)))
  const spaces = include('/', site(places), undefined, namedRoutes({}).use(decide(byNamespace)))
  const both = include('/path', paths, 'path', routed(places, { top: 'get /top' }))
  app.use('/t', include('/space', spaces, 'space', both))
})`use(versioning) in children @flat /t/path @site /t/space
  GET /t/space/about | 404
  GET /t/top | top | null`
inApp((app, places) => {
  app.use(decide({ scheme: Header, ...settings }))
  app.use(include('/api', site(places), undefined, namedRoutes({}).use(decide(byNamespace))))
})`use(versioning) in the app and in the table @site /api
  GET /api/v9/users; X-API-Version: v2 | v9 list | v9`
inApp((app, places) => {
  const table = site(places)
  const other = routed(places, { other: 'get /list' })
  inNamespaces(other, ['v1', 'v9'], (version) => users(places, `other ${version}`, is(version)))
  app.use(decide(byNamespace, include('/api', table)))
  app.use('/api', table).use('/other', other)
})`tables that the root does not contain @site /api
  GET /other/v1/users | other v1 list | v1
  GET /other/list | other | v1`
inApp((app, places) => {
  const table = site(places)
  app.use(places.moved('x-before')).use('/api', decide(byNamespace, table), places.moved('x-between'), table)
})`moved before it is decided @site /api
  GET /somewhere; X-Before: /api/v9/users | v9 list | v9
  GET /api/v9/users; X-Before: /api/v2/users/7 | v2 detail | v2
  GET /api/v9/users; X-Between: /v9/users/7 | v9 detail | v9`
at('/api', { ...byNamespace, neutral: ['/health', 'jump', 'v9:status', 'docs:'] }, (places) => {
  const table = routed(places, { jump: 'all /jump', about: 'all /about', health: 'all /health' })
  const status = routed(places, { status: 'all /status' }, nothing, 'v9 ')
  const v9 = routed(places, { top: 'all /' }, is('v9'), 'v9 ', status)
  include('/x', users(places, 'v9 x', is('v9')), undefined, v9)
  include('/v1', usersOf(places, 'v1'), 'v1', table)
  return include('/docs', routed(places, { docs: 'all /' }), 'docs', include('/v9', v9, 'v9', table))
})`neutral routes
  GET /api/health | health | null
  POST /api/jump | jump | null
  GET /api/v9/status | v9 status | null
  GET /api/docs | docs | null
  GET /api/about | about | v1
  GET /api/v9 | v9 top | v9
  GET /api/v1/users | v1 list | v1
  GET /api/v9/x/users & GET /api/jump; X-To: /api/v9/x/users; X-Act: again | v9 x list | v9`
at('/api', combined('reject', Namespace, Header), site)`namespace or header @site /api
  GET /api/v9/users; X-API-Version: v9 | v9 list | v9
  GET /api/v9/users; X-API-Version: v2 | 400
  GET /api/about; X-API-Version: v9 | about | v9`
at('/api', combined('first', Namespace, Header), site)`namespace before header @site /api
  GET /api/v9/users; X-API-Version: v2 | v9 list | v9
  GET /api/about; X-API-Version: v9 | about | v9`
at('/api', combined('first', Header, Namespace), site)`header before namespace @site /api
  GET /api/v9/users; X-API-Version: v2 | 404
  GET /api/about; X-API-Version: v9 | about | v9`
at('/api', combined('reject', Namespace, Host), site)`namespace or host @site /api
  GET /api/v9/users; Host: v9.example.com | v9 list | v9
  GET /api/v9/users; Host: v2.example.com | 400
  GET /api/about; Host: v9.example.com:8080 | about | v9`
at('/p', combined('reject', Query, Path), beside('/:version', usersIn, false))`path or query @users /p
  GET /p/v9/users?version=v9 | users list | v9
  GET /p/v9/users?version=v2 | 400
  GET /p/about?version=v9 | about | v9`
at('/p', combined('first', Query, Path), beside('/:version', usersIn, false))`query before path @users /p
  GET /p/v9/users?version=v2 | 404
  GET /p/about?version=v9 | about | v9`
