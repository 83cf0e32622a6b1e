import express, { type Application } from 'express'
import * as library from 'express-versioning'
import { inVersion, versionsOf } from 'express-versioning/client'
import fc from 'fast-check'
import { anyVersion, codePoint } from '../support/code-points'
import { property } from '../support/property'
import { blocks, page } from '../support/readme'
import { rows } from '../support/rows'
import { accept, combined, header, host, namespace, path, query, vendor } from '../support/schemes'
import { listen } from '../support/serve'
import { include, inNamespaces } from '../support/tables'

const { HeaderVersioning, HostNameVersioning, NamespaceVersioning, namedRoutes } = library
const { QueryParameterVersioning, URLPathVersioning, versioning } = library
type VersioningOptions = library.VersioningOptions
type Around = (users: library.NamedRoutes, version: string) => library.NamedRoutes
type Setup = [mount: string, make: (own: object) => library.BaseVersioning, around?: Around]

const under = (prefix: string) => (users: object) => include(prefix, users)
const inNamespace: Around = (users, version) => include('/n', users, version)

const setups: Setup[] = [
  ['/api', header],
  ['/api', accept],
  ['/api', (own) => vendor(undefined, own)],
  ['/api', (own) => query({ ...own, versionParam: 'v' })],
  ['/api', host],
  ['/:version', path],
  ['/', (own) => path({ ...own, versionParam: 'v' }), under('/api{/:v}')],
  ['/api', namespace, inNamespace],
  ['/api', (own) => combined([header(), path(), query()], own), under('{/:version}')],
]

/** Builds an app whose handlers response with their view of the request. Returns it with the options of server and client. */
function serverOf([mount, make, around = under('/')]: Setup, allowedVersions: readonly string[]) {
  const users: library.NamedRoutes = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
  for (const name of ['user-list', 'user-detail'])
    users.route(name).get(({ version, params, query }, res) => void res.json({ name, version, params, query }))
  const routes = around(users, allowedVersions[0] as string)
  const options: VersioningOptions = { scheme: make({ allowedVersions }), routes }
  const app = express().use(mount, versioning(options), routes)
  return { app, options, client: { mount, host: 'example.com' } }
}

// It has no types of its own.
const request = require('supertest')

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
    const scheme = setup[1]({})
    const make = () => {
      const { app, options, client } = serverOf(setup, [asked])
      return { app, ...inVersion(asked, options, client) }
    }
    // There is no route in such a namespace.
    if (setup[2] === inNamespace && (asked === '' || asked.includes(':'))) return
    if (scheme.carry(asked) === undefined) return void expect(make).toThrow(TypeError)
    const { app, headers, path, url } = make()
    const link = { kwargs: { id: user }, query: { page: 2 } }
    const expected = { name: 'user-detail', version: asked, params: { id: user }, query: { page: '2' } }
    current = app
    expect((await request(origin).get(path('user-detail', link)).set(headers)).body).toMatchObject(expected)
    // fetch() drops the field Host.
    if (scheme instanceof HostNameVersioning) return
    expect(await (await fetch(url('user-detail', link, origin), { headers })).json()).toMatchObject(expected)
  }),
)

const hostile = fc.constantFrom('//evil.com', '/\\evil.com', '/', '..', '\ud800', '/a/../..//b', '/?//', '/#//')
property(
  'a path or URL stays on its host, whatever its names, arguments and mount are',
  fc.property(fc.constantFrom(...setups), fc.oneof(id, hostile), (setup, text) => {
    const { options, client } = serverOf(setup, ['v1'])
    const { path, url } = inVersion('v1', options, client)
    for (const make of [() => path(`/${text}`), () => path('user-detail', { kwargs: { id: text } })]) {
      const made = linkOf(make)
      if (!made.startsWith('/')) continue
      expect(new URL(made, 'http://here.test').host).toBe('here.test')
      expect(made).toMatch(/^\/(?!\/)[!-~]*$/)
      expect(new URL(url('/x', {}, 'http://here.test')).host).toBe('here.test')
    }
  }),
)

