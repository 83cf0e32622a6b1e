import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Application, type RequestHandler } from 'express'
import {
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  versioning,
} from 'express-versioning'
import { blocks } from '../support/readme'
import { type Answer, at, jsonErrors, listen, type Served } from '../support/serve'
import { binary } from './support/debian'

// nginx as docs/caching.md configures it, in front of examples/server.ts and of an app with the other schemes.

const [page = ''] = blocks('nginx', readFileSync(join(__dirname, '../../docs/caching.md'), 'utf8'))

let nginx: string
beforeAll(() => {
  nginx = binary('nginx')
}, 600_000)

/** Replaces a text that must occur exactly once. */
function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, () => to)
}

// Apps ---------------------------------------------------------------------------------------------------------------

/** Returns the app of examples/server.ts, which sets no Cache-Control. */
function exampleServer(): Application {
  let found: Application | undefined
  jest.isolateModules(() => {
    jest.doMock('../../examples/support', () => ({
      ...jest.requireActual('../../examples/support'),
      start: (app: Application) => {
        found = app
      },
    }))
    require('../../examples/server')
  })
  if (found === undefined) throw new Error('examples/server.ts started no app')
  return found
}

/** An app of the other schemes, whose answers say that they may be kept. */
function otherSchemes(): Application {
  const shared = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const template = 'application/vnd.shop.{version}+json'
  const users = namedRoutes({ user: '/users/:id', long: '/long', star: '/star' })
  users.route('user').get((req, res) => {
    res.json({ version: req.version, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
  })
  const varying =
    (vary: string): RequestHandler =>
    (_req, res) => {
      res.vary(vary).json({})
    }
  users.route('long').get(varying(`X-${'a'.repeat(128)}`))
  users.route('star').get(varying('*'))

  const app = express()
  app.set('trust proxy', true)
  app.use((_req, res, next) => {
    res.set('Cache-Control', 'public, max-age=60')
    next()
  })
  app.use('/header', versioning({ ...shared, scheme: HeaderVersioning, routes: users }), users)
  app.use('/media-type', versioning({ scheme: new MediaTypeVersioning({ ...shared, template }), routes: users }), users)
  app.use('/forwarded', versioning({ ...shared, scheme: HostNameVersioning, routes: users }), users)
  const schemes = [new HeaderVersioning(), new MediaTypeVersioning({ template }), new QueryParameterVersioning()]
  app.use('/combined', versioning({ scheme: new CombinedVersioning({ ...shared, schemes }), routes: users }), users)
  const lifecycle = { v1: { sunset: '2020-01-01', afterSunset: 'gone', successor: 'v2' } } as const
  const gone = { ...shared, defaultVersion: 'v2', lifecycle, reportVersions: true, scheme: HeaderVersioning }
  app.use('/gone', versioning({ ...gone, routes: users }), users, problemDetails())
  app.use(jsonErrors)
  return app
}

// Requests -----------------------------------------------------------------------------------------------------------

interface Ask {
  path: string
  headers?: Record<string, string>
}

/** The requests of one scheme: for each version, an unknown one and no version. Each is a different client. */
interface Group {
  scheme: string
  app: () => Application
  asks: readonly Ask[]
}

const byHeader = (path: string, name: string, ...values: readonly string[]): Ask[] => [
  { path },
  ...values.map((value) => ({ path, headers: { [name]: value } })),
]
const byPath = (...paths: readonly string[]): Ask[] => paths.map((path) => ({ path }))

const accept = ['application/json; version=v1', 'application/json; version=v2', 'application/json; version=v9']
const vendor = ['v1', 'v2', 'v9'].map((version) => `application/vnd.shop.${version}+json`)
const hosts = ['v1.example.com', 'v2.example.com', 'v9.example.com']
const versions = ['v1', 'v2', 'v9']

const groups: readonly Group[] = [
  {
    scheme: 'AcceptHeaderVersioning',
    app: exampleServer,
    asks: byHeader('/accept/books/1', 'Accept', ...accept, 'image/png; version=v2'),
  },
  {
    scheme: 'URLPathVersioning',
    app: exampleServer,
    asks: byPath('/path/', '/path/v1/books/1', '/path/v2/books/1', '/path/v9/books/1'),
  },
  {
    scheme: 'NamespaceVersioning',
    app: exampleServer,
    asks: byPath('/namespace/', '/namespace/v1/books/1', '/namespace/v2/books/1', '/namespace/v3/books/1'),
  },
  { scheme: 'HostNameVersioning', app: exampleServer, asks: byHeader('/host/books/1', 'Host', ...hosts) },
  {
    scheme: 'QueryParameterVersioning',
    app: exampleServer,
    asks: byPath('/query/books', ...versions.map((version) => `/query/books?version=${version}`)),
  },
  { scheme: 'HeaderVersioning', app: otherSchemes, asks: byHeader('/header/users/7', 'X-API-Version', ...versions) },
  { scheme: 'MediaTypeVersioning', app: otherSchemes, asks: byHeader('/media-type/users/7', 'Accept', ...vendor) },
  {
    scheme: 'HostNameVersioning behind a trusted proxy',
    app: otherSchemes,
    asks: byHeader('/forwarded/users/7', 'X-Forwarded-Host', ...hosts),
  },
  {
    scheme: 'CombinedVersioning',
    app: otherSchemes,
    asks: [
      ...byHeader('/combined/users/7', 'X-API-Version', 'v1', 'v9'),
      { path: '/combined/users/7', headers: { Accept: vendor[1] as string } },
      { path: '/combined/users/7?version=v2' },
      { path: '/combined/users/7', headers: { Accept: vendor[1] as string, 'X-API-Version': 'v1' } },
      { path: '/combined/users/7?version=v2', headers: { 'X-API-Version': 'v1' } },
    ],
  },
  {
    scheme: 'HeaderVersioning with a version that is gone',
    app: otherSchemes,
    asks: byHeader('/gone/users/7', 'X-API-Version', ...versions),
  },
]

/** Returns every order of a few requests, or of many requests the orders that begin with each pair. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length > 4) {
    const pairs = items.flatMap((one) => items.filter((other) => other !== one).map((other) => [one, other] as const))
    return pairs.map((pair) => [...pair, ...items.filter((item) => !pair.includes(item))])
  }
  if (items.length === 0) return [[]]
  return items.flatMap((one) => orders(items.filter((other) => other !== one)).map((rest) => [one, ...rest]))
}

/** Returns the parts of an answer that show its version to a client. */
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  type: headers['content-type'],
  vary: headers.vary,
  etag: headers.etag,
})

