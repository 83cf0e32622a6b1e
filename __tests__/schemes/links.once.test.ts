import {
  CombinedVersioning,
  HostNameVersioning,
  type LinkOptions,
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
    ['not a view that is named as the version', '/v1/items/1', ['v1', { version: 'v2' }], '/v2/about-v1'],
    ['nor one at the end of a full name', '/shop/v1/items/1', ['shop:v1:v1', { version: 'v2' }], '/shop/v2/about-v1'],
  ])('%s', (_title, url, asked, link) => {
    expect(linkOf({ ...scheme, routes: routes() as never }, { url }, asked)).toBe(link)
  })

  describe('names beside its own, wherever the version stands among the namespaces:', () => {
    const leaf = (path: `/${string}`) => namedRoutes({ item: path })
    const parts = () =>
      namedRoutes({}).include('/a', leaf('/x'), { namespace: 'a' }).include('/b', leaf('/y'), { namespace: 'b' })
    const outermost = () =>
      namedRoutes({}).include('/1', parts(), { namespace: 'v1' }).include('/2', parts(), { namespace: 'v2' })
    const between = () => namedRoutes({}).include('/p', outermost(), { namespace: 'p' })
    const none = () =>
      namedRoutes({}).include('/q', namedRoutes({}).include('/r', parts(), { namespace: 'r' }), { namespace: 'q' })
    const V2 = { version: 'v2' }

    test.each<[where: string, routes: () => object, url: string, Asked, link: string]>([
      ['first, for its own', outermost, '/1/a/x', ['a:item'], '/1/a/x'],
      ['first, for the other', outermost, '/1/a/x', ['item', V2], '/2/a/x'],
      ['between, behind what comes first', between, '/p/1/a/x', ['b:item', V2], '/p/2/b/y'],
      ['between, in place of the version', between, '/p/1/a/x', ['item', V2], '/p/2/a/x'],
      ['nowhere', none, '/q/r/a/x', ['item', V2], 'No route named "v2:item".'],
    ])('%s', (_where, made, url, asked, link) => {
      const own = new NamespaceVersioning({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', ignore: [...'pqrab'] })
      expect(linkOf({ scheme: own, routes: made() as never }, { url }, asked)).toBe(link)
    })
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

describe('CombinedVersioning', () => {
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
})
