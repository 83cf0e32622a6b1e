import { type RequestHandler, type Response, Router } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  type DeprecatedOptions,
  deprecated,
  exposedHeaders,
  HeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  type VersionLifecycle,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch } from '../support/dispatch'
import { rows } from '../support/rows'

const INFO = 'https://api.example.com/deprecations'
const [PAST, FUTURE] = ['2020-01-01', '2999-12-31T23:59:59Z']
const [Y2020, Y2021] = ['@1577836800', '@1609459200']
const [S2020, S2999] = ['Wed, 01 Jan 2020 00:00:00 GMT', 'Tue, 31 Dec 2999 23:59:59 GMT']
const DEPRECATION = `<${INFO}>; rel="deprecation"; type="text/html"`
const SUNSET = `<${INFO}>; rel="sunset"`
const successor = (link: string) => `<${link}>; rel="successor-version"`

const EXPOSED = exposedHeaders.map((name) => name.toLowerCase())
const VERSIONS = { allowedVersions: ['v1', 'v2', 'v3'] }
type Options = Partial<VersioningOptions>
type Headers = Record<string, string>

/** `versioning()` by query, with these plans. */
const byQuery = (lifecycle: Options['lifecycle'], options: Options = {}) =>
  versioning({ scheme: QueryParameterVersioning, ...VERSIONS, lifecycle, ...options })
const v1 = (plan: VersionLifecycle) => byQuery({ v1: plan })
const plain = versioning({ scheme: QueryParameterVersioning })
const write =
  (what: (res: Response) => unknown): RequestHandler =>
  (_req, res, next) => {
    what(res)
    next()
  }
const set = (name: string, value: string | string[]) => write((res) => res.setHeader(name, value))
const drop = (name: string) => write((res) => res.removeHeader(name))
const links = write((res) => res.links({ next: '/p2' }))
/** A response whose header fields are on their way. */
const sent = write((res) => res.flushHeaders())
const go = write(() => {})

/** Sends a request through handlers. Returns the fields about versions, and the outcome. */
function ask(handlers: RequestHandler[], url = '/?version=v1', headers: Headers = {}, method = 'GET') {
  const app = appOf((app) => app.use(...handlers))
  const outcome = dispatch(app, { url, headers, method })
  const fields = Object.entries(outcome.res.getHeaders()).filter(([name]) => EXPOSED.includes(name))
  return { ...outcome, fields: Object.fromEntries(fields), statuses: outcome.errors.map(({ status }) => status) }
}

const noLinks = () => {
  throw new Error('no links')
}

afterEach(() => jest.restoreAllMocks())

test.each(
  rows(`
    2020-01-01                     | ${Y2020}    | ${S2020}
    2024-02-29                     | @1709164800 | Thu, 29 Feb 2024 00:00:00 GMT
    2023-06-30T23:59:59.123456789Z | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-07-01T01:59:59+02:00      | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-06-30T18:29:59-05:30      | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-07-01T22:59:59+23:00      | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-06-30T23:59Z              | @1688169540 | Fri, 30 Jun 2023 23:59:00 GMT
    a Date 1688169599999           | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
  `),
)('the date %s is %s, and %s', (text = '', deprecation, sunset) => {
  const date = text.startsWith('a Date ') ? new Date(Number(text.slice(7))) : text
  expect(ask([v1({ deprecated: date, sunset: date })]).fields).toEqual({ deprecation, sunset })
})

const full = byQuery({ v1: { deprecated: PAST, sunset: FUTURE, info: INFO } }, { reportVersions: true })
const REPORT = { 'api-supported-versions': 'v1, v2, v3', 'api-deprecated-versions': 'v1', 'api-version': 'v1' }
const DATES = { deprecation: Y2020, sunset: S2999 }
const OURS = `${DEPRECATION}, ${SUNSET}`
const ALL = { ...DATES, ...REPORT, link: OURS }
const NEXT = '</p2>; rel="next"'
const [early, later] = [v1({ deprecated: PAST }), v1({ deprecated: '2021-01-01' })]
const [since, page] = [deprecated({ since: PAST }), deprecated({ since: PAST, sunset: FUTURE, info: INFO })]
const informed = deprecated({ since: PAST, info: INFO })

const ESCAPED = '<http://h.example/a%20b?x=%22%3E#y>; rel="deprecation"; type="text/html"'
const escaped = v1({ deprecated: FUTURE, info: new URL('http://h.example/a b?x=">#y') })

