import type { Request } from 'express'
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
import { type Answer, serve } from '../support/serve'

/** The link, or the error's message and status. */
type Outcome = string | { error: string; status: number }

function linked(make: () => string): Outcome {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    return { error: error.message, status: error.status }
  }
}

/** Makes links in handlers of a table. The body of the answer is the result of `links`. */
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

/** Serves a table behind `versioning(options)` at `mount`, and answers each GET of `path` with the requested links. */
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

const keeping: Links = {
  list: ['user-list'],
  detail: ['user-detail', { kwargs: { id: 7 } }],
  args: ['user-detail', { args: [7, 'json'] }],
  format: ['user-detail', { kwargs: { id: 7 }, format: 'json' }],
  decorated: ['user-list', { query: { page: 2, tag: ['a', 'b c'] }, hash: 'top of page' }],
  files: ['files', { kwargs: { path: ['a b', 'c/d'] } }],
  unversioned: ['status'],
}
test.each<[options: Omit<VersioningOptions, 'routes'>, path: string, prefix: string, query: string]>([
  [{ scheme: URLPathVersioning, ...ALLOWED }, '/api/v1/nothing', '/v1', ''],
  [{ scheme: NamespaceVersioning, ...ALLOWED }, '/api/v2/nothing', '/v2', ''],
  [{ scheme: QueryParameterVersioning, ...ALLOWED }, '/api/nothing?version=v2', '', 'version=v2'],
  [{ scheme: QueryParameterVersioning }, '/api/nothing', '', ''],
  [{ scheme: AcceptHeaderVersioning, defaultVersion: 'v1', ...ALLOWED }, '/api/nothing', '', ''],
  [{ scheme: HostNameVersioning, defaultVersion: 'v1', ...ALLOWED }, '/api/nothing', '', ''],
])('the link keeps the version of the request: %p %s', async (options, path, prefix, query) => {
  const [alone, more] = query === '' ? ['', ''] : [`?${query}`, `&${query}`]
  expect(await ask(options, keeping, { path, mount: '/api' })).toEqual({
    list: `/api${prefix}/users${alone}`,
    detail: `/api${prefix}/users/7${alone}`,
    args: `/api${prefix}/users/7.json${alone}`,
    format: `/api${prefix}/users/7.json${alone}`,
    decorated: `/api${prefix}/users?page=2&tag=a&tag=b%20c${more}#top%20of%20page`,
    files: `/api${prefix}/files/a%20b/c%2Fd${alone}`,
    unversioned: `/api/status${alone}`,
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

  test.each<[string, Partial<VersioningOptions>, Links, Record<string, string>, [string, unknown] | undefined, object]>(
    [
      ['the request', {}, plain, { Host: 'api.example.com:3000' }, undefined, ok('http://api.example.com:3000/users')],
      ['IPv6', {}, plain, { Host: '[::1]:3000' }, undefined, ok('http://[::1]:3000/users')],
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
      [
        'an allowed host in capitals',
        { allowedHosts: ['API.example.com'] },
        plain,
        { Host: 'api.EXAMPLE.com:80' },
        undefined,
        ok('http://api.example.com/users'),
      ],
      [
        'a script as X-Forwarded-Proto',
        {},
        plain,
        { Host: 'a.example', 'X-Forwarded-Proto': 'javascript:alert(1)//' },
        ['trust proxy', true],
        MALFORMED,
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
    ['a lone surrogate', ['pair', { args: ['\ud800', 'x'] }], /"pair"/],
    ['another route’s value', ['user-detail', { kwargs: { id: 'a.json' } }], /"user-detail"/],
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
  ])('of the client’s making: %j', async (path, _what, expected) => {
    const table = namedRoutes({ 'user-list': '/users' }).use(linking({ link: (req) => req.reverse('user-list') }))
    const server = await serve((app) => app.use('/:tenant', versioning({ scheme: BaseLess, routes: table }), table))
    expect((await server.get(path)).json).toEqual({ link: expected })
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

  test('an error that is not a NoReverseMatch is passed on from a scheme', async () => {
    class Broken extends BaseLess {
      override reverse(): string {
        throw new RangeError('broken')
      }
    }
    const table = namedRoutes({ one: '/one' }).use((req, res) => void res.json(req.reverse('one')))
    const server = await serve((app) => app.use(versioning({ scheme: Broken, routes: table }), table))
    expect((await server.get('/')).json).toMatchObject({ error: 'broken', name: 'RangeError' })
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
})

describe('which of several failures is told', () => {
  const table = () => namedRoutes({ list: '/list', detail: '/detail/:id' })
  const asked = async (options: VersioningOptions, make: (req: Request) => string) => {
    const server = await serve((app) => {
      app.use(versioning(options), (req, res) => void res.json(linked(() => make(req))))
    })
    return (await server.get('/?version=1')).json
  }

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
