// Streams, converted item by item: how they are sent, own steps, failures, and how they flow to slow clients, encoded and over HTTP/2.

import { EventEmitter, once } from 'node:events'
import { connect as connectHttp2, createServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { text as read } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createDeflateRaw,
  createGunzip,
  createGzip,
  createInflate,
  createInflateRaw,
  gzipSync,
} from 'node:zlib'
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import type { VersionEvent } from 'express-versioning'
import {
  change,
  events,
  fields,
  type OperationChanges,
  type StepContext,
  type VersionHistory,
} from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { Ajv } from '../../support/ajv'
import { historyOf } from '../../support/changes'
import { fillFeed, Order, opened, RENAMED, serveFeed, V1 } from '../../support/feeds'

const OrderRef = { $id: 'OrderRef', type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const others = { deleted: OrderRef, message: { type: 'array', items: Order } }
const [SSE, LINES, SEQUENCE] = ['text/event-stream', 'application/jsonl', 'application/json-seq']
const content = {
  [SSE]: { itemSchema: events({ created: Order, ...others }) },
  ...Object.fromEntries([LINES, SEQUENCE, 'application/x-ndjson'].map((type) => [type, { itemSchema: Order }])),
}
const withJson = { ...content, 'application/json': Order }
const streaming = (send: Way, feed: Parameters<typeof serveFeed>[1] = {}) =>
  serveFeed((_req, res) => void send(res, ''), { content, ...feed })

const STREAMS: [type: string, newest: string, older: string][] = [
  [
    SSE,
    ': hi\r\nid: 1\nevent: created\ndata: {"id":"1",\ndata: "title":"a"}\n\n: ping\n\nevent: deleted\ndata: { "id": "2" }\n\ndata: [{"id":"3","title":"\u00e9"}]\n\ndata: [DONE]\n\n',
    ': hi\r\nid: 1\nevent: created\ndata: {"id":"1","name":"a"}\n\n: ping\n\nevent: deleted\ndata: {"id":"2"}\n\ndata: [{"id":"3","name":"\u00e9"}]\n\ndata: [DONE]\n\n',
  ],
  [
    'application/x-ndjson',
    '{"id":"1","title":"a"}\n\n{"id":"2","title":"\u00e9"}\r\n',
    '{"id":"1","name":"a"}\n\n{"id":"2","name":"\u00e9"}\r\n',
  ],
  [LINES, '{"id":"1","title":"a"}\n', '{"id":"1","name":"a"}\n'],
  [
    SEQUENCE,
    '\x1e{"id":"1",\n"title":"a"}\n\x1enull\n\x1e{"id":"2","title":"\u00e9"}\n',
    '\x1e{"id":"1","name":"a"}\n\x1enull\n\x1e{"id":"2","name":"\u00e9"}\n',
  ],
]

type Way = (res: Response, text: string) => unknown
const inPieces = (res: Response, text: string | Buffer) => [res.write(text.slice(0, 9)), res.end(text.slice(9))]
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte))
const lengthOf = (text: string) => String(Buffer.byteLength(text))
const WAYS: [title: string, send: Way][] = [
  ['res.end', (res, text) => res.end(text)],
  ['res.send', (res, text) => res.send(text)],
  ['res.send of a Buffer', (res, text) => res.send(Buffer.from(text))],
  ['res.end with the last bytes', inPieces],
  ['latin1', (res, text) => [res.write(Buffer.from(text).toString('latin1'), 'latin1'), res.end()]],
  ['writeHead', (res, text) => res.writeHead(200, { 'X-Own': 'a' }).end(text)],
  ['flushHeaders', (res, text) => [res.flushHeaders(), res.write(text), res.end()]],
  ['a pipeline of single bytes', (res, text) => pipeline(Readable.from(bytes(text)), res)],
  ['a length', (res, text) => res.set({ 'Content-Length': lengthOf(text), ETag: '"a"', Digest: 'a' }).end(text)],
  ['gzip of res.send', (res, text) => res.set('Content-Encoding', 'gzip').send(gzipSync(text))],
  ['gzip', (res, text) => inPieces(res.set('Content-Encoding', 'gzip'), gzipSync(text))],
]

