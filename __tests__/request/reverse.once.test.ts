import type { Request, RequestHandler } from 'express'
import type { BaseVersioning, LinkOptions, VersioningOptions } from 'express-versioning'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, type Sent } from '../support/dispatch'
import { rows } from '../support/rows'
import { accept, combined, header, host, namespace, path, query } from '../support/schemes'
import { inNamespaces } from '../support/tables'

const { HeaderVersioning, HostNameVersioning, NamespaceVersioning, NoReverseMatch, namedRoutes } = library
const { QueryParameterVersioning, reverse, URLPathVersioning, versioning } = library

type Asked = [name: string, options?: LinkOptions]
type Make = (req: Request) => Asked
type Options = Omit<VersioningOptions, 'routes'> & { routes?: object; mount?: string; trust?: unknown }

/** Returns the link that a request gets behind `versioning(options)`, or the status and message of its error. */
function linkOf({ mount = '/', trust = false, ...more }: Options, sent: string | Sent, make: Asked | Make) {
  const options = { routes: routesFor(more.scheme), ...more } as VersioningOptions
  const app = appOf((app) => void app.set('trust proxy', trust).use(mount, versioning(options)))
  const { req, res } = dispatch(app, typeof sent === 'string' ? { url: sent } : sent)
  const asked = typeof make === 'function' ? make(req) : make
  const made = outcomeOf(() => req.reverse(...asked))
  // Pages have several links.
  expect(outcomeOf(() => req.reverse(...asked))).toBe(made)
  return { req, res, made }
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
  if (scheme === NamespaceVersioning) return inNamespaces(home, { v1: users(), v2: users() })
  return home.include(scheme === URLPathVersioning ? '/:version' : '/', users())
}

const V = ['v1', 'v2']
const PATH = { scheme: URLPathVersioning, allowedVersions: V }
const NAMESPACE = { scheme: NamespaceVersioning, allowedVersions: V }
const QUERY = { scheme: QueryParameterVersioning }
const HEADER = { scheme: HeaderVersioning }
const HOST = { scheme: HostNameVersioning }
const NO_MOUNT = '400 The path that this request was mounted at cannot start a link.'
const NO_HOST = '400 The host of this request cannot start a link.'
const NO_PLACE = '400 The host of this request has no place for a version.'
const CANNOT = 'The host of this request cannot carry that version.'
const OTHER_HOST = '500 The host of the other version is not one of the allowed hosts.'
const RELATIVE = '500 A link to another version changes the host, so it needs { absolute: true }.'
const NOT_ALLOWED = '400 The host of this request is not one of the allowed hosts.'
const ONE_OF = '500 "version" takes one of the allowed versions: "v1", "v2".'
const NOT_TEXT = '500 "version" takes a well-formed string or null; got a string.'
const PAIR = '500 "pair" (/pairs/:a/:b) needs "a" and "b".'
const EXTRA = 'The link was given the unknown option "id": parameters go into "kwargs".'
const NO_TABLE =
  '500 No route table in sight: give versioning() the root namedRoutes() table as `routes`, or make the link inside a table that handles the request.'
const V2 = { version: 'v2' }
const NONE = { version: null }
const OTHERS = { query: new URLSearchParams('Version=1&version=2&version%5B%5D=3&=4'), hash: '?x' }
const SAID = { query: { version: '9', page: 2 } }
const PATH_ALONE = { ...PATH, defaultVersion: 'v1', routes: undefined as never }
const TENANT = { ...QUERY, mount: '/:tenant' }
const REST = { ...QUERY, mount: '/*rest' }
const ORIGIN = { ...QUERY, origin: 'https://a.example' }
const HOSTS = { ...QUERY, allowedHosts: ['API.example.com'] }
const SHOP = { publicPath: '/shop' }
const shop = (options: Options) => ({ ...options, ...SHOP, mount: '/api' })
const FULL = { query: { page: 2, tag: ['a', 'b c'] }, hash: 'a b' }
const changes = versionHistory('v1').version('v2', change('More.', { 'GET late': 'added' }))
const late = users().add('late', '/late')
for (const name of ['late', 'pair'] as const) late.route(name).get(() => {})
const CHANGED = { ...QUERY, changes, neutral: ['files'], routes: late }
const at = (host: string) => ({ url: '/users', headers: { host } })
const absolute = (more: object = {}): Asked => ['list', { absolute: true, ...more }]
const byHost = (hostnamePattern: RegExp) => ({ scheme: host({ hostnamePattern }) })
const PUBLIC = 'https://v1.pub.com'
const TWO_HOSTS = { ...HOST, allowedHosts: ['v1.api.com', 'v2.api.com'] }
const WWW = { scheme: host({ ignore: ['www'] }) }
const parseVersion = (text: string, versions: readonly string[]) => (text === 'latest' ? versions.at(-1) : text)
const PARSED = { ...HOST, allowedVersions: V, parseVersion }
const assigning: Make = (req) => absolute(void Object.assign(req, { version: 'v1' }))

