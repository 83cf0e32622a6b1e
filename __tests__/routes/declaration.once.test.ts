import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { namedRoutes as typed } from 'express-versioning'
import { z } from 'zod'
import { serve } from '../support/serve'

type Table = ReturnType<typeof typed<Record<string, string>>>
const namedRoutes = typed as (routes: unknown, options?: unknown) => Table
const go = () => {}
const users = () => namedRoutes({ list: '/users', detail: '/users/:id' })
const root = () => namedRoutes({})
const within = (prefix: unknown, child: unknown = go, options?: object): Table =>
  root().include(prefix as string, child as typeof go, options as { namespace: string })
const v1 = { namespace: 'v1' }
const path = (given: unknown) => namedRoutes({ list: given })
const params: RequestHandler = (req, res) => void res.json(req.params)
const late = () => {
  const table = namedRoutes({ order: '/orders/:id' })
  table.route('order').get(params)
  return table
}
const orders = (above = '/:version/tenants/:tenant') => late().below(above)
const tenants = () => within('/tenants/:tenant', orders())

describe('a declaration is refused', () => {
  const [twice, parent, child] = [users(), users(), root()]
  parent.include('/x', within('/y', child))

  test.each(
    Object.entries<() => unknown>({
      "namedRoutes() takes an object of names and paths, such as { 'user-list': '/users' }; got '/u'.": () =>
        namedRoutes('/u'),
      '; got null.': () => namedRoutes(null),
      "; got [ '/u' ].": () => namedRoutes(['/u']),
      'namedRoutes() takes an object of options; got true.': () => namedRoutes({}, true),
      'namedRoutes(): unknown option "stric". Did you mean "strict"?': () => namedRoutes({}, { stric: true }),
      'namedRoutes(): option "strict" takes a boolean; got \'yes\'.': () => namedRoutes({}, { strict: 'yes' }),
      'option "caseSensitive" takes a boolean; got 1.': () => namedRoutes({}, { caseSensitive: 1 }),
      // paths
      'namedRoutes: route "list" takes a path (a string); got 7.': () => path(7),
      'namedRoutes: route "list": \'\' is no path: it must start with "/"': () => path(''),
      '{/a}b\' is no path: it must start with "/"': () => path('{/a}b'),
      '{:id}\' is no path: it must start with "/"': () => path('{:id}'),
      "'/:id?' is no path: Unexpected ? at index 4": () => path('/:id?'),
      '. Optional parts are written {/:id}, wildcards /*rest, and other characters of a pattern are escaped': () =>
        path('/:id?'),
      'Missing text before "b"': () => path('/:a:b'),
      'Too many path combinations': () => path('/a'.concat('{/b}'.repeat(9))),
      'it has a lone surrogate': () => path('/\ud800'),
      'parameter "id" is there twice': () => path('/:id/{:id}'),
      'namedRoutes: route "x": \'x\' is no path': () => users().add('x', 'x'),
      "use(): the path: '/:id?' is no path": () => users().use('/:id?', go),
      // names
      'namedRoutes: a route name is a non-empty string without ":"; got \'\'.': () => namedRoutes({ '': '/x' }),
      "got 'v1:list'.": () => users().add('v1:list', '/x'),
      'a namespace is a non-empty string without ":"; got \'\'.': () => within('/v1', go, { namespace: '' }),
      "got 'a:b'.": () => within('/v1', go, { namespace: 'a:b' }),
      'route(): this table has no name \'lst\' of its own. Did you mean "list"?': () => users().route('lst'),
      "no name 'v1:list' of its own.": () => within('/v1', users(), v1).route('v1:list'),
      'no name undefined of its own.': () => users().route(undefined as never),
      // handlers and prefixes
      'include() takes a namedRoutes() table or another router as its second argument; got {}.': () =>
        within('/v1', {}),
      'include(): unknown option "name". It takes "namespace".': () => within('/v1', go, { name: 'v1' }),
      'include(): the prefix takes a path (a string); got undefined.': () => within(undefined),
      'include(): the prefix: \'v1\' is no path: it must start with "/"': () => within('v1'),
      "include(): the prefix: a prefix takes no wildcard; got '/v1{/*rest}'.": () => within('/v1{/*rest}'),
      'must be a function': () => users().use('/x', 'y' as never),
      'handler is required': () => users().use('/x'),
      // what is taken
      'the name "list" is taken: "/users" has it, and "/x" would.': () => users().add('list', '/x'),
      '"list" is taken: "/" has it, and "/v1/users" would.': () => path('/').include('/v1', users()),
      '"list" is taken: "/a/users" has it, and "/b/users" would.': () => within('/a', twice).include('/b', twice),
      'namedRoutes: namespace "v1" is taken in this table, by what is included at "/a".': () =>
        within('/a', users(), v1).include('/b', go, v1),
      'parameter "id" is in the prefix "/:id" and again below it, in "/users/:id".': () => within('/:id', users()),
      'in the prefix "/:id" and again below it, in "/x/users/:id".': () => within('/:id', within('/x', users())),
      'in the prefix "/:v" and again below it, in "/:v".': () => within('/:v', within('/:v')),
      'a table cannot include itself (at "/x").': () => twice.include('/x', twice, { namespace: 'x' }),
      'a table cannot include itself (at "/z").': () => child.include('/z', parent),
      // below()
      'below(): this table says already that it stands below "/:version".': () =>
        orders('/:version').below('/:version'),
      'below(): the prefix: \'x\' is no path: it must start with "/"': () => orders('x'),
      'in the prefix "/:id" and again below it, in "/orders/:id"': () => orders('/:id'),
      'in the prefix "/:version" and again below it, in "/late/:version"': () =>
        orders('/:version').add('x', '/late/:version'),
      'in the prefix "/:version" and again below it, in "/:version"': () =>
        orders('/:version').include('/:version', path('/a')),
    }),
  )('%s', (message, declare) => {
    expect(declare).toThrow(TypeError)
    expect(declare).toThrow(message)
  })

  test.each(
    Object.entries<(child: Table) => unknown>({
      '"tenant" is in the prefix "/:tenant" and again below it, in "/:tenant"': (child) => child.add('x', '/:tenant'),
      '"tenant" is in the prefix "/:tenant" and again below it, in': (child) => child.include('/:tenant', go),
      '"home" is taken: "/" has it, and "/:tenant/m/x" would.': (child) => child.add('home', '/x'),
      '"detail" is taken: "/d" has it, and "/x/users/:id" would.': (child) => child.include('/x', users()),
    }),
  )('later, by a table above that has it, and nothing changes: %s', (message, declare) => {
    const child = namedRoutes({ detail: '/d' })
    const root = namedRoutes({ home: '/' }).include('/:tenant', within('/m', child))
    const before = [child.list(), root.list()]
    expect(() => declare(child)).toThrow(message)
    expect([child.list(), root.list(), child.resolve('/x')]).toEqual([...before, null])
    child.add('other', '/x')
    expect(root.list().map(({ name }) => name)).toEqual(['home', 'detail', 'other'])
  })

  test('if one name reaches a table by two ways', () => {
    const both = within('/a', child).include('/b', within('/c', child))
    expect(() => child.add('twice', '/x')).toThrow('"twice" is taken: "/a/x" has it, and "/b/c/x" would')
    expect(both.has('twice')).toBe(false)
  })

  const optional = () => within('{/:version}', orders('/:version'))
  const other = () => root().below('/:v').include('/tenants/:tenant', orders())
  test.each<[prefix: string, above: string, declare: () => unknown, fault?: string]>([
    ['/v1', '/:version', () => within('/v1', orders('/:version'))],
    ['/shops/:tenant', '/:version/tenants/:tenant', () => within('/shops/:tenant', orders())],
    ['/', '/:version/tenants/:tenant', () => within('/', orders())],
    ['/:v', '/:version', () => within('/:v', orders('/:version'))],
    ['{/:version}', '/:version', optional, 'is optional'],
    ['/x', '/:version', () => root().below('{/:version}').include('/x', orders('/:version'))],
    // A table between: the outer prefix lacks the rest, is there before, or is said to be another.
    ['/v1', '/:version', () => within('/v1', tenants())],
    ['/v1', '/:version', () => between('/v1')],
    ['/tenants/:tenant', '/:version/tenants/:tenant', other],
    ['/b', '/:version', () => elsewhere(orders('/:version'))],
    ['/b', '/:version', () => elsewhere(late(), (table) => table.below('/:version'))],
  ])('at %s for a table below %s', (prefix, above, declare, fault = 'is missing') => {
    const remedy = 'If a prefix further out gives it, say so before: .below() of the table that includes this one.'
    const place = `is included at "${prefix}", where "version" ${fault}.`
    const message = `namedRoutes: a table that says that it stands below "${above}" ${place} ${remedy}`
    expect(declare).toThrow(new TypeError(message))
  })
})

