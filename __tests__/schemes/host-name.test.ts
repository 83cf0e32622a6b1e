import type { RequestHandler } from 'express'
import { HostNameVersioning, versioning } from 'express-versioning'
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

const appOf = (scheme: HostNameVersioning, trust?: unknown) =>
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
    // no match: the default, unchecked
    ['example.com', 'standard'],
    ['localhost', 'standard'],
    ['localhost:8080', 'standard'],
    ['v1.api.example.com', 'standard'],
    ['v1.example.com.', 'standard'],
    ['.v1.example.com', 'standard'],
    ['v1..com', 'standard'],
    ['v1.exam-ple.com', 'standard'],
    ['v-1.example.com', 'standard'],
    ['v_1.example.com', 'standard'],
    ['127.0.0.1', 'standard'],
    ['127.0.0.1:8080', 'standard'],
    ['[::1]', 'standard'],
    ['[::1]:8080', 'standard'],
    ['[v1.example.com]', 'standard'],
    ['user:pw@v1.example.com', 'standard'],
    ['user@v1.example.com', 'standard'],
    ['v1.example.com, v2.example.com', 'standard'],
    ['v1.example.com/x', 'standard'],
    ['v1.example.com:80:90', 'v1'],
    ['v1.example.com:', 'v1'],
    [':8080', 'standard'],
    ['v\xe9.example.com', 'standard'],
    ['v%31.example.com', 'standard'],
  ])('%j: %p', async (host, version) => {
    const scheme = new HostNameVersioning({ allowedVersions: ['v1'], defaultVersion: 'standard' })
    // The default is allowed too (rule 2), but nothing here names it.
    expect(await outcome(await appOf(scheme), { Host: host })).toBe(version)
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
