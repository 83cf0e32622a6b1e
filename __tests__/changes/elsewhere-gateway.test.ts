// `convertRequest.with(parser)`: what has nothing to convert passes as a stream, byte for byte.
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import express, { type Application, type RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { ask } from '../support/changes'
import { ADA, OLD_ADA, parser, saw, serveUsers, USERS, warningsOfTests } from '../support/elsewhere'

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
