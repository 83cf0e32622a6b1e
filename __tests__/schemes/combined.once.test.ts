import type { Request } from 'express'
import {
  BaseVersioning,
  type LinkOptions,
  MediaTypeVersioning,
  NoReverseMatch,
  namedRoutes,
  type RouteRegistry,
  type VersionCarrier,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'
import { rows } from '../support/rows'
import { accept, combined, deciding, header, host, namespace, path, query, vendor } from '../support/schemes'
import { serve } from '../support/serve'

/** The outcomes, as the tables call them. */
const OUTCOMES: Record<string, string | null> = {
  none: null,
  CONFLICT: '400 ERR_VERSION_CONFLICT Conflicting versions in request.',
  HEADER: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.',
  ACCEPT: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "Accept" header.',
  QUERY: '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.',
  NAMESPACE: '404 ERR_VERSION_NOT_FOUND Invalid version in URL path. Does not match any version namespace.',
  HOST: '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.',
  CUSTOM: '404 ERR_VERSION_NOT_FOUND Invalid version.',
  NO_STRING: 'TypeError Told: a version is a string; got 2.',
}
/** Returns the outcome that a column names. `no HEADER`: the refusal of a request that names no version at all. */
const told = (column = ''): string | null | undefined =>
  column.startsWith('no ')
    ? told(column.slice(3))?.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')
    : column in OUTCOMES
      ? OUTCOMES[column]
      : column

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }
const FIRST = { onConflict: 'first' } as const
const IGNORE = { ignore: ['admin', 'www'] }

/** A scheme that overrides `determineVersion` alone. */
class Told extends BaseVersioning {
  constructor(readonly says: () => unknown) {
    super()
  }
  override determineVersion = () => this.says() as string | null
}

const majors = (text: string) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
const COMBINATIONS: Record<string, () => BaseVersioning> = {
  three: () => combined([header(), query(), accept()], { onConflict: 'reject', ...DEFAULTED }),
  first: () => combined([header(), query(), accept()], { ...FIRST, ...DEFAULTED }),
  inner: () => combined([combined([header(), accept()], FIRST), query()], DEFAULTED),
  parsing: () => combined([header(), query({ parseVersion: majors })], { ...LISTED, parseVersion: (one) => `v${one}` }),
  listed: () => combined([header(), query()], LISTED),
  nested: () => combined([combined([header()]), query()], LISTED),
  custom: () => combined([new Told(() => null), query()], LISTED),
  nullable: () => combined([header(), query()], { allowedVersions: ['v1', null] }),
  other: () => combined([header(), query()], { ...LISTED, defaultVersion: 'v9' }),
  any: () => combined([host(), query()]),
  spaces: () => combined([namespace(), header()], LISTED),
  ignoring: () => combined([namespace(IGNORE), header()], LISTED),
  defaulting: () => combined([namespace(IGNORE), header()], DEFAULTED),
  hosts: () => combined([host(), header()], LISTED),
  firstOfHosts: () => combined([header(), host()], { ...FIRST, ...LISTED }),
  ignoringHosts: () => combined([host(IGNORE), header()], DEFAULTED),
}
const FIELDS: Record<string, string> = { X: 'x-api-version', A: 'accept', H: 'host' }
const users = () => namedRoutes({ users: '/users' })
const admin = users().include('/v2', users(), { namespace: 'v2' })
const spaces = namedRoutes({}).include('/v1', users(), { namespace: 'v1' })
spaces.include('/admin', admin, { namespace: 'admin' })

