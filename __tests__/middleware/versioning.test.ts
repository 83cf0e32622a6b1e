import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  type Determined,
  NoReverseMatch,
  type NoReverseMatchOptions,
  NotAcceptable,
  NotFound,
  namedRoutes,
  QueryParameterVersioning,
  type SchemeClass,
  URLPathVersioning,
  VersioningError,
  type VersioningErrorOptions,
  versioning,
} from 'express-versioning'
import { run } from '../support/dispatch'
import { serve } from '../support/serve'

const PREFLIGHT = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
const byQuery = new QueryParameterVersioning({ allowedVersions: ['v1'] })
const tell: RequestHandler = (req, res) => void res.json({ version: req.version })

/** Makes a scheme that decides by `determine`. */
function schemeOf(determine: () => unknown): BaseVersioning {
  class OwnVersioning extends BaseVersioning {
    override determineVersion = determine as () => Determined
  }
  return new OwnVersioning()
}
const later = <T>(value: T) => new Promise<T>((done) => setImmediate(done, value))
const lateRejection = (reason: unknown) => new Promise((_, fail) => setImmediate(fail, reason))

/** Runs the middleware, and returns the arguments of all calls of `next` and the version. */
async function nextCalls(scheme: BaseVersioning, method = 'GET', headers: Record<string, string> = {}) {
  const calls: unknown[][] = []
  const through: RequestHandler = (req, res) =>
    versioning({ scheme })(req, res, (...args: unknown[]) => void calls.push(args))
  const { req } = run(through, { url: '/', method, headers })
  // Long enough for a second call to be seen.
  await new Promise((done) => setTimeout(done, 5))
  return [calls, req.version]
}

test.each<[given: () => unknown, version: unknown]>([
  [() => 'v1', 'v1'],
  [() => '', ''],
  [() => null, null],
  [() => undefined, null],
  [() => later('v1'), 'v1'],
  [() => later(null), null],
  [() => later(undefined), null],
])('determineVersion() %p gives %p', async (determine, version) => {
  expect(await nextCalls(schemeOf(determine))).toEqual([[[]], version])
})

test.each([
  [1, '1'],
  [{}, '{}'],
])('determineVersion() gives %p, which is no version', async (given, shown) => {
  for (const determine of [() => given, () => later(given)]) {
    const told = `determineVersion() must return a string or null, or a promise of one; got ${shown}.`
    expect(await nextCalls(schemeOf(determine))).toEqual([[[new TypeError(told)]], undefined])
  }
})

describe.each<[way: string, fails: (reason: unknown) => () => unknown]>([
  [
    'throws',
    (reason) => () => {
      throw reason
    },
  ],
  ['rejects with', (reason) => () => lateRejection(reason)],
  ['at once rejects with', (reason) => () => Promise.reject(reason)],
])('determineVersion() %s', (_way, fails) => {
  test.each<[unknown, shown: string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [0, '0'],
    ['', "''"],
    [false, 'false'],
    ['route', "'route'"],
    ['router', "'router'"],
  ])('%p: an error, although Express would go on', async (reason, shown) => {
    const error = new Error(`determineVersion() failed with ${shown}.`)
    expect(await nextCalls(schemeOf(fails(reason)))).toEqual([[[error]], undefined])
  })

  test.each<[reason: unknown, passes: boolean]>([
    [new NotFound(), true],
    [{ status: 422 }, true],
    [{ status: 400 }, true],
    [{ status: 500 }, false],
    [{ status: '404' }, false],
    [{ status: 399 }, false],
    [new Error('down'), false],
  ])('%p, for a preflight: it passes is %p', async (reason, passes) => {
    const [calls, version] = await nextCalls(schemeOf(fails(reason)), 'OPTIONS', PREFLIGHT)
    expect([calls, version]).toEqual(passes ? [[[]], null] : [[[reason]], undefined])
    expect(await nextCalls(schemeOf(fails(reason)))).toEqual([[[reason]], undefined])
  })
})

describe('the base class', () => {
  test('refuses with a NotFound of its own', () => {
    const refusal = new BaseVersioning({ allowedVersions: ['v1'] }).invalidVersion('v2')
    expect(refusal).toBeInstanceOf(NotFound)
    expect([refusal.message, refusal.version, refusal.allowedVersions]).toEqual(['Invalid version.', 'v2', ['v1']])
  })

  test.each<[version: string | null, standard: string | null, list: (string | null)[] | undefined, allowed: boolean]>([
    ['v1', null, undefined, true],
    [null, null, undefined, true],
    [null, 'v1', [], true],
    ['v2', 'v1', [], true],
    ['v1', null, ['v1'], true],
    ['v2', null, ['v1'], false],
    ['v2', 'v2', ['v1'], true],
    [null, null, ['v1'], false],
    [null, 'v1', ['v1'], false],
    [null, null, ['v1', null], true],
  ])('isAllowedVersion(%p), default %p, allowed %p: %p', (version, defaultVersion, allowedVersions, allowed) => {
    expect(new BaseVersioning({ defaultVersion, allowedVersions }).isAllowedVersion(version)).toBe(allowed)
  })
})

