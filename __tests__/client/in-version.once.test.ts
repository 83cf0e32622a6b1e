import express, { type Application } from 'express'
import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  type LinkKwargs,
  MediaTypeVersioning,
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type SchemeClass,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { inVersion, versionsOf } from 'express-versioning/client'
import fc from 'fast-check'
import { anyVersion, codePoint } from '../support/code-points'
import { property } from '../support/property'
import { blocks, page } from '../support/readme'
import { rows } from '../support/rows'
import { listen } from '../support/serve'
import { request } from '../support/supertest'

type Tables = (users: NamedRoutes, versions: readonly string[]) => NamedRoutes
type Setup = readonly [name: string, mount: string, Scheme: SchemeClass, options?: object, routes?: Tables]

const under =
  (prefix: string): Tables =>
  (users) =>
    namedRoutes({}).include(prefix, users)
const inNamespaces: Tables = (users, versions) => {
  const table: NamedRoutes = namedRoutes({})
  for (const [index, namespace] of versions.entries()) table.include(`/n${index}`, users, { namespace })
  return table
}
const nested: Tables = (...given) => namedRoutes({}).include('/api', inNamespaces(...given), { namespace: 'api' })
class Three extends CombinedVersioning {
  constructor(settings: object) {
    super({ ...settings, schemes: [new HeaderVersioning(), new URLPathVersioning(), new QueryParameterVersioning()] })
  }
}
const template = 'application/vnd.acme.{version}+json'

const setups: readonly Setup[] = [
  ['header', '/api', HeaderVersioning],
  ['accept', '/api', AcceptHeaderVersioning],
  ['media type', '/api', MediaTypeVersioning as never, { template }],
  ['query', '/api', QueryParameterVersioning, { versionParam: 'v' }],
  ['host', '/api', HostNameVersioning],
  ['mount', '/:version', URLPathVersioning],
  ['path', '/', URLPathVersioning, { versionParam: 'v' }, under('/api{/:v}')],
  ['namespace', '/api', NamespaceVersioning, {}, inNamespaces],
  ['nested namespace', '/', NamespaceVersioning, { ignore: ['api'] }, nested],
  ['three', '/api', Three as never, {}, under('{/:version}')],
]

/** Builds an app whose handlers answer with their view of the request. Returns it with the options of server and client. */
function serverOf([name, mount, Scheme, more, around = under('/')]: Setup, allowedVersions: readonly string[]) {
  const users: NamedRoutes = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
  for (const name of ['user-list', 'user-detail'])
    users.route(name).get(({ version, params, query }, res) => void res.json({ name, version, params, query }))
  const routes = around(users, allowedVersions)
  const options: VersioningOptions = { scheme: new Scheme({ allowedVersions, ...more }), routes }
  const app: Application = express().use(mount, versioning(options), routes)
  return { app, options, client: name === 'host' ? { mount, host: 'example.com' } : { mount } }
}

// A path segment can carry these texts.
const id = fc.string({ unit: codePoint, minLength: 1 }).filter((text) => !/^\.{1,2}$|\p{Cc}|\p{Surrogate}/u.test(text))

let current: Application
let origin: string
beforeAll(async () => {
  ;({ origin } = await listen(express().use((req, res) => current(req, res))))
})

property(
  'a request of inVersion() is decided as that version, and reaches the named handler, sent by fetch and by supertest',
  fc.asyncProperty(fc.constantFrom(...setups), anyVersion, id, async (setup, asked, user) => {
    const [name, , Scheme, more] = setup
    // There is no route in such a namespace.
    if (name.includes('namespace') && (asked === '' || asked.includes(':'))) return
    const make = () => {
      const server = serverOf(setup, [asked])
      return { app: server.app, ...inVersion(asked, server.options, server.client) }
    }
    if (new Scheme({ ...more }).carry(asked) === undefined) return void expect(make).toThrow(TypeError)
    const { app, headers, path, url } = make()
    const link = { kwargs: { id: user }, query: { page: 2 } }
    const query = expect.objectContaining({ page: '2' })
    const expected = { name: 'user-detail', version: asked, params: { id: user }, query }
    const { body } = await request(app).get(path('user-detail', link)).set(headers)
    expect(body).toMatchObject(expected)
    // fetch() drops the field Host.
    if (name === 'host') return
    current = app
    const answer = await fetch(url('user-detail', link, origin), { headers })
    expect(await answer.json()).toMatchObject(expected)
  }),
)

