import express, { type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { schemes } from '../support/schemes'
import { listen } from '../support/serve'

/** Options as a JavaScript user may give them. */
const loosely = (options: unknown) => versioning(options as VersioningOptions)

const VERSIONS =
  'an iterable of strings and null, such as ["v1", "v2"] (a single string would be taken letter by letter)'
const PARAM = 'a non-empty name other than __proto__, constructor and prototype'
const SCHEME = 'a scheme class such as URLPathVersioning, or an instance of one'
const KEYS =
  '"scheme", "defaultVersion", "allowedVersions", "versionParam", "parseVersion", "routes", "origin", "allowedHosts", ' +
  '"publicPath", "lifecycle", "afterSunset", "reportVersions", "onVersion", "neutral", "changes"'
const ORIGIN = "an http(s) origin such as 'https://api.example.com'"
const HOSTS = "an iterable of hosts, such as ['api.example.com', 'localhost:3000']"

describe('the options object', () => {
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['URLPathVersioning', "'URLPathVersioning'"],
    [7, '7'],
    [[], '[]'],
    [() => ({}), '[Function (anonymous)]'],
  ])('%p', (options, got) => {
    expect(() => loosely(options)).toThrow(new TypeError(`versioning() takes an object of options; got ${got}.`))
  })

  test.each<[key: string, hint: string]>([
    ['defaultVersions', ' Did you mean "defaultVersion"?'],
    ['allowedVersion', ' Did you mean "allowedVersions"?'],
    ['allowedversions', ' Did you mean "allowedVersions"?'],
    ['versionparam', ' Did you mean "versionParam"?'],
    ['schema', ' Did you mean "scheme"?'],
    ['Scheme', ' Did you mean "scheme"?'],
    ['route', ' Did you mean "routes"?'],
  ])('unknown key %j', (key, hint) => {
    const options = { scheme: URLPathVersioning, ...JSON.parse(`{${JSON.stringify(key)}: 1}`) }
    Object.defineProperty(options, key, { value: 1, enumerable: true, configurable: true })
    expect(() => loosely(options)).toThrow(
      new TypeError(`versioning(): unknown option "${key}".${hint} It takes ${KEYS}.`),
    )
  })

  test.each([[URLPathVersioning], [new URLPathVersioning()]])('a scheme in place of options', (scheme) => {
    expect(() => loosely(scheme)).toThrow(
      new TypeError('versioning() takes an object of options with the scheme in it: versioning({ scheme: ... }).'),
    )
  })

  test('an unknown key with undefined counts as omitted', () => {
    expect(loosely({ scheme: URLPathVersioning, mediaTypes: undefined })).toBeInstanceOf(Function)
  })
})

describe('app.use(versioning), uncalled', () => {
  const FACTORY =
    'versioning is a factory of middleware: app.use(versioning({ scheme: ... })), not app.use(versioning).'

  test('is told to whoever sends a request', async () => {
    const app = express().use(versioning as unknown as RequestHandler)
    app.use(((error, _req, res, _next) => void res.status(500).json(error.message)) as express.ErrorRequestHandler)
    const answer = await (await listen(app)).get('/')
    expect([answer.status, answer.json]).toEqual([500, FACTORY])
  })
})

describe('scheme', () => {
  class NoScheme {}
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['URLPathVersioning', "'URLPathVersioning'"],
    [NoScheme, '['],
    [new NoScheme(), 'NoScheme {}'],
    [() => 'v1', '[Function (anonymous)]'],
    [Object, '[Function: Object]'],
  ])('%p', (scheme, got) => {
    const error = () => loosely({ scheme })
    expect(error).toThrow(TypeError)
    expect(error).toThrow(`versioning(): option "scheme" takes ${SCHEME}; got ${got}`)
  })

  test.each([
    BaseVersioning,
    AcceptHeaderVersioning,
    HostNameVersioning,
    NamespaceVersioning,
    QueryParameterVersioning,
    URLPathVersioning,
  ])('%p, or an instance of it', (scheme) => {
    expect(versioning({ scheme })).toBeInstanceOf(Function)
    expect(versioning({ scheme: new scheme() })).toBeInstanceOf(Function)
  })

  test.each<[settings: object, names: string]>([
    [{ defaultVersion: 'v1' }, '"defaultVersion"'],
    [{ defaultVersion: null }, '"defaultVersion"'],
    [{ allowedVersions: [] }, '"allowedVersions"'],
    [{ versionParam: 'v' }, '"versionParam"'],
    [{ allowedVersions: ['v1'], defaultVersion: 'v1' }, '"defaultVersion", "allowedVersions"'],
  ])('settings beside an instance: %j', (settings, names) => {
    expect(() => versioning({ scheme: new URLPathVersioning(), ...settings })).toThrow(
      new TypeError(
        `versioning(): ${names} beside a scheme instance, which brings its own: pass it to new URLPathVersioning({ ... }), or give the class as "scheme".`,
      ),
    )
  })

  test.each<[unknown, string]>([
    [['Not A Header'], "[ 'Not A Header' ]"],
    [[''], "[ '' ]"],
    [['Accept', 'X:'], "[ 'Accept', 'X:' ]"],
    [['X\r\nY'], "[ 'X\\r\\nY' ]"],
    [[1], '[ 1 ]'],
    ['Accept', "'Accept'"],
    [undefined, 'undefined'],
  ])('varyOn %p', (varyOn, got) => {
    class Odd extends URLPathVersioning {
      override varyOn = varyOn as string[]
    }
    expect(() => versioning({ scheme: Odd })).toThrow(
      new TypeError(
        `Odd: option "varyOn" takes a list of header names, such as ['Accept'], or a function of the request that gives one; got ${got}.`,
      ),
    )
  })
})

