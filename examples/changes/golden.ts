// Tests of golden/<version>.json, the requests and responses of each version: `node --test dist-examples/changes/golden.js`.
// With GOLDEN=write, the steps write the responses again.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkHistory } from 'express-versioning/testing'
import { history } from './history'
import type { Order, Product } from './shapes'
import { makeShop, shop } from './shop'

interface Golden {
  operation: string
  path: string
  body?: object
  status: number
  response: unknown
}

const fileOf = (version: string) => `examples/changes/golden/${version}.json`
const readGolden = (version: string): Golden[] => JSON.parse(readFileSync(fileOf(version), 'utf8'))

const teapot: Product = { id: 1, name: 'Teapot', price: { amount: 24.5, currency: 'EUR' } }
const cup: Product = { id: 2, name: 'Cup', price: { amount: 6, currency: 'EUR' } }
const total = { amount: 18, currency: 'EUR' }
const order: Order = { id: 1, product: cup, quantity: 3, shipping: 'standard', total }

/** The responses of the handlers, in the newest shape. Removed operations have one too. */
const today: Record<string, unknown> = {
  'GET product-list': { data: [teapot], total: 2 },
  'GET bestseller-list': [teapot],
  'GET product-detail': teapot,
  'POST order-list': order,
  'GET order-detail': order,
}

// The table tells where shapes are.
const byHand = history.for(makeShop().options)

/** Makes the response of a version by the steps. Errors are taken from the file. */
function made({ operation, status, response }: Golden, version: string): unknown {
  return status < 300 ? byHand.response(operation, today[operation], version) : response
}

if (process.env.GOLDEN === 'write') {
  for (const version of history.versions) {
    const anew = readGolden(version).map((golden) => ({ ...golden, response: made(golden, version) }))
    writeFileSync(fileOf(version), `${JSON.stringify(anew, null, 2)}\n`)
  }
}

test('no step makes a mistake with values of the schemas', async () => {
  assert.deepEqual(await checkHistory(makeShop().options), [])
})

for (const version of history.versions) {
  test(`the steps make what clients of ${version} get`, () => {
    for (const golden of readGolden(version)) assert.deepEqual(made(golden, version), golden.response, golden.operation)
  })

  test(`clients of ${version} get that over HTTP`, async () => {
    const server = shop().listen(0)
    try {
      const address = server.address()
      assert(typeof address === 'object' && address !== null)
      for (const { operation, path, body, status, response } of readGolden(version)) {
        const got = await fetch(`http://127.0.0.1:${address.port}${path}`, {
          method: operation.slice(0, operation.indexOf(' ')),
          headers: { 'X-API-Version': version, 'Content-Type': 'application/json' },
          body: body === undefined ? null : JSON.stringify(body),
        })
        assert.deepEqual({ path, status: got.status, response: await got.json() }, { path, status, response })
      }
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
}
