import { type LinkKwargs, NoReverseMatch, namedRoutes } from 'express-versioning'

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
  dashed: '/:a-:b',
  prefixed: '/v:num',
  numbered: '/n/:"2"/:"1"',
  wild: '/w/*path',
  both: '/w/*path/x/*rest',
  all: '/*a/*b',
  behind: '/s/*a{/:b}',
  end: '/t/*a{/end}',
  slashed: '/u/*a/',
  optional: '{/:only}',
  either: '/x{/:a}{/:b}',
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
  letters: '/:"a"xyz0123456789_~:"b"',
})
  .include('/:tenant{/:region}', files, { namespace: 'f' })
  .include('/', namedRoutes({ inner: '/inner' }), { namespace: 'i' })
  .include('{/:before}{/in}', namedRoutes({ x: '/:id/x' }), { namespace: 'two' })
  .include('/{:only/}b', namedRoutes({ x: '/b' }), { namespace: 'b' })
  .include('/:one-:two', namedRoutes({ x: '/x' }), { namespace: 'dashed' })
  .include('/p', namedRoutes({ x: '//' }), { namespace: 'p' })

const patterns = new Map(table.list().map(({ name, path }) => [name, path]))
const link = (name: string, args: unknown, kwargs?: unknown) => table.link(name, args as never, kwargs as LinkKwargs)
const NAMES = Object.fromEntries([
  ['constructor', 1],
  ['__proto__', 2],
])

test.each<[name: string, args: unknown, kwargs: unknown, path: string]>([
  ['home', undefined, undefined, '/'],
  ['home', [], {}, '/'],
  ['home', null, null, '/'],
  ['detail', undefined, { id: 'abc' }, '/users/abc'],
  ['detail', undefined, { id: -1.5 }, '/users/-1.5'],
  ['detail', undefined, { id: 1e21 }, '/users/1e%2B21'],
  ['detail', undefined, { id: 7n }, '/users/7'],
  ['detail', undefined, { id: false }, '/users/false'],
  ['detail', undefined, { id: 'a/b?c#d %é' }, '/users/a%2Fb%3Fc%23d%20%25%C3%A9'],
  ['detail', undefined, { id: '...' }, '/users/...'],
  ['detail', undefined, { id: '%2e%2e' }, '/users/%252e%252e'],
  ['detail', undefined, { id: '//evil.com' }, '/users/%2F%2Fevil.com'],
  ['detail', undefined, { id: 1, other: undefined }, '/users/1'],
  ['detail', [7], { id: undefined }, '/users/7'],
  ['three', [1, 2, 3], undefined, '/1/b/2/3'],
  ['three', [1, 3], { c: 2 }, '/1/b/2/3'],
  ['three', undefined, { d: 3, c: 2, a: 1 }, '/1/b/2/3'],
  ['numbered', undefined, { 1: 'a', 2: 'b' }, '/n/b/a'],
  ['formatted', undefined, { id: 7 }, '/users/7'],
  ['formatted', [7, 'json'], undefined, '/users/7.json'],
  ['together', undefined, {}, '/g'],
  ['together', undefined, { a: 1, b: 2 }, '/g/1/2'],
  ['nested', undefined, { a: 1 }, '/n/1'],
  ['nested', undefined, { a: 1, b: 2 }, '/n/1/2'],
  ['fixed', undefined, undefined, '/f/g'],
  ['dotted', undefined, { a: 'x.y', b: 'z' }, '/d/x.y.z'],
  ['dashed', undefined, { a: 'x-y', b: 'z' }, '/x-y-z'],
  ['prefixed', undefined, { num: '2v' }, '/v2v'],
  ['wild', undefined, { path: ['a', 'b/c', 3] }, '/w/a/b%2Fc/3'],
  ['wild', [['a', 'b']], undefined, '/w/a/b'],
  ['both', undefined, { path: ['a', 'b'], rest: ['c', 'd'] }, '/w/a/b/x/c/d'],
  ['all', undefined, { a: ['1', '2'], b: ['3'] }, '/1/2/3'],
  ['behind', undefined, { a: ['1'], b: '2' }, '/s/1/2'],
  ['end', undefined, { a: ['1', 'n'] }, '/t/1/n/end'],
  ['optional', undefined, undefined, '/'],
  ['optional', undefined, { only: 'x' }, '/x'],
  ['either', undefined, { a: '1', b: '2' }, '/x/1/2'],
  ['cafe', undefined, undefined, '/caf%C3%A9/a%20b'],
  ['escaped', undefined, undefined, '/a:b/%2f/100%25/1%254x'],
  ['slash', undefined, undefined, '/slash/'],
  ['double', undefined, undefined, '/a//b'],
  ['dotSegment', undefined, { y: 'x' }, '/x/.x'],
  ['named', undefined, { 'a b': 1 }, '/q/1'],
  ['inherited', undefined, NAMES, '/i/1/2'],
  ['letters', undefined, { a: 'x', b: 'y' }, '/xxyz0123456789_~y'],
  ['f:list', ['t', 'r'], undefined, '/t/r/list'],
  ['f:file', undefined, { tenant: 't', region: 'r', path: ['x'] }, '/t/r/files/x'],
  ['f:root', undefined, { tenant: 't', region: 'r' }, '/t/r'],
  ['i:inner', undefined, undefined, '/inner'],
  ['two:x', undefined, { before: 'a', id: '2' }, '/a/in/2/x'],
  ['b:x', undefined, {}, '/b/b'],
  ['b:x', undefined, { only: 'c' }, '/c/b/b'],
])('%s %p %p gives %s', (name, args, kwargs, path) => {
  expect(link(name, args, kwargs)).toBe(path)
})

