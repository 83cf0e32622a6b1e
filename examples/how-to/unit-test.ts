// Tests of a handler that makes links: `node --test dist-examples/how-to/unit-test.js`. Any test framework works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import express, { type RequestHandler } from 'express'
import { namedRoutes, URLPathVersioning, versioning } from 'express-versioning'

const showUser: RequestHandler<{ id: string }> = (req, res) => {
  res.json({ id: req.params.id, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
}

test('the handler alone', () => {
  const responses: unknown[] = []
  const req = {
    params: { id: '7' },
    reverse: (name: string, { kwargs }: { kwargs: { id: string } }) => `${name} ${kwargs.id}`,
  }
  const res = { json: (body: unknown) => responses.push(body) }
  showUser(req as never, res as never, () => assert.fail('passed on'))
  assert.deepEqual(responses, [{ id: '7', self: 'user 7' }])
})

test('the handler where it stands, over HTTP', async () => {
  const users = namedRoutes({ user: '/users/:id' })
  users.route('user').get(showUser)
  const routes = namedRoutes({}).include('/:version', users)
  const app = express()
  app.use(versioning({ scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'], routes }), routes)

  const server = app.listen(0)
  try {
    const address = server.address()
    assert(typeof address === 'object' && address !== null)
    for (const version of ['v1', 'v2']) {
      const response = await fetch(`http://127.0.0.1:${address.port}/${version}/users/7`)
      assert.deepEqual(await response.json(), { id: '7', self: `/${version}/users/7` })
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
