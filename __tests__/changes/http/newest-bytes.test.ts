import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as read } from 'node:stream/consumers'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import express, {
  type Application,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { HeaderVersioning, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, fields } from 'express-versioning/changes'
import { losesNumber } from '../../../src/http/numbers'
import { ask, historyOf, serveChanges, serveOther, tableOf } from '../../support/changes'
import { type Served, serve } from '../../support/serve'

// An older response has other bytes than the newest one. Nothing about the newest bytes holds for it: names, conditions, encodings.

type Show = (res: Response, req: Request, next: (error?: unknown) => void) => unknown
const NEWEST = '{"id":7,"given":"Łuca"}'
const OLD = { id: 7, name: 'Łuca' }
const steps = { response: ({ id, given }: { id: unknown; given: unknown }) => ({ id, name: given }) }
const MODIFIED = 'Tue, 01 Jan 2030 00:00:00 GMT'
const LATER = 'Wed, 02 Jan 2030 00:00:00 GMT'
const DIGESTS = ['Digest', 'Content-MD5', 'Content-Digest', 'Repr-Digest', 'Unencoded-Digest'].map((name) => [
  name,
  'd',
])
const NAMED = { ETag: '"newest"', 'Last-Modified': MODIFIED, ...Object.fromEntries(DIGESTS) }
const NAMES = Object.keys(NAMED).map((name) => name.toLowerCase())
const namesIn = (headers: object) => Object.keys(headers).filter((name) => NAMES.includes(name))

const root = mkdtempSync(join(tmpdir(), 'newest-'))
const FILE = { root, headers: { 'Content-Type': 'application/json' } }
beforeAll(() => {
  writeFileSync(join(root, 'other'), NEWEST)
  utimesSync(join(root, 'other'), new Date(MODIFIED), new Date(MODIFIED))
})
afterAll(() => rmSync(root, { recursive: true }))

const sendFile: Show = (res) => res.sendFile('other', FILE)
const file: RequestHandler = (_req, res) => res.sendFile('other', FILE)
/** Evaluates conditions as handlers do. */
const own: Show = (res, { headers }) => {
  const { 'if-none-match': none, 'if-match': match, 'if-unmodified-since': unmodified } = headers
  if (none?.includes('"newest"')) return res.set(NAMED).sendStatus(304)
  if (match === '"other"' || unmodified) return res.set(NAMED).sendStatus(412)
  return res.set(NAMED).type('json').end(NEWEST)
}
const plain = (show: Show) => serveOther(steps, show)
/** Serves a proxy of a server. */
async function proxying(show: Show, fieldsOf = (req: Request): Record<string, unknown> => req.headers) {
  const { port } = await serve((app) => app.get('/other', (req, res, next) => void show(res, req, next)))
  return plain((res, req) => {
    const headers = { ...fieldsOf(req), connection: 'close' }
    const { method } = req
    request({ port, path: '/other', method, headers }, (response) =>
      response.pipe(res.writeHead(response.statusCode as number, response.headers)),
    ).end()
  })
}
const raw = ({ rawHeaders }: Request) =>
  Object.fromEntries(rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : [])))
const statics = express.static(root, { setHeaders: (res) => void res.type('json') })

const SERVERS: [title: string, start: () => Promise<Served>][] = [
  ['sendFile', () => plain(sendFile)],
  ['express.static', () => serveOther(steps, sendFile, (app) => void app.use(statics))],
  ['a proxy', () => proxying(sendFile)],
  ['a proxy of raw headers', () => proxying(sendFile, raw)],
  ['own conditions', () => plain(own)],
  ['res.json with an own ETag', () => plain((res) => res.set(NAMED).json(JSON.parse(NEWEST)))],
]
const LAST_YEAR = 'Mon, 01 Jan 2029 00:00:00 GMT'
test.each(SERVERS)('%s: conditions on the newest bytes do not hold for an older version', async (title, start) => {
  const server = await start()
  const { headers: newest, status } = await ask(server, 'v2', '/other')
  const etag = String(newest.etag)
  expect([status, namesIn(newest).slice(0, 2).sort()]).toEqual([200, ['etag', 'last-modified']])
  for (const [name, value, newestStatus] of [
    ['If-None-Match', etag, 304],
    ['If-None-Match', `"a", ${etag}`, 304],
    ['If-Modified-Since', LATER, 304],
    ['If-Match', '"other"', 412],
    ['If-Unmodified-Since', LAST_YEAR, 412],
    ['Range', 'bytes=0-3', 206],
  ] as const) {
    const headers = { [name]: value, ...(name === 'Range' && { 'If-Range': etag }) }
    for (const method of ['GET', 'HEAD']) {
      const old = await ask(server, 'v1', '/other', { method, headers })
      const named = namesIn(old.headers).filter((field) => field !== 'etag' || !old.headers.etag?.startsWith('W/'))
      expect([name, old.status, old.json, named]).toEqual([name, 200, method === 'GET' ? OLD : undefined, []])
    }
    // Handlers differ in the conditions that they know.
    if (title.startsWith('own') || title.startsWith('res.json')) continue
    expect([name, (await ask(server, 'v2', '/other', { headers })).status]).toEqual([name, newestStatus])
  }
})