const TYPES = 'it takes a string, a finite number, a bigint or a boolean'
const MISREAD = 'would read other values from that path'
const MOVES = 'would give a path that browsers change'
test.each<[name: string, args: unknown, kwargs: unknown, reason: string, unfit?: unknown[], missing?: string[]]>([
  ['detail', undefined, undefined, 'needs "id"', [], ['id']],
  ['detail', undefined, { id: undefined }, 'needs "id"', [], ['id']],
  ['detail', undefined, Object.create({ id: 'inherited' }), 'needs "id"', [], ['id']],
  ['three', undefined, { c: 1 }, 'needs "a" and "d"; got "c"', [], ['a', 'd']],
  ['inherited', undefined, {}, 'needs "constructor" and "__proto__"', [], ['constructor', '__proto__']],
  ['formatted', undefined, { format: 'json' }, 'needs "id"; got "format"', [], ['id']],
  ['detail', undefined, { id: 1, pk: 1 }, 'takes no "pk"; it takes "id"'],
  ['home', undefined, { pk: null }, 'takes no "pk"; it has no parameters'],
  ['detail', [1, 2], undefined, 'takes 1 args here, and got 2; it takes "id"'],
  ['detail', [1], { id: 1 }, 'takes 0 args here, and got 1; it takes "id"'],
  ['detail', 'x', undefined, 'takes a list of args; got a string'],
  ['detail', [undefined], undefined, `cannot take "id": ${TYPES}`, [null]],
  ['detail', undefined, { id: Number.NaN }, `cannot take "id": ${TYPES}`, [Number.NaN]],
  ['detail', undefined, { id: ['a'] }, `cannot take "id": ${TYPES}`, [['a']]],
  ['detail', undefined, { id: '' }, 'cannot take "id": an empty segment would change the path', ['']],
  ['detail', undefined, { id: '.' }, 'cannot take "id": a dot segment would change the path', ['.']],
  ['prefixed', undefined, { num: '..' }, 'cannot take "num": a dot segment would change the path', ['..']],
  ['detail', undefined, { id: 'a\r\nb' }, 'cannot take "id": it has a control character', ['a\r\nb']],
  ['detail', undefined, { id: '\ud800' }, 'cannot take "id": it has a lone surrogate', ['\ud800']],
  ['wild', undefined, { path: [] }, 'cannot take "path": it takes a non-empty list', [[]]],
  ['wild', undefined, { path: 'a' }, 'cannot take "path": it takes a non-empty list', ['a']],
  [
    'wild',
    undefined,
    { path: ['a', ''] },
    'cannot take "path": an empty segment would change the path',
    [['a', ''], ''],
  ],
  ['wild', undefined, { path: [null] }, `cannot take "path": ${TYPES}`, [[null], null]],
  ['together', undefined, { a: 1 }, 'takes "a" only together with the rest of its optional part'],
  ['nested', undefined, { b: 1 }, 'takes "b" only together with the rest of its optional part'],
  ['formatted', undefined, { id: 'a.json' }, MISREAD, ['a.json']],
  ['dotted', undefined, { a: 'x', b: 'y.z' }, MISREAD, ['y.z']],
  ['both', undefined, { path: ['a'], rest: ['b', 'x', 'd'] }, MISREAD],
  ['all', undefined, { a: ['1'], b: ['2', '3'] }, MISREAD],
  ['behind', undefined, { a: ['1', '2'] }, MISREAD],
  ['either', undefined, { b: '2' }, MISREAD],
  ['slashed', undefined, { a: ['1'] }, MISREAD],
  ['letters', undefined, { a: 'x', b: 'xyz0123456789_~y' }, MISREAD, ['x', 'xyz0123456789_~y']],
  ['f:root', undefined, { tenant: 't', only: 'o' }, MISREAD],
  ['dashed:x', undefined, { one: 1, two: 'y-' }, MISREAD, ['y-']],
  ['p:x', undefined, undefined, MISREAD],
  ['evil', undefined, { x: 1 }, MOVES],
  ['dots', undefined, undefined, MOVES],
  ['endingDots', undefined, undefined, MOVES],
  ['encodedDots', undefined, { x: 1 }, MOVES],
])('%s %p %p: %s', (name, args, kwargs, reason, unfit = [], missing?) => {
  const more = missing === undefined ? {} : { missing }
  const failure = { viewName: name, pattern: patterns.get(name), reason, unknown: false, unfit, ...more }
  expect(link(name, args, kwargs)).toEqual(failure)
})

