import { createServer } from 'node:http'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
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
  type RouteParams,
  type SchemeClass,
  URLPathVersioning,
  VersioningError,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { listen, serve } from '../support/serve'

const tell: RequestHandler = (req, res) => {
  res.json({
    version: req.version === undefined ? 'undefined' : req.version,
    scheme: req.versioningScheme?.constructor.name,
  })
}

const PREFLIGHT = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

/** Makes a scheme that decides by `determine`. */
function schemeOf(determine: (req: Request, args: readonly unknown[], kwargs: RouteParams) => unknown): BaseVersioning {
  class OwnVersioning extends BaseVersioning {
    override determineVersion(req: Request, args: readonly unknown[], kwargs: RouteParams): Determined {
      return determine(req, args, kwargs) as Determined
    }
  }
  return new OwnVersioning()
}

const later = <T>(value: T) => new Promise<T>((done) => setTimeout(done, 5, value))
const lateRejection = (reason: unknown) => new Promise((_, fail) => setTimeout(fail, 5, reason))

/** Runs the middleware and returns the arguments of all calls of `next`. */
async function nextCalls(scheme: BaseVersioning, method = 'GET', headers: Record<string, string> = {}) {
  const calls: unknown[][] = []
  const middleware = versioning({ scheme })
  const server = await listen(
    express().use((req, res) => {
      middleware(req, res, (...args: unknown[]) => {
        calls.push(args)
      })
      // Long enough for a second call to be seen.
      setTimeout(() => res.json({ version: req.version === undefined ? 'undefined' : req.version }), 20)
    }),
  )
  const { json } = await server.send(method, '/', headers)
  return { calls, version: (json as { version: unknown }).version }
}

describe('what determineVersion() gives', () => {
  test.each<[string, () => unknown, unknown]>([
    ['a string', () => 'v1', 'v1'],
    ['an empty string', () => '', ''],
    ['null', () => null, null],
    ['undefined', () => undefined, null],
    ['a promise of a string', () => later('v1'), 'v1'],
    ['a promise of null', () => later(null), null],
    ['a promise of undefined', () => later(undefined), null],
  ])('%s is accepted', async (_title, determine, version) => {
    expect(await nextCalls(schemeOf(determine))).toEqual({ calls: [[]], version })
  })
})

describe('what determineVersion() throws, or rejects with', () => {
  const ways: [string, (reason: unknown) => () => unknown][] = [
    [
      'throws',
      (reason) => () => {
        throw reason
      },
    ],
    ['rejects with', (reason) => () => lateRejection(reason)],
    ['at once rejects with', (reason) => () => Promise.reject(reason)],
  ]

  describe.each(ways)('%s', (_way, fails) => {
    test.each<[unknown, string]>([
      [undefined, 'undefined'],
      [null, 'null'],
      [0, '0'],
      ['', "''"],
      [false, 'false'],
      ['route', "'route'"],
      ['router', "'router'"],
    ])('%p: an error, although Express would go on', async (reason, shown) => {
      const { calls } = await nextCalls(schemeOf(fails(reason)))
      expect(calls).toEqual([[new Error(`determineVersion() failed with ${shown}.`)]])
      const server = await serve((app) => app.get('/', versioning({ scheme: schemeOf(fails(reason)) }), tell).use(tell))
      expect((await server.get('/')).status).toBe(500)
    })

    test.each<[string, unknown, boolean]>([
      ['a refusal', new NotFound(), true],
      ['any 4xx', { status: 422 }, true],
      ['the first of them', { status: 400 }, true],
      ['a 5xx', { status: 500 }, false],
      ['a status that is no number', { status: '404' }, false],
      ['a status below 400', { status: 399 }, false],
      ['an error without status', new Error('down'), false],
    ])('for a preflight, %s', async (_title, reason, passes) => {
      const { calls, version } = await nextCalls(schemeOf(fails(reason)), 'OPTIONS', PREFLIGHT)
      expect(calls).toHaveLength(1)
      expect(calls[0]).toHaveLength(passes ? 0 : 1)
      expect(version).toBe(passes ? null : 'undefined')
    })
  })
})

