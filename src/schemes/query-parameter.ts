import type { Request } from 'express'
import { UNUSABLE } from '../http/fields'
import { queryParameter, replaceQueryParameter } from '../http/query'
import { isFailed, linkedVersion, plainLink } from '../request/link'
import type { Linked } from '../request/state'
import type { LinkOptions, VersionCarrier } from '../types'
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
  #last: { readonly version: string; readonly pair: string } | undefined

  override readonly carriedIn: VersionCarrier['in'] = 'query'
  override readonly linksVersion: boolean = true
  override readonly invalidVersionMessage: string = 'Invalid version in query parameter.'

  override readVersion(req: Request): string | undefined {
    const version = queryParameter(req.url, this.settings.versionParam)
    if (version === UNUSABLE) throw this.invalidVersion()
    return version
  }

  override carry(version: string): VersionCarrier | undefined {
    const fits = !SURROGATE.test(version) && this.meansItself(version)
    return fits ? { in: 'query', name: this.settings.versionParam, value: version } : undefined
  }

  /**
   * The link with the version as its last query parameter; with `version: null`, without one.
   *
   * @throws {NoReverseMatch} for what is wrong with the link whatever its name.
   */
  protected override link(viewname: string, options: LinkOptions, request: Request | undefined): Linked {
    const link = plainLink(viewname, options, request)
    const version = linkedVersion(options, request)
    if (isFailed(link) || (version === null && options.version === undefined)) return link
    if (version !== null && options.query === undefined && options.hash === undefined) {
      return `${link}?${this.#pairOf(version)}`
    }
    return replaceQueryParameter(link, this.settings.versionParam, version ?? undefined)
  }

  /** The version as a query parameter: of the one that was linked last, from memory. */
  #pairOf(version: string): string {
    if (version !== this.#last?.version) {
      const pair = `${encodeURIComponent(this.settings.versionParam)}=${encodeURIComponent(version)}`
      this.#last = { version, pair }
    }
    return (this.#last as { pair: string }).pair
  }
}