test('the check of Express holds for its own ETag of the older bytes, and for responses that stay as they are', async () => {
  const server = await plain((res, { query }) => {
    if (query.csv !== undefined) res.set('ETag', '"csv"').type('csv').send('a,b')
    else res.set(NAMED).send(JSON.parse(NEWEST))
  })
  const { etag, ...headers } = (await ask(server, 'v1', '/other')).headers
  expect([etag, namesIn(headers)]).toEqual([expect.stringMatching(/^W\//), []])
  for (const [path, known] of [
    ['/other', String(etag)],
    ['/other', '*'],
    ['/other?csv', '"csv"'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const again = await ask(server, 'v1', path, { method, headers: { 'If-None-Match': known } })
      const expected = { status: 304, text: '', headers: { etag: path === '/other' ? etag : '"csv"' } }
      expect(again).toMatchObject(expected)
    }
  }
  const stale = await ask(server, 'v1', '/other', { headers: { 'If-Modified-Since': LATER } })
  expect(stale).toMatchObject({ status: 200, json: OLD })
})

test.each<[title: string, show: Show]>([
  ['304 by end', (res) => res.status(304).end()],
  ['304 by sendStatus', (res) => res.sendStatus(304)],
  ['304 by writeHead', (res) => res.writeHead(304, NAMED).end()],
  ['412 by sendStatus', (res) => res.sendStatus(412)],
  ['412 with JSON', (res) => res.status(412).json({ error: 'no' })],
  ['412 in pieces', (res) => Readable.from(['n', 'o']).pipe(res.status(412))],
])("a handler's own %s names nothing in an older version", async (_title, show) => {
  const server = await plain((res) => show(res.set(NAMED), res.req, () => {}))
  expect(namesIn((await ask(server, 'v1', '/other')).headers)).toEqual([])
  expect(namesIn((await ask(server, 'v2', '/other')).headers).sort()).toEqual([...NAMES].sort())
  const untouched = await serveOther({ error: (value: unknown) => value, headers: { 'X-A': null } }, (res) =>
    show(res.set(NAMED), res.req, () => {}),
  )
  const { etag } = (await ask(untouched, 'v1', '/other')).headers
  if (_title !== '412 with JSON') expect(etag).toBe('"newest"')
})

test('other methods keep their conditions, and operations whose success stays as it is keep them all, and ranges', async () => {
  const seen: Show = (res, { headers }) => res.set('X-Seen', JSON.stringify(headers)).type('json').end(NEWEST)
  const ALL = { 'If-Match': '"a"', 'If-None-Match': '"b"', 'If-Modified-Since': LATER, 'If-Unmodified-Since': LATER }
  const shown = async (server: Served, method: string) => {
    const { headers } = await ask(server, 'v1', '/other', { method, headers: { ...ALL, Range: 'bytes=0-1' } })
    return Object.keys(JSON.parse(String(headers['x-seen']))).filter((name) => /^(if-|range)/.test(name))
  }
  const all = Object.keys(ALL).map((name) => name.toLowerCase())
  const server = await plain(seen)
  expect([await shown(server, 'POST'), await shown(server, 'GET'), await shown(server, 'HEAD')]).toEqual([all, [], []])
  expect(await shown(await serveOther({ error: (value: unknown) => value }, seen), 'GET')).toEqual([...all, 'range'])
})

const thing = { $id: 'Thing', type: 'object', properties: { given: {} } }
test.each<[title: string, response: Record<string, object | null>, hidden: boolean]>([
  ['200', { 200: thing }, true],
  ['a later status', { 200: { type: 'string' }, 201: thing }, true],
  ['a range', { 204: null, '2XX': thing }, true],
  ['errors alone', { 200: { type: 'string' }, '4XX': thing }, false],
  // JSON of a status that nobody described is rejected, so the bytes that a client has are those of today.
  ['errors alone, without any success', { 204: null, '4XX': thing }, false],
])('conditions are hidden if a success may have a changed shape: %s', async (_title, response, hidden) => {
  const routes = tableOf()
  routes.describe('*', { response: { '4XX': {}, '5XX': {} } }).describe('GET other', { response })
  routes.route('other').get(({ headers }, res) => void res.type('text').send(headers['if-match']))
  const changes = historyOf([change('Renamed.', { Thing: fields({ renamed: { name: 'given' } }) })])
  const { get } = await serve((app) => app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes))
  const { text } = await get('/other', { 'X-API-Version': 'v1', 'If-Match': 'x' })
  expect(text).toBe(hidden ? '' : 'x')
})

test.each<[title: string, behind: (app: Application, again: RequestHandler[]) => unknown, status: number]>([
  ['a file behind the route', (app) => app.use(file), 200],
  ['another route, which does not change', (app, [routes = []]) => app.use(toUsers, routes), 304],
  ['the newest version', (app, [_, ofV2 = []]) => app.use(ofV2, file), 304],
])('behind a route that was left, conditions are hidden: %s', async (_title, behind, status) => {
  const changes = historyOf([change('Renamed.', { 'GET other': steps })])
  const server = await serveChanges(changes, (routes, app) => {
    routes.route('other').get((_req, _res, next) => next())
    routes.route('user-list').get(file)
    app.use(routes)
    behind(app, [routes, versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2', changes, routes })])
  })
  const { etag } = (await ask(server, 'v2', '/users')).headers
  const { status: got, json } = await ask(server, 'v1', '/other', { headers: { 'If-None-Match': String(etag) } })
  expect([got, json]).toEqual([status, status === 200 ? OLD : undefined])
})
const toUsers: RequestHandler = (req, _res, next) => next(void Object.assign(req, { url: '/users' }))

type Pack = (text: string) => Buffer
const PACKS: [encoding: string, pack: Pack][] = [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', Buffer.from],
  ['deflate, , gzip', (text) => gzipSync(deflateSync(text))],
]
const inPieces = (bytes: Buffer) => Readable.from([bytes.subarray(0, 5), bytes.subarray(5)])
const SENT: [title: string, send: (res: Response, bytes: Buffer) => unknown][] = [
  ['res.end', (res, bytes) => res.set('Content-Length', `${bytes.length}`).end(bytes)],
  ['res.send', (res, bytes) => res.send(bytes)],
  ['a stream', (res, bytes) => inPieces(bytes).pipe(res)],
]
describe.each(PACKS)('encoded by %s', (encoding, pack) => {
  const encoded = (res: Response) => res.type('json').set('Content-Encoding', encoding).vary('Accept-Encoding')
  test.each(SENT)('%s is decoded for an older version', async (_title, send) => {
    const server = await plain((res) => send(encoded(res), pack(NEWEST)))
    const { json, headers } = await ask(server, 'v1', '/other')
    const { 'content-encoding': left, 'content-length': length, vary } = headers
    const sizes = [undefined, String(Buffer.byteLength(JSON.stringify(OLD)))]
    expect([json, left, vary]).toEqual([OLD, undefined, 'X-API-Version, Accept-Encoding'])
    expect(sizes).toContain(length)
    const head = await ask(server, 'v1', '/other', { method: 'HEAD' })
    expect([head.status, head.headers['content-encoding']]).toEqual([200, undefined])
    expect(sizes).toContain(head.headers['content-length'])
  })
  test('the newest version gets its bytes, also through a proxy', async () => {
    const server = await proxying((res) => encoded(res).end(pack(NEWEST)))
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 200, json: OLD })
    const bytes = await server.raw('GET /other HTTP/1.1\r\nHost: a\r\nX-API-Version: v2\r\nConnection: close\r\n\r\n')
    expect(bytes).toContain(`content-encoding: ${encoding}\r\n`)
    expect(bytes).toContain(pack(NEWEST).toString('latin1'))
    const head = await ask(server, 'v1', '/other', { method: 'HEAD' })
    expect(head.headers).not.toHaveProperty('content-encoding')
  })
})

const rejection = (got: string) => ({
  code: 'ERR_VERSION_CHANGE',
  error: `The change "Odd." failed: its "response" of "GET other" got ${got}.`,
  name: 'Error',
})
const LARGE = 'a body of more than 100 bytes (option "maxCollected" of versioning())'
const UNREADABLE = 'a body that is not JSON, though its type says so'
const LOSSY = 'a number that JavaScript cannot hold'
const CHANGED = 'another "Content-Type" after the response had begun'
const typed = (type: string, json = NEWEST): Show => {
  return (res) => res.setHeader('Content-Type', type).end(json)
}
const packing = (res: Response, encoding: string) => res.type('json').set('Content-Encoding', encoding)
const packed = (encoding: string, bytes: Buffer): Show => {
  return (res) => packing(res, encoding).end(bytes)
}
const retyped: Show = (res) => {
  res.type('json').write('{')
  res.type('text').end('}')
}
const long = (length: number) => JSON.stringify({ id: 1, given: '0'.repeat(length - 19) })
const pieces = (json: string) => [json.slice(0, 50), json.slice(50)]
function* endless() {
  yield '{"given":"'
  for (;;) yield 'a'.repeat(30)
}
test.each<[title: string, show: Show, got: string]>([
  ['gzip that is cut off', packed('gzip', gzipSync(NEWEST).subarray(0, -9)), UNREADABLE],
  ['plain text as gzip', packed('gzip', Buffer.from(NEWEST)), UNREADABLE],
  ['plain text as gzip, by res.send', (res) => packing(res, 'gzip').send(NEWEST), UNREADABLE],
  ['an unknown encoding', packed('zstd', Buffer.from(NEWEST)), UNREADABLE],
  ['an unknown encoding inside', packed('aws-chunked,gzip', gzipSync(NEWEST)), UNREADABLE],
  ['a bomb', packed('gzip', gzipSync(long(101))), LARGE],
  ['a bomb by res.send', (res) => packing(res, 'br').send(brotliCompressSync(long(101))), LARGE],
  ['one piece', (res) => res.type('json').end(long(101)), LARGE],
  ['several pieces', (res) => Readable.from(pieces(long(101))).pipe(res.type('json')), LARGE],
  ['a last piece', (res) => [res.type('json').write(long(100)), res.end(' ', () => {})], LARGE],
  ['an endless stream', (res) => Readable.from(endless()).pipe(res.type('json')), LARGE],
  ['a Content-Type that changes', retyped, CHANGED],
  ['another JSON type', (res) => [res.type('json').write('{'), res.type('application/hal+json').write('}')], CHANGED],
  ['a head that changes', (res) => [res.writeHead(200, FILE.headers), res.type('csv').end('a')], CHANGED],
  ['a list of types', typed('application/json, text/plain', ')'), UNREADABLE],
])('%s is 500 for an older version', async (_title, show, got) => {
  const server = await serveOther(steps, show, undefined, { maxCollected: 100 })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: rejection(got) })
})

test('a response of exactly maxCollected bytes is converted, and values are not counted', async () => {
  const { id, given } = JSON.parse(long(100))
  for (const show of [
    (res) => Readable.from(pieces(long(100))).pipe(res.type('json')),
    packed('gzip', gzipSync(long(100))),
    (res) => res.json({ id, given }),
  ] satisfies Show[]) {
    const server = await serveOther(steps, show, undefined, { maxCollected: 100 })
    expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 200, json: { id, name: given } })
  }
})

