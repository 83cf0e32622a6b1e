// The shop of today: no handler knows older versions.
import express, { type ErrorRequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { chosenShipping, type Failure, history, type NewOrder, type Order, type Product } from './history'

const euros = (amount: number) => ({ amount, currency: 'EUR' })
const products: readonly Product[] = [
  { id: 1, name: 'Teapot', price: euros(24.5) },
  { id: 2, name: 'Cup', price: euros(6) },
]

function refusal(status: number, code: string, message: string): Error {
  return Object.assign(new Error(message), { status, code, expose: true })
}

function find<Item extends { id: number }>(items: readonly Item[], id: unknown): Item {
  const found = items.find((item) => item.id === Number(id))
  if (found === undefined) throw refusal(404, 'NOT_FOUND', 'Not found.')
  return found
}

function place({ product: id, quantity, shipping }: NewOrder): Omit<Order, 'id'> {
  const product = find(products, id)
  if (!Number.isInteger(quantity) || quantity < 1) throw refusal(400, 'QUANTITY', 'Say how many, as quantity.')
  if (shipping !== 'standard' && shipping !== 'express') {
    throw refusal(400, 'SHIPPING', 'Say "standard" or "express" as shipping.')
  }
  return { product, quantity, shipping, total: euros(product.price.amount * quantity) }
}

// Each subscriber gets the version that it was written for.
const subscribers = [
  { url: 'https://old.example.com/hook', version: '2023-01-01' },
  { url: 'https://new.example.com/hook', version: '2025-06-01' },
]

/** Makes the bodies of webhooks: the order, in the version of each receiver. */
export function webhooksOf(order: Order): { url: string; version: string; body: unknown }[] {
  return subscribers.map(({ url, version }) => ({
    url,
    version,
    body: history.response('GET order-detail', order, version),
  }))
}

/** Makes a shop without orders. */
export function shop(): express.Application {
  const orders: Order[] = []
  const routes = namedRoutes({
    'product-list': '/products',
    'bestseller-list': '/products/bestsellers',
    'product-detail': '/products/:id',
    'order-list': '/orders',
    'order-detail': '/orders/:id',
    webhooks: '/orders/:id/webhooks',
  })

  routes.route('product-list').get((req, res) => {
    res.json(products.slice(0, Number(req.query.limit ?? 10)))
  })
  // Removed in 2024-10-01, so only older versions come here. The answer has the newest shape, as all others.
  routes.route('bestseller-list').get((_req, res) => {
    res.json(products.slice(0, 1))
  })
  routes.route('product-detail').get((req, res) => {
    res.json(find(products, req.params.id))
  })
  routes.route('order-list').post((req, res) => {
    const order = { id: orders.length + 1, ...place(req.body ?? {}) }
    orders.push(order)
    res.status(chosenShipping.appliesTo(req) ? 201 : 200).json(order)
  })
  routes.route('order-detail').get((req, res) => {
    res.json(find(orders, req.params.id))
  })
  // Shows the webhooks without posting them.
  routes.route('webhooks').get((req, res) => {
    res.json(webhooksOf(find(orders, req.params.id)))
  })

  const errors: ErrorRequestHandler = (err, _req, res, _next) => {
    const message = err.expose ? err.message : 'Internal Server Error'
    const failure: Failure = { error: { code: err.code ?? 'FAILED', message } }
    res.status(err.status ?? 500).json(failure)
  }

  const app = express()
  app.use(
    versioning({
      scheme: HeaderVersioning,
      defaultVersion: '2025-06-01',
      changes: history,
      lifecycle: { '2023-01-01': { deprecated: '2025-06-01', sunset: '2099-01-01' } },
      routes,
    }),
  )
  // Behind versioning(), so that errors of the parser have the format of the version.
  app.use(express.json(), routes)
  app.use(() => {
    throw refusal(404, 'NOT_FOUND', 'Not found.')
  })
  app.use(errors)
  return app
}
