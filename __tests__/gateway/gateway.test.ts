// A gateway in front of a service: what reaches the service, and what its clients get.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import express, { type Application, type ErrorRequestHandler } from 'express'
import { BaseVersioning, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { GatewayError, type GatewayOptions, gateway, sendConverted } from 'express-versioning/gateway'
import { routesOf } from 'express-versioning/openapi'
import { document, echo, service, songs } from '../support/behind'
import { listen } from '../support/serve'

type Respond = Parameters<typeof service>[0]
type Setting = Partial<GatewayOptions> & {
  readonly mount?: string
  readonly more?: (app: Application) => void
  readonly options?: object
}

/** Starts a gateway in front of a service. */
async function behind(respond: Respond, { mount = '/', more, options = {}, ...to }: Setting = {}) {
  const target = await service(respond)
  const app = express().use(mount, gateway({ ...songs, ...options }, { target, ...to }))
  more?.(app)
  return { ...(await listen(app)), target }
}
const JSON_TYPE = { 'Content-Type': 'application/json' }
const V1 = { 'X-API-Version': '1' }
const V2 = { 'X-API-Version': '2' }
const gotIn = (headers: object) => JSON.parse((headers as Record<string, string>)['x-got'] as string)

describe('what the service gets', () => {
  test.each<
    [
      title: string,
      method: string,
      path: string,
      headers: Record<string, string>,
      body: string,
      sent: string,
      back: string,
    ]
  >([
    [
      'a converted body',
      'POST',
      '/songs',
      { ...V1, ...JSON_TYPE },
      '{"title":"Aria"}',
      '{"name":"Aria"}',
      '{"title":"Aria"}',
    ],
    [
      'the same with a charset',
      'POST',
      '/songs',
      { ...V1, 'Content-Type': 'application/json; charset=utf-8; a=b' },
      '{"title":"Aria"}',
      '{"name":"Aria"}',
      '{"title":"Aria"}',
    ],
    [
      'one of the newest version, with its spaces',
      'POST',
      '/songs',
      { ...V2, ...JSON_TYPE },
      '{ "name": 1.0}',
      '{ "name": 1.0}',
      '{ "name": 1.0}',
    ],
    ['one that is no JSON, in the newest version', 'POST', '/songs', { ...V2, ...JSON_TYPE }, '{', '{', '{'],
    [
      'a converted form',
      'PUT',
      '/songs',
      { ...V1, 'Content-Type': 'application/x-www-form-urlencoded' },
      'title=A+b&plays=1',
      'name=A%20b&plays=1',
      'name=A%20b&plays=1',
    ],
    ['bytes', 'PUT', '/files/a%2Fb?c=%20d', V1, '\0a\r\n', '\0a\r\n', '\0a\r\n'],
    ['bytes of a DELETE', 'DELETE', '/files/1', V1, 'abc', 'abc', 'abc'],
    ['no body', 'GET', '/songs?a=b', V1, '', '', ''],
  ])('%s', async (_title, method, path, headers, body, _sent, back) => {
    const { send } = await behind(echo)
    const { status, headers: fields, text: got } = await send(method, path, headers, body)
    expect([status, got]).toEqual([200, back])
    const [gotMethod, url, gotFields] = gotIn(fields)
    expect([gotMethod, url]).toEqual([method, path])
    expect(gotFields['transfer-encoding']).toBeUndefined()
  })

  test('chunks stay chunks, whatever the method; a converted body has a length', async () => {
    const { raw } = await behind(echo)
    const ask = (line: string, body: string, more = '') =>
      raw(
        `${line} HTTP/1.1\r\nHost: a\r\n${more}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      )
    expect(await ask('DELETE /files/1', 'abc')).toMatch(/"transfer-encoding":"chunked".*abc/s)
    const type = 'Content-Type: application/json\r\n'
    expect(await ask('POST /songs', '{"title":"Aria"}', type)).toMatch(/"content-length":"15"/)
  })

  test.each<[title: string, trust: boolean, fields: Record<string, string>, got: object]>([
    [
      'a client is not believed',
      false,
      {
        'X-Forwarded-For': '9.9.9.9',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Prefix': '/a',
        Forwarded: 'for=9.9.9.9',
      },
      { for: '127.0.0.1', proto: 'http', host: 'b.example' },
    ],
    [
      'a proxy is',
      true,
      {
        'X-Forwarded-For': '9.9.9.9',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Prefix': '/a',
        'X-Forwarded-Host': 'c.example',
      },
      { for: '9.9.9.9, 127.0.0.1', proto: 'https', host: 'c.example', prefix: '/a' },
    ],
    [
      'nothing about connections',
      false,
      { Connection: 'close, X-Hop', 'X-Hop': '1', 'Keep-Alive': '1', TE: 'gzip' },
      { for: '127.0.0.1', proto: 'http', host: 'b.example' },
    ],
  ])('fields: %s', async (_title, trust, fields, got) => {
    const { get } = await behind(echo, { more: (app) => app.set('trust proxy', trust) })
    const [, , headers] = gotIn((await get('/songs', { ...V2, Host: 'b.example', ...fields })).headers)
    const forwarded = Object.entries(headers).filter(([name]) => /forwarded|hop|^te$|keep/.test(name))
    expect(Object.fromEntries(forwarded)).toEqual(
      Object.fromEntries(Object.entries(got).map(([name, value]) => [`x-forwarded-${name}`, value])),
    )
    expect(headers.host).toBe('b.example')
  })

  test('Host is optional in HTTP/1.0, and targets may be absolute', async () => {
    const { raw } = await behind(echo)
    expect(await raw('GET http://x.example/songs?a HTTP/1.0\r\n\r\n')).toContain('["GET","/songs?a",')
  })

  test.each(['1', '2'])('Expect in version %s: Node answers it', async (version) => {
    const { port } = await behind(echo)
    const body = '{"title":"Aria"}'
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /songs HTTP/1.1\r\nHost: x\r\nX-API-Version: ${version}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    )
    expect(String(await once(socket, 'data'))).toContain('100 Continue')
    socket.write(body)
    const response = await text(socket)
    expect(response).toMatch(/HTTP\/1\.1 200 .*\{"title":"Aria"\}$/s)
    expect(response).not.toContain('"expect"')
  })

  test('a path of the target is put in front', async () => {
    const target = await service(echo)
    const { get } = await listen(express().use('/api', gateway(songs, { target: `${target}/base/` })))
    expect(gotIn((await get('/api/songs?a', V2)).headers)[1]).toBe('/base/songs?a')
  })

  test('uploads and downloads of 20 MB pass, piece by piece', async () => {
    const piece = Buffer.alloc(2 ** 20, 'a')
    const { port } = await behind(async (req, res) => {
      const hash = createHash('sha256')
      for await (const some of req) hash.update(some)
      res.setHeader('X-Hash', hash.digest('hex'))
      res.setHeader('Content-Type', 'application/octet-stream')
      for (let count = 0; count < 20; count++) if (!res.write(piece)) await once(res, 'drain')
      res.end()
    })
    const sent = request({
      port,
      method: 'PUT',
      path: '/files/1',
      headers: { ...V1, 'Content-Length': 20 * piece.length },
    })
    for (let count = 0; count < 20; count++) if (!sent.write(piece)) await once(sent, 'drain')
    sent.end()
    const [response] = await once(sent, 'response')
    const hash = createHash('sha256')
    let size = 0
    for await (const some of response) size += hash.update(some) && some.length
    expect([size, response.headers['x-hash']]).toEqual([20 * piece.length, hash.digest('hex')])
  })
})

describe('what clients get', () => {
  const respondWith =
    (fields: Record<string, string | string[]>, body: string | Buffer = '{"name":"Aria"}', status = 200): Respond =>
    (_req, res) =>
      res.writeHead(status, { 'Content-Type': 'application/json', ...fields }).end(body)

  test.each(['1', '2'])('Vary, Link and cookies in version %s', async (version) => {
    const options = { lifecycle: { 1: { deprecated: '2020-01-01', info: 'https://example.com/a' } } }
    const fields = {
      Vary: 'Accept-Encoding, x-api-version',
      Link: '</b>; rel="next"',
      'Set-Cookie': ['a=1', 'b=2'],
      Deprecation: '@1',
    }
    const { get } = await behind(respondWith(fields), { options })
    const { headers } = await get('/songs', { 'X-API-Version': version })
    const names = String(headers.vary).toLowerCase().split(/, */)
    expect(names.sort()).toEqual(['accept-encoding', 'x-api-version'])
    expect(headers.link).toContain('</b>; rel="next"')
    expect(headers['set-cookie']).toBe('a=1, b=2')
    expect(String(headers.link).includes('rel="deprecation"')).toBe(version === '1')
    expect(headers.deprecation === '@1').toBe(version === '2')
  })

  test('the reason and fields about the connection', async () => {
    const { raw } = await behind((_req, res) =>
      res.writeHead(404, 'Nothing Here', { 'Keep-Alive': 'x', 'X-Hop': '1', Connection: 'X-Hop' }).end(),
    )
    const response = await raw('GET /songs HTTP/1.1\r\nHost: a\r\nX-API-Version: 2\r\nConnection: close\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1\.1 404 Nothing Here\r\n/)
    expect(response).not.toMatch(/x-hop|keep-alive: x/i)
  })

  test.each<[title: string, fields: Record<string, string>, body: Buffer | string, version: string, got: string]>([
    ['gzip', { 'Content-Encoding': 'gzip' }, gzipSync('{"name":"Aria"}'), '1', '{"title":"Aria"}'],
    ['an ETag of the service', { ETag: '"1"' }, '{"name":"Aria"}', '1', '{"title":"Aria"}'],
    ['its own spaces in the newest version', {}, '{ "name": "Aria" }', '2', '{ "name": "Aria" }'],
  ])('%s', async (_title, fields, body, version, got) => {
    const { get } = await behind(respondWith(fields, body))
    const { text: sent, headers } = await get('/songs', { 'X-API-Version': version })
    expect([sent, headers.etag, headers['content-encoding']]).toEqual([got, undefined, undefined])
  })

  test.each<[version: string, accepted: string | undefined, got: string | undefined]>([
    ['1', 'gzip, deflate, br;q=0.5, zstd', 'gzip, deflate, br;q=0.5'],
    ['1', 'zstd, *', 'identity'],
    ['1', undefined, undefined],
    ['2', 'zstd', 'zstd'],
  ])('in version %s, the service is asked for encodings that are decoded: %s', async (version, accepted, got) => {
    const { get } = await behind((req, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'X-Got': String(req.headers['accept-encoding']) }).end('{"name":"Aria"}')
    })
    const fields = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
    expect((await get('/songs', { 'X-API-Version': version, ...fields })).headers['x-got']).toBe(String(got))
  })

  test('ranges, where no success has a changed shape', async () => {
    const { get } = await behind((req, res) =>
      res.writeHead(req.headers.range ? 206 : 200, { 'Content-Type': 'application/octet-stream' }).end('bc'),
    )
    expect((await get('/files/1', { ...V1, Range: 'bytes=1-2' })).status).toBe(206)
  })

  test.each<[status: number, method: string]>([
    [204, 'DELETE'],
    [304, 'GET'],
    [200, 'HEAD'],
  ])('%s to %s', async (status, method) => {
    const { send } = await behind((_req, res) =>
      res.writeHead(status, status === 200 ? { ...JSON_TYPE, 'Content-Length': 15 } : {}).end(),
    )
    expect(await send(method, '/files/1', V2)).toMatchObject({ status, text: '' })
  })

  test('items of a stream leave when they have come, and may be idle', async () => {
    const { port } = await behind(
      (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
        setTimeout(() => res.write('data: {"name":"Aria"}\n\n'), 150)
        setTimeout(() => res.end('data: {"name":"Bolero"}\n\n'), 300)
      },
      { timeout: 50 },
    )
    const response = await fetch(`http://127.0.0.1:${port}/feed`)
    const pieces: string[] = []
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(Buffer.from(piece).toString())
    expect(pieces).toEqual(['data: {"title":"Aria"}\n\n', 'data: {"title":"Bolero"}\n\n'])
  })

  const HOST = { Host: 'api.example' }
  test.each<[version: string, from: string, location: string, to: string]>([
    ['1', '/phones/7', '/players/8?from=7#top', '/phones/8?from=7#top'],
    ['2', '/players/7', '/players/8?from=7#top', '/players/8?from=7#top'],
    ['1', '/phones/7', '8', '/phones/8'],
    ['2', '/players/7', '8', '8'],
    ['1', '/phones/7', 'TARGET/players/8', '/phones/8'],
    ['2', '/players/7', 'TARGET/players/8?a', '/players/8?a'],
    ['2', '/players/7', 'TARGET/', '/'],
    ['1', '/phones/7', 'http://api.example/players/8', 'http://api.example/phones/8'],
    ['1', '/phones/7', 'https://other.example/players/8', 'https://other.example/players/8'],
    ['1', '/phones/7', '//other.example/players/8', '//other.example/players/8'],
    ['1', '/phones/7', '/elsewhere', '/elsewhere'],
    ['1', '/phones/7', '/songs', '/songs'],
    ['1', '/phones/7', '/files/a%2Fb', '/files/a%2Fb'],
    ['1', '/phones/7', 'http://[', 'http://['],
    ['1', '/phones/7', '/%zz', '/%zz'],
    ['1', '/phones/7', '/files/%zz', '/files/%25zz'],
    ['1', '/phones/7', '/players/%ff', '/phones/%25ff'],
    ['1', '/phones/7', '/players/a%2Fb%25', '/phones/a%2Fb%25'],
    ['1', '/phones/7', '/players', '/players'],
    // As nginx writes them.
    ['1', '/phones/7', 'http://api.example:OWN/players/8', '/phones/8'],
    ['2', '/players/7', 'http://api.example:OWN/pages/', '/pages/'],
    ['1', '/phones/7', 'http://api.example:80/players/8', 'http://api.example/phones/8'],
    ['1', '/phones/7', 'http://api.example:99/players/8', 'http://api.example:99/players/8'],
  ])('Location in version %s of %s: %s', async (version, from, location, to) => {
    const { get, target } = await behind((_req, res) =>
      res.writeHead(307, { Location: location.replace('TARGET', target).replace('OWN', new URL(target).port) }).end(),
    )
    expect((await get(from, { ...HOST, 'X-API-Version': version })).headers.location).toBe(to)
  })

  test('Location of the host that a proxy in front has told', async () => {
    const respond: Respond = (_req, res) => res.writeHead(307, { Location: 'http://api.example/players/8' }).end()
    const { get } = await behind(respond, { more: (app) => app.set('trust proxy', true) })
    const { headers } = await get('/phones/7', { ...V1, 'X-Forwarded-Host': 'api.example' })
    expect(headers.location).toBe('http://api.example/phones/8')
  })

  test.each<[mount: string, base: string, path: string, location: string, to: string]>([
    ['/api', '', '/api/phones/7', '/players/8', '/api/phones/8'],
    ['/api', '/api', '/api/phones/7', '/api/players/8', '/api/phones/8'],
    ['/api', '/base', '/api/phones/7', '/other', '/other'],
    ['/api', '/base', '/api/phones/7', '/base', '/api/'],
    ['/api', '/base', '/api/phones/7', 'TARGET/other?a', '/other?a'],
  ])('Location at the mount %s of a service at "%s"', async (mount, base, path, location, to) => {
    let port = ''
    const target = await service((_req, res) =>
      res.writeHead(201, { Location: location.replace('TARGET', port) }).end(),
    )
    port = target
    const { get } = await listen(express().use(mount, gateway(songs, { target: target + base })))
    expect((await get(path, V1)).headers.location).toBe(to)
  })

  test('Location of an operation that the version does not have yet', async () => {
    const changes = versionHistory('1').version('2', change('Feeds are new.', { 'GET /feed': 'added' }))
    const { get } = await behind((_req, res) => res.writeHead(201, { Location: '/feed' }).end(), {
      options: { changes },
    })
    expect((await get('/songs', V1)).headers.location).toBe('/feed')
  })

  test('a version in the path is in Location', async () => {
    const options = { scheme: URLPathVersioning, defaultVersion: undefined }
    const { get } = await behind((_req, res) => res.writeHead(201, { Location: '/players/8' }).end(), {
      mount: '/:version',
      options,
    })
    expect((await get('/1/phones/7')).headers.location).toBe('/1/phones/8')
    expect((await get('/2/players/7')).headers.location).toBe('/2/players/8')
  })

  test('a client that names no version goes on without one', async () => {
    const options = { scheme: QueryParameterVersioning, defaultVersion: '2' }
    const { get } = await behind((_req, res) => res.writeHead(201, { Location: '/players/8' }).end(), { options })
    expect((await get('/players/7')).headers.location).toBe('/players/8')
    expect((await get('/players/7?version=2')).headers.location).toBe('/players/8?version=2')
    expect((await get('/phones/7?version=1')).headers.location).toBe('/phones/8?version=1')
    const old = await behind((_req, res) => res.writeHead(201, { Location: '/players/8' }).end(), {
      options: { scheme: QueryParameterVersioning, defaultVersion: '1' },
    })
    expect((await old.get('/phones/7')).headers.location).toBe('/phones/8?version=1')
  })
})

describe('failures', () => {
  const PROBLEM = 'application/problem+json'
  const silent: Respond = () => {}

  test.each<[title: string, status: number, respond: Respond, method: string, body: string]>([
    ['one that closes', 502, (req) => void req.socket.end(), 'GET', ''],
    ['one that speaks another language', 502, (req) => void req.socket.end('hello\r\n\r\n'), 'GET', ''],
    ['one of no status', 502, (req) => void req.socket.end('HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'), 'GET', ''],
    [
      'one of no reason',
      502,
      (req) => void req.socket.end('HTTP/1.1 200 a\x01\r\nContent-Length: 0\r\n\r\n'),
      'GET',
      '',
    ],
    [
      'one that begins another protocol',
      502,
      (req) => void req.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'GET',
      '',
    ],
    ['one that closes at a body', 502, (req) => void req.socket.destroy(), 'POST', '{"name":"Aria"}'],
    ['a silent one', 504, silent, 'GET', ''],
    ['a silent one, with a body', 504, (req) => void req.resume(), 'POST', '{"name":"Aria"}'],
  ])('%s is %s', async (_title, status, respond, method, body) => {
    const { send, target } = await behind(respond, { timeout: 100 })
    const response = await send(method, '/songs', { ...V2, ...JSON_TYPE }, body)
    expect(response).toMatchObject({ status, json: { type: 'about:blank', status } })
    expect(response.headers['content-type']).toBe(PROBLEM)
    expect(response.text + JSON.stringify(response.headers)).not.toContain(target.slice(17))
  })

  test('one that takes no more of a body is 504', async () => {
    const stalled = createServer((socket) => socket.on('error', () => {}).pause())
    stalled.listen(0, '127.0.0.1')
    await once(stalled, 'listening')
    const target = `http://127.0.0.1:${(stalled.address() as AddressInfo).port}`
    const { port } = await listen(express().use(gateway(songs, { target, timeout: 300 })))
    const sent = request({ port, method: 'PUT', path: '/files/1', headers: { ...V1, 'Content-Length': 40 * 2 ** 20 } })
    sent.on('error', () => {})
    sent.end(Buffer.alloc(40 * 2 ** 20))
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(504)
    sent.destroy()
    stalled.close()
  })

  test('a slow client is no slow service', async () => {
    const { port } = await behind(echo, { timeout: 100 })
    const sent = request({ port, method: 'PUT', path: '/files/1', headers: { ...V1, 'Content-Length': 4 } })
    sent.write('ab')
    setTimeout(() => sent.end('cd'), 300)
    const [response] = await once(sent, 'response')
    expect([response.statusCode, await text(response)]).toEqual([200, 'abcd'])
  })

  test.each<[version: string, path: string, type: string]>([
    ['2', '/songs', 'application/json'],
    ['1', '/songs', 'application/json'],
    ['1', '/feed', 'text/event-stream'],
  ])('a service that breaks off breaks off, in version %s of %s', async (version, path, type) => {
    const { port } = await behind((_req, res) => {
      res.writeHead(200, { 'Content-Type': type, 'Content-Length': 99 }).write('{"na')
      setTimeout(() => res.destroy(), 50)
    })
    const response = fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Version': version } })
    await expect(response.then((one) => one.text())).rejects.toThrow()
  })

  test('a client that leaves ends the request of the service', async () => {
    const left = new Promise((done) => {
      void behind((req, res) => void res.once('close', () => done(req.url))).then(({ port }) => {
        const sent = request({ port, path: '/songs' }).on('error', () => {})
        sent.end()
        setTimeout(() => sent.destroy(), 100)
      })
    })
    expect(await left).toBe('/songs')
  })

  test('a service may respond before the end of an upload', async () => {
    const { port } = await behind((_req, res) => res.writeHead(413, { Connection: 'close' }).end('too much'))
    const sent = request({ port, method: 'PUT', path: '/files/1', headers: { ...V1, 'Content-Length': 5 } })
    sent.write('a')
    const [response] = await once(sent, 'response')
    expect([response.statusCode, await text(response)]).toEqual([413, 'too much'])
    sent.on('error', () => {}).end('bcde')
  })

  test.each<[title: string, status: number, path: string, headers: Record<string, string>, body: string]>([
    ['a version that nobody knows', 406, '/songs', { 'X-API-Version': '9' }, ''],
    ['an operation that no document has', 404, '/other', V1, ''],
    ['a body that is no JSON', 400, '/songs', { ...V1, ...JSON_TYPE }, '{'],
    ['a body in another type', 415, '/songs', { ...V1, 'Content-Type': 'application/json; charset=x' }, '{}'],
    ['a body above the limit', 413, '/songs', { ...V1, ...JSON_TYPE }, `{"title":"${'x'.repeat(200)}"}`],
    ['a number that JavaScript changes', 400, '/songs', { ...V1, ...JSON_TYPE }, '{"plays":9007199254740993}'],
  ])('%s is %s, as a problem', async (_title, status, path, headers, body) => {
    const { send } = await behind(echo, { limit: 100 })
    const response = await send(body === '' ? 'GET' : 'POST', path, headers, body)
    expect(response).toMatchObject({ status, json: { status } })
    expect(response.headers['content-type']).toBe(PROBLEM)
  })

  const handler: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.status(error.status).send(error instanceof GatewayError ? error.code : error.name)
  test.each<[title: string, more: (app: Application) => Application]>([['the app', (app) => app.use(handler)]])(
    'the error handler of %s gets them',
    async (_title, more) => {
      const { get } = await behind(silent, { timeout: 50, more })
      expect(await get('/songs', V2)).toMatchObject({ status: 504, text: 'ERR_GATEWAY_TIMEOUT' })
      expect(await get('/songs', { 'X-API-Version': '9' })).toMatchObject({ status: 406 })
    },
  )

  test.each<[title: string, type: string, more: (router: express.Router) => unknown]>([
    ['behind the gateway', 'text/html; charset=utf-8', (router) => router.use(handler)],
    ['in front of it, or in another router', PROBLEM, () => {}],
  ])('an error handler in a router, %s', async (_title, type, more) => {
    const target = await service(silent)
    const router = express
      .Router()
      .use(handler)
      .use(gateway(songs, { target, timeout: 50 }))
    more(router)
    const app = express().use(express.Router().use(express.Router()), router, express.Router().use(handler))
    const { headers } = await (await listen(app)).get('/songs', V2)
    expect(headers['content-type']).toBe(type)
  })

  test('the error handler of an app around the app', async () => {
    const target = await service(silent)
    const inner = express().use(gateway(songs, { target, timeout: 50 }))
    const { get } = await listen(express().use(inner).use(handler))
    expect(await get('/songs', V2)).toMatchObject({ status: 504, text: 'ERR_GATEWAY_TIMEOUT' })
  })

  test.each<[env: string, logged: number]>([
    ['production', 1],
    ['test', 0],
  ])('what fails on the way of a response is a problem without details, and in the log of %s', async (env, logged) => {
    const log = jest.spyOn(console, 'error').mockReturnValue()
    const respond: Respond = (_req, res) => res.writeHead(200, JSON_TYPE).end('{"name":')
    const { get } = await behind(respond, { more: (app) => app.set('env', env) })
    const { status, headers, json } = await get('/songs', V1)
    expect([status, headers['content-type']]).toEqual([500, PROBLEM])
    expect(json).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 })
    expect(log.mock.calls.map(([error]) => error.code)).toEqual(Array(logged).fill('ERR_VERSION_CHANGE'))
    log.mockRestore()
  })

  test('an error of the options is one of the program', async () => {
    class Mistaken extends BaseVersioning {
      override determineVersion(): string {
        throw new Error('a mistake')
      }
    }
    const { get } = await behind(echo, { options: { scheme: Mistaken } })
    expect((await get('/songs', V1)).json).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 })
  })
})

