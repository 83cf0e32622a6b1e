import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Application } from 'express'
import {
  HeaderVersioning,
  HostNameVersioning,
  namedRoutes,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type ExplorerOptions, explorer } from 'express-versioning/explorer'
import { serve } from '../support/serve'

const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const routes = namedRoutes({ user: '/users/:id' })
routes.route('user').get((_req, res) => {
  res.end()
})
const options: VersioningOptions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
const withUi = { documents: '/openapi', swaggerUi }

/** An app with an explorer at `/docs`, and the API behind it. */
const served = (
  given: ExplorerOptions = {},
  more: Partial<VersioningOptions> = {},
  fill: (app: Application) => void = () => {},
) =>
  serve((app) => {
    fill(app)
    app.use('/docs', explorer({ ...options, ...more }, given))
    app.use('/api', versioning({ ...options, ...more }), routes)
  })

const POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('the page', () => {
  test.each<[accept: string | undefined, type: string]>([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
    ['image/png', 'text/html'],
    ['application/json', 'application/json'],
    ['application/json, text/html;q=0.5', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/plain, application/json;q=0.9', 'text/plain'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const server = await served({ title: 'Shop' })
    const { headers, text, status } = await server.get('/docs', accept === undefined ? {} : { Accept: accept })
    expect({ status, type: headers['content-type'], vary: headers.vary }).toEqual({
      status: 200,
      type: `${type}; charset=utf-8`,
      vary: 'Accept',
    })
    expect(text.startsWith('<!doctype html>')).toBe(type === 'text/html')
    expect(text).toContain('Shop')
  })

  test('HEAD and conditional requests', async () => {
    const server = await served()
    const { headers, text } = await server.get('/docs')
    const head = await server.send('HEAD', '/docs')
    expect({ status: head.status, text: head.text, length: head.headers['content-length'] }).toEqual({
      status: 200,
      text: '',
      length: String(Buffer.byteLength(text)),
    })
    const again = await server.get('/docs', { 'If-None-Match': String(headers.etag) })
    expect({ status: again.status, text: again.text, vary: again.headers.vary }).toEqual({
      status: 304,
      text: '',
      vary: 'Accept',
    })
  })

  test.each([
    ['POST', '/docs'],
    ['OPTIONS', '/docs/'],
    ['GET', '/docs/users'],
    ['GET', '/docs/ui/'],
    ['DELETE', '/docs/ui/'],
  ])('%s %s is left to others', async (method, path) => {
    const server = await serve((app) => {
      app.use('/docs', explorer(options), (_req, res) => {
        res.status(299).end()
      })
    })
    expect((await server.send(method, path)).status).toBe(299)
  })

  test('shows what comes later', async () => {
    const late = namedRoutes({ x: '/x', y: '/y' })
    const server = await serve((app) => app.use('/docs', explorer({ ...options, routes: late })))
    expect((await server.get('/docs')).text).not.toContain('/x')
    late.route('x').get(() => {})
    expect((await server.get('/docs')).text).toContain('/x')
  })
})

describe('where commands lead', () => {
  const originIn = (text: string) => / (https?:[^ ]*)\/users\/1</.exec(text)?.[1]

  test.each<[string, ExplorerOptions, Partial<VersioningOptions>, host: string | undefined, origin: string]>([
    ['the host of the request', {}, {}, 'shop.test:81', 'http://shop.test:81'],
    ['the option', { origin: 'https://a.test' }, {}, 'shop.test', 'https://a.test'],
    ["versioning()'s option", {}, { origin: 'https://b.test' }, 'shop.test', 'https://b.test'],
    ['its own before that', { origin: 'https://a.test/' }, { origin: 'https://b.test' }, 'x', 'https://a.test'],
    ['what a proxy takes off', {}, { publicPath: '/shop' }, 'shop.test', 'http://shop.test/shop'],
    ['nowhere, for a host that is none', {}, {}, `a'b"<c>`, 'http://localhost:3000'],
  ])('%s', async (_, given, more, host, origin) => {
    const server = await served(given, more)
    const { text } = await server.get('/docs', host === undefined ? {} : { Host: host })
    expect(originIn(text)).toBe(origin)
    expect(text).not.toContain('evil')
  })

  test('as Express reads it behind a proxy', async () => {
    const server = await served({}, {}, (app) => app.set('trust proxy', true))
    const { text, headers } = await server.get('/docs', {
      'X-Forwarded-Host': 'out.test',
      'X-Forwarded-Proto': 'https',
    })
    expect(originIn(text)).toBe('https://out.test')
    expect(headers.vary).toBe('X-Forwarded-Host, X-Forwarded-Proto, Accept')
    expect((await (await served({}, {})).get('/docs')).headers.vary).toBe('Accept')
    const odd = await server.get('/docs', { 'X-Forwarded-Proto': 'javascript' })
    expect(originIn(odd.text)).toBe('http://localhost:3000')
  })

  test('a failure that is no refusal is handed on', async () => {
    const server = await served({}, {}, (app) =>
      app.use((req, _res, next) => {
        Object.defineProperty(req, 'protocol', {
          get() {
            throw new Error('No protocol')
          },
        })
        next()
      }),
    )
    expect(await server.get('/docs')).toMatchObject({ status: 500, json: { error: 'No protocol' } })
  })
})

describe('"try it"', () => {
  test.each(['/docs', '/docs/'])('is linked from %s', async (path) => {
    const server = await served(withUi)
    expect((await server.get(path)).text).toContain('<nav><a href="/docs/ui/">Try it</a></nav>')
  })

  test.each([
    ['/a"b/docs', '/a%22b/docs/ui/'],
    ['/x&y/docs', '/x&amp;y/docs/ui/'],
    ["/<i>'/docs", "/%3Ci%3E'/docs/ui/"],
  ])('is linked from %s, which the client chose', async (path, link) => {
    const server = await serve((app) => app.use('/:tenant/docs', explorer(options, withUi)))
    expect((await server.get(path)).text).toContain(`<a href="${link}">`)
  })

  test('is linked where the explorer stands at the root, and behind a proxy', async () => {
    const root = await serve((app) => app.use(explorer(options, withUi)))
    expect((await root.get('/')).text).toContain('<a href="/ui/">')
    const shop = await serve((app) => app.use('/docs', explorer({ ...options, publicPath: '/shop' }, withUi)))
    expect((await shop.get('/docs')).text).toContain('<a href="/shop/docs/ui/">')
    expect((await shop.get('/docs/ui/')).text).toContain('<script src="/shop/docs/ui/initializer.js">')
  })

  const hosts = { scheme: HostNameVersioning }
  const UI_POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

  test('the files are those of the package, cached as files are', async () => {
    const server = await served(withUi)
    const { text, headers } = await server.get('/docs/ui/swagger-ui.css')
    expect(text).toBe(readFileSync(join(swaggerUi, 'swagger-ui.css'), 'utf8'))
    expect(headers['content-type']).toMatch(/^text\/css/)
    const again = await server.get('/docs/ui/swagger-ui.css', { 'If-None-Match': String(headers.etag) })
    expect(again.status).toBe(304)
  })

  test('the initializer names the documents, newest first', async () => {
    const server = await served(withUi)
    const { text, headers } = await server.get('/docs/ui/initializer.js')
    expect(headers['content-type']).toMatch(/javascript/)
    expect(JSON.parse(/urls: (.*),\n/.exec(text)?.[1] ?? '')).toEqual([
      { name: 'v2', url: '/openapi/v2.json' },
      { name: 'v1', url: '/openapi/v1.json' },
    ])
  })

  test.each<[string, ExplorerOptions, Partial<VersioningOptions>, origins: string]>([
    ['an origin', { origin: 'https://a.test:8443' }, {}, ' https://a.test:8443'],
    ["versioning()'s", {}, { origin: 'https://a.test' }, ' https://a.test'],
    ['hosts without a port', { origin: 'http://a.test' }, hosts, ' http://a.test http://v2.a.test http://v1.a.test'],
  ])('requests may go to %s', async (_, given, more, origins) => {
    const server = await served({ ...withUi, ...given }, more)
    const { headers } = await server.get('/docs/ui/')
    expect(headers['content-security-policy']).toBe(`${UI_POLICY}${origins}; ${POLICY}`)
  })

  test.each([
    '/docs/ui/package.json',
    '/docs/ui/index.html',
    '/docs/ui/..%2fpackage.json',
    '/docs/ui/../../package.json',
    '/docs/uix',
    '/docs/x/ui/swagger-ui.css',
  ])('%s is not there', async (path) => {
    const server = await served(withUi)
    expect((await server.get(path)).status).toBe(404)
  })

  test('a file that vanished is an error of the app, not of the process', async () => {
    const server = await serve((app) => {
      app.use('/docs', (_req, res, next) => {
        res.sendFile = ((_path: string, _options: object, done: (error: Error) => void) =>
          done(Object.assign(new Error('ENOENT'), { status: 404 }))) as never
        next()
      })
      app.use('/docs', explorer(options, withUi))
    })
    expect(await server.get('/docs/ui/swagger-ui.css')).toMatchObject({ status: 404, json: { error: 'ENOENT' } })
  })
})

describe('options', () => {
  const own = 'explorer(): '
  test.each<[string, unknown, message: string]>([
    ['a title that is no text', { title: 7 }, `${own}option "title" takes a text; got 7.`],
    ['an origin with a path', { origin: 'https://a.test/x' }, `${own}option "origin" takes an origin such as`],
    ['an origin that is no text', { origin: 7 }, `${own}option "origin" takes an origin such as`],
    ['documents elsewhere', { documents: 'https://a.test' }, `${own}option "documents" takes the path of openapi()`],
    ['documents that are no text', { documents: true }, `${own}option "documents" takes`],
    ['"try it" without documents', { swaggerUi }, `${own}option "swaggerUi" needs "documents"`],
    ['a folder without it', { documents: '/o', swaggerUi: __dirname }, `${own}option "swaggerUi" takes the folder of`],
    ['a relative folder', { documents: '/o', swaggerUi: 'node_modules/swagger-ui-dist' }, `${own}option "swaggerUi"`],
    [
      'the module itself',
      { documents: '/o', swaggerUi: { absolutePath: () => swaggerUi } },
      `${own}option "swaggerUi" takes`,
    ],
  ])('%s is a TypeError', (_, given, message) => {
    const make = () => explorer(options, given as ExplorerOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('undefined counts as left out', async () => {
    const given = { title: undefined, mount: undefined, origin: undefined, documents: undefined, swaggerUi: undefined }
    expect((await (await served(given)).get('/docs')).text).toContain('<h1>API</h1>')
  })
})
