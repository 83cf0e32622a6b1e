// The public properties of a request: `req.version`, `req.reverse()` and others.
import type { Request } from 'express'
import type { LinkOptions, ResolverMatch } from '../types'
import { reverseFor } from './link'
import { matchOf } from './place'
import { newState, type RequestState, type Scheme, STATE } from './state'

/**
 * The public properties of a request. They are accessors on the app's request prototype, so that a request gets only one
 * own property.
 */
class RequestProperties {
  declare [STATE]: RequestState

  get version(): string | null | undefined {
    return this[STATE].version
  }

  set version(version: string | null | undefined) {
    const request = this as object as Request
    const state = Object.hasOwn(request, STATE) ? this[STATE] : newState(request)
    state.version = version
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

const { constructor: _, ...descriptors } = Object.getOwnPropertyDescriptors(RequestProperties.prototype)

/** Their property descriptors. */
export const MEMBERS = descriptors

type Accepts = (this: Request, ...types: unknown[]) => string | string[] | false

/**
 * Returns a `req.accepts` that ignores the version parameter. Express's own (and `res.format`, which uses it) takes the
 * parameter for a constraint that no response meets. `req.headers.accept` stays as the client sent it.
 */
export function versionBlindAccepts(target: object): Accepts {
  const own = Object.hasOwn(target, 'accepts') ? (target as { accepts: Accepts }).accepts : undefined
  return function accepts(...types) {
    const original = own ?? (Object.getPrototypeOf(target) as { accepts: Accepts }).accepts
    const { accept } = this.headers
    const { config, outer } = (this as object as RequestProperties)[STATE]
    if (accept === undefined || config === undefined) return original.apply(this, types)
    const seen = [...outer, config].reduce((header, versioning) => versioning.negotiableAccept(header), accept)
    if (seen === accept) return original.apply(this, types)
    const headers = Object.create(this.headers, { accept: { value: seen } })
    return original.apply(Object.create(this, { headers: { value: headers } }), types)
  }
}
