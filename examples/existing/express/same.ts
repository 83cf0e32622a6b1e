// Clients without a version notice nothing: `node --test dist-examples/existing/express/same.js`. The responses in recorded.json
// are those of the app before its first change.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { checkHistory } from 'express-versioning/testing'
import { app, options } from './app'

interface Recorded {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  response: { status: number; type: string; location: string | null; body: string }
}

const recorded: Recorded[] = JSON.parse(readFileSync('examples/existing/express/recorded.json', 'utf8'))
const server = app.listen(0)
after(() => {
  server.close()
  server.closeAllConnections()
})

for (const { method, path, headers, body = null, response } of recorded) {
  test(`${method} ${path} ${body ?? ''}`, async () => {
    const address = server.address()
    assert(typeof address === 'object' && address !== null)
    const found = await fetch(`http://127.0.0.1:${address.port}${path}`, { method, headers, body })
    const [type, location] = [found.headers.get('Content-Type'), found.headers.get('Location')]
    assert.deepEqual({ status: found.status, type, location, body: await found.text() }, response)
  })
}

test('no step makes a mistake with values of the schemas', async () => {
  assert.deepEqual(await checkHistory(options, { lossy: {} }), [])
})
