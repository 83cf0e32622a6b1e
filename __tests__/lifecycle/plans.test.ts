import express, { type Application, type Express, type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  type VersionLifecycle,
  versioning,
} from 'express-versioning'
import { type Answer, listen, serve } from '../support/serve'

const VERSIONS = { allowedVersions: ['v1', 'v2', 'v3'] }
const INFO = 'https://api.example.com/deprecations'
const PREFLIGHT = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
const PAST = '2020-01-01'
const FUTURE = '2999-12-31T23:59:59Z'

const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version })
}

const broken: RequestHandler = (_req, _res, next) => next(new Error('x'))

/** `versioning()` by query, with these plans. */
function byQuery(lifecycle: VersioningOptions['lifecycle'], options: Partial<VersioningOptions> = {}) {
  return versioning({ scheme: QueryParameterVersioning, ...VERSIONS, lifecycle, ...options })
}

const planned = (plan: VersionLifecycle, options?: Partial<VersioningOptions>) =>
  serve((app) => app.use(byQuery({ v1: plan }, options), tell))

function fieldsOf({ headers }: Answer) {
  const { deprecation, sunset, link } = headers
  return { deprecation, sunset, link }
}

const NONE = { deprecation: undefined, sunset: undefined, link: undefined }

afterEach(() => {
  jest.restoreAllMocks()
})

describe('dates', () => {
  test.each<[string, Date | string, string, string]>([
    ['a Date', new Date('2026-06-30T23:59:59Z'), '@1782863999', 'Tue, 30 Jun 2026 23:59:59 GMT'],
    ['a Date between seconds', new Date(1688169599999), '@1688169599', 'Fri, 30 Jun 2023 23:59:59 GMT'],
    ['ISO 8601 in UTC', '2023-06-30T23:59:59Z', '@1688169599', 'Fri, 30 Jun 2023 23:59:59 GMT'],
    ['ISO 8601 with an offset', '2023-07-01T01:59:59+02:00', '@1688169599', 'Fri, 30 Jun 2023 23:59:59 GMT'],
    ['an offset to the west', '2023-06-30T18:29:59-05:30', '@1688169599', 'Fri, 30 Jun 2023 23:59:59 GMT'],
    ['an offset of nearly a day', '2023-07-01T22:59:59+23:00', '@1688169599', 'Fri, 30 Jun 2023 23:59:59 GMT'],
    ['no seconds', '2023-06-30T23:59Z', '@1688169540', 'Fri, 30 Jun 2023 23:59:00 GMT'],
  ])('%s: %p', async (_title, date, deprecation, sunset) => {
    const server = await planned({ deprecated: date, sunset: date })
    expect(fieldsOf(await server.get('/?version=v1'))).toEqual({ deprecation, sunset, link: undefined })
  })
})

