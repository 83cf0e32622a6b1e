import { NoReverseMatch, namedRoutes } from 'express-versioning'
import fc from 'fast-check'
import { parse } from 'qs'
import { appendQueryAndHash } from '../../src/request/link-text'
import type { LinkQuery } from '../../src/types'
import { property } from '../support/property'

const written = (query: unknown) => appendQueryAndHash('/', { query: query as LinkQuery })
// As Express's extended parser.
const read = (link: string) => parse(link.slice(2), { allowPrototypes: true, depth: 32, arrayLimit: 100 })

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '&', '-', '_'), minLength: 1, maxLength: 4 })
const leaf = fc.string({ unit: 'grapheme', maxLength: 5 })
const { tree } = fc.letrec<{ tree: unknown; list: unknown; object: unknown }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', maxDepth: 4 }, leaf, tie('list'), tie('object')),
  // No parser makes a list of a name that occurs once.
  list: fc.array(tie('tree'), { minLength: 2, maxLength: 4 }),
  object: fc.dictionary(name, tie('tree'), { minKeys: 1, maxKeys: 3 }),
}))

property(
  "what a query says is what Express's extended parser reads",
  fc.property(fc.dictionary(name, tree, { minKeys: 1, maxKeys: 4 }), (query) => {
    expect(read(written(query))).toEqual(query)
  }),
)

const flat = fc.dictionary(
  name,
  fc.oneof(leaf, fc.integer(), fc.boolean(), fc.bigInt(), fc.array(leaf, { maxLength: 3 })),
)
property(
  'a flat query is written as a nested one, by qs',
  fc.property(flat, (query) => {
    const beside = written({ ...query, zz: { z: 1 } })
    const link = written(query)
    expect(beside).toBe(`${link === '/' ? '/?' : `${link}&`}zz%5Bz%5D=1`)
  }),
)

property(
  'whatever a query parser gives is a link, and comes back from it',
  fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '[', ']', '=', '&', '1', '%5B', '.', '%20') }), (text) => {
    const query = parse(text, { allowPrototypes: true, plainObjects: true })
    expect(written({ ...query, page: 2 })).toMatch(/(?:\?|&)page=2$/)
  }),
)

const cycle: Record<string, unknown> = {}
cycle.self = { cycle }
const ring: unknown[] = [1]
ring.push([ring])
let deep: unknown = 'x'
for (let level = 0; level < 100_000; level++) deep = { deep }

test.each<[what: string, query: unknown, link: string]>([
  ['dates', { since: new Date(0) }, '/?since=1970-01-01T00%3A00%3A00.000Z'],
  ['lists repeat', { tag: ['a', 'b'], on: [new Date(0), 2n] }, '/?tag=a&tag=b&on=1970-01-01T00%3A00%3A00.000Z&on=2'],
  ['lists of lists have indices', { a: [[1], [2, 3]] }, '/?a%5B0%5D%5B0%5D=1&a%5B1%5D%5B0%5D=2&a%5B1%5D%5B1%5D=3'],
  ['lists of objects have indices', { a: [{ b: 1 }, { b: 2 }] }, '/?a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2'],
  ['null and undefined are left out', { a: null, b: { c: undefined, d: [1] }, e: [] }, '/?b%5Bd%5D=1'],
  ['without a prototype', Object.assign(Object.create(null), { a: { b: 1 } }), '/?a%5Bb%5D=1'],
  ['URLSearchParams', new URLSearchParams('a=1&a=+'), '/?a=1&a=+'],
  ['nothing', {}, '/'],
])('%s', (_what, query, link) => {
  expect(written(query)).toBe(link)
})

test.each<[what: string, query: unknown]>([
  ['nothing in a list', { a: [1, null] }],
  ['nothing in a list of lists', { a: [[undefined]] }],
  ['a function', { a: () => 1 }],
  ['a symbol', { a: Symbol('x') }],
  ['a symbol in a list', { a: [{ b: Symbol('x') }] }],
  ['a map', { a: new Map([['b', 1]]) }],
  ['a set', { a: { b: new Set([1]) } }],
  ['an invalid date', { a: new Date(Number.NaN) }],
  ['NaN', { a: Number.NaN }],
  ['NaN within', { a: { b: [Number.NaN] } }],
  ['a regular expression', { a: /x/ }],
  ['a class', { a: new (class Money {})() }],
  ['a cycle', cycle],
  ['a cycle of lists', { ring }],
  ['no end', { deep }],
  ['a lone surrogate', { a: { b: '\ud800' } }],
  ['a lone surrogate as a name', { a: { '\udfff': 1 } }],
  ['a list', [1]],
  ['a map itself', new Map()],
  ['a string', 'a=1'],
])('%s is a NoReverseMatch', (_what, query) => {
  expect(() => written(query)).toThrow(NoReverseMatch)
})

test("a table's link takes it", () => {
  const table = namedRoutes({ list: '/users' })
  expect(table.reverse('list', { query: { filter: { name: 'a' }, page: 2 } })).toBe('/users?filter%5Bname%5D=a&page=2')
})
