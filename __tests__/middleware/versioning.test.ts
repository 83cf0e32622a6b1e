import type { Request, RequestHandler } from 'express'
import type { SchemeClass } from 'express-versioning'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { run } from '../support/dispatch'
import { serve } from '../support/serve'
import { inNamespaces, routed } from '../support/tables'

const { AcceptHeaderVersioning, BaseVersioning, HeaderVersioning, NamespaceVersioning, NoReverseMatch } = library
const { NotAcceptable, NotFound, namedRoutes, QueryParameterVersioning, URLPathVersioning } = library
const { VersioningError, versioning } = library

const byQuery = versioning({ scheme: QueryParameterVersioning })
const FRAMES = Error.stackTraceLimit
const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const later = <T>(value: T) => new Promise<T>((done) => setImmediate(done, value))

/** Runs the middleware, and returns the arguments of all calls of `next` and the version. */
async function nextCalls(determine: () => unknown, method = 'GET') {
  const calls: unknown[][] = []
  const middleware = versioning({ scheme: Object.assign(new BaseVersioning(), { determineVersion: determine }) })
  const through: RequestHandler = (req, res) => middleware(req, res, (...args: unknown[]) => void calls.push(args))
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
  const { req } = run(through, { url: '/', method, headers })
  // A second call would come by the turn after the first.
  await later(await later(undefined))
  return [calls, req.version]
}

const NO_VERSION = 'determineVersion() must return a string or null, or a promise of one; got'
test.each<[given: unknown, outcome: unknown]>([
  ['v1', 'v1'],
  ['', ''],
  [null, null],
  [undefined, null],
  [1, new TypeError(`${NO_VERSION} 1.`)],
  [{}, new TypeError(`${NO_VERSION} {}.`)],
])('determineVersion() or its promise gives %j: %j', async (given, outcome) => {
  const expected = outcome instanceof Error ? [[[outcome]], undefined] : [[[]], outcome]
  for (const determine of [() => given, () => later(given)]) expect(await nextCalls(determine)).toEqual(expected)
})

const failed = (told: string) => new Error(`determineVersion() failed with ${told}.`)
// Express would go on for the first ones. Preflights pass what is the client's fault.
test.each<[error: unknown, handed?: unknown, passes?: boolean]>([
  [undefined, failed('undefined')],
  ['route', failed("'route'")],
  ['router', failed("'router'")],
  [new Error('down')],
  [{ status: 399 }],
  [{ status: 500 }],
  [{ status: '404' }],
  [{ status: 400 }, undefined, true],
  [{ status: 499 }, undefined, true],
])('determineVersion() fails with %p', async (error, handed = error, passes = false) => {
  const fail = () => {
    throw error
  }
  for (const determine of [fail, () => Promise.reject(error), () => later(undefined).then(fail)]) {
    expect(await nextCalls(determine)).toEqual([[[handed]], undefined])
    expect(await nextCalls(determine, 'OPTIONS')).toEqual(passes ? [[[]], null] : [[[handed]], undefined])
  }
})

class Mock {
  readonly url = '/?version=v1'
  readonly headers = { accept: 'application/json; version=v1' }
  accepts(): string {
    return this.headers.accept
  }
}
const own = () => ({ ...new Mock(), accepts: Mock.prototype.accepts })
test.each([() => new Mock(), own])('a request of a mock, an instance or an object: %p', (make: () => object) => {
  const through = (scheme: SchemeClass, request: object) => {
    versioning({ scheme })(request as Request, { setHeader() {}, getHeader() {} } as never, () => {})
    return request as Request
  }
  const [request, other] = [make(), through(AcceptHeaderVersioning, make())]
  for (const _ of [1, 2]) expect(through(QueryParameterVersioning, request).version).toBe('v1')
  expect([other.version, other.accepts()]).toEqual(['v1', 'application/json'])
  expect(through(QueryParameterVersioning, { url: '/?version=v1', headers: {} })).not.toHaveProperty('accepts')
})

class Retired extends VersioningError {}
const retired = { status: 410, code: 'ERR_VERSION_RETIRED', version: 'v0', allowedVersions: ['v1'], cause: 'x' }
test.each<[library.VersioningError, name: string, message: string, status: number, code: string, hidden?: unknown[]]>([
  [new NotFound(), 'NotFound', 'Not found.', 404, 'ERR_VERSION_NOT_FOUND'],
  [new NotAcceptable(), 'NotAcceptable', 'Not acceptable.', 406, 'ERR_VERSION_NOT_ACCEPTABLE'],
  [new Retired('Retired.', retired), 'Retired', 'Retired.', 410, 'ERR_VERSION_RETIRED', ['v0', ['v1'], 'x']],
])('%s', (error, name, message, status, code, hidden = [undefined, [], undefined]) => {
  expect([error.name, error.message, String(error)]).toEqual([name, message, `${name}: ${message}`])
  expect({ ...error }).toEqual({ code, expose: true, status, statusCode: status })
  expect([error.version, error.allowedVersions, error.cause]).toEqual(hidden)
  expect([error.stack, Error.stackTraceLimit]).toEqual([error.stack?.split('\n')[0], FRAMES])
})

