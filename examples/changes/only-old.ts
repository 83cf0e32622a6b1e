// A field of old versions only: the handler reads it, once for the whole list, and only for old clients.
import express from 'express'
import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, type StepContext, versionHistory } from 'express-versioning/changes'
import { jsonErrors, start } from '../support/start'

interface Product {
  id: number
  name: string
}

const noSales = change('Products do not tell their `sales` any more.', {
  'GET product-list': {
    response: (products: Product[], { res }: StepContext) =>
      products.map((product) => ({ ...product, sales: res?.locals.sales.get(product.id) })),
  },
})

/** Reads the sales of all products in one query. */
async function countSales(): Promise<Map<number, number>> {
  return new Map([
    [1, 12],
    [2, 40],
  ])
}

const routes = namedRoutes({ 'product-list': '/products' })
routes.route('product-list').get(async (req, res) => {
  if (!noSales.appliesTo(req)) res.locals.sales = await countSales()
  res.json([
    { id: 1, name: 'Teapot' },
    { id: 2, name: 'Cup' },
  ])
})

const changes = versionHistory('v1').version('v2', noSales)

const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, defaultVersion: 'v2', changes, routes }), routes)
app.use(jsonErrors)

start(app, [
  {
    path: '/products?version=v1',
    prints: '[{"id":1,"name":"Teapot","sales":12},{"id":2,"name":"Cup","sales":40}] 200',
  },
  { path: '/products?version=v2', prints: '[{"id":1,"name":"Teapot"},{"id":2,"name":"Cup"}] 200' },
  { path: '/products?version=v3', prints: '{"error":"Invalid version in query parameter."} 404' },
])
