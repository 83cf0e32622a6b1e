import type { Response } from 'express'
import type { ProblemDetailsOptions } from 'express-versioning'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { codePoint } from '../support/code-points'
import { run } from '../support/dispatch'
import { property } from '../support/property'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { routed } from '../support/tables'

const { HeaderVersioning, NotAcceptable, NotFound, problemDetails, VersioningError, versioning } = library

const rejected = (status = 404, code = 'ERR_VERSION_NOT_FOUND', allowedVersions: (string | null)[] = []) =>
  new VersioningError('No.', { status, code, allowedVersions })

function response(error: unknown, options?: ProblemDetailsOptions, before = (_res: Response) => {}, url = '/') {
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

class Own extends NotFound {}
const missing = rejected(406, 'ERR_VERSION_MISSING', ['v1', null, 'v2'])
test.each<[error: library.VersioningError, title: string, phrase: string, detail?: string]>([
  [new NotFound(), 'Version not found', 'Not Found', 'Not found.'],
  [new NotAcceptable(), 'Version not acceptable', 'Not Acceptable', 'Not acceptable.'],
  [missing, 'Version missing', 'Not Acceptable', 'The request names no version, and must name one.'],
  [rejected(410, 'ERR_VERSION_GONE'), 'Version gone', 'Gone'],
  [rejected(400, 'ERR_VERSION_HOST'), 'Ambiguous host', 'Bad Request'],
  [rejected(400, 'ERR_VERSION_CONFLICT'), 'Conflicting versions', 'Bad Request'],
  [rejected(404, 'ERR_VERSION_UNHANDLED'), 'Version not supported here', 'Not Found'],
  [rejected(415, 'ERR_VERSION_BODY'), 'Request does not fit its version', 'Unsupported Media Type'],
  [rejected(422, 'ERR_X'), 'Unprocessable Entity', 'Unprocessable Entity'],
  [rejected(499, 'ERR_X'), 'Error', 'Error'],
  [new Own('Own.'), 'Version not found', 'Not Found', 'Own.'],
])('the body of error %#', (error, title, phrase, detail = 'No.') => {
  const { status, code } = error
  const { res, bodies } = response(error)
  const versions = error === missing ? { supportedVersions: ['v1', 'v2'] } : {}
  const plain = { type: 'about:blank', title: error === missing ? title : phrase, status, detail, code, ...versions }
  const body = JSON.stringify(plain)
  expect(bodies).toEqual([body])
  const headers = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) }
  expect([res.statusCode, res.statusMessage, res.getHeaders()]).toEqual([status, phrase, headers])
  const { json } = response(error, { base: 'https://a.example/', instance: true, supportedVersions: false })
  expect(json).toEqual({ type: `https://a.example/${code}`, title, status, detail, code, instance: '/' })
})

const REFERENCES = rows(String.raw`
    // base                      | target | type, instance
    https://a.example/e.html#    | /users?x#y                  | https://a.example/e.html#CODE | /users
    https://a.example/?e=        | //evil.example/users        | https://a.example/?e=CODE     | /.//evil.example/users
    urn:acme:                    | http://evil.example//b      | urn:acme:CODE                 | /.//b
    https://a.example/errors     | javascript:alert(1)         | https://a.example/errors/CODE | /alert(1)
    https://a.example            | \t//evil.example            | https://a.example/CODE        | /.//evil.example`)
test.each(REFERENCES)('with base %s, of %s: %s, %s', (base, target, type, instance) => {
  const { json } = response(rejected(404, 'CODE'), { base, instance: true }, undefined, JSON.parse(`"${target}"`))
  expect([json.type, json.instance]).toEqual([type, instance])
})

const words = 'http: HTTP:// javascript: file:/// evil.example [::1] u:p@ %2e %5c %2f .. //'.split(' ')
const piece = fc.oneof(fc.constantFrom(...words, ...'/\\\t\n\r \0:@?#.*'), fc.string({ unit: codePoint }))
const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
const bases = fc.constantFrom('http://api.example.com/x', 'https://api.example.com:8443/x/y?z')
property(
  'a browser resolves instance to the host that responded, whatever was asked',
  fc.property(target, bases, (url, base) => {
    const { instance } = response(rejected(), { instance: true }, undefined, url).json
    expect(instance).toMatch(/^\/(?!\/)[!-~]*$/)
    expect(new URL(instance, base).origin).toBe(new URL(base).origin)
  }),
)

