import { ServerResponse } from 'node:http'
import express, { type Response } from 'express'
import fc from 'fast-check'
import { UNUSABLE } from '../../src/http/fields'
import { jsonCopy } from '../../src/http/json'
import { QueryAsSent, queryParameter, replaceQueryParameter } from '../../src/http/query'
import { encodeReference } from '../../src/http/reference'
import { isBodyless, isSuccess, withoutNamesOfBytes } from '../../src/http/representation'
import { appendVary, dropVary } from '../../src/http/vary'
import { didYouMean, near } from '../../src/util/suggest'
import { property } from '../support/property'
import { rows } from '../support/rows'

/** A response of Express that is never sent. */
function response(fields: object): Response {
  const res = Object.setPrototypeOf(new ServerResponse({ method: 'GET' } as never), express.response) as Response
  for (const [name, value] of Object.entries(fields)) res.setHeader(name, value)
  return res
}
const joined = (units: string[], maxLength: number) =>
  fc.array(fc.constantFrom(...units), { maxLength }).map((parts) => parts.join(''))

test.each<[before: string | string[], appended: string, dropped: string | undefined]>([
  ['', 'Accept, Host', undefined],
  [' Origin ,,Accept-Language', ' Origin ,,Accept-Language, Accept, Host', 'Origin, Accept-Language'],
  [['accept', 'Origin'], 'accept, Origin, Host', 'Origin'],
  ['*', '*', '*'],
])('Vary %j, with Accept and Host: %j; without them: %j', (before, appended, dropped) => {
  const build = () => response(before === '' ? {} : { Vary: before })
  const [one, other, sent] = [build(), build(), build()]
  appendVary(one, 'Accept, Host')
  dropVary(other, ['ACCEPT', 'Host'])
  sent.flushHeaders()
  appendVary(sent, 'Accept')
  const after = [one, other, sent].map((res) => res.getHeader('Vary'))
  expect(after).toEqual([appended, dropped, before === '' ? undefined : before])
})

test('trailers that name no bytes, statuses without a body, and those of a success with one', () => {
  const trailers = { 'Repr-Digest': 'x', 'content-MD5': 'x', A: 'b' }
  for (const one of [trailers, Object.entries(trailers)]) expect(withoutNamesOfBytes(one)).toEqual([['A', 'b']])
  const statuses = [100, 199, 200, 204, 205, 206, 299, 300, 303, 304, 305]
  expect(statuses.filter(isBodyless)).toEqual([100, 199, 204, 205, 304])
  expect(statuses.filter(isSuccess)).toEqual([200, 206, 299])
})

test('near words: nearest first, three at most, within a third of the length, in any letter case', () => {
  expect(near('ABcD', ['abcde', 'abce', 'aBCd', 'abcdx'])).toEqual(['aBCd', 'abcde', 'abce'])
  expect([near('xabc', ['abcd']), near('ab', ['b', 'xab', 'xaab'])]).toEqual([[], ['b', 'xab']])
  // Two letters that are swapped are one edit, in short words too.
  const swapped = near('emial', ['emails', 'email', 'mail'])
  expect([swapped, near('IDs', ['dis', 'sid']), near('oterhs', ['others'])]).toEqual([['email'], ['dis'], ['others']])
  // Longer words may have more edits, but never more than three.
  expect(near('abcdefghijkl', ['abcdefghi', 'abcdefgh'])).toEqual(['abcdefghi'])
})

// A client may choose the word, and a table may have any number of names, so the cost of a search is bounded.
test('words of more than 64 characters have no near ones, and of very many alike only the first are looked at', () => {
  const longest = 'x'.repeat(65)
  expect([near('x'.repeat(64), [longest]), near(longest, [longest])]).toEqual([[longest], []])
  const word = 'abcdefgh'.repeat(8)
  const twisted = [...word].reverse().join('')
  const among = (before: number) => near(word, [...Array<string>(before).fill(twisted), word])
  expect([among(100), among(200)]).toEqual([[word], []])
  expect([didYouMean([]), didYouMean(['a', 'b'])]).toEqual(['', ' Did you mean "a" or "b"?'])
})

// Queries

const word = joined([...'a b é + % %61 %2B %C3%A9 = & ? [ ] /'.split(' '), ' '], 5)
const name = word.map((text) => (text === '' ? 'a' : text))
const pair = joined('a b \xe9 = = + %61 % %2 %26 %3d %e9 %C3%A9 ? [ ;'.split(' '), 6)
const rawQuery = fc.array(pair, { maxLength: 6 }).map((pairs) => `?${pairs.join('&')}`)
const path = fc.constantFrom('/', '', '/a', '/a=1&b=2', 'http://x.example/a', '/a%3Fa=1')
const fragment = fc.constantFrom('', '#', '#a=1', '#?a=1&b=2', '#x#y')
const url = fc.tuple(path, fc.oneof(rawQuery, fc.constant('')), fragment).map((parts) => parts.join(''))

/** The query of a URL, taken apart without the code under test. */
const queryOf = (text: string) => text.split('#', 1)[0]?.split('?').slice(1).join('?') ?? ''
// With a `?` of its own, as URLSearchParams strips the first one.
const paramsOf = (text: string) => new URLSearchParams(`?${queryOf(text)}`)
test('queryParameter takes equal values for one, has no limit on pairs, and stops at a fragment', () => {
  expect(queryParameter('/?%76=1&a&v=1', 'v')).toBe('1')
  expect(queryParameter(`/?v=1&${'p=1&'.repeat(1500)}v=2`, 'v')).toBe(UNUSABLE)
  for (const url of ['/#?v=1', '/?a#&v=1']) expect(queryParameter(url, 'v')).toBeUndefined()
})

