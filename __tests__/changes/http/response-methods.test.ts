import { Readable } from 'node:stream'
import type { Application, RequestHandler, Response } from 'express'
import { problemDetails, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, type OperationChange } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, serveOther } from '../../support/changes'
import { major } from '../../support/major'
import { type HttpResponse, serve } from '../../support/serve'

type Show = (res: Response) => unknown
type Way = (res: Response, text: string) => unknown
const toOld = ({ id, given }: typeof ITEM) => ({ id, name: given })
const flat = (value: object) => ({ old: value })
const steps = { response: toOld, error: (value: object) => ({ failed: value }) }
const ITEM = Object.freeze({ id: 7, given: 'Łuca <a&b>' })
const OLD = toOld(ITEM)
const NEWEST = JSON.stringify(ITEM)
const V1 = { 'X-API-Version': 'v1' }
const responding = (show: Show) => serveOther(steps, show)
const older = async (changed: OperationChange, show: Show) => ask(await serveOther(changed, show), 'v1', '/other')
// Express 4 tells of its old spellings, which are responded to here as well.
process.on('deprecation' as never, () => {})

const halves = (text: string) => [Buffer.from(text).subarray(0, 9), Buffer.from(text).subarray(9)]
const end: Way = (res, text) => res.type('json').end(text)
const untyped: Way = (res, text) => res.end(text)
const sized = (res: Response, text: string) => res.set('Content-Length', `${Buffer.byteLength(text)}`)
const own: Way = (res, text) => res.set('X-Own', 'a').type('application/json').end(text)
const empty = (res: Response) => res.type('json').set('Content-Length', '99').end()
const FIELDS = { 'Content-Type': 'application/json', 'X-Own': 'a' }
const flushed: Way = (res, text) => {
  res.type('json').flushHeaders()
  for (const half of halves(text)) res.write(half.toString('latin1'), 'latin1')
  setImmediate(() => res.end())
}
/** `plain`: how the oracle sends it, if its bytes cannot be those of the way itself. */
const WAYS: [title: string, send: Way, plain?: Way][] = [
  ['res.json', (res, text) => res.json(JSON.parse(text))],
  ['res.jsonp', (res, text) => res.jsonp(JSON.parse(text))],
  ['res.send of a value', (res, text) => res.send(JSON.parse(text))],
  ['res.send of typed text', (res, text) => res.type('json').send(text)],
  ['res.send of text', (res, text) => res.send(text)],
  ['res.send of spaced text', (res, text) => res.send(` \n${text}`), (res, text) => res.send(text)],
  ['res.send of a Buffer', (res, text) => res.type('application/hal+json').send(Buffer.from(text))],
  ['res.end', end],
  ['res.end without a type', untyped],
  ['res.end of bytes without a type', (res, text) => res.end(Buffer.from(text)), untyped],
  ['res.end without a type, with a length', (res, text) => untyped(sized(res, text), text)],
  ['types in a list', (res, text) => res.setHeader('Content-Type', ['application/json']).end(text), end],
  ['res.end with a length', (res, text) => end(sized(res, text), text)],
  ['a HEAD without the body', (res, text) => (res.req.method === 'HEAD' ? empty(res) : end(res, text)), end],
  ['writeHead with fields', (res, text) => res.writeHead(200, { ...FIELDS, '': '', 'X-N': undefined }).end(text), own],
  ['writeHead with a list', (res, text) => res.writeHead(200, 'Fine', Object.entries(FIELDS).flat()).end(text), own],
  ['writeHead with pairs', (res, text) => res.writeHead(200, Object.entries(FIELDS) as never).end(text), own],
  [
    'writeHead without a type',
    (res, text) => res.writeHead(200, { 'X-Own': 'a' }).end(text),
    (res, text) => untyped(res.set('X-Own', 'a'), text),
  ],
  ['flushed headers, then pieces', flushed, end],
  ['a stream without a type', (res, text) => Readable.from(halves(text)).pipe(res), untyped],
  ['a stream', (res, text) => Readable.from(halves(text)).pipe(res.type('json')), end],
  ['a BOM in front', (res, text) => res.type('json').end(`\ufeff${text}`), end],
  ["a proxy's response", (res, text) => Readable.from(halves(text)).pipe(res.writeHead(200, FIELDS)), own],
]

