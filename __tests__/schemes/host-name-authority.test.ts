import { createServer } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
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
import { appOf, dispatch } from '../support/dispatch'
import { serve } from '../support/serve'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version })
const AMBIGUOUS = '{"error":"Ambiguous host in request.","code":"ERR_VERSION_HOST","name":"VersioningError"}'
const close = 'Connection: close\r\n\r\n'

const hosts = (options: Partial<VersioningOptions> = {}, trust: unknown = false) =>
  serve((app) =>
    app
      .set('trust proxy', trust)
      .use(versioning({ scheme: HostNameVersioning, defaultVersion: 'standard', ...options }), tell),
  )

function body(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}

describe('a request that names two hosts is refused (RFC 9112, section 3.2)', () => {
  test.each<[title: string, request: string]>([
    ['two Host lines', `GET / HTTP/1.1\r\nHost: v1.example.com\r\nHost: v2.example.com\r\n${close}`],
    ['two equal ones', `GET / HTTP/1.1\r\nHost: v1.example.com\r\nhOST: v1.example.com\r\n${close}`],
    [
      'the second far behind',
      `GET / HTTP/1.1\r\nHost: v1.example.com\r\nA: b\r\n${'C: d\r\n'.repeat(500)}Host: x\r\n${close}`,
    ],
    ['an empty first', `GET / HTTP/1.1\r\nHost:\r\nHost: v1.example.com\r\n${close}`],
    ['neither names a version', `GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n${close}`],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: v1.example.com\r\nHost: v2.example.com\r\n\r\n'],
    ['two forwarded ones beside', `GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: b\r\nHost: b\r\n${close}`],
    ['an absolute target at another host', `GET http://v2.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    ['at a subdomain', `GET http://v1.example.com/ HTTP/1.1\r\nHost: example.com\r\n${close}`],
    ['with a query alone', `GET http://v2.example.com?x=1 HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    ['in upper case', `GET HTTP://V2.EXAMPLE.COM/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    ['of another scheme', `GET ftp://v2.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    ['on another port', `GET http://v1.example.com:8080/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    [
      "on another protocol's default port",
      `GET http://v1.example.com:443/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`,
    ],
    ['without the port of Host', `GET http://v1.example.com/ HTTP/1.1\r\nHost: v1.example.com:8080\r\n${close}`],
    // Userinfo in a request is an error (RFC 9110, section 4.2.4).
    ['with userinfo', `GET http://me@v1.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`],
    ['beside an empty Host', `GET http://v1.example.com/ HTTP/1.1\r\nHost:\r\n${close}`],
    ['HTTP/1.0 without Host', 'GET http://v1.example.com/ HTTP/1.0\r\n\r\n'],
    ['an authority that a handler behind a mount does not see', `GET http://b/api HTTP/1.1\r\nHost: a\r\n${close}`],
  ])('%s', async (_title, request) => {
    for (const trust of [false, true]) {
      const answer = await (await hosts({}, trust)).raw(request)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(body(answer)).toBe(AMBIGUOUS)
    }
  })

  test.each<[title: string, request: string, version: string]>([
    [
      'an absolute target at the same host',
      `GET http://v1.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`,
      'v1',
    ],
    ['in other letters', `GET http://V1.Example.com/ HTTP/1.1\r\nHost: v1.eXample.com\r\n${close}`, 'v1'],
    ['the default port here', `GET http://v1.example.com:80/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`, 'v1'],
    ['the default port there', `GET http://v1.example.com/ HTTP/1.1\r\nHost: v1.example.com:80\r\n${close}`, 'v1'],
    ['that of https', `GET https://v1.example.com/ HTTP/1.1\r\nHost: v1.example.com:443\r\n${close}`, 'v1'],
    ['an empty port', `GET http://v1.example.com:/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`, 'v1'],
    ['the same port', `GET http://v1.example.com:8080/ HTTP/1.1\r\nHost: v1.example.com:8080\r\n${close}`, 'v1'],
    ['HTTP/1.0', 'GET http://v1.example.com/ HTTP/1.0\r\nHost: v1.example.com\r\n\r\n', 'v1'],
    ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n', 'standard'],
    ['a path that looks absolute', `GET /http://v2.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`, 'v1'],
    ['two slashes are a path', `GET //v2.example.com/ HTTP/1.1\r\nHost: v1.example.com\r\n${close}`, 'v1'],
    [
      'names that end in host',
      `GET / HTTP/1.1\r\nX-Host: v2\r\nHost: v1.example.com\r\nHos: t\r\nTsoh: 1\r\n${close}`,
      'v1',
    ],
    ['a value Host', `GET / HTTP/1.1\r\nA: host\r\nHost: v1.example.com\r\nB: Host\r\n${close}`, 'v1'],
  ])('but not %s', async (_title, request, version) => {
    expect(body(await (await hosts()).raw(request))).toBe(`{"version":"${version}"}`)
  })

  test('behind a mount and a rewritten url', async () => {
    const scheme = versioning({ scheme: HostNameVersioning })
    const server = await serve((app) =>
      app.use(
        (req, _res, next) => {
          req.url = '/elsewhere'
          next()
        },
        scheme,
        tell,
      ),
    )
    const answer = await server.raw(`GET http://v2.example.com/x HTTP/1.1\r\nHost: v1.example.com\r\n${close}`)
    expect(body(answer)).toBe(AMBIGUOUS)
  })

  test('a preflight never is', async () => {
    const preflight = 'Origin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n'
    const request = `OPTIONS / HTTP/1.1\r\nHost: v1.example.com\r\nHost: v2.example.com\r\n${preflight}${close}`
    expect(body(await (await hosts()).raw(request))).toBe('{"version":null}')
  })

  test('nor by a scheme that does not read the host', async () => {
    const request = `GET / HTTP/1.1\r\nHost: v1.example.com\r\nHost: v2.example.com\r\nX-API-Version: v3\r\n${close}`
    expect(body(await (await hosts({ scheme: HeaderVersioning })).raw(request))).toBe('{"version":"v3"}')
  })

  test('in a combination too, whatever else names a version', async () => {
    const schemes = [new HostNameVersioning(), new HeaderVersioning()]
    const server = await serve((app) =>
      app.use(versioning({ scheme: new CombinedVersioning({ schemes, defaultVersion: 'v1' }) }), tell),
    )
    for (const named of ['', 'X-API-Version: v2\r\n']) {
      const answer = await server.raw(
        `GET / HTTP/1.1\r\nHost: v2.example.com\r\nHost: v2.example.com\r\n${named}${close}`,
      )
      expect(body(answer)).toBe(AMBIGUOUS)
    }
  })

  test('a request that was made by hand has no raw headers', () => {
    const scheme = new HostNameVersioning()
    expect(scheme.determineVersion({ headers: { host: 'v1.example.com' }, url: '/' } as never, [], {})).toBe('v1')
    const app = appOf((app) => app.use(versioning({ scheme })))
    expect(dispatch(app, { url: '/', headers: { host: 'v1.example.com' } }).req.version).toBe('v1')
  })

  test('the error tells which versions there are, and nothing that was sent', async () => {
    const app = appOf((app) => app.use(versioning({ scheme: new HostNameVersioning({ allowedVersions: ['v1'] }) })))
    const { errors } = dispatch(app, { url: 'http://evil.example.com/', headers: { host: 'v1.example.com' } })
    expect(errors).toMatchObject([
      { status: 400, code: 'ERR_VERSION_HOST', allowedVersions: ['v1'], version: undefined },
    ])
    expect(JSON.stringify(errors)).not.toContain('evil')
  })
})

describe('Vary names X-Forwarded-Host where it counts, whether it was sent or not', () => {
  test.each<[trust: unknown, vary: string | undefined]>([
    [false, undefined],
    [true, 'X-Forwarded-Host'],
    [1, 'X-Forwarded-Host'],
    [0, undefined],
    ['loopback', 'X-Forwarded-Host'],
    ['10.0.0.0/8', undefined],
    [() => true, 'X-Forwarded-Host'],
  ])('trust proxy %p: %p', async (trust, vary) => {
    const server = await hosts({ allowedVersions: ['v1'] }, trust)
    for (const sent of [{}, { 'X-Forwarded-Host': 'v1.example.com' }, { 'X-Forwarded-Host': 'v9.example.com' }]) {
      expect((await server.get('/', sent)).headers.vary).toBe(vary)
    }
  })

  test('merged, and in a combination with what the others depend on', async () => {
    const schemes = [new HeaderVersioning(), new HostNameVersioning(), new URLPathVersioning()]
    const build = (trust: boolean) =>
      serve((app) =>
        app
          .set('trust proxy', trust)
          .use((_req, res, next) => next(void res.setHeader('Vary', 'Origin')))
          .use(versioning({ scheme: new CombinedVersioning({ schemes: schemes.map(fresh) }) }), tell),
      )
    expect((await (await build(true)).get('/')).headers.vary).toBe('Origin, X-API-Version, X-Forwarded-Host')
    expect((await (await build(false)).get('/')).headers.vary).toBe('Origin, X-API-Version')
  })

  test("a scheme of one's own: a function of the request", async () => {
    class Tenant extends BaseVersioning {
      override determineVersion = () => 'v1'
      override readonly varyOn = (req: { method: string }) =>
        req.method === 'POST' ? ['X-Tenant', 'X-API-Version'] : []
    }
    const server = await serve((app) => app.use(versioning({ scheme: Tenant }), tell))
    expect((await server.send('POST', '/')).headers.vary).toBe('X-Tenant, X-API-Version')
    expect((await server.get('/')).headers.vary).toBeUndefined()
  })
})

function fresh(scheme: object): HeaderVersioning {
  return new (scheme.constructor as typeof HeaderVersioning)()
}

describe('behind plain router, without Express', () => {
  const routed = () => {
    const router = Router()
    router.use(versioning({ scheme: HostNameVersioning, defaultVersion: 'standard' }) as never)
    router.get('/', (req, res) => void res.end(String((req as { version?: string }).version)))
    return router
  }
  const failed = (res: { statusCode: number; end(text: string): unknown }) => (error?: unknown) => {
    res.statusCode = (error as { status?: number } | undefined)?.status ?? 404
    res.end(String((error as Error | undefined)?.message))
  }

  test.each<[headers: string, answer: string]>([
    ['Host: v1.example.com:80\r\n', 'v1'],
    // Nothing says whether a proxy is to be trusted.
    ['Host: v1.example.com\r\nX-Forwarded-Host: v2.example.com\r\n', 'v1'],
    ['Host: localhost\r\n', 'standard'],
    ['Host: v1.example.com\r\nHost: v2.example.com\r\n', 'Ambiguous host in request.'],
  ])('%j: %s', async (headers, expected) => {
    const router = routed()
    const { raw, end } = await plain((req, res) => router(req, res, failed(res)))
    expect(body(await raw(`GET / HTTP/1.1\r\n${headers}${close}`))).toContain(expected)
    end()
  })

  test('on HTTP/2: the authority', async () => {
    const router = routed()
    const server = createHttp2Server((req, res) => router(req as never, res as never, failed(res)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const ask = (headers: Record<string, string | undefined>) => answered(session, headers)
    try {
      expect(await ask({ ':authority': 'v1.example.com' })).toBe('v1')
      expect(await ask({ ':authority': 'v1.example.com:8443' })).toBe('v1')
      expect(await ask({ ':authority': 'V2.example.com:80', host: 'v2.Example.com' })).toBe('v2')
      expect(await ask({ ':authority': undefined, host: 'v3.example.com' })).toBe('v3')
      expect(await ask({ ':authority': 'localhost' })).toBe('standard')
      expect(await ask({ ':authority': 'v1.example.com', host: 'v2.example.com' })).toBe('Ambiguous host in request.')
    } finally {
      session.close()
      server.close()
    }
  })
})

function answered(session: ClientHttp2Session, headers: Record<string, string | undefined>): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    session
      .request({ ':path': '/', ...headers })
      .setEncoding('utf8')
      .on('data', (chunk) => {
        text += chunk
      })
      .on('end', () => done(text))
      .on('error', fail)
      .end()
  })
}

/** A server of Node's own, asked as `Served.raw` asks. */
async function plain(listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const raw = (bytes: string) =>
    new Promise<string>((done, fail) => {
      let received = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('close', () => done(received)).on('error', fail)
    })
  return { raw, end: () => void server.close() }
}