describe('header fields', () => {
  const DEPRECATION_LINK = `<${INFO}>; rel="deprecation"; type="text/html"`
  const SUNSET_LINK = `<${INFO}>; rel="sunset"`

  test.each<[VersionLifecycle, Partial<ReturnType<typeof fieldsOf>>]>([
    [{}, {}],
    [{ info: INFO }, {}],
    [{ deprecated: PAST }, { deprecation: '@1577836800' }],
    [{ sunset: PAST }, { sunset: 'Wed, 01 Jan 2020 00:00:00 GMT' }],
    [
      { deprecated: FUTURE, info: new URL('http://docs.example/a b?x=">#y') },
      {
        deprecation: '@32503679999',
        link: '<http://docs.example/a%20b?x=%22%3E#y>; rel="deprecation"; type="text/html"',
      },
    ],
    [{ successor: 'v2' }, {}],
    [{ deprecated: undefined, sunset: undefined, info: undefined, successor: undefined, afterSunset: undefined }, {}],
  ])('of %j', async (plan, fields) => {
    const server = await planned(plan)
    expect(fieldsOf(await server.get('/?version=v1'))).toEqual({ ...NONE, ...fields })
  })

  test('not once the headers are sent', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.write('sent')
      next()
    })
    app.use(byQuery({ v1: { deprecated: PAST, successor: 'v2' } }, { reportVersions: true }))
    app.use((req, res) => void res.end(` ${req.version}`))
    const answer = await (await listen(app)).get('/?version=v1')
    expect(answer.text).toBe('sent v1')
    expect(fieldsOf(answer)).toEqual(NONE)
  })

  test.each([
    ['/?version=v2', 'a version without a plan'],
    ['/?version=v3', 'a version whose plan is undefined'],
    ['/', 'no version'],
    ['/?version=v4', 'a refused version'],
  ])('%s (%s): none', async (path) => {
    const app = byQuery({ v1: { deprecated: PAST }, v3: undefined }, { allowedVersions: ['v1', 'v2', 'v3', null] })
    const server = await serve((it) => it.use(app, tell))
    expect(fieldsOf(await server.get(path))).toEqual(NONE)
  })

  test.each<[string, (app: Application) => unknown, number]>([
    ['a handler', (app) => app.use(tell), 200],
    ["nobody: Express's own 404", () => {}, 404],
    ['an error, answered by a handler', (app) => app.use(broken, answering(418)), 418],
    ["an error, answered by Express's default", (app) => app.use(broken), 500],
    ['an error with headers of its own', (app) => app.use((_req, _res, next) => next(withHeaders())), 503],
    ['a file that is not there', (app) => app.use((_req, res) => res.sendFile('/nowhere/at/all')), 404],
    ['a redirect', (app) => app.use((_req, res) => res.redirect('/elsewhere')), 302],
  ])('on the answer of %s', async (_title, answer, status) => {
    const app = express()
    app.use(byQuery({ v1: { deprecated: PAST, sunset: FUTURE, info: INFO } }))
    answer(app)
    const got = await (await listen(app)).get('/?version=v1')
    expect(got.status).toBe(status)
    expect(fieldsOf(got)).toEqual({
      deprecation: '@1577836800',
      sunset: 'Tue, 31 Dec 2999 23:59:59 GMT',
      link: `${DEPRECATION_LINK}, ${SUNSET_LINK}`,
    })
  })

  test.each(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])('on %s', async (method) => {
    const server = await planned({ deprecated: PAST })
    expect((await server.send(method, '/?version=v1')).headers.deprecation).toBe('@1577836800')
  })
})

function answering(status: number): express.ErrorRequestHandler {
  return (_err, _req, res, _next) => void res.status(status).end()
}

function withHeaders() {
  return Object.assign(new Error('x'), { status: 503, headers: { 'Retry-After': '5' } })
}

describe('an existing Link', () => {
  const OURS = `<${INFO}>; rel="deprecation"; type="text/html"`

  test.each<[string, (res: express.Response) => unknown, string]>([
    ['a string', (res) => res.setHeader('Link', '</p2>; rel="next"'), `</p2>; rel="next", ${OURS}`],
    [
      'a list',
      (res) => res.setHeader('Link', ['</a>; rel="a"', '</b>; rel="b"']),
      `</a>; rel="a", </b>; rel="b", ${OURS}`,
    ],
    ['res.links()', (res) => res.links({ next: '/p2' }), `</p2>; rel="next", ${OURS}`],
    ['an empty string', (res) => res.setHeader('Link', ''), OURS],
  ])('%s is appended to', async (_title, before, link) => {
    const server = await serve((app) =>
      app.use(
        (_req, res, next) => {
          before(res)
          next()
        },
        byQuery({ v1: { deprecated: PAST, info: INFO } }),
        tell,
      ),
    )
    expect((await server.get('/?version=v1')).headers.link).toBe(link)
  })

  test.each<[string, (res: express.Response) => unknown]>([
    ['res.links()', (res) => res.links({ next: '/p2' })],
    ['res.append()', (res) => res.append('Link', '</p2>; rel="next"')],
  ])('a handler appends by %s', async (_title, append) => {
    const server = await serve((app) =>
      app.use(byQuery({ v1: { deprecated: PAST, info: INFO } }), (_req, res) => {
        append(res)
        res.end()
      }),
    )
    expect((await server.get('/?version=v1')).headers.link).toBe(`${OURS}, </p2>; rel="next"`)
  })
})