const own =
  (name: string, key: string): Make =>
  (req) => [name, { kwargs: { [key]: req.resolverMatch?.params[key] } as LinkOptions['kwargs'] }]
const item: Make = (req) => ['files', { kwargs: { path: ['a', String(req.resolverMatch?.params.id)] } }]
const version: Make = (req) => ['list', { version: String(req.query.v) }]
const name: Make = (req) => [String(req.query.to)]
const origin: Make = (req) => ['list', { origin: String(req.query.to), absolute: true }]
const split: Make = (req) => ['files', { kwargs: { path: String(req.resolverMatch?.params.id).split('/') } }]
/** Gives the link an option that the client sent. */
const given =
  (option: string): Make =>
  (req) => ['list', { [option]: req.query.q } as LinkOptions]
const headerFirst = (other: BaseVersioning) => ({ scheme: combined([header(), other]) })
const BY_ID = headerFirst(path({ versionParam: 'id' }))
const LISTED = { ...QUERY, allowedVersions: V }
const DOTS = { url: '/x', headers: { 'x-api-version': '..' } }

const tagging = (Scheme: typeof URLPathVersioning) =>
  class extends Scheme {
    override reverse(...asked: Parameters<library.URLPathVersioning['reverse']>): string {
      return `${super.reverse(...asked)}#own`
    }
  }
const Tagging = tagging(URLPathVersioning)
const OWN_SPACES = {
  scheme: tagging(NamespaceVersioning as never),
  allowedVersions: V,
  routes: routesFor(NamespaceVersioning),
}
const throwing = (error: (viewName: string) => Error) =>
  class extends URLPathVersioning {
    override reverse(viewName: string): string {
      throw error(viewName)
    }
  }
const failure = { reason: 'is nowhere', unknown: true }
const Nowhere = throwing((viewName) => new NoReverseMatch('own', { failures: [{ viewName, ...failure }] }))
const NotToday = throwing(() => new NoReverseMatch('not today'))
const routes = namedRoutes({ list: '/:version/users', health: '/health' })
const beside = (Scheme: new () => BaseVersioning) => ({ scheme: combined([new Scheme(), query()]), routes })

/** Tables with namespaces that are no versions around the versions, between and below them. */
const ignore = [...'pqrab', 'shop', 'lab']
const nested = (routes: object) => ({ scheme: namespace({ allowedVersions: V, defaultVersion: 'v1', ignore }), routes })
const leaf = (path: string) => namedRoutes({ item: path })
const about = () => namedRoutes({ item: '/items/:id', v1: '/about-v1' })
const versions = (root: object) => inNamespaces(root, { v1: about(), v2: about() })
const parts = () => inNamespaces(namedRoutes({}), { a: leaf('/x'), b: leaf('/y') })
const first = () => inNamespaces(namedRoutes({ status: '/status' }), { v1: parts(), v2: parts() })
const lab = inNamespaces(namedRoutes({}), { v2: leaf('/:kind') })
const SHOPS = nested(
  inNamespaces(versions(namedRoutes({ v1: '/one', v2: '/two' })), { shop: versions(namedRoutes({})), lab }),
)
const FIRST = nested(first())
const BETWEEN = nested(inNamespaces(namedRoutes({ status: '/status' }), { p: first() }))
const NOWHERE = nested(inNamespaces(namedRoutes({}), { q: inNamespaces(namedRoutes({}), { r: parts() }) }))

