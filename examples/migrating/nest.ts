// byVersion() instead of @Version(), and neutral instead of VERSION_NEUTRAL.
import express, { type RequestHandler } from 'express'
import { byVersion, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const findAllV1: RequestHandler = (_req, res) => {
  res.json(['Tom'])
}
const findAllV2: RequestHandler = (_req, res) => {
  res.json({ cats: [{ name: 'Tom' }] })
}
const findOne: RequestHandler = (req, res) => {
  res.json({ id: req.params.id, version: req.version })
}

const cats = namedRoutes({ 'cat-list': '/cats', cat: '/cats/:id' })
cats.route('cat-list').get(byVersion({ 1: findAllV1, 2: findAllV2 }))
// @Version(['1', '2']): one handler for all versions needs no byVersion().
cats.route('cat').get(findOne)

const api = namedRoutes({ health: '/health' }).include('/v:version', cats)
api.route('health').get((req, res) => {
  res.json({ ok: true, version: req.version })
})

const app = express()
app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['1', '2'], routes: api, neutral: ['health'] }), api)
app.use(jsonErrors)

start(app, [
  { path: '/v1/cats', prints: '["Tom"] 200' },
  { path: '/v2/cats', prints: '{"cats":[{"name":"Tom"}]} 200' },
  { path: '/v2/cats/7', prints: '{"id":"7","version":"2"} 200' },
  { path: '/health', prints: '{"ok":true,"version":null} 200' },
  { path: '/v3/cats', prints: '{"error":"Invalid version in URL path."} 404' },
])
