import type { Request, RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { serve } from '../support/serve'

// These tests put common caches on each side of `versioning()`; docs/caching.md describes the results.

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
  const answers: string[] = []
  for (const version of ['v1', 'v1', 'v2', 'v2', 'v1']) {
    const { title, ...value } = (await get('/user', { 'X-API-Version': version })).json as Record<string, unknown>
    answers.push(`${title === undefined ? 'name' : 'title'} ${value.count}`)
  }
  // Key by key: `clear()` of all keys forgets the timers that it has set.
  for (const kept of own.getIndex().all) own.clear(kept)
  expect([answers.join(', '), count]).toEqual([expected, expected === APART ? 2 : 1])
})
