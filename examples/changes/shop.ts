// The shop of today: no handler knows older versions.
import express, { type ErrorRequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import type { HistoryByHand } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { type Failure, history } from './history'
import { type Customer, NewOrder, Order, Product } from './shapes'

const euros = (amount: number) => ({ amount, currency: 'EUR' })
const products: readonly Product[] = [
  { id: 1, name: 'Teapot', price: euros(24.5) },
  { id: 2, name: 'Cup', price: euros(6) },
]
const customers: readonly Customer[] = [{ id: 1, given: 'Ada', family: 'Lovelace', tier: 'platinum' }]

function rejection(status: number, code: string, message: string): Error {
  return Object.assign(new Error(message), { status, code, expose: true })
}

function find<Item extends { id: number }>(items: readonly Item[], id: unknown): Item {
  const found = items.find((item) => item.id === Number(id))
  if (found === undefined) throw rejection(404, 'NOT_FOUND', 'Not found.')
  return found
}

function place({ product: id, quantity, shipping, customer }: NewOrder): Omit<Order, 'id'> {
  const product = find(products, id)
  if (!Number.isInteger(quantity) || quantity < 1) throw rejection(400, 'QUANTITY', 'Say how many, as quantity.')
  if (shipping !== 'standard' && shipping !== 'express') {
    throw rejection(400, 'SHIPPING', 'Say "standard" or "express" as shipping.')
  }
  const order = { product, quantity, shipping, total: euros(product.price.amount * quantity) }
  return customer === undefined ? order : { ...order, customer: find(customers, customer) }
}

// Each subscriber gets the version that it was written for.
const subscribers = [
  { url: 'https://old.example.com/hook', version: '2023-01-01' },
  { url: 'https://new.example.com/hook', version: '2025-06-01' },
]

/** Makes the bodies of webhooks: the order, in the version of each receiver. */
function webhooksOf(order: Order, byHand: HistoryByHand): { url: string; version: string; body: unknown }[] {
  return subscribers.map(({ url, version }) => ({
    url,
    version,
    body: byHand.shape('Order', order, version),
  }))
}

/** Makes a shop without orders: its app, and the options of `versioning()`. */
export function makeShop() {
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
    res.json({ data: products.slice(0, Number(req.query.limit ?? 10)), total: products.length })
  })
  // Removed in 2024-10-01, so only older versions come here. The response has the newest shape, as all others.
  routes.route('bestseller-list').get((_req, res) => {
    res.json(products.slice(0, 1))
  })
  routes.route('product-detail').get((req, res) => {
    res.json(find(products, req.params.id))
  })
  routes.route('order-list').post((req, res) => {
    const order = { id: orders.length + 1, ...place(req.body ?? {}) }
    orders.push(order)
    res.status(201).json(order)
  })
  routes.route('order-detail').get((req, res) => {
    res.json(find(orders, req.params.id))
  })
  // Shows the webhooks without posting them.
  routes.route('webhooks').get((req, res) => {
    res.json(webhooksOf(find(orders, req.params.id), byHand))
  })

  // Where shapes stand in bodies. OpenAPI documents say the same.
  routes.describe('GET product-list', {
    query: z.object({ limit: z.string().optional() }),
    response: z.object({ data: z.array(Product), total: z.int() }),
  })
  routes.describe('GET bestseller-list', { response: z.array(Product) })
  routes.describe('GET product-detail', { response: Product })
  routes.describe('POST order-list', { body: NewOrder, response: { 201: Order } })
  routes.describe('GET order-detail', { response: Order })
  routes.describe('GET webhooks', {
    response: z.array(z.object({ url: z.string(), version: z.string(), body: z.unknown() })),
  })

  const errors: ErrorRequestHandler = (err, _req, res, _next) => {
    const message = err.expose ? err.message : 'Internal Server Error'
    const failure: Failure = { error: { code: err.code ?? 'FAILED', message } }
    res.status(err.status ?? 500).json(failure)
  }

  const options = {
    scheme: HeaderVersioning,
    defaultVersion: '2026-03-01',
    changes: history,
    lifecycle: { '2023-01-01': { deprecated: '2025-06-01', sunset: '2099-01-01' } },
    routes,
  }
  const app = express()
  app.use('/openapi', openapi(options, { info: { title: 'Shop' } }))
  app.use(versioning(options))
  // Behind versioning(), so that errors of the parser have the format of the version.
  app.use(express.json(), routes)
  app.use(() => {
    throw rejection(404, 'NOT_FOUND', 'Not found.')
  })
  app.use(errors)

  // The history in this table, for webhooks.
  const byHand = history.for(options)
  return { app, options }
}

/** Makes the app of a shop without orders. */
export function shop(): express.Application {
  return makeShop().app
}