describe('the successor', () => {
  const PLAN = { lifecycle: { v1: { successor: 'v2' } } }
  const of = (link: string) => `<${link}>; rel="successor-version"`

  function byPath(app: Express, options: Partial<VersioningOptions> = {}) {
    const api = namedRoutes({
      users: '/users',
      user: '/users/:id',
      file: '/files/*path',
      page: '/page{.:format}',
      ünï: '/ünï',
    })
    const root = namedRoutes({ home: '/' }).include('/:version', api)
    return app.use(versioning({ scheme: URLPathVersioning, ...VERSIONS, routes: root, ...PLAN, ...options }), root)
  }

  /** v1 has more routes than v2, and one with another parameter. */
  function byNamespace(app: Express) {
    const admin = () => namedRoutes({ stats: '/stats/:day' })
    const v1 = namedRoutes({ users: '/users', user: '/users/:id', old: '/old', moved: '/moved/:id' }).include(
      '/admin',
      admin(),
      { namespace: 'admin' },
    )
    const v2 = namedRoutes({ users: '/people', user: '/people/:id', moved: '/moved/:key' }).include('/staff', admin(), {
      namespace: 'admin',
    })
    const flat = { v1: namedRoutes({ list: '/list' }), v2: namedRoutes({ list: '/lists' }) }
    const root = namedRoutes({ home: '/', list: '/list' })
      .include('/v1', flat.v1, { namespace: 'v1' })
      .include('/v2', flat.v2, { namespace: 'v2' })
      .include(
        '/api/:tenant',
        namedRoutes({}).include('/v1', v1, { namespace: 'v1' }).include('/v2', v2, { namespace: 'v2' }),
        { namespace: 'api' },
      )
    const options = { ...VERSIONS, defaultVersion: 'v1', routes: root, ...PLAN }
    return app.use(versioning({ scheme: NamespaceVersioning, ...options }), root)
  }

  function flatTable() {
    return namedRoutes({ users: '/users', user: '/users/:id' })
  }

  function byHost(app: Express, options: Partial<VersioningOptions> = {}) {
    const routes = flatTable()
    return app.use(versioning({ scheme: HostNameVersioning, ...VERSIONS, routes, ...PLAN, ...options }), routes)
  }

  const HOST = { Host: 'v1.example.com:8080' }

  test.each<[string, string, string | undefined, (app: Express) => unknown, Record<string, string>?]>([
    ['URL path', '/v1/users', '/v2/users', byPath],
    ['URL path', '/v1/users/7?page=2', '/v2/users/7?page=2', byPath],
    ['URL path', '/v1/users?version=v1&a=%20', '/v2/users?version=v1&a=%20', byPath],
    ['URL path', '/v1/users?', '/v2/users', byPath],
    ['URL path', '/v1/users?a=1#x', '/v2/users?a=1', byPath],
    ['URL path', '/v1/users?a=>;rel="x",<b&c=\\', '/v2/users?a=%3E;rel=%22x%22,%3Cb&c=%5C', byPath],
    ['URL path', '/v1/users/a%20b%2Fc', '/v2/users/a%20b%2Fc', byPath],
    ['URL path', '/v1/users/%22%3E%3C%0A', undefined, byPath],
    ['URL path', '/v1/users/%22%3E', '/v2/users/%22%3E', byPath],
    ['URL path', '/v1/files/a/b%20c/d', '/v2/files/a/b%20c/d', byPath],
    ['URL path', '/v1/page.json', '/v2/page.json', byPath],
    ['URL path', '/v1/page', '/v2/page', byPath],
    ['URL path', '/v1/%C3%BCn%C3%AF', '/v2/%C3%BCn%C3%AF', byPath],
    ['URL path', '/v1/users/%', '/v2/users/%25', byPath],
    ['URL path', '/v1/nowhere', undefined, byPath],
    ['URL path', '/v2/users', undefined, byPath],
    ['URL path, mounted', '/my%20api/v1/users', '/my%20api/v2/users', (app) => app.use('/my%20api', byPath(express()))],
    ['namespace', '/v1/list', '/v2/lists', byNamespace],
    ['namespace, by default', '/list', '/v2/lists', byNamespace],
    [
      'host that is allowed',
      '/users/7?page=2',
      'http://v2.example.com:8080/users/7?page=2',
      (app) => byHost(app, { allowedHosts: ['v1.example.com:8080', 'v2.example.com:8080'] }),
      HOST,
    ],
    [
      'host with an origin',
      '/users',
      'https://v2.api.org/users',
      (app) => byHost(app, { origin: 'https://v3.api.org' }),
      HOST,
    ],
    ['Accept', '/users', undefined, accept, { Accept: 'text/plain; version=v1' }],
  ])('%s: %s is %s', async (_title, path, link, build, headers = {}) => {
    const app = express()
    build(app)
    const answer = await (await listen(app)).get(path, headers)
    expect(answer.headers.link).toBe(link === undefined ? undefined : of(link))
  })

  function accept(app: Express) {
    const routes = flatTable()
    return app.use(versioning({ scheme: AcceptHeaderVersioning, ...VERSIONS, routes, ...PLAN }), routes)
  }

  test('stands behind the links to the information', async () => {
    const app = express()
    byPath(app, { lifecycle: { v1: { deprecated: PAST, sunset: FUTURE, info: INFO, successor: 'v2' } } })
    expect((await (await listen(app)).get('/v1/users')).headers.link).toBe(
      `<${INFO}>; rel="deprecation"; type="text/html", <${INFO}>; rel="sunset", </v2/users>; rel="successor-version"`,
    )
  })
})

