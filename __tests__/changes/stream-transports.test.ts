import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, createServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
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
import express, { type Application, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, events, fields, versionHistory } from 'express-versioning/changes'
import { type Served, serve } from '../support/serve'

// Streams on their way: slow clients, middleware that compresses, and HTTP/2.

const Order = {
  $id: 'Order',
  type: 'object',
  properties: { id: { type: 'number' }, title: { type: 'string' } },
  required: ['id', 'title'],
}
const history = versionHistory('v1').version(
  'v2',
  change('Orders have `title` in place of `name`.', { Order: fields({ renamed: { name: 'title' } }) }),
)
const V1 = { 'X-API-Version': 'v1' }
const eventOf = (id: number, name = 'title') => `event: created\ndata: {"id":${id},"${name}":"${'x'.repeat(100)}"}\n\n`
const eventsUpTo = (count: number, name?: string) => Array.from({ length: count }, (_, id) => eventOf(id, name))

function fill(app: Application, handler: RequestHandler, front: RequestHandler[] = [], behind: RequestHandler[] = []) {
  const api = namedRoutes({ feed: '/feed' })
  api.describe('GET feed', {
    response: { 200: { content: { 'text/event-stream': { itemSchema: events({ created: Order }) } } } },
  })
  api.describe('*', { response: { '4XX': { type: 'object' }, '5XX': { type: 'object' } } })
  api.route('feed').get(handler)
  for (const one of front) app.use(one)
  app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes: history, routes: api }))
  for (const one of behind) app.use(one)
  app.use(api)
}

const streaming = (handler: RequestHandler, front?: RequestHandler[], behind?: RequestHandler[]) =>
  serve((app) => fill(app, handler, front, behind))

async function opened(server: Served, headers = {}): Promise<IncomingMessage> {
  const [res] = (await once(
    request(`${server.origin}/feed`, { headers: { ...V1, ...headers } }).end(),
    'response',
  )) as [IncomingMessage]
  return res
}

it('returns what the socket returned, and tells of room', async () => {
  const large = 'y'.repeat(20_000)
  const [socket, handler]: [unknown[], unknown[]] = [[], []]
  const noting: RequestHandler = (_req, res, next) => {
    const { write } = res
    res.write = ((...args: Parameters<Response['write']>) => {
      const result = write.apply(res, args)
      socket.push(result)
      return result
    }) as Response['write']
    next()
  }
  const server = await streaming(
    (_req, res) => {
      res.type('text/event-stream')
      let id = 0
      const more = () => {
        while (id < 2000) {
          const isFree = res.write(eventOf(id++).replace('x', large))
          handler.push(isFree)
          if (isFree) continue
          // A part of an event needs no room, and the socket still has none.
          expect(res.write(': a comment is')).toBe(false)
          res.once('drain', () => {
            expect(res.write(' held\n')).toBe(true)
            more()
          })
          return
        }
        res.end()
      }
      more()
    },
    [noting],
  )
  const res = await opened(server)
  await new Promise((done) => setTimeout(done, 50))
  expect(handler.length).toBeLessThan(2000)
  expect((await text(res)).replaceAll(': a comment is held\n', '').replaceAll(large, 'x')).toBe(
    eventsUpTo(2000, 'name').join(''),
  )
  expect(socket.filter((result) => result === false)).toHaveLength(handler.filter((result) => result === false).length)
  expect(handler).toContain(false)
})

