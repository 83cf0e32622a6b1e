import { inspect } from 'node:util'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  NoReverseMatch,
  NotAcceptable,
  NotFound,
  namedRoutes,
  QueryParameterVersioning,
  type SchemeClass,
  URLPathVersioning,
  VersioningError,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'
import { serve } from '../support/serve'

const byQuery = new QueryParameterVersioning({ allowedVersions: ['v1'] })
const tell: RequestHandler = (req, res) => void res.json({ version: req.version })

/** Makes a scheme that decides by `determine`. */
function schemeOf(determine: () => unknown): BaseVersioning {
  class OwnVersioning extends BaseVersioning {
    override determineVersion = determine as BaseVersioning['determineVersion']
  }
  return new OwnVersioning()
}
const later = <T>(value: T) => new Promise<T>((done) => setImmediate(done, value))

describe('determineVersion()', () => {
  /** Runs the middleware, and returns the arguments of all calls of `next` and the version. */
  async function nextCalls(determine: () => unknown, method = 'GET') {
    const calls: unknown[][] = []
    const middleware = versioning({ scheme: schemeOf(determine) })
    const through: RequestHandler = (req, res) => middleware(req, res, (...args: unknown[]) => void calls.push(args))
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    const { req } = run(through, { url: '/', method, headers })
    // Long enough for a second call to be seen.
    await new Promise((done) => setTimeout(done, 5))
    return [calls, req.version]
  }
  const ways = (reason: unknown) => [
    () => {
      throw reason
    },
    () => Promise.reject(reason),
    () => later(undefined).then(() => Promise.reject(reason)),
  ]

  test.each(['v1', '', null, undefined])('%j or a promise of it is a version', async (given) => {
    for (const determine of [() => given, () => later(given)]) {
      expect(await nextCalls(determine)).toEqual([[[]], given ?? null])
    }
  })

  test.each([1, {}])('%j is no version', async (given) => {
    const told = `determineVersion() must return a string or null, or a promise of one; got ${inspect(given)}.`
    for (const determine of [() => given, () => later(given)]) {
      expect(await nextCalls(determine)).toEqual([[[new TypeError(told)]], undefined])
    }
  })

  test.each([undefined, null, 0, '', false, 'route', 'router'])(
    'an error %p, although Express would go on',
    async (it) => {
      const error = new Error(`determineVersion() failed with ${inspect(it)}.`)
      for (const determine of ways(it)) expect(await nextCalls(determine)).toEqual([[[error]], undefined])
    },
  )

  const refusals = [new NotFound(), { status: 422 }, { status: 400 }].map((error) => [error, true])
  const others = [{ status: 500 }, { status: '404' }, { status: 399 }, new Error('down')].map((error) => [error, false])
  test.each([...refusals, ...others])('an error %p, for a preflight: it passes is %p', async (error, passes) => {
    for (const determine of ways(error)) {
      expect(await nextCalls(determine, 'OPTIONS')).toEqual(passes ? [[[]], null] : [[[error]], undefined])
      expect(await nextCalls(determine)).toEqual([[[error]], undefined])
    }
  })
})

test('the base class refuses with a NotFound of its own', () => {
  const refusal = new BaseVersioning({ allowedVersions: ['v1'] }).invalidVersion('v2')
  const { name, message, version, allowedVersions } = refusal
  expect([name, message, version, allowedVersions]).toEqual(['NotFound', 'Invalid version.', 'v2', ['v1']])
})

describe('a request that is not as Express makes it', () => {
  test('with a version of its own', async () => {
    for (const scheme of [byQuery, schemeOf(() => later('v1'))]) {
      const { req, res } = run(tell, { url: '/?version=v1' })
      Object.defineProperty(req, 'version', { value: 'own', configurable: true })
      await new Promise<void>((done) => versioning({ scheme })(req, res, () => done()))
      expect(req.version).toBe('v1')
      const next = jest.fn()
      versioning({ scheme: byQuery })(Object.assign(req, { url: '/?version=v2' }), res, next)
      expect([next.mock.calls, req.version]).toMatchObject([[[{ status: 404 }]], undefined])
    }
  })

  test('with a version that cannot be removed: an error', () => {
    const { req, res } = run(tell, { url: '/' })
    const next = jest.fn()
    versioning({ scheme: byQuery })(Object.defineProperty(req, 'version', { value: 'own' }), res, next)
    expect(next.mock.calls).toEqual([[expect.objectContaining({ name: 'TypeError' })]])
  })

  class Mock {
    readonly url = '/?version=v1'
    readonly headers = { accept: 'application/json; version=v1' }
    accepts(): string {
      return this.headers.accept
    }
  }
  test.each<[what: string, make: () => object]>([
    ['an instance', () => new Mock()],
    ['an object', () => ({ ...new Mock(), accepts: Mock.prototype.accepts })],
  ])('of a mock that is %s', (_what, make) => {
    const through = (scheme: SchemeClass, request: object) => {
      versioning({ scheme })(request as Request, { setHeader() {}, getHeader() {} } as never, () => {})
      return request as Request
    }
    const request = make()
    for (const _ of [1, 2]) {
      const { version, versioningScheme } = through(QueryParameterVersioning, request)
      expect([version, versioningScheme?.constructor.name]).toEqual(['v1', 'QueryParameterVersioning'])
    }
    const other = through(AcceptHeaderVersioning, make())
    expect([other.version, other.accepts()]).toEqual(['v1', 'application/json'])
    expect(through(QueryParameterVersioning, { url: '/?version=v1', headers: {} })).not.toHaveProperty('accepts')
  })
})

