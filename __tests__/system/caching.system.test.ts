import express, { type Application, type Request, type RequestHandler } from 'express'
import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import '../../examples/server'
import { start } from '../../examples/support/start'
import { blocks, page as pageOf } from '../support/readme'
import { rows } from '../support/rows'
import { combined, header, query, vendor } from '../support/schemes'
import { type HttpResponse, jsonErrors, listen, type Served, serve } from '../support/serve'
import { startNginx } from './support/nginx'

// docs/caching.md: nginx as it configures it, in front of examples/server.ts and of the other schemes; then caches within apps.

const { HeaderVersioning, HostNameVersioning, namedRoutes, versioning } = library
const [page = '', spellings = '', handingOn = ''] = blocks('nginx', pageOf('docs/caching.md'))

// examples/server.ts hands its app to this function. It sets no Cache-Control.
jest.mock('../../examples/support/start', () => ({
  ...jest.requireActual('../../examples/support/start'),
  start: jest.fn(),
}))
const example = jest.mocked(start).mock.calls[0]?.[0] as Application

const PAUSE = { from: '2999-01-01', to: '2999-01-02' }

/** Returns the example's app in front of which the other schemes stand, whose responses say that they may be kept. */
function allSchemes(): Application {
  const shared = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
  const template = 'application/vnd.shop.{version}+json'
  const others: [path: string, options: library.VersioningOptions][] = [
    ['/header', { ...shared, scheme: HeaderVersioning }],
    ['/paused', { ...shared, scheme: HeaderVersioning, lifecycle: { v1: { brownouts: [PAUSE] } } }],
    ['/media-type', { scheme: vendor(template, shared) }],
    ['/forwarded', { ...shared, scheme: HostNameVersioning }],
    ['/combined', { scheme: combined([header(), vendor(template), query()], shared) }],
  ]
  const routes = namedRoutes({ user: '/users/:id', long: '/long', star: '/star' })
  routes.route('user').get((req, res) => {
    const self = req.reverse('user', { kwargs: { id: req.params.id }, absolute: req.query.absolute !== undefined })
    res.json({ version: req.version, self })
  })
  routes.route('long').get((_req, res) => void res.vary(`X-${'a'.repeat(128)}`).json({}))
  routes.route('star').get((_req, res) => void res.vary('*').json({}))
  const app = express().set('trust proxy', true)
  const kept: RequestHandler = (_req, res, next) => next(void res.set('Cache-Control', 'public, max-age=60'))
  for (const [path, options] of others) app.use(path, kept, versioning({ ...options, routes }), routes)
  return app.use(jsonErrors, example)
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
  /forwarded/users/7 | Host: {v}.example.com
  /combined/users/7 | X-API-Version: {v} | Accept: application/vnd.shop.v2+json | ?version=v2 | ?version=v2 X-API-Version: v1
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

/** Returns the parts of a response that show its version to a client. */
const seen = ({ status, text, headers }: HttpResponse) => ({
  status,
  text,
  type: headers['content-type'],
  vary: headers.vary,
  etag: headers.etag,
})

/** Returns the same request in a form that no cache has a response for. */
const anew = ([path, headers]: Ask, order: number): Ask => [
  `${path}${path.includes('?') ? '&' : '?'}order=${order}`,
  headers,
]

/** Replaces a string that must occur exactly once. */
function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, to)
}

/** Starts the app, and nginx in front of it with an empty cache. */
async function behindNginx(configuration = page) {
  const server = await listen(allSchemes())
  const { proxy } = await startNginx(`access_log off; ${configuration}`, {
    '/var/cache/nginx/api': 'FOLDER/cache',
    'listen 80;': 'listen 127.0.0.1:PORT;',
    'http://127.0.0.1:3000;': `${server.origin};`,
  })
  return { server, proxy }
}

/** Asks the app without nginx. The responses differ enough for a mix to show. */
async function responsesOf(server: Served, asks: readonly Ask[]): Promise<Map<Ask, object>> {
  const responses = await Promise.all(asks.map(async (ask) => [ask, seen(await server.get(...ask))] as const))
  expect(new Set(responses.map(([, response]) => JSON.stringify(response))).size).toBeGreaterThanOrEqual(3)
  return new Map(responses)
}