const reporting = (options: Options = {}) => byQuery(undefined, { reportVersions: true, ...options })
const gone = (sunset: string) => ({ sunset, afterSunset: 'gone' as const })
const report = (supported: string, deprecated?: string, version?: string) => ({
  'api-supported-versions': supported,
  ...(deprecated && { 'api-deprecated-versions': deprecated }),
  ...(version && { 'api-version': version }),
})
const odd = ['2026-01-31', '1.0+b;x="1"']
const grey = reporting({ lifecycle: { v1: { deprecated: PAST }, v3: gone(PAST) } })
const none = reporting({ allowedVersions: ['v1'], lifecycle: { v1: gone(PAST) } })

test.each<[what: string, handlers: RequestHandler[], fields: object, url?: string]>([
  ['a report, in the order of the list', [reporting({ allowedVersions: ['v2', 'v1'] })], report('v2, v1', '', 'v1')],
  ['of a set, of no version', [reporting({ allowedVersions: new Set([null, 'v1']) })], report('v1'), '/'],
  ['of odd characters', [reporting({ allowedVersions: odd })], report('2026-01-31, 1.0+b;x="1"'), '/?version=v9'],
  ['of versions that are all gone', [none], { 'api-version': 'v1', sunset: S2020 }],
  ['of one that is deprecated', [grey], { ...report('v1, v2', 'v1', 'v1'), deprecation: Y2020 }],
  ['of one that is gone', [grey], { ...report('v1, v2', 'v1', 'v3'), sunset: S2020 }, '/?version=v3'],
  ['of the default', [reporting({ defaultVersion: 'v1' })], report('v1, v2, v3', '', 'v1'), '/'],
  ['of what a text means', [reporting({ parseVersion: () => 'v2' })], report('v1, v2, v3', '', 'v2'), '/?version=new'],
  ['of an inner one', [grey, reporting({ allowedVersions: ['v1'] })], report('v1', '', 'v1')],
  ['a plan without entries', [byQuery({ v1: {}, v3: undefined })], {}],
  ['a page alone', [v1({ info: INFO })], {}],
  ['a sunset and a page', [v1({ sunset: PAST, info: INFO })], { sunset: S2020, link: SUNSET }],
  ['escapes', [escaped], { deprecation: '@32503679999', link: ESCAPED }],
  ['a successor without a table', [v1({ successor: 'v2' })], {}],
  ['another version', [early], {}, '/?version=v2'],
  ['no version', [byQuery({ v1: { deprecated: PAST } }, { allowedVersions: ['v1', null] })], {}, '/'],
  ['a refused version', [early], {}, '/?version=v9'],
  ['a plan', [full], ALL],
  ['a link before', [set('Link', NEXT), full], { ...ALL, link: `${NEXT}, ${OURS}` }],
  ['links before', [set('Link', ['<a>', '<b>']), full], { ...ALL, link: `<a>, <b>, ${OURS}` }],
  ['an empty link before', [set('Link', ''), full], ALL],
  ['res.links() after', [full, links], { ...ALL, link: `${OURS}, ${NEXT}` }],
  ['fields that are sent', [sent, full], {}],
  ['an inner one after fields that are sent', [full, sent, plain], ALL],
  ['two inner ones', [full, later, plain], {}],
  ['an inner one, a link before', [set('Link', '<a>'), full, plain], { link: '<a>' }],
  ['an inner one, the same link before', [set('Link', OURS), full, plain], { link: OURS }],
  ['an inner one, a link between', [full, links, plain], { link: NEXT }],
  ['an inner one, Link replaced between', [full, set('Link', NEXT), plain], { link: NEXT }],
  ['an inner one, Link removed between', [full, drop('Link'), plain], {}],
  ['an inner one, Deprecation removed between', [full, drop('Deprecation'), plain], {}],
  ['an inner one, Deprecation before', [set('Deprecation', Y2021), full, plain], { deprecation: Y2021 }],
  ['an inner one, Deprecation replaced', [full, set('Deprecation', Y2021), plain], { deprecation: Y2021 }],
  ['deprecated()', [page], { ...DATES, link: OURS }],
  ['deprecated(), fields that are sent', [sent, page], {}],
  ['deprecated(), a field of others', [set('Deprecation', 'true'), since], { deprecation: Y2020 }],
  ['deprecated(), an earlier version', [early, deprecated({ since: '2021-01-01' })], { deprecation: Y2020 }],
  ['deprecated(), a later version', [later, since], { deprecation: Y2020 }],
  ['deprecated(), links of both', [full, page], { ...ALL, link: `${OURS}, ${OURS}` }],
  ['deprecated(), an earlier sunset', [v1({ sunset: PAST }), page], { ...DATES, sunset: S2020, link: OURS }],
  ['deprecated(), the same links', [full, informed, v1({})], { deprecation: Y2020, link: DEPRECATION }],
  ['deprecated(), links of others instead', [full, drop('Link'), links, v1({})], { link: NEXT }],
  ['deprecated() between two versioning()', [full, page, later], { ...DATES, link: OURS }],
])('fields: %s', (_what, handlers, fields, url = undefined) => {
  expect(ask(handlers, url).fields).toEqual(fields)
})