describe('other settings', () => {
  test('a table is optional: Location stays below the mount', async () => {
    const target = await service((_req, res) => res.writeHead(201, { Location: '/songs/1' }).end())
    const options = { scheme: songs.scheme, allowedVersions: ['1'], defaultVersion: '1' }
    const { get } = await listen(express().use('/api', gateway(options, { target })))
    expect((await get('/api/songs')).headers.location).toBe('/api/songs/1')
  })

  test.each([
    ['neutral', '/health', { neutral: ['/health'] }],
    ['undocumented', '/other', { routes: routesOf(document, { undocumented: 'pass' }) }],
  ])('a path that is %s passes, with versions in the path', async (_title, path, more) => {
    const options = { scheme: URLPathVersioning, ...more }
    const { get } = await behind(echo, { options })
    expect(gotIn((await get(path)).headers)[1]).toBe(path)
  })

  test('a service that speaks TLS', async () => {
    const target = (await service(echo)).replace('http:', 'https:')
    const { get } = await listen(express().use(gateway(songs, { target })))
    expect((await get('/songs', V2)).status).toBe(502)
  })
})

test('a request that has left is not changed', () => {
  expect(() =>
    sendConverted({ headersSent: true } as never, { headers: {}, body: {}, readableEnded: true } as never),
  ).not.toThrow()
})

