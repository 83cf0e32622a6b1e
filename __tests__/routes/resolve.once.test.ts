import express from 'express'
import { namedRoutes } from 'express-versioning'

type Params = Record<string, string | string[]>

describe('resolve()', () => {
  const users = namedRoutes({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path' })
  const home = { home: '/', cafe: '/café', space: '/a b/:x', opt: '/opt{/:a{/:b}}', strange: '/:"a name"/x' }
  const api = namedRoutes(home)
    .include('/v1', users, { namespace: 'v1' })
    .include('/t/:tenant', namedRoutes({ root: '/' }).include('/v2/', users, { namespace: 'v2' }), { namespace: 't' })
    .include('/plain', express.Router(), { namespace: 'plain' })
    .include('/bare', express.Router())
    .include('/', namedRoutes({ flat: '/flat' }).include('/deep', namedRoutes({ x: '/x' }), { namespace: 'deep' }))

  test.each<[path: string, viewName: string | null, namespaces?: string[], params?: Params]>([
    ['/', 'home'],
    ['/caf%C3%A9', 'cafe'],
    ['/caf%c3%a9/', 'cafe'],
    ['/a%20b/c%20d', 'space', [], { x: 'c d' }],
    ['/a%20b/%zz', 'space', [], { x: '%zz' }],
    ['/opt', 'opt'],
    ['/opt/1', 'opt', [], { a: '1' }],
    ['/opt/1/2', 'opt', [], { a: '1', b: '2' }],
    ['/y/x', 'strange', [], { 'a name': 'y' }],
    ['/v1/users', 'v1:list', ['v1']],
    ['/V1/USERS/', 'v1:list', ['v1']],
    ['/v1/users//', null, ['v1']],
    ['/v1//users', null, ['v1']],
    ['/v1/users/7', 'v1:detail', ['v1'], { id: '7' }],
    ['/v1/users/7.json', 'v1:detail', ['v1'], { id: '7', format: 'json' }],
    ['/v1/files/a/b%2Fc', 'v1:files', ['v1'], { path: ['a', 'b/c'] }],
    ['/v1/files/a/%zz', 'v1:files', ['v1'], { path: ['a', '%zz'] }],
    ['/v1', null, ['v1']],
    ['/v1/', null, ['v1']],
    ['/v1/nope', null, ['v1']],
    ['/t/acme', 't:root', ['t'], { tenant: 'acme' }],
    ['/t/acme/nope', null, ['t'], { tenant: 'acme' }],
    ['/t/acme/v2/users/7', 't:v2:detail', ['t', 'v2'], { tenant: 'acme', id: '7' }],
    ['/t/acme/v2/nope', null, ['t', 'v2'], { tenant: 'acme' }],
    ['/plain', null, ['plain']],
    ['/plain/anything', null, ['plain']],
    ['/bare/anything', null],
    ['/flat', 'flat'],
    ['/deep/x', 'deep:x', ['deep']],
    ['/deep/y', null, ['deep']],
  ])('%j: %s', (path, viewName, namespaces = [], params = {}) => {
    expect(api.resolve(path)).toStrictEqual({ viewName, namespaces, namespace: namespaces.join(':'), params })
  })

  test.each(['', '*', '/v12/users', '/nope'])('%j: nothing', (path) => {
    expect(api.resolve(path)).toBeNull()
  })

  test('takes a path only', () => {
    expect(() => api.resolve(7 as never)).toThrow(new TypeError('resolve() takes a path; got 7.'))
  })

  test('walk() passes by the routes that come in a later version, by their full names', () => {
    const views = ['v1:list', 't:v2:list', 'home'].map((later) =>
      ['/v1/users', '/t/a/v2/users', '/'].map(
        (path) => api.walk(path, 'GET', (name) => name === later).match?.viewName,
      ),
    )
    expect(views).toEqual([
      [null, 't:v2:list', 'home'],
      ['v1:list', null, 'home'],
      ['v1:list', 't:v2:list', undefined],
    ])
  })

  test('makes parameters of any name its own', () => {
    const table = namedRoutes({}).include('/:__proto__', namedRoutes({ x: '/:constructor' }))
    const { params = {} } = table.resolve('/a/b') ?? {}
    expect(Object.entries(params)).toEqual([...Object.entries(JSON.parse('{"__proto__":"a"}')), ['constructor', 'b']])
    expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
    expect('constructor' in Object(namedRoutes({ y: '{/:z}/y' }).resolve('/y')?.params)).toBe(true)
  })

  test('goes by the order of route() and include(), and takes names without handlers last', () => {
    const table = namedRoutes({ any: '/:x', a: '/a', b: '/b' })
    const view = (path: string) => table.resolve(path)?.viewName
    expect(view('/a')).toBe('any')
    const route = table.route('a')
    expect(table.route('a')).toBe(route)
    expect(view('/a')).toBe('a')
    table.use((_req, _res, next) => next())
    table.route('any')
    expect(view('/b')).toBe('any')
    table.include('/a', namedRoutes({ inner: '/' }), { namespace: 'n' })
    expect(view('/a')).toBe('a')
    table.add('late', '/late/x')
    expect(view('/late/x')).toBe('late')
  })

  test('prefers a full match to an earlier prefix, and the first prefix to later ones', () => {
    const table = namedRoutes({ x: '/v/x' })
      .include('/v', namedRoutes({ y: '/y' }), { namespace: 'first' })
      .include('/:any', namedRoutes({ z: '/z' }), { namespace: 'second' })
    const found = ['/v/x', '/v/z', '/v/nope'].map((path) => table.resolve(path))
    expect(found.map((match) => match?.viewName ?? match?.namespaces)).toEqual(['x', 'second:z', ['first']])
  })

  const competing = namedRoutes({ named: '/s/a', any: '/:x/b', both: '/both/c', too: '/:x/c', dashed: '/-:x' })
    .add('twice', '{/:p}{/twice}/:q')
    .add('pair', '/pair/:a{-:b}/end')
    .include('/q{-:b}', namedRoutes({ q: '/q' }))
    .include('/m-:y', namedRoutes({ in: '/in' }), { namespace: 'n' })
    .include('/o{/:z}', namedRoutes({ end: '{/end}' }), { namespace: 'o' })
  const strict = { strict: true }
  const caseSensitive = { caseSensitive: true }
  const set = (options?: object) =>
    namedRoutes({ a: '/a', s: '/s/', e: '/e//', w: '/w//*x' }, options).include('/m', namedRoutes({ in: '/in' }))

  test.each<[table: { resolve: typeof api.resolve }, settings: object, path: string, viewName: string | null]>([
    [competing, {}, '/s/a', 'named'],
    [competing, {}, '/s/b', 'any'],
    [competing, {}, '/s/c', 'too'],
    [competing, {}, '/both/c', 'both'],
    [competing, {}, '/both/a', 'twice'],
    [competing, {}, '/twice/a', 'twice'],
    [competing, {}, '/m-1/in', 'n:in'],
    [competing, {}, '/x-1/in/y', null],
    [competing, {}, '/-x', 'dashed'],
    [competing, {}, '/pair/1-2/end', 'pair'],
    [competing, {}, '/q-1/q', 'q'],
    [competing, {}, '/o', 'o:end'],
    [competing, {}, '/o/1/end', 'o:end'],
    [set(), {}, '/A/', 'a'],
    [set(), {}, '/s', 's'],
    [set(), {}, '/e', 'e'],
    [set(), {}, '/e//', null],
    [set(), {}, '/w//y', 'w'],
    [set(strict), strict, '/a/', null],
    [set(strict), strict, '/A', 'a'],
    [set(strict), strict, '/s/', 's'],
    [set(strict), strict, '/s', null],
    [set(strict), strict, '/e//', 'e'],
    [set(strict), strict, '/m/in/', 'in'],
    [set(caseSensitive), caseSensitive, '/A', null],
    [set(caseSensitive), caseSensitive, '/a/', 'a'],
    [set(caseSensitive), caseSensitive, '/M/in', null],
    [set(caseSensitive), caseSensitive, '/m/IN', 'in'],
  ])('%#. with %j, %s is %s', (table, _settings, path, viewName) => {
    expect(table.resolve(path)?.viewName ?? null).toBe(viewName)
  })
})

describe('wayTo() and placesOf()', () => {
  const child = namedRoutes({ x: '/x' })
  const other = namedRoutes({})
  const root = namedRoutes({}, { caseSensitive: true })
    .include('/plain', express.Router())
    .include('/a', child, { namespace: 'a' })
    .include('/:v', namedRoutes({}).include('/b/', child, { namespace: 'b' }), { namespace: 'v' })
    .include('/', namedRoutes({}).include('/c', child, { namespace: 'c' }))
  const way = (namespaces: string[], params = {}) => ({ namespaces, namespace: namespaces.join(':'), params })
  const [a, b] = [way(['a']), way(['v', 'b'], { v: 'v1' })]

  test.each<[path: string, way: object | undefined]>([
    ['', undefined],
    ['/a', a],
    ['/A', a],
    ['/a/x', undefined],
    ['/v1/b', b],
    ['/v1', undefined],
    ['/c', way(['c'])],
    ['/ab', undefined],
    ['//a', a],
    ['/%61', a],
    ['/a%2f', undefined],
    ['/v1//b/', b],
  ])('%j: %p', (path, found) => {
    expect(root.wayTo(child, path)).toEqual(found && { viewName: null, ...found })
  })

  test('know the table itself, and tables that are not in it', () => {
    const nowhere = { viewName: null, ...way([]) }
    expect([root.wayTo(root, ''), root.wayTo(root, '/'), root.wayTo(root, '/a')]).toEqual([nowhere, nowhere, undefined])
    expect([root.wayTo(other, '/a'), root.wayTo({} as typeof root, '/a')]).toEqual([null, null])
    expect(root.placesOf(root)).toEqual(['/'])
    expect(root.placesOf(child)).toEqual(['/a', '/:v/b/', '/c'])
    expect([root.placesOf(other), root.placesOf({} as typeof root)]).toEqual([[], []])
  })
})
