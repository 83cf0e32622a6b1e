// Operations that had other paths in older versions: what starts, and what documents say.
import { HeaderVersioning, type NamedRoutes, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { change, type OperationChange, type VersionHistory } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { openapi, routesOf } from 'express-versioning/openapi'
import { historyOf } from '../support/changes'
import { documentOf, withPaths } from '../support/documents'
import { respond, table } from '../support/tables'

type Operations = Record<string, OperationChange>

const changed = (...releases: Operations[]) =>
  historyOf(...releases.map((operations, index) => [change(`Change ${index + 2}.`, operations)]))
const options = (routes: object, changes: VersionHistory, more = {}) => ({
  scheme: HeaderVersioning,
  defaultVersion: changes.versions.at(-1) as string,
  changes,
  routes: routes as NamedRoutes,
  ...more,
})

const PATHS = { user: '/users/:id', person: '/people/:id', list: '/users', file: '/files/*path', maybe: '/m{/:a}' }

test.each<[operations: object, message: string]>([
  [{ 'GET user': { path: 7 } }, `"GET user": option "path" takes the older path, such as '/people/:id'; got 7`],
  [{ 'GET user': { paths: '/a' } }, '"GET user": unknown option "paths". Did you mean "path"'],
  [{ '*': { path: '/a' } }, 'change(): the change "Moved.": "*": unknown option "path"'],
])('change() rejects %j', (operations, message) => {
  expect(() => change('Moved.', operations as Operations)).toThrow(message)
})

const at = (path: string) => ({ 'GET user': { path } })
const SAYS = 'versioning(): the change "Change 2." says that the path of "GET user" was'
const OTHERS = 'of which others are optional or wildcards.'
test.each<[what: string, operations: Operations | Operations[], message: string]>([
  [
    'another parameter',
    at('/folk/:name'),
    `${SAYS} "/folk/:name", but that path has "name", and today's path, "/users/:id", has "id". A moved operation has the same parameters in all versions.`,
  ],
  ['fewer parameters', at('/folk'), 'that path has no parameters, and today\'s path, "/users/:id", has "id"'],
  ['more parameters', at('/folk/:id/:tab'), 'has "id" and "tab", and'],
  ['a wildcard', at('/folk/*id'), `has "id", ${OTHERS}`],
  ['an optional parameter', at('/folk{/:id}'), OTHERS],
  ['a required parameter', { 'GET maybe': { path: '/folk/:a' } }, OTHERS],
  ['no path', at('folk/:id'), 'but the path: \'folk/:id\' is no path: it must start with "/"'],
  ['a broken path', at('/folk/:'), "but the path: '/folk/:' is no path"],
  ['an unknown operation', { 'GET users': { path: '/folk' } }, '"routes" has no name "users"'],
  ['the same path', at('/USERS/:id/'), `${SAYS} "/USERS/:id/", which is its path in version "v2" too.`],
  [
    'the same path twice',
    [at('/folk/:id'), at('/folk/:id')],
    `${SAYS} "/folk/:id", which is its path in version "v2" too.`,
  ],
  [
    'the path of another operation',
    at('/people/:id'),
    'versioning(): in version "v1", the path of "GET user" was "/people/:id", but "GET person" has that path in this version.',
  ],
  ['that of another one under other names', { 'GET person': { path: '/USERS/:id/' } }, 'but "GET user" has that path'],
  [
    'that of another one by an optional part',
    { ...at('/x/:id'), 'GET maybe': { path: '/x{/:a}' } },
    'in version "v1", the path of "GET user" was "/x/:id", but "GET maybe" has that path',
  ],
  [
    'that of an operation that comes later',
    { 'GET user': { path: '/folk/:id', added: true } },
    `${SAYS} "/folk/:id", but no version before "v2" has the operation there.`,
  ],
  [
    'that of a removed one',
    [{ 'GET user': 'removed' }, at('/folk/:id')],
    'has steps for "GET user", which version "v2" removed',
  ],
])('versioning() rejects %s', (_, operations, message) => {
  const changes = changed(...[operations].flat())
  const given = options(table(PATHS), changes)
  for (const make of [() => versioning(given), () => changes.for(given), () => openapi(given)])
    expect(make).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }))
})

// The property of tables takes the other ones.
test.each<[what: string, routes: object, changes: VersionHistory]>([
  [
    'a path of one that was removed before',
    table(PATHS),
    changed({ 'GET person': 'removed' }, { 'GET user': 'added' }, at('/people/:id')),
  ],
  ['a path of another method', namedRoutes(PATHS), changed({ 'POST user': { path: '/others/:id' } })],
  [
    'a path between two changes of a version',
    table(PATHS),
    historyOf([change('A.', at('/a/:id')), change('B.', at('/b/:id'))]),
  ],
])('versioning() takes %s', (_, routes, changes) => {
  expect(() => versioning(options(routes, changes))).not.toThrow()
})

