import express, { type RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { rows } from '../support/rows'
import { include, type Table } from '../support/tables'

// The route or mount that a path belongs to. `equivalence` compares many more routes with `router`.

const handler: RequestHandler = (_req, _res, next) => next()
/** A table with handlers for some methods of some names. */
function table(paths: Record<string, string>, methods: Record<string, 'get' | 'post'> = {}): Table {
  const made = namedRoutes(paths)
  for (const [name, method] of Object.entries(methods)) made.route(name)[method](handler)
  return made
}

const users = table({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path' })
const leaf = table({ x: '/x', id: '/:id' })
const home = { home: '/', space: '/a b/:x' }
const api = include('/v1', users, 'v1', table(home))
include('/t/:tenant', include('/v2/', users, 'v2', table({ root: '/' })), 't', api)
include('/plain', express.Router(), 'plain', api)
include('/bare', express.Router(), undefined, api)
const optional = include('/t{/:a}{/:b}', table({ x: '/x' }), 't')
include('/r{/:a}{/:b}', handler, 'r', optional)

const tables: Record<string, Table> = {
  api,
  'two mounts': include('/a', leaf, 'two', include('/a', include('/b', leaf, 'b'), 'one')),
  methods: include('/a', table({ x: '/x', id: '/:id' }, { x: 'post', id: 'get' }), 'n'),
  prefixes: include('/:any', leaf, 'second', include('/v', table({ y: '/y' }), 'first', table({ x: '/v/x' }))),
  silent: include('/', leaf),
  telling: include('/', leaf, 'n'),
  optional,
  posted: include('/p{/:v}', table({ x: '/x' }, { x: 'post' }), 'n'),
}

// A table, a path, perhaps with a method; its view or, with a colon at the end, the namespaces of a mere mount; parameters.
test.each(
  rows(`
    api | /a%20b/%zz | space | {"x":"%zz"}
    api | /v1//users | v1:
    api | /v1/files/a/%zz | v1:files | {"path":["a","%zz"]}
    api | /v1/nope | v1:
    api | /plain/anything | plain:
    api | /bare/anything | :
    api | * | nothing
    two mounts | /a/b/c/d | one:b:
    methods | POST /a/x | n:x
    methods | HEAD /a/x | n:id | {"id":"x"}
    methods | PUT /a/x | n:x
    prefixes | /v/z | second:id | {"any":"v","id":"z"}
    prefixes | /v/no/pe | first:
    silent | /y/z | nothing
    silent | * | nothing
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

test('walk() skips the routes that come in a later version, by their full names', () => {
  const isLater = (name: string) => ['v1:list', 't:v2:list'].includes(name)
  const found = ['/v1/users', '/t/a/v2/users', '/'].map((path) => api.walk(path, 'GET', isLater).match?.viewName)
  expect(found).toEqual([null, null, 'home'])
})

test('parameters of any name are own ones', () => {
  const { params = {} } = include('/:__proto__', table({ x: '/:constructor' })).resolve('/a/b') ?? {}
  expect(Object.entries(params)).toEqual([...Object.entries(JSON.parse('{"__proto__":"a"}')), ['constructor', 'b']])
  expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
  expect('constructor' in Object(table({ y: '{/:z}/y' }).resolve('/y')?.params)).toBe(true)
})

test('names without handlers come last, and route() returns one route for a name', () => {
  const made = table({ any: '/:x', a: '/a' })
  expect(made.resolve('/a')?.viewName).toBe('any')
  expect(made.route('a')).toBe(made.route('a'))
  expect(made.resolve('/a')?.viewName).toBe('a')
  made.add('late', '/late/x')
  expect(made.resolve('/late/x')?.viewName).toBe('late')
})

test('the way to a table, and its places', () => {
  const child = table({ x: '/x' })
  const plain = include('/plain', express.Router(), undefined, include('/:v', include('/b/', child, 'b'), 'v'))
  const root = include('/a', child, 'a', plain)
  const ways = [root.wayTo(child, '/v1/b'), root.wayTo(root, '/'), root.wayTo(child, '/ab')]
  expect(ways).toMatchObject([{ namespace: 'v:b', params: { v: 'v1' } }, { namespaces: [] }, undefined])
  expect([root.wayTo(leaf, '/'), root.wayTo({} as Table, '/')]).toEqual([null, null])
  expect([root.placesOf(child), root.placesOf(leaf), root.placesOf({} as Table)]).toEqual([['/:v/b/', '/a'], [], []])
})
