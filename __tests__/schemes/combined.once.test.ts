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
  type ParseVersion,
  QueryParameterVersioning,
  type RouteRegistry,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { decide, deciding } from '../support/schemes'
import { serve } from '../support/serve'

const CONFLICT = '400 ERR_VERSION_CONFLICT Conflicting versions in request.'
const HEADER = '406 ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.'
const QUERY = '404 ERR_VERSION_NOT_FOUND Invalid version in query parameter.'
const PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const NAMESPACE = `${PATH} Does not match any version namespace.`
const HOST = '404 ERR_VERSION_NOT_FOUND Invalid version in hostname.'
const CUSTOM = '404 ERR_VERSION_NOT_FOUND Invalid version.'
/** The refusal of a request that names no version at all. */
const missing = (refusal: string): string => refusal.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }

const header = () => new HeaderVersioning()
const query = () => new QueryParameterVersioning()
const combined = (...schemes: BaseVersioning[]) => new CombinedVersioning({ schemes })

/** A scheme that overrides `determineVersion` alone. */
class Told extends BaseVersioning {
  constructor(readonly says: () => unknown) {
    super()
  }
  override determineVersion = () => this.says() as string | null
}

test.each<[url: string, header: string | undefined, accept: string | undefined, reject: string, first: string]>([
  ['/', undefined, undefined, 'v1', 'v1'],
  ['/', 'v2', undefined, 'v2', 'v2'],
  ['/?version=v2', undefined, undefined, 'v2', 'v2'],
  ['/', undefined, 'v2', 'v2', 'v2'],
  ['/?version=v2', 'v2', 'v2', 'v2', 'v2'],
  // Two different versions conflict, also if one is the default.
  ['/?version=v2', 'v1', undefined, CONFLICT, 'v1'],
  ['/?version=v2', undefined, 'v1', CONFLICT, 'v2'],
  ['/', 'v2', 'v1', CONFLICT, 'v2'],
  ['/?version=v2', 'v2', 'v1', CONFLICT, 'v2'],
  // Each is checked before they are compared.
  ['/', 'v3', undefined, HEADER, HEADER],
  ['/?version=v3', 'v1', undefined, QUERY, 'v1'],
  ['/?version=v1&version=v2', 'v1', undefined, QUERY, 'v1'],
  // An empty field is not there.
  ['/?version=v2', ' , ', undefined, 'v2', 'v2'],
])('header, query and Accept: %s %j %j: %j, by the first %j', async (url, field, accept, reject, first) => {
  const headers = {
    ...(field !== undefined && { 'X-API-Version': field }),
    ...(accept !== undefined && { Accept: `application/json; version=${accept}` }),
  }
  for (const [onConflict, expected] of [
    [undefined, reject],
    ['reject', reject],
    ['first', first],
  ] as const) {
    const schemes = [header(), query(), new AcceptHeaderVersioning()]
    expect(await decide(new CombinedVersioning({ schemes, onConflict, ...DEFAULTED }), url, headers)).toBe(expected)
  }
})

test.each<[title: string, first: () => BaseVersioning, refusal: string]>([
  ['header', header, HEADER],
  ['query', query, QUERY],
  ['path', () => new URLPathVersioning(), PATH],
  ['namespace', () => new NamespaceVersioning(), NAMESPACE],
  ['host', () => new HostNameVersioning(), HOST],
  ['custom', () => new Told(() => null), CUSTOM],
  ['a combination', () => combined(header()), HEADER],
])('no version named: the combination refuses as its first scheme, %s, does', async (_title, first, refusal) => {
  for (const [settings, expected] of [
    [{}, null],
    [LISTED, missing(refusal)],
    [DEFAULTED, 'v1'],
    [{ ...LISTED, defaultVersion: 'v9' }, 'v9'],
    [{ allowedVersions: ['v1', null] }, null],
  ] as const)
    expect(await decide(new CombinedVersioning({ schemes: [first(), query()], ...settings }))).toBe(expected)
})

