import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { namedRoutes as typed } from 'express-versioning'
import { z } from 'zod'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { routed, type Table } from '../support/tables'

const namedRoutes = typed as (routes: unknown, options?: unknown) => Table
const go = () => {}
const users = () => namedRoutes({ list: '/users', detail: '/users/:id' })
const root = () => namedRoutes({})
const within = (prefix: unknown, child: unknown = go, options?: object): Table =>
  root().include(prefix as string, child as typeof go, options as { namespace: string })
const v1 = { namespace: 'v1' }
const path = (given: unknown) => namedRoutes({ list: given })
const params: RequestHandler = (req, res) => void res.json(req.params)
const late = () => routed({ order: '/orders/:id' }, params)
const orders = (above = '/:version/tenants/:tenant') => late().below(above)
const tenants = () => within('/tenants/:tenant', orders())
const between = (outer: Application | Table, prefix: string, table = root()) => {
  outer.use(within(prefix, table) as never)
  return table.include('/tenants/:tenant', orders())
}
const elsewhere = (table: Table) => {
  within('/:version', table, { namespace: 'a' }).include('/b', table, { namespace: 'b' })
  return table
}
const byTwoWays = (child = root()) => {
  within('/a', child).include('/b', within('/c', child))
  return child
}
const halfway = () => root().below('/:version').include('/tenants/:tenant', orders())

const [twice, inner] = [users(), root()]
const outer = within('/x', within('/y', inner))
const TAKES = "namedRoutes() takes an object of names and paths, such as { 'user-list': '/users' }; got"
const ONCE = 'Include the table once, at an optional prefix: include'
const TWICE = 'To include a table twice, give each a name: include(prefix, table, { namespace }).'
const PLACES = 'option "places" takes the name of a shape, null or a function'
const START = 'is no path: it must start with "/"'

test.each<[message: string, declare: () => unknown]>([
  [`${TAKES} '/u'.`, () => namedRoutes('/u')],
  ['; got null.', () => namedRoutes(null)],
  ["; got [ '/u' ].", () => namedRoutes(['/u'])],
  ['namedRoutes() takes an object of options; got true.', () => namedRoutes({}, true)],
  ['namedRoutes(): unknown option "stric". Did you mean "strict"?', () => namedRoutes({}, { stric: true })],
  ['namedRoutes(): option "strict" takes a boolean; got \'yes\'.', () => namedRoutes({}, { strict: 'yes' })],
  ['namedRoutes(): option "handlers" takes \'elsewhere\'; got true.', () => namedRoutes({}, { handlers: true })],
  [
    "option \"undocumented\" takes 'reject' or 'pass'; got true.",
    () => namedRoutes({}, { handlers: 'elsewhere', undocumented: true }),
  ],
  ['option "undocumented" needs { handlers: \'elsewhere\' }', () => namedRoutes({}, { undocumented: 'pass' })],
  ['option "places" takes an object of meanings by place, such as', () => namedRoutes({}, { places: [] })],
  [`${PLACES} at 'User'; got ''.`, () => namedRoutes({}, { places: { User: '' } })],
  [`${PLACES} at 'User'; got 7.`, () => namedRoutes({}, { places: { User: 7 } })],
  // paths
  ['namedRoutes: route "list" takes a path (a string); got 7.', () => path(7)],
  [`include(): the prefix: '' ${START}`, () => within('', go)],
  [`{/a}b' ${START}`, () => path('{/a}b')],
  ['Missing text before "b"', () => path('/:a:b')],
  ['Too many path combinations', () => path('/a'.concat('{/b}'.repeat(9)))],
  ['it has a lone surrogate', () => path('/\ud800')],
  ['parameter "id" is there twice', () => path('/:id/{:id}')],
  ["use(): the path: '/:id?' is no path", () => users().use('/:id?', go)],
  // names
  ['namedRoutes: a route name is a non-empty string without ":"; got \'\'.', () => namedRoutes({ '': '/x' })],
  ["got 'v1:list'.", () => users().add('v1:list', '/x')],
  ['namedRoutes: a namespace does not begin with "/"; got \'/v1\'.', () => within('/v1', go, { namespace: '/v1' })],
  ['a namespace is a non-empty string without ":"; got \'\'.', () => within('/v1', go, { namespace: '' })],
  ['this table has no name \'lst\' of its own. Did you mean "list"?', () => users().route('lst')],
  ["route(): this table has no name 'v1:list' of its own.", () => within('/v1', users(), v1).route('v1:list')],
  ['no name undefined of its own.', () => users().route(undefined as never)],
  ['resolve() takes a path; got 7.', () => users().resolve(7 as never)],
  // handlers and prefixes
  ['() takes a namedRoutes() table or another router as its second argument; got {}.', () => within('/v1', {})],
  ['include(): unknown option "name". It takes "namespace".', () => within('/v1', go, { name: 'v1' })],
  ['include(): the prefix takes a path (a string); got undefined.', () => within(undefined)],
  ["include(): the prefix: a prefix takes no wildcard; got '/v1{/*rest}'.", () => within('/v1{/*rest}')],
  // what is taken
  ['the name "list" is taken: "/users" has it, and "/x" would.', () => users().add('list', '/x')],
  ['"list" is taken: "/a/users" has it, and "/x" would.', () => within('/a', users()).add('list', '/x')],
  [`has it, and "/b/users" would. ${TWICE}`, () => within('/a', twice).include('/b', twice)],
  [`has it, and "/a/users" would. ${TWICE}`, () => within('/a', twice).include('/a', twice)],
  [`has it, and "/ab/users" would. ${TWICE}`, () => within('/a', twice).include('/ab', twice)],
  [`"/:v/users" would. ${ONCE}('{/:v}', table).`, () => within('/', twice).include('/:v', twice)],
  [`"/users" would. ${ONCE}('{/:v}', table).`, () => within('/:v', twice).include('/', twice)],
  [`"/api/:v/users" would. ${ONCE}('/api{/:v}', table).`, () => within('/api/', twice).include('/api/:v', twice)],
  ['"v1" is taken in this table, by what is included at "/a".', () => within('/a', go, v1).include('/b', go, v1)],
  ['parameter "id" is in the prefix "/:id" and again below it, in "/users/:id".', () => within('/:id', users())],
  ['in the prefix "/:id" and again below it, in "/x/users/:id".', () => within('/:id', within('/x', users()))],
  ['in the prefix "/:v" and again below it, in "/:v".', () => within('/:v', within('/:v'))],
  ['a table cannot include itself (at "/x").', () => twice.include('/x', twice, { namespace: 'x' })],
  ['a table cannot include itself (at "/z").', () => inner.include('/z', outer)],
  ['"twice" is taken: "/a/x" has it, and "/b/c/x" would', () => byTwoWays().add('twice', '/x')],
  // below()
  ['below(): this table says already that it stands below "/:v".', () => orders('/:v').below('/:v')],
  [`below(): the prefix: 'x' ${START}`, () => orders('x')],
  ['in the prefix "/:id" and again below it, in "/orders/:id"', () => orders('/:id')],
  ['in the prefix "/:v" and again below it, in "/late/:v"', () => orders('/:v').add('x', '/late/:v')],
  ['in the prefix "/:v" and again below it, in "/:v"', () => orders('/:v').include('/:v', path('/a'))],
])('a declaration is rejected: %s', (message, declare) => {
  expect(declare).toThrow(TypeError)
  expect(declare).toThrow(message)
})

