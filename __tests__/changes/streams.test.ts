import { EventEmitter } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import type { RequestHandler, Response } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import {
  change,
  events,
  fields,
  type OperationChange,
  type VersionHistory,
  versionHistory,
} from 'express-versioning/changes'
import { type Served, serve } from '../support/serve'

// Streams, item by item.

const Order = {
  $id: 'Order',
  type: 'object',
  properties: { id: { type: 'string' }, title: { type: 'string' } },
  required: ['id', 'title'],
}
const OrderRef = { $id: 'OrderRef', type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const renamed = change('Orders have `title` in place of `name`.', { Order: fields({ renamed: { name: 'title' } }) })
const FEED = events({ created: Order, deleted: OrderRef, message: { type: 'array', items: Order } })
const TYPES = {
  'text/event-stream': { itemSchema: FEED },
  'application/x-ndjson': { itemSchema: Order },
  'application/jsonl': { itemSchema: Order },
  'application/json-seq': { itemSchema: Order },
} as const
const history = versionHistory('v1').version('v2', renamed)
const V1 = { 'X-API-Version': 'v1' }

type Setup = {
  changes?: VersionHistory
  content?: object
} & Partial<VersioningOptions>

/** Serves `GET /feed`, whose responses are streams. */
function streaming(
  handler: RequestHandler,
  { changes = history, content = TYPES, ...more }: Setup = {},
): Promise<Served> {
  return serve((app) => {
    const api = namedRoutes({ feed: '/feed' })
    api.describe('GET feed', { response: { 200: { content } } } as never)
    api.describe('*', { response: { '4XX': { type: 'object' }, '5XX': { type: 'object' } } })
    api.route('feed').get(handler)
    const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: api, ...more }
    app.use(versioning(options), api)
  })
}

const NEWEST: Record<string, string> = {
  'text/event-stream':
    ': hi\r\nid: 1\nevent: created\ndata: {"id":"1",\ndata: "title":"a"}\n\n: ping\n\nevent: deleted\ndata: { "id": "2" }\n\ndata: [{"id":"3","title":"\u00e9"}]\n\ndata: [DONE]\n\n',
  'application/x-ndjson': '{"id":"1","title":"a"}\n\n{"id":"2","title":"\u00e9"}\r\n',
  'application/jsonl': '{"id":"1","title":"a"}\n',
  'application/json-seq': '\x1e{"id":"1",\n"title":"a"}\n\x1e{"id":"2","title":"\u00e9"}\n',
}
const OLDER: Record<string, string> = {
  'text/event-stream':
    ': hi\r\nid: 1\nevent: created\ndata: {"id":"1","name":"a"}\n\n: ping\n\nevent: deleted\ndata: {"id":"2"}\n\ndata: [{"id":"3","name":"\u00e9"}]\n\ndata: [DONE]\n\n',
  'application/x-ndjson': '{"id":"1","name":"a"}\n\n{"id":"2","name":"\u00e9"}\r\n',
  'application/jsonl': '{"id":"1","name":"a"}\n',
  'application/json-seq': '\x1e{"id":"1","name":"a"}\n\x1e{"id":"2","name":"\u00e9"}\n',
}

type Way = (res: Response, text: string) => unknown
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte))
const WAYS: [title: string, send: Way][] = [
  ['res.end', (res, text) => res.end(text)],
  ['res.send', (res, text) => res.send(text)],
  ['res.send of a Buffer', (res, text) => res.send(Buffer.from(text))],
  [
    'res.write and res.end',
    (res, text) => {
      res.write(text)
      res.end()
    },
  ],
  [
    'res.end with the last bytes',
    (res, text) => {
      res.write(text.slice(0, 9))
      res.end(text.slice(9))
    },
  ],
  [
    'single bytes',
    (res, text) => {
      for (const one of bytes(text)) res.write(one)
      res.end()
    },
  ],
  [
    'latin1',
    (res, text) => {
      res.write(Buffer.from(text).toString('latin1'), 'latin1')
      res.end()
    },
  ],
  [
    'writeHead',
    (res, text) => {
      res.writeHead(200, { 'X-Own': 'a' })
      res.end(text)
    },
  ],
  [
    'flushHeaders',
    (res, text) => {
      res.flushHeaders()
      res.write(text)
      res.end()
    },
  ],
  ['a pipeline', (res, text) => pipeline(Readable.from(bytes(text)), res)],
  [
    'a length and an ETag',
    (res, text) => res.set({ 'Content-Length': String(Buffer.byteLength(text)), ETag: '"a"', Digest: 'a' }).end(text),
  ],
  ['gzip of res.send', (res, text) => res.set('Content-Encoding', 'gzip').send(gzipSync(text))],
  [
    'gzip',
    (res, text) => {
      res.set('Content-Encoding', 'gzip')
      const all = gzipSync(text)
      res.write(all.subarray(0, 9))
      res.end(all.subarray(9))
    },
  ],
]

