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
import { run } from '../support/dispatch'
import { isAllowed, oracles, type Rules } from '../support/oracle'
import { property } from '../support/property'

const word = (...words: string[]) => fc.constantFrom(...words)
const version = word('v1', 'v2', 'v3', '', '__proto__', 'V1')
const rules: fc.Arbitrary<Rules> = fc.record({
  defaultVersion: fc.option(version),
  allowedVersions: fc.array(fc.option(version, { freq: 8 }), { maxLength: 4 }),
})
const classes = [
  AcceptHeaderVersioning,
  URLPathVersioning,
  NamespaceVersioning,
  HostNameVersioning,
  QueryParameterVersioning,
]
const Scheme = fc.constantFrom(...classes)

/** The same list as any kind of iterable. */
function iterableOf<T>(list: T[], kind: string): Iterable<T> {
  if (kind === 'set') return new Set(list)
  if (kind === 'generator') return list.values()
  return [...list]
}

property(
  'isAllowedVersion is SPEC.md 9.1, whatever iterable lists the versions, by options and by class fields',
  fc.property(Scheme, rules, fc.option(version), word('array', 'set', 'generator'), (Class, given, asked, kind) => {
    const allowedVersions = iterableOf(given.allowedVersions, kind)
    // With a parser, versions that no host can name are no error.
    const scheme = new Class({ ...given, allowedVersions, parseVersion: (text) => text })
    class Fields extends QueryParameterVersioning {
      override defaultVersion = given.defaultVersion
      override allowedVersions = given.allowedVersions
    }
    expect(scheme.isAllowedVersion(asked)).toBe(isAllowed(asked, given))
    expect(new Fields().isAllowedVersion(asked)).toBe(isAllowed(asked, given))
  }),
)

/** What an app answers to requests that name each version, and to one that names none. */
function answers(handler: RequestHandler): unknown[] {
  return ['v1', 'v2', 'v3', '', undefined].map((version) => {
    const url = version === undefined ? '/' : `/?version=${version}`
    const { req, errors } = run(handler, { url })
    return errors.length > 0 ? errors[0]?.status : req.version
  })
}

property(
  'settings are never shared: what one instance was given, or is given later, changes no other',
  fc.property(rules, rules, fc.array(version, { maxLength: 3 }), (first, second, later) => {
    const alone = (given: Rules) => answers(versioning({ scheme: QueryParameterVersioning, ...given }))
    const expected = [alone(first), alone(second)]
    const options = { scheme: QueryParameterVersioning, ...first, allowedVersions: [...first.allowedVersions] }
    const one = versioning(options)
    const two = versioning({ scheme: QueryParameterVersioning, ...second })
    const before = [one, two].map(answers)
    // The caller's own objects are his: he may go on using them.
    options.allowedVersions.push(...later)
    options.defaultVersion = 'v3'
    expect(before).toEqual(expected)
    expect([one, two].map(answers)).toEqual(expected)
    // One in the other: the later one is in force.
    expect(answers((req, res, next) => one(req, res, () => two(req, res, next)))).toEqual(expected[1])
  }),
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
      // The table is the caller's to add to; all else is frozen.
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