const allowedVersions = ['v1', 'v2']
const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' })
const outer = () => namedRoutes({ home: '/', docs: '/docs' })
const inPath = outer().include('/:version', users)
const spaces = outer().include('/one', users, { namespace: 'v1' }).include('/two', users, { namespace: 'v2' })
const inner = namedRoutes({ list: '/list' })
const inV1 = () => include('/1', inner, 'v1')
const deep = include('/deep', inner, 'deep', namedRoutes({ list: '/own' }))
const versions = inNamespaces(namedRoutes({}), { v1: deep, v2: deep })
const nest = include('/2x', inV1(), 'v2', include('/a', versions, 'a'))
const twice = inNamespaces(namedRoutes({}), { a: inV1(), b: inV1() })
const tenant = namedRoutes({ copy: '/copies/:tenant/:id', user: '/users/:id' })
const both = combined([header(), namespace()], { allowedVersions })

const HOSTS = { scheme: HostNameVersioning, routes: users }
const optionsOf = (more: object = {}) => ({ scheme: HeaderVersioning, allowedVersions, routes: users, ...more })
/** The options of servers, as the tables call them. */
const GIVEN: Record<string, object> = {
  query: { scheme: QueryParameterVersioning },
  path: { scheme: URLPathVersioning },
  inPath: { scheme: URLPathVersioning, routes: inPath },
  neutral: { scheme: URLPathVersioning, routes: inPath, neutral: ['home'] },
  root: { scheme: URLPathVersioning, routes: namedRoutes({ home: '' }), neutral: ['home'] },
  bare: { scheme: URLPathVersioning, routes: undefined },
  tenant: { routes: tenant },
  spaces: { scheme: NamespaceVersioning, routes: spaces },
  nest: { scheme: NamespaceVersioning, routes: nest },
  twice: { scheme: NamespaceVersioning, routes: twice },
  both: { scheme: both, allowedVersions: undefined, routes: spaces },
}
const clientOf = (given = '', mount = '/') => inVersion('v1', optionsOf(GIVEN[given]) as VersioningOptions, { mount })
/** The link, or the message of its error. */
function linkOf(link: () => string): string {
  try {
    return link()
  } catch (error) {
    const { name, code, status, message } = error as library.NoReverseMatch
    expect([name, code, status]).toEqual(['NoReverseMatch', 'ERR_NO_REVERSE_MATCH', 500])
    return message
  }
}

