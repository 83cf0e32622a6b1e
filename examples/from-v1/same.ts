// The new API responses /v1 as the old one did: `node --test dist-examples/from-v1/same.js`.
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { after, test } from 'node:test'
import { api } from './api'
import { oldApi } from './old'

type Sent = [method: string, path: string, body?: unknown, headers?: Record<string, string>]

const requests: Sent[] = [
  ['GET', '/v1/users'],
  ['GET', '/v1/users?max=1&page=2'],
  ['GET', '/v1/users?max=1&page=2&sort=name'],
  ['GET', '/v1/users/1'],
  ['GET', '/v1/users/9'],
  ['POST', '/v1/users', { name: 'Mary Ann Evans' }],
  ['POST', '/v1/users', { name: 'Plato' }],
  ['POST', '/v1/users', { name: '' }],
  ['POST', '/v1/users', { given: 'Ada', family: 'Lovelace' }],
  ['POST', '/v1/users', []],
  ['GET', '/v1/users/4'],
  ['GET', '/v1/users/5'],
  ['GET', '/v1/users/1', undefined, { Authorization: 'Bearer wrong' }],
  ['POST', '/v1/auth/token', { user: 'ada' }],
  ['POST', '/v1/auth/token', { user: 'nobody' }],
  ['POST', '/v1/auth/token'],
  ['POST', '/v1/auth/token', { user: 'ada' }], // one too many
  ['GET', '/v1/nothing'],
]

const before = oldApi().listen(0)
const now = api().listen(0)
after(() => {
  for (const server of [before, now]) {
    server.close()
    server.closeAllConnections()
  }
})

/** Sends a request to an API, and returns its response. */
async function response(server: Server, [method, path, body, headers]: Sent) {
  const address = server.address()
  assert(typeof address === 'object' && address !== null)
  const response = await fetch(`http://127.0.0.1:${address.port}${path}`, {
    method,
    headers: { Authorization: 'Bearer token-of-ada', 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: response.status, type: response.headers.get('Content-Type'), body: await response.text() }
}

for (const request of requests) {
  const [method, path, body] = request
  test(`${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
    assert.deepEqual(await response(now, request), await response(before, request))
  })
}

test('the limit counts the requests of all versions', async () => {
  const { status, body } = await response(now, ['POST', '/v2/auth/token', { user: 'ada' }])
  assert.deepEqual([status, JSON.parse(body)], [429, { error: { code: 'SLOW', message: 'Too many requests.' } }])
})
