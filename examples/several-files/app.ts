// An app of several files: a list of versions, a table for each resource, and a table that includes them all.
import express from 'express'
import { URLPathVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'
import { api } from './api'
import { versions } from './versions'

const app = express()
app.use(versioning({ scheme: URLPathVersioning, allowedVersions: versions, routes: api, neutral: ['health'] }), api)
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

start(app, [
  { path: '/v1/users/7', prints: '{"name":"Ada Lovelace","books":"/v1/books"} 200' },
  { path: '/v2/users/7', prints: '{"name":{"given":"Ada","family":"Lovelace"},"books":"/v2/books"} 200' },
  { path: '/v2/books', prints: '{"titles":["Emma","Dracula"],"authors":"/v2/users"} 200' },
  { path: '/v2/nothing', prints: '{"error":"Not found."} 404' },
  { path: '/v9/users/7', prints: '{"error":"Invalid version in URL path."} 404' },
  { path: '/health', prints: '{"ok":true} 200' },
])
