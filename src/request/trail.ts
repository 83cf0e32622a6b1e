// Notes the parameters of all routers that a request is in. A router forgets those of the outer ones, unless it merges them.
import type { Request } from 'express'
import { sharedByLoads } from '../util/brand'

/** The parameters that a router has read from the path below its mount. */
export interface RouterParams {
  /** The mount of the router. */
  readonly baseUrl: string
  readonly params: Request['params']
}

const trails = sharedByLoads('trails', () => new WeakMap<Request, RouterParams[]>())

/** Notes the parameters of a request from now on, whenever a router writes them. */
export function followParams(req: Request): void {
  if (trails.has(req)) return
  const trail: RouterParams[] = []
  let current = req.params
  const note = () => {
    // Behind the last router, Express has taken it away.
    const { baseUrl = '', params = {} } = req
    // The request has left the routers below.
    while ((trail.at(-1)?.baseUrl.length ?? -1) >= baseUrl.length) trail.pop()
    trail.push({ baseUrl, params })
  }
  note()
  trails.set(req, trail)
  const property = { configurable: true, enumerable: true }
  Object.defineProperty(req, 'params', {
    ...property,
    get: () => current,
    set(params) {
      // A request that was made from this one goes another way.
      if (this !== req) Object.defineProperty(this, 'params', { ...property, value: params, writable: true })
      else {
        current = params
        note()
      }
    },
  })
}

/** Returns the parameters of the routers that a request is in, the outermost first. */
export function paramsOf(req: Request): readonly RouterParams[] {
  return trails.get(req) ?? [{ baseUrl: '', params: req.params }]
}