describe.each(Object.keys(NEWEST))('%s', (type) => {
  it.each(WAYS)('%s', async (_title, send) => {
    const server = await streaming((_req, res) => void send(res.type(type), NEWEST[type] as string))
    const older = await server.get('/feed', V1)
    expect(older.text).toBe(OLDER[type])
    expect(older.headers).not.toHaveProperty('digest')
    if (older.headers['content-length'])
      expect(older.headers['content-length']).toBe(String(Buffer.byteLength(older.text)))
    const head = await server.send('HEAD', '/feed', V1)
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await server.get('/feed')).status).toBe(200)
  })
})

it.each<[title: string, send: Way]>([
  ['res.end', (res, text) => res.end(text)],
  ['res.send', (res, text) => res.send(Buffer.from(text))],
  [
    'pieces',
    (res, text) => {
      res.write(text.slice(0, 9))
      res.end(text.slice(9))
    },
  ],
])('does not touch the newest version, nor streams without changed shapes: %s', async (_title, send) => {
  const text = 'event: created\r\ndata: {"id":9007199254740993 }\r\n\r\nevent: odd\ndata: {"a": 1.0}\n\ndata: {'
  const content = {
    'text/event-stream': { itemSchema: events({ created: OrderRef }) },
    'application/jsonl': { itemSchema: Order },
  }
  const server = await streaming(
    (_req, res) =>
      void send(
        res.type('text/event-stream').set({ ETag: '"own"', 'Content-Length': String(Buffer.byteLength(text)) }),
        text,
      ),
    { content },
  )
  for (const version of ['v1', 'v2']) {
    const { text: got, headers } = await server.get('/feed', { 'X-API-Version': version })
    expect([got, headers.etag, headers['content-length']]).toEqual([text, '"own"', String(Buffer.byteLength(text))])
  }
})

// Steps ---------------------------------------------------------------------------------------------------------------

type Event = { event?: string; data: { id: string; [name: string]: unknown }; id?: string; retry?: number }
const asNew = (event: Event) => (event.event === 'created' ? { ...event, event: 'new' } : event)
const told = change('Orders are told as `created` in place of `new`.', { 'GET feed': { item: asNew } })
const oldFeed = events({ new: Order, deleted: OrderRef, message: { type: 'array', items: Order } })
const both = change('Both.', {
  'GET feed': { item: asNew, older: { item: oldFeed } },
  Order: fields({ renamed: { name: 'title' } }),
})
const dropping = change('Events of deletion are new.', {
  'GET feed': { item: (event: Event) => (event.event === 'deleted' ? null : event) },
})
const EVENT = (name: string, data: object) => `event: ${name}\nid: 7\ndata: ${JSON.stringify(data)}\n\n`
const FEW = `${EVENT('created', { id: '1', title: 'a' })}${EVENT('deleted', { id: '2' })}data: [DONE]\n\n`

