import type { Request } from 'express'
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
import { rows } from '../support/rows'

const answer = () => {}
const allowedVersions = ['v1', 'v2']
const shared = { allowedVersions, defaultVersion: 'v2' }
const header = { scheme: HeaderVersioning, allowedVersions }

/** Returns the operations of each version: method, name, and the ways to request it. */
function found(options: VersioningOptions, mount?: string): Record<string, string> {
  const { survey } = new Surveyor('test', options, mount)
  return Object.fromEntries(
    survey.versions.map(({ version }) => {
      const lines = survey.operations.flatMap(({ method, viewName, served }) =>
        (served.get(version)?.addresses ?? []).map(({ path, carrier, required }) => {
          const text = path.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
          const carried = carrier === undefined ? '' : ` ${carrier.in} ${carrier.name ?? ''}=${carrier.value}`
          return `${method} ${viewName} ${text}${carried}${required ? '!' : ''}`
        }),
      )
      return [version, lines.join(' | ')]
    }),
  )
}

/** Builds a table of routes that all answer GET. */
const table = (paths: Record<string, string>) => {
  const routes = namedRoutes(paths)
  for (const name of Object.keys(paths)) routes.route(name).get(answer)
  return routes
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
const combined = (...schemes: BaseVersioning[]) => new CombinedVersioning({ schemes, ...shared })

describe('the ways to ask for a route in v1 and in v2', () => {
  const waiting = combined(new Asynchronous(), new URLPathVersioning())
  const three = combined(new URLPathVersioning(), new HostNameVersioning(), new HeaderVersioning())
  const schemes: Record<string, VersioningOptions['scheme']> = {
    'a header': HeaderVersioning,
    Accept: AcceptHeaderVersioning,
    'a media type': new MediaTypeVersioning({ template: 'application/vnd.{version}+json', ...shared }),
    'the query': QueryParameterVersioning,
    'the host': HostNameVersioning,
    'a host pattern, which nobody can fill in': new HostNameVersioning({ ...shared, hostnamePattern: /^a-(\w+)/ }),
    'the path': URLPathVersioning,
    'the path as :v': new URLPathVersioning({ ...shared, versionParam: 'v' }),
    'a header or the path as :v': combined(new HeaderVersioning(), new URLPathVersioning({ versionParam: 'v' })),
    'a path that names the version needs no more': three,
    'a combination of hosts': combined(new HostNameVersioning()),
    'a scheme that waits, and cannot say a version': Waiting,
    'a scheme that waits, and can': Asynchronous,
    'a combination that waits': waiting,
    'a scheme that needs more of a request': throwing(new TypeError('No session')),
    'a scheme that throws null': throwing(null),
    'a scheme that refuses everything': throwing(new NotAcceptable('Refused')),
  }
  // `@` is the version. A carrier with `!` is required in v1; v2 is the default. Ways behind `v2:` are only in v2.
  test.each(
    rows(`
      a header     | / | /x                | /x header X-API-Version=@!
      Accept       | / | /x                | /x header Accept=application/json; version=@!
      a media type | / | /x                | /x header Accept=application/vnd.@+json!
      the query    | / | /x                | /x query version=@!
      the host     | / | /x                | /x host =@!
      a host pattern, which nobody can fill in | / | /x | v2:/x
      the path     | / | /:version/x       | /@/x
      the path     | / | {/:version}/x     | /@/x, v2:/x
      the path     | / | /x                | v2:/x
      the path     | / | /*version         | no way
      the path     | /api/:version/ | /x   | /api/@/x
      the path     | /:version/a/{:b} | /x{/:id} | /@/a/x/{id}, /@/a/x
      the path as :v | /api{/:v}{/more} | /x | /api/@/x
      a header or the path as :v | {/:v}/:tenant | /x | /@/{tenant}/x
      a path that names the version needs no more | / | {/:version}/x | /@/x, /x header X-API-Version=@!
      a combination of hosts | / | /x      | /x host =@!
      a scheme that waits, and cannot say a version | / | /x | v2:/x
      a scheme that waits, and can | / | /x | /x header X-API-Version=@!
      a combination that waits | / | {/:version}/x | /@/x, /x header X-API-Version=@!
      a combination that waits | /:version | /x | /@/x
      a scheme that needs more of a request | / | /x | /x header X-API-Version=@!
      a scheme that throws null | / | /x   | /x header X-API-Version=@!
      a scheme that refuses everything | / | /x | no way
    `),
  )('%s, mounted at %s: %s', (name = '', mount, path, ways = '') => {
    const scheme = schemes[name] as VersioningOptions['scheme']
    const told = (version: string) =>
      (ways === 'no way' ? [] : ways.split(', '))
        .filter((way) => version === 'v2' || !way.startsWith('v2:'))
        .map((way) => `GET x ${way.replace('v2:', '').replace('@', version)}`)
        .join(' | ')
    const settings = typeof scheme === 'object' ? {} : shared
    const expected = { v1: told('v1'), v2: told('v2').replaceAll('!', '') }
    expect(found({ scheme, ...settings, routes: one(path) }, mount)).toEqual(expected)
  })

  test('namespaces lead to a version; without one, a route is of the default', () => {
    const routes = one('/none').include('/v1', one(), { namespace: 'v1' }).include('/v2', one(), { namespace: 'v2' })
    const ways = { v1: 'GET v1:x /v1/x', v2: 'GET x /none | GET v2:x /v2/x' }
    expect(found({ scheme: NamespaceVersioning, ...shared, routes })).toEqual(ways)
  })

  test('a route behind a later one on its path, which decides the version, has none', () => {
    const routes = namedRoutes({}).include('/', one(), { namespace: 'v2' }).include('/', one(), { namespace: 'v1' })
    const changes = versionHistory('v1').version('v2', change('x came.', { 'GET v2:x': 'added' }))
    expect(found({ scheme: NamespaceVersioning, changes, routes })).toEqual({ v1: '', v2: 'GET v2:x /x' })
  })

  test('versions that no path can hold have none', () => {
    const options = { scheme: URLPathVersioning, allowedVersions: ['a/b', '..'], routes: one('/:version/x') }
    expect(found(options)).toEqual({ 'a/b': 'GET x /a%2Fb/x', '..': '' })
  })
})

test('a custom scheme may read a described request', () => {
  const seen: string[] = []
  class Own extends HeaderVersioning {
    override readVersion(req: Request) {
      const headers = [req.get('X-API-VERSION'), req.header('x-api-version'), req.headers['x-api-version']]
      const others = [req.get('constructor'), req.app.get('trust proxy fn')]
      seen.push([...headers, ...others, req.hostname, req.resolverMatch?.viewName].map(String).join(' '))
      return super.readVersion(req)
    }
  }
  new Surveyor('test', { scheme: Own, allowedVersions, routes: one('/x/:id') }, '/api').survey
  for (const version of allowedVersions) {
    expect(seen).toContain(`${version} ${version} ${version} undefined undefined example.com x`)
  }
})

describe('the operations', () => {
  const names = (options: VersioningOptions) =>
    Object.values(found(options)).map((lines) => lines.replaceAll(/ header [^|]*!/g, ''))

  test('of .all() alone are five; beside others, its handlers are middleware', () => {
    const routes = namedRoutes({ a: '/a', b: '/b', none: '/none' })
    routes.route('a').all(answer)
    routes.route('b').all(answer).get(answer).head(answer)
    const all = 'GET a /a | POST a /a | PUT a /a | PATCH a /a | DELETE a /a | GET b /b | HEAD b /b'
    expect(names({ ...header, routes })).toEqual([all, all])
  })

  test('of a neutral route are those that serve no version', () => {
    const routes = namedRoutes({ keyed: '/keyed', lower: '/lower', rest: '/rest' })
    routes.route('keyed').get(byVersion({ v1: answer }))
    routes.route('lower').get(byVersion({ v1: answer }, { fallback: 'lower' }))
    routes.route('rest').get(byVersion({ v1: answer }, { otherwise: answer }))
    const neutral = ['keyed', 'lower', 'rest']
    const options = { ...header, allowedVersions: ['v1', null, 'v2'], routes, neutral }
    expect(found(options)).toEqual({ v1: 'GET rest /rest', v2: 'GET rest /rest' })
  })

  test('of a history are those that it added and did not remove', () => {
    const routes = table({ a: '/a', b: '/b' })
    routes.route('a').post(answer)
    const marked = change('One came, one went.', { 'POST a': 'added', 'GET b': 'removed' })
    const options = { scheme: HeaderVersioning, changes: versionHistory('v1').version('v2', marked), routes }
    expect(names(options)).toEqual(['GET a /a | GET b /b', 'GET a /a | POST a /a'])
    expect(names({ ...options, neutral: ['/b'] })[1]).toBe('GET a /a | POST a /a | GET b /b')
    const told = new Surveyor('test', options).survey.versions.map(({ changes }) => changes)
    expect(told).toEqual([[], [{ description: 'One came, one went.', shapes: [] }]])
  })

  test('of two routes on one path are those of the first; of a text and a parameter, both', () => {
    const routes = namedRoutes({ first: '/x/:id', second: '/X/:name/', one: '/y/1', any: '/y/:id' })
    routes.route('first').get(byVersion({ v1: answer }))
    routes.route('second').get(answer).post(answer)
    routes.route('one').get(answer)
    routes.route('any').get(answer)
    const others = 'POST second /X/{name}/ | GET one /y/1 | GET any /y/{id}'
    expect(names({ ...header, routes })).toEqual([`GET first /x/{id} | ${others}`, others])
  })

  test('of a neutral path need no carrier in any version, unless another route is before it', () => {
    const routes = table({ health: '/health', again: '/health', list: '/list{/:page}', page: '/:version/page' })
    const options = { ...header, routes, neutral: ['/health', '/list'] }
    const told = (version: string) =>
      `GET list /list/{page} @ | GET list /list | GET page /{version}/page @`
        .replaceAll('@', `header X-API-Version=${version}!`)
        .replace(/^/, 'GET health /health | ')
    expect(found(options)).toEqual({ v1: told('v1'), v2: told('v2') })
    const { operations } = new Surveyor('test', options).survey
    expect(operations.map(({ neutral }) => neutral)).toEqual([true, true, false, true, false])
    const byPath = { scheme: URLPathVersioning, allowedVersions, routes, neutral: ['page'] }
    expect(found(byPath).v2).toContain('GET page /v2/page')
  })
})

test('a survey is kept until a date of a version or a route is reached, or the clock is set back', () => {
  jest.useFakeTimers({ now: Date.UTC(2026, 5, 1) })
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get(deprecated({ since: '2026-05-01', sunset: '2026-08-01' }), answer)
  const surveyor = new Surveyor('test', { ...header, lifecycle: { v1: { deprecated: '2026-07-01' } }, routes })
  const surveys: unknown[] = []
  for (const [date = '', number, isDeprecated] of rows(`
    2026-06-01               | 0 | false
    2026-06-30               | 0 | false
    2026-05-01               | 0 | false
    2026-07-01               | 1 | true
    2026-07-31T23:59:59.999Z | 1 | true
    2026-08-01               | 2 | true
    2026-12-01               | 2 | true
    2026-07-31T23:59:59.999Z | 3 | true
  `)) {
    jest.setSystemTime(Date.parse(date))
    const { survey } = surveyor
    if (survey !== surveys.at(-1)) surveys.push(survey)
    const told = `${surveys.length - 1} ${survey.versions[0]?.isDeprecated}`
    expect([date, told]).toEqual([date, `${number} ${isDeprecated}`])
  }
  jest.useRealTimers()
})

const unlisted = 'test needs the option "allowedVersions" of versioning(), or a history of "changes".'
test.each<[options: object, mount: unknown, message: string]>([
  [header, '/', 'test needs the option "routes" of versioning(), the table.'],
  [{ scheme: HeaderVersioning, routes: one() }, '/', unlisted],
  [{ ...header, allowedVersions: [null], routes: one() }, '/', unlisted],
  [{ ...header, routes: one() }, 7, 'test: option "mount" takes a path (a string); got 7.'],
])('%j at %j is a TypeError', (options, mount, message) => {
  const make = () => new Surveyor('test', options as VersioningOptions, mount as string)
  expect(make).toThrow(new TypeError(message))
})