const json: ErrorRequestHandler = ({ code }, _req, res, _next) => void res.status(500).json(code)
const later = (respond: (res: Response) => unknown): ErrorRequestHandler => {
  return (_error, _req, res, _next) => void setImmediate(() => setImmediate(() => respond(res.status(500))))
}
test.each<[title: string, handler: ErrorRequestHandler, text: string]>([
  ['at once', json, '"ERR_VERSION_CHANGE"'],
  ['later', later((res) => res.json('late')), '"late"'],
  ['later, without a type', later((res) => res.end('late')), ''],
])('the rest of a rejected response goes nowhere: %s', async (_title, handler, text) => {
  const [written, writer]: [unknown[], EventEmitter] = [[], new EventEmitter()]
  const rushing: Show = (res) => {
    const go = () => {
      written.push(res.write('a'.repeat(60)))
      if (written.length < 8) setImmediate(go)
      else writer.emit('end', res.end('last'))
    }
    res.type('json')
    go()
  }
  const fill = (app: Application, routes: RequestHandler) => void app.use(routes, handler)
  const { port } = await serveOther(steps, rushing, fill, { maxCollected: 100 })
  // The rest would be on a connection that stays open.
  const agent = new Agent({ keepAlive: true })
  const ended = once(writer, 'end')
  const headers = { 'X-API-Version': 'v1' }
  const [response] = await once(request({ port, path: '/other', headers, agent }).end(), 'response')
  expect([response.statusCode, await read(response)]).toEqual([500, text])
  await ended
  expect(written).toEqual([true, ...Array(7).fill(false)])
  agent.destroy()
})

