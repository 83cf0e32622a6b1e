import { inspect } from 'node:util'
import * as library from 'express-versioning'
import { BaseVersioning, earlierDate, HostNameVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { combined, decide, header, host, inOneLine, namespace, path, query } from '../support/schemes'
import { catchWarnings } from '../support/warnings'

// Options of schemes that are rejected when they are given, settings by class field, parsers, and schemes of one's own.

const { AcceptHeaderVersioning, CombinedVersioning, HeaderVersioning, MediaTypeVersioning, NamespaceVersioning } =
  library

function failure(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return inOneLine(error as Error)
  }
}

const Rejected = '404 ERR_VERSION_NOT_FOUND Invalid version'
const IN_QUERY = `${Rejected} in query parameter.`
const BY_LETTER = '(a single string would be taken letter by letter)'
const SCHEMES = 'a list of scheme instances, such as [new URLPathVersioning(), new HeaderVersioning()]'
const MEDIA_TYPES = "a list of media types without wildcards and parameters, such as ['application/json']"
const JOINED = 'a header whose repeated lines Node joins with commas, so that two versions can be told apart'
const FIELD_NAME = 'a header field name (RFC 9110, section 5.1)'
const NAMES = `an iterable of strings, such as ['www'] ${BY_LETTER}`
const PATTERN = 'a RegExp without the flags "g" and "y", whose first group is the version'
const PARAMETER = 'the name of a media-type parameter (a token, RFC 9110 section 5.6.2) other than "q"'
const PARSER = 'a function of a string and the allowed versions'
const TEMPLATE =
  "a media type with {version} once in its subtype, such as 'application/vnd.acme.{version}+json', or a list of them"
const PARAM = 'a non-empty name other than __proto__, constructor and prototype'
const VERSIONS = `an iterable of strings and null, such as ["v1", "v2"] ${BY_LETTER}`

test.each<[Scheme: unknown, option: string, takes: string, ...values: unknown[]]>([
  [AcceptHeaderVersioning, 'mediaTypes', MEDIA_TYPES, 'a/b', [], ['json'], [7], ['text/*'], ['*/a'], ['a/b/c'], ['/b']],
  [AcceptHeaderVersioning, 'versionParam', PARAMETER, 'q', 'Q', 'a b', 'version=', 'é'],
  [HeaderVersioning, 'header', FIELD_NAME, '', 'X-API:', 'X-API\r\nY', 'X-\u00e9', 'a,b', null, ['X-API-Version']],
  [HeaderVersioning, 'header', JOINED, 'Age', 'If-Unmodified-Since', 'last-modified', 'Set-Cookie', 'User-Agent'],
  [HeaderVersioning, 'defaultVersion', 'a string or null', 7, []],
  [HeaderVersioning, 'versionParam', PARAM, '', 7, '__proto__', 'constructor', 'prototype'],
  [HeaderVersioning, 'allowedVersions', VERSIONS, 'v1', null, {}, [7], ['v1', undefined]],
  [HeaderVersioning, 'parseVersion', PARSER, null, 'earlierDate', /v(\d)/],
  [MediaTypeVersioning, 'template', TEMPLATE, undefined, '', [], ['x'], '{version}/json', 'application{version}'],
  [HostNameVersioning, 'hostnamePattern', PATTERN, /^(v)/g, /^(v)/y, '^(v)', null, /^v1\.example\.com$/],
  [HostNameVersioning, 'ignore', NAMES, 'www', null, {}, [7]],
  [NamespaceVersioning, 'ignore', NAMES, 'www', ['www', null], new Set([undefined])],
  [CombinedVersioning, 'schemes', SCHEMES, undefined, null, [], 'header', [path(), HeaderVersioning]],
])('%p rejects %s, as an option and as a class field', (Given, option, takes, ...values) => {
  const Scheme = Given as library.SchemeClass
  class Own extends Scheme {}
  for (const value of values) {
    // A list is shown whole, or by its wrong property.
    const shown = [value, ...(Array.isArray(value) ? value : [])].map((one) => inspect(one, { depth: 0 }))
    const errors = (owner: string) =>
      shown.map((got) => `TypeError ${owner}: option "${option}" takes ${takes}; got ${got}.`)
    if (takes !== PARAMETER)
      expect(errors(Scheme.name)).toContain(failure(() => new Scheme({ [option]: value } as never)))
    if (option === 'header' || option === 'template' || option === 'schemes') continue
    const scheme = Object.assign(new Own(), { [option]: value })
    expect(errors('Own')).toContain(failure(() => versioning({ scheme })))
  }
})

