// Step 2: one router. Equal handlers are merged, and different ones stand side by side.
import express from 'express'
import { byVersion, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const api = express.Router()
api.get(
  '/users/:id',
  byVersion({
    v1: (req, res) => res.json({ name: 'Ada Lovelace', self: `${req.baseUrl}/users/${req.params.id}` }),
    v2: (req, res) => {
      res.json({ name: { given: 'Ada', family: 'Lovelace' }, self: `${req.baseUrl}/users/${req.params.id}` })
    },
  }),
)
api.get('/books', (_req, res) => {
  res.json({ books: ['Emma', 'Dracula'] })
})

const app = express()
app.get('/health', (_req, res) => {
  res.json({ ok: true })
})
app.use('/:version', versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }), api)
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

start(app, [
  { path: '/v1/users/7', prints: '{"name":"Ada Lovelace","self":"/v1/users/7"} 200' },
  { path: '/v2/users/7', prints: '{"name":{"given":"Ada","family":"Lovelace"},"self":"/v2/users/7"} 200' },
  { path: '/v2/books', prints: '{"books":["Emma","Dracula"]} 200' },
  { path: '/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
])