const ask = (server: Served, { path, headers }: Ask) => server.get(path, headers)

/** Returns the same request in a form that no cache has an answer for. */
function anew({ path, headers = {} }: Ask, order: number): Ask {
  return { path: `${path}${path.includes('?') ? '&' : '?'}order=${order}`, headers }
}

// nginx --------------------------------------------------------------------------------------------------------------

const stopped: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stopped.splice(0)) await stop()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Starts nginx in its own folder, with an empty cache and without root. */
async function proxyOf(app: Served, configuration = page): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-nginx-'))
  const port = await freePort()
  const { stderr: built } = spawnSync(nginx, ['-V'], { encoding: 'utf8' })
  const modules = ['fastcgi', 'proxy', 'scgi', 'uwsgi'].filter((name) => !built.includes(`--without-http_${name}_`))
  const places = ['client_body', ...modules].map((name) => `${name}_temp_path ${folder}/${name};`)
  let http = replaced(configuration, '/var/cache/nginx/api', `${folder}/cache`)
  http = replaced(http, 'listen 80;', `listen 127.0.0.1:${port};`)
  http = replaced(http, 'http://127.0.0.1:3000;', `${app.origin};`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;
     worker_processes 1;
     pid ${folder}/nginx.pid;
     error_log stderr error;
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     events { worker_connections 256; }
     http {
       access_log off;
       ${places.join('\n')}
       ${http}
     }`,
  )
  const child = spawn(nginx, ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  stopped.push(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await accepts(port, child, () => said)
  return at(port)
}

async function accepts(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const connected = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        done(true)
      }).on('error', () => done(false))
    })
    if (connected) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`nginx does not listen on ${port}:\n${said()}`)
}

// Tests --------------------------------------------------------------------------------------------------------------

/** Asks the app without nginx. The answers differ enough for a mix to show. */
async function answersOf(server: Served, asks: readonly Ask[]): Promise<Map<Ask, object>> {
  const answers = new Map<Ask, object>()
  for (const one of asks) answers.set(one, seen(await ask(server, one)))
  expect(new Set([...answers.values()].map((answer) => JSON.stringify(answer))).size).toBeGreaterThanOrEqual(3)
  return answers
}

describe.each(groups)('$scheme behind nginx', ({ app, asks }) => {
  test('each client gets the answer of its own version, in every order, and from the cache', async () => {
    const server = await listen(app())
    const proxy = await proxyOf(server)
    const answers = await answersOf(server, asks)
    for (const [number, order] of orders(asks).entries()) {
      for (const cached of [false, true, true]) {
        for (const one of order) {
          const answer = await ask(proxy, anew(one, number))
          const from = { ...one, order: order.map((each) => each.headers ?? each.path) }
          expect({ from, ...seen(answer) }).toEqual({ from, ...answers.get(one) })
          // The cache does not keep refusals.
          if (cached) {
            const cache = answer.status === 200 ? 'HIT' : 'MISS'
            expect({ from, cache: answer.headers['x-cache'] }).toEqual({ from, cache })
          }
        }
      }
    }
  })

  test.each([
    ['', page, 20],
    // In which nginx lets requests wait for half a second.
    [', and wait for each other', replaced(page, 'proxy_cache api;', 'proxy_cache api; proxy_cache_lock on;'), 2],
  ])('and when all of them ask at once%s', async (_, configuration, rounds) => {
    const server = await listen(app())
    const proxy = await proxyOf(server, configuration)
    const answers = await answersOf(server, asks)
    for (let round = 0; round < rounds; round++) {
      const clients = [...asks, ...asks.toReversed()]
      const got = await Promise.all(clients.map((one) => ask(proxy, anew(one, round))))
      expect(got.map(seen)).toEqual(clients.map((one) => answers.get(one)))
    }
  })
})

// To nginx the two of each pair are one variant: it skips commas and spaces, and an empty field is not there.
const SAME_TO_NGINX: readonly [
  app: () => Application,
  path: string,
  name: string,
  sent: string,
  then: string | undefined,
][] = [
  [otherSchemes, '/header/users/7', 'X-API-Version', '', undefined],
  [otherSchemes, '/header/users/7', 'X-API-Version', ' , ', undefined],
  [otherSchemes, '/header/users/7', 'X-API-Version', ',v2', 'v2'],
  [otherSchemes, '/header/users/7', 'X-API-Version', 'v2 ,', 'v2'],
  [otherSchemes, '/combined/users/7', 'X-API-Version', '', undefined],
  [otherSchemes, '/combined/users/7', 'Accept', '', undefined],
  [otherSchemes, '/media-type/users/7', 'Accept', '', undefined],
  [otherSchemes, '/media-type/users/7', 'Accept', ',,', vendor[1]],
  [exampleServer, '/accept/books/1', 'Accept', '', undefined],
  [exampleServer, '/accept/books/1', 'Accept', ',', undefined],
  [exampleServer, '/accept/books/1', 'Accept', 'application/json;,version=v2', 'application/json; version=v2'],
  [exampleServer, '/accept/books/1', 'Accept', 'application/json, version=v2', 'application/json version=v2'],
]
test.each(SAME_TO_NGINX)('%p %s: "%s: %s" leaves no wrong answer to %j', async (app, path, name, sent, then) => {
  const server = await listen(app())
  const proxy = await proxyOf(server)
  const asked: Ask = { path, ...(then === undefined ? {} : { headers: { [name]: then } }) }
  for (let times = 0; times < 2; times++) await ask(proxy, { path, headers: { [name]: sent } })
  expect(seen(await ask(proxy, asked))).toEqual(seen(await ask(server, asked)))
})

/** Counts the answers that are not of the requested version. */
async function mixedUp({ app, asks }: Group, configuration: string): Promise<number> {
  const server = await listen(app())
  const proxy = await proxyOf(server, configuration)
  let mixed = 0
  for (const [number, order] of orders(asks).entries()) {
    for (const one of order) {
      const [answer, own] = [await ask(proxy, anew(one, number)), await ask(server, one)]
      if (answer.status !== own.status || answer.text !== own.text) mixed++
    }
  }
  return mixed
}

describe('what the page warns of mixes versions', () => {
  const inHeaders = groups.filter(({ asks }) =>
    asks.some(({ headers }) => headers !== undefined && !('Host' in headers)),
  )

  test.each(inHeaders)('$scheme, where nginx ignores Vary', async (group) => {
    const ignoring = replaced(page, 'proxy_cache api;', 'proxy_cache api; proxy_ignore_headers Vary;')
    expect(await mixedUp(group, ignoring)).toBeGreaterThan(0)
  })

  test.each(groups.filter(({ scheme }) => scheme === 'HostNameVersioning'))(
    '$scheme, where the key is the default one, without the host',
    async (group) => {
      expect(await mixedUp(group, replaced(page, 'proxy_cache_key $scheme$host$request_uri;', ''))).toBeGreaterThan(0)
    },
  )

  test('QueryParameterVersioning, where the key has no query', async () => {
    const group = groups.find(({ scheme }) => scheme === 'QueryParameterVersioning') as Group
    expect(await mixedUp(group, replaced(page, '$request_uri', '$uri'))).toBeGreaterThan(0)
  })

  test.each([
    ['the same host in the key and to the app', page, 'http://v2.example.com/users/7'],
    ['another one', replaced(page, 'Host $host;', 'Host $http_host;'), 'http://v2.example.com:81/users/7'],
  ])('the port of a host: %s', async (_, configuration, link) => {
    const routes = namedRoutes({ user: '/users/:id' })
    routes.route('user').get((req, res) => void res.json(req.reverse('user', { args: [7], absolute: true })))
    const app = express().use(versioning({ scheme: HostNameVersioning, routes }), routes)
    const proxy = await proxyOf(await listen(app), configuration)
    await proxy.get('/users/7', { Host: 'v2.example.com:81' })
    const answer = await proxy.get('/users/7', { Host: 'v2.example.com' })
    expect(answer).toMatchObject({ json: link, headers: { 'x-cache': 'HIT' } })
  })
})

describe('what the page says of nginx', () => {
  const cacheOf = async (proxy: Served, path: string, headers?: Record<string, string>) =>
    (await proxy.get(path, headers)).headers['x-cache']

  test.each(['/header/long', '/header/star'])('%s is not cached', async (path) => {
    const proxy = await proxyOf(await listen(otherSchemes()))
    expect([await cacheOf(proxy, path), await cacheOf(proxy, path)]).toEqual(['MISS', 'MISS'])
  })

  test('variants are told apart by bytes', async () => {
    const proxy = await proxyOf(await listen(exampleServer()))
    const texts = ['application/json; version=v2', 'application/json;version=v2', 'application/json; version=v2']
    const answers: Answer[] = []
    for (const Accept of texts) answers.push(await proxy.get('/accept/books/1', { Accept }))
    expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'MISS', 'HIT'])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('a header with an underscore does not reach the app', async () => {
    const proxy = await proxyOf(
      await listen(express().use((req, res) => void res.json(Object.keys(req.headers).filter((n) => /api/.test(n))))),
    )
    expect((await proxy.get('/', { X_API_Version: 'v2' })).json).toEqual([])
    expect((await proxy.get('/?', { 'X-API-Version': 'v2' })).json).toEqual(['x-api-version'])
  })

  test.each(['Authorization', 'Cookie'])(
    'a request with %s is answered by the app, and leaves nothing behind',
    async (name) => {
      const proxy = await proxyOf(await listen(otherSchemes()))
      expect(await cacheOf(proxy, '/header/users/7', { [name]: 'a=b' })).toBe('BYPASS')
      expect(await cacheOf(proxy, '/header/users/7')).toBe('MISS')
      expect(await cacheOf(proxy, '/header/users/7', { [name]: 'a=b' })).toBe('BYPASS')
    },
  )

  test("the ETag of one version is no other version's", async () => {
    const proxy = await proxyOf(await listen(otherSchemes()))
    const inVersion = (version: string, etag?: string) =>
      proxy.get('/header/users/7', {
        'X-API-Version': version,
        ...(etag === undefined ? {} : { 'If-None-Match': etag }),
      })
    const etag = (await inVersion('v1')).headers.etag as string
    await inVersion('v2')
    expect((await inVersion('v1', etag)).status).toBe(304)
    expect(await inVersion('v2', etag)).toMatchObject({ status: 200, json: { version: 'v2' } })
  })
})