test('other errors, and all errors once the headers are sent, go on to the next handler', () => {
  for (const error of [new Error('x'), { status: 404 }, null, 'route']) {
    expect(response(error)).toMatchObject({ errors: [error], bodies: [] })
  }
  expect(response(rejected(), {}, (res) => res.flushHeaders())).toMatchObject({ errors: [rejected()], bodies: [] })
})

const OF_A_BODY =
  'ETag Content-Digest Repr-Digest Unencoded-Digest Content-MD5 Digest Content-Disposition Content-Encoding Content-Language ' +
  'Content-Location Accept-Ranges Content-Range Expires Last-Modified'
test.each(['x', 'No-Store', 'private', 'no-cache'])('the header fields of another body go, with %s', (control) => {
  const fields = Object.fromEntries(OF_A_BODY.split(' ').map((name) => [name, 'x']))
  const { res, bodies } = response(rejected(), {}, (it) => {
    it.status(200)
      .type('csv')
      .set({ ...fields, Vary: 'Accept', 'Cache-Control': control })
  })
  const own = { 'content-type': 'application/problem+json', 'content-length': bodies[0]?.length }
  expect(res.statusCode).toBe(404)
  expect({ ...res.getHeaders() }).toEqual({
    ...own,
    vary: 'Accept',
    ...(control !== 'x' && { 'cache-control': control }),
  })
})

const [old, gives] = ['application/json {"old":"ERR_VERSION_', 'application/problem+json {"type":"about:blank",']
const [invalid, no] = ['"detail":"Invalid version in \\"X-API-Version\\" header."', '"detail":"No."']
const acceptable = '"code":"ERR_VERSION_NOT_ACCEPTABLE","instance":"/x","supportedVersions":["v1","v2"]}'
const notFound = `${gives}"title":"Not Found","status":404,${no},"code":"ERR_VERSION_NOT_FOUND"`
// Vary stays, HEAD has no body, gone versions are not supported, older ones convert.
test.each(
  rows(`
    GET  | /users       | v0 | 410 ${old}GONE"}
    GET  | /x           | v9 | 406 ${gives}"title":"Not Acceptable","status":406,${invalid},${acceptable}
    HEAD | /x           | v9 | 406 application/problem+json
    GET  | /users       | v1 | 404 ${old}NOT_FOUND"}
    GET  | /late        | v1 | 404 ${old}UNHANDLED"}
    GET  | /users       | v2 | 404 ${notFound},"instance":"/users"}
    GET  | /plain/users | v1 | 404 ${notFound}}`),
)('behind versioning(): %s %s in %s', async (method = '', path = '', version = '', told = '') => {
  const error = ({ code }: { code: string }) => ({ old: code })
  const changes = versionHistory('v0')
    .version('v1')
    .version('v2', change('Flat errors.', { '*': { error }, 'GET late': 'added' }))
  const gone = { lifecycle: { v0: { sunset: '2020-01-01' } }, afterSunset: 'gone' } as const
  const paths = { users: '/users', plain: '/plain/users', late: '/late' }
  const routes = routed(paths, (_req, _res, next) => next(rejected()))
  const settings = { scheme: HeaderVersioning, defaultVersion: 'v2', ...gone, routes, changes }
  const { send } = await serve((app) => {
    app.use(versioning(settings), routes)
    app.use('/plain', problemDetails({ convert: false })).use(problemDetails({ instance: true }))
  })
  const { status, headers, text } = await send(method, path, { 'X-API-Version': version })
  expect(`${status} ${headers['content-type']} ${text}`.trim()).toBe(told)
  expect([headers.vary, Number(headers['content-length']) > 20]).toEqual(['X-API-Version', true])
})
