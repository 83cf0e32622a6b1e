import type { Request } from 'express'
import { NotFound } from '../errors'
import { UNUSABLE } from '../http/unusable'
import { linkedVersion, plainLink } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkOptions, RouteParams } from '../types'
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

  override refusal(version: string | null | undefined): NotFound {
    return new NotFound('Invalid version in URL path.', { version, allowedVersions: this.acceptedVersions })
  }

  /** The link with the version as the route's keyword argument, over the caller's. */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const version = linkedVersion(options, request)
    if (version === null) return plainLink(viewname, options, request)
    return plainLink(viewname, options, request, { ...options.kwargs, [this.settings.versionParam]: version })
  }
}
