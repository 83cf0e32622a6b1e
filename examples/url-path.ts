// The version in the path: GET /v2/users/7
import express from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

const users = namedRoutes({ user: '/users/:id' })

users.route('user').get((req, res) => {
  const { id } = req.params
  const self = req.reverse('user', { kwargs: { id } })
  const previous = req.reverse('user', { kwargs: { id }, version: 'v1' })
  res.json({ version: req.version, self, previous, health: req.reverse('health') })
})

// The option `versionParam` names the parameter; default: 'version'.
const api = namedRoutes({ health: '/health' }).include('/:version', users)

api.route('health').get((req, res) => {
  res.json({ ok: true, version: req.version })
})

const app = express()
app.use(
  '/api',
  versioning({ scheme: URLPathVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], routes: api }),
  api,
)
app.use(jsonErrors)

start(app, [
  {
    path: '/api/v2/users/7',
    prints: '{"version":"v2","self":"/api/v2/users/7","previous":"/api/v1/users/7","health":"/api/health"} 200',
  },
  // This path has no version, so the request has the default version.
  { path: '/api/health', prints: '{"ok":true,"version":"v1"} 200' },
  { path: '/api/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
])
