import type { IncomingMessage } from 'node:http'
import express, { type Response } from 'express'
import { NoReverseMatch } from 'express-versioning'
import fc from 'fast-check'
import { UNUSABLE } from '../../src/http/fields'
import { normalizedOrigin, requestHost } from '../../src/http/host'
import { isPreflight } from '../../src/http/preflight'
import { queryParameter, replaceQueryParameter } from '../../src/http/query'
import { appendVary } from '../../src/http/vary'
import { requestOrigin } from '../../src/request/link'
import { appendQueryAndHash } from '../../src/request/link-text'
import type { RouteLinkOptions } from '../../src/types'
import { near } from '../../src/util/suggest'
import { isThenable } from '../../src/util/thenable'
import { property } from '../support/property'
import { listen } from '../support/serve'

// Names, values and queries of few characters, those that mean something foremost, so that names meet by chance.
const word = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '+', '%', '%61', '%2B', '%C3%A9', '=', '&', '?', ' ', '[', ']', '/'),
  maxLength: 5,
})
const name = word.filter((text) => text !== '')
const rawQuery = fc
  .array(
    fc.string({
      unit: fc.constantFrom(...'a b \xe9 = = + %61 % %2 %26 %3d %e9 %C3%A9 ? [ ;'.split(' ')),
      maxLength: 6,
    }),
    {
      maxLength: 6,
    },
  )
  .map((pairs) => pairs.join('&'))
const path = fc.constantFrom('/', '', '/a', '/a=1&b=2', 'http://x.example/a', '/a%3Fa=1')
const fragment = fc.constantFrom('', '#', '#a=1', '#?a=1&b=2', '#x#y')
const url = fc.oneof(
  fc.tuple(path, fragment).map(([start, end]) => start + end),
  fc.tuple(path, rawQuery, fragment).map(([start, query, end]) => `${start}?${query}${end}`),
)

/** The query of a URL, taken apart without the code under test. */
const queryOf = (text: string) => text.split('#', 1)[0]?.split('?').slice(1).join('?') ?? ''
// With a `?` of its own, as URLSearchParams strips the first one.
const paramsOf = (text: string) => new URLSearchParams(`?${queryOf(text)}`)

describe('queryParameter', () => {
  property(
    'is URLSearchParams, but for two different values',
    fc.property(url, fc.oneof(name, fc.constantFrom('a', 'b', 'é', 'aa')), (text, wanted) => {
      const values = new Set(paramsOf(text).getAll(wanted))
      const expected = values.size > 1 ? UNUSABLE : [...values][0]
      expect(queryParameter(text, wanted)).toBe(expected)
    }),
  )

  property(
    'finds every parameter that URLSearchParams lists',
    fc.property(url, (text) => {
      for (const [key] of paramsOf(text)) if (key !== '') expect(queryParameter(text, key)).not.toBeUndefined()
    }),
  )

  property(
    'reads what encodeURIComponent and URLSearchParams write',
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (key, value) => {
      expect(queryParameter(`/?${encodeURIComponent(key)}=${encodeURIComponent(value)}`, key)).toBe(value)
      expect(
        queryParameter(`/?x=1&${new URLSearchParams([[key === 'x' ? 'y' : key, value]])}`, key === 'x' ? 'y' : key),
      ).toBe(value)
    }),
  )

  // Ten times as long must not take a hundred times: the bound is far from either.
  const timed = process.env.MUTATION_TESTS === undefined ? test : test.skip // the mutants' instruments take their time
  timed.each(['%61&+=&a=%62&', '&', 'a&', 'a=&', '=', 'ab', '%', '+', '?'])(
    'is linear in the length of a query of %j',
    (unit) => {
      const long = `/?${unit.repeat(400_000 / unit.length)}`
      const started = process.cpuUsage()
      queryParameter(long, 'version')
      replaceQueryParameter(long, 'version', '1')
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000)
    },
  )
})

