import type { RequestHandler } from 'express'
import {
  BaseVersioning,
  CombinedVersioning,
  earlierDate,
  HeaderVersioning,
  HostNameVersioning,
  namedRoutes,
  type ParseVersion,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { schemes } from '../support/schemes'
import { serve } from '../support/serve'

const ALLOWED = ['v1', 'v2', 'v3']
const tell: RequestHandler = (req, res) => void res.json({ version: req.version })

/** `latest` is the newest, and the number is enough. */
const forgiving: ParseVersion = (text, versions) => {
  if (text === 'latest') return versions.at(-1)
  return versions.find((version) => version === text || version === `v${text}`)
}

afterEach(() => {
  jest.restoreAllMocks()
})

describe.each(schemes)('$name', ({ Scheme, named, absent, surroundings, refusal }) => {
  const refused = { status: refusal.status, json: { code: refusal.code, error: refusal.message } }
  const served = (options: Partial<VersioningOptions>) =>
    serve((app) =>
      app.use(versioning({ scheme: Scheme, allowedVersions: ALLOWED, ...surroundings(), ...options }), tell),
    )

  test.each<[text: string, object]>([
    ['latest', { status: 200, json: { version: 'v3' } }],
    ['2', { status: 200, json: { version: 'v2' } }],
    ['v1', { status: 200, json: { version: 'v1' } }],
    ['v9', refused],
    ['V1', refused],
  ])('%j', async (text, expected) => {
    const server = await served({ parseVersion: forgiving })
    const { path, headers } = named(text)
    expect(await server.get(path, headers)).toMatchObject(expected)
  })

  test('what it gives and is not allowed is refused, and undefined is', async () => {
    const server = await served({ parseVersion: (text) => (text === 'none' ? undefined : 'v9') })
    for (const text of ['v1', 'none']) {
      const { path, headers } = named(text)
      expect(await server.get(path, headers)).toMatchObject(refused)
    }
  })

  test.each<[string, unknown, string]>([
    ['throws', () => JSON.parse('{'), 'SyntaxError'],
    ['gives null', () => null, 'It must return a string or undefined; got null.'],
    ['gives a number', () => 1, 'got 1.'],
    ['gives an object', () => ({ toString: () => 'v1' }), 'got { toString: [Function: toString] }.'],
    ['gives a promise', async () => 'v1', 'got Promise'],
    ['gives a promise that is broken', () => Promise.reject(new Error('x')), 'got Promise'],
  ])('one that %s refuses, and warns once', async (_title, parseVersion, detail) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const fresh = () => (parseVersion as () => string)()
    const server = await served({ parseVersion: fresh, defaultVersion: 'v2' })
    for (const text of ['v1', 'v2']) {
      const { path, headers } = named(text)
      expect(await server.get(path, headers)).toMatchObject(refused)
    }
    expect(await server.get(absent.path, absent.headers)).toMatchObject({ json: { version: 'v2' } })
    expect(warn.mock.calls).toEqual([
      [
        'A parseVersion of express-versioning failed; the request was refused.',
        { code: 'EXPRESS_VERSIONING_PARSER', detail: expect.stringContaining(detail) },
      ],
    ])
  })
})

describe('construction errors', () => {
  const loosely = (options: unknown) => versioning(options as VersioningOptions)
  test.each([null, 'earlierDate', {}, 7, /v(\d)/])('%p', (parseVersion) => {
    const message = /^HeaderVersioning: option "parseVersion" takes a function of a text and the allowed versions; got /
    expect(() => loosely({ scheme: HeaderVersioning, parseVersion })).toThrow(message)
    expect(() => new HeaderVersioning({ parseVersion } as never)).toThrow(TypeError)
    const Own = class extends HeaderVersioning {
      override parseVersion = parseVersion as never
    }
    expect(() => loosely({ scheme: Own })).toThrow(/option "parseVersion" takes a function/)
  })

  test('beside an instance', () => {
    expect(() => loosely({ scheme: new HeaderVersioning(), parseVersion: forgiving })).toThrow(
      'versioning(): "parseVersion" beside a scheme instance, which brings its own',
    )
  })
})

