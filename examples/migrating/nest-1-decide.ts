// Step 1: versioning() instead of app.enableVersioning({ type: VersioningType.URI }). URLs and versions stay: /v1/cats is version '1'.
import express from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const cats = namedRoutes({ 'cat-list': '/cats' })
const api = namedRoutes({}).include('/v:version', cats)

cats.route('cat-list').get((req, res) => {
  res.json({ version: req.version, self: req.reverse('cat-list') })
})

const app = express()
app.use('/api', versioning({ scheme: URLPathVersioning, allowedVersions: ['1', '2'], routes: api }), api)
app.use(jsonErrors)

start(app, [
  { path: '/api/v1/cats', prints: '{"version":"1","self":"/api/v1/cats"} 200' },
  { path: '/api/v2/cats', prints: '{"version":"2","self":"/api/v2/cats"} 200' },
  { path: '/api/v3/cats', prints: '{"error":"Invalid version in URL path."} 404' },
])
