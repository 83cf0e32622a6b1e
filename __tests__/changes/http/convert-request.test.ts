// `convertRequest` in front of handlers that are elsewhere: requests are checked and converted there, or pass as they are.

import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { deflateSync, gzipSync } from 'node:zlib'
import express, { type Application, type RequestHandler, Router } from 'express'
import {
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionEvent,
  versioning,
} from 'express-versioning'
import { change, convertRequest, sent, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { Ajv } from '../../support/ajv'
import { ask } from '../../support/changes'
import {
  ADA,
  both,
  CHANGED,
  HISTORY,
  OLD_ADA,
  parser,
  saw,
  serveUsers,
  status,
  UNHANDLED,
  USERS,
  users,
  usersOptions,
  warningsOfTests,
} from '../../support/elsewhere'
import { major } from '../../support/major'
import { type HttpResponse, jsonErrors, listen, serve } from '../../support/serve'

const warnings = warningsOfTests()
const MISFIT = { error: 'The request is not valid in version v1.', code: 'ERR_VERSION_BODY' }

const byNow: RequestHandler = (req, _res, next) => {
  try {
    convertRequest.now(req)
    next()
  } catch (error) {
    next(error)
  }
}
const sawIn = ({ headers }: HttpResponse) => JSON.parse(String(headers['x-saw']))
const mounted = (app: Pick<Router, 'use'>, router: RequestHandler = users()) => app.use('/users', router).use(status())

/** The ways to place it, and to name the version. */
interface Place {
  at?: string
  options?: Parameters<typeof usersOptions>[0]
  path?(version: string, path: string): string
}
const unchanged = (_version: string, path: string) => path
const inApi = (_version: string, path: string) => `/api${path}`
const PLACES: [title: string, fill: (app: Application) => unknown, place?: Place][] = [
  ['in an app', (app) => mounted(both(app))],
  ['in a router', (app) => mounted(app, users(Router().use(parser(), convertRequest)))],
  ['on each route', (app) => mounted(app.use(parser()), users(Router(), convertRequest))],
  ['twice', (app) => mounted(both(app).use(convertRequest), users(Router().use(convertRequest)))],
  ['in an app inside', (app) => app.use(mounted(both(express())) as Application)],
  ['in front of an app inside', (app) => mounted(both(app), express().use(users()) as never)],
  ['by now()', (app) => mounted(app.use(parser(), byNow))],
  ['by with()', (app) => mounted(app.use(convertRequest.with(parser()), parser()))],
  ['by with(), behind the parser', (app) => mounted(app.use(parser(), convertRequest.with(parser())))],
  [
    'below a prefix',
    (app) => app.use('/api', parser(), convertRequest, mounted(Router()) as Router),
    { at: '/api', path: inApi },
  ],
  [
    'in an included table',
    (app) => both(app).use('/api', mounted(Router()) as Router),
    { options: { routes: namedRoutes({}).include('/api', routesOf(USERS)) }, path: inApi },
  ],
  [
    'below the version in the path',
    (app) => app.use('/:version', parser(), convertRequest, mounted(Router()) as Router),
    { at: '/:version', options: { scheme: URLPathVersioning }, path: (version, path) => `/${version}${path}` },
  ],
  [
    'with the version in the query',
    (app) => mounted(both(app)),
    {
      options: { scheme: QueryParameterVersioning },
      path: (version, path) => `${path}${path.includes('?') ? '&' : '?'}version=${version}`,
    },
  ],
]

type Case = [asked: string, body: object | undefined, response: unknown, saw?: object]
const CASES: Record<'v1' | 'v2', Case[]> = {
  v1: [
    ['GET /users', undefined, [OLD_ADA], [{}, null]],
    ['GET /users?name=Bob&page=2', undefined, [OLD_ADA], [{ page: '2', given: 'Bob' }, null]],
    ['POST /users', OLD_ADA, OLD_ADA, [{}, ADA]],
    ['GET /users/me', undefined, { ...OLD_ADA, id: 'me' }],
    ['GET /users/8', undefined, { ...OLD_ADA, id: '8' }],
    ['GET /users/Ab%20c;d', undefined, { ...OLD_ADA, id: 'Ab c;d' }],
    ['HEAD /users/8', undefined, 200],
    ['PUT /users/7', OLD_ADA, OLD_ADA, [{}, ADA]],
    ['DELETE /users/7', undefined, 204],
    ['OPTIONS /users/7', undefined, 200],
    ['GET /status', undefined, 'fine'],
    ['POST /users', { id: '7' }, MISFIT],
    ['DELETE /users/7', {}, MISFIT],
  ],
  v2: [
    ['GET /users?name=Bob', undefined, [ADA], [{ name: 'Bob' }, null]],
    ['POST /users', ADA, ADA, [{}, ADA]],
    ['POST /users', { odd: 1 }, { odd: 1 }, [{}, { odd: 1 }]],
    ['GET /users/8', undefined, { ...ADA, id: '8' }],
    ['DELETE /users/7', { odd: 1 }, 204],
    ['GET /status', undefined, 'fine'],
  ],
}
const EVERY = Object.entries(CASES).flatMap(([version, cases]) =>
  cases.map((one): [version: string, ...Case] => [version, ...one]),
)

describe.each(PLACES)('%s', (_title, fill, { at = '/', options = {}, path: pathOf = unchanged } = {}) => {
  // One app for all cases: to read its document takes longer than a request.
  const app = express().use(at, versioning(usersOptions(options)))
  fill(app)
  app.use(jsonErrors)

  test.each(EVERY)('in %s, %s with %j', async (version, asked, body, response, ...[saw]) => {
    const [method, path] = asked.split(' ') as [string, string]
    const got = await ask(await listen(app), version, pathOf(version, path), { method, body })
    if (typeof response === 'number') expect(got.status).toBe(response)
    else if (response === MISFIT) expect(got).toMatchObject({ status: 400, json: MISFIT })
    else expect(got.json).toStrictEqual(response)
    if (saw === undefined) return
    const [{ version: _, ...query }, given] = sawIn(got)
    // Express 4 has an empty body where there is none.
    expect([query, Object.keys(Object(given)).length === 0 ? null : given]).toStrictEqual(saw)
  })
})

// Its details --------------------------------------------------------------------------------------------------------

test('the newer query is in req.url too, and nothing else of it changes; sent() has what the client sent', async () => {
  let saw: unknown
  const show: RequestHandler = (req, res) => {
    saw = [req.url, req.path, req.originalUrl, { ...req.query }, { ...sent(req).query }]
    res.json([])
  }
  const url = '/users?page=1%202&name=%26%C3%A9&tag=a&tag=b'
  await ask(await serveUsers((app) => both(app).use('/users', show)), 'v1', url)
  const query = { page: '1 2', tag: ['a', 'b'] }
  const newer = '/?page=1%202&tag=a&tag=b&given=%26%C3%A9'
  expect(saw).toStrictEqual([newer, '/', url, { ...query, given: '&é' }, { ...query, name: '&é' }])
})

test('a query that no url can carry is 400', async () => {
  const lone = change('Odd.', { 'GET /status': { query: () => ({ q: '\ud800' }) } })
  const changes = versionHistory('v1').version('v2', lone)
  const server = await serveUsers((app) => both(app).use(status()), { changes } as never)
  expect(await ask(server, 'v1', '/status')).toMatchObject({ status: 400, json: MISFIT })
})

test("a contract checks and strips in front of handlers elsewhere, in the client's version", async () => {
  const ajv = new Ajv()
  const compile = (schema: object) => ajv.compile(schema)
  const serving = (options: object = {}) =>
    serveUsers((app) => both(app).use('/users', users()), { contract: contract({ compile, ...options }) })
  const server = await serving()
  const issues = await ask(server, 'v1', '/users', { method: 'POST', body: { id: 7 } })
  expect(issues).toMatchObject({ status: 400, json: { code: 'ERR_VERSION_CONTRACT' } })
  expect((await ask(server, 'v1', '/users', { method: 'POST' })).status).toBe(400)
  const stripped = await ask(server, 'v1', '/users?name=A&odd=1', {})
  expect(sawIn(stripped)[0]).toStrictEqual({ given: 'A' })
  const deleted = await ask(server, 'v1', '/users/7', { method: 'DELETE', body: { odd: 1 } })
  expect([deleted.status, Object.keys(sawIn(deleted)[1] ?? {})]).toStrictEqual([204, []])
  const strict = await serving({ requests: 'all' })
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: { id: '7' } })).status).toBe(400)
  expect((await ask(strict, 'v2', '/users', { method: 'POST', body: ADA })).status).toBe(201)
})

