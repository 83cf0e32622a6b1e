import { gzipSync } from 'node:zlib'
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import {
  AcceptHeaderVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  NoReverseMatch,
  NotAcceptable,
  NotFound,
  namedRoutes,
  type ProblemDetailsOptions,
  problemDetails,
  QueryParameterVersioning,
  URLPathVersioning,
  VersioningError,
  type VersioningErrorOptions,
  versioning,
} from 'express-versioning'
import { listen } from '../support/serve'

const BASE = 'https://api.example.com/errors/'
const VERSIONS = { allowedVersions: ['v1', 'v2', null] }

const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version })
}

const throwing =
  (error: unknown): RequestHandler =>
  (_req, _res, next) =>
    next(error)

/** An app in which `handlers` run, with the error handler behind them. */
function answering(options: ProblemDetailsOptions | undefined, ...handlers: RequestHandler[]) {
  return listen(express().use(handlers, problemDetails(options)))
}

const refused = (options?: Partial<VersioningErrorOptions>) =>
  new VersioningError('No.', { status: 404, code: 'ERR_VERSION_NOT_FOUND', ...options })

describe('each code', () => {
  const combination = new CombinedVersioning({
    schemes: [new HeaderVersioning(), new QueryParameterVersioning()],
    ...VERSIONS,
  })

  test.each<[string, RequestHandler[], string, Record<string, string>, number, string, string, string]>([
    [
      'ERR_VERSION_NOT_FOUND',
      [versioning({ scheme: QueryParameterVersioning, ...VERSIONS }), tell],
      '/users?version=v9',
      {},
      404,
      'Version not found',
      'Not Found',
      'Invalid version in query parameter.',
    ],
    [
      'ERR_VERSION_NOT_ACCEPTABLE',
      [versioning({ scheme: AcceptHeaderVersioning, ...VERSIONS }), tell],
      '/users',
      { Accept: 'text/html; version=v9' },
      406,
      'Version not acceptable',
      'Not Acceptable',
      'Invalid version in "Accept" header.',
    ],
    [
      'ERR_VERSION_MISSING',
      [versioning({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'] }), tell],
      '/users',
      {},
      406,
      'Version missing',
      'Version missing',
      'The request names no version, and must name one.',
    ],
    [
      'ERR_VERSION_HOST',
      [versioning({ scheme: HostNameVersioning, ...VERSIONS }), tell],
      'http://v2.example.com/users',
      { Host: 'v1.example.com' },
      400,
      'Ambiguous host',
      'Bad Request',
      'Ambiguous host in request.',
    ],
    [
      'ERR_VERSION_CONFLICT',
      [versioning({ scheme: combination }), tell],
      '/users?version=v2',
      { 'X-API-Version': 'v1' },
      400,
      'Conflicting versions',
      'Bad Request',
      'Conflicting versions in request.',
    ],
    [
      'ERR_VERSION_UNHANDLED',
      [versioning({ scheme: QueryParameterVersioning, ...VERSIONS }), byVersion({ v1: tell, v2: tell })],
      '/users',
      {},
      404,
      'Version not supported here',
      'Not Found',
      'No handler for this version.',
    ],
  ])('%s', async (code, handlers, path, headers, status, title, phrase, detail) => {
    const plain = await (await answering(undefined, ...handlers)).get(path, headers)
    expect([plain.status, plain.headers['content-type']]).toEqual([status, 'application/problem+json'])
    expect(plain.text).toBe(
      JSON.stringify({ type: 'about:blank', title: phrase, status, detail, code, supportedVersions: ['v1', 'v2'] }),
    )
    const server = await answering({ base: BASE, instance: true }, ...handlers)
    const answer = await server.get(path, headers)
    expect(answer.text).toBe(
      JSON.stringify({
        type: `${BASE}${code}`,
        title,
        status,
        detail,
        code,
        instance: '/users',
        supportedVersions: ['v1', 'v2'],
      }),
    )
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
  })

  test('ERR_VERSION_MISSING: of every scheme that refuses so, whose message stays what it is', async () => {
    const settings = { allowedVersions: ['v1', 'v2'] }
    const combined = new CombinedVersioning({ schemes: [new HeaderVersioning()], ...settings })
    const schemes = [
      [new QueryParameterVersioning(settings), 404, 'Invalid version in query parameter.'],
      [new URLPathVersioning(settings), 404, 'Invalid version in URL path.'],
      [new AcceptHeaderVersioning(settings), 406, 'Invalid version in "Accept" header.'],
      [combined, 406, 'Invalid version in "X-API-Version" header.'],
    ] as const
    const messages: string[] = []
    for (const [scheme, status] of schemes) {
      const app = express().use(versioning({ scheme }))
      const collect: ErrorRequestHandler = (error, _req, _res, next) => {
        messages.push(error.message)
        next(error)
      }
      const server = await listen(app.use(collect, problemDetails({ base: BASE })))
      expect((await server.get('/users')).json).toEqual({
        type: `${BASE}ERR_VERSION_MISSING`,
        title: 'Version missing',
        status,
        detail: 'The request names no version, and must name one.',
        code: 'ERR_VERSION_MISSING',
        supportedVersions: ['v1', 'v2'],
      })
    }
    expect(messages).toEqual(schemes.map(([, , message]) => message))
  })

  test('ERR_VERSION_GONE: with the headers; what is gone is not supported, on other answers either', async () => {
    const lifecycle = { v1: { sunset: '2020-01-01' } }
    const options = { scheme: QueryParameterVersioning, ...VERSIONS, lifecycle, afterSunset: 'gone' } as const
    const server = await answering({ base: BASE }, versioning(options), tell)
    const answer = await server.get('/users?version=v1')
    expect([answer.status, answer.headers.sunset]).toEqual([410, 'Wed, 01 Jan 2020 00:00:00 GMT'])
    expect(answer.text).toBe(
      JSON.stringify({
        type: `${BASE}ERR_VERSION_GONE`,
        title: 'Version gone',
        status: 410,
        detail: 'This version is no longer served.',
        code: 'ERR_VERSION_GONE',
        supportedVersions: ['v2'],
      }),
    )
    expect((await server.get('/users?version=v9')).json).toMatchObject({ status: 404, supportedVersions: ['v2'] })
  })

  test.each<[string, VersioningError, object]>([
    ['NotFound', new NotFound(), { title: 'Version not found', status: 404, detail: 'Not found.' }],
    ['NotAcceptable', new NotAcceptable(), { title: 'Version not acceptable', status: 406, detail: 'Not acceptable.' }],
    [
      "one's own code",
      refused({ code: 'ERR_VERSION_PAUSED', status: 503 }),
      { type: `${BASE}ERR_VERSION_PAUSED`, title: 'Service Unavailable', status: 503, detail: 'No.' },
    ],
    ['a status without a name', refused({ code: 'ERR_X', status: 499 }), { title: 'Error', status: 499 }],
    ['a subclass', new (class Own extends NotFound {})('Own.'), { status: 404, detail: 'Own.' }],
  ])('%s', async (_title, error, body) => {
    const answer = await (await answering({ base: BASE }, throwing(error))).get('/')
    expect(answer.status).toBe(error.status)
    expect(answer.json).toMatchObject(body)
    expect(answer.json).not.toHaveProperty('supportedVersions')
  })
})

describe('options', () => {
  test.each([
    ['https://api.example.com/errors/', 'https://api.example.com/errors/ERR_VERSION_NOT_FOUND'],
    ['https://api.example.com/errors', 'https://api.example.com/errors/ERR_VERSION_NOT_FOUND'],
    ['https://api.example.com', 'https://api.example.com/ERR_VERSION_NOT_FOUND'],
    ['https://api.example.com/errors.html#', 'https://api.example.com/errors.html#ERR_VERSION_NOT_FOUND'],
    ['https://api.example.com/errors?code=', 'https://api.example.com/errors?code=ERR_VERSION_NOT_FOUND'],
    ['urn:acme:errors:', 'urn:acme:errors:ERR_VERSION_NOT_FOUND'],
  ])('base %s: type %s', async (base, type) => {
    const server = await answering({ base }, throwing(refused()))
    expect((await server.get('/')).json).toMatchObject({ type })
  })

  test.each([
    ['/users/7?token=secret#x', '/users/7'],
    ['/a%20b/%22%3Cscript%3E', '/a%20b/%22%3Cscript%3E'],
    ['/"<b>', '/%22%3Cb%3E'],
    ['//evil.example/users', '/.//evil.example/users'],
    ['http://evil.example/users?x', '/users'],
    ['/', '/'],
  ])('instance of %s: %s', async (path, instance) => {
    const server = await answering({ instance: true }, throwing(refused()))
    expect((await server.get(path)).json).toMatchObject({ instance })
  })

  test('instance is the whole path, where the handler is mounted', async () => {
    const app = express().use('/api', express.Router().use(throwing(refused()), problemDetails({ instance: true })))
    expect((await (await listen(app)).get('/api/users')).json).toMatchObject({ instance: '/api/users' })
  })

  test.each<[ProblemDetailsOptions | undefined, (string | null)[] | undefined, string[] | undefined]>([
    [undefined, ['v1', null, 'v2'], ['v1', 'v2']],
    [{ supportedVersions: true }, ['v1'], ['v1']],
    [{ supportedVersions: false }, ['v1'], undefined],
    [{}, [null], undefined],
    [{}, [], undefined],
    [{ base: undefined, instance: undefined, supportedVersions: undefined }, undefined, undefined],
  ])('%j, allowed %j: supportedVersions %j', async (options, allowedVersions, supportedVersions) => {
    const answer = await (await answering(options, throwing(refused({ allowedVersions })))).get('/')
    expect(answer.json).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No.',
      code: 'ERR_VERSION_NOT_FOUND',
      supportedVersions,
    })
  })

  const URLS = "an absolute URL such as 'https://api.example.com/errors/'"

  test.each<[unknown, string]>([
    [null, 'problemDetails() takes an object of options; got null.'],
    ['https://x', "problemDetails() takes an object of options; got 'https://x'."],
    [[], 'problemDetails() takes an object of options; got [].'],
    [
      { bas: BASE },
      'problemDetails(): unknown option "bas". Did you mean "base"? It takes "base", "instance", "supportedVersions", "convert".',
    ],
    [{ base: '/errors' }, `problemDetails(): option "base" takes ${URLS}; got '/errors'.`],
    [{ base: '' }, `problemDetails(): option "base" takes ${URLS}; got ''.`],
    [{ base: 42 }, `problemDetails(): option "base" takes ${URLS}; got 42.`],
    [{ base: null }, `problemDetails(): option "base" takes ${URLS}; got null.`],
    [{ instance: '/users' }, 'problemDetails(): option "instance" takes true or false; got \'/users\'.'],
    [{ instance: null }, 'problemDetails(): option "instance" takes true or false; got null.'],
    [
      { supportedVersions: ['v1'] },
      'problemDetails(): option "supportedVersions" takes true or false; got [ \'v1\' ].',
    ],
  ])('%j is a construction error', (options, message) => {
    expect(() => problemDetails(options as ProblemDetailsOptions)).toThrow(new TypeError(message))
  })
})

describe('what goes on to the next handler', () => {
  const plain = new Error('x')

  test.each<[string, unknown]>([
    ['an error', plain],
    ['an error with a status', Object.assign(new Error('x'), { status: 404, code: 'ERR_VERSION_NOT_FOUND' })],
    ['NoReverseMatch', new NoReverseMatch('x')],
    ['NoReverseMatch of a request', new NoReverseMatch('x', { status: 400 })],
    ['a string', 'x'],
    ['an object that looks like one', { ...refused() }],
  ])('%s, as it is, with the headers as they are', async (_title, error) => {
    const seen: unknown[] = []
    const catching: ErrorRequestHandler = (err, _req, res, _next) => {
      seen.push(err)
      res.status(418).end()
    }
    const app = express().use((_req, res, next) => {
      res.set('ETag', '"1"')
      next(error)
    })
    const answer = await (await listen(app.use(problemDetails(), catching))).get('/')
    expect([answer.status, answer.headers.etag]).toEqual([418, '"1"'])
    expect(seen).toEqual([error])
    expect(seen[0]).toBe(error)
  })

  test('all, once the headers are sent', async () => {
    const error = refused()
    const seen: unknown[] = []
    const catching: ErrorRequestHandler = (err, _req, res, _next) => {
      seen.push(err)
      res.end(' end')
    }
    const app = express().use((_req, res, next) => {
      res.write('begin')
      next(error)
    })
    const answer = await (await listen(app.use(problemDetails(), catching))).get('/')
    expect([answer.status, answer.text]).toEqual([200, 'begin end'])
    expect(seen).toEqual([error])
  })

  test('nothing of what it answered', async () => {
    const after = jest.fn<void, Parameters<ErrorRequestHandler>>((err, _req, _res, next) => next(err))
    const catching: ErrorRequestHandler = (err, req, res, next) => after(err, req, res, next)
    const app = express().use(throwing(refused()), problemDetails(), catching)
    expect((await (await listen(app)).get('/')).status).toBe(404)
    expect(after).not.toHaveBeenCalled()
  })
})

describe('headers that were set for another body', () => {
  async function headersAfter(set: (res: Response) => unknown) {
    const server = await answering(
      undefined,
      (_req, res, next) => {
        set(res)
        next()
      },
      throwing(refused()),
    )
    const answer = await server.get('/')
    expect(answer.status).toBe(404)
    expect(answer.json).toMatchObject({ code: 'ERR_VERSION_NOT_FOUND' })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    return answer.headers
  }

  test.each([
    ['Accept-Ranges', 'bytes'],
    ['Content-Digest', 'sha-256=:AAAA:'],
    ['Repr-Digest', 'sha-256=:AAAA:'],
    ['Content-Disposition', 'attachment; filename="users.csv"'],
    ['Content-Encoding', 'gzip'],
    ['Content-Language', 'de'],
    ['Content-Location', '/users.csv'],
    ['Content-Range', 'bytes 0-1/2'],
    ['ETag', '"1"'],
    ['Expires', 'Tue, 31 Dec 2999 23:59:59 GMT'],
    ['Last-Modified', 'Wed, 01 Jan 2020 00:00:00 GMT'],
    ['Transfer-Encoding', 'chunked'],
    ['Cache-Control', 'public, max-age=3600'],
    ['Cache-Control', 'max-age=3600'],
    ['Cache-Control', 's-maxage=60, immutable'],
  ])('%s: %s is dropped', async (name, value) => {
    expect(await headersAfter((res) => res.setHeader(name, value))).not.toHaveProperty(name.toLowerCase())
  })

  test.each([
    ['Cache-Control', 'private, max-age=60'],
    ['Cache-Control', 'no-store'],
    ['Cache-Control', 'No-Cache'],
    ['Vary', 'Accept, Origin'],
    ['Set-Cookie', 'a=1'],
    ['Access-Control-Allow-Origin', '*'],
    ['Content-Security-Policy', "default-src 'none'"],
    ['Link', '</a>; rel="a"'],
    ['Retry-After', '5'],
  ])('%s: %s is kept', async (name, value) => {
    expect(await headersAfter((res) => res.setHeader(name, value))).toHaveProperty([name.toLowerCase()], value)
  })

  test('Cache-Control in several lines', async () => {
    const headers = await headersAfter((res) => res.setHeader('Cache-Control', ['max-age=60', 'private']))
    expect(headers['cache-control']).toBe('max-age=60, private')
  })

  test('length, type and status of the other body', async () => {
    await headersAfter((res) => {
      res.status(200).type('csv')
      res.setHeader('Content-Length', gzipSync('users').length)
    })
  })
})

test('HEAD: the headers of GET, and no body', async () => {
  const server = await answering(undefined, throwing(refused()))
  const [head, get] = [await server.send('HEAD', '/'), await server.get('/')]
  expect([head.status, head.text]).toEqual([404, ''])
  expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' })
})

test('Vary of the schemes is kept, and nothing that the client sent is echoed', async () => {
  const routes = namedRoutes({ users: '/:version/users' })
  const combination = new CombinedVersioning({
    schemes: [new URLPathVersioning(), new HeaderVersioning(), new AcceptHeaderVersioning()],
    ...VERSIONS,
  })
  const server = await answering({ base: BASE }, versioning({ scheme: combination, routes }), tell)
  for (const [path, headers] of [
    ['/ECHO/users?ECHO=ECHO', {}],
    ['/v1/users?ECHO', { 'X-API-Version': 'ECHO', Accept: 'text/ECHO; version=ECHO', 'User-Agent': 'ECHO' }],
    ['/v1/users', { 'X-API-Version': 'v2', 'X-ECHO': 'ECHO' }],
  ] as const) {
    const answer = await server.get(path, headers)
    expect([answer.status, answer.headers.vary]).toEqual([expect.any(Number), 'X-API-Version, Accept'])
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain('ECHO')
    expect(JSON.stringify(answer.headers)).not.toContain('ECHO')
  }
})

test('base takes a string, not a URL object', () => {
  expect(() => problemDetails({ base: new URL('https://api.example.com/errors/') as never })).toThrow(TypeError)
})
