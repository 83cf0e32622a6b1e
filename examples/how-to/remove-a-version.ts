// v1 has ended and responds with 410. v0 is removed: the server does not know it any more.
import express from 'express'
import { byVersion, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const users = namedRoutes({ user: '/users/:id' })
// The handlers of v1 are deleted already, because they are never called.
users.route('user').get(
  byVersion({
    v2: (req, res) => {
      res.json({ version: req.version })
    },
  }),
)

const api = namedRoutes({}).include('/:version', users)

const app = express()
app.use(
  versioning({
    scheme: URLPathVersioning,
    // v0 was here once, with dates like those of v1.
    allowedVersions: ['v1', 'v2'],
    lifecycle: {
      v1: { deprecated: '2024-01-01', sunset: '2025-01-01', afterSunset: 'gone', successor: 'v2' },
    },
    routes: api,
  }),
  api,
)
app.use(jsonErrors)

start(app, [
  { path: '/v2/users/7', prints: '{"version":"v2"} 200' },
  { path: '/v1/users/7', prints: '{"error":"This version is no longer served."} 410' },
  {
    path: '/v1/users/7',
    grep: '^(HTTP|Link)',
    prints: ['HTTP/1.1 410 Gone', 'Link: </v2/users/7>; rel="successor-version"'],
  },
  { path: '/v0/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
])
