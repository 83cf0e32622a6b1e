import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  type ParseVersion,
  QueryParameterVersioning,
  type RouteRegistry,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'

// Links whose version stands in the host, and links of combinations.

const users = () => namedRoutes({ users: '/users' })

interface Asked {
  readonly url?: string
  readonly host?: string | undefined
  readonly header?: string
  /** Another version, assigned by a handler. */
  readonly assigned?: string
}

/** The link, or the message of its error. */
function linkOf(
  options: VersioningOptions,
  { url = '/', host, header, assigned }: Asked,
  name: string,
  link: LinkOptions,
) {
  const headers = { ...(host !== undefined && { host }), ...(header !== undefined && { 'x-api-version': header }) }
  const { req, errors } = run(versioning(options), { url, headers })
  expect(errors).toEqual([])
  if (assigned !== undefined) req.version = assigned
  try {
    return req.reverse(name, link)
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return `${(error as NoReverseMatch).status} ${(error as Error).message}`
  }
}

const CANNOT = 'The host of this request cannot carry that version.'
const NO_PLACE = 'The host of this request has no place for a version.'
const NOT_ALLOWED = 'The host of the other version is not one of the allowed hosts.'
const RELATIVE = 'A link to another version changes the host, so it needs { absolute: true }.'
const PUBLIC = 'https://v1.pub.com'
const HOSTS = { allowedHosts: ['v1.api.com', 'v2.api.com'] }
const WWW = { scheme: new HostNameVersioning({ ignore: ['www'] }) }
const pattern = (hostnamePattern: RegExp) => ({ scheme: new HostNameVersioning({ hostnamePattern }) })
const named: ParseVersion = (text, versions) => (text === 'latest' ? versions.at(-1) : text)
const PARSED = { allowedVersions: ['v1', 'v2'], parseVersion: named }
const V2 = { version: 'v2' }

test.each<[options: Partial<VersioningOptions>, host: string | undefined, LinkOptions, link: string]>([
  [{}, 'v1.api.com', V2, 'http://v2.api.com/users'],
  [{}, 'v1.api.com', { version: null }, 'http://api.com/users'],
  [{}, 'v1.api.com:8080', V2, 'http://v2.api.com:8080/users'],
  [{}, 'localhost', V2, `400 ${NO_PLACE}`],
  [{}, 'v1.api.com', { version: 'v-2' }, `500 ${CANNOT}`],
  [{}, 'v1.api.com', { ...V2, absolute: false }, `500 ${RELATIVE}`],
  // The host of a URL has no upper case.
  [{ allowedVersions: ['V2', 'v1'] }, 'v1.api.com', { version: 'V2' }, `500 ${CANNOT}`],
  [pattern(/^(v\d)\.api\.com$/d), 'v1.api.com', V2, 'http://v2.api.com/users'],
  [pattern(/^(\w+)\./), 'v1.api.com', { version: null }, `400 ${CANNOT}`],
  // `allowedHosts` limits the host of the request alone.
  [HOSTS, 'v1.api.com', V2, 'http://v2.api.com/users'],
  [HOSTS, 'v1.api.com', { version: 'v3' }, `500 ${NOT_ALLOWED}`],
  [HOSTS, 'v1.api.com', { ...V2, origin: PUBLIC }, 'https://v2.pub.com/users'],
  [{ ...HOSTS, origin: PUBLIC }, 'v1.api.com', V2, 'https://v2.pub.com/users'],
  [{}, 'v1.api.com', { ...V2, origin: 'https://pub.com' }, '500 The host of "origin" has no place for a version.'],
  // An ignored label is the place of a version, but no version.
  [WWW, 'www.api.com', V2, 'http://v2.api.com/users'],
  [WWW, 'www.api.com', { version: null }, 'http://www.api.com/users'],
  [WWW, 'v1.api.com', { version: 'www' }, `500 ${CANNOT}`],
  // An absolute link has the accepted version in place of the text that means it, if it can.
  [PARSED, 'latest.api.com:8080', {}, 'http://v2.api.com:8080/users'],
  [PARSED, 'v1.api.com', {}, 'http://v1.api.com/users'],
  [PARSED, 'localhost', {}, 'http://localhost/users'],
  [PARSED, 'latest.api.com', { absolute: false }, '/users'],
  [PARSED, 'latest.api.com', { origin: 'https://latest.pub.com' }, 'https://latest.pub.com/users'],
  [{ ...PARSED, origin: PUBLIC }, 'latest.api.com', {}, 'https://v1.pub.com/users'],
  [{ ...PARSED, allowedHosts: ['latest.api.com'] }, 'latest.api.com', {}, 'http://latest.api.com/users'],
  [PARSED, undefined, {}, '400 The host of this request cannot start a link.'],
])('HostNameVersioning %j on %j, asked for %j: %s', (options, host, link, expected) => {
  const all = { scheme: HostNameVersioning, routes: users(), ...options } as VersioningOptions
  expect(linkOf(all, { host }, 'users', { absolute: true, ...link })).toBe(expected)
})

test('a version that a handler assigned changes no host', () => {
  const options = { scheme: HostNameVersioning, routes: users(), ...PARSED }
  const asked = { host: 'latest.api.com', assigned: 'v1' }
  expect(linkOf(options, asked, 'users', { absolute: true })).toBe('http://latest.api.com/users')
})