test('NoReverseMatch has a cause if one is given, and its status says whose fault it is', () => {
  const [bare, caused] = [new NoReverseMatch('No.', { status: 400 }), new NoReverseMatch('No.', { cause: 'x' })]
  expect({ ...bare }).toEqual({ code: 'ERR_NO_REVERSE_MATCH', status: 400, statusCode: 400, expose: true })
  expect([bare.failures, Object.hasOwn(bare, 'cause'), caused.cause, caused.expose]).toEqual([[], false, 'x', false])
})

const table = routed({ users: '/:version/users' }, tell)
const byPath = versioning({ scheme: URLPathVersioning, defaultVersion: 'v0', routes: table })
test.each<[what: string, params: object | undefined, version: string]>([
  ['are none', {}, 'v1'],
  ['have no object', undefined, 'v1'],
  ['have one without a value, as Express 4 writes a missing optional one', { version: undefined }, 'v1'],
  ['are others', { tenant: 'a' }, 'v1'],
  ['have the version, which counts', { version: 'v2', tenant: 'a' }, 'v2'],
])('parameters of the route beside a table: they %s', (_what, params, version) => {
  expect(run(byPath, { url: '/v1/users' }, { params } as object).req.version).toBe(version)
})

test('parameters that differ from the table’s did not come from its walk: the dispatched route is compared', async () => {
  const put: RequestHandler = (req, _res, next) => next(void Object.assign(req, { params: { version: req.query.as } }))
  const { get } = await serve((app) => app.get('/v1/users', put, byPath, table))
  expect(await get('/v1/users?as=v1')).toMatchObject({ status: 200, json: { version: 'v1' } })
  expect(await get('/v1/users?as=v2')).toMatchObject({ status: 404, json: { code: 'ERR_VERSION_NOT_FOUND' } })
})

const CANNOT = 'versioning() cannot set req.version: another middleware made one that cannot be replaced.'
test('the req.version of another middleware is replaced if it is configurable', async () => {
  const { get } = await serve((app) => {
    app.use((req, _res, next) => {
      next(void Object.defineProperty(req, 'version', { value: 'theirs', configurable: req.path === '/can' }))
    })
    app.use(byQuery, (req, res) => void res.json(req.version))
  })
  expect((await get('/can?version=1')).json).toBe('1')
  expect(await get('/cannot?version=1')).toMatchObject({ status: 500, json: { name: 'TypeError', error: CANNOT } })
})

test.each([true, false])('requests made by Object.create() are decided each by itself: %p', async (anew) => {
  const told: RequestHandler = (req, res) => void setImmediate(() => res.json([req.version, req.reverse('item')]))
  const item = () => routed({ item: '/item' }, told)
  const table = inNamespaces(namedRoutes({ batch: '/batch' }), { v1: item(), v2: item() })
  const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1', reportVersions: true, routes: table }
  const decide = versioning({ scheme: NamespaceVersioning, ...settings })
  const { get } = await serve((app) => {
    app.use(decide).get('/batch', async (req, res) => {
      const part = (url: string) =>
        new Promise((done) => {
          const inner = Object.create(req, { url: { value: url, writable: true }, method: { value: 'GET' } })
          const response = Object.create(res, { json: { value: done }, setHeader: { value: () => response } })
          const dispatch = () => table(inner, response, (error) => done((error as unknown as { code: string }).code))
          if (anew) decide(inner, response, dispatch)
          else dispatch()
        })
      res.json([...(await Promise.all(['/v1/item', '/v2/item', '/v1/item'].map(part))), req.version])
    })
  })
  const v2 = anew ? ['v2', '/v2/item'] : 'ERR_VERSION_NOT_FOUND'
  expect((await get('/batch')).json).toEqual([['v1', '/v1/item'], v2, ['v1', '/v1/item'], 'v1'])
})

test('the version that is set on a request made from another one is its own', async () => {
  const routes = namedRoutes({ item: '/item' })
  routes.route('item').get((req, res) => {
    const copy = Object.create(req)
    copy.version = 'v2'
    res.json([req.version, copy.version])
  })
  const decide = versioning({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' })
  const { get } = await serve((app) => app.use(decide, routes))
  expect((await get('/item')).json).toEqual(['v1', 'v2'])
})

test('a request that is made from another one changes no state of it', async () => {
  const changes = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added' }))
  const routes = namedRoutes({ me: '/users/me', user: '/users/:id' })
  routes.route('me').get((_req, res) => void res.json('me'))
  routes.route('user').get((req, res) => {
    const copy = Object.create(req)
    versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2' })(copy, res, () => {})
    res.json([req, copy].map(({ version, resolverMatch }) => `${version} ${resolverMatch?.viewName}`))
  })
  const decide = versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes })
  const { get } = await serve((app) => app.use(decide, routes))
  expect((await get('/users/me')).json).toEqual(['v1 user', 'v2 me'])
})