describe('replaceQueryParameter', () => {
  test.each<[url: string, name: string, value: string | undefined, result: string]>([
    ['/', 'v', '1', '/?v=1'],
    ['/', 'v', undefined, '/'],
    ['/#top', 'v', '1', '/?v=1#top'],
    ['/#top', 'v', undefined, '/#top'],
    ['/?', 'v', '1', '/?v=1'],
    ['/?#', 'v', '1', '/?v=1#'],
    ['/?v=0', 'v', '1', '/?v=1'],
    ['/?v=0', 'v', undefined, '/'],
    ['/?v=0#top', 'v', undefined, '/#top'],
    ['/?v=0&a=1', 'v', '1', '/?a=1&v=1'],
    ['/?a=1&v=0&b=2', 'v', '1', '/?a=1&b=2&v=1'],
    ['/?a=1&v=0&b=2&%76=9&v&v=', 'v', '1', '/?a=1&b=2&v=1'],
    ['/?a=1&v=0&b=2', 'v', undefined, '/?a=1&b=2'],
    ['/?a=%20&b=+&c&d=&=e&f==', 'v', '1', '/?a=%20&b=+&c&d=&=e&f==&v=1'],
  ])('%s, %j to %j: %s', (text, key, value, result) => {
    expect(replaceQueryParameter(text, key, value)).toBe(result)
  })

  property(
    'the value is the one, and the last; every other pair, the path and the fragment stay byte for byte',
    fc.property(
      url,
      fc.oneof(name, fc.constantFrom('a', 'b', 'é')),
      fc.option(word, { nil: undefined }),
      (text, key, value) => {
        const result = replaceQueryParameter(text, key, value)
        expect(queryParameter(result, key)).toBe(value)
        const others = (raw: string) =>
          queryOf(raw)
            .split('&')
            .filter((pair) => pair !== '' && !new URLSearchParams(`?${pair}`).has(key))
        expect(others(result)).toEqual(others(text))
        const [before] = text.split(/[?#]/, 1)
        expect(result.split(/[?#]/, 1)[0]).toBe(before)
        const hash = text.indexOf('#')
        const tail = result.indexOf('#')
        expect(tail === -1 ? '' : result.slice(tail)).toBe(hash === -1 ? '' : text.slice(hash))
        if (value !== undefined) expect([...paramsOf(result)].at(-1)).toEqual([key, value])
        // A second call changes nothing.
        expect(replaceQueryParameter(result, key, value)).toBe(result)
      },
    ),
  )

  property(
    'empty pairs stay too, unless nothing else does',
    fc.property(fc.array(fc.constantFrom('', 'a', 'a=1', 'b=2', 'v=3', '%76=4', 'v'), { minLength: 1 }), (pairs) => {
      const kept = pairs.filter((pair) => !new URLSearchParams(`?${pair}`).has('v')).join('&')
      expect(replaceQueryParameter(`/?${pairs.join('&')}`, 'v', '1')).toBe(kept === '' ? '/?v=1' : `/?${kept}&v=1`)
    }),
  )
})

describe('normalizedOrigin', () => {
  test.each<[text: string, origin: string | undefined]>([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.COM', 'https://api.example.com'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['http://api.example.com:80', 'http://api.example.com'],
    ['http://api.example.com:443', 'http://api.example.com:443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://[::1]', 'http://[::1]'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://api_1.example.com', 'http://api_1.example.com'],
    ['http://xn--mnchen-3ya.de', 'http://xn--mnchen-3ya.de'],
    // more or less than an origin
    ['', undefined],
    ['api.example.com', undefined],
    ['//api.example.com', undefined],
  ])('%j: %j', (text, origin) => {
    expect(normalizedOrigin(text)).toBe(origin)
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
    'whatever it lets through is an origin of the same host, and stays one',
    fc.property(text, (candidate) => {
      const origin = normalizedOrigin(candidate)
      if (origin === undefined) return
      expect(origin).toBe(new URL(candidate).origin)
      expect(origin).toMatch(/^https?:\/\/[^/?#@\\\s]+$/)
      expect(normalizedOrigin(origin)).toBe(origin)
      const { username, password, pathname, search, hash } = new URL(candidate)
      expect([username, password, pathname, search, hash]).toEqual(['', '', '/', '', ''])
    }),
  )

  property(
    'serialized origins go through',
    fc.property(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.option(fc.integer({ min: 0, max: 65_535 })),
      (protocol, host, port) => {
        const { origin } = new URL(`${protocol}://${host}${port === null ? '' : `:${port}`}`)
        expect(normalizedOrigin(origin)).toBe(origin)
        expect(normalizedOrigin(`${origin.toUpperCase()}/`)).toBe(origin)
      },
    ),
  )
})

describe('requestHost and requestOrigin', () => {
  const NO_START = 'The host of this request cannot start a link.'
  const NOT_ALLOWED = 'The host of this request is not one of the allowed hosts.'
  const FORWARDED = 'Host: a.example\r\nX-Forwarded-Host:'
  const PROTO = 'Host: a.example\r\nX-Forwarded-Proto:'

  test.each<[headers: string, trust: unknown, hosts: string[] | undefined, host: string | null, origin: string]>([
    ['Host: api.example.com', false, undefined, 'api.example.com', 'http://api.example.com'],
    ['Host: API.example.com:3000', false, undefined, 'API.example.com:3000', 'http://api.example.com:3000'],
    ['Host: api.example.com:80', false, undefined, 'api.example.com:80', 'http://api.example.com'],
    ['Host: [::1]:3000', false, undefined, '[::1]:3000', 'http://[::1]:3000'],
    ['Host: user:pw@evil.example', false, undefined, 'user:pw@evil.example', NO_START],
    ['Host: api.example.com/evil', false, undefined, 'api.example.com/evil', NO_START],
    ['Host:', false, undefined, '', NO_START],
    ['X: y', false, undefined, null, NO_START],
    [`${FORWARDED} evil.example`, false, undefined, 'a.example', 'http://a.example'],
    [`${FORWARDED} b.example:8443\r\nX-Forwarded-Proto: https`, true, undefined, 'b.example', 'https://b.example:8443'],
    [`${FORWARDED} b.example , c.example`, 1, undefined, 'b.example', 'http://b.example'],
    [`${FORWARDED} b.example`, 'loopback', undefined, 'b.example', 'http://b.example'],
    [`${FORWARDED} b.example`, '10.0.0.1', undefined, 'a.example', 'http://a.example'],
    [FORWARDED, true, undefined, 'a.example', 'http://a.example'],
    [`${PROTO} javascript:alert(1)//`, true, undefined, 'a.example', NO_START],
    [`${PROTO} ftp`, true, undefined, 'a.example', NO_START],
    ['Host: A.example:80', false, ['a.example'], 'A.example:80', 'http://a.example'],
    ['Host: a.example:81', false, ['a.example'], 'a.example:81', NOT_ALLOWED],
    ['Host: b.example', false, ['a.example'], 'b.example', NOT_ALLOWED],
    ['Host: a.example', false, [], 'a.example', NOT_ALLOWED],
  ])('%j, trust proxy %p, allowed hosts %j: %j, %s', async (headers, trust, hosts, host, origin) => {
    const app = express().set('trust proxy', trust)
    app.use((req, res) => {
      let found: string
      try {
        found = requestOrigin(req, hosts === undefined ? undefined : new Set(hosts))
      } catch (error) {
        expect(error).toBeInstanceOf(NoReverseMatch)
        expect((error as NoReverseMatch).status).toBe(400)
        found = (error as NoReverseMatch).message
      }
      res.json({ host: requestHost(req) ?? null, origin: found })
    })
    const server = await listen(app)
    const answer = await server.raw(`GET / HTTP/1.0\r\n${headers}\r\n\r\n`)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({ host, origin })
  })
})

describe('appendQueryAndHash', () => {
  test.each<[options: RouteLinkOptions, link: string]>([
    [{}, '/u'],
    [
      { query: { page: 2, q: 'a b', on: true, big: 10n ** 20n } },
      '/u?page=2&q=a%20b&on=true&big=100000000000000000000',
    ],
    [{ query: { tag: ['a', 2, false] } }, '/u?tag=a&tag=2&tag=false'],
    [{ query: { a: undefined, b: null, c: '' } }, '/u?c='],
    [{ hash: '' }, '/u'],
    [{ query: null, hash: null } as never, '/u'],
  ])('%p: %s', (options, link) => {
    expect(appendQueryAndHash('/u', options)).toBe(link)
  })

  test.each<[options: unknown, message: string]>([
    [{ query: 'a=1' }, '"query" takes an object or URLSearchParams; got a string.'],
    [{ query: 7 }, '"query" takes an object or URLSearchParams; got a number.'],
    [{ query: [['a', 1]] }, '"query" takes an object or URLSearchParams; got a list.'],
    [
      { query: { a: [null] } },
      '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these; got null.',
    ],
    [
      { query: { a: [undefined] } },
      '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these; got undefined.',
    ],
    [
      { query: { a: Number.NaN } },
      '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these; got NaN.',
    ],
    [
      { query: { a: new Date(Number.NaN) } },
      '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these; got an object.',
    ],
    [{ hash: '\ud800' }, '"hash" takes well-formed strings; got one with a lone surrogate.'],
    [{ hash: {} }, '"hash" takes a string; got an object.'],
  ])('%p: %s', (options, message) => {
    const append = () => appendQueryAndHash('/u', options as RouteLinkOptions)
    expect(append).toThrow(NoReverseMatch)
    expect(append).toThrow(message)
  })

  const value = fc.string({ unit: 'grapheme' })
  property(
    'reads back as it was given',
    fc.property(fc.dictionary(value, fc.oneof(value, fc.array(value))), value, (query, hash) => {
      const link = new URL(appendQueryAndHash('/u', { query, hash }), 'http://x.example')
      const pairs = Object.entries(query).flatMap(([key, one]) => [one].flat().map((item) => [key, item]))
      expect([...link.searchParams]).toEqual(pairs)
      expect(decodeURIComponent(link.hash.slice(1))).toBe(hash)
      expect(link.pathname).toBe('/u')
    }),
  )
})

describe('appendVary', () => {
  /** As much of a response as is needed, with Express's own `vary`. */
  function response(vary: string | string[] | undefined, headersSent = false) {
    const headers = new Map<string, unknown>(vary === undefined ? [] : [['vary', vary]])
    const res = Object.create(express.response, {
      headersSent: { value: headersSent },
      getHeader: { value: (field: string) => headers.get(field.toLowerCase()) },
      setHeader: { value: (field: string, value: unknown) => headers.set(field.toLowerCase(), value) },
    }) as Response
    return { res, headers }
  }

  test('does nothing once the headers are sent', () => {
    const { res, headers } = response('Origin', true)
    appendVary(res, 'Accept')
    expect(headers.get('vary')).toBe('Origin')
  })
})

describe('isPreflight', () => {
  test.each<[method: string, headers: Record<string, string>, preflight: boolean]>([
    ['OPTIONS', { origin: 'https://x.example', 'access-control-request-method': 'GET' }, true],
    ['OPTIONS', { origin: '', 'access-control-request-method': '' }, true],
    ['OPTIONS', { origin: 'https://x.example' }, false],
    ['OPTIONS', { 'access-control-request-method': 'GET' }, false],
    ['OPTIONS', {}, false],
    ['GET', { origin: 'https://x.example', 'access-control-request-method': 'GET' }, false],
  ])('%s %j: %p', (method, headers, preflight) => {
    expect(isPreflight({ method, headers } as unknown as IncomingMessage)).toBe(preflight)
  })
})

describe('near', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 9 })
  const edits = (a: string, b: string): number => {
    const row = Array.from({ length: b.length + 1 }, (_, index) => index)
    for (let i = 1; i <= a.length; i++) {
      let diagonal = row[0] as number
      row[0] = i
      for (let j = 1; j <= b.length; j++) {
        const above = row[j] as number
        row[j] = Math.min(above + 1, (row[j - 1] as number) + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.length] as number
  }
  property(
    'nearest first, three at most, within a third of the length: as the textbook counts edits',
    fc.property(text, fc.array(text), (wanted, words) => {
      const distance = (other: string) => edits(wanted.toLowerCase(), other.toLowerCase())
      const limit = Math.max(1, Math.floor(wanted.length / 3))
      const expected = words.filter((other) => distance(other) <= limit).sort((a, b) => distance(a) - distance(b))
      expect(near(wanted, words)).toEqual(expected.slice(0, 3))
    }),
  )
})

describe('isThenable', () => {
  // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable
  const callable = Object.assign(() => {}, { then: () => {} })
  test.each<[unknown, boolean]>([
    [Promise.resolve(), true],
    [callable, true],
    [() => {}, false],
    // biome-ignore lint/suspicious/noThenProperty: a `then` must be a method
    [{ then: 1 }, false],
    ['then', false],
    [null, false],
  ])('%p: %p', (value, expected) => {
    expect(isThenable(value)).toBe(expected)
  })
})

describe('suggestions', () => {
  // A client may choose the word, and a table may have any number of names, so the cost of a search is bounded.

  test('words of more than 64 characters have no near ones', () => {
    expect(near('x'.repeat(64), ['x'.repeat(65)])).toEqual(['x'.repeat(65)])
    expect(near('x'.repeat(65), ['x'.repeat(65)])).toEqual([])
  })

  test('of very many names that are alike, only the first are looked at', () => {
    const word = 'abcdefgh'.repeat(8)
    const twisted = [...word].reverse().join('')
    const among = (before: number) => near(word, [...Array<string>(before).fill(twisted), word])
    expect([among(100), among(200)]).toEqual([[word], []])
  })
})