describe('an inner versioning()', () => {
  const outer = byQuery({ v1: { deprecated: PAST, sunset: FUTURE, info: INFO } }, { reportVersions: true })
  const OUTER = `<${INFO}>; rel="deprecation"; type="text/html", <${INFO}>; rel="sunset"`

  /** Returns the headers of an answer behind two `versioning()`s. Other middleware may write before and between them. */
  async function through(
    inner: RequestHandler,
    before: (res: express.Response) => unknown = () => {},
    between: (res: express.Response) => unknown = () => {},
  ) {
    const run =
      (what: typeof before): RequestHandler =>
      (_req, res, next) => {
        what(res)
        next()
      }
    const server = await serve((app) => app.use(run(before), outer, run(between), inner, tell))
    const answer = await server.get('/?version=v1&v=v2')
    return { ...fieldsOf(answer), supported: answer.headers['api-supported-versions'] }
  }

  const plain = versioning({ scheme: QueryParameterVersioning })
  const CLEAN = { ...NONE, supported: undefined }

  const set = (name: string, value: string | string[]) => (res: express.Response) => res.setHeader(name, value)

  test.each<
    [string, ((res: express.Response) => unknown) | undefined, ((res: express.Response) => unknown) | undefined, object]
  >([
    ['Link before', set('Link', '</a>; rel="a"'), undefined, { link: '</a>; rel="a"' }],
    ['Link between, by res.links()', undefined, (res) => res.links({ n: '/n' }), { link: '</n>; rel="n"' }],
    ['the same Link before', set('Link', OUTER), undefined, { link: OUTER }],
    ['Link replaced', undefined, set('Link', '</n>; rel="n"'), { link: '</n>; rel="n"' }],
    ['Link removed', undefined, (res) => res.removeHeader('Link'), {}],
    ['Deprecation removed', undefined, (res) => res.removeHeader('Deprecation'), {}],
  ])('leaves what others wrote: %s', async (_title, before, between, fields) => {
    expect(await through(plain, before, between)).toEqual({ ...CLEAN, ...fields })
  })

  test('a third removes what the second wrote', async () => {
    const server = await serve((app) => app.use(outer, byQuery({ v1: { deprecated: '2021-01-01' } }), plain, tell))
    expect(fieldsOf(await server.get('/?version=v1'))).toEqual(NONE)
  })

  test('touches nothing once the headers are sent', async () => {
    const app = express()
    app.use(outer, (_req, res, next) => {
      res.write('sent')
      next()
    })
    app.use(plain, (_req, res) => void res.end(' on'))
    const answer = await (await listen(app)).get('/?version=v1')
    expect([answer.text, answer.headers.deprecation]).toEqual(['sent on', '@1577836800'])
  })
})

