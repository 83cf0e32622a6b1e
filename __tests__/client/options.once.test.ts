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
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { inVersion, versionsOf } from 'express-versioning/client'

const allowedVersions = ['v1', 'v2']
const once = <Item>(...items: Item[]) => items.values()

describe('versionsOf()', () => {
  const history = versionHistory('2024').version('2025', change('X.', { '*': { error: (body: object) => body } }))
  test.each<[options: Omit<VersioningOptions, 'scheme'>, versions: string[]]>([
    [{ allowedVersions: ['v2', 'v1', null, 'v2'] }, ['v2', 'v1']],
    [{ allowedVersions, defaultVersion: 'v1' }, ['v1', 'v2']],
    [{ allowedVersions, defaultVersion: 'v0' }, ['v1', 'v2', 'v0']],
    [{ allowedVersions: [null], defaultVersion: 'v0' }, ['v0']],
    [{ allowedVersions: new Set(allowedVersions) }, ['v1', 'v2']],
    [{ defaultVersion: 'v1' }, ['v1']],
    [{}, []],
    [{ changes: history, routes: namedRoutes({}) }, ['2024', '2025']],
    [{ changes: history, routes: namedRoutes({}), allowedVersions: ['2025'] }, ['2025']],
  ])('of %p: %j', (options, versions) => {
    expect(versionsOf({ scheme: HeaderVersioning, ...options })).toEqual(versions)
  })

  test('those of an instance, of class fields and of a combination', () => {
    class Own extends HeaderVersioning {
      override allowedVersions = ['v3']
    }
    expect(versionsOf({ scheme: new HeaderVersioning({ allowedVersions }) })).toEqual(allowedVersions)
    expect(versionsOf({ scheme: Own })).toEqual(['v3'])
    expect(
      versionsOf({ scheme: new CombinedVersioning({ schemes: [new HeaderVersioning()], allowedVersions }) }),
    ).toEqual(allowedVersions)
  })

  test('gives a list of its own', () => {
    const options = Object.freeze({ scheme: HeaderVersioning, allowedVersions: Object.freeze(['v1']) })
    versionsOf(options).push('v2')
    expect(versionsOf(options)).toEqual(['v1'])
  })

  test('checks the options', () => {
    expect(() => versionsOf({ scheme: HeaderVersioning, allowedVersion: [] } as never)).toThrow('"allowedVersion"')
  })
})

describe('a one-shot iterator in the options is read once, whichever function comes first', () => {
  const routes = () => namedRoutes({ docs: '/docs', user: '/user' })
  const build: Readonly<Record<string, () => VersioningOptions>> = {
    allowedVersions: () => ({ scheme: HeaderVersioning, allowedVersions: once('v1', 'v2'), routes: routes() }),
    neutral: () => ({ scheme: URLPathVersioning, allowedVersions, neutral: once('docs'), routes: routes() }),
    allowedHosts: () => ({ scheme: HeaderVersioning, allowedVersions, allowedHosts: once('a.test'), routes: routes() }),
  }
  const told = (options: VersioningOptions) => [
    versionsOf(options),
    inVersion('v1', options, { unchecked: true }).headers,
    options.neutral === undefined ? undefined : inVersion('v1', options).path('docs'),
  ]

  test.each(Object.keys(build))('%s', (name) => {
    const make = build[name] as () => VersioningOptions
    const expected = told({ ...make(), [name]: [...(make()[name as keyof VersioningOptions] as Iterable<string>)] })
    const after = make()
    versioning(after)
    expect(told(after)).toEqual(expected)
    const before = make()
    expect(told(before)).toEqual(expected)
    expect(told(before)).toEqual(expected)
    versioning(before)
    expect(told({ ...before })).toEqual(expected)
  })

  test.each<[name: string, build: (list: Iterable<string>) => BaseVersioning, list: string[], version: string]>([
    ['mediaTypes', (mediaTypes) => new AcceptHeaderVersioning({ mediaTypes }), ['text/csv', 'text/html'], 'v1'],
    ['ignore of namespaces', (ignore) => new NamespaceVersioning({ ignore }), ['admin'], 'admin'],
    ['ignore of hosts', (ignore) => new HostNameVersioning({ ignore }), ['www'], 'www'],
  ])('%s of two instances', (_, make, list, version) => {
    const shared = list.values()
    const [first, second] = [make(shared), make(shared)]
    expect(second.carry(version)).toEqual(make(list).carry(version))
    expect(first.carry(version)).toEqual(make(list).carry(version))
  })

  test('schemes: those of the second combination are those of the first, and say so', () => {
    const schemes = once(new HeaderVersioning())
    new CombinedVersioning({ schemes })
    expect(() => new CombinedVersioning({ schemes })).toThrow('this instance is part of a combination already')
  })

  test('what can be read again is read again', () => {
    const versions = ['v1']
    const options = { scheme: HeaderVersioning, allowedVersions: versions }
    versionsOf(options)
    versions.push('v2')
    expect(versionsOf(options)).toEqual(['v1', 'v2'])
  })
})

