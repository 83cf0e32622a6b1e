// Tests that the responses of each version are what its OpenAPI document says: `node --test dist-examples/how-to/check-responses.js`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020'
import type { OpenApiDocument } from 'express-versioning/openapi'
import { history } from '../changes/history'
import { shop } from '../changes/shop'

/** Makes a function that checks a response against a document. */
function responsesOf(document: OpenApiDocument) {
  // Not strict, because a document is more than a schema. Formats, such as those of dates, need the package ajv-formats.
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'document')
  const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
  return (method: string, path: string, status: number, body: unknown) => {
    const at = ['paths', path, method, 'responses', `${status}`, 'content', 'application/json', 'schema'].map(escaped)
    const validate = ajv.getSchema(`document#/${at.join('/')}`)
    assert(validate, `the document does not have ${method} ${path} with ${status}`)
    assert(validate(body), ajv.errorsText(validate.errors))
  }
}

const requests = [
  ['get', '/products', '/products'],
  ['get', '/products/{id}', '/products/1'],
  ['post', '/orders', '/orders', { product: 2, quantity: 3, shipping: 'standard', customer: 1 }],
  ['get', '/orders/{id}', '/orders/1'],
] as const

for (const version of history.versions) {
  test(`responses in ${version} are what the document says`, async () => {
    const server = shop().listen(0)
    try {
      const address = server.address()
      assert(typeof address === 'object' && address !== null)
      const origin = `http://127.0.0.1:${address.port}`
      const document = await (await fetch(`${origin}/openapi/${version}.json`)).json()
      const check = responsesOf(document as OpenApiDocument)
      for (const [method, path, url, body] of requests) {
        const response = await fetch(`${origin}${url}`, {
          method: method.toUpperCase(),
          headers: { 'X-API-Version': version, 'Content-Type': 'application/json' },
          body: body === undefined ? null : JSON.stringify(body),
        })
        check(method, path, response.status, await response.json())
      }
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
}
