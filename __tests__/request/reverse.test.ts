import { createServer } from 'node:http'
import express, { type Request, Router } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  type LinkOptions,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { major } from '../support/major'
import { type Answer, listen, serve } from '../support/serve'

/** What a link came to: the link, or the error's message. */
type Outcome = string | { error: string; status: number }

function linked(make: () => string): Outcome {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    return { error: error.message, status: error.status }
  }
}

/** Asks for links in handlers of a table: the body of the answer is what `links` gave. */
function linking(links: Record<string, (req: Request) => string>) {
  return (req: Request, res: { json(body: unknown): unknown }) => {
    res.json(Object.fromEntries(Object.entries(links).map(([key, make]) => [key, linked(() => make(req))])))
  }
}

const users = () =>
  namedRoutes({
    'user-list': '/users',
    'user-detail': '/users/:id{.:format}',
    files: '/files/*path',
    pair: '/pairs/:a/:b',
  })

type Links = Record<string, [name: string, options?: LinkOptions]>

/** Serves a table behind `versioning(options)` at `mount`, and answers each GET of `path` with the links asked for. */
async function ask(
  options: Omit<VersioningOptions, 'routes'>,
  links: Links,
  request: { path: string; headers?: Record<string, string>; mount?: string; setting?: [string, unknown] },
): Promise<Record<string, Outcome>> {
  const answer = linking(
    Object.fromEntries(
      Object.entries(links).map(([key, [name, given]]) => [key, (req: Request) => req.reverse(name, given)]),
    ),
  )
  const server = await serve((app) => {
    if (request.setting) app.set(...request.setting)
    const { table } = tableFor(options.scheme, answer)
    app.use(request.mount ?? '/', versioning({ ...options, routes: table }), table)
  })
  const { json, status, text } = await server.get(request.path, request.headers)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return json as Record<string, Outcome>
}

function tableFor(scheme: VersioningOptions['scheme'], answer: ReturnType<typeof linking>) {
  const child = users()
  child.use(answer)
  const home = namedRoutes({ home: '/' })
  if (scheme === NamespaceVersioning) {
    const table = home
      .include('/v1', child, { namespace: 'v1' })
      .include('/v2', child, { namespace: 'v2' })
      .add('status', '/status')
    return { table: table.use(answer) }
  }
  if (scheme === URLPathVersioning)
    return { table: home.include('/:version', child).add('status', '/status').use(answer) }
  return { table: home.include('/', child).add('status', '/status').use(answer) }
}

const ALLOWED = { allowedVersions: ['v1', 'v2'] }

