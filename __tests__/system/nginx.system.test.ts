import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import express, { type Application } from 'express'
import * as library from 'express-versioning'
import { blocks, page as pageOf } from '../support/readme'
import { type Answer, at, jsonErrors, listen, type Served } from '../support/serve'
import { binary } from './support/debian'

// nginx as docs/caching.md configures it, in front of examples/server.ts and of an app with the other schemes.

const { CombinedVersioning, HeaderVersioning, HostNameVersioning, MediaTypeVersioning, namedRoutes } = library
const { problemDetails, QueryParameterVersioning, versioning } = library
const [page = ''] = blocks('nginx', pageOf('docs/caching.md'))

let nginx: string
beforeAll(() => {
  nginx = binary('nginx')
}, 600_000)

/** Returns the app of examples/server.ts, which sets no Cache-Control. */
function exampleServer(): Application {
  const started: Application[] = []
  jest.isolateModules(() => {
    const start = (app: Application) => started.push(app)
    jest.doMock('../../examples/support', () => ({ ...jest.requireActual('../../examples/support'), start }))
    require('../../examples/server')
  })
  return started[0] as Application
}

/** Returns an app of the other schemes, whose answers say that they may be kept. */
function otherSchemes(): Application {
  const shared = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const template = 'application/vnd.shop.{version}+json'
  const users = namedRoutes({ user: '/users/:id', long: '/long', star: '/star' })
  users.route('user').get((req, res) => {
    res.json({ version: req.version, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
  })
  users.route('long').get((_req, res) => void res.vary(`X-${'a'.repeat(128)}`).json({}))
  users.route('star').get((_req, res) => void res.vary('*').json({}))
  const schemes = [new HeaderVersioning(), new MediaTypeVersioning({ template }), new QueryParameterVersioning()]
  const lifecycle = { v1: { sunset: '2020-01-01', afterSunset: 'gone', successor: 'v2' } } as const
  const options: Record<string, Omit<library.VersioningOptions, 'routes'>> = {
    header: { ...shared, scheme: HeaderVersioning },
    'media-type': { scheme: new MediaTypeVersioning({ ...shared, template }) },
    forwarded: { ...shared, scheme: HostNameVersioning },
    combined: { scheme: new CombinedVersioning({ ...shared, schemes }) },
    gone: { ...shared, defaultVersion: 'v2', lifecycle, reportVersions: true, scheme: HeaderVersioning },
  }
  const app = express().set('trust proxy', true)
  app.use((_req, res, next) => {
    res.set('Cache-Control', 'public, max-age=60')
    next()
  })
  for (const [path, own] of Object.entries(options)) app.use(`/${path}`, versioning({ ...own, routes: users }), users)
  return app.use('/gone', problemDetails()).use(jsonErrors)
}

type Ask = { path: string; headers?: Record<string, string> }
type App = () => Application
/** An app and the requests of one scheme: for each version, an unknown one and no version. Each is a different client. */
type Group = [scheme: string, app: App, asks: readonly Ask[]]

const inHeader = (path: string, name: string, values: readonly string[]): Ask[] => [
  { path },
  ...values.map((value) => ({ path, headers: { [name]: value } })),
]
const inPath = (...paths: readonly string[]): Ask[] => paths.map((path) => ({ path }))

const versions = ['v1', 'v2', 'v9']
const accepts = [...versions.map((version) => `application/json; version=${version}`), 'image/png; version=v2']
const vendor = versions.map((version) => `application/vnd.shop.${version}+json`)
const hosts = versions.map((version) => `${version}.example.com`)
const [accept, header, combined] = ['/accept/books/1', '/header/users/7', '/combined/users/7']
const [asVendor, key] = [{ Accept: vendor[1] as string }, { 'X-API-Version': 'v1' }]

const examples: Record<string, readonly Ask[]> = {
  AcceptHeaderVersioning: inHeader(accept, 'Accept', accepts),
  URLPathVersioning: inPath('/path/', '/path/v1/books/1', '/path/v2/books/1', '/path/v9/books/1'),
  NamespaceVersioning: inPath('/namespace/', ...['v1', 'v2', 'v3'].map((name) => `/namespace/${name}/books/1`)),
  HostNameVersioning: inHeader('/host/books/1', 'Host', hosts),
  QueryParameterVersioning: inPath('/query/books', ...versions.map((version) => `/query/books?version=${version}`)),
}
const others: Record<string, readonly Ask[]> = {
  HeaderVersioning: inHeader(header, 'X-API-Version', versions),
  MediaTypeVersioning: inHeader('/media-type/users/7', 'Accept', vendor),
  'HostNameVersioning behind a trusted proxy': inHeader('/forwarded/users/7', 'X-Forwarded-Host', hosts),
  CombinedVersioning: [
    ...inHeader(combined, 'X-API-Version', ['v1', 'v9']),
    { path: combined, headers: asVendor },
    { path: `${combined}?version=v2` },
    { path: combined, headers: { ...asVendor, ...key } },
    { path: `${combined}?version=v2`, headers: key },
  ],
  'HeaderVersioning with a version that is gone': inHeader('/gone/users/7', 'X-API-Version', versions),
}
const groupsOf = (app: App, all: typeof others) =>
  Object.entries(all).map(([scheme, asks]): Group => [scheme, app, asks])
const groups = [...groupsOf(exampleServer, examples), ...groupsOf(otherSchemes, others)]

/** Returns every order of a few requests, or of many requests the orders that begin with each pair. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  const without = (...some: T[]) => items.filter((item) => !some.includes(item))
  if (items.length <= 4) return items.flatMap((one) => orders(without(one)).map((rest) => [one, ...rest]))
  return items.flatMap((one) => without(one).map((other) => [one, other, ...without(one, other)]))
}

/** Returns the parts of an answer that show its version to a client. */
function seen({ status, text, headers }: Answer) {
  return { status, text, type: headers['content-type'], vary: headers.vary, etag: headers.etag }
}

const ask = (server: Served, { path, headers }: Ask) => server.get(path, headers)

/** Returns the same request in a form that no cache has an answer for. */
function anew({ path, ...rest }: Ask, order: number): Ask {
  return { path: `${path}${path.includes('?') ? '&' : '?'}order=${order}`, ...rest }
}

/** Replaces a text that must occur exactly once. */
function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, () => to)
}