// Requests, the asked link, the link or its error, and the options of versioning().
test.each<[sent: string | Sent, asked: Asked | Make, outcome: string | RegExp, Options]>([
  // The version of the request.
  ['/api/v1/x', ['detail', { args: [7, 'json'] }], '/shop/api/v1/users/7.json', shop(PATH)],
  ['/api/v2/x', ['files', { kwargs: { path: ['a b', 'c/d'] } }], '/shop/api/v2/files/a%20b/c%2Fd', shop(NAMESPACE)],
  ['/api/x?version=v2', ['list', FULL], '/shop/api/users?page=2&tag=a&tag=b%20c&version=v2#a%20b', shop(QUERY)],
  ['/api/x', ['list', FULL], '/shop/api/users?page=2&tag=a&tag=b%20c#a%20b', shop(HEADER)],
  ['/api/v1/x', ['status'], '/shop/api/status', shop(PATH)],
  // A route that the version of the link does not have, unless it is neutral.
  ['/?version=v1', ['late'], '500 "late" is not there in the version of the link.', CHANGED],
  ['/?version=v1', ['late', V2], '/late?version=v2', CHANGED],
  ['/?version=v1', ['late', NONE], '/late', CHANGED],
  ['/?version=v1', ['pair', { args: [1, 2] }], '/pairs/1/2?version=v1', CHANGED],
  ['/?version=v1', ['files', { args: [['a']] }], '/files/a?version=v1', CHANGED],
  // Another version, or none.
  ['/v1/x', ['list', V2], '/v2/users', PATH],
  ['/v1/x', ['list', NONE], '500 "list" (/:version/users) needs "version".', PATH],
  ['/v1/x', ['list', { version: 'v9' }], ONE_OF, PATH],
  ['/v1/x', ['list', { version: '\ud800' }], NOT_TEXT, PATH],
  ['/v1/x', ['list', NONE], '500 No route named "list". Did you mean "v1:list" or "v2:list"?', NAMESPACE],
  ['/v1/x', ['status', { query: 7 as never }], /^500 "query" takes an object/, NAMESPACE],
  ['/v1/x', ['status', V2], '500 No route named "v2:status". Did you mean "status"?', NAMESPACE],
  ['/status', ['list', V2], '/v2/users', { ...NAMESPACE, neutral: ['status'] }],
  ['/', ['list', { query: { version: '9' } }], '/users?version=9', QUERY],
  ['/', ['list', { ...SAID, ...NONE }], '/users?page=2', QUERY],
  ['/x?version=v1', ['list', OTHERS], '/users?Version=1&version%5B%5D=3&=4&version=v1#%3Fx', QUERY],
  ['/x?version=v1', ['list', { version: 'a b&' }], '/users?version=a%20b%26', QUERY],
  ['/', ['list', V2], '500 HeaderVersioning keeps no version in URLs, so "version" cannot choose one.', HEADER],
  // Names, arguments and options that do not fit.
  ['/', [7 as never], '500 reverse() takes a view name; got a number.', QUERY],
  ['/', ['list', 7 as never], '500 reverse() takes an object of options; got a number.', QUERY],
  ['/', ['pair', { id: 7 } as never], `${PAIR} ${EXTRA}`, QUERY],
  ['/', ['list', { hash: '' }], '/users', QUERY],
  ['/', ['list', { hash: Symbol('x') as never }], '500 "hash" takes a string; got a symbol.', QUERY],
  ['/v1/x', ['pair', {}], '500 "v1:pair" (/v1/pairs/:a/:b) needs "a" and "b". No route named "pair".', NAMESPACE],
  ['/', ['list'], NO_TABLE, { ...QUERY, routes: undefined as never }],
  ['/', ['list'], NO_TABLE, PATH_ALONE],
  ['/', ['list', V2], NO_TABLE, PATH_ALONE],
  // Mounts that the client spells.
  ['/acme/x', ['list'], '/acme/users', TENANT],
  ['/a\\b/x', ['list'], '/a%5Cb/users', TENANT],
  ['/%2e%2E/x', ['list'], NO_MOUNT, TENANT],
  ['/.well-known/x', ['list'], '/.well-known/users', TENANT],
  ['//', ['list'], NO_MOUNT, REST],
  // Absolute links.
  [at('api.v1.b.com'), absolute(NONE), 'http://api.b.com/users', byHost(/^api\.(v\d+)\./)],
  [at('v1api.b.com'), absolute(NONE), 'http://api.b.com/users', byHost(/^(v\d+)?api\./)],
  [at('apiv1.b.com'), absolute(NONE), 'http://api.b.com/users', byHost(/^api(v\d+)?\./)],
  [at('[::1]:3000'), absolute(), 'http://[::1]:3000/users', QUERY],
  [at('b.com.'), absolute(), 'http://b.com/users', QUERY],
  [at('b.example'), absolute(), 'https://a.example/users', ORIGIN],
  [at('b'), absolute({ origin: 'http://b.example:81' }), 'http://b.example:81/users', ORIGIN],
  [at('b.com'), absolute(), 'http://b.com/shop/users', { ...QUERY, ...SHOP }],
  [at('api.EXAMPLE.com:80'), absolute(), 'http://api.example.com/users', HOSTS],
  [at('b.com'), absolute(), NOT_ALLOWED, HOSTS],
  ['/users', absolute(), NO_HOST, QUERY],
  [at('a@evil.com'), absolute(), NO_HOST, QUERY],
  // Links whose version stands in the host
  [at('v1.api.com:8080'), absolute(V2), 'http://v2.api.com:8080/users', HOST],
  [at('v1.api.com'), absolute(NONE), 'http://api.com/users', HOST],
  [at('localhost'), absolute(V2), NO_PLACE, HOST],
  [at('v1.b.c'), absolute({ origin: 'https://b.com', ...V2 }), /^500 The host of "origin" has no place/, HOST],
  [at('x.b.c'), ['list', V2], RELATIVE, HOST],
  // The host of a URL has no upper case.
  [at('v1.api.com'), absolute({ version: 'V2' }), `500 ${CANNOT}`, { ...HOST, allowedVersions: ['V2', 'v1'] }],
  [at('v1.api.com'), absolute(V2), 'http://v2.api.com/users', byHost(/^(v\d)\.api\.com$/d)],
  [at('v1.api.com'), absolute(NONE), `400 ${CANNOT}`, byHost(/^(\w+)\./)],
  [at('b.c'), absolute({ origin: PUBLIC, ...NONE }), /^500 The host of "origin" cannot carry/, byHost(/^(\w+)\./)],
  [at('api-v1.acme.com'), absolute(NONE), 'http://api-.acme.com/users', byHost(/^api-(\w+)\./)],
  // `allowedHosts` limits the host of the request alone.
  [at('v1.api.com'), absolute(V2), 'http://v2.api.com/users', TWO_HOSTS],
  [at('v1.api.com'), absolute({ version: 'v3' }), OTHER_HOST, TWO_HOSTS],
  [at('v1.api.com'), absolute(V2), 'https://v2.pub.com/users', { ...TWO_HOSTS, origin: PUBLIC }],
  // An ignored label is the place of a version, but no version.
  [at('www.api.com'), absolute(V2), 'http://v2.api.com/users', WWW],
  [at('www.api.com'), absolute(NONE), 'http://www.api.com/users', WWW],
  [at('v1.api.com'), absolute({ version: 'www' }), `500 ${CANNOT}`, WWW],
  // An absolute link has the accepted version instead of the text that means it, if it can.
  [at('latest.api.com:8080'), absolute(), 'http://v2.api.com:8080/users', PARSED],
  [at('latest.api.com'), ['list'], '/users', PARSED],
  [at('latest.api.com'), absolute({ origin: 'https://latest.pub.com' }), 'https://latest.pub.com/users', PARSED],
  [at('latest.api.com'), absolute(), 'https://v1.pub.com/users', { ...PARSED, origin: PUBLIC }],
  [at('latest.api.com'), absolute(), 'http://latest.api.com/users', { ...PARSED, allowedHosts: ['latest.api.com'] }],
  ['/users', absolute(), NO_HOST, PARSED],
  // A version that a handler assigned changes no host.
  [at('latest.api.com'), assigning, 'http://latest.api.com/users', PARSED],
  // A link that only the request makes impossible is 400, and does not repeat its values.
  ['/v1/users/%2e%2e', own('detail', 'id'), /^400 .* a dot segment would change/, NAMESPACE],
  ['/files/a//b', own('files', 'path'), /^400 .* an empty segment would change/, QUERY],
  ['/users/%2e%2e', item, /^400 .* a dot segment/, QUERY],
  ['/users/%2e%2e%2Fa', split, /^400 .* a dot segment/, QUERY],
  ['/?q=1', given('query'), /^400 "query" takes an object/, QUERY],
  ['/?q=1&q=2', given('hash'), /^400 "hash" takes a string; got a list/, QUERY],
  ['/?q=1&q=2', given('version'), /^400 "version" takes a well-formed string/, QUERY],
  ['/?version=v1&v=../9', version, /^400 "version" takes one of/, LISTED],
  ['/?to=x:', origin, /^400 "origin" takes an origin such as/, QUERY],
  ['/?to=nope', name, /^400 No route has the name that this req/, QUERY],
  [DOTS, ['detail'], /^400 .*cannot take "id": a dot segment/, BY_ID],
  // A value of the programmer, an empty object and an unlisted version are no fault of the request.
  ['/users/7', ['files', { kwargs: { path: ['..'] } }], /^500 "files"/, QUERY],
  ['/?a[b]=', ['detail', { kwargs: { id: {} as never } }], /^500 "detail"/, QUERY],
  [DOTS, ['x'], /^500 .*"<version>:x"/, headerFirst(namespace())],
  // A scheme's own reverse() is called, falls back, tells its own reason, and gets near names from tables.
  ['/v1/users', ['list'], '/v1/users#own', { scheme: Tagging, routes }],
  ['/v1/users', ['health'], '/health', { scheme: Tagging, routes }],
  ['/v1/users', ['list'], '500 not today', { scheme: NotToday, routes }],
  ['/v1/users', ['lst', V2], '500 No route named "lst". Did you mean "list"?', { scheme: Nowhere, routes }],
  ['/v1/users', ['lst', V2], '500 No route named "lst".', { scheme: Nowhere, routes: undefined as never }],
  // Beside other schemes it leaves names to them, but its reason is final.
  ['/v1/users', ['health'], '/health?version=v1', beside(Tagging)],
  ['/v1/users', ['health'], '500 not today', beside(NotToday)],
  // NamespaceVersioning tries a full name in either version, a view that is named as the version,
  ['/v1/items/1', ['v1:item', { args: [7], version: 'v1' }], '/v1/items/7', SHOPS],
  ['/v1/items/1', ['v1:item', { args: [7], version: 'v2' }], '/v2/items/7', SHOPS],
  ['/v1/items/1', ['v1', V2], '/v2/about-v1', SHOPS],
  ['/shop/v1/items/1', ['shop:v1:v1', V2], '/shop/v2/about-v1', SHOPS],
  // the version first or in its place between others, the bare name, and no version at all.
  ['/v1/a/x', ['item', V2], '/v2/a/x', FIRST],
  ['/p/v1/a/x', ['item', V2], '/p/v2/a/x', BETWEEN],
  ['/p/v1/a/x', ['p:v1:b:item', V2], '/p/v2/b/y', BETWEEN],
  ['/p/v1/a/x', ['status'], '/status', BETWEEN],
  ['/v1/a/x', ['item'], '/v1/a/x', FIRST],
  ['/q/r/a/x', ['item', V2], '500 No route named "v2:item".', NOWHERE],
  // A subclass with its own reverse() is asked first; then the names of nested namespaces.
  ['/v1/x', ['list'], '/v1/users#own', OWN_SPACES],
  ['/v1/x', ['v1:list'], '/v1/users', OWN_SPACES],
])('%j %j: %s', (sent, asked, outcome, options) => {
  const { made } = linkOf(options, sent, asked)
  if (typeof outcome === 'string') return expect(made).toBe(outcome)
  expect(made).toMatch(outcome)
  for (const word of ['..', '../9', 'nope']) expect(made).not.toContain(word)
})

