import { tracingChannel } from 'node:diagnostics_channel'
import type { Request } from 'express'
import Router from 'router'

/** Where `router` tells of each handler that it calls, with the pattern that led to it. */
const channel = tracingChannel('express.router.request')

/** The key of that pattern on a request, which `router` keeps to itself; undefined in a version that traces nothing. */
const MATCHED = matchedKey()

function matchedKey(): symbol | undefined {
  let found: symbol | undefined
  const router = new Router()
  router.use((req, _res, next) => {
    found = Object.getOwnPropertySymbols(req).find(({ description }) => description === 'router.tracing.matchedRoute')
    next()
  })
  router({ method: 'GET', url: '/' } as never, {} as never, () => undefined)
  return found
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
  return MATCHED === undefined ? undefined : (req as Traced)[MATCHED]
}

/** Says what pattern led to where a request is now. */
export function tracePattern(req: Request, pattern: unknown): void {
  if (MATCHED !== undefined) (req as Traced)[MATCHED] = pattern
}

/** The layer of a table that is mounted, which enters it in a way of one's own and is told of all the same. */
export function tracedLayer(layer: Router.Layer, enter: (next: Router.NextFunction) => void): Router.Layer {
  const routeTable: Router.RequestHandler = (_req, _res, next) => enter(next)
  return Object.assign(Object.create(layer) as Router.Layer, { handle: routeTable })
}