test('an older path cannot be a neutral one', () => {
  const changes = changed(at('/folk/:id'))
  const of = (neutral: string[]) => () =>
    versioning(options(table({ user: '/users/:id', home: '/' }), changes, { neutral }))
  expect(of(['/folk{/*rest}'])).toThrow(
    'versioning(): a change says that the path of "user" was "/folk/:id", but option "neutral" lists that path.',
  )
  expect(of(['/folk', 'home'])()).toBeInstanceOf(Function)
  const prefix = changed({ 'GET user': { path: '' } })
  const users = table({ user: '/users' })
  expect(() => versioning(options(users, prefix, { neutral: ['/'] }))).toThrow('option "neutral" lists that path.')
  expect(of(['user'])).toThrow('speaks of "GET user", but "user" is neutral: it has no version.')
})

test('a thousand operations move in an instant', () => {
  const names = [...Array(1000).keys()].map((index) => `/new/{a}/${index % 50}/x${index}/{b}`)
  const routes = routesOf(withPaths(Object.fromEntries(names.map((name) => [name, 'get']))))
  const changes = changed(
    Object.fromEntries(names.map((name) => [`GET ${name}`, { path: name.replace('/new', '/old') }])),
  )
  const start = process.cpuUsage()
  const client = inVersion('v1', options(routes, changes))
  expect(client.path(names[7] as string, { kwargs: { a: 1, b: 2 } })).toBe('/old/1/7/x7/2')
  const { user } = process.cpuUsage(start)
  expect(user).toBeLessThan(2_000_000)
  const { moves } = changes.bind(routes as never)
  const path = '/old/1/7/x7/2'
  const found = moves?.resolve(path, 'GET', 'v1', () => false, undefined as never)
  expect([found?.today, found?.route.viewName]).toStrictEqual(['/new/1/7/x7/2', names[7]])
  expect(process.cpuUsage(start).user).toBeLessThan(4_000_000)
})

test('a route without handlers yet may have the path; in tables for handlers elsewhere it has no operation', () => {
  const changes = changed(at('/people/:id'))
  expect(() => versioning(options(namedRoutes(PATHS), changes))).toThrow('"GET person" has that path')
  const routes = namedRoutes(PATHS, { handlers: 'elsewhere' }).describe('GET user', { response: null })
  expect(versioning(options(routes, changes))).toBeInstanceOf(Function)
})

test('paths of documents are written as there', () => {
  const routes = () => routesOf(withPaths({ '/users/{id}': 'get put', '/x/{a}.{b}': 'get' }))
  const started = (operations: Operations) => () => versioning(options(routes(), changed(operations)))
  const takes = { 'GET /users/{id}': { path: '/a:b/{id}' }, 'GET /x/{a}.{b}': { path: '/y/{b}/{a}' } }
  expect(started(takes)()).toBeInstanceOf(Function)
  expect(started({ 'GET /users/{id}': { path: '/people/:id' } })).toThrow('that path has no parameters, and')
  expect(started({ 'GET /users/{id}': { path: 'people' } })).toThrow('but a path begins with "/".')
  expect(started({ 'GET /x/{a}.{b}': { path: '/y/{a}{b}' } })).toThrow('nothing tells where "a" ends and "b" begins')
})

describe('links', () => {
  const moved = changed(
    { 'PUT user': { path: '/people/:id' } },
    { 'GET file': { path: '/f/*path' }, 'GET user': 'added' },
  )

  test('follow GET; without GET in the version, the first method of the route', () => {
    const routes = namedRoutes({ user: '/users/:id', file: '/files/*path' })
    routes.route('user').put(respond).get(respond)
    routes.route('file').get(respond)
    const own = options(routes, moved)
    const links = moved.versions.map((version) => inVersion(version, own).path('user', { kwargs: { id: 7 } }))
    expect(links).toStrictEqual(['/people/7', '/users/7', '/users/7'])
    expect(inVersion('v1', own).path('file', { kwargs: { path: ['a', 'b/c'] } })).toBe('/f/a/b%2Fc')
    expect(() => inVersion('v1', own).path('file', { kwargs: { path: 7 } as never })).toThrow(
      '"file" (/f/*path) cannot take "path"',
    )
  })

  test('take args in the order of today, whatever the older path has', () => {
    const own = options(table({ pair: '/:a/x{/:b}' }), changed({ 'GET pair': { path: '{/:b}/y/:a' } }))
    const link = (given: object) => inVersion('v1', own).path('pair', given as never)
    expect(link({ args: [1, 2] })).toBe('/2/y/1')
    expect(link({ args: [1] })).toBe('/y/1')
    expect(link({ args: [1], kwargs: { a: 2 } })).toBe('/1/y/2')
    expect(() => link({ args: [1, 2, 3] })).toThrow('"pair" ({/:b}/y/:a) takes 2 args here, and got 3')
    expect(() => link({ args: '12' })).toThrow('takes a list of args')
    expect(() => link({ args: [undefined] })).toThrow('"pair" ({/:b}/y/:a) cannot take "a"')
  })

  test('of routes with handlers for all methods, or with none yet, follow GET too', () => {
    const routes = namedRoutes(PATHS)
    routes.route('user').all(respond)
    const own = options(routes, changed({ 'GET user': { path: '/a/:id' }, 'DELETE list': { path: '/all' } }))
    expect(inVersion('v1', own).path('user', { kwargs: { id: 7 } })).toBe('/a/7')
    expect(inVersion('v1', own).path('list')).toBe('/users')
  })
})

