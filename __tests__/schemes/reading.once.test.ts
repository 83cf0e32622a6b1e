import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  type HostNameSettings,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
} from 'express-versioning'
import { deciding, tableOf } from '../support/schemes'

// What each scheme reads from a request. The contract suite shows what schemes have in common.

/** The column of a refused request. */
const R = Symbol('refused')
type Outcome = string | null | typeof R

const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const FREE = { defaultVersion: 'v1' }
const IN_ACCEPT = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "Accept" header.'
const IN_HEADER = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.'
const IN_HOST = '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.'
const IN_QUERY = '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.'
const IN_PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const IN_NAMESPACE = `${IN_PATH} Does not match any version namespace.`

/** The outcome of a row, where a refusal has one text. */
const told = (outcome: Outcome, refusal: string) => (outcome === R ? refusal : outcome)

const LONG = ' '.repeat(30_000)
describe('HeaderVersioning', () => {
  // Repeated lines arrive joined by commas. The columns are without a list, and with v1 and v2. The default is v1.
  test.each<[free: Outcome, listed: Outcome, ...values: string[]]>([
    ['v2', 'v2', 'v2', ' \t v2 \t', `${LONG}v2`, `v2${LONG}`],
    ['V2', R, 'V2'],
    ['"v2"', R, '"v2"'],
    ['v2;q=1', R, 'v2;q=1'],
    // Whitespace is SP and HTAB alone (RFC 9110, section 5.6.3).
    ['\xa0v2', R, '\xa0v2', ' \xa0v2'],
    ['v2\xa0', R, 'v2\xa0'],
    // An empty field is not there.
    ['v1', 'v1', '', ' \t ', ' , ,'],
    // Several lines are one version if they are equal.
    ['v2', 'v2', 'v2,v2 ,\tv2', Array(600).fill('v2').join()],
    [R, R, 'v1, v2', 'v2,V2', 'v2,', ',v2', 'v2, \xa0v2', `${Array(600).fill('v2').join()},v1`],
  ])('%p, with a list %p: %j', async (free, listed, ...values) => {
    for (const value of values)
      for (const [settings, expected] of [
        [FREE, free],
        [LISTED, listed],
      ] as const) {
        const found = await deciding({ scheme: HeaderVersioning, ...settings })('/', { 'X-API-Version': value })
        expect([value, found]).toEqual([value, told(expected, IN_HEADER)])
      }
  })

  test('whitespace inside a version is its own, and costs no time', async () => {
    const started = performance.now()
    const version = `v${LONG}1`
    expect(await deciding({ scheme: HeaderVersioning })('/', { 'X-API-Version': version })).toBe(version)
    expect(performance.now() - started).toBeLessThan(100)
  })

  test.each(['Accept-Version', 'V', "!#$%&'*+.^`|~", 'constructor', 'toString'])(
    '%j is another header',
    async (name) => {
      const scheme = new HeaderVersioning({ header: name, ...LISTED })
      const decide = deciding({ scheme })
      expect([scheme.varyOn, await decide('/', { [name]: 'v2' })]).toEqual([[name], 'v2'])
      expect(await decide('/', { [name]: 'v3' })).toBe(IN_HEADER.replace('X-API-Version', name))
      expect([await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]).toEqual(['v1', 'v1'])
    },
  )
})