function between(prefix: string, app?: Application) {
  const table = root()
  app?.use(within(prefix, table))
  if (app === undefined) within(prefix, table)
  return table.include('/tenants/:tenant', orders())
}
function elsewhere(table: Table, then: (table: Table) => unknown = go) {
  within('/:version', table, { namespace: 'a' }).include('/b', table, { namespace: 'b' })
  then(table)
}

describe('below() says which parameters the prefixes give', () => {
  const halfway = () => root().below('/:version').include('/tenants/:tenant', orders())
  test.each(
    Object.entries<(app: Application) => unknown>({
      'one prefix': (app) => app.use(within('/:version/tenants/:tenant', orders())),
      'one with other literal text': (app) => app.use(within('/:version{/x}/tenants/:tenant', orders())),
      'an outer prefix that comes later': (app) => app.use(within('/:version', halfway())),
      'an outer prefix, if the inner one is the end': (app) => app.use(within('/:version', tenants())),
      'three prefixes, each an end': (app) =>
        app.use(within('/:version/', within('/tenants/', within('/:tenant/', orders())))),
      'an outer prefix that was there before': (app) => between('/:version', app),
      'a mount of Express': (app) => app.use('/:version/tenants/:tenant', orders()),
      'a mount of Express before the end': (app) => app.use('/:version', tenants()),
      'a mount of Express and a prefix': (app) => app.use('/:version', halfway()),
      'a router that merges parameters': (app) =>
        app.use('/:version', express.Router({ mergeParams: true }).use('/tenants/:tenant', orders())),
      'a call after include()': (app) => {
        const table = late()
        app.use(within('/:version/tenants/:tenant', table))
        table.below('/:version/tenants/:tenant')
      },
    }),
  )('by %s', async (_where, build) => {
    const { get } = await serve((app) => void build(app))
    const { status, json } = await get('/v1/tenants/acme/orders/7')
    expect({ status, json }).toEqual({ status: 200, json: { version: 'v1', tenant: 'acme', id: '7' } })
  })

  test.each(['/v1', '/:version', '{/:version}'])('an optional parameter may come from %s', async (prefix) => {
    const { get } = await serve((app) => app.use(within(prefix, orders('{/:version}'))))
    expect((await get('/v1/orders/7')).json).toEqual(prefix === '/v1' ? { id: '7' } : { version: 'v1', id: '7' })
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
})

describe('a table', () => {
  const child = users()
  child.route('detail').get(go).all(go).get(go)
  const table = namedRoutes({ home: '/' })
    .include('/:v/', child, { namespace: 'v' })
    .include('/', users())
    .include('/r', express.Router(), { namespace: 'r' })
    .include('/n{/:o}', within('/', child, { namespace: 'n' }), { namespace: 'm' })
    .add('late', '/late/*rest')

  test('lists its names as declared', () => {
    const one = (name: string, path: string, params: string[] = [], methods: string[] = []) => ({
      name,
      path,
      params,
      methods,
    })
    expect(table.list()).toEqual([
      one('home', '/'),
      one('v:list', '/:v/users', ['v']),
      one('v:detail', '/:v/users/:id', ['v', 'id'], ['GET', 'ALL']),
      one('list', '/users'),
      one('detail', '/users/:id', ['id']),
      one('m:n:list', '/n{/:o}/users', ['o']),
      one('m:n:detail', '/n{/:o}/users/:id', ['o', 'id'], ['GET', 'ALL']),
      one('late', '/late/*rest', ['rest']),
    ])
    expect([...table.names()]).toEqual(table.list().map(({ name }) => name))
    expect(table.namespaces()).toEqual(['v', 'r', 'm', 'm:n'])
    expect([table.near('v:lst'), table.near(undefined as never)]).toEqual([['v:list'], []])
  })

  test('tells the paths of its names, one for each choice of optional parts', () => {
    const [home, , , , , list, , late] = table.facts()
    const o = { name: 'o', wildcard: false }
    expect(home).toMatchObject({ viewName: 'home', pattern: '/', methods: [], paths: [['/']] })
    expect(list).toMatchObject({ pattern: '/n{/:o}/users', paths: [['/n/', o, '/users'], ['/n/users']] })
    expect(late?.paths).toEqual([['/late/', { name: 'rest', wildcard: true }]])
    expect(within('/', path('{/x}')).facts()[0]?.paths).toEqual([['/x'], ['/']])
  })

  test('has the methods and handlers of a name', () => {
    const [get, both, head] = [() => {}, () => {}, () => {}]
    const table = users()
    table.route('list').get(get).all(both)
    table.route('detail').get(get).head(head)
    expect([table.methodsOf('list'), table.methodsOf('nope')]).toEqual([['GET', 'ALL'], []])
    const asked = ['GET list', 'HEAD list', 'PUT list', 'HEAD detail', 'GET nope'].map(
      (one) => one.split(' ') as [string, string],
    )
    const handlers = asked.map(([method, name]) => table.handlersOf(name, method))
    expect(handlers).toEqual([[get, both], [get, both], [both], [head], []])
  })

  test('has a revision that grows with names, handlers, descriptions and mounts, here or below', () => {
    const inner = users()
    const table = within('/x', inner).include('/r', express.Router())
    const changes = [
      () => inner.add('late', '/late'),
      () => inner.route('late').get(go),
      () => inner.route('late').post(go),
      () => table.describe('GET late', {}),
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
})

describe('describe()', () => {
  const standard = { '~standard': { jsonSchema: { input: () => ({}), output: () => ({}) } } }

  test.each<[description: unknown]>([
    [{ summary: 'S', description: 'D', tags: ['t'], deprecated: false, query: { type: 'object' } }],
    [{ body: z.object({}), response: { 200: true, 204: null, 404: undefined }, operation: { 'x-a': undefined } }],
    [{ body: null, response: null, versions: { v1: { response: null, operation: {} }, v2: undefined } }],
    [{ response: Object.assign(() => {}, standard), versions: undefined }],
  ])('takes %p', (description) => {
    const table = users()
    expect(table.describe('GET list', description as never)).toBe(table)
    expect(table.facts()[0]?.describedAs('GET')).toBe(description)
  })

  const json = `option "operation" takes what OpenAPI's Operation Object has, as JSON; got`
  const versions = 'option "versions" takes an object of descriptions by version; got'
  test.each<[message: string, description: unknown, operation?: string]>([
    [`describe(): this table has no name 'lst'. Did you mean "list"?`, {}, 'GET lst'],
    ['describe() takes an operation', {}, 'GET'],
    ['describe() takes an operation', {}, 'get list'],
    ["GET covers HEAD; write 'GET list'", {}, 'HEAD list'],
    ['describe(): "GET list" takes an object of options; got null.', null],
    ['describe(): "GET list": unknown option "sumary". Did you mean "summary"?', { sumary: 'S' }],
    ['option "summary" takes a text; got 7.', { summary: 7 }],
    ['option "tags" takes a list of texts', { tags: 'users' }],
    ['option "tags" takes a list of texts', { tags: [7] }],
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
    ['"versions.v1": option "summary" takes a text', { versions: { v1: { summary: 7 } } }],
  ])('refuses: %s', (message, description, operation = 'GET list') => {
    const describes = () => users().describe(operation as 'GET list', description as never)
    expect(describes).toThrow(TypeError)
    expect(describes).toThrow(message)
  })

  test('the outermost of several descriptions wins', () => {
    const inner = users().describe('GET list', { summary: 'inner' }).describe('POST list', { summary: 'inner' })
    const middle = within('/x', inner).describe('POST list', { summary: 'middle' })
    const outer = within('/a', middle, { namespace: 'a' }).include('/b', middle, { namespace: 'b' })
    outer.describe('POST b:list', { summary: 'outer' })
    const summaries = outer
      .facts()
      .flatMap(({ viewName, describedAs }) =>
        ['GET', 'POST', 'PUT'].map((method) => `${viewName} ${describedAs(method)?.summary}`),
      )
    expect(summaries.filter((told) => !told.endsWith('undefined'))).toEqual([
      'a:list inner',
      'a:list middle',
      'b:list inner',
      'b:list outer',
    ])
  })
})
