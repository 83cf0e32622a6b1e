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
import { schemes, tableOf } from '../support/schemes'
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
const SETTINGS = '"defaultVersion", "allowedVersions", "versionParam", "parseVersion"'
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
    ['origins', ' Did you mean "origin"?'],
    ['allowedHost', ' Did you mean "allowedHosts"?'],
    ['default_version', ' Did you mean "defaultVersion"?'],
    ['mediaTypes', ''],
    ['hostnamePattern', ''],
    ['x', ''],
    ['toString', ''],
    ['__proto__', ''],
  ])('unknown key %j', (key, hint) => {
    const options = { scheme: URLPathVersioning, ...JSON.parse(`{${JSON.stringify(key)}: 1}`) }
    Object.defineProperty(options, key, { value: 1, enumerable: true, configurable: true })
    expect(() => loosely(options)).toThrow(
      new TypeError(`versioning(): unknown option "${key}".${hint} It takes ${KEYS}.`),
    )
  })

  test.each([
    ['mediaTypes', AcceptHeaderVersioning],
    ['hostnamePattern', HostNameVersioning],
  ])('%s, which the scheme itself takes', (key, scheme) => {
    expect(() => loosely({ scheme, [key]: ['application/json'] })).toThrow(
      new TypeError(
        `versioning(): "${key}" is an option of the scheme itself: scheme: new ${scheme.name}({ ${key}, ... }), with the scheme's other settings.`,
      ),
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

  test('undefined means omitted, for every option', async () => {
    const bare = {
      defaultVersion: undefined,
      allowedVersions: undefined,
      versionParam: undefined,
      routes: undefined,
      origin: undefined,
      allowedHosts: undefined,
    }
    for (const scheme of [QueryParameterVersioning, new QueryParameterVersioning()]) {
      const server = await listen(
        express().use(versioning({ ...bare, scheme }), (req, res) => void res.json([req.version])),
      )
      expect((await server.get('/?version=v7')).json).toEqual(['v7'])
      expect((await server.get('/')).json).toEqual([null])
    }
  })

  test('gives an ordinary, named request handler', () => {
    const handler = versioning({ scheme: URLPathVersioning })
    expect([handler.length, handler.name]).toEqual([3, 'versioningMiddleware'])
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
    [{}, '{}'],
    [BaseVersioning.prototype.reverse, '[Function: reverse]'],
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
    [new Set(['Accept']), "Set(1) { 'Accept' }"],
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

  test.each<[what: string, varyOn: BaseVersioning['varyOn'], vary: string | undefined]>([
    ['a list', ['X-Api-Version', 'X-Tenant'], 'X-Api-Version, X-Tenant'],
    ['a function', () => ['X-Api-Version', 'X-Tenant'], 'X-Api-Version, X-Tenant'],
    ['an empty list', [], undefined],
    ['a function that gives none', () => [], undefined],
  ])('varyOn of a scheme of one’s own is merged: %s', async (_what, varyOn, vary) => {
    class Own extends URLPathVersioning {
      override varyOn = varyOn
    }
    const server = await listen(express().use(versioning({ scheme: Own }), (_req, res) => void res.end()))
    expect((await server.get('/')).headers.vary).toBe(vary)
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

  test('a plain express.Router()', () => {
    expect(() => loosely({ scheme: URLPathVersioning, routes: express.Router() })).toThrow(
      'versioning(): option "routes" takes a table made by namedRoutes(); got ',
    )
  })

  test('a table', () => {
    expect(versioning({ scheme: URLPathVersioning, routes: tableOf(() => ({})) })).toBeInstanceOf(Function)
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
    ['javascript:alert(1)', "'javascript:alert(1)'"],
    ['', "''"],
    [null, 'null'],
    [new URL('https://api.example.com'), 'URL {'],
    [7, '7'],
  ])('%p', (origin, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, origin })).toThrow(
      `versioning(): option "origin" takes ${ORIGIN}; got ${got}`,
    )
  })

  test.each([
    'https://api.example.com',
    'http://localhost:3000',
    'https://api.example.com/',
    'https://API.example.com:443',
    'http://[::1]:80',
  ])('%s is one', (origin) => {
    expect(versioning({ scheme: URLPathVersioning, origin })).toBeInstanceOf(Function)
  })
})

describe('allowedHosts', () => {
  test.each<[unknown, string]>([
    ['api.example.com', "'api.example.com'"],
    [null, 'null'],
    [7, '7'],
    [{ host: true }, '{ host: true }'],
  ])('%p', (allowedHosts, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, allowedHosts })).toThrow(
      new TypeError(`versioning(): option "allowedHosts" takes ${HOSTS}; got ${got}.`),
    )
  })

  test.each<[unknown, string]>([
    ['https://api.example.com', "'https://api.example.com'"],
    ['api.example.com/', "'api.example.com/'"],
    ['api.example.com/v1', "'api.example.com/v1'"],
    ['user@api.example.com', "'user@api.example.com'"],
    ['', "''"],
    ['*.example.com:x', "'*.example.com:x'"],
    ['a b', "'a b'"],
    [null, 'null'],
    [undefined, 'undefined'],
    [3000, '3000'],
    [Symbol('host'), 'Symbol(host)'],
    [/example/, '/example/'],
    [['api.example.com'], "[ 'api.example.com' ]"],
  ])('%p among them', (host, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, allowedHosts: ['ok.example.com', host] })).toThrow(
      new TypeError(`versioning(): option "allowedHosts" takes ${HOSTS}; got ${got} among them.`),
    )
  })

  test.each<[string, () => Iterable<string>]>([
    ['a list', () => ['api.example.com', 'localhost:3000', '[::1]:80', '127.0.0.1']],
    ['an empty list', () => []],
    ['a Set', () => new Set(['api.example.com'])],
    [
      'a generator',
      function* () {
        yield 'api.example.com'
      },
    ],
  ])('%s', (_title, allowedHosts) => {
    expect(versioning({ scheme: URLPathVersioning, allowedHosts: allowedHosts() })).toBeInstanceOf(Function)
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
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
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
    // What a class field or an assignment sets is checked when versioning() is built, not at the first request.
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

  test('an unknown one of the constructor, with a hint', () => {
    const { optionNames } = Scheme as unknown as { optionNames: string[] }
    const takes = optionNames.map((option) => `"${option}"`).join(', ')
    expect(takes.startsWith(SETTINGS)).toBe(true)
    expect(() => new Scheme({ allowedVersion: ['v1'] } as object)).toThrow(
      new TypeError(`${name}: unknown option "allowedVersion". Did you mean "allowedVersions"? It takes ${takes}.`),
    )
  })

  test('undefined is omitted', () => {
    const scheme = new Scheme({ defaultVersion: undefined, allowedVersions: undefined, versionParam: undefined })
    expect([scheme.defaultVersion, [...(scheme.allowedVersions ?? [])], scheme.versionParam]).toEqual([
      null,
      [],
      'version',
    ])
    expect(new Scheme()).toEqual(scheme)
  })
})

test.each<[string, () => unknown]>([
  ['mediaTypes', () => new AcceptHeaderVersioning({ mediatypes: ['application/json'] } as object)],
  ['hostnamePattern', () => new HostNameVersioning({ hostNamePattern: /x/ } as object)],
])('the option %s of one scheme is suggested too', (option, build) => {
  expect(build).toThrow(`Did you mean "${option}"?`)
})