describe.each(STREAMS)('%s', (type, newest, older) => {
  test.each(WAYS)('%s', async (_title, send) => {
    const server = await streaming((res) => send(res.type(type), newest))
    const { text, headers } = await server.get('/feed', V1)
    expect([text, headers.digest]).toEqual([older, undefined])
    expect([undefined, lengthOf(older)]).toContain(headers['content-length'])
    expect(await server.send('HEAD', '/feed', V1)).toMatchObject({ status: 200, text: '' })
    expect((await server.get('/feed')).status).toBe(200)
  })
})

test.each<[title: string, send: Way]>([
  ['res.end', (res, text) => res.end(text)],
  ['res.send', (res, text) => res.send(Buffer.from(text))],
  ['a late flush', (res, text) => [res.write(text.slice(0, 9)), res.flushHeaders(), res.end(text.slice(9))]],
])('the newest version and streams without changed shapes keep their bytes: %s', async (_title, send) => {
  const text = 'event: created\r\ndata: {"id":9007199254740993 }\r\n\r\nevent: odd\ndata: {"a": 1.0}\n\ndata: {'
  const untouched = { ...content, [SSE]: { itemSchema: events({ created: OrderRef }) } }
  const named = { ETag: '"own"', 'Content-Length': lengthOf(text) }
  const server = await streaming((res) => send(res.type(SSE).set(named), text), { content: untouched })
  for (const version of ['v1', 'v2']) {
    const { text: got, headers } = await server.get('/feed', { 'X-API-Version': version })
    expect([got, headers.etag, headers['content-length']]).toEqual([text, '"own"', lengthOf(text)])
  }
})

test('a comment in another encoding keeps its bytes', async () => {
  const { raw } = await streaming((res) =>
    res.type(SSE).end(Buffer.from(CREATED.replace('id', ': \xff\nid'), 'latin1')),
  )
  const received = await raw('GET /feed HTTP/1.1\r\nHost: a\r\nX-API-Version: v1\r\nConnection: close\r\n\r\n')
  expect(received).toContain(CREATED.replace('id', ': \xff\nid').replace('title', 'name'))
})

