import type { Request } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type RouteRegistry,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { rows } from '../support/rows'
import { decide, deciding } from '../support/schemes'
import { serve } from '../support/serve'

/** The refusals, as the tables call them. */
const REFUSALS: Record<string, string> = {
  CONFLICT: '400 ERR_VERSION_CONFLICT Conflicting versions in request.',
  HEADER: '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.',
  QUERY: '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.',
  NAMESPACE: '404 ERR_VERSION_NOT_FOUND Invalid version in URL path. Does not match any version namespace.',
  HOST: '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.',
  CUSTOM: '404 ERR_VERSION_NOT_FOUND Invalid version.',
  NO_STRING: 'TypeError Told: a version is a string; got 2.',
}
/** Returns the outcome that a column names. `no HEADER`: the refusal of a request that names no version at all. */
const told = (column = ''): string | undefined =>
  column.startsWith('no ')
    ? told(column.slice(3))?.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')
    : (REFUSALS[column] ?? column)
const field = (name: string, value = '-', before = '') => (value === '-' ? {} : { [name]: before + value })

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }
const header = (name?: string) => new HeaderVersioning({ header: name })
const query = () => new QueryParameterVersioning()
const combined = (...schemes: BaseVersioning[]) => new CombinedVersioning({ schemes })

/** A scheme that overrides `determineVersion` alone. */
class Told extends BaseVersioning {
  constructor(readonly says: () => unknown) {
    super()
  }
  override determineVersion = () => this.says() as string | null
}

test.each(
  rows(`
  // url                   | header | Accept | rejecting | by the first
  /                        | -      | -      | v1        | v1
  /                        | v2     | -      | v2        | v2
  /                        | -      | v2     | v2        | v2
  /?version=v2             | v2     | v2     | v2        | v2
  // Two different versions conflict, also if one is the default.
  /?version=v2             | v1     | -      | CONFLICT  | v1
  /?version=v2             | -      | v1     | CONFLICT  | v2
  // Each is checked before they are compared.
  /                        | v3     | -      | HEADER    | HEADER
  /?version=v3             | v1     | -      | QUERY     | v1
  /?version=v1&version=v2  | v1     | -      | QUERY     | v1
  // An empty field is not there.
  /?version=v2             | ,      | -      | v2        | v2`),
)('header, query and Accept: %s, %s, %s: %s, by the first %s', async (url, value, accept, reject, first) => {
  const headers = { ...field('X-API-Version', value), ...field('Accept', accept, 'application/json; version=') }
  for (const onConflict of [undefined, 'reject', 'first'] as const) {
    const schemes = [header(), query(), new AcceptHeaderVersioning()]
    const found = await decide(new CombinedVersioning({ schemes, onConflict, ...DEFAULTED }), url, headers)
    expect([onConflict, found]).toEqual([onConflict, told(onConflict === 'first' ? first : reject)])
  }
})

test.each<[refusal: string, first: () => BaseVersioning]>([
  ['HEADER', header],
  ['HOST', () => new HostNameVersioning()],
  ['CUSTOM', () => new Told(() => null)],
  ['HEADER', () => combined(header())],
])('no version named: the combination refuses as its first scheme does: %s', async (refusal, first) => {
  for (const [settings, expected] of [
    [{}, null],
    [LISTED, told(`no ${refusal}`)],
    [{ ...LISTED, defaultVersion: 'v9' }, 'v9'],
    [{ allowedVersions: ['v1', null] }, null],
  ] as const)
    expect(await decide(new CombinedVersioning({ schemes: [first(), query()], ...settings }))).toBe(expected)
})

const users = () => namedRoutes({ users: '/users' })
const admin = users().include('/v2', users(), { namespace: 'v2' })
const spaces = namedRoutes({})
  .include('/v1', users(), { namespace: 'v1' })
  .include('/admin', admin, { namespace: 'admin' }) as RouteRegistry
