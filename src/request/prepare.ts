// Prepares a request: gives it a state, and adds the public properties to Express's request prototype.
import { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import type { LinkOptions, ResolverMatch } from '../types'
import { reverseFor } from './link'
import { matchOf } from './place'
import { newState, RequestState, type Scheme, STATE } from './state'

type Reverse = (this: Request, viewname: string, options?: LinkOptions) => string

const reverse: Reverse = function reverse(viewname, options) {
  return reverseFor(this, viewname, options ?? undefined)
}

/**
 * The public properties of a request. They are accessors on Express's request prototype, so that a request gets only one own
 * property. All apps of a process share that prototype: requests without a state, which no part of this package has handled, are
 * as they would be without them.
 */
class RequestProperties {
  declare [STATE]: RequestState

  get version(): string | null | undefined {
    return this[STATE].version
  }

  set version(version: string | null | undefined) {
    const request = this as object as Request
    if (this[STATE].blank) {
      own(request, 'version', version)
      return
    }
    const state = Object.hasOwn(request, STATE) ? this[STATE] : newState(request)
    state.version = version
  }

  get versioningScheme(): Scheme | undefined {
    return this[STATE].config?.scheme
  }

  get resolverMatch(): ResolverMatch | null | undefined {
    return this[STATE].blank ? undefined : (matchOf(this[STATE].place) ?? null)
  }

  get reverse(): Reverse | undefined {
    return this[STATE].blank ? undefined : reverse
  }

  set reverse(value: unknown) {
    own(this, 'reverse', value)
  }
}

/** Assigns a property as if its prototypes had none of that name. */
function own(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

const { constructor: _, ...descriptors } = Object.getOwnPropertyDescriptors(RequestProperties.prototype)

/** Their property descriptors. */
export const MEMBERS = descriptors

type Accepts = (this: Request, ...types: unknown[]) => string | string[] | false

/**
 * Returns the property descriptor of a `req.accepts` that ignores the version parameter. Express's own (and `res.format`, which
 * uses it) takes the parameter for a constraint that no response meets. `req.headers.accept` stays as the client sent it.
 */
function versionBlindAccepts(target: object): PropertyDescriptor {
  const ofTarget = Object.hasOwn(target, 'accepts') ? (target as { accepts: Accepts }).accepts : undefined
  const original = () => ofTarget ?? (Object.getPrototypeOf(target) as { accepts: Accepts }).accepts
  const accepts: Accepts = function accepts(...types) {
    const { accept } = this.headers
    const { config, outer } = (this as object as RequestProperties)[STATE]
    if (accept === undefined || config === undefined) return original().apply(this, types)
    const seen = [...outer, config].reduce((header, versioning) => versioning.negotiableAccept(header), accept)
    if (seen === accept) return original().apply(this, types)
    const headers = Object.create(this.headers, { accept: { value: seen } })
    return original().apply(Object.create(this, { headers: { value: headers } }), types)
  }
  return {
    configurable: true,
    get(this: RequestProperties) {
      return this[STATE].config === undefined ? original() : accepts
    },
    set(this: object, value: unknown) {
      own(this, 'accepts', value)
    },
  }
}

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
