import express, { type Application, type RequestHandler, type Response } from 'express'
import {
  BaseVersioning,
  byVersion,
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
import { descriptionOf } from '../../src/middleware/description'
import { type Answer, listen, serve } from '../support/serve'

const INFO = 'https://api.example.com/export-ends'
const PAST = '2020-01-01'
const [Y2019, Y2020, Y2021] = ['@1546300800', '@1577836800', '@1609459200']
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
    [undefined, 'deprecated() takes an object of options; got undefined.'],
    [PAST, "deprecated() takes an object of options; got '2020-01-01'."],
    [{}, `deprecated(): option "since" takes ${DATES}; got undefined.`],
    [{ since: 'soon' }, `deprecated(): option "since" takes ${DATES}; got 'soon'.`],
    [{ since: new Date(Number.NaN) }, `deprecated(): option "since" takes ${DATES}; got Invalid Date.`],
    [{ since: '2026-02-31' }, `deprecated(): option "since" takes ${DATES}; got '2026-02-31'.`],
    [{ since: 0 }, `deprecated(): option "since" takes ${DATES}; got 0.`],
    [{ since: PAST, sunset: 'never' }, `deprecated(): option "sunset" takes ${DATES}; got 'never'.`],
    [
      { since: PAST, sunset: '2019-12-31' },
      `deprecated(): option "sunset" ('2019-12-31') lies before "since" ('2020-01-01').`,
    ],
    [
      { since: PAST, info: '/relative' },
      `deprecated(): option "info" takes an http(s) URL such as 'https://api.example.com/deprecations'; got '/relative'.`,
    ],
    [{ since: PAST, successor: '' }, `deprecated(): option "successor" takes a view name; got ''.`],
    [{ since: PAST, successor: 7 }, 'deprecated(): option "successor" takes a view name; got 7.'],
    [
      { since: PAST, successors: 'x' },
      'deprecated(): unknown option "successors". Did you mean "successor"? It takes "since", "sunset", "info", "successor".',
    ],
    [
      { deprecated: PAST },
      'deprecated(): unknown option "deprecated". It takes "since", "sunset", "info", "successor".',
    ],
  ])('%j', (options, message) => {
    expect(() => loosely(options)).toThrow(new TypeError(message))
  })

  test('undefined counts as omitted', () => {
    expect(() => deprecated({ since: PAST, sunset: undefined, info: undefined, successor: undefined })).not.toThrow()
  })
})

