import type { Request } from 'express'
import { NotFound } from '../errors'
import { isPathSegment } from '../http/segment'
import { UNUSABLE } from '../http/unusable'
import { linkedVersion } from '../request/link'
import type { RouteParams, SchemeLinkOptions, VersionCarrier } from '../types'
import { type Carried, CarrierVersioning } from './carrier'

/**
 * ```http
 * GET /v1/users HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The version is a parameter of the path (`app.use('/:version', versioning({ scheme: URLPathVersioning }))`). DRF, `URLPathVersioning`.
 */
export class URLPathVersioning extends CarrierVersioning {
  override readonly linksVersion: boolean = true

  protected override carried(_req: Request, kwargs: RouteParams): Carried {
    const { versionParam } = this.settings
    const version = Object.hasOwn(kwargs, versionParam) ? kwargs[versionParam] : undefined
    // Express writes null or undefined for an optional parameter that is not there; a wildcard's list is no version.
    if (version === undefined || version === null) return undefined
    return typeof version === 'string' ? version : UNUSABLE
  }

  override carry(version: string): VersionCarrier | undefined {
    return isPathSegment(version) ? { in: 'path', name: this.settings.versionParam, value: version } : undefined
  }

  override refusal(version: string | null | undefined): NotFound {
    return new NotFound('Invalid version in URL path.', { version, allowedVersions: this.acceptedVersions })
  }

  /** The link with the version as the route's keyword argument, over the caller's. */
  override reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    const version = linkedVersion(options)
    if (version === null) return super.reverse(viewname, options)
    return super.reverse(viewname, { ...options, kwargs: { ...options.kwargs, [this.settings.versionParam]: version } })
  }
}
