// Two versions whose OpenAPI documents are committed, in api/: `npx express-versioning openapi` writes them, and compares.
import { byVersion, namedRoutes, URLPathVersioning } from 'express-versioning'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'

const id = z.string()
const Product = z.object({ id, name: z.string(), price: z.object({ amount: z.number(), currency: z.string() }) })
const ProductV1 = Product.extend({ price: z.number() }).meta({ id: 'Product' })
const ProductV2 = Product.meta({ id: 'Product' })

const products = namedRoutes({ 'product-list': '/products', 'product-detail': '/products/:id' })
products.route('product-list').get((_req, res) => {
  res.json([])
})
products.route('product-detail').get(
  byVersion({
    v1: (req, res) => res.json({ id: req.params.id, name: 'Tea', price: 3 }),
    v2: (req, res) => res.json({ id: req.params.id, name: 'Tea', price: { amount: 3, currency: 'EUR' } }),
  }),
)
products.describe('GET product-list', {
  summary: 'All products',
  response: z.array(ProductV2),
  versions: { v1: { response: z.array(ProductV1) } },
})
products.describe('GET product-detail', {
  summary: 'One product',
  response: ProductV2,
  versions: { v1: { response: ProductV1 } },
})

export const options = {
  scheme: URLPathVersioning,
  allowedVersions: ['v1', 'v2'],
  routes: namedRoutes({}).include('/:version', products),
}

export const documents = openapi(options, { info: { title: 'Shop' }, mount: '/api', problemDetails: true })
