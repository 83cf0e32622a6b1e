import type { Request, RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

// These tests put common caches on each side of `versioning()`; docs/caching.md describes the results.

// Neither has types.
interface Apicache {
  newInstance(options: { appendKey(req: Request): string }): {
    middleware(duration: string): RequestHandler
    clear(key: string): void
    getIndex(): { readonly all: readonly string[] }
  }
}
const apicache: Apicache = require('apicache')
const {
  cacheSeconds,
}: { cacheSeconds(seconds: number, key: (req: Request) => string): RequestHandler } = require('route-cache')

const open: ReturnType<Apicache['newInstance']>[] = []
afterEach(() => {
  // Key by key: `clear()` of all keys forgets the timers that it has set.
  for (const cache of open.splice(0)) for (const key of cache.getIndex().all) cache.clear(key)
})

const history = historyOf([
  change('Renamed.', {
    'GET other': { response: ({ name, count }: { name: string; count: number }) => ({ title: name, count }) },
  }),
])
const inHeader = (req: Request) => String(req.headers['x-api-version'] ?? '')
let keys = 0

const CACHES: Record<string, (key: (req: Request) => string) => RequestHandler> = {
  apicache: (key) => {
    const cache = apicache.newInstance({ appendKey: key })
    open.push(cache)
    return cache.middleware('1 minute')
  },
  'route-cache': (key) => {
    const own = `${++keys}`
    return cacheSeconds(60, (req) => `${own} ${key(req)}`)
  },
}

async function asked(cache: RequestHandler, place: 'in front' | 'behind', way: 'json' | 'end') {
  let count = 0
  const server = await serve((app) => {
    const routes = tableOf()
    routes.route('other').get((_req, res) => {
      const value = { name: 'Ada', count: ++count }
      if (way === 'json') res.json(value)
      else res.type('json').end(JSON.stringify(value))
    })
    const versions = versioning({ scheme: HeaderVersioning, changes: history, routes })
    app.use(place === 'in front' ? [cache, versions] : [versions, cache], routes)
  })
  const answers = []
  for (const version of ['v1', 'v1', 'v2', 'v2', 'v1']) answers.push((await ask(server, version, '/other')).text)
  return { answers, count }
}

const [OLD, NEWEST] = ['{"title":"Ada","count":1}', '{"name":"Ada","count":2}']
const apart = [OLD, OLD, NEWEST, NEWEST, OLD]

test.each([
  ['apicache', 'json'],
  ['apicache', 'end'],
  ['route-cache', 'json'],
] as const)('%s in front, with the version in its key, keeps versions apart: res.%s', async (name, way) => {
  const cache = CACHES[name]?.(inHeader) as RequestHandler
  expect(await asked(cache, 'in front', way)).toEqual({ answers: apart, count: 2 })
})

test.each(['apicache', 'route-cache'])(
  '%s in front without it mixes them: what the documents warn of',
  async (name) => {
    const cache = CACHES[name]?.(() => '') as RequestHandler
    expect(await asked(cache, 'in front', 'json')).toEqual({ answers: Array(5).fill(OLD), count: 1 })
  },
)

test('route-cache behind keeps the newest value for all versions', async () => {
  const cache = CACHES['route-cache']?.(() => '') as RequestHandler
  const newest = '{"name":"Ada","count":1}'
  expect(await asked(cache, 'behind', 'json')).toEqual({ answers: [OLD, OLD, newest, newest, OLD], count: 1 })
})
