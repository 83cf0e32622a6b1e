// The version as a parameter of Accept: GET /users/7
// Accept: application/json; version=v2
import express from 'express'
import { AcceptHeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

const users = namedRoutes({ user: '/users/:id' })

users.route('user').get((req, res) => {
  const { id } = req.params
  const self = req.reverse('user', { kwargs: { id } })
  res.format({
    json: () => res.json({ version: req.version, self }),
    text: () => res.send(`version ${req.version} of ${self}`),
  })
})

// The media types of this API. Without the list, the client's first choice is taken.
const mediaTypes = ['application/json', 'text/plain']
const scheme = new AcceptHeaderVersioning({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], mediaTypes })

const app = express()
app.use(versioning({ scheme, routes: users }), users)
app.use(jsonErrors)

start(app, [
  {
    path: '/users/7',
    header: 'Accept: application/json; version=v2',
    prints: '{"version":"v2","self":"/users/7"} 200',
  },
  { path: '/users/7', header: 'Accept: text/plain; version=v1', prints: 'version v1 of /users/7 200' },
  // The media range with the higher q wins, and has the version.
  {
    path: '/users/7',
    header: 'Accept: text/plain; q=0.5; version=v1, application/json; version=v2',
    prints: '{"version":"v2","self":"/users/7"} 200',
  },
  { path: '/users/7', prints: '{"version":"v1","self":"/users/7"} 200' },
  {
    path: '/users/7',
    header: 'Accept: application/json; version=v9',
    prints: '{"error":"Invalid version in \\"Accept\\" header."} 406',
  },
])