describe('a place that may hold what is no version, beside a header', () => {
  const users = () => namedRoutes({ users: '/users' })
  const admin = users().include('/v2', users(), { namespace: 'v2' })
  const routes = namedRoutes({})
    .include('/v1', users(), { namespace: 'v1' })
    .include('/admin', admin, { namespace: 'admin' }) as RouteRegistry

  // The columns are: what is ignored is not given; it is, without a default; it is, with a default.
  test.each<[place: string, header: string | undefined, found: string, ignored: string, defaulted: string]>([
    ['/admin/users', undefined, NAMESPACE, missing(NAMESPACE), 'v1'],
    ['/admin/users', 'v2', NAMESPACE, 'v2', 'v2'],
    ['/admin/users', 'v3', NAMESPACE, HEADER, HEADER],
    ['/v1/users', 'v2', CONFLICT, CONFLICT, CONFLICT],
    ['/v1/users', undefined, 'v1', 'v1', 'v1'],
    ['/admin/v2/users', undefined, 'v2', 'v2', 'v2'],
    ['/elsewhere', 'v2', 'v2', 'v2', 'v2'],
    ['v1.example.com', undefined, 'v1', 'v1', 'v1'],
    ['www.example.com', undefined, HOST, missing(HOST), 'v1'],
    ['www.example.com', 'v2', HOST, 'v2', 'v2'],
    ['www.example.com', 'v3', HOST, HEADER, HEADER],
    ['v1.example.com', 'v2', CONFLICT, CONFLICT, CONFLICT],
    // A host that does not match its pattern is refused if it begins with a version.
    ['v2.my-shop.com', 'v1', HOST, HOST, HOST],
  ])('%s %j: %j, ignored %j, with a default %j', async (place, field, found, ignored, defaulted) => {
    const [url, host] = place.startsWith('/') ? [place, undefined] : ['/', place]
    const headers = { ...(host !== undefined && { host }), ...(field !== undefined && { 'X-API-Version': field }) }
    const decided = (settings: object, ignore?: string[]) => {
      const reader = host === undefined ? new NamespaceVersioning({ ignore }) : new HostNameVersioning({ ignore })
      const scheme = new CombinedVersioning({ schemes: [reader, header()], ...settings })
      return deciding({ scheme, routes })(url, headers)
    }
    const ignore = ['admin', 'www']
    const both = [await decided(LISTED), await decided(DEFAULTED)]
    expect(both).toEqual(found === HOST && field === undefined ? [HOST, HOST] : [found, found])
    expect([await decided(LISTED, ignore), await decided(DEFAULTED, ignore)]).toEqual([ignored, defaulted])
  })

  test('by the first, schemes behind the one that decides are not read', async () => {
    const schemes = [header(), new HostNameVersioning()]
    const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...LISTED })
    for (const host of ['www.example.com', 'v1.example.com'])
      expect(await decide(scheme, '/', { host, 'X-API-Version': 'v2' })).toBe('v2')
  })
})

test('the first chooses among carriers, never against the route', async () => {
  const routes = namedRoutes({ item: '/:version/item' })
  routes.route('item').get((req, res) => void res.json(req.version))
  const schemes = [header(), new URLPathVersioning()]
  const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...LISTED })
  const server = await serve((app) => app.use(versioning({ scheme, routes }), routes))
  for (const [path, found] of [
    ['/v2/item', [200, 'v2']],
    ['/v1/item', [404, { error: 'Invalid version in URL path.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' }]],
  ] as const) {
    const { status, json } = await server.get(path, { 'X-API-Version': 'v2' })
    expect([path, [status, json]]).toEqual([path, found])
  }
})

describe('a custom scheme with only determineVersion', () => {
  const ways: [string, (value: unknown) => unknown][] = [
    ['says', (value) => value],
    ['promises', (value) => new Promise((done) => setTimeout(done, 1, value))],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    ['promises in its own way', (value) => ({ then: (done: (value: unknown) => void) => done(value) })],
  ]
  const NO_STRING = 'TypeError Told: a version is a string; got 2.'

  describe.each(ways)('%s', (_way, way) => {
    test.each<[value: unknown, alone: unknown, beside: unknown]>([
      ['v2', 'v2', 'v2'],
      ['v1', 'v1', CONFLICT],
      [null, 'v1', 'v2'],
      [undefined, 'v1', 'v2'],
      ['v3', CUSTOM, CUSTOM],
      [2, NO_STRING, NO_STRING],
    ])('%p: %p, beside a header of v2 %p', async (value, alone, beside) => {
      const told = () => new Told(() => way(value))
      for (const schemes of [
        [told(), header()],
        [header(), told()],
        [combined(told()), header()],
      ]) {
        const decide = deciding({ scheme: new CombinedVersioning({ schemes, ...DEFAULTED }) })
        expect([await decide('/'), await decide('/', { 'X-API-Version': 'v2' })]).toEqual([alone, beside])
      }
    })
  })

  test('by hand, promises are of the platform, and the first may decide', async () => {
    const determined = combined(new Told(async () => 'v2')).determineVersion(
      { url: '/', headers: {} } as Request,
      [],
      {},
    )
    expect(determined).toBeInstanceOf(Promise)
    expect(await determined).toBe('v2')
    const first = new CombinedVersioning({
      schemes: [new Told(() => 'v1'), new URLPathVersioning()],
      onConflict: 'first',
    })
    expect(first.determineVersion({ url: '/', headers: {} } as Request, [], {})).toBe('v1')
    // The combination decides whether a version is required.
    const part = header()
    new CombinedVersioning({ schemes: [part], ...LISTED })
    expect([null, 'v1', 'v3'].map((version) => part.isAllowedVersion(version))).toEqual([true, true, false])
  })
})

