import type { RequestHandler } from 'express'
import {
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  type HostNameSettings,
  HostNameVersioning,
  namedRoutes,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const REFUSED = Symbol('refused')

async function outcome(server: Served, headers: Record<string, string>) {
  const { status, json } = await server.get('/', headers)
  if (status === 200) return (json as { version: string | null }).version
  expect([status, json]).toEqual([
    404,
    { error: 'Invalid version in hostname.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' },
  ])
  return REFUSED
}

const appOf = (scheme: BaseVersioning, trust?: unknown) =>
  serve((app) => {
    if (trust !== undefined) app.set('trust proxy', trust)
    app.use(versioning({ scheme }), tell)
  })

describe('the Host header', () => {
  test.each<[host: string, version: string | null | typeof REFUSED]>([
    ['v1.example.com', 'v1'],
    ['v1.example.com:8080', 'v1'],
    ['v1.EXAMPLE.com', 'v1'],
    ['v2.example.com', REFUSED],
    ['V1.example.com', REFUSED],
    ['www.example.com', REFUSED],
    ['1.2.3', REFUSED],
    // a trailing dot is dropped, one
    ['v1.example.com.', 'v1'],
    ['v1.example.com.:8080', 'v1'],
    ['v2.example.com.', REFUSED],
    ['v1.example.com..', REFUSED],
    // no match, but an accepted version in the first label
    ['v1.my-shop.com', REFUSED],
    ['V1.my-shop.com:8080', REFUSED],
    ['v1.my-shop.com.', REFUSED],
    ['v1.api.example.com', REFUSED],
    ['v1..com', REFUSED],
    ['v1.com', REFUSED],
    ['v1', REFUSED],
    ['v1.example.com/x', REFUSED],
    ['v1.example.com, v2.example.com', REFUSED],
    ['127.my-shop.com', REFUSED],
    ['standard.my-shop.com', REFUSED],
    // no match: the default, unchecked
    ['v9.my-shop.com', 'standard'],
    ['example.com', 'standard'],
    ['localhost', 'standard'],
    ['localhost:8080', 'standard'],
    ['.v1.example.com', 'standard'],
    ['v-1.example.com', 'standard'],
    ['v_1.example.com', 'standard'],
    ['127.0.0.1', 'standard'],
    ['127.0.0.1:8080', 'standard'],
    ['[::1]', 'standard'],
    ['[::1]:8080', 'standard'],
    ['[v1.example.com]', 'standard'],
    ['user:pw@v1.example.com', 'standard'],
    ['user@v1.example.com', 'standard'],
    ['v1.example.com:80:90', 'v1'],
    ['v1.example.com:', 'v1'],
    [':8080', 'standard'],
    ['v\xe9.example.com', 'standard'],
    ['v%31.example.com', 'standard'],
  ])('%j: %p', async (host, version) => {
    const scheme = new HostNameVersioning({ allowedVersions: ['v1', '127'], defaultVersion: 'standard' })
    expect(await outcome(await appOf(scheme), { Host: host })).toBe(version)
  })

  // A host that does not match, with an accepted version in its first label, is refused whatever the settings.
  const listed = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
  const number = (text: string) => `v${text}`
  test.each<[title: string, settings: HostNameSettings, host: string, version: string | null | typeof REFUSED]>([
    ['no list', {}, 'v2.my-shop.com', null],
    ['no list, but a default', { defaultVersion: 'v1' }, 'v2.my-shop.com', 'v1'],
    ['null alone', { allowedVersions: [null] }, 'v2.my-shop.com', null],
    ['a pattern of its own', { ...listed, hostnamePattern: /^api-(v\d)\./ }, 'v2.example.com', REFUSED],
    ['that matches', { ...listed, hostnamePattern: /^(v\d)\./ }, 'v2.my-shop.com.', 'v2'],
    ['and finds no version', { ...listed, hostnamePattern: /^(?:x-(v\d))?/ }, 'v2.my-shop.com', 'v1'],
    ['a parser', { ...listed, parseVersion: number }, 'v2.my-shop.com', REFUSED],
    ['which is asked of what matches alone', { ...listed, parseVersion: number }, '2.my-shop.com', 'v1'],
    ['a version that is ignored', { ...listed, ignore: ['V2'] }, 'v2.my-shop.com', 'v1'],
  ])('%s: %p, %j: %p', async (_title, settings, host, version) => {
    expect(await outcome(await appOf(new HostNameVersioning(settings)), { Host: host })).toBe(version)
    const { allowedVersions, defaultVersion, ...own } = settings
    const schemes = [new HeaderVersioning(), new HostNameVersioning(own)]
    const combination = new CombinedVersioning({ schemes, allowedVersions: allowedVersions ?? [null], defaultVersion })
    const { status, json } = await (await appOf(combination)).get('/', { Host: host })
    if (allowedVersions !== undefined)
      expect(status === 200 ? (json as object) : status).toEqual(version === REFUSED ? 404 : { version })
  })

  test.each<[title: string, request: string, version: string]>([
    ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 'standard'],
    ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n', 'standard'],
    ['HTTP/1.0 with Host', 'GET / HTTP/1.0\r\nHost: v1.example.com\r\n\r\n', 'v1'],
    ['a name in other letter case', 'GET / HTTP/1.1\r\nhOsT: v1.example.com\r\nConnection: close\r\n\r\n', 'v1'],
  ])('%s', async (_title, request, version) => {
    const server = await appOf(new HostNameVersioning({ defaultVersion: 'standard' }))
    expect(await server.raw(request)).toContain(`{"version":"${version}"}`)
  })

  test('HTTP/1.1 without Host is refused by Node, not by a crash', async () => {
    const server = await appOf(new HostNameVersioning())
    expect(await server.raw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('no match and no default is null, although a list excludes it', async () => {
    expect(
      await outcome(await appOf(new HostNameVersioning({ allowedVersions: ['v1'] })), { Host: 'localhost' }),
    ).toBeNull()
  })
})

describe('X-Forwarded-Host', () => {
  const own = 'v1.example.com'
  test.each<[trust: unknown, forwarded: string, version: string | null]>([
    [undefined, 'v2.example.com', 'v1'],
    [false, 'v2.example.com', 'v1'],
    [true, 'v2.example.com', 'v2'],
    [true, 'v2.example.com:8443', 'v2'],
    [true, 'v2.example.com, v3.example.com', 'v2'],
    [true, 'v2.example.com:80 , v3.example.com', 'v2'],
    [true, 'v2.example.com,', 'v2'],
    [true, 'example.com, v3.example.com', null],
    [true, '[::1]:80', null],
    [true, '', 'v1'],
    [1, 'v2.example.com', 'v2'],
    [0, 'v2.example.com', 'v1'],
    ['loopback', 'v2.example.com', 'v2'],
    ['10.0.0.0/8', 'v2.example.com', 'v1'],
    [() => true, 'v2.example.com', 'v2'],
    [() => false, 'v2.example.com', 'v1'],
  ])('trust proxy %p, %j: %p', async (trust, forwarded, version) => {
    const server = await appOf(new HostNameVersioning(), trust)
    expect(await outcome(server, { Host: own, 'X-Forwarded-Host': forwarded })).toBe(version)
  })

  test('HTTP/1.0 with a forwarded host that is not trusted, and no Host', async () => {
    const server = await appOf(new HostNameVersioning({ defaultVersion: 'standard' }))
    expect(await server.raw('GET / HTTP/1.0\r\nX-Forwarded-Host: v2.example.com\r\n\r\n')).toContain(
      '{"version":"standard"}',
    )
  })
})

describe('hostnamePattern', () => {
  test.each<[pattern: RegExp, host: string, version: string | null]>([
    [/^(v\d+)\./, 'v12.api.eu.example.com', 'v12'],
    [/^(v\d+)\./, 'api.example.com', null],
    [/^(v\d+)\./i, 'V12.example.com', 'V12'],
    [/^api-([\w-]+)\.example\.com$/, 'api-v-1.example.com:8080', 'v-1'],
    [/^(?<version>v\d)\.(?<rest>.*)$/, 'v1.example.com', 'v1'],
    [/^(?:(v\d)\.)?example\.com$/, 'v1.example.com', 'v1'],
    [/^(?:(v\d)\.)?example\.com$/, 'example.com', null],
    [/^(\w*)\.example\.com$/, '.example.com', ''],
    [/^(v\d)\./u, 'v1.example.com', 'v1'],
    [/^\[([^\]]*)/, '[::1]:80', ''],
  ])('%p, %j: %p', async (hostnamePattern, host, version) => {
    const server = await appOf(new HostNameVersioning({ hostnamePattern }))
    // Twice, as a RegExp may keep state.
    for (const _ of [1, 2]) expect(await outcome(server, { Host: host })).toBe(version)
  })

  test('by class field', async () => {
    class Own extends HostNameVersioning {
      override hostnamePattern = /^(\d+)\./
    }
    expect(await outcome(await appOf(new Own()), { Host: '7.example.com' })).toBe('7')
  })

  test.each<[unknown, string]>([
    [/^(v)/g, '/^(v)/g'],
    [/^(v)/y, '/^(v)/y'],
    ['^(v)', "'^(v)'"],
    [null, 'null'],
    [{}, '{}'],
  ])('refuses %p, by option and by class field', (pattern, got) => {
    class Own extends HostNameVersioning {
      override hostnamePattern = pattern as RegExp
    }
    const message = (owner: string) =>
      new TypeError(
        `${owner}: option "hostnamePattern" takes a RegExp without the flags "g" and "y", whose first group is the version; got ${got}.`,
      )
    expect(() => versioning({ scheme: Own })).toThrow(message('Own'))
    expect(() => new HostNameVersioning({ hostnamePattern: pattern as RegExp })).toThrow(message('HostNameVersioning'))
  })

  test('undefined is omitted', async () => {
    expect(
      await outcome(await appOf(new HostNameVersioning({ hostnamePattern: undefined })), { Host: 'v1.example.com' }),
    ).toBe('v1')
  })
})

describe('versions that no host can name', () => {
  const dates = ['2024-01-01', '2024-06-01']
  const refusal = (version: string) =>
    `option "allowedVersions" has '${version}', but the default pattern takes only letters and digits, so no host can name it: give "hostnamePattern" or "parseVersion".`

  test.each<[settings: HostNameSettings, version: string]>([
    [{ allowedVersions: dates }, '2024-01-01'],
    [{ allowedVersions: dates, defaultVersion: '2024-01-01' }, '2024-06-01'],
    [{ allowedVersions: ['v1', 'v1.1'] }, 'v1.1'],
    [{ allowedVersions: [null, ''] }, ''],
    [{ allowedVersions: ['v1', 'v\xe9'], ignore: ['www'] }, 'v\xe9'],
  ])('%j is a construction error: as options, by class field, and by a history', (settings, version) => {
    const { allowedVersions = [], defaultVersion = null } = settings
    class Own extends HostNameVersioning {
      override allowedVersions = allowedVersions
      override defaultVersion = defaultVersion
    }
    const error = (owner: string) => new TypeError(`${owner}: ${refusal(version)}`)
    expect(() => new HostNameVersioning(settings)).toThrow(error('HostNameVersioning'))
    expect(() => versioning({ scheme: HostNameVersioning, allowedVersions, defaultVersion })).toThrow(
      error('HostNameVersioning'),
    )
    expect(() => versioning({ scheme: Own })).toThrow(error('Own'))
    expect(() => versioning({ scheme: new Own() })).toThrow(error('Own'))
  })

  const routes = namedRoutes({ home: '/' })
  const changes = versionHistory('2024-01-01').version(
    '2024-06-01',
    change('x', { 'GET home': { response: (x) => x } }),
  )
  test('of a history', () => {
    expect(() => versioning({ scheme: HostNameVersioning, changes, routes })).toThrow(refusal('2024-01-01'))
  })

  class Pattern extends HostNameVersioning {
    override hostnamePattern = /^([\d-]+)\.api\./
  }
  class Parser extends HostNameVersioning {
    override parseVersion = (text: string) => dates.find((date) => date.replaceAll('-', '') === text)
  }
  class Reader extends HostNameVersioning {
    override readVersion() {
      return dates[0]
    }
  }
  class Decider extends HostNameVersioning {
    override determineVersion() {
      return dates[0] as string
    }
  }
  test.each<[title: string, scheme: () => BaseVersioning]>([
    ['a reader of one’s own', () => new Reader({ allowedVersions: dates })],
    ['a decision of one’s own', () => new Decider({ allowedVersions: dates })],
    ['a pattern', () => new HostNameVersioning({ allowedVersions: dates, hostnamePattern: /^([\d-]+)\./ })],
    ['a pattern by class field', () => new Pattern({ allowedVersions: dates })],
    ['a parser by class field', () => new Parser({ allowedVersions: dates })],
    ['a parser', () => new HostNameVersioning({ allowedVersions: dates, parseVersion: (text) => text })],
    [
      'a default, which nobody need name',
      () => new HostNameVersioning({ allowedVersions: ['v1', 'old-one', null], defaultVersion: 'old-one' }),
    ],
    [
      'a default that is not listed',
      () => new HostNameVersioning({ allowedVersions: ['v1'], defaultVersion: 'old-one' }),
    ],
    [
      'another scheme beside it',
      () =>
        new CombinedVersioning({ schemes: [new HostNameVersioning(), new HeaderVersioning()], allowedVersions: dates }),
    ],
  ])('are versions with %s', (_title, scheme) => {
    expect(() => versioning({ scheme: scheme() })).not.toThrow()
  })
})
