// Adds the public members (`req.version`, `req.reverse()` and others) to Express's request prototype.
import { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import type { LinkOptions, ResolverMatch } from '../types'
import { reverseFor } from './link'
import { matchOf } from './place'
import { RequestState, type Scheme, STATE } from './state'

type StatefulRequest = Request & { [STATE]?: RequestState | undefined }
type Accepts = (this: Request, ...types: unknown[]) => string | string[] | false

/** The state that requests without an own state read. One look-up tells "new request" from "app not prepared". */
const NOTHING = Object.freeze(Object.assign(new RequestState(), { blank: true }))

/**
 * The public members of a request. They are accessors on the app's request prototype, so that a request gets only one
 * own property.
 */
class RequestMembers {
  declare [STATE]: RequestState

  get version(): string | null | undefined {
    return this[STATE].version
  }

  set version(version: string | null | undefined) {
    stateOf(this as object as Request).version = version
  }

  get versioningScheme(): Scheme | undefined {
    return this[STATE].config?.scheme
  }

  get resolverMatch(): ResolverMatch | null | undefined {
    return this[STATE].blank ? undefined : (matchOf(this[STATE].place) ?? null)
  }

  reverse(viewname: string, options?: LinkOptions): string {
    return reverseFor(this as object as Request, viewname, options ?? undefined)
  }
}

/**
 * Returns a `req.accepts` that ignores the version parameter. Express's own (and `res.format`, which uses it) takes the
 * parameter for a constraint that no answer meets. `req.headers.accept` stays as the client sent it.
 */
function versionBlindAccepts(target: object): Accepts {
  const own = Object.hasOwn(target, 'accepts') ? (target as { accepts: Accepts }).accepts : undefined
  return function accepts(...types) {
    const original = own ?? (Object.getPrototypeOf(target) as { accepts: Accepts }).accepts
    const { accept } = this.headers
    const { config, outer } = (this as StatefulRequest)[STATE] as RequestState
    if (accept === undefined || config === undefined) return original.apply(this, types)
    const seen = [...outer, config].reduce((header, versioning) => versioning.negotiableAccept(header), accept)
    if (seen === accept) return original.apply(this, types)
    const headers = Object.create(this.headers, { accept: { value: seen } })
    return original.apply(Object.create(this, { headers: { value: headers } }), types)
  }
}

/**
 * Returns the object that gets the public members: the prototype that all apps of one Express share. The prototype of
 * one app is not enough: a sub-app may be mounted in a router, in two apps, or later, and Express swaps the request's
 * prototype for the sub-app's each time. A request that is not Express's gets the members itself.
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

const { constructor: _, ...MEMBERS } = Object.getOwnPropertyDescriptors(RequestMembers.prototype)

function install(target: object): void {
  Object.defineProperties(target, MEMBERS)
  Object.defineProperty(target, STATE, { value: NOTHING, writable: true, configurable: true })
  if ('accepts' in target) {
    Object.defineProperty(target, 'accepts', { value: versionBlindAccepts(target), writable: true, configurable: true })
  }
}

/**
 * Returns the state of a request and creates it on first use. The first request also prepares Express's request
 * prototype.
 */
export function stateOf(req: Request): RequestState {
  const request = req as StatefulRequest
  const known = request[STATE]
  if (known !== undefined && Object.hasOwn(req, STATE)) {
    // A sub-app of another copy of Express has its own prototype.
    if (request.reverse === undefined) install(prototypeFor(req))
    return known
  }
  if (known === undefined) install(prototypeFor(req))
  // A request made from another one by Object.create() gets its own copy of the state.
  const state = known === undefined || known.blank ? new RequestState() : known.copy()
  request[STATE] = state
  return state
}

/**
 * Removes a `version` property that another middleware put on the request. It would hide the decided version.
 *
 * @returns the error for a property that cannot be removed.
 */
export function unshadowVersion(req: Request): TypeError | undefined {
  if (!Object.hasOwn(req, 'version')) return undefined
  if (Object.getOwnPropertyDescriptor(req, 'version')?.get === MEMBERS.version?.get) return undefined
  if (!Reflect.deleteProperty(req, 'version')) {
    return new TypeError('versioning() cannot set req.version: another middleware made one that cannot be replaced.')
  }
  // The property came from another copy of this package, on a request that is not Express's.
  if (!('version' in req)) Object.defineProperties(req, MEMBERS)
  return undefined
}
