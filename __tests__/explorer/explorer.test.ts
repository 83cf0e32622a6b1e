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
import { rows } from '../support/rows'
import { serve } from '../support/serve'

const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const routes = namedRoutes({ user: '/users/:id' })
routes.route('user').get((_req, res) => void res.end())
const options: VersioningOptions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
const withUi = { documents: '/openapi', swaggerUi }
const POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves an explorer at `/docs`, and the API behind it. Requests that the explorer passes are answered with 299. */
const served = (
  given: ExplorerOptions = {},
  more: Partial<VersioningOptions> = {},
  fill: (app: Application) => void = () => {},
) =>
  serve((app) => {
    fill(app)
    app.use('/docs', explorer({ ...options, ...more }, given), (_req, res) => void res.status(299).end())
    app.use('/api', versioning({ ...options, ...more }), routes)
  })

test('Accept chooses the form of the page', async () => {
  const { get } = await served({ title: 'Shop' })
  const starts: Record<string, string> = { html: '<!doctype html>', json: '{"title":"Shop",', plain: 'Shop\n' }
  for (const [accept = '', type = ''] of rows(`
    -                                            | text/html
    */*                                          | text/html
    text/html,application/xhtml+xml,*/*;q=0.8    | text/html
    image/png                                    | text/html
    application/json                             | application/json
    application/json, text/html;q=0.5            | application/json
    text/plain                                   | text/plain
    text/plain, application/json;q=0.9           | text/plain
  `)) {
    const { status, headers, text } = await get('/docs', accept === '-' ? {} : { Accept: accept })
    expect([accept, status, headers['content-type']]).toEqual([accept, 200, `${type}; charset=utf-8`])
    expect(text.startsWith(starts[type.replace(/.*\//, '')] as string)).toBe(true)
    expect(headers).toMatchObject({ vary: 'Accept', 'x-content-type-options': 'nosniff' })
    const policy = String(headers['content-security-policy'])
    expect(policy.replace(/sha256-[\w+/]+=/, 'x')).toBe(`default-src 'none'; style-src 'x'; ${POLICY}`)
  }
})

test('HEAD and conditional requests are answered; others pass', async () => {
  const { get, send } = await served(withUi)
  const { headers, text } = await get('/docs')
  const length = String(Buffer.byteLength(text))
  expect(await send('HEAD', '/docs')).toMatchObject({ status: 200, text: '', headers: { 'content-length': length } })
  const again = await get('/docs', { 'If-None-Match': String(headers.etag) })
  expect(again).toMatchObject({ status: 304, text: '', headers: { vary: 'Accept' } })
  const others = ['POST /docs', 'OPTIONS /docs/', 'GET /docs/users', 'DELETE /docs/ui/', 'GET /docs/uix']
  const files = ['package.json', 'index.html', '..%2fpackage.json', '../../package.json', '../x/ui/swagger-ui.css']
  for (const line of [...others, ...files.map((file) => `GET /docs/ui/${file}`)]) {
    const [method = '', path = ''] = line.split(' ')
    expect([line, (await send(method, path)).status]).toEqual([line, 299])
  }
  expect((await (await served()).get('/docs/ui/')).status).toBe(299)
})

test('routes that are added later are shown', async () => {
  const late = namedRoutes({ x: '/x', y: '/y' })
  const { get } = await serve((app) => app.use('/docs', explorer({ ...options, routes: late })))
  const { text } = await get('/docs')
  expect([text.includes('<h1>API</h1>'), text.includes('/x')]).toEqual([true, false])
  late.route('x').get(() => {})
  expect((await get('/docs')).text).toContain('/x')
})

describe('commands lead to', () => {
  const originIn = (text: string) => / (https?:[^ ]*)\/users\/1</.exec(text)?.[1]

  test.each<[string, ExplorerOptions, Partial<VersioningOptions>, host: string, origin: string]>([
    ['the host of the request', {}, {}, 'shop.test:81', 'http://shop.test:81'],
    ['the option', { origin: 'https://a.test' }, {}, 'shop.test', 'https://a.test'],
    ["versioning()'s option", {}, { origin: 'https://b.test' }, 'shop.test', 'https://b.test'],
    ['its own before that', { origin: 'https://a.test/' }, { origin: 'https://b.test' }, 'x', 'https://a.test'],
    ['the path with the part that a proxy takes off', {}, { publicPath: '/shop' }, 'a.test', 'http://a.test/shop'],
    ['this machine, for a malformed host', {}, {}, `a'b"<c>`, 'http://localhost:3000'],
  ])('%s', async (_, given, more, host, origin) => {
    expect(originIn((await (await served(given, more)).get('/docs', { Host: host })).text)).toBe(origin)
  })

  test('the host that Express reads behind a proxy', async () => {
    const { get } = await served({}, {}, (app) => app.set('trust proxy', true))
    const forwarded = { 'X-Forwarded-Host': 'out.test', 'X-Forwarded-Proto': 'https' }
    const { text, headers } = await get('/docs', forwarded)
    expect([originIn(text), headers.vary]).toEqual(['https://out.test', 'X-Forwarded-Host, X-Forwarded-Proto, Accept'])
    expect(originIn((await get('/docs', { 'X-Forwarded-Proto': 'javascript' })).text)).toBe('http://localhost:3000')
  })

  test('nothing if the request fails otherwise: the error is handed on', async () => {
    const get = () => {
      throw new Error('No protocol')
    }
    const server = await served({}, {}, (app) =>
      app.use((req, _res, next) => next(void Object.defineProperty(req, 'protocol', { get }))),
    )
    expect(await server.get('/docs')).toMatchObject({ status: 500, json: { error: 'No protocol' } })
  })
})

describe('"try it"', () => {
  test.each<[string, path: string, at: string, link: string, Partial<VersioningOptions>?]>([
    ['the page', '/docs', '/docs', '/docs/ui/'],
    ['the page with a slash', '/docs/', '/docs', '/docs/ui/'],
    ['the root', '/', '/', '/ui/'],
    ['a page behind a proxy', '/docs', '/docs', '/shop/docs/ui/', { publicPath: '/shop' }],
    ['a path that the client chose', '/a"b/docs', '/:tenant/docs', '/a%22b/docs/ui/'],
    ['a path with markup', "/<i>'/docs", '/:tenant/docs', "/%3Ci%3E'/docs/ui/"],
  ])('is linked from %s', async (_, path, at, link, more = {}) => {
    const { get } = await serve((app) => app.use(at, explorer({ ...options, ...more }, withUi)))
    expect((await get(path)).text).toContain(`<nav><a href="${link}">Try it</a></nav>`)
    expect((await get(`${path.replace(/\/$/, '')}/ui/`)).text).toContain(`<script src="${link}initializer.js">`)
  })

  test('has the files of the package, cached as files are, and an initializer with the documents, newest first', async () => {
    const { get } = await served(withUi)
    const { text, headers } = await get('/docs/ui/swagger-ui.css')
    expect(text).toBe(readFileSync(join(swaggerUi, 'swagger-ui.css'), 'utf8'))
    expect(headers['content-type']).toMatch(/^text\/css/)
    expect((await get('/docs/ui/swagger-ui.css', { 'If-None-Match': String(headers.etag) })).status).toBe(304)
    const initializer = await get('/docs/ui/initializer.js')
    expect(initializer.headers['content-type']).toMatch(/javascript/)
    expect(JSON.parse(/urls: (.*),\n/.exec(initializer.text)?.[1] ?? '')).toEqual([
      { name: 'v2', url: '/openapi/v2.json' },
      { name: 'v1', url: '/openapi/v1.json' },
    ])
  })

  const hosts = { scheme: HostNameVersioning }
  test.each<[string, ExplorerOptions, Partial<VersioningOptions>, origins: string]>([
    ['this host', {}, {}, ''],
    ['an origin', { origin: 'https://a.test:8443' }, {}, ' https://a.test:8443'],
    ["versioning()'s", {}, { origin: 'https://a.test' }, ' https://a.test'],
    ['hosts without a port', { origin: 'http://a.test' }, hosts, ' http://a.test http://v2.a.test http://v1.a.test'],
  ])('may send requests to %s', async (_, given, more, origins) => {
    const { headers } = await (await served({ ...withUi, ...given }, more)).get('/docs/ui/')
    const own = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    expect(headers).toMatchObject({
      'content-security-policy': `${own}; connect-src 'self'${origins}; ${POLICY}`,
      'x-content-type-options': 'nosniff',
    })
  })

  test('hands a vanished file on as an error of the app', async () => {
    const { get } = await served(withUi, {}, (app) =>
      app.use('/docs', (_req, res, next) => {
        const gone = Object.assign(new Error('ENOENT'), { status: 404 })
        res.sendFile = ((_path: string, _options: object, done: (error: Error) => void) => done(gone)) as never
        next()
      }),
    )
    expect(await get('/docs/ui/swagger-ui.css')).toMatchObject({ status: 404, json: { error: 'ENOENT' } })
  })
})

const [FOLDER, ORIGIN, DOCUMENTS] = [
  "the folder of swagger-ui-dist, require('swagger-ui-dist').absolutePath()",
  "an origin such as 'https://api.example.com'",
  "the path of openapi(), such as '/openapi'",
]
test.each<[given: object, message: string]>([
  [{ title: 7 }, 'option "title" takes a text; got 7.'],
  [{ origin: 'https://a.test/x' }, `option "origin" takes ${ORIGIN}; got 'https://a.test/x'.`],
  [{ origin: 7 }, `option "origin" takes ${ORIGIN}; got 7.`],
  [{ documents: 'https://a.test' }, `option "documents" takes ${DOCUMENTS}; got 'https://a.test'.`],
  [{ documents: true }, `option "documents" takes ${DOCUMENTS}; got true.`],
  [{ swaggerUi }, 'option "swaggerUi" needs "documents", the path of openapi().'],
  [{ documents: '/o', swaggerUi: __dirname }, `option "swaggerUi" takes ${FOLDER}; got '${__dirname}'.`],
  [{ documents: '/o', swaggerUi: 'a/b' }, `option "swaggerUi" takes ${FOLDER}; got 'a/b'.`],
  [{ documents: '/o', swaggerUi: 7 }, `option "swaggerUi" takes ${FOLDER}; got 7.`],
])('%j is a TypeError', (given, message) => {
  expect(() => explorer(options, given)).toThrow(new TypeError(`explorer(): ${message}`))
})
