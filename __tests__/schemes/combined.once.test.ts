import type { Request } from 'express'
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
import { decide, deciding } from '../support/schemes'
import { serve } from '../support/serve'

/** The refusals, as the tables call them. */
const REFUSALS: Record<string, string> = {
  CONFLICT: '400 ERR_VERSION_CONFLICT Conflicting versions in request.',
  HEADER: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.',
  QUERY: '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.',
  NAMESPACE: '404 ERR_VERSION_NOT_FOUND Invalid version in URL path. Does not match any version namespace.',
  HOST: '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.',
  CUSTOM: '404 ERR_VERSION_NOT_FOUND Invalid version.',
  NO_STRING: 'TypeError Told: a version is a string; got 2.',
}
/** Returns the outcome that a column names. `no HEADER`: the refusal of a request that names no version at all. */
const told = (column = ''): string | undefined =>
  column.startsWith('no ')
    ? told(column.slice(3))?.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')
    : (REFUSALS[column] ?? column)
const field = (name: string, value = '-', before = '') => (value === '-' ? {} : { [name]: before + value })

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }
const header = (name?: string) => new HeaderVersioning({ header: name })
const query = () => new QueryParameterVersioning()
const combined = (...schemes: BaseVersioning[]) => new CombinedVersioning({ schemes })

/** A scheme that overrides `determineVersion` alone. */
class Told extends BaseVersioning {
  constructor(readonly says: () => unknown) {
    super()
  }
  override determineVersion = () => this.says() as string | null
}

test.each(
  rows(`
  // url                   | header | Accept | rejecting | by the first
  /                        | -      | -      | v1        | v1
  /                        | v2     | -      | v2        | v2
  /                        | -      | v2     | v2        | v2
  /?version=v2             | v2     | v2     | v2        | v2
  // Two different versions conflict, also if one is the default.
  /?version=v2             | v1     | -      | CONFLICT  | v1
  /?version=v2             | -      | v1     | CONFLICT  | v2
  // Each is checked before they are compared.
  /                        | v3     | -      | HEADER    | HEADER
  /?version=v3             | v1     | -      | QUERY     | v1
  /?version=v1&version=v2  | v1     | -      | QUERY     | v1
  // An empty field is not there.
  /?version=v2             | ,      | -      | v2        | v2`),
)('header, query and Accept: %s, %s, %s: %s, by the first %s', async (url, value, accept, reject, first) => {
  const headers = { ...field('X-API-Version', value), ...field('Accept', accept, 'application/json; version=') }
  const found = ([undefined, 'reject', 'first'] as const).map((onConflict) => {
    const schemes = [header(), query(), new AcceptHeaderVersioning()]
    return decide(new CombinedVersioning({ schemes, onConflict, ...DEFAULTED }), url, headers)
  })
  expect(await Promise.all(found)).toEqual([reject, reject, first].map(told))
})

test.each<[refusal: string, first: () => BaseVersioning]>([
  ['HEADER', header],
  ['HOST', () => new HostNameVersioning()],
  ['CUSTOM', () => new Told(() => null)],
  ['HEADER', () => combined(header())],
])('no version named: the combination refuses as its first scheme does: %s', async (refusal, first) => {
  for (const [settings, expected] of [
    [{}, null],
    [LISTED, told(`no ${refusal}`)],
    [{ ...LISTED, defaultVersion: 'v9' }, 'v9'],
    [{ allowedVersions: ['v1', null] }, null],
  ] as const)
    expect(await decide(new CombinedVersioning({ schemes: [first(), query()], ...settings }))).toBe(expected)
})

const users = () => namedRoutes({ users: '/users' })
const admin = users().include('/v2', users(), { namespace: 'v2' })
const spaces = namedRoutes({})
  .include('/v1', users(), { namespace: 'v1' })
  .include('/admin', admin, { namespace: 'admin' }) as RouteRegistry
test.each(
  rows(`
  // place         | header | nothing ignored | admin and www ignored | and with a default
  /admin/users     | -      | NAMESPACE       | no NAMESPACE          | v1
  /admin/users     | v2     | NAMESPACE       | v2                    | v2
  /admin/users     | v3     | NAMESPACE       | HEADER                | HEADER
  /v1/users        | v2     | CONFLICT        | CONFLICT              | CONFLICT
  /admin/v2/users  | -      | v2              | v2                    | v2
  /elsewhere       | v2     | v2              | v2                    | v2
  www.example.com  | -      | HOST            | no HOST               | v1
  www.example.com  | v2     | HOST            | v2                    | v2
  v1.example.com   | v2     | CONFLICT        | CONFLICT              | CONFLICT
  // A host that does not match its pattern is refused if it begins with a version.
  v2.my-shop.com   | v1     | HOST            | HOST                  | HOST`),
)('a place beside a header: %s, %s: %s, ignored %s, with a default %s', async (place = '', value, ...expected) => {
  const [url, host] = place.startsWith('/') ? [place] : ['/', place]
  const headers = { ...(host !== undefined && { host }), ...field('X-API-Version', value) }
  const decided = (settings: object, ignore?: string[]) => {
    const reader = host === undefined ? new NamespaceVersioning({ ignore }) : new HostNameVersioning({ ignore })
    const scheme = new CombinedVersioning({ schemes: [reader, header()], ...settings })
    return deciding({ scheme, routes: spaces })(url, headers)
  }
  const ignore = ['admin', 'www']
  const found = [decided(LISTED), decided(DEFAULTED), decided(LISTED, ignore), decided(DEFAULTED, ignore)]
  expect(await Promise.all(found)).toEqual([expected[0], ...expected].map(told))
})

