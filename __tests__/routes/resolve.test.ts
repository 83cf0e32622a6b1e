import express from 'express'
import { namedRoutes } from '../../src/routes/named-routes'

const params = (entries: Record<string, string | string[]>) => Object.assign(Object.create(null), entries)
const full = (viewName: string, entries: Record<string, string | string[]> = {}, namespaces: string[] = []) => ({
  viewName,
  namespaces,
  namespace: namespaces.join(':'),
  params: params(entries),
})
const below = (namespaces: string[], entries: Record<string, string> = {}) => ({
  viewName: null,
  namespaces,
  namespace: namespaces.join(':'),
  params: params(entries),
})

describe('resolve()', () => {
  const users = namedRoutes({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path' })
  const api = namedRoutes({
    home: '/',
    cafe: '/café',
    space: '/a b/:x',
    opt: '/opt{/:a{/:b}}',
    strange: '/:"a name"/x',
  })
    .include('/v1', users, { namespace: 'v1' })
    .include('/t/:tenant', namedRoutes({ root: '/' }).include('/v2/', users, { namespace: 'v2' }), { namespace: 't' })
    .include('/plain', express.Router(), { namespace: 'plain' })
    .include('/bare', express.Router())
    .include('/', namedRoutes({ flat: '/flat' }).include('/deep', namedRoutes({ x: '/x' }), { namespace: 'deep' }))

  const cases: [path: string, match: object | null][] = [
    ['/', full('home')],
    ['', null],
    ['*', null],
    ['/caf%C3%A9', full('cafe')],
    ['/caf%c3%a9/', full('cafe')],
    ['/a%20b/c%20d', full('space', { x: 'c d' })],
    ['/a%20b/%zz', full('space', { x: '%zz' })],
    ['/opt', full('opt')],
    ['/opt/1', full('opt', { a: '1' })],
    ['/opt/1/2', full('opt', { a: '1', b: '2' })],
    ['/y/x', full('strange', { 'a name': 'y' })],
    ['/v1/users', full('v1:list', {}, ['v1'])],
    ['/V1/USERS/', full('v1:list', {}, ['v1'])],
    ['/v1/users//', below(['v1'])],
    ['/v1//users', below(['v1'])],
    ['/v1/users/7', full('v1:detail', { id: '7' }, ['v1'])],
    ['/v1/users/7.json', full('v1:detail', { id: '7', format: 'json' }, ['v1'])],
    ['/v1/files/a/b%2Fc', full('v1:files', { path: ['a', 'b/c'] }, ['v1'])],
    ['/v1', below(['v1'])],
    ['/v1/', below(['v1'])],
    ['/v1/nope', below(['v1'])],
    ['/v12/users', null],
    ['/t/acme', full('t:root', { tenant: 'acme' }, ['t'])],
    ['/t/acme/nope', below(['t'], { tenant: 'acme' })],
    ['/t/acme/v2/users/7', full('t:v2:detail', { tenant: 'acme', id: '7' }, ['t', 'v2'])],
    ['/t/acme/v2/nope', below(['t', 'v2'], { tenant: 'acme' })],
    ['/plain', below(['plain'])],
    ['/plain/anything', below(['plain'])],
    ['/bare/anything', below([])],
    ['/flat', full('flat')],
    ['/deep/x', full('deep:x', {}, ['deep'])],
    ['/deep/y', below(['deep'])],
    ['/nope', null],
  ]
  test.each(cases)('%j', (path, match) => {
    expect(api.resolve(path)).toEqual(match)
  })

  test('goes by the order of route() and include(), and takes names without handlers last', () => {
    const table = namedRoutes({ any: '/:x', a: '/a', b: '/b' })
    expect(table.resolve('/a')?.viewName).toBe('any')
    table.route('a')
    expect(table.resolve('/a')?.viewName).toBe('a')
    table.use((_req, _res, next) => next())
    table.route('any')
    expect(table.resolve('/b')?.viewName).toBe('any')
    table.include('/a', namedRoutes({ inner: '/' }), { namespace: 'n' })
    expect(table.resolve('/a')?.viewName).toBe('a')
    table.add('late', '/late/x')
    expect(table.resolve('/late/x')?.viewName).toBe('late')
  })

  test('prefers a full match to an earlier prefix, and the first prefix to later ones', () => {
    const table = namedRoutes({ x: '/v/x' })
      .include('/v', namedRoutes({ y: '/y' }), { namespace: 'first' })
      .include('/:any', namedRoutes({ z: '/z' }), { namespace: 'second' })
    expect(table.resolve('/v/x')?.viewName).toBe('x')
    expect(table.resolve('/v/z')?.viewName).toBe('second:z')
    expect(table.resolve('/v/nope')?.namespaces).toEqual(['first'])
  })

  const competing = namedRoutes({ named: '/s/a', any: '/:x/b', both: '/both/c', too: '/:x/c', dashed: '/-:x' })
    .include('/m-:y', namedRoutes({ in: '/in' }), { namespace: 'n' })
    .include('/o{/:z}', namedRoutes({ end: '{/end}' }), { namespace: 'o' })
  test.each([
    ['/s/a', 'named'],
    ['/s/b', 'any'],
    ['/s/c', 'too'],
    ['/both/c', 'both'],
    ['/both/a', null],
    ['/m-1/in', 'n:in'],
    ['/x-1/in', null],
    ['/x', null],
    ['/o', 'o:end'],
  ])('among static and parameter segments, %s is %s', (path, view) => {
    expect(competing.resolve(path)?.viewName ?? null).toBe(view)
  })

  const settings: [options: { caseSensitive?: boolean; strict?: boolean }, path: string, view: string | null][] = [
    [{}, '/A/', 'a'],
    [{ strict: true }, '/a/', null],
    [{ strict: true }, '/A', 'a'],
    [{ strict: true }, '/s/', 's'],
    [{ strict: true }, '/s', null],
    [{}, '/s', 's'],
    [{ caseSensitive: true }, '/A', null],
    [{ caseSensitive: true }, '/a/', 'a'],
    [{ caseSensitive: true }, '/M/in', null],
    [{ caseSensitive: true }, '/m/IN', 'n:in'],
    [{ strict: true }, '/m/in/', 'n:in'],
  ]
  test.each(settings)('with %j: %s is %s', (options, path, view) => {
    const table = namedRoutes({ a: '/a', s: '/s/' }, options).include('/m', namedRoutes({ in: '/in' }), {
      namespace: 'n',
    })
    expect(table.resolve(path)?.viewName ?? null).toBe(view)
  })
})

describe('wayTo() and placesOf()', () => {
  const child = namedRoutes({ x: '/x' })
  const other = namedRoutes({})
  const root = namedRoutes({})
    .include('/plain', express.Router())
    .include('/a', child, { namespace: 'a' })
    .include('/:v', namedRoutes({}).include('/b/', child, { namespace: 'b' }), { namespace: 'v' })
    .include('/', namedRoutes({}).include('/c', child, { namespace: 'c' }))

  const cases: [path: string, reached: boolean][] = [
    ['', false],
    ['/', false],
    ['/a', true],
    ['/A', true],
    ['/a/x', false],
    ['/v1/b', true],
    ['/v1', false],
    ['/c', true],
    ['/ab', false],
    ['//a', true],
    ['/%61', true],
    ['/v1//b/', true],
  ]
  test.each(cases)('%j: %s', (path, reached) => {
    expect(root.wayTo(child, path) !== undefined).toBe(reached)
  })

  test('know themselves, and what is no part of them', () => {
    const nowhere = { viewName: null, namespaces: [], namespace: '', params: {} }
    expect([root.wayTo(root, ''), root.wayTo(root, '/'), root.wayTo(root, '/a')]).toEqual([nowhere, nowhere, undefined])
    expect([root.wayTo(other, '/a'), root.wayTo({} as typeof root, '/a')]).toEqual([null, null])
    expect(root.placesOf(root)).toEqual(['/'])
    expect(root.placesOf(child)).toEqual(['/a', '/:v/b/', '/c'])
    expect([root.placesOf(other), root.placesOf({} as typeof root)]).toEqual([[], []])
  })
})
