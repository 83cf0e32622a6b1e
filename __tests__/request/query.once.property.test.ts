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

const nested = (levels: number) => {
  let query: unknown = 'x'
  for (let level = 0; level < levels; level++) query = { a: query }
  return query
}
const cycle: Record<string, unknown> = {}
cycle.self = { cycle }
const ring: unknown[] = [1]
ring.push([ring])

const VALUES = '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these'
const CYCLE = '"query" takes objects without cycles or deep nesting; got a cycle, or more than 64 levels.'
const SURROGATE = '"query" takes well-formed strings; got one with a lone surrogate.'
test.each<[what: string, query: unknown, outcome: string]>([
  ['dates', { since: new Date(0) }, '/?since=1970-01-01T00%3A00%3A00.000Z'],
  ['lists repeat', { tag: ['a', 'b'], on: [new Date(0), 2n] }, '/?tag=a&tag=b&on=1970-01-01T00%3A00%3A00.000Z&on=2'],
  ['lists of objects', { a: [{ b: 1 }, { b: 2 }] }, '/?a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2'],
  ['absent values', { a: null, b: { c: undefined, d: [1] }, e: [] }, '/?b%5Bd%5D=1'],
  ['no prototype', Object.assign(Object.create(null), { a: { b: 1 } }), '/?a%5Bb%5D=1'],
  ['URLSearchParams', new URLSearchParams('a=1&a=+'), '/?a=1&a=+'],
  ['no query', null, '/'],
  ['64 levels', nested(65), `/?a${'%5Ba%5D'.repeat(64)}=x`],
  ['65 levels', nested(66), CYCLE],
  ['a cycle', cycle, CYCLE],
  ['a cycle of lists', { ring }, CYCLE],
  ['nothing in a list', { a: [1, null] }, `${VALUES}; got null.`],
  ['a function', { a: () => 1 }, `${VALUES}; got a function.`],
  ['an invalid date', { a: new Date(Number.NaN) }, `${VALUES}; got an object.`],
  ['NaN within', { a: { b: [Number.NaN] } }, `${VALUES}; got NaN.`],
  ['a class', { a: new (class Money {})() }, `${VALUES}; got an object.`],
  ['a lone surrogate', { a: { b: '\ud800' } }, SURROGATE],
  ['a lone surrogate as a name', { a: { '\udfff': 1 } }, SURROGATE],
  ['a list itself', [1], '"query" takes an object or URLSearchParams; got a list.'],
  ['a map itself', new Map(), '"query" takes an object or URLSearchParams; got an object.'],
  ['a string itself', 'a=1', '"query" takes an object or URLSearchParams; got a string.'],
])('%s', (_what, query, outcome) => {
  if (outcome.startsWith('/')) expect(written(query)).toBe(outcome)
  else expect(() => written(query)).toThrow(expect.objectContaining({ name: 'NoReverseMatch', message: outcome }))
})