/** Names of the newest bytes, which an older response does not have. */
const NAMED = { Digest: 'new', 'Content-MD5': 'new', 'Repr-Digest': 'new' }
/** The fields that tell nothing of the way: of dates, of the version, of a file, of a proxy's connection. */
const OTHERS = 'date vary accept-ranges cache-control last-modified transfer-encoding x-api-version'.split(' ')
const without = ({ headers, ...response }: HttpResponse, ...names: string[]) => ({
  ...response,
  headers: Object.entries(headers)
    .filter(([name]) => ![...OTHERS, ...names].includes(name))
    .map(([name, value]) => [name, name === 'content-type' ? String(value).toLowerCase().split(';')[0] : value])
    .sort(),
})

test.each(WAYS)('%s: an older response is as that of an app without versions', async (title, send, plain = send) => {
  const toPage = ({ page }: { page: (typeof ITEM)[] }) => ({ page: page.map(toOld) })
  const newest = { page: [ITEM, ITEM] }
  const server = await serveOther({ response: toPage }, (res) => void send(res.set(NAMED), JSON.stringify(newest)))
  const oracle = await serve((app) => {
    app.get('/other', (_req, res) => void plain(res, JSON.stringify(toPage(newest))))
    app.get('/newest', (_req, res) => void send(res.set(NAMED), JSON.stringify(newest)))
  })
  const lengths = title.startsWith('a ') ? ['content-length'] : []
  const [old, latest] = [await ask(server, 'v1', '/other'), await ask(server, 'v2', '/other')]
  expect(without(old, ...lengths)).toEqual(without(await oracle.get('/other'), ...lengths))
  expect(without(latest, 'etag')).toEqual(without(await oracle.get('/newest'), 'etag'))
  const [head, plainHead] = [await server.send('HEAD', '/other', V1), await oracle.send('HEAD', '/other')]
  if (plain === send || title.startsWith('res.')) expect(without(head)).toEqual(without(plainHead))
  // A response to HEAD that is written in pieces has no field that the response to GET lacks.
  else expect([head.text, head.headers.etag]).toEqual(['', undefined])
  expect([undefined, plainHead.headers['content-length']]).toContain(head.headers['content-length'])
  expect(head.headers).not.toHaveProperty('digest')
  const again = async ({ headers: { etag } }: HttpResponse) =>
    server.get('/other', { ...V1, 'If-None-Match': String(etag) })
  if (old.headers.etag) expect([(await again(old)).status, (await again(latest)).status]).toEqual([304, 200])
})

const stream: Show = (res) => {
  res.set('ETag', '"own"').writeHead(200, { 'Content-Type': 'text/event-stream' }).write('has left: ')
  return res.end(String(res.headersSent))
}
test.each<[title: string, show: Show, text: string]>([
  ['another type, at once', stream, 'has left: true'],
  ['text that begins as JSON', (res) => res.set('ETag', '"own"').send('{"id":7,'), '{"id":7,'],
  ['a string in JSON', (res) => res.send('"Ada"'), '"Ada"'],
  ['JSON of another type', (res) => res.type('text').send(NEWEST), NEWEST],
  ['a Buffer without a type', (res) => res.send(Buffer.from(NEWEST)), NEWEST],
  ['an empty body of type JSON', (res) => res.type('json').set('ETag', '"none"').end(), ''],
  ['an empty text of type JSON', (res) => res.type('json').send(''), ''],
  ['null of type JSON', (res) => res.type('json').send(null), ''],
  ['res.json(undefined)', (res) => res.json(undefined), ''],
  ['JSON without a step', (res) => res.status(300).type('json').set('ETag', '"own"').send('[ 7 ]'), '[ 7 ]'],
])('%s stays as it is', async (_title, show, text) => {
  const server = await responding(show)
  const [old, newest] = [await ask(server, 'v1', '/other'), await ask(server, 'v2', '/other')]
  expect(old.text).toBe(text)
  expect(old).toEqual({ ...newest, headers: { ...newest.headers, date: old.headers.date } })
})

/** It changes the whole value alone, so it must see that before a step does. */
const dropNo = (key: string, value: unknown) =>
  key === '' && Array.isArray(value) ? value.filter((one) => one !== 'no') : value
