import type { Request } from 'express'
import { NoReverseMatch, NotFound } from '../errors'
import { UNUSABLE } from '../http/unusable'
import { hasView, linkedVersion } from '../links'
import type { SchemeLinkOptions } from '../types'
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
    const namespace = req.resolverMatch?.namespace
    if (namespace === undefined || namespace === '') return undefined
    if (this.isAllowedVersion(namespace) && !namespace.includes(':')) return namespace
    return namespace.split(':').find((part) => this.isAllowedVersion(part)) ?? UNUSABLE
  }

  override refusal(version: string | null | undefined): NotFound {
    return new NotFound('Invalid version in URL path. Does not match any version namespace.', {
      version,
      allowedVersions: this.acceptedVersions,
    })
  }

  /** The link to the route of that name in the version's namespace: `<version>:<viewname>`, or where namespaces nest, in its place there. */
  override reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    const version = linkedVersion(options)
    if (version === null) return super.reverse(viewname, options)
    const names = versionedNames(viewname, version, options.request)
    const existing = names.filter((name) => hasView(options.request, name))
    let failed: unknown
    for (const name of existing.length === 0 ? names.slice(0, 1) : existing) {
      try {
        return super.reverse(name, options)
      } catch (error) {
        if (!(error instanceof NoReverseMatch)) throw error
        failed ??= error
      }
    }
    throw failed
  }
}

/**
 * The names to try, in order: a full name of the request's version in the other; in the version alone; behind what stands
 * before the version in the request's match; and around it.
 */
function versionedNames(viewname: string, version: string, request: Request | undefined): string[] {
  const current = request?.version ?? ''
  const parts = viewname.split(':')
  const own = parts.lastIndexOf(current, -2)
  const names = own === -1 || version === current ? [] : [parts.with(own, version).join(':')]
  names.push(`${version}:${viewname}`)
  const namespaces = request?.resolverMatch?.namespaces ?? []
  const place = namespaces.indexOf(current)
  if (place === -1) return names
  const before = [...namespaces.slice(0, place), version].join(':')
  const after = namespaces.slice(place + 1).join(':')
  if (place > 0) names.push(`${before}:${viewname}`)
  if (after !== '') names.push(`${before}:${after}:${viewname}`)
  return names
}
