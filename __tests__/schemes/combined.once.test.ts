import type { Request, RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  type CombinedSettings,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  type RouteRegistry,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { type Served, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })

const CONFLICT = '400 VersioningError ERR_VERSION_CONFLICT Conflicting versions in request.'
const HEADER = '406 NotAcceptable ERR_VERSION_NOT_ACCEPTABLE Invalid version in "X-API-Version" header.'
const QUERY = '404 NotFound ERR_VERSION_NOT_FOUND Invalid version in query parameter.'
const PATH = '404 NotFound ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const NAMESPACE = `${PATH} Does not match any version namespace.`
const HOST = '404 NotFound ERR_VERSION_NOT_FOUND Invalid version in hostname.'
/** The refusal of a request that names no version at all. */
const missing = (refusal: string): string => refusal.replace(/ERR_VERSION_\w+/, 'ERR_VERSION_MISSING')
const CUSTOM = '404 NotFound ERR_VERSION_NOT_FOUND Invalid version.'

const LISTED = { allowedVersions: ['v1', 'v2'] }
const DEFAULTED = { ...LISTED, defaultVersion: 'v1' }

const app = (settings: CombinedSettings, routes?: RouteRegistry) =>
  serve((app) => app.use(versioning({ scheme: new CombinedVersioning(settings), routes }), tell))

/** The version of a request, or its refusal in one line. */
async function outcome(server: Served, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const { status, json } = await server.get(path, headers)
  if (status === 200) return (json as { version: unknown }).version
  const { error, code, name } = json as { error: string; code: string; name: string }
  return `${status} ${name} ${code} ${error}`
}

const header = (version: string) => ({ 'X-API-Version': version })
const accept = (version: string) => ({ Accept: `application/json; version=${version}` })

/** A scheme that returns the result of `says` and counts its calls. */
class Told extends BaseVersioning {
  asked = 0

  constructor(readonly says: () => unknown) {
    super()
  }

  override determineVersion(): string | null {
    this.asked++
    return this.says() as string | null
  }
}

describe('of header, query and Accept', () => {
  const three = () => [new HeaderVersioning(), new QueryParameterVersioning(), new AcceptHeaderVersioning()]

  test.each<[path: string, headers: Record<string, string>, reject: unknown, first: unknown]>([
    ['/', {}, 'v1', 'v1'],
    ['/', header('v2'), 'v2', 'v2'],
    ['/?version=v2', {}, 'v2', 'v2'],
    ['/', accept('v2'), 'v2', 'v2'],
    ['/?version=v2', { ...header('v2'), ...accept('v2') }, 'v2', 'v2'],
    // two different ones, the default's among them
    ['/?version=v2', header('v1'), CONFLICT, 'v1'],
    ['/?version=v1', header('v2'), CONFLICT, 'v2'],
    ['/?version=v2', accept('v1'), CONFLICT, 'v2'],
    ['/', { ...header('v2'), ...accept('v1') }, CONFLICT, 'v2'],
    ['/?version=v2', { ...header('v2'), ...accept('v1') }, CONFLICT, 'v2'],
    ['/?version=v1', { ...header('v2'), ...accept('v1') }, CONFLICT, 'v2'],
    // each is checked before they are compared
    ['/', header('v3'), HEADER, HEADER],
    ['/?version=v3', header('v1'), QUERY, 'v1'],
    // an empty field is not there
    ['/', header(''), 'v1', 'v1'],
    ['/?version=v2', header(' , '), 'v2', 'v2'],
    ['/?version=v1&version=v2', header('v1'), QUERY, 'v1'],
  ])('%j %j: %j, by the first %j', async (path, headers, reject, first) => {
    expect(await outcome(await app({ schemes: three(), ...DEFAULTED }), path, headers)).toBe(reject)
    const explicit = await app({ schemes: three(), onConflict: 'reject', ...DEFAULTED })
    expect(await outcome(explicit, path, headers)).toBe(reject)
    const server = await app({ schemes: three(), onConflict: 'first', ...DEFAULTED })
    expect(await outcome(server, path, headers)).toBe(first)
  })
})

