import { NoReverseMatch } from '../../src/errors'
import { namedRoutes } from '../../src/routes/named-routes'
import type { LinkArgs, LinkKwargs, RouteLinkOptions } from '../../src/types'

const files = namedRoutes({ file: '/files/*path', list: '/list', root: '{/:only}' })
const table = namedRoutes({
  home: '/',
  detail: '/users/:id',
  three: '/:a/b/:c/:d',
  formatted: '/users/:id{.:format}',
  together: '/g{/:a/:b}',
  nested: '/n{/:a{/:b}}',
  fixed: '/f{/g}',
  dotted: '/d/:a.:b',
  prefixed: '/v:num',
  wild: '/w/*path',
  both: '/w/*path/x/*rest',
  optional: '{/:only}',
  cafe: '/café/a b',
  escaped: '/a\\:b/%2f/100%/1%4x',
  slash: '/slash/',
  double: '/a//b',
  evil: '//evil.com/:x',
  dots: '/a/../b',
  encodedDots: '/a/%2E%2e/:x',
  endingDots: '/a/..',
  dotSegment: '/x/.:y',
  named: '/q/:"a b"',
  inherited: '/i/:constructor/:__proto__',
})
  .include('/:tenant{/:region}', files, { namespace: 'f' })
  .include('/', namedRoutes({ inner: '/inner' }), { namespace: 'i' })

const link = (name: string, args?: unknown, kwargs?: unknown) =>
  table.link(name, args as LinkArgs, kwargs as LinkKwargs)
const own = (entries: [string, unknown][]) => Object.fromEntries(entries)

