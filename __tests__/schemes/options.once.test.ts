import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { inspect } from 'node:util'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type SchemeClass,
  URLPathVersioning,
  type VersioningError,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { decide, deciding } from '../support/schemes'

// Options of schemes that are refused when they are given, and settings by class field.

const SCHEMES = 'a list of scheme instances, such as [new URLPathVersioning(), new HeaderVersioning()]'
const MEDIA_TYPES = "a list of media types without wildcards and parameters, such as ['application/json']"
const FIELD_NAME = 'a header field name (RFC 9110, section 5.1)'
const NAMES = "an iterable of strings, such as ['www'] (a single string would be taken letter by letter)"
const PATTERN = 'a RegExp without the flags "g" and "y", whose first group is the version'
const PARAMETER = 'the name of a media-type parameter (a token, RFC 9110 section 5.6.2) other than "q"'
const PARSER = 'a function of a text and the allowed versions'
const TEMPLATE =
  "a media type with {version} once in its subtype, such as 'application/vnd.acme.{version}+json', or a list of them"
const PARAM = 'a non-empty name other than __proto__, constructor and prototype'
const VERSIONS =
  'an iterable of strings and null, such as ["v1", "v2"] (a single string would be taken letter by letter)'

test.each<[Scheme: unknown, option: string, takes: string, ...values: unknown[]]>([
  [AcceptHeaderVersioning, 'mediaTypes', MEDIA_TYPES, 'a/b', null, [], ['json'], [7], ['text/*'], ['*/a'], ['a/b/c']],
  [HeaderVersioning, 'header', FIELD_NAME, '', 'X-API:', 'X-API\r\nY', 'X-\u00e9', 'a,b', null, ['X-API-Version']],
  [HeaderVersioning, 'defaultVersion', 'a string or null', 7, []],
  [HeaderVersioning, 'versionParam', PARAM, '', 7, '__proto__', 'constructor', 'prototype'],
  [HeaderVersioning, 'allowedVersions', VERSIONS, 'v1', null, {}, [7], ['v1', undefined]],
  [HeaderVersioning, 'parseVersion', PARSER, null, 'earlierDate', /v(\d)/],
  [MediaTypeVersioning, 'template', TEMPLATE, undefined, '', [], ['x'], '{version}/json', 'application{version}'],
  [HostNameVersioning, 'hostnamePattern', PATTERN, /^(v)/g, /^(v)/y, '^(v)', null, /^v1\.example\.com$/],
  [HostNameVersioning, 'ignore', NAMES, 'www', null, {}, [7]],
  [NamespaceVersioning, 'ignore', NAMES, 'www', ['www', null], new Set([undefined])],
  [CombinedVersioning, 'schemes', SCHEMES, undefined, null, [], 'header', ['header'], HeaderVersioning],
  [CombinedVersioning, 'schemes', SCHEMES, [new URLPathVersioning(), HeaderVersioning]],
])('%p refuses %s, as an option and as a class field', (Given, option, takes, ...values) => {
  const Scheme = Given as SchemeClass
  for (const value of values) {
    // A list is shown whole, or by its wrong member.
    const shown = [value, ...(Array.isArray(value) ? value : [])].map((one) => inspect(one, { depth: 0 }))
    const errors = (owner: string) => shown.map((got) => `${owner}: option "${option}" takes ${takes}; got ${got}.`)
    const told = (build: () => unknown) => {
      expect(build).toThrow(TypeError)
      try {
        return build()
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(errors(Scheme.name)).toContain(told(() => new Scheme({ [option]: value } as never)))
    if (option === 'header' || option === 'template' || option === 'schemes') continue
    class Own extends Scheme {}
    const scheme = Object.assign(new Own(), { [option]: value })
    expect(errors('Own')).toContain(told(() => versioning({ scheme })))
  }
})

test.each(['q', 'Q', 'a b', 'version=', 'é'])('versionParam %j is no media-type parameter', (versionParam) => {
  const error = `AcceptHeaderVersioning: option "versionParam" takes ${PARAMETER}; got '${versionParam}'.`
  expect(() => versioning({ scheme: AcceptHeaderVersioning, versionParam })).toThrow(new TypeError(error))
})

/** How this Node gives two lines of a header. */
function twice(name: string): unknown {
  const message = new IncomingMessage(new Socket()) as IncomingMessage & {
    _addHeaderLine(name: string, value: string, headers: object): void
  }
  const headers: Record<string, unknown> = {}
  for (const value of ['v1', 'v2']) message._addHeaderLine(name, value, headers)
  return headers[name.toLowerCase()]
}

// Node drops the second line of these, returns a list, or joins them by semicolons.
const NOT_JOINED =
  'Age Authorization Content-Length Content-Type Cookie ETag Expires From Host If-Modified-Since If-Unmodified-Since ' +
  'Last-Modified Location Max-Forwards Proxy-Authorization Referer Retry-After Server Set-Cookie User-Agent USER-AGENT'
test.each(NOT_JOINED.split(' '))('header %s is refused, because two versions could not be told apart', (header) => {
  expect(twice(header)).not.toBe('v1, v2')
  const takes = 'a header whose repeated lines Node joins with commas, so that two versions can be told apart'
  const error = `HeaderVersioning: option "header" takes ${takes}; got '${header}'.`
  expect(() => new HeaderVersioning({ header })).toThrow(new TypeError(error))
})

test.each(['X-API-Version', 'Date', 'From-Version', 'constructor'])('header %s is taken', (header) => {
  expect([twice(header), new HeaderVersioning({ header }).varyOn]).toEqual(['v1, v2', [header]])
})

test.each<[build: (options?: object) => unknown, message: string]>([
  [
    () => new HeaderVersioning({ headers: 'V' } as never),
    'HeaderVersioning: unknown option "headers". Did you mean "header"?',
  ],
  [() => new HeaderVersioning(null as never), 'HeaderVersioning takes an object of options; got null.'],
  [() => new HeaderVersioning([] as never), 'HeaderVersioning takes an object of options; got [].'],
  [() => new (MediaTypeVersioning as never as SchemeClass)(), 'MediaTypeVersioning: option "template" takes'],
  [() => new (CombinedVersioning as never as SchemeClass)(), 'CombinedVersioning: option "schemes" takes'],
  [
    () => versioning({ scheme: HeaderVersioning, header: 'V' } as never),
    '"header" is an option of the scheme itself: scheme: new HeaderVersioning({ header, ... })',
  ],
  [
    () => new CombinedVersioning({ schemes: [new HeaderVersioning()], onConflict: 'last' as 'first' }),
    `CombinedVersioning: option "onConflict" takes 'reject' or 'first'; got 'last'.`,
  ],
  [
    () => versioning({ scheme: new HeaderVersioning(), parseVersion: String } as never),
    'versioning(): "parseVersion" beside a scheme instance, which brings its own',
  ],
])('%p: %s', (build, message) => {
  expect(build).toThrow(TypeError)
  expect(build).toThrow(message)
})

describe('settings by class field, and in shared objects', () => {
  test('fields without a value omit the setting, and do not take back what was given', async () => {
    class Bare extends QueryParameterVersioning {
      override defaultVersion = undefined as never
      override allowedVersions = undefined as never
      override versionParam = undefined as never
    }
    const settings = { allowedVersions: ['v1'], defaultVersion: 'v0', versionParam: 'v' }
    const decide = deciding({ scheme: Bare, ...settings })
    const refused = '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.'
    expect([await decide('/?v=v9'), await decide('/?v=v1'), await decide('/')]).toEqual([refused, 'v1', 'v0'])
  })

  test('a frozen scheme keeps its settings', async () => {
    const scheme = new QueryParameterVersioning({ allowedVersions: ['v1'].values(), defaultVersion: 'v0' })
    Object.freeze<object>(scheme)
    const decide = deciding({ scheme })
    expect([await decide('/?version=v1'), await decide('/')]).toEqual(['v1', 'v0'])
  })

  test('a getter of a subclass is asked each time', async () => {
    class Tenant extends QueryParameterVersioning {
      protected override get settings() {
        return { ...super.settings, defaultVersion: 'v9' }
      }
    }
    const decide = deciding({ scheme: new Tenant() })
    expect([await decide('/'), await decide('/')]).toEqual(['v9', 'v9'])
  })

  test('a one-shot iterator in shared settings says the same to each versioning()', async () => {
    const shared = { scheme: QueryParameterVersioning, allowedVersions: ['v1'].values() }
    for (const decide of [deciding(shared), deciding(shared)])
      expect([await decide('/?version=v1'), await decide('/?version=v2')]).toEqual([
        'v1',
        expect.stringMatching(/^404/),
      ])
  })
})

describe('versions that no host can name', () => {
  const dates = ['2024-01-01', '2024-06-01']
  const told = (version: string) =>
    `option "allowedVersions" has '${version}', but the default pattern takes only letters and digits, so no host can name it: give "hostnamePattern" or "parseVersion".`

  test.each<[allowedVersions: (string | null)[], defaultVersion: string | null, version: string]>([
    [dates, null, '2024-01-01'],
    [dates, '2024-01-01', '2024-06-01'],
    [[null, ''], null, ''],
    [['v1', 'v\xe9'], null, 'v\xe9'],
  ])(
    '%j, default %j: refused as options, by class field, and by a history',
    (allowedVersions, defaultVersion, version) => {
      class Own extends HostNameVersioning {
        override allowedVersions = allowedVersions
        override defaultVersion = defaultVersion
      }
      const settings = { allowedVersions, defaultVersion }
      const error = (owner: string) => new TypeError(`${owner}: ${told(version)}`)
      expect(() => new HostNameVersioning(settings)).toThrow(error('HostNameVersioning'))
      expect(() => versioning({ scheme: Own })).toThrow(error('Own'))
      expect(() => versioning({ scheme: new Own() })).toThrow(error('Own'))
      const routes = namedRoutes({ home: '/' })
      const converted = change('x', { 'GET home': { response: (x) => x } })
      const changes = versionHistory('2024-01-01').version('2024-06-01', converted)
      expect(() => versioning({ scheme: HostNameVersioning, changes, routes })).toThrow(told('2024-01-01'))
    },
  )

  test('are versions with a pattern, a parser or a reader, as the default, and beside another scheme', () => {
    class Own extends HostNameVersioning {}
    const own = (fields: object) => Object.assign(new Own({ allowedVersions: dates }), fields)
    const hostnamePattern = /^([\d-]+)\./
    const parseVersion = (text: string) => text
    const [readVersion, determineVersion] = [() => dates[0], () => dates[0]]
    const both = [new HostNameVersioning(), new HeaderVersioning()]
    for (const scheme of [
      ...[{ hostnamePattern }, { parseVersion }, { readVersion }, { determineVersion }].map(own),
      new HostNameVersioning({ allowedVersions: dates, hostnamePattern }),
      new HostNameVersioning({ allowedVersions: dates, parseVersion }),
      new HostNameVersioning({ allowedVersions: ['v1', 'old-one', null], defaultVersion: 'old-one' }),
      new CombinedVersioning({ schemes: both, allowedVersions: dates }),
    ])
      expect(() => versioning({ scheme })).not.toThrow()
  })
})

describe('schemes of one’s own', () => {
  test('invalidVersionError takes a class of refusals, which is told at start-up', () => {
    class Own extends QueryParameterVersioning {
      override readonly invalidVersionError = Error as never
    }
    const error = new TypeError('Own: "invalidVersionError" takes NotFound, NotAcceptable, or a subclass.')
    expect(() => versioning({ scheme: Own })).toThrow(error)
    const schemes = [new HeaderVersioning(), new Own()]
    expect(() => versioning({ scheme: new CombinedVersioning({ schemes }) })).toThrow(error)
  })

  const ONE = { defaultVersion: '1' }
  const LIST = { ...ONE, allowedVersions: ['1', '2'] }
  const NO_STRING = /^TypeError Own: a version is a string; got /
  const REFUSED = '404 ERR_VERSION_NOT_FOUND Invalid version.'
  test.each<[read: unknown, free: unknown, listed: unknown]>([
    [undefined, '1', '1'],
    [null, '1', '1'],
    ['2', '2', '2'],
    ['3', '3', REFUSED],
    [2, NO_STRING, NO_STRING],
    [['2'], NO_STRING, NO_STRING],
    [{}, NO_STRING, NO_STRING],
  ])('readVersion gives %j, or a promise of it: %p, with a list %p', async (read, free, listed) => {
    const parseVersion = jest.fn((text: string) => text)
    for (const given of [read, Promise.resolve(read)]) {
      class Own extends BaseVersioning {
        override readVersion = () => given as never
      }
      for (const [settings, expected] of [
        [ONE, free],
        [LIST, listed],
        [{ ...LIST, parseVersion }, listed],
      ] as const) {
        const found = await decide(new Own(settings))
        expect(found).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected)
      }
    }
    expect(parseVersion).toHaveBeenCalledTimes(typeof read === 'string' ? 2 : 0)
  })

  test('one that does not say what it reads fails the request', () => {
    class Own extends BaseVersioning {}
    for (const Scheme of [Own, BaseVersioning])
      expect(() => new Scheme().determineVersion({} as never, [], {})).toThrow(
        new Error(`${Scheme.name}.determine_version() must be implemented.`),
      )
  })

  // `named()` asks about a route without the default. The columns are without and with an own `determineVersion`.
  test.each<[path: unknown, named: unknown, own: unknown]>([
    ['v1', 'v1', 'V1'],
    [undefined, undefined, undefined],
    ['v9', REFUSED, REFUSED],
  ])('are asked about another route that says %p: %p, %p', async (version, named, own) => {
    class Route extends BaseVersioning {
      override readVersion = (_req: unknown, kwargs: Record<string, unknown>) => kwargs.version as string
    }
    class Decider extends Route {
      override determineVersion(...asked: Parameters<BaseVersioning['determineVersion']>) {
        return String(super.determineVersion(...asked)).toUpperCase()
      }
    }
    class Later extends BaseVersioning {
      override readVersion = async (_req: unknown, kwargs: Record<string, unknown>) => kwargs.version as string
    }
    const settings = { defaultVersion: 'v0', allowedVersions: ['v1'] }
    const asked = [{}, { version }, { viewName: 'x' }] as unknown as Parameters<BaseVersioning['named']>
    const told = async (scheme: BaseVersioning) => {
      try {
        return await scheme.named(...asked)
      } catch (error) {
        const { status, code, message } = error as VersioningError
        return `${status} ${code} ${message}`
      }
    }
    expect(await told(new Route(settings))).toBe(named)
    expect(await told(new Later(settings))).toBe(named)
    expect(await told(new Decider(settings))).toBe(own)
    const whole = Object.assign(new BaseVersioning(settings), { determineVersion: () => 'whole' })
    expect(await told(whole)).toBe('whole')
  })

  test('those that read the route are known, also in a combination', () => {
    const [path, namespace, host] = [new URLPathVersioning(), new NamespaceVersioning(), new HostNameVersioning()]
    const inner = new CombinedVersioning({ schemes: [path, host] })
    expect(new CombinedVersioning({ schemes: [inner, namespace] }).routeReaders).toEqual([path, namespace])
  })
})

test('an instance takes the versions of one history', () => {
  const routes = namedRoutes({ home: '/' })
  const history = (oldest: string) => versionHistory(oldest).version('v2', change('x', { 'GET home': 'added' }))
  const [one, other] = [history('v0'), history('v1')]
  const scheme = new HeaderVersioning()
  expect(scheme.acceptedVersions).toEqual([])
  for (const _ of [1, 2]) versioning({ scheme, changes: one, routes })
  expect([scheme.acceptedVersions, scheme.isAllowedVersion('v1')]).toEqual([['v0', 'v2'], false])
  const error =
    'HeaderVersioning: this instance already has the versions of another history of changes; give each history its own instance.'
  expect(() => versioning({ scheme, changes: other, routes })).toThrow(new TypeError(error))
  const listed = new HeaderVersioning({ allowedVersions: ['v2'] })
  for (const changes of [one, other]) versioning({ scheme: listed, changes, routes })
  expect(listed.acceptedVersions).toEqual(['v2'])
})