describe('none named', () => {
  const query = () => new QueryParameterVersioning()
  const orders: [string, () => BaseVersioning[], string][] = [
    ['header first', () => [new HeaderVersioning(), query()], HEADER],
    ['query first', () => [query(), new HeaderVersioning()], QUERY],
    ['path first', () => [new URLPathVersioning(), query()], PATH],
    ['namespace first', () => [new NamespaceVersioning(), query()], NAMESPACE],
    ['host first', () => [new HostNameVersioning(), query()], HOST],
    ['custom first', () => [new Told(() => null), query()], CUSTOM],
    ['a combination first', () => [new CombinedVersioning({ schemes: [new HeaderVersioning()] }), query()], HEADER],
  ]

  test.each(orders)('%s', async (_title, schemes, refusal) => {
    const host = { Host: 'localhost' }
    expect(await outcome(await app({ schemes: schemes() }), '/', host)).toBe(null)
    expect(await outcome(await app({ schemes: schemes(), ...LISTED }), '/', host)).toBe(missing(refusal))
    expect(await outcome(await app({ schemes: schemes(), ...DEFAULTED }), '/', host)).toBe('v1')
    expect(await outcome(await app({ schemes: schemes(), ...LISTED, defaultVersion: 'v9' }), '/', host)).toBe('v9')
    const nullable = { allowedVersions: ['v1', null] }
    expect(await outcome(await app({ schemes: schemes(), ...nullable }), '/', host)).toBe(null)
  })
})

describe('a place that may hold what is no version', () => {
  const table = () =>
    namedRoutes({})
      .include('/v1', namedRoutes({ users: '/users' }), { namespace: 'v1' })
      .include(
        '/admin',
        namedRoutes({ users: '/users' }).include('/v2', namedRoutes({ users: '/users' }), { namespace: 'v2' }),
        { namespace: 'admin' },
      )
  const inNamespace = (ignore?: string[]) => [new NamespaceVersioning({ ignore }), new HeaderVersioning()]
  const inHost = (ignore?: string[]) => [new HostNameVersioning({ ignore }), new HeaderVersioning()]
  const www = { Host: 'www.example.com' }
  const v1 = { Host: 'v1.example.com' }

  test.each<[path: string, headers: Record<string, string>, outcome: unknown, ignored: [unknown, unknown]]>([
    ['/admin/users', {}, NAMESPACE, [missing(NAMESPACE), 'v1']],
    ['/admin/users', header('v2'), NAMESPACE, ['v2', 'v2']],
    ['/admin/users', header('v3'), NAMESPACE, [HEADER, HEADER]],
    ['/v1/users', header('v2'), CONFLICT, [CONFLICT, CONFLICT]],
    ['/v1/users', {}, 'v1', ['v1', 'v1']],
    ['/admin/v2/users', {}, 'v2', ['v2', 'v2']],
    ['/elsewhere', header('v2'), 'v2', ['v2', 'v2']],
  ])('namespace: %s %j: %j, and where it is ignored, without and with a default, %j', async (...row) => {
    const [path, headers, expected, ignored] = row
    for (const [index, settings] of [LISTED, DEFAULTED].entries()) {
      expect(await outcome(await app({ schemes: inNamespace(), ...settings }, table()), path, headers)).toBe(expected)
      const ignoring = await app({ schemes: inNamespace(['admin']), ...settings }, table())
      expect(await outcome(ignoring, path, headers)).toBe(ignored[index])
    }
  })

  test.each<[headers: Record<string, string>, outcome: unknown, ignored: [unknown, unknown]]>([
    [v1, 'v1', ['v1', 'v1']],
    [www, HOST, [missing(HOST), 'v1']],
    [{ ...www, ...header('v2') }, HOST, ['v2', 'v2']],
    [{ ...www, ...header('v3') }, HOST, [HEADER, HEADER]],
    [{ ...v1, ...header('v2') }, CONFLICT, [CONFLICT, CONFLICT]],
  ])('host: %j: %j, and where it is ignored, without and with a default, %j', async (headers, expected, ignored) => {
    for (const [index, settings] of [LISTED, DEFAULTED].entries()) {
      expect(await outcome(await app({ schemes: inHost(), ...settings }), '/', headers)).toBe(expected)
      expect(await outcome(await app({ schemes: inHost(['WWW']), ...settings }), '/', headers)).toBe(ignored[index])
    }
  })

  test('by the first: schemes behind the one that decides are not read', async () => {
    const server = await app({
      schemes: [new HeaderVersioning(), new HostNameVersioning()],
      onConflict: 'first',
      ...LISTED,
    })
    expect(await outcome(server, '/', { ...www, ...header('v2') })).toBe('v2')
    expect(await outcome(server, '/', { ...v1, ...header('v2') })).toBe('v2')
  })
})

