import type { Request } from 'express'
import * as library from 'express-versioning'
import { BaseVersioning, byVersion, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { Surveyor } from '../../src/survey/survey'
import { include, respond, type Table, table } from '../support/tables'

const { HeaderVersioning, HostNameVersioning, URLPathVersioning } = library
const allowedVersions = ['v1', 'v2']
const shared = { allowedVersions, defaultVersion: 'v2' }
const header = { scheme: HeaderVersioning, allowedVersions }

/** Returns the operations of each version: method, name, and the ways to request it. */
function found(options: VersioningOptions, mount?: string, addresses?: 'all'): string[] {
  const { versions, operations } = new Surveyor('test', options, mount, addresses).survey
  const linesIn = ({ version }: { version: string }) =>
    operations.flatMap(({ method, viewName, served }) =>
      (served.get(version)?.addresses ?? []).map(({ path, carrier, required }) => {
        const text = path.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
        const carried = carrier === undefined ? '' : ` ${carrier.in} ${carrier.name ?? ''}=${carrier.value}`
        return `${method} ${viewName} ${text}${carried}${required ? '!' : ''}`
      }),
    )
  return versions.map((version) => linesIn(version).join(', '))
}

const one = (path = '/x') => table({ x: path })
class Waiting extends BaseVersioning {
  override readVersion = () => Promise.resolve(undefined)
}
class Asynchronous extends HeaderVersioning {
  override determineVersion = () => Promise.reject(new Error('No database'))
}
const throwing = (error: unknown) =>
  class extends HeaderVersioning {
    override readVersion = () => {
      throw error
    }
  }
const combined = (...schemes: BaseVersioning[]) => new library.CombinedVersioning({ schemes, ...shared })
const pathOrMore = combined(new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning())
const waits = combined(new Asynchronous(), new URLPathVersioning())
const headerOrPath = combined(new HeaderVersioning(), new URLPathVersioning())
const hostOrPath = combined(new HostNameVersioning(), new URLPathVersioning())
const pathOrHost = combined(new URLPathVersioning(), new HostNameVersioning())
const pattern = new HostNameVersioning({ ...shared, hostnamePattern: /^a-(\w+)/ })
// Each version's ways: the path, and what carries the version beside it, with `!` if it is required. v2 is the default.
interface Ways {
  readonly v1: readonly string[]
  readonly v2: readonly string[]
}
interface Case {
  readonly by: string
  readonly scheme: VersioningOptions['scheme']
  readonly mount: string
  readonly path: string
  readonly all: Ways
  /** The ways of the first carrier, if there are others. */
  readonly first?: Ways
}
test.each<Case>([
  { by: 'a host that none can fill in', scheme: pattern, mount: '/', path: '/x', all: { v1: [], v2: ['/x'] } },
  {
    by: 'the path',
    scheme: URLPathVersioning,
    mount: '/',
    path: '{/:version}/x',
    all: { v1: ['/v1/x'], v2: ['/v2/x', '/x'] },
    first: { v1: ['/v1/x'], v2: ['/v2/x'] },
  },
  { by: 'a wildcard', scheme: URLPathVersioning, mount: '/', path: '/*version', all: { v1: [], v2: [] } },
  {
    by: 'a mount',
    scheme: URLPathVersioning,
    mount: '/:version/a/{:b}',
    path: '/x{/:id}',
    all: { v1: ['/v1/a/x/{id}', '/v1/a/x'], v2: ['/v2/a/x/{id}', '/v2/a/x'] },
  },
  {
    by: 'the path as :v',
    scheme: new URLPathVersioning({ ...shared, versionParam: 'v' }),
    mount: '/api{/:v}{/more}',
    path: '/x',
    all: { v1: ['/api/v1/x'], v2: ['/api/v2/x'] },
  },
  {
    by: 'a path, a host or a header',
    scheme: pathOrMore,
    mount: '/',
    path: '{/:version}/x',
    all: { v1: ['/v1/x', '/x header X-API-Version=v1!'], v2: ['/v2/x', '/x header X-API-Version=v2'] },
    first: { v1: ['/v1/x'], v2: ['/v2/x'] },
  },
  {
    by: 'a header or a path',
    scheme: headerOrPath,
    mount: '/',
    path: '{/:version}/x{/:id}',
    all: {
      v1: ['/v1/x/{id}', '/v1/x', '/x/{id} header X-API-Version=v1!', '/x header X-API-Version=v1!'],
      v2: ['/v2/x/{id}', '/v2/x', '/x/{id} header X-API-Version=v2', '/x header X-API-Version=v2'],
    },
    first: {
      v1: ['/x/{id} header X-API-Version=v1!', '/x header X-API-Version=v1!'],
      v2: ['/x/{id} header X-API-Version=v2', '/x header X-API-Version=v2'],
    },
  },
  {
    by: 'a path with letters in front',
    scheme: pathOrHost,
    mount: '/',
    path: '{/v-:version}/x',
    all: { v1: ['/v-v1/x', '/x host =v1!'], v2: ['/v-v2/x', '/x host =v2'] },
    first: { v1: ['/v-v1/x'], v2: ['/v-v2/x'] },
  },
  {
    by: 'a host or a path: a document may have no host',
    scheme: hostOrPath,
    mount: '/',
    path: '{/:version}/x',
    all: { v1: ['/v1/x', '/x host =v1!'], v2: ['/v2/x', '/x host =v2'] },
    first: { v1: ['/v1/x'], v2: ['/v2/x'] },
  },
  { by: 'a scheme that waits', scheme: Waiting, mount: '/', path: '/x', all: { v1: [], v2: ['/x'] } },
  {
    by: 'one that waits and can say a version',
    scheme: Asynchronous,
    mount: '/',
    path: '/x',
    all: { v1: ['/x header X-API-Version=v1!'], v2: ['/x header X-API-Version=v2'] },
  },
  {
    by: 'a combination that waits',
    scheme: waits,
    mount: '/',
    path: '{/:version}/x',
    all: { v1: ['/v1/x', '/x header X-API-Version=v1!'], v2: ['/v2/x', '/x header X-API-Version=v2'] },
    first: { v1: ['/x header X-API-Version=v1!'], v2: ['/x header X-API-Version=v2'] },
  },
  {
    by: 'a combination that waits, mounted',
    scheme: waits,
    mount: '/:version',
    path: '/x',
    all: { v1: ['/v1/x'], v2: ['/v2/x'] },
  },
  {
    by: 'a scheme that throws null',
    scheme: throwing(null),
    mount: '/',
    path: '/x',
    all: { v1: ['/x header X-API-Version=v1!'], v2: ['/x header X-API-Version=v2'] },
  },
  {
    by: 'a scheme that rejects everything',
    scheme: throwing(new library.NotAcceptable('Rejected')),
    mount: '/',
    path: '/x',
    all: { v1: [], v2: [] },
  },
])('the ways to ask by $by', ({ scheme, mount, path, all, first = all }) => {
  const settings = typeof scheme === 'object' ? {} : shared
  const options = { scheme, ...settings, routes: one(path) }
  const told = (addresses?: 'all') => found(options, mount, addresses).map((lines) => lines.replaceAll('GET x ', ''))
  expect(told('all')).toEqual([all.v1.join(', '), all.v2.join(', ')])
  expect(told()).toEqual([first.v1.join(', '), first.v2.join(', ')])
})

test('an optional prefix takes no address of another route', () => {
  const routes = include('{/:version}', table({ page: '/:page', article: '/articles/:page' }))
  expect(found({ scheme: URLPathVersioning, ...shared, routes }, '/', 'all')).toEqual([
    'GET page /v1/{page}, GET article /v1/articles/{page}',
    'GET page /v2/{page}, GET page /{page}, GET article /v2/articles/{page}, GET article /articles/{page}',
  ])
})

test('a custom scheme may read a described request', () => {
  const seen: unknown[][] = []
  class Own extends HeaderVersioning {
    override readVersion(req: Request) {
      const headers = [req.get('X-API-VERSION'), req.header('x-api-version'), req.headers['x-api-version']]
      seen.push([...headers, req.get('constructor'), req.app.get('x'), req.hostname, req.resolverMatch?.viewName])
      return super.readVersion(req)
    }
  }
  new Surveyor('test', { scheme: Own, allowedVersions, routes: one('/x/:id') }, '/api').survey
  for (const v of allowedVersions) expect(seen).toContainEqual([v, v, v, undefined, undefined, 'example.com', 'x'])
})

const spaces = include('/', one(), 'v1', include('/', one(), 'v2', one('/none')))
const methods = namedRoutes({ all: '/a', both: '/both', none: '/none', one: '/y/1', any: '/y/:id' })
methods.route('all').all(respond)
methods.route('both').all(respond).head(respond)
for (const name of ['one', 'any'] as const) methods.route(name).get(respond)
const byHandler = namedRoutes({ keyed: '/keyed', lower: '/lower', rest: '/rest', other: '/KEYED/' })
byHandler.route('keyed').get(byVersion({ v1: respond, v2: respond }), byVersion({ v1: respond }))
byHandler.route('lower').get(byVersion({ v1: respond }, { fallback: 'lower' }))
byHandler.route('rest').get(byVersion({ v1: respond }, { otherwise: respond }))
byHandler.route('other').get(respond).post(respond)
const health = table({ health: '/health', again: '/health', list: '/list{/:page}', page: '/:version/page' })
// `/g/1` and `/v1/` could be read as `home` with the versions `g` and none, and are not.
const behind = table({ home: '/{:x}', item: '/g/:id' }).add('root', '/')
behind.route('root').post(respond)

const history = (marks: object) => versionHistory('v1').version('v2', change('c', marks as never))
const changes = history({ 'GET later': 'added' })
const ahead = { scheme: HeaderVersioning, routes: table({ later: '/x', plain: '/x' }), changes }
const byPath = { ...header, scheme: URLPathVersioning }
const neutral = ['keyed', 'lower', 'rest', 'other']
const apis: Record<string, VersioningOptions> = {
  hidden: { scheme: library.NamespaceVersioning, changes: history({ 'GET v2:x': 'added' }), routes: spaces },
  methods: { ...header, routes: methods },
  handlers: { ...header, routes: byHandler },
  neutral: { ...header, allowedVersions: ['v1', null, 'v2'], routes: byHandler, neutral },
  health: { ...header, routes: health, neutral: ['/health', '/list'] },
  versioned: { ...byPath, routes: health, neutral: ['page'] },
  optional: { ...byPath, routes: include('{/:version}', behind), neutral: ['home'] },
  skipped: { ...ahead, neutral: ['plain'] },
  unskipped: { ...ahead, neutral: ['/x'] },
  unwritable: { ...byPath, allowedVersions: ['a/b', '..'], routes: one('/:version/x') },
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} all /a`)
const NOT_KEYED = ['GET lower /lower by header', 'GET rest /rest by header', 'POST other /KEYED/ by header']
const HEALTH = [
  'GET health /health',
  'GET list /list/{page} by header',
  'GET list /list',
  'GET page /{version}/page by header',
]
const OPTIONAL = ['GET home /{x}', 'GET home /']

test.each<[name: string, first: string[], second?: string[]]>([
  ['hidden', [], ['GET v2:x /x']],
  ['methods', [...METHODS, 'HEAD both /both', 'GET one /y/1', 'GET any /y/{id}'].map((one) => `${one} by header`)],
  ['handlers', ['GET keyed /keyed by header', ...NOT_KEYED], NOT_KEYED],
  ['neutral', ['GET rest /rest', 'POST other /KEYED/']],
  ['health', HEALTH],
  ['versioned', ['GET page /v1/page'], ['GET page /v2/page']],
  [
    'optional',
    [...OPTIONAL, 'GET item /v1/g/{id}', 'POST root /v1/'],
    [...OPTIONAL, 'GET item /v2/g/{id}', 'POST root /v2/'],
  ],
  ['skipped', ['GET plain /x by header'], ['GET later /x by header']],
  ['unskipped', ['GET later /x']],
  ['unwritable', ['GET x /a%2Fb/x'], []],
])('the operations of %s in both versions', (name, first, second = first) => {
  const told = found(apis[name] as VersioningOptions)
  const short = told.map((lines) => lines.replaceAll(/ header X-API-Version=v[12]!/g, ' by header'))
  expect(short).toEqual([first.join(', '), second.join(', ')])
})

// One table at several places, and the operations that are left of it in v1: their names, patterns and carriers.
const again = (...places: [prefix: string, namespace?: string][]) => {
  const [child, outer] = [table({ x: '/x{/:id}' }), namedRoutes({}) as Table]
  for (const [prefix, namespace] of places) include(prefix, child, namespace, outer)
  return outer
}
const { NamespaceVersioning } = library
const namespaceOrHeader = combined(new NamespaceVersioning(), new HeaderVersioning())
const headerOrNamespace = combined(new HeaderVersioning(), new NamespaceVersioning())
const [v1, v2] = [['/v1', 'v1'] as [string, string], ['/v2', 'v2'] as [string, string]]
const apart = again(['{/:version}/a', 'a'], ['/b', 'b'])
const otherHandlers = include('/:version', table({ x: '/x' }), 'named', table({ x: '/x' }))
otherHandlers.route('x').get(() => {})
test.each<[string, VersioningOptions['scheme'], Table, ...left: string[]]>([
  ['namespaces', namespaceOrHeader, again(v1, v2, ['/']), 'v1:x /v1/x{/:id}'],
  ['a header', headerOrNamespace, again(v1, v2, ['/']), 'x /x{/:id} header'],
  ['a prefix', pathOrMore, again(['/'], ['/:version', 'named']), 'named:x /:version/x{/:id}'],
  ['a header instead of a prefix', headerOrPath, again(['/'], ['/:version', 'named']), 'x /x{/:id} header'],
  ['an optional prefix', pathOrMore, again(['/a{/:version}']), 'x /a/:version/x{/:id}'],
  ['no optional prefix', headerOrPath, again(['/a{/:version}']), 'x /a/x{/:id} header'],
  ['other places of one table', pathOrMore, apart, 'a:x /:version/a/x{/:id}', 'b:x /b/x{/:id} header'],
  ['the default version', new NamespaceVersioning(shared), again(v2, v1, ['/']), 'v1:x /v1/x{/:id}'],
  ['other handlers of one name', pathOrMore, otherHandlers, 'x /x header', 'named:x /:version/x'],
])('a table that stands at several places is shown once: by %s', (_by, scheme, routes, ...left) => {
  const { operations } = new Surveyor('test', { scheme, routes }).survey
  const told = operations.flatMap(({ method, viewName, pattern, served }) => {
    const ways = served.get('v1')?.addresses.map(({ carrier }) => carrier?.in ?? '')
    return method !== 'GET' || ways === undefined ? [] : [`${viewName} ${pattern} ${[...new Set(ways)]}`.trim()]
  })
  expect(told).toEqual(left)
})

test('a neutral route is shown without a version in its path, and at each place of its namespaces', () => {
  const scheme = combined(new NamespaceVersioning(), new URLPathVersioning())
  const routes = again(v1, v2, ['{/:version}'])
  const told = found({ scheme, routes, neutral: ['v1:x', 'v2:x', 'x'] })
  expect(told[0]).toBe(
    'GET v1:x /v1/x/{id}, GET v1:x /v1/x, GET v2:x /v2/x/{id}, GET v2:x /v2/x, GET x /x/{id}, GET x /x',
  )
})

const unlisted = 'test needs the option "allowedVersions" of versioning(), or a history of "changes".'
test.each<[options: object, mount: unknown, message: string, addresses?: string]>([
  [header, '/', 'test needs the option "routes" of versioning(), the table.'],
  [{ scheme: HeaderVersioning, routes: one() }, '/', unlisted],
  [{ ...header, allowedVersions: [null], routes: one() }, '/', unlisted],
  [{ ...header, routes: one() }, 7, 'test: option "mount" takes a path (a string); got 7.'],
  [{ ...header, routes: one() }, '/', `test: option "addresses" takes 'all', or is left out; got 'first'.`, 'first'],
])('%j at %j is a TypeError', (options, mount, message, addresses = undefined) => {
  const make = () => new Surveyor('test', options as VersioningOptions, mount as string, addresses as 'all')
  expect(make).toThrow(new TypeError(message))
})
