// `convertRequest.with(parser)`: what has nothing to convert passes as a stream, byte for byte.
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import express, { type RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { routesOf } from 'express-versioning/openapi'
import { ask } from '../support/changes'
import { ADA, OLD_ADA, parser, saw, serveUsers, USERS } from '../support/elsewhere'

/** Shows what is left in the stream, as a proxy would send it on. */
const left: RequestHandler = async (req, res) => {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece)
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers
  res.set('X-Left', JSON.stringify([Buffer.concat(pieces).toString('base64'), length ?? null, coding ?? null]))
  if (req.url.endsWith('photo')) return void res.sendStatus(204)
  res.set('X-Saw', saw(req)).status(req.method === 'POST' ? 201 : 200)
  res.json(req.url.startsWith('/users?') || (req.url === '/users' && req.method === 'GET') ? [ADA] : ADA)
}
const PNG = `${String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))}\r\n\0\xff`
const JSON_TYPE = 'application/json'
const text = JSON.stringify(OLD_ADA)
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

test.each<[title: string, version: string, line: string, fields: string[], body: string, sent?: string]>([
  ['the newest version', 'v2', 'POST /users', [`Content-Type: ${JSON_TYPE}`, 'Content-Length: 7'], '{ "a":1'],
  [
    'an old version, a body that no change is about',
    'v1',
    'PUT /users/7/photo',
    ['Content-Type: image/png', `Content-Length: ${PNG.length}`],
    PNG,
  ],
  [
    'the same in chunks',
    'v1',
    'PUT /users/7/photo',
    ['Content-Type: image/png', 'Transfer-Encoding: chunked'],
    chunked(PNG),
    PNG,
  ],
  [
    'an operation without a body that is sent bytes',
    'v1',
    'DELETE /users/7',
    ['Content-Type: text/csv', 'Content-Length: 3'],
    'a,b',
  ],
  ['no body', 'v1', 'GET /users/7', [], ''],
  [
    'a query that is converted, and a body',
    'v1',
    'GET /users?name=a',
    ['Content-Type: text/csv', 'Content-Length: 3'],
    'a,b',
  ],
])('%s passes as a stream', async (_title, version, line, fields, body, sent = body) => {
  const { raw } = await serveUsers((app) => app.use(convertRequest.with(express.json()), left))
  const head = [`${line} HTTP/1.1`, 'Host: a', `X-API-Version: ${version}`, ...fields, 'Connection: close']
  const response = await raw(`${head.join('\r\n')}\r\n\r\n${body}`)
  const [text, length, coding] = JSON.parse(/X-Left: (.*)/i.exec(response)?.[1] ?? 'null')
  const isChunked = fields.includes('Transfer-Encoding: chunked')
  expect([text, coding]).toStrictEqual([Buffer.from(sent, 'latin1').toString('base64'), isChunked ? 'chunked' : null])
  expect(length).toBe(body === '' || isChunked ? null : String(body.length))
})

test('a stream passes before its end has come', async () => {
  let reached: (piece: string) => void = () => {}
  const first = new Promise<string>((resolve) => {
    reached = resolve
  })
  const { port } = await serveUsers((app) =>
    app.use(convertRequest.with(express.json()), (req, res) => {
      req.once('data', (piece) => reached(String(piece)))
      req.once('end', () => res.set('Connection', 'close').sendStatus(204))
    }),
  )
  const socket = connect(port, '127.0.0.1')
  socket.write('PUT /users/7/photo HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nContent-Length: 9\r\n\r\nfirst')
  expect(await first).toBe('first')
  socket.write('last')
  expect(await readAll(socket)).toContain(' 204 ')
})

test('what has something to convert is parsed and converted', async () => {
  const { raw } = await serveUsers((app) => app.use(convertRequest.with(express.json()), left))
  for (const [fields, body] of [
    [`Content-Length: ${text.length}`, text],
    ['Transfer-Encoding: chunked', chunked(text)],
  ]) {
    const head = [
      'POST /users HTTP/1.1',
      'Host: a',
      'X-API-Version: v1',
      `Content-Type: ${JSON_TYPE}`,
      fields,
      'Connection: close',
    ]
    const response = await raw(`${head.join('\r\n')}\r\n\r\n${body}`)
    expect(JSON.parse(/X-Saw: (.*)/i.exec(response)?.[1] ?? 'null')).toStrictEqual([{}, ADA])
    expect(response).toContain(JSON.stringify(OLD_ADA))
  }
})

test.each<[title: string, parsers: RequestHandler[], status: number]>([
  [
    'a parser that fails later',
    [(_req, _res, next) => void setImmediate(() => next(Object.assign(new Error('no'), { status: 418 })))],
    418,
  ],
  ['a second parser', [(_req, _res, next) => next(), parser()], 201],
  [
    'one that throws',
    [
      () => {
        throw Object.assign(new Error('no'), { status: 418 })
      },
    ],
    418,
  ],
  ['one that leaves the router', [(_req, _res, next) => next('router')], 404],
  ['one that responds', [(_req, res) => void res.sendStatus(413)], 413],
  ['one that reads nothing', [(_req, _res, next) => next()], 415],
])('%s', async (_title, parsers, status) => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const server = await serveUsers((app) => app.use(convertRequest.with(...(parsers as [RequestHandler])), left))
  expect((await ask(server, 'v1', '/users', { method: 'POST', body: OLD_ADA })).status).toBe(status)
  jest.restoreAllMocks()
})

test('JSON for an operation without a body is 400 before it is read', async () => {
  const read = jest.fn((_req, _res, next) => next())
  const server = await serveUsers((app) => app.use(convertRequest.with(read), left))
  expect((await ask(server, 'v1', '/users/7', { method: 'DELETE', body: '{' })).status).toBe(400)
  expect(read).not.toHaveBeenCalled()
})

test('JSON passes to an operation whose body the document does not tell, and to a described one', async () => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { paths } = USERS
  const untold = { requestBody: { content: { 'application/json': {} } }, responses: { 204: { description: 'Done' } } }
  const document = { ...USERS, paths: { ...paths, '/untold': { post: untold } } }
  const server = await serveUsers(
    (app) => app.use(convertRequest.with(parser()), (_req, res) => void res.status(204).end()),
    { document },
  )
  expect((await ask(server, 'v1', '/untold', { method: 'POST', body: { a: 1 } })).status).toBe(204)
  expect((await ask(server, 'v1', '/status', { method: 'POST', body: { a: 1 } })).status).toBe(400)
  jest.restoreAllMocks()
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