describe('a custom scheme with only determineVersion', () => {
  // Alone, and beside the header of v2.
  const sayings: [string, unknown, alone: unknown, beside: unknown][] = [
    ['a version', 'v2', 'v2', 'v2'],
    ['another version', 'v1', 'v1', CONFLICT],
    ['null', null, 'v1', 'v2'],
    ['undefined', undefined, 'v1', 'v2'],
    ['one that is not allowed', 'v3', CUSTOM, CUSTOM],
  ]
  const ways: [string, (value: unknown) => unknown][] = [
    ['says', (value) => value],
    ['promises', (value) => Promise.resolve(value)],
    ['promises later', (value) => new Promise((done) => setTimeout(done, 5, value))],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    ['promises in its own way', (value) => ({ then: (done: (value: unknown) => void) => done(value) })],
  ]

  describe.each(ways)('%s', (_way, way) => {
    test.each(sayings)('%s', async (_what, value, alone, beside) => {
      for (const schemes of [
        () => [new Told(() => way(value)), new HeaderVersioning()],
        () => [new HeaderVersioning(), new Told(() => way(value))],
        () => [new CombinedVersioning({ schemes: [new Told(() => way(value))] }), new HeaderVersioning()],
      ]) {
        const server = await app({ schemes: schemes(), ...DEFAULTED })
        expect(await outcome(server, '/', header('v2'))).toBe(beside)
        expect(await outcome(server, '/')).toBe(alone)
      }
    })
  })
})

describe('Vary', () => {
  test.each<[string, () => BaseVersioning[], string | undefined]>([
    ['header and Accept', () => [new HeaderVersioning(), new AcceptHeaderVersioning()], 'X-API-Version, Accept'],
    ['path and query', () => [new URLPathVersioning(), new QueryParameterVersioning()], undefined],
    ['query and header', () => [new QueryParameterVersioning(), new HeaderVersioning()], 'X-API-Version'],
  ])('%s', async (_title, schemes, vary) => {
    for (const onConflict of ['reject', 'first'] as const) {
      const server = await app({ schemes: schemes(), onConflict, ...LISTED })
      for (const headers of [header('v1'), header('v3'), {}]) {
        expect((await server.get('/', headers)).headers.vary).toBe(vary)
      }
    }
  })
})

test("Express's own negotiation sees what each of the schemes lets it see", async () => {
  const schemes = [
    new AcceptHeaderVersioning(),
    new MediaTypeVersioning({ template: 'application/vnd.acme.{version}+json' }),
  ]
  const server = await serve((app) =>
    app.use(versioning({ scheme: new CombinedVersioning({ schemes }) }), (req, res) => {
      res.json([req.version, req.accepts('json'), req.accepts('application/vnd.acme.v1+json')])
    }),
  )
  const asked = async (accept: string) => (await server.get('/', { Accept: accept })).json
  expect(await asked('application/json; version=v1')).toEqual(['v1', 'json', false])
  expect(await asked('application/vnd.acme.v1+json; version=v1')).toEqual([
    'v1',
    'json',
    'application/vnd.acme.v1+json',
  ])
})

