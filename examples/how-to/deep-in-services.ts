// The version in services that have no request: AsyncLocalStorage keeps the request that runs.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import express, { type Request } from 'express'
import { HeaderVersioning, type Version, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const requests = new AsyncLocalStorage<Request>()

/** Returns the version of the request that runs; undefined in jobs. */
export const currentVersion = (): Version | null | undefined => requests.getStore()?.version

// A service, deep in the app.
async function priceOf(item: string): Promise<number> {
  await setTimeout(1)
  return currentVersion() === 'v1' ? 10 : item.length
}

const app = express()
app.use(versioning({ scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }))
// Behind parsers, some of which lose the context.
app.use(express.json(), (req, _res, next) => requests.run(req, next))
app.get('/prices/:item', (req, res, next) => {
  priceOf(req.params.item)
    .then((price) => res.json({ price }))
    .catch(next)
})
app.use(jsonErrors)

start(app, [
  { path: '/prices/teapot', prints: '{"price":10} 200' },
  { path: '/prices/teapot', header: 'X-API-Version: v2', prints: '{"price":6} 200' },
  {
    path: '/prices/teapot',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