describe.each(groups)('%s behind nginx', (_path, asks) => {
  test('each client gets the response of its own version, in every order, and from the cache', async () => {
    const { server, proxy } = await behindNginx()
    const responses = await responsesOf(server, asks)
    for (const [number, order] of orders(asks).entries()) {
      for (const cached of [false, true, true]) {
        for (const ask of order) {
          const response = await proxy.get(...anew(ask, number))
          expect({ ask, order, ...seen(response) }).toEqual({ ask, order, ...responses.get(ask) })
          // The cache does not keep rejections.
          const kept = response.status === 200 ? 'HIT' : 'MISS'
          if (cached) expect({ ask, order, cache: response.headers['x-cache'] }).toEqual({ ask, order, cache: kept })
        }
      }
    }
  })

  test('and when all of them ask at once, in twenty rounds', async () => {
    const { server, proxy } = await behindNginx()
    const responses = await responsesOf(server, asks)
    const clients = [...asks, ...asks.toReversed()]
    for (let round = 0; round < 20; round++) {
      const got = await Promise.all(clients.map((ask) => proxy.get(...anew(ask, round))))
      expect(got.map(seen)).toEqual(clients.map((ask) => responses.get(ask)))
    }
  })
})

// To nginx the two of each pair are one variant: it skips commas and spaces, and an empty field is not there.
const ONE_VARIANT = rows(`
    /header/users/7 | X-API-Version | ' , '
    /header/users/7 | X-API-Version | 'v2 ,' | v2
    /combined/users/7 | Accept | ''
    /media-type/users/7 | Accept | ',,' | application/vnd.shop.v2+json
    /accept/books/1 | Accept | ','
    /accept/books/1 | Accept | 'application/json;,version=v2' | application/json; version=v2`)
test.each(ONE_VARIANT)(
  '%s: "%s: %s" leaves no wrong response to others',
  async (path = '', name = '', sent = '', then = '') => {
    const { server, proxy } = await behindNginx()
    const asked = then === '' ? {} : { [name]: then }
    for (let times = 0; times < 2; times++) await proxy.get(path, { [name]: sent.slice(1, -1) })
    expect(seen(await proxy.get(path, asked))).toEqual(seen(await server.get(path, asked)))
  },
)

test.each([
  ['has the default key', /^.(?:host|forwarded)/, 'proxy_cache_key $scheme$host$request_uri;', ''],
  ['has no query', /^.query/, '$request_uri', '$uri'],
  ['ignores Vary', /^.(?:accept|header|media|combined)/, 'proxy_cache api;', '$& proxy_ignore_headers Vary;'],
])('a cache that %s mixes versions, as the page warns: %s', async (_what, paths, from, to) => {
  for (const [path, asks] of groups.filter(([path]) => paths.test(path))) {
    const { server, proxy } = await behindNginx(replaced(page, from, to))
    const responses = await responsesOf(server, asks)
    const got: object[] = []
    for (const ask of asks) got.push(seen(await proxy.get(...ask)))
    expect([path, got]).not.toEqual([path, [...responses.values()]])
  }
})

test.each([
  ['the same host in the key and to the app', '$host;', 'http://v2.example.com/forwarded/users/7'],
  ['another one', '$http_host;', 'http://v2.example.com:81/forwarded/users/7'],
])('the port of a host: %s', async (_, host, self) => {
  const { proxy } = await behindNginx(page.replaceAll('Host $host;', `Host ${host}`))
  const path = '/forwarded/users/7?absolute'
  await proxy.get(path, { Host: 'v2.example.com:81' })
  const response = await proxy.get(path, { Host: 'v2.example.com' })
  expect(response).toMatchObject({ json: { self }, headers: { 'x-cache': 'HIT' } })
})

test('clients choose no version and no links by X-Forwarded-Host and X-Forwarded-Proto', async () => {
  const { proxy } = await behindNginx()
  const headers = { 'X-Forwarded-Host': 'v1.evil.example', 'X-Forwarded-Proto': 'https' }
  const { json } = await proxy.get('/forwarded/users/7?absolute', { Host: 'v2.example.com', ...headers })
  expect(json).toEqual({ version: 'v2', self: 'http://v2.example.com/forwarded/users/7' })
})

test('nginx hands on one spelling of a version, and what it does not know as it came', async () => {
  const key = 'proxy_cache_key $scheme$host$request_uri;'
  const { proxy } = await behindNginx(`${spellings}${replaced(page, key, handingOn)}`)
  const asked = async (version: string) => {
    const { status, json, headers } = await proxy.get('/header/users/7', { 'X-API-Version': version })
    return [status, (json as { version?: string }).version, headers['x-cache']]
  }
  for (const [sent, got] of rows('1 | v1\n v1 | v1\n 2 | v2\n v2 | v2')) {
    expect([sent, await asked(sent as string)]).toEqual([sent, [200, got, 'MISS']])
    expect([sent, await asked(sent as string)]).toEqual([sent, [200, got, 'HIT']])
  }
  for (const sent of ['v3', 'v1, v2', '11']) expect(await asked(sent)).toEqual([406, undefined, 'MISS'])
})

