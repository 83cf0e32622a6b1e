// A cluster: each worker counts its requests, and the primary adds them up on a port of its own.
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { versionMetrics } from 'express-versioning/metrics'
import client from 'prom-client'

const { PORT = '3000', METRICS_PORT = '9464', WORKERS = '2' } = process.env
// In the primary it asks the workers, in a worker it responses.
const aggregator = new client.AggregatorRegistry()

if (cluster.isPrimary) {
  for (let count = 0; count < Number(WORKERS); count++) cluster.fork()
  createServer((_req, res) => {
    const failed = () => res.writeHead(503).end()
    aggregator.clusterMetrics().then((text) => res.setHeader('Content-Type', aggregator.contentType).end(text), failed)
  }).listen(Number(METRICS_PORT), '127.0.0.1')
} else {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => res.json({ version: req.version }))
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], routes }
  const { onVersion } = versionMetrics(options, { prometheus: client })
  express()
    .use(versioning({ ...options, onVersion }), routes)
    .listen(Number(PORT), '127.0.0.1')
}