const hostile = fc.constantFrom('//evil.com', '/\\evil.com', '/', '..', '\ud800', '/a/../..//b', '/?//', '/#//')
property(
  'a path or URL stays on its host, whatever its names, arguments and mount are',
  fc.property(fc.constantFrom(...setups), fc.oneof(id, hostile), (setup, text) => {
    const { options, client } = serverOf(setup, ['v1'])
    const { path, url } = inVersion('v1', options, client)
    for (const make of [() => path(`/${text}`), () => path('user-detail', { kwargs: { id: text } })]) {
      let made: string
      try {
        made = make()
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_NO_REVERSE_MATCH' })
        continue
      }
      expect(new URL(made, 'http://here.test').host).toBe('here.test')
      expect(made).toMatch(/^\/(?!\/)[!-~]*$/)
      expect(new URL(url(`/x`, {}, 'http://here.test')).host).toBe('here.test')
    }
  }),
)

const allowedVersions = ['v1', 'v2']
const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' })
const inPath = namedRoutes({ home: '/', docs: '/docs' }).include('/:version', users)
const spaces = namedRoutes({ home: '/', docs: '/docs' })
  .include('/one', users, { namespace: 'v1' })
  .include('/two', users, { namespace: 'v2' })
const inner = namedRoutes({ list: '/list' })
const inV1 = () => namedRoutes({}).include('/1', inner, { namespace: 'v1' })
const deep = namedRoutes({ list: '/own' }).include('/deep', inner, { namespace: 'deep' })
const versions = namedRoutes({}).include('/1', deep, { namespace: 'v1' }).include('/2', deep, { namespace: 'v2' })
const nest = namedRoutes({}).include('/a', versions, { namespace: 'a' }).include('/2x', inV1(), { namespace: 'v2' })
const twice = namedRoutes({}).include('/a', inV1(), { namespace: 'a' }).include('/b', inV1(), { namespace: 'b' })
const tenant = namedRoutes({ copy: '/copies/:tenant/:id', user: '/users/:id' })

const HOSTS = { scheme: HostNameVersioning, routes: users }
const optionsOf = (more: object = {}) => ({ scheme: HeaderVersioning, allowedVersions, routes: users, ...more })
const both = () => [new HeaderVersioning(), new NamespaceVersioning()]
/** The options of servers, as the tables call them. */
const GIVEN: Record<string, () => object> = {
  header: () => ({}),
  query: () => ({ scheme: QueryParameterVersioning }),
  path: () => ({ scheme: URLPathVersioning }),
  inPath: () => ({ scheme: URLPathVersioning, routes: inPath }),
  neutral: () => ({ scheme: URLPathVersioning, routes: inPath, neutral: ['home'] }),
  bare: () => ({ scheme: URLPathVersioning, routes: undefined }),
  tenant: () => ({ routes: tenant }),
  spaces: () => ({ scheme: NamespaceVersioning, routes: spaces }),
  nest: () => ({ scheme: NamespaceVersioning, routes: nest }),
  twice: () => ({ scheme: NamespaceVersioning, routes: twice }),
  both: () => ({
    ...{ scheme: new CombinedVersioning({ schemes: both(), allowedVersions }), allowedVersions: undefined },
    routes: spaces,
  }),
}
const clientOf = (given = 'header', mount = '/') =>
  inVersion('v1', optionsOf(GIVEN[given]?.()) as VersioningOptions, { mount })
/** The error of a link. */
const noMatch = (message: string, more: object = {}) =>
  expect.objectContaining({ name: 'NoReverseMatch', code: 'ERR_NO_REVERSE_MATCH', status: 500, message, ...more })
/** The link, or the message of its error. */
function linkOf(link: () => string): string {
  try {
    return link()
  } catch (error) {
    expect(error).toEqual(noMatch((error as Error).message))
    return (error as Error).message
  }
}