class Wrong extends BaseVersioning {
  override readonly invalidVersionError = Error as never
}
const [CLASS, PART] = [`Wrong: "invalidVersionError" takes NotFound`, 'instance is already part of a combination.']
const SETTINGS = 'HeaderVersioning: "defaultVersion" and "allowedVersions" belong to the combination; set them there.'
const [shared, twice] = [header(), header()]
combined([shared])
test.each<[error: string, make: () => unknown]>([
  ['HeaderVersioning: unknown option "headers". Did you mean "header"?', () => header({ headers: 'V' } as object)],
  ['HeaderVersioning takes an object of options; got [].', () => header([] as object)],
  ['MediaTypeVersioning: option "template" takes', () => new MediaTypeVersioning(undefined as never)],
  ['CombinedVersioning: option "schemes" takes', () => new CombinedVersioning(undefined as never)],
  [
    `option "onConflict" takes 'reject' or 'first'; got 'last'.`,
    () => combined([path()], { onConflict: 'last' as never }),
  ],
  [SETTINGS, () => combined([path(), header({ defaultVersion: 'v1' })])],
  [SETTINGS, () => combined([path(), header({ allowedVersions: [null] })])],
  [SETTINGS, () => combined([path(), Object.assign(header(), { defaultVersion: 'v1' })])],
  [PART, () => combined([shared])],
  [PART, () => combined([twice, twice])],
  [CLASS, () => versioning({ scheme: Wrong })],
  [CLASS, () => versioning({ scheme: combined([header(), new Wrong()]) })],
  [
    'HostNameVersioning: option "hostnamePattern" takes',
    () => versioning({ scheme: combined([header(), Object.assign(host(), { hostnamePattern: /v/g })]) }),
  ],
])('a mistake: %s', (error, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(error)
})

test('fields without a value omit the setting, a frozen scheme keeps its own, and a getter is asked each time', async () => {
  class Tenant extends library.QueryParameterVersioning {
    protected override get settings() {
      return { ...super.settings, defaultVersion: 'v9' }
    }
  }
  const given = () => query({ allowedVersions: ['v1'].values(), defaultVersion: 'v0' })
  const frozen = given()
  Object.freeze<object>(frozen)
  const fields = { defaultVersion: undefined, allowedVersions: undefined, versionParam: undefined }
  for (const [scheme, ...expected] of [
    [Object.assign(given(), fields), 'v1', 'v0', 'v0', IN_QUERY],
    [frozen, 'v1', 'v0', 'v0', IN_QUERY],
    [new Tenant(), 'v1', 'v9', 'v9', 'v2'],
  ] as const) {
    const found = ['/?version=v1', '/', '/', '/?version=v2'].map((url) => decide(scheme, url))
    expect(await Promise.all(found)).toEqual(expected)
  }
})

const DATES = ['2024-01-01', '2024-06-01']
const UNNAMEABLE =
  'but the default pattern takes only letters and digits, so no host can name it: give "hostnamePattern" or "parseVersion".'
test('versions that no host can name are rejected, but with a pattern, a parser or a reader, or beside a scheme', () => {
  class Own extends HostNameVersioning {}
  const routes = namedRoutes({ home: '/' })
  const given = { allowedVersions: DATES, defaultVersion: DATES[0] }
  const error = (owner: string) => `TypeError ${owner}: option "allowedVersions" has '2024-06-01', ${UNNAMEABLE}`
  const made = failure(() => versioning({ scheme: Object.assign(new Own(), given) }))
  expect([failure(() => host(given)), made]).toEqual([error('HostNameVersioning'), error('Own')])
  const [hostnamePattern, parseVersion, date] = [/^([\d-]+)\./, (text: string) => text, () => DATES[0]]
  const settings = [{ hostnamePattern }, { parseVersion }]
  const fields = [...settings, { readVersion: date }, { determineVersion: date }]
  for (const scheme of [
    ...settings.map((own) => host({ allowedVersions: DATES, ...own })),
    ...fields.map((own) => Object.assign(new Own({ allowedVersions: DATES }), own)),
    host({ allowedVersions: ['v1', 'old-one', null], defaultVersion: 'old-one' }),
    combined([host(), header()], { allowedVersions: DATES }),
  ])
    expect(() => versioning({ scheme })).not.toThrow()
  // The versions of a history are checked as well.
  const changes = versionHistory('2024-01-01').version('2024-06-01', change('x', { 'GET home': 'added' }))
  expect(() => versioning({ scheme: HostNameVersioning, changes, routes })).toThrow(UNNAMEABLE)
})

