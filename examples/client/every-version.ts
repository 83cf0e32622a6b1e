// Tests of every version over HTTP: `node --test dist-examples/client/every-version.js`. Any test framework works.
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { after, before, test } from 'node:test'
import { inVersion, versionsOf } from 'express-versioning/client'
import { app, mount, options } from './api'

let server: Server
let base: string
before(() => {
  server = app.listen(0)
  const address = server.address()
  assert(typeof address === 'object' && address !== null)
  base = `http://127.0.0.1:${address.port}`
})
after(() => {
  server.close()
  server.closeAllConnections()
})

const expected: Record<string, object> = {
  v1: { id: '7', name: 'Ada Lovelace' },
  v2: { id: '7', given: 'Ada', family: 'Lovelace' },
}

for (const version of versionsOf(options)) {
  const client = inVersion(version, options, { mount })

  test(`${version}: a user`, async () => {
    const url = client.url('user-detail', { kwargs: { id: 7 } }, base)
    const response = await fetch(url, { headers: client.headers })
    assert.deepEqual(await response.json(), expected[version])
  })

  test(`${version}: links stay in it`, async () => {
    const response = await fetch(client.url('user-list', {}, base), { headers: client.headers })
    assert.deepEqual(await response.json(), { first: client.path('user-detail', { kwargs: { id: 7 } }) })
  })

  test(`${version}: health has no version`, async () => {
    const response = await fetch(client.url('health', {}, base), { headers: client.headers })
    assert.deepEqual(await response.json(), { ok: true })
  })
}

test('a version that is not there is rejected', async () => {
  const v9 = inVersion('v9', options, { mount, unchecked: true })
  const response = await fetch(v9.url('user-list', {}, base), { headers: v9.headers })
  assert.deepEqual([response.status, await response.json()], [404, { error: 'Invalid version in URL path.' }])
})

test('a link in a mail leads through the proxy, which takes off /shop', () => {
  const v2 = inVersion('v2', options, { mount })
  const url = v2.url('user-detail', { kwargs: { id: 7 }, query: { from: 'mail' } }, 'https://example.com/shop')
  assert.equal(url, 'https://example.com/shop/api/v2/users/7?from=mail')
})
