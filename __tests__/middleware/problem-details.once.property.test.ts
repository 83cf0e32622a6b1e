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
  type VersioningErrorOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { codePoint } from '../support/code-points'
import { run, type Sent } from '../support/dispatch'
import { property } from '../support/property'
import { serve } from '../support/serve'

const BASE = 'https://api.example.com/errors/'
const refused = (options?: Partial<VersioningErrorOptions>) =>
  new VersioningError('No.', { status: 404, code: 'ERR_VERSION_NOT_FOUND', ...options })

/** Answers an error. Returns the body and the response. */
function answer(
  error: unknown,
  options?: ProblemDetailsOptions,
  before = (_res: Response) => {},
  sent: Sent = { url: '/' },
) {
  let text = ''
  const { res, errors } = run((req, res, next) => {
    before(res)
    res.end = ((body: string) => {
      text = body
      return res
    }) as never
    problemDetails(options)(error, req, res, next)
  }, sent)
  return { res, errors, text, json: text === '' ? undefined : JSON.parse(text) }
}

describe('the body', () => {
  const DETAIL = 'The request names no version, and must name one.'
  const gone = { status: 410, code: 'ERR_VERSION_GONE' }
  const missing = { status: 406, code: 'ERR_VERSION_MISSING', allowedVersions: ['v1', null, 'v2'] }

  test.each<[what: string, error: VersioningError, title: string, phrase: string, rest: object]>([
    ['a wrong version', new NotFound(), 'Version not found', 'Not Found', { detail: 'Not found.' }],
    ['a header', new NotAcceptable(), 'Version not acceptable', 'Not Acceptable', { detail: 'Not acceptable.' }],
    [
      'no version',
      refused(missing),
      'Version missing',
      'Version missing',
      { detail: DETAIL, supportedVersions: ['v1', 'v2'] },
    ],
    ['a gone one', refused(gone), 'Version gone', 'Gone', { detail: 'No.' }],
    ['two hosts', refused({ status: 400, code: 'ERR_VERSION_HOST' }), 'Ambiguous host', 'Bad Request', {}],
    ['two versions', refused({ status: 400, code: 'ERR_VERSION_CONFLICT' }), 'Conflicting versions', 'Bad Request', {}],
    ['byVersion()', refused({ code: 'ERR_VERSION_UNHANDLED' }), 'Version not supported here', 'Not Found', {}],
    [
      'a body',
      refused({ status: 415, code: 'ERR_VERSION_BODY' }),
      'Request does not fit its version',
      'Unsupported Media Type',
      {},
    ],
    ['a code of your own', refused({ status: 422, code: 'ERR_X' }), 'Unprocessable Entity', 'Unprocessable Entity', {}],
    ['a status without a phrase', refused({ status: 499, code: 'ERR_X' }), 'Error', 'Error', {}],
    ['a subclass', new (class Own extends NotFound {})('Own.'), 'Version not found', 'Not Found', { detail: 'Own.' }],
  ])('of %s', (_what, error, title, phrase, rest) => {
    const { status, code, message } = error
    const plain = answer(error)
    const expected = { type: 'about:blank', title: phrase, status, detail: message, code, ...rest }
    expect(plain.text).toBe(JSON.stringify(expected))
    expect([plain.res.statusCode, plain.res.getHeaders()]).toEqual([
      status,
      { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(plain.text) },
    ])
    expect(plain.res.statusMessage).toBe(phrase === 'Version missing' ? 'Not Acceptable' : phrase)
    const { json } = answer(error, { base: BASE, instance: true, supportedVersions: false })
    const { supportedVersions: _none, ...told } = { ...expected, supportedVersions: [] }
    expect(json).toEqual({ ...told, type: `${BASE}${code}`, title, instance: '/' })
  })

  test.each([
    ['https://a.example/errors/', 'https://a.example/errors/CODE'],
    ['https://a.example/errors', 'https://a.example/errors/CODE'],
    ['https://a.example', 'https://a.example/CODE'],
    ['https://a.example/errors.html#', 'https://a.example/errors.html#CODE'],
    ['https://a.example/errors?code=', 'https://a.example/errors?code=CODE'],
    ['urn:acme:errors:', 'urn:acme:errors:CODE'],
  ])('base %s: type %s', (base, type) => {
    expect(answer(refused({ code: 'CODE' }), { base }).json.type).toBe(type)
  })

  test.each<[target: string, instance: string]>([
    ['/users?x#y', '/users'],
    ['/a%20b', '/a%20b'],
    ["/~a.b-c_d!$&'()*+,;=:@", "/~a.b-c_d!$&'()*+,;=:@"],
    ['/"<b>^`{|}', '/%22%3Cb%3E%5E%60%7B%7C%7D'],
    ['//evil.example/users', '/.//evil.example/users'],
    ['///evil.example', '/.///evil.example'],
    ['/\\/evil.example', '/%5C/evil.example'],
    ['\\\\evil.example', '/.//evil.example'],
    ['\t//evil.example', '/.//evil.example'],
    ['/\r\n/evil.example', '/%0D%0A/evil.example'],
    ['http://evil.example/users?x', '/users'],
    ['http://evil.example//other.example', '/.//other.example'],
    ['http:evil.example', '/evil.example'],
    ['javascript:alert(1)', '/alert(1)'],
    ['/users\xe9', '/users%C3%A9'],
    ['/\ud800', '/%EF%BF%BD'],
    ['*', '/*'],
    ['', '/'],
    ['/.//evil.example', '/.//evil.example'],
  ])('instance of %j: %j', (url, instance) => {
    expect(answer(refused(), { instance: true }, undefined, { url }).json.instance).toBe(instance)
  })

  const words = [
    'http:',
    'HTTP://',
    'javascript:',
    'file:///',
    'evil.example',
    '[::1]',
    'u:p@',
    '%2e',
    '%5c',
    '%2f',
    '..',
    '//',
  ]
  const piece = fc.oneof(fc.constantFrom(...words, ...'/\\\t\n\r \0:@?#.*'), fc.string({ unit: codePoint }))
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  const bases = fc.constantFrom('http://api.example.com/x', 'https://api.example.com:8443/x/y?z')
  property(
    'a browser resolves instance to the host that answered, whatever was asked',
    fc.property(target, bases, (url, base) => {
      const { instance } = answer(refused(), { instance: true }, undefined, { url }).json
      expect(instance).toMatch(/^\/(?!\/)[!-~]*$/)
      expect(new URL(instance, base).origin).toBe(new URL(base).origin)
    }),
  )
})

