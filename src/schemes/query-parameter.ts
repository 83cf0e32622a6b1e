// The scheme that reads the version from a query parameter.
import type { Request } from 'express'
import { UNUSABLE } from '../http/fields'
import { queryParameter, replaceQueryParameter } from '../http/query'
import type { LinkCall, Linked } from '../request/state'
import type { VersionCarrier } from '../types'
import { nameClass } from '../util/brand'
import { BaseVersioning } from './base'

/** A lone half of a surrogate pair, which no URL can carry. */
const SURROGATE = /\p{Surrogate}/u

/**
 * ```http
 * GET /users?version=v1 HTTP/1.1
 * Host: api.example.com
 * ```
 *
 * It reads the raw query, so the app's `query parser` does not matter. Only the exact name counts. DRF,
 * `QueryParameterVersioning`.
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
   * Returns the link with the version as its last query parameter; with `version: null`, without a version.
   *
   * @throws {NoReverseMatch} for errors that no other name can fix.
   */
  protected override link(viewname: string, call: LinkCall): Linked {
    const { version, options } = call
    const link = call.plain(viewname)
    if (typeof link !== 'string' || (version === null && options.version === undefined)) return link
    if (version !== null && options.query === undefined && options.hash === undefined) {
      return `${link}?${this.#pairOf(version)}`
    }
    return replaceQueryParameter(link, this.settings.versionParam, version ?? undefined)
  }

  /** Returns the version as a query parameter. The last one is kept. */
  #pairOf(version: string): string {
    if (version !== this.#last?.version) {
      const pair = `${encodeURIComponent(this.settings.versionParam)}=${encodeURIComponent(version)}`
      this.#last = { version, pair }
    }
    return (this.#last as { pair: string }).pair
  }
}

nameClass(QueryParameterVersioning, 'QueryParameterVersioning')
