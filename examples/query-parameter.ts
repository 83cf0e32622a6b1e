// The version in the query: GET /users/7?version=v2
import express from 'express'
import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

const users = namedRoutes({ 'user-list': '/users', user: '/users/:id' })

users.route('user-list').get((req, res) => {
  res.json({ version: req.version, next: req.reverse('user-list', { query: { page: 2, sort: ['name', 'age'] } }) })
})

users.route('user').get((req, res) => {
  const { id } = req.params
  res.json({ version: req.version, self: req.reverse('user', { kwargs: { id } }) })
})

const app = express()
app.use(
  versioning({
    scheme: QueryParameterVersioning,
    defaultVersion: 'v1',
    allowedVersions: ['v1', 'v2'],
    routes: users,
  }),
  users,
)
app.use(jsonErrors)

start(app, [
  { path: '/users/7?version=v2', prints: '{"version":"v2","self":"/users/7?version=v2"} 200' },
  {
    path: '/users?page=1&version=v2',
    prints: '{"version":"v2","next":"/users?page=2&sort=name&sort=age&version=v2"} 200',
  },
  { path: '/users/7', prints: '{"version":"v1","self":"/users/7?version=v1"} 200' },
  { path: '/users/7?version=v9', prints: '{"error":"Invalid version in query parameter."} 404' },
  // Two different versions are rejected.
  { path: '/users/7?version=v1&version=v2', prints: '{"error":"Invalid version in query parameter."} 404' },
])
