import express from 'express'
import { namedRoutes as typed } from 'express-versioning'
import { z } from 'zod'

type Table = ReturnType<typeof typed<Record<string, string>>>
const namedRoutes = typed as (routes: unknown, options?: unknown) => Table
const go = () => {}
const users = () => namedRoutes({ list: '/users', detail: '/users/:id' })
const within = (prefix: unknown, child: unknown = go, options?: object): Table =>
  namedRoutes({}).include(prefix as string, child as typeof go, options as { namespace: string })
const route = (path: unknown) => namedRoutes({ list: path })

describe('a declaration is refused', () => {
  const twice = users()
  const [parent, child] = [users(), namedRoutes({})]
  parent.include('/x', within('/y', child))

  test.each<[message: string, declare: () => unknown]>([
    [
      "namedRoutes() takes an object of names and paths, such as { 'user-list': '/users' }; got '/u'.",
      () => namedRoutes('/u'),
    ],
    ['; got null.', () => namedRoutes(null)],
    ["; got [ '/u' ].", () => namedRoutes(['/u'])],
    ['namedRoutes() takes an object of options; got true.', () => namedRoutes({}, true)],
    ['namedRoutes(): unknown option "stric". Did you mean "strict"?', () => namedRoutes({}, { stric: true })],
    [`namedRoutes(): option "strict" takes a boolean; got 'yes'.`, () => namedRoutes({}, { strict: 'yes' })],
    ['option "caseSensitive" takes a boolean; got 1.', () => namedRoutes({}, { caseSensitive: 1 })],
    // paths
    ['namedRoutes: route "list" takes a path (a string); got 7.', () => route(7)],
    ['takes a path (a string); got /x/.', () => route(/x/)],
    [`namedRoutes: route "list": '' is no path: it must start with "/"`, () => route('')],
    [`'users' is no path: it must start with "/"`, () => route('users')],
    ['it must start with "/"', () => route('{/a}b')],
    ['it must start with "/"', () => route('{:id}')],
    [`'/:id?' is no path: Unexpected ? at index 4`, () => route('/:id?')],
    ['. Optional parts are written {/:id}, wildcards /*rest, and other characters of', () => route('/:id?')],
    ['Unexpected (', () => route('/:id(\\d+)')],
    ['Missing parameter name', () => route('/*')],
    ['Missing text before "b"', () => route('/:a:b')],
    ['Too many path combinations', () => route('/a'.concat('{/b}'.repeat(9)))],
    ['it has a lone surrogate', () => route('/\ud800')],
    ['parameter "id" is there twice', () => route('/:id/{:id}')],
    [`namedRoutes: route "x": 'x' is no path`, () => users().add('x', 'x')],
    [`use(): the path: '/:id?' is no path`, () => users().use('/:id?', go)],
    // names
    [`namedRoutes: a route name is a non-empty string without ":"; got ''.`, () => namedRoutes({ '': '/x' })],
    ["got 'v1:list'.", () => namedRoutes({ 'v1:list': '/x' })],
    ["got 'v1:list'.", () => users().add('v1:list', '/x')],
    [`a namespace is a non-empty string without ":"; got ''.`, () => within('/v1', go, { namespace: '' })],
    ["got 'a:b'.", () => within('/v1', go, { namespace: 'a:b' })],
    [`route(): this table has no name 'lst' of its own. Did you mean "list"?`, () => users().route('lst')],
    ["no name 'v1:list' of its own.", () => within('/v1', users(), { namespace: 'v1' }).route('v1:list')],
    ['no name undefined of its own.', () => users().route(undefined as never)],
    // handlers and prefixes
    [
      'include() takes a namedRoutes() table or another router as its second argument; got {}.',
      () => within('/v1', {}),
    ],
    ['include(): unknown option "name". It takes "namespace".', () => within('/v1', go, { name: 'v1' })],
    ['include(): the prefix takes a path (a string); got undefined.', () => within(undefined)],
    ['must start with "/"', () => within('')],
    [`include(): the prefix: 'v1' is no path: it must start with "/"`, () => within('v1')],
    ["include(): the prefix: a prefix takes no wildcard; got '/*rest'.", () => within('/*rest', users())],
    ["a prefix takes no wildcard; got '/v1{/*rest}'.", () => within('/v1{/*rest}')],
    ['Too many path combinations', () => within('/a'.concat('{/b}'.repeat(9)))],
    ['must be a function', () => users().use('/x', 'y' as never)],
    ['handler is required', () => users().use('/x')],
    // what is taken
    ['the name "list" is taken: "/users" has it, and "/x" would.', () => users().add('list', '/x')],
    ['"list" is taken: "/" has it, and "/v1/users" would.', () => route('/').include('/v1', users())],
    ['"list" is taken: "/a/users" has it, and "/b/users" would.', () => within('/a', twice).include('/b', twice)],
    [
      'namedRoutes: namespace "v1" is taken in this table, by what is included at "/a".',
      () => within('/a', users(), { namespace: 'v1' }).include('/b', go, { namespace: 'v1' }),
    ],
    ['parameter "id" is in the prefix "/:id" and again below it, in "/users/:id".', () => within('/:id', users())],
    [
      '"id" is in the prefix "/:id" and again below it, in "/x/users/:id".',
      () => within('/:id', within('/x', users())),
    ],
    ['in the prefix "/:v" and again below it, in "/:v".', () => within('/:v', within('/:v'))],
    ['a table cannot include itself (at "/x").', () => twice.include('/x', twice, { namespace: 'x' })],
    ['a table cannot include itself (at "/z").', () => child.include('/z', parent)],
  ])('%s', (message, declare) => {
    expect(declare).toThrow(TypeError)
    expect(declare).toThrow(message)
  })

  test.each<[message: string, declare: (tables: { child: Table; root: Table }) => unknown]>([
    [
      '"tenant" is in the prefix "/:tenant" and again below it, in "/:tenant"',
      ({ child }) => child.add('x', '/:tenant'),
    ],
    ['"tenant" is in the prefix "/:tenant" and again below it, in', ({ child }) => child.include('/:tenant', go)],
    ['"home" is taken: "/" has it, and "/:tenant/m/x" would.', ({ child }) => child.add('home', '/x')],
    ['"detail" is taken: "/d" has it, and "/x/users/:id" would.', ({ child }) => child.include('/x', users())],
  ])('later, by a table above that has it, and nothing changes: %s', (message, declare) => {
    const child = namedRoutes({ detail: '/d' })
    const root = namedRoutes({ home: '/' }).include('/:tenant', within('/m', child))
    const before = [child.list(), root.list()]
    expect(() => declare({ child, root })).toThrow(message)
    expect([child.list(), root.list(), child.resolve('/x')]).toEqual([...before, null])
    child.add('other', '/x')
    expect(root.list().map(({ name }) => name)).toEqual(['home', 'detail', 'other'])
  })

  test('if one name reaches a table by two ways', () => {
    const child = namedRoutes({})
    const root = within('/a', child).include('/b', within('/c', child))
    expect(() => child.add('twice', '/x')).toThrow('"twice" is taken: "/a/x" has it, and "/b/c/x" would')
    expect(root.has('twice')).toBe(false)
  })
})