test('the first chooses among carriers, of which the later ones are not read, but never against the route', async () => {
  const schemes = [header(), new HostNameVersioning()]
  const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...LISTED })
  for (const host of ['www.example.com', 'v1.example.com'])
    expect(await decide(scheme, '/', { host, 'X-API-Version': 'v2' })).toBe('v2')
  const routes = namedRoutes({ item: '/:version/item' })
  routes.route('item').get((req, res) => void res.json(req.version))
  const routed = [header(), new URLPathVersioning()]
  const first = new CombinedVersioning({ schemes: routed, onConflict: 'first', ...LISTED })
  const server = await serve((app) => app.use(versioning({ scheme: first, routes }), routes))
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
      [combined(one()), header()],
    ]) {
      const decide = deciding({ scheme: new CombinedVersioning({ schemes, ...DEFAULTED }) })
      const found = [await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]
      expect([value, ...found]).toEqual([value, told(alone), told(beside)])
    }
  }
})

test('by hand, promises are of the platform, the first may decide, and the combination requires a version', async () => {
  const request = { url: '/', headers: {} } as Request
  const determined = combined(new Told(async () => 'v2')).determineVersion(request, [], {})
  expect(determined).toBeInstanceOf(Promise)
  expect(await determined).toBe('v2')
  const schemes = [new Told(() => 'v1'), new URLPathVersioning()]
  expect(new CombinedVersioning({ schemes, onConflict: 'first' }).determineVersion(request, [], {})).toBe('v1')
  const part = header()
  new CombinedVersioning({ schemes: [part], ...LISTED })
  expect([null, 'v1', 'v3'].map((version) => part.isAllowedVersion(version))).toEqual([true, true, false])
})

test('a combination within one has a rule of its own', async () => {
  const inner = new CombinedVersioning({ schemes: [header('A'), header('B')], onConflict: 'first' })
  const decide = deciding({ scheme: new CombinedVersioning({ schemes: [inner, header('C')], ...DEFAULTED }) })
  for (const [headers, expected] of [
    [{ A: 'v1', B: 'v2', C: 'v1' }, 'v1'],
    [{ A: 'v1', C: 'v2' }, told('CONFLICT')],
    [{ B: 'v3', C: 'v3' }, told('HEADER')?.replace('X-API-Version', 'B')],
  ] as const)
    expect([headers, await decide('/', headers)]).toEqual([headers, expected])
})

const tenant = Object.assign(new Told(() => 'v1'), { varyOn: () => ['X-Tenant', 'X-API-Version'] })
test.each<[schemes: BaseVersioning[], varyOn: string[], statuses: number[], onConflict: 'reject' | 'first']>([
  [[header(), new AcceptHeaderVersioning()], ['X-API-Version', 'Accept'], [406, 400], 'reject'],
  [[header(), query()], ['X-API-Version'], [406, 404], 'first'],
  [[query(), header(), header()], ['X-API-Version'], [404, 406, 400], 'reject'],
  [[header()], ['X-API-Version'], [406], 'reject'],
  [[new HostNameVersioning(), header()], ['X-API-Version'], [404, 400, 406], 'first'],
  [[header(), tenant], ['X-API-Version', 'X-Tenant'], [406, 404, 400], 'reject'],
])('%#: its Vary and its statuses are those of its schemes', (schemes, varyOn, statuses, onConflict) => {
  const scheme = new CombinedVersioning({ schemes, onConflict })
  expect(typeof scheme.varyOn === 'function' ? scheme.varyOn({} as Request) : scheme.varyOn).toEqual(varyOn)
  expect(scheme.refusalStatuses).toEqual(statuses)
})

test('its schemes have no settings of their own, are part of one combination, once, and their fields are checked', () => {
  const [defaulted, nullable] = [{ defaultVersion: 'v1' }, { allowedVersions: [null] }]
  for (const part of [
    new HeaderVersioning(defaulted),
    new HeaderVersioning(nullable),
    Object.assign(header(), defaulted),
  ])
    expect(() => combined(new URLPathVersioning(), part)).toThrow(
      new TypeError(
        'HeaderVersioning: "defaultVersion" and "allowedVersions" belong to the combination; set them there.',
      ),
    )
  const error = new TypeError('HeaderVersioning: this instance is already part of a combination.')
  const [shared, twice] = [header(), header()]
  combined(shared)
  for (const schemes of [[shared], [twice, twice]]) expect(() => combined(...schemes)).toThrow(error)
  const wrong = Object.assign(new HostNameVersioning(), { hostnamePattern: /v/g })
  const compiling = () => versioning({ scheme: combined(header(), wrong) })
  expect(compiling).toThrow('HostNameVersioning: option "hostnamePattern" takes')
  const template = 'application/vnd.acme.{version}+json'
  expect(() => versioning({ scheme: combined(new MediaTypeVersioning({ template }), header()) })).not.toThrow()
})

test.each(
  rows(`
  // its parser once, a scheme's own, not its own behind that, the text of a version, two texts of one, two versions
  /             | 1  | v1
  /?version=1.0 | -  | v1
  /?version=1   | -  | QUERY
  /             | v1 | HEADER
  /?version=1.0 | 1  | v1
  /?version=2.0 | 1  | CONFLICT`),
)('parseVersion of a combination: %s, %s: %s', async (url, value, expected) => {
  const majors = (text: string) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
  const schemes = [header(), new QueryParameterVersioning({ parseVersion: majors })]
  const scheme = new CombinedVersioning({ schemes, ...LISTED, parseVersion: (text) => `v${text}` })
  expect(await decide(scheme, url, field('X-API-Version', value))).toBe(told(expected))
})

// Links whose version stands in the host, links of combinations, and `carry()`: how a client names a version.

const path = () => new URLPathVersioning()

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
