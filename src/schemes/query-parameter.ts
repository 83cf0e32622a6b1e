import type { Request } from 'express'
import { queryParameter, replaceQueryParameter } from '../http/query'
import { UNUSABLE } from '../http/unusable'
import { linkedVersion } from '../request/link'
import type { SchemeLinkOptions, VersionCarrier } from '../types'
import { BaseVersioning } from './base'

/** Half of a character, which no URL can carry. */
const SURROGATE = /\p{Surrogate}/u

/**
 * ```http
 * GET /users?version=v1 HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * The raw query is read, so that the app's `query parser` has no say; only the exact name counts. DRF, `QueryParameterVersioning`.
 */
export class QueryParameterVersioning extends BaseVersioning {
  override readonly carriedIn: VersionCarrier['in'] = 'query'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in query parameter.'

  override readVersion(req: Request): string | undefined {
    const version = queryParameter(req.url, this.settings.versionParam)
    if (version === UNUSABLE) throw this.invalidVersion()
    return version
  }

  override carry(version: string): VersionCarrier | undefined {
    return SURROGATE.test(version) ? undefined : { in: 'query', name: this.settings.versionParam, value: version }
  }

  /** The link with the version as its last query parameter; with `version: null`, without one. */
  override reverse(viewname: string, options: SchemeLinkOptions = {}): string {
    const link = super.reverse(viewname, options)
    const version = linkedVersion(options)
    if (version === null && options.version === undefined) return link
    return replaceQueryParameter(link, this.settings.versionParam, version ?? undefined)
  }
}