describe('construction', () => {
  // As a class, or as the function that an instrumented one is.
  const CLASS = /\[(?:class|Function:) HeaderVersioning.*\]/
  const TAKES = 'a list of scheme instances, such as [new URLPathVersioning(), new HeaderVersioning()]'

  test.each<[title: string, schemes: unknown, got: string | RegExp]>([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an empty list', [], '[]'],
    ['a class', HeaderVersioning, CLASS],
    ['a class in the list', [new URLPathVersioning(), HeaderVersioning], CLASS],
    ['a name in the list', ['header'], "'header'"],
    ['a string', 'header', "'header'"],
  ])('schemes: %s', (_title, schemes, got) => {
    const building = () => new CombinedVersioning({ schemes: schemes as BaseVersioning[] })
    expect(building).toThrow(TypeError)
    expect(building).toThrow(`CombinedVersioning: option "schemes" takes ${TAKES}; got `)
    expect(building).toThrow(got)
  })

  test('is not done without options, or by versioning() from the class', () => {
    const bare = CombinedVersioning as unknown as new () => CombinedVersioning
    expect(() => new bare()).toThrow('CombinedVersioning: option "schemes" takes a list of scheme instances')
    expect(() => versioning({ scheme: bare })).toThrow('CombinedVersioning: option "schemes" takes')
    expect(() => versioning({ scheme: bare, schemes: [] } as never)).toThrow(
      '"schemes" is an option of the scheme itself: scheme: new CombinedVersioning({ schemes, ... })',
    )
  })

  test.each<[unknown, string]>([
    ['last', "'last'"],
    ['', "''"],
    [null, 'null'],
    [true, 'true'],
  ])('onConflict: %j', (onConflict, got) => {
    const schemes = [new HeaderVersioning()]
    expect(() => new CombinedVersioning({ schemes, onConflict: onConflict as 'first' })).toThrow(
      new TypeError(`CombinedVersioning: option "onConflict" takes 'reject' or 'first'; got ${got}.`),
    )
  })

  class FieldDefault extends QueryParameterVersioning {
    override defaultVersion = 'v1'
  }
  class FieldList extends QueryParameterVersioning {
    override allowedVersions = ['v1']
  }
  test.each<[string, () => BaseVersioning]>([
    ['HeaderVersioning', () => new HeaderVersioning({ defaultVersion: 'v1' })],
    ['HeaderVersioning', () => new HeaderVersioning({ allowedVersions: ['v1'] })],
    ['HeaderVersioning', () => new HeaderVersioning({ allowedVersions: [null] })],
    ['FieldDefault', () => new FieldDefault()],
    ['FieldList', () => new FieldList()],
    ['CombinedVersioning', () => new CombinedVersioning({ schemes: [new HeaderVersioning()], ...LISTED })],
    ['QueryParameterVersioning', () => Object.assign(new QueryParameterVersioning(), { defaultVersion: 'v1' })],
  ])('a %s with settings of its own: %s', (name, build) => {
    expect(() => new CombinedVersioning({ schemes: [new URLPathVersioning(), build()], ...LISTED })).toThrow(
      new TypeError(`${name}: "defaultVersion" and "allowedVersions" belong to the combination; set them there.`),
    )
  })

  test('one instance in two combinations, or twice in one', () => {
    const shared = new HeaderVersioning()
    const message = 'HeaderVersioning: this instance is already part of a combination.'
    new CombinedVersioning({ schemes: [shared] })
    expect(() => new CombinedVersioning({ schemes: [shared] })).toThrow(new TypeError(message))
    const twice = new HeaderVersioning()
    expect(() => new CombinedVersioning({ schemes: [twice, twice] })).toThrow(new TypeError(message))
  })

  test("wrong class fields of its schemes are told by versioning(), as a scheme's own", () => {
    class Wrong extends HostNameVersioning {
      override hostnamePattern = /v/g
    }
    const scheme = new CombinedVersioning({ schemes: [new HeaderVersioning(), new Wrong()] })
    expect(() => versioning({ scheme })).toThrow('Wrong: option "hostnamePattern" takes')
  })
})

describe('by hand, without versioning()', () => {
  const bare = (headers: Record<string, string>, url = '/') => ({ url, headers }) as unknown as Request

  test('promises are of the platform', async () => {
    const told = new CombinedVersioning({ schemes: [new Told(async () => 'v2')] })
    const determined = told.determineVersion(bare({}), [], {})
    expect(determined).toBeInstanceOf(Promise)
    expect(await determined).toBe('v2')
  })
})

test('of combinations within a combination, each by its own rule', async () => {
  const inner = new CombinedVersioning({
    schemes: [new HeaderVersioning({ header: 'A' }), new HeaderVersioning({ header: 'B' })],
    onConflict: 'first',
  })
  const server = await app({ schemes: [inner, new HeaderVersioning({ header: 'C' })], ...DEFAULTED })
  const refusal = (name: string) => HEADER.replace('X-API-Version', name)
  expect(await outcome(server, '/', { A: 'v1', B: 'v2' })).toBe('v1')
  expect(await outcome(server, '/', { A: 'v1', B: 'v2', C: 'v1' })).toBe('v1')
  expect(await outcome(server, '/', { A: 'v1', C: 'v2' })).toBe(CONFLICT)
  expect(await outcome(server, '/', { B: 'v2' })).toBe('v2')
  expect(await outcome(server, '/', { B: 'v3' })).toBe(refusal('B'))
  expect(await outcome(server, '/', { C: 'v3', B: 'v3' })).toBe(refusal('B'))
  expect(await outcome(server, '/')).toBe('v1')
})