describe('AcceptHeaderVersioning', () => {
  const UNSATISFIED = '406 ERR_VERSION_NOT_ACCEPTABLE Could not satisfy the request Accept header.'
  // __tests__/http/accept.once.test.ts shows more headers. The columns are without and with `mediaTypes`.
  test.each<[accept: string | undefined, any: string, listed: string]>([
    [undefined, 'v1', 'v1'],
    ['application/json; version=v2', 'v2', 'v2'],
    ['application/json; version=v3', IN_ACCEPT, IN_ACCEPT],
    ['application/json; version=', IN_ACCEPT, IN_ACCEPT],
    ['text/html; version=v2', 'v2', UNSATISFIED],
    ['text/html; version=v2, */*; q=0.1', 'v2', 'v1'],
    ['application/json; q=0', 'v1', UNSATISFIED],
  ])('%j', async (accept, any, listed) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    expect(await deciding({ scheme: AcceptHeaderVersioning, ...LISTED })('/', headers)).toBe(any)
    class Fields extends AcceptHeaderVersioning {
      override mediaTypes = ['Application/JSON']
    }
    expect(await deciding({ scheme: Fields, ...LISTED })('/', headers)).toBe(listed)
    const scheme = new AcceptHeaderVersioning({ mediaTypes: new Set(['Application/JSON']), ...LISTED })
    expect(await deciding({ scheme })('/', headers)).toBe(listed)
  })

  test('the error for unsatisfied headers has the accepted versions', () => {
    const scheme = new AcceptHeaderVersioning({ mediaTypes: ['a/b'], ...LISTED })
    const reading = () => scheme.readVersion({ headers: { accept: 'text/html' } } as never)
    expect(reading).toThrow(expect.objectContaining({ status: 406, allowedVersions: ['v1', 'v2'] }))
  })
})

describe('MediaTypeVersioning', () => {
  const ACME = 'application/vnd.acme.{version}+json'
  const V2 = 'application/vnd.acme.v2+json'
  test.each<[template: string | string[], version: Outcome, ...accepts: string[]]>([
    [ACME, 'v1', '', '*/*', 'application/*', 'application/json; version=v2', 'application/vnd.acme.v2+xml'],
    [ACME, 'v2', V2, `  ${V2}  ;q=0.5`, `${V2}; charset=utf-8`],
    // The type is case-insensitive, the version is not.
    [ACME, 'V2-b', 'APPLICATION/VND.Acme.V2-b+JSON'],
    [ACME, R, 'application/vnd.acme.v v+json'],
    // Weights decide, then the order.
    [ACME, 'v3', `${V2};q=0.1, application/vnd.acme.v3+json;q=0.2`],
    [ACME, 'v2', `text/html, ${V2};q=0.1, application/vnd.acme.v3+json;q=0.1`],
    [ACME, 'v1', `${V2};q=0, */*`, `text/html;x="${V2}"`],
    ['application/{version}.vnd.acme+json', 'v2', 'application/v2.vnd.acme+json'],
    ['application/vnd.a+b.{version}', 'v2', 'application/vnd.a+b.v2'],
    ['Application/Vnd.ACME.{version}+JSON', 'v2', V2],
    ['text/{version}', 'v2', 'text/v2'],
    ['text/{version}', 'v1', 'text/*'],
    // Longer templates come first.
    [['text/{version}', 'text/{version}+json'], 'v2', 'text/v2+json'],
    [['text/{version}+json', 'text/{version}'], 'v2+xml', 'text/v2+xml'],
    [['text/x{version}x', 'text/{version}'], 'x', 'text/x'],
  ])('%j: %p of %j', async (template, version, ...accepts) => {
    const decide = deciding({ scheme: new MediaTypeVersioning({ template, ...FREE }) })
    expect(await decide('/')).toBe('v1')
    for (const accept of accepts)
      expect([accept, await decide('/', { accept })]).toEqual([accept, told(version, IN_ACCEPT)])
  })
})

