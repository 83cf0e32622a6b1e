import type { Application } from 'express'
import {
  type LinkKwargs,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  versioning,
} from 'express-versioning'
import fc from 'fast-check'
import { match } from 'path-to-regexp'
import { encodeSegment } from '../../src/request/link-text'
import { codePoint } from '../support/code-points'
import { appOf, dispatch, run } from '../support/dispatch'
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

const kwargsOf = (given: unknown[]): LinkKwargs =>
  Object.fromEntries(given.map((value, index) => [`p${index}`, value])) as LinkKwargs

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

/** The number of links that a property has seen. A property that sees few holds nothing. */
const seen = { hostile: 0, read: 0, refused: 0, resolved: 0, schemes: 0 }
const saw = (what: keyof typeof seen, part: number) => () => expect(seen[what]).toBeGreaterThan(RUNS / part)

// The oracle is path-to-regexp, on the whole pattern as one path. It shares no code with the making of links.
property(
  'a link reads back as it was meant, by path-to-regexp itself; what would not is refused',
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
      seen[typeof link === 'string' ? 'read' : 'refused']++
      if (typeof link !== 'string') return
      const read = match(prefix + path)(link)
      expect({ link, params: read && { ...read.params } }).toEqual({ link, params: kwargs })
    },
  ),
  () => {
    saw('read', 20)()
    saw('refused', 20)()
  },
)

property(
  'resolve(reverse(x)) = x: the name and every value, where each route has paths of its own',
  fc.property(
    list(pattern, 4, 1),
    list(fc.oneof(cleanValues, fc.integer(), values), 16, 16),
    word('', '/in', '/in/:tenant', '/:t.:u', '/{:t/}in'),
    fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean() }),
    (paths, given, prefix, settings) => {
      const named = Object.fromEntries(paths.map((path, index) => [`r${index}`, `/only${index}${path}`]))
      const inner = namedRoutes(named, settings)
      const table = prefix === '' ? inner : namedRoutes({}, settings).include(prefix, inner, { namespace: 'in' })
      for (const { name, path, params } of table.list()) {
        const all = params.flatMap((param, index) =>
          given[index] === undefined ? [] : [[param, given[index]] as const],
        )
        const required = all.filter(([param]) => path.replace(/\{[^}]*\}/g, '').includes(param))
        for (const taken of [all, required]) {
          const link = table.link(name, undefined, Object.fromEntries(taken) as LinkKwargs)
          if (typeof link !== 'string') continue
          seen.resolved++
          expectToStay(link)
          const found = table.resolve(link)
          const texts = taken.map(([key, value]) => [key, Array.isArray(value) ? value.map(String) : String(value)])
          const expected = { link, name, params: Object.fromEntries(texts) }
          expect({ link, name: found?.viewName, params: { ...found?.params } }).toEqual(expected)
        }
      }
    },
  ),
  saw('resolved', 4),
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
      const values = byName ? { kwargs: kwargsOf(given) } : { args: given as string[] }
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
  () => {
    saw('schemes', 50)()
    saw('hostile', 50)()
  },
)

const HOSTS = ['api.example.com', 'localhost:3000', '[::1]:8080']
const apps = [true, false].map((trust) =>
  appOf((app) => {
    app.set('trust proxy', trust)
    app.use(versioning({ scheme: QueryParameterVersioning, routes: namedRoutes({ home: '/' }), allowedHosts: HOSTS }))
  }),
) as [Application, Application]
const hostParts = words('a . api.example.com : 80 @ / \\ [::1] # ? %00 é')
property(
  'an absolute link starts with an allowed host of an http(s) origin, whatever Host and X-Forwarded-* say',
  fc.property(
    fc.constantFrom(...apps),
    fc.record(
      {
        host: fc.oneof(
          word(...HOSTS, ' '),
          list(hostParts, 4).map((parts) => parts.join('')),
        ),
        'x-forwarded-host': fc.oneof(word(...HOSTS, 'evil.example', 'api.example.com, evil.example'), text),
        'x-forwarded-proto': word('https', 'http', 'javascript:alert(1)//', 'ftp', 'https, http', ''),
      },
      { requiredKeys: [] },
    ),
    (app, headers) => {
      const { req } = dispatch(app, { url: '/', headers: headers as Record<string, string> })
      const link = linkOrError(() => req.reverse('home', { absolute: true }))
      if (link === undefined) return
      const url = new URL(link)
      expect(HOSTS).toContain(url.host)
      expect(['http:', 'https:']).toContain(url.protocol)
      expect(link).toBe(`${url.origin}/`)
    },
  ),
)
