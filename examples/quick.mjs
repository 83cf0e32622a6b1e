// Two versions of one API in one file, asked by itself: `node node_modules/express-versioning/examples/quick.mjs`, beside express.
import express from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'

const text = { type: 'string' }
const Article = {
  $id: 'Article',
  type: 'object',
  properties: { title: text, language: text },
  required: ['title', 'language'],
}

const routes = namedRoutes({ article: '/articles/:id' })
routes.describe('GET article', { response: Article })
// The handler knows the newest version only.
routes.route('article').get((_req, res) => res.json({ title: 'Emma', language: 'en' }))

const titled = change('Articles have `title` instead of `name`, and a `language`.', {
  Article: fields({ renamed: { name: 'title' }, added: ['language'] }),
})
const changes = versionHistory('2024-01-01').version('2025-01-01', titled)

const app = express()
// The clients that you have send no version yet.
app.use(versioning({ scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes, routes }), routes)
app.use((err, _req, res, _next) => res.status(err.status ?? 500).json({ error: err.message }))

const server = app.listen(0, '127.0.0.1', async () => {
  for (const version of ['2025-01-01', '2024-01-01', '1999-01-01']) {
    const url = `http://127.0.0.1:${server.address().port}/articles/1`
    const response = await fetch(url, { headers: { 'X-API-Version': version } })
    console.log(version, response.status, await response.text())
  }
  server.close()
  server.closeAllConnections()
})