const stopped: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stopped.splice(0)) await stop()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Starts an app, and nginx in front of it in its own folder, with an empty cache and without root. */
async function behindNginx(app: App, configuration = page): Promise<{ server: Served; proxy: Served }> {
  const server = await listen(app())
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-nginx-'))
  const port = await freePort()
  const { stderr: built } = spawnSync(nginx, ['-V'], { encoding: 'utf8' })
  const modules = ['fastcgi', 'proxy', 'scgi', 'uwsgi'].filter((name) => !built.includes(`--without-http_${name}_`))
  const places = ['client_body', ...modules].map((name) => `${name}_temp_path ${folder}/${name};`)
  let http = replaced(configuration, '/var/cache/nginx/api', `${folder}/cache`)
  http = replaced(http, 'listen 80;', `listen 127.0.0.1:${port};`)
  http = replaced(http, 'http://127.0.0.1:3000;', `${server.origin};`)
  const main = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error;
    ${process.getuid?.() === 0 ? 'user root;' : ''} events { worker_connections 256; }`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${main} http { access_log off; ${places.join(' ')} ${http} }`)
  const child = spawn(nginx, ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = text(child.stderr)
  stopped.push(async () => {
    child.kill('SIGTERM')
    await said
    rmSync(folder, { recursive: true, force: true })
  })
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const connected = await new Promise((done) => socket.on('connect', () => done(true)).on('error', () => done(false)))
    socket.destroy()
    if (connected) return { server, proxy: at(port) }
    await setTimeout(20)
  }
  throw new Error(`nginx does not listen on ${port}:\n${await said}`)
}

/** Asks the app without nginx. The answers differ enough for a mix to show. */
async function answersOf(server: Served, asks: readonly Ask[]): Promise<Map<Ask, object>> {
  const answers = new Map<Ask, object>()
  for (const one of asks) answers.set(one, seen(await ask(server, one)))
  expect(new Set([...answers.values()].map((answer) => JSON.stringify(answer))).size).toBeGreaterThanOrEqual(3)
  return answers
}

describe.each(groups)('%s behind nginx', (_scheme, app, asks) => {
  test('each client gets the answer of its own version, in every order, and from the cache', async () => {
    const { server, proxy } = await behindNginx(app)
    const answers = await answersOf(server, asks)
    for (const [number, order] of orders(asks).entries()) {
      for (const cached of [false, true, true]) {
        for (const one of order) {
          const answer = await ask(proxy, anew(one, number))
          const from = { ...one, order: order.map((each) => each.headers ?? each.path) }
          expect({ from, ...seen(answer) }).toEqual({ from, ...answers.get(one) })
          // The cache does not keep refusals.
          const kept = answer.status === 200 ? 'HIT' : 'MISS'
          if (cached) expect({ from, cache: answer.headers['x-cache'] }).toEqual({ from, cache: kept })
        }
      }
    }
  })

  // With the lock, nginx lets requests wait for half a second.
  test.each([20, 2])('and when all of them ask at once, in %d rounds', async (rounds) => {
    const lock = rounds === 2 ? 'proxy_cache api; proxy_cache_lock on;' : 'proxy_cache api;'
    const { server, proxy } = await behindNginx(app, replaced(page, 'proxy_cache api;', lock))
    const answers = await answersOf(server, asks)
    for (let round = 0; round < rounds; round++) {
      const clients = [...asks, ...asks.toReversed()]
      const got = await Promise.all(clients.map((one) => ask(proxy, anew(one, round))))
      expect(got.map(seen)).toEqual(clients.map((one) => answers.get(one)))
    }
  })
})

