// This suite compares the cost of a contract with Ajv in the handler of the same app.
import { createRequire } from 'node:module'
import { expressOf, packageWith, responding } from './apps.mjs'

const text = { type: 'string' }
const objectOf = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
const Item = objectOf({ product: { type: 'integer' }, quantity: { type: 'integer', minimum: 1 }, note: text })
const Order = {
  $id: 'Order',
  ...objectOf({
    customer: objectOf({ given: text, family: text, email: text }),
    items: { type: 'array', items: Item },
    shipping: { type: 'string', enum: ['standard', 'express'] },
  }),
}
const ORDER = {
  customer: { given: 'Ada', family: 'Lovelace', email: 'ada@example.com' },
  items: Array.from({ length: 10 }, (_, product) => ({ product, quantity: 2, note: 'Wrapped, please.' })),
  shipping: 'express',
}
/** A property that the version never had is taken away. */
const MORE = { ...ORDER, status: 'draft' }

/** @param {boolean} isContract whether the contract judges the body, or the handler */
async function appWith(major, isContract, sent) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const { change, versionHistory } = await import('express-versioning/changes')
  const { contract } = await import('express-versioning/contract')
  const { Ajv2020 } = createRequire(new URL('../../package.json', import.meta.url))('ajv/dist/2020')
  const ajv = new Ajv2020({ strict: false })
  const validate = ajv.compile(Order)
  const express = await expressOf(major)
  const api = namedRoutes({ 'order-list': '/orders' })
  api.describe('POST order-list', { body: Order, response: null })
  api.route('order-list').post((req, res) => {
    if (!isContract && !validate(req.body)) throw new Error('rejected')
    res.end('1')
  })
  const changes = versionHistory('v1').version(
    'v2',
    change('Lists.', { 'POST order-list': { headers: { 'X-A': null } } }),
  )
  const options = { scheme: HeaderVersioning, routes: api, changes }
  const given = isContract ? { contract: contract({ compile: (schema) => ajv.compile(schema) }) } : {}
  const app = express()
  app.use(versioning({ ...options, ...given }), express.json(), api)
  const headers = { 'X-API-Version': 'v1' }
  return responding(app, { method: 'POST', url: '/orders', headers, content: JSON.stringify(sent), body: '1' })
}

/** @param {4 | 5} major of Express */
export function contracts(major) {
  const pair = (id, label, ratio, sent) =>
    [
      [`ajv-${id}`, `Ajv in the handler: ${label}`, false],
      [id, `**a contract**: ${label}`, true],
    ].map(([name, title, isContract]) => ({
      id: name,
      label: title,
      ...(isContract ? { floor: `ajv-${id}`, limits: { ratio } } : {}),
      prepare: () => appWith(major, isContract, sent),
    }))
  return {
    id: `contracts-${major}`,
    title: `Contracts, over Ajv in the handler, Express ${major}`,
    about:
      'A body of ten items in an older version. The contract copies it, looks for unknown properties and asks Ajv. A body that loses a property is copied twice: for the handler, and for Ajv, which may change its copy.',
    cases: [
      ...pair('fits', 'a body of the schema', 1.2, ORDER),
      ...pair('stripped', 'a body with a property that the version does not have', 1.45, MORE),
    ],
  }
}
