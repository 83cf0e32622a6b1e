import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
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
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { codePoint } from '../support/code-points'
import { run } from '../support/dispatch'
import { property } from '../support/property'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

const refused = (status = 404, code = 'ERR_VERSION_NOT_FOUND', allowedVersions: (string | null)[] = []) =>
  new VersioningError('No.', { status, code, allowedVersions })

/** Answers an error. Returns the body and the response. */
function answer(error: unknown, options?: ProblemDetailsOptions, before = (_res: Response) => {}, url = '/') {
  const bodies: string[] = []
  const { res, errors } = run(
    (req, res, next) => {
      before(res)
      res.end = ((body: string) => bodies.push(body)) as never
      problemDetails(options)(error, req, res, next)
    },
    { url },
  )
  return { res, errors, bodies, json: bodies.length === 0 ? undefined : JSON.parse(bodies[0] as string) }
}

describe('the body', () => {
  class Own extends NotFound {}
  const missing = refused(406, 'ERR_VERSION_MISSING', ['v1', null, 'v2'])
  test.each<[error: VersioningError, title: string, phrase: string, detail: string]>([
    [new NotFound(), 'Version not found', 'Not Found', 'Not found.'],
    [new NotAcceptable(), 'Version not acceptable', 'Not Acceptable', 'Not acceptable.'],
    [missing, 'Version missing', 'Not Acceptable', 'The request names no version, and must name one.'],
    [refused(410, 'ERR_VERSION_GONE'), 'Version gone', 'Gone', 'No.'],
    [refused(400, 'ERR_VERSION_HOST'), 'Ambiguous host', 'Bad Request', 'No.'],
    [refused(400, 'ERR_VERSION_CONFLICT'), 'Conflicting versions', 'Bad Request', 'No.'],
    [refused(404, 'ERR_VERSION_UNHANDLED'), 'Version not supported here', 'Not Found', 'No.'],
    [refused(415, 'ERR_VERSION_BODY'), 'Request does not fit its version', 'Unsupported Media Type', 'No.'],
    [refused(422, 'ERR_X'), 'Unprocessable Entity', 'Unprocessable Entity', 'No.'],
    [refused(499, 'ERR_X'), 'Error', 'Error', 'No.'],
    [new Own('Own.'), 'Version not found', 'Not Found', 'Own.'],
  ])('of error %#', (error, title, phrase, detail) => {
    const { status, code } = error
    const { res, bodies } = answer(error)
    const versions = error === missing ? { supportedVersions: ['v1', 'v2'] } : {}
    const plain = { type: 'about:blank', title: error === missing ? title : phrase, status, detail, code, ...versions }
    const body = JSON.stringify(plain)
    expect(bodies).toEqual([body])
    const headers = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) }
    expect([res.statusCode, res.statusMessage, res.getHeaders()]).toEqual([status, phrase, headers])
    const { json } = answer(error, { base: 'https://a.example/', instance: true, supportedVersions: false })
    expect(json).toEqual({ type: `https://a.example/${code}`, title, status, detail, code, instance: '/' })
  })

  const ready = ['https://a.example/errors/', 'https://a.example/e.html#', 'https://a.example/?e=', 'urn:acme:']
  test.each([...ready, 'https://a.example/errors', 'https://a.example'])('the type of base %s', (base) => {
    const type = ready.includes(base) ? `${base}CODE` : `${base}/CODE`
    expect(answer(refused(404, 'CODE'), { base }).json.type).toBe(type)
  })

  test.each(
    rows(String.raw`
      /users?x#y                         | /users
      /a%20b                             | /a%20b
      /~a.b-c_d!$&'()*+,;=:@             | /~a.b-c_d!$&'()*+,;=:@
      /\"<b>^${'`'}{\u007c}              | /%22%3Cb%3E%5E%60%7B%7C%7D
      //evil.example/users               | /.//evil.example/users
      ///evil.example                    | /.///evil.example
      /\\/evil.example                   | /%5C/evil.example
      \\\\evil.example                   | /.//evil.example
      \t//evil.example                   | /.//evil.example
      /\r\n/evil.example                 | /%0D%0A/evil.example
      http://evil.example/users?x        | /users
      http://evil.example//other.example | /.//other.example
      http:evil.example                  | /evil.example
      javascript:alert(1)                | /alert(1)
      /users\u00e9                       | /users%C3%A9
      /\ud800                            | /%EF%BF%BD
      *                                  | /*
      /.//evil.example                   | /.//evil.example
    `),
  )('instance of %s: %s', (target, instance) => {
    expect(answer(refused(), { instance: true }, undefined, JSON.parse(`"${target}"`)).json.instance).toBe(instance)
  })

  const words = 'http: HTTP:// javascript: file:/// evil.example [::1] u:p@ %2e %5c %2f .. //'.split(' ')
  const piece = fc.oneof(fc.constantFrom(...words, ...'/\\\t\n\r \0:@?#.*'), fc.string({ unit: codePoint }))
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  const bases = fc.constantFrom('http://api.example.com/x', 'https://api.example.com:8443/x/y?z')
  property(
    'a browser resolves instance to the host that answered, whatever was asked',
    fc.property(target, bases, (url, base) => {
      const { instance } = answer(refused(), { instance: true }, undefined, url).json
      expect(instance).toMatch(/^\/(?!\/)[!-~]*$/)
      expect(new URL(instance, base).origin).toBe(new URL(base).origin)
    }),
  )
})

test('other errors, and all errors once the headers are sent, go on to the next handler', () => {
  for (const error of [new Error('x'), { status: 404 }, null, 'route']) {
    expect(answer(error)).toMatchObject({ errors: [error], bodies: [] })
  }
  expect(answer(refused(), {}, (res) => res.flushHeaders())).toMatchObject({ errors: [refused()], bodies: [] })
})

const dropped =
  'ETag Content-Digest Repr-Digest Unencoded-Digest Content-MD5 Digest Accept-Ranges Content-Disposition Content-Encoding ' +
  'Content-Language Content-Location Content-Range Expires Last-Modified Transfer-Encoding'
test.each<[name: string, value: string | string[], kept: boolean]>([
  ...dropped.split(' ').map((name): [string, string, boolean] => [name, 'x', false]),
  ...['Vary', 'Set-Cookie', 'Content-Security-Policy'].map((name): [string, string, boolean] => [name, 'x', true]),
  ['Cache-Control', 'max-age=60', false],
  ['Cache-Control', 'private, max-age=60', true],
  ['Cache-Control', 'no-store', true],
  ['Cache-Control', 'No-Cache', true],
  ['Cache-Control', ['max-age=60', 'private'], true],
])('%s: %s, which was set for another body, stays: %p', (name, value, kept) => {
  const { res } = answer(refused(), {}, (it) => void it.status(200).type('csv').setHeader(name, value))
  expect(res.getHeader(name)).toEqual(kept ? value : undefined)
  expect([res.statusCode, res.getHeader('content-type')]).toEqual([404, 'application/problem+json'])
})

test('behind versioning(): Vary stays, nothing is echoed, HEAD has no body, gone versions are not supported', async () => {
  const later: ErrorRequestHandler = (error, _req, _res, next) => next(error)
  const tell: RequestHandler = (req, res) => void res.json(req.version)
  const schemes = [new URLPathVersioning(), new HeaderVersioning(), new AcceptHeaderVersioning()]
  const scheme = new CombinedVersioning({ schemes, allowedVersions: ['v1', 'v2'] })
  const routes = namedRoutes({ users: '/:version/users' })
  const gone = { lifecycle: { v1: { sunset: '2020-01-01' } }, afterSunset: 'gone' } as const
  const { get, send } = await serve((app) => {
    app.use('/all', versioning({ scheme, routes }), tell)
    app.use(
      '/gone',
      versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', null], ...gone }),
      tell,
    )
    app.use('/all', problemDetails({ base: 'https://a.example/' }), later)
    app.use('/gone', problemDetails({ instance: true }))
  })
  const echo = { 'X-API-Version': 'ECHO', Accept: 'text/ECHO; version=ECHO' }
  for (const [path, headers] of [
    ['/all/ECHO/users?ECHO=ECHO', {}],
    ['/all/v1/users?ECHO', echo],
    ['/all/v1/users', { 'X-API-Version': 'v2', 'X-ECHO': 'ECHO' }],
  ] as const) {
    const { status, headers: answered, text } = await get(path, headers)
    expect([status >= 400, answered.vary]).toEqual([true, 'X-API-Version, Accept'])
    expect(text + JSON.stringify(answered)).not.toContain('ECHO')
  }
  const expected = { status: 410, supportedVersions: ['v2'], instance: '/gone/x' }
  expect((await get('/gone/x?version=v1')).json).toMatchObject(expected)
  expect((await get('/gone/x?version=v9')).json).toMatchObject({ status: 404, supportedVersions: ['v2'] })
  const [head, full] = [await send('HEAD', '/gone/x?version=v9'), await get('/gone/x?version=v9')]
  expect([head.status, head.text, head.headers['content-length']]).toEqual([404, '', full.headers['content-length']])
})

test.each<[convert: boolean | undefined, type: string, body: object]>([
  [undefined, 'application/json', { old: 'ERR_VERSION_UNHANDLED' }],
  [false, 'application/problem+json', { status: 404, code: 'ERR_VERSION_UNHANDLED' }],
])('convert %p: an older version gets %s', async (convert, type, body) => {
  const error = ({ code }: { code: string }) => ({ old: code })
  const changes = versionHistory('v1').version('v2', change('Flat errors.', { '*': { error } }))
  const { get } = await serve((app) => {
    const routes = namedRoutes({ users: '/users' })
    routes.route('users').get((_req, _res, next) => next(refused(404, 'ERR_VERSION_UNHANDLED')))
    app.use(
      versioning({ scheme: QueryParameterVersioning, routes, changes }),
      routes,
      problemDetails({ convert }) as never,
    )
  })
  const { headers, json } = await get('/users?version=v1')
  expect([headers['content-type'], json]).toEqual([type, expect.objectContaining(body)])
  expect((await get('/users?version=v2')).headers['content-type']).toBe('application/problem+json')
})