test.each(
  rows(`
  // X is X-API-Version, A is the version in Accept, and H is Host.
  three         | /                       | v1
  three         | / X=v2                  | v2
  three         | / A=v2                  | v2
  three         | /?version=v2 X=v2 A=v2  | v2
  // Two different versions conflict, also if one is the default. Each is checked before they are compared.
  three         | /?version=v2 X=v1       | CONFLICT
  three         | / X=v3                  | HEADER
  three         | /?version=v3 X=v1       | QUERY
  // An empty field is not there.
  three         | /?version=v2 X=,        | v2
  first         | /                       | v1
  first         | /?version=v2 A=v1       | v2
  first         | /?version=v1 X=v3       | HEADER
  first         | /?version=v3 X=v1       | v1
  inner         | /?version=v1 X=v1 A=v2  | v1
  inner         | /?version=v2 X=v1       | CONFLICT
  inner         | /?version=v3 A=v3       | ACCEPT
  // The parser of the combination, that of a scheme, the text of a version, and two texts of one or of two versions
  parsing       | / X=1                   | v1
  parsing       | /?version=1.0           | v1
  parsing       | /?version=1             | QUERY
  parsing       | / X=v1                  | HEADER
  parsing       | /?version=1.0 X=1       | v1
  parsing       | /?version=2.0 X=1       | CONFLICT
  // Without a version, a combination refuses as its first scheme does.
  listed        | /                       | no HEADER
  nested        | /                       | no HEADER
  custom        | /                       | no CUSTOM
  nullable      | /                       | none
  other         | /                       | v9
  any           | /                       | none
  // A place that is no version is refused, unless it is ignored.
  spaces        | /admin/users            | NAMESPACE
  spaces        | /admin/users X=v2       | NAMESPACE
  spaces        | /v1/users X=v2          | CONFLICT
  spaces        | /admin/v2/users         | v2
  spaces        | /elsewhere X=v2         | v2
  ignoring      | /admin/users            | no NAMESPACE
  ignoring      | /admin/users X=v2       | v2
  ignoring      | /admin/users X=v3       | HEADER
  defaulting    | /admin/users            | v1
  hosts         | / H=www.example.com X=v2 | HOST
  hosts         | / H=v1.example.com X=v2 | CONFLICT
  hosts         | / H=localhost           | no HOST
  firstOfHosts  | / H=v1.example.com X=v2 | v2
  firstOfHosts  | / H=www.example.com X=v2 | v2
  ignoringHosts | / H=www.example.com     | v1
  ignoringHosts | / H=www.example.com X=v2 | v2
  // A host that does not match its pattern is refused if it begins with a version.
  ignoringHosts | / H=v2.my-shop.com X=v1 | HOST`),
)('%s: %s: %s', async (name = '', asked = '', expected) => {
  const [url, ...fields] = asked.split(' ')
  const sent = fields.map((field) => [FIELDS[field.slice(0, 1)], field.slice(2)] as const)
  const headers = Object.fromEntries(sent)
  if (headers.accept !== undefined) headers.accept = `application/json; version=${headers.accept}`
  const scheme = COMBINATIONS[name]?.() as BaseVersioning
  expect(await deciding({ scheme, routes: spaces as RouteRegistry })(url, headers)).toBe(told(expected))
})

test('the first chooses among carriers, but never against the route', async () => {
  const routes = namedRoutes({ item: '/:version/item' })
  routes.route('item').get((req, res) => void res.json(req.version))
  const scheme = combined([header(), path()], { ...FIRST, ...LISTED })
  const server = await serve((app) => app.use(versioning({ scheme, routes }), routes))
  const ask = (path: string) => server.get(path, { 'X-API-Version': 'v2' })
  expect(await ask('/v2/item')).toMatchObject({ status: 200, json: 'v2' })
  expect(await ask('/v1/item')).toMatchObject({ status: 404, json: { error: 'Invalid version in URL path.' } })
})

test.each<[way: string, (value: unknown) => unknown]>([
  ['says', (value) => value],
  ['promises', (value) => new Promise((done) => setTimeout(done, 1, value))],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  ['promises in its own way', (value) => ({ then: (done: (value: unknown) => void) => done(value) })],
])('a custom scheme %s its version, which is compared with that of a header', async (_way, way) => {
  for (const [value, alone, beside] of [
    ['v2', 'v2', 'v2'],
    ['v1', 'v1', 'CONFLICT'],
    [null, 'v1', 'v2'],
    [undefined, 'v1', 'v2'],
    ['v3', 'CUSTOM', 'CUSTOM'],
    [2, 'NO_STRING', 'NO_STRING'],
  ] as const) {
    const one = () => new Told(() => way(value))
    for (const schemes of [
      [one(), header()],
      [header(), one()],
      [combined([one()]), header()],
    ]) {
      const decide = deciding({ scheme: combined(schemes, DEFAULTED) })
      const found = [await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]
      expect([value, ...found]).toEqual([value, told(alone), told(beside)])
    }
  }
})

test('by hand, promises are of the platform, the first may decide, and the combination requires a version', async () => {
  const byHand = (schemes: BaseVersioning[], settings = {}) =>
    combined(schemes, settings).determineVersion({ url: '/', headers: {} } as Request, [], {})
  expect(byHand([new Told(async () => 'v2')])).toBeInstanceOf(Promise)
  expect(byHand([new Told(() => 'v1'), path()], FIRST)).toBe('v1')
  const part = header()
  combined([part], LISTED)
  expect([null, 'v1', 'v3'].map((version) => part.isAllowedVersion(version))).toEqual([true, true, false])
})