test('a pattern is rejected with the error of path-to-regexp as its cause', () => {
  const message = expect.stringContaining(
    '. Optional parts are written {/:id}, wildcards /*rest, and other characters of a',
  )
  const cause = expect.objectContaining({ message: expect.stringContaining('Unexpected ? at index 4') })
  expect(() => path('/:id?')).toThrow(expect.objectContaining({ message, cause }))
})

test.each<[message: string, declare: (child: Table) => unknown]>([
  ['"tenant" is in the prefix "/:tenant" and again below it, in "/:tenant"', (child) => child.add('x', '/:tenant')],
  ['"tenant" is in the prefix "/:tenant" and again below it, in', (child) => child.include('/:tenant', go)],
  ['"home" is taken: "/" has it, and "/:tenant/m/x" would.', (child) => child.add('home', '/x')],
  ['"detail" is taken: "/d" has it, and "/x/users/:id" would.', (child) => child.include('/x', users())],
])('a late declaration is rejected by a table above that has it, and nothing changes: %s', (message, declare) => {
  const child = namedRoutes({ detail: '/d' })
  const root = namedRoutes({ home: '/' }).include('/:tenant', within('/m', child))
  const before = [child.list(), root.list()]
  expect(() => declare(child)).toThrow(message)
  expect([child.list(), root.list(), child.resolve('/x')]).toEqual([...before, null])
  child.add('other', '/x')
  expect(root.list().map(({ name }) => name)).toEqual(['home', 'detail', 'other'])
})

