import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Application, RequestHandler } from 'express'
import type { VersioningOptions } from 'express-versioning'
import { CombinedVersioning, HeaderVersioning, HostNameVersioning, URLPathVersioning } from 'express-versioning'
import { type ExplorerOptions, explorer } from 'express-versioning/explorer'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { table } from '../support/tables'

const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const routes = table({ user: '/users/:id' })
const options: VersioningOptions = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
const withUi = { documents: '/openapi', swaggerUi }
const POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const passed: RequestHandler = (_req, res) => void res.status(299).end()
/** Serves an explorer. Requests that it passes get 299. */
const served = (given?: ExplorerOptions, more: Partial<VersioningOptions> = {}, fill = (_app: Application) => {}) =>
  serve((app) => {
    fill(app)
    app.use('/docs', explorer({ ...options, ...more }, given), passed)
  })

test('Accept chooses the form of the page', async () => {
  const { get } = await served({ title: 'Shop' })
  for (const [accept = '', type, start = ''] of rows(`
    text/html,application/xhtml+xml,*/*;q=0.8 | text/html        | <!doctype html>
    image/png                                 | text/html        | <!doctype html>
    application/json, text/html;q=0.5         | application/json | {"title":"Shop",
    text/plain, application/json;q=0.9        | text/plain       | Shop
  `)) {
    const { status, headers, text } = await get('/docs', { Accept: accept })
    const policy = String(headers['content-security-policy']).replace(/sha256-[\w+/]+=/, 'x')
    expect([status, text.slice(0, start.length), policy]).toEqual([
      200,
      start,
      `default-src 'none'; style-src 'x'; ${POLICY}`,
    ])
    const fields = { vary: 'Accept', 'x-content-type-options': 'nosniff', 'content-type': `${type}; charset=utf-8` }
    expect(headers).toMatchObject(fields)
  }
})

test('HEAD and conditional requests are responded to; others pass', async () => {
  const { get, send } = await served(withUi)
  const { headers, text } = await get('/docs')
  expect(text).toContain('<h1>API</h1>')
  const length = String(Buffer.byteLength(text))
  expect(await send('HEAD', '/docs')).toMatchObject({ status: 200, text: '', headers: { 'content-length': length } })
  expect((await get('/docs', { 'If-None-Match': String(headers.etag) })).status).toBe(304)
  const others = 'POST /docs, GET /docs/users, DELETE /docs/ui/, GET /docs/uix, GET /docs/ui/package.json'
  for (const line of [...others.split(', '), 'GET /docs/ui/..%2fpackage.json', 'GET /docs/ui/../x/ui/swagger-ui.css']) {
    const [method = '', path = ''] = line.split(' ')
    expect([line, (await send(method, path)).status]).toEqual([line, 299])
  }
  expect((await (await served()).get('/docs/ui/')).status).toBe(299)
})

const byPath = new CombinedVersioning({
  schemes: [new URLPathVersioning(), new HeaderVersioning()],
  allowedVersions: ['v1'],
})
test.each<[shown: string, path: string, ExplorerOptions, ...commands: string[]]>([
  ['the first carrier', '/:version/x{/:id}{/more}', {}, 'curl http://a.test/v1/x/more'],
  [
    'all carriers',
    '{/:version}/x{/:id}{/more}',
    { addresses: 'all' },
    'curl http://a.test/v1/x/more',
    "curl -H 'X-API-Version: v1' http://a.test/x/more",
  ],
])('an operation is one row, with the command of %s', async (_, path, given, ...commands) => {
  const { get } = await served(
    { origin: 'http://a.test', ...given },
    { allowedVersions: undefined, scheme: byPath, routes: table({ x: '{/:version}/x{/:id}{/more}' }) },
  )
  const { routes } = (await get('/docs', { Accept: 'application/json' })).json as { routes: object[] }
  const versions = [{ version: 'v1', exists: true, curl: commands.join('\n') }]
  expect(routes).toEqual([{ method: 'GET', name: 'x', path, group: '', versions }])
  const { text } = await get('/docs')
  expect(text.match(/(?<=<code>)[^<]*/g)?.map((command) => command.replaceAll('&#39;', "'"))).toEqual(commands)
})

const originIn = (text: string) => / (https?:[^ ]*)\/users\/1</.exec(text)?.[1]
const a = 'https://a.test:8443'
const [ofA, byHost] = [{ origin: a }, { scheme: HostNameVersioning, origin: 'http://b.test' }]
test.each<[what: string, ExplorerOptions, Partial<VersioningOptions>, Host: string, origin: string, hosts: string]>([
  ['the host of the request', {}, {}, 'shop.test:81', 'http://shop.test:81', ''],
  ['the option', ofA, {}, 'shop.test', a, ` ${a}`],
  ["versioning()'s option", {}, ofA, 'shop.test', a, ` ${a}`],
  ['its own before that', { origin: 'https://a.test/' }, ofA, 'x', 'https://a.test', ' https://a.test'],
  ['the path with the part that a proxy takes off', {}, { publicPath: '/shop' }, 'a.test', 'http://a.test/shop', ''],
  ['hosts of versions', {}, byHost, 'x', 'http://b.test', ' http://b.test http://v2.b.test http://v1.b.test'],
])('commands and "try it" lead to %s', async (_, given, more, Host, origin, hosts) => {
  const { get } = await served({ ...withUi, ...given }, more)
  expect(originIn((await get('/docs', { Host })).text)).toBe(origin)
  const own = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
  expect((await get('/docs/ui/')).headers).toMatchObject({
    'content-security-policy': `${own}; connect-src 'self'${hosts}; ${POLICY}`,
    'x-content-type-options': 'nosniff',
  })
})

