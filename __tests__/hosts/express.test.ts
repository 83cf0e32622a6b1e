import express, { type RequestHandler } from 'express'
import { type NamedRoutes, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { document } from './document'
import { authenticated, end, guards, handleIn, handlersOf, operations, routersOf, todaysApp } from './express-shop'
import { type Service, startService } from './gateway'
import { listen } from './listen'
import { options } from './options'
import { runCases } from './run-cases'
import { tableByHand } from './tables'

const json = express.json()
/** Adds `versioning()` for a table, and what is behind it. */
const versioned = (routes: object, ...behind: (RequestHandler | RequestHandler[])[]) =>
  end(express().use('/api', versioning({ ...options, routes: routes as NamedRoutes }), ...behind))

/** The shop in Express, by the way in which handlers and table meet. */
const apps = {
  'a table with its handlers'() {
    const table = handleIn(tableByHand(), operations)
    return versioned(table, guards(), json, table)
  },
  'a table of a document with its handlers'() {
    const table = handleIn(routesOf(document) as NamedRoutes, operations)
    return versioned(table, guards(), json, table)
  },
  'a document and plain routers': () => versioned(routesOf(document), guards(), json, convertRequest, routersOf()),
  'a document and plain routers that convert': () =>
    versioned(routesOf(document), json, guards(), routersOf([convertRequest])),
  'a table by hand and plain routers': () =>
    versioned(tableByHand({ handlers: 'elsewhere' }), guards(), json, convertRequest, routersOf()),
  'a table of a document that has some handlers, and plain routers'() {
    const handlers = handlersOf()
    const some = operations.filter((one) => one.includes('/users'))
    const table = handleIn(routesOf(document) as NamedRoutes, some, handlers)
    return versioned(table, guards(), json, table, convertRequest, routersOf([], handlers))
  },
}
for (const [name, app] of Object.entries(apps)) {
  runCases({ name, start: (hasPackage) => listen(hasPackage ? app() : todaysApp()) })
}

describe('a gateway', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  runCases({
    name: 'a service in another process',
    isProxy: true,
    async start(hasPackage) {
      await service.reset()
      if (!hasPackage) return service.direct
      const health = express.Router().get('/health', service.proxy)
      return listen(versioned(routesOf(document), health, authenticated, convertRequest.with(json), service.proxy))
    },
  })
})