test.each([
  ...['application/json', 'TEXT/JSON', 'application/x-json', 'text/x-json; charset=utf-8', 'application/ld+json;a=b'],
  ...['application/json, text/plain', 'text/plain ,application/hal+json', 'application/json charset=utf-8'],
])('the type %s is JSON', async (type) => {
  const sent: Show = (res) => void res.setHeader('Content-Type', type).send(Buffer.from(NEWEST))
  for (const show of [typed(type), sent]) {
    expect(await ask(await plain(show), 'v1', '/other')).toMatchObject({ status: 200, json: OLD })
  }
})

test.each([
  ...['text/csv', 'text/html', 'application/x-ndjson', 'text/event-stream', 'application/json-seq'],
  ...['application/jsonl', 'text/plain; a=/json', 'application/octet-stream'],
])('the type %s passes as it is, with its names', async (type) => {
  const server = await plain((res) => res.set(NAMED).setHeader('Content-Type', type).end(NEWEST))
  const { text, headers } = await ask(server, 'v1', '/other')
  expect([text, namesIn(headers).sort()]).toEqual([NEWEST, [...NAMES].sort()])
})

const inList = { response: (value: unknown) => [value] }
const tiny = `0.${'0'.repeat(400)}1`
test.each([
  ...['9007199254740993', '-9007199254740993', '1234567890123456789', '1e400', '-1E400', '1e-400', tiny],
  ...['0.1234567890123456789', '1.00000000000000000001', '123456789012345678e2', `1${'0'.repeat(30)}1`],
])('the number %s is rejected in text and bytes', async (number) => {
  for (const text of [number, `[1, {"a\\\\\\"b": ${number}}]`]) {
    for (const show of [typed('application/json', text), (res: Response) => res.type('json').send(text)]) {
      const { status, json } = await ask(await serveOther(inList, show), 'v1', '/other')
      expect([status, json]).toEqual([500, rejection(LOSSY)])
    }
  }
})