test('observers are told of a request that did not fit, once, by the middleware and by now()', async () => {
  const events: string[] = []
  const onVersion = ({ phase, version, error }: VersionEvent) =>
    events.push(`${phase} ${version} ${Object(error).code}`)
  for (const handler of [convertRequest, byNow, convertRequest.with(parser())]) {
    const server = await serveUsers((app) => app.use(parser(), handler).use('/users', users()), { onVersion })
    await ask(server, 'v1', '/users', { method: 'POST', body: { id: '7' } })
    expect(events.splice(0)).toStrictEqual(['decided v1 undefined', 'failed v1 ERR_VERSION_BODY'])
  }
})

test.each<[neutral: string[], taken: string]>([
  [['/users/:any'], 'DELETE /users/{id}'],
  [['/status', 'GET /users/*rest'], 'GET /users/me'],
  [['PUT /users/:id'], 'PUT /users/{id}'],
  [['/users/7'], 'GET /users/{id}'],
  [['DELETE /users/{:id}.png'], 'DELETE /users/{id}'],
  [['/:things/you'], 'GET /users/{id}'],
  [['/users/me/photo', 'POST /users/:id', '/user'], 'none'],
])('of the paths of %j, none may take an operation that changes: %s', (neutral, taken) => {
  const changes = HISTORY.version('v3', change('Users stay.', { 'DELETE /users/{id}': 'removed' })) as never
  const start = () => versioning(usersOptions({ changes, defaultVersion: 'v3', neutral }))
  const told = `- "${neutral.at(-1)}" takes "${taken}", of the change "`
  if (taken === 'none') expect(start).not.toThrow()
  else expect(start).toThrow(told)
})

