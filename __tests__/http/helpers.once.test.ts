import { ServerResponse } from 'node:http'
import express, { type Response } from 'express'
import fc from 'fast-check'
import { isFieldValue, isListItem, quotedString, trimWhitespace } from '../../src/http/fields'
import { normalizedOrigin, requestAuthority, requestHost } from '../../src/http/host'
import { encodeReference, isPathPrefix, isPathSegment, pathReference } from '../../src/http/reference'
import {
  dropNamesOfBytes,
  dropRepresentation,
  isBodyless,
  isSuccess,
  withoutNamesOfBytes,
} from '../../src/http/representation'
import { appendVary, dropVary } from '../../src/http/vary'
import { isDate } from '../../src/util/dates'
import { operationMethod, parseOperation, tails } from '../../src/util/operation'
import { kindOf, shown } from '../../src/util/options'
import { didYouMean, near } from '../../src/util/suggest'
import { isThenable } from '../../src/util/thenable'
import { visible } from '../../src/util/visible'
import { property } from '../support/property'
import { rows } from '../support/rows'
import { listen } from '../support/serve'

/** A response of Express that is never sent. */
function response(fields: Record<string, string | string[] | number>): Response {
  const res = Object.setPrototypeOf(new ServerResponse({ method: 'GET' } as never), express.response) as Response
  for (const [name, value] of Object.entries(fields)) res.setHeader(name, value)
  return res
}

test.each(
  rows(`
  HTTPS://API.Example.COM/     | https://api.example.com
  https://api.example.com:443/ | https://api.example.com
  http://api.example.com:80    | http://api.example.com
  http://api.example.com:443   | http://api.example.com:443
  https://api.example.com:80   | https://api.example.com:80
  http://[::1]:3000            | http://[::1]:3000
  http://xn--mnchen-3ya.de     | http://xn--mnchen-3ya.de
  // more or less than an origin
  api.example.com              | undefined
  ftp://api.example.com        | undefined
  http://api.example.com//     | undefined
  http://me@api.example.com    | undefined`),
)('normalizedOrigin(%s): %s', (text = '', origin) => {
  expect(String(normalizedOrigin(text))).toBe(origin)
})