test.each<PropertyDescriptor>([
  { value: 'own', writable: true, enumerable: true, configurable: true },
  { value: 'own', configurable: true },
])('a property that another middleware put on the request hides no version: %p', async (descriptor) => {
  for (const scheme of [byQuery, schemeOf(() => later('v1'))]) {
    const { req, res } = run(tell, { url: '/?version=v1' })
    Object.defineProperty(req, 'version', descriptor)
    const errors: unknown[] = []
    await new Promise<void>((done) => versioning({ scheme })(req, res, () => done()))
    expect(req.version).toBe('v1')
    req.url = '/?version=v2'
    versioning({ scheme: byQuery })(req, res, (error) => void errors.push(error))
    expect([errors, req.version]).toMatchObject([[{ status: 404 }], undefined])
  }
})

test('a property that cannot be removed is an error', () => {
  const { req, res } = run(tell, { url: '/' })
  Object.defineProperty(req, 'version', { value: 'own' })
  const next = jest.fn()
  versioning({ scheme: byQuery })(req, res, next)
  expect(next.mock.calls).toEqual([[expect.any(Error)]])
})

test('a plain server without an app', async () => {
  const middleware = versioning({ scheme: byQuery })
  const plain = createServer((req, res) => {
    const request = req as Request
    const told = () => `${request.version} ${request.versioningScheme?.constructor.name}`
    middleware(request, res as never, (error) => void res.end(error === undefined ? told() : (error as Error).message))
  })
  await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done))
  try {
    const { port } = plain.address() as AddressInfo
    const text = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    expect(await text('/?version=v1')).toBe('v1 QueryParameterVersioning')
    expect(await text('/?version=v2')).toBe('Invalid version in query parameter.')
  } finally {
    plain.closeAllConnections()
    plain.close()
  }
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

describe('a request that is no IncomingMessage, as mocks are', () => {
  class Mock {
    url = '/?version=v1'
    headers = { accept: 'application/json; version=v1' }
    params = {}
    method = 'GET'
    accepts(): string {
      return this.headers.accept
    }
  }
  const through = (scheme: SchemeClass, request: object) => {
    versioning({ scheme })(request as Request, { setHeader() {}, getHeader() {} } as never, () => {})
    return request as Request
  }

  test.each<[string, () => object]>([
    ['an instance', () => new Mock()],
    ['an object', () => ({ ...new Mock(), accepts: Mock.prototype.accepts })],
  ])('%s', (_title, make) => {
    const request = make()
    for (const _ of [1, 2]) {
      const { version, versioningScheme } = through(QueryParameterVersioning, request)
      expect([version, versioningScheme?.constructor.name]).toEqual(['v1', 'QueryParameterVersioning'])
    }
    const other = through(AcceptHeaderVersioning, make())
    expect([other.version, other.accepts()]).toEqual(['v1', 'application/json'])
  })

  test('without accepts() it gets none', () => {
    const request = through(QueryParameterVersioning, { url: '/?version=v1', headers: {} })
    expect([request.version, 'accepts' in request]).toEqual(['v1', false])
  })
})

describe('errors made by hand', () => {
  const FRAMES = Error.stackTraceLimit
  class Retired extends VersioningError {}
  const retired = { status: 410, code: 'ERR_VERSION_RETIRED' }
  const full: VersioningErrorOptions = { ...retired, version: 'v0', allowedVersions: ['v1'], cause: 'x' }

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

  test.each<[options: NoReverseMatchOptions | undefined, status: 400 | 500, expose: boolean, cause: unknown]>([
    [undefined, 500, false, undefined],
    [{ status: 400 }, 400, true, undefined],
    [{ cause: 'a cause' }, 500, false, 'a cause'],
  ])('NoReverseMatch with %j', (options, status, expose, cause) => {
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
    // as Express 4 writes a missing optional parameter
    ['one without a value', { version: undefined }, 'v1'],
    ['others', { tenant: 'a' }, 'v1'],
    ['the same', { version: 'v1' }, 'v1'],
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