test.each<[neutral: string, takes: boolean]>([
  ['/docs{/*rest}', false],
  ['/redoc/users', false],
  ['/v1/users/:id', true],
  ['/v2{/*rest}', true],
  ['/:any/users', true],
])('with versions in the path, %s may be a page if its text is no version', (neutral, takes) => {
  const routes = namedRoutes({}).include('{/:version}', routesOf(USERS))
  const start = () => versioning(usersOptions({ scheme: URLPathVersioning, routes, neutral: [neutral] }))
  if (takes) expect(start).toThrow(`- "${neutral}" takes "`)
  else expect(start).not.toThrow()
})

test('a method of a path is neutral, and others are converted', async () => {
  const { send } = await serveUsers((app) => both(app).use('/users', users()), { neutral: ['DELETE /users/:id'] })
  const ask = (method: string) => send(method, '/users/7', { 'X-API-Version': 'v9' })
  expect(await ask('DELETE')).toMatchObject({ status: 204 })
  expect(await ask('GET')).toMatchObject({ status: 406 })
})

test('without a versioning() in front, and for neutral routes, nothing happens', async () => {
  const server = await serve((app) => {
    app.use(convertRequest, convertRequest.with(parser()), byNow)
    app.use(versioning(usersOptions({ neutral: ['/status'] })), parser(), convertRequest, status())
  })
  expect((await ask(server, 'v1', '/status')).json).toBe('fine')
})

test('a table has handlers of its own behind it: they get the request converted once, and so do those behind next()', async () => {
  const inner = routesOf(USERS)
  const outer = namedRoutes({}).include('/api', inner)
  const seen: unknown[] = []
  const see: RequestHandler = (req, _res, next) => next(void seen.push([req.body, sent(req).body]))
  inner.route('/users').post(see, convertRequest, see)
  const server = await serveUsers((app) => both(app).use(outer, see).use('/api/users', users()), { routes: outer })
  expect((await ask(server, 'v1', '/api/users', { method: 'POST', body: OLD_ADA })).json).toStrictEqual(OLD_ADA)
  expect(seen).toStrictEqual([1, 2, 3].map(() => [ADA, OLD_ADA]))
})