describe('the link to the successor of a version', () => {
  const named = (options: VersioningOptions) => [
    versioning({ ...VERSIONS, lifecycle: { v1: { successor: 'v2' } }, ...options }),
  ]
  const paths = { users: '/users', user: '/users/:id', file: '/files/*path', page: '/page{.:format}', ünï: '/ünï' }
  const flat = namedRoutes(paths)
  const below = namedRoutes({ home: '/' }).include('/:version', namedRoutes(paths))
  const spaced = namedRoutes({ home: '/', list: '/list' })
    .include('/v1', namedRoutes({ list: '/list', old: '/old', moved: '/moved/:id' }), { namespace: 'v1' })
    .include('/v2', namedRoutes({ list: '/lists', moved: '/moved/:key' }), { namespace: 'v2' })
  class Silent extends URLPathVersioning {
    override reverse = noLinks
  }
  const changed = namedRoutes({ list: '/:version/list', old: '/:version/old', odd: '/:version/odd' })
  for (const name of ['list', 'old', 'odd'] as const) changed.route(name).get(go)
  const rename = ({ page, ...query }: { page?: string }) => ({ ...query, p: page })
  const changes = versionHistory('v1')
    .version('v2', change('c', { 'GET list': { query: rename }, 'GET odd': { query: noLinks }, 'GET old': 'removed' }))
    .version('v3')
  const byPath = named({ scheme: URLPathVersioning, routes: below })
  const byHost = (more: Options) => named({ scheme: HostNameVersioning, routes: flat, ...more })
  const handlers: Record<string, RequestHandler[]> = {
    path: byPath,
    mount: [Router().use('/my%20api', ...byPath)],
    fails: named({ scheme: Silent, routes: below }),
    changes: named({ scheme: URLPathVersioning, routes: changed, changes }),
    space: named({ scheme: NamespaceVersioning, routes: spaced, defaultVersion: 'v1' }),
    hosts: byHost({ allowedHosts: ['v1.example.com:8080', 'v2.example.com:8080'] }),
    origin: byHost({ origin: 'https://v3.api.org' }),
    host: byHost({}),
    accept: named({ scheme: AcceptHeaderVersioning, routes: flat }),
  }
  test.each(
    rows(String.raw`
      path    | /v1/users               | /v2/users
      path    | /v1/users/7?page=2      | /v2/users/7?page=2
      path    | /v1/users?version=v1&a=%20 | /v2/users?version=v1&a=%20
      path    | /v1/users?              | /v2/users
      path    | /v1/users?a=1#x         | /v2/users?a=1
      path    | /v1/users?a=>;rel="x",<b&c=\ | /v2/users?a=%3E;rel=%22x%22,%3Cb&c=%5C
      path    | /v1/users/a%20b%2Fc     | /v2/users/a%20b%2Fc
      path    | /v1/users/%22%3E%3C%0A  | no link
      path    | /v1/users/%22%3E        | /v2/users/%22%3E
      path    | /v1/files/a/b%20c/d     | /v2/files/a/b%20c/d
      path    | /v1/page.json           | /v2/page.json
      path    | /v1/page                | /v2/page
      path    | /v1/%C3%BCn%C3%AF       | /v2/%C3%BCn%C3%AF
      path    | /v1/users/%             | /v2/users/%25
      path    | /v1/nowhere             | no link
      path    | /v2/users               | no link
      mount   | /my%20api/v1/users      | /my%20api/v2/users
      fails   | /v1/users               | no link
      changes | /v1/list?page=2         | /v2/list?p=2
      changes | /v1/old                 | no link
      changes | /v1/odd?page=2          | no link
      space   | /v1/list                | /v2/lists
      space   | /list                   | /v2/lists
      space   | /v1/old                 | no link
      space   | /v1/moved/7             | no link
      hosts   | /users/7?page=2         | http://v2.example.com:8080/users/7?page=2
      origin  | /users                  | https://v2.api.org/users
      host    | /users                  | no link
      accept  | /users                  | no link
    `),
  )('%s, %s: %s', (kind = '', url, link = '') => {
    const headers = { host: 'v1.example.com:8080', ...(kind === 'accept' && { accept: 'a/b; version=v1' }) }
    expect(ask(handlers[kind] ?? [], url, headers).fields).toEqual(link === 'no link' ? {} : { link: successor(link) })
  })
})