const part = fc.constantFrom(
  ...'http: https: HTTP: // / \\ a B . com : 80 443 8080 @ ? # [ ] ::1 % %2e \t 1 ü \u212a'.split(' '),
  ' ',
)
const text = fc.oneof(
  fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(part, { maxLength: 5 }).map((parts) => `https://${parts.join('')}`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(fc.constantFrom('http', 'HTTPS'), fc.domain(), fc.constantFrom('', ':80', ':443', ':8080', '/'))
    .map(([protocol, host, rest]) => `${protocol}://${host}${rest}`),
)
property(
  'whatever normalizedOrigin lets through is an origin of the same host, and stays one',
  fc.property(text, (candidate) => {
    const origin = normalizedOrigin(candidate)
    if (origin === undefined) return
    expect(origin).toBe(new URL(candidate).origin)
    expect(normalizedOrigin(`${origin.toUpperCase()}/`)).toBe(origin)
    const { username, password, pathname, search, hash } = new URL(candidate)
    expect([username, password, pathname, search, hash]).toEqual(['', '', '/', '', ''])
  }),
)

// `requestAuthority` differs where Express 4 drops the port.
test.each(
  rows(`
  // Host                  | X-Forwarded-Host         | trust proxy | requestHost          | requestAuthority
  API.example.com:3000     | -                        | false       | API.example.com:3000 | API.example.com:3000
  ''                       | -                        | false       | ''                   | ''
  -                        | -                        | false       | null                 | null
  a.example                | b.example                | false       | a.example            | a.example
  a.example                | b.example                | 10.0.0.1    | a.example            | a.example
  a.example                | b.example:8443           | true        | b.example            | b.example:8443
  a.example                | b.example , c.example    | loopback    | b.example            | b.example
  a.example                | ''                       | true        | a.example            | a.example`),
)(
  'Host %s, X-Forwarded-Host %s, trust proxy %s: %s, %s',
  async (host = '', forwarded = '', trust = '', ...expected) => {
    const app = express().set('trust proxy', trust === 'true' || (trust === 'false' ? false : trust))
    app.use((req, res) => void res.json([requestHost(req) ?? 'null', requestAuthority(req) ?? 'null']))
    const line = (name: string, value: string) => (value === '-' ? '' : `${name}: ${value.replace("''", '')}\r\n`)
    const sent = line('Host', host) + line('X-Forwarded-Host', forwarded)
    const answer = await (await listen(app)).raw(`GET / HTTP/1.0\r\n${sent}\r\n`)
    const found = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
    expect(found).toEqual(expected.map((one) => one.replace("''", '')))
  },
)

test.each<[before: string | string[] | undefined, appended: string, dropped: string | undefined]>([
  [undefined, 'Accept, Host', undefined],
  ['Origin', 'Origin, Accept, Host', 'Origin'],
  ['accept, Origin', 'accept, Origin, Host', 'Origin'],
  [' Origin ,,Accept-Language', ' Origin ,,Accept-Language, Accept, Host', 'Origin, Accept-Language'],
  [['Accept', 'Origin'], 'Accept, Origin, Host', 'Origin'],
  ['Host', 'Host, Accept', undefined],
  ['*', '*', '*'],
])('Vary %j, with Accept and Host: %j; without them: %j', (before, appended, dropped) => {
  const build = () => response(before === undefined ? {} : { Vary: before })
  const [one, other, sent] = [build(), build(), build()]
  appendVary(one, 'Accept, Host')
  dropVary(other, ['ACCEPT', 'Host'])
  sent.flushHeaders()
  appendVary(sent, 'Accept')
  expect([one, other, sent].map((res) => res.getHeader('Vary'))).toEqual([appended, dropped, before])
})

test.each<[text: string, fieldValue: boolean, listItem: boolean, trimmed: string, quoted: string]>([
  ['', true, false, '', '""'],
  [' a\t', true, false, 'a', '" a\t"'],
  ['\xa0a', true, false, '\xa0a', '"\xa0a"'],
  ['a,b', true, false, 'a,b', '"a,b"'],
  ['a"\\', true, true, 'a"\\', '"a\\"\\\\"'],
  ['a\n', false, false, 'a\n', '"a\n"'],
])('%j in header fields', (text, ...expected) => {
  expect([isFieldValue(text), isListItem(text), trimWhitespace(text), quotedString(text)]).toEqual(expected)
})

test.each<[text: string, segment: boolean, prefix: boolean, encoded: string, reference: string]>([
  ['a', true, false, 'a', '/a'],
  ['', false, false, '', '/'],
  ['..', false, false, '..', '/..'],
  ['...', true, false, '...', '/...'],
  ['/a/b', true, true, '/a/b', '/a/b'],
  ['/%2E', true, false, '/%2E', '/%2E'],
  ['/a/', true, false, '/a/', '/a/'],
  ['//a', true, false, '//a', '/.//a'],
  ['/a?b', true, false, '/a?b', '/a?b'],
  ['/a b"\\\ud800', false, false, '/a%20b%22%5C%EF%BF%BD', '/a%20b%22%5C%EF%BF%BD'],
])('%j in URL references', (text, ...expected) => {
  const found = [isPathSegment(text), isPathPrefix(text), encodeReference(text), pathReference(text)]
  expect(found).toEqual(expected)
})

test('header fields of a body that another one replaces', () => {
  const fields = { ETag: '"1"', 'Content-Length': 3, digest: 'x', 'Content-Type': 'a/b', Vary: 'Accept' }
  const rest = { 'content-type': 'a/b', vary: 'Accept' }
  for (const [control, kept] of [
    ['max-age=60', {}],
    ['No-Store', { 'cache-control': 'No-Store' }],
    ['private', { 'cache-control': 'private' }],
    ['no-cache', { 'cache-control': 'no-cache' }],
  ] as const) {
    const res = response({ ...fields, 'Cache-Control': control })
    dropRepresentation(res)
    expect({ ...res.getHeaders() }).toEqual({ ...rest, ...kept })
  }
  const res = response(fields)
  dropNamesOfBytes(res)
  expect({ ...res.getHeaders() }).toEqual({ ...rest, 'content-length': 3 })
  const trailers = { 'Repr-Digest': 'x', 'content-MD5': 'x', A: 'b' }
  for (const one of [trailers, Object.entries(trailers)]) expect(withoutNamesOfBytes(one)).toEqual([['A', 'b']])
  const statuses = [100, 199, 200, 204, 205, 206, 299, 300, 303, 304, 305, 404]
  expect(statuses.filter(isBodyless)).toEqual([100, 199, 204, 205, 304])
  expect(statuses.filter(isSuccess)).toEqual([200, 206, 299])
})

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 9 })
const edits = (a: string, b: string): number => {
  if (a === '' || b === '') return Math.max(a.length, b.length)
  const rows = [...`.${a}`].map((_, i) => [...`.${b}`].map((_, j) => i + j))
  const at = (i: number, j: number) => rows[i]?.[j] as number
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      ;(rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced)
    }
  return at(a.length, b.length)
}
property(
  'near words: nearest first, three at most, within a third of the length, as the textbook counts edits',
  fc.property(letters, fc.array(letters), (wanted, words) => {
    const distance = (other: string) => edits(wanted.toLowerCase(), other.toLowerCase())
    const limit = Math.max(1, Math.floor(wanted.length / 3))
    const expected = words.filter((other) => distance(other) <= limit).sort((a, b) => distance(a) - distance(b))
    expect(near(wanted, words)).toEqual(expected.slice(0, 3))
  }),
)