/** A table with `/:version/users` and `/users`, and routes in only one of the two forms. */
const one = () => namedRoutes({ users: '/users' })
const health = () => namedRoutes({ health: '/health' })
const inPath = health().include('/:version', one(), { namespace: 'in-path' }).include('/', one())
const inSpaces = inNamespaces(health(), { v1: one(), v2: one() })
const inner = () => combined([path(), query()])
const SCHEMES: Record<string, () => BaseVersioning> = { path, query, namespace, header, accept, host, inner }
const LINKS = rows(`
  // schemes | url | X-API-Version | name | version of the link | link
  // The scheme that named the version keeps it.
  path,header      | /v1/users         | -  | in-path:users  | -  | /v1/users
  path,header      | /users            | v2 | users          | -  | /users
  path,header      | /v1/users         | -  | health         | -  | /health
  path,query       | /users            | -  | users          | -  | /users
  // Where it has no place for it, another scheme keeps it.
  path,query       | /users?version=v2 | -  | in-path:users  | -  | /v2/users
  path,query       | /v2/users         | -  | users          | -  | /users?version=v2
  // Another version goes where the request's stands, else to the first scheme that has a place.
  path,query       | /v1/users         | -  | in-path:users  | v2 | /v2/users
  path,query       | /users?version=v1 | -  | users          | v2 | /users?version=v2
  path,query       | /users            | -  | users          | v2 | /users?version=v2
  namespace,header | /v1/users         | -  | users          | v2 | /v2/users
  namespace,header | /v1/users         | -  | v2:users       | -  | /v2/users
  namespace,header | /health           | v2 | users          | -  | /v2/users
  namespace,header | /health           | v1 | users          | v2 | /v2/users
  inner,header     | /users?version=v2 | -  | users          | -  | /users?version=v2
  inner,header     | /users            | v1 | users          | v2 | /users?version=v2
  header,accept    | /users            | v2 | users          | -  | /users
  // Failures are told once.
  path,query       | /v1/users         | -  | userss         | -  | 500 No route named "userss". Did you mean "users"?
  header,accept    | /users            | -  | users          | v2 | 500 CombinedVersioning keeps no version in URLs, so "version" cannot choose one.
  host,header      | /users            | -  | users          | v2 | 400 The host of this request has no place for a version.
  host,query       | /users            | -  | userss         | v2 | 500 No route named "userss". Did you mean "users"?
  path,header      | /v1/users         | -  | in-path:users  | v3 | 500 "version" takes one of the allowed versions: "v1", "v2".`)