describe('the link keeps the version of the request', () => {
  const links: Links = {
    list: ['user-list'],
    detail: ['user-detail', { kwargs: { id: 7 } }],
    args: ['user-detail', { args: [7, 'json'] }],
    format: ['user-detail', { kwargs: { id: 7 }, format: 'json' }],
    decorated: ['user-list', { query: { page: 2, tag: ['a', 'b c'] }, hash: 'top of page' }],
    files: ['files', { kwargs: { path: ['a b', 'c/d'] } }],
    unversioned: ['status'],
  }
  test.each([
    [
      'URL path',
      { scheme: URLPathVersioning, ...ALLOWED },
      '/api/v1/nothing',
      {
        list: '/api/v1/users',
        detail: '/api/v1/users/7',
        args: '/api/v1/users/7.json',
        format: '/api/v1/users/7.json',
        decorated: '/api/v1/users?page=2&tag=a&tag=b%20c#top%20of%20page',
        files: '/api/v1/files/a%20b/c%2Fd',
        unversioned: '/api/status',
      },
    ],
    [
      'namespace',
      { scheme: NamespaceVersioning, ...ALLOWED },
      '/api/v2/nothing',
      {
        list: '/api/v2/users',
        detail: '/api/v2/users/7',
        args: '/api/v2/users/7.json',
        format: '/api/v2/users/7.json',
        decorated: '/api/v2/users?page=2&tag=a&tag=b%20c#top%20of%20page',
        files: '/api/v2/files/a%20b/c%2Fd',
        unversioned: '/api/status',
      },
    ],
    [
      'query parameter',
      { scheme: QueryParameterVersioning, ...ALLOWED },
      '/api/nothing?version=v2',
      {
        list: '/api/users?version=v2',
        detail: '/api/users/7?version=v2',
        args: '/api/users/7.json?version=v2',
        format: '/api/users/7.json?version=v2',
        decorated: '/api/users?page=2&tag=a&tag=b%20c&version=v2#top%20of%20page',
        files: '/api/files/a%20b/c%2Fd?version=v2',
        unversioned: '/api/status?version=v2',
      },
    ],
    [
      'query parameter, none named',
      { scheme: QueryParameterVersioning },
      '/api/nothing',
      {
        list: '/api/users',
        decorated: '/api/users?page=2&tag=a&tag=b%20c#top%20of%20page',
        unversioned: '/api/status',
      },
    ],
    [
      'Accept header',
      { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', ...ALLOWED },
      '/api/nothing',
      { list: '/api/users', detail: '/api/users/7', unversioned: '/api/status' },
    ],
    [
      'hostname',
      { scheme: HostNameVersioning, defaultVersion: 'v1', ...ALLOWED },
      '/api/nothing',
      { list: '/api/users', detail: '/api/users/7', unversioned: '/api/status' },
    ],
  ] as const)('%s', async (_scheme, options, path, expected) => {
    expect(await ask(options, links, { path, mount: '/api' })).toMatchObject(expected)
  })
})

describe('a link to another version', () => {
  const links: Links = {
    other: ['user-list', { version: 'v2' }],
    none: ['user-list', { version: null }],
    unknown: ['user-list', { version: 'v9' }],
    unversioned: ['status', { version: 'v2' }],
    absolute: ['user-list', { version: 'v2', absolute: true }],
    absoluteNone: ['user-list', { version: null, absolute: true }],
  }
  const refusal = (pattern: RegExp) => ({ error: expect.stringMatching(pattern), status: 500 })
  test.each([
    [
      'URL path',
      { scheme: URLPathVersioning, ...ALLOWED },
      '/v1/nothing',
      {},
      {
        other: '/v2/users',
        none: refusal(/needs "version"/),
        unknown: refusal(/^"version" takes one of the allowed versions: "v1", "v2"\.$/),
        unversioned: refusal(/"status" \(\/status\).*"version"/),
      },
    ],
    [
      'namespace',
      { scheme: NamespaceVersioning, ...ALLOWED },
      '/v1/nothing',
      {},
      {
        other: '/v2/users',
        none: refusal(/No route named "user-list"/),
        unversioned: refusal(/No route named "v2:status"/),
      },
    ],
    [
      'query parameter',
      { scheme: QueryParameterVersioning, ...ALLOWED },
      '/nothing?version=v1',
      {},
      { other: '/users?version=v2', none: '/users', unversioned: '/status?version=v2' },
    ],
    [
      'Accept header',
      { scheme: AcceptHeaderVersioning, defaultVersion: 'v1', ...ALLOWED },
      '/nothing',
      {},
      { other: refusal(/AcceptHeaderVersioning keeps no version in URLs/) },
    ],
    [
      'hostname',
      { scheme: HostNameVersioning, ...ALLOWED },
      '/nothing',
      { Host: 'v1.example.com:8080' },
      {
        other: refusal(/needs \{ absolute: true \}/),
        absolute: 'http://v2.example.com:8080/users',
        absoluteNone: 'http://example.com:8080/users',
      },
    ],
    [
      'hostname without a place for it',
      { scheme: HostNameVersioning, defaultVersion: 'v1', ...ALLOWED },
      '/nothing',
      { Host: 'localhost' },
      { absolute: { error: 'The host of this request has no place for a version.', status: 400 } },
    ],
    [
      'hostname, allowed hosts',
      { scheme: HostNameVersioning, ...ALLOWED, allowedHosts: ['v1.example.com'] },
      '/nothing',
      { Host: 'v1.example.com' },
      { absolute: refusal(/^The host of the other version is not one of the allowed hosts\.$/) },
    ],
    [
      'hostname, own pattern',
      { scheme: new HostNameVersioning({ hostnamePattern: /^api-(v\d)\.example\.com$/, ...ALLOWED }) },
      '/nothing',
      { Host: 'api-v1.example.com' },
      {
        absolute: 'http://api-v2.example.com/users',
        absoluteNone: 'http://api-.example.com/users',
      },
    ],
    [
      'hostname, pattern that the other version does not fit',
      { scheme: new HostNameVersioning({ hostnamePattern: /^(v1|v3)\.example\.com$/, ...ALLOWED }) },
      '/nothing',
      { Host: 'v1.example.com' },
      { absolute: refusal(/^The host of this request cannot carry that version\.$/) },
    ],
  ] as const)('%s', async (_scheme, options, path, headers, expected) => {
    expect(await ask(options, links, { path, headers })).toMatchObject(expected)
  })
})

describe('absolute links', () => {
  const scheme = { scheme: QueryParameterVersioning }
  const plain: Links = { link: ['user-list', { absolute: true }] }
  const ok = (link: string) => ({ link })
  const refused = (message: string) => ({ link: { error: message, status: 400 } })
  const MALFORMED = refused('The host of this request cannot start a link.')
  const NOT_ALLOWED = refused('The host of this request is not one of the allowed hosts.')

  test.each<[string, Partial<VersioningOptions>, Links, Record<string, string>, [string, unknown] | undefined, object]>(
    [
      ['the request', {}, plain, { Host: 'api.example.com:3000' }, undefined, ok('http://api.example.com:3000/users')],
      [
        'the default port left out',
        {},
        plain,
        { Host: 'API.example.com:80' },
        undefined,
        ok('http://api.example.com/users'),
      ],
      ['IPv6', {}, plain, { Host: '[::1]:3000' }, undefined, ok('http://[::1]:3000/users')],
      [
        'origin of versioning()',
        { origin: 'https://a.example/' },
        plain,
        { Host: 'evil.com' },
        undefined,
        ok('https://a.example/users'),
      ],
      [
        'origin of the call',
        { origin: 'https://a.example' },
        { link: ['user-list', { absolute: true, origin: 'http://b.example:81' }] },
        {},
        undefined,
        ok('http://b.example:81/users'),
      ],
      ['credentials in Host', {}, plain, { Host: 'a@evil.com' }, undefined, MALFORMED],
      ['a path in Host', {}, plain, { Host: 'evil.com/x' }, undefined, MALFORMED],
      ['a query in Host', {}, plain, { Host: 'evil.com?' }, undefined, MALFORMED],
      ['a backslash in Host', {}, plain, { Host: 'evil.com\\x' }, undefined, MALFORMED],
      ['an empty Host', {}, plain, { Host: '' }, undefined, MALFORMED],
      ['a port that is none', {}, plain, { Host: 'a.example:99999' }, undefined, MALFORMED],
      [
        'an allowed host',
        { allowedHosts: ['api.example.com', 'localhost:3000'] },
        plain,
        { Host: 'localhost:3000' },
        undefined,
        ok('http://localhost:3000/users'),
      ],
      [
        'an allowed host in capitals',
        { allowedHosts: ['API.example.com'] },
        plain,
        { Host: 'api.EXAMPLE.com:80' },
        undefined,
        ok('http://api.example.com/users'),
      ],
      [
        'an allowed host with the dot of an absolute name',
        { allowedHosts: ['api.example.com:81'] },
        plain,
        { Host: 'api.example.com.:81' },
        undefined,
        ok('http://api.example.com:81/users'),
      ],
      [
        'another port of an allowed host',
        { allowedHosts: ['api.example.com'] },
        plain,
        { Host: 'api.example.com:3000' },
        undefined,
        NOT_ALLOWED,
      ],
      [
        'another host',
        { allowedHosts: new Set(['api.example.com']) },
        plain,
        { Host: 'evil.com' },
        undefined,
        NOT_ALLOWED,
      ],
      [
        'X-Forwarded-Host not trusted',
        {},
        plain,
        { Host: 'a.example', 'X-Forwarded-Host': 'evil.com' },
        undefined,
        ok('http://a.example/users'),
      ],
      [
        'X-Forwarded-Host of the same name not trusted',
        {},
        plain,
        { Host: 'a.example', 'X-Forwarded-Host': 'a.example:666' },
        undefined,
        ok('http://a.example/users'),
      ],
      [
        'X-Forwarded-Host and -Proto trusted',
        {},
        plain,
        { Host: 'a.example', 'X-Forwarded-Host': 'b.example:8443, c.example', 'X-Forwarded-Proto': 'https' },
        ['trust proxy', true],
        ok('https://b.example:8443/users'),
      ],
      [
        'a script as X-Forwarded-Proto',
        {},
        plain,
        { Host: 'a.example', 'X-Forwarded-Proto': 'javascript:alert(1)//' },
        ['trust proxy', true],
        MALFORMED,
      ],
      [
        'an origin that is none',
        {},
        { link: ['user-list', { absolute: true, origin: 'ftp://a.example' }] },
        {},
        undefined,
        {
          link: {
            error: `"origin" takes an origin such as 'https://api.example.com'.`,
            status: 500,
          },
        },
      ],
      [
        'an origin with a path',
        {},
        { link: ['user-list', { absolute: true, origin: 'https://a.example/x' }] },
        {},
        undefined,
        { link: { error: expect.stringContaining('"origin" takes'), status: 500 } },
      ],
    ],
  )('%s', async (_name, options, links, headers, setting, expected) => {
    const request = { path: '/nothing', headers, ...(setting ? { setting } : {}) }
    expect(await ask({ ...scheme, ...options }, links, request)).toEqual(expected)
  })
})

describe('nested namespaces', () => {
  const leaf = () => namedRoutes({ show: '/show', only: '/only' })
  test.each([
    [
      '/api/v1/admin/show',
      'v1',
      { show: '/api/v1/admin/show', v2: '/api/v2/show', full: '/api/v2/admin/show', bare: '/status' },
    ],
    ['/api/v2/plain', 'v2', { show: '/api/v2/show', v2: '/api/v2/show' }],
  ])('%s', async (path, version, expected) => {
    const answer = linking({
      version: (req) => String(req.version),
      show: (req) => req.reverse('show'),
      v2: (req) => req.reverse('show', { version: 'v2' }),
      full: (req) => req.reverse('api:v1:admin:show', { version: 'v2' }),
      bare: (req) => req.reverse('status'),
    })
    const v1 = namedRoutes({}).include('/admin', leaf().use(answer), { namespace: 'admin' })
    const v2 = leaf().include('/admin', leaf(), { namespace: 'admin' }).use(answer)
    const api = namedRoutes({ status: '/status' }).include(
      '/api',
      namedRoutes({}).include('/v1', v1, { namespace: 'v1' }).include('/v2', v2, { namespace: 'v2' }),
      { namespace: 'api' },
    )
    const server = await serve((app) =>
      app.use(versioning({ scheme: NamespaceVersioning, ...ALLOWED, routes: api }), api),
    )
    const { json } = await server.get(path)
    expect(json).toMatchObject({ version, ...expected })
  })
})

describe('arguments that do not fit', () => {
  test.each<[string, [string, LinkOptions?], RegExp]>([
    ['an unknown name', ['user-lst'], /No route named "user-lst"\. Did you mean "user-list"/],
    ['a missing parameter', ['pair', { kwargs: { a: 1 } }], /"pair" \(\/pairs\/:a\/:b\) needs "b"/],
    ['an unknown parameter', ['pair', { kwargs: { a: 1, b: 2, c: 3 } }], /"pair" .*"c"/],
    ['too many args', ['pair', { args: [1, 2, 3] }], /"pair"/],
    ['an empty string', ['pair', { args: ['', 'x'] }], /"pair"/],
    ['a dot', ['pair', { args: ['.', 'x'] }], /"pair"/],
    ['two dots', ['pair', { args: ['..', 'x'] }], /"pair"/],
    ['NaN', ['pair', { args: [Number.NaN, 'x'] }], /"pair"/],
    ['a lone surrogate', ['pair', { args: ['\ud800', 'x'] }], /"pair"/],
    ['a control character', ['pair', { args: ['a\nb', 'x'] }], /"pair"/],
    ['another route’s value', ['user-detail', { kwargs: { id: 'a.json' } }], /"user-detail"/],
    ['a string for a wildcard', ['files', { kwargs: { path: 'a' } as LinkOptions['kwargs'] }], /"files"/],
    ['an empty wildcard', ['files', { kwargs: { path: [] } }], /"files"/],
    [
      'a map in the query',
      ['user-list', { query: { a: new Map() } as unknown as Record<string, string> }],
      /"query" takes/,
    ],
    ['a lone surrogate in the query', ['user-list', { query: { a: '\ud800' } }], /lone surrogate/],
    ['a query that is a string', ['user-list', { query: 'a=1' as unknown as URLSearchParams }], /"query" takes/],
  ])('%s', async (_what, [name, options], message) => {
    const links: Links = { link: options === undefined ? [name] : [name, options] }
    const { link } = await ask({ scheme: QueryParameterVersioning }, links, { path: '/nothing' })
    expect(link).toEqual({ error: expect.stringMatching(message), status: 500 })
  })

  test('both attempts are told, when neither the versioned name nor the plain one is there', async () => {
    const { link } = await ask(
      { scheme: NamespaceVersioning, ...ALLOWED },
      { link: ['user-lst'] },
      { path: '/v1/nothing' },
    )
    expect(link).toEqual({
      error: expect.stringMatching(
        /No route named "v1:user-lst"\. Did you mean "v1:user-list".*No route named "user-lst"/,
      ),
      status: 500,
    })
  })

  test('a versioned name whose arguments do not fit falls back to the plain one', async () => {
    const child = namedRoutes({ item: '/items/:id' })
    const api = namedRoutes({ item: '/items' }).include('/v1', child, { namespace: 'v1' })
    child.use(linking({ plain: (req) => req.reverse('item'), own: (req) => req.reverse('item', { args: [1] }) }))
    const server = await serve((app) => app.use(versioning({ scheme: NamespaceVersioning, routes: api }), api))
    expect((await server.get('/v1/x')).json).toEqual({ plain: '/items', own: '/v1/items/1' })
  })

  test('the error has a code and what was tried', async () => {
    let caught: unknown
    const table = namedRoutes({ a: '/a' }).use((req, res) => {
      try {
        req.reverse('b')
      } catch (error) {
        caught = error
      }
      res.end()
    })
    const server = await serve((app) => app.use(versioning({ scheme: BaseLess, routes: table }), table))
    await server.get('/')
    expect(caught).toBeInstanceOf(NoReverseMatch)
    expect(caught).toMatchObject({
      code: 'ERR_NO_REVERSE_MATCH',
      status: 500,
      statusCode: 500,
      expose: false,
      name: 'NoReverseMatch',
    })
    expect((caught as NoReverseMatch).failures.map(({ viewName }) => viewName)).toEqual(['b'])
    expect(Object.keys(caught as object)).not.toContain('failures')
  })
})

class BaseLess extends BaseVersioning {
  override determineVersion() {
    return 'v1'
  }
}

describe('the mount', () => {
  test.each<[string, string, Outcome]>([
    ['/acme/x', '/acme/users', '/acme/users'],
    ['/%2e%2E/x', '400', { error: 'The path that this request was mounted at cannot start a link.', status: 400 }],
    ['/../x', '400', { error: 'The path that this request was mounted at cannot start a link.', status: 400 }],
    ['/a\\b/x', 'encoded', '/a%5Cb/users'],
    ['/a"b/x', 'encoded', '/a%22b/users'],
    ['/.well-known/x', 'more than dots', '/.well-known/users'],
    ['/.a./x', 'more than dots', '/.a./users'],
  ])('of the client’s making: %j', async (path, _what, expected) => {
    const table = namedRoutes({ 'user-list': '/users' }).use(linking({ link: (req) => req.reverse('user-list') }))
    const server = await serve((app) => app.use('/:tenant', versioning({ scheme: BaseLess, routes: table }), table))
    expect((await server.get(path)).json).toEqual({ link: expected })
  })

  test.each(['//evil.com', 'evil.com', '/a/'])('%s before the path cannot start a link', async (baseUrl) => {
    const table = namedRoutes({ 'user-list': '/users' }).use(linking({ link: (req) => req.reverse('user-list') }))
    const app = express()
    app.use((req, res, next) => {
      req.baseUrl = baseUrl
      table(req, res, next)
    })
    app.use('/', versioning({ scheme: BaseLess }))
    const server = await listen(app)
    expect((await server.get('/x')).json).toEqual({
      link: { error: 'The path that this request was mounted at cannot start a link.', status: 400 },
    })
  })

  test.each(['//', '/a//', '//?x=1'])('below a wildcard, %s cannot start a link', async (path) => {
    const table = users()
    const server = await serve((app) => {
      app.use(major === 5 ? '/*rest' : '/*', versioning({ scheme: QueryParameterVersioning, routes: table }))
      app.use(linking({ link: (req) => req.reverse('user-list') }))
    })
    expect((await server.get(path)).json).toEqual({
      link: { error: 'The path that this request was mounted at cannot start a link.', status: 400 },
    })
  })
})

describe('which table is read', () => {
  const list = (answer: Answer) => answer.json

  test('inside a table, the outermost that is entered; per-router schemes need not name it', async () => {
    const seen: unknown[] = []
    const leaf = namedRoutes({ leaf: '/leaf' })
    leaf.use(versioning({ scheme: QueryParameterVersioning }))
    leaf.route('leaf').get((req, res) => {
      res.json({ links: [req.reverse('in:leaf'), req.reverse('top')], match: req.resolverMatch })
    })
    const root = namedRoutes({ top: '/top' }).include('/in', leaf, { namespace: 'in' })
    const server = await serve((app) => app.use('/root', root))
    expect(list(await server.get('/root/in/leaf?version=1'))).toEqual({
      links: ['/root/in/leaf?version=1', '/root/top?version=1'],
      match: { viewName: 'in:leaf', namespaces: ['in'], namespace: 'in', params: {} },
    })
    expect(seen).toEqual([])
  })

  test('two tables beside each other: each while it handles', async () => {
    const first = namedRoutes({ one: '/one' })
    const second = namedRoutes({ two: '/two' })
    second.route('two').get(linking({ two: (req) => req.reverse('two'), one: (req) => req.reverse('one') }))
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning }))
      app.use('/t', first, second)
    })
    expect(list(await server.get('/t/two?version=1'))).toEqual({
      two: '/t/two?version=1',
      one: { error: expect.stringContaining('No route named "one"'), status: 500 },
    })
  })

  test('after a table has fallen through, the one that decided is still there for error handlers', async () => {
    const table = namedRoutes({ one: '/one' }).use(versioning({ scheme: QueryParameterVersioning }))
    const server = await serve((app) => {
      app.use('/t', table)
      app.use(linking({ one: (req) => req.reverse('one'), version: (req) => String(req.version) }))
    })
    expect(list(await server.get('/t/x?version=7'))).toEqual({ one: '/t/one?version=7', version: '7' })
  })

  test('with no table in sight, the error says what to do', async () => {
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning }), linking({ x: (req) => req.reverse('x') }))
    })
    expect(list(await server.get('/'))).toEqual({
      x: {
        error: expect.stringMatching(/No route table in sight: give versioning\(\) the root namedRoutes\(\) table/),
        status: 500,
      },
    })
  })

  test('without versioning() a table links all the same, but not to versions', async () => {
    const table = namedRoutes({ one: '/one' }).use(
      linking({ one: (req) => req.reverse('one'), v: (req) => req.reverse('one', { version: 'v1' }) }),
    )
    const server = await serve((app) => app.use('/t', table))
    expect(list(await server.get('/t/x'))).toEqual({
      one: '/t/one',
      v: { error: '"version" needs a versioning() in front of the handler that makes the link.', status: 500 },
    })
  })

  test('without Express', async () => {
    const table = namedRoutes({ one: '/one' })
    table.use(versioning({ scheme: QueryParameterVersioning }))
    table.route('one').get((req, res) => {
      res.setHeader('x-link', req.reverse('one'))
      res.end(String(req.version))
    })
    const server = createServer((req, res) => table(req as Request, res as never, () => res.end('fell through')))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const answer = await fetch(`http://127.0.0.1:${(server.address() as { port: number }).port}/one?version=3`)
    expect([await answer.text(), answer.headers.get('x-link')]).toEqual(['3', '/one?version=3'])
    await new Promise((done) => server.close(done))
  })
})

