import type { Request } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkOptions,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, type Sent } from '../support/dispatch'
import { major } from '../support/major'

type Asked = [name: string, options?: LinkOptions]
type Make = (req: Request) => Asked
type Options = Omit<VersioningOptions, 'routes'> & { routes?: object }

/** Returns the link that a request gets behind `versioning(options)`, or the status and message of its error. */
function linkOf({ mount = '/', ...options }: Options & { mount?: string }, sent: string | Sent, make: Asked | Make) {
  const app = appOf((app) => app.use(mount, versioning(options as VersioningOptions)))
  const { req } = dispatch(app, typeof sent === 'string' ? { url: sent } : sent)
  return outcomeOf(() => req.reverse(...(typeof make === 'function' ? make(req) : make)))
}

function outcomeOf(make: () => string): string {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    expect(error.expose).toBe(error.status === 400)
    return `${error.status} ${error.message}`
  }
}

const users = () =>
  namedRoutes({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path', pair: '/pairs/:a/:b' })

/** A table for a scheme: users where it wants the version, and `status` outside of all versions. */
function routesFor(scheme: unknown) {
  const home = namedRoutes({ status: '/status' })
  if (scheme === NamespaceVersioning) {
    return home.include('/v1', users(), { namespace: 'v1' }).include('/v2', users(), { namespace: 'v2' })
  }
  return home.include(scheme === URLPathVersioning ? '/:version' : '/', users())
}

const V = ['v1', 'v2']
const PATH = { scheme: URLPathVersioning, allowedVersions: V }
const NAMESPACE = { scheme: NamespaceVersioning, allowedVersions: V }
const QUERY = { scheme: QueryParameterVersioning }
const HOST = { scheme: HostNameVersioning, allowedVersions: V }
const hostPattern = (hostnamePattern: RegExp) => ({ scheme: new HostNameVersioning({ hostnamePattern }) })
const HEADER = { scheme: HeaderVersioning }
const HOST_NOT_ALLOWED = '400 The host of this request is not one of the allowed hosts.'

describe('the link keeps the version of the request', () => {
  test.each<[options: Options, url: string, prefix: string, query: string]>([
    [PATH, '/api/v1/nothing', '/v1', ''],
    [NAMESPACE, '/api/v2/nothing', '/v2', ''],
    [{ ...QUERY, allowedVersions: V }, '/api/nothing?version=v2', '', 'version=v2'],
    [QUERY, '/api/nothing', '', ''],
    [{ scheme: AcceptHeaderVersioning, defaultVersion: 'v1', allowedVersions: V }, '/api/nothing', '', ''],
    [{ ...HOST, defaultVersion: 'v1' }, '/api/nothing', '', ''],
  ])('%p %s', (options, url, prefix, query) => {
    const [alone, more] = query === '' ? ['', ''] : [`?${query}`, `&${query}`]
    const made = (...asked: Asked) =>
      linkOf({ ...options, routes: routesFor(options.scheme), mount: '/api' }, url, asked)
    expect(made('list')).toBe(`/api${prefix}/users${alone}`)
    expect(made('detail', { args: [7, 'json'] })).toBe(`/api${prefix}/users/7.json${alone}`)
    expect(made('detail', { kwargs: { id: 7 }, format: 'json' })).toBe(`/api${prefix}/users/7.json${alone}`)
    const decorated = `/api${prefix}/users?page=2&tag=a&tag=b%20c${more}#top%20of%20page`
    expect(made('list', { query: { page: 2, tag: ['a', 'b c'] }, hash: 'top of page' })).toBe(decorated)
    expect(made('files', { kwargs: { path: ['a b', 'c/d'] } })).toBe(`/api${prefix}/files/a%20b/c%2Fd${alone}`)
    expect(made('status')).toBe(`/api/status${alone}`)
  })
})

const NO_PLACE = 'has no place for a version.'
const HOST_REFUSED = '400 The host of this request cannot start a link.'
const TABLELESS = { ...NAMESPACE, routes: users(), defaultVersion: 'v1' }
const PAIR = '500 "pair" (/pairs/:a/:b) needs'
const EXTRA = 'The link was given the unknown option "id": parameters go into "kwargs".'

test.each<[options: Options, url: string, name: string, options: object | undefined, outcome: string]>([
  // Another version, or none.
  [PATH, '/v1/x', 'list', { version: 'v2' }, '/v2/users'],
  [PATH, '/v1/x', 'list', { version: null }, '500 "list" (/:version/users) needs "version".'],
  [PATH, '/v1/x', 'list', { version: 'v9' }, '500 "version" takes one of the allowed versions: "v1", "v2".'],
  [PATH, '/v1/x', 'list', { version: '\ud800' }, '500 "version" takes a well-formed string or null; got a string.'],
  [PATH, '/v1/x', 'status', { version: 'v2' }, '500 "status" (/status) takes no "version"; it has no parameters.'],
  [NAMESPACE, '/v1/x', 'list', { version: 'v2' }, '/v2/users'],
  [NAMESPACE, '/v1/x', 'list', { version: null }, '500 No route named "list". Did you mean "v1:list" or "v2:list"?'],
  [NAMESPACE, '/v1/x', 'status', { version: 'v2' }, '500 No route named "v2:status". Did you mean "status"?'],
  [QUERY, '/x?version=v1', 'list', { version: 'v2' }, '/users?version=v2'],
  [QUERY, '/x?version=v1', 'list', { version: null }, '/users'],
  [QUERY, '/', 'list', { query: { version: '9' } }, '/users?version=9'],
  [QUERY, '/', 'list', { query: { version: '9', page: 2 }, version: null }, '/users?page=2'],
  [
    HEADER,
    '/',
    'list',
    { version: 'v' },
    '500 HeaderVersioning keeps no version in URLs, so "version" cannot choose one.',
  ],
  // Names, arguments and options that do not fit.
  [QUERY, '/', 'lst', undefined, '500 No route named "lst". Did you mean "list"?'],
  [QUERY, '/', 7 as never, {}, '500 reverse() takes a view name; got a number.'],
  [QUERY, '/', 'list', 7 as never, '500 reverse() takes an object of options; got a number.'],
  [QUERY, '/', 'pair', { kwargs: { a: 1 } }, `${PAIR} "b"; got "a".`],
  [QUERY, '/', 'pair', { id: 7 }, `${PAIR} "a" and "b". ${EXTRA}`],
  [QUERY, '/', 'list', { hash: Symbol('x') }, '500 "hash" takes a string; got a symbol.'],
  [TABLELESS, '/', 'list', { hash: Symbol('x') }, '500 "hash" takes a string; got a symbol.'],
  [NAMESPACE, '/v1/x', 'pair', {}, '500 "v1:pair" (/v1/pairs/:a/:b) needs "a" and "b". No route named "pair".'],
])('%p %s %s %p: %s', (options, url, name, asked, outcome) => {
  expect(linkOf({ routes: routesFor(options.scheme), ...options }, url, [name, asked as LinkOptions])).toBe(outcome)
})

test.each<[options: Options, host: string, version: string | null | undefined, outcome: string]>([
  [HOST, 'v1.example.com:8080', 'v2', 'http://v2.example.com:8080'],
  [HOST, 'v1.example.com:8080', null, 'http://example.com:8080'],
  [{ ...HOST, defaultVersion: 'v1' }, 'localhost', 'v2', `400 The host of this request ${NO_PLACE}`],
  [{ ...HOST, origin: 'https://b.com' }, 'v1.example.com', 'v2', `500 The host of "origin" ${NO_PLACE}`],
  [
    { ...HOST, allowedHosts: ['v1.example.com'] },
    'v1.example.com',
    'v2',
    '500 The host of the other version is not one of the allowed hosts.',
  ],
  [hostPattern(/^(v1|v3)\.b\.com$/), 'v1.b.com', 'v2', '500 The host of this request cannot carry that version.'],
  [hostPattern(/^(v\d)\./), 'v1.v2.b.com', null, '400 The host of this request cannot carry that version.'],
  [hostPattern(/^api-(v\d)\.b\.com$/), 'api-v1.b.com', 'v2', 'http://api-v2.b.com'],
  [hostPattern(/^api-(v\d)\.b\.com$|^api-\./), 'api-v1.b.com', null, 'http://api-.b.com'],
  [hostPattern(/^api\.(v\d+)\./), 'api.v1.b.com', null, 'http://api.b.com'],
  [hostPattern(/^api\.(v\d+)\./), 'api.v1.b.com', 'v2', 'http://api.v2.b.com'],
  [hostPattern(/^(v\d+)?api\./), 'v1api.b.com', null, 'http://api.b.com'],
  [hostPattern(/^api(v\d+)?\./), 'apiv1.b.com', null, 'http://api.b.com'],
  [QUERY, 'api.example.com:3000', undefined, 'http://api.example.com:3000'],
  [QUERY, '[::1]:3000', undefined, 'http://[::1]:3000'],
  [{ ...QUERY, origin: 'https://a.example' }, 'b.example', undefined, 'https://a.example'],
  [{ ...QUERY, allowedHosts: ['API.example.com'] }, 'api.EXAMPLE.com:80', undefined, 'http://api.example.com'],
  [{ ...QUERY, allowedHosts: ['a.com'] }, 'b.com', undefined, HOST_NOT_ALLOWED],
  ...['', 'a@evil.com', 'evil.com/x', 'evil.com?'].map((host) => [QUERY, host, undefined, HOST_REFUSED] as never),
])('an absolute link: %p on %s, version %p: %s', (options, host, version, outcome) => {
  const sent = { url: '/users', headers: host === '' ? {} : { host } }
  const made = linkOf({ routes: users(), ...options }, sent, ['list', { absolute: true, version }])
  expect(made).toBe(outcome.startsWith('http') ? `${outcome}/users` : outcome)
})

test('a link to another version changes the host; an origin of the link comes first', () => {
  const made = (options: Options, asked: LinkOptions) =>
    linkOf({ ...options, routes: users() }, { url: '/users', headers: { host: 'v1.example.com' } }, ['list', asked])
  const relative = '500 A link to another version changes the host, so it needs { absolute: true }.'
  expect(made(HOST, { version: 'v2' })).toBe(relative)
  const origin = { ...QUERY, origin: 'https://a.example' }
  expect(made(origin, { absolute: true, origin: 'http://b.example:81' })).toBe('http://b.example:81/users')
  const takes = `500 "origin" takes an origin such as 'https://api.example.com'.`
  expect(made(origin, { absolute: true, origin: 'example.com' })).toBe(takes)
})

describe('a link that only the request makes impossible is 400, and does not repeat its values', () => {
  const own =
    (name: string, key: string): Make =>
    (req) => [name, { kwargs: { [key]: req.resolverMatch?.params[key] } as LinkOptions['kwargs'] }]
  const headerFirst = (other: BaseVersioning) => ({
    scheme: new CombinedVersioning({ schemes: [new HeaderVersioning(), other] }),
  })
  const id = new URLPathVersioning({ versionParam: 'id' })
  const DOTS = { url: '/x', headers: { 'x-api-version': '..' } }

  test.each<[what: string, Options, string | Sent, Make, message: RegExp]>([
    ['its own parameter', NAMESPACE, '/v1/users/%2e%2e', own('detail', 'id'), /^400 .* a dot segment would change/],
    ['its own wildcard', QUERY, '/files/a//b', own('files', 'path'), /^400 .* an empty segment would change/],
    [
      'an item of its own wildcard',
      QUERY,
      '/users/%2e%2e',
      (req) => ['files', { kwargs: { path: ['a', String(req.resolverMatch?.params.id)] } }],
      /^400 .* a dot segment/,
    ],
    [
      'a query value as another version',
      { ...QUERY, allowedVersions: V },
      '/users?version=v1&v=../9',
      (req) => ['list', { version: String(req.query.v) }],
      /^400 "version" takes one of/,
    ],
    ['its own name', QUERY, '/?to=nope', (req) => [String(req.query.to)], /^400 No route has the name that this req/],
    ['its version', headerFirst(id), DOTS, () => ['detail'], /^400 .*cannot take "id": a dot segment/],
    ['not a value of the programmer', QUERY, '/users/7', () => ['files', { kwargs: { path: ['..'] } }], /^500 "files"/],
    ['nor an empty object', QUERY, '/?a[b]=', () => ['detail', { kwargs: { id: {} as never } }], /^500 "detail"/],
    ['nor an unlisted version', headerFirst(new NamespaceVersioning()), DOTS, () => ['x'], /^500 .*"<version>:x"/],
  ])('%s', (_what, options, sent, make, message) => {
    const told = linkOf({ routes: routesFor(options.scheme), ...options }, sent, make)
    expect(told).toMatch(message)
    for (const word of ['..', '../9', 'nope']) expect(told).not.toContain(word)
  })
})

test.each<[sent: string, outcome: string]>([
  ['/acme/x', '/acme/users'],
  ['/%2e%2E/x', '400 The path that this request was mounted at cannot start a link.'],
  ['/../x', '400 The path that this request was mounted at cannot start a link.'],
  ['/a\\b/x', '/a%5Cb/users'],
  ['/a"b/x', '/a%22b/users'],
])('below a mount that the client spells: %s', (sent, outcome) => {
  expect(linkOf({ scheme: BaseLess, routes: users(), mount: '/:tenant' }, sent, ['list'])).toBe(outcome)
})

test.each(['//', '/a//', '//?x=1'])('below a wildcard, %s cannot start a link', (sent) => {
  const mount = major === 5 ? '/*rest' : '/*'
  const refusal = '400 The path that this request was mounted at cannot start a link.'
  expect(linkOf({ ...QUERY, routes: users(), mount }, sent, ['list'])).toBe(refusal)
})

class BaseLess extends BaseVersioning {
  override determineVersion() {
    return 'v1'
  }
}

test.each<[options: Options | undefined, asked: Asked, outcome: RegExp]>([
  [QUERY, ['list'], /^500 No route table in sight: give versioning\(\) the root namedRoutes\(\) table as `routes`/],
  [{ ...PATH, defaultVersion: 'v1' }, ['list'], /^500 No route table in sight: /],
  [{ ...PATH, defaultVersion: 'v1' }, ['list', { version: 'v2' }], /^500 No route table in sight: /],
  [undefined, ['one'], /^\/t\/one$/],
  [undefined, ['one', { version: 'v1' }], /^500 "version" needs a versioning\(\) in front of the handler that makes/],
  [undefined, ['old'], /^500 "old" \(\/:version\/:id\) needs a version and "id": no versioning\(\) runs in front of/],
  [undefined, ['nobody'], /^500 No route named "nobody"\.$/],
  [undefined, ['new'], /^500 No route named "new". Did you mean "v1:new"\? Its namespace is not filled in: no v/],
])('without a table or versioning(), %p %j: %p', (options, asked, outcome) => {
  if (options !== undefined) expect(linkOf(options, '/', asked)).toMatch(outcome)
  else {
    let told = ''
    const table = namedRoutes({ one: '/one', old: '/:version/:id' })
    table.include('/1', namedRoutes({ new: '/new' }), { namespace: 'v1' }).use((req, _res, next) => {
      told = outcomeOf(() => req.reverse(...asked))
      next()
    })
    dispatch(
      appOf((app) => app.use('/t', table)),
      { url: '/t/x' },
    )
    expect(told).toMatch(outcome)
  }
})

test('a route that the version of the link does not have, unless it is neutral', () => {
  const routes = users()
  routes.route('list').get(() => {})
  routes.route('pair').get(() => {})
  const changes = versionHistory('v1').version('v2', change('More.', { 'GET list': 'added' }))
  const made = (...asked: Asked) => linkOf({ ...QUERY, routes, changes, neutral: ['files'] }, '/?version=v1', asked)
  expect(made('list')).toBe('500 "list" is not there in the version of the link.')
  expect(made('list', { version: 'v2' })).toBe('/users?version=v2')
  expect(made('list', { version: null })).toBe('/users')
  expect(made('pair', { args: [1, 2] })).toBe('/pairs/1/2?version=v1')
  expect(made('files', { args: [['a']] })).toBe('/files/a?version=v1')
})

describe('reverse()', () => {
  test('links for code that has no handler around it, and changes nothing of the caller', () => {
    const [list, kwargs] = [Object.freeze([1]), Object.freeze({ version: 'mine' })]
    const query = Object.freeze({ a: Object.freeze(['b']) })
    const options = Object.freeze({ args: list, kwargs, query, format: 'json', hash: 'x' })
    const routes = namedRoutes({ one: '/:version/one/:id.:format' })
    const { req } = dispatch(
      appOf((app) => app.use(versioning({ ...PATH, routes }))),
      { url: '/v1/one/2.x' },
    )
    expect(reverse('one', { request: req, ...options })).toBe('/v1/one/1.json?a=b#x')
    expect(reverse('one', { request: req, args: [1, 'x'], version: 'v2' })).toBe('/v2/one/1.x')
  })

  test.each([[undefined], [{}], [{ request: null }]])('without a request it says what to do: %j', (options) => {
    expect(() => reverse('one', options as never)).toThrow(
      new NoReverseMatch(
        'reverse() needs the request whose version the link keeps: reverse("one", { request: req }). Without one, call reverse() of the table itself.',
      ),
    )
  })
})

test('the error has a code, and the names that were tried', () => {
  const { req } = dispatch(
    appOf((app) => app.use(versioning({ ...NAMESPACE, routes: routesFor(NamespaceVersioning) }))),
    { url: '/v1/x' },
  )
  const failure = { reason: 'is not the name of a route', unknown: true }
  const failures = ['v1:b', 'b'].map((viewName) => ({ viewName, ...failure }))
  const shared = { name: 'NoReverseMatch', code: 'ERR_NO_REVERSE_MATCH', status: 500, statusCode: 500 }
  expect(() => req.reverse('b')).toThrow(expect.objectContaining({ ...shared, expose: false, failures, unfit: [] }))
})

describe("a scheme's own reverse()", () => {
  const own = (reverse: (viewname: string, made: () => string) => string) =>
    class Own extends URLPathVersioning {
      override reverse(...asked: Parameters<URLPathVersioning['reverse']>): string {
        return reverse(asked[0], () => super.reverse(...asked))
      }
    }
  const throwing = (error: Error) =>
    own(() => {
      throw error
    })
  const tagging = own((_, made) => `${made()}#own`)
  const nowhere = own((viewName) => {
    throw new NoReverseMatch('own', { failures: [{ viewName, reason: 'is nowhere', unknown: true }] })
  })
  const routes = namedRoutes({ list: '/:version/users', health: '/health' })
  const beside = (...schemes: (new () => BaseVersioning)[]) =>
    new CombinedVersioning({ schemes: schemes.map((Scheme) => new Scheme()) })
  const NOT_TODAY = throwing(new NoReverseMatch('not today'))

  test.each<[what: string, scheme: VersioningOptions['scheme'], asked: Asked, outcome: string]>([
    ['is called', tagging, ['list'], '/v1/users#own'],
    ['falls back', tagging, ['health'], '/health'],
    ['falls back, whatever it throws', NOT_TODAY, ['health'], '/health'],
    ['tells its own reason', NOT_TODAY, ['list'], '500 not today'],
    ['has near names', nowhere, ['lst', { version: 'v2' }], '500 No route named "lst". Did you mean "list"?'],
    ['beside others, is called', beside(tagging, QueryParameterVersioning), ['list'], '/v1/users#own'],
    ['beside others, leaves names', beside(tagging, QueryParameterVersioning), ['health'], '/health?version=v1'],
    ['beside others, its reason is final', beside(NOT_TODAY, QueryParameterVersioning), ['health'], '500 not today'],
  ])('%s', (_what, scheme, asked, outcome) => {
    expect(linkOf({ scheme, routes }, '/v1/users', asked)).toBe(outcome)
  })

  test('near names need a table', () => {
    expect(linkOf({ scheme: nowhere }, '/', ['lst', { version: 'v2' }])).toBe('500 No route named "lst".')
  })

  test('other errors are passed on', () => {
    const broken = () => linkOf({ scheme: throwing(new RangeError('broken')), routes }, '/v1/users', ['list'])
    expect(broken).toThrow(new RangeError('broken'))
  })
})

describe('NamespaceVersioning tries', () => {
  const item = () => namedRoutes({ item: '/items/:id', v1: '/about-v1' })
  const leaf = (path: `/${string}`) => namedRoutes({ item: path })
  const below = (root: object, tables: Record<string, object>): object =>
    Object.entries(tables).reduce(
      (table, [namespace, child]) => table.include(`/${namespace}`, child as never, { namespace }),
      root as ReturnType<typeof namedRoutes>,
    )
  const versions = (root: object) => below(root, { v1: item(), v2: item() })
  const shops = below(versions(namedRoutes({ v1: '/one', v2: '/two' })), {
    shop: versions(namedRoutes({})),
    lab: below(namedRoutes({}), { v2: leaf('/:kind') }),
  })
  const parts = () => below(namedRoutes({}), { a: leaf('/x'), b: leaf('/y') })
  const first = () => below(namedRoutes({ status: '/status' }), { v1: parts(), v2: parts() })
  const between = below(namedRoutes({ status: '/status' }), { p: first() })
  const none = below(namedRoutes({}), { q: below(namedRoutes({}), { r: parts() }) })
  const V2 = { version: 'v2' }
  const scheme = () =>
    new NamespaceVersioning({ allowedVersions: V, defaultVersion: 'v1', ignore: [...'pqrab', 'shop', 'lab'] })

  test.each<[what: string, routes: object, url: string, Asked, link: string]>([
    ['a full name in its own version', shops, '/v1/items/1', ['v1:item', { args: [7], version: 'v1' }], '/v1/items/7'],
    ['a full name in the other', shops, '/v1/items/1', ['v1:item', { args: [7], version: 'v2' }], '/v2/items/7'],
    ['a view that is named as the version', shops, '/v1/items/1', ['v1', V2], '/v2/about-v1'],
    ['or one at the end of a full name', shops, '/shop/v1/items/1', ['shop:v1:v1', V2], '/shop/v2/about-v1'],
    ['the version first, for its own', first(), '/v1/a/x', ['a:item'], '/v1/a/x'],
    ['the version first, for the other', first(), '/v1/a/x', ['item', V2], '/v2/a/x'],
    ['between, behind what comes first', between, '/p/v1/a/x', ['b:item', V2], '/p/v2/b/y'],
    ['between, in place of the version', between, '/p/v1/a/x', ['item', V2], '/p/v2/a/x'],
    ['between, a full name', between, '/p/v1/a/x', ['p:v1:b:item', V2], '/p/v2/b/y'],
    ['the bare name', between, '/p/v1/a/x', ['status'], '/status'],
    ['no version at all', none, '/q/r/a/x', ['item', V2], '500 No route named "v2:item".'],
  ])('%s', (_what, routes, url, asked, link) => {
    expect(linkOf({ scheme: scheme(), routes }, url, asked)).toBe(link)
  })
})

describe('`Vary` names the fields of a trusted proxy that an absolute link uses', () => {
  const FIELDS = 'X-Forwarded-Host, X-Forwarded-Proto'
  const sent = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

  test.each<[trust: unknown, Partial<VersioningOptions>, LinkOptions, outcome: string, vary: string | undefined]>([
    [true, {}, { absolute: true }, 'https://evil.example/', FIELDS],
    [1, HEADER, { absolute: true }, 'https://evil.example/', `X-API-Version, ${FIELDS}`],
    [true, { allowedHosts: ['a.example'] }, { absolute: true }, HOST_NOT_ALLOWED, FIELDS],
    [true, { scheme: HostNameVersioning }, { absolute: true }, 'https://evil.example/', FIELDS],
    ['10.0.0.0/8', {}, { absolute: true }, 'http://a.example/', undefined],
    [false, HEADER, { absolute: true }, 'http://a.example/', 'X-API-Version'],
    [true, { origin: 'https://b.example' }, { absolute: true }, 'https://b.example/', undefined],
    [true, {}, { absolute: true, origin: 'https://c.example' }, 'https://c.example/', undefined],
    [true, {}, {}, '/', undefined],
  ])('trust proxy %p, %p, %p: %s', (trust, options, link, outcome, vary) => {
    for (const headers of [sent, {}]) {
      const app = appOf((app) => {
        app.set('trust proxy', trust)
        app.use(versioning({ ...QUERY, ...options, routes: namedRoutes({ home: '/' }) }))
      })
      const { req, res } = dispatch(app, { url: '/', headers: { host: 'a.example', ...headers } })
      // Pages have several links.
      const [made] = [outcomeOf(() => req.reverse('home', link)), outcomeOf(() => req.reverse('home', link))]
      if (headers === sent) expect(made).toBe(outcome)
      expect(String(res.getHeader('vary')).toLowerCase()).toBe(String(vary).toLowerCase())
    }
  })
})