describe('links carry the accepted version', () => {
  const link: RequestHandler = (req, res) => {
    const absolute = req.get('Absolute') !== undefined
    res.json([req.version, req.reverse('user', { absolute })])
  }
  const users = () => {
    const table = namedRoutes({ user: '/users' })
    table.route('user').get(link)
    return table
  }
  const settings = { allowedVersions: ALLOWED, parseVersion: forgiving }

  test.each<[string, VersioningOptions, string, Record<string, string>, unknown]>([
    [
      'host, absolute',
      { scheme: HostNameVersioning, ...settings, routes: users() },
      '/users',
      { Host: 'latest.example.com:8080', Absolute: '1' },
      ['v3', 'http://v3.example.com:8080/users'],
    ],
    [
      'host, absolute, with an origin of versioning()',
      { scheme: HostNameVersioning, ...settings, origin: 'https://api.example.com', routes: users() },
      '/users',
      { Host: '1.example.com', Absolute: '1' },
      ['v1', 'https://api.example.com/users'],
    ],
    [
      'host, absolute, where it is not allowed',
      { scheme: HostNameVersioning, ...settings, allowedHosts: ['latest.example.com'], routes: users() },
      '/users',
      { Host: 'latest.example.com', Absolute: '1' },
      ['v3', 'http://latest.example.com/users'],
    ],
  ])('%s', async (_title, options, path, headers, expected) => {
    const server = await serve((app) => app.use(versioning(options), options.routes as unknown as RequestHandler))
    expect((await server.get(path, headers)).json).toEqual(expected)
  })

  test('an origin of the call stays as it is, and a version that a handler assigned changes no host', async () => {
    const routes = users()
    const server = await serve((app) =>
      app.use(versioning({ scheme: HostNameVersioning, ...settings, routes }), (req, res) => {
        const given = req.reverse('user', { absolute: true, origin: 'https://latest.example.org' })
        req.version = 'v1'
        res.json([given, req.reverse('user', { absolute: true })])
      }),
    )
    expect((await server.get('/', { Host: 'latest.example.com' })).json).toEqual([
      'https://latest.example.org/users',
      'http://latest.example.com/users',
    ])
  })

  test("of a request without a host, an absolute link is the client's fault", async () => {
    const routes = users()
    const server = await serve((app) =>
      app.use(versioning({ scheme: HostNameVersioning, ...settings, routes }), (req, res) => {
        res.json(req.reverse('user', { absolute: true }))
      }),
    )
    expect(await server.raw('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('what is dispatched is compared by accepted versions', () => {
  const routes = () => {
    const users = namedRoutes({ user: '/users' })
    users.route('user').get(tell)
    return namedRoutes({}).include('/:version', users)
  }
  test.each([
    ['/3/users', { status: 200, json: { version: 'v3' } }],
    ['/latest/users', { status: 200, json: { version: 'v3' } }],
    ['/v3/users', { status: 200, json: { version: 'v3' } }],
    ['/2/users', { status: 404, json: { error: 'Invalid version in URL path.' } }],
    ['/v9/users', { status: 404, json: { error: 'Invalid version in URL path.' } }],
  ])('/latest/users, rewritten to %s', async (url, expected) => {
    const api = routes()
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = url
      next()
    }
    const options = { scheme: URLPathVersioning, allowedVersions: ALLOWED, parseVersion: forgiving, routes: api }
    const server = await serve((app) => app.use(versioning(options), rewrite, api))
    expect(await server.get('/latest/users')).toMatchObject(expected)
  })
})

describe('in a combination', () => {
  const prefixed: ParseVersion = (text) => `v${text}`
  const header = (own?: ParseVersion) => new HeaderVersioning({ parseVersion: own })
  const query = (own?: ParseVersion) => new QueryParameterVersioning({ parseVersion: own })
  const served = (scheme: BaseVersioning) => serve((app) => app.use(versioning({ scheme }), tell))
  const request = (path: string, version: string) => [path, { 'X-API-Version': version }] as const

  test.each<[string, readonly [string, Record<string, string>?], object]>([
    ['its parser, once', request('/', '1'), { json: { version: 'v1' } }],
    ["a scheme's own", ['/?version=1.0'], { json: { version: 'v1' } }],
    ["not its parser behind a scheme's own", ['/?version=1'], { status: 404 }],
    ['the text of a version', request('/', 'v1'), { status: 406 }],
    ['two texts of one version', request('/?version=1.0', '1'), { json: { version: 'v1' } }],
    ['two versions', request('/?version=2.0', '1'), { status: 400, json: { code: 'ERR_VERSION_CONFLICT' } }],
  ])('%s', async (_title, [path, headers], expected) => {
    const majors: ParseVersion = (text) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
    const schemes = [header(), query(majors)]
    const server = await served(
      new CombinedVersioning({ schemes, allowedVersions: ['v1', 'v2'], parseVersion: prefixed }),
    )
    expect(await server.get(path, headers)).toMatchObject(expected)
  })
})

test('a text that is none is a mistake of the scheme', async () => {
  class Odd extends BaseVersioning {
    override readVersion() {
      return 7 as never
    }
  }
  const parseVersion = jest.fn(() => 'v1')
  const server = await serve((app) => app.use(versioning({ scheme: Odd, parseVersion }), tell))
  expect(await server.get('/')).toMatchObject({ status: 500, json: { error: 'Odd: a version is a string; got 7.' } })
  expect(parseVersion).not.toHaveBeenCalled()
})

describe('earlierDate', () => {
  const DATES = ['2024-06-01', '2024-01-01', '2024-02-29', 'preview', '2024-13-01', '2023-02-31']

  test.each([
    ['2024-05-03', '2024-02-29'],
    ['2024-02-29', '2024-02-29'],
    ['2024-02-28', '2024-01-01'],
    ['2024-01-01', '2024-01-01'],
    ['2024-06-01', '2024-06-01'],
    ['preview', 'preview'],
    ['2024-14-01', undefined],
  ])('%j is %j', (text, version) => {
    expect(earlierDate(text, DATES)).toBe(version)
  })

  test('null is no date', () => {
    expect(earlierDate('2024-05-03', [null, '2024-01-01', null])).toBe('2024-01-01')
    expect(earlierDate('2024-05-03', [])).toBe(undefined)
  })
})