test('in a table that has all handlers, its routes convert, and the middleware does nothing', async () => {
  const changes = versionHistory('v1').version('v2', change('Split.', { 'POST users': { request: () => ADA } }))
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').post((req, res) => void res.json(req.body))
  const before: unknown[] = []
  const see: RequestHandler = (req, _res, next) => next(void before.push(req.body))
  const fill = (app: Application) => both(app).use(convertRequest.with(parser()), see, routes)
  const server = await serveUsers(fill, { routes, changes } as never)
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA })).json).toStrictEqual(ADA)
  expect(before).toStrictEqual([OLD_ADA])
})

test('another route of the table that begins later gets what was sent, converted for its own operation', async () => {
  const routes = routesOf(USERS)
  routes.route('/users/{id}').put((req, res) => void res.json(req.body))
  routes.route('/status').post((req, res) => void res.json(req.body))
  const moving: RequestHandler = (req, _res, next) =>
    next(void Object.assign(req, { url: '/users/7?a=1', method: 'PUT' }))
  const server = await serveUsers((app) => both(app).use(moving, routes), { routes })
  const { json } = await ask(server, 'v1', '/users?name=x', { method: 'POST', body: OLD_ADA })
  expect(json).toStrictEqual(OLD_ADA)
})

test('an inner versioning() with its own history converts anew what was sent', async () => {
  const inner = usersOptions()
  const server = await serveUsers((app) => both(app).use(versioning(inner), convertRequest).use('/users', users()))
  const posted = await ask(server, 'v1', '/users?name=Bob', { method: 'POST', body: OLD_ADA })
  expect([posted.json, sawIn(posted)]).toStrictEqual([OLD_ADA, [{ name: 'Bob' }, ADA]])
  expect(sawIn(await ask(server, 'v1', '/users?name=Bob'))[0]).toStrictEqual({ given: 'Bob' })
})

test('now() is for requests of Express, and with() takes parsers', () => {
  expect(() => convertRequest.with()).toThrow('convertRequest.with() takes parsers, such as express.json(); got none.')
  expect(() => convertRequest.with(parser(), 7 as never)).toThrow('got 7.')
  expect(() => convertRequest.now({} as never)).not.toThrow()
})

// What has nothing to convert passes as a stream, byte for byte -------------------------------------------------------

/** Shows what is left in the stream, as a proxy would send it on. */
const left: RequestHandler = async (req, res) => {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece)
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers
  res.set('X-Left', JSON.stringify([Buffer.concat(pieces).toString('base64'), length ?? null, coding ?? null]))
  if (req.url.endsWith('photo') || req.method === 'DELETE') return void res.sendStatus(204)
  res.set('X-Saw', saw(req)).status(req.method === 'POST' ? 201 : 200)
  res.json(req.url.startsWith('/users?') || (req.url === '/users' && req.method === 'GET') ? [ADA] : ADA)
}
const text = JSON.stringify(OLD_ADA)
const PNG = `${String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))}\r\n\0\xff`
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const typed = (type: string, length: number | string = 'chunked') => [
  `Content-Type: ${type}`,
  typeof length === 'number' ? `Content-Length: ${length}` : `Transfer-Encoding: ${length}`,
]
const PHOTO = 'PUT /users/7/photo'
const FORWARD = (app: Application) => app.use(convertRequest.with(express.json()), left)

/** Sends a request as bytes, and returns the response and what the handler shows in a header field. */
async function sending(line: string, version: string, fields: string[], body: string, field: string) {
  const { raw } = await serveUsers(FORWARD)
  const head = [`${line} HTTP/1.1`, 'Host: a', `X-API-Version: ${version}`, ...fields, 'Connection: close']
  const response = await raw(`${head.join('\r\n')}\r\n\r\n${body}`)
  return [response, JSON.parse(new RegExp(`${field}: (.*)`, 'i').exec(response)?.[1] ?? 'null')]
}