it.each<[title: string, changes: VersionHistory, older: string]>([
  ['a step of the operation', versionHistory('v1').version('v2', told), FEW.replace('created', 'new')],
  [
    'a step, and a shape in the items behind it',
    versionHistory('v1').version('v2', both),
    FEW.replace('created', 'new').replace('title', 'name'),
  ],
  [
    'two changes',
    versionHistory('v1')
      .version('v2', both)
      .version('v3', change('Later.', { Order: fields({ renamed: { title: 'headline' } }) })),
    FEW.replace('created', 'new').replace('title', 'name'),
  ],
  [
    'items that are left out',
    versionHistory('v1').version('v2', dropping),
    FEW.replace(/event: deleted\nid: 7\ndata.*\n/, 'id: 7\n'),
  ],
])('%s', async (_title, changes, older) => {
  const newest = changes.versions.length === 3 ? FEW.replace('title', 'headline') : FEW
  const content =
    newest === FEW
      ? { 'text/event-stream': TYPES['text/event-stream'] }
      : {
          'text/event-stream': {
            itemSchema: events({
              created: {
                ...Order,
                properties: { id: { type: 'string' }, headline: { type: 'string' } },
                required: ['id', 'headline'],
              },
              deleted: OrderRef,
              message: { type: 'array', items: { $ref: 'Order' } },
            }),
          },
        }
  const server = await streaming((_req, res) => void res.type('text/event-stream').end(newest), { changes, content })
  expect((await server.get('/feed', V1)).text).toBe(older)
})

// Time ----------------------------------------------------------------------------------------------------------------

/** Reads a response chunk by chunk. */
async function opened(
  server: Served,
  version = 'v1',
): Promise<{ req: ClientRequest; res: IncomingMessage; next(): Promise<string> }> {
  const req = request(`${server.origin}/feed`, { headers: { 'X-API-Version': version } }).end()
  const [res] = (await EventEmitter.once(req, 'response')) as [IncomingMessage]
  res.setEncoding('utf8')
  const chunks: string[] = []
  res.on('data', (chunk: string) => chunks.push(chunk))
  const next = async () => {
    while (chunks.length === 0) await EventEmitter.once(res, 'data')
    return chunks.splice(0).join('')
  }
  return { req, res, next }
}