test.each([
  ...['0', '-0', '0.0e99', '1.0', '1e2', '1E+2', '100e-2', '9007199254740992', '9007199254740994', '0.1', '1e300'],
  ...['123456789012345680000', '1.7976931348623157e308', '0.30000000000000004', `1${'0'.repeat(22)}`, '5e-324'],
  ...[`${tiny}e399`, '"9007199254740993"', '"1e400 \\" 9007199254740993"', '{"1e999\\\\":[1,"2"]}', '["\\\\\\"1e400"]'],
])('the number or text %s is converted', async (json) => {
  const server = await serveOther(inList, typed('application/json', json))
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 200, text: JSON.stringify([JSON.parse(json)]) })
})

test('the search for numbers takes linear time', () => {
  const time = (json: string) => {
    const start = process.cpuUsage()
    expect(losesNumber(json)).toBe(false)
    return process.cpuUsage(start).user
  }
  for (const part of ['"\\\\\\""', '1e1', '"1e1"', '{"a":[]}']) {
    const list = (times: number) => `[1e1,${Array(times).fill(part)}]`
    time(list(1000))
    expect(time(list(200_000))).toBeLessThan(1_000_000)
  }
  const zeros = '0'.repeat(1_000_000)
  expect(time(`[1${'0'.repeat(300)}.${zeros}, 0.${zeros}e5]`)).toBeLessThan(1_000_000)
})
