import { type RequestHandler, type Response, Router } from 'express'
import type { DeprecatedOptions, SchemeClass, VersioningOptions, VersionLifecycle } from 'express-versioning'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { appOf, dispatch, type Sent } from '../support/dispatch'
import { rows } from '../support/rows'

const { AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning } = library
const { deprecated, exposedHeaders, namedRoutes, QueryParameterVersioning, URLPathVersioning, versioning } = library

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

const byQuery = (lifecycle: Options['lifecycle'], options: Options = {}) =>
  versioning({ scheme: QueryParameterVersioning, ...VERSIONS, lifecycle, ...options })
const v1 = (plan: VersionLifecycle) => byQuery({ v1: plan })
const plain = versioning({ scheme: QueryParameterVersioning })
const write =
  (what: (res: Response) => unknown): RequestHandler =>
  (_req, res, next) =>
    next(void what(res))
const set = (name: string, value: string | string[]) => write((res) => res.setHeader(name, value))
const drop = (name: string) => write((res) => res.removeHeader(name))
const links = write((res) => res.links({ next: '/p2' }))
const sent = write((res) => res.flushHeaders())
const go = write(() => {})

/** Sends a request through handlers. Returns the fields about versions, and the outcome. */
function ask(handlers: RequestHandler[], url = '/?version=v1', more: Partial<Sent> = {}) {
  const app = appOf((app) => app.use(...handlers))
  const outcome = dispatch(app, { url, ...more })
  const fields = Object.entries(outcome.res.getHeaders()).filter(([name]) => EXPOSED.includes(name))
  return { ...outcome, fields: Object.fromEntries(fields) }
}

const noLinks = () => {
  throw new Error('no links')
}

afterEach(() => jest.restoreAllMocks())

const INSTANTS = rows(`
    2020-01-01                     | ${Y2020}    | ${S2020}
    2023-06-30T23:59:59.123456789Z | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-07-01T01:59:59+02:00      | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-06-30T18:29:59-05:30      | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT
    2023-06-30T23:59Z              | @1688169540 | Fri, 30 Jun 2023 23:59:00 GMT
    a Date 1688169599999           | @1688169599 | Fri, 30 Jun 2023 23:59:59 GMT`)
