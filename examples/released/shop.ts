// Two versions whose OpenAPI documents are committed, in api/: `npx express-versioning openapi` writes them, and compares.
import { namedRoutes, URLPathVersioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'

const Product = z
  .object({ id: z.string(), name: z.string(), price: z.object({ amount: z.number(), currency: z.string() }) })
  .meta({ id: 'Product' })

const pricesWithCurrency = change('A price has an `amount` and a `currency`.', {
  Product: shape(Product.extend({ price: z.number() }), Product, {
    response: ({ price, ...product }) => ({ ...product, price: price.amount }),
  }),
})

const products = namedRoutes({ 'product-list': '/products', 'product-detail': '/products/:id' })
products.describe('GET product-list', { summary: 'All products', response: z.array(Product) })
products.describe('GET product-detail', { summary: 'One product', response: Product })
products.route('product-list').get((_req, res) => {
  res.json([])
})
products.route('product-detail').get((req, res) => {
  res.json({ id: req.params.id, name: 'Tea', price: { amount: 3, currency: 'EUR' } })
})

export const options = {
  scheme: URLPathVersioning,
  changes: versionHistory('v1').version('v2', pricesWithCurrency),
  routes: namedRoutes({}).include('/:version', products),
}

export const documents = openapi(options, { info: { title: 'Shop' }, mount: '/api', problemDetails: true })
