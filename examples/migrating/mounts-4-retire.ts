// Step 4: a third version in one line, and the first on its way out.
import express from 'express'
import { byVersion, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const shop = namedRoutes({ user: '/users/:id' })
const api = namedRoutes({}).include('/:version', shop)

shop.route('user').get(
  byVersion(
    {
      v1: (req, res) => {
        res.json({ name: 'Ada Lovelace', self: req.reverse('user', { args: [String(req.params.id)] }) })
      },
      v2: (req, res) => {
        const self = req.reverse('user', { args: [String(req.params.id)] })
        res.json({ name: { given: 'Ada', family: 'Lovelace' }, self })
      },
    },
    { fallback: 'lower' },
  ),
)

const app = express()
app.use(
  versioning({
    scheme: URLPathVersioning,
    allowedVersions: ['v1', 'v2', 'v3'],
    lifecycle: {
      v1: { deprecated: '2026-01-01', sunset: '2099-01-01', info: 'https://api.example.com/v1-ends', successor: 'v3' },
    },
    afterSunset: 'gone',
    reportVersions: true,
    routes: api,
  }),
  api,
)
app.use(jsonErrors)

start(app, [
  { path: '/v3/users/7', prints: '{"name":{"given":"Ada","family":"Lovelace"},"self":"/v3/users/7"} 200' },
  {
    path: '/v1/users/7',
    grep: '^(Sunset|Link|API-)',
    prints: [
      'API-Supported-Versions: v1, v2, v3',
      'API-Deprecated-Versions: v1',
      'API-Version: v1',
      'Sunset: Thu, 01 Jan 2099 00:00:00 GMT',
      'Link: <https://api.example.com/v1-ends>; rel="deprecation"; type="text/html", <https://api.example.com/v1-ends>; rel="sunset", </v3/users/7>; rel="successor-version"',
    ],
  },
  { path: '/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
])