test.each<[title: string, version: string, line: string, fields: string[], body: string, sent?: string]>([
  ['the newest version', 'v2', 'POST /users', typed('application/json', 7), '{ "a":1'],
  ['a body that no change is about', 'v1', PHOTO, typed('image/png', PNG.length), PNG],
  ['the same in chunks', 'v1', PHOTO, typed('image/png'), chunked(PNG), PNG],
  ['bytes for an operation without a body', 'v1', 'DELETE /users/7', typed('text/csv', 3), 'a,b'],
  ['no body', 'v1', 'GET /users/7', [], ''],
  ['a query that is converted, and a body', 'v1', 'GET /users?name=a', typed('text/csv', 3), 'a,b'],
])('%s passes as a stream', async (_title, version, line, fields, body, sent = body) => {
  const [, [bytes, length, coding]] = await sending(line, version, fields, body, 'X-Left')
  const isChunked = fields.includes('Transfer-Encoding: chunked')
  expect([bytes, coding]).toStrictEqual([Buffer.from(sent, 'latin1').toString('base64'), isChunked ? 'chunked' : null])
  expect(length).toBe(body === '' || isChunked ? null : String(body.length))
})

test.each([
  ['with a length', text.length, text],
  ['in chunks', 'chunked', chunked(text)],
])('what has something to convert is parsed and converted, %s', async (_title, length, body) => {
  const fields = typed('application/json', length)
  const [response, seen] = await sending('POST /users', 'v1', fields, body, 'X-Saw')
  expect(seen).toStrictEqual([{}, ADA])
  expect(response).toContain(text)
})

test('a stream passes before its end has come', async () => {
  const first = new EventEmitter()
  const { port } = await serveUsers((app) =>
    app.use(convertRequest.with(express.json()), (req, res) => {
      req.once('data', (piece) => first.emit('piece', String(piece)))
      req.once('end', () => res.set('Connection', 'close').sendStatus(204))
    }),
  )
  const socket = connect(port, '127.0.0.1')
  socket.write('PUT /users/7/photo HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nContent-Length: 9\r\n\r\nfirst')
  expect(await once(first, 'piece')).toEqual(['first'])
  socket.write('last')
  expect(await readAll(socket)).toContain(' 204 ')
})

const teapot = Object.assign(new Error('no'), { status: 418 })
const throwing: RequestHandler = () => {
  throw teapot
}
test.each<[title: string, status: number, ...parsers: [RequestHandler, ...RequestHandler[]]]>([
  ['a parser that fails later', 418, (_req, _res, next) => void setImmediate(() => next(teapot))],
  ['a second parser', 201, (_req, _res, next) => next(), parser()],
  ['one that throws', 418, throwing],
  ['one that leaves the router', 404, (_req, _res, next) => next('router')],
  ['one that responds', 413, (_req, res) => void res.sendStatus(413)],
  ['one that reads nothing', 415, (_req, _res, next) => next()],
])('%s', async (_title, status, ...parsers) => {
  const server = await serveUsers((app) => app.use(convertRequest.with(...parsers), left))
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA })).status).toBe(status)
})

// A number that JavaScript writes as another one would reach the service as another one.
const bodyWith = (number: string) => `{"id":"7","name":"Ada Lovelace","number":${number}}`
const LOST = '9007199254740993'
const latin1 = (bytes: Buffer) => bytes.toString('latin1')
const inUtf16 = (number: string) => latin1(Buffer.from(`\ufeff${bodyWith(number)}`, 'utf16le'))
const encodedBy = (encode: (bytes: string) => Buffer, number: string) => latin1(encode(bodyWith(number)))
const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
test.each<[title: string, status: number, body: string, type?: string, encoding?: string, version?: string]>([
  ['an integer of many digits', 400, bodyWith(LOST)],
  ['a fraction of many digits', 400, bodyWith('[{"a":0.12345678901234567890}]')],
  ['a power that is infinite', 400, bodyWith('1e400')],
  ['a number of no value', 400, bodyWith('1e-400')],
  ['one in the newest version', 201, bodyWith(LOST), JSON_TYPE, '', 'v2'],
  ['as a string', 201, bodyWith(`"${LOST}"`)],
  ['written in another way', 201, bodyWith('[12.50, 1e2, -0, 9007199254740992]')],
  ['no number', 201, bodyWith(`"${LOST}"`).replace('"number"', '"\\\\"')],
  ['in gzip', 400, encodedBy(gzipSync, LOST), JSON_TYPE, 'gzip'],
  ['in deflate', 400, encodedBy(deflateSync, LOST), JSON_TYPE, 'deflate'],
  ['an exact one in gzip', 201, encodedBy(gzipSync, '5'), JSON_TYPE, 'gzip'],
  ['in UTF-16', 400, inUtf16(LOST), 'application/json; charset=utf-16le'],
  ['an exact one in UTF-16', 201, inUtf16('5'), 'application/json; charset="UTF-16LE"'],
  // Nobody but the parser reads UTF-32.
  [
    'an exact one in UTF-32',
    // The parser of Express 4 does not read it either.
    major === 4 ? 415 : 400,
    [...bodyWith('5')].map((letter) => `${letter}\0\0\0`).join(''),
    'application/json; charset=utf-32le',
  ],
  ['behind a byte order mark', 400, `\xef\xbb\xbf${bodyWith(LOST)}`],
  ['a number in a form', 201, `id=7&name=A+B&number=${LOST}`, FORM],
])('with a number in a body: %s: %s', async (_title, status, body, type = JSON_TYPE, encoding = '', version = 'v1') => {
  const parsers = [express.json(), express.urlencoded({ extended: false })] as const
  const server = await serveUsers((app) => app.use(convertRequest.with(...parsers), left))
  const headers = { 'Content-Type': type, 'Content-Encoding': encoding, 'X-API-Version': version }
  const got = await server.send('POST', '/users', headers, body)
  expect(got.status).toBe(status)
  if (status === 400) expect(got.json).toMatchObject({ code: 'ERR_VERSION_BODY' })
})