test.each(
  rows(`
  header | /               | X-API-Version | /users/7
  header | /api/           | X-API-Version | /api/users/7
  query  | /api            | -             | /api/users/7?version=v1
  path   | /:version       | -             | /v1/users/7
  path   | /api{/:version} | -             | /api/v1/users/7
  inPath | /api            | -             | /api/v1/users/7
  inPath | /:version       | -             | /v1/v1/users/7`),
)('%s at %s sends %s to %s', (given, mount, header = '', path) => {
  const v1 = clientOf(given, mount)
  expect(v1.headers).toEqual(header === '-' ? {} : { [header]: 'v1' })
  expect([{ kwargs: { id: 7 } }, { args: [7] }].map((link) => v1.path('user-detail', link))).toEqual([path, path])
})

const ODD = { kwargs: { id: 7 }, format: 'json', query: { version: 'v2', q: 'a b' }, hash: 'top' }
test.each<[name: string, link: object, path: string]>([
  ['user-detail', ODD, '/api/users/7.json?q=a%20b&version=v1#top'],
  ['user-list', { absolute: undefined, query: undefined, format: null }, '/api/users?version=v1'],
  ['/users/7', {}, '/api/users/7?version=v1'],
  ['/', {}, '/api/?version=v1'],
  ['/users?page=2#top', {}, '/api/users?page=2&version=v1#top'],
  ['/users#top', { query: { page: 2 } }, '/api/users?page=2&version=v1#top'],
  ['/users?a=1', { query: { b: 2 } }, '/api/users?a=1&b=2&version=v1'],
  ['/users#a', { hash: 'b' }, '/api/users?version=v1#b'],
  ['/users?version=v9', {}, '/api/users?version=v1'],
])('the version is the last parameter, and the only one of its name: %s with %j', (name, link, path) => {
  expect(clientOf('query', '/api').path(name, link)).toBe(path)
})

const NO_TABLE = 'A view name needs a table: give versioning() the option "routes". A path starts with a slash.'
test.each<[mount: string, given: string, name: string, kwargs: LinkKwargs, expected: string]>([
  ['/:tenant/:version', 'bare', '/users', { tenant: 'a/b' }, '/a%2Fb/v1/users'],
  ['/:tenant/:version', 'bare', '/users', {}, '"mount" (/:tenant/:version) needs "tenant"; got "version".'],
  [
    '/:a/:version',
    'bare',
    '/x',
    { a: 'a', id: 7 },
    '"mount" (/:a/:version) takes no "id"; it takes "a" and "version".',
  ],
  ['/', 'bare', 'user-list', {}, NO_TABLE],
  ['/:a-:b', 'header', '/users', { a: 'x', b: 'y' }, '/x-y/users'],
  ['/:a-:b', 'header', '/users', { a: 'x', b: 'y-z' }, '"mount" (/:a-:b) would read other values from that path.'],
  ['/:tenant', 'tenant', 'user', { tenant: 'a', id: 7 }, '/a/users/7'],
  ['/:tenant', 'tenant', 'copy', { tenant: 'a', id: 7 }, '/a/copies/a/7'],
  ['/:tenant', 'tenant', 'user', { id: 7 }, '"mount" (/:tenant) needs "tenant".'],
])('the mount %s of %s has parameters: %s with %j: %s', (mount, given, name, kwargs, expected) => {
  expect(linkOf(() => clientOf(given, mount).path(name, { kwargs }))).toBe(expected)
})

test.each(
  rows(`
  v1 | http://127.0.0.1:3000        | http://127.0.0.1:3000/users
  v1 | http://127.0.0.1:3000/       | http://127.0.0.1:3000/users
  v1 | https://example.com/shop     | https://example.com/shop/users
  v1 | https://example.com/shop/a/  | https://example.com/shop/a/users
  v1 | https://example.com/caf\u00e9 | https://example.com/caf%C3%A9/users
  // A version in hosts replaces the first of three labels.
  host | http://example.com           | http://example.com/users
  host | http://127.0.0.1:80          | http://127.0.0.1/users
  host | http://a.b.example.com       | http://a.b.example.com/users
  host | http://v2.example.com:3000   | http://v1.example.com:3000/users
  host | https://www.example.com/shop | https://v1.example.com/shop/users`),
)('URLs of a %s client begin with a base: %s: %s', (kind, base = '', expected) => {
  const client = kind === 'host' ? inVersion('v1', HOSTS, { host: 'example.com' }) : clientOf()
  for (const one of [base, new URL(base)]) expect(client.url('user-list', {}, one)).toBe(expected)
})