test('each item is sent as soon as its end arrives, and the head when it is flushed', async () => {
  let sent!: Response
  const server = await streaming((res) => {
    sent = res
    res.type(SSE).flushHeaders()
  })
  const res = (await opened(server)).setEncoding('utf8')
  expect(res.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  sent.write('event: created\ndata: {"id":"1","ti')
  sent.write('tle":"a"}\n\nevent: del')
  expect(await once(res, 'data')).toEqual(['event: created\ndata: {"id":"1","name":"a"}\n\n'])
  sent.write('eted\ndata: {"id":"2"}\n\n')
  expect(await once(res, 'data')).toEqual(['event: deleted\ndata: {"id":"2"}\n\n'])
})

// Steps ---------------------------------------------------------------------------------------------------------------

type Event = { event?: string; data: { id: string; [name: string]: unknown } }
const asNew = (event: Event) => (event.event === 'created' ? { ...event, event: 'new' } : event)
const dropping = (event: Event) => (event.event === 'deleted' ? null : event)
/** A history of a change of the operation, and of later ones. */
const changing = (operations: object, ...later: (typeof RENAMED)[]) =>
  historyOf([change('Odd.', operations as OperationChanges)], ...later.map((one) => [one]))
const stepping = (item: unknown) => changing({ 'GET feed': { item } })
const told = { item: asNew, older: { item: events({ new: Order, ...others }) } }
const renaming = (older: string, newer: string) => ({
  'GET feed': told,
  Order: fields({ renamed: { [older]: newer } }),
})
const lines = { item: ({ name }: { name: string }) => name, older: { item: { type: 'string' } } }
const EVENT = (name: string, data: object) => `event: ${name}\nid: 7\ndata: ${JSON.stringify(data)}\n\n`
const CREATED = EVENT('created', { id: '1', title: 'a' })
const FEW = `${CREATED}${EVENT('deleted', { id: '2' })}data: [DONE]\n\n`
const ASNEW = FEW.replace('created', 'new')

test.each<[title: string, changes: VersionHistory, older: string, type?: string, newest?: string]>([
  ['a step of the operation', stepping(asNew), ASNEW],
  ['a step, and a shape in the items behind it', changing(renaming('name', 'title')), ASNEW.replace('title', 'name')],
  ['two changes', changing(renaming('label', 'name'), RENAMED), ASNEW.replace('title', 'label')],
  ['items that are left out', stepping(dropping), FEW.replace(/event: deleted\nid: 7\ndata.*\n/, 'id: 7\n')],
  ['lines', changing({ 'GET feed': lines }, RENAMED), '"a"\n', LINES, '{"id":1,"title":"a"}\n'],
])('%s', async (_title, changes, older, type = SSE, newest = FEW) => {
  const server = await streaming((res) => res.type(type).end(newest), { changes, content: { [type]: content[type] } })
  expect((await server.get('/feed', V1)).text).toBe(older)
})

// Failures ------------------------------------------------------------------------------------------------------------

/** Sends errors later. What a handler still writes until then is dropped. */
const later: ErrorRequestHandler = (error, _req, _res, next) => void setImmediate(next, error)
const NO_END = 'got an item without its end.'
const NO_JSON = 'returned a value that JSON cannot express.'
const NO_NAME = 'returned an event whose name is not a line of text.'
const LARGE = 'bytes (option "maxCollected" of versioning()).'
const NO_BODY = 'got a body that is not in its encoding.'
const rejection = (message: string) => ({
  status: 500,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  json: { code: 'ERR_VERSION_CHANGE', error: expect.stringContaining(message) },
})

/** Events that cannot be converted, and the end of the message. */
const BROKEN: [title: string, bad: string, message: string, step?: (event: Event) => unknown][] = [
  ['an event of another name', EVENT('other', { id: '1' }), 'got an item that fits no described branch.'],
  [
    'JSON of another type',
    EVENT('created', []),
    'found a list at "/oneOf/0/properties/data" of the items of the response 200 of "GET feed", which its schema does not allow.',
  ],
  ['an event without its end', 'data: {"id":"1"}\n', NO_END],
  ['an item that is too large', `data: ["${'a'.repeat(1000)}"]\n\n`, `got an item of more than 1000 ${LARGE}`],
  ['a lossy number', 'data: [{"id":9007199254740993,"title":""}]\n\n', 'got a number that JavaScript cannot hold.'],
  ['bytes that are not UTF-8', 'data: "\xff"\n\n', 'got an item that is not UTF-8.'],
  ['a step that throws', CREATED, 'threw.', () => JSON.parse('{')],
  ['a step that gives a promise', CREATED, 'returned a promise, but steps are synchronous.', async () => ({})],
  ['a step that gives nothing', CREATED, 'returned undefined, which JSON cannot express.', () => undefined],
  ['a step that gives no event', CREATED, 'returned no event: { data, event }, or null for none.', () => 'text'],
  ['a step that gives a name of two lines', CREATED, NO_NAME, ({ data }) => ({ data, event: 'a\nb' })],
  ['a step that gives a name that is no text', CREATED, NO_NAME, ({ data }) => ({ data, event: 7 })],
  ['a step that gives a map', CREATED, NO_JSON, ({ data }) => ({ data: { ...data, map: new Map() } })],
]

describe.each(BROKEN)('%s', (_title, bad, message, step) => {
  const changes = step === undefined ? historyOf([RENAMED]) : stepping(step)
  const failed: string[] = []
  const onVersion = ({ phase, error }: VersionEvent) => phase === 'failed' && failed.push((error as Error).message)
  const sending = (send: (res: Response) => unknown) =>
    streaming((res) => send(res.type(SSE)), { changes, maxCollected: 1000, onVersion })
  const toldOnce = () => expect(failed.splice(0)).toEqual([expect.stringContaining(message)])

  test.each<[title: string, send: (res: Response) => unknown]>([
    ['res.write', (res) => [res.write(bad, 'latin1'), res.end()]],
    ['res.end', (res) => res.end(bad, 'latin1')],
    ['res.send', (res) => res.send(Buffer.from(bad, 'latin1'))],
  ])('is 500 before the first byte: %s', async (_title, send) => {
    expect(await (await sending(send)).get('/feed', V1)).toMatchObject(rejection(message))
    toldOnce()
  })

  test('ends the connection later', async () => {
    let sent!: Response
    const server = await sending((res) => {
      sent = res
      res.write(': hi\n')
    })
    const res = await opened(server)
    sent.write(bad, 'latin1')
    sent.end()
    await expect(read(res)).rejects.toThrow('aborted')
    toldOnce()
  })
})

const OTHER_TYPE = 'got another "Content-Type" after the response had begun.'
const NO_UTF8 = 'got a stream that is not UTF-8.'
const zipped = (text: string): Way => {
  return (res) => res.set('Content-Encoding', 'gzip').send(gzipSync(text))
}
const encoded = (encoding: string, bytes: string | Buffer): Way => {
  return (res) => res.set('Content-Encoding', encoding).end(bytes)
}
test.each<[title: string, send: Way, message: string]>([
  ['an unknown encoding', encoded('zstd', 'a'), 'got a body in an unknown encoding.'],
  ['two encodings', encoded('gzip, br', 'a'), 'got a body in an unknown encoding.'],
  ['an unknown encoding of res.send', (res) => res.set('Content-Encoding', 'zstd').send('a'), NO_BODY],
  ['bytes in no encoding', encoded('gzip', 'a'), NO_BODY],
  ['half of an encoded body', encoded('gzip', gzipSync('abc').subarray(0, 12)), NO_BODY],
  ['a large body of res.send', zipped('a'.repeat(2000)), `got a body of more than 1000 ${LARGE}`],
  ['another type behind the first piece', (res) => [res.write('data'), res.type('text').end('a')], OTHER_TYPE],
  [
    'a status that nobody described',
    (res) => res.status(201).end(CREATED),
    'does not know the items of responses of "GET feed" with status 201, which nobody had described when versioning() was called.',
  ],
  ['half of an item by res.send', zipped('data'), NO_END],
  ['another charset', (res) => res.set('Content-Type', `${LINES}; charset=utf-16le`).end('1\n'), NO_UTF8],
  ['JSON that is flushed after it failed', (res) => [res.json([]), res.flushHeaders()], 'found a list in the response'],
])('%s is 500', async (_title, send, message) => {
  const server = await streaming((res) => send(res.type(SSE), ''), {
    content: withJson,
    maxCollected: 1000,
    last: later,
  })
  expect(await server.get('/feed', V1)).toMatchObject(rejection(message))
})

test('trailers are sent, without digests of the newest bytes', async () => {
  const server = await streaming((res) => {
    res.type(SSE).set('Trailer', 'Digest, X-Own').write(CREATED)
    res.addTrailers({ Digest: 'a', 'X-Own': 'b' })
    res.end()
  })
  const res = await opened(server)
  await read(res)
  expect(res.trailers).toEqual({ 'x-own': 'b' })
})

test('the connection of a client that gets no chunks is reset', async () => {
  let sent!: Response
  const { port } = await streaming((res) => {
    sent = res
    res.type(SSE).write(CREATED)
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /feed HTTP/1.0\r\nX-API-Version: v1\r\n\r\n')
  await once(socket, 'data')
  sent.end('data: {"id"')
  await expect(once(socket, 'end')).rejects.toThrow('ECONNRESET')
})

test('another response is sent instead of one that nobody got', async () => {
  const server = await streaming((res) => {
    res.type(SSE).write('data: {"id"')
    res.status(404).json({ error: 'none' })
  })
  expect(await server.get('/feed', V1)).toMatchObject({ status: 404, json: { error: 'none' } })
})

test('a step that sends another response itself takes the place of the stream', async () => {
  const changes = changing({
    'GET feed': {
      item: (event: object, { res }: StepContext) => {
        res?.status(409).type('text').end('other')
        return event
      },
    },
  })
  const results: unknown[] = []
  const writing: Way = (res) => {
    results.push(res.type(SSE).write(CREATED))
    res.end()
  }
  const server = await streaming(writing, { changes })
  expect(await server.get('/feed', V1)).toMatchObject({ status: 409, text: 'other' })
  // A throw would end the process, if a timer writes.
  expect(results).toEqual([false])
})

test('who ends a stream within an item is called when the error was sent', async () => {
  const ended = jest.fn()
  const server = await streaming((res) => res.type(SEQUENCE).end('\x1e{"id":1}', ended))
  expect(await server.get('/feed', V1)).toMatchObject(rejection(NO_END))
  expect(ended).toHaveBeenCalledTimes(1)
})

// Judged by a contract ------------------------------------------------------------------------------------------------

const ajv = new Ajv()
const judged = contract({ compile: (schema) => ajv.compile(schema), requests: false, responses: 'throw' })
const [GOOD, BAD] = ['{"id":1,"title":"a"}\n', '{"id":1,"title":2}\n']
const never: ErrorRequestHandler = (_error, _req, _res, _next) => {}
const MISFIT = { status: 500, json: { code: 'ERR_VERSION_CONTRACT' } }

test.each<[title: string, send: Way, last: ErrorRequestHandler, expected: object]>([
  ['JSON whose head is flushed', (res) => [res.type('json').flushHeaders(), res.end(BAD)], later, MISFIT],
  ['an item in front of others', (res) => [res.type(LINES).write(BAD), res.end(GOOD), res.end()], later, MISFIT],
  [
    'an item, though its writer goes on and nobody sends the error',
    (res) => [res.type(LINES).write(BAD), setImmediate(() => res.end(GOOD))],
    never,
    { status: 500, text: '' },
  ],
])('a contract rejects %s', async (_title, send, last, expected) => {
  const server = await streaming(send, { content: withJson, contract: judged, last })
  expect(await server.get('/feed')).toMatchObject(expected)
})

// Warnings ------------------------------------------------------------------------------------------------------------

type Told = { code: string; detail?: string }

/** Serves a stream whose second item fails by a step, and returns the warnings of two requests. */
async function warned(item: (event: Event) => unknown) {
  const warnings: { message: string; detail?: string }[] = []
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(((message: string, { code, detail }: Told) => {
    warnings.push({ message: `${code}: ${message}`, ...(detail === undefined ? {} : { detail }) })
  }) as never)
  const changes = stepping((event: Event) => (event.event === 'deleted' ? item(event) : event))
  let sent!: Response
  const begin: Way = (res) => {
    sent = res
    res.type(SSE).write(CREATED)
  }
  const server = await streaming(begin, { changes })
  try {
    for (const version of ['v1', 'v1', 'v2']) {
      const res = await opened(server, version)
      await once(res, 'data')
      sent.end(EVENT('deleted', { id: 'secret' }))
      const ended = once(res, 'end')
      if (version === 'v2') await ended
      else await expect(ended).rejects.toThrow('aborted')
    }
  } finally {
    warn.mockRestore()
  }
  return warnings
}
const CUT =
  'EXPRESS_VERSIONING_STREAM: A stream of "GET feed" in version "v1" was cut off, because its conversion failed after its first bytes had been sent, where no error handler can respond. The change "Odd." failed: its "item" of "GET feed" '

it.each<[title: string, item: (event: Event) => unknown, reason: string, detail?: string]>([
  ['nothing that is an event', () => 'text', 'returned no event: { data, event }, or null for none.'],
  [
    'an error that quotes the item',
    (event) => {
      throw new Error(`no price of ${event.data.id}`)
    },
    'threw.',
    'Error: no price of secret',
  ],
  [
    'no error',
    () => {
      throw 'text'
    },
    'threw.',
    "'text'",
  ],
  [
    'an error without a readable message',
    () => {
      throw Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('secret')
        },
      })
    },
    'threw.',
    'An error that cannot be shown.',
  ],
])('warns once of an operation whose stream is cut off: the step gives %s', async (...[, item, reason, detail]) => {
  const [warning, ...others] = await warned(item)
  expect([warning?.message, others]).toEqual([CUT + reason, []])
  if (detail === undefined) expect(warning?.detail).toBeUndefined()
  else expect(warning?.detail).toContain(detail)
})