// A client may choose the word, and a table may have any number of names, so the cost of a search is bounded.
test('words of more than 64 characters have no near ones, and of very many alike only the first are looked at', () => {
  const longest = 'x'.repeat(65)
  expect([near('x'.repeat(64), [longest]), near(longest, [longest])]).toEqual([[longest], []])
  const word = 'abcdefgh'.repeat(8)
  const twisted = [...word].reverse().join('')
  const among = (before: number) => near(word, [...Array<string>(before).fill(twisted), word])
  expect([among(100), among(200)]).toEqual([[word], []])
  expect([didYouMean([]), didYouMean(['a', 'b'])]).toEqual(['', ' Did you mean "a" or "b"?'])
  // Longer words may have more edits, but never more than three.
  expect(near('abcdefghijkl', ['abcdefghi', 'abcdefgh'])).toEqual(['abcdefghi'])
})

// biome-ignore lint/suspicious/noThenProperty: the test needs a thenable
const thenable = { then: () => {} }
test.each<[value: unknown, thenable: boolean, kind: string, text: string]>([
  [thenable, true, 'an object', '{ then: [Function: then] }'],
  [Object.assign(() => {}, thenable), true, 'a function', '[Function (anonymous)] { then: [Function: then] }'],
  [() => {}, false, 'a function', '[Function (anonymous)]'],
  // biome-ignore lint/suspicious/noThenProperty: a `then` must be a method
  [{ then: 1 }, false, 'an object', '{ then: 1 }'],
  ['then', false, 'a string', "'then'"],
  [null, false, 'null', 'null'],
  [undefined, false, 'undefined', 'undefined'],
  [7, false, 'a number', '7'],
  [Number.NaN, false, 'NaN', 'NaN'],
  [[[1]], false, 'a list', '[ [Array] ]'],
  [true, false, 'a boolean', 'true'],
])('%p: thenable %p, %s, %s', (value, ...expected) => {
  expect([isThenable(value), kindOf(value), shown(value)]).toEqual(expected)
})

test('dates, and visible text', () => {
  const texts = ['2024-02-29', '2024-02-31', '2024-13-01', '2024-1-1', 20240101]
  expect(texts.map(isDate)).toEqual([true, false, false, false, false])
  expect(visible('v\x1b[2J\u202e1\ud800 é')).toBe('v\\u{1b}[2J\\u{202e}1\\u{d800} é')
})

const TAKES = "x takes an operation, such as 'GET user-detail': a method in capitals, a space, and a view name; got "
test.each<[key: unknown, message: string]>([
  ['user-list', `${TAKES}'user-list'.`],
  ['get user-list', `${TAKES}'get user-list'.`],
  ['GET ', `${TAKES}'GET '.`],
  [7, `${TAKES}7.`],
  ['HEAD a', "x: GET covers HEAD; write 'GET a' in place of 'HEAD a'."],
])('operations: %j is refused', (key, message) => {
  expect(() => parseOperation('x', key)).toThrow(new TypeError(message))
  expect(parseOperation('x', 'PATCH a:b c')).toEqual({ method: 'PATCH', viewName: 'a:b c' })
  expect(['HEAD', 'GET', 'POST'].map(operationMethod)).toEqual(['GET', 'GET', 'POST'])
  expect(tails('a:b:c')).toEqual(['a:b:c', 'b:c', 'c'])
})
