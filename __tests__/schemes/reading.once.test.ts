import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { rows, text } from '../support/rows'
import { deciding, tableOf } from '../support/schemes'

// What each scheme reads from a request. The contract suite shows what schemes have in common.

const FREE = { defaultVersion: 'v1' }
const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const IN_ACCEPT = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "Accept" header.'
const IN_HEADER = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.'
const IN_HOST = '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.'
const IN_PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const UNSATISFIED = '406 ERR_VERSION_NOT_ACCEPTABLE Could not satisfy the request Accept header.'

/** Reads the column of an outcome, where a refusal has one text. */
function told(column: string, refusal: string): string | null {
  if (column === 'none') return null
  if (column === 'refused') return refusal
  return column === 'unsatisfied' ? UNSATISFIED : text(column)
}

/** Declares a test for each row: the version, then requests that name it, each a URL or the value of a header. */
const reads = (options: VersioningOptions, header: string | undefined, refusal: string) => (table: string) => {
  const decide = deciding(options)
  test.each(rows(table))(`${header ?? 'url'} reads as %s: %s`, async (version = '', ...requests) => {
    for (const request of requests.map(text)) {
      const found = header === undefined ? decide(request) : decide('/', { [header]: request })
      expect([request, await found]).toEqual([request, told(version, refusal)])
    }
  })
}

describe('HeaderVersioning', () => {
  reads(
    { scheme: HeaderVersioning, ...FREE },
    'X-API-Version',
    IN_HEADER,
  )(String.raw`
    v2      | v2 | \x20\x09v2 \x09\x20 | v2,v2 ,\x09v2
    V2      | V2
    "v2"    | "v2"
    v2;q=1  | v2;q=1
    // Whitespace is SP and HTAB alone (RFC 9110, section 5.6.3).
    \xa0v2  | \xa0v2 | \x20\xa0v2
    v2\xa0  | v2\xa0
    // An empty field is not there.
    v1      | '' | \x20\x09\x20 | \x20, ,
    // Several lines are one version if they are equal.
    refused | v1, v2 | v2,V2 | v2, | ,v2 | v2, \xa0v2`)

  test('long values cost no time', async () => {
    const started = performance.now()
    const decide = (value: string) => deciding({ scheme: HeaderVersioning })('/', { 'X-API-Version': value })
    const version = `v${' '.repeat(30_000)}1`
    expect(await decide(`${version}${' '.repeat(30_000)}`)).toBe(version)
    expect(await decide(`${Array(600).fill('v2').join()},v1`)).toBe(IN_HEADER)
    expect(performance.now() - started).toBeLessThan(100)
  })

  test.each(['Accept-Version', "!#$%&'*+.^`|~", 'constructor'])('%j is another header', async (name) => {
    const scheme = new HeaderVersioning({ header: name, ...LISTED })
    const decide = deciding({ scheme })
    expect([scheme.varyOn, await decide('/', { [name]: 'v2' })]).toEqual([[name], 'v2'])
    expect(await decide('/', { [name]: 'v3' })).toBe(IN_HEADER.replace('X-API-Version', name))
    expect([await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]).toEqual(['v1', 'v1'])
  })
})

describe('AcceptHeaderVersioning with media types', () => {
  class Fields extends AcceptHeaderVersioning {
    override mediaTypes = ['Application/JSON']
  }
  const mediaTypes = new Set(['Application/JSON'])
  for (const scheme of [new Fields(LISTED), new AcceptHeaderVersioning({ mediaTypes, ...LISTED })])
    reads(
      { scheme },
      'Accept',
      IN_ACCEPT,
    )(`
      v2          | application/json; version=v2
      refused     | application/json; version=v3 | application/json; version=
      unsatisfied | text/html; version=v2 | application/json; q=0
      v1          | text/html; version=v2, */*; q=0.1`)

  test('the error for unsatisfied headers has the accepted versions', () => {
    const reading = () => new Fields(LISTED).readVersion({ headers: { accept: 'text/html' } } as never)
    expect(reading).toThrow(expect.objectContaining({ status: 406, allowedVersions: ['v1', 'v2'] }))
  })
})