it('sends each item as soon as its end arrives, and the head when it is flushed', async () => {
  let sent!: Response
  const server = await streaming((_req, res) => {
    sent = res
    res.type('text/event-stream').flushHeaders()
  })
  const { res, next } = await opened(server)
  expect(res.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  sent.write('event: created\ndata: {"id":"1","ti')
  sent.write('tle":"a"}\n\nevent: del')
  expect(await next()).toBe('event: created\ndata: {"id":"1","name":"a"}\n\n')
  sent.write('eted\ndata: {"id":"2"}\n\n')
  expect(await next()).toBe('event: deleted\ndata: {"id":"2"}\n\n')
})

// Failures ------------------------------------------------------------------------------------------------------------

const CREATED = EVENT('created', { id: '1', title: 'a' })
const stepping = (item: (event: Event) => unknown) =>
  versionHistory('v1').version('v2', change('Odd.', { 'GET feed': { item } as OperationChange }))
const shapes = history
const SSE = 'text/event-stream'

/** Responses that cannot be converted: how they are sent, and the end of the message. */
const BROKEN: [title: string, type: string, bad: string, message: string, changes?: VersionHistory][] = [
  ['an event of another name', SSE, EVENT('other', { id: '1' }), 'got an item that fits no described branch.'],
  [
    'JSON of another type',
    SSE,
    EVENT('created', []),
    'found a list at "/oneOf/0/properties/data" of the items of the response 200 of "GET feed", which its schema does not allow.',
  ],
  ['an event without its end', SSE, 'data: {"id":"1"}\n', 'got an item without its end.'],
  ['a line without its end', 'application/jsonl', '{"id":"1"}', 'got an item without its end.'],
  ['a text without its end', 'application/json-seq', '\x1e{"id":"1"}', 'got an item without its end.'],
  [
    'an item that is too large',
    SSE,
    `data: ["${'a'.repeat(1000)}"]\n\n`,
    'got an item of more than 1000 bytes (option "maxCollected" of versioning()).',
  ],
  [
    'a number that JavaScript cannot hold',
    SSE,
    'event: deleted\ndata: {"id":"2","n":9007199254740993}\n\n',
    'got a number that JavaScript cannot hold.',
  ],
  [
    'bytes that are not UTF-8',
    SSE,
    Buffer.from('data: "\xff"\n\n', 'latin1').toString('latin1'),
    'got an item that is not UTF-8.',
  ],
  [
    'a step that throws',
    SSE,
    CREATED,
    'threw.',
    stepping(() => {
      throw new Error('secret')
    }),
  ],
  [
    'a step that gives a promise',
    SSE,
    CREATED,
    'returned a promise, but steps are synchronous.',
    stepping(async () => ({})),
  ],
  [
    'a step that gives nothing',
    SSE,
    CREATED,
    'returned undefined, which JSON cannot express.',
    stepping(() => undefined),
  ],
  [
    'a step that gives no event',
    SSE,
    CREATED,
    'returned no event: { data, event }, or null for none.',
    stepping(() => 'text'),
  ],
  [
    'a step that gives a name of two lines',
    SSE,
    CREATED,
    'returned an event whose name is not a line of text.',
    stepping(({ data }) => ({ data, event: 'a\nb' })),
  ],
  [
    'a step that gives a name that is no text',
    SSE,
    CREATED,
    'returned an event whose name is not a line of text.',
    stepping(({ data }) => ({ data, event: 7 })),
  ],
  [
    'a step that gives a map',
    SSE,
    CREATED,
    'returned a value that JSON cannot express.',
    stepping(({ data }) => ({ data: { ...data, map: new Map() } })),
  ],
]

describe.each(BROKEN)('%s', (_title, type, bad, message, changes = shapes) => {
  const good = type === SSE ? ': hi\n' : type === 'application/jsonl' ? '\n' : '\x1enull\n'
  const written = async (send: (res: Response) => unknown) => {
    const seen: { phase: string; error?: unknown }[] = []
    const server = await streaming((_req, res) => void send(res.type(type)), {
      changes,
      maxCollected: 1000,
      onVersion: (event) => seen.push(event),
    })
    return {
      server,
      failed: () => seen.filter(({ phase }) => phase === 'failed').map(({ error }) => (error as Error).message),
    }
  }

  it('is 500 before the first byte', async () => {
    for (const send of [
      (res: Response) => {
        res.write(bad, 'latin1')
        res.end()
      },
      (res: Response) => res.end(bad, 'latin1'),
      (res: Response) => res.send(Buffer.from(bad, 'latin1')),
    ]) {
      const { server, failed } = await written(send)
      const { status, json, headers } = await server.get('/feed', V1)
      expect({ status, json }).toMatchObject({
        status: 500,
        json: { code: 'ERR_VERSION_CHANGE', error: expect.stringContaining(message) },
      })
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(failed()).toEqual([expect.stringContaining(message)])
    }
  })

  it('ends the connection later', async () => {
    const calls: unknown[] = []
    const { server, failed } = await written((res) => {
      res.on('close', () => calls.push('close'))
      res.write(good)
      setTimeout(() => {
        calls.push(res.write(bad, 'latin1'))
        res.end()
      }, 5)
    })
    const { res } = await opened(server)
    await expect(EventEmitter.once(res, 'end')).rejects.toThrow('aborted')
    expect(failed()).toEqual([expect.stringContaining(message)])
  })
})

it.each<[title: string, send: Way, message: string]>([
  ['an unknown encoding', (res) => res.set('Content-Encoding', 'zstd').end('a'), 'got a body in an unknown encoding.'],
  ['two encodings', (res) => res.set('Content-Encoding', 'gzip, br').end('a'), 'got a body in an unknown encoding.'],
  [
    'an unknown encoding of res.send',
    (res) => res.set('Content-Encoding', 'zstd').send('a'),
    'got a body that is not in its encoding.',
  ],
  [
    'bytes in no encoding',
    (res) => res.set('Content-Encoding', 'gzip').end('a'),
    'got a body that is not in its encoding.',
  ],
  [
    'half of an encoded body',
    (res) => res.set('Content-Encoding', 'gzip').end(gzipSync('abc').subarray(0, 12)),
    'got a body that is not in its encoding.',
  ],
  [
    'a large body of res.send',
    (res) => res.set('Content-Encoding', 'gzip').send(gzipSync('a'.repeat(2000))),
    'got a body of more than 1000 bytes (option "maxCollected" of versioning()).',
  ],
  [
    'another type behind the first piece',
    (res) => {
      res.write('data')
      res.type('text/plain').end('a')
    },
    'got another "Content-Type" after the response had begun.',
  ],
  [
    'a status that nobody described',
    (res) => res.status(201).end(CREATED),
    'does not know the items of responses of "GET feed" with status 201, which nobody had described when versioning() was called.',
  ],
  [
    'half of an encoded body of res.send',
    (res) => res.set('Content-Encoding', 'gzip').send(gzipSync('data')),
    'got an item without its end.',
  ],
  [
    'another charset',
    (res) => res.set('Content-Type', 'application/jsonl; charset=utf-16le').end('1\n'),
    'got a stream that is not UTF-8.',
  ],
])('%s is 500', async (_title, send, message) => {
  const server = await streaming((_req, res) => void send(res.type(SSE), ''), { maxCollected: 1000 })
  const { status, json } = await server.get('/feed', V1)
  expect({ status, json }).toMatchObject({
    status: 500,
    json: { code: 'ERR_VERSION_CHANGE', error: expect.stringContaining(message) },
  })
})

it('sends trailers, without digests of the newest bytes', async () => {
  const server = await streaming((_req, res) => {
    res.type(SSE).set('Trailer', 'Digest, X-Own').write(CREATED)
    res.addTrailers({ Digest: 'a', 'X-Own': 'b' })
    res.end()
  })
  const { res } = await opened(server)
  await EventEmitter.once(res, 'end')
  expect(res.trailers).toEqual({ 'x-own': 'b' })
})

it('resets the connection of a client that gets no chunks', async () => {
  const server = await streaming((_req, res) => {
    res.type(SSE).write(CREATED)
    setTimeout(() => res.end('data: {"id"'), 5)
  })
  await expect(server.raw('GET /feed HTTP/1.0\r\nX-API-Version: v1\r\n\r\n')).rejects.toThrow('ECONNRESET')
})

it('sends another response instead of one that nobody got', async () => {
  const server = await streaming((_req, res) => {
    res.type(SSE).write('data: {"id"')
    res.status(404).json({ error: 'none' })
  })
  expect(await server.get('/feed', V1)).toMatchObject({ status: 404, json: { error: 'none' } })
})

// Warnings ------------------------------------------------------------------------------------------------------------

/** Serves a stream whose second item fails by a step, and returns the warnings of two requests. */
async function warned(item: (event: Event) => unknown): Promise<string[]> {
  const warnings: string[] = []
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(((message: string, { code }: { code: string }) => {
    warnings.push(`${code}: ${message}`)
  }) as never)
  const changes = stepping((event) => (event.event === 'deleted' ? item(event) : event))
  let sent!: Response
  const server = await streaming(
    (_req, res) => {
      sent = res
      res.type(SSE).write(CREATED)
    },
    { changes },
  )
  try {
    for (const version of ['v1', 'v1', 'v2']) {
      const { res, next } = await opened(server, version)
      await next()
      sent.end(EVENT('deleted', { id: 'secret' }))
      const ended = EventEmitter.once(res.resume(), 'end')
      if (version === 'v2') await ended
      else await expect(ended).rejects.toThrow('aborted')
    }
  } finally {
    warn.mockRestore()
  }
  return warnings
}
const CUT =
  'EXPRESS_VERSIONING_STREAM: A stream of "GET feed" in version "v1" was cut off, because an item failed behind its first byte, where no error handler can respond. The change "Odd." failed: its "item" of "GET feed" '

it.each<[title: string, item: (event: Event) => unknown, reason: string]>([
  ['nothing that is an event', () => 'text', 'returned no event: { data, event }, or null for none.'],
  [
    'an error',
    () => {
      throw new Error(`no price\n${'a'.repeat(300)}`)
    },
    `threw. (no price\\u{a}${'a'.repeat(191)})`,
  ],
  ['an error that quotes the item', (event) => JSON.parse(event.data.id), 'threw. (SyntaxError)'],
  [
    'no error',
    () => {
      throw 'secret'
    },
    'threw.',
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
  ],
])('warns once of an operation whose stream is cut off: the step gives %s', async (_title, item, reason) => {
  expect(await warned(item)).toEqual([CUT + reason])
})