const BASELESS = "url() takes a base such as 'http://127.0.0.1:3000' or 'https://example.com/shop'."
test('a base is an origin and a path; the default is the origin of the options', () => {
  for (const base of [undefined, '', 'a.com', 'ftp://a.test', 'http://a.test?x', 'http://a.test/?x', 'http://a.test//'])
    expect(() => clientOf().url('user-list', {}, base)).toThrow(noMatch(BASELESS, { unfit: [base] }))
  const { url } = inVersion('v1', optionsOf({ origin: 'https://a.test' }))
  expect(url('user-list', {})).toBe('https://a.test/users')
})

test('a URL cannot carry each version of hosts', () => {
  const { headers, url } = inVersion('V1', HOSTS, { host: 'example.com:8080' })
  expect(headers).toEqual({ Host: 'V1.example.com:8080' })
  const message = 'The host of a URL cannot carry that version: send "headers.Host" to the server itself.'
  expect(() => url('user-list', {}, 'http://api.example.com')).toThrow(noMatch(message, { unfit: ['V1'] }))
})

test.each(
  rows(`
  header  | user-lst       | No route named "user-lst". Did you mean "user-list"?
  header  | user-detail    | "user-detail" (/users/:id{.:format}) needs "id".
  inPath  | home           | "home" (/) takes no "version"; it has no parameters.
  neutral | home           | /
  spaces  | v1:user-list   | /one/users
  spaces  | user-lst       | No route named "v1:user-lst". Did you mean "v1:user-list"?
  spaces  | home           | No route named "v1:home". "home" is there, but not in that version.
  spaces  | user-detail    | "v1:user-detail" (/one/users/:id{.:format}) needs "id".
  spaces  | v1:user-detail | "v1:user-detail" (/one/users/:id{.:format}) needs "id".
  // No part of a name is one.
  spaces  | list           | No route named "v1:list".
  // The version in front of others, the shortest name, and none where several are.
  nest    | list           | /a/1/own
  nest    | deep:list      | /a/1/deep/list
  nest    | v1:list        | /a/1/own
  nest    | a:v1:list      | /a/1/own
  // Such a request is decided as v2.
  nest    | v2:v1:list     | No route named "v1:v2:v1:list". "v2:v1:list" is there, but not in that version.
  twice   | list           | "list" stands for more than one route: "a:v1:list", "b:v1:list".
  twice   | b:v1:list      | /b/1/list
  both    | user-list      | /one/users
  both    | home           | /
  both    | user-detail    | No route named "user-detail". "v1:user-detail" (/one/users/:id{.:format}) needs "id".
  both    | user-lst       | No route named "user-lst". No route named "v1:user-lst". Did you mean "v1:user-list" or "v2:user-list"?
  header  | //evil.com     | A path that starts with two slashes leads to another host.`),
)('a link of %s to %s: %s', (given, name, expected) => {
  expect(linkOf(() => clientOf(given).path(name as string))).toBe(expected)
})

const TAKES = 'It takes "args" and "kwargs" and "format" and "query" and "hash".'
test.each<[message: string, name: unknown, link?: unknown]>([
  ['A link takes a view name or a path; got a number.', 7],
  ['A link takes an object of options; got null.', 'user-list', null],
  ['A link takes an object of options; got a number.', 'user-list', 7],
  [
    `A link was given the unknown option "version": parameters go into "kwargs". ${TAKES}`,
    'user-list',
    { version: 'v2' },
  ],
])('%s', (message, ...asked) => {
  expect(linkOf(() => clientOf().path(...(asked as [string])))).toBe(message)
})

test.each<[options: object, versions: string[]]>([
  [{ allowedVersions: ['v2', 'v1', null, 'v2'] }, ['v2', 'v1']],
  [{ allowedVersions, defaultVersion: 'v1' }, ['v1', 'v2']],
  [{ allowedVersions, defaultVersion: 'v0' }, ['v1', 'v2', 'v0']],
  [{ allowedVersions: [null], defaultVersion: 'v0' }, ['v0']],
  [{ allowedVersions: new Set(allowedVersions) }, ['v1', 'v2']],
  [{ defaultVersion: 'v1' }, ['v1']],
  [{}, []],
])('versionsOf(%p) is %j', (options, versions) => {
  expect(versionsOf({ scheme: HeaderVersioning, ...options })).toEqual(versions)
})

