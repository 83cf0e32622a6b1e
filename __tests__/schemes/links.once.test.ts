import { BaseVersioning, NoReverseMatch, namedRoutes, type VersionCarrier, versioning } from 'express-versioning'
import { run } from '../support/dispatch'
import { rows } from '../support/rows'
import { accept, combined, header, host, namespace, path, query, vendor } from '../support/schemes'

// Links whose version stands in the host, links of combinations, and `carry()`: how a client names a version.

/** The link, or the status and message of its error. `assigned` is another version, assigned by a handler. */
function linkOf(options: object, url: string, headers: object, name: string, link: object, assigned = '') {
  const { req, errors } = run(versioning(options as never), { url, headers } as { url: string })
  expect(errors).toEqual([])
  if (assigned !== '') req.version = assigned
  try {
    const made = req.reverse(name, link)
    // Pages have several links.
    expect(req.reverse(name, link)).toBe(made)
    return made
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return `${(error as NoReverseMatch).status} ${(error as Error).message}`
  }
}

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }
const users = () => namedRoutes({ users: '/users' })
const V2 = { version: 'v2' }
const NONE = { version: null }
const CANNOT = 'The host of this request cannot carry that version.'
const RELATIVE = '500 A link to another version changes the host, so it needs { absolute: true }.'
const PUBLIC = 'https://v1.pub.com'
const HOSTS = { allowedHosts: ['v1.api.com', 'v2.api.com'] }
const WWW = { scheme: host({ ignore: ['www'] }) }
const pattern = (hostnamePattern: RegExp) => ({ scheme: host({ hostnamePattern }) })
const parseVersion = (text: string, versions: readonly string[]) => (text === 'latest' ? versions.at(-1) : text)
const PARSED = { ...LISTED, parseVersion }

test.each<[options: object, host: string, asked: object, link: string, assigned?: string]>([
  [{}, 'v1.api.com:8080', V2, 'http://v2.api.com:8080/users'],
  [{}, 'v1.api.com', NONE, 'http://api.com/users'],
  [{}, 'localhost', V2, '400 The host of this request has no place for a version.'],
  [{}, 'v1.api.com', { origin: 'https://b.com', ...V2 }, '500 The host of "origin" has no place for a version.'],
  [{}, 'x.b.c', { ...V2, absolute: false }, RELATIVE],
  // The host of a URL has no upper case.
  [{ allowedVersions: ['V2', 'v1'] }, 'v1.api.com', { version: 'V2' }, `500 ${CANNOT}`],
  [pattern(/^(v\d)\.api\.com$/d), 'v1.api.com', V2, 'http://v2.api.com/users'],
  [pattern(/^(\w+)\./), 'v1.api.com', NONE, `400 ${CANNOT}`],
  [{ ...pattern(/^(\w+)\./), origin: PUBLIC }, 'v1.b.com', NONE, '500 The host of "origin" cannot carry that version.'],
  [pattern(/^api-(\w+)\./), 'api-v1.acme.com', NONE, 'http://api-.acme.com/users'],
  // `allowedHosts` limits the host of the request alone.
  [HOSTS, 'v1.api.com', V2, 'http://v2.api.com/users'],
  [HOSTS, 'v1.api.com', { version: 'v3' }, '500 The host of the other version is not one of the allowed hosts.'],
  [{ ...HOSTS, origin: PUBLIC }, 'v1.api.com', V2, 'https://v2.pub.com/users'],
  // An ignored label is the place of a version, but no version.
  [WWW, 'www.api.com', V2, 'http://v2.api.com/users'],
  [WWW, 'www.api.com', NONE, 'http://www.api.com/users'],
  [WWW, 'v1.api.com', { version: 'www' }, `500 ${CANNOT}`],
  // An absolute link has the accepted version in place of the text that means it, if it can.
  [PARSED, 'latest.api.com:8080', {}, 'http://v2.api.com:8080/users'],
  [PARSED, 'latest.api.com', { absolute: false }, '/users'],
  [PARSED, 'latest.api.com', { origin: 'https://latest.pub.com' }, 'https://latest.pub.com/users'],
  [{ ...PARSED, origin: PUBLIC }, 'latest.api.com', {}, 'https://v1.pub.com/users'],
  [{ ...PARSED, allowedHosts: ['latest.api.com'] }, 'latest.api.com', {}, 'http://latest.api.com/users'],
  [PARSED, '', {}, '400 The host of this request cannot start a link.'],
  // A version that a handler assigned changes no host.
  [PARSED, 'latest.api.com', {}, 'http://latest.api.com/users', 'v1'],
])('links by host: %j on %j, asked for %j: %s', (options, name, link, expected, assigned = '') => {
  const all = { scheme: host().constructor, routes: users(), ...options }
  const headers = name === '' ? {} : { host: name }
  expect(linkOf(all, '/', headers, 'users', { absolute: true, ...link }, assigned)).toBe(expected)
})