const LINKS = rows(`
  // options | mount | name | link | path, or message
  header | /api/           | user-detail | {"args":[7],"format":null} | /api/users/7
  path   | /api{/:version} | user-detail | {"args":[7]} | /api/v1/users/7
  inPath | /:version       | user-detail | {"kwargs":{"id":7}} | /v1/v1/users/7
  // The version is the last parameter of a query, and the only one of its name.
  query  | /api | user-detail   | {"kwargs":{"id":7},"format":"json","query":{"version":"v2","q":"a b"},"hash":"top"} | /api/users/7.json?q=a%20b&version=v1#top
  query  | /api | /users?version=v9&page=2#top | - | /api/users?page=2&version=v1#top
  query  | /api | /           | - | /api/?version=v1
  query  | /api | /users?a=1    | {"query":{"b":2}} | /api/users?a=1&b=2&version=v1
  query  | /api | /users#a      | {"hash":"b"} | /api/users?version=v1#b
  // The mount has parameters.
  bare   | /:tenant/:version | /users | {"kwargs":{"tenant":"a/b"}} | /a%2Fb/v1/users
  bare   | /:tenant/:version | /users | - | "mount" (/:tenant/:version) needs "tenant"; got "version".
  bare   | /:a/:version | /x     | {"kwargs":{"a":"a","id":7}} | "mount" (/:a/:version) takes no "id"; it takes "a" and "version".
  header | /:a-:b       | /users | {"kwargs":{"a":"x","b":"y"}} | /x-y/users
  header | /:a-:b       | /users | {"kwargs":{"a":"x","b":"y-z"}} | "mount" (/:a-:b) would read other values from that path.
  tenant | /:tenant     | user   | {"kwargs":{"tenant":"a","id":7}} | /a/users/7
  tenant | /:tenant     | copy   | {"kwargs":{"tenant":"a","id":7}} | /a/copies/a/7
  tenant | /:tenant     | user   | {"kwargs":{"id":7}} | "mount" (/:tenant) needs "tenant".
  bare    | / | user-list      | - | A view name needs a table: give versioning() the option "routes". A path starts with a slash.
  header  | / | user-lst       | - | No route named "user-lst". Did you mean "user-list"?
  header  | / | user-detail    | - | "user-detail" (/users/:id{.:format}) needs "id".
  inPath  | / | home           | - | "home" (/) takes no "version"; it has no parameters.
  neutral | / | home           | - | /
  root    | / | home           | - | /
  spaces  | / | user-lst       | - | No route named "v1:user-lst". Did you mean "v1:user-list"?
  spaces  | / | list           | - | No route named "v1:list".
  // The version in front of others, the shortest name, and none where several are.
  nest    | / | list           | - | /a/v1/own
  nest    | / | deep:list      | - | /a/v1/deep/list
  nest    | / | a:v1:list      | - | /a/v1/own
  nest    | / | v2:v1:list     | - | No route named "v1:v2:v1:list". "v2:v1:list" is there, but not in that version.
  twice   | / | list           | - | "list" stands for more than one route: "a:v1:list", "b:v1:list".
  both    | / | user-list      | - | /one/users
  both    | / | home           | - | /
  both    | / | user-detail    | - | No route named "user-detail". "v1:user-detail" (/one/users/:id{.:format}) needs "id".
  both    | / | user-lst       | - | No route named "user-lst". No route named "v1:user-lst". Did you mean "v1:user-list" or "v2:user-list"?
  header  | / | //evil.com     | - | A path that starts with two slashes leads to another host.
  header  | / | 7              | - | A link takes a view name or a path; got a number.
  header  | / | user-list      | null | A link takes an object of options; got null.
  header  | / | user-list      | 7 | A link takes an object of options; got a number.
  header  | / | user-list      | {"version":"v2"} | A link was given the unknown option "version": parameters go into "kwargs". It takes "args" and "kwargs" and "format" and "query" and "hash".`)
test.each(LINKS)('%s at %s: a link to %s with %s: %s', (given, mount, name = '', link = '', expected = '') => {
  const options = link === '-' ? { absolute: undefined } : JSON.parse(link)
  const viewName = name === '7' ? 7 : name
  expect(linkOf(() => clientOf(given, mount).path(viewName as string, options))).toBe(expected)
})

const noMatch = (message: string, unfit: unknown) =>
  expect.objectContaining({ code: 'ERR_NO_REVERSE_MATCH', message, unfit: [unfit] })

const URLS = rows(`
  v1   | http://127.0.0.1:3000/       | http://127.0.0.1:3000/users
  v1   | https://example.com/caf\u00e9/a/ | https://example.com/caf%C3%A9/a/users
  // A version in hosts replaces the first of three labels.
  host | http://example.com           | http://example.com/users
  host | http://127.0.0.1:80          | http://127.0.0.1/users
  host | http://v2.example.com:3000   | http://v1.example.com:3000/users
  host | https://www.example.com/shop | https://v1.example.com/shop/users`)
test.each(URLS)('URLs of a %s client begin with a base: %s: %s', (kind, base = '', expected) => {
  const client = kind === 'host' ? inVersion('v1', HOSTS, { host: 'example.com' }) : clientOf()
  for (const one of [base, new URL(base)]) expect(client.url('user-list', {}, one)).toBe(expected)
})

test('a base is an origin and a path, by default the origin of the options; not each version fits into a host', () => {
  const message = "url() takes a base such as 'http://127.0.0.1:3000' or 'https://example.com/shop'."
  for (const base of [undefined, '', 'a.com', 'ftp://a.test', 'http://a.test?x', 'http://a.test/?x', 'http://a.test//'])
    expect(() => clientOf().url('user-list', {}, base)).toThrow(noMatch(message, base))
  expect(inVersion('v1', optionsOf({ origin: 'https://a.test' })).url('user-list', {})).toBe('https://a.test/users')
  const { headers, url } = inVersion('V1', HOSTS, { host: 'example.com:8080' })
  expect(headers).toEqual({ Host: 'V1.example.com:8080' })
  const cannot = 'The host of a URL cannot carry that version: send "headers.Host" to the server itself.'
  expect(() => url('user-list', {}, 'http://api.example.com')).toThrow(noMatch(cannot, 'V1'))
})