it('does not warn of a client that has left within an item', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue()
  let left!: Promise<unknown>
  const server = await streaming((res) => {
    res.type(SSE).write(`${CREATED}data: {"id"`)
    left = once(res, 'close').then(() => res.end())
  })
  const res = await opened(server)
  await once(res, 'data')
  res.destroy()
  await left
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

// On their way to clients ---------------------------------------------------------------------------------------------

const eventOf = (id: number, name = 'title') => `event: created\ndata: {"id":${id},"${name}":"${'x'.repeat(100)}"}\n\n`
// More than encoders, decoders and sockets hold at once.
const COUNT = 500
const eventsOf = (name?: string) => Array.from({ length: COUNT }, (_, id) => eventOf(id, name))
const OLDER = eventsOf('name').join('')
const many: RequestHandler = (_req, res) => void pipeline(Readable.from(eventsOf()), res.type(SSE)).catch(() => {})

test('a handler gets what the socket returned, and is told of room', async () => {
  const large = 'y'.repeat(20_000)
  const [socket, handler]: unknown[][] = [[], []]
  const noting: RequestHandler = (_req, res, next) => {
    const { write } = res
    res.write = ((...args: Parameters<Response['write']>) => {
      const result = write.apply(res, args)
      socket?.push(result)
      return result
    }) as Response['write']
    next()
  }
  const writing: RequestHandler = async (_req, res) => {
    res.type(SSE)
    for (let id = 0; id < 50; id++) {
      const isFree = res.write(eventOf(id).replace('x', large))
      handler?.push(isFree)
      if (isFree) continue
      // A part of an event needs no room, and the socket still has none.
      expect(res.write(': a comment is')).toBe(false)
      await once(res, 'drain')
      expect(res.write(' held\n')).toBe(true)
    }
    res.end()
  }
  const res = await opened(await serveFeed(writing, { front: [noting] }))
  expect((await read(res)).replaceAll(': a comment is held\n', '').replaceAll(large, 'x')).toBe(
    eventsOf('name').slice(0, 50).join(''),
  )
  const full = (results: unknown[] = []) => results.filter((result) => result === false).length
  expect(full(socket)).toBe(full(handler))
  expect(handler).toContain(false)
})

test('callbacks of pieces that wait, and of those that leave', async () => {
  const calls: string[] = []
  const server = await serveFeed((_req, res) => {
    res.type(SSE)
    res.write('event: created\n', () => calls.push('part'))
    res.write('data: {"id":0,"title":"a"}\n\n', 'utf8', () => calls.push('event'))
    res.end(() => calls.push('end'))
  })
  expect((await server.get('/feed', V1)).text).toBe('event: created\ndata: {"id":0,"name":"a"}\n\n')
  expect(calls).toEqual(['part', 'event', 'end'])
})

// Compression ---------------------------------------------------------------------------------------------------------

/** Encodes what is written behind or in front of it, as middleware does. */
const compressing =
  (encoding: string, create: () => Transform): RequestHandler =>
  (_req, res, next) => {
    const { write, end, on, writeHead } = res
    const encoder = create()
    encoder.on('data', (bytes) => {
      if (!write.call(res, bytes, 'latin1')) encoder.pause()
    })
    encoder.on('end', () => end.apply(res, [] as never))
    on.call(res, 'drain', () => encoder.resume())
    // As `on-headers` does: the encoding is known when the head is written.
    let isTold = false
    const head = () => res.headersSent || res.writeHead(res.statusCode)
    Object.assign(res, {
      writeHead: (...args: Parameters<typeof writeHead>) => {
        if (!isTold) res.setHeader('Content-Encoding', encoding)
        isTold = true
        return writeHead.apply(res, args)
      },
      write: (bytes: Buffer) => {
        head()
        return encoder.write(bytes)
      },
      end: (bytes?: Buffer) => {
        head()
        return encoder.end(bytes)
      },
      on: (type: string, listener: () => void) => {
        if (type === 'drain') encoder.on(type, listener)
        else on.call(res, type, listener)
        return res
      },
    })
    next()
  }

test.each<[name: string, encode: () => Transform, decode: () => Transform]>([
  ['gzip', createGzip, createGunzip],
  ['x-gzip', createGzip, createGunzip],
  ['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), createBrotliDecompress],
  ['deflate', createDeflate, createInflate],
  ['deflate', createDeflateRaw, createInflateRaw],
])('%s by middleware behind, and in front', async (name, encode, decode) => {
  const behind = await opened(await serveFeed(many, { behind: [compressing(name, encode)] }))
  expect([behind.headers['content-encoding'], await read(behind)]).toEqual([undefined, OLDER])
  const front = await opened(await serveFeed(many, { front: [compressing(name, encode)] }))
  expect([front.headers['content-encoding'], await read(front.pipe(decode()))]).toEqual([name, OLDER])
})

// These fill a decoder, and are nothing when they are decoded.
const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))
const gzipped = (res: Response) => res.type(SSE).set('Content-Encoding', 'gzip')

