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
import { jsonErrors } from '../support'

const answer: RequestHandler = (req, res) => {
  res.json({ version: req.version, served: servedVersion(req) ?? req.version, route: req.resolverMatch?.viewName })
}

const products = namedRoutes({ list: '/', detail: '/:id', bestsellers: '/bestsellers', reviews: '/:id/reviews' })
products.route('list').get(answer).post(answer)
products.route('bestsellers').get(answer)
products.route('detail').get(answer).patch(answer)
products.route('reviews').get(answer)

const orders = namedRoutes({ list: '/', detail: '/:id', export: '/export', shipments: '/:id/shipments' })
orders
  .route('list')
  .get(answer)
  .post(byVersion({ v1: answer, v3: answer }, { fallback: 'lower' }))
orders.route('export').get(answer)
orders.route('detail').get(answer)
orders.route('shipments').get(answer)

const customers = namedRoutes({ detail: '/:id', search: '/search', addresses: '/:id/addresses' })
customers.route('search').get(deprecated({ since: '2025-09-01', successor: 'customers:detail' }), answer)
customers
  .route('detail')
  .get(byVersion({ v1: answer, v4: answer }, { fallback: 'lower' }))
  .delete(answer)
customers.route('addresses').all(answer)

const sessions = namedRoutes({ login: '/login', token: '/token' })
sessions.route('login').post(answer)
sessions.route('token').post(answer)

export const api = namedRoutes({ status: '/status' })
  .include('/products', products, { namespace: 'products' })
  .include('/orders', orders, { namespace: 'orders' })
  .include('/customers', customers, { namespace: 'customers' })
  .include('/sessions', sessions, { namespace: 'sessions' })
api.route('status').get(answer)

const history = versionHistory('v1')
  .version('v2', change('Products have reviews.', { 'GET products:reviews': 'added' }))
  .version(
    'v3',
    change('Orders come page by page, so there is no export, and no list of bestsellers.', {
      'GET orders:export': 'removed',
      'GET products:bestsellers': 'removed',
    }),
    change('Clients send a `token` in place of a cookie.', {
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
    }),
  )
  app.use('/api', versioning(options), api)
  return app.use(jsonErrors)
}