describe('links', () => {
  const users = namedRoutes({ users: '/users' })
  /** A table with `/:version/users` and `/users`, and routes in only one of the two forms. */
  const routes = namedRoutes({ health: '/health' })
    .include('/:version', namedRoutes({ users: '/users', orders: '/orders' }), { namespace: 'in-path' })
    .include('/', users)
  type Ask = [name: string, options?: Record<string, unknown>]

  /** Serves an app that answers with the requested links, or with the error. */
  const linking = async (settings: CombinedSettings, table: RouteRegistry = routes) => {
    const scheme = new CombinedVersioning(settings)
    const server = await serve((app) =>
      app.use(versioning({ scheme, routes: table }), (req, res) => {
        const [name, options] = JSON.parse(String(req.headers['x-link'])) as Ask
        try {
          res.json({ version: req.version, link: req.reverse(name, options) })
        } catch (error) {
          res.json({ version: req.version, link: (error as Error).message })
        }
      }),
    )
    return async (path: string, headers: Record<string, string>, [name, options = {}]: Ask) => {
      const answer = await server.get(path, { ...headers, 'X-Link': JSON.stringify([name, options]) })
      return (answer.json as { link?: string; error?: string }).link ?? (answer.json as { error: string }).error
    }
  }

  const pathHeader = () => [new URLPathVersioning(), new HeaderVersioning()]
  const V2 = { version: 'v2' }

  test.each<[path: string, headers: Record<string, string>, ask: Ask, link: string]>([
    // kept where the path names it
    ['/v1/users', {}, ['in-path:users'], '/v1/users'],
    ['/v2/users', header('v2'), ['in-path:orders'], '/v2/orders'],
    // the unversioned path beside it
    ['/users', header('v2'), ['users'], '/users'],
    ['/users', {}, ['users'], '/users'],
    ['/v1/users', {}, ['users'], '/users'],
    ['/v1/users', {}, ['health'], '/health'],
    ['/v1/users', {}, ['in-path:users', { version: 'v3' }], '"version" takes one of the allowed versions: "v1", "v2".'],
  ])('path and header: %s %j %j: %s', async (path, headers, ask, link) => {
    expect(await (await linking({ schemes: pathHeader(), ...DEFAULTED }))(path, headers, ask)).toBe(link)
  })

  test.each<[path: string, headers: Record<string, string>, version: unknown]>([
    ['/users', {}, 'v1'],
    ['/users', header('v2'), 'v2'],
    ['/v2/users', {}, 'v2'],
    ['/v2/users', header('v2'), 'v2'],
    ['/v2/users', header('v1'), CONFLICT],
    ['/v3/users', {}, PATH],
    ['/v3/users', header('v1'), PATH],
  ])('and the routes that they lead to: %s %j: %j', async (path, headers, version) => {
    expect(await outcome(await app({ schemes: pathHeader(), ...DEFAULTED }, routes), path, headers)).toBe(version)
  })

  const pathQuery = () => [new URLPathVersioning(), new QueryParameterVersioning()]
  test.each<[path: string, headers: Record<string, string>, ask: Ask, link: string]>([
    ['/v2/users', {}, ['in-path:users'], '/v2/users'],
    ['/users?version=v2', {}, ['users'], '/users?version=v2'],
    ['/users', {}, ['users'], '/users'],
    // where the naming scheme's way is closed, another one that can carry it
    ['/users?version=v2', {}, ['in-path:users'], '/v2/users'],
    ['/v2/users', {}, ['users'], '/users?version=v2'],
    // another version: by the naming scheme, else by the first that can
    ['/v1/users', {}, ['in-path:users', V2], '/v2/users'],
    ['/users?version=v1', {}, ['users', V2], '/users?version=v2'],
    ['/users', {}, ['users', V2], '/users?version=v2'],
  ])('path and query: %s %j %j: %s', async (path, headers, ask, link) => {
    expect(await (await linking({ schemes: pathQuery(), ...DEFAULTED }))(path, headers, ask)).toBe(link)
  })

  test('a link to another version leaves out a query parameter whose texts are no versions', async () => {
    const parseVersion = (text: string) => ({ v1: '1', v2: '2' })[text]
    const schemes = [new URLPathVersioning(), new QueryParameterVersioning({ parseVersion })]
    const link = await linking({ schemes, allowedVersions: ['1', '2'], defaultVersion: '1' })
    expect(await link('/1/users', {}, ['in-path:users', { version: '2', query: { version: 'v1', page: 2 } }])).toBe(
      '/2/users?page=2',
    )
  })

  test('the links of path and query lead to the version they were made for', async () => {
    const link = await linking({ schemes: pathQuery(), ...DEFAULTED })
    const server = await app({ schemes: pathQuery(), ...DEFAULTED }, routes)
    for (const from of ['/v2/users', '/users?version=v2']) {
      for (const name of ['users', 'in-path:users', 'health']) {
        expect(await outcome(server, await link(from, {}, [name]))).toBe('v2')
      }
    }
  })

  test.each<[path: string, headers: Record<string, string>, ask: Ask, link: string]>([
    ['/v1/users', {}, ['users'], '/v1/users'],
    ['/v1/users', {}, ['users', V2], '/v2/users'],
    ['/v1/users', {}, ['health'], '/health'],
    ['/health', header('v2'), ['users'], '/v2/users'],
    ['/health', {}, ['users'], '/v1/users'],
    ['/health', header('v1'), ['users', V2], '/v2/users'],
  ])('namespace and header: %s %j %j: %s', async (path, headers, ask, link) => {
    const table = namedRoutes({ health: '/health' })
      .include('/v1', namedRoutes({ users: '/users' }), { namespace: 'v1' })
      .include('/v2', namedRoutes({ users: '/users' }), { namespace: 'v2' })
    const schemes = [new NamespaceVersioning(), new HeaderVersioning()]
    expect(await (await linking({ schemes, ...DEFAULTED }, table))(path, headers, ask)).toBe(link)
  })

  test.each<[path: string, headers: Record<string, string>, ask: Ask, link: string]>([
    ['/v2/users', {}, ['in-path:users'], '/v2/users'],
    ['/users?version=v2', {}, ['users'], '/users?version=v2'],
    ['/users', header('v2'), ['users'], '/users'],
    ['/users', header('v2'), ['in-path:users'], '/v2/users'],
    ['/users', header('v1'), ['users', V2], '/users?version=v2'],
    ['/users?version=v2', header('v2'), ['users'], '/users?version=v2'],
  ])('a combination within one: %s %j %j: %s', async (path, headers, ask, link) => {
    const schemes = [new CombinedVersioning({ schemes: pathQuery() }), new HeaderVersioning()]
    expect(await (await linking({ schemes, ...DEFAULTED }))(path, headers, ask)).toBe(link)
  })

  test.each<[title: string, ask: Ask, message: string]>([
    ['a name that is none', ['userss'], 'No route named "userss". Did you mean "users"?'],
    ['a name that is none, in a version', ['userss', V2], 'No route named "userss". Did you mean "users"?'],
  ])('%s is told once', async (_title, ask, message) => {
    const link = await linking({ schemes: pathQuery(), ...DEFAULTED })
    for (const path of ['/v1/users', '/users?version=v1', '/users']) expect(await link(path, {}, ask)).toBe(message)
  })

  test('"version" where no scheme can carry it', async () => {
    const link = await linking({ schemes: [new HeaderVersioning(), new AcceptHeaderVersioning()], ...DEFAULTED })
    expect(await link('/users', {}, ['users', V2])).toBe(
      'CombinedVersioning keeps no version in URLs, so "version" cannot choose one.',
    )
    expect(await link('/users', header('v2'), ['users'])).toBe('/users')
  })

  test('"version" that no scheme has a place for', async () => {
    const link = await linking({ schemes: [new HostNameVersioning(), new HeaderVersioning()], ...DEFAULTED })
    const message = 'The host of this request has no place for a version.'
    expect(await link('/users', { Host: 'localhost' }, ['users', { ...V2, absolute: true }])).toBe(message)
  })

  test('by hand to another version, where no scheme can carry it', () => {
    const scheme = new CombinedVersioning({ schemes: [new HeaderVersioning()] })
    expect(() => scheme.reverse('users', { version: 'v2' })).toThrow(NoReverseMatch)
  })
})

describe('a child that is a scheme of one’s own', () => {
  const named = async (determineVersion: () => unknown) => {
    class Own extends BaseVersioning {
      override determineVersion = determineVersion as () => string
    }
    const scheme = new CombinedVersioning({ schemes: [new Own()], defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
    const server = await serve((app) => app.use(versioning({ scheme }), (req, res) => void res.json(req.version)))
    const { status, json } = await server.get('/')
    return status === 200 ? json : [status, (json as { error: string }).error]
  }

  test('that gives no string is a programmer error', async () => {
    expect(await named(() => 2)).toEqual([500, 'Own: a version is a string; got 2.'])
  })
})