test.each<[title: string, body: unknown, type: string | undefined, sent: string | undefined, ended?: boolean]>([
  ['JSON', { a: 1 }, 'application/merge-patch+json; charset="utf-16"', 'application/merge-patch+json 7 {"a":1}'],
  [
    'a form',
    { a: ['1', 'b c'] },
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded 11 a=1&a=b%20c',
  ],
  ['a string', 'abc', 'text/csv;charset=latin1', 'text/csv 3 abc'],
  ['bytes', Buffer.from('abc'), undefined, 'undefined 3 abc'],
  ['what nobody read', { a: 1 }, 'application/json', undefined, false],
  ['no body', undefined, undefined, undefined],
  ['the empty object of Express 4', {}, undefined, undefined],
])('sendConverted() of %s', (_title, body, type, sent, ended = true) => {
  const fields: Record<string, unknown> = {}
  const written: unknown[] = []
  const proxyReq = {
    removeHeader: (name: string) => Reflect.deleteProperty(fields, name),
    setHeader: (name: string, value: unknown) => Object.assign(fields, { [name]: value }),
    write: (text: unknown) => written.push(`${fields['Content-Type']} ${fields['Content-Length']} ${text}`),
  }
  const req = { body, readableEnded: ended, headers: { 'content-type': type } }
  sendConverted(proxyReq as never, req as never)
  expect(written).toEqual(sent === undefined ? [] : [sent])
})

