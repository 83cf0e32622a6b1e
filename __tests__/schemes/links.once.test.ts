import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  MediaTypeVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  type RouteRegistry,
  URLPathVersioning,
  type VersionCarrier,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'
import { rows } from '../support/rows'

// Links whose version stands in the host, links of combinations, and `carry()`: how a client names a version.

const users = () => namedRoutes({ users: '/users' })
const path = () => new URLPathVersioning()
const header = () => new HeaderVersioning()
const query = () => new QueryParameterVersioning()

/** The link, or the status and message of its error. `assigned` is another version, assigned by a handler. */
function linkOf(
  options: object,
  sent: { url: string; headers?: object },
  name: string,
  link: object,
  assigned?: string,
) {
  const { req, errors } = run(versioning(options as VersioningOptions), sent as { url: string })
  expect(errors).toEqual([])
  if (assigned !== undefined) req.version = assigned
  try {
    return req.reverse(name, link)
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return `${(error as NoReverseMatch).status} ${(error as Error).message}`
  }
}

const V2 = { version: 'v2' }
const NONE = { version: null }

describe('HostNameVersioning', () => {
  const CANNOT = 'The host of this request cannot carry that version.'
  const ORIGIN_CANNOT = '500 The host of "origin" cannot carry that version.'
  const NO_PLACE = '400 The host of this request has no place for a version.'
  const NOT_ALLOWED = '500 The host of the other version is not one of the allowed hosts.'
  const RELATIVE = '500 A link to another version changes the host, so it needs { absolute: true }.'
  const PUBLIC = 'https://v1.pub.com'
  const HOSTS = { allowedHosts: ['v1.api.com', 'v2.api.com'] }
  const WWW = { scheme: new HostNameVersioning({ ignore: ['www'] }) }
  const pattern = (hostnamePattern: RegExp) => ({ scheme: new HostNameVersioning({ hostnamePattern }) })
  const parseVersion = (text: string, versions: readonly string[]) => (text === 'latest' ? versions.at(-1) : text)
  const PARSED = { allowedVersions: ['v1', 'v2'], parseVersion }

  test.each<[options: object, host: string, LinkOptions, link: string, assigned?: string]>([
    [{}, 'v1.api.com', V2, 'http://v2.api.com/users'],
    [{}, 'v1.api.com', NONE, 'http://api.com/users'],
    [{}, 'v1.api.com:8080', V2, 'http://v2.api.com:8080/users'],
    [{}, 'localhost', V2, NO_PLACE],
    [{}, 'v1.api.com', { version: 'v-2' }, `500 ${CANNOT}`],
    [{}, 'v1.api.com', { ...V2, absolute: false }, RELATIVE],
    // The host of a URL has no upper case.
    [{ allowedVersions: ['V2', 'v1'] }, 'v1.api.com', { version: 'V2' }, `500 ${CANNOT}`],
    [pattern(/^(v\d)\.api\.com$/d), 'v1.api.com', V2, 'http://v2.api.com/users'],
    [pattern(/^(\w+)\./), 'v1.api.com', NONE, `400 ${CANNOT}`],
    [{ ...pattern(/^(\w+)\./), origin: PUBLIC }, 'v1.api.com', NONE, ORIGIN_CANNOT],
    [pattern(/^api-(\w+)\./), 'api-v1.acme.com', NONE, 'http://api-.acme.com/users'],
    // `allowedHosts` limits the host of the request alone.
    [HOSTS, 'v1.api.com', V2, 'http://v2.api.com/users'],
    [HOSTS, 'v1.api.com', { version: 'v3' }, NOT_ALLOWED],
    [{ ...HOSTS, origin: PUBLIC }, 'v1.api.com', V2, 'https://v2.pub.com/users'],
    [{}, 'v1.api.com', { ...V2, origin: 'https://pub.com' }, '500 The host of "origin" has no place for a version.'],
    // An ignored label is the place of a version, but no version.
    [WWW, 'www.api.com', V2, 'http://v2.api.com/users'],
    [WWW, 'www.api.com', NONE, 'http://www.api.com/users'],
    [WWW, 'v1.api.com', { version: 'www' }, `500 ${CANNOT}`],
    // An absolute link has the accepted version in place of the text that means it, if it can.
    [PARSED, 'latest.api.com:8080', {}, 'http://v2.api.com:8080/users'],
    [PARSED, 'v1.api.com', {}, 'http://v1.api.com/users'],
    [PARSED, 'latest.api.com', { absolute: false }, '/users'],
    [PARSED, 'latest.api.com', { origin: 'https://latest.pub.com' }, 'https://latest.pub.com/users'],
    [{ ...PARSED, origin: PUBLIC }, 'latest.api.com', {}, 'https://v1.pub.com/users'],
    [{ ...PARSED, allowedHosts: ['latest.api.com'] }, 'latest.api.com', {}, 'http://latest.api.com/users'],
    [PARSED, '', {}, '400 The host of this request cannot start a link.'],
    // A version that a handler assigned changes no host.
    [PARSED, 'latest.api.com', {}, 'http://latest.api.com/users', 'v1'],
  ])('%j on %j, asked for %j: %s', (...[options, host, link, expected, assigned]) => {
    const all = { scheme: HostNameVersioning, routes: users(), ...options }
    const sent = { url: '/', headers: host === '' ? {} : { host } }
    expect(linkOf(all, sent, 'users', { absolute: true, ...link }, assigned)).toBe(expected)
  })
})

