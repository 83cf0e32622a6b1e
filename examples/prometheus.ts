// Requests are counted by version, route and consumer for Prometheus, and /metrics shows the counts.
import express from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { versionMetrics } from 'express-versioning/metrics'
import client, { Registry } from 'prom-client'
import { jsonErrors, start } from './support/start'

const register = new Registry()
const routes = namedRoutes({ user: '/users/:id', metrics: '/metrics' })

routes.route('user').get((req, res) => {
  res.json({ version: req.version })
})

routes.route('metrics').get((_req, res, next) => {
  register.metrics().then((text) => res.set('Content-Type', register.contentType).end(text), next)
})

const options: VersioningOptions = {
  scheme: HeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  lifecycle: { v1: { deprecated: '2026-01-01', sunset: '2099-01-01' } },
  routes,
  // Prometheus asks for no version, and is not counted.
  neutral: ['metrics'],
}

// Without a list, each text in X-Account would begin a series.
const accounts = ['acme', 'globex']
const metrics = versionMetrics(options, {
  prometheus: client,
  register,
  consumer: (req) => req.get('X-Account'),
  consumers: accounts,
})

const app = express()
app.use(versioning({ ...options, onVersion: metrics.onVersion }), routes)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', prints: '{"version":"v1"} 200' },
  { path: '/users/7', header: 'X-API-Version: v2', prints: '{"version":"v2"} 200' },
  { path: '/users/7', header: 'X-Account: acme', prints: '{"version":"v1"} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
  {
    path: '/metrics',
    grep: '^api_version_requests_total{.* [1-9]',
    prints: [
      'api_version_requests_total{version="v1",named="false",route="user",method="GET",status="2xx",code=""} 2',
      'api_version_requests_total{version="v2",named="true",route="user",method="GET",status="2xx",code=""} 1',
      'api_version_requests_total{version="none",named="true",route="user",method="GET",status="4xx",code="ERR_VERSION_NOT_ACCEPTABLE"} 1',
    ],
  },
  {
    path: '/metrics',
    grep: '^api_version_(consumer_requests_total.* [1-9]|info)',
    prints: [
      'api_version_consumer_requests_total{version="v1",named="false",consumer="acme"} 1',
      'api_version_consumer_requests_total{version="v1",named="false",consumer=""} 1',
      'api_version_consumer_requests_total{version="v2",named="true",consumer=""} 1',
      'api_version_consumer_requests_total{version="none",named="true",consumer=""} 1',
      'api_version_info{version="v1",state="deprecated"} 1',
      'api_version_info{version="v2",state="served"} 1',
    ],
  },
])