test.each<[prefix: string, above: string, declare: () => unknown, fault?: string]>([
  ['/v1', '/:version', () => within('/v1', orders('/:version'))],
  ['/shops/:tenant', '/:version/tenants/:tenant', () => within('/shops/:tenant', orders())],
  ['/', '/:version/tenants/:tenant', () => within('/', orders())],
  ['{/:version}', '/:version', () => within('{/:version}', orders('/:version')), 'is optional'],
  ['/x', '/:version', () => root().below('{/:version}').include('/x', orders('/:version'))],
  // A table between: the outer prefix lacks the rest, is there before, or is said to be another.
  ['/v1', '/:version', () => within('/v1', tenants())],
  ['/v1', '/:version', () => between(root(), '/v1')],
  ['/tenants/:tenant', '/:version/tenants/:tenant', () => root().below('/:v').include('/tenants/:tenant', orders())],
  ['/b', '/:version', () => elsewhere(orders('/:version'))],
  ['/b', '/:version', () => elsewhere(late()).below('/:version')],
])('a table below a prefix is rejected at %s, below %s', (prefix, above, declare, fault = 'is missing') => {
  const remedy = 'If a prefix further out gives it, say so before: .below() of the table that includes this one.'
  const place = `is included at "${prefix}", where "version" ${fault}.`
  const message = `namedRoutes: a table that says that it stands below "${above}" ${place} ${remedy}`
  expect(declare).toThrow(new TypeError(message))
})

const merging = () => express.Router({ mergeParams: true }).use('/tenants/:tenant', orders())
const said = (prefix: string, table = late()) => {
  const outer = within(prefix, table)
  table.below(prefix)
  return outer
}
const ends = () => within('/:version/', within('/tenants/', within('/:tenant/', orders())))
test.each<[where: string, build: (app: Application) => unknown]>([
  ['one prefix with other literal text', (app) => app.use(within('/:version{/x}/tenants/:tenant', orders()))],
  ['three prefixes, each an end', (app) => app.use(ends())],
  ['an outer prefix that was there before', (app) => between(app, '/:version')],
  ['a mount of Express', (app) => app.use('/:version/tenants/:tenant', orders())],
  ['a mount of Express and a prefix', (app) => app.use('/:version', halfway())],
  ['a router that merges parameters', (app) => app.use('/:version', merging())],
  ['a prefix that was there before below()', (app) => app.use(said('/:version/tenants/:tenant'))],
  ['a prefix with an optional one', (app) => app.use(said('{/in/:unit}/:version/tenants/:tenant'))],
])('below() says which parameters the prefixes give: %s', async (_where, build) => {
  const { get } = await serve((app) => void build(app))
  const { status, json } = await get('/v1/tenants/acme/orders/7')
  expect({ status, json }).toEqual({ status: 200, json: { version: 'v1', tenant: 'acme', id: '7' } })
})

test('a table that is entered without one is an error, and runs no handler', async () => {
  const error =
    'A route table that says that it stands below "/:version" was entered at "/api", without a parameter "version". ' +
    'Mount it at such a path, in routers with mergeParams: true; or include() it in a table.'
  const { get } = await serve((app) => {
    const tell: ErrorRequestHandler = (error, _req, res, next) => next(void res.set('X-Error', error.message))
    app.use('/api', orders('/:version'), tell, root().use(params))
  })
  expect(await get('/api/orders/7')).toMatchObject({ status: 200, json: {}, headers: { 'x-error': error } })
  const next = jest.fn()
  orders('/:version')({ url: '/orders/7', method: 'GET', headers: {} } as never, {} as never, next)
  expect(next).toHaveBeenCalledWith(new TypeError(error.replace('"/api"', '"/"')))
})

const child = users()
child.route('detail').get(go).all(go).get(go)
const table = namedRoutes({ home: '/' })
  .include('/:v/', child, { namespace: 'v' })
  .include('/', users())
  .include('/r', express.Router(), { namespace: 'r' })
  .include('/n{/:o}', within('/', child, { namespace: 'n' }), { namespace: 'm' })
  .add('late', '/late/*rest')

test('a table lists its names as declared', () => {
  const words = table.list().map(({ name, path, params, methods }) => [name, path, ...params, ...methods].join(' '))
  expect(words).toEqual([
    'home /',
    'v:list /:v/users v',
    'v:detail /:v/users/:id v id GET ALL',
    'list /users',
    'detail /users/:id id',
    'm:n:list /n{/:o}/users o',
    'm:n:detail /n{/:o}/users/:id o id GET ALL',
    'late /late/*rest rest',
  ])
  expect([...table.names()]).toEqual(table.list().map(({ name }) => name))
  expect(table.namespaces()).toEqual(['v', 'r', 'm', 'm:n'])
  expect([table.near('v:lst'), table.near(undefined as never)]).toEqual([['v:list'], []])
})

test('a table tells the paths of its names, one for each choice of optional parts', () => {
  const [home, , , , , list, , late] = table.facts()
  const o = { name: 'o', wildcard: false }
  expect(home).toMatchObject({ viewName: 'home', pattern: '/', methods: [], paths: [['/']] })
  expect(list).toMatchObject({ pattern: '/n{/:o}/users', paths: [['/n/', o, '/users'], ['/n/users']] })
  expect(late?.paths).toEqual([['/late/', { name: 'rest', wildcard: true }]])
  expect(within('/', path('{/x}')).facts()[0]?.paths).toEqual([['/x'], ['/']])
})