describe('a table entered at another place than the root says', () => {
  const api = () => namedRoutes({ home: '/' }).use((req, res) => void res.json({ home: req.reverse('home') }))

  test('is reported on entry, with both places and both remedies', async () => {
    const table = api()
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning, routes: table }))
      app.use('/api', table)
    })
    const { status, json } = await server.get('/api/x')
    expect(status).toBe(500)
    const { error } = json as { error: string }
    expect(error).toContain('/api')
    expect(error).toContain("app.use('/api', versioning(")
    expect(error).toContain("namedRoutes({}).include('/api', ")
  })

  test.each(['/api/x', '/v9/x'])('either remedy mends it: %s', async (path) => {
    const table = api()
    const root = namedRoutes({}).include('/api', table).include('/:other', Router())
    const server = await serve((app) => {
      app.use('/v9', versioning({ scheme: QueryParameterVersioning, routes: table }), table)
      app.use(versioning({ scheme: QueryParameterVersioning, routes: root }))
      app.use('/api', table)
    })
    expect((await server.get(path)).json).toEqual({ home: `${path.slice(0, -1)}` })
  })

  test('a table that the root does not know is none of its business', async () => {
    const other = api()
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning, routes: namedRoutes({ home: '/root' }) }))
      app.use('/other', other)
    })
    expect((await server.get('/other/x')).json).toEqual({ home: '/root' })
  })
})