describe('the base class', () => {
  test('refuses with a NotFound of its own', () => {
    const refusal = new BaseVersioning({ allowedVersions: ['v1'] }).invalidVersion('v2')
    expect(refusal).toBeInstanceOf(NotFound)
    expect([refusal.message, refusal.version, refusal.allowedVersions]).toEqual(['Invalid version.', 'v2', ['v1']])
  })

  test.each<[unknown, unknown]>([
    ['v1', 'v1'],
    [null, 'default'],
    [undefined, 'default'],
  ])('readVersion() of %p determines %p, promised or not', async (named, determined) => {
    const request = {} as Request
    class Own extends BaseVersioning {
      override defaultVersion = 'default'
      override readVersion = (): string | Promise<string> => named as string
    }
    class Later extends Own {
      override readVersion = async () => named as string
    }
    expect(new Own().determineVersion(request, [], {})).toBe(determined)
    expect(await new Later().determineVersion(request, [], {})).toBe(determined)
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
  ])('isAllowedVersion(%p), default %p, allowed %p: %p', (version, defaultVersion, allowedVersions, allowed) => {
    expect(new BaseVersioning({ defaultVersion, allowedVersions }).isAllowedVersion(version)).toBe(allowed)
  })
})

test.each<[string, PropertyDescriptor]>([
  ['a property', { value: 'own', writable: true, enumerable: true, configurable: true }],
  ['a property that cannot be written', { value: 'own', configurable: true }],
])('%s that another middleware put on the request hides no version', async (_title, descriptor) => {
  const own: RequestHandler = (req, _res, next) => {
    Object.defineProperty(req, 'version', descriptor)
    next()
  }
  const seen: unknown[] = []
  const collect: ErrorRequestHandler = (error, req, _res, next) => {
    seen.push(req.version)
    next(error)
  }
  for (const scheme of [new QueryParameterVersioning({ allowedVersions: ['v1'] }), schemeOf(() => later('v1'))]) {
    const server = await serve((app) => app.use(own, versioning({ scheme }), tell).use(collect))
    expect((await server.get('/?version=v1')).json).toMatchObject({ version: 'v1' })
    await server.get('/?version=v2')
  }
  expect(seen).toEqual([undefined])
})

test('works without an app, in a plain server', async () => {
  const middleware = versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1'] })
  const plain = createServer((req, res) => {
    const request = req as Request
    middleware(request, res as never, (error) => {
      res.end(
        error === undefined
          ? `${request.version} ${request.versioningScheme?.constructor.name}`
          : (error as Error).message,
      )
    })
  })
  await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done))
  try {
    const { port } = plain.address() as { port: number }
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
    void res.json([req.version === undefined, req.versioningScheme === undefined, req.resolverMatch === undefined])
  const fail: RequestHandler = (_req, _res, next) => next(new Error('no'))
  const server = await serve((app) =>
    app
      .use('/api', versioning({ scheme: QueryParameterVersioning }), tell)
      .use(fail)
      .use(report),
  )
  expect((await server.get('/other')).json).toEqual([true, true, true])
  await server.get('/api')
  expect((await server.get('/other')).json).toEqual([true, true, true])
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
  const res = { setHeader() {}, getHeader() {} }
  const run = (scheme: SchemeClass, request: object) => {
    versioning({ scheme })(request as Request, res as never, () => {})
    return request as Request
  }

  test.each<[string, () => object]>([
    ['an instance', () => new Mock()],
    ['an object', () => ({ ...new Mock(), accepts: Mock.prototype.accepts })],
  ])('%s', (_title, make) => {
    const request = make()
    for (const _ of [1, 2]) {
      const { version, versioningScheme } = run(QueryParameterVersioning, request)
      expect([version, versioningScheme?.constructor.name]).toEqual(['v1', 'QueryParameterVersioning'])
    }
    const other = run(AcceptHeaderVersioning, make())
    expect([other.version, other.accepts()]).toEqual(['v1', 'application/json'])
  })

  test('without accepts() it gets none', () => {
    const request = run(QueryParameterVersioning, { url: '/?version=v1', headers: {} })
    expect([request.version, 'accepts' in request]).toEqual(['v1', false])
  })
})

