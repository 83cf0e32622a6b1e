import { type LinkKwargs, NoReverseMatch, namedRoutes } from 'express-versioning'
import { inNamespaces } from '../support/tables'

/** Makes a link by a pattern alone, or by a prefix and a pattern joined by ` + `. */
function link(paths: string, args: unknown, kwargs?: unknown) {
  const [path = '', prefix = '/'] = paths.split(' + ').reverse()
  const table = namedRoutes({}).include(prefix, namedRoutes({ x: path }), { namespace: 'n' })
  return table.link('n:x', args as never, kwargs as LinkKwargs)
}
const STRANGE = JSON.parse('{"constructor":1,"__proto__":2}')
const NONE = undefined

test.each<[paths: string, args: unknown, kwargs: unknown, path: string]>([
  ['/', NONE, NONE, '/'],
  ['/', null, null, '/'],
  ['/users/:id', NONE, { id: 1e21 }, '/users/1e%2B21'],
  ['/users/:id', NONE, { id: 1, other: undefined }, '/users/1'],
  ['/users/:id', [7], { id: undefined }, '/users/7'],
  ['/:a/b/:c/:d', [1, 3], { c: 2 }, '/1/b/2/3'],
  ['/n/:"2"/:"1"', NONE, { 1: 'a', 2: 'b' }, '/n/b/a'],
  ['/users/:id{.:format}', [7, 'json'], NONE, '/users/7.json'],
  ['/g{/:a/:b}', NONE, {}, '/g'],
  ['/n{/:a{/:b}}', NONE, { a: 1 }, '/n/1'],
  ['/t/*a{/end}', NONE, { a: ['1', 'n'] }, '/t/1/n/end'],
  ['{/:only}', NONE, NONE, '/'],
  ['/café/a b', NONE, NONE, '/caf%C3%A9/a%20b'],
  ['/a\\:b/%2f/100%/1%4x', NONE, NONE, '/a:b/%2f/100%25/1%254x'],
  ['/i/:constructor/:__proto__', NONE, STRANGE, '/i/1/2'],
  ['/:"a"xyz0123456789_~:"b"', NONE, { a: 'x', b: 'y' }, '/xxyz0123456789_~y'],
  ['/:tenant{/:region} + /list', ['t', 'r'], NONE, '/t/r/list'],
  ['/{:only/}b + /b', NONE, { only: 'c' }, '/c/b/b'],
])('%s %p %p gives %s', (paths, args, kwargs, path) => {
  expect(link(paths, args, kwargs)).toBe(path)
})

const TYPES = 'it takes a string, a finite number, a bigint or a boolean'
const EMPTY = 'an empty segment would change the path'
const DOTS = 'a dot segment would change the path'
const MISREAD = 'would read other values from that path'
const MOVES = 'would give a path that browsers change'
const PARTLY = 'only together with the rest of its optional part'
test.each<[paths: string, args: unknown, kwargs: unknown, reason: string, unfit?: unknown[], missing?: string[]]>([
  ['/users/:id', NONE, { id: undefined }, 'needs "id"', [], ['id']],
  ['/users/:id', NONE, Object.create({ id: 'inherited' }), 'needs "id"', [], ['id']],
  ['/:a/b/:c/:d', NONE, { c: 1 }, 'needs "a" and "d"; got "c"', [], ['a', 'd']],
  ['/:constructor', NONE, {}, 'needs "constructor"', [], ['constructor']],
  ['/users/:id{.:format}', NONE, { format: 'json' }, 'needs "id"; got "format"', [], ['id']],
  ['/users/:id', NONE, { id: 1, pk: 1 }, 'takes no "pk"; it takes "id"'],
  ['/', NONE, { pk: null }, 'takes no "pk"; it has no parameters'],
  ['/users/:id', [1, 2], NONE, 'takes 1 args here, and got 2; it takes "id"'],
  ['/users/:id', [1], { id: 1 }, 'takes 0 args here, and got 1; it takes "id"'],
  ['/users/:id', 'x', NONE, 'takes a list of args; got a string'],
  ['/users/:id', [undefined], NONE, `cannot take "id": ${TYPES}`, [null]],
  ['/users/:id', NONE, { id: Number.NaN }, `cannot take "id": ${TYPES}`, [Number.NaN]],
  ['/users/:id', NONE, { id: '' }, `cannot take "id": ${EMPTY}`, ['']],
  ['/users/:id', NONE, { id: '.' }, `cannot take "id": ${DOTS}`, ['.']],
  ['/users/:id', NONE, { id: 'a\r\nb' }, 'cannot take "id": it has a control character', ['a\r\nb']],
  ['/users/:id', NONE, { id: '\ud800' }, 'cannot take "id": it has a lone surrogate', ['\ud800']],
  ['/w/*path', NONE, { path: [] }, 'cannot take "path": it takes a non-empty list', [[]]],
  ['/w/*path', NONE, { path: 'a' }, 'cannot take "path": it takes a non-empty list', ['a']],
  ['/w/*path', NONE, { path: ['a', ''] }, `cannot take "path": ${EMPTY}`, [['a', ''], '']],
  ['/g{/:a/:b}', NONE, { a: 1 }, `takes "a" ${PARTLY}`],
  ['/users/:id{.:format}', NONE, { id: 'a.json' }, MISREAD, ['a.json']],
  ['/*a/*b', NONE, { a: ['1'], b: ['2', '3'] }, MISREAD],
  ['/:"a"xyz0123456789_~:"b"', NONE, { a: 'x', b: 'xyz0123456789_~y' }, MISREAD, ['x', 'xyz0123456789_~y']],
  ['/:tenant{/:region} + {/:only}', NONE, { tenant: 't', only: 'o' }, MISREAD],
  ['/p + //', NONE, NONE, MISREAD],
  ['//evil.com/:x', NONE, { x: 1 }, MOVES],
  ['/a/../b', NONE, NONE, MOVES],
  ['/a/..', NONE, NONE, MOVES],
])('%s %p %p: %s', (paths, args, kwargs, reason, unfit = [], missing?) => {
  const more = missing === undefined ? {} : { missing }
  const pattern = paths.split(' + ').join('')
  expect(link(paths, args, kwargs)).toEqual({ viewName: 'n:x', pattern, reason, unknown: false, unfit, ...more })
})