describe('a version after its sunset', () => {
  const ORIGIN = { origin: 'https://shop.example' }
  const PREFLIGHT = { ...ORIGIN, 'access-control-request-method': 'GET' }

  type Row = [Options['afterSunset'], own: Options['afterSunset'], status: number | undefined, ...sent: unknown[]]
  test.each<Row>([
    [undefined, undefined, undefined],
    ['serve', undefined, undefined],
    ['gone', 'serve', undefined],
    ['serve', 'gone', 410],
    ['gone', undefined, 410],
    ['gone', undefined, undefined, PREFLIGHT, 'OPTIONS'],
    ['gone', undefined, 410, ORIGIN, 'OPTIONS'],
    ['gone', undefined, 410, PREFLIGHT, 'GET'],
  ])('afterSunset %p, for the version %p: %p', (afterSunset, own, status, headers = {}, method = 'GET') => {
    const middleware = byQuery({ v1: { sunset: PAST, afterSunset: own }, v2: { deprecated: PAST } }, { afterSunset })
    const { statuses, fields } = ask([middleware], undefined, headers as Headers, method as string)
    expect([statuses, fields]).toEqual([status === undefined ? [] : [status], { sunset: S2020 }])
    expect(ask([middleware], '/?version=v2').statuses).toEqual([])
  })

  test('is refused with its header fields, and the versions that are not gone', () => {
    const plan = { deprecated: PAST, sunset: PAST, info: INFO, successor: 'v2' }
    const options: Options = { routes: namedRoutes({ users: '/users' }), afterSunset: 'gone', reportVersions: true }
    const { req, errors, fields } = ask([byQuery({ v1: plan, v3: { sunset: PAST } }, options)], '/users?version=v1')
    const [{ message, status, code, version, allowedVersions }] = errors as [(typeof errors)[0]]
    expect([message, status, code]).toEqual(['This version is no longer served.', 410, 'ERR_VERSION_GONE'])
    expect([req.version, version, allowedVersions]).toEqual(['v1', 'v1', ['v2']])
    const link = `${OURS}, ${successor('/users?version=v2')}`
    const report = { 'api-supported-versions': 'v2', 'api-version': 'v1' }
    expect(fields).toEqual({ deprecation: Y2020, sunset: S2020, link, ...report })
  })
})

test('reportVersions follows the clock, and one that is put back', () => {
  const now = jest.spyOn(Date, 'now')
  const v1 = { deprecated: '2030-01-01', ...gone('2031-01-01') }
  const v2 = { deprecated: '2030-06-01T00:00:00+02:00', sunset: '2030-09-01' }
  const middleware = reporting({ lifecycle: { v1, v2, v3: {} } })
  for (const [date = '', ...report] of rows(`
    1960-01-01T00:00:00.000Z | v1, v2, v3
    2029-12-31T23:59:59.999Z | v1, v2, v3
    2030-01-01T00:00:00.000Z | v1, v2, v3 | v1
    2030-05-31T21:59:59.999Z | v1, v2, v3 | v1
    2030-05-31T22:00:00.000Z | v1, v2, v3 | v1, v2
    2030-12-31T23:59:59.999Z | v1, v2, v3 | v1, v2
    2031-01-01T00:00:00.000Z | v2, v3 | v2
    2030-03-01T00:00:00.000Z | v1, v2, v3 | v1
    2029-01-01T00:00:00.000Z | v1, v2, v3
  `)) {
    now.mockReturnValue(Date.parse(date))
    const { fields } = ask([middleware], '/?version=v3')
    const [supported, old] = [fields['api-supported-versions'], fields['api-deprecated-versions']]
    expect([date, supported, old]).toEqual([date, report[0], report[1]])
    // A version is gone from the moment of its sunset on.
    expect(ask([middleware]).statuses).toEqual(report[0]?.includes('v1') ? [] : [410])
  }
})

test.each(['\u2603', 'v\u00e9', 'v 1', 'v1,v2', ' v1', '', 'v1\r\nX-Evil: 1'])('no report can name %j', (version) => {
  class Own extends BaseVersioning {
    override allowedVersions = ['v1']
    override determineVersion = () => version
  }
  const { req, fields } = ask([reporting({ scheme: new Own(), allowedVersions: undefined })], '/')
  expect([req.version, fields]).toEqual([version, { 'api-supported-versions': 'v1' }])
})

