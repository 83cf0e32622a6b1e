import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HostNameVersioning,
  type LinkOptions,
  MediaTypeVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { appOf, dispatch, type Sent } from '../support/dispatch'

type Asked = [name: string, options?: LinkOptions]

/** The link, or the message of its error. */
function linkOf(options: VersioningOptions, sent: Sent, [name, given]: Asked): string {
  const app = appOf((app) => app.use(versioning(options)))
  const { req } = dispatch(app, sent)
  try {
    return req.reverse(name, given)
  } catch (error) {
    expect(error).toBeInstanceOf(NoReverseMatch)
    return (error as Error).message
  }
}

describe('NamespaceVersioning tries', () => {
  const item = () => namedRoutes({ item: '/items/:id', v1: '/about-v1' })
  const versions = (root: object) =>
    ['v1', 'v2'].reduce(
      (table, version) => table.include(`/${version}`, item() as never, { namespace: version }),
      root as ReturnType<typeof namedRoutes>,
    )
  const shop = () => versions(namedRoutes({}))
  const routes = () =>
    versions(namedRoutes({ v1: '/one', v2: '/two' }))
      .include('/shop', shop() as never, { namespace: 'shop' })
      .include('/lab', namedRoutes({}).include('/v2', namedRoutes({ item: '/:kind' }), { namespace: 'v2' }) as never, {
        namespace: 'lab',
      })
  const scheme = { scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'] }

  test.each<[title: string, url: string, Asked, link: string]>([
    ['a full name in its own version', '/v1/items/1', ['v1:item', { kwargs: { id: 7 }, version: 'v1' }], '/v1/items/7'],
    ['a full name in the other', '/v1/items/1', ['v1:item', { kwargs: { id: 7 }, version: 'v2' }], '/v2/items/7'],
    [
      'a full name, with no version in the request',
      '/one',
      ['v1:item', { kwargs: { id: 7 }, version: 'v1' }],
      '/v1/items/7',
    ],
    ['not a view that is named as the version', '/v1/items/1', ['v1', { version: 'v2' }], '/v2/about-v1'],
    ['nor one at the end of a full name', '/shop/v1/items/1', ['shop:v1:v1', { version: 'v2' }], '/shop/v2/about-v1'],
    [
      'the version alone, before what stands around it',
      '/shop/v1/items/1',
      ['item', { kwargs: { id: 7 }, version: 'v2' }],
      '/v2/items/7',
    ],
    [
      'the next name when the arguments fit only that',
      '/lab/v2/x',
      ['item', { kwargs: { kind: 'y' }, version: 'v2' }],
      '/lab/v2/y',
    ],
  ])('%s', (_title, url, asked, link) => {
    expect(linkOf({ ...scheme, routes: routes() as never }, { url }, asked)).toBe(link)
  })

  describe('where a version stands below a version:', () => {
    const leaf = (path: `/${string}`) => namedRoutes({ item: path })
    const nested = namedRoutes({})
      .include('/1', leaf('/one').include('/1', leaf('/inner'), { namespace: 'v1' }), { namespace: 'v1' })
      .include('/2', leaf('/two').include('/1', leaf('/inner'), { namespace: 'v1' }), { namespace: 'v2' })

    test.each<[title: string, version: string | undefined, link: string]>([
      ['in the own version, the one below comes first', undefined, '/1/1/inner'],
      ['for the other version, the full name comes first', 'v2', '/2/two'],
    ])('%s', (_title, version, link) => {
      expect(linkOf({ ...scheme, routes: nested }, { url: '/1/one' }, ['v1:item', { version }])).toBe(link)
    })
  })

  describe('names beside its own, wherever the version stands among the namespaces:', () => {
    const leaf = (path: `/${string}`) => namedRoutes({ item: path })
    const parts = () =>
      namedRoutes({}).include('/a', leaf('/x'), { namespace: 'a' }).include('/b', leaf('/y'), { namespace: 'b' })
    const outermost = () =>
      namedRoutes({}).include('/1', parts(), { namespace: 'v1' }).include('/2', parts(), { namespace: 'v2' })
    const innermost = () =>
      namedRoutes({})
        .include('/1', leaf('/x'), { namespace: 'v1' })
        .include('/2', leaf('/y'), { namespace: 'v2' }) as never
    const between = () => namedRoutes({}).include('/p', outermost(), { namespace: 'p' })
    const none = () =>
      namedRoutes({}).include('/q', namedRoutes({}).include('/r', parts(), { namespace: 'r' }), { namespace: 'q' })
    const V2 = { version: 'v2' }

    test.each<[where: string, routes: () => object, url: string, Asked, link: string]>([
      ['first, for its own', outermost, '/1/a/x', ['a:item'], '/1/a/x'],
      ['first, for the other', outermost, '/1/a/x', ['item', V2], '/2/a/x'],
      [
        'last, for its own',
        () => namedRoutes({}).include('/p', innermost(), { namespace: 'p' }),
        '/p/1/x',
        ['item'],
        '/p/1/x',
      ],
      [
        'last, for the other',
        () => namedRoutes({}).include('/p', innermost(), { namespace: 'p' }),
        '/p/1/x',
        ['item', V2],
        '/p/2/y',
      ],
      ['between, behind what comes first', between, '/p/1/a/x', ['b:item', V2], '/p/2/b/y'],
      ['between, in place of the version', between, '/p/1/a/x', ['item', V2], '/p/2/a/x'],
      ['nowhere', none, '/q/r/a/x', ['item', V2], 'No route named "v2:item".'],
    ])('%s', (_where, made, url, asked, link) => {
      const own = new NamespaceVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', ignore: [...'pqrab'] })
      expect(linkOf({ scheme: own, routes: made() as never }, { url }, asked)).toBe(link)
    })
  })

  test('and tells of a name that is there, whatever else was tried', () => {
    const api = namedRoutes({}).include('/shop', shop() as never, { namespace: 'shop' })
    const message = linkOf({ ...scheme, routes: api as never }, { url: '/shop/v1/items/1' }, [
      'item',
      { version: 'v2' },
    ])
    expect(message).toMatch(/^"shop:v2:item" \(\/shop\/v2\/items\/:id\) needs "id"/)
    expect(message).not.toContain('"v2:item"')
  })
})

test.each<[title: string, Asked, link: string]>([
  ['stays where the request has no version', ['list', { query: { version: '9' } }], '/users?version=9'],
  ['goes with version: null', ['list', { query: { version: '9', page: 2 }, version: null }], '/users?page=2'],
])("QueryParameterVersioning: a query's own version %s", (_title, asked, link) => {
  const options = { scheme: QueryParameterVersioning, routes: namedRoutes({ list: '/users' }) }
  expect(linkOf(options, { url: '/' }, asked)).toBe(link)
})

test.each<[pattern: RegExp, host: string, version: string | null, link: string]>([
  [/^api\.(v\d+)\./, 'api.v1.example.com', null, 'http://api.example.com/users'],
  [/^api\.(v\d+)\./, 'api.v1.example.com', 'v2', 'http://api.v2.example.com/users'],
  [/^(v\d+)?api\./, 'v1api.example.com', null, 'http://api.example.com/users'],
  [/^api(v\d+)?\./, 'apiv1.example.com', null, 'http://api.example.com/users'],
])('HostNameVersioning: %p on %s, version %p', (hostnamePattern, host, version, link) => {
  const options = { scheme: new HostNameVersioning({ hostnamePattern }), routes: namedRoutes({ list: '/users' }) }
  expect(linkOf(options, { url: '/', headers: { host } }, ['list', { version, absolute: true }])).toBe(link)
})

test('where one name is there and its arguments do not fit, names near the other are not offered', () => {
  const routes = namedRoutes({ item2: '/other' }).include('/v1', namedRoutes({ item: '/items/:id' }), {
    namespace: 'v1',
  })
  const message = linkOf({ scheme: NamespaceVersioning, routes }, { url: '/v1/items/1' }, ['item'])
  expect(message).toBe('"v1:item" (/v1/items/:id) needs "id". No route named "item".')
})

test("a scheme's own reverse() says what it tried", () => {
  const scheme = new AcceptHeaderVersioning()
  const app = appOf((app) => app.use(versioning({ scheme, routes: namedRoutes({ list: '/users' }) })))
  const { req } = dispatch(app, { url: '/' })
  expect(() => scheme.reverse('nope', { request: req })).toThrow('No link: "nope" is not the name of a route.')
})

test('a deprecated version without a successor has no link to one', () => {
  const routes = namedRoutes({ list: '/users' })
  const lifecycle = { v1: { deprecated: '2026-01-01' } }
  const options = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2'], routes, lifecycle }
  const { res } = dispatch(
    appOf((app) => app.use(versioning(options))),
    { url: '/users?version=v1' },
  )
  expect(res.getHeader('Deprecation')).toBe('@1767225600')
  expect(res.getHeader('Link')).toBeUndefined()
})

test('a CORS preflight is not refused for a conflict either', () => {
  const scheme = new CombinedVersioning({ schemes: [new QueryParameterVersioning(), new AcceptHeaderVersioning()] })
  const headers = {
    origin: 'https://a.example',
    'access-control-request-method': 'GET',
    accept: 'application/json; version=2',
  }
  const app = appOf((app) => app.use(versioning({ scheme })))
  expect(dispatch(app, { method: 'GET', url: '/?version=1', headers }).errors).toEqual([
    expect.objectContaining({ status: 400 }),
  ])
  expect(dispatch(app, { method: 'OPTIONS', url: '/?version=1', headers })).toMatchObject({ served: 1, errors: [] })
})

describe('CombinedVersioning', () => {
  const combined = () =>
    new CombinedVersioning({ schemes: [new QueryParameterVersioning(), new NamespaceVersioning()] })

  test("an error without failures is the first scheme's own, status and all", () => {
    const routes = namedRoutes({ list: '/users' })
    const app = appOf((app) => app.use(versioning({ scheme: combined(), routes, allowedHosts: ['a.example'] })))
    const { req } = dispatch(app, { url: '/', headers: { host: 'evil.example' } })
    expect(() => req.reverse('list', { absolute: true })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('not one of the allowed hosts'), status: 400 }),
    )
  })

  test("names that a scheme's own reverse() could not find are tried as the other schemes would", () => {
    class Own extends URLPathVersioning {
      override reverse(...asked: Parameters<URLPathVersioning['reverse']>): string {
        return `${super.reverse(...asked)}#own`
      }
    }
    const scheme = () => new CombinedVersioning({ schemes: [new Own(), new QueryParameterVersioning()] })
    const routes = namedRoutes({ list: '/:version/users', health: '/health' })
    const url = '/v1/users'
    expect(linkOf({ scheme: scheme(), routes }, { url }, ['list'])).toBe('/v1/users#own')
    expect(linkOf({ scheme: scheme(), routes }, { url }, ['health'])).toBe('/health?version=v1')
  })

  test('what a scheme says is wrong with the link itself is told, and no other scheme asked', () => {
    class Own extends URLPathVersioning {
      override reverse(): string {
        throw new NoReverseMatch('not today')
      }
    }
    const scheme = new CombinedVersioning({ schemes: [new Own(), new QueryParameterVersioning()] })
    const routes = namedRoutes({ list: '/:version/users' })
    expect(linkOf({ scheme, routes }, { url: '/v1/users' }, ['list'])).toBe('not today')
  })

  test('each name that was tried is told', () => {
    const routes = namedRoutes({}).include('/v1', namedRoutes({ item: '/items/:id' }), { namespace: 'v1' })
    const message = linkOf({ scheme: combined(), routes }, { url: '/v1/items/1?version=v1' }, [
      'item',
      { version: 'v1' },
    ])
    expect(message).toMatch(/No route named "item".* "v1:item" \(\/v1\/items\/:id\) needs "id"|"v1:item".*"item"/)
  })
})

