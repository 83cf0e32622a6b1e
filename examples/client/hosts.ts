// The same with the version in the host: `node --test dist-examples/client/hosts.js`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import express from 'express'
import { HostNameVersioning, namedRoutes, versioning } from 'express-versioning'
import { inVersion, versionsOf } from 'express-versioning/client'

const routes = namedRoutes({ user: '/users/:id' })
routes.route('user').get((req, res) => {
  res.json({ version: req.version, self: req.reverse('user', { kwargs: req.params, absolute: true }) })
})
const options = { scheme: HostNameVersioning, allowedVersions: ['v1', 'v2'], routes }
const app = express()
app.use(versioning(options), routes)

for (const version of versionsOf(options)) {
  test(`${version}: a user`, async () => {
    const client = inVersion(version, options, { host: 'example.com' })
    const server = app.listen(0)
    try {
      const address = server.address()
      assert(typeof address === 'object' && address !== null)
      const path = client.path('user', { kwargs: { id: 7 } })
      // fetch() drops the field Host.
      const sent = get({ port: address.port, path, headers: client.headers })
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const self = client.url('user', { kwargs: { id: 7 } }, 'http://any.example.com')
      assert.deepEqual(await json(response), { version, self })
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
}
