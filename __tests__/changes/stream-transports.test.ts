// Streams on their way: slow clients, middleware that compresses, and HTTP/2.
import { EventEmitter, once } from 'node:events'
import { connect, createServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
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
import { fillFeed, opened, serveFeed, V1 } from '../support/feeds'

const SSE = 'text/event-stream'
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
  expect((await text(res)).replaceAll(': a comment is held\n', '').replaceAll(large, 'x')).toBe(
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
  expect([behind.headers['content-encoding'], await text(behind)]).toEqual([undefined, OLDER])
  const front = await opened(await serveFeed(many, { front: [compressing(name, encode)] }))
  expect([front.headers['content-encoding'], await text(front.pipe(decode()))]).toEqual([name, OLDER])
})

// These fill a decoder, and are nothing when they are decoded.
const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))
const gzipped = (res: Response) => res.type(SSE).set('Content-Encoding', 'gzip')

test('a handler is told of room in the decoder', async () => {
  const server = await serveFeed((_req, res) => {
    expect(gzipped(res).write(nothing)).toBe(false)
    res.once('drain', () => res.end(gzipSync(eventOf(1))))
  })
  expect(await text(await opened(server))).toBe(eventOf(1, 'name'))
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
  expect(await text(await opened(await serveFeed(handler, { front: [slow] })))).toBe(OLDER)
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

const LARGE = 'x'.repeat(20_000_000)
test.each<[title: string, begun: string, send: (res: Response) => unknown]>([
  ['of that type', eventOf(1), (res) => res.end(LARGE)],
  ['of another type', eventOf(1), (res) => res.type('text').end(LARGE)],
  ['instead of a part of an event', eventOf(1).slice(0, -9), (res) => res.type('text').end(LARGE)],
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
  expect([res.statusCode, await text(res)]).toEqual([502, LARGE])
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
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    return await text(client.request({ ':path': '/feed', 'x-api-version': 'v1' }))
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
