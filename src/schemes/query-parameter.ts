import type { Request } from 'express'
import { NotFound } from '../errors'
import { queryParameter, replaceQueryParameter } from '../http/query'
import { isFailed, linkedVersion, plainLink } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkOptions } from '../types'
import { type Carried, CarrierVersioning } from './carrier'

/**
 * ```http
 * GET /users?version=v1 HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The raw query is read, so that the app's `query parser` has no say; only the exact name counts. DRF, `QueryParameterVersioning`.
 */
export class QueryParameterVersioning extends CarrierVersioning {
  override readonly linksVersion: boolean = true
  override readonly readsRoute: boolean = false

  protected override carried(req: Request): Carried {
    return queryParameter(req.url, this.settings.versionParam)
  }

  override refusal(version: string | null | undefined): NotFound {
    return new NotFound('Invalid version in query parameter.', {
      version,
      allowedVersions: this.acceptedVersions,
    })
  }

  /** The link with the version as its last query parameter; with `version: null`, without one. */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const link = plainLink(viewname, options, request)
    const version = linkedVersion(options, request)
    if (isFailed(link) || (version === null && options.version === undefined)) return link
    return replaceQueryParameter(link, this.settings.versionParam, version ?? undefined)
  }
}