describe('reverse()', () => {
  test('links for code that has no handler around it, given the request', async () => {
    const table = namedRoutes({ one: '/one/:id' })
    table.use((req, res) => void res.json({ link: reverse('one', { request: req, kwargs: { id: 1 }, hash: 'x' }) }))
    const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning, routes: table }), table))
    expect((await server.get('/?version=2')).json).toEqual({ link: '/one/1?version=2#x' })
  })

  test.each([[undefined], [{}], [{ request: null }]])('without a request it says what to do: %j', (options) => {
    expect(() => reverse('one', options as never)).toThrow(
      /reverse\(\) needs the request.*reverse\("one", \{ request: req \}\)/,
    )
  })

  test('changes nothing of the caller’s', async () => {
    const options = Object.freeze({
      args: Object.freeze([1]),
      kwargs: Object.freeze({ version: 'mine' }),
      query: Object.freeze({ a: Object.freeze(['b']) }),
      format: 'json',
    })
    const table = namedRoutes({ one: '/:version/one/:id.:format' })
    table.use((req, res) => void res.json({ link: req.reverse('one', options) }))
    const server = await serve((app) =>
      app.use('/:version', versioning({ scheme: URLPathVersioning, routes: table }), table),
    )
    expect((await server.get('/v1/x')).json).toEqual({ link: '/v1/v1/one/1.json?a=b' })
    expect(options).toEqual({ args: [1], kwargs: { version: 'mine' }, query: { a: ['b'] }, format: 'json' })
  })

  test('an error that is no NoReverseMatch is passed on from a scheme', async () => {
    class Broken extends BaseLess {
      override reverse(): string {
        throw new RangeError('broken')
      }
    }
    const table = namedRoutes({ one: '/one' }).use((req, res) => void res.json(req.reverse('one')))
    const server = await serve((app) => app.use(versioning({ scheme: Broken, routes: table }), table))
    expect((await server.get('/')).json).toMatchObject({ error: 'broken', name: 'RangeError' })
  })
})

