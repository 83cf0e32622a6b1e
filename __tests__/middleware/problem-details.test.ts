import { gzipSync } from 'node:zlib'
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HeaderVersioning,
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
  test.each<[string, RequestHandler[], string, Record<string, string>, number, string, string, string]>([
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
    [{ instance: '/users' }, 'problemDetails(): option "instance" takes true or false; got \'/users\'.'],
    [
      { supportedVersions: ['v1'] },
      'problemDetails(): option "supportedVersions" takes true or false; got [ \'v1\' ].',
    ],
  ])('%j is a construction error', (options, message) => {
    expect(() => problemDetails(options as ProblemDetailsOptions)).toThrow(new TypeError(message))
  })
})

describe('what goes on to the next handler', () => {
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