describe('inVersion() refuses', () => {
  class Own extends BaseVersioning {
    override readVersion() {
      return undefined
    }
  }
  const scheme = HeaderVersioning
  const template = 'application/vnd.acme.{version}+json'
  test.each<[version: unknown, options: unknown, client: unknown, message: string]>([
    ['v1', { scheme }, { mont: '/api' }, 'inVersion(): unknown option "mont". Did you mean "mount"?'],
    ['v1', { scheme }, null, 'inVersion() takes an object of options; got null.'],
    ['v1', { scheme }, { mount: 7 }, 'inVersion(): option "mount" takes a path (a string); got 7.'],
    ['v1', { scheme }, { mount: 'api' }, 'inVersion(): option "mount": \'api\' is no path: it must start with "/".'],
    ['v1', { scheme }, { mount: '/:a?' }, 'inVersion(): option "mount": \'/:a?\' is no path'],
    ['v1', { scheme }, { unchecked: 1 }, 'inVersion(): option "unchecked" takes true or false; got 1.'],
    [7, { scheme }, {}, 'inVersion() takes a version (a string); got 7.'],
    [null, { scheme }, { unchecked: true }, 'inVersion() takes a version (a string); got null.'],
    ['v1', { schem: scheme }, {}, 'versioning(): unknown option "schem". Did you mean "scheme"?'],
    ['v3', { scheme, allowedVersions: [null, 'w'] }, {}, "version 'v3' is not allowed. Allowed: 'w'. To test"],
    ['v,1', { scheme }, {}, "no request can be said to carry version 'v,1': carry() of HeaderVersioning gives none."],
    ['v,1', { scheme }, { unchecked: true }, 'carry() of HeaderVersioning'],
    ['v/1', { scheme: new MediaTypeVersioning({ template }) }, {}, 'carry() of MediaTypeVersioning'],
    ['v1', { scheme: Own }, {}, 'carry() of Own gives none.'],
    ['v1', { scheme: new HostNameVersioning({ hostnamePattern: /^(v\d)\./ }) }, { host: 'a.b' }, 'HostNameVersioning'],
    [
      'v1',
      { scheme: HostNameVersioning },
      {},
      "inVersion(): HostNameVersioning reads versions from hosts, so it needs the option \"host\", such as 'example.com' for 'v1.example.com'.",
    ],
  ])('%j of %p with %j: %s', (version, options, client, message) => {
    const made = () => inVersion(version as string, options as VersioningOptions, client as never)
    expect(made).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }))
  })

  test.each([
    '',
    7,
    null,
    'localhost',
    'a.b.c',
    'example.com/',
    'example.com/x',
    'my-shop.com',
    'example.com:x',
    '.com',
    'user@example.com',
  ])('the host %j', (host) => {
    const made = () => inVersion('v1', { scheme: HostNameVersioning }, { host: host as string })
    expect(made).toThrow(
      new TypeError(
        `inVersion(): option "host" takes a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'; got ${typeof host === 'string' ? `'${host}'` : host}.`,
      ),
    )
  })

  test('but takes such hosts, and none where no version stands in one', () => {
    for (const host of ['example.com', 'example.com:3000', 'Example.COM', '1.test']) {
      expect(inVersion('v1', { scheme: HostNameVersioning }, { host }).headers).toEqual({ Host: `v1.${host}` })
    }
    expect(inVersion('v1', { scheme: QueryParameterVersioning }, { host: 'localhost' }).headers).toEqual({})
  })
})

test('a version of a parser that takes it for another has no client', () => {
  const parseVersion = (text: string) => (text.startsWith('v') ? text.slice(1) : undefined)
  const options = { scheme: HeaderVersioning, allowedVersions: ['1', '2'], parseVersion }
  expect(() => inVersion('1', options)).toThrow("no request can be said to carry version '1'")
  // What it would mean is not asked of a version that is not allowed.
  expect(inVersion('v1', options, { unchecked: true }).headers).toEqual({ 'X-API-Version': 'v1' })
})