describe('afterSunset', () => {
  const REFUSAL = {
    error: 'This version is no longer served.',
    code: 'ERR_VERSION_GONE',
    name: 'VersioningError',
  }

  test.each<[VersioningOptions['afterSunset'], VersionLifecycle['afterSunset'], string | undefined, number]>([
    [undefined, undefined, PAST, 200],
    ['serve', undefined, PAST, 200],
    ['gone', undefined, PAST, 410],
    ['gone', 'serve', PAST, 200],
    ['serve', 'gone', PAST, 410],
    [undefined, 'gone', PAST, 410],
    ['gone', undefined, undefined, 200],
  ])('%p, for the version %p, sunset %p: %i', async (afterSunset, own, sunset, status) => {
    const server = await planned({ sunset, afterSunset: own }, { afterSunset })
    expect((await server.get('/?version=v1')).status).toBe(status)
    expect((await server.get('/?version=v2')).status).toBe(200)
  })

  test('410 with the headers, and what would have been accepted', async () => {
    const seen: unknown[] = []
    const routes = namedRoutes({ users: '/users' })
    const plan = { deprecated: PAST, sunset: PAST, info: INFO, successor: 'v2' }
    const server = await serve((app) =>
      app.use(byQuery({ v1: plan, v3: { sunset: PAST } }, { routes, afterSunset: 'gone', reportVersions: true }), ((
        err,
        req,
        _res,
        next,
      ) => {
        seen.push(req.version, err.version, err.allowedVersions, err.expose)
        next(err)
      }) as express.ErrorRequestHandler),
    )
    const answer = await server.get('/users?version=v1')
    expect([answer.status, answer.json]).toEqual([410, REFUSAL])
    expect(fieldsOf(answer)).toEqual({
      deprecation: '@1577836800',
      sunset: 'Wed, 01 Jan 2020 00:00:00 GMT',
      link: `<${INFO}>; rel="deprecation"; type="text/html", <${INFO}>; rel="sunset", </users?version=v2>; rel="successor-version"`,
    })
    expect(answer.headers['api-supported-versions']).toBe('v2')
    expect(seen).toEqual(['v1', 'v1', ['v2'], true])
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['a preflight', 'OPTIONS', PREFLIGHT, 200],
    ['OPTIONS that is no preflight', 'OPTIONS', { Origin: 'https://shop.example' }, 410],
    ['GET with the headers of a preflight', 'GET', PREFLIGHT, 410],
    ['HEAD', 'HEAD', {}, 410],
    ['POST', 'POST', {}, 410],
  ])('%s', async (_title, method, headers, status) => {
    const server = await planned({ sunset: PAST, afterSunset: 'gone' })
    const answer = await server.send(method, '/?version=v1', headers)
    expect([answer.status, answer.headers.sunset]).toEqual([status, 'Wed, 01 Jan 2020 00:00:00 GMT'])
  })

  test('from the moment of the sunset on', async () => {
    const now = jest.spyOn(Date, 'now')
    const server = await planned({ sunset: '2030-01-01', afterSunset: 'gone' })
    const at = async (date: string) => {
      now.mockReturnValue(Date.parse(date))
      return (await server.get('/?version=v1')).status
    }
    expect(await at('2029-12-31T23:59:59.999Z')).toBe(200)
    expect(await at('2030-01-01T00:00:00.000Z')).toBe(410)
    expect(await at('2029-12-31T23:59:59.999Z')).toBe(200)
  })
})