describe('HostNameVersioning', () => {
  test.each<[version: Outcome, ...hosts: string[]]>([
    ['v1', 'v1.example.com', 'v1.EXAMPLE.com:8080', 'v1.example.com:80:90', 'v1.example.com:', 'v1.example.com.:8080'],
    [R, 'v2.example.com', 'V1.example.com', '1.2.3', 'v2.example.com.', 'v1.example.com..'],
    // A host that does not match is refused if its first label is an accepted version.
    [R, 'v1.my-shop.com', 'V1.my-shop.com:8080', 'v1.my-shop.com.', 'v1.api.example.com', 'v1', 'v1.example.com/x'],
    [R, '127.my-shop.com', 'standard.my-shop.com'],
    // Any other one gets the default, unchecked.
    ['standard', '', 'v9.my-shop.com', 'localhost:8080', '.v1.example.com', 'v_1.example.com', '127.0.0.1:8080'],
    ['standard', '[::1]:8080', 'user@v1.example.com', ':8080', 'v%31.example.com'],
  ])('%p: %j', async (version, ...hosts) => {
    const scheme = new HostNameVersioning({ allowedVersions: ['v1', '127'], defaultVersion: 'standard' })
    const decide = deciding({ scheme })
    expect(await decide('/')).toBe('standard')
    for (const host of hosts) expect([host, await decide('/', { host })]).toEqual([host, told(version, IN_HOST)])
  })

  const parseVersion = (text: string) => `v${text}`
  test.each<[settings: HostNameSettings, host: string, version: Outcome]>([
    [{}, 'v2.my-shop.com', null],
    [FREE, 'v2.my-shop.com', 'v1'],
    [{ allowedVersions: ['v1'] }, 'localhost', null],
    [{ allowedVersions: [null] }, 'v2.my-shop.com', null],
    [{ ...LISTED, hostnamePattern: /^api-(v\d)\./ }, 'v2.example.com', R],
    [{ ...LISTED, hostnamePattern: /^(v\d)\./ }, 'v2.my-shop.com.', 'v2'],
    [{ ...LISTED, hostnamePattern: /^(?:x-(v\d))?/ }, 'v2.my-shop.com', 'v1'],
    [{ ...LISTED, parseVersion }, 'v2.my-shop.com', R],
    [{ ...LISTED, parseVersion }, '2.my-shop.com', 'v1'],
    [{ hostnamePattern: undefined }, 'v1.example.com', 'v1'],
    [{ hostnamePattern: /^(v\d+)\./i }, 'V12.api.eu.example.com', 'V12'],
    [{ hostnamePattern: /^(\w*)\.example\.com$/ }, '.example.com', ''],
    [{ hostnamePattern: /^(?<version>v\d)\.(?<rest>.*)$/ }, 'v1.example.com', 'v1'],
    // Ignored labels are no versions, in any letter case.
    [{ ...LISTED, ignore: ['V2'] }, 'v2.my-shop.com', 'v1'],
    [{ ...LISTED, ignore: ['www'] }, 'WWW.example.com:8080', 'v1'],
    [{ ...LISTED, ignore: ['www'] }, 'wwww.example.com', R],
    [{ ...LISTED, ignore: ['www'], hostnamePattern: /^api-(\w+)\./ }, 'api-www.example.com', 'v1'],
    [{ ...LISTED, ignore: ['api'], hostnamePattern: /^api-(\w+)\./ }, 'api-www.example.com', R],
  ])('%p, %j: %p, as options and as class fields', async (settings, host, version) => {
    const { hostnamePattern, ignore, ...shared } = settings
    class Fields extends HostNameVersioning {
      override hostnamePattern = hostnamePattern ?? new HostNameVersioning().hostnamePattern
      override ignore = ignore
    }
    for (const scheme of [new HostNameVersioning(settings), new Fields(shared)])
      expect(await deciding({ scheme })('/', { host })).toBe(told(version, IN_HOST))
  })
})

const many = Array.from({ length: 1500 }, (_, index) => `p${index}=${index}`).join('&')
// __tests__/http/query.once.test.ts compares any query with URLSearchParams.
test.each<[url: string, version: Outcome]>([
  ['/', null],
  ['/?page=2&version=v1&size=3', 'v1'],
  ['/?version[]=v2&version[a]=v2&Version=v2&version.a=v2&version%20=v2', null],
  ['/?%76ersion=%761&version=v1', 'v1'],
  ['/?version=1+0%2B0', '1 0+0'],
  ['/?version=%E9%', '\ufffd%'],
  ['/?version', ''],
  ['/?version=v1&version=V1', R],
  [`/?version=v1&${many}&version=v2`, R],
  ['/#?version=v1', null],
])('QueryParameterVersioning: %s is %p', async (url, version) => {
  expect(await deciding({ scheme: QueryParameterVersioning })(url)).toBe(told(version, IN_QUERY))
})

