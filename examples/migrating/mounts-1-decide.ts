// Step 1: one mount for all versions. The routers stay as they are.
import express from 'express'
import { byVersion, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const v1 = express.Router()
v1.get('/users/:id', (req, res) => {
  res.json({ name: 'Ada Lovelace', self: `/v1/users/${req.params.id}` })
})
v1.get('/books', (_req, res) => {
  res.json({ books: ['Emma', 'Dracula'] })
})

const v2 = express.Router()
v2.get('/users/:id', (req, res) => {
  res.json({ name: { given: 'Ada', family: 'Lovelace' }, self: `/v2/users/${req.params.id}` })
})
v2.get('/books', (_req, res) => {
  res.json({ books: ['Emma', 'Dracula'] })
})

const app = express()
// Before the versions: "health" would be taken for one.
app.get('/health', (_req, res) => {
  res.json({ ok: true })
})
app.use('/:version', versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }), byVersion({ v1, v2 }))
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

start(app, [
  { path: '/v1/users/7', prints: '{"name":"Ada Lovelace","self":"/v1/users/7"} 200' },
  { path: '/v2/users/7', prints: '{"name":{"given":"Ada","family":"Lovelace"},"self":"/v2/users/7"} 200' },
  { path: '/v2/books', prints: '{"books":["Emma","Dracula"]} 200' },
  { path: '/v2/nothing', prints: '{"error":"Not found."} 404' },
  { path: '/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
  { path: '/health', prints: '{"ok":true} 200' },
])
