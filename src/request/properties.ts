// The public properties of a request: `req.version`, `req.reverse()` and others.
import type { Request } from 'express'
import type { LinkOptions, ResolverMatch } from '../types'
import { reverseFor } from './link'
import { matchOf } from './place'
import { newState, type RequestState, type Scheme, STATE } from './state'

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
export function versionBlindAccepts(target: object): PropertyDescriptor {
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