test.each(LINKS)('%s: %s %s, %s in %s: %s', (list = '', url = '', field = '', name = '', version, expected) => {
  const parts = list.split(',').map((name) => SCHEMES[name]?.() as BaseVersioning)
  const scheme = combined(parts, { allowedVersions: V, defaultVersion: 'v1' })
  const routes = list.startsWith('namespace') ? inSpaces : inPath
  const headers: Record<string, string> = { host: 'localhost', ...(field !== '-' && { 'x-api-version': field }) }
  const link = version === '-' ? {} : { version, absolute: list.startsWith('host') }
  expect(linkOf({ scheme, routes }, { url, headers }, [name, link]).made).toBe(expected)
})

test('a link to another version leaves out a query parameter whose strings are no versions', () => {
  const parseVersion = (text: string) => ({ v1: '1', v2: '2' })[text]
  const scheme = combined([path(), query({ parseVersion })], { allowedVersions: ['1', '2'], defaultVersion: '1' })
  const link = { version: '2', query: { version: 'v1', page: 2 } }
  expect(linkOf({ scheme, routes: inPath }, '/1/users', ['in-path:users', link]).made).toBe('/2/users?page=2')
})

test('links of one scheme to several versions', () => {
  const { req } = linkOf(QUERY, '/?version=v1', ['list'])
  const made = ['v1', 'v2', 'v1'].map((version) => req.reverse('list', { version }))
  expect(made).toEqual(['/users?version=v1', '/users?version=v2', '/users?version=v1'])
  expect(req.reverse('list', { hash: 'top' })).toBe('/users?version=v1#top')
})

