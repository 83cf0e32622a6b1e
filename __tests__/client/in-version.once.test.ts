import {
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { inVersion, versionsOf } from 'express-versioning/client'
import { serverOf, setups } from '../support/clients'
import { blocks, pages } from '../support/readme'
import { listen } from '../support/serve'
import { request } from '../support/supertest'

describe.each(setups)('$name', (setup) => {
  const { app, options, client } = serverOf(setup, ['v1', 'v2'])

  describe.each(versionsOf(options))('%s', (version) => {
    const asked = inVersion(version, options, client)

    test('by supertest', async () => {
      const { status, body } = await request(app)
        .get(asked.path('user-detail', { kwargs: { id: 7 }, query: { page: 2 } }))
        .set(asked.headers)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { name: 'user-detail', version, params: { id: '7' }, query: { page: '2' } },
      })
    })

    test('by fetch', async () => {
      const { origin } = await listen(app)
      const answer = await fetch(asked.url('user-list', {}, origin), { headers: asked.headers })
      // fetch() drops the field Host.
      const expected = setup.name === 'host' ? { version: null } : { version }
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 200,
        body: { name: 'user-list', ...expected },
      })
    })
  })

  test('a version that is not allowed is refused, and asked for all the same where that is said', async () => {
    expect(() => inVersion('v3', options, client)).toThrow(
      new TypeError(
        "inVersion(): version 'v3' is not allowed. Did you mean \"v1\" or \"v2\"? Allowed: 'v1', 'v2'. To test that it is refused: { unchecked: true }.",
      ),
    )
    const v3 = inVersion('v3', options, { ...client, unchecked: true })
    const path = setup.name.includes('namespace') ? undefined : v3.path('user-list')
    if (path === undefined) {
      expect(() => v3.path('user-list')).toThrow(expect.objectContaining({ code: 'ERR_NO_REVERSE_MATCH' }))
      return
    }
    const { status } = await request(app).get(path).set(v3.headers)
    expect(status).toBe(
      { header: 406, accept: 406, 'media type': 406, 'header, path or query': 406 }[setup.name] ?? 404,
    )
  })
})

