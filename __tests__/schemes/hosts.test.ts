import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import {
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import Router from 'router'
import { decide } from '../support/schemes'
import { serve } from '../support/serve'

// Hosts on the wire: which one counts, and requests that name two.

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const AMBIGUOUS = '{"error":"Ambiguous host in request.","code":"ERR_VERSION_HOST","name":"VersioningError"}'
const close = 'Connection: close\r\n\r\n'
const body = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

const hosts = (options: Partial<VersioningOptions> = {}, trust: unknown = false) =>
  serve((app) =>
    app
      .set('trust proxy', trust)
      .use('/api', versioning({ scheme: HostNameVersioning, defaultVersion: 'standard', ...options }), tell)
      .use(versioning({ scheme: HostNameVersioning, defaultVersion: 'standard', ...options }), tell),
  )

describe('a request that names two hosts is refused (RFC 9112, section 3.2)', () => {
  // The request target, and the other lines. `undefined`: the request is refused.
  const rows: [target: string, lines: string[], version: string | undefined][] = [
    ['/', ['Host: v1.example.com', 'Host: v2.example.com'], undefined],
    ['/', ['Host: v1.example.com', 'hOST: v1.example.com'], undefined],
    ['/', ['Host: v1.example.com', ...Array(500).fill('C: d'), 'Host: x'], undefined],
    ['/', ['Host:', 'Host: v1.example.com'], undefined],
    ['/', ['Host: localhost', 'X-Forwarded-Host: b', 'Host: localhost'], undefined],
    ['/', ['hOsT: v1.example.com'], 'v1'],
    ['/', ['Host:'], 'standard'],
    ['/', ['X-Host: v2', 'Host: v1.example.com', 'Hos: t', 'Tsoh: 1', 'A: host'], 'v1'],
    // A target in absolute form
    ['http://v2.example.com/', ['Host: v1.example.com'], undefined],
    ['http://v1.example.com/', ['Host: example.com'], undefined],
    ['http://v2.example.com?x=1', ['Host: v1.example.com'], undefined],
    ['HTTP://V2.EXAMPLE.COM/', ['Host: v1.example.com'], undefined],
    ['ftp://v2.example.com/', ['Host: v1.example.com'], undefined],
    ['http://b/api', ['Host: a'], undefined],
    ['http://v1.example.com/', ['Host:'], undefined],
    // Userinfo in a request is an error (RFC 9110, section 4.2.4).
    ['http://me@v1.example.com/', ['Host: v1.example.com'], undefined],
    ['http://V1.Example.com/', ['Host: v1.eXample.com'], 'v1'],
    ['/http://v2.example.com/', ['Host: v1.example.com'], 'v1'],
    ['//v2.example.com/', ['Host: v1.example.com'], 'v1'],
    // and its port
    ['http://v1.example.com:8080/', ['Host: v1.example.com'], undefined],
    ['http://v1.example.com:443/', ['Host: v1.example.com'], undefined],
    ['http://v1.example.com/', ['Host: v1.example.com:8080'], undefined],
    ['ftp://v1.example.com:80/', ['Host: v1.example.com'], undefined],
    ['http://v1.example.com:80/', ['Host: v1.example.com'], 'v1'],
    ['http://v1.example.com/', ['Host: v1.example.com:80'], 'v1'],
    ['https://v1.example.com/', ['Host: v1.example.com:443'], 'v1'],
    ['http://v1.example.com:/', ['Host: v1.example.com'], 'v1'],
    ['ftp://v1.example.com:/', ['Host: v1.example.com'], 'v1'],
    ['http://v1.example.com:8080/', ['Host: v1.example.com:8080'], 'v1'],
  ]

  test.each([false, true])('trust proxy %p', async (trust) => {
    const { raw } = await hosts({}, trust)
    for (const [target, lines, version] of rows) {
      const answer = await raw(`GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n${close}`)
      const expected = version === undefined ? ['400', AMBIGUOUS] : ['200', `{"version":"${version}"}`]
      expect([target, lines, answer.slice(9, 12), body(answer)]).toEqual([target, lines, ...expected])
    }
    // HTTP/1.0 needs no Host. Node refuses HTTP/1.1 without one.
    expect(body(await raw('GET / HTTP/1.0\r\nX-Forwarded-Host: \r\n\r\n'))).toBe('{"version":"standard"}')
    expect(body(await raw('GET http://v1.example.com/ HTTP/1.0\r\n\r\n'))).toBe(AMBIGUOUS)
    expect(await raw(`GET / HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('also behind a rewritten url and in a combination; by no other scheme, and never a preflight', async () => {
    const twice = 'Host: v1.example.com\r\nHost: v2.example.com\r\n'
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = '/elsewhere'
      next()
    }
    const schemes = [new HostNameVersioning(), new HeaderVersioning()]
    const server = await serve((app) =>
      app
        .use('/header', versioning({ scheme: HeaderVersioning }), tell)
        .use('/both', versioning({ scheme: new CombinedVersioning({ schemes, defaultVersion: 'v1' }) }), tell)
        .use(rewrite, versioning({ scheme: HostNameVersioning }), tell),
    )
    const ask = async (start: string, lines = '') => body(await server.raw(`${start} HTTP/1.1\r\n${lines}${close}`))
    expect(await ask('GET http://v2.example.com/x', 'Host: v1.example.com\r\n')).toBe(AMBIGUOUS)
    for (const named of ['', 'X-API-Version: v2\r\n']) expect(await ask('GET /both', twice + named)).toBe(AMBIGUOUS)
    expect(await ask('GET /header', `${twice}X-API-Version: v3\r\n`)).toBe('{"version":"v3"}')
    const preflight = 'Origin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n'
    expect(await ask('OPTIONS /', twice + preflight)).toBe('{"version":null}')
  })

  test('the error tells which versions there are, and nothing that was sent', async () => {
    const scheme = new HostNameVersioning({ allowedVersions: ['v1'] })
    const read = () =>
      scheme.readVersion({ url: 'http://evil.example.com/', headers: { host: 'v1.example.com' } } as never)
    const error = { status: 400, code: 'ERR_VERSION_HOST', allowedVersions: ['v1'], version: undefined }
    expect(read).toThrow(expect.objectContaining(error))
    expect(await decide(scheme, 'http://evil.example.com/', { host: 'a' })).not.toContain('evil')
    // A request that was made by hand has no raw headers.
    expect(scheme.readVersion({ url: '/', headers: { host: 'v1.example.com' } } as never)).toBe('v1')
    const authority = { ':authority': 'v1.example.com' }
    expect(scheme.readVersion({ url: 'http://v1.example.com/', headers: authority } as never)).toBe('v1')
  })
})

describe('X-Forwarded-Host counts as trust proxy says, and then Vary names it', () => {
  test.each<[trust: unknown, forwarded: string | undefined, version: string, counts: boolean]>([
    [false, 'v2.example.com', 'v1', false],
    [0, 'v2.example.com', 'v1', false],
    ['10.0.0.0/8', 'v2.example.com', 'v1', false],
    [() => false, 'v2.example.com', 'v1', false],
    [true, 'v2.example.com', 'v2', true],
    [1, 'v2.example.com', 'v2', true],
    ['loopback', 'v2.example.com', 'v2', true],
    [() => true, 'v2.example.com', 'v2', true],
    [true, undefined, 'v1', true],
    [true, '', 'v1', true],
    [true, 'v2.example.com:80 , v3.example.com', 'v2', true],
    [true, 'v2.example.com,', 'v2', true],
    [true, 'example.com, v3.example.com', 'standard', true],
    [true, '[::1]:80', 'standard', true],
  ])('trust proxy %p, %j: %p', async (trust, forwarded, version, counts) => {
    const more: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-Host': forwarded }
    const answer = await (await hosts({}, trust)).get('/', { Host: 'v1.example.com', ...more })
    expect([answer.json, answer.headers.vary]).toEqual([{ version }, counts ? 'X-Forwarded-Host' : undefined])
  })

  test('merged in a combination, and by a function of one’s own', async () => {
    class Tenant extends BaseVersioning {
      override determineVersion = () => 'v1'
      override readonly varyOn = (req: { method: string }) =>
        req.method === 'POST' ? ['X-Tenant', 'X-API-Version'] : []
    }
    const build = (trust: boolean) =>
      serve((app) => {
        const schemes = [new HeaderVersioning(), new HostNameVersioning(), new URLPathVersioning(), new Tenant()]
        app.set('trust proxy', trust)
        app.use((_req, res, next) => next(void res.setHeader('Vary', 'Origin')))
        app.use(versioning({ scheme: new CombinedVersioning({ schemes }) }), tell)
      })
    expect((await (await build(true)).get('/')).headers.vary).toBe('Origin, X-API-Version, X-Forwarded-Host')
    expect((await (await build(false)).send('POST', '/')).headers.vary).toBe('Origin, X-API-Version, X-Tenant')
  })
})

test('behind plain router on HTTP/2, the authority is the host, and no proxy is trusted', async () => {
  const router = Router()
  router.use(versioning({ scheme: HostNameVersioning, defaultVersion: 'standard' }) as never)
  router.get('/', (req, res) => void res.end(String((req as { version?: string }).version)))
  const server = createHttp2Server((req, res) =>
    router(req as never, res as never, (error) => res.end(String((error as Error).message))),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const ask = async (headers: Record<string, string | undefined>) => {
    let text = ''
    const stream = session.request({ ':path': '/', 'x-forwarded-host': 'v9.example.com', ...headers })
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    return text
  }
  try {
    for (const [authority, host, answer] of [
      ['v1.example.com:8443', undefined, 'v1'],
      ['V2.example.com:80', 'v2.Example.com', 'v2'],
      [undefined, 'v3.example.com', 'v3'],
      ['localhost', undefined, 'standard'],
      ['v1.example.com', 'v2.example.com', 'Ambiguous host in request.'],
    ])
      expect(await ask({ ':authority': authority, ...(host && { host }) })).toBe(answer)
  } finally {
    session.close()
    server.close()
  }
})