test('a request without versioning() has nothing of it, in an app that has it elsewhere', async () => {
  const report: ErrorRequestHandler = (_error, req, res, _next) =>
    void res.json([req.version, req.versioningScheme, req.resolverMatch].map((member) => member === undefined))
  const fail: RequestHandler = (_req, _res, next) => next(new Error('no'))
  const { get } = await serve((app) => app.use('/api', versioning({ scheme: byQuery }), tell).use(fail, report))
  for (const _ of [1, 2]) {
    expect((await get('/other')).json).toEqual([true, true, true])
    expect((await get('/api?version=v1')).json).toEqual({ version: 'v1' })
  }
})

describe('errors made by hand', () => {
  const FRAMES = Error.stackTraceLimit
  class Retired extends VersioningError {}
  const retired = { status: 410, code: 'ERR_VERSION_RETIRED' }
  const full = { ...retired, version: 'v0', allowedVersions: ['v1'], cause: 'x' }

  test.each<[error: VersioningError, name: string, message: string, status: number, code: string, hidden?: unknown[]]>([
    [new NotFound(), 'NotFound', 'Not found.', 404, 'ERR_VERSION_NOT_FOUND'],
    [new NotFound('Gone.', { code: 'ERR_VERSION_GONE' }), 'NotFound', 'Gone.', 404, 'ERR_VERSION_GONE'],
    [new NotAcceptable(), 'NotAcceptable', 'Not acceptable.', 406, 'ERR_VERSION_NOT_ACCEPTABLE'],
    [new VersioningError('Retired.', retired), 'VersioningError', 'Retired.', 410, 'ERR_VERSION_RETIRED'],
    [new Retired('Retired.', full), 'Retired', 'Retired.', 410, 'ERR_VERSION_RETIRED', ['v0', ['v1'], 'x']],
  ])('%s', (error, name, message, status, code, hidden = [undefined, [], undefined]) => {
    expect([error.name, error.message, String(error)]).toEqual([name, message, `${name}: ${message}`])
    expect({ ...error }).toEqual({ code, expose: true, status, statusCode: status })
    expect([error.version, error.allowedVersions, error.cause]).toEqual(hidden)
    expect([error.stack, Error.stackTraceLimit]).toEqual([error.stack?.split('\n')[0], FRAMES])
  })

  test.each<[options: object | undefined, status: number, expose: boolean, cause?: unknown]>([
    [undefined, 500, false],
    [{ status: 400 }, 400, true],
    [{ cause: 'a cause' }, 500, false, 'a cause'],
  ])('NoReverseMatch with %j', (options, status, expose, cause = undefined) => {
    const error = new NoReverseMatch('No.', options)
    expect({ ...error }).toEqual({ code: 'ERR_NO_REVERSE_MATCH', status, statusCode: status, expose })
    expect([error.name, error.failures, error.unfit, error.cause]).toEqual(['NoReverseMatch', [], [], cause])
    expect([Object.hasOwn(error, 'cause'), error instanceof VersioningError]).toEqual([cause !== undefined, false])
  })
})

describe('parameters of the route, beside a table', () => {
  const table = namedRoutes({ users: '/:version/users' })
  table.route('users').get(tell)
  const byPath = versioning({ scheme: URLPathVersioning, defaultVersion: 'v0', routes: table })

  test.each<[what: string, params: object | undefined, version: string]>([
    ['none', {}, 'v1'],
    ['no object for them', undefined, 'v1'],
    ['one without a value, as Express 4 writes a missing optional parameter', { version: undefined }, 'v1'],
    ['others', { tenant: 'a' }, 'v1'],
    ['another one, which counts', { version: 'v2', tenant: 'a' }, 'v2'],
  ])('%s', (_what, params, version) => {
    expect(run(byPath, { url: '/v1/users' }, { params } as object).req.version).toBe(version)
  })

  test('that differ from the table’s did not come from its walk: the dispatched route is compared', async () => {
    const { get } = await serve((app) => {
      const put: RequestHandler = (req, _res, next) => {
        req.params = { version: String(req.query.as) }
        next()
      }
      app.get('/v1/users', put, byPath, (req, res, next) => table(req, res, next))
    })
    expect(await get('/v1/users?as=v1')).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v1/users?as=v2')).toMatchObject({ status: 404, json: { code: 'ERR_VERSION_NOT_FOUND' } })
  })
})