describe('what a client sends', () => {
  const allowedVersions = ['v1', 'v2']
  const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id{.:format}' })
  const api = namedRoutes({ home: '/', docs: '/docs' })
    .include('/one', users, { namespace: 'v1' })
    .include('/two', users, { namespace: 'v2' })
  const inPath = namedRoutes({ home: '/', docs: '/docs' }).include('/:version', users)
  const options = (more: Partial<VersioningOptions>) =>
    ({ scheme: HeaderVersioning, allowedVersions, routes: users, ...more }) as VersioningOptions

  test.each<[given: Partial<VersioningOptions>, mount: string, headers: object, path: string]>([
    [{ scheme: HeaderVersioning }, '/', { 'X-API-Version': 'v1' }, '/users/7'],
    [{ scheme: HeaderVersioning }, '/api/', { 'X-API-Version': 'v1' }, '/api/users/7'],
    [{ scheme: QueryParameterVersioning }, '/api', {}, '/api/users/7?version=v1'],
    [{ scheme: URLPathVersioning }, '/:version', {}, '/v1/users/7'],
    [{ scheme: URLPathVersioning }, '/api{/:version}', {}, '/api/v1/users/7'],
    [{ scheme: URLPathVersioning, routes: inPath }, '/api', {}, '/api/v1/users/7'],
    [{ scheme: URLPathVersioning, routes: inPath }, '/:version', {}, '/v1/v1/users/7'],
  ])('%p at %s: %j %s', (given, mount, headers, path) => {
    const v1 = inVersion('v1', options(given), { mount, host: 'example.com:8080' })
    expect(v1.headers).toEqual(headers)
    expect(v1.path('user-detail', { kwargs: { id: 7 } })).toBe(path)
    expect(v1.path('user-detail', { args: [7] })).toBe(path)
  })

  test('the format, query and fragment of a link; the version is the last parameter, and the only one', () => {
    const v1 = inVersion('v1', options({ scheme: QueryParameterVersioning }))
    expect(
      v1.path('user-detail', { kwargs: { id: 7 }, format: 'json', query: { version: 'v2', q: 'a b' }, hash: 'top' }),
    ).toBe('/users/7.json?q=a%20b&version=v1#top')
  })

  test.each<[path: `/${string}`, given: object | undefined, expected: string]>([
    ['/users/7', undefined, '/api/users/7?version=v1'],
    ['/', undefined, '/api/?version=v1'],
    ['/users?page=2#top', undefined, '/api/users?page=2&version=v1#top'],
    ['/users#top', { query: { page: 2 } }, '/api/users?page=2&version=v1#top'],
    ['/users?a=1', { query: { b: 2 } }, '/api/users?a=1&b=2&version=v1'],
    ['/users#a', { hash: 'b' }, '/api/users?version=v1#b'],
    ['/users?version=v9', undefined, '/api/users?version=v1'],
  ])('the path %s with %j is %s', (path, given, expected) => {
    const v1 = inVersion('v1', options({ scheme: QueryParameterVersioning }), { mount: '/api' })
    expect(v1.path(path, given)).toBe(expected)
  })

  test('a path needs no table, and of a mount the parameters are given', () => {
    const v1 = inVersion('v1', { scheme: URLPathVersioning, allowedVersions }, { mount: '/:tenant/:version' })
    expect(v1.path('/users', { kwargs: { tenant: 'a/b' } })).toBe('/a%2Fb/v1/users')
    expect(() => v1.path('/users')).toThrow('"mount" (/:tenant/:version) needs "tenant"; got "version".')
    expect(() => v1.path('/users', { kwargs: { tenant: 'a', id: 7 } })).toThrow('takes no "id"')
    const two = inVersion('v1', { scheme: HeaderVersioning }, { mount: '/:a-:b' })
    expect(two.path('/users', { kwargs: { a: 'x', b: 'y' } })).toBe('/x-y/users')
    // It would be read as `x-y` and `z`.
    expect(() => two.path('/users', { kwargs: { a: 'x', b: 'y-z' } })).toThrow(
      '"mount" (/:a-:b) would read other values',
    )
    expect(() => v1.path('user-list')).toThrow(
      'A view name needs a table: give versioning() the option "routes". A path starts with a slash.',
    )
  })

  test('the parameters of a mount go into it, and those of its names into the route as well', () => {
    const routes = namedRoutes({ copy: '/copies/:tenant/:id', user: '/users/:id' })
    const v1 = inVersion('v1', options({ routes }), { mount: '/:tenant' })
    expect(v1.path('user', { kwargs: { tenant: 'a', id: 7 } })).toBe('/a/users/7')
    expect(v1.path('copy', { kwargs: { tenant: 'a', id: 7 } })).toBe('/a/copies/a/7')
    expect(() => v1.path('user', { kwargs: { id: 7 } })).toThrow('"mount" (/:tenant) needs "tenant".')
  })

  test.each<[string | URL, string]>([
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/users'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/users'],
    [new URL('http://127.0.0.1:3000'), 'http://127.0.0.1:3000/users'],
    ['https://example.com/shop', 'https://example.com/shop/users'],
    ['https://example.com/shop/', 'https://example.com/shop/users'],
    [new URL('https://example.com/shop/a/'), 'https://example.com/shop/a/users'],
    ['https://example.com/caf\u00e9', 'https://example.com/caf%C3%A9/users'],
  ])('below the base %s: %s', (base, url) => {
    expect(inVersion('v1', options({})).url('user-list', {}, base)).toBe(url)
  })

  test.each([
    undefined,
    '',
    'example.com',
    'ftp://example.com',
    'http://a.test?x',
    'http://a.test/?x',
    'http://a.test//',
  ])('no base is %s', (base) => {
    expect(() => inVersion('v1', options({})).url('user-list', {}, base)).toThrow(
      expect.objectContaining({
        code: 'ERR_NO_REVERSE_MATCH',
        message: "url() takes a base such as 'http://127.0.0.1:3000' or 'https://example.com/shop'.",
        unfit: [base],
      }),
    )
  })

  test.each([
    ['http://example.com', 'http://example.com/users'],
    ['http://127.0.0.1:80', 'http://127.0.0.1/users'],
    ['http://a.b.example.com', 'http://a.b.example.com/users'],
    ['http://v2.example.com:3000', 'http://v1.example.com:3000/users'],
    ['https://api.example.com', 'https://v1.example.com/users'],
    ['https://www.example.com/shop', 'https://v1.example.com/shop/users'],
  ])('in the host of %s: %s', (base, url) => {
    const v1 = inVersion('v1', options({ scheme: HostNameVersioning }), { host: 'example.com' })
    expect(v1.url('user-list', {}, base)).toBe(url)
  })

  test('a URL cannot carry capitals in its host', () => {
    const { headers, url } = inVersion('V1', { scheme: HostNameVersioning, routes: users }, { host: 'example.com' })
    expect(headers).toEqual({ Host: 'V1.example.com' })
    expect(() => url('user-list', {}, 'http://api.example.com')).toThrow(
      expect.objectContaining({
        message: 'The host of a URL cannot carry that version: send "headers.Host" to the server itself.',
        unfit: ['V1'],
      }),
    )
  })

  describe('names', () => {
    test.each<
      [scheme: VersioningOptions['scheme'], routes: VersioningOptions['routes'], name: string, message: string]
    >([
      [HeaderVersioning, users, 'user-lst', 'No route named "user-lst". Did you mean "user-list"?'],
      [HeaderVersioning, users, 'user-detail', '"user-detail" (/users/:id{.:format}) needs "id".'],
      [URLPathVersioning, inPath, 'home', '"home" (/) takes no "version"; it has no parameters.'],
      [NamespaceVersioning, api, 'user-lst', 'No route named "v1:user-lst". Did you mean "v1:user-list"?'],
      [NamespaceVersioning, api, 'home', 'No route named "v1:home". "home" is there, but not in that version.'],
      [NamespaceVersioning, api, 'user-detail', '"v1:user-detail" (/one/users/:id{.:format}) needs "id".'],
    ])('%p, %p, %s: %s', (scheme, routes, name, message) => {
      const error = { name: 'NoReverseMatch', code: 'ERR_NO_REVERSE_MATCH', status: 500 }
      const v1 = inVersion('v1', options({ scheme, routes }))
      expect(() => v1.path(name)).toThrow(
        expect.objectContaining({ ...error, message: expect.stringContaining(message) }),
      )
    })

    test('a full name stays what it is', () => {
      const v1 = inVersion('v1', options({ scheme: NamespaceVersioning, routes: api }))
      expect(v1.path('v1:user-list')).toBe('/one/users')
      expect(() => v1.path('v1:user-detail')).toThrow(
        new NoReverseMatch('"v1:user-detail" (/one/users/:id{.:format}) needs "id".'),
      )
      // No part of a name is one.
      expect(() => v1.path('list')).toThrow('No route named "v1:list".')
    })

    test.each<[name: unknown, given: unknown, message: string]>([
      [7, {}, 'A link takes a view name or a path; got a number.'],
      ['user-list', null, 'A link takes an object of options; got null.'],
      ['user-list', 7, 'A link takes an object of options; got a number.'],
      ['user-list', { version: 'v2' }, 'unknown option "version"'],
      ['//evil.com', {}, 'A path that starts with two slashes leads to another host.'],
    ])('%j with %j: %s', (name, given, message) => {
      const v1 = inVersion('v1', options({}))
      expect(() => v1.path(name as never, given as never)).toThrow(
        expect.objectContaining({ code: 'ERR_NO_REVERSE_MATCH', message: expect.stringContaining(message) }),
      )
    })

    test('an option that is undefined is none', () => {
      expect(inVersion('v1', options({})).path('user-list', { absolute: undefined, query: undefined })).toBe('/users')
      expect(inVersion('v1', options({})).path('user-list', { format: null as never })).toBe('/users')
    })
  })

  describe('combinations', () => {
    const combined = (
      ...schemes: ConstructorParameters<typeof CombinedVersioning>[0]['schemes'] extends Iterable<infer S> ? S[] : never
    ) => ({ scheme: new CombinedVersioning({ schemes, allowedVersions: ['v1', 'v2', 'v.2'] }) }) as VersioningOptions

    test('and so do namespaces', () => {
      const v1 = inVersion('v1', { ...combined(new HeaderVersioning(), new NamespaceVersioning()), routes: api })
      expect([v1.path('user-list'), v1.path('home')]).toEqual(['/one/users', '/'])
      expect(() => v1.path('user-lst')).toThrow(
        'No route named "user-lst". No route named "v1:user-lst". Did you mean "v1:user-list" or "v2:user-list"?',
      )
    })
  })
})

