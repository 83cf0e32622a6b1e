// Requests are counted by version and route, and /metrics shows the counts.
import express from 'express'
import { HeaderVersioning, namedRoutes, type VersionEvent, versioning } from 'express-versioning'
import { Counter, Registry } from 'prom-client'
import { jsonErrors, start } from './support'

const register = new Registry()
const requests = new Counter({
  name: 'api_requests_total',
  help: 'Requests by API version and route',
  labelNames: ['version', 'route', 'deprecated'],
  registers: [register],
})

function count({ version, viewName, deprecated, error }: VersionEvent): void {
  // With `allowedVersions`, clients cannot add label values, so the number of series is limited. A request that fails after the
  // decision counts in its version, and as refused.
  requests.inc({
    version: error === undefined ? (version ?? 'none') : 'refused',
    route: viewName ?? 'unknown',
    deprecated: String(deprecated),
  })
}

const routes = namedRoutes({ user: '/users/:id', metrics: '/metrics' })

routes.route('user').get((req, res) => {
  res.json({ version: req.version })
})

routes.route('metrics').get((_req, res, next) => {
  register.metrics().then((text) => res.set('Content-Type', register.contentType).end(text), next)
})

const app = express()
app.use(
  versioning({
    scheme: HeaderVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { deprecated: '2026-01-01' } },
    routes,
    onVersion: count,
    // The scraper needs no version, and is not counted.
    neutral: ['metrics'],
  }),
  routes,
)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', prints: '{"version":"v1"} 200' },
  { path: '/users/7', header: 'X-API-Version: v1', prints: '{"version":"v1"} 200' },
  { path: '/users/7', header: 'X-API-Version: v2', prints: '{"version":"v2"} 200' },
  { path: '/users/8', header: 'X-API-Version: v2', prints: '{"version":"v2"} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
  {
    path: '/metrics',
    grep: '^api_requests_total{',
    prints: [
      'api_requests_total{version="v1",route="user",deprecated="true"} 2',
      'api_requests_total{version="v2",route="user",deprecated="false"} 2',
      'api_requests_total{version="refused",route="user",deprecated="false"} 1',
    ],
  },
])
