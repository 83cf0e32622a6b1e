import type { Application, RequestHandler, Response } from 'express'
import {
  BaseVersioning,
  type DeprecatedOptions,
  deprecated,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionEvent,
  type VersioningOptions,
  type VersionLifecycle,
  versioning,
} from 'express-versioning'
import { type Answer, serve } from '../support/serve'

const INFO = 'https://api.example.com/export-ends'
const PAST = '2020-01-01'
const [Y2020, Y2021] = ['@1577836800', '@1609459200']
const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const go: RequestHandler = (_req, _res, next) => next()

/** Middleware that does something to the answer, and goes on. */
const first =
  (write: (res: Response) => void): RequestHandler =>
  (_req, res, next) => {
    write(res)
    next()
  }

function fieldsOf({ headers }: Answer) {
  const { deprecation, sunset, link } = headers
  return { deprecation, sunset, link }
}

const NONE = { deprecation: undefined, sunset: undefined, link: undefined }
const loosely = (...options: unknown[]) => deprecated(...(options as [DeprecatedOptions]))

describe('construction errors', () => {
  const DATES = 'a Date, an ISO 8601 date and time with an offset, or a date such as 2026-01-31'
  test.each<[unknown, string]>([
    [{}, `deprecated(): option "since" takes ${DATES}; got undefined.`],
    [{ since: 'soon' }, `deprecated(): option "since" takes ${DATES}; got 'soon'.`],
    [{ since: new Date(Number.NaN) }, `deprecated(): option "since" takes ${DATES}; got Invalid Date.`],
    [{ since: '2026-02-31' }, `deprecated(): option "since" takes ${DATES}; got '2026-02-31'.`],
    [{ since: 0 }, `deprecated(): option "since" takes ${DATES}; got 0.`],
    [
      { since: PAST, info: '/relative' },
      `deprecated(): option "info" takes an http(s) URL such as 'https://api.example.com/deprecations'; got '/relative'.`,
    ],
    [{ since: PAST, successor: '' }, `deprecated(): option "successor" takes a view name; got ''.`],
    [{ since: PAST, successor: 7 }, 'deprecated(): option "successor" takes a view name; got 7.'],
  ])('%j', (options, message) => {
    expect(() => loosely(options)).toThrow(new TypeError(message))
  })
})

describe('merged with those of the version', () => {
  const of = (plan: VersionLifecycle, options: DeprecatedOptions) =>
    serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: plan } }))
      app.get('/', deprecated(options), tell)
    })

  test.each<[VersionLifecycle, DeprecatedOptions, object]>([
    [{ deprecated: PAST }, { since: '2021-01-01' }, { deprecation: Y2020 }],
    [{ deprecated: '2021-01-01' }, { since: PAST }, { deprecation: Y2020 }],
    [{ deprecated: PAST }, { since: PAST }, { deprecation: Y2020 }],
    [{ sunset: PAST }, { since: PAST }, { deprecation: Y2020, sunset: 'Wed, 01 Jan 2020 00:00:00 GMT' }],
  ])('%j and %j', async (plan, options, fields) => {
    expect(fieldsOf(await (await of(plan, options)).get('/?version=v1'))).toEqual({ ...NONE, ...fields })
  })

  test('between two versioning(): the route’s stay, the outer version’s go', async () => {
    const outer: VersionLifecycle = { deprecated: '2019-01-01', info: 'https://a.example/' }
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: outer } }))
      const inner = versioning({ scheme: HeaderVersioning, lifecycle: { v2: { deprecated: '2021-01-01' } } })
      app.get('/', deprecated({ since: PAST, sunset: '2999-01-01', info: INFO }), inner, tell)
    })
    expect(fieldsOf(await server.get('/?version=v1', { 'X-API-Version': 'v2' }))).toEqual({
      deprecation: Y2020,
      sunset: 'Tue, 01 Jan 2999 00:00:00 GMT',
      link: `<${INFO}>; rel="deprecation"; type="text/html", <${INFO}>; rel="sunset"`,
    })
  })

  test('taken back where the dispatch refuses after the route has passed the request on', async () => {
    const users = namedRoutes({ user: '/users', other: '/:version/users' })
    users.route('user').get(deprecated({ since: '2021-01-01', info: INFO }), (req, _res, next) => {
      req.url = '/v2/users'
      next()
    })
    users.route('other').get(tell)
    const options: VersioningOptions = {
      scheme: URLPathVersioning,
      defaultVersion: 'v1',
      lifecycle: { v1: { deprecated: '2022-01-01', info: INFO } },
      routes: users,
    }
    const foreign: RequestHandler = first((res) => void res.set({ Deprecation: Y2021, Link: '</>; rel="up"' }))
    const server = await serve((app) => app.use(foreign, versioning(options), users))
    const answer = await server.get('/users')
    expect(answer.status).toBe(404)
    expect(fieldsOf(answer)).toEqual({ ...NONE, deprecation: Y2021, link: '</>; rel="up"' })
  })
})

