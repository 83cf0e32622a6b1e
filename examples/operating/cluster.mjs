// A cluster: each worker counts its requests, and the primary adds them up on a port of its own. It keeps the counts of workers that end.
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { versionMetrics } from 'express-versioning/metrics'
import client from 'prom-client'

const { PORT = '3000', METRICS_PORT = '9464', WORKERS = '2' } = process.env

if (cluster.isPrimary) {
  const latest = new Map()
  let ended = []
  cluster.on('message', ({ id }, { metrics }) => {
    if (metrics !== undefined) latest.set(id, metrics)
  })
  cluster.on('exit', async ({ id, exitedAfterDisconnect }) => {
    const last = latest.get(id)
    latest.delete(id)
    if (last !== undefined) ended.push(last)
    if (!exitedAfterDisconnect) cluster.fork()
    if (ended.length > 20) ended = [await client.AggregatorRegistry.aggregate(ended).getMetricsAsJSON()]
  })
  for (let count = 0; count < Number(WORKERS); count++) cluster.fork()
  createServer(async (_req, res) => {
    const all = client.AggregatorRegistry.aggregate([...ended, ...latest.values()])
    res.setHeader('Content-Type', all.contentType).end(await all.metrics())
  }).listen(Number(METRICS_PORT), '127.0.0.1')
} else {
  const routes = namedRoutes({ user: '/users/:id' })
  routes.route('user').get((req, res) => res.json({ version: req.version }))
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], routes }
  const { onVersion } = versionMetrics(options, { prometheus: client })
  // A worker sends its counts, because it may die at any time.
  const tell = async () => process.send({ metrics: await client.register.getMetricsAsJSON() })
  setInterval(tell, 250)
  await tell()
  express()
    .use(versioning({ ...options, onVersion }), routes)
    .listen(Number(PORT), '127.0.0.1')
}
