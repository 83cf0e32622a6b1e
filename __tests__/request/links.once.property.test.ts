import { isDeepStrictEqual } from 'node:util'
import { type LinkKwargs, NoReverseMatch, namedRoutes, reverse, versioning } from 'express-versioning'
import fc from 'fast-check'
import { compile, match } from 'path-to-regexp'
import { parse } from 'qs'
import { appendQueryAndHash, encodeSegment } from '../../src/request/link-text'
import type { LinkQuery } from '../../src/types'
import { codePoint } from '../support/code-points'
import { run } from '../support/dispatch'
import { oracles } from '../support/oracle'
import { property, RUNS } from '../support/property'

const word = (...words: string[]) => fc.constantFrom(...words)
const words = (text: string) => word(...text.split(' '))
const list = <T>(one: fc.Arbitrary<T>, maxLength: number, minLength = 0) => fc.array(one, { minLength, maxLength })

/** Values that break naive templates: 7,910 of 200,000 hostile compiles changed the host. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  words('. .. %2e %2E%2e / // //evil.example \\ \\\\evil.example a/b a.json .json @evil.example :80 ? # ?version=9'),
  words('&version=9 \u2028 javascript:1 \ud800 \udfff é % %zz %2f __proto__ constructor items v1 v9 ~ *'),
  word('', 'a b', 'a\r\nb', '\t', '\u0000'),
  fc.string({ unit: codePoint, maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom<unknown>(null, undefined, {}, [], Number.NaN),
)
const values = fc.oneof({ weight: 4, arbitrary: hostile }, list(hostile, 3))
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  words('a x X ab ABA - x- .json a.b a-b x.x a/b % %2e %41 é 7 b.c ... ~ __proto__'),
  fc.string({ unit: fc.constantFrom('a', 'b', 'x', '.', '-', '/', 'é', '~'), minLength: 1, maxLength: 5 }),
)
const clean = anyText.filter((text) => encodeSegment(text) !== undefined)
const cleanValues = fc.oneof({ weight: 4, arbitrary: clean }, list(clean, 3, 1))

/** A path whose parameters are p0, p1, ... Their names are quoted, so that they end where the next text begins. */
const pattern = list(
  words(
    '/a /b.c /: /: /x-: /:-: /:.: /:.:.: /:ab:aba: {/:} {.:} {-:} {/:-:} {/x} {/:}{/:} {/:{.:}} /* /*/x/ /*.: {/*}',
  ),
  4,
).map((parts) => {
  let count = 0
  const path = parts.join('').replace(/[:*]/g, (mark) => `${mark}"p${count++}"`)
  return path.startsWith('/') ? path : `/s${path}`
})

/** Builds a table of one route, or returns `undefined` if path-to-regexp rejects the path. */
function tableOf(path: string, prefix = '/') {
  try {
    return namedRoutes({}).include(prefix, namedRoutes({ target: path } as Record<string, string>))
  } catch {
    return undefined
  }
}

/** A link on its host: no browser takes it anywhere else, or rewrites it. */
function expectToStay(link: string): void {
  for (const base of ['http://h.example', 'https://h.example:8443/deep/er/?q=//evil.example#f']) {
    const url = new URL(link, base)
    expect(url.origin).toBe(new URL(base).origin)
    // A query's apostrophe is the one thing that the URL standard writes otherwise.
    expect(url.href.replaceAll('%27', "'")).toBe(url.origin + link.replaceAll('%27', "'"))
  }
}

function linkOrError(make: () => string): string | undefined {
  try {
    return make()
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return undefined
  }
}

/** Counts of what the properties have seen. A property that sees few holds nothing. */
const seen = { hostile: 0, read: 0, rejected: 0, schemes: 0 }
const sawEach = (part: number, ...counts: (keyof typeof seen)[]) => {
  for (const count of counts) expect(seen[count]).toBeGreaterThan(RUNS / part)
}

/** The path that path-to-regexp makes, or `undefined` if a value is missing. */
function compiled(path: string, kwargs: object): string | undefined {
  try {
    return compile(path)(kwargs as never)
  } catch {
    return undefined
  }
}

// The oracle is path-to-regexp, on the whole pattern as one path. It shares no code with the making of links.
property(
  'a link is the path that path-to-regexp makes and reads back; what would be misread is rejected',
  fc.property(
    pattern,
    word('', '', '/in', '/:t', '{/:t}', '/:t.:u'),
    list(fc.option(cleanValues, { freq: 4, nil: undefined }), 8, 8),
    (path, prefix, given) => {
      const table = tableOf(path, prefix === '' ? '/' : prefix)
      fc.pre(table !== undefined)
      const names = table.list()[0]?.params ?? []
      const entries = names.map((name, index) => [name, given[index]]).filter(([, one]) => one !== undefined)
      const kwargs = Object.fromEntries(entries)
      const link = table.link('target', undefined, kwargs)
      const readBack = (text: string) => Object.assign({}, Object(match(prefix + path)(text)).params)
      const made = compiled(prefix + path, kwargs)
      if (made !== undefined && isDeepStrictEqual(readBack(made), kwargs)) expect(link).toBe(made)
      seen[typeof link === 'string' ? 'read' : 'rejected']++
      if (typeof link === 'string') expect({ link, params: readBack(link) }).toEqual({ link, params: kwargs })
    },
  ),
  () => sawEach(20, 'read', 'rejected'),
)

