import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import express, { type Application } from 'express'
import * as library from 'express-versioning'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
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
  const start = jest.fn()
  jest.isolateModules(() => {
    jest.doMock('../../examples/support', () => ({ ...jest.requireActual('../../examples/support'), start }))
    require('../../examples/server')
  })
  return start.mock.calls[0][0]
}

/** Returns an app of the other schemes, whose answers say that they may be kept. */
function otherSchemes(): Application {
  const shared = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const template = 'application/vnd.shop.{version}+json'
  const routes = namedRoutes({ user: '/users/:id', long: '/long', star: '/star' })
  routes.route('user').get((req, res) => {
    res.json({ version: req.version, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
  })
  routes.route('long').get((_req, res) => void res.vary(`X-${'a'.repeat(128)}`).json({}))
  routes.route('star').get((_req, res) => void res.vary('*').json({}))
  const schemes = [new HeaderVersioning(), new MediaTypeVersioning({ template }), new QueryParameterVersioning()]
  const lifecycle = { v1: { sunset: '2020-01-01', afterSunset: 'gone', successor: 'v2' } } as const
  const app = express().set('trust proxy', true)
  app.use((_req, res, next) => {
    res.set('Cache-Control', 'public, max-age=60')
    next()
  })
  const serve = (path: string, own: Omit<library.VersioningOptions, 'routes'>) =>
    app.use(path, versioning({ ...own, routes }), routes)
  serve('/header', { ...shared, scheme: HeaderVersioning })
  serve('/media-type', { scheme: new MediaTypeVersioning({ ...shared, template }) })
  serve('/forwarded', { ...shared, scheme: HostNameVersioning })
  serve('/combined', { scheme: new CombinedVersioning({ ...shared, schemes }) })
  serve('/gone', { ...shared, defaultVersion: 'v2', lifecycle, reportVersions: true, scheme: HeaderVersioning })
  return app.use('/gone', problemDetails()).use(jsonErrors)
}

type Ask = readonly [path: string, headers: Record<string, string>]

// The path of a client that names no version, then how others name v1, v2 and an unknown one, then what more clients send.
const clients = rows(`
  /accept/books/1 | Accept: application/json; version={v}
  /path/ | /path/{v}/books/1
  /namespace/ | /namespace/{v}/books/1
  /host/books/1 | Host: {v}.example.com
  /query/books | /query/books?version={v}
  /header/users/7 | X-API-Version: {v}
  /media-type/users/7 | Accept: application/vnd.shop.{v}+json
  /forwarded/users/7 | X-Forwarded-Host: {v}.example.com
  /combined/users/7 | X-API-Version: {v} | Accept: application/vnd.shop.v2+json | ?version=v2 | ?version=v2 X-API-Version: v1
  /gone/users/7 | X-API-Version: {v}
`)
const ask = (base: string, text: string): Ask => {
  const [, path = base, query = '', name, value = ''] = /^(\/\S*)?(\?\S*)? ?(?:(\S+): (.*))?$/.exec(text) ?? []
  return [path + query, name === undefined ? {} : { [name]: value }]
}
/** The requests of each scheme. Each is a different client. */
const groups = clients.map(([path = '', way = '', ...more]): [path: string, asks: readonly Ask[]] => {
  const named = ['v1', 'v2', 'v9'].map((version) => way.replace('{v}', version))
  return [path, ['', ...named, ...more].map((text) => ask(path, text))]
})

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

/** Returns the same request in a form that no cache has an answer for. */
function anew([path, headers]: Ask, order: number): Ask {
  return [`${path}${path.includes('?') ? '&' : '?'}order=${order}`, headers]
}

/** Replaces a text that must occur exactly once. */
function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, to)
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
async function behindNginx(path: string, configuration = page, app?: Application) {
  const isExample = /^\/(?:accept|path|namespace|host|query)\//.test(path)
  const server = await listen(app ?? (isExample ? exampleServer() : otherSchemes()))
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
  const proxy = at(port)
  while (child.exitCode === null) {
    if (await proxy.get('/nothing').catch(() => undefined)) return { server, proxy }
    await setTimeout(20)
  }
  throw new Error(`nginx does not listen on ${port}:\n${await said}`)
}

/** Asks the app without nginx. The answers differ enough for a mix to show. */
async function answersOf(server: Served, asks: readonly Ask[]): Promise<Map<Ask, object>> {
  const answers = new Map<Ask, object>()
  for (const ask of asks) answers.set(ask, seen(await server.get(...ask)))
  expect(new Set([...answers.values()].map((answer) => JSON.stringify(answer))).size).toBeGreaterThanOrEqual(3)
  return answers
}

describe.each(groups)('%s behind nginx', (path, asks) => {
  test('each client gets the answer of its own version, in every order, and from the cache', async () => {
    const { server, proxy } = await behindNginx(path)
    const answers = await answersOf(server, asks)
    for (const [number, order] of orders(asks).entries()) {
      for (const cached of [false, true, true]) {
        for (const ask of order) {
          const answer = await proxy.get(...anew(ask, number))
          expect({ ask, order, ...seen(answer) }).toEqual({ ask, order, ...answers.get(ask) })
          // The cache does not keep refusals.
          const kept = answer.status === 200 ? 'HIT' : 'MISS'
          if (cached) expect({ ask, order, cache: answer.headers['x-cache'] }).toEqual({ ask, order, cache: kept })
        }
      }
    }
  })

  // With the lock, nginx lets requests wait for half a second.
  test.each([20, 2])('and when all of them ask at once, in %d rounds', async (rounds) => {
    const lock = rounds === 2 ? 'proxy_cache api; proxy_cache_lock on;' : 'proxy_cache api;'
    const { server, proxy } = await behindNginx(path, replaced(page, 'proxy_cache api;', lock))
    const answers = await answersOf(server, asks)
    for (let round = 0; round < rounds; round++) {
      const clients = [...asks, ...asks.toReversed()]
      const got = await Promise.all(clients.map((ask) => proxy.get(...anew(ask, round))))
      expect(got.map(seen)).toEqual(clients.map((ask) => answers.get(ask)))
    }
  })
})

// To nginx the two of each pair are one variant: it skips commas and spaces, and an empty field is not there.
test.each(
  rows(`
    /header/users/7 | X-API-Version | ' , '
    /header/users/7 | X-API-Version | 'v2 ,' | v2
    /combined/users/7 | Accept | ''
    /media-type/users/7 | Accept | ',,' | application/vnd.shop.v2+json
    /accept/books/1 | Accept | ','
    /accept/books/1 | Accept | 'application/json;,version=v2' | application/json; version=v2
  `),
)('%s: "%s: %s" leaves no wrong answer to others', async (path = '', name = '', sent = '', then = '') => {
  const { server, proxy } = await behindNginx(path)
  const asked = then === '' ? {} : { [name]: then }
  for (let times = 0; times < 2; times++) await proxy.get(path, { [name]: sent.slice(1, -1) })
  expect(seen(await proxy.get(path, asked))).toEqual(seen(await server.get(path, asked)))
})

test.each([
  ['has the default key', /^.host/, 'proxy_cache_key $scheme$host$request_uri;', ''],
  ['has no query', /^.query/, '$request_uri', '$uri'],
  ['ignores Vary', /^.(?:accept|header|media|combined|forwarded)/, 'proxy_cache api;', '$& proxy_ignore_headers Vary;'],
])('a cache that %s mixes versions, as the page warns: %s', async (_what, paths, from, to) => {
  for (const [path, asks] of groups.filter(([path]) => paths.test(path))) {
    const { server, proxy } = await behindNginx(path, replaced(page, from, to))
    let mixed = 0
    for (const [number, order] of orders(asks).entries()) {
      for (const ask of order) {
        const [answer, own] = [await proxy.get(...anew(ask, number)), await server.get(...ask)]
        if (answer.status !== own.status || answer.text !== own.text) mixed++
      }
    }
    expect([path, mixed > 0]).toEqual([path, true])
  }
})

test.each([
  ['the same host in the key and to the app', '$host;', 'http://v2.example.com/users/7'],
  ['another one', '$http_host;', 'http://v2.example.com:81/users/7'],
])('the port of a host: %s', async (_, host, link) => {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => void res.json(req.reverse('user', { args: [7], absolute: true })))
  const app = express().use(versioning({ scheme: HostNameVersioning, routes }), routes)
  const { proxy } = await behindNginx('', replaced(page, 'Host $host;', `Host ${host}`), app)
  await proxy.get('/users/7', { Host: 'v2.example.com:81' })
  const answer = await proxy.get('/users/7', { Host: 'v2.example.com' })
  expect(answer).toMatchObject({ json: link, headers: { 'x-cache': 'HIT' } })
})

// Each answer of the cache, and the header of its request.
test.each(
  rows(`
    a long Vary is not cached | /header/long | MISS | MISS
    Vary: * is not cached | /header/star | MISS | MISS
    bytes tell variants apart | /accept/books/1 | MISS Accept: application/json; version=v2 | MISS Accept: application/json;version=v2 | HIT Accept: application/json; version=v2
    a user leaves nothing | /header/users/7 | BYPASS Authorization: a=b | MISS | BYPASS Authorization: a=b
    nor does a cookie | /header/users/7 | BYPASS Cookie: a=b | MISS | BYPASS Cookie: a=b
  `),
)('what the page says of nginx: %s', async (_what, path = '', ...asks) => {
  const { proxy } = await behindNginx(path)
  for (const [cache, ...words] of asks.map((text) => text.split(' '))) {
    const { headers } = await proxy.get(...ask(path, words.join(' ')))
    expect([asks, headers['x-cache']]).toEqual([asks, cache])
  }
})
