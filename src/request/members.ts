import { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import type { LinkOptions, ResolverMatch } from '../types'
import { rootOf } from './link'
import { reverseFor } from './reverse'
import { type RequestScheme, RequestState, STATE, type TableEntry } from './state'

type StatefulRequest = Request & { [STATE]?: RequestState | undefined }
type Accepts = (this: Request, ...types: unknown[]) => string | string[] | false

/** The path of a request target, as `router` reads it: without query and fragment, and without the authority of an absolute form. */
export function pathOf(url: string): string {
  const path = url.charCodeAt(0) === 47 ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const query = path.indexOf('?')
  const bare = query === -1 ? path : path.slice(0, query)
  const hash = bare.indexOf('#')
  return hash === -1 ? bare : bare.slice(0, hash)
}

/** The route that a table's path belongs to, resolved when first asked for; `undefined` with no table in sight. */
export function matchOf(entry: TableEntry | undefined): ResolverMatch | null | undefined {
  if (entry === undefined) return undefined
  if (entry.match === undefined) entry.match = entry.table.resolve(pathOf(entry.url))
  return entry.match
}

/** Read by requests that nothing was done to yet, so that one look-up tells "new" from "app not prepared". */
const NOTHING = Object.freeze(new RequestState())

/** The public names of a request: accessors on the app's request prototype, so that a request itself gets one property. */
class RequestMembers {
  declare [STATE]: RequestState

  get version(): string | null | undefined {
    return this[STATE].version
  }

  set version(version: string | null | undefined) {
    stateOf(this as object as Request).version = version
  }

  get versioningScheme(): RequestScheme | undefined {
    return this[STATE].config?.scheme
  }

  get resolverMatch(): ResolverMatch | null | undefined {
    return this[STATE] === NOTHING ? undefined : (matchOf(rootOf(this[STATE])) ?? null)
  }

  reverse(viewname: string, options?: LinkOptions): string {
    return reverseFor(this as object as Request, viewname, options ?? undefined)
  }
}

/**
 * Express's `req.accepts` (and so `res.format`) takes a version parameter for a constraint that no answer meets. This one
 * evaluates the header as the scheme says it should be read; `req.headers.accept` stays what the client sent.
 */
function versionBlindAccepts(target: object): Accepts {
  const own = Object.hasOwn(target, 'accepts') ? (target as { accepts: Accepts }).accepts : undefined
  return function accepts(...types) {
    const original = own ?? (Object.getPrototypeOf(target) as { accepts: Accepts }).accepts
    const { accept } = this.headers
    const { config, outer } = (this as StatefulRequest)[STATE] as RequestState
    if (accept === undefined || config === undefined) return original.apply(this, types)
    const schemes = [...outer, config.scheme]
    const headers = { ...this.headers, accept: schemes.reduce((seen, scheme) => scheme.negotiableAccept(seen), accept) }
    return original.apply(Object.create(this, { headers: { value: headers } }), types)
  }
}

/**
 * Where the public names go: the prototype that all apps of one Express share. A single app's would not do: a sub-app may be
 * mounted in a router, in two apps, or later, and Express swaps the request's prototype for the sub-app's each time. A request
 * that is no Express's gets the names itself.
 */
function prototypeFor(req: Request): object {
  let proto: object | null = Object.getPrototypeOf(req)
  if (proto === IncomingMessage.prototype) return req
  while (proto !== null) {
    const next: object | null = Object.getPrototypeOf(proto)
    if (next === IncomingMessage.prototype) return proto
    proto = next
  }
  return req
}

function install(target: object): void {
  const { constructor: _, ...descriptors } = Object.getOwnPropertyDescriptors(RequestMembers.prototype)
  Object.defineProperties(target, descriptors)
  Object.defineProperty(target, STATE, { value: NOTHING, writable: true, configurable: true })
  if ('accepts' in target) {
    Object.defineProperty(target, 'accepts', { value: versionBlindAccepts(target), writable: true, configurable: true })
  }
}

/** The request's state, made on first use. The first request of all also prepares Express's request prototype. */
export function stateOf(req: Request): RequestState {
  const request = req as StatefulRequest
  const known = request[STATE]
  if (known !== undefined && known !== NOTHING) {
    // A sub-app of another copy of Express has a prototype of its own.
    if (request.reverse === undefined) install(prototypeFor(req))
    return known
  }
  if (known === undefined) install(prototypeFor(req))
  const state = new RequestState()
  request[STATE] = state
  return state
}

const { get: versionGetter } = Object.getOwnPropertyDescriptor(
  RequestMembers.prototype,
  'version',
) as PropertyDescriptor

/** Removes a `version` that another middleware put on the request itself, and that would hide the one decided here. */
export function unshadowVersion(req: Request): void {
  if (!Object.hasOwn(req, 'version')) return
  if (Object.getOwnPropertyDescriptor(req, 'version')?.get !== versionGetter) Reflect.deleteProperty(req, 'version')
}
