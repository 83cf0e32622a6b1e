import express, { type RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { rows } from '../support/rows'

// The route or mount that a path belongs to.

const handler: RequestHandler = (_req, _res, next) => next()
type Table = ReturnType<typeof namedRoutes<Record<string, string>>>
/** A table with handlers for some methods of some names. */
function table(paths: Record<string, string>, methods: Record<string, 'get' | 'post'> = {}, options?: object): Table {
  const made = namedRoutes(paths, options)
  for (const [name, method] of Object.entries(methods)) made.route(name)[method](handler)
  return made
}
const within = (prefix: string, child: object, namespace?: string, outer: object = table({})) =>
  (outer as Table).include(prefix, child as Table, namespace === undefined ? {} : { namespace }) as Table

const users = table({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path' })
const leaf = table({ x: '/x', id: '/:id' })
const home = { home: '/', cafe: '/café', space: '/a b/:x', opt: '/opt{/:a{/:b}}', strange: '/:"a name"/x' }
const inner = within('/v2/', users, 'v2', table({ root: '/' }))
const api = within('/v1', users, 'v1', table(home))
within('/t/:tenant', inner, 't', api)
within('/plain', express.Router(), 'plain', api)
within('/bare', express.Router(), undefined, api)
within('/', within('/deep', table({ x: '/x' }), 'deep', table({ flat: '/flat' })), undefined, api)

const competing = table({ named: '/s/a', any: '/:x/b', both: '/both/c', too: '/:x/c' })
competing.add('twice', '{/:p}{/twice}/:q').add('pair', '/pair/:a{-:b}/end')
within('/q{-:b}', table({ q: '/q' }), undefined, competing)
within('/m-:y', table({ in: '/in' }), 'n', competing)
within('/o{/:z}', table({ end: '{/end}' }), 'o', competing)

const set = (options = {}) => {
  const made = table({ a: '/a', s: '/s/', e: '/e//', w: '/w//*x' }, {}, options)
  return within('/m', table({ in: '/in' }), undefined, made)
}
const optional = within('/t{/:a}{/:b}', table({ x: '/x' }), 't')
within('/r{/:a}{/:b}', handler, 'r', optional)

const tables: Record<string, Table> = {
  api,
  competing,
  loose: set(),
  strict: set({ strict: true }),
  'case-sensitive': set({ caseSensitive: true }),
  'a route first': within('/b', leaf, 'm', within('/a', leaf, 'n', table({ first: '/a/:any' }, { first: 'get' }))),
  'two mounts': within('/a', leaf, 'two', within('/a', within('/b', leaf, 'b'), 'one')),
  methods: within('/a', table({ x: '/x', id: '/:id' }, { x: 'post', id: 'get' }), 'n'),
  prefixes: within('/:any', leaf, 'second', within('/v', table({ y: '/y' }), 'first', table({ x: '/v/x' }))),
  silent: within('/', leaf),
  telling: within('/', leaf, 'n'),
  optional,
  posted: within('/p{/:v}', table({ x: '/x' }, { x: 'post' }), 'n'),
}

// A table, a path, perhaps with a method; its view or, with a colon at the end, the namespaces of a mere mount; parameters.
test.each(
  rows(`
    api | / | home
    api | /caf%c3%a9/ | cafe
    api | /a%20b/c%20d | space | {"x":"c d"}
    api | /a%20b/%zz | space | {"x":"%zz"}
    api | /y/x | strange | {"a name":"y"}
    api | /V1/USERS/ | v1:list
    api | /v1//users | v1:
    api | /v1/users/7.json | v1:detail | {"id":"7","format":"json"}
    api | /v1/files/a/b%2Fc | v1:files | {"path":["a","b/c"]}
    api | /v1/files/a/%zz | v1:files | {"path":["a","%zz"]}
    api | /v1/nope | v1:
    api | /t/acme/v2/users/7 | t:v2:detail | {"tenant":"acme","id":"7"}
    api | /plain/anything | plain:
    api | /bare/anything | :
    api | /deep/x | deep:x
    api | * | nothing
    competing | /s/c | too | {"x":"s"}
    competing | /both/a | twice | {"p":"both","q":"a"}
    competing | /m-1/in | n:in | {"y":"1"}
    competing | /pair/1-2/end | pair | {"a":"1","b":"2"}
    competing | /q-1/q | q | {"b":"1"}
    competing | /o/1/end | o:end | {"z":"1"}
    loose | /A/ | a
    loose | /s | s
    loose | /w//y | w | {"x":["y"]}
    strict | /a/ | nothing
    strict | /s | nothing
    strict | /e// | e
    case-sensitive | /A | nothing
    case-sensitive | /m/IN | in
    a route first | GET /a/x | first | {"any":"x"}
    two mounts | /a/b/c/d | one:b:
    methods | POST /a/x | n:x
    methods | HEAD /a/x | n:id | {"id":"x"}
    methods | PUT /a/x | n:x
    prefixes | /v/z | second:id | {"any":"v","id":"z"}
    prefixes | /v/no/pe | first:
    silent | /y/z | nothing
    telling | /y/z | n:
    // The shortest reading of a prefix that leads to no route; the longest for a router that is no table.
    optional | /t/1/2/3 | t:
    optional | /t/1/2/x | t:x | {"a":"1","b":"2"}
    optional | /r/1/2/3 | r: | {"a":"1","b":"2"}
    // A route without the method goes before no route.
    posted | GET /p/1/x | n:x | {"v":"1"}
    posted | GET /p/1/y | n:
  `),
)('%s: %s is %s %s', (name, request = '', view = '', params = '{}') => {
  const [path = '', method] = request.split(' ').reverse()
  const asked = tables[name] as Table
  const match = method === undefined ? asked.resolve(path) : asked.walk(path, method).match
  const namespaces = view.split(':').slice(0, -1).filter(Boolean)
  const viewName = view.endsWith(':') ? null : view
  const found = { viewName, namespaces, namespace: namespaces.join(':'), params: JSON.parse(params) }
  expect(match).toStrictEqual(view === 'nothing' ? null : found)
})

test('resolve() takes a path only', () => {
  expect(() => api.resolve(7 as never)).toThrow(new TypeError('resolve() takes a path; got 7.'))
})

test('walk() skips the routes that come in a later version, by their full names', () => {
  const asked = ['/v1/users', '/t/a/v2/users', '/']
  const views = ['v1:list', 't:v2:list', 'home'].map((later) =>
    asked.map((path) => api.walk(path, 'GET', (name) => name === later).match?.viewName),
  )
  expect(views).toEqual([
    [null, 't:v2:list', 'home'],
    ['v1:list', null, 'home'],
    ['v1:list', 't:v2:list', undefined],
  ])
})

test('parameters of any name are own ones', () => {
  const { params = {} } = within('/:__proto__', table({ x: '/:constructor' })).resolve('/a/b') ?? {}
  expect(Object.entries(params)).toEqual([...Object.entries(JSON.parse('{"__proto__":"a"}')), ['constructor', 'b']])
  expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
  expect('constructor' in Object(table({ y: '{/:z}/y' }).resolve('/y')?.params)).toBe(true)
})

test('the order of route() and include() counts, and names without handlers come last', () => {
  const made = table({ any: '/:x', a: '/a', b: '/b' })
  const view = (path: string) => made.resolve(path)?.viewName
  expect(view('/a')).toBe('any')
  const route = made.route('a')
  expect(made.route('a')).toBe(route)
  expect(view('/a')).toBe('a')
  made.use(handler)
  made.route('any')
  expect(view('/b')).toBe('any')
  within('/a', table({ inner: '/' }), 'n', made)
  expect(view('/a')).toBe('a')
  made.add('late', '/late/x')
  expect(view('/late/x')).toBe('late')
})

describe('wayTo() and placesOf()', () => {
  const child = table({ x: '/x' })
  const root = within('/plain', express.Router(), undefined, table({}, {}, { caseSensitive: true }))
  within('/a', child, 'a', root)
  within('/:v', within('/b/', child, 'b'), 'v', root)
  within('/', within('/c', child, 'c'), undefined, root)

  test.each([
    ...rows(`
      /a | a
      /v1/b | v:b | {"v":"v1"}
      /c | c
      /ab
      //a | a
      /%61 | a
      /a%2f
      /v1//b/ | v:b | {"v":"v1"}
    `),
    [''],
  ])('%j is the way to %p %s', (path = '', namespace?: string, params = '{}') => {
    const found = { viewName: null, namespaces: namespace?.split(':'), namespace, params: JSON.parse(params) }
    expect(root.wayTo(child, path)).toEqual(namespace === undefined ? undefined : found)
  })

  test('know the table itself, and tables that are not in it', () => {
    const nowhere = { viewName: null, namespaces: [], namespace: '', params: {} }
    expect([root.wayTo(root, ''), root.wayTo(root, '/'), root.wayTo(root, '/a')]).toEqual([nowhere, nowhere, undefined])
    expect([root.wayTo(leaf, '/a'), root.wayTo({} as Table, '/a')]).toEqual([null, null])
    expect([root, child, leaf, {} as Table].map((one) => root.placesOf(one))).toEqual([
      ['/'],
      ['/a', '/:v/b/', '/c'],
      [],
      [],
    ])
  })
})
