// Version headers for scripts of other origins.
import express from 'express'
import { exposedHeaders, HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const users = namedRoutes({ user: '/users/:id' })
users.route('user').get((req, res) => {
  res.json({ version: req.version })
})

const app = express()
// In front of versioning(), so that rejections have these headers too.
app.use((_req, res, next) => {
  res.set('Access-Control-Allow-Origin', 'https://shop.example.com')
  res.set('Access-Control-Allow-Headers', 'X-API-Version')
  res.set('Access-Control-Expose-Headers', exposedHeaders.join(', '))
  next()
})
app.use(
  versioning({
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    lifecycle: { v1: { sunset: '2099-01-01' } },
    reportVersions: true,
    routes: users,
  }),
  users,
)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'X-API-Version: v2', prints: '{"version":"v2"} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: v1',
    grep: '^(Access|API|Sunset)',
    prints: [
      'Access-Control-Allow-Origin: https://shop.example.com',
      'Access-Control-Allow-Headers: X-API-Version',
      'Access-Control-Expose-Headers: API-Supported-Versions, API-Deprecated-Versions, API-Version, API-Changes-Met, Deprecation, Sunset, Link',
      'API-Supported-Versions: v1, v2',
      'API-Version: v1',
      'Sunset: Thu, 01 Jan 2099 00:00:00 GMT',
    ],
  },
  {
    path: '/users/7',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