describe('the link to the successor', () => {
  const PATHS = {
    old: '/users/:id/export{.:format}',
    report: '/reports/:id',
    same: '/people/:id{.:format}',
    all: '/all',
    more: '/more/:other',
  }
  const child = (successor: string) => {
    const table = namedRoutes(PATHS)
    table.route('old').get(deprecated({ since: PAST, successor }), tell)
    return table
  }
  const linkOf = async (options: VersioningOptions, path: string, headers = {}) => {
    const table = options.routes as unknown as RequestHandler
    const answer = await (await serve((app) => app.use('/api', versioning(options), table))).get(path, headers)
    expect(answer.status).toBe(200)
    return answer.headers.link
  }

  test.each([
    ['report', '/api/users/7/export', '</api/reports/7>; rel="successor-version"'],
    ['report', '/api/users/7/export.csv', '</api/reports/7>; rel="successor-version"'],
    ['report', '/api/users/7/export?a=1&b=%22%3E', '</api/reports/7?a=1&b=%22%3E>; rel="successor-version"'],
    ['report', '/api/users/%3E%22%0A/export', undefined],
    ['report', '/api/users/%3E%22%C3%A9/export', '</api/reports/%3E%22%C3%A9>; rel="successor-version"'],
    ['same', '/api/users/7/export.csv', '</api/people/7.csv>; rel="successor-version"'],
    ['all', '/api/users/7/export', '</api/all>; rel="successor-version"'],
  ])('%s of %s: %s', async (successor, path, link) => {
    expect(await linkOf({ scheme: HeaderVersioning, routes: child(successor) }, path)).toBe(link)
  })

  test('stays in the version: of a path, a namespace, a query', async () => {
    const byPath = namedRoutes({ out: '/out/:id' }).include('/:version', child('report'))
    const path = { scheme: URLPathVersioning, publicPath: '/shop', routes: byPath }
    expect(await linkOf(path, '/api/v1/users/7/export')).toBe('</shop/api/v1/reports/7>; rel="successor-version"')

    const byName = namedRoutes({}).include('/v1', child('report'), { namespace: 'v1' })
    const namespace = { scheme: NamespaceVersioning, routes: byName }
    expect(await linkOf(namespace, '/api/v1/users/7/export')).toBe('</api/v1/reports/7>; rel="successor-version"')

    const query = { scheme: QueryParameterVersioning, routes: child('report') }
    expect(await linkOf(query, '/api/users/7/export?version=v1&page=2')).toBe(
      '</api/reports/7?page=2&version=v1>; rel="successor-version"',
    )
  })

  test('not where a scheme of one’s own fails, and not without a table', async () => {
    class Own extends BaseVersioning {
      override readVersion = () => 'v1'
      override reverse(): string {
        throw new Error('no links')
      }
    }
    expect(await linkOf({ scheme: Own, routes: child('all') }, '/api/users/7/export')).toBe(undefined)
    const server = await serve((app) => app.get('/', deprecated({ since: PAST, successor: 'all' }), tell))
    expect(await server.get('/')).toMatchObject({ status: 200, headers: { deprecation: Y2020 } })
  })
})

describe('events', () => {
  const FUTURE = '2999-01-01'
  const api = () => {
    const users = namedRoutes({ user: '/users', export: '/export', all: '/all', later: '/later', bare: '/bare' })
    users.route('user').get(tell)
    users
      .route('export')
      .post(tell)
      .get(go, deprecated({ since: PAST }), tell)
    users
      .route('all')
      .get(tell)
      .all(deprecated({ since: PAST }), tell)
    users.route('later').get(deprecated({ since: FUTURE }), tell)
    return namedRoutes({}).include('/:version', users)
  }
  const heard: VersionEvent[] = []
  beforeEach(() => {
    heard.length = 0
  })
  const served = () => {
    const routes = api()
    const onVersion = (event: VersionEvent) => void heard.push(event)
    const lifecycle = { v1: { deprecated: PAST }, v2: {} }
    const options = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], lifecycle, routes, onVersion }
    return serve((app: Application) => app.use(versioning(options), routes))
  }

  test.each([
    ['GET', '/v2/user', false],
    ['GET', '/v2/users', false],
    ['GET', '/v1/users', true],
    ['GET', '/v2/export', true],
    ['GET', '/v1/export', true],
    ['GET', '/v2/later', false],
    ['GET', '/v9/users', false],
  ])('%s %s: %s', async (method, path, expected) => {
    await (await served()).send(method, path)
    expect(heard.map(({ deprecated }) => deprecated)).toEqual([expected])
  })
})