test('a handler is told of room in the decoder', async () => {
  const server = await serveFeed((_req, res) => {
    expect(gzipped(res).write(nothing)).toBe(false)
    res.once('drain', () => res.end(gzipSync(eventOf(1))))
  })
  expect(await read(await opened(server))).toBe(eventOf(1, 'name'))
})

test('while the client takes no more, nothing is decoded, and a handler is not told of room in the decoder', async () => {
  const calls: string[] = []
  const client = new EventEmitter()
  const slow: RequestHandler = (_req, res, next) => {
    const { write, emit } = res
    let isWritten = true
    // The socket tells of room too.
    res.emit = (name: string, ...args: unknown[]) => (name !== 'drain' || isWritten) && emit.call(res, name, ...args)
    res.write = ((bytes: Buffer) => {
      isWritten = write.call(res, bytes, 'utf8')
      calls.push('full')
      setImmediate(() => client.emit('full'))
      // The decoder would have time to go on.
      setTimeout(() => {
        isWritten = true
        calls.push('room')
        res.emit('drain')
      }, 10)
      return false
    }) as Response['write']
    next()
  }
  const [first, ...others] = eventsOf()
  const handler: RequestHandler = (_req, res) => {
    gzipped(res).write(gzipSync(first as string))
    client.once('full', () => {
      expect(res.write(nothing)).toBe(false)
      res.once('drain', () => {
        calls.push('drain')
        res.end(gzipSync(others.join('')))
      })
    })
  }
  expect(await read(await opened(await serveFeed(handler, { front: [slow] })))).toBe(OLDER)
  expect(calls.join(' ')).toMatch(/^full room drain( full room){3,} full( room)?$/)
})

