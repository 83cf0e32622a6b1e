import type { Application } from 'express'
import {
  HostNameVersioning,
  type LinkKwargs,
  type NamedRoutes,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import fc from 'fast-check'
import { encodeSegment } from '../../src/request/link-text'
import { codePoint } from '../support/code-points'
import { appOf, dispatch, run } from '../support/dispatch'
import { oracles } from '../support/oracle'
import { property, RUNS } from '../support/property'

const wellFormed = (text: string) => !/\p{Surrogate}/u.test(text)
const word = (...words: string[]) => fc.constantFrom(...words)

/** Values that break naive templates: 7,910 of 200,000 hostile compiles changed the host. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  word('', '.', '..', '%2e', '%2E%2e', '/', '//', '//evil.example', '\\', '\\\\evil.example', 'a/b', 'a.json', '.json'),
  word(
    '@evil.example',
    ':80',
    '?',
    '#',
    '?version=9',
    '&version=9',
    'a\r\nb',
    '\t',
    '\u0000',
    '\u2028',
    'javascript:1',
  ),
  word('\ud800', '\udfff', 'é', 'a b', '%', '%zz', '%2f', '__proto__', 'constructor', 'items', 'v1', 'v9', '~', '*'),
  fc.string({ unit: codePoint, maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom<unknown>(null, undefined, {}, [], Number.NaN),
)
const values = fc.oneof({ weight: 4, arbitrary: hostile }, fc.array(hostile, { maxLength: 3 }))

const part = word('/a', '/b.c', '/:', '/:', '/x-:', '/:-:', '/:.:', '{/:}', '{.:}', '{/:/:}', '/*', '/*/end', '{/*}')
/** A path whose parameters are p0, p1, ... */
const pattern = fc.array(part, { maxLength: 4 }).map((parts) => {
  let count = 0
  const path = parts.join('').replace(/[:*]/g, (mark) => `${mark}p${count++}`)
  return path.startsWith('/') ? path : `/a${path}`
})

/** Builds a table of one route, or returns `undefined` if path-to-regexp rejects the path. */
function tableOf(path: string) {
  try {
    return namedRoutes({ target: path } as Record<string, string>)
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

let hostileLinks = 0
property(
  'hostile arguments: a link of a table stays on its host and where it is, or is a NoReverseMatch',
  fc.property(pattern, fc.array(values, { maxLength: 5 }), fc.boolean(), (path, given, byName) => {
    const table = tableOf(path)
    fc.pre(table !== undefined)
    const options = byName ? { kwargs: kwargsOf(given) } : { args: given as string[] }
    const link = linkOrError(() => table.reverse('target', options as object))
    if (link === undefined) return
    hostileLinks++
    expectToStay(link)
  }),
  () => expect(hostileLinks).toBeGreaterThan(RUNS / 50),
)

const clean = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((text) => encodeSegment(text) !== undefined),
  word('a.b', 'a-b', 'a/b', '%', '%41', 'é', 'a b', '~', '__proto__', '-', '...'),
  fc.integer(),
)
let returned = 0
property(
  'resolve(reverse(x)) = x: the name and every value, where each route has paths of its own',
  fc.property(
    fc.array(pattern, { minLength: 1, maxLength: 4 }),
    fc.array(fc.oneof({ weight: 4, arbitrary: clean }, fc.array(clean, { minLength: 1, maxLength: 3 })), {
      minLength: 8,
      maxLength: 8,
    }),
    fc.boolean(),
    fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean() }),
    (paths, given, nested, settings) => {
      const named = Object.fromEntries(paths.map((path, index) => [`r${index}`, `/only${index}${path}`]))
      const inner = namedRoutes(named, settings)
      const table = nested
        ? namedRoutes({}, settings).include('/in/:tenant', inner as never, { namespace: 'in' })
        : inner
      for (const { name, params } of table.list()) {
        const kwargs = Object.fromEntries(params.map((param, index) => [param, given[index]]))
        for (const taken of [kwargs, withoutOptional(named[name.replace('in:', '')] as string, kwargs)]) {
          const link = table.link(name, undefined, taken as LinkKwargs)
          if (typeof link !== 'string') continue
          returned++
          expectToStay(link)
          const match = table.resolve(link)
          const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value))
          expect({ link, name: match?.viewName, params: { ...match?.params } }).toEqual({
            link,
            name,
            params: Object.fromEntries(Object.entries(taken).map(([key, value]) => [key, texts(value)])),
          })
        }
      }
    },
  ),
  () => expect(returned).toBeGreaterThan(RUNS / 4),
)