test('other errors of a scheme are passed on', () => {
  const broken = () => linkOf({ scheme: throwing(() => new RangeError('broken')), routes }, '/v1/users', ['list'])
  expect(broken).toThrow(new RangeError('broken'))
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
    next(void told.push(...makes.map(outcomeOf)))
  })
  const app = appOf((app) => app.use('/t', table))
  dispatch(app, { url: '/t/x' })
  expect(told).toEqual([outcome, outcome])
  // Other requests have prepared Express's request.
  const { req } = dispatch(appOf(Boolean), { url: '/' })
  expect([req.version, req.versioningScheme, req.resolverMatch]).toEqual([undefined, undefined, undefined])
  expect(Object.assign(req, { version: 'own' }).version).toBe('own')
})

test('reverse() links for code that has no handler around it, and changes nothing of the caller', () => {
  const [args, kwargs] = [Object.freeze([1]), Object.freeze({ version: 'mine' })]
  const options = Object.freeze({ args, kwargs, query: Object.freeze({ a: 'b' }), format: 'json', hash: 'x' })
  const routes = namedRoutes({ one: '/:version/one/:id.:format' })
  const { req } = linkOf({ ...PATH, routes }, '/v1/one/2.x', ['one'])
  expect(reverse('one', { request: req, ...options })).toBe('/v1/one/1.json?a=b#x')
  expect(reverse('one', { request: req, args: [1, 'x'], version: 'v2' })).toBe('/v2/one/1.x')
})