describe('deprecated()', () => {
  test('and the version’s fields are taken back where the dispatch refuses', async () => {
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = '/v2/users'
      next()
    }
    const routes = namedRoutes({ user: '/users', other: '/:version/users' })
    routes.route('user').get(deprecated({ since: '2021-01-01', info: INFO }), rewrite)
    routes.route('other').get(go)
    const lifecycle = { v1: { deprecated: '2022-01-01', info: INFO } }
    const scheme = { scheme: URLPathVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
    const middleware = versioning({ ...scheme, lifecycle, routes, reportVersions: true })
    const foreign = [set('Deprecation', Y2021), set('Link', '<a>'), set('API-Version', 'before')]
    const { errors, fields } = ask([...foreign, middleware, routes], '/users')
    await new Promise(setImmediate)
    expect(errors).toMatchObject([{ status: 404 }])
    const report = { 'api-supported-versions': 'v1, v2', 'api-deprecated-versions': 'v1' }
    expect(fields).toEqual({ deprecation: Y2021, link: '<a>', 'api-version': 'before', ...report })
  })

  const old = '/users/:id/export{.:format}'
  const PATHS = { old, report: '/reports/:id', same: '/people/:id{.:format}', all: '/all', more: '/more/:other' }
  const to = (successor: string) => deprecated({ since: PAST, successor } as DeprecatedOptions)
  const child = (name = 'report') => {
    const table = namedRoutes(PATHS)
    table.route('old').get(to(name), go)
    return table
  }
  const linked = (scheme: VersioningOptions['scheme'], routes: ReturnType<typeof child>, more: Options = {}) =>
    Router().use('/api', versioning({ scheme, routes, ...more }), routes)
  const byPath = namedRoutes({ out: '/out/:id' }).include('/:version', child()) as never
  const spaced = namedRoutes({}).include('/v1', child(), { namespace: 'v1' }) as never
  class Own extends BaseVersioning {
    override readVersion = () => 'v1'
    override reverse = noLinks
  }
  const handlers: Record<string, RequestHandler> = {
    'a path': linked(URLPathVersioning, byPath),
    'a public path': linked(URLPathVersioning, byPath, { publicPath: '/shop' }),
    'a namespace': linked(NamespaceVersioning, spaced),
    'a query': linked(QueryParameterVersioning, child()),
    'a scheme that fails': linked(Own, child('all')),
    'no table': to('all'),
  }

  test.each(
    rows(`
      report  | /users/7/export                | /api/reports/7
      report  | /users/7/export.csv            | /api/reports/7
      report  | /users/7/export?a=1&b=%22%3E   | /api/reports/7?a=1&b=%22%3E
      report  | /users/%3E%22%0A/export        | no link
      report  | /users/%3E%22%C3%A9/export     | /api/reports/%3E%22%C3%A9
      same    | /users/7/export.csv            | /api/people/7.csv
      all     | /users/7/export                | /api/all
      more    | /users/7/export                | no link
      nothing | /users/7/export                | no link
      a path  | /v1/users/7/export             | /api/v1/reports/7
      a public path | /v1/users/7/export       | /shop/api/v1/reports/7
      a namespace | /v1/users/7/export         | /api/v1/reports/7
      a query | /users/7/export?version=v1&a   | /api/reports/7?a&version=v1
      a scheme that fails | /users/7/export    | no link
      no table | /users/7/export               | no link
    `),
  )('the link to its successor: %s, %s: %s', (kind = '', url, link = '') => {
    const { fields } = ask([handlers[kind] ?? linked(HeaderVersioning, child(kind))], `/api${url}`)
    expect(fields).toEqual({ deprecation: Y2020, ...(link !== 'no link' && { link: successor(link) }) })
  })
})

test('exposedHeaders lists what answers gain, and nothing else but Vary', () => {
  const plan = { deprecated: PAST, sunset: FUTURE, info: INFO, successor: 'v2' }
  const options = { reportVersions: true, routes: namedRoutes({ x: '/x' }) }
  const { res } = ask([byQuery({ v1: plan }, options)], '/x?version=v1')
  expect(res.getHeaderNames().toSorted()).toEqual([...EXPOSED, 'x-powered-by'].toSorted())
  expect(Object.isFrozen(exposedHeaders)).toBe(true)
})