describe('options', () => {
  const allowedVersions = ['v1', 'v2']
  const once = <Item>(...items: Item[]) => items.values()

  describe('versionsOf()', () => {
    test.each<[options: Omit<VersioningOptions, 'scheme'>, versions: string[]]>([
      [{ allowedVersions: ['v2', 'v1', null, 'v2'] }, ['v2', 'v1']],
      [{ allowedVersions, defaultVersion: 'v1' }, ['v1', 'v2']],
      [{ allowedVersions, defaultVersion: 'v0' }, ['v1', 'v2', 'v0']],
      [{ allowedVersions: [null], defaultVersion: 'v0' }, ['v0']],
      [{ allowedVersions: new Set(allowedVersions) }, ['v1', 'v2']],
      [{ defaultVersion: 'v1' }, ['v1']],
      [{}, []],
    ])('of %p: %j', (options, versions) => {
      expect(versionsOf({ scheme: HeaderVersioning, ...options })).toEqual(versions)
    })
  })

  describe('a one-shot iterator in the options is read once, whichever function comes first', () => {
    const routes = () => namedRoutes({ docs: '/docs', user: '/user' })
    const build: Readonly<Record<string, () => VersioningOptions>> = {
      allowedVersions: () => ({ scheme: HeaderVersioning, allowedVersions: once('v1', 'v2'), routes: routes() }),
      neutral: () => ({ scheme: URLPathVersioning, allowedVersions, neutral: once('docs'), routes: routes() }),
      allowedHosts: () => ({
        scheme: HeaderVersioning,
        allowedVersions,
        allowedHosts: once('a.test'),
        routes: routes(),
      }),
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
  })

  describe('inVersion() refuses', () => {
    const scheme = HeaderVersioning
    test.each<[version: unknown, options: unknown, client: unknown, message: string]>([
      ['v1', { scheme }, { mont: '/api' }, 'inVersion(): unknown option "mont". Did you mean "mount"?'],
      ['v1', { scheme }, null, 'inVersion() takes an object of options; got null.'],
      ['v1', { scheme }, { mount: 7 }, 'inVersion(): option "mount" takes a path (a string); got 7.'],
      ['v1', { scheme }, { unchecked: 1 }, 'inVersion(): option "unchecked" takes true or false; got 1.'],
      [7, { scheme }, {}, 'inVersion() takes a version (a string); got 7.'],
      ['v3', { scheme, allowedVersions: [null, 'w'] }, {}, "version 'v3' is not allowed. Allowed: 'w'. To test"],
      ['v,1', { scheme }, { unchecked: true }, 'carry() of HeaderVersioning'],
    ])('%j of %p with %j: %s', (version, options, client, message) => {
      const made = () => inVersion(version as string, options as VersioningOptions, client as never)
      expect(made).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }))
    })

    test.each(['', 7, null, 'localhost', 'a.b.c', 'example.com/', 'example.com:x'])('the host %j', (host) => {
      const made = () => inVersion('v1', { scheme: HostNameVersioning }, { host: host as string })
      expect(made).toThrow(
        new TypeError(
          `inVersion(): option "host" takes a host of two labels of letters and digits, and maybe a port, such as 'example.com' or 'example.test:3000'; got ${typeof host === 'string' ? `'${host}'` : host}.`,
        ),
      )
    })
  })
})

describe('documents', () => {
  const page = pages.find(({ file }) => file === 'docs/client.md')?.text as string
  const snippets = blocks('js', page)

  test('docs/client.md shows one snippet for supertest', () => {
    expect(snippets).toHaveLength(1)
  })

  // A server of each scheme at that mount.
  const here = setups.filter(({ mount, host }) => mount === '/api' && host === undefined)

  describe.each(here)('that snippet, with versions in: $name', (setup) => {
    const { app, options } = serverOf(setup, ['v1', 'v2'])
    const names = { app, options, inVersion, versionsOf, describe, test, expect, require }
    new Function(...Object.keys(names), snippets[0] as string)(...Object.values(names))
  })
})
