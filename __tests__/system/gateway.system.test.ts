import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { document } from '../support/behind'
import { startNginx } from './support/nginx'
import { install, packed, temporary } from './support/projects'

// The gateway as a program, in front of nginx, of streams and sockets, of large bodies and of services that fail.

const temp = temporary()
const COMMAND = join(temp, 'node_modules/express-versioning/dist/command-line/main.js')
const MODULE = `import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
const changes = versionHistory('1').version('2', change('Songs have a name.', { Song: fields({ renamed: { title: 'name' } }) }))
const routes = routesOf(${JSON.stringify(document)})
export const options = { scheme: HeaderVersioning, defaultVersion: '1', changes, routes, neutral: ['/pages{/*rest}'] }
`
const MAIN = `import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'
const [, , kind, origin, version] = process.argv
const headers = { 'X-API-Version': version }
const got = []
const add = (one) => got.push(one) === 4 && (console.log(got.join(' ')), process.exit())
if (kind === 'events') {
  const source = new EventSource(origin + '/feed', { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }) })
  source.onmessage = (event) => add(event.lastEventId + event.data)
} else {
  const socket = new WebSocket(origin.replace('http', 'ws') + '/chat', { headers })
  socket.on('open', () => socket.send('0'))
  socket.on('message', (data) => (add(String(data)), socket.send(String(got.length))))
}
`
const children: ChildProcess[] = []
const servers: Server[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

beforeAll(async () => {
  const dependencies = { 'express-versioning': packed().specifier, eventsource: '^4.1.0', ws: '^8.21.0' }
  await install(temp, dependencies, { 'versions.mjs': MODULE, 'main.mjs': MAIN })
}, 300_000)

async function serviceOf(respond: RequestListener): Promise<Server> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Starts the program in front of a port. */
async function start(port: number, ...words: string[]) {
  const all = [COMMAND, 'gateway', './versions.mjs', '--target', `http://127.0.0.1:${port}`, '--port', '0', ...words]
  const child = spawn(process.execPath, all, {
    cwd: temp,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const [said] = await once(child.stdout, 'data')
  const [origin = ''] = String(said).split(' ')
  return { child, origin, port: Number(new URL(origin).port) }
}

/** Returns the highest number of megabytes that a process has had. */
function peak({ pid }: ChildProcess): number {
  const [, size] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) as unknown as [string, string]
  return Number(size) / 1024
}

const head = (line: string, version: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: a\r\nX-API-Version: ${version}\r\n${more}`

/** Writes text to a socket, and reads until the other side closes. */
async function raw(port: number, written: string, closes: boolean): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  if (closes) socket.end(written)
  else socket.write(written)
  const got = await text(socket)
  socket.destroy()
  return got
}

describe('nginx with files', () => {
  const CONFIGURATION = `access_log off; gzip on; gzip_vary on; gzip_min_length 100; gzip_types *; server {
    listen 127.0.0.1:PORT_OF_NGINX; root FOLDER_OF_FILES;
    location /songs { default_type application/json; } location /files { default_type application/octet-stream; } }`
  const FILE = 'abcdefghij'.repeat(100)
  let origin: string

  beforeEach(async () => {
    const { proxy, folder } = await startNginx(CONFIGURATION, { PORT_OF_NGINX: 'PORT', FOLDER_OF_FILES: 'FOLDER' })
    for (const name of ['files', 'pages']) mkdirSync(join(folder, name))
    for (const [name, content] of [
      ['songs', '{"name":"Aria"}'],
      ['files/1', FILE],
      ['pages/index.html', FILE],
    ] as const)
      writeFileSync(join(folder, name), content)
    origin = (await start(proxy.port)).origin
  })

  type Row = [asked: string, fields: Record<string, string>, status: number, body: string, told: Record<string, string>]
  const NONE = {}
  const FILES: Row[] = ['/files/1', '/pages/'].flatMap((path): Row[] => [
    [`GET ${path}`, NONE, 200, FILE, { 'Accept-Ranges': 'bytes', ETag: 'ETAG' }],
    [`GET ${path}`, { 'Accept-Encoding': 'gzip' }, 200, FILE, { 'Content-Encoding': 'gzip', ETag: 'W/ETAG' }],
    [`GET ${path}`, { Range: 'bytes=2-5' }, 206, 'cdef', { 'Content-Range': 'bytes 2-5/1000' }],
    [`GET ${path}`, { Range: 'bytes=-3', 'If-Range': 'ETAG' }, 206, 'hij', { 'Content-Range': 'bytes 997-999/1000' }],
    [`GET ${path}`, { Range: 'bytes=2-5', 'If-Range': '"other"' }, 200, FILE, {}],
    [`GET ${path}`, { 'If-None-Match': 'ETAG' }, 304, '', { ETag: 'ETAG' }],
    [`GET ${path}`, { 'If-Modified-Since': 'DATE' }, 304, '', {}],
    [`HEAD ${path}`, NONE, 200, '', { 'Content-Length': '1000' }],
  ])
  const OFF: Row = [
    'GET /files/1',
    { Range: 'bytes=9999-' },
    416,
    expect.stringContaining('416'),
    { 'Content-Range': 'bytes */1000' },
  ]
  // The folder itself: nginx names the port on which it listens.
  const MOVED: Row = ['GET /pages', NONE, 301, expect.stringContaining('301'), { Location: '/pages/' }]
  const OLD: Row[] = ['gzip', 'zstd'].flatMap((encoding): Row[] => [
    ['GET /songs', { 'Accept-Encoding': encoding }, 200, '{"title":"Aria"}', { 'Content-Length': '16' }],
    ['GET /songs', { Range: 'bytes=2-5', 'If-None-Match': '*' }, 200, '{"title":"Aria"}', {}],
    ['HEAD /songs', NONE, 200, '', {}],
  ])
  const NEW: Row[] = [
    ['GET /songs', NONE, 200, '{"name":"Aria"}', { 'Accept-Ranges': 'bytes' }],
    ['GET /songs', { Range: 'bytes=2-5' }, 206, 'name', {}],
    ['HEAD /songs', NONE, 200, '', { 'Content-Length': '15' }],
  ]

  test.each([
    ['1', [...FILES, OFF, MOVED, ...OLD]],
    ['2', [...FILES, OFF, MOVED, ...NEW]],
  ])('version %s', async (version, rows) => {
    for (const [asked, fields, status, body, told] of rows) {
      const [method = '', path = ''] = asked.split(' ')
      const plain = await fetch(origin + path, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } })
      const filled = (value: string) =>
        value
          .replace('ETAG', String(plain.headers.get('ETag')))
          .replace('DATE', String(plain.headers.get('Last-Modified')))
      const given = Object.entries(fields).map(([name, value]) => [name, filled(value)])
      const headers = { 'Accept-Encoding': 'identity', 'X-API-Version': version, ...Object.fromEntries(given) }
      const response = await fetch(origin + path, { method, headers, redirect: 'manual' })
      expect([asked, fields, response.status, await response.text()]).toEqual([asked, fields, status, body])
      for (const [name, value] of Object.entries(told)) {
        expect([asked, fields, name, response.headers.get(name)]).toEqual([asked, fields, name, filled(value)])
      }
    }
  })
})

describe('a client of events, and one of sockets', () => {
  const client = async (...words: string[]) => {
    const child = spawn(process.execPath, ['main.mjs', ...words], { cwd: temp, stdio: ['ignore', 'pipe', 'inherit'] })
    return (await text(child.stdout)).trim()
  }

  test.each([
    ['1', 'title'],
    ['2', 'name'],
  ])('EventSource of version %s connects again where it was', async (version, name) => {
    const asked: unknown[] = []
    const service = await serviceOf(async ({ headers }, res) => {
      asked.push(headers['last-event-id'])
      const first = Number(headers['last-event-id'] ?? 0) + 1
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for (const id of [first, first + 1]) res.write(`id: ${id}\nretry: 20\ndata: {"name":"Aria"}\n\n`)
      await sleep(50)
      res.destroy()
    })
    const { origin } = await start(portOf(service))
    const events = ['1', '2', '3', '4'].map((id) => `${id}{"${name}":"Aria"}`)
    expect(await client('events', origin, version)).toBe(events.join(' '))
    expect(asked.slice(0, 2)).toEqual([undefined, '2'])
  })

  test('WebSocket, in any version', async () => {
    const { createRequire } = await import('node:module')
    const { WebSocketServer } = createRequire(join(temp, 'main.mjs'))('ws')
    const service = await serviceOf((_req, res) => res.writeHead(404).end())
    new WebSocketServer({ server: service }).on(
      'connection',
      (socket: { on(event: string, then: (data: Buffer) => void): void; send(data: string): void }) => {
        socket.on('message', (data) => socket.send(`said-${data}`))
      },
    )
    const { origin } = await start(portOf(service))
    for (const version of ['1', '9'])
      expect(await client('sockets', origin, version)).toBe('said-0 said-1 said-2 said-3')
  })
})

describe('bodies of any size', () => {
  const MB = 2 ** 20
  const PIECE = Buffer.alloc(MB, 'a')

  /** Writes pieces as fast as the other side takes them. */
  async function writeAll(to: NodeJS.WritableStream, count: number, piece: (index: number) => string | Buffer) {
    for (let index = 0; index < count; index++) if (!to.write(piece(index))) await once(to, 'drain')
    to.end()
  }
  const respond: RequestListener = async (req, res) => {
    let size = 0
    for await (const piece of req) size += piece.length
    const { method, url } = req
    if (method === 'PUT') res.writeHead(200, { 'X-Size': size }).end()
    else if (url === '/files/1')
      await writeAll(res.writeHead(200, { 'Content-Type': 'application/octet-stream' }), 100, () => PIECE)
    else {
      res.writeHead(200, { 'Content-Type': 'application/json' }).write('{"name":"')
      await writeAll(res, 21, (index) => (index === 20 ? '"}' : PIECE))
    }
  }
  const ask = (port: number, method: string, path: string, version: string) =>
    request({ port, method, path, headers: { 'X-API-Version': version, 'Content-Type': 'application/octet-stream' } })
  const responded = async (sent: ClientRequest) => (await once(sent, 'response'))[0] as IncomingMessage
  async function sizeOf(response: IncomingMessage): Promise<number> {
    let size = 0
    for await (const piece of response) size += piece.length
    return size
  }

  test('100 MB up and down pass in little memory, and 20 MB of JSON are converted in bounded memory', async () => {
    const { child, port } = await start(portOf(await serviceOf(respond)))
    const before = peak(child)
    for (const version of ['1', '2']) {
      const upload = ask(port, 'PUT', '/files/1', version)
      const [response] = await Promise.all([responded(upload), writeAll(upload, 100, () => PIECE)])
      expect([response.statusCode, response.headers['x-size']]).toEqual([200, String(100 * MB)])
      response.resume()
      expect(await sizeOf(await responded(ask(port, 'GET', '/files/1', version).end()))).toBe(100 * MB)
    }
    // Clients that do not read hold the service back.
    const waiting = await Promise.all(
      ['1', '2', '1'].map((version) => responded(ask(port, 'GET', '/files/1', version).end())),
    )
    await sleep(500)
    expect(peak(child) - before).toBeLessThan(150)
    for (const one of waiting) one.on('error', () => {}).destroy()
    for (let count = 0; count < 3; count++) {
      expect(await sizeOf(await responded(ask(port, 'GET', '/songs', '1').end()))).toBe(20 * MB + 12)
    }
    expect(peak(child) - before).toBeLessThan(450)
  })
})

describe('sides that close early', () => {
  const respond: RequestListener = async (req, res) => {
    const body = await text(req).catch(() => '')
    if (req.url === '/songs?dies') {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 99 }).write('{"na')
      await sleep(50)
      res.destroy()
    } else if (req.url === '/songs?away') req.socket.destroy()
    else if (req.url !== '/songs?silent') {
      await sleep(200)
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(body || '{"name":"Aria"}')
    }
  }
  const JSON_BODY = (body: string) => `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test.each([
    ['1', '{"title":"Aria"}'],
    ['2', '{"name":"Aria"}'],
  ])('a client of version %s that has closed its side gets the response', async (version, body) => {
    const { port } = await start(portOf(await serviceOf(respond)))
    for (const asked of [head('GET /songs', version, '\r\n'), head('POST /songs', version, JSON_BODY(body))]) {
      const got = await raw(port, asked, true)
      expect(got).toMatch(/^HTTP\/1\.1 200 /)
      expect(got).toContain(body)
    }
    // The service has got no request.
    const cut = head('PUT /files/1', version, 'Content-Length: 9\r\n\r\nabc')
    expect(await raw(port, cut, true)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([
    ['1', '{"title":"Aria"}'],
    ['2', '{"name":"Aria"}'],
  ])('a connection of version %s goes on behind failures', async (version, body) => {
    const { port } = await start(portOf(await serviceOf(respond)), '--timeout', '500', '--limit', '100')
    const last = head('GET /songs', version, 'Connection: close\r\n\r\n')
    const large = `{"title":"${'a'.repeat(5000)}"}`
    const rows: [asked: string, status: number][] = [
      [head('GET /songs?away', version, '\r\n'), 502],
      [head('GET /songs?silent', version, '\r\n'), 504],
      [head('GET /songs', '9', '\r\n'), 406],
      [head('POST /songs', '9', JSON_BODY(large)), 406],
      [head('POST /songs', '1', JSON_BODY(large)), 413],
      [head('POST /songs', '1', JSON_BODY('{"title"')), 400],
    ]
    for (const [asked, status] of rows) {
      const got = await raw(port, asked + last, false)
      expect([asked, got.match(/HTTP\/1\.1 \d+/g)]).toEqual([asked, [`HTTP/1.1 ${status}`, 'HTTP/1.1 200']])
      expect(got).toContain(body)
    }
    // It breaks off, and the next connection is served.
    await expect(
      fetch(`http://127.0.0.1:${port}/songs?dies`, { headers: { 'X-API-Version': version } }).then((one) => one.text()),
    ).rejects.toThrow()
    expect(await raw(port, last, false)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

test('a failure of the program itself is told in its log, and to nobody else', async () => {
  const service = await serviceOf((_req, res) =>
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name":'),
  )
  const { child, origin } = await start(portOf(service))
  const logged = once(child.stderr as NodeJS.ReadableStream, 'data')
  const response = await fetch(`${origin}/songs`)
  expect([response.status, await response.json()]).toEqual([
    500,
    { type: 'about:blank', title: 'Internal Server Error', status: 500 },
  ])
  expect(String(await logged)).toContain('Songs have a name.')
})