it('calls back for pieces that wait, and for those that leave', async () => {
  const calls: string[] = []
  const server = await streaming((_req, res) => {
    res.type('text/event-stream')
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

const ENCODINGS: [name: string, encode: () => Transform, decode: () => Transform][] = [
  ['gzip', createGzip, createGunzip],
  ['x-gzip', createGzip, createGunzip],
  ['br', createBrotliCompress, createBrotliDecompress],
  ['deflate', createDeflate, createInflate],
  ['deflate', createDeflateRaw, createInflateRaw],
]

describe.each(ENCODINGS)('%s', (name, encode, decode) => {
  const handler: RequestHandler = (_req, res) =>
    void pipeline(Readable.from(eventsUpTo(3000)), res.type('text/event-stream')).catch(() => {})

  it('behind', async () => {
    const res = await opened(await streaming(handler, [], [compressing(name, encode)]))
    expect(res.headers).not.toHaveProperty('content-encoding')
    expect(await text(res)).toBe(eventsUpTo(3000, 'name').join(''))
  })

  it('in front', async () => {
    const res = await opened(await streaming(handler, [compressing(name, encode)]))
    expect(res.headers['content-encoding']).toBe(name)
    expect(await text(res.pipe(decode()))).toBe(eventsUpTo(3000, 'name').join(''))
  })
})

it('holds a large encoded stream until its client takes it', async () => {
  const noise = Array.from(
    { length: 400 },
    (_, id) => `event: created\ndata: {"id":${id},"title":"${randomBytes(5000).toString('hex')}"}\n\n`,
  ).join('')
  const server = await streaming((_req, res) => {
    const bytes = gzipSync(noise)
    const half = Math.floor(bytes.length / 2)
    res.type('text/event-stream').set('Content-Encoding', 'gzip')
    expect(res.write(bytes.subarray(0, half))).toBe(false)
    res.once('drain', () => res.end(bytes.subarray(half)))
  })
  const res = await opened(server)
  await new Promise((done) => setTimeout(done, 100))
  expect(await text(res)).toBe(noise.replaceAll('title', 'name'))
})

// These fill a decoder, and are nothing when they are decoded.
const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))

it('tells of room in the decoder', async () => {
  const server = await streaming((_req, res) => {
    res.type('text/event-stream').set('Content-Encoding', 'gzip')
    expect(res.write(nothing)).toBe(false)
    res.once('drain', () => res.end(gzipSync(eventOf(1))))
  })
  expect(await text(await opened(server))).toBe(eventOf(1, 'name'))
})

it('does not tell of room in the decoder while the client has none', async () => {
  const calls: string[] = []
  const slow: RequestHandler = (_req, res, next) => {
    const { write } = res
    res.write = ((bytes: Buffer) => {
      write.call(res, bytes, 'utf8')
      setTimeout(() => {
        calls.push('room')
        res.emit('drain')
      }, 100)
      return false
    }) as Response['write']
    next()
  }
  const server = await streaming(
    (_req, res) => {
      res
        .type('text/event-stream')
        .set('Content-Encoding', 'gzip')
        .write(gzipSync(eventOf(1)))
      setTimeout(() => {
        expect(res.write(nothing)).toBe(false)
        res.once('drain', () => {
          calls.push('drain')
          res.end()
        })
      }, 10)
    },
    [slow],
  )
  expect(await text(await opened(server))).toBe(eventOf(1, 'name'))
  expect(calls).toEqual(['room', 'drain'])
})

it('stops to decode for a client that left', async () => {
  const closed = new EventEmitter()
  const server = await streaming((_req, res) => {
    res.on('close', () => closed.emit('closed'))
    res.type('text/event-stream').set('Content-Encoding', 'gzip')
    const encoder = createGzip()
    encoder.pipe(res)
    encoder.write(eventOf(1))
    encoder.flush()
  })
  const res = await opened(server)
  const end = once(closed, 'closed')
  res.destroy()
  await end
})

// HTTP/2 --------------------------------------------------------------------------------------------------------------

/** Serves an app over HTTP/2, whose requests and responses get Express's methods. */
async function overHttp2(handler: RequestHandler) {
  const app = express()
  fill(app, handler)
  const withMethods = (own: object, of: object) => Object.create(of, Object.getOwnPropertyDescriptors(own))
  Object.setPrototypeOf(app.request, withMethods(express.request, Http2ServerRequest.prototype))
  Object.setPrototypeOf(app.response, withMethods(express.response, Http2ServerResponse.prototype))
  const server = createServer(app as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const ask = () => client.request({ ':path': '/feed', 'x-api-version': 'v1' })
  const close = () => {
    client.destroy()
    server.close()
  }
  return { ask, close }
}

it('converts over HTTP/2', async () => {
  const { ask, close } = await overHttp2((_req, res) => {
    res.type('text/event-stream').flushHeaders()
    setImmediate(() => void pipeline(Readable.from(eventsUpTo(3000)), res))
  })
  expect(await text(ask())).toBe(eventsUpTo(3000, 'name').join(''))
  close()
})

it('breaks a stream off over HTTP/2', async () => {
  const { ask, close } = await overHttp2((_req, res) => {
    res.type('text/event-stream').write(eventOf(1))
    res.write('data: {"unknown":1}\n\n')
    res.end()
  })
  await expect(text(ask())).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
  close()
})