test('nothing is decoded for a client that left', async () => {
  let written!: Promise<unknown>
  const server = await serveFeed((_req, res) => {
    gzipped(res).write(gzipSync(eventOf(1)))
    written = once(res, 'close').then(() => new Promise((done) => res.write(nothing, done)))
  })
  ;(await opened(server)).destroy()
  expect(await written).toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
})

const HUGE = 'x'.repeat(20_000_000)
test.each<[title: string, begun: string, send: (res: Response) => unknown]>([
  ['of that type', eventOf(1), (res) => res.end(HUGE)],
  ['of another type', eventOf(1), (res) => res.type('text').end(HUGE)],
  ['instead of a part of an event', eventOf(1).slice(0, -9), (res) => res.type('text').end(HUGE)],
])('another response takes the place of a stream in a decoder: %s', async (_title, begun, send) => {
  const failed = jest.fn()
  const decoded = new EventEmitter()
  const server = await serveFeed(
    (_req, res) => {
      // The decoder takes the bytes while the client takes none.
      gzipped(res).write(gzipSync(begun), () => setImmediate(() => decoded.emit('end')))
      res.removeHeader('Content-Encoding')
      send(res.status(502))
    },
    { onVersion: ({ error }) => error && failed(error) },
  )
  const end = once(decoded, 'end')
  const res = await opened(server)
  await end
  expect([res.statusCode, await read(res)]).toEqual([502, HUGE])
  expect(failed).not.toHaveBeenCalled()
})