/** A table with `/:version/users` and `/users`, and routes in only one of the two forms. */
const inPath = namedRoutes({ health: '/health' })
  .include('/:version', namedRoutes({ users: '/users' }), { namespace: 'in-path' })
  .include('/', users())
const inNamespaces = namedRoutes({ health: '/health' })
  .include('/v1', users(), { namespace: 'v1' })
  .include('/v2', users(), { namespace: 'v2' })
const LINKING: Record<string, () => BaseVersioning[]> = {
  pathHeader: () => [path(), header()],
  pathQuery: () => [path(), query()],
  namespace: () => [namespace(), header()],
  nested: () => [combined([path(), query()]), header()],
  headers: () => [header(), accept()],
  host: () => [host(), header()],
  hostQuery: () => [host(), query()],
}
test.each(
  rows(`
  // schemes | url | X-API-Version | name | version of the link | link
  // The scheme that named the version keeps it.
  pathHeader | /v1/users         | -  | in-path:users  | -  | /v1/users
  pathHeader | /users            | v2 | users          | -  | /users
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
  namespace  | /v1/users         | -  | v2:users       | -  | /v2/users
  namespace  | /health           | v2 | users          | -  | /v2/users
  namespace  | /health           | v1 | users          | v2 | /v2/users
  nested     | /users?version=v2 | -  | users          | -  | /users?version=v2
  nested     | /users            | v1 | users          | v2 | /users?version=v2
  headers    | /users            | v2 | users          | -  | /users
  // Failures are told once.
  pathQuery  | /v1/users         | -  | userss         | -  | 500 No route named "userss". Did you mean "users"?
  headers    | /users            | -  | users          | v2 | 500 CombinedVersioning keeps no version in URLs, so "version" cannot choose one.
  host       | /users            | -  | users          | v2 | 400 The host of this request has no place for a version.
  hostQuery  | /users            | -  | userss         | v2 | 500 No route named "userss". Did you mean "users"?
  pathHeader | /v1/users         | -  | in-path:users  | v3 | 500 "version" takes one of the allowed versions: "v1", "v2".`),
)('links of %s: %s %s, to %s in %s: %s', (schemes = '', url = '', field = '', name = '', version, expected) => {
  const scheme = combined(LINKING[schemes]?.() ?? [], DEFAULTED)
  const routes = schemes === 'namespace' ? inNamespaces : inPath
  const headers = { host: 'localhost', ...(field !== '-' && { 'x-api-version': field }) }
  const link = version === '-' ? {} : { version, absolute: schemes.startsWith('host') }
  expect(linkOf({ scheme, routes }, url, headers, name, link)).toBe(expected)
})

test('a link to another version leaves out a query parameter whose texts are no versions', () => {
  const parseVersion = (text: string) => ({ v1: '1', v2: '2' })[text]
  const scheme = combined([path(), query({ parseVersion })], { allowedVersions: ['1', '2'], defaultVersion: '1' })
  const link = { version: '2', query: { version: 'v1', page: 2 } }
  expect(linkOf({ scheme, routes: inPath }, '/1/users', {}, 'in-path:users', link)).toBe('/2/users?page=2')
})

test('links of one scheme to several versions', () => {
  const { req } = run(versioning({ scheme: query(), routes: users() }), { url: '/?version=v1' })
  const made = ['v1', 'v2', 'v1'].map((version) => req.reverse('users', { version }))
  expect(made).toEqual(['/users?version=v1', '/users?version=v2', '/users?version=v1'])
  expect(req.reverse('users', { hash: 'top' })).toBe('/users?version=v1#top')
})