// To nginx the two of each pair are one variant: it skips commas and spaces, and an empty field is not there.
test.each<[app: App, path: string, name: string, sent: string, then?: string]>([
  [otherSchemes, header, 'X-API-Version', ' , '],
  [otherSchemes, header, 'X-API-Version', 'v2 ,', 'v2'],
  [otherSchemes, combined, 'Accept', ''],
  [otherSchemes, '/media-type/users/7', 'Accept', ',,', vendor[1] as string],
  [exampleServer, accept, 'Accept', ','],
  [exampleServer, accept, 'Accept', 'application/json;,version=v2', 'application/json; version=v2'],
])('%p %s: "%s: %s" leaves no wrong answer to others', async (app, path, name, sent, then = '') => {
  const { server, proxy } = await behindNginx(app)
  const asked = then === '' ? { path } : { path, headers: { [name]: then } }
  for (let times = 0; times < 2; times++) await ask(proxy, { path, headers: { [name]: sent } })
  expect(seen(await ask(proxy, asked))).toEqual(seen(await ask(server, asked)))
})

test.each([
  ['has the default key', /^HostNameVersioning$/, 'proxy_cache_key $scheme$host$request_uri;', ''],
  ['has no query', /^Query/, '$request_uri', '$uri'],
  ['ignores Vary', /^Accept|^Header|^Media|^Combined|proxy/, 'cache api;', 'cache api; proxy_ignore_headers Vary;'],
])('a cache that %s mixes versions, as the page warns: %s', async (_what, schemes, from, to) => {
  for (const [scheme, app, asks] of groups.filter(([name]) => schemes.test(name))) {
    const { server, proxy } = await behindNginx(app, replaced(page, from, to))
    let mixed = 0
    for (const [number, order] of orders(asks).entries()) {
      for (const one of order) {
        const [answer, own] = [await ask(proxy, anew(one, number)), await ask(server, one)]
        if (answer.status !== own.status || answer.text !== own.text) mixed++
      }
    }
    expect([scheme, mixed > 0]).toEqual([scheme, true])
  }
})

test.each([
  ['the same host in the key and to the app', '$host;', 'http://v2.example.com/users/7'],
  ['another one', '$http_host;', 'http://v2.example.com:81/users/7'],
])('the port of a host: %s', async (_, host, link) => {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => void res.json(req.reverse('user', { args: [7], absolute: true })))
  const app = () => express().use(versioning({ scheme: HostNameVersioning, routes }), routes)
  const { proxy } = await behindNginx(app, replaced(page, 'Host $host;', `Host ${host}`))
  await proxy.get('/users/7', { Host: 'v2.example.com:81' })
  const answer = await proxy.get('/users/7', { Host: 'v2.example.com' })
  expect(answer).toMatchObject({ json: link, headers: { 'x-cache': 'HIT' } })
})

const spaced = { Accept: 'application/json; version=v2' }
const dense = { Accept: 'application/json;version=v2' }
const [authorized, known] = [{ Authorization: 'a=b' }, { Cookie: 'a=b' }]

test.each<[what: string, app: App, path: string, ...asks: [cache: string, headers?: Record<string, string>][]]>([
  ['a long Vary is not cached', otherSchemes, '/header/long', ['MISS'], ['MISS']],
  ['Vary: * is not cached', otherSchemes, '/header/star', ['MISS'], ['MISS']],
  ['bytes tell variants apart', exampleServer, accept, ['MISS', spaced], ['MISS', dense], ['HIT', spaced]],
  ['a user leaves nothing', otherSchemes, header, ['BYPASS', authorized], ['MISS'], ['BYPASS', authorized]],
  ['nor does a cookie', otherSchemes, header, ['BYPASS', known], ['MISS'], ['BYPASS', known]],
])('what the page says of nginx: %s', async (_what, app, path, ...asks) => {
  const { proxy } = await behindNginx(app)
  for (const [cache, headers] of asks) expect((await proxy.get(path, headers)).headers['x-cache']).toBe(cache)
})

test("the ETag of one version is no other version's", async () => {
  const { proxy } = await behindNginx(otherSchemes)
  const [v1, v2] = ['v1', 'v2'].map((version) => ({ 'X-API-Version': version }))
  const { etag } = (await proxy.get(header, v1)).headers
  await proxy.get(header, v2)
  const again = (version = {}) => proxy.get(header, { ...version, 'If-None-Match': String(etag) })
  expect((await again(v1)).status).toBe(304)
  expect(await again(v2)).toMatchObject({ status: 200, json: { version: 'v2' } })
})