test('while a version is paused, its rejections are not kept, and older responses are', async () => {
  const { proxy } = await behindNginx()
  const asked = async (path: string) => {
    const { status, headers } = await proxy.get(path, { 'X-API-Version': 'v1' })
    return [status, headers['x-cache']]
  }
  const [kept, other] = ['/paused/users/7', '/paused/users/8']
  expect([await asked(kept), await asked(kept)]).toEqual([
    [200, 'MISS'],
    [200, 'HIT'],
  ])
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2999-01-01T12:00:00Z'))
  expect([await asked(kept), await asked(other), await asked(other)]).toEqual([
    [200, 'HIT'],
    [410, 'MISS'],
    [410, 'MISS'],
  ])
  clock.mockRestore()
  expect([await asked(other), await asked(other)]).toEqual([
    [200, 'MISS'],
    [200, 'HIT'],
  ])
})

// Each response of the cache, and the header of its request.
const SAID = rows(`
    a long Vary is not cached | /header/long | MISS | MISS
    Vary: * is not cached | /header/star | MISS | MISS
    bytes tell variants apart | /accept/books/1 | MISS Accept: application/json; version=v2 | MISS Accept: application/json;version=v2 | HIT Accept: application/json; version=v2
    a user leaves nothing | /header/users/7 | BYPASS Authorization: a=b | MISS | BYPASS Authorization: a=b
    nor does a cookie | /header/users/7 | BYPASS Cookie: a=b | MISS | BYPASS Cookie: a=b`)
test.each(SAID)('what the page says of nginx: %s', async (_what, path = '', ...asks) => {
  const { proxy } = await behindNginx()
  for (const [cache, ...words] of asks.map((text) => text.split(' '))) {
    const { headers } = await proxy.get(...ask(path, words.join(' ')))
    expect([asks, headers['x-cache']]).toEqual([asks, cache])
  }
})

// Neither cache has types.
const apicache = require('apicache')
const { cacheSeconds } = require('route-cache')

const response = ({ name, ...rest }: { name: string; count: number }) => ({ title: name, ...rest })
const changes = versionHistory('v1').version('v2', change('Renamed.', { 'GET user': { response } }))
const [APART, MIXED] = ['title 1, title 1, name 2, name 2, title 1', 'title 1, title 1, title 1, title 1, title 1']

// Without the version in the key, a cache in front mixes versions: the documents warn of that. Behind, all share the newest value.
test.each([
  ['apicache', 'in front', 'the version', 'json', APART],
  ['apicache', 'in front', 'the version', 'end', APART],
  ['route-cache', 'in front', 'the version', 'json', APART],
  ['apicache', 'in front', 'nothing', 'json', MIXED],
  ['route-cache', 'behind', 'nothing', 'json', 'title 1, title 1, name 1, name 1, title 1'],
])('%s %s, with %s in its key, of res.%s: %s', async (name, place, key, way, expected) => {
  const appendKey = (req: Request) => (key === 'nothing' ? '' : `${req.headers['x-api-version']}`)
  const own = apicache.newInstance({ appendKey })
  // The caches of a program share their store.
  const shared = cacheSeconds(60, (req: Request) => `${place} ${key} ${appendKey(req)}`)
  const cache: RequestHandler = name === 'apicache' ? own.middleware('1 minute') : shared
  let count = 0
  const { get } = await serve((app) => {
    const routes = namedRoutes({ user: '/user' })
    routes.route('user').get((_req, res) => {
      const value = { name: 'Ada', count: ++count }
      if (way === 'json') res.json(value)
      else res.type('json').end(JSON.stringify(value))
    })
    const versions = versioning({ scheme: HeaderVersioning, changes, routes })
    app.use(place === 'in front' ? [cache, versions] : [versions, cache], routes)
  })
  const responses: string[] = []
  for (const version of ['v1', 'v1', 'v2', 'v2', 'v1']) {
    const { title, ...value } = (await get('/user', { 'X-API-Version': version })).json as Record<string, unknown>
    responses.push(`${title === undefined ? 'name' : 'title'} ${value.count}`)
  }
  // Key by key: `clear()` of all keys forgets the timers that it has set.
  for (const kept of own.getIndex().all) own.clear(kept)
  expect([responses.join(', '), count]).toEqual([expected, expected === APART ? 2 : 1])
})
