import { type LinkKwargs, namedRoutes } from 'express-versioning'
import fc from 'fast-check'
import { match } from 'path-to-regexp'
import { property, RUNS } from '../support/property'

// The oracle is path-to-regexp, on the whole pattern as one path. It shares no code with the making of links.

const part = fc.constantFrom(
  '/a',
  '/b.c',
  '/:',
  '/:',
  '/x-:',
  '/:-:',
  '/:.:',
  '/:.:.:',
  '/:ab:aba:',
  '{/:}',
  '{.:}',
  '{-:}',
  '{/:-:}',
  '{/x}',
  '{/:}{/:}',
  '{/:{.:}}',
  '/*',
  '/*/x/',
  '/*.:',
  '{/*}',
)
const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => {
  let count = 0
  const path = parts.join('').replace(/[:*](?!p\d)/g, (mark) => `${mark}p${count++}`)
  // A quoted name ends where the next text begins.
  const quoted = path.replace(/([:*])(p\d+)/g, '$1"$2"')
  return quoted.startsWith('/') ? quoted : `/s${quoted}`
})
const value = fc.oneof(
  fc.constantFrom(
    'a',
    'x',
    'X',
    'ab',
    'ABA',
    '-',
    'x-',
    '.json',
    'a.b',
    'a-b',
    'x.x',
    '%',
    '%2e',
    'é',
    '7',
    'b.c',
    '...',
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', 'x', '.', '-', '/', 'é', '~'), minLength: 1, maxLength: 5 }),
)
const given = fc.array(
  fc.option(fc.oneof({ weight: 3, arbitrary: value }, fc.array(value, { minLength: 1, maxLength: 3 })), {
    freq: 4,
    nil: undefined,
  }),
  { minLength: 8, maxLength: 8 },
)

/** Builds a table of one route at a path or below it, or returns `undefined` if path-to-regexp rejects the path. */
function tableOf(path: string, prefix: string) {
  try {
    return { table: namedRoutes({}).include(prefix, namedRoutes({ it: path }) as never), reads: match(prefix + path) }
  } catch {
    return undefined
  }
}

let links = 0
let refusals = 0
property(
  'a link reads back as it was meant, by path-to-regexp itself; what would not is refused',
  fc.property(pattern, fc.constantFrom('', '', '/in', '/:t', '{/:t}', '/:t.:u'), given, (path, prefix, values) => {
    const found = tableOf(path, prefix === '' ? '/' : prefix)
    fc.pre(found !== undefined)
    const reads = prefix === '' ? match(path) : found.reads
    const names = found.table.list()[0]?.params ?? []
    const kwargs = Object.fromEntries(
      names.map((name, index) => [name, values[index]]).filter(([, one]) => one !== undefined),
    ) as LinkKwargs
    const link = found.table.link('it', undefined, kwargs)
    if (typeof link !== 'string') {
      refusals++
      return
    }
    links++
    expect({
      link,
      params: { ...((reads(link) as { params?: object } | false) || { params: undefined }).params },
    }).toEqual({
      link,
      params: kwargs,
    })
  }),
  () => {
    expect(links).toBeGreaterThan(RUNS / 20)
    expect(refusals).toBeGreaterThan(RUNS / 20)
  },
)

test.each<[path: string, kwargs: LinkKwargs, link: string]>([
  ['/files/:name.:ext', { name: 'report', ext: 'pdf' }, '/files/report.pdf'],
  ['/files/:name.:ext', { name: 'a.tar', ext: 'gz' }, '/files/a.tar.gz'],
  ['/users/:id{.:format}', { id: 'u', format: 'json' }, '/users/u.json'],
  ['/users/:id{.:format}', { id: 'u' }, '/users/u'],
  ['/users/:id{.:format}/posts', { id: 'a-b' }, '/users/a-b/posts'],
  ['/a-:b', { b: 'a-b' }, '/a-a-b'],
  ['/:a-:b', { a: 'x-y', b: 'z' }, '/x-y-z'],
  ['/f{/g}', {}, '/f/g'],
  ['/x{/:a}{/:b}', { a: '1', b: '2' }, '/x/1/2'],
])('%s %j is %s', (path, kwargs, link) => {
  expect(namedRoutes({ it: path } as Record<string, string>).link('it', undefined, kwargs)).toBe(link)
})

test.each<[path: string, kwargs: LinkKwargs]>([
  ['/users/:id{.:format}', { id: 'a.json' }],
  ['/:a-:b', { a: 'x', b: 'y-z' }],
  ['/x{/:a}{/:b}', { b: '2' }],
  ['/*a/x/*b', { a: ['1'], b: ['2', 'x', '3'] }],
])('%s %j would read other values', (path, kwargs) => {
  const link = namedRoutes({ it: path } as Record<string, string>).link('it', undefined, kwargs)
  expect(link).toMatchObject({ reason: 'would read other values from that path' })
})

test('an optional prefix is there if its parameters are given', () => {
  const root = namedRoutes({}).include('{/:version}', namedRoutes({ users: '/users', user: '/users/:id' }))
  expect(root.reverse('users')).toBe('/users')
  expect(root.reverse('users', { kwargs: { version: 'v1' } })).toBe('/v1/users')
  expect(root.reverse('user', { kwargs: { id: 7 } })).toBe('/users/7')
})