describe('routes', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    [{}, '{}'],
    [{ link() {} }, '{ link: [Function: link] }'],
    [{ resolve() {} }, '{ resolve: [Function: resolve] }'],
    ['/users', "'/users'"],
    [{ home: '/' }, "{ home: '/' }"],
  ])('%p', (routes, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, routes })).toThrow(
      new TypeError(`versioning(): option "routes" takes a table made by namedRoutes(); got ${got}.`),
    )
  })
})

describe('origin', () => {
  test.each<[unknown, string]>([
    ['api.example.com', "'api.example.com'"],
    ['//api.example.com', "'//api.example.com'"],
    ['https://api.example.com/v1', "'https://api.example.com/v1'"],
    ['https://user:pw@api.example.com', "'https://user:pw@api.example.com'"],
    ['https://api.example.com?', "'https://api.example.com?'"],
    ['ftp://api.example.com', "'ftp://api.example.com'"],
    [null, 'null'],
  ])('%p', (origin, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, origin })).toThrow(
      `versioning(): option "origin" takes ${ORIGIN}; got ${got}`,
    )
  })
})

describe('allowedHosts', () => {
  test.each<[unknown, string]>([
    ['https://api.example.com', "'https://api.example.com'"],
    ['api.example.com/', "'api.example.com/'"],
    ['api.example.com/v1', "'api.example.com/v1'"],
    ['user@api.example.com', "'user@api.example.com'"],
    ['', "''"],
    ['*.example.com:x', "'*.example.com:x'"],
    [null, 'null'],
  ])('%p among them', (host, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, allowedHosts: ['ok.example.com', host] })).toThrow(
      new TypeError(`versioning(): option "allowedHosts" takes ${HOSTS}; got ${got} among them.`),
    )
  })
})

const bareSchemes = schemes.filter(({ wrapped }) => !wrapped)

describe.each(bareSchemes.map(({ name, Scheme }) => [name, Scheme] as const))('settings of %s', (name, Scheme) => {
  const wrong: [setting: string, value: unknown, takes: string, got: string][] = [
    ['defaultVersion', 1, 'a string or null', '1'],
    ['defaultVersion', ['v1'], 'a string or null', "[ 'v1' ]"],
    ['defaultVersion', true, 'a string or null', 'true'],
    ['allowedVersions', 'v1', VERSIONS, "'v1'"],
    ['allowedVersions', '', VERSIONS, "''"],
    ['allowedVersions', null, VERSIONS, 'null'],
    ['allowedVersions', 2, VERSIONS, '2'],
    ['allowedVersions', { v1: true }, VERSIONS, '{ v1: true }'],
    ['allowedVersions', { length: 1, 0: 'v1' }, VERSIONS, "{ '0': 'v1', length: 1 }"],
    ['allowedVersions', () => ['v1'], VERSIONS, '[Function (anonymous)]'],
    ['allowedVersions', [1, 2], VERSIONS, '[ 1, 2 ]'],
    ['allowedVersions', ['v1', undefined], VERSIONS, "[ 'v1', undefined ]"],
    // biome-ignore lint/suspicious/noSparseArray: the test needs a hole
    ['allowedVersions', ['v1', , 'v2'], VERSIONS, "[ 'v1', <1 empty item>, 'v2' ]"],
    ['allowedVersions', new Map([['v1', 1]]), VERSIONS, "Map(1) { 'v1' => 1 }"],
    ['allowedVersions', [Object('v1')], VERSIONS, "[ [String: 'v1'] ]"],
    ['versionParam', '', PARAM, "''"],
    ['versionParam', null, PARAM, 'null'],
    ['versionParam', 1, PARAM, '1'],
    ['versionParam', '__proto__', PARAM, "'__proto__'"],
    ['versionParam', 'constructor', PARAM, "'constructor'"],
    ['versionParam', 'prototype', PARAM, "'prototype'"],
  ]

  test.each(wrong)('%s: %p', (setting, value, takes, got) => {
    const message = (owner: string) => new TypeError(`${owner}: option "${setting}" takes ${takes}; got ${got}.`)
    const settings = { [setting]: value }
    expect(() => new Scheme(settings)).toThrow(message(name))
    expect(() => versioning({ scheme: Scheme, ...settings })).toThrow(message(name))
    // `versioning()` checks class fields and assignments at construction, not at the first request.
    class Own extends Scheme {
      constructor() {
        super()
        Object.assign(this, settings)
      }
    }
    expect(() => versioning({ scheme: Own })).toThrow(message('Own'))
    expect(() => versioning({ scheme: Object.assign(new Scheme(), settings) })).toThrow(message(name))
  })

  test.each<[settings: unknown, got: string]>([
    [null, 'null'],
    ['v1', "'v1'"],
    [['v1'], "[ 'v1' ]"],
  ])('of the constructor: %p', (settings, got) => {
    expect(() => new Scheme(settings as object)).toThrow(
      new TypeError(`${name} takes an object of options; got ${got}.`),
    )
  })
})

test.each<[string, () => unknown]>([
  ['mediaTypes', () => new AcceptHeaderVersioning({ mediatypes: ['application/json'] } as object)],
  ['hostnamePattern', () => new HostNameVersioning({ hostNamePattern: /x/ } as object)],
])('the option %s of one scheme is suggested too', (option, build) => {
  expect(build).toThrow(`Did you mean "${option}"?`)
})
