import type { Request } from 'express'
import {
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { appOf, dispatch, type Sent } from '../support/dispatch'

type Make = (req: Request) => [name: string, options?: LinkOptions]

/** Requests a route of a table whose handler makes a link, and returns the outcome. */
function failing(options: Omit<VersioningOptions, 'routes'>, sent: Sent, make: Make) {
  const users = namedRoutes({
    detail: '/users/:id',
    files: '/files/*path',
    list: '/users',
    formatted: '/f/:id{.:format}',
  })
  const routes =
    options.scheme === NamespaceVersioning ? namedRoutes({}).include('/v1', users, { namespace: 'v1' }) : users
  let failed: unknown
  users.use((req, res) => {
    try {
      req.reverse(...make(req))
    } catch (error) {
      failed = error
    }
    res.end()
  })
  for (const name of ['detail', 'files', 'list', 'formatted'] as const) {
    users.route(name).get((_req, _res, next) => next())
  }
  dispatch(
    appOf((app) => app.use('/api', versioning({ ...options, routes }), routes)),
    sent,
  )
  expect(failed).toBeInstanceOf(NoReverseMatch)
  return failed as NoReverseMatch
}

const QUERY = { scheme: QueryParameterVersioning }
const NAMESPACE = { scheme: NamespaceVersioning }
const own =
  (name: string, key: string): Make =>
  (req) => [name, { kwargs: { [key]: req.resolverMatch?.params[key] } as LinkOptions['kwargs'] }]

describe('a link that only the request makes impossible is 400', () => {
  test.each<[what: string, Omit<VersioningOptions, 'routes'>, Sent, Make]>([
    ['its own parameter, in a namespace', NAMESPACE, { url: '/api/v1/users/%2e%2e' }, own('detail', 'id')],
    ['its own wildcard', QUERY, { url: '/api/files/a//b' }, own('files', 'path')],
    [
      'an item of its own wildcard',
      QUERY,
      { url: '/api/users/%2e%2e' },
      (req) => ['files', { kwargs: { path: ['a', String(req.resolverMatch?.params.id)] } }],
    ],
    [
      'a query value as another version',
      { ...QUERY, allowedVersions: ['1'], defaultVersion: '1' },
      { url: '/api/users?v=../9' },
      (req) => ['list', { version: String(req.query.v) }],
    ],
    ['its own name', QUERY, { url: '/api/users?to=nope' }, (req) => [String(req.query.to)]],
    [
      'its version',
      {
        scheme: new CombinedVersioning({
          schemes: [new HeaderVersioning(), new URLPathVersioning({ versionParam: 'id' })],
        }),
      },
      { url: '/api/users', headers: { 'x-api-version': '..' } },
      () => ['detail', { query: {} }],
    ],
    [
      'its host, that leaves no other',
      { scheme: new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }) },
      { url: '/api/users', headers: { host: 'v1.v2.example.com' } },
      () => ['list', { version: null, absolute: true }],
    ],
  ])('%s', (_what, options, sent, make) => {
    const { status, expose, message } = failing(options, sent, make)
    expect({ status, expose }).toEqual({ status: 400, expose: true })
    for (const word of ['..', 'a.json', '../9', 'nope', 'localhost', 'example.com']) expect(message).not.toContain(word)
  })
})

describe("a programmer's error stays 500", () => {
  test.each<[what: string, Omit<VersioningOptions, 'routes'>, Sent, Make, message: RegExp]>([
    ['a value of his own', QUERY, { url: '/api/users/7' }, () => ['detail', { kwargs: { id: '..' } }], /dot segment/],
    ['a missing one', QUERY, { url: '/api/users/7' }, () => ['detail'], /needs "id"/],
    [
      'an option that nobody knows',
      QUERY,
      { url: '/api/users/7' },
      () => ['detail', { id: 7 } as LinkOptions],
      /needs "id"\. The link was given the unknown option "id": parameters go into "kwargs"\.$/,
    ],
    [
      'options that are none',
      QUERY,
      { url: '/api/users/7' },
      () => ['detail', 7 as LinkOptions],
      /takes an object of options; got a number/,
    ],
    [
      'an origin without a place for a version',
      { scheme: HostNameVersioning, origin: 'https://example.com' },
      { url: '/api/users' },
      () => ['list', { version: 'v2', absolute: true }],
      /^The host of "origin" has no place for a version\.$/,
    ],
  ])('%s', (_what, options, sent, make, message) => {
    const error = failing(options, sent, make)
    expect(error).toMatchObject({ status: 500, expose: false })
    expect(error.message).toMatch(message)
  })
})

test('a version that is in no list is not repeated', () => {
  const routes = namedRoutes({}).include('/v1', namedRoutes({ list: '/users' }), { namespace: 'v1' })
  const scheme = new CombinedVersioning({ schemes: [new HeaderVersioning(), new NamespaceVersioning()] })
  const app = appOf((app) => app.use(versioning({ scheme, routes })))
  const { req } = dispatch(app, { url: '/x', headers: { 'x-api-version': 'evil' } })
  expect(() => req.reverse('list')).toThrow(/No route named "<version>:list"/)
  expect(() => req.reverse('list')).not.toThrow(/evil/)
})

describe('table.reverse()', () => {
  const table = namedRoutes({ list: '/users', detail: '/users/:id' })

  test('with an origin makes an absolute link', () => {
    expect(table.reverse('detail', { kwargs: { id: 7 }, origin: 'https://API.example.com/', query: { a: 1 } })).toBe(
      'https://api.example.com/users/7?a=1',
    )
    expect(() => table.reverse('list', { origin: 'example.com' })).toThrow(/"origin" takes an origin/)
  })

  test('refuses an option that it does not know', () => {
    const given = (options: object) => () => table.reverse('list', options as never)
    expect(given({ id: 7 })).toThrow('reverse(): unknown option "id": parameters go into "kwargs".')
    expect(given({ id: 7 })).toThrow(NoReverseMatch)
    expect(given({ id: undefined })()).toBe('/users')
  })
})
