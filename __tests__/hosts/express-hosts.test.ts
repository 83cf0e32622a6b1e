import { request } from 'node:http'
import express, { type RequestHandler } from 'express'
import { type NamedRoutes, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { sendConverted } from 'express-versioning/gateway'
import { routesOf } from 'express-versioning/openapi'
import { listen } from '../support/serve'
import { document } from './document'
import { authenticated, end, guards, handleIn, handlersOf, operations, routersOf, todaysApp } from './express-shop'
import { options } from './options'
import { runCases } from './run-cases'

const json = express.json()
/** Adds `versioning()` for a table, and what is behind it. */
const versioned = (routes: object, ...behind: (RequestHandler | RequestHandler[])[]) =>
  end(express().use('/api', versioning({ ...options, routes: routes as NamedRoutes }), ...behind))

/** The shop in Express, by the way in which handlers and table meet. */
const apps = {
  'a table of a document with its handlers'() {
    const table = handleIn(routesOf(document) as NamedRoutes, operations)
    return versioned(table, guards(), json, table)
  },
  'a document and plain routers': () => versioned(routesOf(document), guards(), json, convertRequest, routersOf()),
  'a table of a document that has some handlers, and plain routers'() {
    const handlers = handlersOf()
    const some = operations.filter((one) => one.includes('/users'))
    const table = handleIn(routesOf(document) as NamedRoutes, some, handlers)
    return versioned(table, guards(), json, table, convertRequest, routersOf(handlers))
  },
}
for (const [name, app] of Object.entries(apps)) runCases({ name, start: () => listen(app()) })

/** Sends requests on, with the converted body and query if they were converted here. */
function proxyTo(port: number): RequestHandler {
  return (req, res, next) => {
    const { method, baseUrl, url, headers } = req
    const proxyReq = request({ host: '127.0.0.1', port, method, path: baseUrl + url, headers }, (answer) => {
      res.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(res)
    })
    proxyReq.on('error', next)
    sendConverted(proxyReq, req)
    req.pipe(proxyReq)
  }
}

runCases({
  name: 'a gateway',
  isProxy: true,
  async start() {
    const service = await listen(todaysApp())
    const [proxy, routes] = [proxyTo(service.port), routesOf(document)]
    const health = express.Router().get('/health', proxy)
    return listen(versioned(routes, health, authenticated, convertRequest.with(json), proxy))
  },
})
