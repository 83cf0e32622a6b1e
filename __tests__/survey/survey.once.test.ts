import {
  AcceptHeaderVersioning,
  BaseVersioning,
  byVersion,
  CombinedVersioning,
  deprecated,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  NotAcceptable,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { Surveyor } from '../../src/survey/survey'

const answer = () => {}
const allowedVersions = ['v1', 'v2']

/** Returns the operations of each version: method, name, and the ways to request it. */
function found(options: VersioningOptions, mount?: string): Record<string, string[]> {
  const { survey } = new Surveyor('test', options, mount)
  return Object.fromEntries(
    survey.versions.map(({ version }) => [
      version,
      survey.operations.flatMap(({ method, viewName, served }) =>
        (served.get(version)?.addresses ?? []).map(({ path, carrier, required }) => {
          const text = path.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
          const carried = carrier === undefined ? '' : ` ${carrier.in} ${carrier.name ?? ''}=${carrier.value}`
          return `${method} ${viewName} ${text}${carried}${required ? '!' : ''}`
        }),
      ),
    ]),
  )
}

const one = (path = '/x') => {
  const routes = namedRoutes({ x: path })
  routes.route('x').get(answer)
  return routes
}

describe('how a route is asked for in each version', () => {
  const table = (prefix: string) => namedRoutes({}).include(prefix, one())
  const namespaced = () =>
    namedRoutes({}).include('/v1', one(), { namespace: 'v1' }).include('/v2', one(), { namespace: 'v2' })
  const pinned = class extends BaseVersioning {
    override readVersion() {
      return Promise.resolve(undefined)
    }
  }
  const asynchronous = class extends HeaderVersioning {
    override determineVersion() {
      return Promise.reject(new Error('No database'))
    }
  }
  const failing = class extends HeaderVersioning {
    override readVersion(): string {
      throw new TypeError('No session')
    }
  }
  const needy = class extends HeaderVersioning {
    override readVersion(): string {
      throw new NotAcceptable('Refused')
    }
  }
  const shared = { allowedVersions, defaultVersion: 'v2' }
  const cases: Readonly<Record<string, [VersioningOptions, Record<string, string[]>, mount?: string]>> = {
    'a header': [
      { scheme: HeaderVersioning, allowedVersions, routes: one() },
      { v1: ['GET x /x header X-API-Version=v1!'], v2: ['GET x /x header X-API-Version=v2!'] },
    ],
    'a header, with a default': [
      { scheme: HeaderVersioning, ...shared, routes: one() },
      { v1: ['GET x /x header X-API-Version=v1!'], v2: ['GET x /x header X-API-Version=v2'] },
    ],
    Accept: [
      { scheme: AcceptHeaderVersioning, ...shared, routes: one() },
      {
        v1: ['GET x /x header Accept=application/json; version=v1!'],
        v2: ['GET x /x header Accept=application/json; version=v2'],
      },
    ],
    'a media type': [
      {
        scheme: new MediaTypeVersioning({ template: 'application/vnd.{version}+json', allowedVersions }),
        routes: one(),
      },
      {
        v1: ['GET x /x header Accept=application/vnd.v1+json!'],
        v2: ['GET x /x header Accept=application/vnd.v2+json!'],
      },
    ],
    'the query': [
      { scheme: QueryParameterVersioning, ...shared, versionParam: 'a b', routes: one() },
      { v1: ['GET x /x query a b=v1!'], v2: ['GET x /x query a b=v2'] },
    ],
    'the host': [
      { scheme: HostNameVersioning, ...shared, routes: one() },
      { v1: ['GET x /x host =v1!'], v2: ['GET x /x host =v2'] },
    ],
    'a host pattern, which nobody can fill in': [
      { scheme: new HostNameVersioning({ ...shared, hostnamePattern: /^api-(\w+)/ }), routes: one() },
      { v1: [], v2: ['GET x /x'] },
    ],
    'the path': [
      { scheme: URLPathVersioning, ...shared, routes: table('/:version') },
      { v1: ['GET x /v1/x'], v2: ['GET x /v2/x'] },
    ],
    'the path, optionally': [
      { scheme: URLPathVersioning, ...shared, routes: table('{/:version}') },
      { v1: ['GET x /v1/x'], v2: ['GET x /v2/x', 'GET x /x'] },
    ],
    'the path, without a place in it': [
      { scheme: URLPathVersioning, ...shared, routes: one() },
      { v1: [], v2: ['GET x /x'] },
    ],
    'the path, with a version that no path can hold': [
      { scheme: URLPathVersioning, allowedVersions: ['a/b', '..'], routes: table('/:version') },
      { 'a/b': ['GET x /a%2Fb/x'], '..': [] },
    ],
    'the path, where the version is a wildcard': [
      { scheme: URLPathVersioning, ...shared, routes: one('/*version') },
      { v1: [], v2: [] },
    ],
    'the mount': [
      { scheme: URLPathVersioning, ...shared, routes: one() },
      { v1: ['GET x /api/v1/x'], v2: ['GET x /api/v2/x'] },
      '/api/:version/',
    ],
    'the mount, optionally': [
      { scheme: new URLPathVersioning({ ...shared, versionParam: 'v' }), routes: one() },
      { v1: ['GET x /api/v1/x'], v2: ['GET x /api/v2/x'] },
      '/api{/:v}{/more}',
    ],
    'a mount that ends in an optional part': [
      { scheme: HeaderVersioning, allowedVersions, routes: one('{/:id}') },
      {
        v1: ['GET x /a/{id} header X-API-Version=v1!', 'GET x /a/ header X-API-Version=v1!'],
        v2: ['GET x /a/{id} header X-API-Version=v2!', 'GET x /a/ header X-API-Version=v2!'],
      },
      '/a/{:b}',
    ],
    'the mount of a combination': [
      {
        scheme: new CombinedVersioning({
          schemes: [new HeaderVersioning(), new URLPathVersioning({ versionParam: 'v' })],
          ...shared,
        }),
        routes: one(),
      },
      { v1: ['GET x /v1/{tenant}/x'], v2: ['GET x /v2/{tenant}/x'] },
      '{/:v}/:tenant',
    ],
    namespaces: [
      { scheme: NamespaceVersioning, allowedVersions, routes: namespaced() },
      { v1: ['GET v1:x /v1/x'], v2: ['GET v2:x /v2/x'] },
    ],
    'namespaces, and none': [
      {
        scheme: NamespaceVersioning,
        ...shared,
        routes: namespaced().add('home', '/').include('/y', one('/y').add('unused', '/z')),
      },
      { v1: ['GET v1:x /v1/x'], v2: ['GET v2:x /v2/x', 'GET x /y/y'] },
    ],
    'a combination: what the path names needs no more': [
      {
        scheme: new CombinedVersioning({
          schemes: [new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning()],
          ...shared,
        }),
        routes: table('{/:version}'),
      },
      {
        v1: ['GET x /v1/x', 'GET x /x header X-API-Version=v1!'],
        v2: ['GET x /v2/x', 'GET x /x header X-API-Version=v2'],
      },
    ],
    'a combination of hosts': [
      { scheme: new CombinedVersioning({ schemes: [new HostNameVersioning()], allowedVersions }), routes: one() },
      { v1: ['GET x /x host =v1!'], v2: ['GET x /x host =v2!'] },
    ],
    'a scheme that waits, and cannot say a version': [
      { scheme: pinned, ...shared, routes: one() },
      { v1: [], v2: ['GET x /x'] },
    ],
    'a scheme that waits, and can': [
      { scheme: asynchronous, ...shared, routes: one() },
      { v1: ['GET x /x header X-API-Version=v1!'], v2: ['GET x /x header X-API-Version=v2'] },
    ],
    'a combination that waits': [
      {
        scheme: new CombinedVersioning({ schemes: [new asynchronous(), new URLPathVersioning()], ...shared }),
        routes: table('{/:version}'),
      },
      {
        v1: ['GET x /v1/x', 'GET x /x header X-API-Version=v1!'],
        v2: ['GET x /v2/x', 'GET x /x header X-API-Version=v2'],
      },
    ],
    'a combination that waits, in the mount': [
      {
        scheme: new CombinedVersioning({ schemes: [new asynchronous(), new URLPathVersioning()], ...shared }),
        routes: one(),
      },
      { v1: ['GET x /v1/x'], v2: ['GET x /v2/x'] },
      '/:version',
    ],
    'a scheme that needs more of a request': [
      { scheme: failing, ...shared, routes: one() },
      { v1: ['GET x /x header X-API-Version=v1!'], v2: ['GET x /x header X-API-Version=v2'] },
    ],
    'a scheme that refuses everything': [
      { scheme: needy, ...shared, routes: one() },
      { v1: [], v2: [] },
    ],
  }

  test.each(Object.entries(cases))('%s', (_name, [options, expected, mount]) => {
    expect(found(options, mount)).toEqual(expected)
  })
})

describe("what a scheme of one's own may read of a request", () => {
  test.each<[what: string, read: (req: import('express').Request) => unknown, string | undefined]>([
    ['get()', (req) => req.get('X-API-VERSION'), 'v2'],
    ['header()', (req) => req.header('x-api-version'), 'v2'],
    ['a header that is not there', (req) => req.get('constructor'), undefined],
    ['headers', (req) => req.headers['x-api-version'], 'v2'],
    ['hostname', (req) => req.hostname, 'example.com'],
    ['resolverMatch', (req) => req.resolverMatch?.viewName, 'x'],
    ['app.get()', (req) => req.app.get('trust proxy fn'), undefined],
  ])('%s', (_what, read, expected) => {
    const seen: unknown[] = []
    class Own extends HeaderVersioning {
      override readVersion(req: import('express').Request) {
        seen.push(read(req))
        return super.readVersion(req)
      }
    }
    new Surveyor('test', { scheme: Own, allowedVersions, routes: one('/x/:id') }, '/api').survey
    if (expected === undefined) expect(seen.filter(Boolean)).toEqual([])
    else expect(seen).toContain(expected)
  })
})

describe('which operations are there', () => {
  const header = { scheme: HeaderVersioning, allowedVersions }
  const names = (options: VersioningOptions) =>
    Object.fromEntries(
      Object.entries(found(options)).map(([version, lines]) => [
        version,
        lines.map((line) => line.split(' ').slice(0, 3).join(' ')),
      ]),
    )

  test('of .all() alone, five; beside others, its handlers are middleware', () => {
    const routes = namedRoutes({ a: '/a', b: '/b', none: '/none' })
    routes.route('a').all(answer)
    routes.route('b').all(answer).get(answer).head(answer)
    const { v1 } = names({ ...header, routes })
    const all = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} a /a`)
    expect(v1).toEqual([...all, 'GET b /b', 'HEAD b /b'])
  })

  test('of a route without a version, those alone that serve none', () => {
    const routes = namedRoutes({ keyed: '/keyed', lower: '/lower', rest: '/rest' })
    routes.route('keyed').get(byVersion({ v1: answer }))
    routes.route('lower').get(byVersion({ v1: answer }, { fallback: 'lower' }))
    routes.route('rest').get(byVersion({ v1: answer }, { otherwise: answer }))
    const neutral = ['keyed', 'lower', 'rest']
    const options = { ...header, allowedVersions: ['v1', null, 'v2'], routes, neutral }
    expect(names(options)).toEqual({ v1: ['GET rest /rest'], v2: ['GET rest /rest'] })
  })

  test('what a history added and removed', () => {
    const routes = namedRoutes({ a: '/a', b: '/b' })
    routes.route('a').get(answer).post(answer)
    routes.route('b').get(answer)
    const changes = versionHistory('v1').version(
      'v2',
      change('One came, one went.', { 'POST a': 'added', 'GET b': 'removed' }),
    )
    const options = { scheme: HeaderVersioning, changes, routes }
    expect(names(options)).toEqual({ v1: ['GET a /a', 'GET b /b'], v2: ['GET a /a', 'POST a /a'] })
    expect(names({ ...options, neutral: ['/b'] }).v2).toContain('GET b /b')
    expect(new Surveyor('test', options).survey.versions.map(({ changes }) => changes)).toMatchObject([
      [],
      [{ description: 'One came, one went.' }],
    ])
  })

  test('of two routes on one path, the first that has the method; of a text and a parameter, both', () => {
    const routes = namedRoutes({ first: '/x/:id', second: '/X/:name/', one: '/y/1', any: '/y/:id' })
    routes.route('first').get(byVersion({ v1: answer }))
    routes.route('second').get(answer).post(answer)
    routes.route('one').get(answer)
    routes.route('any').get(answer)
    expect(names({ ...header, routes })).toEqual({
      v1: ['GET first /x/{id}', 'POST second /X/{name}/', 'GET one /y/1', 'GET any /y/{id}'],
      v2: ['POST second /X/{name}/', 'GET one /y/1', 'GET any /y/{id}'],
    })
  })

  test('a neutral one in every version, without a carrier, unless another route is before it', () => {
    const routes = namedRoutes({ health: '/health', again: '/health', list: '/list{/:page}', page: '/:version/page' })
    for (const name of ['health', 'again', 'list', 'page'] as const) routes.route(name).get(answer)
    const options = { ...header, routes, neutral: ['/health', '/list'] }
    expect(found(options)).toEqual(
      Object.fromEntries(
        allowedVersions.map((version) => [
          version,
          [
            'GET health /health',
            `GET list /list/{page} header X-API-Version=${version}!`,
            'GET list /list',
            `GET page /{version}/page header X-API-Version=${version}!`,
          ],
        ]),
      ),
    )
    expect(new Surveyor('test', options).survey.operations.map(({ neutral }) => neutral)).toEqual([
      true,
      true,
      false,
      true,
      false,
    ])
    const byPath = { scheme: URLPathVersioning, allowedVersions, routes, neutral: ['page'] }
    expect(found(byPath).v2).toContain('GET page /v2/page')
  })
})

describe('as of now', () => {
  afterEach(() => {
    jest.useRealTimers()
  })

  test('kept until a date is reached, of a version or a route, and where the clock is set back', () => {
    jest.useFakeTimers({ now: Date.UTC(2026, 5, 1) })
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get(deprecated({ since: '2026-05-01', sunset: '2026-08-01' }), answer)
    const lifecycle = { v1: { deprecated: '2026-07-01' } }
    const surveyor = new Surveyor('test', { scheme: HeaderVersioning, allowedVersions, lifecycle, routes })
    const at = (month: number, day: number, ms = 0) => {
      jest.setSystemTime(Date.UTC(2026, month - 1, day) + ms)
      return surveyor.survey
    }
    const first = at(6, 1)
    expect(at(6, 30)).toBe(first)
    expect(at(5, 1)).toBe(first)
    const second = at(7, 1)
    expect(second).not.toBe(first)
    expect(second.versions[0]?.isDeprecated).toBe(true)
    expect(at(8, 1, -1)).toBe(second)
    const third = at(8, 1)
    expect(third).not.toBe(second)
    expect(at(12, 1)).toBe(third)
    expect(at(8, 1, -1)).not.toBe(third)
  })
})
