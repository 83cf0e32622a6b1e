// The start: each version is a copy of the one before, on a mount of its own. Plain Express.
import express from 'express'
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
app.get('/health', (_req, res) => {
  res.json({ ok: true })
})
app.use('/v1', v1)
app.use('/v2', v2)
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

start(app, [
  { path: '/v1/users/7', prints: '{"name":"Ada Lovelace","self":"/v1/users/7"} 200' },
  { path: '/v2/users/7', prints: '{"name":{"given":"Ada","family":"Lovelace"},"self":"/v2/users/7"} 200' },
  { path: '/v2/books', prints: '{"books":["Emma","Dracula"]} 200' },
  { path: '/v9/users/7', prints: '{"error":"Not found."} 404' },
  { path: '/health', prints: '{"ok":true} 200' },
])