describe('WebSockets', () => {
  const UPGRADE = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n'

  /** Starts a gateway in front of a service that upgrades, and says each line again. */
  async function chat() {
    const sockets: Socket[] = []
    const server = await behind(echo)
    const target = await service(echo)
    const upgrading = (await import('node:http')).createServer(echo).on('upgrade', (req, socket) => {
      sockets.push(socket as Socket)
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Path: ${req.url}\r\n\r\nhello`,
      )
      socket.on('data', (piece: Buffer) => socket.write(`you said ${piece}`))
      socket.on('error', () => {}).once('end', () => socket.end())
    })
    upgrading.listen(0, '127.0.0.1')
    await once(upgrading, 'listening')
    const { port } = upgrading.address() as AddressInfo
    const { port: at } = await listen(express().use(gateway(songs, { target: `http://127.0.0.1:${port}` })))
    return { at, sockets, upgrading, server, target }
  }

  /** Reads of a socket until a text has come. */
  async function until(socket: Socket, wanted: string): Promise<string> {
    let read = ''
    while (!read.includes(wanted)) read += String((await once(socket, 'data'))[0])
    return read
  }

  test('they pass in any version, also as the first request', async () => {
    const { at, sockets, upgrading } = await chat()
    const socket = connect(at, '127.0.0.1')
    socket.write(UPGRADE)
    expect(await until(socket, 'hello')).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n.*X-Path: \/chat\r\n/s)
    socket.write('one')
    expect(await until(socket, 'one')).toBe('you said one')
    socket.end()
    await once(sockets[0] as Socket, 'close')
    const other = connect(at, '127.0.0.1')
    other.write(UPGRADE)
    await until(other, 'hello')
    ;(sockets[1] as Socket).resetAndDestroy()
    other.on('error', () => {})
    await once(other, 'close')
    upgrading.close()
  })

  test.each<[title: string, respond: Respond, status: number]>([
    [
      'a service that does not upgrade responds as always',
      (_req, res) => res.writeHead(200, JSON_TYPE).end('{"name":"Aria"}'),
      200,
    ],
    ['nor does one that is away', (req) => void req.socket.destroy(), 502],
    ['nor one that is silent', () => {}, 504],
  ])('%s', async (_title, respond, status) => {
    const { raw } = await behind(respond, { timeout: 100 })
    const response = await raw(UPGRADE.replace('/chat', '/songs').replace('keep-alive', 'close'))
    expect(response).toContain(`HTTP/1.1 ${status} `)
    expect(response).not.toContain('"name"')
  })

  test('a client that leaves while it waits', async () => {
    let asked: () => void = () => {}
    const asking = new Promise<void>((done) => (asked = done))
    let left: () => void = () => {}
    const leaving = new Promise<void>((done) => (left = done))
    const { port } = await behind((req) => {
      req.socket.once('close', left)
      asked()
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(UPGRADE)
    await asking
    socket.resetAndDestroy()
    await leaving
  })
})

test.each<[title: string, to: object, message: string]>([
  ['no target', {}, 'option "target" takes the URL of a service'],
  ['a target of another kind', { target: 'ftp://a' }, 'option "target"'],
  ['a target with a query', { target: 'http://a/?b' }, 'option "target"'],
  ['a wrong limit', { target: 'http://a', limit: 'much' }, 'option "limit" takes'],
  ['a limit of nothing', { target: 'http://a', limit: 0 }, 'option "limit" takes'],
  ['a wrong timeout', { target: 'http://a', timeout: 0.5 }, 'option "timeout" takes'],
  ['an unknown option', { target: 'http://a', timout: 5 }, 'unknown option "timout". Did you mean "timeout"?'],
])('%s is a TypeError', (_title, to, message) => {
  expect(() => gateway(songs, to as GatewayOptions)).toThrow(message)
})