test('only some clients have headers, and versionsOf() lists the allowed versions and an unlisted default', () => {
  expect([clientOf().headers, clientOf('query').headers]).toEqual([{ 'X-API-Version': 'v1' }, {}])
  const listed = (options: object) => versionsOf({ scheme: HeaderVersioning, ...options })
  expect(listed({ allowedVersions: ['v2', 'v1', null, 'v2'], defaultVersion: 'v1' })).toEqual(['v2', 'v1'])
  expect(listed({ allowedVersions: new Set(['v1']), defaultVersion: 'v0' })).toEqual(['v1', 'v0'])
  expect([listed({ defaultVersion: 'v1' }), listed({})]).toEqual([['v1'], []])
})

test('one-shot iterators are read once, whichever function comes first', () => {
  const neutral = () => ({ ...GIVEN.neutral, neutral: ['home'].values(), allowedVersions: ['v1', 'v2'].values() })
  const told = (options: VersioningOptions) => [versionsOf(options), inVersion('v1', options).path('home')]
  const [after, before] = [optionsOf(neutral()), optionsOf(neutral())]
  versioning(after)
  for (const options of [after, before, before]) expect(told(options)).toEqual([allowedVersions, '/'])
  versioning(before)
})

const TAKES = `"host" takes a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'`
const WRONG = rows(`
  header | "v1"  | {"mont":"/api"}      | inVersion(): unknown option "mont". Did you mean "mount"? It takes "mount", "host", "unchecked".
  header | "v1"  | {"mount":7}          | inVersion(): option "mount" takes a path (a string); got 7.
  header | "v1"  | {"unchecked":1}      | inVersion(): option "unchecked" takes true or false; got 1.
  header | 7     | {}                   | inVersion() takes a version (a string); got 7.
  header | "v3"  | {}                   | inVersion(): version 'v3' is not allowed. Did you mean "v1" or "v2"? Allowed: 'v1', 'v2'. TESTED
  header | "w3"  | {}                   | inVersion(): version 'w3' is not allowed. Allowed: 'v1', 'v2'. TESTED
  header | "v,1" | {"unchecked":true}   | inVersion(): no request can carry version 'v,1': carry() of HeaderVersioning returns undefined.
  host   | "v1"  | {"host":7}              | inVersion(): option ${TAKES}; got 7.
  host   | "v1"  | {"host":"localhost"}    | inVersion(): option ${TAKES}; got 'localhost'.
  host   | "v1"  | {"host":"a.b.c"}        | inVersion(): option ${TAKES}; got 'a.b.c'.
  host   | "v1"  | {"host":"example.com/"} | inVersion(): option ${TAKES}; got 'example.com/'.
  host   | "v1"  | {} | inVersion(): HostNameVersioning reads versions from hosts, so it needs the option "host", such as 'example.com' for 'v1.example.com'.`)
test.each(WRONG)('%s: %s, %s: %s', (given, version = '', client = '', message = '') => {
  const tested = 'To test that it is rejected: { unchecked: true }.'
  const options = given === 'host' ? HOSTS : optionsOf({ allowedVersions: ['v1', 'v2', null] })
  const make = () => inVersion(JSON.parse(version), options, JSON.parse(client))
  expect(make).toThrow(new TypeError(message.replace('TESTED', tested)))
})

// The snippet declares tests. They run for two schemes at the mount of the page.
describe.each([0, 3])('the snippet of docs/testing.md, setup %d', (index) => {
  const [snippet = ''] = blocks('js', page('docs/testing.md'))
  const { app, options } = serverOf(setups[index] as Setup, ['v1', 'v2'])
  const names = { app, options, inVersion, versionsOf, describe, test, expect, require }
  new Function(...Object.keys(names), snippet)(...Object.values(names))
})