test('a table has the methods and handlers of a name', () => {
  const [get, both, head] = [() => {}, () => {}, () => {}]
  const table = users()
  table.route('list').get(get).all(both)
  table.route('detail').get(get).head(head)
  expect([table.methodsOf('list'), table.methodsOf('nope')]).toEqual([['GET', 'ALL'], []])
  const asked = rows('GET | list\nHEAD | list\nPUT | list\nHEAD | detail\nGET | nope') as [string, string][]
  const handlers = asked.map(([method, name]) => table.handlersOf(name, method))
  expect(handlers).toEqual([[get, both], [get, both], [both], [head], []])
})

test('a table has a revision that grows with names, handlers, descriptions and mounts, here or below', () => {
  const inner = users()
  const table = within('/x', inner).include('/r', express.Router())
  const changes = [
    () => inner.add('late', '/late'),
    () => inner.route('late').get(go),
    () => inner.route('late').post(go),
    () => table.describe('GET late', {}),
    () => table.include('/y', users(), { namespace: 'y' }),
  ]
  for (const change of changes) {
    const before = table.revision()
    expect(table.revision()).toBe(before)
    change()
    expect(table.revision()).toBeGreaterThan(before)
  }
})

const standard = { '~standard': { jsonSchema: { input: () => ({}), output: () => ({}) } } }

test.each<[description: unknown]>([
  [{ summary: 'S', description: 'D', tags: ['t'], deprecated: false, query: { type: 'object' } }],
  [{ body: z.object({}), response: { 200: true, 204: null, 404: undefined }, operation: { 'x-a': undefined } }],
  [{ body: null, response: null, versions: { v1: { response: null, operation: {} }, v2: undefined } }],
  [{ response: Object.assign(() => {}, standard), versions: undefined }],
])('describe() takes %p', (description) => {
  const table = users()
  expect(table.describe('GET list', description as never)).toBe(table)
  expect(table.facts()[0]?.describedAs('GET')).toBe(description)
})

const json = `option "operation" takes what OpenAPI's Operation Object has, as JSON; got`
const versions = 'option "versions" takes an object of descriptions by version; got'
test.each<[message: string, description: unknown, operation?: string]>([
  [`describe(): this table has no name 'lst'. Did you mean "list"?`, {}, 'GET lst'],
  ['describe() takes an operation', {}, 'get list'],
  ["describe() takes an operation, such as 'GET user-detail'", {}, 'GET '],
  ["GET covers HEAD; write 'GET list'", {}, 'HEAD list'],
  ['describe(): "GET list" takes an object of options; got null.', null],
  ['describe(): "GET list": unknown option "sumary". Did you mean "summary"?', { sumary: 'S' }],
  ['option "summary" takes a string; got 7.', { summary: 7 }],
  ['option "tags" takes a list of strings', { tags: 'users' }],
  ['option "tags" takes a list of strings', { tags: [7] }],
  ['option "deprecated" takes true or false', { deprecated: 'yes' }],
  ['option "query" takes JSON Schema', { query: null }],
  ['option "body" takes JSON Schema', { body: [] }],
  [', such by status, such as { 200: User, 204: null }, or null; got', { response: { 200: 7 } }],
  [`${json} null.`, { operation: null }],
  [`${json} [].`, { operation: [] }],
  [json, { operation: { security: go } }],
  [`${versions} null.`, { versions: null }],
  [`${versions} 7.`, { versions: 7 }],
  [`${versions} [].`, { versions: [] }],
  ['describe(): "GET list": "versions.v1": unknown option "versions".', { versions: { v1: { versions: {} } } }],
  ['"versions.v1": option "summary" takes a string', { versions: { v1: { summary: 7 } } }],
])('describe() rejects: %s', (message, description, operation = 'GET list') => {
  const describes = () => users().describe(operation as 'GET list', description as never)
  expect(describes).toThrow(TypeError)
  expect(describes).toThrow(message)
})

test('the outermost of several descriptions wins', () => {
  const inner = users().describe('GET list', { summary: 'inner' }).describe('POST list', { summary: 'inner' })
  const middle = within('/x', inner).describe('POST list', { summary: 'middle' })
  const outer = within('/a', middle, { namespace: 'a' }).include('/b', middle, { namespace: 'b' })
  outer.describe('POST b:list', { summary: 'outer' })
  const told = outer
    .facts()
    .flatMap(({ viewName, describedAs }) =>
      ['GET', 'POST', 'PUT'].map((method) => `${viewName} ${describedAs(method)?.summary}`),
    )
  const found = ['a:list inner', 'a:list middle', 'b:list inner', 'b:list outer']
  expect(told.filter((one) => !one.endsWith('undefined'))).toEqual(found)
})