describe('MediaTypeVersioning', () => {
  test.each(
    rows(`
    application/vnd.acme.{version}+json  | v1 | '' | */* | application/* | application/vnd.acme.v2+xml
    application/vnd.acme.{version}+json  | v1 | text/html;x="application/vnd.acme.v2+json"
    application/vnd.acme.{version}+json  | v1 | application/vnd.acme.v2+json;q=0, */*
    application/vnd.acme.{version}+json  | v2 | \\x20application/vnd.acme.v2+json ;q=0.5 | application/vnd.acme.v2+json;a=b
    // The type is case-insensitive, the version is not.
    application/vnd.acme.{version}+json  | V2-b | APPLICATION/VND.Acme.V2-b+JSON
    Application/Vnd.ACME.{version}+JSON  | v2 | application/vnd.acme.v2+json
    application/vnd.acme.{version}+json  | refused | application/vnd.acme.v v+json
    // Weights decide, then the order.
    application/vnd.acme.{version}+json  | v3 | application/vnd.acme.v2+json;q=0.1, application/vnd.acme.v3+json;q=0.2
    application/vnd.acme.{version}+json  | v2 | text/html, application/vnd.acme.v2+json;q=0.1, application/vnd.acme.v3+json;q=0.1
    application/{version}.vnd.acme+json  | v2 | application/v2.vnd.acme+json
    application/vnd.a+b.{version}        | v2 | application/vnd.a+b.v2
    text/{version}                       | v1 | text/*
    // Longer templates come first.
    text/{version} text/{version}+json   | v2 | text/v2+json
    text/{version}+json text/{version}   | v2+xml | text/v2+xml
    text/x{version}x text/{version}      | x | text/x`),
  )('%s reads %s: %s', async (templates = '', version = '', ...accepts) => {
    const decide = deciding({ scheme: new MediaTypeVersioning({ template: templates.split(' '), ...FREE }) })
    const expected = told(version, IN_ACCEPT)
    for (const accept of accepts.map(text)) expect([accept, await decide('/', { accept })]).toEqual([accept, expected])
    expect(await decide('/')).toBe('v1')
  })
})

describe('HostNameVersioning', () => {
  reads(
    { scheme: new HostNameVersioning({ allowedVersions: ['v1', 'V3', '127'], defaultVersion: 'standard' }) },
    'Host',
    IN_HOST,
  )(`
    v1       | v1.example.com | v1.EXAMPLE.com:8080 | v1.example.com:80:90 | v1.example.com: | v1.example.com.:8080
    refused  | v2.example.com | V1.example.com | 1.2.3 | v2.example.com. | v1.example.com..
    // A host that does not match is refused if its first label is an accepted version.
    refused  | v1.my-shop.com | V1.my-shop.com:8080 | v1.my-shop.com. | v1.api.example.com | v1 | v1.example.com/x
    refused  | 127.my-shop.com | standard.my-shop.com | v3.my-shop.com
    // Any other one gets the default, unchecked.
    standard | '' | v9.my-shop.com | localhost:8080 | .v1.example.com | v_1.example.com | 127.0.0.1:8080
    standard | [::1]:8080 | user@v1.example.com | :8080 | v%31.example.com`)

  const PATTERNS: Record<string, RegExp> = {
    api: /^api-(\w+)\./,
    digit: /^(v\d)\./,
    optional: /^(?:x-(v\d))?/,
    insensitive: /^(v\d+)\./i,
    empty: /^(\w*)\.example\.com$/,
    named: /^(?<version>v\d)\.(?<rest>.*)$/,
  }
  const SETTINGS = { none: {}, FREE, LISTED, v1: { allowedVersions: ['v1'] }, null: { allowedVersions: [null] } }
  const parseVersion = (text: string) => `v${text}`
  test.each(
    rows(`
    // settings | pattern | ignored | host | version
    none   | default     | -   | v2.my-shop.com       | none
    FREE   | default     | -   | v2.my-shop.com       | v1
    v1     | default     | -   | localhost            | none
    null   | default     | -   | v2.my-shop.com       | none
    LISTED | api         | -   | v2.example.com       | refused
    LISTED | digit       | -   | v2.my-shop.com.      | v2
    LISTED | optional    | -   | v2.my-shop.com       | v1
    none   | insensitive | -   | V12.api.eu.acme.com  | V12
    none   | empty       | -   | .example.com         | ''
    none   | named       | -   | v1.example.com       | v1
    // Texts in the version's place are compared by their parser.
    parsed | default     | -   | v2.my-shop.com       | refused
    parsed | default     | -   | 2.my-shop.com        | v1
    // Ignored labels are no versions, in any letter case.
    LISTED | default     | V2  | v2.my-shop.com       | v1
    LISTED | default     | www | WWW.example.com:8080 | v1
    LISTED | default     | www | wwww.example.com     | refused
    LISTED | api         | www | api-www.example.com  | v1
    LISTED | api         | api | api-www.example.com  | refused`),
  )(
    'settings %s, pattern %s, ignored %s, %s: %s',
    async (...[settings = '', pattern = '', name, host = '', version = '']) => {
      const given = settings === 'parsed' ? { ...LISTED, parseVersion } : SETTINGS[settings as 'FREE']
      const ignore = name === '-' ? undefined : [name as string]
      class Fields extends HostNameVersioning {
        override hostnamePattern = PATTERNS[pattern] ?? new HostNameVersioning().hostnamePattern
        override ignore = ignore
      }
      const expected = told(version, IN_HOST)
      const scheme = new HostNameVersioning({ ...given, hostnamePattern: PATTERNS[pattern], ignore })
      for (const one of [scheme, new Fields(given)])
        expect(await deciding({ scheme: one })('/', { host })).toBe(expected)
    },
  )
})