describe('a table', () => {
  const child = users()
  child.route('detail').get(go).all(go).get(go)
  const root = namedRoutes({ home: '/' })
    .include('/:v/', child, { namespace: 'v' })
    .include('/', users())
    .include('/r', express.Router(), { namespace: 'r' })
    .include('/n{/:o}', within('/', child, { namespace: 'n' }), { namespace: 'm' })
    .add('late', '/late/*rest')

  test('lists its names as declared', () => {
    const detail = { params: ['id'], methods: ['GET', 'ALL'] }
    expect(root.list()).toEqual([
      { name: 'home', path: '/', params: [], methods: [] },
      { name: 'v:list', path: '/:v/users', params: ['v'], methods: [] },
      { name: 'v:detail', path: '/:v/users/:id', params: ['v', 'id'], methods: ['GET', 'ALL'] },
      { name: 'list', path: '/users', params: [], methods: [] },
      { name: 'detail', path: '/users/:id', params: ['id'], methods: [] },
      { name: 'm:n:list', path: '/n{/:o}/users', params: ['o'], methods: [] },
      { ...detail, name: 'm:n:detail', path: '/n{/:o}/users/:id', params: ['o', 'id'] },
      { name: 'late', path: '/late/*rest', params: ['rest'], methods: [] },
    ])
    expect([...root.names()]).toEqual(root.list().map(({ name }) => name))
    expect(root.namespaces()).toEqual(['v', 'r', 'm', 'm:n'])
  })

  test('refuses a request that no router gave the parameters of below()', () => {
    const told = jest.fn()
    users().below('/:v')({ url: '/users', method: 'GET' } as never, {} as never, told)
    expect(String(told.mock.calls[0])).toContain('was entered at "/", without a parameter "v". Mount it at such a path')
  })

  test('passes on a request without a method, as a program may make it', () => {
    const told = jest.fn()
    const table = users()
    table.route('list').get(go)
    table({ url: '/users' } as never, {} as never, told)
    expect(told.mock.calls).toEqual([[undefined]])
  })

  test('suggests near names', () => {
    expect([root.near('v:lst'), root.near(undefined as never)]).toEqual([['v:list'], []])
  })

  test('tells the paths of its names, one for each choice of optional parts', () => {
    const [home, , , , , list, , late] = root.facts()
    const o = { name: 'o', wildcard: false }
    expect(home).toMatchObject({ viewName: 'home', pattern: '/', methods: [], paths: [['/']] })
    expect(list).toMatchObject({ pattern: '/n{/:o}/users', paths: [['/n/', o, '/users'], ['/n/users']] })
    expect(late?.paths).toEqual([['/late/', { name: 'rest', wildcard: true }]])
    expect(within('/', namedRoutes({ end: '{/x}' })).facts()[0]?.paths).toEqual([['/x'], ['/']])
  })

  test('has the methods and handlers of a name', () => {
    const [get, both, head] = [() => {}, () => {}, () => {}]
    const table = users()
    table.route('list').get(get).all(both)
    table.route('detail').get(get).head(head)
    const handlers = (name: string, method: string) => table.handlersOf(name, method)
    expect([table.methodsOf('list'), table.methodsOf('nope')]).toEqual([['GET', 'ALL'], []])
    expect([handlers('list', 'GET'), handlers('list', 'HEAD'), handlers('list', 'PUT')]).toEqual([
      [get, both],
      [get, both],
      [both],
    ])
    expect([handlers('detail', 'HEAD'), handlers('nope', 'GET')]).toEqual([[head], []])
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
  const describes = (operation: string, description: unknown) => () =>
    users().describe(operation as 'GET list', description as never)

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
    [`${json} 'x'.`, { operation: 'x' }],
    [json, { operation: { security: go } }],
    [json, { operation: { responses: { 200: z.string() } } }],
    [`${versions} null.`, { versions: null }],
    [`${versions} 7.`, { versions: 7 }],
    [`${versions} [].`, { versions: [] }],
    ['describe(): "GET list": "versions.v1": unknown option "versions".', { versions: { v1: { versions: {} } } }],
    ['"versions.v1": option "summary" takes a text', { versions: { v1: { summary: 7 } } }],
  ])('refuses: %s', (message, description, operation = 'GET list') => {
    expect(describes(operation, description)).toThrow(TypeError)
    expect(describes(operation, description)).toThrow(message)
  })

  test('of several tables that describe an operation, the outermost wins', () => {
    const inner = users().describe('GET list', { summary: 'inner' }).describe('POST list', { summary: 'inner' })
    const middle = within('/x', inner).describe('POST list', { summary: 'middle' })
    const root = within('/a', middle, { namespace: 'a' }).include('/b', middle, { namespace: 'b' })
    root.describe('POST b:list', { summary: 'outer' })
    const summaries = root
      .facts()
      .map(({ viewName, describedAs }) => [
        viewName,
        ...['GET', 'POST', 'PUT'].map((method) => describedAs(method)?.summary),
      ])
    expect(summaries).toEqual([
      ['a:list', 'inner', 'middle', undefined],
      ['a:detail', undefined, undefined, undefined],
      ['b:list', 'inner', 'outer', undefined],
      ['b:detail', undefined, undefined, undefined],
    ])
  })
})