// HTTP/2 --------------------------------------------------------------------------------------------------------------

/** Asks an app over HTTP/2, whose requests and responses get Express's methods. */
async function overHttp2(handler: RequestHandler, last?: ErrorRequestHandler): Promise<string> {
  const app = express()
  fillFeed(app, handler, last && { last })
  const withMethods = (own: object, of: object) => Object.create(of, Object.getOwnPropertyDescriptors(own))
  Object.setPrototypeOf(app.request, withMethods(express.request, Http2ServerRequest.prototype))
  Object.setPrototypeOf(app.response, withMethods(express.response, Http2ServerResponse.prototype))
  const server = createServer(app as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    return await read(client.request({ ':path': '/feed', 'x-api-version': 'v1' }))
  } finally {
    client.destroy()
    server.close()
  }
}

test('HTTP/2', async () => {
  const flushed: RequestHandler = (_req, res) => {
    res.type(SSE).flushHeaders()
    setImmediate(() => void pipeline(Readable.from(eventsOf()), res))
  }
  expect(await overHttp2(flushed)).toBe(OLDER)
})

test('a response over HTTP/2 that fails', async () => {
  const failed = overHttp2(
    (_req, res) => void res.status(202).location('/a').json({ id: 1 }),
    (_error, _req, res, _next) => {
      res.send([res.statusCode, res.getHeaderNames().includes('location')].join())
    },
  )
  expect(await failed).toBe('500,false')
})

test('a stream that is broken off over HTTP/2', async () => {
  const broken = overHttp2((_req, res) => {
    res.type(SSE).write(eventOf(1))
    res.write('data: {"unknown":1}\n\n')
    res.end()
  })
  await expect(broken).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
})