describe('link()', () => {
  const cases: [name: string, args: unknown, kwargs: unknown, path: string][] = [
    ['home', undefined, undefined, '/'],
    ['home', [], {}, '/'],
    ['home', null, null, '/'],
    ['detail', undefined, { id: 'abc' }, '/users/abc'],
    ['detail', undefined, { id: 7 }, '/users/7'],
    ['detail', undefined, { id: -1.5 }, '/users/-1.5'],
    ['detail', undefined, { id: 1e21 }, '/users/1e%2B21'],
    ['detail', undefined, { id: 7n }, '/users/7'],
    ['detail', undefined, { id: false }, '/users/false'],
    ['detail', undefined, { id: 'a/b?c#d %é' }, '/users/a%2Fb%3Fc%23d%20%25%C3%A9'],
    ['detail', undefined, { id: '...' }, '/users/...'],
    ['detail', undefined, { id: '%2e%2e' }, '/users/%252e%252e'],
    ['detail', undefined, { id: '\\' }, '/users/%5C'],
    ['detail', undefined, { id: '//evil.com' }, '/users/%2F%2Fevil.com'],
    ['detail', undefined, { id: 1, other: undefined }, '/users/1'],
    ['detail', [7], undefined, '/users/7'],
    ['detail', [7], { id: undefined }, '/users/7'],
    ['three', [1, 2, 3], undefined, '/1/b/2/3'],
    ['three', [1, 3], { c: 2 }, '/1/b/2/3'],
    ['three', undefined, { d: 3, c: 2, a: 1 }, '/1/b/2/3'],
    ['formatted', undefined, { id: 7 }, '/users/7'],
    ['formatted', undefined, { id: 7, format: 'json' }, '/users/7.json'],
    ['formatted', [7, 'json'], undefined, '/users/7.json'],
    ['together', undefined, {}, '/g'],
    ['together', undefined, { a: 1, b: 2 }, '/g/1/2'],
    ['nested', undefined, { a: 1 }, '/n/1'],
    ['nested', undefined, { a: 1, b: 2 }, '/n/1/2'],
    ['fixed', undefined, undefined, '/f/g'],
    ['dotted', undefined, { a: 'x', b: 'y' }, '/d/x.y'],
    ['prefixed', undefined, { num: 2 }, '/v2'],
    ['wild', undefined, { path: ['a', 'b/c', 3] }, '/w/a/b%2Fc/3'],
    ['wild', [['a', 'b']], undefined, '/w/a/b'],
    ['both', undefined, { path: ['a'], rest: ['b', 'c'] }, '/w/a/x/b/c'],
    ['optional', undefined, undefined, '/'],
    ['optional', undefined, { only: 'x' }, '/x'],
    ['cafe', undefined, undefined, '/caf%C3%A9/a%20b'],
    ['escaped', undefined, undefined, '/a:b/%2f/100%25/1%254x'],
    ['slash', undefined, undefined, '/slash/'],
    ['double', undefined, undefined, '/a//b'],
    ['dotSegment', undefined, { y: 'x' }, '/x/.x'],
    ['named', undefined, { 'a b': 1 }, '/q/1'],
    [
      'inherited',
      undefined,
      own([
        ['constructor', 1],
        ['__proto__', 2],
      ]),
      '/i/1/2',
    ],
    ['f:list', ['t', 'r'], undefined, '/t/r/list'],
    ['f:list', undefined, { tenant: 't' }, '/t/list'],
    ['f:file', undefined, { tenant: 't', region: 'r', path: ['x'] }, '/t/r/files/x'],
    ['f:root', undefined, { tenant: 't', region: 'r' }, '/t/r'],
    ['i:inner', undefined, undefined, '/inner'],
  ]
  test.each(cases)('%s %p %p gives %s', (name, args, kwargs, path) => {
    expect(link(name, args, kwargs)).toBe(path)
  })

  const unfit = 'it takes a string, a finite number, a bigint or a boolean'
  const failures: [name: string, args: unknown, kwargs: unknown, reason: string][] = [
    ['detail', undefined, undefined, 'needs "id"'],
    ['detail', undefined, {}, 'needs "id"'],
    ['detail', undefined, { id: undefined }, 'needs "id"'],
    ['detail', undefined, Object.create({ id: 'inherited' }), 'needs "id"'],
    ['three', undefined, { c: 1 }, 'needs "a" and "d"; got "c"'],
    ['detail', undefined, { pk: 1 }, 'takes no "pk"; it takes "id"'],
    ['detail', undefined, { id: 1, pk: 1 }, 'takes no "pk"; it takes "id"'],
    ['home', undefined, { pk: 1 }, 'takes no "pk"; it has no parameters'],
    ['home', undefined, { pk: null }, 'takes no "pk"; it has no parameters'],
    ['inherited', undefined, {}, 'needs "constructor" and "__proto__"'],
    ['detail', [1, 2], undefined, 'takes 1 args here, and got 2; it takes "id"'],
    ['detail', [1], { id: 1 }, 'takes 0 args here, and got 1; it takes "id"'],
    ['detail', 'x', undefined, 'takes a list of args; got a string'],
    ['detail', [undefined], undefined, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: null }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: Number.NaN }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: Number.POSITIVE_INFINITY }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: ['a'] }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: {} }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: Symbol('x') }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: new String('x') }, `cannot take "id": ${unfit}`],
    ['detail', undefined, { id: '' }, 'cannot take "id": an empty segment would change the path'],
    ['detail', undefined, { id: '.' }, 'cannot take "id": a dot segment would change the path'],
    ['detail', undefined, { id: '..' }, 'cannot take "id": a dot segment would change the path'],
    ['detail', undefined, { id: 'a\u0000' }, 'cannot take "id": it has a control character'],
    ['detail', undefined, { id: 'a\r\nb' }, 'cannot take "id": it has a control character'],
    ['detail', undefined, { id: '\u007f' }, 'cannot take "id": it has a control character'],
    ['detail', undefined, { id: '\u0085' }, 'cannot take "id": it has a control character'],
    ['detail', undefined, { id: '\ud800' }, 'cannot take "id": it has a lone surrogate'],
    ['formatted', undefined, { id: 'a.json' }, 'would read other values from that path'],
    ['formatted', undefined, { format: 'json' }, 'needs "id"; got "format"'],
    ['together', undefined, { a: 1 }, 'takes "a" only together with the rest of its optional part'],
    ['nested', undefined, { b: 1 }, 'takes "b" only together with the rest of its optional part'],
    ['dotted', undefined, { a: 'x.y', b: 'z.' }, 'would read other values from that path'],
    ['prefixed', undefined, { num: '' }, 'cannot take "num": an empty segment would change the path'],
    ['dotSegment', undefined, { y: '.' }, 'cannot take "y": a dot segment would change the path'],
    ['wild', undefined, { path: [] }, 'cannot take "path": it takes a non-empty list'],
    ['wild', undefined, { path: 'a' }, 'cannot take "path": it takes a non-empty list'],
    ['wild', undefined, { path: ['', 'evil.com'] }, 'cannot take "path": an empty segment would change the path'],
    ['wild', undefined, { path: ['a', '..'] }, 'cannot take "path": a dot segment would change the path'],
    ['wild', undefined, { path: ['a', null] }, `cannot take "path": ${unfit}`],
    ['both', undefined, { path: ['a', 'x', 'b'], rest: ['c', 'x', 'd'] }, 'would read other values from that path'],
    ['evil', undefined, { x: 1 }, 'would give a path that browsers change'],
    ['dots', undefined, undefined, 'would give a path that browsers change'],
    ['endingDots', undefined, undefined, 'would give a path that browsers change'],
    ['encodedDots', undefined, { x: 1 }, 'would give a path that browsers change'],
    ['f:root', undefined, { tenant: 't', only: 'o' }, 'would read other values from that path'],
  ]
  test.each(failures)('%s %p %p: %s', (name, args, kwargs, reason) => {
    expect(link(name, args, kwargs)).toMatchObject({
      viewName: name,
      reason,
      pattern: table.list().find((route) => route.name === name)?.path,
      unknown: false,
    })
  })

  test('a path that the mounts on its way would not read', () => {
    const optional = namedRoutes({}).include('/{:a/}b', namedRoutes({ x: '/b' }))
    expect(optional.link('x')).toBe('/b/b')
    expect(optional.link('x', undefined, { a: 'c' })).toBe('/c/b/b')
    const dashed = namedRoutes({}).include('/:a-:b', namedRoutes({ x: '/x' }))
    expect(dashed.link('x', undefined, { a: 1, b: 'y-' })).toMatchObject({
      reason: 'would read other values from that path',
    })
    const slashes = namedRoutes({}).include('/p', namedRoutes({ x: '//' }), { namespace: 'p' })
    expect(slashes.link('p:x')).toMatchObject({ reason: 'would read other values from that path' })
  })
})