describe('header fields', () => {
  const LINK = `<${INFO}>; rel="deprecation"; type="text/html"`

  test.each<[DeprecatedOptions, object]>([
    [{ since: PAST }, { deprecation: Y2020 }],
    [{ since: new Date('2999-01-01') }, { deprecation: '@32472144000' }],
    [
      { since: PAST, sunset: PAST },
      { deprecation: Y2020, sunset: 'Wed, 01 Jan 2020 00:00:00 GMT' },
    ],
    [
      { since: PAST, info: INFO },
      { deprecation: Y2020, link: LINK },
    ],
    [
      { since: PAST, sunset: '2999-01-01', info: new URL(INFO) },
      {
        deprecation: Y2020,
        sunset: 'Tue, 01 Jan 2999 00:00:00 GMT',
        link: `${LINK}, <${INFO}>; rel="sunset"`,
      },
    ],
  ])('of %j, without any versioning(), on the first request of a server', async (options, fields) => {
    const server = await serve((app) => app.get('/', deprecated(options), tell))
    expect(fieldsOf(await server.get('/'))).toEqual({ ...NONE, ...fields })
  })

  test('beside a Link of somebody else', async () => {
    const server = await serve((app) => {
      app.use(first((res) => void res.links({ next: '/2' })))
      app.get('/', deprecated({ since: PAST, info: INFO }), tell)
    })
    expect((await server.get('/')).headers.link).toBe(`</2>; rel="next", ${LINK}`)
  })

  test('on errors of the handler, and not of another route', async () => {
    const server = await serve((app) => {
      app.get('/', deprecated({ since: PAST }), (_req, _res, next) => next(new Error('x')))
      app.get('/other', tell)
    })
    expect(await server.get('/')).toMatchObject({ status: 500, headers: { deprecation: Y2020 } })
    expect(fieldsOf(await server.get('/other'))).toEqual(NONE)
  })

  test('not once the headers are sent', async () => {
    const app = express().get(
      '/',
      first((res) => void res.write('x')),
      deprecated({ since: PAST }),
    )
    app.use((_req, res) => void res.end('y'))
    const answer = await (await listen(app)).get('/')
    expect(answer).toMatchObject({ status: 200, text: 'xy' })
    expect(fieldsOf(answer)).toEqual(NONE)
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
    [
      { deprecated: '2019-01-01', sunset: '2999-01-01' },
      { since: PAST, sunset: '2998-01-01' },
      { deprecation: Y2019, sunset: 'Mon, 01 Jan 2998 00:00:00 GMT' },
    ],
    [
      { deprecated: '2021-01-01', sunset: '2998-01-01' },
      { since: PAST, sunset: '2999-01-01' },
      { deprecation: Y2020, sunset: 'Mon, 01 Jan 2998 00:00:00 GMT' },
    ],
    [{ sunset: PAST }, { since: PAST }, { deprecation: Y2020, sunset: 'Wed, 01 Jan 2020 00:00:00 GMT' }],
    [
      { deprecated: PAST, info: 'https://a.example/' },
      { since: PAST, info: 'https://b.example/' },
      {
        deprecation: Y2020,
        link: '<https://a.example/>; rel="deprecation"; type="text/html", <https://b.example/>; rel="deprecation"; type="text/html"',
      },
    ],
  ])('%j and %j', async (plan, options, fields) => {
    expect(fieldsOf(await (await of(plan, options)).get('/?version=v1'))).toEqual({ ...NONE, ...fields })
  })

  test('another version has the route’s alone', async () => {
    const server = await of({ deprecated: '2019-01-01', info: INFO }, { since: PAST })
    expect(fieldsOf(await server.get('/?version=v2'))).toEqual({ ...NONE, deprecation: Y2020 })
  })

  test('of several on one request the earliest', async () => {
    const server = await serve((app) => {
      app.use(
        deprecated({ since: '2021-01-01' }),
        deprecated({ since: PAST }),
        deprecated({ since: '2022-01-01' }),
        tell,
      )
    })
    expect(fieldsOf(await server.get('/'))).toEqual({ ...NONE, deprecation: Y2020 })
  })

  test('one that somebody else wrote gives way', async () => {
    const server = await serve((app) => {
      app.use(first((res) => void res.set('Deprecation', 'true')))
      app.use(deprecated({ since: PAST }), tell)
    })
    expect((await server.get('/')).headers.deprecation).toBe(Y2020)
  })

  test.each<[string, VersionLifecycle, string | undefined]>([
    ['an earlier date', { deprecated: '2019-01-01' }, Y2019],
    ['a later date', { deprecated: '2021-01-01' }, Y2020],
    ['no date', {}, Y2020],
  ])('in front of a versioning() with %s', async (_title, plan, deprecation) => {
    const decide = versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: plan } })
    const server = await serve((app) => app.get('/', deprecated({ since: PAST, info: INFO }), decide, tell))
    const link = `<${INFO}>; rel="deprecation"; type="text/html"`
    expect(fieldsOf(await server.get('/?version=v1'))).toEqual({ ...NONE, deprecation, link })
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

  test('on a neutral route, and in a handler of byVersion() alone', async () => {
    const server = await serve((app) => {
      app.use(versioning({ scheme: QueryParameterVersioning, neutral: ['/health'] }))
      app.get('/health', deprecated({ since: PAST }), tell)
      app.get('/users', byVersion({ v1: [deprecated({ since: PAST }), tell], v2: tell }))
    })
    expect(fieldsOf(await server.get('/health'))).toEqual({ ...NONE, deprecation: Y2020 })
    expect(fieldsOf(await server.get('/users?version=v1'))).toEqual({ ...NONE, deprecation: Y2020 })
    expect(fieldsOf(await server.get('/users?version=v2'))).toEqual(NONE)
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
    ['more', '/api/users/7/export', undefined],
    ['nothing', '/api/users/7/export', undefined],
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

  test('to a route without a version', async () => {
    const routes = namedRoutes({ out: '/out/:id' }).include('/:version', child('out'))
    const link = await linkOf({ scheme: URLPathVersioning, routes }, '/api/v1/users/7/export')
    expect(link).toBe('</api/out/7>; rel="successor-version"')
  })

  test('beside that to the successor of the version', async () => {
    const lifecycle = { v1: { successor: 'v2', info: INFO, deprecated: PAST } }
    const link = await linkOf(
      { scheme: QueryParameterVersioning, lifecycle, routes: child('all') },
      '/api/users/7/export?version=v1',
    )
    expect(link).toBe(
      `<${INFO}>; rel="deprecation"; type="text/html", </api/users/7/export?version=v2>; rel="successor-version", ` +
        '</api/all?version=v1>; rel="successor-version"',
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
    ['HEAD', '/v2/export', true],
    ['POST', '/v2/export', false],
    ['GET', '/v1/export', true],
    ['GET', '/v2/all', true],
    ['PURGE', '/v2/all', true],
    ['GET', '/v2/later', false],
    ['GET', '/v2/bare', false],
    ['GET', '/v2/nothing', false],
    ['GET', '/v9/export', true],
    ['GET', '/v9/users', false],
  ])('%s %s: %s', async (method, path, expected) => {
    await (await served()).send(method, path)
    expect(heard.map(({ deprecated }) => deprecated)).toEqual([expected])
  })

  test('a HEAD of its own, at the instant, and without a table', async () => {
    const table = namedRoutes({ user: '/users' })
    table
      .route('user')
      .head(tell)
      .get(deprecated({ since: FUTURE }), tell)
    const onVersion = (event: VersionEvent) => void heard.push(event)
    const server = await serve((app) => {
      app.use('/alone', versioning({ scheme: HeaderVersioning, onVersion }))
      app.use(versioning({ scheme: HeaderVersioning, routes: table, onVersion }), table)
    })
    await server.send('HEAD', '/users')
    await server.get('/users')
    await server.get('/alone')
    const now = jest.spyOn(Date, 'now')
    const told = (date: string) => {
      now.mockReturnValue(Date.parse(date))
      return heard.map(({ deprecated }) => deprecated)
    }
    expect(told('2998-12-31T23:59:59.999Z')).toEqual([false, false, false, false])
    expect(told(FUTURE)).toEqual([false, true, false, false])
    now.mockRestore()
  })
})

test('the description that it leaves behind', () => {
  expect(descriptionOf(deprecated({ since: PAST, sunset: '2021-01-01', info: INFO, successor: 'x' }))).toEqual({
    deprecation: { since: Date.parse(PAST), sunset: Date.parse('2021-01-01'), info: INFO, successor: 'x' },
  })
  expect(descriptionOf(deprecated({ since: PAST }))).toEqual({
    deprecation: { since: Date.parse(PAST), sunset: undefined, info: undefined, successor: undefined },
  })
})