describe('which of several failures is told', () => {
  const table = () => namedRoutes({ list: '/list', detail: '/detail/:id' })
  const asked = async (options: VersioningOptions, make: (req: Request) => string) => {
    const server = await serve((app) => {
      app.use(versioning(options), (req, res) => void res.json(linked(() => make(req))))
    })
    return (await server.get('/?version=1')).json
  }

  test('that no name was right, with what each takes', async () => {
    const options = { scheme: NamespaceVersioning, routes: table(), defaultVersion: 'v1', allowedVersions: ['v1'] }
    expect(await asked(options, (req) => req.reverse('detail', { kwargs: { id: '' } }))).toEqual({
      error:
        'No route named "v1:detail". "detail" (/detail/:id) cannot take "id": an empty segment would change the path.',
      status: 500,
    })
  })

  test('what is wrong with the link itself, where only the plain name is there', async () => {
    const options = { scheme: NamespaceVersioning, routes: table(), defaultVersion: 'v1' }
    expect(await asked(options, (req) => req.reverse('list', { hash: Symbol('x') as never }))).toEqual({
      error: '"hash" takes a string; got a symbol.',
      status: 500,
    })
  })

  test.each<[what: string, options: LinkOptions]>([
    ['for the request’s version', {}],
    ['for another one', { version: '2' }],
  ])('that there is no table, to a scheme that puts the version into paths: %s', async (_what, link) => {
    const told = await asked({ scheme: URLPathVersioning, defaultVersion: '1' }, (req) => req.reverse('list', link))
    expect(told).toEqual({ error: expect.stringMatching(/^No route table in sight: /), status: 500 })
  })

  test('what a scheme of one’s own says, without near names where there is no table', async () => {
    class Own extends QueryParameterVersioning {
      override reverse(viewName: string): string {
        throw new NoReverseMatch('own', { failures: [{ viewName, reason: 'is nowhere', unknown: true }] })
      }
    }
    const make = (req: Request) => req.reverse('lst', { version: '2' })
    expect(await asked({ scheme: Own }, make)).toEqual({ error: 'No route named "lst".', status: 500 })
    expect(await asked({ scheme: Own, routes: table() }, make)).toEqual({
      error: 'No route named "lst". Did you mean "list"?',
      status: 500,
    })
  })
})