function withoutOptional(path: string, kwargs: Record<string, unknown>): Record<string, unknown> {
  const required = path.replace(/\{[^}]*\}/g, '')
  return Object.fromEntries(Object.entries(kwargs).filter(([key]) => key === 'tenant' || required.includes(key)))
}

property(
  'a value that fits a segment comes back from it unchanged; whatever moves a link does not fit',
  fc.property(hostile, (value) => {
    const encoded = encodeSegment(value)
    const text = String(value)
    const flat = ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test needs control characters
    const moves = ['', '.', '..'].includes(text) || /[\u0000-\u001f\u007f-\u009f]/.test(text) || !wellFormed(text)
    const number = typeof value !== 'number' || Number.isFinite(value)
    expect(encoded !== undefined).toBe(flat && number && !moves)
    if (encoded === undefined) return
    expect(decodeURIComponent(encoded)).toBe(text)
    expect(encoded).toMatch(/^[\w!'()*%.~-]+$/)
  }),
)

/** A mount whose path the client writes. */
const mountPath = fc.oneof(
  word('', '/acme', '/a/b', '/a%20b'),
  word('/acme', '/a%20b', '/%2e', '/..', '/%2E%2e', '//evil.example', '/\\evil', '/a"b', '/é', '/a//b', '/./b', '/%2f'),
  fc.string({ unit: fc.constantFrom('/', '.', '%2e', '\\', 'a', 'é', '<', '"', '{', '%', ';', '@'), maxLength: 6 }),
)
let schemeLinks = 0
property(
  'every scheme, below a mount that the client spells: links stay on their host and where they are',
  fc.property(
    fc.nat(oracles.length - 1),
    mountPath,
    pattern,
    fc.array(values, { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: codePoint, maxLength: 3 }), fc.string({ unit: codePoint, maxLength: 3 }), {
      maxKeys: 2,
    }),
    fc.option(hostile, { freq: 2, nil: undefined }),
    (which, mount, path, given, query, version) => {
      const target = tableOf(path)
      fc.pre(target !== undefined)
      const table = namedRoutes({ versioned: '/:version/x' })
        .include('/v1', target, { namespace: 'v1' })
        .include('/t', target, { namespace: 'plain' })
      const { scheme } = (oracles[which] as (typeof oracles)[number]).options({
        defaultVersion: 'v1',
        allowedVersions: [],
      })
      const { req } = run(
        versioning({ scheme, routes: table }),
        { url: '/', headers: { host: 'v1.example.com' } },
        { baseUrl: mount },
      )
      for (const name of ['v1:target', 'plain:target', 'versioned', 'target']) {
        const options = { kwargs: kwargsOf(given), query, ...(version === undefined ? {} : { hash: String(version) }) }
        const link = linkOrError(() => reverse(name, { request: req, ...options }))
        if (link === undefined) continue
        schemeLinks++
        expectToStay(link)
        if (version === null || typeof version === 'string') {
          const other = linkOrError(() => reverse(name, { request: req, ...options, version }))
          if (other !== undefined) expectToStay(other)
        }
      }
    },
  ),
  () => expect(schemeLinks).toBeGreaterThan(RUNS / 50),
)

const rawQuery = fc.array(
  fc.tuple(
    word('a', 'version', 'Version', 'version[]', 'é', 'a b', 'v', ''),
    fc.oneof(word('', '1', 'v2', '+', '%', '&=#'), fc.string({ unit: codePoint, maxLength: 3 }).filter(wellFormed)),
  ),
  { maxLength: 5 },
)
property(
  "the query scheme's reversal puts the version last and leaves every other parameter, path and fragment byte for byte",
  fc.property(
    rawQuery,
    word('v1', 'a b', '&', 'é'),
    fc.option(word('top', 'a b', '?version=0')),
    (pairs, version, hash) => {
      const table = namedRoutes({ list: '/users' })
      const handler = versioning({ scheme: QueryParameterVersioning, routes: table })
      const { req } = run(handler, { url: `/?version=${encodeURIComponent(version)}` })
      const options = { query: new URLSearchParams(pairs), ...(hash === null ? {} : { hash }) }
      const plain = table.reverse('list', options)
      const link = req.reverse('list', options)
      const [before, fragment] = splitOnce(plain, '#')
      const [path, query] = splitOnce(before, '?')
      const others = (query ?? '')
        .split('&')
        .filter((pair) => pair !== '' && new URLSearchParams(`?${pair}`).get('version') === null)
      const expected = `${path}?${[...others, `version=${encodeURIComponent(version)}`].join('&')}`
      expect(link).toBe(fragment === undefined ? expected : `${expected}#${fragment}`)
    },
  ),
)

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Apps for each scheme that links versions, each with the form of a request for a version. */
const following = (() => {
  const detail = () => namedRoutes({ detail: '/users/:id' })
  const namespaces = ['v1', 'v2', 'V3'].reduce(
    (root, version) => root.include(`/in-${version}`, detail() as never, { namespace: version }),
    namedRoutes({}) as ReturnType<typeof namedRoutes>,
  )
  const app = (scheme: VersioningOptions['scheme'], routes: object) =>
    appOf((app) => app.use(versioning({ scheme, routes: routes as NamedRoutes, allowedVersions: ['v1', 'v2', 'V3'] })))
  return {
    path: {
      app: app(URLPathVersioning, namedRoutes({ detail: '/:version/users/:id' })),
      url: (version: string) => `/${version}/users/1`,
    },
    namespace: { app: app(NamespaceVersioning, namespaces), url: (version: string) => `/in-${version}/users/1` },
    query: { app: app(QueryParameterVersioning, detail()), url: (version: string) => `/users/1?version=${version}` },
    host: { app: app(HostNameVersioning, detail()), url: () => '/users/1' },
  }
})()
property(
  'a link to a version, followed, is served in that version, by every scheme that links versions',
  fc.property(
    fc.constantFrom(...(Object.keys(following) as (keyof typeof following)[])),
    word('v1', 'v2', 'V3'),
    word('v1', 'v2', 'V3'),
    clean,
    (kind, from, to, id) => {
      const { app, url } = following[kind]
      const first = dispatch(app, { url: url(from), headers: { host: `${from}.example.com` } })
      expect(first.req.version).toBe(from)
      const absolute = kind === 'host'
      // A host has no letter case.
      fc.pre(!absolute || to !== 'V3')
      for (const version of [undefined, to]) {
        const link = first.req.reverse('detail', {
          kwargs: { id },
          ...(version === undefined ? {} : { version, absolute }),
        })
        const followed = new URL(link, `http://${from}.example.com`)
        const second = dispatch(app, {
          url: followed.pathname + followed.search,
          headers: { host: link.startsWith('/') ? `${from}.example.com` : followed.host },
        })
        expect(second.req.version).toBe(version ?? from)
        expect(second.req.resolverMatch?.params.id).toBe(String(id))
      }
    },
  ),
)

const HOSTS = ['api.example.com', 'localhost:3000', '[::1]:8080']
const [trusting, wary] = [true, false].map((trust) =>
  appOf((app) => {
    app.set('trust proxy', trust)
    app.use(versioning({ scheme: QueryParameterVersioning, routes: namedRoutes({ home: '/' }), allowedHosts: HOSTS }))
  }),
) as [Application, Application]
property(
  'an absolute link starts with an allowed host of an http(s) origin, whatever Host and X-Forwarded-* say',
  fc.property(
    fc.boolean(),
    fc.record(
      {
        host: fc.oneof(
          word(...HOSTS),
          fc
            .array(word('a', '.', 'api.example.com', ':', '80', '@', '/', '\\', '[::1]', '#', '?', ' ', '%00', 'é'), {
              maxLength: 4,
            })
            .map((parts) => parts.join('')),
        ),
        'x-forwarded-host': fc.oneof(
          word(...HOSTS, 'evil.example', 'api.example.com, evil.example'),
          fc.string({ maxLength: 6 }),
        ),
        'x-forwarded-proto': word('https', 'http', 'javascript:alert(1)//', 'ftp', 'https, http', ''),
      },
      { requiredKeys: [] },
    ),
    (trust, headers) => {
      const { req } = dispatch(trust ? trusting : wary, { url: '/', headers: headers as Record<string, string> })
      const link = linkOrError(() => req.reverse('home', { absolute: true }))
      if (link === undefined) return
      const url = new URL(link)
      expect(HOSTS).toContain(url.host)
      expect(['http:', 'https:']).toContain(url.protocol)
      expect(link).toBe(`${url.origin}/`)
    },
  ),
)