describe('URLPathVersioning', () => {
  const routes = tableOf((version) => ({ params: { version } }))
  test.each<[url: string, params: object, version: Outcome]>([
    ['/v1/items', {}, 'v1'],
    ['/v1/items#x', {}, 'v1'],
    ['http://example.com/v2/items', {}, 'v2'],
    ['/v3/items', {}, R],
    ['/items', {}, 'v1'],
    ['/v2/nothing', {}, 'v1'],
    // Express's own parameter goes before the table's. Express 4 writes undefined for one that is not there.
    ['/v1/items', { version: 'v2' }, 'v2'],
    ['/v2/items', { version: undefined }, 'v2'],
    ['/items', { version: null }, 'v1'],
    // The list of a wildcard is not a version.
    ['/items', { version: ['v1'] }, R],
    ['/items', { toString: 'v2' }, 'v1'],
  ])('%s, %j: %p', async (url, params, version) => {
    const decide = deciding({ scheme: URLPathVersioning, ...LISTED, routes })
    expect(await decide(url, {}, { params } as never)).toBe(told(version, IN_PATH))
  })

  test('without req.params, as in a plain server, the table alone says the version', async () => {
    const decide = deciding({ scheme: URLPathVersioning, routes: namedRoutes({ x: '/:version/x' }) })
    expect(await decide('/v7/x', {}, { params: undefined } as never)).toBe('v7')
  })

  test('a parameter of the prototype is not read', async () => {
    const decide = deciding({ scheme: URLPathVersioning, versionParam: 'toString' })
    expect(await decide('/')).toBe(null)
  })
})

describe('NamespaceVersioning', () => {
  // The columns are: with a list; with a list, ignoring admin, api and V1; ignoring those without a list.
  test.each<[namespaces: string, listed: Outcome, ignoring: Outcome, free: Outcome]>([
    ['', 'v1', 'v1', null],
    ['v2', 'v2', 'v2', 'v2'],
    ['v9', R, R, 'v9'],
    ['admin', R, 'v1', null],
    ['api:v2', 'v2', 'v2', 'v2'],
    ['v2:v1', 'v2', 'v2', 'v2'],
    ['api:v9', R, R, 'v9'],
    ['v9:v2', 'v2', 'v2', 'v9'],
    ['V1', R, 'v1', null],
    ['toString', R, R, 'toString'],
    // Namespaces are compared exactly.
    ['Admin', R, R, 'Admin'],
  ])('%j: %p, %p, %p', async (text, listed, ignoring, free) => {
    const routes = tableOf(() => ({ namespace: text, namespaces: text === '' ? [] : text.split(':') }))
    const ignore = ['admin', 'api', 'V1']
    class Fields extends NamespaceVersioning {
      override ignore = ignore
    }
    const decided = (scheme: NamespaceVersioning) => deciding({ scheme, routes })('/items')
    expect(await decided(new NamespaceVersioning(LISTED))).toBe(told(listed, IN_NAMESPACE))
    const expected = told(ignoring, IN_NAMESPACE)
    expect(await decided(new NamespaceVersioning({ ...LISTED, ignore: ignore.values() }))).toBe(expected)
    expect(await decided(new Fields(LISTED))).toBe(expected)
    expect(await decided(new Fields())).toBe(free)
  })

  const users = () => namedRoutes({ 'user-list': '/users' })
  const routes = namedRoutes({ home: '/', about: '/about' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v9', users(), { namespace: 'v9' })
    .include('/shop', namedRoutes({}).include('/v2', users(), { namespace: 'v2' }), { namespace: 'shop' })
  test.each<[url: string, version: Outcome]>([
    ['/about', 'v1'],
    ['/V1/users/', 'v1'],
    ['/shop/v2/users', 'v2'],
    ['/v9/users', R],
    // Unknown paths below a prefix have its namespaces.
    ['/shop/v2/nothing', 'v2'],
    ['/shop/nothing', R],
    ['/nothing', 'v1'],
  ])('%s of a table: %p, also below a mount', async (url, version) => {
    const decide = deciding({ scheme: NamespaceVersioning, ...LISTED, routes })
    const expected = told(version, IN_NAMESPACE)
    expect([await decide(url), await decide(url, {}, { baseUrl: '/api' })]).toEqual([expected, expected])
  })
})
