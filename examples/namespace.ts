// The version in the path, and routes of its own for each version: GET /v2/users/7. The routes below /v2 have their own table.
import express from 'express'
import { NamespaceVersioning, namedRoutes, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

const users = namedRoutes({ user: '/users/:id' })

users.route('user').get((req, res) => {
  const self = req.reverse('user', { kwargs: { id: req.params.id } })
  res.json({ version: req.version, name: 'Ada Lovelace', self })
})

// Version 2 moved the users. Their name is the same, so links need no change.
const usersV2 = namedRoutes({ user: '/people/:id' })

usersV2.route('user').get((req, res) => {
  const self = req.reverse('user', { kwargs: { id: req.params.id } })
  res.json({ version: req.version, name: { given: 'Ada', family: 'Lovelace' }, self })
})

const api = namedRoutes({})
  .include('/v1', users, { namespace: 'v1' })
  .include('/v2', usersV2, { namespace: 'v2' })
  .include('/beta', usersV2, { namespace: 'beta' })

const app = express()
app.use('/api', versioning({ scheme: NamespaceVersioning, allowedVersions: ['v1', 'v2'], routes: api }), api)
app.use(jsonErrors)

start(app, [
  { path: '/api/v1/users/7', prints: '{"version":"v1","name":"Ada Lovelace","self":"/api/v1/users/7"} 200' },
  {
    path: '/api/v2/people/7',
    prints: '{"version":"v2","name":{"given":"Ada","family":"Lovelace"},"self":"/api/v2/people/7"} 200',
  },
  // This namespace is not an allowed version.
  {
    path: '/api/beta/people/7',
    prints: '{"error":"Invalid version in URL path. Does not match any version namespace."} 404',
  },
])