describe('errors made by hand', () => {
  test.each<[VersioningError, Record<string, unknown>]>([
    [new NotFound(), { name: 'NotFound', message: 'Not found.', status: 404, code: 'ERR_VERSION_NOT_FOUND' }],
    [
      new NotFound('Gone.', { code: 'ERR_VERSION_GONE' }),
      { name: 'NotFound', message: 'Gone.', status: 404, code: 'ERR_VERSION_GONE' },
    ],
    [
      new NotAcceptable(),
      { name: 'NotAcceptable', message: 'Not acceptable.', status: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE' },
    ],
    [
      new VersioningError('Retired.', { status: 410, code: 'ERR_VERSION_RETIRED' }),
      { name: 'VersioningError', message: 'Retired.', status: 410, code: 'ERR_VERSION_RETIRED' },
    ],
    [
      new (class Retired extends VersioningError {})('Retired.', { status: 410, code: 'ERR_VERSION_RETIRED' }),
      { name: 'Retired', message: 'Retired.', status: 410, code: 'ERR_VERSION_RETIRED' },
    ],
  ])('%s', (error, expected) => {
    const { name, message, status, statusCode, expose, code, version, allowedVersions } = error
    expect({ name, message, status, code }).toEqual(expected)
    expect({ statusCode, expose, version, allowedVersions }).toEqual({
      statusCode: status,
      expose: true,
      version: undefined,
      allowedVersions: [],
    })
    expect(Object.keys(error).sort()).toEqual(['code', 'expose', 'status', 'statusCode'])
    expect(String(error)).toBe(`${name}: ${message}`)
  })

  test.each<[options: NoReverseMatchOptions | undefined, status: 400 | 500, expose: boolean, cause: unknown]>([
    [undefined, 500, false, undefined],
    [{ status: 400 }, 400, true, undefined],
    [{ cause: 'a cause' }, 500, false, 'a cause'],
  ])('NoReverseMatch with %j', (options, status, expose, cause) => {
    const error = new NoReverseMatch('No.', options)
    expect({ ...error }).toEqual({ code: 'ERR_NO_REVERSE_MATCH', status, statusCode: status, expose })
    expect([error.name, error.failures, error.cause]).toEqual(['NoReverseMatch', [], cause])
    expect(Object.hasOwn(error, 'cause')).toBe(cause !== undefined)
    expect(error).not.toBeInstanceOf(VersioningError)
  })
})

describe('parameters of the route, where a table is given too', () => {
  const routes = namedRoutes({ users: '/:version/users' })
  const at = (params: Record<string, unknown> | undefined, more: Partial<VersioningOptions> = {}) =>
    serve((app) => {
      const put: RequestHandler = (req, _res, next) => {
        req.params = params as Record<string, string>
        next()
      }
      const options = { scheme: URLPathVersioning, defaultVersion: 'v0', routes, ...more }
      app.get('/v1/users', put, versioning(options), (req, res) => void res.json(req.version))
    })

  test.each<[what: string, params: Record<string, unknown> | undefined, version: string]>([
    ['none', {}, 'v1'],
    ['no object for them', undefined, 'v1'],
    // as Express 4 writes a missing optional parameter
    ['one without a value', { version: undefined }, 'v1'],
    ['others', { tenant: 'a' }, 'v1'],
    ['the same', { version: 'v1' }, 'v1'],
    ['another one, which counts', { version: 'v2', tenant: 'a' }, 'v2'],
  ])('%s', async (_what, params, version) => {
    expect((await (await at(params)).get('/v1/users')).json).toBe(version)
  })

  test('that the table reads otherwise did not come from its walk: what is dispatched is compared', async () => {
    const table = namedRoutes({ users: '/:version/users' })
    table.route('users').get((req, res) => void res.json(req.version))
    const { get } = await serve((app) => {
      const put: RequestHandler = (req, _res, next) => {
        req.params = { version: String(req.query.as) }
        next()
      }
      app.get('/v1/users', put, versioning({ scheme: URLPathVersioning, routes: table }), (req, res, next) =>
        table(req, res, next),
      )
    })
    expect(await get('/v1/users?as=v1')).toMatchObject({ status: 200, json: 'v1' })
    expect(await get('/v1/users?as=v2')).toMatchObject({ status: 404, json: { code: 'ERR_VERSION_NOT_FOUND' } })
  })
})