const SPACED = { 'json spaces': 1, 'json escape': true }
const FILTERED = { 'json replacer': dropNo }
const ESCAPED = '{\n "old": "\\u003ca\\u0026b\\u003e"\n}'
const called = (json: string) => `/**/ typeof a.b[0] === 'function' && a.b[0](${json});`
test.each<[title: string, settings: object, show: Show, text: string]>([
  ['res.json', SPACED, (res) => res.json('<a&b>'), ESCAPED],
  ['res.jsonp', SPACED, (res) => res.jsonp('<a&b>'), called(ESCAPED)],
  ['res.end', SPACED, (res) => res.type('json').end('"<a&b>"'), ESCAPED],
  ['res.json, replaced', FILTERED, (res) => res.json([1, 'no']), '{"old":[1]}'],
  ['res.json(undefined), replaced', FILTERED, (res) => res.json(undefined), ''],
  ['res.send, replaced', FILTERED, (res) => res.send([1, 'no']), '{"old":[1]}'],
  ['res.jsonp(undefined)', {}, (res) => res.jsonp(undefined), called('')],
  ['res.jsonp of ends of lines', {}, (res) => res.jsonp('A)(\u2028\u2029'), called('{"old":"A)(\\u2028\\u2029"}')],
])("the app's settings of JSON hold, and a callback gets the older shape: %s", async (_title, settings, show, text) => {
  const use = (app: Application) => Object.entries(settings).map((setting) => app.set(...setting))
  expect((await ask(await serveOther({ response: flat }, show, use), 'v1', '/other?callback=a.b[0]')).text).toBe(text)
})

test('a string is made once if no other middleware is there', async () => {
  const server = await responding((res) => res.json(ITEM))
  const stringify = jest.spyOn(JSON, 'stringify')
  const { text } = await ask(server, 'v1', '/other')
  expect(stringify.mock.results.splice(0).map(({ value }) => value)).toEqual([text])
  stringify.mockRestore()
})

type Old = Record<'send' | 'json' | 'jsonp' | 'end', (...args: unknown[]) => unknown>
type Wrap = (res: Response, before: Old['send'], body: unknown) => unknown
/** Makes middleware that replaces a method of the response, or of all responses of the app. */
function wrapping(name: keyof Old, wrap: Wrap, onApp = false): RequestHandler {
  return ({ app }, res, next) => {
    const target = (onApp ? Object(app).response : res) as Old
    const before = target[name]
    target[name] = function (this: Response, body: unknown) {
      return wrap(this, before.bind(this), body)
    }
    next()
  }
}
const around = (name: 'send' | 'json', text: string, onApp = false) => {
  const envelope = (body: unknown) => (typeof body === 'string' ? `{"${text}":${body}}` : { [text]: body })
  return wrapping(name, (_res, before, body) => before(envelope(body)), onApp)
}
const [jsonFront, sendFront] = [around('json', 'front'), around('send', 'front')]
const [jsonBehind, sendBehind] = [around('json', 'behind'), around('send', 'behind')]
/** Middleware whose `send` responses anew by another method. */
const anew = (name: 'send' | 'json' | 'jsonp') =>
  wrapping('send', (res, before, body) => {
    res.send = before as Response['send']
    return name === 'send' ? res.type('json').send(`{"data":${body}}`) : res[name]({ data: JSON.parse(body as string) })
  })
/** As the package `compression`, it sends other bytes, later. */
const ending = (text: string) =>
  wrapping('end', (res, before, body) => {
    if (!res.headersSent) res.removeHeader('Content-Length')
    return setImmediate(() => before(`{"${text}":${body}}`))
  })
const sentLater = wrapping('json', (_res, before, body) => setImmediate(() => before(body)))
const failedInstead = wrapping('send', (res, before, body) =>
  res.statusCode < 400 ? res.req.next?.(new Error('no')) : before(body),
)
const failedOnce = wrapping('json', (res, before, body) => {
  if (res.statusCode < 400) throw new Error('no')
  return before(body)
})
/** As a package that writes the head itself. */
const headed = wrapping('end', (res, before, body) => {
  res.writeHead(res.statusCode, { 'X-Own': 'a' })
  return before(body)
})
const one: Show = (res) => res.json(1)
const typed: Show = (res) => res.type('text').json(1)
const list: Show = (res) => res.send([1])

