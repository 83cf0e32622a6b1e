import { tracingChannel } from 'node:diagnostics_channel'
import type { Request } from 'express'
import Router from 'router'

/** Where `router` tells of each handler that it calls, with the pattern that led to it. */
const channel = tracingChannel('express.router.request')

/** The key of that pattern on a request, which `router` keeps to itself; one of nobody's in a version that traces nothing. */
const MATCHED = matchedKey()

function matchedKey(): symbol {
  const keys: symbol[] = []
  const router = new Router()
  router.use((req, _res, next) => {
    keys.push(...Object.getOwnPropertySymbols(req))
    next()
  })
  router({ method: 'GET', url: '/' } as never, {} as never, () => undefined)
  const found = keys.filter(({ description }) => description === 'router.tracing.matchedRoute')
  return [...found, Symbol('matched')][0] as symbol
}

type Traced = Request & { [key: symbol]: unknown }

/** Whether anybody listens. */
export function isTraced(): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  )
}

/** The pattern that led to where a request is. */
export function tracedPattern(req: Request): unknown {
  return (req as Traced)[MATCHED]
}

/** Says what pattern led to where a request is now. */
export function tracePattern(req: Request, pattern: unknown): void {
  ;(req as Traced)[MATCHED] = pattern
}

/** The layer of a table that is mounted, which enters it in a way of one's own and is told of all the same. */
export function tracedLayer(layer: Router.Layer, enter: (next: Router.NextFunction) => void): Router.Layer {
  const routeTable: Router.RequestHandler = (_req, _res, next) => enter(next)
  return Object.assign(Object.create(layer) as Router.Layer, { handle: routeTable })
}