test('a combination within one has a rule of its own', async () => {
  const inner = new CombinedVersioning({
    schemes: [new HeaderVersioning({ header: 'A' }), new HeaderVersioning({ header: 'B' })],
    onConflict: 'first',
  })
  const schemes = [inner, new HeaderVersioning({ header: 'C' })]
  const decide = deciding({ scheme: new CombinedVersioning({ schemes, ...DEFAULTED }) })
  for (const [headers, expected] of [
    [{}, 'v1'],
    [{ A: 'v1', B: 'v2', C: 'v1' }, 'v1'],
    [{ A: 'v1', C: 'v2' }, CONFLICT],
    [{ B: 'v2' }, 'v2'],
    [{ B: 'v3', C: 'v3' }, HEADER.replace('X-API-Version', 'B')],
  ] as const)
    expect([headers, await decide('/', headers)]).toEqual([headers, expected])
})

test.each<[schemes: BaseVersioning[], varyOn: string[], statuses: number[], onConflict: 'reject' | 'first']>([
  [[header(), new AcceptHeaderVersioning()], ['X-API-Version', 'Accept'], [406, 400], 'reject'],
  [[header(), query()], ['X-API-Version'], [406, 404], 'first'],
  [[new URLPathVersioning(), query()], [], [404, 400], 'reject'],
  [[query(), header(), new HeaderVersioning()], ['X-API-Version'], [404, 406, 400], 'reject'],
  [[header()], ['X-API-Version'], [406], 'reject'],
  [[new HostNameVersioning(), header()], ['X-API-Version'], [404, 400, 406], 'first'],
])('%#: its Vary and its statuses are those of its schemes', (schemes, varyOn, statuses, onConflict) => {
  const scheme = new CombinedVersioning({ schemes, onConflict })
  expect(typeof scheme.varyOn === 'function' ? scheme.varyOn({} as Request) : scheme.varyOn).toEqual(varyOn)
  expect(scheme.refusalStatuses).toEqual(statuses)
})

describe('construction', () => {
  class FieldDefault extends QueryParameterVersioning {
    override defaultVersion = 'v1'
  }
  class FieldList extends QueryParameterVersioning {
    override allowedVersions = ['v1']
  }
  test.each<[string, () => BaseVersioning]>([
    ['HeaderVersioning', () => new HeaderVersioning({ defaultVersion: 'v1' })],
    ['HeaderVersioning', () => new HeaderVersioning({ allowedVersions: [null] })],
    ['FieldDefault', () => new FieldDefault()],
    ['FieldList', () => new FieldList()],
    ['CombinedVersioning', () => new CombinedVersioning({ schemes: [header()], ...LISTED })],
  ])('a %s with settings of its own: %s', (name, build) => {
    const error = `${name}: "defaultVersion" and "allowedVersions" belong to the combination; set them there.`
    expect(() => combined(new URLPathVersioning(), build())).toThrow(new TypeError(error))
  })

  test('one instance in two combinations, or twice in one', () => {
    const error = new TypeError('HeaderVersioning: this instance is already part of a combination.')
    const shared = header()
    combined(shared)
    expect(() => combined(shared)).toThrow(error)
    const twice = header()
    expect(() => combined(twice, twice)).toThrow(error)
  })

  test('versioning() tells wrong class fields of its schemes', () => {
    class Wrong extends HostNameVersioning {
      override hostnamePattern = /v/g
    }
    expect(() => versioning({ scheme: combined(header(), new Wrong()) })).toThrow(
      'Wrong: option "hostnamePattern" takes',
    )
    const template = 'application/vnd.acme.{version}+json'
    expect(() => versioning({ scheme: combined(new MediaTypeVersioning({ template }), header()) })).not.toThrow()
  })
})

test.each<[title: string, url: string, header: string | undefined, outcome: string]>([
  ['its parser, once', '/', '1', 'v1'],
  ["a scheme's own", '/?version=1.0', undefined, 'v1'],
  ["not its parser behind a scheme's own", '/?version=1', undefined, QUERY],
  ['the text of a version', '/', 'v1', HEADER],
  ['two texts of one version', '/?version=1.0', '1', 'v1'],
  ['two versions', '/?version=2.0', '1', CONFLICT],
])('parseVersion of a combination: %s', async (_title, url, field, expected) => {
  const majors: ParseVersion = (text) => (text.endsWith('.0') ? `v${text.slice(0, -2)}` : undefined)
  const schemes = [header(), new QueryParameterVersioning({ parseVersion: majors })]
  const scheme = new CombinedVersioning({ schemes, ...LISTED, parseVersion: (text) => `v${text}` })
  expect(await decide(scheme, url, field === undefined ? {} : { 'X-API-Version': field })).toBe(expected)
})