test('other errors, and all errors once the headers are sent, go on to the next handler', () => {
  const [other, late] = [new Error('x'), refused()]
  for (const error of [other, { status: 404 }, null, undefined, 'route']) {
    const { errors, served } = run((req, res, next) => problemDetails()(error, req, res, next), { url: '/' })
    expect([errors, served]).toEqual(error === undefined ? [[], 1] : [[error], 0])
  }
  expect(answer(late, {}, (res) => res.flushHeaders())).toMatchObject({ errors: [late], text: '' })
})

test.each<[name: string, value: string | string[], kept: boolean]>([
  ...[
    ...['ETag', 'Content-Digest', 'Repr-Digest', 'Unencoded-Digest', 'Content-MD5', 'Digest', 'Accept-Ranges'],
    ...['Content-Disposition', 'Content-Encoding', 'Content-Language', 'Content-Location', 'Content-Range', 'Expires'],
    ...['Last-Modified', 'Transfer-Encoding'],
  ].map((name): [string, string, boolean] => [name, 'x', false]),
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

describe('behind versioning()', () => {
  const later: ErrorRequestHandler = (error, _req, _res, next) => next(error)
  const tell: RequestHandler = (req, res) => void res.json(req.version)
  const routes = namedRoutes({ users: '/:version/users' })
  const scheme = new CombinedVersioning({
    schemes: [new URLPathVersioning(), new HeaderVersioning(), new AcceptHeaderVersioning()],
    allowedVersions: ['v1', 'v2'],
  })
  const lifecycle = { v1: { sunset: '2020-01-01' } }
  const byQuery = { scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', null] }
  const history = versionHistory('v1').version(
    'v2',
    change('Flat errors.', { '*': { error: ({ code }: { code: string }) => ({ old: code }) } }),
  )

  test('Vary stays, nothing is echoed, gone versions are not supported, HEAD has no body, a mount is part of instance', async () => {
    const { get, send } = await serve((app) => {
      app.use('/all', versioning({ scheme, routes }), tell)
      app.use('/gone', versioning({ ...byQuery, lifecycle, afterSunset: 'gone' }), tell)
      app.use('/all', problemDetails({ base: BASE }), later)
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
    const { get } = await serve((app) => {
      const table = namedRoutes({ users: '/users' })
      table.route('users').get((_req, _res, next) => next(refused({ code: 'ERR_VERSION_UNHANDLED' })))
      app.use(versioning({ scheme: QueryParameterVersioning, routes: table, changes: history }), table)
      app.use(problemDetails({ convert }))
    })
    const { headers, json } = await get('/users?version=v1')
    expect([headers['content-type'], json]).toEqual([
      expect.stringMatching(`^${type.replace('+', '\\+')}`),
      expect.objectContaining(body),
    ])
    expect((await get('/users?version=v2')).headers['content-type']).toBe('application/problem+json')
  })
})