test('an unknown name, and the parameters of a name', () => {
  const unknown = { viewName: 'nobody', reason: 'is not the name of a route', unknown: true }
  expect(link('nobody', undefined)).toEqual(unknown)
  expect(['only', 'tenant', 'path'].map((parameter) => table.takes('f:root', parameter))).toEqual([true, true, false])
  expect(table.takes('nobody', 'id')).toBe(false)
})

test('reading back ignores the letter case as the table does', () => {
  const made = [false, true].map((caseSensitive) => namedRoutes({ x: '/:a{nd:b}' }, { caseSensitive }))
  expect(made.map((one) => one.link('x', undefined, { a: 'aNDb' }))).toEqual([
    expect.objectContaining({ reason: MISREAD, unfit: ['aNDb'] }),
    '/aNDb',
  ])
})

/** Texts around one character, short ones and long ones: they are encoded in different ways. */
const AROUND: Record<string, (character: string) => string> = {
  alone: (character) => character,
  'in a short text': (character) => `a${character}b`,
  'in twelve characters': (character) => `abcde${character}fghijk`,
  'in thirteen characters': (character) => `abcde${character}fghijkl`,
  'before a character of another script': (character) => `${character}東`,
}
test.each(Object.entries(AROUND))(
  'each character up to U+0101 is encoded, or refused as a control: %s',
  (_, textOf) => {
    for (let code = 0; code <= 0x101; code++) {
      const id = textOf(String.fromCharCode(code))
      const control = code <= 0x1f || (code >= 0x7f && code <= 0x9f)
      const path = control || id === '.' ? undefined : `/users/${encodeURIComponent(id)}`
      const made = [link('detail', undefined, { id }), link('formatted', undefined, { id })]
      // A dot would be read as the start of a format.
      const expected = [path, /^.+\..+$/s.test(id) ? undefined : path]
      expect(made.map((one) => (typeof one === 'string' ? one : undefined))).toEqual(expected)
    }
  },
)

const reverse = (name: string, options?: object | null) =>
  (table.reverse as (...asked: unknown[]) => string)(name, options)

test.each<[name: string, options: object | undefined | null, link: string]>([
  ['home', null, '/'],
  ['home', {}, '/'],
  ['home', { id: undefined }, '/'],
  ['formatted', { kwargs: { id: 1, format: 'xml' }, format: 'json' }, '/users/1.json'],
  ['formatted', { kwargs: { id: 1, format: 'xml' }, format: null }, '/users/1.xml'],
  ['formatted', { args: [1], format: 'json' }, '/users/1.json'],
  ['home', { query: { page: 2 } }, '/?page=2'],
  ['home', { hash: 'top' }, '/#top'],
  ['detail', { args: [1], query: { a: [1, 2] }, hash: 'x' }, '/users/1?a=1&a=2#x'],
  ['detail', { args: [1], origin: 'https://API.example.com/' }, 'https://api.example.com/users/1'],
])('reverse() %s %p gives %s', (name, options, expected) => {
  expect(reverse(name, options)).toBe(expected)
})

test.each<[name: string, options: object | undefined, message: string]>([
  ['detial', undefined, 'No route named "detial". Did you mean "detail"?'],
  ['zzz', undefined, 'No route named "zzz".'],
  ['formatted', undefined, '"formatted" (/users/:id{.:format}) needs "id".'],
  [
    'f:list',
    { kwargs: { id: 1 } },
    '"f:list" (/:tenant{/:region}/list) takes no "id"; it takes "tenant" and "region".',
  ],
  ['home', { format: 'json' }, '"home" (/) takes no "format"; it has no parameters.'],
  ['home', { origin: 'example.com' }, `"origin" takes an origin such as 'https://api.example.com'.`],
  [
    'home',
    { id: 7 },
    'reverse(): unknown option "id": parameters go into "kwargs". It takes "args" and "kwargs" and "format" and "query" and "hash" and "origin".',
  ],
])('reverse() %s %p: %s', (name, options, message) => {
  expect(() => reverse(name, options)).toThrow(new NoReverseMatch(message))
})