test.each<[title: string, front: RequestHandler[], behind: RequestHandler[], show: Show, v1: unknown]>([
  ['json in front', [jsonFront], [], one, { front: { old: 1 } }],
  ['json behind', [], [jsonBehind], one, { old: { behind: 1 } }],
  ['send in front', [sendFront], [], one, { front: { old: 1 } }],
  ['send in front, of a value', [sendFront], [], list, { front: { front: { old: [1] } } }],
  ['send on the app, of a value', [around('send', 'app', true)], [], list, { app: { app: { old: [1] } } }],
  ['send in front, json behind', [sendFront], [jsonBehind], list, { front: { old: { behind: [1] } } }],
  ['send behind', [], [sendBehind], one, { old: { behind: 1 } }],
  ['send behind, of a value', [], [sendBehind], list, { old: { behind: { behind: [1] } } }],
  ['both', [jsonFront], [sendBehind], one, { front: { old: { behind: 1 } } }],
  ['end in front', [ending('front')], [], one, { front: { old: 1 } }],
  ['end behind', [], [ending('behind')], one, { behind: { old: 1 } }],
  ['send that responses anew by send', [anew('send')], [], one, { data: { old: 1 } }],
  ['send that responses anew by json', [anew('json')], [], one, { data: { old: 1 } }],
  ['send that responses anew by jsonp', [anew('jsonp')], [], one, { data: { old: 1 } }],
  ['json in front that waits', [sentLater], [], one, { old: 1 }],
  ['json in front that throws', [failedOnce], [], one, { failed: 'Error' }],
  ['end in front with a head', [headed], [], one, { old: 1 }],
  ['send in front that fails', [failedInstead], [], one, { failed: 'Error' }],
  ['send in front that fails, of typed JSON', [failedInstead], [], typed, { failed: 'Error' }],
])('middleware in front gets the older value, that behind the newest: %s', async (_title, front, behind, show, v1) => {
  const use = (app: Application) => behind.length > 0 && app.use(behind)
  const both = { response: flat, error: ({ name }: Error) => ({ failed: name }) }
  const server = await serveOther(both, (res) => show(res.set(NAMED)), use, { front })
  const { json, headers } = await ask(server, 'v1', '/other')
  expect([json, headers.digest]).toEqual([v1, undefined])
})

const loop: { self?: unknown } = {}
loop.self = loop
const unset: Show = (res) => {
  const { setHeader } = res
  res.setHeader = (name, value) => {
    if (name !== 'Content-Length') return setHeader.call(res, name, value)
    res.setHeader = setHeader
    throw new RangeError('no such length')
  }
  res.json(ITEM)
}
test.each<[title: string, show: (res: Response & Old) => unknown, status: number, json: object, onlyIn?: number]>([
  ['an error of its value', (res) => res.json(loop), 500, { failed: { name: 'TypeError' } }],
  ['an error of Express, which is converted', unset, 500, { failed: { name: 'RangeError' } }],
  ['send(status, object)', (res) => res.send(201, ITEM), 201, OLD, 4],
  ['send(object, status)', (res) => res.send(ITEM, 201), 201, OLD, 4],
  ['send(text, status)', (res) => res.send(NEWEST, 404), 404, { failed: ITEM }, 4],
  ['send(text, status)', (res) => res.send(NEWEST, 404), 200, OLD, 5],
])('as in Express: %s', async (_title, show, status, json, onlyIn = major) => {
  if (onlyIn === major) expect(await older(steps, show as Show)).toMatchObject({ status, json })
})

test.each<[title: string, show: Show]>([
  ['a prefix, by res.send', (res) => res.type('json').send(`)]}',\n${NEWEST}`)],
  ['of an unknown encoding', (res) => res.type('json').set('Content-Encoding', 'zstd').end(NEWEST)],
  ['not UTF-8', (res) => res.type('json').end(NEWEST.replace('Ł', 'é'), 'latin1')],
  ['cut off, in pieces', (res) => Readable.from(halves(NEWEST).slice(0, 1)).pipe(res.type('json'))],
])('a body of type JSON that is not readable is 500: %s', async (_title, show) => {
  const finished = jest.fn()
  const fields = { ETag: '"newest"', 'Cache-Control': 'public, max-age=60' }
  const server = await responding((res) => show(res.set(fields).on('finish', finished)))
  const { status, json, headers } = await ask(server, 'v1', '/other')
  const got = 'got a body that is not JSON, though its type says so'
  const error = `The change "Odd." failed: its "response" of "GET other" ${got}.`
  expect([status, json]).toEqual([500, { failed: { code: 'ERR_VERSION_CHANGE', error, name: 'Error' } }])
  const { 'content-encoding': encoding, 'cache-control': cache, etag } = headers
  const calls = finished.mock.calls.length
  expect([encoding, cache, etag, calls]).toEqual([undefined, undefined, expect.stringMatching(/^W/), 1])
  expect((await ask(server, 'v2', '/other')).status).not.toBe(500)
})

