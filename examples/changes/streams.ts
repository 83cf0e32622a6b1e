// Streams, converted item by item: a feed of events, and an export in lines of JSON.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, events, fields, versionHistory } from 'express-versioning/changes'
import { z } from 'zod'
import { jsonErrors, start } from '../support/start'

const Order = z.object({ id: z.number(), total: z.number() }).meta({ id: 'Order' })
const OrderRef = z.object({ id: z.number() }).meta({ id: 'OrderRef' })
const Failure = z.object({ error: z.string() })
type Order = z.infer<typeof Order>

const orders: Order[] = [
  { id: 1, total: 20 },
  { id: 2, total: 35 },
]

const api = namedRoutes({ 'order-feed': '/orders/feed', 'order-export': '/orders/export' })

const feed = { 'text/event-stream': { itemSchema: events({ created: Order, deleted: OrderRef }) } }
api.describe('GET order-feed', { response: { 200: { content: feed } } })
api.describe('GET order-export', { response: { 200: { content: { 'application/x-ndjson': { itemSchema: Order } } } } })
api.describe('*', { response: { '4XX': Failure, '5XX': Failure } })

api.route('order-feed').get((_req, res) => {
  res.type('text/event-stream').flushHeaders()
  for (const order of orders) {
    res.write(`id: ${order.id}\nevent: created\ndata: ${JSON.stringify(order)}\n\n`)
  }
  // A real feed stays open, and writes the next event when it happens.
  res.end('event: deleted\ndata: {"id":1}\n\n')
})

api.route('order-export').get(async (_req, res) => {
  const lines = Readable.from(orders).map((order) => `${JSON.stringify(order)}\n`)
  await pipeline(lines, res.type('application/x-ndjson'))
})

const totals = change('Orders have `total` instead of `amount`.', { Order: fields({ renamed: { amount: 'total' } }) })

interface OrderEvent {
  event: 'created' | 'deleted'
  data: object
}

const names = change('Orders are told as `created` instead of `new`, and deletions are told.', {
  'GET order-feed': {
    item: (event: OrderEvent) => (event.event === 'deleted' ? null : { ...event, event: 'new' }),
    older: { item: events({ new: Order }) },
  },
})

const changes = versionHistory('v1').version('v2', names).version('v3', totals)
const options = { scheme: QueryParameterVersioning, defaultVersion: 'v3', changes, routes: api }

const app = express()
app.use(versioning(options), api)
app.use(jsonErrors)

/** Sends an event to each subscriber of a WebSocket or a queue, in the subscriber's version. */
const byHand = changes.for(options)
export function publish(event: OrderEvent, subscribers: { version: string; send(text: string): void }[]): void {
  for (const { version, send } of subscribers) {
    const item = byHand.item('GET order-feed', event, version)
    if (item !== null) send(JSON.stringify(item))
  }
}

start(app, [
  { path: '/orders/export?version=v3', prints: ['{"id":1,"total":20}', '{"id":2,"total":35}', ' 200'] },
  { path: '/orders/export?version=v2', prints: ['{"id":1,"amount":20}', '{"id":2,"amount":35}', ' 200'] },
  {
    path: '/orders/feed?version=v1',
    prints: [
      'id: 1',
      'event: new',
      'data: {"id":1,"amount":20}',
      '',
      'id: 2',
      'event: new',
      'data: {"id":2,"amount":35}',
      '',
      ' 200',
    ],
  },
  { path: '/orders/export?version=v9', prints: '{"error":"Invalid version in query parameter."} 404' },
])
