import type { Request, RequestHandler } from 'express'
import {
  type BaseVersioning,
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

type Asked = [name: string, options?: LinkOptions]
type Make = (req: Request) => Asked
type Options = Omit<VersioningOptions, 'routes'> & { routes?: object; mount?: string; trust?: unknown }

/** Returns the link that a request gets behind `versioning(options)`, or the status and message of its error. */
function linkOf({ mount = '/', trust, ...options }: Options, sent: string | Sent, make: Asked | Make) {
  const app = appOf((app) => {
    app.set('trust proxy', trust ?? false).use(mount, versioning(options as VersioningOptions))
  })
  const { req, res } = dispatch(app, typeof sent === 'string' ? { url: sent } : sent)
  return Object.assign(
    outcomeOf(() => req.reverse(...(typeof make === 'function' ? make(req) : make))),
    { req, res },
  )
}

function outcomeOf(make: () => string): { made: string } {
  try {
    return { made: make() }
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    expect(error.expose).toBe(error.status === 400)
    return { made: `${error.status} ${error.message}` }
  }
}

const users = () =>
  namedRoutes({ list: '/users', detail: '/users/:id{.:format}', files: '/files/*path', pair: '/pairs/:a/:b' })
const below = (root: object, tables: Record<string, object>) =>
  Object.entries(tables).reduce(
    (table, [namespace, child]) => table.include(`/${namespace}`, child as never, { namespace }),
    root as ReturnType<typeof namedRoutes>,
  )

/** A table for a scheme: users where it wants the version, and `status` outside of all versions. */
function routesFor(scheme: unknown) {
  const home = namedRoutes({ status: '/status' })
  if (scheme === NamespaceVersioning) return below(home, { v1: users(), v2: users() })
  return home.include(scheme === URLPathVersioning ? '/:version' : '/', users())
}

const V = ['v1', 'v2']
const PATH = { scheme: URLPathVersioning, allowedVersions: V }
const NAMESPACE = { scheme: NamespaceVersioning, allowedVersions: V }
const QUERY = { scheme: QueryParameterVersioning }
const HEADER = { scheme: HeaderVersioning }

test.each<[options: Options, url: string, prefix: string, query: string]>([
  [PATH, '/api/v1/nothing', '/v1', ''],
  [NAMESPACE, '/api/v2/nothing', '/v2', ''],
  [QUERY, '/api/nothing?version=v2', '', 'version=v2'],
  [HEADER, '/api/nothing', '', ''],
])('the link keeps the version of the request: %p %s', (options, url, prefix, query) => {
  const [alone, more] = query === '' ? ['', ''] : [`?${query}`, `&${query}`]
  const api = `/shop/api${prefix}`
  const settings = { ...options, routes: routesFor(options.scheme), mount: '/api', publicPath: '/shop' }
  const made = (...asked: Asked) => linkOf(settings, url, asked).made
  expect(made('detail', { args: [7, 'json'] })).toBe(`${api}/users/7.json${alone}`)
  expect(made('detail', { kwargs: { id: 7 }, format: 'json' })).toBe(`${api}/users/7.json${alone}`)
  const decorated = `${api}/users?page=2&tag=a&tag=b%20c${more}#top%20of%20page`
  expect(made('list', { query: { page: 2, tag: ['a', 'b c'] }, hash: 'top of page' })).toBe(decorated)
  expect(made('files', { kwargs: { path: ['a b', 'c/d'] } })).toBe(`${api}/files/a%20b/c%2Fd${alone}`)
  expect(made('status')).toBe(`/shop/api/status${alone}`)
})

const NO_MOUNT = '400 The path that this request was mounted at cannot start a link.'
const NO_HOST = '400 The host of this request cannot start a link.'
const NOT_ALLOWED = '400 The host of this request is not one of the allowed hosts.'
const PAIR = '500 "pair" (/pairs/:a/:b) needs'
const EXTRA = 'The link was given the unknown option "id": parameters go into "kwargs".'
const NO_TABLE =
  '500 No route table in sight: give versioning() the root namedRoutes() table as `routes`, or make the link inside a table that handles the request.'
const V2 = { version: 'v2' }
const OTHERS = new URLSearchParams('Version=1&version=2&version%5B%5D=3&=4')
const NONE = { version: null }

test.each<[options: Options, url: string, name: string, options: object | undefined, outcome: string]>([
  // Another version, or none.
  [PATH, '/v1/x', 'list', V2, '/v2/users'],
  [PATH, '/v1/x', 'list', NONE, '500 "list" (/:version/users) needs "version".'],
  [PATH, '/v1/x', 'list', { version: 'v9' }, '500 "version" takes one of the allowed versions: "v1", "v2".'],
  [PATH, '/v1/x', 'list', { version: '\ud800' }, '500 "version" takes a well-formed string or null; got a string.'],
  [NAMESPACE, '/v1/x', 'list', NONE, '500 No route named "list". Did you mean "v1:list" or "v2:list"?'],
  [NAMESPACE, '/v1/x', 'status', V2, '500 No route named "v2:status". Did you mean "status"?'],
  [QUERY, '/', 'list', { query: { version: '9' } }, '/users?version=9'],
  [QUERY, '/', 'list', { query: { version: '9', page: 2 }, version: null }, '/users?page=2'],
  [
    QUERY,
    '/x?version=v1',
    'list',
    { query: OTHERS, hash: '?x' },
    '/users?Version=1&version%5B%5D=3&=4&version=v1#%3Fx',
  ],
  [QUERY, '/x?version=v1', 'list', { version: 'a b&' }, '/users?version=a%20b%26'],
  [HEADER, '/', 'list', V2, '500 HeaderVersioning keeps no version in URLs, so "version" cannot choose one.'],
  // Names, arguments and options that do not fit.
  [QUERY, '/', 7 as never, {}, '500 reverse() takes a view name; got a number.'],
  [QUERY, '/', 'list', 7 as never, '500 reverse() takes an object of options; got a number.'],
  [QUERY, '/', 'pair', { id: 7 }, `${PAIR} "a" and "b". ${EXTRA}`],
  [QUERY, '/', 'list', { hash: Symbol('x') }, '500 "hash" takes a string; got a symbol.'],
  [NAMESPACE, '/v1/x', 'pair', {}, '500 "v1:pair" (/v1/pairs/:a/:b) needs "a" and "b". No route named "pair".'],
  [{ ...QUERY, routes: undefined as never }, '/', 'list', undefined, NO_TABLE],
  [{ ...PATH, defaultVersion: 'v1', routes: undefined as never }, '/', 'list', undefined, NO_TABLE],
  [{ ...PATH, defaultVersion: 'v1', routes: undefined as never }, '/', 'list', V2, NO_TABLE],
  // Mounts that the client spells.
  [{ ...QUERY, mount: '/:tenant' }, '/acme/x', 'list', undefined, '/acme/users'],
  [{ ...QUERY, mount: '/:tenant' }, '/a\\b/x', 'list', undefined, '/a%5Cb/users'],
  ...['/%2e%2E/x', '/../x'].map((url) => [{ ...QUERY, mount: '/:tenant' }, url, 'list', undefined, NO_MOUNT] as never),
  ...['//', '/a//'].map((url) => [{ ...QUERY, mount: '/*rest' }, url, 'list', undefined, NO_MOUNT] as never),
])('%p %s %s %p: %s', (options, url, name, asked, outcome) => {
  expect(linkOf({ routes: routesFor(options.scheme), ...options }, url, [name, asked as LinkOptions]).made).toBe(
    outcome,
  )
})

const host = (hostnamePattern: RegExp) => ({ scheme: new HostNameVersioning({ hostnamePattern }) })
test.each<[options: Options, host: string, LinkOptions, outcome: string]>([
  [host(/^api\.(v\d+)\./), 'api.v1.b.com', NONE, 'http://api.b.com'],
  [host(/^(v\d+)?api\./), 'v1api.b.com', NONE, 'http://api.b.com'],
  [host(/^api(v\d+)?\./), 'apiv1.b.com', NONE, 'http://api.b.com'],
  [QUERY, '[::1]:3000', {}, 'http://[::1]:3000'],
  [{ ...QUERY, origin: 'https://a.example' }, 'b.example', {}, 'https://a.example'],
  [{ ...QUERY, origin: 'https://a.example' }, 'b', { origin: 'http://b.example:81' }, 'http://b.example:81'],
  [{ ...QUERY, publicPath: '/shop' }, 'b.com', {}, 'http://b.com/shop'],
  [{ ...QUERY, allowedHosts: ['API.example.com'] }, 'api.EXAMPLE.com:80', {}, 'http://api.example.com'],
  [{ ...QUERY, allowedHosts: ['a.com'] }, 'b.com', {}, NOT_ALLOWED],
  ...['', 'a@evil.com'].map((name) => [QUERY, name, {}, NO_HOST] as never),
])('an absolute link: %p on %s, %p: %s', (options, host, asked, outcome) => {
  const sent = { url: '/users', headers: host === '' ? {} : { host } }
  const { made } = linkOf({ routes: users(), ...options }, sent, ['list', { absolute: true, ...asked }])
  expect(made).toBe(outcome.startsWith('http') ? `${outcome}/users` : outcome)
})

describe('a link that only the request makes impossible is 400, and does not repeat its values', () => {
  const own =
    (name: string, key: string): Make =>
    (req) => [name, { kwargs: { [key]: req.resolverMatch?.params[key] } as LinkOptions['kwargs'] }]
  const combined = (...schemes: BaseVersioning[]) => ({ scheme: new CombinedVersioning({ schemes }) })
  const headerFirst = (other: BaseVersioning) => combined(new HeaderVersioning(), other)
  const id = headerFirst(new URLPathVersioning({ versionParam: 'id' }))
  const item: Make = (req) => ['files', { kwargs: { path: ['a', String(req.resolverMatch?.params.id)] } }]
  const version: Make = (req) => ['list', { version: String(req.query.v) }]
  const LISTED = { ...QUERY, allowedVersions: V }
  const DOTS = { url: '/x', headers: { 'x-api-version': '..' } }

  test.each<[what: string, Options, string | Sent, Make | Asked, message: RegExp]>([
    ['its own parameter', NAMESPACE, '/v1/users/%2e%2e', own('detail', 'id'), /^400 .* a dot segment would change/],
    ['its own wildcard', QUERY, '/files/a//b', own('files', 'path'), /^400 .* an empty segment would change/],
    ['an item of its wildcard', QUERY, '/users/%2e%2e', item, /^400 .* a dot segment/],
    ['another version', LISTED, '/?version=v1&v=../9', version, /^400 "version" takes one of/],
    ['its own name', QUERY, '/?to=nope', (req) => [String(req.query.to)], /^400 No route has the name that this req/],
    ['its version', id, DOTS, ['detail'], /^400 .*cannot take "id": a dot segment/],
    ['not a value of the programmer', QUERY, '/users/7', ['files', { kwargs: { path: ['..'] } }], /^500 "files"/],
    ['nor an empty object', QUERY, '/?a[b]=', ['detail', { kwargs: { id: {} as never } }], /^500 "detail"/],
    ['nor an unlisted version', headerFirst(new NamespaceVersioning()), DOTS, ['x'], /^500 .*"<version>:x"/],
  ])('%s', (_what, options, sent, make, message) => {
    const { made } = linkOf({ routes: routesFor(options.scheme), ...options }, sent, make)
    expect(made).toMatch(message)
    for (const word of ['..', '../9', 'nope']) expect(made).not.toContain(word)
  })
})

const NO_VERSIONING = 'no versioning() runs in front of the handler that makes the link'
test.each<[asked: Asked, outcome: string]>([
  [['one'], '/t/one'],
  [['one', { version: 'v1' }], '500 "version" needs a versioning() in front of the handler that makes the link.'],
  [['new'], `500 No route named "new". Did you mean "v1:new"? Its namespace is not filled in: ${NO_VERSIONING}.`],
  [['old'], `500 "old" (/:version/:id) needs a version and "id": ${NO_VERSIONING}.`],
  [['old', { kwargs: { id: 7 } }], `500 "old" (/:version/:id) needs a version: ${NO_VERSIONING}.`],
])('without versioning(), %j: %s', (asked, outcome) => {
  const told: string[] = []
  const table = namedRoutes({ one: '/one', old: '/:version/:id' })
  table.include('/1', namedRoutes({ new: '/new' }), { namespace: 'v1' }).use((req, _res, next) => {
    const [name, options] = asked
    const makes = [() => req.reverse(...asked), () => reverse(name, { request: req, ...options })]
    next(void told.push(...makes.map((make) => outcomeOf(make).made)))
  })
  const app = appOf((app) => app.use('/t', table))
  dispatch(app, { url: '/t/x' })
  expect(told).toEqual([outcome, outcome])
})

test('a route that the version of the link does not have, unless it is neutral', () => {
  const routes = users()
  routes.route('list').get(() => {})
  routes.route('pair').get(() => {})
  const changes = versionHistory('v1').version('v2', change('More.', { 'GET list': 'added' }))
  const made = (...asked: Asked) =>
    linkOf({ ...QUERY, routes, changes, neutral: ['files'] }, '/?version=v1', asked).made
  expect(made('list')).toBe('500 "list" is not there in the version of the link.')
  expect(made('list', { version: 'v2' })).toBe('/users?version=v2')
  expect(made('list', { version: null })).toBe('/users')
  expect(made('pair', { args: [1, 2] })).toBe('/pairs/1/2?version=v1')
  expect(made('files', { args: [['a']] })).toBe('/files/a?version=v1')
})

describe('reverse()', () => {
  test('links for code that has no handler around it, and changes nothing of the caller', () => {
    const [args, kwargs] = [Object.freeze([1]), Object.freeze({ version: 'mine' })]
    const options = Object.freeze({ args, kwargs, query: Object.freeze({ a: 'b' }), format: 'json', hash: 'x' })
    const routes = namedRoutes({ one: '/:version/one/:id.:format' })
    const { req } = linkOf({ ...PATH, routes }, '/v1/one/2.x', ['one'])
    expect(reverse('one', { request: req, ...options })).toBe('/v1/one/1.json?a=b#x')
    expect(reverse('one', { request: req, args: [1, 'x'], version: 'v2' })).toBe('/v2/one/1.x')
  })

  test('without a request it says what to do', () => {
    const needs = 'reverse() needs the request whose version the link keeps: reverse("one", { request: req }).'
    const message = `${needs} Without one, call reverse() of the table itself.`
    for (const options of [undefined, {}]) {
      expect(() => reverse('one', options as never)).toThrow(new NoReverseMatch(message))
    }
  })

  test('throws an error with a code, and the names that were tried', () => {
    const { req } = linkOf({ ...NAMESPACE, routes: routesFor(NamespaceVersioning) }, '/v1/x', ['list'])
    const failure = { reason: 'is not the name of a route', unknown: true }
    const failures = ['v1:b', 'b'].map((viewName) => ({ viewName, ...failure }))
    const shared = { name: 'NoReverseMatch', code: 'ERR_NO_REVERSE_MATCH', status: 500, statusCode: 500 }
    expect(() => req.reverse('b')).toThrow(expect.objectContaining({ ...shared, expose: false, failures, unfit: [] }))
  })
})

describe("a scheme's own reverse()", () => {
  class tagging extends URLPathVersioning {
    override reverse(...asked: Parameters<URLPathVersioning['reverse']>): string {
      return `${super.reverse(...asked)}#own`
    }
  }
  const throwing = (error: (viewName: string) => Error) =>
    class extends URLPathVersioning {
      override reverse(viewName: string): string {
        throw error(viewName)
      }
    }
  const failure = { reason: 'is nowhere', unknown: true }
  const nowhere = throwing((viewName) => new NoReverseMatch('own', { failures: [{ viewName, ...failure }] }))
  const routes = namedRoutes({ list: '/:version/users', health: '/health' })
  const beside = (Scheme: new () => BaseVersioning) =>
    new CombinedVersioning({ schemes: [new Scheme(), new QueryParameterVersioning()] })
  const notToday = throwing(() => new NoReverseMatch('not today'))

  test.each<[what: string, Options, asked: Asked, outcome: string]>([
    ['is called', { scheme: tagging, routes }, ['list'], '/v1/users#own'],
    ['falls back', { scheme: tagging, routes }, ['health'], '/health'],
    ['tells its own reason', { scheme: notToday, routes }, ['list'], '500 not today'],
    ['has near names', { scheme: nowhere, routes }, ['lst', V2], '500 No route named "lst". Did you mean "list"?'],
    ['has near names of a table only', { scheme: nowhere }, ['lst', V2], '500 No route named "lst".'],
    ['beside others, leaves names', { scheme: beside(tagging), routes }, ['health'], '/health?version=v1'],
    ['beside others, its reason is final', { scheme: beside(notToday), routes }, ['health'], '500 not today'],
  ])('%s', (_what, options, asked, outcome) => {
    expect(linkOf(options, '/v1/users', asked).made).toBe(outcome)
  })

  test('other errors are passed on', () => {
    const broken = () => linkOf({ scheme: throwing(() => new RangeError('broken')), routes }, '/v1/users', ['list'])
    expect(broken).toThrow(new RangeError('broken'))
  })
})

describe('NamespaceVersioning tries', () => {
  const item = () => namedRoutes({ item: '/items/:id', v1: '/about-v1' })
  const leaf = (path: `/${string}`) => namedRoutes({ item: path })
  const versions = (root: object) => below(root, { v1: item(), v2: item() })
  const shops = below(versions(namedRoutes({ v1: '/one', v2: '/two' })), {
    shop: versions(namedRoutes({})),
    lab: below(namedRoutes({}), { v2: leaf('/:kind') }),
  })
  const parts = () => below(namedRoutes({}), { a: leaf('/x'), b: leaf('/y') })
  const first = () => below(namedRoutes({ status: '/status' }), { v1: parts(), v2: parts() })
  const between = below(namedRoutes({ status: '/status' }), { p: first() })
  const none = below(namedRoutes({}), { q: below(namedRoutes({}), { r: parts() }) })
  const ignore = [...'pqrab', 'shop', 'lab']

  test.each<[what: string, routes: object, url: string, Asked, link: string]>([
    ['a full name in its own version', shops, '/v1/items/1', ['v1:item', { args: [7], version: 'v1' }], '/v1/items/7'],
    ['a full name in the other', shops, '/v1/items/1', ['v1:item', { args: [7], version: 'v2' }], '/v2/items/7'],
    ['a view that is named as the version', shops, '/v1/items/1', ['v1', V2], '/v2/about-v1'],
    ['or one at the end of a full name', shops, '/shop/v1/items/1', ['shop:v1:v1', V2], '/shop/v2/about-v1'],
    ['the version first, for the other', first(), '/v1/a/x', ['item', V2], '/v2/a/x'],
    ['between, in place of the version', between, '/p/v1/a/x', ['item', V2], '/p/v2/a/x'],
    ['between, a full name', between, '/p/v1/a/x', ['p:v1:b:item', V2], '/p/v2/b/y'],
    ['the bare name', between, '/p/v1/a/x', ['status'], '/status'],
    ['no version at all', none, '/q/r/a/x', ['item', V2], '500 No route named "v2:item".'],
  ])('%s', (_what, routes, url, asked, link) => {
    const scheme = new NamespaceVersioning({ allowedVersions: V, defaultVersion: 'v1', ignore })
    expect(linkOf({ scheme, routes }, url, asked).made).toBe(link)
  })
})

const FIELDS = 'X-Forwarded-Host, X-Forwarded-Proto'
test.each<[trust: unknown, Options, LinkOptions, outcome: string, vary: string | undefined]>([
  [true, QUERY, { absolute: true }, 'https://evil.example/users', FIELDS],
  [1, HEADER, { absolute: true }, 'https://evil.example/users', `X-API-Version, ${FIELDS}`],
  ['10.0.0.0/8', QUERY, { absolute: true }, 'http://a.example/users', undefined],
  [true, QUERY, { absolute: true, origin: 'https://c.example' }, 'https://c.example/users', undefined],
  [true, QUERY, {}, '/users', undefined],
])('trust proxy %p, %p, %p: %s; `Vary` names the fields of the proxy', (trust, options, link, outcome, vary) => {
  for (const forwarded of [{ 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }, {}]) {
    const sent = { url: '/', headers: { host: 'a.example', ...forwarded } as Record<string, string> }
    const { made, req, res } = linkOf({ ...options, trust, routes: users() }, sent, ['list', link])
    // Pages have several links.
    expect(outcomeOf(() => req.reverse('list', link)).made).toBe(made)
    if ('x-forwarded-host' in forwarded) expect(made).toBe(outcome)
    expect(String(res.getHeader('vary')).toLowerCase()).toBe(String(vary).toLowerCase())
  }
})

describe('publicPath', () => {
  const link: RequestHandler = (req, _res, next) => next(void Object.assign(req, { made: req.reverse('list') }))
  const SHOP = { publicPath: '/shop' }

  test.each<[outer: object, inner: object, start: string]>([
    [SHOP, { publicPath: '/cart' }, '/cart'],
    [SHOP, { publicPath: undefined }, '/shop'],
    [{}, SHOP, '/shop'],
    [{ ...SHOP, neutral: ['list'] }, {}, '/shop'],
  ])('of the last versioning() that has one, the inner one in the table: %j, then %j', (outer, inner, start) => {
    const table = users().use(versioning({ ...HEADER, ...inner }), link)
    const app = appOf((app) => app.use(versioning({ ...HEADER, routes: table, ...outer }), table))
    expect(dispatch(app, { url: '/users' }).req).toMatchObject({ made: `${start}/users` })
  })

  test('belongs to one request, and not to links of the table', () => {
    const routes = users()
    const made = [SHOP, {}].map((more) => linkOf({ ...HEADER, ...more, routes }, '/', ['list']).made)
    expect([...made, routes.reverse('list')]).toEqual(['/shop/users', '/users', '/users'])
  })
})
