// A gateway with http-proxy-middleware, in a process of its own. Its arguments are `versioned`, for one with the package, and the
// port of the service.
import express from 'express'
import { versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { sendConverted } from 'express-versioning/gateway'
import { routesOf } from 'express-versioning/openapi'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { document } from '../document'
import { authenticated, end } from '../express-shop'
import { options } from '../options'

const [isVersioned, port] = [process.argv[2] === 'versioned', process.argv[3]]
const target = `http://127.0.0.1:${port}/api`
const app = express()
if (isVersioned) {
  const proxy = createProxyMiddleware({ target, on: { proxyReq: sendConverted } })
  const routes = routesOf(document)
  app.use('/api', versioning({ ...options, routes }), express.Router().get('/health', proxy))
  app.use('/api', authenticated, convertRequest.with(express.json()), proxy)
} else app.use('/api', createProxyMiddleware({ target }))

const server = end(app).listen(0, '127.0.0.1', () => process.send?.({ port: Object(server.address()).port }))
process.once('disconnect', () => process.exit())