const file = namedRoutes({ file: '/files/*path' })
const table = namedRoutes({ home: '/', detail: '/users/:id', formatted: '/users/:id{.:format}' })
  .include('/:tenant{/:region}', file, { namespace: 'f' })
  .include('/:version', namedRoutes({ old: '/old/:id' }))
const fresh = () => namedRoutes({ new: '/new' })
inNamespaces(table, { v1: fresh(), v2: fresh(), v3: fresh(), v4: fresh() })

test('an unknown name, and the parameters of a name', () => {
  const unknown = { viewName: 'nobody', reason: 'is not the name of a route', unknown: true }
  expect(table.link('nobody')).toEqual(unknown)
  expect(['path', 'tenant', 'id'].map((parameter) => table.takes('f:file', parameter))).toEqual([true, true, false])
  expect(table.takes('nobody', 'id')).toBe(false)
})

test('reading back ignores the letter case as the table does', () => {
  const made = [false, true].map((caseSensitive) => namedRoutes({ x: '/:a{nd:b}' }, { caseSensitive }))
  const misread = expect.objectContaining({ reason: MISREAD, unfit: ['aNDb'] })
  expect(made.map((one) => one.link('x', undefined, { a: 'aNDb' }))).toEqual([misread, '/aNDb'])
})

// Short and long strings are encoded in different ways.
test.each([
  ['', ''],
  ['a', 'b'],
  ['abcde', 'fghijk'],
  ['abcde', 'fghijkl'],
  ['', '東'],
])('each character up to U+0101 is encoded, or rejected as a control: between %j and %j', (before, after) => {
  for (let code = 0; code <= 0x101; code++) {
    const id = before + String.fromCharCode(code) + after
    const control = code <= 0x1f || (code >= 0x7f && code <= 0x9f)
    const path = control || id === '.' ? undefined : `/users/${encodeURIComponent(id)}`
    const made = ['detail', 'formatted'].map((name) => table.link(name, undefined, { id }))
    // A dot would be read as the start of a format.
    const expected = [path, /^.+\..+$/s.test(id) ? undefined : path]
    expect(made.map((one) => (typeof one === 'string' ? one : undefined))).toEqual(expected)
  }
})

const NEW = 'No route named "new". Did you mean "v1:new" or "v2:new" or "v3:new"?'
const TAKES = 'It takes "args" and "kwargs" and "format" and "query" and "hash" and "origin".'
const WHY =
  "a table's own reverse() knows no request, so name it, or make the link by req.reverse() behind a versioning()"
test.each<[name: string, options: object | undefined | null, outcome: string]>([
  ['home', null, '/'],
  ['home', { id: undefined }, '/'],
  ['formatted', { kwargs: { id: 1, format: 'xml' }, format: 'json' }, '/users/1.json'],
  ['formatted', { kwargs: { id: 1, format: 'xml' }, format: null }, '/users/1.xml'],
  ['detail', { args: [1], query: { a: [1, 2] }, hash: 'x' }, '/users/1?a=1&a=2#x'],
  ['detail', { args: [1], origin: 'https://API.example.com/' }, 'https://api.example.com/users/1'],
  ['home', { origin: 'http://api.example.com:80' }, 'http://api.example.com/'],
  ['home', { origin: 'http://[::1]:443' }, 'http://[::1]:443/'],
  ['detial', undefined, 'No route named "detial". Did you mean "detail"?'],
  ['zzz', undefined, 'No route named "zzz".'],
  ['formatted', undefined, '"formatted" (/users/:id{.:format}) needs "id".'],
  ['home', { origin: 'example.com' }, `"origin" takes an origin such as 'https://api.example.com'.`],
  ['home', { id: 7 }, `reverse(): unknown option "id": parameters go into "kwargs". ${TAKES}`],
  ['old', { kwargs: { id: 7 } }, `"old" (/:version/old/:id) needs a version: ${WHY}.`],
  ['old', undefined, `"old" (/:version/old/:id) needs a version and "id": ${WHY}.`],
  ['old', { kwargs: { version: 'v1' } }, '"old" (/:version/old/:id) needs "id"; got "version".'],
  ['new', undefined, `${NEW} Its namespace is not filled in: ${WHY}.`],
])('reverse() %s %p: %s', (name, options, outcome) => {
  const made = () => (table.reverse as (...asked: unknown[]) => string)(name, options)
  if (/^(\/|http)/.test(outcome)) expect(made()).toBe(outcome)
  else expect(made).toThrow(new NoReverseMatch(outcome))
})