test('an error is responded to instead of a failed response and of its rest, whose writer is told of the end', async () => {
  const note = jest.fn()
  const server = await serveOther(steps, (res, { query: { way } }, next) => {
    res.type('json').set('Cache-Control', 'no-store')
    if (way === 'error') next(res.write('[1,') && { status: 503 })
    else if (way === 'end') res.end('{', note)
    else void [res.json(null), res.writeHead(200), res.write('x'), res.end('y', note), res.end()]
  })
  for (const [way, status] of Object.entries({ error: 503, end: 500, rest: 500 })) {
    const expected = { status, json: { failed: expect.anything() }, headers: { 'cache-control': 'no-store' } }
    expect(await ask(server, 'v1', `/other?way=${way}`)).toMatchObject(expected)
  }
  expect(note).toHaveBeenCalledTimes(2)
})

test('pieces keep their encoding and callbacks; a wrong call throws as in Node', async () => {
  const told: unknown[] = []
  const response = await older(steps, (res) => {
    const wrong = (code: string) => expect.objectContaining({ code })
    expect(() => res.write(5)).toThrow(wrong('ERR_INVALID_ARG_TYPE'))
    expect(() => res.writeHead(99)).toThrow(wrong('ERR_HTTP_INVALID_STATUS_CODE'))
    expect(() => res.type('json').end(5)).toThrow(wrong('ERR_INVALID_ARG_TYPE'))
    const memory = Buffer.from(NEWEST)
    told.push(res.write(memory.subarray(0, 5), () => told.push('written')))
    const rest = Buffer.from(memory.subarray(5)).toString('hex')
    // A caller may reuse its buffer after `write()`.
    memory.fill(0)
    told.push(res.write(rest, 'hex'), res.headersSent, res.writableEnded)
    setImmediate(() => res.end(() => told.push('finished')))
  })
  expect(response.json).toEqual(OLD)
  await new Promise(setImmediate)
  expect(told).toEqual([true, true, false, false, 'written', 'finished'])
})

test('trailers and early hints are sent, except names of the newest bytes', async () => {
  const { raw } = await responding((res) => {
    res.writeEarlyHints({ link: '</a.css>; rel=preload' })
    res.type('json').write(NEWEST)
    res.addTrailers({ 'X-Took': '7', 'Content-MD5': 'newest' })
    res.end()
  })
  const received = await raw('GET /other HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n')
  expect(received).toMatch(/^HTTP\/1.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 OK\r\n/)
  expect(received).toContain(Buffer.from(JSON.stringify(OLD)).toString('latin1'))
  expect(received).toMatch(/\r\n0\r\nX-Took: 7\r\n\r\n$/)
})

const heads: OperationChange = {
  status: { 201: 200, 204: 200, 202: 204 },
  headers: {
    Location: null,
    'X-Total': (value, { status, version }) => `${version} ${status} ${value}`,
    'X-Both': (value) => value && `own ${value}`,
    'X-Gone': () => undefined,
    Age: (value) => (typeof value === 'string' ? 7 : 0),
  },
}
const everywhere = { headers: { 'X-All': null, 'X-Both': () => 'all' }, status: { 422: 400 } }
const oldest: OperationChange = { status: { 200: 202 }, headers: { 'x-total': (value) => [`${value}`, 'more'] } }
const created = change('Created.', { '*': everywhere, 'GET other': heads })
const FIELDS_OF_V3 = { 'X-All': '1', 'X-Both': 'b', Location: '/x', 'X-Total': '3', 'X-Gone': '1' }