const MANY = Array.from({ length: 1500 }, (_, index) => `p${index}=${index}`).join('&')
// __tests__/http/query.once.test.ts compares any query with URLSearchParams.
reads(
  { scheme: QueryParameterVersioning },
  undefined,
  '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.',
)(`
  none      | / | /?version[]=v2&version[a]=v2&Version=v2&version.a=v2&version%20=v2 | /#?version=v1
  v1        | /?page=2&version=v1&size=3 | /?%76ersion=%761&version=v1
  1 0+0     | /?version=1+0%2B0
  ''        | /?version
  refused   | /?version=v1&version=V1 | /?version=v1&${MANY}&version=v2`)

describe('URLPathVersioning', () => {
  const routes = tableOf((version) => ({ params: { version } }))
  test.each<[url: string, params: object | undefined, version: string]>([
    ['/v1/items#x', {}, 'v1'],
    ['http://example.com/v2/items', {}, 'v2'],
    ['/v3/items', {}, IN_PATH],
    ['/items', {}, 'v1'],
    ['/v2/nothing', {}, 'v1'],
    // Express's own parameter goes before the table's. Express 4 writes undefined for one that is not there.
    ['/v1/items', { version: 'v2' }, 'v2'],
    ['/v2/items', { version: undefined }, 'v2'],
    ['/items', { version: null }, 'v1'],
    // The list of a wildcard is not a version.
    ['/items', { version: ['v1'] }, IN_PATH],
    // In a plain server, the table alone says the version.
    ['/v2/items', undefined, 'v2'],
  ])('%s, %j: %p', async (url, params, version) => {
    const decide = deciding({ scheme: URLPathVersioning, ...LISTED, routes })
    expect(await decide(url, {}, { params } as never)).toBe(version)
  })

  test('a parameter of the prototype is not read', async () => {
    expect(await deciding({ scheme: URLPathVersioning, versionParam: 'toString' })('/')).toBe(null)
  })
})

describe('NamespaceVersioning', () => {
  const refusal = `${IN_PATH} Does not match any version namespace.`
  test.each(
    rows(`
    // namespaces | with a list | ignoring admin, api and V1 | ignoring those without a list
    ''       | v1      | v1      | none
    v2       | v2      | v2      | v2
    v9       | refused | refused | v9
    admin    | refused | v1      | none
    api:v2   | v2      | v2      | v2
    v2:v1    | v2      | v2      | v2
    api:v9   | refused | refused | v9
    v9:v2    | v2      | v2      | v9
    V1       | refused | v1      | none
    // Namespaces are compared exactly.
    Admin    | refused | refused | Admin
    toString | refused | refused | toString`),
  )('%s: %s, %s, %s', async (column = '', ...expected) => {
    const namespace = text(column)
    const namespaces = namespace === '' ? [] : namespace.split(':')
    const routes = tableOf(() => ({ namespace, namespaces }))
    const ignore = ['admin', 'api', 'V1']
    class Fields extends NamespaceVersioning {
      override ignore = ignore
    }
    const decided = (scheme: BaseVersioning) => deciding({ scheme, routes })('/items')
    const [listed, ignoring, free] = expected.map((outcome) => told(outcome, refusal))
    expect(await decided(new NamespaceVersioning(LISTED))).toBe(listed)
    expect(await decided(new NamespaceVersioning({ ...LISTED, ignore: ignore.values() }))).toBe(ignoring)
    expect([await decided(new Fields(LISTED)), await decided(new Fields())]).toEqual([ignoring, free])
  })

  const users = () => namedRoutes({ 'user-list': '/users' })
  const routes = namedRoutes({ home: '/', about: '/about' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v9', users(), { namespace: 'v9' })
    .include('/shop', namedRoutes({}).include('/v2', users(), { namespace: 'v2' }), { namespace: 'shop' })
  reads(
    { scheme: NamespaceVersioning, ...LISTED, routes },
    undefined,
    refusal,
  )(`
    v1      | /about | /V1/users/ | /nothing
    // Unknown paths below a prefix have its namespaces.
    v2      | /shop/v2/users | /shop/v2/nothing
    refused | /v9/users | /shop/nothing`)
})