describe('construction errors', () => {
  const loosely = (options: object) => () => byQuery(undefined, options as VersioningOptions)
  const DATES = 'a Date, an ISO 8601 date and time with an offset, or a date such as 2026-01-31'

  test.each<[string, unknown, string]>([
    ['2026-02-31', '2026-02-31', "'2026-02-31'"],
    ['2026-02-29', '2026-02-29', "'2026-02-29'"],
    ['2026-02-31T00:00:00Z', '2026-02-31T00:00:00Z', "'2026-02-31T00:00:00Z'"],
    ['2026-13-01', '2026-13-01', "'2026-13-01'"],
    ['2026-00-01', '2026-00-01', "'2026-00-01'"],
    ['2026-01-00', '2026-01-00', "'2026-01-00'"],
    ['2026-01-32', '2026-01-32', "'2026-01-32'"],
    ['text before a date', 'x2026-01-31', "'x2026-01-31'"],
    ['no offset', '2026-01-31T12:00:00', "'2026-01-31T12:00:00'"],
    ['an offset without a colon', '2026-01-31T12:00:00+0200', "'2026-01-31T12:00:00+0200'"],
    ['an offset of a day', '2026-01-31T12:00:00+24:00', "'2026-01-31T12:00:00+24:00'"],
    ['a date with an offset', '2026-01-31Z', "'2026-01-31Z'"],
    ['hour 24', '2026-01-31T24:00:00Z', "'2026-01-31T24:00:00Z'"],
    ['minute 60', '2026-01-31T12:60:00Z', "'2026-01-31T12:60:00Z'"],
  ])('date: %s', (_title, date, shown) => {
    for (const key of ['deprecated', 'sunset']) {
      expect(loosely({ lifecycle: { v1: { [key]: date } } })).toThrow(
        new TypeError(`versioning(): option "lifecycle.v1.${key}" takes ${DATES}; got ${shown}.`),
      )
    }
  })

  test.each<[string, unknown, unknown, string]>([
    ['a day', '2026-02-01', '2026-01-31', "('2026-01-31') lies before \"lifecycle.v1.deprecated\" ('2026-02-01')"],
  ])('sunset before deprecation by %s', (_title, deprecated, sunset, told) => {
    expect(loosely({ lifecycle: { v1: { deprecated, sunset } } })).toThrow(
      new TypeError(`versioning(): option "lifecycle.v1.sunset" ${told}.`),
    )
  })

  test.each<[string, object, string]>([
    ['unknown, far off', { beta: {} }, 'option "lifecycle.beta" names \'beta\', which is not an accepted version.'],
    [
      'successor null',
      { v1: { successor: null } },
      'option "lifecycle.v1.successor" names null, which is not an accepted version.',
    ],
    [
      'successor itself',
      { v1: { successor: 'v1' } },
      'option "lifecycle.v1.successor" takes another version; got \'v1\'.',
    ],
  ])('version: %s', (_title, lifecycle, message) => {
    expect(loosely({ lifecycle, allowedVersions: [null, 'v1', 'v2', 'v3'] })).toThrow(
      new TypeError(`versioning(): ${message}`),
    )
  })

  test.each<[unknown, string]>([
    ['/deprecations', "'/deprecations'"],
    ['', "''"],
    ['api.example.com', "'api.example.com'"],
    ['ftp://example.com/', "'ftp://example.com/'"],
    ['javascript:alert(1)', "'javascript:alert(1)'"],
    [42, '42'],
    [null, 'null'],
  ])('info: %p', (info, shown) => {
    expect(loosely({ lifecycle: { v1: { info } } })).toThrow(
      new TypeError(
        `versioning(): option "lifecycle.v1.info" takes an http(s) URL such as 'https://api.example.com/deprecations'; got ${shown}.`,
      ),
    )
  })

  test.each<[string, object, string]>([
    ['lifecycle null', { lifecycle: null }, 'option "lifecycle" takes an object of plans by version; got null.'],
    ['lifecycle a string', { lifecycle: 'v1' }, 'option "lifecycle" takes an object of plans by version; got \'v1\'.'],
    ['lifecycle a list', { lifecycle: [] }, 'option "lifecycle" takes an object of plans by version; got [].'],
    ['a plan null', { lifecycle: { v1: null } }, 'option "lifecycle.v1" takes an object of options; got null.'],
    ['afterSunset', { afterSunset: '410' }, "option \"afterSunset\" takes 'serve' or 'gone'; got '410'."],
    ['afterSunset null', { afterSunset: null }, "option \"afterSunset\" takes 'serve' or 'gone'; got null."],
  ])('%s', (_title, options, message) => {
    expect(loosely(options)).toThrow(new TypeError(`versioning(): ${message}`))
  })

  test('a sunset at the deprecation is none', () => {
    expect(loosely({ lifecycle: { v1: { deprecated: PAST, sunset: new Date(PAST) } } })).not.toThrow()
  })
})