type Paths = Record<string, Record<string, unknown>>

describe('documents', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const of = (extra: object = {}) => ({ responses: { 204: { description: '' } }, ...extra })
  const pathsOf = (routes: object, changes: VersionHistory, more: object = {}) => {
    const documents = openapi(options(routes, changes, more))
    return changes.versions.map((version) => documents.document(version).paths) as [Paths, Paths]
  }

  test('of a table by hand have the path of the version, with the methods that are there', () => {
    const routes = namedRoutes({ user: '/users/:id' })
    routes.route('user').get(respond).put(respond)
    const [one, two] = pathsOf(routes, changed(at('/folk/:id')))
    expect(Object.entries(one).map(([path, item]) => [path, Object.keys(item)])).toStrictEqual([
      ['/folk/{id}', ['get']],
      ['/users/{id}', ['put']],
    ])
    expect(Object.keys(two)).toStrictEqual(['/users/{id}'])
  })

  test('made of documents move the operation with all that its path item says', () => {
    const document = documentOf({
      '/a': { get: of() },
      '/users/{id}': {
        summary: 'Users',
        parameters: [id, { name: 'q', in: 'query', schema: { type: 'string' } }],
        get: of({ operationId: 'user' }),
        put: of({ parameters: [{ name: 'q', in: 'query', schema: { type: 'integer' } }] }),
      },
      '/people/{id}': { parameters: [id, { name: 'z', in: 'query', schema: { type: 'string' } }], delete: of() },
      'x-own': 1,
    })
    const [one, two] = pathsOf(routesOf(document), changed({ 'GET /users/{id}': { path: '/people/{id}' } }))
    expect(Object.keys(two)).toStrictEqual(Object.keys(document.paths as object))
    expect(Object.keys(one)).toStrictEqual(['/a', '/people/{id}', '/users/{id}', 'x-own'])
    const q = { name: 'q', in: 'query', schema: { type: 'string' } }
    const carrier = expect.objectContaining({ in: 'header' })
    expect(one['/people/{id}']).toEqual({
      summary: 'Users',
      get: expect.objectContaining({ operationId: 'user', parameters: [id, q, carrier] }),
      delete: expect.objectContaining({ parameters: [id, expect.objectContaining({ name: 'z' }), carrier] }),
    })
    const { parameters, ...others } = one['/users/{id}'] as Paths
    expect([parameters, Object.keys(others)]).toEqual([
      [id, q],
      ['summary', 'put'],
    ])
  })

  test('of included documents keep the prefix, and the version in the path', () => {
    const inner = routesOf(withPaths({ '/users/{id}': 'get', '/': 'get' }))
    const routes = namedRoutes({}).include('/:version/api', inner, { namespace: 'a' })
    const changes = changed({ 'GET /users/{id}': { path: '/people/{id}' }, 'GET /': { path: '/home' } })
    const [one, two] = pathsOf(routes, changes, { scheme: URLPathVersioning })
    expect(Object.keys(one)).toStrictEqual(['/v1/api/people/{id}', '/v1/api/home'])
    expect(Object.keys(two)).toStrictEqual(['/v2/api/users/{id}', '/v2/api'])
  })

  test('of neutral operations stay', () => {
    const routes = routesOf(withPaths({ '/users/{id}': 'get', '/health': 'get' }))
    const moved = changed({ 'GET /users/{id}': { path: '/people/{id}' } })
    const [one] = pathsOf(routes, moved, { neutral: ['/health'] })
    expect(Object.keys(one)).toStrictEqual(['/people/{id}', '/health'])
  })
})
