import type { Request } from 'express'
import * as library from 'express-versioning'
import { BaseVersioning, byVersion, namedRoutes, type VersioningOptions } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { Surveyor } from '../../src/survey/survey'
import { rows } from '../support/rows'
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
const SENT = '/x header X-API-Version=@!'
const SENT_BOTH = '/x/{id} header X-API-Version=@!, /x header X-API-Version=@!'
const HOSTED = '/x host =@!'

// `@` is the version. A carrier with `!` is required in v1; v2 is the default. Ways behind `v2:` are only in v2. The last column
// has the ways of the first carrier, if there are others.
test.each<[by: string, scheme: VersioningOptions['scheme'], mount: string, path: string, ways: string, first?: string]>(
  [
    ['a host that none can fill in', pattern, '/', '/x', 'v2:/x'],
    ['the path', URLPathVersioning, '/', '{/:version}/x', '/@/x, v2:/x', '/@/x'],
    ['a wildcard', URLPathVersioning, '/', '/*version', ''],
    ['a mount', URLPathVersioning, '/:version/a/{:b}', '/x{/:id}', '/@/a/x/{id}, /@/a/x'],
    ['the path as :v', new URLPathVersioning({ ...shared, versionParam: 'v' }), '/api{/:v}{/more}', '/x', '/api/@/x'],
    ['a path, a host or a header', pathOrMore, '/', '{/:version}/x', `/@/x, ${SENT}`, '/@/x'],
    ['a header or a path', headerOrPath, '/', '{/:version}/x{/:id}', `/@/x/{id}, /@/x, ${SENT_BOTH}`, SENT_BOTH],
    ['a path with letters in front', pathOrHost, '/', '{/v-:version}/x', `/v-@/x, ${HOSTED}`, '/v-@/x'],
    ['a host or a path: a document may have no host', hostOrPath, '/', '{/:version}/x', `/@/x, ${HOSTED}`, '/@/x'],
    ['a scheme that waits', Waiting, '/', '/x', 'v2:/x'],
    ['one that waits and can say a version', Asynchronous, '/', '/x', SENT],
    ['a combination that waits', waits, '/', '{/:version}/x', `/@/x, ${SENT}`, SENT],
    ['a combination that waits, mounted', waits, '/:version', '/x', '/@/x'],
    ['a scheme that throws null', throwing(null), '/', '/x', SENT],
    ['a scheme that rejects everything', throwing(new library.NotAcceptable('Rejected')), '/', '/x', ''],
  ],
)('the ways to ask by %s', (_by, scheme, mount, path, ways, first = ways) => {
  const settings = typeof scheme === 'object' ? {} : shared
  for (const [expected, addresses] of [[ways, 'all'], [first]] as [string, 'all'?][]) {
    const told = found({ scheme, ...settings, routes: one(path) }, mount, addresses)
    const v1 = expected.replace(/(, )?v2:.*/, '').replaceAll('@', 'v1')
    const v2 = expected.replaceAll(/v2:|!/g, '').replaceAll('@', 'v2')
    expect(told.map((lines) => lines.replaceAll('GET x ', ''))).toEqual([v1, v2])
  }
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

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} all /a @`).join(', ')
const AFTER = 'GET lower /lower @, GET rest /rest @, POST other /KEYED/ @'
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

// `@` is the header of the version. Without a last column, both versions have the same operations.
const OPERATIONS = rows(`
  hidden     | none | GET v2:x /x
  methods    | ${ALL}, HEAD both /both @, GET one /y/1 @, GET any /y/{id} @
  handlers   | GET keyed /keyed @, ${AFTER} | ${AFTER}
  neutral    | GET rest /rest, POST other /KEYED/
  health     | GET health /health, GET list /list/{page} @, GET list /list, GET page /{version}/page @
  versioned  | GET page /v1/page | GET page /v2/page
  optional   | GET home /{x}, GET home /, GET item /v1/g/{id}, POST root /v1/ | GET home /{x}, GET home /, GET item /v2/g/{id}, POST root /v2/
  skipped    | GET plain /x @ | GET later /x @
  unskipped  | GET later /x
  unwritable | GET x /a%2Fb/x | none
`)
test.each(OPERATIONS)('the operations of %s: %s', (name = '', first = '', second = first) => {
  const told = found(apis[name] as VersioningOptions)
  expect(told.map((lines) => lines.replaceAll(/ header [^,]*!/g, ' @') || 'none')).toEqual([first, second])
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