const tenant = Object.assign(new Told(() => 'v1'), { varyOn: () => ['X-Tenant', 'X-API-Version'] })
test.each<[schemes: BaseVersioning[], varyOn: string[], statuses: number[], settings?: object]>([
  [[header(), query()], ['X-API-Version'], [406, 404], FIRST],
  [
    [query(), header(), accept()],
    ['X-API-Version', 'Accept'],
    [404, 406, 400],
  ],
  [[header()], ['X-API-Version'], [406]],
  [[host(), header()], ['X-API-Version'], [404, 400, 406], FIRST],
  [
    [header(), tenant],
    ['X-API-Version', 'X-Tenant'],
    [406, 404, 400],
  ],
])('%#: its Vary and its statuses are those of its schemes', (schemes, varyOn, statuses, settings = {}) => {
  const scheme = combined(schemes, settings)
  expect(typeof scheme.varyOn === 'function' ? scheme.varyOn({} as Request) : scheme.varyOn).toEqual(varyOn)
  expect(scheme.refusalStatuses).toEqual(statuses)
})

const OWN = 'HeaderVersioning: "defaultVersion" and "allowedVersions" belong to the combination; set them there.'
test('its schemes have no settings of their own, are part of one combination, once, and their fields are checked', () => {
  const field = Object.assign(header(), { defaultVersion: 'v1' })
  for (const part of [header({ defaultVersion: 'v1' }), header({ allowedVersions: [null] }), field])
    expect(() => combined([path(), part])).toThrow(new TypeError(OWN))
  const [shared, twice] = [header(), header()]
  combined([shared])
  const error = new TypeError('HeaderVersioning: this instance is already part of a combination.')
  for (const schemes of [[shared], [twice, twice]]) expect(() => combined(schemes)).toThrow(error)
  const wrong = Object.assign(host(), { hostnamePattern: /v/g })
  const compiling = () => versioning({ scheme: combined([header(), wrong]) })
  expect(compiling).toThrow('HostNameVersioning: option "hostnamePattern" takes')
})

// Links whose version stands in the host, links of combinations, and `carry()`: how a client names a version.

/** The link, or the status and message of its error. `assigned` is another version, assigned by a handler. */
function linkOf(options: object, url: string, headers: object, name: string, link: object, assigned = '') {
  const { req, errors } = run(versioning(options as VersioningOptions), { url, headers } as { url: string })
  expect(errors).toEqual([])
  if (assigned !== '') req.version = assigned
  try {
    return req.reverse(name, link)
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return `${(error as NoReverseMatch).status} ${(error as Error).message}`
  }
}

const V2 = { version: 'v2' }
const NONE = { version: null }
const CANNOT = 'The host of this request cannot carry that version.'
const PUBLIC = 'https://v1.pub.com'
const HOSTS = { allowedHosts: ['v1.api.com', 'v2.api.com'] }
const WWW = { scheme: host(IGNORE) }
const pattern = (hostnamePattern: RegExp) => ({ scheme: host({ hostnamePattern }) })
const parseVersion = (text: string, versions: readonly string[]) => (text === 'latest' ? versions.at(-1) : text)
const PARSED = { ...LISTED, parseVersion }

test.each<[options: object, host: string, LinkOptions, link: string, assigned?: string]>([
  [{}, 'v1.api.com:8080', V2, 'http://v2.api.com:8080/users'],
  [{}, 'v1.api.com', NONE, 'http://api.com/users'],
  [{}, 'localhost', V2, '400 The host of this request has no place for a version.'],
  [{}, 'v1.api.com', { origin: 'https://b.com', ...V2 }, '500 The host of "origin" has no place for a version.'],
  [
    {},
    'x.b.c',
    { ...V2, absolute: false },
    '500 A link to another version changes the host, so it needs { absolute: true }.',
  ],
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
  const routes = (schemes === 'namespace' ? inNamespaces : inPath) as RouteRegistry
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

const inHeader = (name: string, value: string): VersionCarrier => ({ in: 'header', name, value })
const inAccept = (value: string) => inHeader('Accept', value)
const inPlace = (place: VersionCarrier['in']) => ({ in: place, value: 'v1' })
const json = 'application/json; version='
test.each<[scheme: BaseVersioning, carrier: VersionCarrier | undefined, unfit?: string[]]>([
  [header({ header: 'V' }), inHeader('V', 'v1'), ['', 'v1,v2', ',', ' v1', 'v1\t', 'v\n1', 'v\x7f']],
  [accept({ mediaTypes: ['text/html', 'text/csv'] }), inAccept('text/html; version=v1')],
  [accept(), inAccept(`${json}v1`), ['v\u20ac', 'v\n1', 'v\x7f', 'v'.repeat(999), '"'.repeat(499)]],
  [vendor(), inAccept('application/vnd.acme.v1+json'), ['', 'v 1', 'v/1']],
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
  const types = new MediaTypeVersioning({ template: 'a/{version}', ...settings })
  for (const make of [header, accept, query, path, namespace, host, (_: object) => types]) {
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
