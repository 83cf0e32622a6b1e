import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import { type BaseVersioning, versioning } from 'express-versioning'
import PlainRouter from 'router'
import { requestAuthority } from '../../src/http/host'
import { rows } from '../support/rows'
import { accept, combined, header, host, query, vendor } from '../support/schemes'
import { type Served, serve } from '../support/serve'

// Schemes on a server of Express: its parameters, its negotiation, header lines as Node hands them on, and hosts.

const tell: RequestHandler = (req, res) => void res.json(req.version)
const json = async (server: Served, path: string, headers?: Record<string, string>) =>
  (await server.get(path, headers)).json
const LISTED = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }
const close = 'Connection: close\r\n\r\n'
const body = (response: string): string => response.slice(response.indexOf('\r\n\r\n') + 4)
const by = (scheme: BaseVersioning) => versioning({ scheme })
test.each([false, 'extended'])('the query is read raw, with the query parser %p', async (parser) => {
  const server = await serve((app) => app.set('query parser', parser).use(by(query()), tell))
  expect(await json(server, '/?version[]=v2&version=v1')).toBe('v1')
})

test.each<[scheme: BaseVersioning, response: unknown, ...lines: string[]]>([
  [header(LISTED), '"v2"', 'X-API-Version: v2', 'x-api-version: v2', 'X-Api-Version: v2'],
  [header(), expect.stringContaining('"name":"NotAcceptable"'), 'X-API-Version: v1', 'X-API-Version: v2'],
  [accept(), '"2"', 'Accept: a/b;q=0.5;version=1', 'Accept: c/d;version=2'],
  [vendor('a/{version}+json'), '"v2"', 'Accept: text/html', 'Accept: a/v2+json'],
])('header lines: %#: %p: %p', async (scheme, response, ...lines) => {
  const { raw } = await serve((app) => app.use(by(scheme), tell))
  expect(body(await raw(['GET / HTTP/1.1', 'Host: x', ...lines, close].join('\r\n')))).toEqual(response)
})

// Express's own negotiation goes on working.

const format: RequestHandler = (_req, res) =>
  void res.format({ json: () => void res.json('json'), html: () => void res.send('<p>html</p>') })
const v = by(accept({ allowedVersions: ['1', '2'], defaultVersion: '1' }))
const templates = ['application/vnd.acme.{version}+json', 'application/vnd.acme.{version}+xml', 'text/x.{version}']
test('requests without the Accept scheme get 406 for a version, in the same app; behind it they do not', async () => {
  const other = by(query())
  const server = await serve((app) =>
    app.use('/v', v, format).use('/inner', v, other, format).use('/query', other, format).use(format),
  )
  const html = await server.get('/v', { Accept: 'application/json;version=1;q=0.5, text/html;version=2' })
  expect([html.text, html.headers.vary]).toEqual(['<p>html</p>', 'Accept'])
  const statuses = { '/v': 200, '/inner': 200, '/query': 406, '/bare': 406 }
  for (const [path, status] of Object.entries(statuses))
    expect((await server.get(path, { Accept: 'application/json; version=1' })).status).toBe(status)
})

test('req.accepts in all its forms, and the header as the client sent it', async () => {
  const server = await serve((app) => {
    app.use(v, (req, res) => {
      const forms = [req.accepts('json'), req.accepts(['html', 'json']), req.accepts('html', 'json'), req.accepts()]
      res.json([...forms, req.headers.accept, req.rawHeaders.includes(String(req.get('accept')))])
    })
  })
  const Accept = 'application/json; version=1, text/html;q=0.5;version="2"'
  const all = ['application/json', 'text/html']
  expect(await json(server, '/', { Accept })).toEqual(['json', 'json', 'json', all, Accept, true])
  expect(((await json(server, '/')) as unknown[]).slice(0, 2)).toEqual(['json', 'html'])
})

