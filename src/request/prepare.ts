// Prepares a request: gives it a state, and adds the public properties to Express's request prototype.
import { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { MEMBERS, versionBlindAccepts } from './properties'
import { newState, RequestState, STATE } from './state'

/** The state that requests without an own state read. One look-up tells "new request" from "app not prepared". */
const NOTHING = Object.freeze(Object.assign(new RequestState(), { blank: true }))

/**
 * Returns the object that gets the public properties: the prototype that all apps of one Express share. The prototype of
 * one app is not enough: a sub-app may be mounted in a router, in two apps, or later, and Express swaps the request's
 * prototype for the sub-app's each time. A request that is not Express's gets the properties itself.
 */
function prototypeFor(req: Request): object {
  let proto: object | null = Object.getPrototypeOf(req)
  while (proto !== null) {
    const next: object | null = Object.getPrototypeOf(proto)
    if (next === IncomingMessage.prototype) return proto
    proto = next
  }
  return req
}

function install(target: object): void {
  Object.defineProperties(target, MEMBERS)
  Object.defineProperty(target, STATE, { value: NOTHING, writable: true, configurable: true })
  if ('accepts' in target) {
    Object.defineProperty(target, 'accepts', versionBlindAccepts(target))
  }
}

/**
 * Returns the state of a request and creates it on first use. The first request also prepares Express's request
 * prototype.
 */
export function stateOf(req: Request): RequestState {
  const known = (req as { [STATE]?: RequestState })[STATE]
  const isOwn = known !== undefined && Object.hasOwn(req, STATE)
  // A sub-app of another copy of Express has its own prototype.
  if (known === undefined || (isOwn && req.reverse === undefined)) install(prototypeFor(req))
  return isOwn ? known : newState(req)
}

/**
 * Removes the own `version` property that another middleware put on the request. It would hide the decided version.
 *
 * @returns the error for a property that cannot be removed.
 */
export function unshadowVersion(req: Request): TypeError | undefined {
  if (Object.getOwnPropertyDescriptor(req, 'version')?.get === MEMBERS.version?.get) return undefined
  if (!Reflect.deleteProperty(req, 'version')) {
    return new TypeError('versioning() cannot set req.version: another middleware made one that cannot be replaced.')
  }
  // The property came from another copy of this package, on a request that is not Express's.
  if (!('version' in req)) Object.defineProperties(req, MEMBERS)
  return undefined
}