/** A mount whose path the client writes. */
const mountPath = fc.oneof(
  word('', '/acme', '/a/b', '/a%20b'),
  words('/acme /a%20b /%2e /.. /%2E%2e //evil.example /\\evil /a"b /é /a//b /./b /%2f'),
  fc.string({ unit: fc.constantFrom('/', '.', '%2e', '\\', 'a', 'é', '<', '"', '{', '%', ';', '@'), maxLength: 6 }),
)
const text = fc.string({ unit: codePoint, maxLength: 3 })
property(
  'hostile arguments, below a mount that the client spells: links of a table and of every scheme stay on their host',
  fc.property(
    fc.constantFrom(...oracles),
    mountPath,
    pattern,
    list(values, 5),
    fc.boolean(),
    fc.dictionary(text, text, { maxKeys: 2 }),
    fc.option(hostile, { freq: 2, nil: undefined }),
    (oracle, baseUrl, path, given, byName, query, version) => {
      const target = tableOf(path)
      fc.pre(target !== undefined)
      const values = byName
        ? { kwargs: Object.fromEntries(given.map((value, index) => [`p${index}`, value])) as LinkKwargs }
        : { args: given as string[] }
      const own = linkOrError(() => target.reverse('target', values as object))
      if (own !== undefined) {
        seen.hostile++
        expectToStay(own)
      }
      const routes = namedRoutes({ versioned: '/:version/x' })
        .include('/v1', target, { namespace: 'v1' })
        .include('/t', target, { namespace: 'plain' })
      const { scheme } = oracle.options({ defaultVersion: 'v1', allowedVersions: [] })
      const sent = { url: '/', headers: { host: 'v1.example.com' } }
      const { req } = run(versioning({ scheme, routes }), sent, { baseUrl })
      const hash = version === undefined ? undefined : String(version)
      for (const name of ['v1:target', 'plain:target', 'versioned', 'target']) {
        const made = (more: object) =>
          linkOrError(() => reverse(name, { request: req, ...values, query, hash, ...more }))
        const link = made({})
        if (link === undefined) continue
        seen.schemes++
        expectToStay(link)
        const other = version === null || typeof version === 'string' ? made({ version }) : undefined
        if (other !== undefined) expectToStay(other)
      }
    },
  ),
  () => sawEach(50, 'schemes', 'hostile'),
)

const written = (query: unknown) => appendQueryAndHash('/', { query: query as LinkQuery })
// As Express's extended parser.
const read = (link: string) => parse(link.slice(2), { allowPrototypes: true, depth: 32, arrayLimit: 100 })
const queryName = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '&', '-', '_'), minLength: 1, maxLength: 4 })
const { tree } = fc.letrec<{ tree: unknown; list: unknown; object: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    tie('list'),
    tie('object'),
  ),
  // No parser makes a list of a name that occurs once.
  list: fc.array(tie('tree'), { minLength: 2, maxLength: 4 }),
  object: fc.dictionary(queryName, tie('tree'), { minKeys: 1, maxKeys: 3 }),
}))

property(
  "what a query says is what Express's extended parser reads",
  fc.property(fc.dictionary(queryName, tree, { minKeys: 1, maxKeys: 4 }), (query) => {
    expect(read(written(query))).toEqual(query)
  }),
)

const deep = (levels: number) => Array.from({ length: levels }).reduce((query) => ({ a: query }), 'x')
const cycle: Record<string, unknown> = {}
cycle.self = { cycle }
const ring: unknown[] = [1]
ring.push([ring])

const VALUES = '"query" takes strings, finite numbers, bigints, booleans, dates, and lists and plain objects of these'
const CYCLE = '"query" takes objects without cycles or deep nesting; got a cycle, or more than 64 levels.'
const OBJECT = '"query" takes an object or URLSearchParams; got'
const SURROGATE = '"query" takes well-formed strings; got one with a lone surrogate.'
test.each<[what: string, query: unknown, outcome: string]>([
  ['dates', { since: new Date(0) }, '/?since=1970-01-01T00%3A00%3A00.000Z'],
  ['lists repeat', { tag: ['a', 'b'], on: [new Date(0), 2n] }, '/?tag=a&tag=b&on=1970-01-01T00%3A00%3A00.000Z&on=2'],
  ['absent values', { a: null, b: { c: undefined, d: [1] }, e: [] }, '/?b%5Bd%5D=1'],
  ['no prototype', Object.assign(Object.create(null), { a: { b: 1 } }), '/?a%5Bb%5D=1'],
  ['URLSearchParams', new URLSearchParams('a=1&a=+'), '/?a=1&a=+'],
  ['no query', null, '/'],
  ['64 levels', deep(65), `/?a${'%5Ba%5D'.repeat(64)}=x`],
  ['65 levels', deep(66), CYCLE],
  ['a cycle', cycle, CYCLE],
  ['a cycle of lists', { ring }, CYCLE],
  ['nothing in a list', { a: [1, null] }, `${VALUES}; got null.`],
  ['an invalid date', { a: new Date(Number.NaN) }, `${VALUES}; got an object.`],
  ['NaN within', { a: { b: [Number.NaN] } }, `${VALUES}; got NaN.`],
  ['a class', { a: new (class Money {})() }, `${VALUES}; got an object.`],
  ['a lone surrogate', { a: { b: '\ud800' } }, SURROGATE],
  ['a lone surrogate as a name', { a: { '\udfff': 1 } }, SURROGATE],
  ['a list itself', [1], `${OBJECT} a list.`],
  ['an iterable itself', { [Symbol.iterator]: () => [].values() }, `${OBJECT} an object.`],
  ['a string itself', 'a=1', `${OBJECT} a string.`],
])('%s', (_what, query, outcome) => {
  if (outcome.startsWith('/')) expect(written(query)).toBe(outcome)
  else expect(() => written(query)).toThrow(expect.objectContaining({ name: 'NoReverseMatch', message: outcome }))
})
