// The version in the host: GET /users/7
// Host: v2.example.com
import express from 'express'
import { HostNameVersioning, namedRoutes, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

const users = namedRoutes({ user: '/users/:id', 'user-in-v1': '/users/:id/in-v1' })

users.route('user').get((req, res) => {
  const { id } = req.params
  const self = req.reverse('user', { kwargs: { id } })
  res.json({ version: req.version, self })
})

users.route('user-in-v1').get((req, res) => {
  // The other version has another host, so the link must be absolute.
  res.json({ v1: req.reverse('user', { kwargs: { id: req.params.id }, version: 'v1', absolute: true }) })
})

const app = express()
app.use(
  versioning({
    scheme: HostNameVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    // The client chooses the Host header. Links may start with these hosts only.
    allowedHosts: ['v1.example.com', 'v2.example.com'],
    routes: users,
  }),
  users,
)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'Host: v2.example.com', prints: '{"version":"v2","self":"/users/7"} 200' },
  { path: '/users/7/in-v1', header: 'Host: v2.example.com', prints: '{"v1":"http://v1.example.com/users/7"} 200' },
  // 127.0.0.1 does not have three labels, so the request has the default version.
  { path: '/users/7', prints: '{"version":"v1","self":"/users/7"} 200' },
  { path: '/users/7', header: 'Host: v9.example.com', prints: '{"error":"Invalid version in hostname."} 404' },
])