test.each(
  rows(`
  // place         | header | nothing ignored | admin and www ignored | and with a default
  /admin/users     | -      | NAMESPACE       | no NAMESPACE          | v1
  /admin/users     | v2     | NAMESPACE       | v2                    | v2
  /admin/users     | v3     | NAMESPACE       | HEADER                | HEADER
  /v1/users        | v2     | CONFLICT        | CONFLICT              | CONFLICT
  /admin/v2/users  | -      | v2              | v2                    | v2
  /elsewhere       | v2     | v2              | v2                    | v2
  www.example.com  | -      | HOST            | no HOST               | v1
  www.example.com  | v2     | HOST            | v2                    | v2
  v1.example.com   | v2     | CONFLICT        | CONFLICT              | CONFLICT
  // A host that does not match its pattern is refused if it begins with a version.
  v2.my-shop.com   | v1     | HOST            | HOST                  | HOST`),
)('a place beside a header: %s, %s: %s, ignored %s, with a default %s', async (place = '', value, ...expected) => {
  const [url, host] = place.startsWith('/') ? [place] : ['/', place]
  const headers = { ...(host !== undefined && { host }), ...field('X-API-Version', value) }
  const decided = (settings: object, ignore?: string[]) => {
    const reader = host === undefined ? new NamespaceVersioning({ ignore }) : new HostNameVersioning({ ignore })
    const scheme = new CombinedVersioning({ schemes: [reader, header()], ...settings })
    return deciding({ scheme, routes: spaces })(url, headers)
  }
  const ignore = ['admin', 'www']
  const found = [decided(LISTED), decided(DEFAULTED), decided(LISTED, ignore), decided(DEFAULTED, ignore)]
  expect(await Promise.all(found)).toEqual([expected[0], ...expected].map(told))
})

test('the first chooses among carriers, of which the later ones are not read, but never against the route', async () => {
  const schemes = [header(), new HostNameVersioning()]
  const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...LISTED })
  for (const host of ['www.example.com', 'v1.example.com'])
    expect(await decide(scheme, '/', { host, 'X-API-Version': 'v2' })).toBe('v2')
  const routes = namedRoutes({ item: '/:version/item' })
  routes.route('item').get((req, res) => void res.json(req.version))
  const routed = [header(), new URLPathVersioning()]
  const first = new CombinedVersioning({ schemes: routed, onConflict: 'first', ...LISTED })
  const server = await serve((app) => app.use(versioning({ scheme: first, routes }), routes))
  const ask = (path: string) => server.get(path, { 'X-API-Version': 'v2' })
  expect(await ask('/v2/item')).toMatchObject({ status: 200, json: 'v2' })
  expect(await ask('/v1/item')).toMatchObject({ status: 404, json: { error: 'Invalid version in URL path.' } })
})

test.each<[way: string, (value: unknown) => unknown]>([
  ['says', (value) => value],
  ['promises', (value) => new Promise((done) => setTimeout(done, 1, value))],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  ['promises in its own way', (value) => ({ then: (done: (value: unknown) => void) => done(value) })],
])('a custom scheme %s its version, which is compared with that of a header', async (_way, way) => {
  for (const [value, alone, beside] of [
    ['v2', 'v2', 'v2'],
    ['v1', 'v1', 'CONFLICT'],
    [null, 'v1', 'v2'],
    [undefined, 'v1', 'v2'],
    ['v3', 'CUSTOM', 'CUSTOM'],
    [2, 'NO_STRING', 'NO_STRING'],
  ] as const) {
    const one = () => new Told(() => way(value))
    for (const schemes of [
      [one(), header()],
      [header(), one()],
      [combined(one()), header()],
    ]) {
      const decide = deciding({ scheme: new CombinedVersioning({ schemes, ...DEFAULTED }) })
      const found = [await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]
      expect([value, ...found]).toEqual([value, told(alone), told(beside)])
    }
  }
})

test('by hand, promises are of the platform, the first may decide, and the combination requires a version', async () => {
  const request = { url: '/', headers: {} } as Request
  const determined = combined(new Told(async () => 'v2')).determineVersion(request, [], {})
  expect(determined).toBeInstanceOf(Promise)
  expect(await determined).toBe('v2')
  const schemes = [new Told(() => 'v1'), new URLPathVersioning()]
  expect(new CombinedVersioning({ schemes, onConflict: 'first' }).determineVersion(request, [], {})).toBe('v1')
  const part = header()
  new CombinedVersioning({ schemes: [part], ...LISTED })
  expect([null, 'v1', 'v3'].map((version) => part.isAllowedVersion(version))).toEqual([true, true, false])
})