test('a scheme that is asked by hand says which name gave no link', () => {
  const scheme = namespace(LISTED)
  const { req } = run(versioning({ scheme, routes: inNamespaces }), { url: '/v1/users' })
  const message = 'No link: "v1:b" is not the name of a route.'
  expect(() => scheme.reverse('b', { request: req })).toThrow(new NoReverseMatch(message))
})

const inHeader = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })
const inAccept = (value: string) => inHeader('Accept', value)
const inPlace = (place: VersionCarrier['in']) => ({ in: place, value: 'v1' })
const json = 'application/json; version='
test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined, unfit?: string[]]>([
  [header({ header: 'V' }), inHeader('V', 'v1'), ['', 'v1,v2', ',', ' v1', 'v1\t', 'v\n1', 'v\x7f']],
  [accept({ mediaTypes: ['text/html', 'text/csv'] }), inAccept('text/html; version=v1')],
  [accept(), inAccept(`${json}v1`), ['v\u20ac', 'v\n1', 'v\x7f', 'v'.repeat(999), '"'.repeat(499)]],
  [vendor(), inAccept('application/vnd.acme.v1+json'), ['', 'v 1', 'v/1']],
  [vendor(['a/b.{version}', 'a/b.c.{version}+json']), inAccept('a/b.v1'), ['c.v1+json']],
  [query({ versionParam: 'v' }), { name: 'v', ...inPlace('query') }, ['\ud800', 'v\udc00']],
  [path({ versionParam: 'v' }), { name: 'v', ...inPlace('path') }, ['', '..', 'v\n', '\ud800']],
  [namespace(), inPlace('namespace'), ['', 'a:b', ':']],
  [namespace({ ignore: ['v1'] }), undefined],
  [host(), inPlace('host'), ['', 'v.1', 'v-1', 'v\xe9']],
  [host({ ignore: ['V1'] }), undefined],
  [host({ hostnamePattern: /^(v\d)\./ }), undefined],
  [new (class extends BaseVersioning {})(), undefined],
])('%#: what a scheme carries, and what it cannot', (scheme, carrier, unfit = []) => {
  expect([scheme.carry('v1'), scheme.carriers('v1')]).toEqual([carrier, carrier === undefined ? [] : [carrier]])
  for (const version of unfit) expect([version, scheme.carry(version)]).toEqual([version, undefined])
})

test('Accept quotes what is no token, up to 1,024 characters', () => {
  const [word, quotes] = ['v'.repeat(998), '"'.repeat(498)]
  const texts = { '': '""', ' v1\t': '" v1\t"', 'a,b;q=0': '"a,b;q=0"', 'a"b': '"a\\"b"', [word]: word }
  for (const [version, value] of Object.entries(texts)) expect(accept().carry(version)).toEqual(inAccept(json + value))
  expect(accept().carry(quotes)).toBeDefined()
})

test('a version that parseVersion takes for another one, or for none, has no carrier', () => {
  const parseVersion = (text: string) => ({ v1: '1', '1': '2', '3': '3' })[text]
  const settings = { allowedVersions: ['1', '2', '3'], parseVersion }
  for (const make of [header, accept, query, path, namespace, host, (given: object) => vendor('a/{version}', given)]) {
    const scheme = make(settings)
    // The client sends the disallowed v1 unchanged, and the server refuses it.
    const found = ['1', '2', '3', 'v1'].map((version) => scheme.carry(version)?.in)
    expect(found).toEqual([undefined, undefined, scheme.carriedIn, scheme.carriedIn])
  }
  // Another scheme of a combination reads it as it is.
  const scheme = combined([header({ parseVersion }), query()], { allowedVersions: ['1', '3'] })
  const inQuery = (value: string) => ({ in: 'query', name: 'version', value })
  expect(scheme.carry('1')).toEqual(inQuery('1'))
  expect(scheme.carriers('3')).toEqual([inHeader('X-API-Version', '3'), inQuery('3')])
})