test('AcceptHeaderVersioning tells what is allowed where nothing is acceptable', () => {
  const scheme = new AcceptHeaderVersioning({ mediaTypes: ['application/json'], allowedVersions: ['1', '2'] })
  const app = appOf((app) => app.use(versioning({ scheme })))
  const { errors } = dispatch(app, { url: '/', headers: { accept: 'text/html' } })
  expect(errors).toEqual([expect.objectContaining({ status: 406, allowedVersions: ['1', '2'] })])
})

describe('MediaTypeVersioning', () => {
  const templates = ['application/vnd.a.{version}+json', 'application/vnd.b.{version}+json', 'text/c{version}']
  const scheme = new MediaTypeVersioning({ template: templates })

  test.each([
    ['application/vnd.a.1+json', 'application/vnd.a.1+json, application/json;q=1'],
    [
      'application/vnd.a.1+json;q=0.5, text/html, application/vnd.b.2+json, */*',
      'application/vnd.a.1+json;q=0.5, application/json;q=0.5, text/html, application/vnd.b.2+json, application/json;q=1, */*',
    ],
    // no suffix, no other type
    ['text/c1', 'text/c1'],
  ])('negotiableAccept of %s', (accept, seen) => {
    expect(scheme.negotiableAccept(accept)).toBe(seen)
  })

  test('a vendor type behind a quote that was left open is a doubt, with any of the templates', () => {
    const app = appOf((app) => app.use(versioning({ scheme, defaultVersion: undefined })))
    for (const type of ['vnd.a', 'vnd.b']) {
      const { errors } = dispatch(app, { url: '/', headers: { accept: `a/b;x="y, application/${type}.1+json` } })
      expect(errors).toEqual([expect.objectContaining({ status: 406 })])
    }
  })
})
