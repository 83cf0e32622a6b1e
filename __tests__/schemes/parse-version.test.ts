import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  earlierDate,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
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

  test('it is asked for what the client sent, with the allowed versions, and not for a default', async () => {
    const asked: unknown[] = []
    const parseVersion: ParseVersion = (...args) => {
      asked.push(args)
      return 'v1'
    }
    const server = await served({
      parseVersion,
      defaultVersion: 'v0',
      allowedVersions: ['v1', null, 'v2'].values(),
    })
    expect(await server.get(absent.path, absent.headers)).toMatchObject({ status: 200, json: { version: 'v0' } })
    expect(asked).toEqual([])
    const { path, headers } = named('text')
    expect(await server.get(path, headers)).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(asked.at(-1)).toEqual(['text', ['v1', 'v2', 'v0']])
  })

  test.each<[title: string, options: object, expected: unknown[]]>([
    ['a default that is listed', { allowedVersions: ['v2', 'v1'], defaultVersion: 'v2' }, ['v2', 'v1']],
    ['no default', { allowedVersions: ['v1'] }, ['v1']],
    ['no allowed versions', { allowedVersions: [] }, []],
    ['no allowed versions, and a default', { allowedVersions: undefined, defaultVersion: 'v1' }, []],
  ])('its list with %s', async (_title, options, expected) => {
    let list: readonly string[] | undefined
    const server = await served({
      ...options,
      parseVersion: (text, versions) => {
        list = versions
        return text
      },
    })
    const { path, headers } = named('v1')
    expect(await server.get(path, headers)).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(list).toEqual(expected)
    expect(() => (list as string[]).push('v9')).toThrow(TypeError)
  })

  test.each<[string, unknown, string]>([
    ['throws', () => JSON.parse('{'), 'SyntaxError'],
    [
      'throws null',
      () => {
        throw null
      },
      'null',
    ],
    ['gives null', () => null, 'It takes a string or undefined to be returned; got null.'],
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

  test('a class field overrides the setting, and one without a value does not', async () => {
    const Own = class extends Scheme {
      override parseVersion = () => 'v2'
    }
    const Empty = class extends Scheme {
      override parseVersion = undefined
    }
    const { path, headers } = named('v1')
    const own = await served({ scheme: Own, parseVersion: forgiving })
    expect((await own.get(path, headers)).json).toEqual({ version: 'v2' })
    const empty = await served({ scheme: Empty, parseVersion: () => 'v3' })
    expect((await empty.get(path, headers)).json).toEqual({ version: 'v3' })
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
  const NAMES = ['v1', 'v2', 'latest', 'v3', '1']
  const spaced = () => {
    const one = users()
    let table = namedRoutes({})
    for (const namespace of NAMES) table = table.include(`/${namespace}`, one, { namespace }) as typeof table
    return table
  }

  test.each<[string, VersioningOptions, string, Record<string, string>, unknown]>([
    [
      'path',
      { scheme: URLPathVersioning, ...settings, routes: namedRoutes({}).include('/:version', users()) },
      '/latest/users',
      {},
      ['v3', '/v3/users'],
    ],
    [
      'query',
      { scheme: QueryParameterVersioning, ...settings, routes: users() },
      '/users?version=2',
      {},
      ['v2', '/users?version=v2'],
    ],
    [
      'namespace',
      { scheme: NamespaceVersioning, ...settings, routes: spaced() },
      '/latest/users',
      {},
      ['v3', '/v3/users'],
    ],
    [
      'nested namespaces',
      {
        scheme: NamespaceVersioning,
        ...settings,
        routes: namedRoutes({}).include('/api', spaced(), { namespace: 'api' }),
      },
      '/api/1/users',
      {},
      ['v1', '/api/v1/users'],
    ],
    [
      'header',
      { scheme: HeaderVersioning, ...settings, routes: users() },
      '/users',
      { 'X-API-Version': 'latest' },
      ['v3', '/users'],
    ],
    [
      'combination',
      {
        scheme: new CombinedVersioning({
          schemes: [new QueryParameterVersioning(), new HeaderVersioning()],
          ...settings,
        }),
        routes: users(),
      },
      '/users?version=latest',
      { 'X-API-Version': '3' },
      ['v3', '/users?version=v3'],
    ],
    [
      'host, a path',
      { scheme: HostNameVersioning, ...settings, routes: users() },
      '/users',
      { Host: 'latest.example.com' },
      ['v3', '/users'],
    ],
    [
      'host, absolute',
      { scheme: HostNameVersioning, ...settings, routes: users() },
      '/users',
      { Host: 'latest.example.com:8080', Absolute: '1' },
      ['v3', 'http://v3.example.com:8080/users'],
    ],
    [
      'host, absolute, the same text',
      { scheme: HostNameVersioning, ...settings, routes: users() },
      '/users',
      { Host: 'v2.example.com', Absolute: '1' },
      ['v2', 'http://v2.example.com/users'],
    ],
    [
      'host, absolute, none',
      { scheme: HostNameVersioning, ...settings, routes: users() },
      '/users',
      { Host: 'example.com', Absolute: '1' },
      [null, 'http://example.com/users'],
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
    [
      'host, absolute, for a version that is no label',
      {
        scheme: HostNameVersioning,
        allowedVersions: ['1.0'],
        parseVersion: (text: string) => `${text}.0`,
        routes: users(),
      },
      '/users',
      { Host: '1.example.com', Absolute: '1' },
      ['1.0', 'http://1.example.com/users'],
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

  test("a namespace's successor, and a full name of the text", async () => {
    const routes = spaced()
    const lifecycle = { v3: { successor: 'v2' } }
    const server = await serve((app) =>
      app.use(versioning({ scheme: NamespaceVersioning, ...settings, lifecycle, routes }), (req, res) => {
        res.json([req.reverse('latest:user', { version: 'v1' }), req.reverse('1:user')])
      }),
    )
    const { headers, json } = await server.get('/latest/users')
    expect(headers.link).toBe('</v2/users>; rel="successor-version"')
    expect(json).toEqual(['/v1/users', '/1/users'])
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

  test('of combinations', async () => {
    const inner = new CombinedVersioning({ schemes: [header()] })
    const parsing = new CombinedVersioning({ schemes: [query()], parseVersion: () => 'v2' })
    const scheme = new CombinedVersioning({
      schemes: [inner, parsing],
      allowedVersions: ['v1', 'v2'],
      parseVersion: prefixed,
    })
    const server = await served(scheme)
    expect((await server.get(...request('/', '1'))).json).toEqual({ version: 'v1' })
    expect((await server.get('/?version=x')).json).toEqual({ version: 'v2' })
  })

  test('a scheme that decides all by itself gives a version, and no text', async () => {
    class Own extends BaseVersioning {
      override determineVersion() {
        return 'v1'
      }
    }
    const scheme = new CombinedVersioning({ schemes: [new Own()], allowedVersions: ['v1'], parseVersion: prefixed })
    expect((await (await served(scheme)).get('/')).json).toEqual({ version: 'v1' })
  })
})

test('a scheme of one’s own, which promises its text', async () => {
  class Later extends BaseVersioning {
    override async readVersion() {
      return 'latest'
    }
  }
  const options = { scheme: Later, allowedVersions: ALLOWED, parseVersion: forgiving }
  expect((await (await serve((app) => app.use(versioning(options), tell))).get('/')).json).toEqual({ version: 'v3' })
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
    ['2023-12-31', undefined],
    ['2024-06-01', '2024-06-01'],
    ['9999-12-31', '2024-06-01'],
    ['preview', 'preview'],
    ['2023-02-31', '2023-02-31'],
    ['2024-02-31', undefined],
    ['2024-13-01', '2024-13-01'],
    ['2024-14-01', undefined],
    ['2024-06-01T00:00:00Z', undefined],
    ['x2024-06-01', undefined],
    ['2024-6-1', undefined],
    ['20240601', undefined],
    ['+002024-06-01', undefined],
    ['latest', undefined],
    ['', undefined],
  ])('%j is %j', (text, version) => {
    expect(earlierDate(text, DATES)).toBe(version)
  })

  test('null is no date', () => {
    expect(earlierDate('2024-05-03', [null, '2024-01-01', null])).toBe('2024-01-01')
    expect(earlierDate('2024-05-03', [])).toBe(undefined)
  })

  test.each([
    ['2024-05-03', { status: 200, json: { version: '2024-01-01' } }],
    ['2025-05-03', { status: 200, json: { version: '2025-01-01' } }],
    ['2023-05-03', { status: 406 }],
    ['soon', { status: 406 }],
  ])('as a setting: %s', async (text, expected) => {
    const options = {
      scheme: AcceptHeaderVersioning,
      allowedVersions: ['2024-01-01', '2024-06-01'],
      defaultVersion: '2025-01-01',
      parseVersion: earlierDate,
    }
    const server = await serve((app) => app.use(versioning(options), tell))
    expect(await server.get('/', { Accept: `application/json; version=${text}` })).toMatchObject(expected)
  })
})