describe('CombinedVersioning', () => {
  /** A table with `/:version/users` and `/users`, and routes in only one of the two forms. */
  const inPath = namedRoutes({ health: '/health' })
    .include('/:version', namedRoutes({ users: '/users' }), { namespace: 'in-path' })
    .include('/', users())
  const inNamespaces = namedRoutes({ health: '/health' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v2', users(), { namespace: 'v2' })
  const combinations: Record<string, () => BaseVersioning[]> = {
    pathHeader: () => [path(), header()],
    pathQuery: () => [path(), query()],
    namespace: () => [new NamespaceVersioning(), header()],
    nested: () => [new CombinedVersioning({ schemes: [path(), query()] }), header()],
    headers: () => [header(), new AcceptHeaderVersioning()],
    host: () => [new HostNameVersioning(), header()],
    hostQuery: () => [new HostNameVersioning(), query()],
  }

  test.each(
    rows(`
    // schemes | url | X-API-Version | name | version of the link | link
    // The scheme that named the version keeps it.
    pathHeader | /v1/users         | -  | in-path:users  | -  | /v1/users
    pathHeader | /users            | v2 | users          | -  | /users
    pathHeader | /v1/users         | -  | users          | -  | /users
    pathHeader | /v1/users         | -  | health         | -  | /health
    pathQuery  | /users            | -  | users          | -  | /users
    // Where it has no place for it, another scheme keeps it.
    pathQuery  | /users?version=v2 | -  | in-path:users  | -  | /v2/users
    pathQuery  | /v2/users         | -  | users          | -  | /users?version=v2
    // Another version goes where the request's stands, else to the first scheme that has a place.
    pathQuery  | /v1/users         | -  | in-path:users  | v2 | /v2/users
    pathQuery  | /users?version=v1 | -  | users          | v2 | /users?version=v2
    pathQuery  | /users            | -  | users          | v2 | /users?version=v2
    namespace  | /v1/users         | -  | users          | v2 | /v2/users
    namespace  | /v1/users         | -  | health         | -  | /health
    namespace  | /health           | v2 | users          | -  | /v2/users
    namespace  | /health           | v1 | users          | v2 | /v2/users
    nested     | /users?version=v2 | -  | users          | -  | /users?version=v2
    nested     | /users            | v1 | users          | v2 | /users?version=v2
    headers    | /users            | v2 | users          | -  | /users
    // Failures are told once.
    pathQuery  | /v1/users         | -  | userss         | -  | 500 No route named "userss". Did you mean "users"?
    pathQuery  | /users?version=v1 | -  | userss         | v2 | 500 No route named "userss". Did you mean "users"?
    headers    | /users            | -  | users          | v2 | 500 CombinedVersioning keeps no version in URLs, so "version" cannot choose one.
    host       | /users            | -  | users          | v2 | 400 The host of this request has no place for a version.
    hostQuery  | /users            | -  | userss         | v2 | 500 No route named "userss". Did you mean "users"?
    pathHeader | /v1/users         | -  | in-path:users  | v3 | 500 "version" takes one of the allowed versions: "v1", "v2".`),
  )('%s: %s %s, a link to %s in %s: %s', (schemes = '', url = '', field = '', name = '', version, expected) => {
    const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
    const scheme = new CombinedVersioning({ schemes: combinations[schemes]?.() ?? [], ...settings })
    const routes = (schemes === 'namespace' ? inNamespaces : inPath) as RouteRegistry
    const sent = { url, headers: { host: 'localhost', ...(field !== '-' && { 'x-api-version': field }) } }
    const link = version === '-' ? {} : { version, absolute: schemes.startsWith('host') }
    expect(linkOf({ scheme, routes }, sent, name, link)).toBe(expected)
  })

  test('a link to another version leaves out a query parameter whose texts are no versions', () => {
    const parseVersion = (text: string) => ({ v1: '1', v2: '2' })[text]
    const schemes = [path(), new QueryParameterVersioning({ parseVersion })]
    const scheme = new CombinedVersioning({ schemes, allowedVersions: ['1', '2'], defaultVersion: '1' })
    const link = { version: '2', query: { version: 'v1', page: 2 } }
    expect(linkOf({ scheme, routes: inPath }, { url: '/1/users' }, 'in-path:users', link)).toBe('/2/users?page=2')
  })

  test('by hand to another version, where no scheme can carry it', () => {
    const scheme = new CombinedVersioning({ schemes: [header()] })
    expect(() => scheme.reverse('users', V2)).toThrow(NoReverseMatch)
  })
})

const template = 'application/vnd.acme.{version}+json'
const inHeader = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })
const [json, textTypes] = ['application/json; version=', ['text/html', 'text/csv']]
const inPlace = (place: VersionCarrier['in']) => ({ in: place, value: 'v1' })
test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined, unfit?: string[]]>([
  [new HeaderVersioning({ header: 'V' }), inHeader('V', 'v1'), ['', 'v1,v2', ',', ' v1', 'v1\t', 'v\n1', 'v\x7f']],
  [new AcceptHeaderVersioning({ mediaTypes: textTypes }), inHeader('Accept', 'text/html; version=v1')],
  [new AcceptHeaderVersioning(), inHeader('Accept', `${json}v1`), ['v\u20ac', 'v\n1', 'v\x7f']],
  [new MediaTypeVersioning({ template }), inHeader('Accept', 'application/vnd.acme.v1+json'), ['', 'v 1', 'v/1']],
  [new QueryParameterVersioning({ versionParam: 'v' }), { name: 'v', ...inPlace('query') }, ['\ud800', 'v\udc00']],
  [new URLPathVersioning({ versionParam: 'v' }), { name: 'v', ...inPlace('path') }, ['', '..', 'v\n', '\ud800']],
  [new NamespaceVersioning(), inPlace('namespace'), ['', 'a:b', ':']],
  [new NamespaceVersioning({ ignore: ['v1'] }), undefined],
  [new HostNameVersioning(), inPlace('host'), ['', 'v.1', 'v-1', 'v\xe9']],
  [new HostNameVersioning({ ignore: ['V1'] }), undefined],
  [new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }), undefined],
  [new (class extends BaseVersioning {})(), undefined],
])('%p carries v1 as %j, and cannot hold %j', (scheme, carrier, unfit = []) => {
  expect([scheme.carry('v1'), scheme.carriers('v1')]).toEqual([carrier, carrier === undefined ? [] : [carrier]])
  for (const version of unfit) expect([version, scheme.carry(version)]).toEqual([version, undefined])
})

