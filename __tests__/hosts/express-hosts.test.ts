import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import express, { type RequestHandler } from 'express'
import { type NamedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { type Case, cases, sentIn } from './cases'
import { document } from './document'
import { authenticated, end, guards, handleIn, handlersOf, operations, routersOf, todaysApp } from './express-shop'
import { type Service, startService } from './gateway'
import { listen } from './listen'
import { options } from './options'
import { golden, runCases } from './run-cases'
import { tableByHand } from './tables'

const json = express.json()
/** Adds `versioning()` for a table, and what is behind it. */
const versioned = (routes: object, ...behind: (RequestHandler | RequestHandler[])[]) =>
  end(express().use('/api', versioning({ ...options, routes: routes as NamedRoutes }), ...behind))

/** Converts as interceptors of other frameworks do. */
const convertingNow: RequestHandler = (req, _res, next) => {
  try {
    convertRequest.now(req)
  } catch (error) {
    return next(error)
  }
  next()
}

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
  'a document and plain routers that convert by a call': () =>
    versioned(routesOf(document), guards(), json, routersOf([convertingNow])),
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

test.each(['2024-01-01', '2026-01-01'] as const)(
  'with the version %s in the path, plain routers are below it',
  async (version) => {
    const changed = versioning({ ...options, scheme: URLPathVersioning, routes: routesOf(document) })
    const running = await listen(end(express().use('/:version', changed, guards(), json, convertRequest, routersOf())))
    const headers = { Authorization: 'Bearer token', 'Content-Type': 'application/json' }
    const send = async (path: string, body?: object) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`http://127.0.0.1:${running.port}/${version}${path}`, { headers, ...init })
      return [response.status, await response.text()]
    }
    const recorded = (request: string) => {
      const found = golden(version).find((one) => one.request === request)
      return [found?.status, found?.body]
    }
    const body = sentIn(version, cases.find(({ method }) => method === 'POST') as Case).body as string
    expect(await send('/users/1')).toEqual(recorded('GET /api/users/1'))
    expect(await send('/users', JSON.parse(body))).toEqual(recorded(`POST /api/users ${body}`))
    await running.close()
  },
)

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

  const body = JSON.stringify({ name: 'Zoë Quinn', email: 'zoe@example.com' })
  const type = 'application/json'
  test.each<[string, Record<string, string>, Buffer[]]>([
    ['in pieces', { 'Content-Type': type }, [Buffer.from(body.slice(0, 12)), Buffer.from(body.slice(12))]],
    ['compressed', { 'Content-Type': type, 'Content-Encoding': 'gzip' }, [gzipSync(body)]],
    ['in UTF-16', { 'Content-Type': `${type}; charset=utf-16le` }, [Buffer.from(body, 'utf16le')]],
  ])('an old body that is sent %s reaches the service converted', async (_, headers, pieces) => {
    await service.reset()
    const running = await listen(versioned(routesOf(document), convertRequest.with(json), service.proxy))
    const path = '/api/users'
    const asked = request({
      port: running.port,
      method: 'POST',
      path,
      headers: { ...headers, Authorization: 'Bearer token' },
    })
    for (const piece of pieces) asked.write(piece)
    const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
    expect(JSON.parse(await text(response))).toEqual({ id: 4, ...JSON.parse(body), role: 'customer' })
    await running.close()
  })
})
