// Today's shop in Express: handlers by operation, and the parts around them that all Express hosts share.
import express, {
  type Application,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { NamedRoutes } from 'express-versioning'
import { authenticate, type Failure, problemOf, Shop } from './shop'

type Handler = (req: Request, res: Response) => unknown
const id = (req: Request) => req.params.id as string

/** Returns the handlers of a new shop, by operation, in an order that plain routers can take. */
export function handlersOf() {
  const shop = new Shop()
  return {
    'GET /users': (req, res) => res.json(shop.users(req.query)),
    'POST /users': (req, res) => {
      const user = shop.addUser(req.body)
      res.status(201).location(`/api/users/${user.id}`).json(user)
    },
    'GET /users/{id}': (req, res) => res.json(shop.user(id(req))),
    'PATCH /users/{id}': (req, res) => res.json(shop.changeUser(id(req), req.body)),
    'DELETE /users/{id}': (req, res) => {
      shop.deleteUser(id(req))
      res.status(204).end()
    },
    'GET /orders': (_req, res) => res.json(shop.orders()),
    'POST /orders': (req, res) => {
      const order = shop.addOrder(req.body)
      res.status(201).location(`/api/orders/${order.id}`).json(order)
    },
    'GET /orders/{id}': (req, res) => res.json(shop.order(id(req))),
    'POST /orders/{id}/cancellation': (req, res) => res.status(202).json(shop.cancelOrder(id(req))),
    'GET /orders/{id}/receipt': (req, res) => res.type('text').send(shop.receipt(id(req))),
    'GET /stats': (_req, res) => res.json(shop.stats()),
  } satisfies Record<string, Handler>
}
type Operation = keyof ReturnType<typeof handlersOf>
export const operations = Object.keys(handlersOf()) as Operation[]

/** Rejects strangers. */
export const authenticated: RequestHandler = (req, res, next) => {
  try {
    authenticate(req.get('Authorization'))
  } catch (error) {
    res.set('WWW-Authenticate', 'Bearer')
    return next(error)
  }
  next()
}

/** Responds to health checks of anybody, and rejects strangers elsewhere. */
export function guards(): RequestHandler[] {
  return [express.Router().get('/health', (_req, res) => void res.json({ ok: true })), authenticated]
}

/** Routers as an app has them in files, without names. */
export function routersOf(handlers = handlersOf()): RequestHandler {
  const all = express.Router()
  for (const prefix of ['/users', '/orders', '/stats']) {
    const router = express.Router()
    for (const operation of operations.filter((one) => one.includes(` ${prefix}`))) {
      const path = operation.replace(/^\w+ \/\w+/, '').replace('{id}', ':id')
      router[methodOf(operation)](path || '/', handlers[operation])
    }
    all.use(prefix, router)
  }
  return all
}

/** Adds handlers to a table, whose names are paths of the document. */
export function handleIn(table: NamedRoutes, operations: readonly Operation[], handlers = handlersOf()): NamedRoutes {
  for (const operation of operations) {
    table.route(operation.replace(/^\w+ /, ''))[methodOf(operation)](handlers[operation])
  }
  return table
}

const methodOf = (operation: Operation) =>
  operation.replace(/ .*/, '').toLowerCase() as 'get' | 'post' | 'patch' | 'delete'

/** Ends an app: unknown pages and errors. */
export function end(app: Application): Application {
  const noPage: RequestHandler = (_req, _res, next) => next({ status: 404 })
  const errors: ErrorRequestHandler = (error, _req, res, _next) => {
    const problem = problemOf(error as Failure)
    res.status(problem.status).type('application/problem+json').json(problem)
  }
  return app.use(noPage, errors)
}

/** Makes today's app, as it is without the package. */
export function todaysApp(): Application {
  return end(express().use('/api', guards(), express.json(), routersOf()))
}
