import type { Request, RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

// These tests put common caches on each side of `versioning()`; docs/caching.md describes the results.

type Key = (req: Request) => string
/** Neither cache has types. */
interface Apicache {
  newInstance(options: { appendKey: Key }): Apicache
  middleware(duration: string): RequestHandler
  clear(key: string): void
  getIndex(): { readonly all: readonly string[] }
}
const apicache: Apicache = require('apicache')
const { cacheSeconds }: { cacheSeconds(seconds: number, key: Key): RequestHandler } = require('route-cache')

const open: Apicache[] = []
afterEach(() => {
  // Key by key: `clear()` of all keys forgets the timers that it has set.
  for (const cache of open.splice(0)) for (const key of cache.getIndex().all) cache.clear(key)
})

const history = historyOf([
  change('Renamed.', {
    'GET other': { response: ({ name, count }: { name: string; count: number }) => ({ title: name, count }) },
  }),
])
const KEYS: Record<string, Key> = { 'the version': (req) => `${req.headers['x-api-version']}`, nothing: () => '' }
let caches = 0

function cacheOf(name: string, key: Key): RequestHandler {
  const own = caches++
  if (name === 'route-cache') return cacheSeconds(60, (req) => `${own} ${key(req)}`)
  const cache = apicache.newInstance({ appendKey: key })
  open.push(cache)
  return cache.middleware('1 minute')
}

const APART = 'title 1, title 1, name 2, name 2, title 1'

// Without the version in the key, a cache in front mixes versions: the documents warn of that. Behind, all share the newest value.
test.each([
  ['apicache', 'in front', 'the version', 'json', APART],
  ['apicache', 'in front', 'the version', 'end', APART],
  ['route-cache', 'in front', 'the version', 'json', APART],
  ['apicache', 'in front', 'nothing', 'json', 'title 1, title 1, title 1, title 1, title 1'],
  ['route-cache', 'in front', 'nothing', 'json', 'title 1, title 1, title 1, title 1, title 1'],
  ['route-cache', 'behind', 'nothing', 'json', 'title 1, title 1, name 1, name 1, title 1'],
])('%s %s, with %s in its key, of res.%s: %s', async (name, place, key, way, expected) => {
  const cache = cacheOf(name, KEYS[key] as Key)
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
  const answers: string[] = []
  for (const version of ['v1', 'v1', 'v2', 'v2', 'v1']) {
    const { title, ...value } = JSON.parse((await ask(server, version, '/other')).text)
    answers.push(`${title === undefined ? 'name' : 'title'} ${value.count}`)
  }
  expect(answers.join(', ')).toBe(expected)
  expect(count).toBe(expected === APART ? 2 : 1)
})