test.each<[title: string, status: number, number: string, ...parsers: [RequestHandler, ...RequestHandler[]]]>([
  ['a parser that makes strings', 400, LOST, (req, res, next) => [req.setEncoding('utf8'), parser()(req, res, next)]],
  ['one that comes later', 400, LOST, (req, res, next) => void setImmediate(() => parser()(req, res, next))],
  ['one that has its own reading', 400, LOST, reading((text) => JSON.parse(text))],
  [
    'one of a text that is no JSON',
    400,
    '5, // five',
    reading((text) => JSON.parse(text.replace('// five', '"a":"b"'))),
  ],
  ['one that keeps the bytes', 415, LOST, express.raw({ type: () => true })],
  ['one that makes no numbers', 201, LOST, reading((text) => JSON.parse(text.replace(LOST, '"0"')))],
])('numbers of %s: %s', async (title, status, number, ...parsers) => {
  // It rejects a stream that gives strings.
  const expected = title.startsWith('a parser that makes strings') ? 500 : status
  const server = await serveUsers((app) => app.use(convertRequest.with(...parsers), left))
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: bodyWith(number) })).status).toBe(expected)
})
function reading(read: (text: string) => unknown): RequestHandler {
  return (req, _res, next) => {
    let all = ''
    req.setEncoding('utf8').on('data', (piece) => {
      all += piece
    })
    req.on('end', () => next(void Object.assign(req, { body: read(all) })))
  }
}