const warned = catchWarnings()
test.each<[way: string, unknown, string]>([
  ['throws', () => JSON.parse('{'), 'SyntaxError'],
  ['gives null', () => null, 'It must return a string or undefined; got null.'],
  ['gives a broken promise', () => Promise.reject(new Error('x')), 'got Promise'],
])('a parseVersion that %s rejects, and warns once', async (_way, parse, detail) => {
  const scheme = query({ allowedVersions: ['v1', 'v2'], parseVersion: parse as () => string })
  const found = [await decide(scheme, '/?version=v1'), await decide(scheme, '/?version=v2')]
  expect(found).toEqual([IN_QUERY, IN_QUERY])
  const told = { code: 'EXPRESS_VERSIONING_PARSER', detail: expect.stringContaining(detail) }
  expect(warned).toEqual([['A parseVersion of express-versioning failed; the request was rejected.', told]])
})

test('parseVersion gets the accepted versions without null, once each, and cannot change them', async () => {
  const parseVersion = jest.fn((text: string, versions: readonly string[]) => text + Object.isFrozen(versions))
  const settings = { allowedVersions: [null, 'true', 'true'], defaultVersion: '9', parseVersion }
  expect(await decide(query(settings), '/?version')).toBe('true')
  expect(parseVersion.mock.calls).toEqual([['', ['true', '9']]])
})

test('earlierDate takes the last date that is not later', () => {
  const listed = ['2024-06-01', null, '2024-01-01', '2024-02-29', 'preview', '2024-13-01', '2023-02-31']
  const found = ['2024-05-03', '2024-02-29', '2024-02-28', '2023-12-31', 'preview', '2024-14-01']
  const expected = ['2024-02-29', '2024-02-29', '2024-01-01', undefined, 'preview', undefined]
  expect(found.map((text) => earlierDate(text, listed))).toEqual(expected)
})

const NO_STRING = expect.stringMatching(/^TypeError Own: a version is a string; got /)
test.each<[read: unknown, free: unknown, listed: unknown]>([
  [undefined, '1', '1'],
  [null, '1', '1'],
  ['3', '3', `${Rejected}.`],
  [2, NO_STRING, NO_STRING],
])('a readVersion of one’s own gives %j, or a promise of it: %p, with a list %p', async (read, free, listed) => {
  const parseVersion = jest.fn((text: string) => text)
  const listing = { defaultVersion: '1', allowedVersions: ['1', '2'] }
  for (const given of [read, Promise.resolve(read)]) {
    class Own extends BaseVersioning {
      override readVersion = () => given as never
    }
    const settings = [{ defaultVersion: '1' }, listing, { ...listing, parseVersion }]
    expect(await Promise.all(settings.map((one) => decide(new Own(one))))).toEqual([free, listed, listed])
  }
  expect(parseVersion).toHaveBeenCalledTimes(typeof read === 'string' ? 2 : 0)
})

test('a scheme that decides is not asked about a route that names no version', () => {
  const own = { readVersion: () => undefined, determineVersion: () => 'v1' }
  expect(Object.assign(new BaseVersioning(), own).named({} as never, {}, {} as never)).toBeUndefined()
})

test('schemes that read the route are known, also in a combination; one that reads nothing fails', () => {
  const [byPath, byNamespace] = [path(), namespace()]
  expect(combined([combined([byPath, host()]), byNamespace]).routeReaders).toEqual([byPath, byNamespace])
  class Own extends BaseVersioning {}
  const error = new Error('Own.determine_version() must be implemented.')
  expect(versioning({ scheme: Own })).toBeInstanceOf(Function)
  expect(() => new Own().determineVersion({} as never, [], {})).toThrow(error)
})

test('an instance takes the versions of one history', () => {
  const routes = namedRoutes({ home: '/' })
  const history = (oldest: string) => versionHistory(oldest).version('v2', change('x', { 'GET home': 'added' }))
  const [one, other] = [history('v0'), history('v1')]
  const scheme = header()
  for (const _ of [1, 2]) versioning({ scheme, changes: one, routes })
  expect([scheme.acceptedVersions, scheme.isAllowedVersion('v1')]).toEqual([['v0', 'v2'], false])
  const error =
    'HeaderVersioning: this instance already has the versions of another history of changes; give each history its own instance.'
  expect(() => versioning({ scheme, changes: other, routes })).toThrow(new TypeError(error))
  const listed = header({ allowedVersions: ['v2'] })
  for (const changes of [one, other]) versioning({ scheme: listed, changes, routes })
  expect(listed.acceptedVersions).toEqual(['v2'])
})
