import fc from 'fast-check'
import { UNUSABLE } from '../../src/http/fields'
import { QueryAsSent, queryParameter, replaceQueryParameter } from '../../src/http/query'
import { property } from '../support/property'
import { rows, text } from '../support/rows'

// Names, values and queries of few characters, those that mean something foremost, so that names meet by chance.
const word = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '+', '%', '%61', '%2B', '%C3%A9', '=', '&', '?', ' ', '[', ']', '/'),
  maxLength: 5,
})
const name = fc.oneof(
  word.filter((text) => text !== ''),
  fc.constantFrom('a', 'b', 'é', 'aa'),
)
const pair = fc.string({
  unit: fc.constantFrom(...'a b \xe9 = = + %61 % %2 %26 %3d %e9 %C3%A9 ? [ ;'.split(' ')),
  maxLength: 6,
})
const rawQuery = fc.array(pair, { maxLength: 6 }).map((pairs) => `?${pairs.join('&')}`)
const path = fc.constantFrom('/', '', '/a', '/a=1&b=2', 'http://x.example/a', '/a%3Fa=1')
const fragment = fc.constantFrom('', '#', '#a=1', '#?a=1&b=2', '#x#y')
const url = fc.tuple(path, fc.oneof(rawQuery, fc.constant('')), fragment).map((parts) => parts.join(''))

/** The query of a URL, taken apart without the code under test. */
const queryOf = (text: string) => text.split('#', 1)[0]?.split('?').slice(1).join('?') ?? ''
// With a `?` of its own, as URLSearchParams strips the first one.
const paramsOf = (text: string) => new URLSearchParams(`?${queryOf(text)}`)

property(
  'queryParameter is URLSearchParams, but for two different values',
  fc.property(url, name, (text, wanted) => {
    const values = new Set(paramsOf(text).getAll(wanted))
    expect(queryParameter(text, wanted)).toBe(values.size > 1 ? UNUSABLE : [...values][0])
    for (const [key] of paramsOf(text)) if (key !== '') expect(queryParameter(text, key)).not.toBeUndefined()
  }),
)

property(
  'queryParameter reads what encodeURIComponent and URLSearchParams write',
  fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (text, value) => {
    const key = text === 'x' ? 'y' : text
    expect(queryParameter(`/?${encodeURIComponent(key)}=${encodeURIComponent(value)}`, key)).toBe(value)
    expect(queryParameter(`/?x=1&${new URLSearchParams([[key, value]])}`, key)).toBe(value)
  }),
)

test.each(
  rows(`
  ''       | /?a&v&b | /?v=&v
  =1       | /?v==1
  1?v=2    | /?v=1?v=2
  1        | /?&&v=1&& | /?%76=%31&v=1 | /?v=1#&v=2
  none     | /?a=v=1&av=2&va=3 | /?+v=1&v+=1&v%00=1&a;v=1 | /#?v=1 | /?a#&v=1 | ??v=1
  unusable | /?v=1&v=2 | /?v&v=2
  %zz%2    | /?v=%zz%2`),
)('%s: %s', (value = '', ...urls) => {
  const told: Record<string, unknown> = { none: undefined, unusable: UNUSABLE }
  const expected = value in told ? told[value] : text(value)
  for (const url of urls) expect([url, queryParameter(url, 'v')]).toEqual([url, expected])
})

// Ten times as long must not take a hundred times: the bound is far from either.
const timed = process.env.MUTATION_TESTS === undefined ? test : test.skip // the mutants' instruments take their time
timed.each(['%61&+=&a=%62&', '&', 'a&', 'a=&', '=', 'ab', '%', '+', '?'])('a query of %j takes linear time', (unit) => {
  const long = `/?${unit.repeat(400_000 / unit.length)}`
  const started = process.cpuUsage()
  queryParameter(long, 'version')
  replaceQueryParameter(long, 'version', '1')
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000)
})

test.each(
  rows(`
  /                             | 1   | /?v=1
  /                             | -   | /
  /#top                         | 1   | /?v=1#top
  /#top                         | -   | /#top
  /?#                           | 1   | /?v=1#
  /?v=0#top                     | -   | /#top
  /?v=0&a=1                     | a b | /?a=1&v=a%20b
  /?a=1&v=0&b=2&%76=9&v&v=      | 1   | /?a=1&b=2&v=1
  /?a=1&v=0                     | -   | /?a=1
  /?a=%20&b=+&c&d=&=e&f==       | 1   | /?a=%20&b=+&c&d=&=e&f==&v=1`),
)('replaceQueryParameter: %s, v to %s: %s', (url = '', value, result) => {
  expect(replaceQueryParameter(url, 'v', value === '-' ? undefined : value)).toBe(result)
})

property(
  'the replaced value is the one, and the last; every other pair, the path and the fragment stay byte for byte',
  fc.property(url, name, fc.option(word, { nil: undefined }), (text, key, value) => {
    const result = replaceQueryParameter(text, key, value)
    expect(queryParameter(result, key)).toBe(value)
    const isOther = (pair: string) => pair !== '' && !new URLSearchParams(`?${pair}`).has(key)
    const others = (raw: string) => queryOf(raw).split('&').filter(isOther)
    expect(others(result)).toEqual(others(text))
    expect(result.split(/[?#]/, 1)[0]).toBe(text.split(/[?#]/, 1)[0])
    expect(/#.*/s.exec(result)?.[0]).toBe(/#.*/s.exec(text)?.[0])
    if (value !== undefined) expect([...paramsOf(result)].at(-1)).toEqual([key, value])
    // A second call changes nothing.
    expect(replaceQueryParameter(result, key, value)).toBe(result)
  }),
)

property(
  'empty pairs stay too, unless nothing else does',
  fc.property(fc.array(fc.constantFrom('', 'a', 'a=1', 'b=2', 'v=3', '%76=4', 'v'), { minLength: 1 }), (pairs) => {
    const kept = pairs.filter((pair) => !new URLSearchParams(`?${pair}`).has('v')).join('&')
    expect(replaceQueryParameter(`/?${pairs.join('&')}`, 'v', '1')).toBe(kept === '' ? '/?v=1' : `/?${kept}&v=1`)
  }),
)

test('the query as sent in a link', () => {
  for (const [url, text] of [
    ['/a?b=%20+&c="<\\', 'b=%20+&c=%22%3C%5C'],
    ['/a#b', ''],
    ['/a?b#c', 'b'],
  ] as const) {
    const query = new QueryAsSent(url)
    expect([String(query), query instanceof URLSearchParams]).toEqual([text, true])
    expect([...query]).toEqual([...new URLSearchParams(queryOf(url))])
  }
})