test.each<[title: string, show: Show, v2: number, v1: number, body: string]>([
  ['res.json', (res) => res.status(201).json('x'), 200, 202, '"x"'],
  ['res.end', (res) => res.status(201).end('x'), 200, 202, 'x'],
  ['CSV in pieces', (res) => Readable.from(halves('a,b')).pipe(res.status(201).type('csv')), 200, 202, 'a,b'],
  ['a redirect', (res) => res.redirect('/y'), 302, 302, 'Found. Redirecting to /y'],
  ['204', (res) => res.sendStatus(204), 200, 202, ''],
  ['204 in pieces', (res) => res.status(204).write('x', () => res.end('y')), 200, 202, ''],
  ['204 at once', (res) => (res.status(204).write('x') ? res.end(() => {}) : res), 200, 202, ''],
  ['a status without a body', (res) => res.status(202).write('x', () => res.end('y')), 204, 204, ''],
  ['an error', (res) => res.status(422).json('x'), 400, 400, '"x"'],
])('status and header fields change: %s', async (title, show, v2, v1, body) => {
  const server = await serveChanges(historyOf([change('Oldest.', { 'GET other': oldest })], [created]), (routes) => {
    routes.route('other').get((_req, res) => void show(res.set(FIELDS_OF_V3).setHeader('Age', 1)))
  })
  const gone = { location: undefined, 'x-all': undefined, 'x-gone': undefined }
  for (const [version, status, total] of [['v2', v2, `v2 ${v2} 3`] as const, ['v1', v1, `v1 ${v2} 3, more`] as const]) {
    const { headers, ...response } = await ask(server, version, '/other')
    expect(response).toMatchObject({ status, text: body })
    expect({ ...gone, ...headers }).toMatchObject({ ...gone, 'x-both': 'own b', 'x-total': total, age: '7' })
  }
  expect((await ask(server, 'v3', '/other')).headers).toMatchObject({ 'x-total': '3', 'x-both': 'b', age: '1' })
  if (title !== 'res.json') return
  const { etag = '' } = (await ask(server, 'v2', '/other')).headers
  const again = await ask(server, 'v2', '/other', { headers: { 'If-None-Match': etag } })
  expect([again.status, again.headers['x-total']]).toEqual([304, 'v2 304 3'])
})

const OF_FIELD = 'which is not a value of a header field'
const throwing = () => JSON.parse('{')
test.each<[failed: string, gives: () => unknown, show: Show]>([
  ['threw', throwing, (res) => res.json(ITEM)],
  [`returned a boolean, ${OF_FIELD}`, () => true, (res) => res.end(NEWEST)],
  ['returned a value that no header field can have', () => 'a\nb', (res) => res.write(NEWEST)],
  ['threw', throwing, (res) => [res.type('csv').write('given'), res.write('x'), res.end('y')]],
  ['threw', throwing, (res) => Readable.from(['given', 'x', 'y']).pipe(res.type('csv'))],
])('a function for a header field that %s is 500', async (failed, gives, show) => {
  const { status, json } = await older({ headers: { 'X-Odd': gives as () => string } }, show)
  const error = `The change "Odd." failed: its "headers: X-Odd" of "GET other" ${failed}.`
  expect([status, json]).toEqual([500, { code: 'ERR_VERSION_CHANGE', error, name: 'Error' }])
})

test('a second head is an error of Node, and a response without a body stays without one', async () => {
  const server = await serveOther({ status: { 200: 204 } }, (res) => {
    res.writeHead(200)
    expect(() => res.writeHead(200)).toThrow(expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }))
    res.end('text')
  })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 204, text: '' })
})

test('pieces of another status before are dropped', async () => {
  const { status, json } = await older(steps, (res) => {
    res.type('json').write('[1,')
    res.status(404).end('{"a":1}')
  })
  expect([status, json]).toEqual([404, { failed: { a: 1 } }])
})

test('the problem of an inner versioning() that rejects stays as it is', async () => {
  const history = historyOf([change('Errors are flat.', { '*': { error: flat } })])
  const { get } = await serveChanges(history, (routes, app) => {
    app.use('/inner', versioning({ scheme: QueryParameterVersioning, changes: history, routes })).use(problemDetails())
  })
  const { status, json } = await get('/inner?version=y', V1)
  expect([status, json]).toMatchObject([404, { code: 'ERR_VERSION_NOT_FOUND', status: 404 }])
})