// `vnd.v2` stands for the whole type.
const whole = (text = '') => text.replace(/vnd\.(v\d)/g, 'application/vnd.acme.$1+json')
const NEGOTIATED = rows(`
  vnd.v2                          | vnd.v2, application/json;q=1
  vnd.v2;q=0.0001;a=b, text/html  | vnd.v2;q=0.0001;a=b, application/json;q=0.0001, text/html
  vnd.v1;q=0.1, vnd.v2;q=0.9      | vnd.v1;q=0.1, application/json;q=0.1, vnd.v2;q=0.9, application/json;q=0.9
  // The client names the plain type itself, or does not accept the other one, or the other one has no suffix.
  application/json;q=0, vnd.v2    | application/json;q=0, vnd.v2
  vnd.v2;q=0, */*                 | vnd.v2;q=0, */*
  text/x.v2, application/a+json   | text/x.v2, application/a+json
  application/vnd.acme.v2+xml     | application/vnd.acme.v2+xml, application/xml;q=1`)
test.each(NEGOTIATED)('behind a vendor type, it negotiates %s as %s', (header, seen) => {
  expect(vendor(templates).negotiableAccept(whole(header))).toBe(whole(seen))
})

test('behind a combination it sees what each of the schemes lets it see', async () => {
  const type = whole('vnd.v1')
  const accepted: RequestHandler = (req, res) => void res.json([req.version, req.accepts('json'), req.accepts(type)])
  const server = await serve((app) => app.use(by(combined([accept(), vendor(templates)])), accepted))
  expect(await json(server, '/', { Accept: 'application/json; version=v1' })).toEqual(['v1', 'json', false])
  expect(await json(server, '/', { Accept: `${type}; version=v1` })).toEqual(['v1', 'json', type])
})

const standard = by(host({ defaultVersion: 'standard' }))

// A request that names two hosts is rejected (RFC 9112, section 3.2).

const AMBIGUOUS = '{"error":"Ambiguous host in request.","code":"ERR_VERSION_HOST","name":"VersioningError"}'

const preflight = 'Origin: https://shop.example, Access-Control-Request-Method: GET'
const TARGETS = rows(`
  // target | its lines | the version
  /                           | Host: v1.example.com, hOST: v1.example.com | 400
  /                           | Host: v1.example.com, ${'C: d, '.repeat(500)}Host: x | 400
  /                           | Host:, Host: v1.example.com | 400
  /                           | Host: | standard
  /                           | X-Host: v2, Host: v1.example.com, Hos: t, Tsoh: 1, A: host | v1
  // A target in absolute form
  http://v2.example.com?x=1   | Host: v1.example.com | 400
  http://v1.example.com/      | Host: | 400
  // Userinfo in a request is an error (RFC 9110, section 4.2.4).
  http://me@v1.example.com/   | Host: v1.example.com | 400
  http://V1.Example.com/      | Host: v1.eXample.com | v1
  /http://v2.example.com/     | Host: v1.example.com | v1
  // and its port
  http://v1.example.com:8080/ | Host: v1.example.com | 400
  ftp://v1.example.com:80/    | Host: v1.example.com | 400
  http://v1.example.com:80/   | Host: v1.example.com: | v1
  https://v1.example.com:/    | Host: v1.example.com | v1
  https://v1.example.com/     | Host: v1.example.com:443 | v1
  ftp://v1.example.com:/      | Host: v1.example.com | v1
  http://v1.example.com:8080/ | Host: v1.example.com:8080 | v1
  // In a combination, but by no other scheme, and never as a preflight
  /both                       | Host: v1.example.com, Host: v2.example.com, X-API-Version: v2 | 400
  /header                     | Host: v1.example.com, Host: v2.example.com, X-API-Version: v3 | v3
  OPTIONS /                   | Host: v1.example.com, Host: x, ${preflight} | null
  // HTTP/1.0 needs no Host.
  / HTTP/1.0                  | A: b | standard
  http://v1.example.com/ HTTP/1.0 | A: b | 400`)
