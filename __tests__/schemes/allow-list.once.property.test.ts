import type { Response } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  NotFound,
  QueryParameterVersioning,
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
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
  'Vary has each field that was there and each that the scheme needs, once, refused or not',
  fc.property(
    fc.array(word('Accept', 'accept', 'Origin', 'X-Api', 'Accept-Encoding', '*'), { maxLength: 4 }),
    fc.boolean(),
    fc.uniqueArray(word('Accept', 'ACCEPT-LANGUAGE', 'X-Api', 'Origin', 'X-Y'), { maxLength: 3 }),
    fc.boolean(),
    (before, asList, varyOn, refuses) => {
      class Scheme extends BaseVersioning {
        override readonly varyOn = varyOn
        override determineVersion(): string {
          if (refuses) throw new NotFound()
          return 'v1'
        }
      }
      const { res } = run(
        (req, res, next) => {
          if (before.length > 0) res.setHeader('Vary', asList ? before : before.join(', '))
          const handler = versioning({ scheme: Scheme })
          // Twice, as where one is nested in another.
          handler(req, res, () => handler(req, res, next))
        },
        { url: '/' },
      )
      const after = String(res.getHeader('Vary') ?? '')
      const members = after.split(',').map((field) => field.trim().toLowerCase())
      if (before.includes('*') && varyOn.length > 0) {
        expect(members).toContain('*')
        return
      }
      const wanted = [...before, ...varyOn].map((field) => field.toLowerCase())
      expect(new Set(members.filter((field) => field !== ''))).toEqual(new Set(wanted))
      const added = members.slice(before.length)
      expect(new Set(added).size).toBe(added.length)
      // What was there stays first, in its own spelling.
      expect(after.replaceAll(', ', ',').startsWith(before.join(','))).toBe(true)
    },
  ),
)

const linkValue = word('</a>; rel="next"', '</b>; rel="prev"', '<https://x.example/?a;b>; rel="help"')
const plan = fc.record(
  {
    deprecated: word('2020-01-01', '2999-01-01'),
    sunset: word('2999-06-01', '2999-07-01'),
    info: word('https://docs.example/one', 'https://docs.example/two'),
  },
  { requiredKeys: [] },
)
property(
  'Link keeps what others put there, before, between and after; of two versioning() the last one alone has its own in it',
  fc.property(
    fc.array(linkValue, { maxLength: 3 }),
    fc.array(linkValue, { maxLength: 2 }),
    fc.boolean(),
    plan,
    plan,
    (before, between, asList, outer, inner) => {
      const handlerOf = (lifecycle: object) =>
        versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1'], lifecycle: { v1: lifecycle } })
      const fields = (names: string[], res: Response) => names.map((name) => res.getHeader(name))
      const linksOf = (res: Response) => [res.getHeader('Link') ?? []].flat().join(', ')
      const add = (res: Response, links: string[]) => {
        if (links.length === 0) return
        const all = [...[res.getHeader('Link') ?? []].flat().map(String), ...links]
        res.setHeader('Link', asList ? all : all.join(', '))
      }
      const url = '/?version=v1'
      const alone = run(handlerOf(inner), { url }).res
      const { res } = run(
        (req, res, next) => {
          add(res, before)
          handlerOf(outer)(req, res, () => {
            add(res, between)
            handlerOf(inner)(req, res, next)
          })
        },
        { url },
      )
      expect(linksOf(res)).toBe([...before, ...between, linksOf(alone)].filter((text) => text !== '').join(', '))
      expect(fields(['Deprecation', 'Sunset'], res)).toEqual(fields(['Deprecation', 'Sunset'], alone))
    },
  ),
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

property(
  'a promised version comes once, as it was promised; whatever a scheme fails with is an error, once',
  fc.asyncProperty(
    fc.oneof(
      fc.record({ way: word('return', 'resolve'), value: fc.option(version) }),
      fc.record({
        way: word('throw', 'reject'),
        value: fc.constantFrom<unknown>(
          undefined,
          null,
          0,
          '',
          'route',
          'router',
          'text',
          new Error('x'),
          new NotFound(),
        ),
      }),
      fc.record({ way: word('return', 'resolve'), value: fc.constantFrom<unknown>(7, {}, [], true) }),
    ),
    async ({ way, value }) => {
      class Scheme extends BaseVersioning {
        override determineVersion(): never {
          if (way === 'throw') throw value
          return (
            way === 'return' ? value : way === 'resolve' ? Promise.resolve(value) : Promise.reject(value)
          ) as never
        }
      }
      const outcome = run(versioning({ scheme: Scheme }), { url: '/' })
      await new Promise((done) => setImmediate(done))
      const good = (way === 'return' || way === 'resolve') && (value === null || typeof value === 'string')
      expect(outcome.served).toBe(good ? 1 : 0)
      expect(outcome.errors).toHaveLength(good ? 0 : 1)
      expect(outcome.req.version).toBe(good ? value : undefined)
    },
  ),
)