describe('CombinedVersioning', () => {
  /** A table with `/:version/users` and `/users`, and routes in only one of the two forms. */
  const routes = namedRoutes({ health: '/health' })
    .include('/:version', namedRoutes({ users: '/users', orders: '/orders' }), { namespace: 'in-path' })
    .include('/', users())
  const inNamespaces = namedRoutes({ health: '/health' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v2', users(), { namespace: 'v2' })
  const path = () => new URLPathVersioning()
  const header = () => new HeaderVersioning()
  const query = () => new QueryParameterVersioning()
  const combinations = {
    pathHeader: () => [path(), header()],
    pathQuery: () => [path(), query()],
    namespace: () => [new NamespaceVersioning(), header()],
    nested: () => [new CombinedVersioning({ schemes: [path(), query()] }), header()],
    headers: () => [header(), new AcceptHeaderVersioning()],
    host: () => [new HostNameVersioning(), header()],
  }

  const UNKNOWN = '500 No route named "userss". Did you mean "users"?'
  const NOT_IN_URL = '500 CombinedVersioning keeps no version in URLs, so "version" cannot choose one.'
  const NOT_LISTED = '500 "version" takes one of the allowed versions: "v1", "v2".'
  test.each<[schemes: keyof typeof combinations, url: string, header: string, name: string, LinkOptions, link: string]>(
    [
      // The scheme that named the version keeps it.
      ['pathHeader', '/v1/users', '', 'in-path:users', {}, '/v1/users'],
      ['pathHeader', '/v2/users', 'v2', 'in-path:orders', {}, '/v2/orders'],
      ['pathHeader', '/users', 'v2', 'users', {}, '/users'],
      ['pathHeader', '/users', '', 'users', {}, '/users'],
      ['pathHeader', '/v1/users', '', 'users', {}, '/users'],
      ['pathHeader', '/v1/users', '', 'health', {}, '/health'],
      ['pathQuery', '/v2/users', '', 'in-path:users', {}, '/v2/users'],
      ['pathQuery', '/users?version=v2', '', 'users', {}, '/users?version=v2'],
      ['pathQuery', '/users', '', 'users', {}, '/users'],
      // Where it has no place for it, another scheme keeps it.
      ['pathQuery', '/users?version=v2', '', 'in-path:users', {}, '/v2/users'],
      ['pathQuery', '/v2/users', '', 'users', {}, '/users?version=v2'],
      // Another version goes where the request's stands, else to the first scheme that has a place.
      ['pathQuery', '/v1/users', '', 'in-path:users', V2, '/v2/users'],
      ['pathQuery', '/users?version=v1', '', 'users', V2, '/users?version=v2'],
      ['pathQuery', '/users', '', 'users', V2, '/users?version=v2'],
      ['namespace', '/v1/users', '', 'users', {}, '/v1/users'],
      ['namespace', '/v1/users', '', 'users', V2, '/v2/users'],
      ['namespace', '/v1/users', '', 'health', {}, '/health'],
      ['namespace', '/health', 'v2', 'users', {}, '/v2/users'],
      ['namespace', '/health', 'v1', 'users', V2, '/v2/users'],
      ['nested', '/v2/users', '', 'in-path:users', {}, '/v2/users'],
      ['nested', '/users?version=v2', '', 'users', {}, '/users?version=v2'],
      ['nested', '/users', 'v2', 'in-path:users', {}, '/v2/users'],
      ['nested', '/users', 'v1', 'users', V2, '/users?version=v2'],
      ['headers', '/users', 'v2', 'users', {}, '/users'],
      // Failures are told once.
      ['pathQuery', '/v1/users', '', 'userss', {}, UNKNOWN],
      ['pathQuery', '/users?version=v1', '', 'userss', V2, UNKNOWN],
      ['headers', '/users', '', 'users', V2, NOT_IN_URL],
      ['host', '/users', '', 'users', { ...V2, absolute: true }, `400 ${NO_PLACE}`],
      ['pathHeader', '/v1/users', '', 'in-path:users', { version: 'v3' }, NOT_LISTED],
    ],
  )('%s: %s %j, asked for %j %j: %s', (schemes, url, header, name, link, expected) => {
    const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
    const scheme = new CombinedVersioning({ schemes: combinations[schemes](), ...settings })
    const table = (schemes === 'namespace' ? inNamespaces : routes) as RouteRegistry
    expect(linkOf({ scheme, routes: table }, { url, header, host: 'localhost' }, name, link)).toBe(expected)
  })

  test('a link to another version leaves out a query parameter whose texts are no versions', () => {
    const parseVersion = (text: string) => ({ v1: '1', v2: '2' })[text]
    const schemes = [path(), new QueryParameterVersioning({ parseVersion })]
    const scheme = new CombinedVersioning({ schemes, allowedVersions: ['1', '2'], defaultVersion: '1' })
    const link = { version: '2', query: { version: 'v1', page: 2 } }
    expect(linkOf({ scheme, routes }, { url: '/1/users' }, 'in-path:users', link)).toBe('/2/users?page=2')
  })
})

test('by hand to another version, where no scheme can carry it', () => {
  const scheme = new CombinedVersioning({ schemes: [new HeaderVersioning()] })
  expect(() => scheme.reverse('users', { version: 'v2' })).toThrow(NoReverseMatch)
})

test('the query scheme keeps each version of several links', () => {
  const { req } = run(versioning({ scheme: QueryParameterVersioning, routes: users() }), { url: '/?version=v1' })
  const links = ['v1', 'v2', 'v2', 'v&1'].map((version) => req.reverse('users', { version }))
  expect(links).toEqual(['/users?version=v1', '/users?version=v2', '/users?version=v2', '/users?version=v%261'])
})
