import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  VersioningError,
  versioning,
} from 'express-versioning'
import fc from 'fast-check'
import { run, type Sent } from '../support/dispatch'
import { isAllowed, oracles, type Rules, verdict } from '../support/oracle'
import { property } from '../support/property'

const word = (...words: string[]) => fc.constantFrom(...words)
const VERSIONS = ['v1', 'v2', 'v3', 'v9', 'V1', '', '1.0', '__proto__', 'toString', 'é', 'api', 'v1:v2', ' v1', 'null']
const version = word(...VERSIONS)
const rules: fc.Arbitrary<Rules> = fc.record({
  defaultVersion: fc.option(version),
  allowedVersions: fc.array(fc.option(version, { freq: 9 }), { maxLength: 4 }),
})

const latin1 = fc.string({ unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 20 })
const soup = (...units: string[]) =>
  fc
    .array(fc.oneof({ weight: 8, arbitrary: word(...units) }, { weight: 1, arbitrary: latin1 }), { maxLength: 14 })
    .map((parts) => parts.join(''))

const encodedVersion = version.map(encodeURIComponent)
const path = fc.oneof(
  fc
    .tuple(
      fc.oneof(encodedVersion, word('%', '%E0%A4%A', 'v1%2fitems', '.', '..', 'V2')),
      word('', '/items', '/items/7'),
    )
    .map(([first, rest]) => `/${first}${rest}`),
  fc
    .tuple(word('/api', '/API', ''), fc.oneof(encodedVersion), word('', '/', '/items', '//'))
    .map((parts) => `${parts[0]}/${parts[1]}${parts[2]}`),
  soup('/', 'v1', 'v2', 'items', 'api', '%2f', '%76', '//', '..', ';').map((text) => `/${text}`),
)
const query = fc.oneof(
  fc.constant(''),
  fc.tuple(word('version', 'v%65rsion', 'Version', 'version[]'), encodedVersion).map((pair) => `?${pair.join('=')}`),
  soup('version', 'version=', 'v1', 'v2', '&', '&', '=', '%3D', '%76', '+', '?', '#', '[]', '%').map(
    (text) => `?${text}`,
  ),
)
const accept = fc.oneof(
  version.map((text) => `application/json; version=${JSON.stringify(text)}`),
  version.map((text) => `application/json;version=${text}`),
  soup('a/b', '*/*', ';version=', ';q=', 'v1', 'v2', '"', ',', ';', '0', '1', ' ', '\\', '='),
)
const host = fc.oneof(
  version.map((text) => `${text}.example.com`),
  soup('v1', 'v2', '.', '.', 'example', 'com', ':', ':80', '@', '[', ']', ' ', '-', '/'),
)
const Scheme = fc.constantFrom(
  AcceptHeaderVersioning,
  URLPathVersioning,
  NamespaceVersioning,
  HostNameVersioning,
  QueryParameterVersioning,
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const sent: fc.Arbitrary<Required<Sent>> = fc
  .record({
    method: word('GET', 'GET', 'POST', 'OPTIONS', 'HEAD'),
    target: fc.tuple(path, query).map((parts) => parts.join('')),
    accept: maybe(accept),
    host: maybe(host),
    forwarded: maybe(fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, host)),
    origin: maybe(word('https://shop.example')),
    asked: maybe(word('GET')),
  })
  .map((given) => ({
    method: given.method,
    // Node's parser refuses control characters.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test needs control characters
    url: given.target.replace(/[\x00-\x20\x7f]/g, ''),
    headers: Object.fromEntries(
      [
        ['accept', given.accept],
        ['host', given.host],
        ['x-forwarded-host', given.forwarded],
        ['origin', given.origin],
        ['access-control-request-method', given.asked],
      ].filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }))

for (const oracle of oracles) {
  property(
    `${oracle.name}: whatever the bytes, an accepted version that the request names, or a refusal, as SPEC.md reads`,
    fc.property(rules, sent, (given, request) => {
      const { req, served, errors } = run(versioning(oracle.options(given)), request)
      expect(served + errors.length).toBe(1)
      const expected = verdict(oracle, given, request)
      if (served === 1) {
        expect({ version: req.version }).toEqual(expected)
        const named = oracle.named(request, given) !== undefined
        const preflight = request.method === 'OPTIONS' && req.version === null
        if (named && !preflight) expect(isAllowed(req.version as string | null, given)).toBe(true)
      } else {
        expect(expected).toBe('refused')
        expect(req.version).toBeUndefined()
        expect(errors[0]).toBeInstanceOf(VersioningError)
      }
    }),
  )
}

const MESSAGES = new Set([
  'Invalid version in "Accept" header.',
  'Could not satisfy the request Accept header.',
  'Invalid version in URL path.',
  'Invalid version in URL path. Does not match any version namespace.',
  'Invalid version in hostname.',
  'Invalid version in query parameter.',
])

const NOT_ACCEPTABLE = /^ERR_VERSION_(?:NOT_ACCEPTABLE|MISSING)$/
const NOT_FOUND = /^ERR_VERSION_(?:NOT_FOUND|MISSING)$/

property(
  'a refusal is one of six constant texts, 404 or 406, and serializes to nothing that the client sent',
  fc.property(word(...oracles.map(({ name }) => name)), sent, (name, request) => {
    const oracle = oracles.find((one) => one.name === name) as (typeof oracles)[number]
    const rules = { defaultVersion: null, allowedVersions: ['v0'] }
    const [error] = run(versioning(oracle.options(rules)), request).errors
    if (error === undefined) return
    expect(MESSAGES).toContain(error.message)
    expect({ ...error }).toEqual({
      status: error.statusCode,
      statusCode: error.status,
      expose: true,
      code: error.status === 406 ? expect.stringMatching(NOT_ACCEPTABLE) : expect.stringMatching(NOT_FOUND),
    })
    expect([404, 406]).toContain(error.status)
  }),
)

property(
  'a CORS preflight is never refused, whatever else it carries',
  fc.property(word(...oracles.map(({ name }) => name)), rules, sent, (name, given, request) => {
    const oracle = oracles.find((one) => one.name === name) as (typeof oracles)[number]
    const headers = { ...request.headers, origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    const { errors, served } = run(versioning(oracle.options(given)), { ...request, method: 'OPTIONS', headers })
    expect({ errors, served }).toEqual({ errors: [], served: 1 })
  }),
)

property(
  'behind the Accept scheme, req.accepts answers as if the version parameter were not in the header',
  fc.property(
    fc.array(
      fc.record({
        type: word('text/html', 'application/json', 'text/*', '*/*', 'image/png'),
        charset: maybe(word('utf-8')),
        version: maybe(word('v1', '"v1"', '"a,b;c"', '1.0')),
        q: maybe(word('0', '0.3', '0.7', '1')),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    fc.uniqueArray(word('json', 'html', 'text', 'image/png', 'application/json'), { maxLength: 4 }),
    (ranges, types) => {
      const headerOf = (withVersion: boolean) =>
        ranges
          .map(({ type, charset, version, q }) =>
            [
              type,
              ...(charset === undefined ? [] : [`charset=${charset}`]),
              ...(version === undefined || !withVersion ? [] : [`Version=${version}`]),
              ...(q === undefined ? [] : [`q=${q}`]),
            ].join(';'),
          )
          .join(', ')
      const bare = run((_req, _res, next) => next(), { url: '/', headers: { accept: headerOf(false) } }).req
      const carrying = run(versioning({ scheme: AcceptHeaderVersioning }), {
        url: '/',
        headers: { accept: headerOf(true) },
      }).req
      expect(carrying.accepts(...types)).toEqual(bare.accepts(...types))
      expect(carrying.headers.accept).toBe(headerOf(true))
    },
  ),
)

/** Frozen through and through, so that a write throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof URLSearchParams) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

const plainValue = fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.boolean())
const kwargs = fc.dictionary(word('id', 'format', 'version', 'path', 'x'), fc.oneof(plainValue, fc.array(plainValue)), {
  maxKeys: 4,
})
property(
  'nothing that is passed in is ever changed: options, arguments, queries and headers work deep-frozen',
  fc.property(
    fc.nat(oracles.length - 1),
    rules,
    kwargs,
    fc.option(fc.array(plainValue, { maxLength: 3 }), { nil: undefined }),
    fc.option(fc.dictionary(fc.string({ maxLength: 3 }), plainValue, { maxKeys: 3 }), { nil: undefined }),
    fc.option(version, { nil: undefined }),
    word('list', 'detail', 'files', 'pathed', 'v1:inner', 'inner', 'nothing'),
    (which, given, kwargs, args, query, version, name) => {
      const oracle = oracles[which] as (typeof oracles)[number]
      const paths = frozen({
        list: '/users',
        detail: '/users/:id{.:format}',
        files: '/files/*path',
        pathed: '/:version/x',
      })
      const table = namedRoutes(paths, frozen({ strict: true })).include(
        '/v1',
        namedRoutes(frozen({ inner: '/inner/:id' })),
        frozen({ namespace: 'v1' }),
      )
      const search = new URLSearchParams({ version: '9', a: 'b' })
      const { scheme, parseVersion } = oracle.options(given)
      const options = frozen({
        scheme,
        parseVersion,
        defaultVersion: given.defaultVersion,
        allowedVersions: [...given.allowedVersions],
        routes: table,
        allowedHosts: ['v1.example.com'],
      })
      // The caller may add to the table. All other options are frozen.
      const headers = frozen({ accept: 'a/b;version=v1', host: 'v1.example.com' })
      const link = frozen({ kwargs, args, query, hash: 'top', ...(version === undefined ? {} : { version }) })
      const withSearch = frozen({ ...link, query: search })
      const copies = structuredClone([kwargs, args, query, [...search], headers])
      const { req } = run(versioning({ ...options, routes: table }), { url: '/v1/inner/7?version=v1', headers })
      req.accepts('json')
      for (const one of [link, withSearch, frozen({ ...link, absolute: true })]) {
        try {
          req.reverse(name, one as object)
        } catch (error) {
          expect(error).toBeInstanceOf(NoReverseMatch)
        }
      }
      expect([kwargs, args, query, [...search], headers]).toEqual(copies)
    },
  ),
)

const anything = fc.oneof(
  fc.anything({ maxDepth: 1, withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
  fc.constantFrom<unknown>(
    () => 'v1',
    /v1/,
    /v1/g,
    /v1/y,
    Symbol('v1'),
    'v1',
    '',
    'constructor',
    ['v1'],
    [7],
    'https://a.example',
  ),
)
property(
  'bad options are a TypeError that names versioning() or the scheme, at construction; good ones give a handler',
  fc.property(
    Scheme,
    fc.dictionary(
      word(
        'defaultVersion',
        'allowedVersions',
        'versionParam',
        'routes',
        'origin',
        'allowedHosts',
        'versionParams',
        'scheme',
      ),
      anything,
      { maxKeys: 3 },
    ),
    (Class, options) => {
      let handler: unknown
      try {
        handler = versioning({ scheme: Class, ...options } as never)
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        expect((error as Error).message).toMatch(/^(versioning\(\)|versioning is a factory|\w*Versioning)/)
        expect((error as Error).message.length).toBeLessThan(1000)
        return
      }
      expect(typeof handler).toBe('function')
      for (const version of ['v1', 'nonsense']) {
        const { errors } = run(handler as RequestHandler, { url: `/?version=${version}` })
        for (const error of errors) expect(error).toBeInstanceOf(VersioningError)
      }
    },
  ),
)