test('a body that is larger than "maxCollected" when it is decoded is 400', async () => {
  const server = await serveUsers((app) => app.use(convertRequest.with(parser()), left), { maxCollected: 1000 })
  const send = (count: number) => {
    const body = latin1(gzipSync(bodyWith(`5, "long":"${'x'.repeat(count)}"`)))
    return server.send(
      'POST',
      '/users',
      { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip', 'X-API-Version': 'v1' },
      body,
    )
  }
  expect([(await send(2000)).status, (await send(10)).status]).toEqual([400, 201])
})

test.each([
  ['is consumed', 'POST /users', 'v1', text, [ADA, null]],
  ['passes', 'POST /users', 'v2', text, [null, '100-continue']],
  ['is not consumed for a query', 'GET /users?name=a', 'v1', 'a,b', [null, '100-continue']],
])('"Expect" goes where the body %s', async (_title, line, version, body, expected) => {
  const seen: unknown[] = []
  const note: RequestHandler = (req, res) => {
    seen.push(req.body ?? null, req.headers.expect ?? null)
    res.status(404).end()
  }
  const { raw } = await serveUsers((app) => app.use(convertRequest.with(parser()), note))
  const head = [`${line} HTTP/1.1`, 'Host: a', `X-API-Version: ${version}`, 'Connection: close', 'Expect: 100-continue']
  const type = body === text ? JSON_TYPE : 'text/csv'
  const fields = [`Content-Type: ${type}`, `Content-Length: ${body.length}`]
  expect(await raw(`${[...head, ...fields].join('\r\n')}\r\n\r\n${body}`)).toContain('100 Continue')
  expect(seen).toEqual(expected)
})

test('JSON for an operation without a body is 400 before it is read', async () => {
  const read = jest.fn((_req, _res, next) => next())
  const server = await serveUsers((app) => app.use(convertRequest.with(read), left))
  expect((await ask(server, 'v1', '/users/7', { method: 'DELETE', body: '{' })).status).toBe(400)
  expect(read).not.toHaveBeenCalled()
})

test('JSON passes to an operation whose body the document does not tell, and to a described one', async () => {
  const { paths } = USERS
  const untold = { requestBody: { content: { 'application/json': {} } }, responses: { 204: { description: 'Done' } } }
  const document = { ...USERS, paths: { ...paths, '/untold': { post: untold } } }
  const done: RequestHandler = (_req, res) => void res.sendStatus(204)
  const server = await serveUsers((app) => app.use(convertRequest.with(parser()), done), { document })
  const asked = { method: 'POST', body: { a: 1 } }
  expect((await ask(server, 'v1', '/untold', asked)).status).toBe(204)
  expect((await ask(server, 'v1', '/status', asked)).status).toBe(400)
})

test('an operation that was added later and cannot be checked is 500', async () => {
  const checked = contract({ compile: () => () => true })
  const routes = namedRoutes({ home: '/' }, { handlers: 'elsewhere' }).include('/', routesOf(USERS))
  routes.describe('GET home', { response: null })
  const server = await serveUsers((app) => app.use(convertRequest.with(parser()), left), { routes, contract: checked })
  routes.add('late', '/late').describe('POST late' as never, { response: null })
  const late = await ask(server, 'v1', '/late', { method: 'POST', body: {} })
  expect(late).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CONTRACT' } })
})

test.each<[how: string, left: RequestHandler]>([
  ['at once', (_req, res) => void res.writeHead(200, 'Fine', { Vary: 'Accept-Encoding' }).end()],
  ['as pairs', (_req, res) => void res.writeHead(200, ['Vary', 'Accept-Encoding, X-API-VERSION'] as never).end()],
  ['one by one', (_req, res) => void res.setHeader('Vary', 'Accept-Encoding').writeHead(200).end()],
])('the Vary of a service is joined with that of versions, written %s', async (_how, left) => {
  const { send } = await serveUsers((app) => app.use(convertRequest.with(express.json()), left))
  const { headers, status } = await send('GET', '/users/7', { 'X-API-Version': 'v2' })
  const names = String(headers.vary).toLowerCase().split(/, */)
  expect([status, names.sort()]).toEqual([200, ['accept-encoding', 'x-api-version']])
})

test('a status that Node rejects is rejected', async () => {
  const failing: RequestHandler = (_req, res) => void res.writeHead(12)
  const { get } = await serveUsers((app) => app.use(convertRequest.with(express.json()), failing))
  expect((await get('/users/7', { 'X-API-Version': 'v2' })).json).toMatchObject({
    code: 'ERR_HTTP_INVALID_STATUS_CODE',
  })
})

// Methods that middleware changes, and OPTIONS ------------------------------------------------------------------------

const overriding: RequestHandler = (req, _res, next) => {
  req.method = String(req.headers['x-method'] ?? req.method)
  next()
}

test.each<[title: string, isRun: boolean, fill: (app: Application) => unknown]>([
  ['in front of convertRequest', false, (app) => app.use(overriding, parser(), convertRequest)],
  ['in front of convertRequest.with()', false, (app) => app.use(overriding, convertRequest.with(parser()))],
  ['behind convertRequest', true, (app) => both(app).use(overriding)],
  ['without convertRequest', true, (app) => app.use(overriding)],
])('a method that was changed behind versioning(): %s', async (_title, isRun, fill) => {
  const handler = jest.fn((_req, res) => res.sendStatus(204))
  const server = await serveUsers((app) => {
    fill(app)
    app.use(handler)
  })
  for (const [method, path, other] of [
    ['PUT', '/users/7', 'DELETE'],
    ['DELETE', '/users/7', 'PATCH'],
    ['GET', '/users/me', 'PUT'],
    ['GET', '/users/me', 'put'],
  ] as const) {
    const asked = { method, headers: { 'X-Method': other } }
    handler.mockClear()
    const { status, json } = await ask(server, 'v1', path, asked)
    expect({ other, status, json, runs: handler.mock.calls.length }).toMatchObject({
      ...{ other, status: 500, runs: isRun ? 1 : 0 },
      json: { ...CHANGED.json, error: expect.stringContaining('Change it in front of versioning().') },
    })
    expect((await ask(server, 'v2', path, asked)).status).toBe(204)
    expect((await ask(server, 'v1', '/users/7', { method: 'DELETE' })).status).toBe(204)
  }
})

test('HEAD and GET are one operation', async () => {
  const server = await serveUsers((app) => app.use(parser(), overriding, convertRequest).use('/users', users()))
  expect((await ask(server, 'v1', '/users/7', { method: 'HEAD', headers: { 'X-Method': 'GET' } })).status).toBe(200)
})

test('a method that is none is rejected, with a warning that does not have it', async () => {
  const server = await serveUsers((app) => app.use(convertRequest), { front: [overriding] })
  for (const method of ['EVIL<script>', 'put', 'x'.repeat(99)]) {
    expect(await ask(server, 'v1', '/users/7', { headers: { 'X-Method': method } })).toMatchObject(UNHANDLED)
  }
  expect(warnings).toStrictEqual([expect.stringMatching(/: A request of another method below "\/users\/:id" in an/)])
})

// OPTIONS that nobody described ---------------------------------------------------------------------------------------

const all: RequestHandler = (req, res) => void res.json(req.body?.id ? req.body : ADA)
const preflight = { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' }

test('OPTIONS does not get the newest shape in an older version, nor its body past the conversion', async () => {
  const converting = await serveUsers((app) => both(app).all('/users/:id', all))
  const forgetful = await serveUsers((app) => app.use(parser()).use('/users', all))
  for (const server of [converting, forgetful]) {
    for (const headers of [{}, preflight]) {
      const { status, text } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS', headers })
      expect([status, text.includes('Lovelace')]).toStrictEqual([500, false])
    }
    expect((await ask(server, 'v2', '/users/7', { method: 'OPTIONS' })).json).toStrictEqual(ADA)
  }
  const asked = { method: 'OPTIONS', body: OLD_ADA }
  expect(await ask(converting, 'v1', '/users/7', asked)).toMatchObject(UNHANDLED)
  expect(await ask(forgetful, 'v1', '/users/7', asked)).toMatchObject(CHANGED)
})

test.each<[title: string, fill: (app: Application) => unknown, expected: string]>([
  ['Express', (app) => app.use('/users', users()), 'PUT'],
  ['a route of its own', (app) => app.options('/users/:id', (_req, res) => void res.send('own')), 'own'],
  ['a more special route', (app) => app.options('/users/7', (_req, res) => void res.send('special')), 'special'],
  ['middleware', (app) => app.use((_req, res) => void res.status(204).end()), ''],
])('OPTIONS without JSON passes: %s', async (_title, fill, expected) => {
  const server = await serveUsers((app) => fill(both(app)))
  for (const headers of [{}, preflight]) {
    const { status, text } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS', headers })
    expect(status).toBeLessThan(300)
    expect(text).toContain(expected)
  }
  expect(warnings).toStrictEqual([])
})

test.each([
  ['reject', 'GET, PUT, OPTIONS'],
  ['pass', 'GET, POST, PUT, OPTIONS'],
] as const)(
  'Allow has the methods that a version serves, and OPTIONS, with undocumented: %s',
  async (undocumented, allowed) => {
    const options: RequestHandler = (_req, res) => void res.set('Allow', 'GET, POST, PUT, OPTIONS').sendStatus(204)
    const server = await serveUsers((app) => app.options('/users/:id', options), { table: { undocumented } })
    const { status, headers } = await ask(server, 'v1', '/users/7', { method: 'OPTIONS' })
    expect([status, headers.allow]).toStrictEqual([204, allowed])
  },
)
