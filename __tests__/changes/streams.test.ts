import { EventEmitter } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import type { RequestHandler, Response } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, events, fields, type OperationChange, shape, versionHistory } from 'express-versioning/changes'
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
  front?: RequestHandler[]
  behind?: RequestHandler[]
  changes?: object
  content?: object
  seen?: unknown[]
} & Partial<VersioningOptions>

/** Serves `GET /feed`, whose responses are streams. */
function streaming(
  handler: RequestHandler,
  { front = [], behind = [], changes = history, content = TYPES, seen = [], ...more }: Setup = {},
): Promise<Served> {
  return serve((app) => {
    const api = namedRoutes({ feed: '/feed' })
    api.describe('GET feed', { response: { 200: { content } } } as never)
    api.describe('*', { response: { '4XX': null, '5XX': null } } as never)
    api.route('feed').get(handler)
    const options = { scheme: HeaderVersioning, defaultVersion: 'v2', changes: changes as never, routes: api, ...more }
    app.use(...(front.length ? front : [(_req, _res, next) => next()]), versioning(options), ...behind, api)
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
