import type { Request } from 'express'
import { NotFound } from '../errors'
import { UNUSABLE } from '../http/unusable'
import { isFailed, linkedVersion, plainLink } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkOptions } from '../types'
import { type Carried, CarrierVersioning } from './carrier'

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a namespace of the route table (`namedRoutes({}).include('/v1', users, { namespace: 'v1' })`); of nested ones
 * the first accepted. A path in no namespace gets the default, unchecked. DRF, `NamespaceVersioning`.
 */
export class NamespaceVersioning extends CarrierVersioning {
  override readonly linksVersion: boolean = true
  override readonly sharesItsPlace: boolean = true
  // The match is read from the request, so the middleware need not prepare keyword arguments.
  override readonly readsRoute: boolean = false
  protected override readonly checksDefault: boolean = false

  /** The first accepted one of the match's namespaces. */
  protected override carried(req: Request): Carried {
    const namespaces = req.resolverMatch?.namespaces
    if (namespaces === undefined || namespaces.length === 0) return undefined
    return namespaces.find((namespace) => this.isAllowedVersion(namespace)) ?? UNUSABLE
  }

  override refusal(version: string | null | undefined): NotFound {
    return new NotFound('Invalid version in URL path. Does not match any version namespace.', {
      version,
      allowedVersions: this.acceptedVersions,
    })
  }

  /** The link to the route of that name in the version's namespace: `<version>:<viewname>`, or where namespaces nest, in its place there. */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const version = linkedVersion(options, request)
    if (version === null) return plainLink(viewname, options, request)
    let missing: Linked | undefined
    let unfit: Linked | undefined
    for (const name of versionedNames(viewname, version, request)) {
      const made = plainLink(name, options, request)
      if (!isFailed(made)) return made
      if (made[0]?.unknown === true) missing ??= made
      else unfit ??= made
    }
    // A name that is there says more than one that is not.
    return unfit ?? (missing as Linked)
  }
}

/**
 * The names to try, in order: a full name of the request's version in the other; in the version alone; behind what stands
 * before the version in the request's match; around it; and a full name of the version itself.
 */
function* versionedNames(viewname: string, version: string, request: Request | undefined): Generator<string> {
  const current = request?.version ?? version
  const full = viewname.includes(':') ? renamed(viewname, current, version) : undefined
  if (full !== undefined && version !== current) yield full
  yield `${version}:${viewname}`
  const namespaces = request?.resolverMatch?.namespaces ?? []
  const place = namespaces.indexOf(current)
  if (place > 0) yield [...namespaces.slice(0, place), version, viewname].join(':')
  if (place !== -1 && place < namespaces.length - 1) yield [...namespaces.with(place, version), viewname].join(':')
  if (full !== undefined && version === current) yield full
}

/** A full name that has the version among its namespaces, in the other version. */
function renamed(viewname: string, current: string, version: string): string | undefined {
  const parts = viewname.split(':')
  // The last part is the view's own.
  const own = parts.lastIndexOf(current, -2)
  return own === -1 ? undefined : parts.with(own, version).join(':')
}