describe('reverse()', () => {
  const reverse = (name: string, options?: RouteLinkOptions | null) =>
    (table as { reverse(name: string, options?: unknown): string }).reverse(name, options)

  const cases: [name: string, options: RouteLinkOptions | undefined | null, link: string][] = [
    ['home', undefined, '/'],
    ['home', null, '/'],
    ['home', {}, '/'],
    ['formatted', { kwargs: { id: 1 }, format: 'json' }, '/users/1.json'],
    ['formatted', { kwargs: { id: 1, format: 'xml' }, format: 'json' }, '/users/1.json'],
    ['formatted', { kwargs: { id: 1, format: 'xml' }, format: null }, '/users/1.xml'],
    ['formatted', { args: [1], format: 'json' }, '/users/1.json'],
    ['home', { query: { page: 2 } }, '/?page=2'],
    ['home', { hash: 'top' }, '/#top'],
    ['detail', { args: [1], query: { a: [1, 2] }, hash: 'x' }, '/users/1?a=1&a=2#x'],
  ]
  test.each(cases)('%s %p gives %s', (name, options, link) => {
    expect(reverse(name, options)).toBe(link)
  })

  const errors: [name: string, options: RouteLinkOptions | undefined, message: string][] = [
    ['detial', undefined, 'No route named "detial". Did you mean "detail"?'],
    ['zzz', undefined, 'No route named "zzz".'],
    ['formatted', undefined, '"formatted" (/users/:id{.:format}) needs "id".'],
    [
      'f:list',
      { kwargs: { id: 1 } },
      '"f:list" (/:tenant{/:region}/list) takes no "id"; it takes "tenant" and "region".',
    ],
    ['home', { format: 'json' }, '"home" (/) takes no "format"; it has no parameters.'],
  ]
  test.each(errors)('%s %p: %s', (name, options, message) => {
    expect(() => reverse(name, options)).toThrow(NoReverseMatch)
    expect(() => reverse(name, options)).toThrow(
      expect.objectContaining({ message, failures: [expect.objectContaining({ viewName: name })] }),
    )
  })
})