test('commands lead to the host that Express reads behind a proxy', async () => {
  const { get } = await served({}, {}, (app) => app.set('trust proxy', true))
  const { text, headers } = await get('/docs', { 'X-Forwarded-Host': 'out.test', 'X-Forwarded-Proto': 'https' })
  expect([originIn(text), headers.vary]).toEqual(['https://out.test', 'X-Forwarded-Host, X-Forwarded-Proto, Accept'])
  expect(originIn((await get('/docs', { 'X-Forwarded-Proto': 'javascript' })).text)).toBe('http://localhost:3000')
})

test.each<[string, path: string, at: string, link: string, Partial<VersioningOptions>?]>([
  ['the page', '/docs', '/docs', '/docs/ui/'],
  ['the root', '/', '/', '/ui/'],
  ['a page behind a proxy', '/docs/', '/docs', '/shop/docs/ui/', { publicPath: '/shop' }],
  ['a path that the client chose', `/a"<i>'/docs`, '/:tenant/docs', "/a%22%3Ci%3E'/docs/ui/"],
])('"try it" is linked from %s', async (_, path, at, link, more = {}) => {
  const { get } = await serve((app) => app.use(at, explorer({ ...options, ...more }, withUi)))
  expect((await get(path)).text).toContain(`<nav><a href="${link}">Try it</a></nav>`)
  expect((await get(`${path.replace(/\/$/, '')}/ui/`)).text).toContain(`<script src="${link}initializer.js">`)
})

test('"try it" has the files of the package and an initializer with the documents, newest first', async () => {
  const { get } = await served(withUi)
  const [file, initializer] = [await get('/docs/ui/swagger-ui.css'), await get('/docs/ui/initializer.js')]
  expect(file.text).toBe(readFileSync(join(swaggerUi, 'swagger-ui.css'), 'utf8'))
  const types = [file, initializer].map(({ headers }) => headers['content-type'])
  expect(types).toEqual([expect.stringMatching(/^text\/css/), expect.stringMatching(/javascript/)])
  const urls = '[{"name":"v2","url":"/openapi/v2.json"},{"name":"v1","url":"/openapi/v1.json"}]'
  expect(initializer.text).toContain(`urls: ${urls},\n`)
})

test('failures are errors of the app: of the request, and of a file that vanished', async () => {
  const fails = () => JSON.parse('No proxy')
  const sendFile = (_path: string, _options: object, done: (error: Error) => void) => done(new Error('ENOENT'))
  const fill = (app: Application) =>
    void app.set('trust proxy', fails).use((_req, res, next) => next(void Object.assign(res, { sendFile })))
  const { get } = await served(withUi, {}, fill)
  expect(await get('/docs')).toMatchObject({ status: 500, json: { name: 'SyntaxError' } })
  expect(await get('/docs/ui/swagger-ui.css')).toMatchObject({ status: 500, json: { error: 'ENOENT' } })
})

const FOLDER = "the folder of swagger-ui-dist, require('swagger-ui-dist').absolutePath()"
const ORIGIN = "an origin such as 'https://api.example.com'"
const DOCUMENTS = "the path of openapi(), such as '/openapi'"
test.each<[given: object, message: string]>([
  [{ title: 7 }, 'option "title" takes a string; got 7.'],
  [{ origin: 'https://a.test/x' }, `option "origin" takes ${ORIGIN}; got 'https://a.test/x'.`],
  [{ origin: 7 }, `option "origin" takes ${ORIGIN}; got 7.`],
  [{ documents: 'https://a.test' }, `option "documents" takes ${DOCUMENTS}; got 'https://a.test'.`],
  [{ documents: true }, `option "documents" takes ${DOCUMENTS}; got true.`],
  [{ swaggerUi }, 'option "swaggerUi" needs "documents", the path of openapi().'],
  [{ documents: '/o', swaggerUi: __dirname }, `option "swaggerUi" takes ${FOLDER}; got '${__dirname}'.`],
  [{ documents: '/o', swaggerUi: 'a/b' }, `option "swaggerUi" takes ${FOLDER}; got 'a/b'.`],
])('%j is a TypeError', (given, message) => {
  expect(() => explorer(options, given)).toThrow(new TypeError(`explorer(): ${message}`))
})
