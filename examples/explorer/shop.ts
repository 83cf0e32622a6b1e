// A shop in four versions: one is gone, one is deprecated, and some routes are new or removed.
import express, { type Application, type RequestHandler } from 'express'
import {
  byVersion,
  deprecated,
  HeaderVersioning,
  namedRoutes,
  servedVersion,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import type { UsageSource } from 'express-versioning/usage'
import { jsonErrors } from '../support/start'

const response: RequestHandler = (req, res) => {
  res.json({ version: req.version, served: servedVersion(req) ?? req.version, route: req.resolverMatch?.viewName })
}

const products = namedRoutes({ list: '/', detail: '/:id', bestsellers: '/bestsellers', reviews: '/:id/reviews' })
products.route('list').get(response).post(response)
products.route('bestsellers').get(response)
products.route('detail').get(response).patch(response)
products.route('reviews').get(response)

// The command of the page has this body.
products.describe('POST list', {
  body: {
    type: 'object',
    properties: { name: { type: 'string' }, price: { type: 'number' } },
    required: ['name', 'price'],
    examples: [{ name: 'Teapot', price: 24.5 }],
  },
})

const orders = namedRoutes({ list: '/', detail: '/:id', export: '/export', shipments: '/:id/shipments' })
orders
  .route('list')
  .get(response)
  .post(byVersion({ v1: response, v3: response }, { fallback: 'lower' }))
orders.route('export').get(response)
orders.route('detail').get(response)
orders.route('shipments').get(response)

const customers = namedRoutes({ detail: '/:id', search: '/search', addresses: '/:id/addresses' })
customers.route('search').get(deprecated({ since: '2025-09-01', successor: 'customers:detail' }), response)
customers
  .route('detail')
  .get(byVersion({ v1: response, v4: response }, { fallback: 'lower' }))
  .delete(response)
customers.route('addresses').all(response)

const sessions = namedRoutes({ login: '/login', token: '/token' })
sessions.route('login').post(response)
sessions.route('token').post(response)

export const api = namedRoutes({ status: '/status' })
  .include('/products', products, { namespace: 'products' })
  .include('/orders', orders, { namespace: 'orders' })
  .include('/customers', customers, { namespace: 'customers' })
  .include('/sessions', sessions, { namespace: 'sessions' })
api.route('status').get(response)

type Product = { price: { amount: number; currency: string } }
const withoutCurrency = ({ price, ...product }: Product) => ({ ...product, price: price.amount })

const history = versionHistory('v1')
  .version('v2', change('Products have reviews.', { 'GET products:reviews': 'added' }))
  .version(
    'v3',
    change('Orders come page by page, so there is no export, and no list of bestsellers.', {
      'GET orders:export': 'removed',
      'GET products:bestsellers': 'removed',
    }),
    change('A price has an `amount` and a `currency`.', {
      'GET products:list': { response: (list: Product[]) => list.map(withoutCurrency) },
      'GET products:detail': { response: withoutCurrency },
    }),
    change('Clients send a `token` instead of a cookie.', {
      'POST sessions:login': 'removed',
      'POST sessions:token': 'added',
    }),
  )
  .version('v4', change('An order may be sent in several shipments.', { 'GET orders:shipments': 'added' }))

export const options: VersioningOptions = {
  scheme: HeaderVersioning,
  defaultVersion: 'v4',
  changes: history,
  routes: api,
  neutral: ['status'],
  lifecycle: {
    v1: { deprecated: '2024-01-15', sunset: '2025-01-31', afterSunset: 'gone', successor: 'v3' },
    v2: {
      deprecated: '2025-11-03',
      sunset: '2028-03-31',
      info: 'https://shop.example.com/v2-ends',
      successor: 'v3',
    },
  },
}

/** A record that shows how the page looks with usage. An API asks Prometheus: `prometheusUsage({ url })`. */
const usage: UsageSource = async () => {
  const day = 86_400_000
  const today = Math.floor(Date.now() / day) * day
  // One request of each hundred is one of v2.
  const counts = { v2: 0.01, v3: 0.49, v4: 0.5 }
  const versions = Object.entries(counts).map(([version, share], index) => {
    const operations = api
      .list()
      .flatMap(({ name, methods = [] }, place) =>
        methods.map((method) => ({ route: name, method, requests: Math.round((share * 9000) / (place + 1)) })),
      )
    const requests = operations.reduce((sum, one) => sum + one.requests, 0)
    const lastRequest = new Date(index === 0 ? today - 9 * day : today)
    const consumers = ['acme', 'globex', 'initech'].slice(0, index + 1)
    return {
      ...{ version, requests, share, named: requests, defaulted: 0, change: null, lastRequest, operations },
      consumers: consumers.map((consumer) => ({ consumer, named: true, lastRequest, requests: 1 })),
    }
  })
  return { days: 30, complete: true, since: new Date(today - 90 * day), versions }
}

/** Makes the shop, with its explorer and documents in front. */
export function shop(): Application {
  const app = express()
  app.use('/openapi', openapi(options, { mount: '/api', info: { title: 'Shop' } }))
  app.use(
    '/docs',
    explorer(options, {
      title: 'Shop',
      mount: '/api',
      documents: '/openapi',
      swaggerUi: require('swagger-ui-dist').absolutePath(),
      usage,
    }),
  )
  app.use('/api', versioning(options), api)
  return app.use(jsonErrors)
}