test('a combination within one has a rule of its own', async () => {
  const inner = new CombinedVersioning({ schemes: [header('A'), header('B')], onConflict: 'first' })
  const decide = deciding({ scheme: new CombinedVersioning({ schemes: [inner, header('C')], ...DEFAULTED }) })
  for (const [headers, expected] of [
    [{ A: 'v1', B: 'v2', C: 'v1' }, 'v1'],
    [{ A: 'v1', C: 'v2' }, told('CONFLICT')],
    [{ B: 'v3', C: 'v3' }, told('HEADER')?.replace('X-API-Version', 'B')],
  ] as const)
    expect([headers, await decide('/', headers)]).toEqual([headers, expected])
})

test.each<[schemes: BaseVersioning[], varyOn: string[], statuses: number[], onConflict: 'reject' | 'first']>([
  [[header(), new AcceptHeaderVersioning()], ['X-API-Version', 'Accept'], [406, 400], 'reject'],
  [[header(), query()], ['X-API-Version'], [406, 404], 'first'],
  [[query(), header(), header()], ['X-API-Version'], [404, 406, 400], 'reject'],
  [[header()], ['X-API-Version'], [406], 'reject'],
  [[new HostNameVersioning(), header()], ['X-API-Version'], [404, 400, 406], 'first'],
])('%#: its Vary and its statuses are those of its schemes', (schemes, varyOn, statuses, onConflict) => {
  const scheme = new CombinedVersioning({ schemes, onConflict })
  expect(typeof scheme.varyOn === 'function' ? scheme.varyOn({} as Request) : scheme.varyOn).toEqual(varyOn)
  expect(scheme.refusalStatuses).toEqual(statuses)
})

test('its schemes have no settings of their own, are part of one combination, once, and their fields are checked', () => {
  const [defaulted, nullable] = [{ defaultVersion: 'v1' }, { allowedVersions: [null] }]
  for (const part of [
    new HeaderVersioning(defaulted),
    new HeaderVersioning(nullable),
    Object.assign(header(), defaulted),
  ])
    expect(() => combined(new URLPathVersioning(), part)).toThrow(
      new TypeError(
        'HeaderVersioning: "defaultVersion" and "allowedVersions" belong to the combination; set them there.',
      ),
    )
  const error = new TypeError('HeaderVersioning: this instance is already part of a combination.')
  const [shared, twice] = [header(), header()]
  combined(shared)
  for (const schemes of [[shared], [twice, twice]]) expect(() => combined(...schemes)).toThrow(error)
  const wrong = Object.assign(new HostNameVersioning(), { hostnamePattern: /v/g })
  const compiling = () => versioning({ scheme: combined(header(), wrong) })
  expect(compiling).toThrow('HostNameVersioning: option "hostnamePattern" takes')
  const template = 'application/vnd.acme.{version}+json'
  expect(() => versioning({ scheme: combined(new MediaTypeVersioning({ template }), header()) })).not.toThrow()
})

test.each(
  rows(`
  // its parser once, a scheme's own, not its own behind that, the text of a version, two texts of one, two versions
  /             | 1  | v1
  /?version=1.0 | -  | v1
  /?version=1   | -  | QUERY
  /             | v1 | HEADER
  /?version=1.0 | 1  | v1
  /?version=2.0 | 1  | CONFLICT`),
)('parseVersion of a combination: %s, %s: %s', async (url, value, expected) => {
  const majors = (text: string) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
  const schemes = [header(), new QueryParameterVersioning({ parseVersion: majors })]
  const scheme = new CombinedVersioning({ schemes, ...LISTED, parseVersion: (text) => `v${text}` })
  expect(await decide(scheme, url, field('X-API-Version', value))).toBe(told(expected))
})