test('Accept quotes versions, and carries no more than is read of a range: 1,024 characters', () => {
  const quoted = { '': '""', ' v1\t': '" v1\t"', 'a,b;q=0': '"a,b;q=0"', 'a"b': '"a\\"b"' }
  for (const [version, value] of Object.entries(quoted))
    expect(new AcceptHeaderVersioning().carry(version)).toEqual(inHeader('Accept', json + value))
  // 24 characters for `application/json; versio=`
  const scheme = new AcceptHeaderVersioning({ versionParam: 'versio' })
  const texts = ['v'.repeat(999), 'v'.repeat(1000), '"'.repeat(498), '"'.repeat(499)]
  expect(texts.map((text) => scheme.carry(text) !== undefined)).toEqual([true, false, true, false])
})

describe('a version that parseVersion takes for another one, or for none, has no carrier', () => {
  const parseVersion = (text: string) => ({ v1: '1', '1': '2', '3': '3' })[text]
  const settings = { allowedVersions: ['1', '2', '3'], parseVersion }
  test.each([
    ...[HeaderVersioning, AcceptHeaderVersioning, QueryParameterVersioning, URLPathVersioning],
    ...[NamespaceVersioning, HostNameVersioning, MediaTypeVersioning],
  ])('%p', (Scheme) => {
    const scheme = new Scheme({ ...settings, ...(Scheme === MediaTypeVersioning && { template }) } as never)
    // The client sends the disallowed v1 unchanged, and the server refuses it.
    const found = ['1', '2', '3', 'v1'].map((version) => scheme.carry(version)?.in)
    expect(found).toEqual([undefined, undefined, scheme.carriedIn, scheme.carriedIn])
  })

  test('unless another scheme of a combination reads it as it is', () => {
    const schemes = [new HeaderVersioning({ parseVersion }), query()]
    const scheme = new CombinedVersioning({ schemes, allowedVersions: ['1', '3'] })
    const inQuery = (value: string) => ({ in: 'query', name: 'version', value })
    expect(scheme.carry('1')).toEqual(inQuery('1'))
    expect(scheme.carriers('3')).toEqual([inHeader('X-API-Version', '3'), inQuery('3')])
  })
})
