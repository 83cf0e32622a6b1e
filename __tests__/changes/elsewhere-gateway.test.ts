// `convertRequest.with(parser)`: what has nothing to convert passes as a stream, byte for byte.
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { deflateSync, gzipSync } from 'node:zlib'
import express, { type Application, type RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { ask } from '../support/changes'
import { ADA, OLD_ADA, parser, saw, serveUsers, USERS, warningsOfTests } from '../support/elsewhere'
import { major } from '../support/major'

warningsOfTests()

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
