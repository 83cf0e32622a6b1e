// Step 3: routes with names. Handlers spell no URLs any more, so links cannot lead to another version by mistake.
import express from 'express'
import { byVersion, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const shop = namedRoutes({ user: '/users/:id', books: '/books' })
const api = namedRoutes({ health: '/health' }).include('/:version', shop)

shop.route('user').get(
  byVersion({
    v1: (req, res) => {
      res.json({ name: 'Ada Lovelace', self: req.reverse('user', { args: [String(req.params.id)] }) })
    },
    v2: (req, res) => {
      const self = req.reverse('user', { args: [String(req.params.id)] })
      res.json({ name: { given: 'Ada', family: 'Lovelace' }, self, books: req.reverse('books') })
    },
  }),
)
shop.route('books').get((_req, res) => {
  res.json({ books: ['Emma', 'Dracula'] })
})
api.route('health').get((_req, res) => {
  res.json({ ok: true })
})

const app = express()
app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes: api, neutral: ['health'] }), api)
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

start(app, [
  { path: '/v1/users/7', prints: '{"name":"Ada Lovelace","self":"/v1/users/7"} 200' },
  {
    path: '/v2/users/7',
    prints: '{"name":{"given":"Ada","family":"Lovelace"},"self":"/v2/users/7","books":"/v2/books"} 200',
  },
  { path: '/v2/nothing', prints: '{"error":"Not found."} 404' },
  { path: '/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
  { path: '/health', prints: '{"ok":true} 200' },
])