test.each<[name: string, items: string[], more: object]>([
  ['allowedVersions', ['v1', 'v2'], {}],
  ['neutral', ['docs'], { scheme: URLPathVersioning }],
  ['allowedHosts', ['a.test'], {}],
])('a one-shot iterator of %s is read once, whichever function comes first', (name, items, more) => {
  const make = (list: Iterable<string> = items.values()) =>
    optionsOf({ routes: namedRoutes({ docs: '/docs' }), ...more, [name]: list })
  const told = (options: VersioningOptions) => {
    const { headers, path } = inVersion('v1', options)
    return [versionsOf(options), headers, name === 'neutral' && path('docs')]
  }
  const expected = told(make(items))
  const [after, before] = [make(), make()]
  versioning(after)
  expect([told(after), told(before), told(before)]).toEqual([expected, expected, expected])
  versioning(before)
  expect(told({ ...before })).toEqual(expected)
})

test.each(
  rows(`
  "v1"  | {"mont":"/api"}      | inVersion(): unknown option "mont". Did you mean "mount"? It takes "mount", "host", "unchecked".
  "v1"  | null                 | inVersion() takes an object of options; got null.
  "v1"  | {"mount":7}          | inVersion(): option "mount" takes a path (a string); got 7.
  "v1"  | {"unchecked":1}      | inVersion(): option "unchecked" takes true or false; got 1.
  7     | {}                   | inVersion() takes a version (a string); got 7.
  "v3"  | {}                   | inVersion(): version 'v3' is not allowed. Did you mean "v1" or "v2"? Allowed: 'v1', 'v2'. TESTED
  "w3"  | {}                   | inVersion(): version 'w3' is not allowed. Allowed: 'v1', 'v2'. TESTED
  "v,1" | {"unchecked":true}   | inVersion(): no request can carry version 'v,1': carry() of HeaderVersioning returns undefined.`),
)('%s, %s: %s', (version = '', client = '', message = '') => {
  const tested = 'To test that it is refused: { unchecked: true }.'
  const make = () =>
    inVersion(JSON.parse(version), optionsOf({ allowedVersions: ['v1', 'v2', null] }), JSON.parse(client))
  expect(make).toThrow(new TypeError(message.replace('TESTED', tested)))
})

test.each(['', 7, null, 'localhost', 'a.b.c', 'example.com/', 'example.com:x', undefined])('the host %p', (host) => {
  const takes =
    "a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'"
  const wrong = `option "host" takes ${takes}; got ${typeof host === 'string' ? `'${host}'` : host}.`
  const missing = `HostNameVersioning reads versions from hosts, so it needs the option "host", such as 'example.com' for 'v1.example.com'.`
  const message = `inVersion(): ${host === undefined ? missing : wrong}`
  expect(() => inVersion('v1', HOSTS, { host } as object)).toThrow(new TypeError(message))
})

test('an unchecked version is asked for, and refused', async () => {
  const statuses: Record<string, number> = { header: 406, accept: 406, 'media type': 406, three: 406 }
  for (const setup of setups.filter(([name]) => !name.includes('namespace'))) {
    const { app, options, client } = serverOf(setup, ['v1', 'v2'])
    const { path, headers } = inVersion('v3', options, { ...client, unchecked: true })
    const { status } = await request(app).get(path('user-list')).set(headers)
    expect([setup[0], status]).toEqual([setup[0], statuses[setup[0]] ?? 404])
  }
})

// The snippet declares tests. They run for each scheme at the mount of the page.
describe.each(setups.filter(([name, mount]) => mount === '/api' && name !== 'host'))(
  'the snippet of docs/client.md, by %s',
  (...setup) => {
    const [snippet = ''] = blocks('js', page('docs/client.md'))
    const { app, options } = serverOf(setup as unknown as Setup, ['v1', 'v2'])
    const names = { app, options, inVersion, versionsOf, describe, test, expect, require }
    new Function(...Object.keys(names), snippet)(...Object.values(names))
  },
)