test.each(INSTANTS)('the date %s is %s, and %s', (text = '', deprecation, sunset) => {
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
const ESCAPED = '<http://h.example/a%20b?x=%22%3E#y>; rel="deprecation"; type="text/html"'
const escaped = v1({ deprecated: FUTURE, info: new URL('http://h.example/a b?x=">#y') })

class Own extends BaseVersioning {
  override readVersion = () => 'v1'
  override reverse = noLinks
}
const reporting = (options: Options = {}) => byQuery(undefined, { reportVersions: true, ...options })
const gone = (sunset: string) => ({ sunset, afterSunset: 'gone' as const })
const report = (supported: string, deprecated?: string, version?: string) => ({
  'api-supported-versions': supported,
  ...(deprecated && { 'api-deprecated-versions': deprecated }),
  ...(version && { 'api-version': version }),
})
const none = reporting({ allowedVersions: ['v1'], lifecycle: { v1: gone(PAST) } })
class Two extends Own {
  override determineVersion = () => 'v1,v2'
}
const two = reporting({ scheme: Two, allowedVersions: ['v1'] })
const grey = reporting({ lifecycle: { v1: { deprecated: PAST }, v3: gone(PAST) } })
test.each<[what: string, handlers: RequestHandler[], fields: object, url?: string]>([
  ['a report, in the order of the list', [reporting({ allowedVersions: ['v2', 'v1'] })], report('v2, v1', '', 'v1')],
  ['of versions that are all gone', [none], { 'api-version': 'v1', sunset: S2020 }],
  ['of one that is deprecated', [grey], { ...report('v1, v2', 'v1', 'v1'), deprecation: Y2020 }],
  ['of a version that no list can hold', [two], report('v1')],
  ['of an inner one', [grey, reporting({ allowedVersions: ['v1'] })], report('v1', '', 'v1')],
  ['a plan without entries', [byQuery({ v1: {}, v3: undefined })], {}],
  ['a page alone', [v1({ info: INFO })], {}],
  ['escapes', [escaped], { deprecation: '@32503679999', link: ESCAPED }],
  ['a rejected version', [early], {}, '/?version=v9'],
  ['a plan', [full], ALL],
  ['links before', [set('Link', ['<a>', '<b>']), full], { ...ALL, link: `<a>, <b>, ${OURS}` }],
  ['an empty link before', [set('Link', ''), full], ALL],
  ['res.links() after', [full, links], { ...ALL, link: `${OURS}, ${NEXT}` }],
  ['fields that are sent', [sent, full], {}],
  ['an inner one after fields that are sent', [full, sent, plain], ALL],
  ['an inner one, the same link before', [set('Link', OURS), full, plain], { link: OURS }],
  ['an inner one, a link between', [full, links, plain], { link: NEXT }],
  ['an inner one, Link replaced between', [full, set('Link', NEXT), plain], { link: NEXT }],
  ['an inner one, Link removed between', [full, drop('Link'), plain], {}],
  ['an inner one, Deprecation before', [set('Deprecation', Y2021), full, plain], { deprecation: Y2021 }],
  ['an inner one, Deprecation replaced', [full, set('Deprecation', Y2021), plain], { deprecation: Y2021 }],
  ['deprecated()', [page], { ...DATES, link: OURS }],
  ['deprecated(), fields that are sent', [sent, page], {}],
  ['deprecated(), an earlier version', [early, deprecated({ since: '2021-01-01' })], { deprecation: Y2020 }],
  ['deprecated(), a later version', [later, since], { deprecation: Y2020 }],
  ['deprecated(), links of both', [full, page], { ...ALL, link: `${OURS}, ${OURS}` }],
  ['deprecated(), an earlier sunset', [v1({ sunset: PAST }), page], { ...DATES, sunset: S2020, link: OURS }],
  ['deprecated() between two versioning()', [full, page, later], { ...DATES, link: OURS }],
])('fields: %s', (_what, handlers, fields, url = undefined) => {
  expect(ask(handlers, url).fields).toEqual(fields)
})

const paths = { user: '/users/:id', page: '/page{.:format}' }
const flat = namedRoutes(paths)
const below = namedRoutes({ home: '/' }).include('/:version', namedRoutes(paths))
const spaced = namedRoutes({ list: '/list' })
  .include('/v1', namedRoutes({ list: '/list', old: '/old', moved: '/moved/:id' }), { namespace: 'v1' })
  .include('/v2', namedRoutes({ list: '/lists', moved: '/moved/:key' }), { namespace: 'v2' })
const changed = namedRoutes({ list: '/:version/list', old: '/:version/old', odd: '/:version/odd' })
for (const name of ['list', 'old', 'odd'] as const) changed.route(name).get(go)
const rename = ({ page, ...query }: { page?: string }) => ({ ...query, p: page })
const third = (query: object) => ({ ...query, in: 3 })
const changes = versionHistory('v1')
  .version('v2', change('c', { 'GET list': { query: rename }, 'GET odd': { query: noLinks }, 'GET old': 'removed' }))
  .version('v3', change('d', { 'GET list': { query: third }, '*': { headers: { Age: null } } }))
const absent = versionHistory('v1')
  .version('v2', change('c', { 'GET v2:list': 'removed' }))
  .version('v3')
const SUCCESSORS = { v1: { successor: 'v2' }, v2: { successor: 'v3' } }
class Silent extends URLPathVersioning {
  override reverse = noLinks
}
const named = (scheme: SchemeClass, routes: object, more: Options = {}) =>
  versioning({ scheme, ...VERSIONS, lifecycle: SUCCESSORS, routes: routes as never, ...more })

const old = '/users/:id/export{.:format}'
const ROUTES = { old, report: '/reports/:id', same: '/people/:id{.:format}', all: '/all', more: '/more/:other' }
const child = (successor = 'report') => {
  const table = namedRoutes(ROUTES)
  table.route('old').get(deprecated({ since: PAST, successor } as DeprecatedOptions), go)
  return table
}
const linked = (scheme: SchemeClass, routes: object, more: Options = {}) =>
  Router().use('/api', versioning({ scheme, routes: routes as never, ...more }), routes as RequestHandler)
const inPath = namedRoutes({ out: '/out/:id' }).include('/:version', child())
const sources: Record<string, RequestHandler> = {
  path: named(URLPathVersioning, below),
  fails: named(Silent, below),
  changes: named(URLPathVersioning, changed, { changes }),
  space: named(NamespaceVersioning, spaced, { defaultVersion: 'v1' }),
  absent: named(NamespaceVersioning, spaced, { changes: absent }),
  origin: named(HostNameVersioning, flat, { origin: 'https://v3.api.org' }),
  host: named(HostNameVersioning, flat),
  accept: named(AcceptHeaderVersioning, flat),
  'of a public path': linked(URLPathVersioning, inPath, { publicPath: '/shop' }),
  'of a namespace': linked(NamespaceVersioning, namedRoutes({}).include('/v1', child(), { namespace: 'v1' })),
  'of a query': linked(QueryParameterVersioning, child()),
  'of a scheme that fails': linked(Own, child('all')),
}
// The first ones are links of versions. Those behind `of` are links of deprecated(), to the route that is named or to `report`.
const SUCCESSOR_LINKS = rows(String.raw`
    path    | /v1/users/7?version=v1&a=%20 | /v2/users/7?version=v1&a=%20
    path    | /v1/users/7?a=1#x       | /v2/users/7?a=1
    path    | /v1/users/7?a=>;rel="x",<b&c=\ | /v2/users/7?a=%3E;rel=%22x%22,%3Cb&c=%5C
    path    | /v1/users/%22%3E%3C%0A  | none
    path    | /v1/page.json           | /v2/page.json
    path    | /v1/users/%             | /v2/users/%25
    path    | /v3/users/7             | none
    fails   | /v1/users/7             | none
    changes | /v1/list?page=2         | /v2/list?p=2
    changes | /v2/list?page=2         | /v3/list?page=2&in=3
    changes | /v2/odd?page=2          | /v3/odd?page=2
    changes | /v1/old                 | none
    changes | /v1/odd?page=2          | none
    space   | /v1/list                | /v2/lists
    space   | /v1/moved/7             | none
    absent  | /v1/list                | none
    absent  | /v1/old                 | none
    origin  | /users/7                | https://v2.api.org/users/7
    host    | /users/7                | none
    accept  | /users/7                | none
    report  | /api/users/7/export?a=1&b=%22%3E | /api/reports/7?a=1&b=%22%3E
    same    | /api/users/7/export.csv | /api/people/7.csv
    all     | /api/users/7/export     | /api/all
    more    | /api/users/7/export     | none
    nothing | /api/users/7/export     | none
    of a public path | /api/v1/users/7/export | /shop/api/v1/reports/7
    of a namespace | /api/v1/users/7/export | /api/v1/reports/7
    of a query | /api/users/7/export?version=v1&a | /api/reports/7?a&version=v1
    of a scheme that fails | /api/users/7/export | none`)
test.each(SUCCESSOR_LINKS)('the link to a successor: %s, %s: %s', (kind = '', url, link = '') => {
  const headers = { host: 'v1.example.com:8080', ...(kind === 'accept' && { accept: 'a/b; version=v1' }) }
  const { fields } = ask([sources[kind] ?? linked(HeaderVersioning, child(kind))], url, { headers })
  expect(fields.link).toBe(link === 'none' ? undefined : successor(link))
})

const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
test.each<[Options['afterSunset'], own: Options['afterSunset'], isGone: boolean, sent?: Partial<Sent>]>([
  [undefined, undefined, false],
  ['gone', 'serve', false],
  ['serve', 'gone', true],
  ['gone', undefined, true],
  ['gone', undefined, false, { method: 'OPTIONS', headers: PREFLIGHT }],
  ['gone', undefined, true, { method: 'OPTIONS', headers: { origin: 'https://a.example' } }],
])('afterSunset %p, for the version %p: it is gone: %p', (afterSunset, own, isGone, sent = {}) => {
  const v1 = { deprecated: PAST, sunset: PAST, info: INFO, successor: 'v2', afterSunset: own }
  const options: Options = { afterSunset, reportVersions: true, routes: namedRoutes({ users: '/users' }) }
  const handlers = [byQuery({ v1, v2: {}, v3: gone(PAST) }, options)]
  const { req, errors, fields } = ask(handlers, '/users?version=v1', sent)
  const rejection = {
    message: 'This version is no longer served.',
    status: 410,
    code: 'ERR_VERSION_GONE',
    version: 'v1',
  }
  expect(errors).toMatchObject(isGone ? [{ ...rejection, allowedVersions: ['v2'] }] : [])
  const link = `${OURS}, ${successor('/users?version=v2')}`
  const reported = (own ?? afterSunset) === 'gone' ? report('v2', '', 'v1') : report('v1, v2', 'v1', 'v1')
  expect([req.version, fields]).toEqual(['v1', { deprecation: Y2020, sunset: S2020, link, ...reported }])
})

test('reportVersions follows the clock, and one that is put back', () => {
  const now = jest.spyOn(Date, 'now')
  const v1 = { deprecated: '2030-01-01', ...gone('2031-01-01') }
  const v2 = { deprecated: '2030-06-01T00:00:00+02:00', sunset: '2030-09-01' }
  const middleware = reporting({ lifecycle: { v1, v2, v3: {} } })
  for (const [date = '', supported = '', old] of rows(`
    2029-12-31T23:59:59.999Z | v1, v2, v3
    2030-01-01T00:00:00.000Z | v1, v2, v3 | v1
    2030-05-31T22:00:00.000Z | v1, v2, v3 | v1, v2
    2031-01-01T00:00:00.000Z | v2, v3 | v2
    2030-03-01T00:00:00.000Z | v1, v2, v3 | v1`)) {
    now.mockReturnValue(Date.parse(date))
    expect([date, ask([middleware], '/?version=v3').fields]).toEqual([date, report(supported, old, 'v3')])
    // A version is gone from the moment of its sunset on.
    expect(ask([middleware]).errors).toMatchObject(supported.includes('v1') ? [] : [{ status: 410 }])
  }
})

test('the fields of the version and of deprecated() are taken back where the dispatch rejects', async () => {
  const rewrite: RequestHandler = (req, _res, next) => next(void Object.assign(req, { url: '/v2/users' }))
  const routes = namedRoutes({ user: '/users', other: '/:version/users' })
  routes.route('user').get(deprecated({ since: '2021-01-01', info: INFO }), rewrite)
  routes.route('other').get(go)
  const lifecycle = { v1: { deprecated: '2022-01-01', info: INFO } }
  const middleware = reporting({ scheme: URLPathVersioning, defaultVersion: 'v1', lifecycle, routes })
  const foreign = [set('Deprecation', Y2021), set('Link', '<a>'), set('API-Version', 'before')]
  const { errors, fields } = ask([...foreign, middleware, routes], '/users')
  await new Promise(setImmediate)
  expect(errors).toMatchObject([{ status: 404 }])
  const kept = report('v1, v2, v3', 'v1', 'before')
  expect(fields).toEqual({ deprecation: Y2021, link: '<a>', ...kept })
})

test('exposedHeaders lists what responses gain, and nothing else but Vary', () => {
  const plan = { deprecated: PAST, sunset: FUTURE, info: INFO, successor: 'v2' }
  const options = { reportVersions: true, routes: namedRoutes({ x: '/x' }) }
  const { res } = ask([byQuery({ v1: plan }, options)], '/x?version=v1')
  const own = EXPOSED.filter((name) => name !== 'api-changes-met')
  expect(res.getHeaderNames().toSorted()).toEqual([...own, 'x-powered-by'].toSorted())
  expect(Object.isFrozen(exposedHeaders)).toBe(true)
})

test('a paused version and a rejection leave a head that was sent already', () => {
  const { brownouts } = { brownouts: [{ from: PAST, to: FUTURE }] }
  const paused = ask([sent, v1({ brownouts })])
  const rejected = ask([sent, v1({})], '/?version=v9')
  for (const { res } of [paused, rejected]) expect(res.getHeaders()).not.toHaveProperty('cache-control')
})
