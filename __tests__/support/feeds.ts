// Streams of orders at `GET /feed`: their schemas, a history of one change, and a server.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Application, ErrorRequestHandler, RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, events, fields, type VersionHistory } from 'express-versioning/changes'
import { historyOf } from './changes'
import { type Served, serve } from './serve'

/** An order. In v1, its `title` is `name`. */
export const Order = {
  $id: 'Order',
  type: 'object',
  properties: { id: {}, title: { type: 'string' } },
  required: ['id', 'title'],
}
export const RENAMED = change('Orders have `title` instead of `name`.', {
  Order: fields({ renamed: { name: 'title' } }),
})
export const V1 = { 'X-API-Version': 'v1' }

type Feed = Partial<VersioningOptions> & {
  changes?: VersionHistory
  content?: object
  front?: RequestHandler[]
  behind?: RequestHandler[]
  last?: ErrorRequestHandler
}

/** Fills an app of one route. `front` and `behind` stand around `versioning()`, and `last` at the end. */
export function fillFeed(app: Application, handler: RequestHandler, feed: Feed = {}): void {
  const { changes = historyOf([RENAMED]), front = [], behind = [], last, ...rest } = feed
  const { content = { 'text/event-stream': { itemSchema: events({ created: Order }) } }, ...options } = rest
  const routes = namedRoutes({ feed: '/feed' })
  routes.describe('GET feed', { response: { 200: { content } } } as never)
  routes.describe('*', { response: { '4XX': { type: 'object' }, '5XX': { type: 'object' } } })
  routes.route('feed').get(handler)
  const handlers = versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes, ...options })
  app.use(...front, handlers, ...behind, routes, ...(last ? [last] : []))
}

export const serveFeed = (handler: RequestHandler, feed?: Feed): Promise<Served> =>
  serve((app) => fillFeed(app, handler, feed))

/** Asks for the stream in a version, and returns the response as soon as its head has come. */
export async function opened({ origin }: Served, version = 'v1'): Promise<IncomingMessage> {
  const [response] = await once(request(`${origin}/feed`, { headers: { 'X-API-Version': version } }).end(), 'response')
  return response
}