// Ten times as long must not take a hundred times: the bound is far from either.
const timed = process.env.MUTATION_TESTS === undefined ? test : test.skip // the mutants' instruments take their time
timed.each(['%61&+=&a=%62&', '&', 'a=&', '=', '%'])('a query of %j takes linear time', (unit) => {
  const long = `/?${unit.repeat(400_000 / unit.length)}`
  const started = process.cpuUsage()
  queryParameter(long, 'version')
  replaceQueryParameter(long, 'version', '1')
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000)
})

const REPLACED = rows(`
  /?#                           | 1   | /?v=1#
  /?v=0#top                     | -   | /#top
  // Empty pairs stay too, unless nothing else does.
  /?&a=1&&v=0&                  | 1   | /?&a=1&&&v=1`)
test.each(REPLACED)('replaceQueryParameter: %s, v to %s: %s', (url = '', value, result) => {
  expect(replaceQueryParameter(url, 'v', value === '-' ? undefined : value)).toBe(result)
})

property(
  'the replaced value is the one, and the last; every other pair, the path and the fragment stay byte for byte',
  fc.property(url, name, fc.option(word, { nil: undefined }), (text, key, value) => {
    const result = replaceQueryParameter(text, key, value)
    expect(queryParameter(result, key)).toBe(value)
    const isOther = (pair: string) => pair !== '' && !new URLSearchParams(`?${pair}`).has(key)
    const pairs = (raw: string) => queryOf(raw).split('&').filter(isOther)
    const others = (raw: string) => [raw.split(/[?#]/, 1), pairs(raw), /#.*/s.exec(raw)?.[0]]
    expect(others(result)).toEqual(others(text))
    if (value !== undefined) expect([...paramsOf(result)].at(-1)).toEqual([key, value])
    // A second call changes nothing.
    expect(replaceQueryParameter(result, key, value)).toBe(result)
  }),
)

test('the query as sent, and other text of clients, in a link', () => {
  for (const [url, text] of Object.entries({ '/a?b=%20+&c="<\\': 'b=%20+&c=%22%3C%5C', '/a#b': '', '/a?b#c': 'b' })) {
    const query = new QueryAsSent(url)
    expect([String(query), ...query]).toEqual([text, ...new URLSearchParams(queryOf(url))])
  }
  expect(encodeReference('/a b"\\\ud800')).toBe('/a%20b%22%5C%EF%BF%BD')
})

// Copies as of JSON

const told = (key: string) => ({ key })
const odd = fc.constantFrom<unknown>(
  ...['{"__proto__":{"polluted":true},"a":1}', '{"__proto__":7}'].map((text) => JSON.parse(text)),
  ...[new Date(Number.NaN), () => 1, Object.assign(() => 1, { toJSON: told }), Symbol('x'), undefined],
  ...[new Array(3), Object.assign([1], { extra: 2 }), Object.assign([1], { toJSON: told }), new Proxy([1, 2], {})],
  ...[told, 'no function', () => ({ toJSON: told }), () => undefined].map((toJSON) => ({ toJSON })),
  ...[Object.create({ inherited: 1 }), Object.freeze({ a: Object.freeze([1]) }), { [Symbol('x')]: 1 }],
  ...[
    { constructor: 1, toString: undefined, hasOwnProperty: () => 1 },
    { toString: () => 1, valueOf: new Date(0) },
  ],
  ...[Object.defineProperty({}, 'hidden', { value: 1 }), new Proxy({ a: 1 }, {}), Number.NaN, -0],
)
const anything = fc.anything({
  ...{ withDate: true, withNullPrototype: true, withObjectString: true, withBoxedValues: true, withMap: true },
  ...{ withSet: true, withSparseArray: true, withTypedArray: true, withUnicodeString: true },
})
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', '0', 'toJSON'))
const value = fc.oneof(odd, anything)
const mixed = fc.oneof(value, fc.array(value), fc.dictionary(key, value, { noNullPrototype: true }))

/** Returns the value that `make` returns with the order of its keys, or reports that it throws. */
function outcome(make: () => unknown): unknown {
  try {
    const made = make()
    return { made, text: JSON.stringify(made) }
  } catch (error) {
    return (error as Error).constructor.name
  }
}
const viaJson = (value: unknown): unknown => {
  const json = JSON.stringify(value)
  return json === undefined ? undefined : JSON.parse(json)
}
property(
  'a copy is what JSON makes of a value',
  fc.property(mixed, (value) => {
    expect(outcome(() => jsonCopy(value))).toStrictEqual(outcome(() => viaJson(value)))
  }),
)

const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)])
test('a copy reads getters once, shares nothing however deep, and asks JSON only for what is no plain data', () => {
  const stringify = jest.spyOn(JSON, 'stringify')
  const read = jest.fn(() => 1)
  const value = Object.defineProperty({}, 'a', { get: read, enumerable: true })
  expect([jsonCopy([value]), read.mock.calls.length]).toEqual([[{ a: 1 }], 1])
  const inmost = [{ a: [1, 'b', null, { c: true }] }]
  for (const depth of [0, 60, 61, 200]) {
    let copy = jsonCopy(nested(depth, inmost))
    for (let level = 0; level < depth; level++) copy = (copy as unknown[])[0]
    expect(copy).toEqual(inmost)
    expect(copy).not.toBe(inmost)
    expect((copy as object[])[0]).not.toBe(inmost[0])
  }
  expect(stringify).toHaveBeenCalledTimes(2)
  stringify.mockRestore()
  expect(() => jsonCopy({ a: [1n] })).toThrow(/BigInt/)
  read.mockImplementation(() => {
    throw new RangeError('not now')
  })
  expect(() => jsonCopy([value])).toThrow(new RangeError('not now'))
})