test.each(TARGETS)('%s, %s: %s', async (start = '', lines = '', version) => {
  const [, method = 'GET', target, protocol = 'HTTP/1.1'] = /^(?:([A-Z]+) )?(\S+)(?: (\S+))?$/.exec(start) ?? []
  const told = version === 'null' ? 'null' : JSON.stringify(version)
  const rewrite: RequestHandler = (req, _res, next) => next(void Object.assign(req, { url: '/elsewhere' }))
  const both = by(combined([host(), header()], LISTED))
  for (const trust of [false, true]) {
    const { raw } = await serve((app) => {
      app.set('trust proxy', trust).use('/header', by(header()), tell).use('/both', both, tell)
      app.use(rewrite, standard, tell)
    })
    const response = await raw([`${method} ${target} ${protocol}`, ...lines.split(', '), close].join('\r\n'))
    expect(`${response.slice(9, 12)} ${body(response)}`).toBe(version === '400' ? `400 ${AMBIGUOUS}` : `200 ${told}`)
  }
})

test('the error tells which versions there are', async () => {
  const scheme = host({ allowedVersions: ['v1'] })
  const read = (url: string, headers: object) => scheme.readVersion({ url, headers } as never)
  const error = { status: 400, code: 'ERR_VERSION_HOST', allowedVersions: ['v1'], version: undefined }
  const evil = () => read('http://evil.example.com/', { host: 'v1.example.com' })
  expect(evil).toThrow(expect.objectContaining(error))
  // A request that was made by hand has no raw headers.
  expect(read('http://v1.example.com/', { ':authority': 'v1.example.com' })).toBe('v1')
})

test.each<[version: string, trust: unknown, forwarded: string | undefined, authority: string]>([
  ['v1', '10.0.0.0/8', 'v2.example.com', 'v1.example.com'],
  ['v2', 'loopback', 'v2.example.com', 'v2.example.com'],
  ['v1', true, undefined, 'v1.example.com'],
  ['v1', true, '', 'v1.example.com'],
  ['v2', true, 'v2.example.com:80 , v3.example.com', 'v2.example.com:80'],
  ['standard', true, '[::1]:80', '[::1]:80'],
])('%p: X-Forwarded-Host counts as trust proxy %j says, and then Vary names it', async (version, trust, ...names) => {
  const [forwarded, authority] = names
  const more: Record<string, string> = forwarded === undefined ? {} : { 'X-Forwarded-Host': forwarded }
  const both: RequestHandler = (req, res) => void res.json([req.version, requestAuthority(req)])
  const server = await serve((app) => app.set('trust proxy', trust).use(standard, both))
  const { json, headers } = await server.get('/', { Host: 'v1.example.com', ...more })
  const vary = trust === '10.0.0.0/8' ? undefined : 'X-Forwarded-Host'
  expect([json, headers.vary]).toEqual([[version, authority], vary])
})

test.each([
  [{ ':authority': 'v1.example.com:8443' }, 'v1'],
  [{ ':authority': 'V2.example.com:80', host: 'v2.Example.com' }, 'v2'],
  [{ ':authority': undefined, host: 'v3.example.com' }, 'v3'],
  [{ ':authority': 'v1.example.com', host: 'v2.example.com' }, 'Ambiguous host in request.'],
])(
  'behind plain router on HTTP/2, the authority is the host, and no proxy is trusted: %j',
  async (headers, response) => {
    const router = PlainRouter()
    router.use(standard as never)
    router.get('/', (req, res) => void res.end((req as { version?: string }).version))
    const failed = (res: { end(text: string): unknown }) => (error: unknown) => res.end((error as Error).message)
    const server = createHttp2Server((req, res) => router(req as never, res as never, failed(res)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const fixed = { ':path': '/', 'x-forwarded-host': 'v9.example.com' }
    const stream = session.request({ ...fixed, ...headers }).setEncoding('utf8')
    expect((await stream.toArray()).join('')).toBe(response)
    session.close()
    server.close()
  },
)