test('reverse() without a request says what to do', () => {
  const needs = 'reverse() needs the request whose version the link keeps: reverse("one", { request: req }).'
  const message = `${needs} Without one, call reverse() of the table itself.`
  for (const options of [undefined, {}])
    expect(() => reverse('one', options as never)).toThrow(new NoReverseMatch(message))
})

test.each([
  ['/v1/x', 'list', '/v1/users', '/v1/users'],
  ['/v1/x', 'v1:list', undefined, '/v1/users'],
  ['/v1/x', 'v2:list', undefined, '/v2/users'],
  ['/v1/x', 'status', undefined, '/status'],
  ['/x', 'v1:list', '/v1/users', '/v1/users'],
  // Where namespaces nest, the rule knows the version alone.
  ['/in/v1/x', 'deep', undefined, '/in/v1/deep'],
])('at %s, NamespaceVersioning.reverse() itself makes of %s: %s; req.reverse: %s', (url, name, own, made) => {
  const routes = routesFor(NamespaceVersioning) as ReturnType<typeof namedRoutes>
  routes.include('/in', inNamespaces(namedRoutes({}), { v1: namedRoutes({ deep: '/deep' }) }), { namespace: 'in' })
  for (const Scheme of [NamespaceVersioning, class extends NamespaceVersioning {}]) {
    const scheme = new Scheme({ allowedVersions: V })
    const { req, made: found } = linkOf({ scheme, routes }, url, [name])
    expect(found).toBe(made)
    const link = () => scheme.reverse(name, { request: req })
    if (own === undefined) expect(link).toThrow(NoReverseMatch)
    else expect(link()).toBe(own)
  }
})

test('reverse() throws an error with a code, and the names that were tried; a scheme tries one', () => {
  const scheme = namespace({ allowedVersions: V })
  const { req } = linkOf({ scheme, routes: routesFor(NamespaceVersioning) }, '/v1/x', ['list'])
  const message = 'No link: "v1:b" is not the name of a route.'
  expect(() => scheme.reverse('b', { request: req })).toThrow(new NoReverseMatch(message))
  const failure = { reason: 'is not the name of a route', unknown: true }
  const failures = ['v1:b', 'b'].map((viewName) => ({ viewName, ...failure }))
  const shared = { name: 'NoReverseMatch', code: 'ERR_NO_REVERSE_MATCH', status: 500, statusCode: 500 }
  expect(() => req.reverse('b')).toThrow(expect.objectContaining({ ...shared, expose: false, failures, unfit: [] }))
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
    const { made, res } = linkOf({ ...options, trust }, sent, ['list', link])
    if ('x-forwarded-host' in forwarded) expect(made).toBe(outcome)
    expect(String(res.getHeader('vary')).toLowerCase()).toBe(String(vary).toLowerCase())
  }
})

const link: RequestHandler = (req, _res, next) => next(void Object.assign(req, { made: req.reverse('list') }))
test.each<[outer: object, inner: object, start: string]>([
  [SHOP, { publicPath: '/cart' }, '/cart'],
  [SHOP, { publicPath: undefined }, '/shop'],
  [{}, SHOP, '/shop'],
  [{ ...SHOP, neutral: ['list'] }, {}, '/shop'],
])('publicPath of the last versioning() that has one, the inner one in the table: %j, %j', (outer, inner, start) => {
  const table = users().use(versioning({ ...HEADER, ...inner }), link)
  const app = appOf((app) => app.use(versioning({ ...HEADER, routes: table, ...outer }), table))
  expect(dispatch(app, { url: '/users' }).req).toMatchObject({ made: `${start}/users` })
})
